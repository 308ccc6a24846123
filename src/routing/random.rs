//! Routing by chance: every child has random shares for the parents, which never change. The other yardstick.

use super::dynamic::{self, Agreement};
use super::{Coefficients, Problem};
use crate::ops::Pick;
use crate::plan::Operation;
use std::sync::Arc;

/// See above.
pub const PROCEDURE: Agreement = Agreement {
    name: "random",
    sentence: "Every child has random shares for the parents, which never change.",
    source: "the baseline of Paik, Kwak & Kim 2019, Capsule Networks Need an Improved Routing Algorithm",
    coefficients: Coefficients::Random,
};

/// Specimens for the tests: the operations of [`dynamic`] with other coefficients.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    let problems = [Problem::random(pick), Problem::random(pick)];
    let problems = problems.map(|problem| Problem { coefficients: PROCEDURE.coefficients, ..problem });
    problems.into_iter().flat_map(dynamic::all).collect()
}
