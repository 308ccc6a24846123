//! The digit moved before it is read: four sliders, and what becomes of the pose on the way.

use crate::equivariance::{IN_FILE, MARKED, ON_PAGE};
use crate::format;
use crate::moves::{Axis, most_moving};
use crate::text::{live, say};
use crate::view::latency::Mark;
use crate::view::parts::{FileKind, Numbers, Save, Table};
use crate::view::session::Session;
use crate::view::surveys::plot;
use leptos::{html, prelude::*};

/// The sliders and the plot.
#[component]
pub fn Moves(
    /// The session.
    session: Session,
) -> impl IntoView {
    let chosen = session.chosen;
    let is_moved = Memo::new(move |_| Axis::ALL.iter().any(|axis| axis.of(&chosen.transform.get()) != axis.rest()));
    view! {
        <div class="row title moves-title">
            <h3>{live!("input.moves")}</h3>
            <button type="button" class="plain" disabled=move || !is_moved.get() on:click=move |_| chosen.put_back()>
                {live!("input.put_back")}
            </button>
        </div>
        <div class="moves" role="group" aria-label=live!("input.moves")>
            {Axis::ALL.map(|axis| view! { <Slider session axis/> })}
        </div>
        <Equivariance session/>
    }
}

/// A slider's name.
fn name(axis: Axis) -> String {
    match axis {
        Axis::ShiftX => say!("input.shift_x"),
        Axis::ShiftY => say!("input.shift_y"),
        Axis::Rotate => say!("input.rotate"),
        Axis::Scale => say!("input.scale"),
    }
}

/// A slider's value with its unit.
fn with_unit(axis: Axis, value: f32) -> String {
    let number = if axis == Axis::Scale {
        format::fixed(value, axis.decimals())
    } else {
        format::signed(value, axis.decimals())
    };
    match axis {
        Axis::ShiftX | Axis::ShiftY => say!("input.pixels", number = number),
        Axis::Rotate => say!("input.degrees", number = number),
        Axis::Scale => say!("input.factor", number = number),
    }
}

/// One slider; a double click puts it back.
#[component]
fn Slider(
    /// The session.
    session: Session,
    /// Which.
    axis: Axis,
) -> impl IntoView {
    let chosen = session.chosen;
    let value = Memo::new(move |_| axis.of(&chosen.transform.get()));
    let (low, high) = axis.range();
    let slider = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(slider) = slider.get() {
            slider.set_value(&value.get().to_string());
        }
    });
    let part = move || ((value.get() - low) / (high - low)).to_string();
    view! {
        <label class="move" class:moved=move || value.get() != axis.rest() style:--at=part>
            <span>{move || name(axis)}</span>
            <input
                node_ref=slider
                type="range"
                min=low
                max=high
                step=axis.step()
                aria-label=move || name(axis)
                aria-valuetext=move || with_unit(axis, value.get())
                on:input:target=move |event| {
                    session.latency.begin(Mark::Move, &event);
                    if let Some(value) = format::typed(&event.target().value()) {
                        chosen.move_digit(axis, value);
                    }
                }
                on:dblclick=move |_| chosen.move_digit(axis, axis.rest())
            />
            <span class="number">{move || with_unit(axis, value.get())}</span>
        </label>
    }
}

/// The pose of the capsule in view against the slider last moved.
#[component]
fn Equivariance(
    /// The session.
    session: Session,
) -> impl IntoView {
    let shown = Memo::new(move |_| plot(session));
    // The numbers beside the lines are named with their lines, most moving first.
    let named = move || {
        let (plot, ..) = shown.get()?;
        let most = most_moving(&plot.poses, plot.dims);
        let one = |(dim, travel): &(usize, f32)| {
            say!("input.dimension_travel", number = dim + 1, travel = format::fixed(*travel, 2))
        };
        Some(most.iter().take(MARKED).map(one).collect::<Vec<_>>().join(", "))
    };
    let title = move || match shown.get() {
        Some((_, axis, class, _)) => say!("input.pose_against", class = class, slider = name(axis)),
        None => say!("input.equivariance"),
    };
    let lengths = move || {
        let (.., class, (low, high)) = shown.get()?;
        let [low, high] = [low, high].map(|length| format::fixed(length, 2));
        Some(say!("input.lengths_on_the_way", class = class, low = low, high = high))
    };
    let picture = move || shown.get().map(|(plot, ..)| plot.svg(&ON_PAGE)).unwrap_or_default();
    let told = move || named().map_or_else(title, |most| say!("input.plot_told", title = title(), most = most));
    let file = move || {
        let (plot, ..) = shown.get_untracked()?;
        Some((session.file_name("pose-against-slider", FileKind::Svg.ending()), plot.svg(&IN_FILE).into_bytes()))
    };
    let table = move || {
        let (plot, axis, ..) = shown.get()?;
        let row = |(place, pose): (f32, &[f32])| {
            (with_unit(axis, place), pose.iter().map(|value| format::fixed(*value, 3)).collect())
        };
        Some(Table {
            caption: title(),
            head: std::iter::once(name(axis)).chain((1..=plot.dims).map(|dim| dim.to_string())).collect(),
            rows: axis.places().into_iter().zip(plot.poses.chunks_exact(plot.dims)).map(row).collect(),
        })
    };
    view! {
        <div class="equivariance" class:waits=move || shown.get().is_none()>
            <Show
                when=move || shown.get().is_some()
                fallback=move || view! { <p class="note">{live!("input.equivariance_note")}</p> }
            >
                <div class="head">
                    <h4>{title}</h4>
                    <Save what=live!("input.plot") kind=FileKind::Svg file=file/>
                </div>
                <div class="plot-svg" role="img" aria-label=told inner_html=picture></div>
                <p class="note">
                    {live!("input.moves_most")} " " <b class="number">{named}</b> "." <br/> {lengths}
                </p>
                <Numbers summary=live!("input.plot_numbers") table/>
            </Show>
        </div>
    }
}
