//! Votes û_ij = W_ij u_i: every child capsule's prediction for every parent (Sabour et al. 2017, equation 2), with an
//! own matrix for each pair.

use super::Pick;
use super::support::{PLAIN, Real, Rows, add_scaled, dot, for_each, piece, twins, vectorised};
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
        self.sized(Kernel::new(shader, 64, grid).named(PLAIN))
    }

    fn sized(&self, kernel: Kernel) -> Kernel {
        kernel.sizes([("children", self.children), ("vote", self.vote()), ("dims_in", self.dims_in)])
    }

    /// The plain kernel, and one by rows where poses are short enough for it to write every product out.
    fn kernels<const N: usize>(
        &self,
        plain: Kernel,
        shader: &'static str,
        grid: Grid,
        consts: [(&'static str, usize); N],
    ) -> Vec<Kernel> {
        let rows = Kernel::new(shader, Rows::LANES, grid).named("rows").on_processors();
        let rows = self.sized(rows.consts([("DIMS_IN", self.dims_in)]).consts(consts));
        if self.dims_in > 16 { vec![plain] } else { vec![plain, rows] }
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

/// Images that read a child's matrix together, before the next child's turn: few enough for all cores to have some.
const GROUP: usize = 4;

/// From so many images on it pays to turn every matrix over first.
const MANY: usize = 8;

/// Numbers of a vote that are summed side by side, in registers.
const BLOCK: usize = 32;

/// Dimensions of a primary capsule, for which the loops below are written out.
const USUAL: usize = 8;

/// out[o] = Σₑ matrix[o, e] pose[e].
#[inline(always)]
fn project_one<T: Real>((out, matrix, pose): (&mut [T], &[T], &[T])) {
    for (out, row) in out.iter_mut().zip(matrix.chunks_exact(pose.len())) {
        *out = dot(row, pose);
    }
}

/// The votes of a group's images, from every child's matrix [dims_in, J·D] and the group's poses.
#[inline(always)]
fn project_group<T: Real>((projection, votes, across, u): (Projection, &mut [T], &[T], &[T])) {
    let (Projection { children, dims_in, .. }, vote) = (projection, projection.vote());
    for (child, across) in across.chunks_exact(vote * dims_in).enumerate() {
        for (image, votes) in votes.chunks_exact_mut(children * vote).enumerate() {
            let pose = &u[(image * children + child) * dims_in..][..dims_in];
            project(&mut votes[child * vote..][..vote], across, pose);
        }
    }
}

/// out[o] = Σₑ across[e, o] pose[e].
#[inline(always)]
fn project<T: Real>(out: &mut [T], across: &[T], pose: &[T]) {
    let vote = out.len();
    let (blocks, rest) = out.as_chunks_mut::<BLOCK>();
    let first_of_rest = blocks.len() * BLOCK;
    for (index, block) in blocks.iter_mut().enumerate() {
        let mut sums = [T::ZERO; BLOCK];
        for (&u, row) in pose.iter().zip(across.chunks_exact(vote)) {
            for (sum, &weight) in sums.iter_mut().zip(&row[index * BLOCK..][..BLOCK]) {
                *sum += u * weight;
            }
        }
        *block = sums;
    }
    rest.fill(T::ZERO);
    for (&u, row) in pose.iter().zip(across.chunks_exact(vote)) {
        add_scaled(rest, u, &row[first_of_rest..]);
    }
}

/// The gradients by a group's poses, from every child's matrix [J·D, dims_in] and the group's votes' gradients.
#[inline(always)]
fn project_group_back<T: Real>((projection, gu, weight, gvotes): (Projection, &mut [T], &[T], &[T])) {
    let (Projection { children, dims_in, .. }, vote) = (projection, projection.vote());
    for (child, matrix) in weight.chunks_exact(vote * dims_in).enumerate() {
        for (image, gu) in gu.chunks_exact_mut(children * dims_in).enumerate() {
            let gvote = &gvotes[(image * children + child) * vote..][..vote];
            project_back(&mut gu[child * dims_in..][..dims_in], matrix, gvote);
        }
    }
}

/// gu[e] = Σₒ gvote[o] matrix[o, e].
#[inline(always)]
fn project_back<T: Real>(gu: &mut [T], matrix: &[T], gvote: &[T]) {
    if gu.len() != USUAL {
        gu.fill(T::ZERO);
        for (&g, row) in gvote.iter().zip(matrix.chunks_exact(gu.len())) {
            add_scaled(gu, g, row);
        }
        return;
    }
    // Four sums side by side, since each addition waits for the one before.
    let mut sums = [[T::ZERO; USUAL]; 4];
    let (fours, last_rows) = matrix.as_chunks::<USUAL>().0.as_chunks::<4>();
    let (fours_of_g, last_of_g) = gvote.as_chunks::<4>();
    for (g, rows) in fours_of_g.iter().zip(fours) {
        for n in 0..4 {
            for e in 0..USUAL {
                sums[n][e] += g[n] * rows[n][e];
            }
        }
    }
    for (&g, row) in last_of_g.iter().zip(last_rows) {
        for e in 0..USUAL {
            sums[0][e] += g * row[e];
        }
    }
    for (e, gu) in gu.iter_mut().enumerate() {
        *gu = (sums[0][e] + sums[1][e]) + (sums[2][e] + sums[3][e]);
    }
}

/// One child's share of what a weight gradient is summed from.
#[derive(Clone, Copy)]
struct Child<'a, T> {
    projection: Projection,
    index: usize,
    gvotes: &'a [T],
    u: &'a [T],
}

impl<'a, T: Real> Child<'a, T> {
    /// The gradient of its vote, and its pose, in one image.
    #[inline(always)]
    fn of(&self, image: usize) -> (&'a [T], &'a [T]) {
        let (vote, dims_in) = (self.projection.vote(), self.projection.dims_in);
        let at = image * self.projection.children + self.index;
        (&self.gvotes[at * vote..][..vote], &self.u[at * dims_in..][..dims_in])
    }
}

/// gmatrix[o, e] += Σ gvote[o] pose[e] over all images.
#[inline(always)]
fn add_products<T: Real>((gmatrix, child, live): (&mut [T], Child<'_, T>, usize)) {
    if child.projection.dims_in != USUAL {
        for image in 0..live {
            let (gvote, pose) = child.of(image);
            for (row, &g) in gmatrix.chunks_exact_mut(pose.len()).zip(gvote) {
                add_scaled(row, g, pose);
            }
        }
        return;
    }
    let rows = gmatrix.as_chunks_mut::<USUAL>().0;
    let fours = live / 4 * 4;
    for first in (0..fours).step_by(4) {
        add_four(rows, [child.of(first), child.of(first + 1), child.of(first + 2), child.of(first + 3)]);
    }
    for image in fours..live {
        let (gvote, pose) = child.of(image);
        for (row, &g) in rows.iter_mut().zip(gvote) {
            add_scaled(row, g, pose);
        }
    }
}

/// Four images at a time, so that a row of the gradient is read and written once for all four.
#[inline(always)]
fn add_four<T: Real>(rows: &mut [[T; USUAL]], images: [(&[T], &[T]); 4]) {
    let mut poses = [[T::ZERO; USUAL]; 4];
    for (to, (_, pose)) in poses.iter_mut().zip(&images) {
        to.copy_from_slice(pose);
    }
    let gvotes = [images[0].0, images[1].0, images[2].0, images[3].0];
    let sources = gvotes[0].iter().zip(gvotes[1]).zip(gvotes[2]).zip(gvotes[3]);
    for (row, (((&a, &b), &c), &d)) in rows.iter_mut().zip(sources) {
        for e in 0..USUAL {
            row[e] += (a * poses[0][e] + b * poses[1][e]) + (c * poses[2][e] + d * poses[3][e]);
        }
    }
}

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

    fn kernels(&self) -> Vec<Kernel> {
        let outs = piece(self.0.vote());
        let grid = Grid::line(self.0.outputs(), outs * Rows::LANES).layers(Extent::PerImage(1), 8);
        self.0.kernels(self.kernel(), "votes_forward_rows", grid, [("OUTS", outs), ("IMAGES", 8)])
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
        let votes = &mut votes[..live * children * vote];
        if live < MANY {
            return for_each(votes, vote, |place, votes| {
                let matrix = &weight[place % children * vote * dims_in..][..vote * dims_in];
                vectorised(project_one, (votes, matrix, &u[place * dims_in..][..dims_in]));
            });
        }
        let mut across = vec![T::ZERO; children * vote * dims_in];
        for_each(&mut across, vote * dims_in, |child, across| {
            let matrix = &weight[child * vote * dims_in..][..vote * dims_in];
            for (e, row) in across.chunks_exact_mut(vote).enumerate() {
                row.iter_mut().zip(matrix[e..].iter().step_by(dims_in)).for_each(|(to, &from)| *to = from);
            }
        });
        for_each(votes, GROUP * children * vote, |group, votes| {
            vectorised(project_group, (self.0, votes, &across[..], &u[group * GROUP * children * dims_in..]));
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

    fn kernels(&self) -> Vec<Kernel> {
        let grid = Grid::line(Extent::Fixed(self.0.children), Rows::LANES).layers(Extent::PerImage(1), 8);
        let consts = [("DEEP", piece(self.0.vote()).min(4)), ("IMAGES", 8)];
        self.0.kernels(self.kernel(), "votes_backward_input_rows", grid, consts)
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
            vectorised(project_group_back, (self.0, gu, weight, &gvotes[group * GROUP * children * vote..]));
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

    fn kernels(&self) -> Vec<Kernel> {
        let outs = piece(self.0.vote());
        let grid = Grid::line(self.0.outputs(), outs * Rows::LANES);
        self.0.kernels(self.kernel(), "votes_backward_weight_rows", grid, [("OUTS", outs), ("DEEP", 4)])
    }

    fn flops(&self, live: usize) -> u64 {
        self.0.flops(live)
    }

    twins!();
}

impl BackwardWeight {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (Projection { dims_in, .. }, vote, live) = (self.0, self.0.vote(), call.live());
        let keep = call.run.accumulate == 1;
        let ([gvotes, u], [gweight]) = call.split();
        for_each(gweight, vote * dims_in, |index, gmatrix| {
            if !keep {
                gmatrix.fill(T::ZERO);
            }
            vectorised(add_products, (gmatrix, Child { projection: self.0, index, gvotes, u }, live));
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
