//! Share: the address of what is in view, copied, and the way to put it into another page.

use super::browser;
use super::chosen::Source;
use super::parts::{Icon, Sign};
use super::session::Session;
use crate::address::Address;
use crate::drawing::Drawing;
use crate::text::{live, say};
use leptos::{ev, html, prelude::*};
use web_sys::KeyboardEvent;

/// From a figure in another page to the same view on a page of its own.
#[component]
pub fn Home(
    /// The session.
    session: Session,
) -> impl IntoView {
    let whole = move || browser::address(&Address { embed: false, ..session.chosen.address() }.query());
    session.chosen.embed.then(|| view! { <a href=whole target="_blank" rel="noopener">{live!("share.whole_page")}</a> })
}

/// What became of the address.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shared {
    address: String,
    /// Whether the browser has taken it into its clipboard; `None`: not yet known.
    copied: Option<bool>,
    /// Whether a drawing had to be left out.
    without_drawing: bool,
}

/// The button, and what it tells.
#[component]
pub fn Share(
    /// The session.
    session: Session,
) -> impl IntoView {
    let shared = RwSignal::new(None::<Shared>);
    let button = NodeRef::<html::Button>::new();
    let on_share = move |_| {
        let address = browser::address(&session.chosen.address().query());
        let chosen = session.chosen;
        let is_drawn = chosen.source.get_untracked() == Source::Drawn;
        let without_drawing = is_drawn && chosen.strokes.with_untracked(|strokes| Drawing::of(strokes).is_none());
        shared.set(Some(Shared { address: address.clone(), copied: None, without_drawing }));
        browser::copy(address, move |copied| {
            shared.update(|shared| {
                if let Some(shared) = shared {
                    shared.copied = Some(copied);
                }
            });
        });
    };
    let close = move || {
        shared.set(None);
        if let Some(button) = button.get_untracked() {
            // Fails only for what cannot be focused, and a button can.
            let _ = button.focus();
        }
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" && shared.with_untracked(Option::is_some) {
            event.stop_propagation();
            close();
        }
    };
    view! {
        <div class="share" on:keydown=on_key>
            <button
                node_ref=button
                type="button"
                aria-expanded=move || if shared.with(Option::is_some) { "true" } else { "false" }
                on:click=on_share
            >
                {live!("share.share")}
            </button>
            <Show when=move || shared.with(Option::is_some)>
                <div class="shared" role="group" aria-label=live!("share.title")>
                    <button type="button" class="sign" aria-label=live!("share.close") on:click=move |_| close()>
                        <Icon sign=Signal::derive(|| Sign::Close)/>
                    </button>
                    <p role="status">{move || shared.get().map(|shared| told(&shared))}</p>
                    <Field label=live!("share.address") text=Signal::derive(move || {
                        shared.with(|shared| shared.as_ref().map(|shared| shared.address.clone()).unwrap_or_default())
                    })/>
                    <Field label=live!("share.embed") text=Signal::derive(move || {
                        shared.with(|shared| shared.as_ref().map(|shared| frame(&shared.address)).unwrap_or_default())
                    })/>
                    <p class="note">{live!("share.note")}</p>
                </div>
            </Show>
        </div>
    }
}

/// What is said of it.
fn told(shared: &Shared) -> String {
    let copied = match shared.copied {
        None => String::new(),
        Some(true) => say!("share.copied"),
        Some(false) => say!("share.not_copied"),
    };
    if shared.without_drawing { format!("{copied} {}", say!("share.without_drawing")) } else { copied }
}

/// The view as a figure of another page.
fn frame(address: &str) -> String {
    let joint = if address.contains('?') { '&' } else { '?' };
    format!("<iframe src=\"{address}{joint}embed=1\" width=\"1100\" height=\"900\" title=\"Capscope\"></iframe>")
}

/// A text to be copied by hand.
#[component]
fn Field(
    /// Its name.
    #[prop(into)]
    label: Signal<String>,
    /// The text.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    let select = |event: ev::FocusEvent| event_target::<web_sys::HtmlInputElement>(&event).select();
    view! {
        <label class="field">
            <span>{label}</span>
            <input type="text" readonly prop:value=text on:focus=select/>
        </label>
    }
}
