//! Batches: a new order in each epoch, the last batch ragged, shifts for training only.
//!
//! Training draws from a [`Batcher`]; evaluation calls [`evaluation_batch`], which has no augmentation to pass it.

use serde::{Deserialize, Serialize};

use super::dataset::{Dataset, unit};
use super::pairs::{PAIR_SHIFT, Pair, canvas};
use super::random::{Random, RandomState, Stream};

/// Why no batches can be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// A batch of nothing.
    #[error("A batch holds at least one image; choose a batch size of 1 or more.")]
    ZeroBatch,
    /// No images, or more than can be numbered.
    #[error("Batches cannot be drawn from {count} images; choose a set of 1 to {} images.", u32::MAX)]
    BadCount {
        /// How many images.
        count: usize,
    },
    /// A set of one class has no two digits of different labels.
    #[error(
        "Overlapping digits have different labels, and this set has only one; choose a set of two classes or more."
    )]
    OneClass,
    /// A saved position of another training set.
    #[error(
        "The saved position belongs to a set of {saved} images and this one has {count}; load the set that the training began with."
    )]
    OtherSet {
        /// Images of the set that the position was saved with.
        saved: u32,
        /// Images of this set.
        count: usize,
    },
    /// A saved position that no [`Batcher`] can have been at.
    #[error("The saved position cannot be right ({reason}); start the training again or load another file.")]
    BadPosition {
        /// What is wrong.
        reason: &'static str,
    },
}

/// An endless sequence of training batches, set by seed, batch size and shift alone.
#[derive(Clone, Debug)]
pub struct Batcher {
    batch: usize,
    max_shift: u8,
    order: Vec<u32>,
    epoch: u64,
    offset: usize,
    epoch_start: RandomState,
    shuffle: Random,
    augmentation: Random,
    /// For overlapping digits: draws partners and places.
    pairs: Option<Random>,
}

/// Where a [`Batcher`] stands; [`Batcher::restore`] goes on with the very next image and the very next shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatcherState {
    /// Images of the set.
    pub count: u32,
    /// Images of a full batch.
    pub batch: u32,
    /// Largest shift each way, in pixels; 0 for none.
    pub max_shift: u8,
    /// Finished epochs.
    pub epoch: u64,
    /// Images already drawn in the current epoch, below `count`.
    pub offset: u32,
    /// The shuffling stream before the current epoch's order was drawn.
    pub shuffle: RandomState,
    /// The augmentation stream before the next image.
    pub augmentation: RandomState,
    /// Of overlapping digits: the stream of partners and places before the next picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<RandomState>,
}

/// Where [`Batcher::fill_pairs`] writes: pictures as [n, 1, height, width] of the [`canvas`], labels as [n], with room for
/// a full batch.
pub struct PairTargets<'a> {
    /// Both digits, added and cut at 1.
    pub both: &'a mut [f32],
    /// Each digit by itself.
    pub each: [&'a mut [f32]; 2],
    /// Their labels.
    pub labels: [&'a mut [f32]; 2],
}

/// What a call of [`Batcher::fill`] drew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// Live images, at least 1 and at most the batch size.
    pub count: usize,
    /// Epochs finished before this batch.
    pub epoch: u64,
    /// Whether this batch ends its epoch.
    pub ends_epoch: bool,
}

impl Batcher {
    /// Batches of `batch` out of `count` images; each image shifted by up to `max_shift` pixels each way (0: left as
    /// it is; the paper's training uses 2).
    pub fn new(seed: u64, count: usize, batch: usize, max_shift: u8) -> Result<Self, BatchError> {
        let shuffle = Random::new(seed, Stream::Shuffle);
        let augmentation = Random::new(seed, Stream::Augmentation);
        Self::at_epoch(count, batch, max_shift, 0, shuffle, augmentation)
    }

    /// Batches of `batch` pictures of two overlapping digits: each of `count` images is the first digit of one picture
    /// of an epoch, its partner is drawn from all of another label, and each lies up to `max_shift` pixels (at most
    /// [`PAIR_SHIFT`]) from the middle each way.
    pub fn of_pairs(seed: u64, count: usize, batch: usize, max_shift: u8) -> Result<Self, BatchError> {
        let batcher = Self::new(seed, count, batch, max_shift.min(PAIR_SHIFT))?;
        Ok(Self { pairs: Some(Random::new(seed, Stream::Pairs)), ..batcher })
    }

