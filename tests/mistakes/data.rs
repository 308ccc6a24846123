//! Faults of what goes into a network and of what is said about it.

use crate::twins::{Subject, call, call_on, difference, first_of, mnist, test_images};
use capscope::capsnet::{Config, Preset, Purpose};
use capscope::data::{Batcher, Dataset, MnistSplit, Random, Stream, evaluation_batch};
use capscope::exec::Device;
use capscope::ink::{self, Picture, Point, SIDE, Stroke};
use capscope::ops::margin_loss::MarginLoss;
use capscope::ops::{adam, batch_sum, conv, dense, lengths, margin_loss, reconstruction_loss, squash, tally, votes};
use capscope::plan::{Chosen, Content, Extent, Operation, Phase, Port, Role, Run};
use capscope::routing::dynamic;
use capscope::train::{Evaluator, Settings, Trainer, initial_parameters};
use pollster::block_on;
use std::sync::Arc;

fn largest(lengths: &[f64]) -> usize {
    (1..lengths.len()).fold(0, |best, class| if lengths[class] > lengths[best] { class } else { best })
}

/// A tiny network after a little training, so that it reads some digits and not others.
fn trained(config: &Config) -> Trainer {
    let data = mnist(MnistSplit::TRAIN);
    let settings = Settings { batch: 32, seed: 1, max_shift: 2, chunk: 32 };
    let trainer = Trainer::new(&Device::Cpu, config.clone(), settings, data.len());
    let mut trainer = block_on(trainer).expect("a trainer");
    while trainer.step() < 60 {
        trainer.advance(data, &mut || false).expect("a step");
    }
    trainer
}

#[test]
fn accuracy_is_over_all_images_and_over_the_classes() {
    let (config, data) = (Preset::Tiny.config(), mnist(MnistSplit::TEST));
    let trainer = trained(&config);
    // 96 does not divide 10 000: the last batch is ragged.
    let evaluator = Evaluator::new(&Device::Cpu, &config, trainer.store(), 96, 3);
    let mut evaluator = block_on(evaluator).expect("an evaluator");
    while !block_on(evaluator.advance(data, &mut || false)).expect("a batch") {}
    let (correct, total) = (evaluator.tally().correct(), evaluator.tally().total());

    // Counted once more, all at once.
    let parameters = block_on(trainer.store().read(Role::Parameters)).expect("the CPU is never lost");
    let (mut count, mut across, mut first_batch) = (0, 0, 0);
    let mut subject = Subject::<f32>::new(&config, Purpose::Evaluate, 1000, &parameters);
    for start in (0..10_000).step_by(1000) {
        let (mut pixels, mut labels) = (vec![0.0; 784_000], vec![0.0; 1000]);
        evaluation_batch(data, start, 1000, &mut pixels, &mut labels);
        let double = |values: &[f32]| values.iter().map(|&x| x.into()).collect::<Vec<f64>>();
        subject.feed((&double(&pixels), &double(&labels)));
        subject.forward(1000, 3, Chosen::Longest);
        let lengths = subject.tensor("lengths", 1000);
        // The fault: a softmax down the batch, which compares images with each other.
        let sums: Vec<f64> = (0..10).map(|j| lengths.chunks_exact(10).map(|row| row[j].exp()).sum()).collect();
        for (image, (row, &label)) in lengths.chunks_exact(10).zip(&labels).enumerate() {
            let right = largest(row) == label as usize;
            count += u32::from(right);
            first_batch += u32::from(right && start + image < 128);
            let shares: Vec<f64> = row.iter().zip(&sums).map(|(n, sum)| n.exp() / sum).collect();
            across += u32::from(largest(&shares) == label as usize);
        }
    }
    let share = |correct: u32, total: u32| f64::from(correct) / f64::from(total);
    println!(
        "{correct} of {total} right; over one batch {:.4}, by softmax across the batch {across}, by integers {}",
        share(first_batch, 128),
        correct / total
    );
    assert_eq!((correct, total), (count, 10_000));
    assert!((1000..10_000).contains(&correct), "it has learnt something, not all");
    assert_eq!(evaluator.tally().confusion.iter().sum::<u32>(), 10_000);
    let classes = evaluator.tally().confusion.chunks_exact(10).map(|row| row.iter().sum::<u32>() as usize);
    assert!(classes.eq(data.class_counts()));
    assert!(across != correct && share(first_batch, 128) != share(correct, total) && correct / total == 0);
    assert!(share(9965, 10_000) == 0.9965 && 9965_u32 / 10_000 == 0);
}

