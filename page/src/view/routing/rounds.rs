//! The iterations side by side: entropy, the longest capsule and its length.

use crate::text::{live, say};
use crate::view::session::Session;
use crate::{format, readout, text};
use leptos::prelude::*;

/// A small table with a column for each iteration, and what it says in a sentence.
#[component]
pub fn Rounds(
    /// The session.
    session: Session,
) -> impl IntoView {
    let chosen = session.chosen;
    let rounds = Memo::new(move |_| session.reading.with(|r| r.as_ref().map_or(3, |r| r.iterations)));
    let column = move |read: fn(&capscope_protocol::Reading, u8) -> String| {
        move || {
            let cell = |iteration: u8| {
                let text = move || session.reading.with(|r| r.as_ref().map(|r| read(r, iteration)));
                let shown = move || chosen.iteration.get().min(rounds.get()) == iteration;
                view! { <td class="number" class:shown=shown>{text}</td> }
            };
            (1..=rounds.get()).map(cell).collect_view()
        }
    };
    let head = move || (1..=rounds.get()).map(|n| view! { <th scope="col">{n}</th> }).collect_view();
    let entropy = |reading: &capscope_protocol::Reading, iteration: u8| {
        format::fixed(reading.entropy[usize::from(iteration.clamp(1, reading.iterations)) - 1], 3)
    };
    let weighted = |reading: &capscope_protocol::Reading, iteration: u8| {
        format::fixed(readout::weighted_entropy(reading, iteration.clamp(1, reading.iterations)), 3)
    };
    let change_of = |reading: &capscope_protocol::Reading, iteration: u8| match iteration {
        1 => "–".to_string(),
        _ if readout::turned(reading, iteration) => say!("routing.winner_turned"),
        _ => say!("routing.winner_same"),
    };
    let longest = |reading: &capscope_protocol::Reading, iteration: u8| readout::winner(reading, iteration).to_string();
    let length = |reading: &capscope_protocol::Reading, iteration: u8| {
        let longest = readout::winner(reading, iteration) as usize;
        format::fixed(readout::lengths(reading, iteration)[longest], 2)
    };
    let sentence = move || {
        session.reading.with(|reading| {
            let reading = reading.as_ref()?;
            let shown = chosen.iteration.get().clamp(1, reading.iterations);
            let now = reading.entropy[usize::from(shown) - 1];
            let most = (readout::parents(reading) as f32).ln();
            Some(say!(
                "routing.entropy_sentence",
                now = format::fixed(now, 3),
                parents = readout::parents(reading),
                most = format::fixed(most, 3)
            ))
        })
    };
    let change = move || {
        session.reading.with(|reading| {
            let reading = reading.as_ref()?;
            Some(text::winner_changed(readout::settled_at(reading), readout::winner(reading, 1), reading.winner))
        })
    };
    view! {
        <p class="note rounds-note">{sentence}" "{change}</p>
        <div class="scroll">
            <table class="rounds">
                <thead><tr><th scope="col">{live!("routing.iteration")}</th>{head}</tr></thead>
                <tbody>
                    <tr><th scope="row">{live!("routing.entropy")}</th>{column(entropy)}</tr>
                    <tr><th scope="row">{live!("routing.entropy_weighted")}</th>{column(weighted)}</tr>
                    <tr><th scope="row">{live!("routing.longest")}</th>{column(longest)}</tr>
                    <tr><th scope="row">{live!("routing.its_length_short")}</th>{column(length)}</tr>
                    <tr><th scope="row">{live!("routing.changed")}</th>{column(change_of)}</tr>
                </tbody>
            </table>
        </div>
    }
}