    /// Goes on where [`Batcher::state`] was taken. `count` is the number of images of the set at hand.
    pub fn restore(state: BatcherState, count: usize) -> Result<Self, BatchError> {
        if state.count as usize != count {
            return Err(BatchError::OtherSet { saved: state.count, count });
        }
        if state.offset >= state.count {
            return Err(BatchError::BadPosition { reason: "it lies behind the epoch's last image" });
        }
        if (state.shuffle.stream, state.augmentation.stream) != (Stream::Shuffle, Stream::Augmentation) {
            return Err(BatchError::BadPosition { reason: "its random streams are not those of batches" });
        }
        if state.pairs.is_some_and(|pairs| pairs.stream != Stream::Pairs || state.max_shift > PAIR_SHIFT) {
            return Err(BatchError::BadPosition { reason: "its pairs are not drawn as pairs are" });
        }
        let (shuffle, augmentation) = (Random::restore(state.shuffle), Random::restore(state.augmentation));
        let mut batcher =
            Self::at_epoch(count, state.batch as usize, state.max_shift, state.epoch, shuffle, augmentation)?;
        batcher.offset = state.offset as usize;
        batcher.pairs = state.pairs.map(Random::restore);
        Ok(batcher)
    }

    fn at_epoch(
        count: usize,
        batch: usize,
        max_shift: u8,
        epoch: u64,
        shuffle: Random,
        augmentation: Random,
    ) -> Result<Self, BatchError> {
        let batch = u32::try_from(batch).unwrap_or(u32::MAX) as usize;
        if batch == 0 {
            return Err(BatchError::ZeroBatch);
        }
        let numbered = u32::try_from(count).ok().filter(|&count| count > 0).ok_or(BatchError::BadCount { count })?;
        let order = (0..numbered).collect();
        let epoch_start = shuffle.state();
        let mut batcher =
            Self { batch, max_shift, order, epoch, offset: 0, epoch_start, shuffle, augmentation, pairs: None };
        batcher.draw_order();
        Ok(batcher)
    }

    /// Draws the current epoch's order, always from the sorted one, so that an epoch does not depend on the last.
    fn draw_order(&mut self) {
        self.offset = 0;
        self.epoch_start = self.shuffle.state();
        for (position, index) in self.order.iter_mut().enumerate() {
            *index = position as u32;
        }
        self.shuffle.shuffle(&mut self.order);
    }

    /// The position, to be saved with the weights that the batches so far have made.
    pub fn state(&self) -> BatcherState {
        BatcherState {
            count: self.order.len() as u32,
            batch: self.batch as u32,
            max_shift: self.max_shift,
            epoch: self.epoch,
            offset: self.offset as u32,
            shuffle: self.epoch_start,
            augmentation: self.augmentation.state(),
            pairs: self.pairs.as_ref().map(Random::state),
        }
    }

    /// Images of a full batch.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Finished epochs.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Images already drawn in the current epoch.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The images that the next call of [`Batcher::fill`] takes from the set.
    pub fn next_indices(&self) -> &[u32] {
        &self.order[self.offset..self.order.len().min(self.offset + self.batch)]
    }

    /// Writes the next batch: `pixels` as [n, 1, height, width] in [0, 1], `labels` as [n]. What lies behind the n live
    /// images in the buffers is left as it is.
    ///
    /// # Panics
    /// If `dataset` is not the set that the batcher was made for, or a buffer is shorter than a full batch.
    pub fn fill(&mut self, dataset: &Dataset, pixels: &mut [f32], labels: &mut [f32]) -> Drawn {
        assert_eq!(dataset.len(), self.order.len(), "the batcher was made for a set of another size");
        let image_len = dataset.image_len();
        let (end, count) = self.next_end();
        let targets = pixels[..count * image_len].chunks_exact_mut(image_len).zip(&mut labels[..count]);
        for (&index, (pixels, label)) in self.order[self.offset..end].iter().zip(targets) {
            let index = index as usize;
            let (dx, dy) = draw_shift(&mut self.augmentation, self.max_shift);
            shift(dataset.image(index), dataset.width(), dx, dy, pixels);
            *label = f32::from(dataset.label(index));
        }

        self.pass(end, count)
    }

