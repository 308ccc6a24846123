//! Small parts that several panels use.

mod cells;
mod choice;
mod drawn;
mod icon;
mod numbers;
mod save;
mod seen;

pub use cells::{Cells, Mark, cell_under};
pub use choice::{Choice, Pick, Toggle};
pub use drawn::{Drawn, pointer_in, width_of};
pub use icon::{Icon, Sign};
pub use numbers::{Numbers, Table};
pub use save::{FileKind, Save};
pub use seen::Seen;
