//! Weight files that others can read: safetensors with PyTorch's names and shapes, f16 or f32, the configuration and
//! the results as JSON in the metadata.

use super::trainer::Settings;
use crate::capsnet::{Config, ConfigError, Layout};
use crate::data::BatcherState;
use half::f16;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The key under which the file's metadata holds [`About`].
const KEY: &str = "capscope";

/// What a weight file says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The network.
    pub config: Config,
    /// The preset's name, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Training steps done.
    pub step: u64,
    /// What it was trained with and what came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Results>,
    /// Where training stands, if it is to go on from this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<Standing>,
}

/// Where training stands: with the moments, all that is needed to go on as if it had never stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// The run's settings.
    pub settings: Settings,
    /// Where its batches stand.
    pub position: BatcherState,
}

/// How a network was trained, and what it does on the 10 000 test images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The command line that made the file.
    pub command: String,
    /// The seed.
    pub seed: u64,
    /// One line for each epoch.
    pub log: Vec<String>,
    /// Read right, of the file's own (rounded) weights.
    pub correct: u32,
    /// Read in all.
    pub total: u32,
    /// Mean of each pose dimension of the label's capsule over the test digits of each class [classes][dims].
    pub means: Vec<Vec<f32>>,
    /// Their standard deviations.
    pub deviations: Vec<Vec<f32>>,
}

/// How numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 16 bits: half the size, for networks that ship.
    Half,
    /// 32 bits: exactly what was in memory.
    Single,
}

/// A network read from a file: its description and flat parameters in the layout of its configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// What the file says of itself.
    pub about: About,
    /// Flat parameters, [`Layout::elements`] long.
    pub parameters: Vec<f32>,
    /// Adam's first and second moments, if the file has them.
    pub moments: Option<[Vec<f32>; 2]>,
}

/// Why a weight file is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// Not a safetensors file.
    #[error("this is not a safetensors file ({0}); choose a file that Capscope or PyTorch's safetensors saved")]
    NotSafetensors(String),
    /// No description.
    #[error("the file does not say what network it holds (no \"{KEY}\" in its metadata); save it from Capscope")]
    NoDescription,
    /// A description that cannot be read.
    #[error("the file's description of its network cannot be read ({0}); it may be of another version")]
    BadDescription(String),
    /// A description that makes no network.
    #[error("the file describes no possible network: {0}")]
    Impossible(#[from] ConfigError),
    /// A tensor is missing.
    #[error("the file has no tensor {0}, which its network needs")]
    Missing(String),
    /// A tensor too many.
    #[error("the file has a tensor {0}, which its network does not have")]
    Extra(String),
    /// A tensor of the wrong shape.
    #[error("tensor {name} has shape {given:?}; its network takes {wanted:?}")]
    Misshapen {
        /// The tensor.
        name: String,
        /// Its shape.
        given: Vec<usize>,
        /// The shape it should have.
        wanted: Vec<usize>,
    },
    /// A tensor of another kind of number.
    #[error("tensor {0} holds {1}; only F32 and F16 are read")]
    Numbers(String, String),
    /// NaN or infinity.
    #[error(
        "tensor {0} holds a value that is not a finite number; the network was saved after its training had failed"
    )]
    NotFinite(String),
}

/// A safetensors file of a network; `moments` only where training is to go on exactly.
pub fn to_bytes(about: &About, parameters: &[f32], moments: Option<[&[f32]; 2]>, precision: Precision) -> Vec<u8> {
    let layout = Layout::new(&about.config);
    let mut named: Vec<(String, Vec<usize>, Vec<u8>)> = vec![];
    let mut add = |prefix: &str, flat: &[f32]| {
        for entry in &layout.entries {
            let values = &flat[entry.range()];
            let bytes = match precision {
                Precision::Half => values.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes()).collect(),
                Precision::Single => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
            };
            named.push((format!("{prefix}{}", entry.name), entry.shape.clone(), bytes));
        }
    };
    add("", parameters);
    if let Some([first, second]) = moments {
        add("adam.m.", first);
        add("adam.v.", second);
    }
    let dtype = if precision == Precision::Half { Dtype::F16 } else { Dtype::F32 };
    let views = named.iter().map(|(name, shape, bytes)| {
        let view = TensorView::new(dtype, shape.clone(), bytes).expect("as many bytes as the shape says");
        (name.as_str(), view)
    });
    let description = serde_json::to_string(about).expect("plain data always serialises");
    let metadata = HashMap::from([(KEY.to_string(), description)]);
    safetensors::serialize(views, Some(metadata)).expect("names and shapes of one layout do not clash")
}

/// Reads a weight file.
///
/// # Errors
/// [`WeightsError`] naming the first thing that does not fit: no allocation is larger than the file justifies.
pub fn from_bytes(bytes: &[u8]) -> Result<Weights, WeightsError> {
    let unreadable = |error: safetensors::SafeTensorError| WeightsError::NotSafetensors(error.to_string());
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(unreadable)?;
    let description = header.metadata().as_ref().and_then(|all| all.get(KEY)).ok_or(WeightsError::NoDescription)?;
    let about: About =
        serde_json::from_str(description).map_err(|error| WeightsError::BadDescription(error.to_string()))?;
    about.config.check()?;
    let file = SafeTensors::deserialize(bytes).map_err(unreadable)?;
    let layout = Layout::new(&about.config);
    let has_moments = file.names().iter().any(|name| name.starts_with("adam."));
    let prefixes: &[&str] = if has_moments { &["", "adam.m.", "adam.v."] } else { &[""] };
    for name in file.names() {
        let known = prefixes.iter().any(|prefix| name.strip_prefix(prefix).is_some_and(|n| layout.find(n).is_some()));
        if !known {
            return Err(WeightsError::Extra(name.to_string()));
        }
    }
    // Every tensor is checked against the file before the flat buffer, whose size the description sets, is allocated.
    for prefix in prefixes {
        for entry in &layout.entries {
            check_shape(&file, &format!("{prefix}{}", entry.name), &entry.shape)?;
        }
    }
    let parameters = flat(&file, "", &layout)?;
    let moments = match has_moments {
        true => Some([flat(&file, "adam.m.", &layout)?, flat(&file, "adam.v.", &layout)?]),
        false => None,
    };
    Ok(Weights { about, parameters, moments })
}

