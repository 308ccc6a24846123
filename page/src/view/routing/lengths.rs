//! The lengths of the digit capsules in every iteration; the longest is the answer.

use crate::text::{live, say};
use crate::view::parts::{FileKind, Save};
use crate::view::session::Session;
use crate::{format, plot, readout, text};
use capscope_protocol::Shown;
use leptos::prelude::*;

/// Ten groups of bars. A digit can be picked: the maps and the pose show it then.
#[component]
pub fn Lengths(
    /// The session.
    session: Session,
    /// The digit capsule in view.
    class: Memo<Option<u8>>,
) -> impl IntoView {
    let classes = move || session.reading.with(|reading| reading.as_ref().map_or(10, |r| readout::parents(r)));
    let winner = Memo::new(move |_| {
        session.reading.with(|reading| reading.as_ref().map(|r| readout::winner(r, session.chosen.iteration.get())))
    });
    let bars = move || (0..classes() as u8).map(|of| view! { <Digit session of class winner/> }).collect_view();
    let file = move || {
        let reading = session.reading.get_untracked()?;
        let rows: Vec<&[f32]> = (1..=reading.iterations).map(|round| readout::lengths(&reading, round)).collect();
        let shown = usize::from(session.chosen.iteration.get_untracked().min(reading.iterations).saturating_sub(1));
        let words = [say!("routing.lengths"), say!("routing.lengths_below")];
        let svg =
            plot::bars(&rows, shown, words.each_ref().map(String::as_str), &session.colours.tints.get_untracked());
        Some((session.file_name("lengths", FileKind::Svg.ending()), svg.into_bytes()))
    };
    let follows_winner = move || session.chosen.shown.get() == Shown::Longest;
    view! {
        <div class="row head">
            <div class="with-file">
                <h3>{live!("routing.lengths")}</h3>
                <Save what=live!("routing.lengths") kind=FileKind::Svg file/>
            </div>
            <button
                type="button"
                class="small"
                class:away=follows_winner
                on:click=move |_| session.chosen.show(Shown::Longest)
            >
                {live!("routing.follow_winner")}
            </button>
        </div>
        <p class="note">{live!("routing.lengths_note")}</p>
        <div class="lengths" role="group" aria-label=live!("routing.lengths")>
            <div class="axis number" aria-hidden="true"><span>"1"</span><span>"0.5"</span><span>"0"</span></div>
            {bars}
        </div>
    }
}

/// One digit's bars.
#[component]
fn Digit(
    /// The session.
    session: Session,
    /// The digit.
    of: u8,
    /// The digit capsule in view.
    class: Memo<Option<u8>>,
    /// The longest one in the iteration shown.
    winner: Memo<Option<u8>>,
) -> impl IntoView {
    let iteration = session.chosen.iteration;
    let length = move |iteration: u8| {
        session
            .reading
            .with(|reading| reading.as_ref().and_then(|r| readout::lengths(r, iteration).get(of as usize).copied()))
    };
    let rounds = Memo::new(move |_| session.reading.with(|r| r.as_ref().map_or(3, |r| r.iterations)));
    let bar = move |of_iteration: u8| {
        let height = move || format!("{}%", 100.0 * length(of_iteration).unwrap_or(0.0).clamp(0.0, 1.0));
        let is_shown = move || iteration.get().min(rounds.get()) == of_iteration;
        view! { <i class:shown=is_shown style:height=height></i> }
    };
    let bars = move || (1..=rounds.get()).map(bar).collect_view();
    let shown_length = move || length(iteration.get()).map(|length| format::fixed(length, 2));
    let wins = move || winner.get() == Some(of);
    let in_view = move || class.get() == Some(of);
    let name = move || text::bar(of, shown_length().as_deref().unwrap_or("–"), wins());
    let pick = move |_| {
        // Picking the digit in view once more goes back to following the longest.
        let again = session.chosen.shown.get_untracked() == Shown::Class(of);
        session.chosen.show(if again { Shown::Longest } else { Shown::Class(of) });
    };
    view! {
        <button
            type="button"
            class="bar-group"
            class:wins=wins
            class:in-view=in_view
            title=name
            aria-pressed=move || if in_view() { "true" } else { "false" }
            on:click=pick
        >
            <span class="hidden">{name}</span>
            <span class="number value" aria-hidden="true">{shown_length}</span>
            <span class="bars" aria-hidden="true">{bars}</span>
            <span class="digit-name" aria-hidden="true">{of}</span>
        </button>
    }
}
