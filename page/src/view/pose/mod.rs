//! What the winning capsule knows of the digit: its pose decoded, bent and swept.

mod dimension;
mod grid;
mod pictures;
mod strip;

use super::chosen::DIMENSIONS;
use super::explore::class_in_view;
use super::parts::{Choice, Pick, Toggle};
use super::session::Session;
use crate::pose::Span;
use crate::text::{self, live, say};
use capscope_protocol::Shown;
use leptos::prelude::*;

/// The panel of the pose.
#[component]
pub fn Pose(
    /// The session.
    session: Session,
) -> impl IntoView {
    let class = Memo::new(move |_| class_in_view(session));
    let heading = move || class.get().map_or(say!("pose.title"), |class| say!("pose.pose_of", class = class));
    let dimensions = (0..DIMENSIONS).map(|of| view! { <dimension::Dimension session of/> }).collect_view();
    view! {
        <section class="pose" aria-label=live!("pose.title")>
            <div class="row title">
                <h2>{heading}</h2>
                <WhichCapsule session/>
            </div>
            <div class="pose-top">
                <pictures::Pictures session class/>
                <Controls session class/>
                <strip::Strip session/>
            </div>
            <div class="dimensions" role="group" aria-label=live!("pose.dimensions")>{dimensions}</div>
        </section>
    }
}

/// Which capsule is decoded.
#[component]
fn WhichCapsule(
    /// The session.
    session: Session,
) -> impl IntoView {
    let chosen = session.chosen;
    const LONGEST: &str = "longest";
    let options = Signal::derive(move || {
        let longest = session.reading.with(|reading| reading.as_ref().map(|reading| reading.winner));
        let first = Choice::new(LONGEST, text::longest_capsule(longest));
        std::iter::once(first)
            .chain((0..10).map(|class| Choice::new(class, say!("pose.capsule_of", class = class))))
            .collect::<Vec<_>>()
    });
    let value = Signal::derive(move || match chosen.shown.get() {
        Shown::Longest => LONGEST.to_string(),
        Shown::Class(class) => class.to_string(),
    });
    let on_pick = move |value: String| chosen.show(value.parse().map_or(Shown::Longest, Shown::Class));
    view! { <Pick label=live!("pose.capsule_in_view") unlabelled=true options value on_pick/> }
}

/// What the sliders span, and the way back.
#[component]
fn Controls(
    /// The session.
    session: Session,
    /// The digit capsule in view.
    class: Memo<Option<u8>>,
) -> impl IntoView {
    let chosen = session.chosen;
    let spans = Signal::derive(|| {
        vec![Choice::new("sd", say!("pose.span_deviations")), Choice::new("paper", say!("pose.span_paper"))]
    });
    let span = Signal::derive(move || match chosen.span.get() {
        Span::Deviations => "sd".to_string(),
        Span::Paper => "paper".to_string(),
    });
    let on_span = move |value: &str| chosen.span.set(if value == "sd" { Span::Deviations } else { Span::Paper });
    let deviations_known = move || super::explore::spread(session, super::explore::swept_dimension(session)).is_some();
    let hint = move || {
        let unknown = chosen.span.get() == Span::Deviations && class.get().is_some() && !deviations_known();
        if !unknown {
            say!("pose.pose_note")
        } else if super::explore::lacks_spread(session) {
            say!("pose.spread_is_measured")
        } else {
            say!("pose.spread_unknown")
        }
    };
    let straight = move || chosen.offsets.with(|offsets| offsets.iter().all(|offset| *offset == 0.0));
    view! {
        <div class="pose-controls">
            <p class="note two-lines">{hint}</p>
            <div class="row tools">
                <Toggle label=live!("pose.span") options=spans value=span on_pick=on_span/>
                <button type="button" disabled=straight on:click=move |_| chosen.straighten()>{live!("pose.reset_pose")}</button>
                <grid::Grid session class/>
            </div>
        </div>
    }
}
