//! Trains a network on whatever device it lives: draws batches, runs the training plan in chunks, keeps count.

use super::init::initial_parameters;
use super::seen::{Seen, Whole};
use super::slow::SlowStep;
use super::weights::Weights;
use crate::capsnet::{Config, ConfigError, Layout, Purpose, most_images, plan};
use crate::data::{BatchError, Batcher, BatcherState, Dataset, PairTargets, pairs};
use crate::exec::{Device, ExecError, Loaded, Store};
use crate::plan::{Chosen, LEDGER_COLUMNS, LEDGER_ROWS, LedgerColumn, Phase, PlanError, Role, Run, TensorId};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Why a network cannot be trained.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The configuration makes no network.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The network cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The device failed.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// Batches cannot be drawn.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// Images of another size.
    #[error("the network reads images of {wanted} pixels and the data has {given}; choose data of the same size")]
    Pixels {
        /// Of the network.
        wanted: usize,
        /// Of the data.
        given: usize,
    },
    /// Too much for slow motion.
    #[error(
        "slow motion runs a batch in one piece, and this network takes at most {most} images so; choose a smaller batch than {batch}"
    )]
    TooManyAtOnce {
        /// Images that fit.
        most: usize,
        /// Images of a step.
        batch: usize,
    },
    /// A network for two digits.
    #[error("slow motion shows networks for single digits; this one reads two at a time")]
    OfPairs,
    /// A network for two digits.
    #[error("procedures are compared on single digits; this network reads two at a time, so choose another one")]
    ComparesPairs,
    /// A loss is no longer a number.
    #[error("the loss of step {0} is not a finite number; lower the learning rate and start from the last good state")]
    NotFinite(u64),
}

/// What decides a training run besides the configuration. With the same settings, executor and machine, losses are the
/// same to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Images a step.
    pub batch: usize,
    /// Seed of weights, order and shifts.
    pub seed: u64,
    /// Each training image, or each of two overlapping digits, is shifted by up to so many pixels each way.
    pub max_shift: u8,
    /// Images that run at a time; the gradients of a batch's chunks add up.
    pub chunk: usize,
}

/// What one step cost, per image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Losses {
    /// Steps done before this one.
    pub step: u64,
    /// Margin loss.
    pub margin: f32,
    /// Reconstruction loss, weighted.
    pub reconstruction: f32,
    /// Share of the batch read right, before the update.
    pub accuracy: f32,
    /// Mean entropy of the last coefficients, in nats.
    pub entropy: f32,
}

impl Losses {
    /// The sum that is minimised.
    pub fn total(&self) -> f32 {
        self.margin + self.reconstruction
    }
}

/// The part of a step that is still to do.
struct Unfinished {
    /// Where the batches stood before this one was drawn.
    began: BatcherState,
    /// What the batch holds for each of [`Trainer::inputs`].
    values: Vec<Vec<f32>>,
    /// Pictures in the batch.
    count: usize,
    first: usize,
    remaining: Range<usize>,
}

/// What a batch of single digits is written to.
const INPUTS: [&str; 2] = ["pixels", "labels"];

/// What a batch of overlapping digits is written to.
const PAIR_INPUTS: [&str; 5] = ["pixels", "labels", "second labels", "first target", "second target"];

/// The batches that a network trains on.
fn batcher(config: &Config, settings: &Settings, images: usize) -> Result<Batcher, BatchError> {
    let make = if config.is_of_pairs() { Batcher::of_pairs } else { Batcher::new };
    make(settings.seed, images, settings.batch, settings.max_shift)
}

/// A network in training.
pub struct Trainer {
    config: Config,
    settings: Settings,
    device: Device,
    store: Store,
    loaded: Loaded,
    /// What a batch is written to, with the elements of one picture: pixels and labels; of overlapping digits also the
    /// second labels and each digit by itself.
    inputs: Vec<(TensorId, usize)>,
    ledger: TensorId,
    lengths: TensorId,
    gradients_done: usize,
    batcher: Batcher,
    step: u64,
    unread: u64,
    unfinished: Option<Unfinished>,
    /// The last batch, whose last chunk is still on the device.
    last: Option<Unfinished>,
}

