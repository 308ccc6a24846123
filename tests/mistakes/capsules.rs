//! Faults between the convolutions and the class capsules.

use crate::twins::{Subject, call, difference, norm, test_images};
use capscope::capsnet::{Config, Layout, Preset, Purpose};
use capscope::ops::squash::{Capsules, Forward};
use capscope::plan::{Chosen, LedgerColumn, Phase, Role, Run};
use capscope::train::initial_parameters;

fn squashed(s: &[f64]) -> Vec<f64> {
    let n = norm(s);
    s.iter().map(|s| s * n / (1.0 + n * n)).collect()
}

/// The primary capsules of a network, and what is squashed to them, for one image.
fn primary(config: &Config, parameters: &[f32]) -> [Vec<f64>; 2] {
    let mut subject = Subject::<f64>::new(config, Purpose::Train, 1, parameters);
    let (pixels, labels) = test_images(1);
    subject.feed((&pixels, &labels));
    subject.forward(1, 3, Chosen::Label);
    [subject.tensor("primary", 1), subject.tensor("primary before squash", 1)]
}

#[test]
fn a_capsule_is_made_of_channels() {
    let config = Preset::Tiny.config();
    let layout = Layout::new(&config);
    let mut parameters = initial_parameters(&config, 1);
    let range = |name: &str| layout.find(name).expect("a tensor").range();
    parameters[range("primary.weight")].fill(0.0);
    parameters[range("primary.bias")].iter_mut().enumerate().for_each(|(channel, bias)| *bias = channel as f32);
    let [u, z] = primary(&config, &parameters);
    let positions = config.primary_shape().positions();
    let expected: Vec<f64> = (0..config.primary_capsules())
        .flat_map(|capsule| {
            let first = capsule / positions * 8;
            squashed(&(first..first + 8).map(|channel| channel as f64).collect::<Vec<_>>())
        })
        .collect();
    // The fault: the maps' numbers as they lie, eight at a time.
    let view: Vec<f64> = z.chunks_exact(8).flat_map(squashed).collect();
    println!(
        "type t reads [8t..8t+7]: off by {:.1e}; a view by {:.2}",
        difference(&u, &expected),
        difference(&view, &expected)
    );
    assert!(difference(&u, &expected) < 1e-12 && difference(&view, &expected) > 0.1);
}

#[test]
fn squash_is_over_a_capsules_own_dimensions() {
    let run = Run::new(1, 1, Chosen::Label);
    let right = [0.5769230769230769, 0.7692307692307693];
    let got = call::<f64>(Forward(Capsules { types: 1, dims: 2, positions: 1 }), &run, &[&[3.0, 4.0]]).remove(0);
    let element_wise: Vec<f64> = [3.0, 4.0].iter().flat_map(|&x| squashed(&[x])).collect();
    println!("squash([3, 4]) = {got:?}; element-wise {element_wise:?}");
    assert!(difference(&got, &right) < 1e-15 && difference(&element_wise, &right) > 0.1);

    // Two capsules side by side, (3, 4) and (0, 1): the wrong axis mixes them.
    let z = [3.0, 0.0, 4.0, 1.0];
    let got = call::<f64>(Forward(Capsules { types: 1, dims: 2, positions: 2 }), &run, &[&z]).remove(0);
    let right = [squashed(&[3.0, 4.0]), squashed(&[0.0, 1.0])].concat();
    let (first, second) = (squashed(&z[..2]), squashed(&z[2..]));
    let wrong_axis = [first[0], second[0], first[1], second[1]];
    assert!(difference(&got, &right) < 1e-15 && difference(&wrong_axis, &right) > 0.1);
}

/// A network whose parameters are all zero, on a blank picture: every norm is zero.
#[test]
fn zero_stays_zero() {
    let config = Preset::Tiny.config();
    let zeros = vec![0.0; Layout::new(&config).elements];
    let mut subject = Subject::<f32>::new(&config, Purpose::Train, 2, &zeros);
    subject.feed((&[0.0; 2 * 784], &[3.0, 5.0]));
    subject.run(&Run { rate: 1e-3, ..Run::new(2, 3, Chosen::Label) }, Phase::Update);
    for name in ["primary", "digit v", "lengths"] {
        assert!(subject.tensor(name, 2).iter().all(|&x| x == 0.0), "{name} is not zero");
    }
    for role in Role::SHARED {
        assert!(subject.store.buffer(role).iter().all(|x| x.is_finite()), "{role:?}");
    }
    let margin = subject.tensor("ledger", 2)[LedgerColumn::Margin as usize] / 2.0;
    println!("all zero: every number is one, margin loss {margin:.4}");
    assert!((margin - 0.81).abs() < 1e-6, "the loss of all lengths zero");

    // The faults: s/‖s‖ before its factor, and the derivative of a root at 0.
    let s = [0.0_f64; 2];
    let square: f64 = s.iter().map(|s| s * s).sum();
    let (forward, backward) = (square / (1.0 + square) * (s[0] / square.sqrt()), 0.5 / square.sqrt() * 2.0 * s[0]);
    assert!(forward.is_nan() && backward.is_nan());
}

#[test]
fn negative_components_survive() {
    for preset in Preset::ALL {
        let (first, primary) = (preset.config().conv1_shape(), preset.config().primary_shape());
        assert!(first.relu && !primary.relu, "{}", preset.name());
    }
    let config = Preset::Tiny.config();
    let mut parameters = initial_parameters(&config, 1);
    // Without its bias, a sum is as often negative as not.
    parameters[Layout::new(&config).find("primary.bias").expect("a tensor").range()].fill(0.0);
    let [u, z] = primary(&config, &parameters);
    let negative = |values: &[f64]| values.iter().filter(|&&x| x < 0.0).count();
    let cut: Vec<f64> = z.iter().map(|x| x.max(0.0)).collect();
    println!("{} of {} components are negative; after a ReLU {}", negative(&u), u.len(), negative(&cut));
    assert_eq!(negative(&u), negative(&z));
    assert!(negative(&u) > u.len() / 4 && negative(&cut) == 0);
}
