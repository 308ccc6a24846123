//! The digit: drawn, picked from the test set, and as the network reads it.

mod gallery;
mod pad;
mod prediction;

use super::chosen::Source;
use super::parts::Cells;
use super::session::Session;
use crate::page::{address::TEST_DIGITS, text};
use crate::protocol::Command;
use leptos::prelude::*;

/// The panel of the digit.
#[component]
pub fn Input(
    /// The session.
    session: Session,
) -> impl IntoView {
    let random = move |_| {
        let digit = (js_sys::Math::random() * f64::from(TEST_DIGITS)) as u32;
        session.chosen.untouched.set(false);
        session.chosen.wanted_digit.set(Some(digit));
        session.send(&Command::TestDigits(vec![digit]));
    };
    let source = move || match session.chosen.source.get() {
        Source::Blank => text::DRAW_A_DIGIT.to_string(),
        Source::Test(index, label) => text::test_digit(index, label),
        Source::Drawn => text::DRAWN.to_string(),
    };
    view! {
        <section class="input" aria-label=text::INPUT>
            <h2>{text::INPUT}</h2>
            <pad::Pad session/>
            <div class="row tools">
                <button type="button" on:click=move |_| session.chosen.clear(session)>{text::CLEAR}</button>
                <button type="button" on:click=random>{text::RANDOM_DIGIT}</button>
            </div>
            <prediction::Prediction session/>
            <div class="row seen">
                <Cells
                    columns=28
                    rows=28
                    values=session.chosen.pixels
                    range=(0.0, 1.0)
                    ramp=session.colours.ink
                    label=Signal::derive(|| text::SEEN.to_string())
                    told=2
                />
                <p class="note"><b>{source}</b>" "{text::SEEN_NOTE}</p>
            </div>
            <gallery::Gallery session/>
        </section>
    }
}
