//! Single formulas against the reference vectors in golden/unit.json (float64, an independent implementation), through
//! the operations' twins in both precisions. The vectors' `wrong` values are what faulty code gives: each is computed
//! here and must be one that the check refuses.

mod twins;

use capscope::capsnet::AdamSettings;
use capscope::exec::cpu::Precision;
use capscope::ops::adam::Adam;
use capscope::ops::conv::{self, Convolution};
use capscope::ops::dense::{self, Activation, Dense};
use capscope::ops::lengths::Lengths;
use capscope::ops::margin_loss::MarginLoss;
use capscope::ops::reconstruction_loss::ReconstructionLoss;
use capscope::ops::squash::{self, Capsules};
use capscope::plan::{Chosen, Run};
use capscope::routing::{Coefficients, Gradient, Problem, dynamic, em, self_attention};
use serde_json::Value;
use std::sync::Arc;
use twins::{call, call_on, difference};

/// The most that a result may differ from its vector: rounding of the precision, in units of numbers near 1.
#[derive(Clone, Copy)]
struct Limits {
    /// Where nothing but arithmetic rounds.
    arithmetic: f64,
    /// Where settings (margins, weights, β) are stored in single precision.
    settings: f64,
}

const DOUBLE: Limits = Limits { arithmetic: 1e-12, settings: 1e-7 };
const SINGLE: Limits = Limits { arithmetic: 2e-6, settings: 2e-6 };

type Check = fn(&Value, Limits);

/// A key of the file with its check in both precisions.
macro_rules! checks {
    ($($name:ident),*) => { [$((stringify!($name), $name::<f64> as Check, $name::<f32> as Check)),*] };
}

const CHECKS: [(&str, Check, Check); 15] = checks![
    squash,
    capsule_index,
    primary_scale,
    softmax_axis,
    routing_polarises,
    dynamic_routing,
    leaky_softmax,
    leaky_routing,
    self_attention,
    em_routing,
    margin_loss,
    reconstruction_loss,
    decoder_mask,
    adam,
    learning_rate
];

#[test]
fn every_vector_is_met() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/unit.json");
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let vectors = file.as_object().expect("an object");
    for name in vectors.keys() {
        let known = CHECKS.iter().any(|(check, ..)| check == name);
        assert!(known, "unit.json has vectors of {name}, which nothing here checks");
    }
    for (name, double, single) in CHECKS {
        let vector = vectors.get(name).unwrap_or_else(|| panic!("unit.json has no {name}"));
        double(vector, DOUBLE);
        single(vector, SINGLE);
        println!("{name}: met in both precisions");
    }
}

/// All numbers of a nested list, in order.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap_or_else(|| panic!("{other} is not a number"))],
    }
}

fn number(value: &Value) -> f64 {
    numbers(value)[0]
}

fn cases(vector: &Value) -> &[Value] {
    vector["cases"].as_array().expect("cases")
}

#[track_caller]
fn near(what: &str, got: &[f64], want: &[f64], limit: f64) {
    let worst = difference(got, want);
    assert!(worst <= limit, "{what}: {got:?} instead of {want:?}, {worst:.1e} > {limit:.1e}");
}

/// A fault's value, as the vectors state it, is refused by the check that the right value passes.
#[track_caller]
fn refused(what: &str, faulty: f64, stated: &Value, right: f64, limit: f64) {
    assert!((faulty - number(stated)).abs() <= 1e-6, "{what} gives {faulty}, the vectors say {stated}");
    assert!((faulty - right).abs() > 10.0 * limit, "{what} would not be noticed");
}

fn one() -> Run {
    Run::new(1, 1, Chosen::Label)
}

