//! One dimension of the pose: a slider that marks the digit's own value, and the value to type.

use crate::text::live;
use crate::view::explore::{original, spread, swept_dimension};
use crate::view::latency::Mark;
use crate::view::parts::{Icon, Sign};
use crate::view::session::Session;
use crate::{format, pose, text};
use leptos::{html, prelude::*};

/// A slider over the values that the dimension takes for this digit's class.
#[component]
pub fn Dimension(
    /// The session.
    session: Session,
    /// Which dimension, from 0.
    of: usize,
) -> impl IntoView {
    let chosen = session.chosen;
    let own = Memo::new(move |_| original(session, of));
    let offset = Memo::new(move |_| chosen.offsets.with(|offsets| offsets[of]));
    let range = Memo::new(move |_| pose::range(chosen.span.get(), own.get().unwrap_or(0.0), spread(session, of)));
    let value = move || own.get().map(|own| if offset.get() == 0.0 { own } else { own + offset.get() });
    let slider = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        let ((low, high), value) = (range.get(), value().unwrap_or(0.0));
        if let Some(slider) = slider.get() {
            // The ends before the value: a browser cuts a value that lies beyond them. The shortest text of a number
            // reads back as the same number, so that what is not moved is not changed.
            slider.set_min(&low.to_string());
            slider.set_max(&high.to_string());
            slider.set_value(&value.to_string());
        }
    });
    let bend_to = move |value: Option<f32>| {
        if let (Some(value), Some(own)) = (value, own.get_untracked()) {
            chosen.bend(of, value - own);
        }
    };
    let straighten = move || chosen.bend(of, 0.0);
    let focus = move || {
        if chosen.dimension.get_untracked() != Some(of) {
            chosen.dimension.set(Some(of));
        }
    };
    let part = move |value: f32| {
        let (low, high) = range.get();
        format!("{}", ((value - low) / (high - low)).clamp(0.0, 1.0))
    };
    let curve = Memo::new(move |_| spread(session, of).map(|spread| pose::bell(range.get(), spread)));
    let bell = move || {
        curve.get().map(|path| {
            view! {
                <svg class="bell" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true"><path d=path/></svg>
            }
        })
    };
    let is_bent = move || offset.get() != 0.0;
    let told = move || value().map(|value| text::pose_value(value, offset.get()));
    let disabled = move || own.get().is_none();
    view! {
        <div
            class="dimension"
            class:bent=is_bent
            class:swept=move || swept_dimension(session) == of
            style:--own=move || own.get().map(part)
            style:--at=move || value().map(part)
        >
            <span class="number name" aria-hidden="true">{of + 1}</span>
            <div class="slide">
                {bell}
                <input
                    node_ref=slider
                    type="range"
                    step="any"
                    aria-label=live!("pose.dimension", number = of + 1)
                    aria-valuetext=told
                    disabled=disabled
                    on:input:target=move |event| {
                        session.latency.begin(Mark::Bend, &event);
                        bend_to(format::typed(&event.target().value()));
                    }
                    on:focus=move |_| focus()
                    on:dblclick=move |_| straighten()
                />
                <i class="own" aria-hidden="true"></i>
            </div>
            <button
                type="button"
                class="sign undo"
                aria-label=live!("pose.reset_dimension", number = of + 1)
                title=live!("pose.reset_dimension", number = of + 1)
                disabled=move || !is_bent()
                on:click=move |_| straighten()
            >
                <Icon sign=Sign::Reset/>
            </button>
            <input
                class="number typed"
                type="text"
                inputmode="decimal"
                autocomplete="off"
                aria-label=live!("pose.typed_value", number = of + 1)
                disabled=disabled
                prop:value=move || value().map(|value| format!("{value:.3}")).unwrap_or_default()
                on:focus=move |_| focus()
                on:change:target=move |event| bend_to(format::typed(&event.target().value()))
            />
        </div>
    }
}
