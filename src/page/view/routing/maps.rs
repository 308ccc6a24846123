//! The coupling coefficients of every primary capsule to one digit capsule, a square for each capsule type.

use crate::page::geometry::{Arrow, Grid};
use crate::page::ramp::ends;
use crate::page::text::{live, say};
use crate::page::view::parts::{Cells, Mark, Numbers, Table, cell_under};
use crate::page::view::session::Session;
use crate::page::{format, readout, text};
use leptos::prelude::*;
use std::sync::Arc;
use web_sys::{KeyboardEvent, MouseEvent, PointerEvent};

/// What the squares show, in words.
#[component]
pub fn Sentence(
    /// The digit capsule in view.
    class: Memo<Option<u8>>,
    /// The primary capsules.
    grid: Memo<Grid>,
) -> impl IntoView {
    view! {
        <p class="note">
            {move || text::maps(grid.get())} " "
            {move || class.get().map(|class| say!("routing.maps_strong", class = class))}
        </p>
    }
}

/// The squares, their legend and their numbers.
#[component]
pub fn Maps(
    /// The session.
    session: Session,
    /// The digit capsule in view.
    class: Memo<Option<u8>>,
    /// The primary capsules.
    grid: Memo<Grid>,
    /// The place between iterations that is shown.
    place: Signal<f64>,
) -> impl IntoView {
    let chosen = session.chosen;
    let values = Memo::new(move |_| {
        let (reading, class) = (session.reading.get()?, class.get()?);
        Some(Arc::new(readout::to_parent(&reading, place.get(), class)))
    });
    let range = Memo::new(move |_| {
        let ends = || Some(readout::ends_to_parent(session.reading.get()?.as_ref(), class.get()?));
        ends().unwrap_or((0.0, 1.0))
    });
    let on_key = move |event: KeyboardEvent| {
        let at = chosen.hovered.get_untracked().or(chosen.pinned.get_untracked());
        match (Arrow::of_key(&event.key()), event.key().as_str()) {
            (Some(arrow), _) => chosen.hovered.set(Some(at.map_or(0, |at| grid.get_untracked().beside(at, arrow)))),
            (None, "Enter" | " ") => chosen.pinned.set(at),
            (None, "Escape") => {
                chosen.pinned.set(None);
                chosen.hovered.set(None);
            }
            _ => return,
        }
        event.prevent_default();
    };
    let types = move || {
        let grid = grid.get();
        (0..grid.types).map(|of_type| view! { <TypeMap session grid of_type values range/> }).collect_view()
    };
    let name = move || text::coupling_text(class.get(), chosen.iteration.get(), range.get());
    view! {
        <div
            class="picker"
            role="application"
            tabindex="0"
            aria-label=live!("routing.capsule_picker")
            on:keydown=on_key
            on:blur=move |_| chosen.hovered.set(None)
            on:pointerleave=move |_| chosen.hovered.set(None)
        >
            <div
                class="maps"
                role="img"
                aria-label=live!("routing.coupling")
                aria-description=name
                style:--across=move || grid.get().types_across().to_string()
            >
                {types}
            </div>
        </div>
        <Legend session range values/>
        <Numbers summary=live!("routing.numbers_of_coupling") table=move || table(session, grid.get())/>
    }
}

/// Where a coefficient stands among the colours: by its logarithm, as a logit is one. So agreement shows in equal steps,
/// and a few decided capsules do not drown the others.
fn level(coefficient: f32) -> f32 {
    coefficient.max(1e-6).ln()
}

