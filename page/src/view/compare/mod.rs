//! Procedures and numbers of iterations compared over the test set, on the same votes.

use super::download;
use super::parts::{Choice, FileKind, Save, Toggle, width_of};
use super::session::Session;
use crate::address::MOST_ITERATIONS;
use crate::comparison::{self, Measure, SIZE, at, curves, findings};
use crate::text::{self, live, say};
use crate::{format, svg};
use capscope_protocol::{Command, Comparison, Network};
use leptos::{html, prelude::*};
use std::sync::Arc;

/// The works that found so before, by their numbers among the sources.
const SOURCES: [usize; 2] = [4, 8];

/// What the engine has said of comparisons.
#[derive(Clone, Copy)]
pub struct Comparisons {
    /// Images read and in all while one runs.
    pub running: RwSignal<Option<(u32, u32)>>,
    /// The last one.
    pub done: RwSignal<Option<Arc<Comparison>>>,
}

impl Comparisons {
    /// Nothing was compared yet.
    pub fn new() -> Self {
        Comparisons { running: RwSignal::new(None), done: RwSignal::new(None) }
    }

    /// Takes what a comparison has found.
    pub fn take(self, comparison: Comparison) {
        self.running.set(None);
        self.done.set(Some(Arc::new(comparison)));
    }
}

/// The panel.
#[component]
pub fn Compare(
    /// The session.
    session: Session,
) -> impl IntoView {
    view! {
        <section class="compare" aria-label=live!("compare.title")>
            <h2>{live!("compare.title")}</h2>
            <p class="note">{live!("compare.note")}</p>
            <Run session/>
            {move || match session.comparisons.done.get() {
                Some(comparison) => view! { <Outcome session comparison/> }.into_any(),
                None => view! { <p class="quiet">{live!("compare.nothing")}</p> }.into_any(),
            }}
            <p class="note">{live!("compare.excluded")}</p>
        </section>
    }
}

/// The button, and how far a comparison is.
#[component]
fn Run(
    /// The session.
    session: Session,
) -> impl IntoView {
    let running = session.comparisons.running;
    let press = move |_| match running.get_untracked() {
        Some(_) => session.send(&Command::CancelComparison),
        None => session.send(&Command::Compare(session.chosen.network.get_untracked())),
    };
    let cannot = move || running.get().is_none() && session.status_of(&session.chosen.network.get()).is_none();
    let name = move || if running.get().is_some() { say!("compare.cancel") } else { say!("compare.run") };
    view! {
        <div class="row tools compare-tools">
            <button type="button" disabled=cannot on:click=press>{name}</button>
            {move || {
                let (done, all) = running.get()?;
                Some(view! {
                    <progress aria-label=live!("compare.progress") max=all value=done></progress>
                    <span class="number quiet">
                        {say!("training.part_of", part = format::grouped(done.into()), whole = format::grouped(all.into()))}
                    </span>
                })
            }}
        </div>
    }
}

/// What has come of it: sentences, a plot and a table of one measure, all numbers as a file.
#[component]
fn Outcome(
    /// The session.
    session: Session,
    /// The comparison.
    comparison: Arc<Comparison>,
) -> impl IntoView {
    let measure = RwSignal::new(Measure::Right);
    let comparison = StoredValue::new(comparison);
    let of = move || comparison.with_value(|comparison| about(comparison));
    let found = move || {
        let sentences = comparison.with_value(|comparison| findings(comparison));
        sentences.into_iter().map(|sentence| view! { <li>{sentence}</li> }).collect_view()
    };
    let cited = |number: usize| {
        let place = format!("#source-{number}");
        view! { " " <a href=place class="number">"[" {number} "]"</a> }
    };
    let measures = Signal::derive(move || {
        let named = |measure: Measure| {
            Choice::new(measure.name(), text::named(&format!("compare.{}", measure.name())).unwrap_or_default())
        };
        Measure::ALL.map(named).to_vec()
    });
    let value = Signal::derive(move || measure.get().name().to_string());
    let on_pick = move |name: &str| measure.set(Measure::named(name).unwrap_or(Measure::Right));
    let place = NodeRef::<html::Div>::new();
    let width = width_of(place, SIZE.0);
    let drawing = move |size: (f32, f32), ground: bool| {
        let tints = session.colours.tints.get();
        let marks = comparison.with_value(|comparison| comparison::plot(comparison, measure.get(), size, &tints));
        svg::picture(size, ground.then_some(tints.paper.as_str()), &[&marks])
    };
    let name = move |ending: &str| {
        let network = comparison.with_value(|comparison| match &comparison.network {
            Network::Shipped(preset) => preset.clone(),
            Network::Yours => format!("yours-{}-steps", comparison.step),
        });
        format!("capscope-compare-{network}.{ending}")
    };
    let svg = move || Some((name(FileKind::Svg.ending()), untrack(|| drawing(SIZE, true)).into_bytes()));
    let save = move |_| {
        let csv = comparison.with_value(|comparison| comparison::csv(comparison));
        download::save(&name("csv"), download::CSV, csv.as_bytes());
    };
    view! {
        <p>{of}</p>
        <ul class="found" aria-label=live!("compare.found")>
            {found}
            <li>{live!("compare.cited")}{SOURCES.map(cited).collect_view()}</li>
        </ul>
        <div class="row tools">
            <Toggle label=live!("compare.measure") options=measures value on_pick/>
            <span class="grow"></span>
            <Save what=live!("compare.what") kind=FileKind::Svg file=svg/>
            <button type="button" class="small" on:click=save>{live!("compare.csv")}</button>
        </div>
        <div class="compared">
            <div node_ref=place class="drawing" role="img" aria-label=move || text::named(&format!("compare.{}", measure.get().name())) inner_html=move || drawing((width.get(), SIZE.1), false)></div>
            <div class="scroll" tabindex="0">
                {move || comparison.with_value(|comparison| table(comparison, measure.get()))}
            </div>
        </div>
    }
}

/// Which network, how many images, how many votes.
fn about(comparison: &Comparison) -> String {
    let network = match &comparison.network {
        Network::Shipped(preset) => say!("bar.shipped", name = preset),
        Network::Yours => say!("compare.yours", steps = format::grouped(comparison.step)),
    };
    let [children, parents] = comparison.sizes;
    let total = format::grouped(comparison.total.into());
    let own = text::procedure(comparison.own);
    say!("compare.about", network = network, own = own, total = total, children = children, parents = parents)
}

/// A row for each r, a column for each procedure.
fn table(comparison: &Comparison, measure: Measure) -> impl IntoView + use<> {
    let curves = curves(comparison, measure);
    let head =
        curves.iter().map(|(procedure, _)| view! { <th scope="col">{text::procedure(*procedure)}</th> }).collect_view();
    let row = |iterations: usize| {
        let cell = |(_, values): &(_, Vec<f64>)| {
            let told = at(values, iterations).map_or_else(|| "–".into(), |value| measure.told(value));
            // What does not iterate is the same in every row.
            view! { <td class="number" class:quiet=values.len() == 1>{told}</td> }
        };
        view! { <tr><th scope="row">{iterations}</th>{curves.iter().map(cell).collect_view()}</tr> }
    };
    let rows = (1..=usize::from(MOST_ITERATIONS)).map(row).collect_view();
    let caption = text::named(&format!("compare.{}", measure.name()));
    view! {
        <table class="steps">
            <caption>{caption}</caption>
            <thead><tr><th scope="col">"r"</th>{head}</tr></thead>
            <tbody>{rows}</tbody>
        </table>
    }
}
