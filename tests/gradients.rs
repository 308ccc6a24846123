//! Analytic gradients of whole networks against central differences, in double precision: every parameter tensor, at
//! random elements and along random directions, away from the kinks of ReLU and hinge.

use capscope::capsnet::{Config, Conv1, Decoder, Layout, Preset, Primary, Purpose, Routed, plan};
use capscope::data::{Random, Stream};
use capscope::exec::cpu::{Loaded, Store};
use capscope::plan::{Chosen, LedgerColumn, Phase, Role, Run};
use capscope::routing::{Gradient, PROCEDURES};
use std::sync::Arc;

/// Step of the central differences.
const H: f64 = 1e-5;
/// The most that max|a − n| / max|a| may be.
const LIMIT: f64 = 1e-6;
/// No pre-activation lies nearer to a kink.
const KINK: f64 = 1e-4;
const ELEMENTS: usize = 64;
const DIRECTIONS: usize = 8;
const BATCH: usize = 3;

/// A small network with every part of the large ones, sizes that share no divisor, and a stride that does not divide.
fn small(routed: Vec<Routed>) -> Config {
    let mut config = Config {
        height: 17,
        width: 15,
        conv1: Conv1 { channels: 5, kernel: 5, stride: 1 },
        primary: Primary { types: 3, dims: 4, kernel: 4, stride: 3, scale: 1.0 / 3.0 },
        routed,
        decoder: Decoder { hidden: vec![11, 13] },
        ..Preset::Tiny.config()
    };
    // Both losses matter.
    config.loss.reconstruction = 0.01;
    config
}

fn layer(name: &str, parents: usize, dims: usize, iterations: usize, bias: bool) -> Routed {
    Routed { name: name.into(), procedure: "dynamic".into(), parents, dims, iterations, gradient: Gradient::Full, bias }
}

/// A network with parameters and a batch.
struct Subject {
    layout: Layout,
    loaded: Loaded<f64>,
    store: Store<f64>,
    run: Run,
}

impl Subject {
    fn new(config: &Config, seed: u64) -> Self {
        let layout = Layout::new(config);
        let plan = Arc::new(plan(config, Purpose::TrainTraced, BATCH).expect("a plan"));
        let mut random = Random::new(seed, Stream::Parameters);
        let mut store = Store::new(layout.elements, true);
        for entry in &layout.entries {
            for value in &mut store.buffer_mut(Role::Parameters)[entry.range()] {
                *value = 0.3 * random.normal_cut();
            }
        }
        let mut loaded = Loaded::new(plan.clone());
        let pixels = loaded.tensor_mut(plan.find("pixels").expect("an input"));
        pixels.iter_mut().for_each(|pixel| *pixel = random.uniform());
        let labels = loaded.tensor_mut(plan.find("labels").expect("an input"));
        labels.iter_mut().enumerate().for_each(|(image, label)| *label = image as f64);
        if config.is_of_pairs() {
            for target in ["first target", "second target"] {
                let target = loaded.tensor_mut(plan.find(target).expect("an input"));
                target.iter_mut().for_each(|pixel| *pixel = random.uniform());
            }
            let labels = loaded.tensor_mut(plan.find("second labels").expect("an input"));
            labels.iter_mut().enumerate().for_each(|(image, label)| *label = image as f64 + 2.0);
        }
        let run = Run::new(BATCH, config.iterations(), Chosen::Label);
        Subject { layout, loaded, store, run }
    }

    fn loss(&mut self) -> f64 {
        let plan = self.loaded.plan().clone();
        self.loaded.run(&mut self.store, &self.run, 0..plan.end_of(Phase::Forward));
        let row = self.loaded.tensor(plan.find("ledger").expect("an output"));
        (row[LedgerColumn::Margin as usize] + row[LedgerColumn::Reconstruction as usize]) / BATCH as f64
    }

    /// The loss after a small move of the parameters.
    fn moved(&mut self, from: usize, direction: &[f64], h: f64) -> f64 {
        let move_by = |store: &mut Store<f64>, h: f64| {
            let parameters = &mut store.buffer_mut(Role::Parameters)[from..];
            parameters.iter_mut().zip(direction).for_each(|(parameter, d)| *parameter += h * d);
        };
        let kept = self.store.buffer(Role::Parameters).to_vec();
        move_by(&mut self.store, h);
        let loss = self.loss();
        self.store.buffer_mut(Role::Parameters).copy_from_slice(&kept);
        loss
    }

