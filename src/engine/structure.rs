//! What a network is made of, counted from its configuration: for the table that stands in the page's article.

use super::Engine;
use crate::capsnet::{Config, Layout, Preset};
use crate::protocol::{Part, Snapshot, Structure, Summand};
use crate::train::{BIAS, DEVIATION, FIRST_DEVIATION};

impl Engine {
    pub(super) fn send_structure(&self, preset: &str) {
        match Preset::named(preset) {
            Some(known) => self.host.send(Snapshot::Structure(Box::new(structure(preset, &known.config())))),
            None => self.problem(format!("there is no network called {preset}; take tiny, compact or paper")),
        }
    }
}

/// The parts of a network from the picture to the reconstruction.
fn structure(preset: &str, config: &Config) -> Structure {
    let layout = Layout::new(config);
    let (first, primary) = (config.conv1_shape(), config.primary_shape());
    let summands = |part: &str| {
        let of_part = layout
            .entries
            .iter()
            .filter(|entry| entry.name.strip_prefix(part).is_some_and(|rest| rest.starts_with('.')));
        of_part.map(|entry| Summand { name: entry.name.clone(), factors: sizes(&entry.shape) }).collect::<Vec<_>>()
    };
    let mut parts = vec![
        Part {
            name: "conv1".into(),
            output: sizes(&[first.channels_out, first.height_out(), first.width_out()]),
            kernel: Some([first.kernel as u32, first.stride as u32]),
            summands: summands("conv1"),
        },
        Part {
            name: "primary".into(),
            output: sizes(&[config.primary.types, primary.height_out(), primary.width_out(), config.primary.dims]),
            kernel: Some([primary.kernel as u32, primary.stride as u32]),
            summands: summands("primary"),
        },
    ];
    for layer in &config.routed {
        parts.push(Part {
            name: layer.name.clone(),
            output: sizes(&[layer.parents, layer.dims]),
            kernel: None,
            summands: summands(&layer.name),
        });
    }
    for (index, &outputs) in config.decoder.hidden.iter().chain([&config.pixels()]).enumerate() {
        let name = format!("decoder.{index}");
        parts.push(Part { output: sizes(&[outputs]), kernel: None, summands: summands(&name), name });
    }
    let classes = config.classes();
    Structure {
        preset: preset.into(),
        input: [config.height as u32, config.width as u32],
        parts,
        parameters: layout.parameters() as u64,
        iterations: classes.iterations as u8,
        couplings: (config.primary_capsules() * classes.parents) as u64,
        present: config.loss.present,
        absent: config.loss.absent,
        down_weight: config.loss.down_weight,
        reconstruction: config.loss.reconstruction,
        primary_scale: config.primary.scale,
        digit_bias: if classes.bias { (classes.parents * classes.dims) as u64 } else { 0 },
        deviations: [FIRST_DEVIATION, DEVIATION].map(|deviation| deviation as f32),
        bias_at_start: BIAS,
        rate: config.adam.rate,
        decay: config.adam.decay,
        decay_steps: config.adam.decay_steps,
    }
}

fn sizes(of: &[usize]) -> Vec<u32> {
    of.iter().map(|size| *size as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summands_of_all_parts_are_the_parameters() {
        for preset in Preset::ALL {
            let structure = structure(preset.name(), &preset.config());
            let sum: u64 = structure.parts.iter().map(Part::parameters).sum();
            assert_eq!(sum, structure.parameters, "{}", preset.name());
        }
    }

    #[test]
    fn the_papers_network_has_the_shapes_and_counts_that_are_printed() {
        let structure = structure("paper", &Preset::Paper.config());
        let told: Vec<_> = structure.parts.iter().map(|part| (part.name.as_str(), &part.output[..])).collect();
        assert_eq!(told[0], ("conv1", &[256, 20, 20][..]));
        assert_eq!(told[1], ("primary", &[32, 6, 6, 8][..]));
        assert_eq!(told[2], ("digit", &[10, 16][..]));
        assert_eq!(told[5], ("decoder.2", &[784][..]));
        let counts: Vec<u64> = structure.parts.iter().map(Part::parameters).collect();
        assert_eq!(counts[..3], [20_992, 5_308_672, 1_474_560 + 160]);
        assert_eq!(counts[3..].iter().sum::<u64>(), 1_411_344);
        assert_eq!(structure.couplings, 11_520);
    }
}
