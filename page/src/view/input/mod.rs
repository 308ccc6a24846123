//! The digit: drawn, picked from the test set, and as the network reads it.

mod gallery;
mod moves;
mod own;
mod pad;
mod prediction;
mod second;

use super::chosen::Source;
use super::material;
use super::parts::{Cells, Numbers, Table};
use super::session::Session;
use crate::address::TEST_DIGITS;
use crate::format;
use crate::text::{live, say};
use capscope_protocol::Command;
use leptos::ev::DragEvent;
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
    let hovers = RwSignal::new(false);
    let on_drag = move |event: DragEvent| {
        // Without this the browser opens the file in the place of the page.
        event.prevent_default();
        hovers.set(true);
    };
    let on_drop = move |event: DragEvent| {
        event.prevent_default();
        hovers.set(false);
        if let Some(file) = material::first_brought(&event, "dataTransfer") {
            material::read(session, file);
        }
    };
    material::take_pasted(session);
    let source = move || match session.chosen.source.get() {
        Source::Blank => say!("input.draw_a_digit"),
        Source::Test(index, label) => say!("input.test_digit", index = index, label = label),
        Source::Drawn => say!("input.drawn"),
        Source::Own { inverted, size: [width, height] } => {
            let [width, height] = [width, height].map(|side| format::grouped(side.into()));
            if inverted {
                say!("input.own_inverted", width = width, height = height)
            } else {
                say!("input.own_picture", width = width, height = height)
            }
        }
    };
    let seen = move || {
        let pixels = session.chosen.pixels.get()?;
        Some(Table::of_cells(say!("input.seen"), 28, &pixels, 2, |row| (row + 1).to_string()))
    };
    view! {
        <section
            class="input"
            class:offers=move || hovers.get()
            aria-label=live!("input.title")
            on:dragover=on_drag
            on:dragleave=move |_| hovers.set(false)
            on:drop=on_drop
        >
            <h2>{live!("input.title")}</h2>
            <pad::Pad session/>
            <div class="row tools">
                <button type="button" on:click=move |_| session.chosen.clear(session)>{live!("input.clear")}</button>
                <button type="button" on:click=random>{live!("input.random_digit")}</button>
                <own::Choose session/>
            </div>
            <own::Refusal session/>
            <prediction::Prediction session/>
            <div class="row seen">
                <Cells
                    columns=28
                    rows=28
                    values=session.chosen.pixels
                    range=(0.0, 1.0)
                    ramp=session.colours.ink
                    label=live!("input.seen")
                    told=2
                />
                <p class="note"><b>{source}</b>" "{live!("input.seen_note")}</p>
            </div>
            <Numbers summary=live!("input.seen_numbers") table=seen/>
            <second::Second session/>
            <gallery::Gallery session/>
            <moves::Moves session/>
        </section>
    }
}
