//! Each step of a training plan by itself, and the device's ceilings: a step is repeated within one submission until
//! that takes long enough to be timed.

use super::{Bench, BenchError, SEED, spread};
use crate::capsnet::{Config, Layout, Purpose, plan};
use crate::data::evaluation_batch;
use crate::exec::{Device, Loaded};
use crate::ops::{ceiling_copy::Copying, ceiling_multiply_add::MultiplyAdd};
use crate::plan::{Builder, Chosen, Operation, Phase, Role, Run};
use crate::protocol::{KernelTime, KernelTimes};
use crate::train::{TrainError, initial_parameters};
use std::sync::Arc;

/// A timed submission should last so long, in milliseconds.
const LONG_ENOUGH_MS: f64 = 30.0;

/// The most repetitions in a submission.
const MOST_REPEATS: usize = 500;

/// Timed submissions of each step; the middle one counts.
const TRIES: usize = 3;

/// Elements of the copy: 32 MiB read and as many written.
const COPIED: usize = 8 << 20;

impl Bench<'_> {
    /// Times every step of a training plan of `batch` images.
    pub(super) async fn kernels(&self, config: &Config, batch: usize) -> Result<KernelTimes, BenchError> {
        let mut times = KernelTimes::default();
        let [flops, flops_ms, empty_ms] = self.alone(self.multiply_add()).await?;
        times.ceiling_gflops = flops / flops_ms / 1e6;
        times.empty_ms = empty_ms;
        let [_, copy_ms, _] = self.alone(Arc::new(Copying { quads: COPIED / 4 })).await?;
        times.ceiling_gbytes = 8.0 * COPIED as f64 / copy_ms / 1e6;

        let store = self.device.allocate(Layout::new(config).elements, true)?;
        store.write(Role::Parameters, &initial_parameters(config, SEED));
        let plan = Arc::new(plan(config, Purpose::Train, batch).map_err(TrainError::from)?);
        let mut loaded = self.device.load(plan.clone(), &store).await?;
        let find = |name| plan.find(name).expect("an input of every training plan");
        let (mut pixels, mut labels) = (vec![0.0; batch * config.pixels()], vec![0.0; batch]);
        let live = evaluation_batch(self.data, 0, batch, &mut pixels, &mut labels);
        loaded.write(find("pixels"), &pixels);
        loaded.write(find("labels"), &labels);
        // Rate 0: however often Adam is repeated, the network stays what it is.
        let run = Run { total: batch as f32, ..Run::new(live.max(1), config.iterations(), Chosen::Label) };
        loaded.run(&run, 0..plan.steps.len())?;
        for (index, step) in plan.steps.iter().enumerate() {
            let ms = self.step(&mut loaded, &run, index, empty_ms).await?;
            let cost = step.operation.cost(live.max(1));
            let (flops, bytes) = (cost.flops as f64, cost.bytes as f64);
            let floor = (flops / times.ceiling_gflops).max(bytes / times.ceiling_gbytes) / 1e6;
            times.steps.push(KernelTime {
                name: step.name.clone(),
                variant: self.variant(&*step.operation, plan.capacity).into(),
                ms,
                flops: cost.flops,
                bytes: cost.bytes,
                gflops: flops / ms / 1e6,
                gbytes: bytes / ms / 1e6,
                share_of_ceiling: floor / ms,
            });
        }
        Ok(times)
    }

    fn variant(&self, operation: &dyn Operation, capacity: usize) -> &'static str {
        match self.device {
            Device::Cpu => "",
            Device::Gpu(context) => context.variant(operation, capacity).unwrap_or_default(),
        }
    }

    fn multiply_add(&self) -> Arc<dyn Operation> {
        let is_large = matches!(self.device, Device::Gpu(context) if !context.adapter().is_software);
        let (invocations, rounds) = if is_large { (1 << 18, 1024) } else { (1 << 14, 128) };
        Arc::new(MultiplyAdd { invocations, rounds })
    }

    /// An operation as a plan of its own: its work, its milliseconds, and those of doing nothing.
    async fn alone(&self, operation: Arc<dyn Operation>) -> Result<[f64; 3], BenchError> {
        let mut builder = Builder::new("ceiling", 1);
        let elements = operation.ports()[0].extent.elements(1);
        let x = builder.fixed(Role::Input, "x", &[elements]);
        let y = builder.fixed(Role::Output, "y", &[elements]);
        let flops = operation.flops(1);
        builder.step_of(Phase::Forward, "ceiling", operation, &[x], &[y]);
        let plan = Arc::new(builder.build().map_err(TrainError::from)?);
        let mut loaded = self.device.load(plan, &self.device.allocate(0, false)?).await?;
        let run = Run::new(1, 1, Chosen::Label);
        self.timed(&mut loaded, &run, 0, 1).await?;
        let mut nothing = vec![];
        for _ in 0..9 {
            nothing.push(self.timed(&mut loaded, &run, 0, 0).await?);
        }
        let empty = spread(&nothing).median;
        Ok([flops as f64, self.step(&mut loaded, &run, 0, empty).await?, empty])
    }

    /// Milliseconds of one step.
    async fn step(&self, loaded: &mut Loaded, run: &Run, index: usize, empty_ms: f64) -> Result<f64, BenchError> {
        let once = (self.timed(loaded, run, index, 1).await? - empty_ms).max(1e-3);
        let repeats = ((LONG_ENOUGH_MS / once) as usize).clamp(1, MOST_REPEATS);
        let mut tries = vec![];
        for _ in 0..TRIES {
            tries.push((self.timed(loaded, run, index, repeats).await? - empty_ms).max(1e-6) / repeats as f64);
        }
        Ok(spread(&tries).median)
    }

    /// Milliseconds until so many repetitions of a step are done.
    async fn timed(&self, loaded: &mut Loaded, run: &Run, index: usize, times: usize) -> Result<f64, BenchError> {
        loaded.settle(0).await?;
        let start = (self.now)();
        loaded.repeat(run, index, times)?;
        loaded.settle(0).await?;
        Ok((self.now)() - start)
    }
}
