//! The messages between page and engine: commands in, snapshots out. Plain data that knows nobody.
//!
//! A message is one byte array (postcard), transferred, not copied, between the page and its worker; natively the same
//! types go through the same loop.

mod bench;
mod command;
mod comparison;
pub mod pixels;
mod procedure;
mod snapshot;
mod structure;

pub use bench::{BenchReport, BenchRequest, KernelTime, KernelTimes, LoopTimes, ReadingTimes, Spread, TrainingTimes};
pub use command::{
    Command, DeviceChoice, Exploration, Inspection, MOST_SURVEYED, Network, Pictures, Shown, Survey, SurveyRequest,
    TrainingSettings,
};
pub use comparison::{Comparison, Round};
pub use procedure::Procedure;
pub use snapshot::{
    BatchPictures, Checked, CurvePoint, DataStatus, DeviceKind, DeviceStatus, Digits, Evaluation, Field, GridRow,
    Keeping, Layer, Layers, NetworkStatus, OwnPicture, Picture, PlanStep, Predictions, Reading, Refusal, SlowMotion,
    SlowPhase, Snapshot, Surveyed, TrainingState, TrainingStatus, Votes,
};
pub use structure::{Part, Structure, Summand};

use serde::{Serialize, de::DeserializeOwned};

/// The version and the messages of this build. The engine's first message carries it; a page of another build asks to
/// be reloaded.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("CAPSCOPE_PROTOCOL"));

/// A message of the other side cannot be read: page and engine are of different builds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("page and engine are of different versions ({0}); reload the page")]
pub struct MessageError(pub String);

/// A message as bytes.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_allocvec(message).expect("plain data always serialises")
}

/// Bytes as a message.
///
/// # Errors
/// [`MessageError`] if the bytes are no such message.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, MessageError> {
    postcard::from_bytes(bytes).map_err(|error| MessageError(error.to_string()))
}
