//! Self-attention routing (Mazzia et al. 2021, "Efficient-CapsNet", arXiv 2101.12491): one pass, no iterations.
//!
//! S_j = Σ_k û_kj; a_ij = û_ij·S_j / √D; p = softmax over the parents of a; c = p + B with a trainable prior B [I, J];
//! s_j = Σ_i c_ij û_ij; v = (1 − e^{−n}) s/n, n = ‖s‖. The agreement of a vote with all votes is its product with their
//! sum, so that no I×I matrix is needed.

use super::{Gradient, Problem, Procedure};
use crate::ops::Pick;
use crate::ops::support::{
    Real, add_scaled, dot, entropy as entropy_of, for_each_pair, norm, scale, softmax_in_place, twins, vectorised,
};
use crate::plan::{Call, Extent, Kernel, Operation, Port};
use std::sync::Arc;

/// Self-attention.
pub const PROCEDURE: SelfAttention = SelfAttention;

/// See above.
#[derive(Clone, Copy, Debug)]
pub struct SelfAttention;

impl Procedure for SelfAttention {
    fn name(&self) -> &'static str {
        "self-attention"
    }

    fn sentence(&self) -> &'static str {
        "One pass: a vote weighs as much as it agrees with the sum of all votes, beside a share that was learnt."
    }

    fn source(&self) -> &'static str {
        "Mazzia, Salvetti & Chiaberge 2021, Efficient-CapsNet, arXiv 2101.12491"
    }

    fn iterates(&self) -> bool {
        false
    }

    fn tensors(&self, problem: &Problem) -> Vec<(&'static str, Vec<usize>)> {
        vec![("prior", vec![problem.children, problem.parents])]
    }

    fn forward(&self, problem: Problem) -> Vec<Arc<dyn Operation>> {
        vec![Arc::new(Forward(problem))]
    }

    fn trace(&self, problem: Problem) -> Arc<dyn Operation> {
        Arc::new(Trace(problem))
    }

    fn backward(&self, problem: Problem, _: Gradient) -> Vec<Arc<dyn Operation>> {
        vec![Arc::new(Backward(problem))]
    }
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    let compact = Problem { iterations: 1, ..Problem::compact() };
    let mut all: Vec<Arc<dyn Operation>> = vec![];
    for problem in [Problem::random(pick), Problem::random(pick), compact] {
        all.extend([Arc::new(Forward(problem)) as Arc<dyn Operation>, Arc::new(Trace(problem))]);
        all.push(Arc::new(Backward(problem)));
    }
    all
}

impl Problem {
    /// S and s of every parent.
    fn sums(&self) -> Extent {
        Extent::PerImage(self.positions * 2 * self.pose())
    }

    fn pairs(&self) -> usize {
        self.children * self.parents
    }

    fn attention_kernel(&self, shader: &'static str, workgroups: Extent) -> Kernel {
        self.poses_kernel(shader, workgroups).factors([("root", (self.dims as f32).sqrt())])
    }

    /// One child's p, from S.
    #[inline(always)]
    fn attend<T: Real>(&self, vote: &[T], total: &[T], p: &mut [T]) {
        let root = T::of(self.dims as f64).sqrt();
        for ((p, vote), total) in p.iter_mut().zip(vote.chunks_exact(self.dims)).zip(total.chunks_exact(self.dims)) {
            *p = dot(vote, total) / root;
        }
        softmax_in_place(p);
    }
}

/// Below this length the differences below are taken from their series.
const SHORT: f64 = 0.0625;

/// Factors of the squash v = h(n) s/n with h = 1 − e^{−n}: h/n, and what s (s·g) is multiplied by in its gradient,
/// (e^{−n} − h/n)/n², 0 at n = 0.
fn factors<T: Real>(n: T) -> (T, T) {
    if n.double() >= SHORT {
        let rest = (-n).exp();
        let factor = (T::ONE - rest) / n;
        return (factor, (rest - factor) / (n * n));
    }
    // h/n = Σ (−n)ᵏ/(k+1)!, and e^{−n} − h/n = Σ (−n)ᵏ k/(k+1)!.
    let (mut term, mut factor, mut slope) = (T::ONE, T::ZERO, T::ZERO);
    for k in 0..9 {
        factor += term;
        slope += T::of(f64::from(k)) * term;
        term *= -n / T::of(f64::from(k + 2));
    }
    (factor, if n > T::ZERO { slope / n / n } else { T::ZERO })
}

