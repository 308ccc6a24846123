//! What a reading says, in the portions that the pictures show. Iterations count from 1 here, as on the page.

use capscope_protocol::Reading;

/// Whether the numbers of a reading fit its sizes, so that the functions here can take portions of it.
pub fn fits(reading: &Reading) -> bool {
    let [children, parents, dims] = reading.sizes.map(|size| size as usize);
    let rounds = usize::from(reading.iterations);
    rounds > 0
        && parents > 0
        && children > 0
        && reading.coupling.len() == rounds * children * parents
        && reading.logits.len() == reading.coupling.len()
        && reading.poses.len() == rounds * parents * dims
        && reading.lengths.len() == rounds * parents
        && reading.entropy.len() == rounds
        && reading.activity.len() == children
        && (reading.winner as usize) < parents
}

/// Child capsules.
pub fn children(reading: &Reading) -> usize {
    reading.sizes[0] as usize
}

/// Parent capsules: the classes.
pub fn parents(reading: &Reading) -> usize {
    reading.sizes[1] as usize
}

/// An iteration as an index, the last one if there are fewer.
fn round(reading: &Reading, iteration: u8) -> usize {
    usize::from(iteration.clamp(1, reading.iterations)) - 1
}

/// One iteration's coefficients of one child, for all parents.
pub fn of_child(reading: &Reading, iteration: u8, child: u32) -> &[f32] {
    portion(reading, &reading.coupling, iteration, child)
}

/// One iteration's logits of one child, for all parents.
pub fn logits_of_child(reading: &Reading, iteration: u8, child: u32) -> &[f32] {
    portion(reading, &reading.logits, iteration, child)
}

fn portion<'a>(reading: &Reading, values: &'a [f32], iteration: u8, child: u32) -> &'a [f32] {
    let (children, parents) = (children(reading), parents(reading));
    let child = (child as usize).min(children - 1);
    &values[(round(reading, iteration) * children + child) * parents..][..parents]
}

/// All children's coefficients for one parent at a place between iterations: at 2.5 half way from the second to the
/// third.
pub fn to_parent(reading: &Reading, place: f64, parent: u8) -> Vec<f32> {
    let place = place.clamp(1.0, f64::from(reading.iterations));
    let (below, part) = (place.floor() as u8, place.fract() as f32);
    let column = |iteration: u8| {
        let start = round(reading, iteration) * children(reading) * parents(reading);
        reading.coupling[start..].iter().skip(parent as usize).step_by(parents(reading)).take(children(reading))
    };
    if part == 0.0 {
        return column(below).copied().collect();
    }
    column(below).zip(column(below + 1)).map(|(from, to)| from + (to - from) * part).collect()
}

/// All children's coefficients for all parents [I, J] at a place between iterations.
pub fn between(reading: &Reading, place: f64) -> Vec<f32> {
    let place = place.clamp(1.0, f64::from(reading.iterations));
    let (below, part) = (place.floor() as u8, place.fract() as f32);
    let all = |iteration: u8| {
        let pairs = children(reading) * parents(reading);
        &reading.coupling[round(reading, iteration) * pairs..][..pairs]
    };
    if part == 0.0 {
        return all(below).to_vec();
    }
    all(below).iter().zip(all(below + 1)).map(|(from, to)| from + (to - from) * part).collect()
}

/// Mean entropy of one iteration's coefficients, in nats, each child counting by its length: a silent capsule's
/// indecision counts little. The plain mean if all are silent.
pub fn weighted_entropy(reading: &Reading, iteration: u8) -> f32 {
    let entropy = |child: usize| -> f32 {
        of_child(reading, iteration, child as u32).iter().filter(|c| **c > 0.0).map(|c| -c * c.ln()).sum()
    };
    let all: f32 = reading.activity.iter().sum();
    if all > 0.0 {
        reading.activity.iter().enumerate().map(|(child, length)| length * entropy(child)).sum::<f32>() / all
    } else {
        (0..children(reading)).map(entropy).sum::<f32>() / children(reading) as f32
    }
}

/// Whether an iteration's winner is another one than that of the iteration before.
pub fn turned(reading: &Reading, iteration: u8) -> bool {
    iteration > 1 && winner(reading, iteration) != winner(reading, iteration - 1)
}

/// The least and the largest coefficient for one parent over all iterations.
pub fn ends_to_parent(reading: &Reading, parent: u8) -> (f32, f32) {
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for value in reading.coupling.iter().skip(parent as usize).step_by(parents(reading)) {
        (low, high) = (low.min(*value), high.max(*value));
    }
    (low, high)
}

/// The child that couples most with a parent in an iteration.
pub fn closest_child(reading: &Reading, iteration: u8, parent: u8) -> u32 {
    let values = to_parent(reading, f64::from(iteration), parent);
    longest(&values) as u32
}

