//! EM routing (Hinton, Sabour & Frosst 2018, "Matrix capsules with EM routing", procedure 1): every parent is a Gaussian
//! in the space of votes.
//!
//! With R = 1/J at first, for t = 1…r:
//! M: ρ_ij = R_ij a_i; ρ_j = Σ_i ρ_ij; μ_j = Σ_i ρ_ij û_ij/ρ_j; σ²_j = Σ_i ρ_ij (û_ij − μ_j)²/ρ_j + 1e-9, by dimension;
//! x_j = λ_t (β_a − ρ_j Σ_d (β_u + ½ ln σ²_jd)); a_j = sigmoid(x_j); λ_t = 0.01 (1 − 0.95ᵗ);
//! E, but for the last t: q_ij = ln a_j − Σ_d [(û_ij − μ_j)²/2σ²_j + ½ ln 2πσ²_j]; R = softmax over the parents of q.
//!
//! Kept of every iteration and parent: μ, σ², x and ρ, of which the next R is made once more.

use super::{Gradient, Problem, Procedure};
use crate::ops::Pick;
use crate::ops::aim::{self, Aim, LEAST_LENGTH};
use crate::ops::support::{Real, dot, entropy as entropy_of, for_each_pair, norm, softmax_in_place, twins, vectorised};
use crate::plan::{Call, Content, Extent, Kernel, Operation, Port};
use std::sync::Arc;

/// EM routing.
pub const PROCEDURE: Em = Em;

/// See above. On a network of vector capsules this project takes ‖u_i‖ as a child's activation and a_j μ_j/‖μ_j‖ as a
/// parent's v, so that the parent's length is its activation.
#[derive(Clone, Copy, Debug)]
pub struct Em;

impl Em {
    fn aim(problem: &Problem) -> Aim {
        Aim { capsules: problem.positions * problem.parents, dims: problem.dims }
    }
}

impl Procedure for Em {
    fn name(&self) -> &'static str {
        "em"
    }

    fn sentence(&self) -> &'static str {
        "Every parent is a Gaussian fitted to the votes that it is responsible for; it is active if its votes lie close."
    }

    fn source(&self) -> &'static str {
        "Hinton, Sabour & Frosst 2018, Matrix capsules with EM routing; activations and lengths are this project's choice"
    }

    fn iterates(&self) -> bool {
        true
    }

    fn tensors(&self, problem: &Problem) -> Vec<(&'static str, Vec<usize>)> {
        vec![("beta", vec![2, problem.parents])]
    }

    fn forward(&self, problem: Problem) -> Vec<Arc<dyn Operation>> {
        vec![Arc::new(Forward(problem)), Arc::new(aim::Forward(Em::aim(&problem)))]
    }

    fn trace(&self, problem: Problem) -> Arc<dyn Operation> {
        Arc::new(Trace(problem))
    }

    fn backward(&self, problem: Problem, _: Gradient) -> Vec<Arc<dyn Operation>> {
        vec![Arc::new(aim::Backward(Em::aim(&problem))), Arc::new(Backward(problem))]
    }
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    // With more iterations a Gaussian may be left with so few votes that its variances are roundings.
    let deep = Problem { children: 70, iterations: 4, ..Problem::compact() };
    let mut all: Vec<Arc<dyn Operation>> = vec![];
    for problem in [Problem::random(pick), Problem::random(pick), deep] {
        all.extend([Arc::new(Forward(problem)) as Arc<dyn Operation>, Arc::new(Trace(problem))]);
        all.push(Arc::new(Backward(problem)));
    }
    all
}

/// Added to every variance.
const LEAST_VARIANCE: f64 = 1e-9;

/// Numbers kept of a parent beside its means and variances: x and ρ.
const SCALARS: usize = 2;

/// λ of an iteration, from 0.
fn inverse_temperature<T: Real>(iteration: usize) -> T {
    T::of(0.01 * (1.0 - libm::pow(0.95, (iteration + 1) as f64)))
}

