//! What the page asks of the engine.

use super::{BenchRequest, Procedure};
use serde::{Deserialize, Serialize};

/// Which network a command is about. The engine holds several.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Network {
    /// A trained network that ships with the page, by its preset's name.
    Shipped(String),
    /// The one in training here.
    Yours,
}

/// Which capsule is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shown {
    /// The longest.
    Longest,
    /// The capsule of this class.
    Class(u8),
}

/// Which executor to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeviceChoice {
    /// WebGPU unless there is none, or its adapter is a software one.
    Auto,
    /// WebGPU, a software adapter included.
    WebGpu,
    /// The CPU.
    Cpu,
}

/// Everything that the interactive picture depends on. The page sends all of it at each change; the engine computes
/// what has changed, and drops all but the newest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exploration {
    /// Echoed in the answers.
    pub serial: u64,
    /// The network that reads.
    pub network: Network,
    /// What it reads: 28×28 values in [0, 1], white on black; empty: nothing is drawn. A network with a larger input, for
    /// overlapping digits, sees them in its middle.
    pub pixels: Vec<f32>,
    /// What routes the votes; `None`: the procedure that the network was made for.
    pub procedure: Option<Procedure>,
    /// Routing iterations r, 1 to 10.
    pub iterations: u8,
    /// The capsule that is decoded.
    pub shown: Shown,
    /// What is added to the dimensions of its pose (16); all zero is the plain reconstruction.
    pub offsets: Vec<f32>,
    /// Whether the two longest capsules are decoded as well, each by itself and unbent.
    pub two: bool,
    /// If set, the pose's dimension that is swept for the strip, and the offsets of its pictures.
    pub sweep: Option<(u8, Vec<f32>)>,
    /// If set, the offsets of the whole grid, a row for each dimension of the pose: the untouched pose with that
    /// dimension moved. Its rows follow as [`Snapshot::GridRow`](super::Snapshot::GridRow).
    pub grid: Option<Vec<Vec<f32>>>,
}

/// What the page looks at beside the reading and the picture. The engine sends nothing of it that is not asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inspection {
    /// The votes for the digit capsule in view.
    pub votes: bool,
    /// The maps of the first convolution.
    pub convolution: bool,
    /// The decoder's hidden layers, as they make the picture in view.
    pub decoder: bool,
}

/// What many pictures are read for. A newer survey supersedes an older one for the same purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Survey {
    /// One digit, moved by degrees.
    Sweep,
    /// A page of test digits.
    Gallery,
}

/// Pictures to read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Pictures {
    /// These: so many times 28×28 values in [0, 1].
    Given(Vec<f32>),
    /// Test digits by their place among the 10 000.
    Test(Vec<u32>),
}

/// Reads many pictures at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurveyRequest {
    /// Echoed in the answer.
    pub serial: u64,
    /// What for.
    pub survey: Survey,
    /// The network that reads.
    pub network: Network,
    /// Routing iterations r, 1 to 10.
    pub iterations: u8,
    /// What it reads, at most [`MOST_SURVEYED`].
    pub pictures: Pictures,
    /// Whether the longest capsule of each is decoded.
    pub decode: bool,
}

/// The most pictures of one survey.
pub const MOST_SURVEYED: usize = 256;

/// How a network is trained. All but the rate restart it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingSettings {
    /// tiny, compact or paper.
    pub preset: String,
    /// Whether it trains on two overlapping digits, whose pictures are larger by four pixels on each side.
    pub pairs: bool,
    /// What routes the votes.
    #[serde(default)]
    pub procedure: Procedure,
    /// Images a step.
    pub batch: u32,
    /// Routing iterations.
    pub iterations: u8,
    /// Seed of weights, order and shifts.
    pub seed: u64,
    /// Learning rate at step 0.
    pub rate: f64,
    /// Weight of the reconstruction loss: 0.0005 as printed, 0.01 as the authors ran it.
    pub reconstruction: f32,
    /// Training stops after so many epochs.
    pub epochs: u32,
    /// The held-out accuracy is measured each so many steps, and at the end of each epoch; 0: only then.
    pub evaluate_every: u32,
}

