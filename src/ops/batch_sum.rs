//! The second pass of a gradient whose first pass leaves one part for each image: adds the parts in a fixed order.

use super::Pick;
use super::support::{Real, add_scaled, twins};
use crate::plan::{Call, Extent, Grid, Kernel, Operation, Port};
use std::sync::Arc;

/// `batch_sum`: parts [B, width] → sum [width].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchSum {
    /// Elements of one image's part.
    pub width: usize,
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    vec![Arc::new(BatchSum { width: pick(1..=300) }), Arc::new(BatchSum { width: 160 })]
}

impl Operation for BatchSum {
    fn name(&self) -> &'static str {
        "batch_sum"
    }

    fn ports(&self) -> Vec<Port> {
        vec![Port::read("parts", Extent::PerImage(self.width)), Port::update("sum", Extent::Fixed(self.width))]
    }

    fn kernel(&self) -> Kernel {
        Kernel::new(self.name(), 64, Grid::line(Extent::Fixed(self.width), 64)).sizes([("width", self.width)])
    }

    fn flops(&self, live: usize) -> u64 {
        (live * self.width) as u64
    }

    twins!();
}

impl BatchSum {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (live, keep) = (call.live(), call.run.accumulate == 1);
        let ([parts], [sum]) = call.split();
        if !keep {
            sum.fill(T::ZERO);
        }
        for part in parts.chunks_exact(self.width).take(live) {
            add_scaled(sum, T::ONE, part);
        }
    }
}
