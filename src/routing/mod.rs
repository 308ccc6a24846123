//! The routing procedures, one file each: how votes become parents. Every file directly in this folder is a procedure
//! with a function `specimens`, which the build script lists.
//!
//! Kernels work on *problems*, each [I, J, D]: an image, or one position of it.

pub mod dynamic;
pub mod em;
pub mod leaky;
pub mod random;
pub mod self_attention;
mod support;
pub mod uniform;

pub use support::{Coefficients, Gradient, Problem};
