//! The network in training.

use super::Engine;
use super::assets::Asset;
use super::networks::{Held, shape_status};
use crate::capsnet::{Config, Preset, Purpose};
use crate::data::{MnistSplit, PAIR_SHIFT};
use crate::exec::Device;
use crate::protocol::{
    BatchPictures, CurvePoint, Evaluation, Network, NetworkStatus, Snapshot, TrainingSettings, TrainingState,
    TrainingStatus, pixels,
};
use crate::store::Kept;
use crate::train::weights::{self, Weights};
use crate::train::{Losses, PATIENCE_EPOCHS, Settings, TrainError, Trainer, is_plateau};

/// Curves and counters are told after so many milliseconds.
const TELL_MILLIS: f64 = 250.0;

/// The picture of a network in training is redrawn after so many milliseconds.
const LOOK_MILLIS: f64 = 500.0;

/// Pictures of the batch are told after so many milliseconds.
const SHOW_MILLIS: f64 = 1000.0;

/// How many.
const MOST_SHOWN: usize = 32;

/// On a GPU, losses are read back each so many steps; reading waits for the device.
const STEPS_A_READING: u64 = 8;

/// Chunks that may be unfinished on a GPU.
const IN_FLIGHT: usize = 2;

/// The largest training shift of a single digit, in pixels.
const MAX_SHIFT: u8 = 2;

/// The largest training shift of each digit.
fn max_shift(config: &Config) -> u8 {
    if config.is_of_pairs() { PAIR_SHIFT } else { MAX_SHIFT }
}

/// A network in training, or one that waits for its data.
pub(super) struct Training {
    pub(super) settings: TrainingSettings,
    pub(super) trainer: Option<Trainer>,
    pub(super) state: TrainingState,
    /// Steps still to do before pausing; `None`: until the last epoch.
    steps_left: Option<u64>,
    /// Steps that the page has not been told yet.
    curve: Vec<CurvePoint>,
    /// All steps.
    pub(super) history: Vec<CurvePoint>,
    /// All tests.
    pub(super) evaluations: Vec<Evaluation>,
    /// The last state that was kept.
    pub(super) good: Option<Kept>,
    /// When, on the host's clock.
    pub(super) kept_at: f64,
    /// The state of the best test so far, and its images read right.
    best: Option<(u32, Kept)>,
    /// What a stop offers to go back to.
    pub(super) offered: Option<Kept>,
    /// Steps done when a person last said to train.
    since: u64,
    /// When, and at which step, the rate was last told.
    told: (f64, u64),
    looked: f64,
    /// When pictures of the batch were last told.
    showed: f64,
    images_per_second: f32,
    /// An evaluation is due at the end of the present epoch.
    epoch: u64,
}

impl Training {
    pub(super) fn held(&self) -> Option<Held> {
        let trainer = self.trainer.as_ref()?;
        Some(Held { config: trainer.config().clone(), store: trainer.store().clone(), step: trainer.step() })
    }

    fn status(&self, images: usize) -> TrainingStatus {
        TrainingStatus {
            state: self.state.clone(),
            settings: self.settings.clone(),
            step: self.trainer.as_ref().map_or(0, Trainer::step),
            epoch: self.trainer.as_ref().map_or(0.0, |trainer| trainer.epoch(images)),
            rate: self.trainer.as_ref().map_or(self.settings.rate, Trainer::rate),
            images_per_second: self.images_per_second,
            back_to: self.offered.as_ref().map(|kept| kept.step),
        }
    }
}