fn squash<T: Precision>(vector: &Value, limits: Limits) {
    for case in cases(vector) {
        let s = numbers(&case["s"]);
        let capsule = Capsules { types: 1, dims: s.len(), positions: 1 };
        let v = call::<T>(squash::Forward(capsule), &one(), &[&s]).remove(0);
        near("v", &v, &numbers(&case["v"]), limits.arithmetic);
        let gradient = call::<T>(squash::Backward(capsule), &one(), &[&numbers(&case["grad_v"]), &s]).remove(0);
        near("grad_s", &gradient, &numbers(&case["grad_s"]), limits.arithmetic);
    }
    let right = numbers(&cases(vector)[0]["v"]);
    let wrong = numbers(&vector["wrong"]["element-wise (axis of size 1) for [3,4]"]);
    let scalars = Capsules { types: 2, dims: 1, positions: 1 };
    near("element-wise", &call::<T>(squash::Forward(scalars), &one(), &[&[3.0, 4.0]])[0], &wrong, limits.arithmetic);
    assert!(difference(&wrong, &right) > 0.1);
}

fn capsule_index<T: Precision>(vector: &Value, limits: Limits) {
    let (types, dims, positions) = (2, 8, 6);
    let z: Vec<f64> = (0..types * dims * positions).map(|k| (k / positions + 100 * (k % positions)) as f64).collect();
    let capsules = Capsules { types, dims, positions };
    let u = call::<T>(squash::Forward(capsules), &one(), &[&z]).remove(0);
    let gu: Vec<f64> = (0..z.len()).map(|k| (k as f64 * 0.7).sin()).collect();
    let gz = call::<T>(squash::Backward(capsules), &one(), &[&gu, &z]).remove(0);
    for (index, row) in vector["capsules"].as_array().expect("rows").iter().enumerate() {
        let (row, at) = (numbers(row), index * dims..(index + 1) * dims);
        let alone = Capsules { types: 1, dims, positions: 1 };
        let squashed = call::<T>(squash::Forward(alone), &one(), &[&row]).remove(0);
        near("a capsule", &u[at.clone()], &squashed, limits.arithmetic);
        let gradient = call::<T>(squash::Backward(alone), &one(), &[&gu[at], &row]).remove(0);
        let back: Vec<f64> =
            (0..dims).map(|dim| gz[(index / positions * dims + dim) * positions + index % positions]).collect();
        near("a capsule's gradient", &back, &gradient, limits.arithmetic);
    }
}

fn primary_scale<T: Precision>(vector: &Value, limits: Limits) {
    let types = number(&vector["types"]);
    let sums = Convolution {
        channels_in: 1,
        height: 1,
        width: 1,
        channels_out: 2,
        kernel: 1,
        stride: 1,
        scale: (1.0 / types) as f32,
        relu: false,
    };
    let reads = [&[1.0][..], &numbers(&vector["conv"]), &numbers(&vector["bias"])];
    let z = call::<T>(conv::Forward(sums), &one(), &reads).remove(0);
    near("pre-activation", &z, &numbers(&vector["pre_activation"]), limits.arithmetic);
    let u = call::<T>(squash::Forward(Capsules { types: 1, dims: 2, positions: 1 }), &one(), &[&z]).remove(0);
    near("squashed", &u, &numbers(&vector["squashed"]), limits.arithmetic);
}

fn softmax_axis<T: Precision>(vector: &Value, limits: Limits) {
    // With s = 1, v = 1/2: votes of twice the logits have these logits in the second iteration.
    let problem =
        Problem { positions: 1, children: 2, parents: 3, dims: 1, iterations: 2, coefficients: Coefficients::Softmax };
    let logits = numbers(&vector["logits"]);
    let votes: Vec<f64> = logits.iter().map(|b| 2.0 * b).collect();
    let history = [1.0; 6];
    let traced = call::<T>(dynamic::Trace(problem), &Run::new(1, 2, Chosen::Label), &[&votes, &history]);
    near("logits", &traced[0][6..], &logits, limits.arithmetic);
    near("first coupling", &traced[1][..6], &[1.0 / 3.0; 6], limits.arithmetic);
    near("coupling", &traced[1][6..], &numbers(&vector["coupling"]), limits.arithmetic);
    let column = |j: usize| [0, 3].map(|row| logits[row + j].exp()).iter().sum::<f64>();
    let faulty: Vec<f64> = (0..6).map(|k| logits[k].exp() / column(k % 3)).collect();
    near("over the inputs", &faulty, &numbers(&vector["wrong"]["over the inputs i"]), limits.arithmetic);
    assert!(difference(&faulty, &traced[1][6..]) > 0.1);
}

