//! Compares procedures and numbers of iterations over a set of images. The votes of an image are computed once; every
//! procedure routes them as far as can be asked for, and each iteration counts as if routing had stopped there, which is
//! the same, since no iteration knows how many will follow.

use super::trainer::TrainError;
use crate::capsnet::{Config, Purpose, most_images, plan};
use crate::data::{Dataset, evaluation_batch};
use crate::exec::{Device, Loaded, Store};
use crate::ops::lengths::longest;
use crate::ops::support::{entropy, norm};
use crate::plan::{Chosen, Run, TensorId};
use crate::routing::Procedure;
use std::ops::Range;
use std::sync::Arc;

/// The most iterations that are compared.
const MOST_ROUNDS: usize = 10;

/// A capsule is starved below this part of an equal share of the coefficients.
const STARVED_SHARE: f64 = 0.5;

/// What the votes have become by a procedure stopped after so many iterations.
#[derive(Clone, Debug)]
pub struct Round {
    /// Which.
    pub procedure: &'static dyn Procedure,
    /// r.
    pub iterations: usize,
    /// Images whose longest capsule is the label's.
    pub correct: u32,
    /// Images whose longest capsule is another than after the first iteration.
    pub changed: u32,
    /// Mean over images and children of −Σ_j c ln c, in nats.
    pub entropy: f64,
    /// Children whose mean coefficient is below the threshold for every parent: their votes reach nobody.
    pub starved_children: usize,
    /// Parents whose mean coefficient, over all children, is below the threshold: nobody's votes reach them.
    pub starved_parents: Vec<usize>,
}

/// Sums over the images for a procedure stopped after an iteration.
#[derive(Clone, Debug, PartialEq)]
struct Sums {
    correct: u32,
    changed: u32,
    entropy: f64,
    /// [I, J].
    couplings: Vec<f64>,
}

/// A procedure that takes part.
struct Rival {
    procedure: &'static dyn Procedure,
    /// Coefficients [R, I, J] and poses [R, J, D] of each image.
    ids: [TensorId; 2],
    rounds: Vec<Sums>,
}

/// A comparison that can be run a piece at a time.
pub struct Comparer {
    loaded: Loaded,
    pixels: TensorId,
    rivals: Vec<Rival>,
    /// I, J, D.
    sizes: [usize; 3],
    capacity: usize,
    done: usize,
    current: Range<usize>,
    remaining: Range<usize>,
}

impl Comparer {
    /// A comparison with the network in `store`, up to `capacity` images at a time.
    ///
    /// # Errors
    /// If the network reads overlapping digits, or cannot be planned or loaded.
    pub async fn new(device: &Device, config: &Config, store: &Store, capacity: usize) -> Result<Self, TrainError> {
        if config.is_of_pairs() {
            return Err(TrainError::ComparesPairs);
        }
        let capacity = capacity.clamp(1, most_images(config, Purpose::Compare)?);
        let plan = Arc::new(plan(config, Purpose::Compare, capacity)?);
        let find = |name: &str| plan.find(name).expect("a tensor of every comparing plan");
        let (classes, mut rivals) = (config.classes(), vec![]);
        let mut sizes = [0, classes.parents, classes.dims];
        for procedure in classes.comparable() {
            let name = procedure.name();
            let ids = [find(&format!("{name} coupling")), find(&format!("{name} v history"))];
            sizes[0] = plan.tensor(ids[0]).dims[2];
            let sums = Sums { correct: 0, changed: 0, entropy: 0.0, couplings: vec![0.0; sizes[0] * sizes[1]] };
            let rounds = vec![sums; if procedure.iterates() { MOST_ROUNDS } else { 1 }];
            rivals.push(Rival { procedure, ids, rounds });
        }
        Ok(Comparer {
            pixels: find("pixels"),
            loaded: device.load(plan, store).await?,
            rivals,
            sizes,
            capacity,
            done: 0,
            current: 0..0,
            remaining: 0..0,
        })
    }

    /// Works until the next images are read, or until `pause` says so. Returns whether all of `data` has been read.
    ///
    /// # Errors
    /// If the device is lost.
    pub async fn advance(&mut self, data: &Dataset, pause: &mut dyn FnMut() -> bool) -> Result<bool, TrainError> {
        if self.current.is_empty() {
            self.current = self.done..(self.done + self.capacity).min(data.len());
            if self.current.is_empty() {
                return Ok(true);
            }
            let count = self.current.len();
            let (mut pixels, mut labels) = (vec![0.0; count * data.image_len()], vec![0.0; count]);
            evaluation_batch(data, self.current.start, count, &mut pixels, &mut labels);
            self.loaded.write(self.pixels, &pixels);
            self.remaining = 0..self.loaded.plan().steps.len();
        }
        let run = Run::new(self.current.len(), MOST_ROUNDS, Chosen::Longest);
        self.loaded.advance(&run, &mut self.remaining, pause)?;
        if self.remaining.is_empty() {
            self.count(data).await?;
        }
        Ok(self.done == data.len())
    }

