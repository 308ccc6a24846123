//! A pose as long as its activation, for procedures that keep the two apart: v = a μ/(‖μ‖ + ε), ε = 1e-6, so that ‖v‖ is a
//! where μ has a direction. The losses and the decoder then take such capsules as they take any others.

use super::Pick;
use super::support::{Real, for_each, norm, twins};
use crate::plan::{Call, Extent, Grid, Kernel, Operation, Port};
use std::sync::Arc;

/// What is added to ‖μ‖.
pub const LEAST_LENGTH: f64 = 1e-6;

/// The sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aim {
    /// Capsules of an image.
    pub capsules: usize,
    /// Dimensions of a pose.
    pub dims: usize,
}

impl Aim {
    fn fits(&self) -> Extent {
        Extent::PerImage(self.capsules * (self.dims + 1))
    }

    fn poses(&self) -> Extent {
        Extent::PerImage(self.capsules * self.dims)
    }

    fn kernel(&self, shader: &'static str) -> Kernel {
        Kernel::new(shader, 64, Grid::line(Extent::PerImage(self.capsules), 64))
            .consts([("DIMS", self.dims)])
            .sizes([("capsules", self.capsules)])
    }
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    [Aim { capsules: pick(1..=20), dims: pick(1..=17) }, Aim { capsules: 10, dims: 16 }]
        .into_iter()
        .flat_map(|aim| [Arc::new(Forward(aim)) as Arc<dyn Operation>, Arc::new(Backward(aim))])
        .collect()
}

/// `aim_forward`: fit [B, n, D + 1], which is μ and a → v [B, n, D].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forward(pub Aim);

impl Operation for Forward {
    fn name(&self) -> &'static str {
        "aim_forward"
    }

    fn ports(&self) -> Vec<Port> {
        vec![Port::read("fit", self.0.fits()), Port::write("v", self.0.poses())]
    }

    fn kernel(&self) -> Kernel {
        self.0.kernel(self.name())
    }

    fn flops(&self, live: usize) -> u64 {
        3 * (live * self.0.capsules * self.0.dims) as u64
    }

    twins!();
}

impl Forward {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (dims, count) = (self.0.dims, call.live() * self.0.capsules * self.0.dims);
        let ([fit], [v]) = call.split();
        for_each(&mut v[..count], dims, |capsule, v| {
            let (mean, a) = fit[capsule * (dims + 1)..][..dims + 1].split_at(dims);
            let factor = a[0] / (norm(mean) + T::of(LEAST_LENGTH));
            v.iter_mut().zip(mean).for_each(|(v, &m)| *v = factor * m);
        });
    }
}

/// `aim_backward`: fit, gv [B, n, D] → gfit [B, n, D + 1].
///
/// With n = ‖μ‖ and f = 1/(n + ε): ga = f g·μ; gμ = a f (g − f (g·μ) μ/n), the last term 0 at n = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backward(pub Aim);

impl Operation for Backward {
    fn name(&self) -> &'static str {
        "aim_backward"
    }

    fn ports(&self) -> Vec<Port> {
        vec![Port::read("fit", self.0.fits()), Port::read("gv", self.0.poses()), Port::write("gfit", self.0.fits())]
    }

    fn kernel(&self) -> Kernel {
        self.0.kernel(self.name())
    }

    fn flops(&self, live: usize) -> u64 {
        7 * (live * self.0.capsules * self.0.dims) as u64
    }

    twins!();
}

impl Backward {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (dims, count) = (self.0.dims, call.live() * self.0.capsules * (self.0.dims + 1));
        let ([fit, gv], [gfit]) = call.split();
        for_each(&mut gfit[..count], dims + 1, |capsule, gfit| {
            let (mean, a) = fit[capsule * (dims + 1)..][..dims + 1].split_at(dims);
            let gv = &gv[capsule * dims..][..dims];
            let n = norm(mean);
            let factor = T::ONE / (n + T::of(LEAST_LENGTH));
            // Along the unit vector, so that tiny means lose nothing.
            let inverse = if n > T::ZERO { T::ONE / n } else { T::ZERO };
            let along = mean.iter().zip(gv).map(|(&m, &g)| m * inverse * g).sum::<T>();
            let (gmean, ga) = gfit.split_at_mut(dims);
            for ((gm, &m), &g) in gmean.iter_mut().zip(mean).zip(gv) {
                *gm = a[0] * factor * (g - n * factor * along * (m * inverse));
            }
            ga[0] = n * factor * along;
        });
    }
}
