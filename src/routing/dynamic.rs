//! Dynamic routing, or routing by agreement (Sabour et al. 2017, procedure 1).
//!
//! Logits b start at zero in every pass. For t = 1…r: c = softmax over the *parents* of b; s_j = Σ_i c_ij û_ij + β_j;
//! v_j = squash(s_j); and, but for the last t, b_ij += û_ij·v_j. So r iterations are r softmaxes and r − 1 updates.
//!
//! No logits are stored: since they start at zero, b_ij before iteration t is û_ij · Σ_{τ<t} v_j(τ). Every pass
//! recomputes them from the votes and the s of each iteration, which is all that the forward pass keeps.

use super::{Coefficients, Gradient, Problem, Procedure};
use crate::ops::Pick;
use crate::ops::squash::{squash, squash_gradient};
use crate::ops::support::{Real, add_scaled, dot, entropy as entropy_of, for_each_pair, twins, vectorised};
use crate::plan::{Call, Extent, Kernel, Operation, Port};
use std::sync::Arc;

/// Dynamic routing.
pub const PROCEDURE: Agreement = Agreement {
    name: "dynamic",
    sentence: "A child sends more of its vote to the parents that the other children agree about.",
    source: "Sabour, Frosst & Hinton 2017, Dynamic Routing Between Capsules, procedure 1",
    coefficients: Coefficients::Softmax,
};

/// A procedure that weighs, adds and squashes votes as dynamic routing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub sentence: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What its coefficients are made of.
    pub coefficients: Coefficients,
}

impl Agreement {
    fn of(&self, problem: Problem) -> Problem {
        Problem { coefficients: self.coefficients, ..problem }
    }
}

impl Procedure for Agreement {
    fn name(&self) -> &'static str {
        self.name
    }

    fn sentence(&self) -> &'static str {
        self.sentence
    }

    fn source(&self) -> &'static str {
        self.source
    }

    fn iterates(&self) -> bool {
        self.coefficients.agree()
    }

    fn tensors(&self, problem: &Problem) -> Vec<(&'static str, Vec<usize>)> {
        vec![("bias", vec![problem.parents, problem.dims])]
    }

    fn forward(&self, problem: Problem) -> Vec<Arc<dyn Operation>> {
        vec![Arc::new(Forward(self.of(problem)))]
    }

    fn trace(&self, problem: Problem) -> Arc<dyn Operation> {
        Arc::new(Trace(self.of(problem)))
    }

    fn backward(&self, problem: Problem, gradient: Gradient) -> Vec<Arc<dyn Operation>> {
        vec![Arc::new(Backward { problem: self.of(problem), gradient })]
    }
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    let compact = Problem::compact();
    let deep = Problem { children: 40, iterations: 10, ..compact };
    [Problem::random(pick), Problem::random(pick), deep, compact].into_iter().flat_map(all).collect()
}

/// Every operation on a problem.
pub(super) fn all(problem: Problem) -> Vec<Arc<dyn Operation>> {
    vec![
        Arc::new(Forward(problem)),
        Arc::new(Trace(problem)),
        Arc::new(Backward { problem, gradient: Gradient::Full }),
        Arc::new(Backward { problem, gradient: Gradient::Detached }),
    ]
}

/// `routing_forward_dynamic`: votes [B, P, I, J, D], bias [J, D] → history of s [B, P, R, J, D], v [B, P, J, D] and
/// entropy [B], the mean over children of −Σ_j c ln c in the last iteration, in nats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forward(pub Problem);

impl Operation for Forward {
    fn name(&self) -> &'static str {
        "routing_forward_dynamic"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("votes", self.0.votes()),
            Port::read("bias", Extent::Fixed(self.0.pose())),
            Port::write("history", self.0.history()),
            Port::write("v", self.0.poses()),
            Port::write("entropy", Extent::PerImage(1)),
        ]
    }

    fn most_iterations(&self) -> Option<usize> {
        Some(self.0.iterations)
    }

    fn kernel(&self) -> Kernel {
        let Problem { parents, .. } = self.0;
        let lanes = self.0.lanes();
        // Three arrays beside the coefficients, each up to 12 bytes longer than it says.
        let chunk = self.0.chunk(self.0.pose() + parents + lanes + 12, parents);
        let shares = [self.0.pose(), chunk * parents, parents, lanes];
        self.0.kernel(self.name(), Extent::PerImage(1)).consts([("CHUNK", chunk)]).shares(shares)
    }

    fn flops(&self, live: usize) -> u64 {
        (2 * self.0.iterations as u64 - 1) * self.0.pass(live)
    }

    twins!();
}

