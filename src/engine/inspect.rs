//! What a person looks at beside the reading: votes, layers, and the whole trace as a file.

use super::Engine;
use super::explore::Reader;
use crate::exec::ExecError;
use crate::ops::support::{dot, norm};
use crate::protocol::{Exploration, Inspection, Layer, Layers, Snapshot, Votes};
use crate::train::replay::{self, Named};

/// Tensors of the trace that hold one entry for each iteration, the first extent being the most there can be.
const HISTORIES: [&str; 3] = [" logits", " coupling", " history"];

impl Reader {
    /// The votes for one class in the last reading.
    async fn votes(&self, exploration: &Exploration, class: usize) -> Result<Votes, String> {
        let layer = self.config.classes().clone();
        let (parents, dims) = (layer.parents, layer.dims);
        let rounds = usize::from(exploration.iterations.clamp(1, 10));
        let all = self.tensor(&format!("{} votes", layer.name)).await?;
        let sums = self.tensor(&format!("{} s history", layer.name)).await?;
        let bias = match layer.bias {
            true => self.tensor(&format!("{}.bias", layer.name)).await?,
            false => vec![0.0; parents * dims],
        };
        let of_class = |pose: &[f32]| pose[class * dims..][..dims].to_vec();
        let agreement = |vote: &[f32]| -> Vec<f32> {
            vote.chunks_exact(dims).zip(self.poses.chunks_exact(dims)).map(|(vote, pose)| dot(vote, pose)).collect()
        };
        Ok(Votes {
            serial: exploration.serial,
            class: class as u8,
            votes: all.chunks_exact(parents * dims).flat_map(of_class).collect(),
            bias: of_class(&bias),
            sums: sums.chunks_exact(parents * dims).take(rounds).flat_map(of_class).collect(),
            agreement: all.chunks_exact(parents * dims).flat_map(agreement).collect(),
            strengths: all.chunks_exact(dims).map(norm).collect(),
        })
    }

    /// A layer of the last reading.
    async fn layer(&self, name: &str) -> Result<Layer, String> {
        let plan = self.trace.plan();
        let id = plan.find(name).ok_or_else(|| format!("the trace has no tensor {name}"))?;
        let shape = plan.tensor(id).dims[1..].iter().map(|n| *n as u32).collect();
        Ok(Layer { name: name.into(), shape, values: self.tensor(name).await? })
    }

    /// The decoder's hidden layers as they make the picture in view.
    async fn decoder_layers(&mut self, exploration: &Exploration) -> Result<Vec<Layer>, String> {
        let (pose, class) = (self.bent(exploration), self.class(exploration.shown));
        // The sweep may have gone through the decoder since.
        self.decode(&[(class, pose)]).await?;
        let plan = self.decode.plan().clone();
        let mut layers = vec![];
        for (index, &outputs) in self.config.decoder.hidden.iter().enumerate() {
            let name = format!("decoder.{index}");
            let id = plan.find(&name).ok_or_else(|| format!("the decoder has no tensor {name}"))?;
            let values = self.decode.read(id, outputs).await.map_err(|error| error.to_string())?;
            layers.push(Layer { name, shape: vec![outputs as u32], values });
        }
        Ok(layers)
    }

    /// Every tensor of the last reading under its name in the plan; the parameters are in the weight file.
    async fn trace(&self, rounds: usize) -> Result<Vec<Named>, ExecError> {
        let plan = self.trace.plan();
        let mut all = vec![];
        for tensor in plan.tensors.iter().filter(|tensor| tensor.per_image && tensor.name != "labels") {
            let mut shape = tensor.dims[1..].to_vec();
            if HISTORIES.iter().any(|end| tensor.name.ends_with(end)) {
                shape[0] = rounds;
            }
            if tensor.name == "reconstruction" {
                shape = vec![self.config.height, self.config.width];
            }
            let id = plan.find(&tensor.name).expect("a tensor of this plan");
            let values = self.trace.read(id, shape.iter().product()).await?;
            all.push(Named { name: tensor.name.clone(), shape, values });
        }
        Ok(all)
    }
}

impl Engine {
    /// Sends what is looked at and has changed; `is_new`: the reading has.
    pub(super) async fn inspect(&mut self, exploration: &Exploration, is_new: bool) -> Result<(), String> {
        if is_new {
            self.votes_of = None;
        }
        let wanted = self.inspection;
        if wanted == Inspection::default() {
            return Ok(());
        }
        let told = self.votes_of;
        let Some(reader) = self.reader(&exploration.network).await? else { return Ok(()) };
        let class = reader.class(exploration.shown);
        let votes = match wanted.votes && told != Some(class) {
            true => Some(reader.votes(exploration, class).await?),
            false => None,
        };
        let mut layers = vec![];
        if wanted.convolution && is_new {
            layers.push(reader.layer("conv1").await?);
        }
        if wanted.decoder {
            layers.extend(reader.decoder_layers(exploration).await?);
        }
        if let Some(votes) = votes {
            self.votes_of = Some(class);
            self.host.send(Snapshot::Votes(Box::new(votes)));
        }
        if !layers.is_empty() {
            self.host.send(Snapshot::Layers(Box::new(Layers { serial: exploration.serial, layers })));
        }
        Ok(())
    }

    /// Takes what is looked at from now on, and sends it for the digit in view.
    pub(super) async fn look_into(&mut self, inspection: Inspection) {
        self.inspection = inspection;
        if let Some(exploration) = self.latest.clone()
            && self.is_read(&exploration)
            && let Err(error) = self.inspect(&exploration, true).await
        {
            self.problem(error);
        }
    }

    /// Sends all tensors of the digit in view as a file.
    pub(super) async fn save_trace(&mut self) {
        let none = "there is no digit to save a trace of; draw one first";
        let Some(exploration) = self.latest.clone().filter(|exploration| self.is_read(exploration)) else {
            return self.problem(none);
        };
        let rounds = usize::from(exploration.iterations.clamp(1, 10));
        let Some(reader) = self.readers.get(&exploration.network) else { return self.problem(none) };
        match reader.trace(rounds).await {
            Ok(tensors) => self.host.send(Snapshot::Trace(replay::to_bytes(&tensors))),
            Err(error) => self.problem(error),
        }
    }

    /// Whether the tensors of its network hold what an exploration asks for. If they do not, it will be answered, with
    /// all that is looked at, as soon as its network is there.
    fn is_read(&mut self, exploration: &Exploration) -> bool {
        let Some(step) = self.held(&exploration.network).map(|held| held.step) else { return false };
        !exploration.pixels.is_empty()
            && self.readers.get(&exploration.network).is_some_and(|reader| reader.holds(exploration, step))
    }
}
