//! The button for a person's own picture, and why one was not taken.

use crate::text::live;
use crate::view::material;
use crate::view::session::Session;
use leptos::{html, prelude::*};

/// A button that opens the browser's choice of files.
#[component]
pub fn Choose(
    /// The session.
    session: Session,
) -> impl IntoView {
    let files = NodeRef::<html::Input>::new();
    let choose = move |_| {
        if let Some(files) = files.get() {
            files.click();
        }
    };
    let on_change = move |_| {
        let Some(input) = files.get() else { return };
        if let Some(file) = material::first_file(&input) {
            material::read(session, file);
        }
        // The same file can be chosen again.
        input.set_value("");
    };
    view! {
        <button type="button" on:click=choose>{live!("input.choose_picture")}</button>
        <input
            node_ref=files
            class="hidden"
            type="file"
            accept="image/png,image/jpeg,image/webp"
            tabindex="-1"
            aria-label=live!("input.picture_file")
            on:change=on_change
        />
    }
}

/// The sentence about a file that was not taken; it goes with the next one.
#[component]
pub fn Refusal(
    /// The session.
    session: Session,
) -> impl IntoView {
    view! {
        <p class="refusal" role="alert">{move || session.refused.get().map(|refused| refused.sentence())}</p>
    }
}
