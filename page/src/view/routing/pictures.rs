//! The coefficients in one of two views: a map of the capsules, or the flow of their votes.

use super::flow::FlowView;
use super::focus::Focus;
use super::maps::{Maps, level};
use crate::geometry::Grid;
use crate::ramp::ends;
use crate::sheet::Sheet;
use crate::text::{live, say};
use crate::view::parts::{Choice, FileKind, Numbers, Save, Table, Toggle};
use crate::view::session::Session;
use crate::{format, readout, text};
use leptos::prelude::*;
use std::sync::Arc;

/// The switch between the views.
#[component]
pub fn Switch(
    /// The session.
    session: Session,
) -> impl IntoView {
    let flows = session.chosen.flows;
    let options = Signal::derive(|| {
        vec![Choice::new("map", say!("routing.view_maps")), Choice::new("flow", say!("routing.view_flow"))]
    });
    let value = Signal::derive(move || if flows.get() { "flow".to_string() } else { "map".into() });
    view! { <Toggle label=live!("routing.view") options value on_pick=move |view: &str| flows.set(view == "flow")/> }
}

/// The view that was chosen, with what both have in common: words, legend, numbers.
#[component]
pub fn Pictures(
    /// What is in view.
    focus: Focus,
) -> impl IntoView {
    let session = focus.session;
    let values = Memo::new(move |_| {
        let (reading, class) = (session.reading.get()?, focus.class.get()?);
        Some(Arc::new(readout::to_parent(&reading, focus.place.get(), class)))
    });
    let range = Memo::new(move |_| {
        let ends = || Some(readout::ends_to_parent(session.reading.get()?.as_ref(), focus.class.get()?));
        ends().unwrap_or((0.0, 1.0))
    });
    let sentence = move || {
        let grid = focus.grid.get();
        match (session.chosen.flows.get(), focus.class.get()) {
            (false, Some(class)) => format!("{} {}", text::maps(grid), say!("routing.maps_strong", class = class)),
            (false, None) => text::maps(grid),
            (true, Some(class)) => say!("flow.note", rows = grid.rows, columns = grid.columns, class = class),
            (true, None) => say!("flow.note_unread", rows = grid.rows, columns = grid.columns),
        }
    };
    let file = move || {
        let levels: Vec<f32> = values.get_untracked()?.iter().map(|value| level(*value)).collect();
        let ((low, high), ramp) = (range.get_untracked(), session.colours.sequential.get_untracked());
        let sheet = Sheet::tiles(focus.grid.get_untracked(), &levels, &ramp, (level(low), level(high)));
        let what = format!(
            "coupling-to-{}-iteration-{}",
            focus.class.get_untracked()?,
            session.chosen.iteration.get_untracked()
        );
        Some((session.file_name(&what, FileKind::Png.ending()), sheet.file()))
    };
    view! {
        <div class="pictures">
            <p class="note three-lines">{sentence}</p>
            <Show
                when=move || session.chosen.flows.get()
                fallback=move || view! { <Maps focus values range/> }
            >
                <FlowView focus range/>
            </Show>
            <Legend session range values/>
            <div class="numbers-and-file">
                <Numbers summary=live!("routing.numbers_of_coupling") table=move || table(session, focus.grid.get())/>
                <Show when=move || !session.chosen.flows.get()>
                    <Save what=live!("routing.coupling") kind=FileKind::Png file/>
                </Show>
            </div>
        </div>
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
