//! Asks for many readings at once: the digit moved by degrees, a page of test digits.

use super::browser::now;
use super::chosen::Chosen;
use super::explore::class_in_view;
use super::session::Session;
use crate::equivariance::Plot;
use crate::moves::{Axis, poses_of};
use crate::overlap::overlaid;
use capscope_ink::SIDE;
use capscope_protocol::{Command, Network, Pictures, Predictions, Survey, SurveyRequest, Surveyed};
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// What is surveyed has stood still for so many milliseconds.
const STILL: f64 = 120.0;

/// While a network trains it is surveyed again after so many milliseconds.
const AGAIN: f64 = 2_000.0;

/// What the last surveys have shown.
#[derive(Clone, Copy)]
pub struct Surveys {
    last: StoredValue<u64>,
    /// The axis of the sweep that was asked for last, with its serial.
    sweeping: StoredValue<Option<(u64, Axis)>>,
    /// The gallery's page that was asked for last.
    paging: StoredValue<u64>,
    /// The digit moved by degrees along an axis.
    pub swept: RwSignal<Option<(Axis, Arc<Surveyed>)>>,
    /// The gallery's page.
    pub page: RwSignal<Option<Arc<Surveyed>>>,
    /// What networks have made of all test images.
    pub predictions: RwSignal<Vec<Arc<Predictions>>>,
}

impl Surveys {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Surveys {
            last: StoredValue::new(0),
            sweeping: StoredValue::new(None),
            paging: StoredValue::new(0),
            swept: RwSignal::new(None),
            page: RwSignal::new(None),
            predictions: RwSignal::new(Vec::new()),
        }
    }

    /// Takes an answer, unless a newer one is on its way.
    pub fn take(self, surveyed: Surveyed) {
        let [classes, dims] = surveyed.sizes.map(|size| size as usize);
        let count = surveyed.lengths.len() / classes.max(1);
        if classes == 0 || surveyed.poses.len() != count * classes * dims {
            return;
        }
        match surveyed.survey {
            Survey::Sweep => {
                if let Some((_, axis)) = self.sweeping.get_value().filter(|(serial, _)| *serial == surveyed.serial) {
                    self.swept.set(Some((axis, Arc::new(surveyed))));
                }
            }
            Survey::Gallery => {
                if self.paging.get_value() == surveyed.serial {
                    self.page.set(Some(Arc::new(surveyed)));
                }
            }
        }
    }

    /// Takes what a network has made of all test images, in the place of what it made of them before.
    pub fn take_predictions(self, predictions: Predictions) {
        self.predictions.update(|known| {
            known.retain(|known| known.network != predictions.network);
            known.push(Arc::new(predictions));
        });
    }

    /// What a network has made of all test images when it was last asked.
    pub fn predictions_of(self, network: &Network) -> Option<Arc<Predictions>> {
        self.predictions.with(|known| known.iter().find(|known| known.network == *network).cloned())
    }

    fn next(self) -> u64 {
        self.last.update_value(|last| *last += 1);
        self.last.get_value()
    }
}

/// Asks for the digit at all places of the slider last moved, at each change of what that depends on.
pub fn keep_sweeping(session: Session) {
    let chosen = session.chosen;
    let subject = Memo::new(move |_| {
        let axis = chosen.axis.get()?;
        let digit = chosen.digit.get()?;
        // Where this slider stands does not matter: all of its places are read.
        let others = axis.put(&chosen.transform.get(), axis.rest());
        Some((axis, digit, others, chosen.second.get(), chosen.network.get(), chosen.iterations.get()))
    });
    keep_asking(session, subject, move |(axis, digit, others, second, network, iterations)| {
        let mut pictures = axis.pictures(&digit, &others);
        if let Some(second) = second {
            let over = |picture| overlaid(picture, &second.pixels, SIDE, second.place.shift);
            pictures = pictures.chunks_exact(SIDE * SIDE).flat_map(over).collect();
        }
        let serial = session.surveys.next();
        session.surveys.sweeping.set_value(Some((serial, axis)));
        session.send(&Command::Survey(SurveyRequest {
            serial,
            survey: Survey::Sweep,
            network,
            iterations,
            pictures: Pictures::Given(pictures),
            decode: false,
        }));
    });
}

/// Asks for the test digits at these places, at each change of them or of the network, while they are in sight.
pub fn keep_paging(session: Session, places: Memo<Option<Vec<u32>>>) {
    let Chosen { network, iterations, .. } = session.chosen;
    let subject = Memo::new(move |_| Some((places.get()?, network.get(), iterations.get())));
    keep_asking(session, subject, move |(places, network, iterations)| {
        let serial = session.surveys.next();
        session.surveys.paging.set_value(serial);
        session.send(&Command::Survey(SurveyRequest {
            serial,
            survey: Survey::Gallery,
            network,
            iterations,
            pictures: Pictures::Test(places),
            decode: true,
        }));
    });
}

/// Calls `ask` with a subject once it has stood still, and again from time to time while the network that reads it
/// trains.
fn keep_asking<S>(session: Session, subject: Memo<Option<S>>, ask: impl Fn(S) + Copy + Send + Sync + 'static)
where
    S: Clone + PartialEq + Send + Sync + 'static,
{
    let step = Memo::new(move |_| session.reading.with(|reading| reading.as_ref().map_or(0, |reading| reading.step)));
    let (newest, asked_at) = (StoredValue::new(0u32), StoredValue::new(f64::NEG_INFINITY));
    Effect::new(move |before: Option<Option<S>>| {
        let (now_wanted, _) = (subject.get(), step.get());
        let number = newest.get_value().wrapping_add(1);
        newest.set_value(number);
        if now_wanted.is_none() || !session.started.get() {
            return now_wanted;
        }
        let has_changed = before.as_ref() != Some(&now_wanted);
        let wait = if has_changed { STILL } else { (asked_at.get_value() + AGAIN - now()).max(STILL) };
        set_timeout(
            move || {
                if newest.try_get_value() != Some(number) {
                    return;
                }
                if let Some(subject) = subject.get_untracked() {
                    asked_at.set_value(now());
                    ask(subject);
                }
            },
            Duration::from_millis(wait as u64),
        );
        now_wanted
    });
}

/// The pose of the capsule in view against the slider last moved, with the ends of its length on the way.
pub fn plot(session: Session) -> Option<(Plot, Axis, u8, (f32, f32))> {
    let (axis, surveyed) = session.surveys.swept.get()?;
    let class = class_in_view(session)?;
    let [classes, dims] = surveyed.sizes.map(|size| size as usize);
    let plot = Plot {
        poses: poses_of(&surveyed.poses, classes, dims, class.into()),
        dims,
        range: axis.range(),
        at: axis.of(&session.chosen.transform.get()),
        decimals: if axis == Axis::Scale { 1 } else { 0 },
    };
    let lengths = surveyed.lengths.iter().skip(class.into()).step_by(classes).copied();
    let ends = lengths.fold((f32::INFINITY, 0f32), |(low, high), length| (low.min(length), high.max(length)));
    plot.fits().then_some((plot, axis, class, ends))
}
