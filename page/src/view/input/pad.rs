//! The pad: a pen, a finger or the arrow keys put ink on it. Strokes are kept as lines; nothing is read back from the
//! screen.

use crate::geometry::{Arrow, place_in_box};
use crate::text::live;
use crate::view::chosen::Source;
use crate::view::latency::Mark;
use crate::view::parts::Cells;
use crate::view::session::Session;
use capscope_ink::{PEN_WIDTH, Point, SIDE, Stroke};
use leptos::{ev, html, prelude::*};
use std::fmt::Write;
use wasm_bindgen::JsCast;
use web_sys::{KeyboardEvent, PointerEvent};

/// A point nearer to the last one than this part of the pad adds nothing.
const NEAR: f32 = 0.004;

/// How far an arrow key moves the cursor, as a part of the pad.
const KEY_STEP: f32 = 0.05;

/// The pad.
#[component]
pub fn Pad(
    /// The session.
    session: Session,
) -> impl IntoView {
    let chosen = session.chosen;
    let pad = NodeRef::<html::Div>::new();
    let pen = StoredValue::new(None::<i32>);
    let on_down = move |event: PointerEvent| {
        if pen.get_value().is_some() || event.button() != 0 {
            return;
        }
        let (Some(pad), Some(point)) = (pad.get(), point(&event)) else { return };
        // Without capture the stroke ends at the pad's edge; the pad works all the same.
        let _ = pad.set_pointer_capture(event.pointer_id());
        pen.set_value(Some(event.pointer_id()));
        session.latency.begin(Mark::Draw, &event);
        chosen.draw(session, |strokes| strokes.push(Stroke { points: vec![point] }));
    };
    let on_move = move |event: PointerEvent| {
        if pen.get_value() == Some(event.pointer_id()) {
            let points = points_since_last_event(&event);
            session.latency.begin(Mark::Draw, &event);
            chosen.draw(session, |strokes| extend(strokes, points));
        }
    };
    let on_end = move |event: PointerEvent| {
        if pen.get_value() == Some(event.pointer_id()) {
            pen.set_value(None);
        }
    };
    let keys = Keys::new(session);
    let is_drawing = move || chosen.source.get() == Source::Drawn;
    let picked = Signal::derive(move || chosen.pixels.get().filter(|_| !is_drawing()));
    let path = move || chosen.strokes.with(|strokes| path(strokes));
    view! {
        <div
            node_ref=pad
            id="pad"
            class="pad"
            role="application"
            tabindex="0"
            aria-label=live!("input.pad")
            aria-describedby="pad-keys"
            on:pointerdown=on_down
            on:pointermove=on_move
            on:pointerup=on_end
            on:pointercancel=on_end
            on:lostpointercapture=on_end
            on:keydown=move |event| keys.down(&event)
            on:keyup=move |event| keys.up(&event)
            on:blur=move |_| keys.leave()
        >
            <Cells columns=28 rows=28 values=picked range=(0.0, 1.0) ramp=session.colours.ink/>
            <svg viewBox="0 0 1 1" aria-hidden="true">
                <path d=path style:stroke-width=(PEN_WIDTH / SIDE as f32).to_string()/>
                {move || keys.shown().map(|(x, y, inks)| view! { <circle class:inks=inks cx=x cy=y r="0.03"/> })}
            </svg>
            <Show when=move || chosen.source.get() == Source::Blank>
                <p class="invitation">{live!("input.draw_a_digit")}</p>
            </Show>
        </div>
        <p id="pad-keys" class="keys">{live!("input.pad_keys")}</p>
    }
}

/// The cursor of the arrow keys.
#[derive(Clone, Copy)]
struct Keys {
    session: Session,
    place: RwSignal<Option<Point>>,
    /// Whether Space is held, or Enter has put the pen down.
    inks: RwSignal<bool>,
}

impl Keys {
    fn new(session: Session) -> Self {
        Keys { session, place: RwSignal::new(None), inks: RwSignal::new(false) }
    }

