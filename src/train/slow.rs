//! One training step in slow motion: the same step, run phase by phase, with what each phase has made of the batch.
//!
//! The batch runs in one piece and every routing iteration is kept. The sums over the batch are in another order than in
//! the trainer's chunks, so a step in slow motion may differ from a quick one in the last bits.

use super::trainer::{Losses, TrainError};
use crate::capsnet::{Config, Layout};
use crate::exec::{ExecError, Loaded, Store};
use crate::ops::lengths::longest;
use crate::ops::support::{entropy, norm};
use crate::plan::{LEDGER_COLUMNS, LedgerColumn, Phase, Plan, Role, Run};
use std::ops::Range;

/// Pictures of the batch that are shown.
pub const SHOWN: usize = 12;

/// Bins of a histogram of lengths.
pub const BINS: usize = 20;

/// What a phase has made of the batch.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The batch is drawn: the first pictures in [0, 1], their labels, and the mean of all pixels.
    Pixels {
        /// [`SHOWN`] · pixels, or fewer.
        pixels: Vec<f32>,
        /// As many labels.
        labels: Vec<u8>,
        /// Mean ink.
        ink: f32,
    },
    /// The first convolution.
    Convolution {
        /// Mean activation.
        mean: f32,
        /// The largest.
        most: f32,
        /// Share above zero.
        active: f32,
    },
    /// The primary capsules.
    Primary {
        /// Mean length.
        mean: f32,
        /// The longest.
        most: f32,
        /// How many lengths lie in each twentieth of 0…1.
        bins: Vec<u32>,
    },
    /// The votes.
    Votes {
        /// How many, over the batch.
        count: u64,
        /// Their mean length.
        mean: f32,
    },
    /// One routing iteration.
    Iteration {
        /// From 1.
        iteration: usize,
        /// Mean entropy of the coefficients, in nats.
        entropy: f32,
        /// Mean length of each class's capsule.
        lengths: Vec<f32>,
        /// Share of the batch whose longest capsule is its label's.
        right: f32,
    },
    /// The lengths of the class capsules.
    Lengths {
        /// The class read in each of the first pictures.
        predictions: Vec<u8>,
        /// Mean length of the capsule of the label.
        present: f32,
        /// Mean length of the others.
        absent: f32,
        /// Share read right.
        right: f32,
    },
    /// The margin loss, mean over the batch.
    Margin(f32),
    /// The reconstruction loss, weighted, mean over the batch, and the first reconstructions.
    Reconstruction(f32, Vec<f32>),
    /// Root mean square of the gradient of each parameter tensor.
    Gradients(Vec<(String, f32)>),
    /// Adam's update.
    Update {
        /// Learning rate.
        rate: f32,
        /// Root mean square of each parameter tensor's change, and of the tensor itself.
        layers: Vec<(String, f32, f32)>,
    },
}

/// The kinds of phases that follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pixels,
    Convolution,
    Primary,
    Votes,
    Iteration(usize),
    Lengths,
    Margin,
    Reconstruction,
    Gradients,
    Update,
}

/// A step in slow motion.
pub struct SlowStep {
    config: Config,
    loaded: Loaded,
    store: Store,
    run: Run,
    /// Steps done before this one.
    step: u64,
    /// Each phase with the end of its steps in the plan.
    phases: Vec<(Kind, usize)>,
    next: usize,
    remaining: Range<usize>,
    pixels: Vec<f32>,
    labels: Vec<f32>,
    before: Vec<f32>,
}

/// The end of the part of a plan that has written a tensor.
fn end_of(plan: &Plan, tensor: &str) -> usize {
    let id = plan.find(tensor).expect("a tensor of every training plan");
    plan.steps.iter().rposition(|step| step.writes.contains(&id)).map_or(0, |last| last + 1)
}

