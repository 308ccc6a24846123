//! What the network makes of the digit.

use crate::text::{live, say};
use crate::view::chosen::Source;
use crate::view::session::Session;
use crate::{format, readout, text};
use capscope_protocol::Network;
use leptos::prelude::*;

/// The longest digit capsule, its length and the runner-up. It is told aloud when it changes.
#[component]
pub fn Prediction(
    /// The session.
    session: Session,
) -> impl IntoView {
    let untrained = Memo::new(move |_| {
        session.chosen.network.get() == Network::Yours && session.steps_of_yours().unwrap_or(0) == 0
    });
    let winner = Memo::new(move |_| {
        let reading = session.reading.get().filter(|_| !untrained.get())?;
        Some((reading.winner, readout::runner_up(&reading)))
    });
    let length = move |class: u8| {
        session.reading.with(|reading| {
            let reading = reading.as_ref()?;
            Some(format::fixed(*readout::lengths(reading, reading.iterations).get(class as usize)?, 2))
        })
    };
    let label = move || match session.chosen.source.get() {
        Source::Test(_, label) => Some(label),
        Source::Blank | Source::Drawn | Source::Own { .. } => None,
    };
    let verdict = move || {
        let (winner, label) = (winner.get()?.0, label()?);
        let right = winner == label;
        Some(view! { <span class:wrong=!right>{text::verdict(right, label)}</span> })
    };
    let nothing = move || {
        if session.chosen.source.get() == Source::Blank {
            say!("input.nothing_drawn")
        } else if untrained.get() {
            say!("input.untrained")
        } else if session.problems.with(Vec::is_empty) {
            say!("input.reading")
        } else {
            say!("input.not_read")
        }
    };
    view! {
        <div class="prediction" role="status" aria-live="polite" aria-label=live!("input.prediction")>
            {move || match winner.get() {
                Some((class, runner_up)) => view! {
                    <span class="digit">{class}</span>
                    <p>
                        {say!("input.read_as", digit = text::name_of_digit(class))} " "
                        <b class="number" aria-live="off">{move || length(class)}</b>
                        <br/>
                        <span class="quiet">
                            {runner_up.map(|class| say!("input.runner_up", class = class))} " "
                            <span class="number">{move || runner_up.and_then(length)}</span>
                        </span>
                        <br/>
                        <span class="quiet">{verdict}</span>
                    </p>
                }
                .into_any(),
                None => view! { <span class="digit">"–"</span><p class="quiet">{nothing}</p> }.into_any(),
            }}
        </div>
    }
}
