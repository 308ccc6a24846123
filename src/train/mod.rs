//! Training: weight files, the replay of golden cases, and the trainer that drives an executor.

pub mod replay;
pub mod weights;