/// A variance as it is, and the least one where numbers are not of this procedure's making.
#[inline(always)]
fn floor<T: Real>(variance: T) -> T {
    variance.max(T::of(LEAST_VARIANCE))
}

fn sigmoid<T: Real>(x: T) -> T {
    T::ONE / (T::ONE + (-x).exp())
}

/// ln sigmoid(x), without cancellation.
fn ln_sigmoid<T: Real>(x: T) -> T {
    let (low, size) = if x > T::ZERO { (T::ZERO, x) } else { (x, -x) };
    low - (T::ONE + (-size).exp()).ln()
}

impl Problem {
    /// Numbers kept of one parent in one iteration.
    fn kept(&self) -> usize {
        2 * self.dims + SCALARS
    }

    fn statistics(&self) -> Extent {
        Extent::PerImage(self.positions * self.iterations * self.parents * self.kept())
    }

    /// μ and a of every parent.
    fn fits(&self) -> Extent {
        Extent::PerImage(self.positions * self.parents * (self.dims + 1))
    }

    fn activations(&self) -> Port {
        Port::read("activation", Extent::PerImage(self.positions * self.children)).holding(Content::NotNegative)
    }
}

/// A problem's parents in one iteration, as they are kept.
#[derive(Clone, Copy)]
struct Gaussians<'a, T> {
    problem: &'a Problem,
    kept: &'a [T],
}

impl<'a, T: Real> Gaussians<'a, T> {
    fn of(&self, parent: usize) -> (&'a [T], &'a [T], T, T) {
        let dims = self.problem.dims;
        let all = &self.kept[parent * self.problem.kept()..][..self.problem.kept()];
        (&all[..dims], &all[dims..2 * dims], all[2 * dims], all[2 * dims + 1])
    }

    /// The part of q that is the same for every child: ln a_j − Σ_d ½ ln 2πσ².
    fn bases(&self) -> Vec<T> {
        let tau = T::of(std::f64::consts::TAU);
        let of_parent = |parent| {
            let (_, variance, x, _) = self.of(parent);
            ln_sigmoid(x) - T::of(0.5) * variance.iter().map(|&v| (tau * floor(v)).ln()).sum::<T>()
        };
        (0..self.problem.parents).map(of_parent).collect()
    }

    /// One child's q.
    #[inline(always)]
    fn judge(&self, bases: &[T], vote: &[T], q: &mut [T]) {
        for (parent, (q, vote)) in q.iter_mut().zip(vote.chunks_exact(self.problem.dims)).enumerate() {
            let (mean, variance, ..) = self.of(parent);
            let mut distance = T::ZERO;
            for ((&x, &m), &v) in vote.iter().zip(mean).zip(variance) {
                distance += (x - m) * (x - m) / (floor(v) + floor(v));
            }
            *q = bases[parent] - distance;
        }
    }
}

/// `routing_forward_em`: votes [B, P, I, J, D], activation [B, P, I], beta [2, J], which is β_u and β_a → statistics
/// [B, P, R, J, 2D + 2], fit [B, P, J, D + 1], which is μ and a, and entropy [B], the mean over children of −Σ_j R ln R in
/// the last iteration, in nats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forward(pub Problem);

impl Operation for Forward {
    fn name(&self) -> &'static str {
        "routing_forward_em"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("votes", self.0.votes()),
            self.0.activations(),
            Port::read("beta", Extent::Fixed(2 * self.0.parents)),
            Port::write("statistics", self.0.statistics()),
            Port::write("fit", self.0.fits()),
            Port::write("entropy", Extent::PerImage(1)),
        ]
    }

    fn most_iterations(&self) -> Option<usize> {
        Some(self.0.iterations)
    }

    fn kernel(&self) -> Kernel {
        let (pose, parents, lanes) = (self.0.pose(), self.0.parents, self.0.lanes());
        let chunk = self.0.chunk(2 * pose + 2 * parents + lanes + 16, parents);
        let shares = [pose, pose, parents, parents, chunk * parents, lanes];
        self.0.poses_kernel(self.name(), Extent::PerImage(1)).consts([("CHUNK", chunk)]).shares(shares)
    }

    fn flops(&self, live: usize) -> u64 {
        (5 * self.0.iterations as u64 - 2) * self.0.pass(live)
    }

    twins!();
}