impl Trainer {
    /// A new network at step 0, to be trained on `images` images.
    ///
    /// # Errors
    /// If the configuration makes no network, or the device cannot hold it.
    pub async fn new(device: &Device, config: Config, settings: Settings, images: usize) -> Result<Self, TrainError> {
        config.check()?;
        let batcher = batcher(&config, &settings, images)?;
        let trainer = Self::allocate(device, config, settings, batcher).await?;
        trainer.store.write(Role::Parameters, &initial_parameters(&trainer.config, settings.seed));
        Ok(trainer)
    }

    /// Goes on from saved weights, moments and position: exactly where they were taken.
    ///
    /// # Errors
    /// As [`Trainer::new`], and if the position belongs to other data.
    pub async fn resume(
        device: &Device,
        weights: &Weights,
        settings: Settings,
        position: BatcherState,
        images: usize,
    ) -> Result<Self, TrainError> {
        let batcher = Batcher::restore(position, images)?;
        let mut trainer = Self::allocate(device, weights.about.config.clone(), settings, batcher).await?;
        trainer.step = weights.about.step;
        trainer.store.write(Role::Parameters, &weights.parameters);
        if let Some([first, second]) = &weights.moments {
            trainer.store.write(Role::FirstMoments, first);
            trainer.store.write(Role::SecondMoments, second);
        }
        Ok(trainer)
    }

    /// Goes on from saved weights with a new sequence of batches and fresh moments.
    ///
    /// # Errors
    /// As [`Trainer::new`].
    pub async fn from_weights(
        device: &Device,
        weights: &Weights,
        settings: Settings,
        images: usize,
    ) -> Result<Self, TrainError> {
        let batcher = batcher(&weights.about.config, &settings, images)?;
        let mut trainer = Self::allocate(device, weights.about.config.clone(), settings, batcher).await?;
        trainer.step = weights.about.step;
        trainer.store.write(Role::Parameters, &weights.parameters);
        Ok(trainer)
    }

    /// Moves the network with its moments to another device, where up to `chunk` images run at a time. A step that was
    /// under way is done anew there.
    ///
    /// # Errors
    /// If either device fails; the trainer then is as it was.
    pub async fn move_to(&mut self, device: &Device, chunk: usize) -> Result<(), TrainError> {
        let mut buffers = vec![];
        for role in Role::SHARED {
            buffers.push((role, self.store.read(role).await?));
        }
        let settings = Settings { chunk, ..self.settings };
        let mut moved = Self::allocate(device, self.config.clone(), settings, self.batcher.clone()).await?;
        for (role, values) in buffers {
            moved.store.write(role, &values);
        }
        moved.step = self.step;
        if let Some(unfinished) = self.unfinished.take() {
            moved.unfinished = Some(Unfinished { first: 0, remaining: 0..0, ..unfinished });
            moved.begin_chunk(0);
        }
        *self = moved;
        Ok(())
    }

    async fn allocate(
        device: &Device,
        config: Config,
        settings: Settings,
        batcher: Batcher,
    ) -> Result<Self, TrainError> {
        let most = most_images(&config, Purpose::Train)?;
        let settings = Settings { chunk: settings.chunk.clamp(1, most.min(settings.batch.max(1))), ..settings };
        let store = device.allocate(Layout::new(&config).elements, true)?;
        let plan = Arc::new(plan(&config, Purpose::Train, settings.chunk)?);
        let loaded = device.load(plan.clone(), &store).await?;
        let find = |name: &str| plan.find(name).expect("a tensor of every training plan");
        let names: &[&str] = if config.is_of_pairs() { &PAIR_INPUTS } else { &INPUTS };
        let each = |name: &str| if name.ends_with("labels") { 1 } else { config.pixels() };
        Ok(Trainer {
            inputs: names.iter().map(|name| (find(name), each(name))).collect(),
            ledger: find("ledger"),
            lengths: find("lengths"),
            gradients_done: plan.end_of(Phase::Backward),
            device: device.clone(),
            config,
            settings,
            store,
            loaded,
            batcher,
            step: 0,
            unread: 0,
            unfinished: None,
            last: None,
        })
    }

