//! The vote playground: dynamic routing of a few votes in the plane, small enough to be followed by eye.
//!
//! Sabour, Frosst & Hinton 2017, procedure 1, without a bias: logits b start at zero; in each iteration c is the softmax
//! of b over the parents, s_j = Σ_i c_ij û_ij, v_j = s_j · n / (1 + n²) with n = ‖s_j‖, and b_ij grows by û_ij · v_j.

pub mod picture;

/// Parents, called A and B.
pub const PARENTS: usize = 2;

/// Children, called 1 to 6.
pub const CHILDREN: usize = 6;

/// How far from the origin a vote may be dragged along either axis.
pub const REACH: f64 = 1.5;

/// A place in the plane.
pub type Point = [f64; 2];

/// Votes û: of each child one for each parent.
pub type Votes = [[Point; PARENTS]; CHILDREN];

/// One iteration of routing.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    /// c: how each child divides its vote among the parents; its row sums to 1.
    pub couplings: Vec<[f64; PARENTS]>,
    /// s: the weighted sum of the votes for each parent.
    pub sums: [Point; PARENTS],
    /// v: that sum squashed to a length below 1.
    pub poses: [Point; PARENTS],
}

impl Iteration {
    /// Mean over the children of −Σ_j c ln c, in nats; at most ln [`PARENTS`].
    pub fn entropy(&self) -> f64 {
        let of_child = |c: &[f64; PARENTS]| -> f64 { c.iter().filter(|c| **c > 0.0).map(|c| -c * c.ln()).sum() };
        self.couplings.iter().map(of_child).sum::<f64>() / self.couplings.len().max(1) as f64
    }
}

/// Every iteration of routing votes, from the first.
pub fn route(votes: &[[Point; PARENTS]], iterations: usize) -> Vec<Iteration> {
    let mut logits = vec![[0.0; PARENTS]; votes.len()];
    let mut all = Vec::with_capacity(iterations);
    for _ in 0..iterations {
        let couplings: Vec<_> = logits.iter().map(softmax).collect();
        let sums = std::array::from_fn(|parent| {
            let weighed = votes.iter().zip(&couplings).map(|(vote, c)| vote[parent].map(|x| c[parent] * x));
            weighed.fold([0.0; 2], |sum, vote| [sum[0] + vote[0], sum[1] + vote[1]])
        });
        let poses = sums.map(squash);
        for (logits, vote) in logits.iter_mut().zip(votes) {
            for parent in 0..PARENTS {
                logits[parent] += vote[parent][0] * poses[parent][0] + vote[parent][1] * poses[parent][1];
            }
        }
        all.push(Iteration { couplings, sums, poses });
    }
    all
}

fn softmax(logits: &[f64; PARENTS]) -> [f64; PARENTS] {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers = logits.map(|logit| (logit - largest).exp());
    let sum: f64 = powers.iter().sum();
    powers.map(|power| power / sum)
}

/// s · n / (1 + n²): the direction stays, the length comes between 0 and 1, and zero stays zero.
pub fn squash(sum: Point) -> Point {
    let length = length(sum);
    sum.map(|x| x * length / (1.0 + length * length))
}

/// The length of a vector.
pub fn length([x, y]: Point) -> f64 {
    x.hypot(y)
}

/// An arrangement of votes, or what can be done to the present one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// All agree about A, nobody about B.
    Agreement,
    /// Three agree about A, the other three about B.
    TwoClusters,
    /// Five agree about A, one points away.
    OneOutlier,
    /// Every vote becomes its negative.
    SignFlip,
    /// Every vote is turned by [`TURN_DEGREES`].
    Rotation,
}

/// What [`Preset::Rotation`] turns by, against the clock.
pub const TURN_DEGREES: f64 = 30.0;

impl Preset {
    /// In their order on the page.
    pub const ALL: [Preset; 5] =
        [Preset::Agreement, Preset::TwoClusters, Preset::OneOutlier, Preset::SignFlip, Preset::Rotation];

    /// Its name among the texts.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Agreement => "agreement",
            Preset::TwoClusters => "two_clusters",
            Preset::OneOutlier => "one_outlier",
            Preset::SignFlip => "sign_flip",
            Preset::Rotation => "rotation",
        }
    }

    /// Whether it changes the present votes instead of taking their place. Then routing changes no coefficient.
    pub fn transforms(self) -> bool {
        matches!(self, Preset::SignFlip | Preset::Rotation)
    }

    /// The votes after it has been chosen.
    pub fn applied(self, votes: &Votes) -> Votes {
        match self {
            Preset::Agreement => paired(CROWD, SCATTERED),
            Preset::TwoClusters => {
                // Turned so that nobody of the second three agrees with the first by chance.
                let mut votes = paired(SCATTERED.map(|vote| turned(vote, 46.0)), SCATTERED);
                for (child, vote) in CLUSTER.into_iter().enumerate() {
                    votes[child][0] = vote;
                    votes[child + CHILDREN / 2][1] = turned(vote, 120.0);
                }
                votes
            }
            Preset::OneOutlier => {
                let mut votes = paired(CROWD, SCATTERED);
                votes[CHILDREN - 1][0] = [-0.72, -0.6];
                votes
            }
            Preset::SignFlip => votes.map(|child| child.map(|vote| vote.map(|x| -x))),
            Preset::Rotation => votes.map(|child| child.map(|vote| turned(vote, TURN_DEGREES))),
        }
    }
}

