//! What surrounds the engine: a page's worker, or a native program.

use crate::exec::Device;
use crate::protocol::Snapshot;
use std::future::Future;
use std::pin::Pin;

/// A future that the engine's own thread runs.
pub type Soon<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// The engine's surroundings.
pub trait Host {
    /// Delivers a snapshot to the page.
    fn send(&self, snapshot: Snapshot);

    /// The bytes of an asset, by its path below `assets/`; `progress` gets bytes so far and in all (0: not known).
    /// An error is a sentence that names the file and the way out.
    fn fetch<'a>(&'a self, path: &'a str, progress: &'a dyn Fn(u32, u32)) -> Soon<'a, Result<Vec<u8>, String>>;

    /// Runs a future beside the loop.
    fn spawn(&self, work: Soon<'static, ()>);

    /// Lets messages arrive.
    fn breathe(&self) -> Soon<'_, ()>;

    /// Milliseconds since some moment; never goes back.
    fn now(&self) -> f64;

    /// A WebGPU device, or why there is none, as a sentence.
    fn request_gpu(&self) -> Soon<'static, Result<Device, String>>;

    /// What the CPU executor is, such as `CPU, 1 thread`.
    fn cpu_name(&self) -> String;

    /// Milliseconds since 1970.
    fn date(&self) -> f64;

    /// What was stored under a key before the program ended. An error is a sentence that says why nothing is kept here.
    fn stored<'a>(&'a self, key: &'a str) -> Soon<'a, Result<Option<Vec<u8>>, String>>;

    /// Stores values under their keys in one transaction: all of them or none.
    fn store(&self, entries: Vec<(&'static str, Vec<u8>)>) -> Soon<'static, Result<(), String>>;

    /// Makes this engine the only one that stores, for as long as it runs or until another one does so by force, which
    /// `lost` tells. False: another one is, and it was not `by_force`. An error is a sentence.
    fn claim(&self, by_force: bool, lost: Box<dyn FnOnce()>) -> Soon<'static, Result<bool, String>>;
}