    async fn count(&mut self, data: &Dataset) -> Result<(), TrainError> {
        let images = std::mem::take(&mut self.current);
        let [children, parents, dims] = self.sizes;
        let (pairs, pose) = (children * parents, parents * dims);
        for rival in &mut self.rivals {
            let couplings = self.loaded.read(rival.ids[0], images.len() * MOST_ROUNDS * pairs).await?;
            let poses = self.loaded.read(rival.ids[1], images.len() * MOST_ROUNDS * pose).await?;
            let each = couplings.chunks_exact(MOST_ROUNDS * pairs).zip(poses.chunks_exact(MOST_ROUNDS * pose));
            for (image, (couplings, poses)) in images.clone().zip(each) {
                let label = usize::from(data.label(image));
                rival.count(label, couplings.chunks_exact(pairs), poses.chunks_exact(pose), dims);
            }
        }
        self.done = images.end;
        Ok(())
    }

    /// Compares over all of `data` without a pause.
    ///
    /// # Errors
    /// If the device is lost.
    pub async fn finish(mut self, data: &Dataset) -> Result<Self, TrainError> {
        while !self.advance(data, &mut || false).await? {}
        Ok(self)
    }

    /// Images read so far.
    pub fn total(&self) -> u32 {
        self.done as u32
    }

    /// Children and parents of the layer that is compared.
    pub fn sizes(&self) -> [usize; 2] {
        [self.sizes[0], self.sizes[1]]
    }

    /// The mean coefficient below which a capsule is starved.
    pub fn threshold(&self) -> f64 {
        STARVED_SHARE / self.sizes[1] as f64
    }

    /// What has come of it so far, by procedure and iterations.
    pub fn rounds(&self) -> Vec<Round> {
        let of_rival = |rival: &Rival| -> Vec<Round> {
            (1..).zip(&rival.rounds).map(|(iterations, sums)| self.round(rival.procedure, iterations, sums)).collect()
        };
        self.rivals.iter().flat_map(of_rival).collect()
    }

    fn round(&self, procedure: &'static dyn Procedure, iterations: usize, sums: &Sums) -> Round {
        let [children, parents, _] = self.sizes;
        let images = f64::from(self.total().max(1));
        // Means over the images against the threshold.
        let least = self.threshold() * images;
        let of_parent = |parent: usize| sums.couplings.iter().skip(parent).step_by(parents).sum::<f64>();
        Round {
            procedure,
            iterations,
            correct: sums.correct,
            changed: sums.changed,
            entropy: sums.entropy / images / children as f64,
            starved_children: sums.couplings.chunks_exact(parents).filter(|row| row.iter().all(|c| *c < least)).count(),
            starved_parents: (0..parents).filter(|j| of_parent(*j) < least * children as f64).collect(),
        }
    }
}

impl Rival {
    /// Counts an image: its label, and of each iteration its coefficients [I, J] and poses [J, D].
    fn count<'a>(
        &mut self,
        label: usize,
        couplings: impl Iterator<Item = &'a [f32]>,
        poses: impl Iterator<Item = &'a [f32]>,
        dims: usize,
    ) {
        let mut first = None;
        for (sums, (couplings, poses)) in self.rounds.iter_mut().zip(couplings.zip(poses)) {
            let lengths: Vec<f32> = poses.chunks_exact(dims).map(norm).collect();
            let winner = longest(&lengths);
            sums.correct += u32::from(winner == label);
            sums.changed += u32::from(winner != *first.get_or_insert(winner));
            sums.entropy += f64::from(entropy(couplings));
            sums.couplings.iter_mut().zip(couplings).for_each(|(sum, c)| *sum += f64::from(*c));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::PROCEDURES;

    fn rival(rounds: usize, pairs: usize) -> Rival {
        let sums = Sums { correct: 0, changed: 0, entropy: 0.0, couplings: vec![0.0; pairs] };
        Rival { procedure: PROCEDURES[0], ids: [TensorId(0); 2], rounds: vec![sums; rounds] }
    }

    #[test]
    fn winners_changes_entropies_and_coefficients_are_counted_by_iteration() {
        // Two children, two parents, two dimensions, two iterations, two images.
        let mut rival = rival(2, 4);
        let couplings = [[0.5f32; 4], [0.75, 0.25, 1.0, 0.0]];
        let (stays, turns) = ([[0.9f32, 0.0, 0.1, 0.0]; 2], [[0.9f32, 0.0, 0.1, 0.0], [0.0, 0.2, 0.0, -0.6]]);
        for poses in [stays, turns] {
            rival.count(1, couplings.iter().map(|c| c.as_slice()), poses.iter().map(|p| p.as_slice()), 2);
        }
        let [first, second] = [&rival.rounds[0], &rival.rounds[1]];
        assert_eq!(((first.correct, first.changed), (second.correct, second.changed)), ((0, 0), (1, 1)));
        assert!((first.entropy - 4.0 * 2f64.ln()).abs() < 1e-6, "{}", first.entropy);
        let sharp = -(0.75f64 * 0.75f64.ln() + 0.25 * 0.25f64.ln());
        assert!((second.entropy - 2.0 * sharp).abs() < 1e-6, "{}", second.entropy);
        assert_eq!(second.couplings, [1.5, 0.5, 2.0, 0.0]);
    }
}
