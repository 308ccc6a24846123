//! The activation of vector capsules, which is their length, for procedures that take it beside the pose: a = ‖u‖.

use super::Pick;
use super::support::{Real, add_scaled, for_each, norm, twins};
use crate::plan::{Call, Content, Extent, Grid, Kernel, Operation, Port};
use std::sync::Arc;

/// The sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// Capsules of an image.
    pub capsules: usize,
    /// Dimensions of a capsule.
    pub dims: usize,
}

impl Activity {
    fn poses(&self) -> Extent {
        Extent::PerImage(self.capsules * self.dims)
    }

    fn kernel(&self, shader: &'static str) -> Kernel {
        Kernel::new(shader, 64, Grid::line(Extent::PerImage(self.capsules), 64))
            .consts([("DIMS", self.dims)])
            .sizes([("capsules", self.capsules)])
    }

    fn flops(&self, live: usize) -> u64 {
        3 * (live * self.capsules * self.dims) as u64
    }
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    [Activity { capsules: pick(1..=70), dims: pick(1..=17) }, Activity { capsules: 288, dims: 8 }]
        .into_iter()
        .flat_map(|activity| [Arc::new(Forward(activity)) as Arc<dyn Operation>, Arc::new(Backward(activity))])
        .collect()
}

/// `activity_forward`: u [B, n, D] → activation [B, n].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forward(pub Activity);

impl Operation for Forward {
    fn name(&self) -> &'static str {
        "activity_forward"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("u", self.0.poses()),
            Port::write("activation", Extent::PerImage(self.0.capsules)).holding(Content::NotNegative),
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
        let (dims, count) = (self.0.dims, call.live() * self.0.capsules);
        let ([u], [activation]) = call.split();
        for_each(&mut activation[..count], 1, |capsule, a| a[0] = norm(&u[capsule * dims..][..dims]));
    }
}

/// `activity_backward`: u, gactivation [B, n] → added to gu [B, n, D]: ga u/‖u‖, nothing at u = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backward(pub Activity);

impl Operation for Backward {
    fn name(&self) -> &'static str {
        "activity_backward"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("u", self.0.poses()),
            Port::read("gactivation", Extent::PerImage(self.0.capsules)),
            Port::update("gu", self.0.poses()),
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

impl Backward {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (dims, count) = (self.0.dims, call.live() * self.0.capsules * self.0.dims);
        let ([u, gactivation], [gu]) = call.split();
        for_each(&mut gu[..count], dims, |capsule, gu| {
            let u = &u[capsule * dims..][..dims];
            let n = norm(u);
            if n > T::ZERO {
                add_scaled(gu, gactivation[capsule] / n, u);
            }
        });
    }
}