impl Forward {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (problem, live, iterations) = (self.0, call.live(), call.run.iterations as usize);
        let ([votes, bias], [history, v, entropy]) = call.split();
        let (pose, votes_each) = (problem.pose(), problem.vote_elements());
        let history_each = problem.positions * problem.iterations * pose;
        let history = &mut history[..live * history_each];
        let mut problems: Vec<_> =
            v.chunks_exact_mut(problem.positions * pose).zip(entropy.iter_mut()).take(live).collect();
        for_each_pair((history, history_each), (&mut problems, 1), |image, history, outputs| {
            let (v, entropy) = &mut outputs[0];
            let mut sum = T::ZERO;
            for position in 0..problem.positions {
                let votes = &votes[(image * problem.positions + position) * votes_each..][..votes_each];
                let history = &mut history[position * problem.iterations * pose..][..iterations * pose];
                let v = &mut v[position * pose..][..pose];
                // The sizes of digit capsules are constants to the compiler.
                sum += match problem.usual() {
                    true => vectorised(forward_usual, (&problem, votes, bias, history, v)),
                    false => vectorised(forward, (&problem, votes, bias, history, v)),
                };
            }
            **entropy = sum / T::of(problem.positions as f64);
        });
    }
}

/// A problem with its votes, bias, history of s and v.
type Forwards<'a, T> = (&'a Problem, &'a [T], &'a [T], &'a mut [T], &'a mut [T]);

#[inline(always)]
fn forward_usual<T: Real>((problem, votes, bias, history, v): Forwards<'_, T>) -> T {
    forward((&problem.of_usual_size(), votes, bias, history, v))
}

/// One problem; returns the entropy.
#[inline(always)]
fn forward<T: Real>((problem, votes, bias, history, v): Forwards<'_, T>) -> T {
    let (pose, dims) = (problem.pose(), problem.dims);
    let last = history.len() / pose - 1;
    let mut c = problem.couple_at_first();
    let mut agreed = vec![T::ZERO; pose];
    let mut entropy = T::ZERO;
    for (t, s) in history.chunks_exact_mut(pose).enumerate() {
        s.fill(T::ZERO);
        for (child, vote) in votes.chunks_exact(pose).enumerate() {
            if problem.couples_at(t) {
                problem.couple(child, vote, &agreed, &mut c);
            }
            for ((s, vote), &c) in s.chunks_exact_mut(dims).zip(vote.chunks_exact(dims)).zip(&c) {
                add_scaled(s, c, vote);
            }
            if t == last {
                entropy += entropy_of(&c);
            }
        }
        add_scaled(s, T::ONE, bias);
        for (s, v) in s.chunks_exact(dims).zip(v.chunks_exact_mut(dims)) {
            squash(s, v);
        }
        add_scaled(&mut agreed, T::ONE, v);
    }
    entropy / T::of(problem.children as f64)
}

/// `routing_trace_dynamic`: votes [B, P, I, J, D], history [B, P, R, J, D] → every iteration's logits and coupling
/// coefficients [B, P, R, I, J] and v [B, P, R, J, D]; iterations that the run did not do are left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace(pub Problem);

impl Operation for Trace {
    fn name(&self) -> &'static str {
        "routing_trace_dynamic"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("votes", self.0.votes()),
            Port::read("history", self.0.history()),
            Port::update("logits", self.0.couplings()),
            Port::update("coupling", self.0.couplings()),
            Port::update("vs", self.0.history()),
        ]
    }

    fn most_iterations(&self) -> Option<usize> {
        Some(self.0.iterations)
    }

    fn kernel(&self) -> Kernel {
        self.0.kernel(self.name(), Extent::PerImage(self.0.positions)).shares([self.0.pose()])
    }

    fn flops(&self, live: usize) -> u64 {
        (self.0.iterations as u64 - 1) * self.0.pass(live)
    }

    twins!();
}