/// History of s, v and entropy of one problem.
fn route<T: Precision>(problem: Problem, votes: &[f64], bias: &[f64]) -> [Vec<f64>; 3] {
    let run = Run::new(1, problem.iterations, Chosen::Label);
    call::<T>(dynamic::Forward(problem), &run, &[votes, bias]).try_into().expect("three outputs")
}

fn routing_polarises<T: Precision>(vector: &Value, limits: Limits) {
    for (iterations, v) in vector["v_by_iterations"].as_object().expect("by iterations") {
        let iterations = iterations.parse().expect("a count");
        let problem =
            Problem { positions: 1, children: 2, parents: 2, dims: 2, iterations, coefficients: Coefficients::Softmax };
        let [_, got, _] = route::<T>(problem, &numbers(&vector["votes"]), &numbers(&vector["bias"]));
        near(&format!("v after {iterations}"), &got, &numbers(v), limits.arithmetic);
    }
}

fn dynamic_routing<T: Precision>(vector: &Value, limits: Limits) {
    assert_eq!(cases(vector).len(), 8);
    for case in cases(vector) {
        routed::<T>(Coefficients::Softmax, vector, case, limits);
    }
}

fn leaky_routing<T: Precision>(vector: &Value, limits: Limits) {
    routed::<T>(Coefficients::Leaky, vector, vector, limits);
}

fn leaky_softmax<T: Precision>(vector: &Value, limits: Limits) {
    for case in cases(vector) {
        // As in `softmax_axis`.
        let logits = numbers(&case["logits"]);
        let (parents, coefficients) = (logits.len(), Coefficients::Leaky);
        let problem = Problem { positions: 1, children: 1, parents, dims: 1, iterations: 2, coefficients };
        let votes: Vec<f64> = logits.iter().map(|b| 2.0 * b).collect();
        let history = vec![1.0; 2 * parents];
        let traced = call::<T>(dynamic::Trace(problem), &Run::new(1, 2, Chosen::Label), &[&votes, &history]);
        near("leaky coupling", &traced[1][parents..], &numbers(&case["coupling"]), limits.arithmetic);
    }
}

/// Four children and three parents of two dimensions: everything that routing yields, forward and backward.
fn routed<T: Precision>(coefficients: Coefficients, shared: &Value, case: &Value, limits: Limits) {
    let (votes, gv) = (numbers(&shared["votes"]), numbers(&shared["grad_v"]));
    let iterations = number(&case["iterations"]) as usize;
    let problem = Problem { positions: 1, children: 4, parents: 3, dims: 2, iterations, coefficients };
    let run = Run::new(1, iterations, Chosen::Label);
    let check = |name: &str, got: &[f64]| {
        near(&format!("{name}, r = {iterations}"), got, &numbers(&case[name]), 10.0 * limits.arithmetic);
    };
    let [history, v, entropy] = route::<T>(problem, &votes, &numbers(&case["bias"]));
    check("s_per_iteration", &history);
    let traced = call::<T>(dynamic::Trace(problem), &run, &[&votes, &history]);
    check("logits_per_iteration", &traced[0]);
    check("coupling_per_iteration", &traced[1]);
    check("v_per_iteration", &traced[2]);
    assert_eq!(v, traced[2][(iterations - 1) * 6..], "v is that of the last iteration");
    let last = &traced[1][(iterations - 1) * 12..];
    near("entropy", &entropy, &[last.iter().map(|c| -c * c.ln()).sum::<f64>() / 4.0], 10.0 * limits.arithmetic);
    for (gradient, suffix) in [(Gradient::Full, ""), (Gradient::Detached, "_detached")] {
        let backward = dynamic::Backward { problem, gradient };
        let back = call::<T>(backward, &run, &[&votes, &history, &gv]);
        check(&format!("grad_votes{suffix}"), &back[0]);
        check(&format!("grad_bias{suffix}"), &back[1]);
    }
    let detached = difference(&numbers(&case["grad_votes"]), &numbers(&case["grad_votes_detached"]));
    assert!((detached > 0.01) == (iterations > 1), "r = {iterations}: the two gradients differ by {detached}");
}