/// All of a set as training draws it, in the order of the set.
fn drawn(data: &Dataset, max_shift: u8) -> Vec<f32> {
    let mut batcher = Batcher::new(1, data.len(), data.len(), max_shift).expect("a batcher");
    let order = batcher.next_indices().to_vec();
    let (mut pixels, mut labels) = (vec![0.0; data.len() * 784], vec![0.0; data.len()]);
    batcher.fill(data, &mut pixels, &mut labels);
    let mut sorted = pixels.clone();
    for (image, &index) in pixels.chunks_exact(784).zip(&order) {
        sorted[index as usize * 784..][..784].copy_from_slice(image);
    }
    sorted
}

#[test]
fn test_images_are_never_shifted() {
    let data = first_of(mnist(MnistSplit::TEST), 300);
    let (mut pixels, mut labels) = (vec![0.0; 300 * 784], vec![0.0; 300]);
    evaluation_batch(&data, 0, 300, &mut pixels, &mut labels);
    let moved = |pixels: &[f32]| {
        let is = |image: usize| pixels[image * 784..][..784] == data.image_f32(image);
        (0..300).filter(|&image| !is(image)).count()
    };
    let augmented = moved(&drawn(&data, 2));
    println!("moved in evaluation: {} of 300; by training's batches: {augmented}", moved(&pixels));
    assert_eq!(moved(&pixels), 0);
    // 24 of 25 shifts move an image.
    assert!(augmented > 250);
    assert_eq!(moved(&drawn(&data, 0)), 0);
}

#[test]
fn a_loss_is_not_an_error_rate() {
    // Read right, but not surely: no error at all, and a loss all the same.
    let lengths = [0.5, 0.2, 0.2];
    let loss = MarginLoss { classes: 3, dims: 1, present: 0.9, absent: 0.1, down_weight: 0.5 };
    let outputs = call::<f64>(loss, &Run::new(1, 1, Chosen::Label), &[&lengths, &lengths, &[0.0], &[0.0]]);
    let (margin, error) = (outputs[1][0], 1.0 - outputs[2][0]);
    println!("error {error}, margin loss {margin:.3}");
    assert!(error == 0.0 && (margin - 0.17).abs() < 1e-6);
}

#[test]
fn inputs_are_targets_that_a_sigmoid_can_reach() {
    let data = first_of(mnist(MnistSplit::TRAIN), 500);
    let reachable = |pixels: &[f32]| pixels.iter().all(|pixel| (0.0..=1.0).contains(pixel));
    let (mut pixels, mut labels) = (vec![0.0; 500 * 784], vec![0.0; 500]);
    evaluation_batch(&data, 0, 500, &mut pixels, &mut labels);
    let standardised: Vec<f32> = pixels.iter().map(|pixel| (pixel - 0.1307) / 0.3081).collect();
    let range = |pixels: &[f32]| pixels.iter().fold((f32::MAX, f32::MIN), |(a, b), &x| (a.min(x), b.max(x)));
    println!("pixels {:?}, standardised {:?}", range(&pixels), range(&standardised));
    assert!(reachable(&pixels) && reachable(&drawn(&data, 2)) && !reachable(&standardised));
    assert_eq!(range(&pixels), (0.0, 1.0));
}