/// `routing_forward_self_attention`: votes [B, P, I, J, D], prior [I, J] → sums [B, P, 2, J, D], which are S and s,
/// v [B, P, J, D], and entropy [B], the mean over children of −Σ_j p ln p, in nats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forward(pub Problem);

impl Operation for Forward {
    fn name(&self) -> &'static str {
        "routing_forward_self_attention"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("votes", self.0.votes()),
            Port::read("prior", Extent::Fixed(self.0.pairs())),
            Port::write("sums", self.0.sums()),
            Port::write("v", self.0.poses()),
            Port::write("entropy", Extent::PerImage(1)),
        ]
    }

    fn kernel(&self) -> Kernel {
        let lanes = self.0.lanes();
        let chunk = self.0.chunk(self.0.pose() + self.0.parents + lanes + 12, self.0.parents);
        let shares = [self.0.pose(), chunk * self.0.parents, self.0.parents, lanes];
        self.0.attention_kernel(self.name(), Extent::PerImage(1)).consts([("CHUNK", chunk)]).shares(shares)
    }

    fn flops(&self, live: usize) -> u64 {
        3 * self.0.pass(live)
    }

    twins!();
}

impl Forward {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (problem, live) = (self.0, call.live());
        let ([votes, prior], [sums, v, entropy]) = call.split();
        let (pose, votes_each) = (problem.pose(), problem.vote_elements());
        let sums_each = problem.positions * 2 * pose;
        let mut outputs: Vec<_> =
            v.chunks_exact_mut(problem.positions * pose).zip(entropy.iter_mut()).take(live).collect();
        for_each_pair((&mut sums[..live * sums_each], sums_each), (&mut outputs, 1), |image, sums, outputs| {
            let (v, entropy) = &mut outputs[0];
            let mut sum = T::ZERO;
            for position in 0..problem.positions {
                let votes = &votes[(image * problem.positions + position) * votes_each..][..votes_each];
                let (sums, v) = (&mut sums[position * 2 * pose..][..2 * pose], &mut v[position * pose..][..pose]);
                sum += vectorised(forward, (&problem, votes, prior, sums, v));
            }
            **entropy = sum / T::of(problem.positions as f64);
        });
    }
}

/// One problem; returns the entropy.
#[inline(always)]
fn forward<T: Real>((problem, votes, prior, sums, v): (&Problem, &[T], &[T], &mut [T], &mut [T])) -> T {
    let (pose, dims) = (problem.pose(), problem.dims);
    sums.fill(T::ZERO);
    let (total, s) = sums.split_at_mut(pose);
    votes.chunks_exact(pose).for_each(|vote| add_scaled(total, T::ONE, vote));
    let mut c = vec![T::ZERO; problem.parents];
    let mut entropy = T::ZERO;
    for (vote, prior) in votes.chunks_exact(pose).zip(prior.chunks_exact(problem.parents)) {
        problem.attend(vote, total, &mut c);
        entropy += entropy_of(&c);
        add_scaled(&mut c, T::ONE, prior);
        for ((s, vote), &c) in s.chunks_exact_mut(dims).zip(vote.chunks_exact(dims)).zip(&c) {
            add_scaled(s, c, vote);
        }
    }
    for (s, v) in s.chunks_exact(dims).zip(v.chunks_exact_mut(dims)) {
        v.copy_from_slice(s);
        scale(v, factors(norm(s)).0);
    }
    entropy / T::of(problem.children as f64)
}