fn self_attention<T: Precision>(vector: &Value, limits: Limits) {
    let of = |name: &str| numbers(&vector[name]);
    let (votes, prior, gv) = (of("votes"), of("B"), of("grad_v"));
    let coefficients = Coefficients::Softmax;
    let problem = Problem { positions: 1, children: 4, parents: 3, dims: 2, iterations: 1, coefficients };
    let forward = call::<T>(self_attention::Forward(problem), &one(), &[&votes, &prior]);
    near("v", &forward[1], &of("v"), limits.arithmetic);
    let entropy = of("softmax").iter().map(|p| -p * p.ln()).sum::<f64>() / 4.0;
    near("entropy", &forward[2], &[entropy], limits.arithmetic);
    let traced = call::<T>(self_attention::Trace(problem), &one(), &[&votes, &forward[0], &prior]);
    let coupling: Vec<f64> = of("softmax").iter().zip(&prior).map(|(p, b)| p + b).collect();
    near("coupling", &traced[1], &coupling, limits.arithmetic);
    assert_eq!(traced[2], forward[1]);
    let back = call::<T>(self_attention::Backward(problem), &one(), &[&votes, &forward[0], &prior, &gv]);
    near("grad_votes", &back[0], &of("grad_votes"), 10.0 * limits.arithmetic);
    near("grad_B", &back[1], &of("grad_B"), 10.0 * limits.arithmetic);
}

fn em_routing<T: Precision>(vector: &Value, limits: Limits) {
    let of = |name: &str| numbers(&vector[name]);
    let (votes, activation) = (of("votes"), of("a_in"));
    let beta = [of("beta_u"), of("beta_a")].concat();
    let gfit: Vec<f64> =
        of("grad_mu").chunks_exact(2).zip(of("grad_activation")).flat_map(|(mean, a)| [mean[0], mean[1], a]).collect();
    for case in cases(vector) {
        let iterations = number(&case["iterations"]) as usize;
        let problem =
            Problem { positions: 1, children: 4, parents: 3, dims: 2, iterations, coefficients: Coefficients::Softmax };
        let run = Run::new(1, iterations, Chosen::Label);
        let check = |name: &str, got: &[f64]| {
            near(&format!("{name}, r = {iterations}"), got, &numbers(&case[name]), 100.0 * limits.arithmetic);
        };
        let forward = call::<T>(em::Forward(problem), &run, &[&votes, &activation, &beta]);
        let (mean, a): (Vec<_>, Vec<_>) = forward[1].chunks_exact(3).map(|fit| ([fit[0], fit[1]], fit[2])).unzip();
        check("mu", &mean.concat());
        check("activation", &a);
        let traced = call::<T>(em::Trace(problem), &run, &[&votes, &forward[0]]);
        check("R_per_iteration", &traced[1]);
        let back = call::<T>(em::Backward(problem), &run, &[&votes, &activation, &beta, &forward[0], &gfit]);
        check("grad_votes", &back[0]);
        check("grad_a_in", &back[1]);
        check("grad_beta_u", &back[2][..3]);
        check("grad_beta_a", &back[2][3..]);
    }
}

/// Each image's margin loss, and its gradient by the lengths.
fn margins<T: Precision>(lengths: &[f64], labels: &[f64]) -> [Vec<f64>; 2] {
    let classes = lengths.len() / labels.len();
    let loss = MarginLoss { classes, dims: 2, present: 0.9, absent: 0.1, down_weight: 0.5 };
    // A capsule of length 0 has no direction and gets no gradient; just above 0 it has both.
    let lengths: Vec<f64> = lengths.iter().map(|&length| length.max(1e-9)).collect();
    let v: Vec<f64> = lengths.iter().flat_map(|n| [0.6 * n, 0.8 * n]).collect();
    let run = Run::new(labels.len(), 1, Chosen::Label);
    let outputs = call::<T>(loss, &run, &[&v, &lengths, labels, labels]);
    [outputs[1].clone(), outputs[0].chunks_exact(2).map(|g| 0.6 * g[0] + 0.8 * g[1]).collect()]
}

