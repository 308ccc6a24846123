//! Reads a whole set of held-out images: how many right, which for which, and how each pose dimension spreads.

use super::trainer::TrainError;
use crate::capsnet::{Config, Purpose, most_images, plan};
use crate::data::{Dataset, evaluation_batch};
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
    /// Counts [label, prediction].
    pub confusion: Vec<u32>,
    /// The longest capsule of each image, in their order.
    pub predictions: Vec<u8>,
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
            sums: zeros.clone(),
            squares: zeros,
        }
    }

    /// Images read.
    pub fn total(&self) -> u32 {
        self.confusion.iter().sum()
    }

    /// Images read right.
    pub fn correct(&self) -> u32 {
        (0..self.classes).map(|class| self.confusion[class * self.classes + class]).sum()
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

/// An evaluation that can be run a piece at a time.
pub struct Evaluator {
    loaded: Loaded,
    /// pixels, labels, lengths, v.
    ids: [TensorId; 4],
    capacity: usize,
    iterations: usize,
    dims: usize,
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
            self.begin(data);
        }
        let run = Run::new(self.current.len(), self.iterations, Chosen::Longest);
        self.loaded.advance(&run, &mut self.remaining, pause)?;
        if self.remaining.is_empty() {
            self.count(data).await?;
        }
        Ok(self.next == data.len() && self.current.is_empty())
    }

    fn begin(&mut self, data: &Dataset) {
        self.current = self.next..(self.next + self.capacity).min(data.len());
        self.next = self.current.end;
        let (mut pixels, mut labels) =
            (vec![0.0; self.current.len() * data.image_len()], vec![0.0; self.current.len()]);
        evaluation_batch(data, self.current.start, self.current.len(), &mut pixels, &mut labels);
        self.loaded.write(self.ids[0], &pixels);
        self.loaded.write(self.ids[1], &labels);
        self.remaining = 0..self.loaded.plan().steps.len();
    }

    async fn count(&mut self, data: &Dataset) -> Result<(), TrainError> {
        let (classes, pose) = (self.tally.classes, self.tally.classes * self.dims);
        let images = std::mem::take(&mut self.current);
        let lengths = self.loaded.read(self.ids[2], images.len() * classes).await?;
        let poses = self.loaded.read(self.ids[3], images.len() * pose).await?;
        for ((image, lengths), poses) in images.zip(lengths.chunks_exact(classes)).zip(poses.chunks_exact(pose)) {
            let label = usize::from(data.label(image));
            let prediction = longest(lengths);
            self.tally.predictions.push(prediction as u8);
            self.tally.confusion[label * classes + prediction] += 1;
            for (dim, &value) in poses[label * self.dims..][..self.dims].iter().enumerate() {
                self.tally.sums[label * self.dims + dim] += f64::from(value);
                self.tally.squares[label * self.dims + dim] += f64::from(value).powi(2);
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
