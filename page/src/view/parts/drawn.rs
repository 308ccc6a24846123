//! A picture that is SVG text, as wide as its place.

use leptos::{ev, html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::MouseEvent;

/// The width of an element in pixels; `fallback` until it is on the screen. It follows the window.
pub fn width_of(element: NodeRef<html::Div>, fallback: f32) -> Signal<f32> {
    let width = RwSignal::new(fallback);
    let measure = move || {
        let now = element.get_untracked().map_or(0, |element| element.client_width()) as f32;
        if now > 0.0 && now != width.get_untracked() {
            width.set(now);
        }
    };
    Effect::new(move |_| {
        if element.get().is_some() {
            request_animation_frame(measure);
        }
    });
    let listening = window_event_listener(ev::resize, move |_| measure());
    on_cleanup(move || listening.remove());
    width.into()
}

/// Two layers of SVG, of which the upper one changes more often.
#[component]
pub fn Drawn(
    /// The lower layer.
    #[prop(into)]
    below: Signal<String>,
    /// The upper layer.
    #[prop(into)]
    above: Signal<String>,
) -> impl IntoView {
    view! {
        <div class="drawn" aria-hidden="true">
            <div inner_html=move || below.get()></div>
            <div class="above" inner_html=move || above.get()></div>
        </div>
    }
}

/// The place of the pointer in an element, in pixels from its upper left corner.
pub fn pointer_in(event: &MouseEvent) -> Option<(f32, f32)> {
    let element: web_sys::Element = event.current_target()?.dyn_into().ok()?;
    let on_screen = element.get_bounding_client_rect();
    let (x, y) = (f64::from(event.client_x()) - on_screen.left(), f64::from(event.client_y()) - on_screen.top());
    Some((x as f32, y as f32))
}