/// The square of one capsule type.
#[component]
fn TypeMap(
    /// The session.
    session: Session,
    /// The primary capsules.
    grid: Grid,
    /// Which type, from 0.
    of_type: u32,
    /// All coefficients that are shown.
    values: Memo<Option<Arc<Vec<f32>>>>,
    /// The legend's ends.
    range: Memo<(f32, f32)>,
) -> impl IntoView {
    let chosen = session.chosen;
    let Grid { rows, columns, .. } = grid;
    let positions = (rows * columns) as usize;
    let own = Signal::derive(move || {
        values.with(|values| {
            let start = of_type as usize * positions;
            let own = values.as_ref()?.get(start..start + positions)?;
            Some(Arc::new(own.iter().map(|value| level(*value)).collect()))
        })
    });
    let levels = Signal::derive(move || {
        let (low, high) = range.get();
        (level(low), level(high))
    });
    let cell_of = move |capsule: Option<u32>| {
        let (own_type, row, column) = grid.place(capsule?);
        (own_type == of_type).then_some((column, row))
    };
    let hovered = Signal::derive(move || cell_of(chosen.hovered.get()));
    let pinned = Signal::derive(move || cell_of(chosen.pinned.get()));
    let capsule_under = move |event: &MouseEvent| {
        cell_under(event, columns, rows).map(|(column, row)| grid.capsule((of_type, row, column)))
    };
    let on_move = move |event: PointerEvent| chosen.hovered.set(capsule_under(&event));
    let on_click = move |event: MouseEvent| {
        let capsule = capsule_under(&event);
        chosen.pinned.update(|pinned| *pinned = if *pinned == capsule { None } else { capsule });
    };
    let tip = Signal::derive(move || {
        let value = *values.get()?.get(chosen.hovered.get()? as usize)?;
        Some(format::fixed(value, 3))
    });
    view! {
        <figure>
            <div class="square" on:pointermove=on_move on:click=on_click>
                <Cells columns rows values=own range=levels ramp=session.colours.sequential/>
                <Mark columns rows cell=pinned pinned=true/>
                <Mark columns rows cell=hovered tip/>
            </div>
            <figcaption>{text::capsule_type(of_type)}</figcaption>
        </figure>
    }
}

/// From the least to the largest coefficient over all iterations, with the part that this iteration takes.
#[component]
fn Legend(
    /// The session.
    session: Session,
    /// The ends.
    range: Memo<(f32, f32)>,
    /// The coefficients that are shown.
    values: Memo<Option<Arc<Vec<f32>>>>,
) -> impl IntoView {
    let here = Memo::new(move |_| values.with(|values| values.as_ref().map(|values| ends(values))));
    let part = move |value: f32| {
        let (low, high) = range.get();
        if high > low { 100.0 * (level(value) - level(low)) / (level(high) - level(low)) } else { 0.0 }
    };
    let bracket = move || {
        let (low, high) = here.get()?;
        Some(format!("left:{}%;right:{}%", part(low), 100.0 - part(high)))
    };
    let uniform =
        move || 1.0 / session.reading.with(|reading| reading.as_ref().map_or(10, |r| readout::parents(r))) as f32;
    let number = |value: f32| format::fixed(value, 3);
    view! {
        <div class="legend">
            <div class="ramp seq">
                <i class="uniform" style:left=move || format!("{}%", part(uniform()))></i>
                <i class="here" style=bracket></i>
            </div>
            <div class="ends number">
                <span>{move || number(range.get().0)}</span>
                <span class="quiet">
                    {live!("routing.uniform")} " " {move || number(uniform())} " · " {live!("routing.this_iteration")} " "
                    {move || here.get().map(|(low, high)| format!("{}–{}", number(low), number(high)))}
                </span>
                <span>{move || number(range.get().1)}</span>
            </div>
        </div>
    }
}

/// Every capsule's couplings in the iteration shown, and their sum.
fn table(session: Session, grid: Grid) -> Option<Table> {
    let reading = session.reading.get()?;
    let iteration = session.chosen.iteration.get();
    let parents = readout::parents(&reading);
    let row = |capsule: u32| {
        let couplings = readout::of_child(&reading, iteration, capsule);
        let (of_type, row, column) = grid.place(capsule);
        let sum: f32 = couplings.iter().sum();
        let numbers = couplings.iter().chain(std::iter::once(&sum)).map(|value| format!("{value:.6}")).collect();
        (text::capsule_place(of_type, row, column), numbers)
    };
    let head = std::iter::once(say!("routing.capsule")).chain((0..parents).map(|class| class.to_string()));
    Some(Table {
        caption: say!("routing.coupling_table", iteration = iteration),
        head: head.chain(std::iter::once("Σ".to_string())).collect(),
        rows: (0..readout::children(&reading) as u32).map(row).collect(),
    })
}
