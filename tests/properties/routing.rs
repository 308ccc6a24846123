//! Dynamic routing as a function of votes.

use crate::twins::{call, difference, norm, normals};
use capscope::data::{Random, Stream};
use capscope::exec::cpu::Precision;
use capscope::ops::votes::{self, Projection};
use capscope::plan::{Chosen, Run};
use capscope::routing::dynamic::{Backward, Forward, Trace};
use capscope::routing::{Coefficients, Gradient, Problem};
use proptest::prelude::*;

/// One image's votes, with a bias.
#[derive(Clone, Debug)]
struct Case {
    problem: Problem,
    votes: Vec<f64>,
    bias: Vec<f64>,
}

/// What routing makes of a case: every iteration's s, coefficients and v, and the last iteration's v and entropy.
struct Routed {
    s: Vec<f64>,
    coupling: Vec<f64>,
    v: Vec<f64>,
    entropy: f64,
}

impl Case {
    fn random(children: usize, parents: usize, dims: usize, iterations: usize, seed: u64) -> Self {
        let mut random = Random::new(seed, Stream::Pairs);
        let problem =
            Problem { positions: 1, children, parents, dims, iterations, coefficients: Coefficients::Softmax };
        let mut scaled = |count: usize| normals(&mut random, count).into_iter().map(|x| 0.5 * x).collect();
        Case { problem, votes: scaled(children * parents * dims), bias: scaled(parents * dims) }
    }

    fn without_bias(self) -> Self {
        Case { bias: vec![0.0; self.bias.len()], ..self }
    }

    fn run(&self) -> Run {
        Run::new(1, self.problem.iterations, Chosen::Label)
    }

    fn route<T: Precision>(&self) -> Routed {
        let forward = call::<T>(Forward(self.problem), &self.run(), &[&self.votes, &self.bias]);
        let traced = call::<T>(Trace(self.problem), &self.run(), &[&self.votes, &forward[0]]);
        Routed { s: forward[0].clone(), v: forward[1].clone(), entropy: forward[2][0], coupling: traced[1].clone() }
    }

    /// Gradients of votes and bias for gv = the votes of the first child.
    fn backward<T: Precision>(&self, gradient: Gradient) -> Vec<Vec<f64>> {
        let history = self.route::<T>().s;
        let gv = &self.votes[..self.bias.len()];
        call::<T>(Backward { problem: self.problem, gradient }, &self.run(), &[&self.votes, &history, gv])
    }

    /// The same with every vector x replaced by `change(x)`.
    fn map(&self, change: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        let all = |values: &[f64]| values.chunks_exact(self.problem.dims).flat_map(&change).collect();
        Case { votes: all(&self.votes), bias: all(&self.bias), ..*self }
    }
}

fn any_case() -> impl Strategy<Value = Case> {
    (1..=40_usize, 2..=10_usize, 1..=16_usize, 1..=10_usize, any::<u64>())
        .prop_map(|(children, parents, dims, iterations, seed)| Case::random(children, parents, dims, iterations, seed))
}

/// A permutation of `count` things.
fn permutation(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    Random::new(seed, Stream::Shuffle).shuffle(&mut order);
    order
}

/// Blocks of `width` in a new order.
fn reorder(values: &[f64], width: usize, order: &[usize]) -> Vec<f64> {
    order.iter().flat_map(|&k| values[k * width..][..width].to_vec()).collect()
}

/// x with its parts along each of two random directions turned round: an orthogonal map.
fn rotate(x: &[f64], seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed, Stream::Shuffle);
    let mut x = x.to_vec();
    for _ in 0..2 {
        let direction = normals(&mut random, x.len());
        let along = 2.0 * direction.iter().zip(&x).map(|(d, x)| d * x).sum::<f64>() / norm(&direction).powi(2);
        x.iter_mut().zip(&direction).for_each(|(x, d)| *x -= along * d);
    }
    x
}

