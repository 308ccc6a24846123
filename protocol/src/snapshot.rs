//! What the engine tells the page.

use super::{BenchReport, Comparison, Network, Procedure, Structure, Survey, TrainingSettings};
use serde::{Deserialize, Serialize};

/// Which executor runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeviceKind {
    /// Twins on this processor.
    Cpu,
    /// WGSL on WebGPU.
    WebGpu,
}

/// The executor in use, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceStatus {
    /// Which.
    pub kind: DeviceKind,
    /// The adapter's name, or how many threads.
    pub name: String,
    /// True if the choice is final; false while WebGPU is still being asked for.
    pub settled: bool,
    /// True if the adapter is a software one: WebGPU is there, but slower than the CPU executor, which runs unless WebGPU
    /// was asked for.
    pub software: bool,
    /// Why this one and not WebGPU, as a sentence; empty if nothing is to be explained.
    pub reason: String,
}

/// What one position of a layer of convolutions sees of the input: `size` × `size` pixels, of which position (y, x)
/// starts at row y · `stride` and column x · `stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Rows and columns.
    pub size: u32,
    /// Pixels from one position to the next.
    pub stride: u32,
}

/// A network that the engine holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkStatus {
    /// Which.
    pub network: Network,
    /// Its preset.
    pub preset: String,
    /// What it was made to be routed by.
    pub procedure: Procedure,
    /// Trainable parameters.
    pub parameters: u32,
    /// Steps that it has been trained for.
    pub step: u64,
    /// Correct ones of the 10 000 test images (of overlapping digits, pictures of which both were named), if they were counted for these very weights.
    pub correct: Option<u32>,
    /// Capsule types, rows and columns of the primary capsules: capsule = (type · rows + y) · columns + x.
    pub grid: [u32; 3],
    /// What a position of the first convolution and what a primary capsule sees.
    pub fields: [Field; 2],
    /// Rows and columns of the pictures that it reads.
    pub input: [u32; 2],
    /// Digits in a picture that it trains on: 1, or 2 that overlap.
    pub digits: u32,
    /// Classes and dimensions of the digit capsules.
    pub poses: [u32; 2],
    /// Mean of each pose dimension over the test digits of its class [classes, dims]; empty if not known.
    pub means: Vec<f32>,
    /// Their standard deviations [classes, dims]; empty if not known.
    pub deviations: Vec<f32>,
}

/// One digit read, with every iteration of its routing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Of the exploration that it answers.
    pub serial: u64,
    /// The network that read it.
    pub network: Network,
    /// Steps that the network had been trained for.
    pub step: u64,
    /// Iterations r.
    pub iterations: u8,
    /// Child capsules I, parents J and dimensions D.
    pub sizes: [u32; 3],
    /// Coupling coefficients c [r, I, J].
    pub coupling: Vec<f32>,
    /// Logits b before each iteration's softmax [r, I, J].
    pub logits: Vec<f32>,
    /// Parent poses v [r, J, D].
    pub poses: Vec<f32>,
    /// Their lengths [r, J].
    pub lengths: Vec<f32>,
    /// Mean entropy of the coefficients of each iteration, in nats [r].
    pub entropy: Vec<f32>,
    /// Lengths of the child capsules [I].
    pub activity: Vec<f32>,
    /// The longest capsule in the last iteration.
    pub winner: u8,
    /// Milliseconds that the engine took.
    pub millis: f32,
}

/// What the decoder makes of a pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// Of the exploration that it answers.
    pub serial: u64,
    /// The decoded capsule's class.
    pub class: u8,
    /// Its pose before the offsets [D].
    pub pose: Vec<f32>,
    /// The decoder's output, 28×28 values in [0, 1]; of a larger one the middle.
    pub pixels: Vec<f32>,
    /// The two longest capsules' classes and pictures, if they were asked for: the longest first, each decoded from its
    /// own pose alone.
    pub two: Vec<(u8, Vec<f32>)>,
    /// The swept pictures, one after another, if a sweep was asked for.
    pub sweep: Vec<f32>,
    /// Milliseconds that the engine took.
    pub millis: f32,
}

/// The votes for one digit capsule, and what it makes of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Votes {
    /// Of the exploration that it answers.
    pub serial: u64,
    /// The digit capsule.
    pub class: u8,
    /// Its votes û [I, D].
    pub votes: Vec<f32>,
    /// Its bias β, which joins s in every iteration [D].
    pub bias: Vec<f32>,
    /// Its weighted sums s [r, D].
    pub sums: Vec<f32>,
    /// û·v after the last iteration, for all digit capsules [I, J]. Nothing is added to the logits any more; the
    /// agreement of earlier iterations is the difference of their logits.
    pub agreement: Vec<f32>,
    /// ‖û‖ for all digit capsules [I, J].
    pub strengths: Vec<f32>,
}

/// What one layer says of the digit in view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    /// Such as conv1 or decoder.0.
    pub name: String,
    /// Its extents.
    pub shape: Vec<u32>,
    /// Its values, row-major.
    pub values: Vec<f32>,
}

