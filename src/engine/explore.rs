//! Reading a digit and decoding its pose: what a person's every move asks for.

use super::Engine;
use super::frame::{SHOWN, as_read, as_shown};
use super::survey::Many;
use crate::capsnet::{Config, Purpose, plan_routed_by};
use crate::exec::{Device, Loaded, Store};
use crate::ops::lengths::longest;
use crate::ops::support::{entropy, norm};
use crate::plan::{Chosen, Run};
use crate::protocol::{Exploration, Network, Picture, Procedure, Reading, Shown, Snapshot};
use crate::routing;
use std::sync::Arc;

/// Poses decoded in one run. A run always decodes so many, the rest being zero, so that a picture is the same to the
/// bit whatever is decoded beside it.
const POSES: usize = 12;

/// A network's plans for looking at single digits, with the last digit read.
pub(super) struct Reader {
    pub(super) config: Config,
    /// What routes in place of the network's own procedure.
    pub(super) procedure: Option<Procedure>,
    pub(super) trace: Loaded,
    pub(super) decode: Loaded,
    /// What the trace plan's tensors hold: pixels, iterations, and the step of the network.
    read: Option<(Vec<f32>, u8, u64)>,
    /// Lengths and poses of the last iteration.
    pub(super) lengths: Vec<f32>,
    pub(super) poses: Vec<f32>,
    /// The plan that reads many pictures at once, once it was needed.
    pub(super) many: Option<Many>,
}

impl Reader {
    pub(super) async fn new(
        device: &Device,
        config: &Config,
        store: &Store,
        procedure: Option<Procedure>,
    ) -> Result<Self, String> {
        let instead = procedure.and_then(|procedure| routing::named(procedure.name()));
        let load = async |purpose, capacity| {
            let plan = plan_routed_by(config, purpose, capacity, instead).map_err(|error| error.to_string())?;
            device.load(Arc::new(plan), store).await.map_err(|error| error.to_string())
        };
        Ok(Reader {
            trace: load(Purpose::Trace, 1).await?,
            decode: load(Purpose::Decode, POSES).await?,
            config: config.clone(),
            procedure,
            read: None,
            lengths: vec![],
            poses: vec![],
            many: None,
        })
    }

    /// True if the tensors hold the reading that is asked for.
    pub(super) fn holds(&self, exploration: &Exploration, step: u64) -> bool {
        self.read.as_ref().is_some_and(|(pixels, iterations, read_step)| {
            *pixels == exploration.pixels && *iterations == exploration.iterations && *read_step == step
        })
    }

    /// A tensor of the digit that was read.
    pub(super) async fn tensor(&self, name: &str) -> Result<Vec<f32>, String> {
        let plan = self.trace.plan();
        let id = plan.find(name).ok_or_else(|| format!("the trace has no tensor {name}"))?;
        self.trace.read(id, plan.tensor(id).elements()).await.map_err(|error| error.to_string())
    }

    /// Reads a digit.
    async fn reading(&mut self, exploration: &Exploration, step: u64) -> Result<Reading, String> {
        let failed = |error: crate::exec::ExecError| error.to_string();
        let plan = self.trace.plan().clone();
        let pixels = plan.find("pixels").ok_or("the trace takes no pixels")?;
        let seen = as_read(&exploration.pixels, &self.config)?;
        let iterations = exploration.iterations.clamp(1, 10);
        let r = usize::from(iterations);
        self.trace.write(pixels, &seen);
        self.trace.run(&Run::new(1, r, Chosen::Longest), 0..plan.steps.len()).map_err(failed)?;

        let layer = self.config.classes().clone();
        let primary = self.tensor("primary").await?;
        let children = primary.len() / self.config.primary.dims;
        let of_layer = async |name: &str, each: usize| {
            let mut values = self.tensor(&format!("{} {name}", layer.name)).await?;
            values.truncate(r * each);
            Ok::<_, String>(values)
        };
        let (pairs, pose) = (children * layer.parents, layer.parents * layer.dims);
        let coupling = of_layer("coupling", pairs).await?;
        let logits = of_layer("logits", pairs).await?;
        let poses = of_layer("v history", pose).await?;
        let lengths: Vec<f32> = poses.chunks_exact(layer.dims).map(norm).collect();
        let entropy = coupling.chunks_exact(pairs).map(|c| entropy(c) / children as f32).collect();
        self.lengths = lengths[(r - 1) * layer.parents..].to_vec();
        self.poses = poses[(r - 1) * pose..].to_vec();
        self.read = Some((exploration.pixels.clone(), exploration.iterations, step));
        Ok(Reading {
            serial: exploration.serial,
            network: exploration.network.clone(),
            step,
            iterations,
            sizes: [children, layer.parents, layer.dims].map(|n| n as u32),
            coupling,
            logits,
            poses,
            entropy,
            activity: primary.chunks_exact(self.config.primary.dims).map(norm).collect(),
            winner: longest(&self.lengths) as u8,
            lengths,
            millis: 0.0,
        })
    }

    /// The capsule that is decoded.
    pub(super) fn class(&self, shown: Shown) -> usize {
        match shown {
            Shown::Longest => longest(&self.lengths),
            Shown::Class(class) => usize::from(class).min(self.config.classes().parents - 1),
        }
    }

    /// Its pose in the last iteration with the offsets.
    pub(super) fn bent(&self, exploration: &Exploration) -> Vec<f32> {
        let dims = self.config.classes().dims;
        let pose = &self.poses[self.class(exploration.shown) * dims..][..dims];
        pose.iter().enumerate().map(|(d, value)| value + exploration.offsets.get(d).unwrap_or(&0.0)).collect()
    }