impl Forward {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (problem, live, iterations) = (self.0, call.live(), call.run.iterations as usize);
        let ([votes, activation, beta], [statistics, fit, entropy]) = call.split();
        let (votes_each, kept, fit_each) =
            (problem.vote_elements(), problem.parents * problem.kept(), problem.parents * (problem.dims + 1));
        let each = problem.positions * problem.iterations * kept;
        let mut outputs: Vec<_> =
            fit.chunks_exact_mut(problem.positions * fit_each).zip(entropy.iter_mut()).take(live).collect();
        for_each_pair((&mut statistics[..live * each], each), (&mut outputs, 1), |image, statistics, outputs| {
            let (fit, entropy) = &mut outputs[0];
            let mut sum = T::ZERO;
            for position in 0..problem.positions {
                let index = image * problem.positions + position;
                let votes = &votes[index * votes_each..][..votes_each];
                let activation = &activation[index * problem.children..][..problem.children];
                let statistics = &mut statistics[position * problem.iterations * kept..][..iterations * kept];
                sum += vectorised(forward, (&problem, votes, activation, beta, statistics));
                let last = Gaussians { problem: &problem, kept: &statistics[(iterations - 1) * kept..] };
                for (parent, fit) in
                    fit[position * fit_each..][..fit_each].chunks_exact_mut(problem.dims + 1).enumerate()
                {
                    let (mean, _, x, _) = last.of(parent);
                    fit[..problem.dims].copy_from_slice(mean);
                    fit[problem.dims] = sigmoid(x);
                }
            }
            **entropy = sum / T::of(problem.positions as f64);
        });
    }
}

/// One problem; returns the entropy.
#[inline(always)]
fn forward<T: Real>((problem, votes, activation, beta, statistics): (&Problem, &[T], &[T], &[T], &mut [T])) -> T {
    let (pose, dims, parents) = (problem.pose(), problem.dims, problem.parents);
    let kept = parents * problem.kept();
    let last = statistics.len() / kept - 1;
    // ρ_ij.
    let mut shares = vec![T::ZERO; problem.children * parents];
    let mut entropy = T::ZERO;
    for t in 0..=last {
        let (before, now) = statistics.split_at_mut(t * kept);
        let before = before.len().checked_sub(kept).map(|start| Gaussians { problem, kept: &before[start..] });
        let bases = before.map(|gaussians| gaussians.bases());
        for ((vote, share), &a) in votes.chunks_exact(pose).zip(shares.chunks_exact_mut(parents)).zip(activation) {
            match (&before, &bases) {
                (Some(before), Some(bases)) => {
                    before.judge(bases, vote, share);
                    softmax_in_place(share);
                }
                _ => share.fill(T::ONE / T::of(parents as f64)),
            }
            if t == last {
                entropy += entropy_of(share);
            }
            share.iter_mut().for_each(|share| *share *= a);
        }
        let now = &mut now[..kept];
        now.fill(T::ZERO);
        for parent in 0..parents {
            let mass = shares.iter().skip(parent).step_by(parents).copied().sum::<T>();
            let inverse = if mass > T::ZERO { T::ONE / mass } else { T::ZERO };
            let (mean, rest) = now[parent * problem.kept()..][..problem.kept()].split_at_mut(dims);
            let (variance, scalars) = rest.split_at_mut(dims);
            let of_parent = || {
                let votes = votes.chunks_exact(pose).map(move |vote| &vote[parent * dims..][..dims]);
                votes.zip(shares.iter().skip(parent).step_by(parents))
            };
            for (vote, &share) in of_parent() {
                mean.iter_mut().zip(vote).for_each(|(m, &x)| *m += share * inverse * x);
            }
            for (vote, &share) in of_parent() {
                for ((v, &x), &m) in variance.iter_mut().zip(vote).zip(mean.iter()) {
                    *v += share * inverse * (x - m) * (x - m);
                }
            }
            variance.iter_mut().for_each(|v| *v += T::of(LEAST_VARIANCE));
            scalars[0] = inverse_temperature::<T>(t) * (beta[parents + parent] - mass * cost(beta[parent], variance));
            scalars[1] = mass;
        }
    }
    entropy / T::of(problem.children as f64)
}