/// What a person has chosen, as a configuration.
fn configuration(settings: &TrainingSettings) -> Result<Config, String> {
    let preset = Preset::named(&settings.preset)
        .ok_or_else(|| format!("there is no network called {}; choose tiny, compact or paper", settings.preset))?;
    let mut config = preset.config();
    if settings.pairs {
        config = config.for_pairs(PAIR_SHIFT.into());
    }
    for layer in &mut config.routed {
        layer.iterations = settings.iterations.into();
        layer.procedure = settings.procedure.name().into();
    }
    config.adam.rate = settings.rate;
    config.loss.reconstruction = settings.reconstruction;
    config.check().map_err(|error| error.to_string())?;
    if !(settings.rate.is_finite() && settings.rate >= 0.0) {
        return Err(format!("a learning rate of {} makes no sense; choose 0.001 or so", settings.rate));
    }
    Ok(config)
}

impl Engine {
    fn chunk(&self, config: &Config) -> usize {
        self.device.images_a_slice(config, Purpose::Train)
    }

    pub(super) async fn reset_training(&mut self, settings: TrainingSettings) {
        match self.new_trainer(&settings).await {
            Ok(trainer) => self.set_trainer(settings, trainer, vec![], vec![]),
            Err(error) => self.problem(error),
        }
    }

    async fn new_trainer(&mut self, settings: &TrainingSettings) -> Result<Trainer, String> {
        let config = configuration(settings)?;
        let (batch, seed) = (settings.batch as usize, settings.seed);
        if !(1..=1024).contains(&batch) {
            return Err(format!("a batch of {batch} images is not possible; choose 1 to 1024"));
        }
        let run = Settings { batch, seed, max_shift: max_shift(&config), chunk: self.chunk(&config) };
        let trainer = Trainer::new(self.device.current(), config, run, self.training_count()).await;
        self.remember_kernels();
        trainer.map_err(|error| error.to_string())
    }

    /// Makes a network the one in training, with the steps and tests that it has behind it.
    pub(super) fn set_trainer(
        &mut self,
        settings: TrainingSettings,
        trainer: Trainer,
        history: Vec<CurvePoint>,
        evaluations: Vec<Evaluation>,
    ) {
        let epoch = trainer.epoch(self.training_count()) as u64;
        self.readers.remove(&Network::Yours);
        self.give_up_evaluation();
        self.give_up_comparison();
        self.slow_end();
        self.host.send(Snapshot::History(history.clone(), evaluations.clone()));
        self.training = Some(Training {
            since: trainer.step(),
            told: (self.host.now(), trainer.step()),
            settings,
            trainer: Some(trainer),
            state: TrainingState::Paused,
            steps_left: None,
            curve: vec![],
            history,
            evaluations,
            good: None,
            kept_at: self.host.now(),
            best: None,
            offered: None,
            looked: 0.0,
            showed: 0.0,
            images_per_second: 0.0,
            epoch,
        });
        if let Some(status) = self.training_status_of_network() {
            self.host.send(Snapshot::Network(status));
        }
        self.tell_training();
        self.look_again();
    }

    pub(super) fn training_status_of_network(&self) -> Option<NetworkStatus> {
        let training = self.training.as_ref()?;
        let trainer = training.trainer.as_ref()?;
        let status = shape_status(Network::Yours, trainer.config(), trainer.step());
        Some(NetworkStatus { preset: training.settings.preset.clone(), ..status })
    }

    /// Trains on, for one step or until paused.
    pub(super) fn train(&mut self, one_step: bool) {
        self.slow_end();
        let has_data = self.training_set().is_some();
        let Some(training) = &mut self.training else {
            return self.problem("there is no network to train yet; press Reset training first");
        };
        training.steps_left = one_step.then_some(1);
        training.offered = None;
        training.since = training.trainer.as_ref().map_or(0, Trainer::step);
        training.told = (self.host.now(), training.trainer.as_ref().map_or(0, Trainer::step));
        training.state = match (self.device.is_awaited(), has_data) {
            (true, _) => TrainingState::Waiting,
            (false, true) => TrainingState::Running,
            (false, false) => TrainingState::Loading(0, MnistSplit::TRAIN.packed_bytes),
        };
        if !has_data {
            self.fetch(Asset::Training);
        }
        self.tell_training();
    }