    fn shown(self) -> Option<(f32, f32, bool)> {
        self.place.get().map(|place| (place.x, place.y, self.inks.get()))
    }

    fn down(self, event: &KeyboardEvent) {
        let place = self.place.get_untracked().unwrap_or(Point { x: 0.5, y: 0.25 });
        if let Some(arrow) = Arrow::of_key(&event.key()) {
            let (right, down) = arrow.step();
            let moved = |at: f32, step: i32| (at + KEY_STEP * step as f32).clamp(0.0, 1.0);
            let next = Point { x: moved(place.x, right), y: moved(place.y, down) };
            self.place.set(Some(next));
            if self.inks.get_untracked() {
                self.session.latency.begin(Mark::Draw, event);
                self.session.chosen.draw(self.session, |strokes| extend(strokes, vec![next]));
            }
        } else if event.key() == " " || event.key() == "Enter" {
            if !event.repeat() {
                let lifts = event.key() == "Enter" && self.inks.get_untracked();
                self.inks.set(!lifts);
                self.place.set(Some(place));
                if !lifts {
                    self.session.latency.begin(Mark::Draw, event);
                    self.session.chosen.draw(self.session, |strokes| strokes.push(Stroke { points: vec![place] }));
                }
            }
        } else {
            return;
        }
        event.prevent_default();
    }

    fn up(self, event: &KeyboardEvent) {
        if event.key() == " " {
            self.inks.set(false);
        }
    }

    fn leave(self) {
        self.inks.set(false);
        self.place.set(None);
    }
}

/// The pointer's place on the pad, whatever zoom, scale and pixel ratio are.
fn point(event: &PointerEvent) -> Option<Point> {
    let pad: web_sys::Element = event.current_target()?.dyn_into().ok()?;
    let on_screen = pad.get_bounding_client_rect();
    Some(point_in(event, &on_screen))
}

fn point_in(event: &PointerEvent, on_screen: &web_sys::DomRect) -> Point {
    let pointer = (f64::from(event.client_x()), f64::from(event.client_y()));
    let (x, y) = place_in_box(pointer, on_screen.left(), on_screen.top(), on_screen.width(), on_screen.height());
    Point { x: x.clamp(0.0, 1.0), y: y.clamp(0.0, 1.0) }
}

/// All places that the pointer has been at since the last event: a fast pen has several between two frames.
fn points_since_last_event(event: &ev::PointerEvent) -> Vec<Point> {
    let Some(pad) = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()) else {
        return Vec::new();
    };
    let on_screen = pad.get_bounding_client_rect();
    let between = js_sys::Reflect::has(event, &"getCoalescedEvents".into()).unwrap_or(false);
    let mut points: Vec<Point> = Vec::new();
    if between {
        let events = event.get_coalesced_events();
        points
            .extend(events.iter().filter_map(|e| e.dyn_into::<PointerEvent>().ok()).map(|e| point_in(&e, &on_screen)));
    }
    if points.is_empty() {
        points.push(point_in(event, &on_screen));
    }
    points
}

/// Goes on with the last stroke.
fn extend(strokes: &mut Vec<Stroke>, points: Vec<Point>) {
    if strokes.is_empty() {
        strokes.push(Stroke::default());
    }
    let Some(stroke) = strokes.last_mut() else { return };
    for point in points {
        let is_near = stroke.points.last().is_some_and(|last| (last.x - point.x).hypot(last.y - point.y) < NEAR);
        if !is_near {
            stroke.points.push(point);
        }
    }
}

/// The strokes as an SVG path in pad units; a single point is a line to itself, which round ends make a dot.
fn path(strokes: &[Stroke]) -> String {
    let mut path = String::new();
    for stroke in strokes {
        for (i, Point { x, y }) in stroke.points.iter().enumerate() {
            let _ = write!(path, "{}{x:.4} {y:.4}", if i == 0 { 'M' } else { 'L' });
        }
        if stroke.points.len() == 1 {
            path.push_str("h0");
        }
    }
    path
}
