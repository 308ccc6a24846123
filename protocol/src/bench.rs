//! What a benchmark is asked and what it answers: plain data, the same for page and command line.

use serde::{Deserialize, Serialize};

/// What to measure, on the executor in use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchRequest {
    /// Echoed in the answer.
    pub serial: u32,
    /// tiny, compact or paper.
    pub preset: String,
    /// Images a training step.
    pub batch: u32,
    /// Timed training steps; 0: none.
    pub steps: u32,
    /// Timed readings of single images; 0: none.
    pub readings: u32,
    /// Steps, and readings, that are done before the timed ones.
    pub warmup: u32,
    /// Whether each kernel is timed by itself, beside the device's own ceilings.
    pub kernels: bool,
    /// Whether the loop that does not wait, and one with the batch in chunks, are timed too.
    pub loops: bool,
    /// Forces the kernels of this name where an operation has several; empty: as the device chooses.
    pub tile: String,
}

/// What was measured. Times are in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// The network.
    pub preset: String,
    /// The executor: `cpu` or `webgpu`.
    pub executor: String,
    /// The adapter's name, or that of the processor's executor.
    pub device: String,
    /// Images a training step.
    pub batch: u32,
    /// Training.
    pub training: Option<TrainingTimes>,
    /// Single images.
    pub reading: Option<ReadingTimes>,
    /// Kernel by kernel.
    pub kernels: Option<KernelTimes>,
}

/// The middle one, the least and the most of some times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The middle one.
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
}

/// Training steps, each with drawing the batch, upload, Adam and the loss read back and waited for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainingTimes {
    /// Milliseconds of each step after the warm-up.
    pub ms: Vec<f64>,
    /// Milliseconds of the first step of all, in which nothing is warm.
    pub first_ms: f64,
    /// Milliseconds until the network and its kernels were there.
    pub load_ms: f64,
    /// Total loss of each step.
    pub loss: Vec<f32>,
    /// Of the steps.
    pub spread: Spread,
    /// From the median.
    pub images_per_second: f64,
    /// Kernels dispatched a step, counted by the executor; 0 on the CPU.
    pub dispatches: f64,
    /// Command buffers submitted a step, that of the read-back included.
    pub submits: f64,
    /// Bytes of all buffers while it trains.
    pub peak_bytes: u64,
    /// The loop as it trains: nothing waits for a step but that no more than two are in flight.
    pub unwaited: Option<LoopTimes>,
    /// The same with the batch in chunks, as the engine cuts it on this device so that a page stays responsive.
    pub split: Option<LoopTimes>,
}

/// A training loop that waits for no single step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopTimes {
    /// Images a chunk.
    pub chunk: u32,
    /// Milliseconds a step, mean over the loop.
    pub ms: f64,
    /// Images a second.
    pub images_per_second: f64,
    /// Command buffers submitted a chunk.
    pub submits_a_chunk: f64,
}

/// Single images read with every iteration kept, decoded; lengths and reconstruction read back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadingTimes {
    /// Milliseconds of each image after the warm-up.
    pub ms: Vec<f64>,
    /// Of the images.
    pub spread: Spread,
    /// Kernels dispatched an image.
    pub dispatches: f64,
    /// Command buffers submitted an image, that of the read-back included.
    pub submits: f64,
}

/// Each step of the training plan by itself, beside what the device does at most.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelTimes {
    /// Multiply-adds without memory, GFLOP/s (each counted as two).
    pub ceiling_gflops: f64,
    /// A copy, GB/s (read and written bytes).
    pub ceiling_gbytes: f64,
    /// Milliseconds of a submission that does nothing; taken off the times below.
    pub empty_ms: f64,
    /// In the order of the plan.
    pub steps: Vec<KernelTime>,
}

/// One step of a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelTime {
    /// What and on what.
    pub name: String,
    /// Which of the operation's kernels ran; empty if there is only one.
    pub variant: String,
    /// Milliseconds.
    pub ms: f64,
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes read and written at least once.
    pub bytes: u64,
    /// Billion floating-point operations a second.
    pub gflops: f64,
    /// Billion bytes a second.
    pub gbytes: f64,
    /// The least time that the ceilings allow, as a part of the measured one.
    pub share_of_ceiling: f64,
}
