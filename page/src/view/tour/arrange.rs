//! What each card shows, and the person's own view, which comes back when the tour is closed.

use crate::moves::Axis;
use crate::readout;
use crate::tour::Card;
use crate::view::chosen::{SecondDigit, Source};
use crate::view::explore::{play, spread, swept_dimension};
use crate::view::session::{OPENING, Session};
use capscope_ink::{Stroke, Transform};
use capscope_protocol::{Command, Network, Shown};
use leptos::prelude::*;
use std::sync::Arc;

/// A test digit that the networks which ship read wrongly.
const HARD: u32 = 2130;

/// What the person looked at before.
#[derive(Clone)]
pub struct View {
    network: Network,
    source: Source,
    digit: Option<Arc<Vec<f32>>>,
    transform: Transform,
    axis: Option<Axis>,
    second: Option<SecondDigit>,
    untouched: bool,
    strokes: Vec<Stroke>,
    wanted_digit: Option<u32>,
    iterations: u8,
    iteration: u8,
    shown: Shown,
    pinned: Option<u32>,
    offsets: Vec<f32>,
    dimension: Option<usize>,
    scrolled: f64,
}

impl View {
    /// The view as it is.
    pub fn of(session: Session) -> Self {
        let chosen = session.chosen;
        View {
            network: chosen.network.get_untracked(),
            source: chosen.source.get_untracked(),
            digit: chosen.digit.get_untracked(),
            transform: chosen.transform.get_untracked(),
            axis: chosen.axis.get_untracked(),
            second: chosen.second.get_untracked(),
            untouched: chosen.untouched.get_untracked(),
            strokes: chosen.strokes.get_untracked(),
            wanted_digit: chosen.wanted_digit.get_untracked(),
            iterations: chosen.iterations.get_untracked(),
            iteration: chosen.iteration.get_untracked(),
            shown: chosen.shown.get_untracked(),
            pinned: chosen.pinned.get_untracked(),
            offsets: chosen.offsets.get_untracked(),
            dimension: chosen.dimension.get_untracked(),
            scrolled: window().scroll_y().unwrap_or(0.0),
        }
    }

    /// Shows it again.
    pub fn restore(self, session: Session) {
        let chosen = session.chosen;
        chosen.playing.set(false);
        chosen.read_with(session, self.network);
        chosen.scene.update_value(|scene| *scene = scene.wrapping_add(1));
        if self.digit.is_none() {
            session.forget_reading();
        }
        chosen.wanted_digit.set(self.wanted_digit);
        chosen.strokes.set(self.strokes);
        chosen.source.set(self.source);
        chosen.transform.set(self.transform);
        chosen.axis.set(self.axis);
        chosen.second.set(self.second);
        chosen.untouched.set(self.untouched);
        chosen.digit.set(self.digit);
        chosen.iterations.set(self.iterations);
        chosen.iteration.set(self.iteration);
        chosen.shown.set(self.shown);
        chosen.pinned.set(self.pinned);
        chosen.dimension.set(self.dimension);
        chosen.offsets.set(self.offsets);
        window().scroll_to_with_x_and_y(0.0, self.scrolled);
    }
}

/// Sets the page to what a card speaks of. Cards can be reached in any order, so each sets everything.
pub fn arrange(session: Session, card: Card) {
    let chosen = session.chosen;
    chosen.playing.set(false);
    chosen.hovered.set(None);
    chosen.transform.set(Transform::default());
    chosen.second.set(None);
    if chosen.network.get_untracked() == Network::Yours && session.steps_of_yours().unwrap_or(0) == 0 {
        chosen.read_with(session, Network::Shipped(crate::address::SHIPPED[0].into()));
    }
    show_digit(session, if card == Card::Failure { HARD } else { OPENING });
    chosen.iterations.update(|iterations| *iterations = (*iterations).max(3));
    chosen.iteration.set(chosen.iterations.get_untracked());
    chosen.show(Shown::Longest);
    chosen.straighten();
    chosen.pinned.set(None);
    match card {
        Card::Agreement => chosen.iteration.set(2),
        Card::Iterations => play(chosen),
        _ => {}
    }
}

/// Sets what depends on the reading, again with each reading that comes.
pub fn follow(session: Session, card: Card) {
    let capsule = session.reading.with(|reading| {
        let reading = reading.as_ref()?;
        Some(readout::closest_child(reading, reading.iterations, reading.winner))
    });
    match card {
        Card::Votes | Card::Agreement | Card::Iterations => session.chosen.pinned.set(capsule),
        Card::Pose if capsule.is_some() => untrack(|| bend(session)),
        _ => {}
    }
}

/// Brings a test digit into view; one that the page does not hold comes from the engine.
fn show_digit(session: Session, index: u32) {
    let chosen = session.chosen;
    if matches!(chosen.source.get_untracked(), Source::Test(shown, _) if shown == index) {
        return;
    }
    chosen.untouched.set(false);
    let held = session.gallery.with_untracked(|gallery| {
        let gallery = gallery.clone()?;
        let place = gallery.indices.iter().position(|of| *of == index)?;
        Some((gallery, place))
    });
    match held {
        Some((gallery, place)) => chosen.pick(&gallery, place),
        None => {
            chosen.wanted_digit.set(Some(index));
            session.send(&Command::TestDigits(vec![index]));
        }
    }
}

/// Moves the dimension that varies most by one and a half standard deviations.
fn bend(session: Session) {
    session.chosen.dimension.set(None);
    let dimension = swept_dimension(session);
    let deviation = spread(session, dimension).map_or(0.15, |spread| spread.deviation);
    session.chosen.straighten();
    session.chosen.bend(dimension, 1.5 * deviation);
}

/// Marks what a card speaks of and scrolls to it; without a card nothing is marked.
pub fn mark(card: Option<Card>) {
    const MARK: &str = "data-toured";
    if let Ok(marked) = document().query_selector_all(&format!("[{MARK}]")) {
        for at in 0..marked.length() {
            let element =
                marked.item(at).and_then(|node| wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(node).ok());
            if let Some(element) = element {
                // Fails only for names that no attribute can have.
                let _ = element.remove_attribute(MARK);
            }
        }
    }
    crate::view::browser::set_root_attribute("data-touring", card.map(Card::name));
    let target = card.and_then(|card| document().query_selector(card.target()).ok().flatten());
    if let Some(target) = target {
        let _ = target.set_attribute(MARK, "");
        target.scroll_into_view();
    }
}
