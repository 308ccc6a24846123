//! What a network is: every size and every choice that changes its numbers.

use crate::ops::conv::Convolution;
use crate::plan::Run;
use crate::routing::{self, Gradient, Procedure};
use serde::{Deserialize, Serialize};

/// The first convolution: one input channel, ReLU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conv1 {
    /// Output channels.
    pub channels: usize,
    /// Kernel rows and columns.
    pub kernel: usize,
    /// Stride.
    pub stride: usize,
}

/// The primary capsules: a convolution without ReLU, squashed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Primary {
    /// Capsule types.
    pub types: usize,
    /// Dimensions of a capsule.
    pub dims: usize,
    /// Kernel rows and columns.
    pub kernel: usize,
    /// Stride.
    pub stride: usize,
    /// Factor on the weighted sum before the bias: 1/types in the authors' code, 1 as printed.
    pub scale: f32,
}

/// A layer of capsules routed from the one below.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Routed {
    /// Prefix of its tensors, such as `digit`.
    pub name: String,
    /// Parent capsules J.
    pub parents: usize,
    /// Dimensions of a parent D.
    pub dims: usize,
    /// The name of the procedure that routes it.
    #[serde(default = "dynamic")]
    pub procedure: String,
    /// Routing iterations r, 1 to 10; the same in every layer, since a run has one r.
    pub iterations: usize,
    /// What routing passes back.
    pub gradient: Gradient,
    /// Whether a trainable bias [J, D] joins s in every iteration, if the procedure takes one.
    pub bias: bool,
}

fn dynamic() -> String {
    "dynamic".into()
}

impl Routed {
    /// The procedure that routes it.
    ///
    /// # Panics
    /// If the configuration did not pass [`Config::check`].
    pub fn procedure(&self) -> &'static dyn Procedure {
        routing::named(&self.procedure).expect("a checked configuration names a procedure")
    }
}

/// The decoder's hidden layers; the last one has a sigmoid for each pixel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decoder {
    /// Outputs of the hidden layers, ReLU.
    pub hidden: Vec<usize>,
}

/// Margins and weights of the loss.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LossSettings {
    /// m⁺.
    pub present: f32,
    /// m⁻.
    pub absent: f32,
    /// λ, the weight of absent classes.
    pub down_weight: f32,
    /// Factor on the sum of squared pixel differences: 0.0005 as printed, 0.01 as the authors ran it.
    pub reconstruction: f32,
}

/// Adam with an exponentially decaying rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdamSettings {
    /// Learning rate of step 0.
    pub rate: f64,
    /// β₁.
    pub beta1: f64,
    /// β₂.
    pub beta2: f64,
    /// ε.
    pub epsilon: f64,
    /// The rate's factor over `decay_steps`.
    pub decay: f64,
    /// Steps over which the rate falls by `decay`, continuously.
    pub decay_steps: f64,
    /// The rate never falls below.
    pub floor: f64,
}

impl Default for AdamSettings {
    /// The authors' settings.
    fn default() -> Self {
        AdamSettings {
            rate: 1e-3,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            decay: 0.96,
            decay_steps: 2000.0,
            floor: 1e-6,
        }
    }
}

impl AdamSettings {
    /// Sets what Adam needs to know of a step, counted from 0: the rate and both bias corrections, 1 − βᵗ with t from 1.
    pub fn prepare(&self, run: &mut Run, step: u64) {
        let correction = |beta: f64| (1.0 - libm::pow(beta, (step + 1) as f64)) as f32;
        run.rate = self.rate_at(step) as f32;
        run.first_correction = correction(self.beta1);
        run.second_correction = correction(self.beta2);
    }

    /// The learning rate of a step, counted from 0.
    pub fn rate_at(&self, step: u64) -> f64 {
        (self.rate * libm::pow(self.decay, step as f64 / self.decay_steps)).max(self.floor.min(self.rate))
    }
}

/// Everything that shapes a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Input rows.
    pub height: usize,
    /// Input columns.
    pub width: usize,
    /// Digits in a picture that it trains on: 1, or 2 that overlap.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub digits: usize,
    /// First convolution.
    pub conv1: Conv1,
    /// Primary capsules.
    pub primary: Primary,
    /// Routed layers from bottom to top; the last one's parents are the classes.
    pub routed: Vec<Routed>,
    /// Decoder.
    pub decoder: Decoder,
    /// Loss.
    pub loss: LossSettings,
    /// Optimiser.
    pub adam: AdamSettings,
}

fn one() -> usize {
    1
}

fn is_one(digits: &usize) -> bool {
    *digits == 1
}

