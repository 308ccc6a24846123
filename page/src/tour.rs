//! The tour: eight cards, what each of them shows, and where a card stands so that it does not cover that.

/// A card of the tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Card {
    /// What a capsule is.
    Capsule,
    /// How a length becomes a probability.
    Squash,
    /// What a primary capsule says to each digit.
    Votes,
    /// Who agrees is listened to.
    Agreement,
    /// Again and again.
    Iterations,
    /// What the sixteen numbers stand for.
    Pose,
    /// How the network came to be.
    Training,
    /// Where it fails.
    Failure,
}

impl Card {
    /// In their order.
    pub const ALL: [Card; 8] = [
        Card::Capsule,
        Card::Squash,
        Card::Votes,
        Card::Agreement,
        Card::Iterations,
        Card::Pose,
        Card::Training,
        Card::Failure,
    ];

    /// Its name among the texts and in the page.
    pub fn name(self) -> &'static str {
        match self {
            Card::Capsule => "capsule",
            Card::Squash => "squash",
            Card::Votes => "votes",
            Card::Agreement => "agreement",
            Card::Iterations => "iterations",
            Card::Pose => "pose",
            Card::Training => "training",
            Card::Failure => "failure",
        }
    }

    /// What it speaks of, as a selector of the page.
    pub fn target(self) -> &'static str {
        match self {
            Card::Capsule => ".trio",
            Card::Squash => ".lengths",
            Card::Votes => ".capsule",
            Card::Agreement => ".picker",
            Card::Iterations => ".scrubber",
            Card::Pose => ".strip",
            Card::Training => ".training-left .tools",
            Card::Failure => ".prediction",
        }
    }
}

/// ‖v‖ of a capsule whose sum s has this length: n²/(1 + n²).
pub fn squashed(length: f64) -> f64 {
    length * length / (1.0 + length * length)
}

/// Length of the sum whose capsule has this length: the way back.
pub fn unsquashed(length: f64) -> f64 {
    let length = length.clamp(0.0, 0.999);
    (length / (1.0 - length)).sqrt()
}

/// The longest sum that the plot of the squash shows.
pub const LONGEST_SUM: f64 = 4.0;

/// A place on the plot of the squash, which is as wide as [`LONGEST_SUM`] and 1 high, in parts of 1000 from its left and
/// top edges.
pub fn on_plot(sum: f64) -> (f64, f64) {
    (1000.0 * (sum / LONGEST_SUM).clamp(0.0, 1.0), 1000.0 * (1.0 - squashed(sum)))
}

/// The squash as an SVG path on that plot.
pub fn squash_path() -> String {
    let mut path = String::new();
    for step in 0..=80 {
        let (x, y) = on_plot(LONGEST_SUM * f64::from(step) / 80.0);
        path.push_str(&format!("{}{x:.1} {y:.1}", if step == 0 { "M" } else { "L" }));
    }
    path
}

/// Where Tab leads among `count` controls of the card when it would leave them: from the last to the first and back.
pub fn wrapped(at: Option<usize>, count: usize, backwards: bool) -> Option<usize> {
    let last = count.checked_sub(1)?;
    match (at, backwards) {
        (None, false) => Some(0),
        (None | Some(0), true) => Some(last),
        (Some(at), false) if at == last => Some(0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Language, named, set_language};

    #[test]
    fn a_long_sum_is_squashed_to_almost_one_and_a_short_one_to_almost_nothing() {
        assert_eq!(squashed(0.0), 0.0);
        assert_eq!(squashed(1.0), 0.5);
        assert!(squashed(0.1) < 0.01 && squashed(10.0) > 0.99);
        // squash([3, 4]) = [0.576923, 0.769231].
        assert!((squashed(5.0) - 0.576_923f64.hypot(0.769_231)).abs() < 1e-6);
        for length in [0.0, 0.1, 0.5, 0.9] {
            assert!((squashed(unsquashed(length)) - length).abs() < 1e-12);
        }
        assert!(unsquashed(1.0).is_finite());
    }

    #[test]
    fn the_plot_begins_at_its_lower_left_corner_and_rises() {
        assert_eq!(on_plot(0.0), (0.0, 1000.0));
        assert_eq!(on_plot(9.0).0, 1000.0);
        assert!(squash_path().starts_with("M0.0 1000.0L") && squash_path().matches('L').count() == 80);
    }

    #[test]
    fn tab_stays_on_the_card() {
        assert_eq!((wrapped(Some(3), 4, false), wrapped(Some(0), 4, true)), (Some(0), Some(3)));
        assert_eq!((wrapped(Some(1), 4, false), wrapped(Some(1), 4, true)), (None, None));
        assert_eq!(
            (wrapped(None, 4, false), wrapped(None, 4, true), wrapped(None, 0, false)),
            (Some(0), Some(3), None)
        );
    }

    #[test]
    fn every_card_has_its_texts_in_both_languages() {
        for language in Language::ALL {
            set_language(language);
            for card in Card::ALL {
                for part in ["title", "text"] {
                    let key = format!("tour.{}_{part}", card.name());
                    assert!(named(&key).is_some(), "{key} is missing in {}", language.name());
                }
            }
        }
        set_language(Language::English);
    }
}
