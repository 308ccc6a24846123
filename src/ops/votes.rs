//! Votes û_ij = W_ij u_i: every child capsule's prediction for every parent (Sabour et al. 2017, equation 2), with an
//! own matrix for each pair.

use super::Pick;
use super::support::{Matrix, Real, for_each, multiply, twins};
use crate::plan::{Call, Extent, Grid, Kernel, Operation, Port};
use std::sync::Arc;

/// Sizes of a capsule projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Projection {
    /// Child capsules I.
    pub children: usize,
    /// Parent capsules J.
    pub parents: usize,
    /// Dimensions of a child's pose.
    pub dims_in: usize,
    /// Dimensions of a vote D.
    pub dims_out: usize,
}

impl Projection {
    /// All of a child's votes: J·D.
    fn vote(&self) -> usize {
        self.parents * self.dims_out
    }

    fn pose(&self) -> Extent {
        Extent::PerImage(self.children * self.dims_in)
    }

    fn votes(&self) -> Extent {
        Extent::PerImage(self.children * self.vote())
    }

    fn weights(&self) -> Extent {
        Extent::Fixed(self.children * self.vote() * self.dims_in)
    }

    /// All numbers of one image's votes.
    fn outputs(&self) -> Extent {
        Extent::Fixed(self.children * self.vote())
    }

    fn kernel(&self, shader: &'static str, grid: Grid) -> Kernel {
        let sizes = [("children", self.children), ("vote", self.vote()), ("dims_in", self.dims_in)];
        Kernel::new(shader, 64, grid).sizes(sizes)
    }

    fn flops(&self, live: usize) -> u64 {
        2 * (live * self.children * self.vote() * self.dims_in) as u64
    }

    fn random(pick: Pick<'_>) -> Self {
        Projection { children: pick(1..=70), parents: pick(1..=11), dims_in: pick(1..=9), dims_out: pick(1..=17) }
    }
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    let compact = Projection { children: 288, parents: 10, dims_in: 8, dims_out: 16 };
    let mut all: Vec<Arc<dyn Operation>> = vec![];
    for projection in [Projection::random(pick), Projection::random(pick), compact] {
        all.push(Arc::new(Forward(projection)));
        all.push(Arc::new(BackwardInput(projection)));
        all.push(Arc::new(BackwardWeight(projection)));
    }
    all
}

/// Images that read a child's matrix together; fixed, so that threads do not change results.
const GROUP: usize = 32;

/// `votes_forward`: u [B, I, dims_in], weight [I, J, D, dims_in] → votes [B, I, J, D].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forward(pub Projection);

impl Operation for Forward {
    fn name(&self) -> &'static str {
        "votes_forward"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("u", self.0.pose()),
            Port::read("weight", self.0.weights()),
            Port::write("votes", self.0.votes()),
        ]
    }

    fn kernel(&self) -> Kernel {
        let grid = Grid::line(self.0.outputs(), 64).layers(Extent::PerImage(1), 8);
        self.0.kernel(self.name(), grid)
    }

    fn flops(&self, live: usize) -> u64 {
        self.0.flops(live)
    }

    twins!();
}

impl Forward {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (Projection { children, dims_in, .. }, vote, live) = (self.0, self.0.vote(), call.live());
        let ([u, weight], [votes]) = call.split();
        for_each(&mut votes[..live * children * vote], GROUP * children * vote, |group, votes| {
            let images = votes.len() / (children * vote);
            let u = &u[group * GROUP * children * dims_in..];
            for child in 0..children {
                let matrix = Matrix::rows(&weight[child * vote * dims_in..][..vote * dims_in], vote, dims_in);
                let poses = Matrix::strided(&u[child * dims_in..], [dims_in, images], [1, children * dims_in]);
                let out = &mut votes[child * vote..];
                multiply(out, [1, children * vote], false, T::ONE, matrix, poses, false);
            }
        });
    }
}

/// `votes_backward_input`: gvotes [B, I, J, D], weight → gu [B, I, dims_in].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackwardInput(pub Projection);

impl Operation for BackwardInput {
    fn name(&self) -> &'static str {
        "votes_backward_input"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("gvotes", self.0.votes()),
            Port::read("weight", self.0.weights()),
            Port::write("gu", self.0.pose()),
        ]
    }

    fn kernel(&self) -> Kernel {
        let grid = Grid::line(Extent::Fixed(self.0.children * self.0.dims_in), 64).layers(Extent::PerImage(1), 8);
        self.0.kernel(self.name(), grid)
    }

    fn flops(&self, live: usize) -> u64 {
        self.0.flops(live)
    }

    twins!();
}

impl BackwardInput {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (Projection { children, dims_in, .. }, vote, live) = (self.0, self.0.vote(), call.live());
        let ([gvotes, weight], [gu]) = call.split();
        for_each(&mut gu[..live * children * dims_in], GROUP * children * dims_in, |group, gu| {
            let images = gu.len() / (children * dims_in);
            let gvotes = &gvotes[group * GROUP * children * vote..];
            for child in 0..children {
                let matrix = Matrix::rows(&weight[child * vote * dims_in..][..vote * dims_in], vote, dims_in);
                let gradient = Matrix::strided(&gvotes[child * vote..], [images, vote], [children * vote, 1]);
                let out = &mut gu[child * dims_in..];
                multiply(out, [children * dims_in, 1], false, T::ONE, gradient, matrix, false);
            }
        });
    }
}

/// `votes_backward_weight`: gvotes [B, I, J, D], u [B, I, dims_in] → gweight [I, J, D, dims_in], summed over images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackwardWeight(pub Projection);

impl Operation for BackwardWeight {
    fn name(&self) -> &'static str {
        "votes_backward_weight"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("gvotes", self.0.votes()),
            Port::read("u", self.0.pose()),
            Port::update("gweight", self.0.weights()),
        ]
    }

    fn kernel(&self) -> Kernel {
        let grid = Grid::line(self.0.outputs(), 64).layers(Extent::Fixed(self.0.dims_in), 8);
        self.0.kernel(self.name(), grid)
    }

    fn flops(&self, live: usize) -> u64 {
        self.0.flops(live)
    }

    twins!();
}

impl BackwardWeight {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (Projection { children, dims_in, .. }, vote, live) = (self.0, self.0.vote(), call.live());
        let keep = call.run.accumulate == 1;
        let ([gvotes, u], [gweight]) = call.split();
        for_each(gweight, vote * dims_in, |child, gweight| {
            let gradient = Matrix::strided(&gvotes[child * vote..], [vote, live], [1, children * vote]);
            let poses = Matrix::strided(&u[child * dims_in..], [live, dims_in], [children * dims_in, 1]);
            multiply(gweight, [dims_in, 1], keep, T::ONE, gradient, poses, false);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Chosen, Run};

    #[test]
    fn every_pair_has_its_own_matrix() {
        let projection = Projection { children: 2, parents: 2, dims_in: 1, dims_out: 1 };
        let mut votes = [0.0_f32; 8];
        Forward(projection).twin(Call {
            run: &Run::new(2, 1, Chosen::Label),
            reads: vec![&[1.0, 10.0, 2.0, 20.0], &[1.0, 2.0, 3.0, 4.0]],
            writes: vec![&mut votes],
        });
        assert_eq!(votes, [1.0, 2.0, 30.0, 40.0, 2.0, 4.0, 60.0, 80.0]);
    }
}
