//! What each vote gives: a lossless account of a digit capsule's length, and how far votes agree with it.
//!
//! s = Σ_i c_i û_i + β, so along ŝ = s/‖s‖ the shares c_i û_i·ŝ and β·ŝ add up to ‖s‖ exactly. Squash only rescales:
//! ‖v‖ = ‖s‖²/(1 + ‖s‖²).

use super::readout;
use capscope_protocol::{Reading, Votes};

/// Whether votes belong to a reading of these sizes, so that the functions here can take portions of them.
pub fn fits(votes: &Votes, reading: &Reading) -> bool {
    let [children, parents, dims] = reading.sizes.map(|size| size as usize);
    votes.votes.len() == children * dims
        && votes.bias.len() == dims
        && votes.sums.len() == usize::from(reading.iterations) * dims
        && votes.agreement.len() == children * parents
        && votes.strengths.len() == children * parents
        && usize::from(votes.class) < parents
}

/// How one iteration's length comes about.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// ‖s‖.
    pub length: f32,
    /// What each child gives to it; negative where its vote points the other way.
    pub children: Vec<f32>,
    /// What the bias gives.
    pub bias: f32,
}

impl Account {
    /// The account of an iteration, counted from 1.
    pub fn of(votes: &Votes, reading: &Reading, iteration: u8) -> Self {
        let dims = votes.bias.len();
        let sum = sum(votes, reading, iteration);
        let length = norm(sum);
        let along = |pose: &[f32]| if length > 0.0 { dot(pose, sum) / length } else { 0.0 };
        let couplings = readout::to_parent(reading, f64::from(iteration), votes.class);
        let children = votes.votes.chunks_exact(dims).zip(couplings).map(|(vote, c)| c * along(vote)).collect();
        Account { length, children, bias: along(&votes.bias) }
    }

    /// How many children, the most generous first, give half of the length; `None` if all of them together do not.
    pub fn half(&self) -> Option<usize> {
        let mut given = self.children.clone();
        given.sort_by(|a, b| b.total_cmp(a));
        let mut sum = 0.0;
        given
            .iter()
            .position(|share| {
                sum += share;
                sum >= self.length / 2.0
            })
            .map(|last| last + 1)
    }
}

/// The weighted sum s of an iteration, counted from 1.
pub fn sum<'a>(votes: &'a Votes, reading: &Reading, iteration: u8) -> &'a [f32] {
    let dims = votes.bias.len();
    let round = usize::from(iteration.clamp(1, reading.iterations)) - 1;
    &votes.sums[round * dims..][..dims]
}

/// The vote of a child.
pub fn vote(votes: &Votes, child: u32) -> &[f32] {
    let dims = votes.bias.len();
    let child = (child as usize).min(votes.votes.len() / dims.max(1) - 1);
    &votes.votes[child * dims..][..dims]
}

/// û·v of an iteration for all parents: what a child's logits gain after it. After the last iteration nothing is added
/// any more, and the agreement is told all the same.
pub fn agreement(votes: Option<&Votes>, reading: &Reading, iteration: u8, child: u32) -> Option<Vec<f32>> {
    let iteration = iteration.clamp(1, reading.iterations);
    if iteration < reading.iterations {
        let now = readout::logits_of_child(reading, iteration, child);
        let next = readout::logits_of_child(reading, iteration + 1, child);
        return Some(next.iter().zip(now).map(|(next, now)| next - now).collect());
    }
    let parents = readout::parents(reading);
    let child = (child as usize).min(readout::children(reading) - 1);
    votes.map(|votes| votes.agreement[child * parents..][..parents].to_vec())
}

/// ‖a‖.
pub fn norm(a: &[f32]) -> f32 {
    libm::sqrtf(dot(a, a))
}