/// Rounding, after ten iterations that feed on it.
const ROUNDING: f64 = 1e-9;

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn coefficients_are_shares_and_lengths_stay_below_one(case in any_case()) {
        let routed = case.route::<f64>();
        let parents = case.problem.parents;
        for row in routed.coupling.chunks_exact(parents) {
            prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12 && row.iter().all(|&c| c >= 0.0));
        }
        let first = &routed.coupling[..case.problem.children * parents];
        prop_assert!(first.iter().all(|&c| (c - 1.0 / parents as f64).abs() < 1e-15), "iteration 1 is uniform");
        for v in routed.v.chunks_exact(case.problem.dims) {
            prop_assert!(norm(v) < 1.0);
        }
        let last = &routed.coupling[(case.problem.iterations - 1) * first.len()..];
        let entropy: f64 = last.iter().map(|&c| if c > 0.0 { -c * c.ln() } else { 0.0 }).sum();
        prop_assert!((routed.entropy - entropy / case.problem.children as f64).abs() < 1e-12);
        prop_assert!(routed.entropy <= (parents as f64).ln() + 1e-12);
    }

    #[test]
    fn the_contributions_of_a_trace_sum_to_the_length(case in any_case()) {
        let Routed { s, coupling, .. } = case.route::<f64>();
        let Problem { children, parents, dims, iterations, .. } = case.problem;
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for t in 0..iterations {
            for j in 0..parents {
                let s = &s[(t * parents + j) * dims..][..dims];
                let n = norm(s);
                let unit: Vec<f64> = s.iter().map(|s| s / n).collect();
                let of_child = |i: usize| {
                    let c = coupling[(t * children + i) * parents + j];
                    c * dot(&case.votes[(i * parents + j) * dims..][..dims], &unit)
                };
                let sum = (0..children).map(of_child).sum::<f64>() + dot(&case.bias[j * dims..][..dims], &unit);
                prop_assert!((sum - n).abs() < 1e-12 * (1.0 + n), "iteration {t}, parent {j}: {sum} for {n}");
            }
        }
    }

    #[test]
    fn children_may_come_in_any_order_with_their_matrices(case in any_case(), seed in any::<u64>()) {
        let Problem { children, parents, dims, .. } = case.problem;
        let projection = Projection { children, parents, dims_in: 3, dims_out: dims };
        let mut random = Random::new(seed, Stream::Pairs);
        let (u, w) = (normals(&mut random, children * 3), normals(&mut random, children * parents * dims * 3));
        let route = |u: &[f64], w: &[f64]| {
            let votes = call::<f64>(votes::Forward(projection), &case.run(), &[u, w]).remove(0);
            Case { votes, ..case.clone() }.map(|x| x.iter().map(|x| 0.2 * x).collect()).route::<f64>()
        };
        let order = permutation(children, seed);
        let (plain, moved) = (route(&u, &w), route(&reorder(&u, 3, &order), &reorder(&w, parents * dims * 3, &order)));
        prop_assert!(difference(&plain.v, &moved.v) < ROUNDING);
        let first = &moved.coupling[moved.coupling.len() - children * parents..];
        let last = &plain.coupling[plain.coupling.len() - children * parents..];
        prop_assert!(difference(first, &reorder(last, parents, &order)) < ROUNDING, "coefficients move along");
    }

    #[test]
    fn permuted_parents_permute_v(case in any_case(), seed in any::<u64>()) {
        let Problem { parents, dims, .. } = case.problem;
        let order = permutation(parents, seed);
        let votes = case.votes.chunks_exact(parents * dims).flat_map(|vote| reorder(vote, dims, &order)).collect();
        let moved = Case { votes, bias: reorder(&case.bias, dims, &order), ..case };
        prop_assert!(difference(&moved.route::<f64>().v, &reorder(&case.route::<f64>().v, dims, &order)) < ROUNDING);
    }

    #[test]
    fn negated_votes_negate_v_to_the_bit(case in any_case()) {
        let case = case.without_bias();
        let (plain, negated) = (case.route::<f32>(), case.map(|x| x.iter().map(|x| -x).collect()).route::<f32>());
        prop_assert!(plain.v.iter().zip(&negated.v).all(|(a, b)| *a == -b));
        prop_assert_eq!(plain.coupling, negated.coupling);
    }

    #[test]
    fn rotated_votes_rotate_v(case in any_case(), seed in any::<u64>()) {
        // With a bias, too, if it is rotated along.
        for case in [case.clone().without_bias(), case] {
            let rotated = case.map(|x| rotate(x, seed)).route::<f64>();
            let plain = case.route::<f64>();
            let expected: Vec<f64> = plain.v.chunks_exact(case.problem.dims).flat_map(|v| rotate(v, seed)).collect();
            prop_assert!(difference(&rotated.v, &expected) < ROUNDING);
            prop_assert!(difference(&rotated.coupling, &plain.coupling) < ROUNDING);
        }
    }

    #[test]
    fn nothing_is_kept_from_call_to_call(case in any_case(), other in any_case()) {
        let before = case.route::<f32>();
        let gradients = case.backward::<f32>(Gradient::Full);
        other.route::<f32>();
        other.backward::<f32>(Gradient::Full);
        let after = case.route::<f32>();
        prop_assert!(before.s == after.s && before.v == after.v && before.coupling == after.coupling);
        prop_assert_eq!(gradients, case.backward::<f32>(Gradient::Full));
    }

    /// From nothing to the largest votes whose squares single precision holds.
    #[test]
    fn tiny_and_huge_votes_give_numbers(case in any_case()) {
        for size in [0.0, 1e-38, 1e-30, 1e-22, 1e-15, 1e-7, 1e4, 1e8, 1e15, 1e17] {
            let scaled = case.map(|x| x.iter().map(|x| size * x).collect());
            let routed = scaled.route::<f32>();
            let all = [&routed.s, &routed.v, &routed.coupling].into_iter().flatten();
            prop_assert!(all.chain([&routed.entropy]).all(|x| x.is_finite()), "votes × {size:e}");
            for gradient in [Gradient::Full, Gradient::Detached] {
                let gradients = scaled.backward::<f32>(gradient);
                prop_assert!(gradients.iter().flatten().all(|x| x.is_finite()), "gradient of votes × {size:e}");
            }
        }
    }
}

