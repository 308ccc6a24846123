//! The tour: eight cards that show the page by moving it.

mod arrange;
mod squash;

use super::session::Session;
use crate::text::{self, live, say};
use crate::tour::{Card, wrapped};
use crate::view::parts::{Icon, Sign};
use crate::view::playground;
use arrange::View;
use leptos::{
    ev::{self, KeyboardEvent},
    html,
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// The tour's state.
#[derive(Clone, Copy)]
pub struct Tour {
    session: Session,
    /// The card in view, by its place among [`Card::ALL`].
    card: RwSignal<Option<usize>>,
    before: StoredValue<Option<View>>,
}

impl Tour {
    /// No card is in view yet.
    pub fn new(session: Session) -> Self {
        Tour { session, card: RwSignal::new(None), before: StoredValue::new(None) }
    }

    fn begin(self) {
        if self.card.get_untracked().is_none() {
            self.before.set_value(Some(View::of(self.session)));
            self.go(0);
        }
    }

    fn go(self, place: usize) {
        let Some(card) = Card::ALL.get(place) else { return self.end() };
        arrange::arrange(self.session, *card);
        self.card.set(Some(place));
        // The card's own place and what it shows are laid out in the frame that comes.
        request_animation_frame(move || arrange::mark(Some(*card)));
    }

    fn end(self) {
        self.card.set(None);
        arrange::mark(None);
        if let Some(view) = self.before.get_value() {
            view.restore(self.session);
        }
        self.before.set_value(None);
        focus_on(START);
    }

    /// Ends it where votes can be dragged by hand.
    fn go_and_play(self) {
        self.end();
        // The person's own view, with its place on the page, is laid out in the frame that comes.
        request_animation_frame(|| {
            if let Some(panel) = document().get_element_by_id(playground::ID) {
                panel.scroll_into_view();
            }
            focus_on(playground::ID);
        });
    }
}

/// Id of the button.
const START: &str = "start-tour";

fn focus_on(id: &str) {
    let element = document().get_element_by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok());
    if let Some(element) = element {
        // Fails only for what cannot be focused, and a button can.
        let _ = element.focus();
    }
}

/// Starts the tour.
#[component]
pub fn StartTour(
    /// The tour.
    tour: Tour,
) -> impl IntoView {
    view! { <button type="button" id=START on:click=move |_| tour.begin()>{live!("tour.start")}</button> }
}

/// The card in view, at the lower edge of the window so that it covers nothing of what it speaks of.
#[component]
pub fn Cards(
    /// The tour.
    tour: Tour,
) -> impl IntoView {
    move || tour.card.get().map(|place| view! { <CardInView tour place/> })
}

#[component]
fn CardInView(
    /// The tour.
    tour: Tour,
    /// Which card.
    place: usize,
) -> impl IntoView {
    let card = Card::ALL[place];
    let dialog = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        if let Some(dialog) = dialog.get() {
            // Fails only for what cannot be focused, and this has a tabindex.
            let _ = dialog.focus();
        }
    });
    Effect::new(move |_| arrange::follow(tour.session, card));
    // Escape ends the tour also for who has clicked into the page, unless something there has used it.
    let listening = window_event_listener(ev::keydown, move |event| {
        if event.key() == "Escape" && !event.default_prevented() {
            tour.end();
        }
    });
    on_cleanup(move || listening.remove());
    let on_key = move |event: KeyboardEvent| {
        let in_slider = event.target().is_some_and(|target| target.has_type::<web_sys::HtmlInputElement>());
        match event.key().as_str() {
            "Escape" => tour.end(),
            "ArrowRight" if !in_slider => tour.go(place + 1),
            "ArrowLeft" if !in_slider && place > 0 => tour.go(place - 1),
            "Tab" => return keep_inside(&event, dialog.get()),
            _ => return,
        }
        event.prevent_default();
    };
    let is_last = place + 1 == Card::ALL.len();
    view! {
        <div
            node_ref=dialog
            class="tour"
            role="dialog"
            aria-labelledby="tour-title"
            aria-describedby="tour-text"
            tabindex="-1"
            data-card=card.name()
            on:keydown=on_key
        >
            <div class="row tour-head">
                <p class="quiet number">{live!("tour.place", number = place + 1, all = Card::ALL.len())}</p>
                <button type="button" class="sign" aria-label=live!("tour.close") title=live!("tour.close") on:click=move |_| tour.end()>
                    <Icon sign=Sign::Close/>
                </button>
            </div>
            <h2 id="tour-title">{move || text::named(&format!("tour.{}_title", card.name()))}</h2>
            <p id="tour-text">{move || text::named(&format!("tour.{}_text", card.name()))}</p>
            {(card == Card::Squash).then(|| view! { <squash::Squash session=tour.session/> })}
            {(card == Card::Capsule).then(|| {
                view! { <button type="button" class="plain by-hand" on:click=move |_| tour.go_and_play()>{live!("tour.by_hand")}</button> }
            })}
            <div class="row tour-ways">
                <button type="button" disabled=place == 0 on:click=move |_| tour.go(place.saturating_sub(1))>{live!("tour.back")}</button>
                <span class="dots" aria-hidden="true">
                    {(0..Card::ALL.len()).map(|of| view! { <i class:shown=of == place></i> }).collect_view()}
                </span>
                <button type="button" class="main" on:click=move |_| tour.go(place + 1)>
                    {move || if is_last { say!("tour.done") } else { say!("tour.next") }}
                </button>
            </div>
        </div>
    }
}

/// Leads Tab from the card's last control to its first, and back.
fn keep_inside(event: &KeyboardEvent, dialog: Option<web_sys::HtmlDivElement>) {
    let Some(dialog) = dialog else { return };
    let Ok(controls) = dialog.query_selector_all("button:not(:disabled), input") else { return };
    let controls: Vec<HtmlElement> =
        (0..controls.length()).filter_map(|at| controls.item(at)?.dyn_into::<HtmlElement>().ok()).collect();
    let focused = document().active_element();
    let at = controls.iter().position(|control| focused.as_ref().is_some_and(|f| control.is_same_node(Some(f))));
    if let Some(to) = wrapped(at, controls.len(), event.shift_key()) {
        event.prevent_default();
        let _ = controls[to].focus();
    }
}
