//! Test digits to pick from.

use crate::geometry::Arrow;
use crate::text::live;
use crate::view::chosen::{DIGIT_BYTES, Source};
use crate::view::parts::Cells;
use crate::view::session::Session;
use capscope_protocol::Digits;
use capscope_protocol::pixels::from_bytes;
use leptos::{html, prelude::*};
use std::sync::Arc;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

/// The test digits that come with the page, as a list of which one is chosen.
#[component]
pub fn Gallery(
    /// The session.
    session: Session,
) -> impl IntoView {
    let list = NodeRef::<html::Div>::new();
    // One digit can be reached by Tab; arrows go from there.
    let current = RwSignal::new(0usize);
    let on_key = move |event: KeyboardEvent| {
        let (Some(arrow), Some(list)) = (Arrow::of_key(&event.key()), list.get()) else { return };
        let count = list.child_element_count() as usize;
        let (right, down) = arrow.step();
        let across = digits_across(&list).max(1) as i32;
        let next = current.get_untracked().checked_add_signed((right + down * across) as isize);
        if let Some(next) = next.filter(|next| *next < count) {
            current.set(next);
            let digit = list.children().item(next as u32).and_then(|digit| digit.dyn_into::<HtmlElement>().ok());
            if let Some(digit) = digit {
                // Fails only for what cannot be focused, and a button can.
                let _ = digit.focus();
            }
        }
        event.prevent_default();
    };
    let digits = move || {
        let digits = session.gallery.get()?;
        let count = digits.indices.len();
        Some((0..count).map(|place| view! { <Digit session digits=digits.clone() place current/> }).collect_view())
    };
    view! {
        <h3>{live!("input.gallery")}</h3>
        <div node_ref=list class="gallery" role="listbox" aria-label=live!("input.gallery") on:keydown=on_key>{digits}</div>
    }
}

/// One digit of the gallery.
#[component]
fn Digit(
    /// The session.
    session: Session,
    /// All of them.
    digits: Arc<Digits>,
    /// Which.
    place: usize,
    /// The one that Tab reaches.
    current: RwSignal<usize>,
) -> impl IntoView {
    let index = digits.indices[place];
    let label = digits.labels.get(place).copied().unwrap_or_default();
    let bytes = digits.pixels.get(place * DIGIT_BYTES..(place + 1) * DIGIT_BYTES).unwrap_or_default();
    let values = Arc::new(from_bytes(bytes));
    let chosen = session.chosen;
    let is_chosen = move || matches!(chosen.source.get(), Source::Test(shown, _) if shown == index);
    let pick = move |_| {
        chosen.untouched.set(false);
        current.set(place);
        chosen.pick(&digits, place);
    };
    view! {
        <button
            type="button"
            role="option"
            aria-selected=move || if is_chosen() { "true" } else { "false" }
            aria-label=live!("input.test_digit", index = index, label = label)
            title=live!("input.test_digit", index = index, label = label)
            tabindex=move || if current.get() == place { "0" } else { "-1" }
            on:click=pick
        >
            <Cells columns=28 rows=28 values=Signal::stored(Some(values)) range=(0.0, 1.0) ramp=session.colours.ink/>
        </button>
    }
}

/// How many digits stand side by side, as the style sheet has laid them out.
fn digits_across(list: &HtmlElement) -> usize {
    let top = |at: u32| {
        let digit = list.children().item(at)?.dyn_into::<HtmlElement>().ok()?;
        Some(digit.offset_top())
    };
    (0..list.child_element_count()).take_while(|at| top(*at) == top(0)).count()
}