/// `routing_trace_self_attention`: votes, sums, prior [I, J] → a as logits, c as coupling [B, P, R, I, J] and
/// v [B, P, R, J, D], the same for every iteration that the run asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace(pub Problem);

impl Operation for Trace {
    fn name(&self) -> &'static str {
        "routing_trace_self_attention"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("votes", self.0.votes()),
            Port::read("sums", self.0.sums()),
            Port::read("prior", Extent::Fixed(self.0.pairs())),
            Port::update("logits", self.0.couplings()),
            Port::update("coupling", self.0.couplings()),
            Port::update("vs", self.0.history()),
        ]
    }

    fn most_iterations(&self) -> Option<usize> {
        Some(self.0.iterations)
    }

    fn kernel(&self) -> Kernel {
        self.0.attention_kernel(self.name(), Extent::PerImage(self.0.positions))
    }

    fn flops(&self, live: usize) -> u64 {
        self.0.pass(live)
    }

    twins!();
}

impl Trace {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (problem, count, iterations) = (self.0, call.live() * self.0.positions, call.run.iterations as usize);
        let ([votes, sums, prior], [logits, coupling, vs]) = call.split();
        let (pose, pairs, dims) = (problem.pose(), problem.pairs(), problem.dims);
        let root = T::of(dims as f64).sqrt();
        for index in 0..count {
            let votes = &votes[index * problem.vote_elements()..][..problem.vote_elements()];
            let (total, s) = sums[index * 2 * pose..][..2 * pose].split_at(pose);
            for at in (0..iterations).map(|t| index * problem.iterations + t) {
                let (logits, coupling) = (&mut logits[at * pairs..][..pairs], &mut coupling[at * pairs..][..pairs]);
                for_each_pair((logits, problem.parents), (coupling, problem.parents), |child, a, c| {
                    let vote = votes[child * pose..].chunks_exact(dims);
                    for ((a, vote), total) in a.iter_mut().zip(vote).zip(total.chunks_exact(dims)) {
                        *a = dot(vote, total) / root;
                    }
                    c.copy_from_slice(a);
                    softmax_in_place(c);
                    add_scaled(c, T::ONE, &prior[child * problem.parents..][..problem.parents]);
                });
                for (s, v) in s.chunks_exact(dims).zip(vs[at * pose..][..pose].chunks_exact_mut(dims)) {
                    v.copy_from_slice(s);
                    scale(v, factors(norm(s)).0);
                }
            }
        }
    }
}

/// `routing_backward_self_attention`: votes, sums, prior, gv [B, P, J, D] → gvotes [B, P, I, J, D] and each image's part
/// of the prior's gradient [B, I, J].
///
/// gs = (h/n) g + (e^{−n} − h/n)/n² (s·g) s; gc = û·gs; gB = gc; ga = p (gc − Σ_k p_k gc_k);
/// gû_ij = c_ij gs_j + ga_ij S_j/√D + Σ_k ga_kj û_kj/√D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backward(pub Problem);

impl Operation for Backward {
    fn name(&self) -> &'static str {
        "routing_backward_self_attention"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("votes", self.0.votes()),
            Port::read("sums", self.0.sums()),
            Port::read("prior", Extent::Fixed(self.0.pairs())),
            Port::read("gv", self.0.poses()),
            Port::write("gvotes", self.0.votes()),
            Port::write("gprior", Extent::PerImage(self.0.pairs())),
        ]
    }

    fn kernel(&self) -> Kernel {
        let Problem { parents, .. } = self.0;
        let pose = self.0.pose();
        let chunk = self.0.chunk(2 * pose + 2 * parents + 16, 2 * parents);
        self.0.attention_kernel(self.name(), Extent::PerImage(1)).consts([("CHUNK", chunk)]).shares([
            pose,
            chunk * parents,
            pose,
            2 * parents,
            chunk * parents,
        ])
    }

    fn flops(&self, live: usize) -> u64 {
        5 * self.0.pass(live)
    }

    twins!();
}

