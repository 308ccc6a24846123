//! What the last step was made of, to be looked at.

/// Pictures of a step's batch, as the network got them.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Steps done before that one.
    pub step: u64,
    /// Images of the batch.
    pub batch: usize,
    /// Pixels [n, height · width], the last n images of the batch.
    pub pixels: Vec<f32>,
    /// Labels [n]; of overlapping digits both, the lower one first.
    pub labels: Vec<Vec<u8>>,
    /// What they were taken for before the update, in the same form [n]: the classes of the longest capsules.
    pub readings: Vec<Vec<u8>>,
}

/// A whole batch, of which the images from `first` on have run last.
pub(super) struct Whole<'a> {
    /// [count, height · width], with room for more.
    pub pixels: &'a [f32],
    /// [count] for each digit of a picture, with room for more.
    pub labels: &'a [&'a [f32]],
    pub count: usize,
    pub first: usize,
}

impl Seen {
    /// Up to `most` of the images whose `lengths` [count − first, classes] are known, and the `step` of the batch.
    pub(super) fn of(batch: &Whole<'_>, lengths: &[f32], classes: usize, (step, most): (u64, usize)) -> Self {
        let first = batch.first.max(batch.count.saturating_sub(most));
        let each = batch.pixels.len() / batch.labels[0].len();
        let digits = batch.labels.len();
        Seen {
            step,
            batch: batch.count,
            pixels: batch.pixels[first * each..batch.count * each].to_vec(),
            labels: (first..batch.count)
                .map(|image| sorted(batch.labels.iter().map(|labels| labels[image] as u8).collect()))
                .collect(),
            readings: lengths[(first - batch.first) * classes..]
                .chunks_exact(classes)
                .map(|lengths| longest(lengths, digits))
                .collect(),
        }
    }
}

fn sorted(mut classes: Vec<u8>) -> Vec<u8> {
    classes.sort_unstable();
    classes
}

/// The classes of the `count` longest capsules; the first of equals is the longer one.
fn longest(lengths: &[f32], count: usize) -> Vec<u8> {
    let mut order: Vec<u8> = (0..lengths.len() as u8).collect();
    order.sort_by(|a, b| lengths[usize::from(*b)].total_cmp(&lengths[usize::from(*a)]));
    order.truncate(count);
    sorted(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_images_are_shown_with_what_they_were_taken_for() {
        let (first, second) = ([1.0, 0.0, 2.0], [2.0, 2.0, 1.0]);
        let batch = Whole { pixels: &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], labels: &[&first, &second], count: 3, first: 1 };
        let lengths = [0.9, 0.1, 0.5, 0.2, 0.7, 0.7];
        let seen = Seen::of(&batch, &lengths, 3, (7, 8));
        assert_eq!((seen.step, seen.batch, seen.pixels), (7, 3, vec![0.3, 0.4, 0.5, 0.6]));
        assert_eq!((seen.labels, seen.readings), (vec![vec![0, 2], vec![1, 2]], vec![vec![0, 2], vec![1, 2]]));
        let alone = Seen::of(&Whole { labels: &[&first], ..batch }, &lengths, 3, (7, 1));
        assert_eq!((alone.pixels, alone.labels, alone.readings), (vec![0.5, 0.6], vec![vec![2]], vec![vec![1]]));
    }
}
