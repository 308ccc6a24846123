//! The networks that the engine holds: trained ones that ship, and the one in training.

use super::Engine;
use super::assets::Asset;
use super::explore::Reader;
use crate::capsnet::{Config, Layout, Purpose, ReceptiveField, plan};
use crate::exec::{Device, ExecError, Store};
use crate::plan::{Role, Step};
use crate::protocol::{Field, Network, NetworkStatus, PlanStep, Procedure, Snapshot};
use crate::train::weights::{self, About, Precision, Standing, Weights};
use std::rc::Rc;

/// A trained network that ships.
pub(super) struct Shipped {
    pub(super) about: Rc<About>,
    pub(super) store: Store,
    /// As they came: a device may be lost.
    parameters: Vec<f32>,
}

impl Shipped {
    fn place(device: &Device, weights: Weights) -> Result<Self, ExecError> {
        let store = place(device, &weights.parameters)?;
        Ok(Shipped { about: Rc::new(weights.about), store, parameters: weights.parameters })
    }

    /// The same network on another device; the one before may be gone.
    pub(super) fn move_to(&mut self, device: &Device) -> Result<(), ExecError> {
        self.store = place(device, &self.parameters)?;
        Ok(())
    }
}

/// Parameters in buffers of their own on a device.
fn place(device: &Device, parameters: &[f32]) -> Result<Store, ExecError> {
    let store = device.allocate(parameters.len(), false)?;
    store.write(Role::Parameters, parameters);
    Ok(store)
}

/// What a network's plans are made of: its configuration, its buffers, and the steps it has been trained for.
pub(super) struct Held {
    pub(super) config: Config,
    pub(super) store: Store,
    pub(super) step: u64,
}

impl Engine {
    /// The network of a name, if it is here; a shipped one is fetched if it is not.
    pub(super) fn held(&mut self, network: &Network) -> Option<Held> {
        match network {
            Network::Yours => self.training.as_ref().and_then(|training| training.held()),
            Network::Shipped(preset) => match self.shipped.get(preset) {
                Some(shipped) => Some(Held {
                    config: shipped.about.config.clone(),
                    store: shipped.store.clone(),
                    step: shipped.about.step,
                }),
                None => {
                    self.fetch(Asset::Network(preset.clone()));
                    None
                }
            },
        }
    }

    pub(super) async fn network_arrived(&mut self, preset: &str, bytes: &[u8]) -> Result<(), String> {
        let named = |error: &dyn std::fmt::Display| format!("the trained network {preset}: {error}");
        let weights = weights::from_bytes(bytes).map_err(|error| named(&error))?;
        let shipped = Shipped::place(self.device.current(), weights).map_err(|error| named(&error))?;
        let network = Network::Shipped(preset.into());
        self.host.send(Snapshot::Network(status(network, &shipped.about)));
        self.shipped.insert(preset.into(), shipped);
        // Whoever has asked for it in the meantime is answered now.
        if self.exploration.is_none() {
            self.exploration = self.latest.clone();
        }
        Ok(())
    }

    /// What routes a network in place of its own procedure, as the page has asked last.
    fn procedure(&self, network: &Network) -> Option<Procedure> {
        self.latest.as_ref().filter(|latest| latest.network == *network).and_then(|latest| latest.procedure)
    }

    /// The reader of a network, made if there is none for its present buffers and procedure.
    pub(super) async fn reader(&mut self, network: &Network) -> Result<Option<&mut Reader>, String> {
        let Some(held) = self.held(network) else { return Ok(None) };
        let procedure = self.procedure(network);
        if self.readers.get(network).is_none_or(|reader| reader.procedure != procedure) {
            let reader = Reader::new(self.device.current(), &held.config, &held.store, procedure).await?;
            self.readers.insert(network.clone(), reader);
            self.remember_kernels();
        }
        Ok(self.readers.get_mut(network))
    }

    pub(super) fn send_plan(&mut self, network: Network) {
        let Some(held) = self.held(&network) else {
            return self.problem("that network is not loaded yet; wait for it, or train one");
        };
        let batch = self.training.as_ref().map_or(128, |training| training.settings.batch);
        match plan(&held.config, Purpose::Train, 1) {
            Ok(plan) => {
                let steps = plan.steps.iter().map(|step| {
                    let cost = step.operation.cost(batch as usize);
                    let phase = format!("{:?}", step.phase).to_lowercase();
                    PlanStep { name: self.step_name(step, batch as usize), phase, flops: cost.flops, bytes: cost.bytes }
                });
                self.host.send(Snapshot::Plan(network, batch, steps.collect()));
            }
            Err(error) => self.problem(error),
        }
    }

