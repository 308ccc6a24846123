//! Keeping the network in training over a reload, and going back to its last good state.
//!
//! A state is taken before the first step, at the end of each epoch and after its test, every 60 seconds, at pause, and
//! when the page says that it may be about to end. It stays in memory, and is written beside the loop if this engine is
//! the one that keeps; with several tabs only one is.

use super::{Engine, Event, own};
use crate::protocol::{Command, Keeping, Snapshot, TrainingState};
use crate::store::{self, FORMAT, Kept, Recalled, Record, Slots, StoreError};
use std::rc::Rc;

/// The state of a training that runs is kept after so many milliseconds.
const KEEP_MILLIS: f64 = 60_000.0;

/// The most points of a curve that are kept; of a longer one every second point is, every fourth, and so on.
const MOST_POINTS: usize = 1 << 15;

/// What a look into the storage has found.
pub(super) enum Found {
    /// Another engine keeps.
    Elsewhere,
    /// This one keeps from now on, with what was there: a state, and the files of an own set.
    Ours(Slots, Option<Box<Recalled>>, Option<Vec<u8>>),
    /// This one keeps from now on, and what was there cannot be taken.
    Refused(StoreError),
}

/// A write that has ended.
pub(super) struct Written {
    outcome: Result<(), String>,
    slots: Slots,
    step: u64,
    date: f64,
    data: String,
}

/// Whether this engine keeps, and what it is doing about it.
#[derive(Default)]
pub(super) struct Keeper {
    /// The slots, if this engine is the one that keeps.
    ours: Option<Slots>,
    recalling: bool,
    /// Commands about training that came while the storage was being looked into.
    waiting: Vec<Command>,
    writing: bool,
    /// The set whose files are stored.
    stored_set: Option<String>,
    /// A state that came while another one was being written.
    next: Option<Kept>,
}

impl Engine {
    /// Looks into the storage beside the loop, and claims it, `by_force` from another tab.
    pub(super) fn restore(&mut self, by_force: bool) {
        let Some(sender) = self.sender.upgrade() else { return };
        if self.keeper.recalling || self.keeper.ours.is_some() {
            return;
        }
        self.keeper.recalling = true;
        let host = self.host.clone();
        self.host.spawn(Box::pin(async move {
            let loser = sender.downgrade();
            let lost = move || {
                if let Some(sender) = loser.upgrade() {
                    let _ = sender.try_send(Event::KeptElsewhere);
                }
            };
            let outcome = match host.claim(by_force, Box::new(lost)).await {
                Ok(true) => match store::recall(async |key| host.stored(key).await).await {
                    Ok((slots, recalled)) => {
                        let own = host.stored(own::KEY).await;
                        own.map(|own| Found::Ours(slots, recalled.map(Box::new), own))
                    }
                    Err(StoreError::Host(why)) => Err(why),
                    Err(error) => Ok(Found::Refused(error)),
                },
                Ok(false) => Ok(Found::Elsewhere),
                Err(why) => Err(why),
            };
            let _ = sender.try_send(Event::Recalled(outcome));
        }));
    }

    /// A command, unless it is about training while it is not known yet whether there is one.
    pub(super) fn unless_recalling(&mut self, command: Command) -> Option<Command> {
        let waits = matches!(
            command,
            Command::Reset(_)
                | Command::Train
                | Command::Step
                | Command::LoadWeights(_)
                | Command::GoBack
                | Command::OwnSet(_)
                | Command::UseMnist
                | Command::SlowNext
        );
        if waits && self.keeper.recalling {
            self.keeper.waiting.push(command);
            return None;
        }
        Some(command)
    }

    pub(super) async fn recalled(&mut self, outcome: Result<Found, String>) {
        self.keeper.recalling = false;
        let mut waiting = std::mem::take(&mut self.keeper.waiting);
        match outcome {
            Ok(Found::Ours(slots, recalled, own)) => {
                self.keeper.ours = Some(slots);
                match recalled {
                    // Whoever has taken the storage over goes on with the training in this tab.
                    Some(_) | None if self.training.is_some() => self.keep_anyway().await,
                    Some(recalled) => {
                        let (step, date) = (recalled.weights.about.step, recalled.record.date);
                        let ready = self.use_kept_set(&recalled.record.data, own);
                        let outcome = match ready {
                            Ok(()) => self.take_up(*recalled).await,
                            Err(error) => Err(error),
                        };
                        match outcome {
                            Ok(()) => {
                                // Who pressed Train meanwhile goes on with this one, not with a new one.
                                waiting.retain(|command| !matches!(command, Command::Reset(_)));
                                self.tell_keeping(Keeping::Restored(step, date));
                            }
                            Err(error) => self.tell_keeping(Keeping::Refused(error)),
                        }
                    }
                    None => {}
                }
            }
            Ok(Found::Refused(error)) => {
                self.keeper.ours = Some(Slots::default());
                self.tell_keeping(Keeping::Refused(error.to_string()));
            }
            Ok(Found::Elsewhere) => self.tell_keeping(Keeping::Elsewhere),
            Err(why) => self.tell_keeping(Keeping::Impossible(why)),
        }
        for command in waiting.into_iter().rev() {
            self.commands.push_front(command);
        }
    }

    /// Another tab has taken the storage over.
    pub(super) fn kept_elsewhere(&mut self) {
        self.keeper.ours = None;
        self.keeper.next = None;
        self.tell_keeping(Keeping::Elsewhere);
    }