/// Page to engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// First of all: which executor to use. Answered by [`Snapshot::Device`](super::Snapshot::Device), at once for the
    /// CPU and again when WebGPU is ready.
    Start(DeviceChoice),
    /// Answered by [`Snapshot::Alive`](super::Snapshot::Alive) between two slices of whatever runs.
    Ping,
    /// Changes the executor; networks move with their moments.
    UseDevice(DeviceChoice),
    /// Reads a digit. Answered by [`Snapshot::Reading`](super::Snapshot::Reading) if the reading has changed, and by
    /// [`Snapshot::Picture`](super::Snapshot::Picture).
    Explore(Exploration),
    /// What is looked at from now on. Answered at once and after each change of the reading or the picture by
    /// [`Snapshot::Votes`](super::Snapshot::Votes) and [`Snapshot::Layers`](super::Snapshot::Layers).
    Inspect(Inspection),
    /// All tensors of the digit in view as a file. Answered by [`Snapshot::Trace`](super::Snapshot::Trace).
    SaveTrace,
    /// Reads many pictures. Answered by [`Snapshot::Surveyed`](super::Snapshot::Surveyed).
    Survey(SurveyRequest),
    /// A picture file of a digit (PNG, JPEG, WebP). Answered by [`Snapshot::OwnPicture`](super::Snapshot::OwnPicture).
    ReadPicture(Vec<u8>),
    /// Test digits by their place among the 10 000. Answered by [`Snapshot::Digits`](super::Snapshot::Digits).
    TestDigits(Vec<u32>),
    /// The 100 test digits that come with the page.
    Gallery,
    /// A new network in training, at step 0, replacing the present one.
    Reset(TrainingSettings),
    /// Trains until paused or done.
    Train,
    /// Trains for one step.
    Step,
    /// Begins a step in slow motion, or runs its next phase. Answered by [`Snapshot::Slow`](super::Snapshot::Slow).
    SlowNext,
    /// Leaves slow motion; a step whose update has not run is done anew.
    SlowEnd,
    /// Stops after the present step.
    Pause,
    /// Takes up what was kept before a reload, and keeps training from now on. Answered by
    /// [`Snapshot::Keeping`](super::Snapshot::Keeping).
    Restore,
    /// Keeps this engine's training, though another one keeps its own.
    KeepHere,
    /// Keeps the present state: the page may be about to end.
    Keep,
    /// Back to the state that a stop has offered.
    GoBack,
    /// Trains and tests on IDX files, by name and content, instead of MNIST. A network in training starts anew. Answered
    /// by [`Snapshot::Data`](super::Snapshot::Data).
    OwnSet(Vec<(String, Vec<u8>)>),
    /// Trains and tests on MNIST again.
    UseMnist,
    /// Changes the learning rate without a restart.
    SetRate(f64),
    /// Reads all 10 000 test images. Answered by [`Snapshot::Evaluated`](super::Snapshot::Evaluated).
    Evaluate(Network),
    /// Reads all 10 000 test images when there is nothing else to do, for how a network's poses spread. Answered by
    /// [`Snapshot::Network`](super::Snapshot::Network); given up when the network trains on.
    Spread(Network),
    /// Stops an evaluation.
    CancelEvaluation,
    /// Routes the votes of all 10 000 test images by every procedure and number of iterations. Answered by
    /// [`Snapshot::Compared`](super::Snapshot::Compared).
    Compare(Network),
    /// Stops a comparison.
    CancelComparison,
    /// What a preset's network is made of. Answered by [`Snapshot::Structure`](super::Snapshot::Structure).
    Structure(String),
    /// The steps of a network's training plan with their costs.
    Plan(Network),
    /// Runs one training step on both executors and compares every tensor.
    CheckDevice,
    /// Measures how fast the device is. Answered by [`Snapshot::Benched`](super::Snapshot::Benched); nothing else is
    /// answered in the meantime.
    Bench(BenchRequest),
    /// The weights as a safetensors file.
    SaveWeights(Network),
    /// Takes a safetensors file as the network in training.
    LoadWeights(Vec<u8>),
}
