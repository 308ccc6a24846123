//! Reads a whole set of held-out images: how many right, which for which, and how each pose dimension spreads. A network
//! for overlapping digits reads the pairs made of them.

use super::trainer::TrainError;
use crate::capsnet::{Config, Purpose, most_images, plan};
use crate::data::{BatchError, Dataset, Pair, evaluation_batch, pairs};
use crate::exec::{Device, Loaded, Store};
use crate::ops::lengths::longest;
use crate::plan::{Chosen, Run, TensorId};
use std::ops::Range;
use std::sync::Arc;

/// What reading a set of images has shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    /// Classes.
    pub classes: usize,
    /// Counts [label, prediction]. Of two digits each counts; one that was missed counts for the digit that was named
    /// in its place.
    pub confusion: Vec<u32>,
    /// The longest capsule of each image, in their order; of overlapping digits none is told.
    pub predictions: Vec<u8>,
    /// Pictures read.
    read: u32,
    /// Pictures of which every digit was named.
    exact: u32,
    /// Σ of each pose dimension of the label's capsule [class, dim].
    sums: Vec<f64>,
    /// Σ of their squares.
    squares: Vec<f64>,
}

impl Tally {
    fn new(classes: usize, dims: usize) -> Self {
        let zeros = vec![0.0; classes * dims];
        Tally {
            classes,
            confusion: vec![0; classes * classes],
            predictions: vec![],
            read: 0,
            exact: 0,
            sums: zeros.clone(),
            squares: zeros,
        }
    }

    /// Images read.
    pub fn total(&self) -> u32 {
        self.read
    }

    /// Images read right: of two digits both.
    pub fn correct(&self) -> u32 {
        self.exact
    }

    /// Counts a picture: its labels, and the poses and lengths of all classes.
    fn count(&mut self, labels: &[usize], lengths: &[f32], poses: &[f32]) {
        let named = longest_few(lengths, labels.len());
        let missed = labels.iter().filter(|label| !named.contains(label));
        let wrong = named.iter().filter(|class| !labels.contains(class));
        let right = labels.iter().filter(|label| named.contains(label)).map(|label| (label, label));
        self.read += 1;
        self.exact += u32::from(labels.iter().all(|label| named.contains(label)));
        for (label, class) in right.chain(missed.zip(wrong)) {
            self.confusion[label * self.classes + class] += 1;
        }
        let dims = self.sums.len() / self.classes;
        for label in labels {
            for (dim, &value) in poses[label * dims..][..dims].iter().enumerate() {
                self.sums[label * dims + dim] += f64::from(value);
                self.squares[label * dims + dim] += f64::from(value).powi(2);
            }
        }
    }

    /// Images read wrong, in per cent.
    pub fn error_percent(&self) -> f64 {
        100.0 * f64::from(self.total() - self.correct()) / f64::from(self.total())
    }

    /// Mean and standard deviation of each pose dimension of the label's capsule, by class [class][dim].
    pub fn spread(&self) -> [Vec<Vec<f32>>; 2] {
        let dims = self.sums.len() / self.classes;
        let count = |class: usize| {
            f64::from(self.confusion[class * self.classes..][..self.classes].iter().sum::<u32>()).max(1.0)
        };
        let table = |value: &dyn Fn(usize, f64) -> f64| {
            (0..self.classes)
                .map(|class| (0..dims).map(|dim| value(class * dims + dim, count(class)) as f32).collect())
                .collect()
        };
        let mean = |at: usize, n: f64| self.sums[at] / n;
        let deviation = |at: usize, n: f64| (self.squares[at] / n - mean(at, n).powi(2)).max(0.0).sqrt();
        [table(&mean), table(&deviation)]
    }
}

/// The `few` longest, the longest first; of equals the first comes first.
fn longest_few(lengths: &[f32], few: usize) -> Vec<usize> {
    let mut classes: Vec<usize> = (0..lengths.len()).collect();
    classes.sort_by(|&a, &b| lengths[b].total_cmp(&lengths[a]));
    classes.truncate(few);
    classes
}

/// An evaluation that can be run a piece at a time.
pub struct Evaluator {
    loaded: Loaded,
    /// pixels, labels, lengths, v.
    ids: [TensorId; 4],
    capacity: usize,
    iterations: usize,
    dims: usize,
    is_of_pairs: bool,
    /// The held-out pairs, once they are made.
    pairs: Vec<Pair>,
    next: usize,
    current: Range<usize>,
    remaining: Range<usize>,
    tally: Tally,
}

