//! The batch that the last step was made of, right and wrong.

use crate::format;
use crate::sheet::Sheet;
use crate::text::{self, live, say};
use crate::view::parts::{Cells, FileKind, Numbers, Save, Table};
use crate::view::session::Session;
use capscope_protocol::BatchPictures;
use capscope_protocol::pixels::from_bytes;
use leptos::prelude::*;
use std::sync::Arc;

/// Pictures in a row of the file.
const ACROSS: usize = 16;

/// Pictures of the running batch, as the network got them.
#[component]
pub fn Batch(
    /// The session.
    session: Session,
) -> impl IntoView {
    let batch = session.desk.batch;
    // Places are made anew only when there are more or others, not when what lies in them changes.
    let shape = Memo::new(move |_| batch.with(|batch| batch.as_ref().map(|b| (b.size, b.labels.len()))));
    let pictures = move || {
        let (size, count) = shape.get()?;
        Some((0..count).map(|place| view! { <One session place size/> }).collect_view())
    };
    let about = move || {
        batch.with(|batch| match batch {
            Some(batch) => say!(
                "training.batch_note",
                shown = batch.labels.len(),
                all = batch.batch,
                step = format::grouped(batch.step + 1),
                wrong = batch.labels.iter().zip(&batch.readings).filter(|(label, read)| label != read).count()
            ),
            None => say!("training.no_batch"),
        })
    };
    let file = move || {
        let bytes = batch.with_untracked(|batch| batch.as_ref().map(|batch| png(session, batch)))?;
        Some((session.file_name("batch", FileKind::Png.ending()), bytes))
    };
    view! {
        <figure class="running">
            <div class="row">
                <h3>{live!("training.batch")}</h3>
                <Save what=live!("training.batch") kind=FileKind::Png file=file/>
            </div>
            <p class="note">{about}</p>
            <div class="running-pictures" role="list" aria-label=live!("training.batch")>{pictures}</div>
            <Numbers summary=live!("training.numbers_of_batch") table=move || batch.with(|b| b.as_ref().map(table))/>
        </figure>
    }
}

/// One picture with what it is and what it was taken for.
#[component]
fn One(
    /// The session.
    session: Session,
    /// Its place among the batch's pictures.
    place: usize,
    /// Rows and columns of cells.
    size: [u32; 2],
) -> impl IntoView {
    let batch = session.desk.batch;
    let cells = (size[0] * size[1]) as usize;
    let values = Memo::new(move |_| {
        batch.with(|batch| {
            let bytes = batch.as_ref()?.pixels.get(place * cells..(place + 1) * cells)?;
            Some(Arc::new(from_bytes(bytes)))
        })
    });
    let read = Memo::new(move |_| {
        batch.with(|batch| {
            let batch = batch.as_ref()?;
            Some((digits(batch.labels.get(place)?), digits(batch.readings.get(place)?)))
        })
    });
    let is_wrong = move || read.with(|read| read.as_ref().is_some_and(|(label, read)| label != read));
    let verdict = move || {
        let (label, read) = read.get()?;
        Some(text::mark(&label, &read))
    };
    let told = move || {
        let (label, read) = read.get()?;
        Some(if label == read {
            say!("training.batch_right", label = label)
        } else {
            say!("training.batch_wrong", label = label, read = read)
        })
    };
    view! {
        <div role="listitem" class:wrong=is_wrong title=told>
            <Cells columns=size[1] rows=size[0] values range=(0.0, 1.0) ramp=session.colours.ink/>
            <span class="number">{verdict}</span>
        </div>
    }
}

/// The digits of a picture, as they are said: one, or two.
fn digits(classes: &[u8]) -> String {
    classes.iter().map(u8::to_string).collect::<Vec<_>>().join("+")
}

fn table(batch: &BatchPictures) -> Table {
    let row = |(place, (label, read)): (usize, (&Vec<u8>, &Vec<u8>))| {
        ((place + 1).to_string(), vec![digits(label), digits(read)])
    };
    Table {
        caption: say!("training.batch"),
        head: vec![String::new(), say!("training.label_axis"), say!("training.batch_read")],
        rows: batch.labels.iter().zip(&batch.readings).enumerate().map(row).collect(),
    }
}

fn png(session: Session, batch: &BatchPictures) -> Vec<u8> {
    let [rows, columns] = batch.size.map(|side| (side as usize).max(1));
    let count = batch.labels.len().max(1);
    let mut sheet = Sheet::new([count.min(ACROSS), count.div_ceil(ACROSS)], [columns, rows], 2);
    let (ink, wrong) = (session.colours.ink.get_untracked(), session.colours.accent());
    for (place, bytes) in batch.pixels.chunks_exact(rows * columns).enumerate() {
        let at = [place % ACROSS, place / ACROSS];
        sheet.put(at, &from_bytes(bytes), &ink, (0.0, 1.0));
        if batch.labels.get(place) != batch.readings.get(place) {
            sheet.frame(at, wrong);
        }
    }
    sheet.png(3)
}
