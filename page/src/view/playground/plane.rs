//! A parent's plane: the drawing, and over it a handle for each vote, to drag or to move by the arrow keys.

use super::{Play, drawn};
use crate::format;
use crate::geometry::{Arrow, place_in_box};
use crate::playground::picture::{PLANE, letter, place, plane, point_at};
use crate::playground::{CHILDREN, Point, length};
use crate::text::{live, say};
use leptos::{html, prelude::*};
use web_sys::{KeyboardEvent, PointerEvent};

/// How far an arrow key moves a vote.
const KEY_STEP: f64 = 0.05;

/// How far it moves it with Shift.
const LONG_STEP: f64 = 0.25;

/// The plane of a parent.
#[component]
pub fn Plane(
    /// The playground.
    play: Play,
    /// Which parent.
    parent: usize,
) -> impl IntoView {
    let ground = NodeRef::<html::Div>::new();
    let tints = play.session.colours.tints;
    let drawing = move || drawn(PLANE, &plane(&play.votes.get(), &play.course.get(), parent, &tints.get()));
    let pose = move || play.course.get().last().map_or(0.0, |last| length(last.poses[parent]));
    view! {
        <figure class="plane">
            <figcaption>
                {live!("playground.plane", parent = letter(parent))}
                <b class="number">{move || format!("‖v‖ = {:.2}", pose())}</b>
            </figcaption>
            <div class="ground" node_ref=ground role="group" aria-label=live!("playground.plane", parent = letter(parent))>
                <div class="drawing" aria-hidden="true" inner_html=drawing></div>
                {(0..CHILDREN).map(|child| view! { <Handle play ground child parent/> }).collect_view()}
            </div>
        </figure>
    }
}

/// The handle of a vote.
#[component]
fn Handle(
    /// The playground.
    play: Play,
    /// The plane.
    ground: NodeRef<html::Div>,
    /// Whose vote.
    child: usize,
    /// For whom.
    parent: usize,
) -> impl IntoView {
    // Which pointer drags, and by how much it has missed the vote's own place.
    let drag = StoredValue::new(None::<(i32, Point)>);
    let handle = NodeRef::<html::Button>::new();
    let vote = move || play.votes.with_untracked(|votes| votes[child][parent]);
    let on_down = move |event: PointerEvent| {
        let (Some(handle), Some(at)) = (handle.get_untracked(), under(&event, ground)) else { return };
        if event.button() == 0 && drag.get_value().is_none() {
            // Without capture a fast drag ends early; it works all the same.
            let _ = handle.set_pointer_capture(event.pointer_id());
            let own = vote();
            drag.set_value(Some((event.pointer_id(), [own[0] - at[0], own[1] - at[1]])));
        }
    };
    let on_move = move |event: PointerEvent| {
        let Some((_, missed)) = drag.get_value().filter(|(pointer, _)| *pointer == event.pointer_id()) else { return };
        if let Some(at) = under(&event, ground) {
            play.put(child, parent, [at[0] + missed[0], at[1] + missed[1]]);
        }
    };
    let on_end = move |event: PointerEvent| {
        if drag.get_value().is_some_and(|(pointer, _)| pointer == event.pointer_id()) {
            drag.set_value(None);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let Some(arrow) = Arrow::of_key(&event.key()) else { return };
        event.prevent_default();
        let step = if event.shift_key() { LONG_STEP } else { KEY_STEP };
        let ((right, down), [x, y]) = (arrow.step(), vote());
        // To the nearest step, so that many of them add up to no fraction.
        let moved = |at: f64, by: i32| ((at + step * f64::from(by)) / KEY_STEP).round() * KEY_STEP;
        play.put(
            child,
            parent,
            [if right == 0 { x } else { moved(x, right) }, if down == 0 { y } else { moved(y, -down) }],
        );
    };
    let label = move || {
        let [x, y] = play.votes.with(|votes| votes[child][parent]).map(|at| format::fixed(at as f32, 2));
        let coupling = play.course.with(|course| course.last().map_or(0.0, |last| last.couplings[child][parent]));
        let coupling = format::fixed(coupling as f32, 2);
        say!("playground.vote", child = child + 1, parent = letter(parent), x = x, y = y, coupling = coupling)
    };
    let style = move || {
        let (x, y) = place(play.votes.with(|votes| votes[child][parent]));
        format!("left:{:.2}%;top:{:.2}%", 100.0 * x / PLANE.0, 100.0 * y / PLANE.1)
    };
    view! {
        <button
            node_ref=handle
            type="button"
            class="handle"
            aria-label=label
            aria-describedby="playground-keys"
            style=style
            on:pointerdown=on_down
            on:pointermove=on_move
            on:pointerup=on_end
            on:pointercancel=on_end
            on:lostpointercapture=on_end
            on:keydown=on_key
        ></button>
    }
}

/// The point of the plane under the pointer.
fn under(event: &PointerEvent, ground: NodeRef<html::Div>) -> Option<Point> {
    let on_screen = ground.get_untracked()?.get_bounding_client_rect();
    let pointer = (f64::from(event.client_x()), f64::from(event.client_y()));
    Some(point_at(place_in_box(pointer, on_screen.left(), on_screen.top(), on_screen.width(), on_screen.height())))
}