fn margin_loss<T: Precision>(vector: &Value, limits: Limits) {
    for case in cases(vector) {
        let [loss, gradient] = margins::<T>(&numbers(&case["lengths"]), &[number(&case["label"])]);
        near("margin loss", &loss, &[number(&case["loss"])], limits.settings);
        near("grad_lengths", &gradient, &numbers(&case["grad_lengths"]), limits.settings);
    }
    let two = &vector["batch_of_two"];
    let [each, _] = margins::<T>(&numbers(&two["lengths"]), &numbers(&two["labels"]));
    near("mean of two", &[each.iter().sum::<f64>() / 2.0], &[number(&two["loss"])], limits.settings);

    let (lengths, right) = (numbers(&cases(vector)[0]["lengths"]), number(&cases(vector)[0]["loss"]));
    let hinges = [(0.9 - lengths[0]).max(0.0), (lengths[1] - 0.1).max(0.0), (lengths[2] - 0.1).max(0.0)];
    let wrong = &vector["wrong"];
    let linear = hinges[0] + 0.5 * (hinges[1] + hinges[2]);
    refused("a hinge that is not squared", linear, &wrong["first case, hinge not squared"], right, limits.settings);
    let mean = right / 3.0;
    refused("a mean over the classes", mean, &wrong["first case, mean over classes"], right, limits.settings);
}

fn reconstruction_loss<T: Precision>(vector: &Value, limits: Limits) {
    let grey = &vector["grey_output_black_target"];
    let pixels = number(&grey["pixels"]) as usize;
    let (output, target) = (vec![number(&grey["output"]); pixels], vec![number(&grey["target"]); pixels]);
    for (weight, loss) in [(0.0005, "loss_paper_weight"), (0.01, "loss_official_weight"), (1.0, "sse")] {
        let got = call::<T>(ReconstructionLoss { pixels, weight, joins: false }, &one(), &[&output, &target]).remove(1);
        near(loss, &got, &[number(&grey[loss])], limits.settings * number(&grey[loss]).max(1.0));
    }
    for case in cases(vector) {
        let (output, target) = (numbers(&case["output"]), numbers(&case["target"]));
        let images = case["output"].as_array().map_or(0, Vec::len);
        let weight = number(&case["weight"]) as f32;
        let loss = ReconstructionLoss { pixels: output.len() / images, weight, joins: false };
        let got = call::<T>(loss, &Run::new(images, 1, Chosen::Label), &[&output, &target]);
        near("loss", &[got[1].iter().sum::<f64>() / images as f64], &[number(&case["loss"])], limits.settings);
        near("grad_output", &got[0], &numbers(&case["grad_output"]), limits.settings);
    }
    let mean = 0.0005 * output.iter().zip(&target).map(|(o, t)| (o - t).powi(2)).sum::<f64>() / pixels as f64;
    let stated = &vector["wrong"]["grey, mean over pixels, weight .0005"];
    refused("a mean over the pixels", mean, stated, number(&grey["loss_paper_weight"]), limits.settings);
}

fn decoder_mask<T: Precision>(vector: &Value, limits: Limits) {
    let (v, label) = (numbers(&vector["v"]), [number(&vector["label"])]);
    let choice = call::<T>(Lengths { classes: 3, dims: 2 }, &one(), &[&v, &label]);
    let longest = if choice[0][1] > choice[0][0] { 1.0 } else { 0.0 };
    assert_ne!(longest, label[0], "another capsule is longer than the label's");
    // The first layer of the decoder with the identity as its weights shows what reaches it. A bias of 1 keeps every
    // ReLU open, so that only the mask can stop a gradient.
    let dense = Dense { inputs: 6, outputs: 6, activation: Activation::Relu, block: Some(2) };
    let identity: Vec<f64> = (0..36).map(|k| if k % 7 == 0 { 1.0 } else { 0.0 }).collect();
    let decode = |chosen: &[f64]| {
        let y = call::<T>(dense::Forward(dense), &one(), &[&v, &identity, &[1.0; 6], chosen]).remove(0);
        let gy = numbers(&vector["grad_decoder_input"]);
        let gradient = call::<T>(dense::BackwardInput(dense), &one(), &[&gy, &y, &identity, chosen]).remove(0);
        (y.iter().map(|y| y - 1.0).collect::<Vec<f64>>(), gradient)
    };
    let (input, gradient) = decode(&choice[1]);
    near("decoder input", &input, &numbers(&vector["decoder_input"]), limits.arithmetic);
    near("grad_v", &gradient, &numbers(&vector["grad_v"]), limits.arithmetic);
    let (faulty, _) = decode(&[longest]);
    assert!(difference(&faulty, &input) > 0.1, "a mask by the prediction would be noticed");
}

