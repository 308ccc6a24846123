//! Training on MNIST: the same bits on any number of threads, after any interruption, in any chunks.

use crate::twins::{first_of, mnist};
use capscope::capsnet::{Config, Preset};
use capscope::data::{Dataset, MnistSplit};
use capscope::exec::Device;
use capscope::plan::Role;
use capscope::train::weights::{About, Precision, Standing, from_bytes, to_bytes};
use capscope::train::{Losses, Settings, Trainer};
use pollster::block_on;

/// Batches of 130 images: the last of an epoch is ragged.
const IMAGES: usize = 130;

fn images() -> Dataset {
    first_of(mnist(MnistSplit::TRAIN), IMAGES)
}

fn new(config: Config, settings: Settings) -> Trainer {
    block_on(Trainer::new(&Device::Cpu, config, settings, IMAGES)).expect("a trainer")
}

fn train(trainer: &mut Trainer, data: &Dataset, steps: usize) -> Vec<Losses> {
    for _ in 0..steps {
        assert!(trainer.advance(data, &mut || false).expect("a step"));
    }
    block_on(trainer.losses()).expect("finite losses")
}

/// Every bit of parameters, gradients and moments.
fn bits(trainer: &Trainer) -> Vec<u32> {
    let buffer = |role| block_on(trainer.store().read(role)).expect("the CPU is never lost");
    Role::SHARED.into_iter().flat_map(buffer).map(f32::to_bits).collect()
}

#[test]
fn a_training_step_has_the_same_bits_on_any_number_of_threads() {
    let data = images();
    let settings = Settings { batch: 40, seed: 7, max_shift: 2, chunk: 24 };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut trainer = new(Preset::Compact.config(), settings);
            (train(&mut trainer, &data, 2), bits(&trainer))
        })
    };
    let one = on(1);
    for threads in [2, 5] {
        let several = on(threads);
        assert_eq!(one.0, several.0, "losses on {threads} threads");
        assert!(one.1 == several.1, "parameters or moments differ on {threads} threads");
    }
    println!("compact, 2 steps of 40: {} numbers alike on 1, 2 and 5 threads; losses {:?}", one.1.len(), one.0);
    let mut other = new(Preset::Compact.config(), Settings { seed: 8, ..settings });
    assert_ne!(one.0, train(&mut other, &data, 2), "another seed is another training");
}

#[test]
fn training_goes_on_from_a_file_as_if_it_had_never_stopped() {
    let data = images();
    let config = Preset::Tiny.config();
    let settings = Settings { batch: 24, seed: 7, max_shift: 2, chunk: 10 };
    // Six batches an epoch, the last of 10 images: stopped within the first epoch, at its end, in the second.
    for stop in [1, 6, 8] {
        let mut straight = new(config.clone(), settings);
        train(&mut straight, &data, stop);
        let read = |role| block_on(straight.store().read(role)).expect("the CPU is never lost");
        let [parameters, _, first, second] = Role::SHARED.map(read);
        let training = Some(Standing { settings: *straight.settings(), position: straight.position() });
        let about = About { config: config.clone(), preset: None, step: straight.step(), results: None, training };
        let file = to_bytes(&about, &parameters, Some([&first, &second]), Precision::Single);
        let weights = from_bytes(&file).expect("our own file");
        let Standing { settings, position } = weights.about.training.expect("where training stands");

        let resumed = Trainer::resume(&Device::Cpu, &weights, settings, position, IMAGES);
        let mut resumed = block_on(resumed).expect("a trainer");
        let mut forgetful =
            block_on(Trainer::from_weights(&Device::Cpu, &weights, settings, IMAGES)).expect("a trainer");
        let losses = train(&mut straight, &data, 7);
        assert_eq!(losses, train(&mut resumed, &data, 7), "stopped after {stop}");
        assert!(bits(&straight) == bits(&resumed), "stopped after {stop}: other bits");
        assert_ne!(losses, train(&mut forgetful, &data, 7), "without moments and position it is another training");
        println!("stopped after {stop} steps: 7 more have the same bits, last loss {:.5}", losses[6].total());
    }
}

#[test]
fn the_last_batch_of_an_epoch_is_averaged_over_its_own_images() {
    let data = images();
    let config = Preset::Tiny.config();
    for (batch, sizes) in [(128, [128, 2, 128]), (50, [50, 50, 30]), (256, [130, 130, 130])] {
        let settings = Settings { batch, seed: 7, max_shift: 0, chunk: batch };
        let mut trainer = new(config.clone(), settings);
        for (step, size) in sizes.into_iter().enumerate() {
            assert!(trainer.position().offset as usize + size <= IMAGES);
            let losses = train(&mut trainer, &data, 1)[0];
            // Near the start every image costs about the same, however few share a batch.
            println!(
                "batch {batch}, step {step}, {size} images: margin {:.4}, right {}",
                losses.margin, losses.accuracy
            );
            assert!((0.3..1.0).contains(&losses.margin));
            let right = losses.accuracy * size as f32;
            assert!((right - right.round()).abs() < 1e-4, "a count out of {size}");
        }
    }
}

/// A set of two images in batches of 128 is the set of two in batches of two: gradients, too, are averaged over those
/// that are there.
#[test]
fn a_batch_that_never_fills_trains_like_a_small_one() {
    let data = first_of(mnist(MnistSplit::TRAIN), 2);
    let run = |batch: usize| {
        let settings = Settings { batch, seed: 7, max_shift: 2, chunk: batch };
        let trainer = Trainer::new(&Device::Cpu, Preset::Tiny.config(), settings, 2);
        let mut trainer = block_on(trainer).expect("a trainer");
        (train(&mut trainer, &data, 3), bits(&trainer))
    };
    let (roomy, exact) = (run(128), run(2));
    assert_eq!(roomy.0, exact.0);
    assert!(roomy.1 == exact.1);
    println!("two images in batches of 128 and of 2: same bits, last loss {:.5}", roomy.0[2].total());
}

#[test]
fn a_batch_of_256_costs_the_same_in_any_chunks() {
    let data = first_of(mnist(MnistSplit::TRAIN), 256);
    let run = |chunk: usize| {
        let settings = Settings { batch: 256, seed: 7, max_shift: 2, chunk };
        let trainer = Trainer::new(&Device::Cpu, Preset::Tiny.config(), settings, 256);
        train(&mut block_on(trainer).expect("a trainer"), &data, 2)
    };
    let whole = run(256);
    for chunk in [128, 100, 37] {
        let parts = run(chunk);
        let off = |a: f32, b: f32| (a - b).abs();
        let worst =
            whole.iter().zip(&parts).map(|(a, b)| off(a.margin, b.margin).max(off(a.reconstruction, b.reconstruction)));
        let worst = worst.fold(0.0, f32::max);
        println!("256 in chunks of {chunk}: losses of two steps differ by {worst:.1e}");
        // After one step of Adam, which is practically a sign, rounding has moved a few parameters by the rate.
        assert!(worst < 1e-4 && off(whole[0].total(), parts[0].total()) <= 1e-6);
    }
}
