//! The squash as a curve with a point to drag, and the digit capsules in view on it.

use crate::geometry::place_in_box;
use crate::text::live;
use crate::tour::{LONGEST_SUM, on_plot, squash_path, squashed, unsquashed};
use crate::view::session::Session;
use crate::{format, readout};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::PointerEvent;

/// The plot, its point and its slider.
#[component]
pub fn Squash(
    /// The session.
    session: Session,
) -> impl IntoView {
    let sum = RwSignal::new(1.0f64);
    let dragged = StoredValue::new(false);
    let take = move |event: &PointerEvent| {
        if let Some(across) = across(event) {
            sum.set((LONGEST_SUM * across.clamp(0.0, 1.0) * 100.0).round() / 100.0);
        }
    };
    let on_down = move |event: PointerEvent| {
        dragged.set_value(true);
        if let Some(plot) = event.current_target().and_then(|plot| plot.dyn_into::<web_sys::Element>().ok()) {
            // Without capture the drag ends at the plot's edge; the plot works all the same.
            let _ = plot.set_pointer_capture(event.pointer_id());
        }
        take(&event);
    };
    let on_move = move |event: PointerEvent| {
        if dragged.get_value() {
            take(&event);
        }
    };
    let place = move || on_plot(sum.get());
    let point = move || {
        let (x, y) = place();
        format!("M{x:.1} {y:.1}h0")
    };
    let guides = move || {
        let (x, y) = place();
        format!("M{x:.1} 1000V{y:.1}H0")
    };
    let capsules = move || {
        session.reading.with(|reading| {
            let lengths = reading.as_ref().map(|r| readout::lengths(r, session.chosen.iteration.get()).to_vec());
            let dot = |length: f32| {
                let (x, y) = on_plot(unsquashed(length.into()));
                view! { <path class="capsule-dot" d=format!("M{x:.1} {y:.1}h0")/> }
            };
            lengths.unwrap_or_default().into_iter().map(dot).collect_view()
        })
    };
    let number = |value: f64| format::fixed(value as f32, 2);
    view! {
        <div class="squash">
            <svg
                viewBox="0 0 1000 1000"
                preserveAspectRatio="none"
                aria-hidden="true"
                on:pointerdown=on_down
                on:pointermove=on_move
                on:pointerup=move |_| dragged.set_value(false)
                on:pointercancel=move |_| dragged.set_value(false)
            >
                <path class="grid" d="M0 0H1000M0 500H1000M0 1000H1000"/>
                <path class="guide" d=guides/>
                <path class="squash-curve" d=squash_path()/>
                {capsules}
                <path class="point" d=point/>
            </svg>
            <label class="squash-slider">
                <span>{live!("tour.squash_before")}</span>
                <input
                    type="range"
                    min="0"
                    max=LONGEST_SUM
                    step="0.01"
                    prop:value=move || sum.get().to_string()
                    on:input:target=move |event| {
                        if let Ok(value) = event.target().value().parse() {
                            sum.set(value);
                        }
                    }
                />
            </label>
            <p class="number" role="status">
                {live!("tour.squash_numbers", before = number(sum.get()), after = number(squashed(sum.get())))}
            </p>
            <p class="note">{live!("tour.squash_dots")}</p>
        </div>
    }
}

/// How far across the plot the pointer is.
fn across(event: &PointerEvent) -> Option<f64> {
    let plot: web_sys::Element = event.current_target()?.dyn_into().ok()?;
    let on_screen = plot.get_bounding_client_rect();
    let pointer = (f64::from(event.client_x()), f64::from(event.client_y()));
    let (x, _) = place_in_box(pointer, on_screen.left(), on_screen.top(), on_screen.width(), on_screen.height());
    Some(x.into())
}