/// Votes that point nearly the same way.
const CROWD: [Point; CHILDREN] = [[0.46, 0.62], [0.82, 0.42], [0.44, 0.28], [0.72, 0.08], [0.16, 0.46], [0.86, 0.74]];

/// Half of the children, of one mind.
const CLUSTER: [Point; CHILDREN / 2] = [[0.72, 0.52], [0.9, 0.3], [0.5, 0.74]];

/// Votes that point everywhere, and so nearly cancel.
const SCATTERED: [Point; CHILDREN] =
    [[0.76, -0.08], [-0.28, 0.68], [-0.6, -0.44], [0.4, 0.6], [0.28, -0.72], [-0.76, 0.16]];

fn paired(first: [Point; CHILDREN], second: [Point; CHILDREN]) -> Votes {
    std::array::from_fn(|child| [first[child], second[child]])
}

fn turned([x, y]: Point, degrees: f64) -> Point {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    [x * cosine - y * sine, x * sine + y * cosine]
}

/// The largest difference between two routings' coefficients in any iteration.
pub fn largest_change(before: &[Iteration], after: &[Iteration]) -> f64 {
    let couplings = |all: &[Iteration]| -> Vec<f64> { all.iter().flat_map(|t| t.couplings.concat()).collect() };
    let (before, after) = (couplings(before), couplings(after));
    before.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Language, named, set_language};

    fn votes_of(preset: Preset) -> Votes {
        preset.applied(&Preset::Agreement.applied(&[[[0.0; 2]; PARENTS]; CHILDREN]))
    }

    fn last(preset: Preset, iterations: usize) -> Iteration {
        route(&votes_of(preset), iterations).pop().expect("at least one iteration")
    }

    #[test]
    fn the_worked_example_of_the_papers_authors() {
        let votes = [[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [6.0, 7.0]]];
        let known = [
            [[0.5150788, 0.7726181], [0.6098214, 0.7622767]],
            [[0.0531787, 0.0847813], [0.6208439, 0.7753736]],
            [[1e-7, 4.2e-6], [0.6209423, 0.7761009]],
        ];
        for (iteration, known) in route(&votes, 3).iter().zip(known) {
            for (pose, known) in iteration.poses.as_flattened().iter().zip(known.as_flattened()) {
                assert!((pose - known).abs() < 1e-6, "{pose} {known}");
            }
        }
    }

    #[test]
    fn the_first_iteration_is_uniform_and_every_row_sums_to_one() {
        for preset in Preset::ALL {
            let all = route(&votes_of(preset), 10);
            assert!(all[0].couplings.as_flattened().iter().all(|c| *c == 0.5), "{preset:?}");
            assert!((all[0].entropy() - 2f64.ln()).abs() < 1e-12);
            for iteration in &all {
                assert!(iteration.couplings.iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-12));
                assert!(iteration.poses.iter().all(|pose| length(*pose) < 1.0));
            }
            assert!(all.windows(2).all(|pair| pair[1].entropy() < pair[0].entropy()), "{preset:?} polarises");
        }
    }

    #[test]
    fn what_agrees_is_listened_to() {
        let agreed = last(Preset::Agreement, 3);
        assert!(length(agreed.poses[0]) > 0.85 && length(agreed.poses[1]) < 0.2, "{agreed:?}");
        assert!(agreed.couplings.iter().all(|c| c[0] > 0.5));
        for (iterations, least) in [(3, 0.52), (10, 0.75)] {
            let sorted = last(Preset::TwoClusters, iterations);
            for (child, c) in sorted.couplings.iter().enumerate() {
                assert!(c[usize::from(child >= CHILDREN / 2)] > least, "child {child}: {c:?}");
            }
        }
        let (first, outlier) = (last(Preset::OneOutlier, 1), last(Preset::OneOutlier, 3));
        assert!(outlier.couplings[5][0] < 0.3 && outlier.couplings[..5].iter().all(|c| c[0] > 0.5), "{outlier:?}");
        assert!(length(outlier.poses[0]) > length(first.poses[0]));
    }

    #[test]
    fn a_flip_and_a_turn_go_through_to_the_pose_and_change_no_coefficient() {
        let before = route(&votes_of(Preset::OneOutlier), 10);
        for preset in [Preset::SignFlip, Preset::Rotation] {
            assert!(preset.transforms());
            let after = route(&preset.applied(&votes_of(Preset::OneOutlier)), 10);
            assert!(largest_change(&before, &after) < 1e-12, "{preset:?}");
            let degrees = if preset == Preset::SignFlip { 180.0 } else { TURN_DEGREES };
            let expected = turned(before[9].poses[0], degrees);
            assert!(expected.iter().zip(after[9].poses[0]).all(|(a, b)| (a - b).abs() < 1e-12), "{preset:?}");
        }
        assert!(largest_change(&before, &route(&votes_of(Preset::Agreement), 10)) > 0.1);
    }

    #[test]
    fn squash_keeps_zero_and_the_direction() {
        assert_eq!(squash([0.0, 0.0]), [0.0, 0.0]);
        let [x, y] = squash([3.0, 4.0]);
        assert!((x - 0.576_923).abs() < 1e-6 && (y - 0.769_231).abs() < 1e-6);
    }

    #[test]
    fn every_preset_lies_within_reach_and_has_its_texts() {
        for preset in Preset::ALL {
            assert!(votes_of(preset).as_flattened().as_flattened().iter().all(|x| x.abs() < REACH));
            for language in Language::ALL {
                set_language(language);
                assert!(named(&format!("playground.{}", preset.name())).is_some(), "{preset:?}");
            }
        }
        set_language(Language::English);
    }
}
