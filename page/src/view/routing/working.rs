//! The formulas of the iteration shown, with the real numbers of the primary capsule and the digit in view.

use super::focus::Focus;
use crate::account::{self, Account};
use crate::text::{live, say};
use crate::{format, readout, text};
use leptos::prelude::*;

/// Everything that the formulas hold.
#[derive(Clone, PartialEq)]
struct Terms {
    /// The capsule, by type, row and column.
    place: (u32, u32, u32),
    /// The digit.
    class: u8,
    /// The iteration, and how many there are.
    rounds: (u8, u8),
    /// b, Σ eᵇ and c.
    softmax: (f32, f32, f32),
    /// û·ŝ of this capsule's vote, what it gives to ‖s‖, and ‖s‖.
    sum: Option<(f32, f32, f32)>,
    /// ‖v‖.
    length: f32,
    /// û·v.
    agreement: Option<f32>,
}

fn terms(focus: Focus) -> Option<Terms> {
    let ((reading, iteration), (capsule, _), class) = (focus.reading()?, focus.capsule.get()?, focus.class.get()?);
    let at = usize::from(class);
    let coupling = *readout::of_child(&reading, iteration, capsule).get(at)?;
    let logits = readout::logits_of_child(&reading, iteration, capsule);
    let votes = focus.votes.get();
    let sum = votes.as_ref().and_then(|votes| {
        let account = Account::of(votes, &reading, iteration);
        let given = *account.children.get(capsule as usize)?;
        let along = account::dot(account::vote(votes, capsule), account::sum(votes, &reading, iteration));
        Some((along / account.length.max(f32::MIN_POSITIVE), given, account.length))
    });
    let agreement = account::agreement(votes.as_deref(), &reading, iteration, capsule);
    Some(Terms {
        place: focus.grid.get().place(capsule),
        class,
        rounds: (iteration, reading.iterations),
        softmax: (*logits.get(at)?, logits.iter().map(|b| b.exp()).sum(), coupling),
        sum,
        length: *readout::lengths(&reading, iteration).get(at)?,
        agreement: agreement.and_then(|all| all.get(at).copied()),
    })
}

/// Four lines: softmax, weighted sum, squash, agreement.
#[component]
pub fn Working(
    /// What is in view.
    focus: Focus,
) -> impl IntoView {
    let terms = Memo::new(move |_| terms(focus));
    let heading = move || terms.with(|terms| Some(say!("working.title", t = terms.as_ref()?.rounds.0)));
    let whose = move || {
        terms.with(|terms| {
            let terms = terms.as_ref()?;
            let (of_type, row, column) = terms.place;
            Some(say!("working.whose", capsule = text::capsule_place(of_type, row, column), class = terms.class))
        })
    };
    let class = move || terms.with(|terms| terms.as_ref().map_or("j".to_string(), |terms| terms.class.to_string()));
    let number = move |of: fn(&Terms) -> Option<String>| move || terms.with(|terms| of(terms.as_ref()?));
    let softmax = number(|terms| {
        let (logit, sum, coupling) = terms.softmax;
        // Another procedure makes its coefficients otherwise; then they are only told.
        let is_softmax = (logit.exp() / sum - coupling).abs() < 1e-3;
        let worked = format!("exp({}) / {} = ", format::fixed(logit, 2), format::fixed(sum, 2));
        Some(format!("{}{}", if is_softmax { worked } else { String::new() }, format::fixed(coupling, 3)))
    });
    let sum = number(|terms| {
        let (along, given, length) = terms.sum?;
        let share = format::percent_of_one(given / length.max(f32::MIN_POSITIVE));
        let coupling = format::fixed(terms.softmax.2, 3);
        Some(say!(
            "working.gives",
            coupling = coupling,
            along = format::fixed(along, 2),
            given = format::signed(given, 3),
            length = format::fixed(length, 3),
            share = share
        ))
    });
    let squash = number(|terms| {
        let (_, _, length) = terms.sum?;
        let squared = length * length;
        let (above, below) = (format::fixed(squared, 2), format::fixed(1.0 + squared, 2));
        Some(format!("{above} / {below} = {}", format::fixed(terms.length, 3)))
    });
    let agreement = number(|terms| {
        let (agreement, logit) = (terms.agreement?, terms.softmax.0);
        let (logit, gain) = (format::fixed(logit, 2), agreement);
        if terms.rounds.0 >= terms.rounds.1 {
            return Some(say!("working.not_added", gain = format::signed(gain, 2)));
        }
        let next = format::fixed(terms.softmax.0 + gain, 2);
        let sign = if gain < 0.0 { "−" } else { "+" };
        Some(format!("{logit} {sign} {} = {next}", format::fixed(gain.abs(), 2)))
    });
    view! {
        <div class="working">
            <h3>{heading}</h3>
            <p class="note">{live!("working.note")} " " {whose}</p>
            <dl>
                <div>
                    <dt>{live!("working.softmax")}</dt>
                    <dd class="formula">
                        <i>"c"</i><sub>{class}</sub>" = e"<sup><i>"b"</i></sup>" / Σ"<sub>"k"</sub>" e"
                        <sup><i>"b"</i><sub>"k"</sub></sup>
                    </dd>
                    <dd class="number">{softmax}</dd>
                </div>
                <div>
                    <dt>{live!("working.sum")}</dt>
                    <dd class="formula"><b>"s"</b>" = Σ"<sub>"i"</sub>" "<i>"c"</i><sub>"i"</sub>" "<b>"û"</b><sub>"i"</sub>" + "<b>"β"</b></dd>
                    <dd class="number">{sum}</dd>
                </div>
                <div>
                    <dt>{live!("working.squash")}</dt>
                    <dd class="formula">"‖"<b>"v"</b>"‖ = ‖"<b>"s"</b>"‖² / (1 + ‖"<b>"s"</b>"‖²)"</dd>
                    <dd class="number">{squash}</dd>
                </div>
                <div>
                    <dt>{live!("working.agreement")}</dt>
                    <dd class="formula"><i>"b"</i>" ← "<i>"b"</i>" + "<b>"û"</b>"·"<b>"v"</b></dd>
                    <dd class="number">{agreement}</dd>
                </div>
            </dl>
        </div>
    }
}