impl Evaluator {
    /// An evaluation of the network in `store`, up to `capacity` images at a time, with `iterations` of routing.
    ///
    /// # Errors
    /// If the network cannot be planned or loaded.
    pub async fn new(
        device: &Device,
        config: &Config,
        store: &Store,
        capacity: usize,
        iterations: usize,
    ) -> Result<Self, TrainError> {
        let capacity = capacity.clamp(1, most_images(config, Purpose::Evaluate)?);
        let plan = Arc::new(plan(config, Purpose::Evaluate, capacity)?);
        let find = |name: &str| plan.find(name).expect("a tensor of every evaluating plan");
        let classes = config.classes();
        let v = find(&format!("{} v", classes.name));
        Ok(Evaluator {
            ids: [find("pixels"), find("labels"), find("lengths"), v],
            loaded: device.load(plan, store).await?,
            capacity,
            iterations,
            dims: classes.dims,
            is_of_pairs: config.is_of_pairs(),
            pairs: vec![],
            next: 0,
            current: 0..0,
            remaining: 0..0,
            tally: Tally::new(classes.parents, classes.dims),
        })
    }

    /// Works until the next images are read, or until `pause` says so. Returns whether all of `data` has been read.
    ///
    /// # Errors
    /// If the device is lost.
    pub async fn advance(&mut self, data: &Dataset, pause: &mut dyn FnMut() -> bool) -> Result<bool, TrainError> {
        if self.next == data.len() && self.current.is_empty() {
            return Ok(true);
        }
        if self.current.is_empty() {
            self.begin(data)?;
        }
        let run = Run::new(self.current.len(), self.iterations, Chosen::Longest);
        self.loaded.advance(&run, &mut self.remaining, pause)?;
        if self.remaining.is_empty() {
            self.count(data).await?;
        }
        Ok(self.next == data.len() && self.current.is_empty())
    }

    fn begin(&mut self, data: &Dataset) -> Result<(), BatchError> {
        if self.is_of_pairs && self.pairs.is_empty() {
            self.pairs = pairs::held_out(data).ok_or(BatchError::OneClass)?;
        }
        self.current = self.next..(self.next + self.capacity).min(data.len());
        self.next = self.current.end;
        let count = self.current.len();
        let mut labels = vec![0.0; count];
        let pixels = if self.is_of_pairs {
            self.pictures_of_pairs(data)
        } else {
            let mut pixels = vec![0.0; count * data.image_len()];
            evaluation_batch(data, self.current.start, count, &mut pixels, &mut labels);
            pixels
        };
        self.loaded.write(self.ids[0], &pixels);
        // Which capsule is long does not depend on the labels; the second ones of pairs are left alone.
        self.loaded.write(self.ids[1], &labels);
        self.remaining = 0..self.loaded.plan().steps.len();
        Ok(())
    }

    fn pictures_of_pairs(&self, data: &Dataset) -> Vec<f32> {
        let (height, width) = pairs::canvas(data);
        let mut pixels = vec![0.0; self.current.len() * height * width];
        let (mut first, mut second) = (vec![0.0; height * width], vec![0.0; height * width]);
        for (pair, both) in self.pairs[self.current.clone()].iter().zip(pixels.chunks_exact_mut(height * width)) {
            pair.overlay(data, both, [&mut first, &mut second]);
        }
        pixels
    }

    async fn count(&mut self, data: &Dataset) -> Result<(), TrainError> {
        let (classes, pose) = (self.tally.classes, self.tally.classes * self.dims);
        let images = std::mem::take(&mut self.current);
        let lengths = self.loaded.read(self.ids[2], images.len() * classes).await?;
        let poses = self.loaded.read(self.ids[3], images.len() * pose).await?;
        for ((image, lengths), poses) in images.zip(lengths.chunks_exact(classes)).zip(poses.chunks_exact(pose)) {
            match self.pairs.get(image) {
                Some(pair) => self.tally.count(&pair.labels(data).map(usize::from), lengths, poses),
                None => {
                    self.tally.predictions.push(longest(lengths) as u8);
                    self.tally.count(&[usize::from(data.label(image))], lengths, poses);
                }
            }
        }
        Ok(())
    }

    /// Reads all of `data` without a pause.
    ///
    /// # Errors
    /// If the device is lost.
    pub async fn finish(mut self, data: &Dataset) -> Result<Tally, TrainError> {
        while !self.advance(data, &mut || false).await? {}
        Ok(self.tally)
    }

    /// What has been read so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}