/// The networks whose figures can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// 180 144 parameters: tests, and training on a CPU in a page.
    Tiny,
    /// 792 496 parameters: the page's default.
    Compact,
    /// 8 215 728 parameters: the network of the paper, with the digit bias of the authors' code.
    Paper,
}

impl Preset {
    /// All, smallest first.
    pub const ALL: [Preset; 3] = [Preset::Tiny, Preset::Compact, Preset::Paper];

    /// Its name in addresses, files and on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Tiny => "tiny",
            Preset::Compact => "compact",
            Preset::Paper => "paper",
        }
    }

    /// The preset of a name.
    pub fn named(name: &str) -> Option<Self> {
        Preset::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Its configuration: the authors' pre-scale, biases and optimiser, the loss as printed, r = 3, full gradient.
    pub fn config(self) -> Config {
        let (channels, conv_stride, types, kernel, hidden) = match self {
            Preset::Tiny => (16, 2, 4, 5, vec![64, 128]),
            Preset::Compact => (32, 1, 8, 9, vec![128, 256]),
            Preset::Paper => (256, 1, 32, 9, vec![512, 1024]),
        };
        Config {
            height: 28,
            width: 28,
            digits: 1,
            conv1: Conv1 { channels, kernel: 9, stride: conv_stride },
            primary: Primary { types, dims: 8, kernel, stride: 2, scale: 1.0 / types as f32 },
            routed: vec![Routed {
                name: "digit".into(),
                procedure: dynamic(),
                parents: 10,
                dims: 16,
                iterations: 3,
                gradient: Gradient::Full,
                bias: true,
            }],
            decoder: Decoder { hidden },
            loss: LossSettings { present: 0.9, absent: 0.1, down_weight: 0.5, reconstruction: 0.0005 },
            adam: AdamSettings::default(),
        }
    }
}

/// Why a configuration makes no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A size is zero or beyond all use.
    #[error("{what} is {value}; it must be between 1 and {most}")]
    Size {
        /// What.
        what: &'static str,
        /// Its value.
        value: usize,
        /// The largest allowed.
        most: usize,
    },
    /// A kernel is larger than its input.
    #[error("the {layer} kernel ({kernel}) is larger than its {input}-pixel input; choose a smaller kernel or stride")]
    Kernel {
        /// The layer.
        layer: &'static str,
        /// Kernel rows.
        kernel: usize,
        /// Input rows or columns.
        input: usize,
    },
    /// Routed layers of different r.
    #[error("the routed layers have different numbers of iterations; one r holds for all of them")]
    Iterations,
    /// More digits in a picture than a training plan knows of, or than there are classes.
    #[error("{digits} digits in a picture of {classes} classes are not possible; choose 1 or 2, of different classes")]
    Digits {
        /// Digits in a picture.
        digits: usize,
        /// Classes.
        classes: usize,
    },
    /// No procedure has that name.
    #[error("there is no routing procedure called {name}; there are {known}")]
    Procedure {
        /// What was asked for.
        name: String,
        /// All that there are.
        known: String,
    },
    /// There is no class layer.
    #[error("the network has no routed layer; it needs at least one, whose parents are the classes")]
    NoLayer,
}

impl Config {
    /// Refuses what makes no network, before anything is computed or allocated from it.
    ///
    /// # Errors
    /// [`ConfigError`] naming the first size that is wrong.
    pub fn check(&self) -> Result<(), ConfigError> {
        let size = |what, value: usize, most| {
            if (1..=most).contains(&value) { Ok(()) } else { Err(ConfigError::Size { what, value, most }) }
        };
        size("height", self.height, 256)?;
        size("width", self.width, 256)?;
        size("conv1 channels", self.conv1.channels, 1024)?;
        size("conv1 kernel", self.conv1.kernel, 64)?;
        size("conv1 stride", self.conv1.stride, 64)?;
        size("capsule types", self.primary.types, 256)?;
        size("primary dimensions", self.primary.dims, 64)?;
        size("primary kernel", self.primary.kernel, 64)?;
        size("primary stride", self.primary.stride, 64)?;
        for layer in &self.routed {
            size("parents", layer.parents, 256)?;
            size("pose dimensions", layer.dims, 64)?;
            size("routing iterations", layer.iterations, 10)?;
            if routing::named(&layer.procedure).is_none() {
                let names: Vec<&str> = routing::PROCEDURES.iter().map(|procedure| procedure.name()).collect();
                return Err(ConfigError::Procedure { name: layer.procedure.clone(), known: names.join(", ") });
            }
        }
        for &outputs in &self.decoder.hidden {
            size("decoder outputs", outputs, 8192)?;
        }
        let last = self.routed.last().ok_or(ConfigError::NoLayer)?;
        if !(1..=last.parents.min(2)).contains(&self.digits) {
            return Err(ConfigError::Digits { digits: self.digits, classes: last.parents });
        }
        if self.routed.iter().any(|layer| layer.iterations != last.iterations) {
            return Err(ConfigError::Iterations);
        }
        let fits = |layer, kernel, input| {
            if kernel <= input { Ok(()) } else { Err(ConfigError::Kernel { layer, kernel, input }) }
        };
        fits("conv1", self.conv1.kernel, self.height.min(self.width))?;
        let first = self.conv1_shape();
        fits("primary", self.primary.kernel, first.height_out().min(first.width_out()))
    }

