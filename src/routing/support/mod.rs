//! What the procedures share.

mod coefficients;
mod problem;
mod procedure;

pub use coefficients::Coefficients;
pub use problem::{Gradient, Problem};
pub use procedure::Procedure;
