//! Every procedure and number of iterations on the votes of all test images, a slice at a time.

use super::Engine;
use crate::capsnet::Purpose;
use crate::protocol::{self, Network, Snapshot};
use crate::train::{self, Comparer};

/// Progress is told after so many milliseconds.
const TELL_MILLIS: f64 = 200.0;

/// Images at a time on a fast device: every iteration of every procedure is kept, about a megabyte an image.
const MOST_AT_A_TIME: usize = 64;

/// A comparison that goes on, or waits for the test images.
pub(super) struct Comparison {
    network: Network,
    step: u64,
    own: protocol::Procedure,
    comparer: Comparer,
    told: f64,
}

impl Engine {
    /// Begins a comparison in the place of the one that runs.
    pub(super) async fn begin_comparison(&mut self, network: Network) {
        self.give_up_comparison();
        let Some(held) = self.held(&network) else {
            return self.problem("that network is not loaded yet; wait for it, or train one");
        };
        let capacity = self.device.images_a_slice(&held.config, Purpose::Compare).min(MOST_AT_A_TIME);
        match Comparer::new(self.device.current(), &held.config, &held.store, capacity).await {
            Ok(comparer) => {
                // Fetched now, if it is not here.
                let all = self.test_set(&network).map_or(1, |test| test.len() as u32);
                let own = held.config.classes().procedure.parse().unwrap_or_default();
                let told = self.host.now();
                self.comparison = Some(Comparison { network, step: held.step, own, comparer, told });
                self.host.send(Snapshot::Comparing(0, all));
            }
            Err(error) => self.problem(error),
        }
    }

    /// Gives a comparison up, if there is one, and says so.
    pub(super) fn give_up_comparison(&mut self) {
        if self.comparison.take().is_some() {
            self.host.send(Snapshot::Comparing(0, 0));
        }
    }

    /// One slice; training waits, since it would change the network under the comparison.
    pub(super) async fn compare_slice(&mut self) {
        let Some(network) = self.comparison.as_ref().map(|comparison| comparison.network.clone()) else { return };
        let Some(test) = self.test_set(&network) else {
            // The test images are on their way; their arrival is an event.
            if let Ok(event) = self.events.recv().await {
                self.take(event).await;
            }
            return;
        };
        let (mut pause, now) = (self.deadline(), self.host.now());
        let Some(comparison) = &mut self.comparison else { return };
        match comparison.comparer.advance(&test, &mut pause).await {
            Err(error) => {
                self.give_up_comparison();
                self.problem(error);
            }
            Ok(true) => {
                if let Some(done) = self.comparison.take() {
                    self.host.send(Snapshot::Compared(Box::new(done.outcome())));
                }
            }
            Ok(false) if now > comparison.told + TELL_MILLIS => {
                comparison.told = now;
                self.host.send(Snapshot::Comparing(comparison.comparer.total(), test.len() as u32));
            }
            Ok(false) => {}
        }
    }
}

impl Comparison {
    fn outcome(self) -> protocol::Comparison {
        protocol::Comparison {
            network: self.network,
            step: self.step,
            own: self.own,
            total: self.comparer.total(),
            sizes: self.comparer.sizes().map(|n| n as u32),
            threshold: self.comparer.threshold() as f32,
            rounds: self.comparer.rounds().iter().map(told).collect(),
        }
    }
}

/// A round as page and engine speak of it.
fn told(round: &train::Round) -> protocol::Round {
    protocol::Round {
        // A test holds that page and engine know the same procedures.
        procedure: round.procedure.name().parse().unwrap_or_default(),
        iterations: round.iterations as u8,
        correct: round.correct,
        changed: round.changed,
        entropy: round.entropy as f32,
        starved_children: round.starved_children as u32,
        starved_parents: round.starved_parents.iter().map(|class| *class as u8).collect(),
    }
}