/// Σ_d (β_u + ½ ln σ²_d).
fn cost<T: Real>(beta: T, variance: &[T]) -> T {
    T::of(variance.len() as f64) * beta + T::of(0.5) * variance.iter().map(|&v| floor(v).ln()).sum::<T>()
}

/// `routing_trace_em`: votes, statistics → q as logits (0 in the first iteration), R as coupling [B, P, R, I, J] and
/// v = a μ/(‖μ‖ + 1e-6) [B, P, R, J, D]; iterations that the run did not do are left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace(pub Problem);

impl Operation for Trace {
    fn name(&self) -> &'static str {
        "routing_trace_em"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("votes", self.0.votes()),
            Port::read("statistics", self.0.statistics()),
            Port::update("logits", self.0.couplings()),
            Port::update("coupling", self.0.couplings()),
            Port::update("vs", self.0.history()),
        ]
    }

    fn most_iterations(&self) -> Option<usize> {
        Some(self.0.iterations)
    }

    fn kernel(&self) -> Kernel {
        self.0.poses_kernel(self.name(), Extent::PerImage(self.0.positions)).shares([self.0.parents])
    }

    fn flops(&self, live: usize) -> u64 {
        (2 * self.0.iterations as u64 - 2) * self.0.pass(live)
    }

    twins!();
}

impl Trace {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (problem, count, iterations) = (self.0, call.live() * self.0.positions, call.run.iterations as usize);
        let ([votes, statistics], [logits, coupling, vs]) = call.split();
        let (pose, pairs, dims) = (problem.pose(), problem.children * problem.parents, problem.dims);
        let kept = problem.parents * problem.kept();
        let gaussians = |at: usize| Gaussians { problem: &self.0, kept: &statistics[at * kept..][..kept] };
        for index in 0..count {
            let votes = &votes[index * problem.vote_elements()..][..problem.vote_elements()];
            for t in 0..iterations {
                let at = index * problem.iterations + t;
                let (logits, coupling) = (&mut logits[at * pairs..][..pairs], &mut coupling[at * pairs..][..pairs]);
                let before = (t > 0).then(|| gaussians(at - 1)).map(|gaussians| (gaussians, gaussians.bases()));
                for_each_pair((logits, problem.parents), (coupling, problem.parents), |child, q, r| {
                    match &before {
                        Some((gaussians, bases)) => gaussians.judge(bases, &votes[child * pose..][..pose], q),
                        None => q.fill(T::ZERO),
                    }
                    r.copy_from_slice(q);
                    softmax_in_place(r);
                });
                for (parent, v) in vs[at * pose..][..pose].chunks_exact_mut(dims).enumerate() {
                    let (mean, _, x, _) = gaussians(at).of(parent);
                    let factor = sigmoid(x) / (norm(mean) + T::of(LEAST_LENGTH));
                    v.iter_mut().zip(mean).for_each(|(v, &m)| *v = factor * m);
                }
            }
        }
    }
}

/// `routing_backward_em`: votes, activation, beta, statistics, gfit [B, P, J, D + 1] → gvotes [B, P, I, J, D],
/// gactivation [B, P, I] and each image's part of the gradient of beta [B, 2, J], through all iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backward(pub Problem);

