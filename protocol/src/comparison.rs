//! Procedures and numbers of iterations compared on the same votes.

use super::{Network, Procedure};
use serde::{Deserialize, Serialize};

/// What the test images' votes have become by each procedure in each iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The network.
    pub network: Network,
    /// Steps that it had been trained for.
    pub step: u64,
    /// The procedure that it was made for.
    pub own: Procedure,
    /// Images read.
    pub total: u32,
    /// Children and parents of the layer.
    pub sizes: [u32; 2],
    /// A capsule is starved below this mean coefficient: half of an equal share.
    pub threshold: f32,
    /// By procedure, and in it by iterations from 1; one for a procedure that does not iterate.
    pub rounds: Vec<Round>,
}

/// A procedure stopped after so many iterations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Which.
    pub procedure: Procedure,
    /// r.
    pub iterations: u8,
    /// Images whose longest capsule is the label's.
    pub correct: u32,
    /// Images whose longest capsule is another than after the first iteration.
    pub changed: u32,
    /// Mean over images and children of −Σ_j c ln c, in nats.
    pub entropy: f32,
    /// Children whose mean coefficient is below the threshold for every parent: their votes reach nobody.
    pub starved_children: u32,
    /// Parents whose mean coefficient, over all children, is below the threshold: nobody's votes reach them.
    pub starved_parents: Vec<u8>,
}
