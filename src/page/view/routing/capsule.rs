//! One primary capsule: how it divides its vote among the ten digits, with the formula and its real numbers.

use crate::page::geometry::Grid;
use crate::page::text::{live, say};
use crate::page::view::session::Session;
use crate::page::{format, readout, text};
use leptos::prelude::*;

/// Why this capsule is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Because {
    Hovered,
    Pinned,
    Closest,
}

/// The couplings of the capsule under the pointer, of the pinned one, or of the one that couples most with the digit in
/// view.
#[component]
pub fn Capsule(
    /// The session.
    session: Session,
    /// The digit capsule in view.
    class: Memo<Option<u8>>,
    /// The primary capsules.
    grid: Memo<Grid>,
) -> impl IntoView {
    let chosen = session.chosen;
    let capsule = Memo::new(move |_| {
        if let Some(hovered) = chosen.hovered.get() {
            return Some((hovered, Because::Hovered));
        }
        if let Some(pinned) = chosen.pinned.get() {
            return Some((pinned, Because::Pinned));
        }
        let (reading, class) = (session.reading.get()?, class.get()?);
        // The last iteration's, so that it stays the same capsule while the iterations pass.
        Some((readout::closest_child(&reading, reading.iterations, class), Because::Closest))
    });
    let numbers = Memo::new(move |_| {
        let (reading, (capsule, _)) = (session.reading.get()?, capsule.get()?);
        let iteration = chosen.iteration.get();
        let activity = reading.activity.get(capsule as usize).copied().unwrap_or_default();
        let couplings = readout::of_child(&reading, iteration, capsule).to_vec();
        Some((couplings, readout::logits_of_child(&reading, iteration, capsule).to_vec(), activity))
    });
    let heading = move || {
        let (capsule, because) = capsule.get()?;
        let (of_type, row, column) = grid.get().place(capsule);
        let why = match because {
            Because::Hovered => say!("routing.under_pointer"),
            Because::Pinned => say!("routing.pinned"),
            Because::Closest => say!("routing.closest"),
        };
        Some(view! { <b>{text::capsule_place(of_type, row, column)}</b><br/>{why} })
    };
    let classes = move || session.reading.with(|reading| reading.as_ref().map_or(10, |r| readout::parents(r)));
    let rows = move || (0..classes()).map(|parent| view! { <Row parent class numbers/> }).collect_view();
    let activity = move || numbers.with(|numbers| numbers.as_ref().map(|n| format::fixed(n.2, 2)));
    view! {
        <div class="capsule">
            <h3>{live!("routing.one_capsule")}</h3>
            <p class="note two-lines">{heading}</p>
            <table class="couplings">
                <thead>
                    <tr>
                        <th scope="col">{live!("routing.digit")}</th>
                        <td></td>
                        <th scope="col" title=live!("routing.coupling")>"c"</th>
                        <th scope="col" title=live!("routing.logit")>"b"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
                <tfoot><Sum numbers/></tfoot>
            </table>
            <Formula class numbers/>
            <p class="note">{live!("routing.its_length")}" "<span class="number">{activity}</span></p>
        </div>
    }
}

/// Couplings, logits and length of the capsule.
type Numbers = Memo<Option<(Vec<f32>, Vec<f32>, f32)>>;

/// One digit's part of the vote.
#[component]
fn Row(
    /// The digit.
    parent: usize,
    /// The digit capsule in view.
    class: Memo<Option<u8>>,
    /// The capsule's numbers.
    numbers: Numbers,
) -> impl IntoView {
    let coupling = move || numbers.with(|numbers| numbers.as_ref().and_then(|n| n.0.get(parent).copied()));
    let logit = move || numbers.with(|numbers| numbers.as_ref().and_then(|n| n.1.get(parent).copied()));
    let width = move || format!("{}%", 100.0 * coupling().unwrap_or(0.0).clamp(0.0, 1.0));
    view! {
        <tr class:in-view=move || class.get() == Some(parent as u8)>
            <th scope="row">{parent}</th>
            <td class="track"><i style:width=width></i></td>
            <td class="number">{move || coupling().map(|value| format::fixed(value, 3))}</td>
            <td class="number quiet">{move || logit().map(|value| format::fixed(value, 2))}</td>
        </tr>
    }
}

/// The sum over the digits, which is one.
#[component]
fn Sum(
    /// The capsule's numbers.
    numbers: Numbers,
) -> impl IntoView {
    let sum = move || numbers.with(|n| n.as_ref().map(|n| format::fixed(n.0.iter().sum(), 3)));
    view! {
        <tr>
            <th scope="row">"Σ"</th>
            <td class="quiet">{live!("routing.sum_is_one")}</td>
            <td class="number">{sum}</td>
            <td></td>
        </tr>
    }
}

/// The softmax with the numbers of the digit in view.
#[component]
fn Formula(
    /// The digit capsule in view.
    class: Memo<Option<u8>>,
    /// The capsule's numbers.
    numbers: Numbers,
) -> impl IntoView {
    let filled_in = move || {
        let class = class.get()? as usize;
        numbers.with(|numbers| {
            let (couplings, logits, _) = numbers.as_ref()?;
            let (coupling, logit) = (*couplings.get(class)?, *logits.get(class)?);
            let sum: f32 = logits.iter().map(|logit| logit.exp()).sum();
            Some(view! {
                "= e"<sup>{format::fixed(logit, 2)}</sup>" / "{format::fixed(sum, 2)}" = "
                <b>{format::fixed(coupling, 3)}</b>
            })
        })
    };
    view! {
        <p class="formula">
            <span><i>"c"</i><sub>{move || class.get().map_or("j".to_string(), |class| class.to_string())}</sub>
            " = e"<sup>"b"</sup>" / Σ"<sub>"k"</sub>" e"<sup>"b"<sub>"k"</sub></sup></span>
            " "
            <span class="number">{filled_in}</span>
        </p>
    }
}
