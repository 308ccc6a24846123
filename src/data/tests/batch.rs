//! Batches: orders, ragged ends, shifts, and going on where one stopped.

use proptest::prelude::*;

use super::{images_file, labels_file};
use crate::data::{BatchError, Batcher, BatcherState, Dataset, Drawn, Stream, evaluation_batch, shift};

const SIDE: usize = 6;

/// `count` images of 6×6 with one bright pixel in the middle that tells the image, labelled by its number modulo 10.
fn numbered(count: usize) -> Dataset {
    let mut pixels = vec![0; count * SIDE * SIDE];
    for (i, image) in pixels.chunks_exact_mut(SIDE * SIDE).enumerate() {
        image[2 * SIDE + 2] = i as u8 + 1;
    }
    let labels: Vec<u8> = (0..count).map(|i| (i % 10) as u8).collect();
    let images = images_file(count as u32, SIDE as u32, SIDE as u32, &pixels);
    Dataset::from_idx(&images, &labels_file(count as u32, &labels)).unwrap()
}

/// A batch's live pixels and labels, as bits.
fn draw(batcher: &mut Batcher, set: &Dataset) -> (Drawn, Vec<u32>, Vec<f32>) {
    let mut pixels = vec![-1.0; batcher.batch() * set.image_len()];
    let mut labels = vec![-1.0; batcher.batch()];
    let drawn = batcher.fill(set, &mut pixels, &mut labels);
    let (live, dead) = pixels.split_at(drawn.count * set.image_len());
    assert!(dead.iter().chain(&labels[drawn.count..]).all(|v| *v == -1.0), "wrote behind the live images");
    (drawn, live.iter().map(|v| v.to_bits()).collect(), labels[..drawn.count].to_vec())
}

/// The image's number and how far its bright pixel was moved.
fn recognise(image: &[u32]) -> (usize, i32, i32) {
    let bright: Vec<usize> = (0..image.len()).filter(|&i| image[i] != 0).collect();
    assert_eq!(bright.len(), 1);
    let number = (f32::from_bits(image[bright[0]]) * 255.0).round() as usize - 1;
    (number, (bright[0] % SIDE) as i32 - 2, (bright[0] / SIDE) as i32 - 2)
}