    /// The device is known now: training that waited for it begins.
    pub(super) fn train_at_last(&mut self) {
        let has_data = self.training_set().is_some();
        if let Some(training) = &mut self.training
            && training.state == TrainingState::Waiting
        {
            training.told.0 = self.host.now();
            training.state = if has_data {
                TrainingState::Running
            } else {
                TrainingState::Loading(0, MnistSplit::TRAIN.packed_bytes)
            };
            self.tell_training();
        }
    }

    pub(super) async fn pause(&mut self) {
        // Paused first: then all steps that were done are told, however short ago the last ones were.
        if let Some(training) = &mut self.training {
            training.state = TrainingState::Paused;
        }
        self.collect_losses().await;
        self.show_batch(self.host.now()).await;
        self.tell_training();
        self.look_again();
        self.keep().await;
    }

    pub(super) fn set_rate(&mut self, rate: f64) {
        if !(rate.is_finite() && rate >= 0.0) {
            return self.problem(format!("a learning rate of {rate} makes no sense; choose 0.001 or so"));
        }
        if let Some(training) = &mut self.training {
            training.settings.rate = rate;
            if let Some(trainer) = &mut training.trainer {
                trainer.set_rate(rate);
            }
        }
        self.tell_training();
    }

    pub(super) fn training_data_loading(&mut self, done: u32, all: u32) {
        if let Some(training) = &mut self.training
            && matches!(training.state, TrainingState::Loading(..))
        {
            training.state = TrainingState::Loading(done, all);
            self.tell_training();
        }
    }

    pub(super) async fn training_data_arrived(&mut self) {
        if std::mem::take(&mut self.slow_wanted) {
            self.slow_next().await;
        }
        if let Some(training) = &mut self.training
            && matches!(training.state, TrainingState::Loading(..))
        {
            training.state = TrainingState::Running;
            training.told.0 = self.host.now();
            self.tell_training();
        }
    }

    pub(super) fn training_data_failed(&mut self) {
        if let Some(training) = &mut self.training {
            training.state = TrainingState::Paused;
        }
        self.tell_training();
    }

    pub(super) fn is_training(&self) -> bool {
        self.training.as_ref().is_some_and(|training| training.state == TrainingState::Running)
    }

    pub(super) fn tell_training(&mut self) {
        if let Some(training) = &self.training {
            self.host.send(Snapshot::Training(training.status(self.training_count())));
        }
    }

    /// One slice of the present step.
    pub(super) async fn train_slice(&mut self) {
        self.keep_if_due().await;
        let mut pause = self.deadline();
        let (Some(data), Some(training)) = (self.training_set(), &mut self.training) else { return };
        let Some(trainer) = &mut training.trainer else { return };
        let outcome = match trainer.advance(&data, &mut pause) {
            Ok(done) => trainer.settle(IN_FLIGHT).await.map(|()| done).map_err(TrainError::from),
            Err(error) => Err(error),
        };
        match outcome {
            Ok(true) => self.step_done().await,
            Ok(false) => {}
            Err(error) => self.stop(error.to_string()),
        }
    }

    /// Something has gone wrong: training stops, says why and offers the last good state. On a device that is gone it
    /// does not stop: it is rebuilt.
    pub(super) fn stop(&mut self, reason: String) {
        if self.device.loss().is_some() {
            return;
        }
        if let Some(training) = &mut self.training {
            training.state = TrainingState::Stopped(reason);
            training.offered = training.good.clone();
        }
        self.tell_training();
    }