    /// Decodes the last reading's pose, bent by the offsets.
    async fn picture(&mut self, exploration: &Exploration) -> Result<Picture, String> {
        let layer = self.config.classes().clone();
        let class = self.class(exploration.shown);
        let pose = self.poses[class * layer.dims..][..layer.dims].to_vec();
        let bent = self.bent(exploration);
        let mut all = vec![bent.clone()];
        if let Some((dim, offsets)) = &exploration.sweep {
            let dim = usize::from(*dim).min(layer.dims - 1);
            all.extend(moved(&bent, dim, pose[dim], offsets));
        }
        let all: Vec<_> = all.into_iter().map(|pose| (class, pose)).collect();
        let mut pictures = self.decode(&all).await?;
        let pixels = pictures.drain(..SHOWN).collect();
        let two = if exploration.two { self.two_longest().await? } else { vec![] };
        Ok(Picture { serial: exploration.serial, class: class as u8, pose, pixels, two, sweep: pictures, millis: 0.0 })
    }

    /// The classes of the two longest capsules and their plain pictures, each decoded from its own pose alone.
    async fn two_longest(&mut self) -> Result<Vec<(u8, Vec<f32>)>, String> {
        let dims = self.config.classes().dims;
        let first = longest(&self.lengths);
        let mut others = self.lengths.clone();
        others[first] = -1.0;
        let classes = [first, longest(&others)];
        let capsules = classes.map(|class| (class, self.poses[class * dims..][..dims].to_vec()));
        let pictures = self.decode(&capsules).await?;
        let each = pictures.chunks_exact(SHOWN).map(<[f32]>::to_vec);
        Ok(classes.into_iter().map(|class| class as u8).zip(each).collect())
    }

    /// The decoder's pictures of capsules, each a class and its pose, as the page shows them.
    pub(super) async fn decode(&mut self, capsules: &[(usize, Vec<f32>)]) -> Result<Vec<f32>, String> {
        let failed = |error: crate::exec::ExecError| error.to_string();
        let (dims, parents, pixels) = (self.config.classes().dims, self.config.classes().parents, self.config.pixels());
        let plan = self.decode.plan().clone();
        let find = |name: &str| plan.find(name).ok_or_else(|| format!("the decoder has no tensor {name}"));
        let (input, chosen, output) = (find("pose")?, find("chosen")?, find("reconstruction")?);
        let mut pictures = vec![];
        for some in capsules.chunks(POSES) {
            let (mut rows, mut classes) = (vec![0.0; POSES * parents * dims], [0.0; POSES]);
            let places = rows.chunks_exact_mut(parents * dims).zip(&mut classes);
            for ((row, chosen), (class, pose)) in places.zip(some) {
                row[class * dims..][..dims].copy_from_slice(pose);
                *chosen = *class as f32;
            }
            self.decode.write(input, &rows);
            self.decode.write(chosen, &classes);
            self.decode.run(&Run::new(POSES, 1, Chosen::Longest), 0..plan.steps.len()).map_err(failed)?;
            let all = self.decode.read(output, some.len() * pixels).await.map_err(failed)?;
            pictures.extend(as_shown(&all, &self.config));
        }
        Ok(pictures)
    }
}

/// A pose with one dimension at its own value plus each offset.
pub(super) fn moved(pose: &[f32], dim: usize, own: f32, offsets: &[f32]) -> impl Iterator<Item = Vec<f32>> {
    offsets.iter().map(move |offset| {
        let mut moved = pose.to_vec();
        moved[dim] = own + offset;
        moved
    })
}

impl Engine {
    /// Answers an exploration. The reading is computed anew only if the digit, r or the network has changed since the
    /// page was last sent one.
    pub(super) async fn explore(&mut self, exploration: Exploration) {
        if let Err(error) = self.try_to_explore(exploration).await {
            match self.device.current() {
                Device::Cpu => self.problem(error),
                Device::Gpu(_) => self.leave_device(error).await,
            }
        }
    }

    /// The same; an error is a sentence.
    pub(super) async fn try_to_explore(&mut self, exploration: Exploration) -> Result<(), String> {
        self.latest = Some(exploration.clone());
        if exploration.pixels.is_empty() {
            self.shown = None;
            self.grid = None;
            // Nothing to read yet, but the network can be on its way.
            self.held(&exploration.network);
            return Ok(());
        }
        self.answer(&exploration).await
    }

    async fn answer(&mut self, exploration: &Exploration) -> Result<(), String> {
        let start = self.host.now();
        let Some(step) = self.held(&exploration.network).map(|held| held.step) else { return Ok(()) };
        let host = self.host.clone();
        let is_shown = self.shown.as_ref() == Some(&exploration.network);
        let Some(reader) = self.reader(&exploration.network).await? else { return Ok(()) };
        let is_new = !is_shown || !reader.holds(exploration, step);
        if is_new {
            let mut reading = reader.reading(exploration, step).await?;
            reading.millis = (host.now() - start) as f32;
            host.send(Snapshot::Reading(Box::new(reading)));
        }
        let start = host.now();
        let mut picture = reader.picture(exploration).await?;
        picture.millis = (host.now() - start) as f32;
        self.ask_for_grid(exploration, step, picture.class, &picture.pose);
        host.send(Snapshot::Picture(Box::new(picture)));
        self.shown = Some(exploration.network.clone());
        self.inspect(exploration, is_new).await
    }

    /// Reads the present digit again if it is the training network that is looked at.
    pub(super) fn look_again(&mut self) {
        let shown = self.latest.as_ref().is_some_and(|exploration| exploration.network == Network::Yours);
        if shown && self.exploration.is_none() {
            self.exploration = self.latest.clone();
        }
    }
}