/// a·b.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use capscope_protocol::Network;

    /// Two iterations of dynamic routing by hand: three children, two parents of two dimensions, with a bias.
    pub(crate) fn routed() -> (Reading, Votes) {
        let votes: [[[f32; 2]; 2]; 3] =
            [[[1.0, 0.5], [0.2, -0.1]], [[0.8, 0.7], [-0.3, 0.4]], [[-0.2, 0.1], [0.6, 0.9]]];
        let bias = [[0.1_f32, 0.0], [0.05, -0.05]];
        let (mut logits, mut all) = (
            [[0.0_f32; 2]; 3],
            Votes {
                serial: 1,
                class: 0,
                votes: votes.iter().flat_map(|vote| vote[0]).collect(),
                bias: bias[0].to_vec(),
                sums: vec![],
                agreement: vec![],
                strengths: votes.iter().flatten().map(|vote| norm(vote)).collect(),
            },
        );
        let mut reading = Reading {
            serial: 1,
            network: Network::Shipped("tiny".into()),
            step: 0,
            iterations: 2,
            sizes: [3, 2, 2],
            coupling: vec![],
            logits: vec![],
            poses: vec![],
            lengths: vec![],
            entropy: vec![0.0; 2],
            activity: vec![0.5, 0.9, 0.1],
            winner: 0,
            millis: 0.0,
        };
        for _ in 0..2 {
            let c = logits.map(|b| b.map(|x| x.exp() / (b[0].exp() + b[1].exp())));
            reading.logits.extend(logits.iter().flatten());
            reading.coupling.extend(c.iter().flatten());
            let mut agreement = [[0.0; 2]; 3];
            for parent in 0..2 {
                let mut s = bias[parent];
                (0..3).for_each(|i| (0..2).for_each(|d| s[d] += c[i][parent] * votes[i][parent][d]));
                let n = norm(&s);
                let v = s.map(|x| x * n / (1.0 + n * n));
                if parent == 0 {
                    all.sums.extend(s);
                }
                reading.poses.extend(v);
                reading.lengths.push(norm(&v));
                (0..3).for_each(|i| agreement[i][parent] = dot(&votes[i][parent], &v));
            }
            all.agreement = agreement.iter().flatten().copied().collect();
            (0..3).for_each(|i| (0..2).for_each(|j| logits[i][j] += agreement[i][j]));
        }
        (reading, all)
    }

    #[test]
    fn the_shares_add_up_to_the_length() {
        let (reading, votes) = routed();
        assert!(fits(&votes, &reading) && !fits(&Votes { bias: vec![0.0], ..votes.clone() }, &reading));
        for iteration in 1..=2 {
            let account = Account::of(&votes, &reading, iteration);
            let all: f32 = account.children.iter().sum::<f32>() + account.bias;
            assert!((all - account.length).abs() < 1e-6, "{all} of {}", account.length);
            let n = account.length;
            let told = readout::lengths(&reading, iteration)[0];
            assert!((n * n / (1.0 + n * n) - told).abs() < 1e-6, "and squash makes the digit's length of it");
            assert!(account.children[2] < 0.0, "the third vote points the other way");
            assert_eq!(
                account.half(),
                Some(if account.children[0].max(account.children[1]) >= n / 2.0 { 1 } else { 2 })
            );
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        let (reading, votes) = routed();
        let silent = Votes { votes: vec![0.0; 6], bias: vec![0.0; 2], sums: vec![0.0; 4], ..votes };
        let account = Account::of(&silent, &reading, 1);
        assert_eq!((account.length, account.bias, account.children), (0.0, 0.0, vec![0.0; 3]));
        assert_eq!(Account { length: 1.0, children: vec![0.1, 0.2], bias: 0.7 }.half(), None);
    }

    #[test]
    fn agreement_is_what_the_logits_gain() {
        let (reading, votes) = routed();
        for child in 0..3 {
            let first = agreement(None, &reading, 1, child).expect("from the logits");
            let v = &reading.poses[..2];
            assert!((first[0] - dot(vote(&votes, child), v)).abs() < 1e-6);
            assert_eq!(agreement(None, &reading, 2, child), None, "the last one is in no logit");
            let last = agreement(Some(&votes), &reading, 2, child).expect("told");
            assert!((last[0] - dot(vote(&votes, child), &reading.poses[4..6])).abs() < 1e-6);
        }
    }
}
