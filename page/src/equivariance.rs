//! A pose against the slider that moves the digit: sixteen lines as SVG, the ones that move most marked.

use super::format::fixed;
use super::moves::{PLACES, most_moving};
use std::fmt::Write;

/// Width and height of the picture, in its own units, which the page draws as CSS pixels.
pub const SIZE: (f32, f32) = (253.0, 168.0);

/// How many lines are marked.
pub const MARKED: usize = 3;

const LEFT: f32 = 30.0;
const RIGHT: f32 = 22.0;
const TOP: f32 = 8.0;
const BOTTOM: f32 = 18.0;

/// Two numbers beside each other need so much room.
const NUMBER: f32 = 11.0;

/// Colours of the picture, as CSS has them.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    /// Of the marked lines, the one that moves most first.
    pub marked: [&'static str; MARKED],
    /// Of the other lines.
    pub others: &'static str,
    /// Of the axes.
    pub axis: &'static str,
    /// Of the numbers.
    pub text: &'static str,
    /// Behind everything; empty for none.
    pub ground: &'static str,
}

/// On the page, in its theme.
pub const ON_PAGE: Paint = Paint {
    marked: ["var(--accent)", "var(--measured)", "var(--text)"],
    others: "var(--line)",
    axis: "var(--edge)",
    text: "var(--quiet)",
    ground: "",
};

/// In a file of its own, dark on light.
pub const IN_FILE: Paint = Paint {
    marked: ["#c2410c", "#1864ab", "#16191d"],
    others: "#dedbd3",
    axis: "#8b8a83",
    text: "#565d66",
    ground: "#ffffff",
};

/// Dashes of the marked lines: colour never stands alone.
const DASHES: [&str; MARKED] = ["", "6 3", "1.5 3"];

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// The pose at each place [`PLACES`, dims].
    pub poses: Vec<f32>,
    /// Dimensions of a pose.
    pub dims: usize,
    /// The slider's ends.
    pub range: (f32, f32),
    /// Where the slider stands.
    pub at: f32,
    /// Decimals of the slider's values.
    pub decimals: usize,
}

impl Plot {
    /// Whether there are as many numbers as are needed.
    pub fn fits(&self) -> bool {
        self.dims > 0 && self.poses.len() == PLACES * self.dims && self.poses.iter().all(|value| value.is_finite())
    }

    /// Least and largest value of the axis: the poses' own ends, rounded outward to tenths, so that it seldom moves.
    pub fn ends(&self) -> (f32, f32) {
        let low = self.poses.iter().copied().fold(0.0, f32::min);
        let high = self.poses.iter().copied().fold(0.0, f32::max);
        ((low * 5.0).floor() / 5.0, ((high * 5.0).ceil() / 5.0).max((low * 5.0).floor() / 5.0 + 0.2))
    }

    fn across(&self, value: f32) -> f32 {
        let (low, high) = self.range;
        LEFT + (value - low) / (high - low) * (SIZE.0 - LEFT - RIGHT)
    }

    fn down(&self, value: f32) -> f32 {
        let (low, high) = self.ends();
        TOP + (high - value) / (high - low) * (SIZE.1 - TOP - BOTTOM)
    }

    /// A dimension's values at all places.
    fn line(&self, dim: usize) -> impl Iterator<Item = f32> {
        self.poses.iter().skip(dim).step_by(self.dims).copied()
    }

    fn path(&self, dim: usize) -> String {
        let (low, high) = self.range;
        let mut path = String::new();
        for (place, value) in self.line(dim).enumerate() {
            let x = self.across(low + (high - low) * place as f32 / (PLACES - 1) as f32);
            let _ = write!(path, "{}{x:.1} {:.1}", if place == 0 { 'M' } else { 'L' }, self.down(value));
        }
        path
    }

    /// A dimension's value where the slider stands, between two places.
    fn value_at(&self, dim: usize) -> f32 {
        let (low, high) = self.range;
        let place = ((self.at - low) / (high - low)).clamp(0.0, 1.0) * (PLACES - 1) as f32;
        let below = (place as usize).min(PLACES - 2);
        let value = |place: usize| self.poses[place * self.dims + dim];
        value(below) + (value(below + 1) - value(below)) * (place - below as f32)
    }

