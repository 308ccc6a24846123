//! The paper's figure: every dimension of the pose in eleven steps, opened on demand.

use crate::format;
use crate::pose::SWEEP;
use crate::ramp::Ramp;
use crate::sheet::Sheet;
use crate::text::{live, say};
use crate::view::chosen::DIMENSIONS;
use crate::view::explore::grid_offsets;
use crate::view::parts::{Cells, FileKind, Icon, Save, Sign, cell_under};
use crate::view::session::Session;
use capscope_ink::SIDE;
use leptos::{ev, html, prelude::*};
use std::sync::Arc;

/// Pixels of a picture.
const PIXELS: usize = SIDE * SIDE;

/// The button that opens the grid, and the grid.
#[component]
pub fn Grid(
    /// The session.
    session: Session,
    /// The digit capsule in view.
    class: Memo<Option<u8>>,
) -> impl IntoView {
    let chosen = session.chosen;
    let dialog = NodeRef::<html::Dialog>::new();
    let open = move |_| {
        // What was seen when it was open before may be another digit's.
        session.grid.iter().for_each(|row| row.set(None));
        chosen.grid.set(true);
        if let Some(dialog) = dialog.get() {
            // Fails only where it is open already.
            let _ = dialog.show_modal();
        }
    };
    let close = move || {
        if let Some(dialog) = dialog.get() {
            dialog.close();
        }
    };
    // A click beside the dialog's content closes it: there the dialog itself is what is hit.
    let on_click = move |event: ev::MouseEvent| {
        if event.target() == event.current_target() {
            close();
        }
    };
    let offsets = Memo::new(move |_| if chosen.grid.get() { grid_offsets(session) } else { Vec::new() });
    let title = move || class.get().map_or_else(String::new, |class| say!("pose.grid_title", class = class));
    let file = move || {
        let bytes = png(session, &session.colours.ink.get_untracked())?;
        Some((session.file_name("pose-grid", FileKind::Png.ending()), bytes))
    };
    let rows = (0..DIMENSIONS).map(|of| view! { <Row session of offsets close/> }).collect_view();
    view! {
        <button type="button" disabled=move || class.get().is_none() on:click=open>{live!("pose.open_grid")}</button>
        <dialog
            node_ref=dialog
            class="grid-dialog"
            aria-label=title
            on:close=move |_| chosen.grid.set(false)
            on:click=on_click
        >
            <div class="grid-content">
                <div class="row title">
                    <h2>{title}</h2>
                    <Save what=live!("pose.grid") kind=FileKind::Png file=file/>
                    <button type="button" class="sign" aria-label=live!("pose.close_grid") on:click=move |_| close()>
                        <Icon sign=Sign::Close/>
                    </button>
                </div>
                <p class="note">{live!("pose.grid_note")}</p>
                <div class="pose-grid">{rows}</div>
                <div class="grid-legend">
                    <span class="number">"0"</span><div class="ramp ink"></div><span class="number">"1"</span>
                    <span>{live!("pose.ink")}</span>
                </div>
            </div>
        </dialog>
    }
}

/// One dimension in eleven steps. A click takes a picture's pose.
#[component]
fn Row(
    /// The session.
    session: Session,
    /// Which dimension, from 0.
    of: usize,
    /// What is added in each picture, for every dimension.
    offsets: Memo<Vec<Vec<f32>>>,
    /// Closes the grid.
    close: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let row = session.grid[of];
    let values =
        Signal::derive(move || row.with(|row| row.as_ref().and_then(|row| side_by_side(&row.pixels))).map(Arc::new));
    let ends = move || offsets.with(|offsets| Some((*offsets.get(of)?.first()?, *offsets.get(of)?.last()?)));
    let label = Signal::derive(move || {
        let (low, high) = ends().unwrap_or_default();
        let [low, high] = [low, high].map(|end| format::signed(end, 2));
        say!("pose.grid_row", number = of + 1, low = low, high = high)
    });
    let end = move |last: bool| ends().map(|(low, high)| format::signed(if last { high } else { low }, 2));
    let take = move |event: ev::MouseEvent| {
        let column = cell_under(&event, SWEEP as u32, 1).map(|(column, _)| column as usize);
        let offset = column.and_then(|column| offsets.with_untracked(|all| all.get(of)?.get(column).copied()));
        if let Some(offset) = offset {
            session.chosen.bend(of, offset);
            close();
        }
    };
    view! {
        <span class="number name" aria-hidden="true">{of + 1}</span>
        <span class="number end" aria-hidden="true">{move || end(false)}</span>
        <div class="grid-row" on:click=take>
            <Cells
                columns=(SWEEP * SIDE) as u32
                rows=SIDE as u32
                values
                range=(0.0, 1.0)
                ramp=session.colours.ink
                label
            />
            <i class="middle" aria-hidden="true"></i>
        </div>
        <span class="number end" aria-hidden="true">{move || end(true)}</span>
    }
}

/// Pictures one after another as one picture, side by side.
fn side_by_side(pictures: &[f32]) -> Option<Vec<f32>> {
    (pictures.len() == SWEEP * PIXELS).then(|| {
        let line = |y: usize| pictures.chunks_exact(PIXELS).flat_map(move |picture| &picture[y * SIDE..][..SIDE]);
        (0..SIDE).flat_map(line).copied().collect()
    })
}

/// The whole grid as a PNG file; `None` while a row is missing.
fn png(session: Session, ramp: &Ramp) -> Option<Vec<u8>> {
    let mut sheet = Sheet::new([SWEEP, DIMENSIONS], [SIDE, SIDE], 2);
    for (of, row) in session.grid.iter().enumerate() {
        let row = row.get_untracked()?;
        for (column, picture) in row.pixels.chunks_exact(PIXELS).enumerate() {
            sheet.put([column, of], picture, ramp, (0.0, 1.0));
        }
    }
    Some(sheet.png(3))
}