#[test]
fn the_worked_example_of_the_authors_test() {
    let votes: Vec<f64> = (0..8).map(f64::from).collect();
    let expected = [
        [0.5150788, 0.7726181, 0.6098214, 0.7622767],
        [0.0531787, 0.0847813, 0.6208439, 0.7753736],
        [1e-7, 4.2e-6, 0.6209423, 0.7761009],
    ];
    for (iterations, expected) in (1..).zip(expected) {
        let problem =
            Problem { positions: 1, children: 2, parents: 2, dims: 2, iterations, coefficients: Coefficients::Softmax };
        let routed = Case { problem, votes: votes.clone(), bias: vec![0.0; 4] }.route::<f32>();
        let worst = difference(&routed.v, &expected);
        println!("r = {iterations}: {:?}, off by {worst:.1e}", routed.v);
        assert!(worst < 1e-6);
    }
}

/// Children that agree about one parent and about nothing else: each iteration gives that parent more.
#[test]
fn more_iterations_polarise() {
    let (children, parents, dims) = (60, 10, 16);
    let mut case = Case::random(children, parents, dims, 10, 5).without_bias();
    let agreed = case.votes[..dims].to_vec();
    for vote in case.votes.chunks_exact_mut(parents * dims) {
        vote[..dims].iter_mut().zip(&agreed).for_each(|(x, a)| *x = 0.5 * a + 0.1 * *x);
    }
    let mut last = (f64::INFINITY, 0.0, 0.0);
    for iterations in 1..=10 {
        case.problem.iterations = iterations;
        let routed = case.route::<f64>();
        let of_last = &routed.coupling[(iterations - 1) * children * parents..];
        let share = of_last.chunks_exact(parents).map(|c| c[0]).sum::<f64>() / children as f64;
        let length = norm(&routed.v[..dims]);
        println!(
            "r = {iterations}: entropy {:.4}, share of the parent {share:.4}, its length {length:.4}",
            routed.entropy
        );
        assert!(routed.entropy < last.0 && share > last.1 && length > last.2);
        last = (routed.entropy, share, length);
    }
    assert!(last.0 < 0.25 * 10.0_f64.ln() && last.1 > 0.4, "ten iterations give the agreed parent the most");
}
