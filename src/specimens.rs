//! Every operation in several shapes, for the tests that go through all of them: shader validation, parity of the
//! executors, gradients. The build script lists the files; a new operation is among them without being told.

use crate::ops::Pick;
use crate::plan::Operation;
use std::sync::Arc;

include!(concat!(env!("OUT_DIR"), "/specimens.rs"));

/// The specimens of all operations and routing procedures, with random sizes from `pick`.
pub fn all(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    listed(pick)
}
