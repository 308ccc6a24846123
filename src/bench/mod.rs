//! How fast a device is: training steps, single readings, and each kernel beside the device's own ceilings. The command
//! line and the engine run the same code on any executor, and count by the executor's own counters.

mod kernels;
mod table;
mod whole;

pub use table::table;

use crate::capsnet::{Config, Preset};
use crate::data::Dataset;
use crate::exec::gpu::{self, Tuning};
use crate::exec::{Device, ExecError};
use crate::protocol::{BenchReport, BenchRequest, Spread};
use crate::train::TrainError;

/// Seed of weights, order and shifts.
const SEED: u64 = 1;

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// No such network.
    #[error("there is no network called {0}; choose tiny, compact or paper")]
    Preset(String),
    /// The device or the data would not have it.
    #[error(transparent)]
    Train(#[from] TrainError),
}

impl From<ExecError> for BenchError {
    fn from(error: ExecError) -> Self {
        BenchError::Train(error.into())
    }
}

/// Where and with what is measured.
pub struct Bench<'a> {
    /// The executor.
    pub device: &'a Device,
    /// Images to train on and to read.
    pub data: &'a Dataset,
    /// Milliseconds since some moment.
    pub now: &'a dyn Fn() -> f64,
    /// Images a chunk in the split run, by what the engine does on this device.
    pub chunk: &'a dyn Fn(&Config) -> usize,
}

impl Bench<'_> {
    /// Measures what the request asks for.
    ///
    /// # Errors
    /// [`BenchError`]: no such network, or the device cannot hold it or is lost.
    pub async fn run(&self, request: &BenchRequest) -> Result<BenchReport, BenchError> {
        let Device::Gpu(context) = self.device else { return self.measure(request).await };
        if request.tile.is_empty() {
            return self.measure(request).await;
        }
        let before = context.set_tuning(Tuning::Forced(request.tile.clone()));
        let outcome = self.measure(request).await;
        context.set_tuning(before);
        outcome
    }

    async fn measure(&self, request: &BenchRequest) -> Result<BenchReport, BenchError> {
        let preset = Preset::named(&request.preset).ok_or_else(|| BenchError::Preset(request.preset.clone()))?;
        let config = preset.config();
        let mut report = BenchReport {
            preset: request.preset.clone(),
            executor: if matches!(self.device, Device::Cpu) { "cpu" } else { "webgpu" }.into(),
            device: self.device.name().into(),
            batch: request.batch,
            ..BenchReport::default()
        };
        if request.steps > 0 {
            report.training = Some(self.training(&config, request).await?);
        }
        if request.readings > 0 {
            report.reading = Some(self.reading(&config, request).await?);
        }
        if request.kernels {
            report.kernels = Some(self.kernels(&config, request.batch as usize).await?);
        }
        Ok(report)
    }

    /// What the device has been asked to do so far; nothing on the CPU.
    fn counters(&self) -> gpu::Counters {
        match self.device {
            Device::Cpu => gpu::Counters::default(),
            Device::Gpu(context) => context.counters(),
        }
    }
}

/// The middle, the least and the most of some times.
fn spread(times: &[f64]) -> Spread {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted[..] {
        [] => Spread::default(),
        [min, ..] => {
            let half = sorted.len() / 2;
            let median = if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 };
            Spread { median, min, max: sorted[sorted.len() - 1] }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_an_even_number_of_times_lies_between_two() {
        assert_eq!(spread(&[4.0, 1.0, 2.0, 100.0]), Spread { median: 3.0, min: 1.0, max: 100.0 });
        assert_eq!(spread(&[4.0, 1.0, 2.0]), Spread { median: 2.0, min: 1.0, max: 4.0 });
        assert_eq!(spread(&[]), Spread::default());
    }

    #[test]
    fn every_part_is_measured_on_the_cpu() {
        let images: Vec<u8> = [0, 0, 8, 3, 0, 0, 0, 4, 0, 0, 0, 28, 0, 0, 0, 28]
            .into_iter()
            .chain((0..4 * 784).map(|k| (k * 31 % 251) as u8))
            .collect();
        let labels = [0, 0, 8, 1, 0, 0, 0, 4, 3, 1, 4, 1];
        let data = Dataset::from_idx(&images, &labels).unwrap_or_else(|error| panic!("{error}"));
        let start = std::time::Instant::now();
        let now = || start.elapsed().as_secs_f64() * 1e3;
        let bench = Bench { device: &Device::Cpu, data: &data, now: &now, chunk: &|_| 1 };
        let request = BenchRequest {
            serial: 0,
            preset: "tiny".into(),
            batch: 2,
            steps: 3,
            readings: 2,
            warmup: 1,
            kernels: true,
            loops: true,
            tile: String::new(),
        };
        let report = pollster::block_on(bench.run(&request)).unwrap_or_else(|error| panic!("{error}"));
        let training = report.training.clone().expect("steps were asked for");
        assert_eq!((training.ms.len(), training.loss.len()), (3, 3));
        assert!(training.loss.iter().all(|loss| loss.is_finite() && *loss > 0.0));
        assert_eq!(training.split.expect("loops were asked for").chunk, 1);
        assert_eq!(report.reading.clone().expect("readings were asked for").ms.len(), 2);
        let kernels = report.kernels.clone().expect("kernels were asked for");
        assert!(kernels.ceiling_gflops > 0.0 && kernels.ceiling_gbytes > 0.0);
        assert!(kernels.steps.iter().all(|step| step.ms >= 0.0 && step.bytes > 0));
        let text = table(&report);
        assert!(text.contains("primary: conv_forward") && text.contains("images/s"), "{text}");
        let unknown = BenchRequest { preset: "huge".into(), ..request };
        let refusal = pollster::block_on(bench.run(&unknown)).expect_err("a network that is not there");
        assert!(refusal.to_string().contains("choose tiny, compact or paper"));
    }
}