/// Whether a picture is white on black, its ink 20 pixels long, its centre of mass within half a pixel of pixel 14.
fn is_like_mnist(picture: &Picture) -> bool {
    let inked = |x: usize, y: usize| picture[y * SIDE + x] > 0.0;
    let columns = (0..SIDE).filter(|&x| (0..SIDE).any(|y| inked(x, y))).count();
    let rows = (0..SIDE).filter(|&y| (0..SIDE).any(|x| inked(x, y))).count();
    let mass: f32 = picture.iter().sum();
    let moment =
        |at: fn(usize) -> usize| picture.iter().enumerate().map(|(k, ink)| ink * at(k) as f32).sum::<f32>() / mass;
    let centred = |at: f32| (at - 14.0).abs() <= 0.51;
    columns.max(rows) == 20 && centred(moment(|k| k % SIDE)) && centred(moment(|k| k / SIDE)) && picture[0] == 0.0
}

#[test]
fn drawn_digits_are_made_as_mnist_was() {
    let at = |x: f32, y: f32| Point { x, y };
    // A small seven in the upper left corner of the pad.
    let seven = [Stroke { points: vec![at(0.1, 0.1), at(0.3, 0.1), at(0.2, 0.4)] }];
    let right = ink::from_strokes(&seven).expect("a digit");
    let as_drawn = ink::rasterise(&seven, 0.08);
    let black_on_white = right.map(|ink| 1.0 - ink);
    let mut off_centre = [0.0; SIDE * SIDE];
    off_centre[..25 * SIDE].copy_from_slice(&right[3 * SIDE..]);
    println!("as drawn, black on white and off-centre are refused; as MNIST was made is not");
    assert!(is_like_mnist(&right));
    for wrong in [as_drawn, black_on_white, off_centre] {
        assert!(!is_like_mnist(&wrong));
    }
    // The same check of MNIST itself.
    let set = mnist(MnistSplit::TEST);
    let like = (0..200).filter(|&k| is_like_mnist(&set.image_f32(k).try_into().expect("784 pixels"))).count();
    assert_eq!(like, 200);
}

/// Values that a port may hold.
fn valid(port: &Port, images: usize, random: &mut Random) -> Vec<f64> {
    let value = |random: &mut Random| match port.content {
        Content::Any => random.normal(),
        Content::Unit | Content::NotNegative => random.uniform(),
        Content::Class(classes) => random.below(classes as u32).into(),
    };
    (0..port.extent.elements(images)).map(|_| value(random)).collect()
}

/// The largest difference between seven images at once and one after another, added up where the operation adds up.
fn one_by_one(operation: &Arc<dyn Operation>, random: &mut Random) -> f64 {
    const IMAGES: usize = 7;
    let ports = operation.ports();
    let (reading, writing): (Vec<&Port>, Vec<&Port>) = ports.iter().partition(|port| !port.is_written());
    let reads: Vec<Vec<f64>> = reading.iter().map(|port| valid(port, IMAGES, random)).collect();
    let zeros = |images: usize| writing.iter().map(|port| vec![0.0; port.extent.elements(images)]).collect::<Vec<_>>();
    let run = |live: usize, accumulate: u32| Run {
        total: IMAGES as f32,
        rate: 1e-3,
        accumulate,
        ..Run::new(live, 3, Chosen::Label)
    };
    let slices: Vec<&[f64]> = reads.iter().map(Vec::as_slice).collect();
    let together = call_on::<f64>(operation.clone(), &run(IMAGES, 0), &slices, zeros(IMAGES));
    if ports.iter().all(|port| matches!(port.extent, Extent::Fixed(_))) {
        let alone = call_on::<f64>(operation.clone(), &run(1, 0), &slices, zeros(1));
        return if alone == together { 0.0 } else { f64::INFINITY };
    }
    let mut fixed = zeros(1);
    let mut worst: f64 = 0.0;
    for image in 0..IMAGES {
        let part = |port: &Port, all: &'_ [f64]| match port.extent {
            Extent::PerImage(each) => all[image * each..][..each].to_vec(),
            Extent::Fixed(_) => all.to_vec(),
        };
        let own: Vec<Vec<f64>> = reading.iter().zip(&reads).map(|(port, all)| part(port, all)).collect();
        let own: Vec<&[f64]> = own.iter().map(Vec::as_slice).collect();
        let mut before = zeros(1);
        for (k, port) in writing.iter().enumerate() {
            if matches!(port.extent, Extent::Fixed(_)) {
                before[k] = std::mem::take(&mut fixed[k]);
            }
        }
        fixed = call_on::<f64>(operation.clone(), &run(1, (image > 0).into()), &own, before);
        for ((port, alone), together) in writing.iter().zip(&fixed).zip(&together) {
            if matches!(port.extent, Extent::PerImage(_)) {
                worst = worst.max(difference(alone, &part(port, together)));
            }
        }
    }
    for ((port, summed), together) in writing.iter().zip(&fixed).zip(&together) {
        if matches!(port.extent, Extent::Fixed(_)) {
            worst = worst.max(difference(summed, together));
        }
    }
    worst
}

