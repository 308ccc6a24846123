//! The confusion matrix: shares, tints, and where the most mistakes are.

/// Counts of labels (rows) and readings (columns).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    classes: usize,
    counts: Vec<u32>,
}

impl Confusion {
    /// A matrix of `classes`² counts; `None` if there are not so many.
    pub fn new(counts: &[u32]) -> Option<Self> {
        let classes = counts.len().isqrt();
        (classes > 0 && classes * classes == counts.len()).then(|| Self { classes, counts: counts.to_vec() })
    }

    /// Classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many of `label` were read as `read`.
    pub fn count(&self, label: usize, read: usize) -> u32 {
        self.counts[label * self.classes + read]
    }

    /// How many there are of `label`.
    pub fn of_label(&self, label: usize) -> u32 {
        self.counts[label * self.classes..][..self.classes].iter().sum()
    }

    /// Strength of a cell's tint, 0 to 1: for what was read right the share of its label, for a mistake its part of the
    /// most frequent mistake, so that mistakes show beside a diagonal a thousand times as large.
    pub fn tint(&self, label: usize, read: usize) -> f64 {
        let whole = if label == read { self.of_label(label) } else { self.most_mistakes() };
        f64::from(self.count(label, read)) / f64::from(whole.max(1))
    }

    fn most_mistakes(&self) -> u32 {
        self.mistakes().map(|(_, _, count)| count).max().unwrap_or(0)
    }

    fn mistakes(&self) -> impl Iterator<Item = (usize, usize, u32)> {
        let places = (0..self.classes).flat_map(|label| (0..self.classes).map(move |read| (label, read)));
        places.filter(|(label, read)| label != read).map(|(label, read)| (label, read, self.count(label, read)))
    }

    /// The most frequent mistake, if there is any: label, reading, count. Of equal ones the first.
    pub fn worst(&self) -> Option<(usize, usize, u32)> {
        self.mistakes()
            .filter(|&(_, _, count)| count > 0)
            .reduce(|most, next| if next.2 > most.2 { next } else { most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_tinted_by_the_most_frequent_one() {
        let matrix = Confusion::new(&[90, 4, 6, 0, 50, 0, 3, 0, 7]).expect("three classes");
        assert_eq!((matrix.classes(), matrix.count(0, 2), matrix.of_label(0)), (3, 6, 100));
        assert_eq!(matrix.worst(), Some((0, 2, 6)));
        assert_eq!((matrix.tint(0, 0), matrix.tint(1, 1), matrix.tint(2, 0), matrix.tint(0, 2)), (0.9, 1.0, 0.5, 1.0));
    }

    #[test]
    fn nothing_read_and_nothing_wrong_are_drawn_too() {
        let none = Confusion::new(&[0; 100]).expect("ten classes");
        assert_eq!((none.worst(), none.tint(3, 3), none.tint(3, 4)), (None, 0.0, 0.0));
        assert_eq!(Confusion::new(&[]), None);
        assert_eq!(Confusion::new(&[1, 2, 3]), None);
    }
}
