//! Small parts that several panels use.

mod cells;
mod choice;
mod icon;
mod numbers;

pub use cells::{Cells, Mark, cell_under};
pub use choice::{Choice, Pick, Toggle};
pub use icon::{Icon, Sign};
pub use numbers::{Numbers, Table};