    async fn step_done(&mut self) {
        let (now, images) = (self.host.now(), self.training_count());
        let Some(training) = &mut self.training else { return };
        let Some(trainer) = &training.trainer else { return };
        let (step, epoch) = (trainer.step(), trainer.epoch(images));
        let is_last_of_few = match &mut training.steps_left {
            Some(left) => {
                *left -= 1;
                *left == 0
            }
            None => false,
        };
        let ends_epoch = epoch as u64 > training.epoch;
        training.epoch = epoch as u64;
        let every = u64::from(training.settings.evaluate_every);
        let is_due = every > 0 && step % every == 0;
        let is_last = epoch >= f64::from(training.settings.epochs);
        let looks = now > training.looked + LOOK_MILLIS;
        if looks {
            training.looked = now;
        }
        let reads =
            is_last_of_few || is_last || matches!(self.device.current(), Device::Cpu) || step % STEPS_A_READING == 0;
        if is_last_of_few || is_last {
            // Stopped first: then all steps that were done are told, however short ago the last ones were.
            training.state = if is_last { TrainingState::Finished } else { TrainingState::Paused };
        }
        // Only where the device has been waited for already: a look costs the loop nothing but a copy.
        let shows = reads && (is_last_of_few || is_last || now > training.showed + SHOW_MILLIS);
        if reads {
            self.collect_losses().await;
        }
        if shows {
            self.show_batch(now).await;
        }
        if is_last_of_few || ends_epoch || is_last {
            self.keep().await;
        }
        if ends_epoch || is_due {
            self.begin_evaluation(Network::Yours).await;
        }
        if looks || is_last_of_few {
            self.look_again();
        }
    }

    /// Tells pictures of the last step's batch.
    async fn show_batch(&mut self, now: f64) {
        let Some(training) = &mut self.training else { return };
        let Some(trainer) = &training.trainer else { return };
        training.showed = now;
        let size = [trainer.config().height, trainer.config().width];
        // A device that fails here fails at the next step too, where it is told.
        let Ok(Some(seen)) = trainer.seen(MOST_SHOWN).await else { return };
        self.host.send(Snapshot::Batch(BatchPictures {
            step: seen.step,
            batch: seen.batch as u32,
            size: size.map(|side| side as u32),
            pixels: pixels::to_bytes(&seen.pixels),
            labels: seen.labels,
            readings: seen.readings,
        }));
    }

    /// A step that was done outside of the loop.
    pub(super) fn add_step(&mut self, losses: &Losses) {
        let Some(training) = &mut self.training else { return };
        training.history.push(point(losses));
        self.host.send(Snapshot::Curve(vec![point(losses)]));
    }

    /// Takes the losses of the steps done, and tells the page from time to time.
    pub(super) async fn collect_losses(&mut self) {
        let now = self.host.now();
        let Some(training) = &mut self.training else { return };
        let Some(trainer) = &mut training.trainer else { return };
        match trainer.losses().await {
            Ok(losses) => {
                training.curve.extend(losses.iter().map(point));
                training.history.extend(losses.iter().map(point));
            }
            Err(error) => return self.stop(error.to_string()),
        }
        let elapsed = now - training.told.0;
        if elapsed < TELL_MILLIS && training.state == TrainingState::Running {
            return;
        }
        let images = (trainer.step() - training.told.1) * u64::from(training.settings.batch);
        if images > 0 {
            training.images_per_second = (images as f64 / elapsed * 1000.0) as f32;
        }
        training.told = (now, trainer.step());
        let curve = std::mem::take(&mut training.curve);
        self.host.send(Snapshot::Curve(curve));
        self.tell_training();
    }

    /// A test of the network in training is done: it is kept, and may show that training has stopped to help.
    pub(super) async fn tested(&mut self, evaluation: Evaluation) {
        let images = self.training_count() as u64;
        let Some(training) = &mut self.training else { return };
        training.evaluations.retain(|known| known.step < evaluation.step);
        training.evaluations.push(evaluation.clone());
        self.keep().await;
        let Some(training) = &mut self.training else { return };
        let improves = training.best.as_ref().is_none_or(|(best, _)| evaluation.correct > *best);
        if let (true, Some(good)) = (improves, &training.good) {
            training.best = Some((evaluation.correct, good.clone()));
        }
        let tests: Vec<(u64, u32)> = training.evaluations.iter().map(|test| (test.step, test.correct)).collect();
        let steps_an_epoch = images.div_ceil(training.settings.batch.into());
        let is_running = training.state == TrainingState::Running;
        if is_running && is_plateau(&tests, PATIENCE_EPOCHS * steps_an_epoch, training.since) {
            training.state = TrainingState::Stopped(format!(
                "no test of the last {PATIENCE_EPOCHS} epochs was better than the best one before; Train goes on all the same"
            ));
            training.offered = training.best.as_ref().map(|(_, kept)| kept.clone());
            self.tell_training();
        }
    }