impl Trace {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (problem, count, iterations) = (self.0, call.live() * self.0.positions, call.run.iterations as usize);
        let ([votes, history], [logits, coupling, vs]) = call.split();
        let (pose, pairs) = (problem.pose(), problem.children * problem.parents);
        for index in 0..count {
            let votes = &votes[index * problem.vote_elements()..][..problem.vote_elements()];
            let mut agreed = vec![T::ZERO; pose];
            for t in 0..iterations {
                let at = index * problem.iterations + t;
                let (logits, coupling) = (&mut logits[at * pairs..][..pairs], &mut coupling[at * pairs..][..pairs]);
                for_each_pair((logits, problem.parents), (coupling, problem.parents), |child, b, c| {
                    let vote = &votes[child * pose..][..pose];
                    let pairs = vote.chunks_exact(problem.dims).zip(agreed.chunks_exact(problem.dims));
                    b.iter_mut().zip(pairs).for_each(|(b, (vote, agreed))| *b = dot(vote, agreed));
                    problem.couple(child, vote, &agreed, c);
                });
                let v = &mut vs[at * pose..][..pose];
                let s = history[at * pose..].chunks_exact(problem.dims);
                s.zip(v.chunks_exact_mut(problem.dims)).for_each(|(s, v)| squash(s, v));
                add_scaled(&mut agreed, T::ONE, v);
            }
        }
    }
}

/// `routing_backward_dynamic`: votes, history, gv [B, P, J, D] → gvotes [B, P, I, J, D] and each image's part of the
/// bias's gradient [B, J, D].
///
/// With g = ∂L/∂v at t = r and G· zero at first, for t = r…1:
/// gv_j = [t=r] g_j + [t<r] Σ_i Gb_ij û_ij; Gû_ij += [t<r] Gb_ij v_j; gs_j = squash′(s_j)ᵀ gv_j; Gβ_j += gs_j;
/// Gû_ij += c_ij gs_j; gc_ij = û_ij·gs_j; Gb_ij += c_ij (gc_ij − Σ_k c_ik gc_ik).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backward {
    /// The sizes.
    pub problem: Problem,
    /// Through all iterations or the last sum only.
    pub gradient: Gradient,
}

impl Operation for Backward {
    fn name(&self) -> &'static str {
        "routing_backward_dynamic"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("votes", self.problem.votes()),
            Port::read("history", self.problem.history()),
            Port::read("gv", self.problem.poses()),
            Port::write("gvotes", self.problem.votes()),
            Port::write("gbias", Extent::PerImage(self.problem.pose())),
        ]
    }

    fn most_iterations(&self) -> Option<usize> {
        Some(self.problem.iterations)
    }

    fn kernel(&self) -> Kernel {
        let Problem { children, parents, iterations, .. } = self.problem;
        let pose = self.problem.pose();
        let chunk = self.problem.chunk(2 * pose + (iterations + 2) * parents + 18, 2 * parents);
        self.problem
            .kernel(self.name(), Extent::PerImage(1))
            .consts([("CHUNK", chunk), ("ROUNDS", iterations), ("KEPT", children.div_ceil(chunk))])
            .switch("detached", !self.is_full())
            .shares([pose, chunk * parents, iterations * parents, pose, 2 * parents, chunk * parents])
    }

    fn flops(&self, live: usize) -> u64 {
        let iterations = if self.is_full() { self.problem.iterations as u64 } else { 1 };
        (5 * iterations - 2) * self.problem.pass(live)
    }

    twins!();
}

