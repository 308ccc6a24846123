//! What is routed, and what of it a kernel needs to know.

use super::Coefficients;
use crate::ops::Pick;
use crate::plan::{Extent, Grid, Kernel};

/// Numbers that WebGPU's default 16 KiB of workgroup memory hold.
const WORKGROUP_NUMBERS: usize = Kernel::MOST_WORKGROUP_BYTES / 4;

/// The gradient that routing passes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gradient {
    /// Through every iteration, coefficients included.
    #[default]
    Full,
    /// The last iteration's coefficients are constants; only the last weighted sum carries gradient.
    Detached,
}

/// Sizes of a routed layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Problems of one image.
    pub positions: usize,
    /// Child capsules I.
    pub children: usize,
    /// Parent capsules J.
    pub parents: usize,
    /// Dimensions of a vote D.
    pub dims: usize,
    /// The most iterations that a run may ask for.
    pub iterations: usize,
    /// What a child's coefficients are made of.
    pub coefficients: Coefficients,
}

impl Problem {
    #[inline(always)]
    pub(in crate::routing) fn pose(&self) -> usize {
        self.parents * self.dims
    }

    pub(in crate::routing) fn vote_elements(&self) -> usize {
        self.children * self.pose()
    }

    pub(in crate::routing) fn votes(&self) -> Extent {
        Extent::PerImage(self.positions * self.vote_elements())
    }

    pub(in crate::routing) fn poses(&self) -> Extent {
        Extent::PerImage(self.positions * self.pose())
    }

    pub(in crate::routing) fn history(&self) -> Extent {
        Extent::PerImage(self.positions * self.iterations * self.pose())
    }

    pub(in crate::routing) fn couplings(&self) -> Extent {
        Extent::PerImage(self.positions * self.iterations * self.children * self.parents)
    }

    /// Multiply-adds of one pass over all votes, as floating-point operations.
    pub(in crate::routing) fn pass(&self, live: usize) -> u64 {
        2 * (live * self.positions * self.vote_elements()) as u64
    }

    /// Invocations in a workgroup: one for each number of the parents' poses, as far as a workgroup goes.
    pub(in crate::routing) fn lanes(&self) -> usize {
        self.pose().next_multiple_of(32).clamp(64, 256)
    }

    /// Children whose coefficients are in workgroup memory at a time, if `fixed` numbers are there in any case and
    /// `each` for every child.
    pub(in crate::routing) fn chunk(&self, fixed: usize, each: usize) -> usize {
        (WORKGROUP_NUMBERS.saturating_sub(fixed) / each).clamp(1, self.lanes())
    }

    /// A kernel whose workgroups have an image or a problem each.
    pub(in crate::routing) fn poses_kernel(&self, shader: &'static str, workgroups: Extent) -> Kernel {
        let lanes = self.lanes();
        Kernel::new(shader, lanes, Grid::line(workgroups, 1))
            .consts([
                ("PARENTS", self.parents),
                ("DIMS", self.dims),
                ("POSE", self.pose()),
                ("OWNED", self.pose().div_ceil(lanes)),
            ])
            .sizes([("positions", self.positions), ("children", self.children), ("rounds", self.iterations)])
    }

    /// [`Problem::poses_kernel`] that makes [`Coefficients`].
    pub(in crate::routing) fn kernel(&self, shader: &'static str, workgroups: Extent) -> Kernel {
        self.poses_kernel(shader, workgroups).sizes([("coefficients", self.coefficients.code())])
    }

    pub(in crate::routing) fn random(pick: Pick<'_>) -> Self {
        Problem {
            positions: pick(1..=2),
            children: pick(1..=70),
            parents: pick(1..=11),
            dims: pick(1..=17),
            iterations: pick(1..=5),
            coefficients: Coefficients::Softmax,
        }
    }

    /// Whether parents and dimensions are those of digit capsules, for which the twins are compiled by themselves.
    pub(in crate::routing) fn usual(&self) -> bool {
        *self == self.of_usual_size()
    }

    /// The same with digit capsules' parents and dimensions as constants, from which the compiler unrolls loops.
    #[inline(always)]
    pub(in crate::routing) fn of_usual_size(&self) -> Self {
        Problem { parents: 10, dims: 16, ..*self }
    }

    /// The compact network's digit capsules.
    pub(in crate::routing) fn compact() -> Self {
        let coefficients = Coefficients::Softmax;
        Problem { positions: 1, children: 288, parents: 10, dims: 16, iterations: 3, coefficients }
    }
}