impl SlowStep {
    /// A step over the batch that is in `pixels` and `labels`; `loaded` is a traced training plan with room for it.
    pub(super) fn new(
        config: &Config,
        store: &Store,
        loaded: Loaded,
        (run, step): (Run, u64),
        [pixels, labels]: [Vec<f32>; 2],
    ) -> Self {
        let plan = loaded.plan().clone();
        let layer = &config.classes().name;
        let traced = end_of(&plan, &format!("{layer} coupling"));
        let mut phases = vec![
            (Kind::Pixels, 0),
            (Kind::Convolution, end_of(&plan, "conv1")),
            (Kind::Primary, end_of(&plan, "primary")),
            (Kind::Votes, end_of(&plan, &format!("{layer} votes"))),
        ];
        phases.extend((1..=config.iterations()).map(|iteration| (Kind::Iteration(iteration), traced)));
        phases.extend([
            (Kind::Lengths, end_of(&plan, "lengths")),
            (Kind::Margin, end_of(&plan, "margin")),
            (Kind::Reconstruction, end_of(&plan, "ledger")),
            (Kind::Gradients, plan.end_of(Phase::Backward)),
            (Kind::Update, plan.steps.len()),
        ]);
        SlowStep {
            config: config.clone(),
            loaded,
            store: store.clone(),
            run,
            step,
            phases,
            next: 0,
            remaining: 0..0,
            pixels,
            labels,
            before: vec![],
        }
    }

    /// Phases in all.
    pub fn phases(&self) -> usize {
        self.phases.len()
    }

    /// Phases done.
    pub fn done(&self) -> usize {
        self.next
    }

    /// Steps done before this one.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Pictures in the batch.
    pub fn images(&self) -> usize {
        self.labels.len()
    }

    /// Works on the next phase until it is done, or until `pause` says so at the end of one of its operations (on the
    /// CPU). What it has made of the batch, once it is done.
    ///
    /// # Errors
    /// If the device is lost.
    pub async fn advance(&mut self, pause: &mut dyn FnMut() -> bool) -> Result<Option<Outcome>, TrainError> {
        let Some(&(kind, end)) = self.phases.get(self.next) else { return Ok(None) };
        if self.remaining.is_empty() && self.remaining.end < end {
            if kind == Kind::Update {
                self.before = self.store.read(Role::Parameters).await?;
            }
            self.remaining = self.remaining.end..end;
        }
        self.loaded.advance(&self.run, &mut self.remaining, pause)?;
        if !self.remaining.is_empty() {
            return Ok(None);
        }
        let outcome = self.outcome(kind).await?;
        self.next += 1;
        Ok(Some(outcome))
    }

    async fn tensor(&self, name: &str) -> Result<Vec<f32>, ExecError> {
        let id = self.loaded.plan().find(name).expect("a tensor of every training plan");
        self.loaded.read(id, self.loaded.plan().tensor(id).elements()).await
    }

    async fn of_layer(&self, name: &str) -> Result<Vec<f32>, ExecError> {
        self.tensor(&format!("{} {name}", self.config.classes().name)).await
    }