    /// The picture as an SVG document.
    pub fn svg(&self, paint: &Paint) -> String {
        let (width, height) = SIZE;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"system-ui, sans-serif\" font-size=\"10\">"
        );
        if !paint.ground.is_empty() {
            let _ = write!(svg, "<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>", paint.ground);
        }
        self.axes(&mut svg, paint);
        let most = most_moving(&self.poses, self.dims);
        let marked: Vec<usize> = most.iter().take(MARKED).map(|(dim, _)| *dim).collect();
        let stroke = |svg: &mut String, dim: usize, colour: &str, width: f32, dashes: &str| {
            let path = self.path(dim);
            let _ = write!(
                svg,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-dasharray=\"{dashes}\" stroke-linejoin=\"round\"/>"
            );
        };
        for dim in (0..self.dims).filter(|dim| !marked.contains(dim)) {
            stroke(&mut svg, dim, paint.others, 1.0, "none");
        }
        for (rank, dim) in marked.iter().enumerate().rev() {
            let dashes = if DASHES[rank].is_empty() { "none" } else { DASHES[rank] };
            stroke(&mut svg, *dim, paint.marked[rank], 1.8, dashes);
            let (x, y) = (self.across(self.at), self.down(self.value_at(*dim)));
            let _ = write!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{}\"/>", paint.marked[rank]);
        }
        for ((rank, dim), y) in marked.iter().enumerate().zip(self.label_heights(&marked)) {
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{}\" font-weight=\"700\">{}</text>",
                width - RIGHT + 4.0,
                y + 3.5,
                paint.marked[rank],
                dim + 1
            );
        }
        svg.push_str("</svg>");
        svg
    }

    fn axes(&self, svg: &mut String, paint: &Paint) {
        let ((low, high), (start, end)) = (self.ends(), self.range);
        let (left, right, bottom) = (LEFT, SIZE.0 - RIGHT, SIZE.1 - BOTTOM);
        for value in [low, 0.0, high] {
            let y = self.down(value);
            let _ = write!(
                svg,
                "<path d=\"M{left} {y:.1}H{right}\" stroke=\"{}\" stroke-width=\"{}\"/><text x=\"{}\" y=\"{:.1}\" fill=\"{}\" text-anchor=\"end\">{}</text>",
                if value == 0.0 { paint.axis } else { paint.others },
                if value == 0.0 { 1.0 } else { 0.5 },
                left - 4.0,
                y + 3.5,
                paint.text,
                fixed(value, 1)
            );
        }
        let x = self.across(self.at);
        let _ = write!(svg, "<path d=\"M{x:.1} {TOP}V{bottom}\" stroke=\"{}\" stroke-width=\"1\"/>", paint.axis);
        let middle = (start + end) / 2.0;
        for (value, anchor) in [(start, "start"), (middle, "middle"), (end, "end")] {
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{}\" text-anchor=\"{anchor}\">{}</text>",
                self.across(value),
                SIZE.1 - 4.0,
                paint.text,
                fixed(value, self.decimals)
            );
        }
    }

    /// Heights of the numbers at the right, each as near to its line's end as the others leave room.
    fn label_heights(&self, dims: &[usize]) -> Vec<f32> {
        let mut ends: Vec<(usize, f32)> =
            dims.iter().map(|dim| self.down(self.line(*dim).last().unwrap_or(0.0))).enumerate().collect();
        ends.sort_by(|a, b| a.1.total_cmp(&b.1));
        for k in 1..ends.len() {
            ends[k].1 = ends[k].1.max(ends[k - 1].1 + NUMBER);
        }
        // What was pushed out below pushes back.
        let floor = SIZE.1 - BOTTOM;
        for k in (0..ends.len()).rev() {
            let most = if k + 1 < ends.len() { ends[k + 1].1 - NUMBER } else { floor };
            ends[k].1 = ends[k].1.min(most);
        }
        ends.sort_by_key(|(rank, _)| *rank);
        ends.into_iter().map(|(_, y)| y).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three dimensions: one that rises, one that stays, one that falls a little.
    fn plot() -> Plot {
        let poses = (0..PLACES).flat_map(|k| [k as f32 / 20.0, 0.3, 0.2 - k as f32 / 200.0]).collect();
        Plot { poses, dims: 3, range: (-6.0, 6.0), at: 3.0, decimals: 0 }
    }

    #[test]
    fn the_axis_holds_all_values_and_zero() {
        assert_eq!(plot().ends(), (0.0, 1.0));
        let flat = Plot { poses: vec![0.0; PLACES * 3], ..plot() };
        assert_eq!(flat.ends(), (0.0, 0.2));
        let below = Plot { poses: vec![-0.31; PLACES * 3], ..plot() };
        assert!((below.ends().0 + 0.4).abs() < 1e-6 && below.ends().1 == 0.0);
    }

    #[test]
    fn the_slider_is_marked_on_the_lines_that_move_most() {
        let plot = plot();
        assert!((plot.value_at(0) - 0.75).abs() < 1e-6);
        let svg = plot.svg(&IN_FILE);
        assert_eq!(svg.matches("<circle").count(), 3);
        // The line that rises most is drawn over the others, its number in its colour.
        assert!(svg.contains("fill=\"#c2410c\" font-weight=\"700\">1</text>"));
        let own = format!("cx=\"{:.1}\" cy=\"{:.1}\"", plot.across(3.0), plot.down(0.75));
        assert!(svg.contains(&own));
        assert!(!svg.contains("var(") && plot.svg(&ON_PAGE).contains("var(--accent)"));
    }

    #[test]
    fn numbers_of_lines_do_not_cover_each_other_and_stay_inside() {
        let together = Plot { poses: vec![0.0; PLACES * 3], ..plot() };
        let mut heights = together.label_heights(&[0, 1, 2]);
        heights.sort_by(f32::total_cmp);
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= NUMBER - 1e-3));
        assert!(heights[2] <= SIZE.1 - BOTTOM);
    }

    #[test]
    fn what_does_not_fit_is_known() {
        assert!(plot().fits());
        assert!(!Plot { dims: 4, ..plot() }.fits());
        assert!(!Plot { poses: vec![f32::NAN; PLACES * 3], ..plot() }.fits());
    }
}
