//! Curves: scales, ticks and the paths of many steps, thinned to what a picture can show.

/// How values become heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Equal steps for equal differences.
    Linear {
        /// Value at the bottom.
        low: f64,
        /// Value at the top.
        high: f64,
    },
    /// Equal steps for equal ratios; both ends are above zero.
    Log {
        /// Value at the bottom.
        low: f64,
        /// Value at the top.
        high: f64,
    },
}

impl Scale {
    /// A logarithmic scale of whole decades around the values above zero, at least one decade.
    pub fn decades(values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        for value in values.filter(|v| v.is_finite() && *v > 0.0) {
            (low, high) = (low.min(value), high.max(value));
        }
        if high <= 0.0 {
            return Scale::Log { low: 0.01, high: 1.0 };
        }
        let bottom = low.max(high * 1e-6).log10().floor();
        let top = high.log10().ceil().max(bottom + 1.0);
        Scale::Log { low: 10f64.powf(bottom), high: 10f64.powf(top) }
    }

    /// A linear scale from under the least value, by twentieths of the whole, up to a known greatest one.
    pub fn below(high: f64, values: impl Iterator<Item = f64>) -> Self {
        let least = values.filter(|v| v.is_finite()).fold(high, f64::min);
        let parts = ((high - least) / high * 20.0).floor() + 1.0;
        Scale::Linear { low: (high - parts * high / 20.0).max(0.0), high }
    }

    /// The height of a value: 0 at the bottom, 1 at the top; what lies outside stays at the edge.
    pub fn height(self, value: f64) -> f64 {
        let part = match self {
            Scale::Linear { low, high } => (value - low) / (high - low),
            Scale::Log { low, high } => (value.max(low) / low).ln() / (high / low).ln(),
        };
        if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) }
    }

    /// Values to label: the decades, or quarters of a linear scale.
    pub fn ticks(self) -> Vec<f64> {
        match self {
            Scale::Linear { low, high } => (0..=4).map(|k| low + (high - low) * f64::from(k) / 4.0).collect(),
            Scale::Log { low, high } => {
                let first = low.log10().round() as i32;
                (first..=high.log10().round() as i32).map(|decade| 10f64.powi(decade)).collect()
            }
        }
    }
}

/// Points (x, y), x rising, as at most `most` means over equal parts of the x axis.
pub fn thinned(points: impl Iterator<Item = (f64, f64)>, end: f64, most: usize) -> Vec<(f64, f64)> {
    let mut means: Vec<(f64, f64)> = Vec::new();
    let (mut part, mut count) = (usize::MAX, 0.0);
    for (x, y) in points.filter(|(_, y)| y.is_finite()) {
        let own = if end > 0.0 { ((x * most as f64 / end) as usize).min(most - 1) } else { 0 };
        if own != part {
            means.push((0.0, 0.0));
            (part, count) = (own, 0.0);
        }
        count += 1.0;
        if let Some((mean_x, mean_y)) = means.last_mut() {
            *mean_x += (x - *mean_x) / count;
            *mean_y += (y - *mean_y) / count;
        }
    }
    means
}

/// An SVG path in a box of 1000 × 1000 through points of x in 0…`end`.
pub fn path(points: &[(f64, f64)], end: f64, scale: Scale) -> String {
    let mut text = String::with_capacity(points.len() * 12);
    for (i, (x, y)) in points.iter().enumerate() {
        let across = if end > 0.0 { x / end * 1000.0 } else { 0.0 };
        let down = (1.0 - scale.height(*y)) * 1000.0;
        text.push_str(&format!("{}{across:.1} {down:.1}", if i == 0 { "M" } else { "L" }));
    }
    // A line to itself is drawn as a dot by round ends.
    if points.len() == 1 {
        text.push_str("h0");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_hold_all_values() {
        let scale = Scale::decades([0.03, 0.5, 0.0, f64::NAN].into_iter());
        assert_eq!(scale.ticks().len(), 3);
        assert!((scale.height(0.1) - 0.5).abs() < 1e-12);
        assert_eq!((scale.height(0.0), scale.height(9.0), scale.height(f64::NAN)), (0.0, 1.0, 0.0));
        assert_eq!(Scale::decades([1.0].into_iter()).ticks().len(), 2);
        assert_eq!(Scale::decades(std::iter::empty()), Scale::Log { low: 0.01, high: 1.0 });
    }

    #[test]
    fn linear_ticks_are_quarters() {
        assert_eq!(Scale::Linear { low: 0.0, high: 1.0 }.ticks(), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(Scale::Linear { low: 0.0, high: 0.0 }.height(0.0), 0.0);
    }

    #[test]
    fn a_scale_below_its_top_holds_all_values() {
        assert_eq!(Scale::below(2.0, std::iter::empty()), Scale::Linear { low: 1.9, high: 2.0 });
        assert_eq!(Scale::below(2.0, [1.95, 1.75].into_iter()), Scale::Linear { low: 1.7, high: 2.0 });
        assert_eq!(Scale::below(2.0, [0.0].into_iter()), Scale::Linear { low: 0.0, high: 2.0 });
    }

    #[test]
    fn many_points_become_few_and_keep_their_mean() {
        let points = (0..10_000).map(|i| (f64::from(i), f64::from(i % 2)));
        let few = thinned(points, 10_000.0, 100);
        assert_eq!(few.len(), 100);
        assert!(few.iter().all(|(_, y)| (y - 0.5).abs() < 1e-9));
        assert!(few.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(thinned([(0.0, 0.2), (1.0, f64::NAN)].into_iter(), 1.0, 10), [(0.0, 0.2)]);
    }

    #[test]
    fn a_path_runs_from_left_to_right() {
        let scale = Scale::Linear { low: 0.0, high: 1.0 };
        assert_eq!(path(&[(0.0, 0.0), (10.0, 1.0)], 10.0, scale), "M0.0 1000.0L1000.0 0.0");
        assert_eq!(path(&[(5.0, 0.5)], 10.0, scale), "M500.0 500.0h0");
        assert_eq!(path(&[], 10.0, scale), "");
    }
}
