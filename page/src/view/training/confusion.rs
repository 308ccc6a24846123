//! Which digits are taken for which, over all test images.

use crate::confusion::Confusion;
use crate::format;
use crate::geometry::Arrow;
use crate::plot;
use crate::text::{live, say};
use crate::view::parts::{FileKind, Numbers, Save, Table};
use crate::view::session::Session;
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

/// The matrix of the last test. A click on a cell shows its images in the gallery.
#[component]
pub fn Matrix(
    /// The session.
    session: Session,
) -> impl IntoView {
    let matrix =
        Memo::new(move |_| session.desk.tested.with(|test| test.as_ref().and_then(|t| Confusion::new(&t.confusion))));
    let picked = session.desk.picked;
    // One cell can be reached by Tab; arrows go from there.
    let current = RwSignal::new((0usize, 0usize));
    let grid = NodeRef::<html::Div>::new();
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            return picked.set(None);
        }
        let (Some(arrow), Some(classes)) =
            (Arrow::of_key(&event.key()), matrix.with(|m| m.as_ref().map(Confusion::classes)))
        else {
            return;
        };
        let (right, down) = arrow.step();
        let moved = |from: usize, by: i32| (from as i32 + by).clamp(0, classes as i32 - 1) as usize;
        current.update(|(row, column)| (*row, *column) = (moved(*row, down), moved(*column, right)));
        let (row, column) = current.get_untracked();
        let cell = grid.get().and_then(|grid| {
            let cells = grid.query_selector_all("[data-cell]").ok()?;
            cells.item((row * classes + column) as u32)?.dyn_into::<HtmlElement>().ok()
        });
        if let Some(cell) = cell {
            // Fails only for what cannot be focused, and a button can.
            let _ = cell.focus();
        }
        event.prevent_default();
    };
    let cells = move || {
        let matrix = matrix.get()?;
        let classes = matrix.classes();
        let head =
            (0..classes).map(|read| view! { <span class="name" aria-hidden="true">{read}</span> }).collect_view();
        let rows = (0..classes).map(|label| {
            let row = (0..classes).map(|read| cell(session, &matrix, (label, read), current)).collect_view();
            view! { <span class="name" aria-hidden="true">{label}</span>{row} }
        });
        let rows = rows.collect_view();
        Some(view! {
            <div
                node_ref=grid
                class="matrix number"
                style:--classes=classes.to_string()
                role="group"
                aria-label=live!("training.confusion")
                on:keydown=on_key
            >
                <span></span>{head}{rows}
            </div>
        })
    };
    let about = move || {
        session.desk.tested.with(|test| match test {
            Some(test) => say!(
                "training.confusion_note",
                total = format::grouped(test.total.into()),
                step = format::grouped(test.step)
            ),
            None => say!("training.no_confusion"),
        })
    };
    let told = move || {
        let matrix = matrix.get()?;
        Some(match picked.get().or_else(|| matrix.worst().map(|(label, read, _)| (label as u8, read as u8))) {
            Some((label, read)) => said(&matrix, label.into(), read.into()),
            None => say!("training.no_mistakes"),
        })
    };
    let file = move || {
        let matrix = matrix.get_untracked()?;
        let words = [say!("training.confusion"), say!("training.label_axis"), say!("training.batch_read")];
        let tints = session.colours.tints.get_untracked();
        let step = session.desk.tested.with_untracked(|test| test.as_ref().map_or(0, |test| test.step));
        let name = format!("capscope-confusion-{step}-steps.{}", FileKind::Svg.ending());
        Some((name, plot::matrix(&matrix, words.each_ref().map(String::as_str), &tints).into_bytes()))
    };
    view! {
        <figure class="confusion">
            <div class="with-file">
                <h3>{live!("training.confusion")}</h3>
                <Save what=live!("training.confusion") kind=FileKind::Svg file/>
            </div>
            <p class="note">{about}</p>
            {cells}
            <p class="note told" aria-live="polite">{told}</p>
            <Numbers summary=live!("training.numbers_of_confusion") table=move || table(&matrix.get()?)/>
        </figure>
    }
}

fn cell(
    session: Session,
    matrix: &Confusion,
    (label, read): (usize, usize),
    current: RwSignal<(usize, usize)>,
) -> impl IntoView + use<> {
    let picked = session.desk.picked;
    let own = (label as u8, read as u8);
    let count = matrix.count(label, read);
    let said = said(matrix, label, read);
    let pick = move |_| {
        current.set((label, read));
        picked.update(|picked| *picked = if *picked == Some(own) { None } else { Some(own) });
        // The gallery shows what the network in view reads: the one that was tested comes into view.
        let tested = session.desk.tested.with_untracked(|test| test.as_ref().map(|test| test.network.clone()));
        if let (Some(network), Some(_)) = (tested, picked.get_untracked()) {
            session.chosen.read_with(session, network);
        }
    };
    view! {
        <button
            type="button"
            data-cell
            class:right=label == read
            style:--tint=format!("{:.0}%", 50.0 * matrix.tint(label, read))
            title=said.clone()
            aria-label=said
            aria-pressed=move || if picked.get() == Some(own) { "true" } else { "false" }
            tabindex=move || if current.get() == (label, read) { "0" } else { "-1" }
            on:click=pick
        >
            {if count == 0 { "·".to_string() } else { count.to_string() }}
        </button>
    }
}

/// A cell in words.
fn said(matrix: &Confusion, label: usize, read: usize) -> String {
    let (count, of) = (matrix.count(label, read), matrix.of_label(label));
    say!("training.confusion_cell", label = label, read = read, count = count, of = of)
}

fn table(matrix: &Confusion) -> Option<Table> {
    let classes = matrix.classes();
    let row =
        |label: usize| (label.to_string(), (0..classes).map(|read| matrix.count(label, read).to_string()).collect());
    Some(Table {
        caption: say!("training.confusion_table"),
        head: std::iter::once(say!("training.label_axis")).chain((0..classes).map(|read| read.to_string())).collect(),
        rows: (0..classes).map(row).collect(),
    })
}
