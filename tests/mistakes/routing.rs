//! Faults of routing, against a routing written here once more, plainly, with a switch for each fault.

use crate::twins::{Subject, call, difference, normals, test_images};
use capscope::capsnet::{Preset, Purpose};
use capscope::data::{Random, Stream};
use capscope::plan::{Chosen, Run};
use capscope::routing::dynamic::{Forward, Trace};
use capscope::routing::{Coefficients, Problem};
use capscope::train::initial_parameters;

const SIZES: Problem =
    Problem { positions: 1, children: 20, parents: 5, dims: 4, iterations: 3, coefficients: Coefficients::Softmax };
const IMAGES: usize = 7;
const VOTE: usize = SIZES.parents * SIZES.dims;
const EACH: usize = SIZES.children * VOTE;
const PAIRS: usize = SIZES.children * SIZES.parents;

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    OverChildren,
    SharedLogits,
    OneMore,
}

fn votes() -> Vec<f64> {
    normals(&mut Random::new(9, Stream::Pairs), IMAGES * EACH)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// v and the last coefficients of a batch; `logits` are those that it starts from, and is left with.
fn plain(votes: &[f64], r: usize, fault: Fault, logits: &mut [f64]) -> (Vec<f64>, Vec<f64>) {
    let r = if fault == Fault::OneMore { r + 1 } else { r };
    let images = votes.len() / EACH;
    let (mut v, mut c) = (vec![0.0; images * VOTE], vec![0.0; images * PAIRS]);
    for t in 0..r {
        v.fill(0.0);
        for image in 0..images {
            let vote = |i: usize, j: usize| &votes[image * EACH + i * VOTE + j * SIZES.dims..][..SIZES.dims];
            let b = &logits[image * PAIRS..][..PAIRS];
            for k in 0..PAIRS {
                let (i, j) = (k / SIZES.parents, k % SIZES.parents);
                let sum: f64 = match fault {
                    Fault::OverChildren => (0..SIZES.children).map(|i| b[i * SIZES.parents + j].exp()).sum(),
                    _ => (0..SIZES.parents).map(|j| b[i * SIZES.parents + j].exp()).sum(),
                };
                c[image * PAIRS + k] = b[k].exp() / sum;
                for (d, x) in vote(i, j).iter().enumerate() {
                    v[image * VOTE + j * SIZES.dims + d] += c[image * PAIRS + k] * x;
                }
            }
        }
        for s in v.chunks_exact_mut(SIZES.dims) {
            let square = dot(s, s);
            s.iter_mut().for_each(|x| *x *= square.sqrt() / (1.0 + square));
        }
        if t + 1 == r {
            break;
        }
        for (k, logit) in logits.iter_mut().enumerate() {
            let (i, j) = (k / SIZES.parents, k % SIZES.parents);
            *logit += dot(&votes[i * VOTE + j * SIZES.dims..][..SIZES.dims], pose(&v, k / PAIRS, j));
        }
        if fault == Fault::SharedLogits {
            for k in 0..PAIRS {
                let mean = (0..images).map(|image| logits[image * PAIRS + k]).sum::<f64>() / images as f64;
                (0..images).for_each(|image| logits[image * PAIRS + k] = mean);
            }
        }
    }
    (v, c)
}

/// Parent `j` of an image.
fn pose(v: &[f64], image: usize, j: usize) -> &[f64] {
    &v[image * VOTE + j * SIZES.dims..][..SIZES.dims]
}

fn faulty(votes: &[f64], r: usize, fault: Fault) -> (Vec<f64>, Vec<f64>) {
    plain(votes, r, fault, &mut vec![0.0; votes.len() / EACH * PAIRS])
}

/// The same by this program: v and the last coefficients.
fn real(votes: &[f64], r: usize) -> (Vec<f64>, Vec<f64>) {
    let problem = Problem { iterations: r, ..SIZES };
    let run = Run::new(votes.len() / EACH, r, Chosen::Label);
    let forward = call::<f64>(Forward(problem), &run, &[votes, &[0.0; VOTE]]);
    let traced = call::<f64>(Trace(problem), &run, &[votes, &forward[0]]);
    let last = traced[1].chunks_exact(r * PAIRS).flat_map(|c| c[(r - 1) * PAIRS..].to_vec());
    (forward[1].clone(), last.collect())
}

#[test]
fn softmax_is_over_the_parents() {
    let sums = |c: &[f64]| c.chunks_exact(SIZES.parents).map(|row| row.iter().sum()).collect::<Vec<f64>>();
    let ones = vec![1.0; IMAGES * SIZES.children];
    let off = |c: &[f64]| difference(&sums(c), &ones);
    let (right, wrong) = (real(&votes(), 3).1, faulty(&votes(), 3, Fault::OverChildren).1);
    println!("Σ_j c is off by {:.1e}; over the children by {:.2}", off(&right), off(&wrong));
    assert!(off(&right) < 1e-12 && off(&wrong) > 0.5);

    // On a network: r = 1 gives every parent a tenth, not every child its share of all.
    let config = Preset::Tiny.config();
    let mut subject = Subject::<f32>::new(&config, Purpose::Trace, 1, &initial_parameters(&config, 1));
    let (pixels, labels) = test_images(1);
    subject.feed((&pixels, &labels));
    subject.forward(1, 1, Chosen::Longest);
    let children = config.primary_capsules();
    let first = &subject.tensor("digit coupling", 1)[..children * 10];
    assert!(difference(first, &vec![0.1; children * 10]) < 1e-7);
    assert!((1.0 / children as f64 - 0.1).abs() > 1e-7, "the fault's value");
}

#[test]
fn no_logits_are_shared_in_a_batch() {
    let votes = votes();
    let dependence = |route: &dyn Fn(&[f64]) -> Vec<f64>| {
        let all = route(&votes);
        let alone: Vec<f64> = votes.chunks_exact(EACH).flat_map(route).collect();
        difference(&all, &alone)
    };
    let right = dependence(&|votes| real(votes, 3).0);
    let wrong = dependence(&|votes| faulty(votes, 3, Fault::SharedLogits).0);
    println!("an image alone and among {IMAGES}: {right:.1e}; with averaged logits {wrong:.2}");
    assert!(right <= 1e-6 && wrong > 1e-2);
}

#[test]
fn r_iterations_are_r_softmaxes() {
    let votes = &votes()[..EACH];
    for r in 1..=5 {
        let (right, wrong) = (faulty(votes, r, Fault::None), faulty(votes, r, Fault::OneMore));
        let got = real(votes, r);
        let off = difference(&got.0, &right.0).max(difference(&got.1, &right.1));
        println!("r = {r}: off by {off:.1e}; one iteration more by {:.1e}", difference(&wrong.0, &right.0));
        assert!(off < 1e-12 && difference(&wrong.0, &right.0) > 1e-4);
    }
}

#[test]
fn every_pass_starts_from_zero() {
    let votes = &votes()[..EACH];
    let (first, second) = (real(votes, 3), real(votes, 3));
    assert_eq!(first, second);
    let mut kept = vec![0.0; PAIRS];
    let once = plain(votes, 3, Fault::None, &mut kept).0;
    let again = plain(votes, 3, Fault::None, &mut kept).0;
    println!("two calls: the same bits; with kept logits {:.2} apart", difference(&once, &again));
    assert!(difference(&first.0, &once) < 1e-12 && difference(&once, &again) > 1e-2);

    // The same of a plan, whose buffers stay from run to run.
    let config = Preset::Tiny.config();
    let mut subject = Subject::<f32>::new(&config, Purpose::Train, 3, &initial_parameters(&config, 1));
    let (pixels, labels) = test_images(3);
    subject.feed((&pixels, &labels));
    let mut read = || {
        subject.forward(3, 3, Chosen::Label);
        subject.tensor("digit v", 3)
    };
    assert_eq!(read(), read());
}

#[test]
fn evaluation_routes_like_training() {
    let config = Preset::Tiny.config();
    let (pixels, labels) = test_images(5);
    let v = |purpose: Purpose, iterations: usize| {
        let mut subject = Subject::<f32>::new(&config, purpose, 5, &initial_parameters(&config, 1));
        subject.feed((&pixels, &labels));
        subject.forward(5, iterations, Chosen::Longest);
        subject.tensor("digit v", 5)
    };
    let right = v(Purpose::Train, 3);
    for purpose in [Purpose::Evaluate, Purpose::Trace, Purpose::TrainTraced] {
        assert_eq!(v(purpose, 3), right, "{purpose:?}");
    }
    let unrouted = difference(&v(Purpose::Evaluate, 1), &right);
    println!("evaluated as trained: the same bits; without routing {unrouted:.1e} apart");
    assert!(unrouted > 1e-5);
}
