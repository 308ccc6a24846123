//! The operations of a plan: one file each, with parameters, ports, cost and CPU twin; the shaders of the same stems
//! lie in `shaders/`. Every file directly in this folder is an operation and has a function `specimens`; the build
//! script lists them, so that the parity and validation tests find a new one by themselves.

pub mod activity;
pub mod adam;
pub mod aim;
pub mod batch_sum;
pub mod ceiling_copy;
pub mod ceiling_multiply_add;
pub mod conv;
pub mod dense;
pub mod lengths;
pub mod margin_loss;
pub mod reconstruction_loss;
pub mod squash;
pub(crate) mod support;
pub mod tally;
pub mod votes;

pub use support::Real;

/// Draws a size from a range, for the random specimens of the tests.
pub type Pick<'a> = &'a mut dyn FnMut(std::ops::RangeInclusive<usize>) -> usize;