impl Backward {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (problem, live) = (self.0, call.live());
        let ([votes, sums, prior, gv], [gvotes, gprior]) = call.split();
        let (pose, votes_each, pairs) = (problem.pose(), problem.vote_elements(), problem.pairs());
        let gvotes = &mut gvotes[..live * problem.positions * votes_each];
        for_each_pair(
            (gvotes, problem.positions * votes_each),
            (&mut gprior[..live * pairs], pairs),
            |image, gvotes, gprior| {
                gprior.fill(T::ZERO);
                for position in 0..problem.positions {
                    let index = image * problem.positions + position;
                    let (votes, gv) = (&votes[index * votes_each..][..votes_each], &gv[index * pose..][..pose]);
                    let (sums, gvotes) =
                        (&sums[index * 2 * pose..][..2 * pose], &mut gvotes[position * votes_each..][..votes_each]);
                    vectorised(backward, (&problem, votes, sums, prior, gv, gvotes, gprior));
                }
            },
        );
    }
}

/// A problem with its votes, sums, prior and gradient, and the gradients to be written.
type Backwards<'a, T> = (&'a Problem, &'a [T], &'a [T], &'a [T], &'a [T], &'a mut [T], &'a mut [T]);

/// One problem.
#[inline(always)]
fn backward<T: Real>((problem, votes, sums, prior, gv, gvotes, gprior): Backwards<'_, T>) {
    let (pose, dims, parents) = (problem.pose(), problem.dims, problem.parents);
    let (total, s) = sums.split_at(pose);
    let mut gs = gv.to_vec();
    for (gs, s) in gs.chunks_exact_mut(dims).zip(s.chunks_exact(dims)) {
        let (factor, slope) = factors(norm(s));
        let along = slope * dot(s, gs);
        scale(gs, factor);
        add_scaled(gs, along, s);
    }
    let root = T::of(dims as f64).sqrt();
    let (mut p, mut gc) = (vec![T::ZERO; parents], vec![T::ZERO; parents]);
    // Σ_k ga_kj û_kj/√D, which every child receives.
    let mut shared = vec![T::ZERO; pose];
    let children = votes.chunks_exact(pose).zip(gvotes.chunks_exact_mut(pose));
    let of_prior = prior.chunks_exact(parents).zip(gprior.chunks_exact_mut(parents));
    for ((vote, gvote), (prior, gprior)) in children.zip(of_prior) {
        problem.attend(vote, total, &mut p);
        for (gc, (vote, gs)) in gc.iter_mut().zip(vote.chunks_exact(dims).zip(gs.chunks_exact(dims))) {
            *gc = dot(vote, gs);
        }
        add_scaled(gprior, T::ONE, &gc);
        let mean = dot(&p, &gc);
        gvote.fill(T::ZERO);
        for j in 0..parents {
            let at = j * dims..(j + 1) * dims;
            let ga = p[j] * (gc[j] - mean) / root;
            add_scaled(&mut gvote[at.clone()], p[j] + prior[j], &gs[at.clone()]);
            add_scaled(&mut gvote[at.clone()], ga, &total[at.clone()]);
            add_scaled(&mut shared[at.clone()], ga, &vote[at]);
        }
    }
    gvotes.chunks_exact_mut(pose).for_each(|gvote| add_scaled(gvote, T::ONE, &shared));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_squash_and_its_slope_are_smooth_where_the_series_ends() {
        let difference = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs().max((a.1 - b.1).abs() * SHORT * SHORT);
        let (below, above) = (factors(SHORT * (1.0 - 1e-12)), factors(SHORT));
        assert!(difference(below, above) < 1e-12, "{below:?} {above:?}");
        assert_eq!(factors(0.0_f64), (1.0, 0.0));
        // d/dn (h/n) · 1/n is the slope.
        for n in [0.01, 0.3, 2.0] {
            let numeric = (factors(n + 1e-6_f64).0 - factors(n - 1e-6).0) / 2e-6 / n;
            assert!((factors(n).1 - numeric).abs() < 1e-6 / n, "{n}: {} {numeric}", factors(n).1);
        }
    }
}
