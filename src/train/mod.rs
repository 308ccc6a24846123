//! Training: initial weights, the trainer that drives an executor, evaluation, weight files, and the replay of reference
//! cases.

mod compare;
mod evaluate;
mod init;
mod plateau;
pub mod replay;
mod seen;
pub mod slow;
mod trainer;
pub mod weights;

pub use compare::{Comparer, Round};
pub use evaluate::{Evaluator, Tally};
pub use init::{BIAS, DEVIATION, FIRST_DEVIATION, initial_parameters};
pub use plateau::{PATIENCE_EPOCHS, is_plateau};
pub use seen::Seen;
pub use trainer::{Losses, Settings, TrainError, Trainer};
