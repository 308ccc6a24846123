//! Routing by chance: every child has random shares for the parents, which never change. The other yardstick.

use super::{Coefficients, Problem, dynamic};
use crate::ops::Pick;
use crate::plan::Operation;
use std::sync::Arc;

/// Specimens for the tests: the operations of [`dynamic`] with other coefficients.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    let problems = [Problem::random(pick), Problem::random(pick)];
    let problems = problems.map(|problem| Problem { coefficients: Coefficients::Random, ..problem });
    problems.into_iter().flat_map(dynamic::all).collect()
}
