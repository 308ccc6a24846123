//! What a network is made of, for the article under the page.

use serde::{Deserialize, Serialize};

/// A tensor of parameters as a product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summand {
    /// Its name in files, such as `conv1.weight`.
    pub name: String,
    /// Its extents, whose product is how many parameters it holds.
    pub factors: Vec<u32>,
}

/// A layer of a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// conv1, primary, digit, decoder.0, …
    pub name: String,
    /// Extents of what it puts out: channels, rows, columns; types, rows, columns, dimensions; capsules, dimensions; or
    /// outputs.
    pub output: Vec<u32>,
    /// Kernel and stride, if it is a convolution.
    pub kernel: Option<[u32; 2]>,
    /// Its parameters.
    pub summands: Vec<Summand>,
}

impl Part {
    /// How many parameters it has.
    pub fn parameters(&self) -> u64 {
        let product = |summand: &Summand| summand.factors.iter().map(|n| u64::from(*n)).product::<u64>();
        self.summands.iter().map(product).sum()
    }
}

/// What a preset's network is made of, and how it is run here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Structure {
    /// tiny, compact or paper.
    pub preset: String,
    /// Rows and columns of the input.
    pub input: [u32; 2],
    /// Its layers from the picture to the reconstruction.
    pub parts: Vec<Part>,
    /// All parameters.
    pub parameters: u64,
    /// Routing iterations r in training.
    pub iterations: u8,
    /// Coupling coefficients, which are computed for each picture and not trained.
    pub couplings: u64,
    /// m⁺ of the margin loss.
    pub present: f32,
    /// m⁻.
    pub absent: f32,
    /// λ, the weight of absent classes.
    pub down_weight: f32,
    /// Factor on the sum of squared pixel differences.
    pub reconstruction: f32,
    /// Factor on the primary convolution's sum before its bias.
    pub primary_scale: f32,
    /// Parameters of the digit capsules' bias; 0 if they have none.
    pub digit_bias: u64,
    /// Standard deviations of the weights at the start: in the first layer, in all others.
    pub deviations: [f32; 2],
    /// All biases at the start.
    pub bias_at_start: f32,
    /// Learning rate at step 0.
    pub rate: f64,
    /// The rate's factor over `decay_steps`.
    pub decay: f64,
    /// Steps over which the rate falls by `decay`.
    pub decay_steps: f64,
}
