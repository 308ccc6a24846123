//! Runs plans as WGSL compute shaders, on WebGPU in a browser and on Vulkan, Metal or Direct3D natively.

mod adapter;
mod context;
mod loaded;
mod memory;
mod pipelines;
pub mod shaders;
mod status;
mod tuning;

pub use context::{Adapter, Checks, Context};
pub use loaded::Loaded;
pub use memory::Store;
pub use status::Counters;
pub use tuning::{Choices, Tuning};
