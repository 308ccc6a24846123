//! What every routing procedure is to a network: operations whose ports are wired by name.

use super::{Gradient, Problem};
use crate::plan::Operation;
use std::fmt::Debug;
use std::sync::Arc;

/// A way from votes to parents.
///
/// A network's plan wires a procedure's operations by the names of their ports. It provides `votes` [B, P, I, J, D],
/// `activation` [B, P, I] (the children's lengths) where it is read, `gv` [B, P, J, D], and every tensor of
/// [`Procedure::tensors`]. It takes `v` [B, P, J, D] and `entropy` [B] from the forward operations, `logits` and `coupling`
/// [B, P, R, I, J] and `vs` [B, P, R, J, D] from the trace, and from the backward ones `gvotes`, `gactivation` if
/// `activation` was read, and of each of the tensors the gradient by image, named with a `g` before the tensor's name. What
/// else a port is called passes from one operation to the next.
pub trait Procedure: Debug + Send + Sync {
    /// Its name in files, addresses and on command lines.
    fn name(&self) -> &'static str;

    /// What it does, in a sentence.
    fn sentence(&self) -> &'static str;

    /// Where it comes from.
    fn source(&self) -> &'static str;

    /// Whether more iterations change anything.
    fn iterates(&self) -> bool;

    /// Its trainable tensors beside the weights of the votes: port and extents. A network without one has zeros there.
    fn tensors(&self, problem: &Problem) -> Vec<(&'static str, Vec<usize>)>;

    /// From votes to parents, in order.
    fn forward(&self, problem: Problem) -> Vec<Arc<dyn Operation>>;

    /// Every iteration's logits, coefficients and parents.
    fn trace(&self, problem: Problem) -> Arc<dyn Operation>;

    /// From the parents' gradient to that of the votes, in order.
    fn backward(&self, problem: Problem, gradient: Gradient) -> Vec<Arc<dyn Operation>>;
}
