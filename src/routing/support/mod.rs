//! What the procedures share.

mod coefficients;
mod problem;

pub use coefficients::Coefficients;
pub use problem::{Gradient, Problem};