/// The layers that are looked at and have changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layers {
    /// Of the exploration that they answer.
    pub serial: u64,
    /// From bottom to top.
    pub layers: Vec<Layer>,
}

/// One dimension of a pose moved in steps, the others as they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridRow {
    /// Of the exploration that asked for the grid first.
    pub serial: u64,
    /// The decoded capsule's class.
    pub class: u8,
    /// The dimension, from 0.
    pub dimension: u8,
    /// What is added in each picture.
    pub offsets: Vec<f32>,
    /// The pictures, one after another, 28×28 values in [0, 1] each.
    pub pixels: Vec<f32>,
}

/// Many pictures, read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Surveyed {
    /// Of the request.
    pub serial: u64,
    /// What for.
    pub survey: Survey,
    /// The network that read them.
    pub network: Network,
    /// Steps that the network had been trained for.
    pub step: u64,
    /// Classes J and dimensions D.
    pub sizes: [u32; 2],
    /// The digit capsules' lengths [n, J].
    pub lengths: Vec<f32>,
    /// Their poses [n, J, D].
    pub poses: Vec<f32>,
    /// The test digits; empty if the pictures were given.
    pub digits: Digits,
    /// The longest capsules decoded, 28×28 values in [0, 1] each; empty if not asked for.
    pub reconstructions: Vec<f32>,
}

/// What a network made of each test image when all were read last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Predictions {
    /// The network.
    pub network: Network,
    /// Steps that it had been trained for.
    pub step: u64,
    /// The labels.
    pub labels: Vec<u8>,
    /// The longest capsules.
    pub predictions: Vec<u8>,
}

/// A person's picture of a digit, made into what the network reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnPicture {
    /// 28×28 values in [0, 1], white on black.
    pub pixels: Vec<f32>,
    /// Whether dark ink on a light ground was inverted.
    pub inverted: bool,
    /// Columns and rows of the file's picture.
    pub size: [u32; 2],
}

/// Why a picture file was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// No picture that any decoder knows.
    NotAPicture,
    /// A picture, but of this other format.
    Format(String),
    /// More pixels than fit into memory: columns, rows.
    TooLarge(u32, u32),
    /// A file of a format that breaks off or contradicts itself, and what the decoder said.
    Damaged(String, String),
    /// Nothing stands out from its ground.
    Blank,
}

/// Digits of the test set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digits {
    /// Their places among the 10 000.
    pub indices: Vec<u32>,
    /// Their labels.
    pub labels: Vec<u8>,
    /// Their pixels, 784 bytes each.
    pub pixels: Vec<u8>,
}

/// What training is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TrainingState {
    /// The training set is being fetched: bytes so far and in all.
    Loading(u32, u32),
    /// WebGPU is being asked for, and training on anything else was not asked for.
    Waiting,
    /// Steps are running.
    Running,
    /// Waiting for a person.
    Paused,
    /// Done: all epochs.
    Finished,
    /// Stopped by itself, with the reason as a sentence.
    Stopped(String),
}

/// Where training stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingStatus {
    /// What it is doing.
    pub state: TrainingState,
    /// How the network is trained.
    pub settings: TrainingSettings,
    /// Steps done.
    pub step: u64,
    /// Epochs done, with the part of the present one.
    pub epoch: f64,
    /// Learning rate of the next step.
    pub rate: f64,
    /// Images a second over the last seconds of running; 0 before there are any.
    pub images_per_second: f32,
    /// After a stop, the steps of the state that [`Command::GoBack`](super::Command::GoBack) goes back to.
    pub back_to: Option<u64>,
}

/// What is trained on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataStatus {
    /// The name of an own set; `None`: MNIST.
    pub own: Option<String>,
    /// Images to train on.
    pub train: u32,
    /// Images to test on.
    pub test: u32,
    /// Whether the test images were held out of the only half that was given.
    pub is_held_out: bool,
}

/// What becomes of training when the page ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Keeping {
    /// It was kept: its steps, and when, in milliseconds since 1970.
    Kept(u64, f64),
    /// What was kept before a reload is here again: its steps, and when it was kept.
    Restored(u64, f64),
    /// Another tab keeps its training, and this one's is lost when it is closed.
    Elsewhere,
    /// It cannot be kept, for this reason.
    Impossible(String),
    /// What is stored cannot be taken, for this reason.
    Refused(String),
}

/// What one training step cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Steps done before this one.
    pub step: u64,
    /// Margin loss, mean over the batch.
    pub margin: f32,
    /// Reconstruction loss, weighted, mean over the batch.
    pub reconstruction: f32,
    /// Share of the batch that was read right.
    pub accuracy: f32,
    /// Mean entropy of the last coefficients, in nats.
    pub entropy: f32,
}

/// Pictures of the batch of the last training step, as the network got them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchPictures {
    /// Steps done before that one.
    pub step: u64,
    /// Images of the batch, of which the last are here.
    pub batch: u32,
    /// Rows and columns of a picture.
    pub size: [u32; 2],
    /// Their pixels, one after another.
    pub pixels: Vec<u8>,
    /// Their labels; of overlapping digits both, the lower one first.
    pub labels: Vec<Vec<u8>>,
    /// What they were taken for before the update, in the same form.
    pub readings: Vec<Vec<u8>>,
}

