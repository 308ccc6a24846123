//! Faults of the losses and of the decoder.

use crate::twins::{Subject, call, difference, norm, test_images};
use capscope::capsnet::{Layout, Preset, Purpose};
use capscope::ops::margin_loss::MarginLoss;
use capscope::ops::reconstruction_loss::ReconstructionLoss;
use capscope::plan::{Chosen, Phase, Run};
use capscope::train::initial_parameters;

/// The margin loss of one image's lengths, as this program computes it.
fn margin(lengths: &[f64], label: usize) -> f64 {
    let loss = MarginLoss { classes: lengths.len(), dims: 1, present: 0.9, absent: 0.1, down_weight: 0.5 };
    let run = Run::new(1, 1, Chosen::Label);
    let labels = [label as f64];
    call::<f64>(loss, &run, &[lengths, lengths, &labels, &labels])[1][0]
}

#[test]
fn the_margin_is_squared_and_summed() {
    let lengths = [0.95, 0.05, 0.3];
    let got = margin(&lengths, 0);
    let hinges = [0.9 - lengths[0], lengths[1] - 0.1, lengths[2] - 0.1].map(|hinge: f64| hinge.max(0.0));
    let linear = hinges[0] + 0.5 * (hinges[1] + hinges[2]);
    let mean = (hinges[0].powi(2) + 0.5 * (hinges[1].powi(2) + hinges[2].powi(2))) / 3.0;
    println!("lengths {lengths:?}: {got:.5}; not squared {linear:.5}, averaged {mean:.5}");
    let passes = |loss: f64| (loss - 0.02).abs() < 1e-7;
    assert!(passes(got) && !passes(linear) && !passes(mean));
}

#[test]
fn lengths_are_not_softmaxed() {
    let mut perfect = [0.0; 10];
    perfect[4] = 1.0;
    let sum: f64 = perfect.iter().map(|n: &f64| n.exp()).sum();
    let softmaxed = perfect.map(|n| n.exp() / sum);
    let (right, wrong) = (margin(&perfect, 4), margin(&softmaxed, 4));
    println!("perfect lengths cost {right}; softmaxed {wrong:.4}");
    assert!(right == 0.0 && (wrong - 0.4463).abs() < 1e-4);
}

#[test]
fn pixel_differences_are_summed() {
    let weight = Preset::Paper.config().loss.reconstruction;
    let run = Run::new(1, 1, Chosen::Label);
    let loss = ReconstructionLoss { pixels: 784, weight, joins: false };
    let got = call::<f64>(loss, &run, &[&[0.5; 784], &[0.0; 784]])[1][0];
    let mean = f64::from(weight) * [0.25; 784].iter().sum::<f64>() / 784.0;
    println!("grey for black costs {got:.6}; as a mean {mean:.6}");
    let passes = |loss: f64| (loss - 0.098).abs() < 1e-7;
    assert!(passes(got) && !passes(mean));
}

/// An image whose label is not the longest capsule, in training: the decoder and its gradients see the label's block.
/// Read, it shows the longest, whatever the label.
#[test]
fn the_mask_is_the_labels_in_training_and_the_longest_when_read() {
    let config = Preset::Tiny.config();
    let parameters = initial_parameters(&config, 1);
    let (pixels, _) = test_images(1);
    let read = |label: f64, purpose: Purpose, chosen: Chosen| {
        let mut subject = Subject::<f32>::new(&config, purpose, 1, &parameters);
        subject.feed((&pixels, &[label]));
        subject.run(&Run::new(1, 3, chosen), if purpose == Purpose::Train { Phase::Backward } else { Phase::Forward });
        subject
    };
    let lengths = read(0.0, Purpose::Train, Chosen::Label).tensor("lengths", 1);
    let longest = (0..10).max_by(|&a, &b| lengths[a].total_cmp(&lengths[b])).expect("ten lengths");
    let label = (longest + 3) % 10;
    let blocks = |subject: &Subject<f32>| -> Vec<usize> {
        let gradient = subject.gradient("decoder.0.weight");
        let in_block = |class: usize| gradient.chunks_exact(160).any(|row| norm(&row[class * 16..][..16]) > 0.0);
        (0..10).filter(|&class| in_block(class)).collect()
    };
    let (right, wrong) =
        (read(label as f64, Purpose::Train, Chosen::Label), read(label as f64, Purpose::Train, Chosen::Longest));
    println!(
        "label {label}, longest {longest}: trained on {:?}; masked by the prediction {:?}",
        blocks(&right),
        blocks(&wrong)
    );
    assert_eq!((blocks(&right), blocks(&wrong)), (vec![label], vec![longest]));

    let shown = |label: usize, chosen: Chosen| read(label as f64, Purpose::Trace, chosen).tensor("reconstruction", 1);
    let reading = shown(longest, Chosen::Longest);
    assert_eq!(reading, shown(label, Chosen::Longest), "reading does not look at the label");
    let by_label = difference(&shown(label, Chosen::Label), &reading);
    assert!(by_label > 1e-4, "a mask by the label at test would show");
}

#[test]
fn the_decoder_takes_all_poses() {
    for preset in Preset::ALL {
        let config = preset.config();
        let (layout, hidden) = (Layout::new(&config), config.decoder.hidden[0]);
        let size = |name: &str| layout.find(name).expect("a tensor").elements();
        let first = size("decoder.0.weight") + size("decoder.0.bias");
        println!("{}: first dense layer {first} parameters; fed one pose {}", preset.name(), 16 * hidden + hidden);
        assert!(first == 160 * hidden + hidden && first != 16 * hidden + hidden);
    }
}

/// Bending a pose in the decoder's plan; the engine's own offsets and sweep are tested in engine.rs.
#[test]
fn a_bent_pose_is_decoded_as_it_is_and_only_its_block_counts() {
    let config = Preset::Tiny.config();
    let parameters = initial_parameters(&config, 1);
    let mut subject = Subject::<f32>::new(&config, Purpose::Decode, 1, &parameters);
    let mut decode = |poses: &[f64], class: usize| {
        subject.write("pose", poses);
        subject.write("chosen", &[class as f64]);
        subject.forward(1, 1, Chosen::Class(class as u32));
        subject.tensor("reconstruction", 1)
    };
    let poses: Vec<f64> = (0..160).map(|k| 0.3 * (k as f64).sin()).collect();
    let bent = |dim: usize, offset: f64| {
        let mut poses = poses.clone();
        poses[dim] += offset;
        poses
    };
    let (class, dim) = (3, 3 * 16 + 5);
    let plain = decode(&poses, class);
    assert_eq!(plain, decode(&bent(dim, 0.0), class), "offset 0 is no offset, to the bit");
    assert!(difference(&plain, &decode(&bent(dim, 0.2), class)) > 1e-3);
    // The faults: another capsule moved, the pose squashed again, and a sweep of an even number of steps.
    assert_eq!(plain, decode(&bent(dim + 16, 0.2), class), "another capsule's block shows nothing");
    let squash = |v: &[f64]| v.iter().map(|x| x * norm(v) / (1.0 + norm(v).powi(2))).collect::<Vec<f64>>();
    let again: Vec<f64> = poses.chunks_exact(16).flat_map(squash).collect();
    let resquashed = difference(&plain, &decode(&again, class));
    println!("offset 0: same bits; squashed once more {resquashed:.1e} apart");
    assert!(resquashed > 1e-3);
    let sweep: Vec<f64> = (0..10).map(|k| -0.25 + 0.5 * f64::from(k) / 9.0).collect();
    assert!(sweep.iter().all(|&offset| decode(&bent(dim, offset), class) != plain), "no column is the plain picture");
}