/// Lengths of the parents in an iteration.
pub fn lengths(reading: &Reading, iteration: u8) -> &[f32] {
    &reading.lengths[round(reading, iteration) * parents(reading)..][..parents(reading)]
}

/// The longest parent in an iteration.
pub fn winner(reading: &Reading, iteration: u8) -> u8 {
    longest(lengths(reading, iteration)) as u8
}

/// The second longest parent in the last iteration.
pub fn runner_up(reading: &Reading) -> Option<u8> {
    let lengths = lengths(reading, reading.iterations);
    let others = lengths.iter().enumerate().filter(|(class, _)| *class != reading.winner as usize);
    others.max_by(|a, b| a.1.total_cmp(b.1)).map(|(class, _)| class as u8)
}

/// The first iteration from which on the winner stays the same.
pub fn settled_at(reading: &Reading) -> u8 {
    let last = winner(reading, reading.iterations);
    (1..reading.iterations).rev().find(|iteration| winner(reading, *iteration) != last).map_or(1, |i| i + 1)
}

/// A parent's pose in the last iteration.
pub fn pose(reading: &Reading, parent: u8) -> &[f32] {
    let [_, parents, dims] = reading.sizes.map(|size| size as usize);
    let parent = (parent as usize).min(parents - 1);
    &reading.poses[((usize::from(reading.iterations) - 1) * parents + parent) * dims..][..dims]
}

/// Whether the network that read has been trained; an untrained one predicts nothing.
pub fn is_trained(reading: &Reading) -> bool {
    reading.step > 0
}

/// The place of the largest value.
pub fn longest(values: &[f32]) -> usize {
    values.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use capscope_protocol::Network;

    /// Two iterations, three children, two parents of one dimension.
    fn reading() -> Reading {
        Reading {
            serial: 1,
            network: Network::Shipped("tiny".into()),
            step: 0,
            iterations: 2,
            sizes: [3, 2, 1],
            coupling: vec![0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.9, 0.1, 0.2, 0.8, 0.4, 0.6],
            logits: vec![0.0; 12],
            poses: vec![0.3, -0.2, 0.1, -0.6],
            lengths: vec![0.3, 0.2, 0.1, 0.6],
            entropy: vec![0.69, 0.5],
            activity: vec![0.1; 3],
            winner: 1,
            millis: 1.0,
        }
    }

    #[test]
    fn a_reading_that_does_not_fit_is_known() {
        assert!(fits(&reading()));
        assert!(!fits(&Reading { lengths: vec![0.1], ..reading() }));
        assert!(!fits(&Reading { iterations: 0, ..reading() }));
        assert!(!fits(&Reading { winner: 2, ..reading() }));
    }

    #[test]
    fn portions_are_the_right_ones() {
        let reading = reading();
        assert_eq!(of_child(&reading, 2, 1), [0.2, 0.8]);
        assert_eq!(of_child(&reading, 9, 99), [0.4, 0.6]);
        assert_eq!(to_parent(&reading, 1.0, 0), [0.5; 3]);
        assert_eq!(to_parent(&reading, 2.0, 1), [0.1, 0.8, 0.6]);
        let half = to_parent(&reading, 1.5, 0);
        assert!((half[0] - 0.7).abs() < 1e-6 && (half[1] - 0.35).abs() < 1e-6);
        assert_eq!(ends_to_parent(&reading, 0), (0.2, 0.9));
        assert_eq!(closest_child(&reading, 2, 1), 1);
    }

    #[test]
    fn a_silent_capsule_counts_little() {
        let reading = Reading { activity: vec![0.0, 1.0, 0.0], ..reading() };
        let of_second = -(0.2_f32 * 0.2_f32.ln() + 0.8 * 0.8_f32.ln());
        assert!((weighted_entropy(&reading, 2) - of_second).abs() < 1e-6);
        assert!((weighted_entropy(&reading, 1) - 2.0_f32.ln()).abs() < 1e-6);
        let silent = Reading { activity: vec![0.0; 3], ..reading };
        assert!((weighted_entropy(&silent, 1) - 2.0_f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn all_coefficients_between_iterations_are_those_of_each_parent() {
        let reading = reading();
        for place in [1.0, 1.25, 2.0, 7.0] {
            let all = between(&reading, place);
            for parent in 0..2 {
                let column: Vec<f32> = all.iter().skip(parent).step_by(2).copied().collect();
                assert_eq!(column, to_parent(&reading, place, parent as u8));
            }
        }
        assert_eq!((turned(&reading, 1), turned(&reading, 2)), (false, true));
    }

    #[test]
    fn the_winner_is_followed_through_the_iterations() {
        let reading = reading();
        assert_eq!((winner(&reading, 1), winner(&reading, 2), settled_at(&reading)), (0, 1, 2));
        assert_eq!(runner_up(&reading), Some(0));
        assert_eq!(pose(&reading, 1), [-0.6]);
    }
}
