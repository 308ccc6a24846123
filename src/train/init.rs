//! Initial weights: the authors' (Sarasra/models, research/capsules): normal cut at 2σ, σ = 0.05 for the first
//! convolution and 0.1 for everything else; every bias 0.1, the digit bias included. Mean ‖v‖ then starts near 0.16;
//! with Glorot's it would start below 5e-5, on a long plateau, and with σ = 1 all ten would saturate.

use crate::capsnet::{Config, Layout};
use crate::data::{Random, Stream};

/// Standard deviation of the first convolution's weights before they are cut.
pub const FIRST_DEVIATION: f64 = 0.05;

/// Standard deviation of all other weights before they are cut.
pub const DEVIATION: f64 = 0.1;

/// Every bias.
pub const BIAS: f32 = 0.1;

/// Flat parameters of an untrained network, all drawn from one seed.
pub fn initial_parameters(config: &Config, seed: u64) -> Vec<f32> {
    let layout = Layout::new(config);
    let mut random = Random::new(seed, Stream::Parameters);
    let mut flat = vec![0.0; layout.elements];
    for entry in &layout.entries {
        let deviation = if entry.name == "conv1.weight" { FIRST_DEVIATION } else { DEVIATION };
        let (_, kind) = entry.name.rsplit_once('.').unwrap_or_default();
        for value in &mut flat[entry.range()] {
            *value = match kind {
                "weight" => (deviation * random.normal_cut()) as f32,
                "bias" => BIAS,
                // What a procedure learns beside the votes begins at nothing.
                _ => 0.0,
            };
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capsnet::Preset;

    #[test]
    fn weights_are_cut_normals_of_the_stated_spread_and_biases_a_tenth() {
        let config = Preset::Compact.config();
        let (flat, layout) = (initial_parameters(&config, 1), Layout::new(&config));
        let padding = layout.elements - layout.parameters();
        assert!(flat.iter().filter(|&&x| x == 0.0).count() >= padding, "padding is zero");
        for entry in &layout.entries {
            let values = &flat[entry.range()];
            if entry.name.ends_with(".bias") {
                assert!(values.iter().all(|&x| x == 0.1), "{}", entry.name);
                continue;
            }
            let sigma = if entry.name == "conv1.weight" { 0.05 } else { 0.1 };
            let n = values.len() as f32;
            let spread = (values.iter().map(|x| x * x).sum::<f32>() / n).sqrt();
            assert!(values.iter().all(|x| x.abs() <= 2.0 * sigma), "{} is cut at 2σ", entry.name);
            // A normal cut at 2σ has 0.8796 of its deviation left.
            assert!((spread / sigma - 0.8796).abs() < 3.0 / n.sqrt(), "{}: {spread}", entry.name);
        }
        assert_ne!(flat, initial_parameters(&config, 2));
        assert_eq!(flat, initial_parameters(&config, 1));
    }
}
