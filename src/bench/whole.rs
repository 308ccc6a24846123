//! Whole training steps and whole readings.

use super::{Bench, BenchError, SEED, spread};
use crate::capsnet::{Config, Layout, Purpose, plan};
use crate::data::evaluation_batch;
use crate::exec::Device;
use crate::plan::{Chosen, Role, Run};
use crate::protocol::{BenchRequest, LoopTimes, ReadingTimes, TrainingTimes};
use crate::train::{Settings, TrainError, Trainer, initial_parameters};
use std::sync::Arc;

/// Chunks that may be unfinished on a GPU, as in training.
const IN_FLIGHT: usize = 2;

/// The largest training shift, in pixels.
const MAX_SHIFT: u8 = 2;

impl Bench<'_> {
    async fn trainer(&self, config: &Config, batch: usize, chunk: usize) -> Result<Trainer, BenchError> {
        let settings = Settings { batch, seed: SEED, max_shift: MAX_SHIFT, chunk };
        Ok(Trainer::new(self.device, config.clone(), settings, self.data.len()).await?)
    }

    /// Steps that are waited for one by one; then, if asked for, the two loops.
    pub(super) async fn training(&self, config: &Config, request: &BenchRequest) -> Result<TrainingTimes, BenchError> {
        let (batch, steps, warmup) = (request.batch as usize, request.steps as usize, request.warmup as usize);
        let begin = (self.now)();
        let mut trainer = self.trainer(config, batch, batch).await?;
        let mut times = TrainingTimes { load_ms: (self.now)() - begin, ..TrainingTimes::default() };
        let mut before = self.counters();
        for step in 0..warmup + steps {
            if step == warmup {
                before = self.counters();
            }
            let start = (self.now)();
            trainer.advance(self.data, &mut || false)?;
            let losses = trainer.losses().await?;
            let ms = (self.now)() - start;
            if step == 0 {
                times.first_ms = ms;
            }
            if step >= warmup {
                times.ms.push(ms);
                times.loss.extend(losses.iter().map(|losses| losses.total()));
            }
        }
        let after = self.counters();
        let a_step = |more: u64| more as f64 / steps as f64;
        times.dispatches = a_step(after.dispatches - before.dispatches);
        times.submits = a_step(after.submits - before.submits);
        times.peak_bytes = match self.device {
            Device::Cpu => cpu_bytes(config, batch)?,
            Device::Gpu(_) => after.bytes,
        };
        times.spread = spread(&times.ms);
        times.images_per_second = 1e3 * request.batch as f64 / times.spread.median;
        if request.loops {
            times.unwaited = Some(self.follow(trainer, steps).await?);
            let chunk = (self.chunk)(config).min(batch);
            let mut trainer = self.trainer(config, batch, chunk).await?;
            trainer.advance(self.data, &mut || false)?;
            times.split = Some(self.follow(trainer, steps).await?);
        }
        Ok(times)
    }

    /// The loop as the engine trains, until all is done.
    async fn follow(&self, mut trainer: Trainer, steps: usize) -> Result<LoopTimes, BenchError> {
        trainer.settle(0).await?;
        let (before, start) = (self.counters(), (self.now)());
        for _ in 0..steps {
            trainer.advance(self.data, &mut || false)?;
            trainer.settle(IN_FLIGHT).await?;
        }
        trainer.settle(0).await?;
        let (after, ms) = (self.counters(), ((self.now)() - start) / steps as f64);
        trainer.losses().await?;
        let Settings { batch, chunk, .. } = *trainer.settings();
        let chunks = steps * batch.div_ceil(chunk);
        Ok(LoopTimes {
            chunk: chunk as u32,
            ms,
            images_per_second: 1e3 * batch as f64 / ms,
            submits_a_chunk: (after.submits - before.submits) as f64 / chunks as f64,
        })
    }

    /// Single images: every iteration, the longest capsule decoded, lengths and picture read back.
    pub(super) async fn reading(&self, config: &Config, request: &BenchRequest) -> Result<ReadingTimes, BenchError> {
        let (readings, warmup) = (request.readings as usize, request.warmup as usize);
        let store = self.device.allocate(Layout::new(config).elements, false)?;
        store.write(Role::Parameters, &initial_parameters(config, SEED));
        let plan = Arc::new(plan(config, Purpose::Trace, 1).map_err(TrainError::from)?);
        let mut loaded = self.device.load(plan.clone(), &store).await?;
        let find = |name| plan.find(name).expect("a tensor of every trace");
        let run = Run::new(1, config.iterations(), Chosen::Longest);
        let wanted = [(find("lengths"), config.classes().parents), (find("reconstruction"), config.pixels())];
        let (mut pixels, mut label) = (vec![0.0; config.pixels()], [0.0]);
        let (mut times, mut before) = (ReadingTimes::default(), self.counters());
        for image in 0..warmup + readings {
            if image == warmup {
                before = self.counters();
            }
            let start = (self.now)();
            evaluation_batch(self.data, image % self.data.len(), 1, &mut pixels, &mut label);
            loaded.write(find("pixels"), &pixels);
            loaded.run(&run, 0..plan.steps.len())?;
            loaded.read_all(&wanted).await?;
            if image >= warmup {
                times.ms.push((self.now)() - start);
            }
        }
        let after = self.counters();
        times.dispatches = (after.dispatches - before.dispatches) as f64 / readings as f64;
        times.submits = (after.submits - before.submits) as f64 / readings as f64;
        times.spread = spread(&times.ms);
        Ok(times)
    }
}

/// What a network in training and its plan take in memory.
fn cpu_bytes(config: &Config, batch: usize) -> Result<u64, BenchError> {
    let plan = plan(config, Purpose::Train, batch).map_err(TrainError::from)?;
    Ok((4 * Role::SHARED.len() * Layout::new(config).elements + plan.own_bytes()) as u64)
}
