//! Slow motion: which phase stands where, and bars for its numbers.

/// A phase of a training step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseName {
    /// The batch is drawn.
    Pixels,
    /// The first convolution.
    Convolution,
    /// The primary capsules.
    Primary,
    /// The votes.
    Votes,
    /// A routing iteration, from 1.
    Iteration(usize),
    /// The lengths of the class capsules.
    Lengths,
    /// The margin loss.
    Margin,
    /// The reconstruction and its loss.
    Reconstruction,
    /// The gradients.
    Gradients,
    /// Adam's update.
    Update,
}

/// Phases that are no routing iterations.
const OTHERS: u8 = 9;

/// The phases of a step of so many routing iterations.
pub const fn phase_count(iterations: u8) -> u8 {
    OTHERS + iterations
}

/// The phases of a step of `count` phases in all, in order.
pub fn phases(count: usize) -> Vec<PhaseName> {
    use PhaseName::{
        Convolution, Gradients, Iteration, Lengths, Margin, Pixels, Primary, Reconstruction, Update, Votes,
    };
    let iterations = (1..=count.saturating_sub(OTHERS.into())).map(Iteration);
    let first = [Pixels, Convolution, Primary, Votes];
    first.into_iter().chain(iterations).chain([Lengths, Margin, Reconstruction, Gradients, Update]).collect()
}

/// Widths of bars, 0 to 1, the largest value being 1.
pub fn widths(values: &[f32]) -> Vec<f64> {
    let most = values.iter().copied().fold(0.0f32, f32::max);
    values.iter().map(|&value| if most > 0.0 { f64::from(value.max(0.0) / most) } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routing_iterations_stand_between_votes_and_lengths() {
        let all = phases(12);
        assert_eq!((all.len(), phase_count(3)), (12, 12));
        assert_eq!(
            all[3..8],
            [
                PhaseName::Votes,
                PhaseName::Iteration(1),
                PhaseName::Iteration(2),
                PhaseName::Iteration(3),
                PhaseName::Lengths
            ]
        );
        assert_eq!(phases(10)[4], PhaseName::Iteration(1));
    }

    #[test]
    fn the_largest_value_has_the_whole_width() {
        assert_eq!(widths(&[1.0, 4.0, 0.0, -1.0]), [0.25, 1.0, 0.0, 0.0]);
        assert_eq!(widths(&[0.0, 0.0]), [0.0, 0.0]);
        assert!(widths(&[]).is_empty());
    }
}
