//! Keeps the engine and the address in step with what the person has set.

use super::browser;
use super::chosen::{Chosen, DIMENSIONS};
use super::session::Session;
use crate::pose::{self, Spread};
use crate::readout;
use capscope_protocol::{Command, Exploration, Inspection, Network, Shown};
use leptos::prelude::*;
use std::time::Duration;

/// Time between two iterations when they are played.
const BEAT: Duration = Duration::from_millis(800);

/// The address follows after so long without a change.
const ADDRESS_DELAY: Duration = Duration::from_millis(300);

/// A network that has rested for so long is likely to stay as it is for a while.
const SPREAD_DELAY: Duration = Duration::from_secs(3);

/// Asks the engine anew at each change of anything that the pictures depend on, at most once an animation frame.
pub fn keep_exploring(session: Session) {
    // Whether something was sent in this frame, and whether something changed since.
    let (resting, changed) = (StoredValue::new(false), StoredValue::new(false));
    Effect::new(move |_| {
        if !session.started.get() {
            return;
        }
        let exploration = exploration(session);
        if resting.get_value() {
            changed.set_value(true);
            return;
        }
        session.explore(exploration);
        resting.set_value(true);
        request_animation_frame(move || rest_over(session, resting, changed));
    });
    Effect::new(move |before: Option<Inspection>| {
        let wanted = session.inspection.get();
        if session.started.get() && wanted != before.unwrap_or_default() {
            session.send(&Command::Inspect(wanted));
            return wanted;
        }
        before.unwrap_or_default()
    });
    let opened = StoredValue::new(true);
    Effect::new(move |_| {
        let is_first = session.reading.with(Option::is_some) && opened.get_value();
        if is_first {
            opened.set_value(false);
            let chosen = session.chosen;
            let at_end = chosen.iteration.get_untracked() == chosen.iterations.get_untracked();
            if at_end && !browser::less_motion() {
                play(chosen);
            }
        }
    });
}

/// A frame has passed: what changed in it is sent now.
fn rest_over(session: Session, resting: StoredValue<bool>, changed: StoredValue<bool>) {
    if changed.get_value() {
        changed.set_value(false);
        session.explore(untrack(|| exploration(session)));
        request_animation_frame(move || rest_over(session, resting, changed));
    } else {
        resting.set_value(false);
    }
}

/// Everything that the pictures depend on, as it is now.
fn exploration(session: Session) -> Exploration {
    let chosen = session.chosen;
    let dimension = swept_dimension(session);
    let swept = pose::sweep(chosen.span.get(), spread(session, dimension));
    Exploration {
        serial: 0,
        network: chosen.network.get(),
        pixels: chosen.pixels.with(|pixels| pixels.as_ref().map(|pixels| pixels.to_vec()).unwrap_or_default()),
        procedure: chosen.procedure.get(),
        iterations: chosen.iterations.get(),
        shown: chosen.shown.get(),
        offsets: chosen.offsets.get(),
        two: chosen.second.with(Option::is_some),
        sweep: Some((dimension as u8, swept)),
        grid: chosen.grid.get().then(|| grid_offsets(session)),
    }
}

/// What is added to each dimension of the pose in the whole grid.
pub fn grid_offsets(session: Session) -> Vec<Vec<f32>> {
    pose::grid(session.chosen.span.get(), |dimension| spread(session, dimension), DIMENSIONS)
}

/// Whether the network in view has no known spread of its poses, though it has been trained.
pub fn lacks_spread(session: Session) -> bool {
    let network = session.chosen.network.get();
    let is_trained = network != Network::Yours || session.steps_of_yours().unwrap_or(0) > 0;
    is_trained && session.status_of(&network).is_some_and(|status| status.deviations.is_empty())
}

/// Has the spread of a network's poses measured in the background where it is not known, once training rests.
pub fn keep_spread(session: Session) {
    let newest = StoredValue::new(0u32);
    Effect::new(move |_| {
        let wanted = session.started.get() && lacks_spread(session) && !session.is_training();
        // Each step makes it another network.
        let steps = session.steps_of_yours();
        let number = newest.get_value().wrapping_add(1);
        newest.set_value(number);
        if wanted {
            let ask = move || {
                if newest.try_get_value() == Some(number) && session.steps_of_yours() == steps {
                    session.send(&Command::Spread(session.chosen.network.get_untracked()));
                }
            };
            set_timeout(ask, SPREAD_DELAY);
        }
    });
}

/// The digit capsule in view, if it is known already.
pub fn class_in_view(session: Session) -> Option<u8> {
    match session.chosen.shown.get() {
        Shown::Class(class) => Some(class),
        Shown::Longest => session.reading.with(|reading| reading.as_ref().map(|reading| reading.winner)),
    }
}

/// How one dimension of the capsule in view is spread over the test digits of its class.
pub fn spread(session: Session, dimension: usize) -> Option<Spread> {
    let class = class_in_view(session)? as usize;
    let network = session.chosen.network.get();
    session.networks.with(|networks| {
        let status = networks.iter().find(|status| status.network == network)?;
        pose::spread(&status.means, &status.deviations, status.poses[1] as usize, class, dimension)
    })
}

/// The dimension that the strip sweeps: the one last touched, or else the one that varies most in this class.
pub fn swept_dimension(session: Session) -> usize {
    session.chosen.dimension.get().unwrap_or_else(|| {
        let deviation = |dimension: usize| spread(session, dimension).map_or(0.0, |spread| spread.deviation);
        let dimensions = 0..DIMENSIONS;
        dimensions.reduce(|most, next| if deviation(next) > deviation(most) { next } else { most }).unwrap_or(0)
    })
}

/// The original value of one dimension of the pose in view.
pub fn original(session: Session, dimension: usize) -> Option<f32> {
    let class = class_in_view(session)?;
    session.reading.with(|reading| readout::pose(reading.as_ref()?, class).get(dimension).copied())
}

/// Shows the iterations one after another from the first to the last.
pub fn play(chosen: Chosen) {
    chosen.plays.update_value(|plays| *plays = plays.wrapping_add(1));
    chosen.playing.set(true);
    chosen.iteration.set(1);
    next_beat(chosen, chosen.plays.get_value(), 1);
}

fn next_beat(chosen: Chosen, this_play: u32, shown: u8) {
    let step = move || {
        if chosen.plays.get_value() != this_play || !chosen.playing.get_untracked() {
            return;
        }
        // Who moves the scrubber takes over.
        let moved = chosen.iteration.get_untracked() != shown;
        if moved || shown >= chosen.iterations.get_untracked() {
            chosen.playing.set(false);
            return;
        }
        chosen.iteration.set(shown + 1);
        next_beat(chosen, this_play, shown + 1);
    };
    set_timeout(step, BEAT);
}

/// Writes the view into the address when it has not changed for a moment.
pub fn keep_address(session: Session) {
    let newest = StoredValue::new(0u32);
    Effect::new(move |before: Option<()>| {
        let address = session.chosen.address();
        // Before a digit is in view the address is the one that was opened.
        let opening = session.chosen.untouched.get() && session.chosen.pixels.with(Option::is_none);
        if before.is_none() || opening {
            return;
        }
        let number = newest.get_value().wrapping_add(1);
        newest.set_value(number);
        set_timeout(
            move || {
                if newest.get_value() == number {
                    browser::set_query(&address.query());
                }
            },
            ADDRESS_DELAY,
        );
    });
}