#[test]
fn a_shift_moves_whole_pixels_and_fills_with_zeros() {
    let image = [51, 102, 153, 204, 255, 0];
    let mut target = [9.0; 6];
    shift(&image, 3, 1, 0, &mut target);
    assert_eq!(target, [0.0, 0.2, 0.4, 0.0, 0.8, 1.0]);
    shift(&image, 3, -2, -1, &mut target);
    assert_eq!(target, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    shift(&image, 3, -1, 1, &mut target);
    assert_eq!(target, [0.0, 0.0, 0.0, 0.4, 0.6, 0.0]);
    for (dx, dy) in [(3, 0), (-3, 0), (0, 2), (i32::MAX, i32::MIN)] {
        shift(&image, 3, dx, dy, &mut target);
        assert_eq!(target, [0.0; 6], "{dx}, {dy}");
    }
}

#[test]
fn shifts_reach_two_pixels_each_way_and_no_further() {
    let set = numbered(200);
    let mut seen = [[0; 5]; 5];
    let mut batcher = Batcher::new(3, 200, 50, 2).unwrap();
    for _ in 0..40 {
        let (_, pixels, labels) = draw(&mut batcher, &set);
        for (image, label) in pixels.chunks_exact(SIDE * SIDE).zip(labels) {
            let (number, dx, dy) = recognise(image);
            assert_eq!(label, (number % 10) as f32);
            seen[(dy + 2) as usize][(dx + 2) as usize] += 1;
        }
    }
    // 2 000 shifts over 25 places: 80 each, with a standard deviation of 9.
    assert!(seen.iter().flatten().all(|n| (40..=120).contains(n)), "{seen:?}");
}

#[test]
fn evaluation_reads_the_set_in_order_and_as_it_is() {
    let set = numbered(7);
    let (mut pixels, mut labels) = (vec![0.5; 3 * SIDE * SIDE], [0.5; 3]);
    let mut seen = Vec::new();
    for (start, expected) in [(0, 3), (3, 3), (6, 1), (7, 0), (70, 0)] {
        let count = evaluation_batch(&set, start, 3, &mut pixels, &mut labels);
        assert_eq!(count, expected);
        for (image, label) in pixels.chunks_exact(SIDE * SIDE).zip(labels).take(count) {
            assert_eq!(image, set.image_f32(seen.len()));
            assert_eq!(label, f32::from(set.label(seen.len())));
            seen.push(label);
        }
    }
    assert_eq!(seen, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn impossible_batches_are_refused() {
    assert_eq!(Batcher::new(0, 10, 0, 2).unwrap_err(), BatchError::ZeroBatch);
    assert_eq!(Batcher::new(0, 0, 1, 2).unwrap_err(), BatchError::BadCount { count: 0 });
    let state = Batcher::new(0, 10, 4, 2).unwrap().state();
    assert_eq!(Batcher::restore(state, 11).unwrap_err(), BatchError::OtherSet { saved: 10, count: 11 });
    let behind = BatcherState { offset: 10, ..state };
    assert!(matches!(Batcher::restore(behind, 10), Err(BatchError::BadPosition { .. })));
    let mut swapped = state;
    swapped.shuffle.stream = Stream::Augmentation;
    assert!(matches!(Batcher::restore(swapped, 10), Err(BatchError::BadPosition { .. })));
}

#[test]
fn the_order_does_not_depend_on_shifts_or_batch_size() {
    let order = |batch: usize, max_shift: u8| {
        let mut batcher = Batcher::new(5, 23, batch, max_shift).unwrap();
        let set = numbered(23);
        let mut order = Vec::new();
        while order.len() < 46 {
            order.extend_from_slice(batcher.next_indices());
            draw(&mut batcher, &set);
        }
        order
    };
    assert_eq!(order(23, 0), order(7, 2));
    assert_ne!(order(23, 0)[..23], order(23, 0)[23..], "two epochs in one order");
}

proptest! {
    #[test]
    fn every_epoch_is_a_permutation(seed: u64, count in 1usize..60, batch in 1usize..70) {
        let set = numbered(count);
        let mut batcher = Batcher::new(seed, count, batch, 2).unwrap();
        for epoch in 0..3 {
            let (mut numbers, mut sizes) = (Vec::new(), Vec::new());
            loop {
                let indices = batcher.next_indices().to_vec();
                let (drawn, pixels, _) = draw(&mut batcher, &set);
                let found: Vec<usize> = pixels.chunks_exact(SIDE * SIDE).map(|image| recognise(image).0).collect();
                prop_assert!(found.iter().copied().eq(indices.iter().map(|&i| i as usize)));
                prop_assert_eq!(drawn.epoch, epoch);
                sizes.push(drawn.count);
                numbers.extend(found);
                if drawn.ends_epoch {
                    break;
                }
            }
            let ragged = sizes.pop().unwrap();
            prop_assert!(sizes.iter().all(|&size| size == batch));
            prop_assert_eq!(ragged, count - sizes.len() * batch);
            numbers.sort_unstable();
            prop_assert!(numbers.into_iter().eq(0..count));
        }
    }

    #[test]
    fn resuming_is_going_on(seed: u64, count in 1usize..40, batch in 1usize..50, max_shift in 0u8..3, drawn in 0usize..20) {
        let set = numbered(count);
        let mut batcher = Batcher::new(seed, count, batch, max_shift).unwrap();
        let mut again = Batcher::new(seed, count, batch, max_shift).unwrap();
        for _ in 0..drawn {
            prop_assert_eq!(draw(&mut batcher, &set), draw(&mut again, &set), "same seed, other bits");
        }
        let saved = serde_json::to_string(&batcher.state()).unwrap();
        let mut resumed = Batcher::restore(serde_json::from_str(&saved).unwrap(), count).unwrap();
        prop_assert_eq!(resumed.state(), batcher.state());
        for _ in 0..20 {
            prop_assert_eq!(draw(&mut resumed, &set), draw(&mut batcher, &set));
        }
    }
}