    fn tell_keeping(&self, keeping: Keeping) {
        self.host.send(Snapshot::Keeping(keeping));
    }

    /// Takes a state up as the network in training, paused.
    pub(super) async fn take_up(&mut self, recalled: Recalled) -> Result<(), String> {
        let Recalled { record, weights, file } = recalled;
        let (_, trainer) = self.trainer_of(&weights).await?;
        let good = Kept { record: record.clone(), weights: file, step: weights.about.step };
        self.set_trainer(record.settings, trainer, record.curve, record.evaluations);
        if let Some(training) = &mut self.training {
            training.good = Some(good);
        }
        Ok(())
    }

    /// Back to the state that a stop has offered.
    pub(super) async fn go_back(&mut self) {
        let offered = self.training.as_mut().and_then(|training| training.offered.take());
        let Some(kept) = offered else {
            return self.problem("there is no earlier state to go back to; press Reset training to start over");
        };
        let outcome = match kept.recall() {
            Ok(recalled) => self.take_up(recalled).await,
            Err(error) => Err(error.to_string()),
        };
        match outcome {
            Ok(()) => self.keep_anyway().await,
            Err(error) => self.problem(error),
        }
    }

    /// Takes the present state, and writes it if this engine is the one that keeps.
    pub(super) async fn keep(&mut self) {
        match self.state_of_training().await {
            Ok(Some(kept)) => {
                if let Some(training) = &mut self.training {
                    training.good = Some(kept.clone());
                    training.kept_at = self.host.now();
                }
                self.write(kept);
            }
            Ok(None) => {}
            Err(error) => self.problem(error),
        }
    }

    /// The same, and writes the present state even if it is the one last taken.
    async fn keep_anyway(&mut self) {
        self.keep().await;
        let good = self.training.as_ref().and_then(|training| training.good.clone());
        if let (false, Some(good)) = (self.keeper.writing, good) {
            self.write(good);
        }
    }

    /// Takes a state before the first step, and when the last one is a minute old.
    pub(super) async fn keep_if_due(&mut self) {
        let now = self.host.now();
        let is_due = self.training.as_ref().is_some_and(|t| t.good.is_none() || now >= t.kept_at + KEEP_MILLIS);
        if is_due {
            self.keep().await;
        }
    }

    /// The present state, unless it is the one last taken or holds a number that is not finite.
    async fn state_of_training(&mut self) -> Result<Option<Kept>, String> {
        self.collect_losses().await;
        let Some(training) = &self.training else { return Ok(None) };
        let Some(trainer) = &training.trainer else { return Ok(None) };
        if matches!(training.state, TrainingState::Stopped(_)) {
            return Ok(None);
        }
        let (step, tests) = (trainer.step(), training.evaluations.len());
        let taken =
            training.good.as_ref().map(|good| (good.step, good.record.evaluations.len(), good.record.settings.rate));
        if taken == Some((step, tests, training.settings.rate)) {
            return Ok(None);
        }
        let Some(weights) = self.training_as_file().await? else { return Ok(None) };
        let record = Record {
            format: FORMAT,
            date: self.host.date(),
            data: self.data_name(),
            settings: training.settings.clone(),
            curve: thinned(&training.history),
            evaluations: training.evaluations.clone(),
        };
        Ok(Some(Kept { record, weights: Rc::new(weights), step }))
    }

    fn write(&mut self, kept: Kept) {
        let Some(slots) = self.keeper.ours else { return };
        if self.keeper.writing {
            self.keeper.next = Some(kept);
            return;
        }
        let Some(sender) = self.sender.upgrade() else { return };
        self.keeper.writing = true;
        let (slots, mut entries) = slots.put(&kept);
        // A set is stored once, with the first state that is trained on it.
        if self.keeper.stored_set.as_deref() != Some(&kept.record.data) {
            entries.extend(self.own_files().map(|files| (own::KEY, files)));
        }
        let data = kept.record.data.clone();
        let (step, date) = (kept.step, kept.record.date);
        let storing = self.host.store(entries);
        self.host.spawn(Box::pin(async move {
            let outcome = storing.await;
            let _ = sender.try_send(Event::Kept(Written { outcome, slots, step, date, data }));
        }));
    }

    pub(super) fn written(&mut self, written: Written) {
        self.keeper.writing = false;
        if self.keeper.ours.is_none() {
            return;
        }
        match written.outcome {
            Ok(()) => {
                self.keeper.ours = Some(written.slots);
                self.keeper.stored_set = Some(written.data);
                self.tell_keeping(Keeping::Kept(written.step, written.date));
            }
            Err(why) => self.tell_keeping(Keeping::Impossible(why)),
        }
        if let Some(kept) = self.keeper.next.take() {
            self.write(kept);
        }
    }
}

/// A curve that is kept: whole, or so many of its points.
fn thinned<T: Copy>(points: &[T]) -> Vec<T> {
    let every = points.len().div_ceil(MOST_POINTS).next_power_of_two();
    points.iter().step_by(every.max(1)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_are_thinned_and_short_ones_are_whole() {
        let points: Vec<u64> = (0..100_000).collect();
        assert_eq!(thinned(&points[..10]), points[..10]);
        assert_eq!(thinned(&points[..MOST_POINTS]).len(), MOST_POINTS);
        let kept = thinned(&points);
        assert_eq!((kept.len(), kept[1]), (25_000, 4));
        assert!(thinned::<u64>(&[]).is_empty());
    }
}