    fn numeric(&mut self, from: usize, direction: &[f64]) -> f64 {
        (self.moved(from, direction, H) - self.moved(from, direction, -H)) / (2.0 * H)
    }

    /// How near the batch comes to a kink of a ReLU or a margin. The sums before the ReLUs are computed here from their
    /// definition: the plan keeps them only after the cut.
    fn nearest_kink(&mut self, config: &Config) -> f64 {
        self.loss();
        let plan = self.loaded.plan().clone();
        let tensor = |name: &str| self.loaded.tensor(plan.find(name).expect(name));
        let parameters = self.store.buffer(Role::Parameters);
        let weights = |name: &str| &parameters[self.layout.find(name).expect(name).range()];
        let mut nearest = f64::INFINITY;
        // conv1's sums, from the definition.
        let conv = config.conv1_shape();
        let (pixels, weight, bias) = (tensor("pixels"), weights("conv1.weight"), weights("conv1.bias"));
        for image in 0..BATCH {
            for channel in 0..conv.channels_out {
                for position in 0..conv.positions() {
                    let (y, x) = (position / conv.width_out(), position % conv.width_out());
                    let mut sum = bias[channel];
                    for k in 0..conv.patch() {
                        let (dy, dx) = (k / conv.kernel, k % conv.kernel);
                        let row = image * conv.height + y * conv.stride + dy;
                        sum += weight[channel * conv.patch() + k] * pixels[row * conv.width + x * conv.stride + dx];
                    }
                    nearest = nearest.min(sum.abs());
                }
            }
        }
        // The decoder's hidden sums, of each digit.
        let classes = config.classes();
        let v = tensor(&format!("{} v", classes.name));
        for label in 0..config.digits {
            // Image k is labelled k, and k + 2 where there is a second digit.
            let is_seen = |block: usize| block % classes.parents == block / classes.parents + 2 * label;
            let inputs = (0..BATCH * classes.parents * classes.dims)
                .map(|k| if is_seen(k / classes.dims) { v[k] } else { 0.0 })
                .collect();
            nearest = nearest.min(self.nearest_kink_of_decoder(config, inputs));
        }
        for length in tensor("lengths") {
            nearest = nearest.min((length - f64::from(config.loss.present)).abs());
            nearest = nearest.min((length - f64::from(config.loss.absent)).abs());
        }
        nearest
    }

    /// How near the decoder's hidden sums come to 0.
    fn nearest_kink_of_decoder(&self, config: &Config, mut inputs: Vec<f64>) -> f64 {
        let parameters = self.store.buffer(Role::Parameters);
        let weights = |name: &str| &parameters[self.layout.find(name).expect(name).range()];
        let mut nearest = f64::INFINITY;
        for (index, &outputs) in config.decoder.hidden.iter().enumerate() {
            let (weight, bias) =
                (weights(&format!("decoder.{index}.weight")), weights(&format!("decoder.{index}.bias")));
            let each = inputs.len() / BATCH;
            let mut next = vec![];
            for image in 0..BATCH {
                for output in 0..outputs {
                    let row = &weight[output * each..][..each];
                    let sum: f64 =
                        row.iter().zip(&inputs[image * each..]).map(|(w, x)| w * x).sum::<f64>() + bias[output];
                    nearest = nearest.min(sum.abs());
                    next.push(sum.max(0.0));
                }
            }
            inputs = next;
        }
        nearest
    }
}