fn adam<T: Precision>(vector: &Value, limits: Limits) {
    let [beta1, beta2, lr] = ["beta1", "beta2", "lr"].map(|name| number(&vector[name]));
    let epsilon = number(&vector["eps"]) as f32;
    let operation = Arc::new(Adam { elements: 4, beta1: beta1 as f32, beta2: beta2 as f32, epsilon });
    let start = vec![vec![1.0; 4], vec![0.0; 4], vec![0.0; 4]];
    let mut state = start.clone();
    let run = |step: i32| Run {
        rate: lr as f32,
        first_correction: (1.0 - beta1.powi(step)) as f32,
        second_correction: (1.0 - beta2.powi(step)) as f32,
        ..one()
    };
    let relative = |name: &str, got: &[f64], want: &[f64], limit: f64| {
        let scaled =
            |x: &[f64]| x.iter().zip(want).map(|(x, w)| if *w == 0.0 { *x } else { x / w }).collect::<Vec<_>>();
        near(name, &scaled(got), &scaled(want), limit);
    };
    let steps = vector["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 3);
    for (step, case) in (1..).zip(steps) {
        state = call_on::<T>(operation.clone(), &run(step), &[&numbers(&case["grad"])], state);
        near("param", &state[0], &numbers(&case["param"]), limits.settings);
        // 1 − β₁ and 1 − β₂ of β in single precision are off by 2.4e-7 and 1.3e-5 of themselves.
        relative("m", &state[1], &numbers(&case["m"]), 1e-6);
        relative("v", &state[2], &numbers(&case["v"]), 2e-5);
    }

    let (grad, right) = (numbers(&steps[0]["grad"]), numbers(&steps[0]["param"]));
    let plain = Run { first_correction: 1.0, second_correction: 1.0, ..run(1) };
    let faulty = call_on::<T>(operation.clone(), &plain, &[&grad], start)[0][0];
    let wrong = &vector["wrong"];
    let name = "no bias correction, first step of the first";
    let stated = number(&wrong[name]);
    assert!((faulty - stated).abs() < 1e-6 + 2e-5 * (1.0 - stated), "{name}: {faulty}");
    assert!((faulty - right[0]).abs() > 1e-3);
    let name = "TensorFlow epsilon-hat, first step of the third";
    let (m, v) = ((1.0 - beta1) * grad[2], (1.0 - beta2) * grad[2] * grad[2]);
    let rate = lr * (1.0 - beta2).sqrt() / (1.0 - beta1);
    refused(name, 1.0 - rate * m / (v.sqrt() + f64::from(epsilon)), &wrong[name], right[2], limits.settings);
}

/// The schedule is in double precision; a step takes it in the precision that it runs in.
fn learning_rate<T: Precision>(vector: &Value, limits: Limits) {
    let floored = AdamSettings::default();
    let free = AdamSettings { floor: 0.0, ..floored };
    let steps = numbers(&vector["steps"]);
    for (settings, name) in [(free, "lr"), (floored, "with_floor")] {
        let rates: Vec<f64> = steps.iter().map(|&step| T::of(settings.rate_at(step as u64)).double()).collect();
        near(name, &rates, &numbers(&vector[name]), 1e-3 * limits.arithmetic);
    }
    let staircase = 1e-3 * 0.96_f64.powf((1000.0_f64 / 2000.0).floor());
    assert!((staircase - free.rate_at(1000)).abs() > 1e-5, "a staircase would be noticed");
}