    /// Writes the next batch of overlapping digits. What lies behind the live pictures is left as it is.
    ///
    /// # Errors
    /// [`BatchError::OneClass`] if there are no two images of different labels.
    ///
    /// # Panics
    /// If `dataset` is not the set that the batcher was made for, a buffer is shorter than a full batch, or the batcher
    /// is not [`Batcher::of_pairs`].
    pub fn fill_pairs(&mut self, dataset: &Dataset, targets: PairTargets<'_>) -> Result<Drawn, BatchError> {
        assert_eq!(dataset.len(), self.order.len(), "the batcher was made for a set of another size");
        let (end, count) = self.next_end();
        let random = self.pairs.as_mut().expect("a batcher of pairs");
        let (height, width) = canvas(dataset);
        let PairTargets { both, each: [first, second], labels } = targets;
        let place = |k: usize| k * height * width..(k + 1) * height * width;
        for (k, &index) in self.order[self.offset..end].iter().enumerate() {
            let pair = Pair::draw(dataset, index, self.max_shift, random).ok_or(BatchError::OneClass)?;
            pair.overlay(dataset, &mut both[place(k)], [&mut first[place(k)], &mut second[place(k)]]);
            for (which, label) in pair.labels(dataset).into_iter().enumerate() {
                labels[which][k] = f32::from(label);
            }
        }
        Ok(self.pass(end, count))
    }

    /// Whether the pictures are of overlapping digits.
    pub fn is_of_pairs(&self) -> bool {
        self.pairs.is_some()
    }

    /// The place behind the next batch, and the batch's size.
    fn next_end(&self) -> (usize, usize) {
        let end = self.order.len().min(self.offset + self.batch);
        (end, end - self.offset)
    }

    /// Goes on behind a batch of `count` images that ended at `end`.
    fn pass(&mut self, end: usize, count: usize) -> Drawn {
        let drawn = Drawn { count, epoch: self.epoch, ends_epoch: end == self.order.len() };
        self.offset = end;
        if drawn.ends_epoch {
            self.epoch += 1;
            self.draw_order();
        }
        drawn
    }
}

/// A shift of at most `max_shift` pixels right and down (negative: left and up); draws nothing where there is none.
pub(super) fn draw_shift(random: &mut Random, max_shift: u8) -> (i32, i32) {
    if max_shift == 0 {
        return (0, 0);
    }
    let reach = i32::from(max_shift);
    let mut draw = || random.below(2 * u32::from(max_shift) + 1) as i32 - reach;
    (draw(), draw())
}

/// Writes `image`, moved right by `dx` and down by `dy` pixels, as numbers in [0, 1]; what moves in is 0.
///
/// # Panics
/// If `image` is no whole number of rows of `width`, or `target` is of another length than `image`.
pub fn shift(image: &[u8], width: usize, dx: i32, dy: i32, target: &mut [f32]) {
    assert!(width > 0 && image.len().is_multiple_of(width), "{} pixels are no rows of {width}", image.len());
    assert_eq!(image.len(), target.len(), "image and target differ in length");
    let height = (image.len() / width) as i64;
    let (dx, dy) = (i64::from(dx), i64::from(dy));
    let left = dx.clamp(0, width as i64) as usize;
    let right = (width as i64 + dx).clamp(0, width as i64) as usize;
    for (y, row) in target.chunks_exact_mut(width).enumerate() {
        row.fill(0.0);
        let source_y = y as i64 - dy;
        if (0..height).contains(&source_y) && left < right {
            let source = &image[source_y as usize * width..][..width];
            let from = (left as i64 - dx) as usize;
            for (target, &byte) in row[left..right].iter_mut().zip(&source[from..]) {
                *target = unit(byte);
            }
        }
    }
}

/// Writes the images `start..` of the set in its own order, at most `batch` of them, unchanged but for the division by
/// 255, and says how many: 0 behind the end. `pixels` as [n, 1, height, width], `labels` as [n].
///
/// # Panics
/// If a buffer is too short for them.
pub fn evaluation_batch(
    dataset: &Dataset,
    start: usize,
    batch: usize,
    pixels: &mut [f32],
    labels: &mut [f32],
) -> usize {
    let image_len = dataset.image_len();
    let count = dataset.len().saturating_sub(start).min(batch);
    let targets = pixels[..count * image_len].chunks_exact_mut(image_len).zip(&mut labels[..count]);
    for (index, (pixels, label)) in (start..).zip(targets) {
        for (target, &byte) in pixels.iter_mut().zip(dataset.image(index)) {
            *target = unit(byte);
        }
        *label = f32::from(dataset.label(index));
    }
    count
}
