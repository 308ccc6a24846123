//! One primary capsule: what it sees, and how it divides its vote among the digits, iteration by iteration.

use super::focus::{Because, Focus};
use crate::layers::Kind;
use crate::text::{live, say};
use crate::view::parts::Seen;
use crate::{account, format, readout, text};
use capscope_ink::SIDE;
use leptos::prelude::*;

/// The couplings of the capsule under the pointer, of the pinned one, or of the one that couples most with the digit in
/// view.
#[component]
pub fn Capsule(
    /// What is in view.
    focus: Focus,
) -> impl IntoView {
    let session = focus.session;
    let numbers = Memo::new(move |_| {
        let ((reading, iteration), (capsule, _)) = (focus.reading()?, focus.capsule.get()?);
        let every = (1..=reading.iterations).map(|t| readout::of_child(&reading, t, capsule).to_vec()).collect();
        let logits = readout::logits_of_child(&reading, iteration, capsule).to_vec();
        let votes = focus.votes.get();
        let agreement = account::agreement(votes.as_deref(), &reading, iteration, capsule);
        Some(Couplings { every, iteration, logits, agreement })
    });
    let most = Memo::new(move |_| {
        session.reading.with(|reading| reading.as_ref().map_or(1.0, |r| r.coupling.iter().copied().fold(0.0, f32::max)))
    });
    let heading = move || {
        let (capsule, because) = focus.capsule.get()?;
        let (of_type, row, column) = focus.grid.get().place(capsule);
        let why = match because {
            Because::Hovered => say!("routing.under_pointer"),
            Because::Pinned => say!("routing.pinned"),
            Because::Closest => say!("routing.closest"),
        };
        Some(view! { <b>{text::capsule_place(of_type, row, column)}</b><br/>{why} })
    };
    let activity = move || {
        let capsule = focus.capsule.get()?.0;
        session.reading.with(|r| r.as_ref()?.activity.get(capsule as usize).map(|length| format::fixed(*length, 2)))
    };
    let sight = Signal::derive(move || {
        let capsule = focus.capsule.get()?.0;
        let status = session.status_of(&session.chosen.network.get())?;
        let place = focus.grid.get().place(capsule);
        Some(Kind::Primary.sight(status.fields, place, status.input, SIDE as u32))
    });
    let classes = move || session.reading.with(|reading| reading.as_ref().map_or(10, |r| readout::parents(r)));
    let rows = move || (0..classes()).map(|parent| view! { <Row parent focus numbers most/> }).collect_view();
    view! {
        <div class="capsule">
            <h3>{live!("routing.one_capsule")}</h3>
            <div class="capsule-head">
                <Seen session sight/>
                <p class="note">
                    {heading} <br/> <span title=live!("routing.its_length")>
                        {live!("routing.length_is")} " " <span class="number">{activity}</span>
                    </span>
                </p>
            </div>
            <table class="couplings">
                <thead>
                    <tr>
                        <th scope="col">{live!("routing.digit")}</th>
                        <th scope="col" class="spark-head" title=live!("routing.spark_title")>
                            {move || say!("routing.spark", r = session.chosen.iterations.get())}
                        </th>
                        <th scope="col" title=live!("routing.coupling")>"c"</th>
                        <th scope="col" title=live!("routing.logit")>"b"</th>
                        <th scope="col" title=live!("routing.agreement")>"û·v"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
                <tfoot><Sum numbers/></tfoot>
            </table>
        </div>
    }
}

/// A capsule's numbers.
#[derive(Clone, PartialEq)]
struct Couplings {
    /// Coefficients of every iteration.
    every: Vec<Vec<f32>>,
    /// The iteration shown.
    iteration: u8,
    /// Its logits.
    logits: Vec<f32>,
    /// Its agreement, if it is known.
    agreement: Option<Vec<f32>>,
}

impl Couplings {
    fn shown(&self) -> &[f32] {
        self.every.get(usize::from(self.iteration) - 1).map_or(&[], Vec::as_slice)
    }
}

type Numbers = Memo<Option<Couplings>>;

/// One digit's part of the vote.
#[component]
fn Row(
    /// The digit.
    parent: usize,
    /// What is in view.
    focus: Focus,
    /// The capsule's numbers.
    numbers: Numbers,
    /// The largest coefficient of all, which fills the height.
    most: Memo<f32>,
) -> impl IntoView {
    let rounds = Memo::new(move |_| numbers.with(|n| n.as_ref().map_or(3, |n| n.every.len())));
    let bar = move |round: usize| {
        let value = move || numbers.with(|n| n.as_ref()?.every.get(round)?.get(parent).copied()).unwrap_or(0.0);
        let height = move || format!("{:.1}%", 100.0 * (value() / most.get().max(1e-6)).clamp(0.0, 1.0));
        let is_shown = move || numbers.with(|n| n.as_ref().is_some_and(|n| usize::from(n.iteration) == round + 1));
        view! { <i class:shown=is_shown style:height=height></i> }
    };
    let bars = move || (0..rounds.get()).map(bar).collect_view();
    let told = move |value: fn(&Couplings) -> Option<&[f32]>, decimals: usize, signed: bool| {
        numbers.with(|numbers| {
            let value = *value(numbers.as_ref()?)?.get(parent)?;
            Some(if signed { format::signed(value, decimals) } else { format::fixed(value, decimals) })
        })
    };
    view! {
        <tr class:in-view=move || focus.class.get() == Some(parent as u8)>
            <th scope="row">{parent}</th>
            <td class="spark"><span>{bars}</span></td>
            <td class="number">{move || told(|n| Some(n.shown()), 3, false)}</td>
            <td class="number quiet">{move || told(|n| Some(&n.logits), 2, false)}</td>
            <td class="number quiet">
                {move || told(|n| n.agreement.as_deref(), 2, true).unwrap_or_else(|| "–".into())}
            </td>
        </tr>
    }
}

/// The sum over the digits, which is one.
#[component]
fn Sum(
    /// The capsule's numbers.
    numbers: Numbers,
) -> impl IntoView {
    let sum = move || numbers.with(|n| n.as_ref().map(|n| format::fixed(n.shown().iter().sum(), 3)));
    view! {
        <tr>
            <th scope="row">"Σ"</th>
            <td class="quiet">{live!("routing.sum_is_one")}</td>
            <td class="number">{sum}</td>
            <td colspan="2"></td>
        </tr>
    }
}
