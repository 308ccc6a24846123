//! Two digits that overlap (MultiMNIST; Sabour et al. 2017, section 6.1): each moved by up to four pixels each way on a
//! canvas that has room for it, their pixels added and cut at 1, their labels different.

use super::batch::draw_shift;
use super::dataset::{Dataset, unit};
use super::random::{Random, Stream};
use serde::{Deserialize, Serialize};

/// Each digit is moved by up to so many pixels right or left, up or down; the canvas is larger by as many on each side:
/// 36×36 for digits of 28×28.
pub const PAIR_SHIFT: u8 = 4;

/// Seed of the held-out pairs: the same for everyone, so that figures can be compared.
const HELD_OUT_SEED: u64 = 2017;

/// Draws of a partner before the search goes image by image; one in ten draws hits a digit of the same class.
const DRAWS: usize = 64;

/// Two images of a set and where they lie on the canvas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// Their numbers in the set.
    pub images: [u32; 2],
    /// How far each lies right of and below the middle.
    pub shifts: [(i32, i32); 2],
}

/// Rows and columns of the canvas for a set's images.
pub fn canvas(dataset: &Dataset) -> (usize, usize) {
    let margin = 2 * usize::from(PAIR_SHIFT);
    (dataset.height() + margin, dataset.width() + margin)
}

impl Pair {
    /// Draws a partner with another label for the image `first`, and where both lie; at most `reach` pixels from the
    /// middle. `None` if all images of the set have one label.
    ///
    /// # Panics
    /// If there is no image `first`, or `reach` is more than [`PAIR_SHIFT`].
    pub fn draw(dataset: &Dataset, first: u32, reach: u8, random: &mut Random) -> Option<Self> {
        assert!(reach <= PAIR_SHIFT, "a shift of {reach} leaves the canvas");
        let count = dataset.len() as u32;
        let differs = |other: u32| dataset.label(other as usize) != dataset.label(first as usize);
        let drawn = (0..DRAWS).map(|_| random.below(count)).find(|&other| differs(other));
        let second = drawn.or_else(|| (0..count).find(|&other| differs(other)))?;
        let shifts = [draw_shift(random, reach), draw_shift(random, reach)];
        Some(Pair { images: [first, second], shifts })
    }

    /// The two labels.
    pub fn labels(&self, dataset: &Dataset) -> [u8; 2] {
        self.images.map(|image| dataset.label(image as usize))
    }

    /// Writes one of the two digits by itself, 0 or 1, as numbers in [0, 1] on the [`canvas`].
    ///
    /// # Panics
    /// If the pair is not of this set, or `target` is not the canvas.
    pub fn paint(&self, dataset: &Dataset, which: usize, target: &mut [f32]) {
        let (height, width) = canvas(dataset);
        assert_eq!(target.len(), height * width, "no canvas of {height}×{width}");
        let ((dx, dy), margin) = (self.shifts[which], i32::from(PAIR_SHIFT));
        let (left, top) = ((margin + dx) as usize, (margin + dy) as usize);
        target.fill(0.0);
        let rows = dataset.image(self.images[which] as usize).chunks_exact(dataset.width());
        for (row, target) in rows.zip(target.chunks_exact_mut(width).skip(top)) {
            for (&byte, target) in row.iter().zip(&mut target[left..]) {
                *target = unit(byte);
            }
        }
    }

    /// Writes both digits, their pixels added and cut at 1, and each by itself.
    ///
    /// # Panics
    /// As [`Pair::paint`].
    pub fn overlay(&self, dataset: &Dataset, both: &mut [f32], [first, second]: [&mut [f32]; 2]) {
        self.paint(dataset, 0, first);
        self.paint(dataset, 1, second);
        for ((both, first), second) in both.iter_mut().zip(first.iter()).zip(second.iter()) {
            *both = (first + second).min(1.0);
        }
    }
}

/// Pairs for testing: each image of the set is the first of one pair, in the set's order; partners and places are drawn
/// once, from a fixed seed. `None` if all images have one label.
pub fn held_out(dataset: &Dataset) -> Option<Vec<Pair>> {
    let mut random = Random::new(HELD_OUT_SEED, Stream::Pairs);
    (0..dataset.len() as u32).map(|first| Pair::draw(dataset, first, PAIR_SHIFT, &mut random)).collect()
}