    /// A step's name, with the kernel that runs where there are several.
    fn step_name(&self, step: &Step, batch: usize) -> String {
        let variant = match self.device.current() {
            Device::Cpu => None,
            Device::Gpu(context) => context.variant(&*step.operation, batch),
        };
        variant.map_or_else(|| step.name.clone(), |variant| format!("{} ({variant})", step.name))
    }

    pub(super) async fn save_weights(&mut self, network: Network) {
        let outcome = match &network {
            Network::Yours => self.training_as_file().await.and_then(|bytes| {
                let spoilt = "the network in training holds values that are no numbers any more; go back to its last good state first";
                bytes.ok_or_else(|| spoilt.to_string())
            }),
            Network::Shipped(preset) => self.shipped_as_file(preset),
        };
        match outcome {
            Ok(bytes) => self.host.send(Snapshot::Weights(network, bytes)),
            Err(error) => self.problem(error),
        }
    }

    fn shipped_as_file(&self, preset: &str) -> Result<Vec<u8>, String> {
        let shipped = self.shipped.get(preset).ok_or("that network is not loaded yet; wait for it and save again")?;
        Ok(weights::to_bytes(&shipped.about, &shipped.parameters, None, Precision::Half))
    }

    /// The network in training with all that is needed to go on; `None` if it is spoilt by numbers that are not finite.
    pub(super) async fn training_as_file(&self) -> Result<Option<Vec<u8>>, String> {
        let none = "there is no network in training yet; press Train first";
        let trainer = self.training.as_ref().and_then(|training| training.trainer.as_ref()).ok_or(none)?;
        let about = About {
            config: trainer.config().clone(),
            preset: self.training.as_ref().map(|training| training.settings.preset.clone()),
            step: trainer.step(),
            results: None,
            training: Some(Standing { settings: *trainer.settings(), position: trainer.position() }),
        };
        let store = trainer.store();
        let mut buffers = vec![];
        for role in [Role::Parameters, Role::FirstMoments, Role::SecondMoments] {
            buffers.push(store.read(role).await.map_err(|error| error.to_string())?);
        }
        if buffers.iter().flatten().any(|value| !value.is_finite()) {
            return Ok(None);
        }
        Ok(Some(weights::to_bytes(&about, &buffers[0], Some([&buffers[1], &buffers[2]]), Precision::Single)))
    }
}

/// What the page is told of a network in a file.
pub(super) fn status(network: Network, about: &About) -> NetworkStatus {
    let flatten = |table: &[Vec<f32>]| table.iter().flatten().copied().collect();
    let results = about.results.as_ref();
    NetworkStatus {
        preset: about.preset.clone().unwrap_or_default(),
        correct: results.map(|results| results.correct),
        means: results.map(|results| flatten(&results.means)).unwrap_or_default(),
        deviations: results.map(|results| flatten(&results.deviations)).unwrap_or_default(),
        ..shape_status(network, &about.config, about.step)
    }
}

/// The part of a network's status that follows from its configuration.
pub(super) fn shape_status(network: Network, config: &Config, step: u64) -> NetworkStatus {
    let (primary, classes) = (config.primary_shape(), config.classes());
    NetworkStatus {
        network,
        preset: String::new(),
        procedure: classes.procedure.parse().unwrap_or_default(),
        parameters: Layout::new(config).parameters() as u32,
        step,
        correct: None,
        grid: [config.primary.types, primary.height_out(), primary.width_out()].map(|n| n as u32),
        fields: receptive_fields(config),
        input: [config.height, config.width].map(|n| n as u32),
        digits: config.digits as u32,
        poses: [classes.parents, classes.dims].map(|n| n as u32),
        means: vec![],
        deviations: vec![],
    }
}

/// What a position of the first convolution and what a primary capsule sees of the input.
fn receptive_fields(config: &Config) -> [Field; 2] {
    let (first, second) = (config.conv1_shape(), config.primary_shape());
    [ReceptiveField::of(&[first]), ReceptiveField::of(&[first, second])]
        .map(|field| Field { size: field.size as u32, stride: field.stride as u32 })
}
