//! Training on overlapping digits.

use crate::twins::{first_of, mnist};
use capscope::capsnet::{Config, Preset};
use capscope::data::{Dataset, MnistSplit, PAIR_SHIFT};
use capscope::exec::Device;
use capscope::plan::Role;
use capscope::train::weights::{About, Precision, Standing, from_bytes, to_bytes};
use capscope::train::{Evaluator, Losses, Settings, Tally, Trainer};
use pollster::block_on;

/// Two digits of ten: a guess is right once in so many times.
const PAIRS_OF_CLASSES: f32 = 45.0;

fn config() -> Config {
    Preset::Tiny.config().for_pairs(PAIR_SHIFT.into())
}

fn new(settings: Settings, images: usize) -> Trainer {
    block_on(Trainer::new(&Device::Cpu, config(), settings, images)).expect("a trainer")
}

fn train(trainer: &mut Trainer, data: &Dataset, steps: usize) -> Vec<Losses> {
    for _ in 0..steps {
        assert!(trainer.advance(data, &mut || false).expect("a step"));
    }
    block_on(trainer.losses()).expect("finite losses")
}

fn evaluate(trainer: &Trainer, data: &Dataset) -> Tally {
    let evaluator = block_on(Evaluator::new(&Device::Cpu, trainer.config(), trainer.store(), 100, 3));
    block_on(evaluator.expect("an evaluator").finish(data)).expect("a tally")
}

#[test]
fn a_short_training_lowers_the_loss_and_beats_a_guess_by_far() {
    let data = first_of(mnist(MnistSplit::TRAIN), 4_000);
    let test = first_of(mnist(MnistSplit::TEST), 1_000);
    let mut trainer = new(Settings { batch: 32, seed: 7, max_shift: PAIR_SHIFT, chunk: 32 }, data.len());
    let before = evaluate(&trainer, &test);
    let losses = train(&mut trainer, &data, 250);
    let mean = |some: &[Losses]| some.iter().map(Losses::total).sum::<f32>() / some.len() as f32;
    let (first, last) = (mean(&losses[..20]), mean(&losses[230..]));
    let accuracy = losses[230..].iter().map(|losses| losses.accuracy).sum::<f32>() / 20.0;
    let after = evaluate(&trainer, &test);
    println!(
        "250 steps of 32: loss {first:.3} to {last:.3}, exact pairs of the last 20 batches {:.1} %, held out {} before and \
         {} after of {}",
        100.0 * accuracy,
        before.correct(),
        after.correct(),
        after.total()
    );
    assert!(last < 0.8 * first, "{first} to {last}");
    let guessed = after.total() as f32 / PAIRS_OF_CLASSES;
    assert!(after.total() == 1_000 && after.correct() as f32 > 5.0 * guessed, "{} right", after.correct());
    assert!(accuracy > 5.0 / PAIRS_OF_CLASSES, "{accuracy}");
    // Each picture has two digits, and each is counted once.
    assert_eq!(after.confusion.iter().sum::<u32>(), 2_000);
    let named: u32 = (0..10).map(|class| after.confusion[class * 11]).sum();
    assert!(named >= 2 * after.correct());
}

#[test]
fn training_on_pairs_goes_on_from_a_file_and_in_chunks() {
    let data = first_of(mnist(MnistSplit::TRAIN), 50);
    let settings = Settings { batch: 20, seed: 7, max_shift: PAIR_SHIFT, chunk: 8 };
    let mut straight = new(settings, data.len());
    train(&mut straight, &data, 4);
    let read = |role| block_on(straight.store().read(role)).expect("the CPU is never lost");
    let [parameters, _, first, second] = Role::SHARED.map(read);
    let training = Some(Standing { settings: *straight.settings(), position: straight.position() });
    let about = About { config: config(), preset: None, step: straight.step(), results: None, training };
    let weights =
        from_bytes(&to_bytes(&about, &parameters, Some([&first, &second]), Precision::Single)).expect("a file");
    let Standing { settings, position } = weights.about.training.expect("where training stands");
    let mut resumed = block_on(Trainer::resume(&Device::Cpu, &weights, settings, position, 50)).expect("a trainer");
    assert_eq!(train(&mut straight, &data, 4), train(&mut resumed, &data, 4));

    // Chunks add up to the whole: with both decoders' gradients in each of them.
    let mut whole = new(Settings { chunk: 20, ..settings }, data.len());
    let (whole, chunks) = (train(&mut whole, &data, 4), train(&mut new(settings, data.len()), &data, 4));
    for (whole, chunks) in whole.iter().zip(&chunks) {
        assert!((whole.total() - chunks.total()).abs() < 1e-4 * whole.total(), "{whole:?} in chunks {chunks:?}");
    }
}
