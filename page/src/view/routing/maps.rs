//! The coupling coefficients of every primary capsule to one digit capsule, a square for each capsule type.

use super::focus::Focus;
use crate::geometry::{Arrow, Grid};
use crate::text::live;
use crate::view::parts::{Cells, Mark, cell_under};
use crate::view::session::Session;
use crate::{format, text};
use leptos::prelude::*;
use std::sync::Arc;
use web_sys::{KeyboardEvent, MouseEvent, PointerEvent};

/// The keys of both pictures: arrows move a cursor over the capsules, Enter pins, Escape lets go.
pub fn on_key(focus: Focus, event: &KeyboardEvent) {
    let chosen = focus.session.chosen;
    let at = chosen.hovered.get_untracked().or(chosen.pinned.get_untracked());
    let grid = focus.grid.get_untracked();
    match (Arrow::of_key(&event.key()), event.key().as_str()) {
        (Some(arrow), _) => chosen.hovered.set(Some(at.map_or(0, |at| grid.beside(at, arrow)))),
        (None, "Enter" | " ") => chosen.pinned.set(at),
        (None, "Escape") => {
            chosen.pinned.set(None);
            chosen.hovered.set(None);
        }
        _ => return,
    }
    event.prevent_default();
}

/// The squares.
#[component]
pub fn Maps(
    /// What is in view.
    focus: Focus,
    /// The coefficients that are shown.
    values: Memo<Option<Arc<Vec<f32>>>>,
    /// The legend's ends.
    range: Memo<(f32, f32)>,
) -> impl IntoView {
    let session = focus.session;
    let chosen = session.chosen;
    let types = move || {
        let grid = focus.grid.get();
        (0..grid.types).map(|of_type| view! { <TypeMap session grid of_type values range/> }).collect_view()
    };
    let name = move || text::coupling_text(focus.class.get(), chosen.iteration.get(), range.get());
    view! {
        <div
            class="picker"
            role="application"
            tabindex="0"
            aria-label=live!("routing.capsule_picker")
            on:keydown=move |event| on_key(focus, &event)
            on:blur=move |_| chosen.hovered.set(None)
            on:pointerleave=move |_| chosen.hovered.set(None)
        >
            <div
                class="maps"
                role="img"
                aria-label=live!("routing.coupling")
                aria-description=name
                style:--across=move || focus.grid.get().types_across().to_string()
            >
                {types}
            </div>
        </div>
    }
}

/// Where a coefficient stands among the colours: by its logarithm, as a logit is one. So agreement shows in equal steps,
/// and a few decided capsules do not drown the others.
pub fn level(coefficient: f32) -> f32 {
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