    async fn outcome(&self, kind: Kind) -> Result<Outcome, ExecError> {
        let (images, classes) = (self.images(), self.config.classes().parents);
        let shown = images.min(SHOWN);
        Ok(match kind {
            Kind::Pixels => Outcome::Pixels {
                pixels: self.pixels[..shown * self.config.pixels()].to_vec(),
                labels: self.labels[..shown].iter().map(|&label| label as u8).collect(),
                ink: mean(self.pixels.iter().copied()),
            },
            Kind::Convolution => {
                let values = self.tensor("conv1").await?;
                Outcome::Convolution {
                    mean: mean(values.iter().copied()),
                    most: values.iter().copied().fold(0.0, f32::max),
                    active: values.iter().filter(|&&value| value > 0.0).count() as f32 / values.len() as f32,
                }
            }
            Kind::Primary => {
                let lengths: Vec<f32> =
                    self.tensor("primary").await?.chunks_exact(self.config.primary.dims).map(norm).collect();
                let mut bins = vec![0; BINS];
                lengths.iter().for_each(|&length| bins[((length * BINS as f32) as usize).min(BINS - 1)] += 1);
                let most = lengths.iter().copied().fold(0.0, f32::max);
                Outcome::Primary { mean: mean(lengths.into_iter()), most, bins }
            }
            Kind::Votes => {
                let votes = self.of_layer("votes").await?;
                let dims = self.config.classes().dims;
                let count = (votes.len() / dims) as u64;
                Outcome::Votes { count, mean: mean(votes.chunks_exact(dims).map(norm)) }
            }
            Kind::Iteration(iteration) => self.iteration(iteration).await?,
            Kind::Lengths => {
                let lengths = self.tensor("lengths").await?;
                let read: Vec<usize> = lengths.chunks_exact(classes).map(longest).collect();
                let of_label = |at: usize| (at % classes) == self.labels[at / classes] as usize;
                let some = |is_present: bool| {
                    let chosen = (0..lengths.len()).filter(|&at| of_label(at) == is_present);
                    mean(chosen.map(|at| lengths[at]))
                };
                Outcome::Lengths {
                    predictions: read[..shown].iter().map(|&class| class as u8).collect(),
                    present: some(true),
                    absent: some(false),
                    right: self.share_right(&read),
                }
            }
            Kind::Margin => Outcome::Margin(mean(self.tensor("margin").await?.into_iter())),
            Kind::Reconstruction => {
                let mut pictures = self.tensor("reconstruction").await?;
                pictures.truncate(shown * self.config.pixels());
                Outcome::Reconstruction(self.losses().await?.reconstruction, pictures)
            }
            Kind::Gradients => {
                let gradients = self.store.read(Role::Gradients).await?;
                let layout = Layout::new(&self.config);
                let layers = layout.entries.iter().map(|entry| (entry.name.clone(), rms(&gradients[entry.range()])));
                Outcome::Gradients(layers.collect())
            }
            Kind::Update => {
                let after = self.store.read(Role::Parameters).await?;
                let layout = Layout::new(&self.config);
                let layers = layout.entries.iter().map(|entry| {
                    let (before, after) = (&self.before[entry.range()], &after[entry.range()]);
                    let change: Vec<f32> = before.iter().zip(after).map(|(before, after)| after - before).collect();
                    (entry.name.clone(), rms(&change), rms(before))
                });
                Outcome::Update { rate: self.run.rate, layers: layers.collect() }
            }
        })
    }

    async fn iteration(&self, iteration: usize) -> Result<Outcome, ExecError> {
        let layer = self.config.classes();
        let (r, images) = (self.config.iterations(), self.images());
        let of_image = |values: &[f32], image: usize| {
            let each = values.len() / images / r;
            let start = (image * r + iteration - 1) * each;
            values[start..start + each].to_vec()
        };
        let (coupling, poses) = (self.of_layer("coupling").await?, self.of_layer("v history").await?);
        let children = coupling.len() / images / r / layer.parents;
        let lengths: Vec<Vec<f32>> =
            (0..images).map(|image| of_image(&poses, image).chunks_exact(layer.dims).map(norm).collect()).collect();
        let read: Vec<usize> = lengths.iter().map(|lengths| longest(lengths)).collect();
        Ok(Outcome::Iteration {
            iteration,
            entropy: mean((0..images).map(|image| entropy(&of_image(&coupling, image)) / children as f32)),
            lengths: (0..layer.parents).map(|class| mean(lengths.iter().map(|lengths| lengths[class]))).collect(),
            right: self.share_right(&read),
        })
    }

    fn share_right(&self, read: &[usize]) -> f32 {
        let right = read.iter().zip(&self.labels).filter(|&(&class, &label)| class == label as usize).count();
        right as f32 / read.len() as f32
    }

    /// What the step has cost; after the phase of the reconstruction.
    ///
    /// # Errors
    /// If the device is lost.
    pub async fn losses(&self) -> Result<Losses, ExecError> {
        let ledger = self.tensor("ledger").await?;
        let row = &ledger[self.run.row as usize * LEDGER_COLUMNS..][..LEDGER_COLUMNS];
        let mean = |column: LedgerColumn| row[column as usize] / row[LedgerColumn::Images as usize];
        Ok(Losses {
            step: self.step,
            margin: mean(LedgerColumn::Margin),
            reconstruction: mean(LedgerColumn::Reconstruction),
            accuracy: mean(LedgerColumn::Correct),
            entropy: mean(LedgerColumn::Entropy),
        })
    }
}

fn mean(values: impl Iterator<Item = f32>) -> f32 {
    let (mut sum, mut count) = (0.0f64, 0u32);
    for value in values {
        sum += f64::from(value);
        count += 1;
    }
    (sum / f64::from(count.max(1))) as f32
}

fn rms(values: &[f32]) -> f32 {
    mean(values.iter().map(|value| value * value)).sqrt()
}