fn check_shape(file: &SafeTensors<'_>, name: &str, wanted: &[usize]) -> Result<(), WeightsError> {
    let tensor = file.tensor(name).map_err(|_| WeightsError::Missing(name.to_string()))?;
    if tensor.shape() != wanted {
        let (given, wanted) = (tensor.shape().to_vec(), wanted.to_vec());
        return Err(WeightsError::Misshapen { name: name.to_string(), given, wanted });
    }
    Ok(())
}

fn flat(file: &SafeTensors<'_>, prefix: &str, layout: &Layout) -> Result<Vec<f32>, WeightsError> {
    let mut flat = vec![0.0; layout.elements];
    for entry in &layout.entries {
        let name = format!("{prefix}{}", entry.name);
        let tensor = file.tensor(&name).map_err(|_| WeightsError::Missing(name.clone()))?;
        let values =
            numbers(&tensor).ok_or_else(|| WeightsError::Numbers(name.clone(), format!("{:?}", tensor.dtype())))?;
        if values.iter().any(|value| !value.is_finite()) {
            return Err(WeightsError::NotFinite(name));
        }
        flat[entry.range()].copy_from_slice(&values);
    }
    Ok(flat)
}

/// The values of an F32 or F16 tensor.
pub(super) fn numbers(tensor: &TensorView<'_>) -> Option<Vec<f32>> {
    let data = tensor.data();
    match tensor.dtype() {
        Dtype::F32 => Some(data.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()),
        Dtype::F16 => Some(data.as_chunks().0.iter().map(|&bytes| f16::from_le_bytes(bytes).to_f32()).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capsnet::Preset;

    fn sample() -> (About, Vec<f32>) {
        let config = Preset::Tiny.config();
        let layout = Layout::new(&config);
        let mut flat = vec![0.0; layout.elements];
        for entry in &layout.entries {
            for (k, value) in flat[entry.range()].iter_mut().enumerate() {
                *value = (k % 1000) as f32 / 256.0 - 1.0;
            }
        }
        (About { config, preset: Some("tiny".into()), step: 7, results: None, training: None }, flat)
    }

    #[test]
    fn what_is_saved_is_read_back_to_the_bit() {
        let (about, flat) = sample();
        let moments = [flat.iter().map(|x| x * 0.1).collect::<Vec<_>>(), flat.iter().map(|x| x * x).collect()];
        let bytes = to_bytes(&about, &flat, Some([&moments[0], &moments[1]]), Precision::Single);
        let read = from_bytes(&bytes).expect("our own file");
        assert_eq!(read, Weights { about, parameters: flat, moments: Some(moments) });
    }

    #[test]
    fn half_precision_halves_the_file() {
        let (about, flat) = sample();
        let bytes = to_bytes(&about, &flat, None, Precision::Half);
        assert!(bytes.len() < 180_144 * 2 + 4096);
        let read = from_bytes(&bytes).expect("our own file");
        assert_eq!(read.parameters, flat.iter().map(|&x| f16::from_f32(x).to_f32()).collect::<Vec<_>>());
    }

    #[test]
    fn each_refusal_names_its_cause() {
        let (about, mut flat) = sample();
        let refuse = |bytes: &[u8]| from_bytes(bytes).expect_err("refused").to_string();
        assert!(refuse(b"PK\x03\x04 not this").contains("not a safetensors file"));
        let bytes = to_bytes(&about, &flat, None, Precision::Single);
        assert!(refuse(&bytes[..bytes.len() - 1]).contains("not a safetensors file"));
        let plain = safetensors::serialize(Vec::<(&str, TensorView<'_>)>::new(), None).expect("an empty file");
        assert!(refuse(&plain).contains("does not say what network"));

        let description = serde_json::to_string(&about).expect("plain data");
        let with = |name: &str, shape: Vec<usize>, description: &str| {
            let data = vec![0_u8; 4 * shape.iter().product::<usize>()];
            let view = TensorView::new(Dtype::F32, shape, &data).expect("a view");
            let metadata = HashMap::from([(KEY.to_string(), description.to_string())]);
            safetensors::serialize([(name, view)], Some(metadata)).expect("a file")
        };
        assert!(refuse(&with("conv9.weight", vec![1], &description)).contains("has a tensor conv9.weight"));
        assert!(refuse(&with("conv1.weight", vec![2, 2], &description)).contains("conv1.weight has shape [2, 2]"));
        assert!(refuse(&with("conv1.weight", vec![16, 1, 9, 9], &description)).contains("no tensor conv1.bias"));
        let absurd = description.replace("\"channels\":16", "\"channels\":99999999");
        assert!(refuse(&with("conv1.weight", vec![1], &absurd)).contains("conv1 channels is 99999999"));

        flat[3] = f32::NAN;
        assert!(refuse(&to_bytes(&about, &flat, None, Precision::Single)).contains("not a finite number"));
    }
}