    /// Works on the present step until it is done, or until `pause` says so at the end of one of its operations (on
    /// the CPU). Returns whether the step is done. Nothing here waits for the device.
    ///
    /// # Errors
    /// If the device is lost.
    pub fn advance(&mut self, data: &Dataset, pause: &mut dyn FnMut() -> bool) -> Result<bool, TrainError> {
        if self.unfinished.is_none() {
            self.begin_step(data)?;
        }
        loop {
            let run = self.run();
            let Some(current) = self.unfinished.as_mut() else { return Ok(true) };
            let mut paused = false;
            self.loaded.advance(&run, &mut current.remaining, &mut || {
                paused = pause();
                paused
            })?;
            if current.remaining.is_empty() {
                self.begin_chunk(run.live as usize);
            }
            if self.unfinished.is_none() {
                self.step += 1;
                self.unread += 1;
                return Ok(true);
            }
            if paused {
                return Ok(false);
            }
        }
    }

    fn begin_step(&mut self, data: &Dataset) -> Result<(), TrainError> {
        let (wanted, batch) = (self.config.pixels(), self.settings.batch);
        let is_of_pairs = self.batcher.is_of_pairs();
        let (height, width) = if is_of_pairs { pairs::canvas(data) } else { (data.height(), data.width()) };
        if height * width != wanted {
            return Err(TrainError::Pixels { wanted, given: height * width });
        }
        let mut values: Vec<Vec<f32>> = self.inputs.iter().map(|(_, each)| vec![0.0; batch * each]).collect();
        let began = self.batcher.state();
        let drawn = match &mut values[..] {
            [both, first_labels, second_labels, first, second] if is_of_pairs => {
                let labels = [first_labels.as_mut_slice(), second_labels];
                self.batcher.fill_pairs(data, PairTargets { both, each: [first, second], labels })?
            }
            [pixels, labels, ..] => self.batcher.fill(data, pixels, labels),
            _ => unreachable!("a batch has pixels and labels"),
        };
        self.unfinished = Some(Unfinished { began, values, count: drawn.count, first: 0, remaining: 0..0 });
        self.begin_chunk(0);
        Ok(())
    }

    /// The present step in slow motion. Until [`Trainer::finish_slow`] it counts as under way, and is done anew if the
    /// trainer goes on by itself.
    ///
    /// # Errors
    /// If the batch does not fit in one piece, the network reads two digits, or the device is lost.
    pub async fn begin_slow(&mut self, data: &Dataset) -> Result<SlowStep, TrainError> {
        if self.config.is_of_pairs() {
            return Err(TrainError::OfPairs);
        }
        let (most, batch) = (most_images(&self.config, Purpose::TrainTraced)?, self.settings.batch);
        if batch > most {
            return Err(TrainError::TooManyAtOnce { most, batch });
        }
        if self.unfinished.is_none() {
            self.begin_step(data)?;
        }
        let mut current = self.unfinished.take().expect("a step that has begun");
        (current.first, current.remaining) = (0, 0..0);
        let mut batch = [0, 1].map(|input| current.values[input].clone());
        let count = current.count;
        self.unfinished = Some(current);
        self.begin_chunk(0);
        for (values, (_, each)) in batch.iter_mut().zip(&self.inputs) {
            values.truncate(count * each);
        }
        let plan = Arc::new(plan(&self.config, Purpose::TrainTraced, count)?);
        let mut loaded = self.device.load(plan.clone(), &self.store).await?;
        for (name, values) in INPUTS.iter().zip(&batch) {
            loaded.write(plan.find(name).expect("an input of every training plan"), values);
        }
        let mut run = Run { row: 0, ..Run::new(count, self.config.iterations(), Chosen::Label) };
        self.config.adam.prepare(&mut run, self.step);
        Ok(SlowStep::new(&self.config, &self.store, loaded, (run, self.step), batch))
    }

    /// The step in slow motion has updated the parameters: it is done.
    pub fn finish_slow(&mut self) {
        // It ran in a plan of its own: this one's lengths are of another batch.
        (self.unfinished, self.last) = (None, None);
        self.step += 1;
    }

    /// Uploads the chunk after the `done` images of the present one; after the last, ends the step.
    fn begin_chunk(&mut self, done: usize) {
        let Some(mut current) = self.unfinished.take() else { return };
        let first = current.first + done;
        if first == current.count {
            self.last = Some(current);
            return;
        }
        current.first = first;
        let end = (first + self.settings.chunk).min(current.count);
        for ((tensor, each), values) in self.inputs.iter().zip(&current.values) {
            self.loaded.write(*tensor, &values[first * each..end * each]);
        }
        let last = end == current.count;
        current.remaining = 0..if last { self.loaded.plan().steps.len() } else { self.gradients_done };
        self.unfinished = Some(current);
    }

