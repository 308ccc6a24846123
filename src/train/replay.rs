//! Replays a reference case: parameters, input and labels from a file; forward, backward and one Adam step on any
//! executor; every tensor that the case expects, under its name and in its shape.

use super::weights::numbers;
use crate::capsnet::{
    AdamSettings, Config, ConfigError, Conv1, Decoder, Layout, LossSettings, Primary, Purpose, Routed, plan,
};
use crate::exec::{Device, ExecError, Loaded};
use crate::plan::{Chosen, LedgerColumn, Phase, PlanError, Role, Run};
use crate::routing::Gradient;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::Deserialize;
use std::sync::Arc;

/// Why a case cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The JSON is not a case's.
    #[error("the case's JSON cannot be read: {0}")]
    Description(#[from] serde_json::Error),
    /// Its configuration makes no network.
    #[error("the case describes no possible network: {0}")]
    Config(#[from] ConfigError),
    /// The file of tensors cannot be read.
    #[error("the case's tensors cannot be read: {0}")]
    Tensors(#[from] safetensors::SafeTensorError),
    /// A tensor is not what the configuration says.
    #[error("tensor {name} holds {given} numbers where the configuration needs {wanted}")]
    Size {
        /// The tensor.
        name: String,
        /// Its elements; 0 if it is of an unreadable kind.
        given: usize,
        /// Elements needed.
        wanted: usize,
    },
    /// The network cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The device failed.
    #[error(transparent)]
    Exec(#[from] ExecError),
}

#[derive(Deserialize)]
struct Case {
    config: Flat,
}

/// The configuration as reference cases state it.
#[derive(Deserialize)]
struct Flat {
    batch: usize,
    height: usize,
    width: usize,
    conv1_channels: usize,
    conv1_kernel: usize,
    conv1_stride: usize,
    types: usize,
    primary_dim: usize,
    primary_kernel: usize,
    primary_stride: usize,
    primary_scale: f32,
    classes: usize,
    digit_dim: usize,
    iterations: usize,
    gradient: Gradient,
    decoder_hidden: Vec<usize>,
    m_plus: f32,
    m_minus: f32,
    down_weight: f32,
    reconstruction_weight: f32,
    adam: FlatAdam,
}

#[derive(Deserialize)]
struct FlatAdam {
    lr: f64,
    beta1: f64,
    beta2: f64,
    eps: f64,
}

/// The configuration and batch size that a case's JSON states; with `has_bias` the digit layer has a bias.
///
/// # Errors
/// If the JSON is not a case's or makes no network.
pub fn configuration(json: &str, has_bias: bool) -> Result<(Config, usize), ReplayError> {
    let Case { config: flat } = serde_json::from_str(json)?;
    let config = Config {
        height: flat.height,
        width: flat.width,
        digits: 1,
        conv1: Conv1 { channels: flat.conv1_channels, kernel: flat.conv1_kernel, stride: flat.conv1_stride },
        primary: Primary {
            types: flat.types,
            dims: flat.primary_dim,
            kernel: flat.primary_kernel,
            stride: flat.primary_stride,
            scale: flat.primary_scale,
        },
        routed: vec![Routed {
            name: "digit".into(),
            procedure: "dynamic".into(),
            parents: flat.classes,
            dims: flat.digit_dim,
            iterations: flat.iterations,
            gradient: flat.gradient,
            bias: has_bias,
        }],
        decoder: Decoder { hidden: flat.decoder_hidden },
        loss: LossSettings {
            present: flat.m_plus,
            absent: flat.m_minus,
            down_weight: flat.down_weight,
            reconstruction: flat.reconstruction_weight,
        },
        adam: AdamSettings {
            rate: flat.adam.lr,
            beta1: flat.adam.beta1,
            beta2: flat.adam.beta2,
            epsilon: flat.adam.eps,
            ..AdamSettings::default()
        },
    };
    config.check()?;
    Ok((config, flat.batch))
}

/// A named tensor of the outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// Such as `out.v`, `grad.conv1.weight`, `adam1.conv1.weight`.
    pub name: String,
    /// Its extents.
    pub shape: Vec<usize>,
    /// Its elements.
    pub values: Vec<f32>,
}

/// Runs a case on a device: `tensors` and `json` are the case's two files.
///
/// # Errors
/// [`ReplayError`], naming what does not fit.
pub async fn replay(device: &Device, tensors: &[u8], json: &str) -> Result<Vec<Named>, ReplayError> {
    let file = SafeTensors::deserialize(tensors)?;
    let (config, batch) = configuration(json, file.tensor("digit.bias").is_ok())?;
    let layout = Layout::new(&config);
    let mut parameters = vec![0.0; layout.elements];
    for entry in &layout.entries {
        parameters[entry.range()].copy_from_slice(&floats(&file, &entry.name, entry.elements())?);
    }
    let pixels = floats(&file, "input", batch * config.pixels())?;
    let labels = classes(&file, batch)?;

    let store = device.allocate(layout.elements, true)?;
    store.write(Role::Parameters, &parameters);
    let plan = Arc::new(plan(&config, Purpose::TrainTraced, batch)?);
    let mut loaded = device.load(plan.clone(), &store).await?;
    write(&mut loaded, "pixels", &pixels);
    write(&mut loaded, "labels", &labels);
    let mut run = Run::new(batch, config.iterations(), Chosen::Label);
    config.adam.prepare(&mut run, 0);
    let gradients_done = plan.end_of(Phase::Backward);
    loaded.run(&run, 0..gradients_done)?;
    let gradients = store.read(Role::Gradients).await?;
    loaded.run(&run, gradients_done..plan.steps.len())?;
    let updated = store.read(Role::Parameters).await?;

    let mut outcome = forward_tensors(&config, &loaded, batch).await?;
    for entry in &layout.entries {
        for (prefix, flat) in [("grad", &gradients), ("adam1", &updated)] {
            outcome.push(Named {
                name: format!("{prefix}.{}", entry.name),
                shape: entry.shape.clone(),
                values: flat[entry.range()].to_vec(),
            });
        }
    }
    Ok(outcome)
}

async fn forward_tensors(config: &Config, loaded: &Loaded, batch: usize) -> Result<Vec<Named>, ReplayError> {
    let names = [
        ("conv1", "out.conv1"),
        ("primary", "out.primary"),
        ("digit logits", "out.logits"),
        ("digit coupling", "out.coupling"),
        ("digit s history", "out.s"),
        ("digit v history", "out.v"),
        ("lengths", "out.lengths"),
        ("reconstruction", "out.reconstruction"),
        ("gradient of v", "debug.grad_v"),
        ("gradient of primary", "debug.grad_primary"),
        ("gradient of conv1", "debug.grad_conv1"),
    ];
    let mut outcome = vec![];
    for (tensor, name) in names {
        let id = loaded.plan().find(tensor).expect("a tensor of every training plan");
        let mut shape = loaded.plan().tensor(id).dims.clone();
        let values = loaded.read(id, shape.iter().product()).await?;
        if tensor == "reconstruction" {
            shape = vec![batch, 1, config.height, config.width];
        }
        outcome.push(Named { name: name.into(), shape, values });
    }
    let ledger = loaded.plan().find("ledger").expect("a tensor of every training plan");
    let sums = loaded.read(ledger, crate::plan::LEDGER_COLUMNS).await?;
    let mean = |column: LedgerColumn| sums[column as usize] / batch as f32;
    let (margin, reconstruction) = (mean(LedgerColumn::Margin), mean(LedgerColumn::Reconstruction));
    for (name, value) in
        [("margin_loss", margin), ("reconstruction_loss", reconstruction), ("loss", margin + reconstruction)]
    {
        outcome.push(Named { name: format!("out.{name}"), shape: vec![1], values: vec![value] });
    }
    Ok(outcome)
}

/// The outcome as a safetensors file.
pub fn to_bytes(outcome: &[Named]) -> Vec<u8> {
    let data: Vec<Vec<u8>> =
        outcome.iter().map(|named| named.values.iter().flat_map(|x| x.to_le_bytes()).collect()).collect();
    let views = outcome.iter().zip(&data).map(|(named, data)| {
        let view = TensorView::new(Dtype::F32, named.shape.clone(), data).expect("as many bytes as the shape says");
        (named.name.as_str(), view)
    });
    safetensors::serialize(views, None).expect("names do not clash")
}

fn write(loaded: &mut Loaded, name: &str, values: &[f32]) {
    let id = loaded.plan().find(name).expect("an input of every training plan");
    loaded.write(id, values);
}

fn floats(file: &SafeTensors<'_>, name: &str, wanted: usize) -> Result<Vec<f32>, ReplayError> {
    let values = numbers(&file.tensor(name)?).unwrap_or_default();
    if values.len() == wanted {
        Ok(values)
    } else {
        Err(ReplayError::Size { name: name.into(), given: values.len(), wanted })
    }
}

fn classes(file: &SafeTensors<'_>, wanted: usize) -> Result<Vec<f32>, ReplayError> {
    let tensor = file.tensor("labels")?;
    let labels: Vec<f32> = match tensor.dtype() {
        Dtype::I32 => tensor.data().as_chunks().0.iter().map(|&bytes| i32::from_le_bytes(bytes) as f32).collect(),
        _ => vec![],
    };
    if labels.len() == wanted {
        Ok(labels)
    } else {
        Err(ReplayError::Size { name: "labels".into(), given: labels.len(), wanted })
    }
}
