//! How a network is trained, in an address: the settings beside preset, batch size and seed.

use super::{iterations, nearest, whole};
use capscope_protocol::Procedure;

/// Learning rates on offer.
pub const RATES: [f64; 6] = [1e-4, 3e-4, 1e-3, 2e-3, 3e-3, 1e-2];

/// Weights of the reconstruction loss on offer: as printed, and as the authors ran it.
pub const RECONSTRUCTIONS: [f32; 2] = [0.0005, 0.01];

/// Epochs on offer.
pub const EPOCHS: [u32; 6] = [1, 3, 5, 10, 30, 100];

/// Steps between two tests on offer; 0: at the end of each epoch.
pub const TEST_INTERVALS: [u32; 4] = [0, 50, 100, 400];

/// How a network is trained. Each value is one of those on offer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// Whether it trains on two overlapping digits.
    pub pairs: bool,
    /// What routes the votes.
    pub procedure: Procedure,
    /// Learning rate at step 0.
    pub rate: f64,
    /// Routing iterations in training.
    pub iterations: u8,
    /// Weight of the reconstruction loss.
    pub reconstruction: f32,
    /// Epochs.
    pub epochs: u32,
    /// Steps between two tests; 0: each epoch.
    pub evaluate_every: u32,
}

impl Default for Recipe {
    fn default() -> Self {
        Recipe {
            pairs: false,
            procedure: Procedure::Dynamic,
            rate: 1e-3,
            iterations: 3,
            reconstruction: RECONSTRUCTIONS[0],
            epochs: 10,
            evaluate_every: 0,
        }
    }
}

impl Recipe {
    /// Takes one part of an address; what is none of its own is left alone.
    pub(super) fn read(&mut self, name: &str, value: &str) {
        let number = || value.parse::<f64>().ok().filter(|number| number.is_finite() && value.len() <= 40);
        let count = |offered: &[u32], now: u32| {
            whole(value, u32::MAX.into()).map_or(now, |given| nearest(offered, |o| o.abs_diff(given as u32)))
        };
        match name {
            "pairs" => self.pairs = value == "1" || (self.pairs && value != "0"),
            "train-routing" => self.procedure = value.parse().unwrap_or(self.procedure),
            "rate" => self.rate = number().map_or(self.rate, |given| nearest(&RATES, |o| (o - given).abs())),
            "train-r" => self.iterations = iterations(value).unwrap_or(self.iterations),
            "reconstruction" => {
                let offered = |given: f64| nearest(&RECONSTRUCTIONS, |o| (f64::from(o) - given).abs());
                self.reconstruction = number().map_or(self.reconstruction, offered);
            }
            "epochs" => self.epochs = count(&EPOCHS, self.epochs),
            "test" => self.evaluate_every = count(&TEST_INTERVALS, self.evaluate_every),
            _ => {}
        }
    }

    /// What differs from the default.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&'static str, String)> {
        let plain = Recipe::default();
        [
            (self.pairs != plain.pairs, "pairs", "1".to_string()),
            (self.procedure != plain.procedure, "train-routing", self.procedure.to_string()),
            (self.rate != plain.rate, "rate", self.rate.to_string()),
            (self.iterations != plain.iterations, "train-r", self.iterations.to_string()),
            (self.reconstruction != plain.reconstruction, "reconstruction", self.reconstruction.to_string()),
            (self.epochs != plain.epochs, "epochs", self.epochs.to_string()),
            (self.evaluate_every != plain.evaluate_every, "test", self.evaluate_every.to_string()),
        ]
        .into_iter()
        .filter_map(|(differs, name, value)| differs.then_some((name, value)))
    }
}