    /// The uniforms of the present chunk.
    fn run(&self) -> Run {
        let (first, total) = self.unfinished.as_ref().map_or((0, 1), |current| (current.first, current.count));
        let live = self.settings.chunk.min(total - first);
        let mut run = Run {
            accumulate: (first > 0).into(),
            row: (self.step % LEDGER_ROWS as u64) as u32,
            total: total as f32,
            ..Run::new(live, self.config.iterations(), Chosen::Label)
        };
        self.config.adam.prepare(&mut run, self.step);
        run
    }

    /// What the steps since the last call have cost. Waits for the device to finish them; call it at least every
    /// [`LEDGER_ROWS`] steps, or the oldest are overwritten.
    ///
    /// # Errors
    /// If the device is lost, or a loss is not a finite number: then the network is spoilt.
    pub async fn losses(&mut self) -> Result<Vec<Losses>, TrainError> {
        if self.unread == 0 {
            return Ok(vec![]);
        }
        let ledger = self.loaded.read(self.ledger, LEDGER_ROWS * LEDGER_COLUMNS).await?;
        let mut all = vec![];
        for step in self.step - self.unread.min(LEDGER_ROWS as u64)..self.step {
            let row = &ledger[step as usize % LEDGER_ROWS * LEDGER_COLUMNS..][..LEDGER_COLUMNS];
            let mean = |column: LedgerColumn| row[column as usize] / row[LedgerColumn::Images as usize];
            let losses = Losses {
                step,
                margin: mean(LedgerColumn::Margin),
                reconstruction: mean(LedgerColumn::Reconstruction),
                accuracy: mean(LedgerColumn::Correct),
                entropy: mean(LedgerColumn::Entropy),
            };
            if !losses.total().is_finite() {
                return Err(TrainError::NotFinite(step));
            }
            all.push(losses);
        }
        self.unread = 0;
        Ok(all)
    }

    /// Up to `most` pictures of the last step's batch, from its last chunk, whose lengths are still on the device; `None`
    /// in the middle of a step or before the first one. Waits for the device.
    ///
    /// # Errors
    /// If the device is lost.
    pub async fn seen(&self, most: usize) -> Result<Option<Seen>, ExecError> {
        let (Some(last), None) = (&self.last, &self.unfinished) else { return Ok(None) };
        let classes = self.config.classes().parents;
        let lengths = self.loaded.read(self.lengths, (last.count - last.first) * classes).await?;
        let labels: Vec<&[f32]> = last
            .values
            .iter()
            .zip(&self.inputs)
            .filter(|(_, (_, each))| *each == 1)
            .map(|(v, _)| v.as_slice())
            .collect();
        let batch = Whole { pixels: &last.values[0], labels: &labels, count: last.count, first: last.first };
        Ok(Some(Seen::of(&batch, &lengths, classes, (self.step - 1, most))))
    }

    /// Waits until at most `in_flight` chunks are unfinished on the device.
    ///
    /// # Errors
    /// If the device is lost.
    pub async fn settle(&mut self, in_flight: usize) -> Result<(), ExecError> {
        self.loaded.settle(in_flight).await
    }

    /// Steps done.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// True between two steps: the parameters are those of [`Trainer::step`].
    pub fn is_between_steps(&self) -> bool {
        self.unfinished.is_none()
    }

    /// Epochs done, with the part of the present one.
    pub fn epoch(&self, images: usize) -> f64 {
        self.batcher.epoch() as f64 + self.batcher.offset() as f64 / images as f64
    }

    /// Where the batches stand for the next step; for one that is under way, where they stood before it: who goes on
    /// from here does that step anew.
    pub fn position(&self) -> BatcherState {
        self.unfinished.as_ref().map_or_else(|| self.batcher.state(), |unfinished| unfinished.began)
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The settings, with the chunk that is used.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The flat buffers.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The learning rate of the next step.
    pub fn rate(&self) -> f64 {
        self.config.adam.rate_at(self.step)
    }

    /// Changes the learning rate of step 0, from which the schedule follows.
    pub fn set_rate(&mut self, rate: f64) {
        self.config.adam.rate = rate;
    }
}
