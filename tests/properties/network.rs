//! Whole networks: what one image's answer depends on, and what a batch's gradients do.

use crate::twins::{Subject, difference, test_images};
use capscope::capsnet::{Config, Preset, Purpose};
use capscope::exec::cpu::Precision;
use capscope::plan::{Chosen, Phase, Role, Run};
use capscope::train::initial_parameters;

/// What a reading of an image shows.
const SHOWN: [&str; 6] = ["lengths", "digit v", "reconstruction", "primary", "digit coupling", "digit entropy"];

/// An image alone, in a batch of 7 and in a batch of 128, first and last in it.
#[test]
fn an_image_is_read_alike_alone_and_in_any_batch() {
    let (pixels, labels) = test_images(128);
    for preset in [Preset::Tiny, Preset::Compact] {
        let config = preset.config();
        let parameters = initial_parameters(&config, 3);
        let mut alone = Subject::<f32>::new(&config, Purpose::Trace, 1, &parameters);
        let mut many = Subject::<f32>::new(&config, Purpose::Trace, 128, &parameters);
        let mut worst: f64 = 0.0;
        for (live, images) in [(7, vec![0, 6]), (128, vec![0, 6, 64, 127])] {
            many.feed((&pixels[..live * 784], &labels[..live]));
            many.forward(live, 3, Chosen::Longest);
            for image in images {
                alone.feed((&pixels[image * 784..][..784], &labels[image..=image]));
                alone.forward(1, 3, Chosen::Longest);
                for name in SHOWN {
                    let one = alone.tensor(name, 1);
                    let all = many.tensor(name, live);
                    // Iterations that the run did not do are left alone: zero in both.
                    worst = worst.max(difference(&one, &all[image * one.len()..][..one.len()]));
                }
            }
        }
        println!("{}: alone, among 7 and among 128 differ by {worst:.1e} at most", preset.name());
        assert!(worst <= 1e-6);
    }
}

/// Every r that a page may ask for, on a whole network; r = 1 is uniform.
#[test]
fn a_network_routes_from_one_to_ten_times() {
    let config = Preset::Tiny.config();
    let mut subject = Subject::<f32>::new(&config, Purpose::Trace, 5, &initial_parameters(&config, 3));
    let (pixels, labels) = test_images(5);
    subject.feed((&pixels, &labels));
    let mut entropies = vec![];
    for iterations in 1..=10 {
        subject.forward(5, iterations, Chosen::Longest);
        let coupling = subject.tensor("digit coupling", 5);
        let pairs = config.primary_capsules() * 10;
        for image in coupling.chunks_exact(10 * pairs) {
            for row in image[..iterations * pairs].chunks_exact(10) {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-6);
            }
            assert!(image[..pairs].iter().all(|&c| (c - 0.1).abs() < 1e-7));
        }
        assert!(subject.tensor("lengths", 5).iter().all(|&length| (0.0..1.0).contains(&length)));
        entropies.push(subject.tensor("digit entropy", 5).iter().sum::<f64>() / 5.0);
    }
    println!("entropy by r: {entropies:.5?}");
    assert!((entropies[0] - 10.0_f64.ln()).abs() < 1e-6);
    assert!(entropies.windows(2).all(|pair| pair[1] < pair[0]), "more iterations polarise");
}

/// Gradients of a batch, run in chunks of the given sizes.
fn gradients<T: Precision>(config: &Config, batch: usize, capacity: usize, chunks: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let parameters = initial_parameters(config, 3);
    let mut subject = Subject::<T>::new(config, Purpose::Train, capacity, &parameters);
    let (pixels, labels) = test_images(batch);
    let mut first = 0;
    for &live in chunks {
        subject.feed((&pixels[first * 784..(first + live) * 784], &labels[first..first + live]));
        let run = Run {
            total: batch as f32,
            accumulate: (first > 0).into(),
            ..Run::new(live, config.iterations(), Chosen::Label)
        };
        subject.run(&run, Phase::Backward);
        first += live;
    }
    assert_eq!(first, batch);
    let flat = subject.store.buffer(Role::Gradients).iter().map(|g| g.double()).collect();
    (flat, subject.tensor("ledger", 0)[..5].to_vec())
}

/// The accumulate flag: a batch in chunks has the gradients and the losses of the whole batch.
#[test]
fn chunks_add_up_to_the_whole_batch() {
    let cases: [(Preset, usize, &[usize]); 5] = [
        (Preset::Tiny, 128, &[64, 64]),
        (Preset::Tiny, 128, &[50, 50, 28]),
        (Preset::Tiny, 7, &[1, 1, 1, 1, 1, 1, 1]),
        (Preset::Tiny, 256, &[128, 128]),
        (Preset::Compact, 12, &[5, 5, 2]),
    ];
    for (preset, batch, chunks) in cases {
        let config = preset.config();
        let whole = gradients::<f32>(&config, batch, batch, &[batch]);
        let parts = gradients::<f32>(&config, batch, chunks[0], chunks);
        let (gradient, losses) = (difference(&whole.0, &parts.0), difference(&whole.1, &parts.1) / batch as f64);
        let largest = whole.0.iter().fold(0.0_f64, |most, g| most.max(g.abs()));
        println!(
            "{} {batch} = {chunks:?}: gradients (largest {largest:.1e}) differ by {gradient:.1e}, losses by {losses:.1e}",
            preset.name()
        );
        assert!(largest > 1e-3 && gradient <= 1e-6 * largest && losses <= 1e-6);
        assert_eq!(whole.1[4], batch as f64);
    }
    // In double precision next to nothing is left, and without the flag only the last chunk is.
    let config = Preset::Tiny.config();
    let whole = gradients::<f64>(&config, 12, 12, &[12]);
    let parts = gradients::<f64>(&config, 12, 5, &[5, 5, 2]);
    assert!(difference(&whole.0, &parts.0) < 1e-14);
}

/// A ragged batch in a plan for more images: whatever lies behind the live images changes nothing.
#[test]
fn what_lies_behind_a_ragged_batch_does_not_matter() {
    let config = Preset::Tiny.config();
    let parameters = initial_parameters(&config, 3);
    let (pixels, labels) = test_images(24);
    for live in [1, 7, 23] {
        let mut exact = Subject::<f32>::new(&config, Purpose::Train, live, &parameters);
        exact.feed((&pixels[..live * 784], &labels[..live]));
        let mut roomy = Subject::<f32>::new(&config, Purpose::Train, 24, &parameters);
        // A full batch first, then NaN in the places of the images that are missing.
        roomy.feed((&pixels, &labels));
        roomy.run(&Run::new(24, 3, Chosen::Label), Phase::Update);
        let mut rest = vec![f64::NAN; 24 * 784];
        rest[..live * 784].copy_from_slice(&pixels[..live * 784]);
        roomy.feed((&rest, &labels[..live]));
        roomy.store = exact.store.clone();
        let run =
            Run { rate: 1e-3, first_correction: 0.1, second_correction: 0.001, ..Run::new(live, 3, Chosen::Label) };
        exact.run(&run, Phase::Update);
        roomy.run(&run, Phase::Update);
        for role in Role::SHARED {
            assert!(exact.store.buffer(role) == roomy.store.buffer(role), "{live} images: {role:?}");
        }
        let losses = exact.tensor("ledger", 0)[..5].to_vec();
        assert_eq!(losses, roomy.tensor("ledger", 0)[..5]);
        println!("{live} of 24: same bits; margin loss {:.4} an image", losses[0] / losses[4]);
    }
}