impl Operation for Backward {
    fn name(&self) -> &'static str {
        "routing_backward_em"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("votes", self.0.votes()),
            self.0.activations(),
            Port::read("beta", Extent::Fixed(2 * self.0.parents)),
            Port::read("statistics", self.0.statistics()).holding(Content::NotNegative),
            Port::read("gfit", self.0.fits()),
            Port::write("gvotes", self.0.votes()),
            Port::write("gactivation", Extent::PerImage(self.0.positions * self.0.children)),
            Port::write("gbeta", Extent::PerImage(2 * self.0.parents)),
        ]
    }

    fn most_iterations(&self) -> Option<usize> {
        Some(self.0.iterations)
    }

    fn kernel(&self) -> Kernel {
        let (pose, parents) = (self.0.pose(), self.0.parents);
        let chunk = self.0.chunk(2 * pose + 3 * parents + 24, 2 * parents);
        self.0
            .poses_kernel(self.name(), Extent::PerImage(1))
            .consts([("CHUNK", chunk), ("SHARED", parents.div_ceil(self.0.lanes()))])
            .shares([pose, pose, parents, parents, parents, chunk * parents, chunk * parents])
    }

    fn flops(&self, live: usize) -> u64 {
        (8 * self.0.iterations as u64 - 4) * self.0.pass(live)
    }

    twins!();
}

impl Backward {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (problem, live, iterations) = (self.0, call.live(), call.run.iterations as usize);
        let ([votes, activation, beta, statistics, gfit], [gvotes, gactivation, gbeta]) = call.split();
        let (votes_each, children) = (problem.vote_elements(), problem.children);
        let (kept, fit) = (problem.parents * problem.kept(), problem.parents * (problem.dims + 1));
        let mut small: Vec<_> = gactivation
            .chunks_exact_mut(problem.positions * children)
            .zip(gbeta.chunks_exact_mut(2 * problem.parents))
            .take(live)
            .collect();
        let each = problem.positions * votes_each;
        for_each_pair((&mut gvotes[..live * each], each), (&mut small, 1), |image, gvotes, small| {
            let (gactivation, gbeta) = &mut small[0];
            gbeta.fill(T::ZERO);
            for position in 0..problem.positions {
                let index = image * problem.positions + position;
                let past = Past {
                    problem: &problem,
                    votes: &votes[index * votes_each..][..votes_each],
                    activation: &activation[index * children..][..children],
                    beta,
                    statistics: &statistics[index * problem.iterations * kept..][..iterations * kept],
                };
                let gfit = &gfit[index * fit..][..fit];
                let gvotes = &mut gvotes[position * votes_each..][..votes_each];
                let gactivation = &mut gactivation[position * children..][..children];
                vectorised(backward, (&past, gfit, gvotes, gactivation, &mut **gbeta));
            }
        });
    }
}

/// What a problem's forward pass has left, the gradient that comes in, and the three to be written.
type Backwards<'a, T> = (&'a Past<'a, T>, &'a [T], &'a mut [T], &'a mut [T], &'a mut [T]);

#[inline(always)]
fn backward<T: Real>((past, gfit, gvotes, gactivation, gbeta): Backwards<'_, T>) {
    past.backward(gfit, gvotes, gactivation, gbeta);
}

/// What the forward pass of one problem has read and left.
struct Past<'a, T> {
    problem: &'a Problem,
    votes: &'a [T],
    activation: &'a [T],
    beta: &'a [T],
    statistics: &'a [T],
}

/// Gradients by an iteration's μ, σ² and x.
#[derive(Clone)]
struct Gradients<T> {
    mean: Vec<T>,
    variance: Vec<T>,
    x: Vec<T>,
}

