//! The device's own ceiling for arithmetic: multiply-adds in registers, no memory to speak of. Benchmarks run it beside
//! the kernels; no network has it.

use super::Pick;
use super::support::{Real, for_each, twins, vectorised};
use crate::plan::{Call, Extent, Grid, Kernel, Operation, Port};
use std::sync::Arc;

/// Numbers of one invocation: eight `vec4f`.
const OWNED: usize = 32;

/// `ceiling_multiply_add`: x [N, 32] → y [N, 32], x ← 0.999 x + 0.001 so many times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultiplyAdd {
    /// N.
    pub invocations: usize,
    /// How many times.
    pub rounds: usize,
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    vec![Arc::new(MultiplyAdd { invocations: pick(1..=100), rounds: pick(1..=50) })]
}

impl Operation for MultiplyAdd {
    fn name(&self) -> &'static str {
        "ceiling_multiply_add"
    }

    fn ports(&self) -> Vec<Port> {
        let all = Extent::Fixed(OWNED * self.invocations);
        vec![Port::read("x", all), Port::write("y", all)]
    }

    fn kernel(&self) -> Kernel {
        let grid = Grid::line(Extent::Fixed(self.invocations), 64);
        Kernel::new(self.name(), 64, grid).sizes([("invocations", self.invocations), ("rounds", self.rounds)])
    }

    fn flops(&self, _live: usize) -> u64 {
        2 * (OWNED * self.invocations * self.rounds) as u64
    }

    twins!();
}

/// Numbers that stay in registers while they are worked on: enough of them to hide the latency, few enough to fit.
const WIDTH: usize = if cfg!(target_arch = "wasm32") { 32 } else { 96 };

impl MultiplyAdd {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let ([x], [y]) = call.split();
        y.copy_from_slice(x);
        for_each(y, 64 * WIDTH, |_, piece| vectorised(work, (self.rounds, piece)));
    }
}

#[inline(always)]
fn work<T: Real>((rounds, piece): (usize, &mut [T])) {
    let (blocks, rest) = piece.as_chunks_mut::<WIDTH>();
    for block in blocks {
        *block = work_on_block(rounds, *block);
    }
    let mut last = [T::ZERO; WIDTH];
    last[..rest.len()].copy_from_slice(rest);
    rest.copy_from_slice(&work_on_block(rounds, last)[..rest.len()]);
}

#[inline(always)]
fn work_on_block<T: Real>(rounds: usize, mut block: [T; WIDTH]) -> [T; WIDTH] {
    let (factor, summand) = (T::of(0.999), T::of(0.001));
    for _ in 0..rounds {
        for number in &mut block {
            *number = number.multiply_add(factor, summand);
        }
    }
    block
}