    /// The same network for two overlapping digits (Sabour et al. 2017, section 6): a larger input, in which each digit
    /// has `margin` pixels on each side to move, 4 in the paper; what follows grows with it.
    pub fn for_pairs(mut self, margin: usize) -> Config {
        self.height += 2 * margin;
        self.width += 2 * margin;
        self.digits = 2;
        self
    }

    /// Whether it trains on two overlapping digits.
    pub fn is_of_pairs(&self) -> bool {
        self.digits == 2
    }

    /// The first convolution with its sizes.
    pub fn conv1_shape(&self) -> Convolution {
        Convolution {
            channels_in: 1,
            height: self.height,
            width: self.width,
            channels_out: self.conv1.channels,
            kernel: self.conv1.kernel,
            stride: self.conv1.stride,
            scale: 1.0,
            relu: true,
        }
    }

    /// The convolution under the primary capsules with its sizes.
    pub fn primary_shape(&self) -> Convolution {
        let below = self.conv1_shape();
        Convolution {
            channels_in: self.conv1.channels,
            height: below.height_out(),
            width: below.width_out(),
            channels_out: self.primary.types * self.primary.dims,
            kernel: self.primary.kernel,
            stride: self.primary.stride,
            scale: self.primary.scale,
            relu: false,
        }
    }

    /// Primary capsules: types · positions.
    pub fn primary_capsules(&self) -> usize {
        self.primary.types * self.primary_shape().positions()
    }

    /// Pixels of the input.
    pub fn pixels(&self) -> usize {
        self.height * self.width
    }

    /// The layer whose parents are the classes.
    ///
    /// # Panics
    /// If the configuration did not pass [`Config::check`].
    pub fn classes(&self) -> &Routed {
        self.routed.last().expect("a checked configuration has a routed layer")
    }

    /// The routing iterations that the network trains with.
    pub fn iterations(&self) -> usize {
        self.classes().iterations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_decays_continuously_from_step_zero_to_a_floor() {
        let adam = AdamSettings::default();
        assert_eq!(adam.rate_at(0), 1e-3);
        assert!((adam.rate_at(2000) - 0.96e-3).abs() < 1e-15);
        assert!((adam.rate_at(1000) - 1e-3 * 0.96_f64.sqrt()).abs() < 1e-15);
        assert_eq!(adam.rate_at(1_000_000), 1e-6);
        assert_eq!(AdamSettings { rate: 0.0, ..adam }.rate_at(5), 0.0, "a rate of 0 stays 0");
    }

    #[test]
    fn networks_for_pairs_read_36_by_36_pixels() {
        let sizes = [(Preset::Tiny, 100), (Preset::Compact, 800), (Preset::Paper, 3_200)];
        for (preset, capsules) in sizes {
            let config = preset.config().for_pairs(4);
            assert_eq!((config.check(), config.height, config.width, config.digits), (Ok(()), 36, 36, 2));
            assert_eq!(config.primary_capsules(), capsules);
            assert_eq!(serde_json::from_str::<Config>(&serde_json::to_string(&config).unwrap()).unwrap(), config);
        }
        // A file from before there were pairs is one of single digits.
        assert!(!serde_json::to_string(&Preset::Tiny.config()).unwrap().contains("digits"));
    }

    #[test]
    fn presets_are_networks_and_a_kernel_too_large_is_named() {
        for preset in Preset::ALL {
            assert_eq!(preset.config().check(), Ok(()));
            assert_eq!(Preset::named(preset.name()), Some(preset));
        }
        let mut config = Preset::Tiny.config();
        config.digits = 3;
        assert_eq!(config.check(), Err(ConfigError::Digits { digits: 3, classes: 10 }));
        let mut config = Preset::Tiny.config();
        config.primary.kernel = 11;
        assert_eq!(config.check(), Err(ConfigError::Kernel { layer: "primary", kernel: 11, input: 10 }));
        config.routed[0].iterations = 11;
        assert!(config.check().unwrap_err().to_string().contains("routing iterations is 11"));
    }
}