/// A phase of a training step in slow motion, with what it has made of the batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowMotion {
    /// Steps done before this one.
    pub step: u64,
    /// Pictures in the batch.
    pub images: u32,
    /// Which phase, from 0.
    pub index: u32,
    /// Phases in all.
    pub count: u32,
    /// What it has done.
    pub phase: SlowPhase,
}

/// What a phase has made of the batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SlowPhase {
    /// The batch is drawn: its first pictures, 784 bytes each, their labels, and the mean of all pixels.
    Pixels(Vec<u8>, Vec<u8>, f32),
    /// The first convolution: mean activation, the largest, share above zero.
    Convolution(f32, f32, f32),
    /// The primary capsules: mean length, the longest, and how many lie in each twentieth of 0…1.
    Primary(f32, f32, Vec<u32>),
    /// The votes: how many, and their mean length.
    Votes(u64, f32),
    /// A routing iteration, from 1: mean entropy in nats, mean length of each class's capsule, share read right.
    Iteration(u8, f32, Vec<f32>, f32),
    /// The lengths: the class read in each of the first pictures, mean length of the label's capsule, of the others, share
    /// read right.
    Lengths(Vec<u8>, f32, f32, f32),
    /// The margin loss.
    Margin(f32),
    /// The reconstruction loss, weighted, and the first reconstructions, 784 bytes each.
    Reconstruction(f32, Vec<u8>),
    /// Root mean square of the gradient of each parameter tensor.
    Gradients(Vec<(String, f32)>),
    /// Learning rate; root mean square of each parameter tensor's change, and of the tensor itself.
    Update(f32, Vec<(String, f32, f32)>),
}

/// All 10 000 test images read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The network.
    pub network: Network,
    /// Steps that it had been trained for.
    pub step: u64,
    /// Read right.
    pub correct: u32,
    /// Read in all.
    pub total: u32,
    /// Counts [label, prediction].
    pub confusion: Vec<u32>,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanStep {
    /// What and on what.
    pub name: String,
    /// forward, backward or update.
    pub phase: String,
    /// Floating-point operations for a batch.
    pub flops: u64,
    /// Bytes read and written for a batch.
    pub bytes: u64,
}

/// The device compared with its twin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// Each tensor of a training step, with its worst error relative to its largest magnitude.
    pub tensors: Vec<(String, f32)>,
    /// The most that is allowed.
    pub limit: f32,
}

/// Engine to page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Snapshot {
    /// The engine's program has started and takes commands; its build.
    Ready(String),
    /// The engine lives: the answer to a ping.
    Alive,
    /// The executor.
    Device(DeviceStatus),
    /// A network was loaded, made, or has changed.
    Network(NetworkStatus),
    /// A digit was read.
    Reading(Box<Reading>),
    /// A pose was decoded.
    Picture(Box<Picture>),
    /// The votes that are looked at.
    Votes(Box<Votes>),
    /// The layers that are looked at.
    Layers(Box<Layers>),
    /// All tensors of the digit in view, as a safetensors file.
    Trace(Vec<u8>),
    /// A row of the grid of a pose.
    GridRow(GridRow),
    /// Many pictures were read.
    Surveyed(Box<Surveyed>),
    /// A picture file was read, or refused.
    OwnPicture(Result<OwnPicture, Refusal>),
    /// Test digits.
    Digits(Digits),
    /// Training has changed.
    Training(TrainingStatus),
    /// Pictures of the last step's batch, from time to time.
    Batch(BatchPictures),
    /// A phase in slow motion; `None`: slow motion is over.
    Slow(Option<SlowMotion>),
    /// Steps done since the last such message.
    Curve(Vec<CurvePoint>),
    /// All steps and tests of the network that training has now; what was told before is of another one.
    History(Vec<CurvePoint>, Vec<Evaluation>),
    /// What is trained on has changed.
    Data(DataStatus),
    /// Whether training survives the page.
    Keeping(Keeping),
    /// An evaluation goes on: images read, and in all; (0, 0): it was given up.
    Evaluating(u32, u32),
    /// An evaluation is done.
    Evaluated(Evaluation),
    /// What an evaluation made of each test image; before [`Snapshot::Evaluated`].
    Predictions(Predictions),
    /// A comparison goes on: images read, and in all; (0, 0): it was given up.
    Comparing(u32, u32),
    /// A comparison is done.
    Compared(Box<Comparison>),
    /// What a network is made of.
    Structure(Box<Structure>),
    /// The steps of a plan at a batch size.
    Plan(Network, u32, Vec<PlanStep>),
    /// The device was checked.
    Checked(Checked),
    /// A benchmark is done, by its serial; or why it could not be run, as a sentence.
    Benched(u32, Result<Box<BenchReport>, String>),
    /// A weight file.
    Weights(Network, Vec<u8>),
    /// Something failed; a sentence that names it and the way out.
    Problem(String),
}