/// Compares every tensor; returns the worst of all.
fn check(name: &str, config: &Config) -> f64 {
    config.check().expect("a network");
    let (mut subject, seed, kink) = (1..1000)
        .map(|seed| (Subject::new(config, seed), seed))
        .map(|(mut subject, seed)| {
            let kink = subject.nearest_kink(config);
            (subject, seed, kink)
        })
        .find(|(_, _, kink)| *kink > KINK)
        .expect("one batch of a thousand is away from kinks");
    let plan = subject.loaded.plan().clone();
    subject.loaded.run(&mut subject.store, &subject.run, 0..plan.end_of(Phase::Backward));
    let gradients = subject.store.buffer(Role::Gradients).to_vec();
    let mut random = Random::new(seed, Stream::Shuffle);
    let mut worst: (f64, String) = (0.0, String::new());
    for entry in subject.layout.entries.clone() {
        let gradient = &gradients[entry.range()];
        let largest = gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
        assert!(largest > 0.0, "{name}: {} has no gradient at all", entry.name);
        let mut difference: f64 = 0.0;
        for _ in 0..ELEMENTS {
            let k = random.below(entry.elements() as u32) as usize;
            difference = difference.max((subject.numeric(entry.offset + k, &[1.0]) - gradient[k]).abs());
        }
        let mut relative = difference / largest;
        let mut pairs = vec![];
        for _ in 0..DIRECTIONS {
            let direction: Vec<f64> = (0..entry.elements()).map(|_| random.normal()).collect();
            let norm = direction.iter().map(|d| d * d).sum::<f64>().sqrt();
            let direction: Vec<f64> = direction.iter().map(|d| d / norm).collect();
            let analytic: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
            pairs.push((analytic, subject.numeric(entry.offset, &direction)));
        }
        let largest = pairs.iter().fold(0.0, |most: f64, (a, _)| most.max(a.abs()));
        relative = pairs.iter().fold(relative, |most, (a, n)| most.max((a - n).abs() / largest));
        if relative > worst.0 {
            worst = (relative, entry.name.clone());
        }
        assert!(relative <= LIMIT, "{name}: {} differs by {relative:.2e} of its largest gradient", entry.name);
    }
    println!(
        "{name}: {} tensors, {ELEMENTS} elements and {DIRECTIONS} directions each, nearest kink {kink:.1e}, \
         worst {:.1e} ({})",
        subject.layout.entries.len(),
        worst.0,
        worst.1
    );
    worst.0
}

#[test]
fn gradients_agree_with_central_differences() {
    for iterations in [1, 2, 3, 5] {
        check(&format!("r = {iterations}"), &small(vec![layer("digit", 10, 6, iterations, true)]));
    }
    check("without bias", &small(vec![layer("digit", 7, 5, 3, false)]));
    check("two routed layers", &small(vec![layer("middle", 6, 5, 3, true), layer("digit", 10, 6, 3, true)]));
}

/// Two overlapping digits: two positives in the margin loss, and the decoder run once for each, whose gradients add up.
#[test]
fn gradients_of_overlapping_digits() {
    let config = Config { digits: 2, ..small(vec![layer("digit", 10, 6, 3, true)]) };
    check("two digits", &config);
}

/// Every procedure, whatever it learns beside the votes.
#[test]
fn gradients_of_every_procedure() {
    for procedure in PROCEDURES {
        let mut routed = layer("digit", 7, 5, 3, true);
        routed.procedure = procedure.name().into();
        check(procedure.name(), &small(vec![routed]));
    }
}

/// The shape of the tiny preset itself.
#[test]
fn gradients_of_the_tiny_preset() {
    let mut config = Preset::Tiny.config();
    config.loss.reconstruction = 0.01;
    check("tiny", &config);
}

/// The test above can fail: a gradient that leaves out the coefficients' own dependence is found out.
#[test]
fn a_detached_gradient_is_not_the_gradient_of_the_loss() {
    let mut detached = layer("digit", 10, 6, 3, true);
    detached.gradient = Gradient::Detached;
    let config = small(vec![detached]);
    let mut subject = Subject::new(&config, 1);
    let plan = subject.loaded.plan().clone();
    subject.loaded.run(&mut subject.store, &subject.run, 0..plan.end_of(Phase::Backward));
    let entry = subject.layout.find("digit.weight").expect("a tensor").clone();
    let gradient = subject.store.buffer(Role::Gradients)[entry.range()].to_vec();
    let largest = gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
    let worst =
        (0..64).map(|k| (subject.numeric(entry.offset + k, &[1.0]) - gradient[k]).abs() / largest).fold(0.0, f64::max);
    println!("detached against the true gradient: {worst:.1e}");
    assert!(worst > 1e-3);
}
