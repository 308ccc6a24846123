//! Which iteration is shown, and how many there are.

use super::procedure::Procedures;
use crate::address::MOST_ITERATIONS;
use crate::text::live;
use crate::view::explore::play;
use crate::view::parts::{Choice, Icon, Pick, Sign};
use crate::view::session::Session;

use leptos::{html, prelude::*};

/// Play, the iterations, and r.
#[component]
pub fn Scrubber(
    /// The session.
    session: Session,
) -> impl IntoView {
    let chosen = session.chosen;
    let slider = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        let (most, shown) = (chosen.iterations.get(), chosen.iteration.get());
        if let Some(slider) = slider.get() {
            // The end before the value: a browser cuts a value that lies beyond it.
            slider.set_max(&most.to_string());
            slider.set_value(&shown.to_string());
        }
    });
    let on_input = move |event| {
        if let Ok(iteration) = event_target_value(&event).parse() {
            show(session, iteration);
        }
    };
    let on_play = move |_| {
        if chosen.playing.get_untracked() {
            chosen.playing.set(false);
        } else {
            play(chosen);
        }
    };
    let sign = Signal::derive(move || if chosen.playing.get() { Sign::Pause } else { Sign::Play });
    let ticks = move || {
        let tick = |iteration: u8| {
            let is_shown = move || chosen.iteration.get() == iteration;
            view! { <span class="tick" class:shown=is_shown on:click=move |_| show(session, iteration)>{iteration}</span> }
        };
        (1..=chosen.iterations.get()).map(tick).collect_view()
    };
    let options = (1..=MOST_ITERATIONS).map(Choice::plain).collect::<Vec<_>>();
    let value = Signal::derive(move || chosen.iterations.get().to_string());
    let on_pick = move |value: String| {
        if let Ok(iterations) = value.parse() {
            chosen.untouched.set(false);
            chosen.route(iterations);
        }
    };
    view! {
        <div class="scrubber">
            <button
                type="button"
                class="sign"
                aria-label=live!("routing.play_routing")
                aria-pressed=move || if chosen.playing.get() { "true" } else { "false" }
                title=live!("routing.play_routing")
                on:click=on_play
            >
                <Icon sign/>
            </button>
            <label for="iteration">{live!("routing.iteration")}</label>
            <div class="scale" style:--steps=move || chosen.iterations.get().to_string()>
                <input node_ref=slider id="iteration" type="range" min="1" step="1" on:input=on_input/>
                <div class="ticks" aria-hidden="true">{ticks}</div>
            </div>
            <Pick label=live!("routing.routing_iterations") options value on_pick/>
            <Procedures session/>
        </div>
    }
}

/// Shows an iteration; a play is over then.
fn show(session: Session, iteration: u8) {
    session.chosen.playing.set(false);
    session.chosen.iteration.set(iteration);
}
