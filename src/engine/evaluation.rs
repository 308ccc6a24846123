//! Reading all 10 000 test images, a slice at a time.

use super::Engine;
use super::networks::status;
use crate::capsnet::Purpose;
use crate::protocol::{self, Network, Predictions, Snapshot};
use crate::train::Evaluator;

/// Progress is told after so many milliseconds.
const TELL_MILLIS: f64 = 200.0;

/// An evaluation that goes on, or waits for the test images.
pub(super) struct Evaluation {
    network: Network,
    step: u64,
    evaluator: Evaluator,
    told: f64,
    /// Whether nobody waits for it: it runs when there is nothing else to do, and in silence.
    quiet: bool,
}

impl Evaluation {
    /// Whether training waits for it.
    pub(super) fn goes_first(&self) -> bool {
        !self.quiet
    }
}

impl Engine {
    pub(super) async fn begin_evaluation(&mut self, network: Network) {
        self.evaluate(network, false).await;
    }

    /// Reads the test images in the background, unless an evaluation runs, which tells the same.
    pub(super) async fn begin_spread(&mut self, network: Network) {
        if self.evaluation.is_none() && self.held(&network).is_some() {
            self.evaluate(network, true).await;
        }
    }

    async fn evaluate(&mut self, network: Network, quiet: bool) {
        let Some(held) = self.held(&network) else {
            return self.problem("that network is not loaded yet; wait for it, or train one");
        };
        let capacity = self.device.images_a_slice(&held.config, Purpose::Evaluate);
        let iterations = held.config.iterations();
        match Evaluator::new(self.device.current(), &held.config, &held.store, capacity, iterations).await {
            Ok(evaluator) => {
                // Fetched now, if it is not here.
                self.test_set(&network);
                self.evaluation = Some(Evaluation { network, step: held.step, evaluator, told: 0.0, quiet });
            }
            Err(error) => self.problem(error),
        }
    }

    /// Gives an evaluation up; the network of one that somebody waits for.
    pub(super) fn take_awaited_evaluation(&mut self) -> Option<Network> {
        self.evaluation.take().filter(Evaluation::goes_first).map(|evaluation| evaluation.network)
    }

    /// Gives an evaluation up, if there is one, and says so.
    pub(super) fn give_up_evaluation(&mut self) {
        if self.evaluation.take().is_some_and(|evaluation| !evaluation.quiet) {
            self.host.send(Snapshot::Evaluating(0, 0));
        }
    }

    /// One slice; training waits, since it would change the network under the evaluation.
    pub(super) async fn evaluate_slice(&mut self) {
        let Some(network) = self.evaluation.as_ref().map(|evaluation| evaluation.network.clone()) else { return };
        let Some(test) = self.test_set(&network) else {
            // The test images are on their way; their arrival is an event.
            if let Ok(event) = self.events.recv().await {
                self.take(event).await;
            }
            return;
        };
        let mut pause = self.deadline();
        let step = self.held(&network).map(|held| held.step);
        let Some(evaluation) = &mut self.evaluation else { return };
        if evaluation.quiet && step != Some(evaluation.step) {
            // The network has trained on: what would be measured is of none.
            self.evaluation = None;
            return;
        }
        let outcome = evaluation.evaluator.advance(&test, &mut pause).await;
        let (now, tally) = (self.host.now(), evaluation.evaluator.tally());
        match outcome {
            Err(error) => {
                self.give_up_evaluation();
                self.problem(error);
            }
            Ok(true) => {
                let done = protocol::Evaluation {
                    network: evaluation.network.clone(),
                    step: evaluation.step,
                    correct: tally.correct(),
                    total: tally.total(),
                    confusion: tally.confusion.clone(),
                };
                let (spread, quiet) = (tally.spread(), evaluation.quiet);
                let labels = (0..test.len()).map(|image| test.label(image)).collect();
                // Overlapping digits have no one prediction each; and places are those of MNIST's test images.
                let is_mnist = network != Network::Yours || self.material.is_none();
                if is_mnist && tally.predictions.len() == test.len() {
                    self.host.send(Snapshot::Predictions(Predictions {
                        network: done.network.clone(),
                        step: done.step,
                        labels,
                        predictions: tally.predictions.clone(),
                    }));
                }
                self.evaluation = None;
                self.tell_spread(&done, spread);
                if !quiet {
                    self.host.send(Snapshot::Evaluated(done.clone()));
                    if done.network == Network::Yours {
                        self.tested(done).await;
                    }
                }
            }
            Ok(false) if !evaluation.quiet && now > evaluation.told + TELL_MILLIS => {
                evaluation.told = now;
                let read = tally.total();
                self.host.send(Snapshot::Evaluating(read, test.len() as u32));
            }
            Ok(false) => {}
        }
    }

    /// A network without a measured spread of its pose dimensions has one now.
    fn tell_spread(&mut self, done: &protocol::Evaluation, [means, deviations]: [Vec<Vec<f32>>; 2]) {
        let status = match &done.network {
            Network::Yours => self.training_status_of_network(),
            Network::Shipped(preset) => self.shipped.get(preset).map(|s| status(done.network.clone(), &s.about)),
        };
        let Some(mut status) = status else { return };
        status.step = done.step;
        status.correct = Some(done.correct);
        status.means = means.concat();
        status.deviations = deviations.concat();
        self.host.send(Snapshot::Network(status));
    }
}
