//! No routing: every parent takes the mean of its votes, c_ij = 1/J, whatever agrees. The yardstick of every procedure
//! (Paik, Kwak & Kim 2019 found that routing by agreement often does no better).

use super::dynamic::{self, Agreement};
use super::{Coefficients, Problem};
use crate::ops::Pick;
use crate::plan::Operation;
use std::sync::Arc;

/// See above.
pub const PROCEDURE: Agreement = Agreement {
    name: "uniform",
    sentence: "Every parent takes the mean of its votes, whatever agrees.",
    source: "the baseline of Paik, Kwak & Kim 2019, Capsule Networks Need an Improved Routing Algorithm",
    coefficients: Coefficients::Uniform,
};

/// Specimens for the tests: the operations of [`dynamic`] with other coefficients.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    let problems = [Problem::random(pick), Problem::random(pick)];
    let problems = problems.map(|problem| Problem { coefficients: PROCEDURE.coefficients, ..problem });
    problems.into_iter().flat_map(dynamic::all).collect()
}