#[test]
fn every_operation_takes_one_image_and_seven() {
    let mut random = Random::new(11, Stream::Pairs);
    // At least three where a range has them, so that three iterations always fit.
    let mut pick = |range: std::ops::RangeInclusive<usize>| {
        let (least, most) = ((*range.start()).max(3.min(*range.end())), *range.end());
        least + random.below((most - least + 1) as u32) as usize
    };
    let all = [
        adam::specimens,
        batch_sum::specimens,
        conv::specimens,
        dense::specimens,
        lengths::specimens,
        margin_loss::specimens,
        reconstruction_loss::specimens,
        squash::specimens,
        tally::specimens,
        votes::specimens,
        dynamic::specimens,
    ];
    let operations: Vec<Arc<dyn Operation>> = all.iter().flat_map(|specimens| specimens(&mut pick)).collect();
    let mut worst: (f64, &str) = (0.0, "");
    for operation in &operations {
        let off = one_by_one(operation, &mut Random::new(12, Stream::Pairs));
        assert!(off < 1e-9, "{operation:?}: seven images and one at a time differ by {off:.1e}");
        if off > worst.0 {
            worst = (off, operation.name());
        }
    }
    println!("{} operations, at 1 image and at 7: {:.1e} apart at most ({})", operations.len(), worst.0, worst.1);
}

/// A ragged batch is averaged over its own images, not over those of a full one.
#[test]
fn a_ragged_batch_is_averaged_over_its_own_images() {
    let config = Preset::Tiny.config();
    let (pixels, labels) = test_images(7);
    let parameters = initial_parameters(&config, 1);
    let gradient = |capacity: usize, images: std::ops::Range<usize>, total: usize| {
        let mut subject = Subject::<f64>::new(&config, Purpose::Train, capacity, &parameters);
        subject.feed((&pixels[images.start * 784..images.end * 784], &labels[images.clone()]));
        subject.run(&Run { total: total as f32, ..Run::new(images.len(), 3, Chosen::Label) }, Phase::Backward);
        subject.gradient("digit.weight")
    };
    let mut mean = vec![0.0; gradient(1, 0..1, 1).len()];
    for image in 0..7 {
        let alone = gradient(1, image..image + 1, 1);
        mean.iter_mut().zip(alone).for_each(|(mean, g)| *mean += g / 7.0);
    }
    let (right, wrong) = (gradient(128, 0..7, 7), gradient(128, 0..7, 128));
    let size = mean.iter().fold(0.0_f64, |most, g| most.max(g.abs()));
    let off = |got: &[f64]| difference(got, &mean) / size;
    println!("seven of 128: off by {:.1e}; averaged over 128 by {:.2}", off(&right), off(&wrong));
    assert!(off(&right) < 1e-12 && off(&wrong) > 0.9);
}