    /// Takes a weight file as the network in training.
    pub(super) async fn load_weights(&mut self, bytes: Vec<u8>) {
        let outcome = match weights::from_bytes(&bytes) {
            Ok(weights) => self.trainer_of(&weights).await,
            Err(error) => Err(error.to_string()),
        };
        match outcome {
            Ok((settings, trainer)) => {
                self.set_trainer(settings, trainer, vec![], vec![]);
                self.keep().await;
            }
            Err(error) => self.problem(error),
        }
    }

    pub(super) async fn trainer_of(&mut self, weights: &Weights) -> Result<(TrainingSettings, Trainer), String> {
        let about = &weights.about;
        let (device, images) = (self.device.current().clone(), self.training_count());
        let standing = about.training.filter(|_| weights.moments.is_some());
        // A file may come from another device: what runs at a time is what this one takes.
        let chunk = self.chunk(&about.config);
        let fresh = Settings { batch: 128, seed: 1, max_shift: max_shift(&about.config), chunk };
        let run = standing.map_or(fresh, |standing| Settings { chunk, ..standing.settings });
        let trainer = match standing {
            Some(standing) => Trainer::resume(&device, weights, run, standing.position, images).await,
            None => Trainer::from_weights(&device, weights, run, images).await,
        };
        let settings = TrainingSettings {
            preset: about.preset.clone().unwrap_or_else(|| "own".into()),
            pairs: about.config.is_of_pairs(),
            procedure: about.config.classes().procedure.parse().unwrap_or_default(),
            batch: run.batch as u32,
            iterations: about.config.iterations() as u8,
            seed: run.seed,
            rate: about.config.adam.rate,
            reconstruction: about.config.loss.reconstruction,
            epochs: 10,
            evaluate_every: 0,
        };
        Ok((settings, trainer.map_err(|error| error.to_string())?))
    }

    /// The network in training once more, on the device in use: its last state, or its beginning if none was taken. It
    /// goes on as it did. The step it is at; `None`: nothing is in training.
    pub(super) async fn rebuild_training(&mut self) -> Result<Option<u64>, String> {
        let Some(lost) = self.training.take() else { return Ok(None) };
        match &lost.good {
            Some(good) => self.take_up(good.recall().map_err(|error| error.to_string())?).await?,
            None => {
                let trainer = self.new_trainer(&lost.settings).await?;
                self.set_trainer(lost.settings, trainer, vec![], vec![]);
            }
        }
        let Some(training) = &mut self.training else { return Ok(None) };
        training.state = lost.state;
        training.steps_left = lost.steps_left;
        training.best = lost.best;
        training.offered = lost.offered;
        let step = training.trainer.as_ref().map(Trainer::step);
        self.tell_training();
        Ok(step)
    }

    /// Moves the network in training to another device, moments and position included.
    pub(super) async fn move_training(&mut self, device: &Device) -> Result<(), String> {
        self.slow_end();
        let chunk = match self.training.as_ref().and_then(Training::held) {
            Some(held) => self.chunk(&held.config),
            None => return Ok(()),
        };
        if let Some(training) = &mut self.training
            && let Some(trainer) = &mut training.trainer
        {
            trainer.move_to(device, chunk).await.map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

fn point(losses: &Losses) -> CurvePoint {
    CurvePoint {
        step: losses.step,
        margin: losses.margin,
        reconstruction: losses.reconstruction,
        accuracy: losses.accuracy,
        entropy: losses.entropy,
    }
}
