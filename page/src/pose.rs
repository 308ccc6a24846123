//! How far a pose is bent: the spans of its sliders and of the swept strip.

/// Pictures in the swept strip; the middle one is the plain reconstruction.
pub const SWEEP: usize = 11;

/// Half the span of the paper's figure 4.
const PAPER: f32 = 0.25;

/// What one slider spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// Two standard deviations each way of the dimension over the test digits of the class.
    Deviations,
    /// ±0.25, as in the paper.
    Paper,
}

/// Mean and standard deviation of one dimension over the test digits of its class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean.
    pub mean: f32,
    /// Standard deviation.
    pub deviation: f32,
}

/// The ends of a slider. The digit's own value, which the slider marks, always lies between them. Without a known
/// spread the span is the paper's.
pub fn range(span: Span, original: f32, spread: Option<Spread>) -> (f32, f32) {
    match (span, spread) {
        (Span::Deviations, Some(Spread { mean, deviation })) => {
            let half = 2.0 * deviation;
            ((mean - half).min(original - half / 2.0), (mean + half).max(original + half / 2.0))
        }
        _ => (original - PAPER, original + PAPER),
    }
}

/// What is added to a dimension in each picture of the strip: from minus to plus the span, exactly zero in the middle.
pub fn sweep(span: Span, spread: Option<Spread>) -> Vec<f32> {
    let half = match (span, spread) {
        (Span::Deviations, Some(Spread { deviation, .. })) => 2.0 * deviation,
        _ => PAPER,
    };
    let middle = (SWEEP / 2) as f32;
    (0..SWEEP).map(|k| (k as f32 - middle) / middle * half).collect()
}

/// The spread of one dimension of one class in [classes, dims] tables; `None` where they are empty, too short, or the
/// dimension does not vary.
pub fn spread(means: &[f32], deviations: &[f32], dims: usize, class: usize, dimension: usize) -> Option<Spread> {
    let at = class * dims + dimension;
    let (mean, deviation) = (*means.get(at)?, *deviations.get(at)?);
    (dimension < dims && mean.is_finite() && deviation.is_finite() && deviation > 1e-4)
        .then_some(Spread { mean, deviation })
}

/// How often the values between a slider's ends come up, as an SVG path in a box of 100 × 20 that stands on its lower
/// edge: the normal curve of the class's mean and standard deviation, its top at the box's.
pub fn bell((low, high): (f32, f32), Spread { mean, deviation }: Spread) -> String {
    const STEPS: usize = 32;
    let mut path = String::from("M0 20");
    for k in 0..=STEPS {
        let part = k as f32 / STEPS as f32;
        let from_mean = (low + (high - low) * part - mean) / deviation;
        let height = (-0.5 * from_mean * from_mean).exp();
        path.push_str(&format!("L{:.1} {:.1}", part * 100.0, 20.0 - 19.0 * height));
    }
    path.push_str("L100 20Z");
    path
}

/// What is added to each dimension in the pictures of the whole grid, a row for each: see [`sweep`].
pub fn grid(span: Span, spread: impl Fn(usize) -> Option<Spread>, dims: usize) -> Vec<Vec<f32>> {
    (0..dims).map(|dim| sweep(span, spread(dim))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPREAD: Spread = Spread { mean: 0.1, deviation: 0.2 };

    #[test]
    fn a_slider_spans_two_deviations_and_holds_the_original() {
        let (low, high) = range(Span::Deviations, 0.1, Some(SPREAD));
        assert!((low + 0.3).abs() < 1e-6 && (high - 0.5).abs() < 1e-6);
        let (low, high) = range(Span::Deviations, 0.9, Some(SPREAD));
        assert!(low < 0.1 && high > 0.9);
        assert_eq!(range(Span::Paper, 0.5, Some(SPREAD)), (0.25, 0.75));
        assert_eq!(range(Span::Deviations, 0.5, None), (0.25, 0.75));
    }

    #[test]
    fn the_middle_of_the_strip_is_the_plain_picture() {
        for offsets in [sweep(Span::Paper, None), sweep(Span::Deviations, Some(SPREAD))] {
            assert_eq!((offsets.len(), offsets[5].to_bits()), (SWEEP, 0));
            assert!((offsets[0] + offsets[10]).abs() < 1e-7 && offsets.windows(2).all(|pair| pair[0] < pair[1]));
        }
        assert_eq!(sweep(Span::Paper, None)[6], 0.05);
        assert_eq!(sweep(Span::Deviations, Some(SPREAD))[10], 0.4);
    }

    #[test]
    fn the_bell_is_highest_at_the_mean() {
        let path = bell((-0.3, 0.5), SPREAD);
        assert!(path.contains("L50.0 1.0"), "{path}");
        // Two standard deviations away it is e⁻² as high.
        assert!(path.starts_with("M0 20L0.0 17.4L") && path.ends_with("L100.0 17.4L100 20Z"), "{path}");
    }

    #[test]
    fn the_grid_has_a_row_for_each_dimension_and_zero_in_its_middle() {
        let rows = grid(Span::Deviations, |dim| (dim == 1).then_some(SPREAD), 3);
        assert_eq!((rows.len(), rows[1][10], rows[0][10]), (3, 0.4, 0.25));
        assert!(rows.iter().all(|row| row[SWEEP / 2].to_bits() == 0));
    }

    #[test]
    fn a_spread_is_known_or_not() {
        let (means, deviations) = ([0.0, 0.1, 0.2, 0.3], [0.5, 0.0, f32::NAN, 0.7]);
        assert_eq!(spread(&means, &deviations, 2, 1, 1), Some(Spread { mean: 0.3, deviation: 0.7 }));
        assert_eq!(spread(&means, &deviations, 2, 0, 1), None);
        assert_eq!(spread(&means, &deviations, 2, 1, 0), None);
        assert_eq!(spread(&[], &[], 16, 3, 3), None);
    }
}
