//! The pictures of the running batch.

use super::host::{run, settings};
use capscope::protocol::{BatchPictures, Command, Snapshot, TrainingSettings};

/// What is shown of the first step's batch, and its accuracy as the curve has it.
fn first_batch(settings: TrainingSettings) -> (BatchPictures, f32) {
    let snapshots = run(vec![Command::Reset(settings), Command::Step], |snapshot, inbox| {
        if let Snapshot::Batch(_) = snapshot {
            *inbox = None;
        }
    });
    let batch = snapshots.iter().find_map(|s| if let Snapshot::Batch(batch) = s { Some(batch.clone()) } else { None });
    let accuracy = snapshots.iter().find_map(|s| if let Snapshot::Curve(points) = s { points.first() } else { None });
    (batch.expect("pictures after a step"), accuracy.expect("a step").accuracy)
}

fn right(batch: &BatchPictures) -> usize {
    batch.labels.iter().zip(&batch.readings).filter(|(label, read)| label == read).count()
}

#[test]
fn the_batch_is_shown_as_the_network_got_it_and_agrees_with_the_accuracy() {
    for pairs in [false, true] {
        let (batch, accuracy) = first_batch(TrainingSettings { pairs, ..settings("tiny", 6) });
        let side = if pairs { 36 } else { 28 };
        assert_eq!((batch.step, batch.batch, batch.size, batch.labels.len()), (0, 6, [side, side], 6));
        assert_eq!(batch.pixels.len(), 6 * (side * side) as usize);
        assert!(batch.pixels.chunks_exact((side * side) as usize).all(|picture| picture.iter().any(|&ink| ink > 200)));
        assert!(batch.labels.iter().chain(&batch.readings).all(|digits| match digits[..] {
            [one] => !pairs && one < 10,
            [low, high] => pairs && low < high && high < 10,
            _ => false,
        }));
        println!("{} of 6 right, accuracy {accuracy}", right(&batch));
        assert!((right(&batch) as f32 / 6.0 - accuracy).abs() < 1e-6);
    }
}

#[test]
fn of_a_large_batch_the_last_images_are_shown() {
    let (batch, _) = first_batch(settings("tiny", 150));
    assert_eq!(batch.batch, 150);
    assert!((1..=32).contains(&batch.labels.len()) && batch.readings.len() == batch.labels.len());
}
