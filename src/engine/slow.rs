//! A training step in slow motion, one phase at each command.

use super::Engine;
use super::assets::Asset;
use crate::protocol::pixels::to_bytes;
use crate::protocol::{SlowMotion, SlowPhase, Snapshot, TrainingState};
use crate::train::slow::{Outcome, SlowStep};

/// A step in slow motion.
pub(super) struct Slow {
    step: SlowStep,
    /// Whether the page waits for a phase.
    is_asked: bool,
}

impl Engine {
    /// Begins slow motion, or asks for its next phase.
    pub(super) async fn slow_next(&mut self) {
        if let Some(slow) = &mut self.slow {
            slow.is_asked = true;
            return;
        }
        if self.is_training() {
            self.pause().await;
        }
        self.collect_losses().await;
        let Some(data) = self.training_set() else {
            self.slow_wanted = true;
            return self.fetch(Asset::Training);
        };
        self.keep_if_due().await;
        let trainer = self.training.as_mut().and_then(|training| training.trainer.as_mut());
        let Some(trainer) = trainer else {
            return self.problem("there is no network to train yet; press Reset training first");
        };
        match trainer.begin_slow(&data).await {
            Ok(step) => self.slow = Some(Slow { step, is_asked: true }),
            Err(error) => self.problem(error),
        }
    }

    /// Leaves slow motion.
    pub(super) fn slow_end(&mut self) {
        self.slow_wanted = false;
        if self.slow.take().is_some() {
            self.host.send(Snapshot::Slow(None));
        }
    }

    /// Whether a phase is to be run.
    pub(super) fn is_in_slow_motion(&self) -> bool {
        self.slow.as_ref().is_some_and(|slow| slow.is_asked)
    }

    /// One slice of the phase that is asked for.
    pub(super) async fn slow_slice(&mut self) {
        let mut pause = self.deadline();
        let Some(slow) = &mut self.slow else { return };
        match slow.step.advance(&mut pause).await {
            Ok(Some(outcome)) => {
                slow.is_asked = false;
                let message = SlowMotion {
                    step: slow.step.step(),
                    images: slow.step.images() as u32,
                    index: slow.step.done() as u32 - 1,
                    count: slow.step.phases() as u32,
                    phase: told(outcome),
                };
                let is_last = message.index + 1 == message.count;
                self.host.send(Snapshot::Slow(Some(message)));
                if is_last {
                    self.slow_done().await;
                }
            }
            Ok(None) => {}
            Err(error) => {
                self.slow_end();
                self.problem(error);
            }
        }
    }

    /// The step is done: it counts like any other.
    async fn slow_done(&mut self) {
        let Some(slow) = self.slow.take() else { return };
        let losses = slow.step.losses().await;
        let Some(training) = &mut self.training else { return };
        if let Some(trainer) = &mut training.trainer {
            trainer.finish_slow();
        }
        match losses {
            Ok(losses) if losses.total().is_finite() => self.add_step(&losses),
            Ok(losses) => self.stop(crate::train::TrainError::NotFinite(losses.step).to_string()),
            Err(error) => self.stop(error.to_string()),
        }
        if let Some(training) = &mut self.training
            && training.state == TrainingState::Running
        {
            training.state = TrainingState::Paused;
        }
        self.tell_training();
        self.look_again();
        self.keep().await;
    }
}

fn told(outcome: Outcome) -> SlowPhase {
    match outcome {
        Outcome::Pixels { pixels, labels, ink } => SlowPhase::Pixels(to_bytes(&pixels), labels, ink),
        Outcome::Convolution { mean, most, active } => SlowPhase::Convolution(mean, most, active),
        Outcome::Primary { mean, most, bins } => SlowPhase::Primary(mean, most, bins),
        Outcome::Votes { count, mean } => SlowPhase::Votes(count, mean),
        Outcome::Iteration { iteration, entropy, lengths, right } => {
            SlowPhase::Iteration(iteration as u8, entropy, lengths, right)
        }
        Outcome::Lengths { predictions, present, absent, right } => {
            SlowPhase::Lengths(predictions, present, absent, right)
        }
        Outcome::Margin(loss) => SlowPhase::Margin(loss),
        Outcome::Reconstruction(loss, pictures) => SlowPhase::Reconstruction(loss, to_bytes(&pictures)),
        Outcome::Gradients(layers) => SlowPhase::Gradients(layers),
        Outcome::Update { rate, layers } => SlowPhase::Update(rate, layers),
    }
}
