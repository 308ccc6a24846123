//! The device's own ceiling for memory: a copy. Benchmarks run it beside the kernels; no network has it.

use super::Pick;
use super::support::{Real, for_each, twins};
use crate::plan::{Call, Extent, Grid, Kernel, Operation, Port};
use std::sync::Arc;

/// `ceiling_copy`: x [N, 4] → y [N, 4].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copying {
    /// N.
    pub quads: usize,
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    vec![Arc::new(Copying { quads: pick(1..=300) })]
}

impl Operation for Copying {
    fn name(&self) -> &'static str {
        "ceiling_copy"
    }

    fn ports(&self) -> Vec<Port> {
        let all = Extent::Fixed(4 * self.quads);
        vec![Port::read("x", all), Port::write("y", all)]
    }

    fn kernel(&self) -> Kernel {
        let grid = Grid::line(Extent::Fixed(self.quads), 64);
        Kernel::new(self.name(), 64, grid).sizes([("quads", self.quads)])
    }

    fn flops(&self, _live: usize) -> u64 {
        0
    }

    twins!();
}

impl Copying {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let ([x], [y]) = call.split();
        const PIECE: usize = 1 << 18;
        for_each(y, PIECE, |index, piece| piece.copy_from_slice(&x[index * PIECE..][..piece.len()]));
    }
}
