//! What the twins share: arithmetic in two precisions, and a deterministic way to use several cores.

mod arithmetic;
mod matrix;
mod parallel;
mod real;
mod tile;
mod twins;

pub(crate) use arithmetic::{add_scaled, dot, entropy, norm, scale, softmax_in_place, sum, vectorised};
pub(crate) use matrix::{Matrix, multiply};
pub(crate) use parallel::{for_each, for_each_pair};
pub use real::Real;
pub(in crate::ops) use tile::{PLAIN, Rows, Tile, piece};
pub(crate) use twins::twins;
