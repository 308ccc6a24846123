//! Squash: v = s·n/(1+n²), n = ‖s‖ (Sabour et al. 2017, equation 1), over each capsule's own dimensions, fused with the
//! gathering of primary capsules from channels: channel = type·dims + dim, capsule = type·positions + position.

use super::Pick;
use super::support::{Real, dot, for_each, twins};
use crate::plan::{Call, Extent, Grid, Kernel, Operation, Port};
use std::sync::Arc;

/// n/(1+n²): the factor by which squash multiplies s.
#[inline(always)]
pub(crate) fn squash_factor<T: Real>(s: &[T]) -> T {
    let square = dot(s, s);
    square.sqrt() / (T::ONE + square)
}

/// s → v in place.
#[inline(always)]
pub(crate) fn squash<T: Real>(s: &[T], v: &mut [T]) {
    let factor = squash_factor(s);
    for (v, &s) in v.iter_mut().zip(s) {
        *v = factor * s;
    }
}

/// The gradient at s of g·squash(s): f·g + (f′/n)(s·g)·s with f = n/(1+n²), f′ = (1−n²)/(1+n²)²; 0 at s = 0.
#[inline(always)]
pub(crate) fn squash_gradient<T: Real>(s: &[T], g: &[T], gs: &mut [T]) {
    let square = dot(s, s);
    if square == T::ZERO {
        return gs.fill(T::ZERO);
    }
    let (n, q) = (square.sqrt(), T::ONE + square);
    let (along, slope) = (n / q, (T::ONE - square) / (q * q * n) * dot(s, g));
    for ((gs, &s), &g) in gs.iter_mut().zip(s).zip(g) {
        *gs = along * g + slope * s;
    }
}

/// Primary capsules in the channels of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capsules {
    /// Capsule types.
    pub types: usize,
    /// Dimensions of a capsule: consecutive channels.
    pub dims: usize,
    /// Positions of a channel (height · width).
    pub positions: usize,
}

impl Capsules {
    fn elements(&self) -> usize {
        self.types * self.dims * self.positions
    }

    fn kernel(&self, shader: &'static str) -> Kernel {
        Kernel::new(shader, 64, Grid::line(Extent::PerImage(self.types * self.positions), 64))
            .consts([("DIMS", self.dims)])
            .sizes([("types", self.types), ("positions", self.positions)])
    }

    fn flops(&self, live: usize) -> u64 {
        4 * (live * self.elements()) as u64
    }

    fn random(pick: Pick<'_>) -> Self {
        Capsules { types: pick(1..=9), dims: pick(1..=17), positions: pick(1..=40) }
    }
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    let compact = Capsules { types: 8, dims: 8, positions: 36 };
    [Capsules::random(pick), Capsules::random(pick), compact]
        .into_iter()
        .flat_map(|capsules| [Arc::new(Forward(capsules)) as Arc<dyn Operation>, Arc::new(Backward(capsules))])
        .collect()
}

/// `squash_forward`: z [B, types·dims, positions] → u [B, types·positions, dims].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forward(pub Capsules);

impl Operation for Forward {
    fn name(&self) -> &'static str {
        "squash_forward"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("z", Extent::PerImage(self.0.elements())),
            Port::write("u", Extent::PerImage(self.0.elements())),
        ]
    }

    fn kernel(&self) -> Kernel {
        self.0.kernel(self.name())
    }

    fn flops(&self, live: usize) -> u64 {
        self.0.flops(live)
    }

    twins!();
}

impl Forward {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (Capsules { dims, positions, .. }, live, size) = (self.0, call.live(), self.0.elements());
        let ([z], [u]) = call.split();
        for_each(&mut u[..live * size], size, |image, u| {
            let (z, mut s) = (&z[image * size..][..size], vec![T::ZERO; dims]);
            for (capsule, u) in u.chunks_exact_mut(dims).enumerate() {
                let (kind, position) = (capsule / positions, capsule % positions);
                for (dim, s) in s.iter_mut().enumerate() {
                    *s = z[(kind * dims + dim) * positions + position];
                }
                squash(&s, u);
            }
        });
    }
}

/// `squash_backward`: gu [B, types·positions, dims], z → gz [B, types·dims, positions].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backward(pub Capsules);

impl Operation for Backward {
    fn name(&self) -> &'static str {
        "squash_backward"
    }

    fn ports(&self) -> Vec<Port> {
        let extent = Extent::PerImage(self.0.elements());
        vec![Port::read("gu", extent), Port::read("z", extent), Port::write("gz", extent)]
    }

    fn kernel(&self) -> Kernel {
        self.0.kernel(self.name())
    }

    fn flops(&self, live: usize) -> u64 {
        2 * self.0.flops(live)
    }

    twins!();
}

impl Backward {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (Capsules { dims, positions, .. }, live, size) = (self.0, call.live(), self.0.elements());
        let ([gu, z], [gz]) = call.split();
        for_each(&mut gz[..live * size], size, |image, gz| {
            let (gu, z) = (&gu[image * size..][..size], &z[image * size..][..size]);
            let (mut s, mut gs) = (vec![T::ZERO; dims], vec![T::ZERO; dims]);
            for (capsule, gu) in gu.chunks_exact(dims).enumerate() {
                let channel = |dim: usize| (capsule / positions * dims + dim) * positions + capsule % positions;
                for (dim, s) in s.iter_mut().enumerate() {
                    *s = z[channel(dim)];
                }
                squash_gradient(&s, gu, &mut gs);
                for (dim, &gs) in gs.iter().enumerate() {
                    gz[channel(dim)] = gs;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_four_becomes_a_vector_of_length_25_over_26() {
        // Fault seen in public code: element-wise squash gives [0.9, 0.941].
        let mut v = [0.0_f64; 2];
        squash(&[3.0, 4.0], &mut v);
        assert!((v[0] - 0.576_923_076_923_076_9).abs() < 1e-15 && (v[1] - 0.769_230_769_230_769_2).abs() < 1e-15);
    }

    #[test]
    fn zero_stays_zero_and_passes_no_gradient() {
        let (mut v, mut gs) = ([f32::NAN; 3], [f32::NAN; 3]);
        squash(&[0.0; 3], &mut v);
        squash_gradient(&[0.0; 3], &[1.0, 2.0, 3.0], &mut gs);
        assert_eq!((v, gs), ([0.0; 3], [0.0; 3]));
    }
}
