//! What a network is fed: the IDX reader, MNIST, the portable random numbers, shuffled and augmented batches,
//! overlapping digits.
//!
//! Nothing here touches files, clocks or threads: functions take bytes and seeds, so the same code runs natively and in
//! a worker, and the same seed gives the same bits in both.

pub mod batch;
pub mod dataset;
pub mod idx;
mod own;
pub mod pairs;
pub mod random;

pub use batch::{BatchError, Batcher, BatcherState, Drawn, PairTargets, evaluation_batch, shift};
pub use dataset::{CLASSES, Dataset, DatasetError, MNIST_SIDE, MnistSplit};
pub use idx::{IdxError, IdxImages, IdxKind, kind_of, read_images, read_labels};
pub use own::{Own, OwnError};
pub use pairs::{PAIR_SHIFT, Pair};
pub use random::{Random, RandomState, Stream};

#[cfg(test)]
mod tests;