impl<T: Real> Past<'_, T> {
    #[inline(always)]
    fn backward(&self, gfit: &[T], gvotes: &mut [T], gactivation: &mut [T], gbeta: &mut [T]) {
        let (problem, dims, parents) = (self.problem, self.problem.dims, self.problem.parents);
        let (pose, kept) = (problem.pose(), parents * problem.kept());
        let iterations = self.statistics.len() / kept;
        let zero = Gradients { mean: vec![T::ZERO; pose], variance: vec![T::ZERO; pose], x: vec![T::ZERO; parents] };
        let mut g = zero.clone();
        gvotes.fill(T::ZERO);
        gactivation.fill(T::ZERO);
        for t in (0..iterations).rev() {
            let now = Gaussians { problem, kept: &self.statistics[t * kept..][..kept] };
            if t + 1 == iterations {
                for (parent, gfit) in gfit.chunks_exact(dims + 1).enumerate() {
                    g.mean[parent * dims..][..dims].copy_from_slice(&gfit[..dims]);
                    let a = sigmoid(now.of(parent).2);
                    g.x[parent] = gfit[dims] * a * (T::ONE - a);
                }
            }
            let gmass = self.through_activation(t, &now, &mut g, gbeta);
            let before = (t > 0).then(|| Gaussians { problem, kept: &self.statistics[(t - 1) * kept..][..kept] });
            g = self.through_children(&now, before, &g, &gmass, gvotes, gactivation, zero.clone());
        }
    }

    /// From x to σ², the masses and beta; returns the gradient by the masses.
    fn through_activation(&self, t: usize, now: &Gaussians<'_, T>, g: &mut Gradients<T>, gbeta: &mut [T]) -> Vec<T> {
        let (dims, parents) = (self.problem.dims, self.problem.parents);
        let lambda = inverse_temperature::<T>(t);
        let of_parent = |parent: usize| {
            let (_, variance, _, mass) = now.of(parent);
            let gx = lambda * g.x[parent];
            gbeta[parents + parent] += gx;
            gbeta[parent] += -gx * mass * T::of(dims as f64);
            for (g, &v) in g.variance[parent * dims..][..dims].iter_mut().zip(variance) {
                *g += -gx * (mass / (floor(v) + floor(v)));
            }
            -gx * cost(self.beta[parent], variance)
        };
        (0..parents).map(of_parent).collect()
    }

    /// From μ, σ² and the masses to votes, activations and the parents of the iteration before.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "three gradients in and three out")]
    fn through_children(
        &self,
        now: &Gaussians<'_, T>,
        before: Option<Gaussians<'_, T>>,
        g: &Gradients<T>,
        gmass: &[T],
        gvotes: &mut [T],
        gactivation: &mut [T],
        mut gbefore: Gradients<T>,
    ) -> Gradients<T> {
        let (dims, parents, pose) = (self.problem.dims, self.problem.parents, self.problem.pose());
        let bases = before.map(|gaussians| gaussians.bases());
        let mut r = vec![T::ONE / T::of(parents as f64); parents];
        let mut gr = vec![T::ZERO; parents];
        let children = self.votes.chunks_exact(pose).zip(gvotes.chunks_exact_mut(pose));
        for ((vote, gvote), (&a, ga)) in children.zip(self.activation.iter().zip(gactivation)) {
            if let (Some(before), Some(bases)) = (&before, &bases) {
                before.judge(bases, vote, &mut r);
                softmax_in_place(&mut r);
            }
            for j in 0..parents {
                let (mean, variance, _, mass) = now.of(j);
                let inverse = if mass > T::ZERO { T::ONE / mass } else { T::ZERO };
                let share = r[j] * a * inverse;
                let mut gshare = gmass[j];
                for d in 0..dims {
                    let (e, away) = (j * dims + d, vote[j * dims + d] - mean[d]);
                    gvote[e] += share * (g.mean[e] + (away + away) * g.variance[e]);
                    let spread = away * away - (variance[d] - T::of(LEAST_VARIANCE));
                    gshare += (away * inverse) * g.mean[e] + (spread * inverse) * g.variance[e];
                }
                gr[j] = gshare * a;
                *ga += gshare * r[j];
            }
            let Some(before) = &before else { continue };
            let shift = dot(&r, &gr);
            for j in 0..parents {
                let (mean, variance, x, _) = before.of(j);
                let gq = r[j] * (gr[j] - shift);
                gbefore.x[j] += gq * sigmoid(-x);
                for d in 0..dims {
                    let (e, away) = (j * dims + d, vote[j * dims + d] - mean[d]);
                    let half = T::ONE / (floor(variance[d]) + floor(variance[d]));
                    let pull = gq * (away + away) * half;
                    gvote[e] += -pull;
                    gbefore.mean[e] += pull;
                    gbefore.variance[e] += gq * half * ((away + away) * away * half - T::ONE);
                }
            }
        }
        gbefore
    }
}