impl Backward {
    /// Whether gradient passes through the coefficients. Where nothing agrees they are constants.
    fn is_full(&self) -> bool {
        self.gradient == Gradient::Full && self.problem.coefficients.agree()
    }

    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (problem, live, iterations) = (self.problem, call.live(), call.run.iterations as usize);
        let ([votes, history, gv], [gvotes, gbias]) = call.split();
        let (pose, votes_each) = (problem.pose(), problem.vote_elements());
        let gvotes = &mut gvotes[..live * problem.positions * votes_each];
        let gbias = &mut gbias[..live * pose];
        for_each_pair((gvotes, problem.positions * votes_each), (gbias, pose), |image, gvotes, gbias| {
            gbias.fill(T::ZERO);
            for position in 0..problem.positions {
                let index = image * problem.positions + position;
                let votes = &votes[index * votes_each..][..votes_each];
                let history = &history[index * problem.iterations * pose..][..iterations * pose];
                let (gv, gvotes) = (&gv[index * pose..][..pose], &mut gvotes[position * votes_each..][..votes_each]);
                let all = (self, votes, history, gv, gvotes, &mut *gbias);
                match problem.usual() {
                    true => vectorised(backward_usual, all),
                    false => vectorised(backward, all),
                }
            }
        });
    }

    /// One problem.
    #[inline(always)]
    fn backward<T: Real>(&self, votes: &[T], history: &[T], gv: &[T], gvotes: &mut [T], gbias: &mut [T]) {
        let (problem, pose, dims, parents) =
            (&self.problem, self.problem.pose(), self.problem.dims, self.problem.parents);
        let iterations = history.len() / pose;
        let mut vs = vec![T::ZERO; history.len()];
        let mut agreed = vec![T::ZERO; history.len()];
        for t in 0..iterations {
            let s = history[t * pose..][..pose].chunks_exact(dims);
            s.zip(vs[t * pose..][..pose].chunks_exact_mut(dims)).for_each(|(s, v)| squash(s, v));
            if t > 0 {
                let (before, now) = agreed.split_at_mut(t * pose);
                now[..pose].copy_from_slice(&before[(t - 1) * pose..]);
                add_scaled(&mut now[..pose], T::ONE, &vs[(t - 1) * pose..][..pose]);
            }
        }
        // Gradients by the logits of the iteration above, one row of J a child.
        let mut gb = vec![T::ZERO; problem.children * parents];
        let (mut gv, mut gs) = (gv.to_vec(), vec![T::ZERO; pose]);
        let mut c = problem.couple_at_first();
        let mut gc = vec![T::ZERO; parents];
        gvotes.fill(T::ZERO);
        for t in (0..iterations).rev() {
            let (s, v, agreed) = (&history[t * pose..][..pose], &vs[t * pose..][..pose], &agreed[t * pose..][..pose]);
            for j in 0..parents {
                let at = j * dims..(j + 1) * dims;
                squash_gradient(&s[at.clone()], &gv[at.clone()], &mut gs[at]);
            }
            add_scaled(gbias, T::ONE, &gs);
            if t == 0 {
                c = problem.couple_at_first();
            }
            // The sum over children that the next (earlier) iteration's v receives.
            gv.fill(T::ZERO);
            let children =
                votes.chunks_exact(pose).zip(gvotes.chunks_exact_mut(pose)).zip(gb.chunks_exact_mut(parents));
            for (child, ((vote, gvote), gb)) in children.enumerate() {
                if problem.couples_at(t) {
                    problem.couple(child, vote, agreed, &mut c);
                }
                for j in 0..parents {
                    let at = j * dims..(j + 1) * dims;
                    // gb is zero in the last iteration, whose v makes no logits.
                    add_scaled(&mut gvote[at.clone()], gb[j], &v[at.clone()]);
                    add_scaled(&mut gvote[at.clone()], c[j], &gs[at.clone()]);
                    gc[j] = dot(&vote[at.clone()], &gs[at]);
                }
                if t > 0 && self.is_full() {
                    let mean = dot(&c, &gc);
                    for j in 0..parents {
                        gb[j] += c[j] * (gc[j] - mean);
                        let at = j * dims..(j + 1) * dims;
                        add_scaled(&mut gv[at.clone()], gb[j], &vote[at]);
                    }
                }
            }
            if !self.is_full() {
                break;
            }
        }
    }
}

/// An operation with a problem's votes, history and gradient, and the gradients to be written.
type Backwards<'a, T> = (&'a Backward, &'a [T], &'a [T], &'a [T], &'a mut [T], &'a mut [T]);

#[inline(always)]
fn backward<T: Real>((operation, votes, history, gv, gvotes, gbias): Backwards<'_, T>) {
    operation.backward(votes, history, gv, gvotes, gbias);
}

#[inline(always)]
fn backward_usual<T: Real>((operation, votes, history, gv, gvotes, gbias): Backwards<'_, T>) {
    let usual = Backward { problem: operation.problem.of_usual_size(), ..*operation };
    usual.backward(votes, history, gv, gvotes, gbias);
}
