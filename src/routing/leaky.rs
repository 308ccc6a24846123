//! Leaky routing (the authors' code for CIFAR-10): dynamic routing whose softmax has one more parent, of logit 0, that
//! nobody sees. A child that agrees with no parent sends its vote there: c_ij = e^b_ij / (1 + Σ_k e^b_ik).

use super::dynamic::{self, Agreement};
use super::{Coefficients, Problem};
use crate::ops::Pick;
use crate::plan::Operation;
use std::sync::Arc;

/// See above.
pub const PROCEDURE: Agreement = Agreement {
    name: "leaky",
    sentence: "A child may send its vote to nobody: the softmax has one more parent, of logit 0, that is thrown away.",
    source: "the authors' code of Sabour, Frosst & Hinton 2017, for CIFAR-10",
    coefficients: Coefficients::Leaky,
};

/// Specimens for the tests: the operations of [`dynamic`] with other coefficients.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    let problems = [Problem::random(pick), Problem::random(pick)];
    let problems = problems.map(|problem| Problem { coefficients: PROCEDURE.coefficients, ..problem });
    problems.into_iter().flat_map(dynamic::all).collect()
}
