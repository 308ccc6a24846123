//! The votes for one digit capsule in the plane in which they spread most, with s and v of each iteration.

use super::axes::Plane;
use super::svg::{Marks, Tints};
use super::{account, readout};
use capscope_protocol::{Reading, Votes};

/// The picture's size and what it leaves free at each side, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
    /// Free on all sides.
    pub margin: f32,
}

/// Places of all that is drawn, in pixels from the upper left corner; one unit is as long in both directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// The plane.
    pub plane: Plane,
    /// The votes.
    pub spots: Vec<(f32, f32)>,
    /// s of each iteration.
    pub sums: Vec<(f32, f32)>,
    /// v of each iteration.
    pub poses: Vec<(f32, f32)>,
    /// The origin, from which v starts.
    pub origin: (f32, f32),
    /// Pixels of one unit.
    pub unit: f32,
}

impl Scatter {
    /// The picture of votes that fit a reading; `None` if they have no plane.
    pub fn new(votes: &Votes, reading: &Reading, frame: Frame) -> Option<Self> {
        let dims = votes.bias.len();
        let plane = Plane::of(&votes.votes, dims, account::sum(votes, reading, reading.iterations))?;
        let all = |points: &[f32]| -> Vec<(f32, f32)> { points.chunks_exact(dims).map(|p| plane.place(p)).collect() };
        let stride = readout::parents(reading) * dims;
        let poses: Vec<(f32, f32)> = reading
            .poses
            .chunks_exact(stride)
            .map(|poses| plane.place(&poses[usize::from(votes.class) * dims..][..dims]))
            .collect();
        let (spots, sums, origin) = (all(&votes.votes), all(&votes.sums), plane.place(&vec![0.0; dims]));
        let drawn = || spots.iter().chain(&sums).chain(&poses).chain([&origin]).copied();
        let ends = |of: fn((f32, f32)) -> f32| {
            // To the next half unit, so that the scale does not tremble while a digit is drawn.
            let low = drawn().map(of).fold(f32::INFINITY, f32::min);
            let high = drawn().map(of).fold(f32::NEG_INFINITY, f32::max);
            ((low * 2.0).floor() / 2.0, (high * 2.0).ceil() / 2.0)
        };
        let (x, y) = (ends(|p| p.0), ends(|p| p.1));
        let inner = |length: f32| (length - 2.0 * frame.margin).max(1.0);
        let extent = |(low, high): (f32, f32)| (high - low).max(0.5);
        let unit = (inner(frame.width) / extent(x)).min(inner(frame.height) / extent(y));
        let middle = |(low, high): (f32, f32)| (low + high) / 2.0;
        // Upwards is positive, as in a plot.
        let place = |p: (f32, f32)| {
            (frame.width / 2.0 + (p.0 - middle(x)) * unit, frame.height / 2.0 - (p.1 - middle(y)) * unit)
        };
        Some(Scatter {
            spots: spots.iter().map(|p| place(*p)).collect(),
            sums: sums.iter().map(|p| place(*p)).collect(),
            poses: poses.iter().map(|p| place(*p)).collect(),
            origin: place(origin),
            unit,
            plane,
        })
    }

    /// The vote nearest to a place, if one is within `reach` pixels.
    pub fn nearest(&self, (x, y): (f32, f32), reach: f32) -> Option<u32> {
        let away = |spot: &(f32, f32)| (spot.0 - x).powi(2) + (spot.1 - y).powi(2);
        let nearest = self.spots.iter().enumerate().min_by(|a, b| away(a.1).total_cmp(&away(b.1)))?;
        (away(nearest.1) <= reach * reach).then_some(nearest.0 as u32)
    }
}

/// Radius of the mark of a vote with a uniform coefficient.
const PLAIN: f32 = 2.6;

impl Scatter {
    /// The axes with their names, and the votes: area and strength of a mark by its coefficient.
    pub fn votes(&self, couplings: &[f32], parents: usize, frame: Frame, names: [&str; 2], tints: &Tints) -> Marks {
        let mut marks = Marks::default();
        let (x, y) = self.origin;
        marks.line((0.0, y), (frame.width, y), &tints.line, 1.0);
        marks.line((x, 0.0), (x, frame.height), &tints.line, 1.0);
        marks.words((frame.width - 2.0, y + 15.0), "end", &tints.quiet, names[0]);
        marks.words((x + 6.0, 12.0), "start", &tints.quiet, names[1]);
        let (left, foot) = (4.0, frame.height - 8.0);
        marks.line((left, foot), (left + self.unit, foot), &tints.quiet, 1.5);
        marks.words((left + self.unit / 2.0, foot - 5.0), "middle", &tints.quiet, "1");
        // The weak ones first, so that the strong ones are seen.
        let mut order: Vec<usize> = (0..self.spots.len().min(couplings.len())).collect();
        order.sort_by(|a, b| couplings[*a].total_cmp(&couplings[*b]));
        marks.put(format_args!(r#"<g fill="{}">"#, tints.measured));
        for child in order {
            let ((x, y), radius) = (self.spots[child], radius(couplings[child], parents, PLAIN));
            let strength = (0.25 + 0.6 * couplings[child] * parents as f32 / 3.0).min(0.85);
            marks
                .put(format_args!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius:.2}" fill-opacity="{strength:.2}"/>"#));
        }
        marks.put(format_args!("</g>"));
        marks
    }

    /// s and v up to a place between iterations, and a ring around one vote.
    pub fn course(
        &self,
        iteration: f64,
        couplings: &[f32],
        ringed: Option<u32>,
        parents: usize,
        tints: &Tints,
    ) -> Marks {
        let mut marks = Marks::default();
        let passed = (iteration.floor().max(1.0) as usize).min(self.sums.len());
        if let Some(sum) = between(&self.sums, iteration) {
            let way: Vec<(f32, f32)> = self.sums[..passed].iter().copied().chain([sum]).collect();
            for pair in way.windows(2) {
                marks.line(pair[0], pair[1], &tints.text, 1.0);
            }
            for (round, (x, y)) in self.sums[..passed].iter().enumerate() {
                marks.put(format_args!(
                    r#"<path d="M{x:.1} {:.1}l5 5l-5 5l-5-5z" fill="{}" stroke="{}" stroke-width="1.5"/>"#,
                    y - 5.0,
                    tints.paper,
                    tints.text
                ));
                marks.words_over((*x, y - 10.0), &tints.text, &tints.paper, &format!("s{}", subscript(round + 1)));
            }
        }
        if let Some(pose) = between(&self.poses, iteration) {
            marks.line(self.origin, pose, &tints.accent, 2.5);
            for (round, (x, y)) in self.poses[..passed].iter().enumerate() {
                marks.put(format_args!(
                    r#"<circle cx="{x:.1}" cy="{y:.1}" r="4.5" fill="{}" stroke="{}" stroke-width="1.5"/>"#,
                    tints.accent, tints.paper
                ));
                marks.words_over((*x, y + 20.0), &tints.accent, &tints.paper, &format!("v{}", subscript(round + 1)));
            }
        }
        if let Some((child, (x, y))) = ringed.and_then(|child| Some((child, *self.spots.get(child as usize)?))) {
            let radius = radius(couplings.get(child as usize).copied().unwrap_or(0.0), parents, PLAIN) + 4.0;
            marks.put(format_args!(
                r#"<circle class="ring" cx="{x:.1}" cy="{y:.1}" r="{radius:.1}" fill="none" stroke="{}" stroke-width="2.5"/>"#,
                tints.accent
            ));
        }
        marks
    }
}

/// A small number as an index: 12 → ₁₂.
fn subscript(number: usize) -> String {
    number.to_string().chars().filter_map(|digit| char::from_u32(0x2080 + digit.to_digit(10)?)).collect()
}

/// A place between those of the iterations: at 2.5 half way from the second to the third.
pub fn between(places: &[(f32, f32)], iteration: f64) -> Option<(f32, f32)> {
    let last = places.len().checked_sub(1)?;
    let at = (iteration - 1.0).clamp(0.0, last as f64);
    let (below, part) = (at.floor() as usize, at.fract() as f32);
    let (from, to) = (places[below], places[(below + 1).min(last)]);
    Some((from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part))
}

/// The radius of a vote's mark: its area is in proportion to the coefficient, that of a uniform one being `plain`.
pub fn radius(coefficient: f32, parents: usize, plain: f32) -> f32 {
    plain * libm::sqrtf((coefficient * parents as f32).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::tests::routed;

    const FRAME: Frame = Frame { width: 400.0, height: 200.0, margin: 20.0 };

    #[test]
    fn all_lies_within_the_frame_and_distances_are_true() {
        let (reading, votes) = routed();
        let scatter = Scatter::new(&votes, &reading, FRAME).expect("three votes");
        assert_eq!((scatter.spots.len(), scatter.sums.len(), scatter.poses.len()), (3, 2, 2));
        for (x, y) in scatter.spots.iter().chain(&scatter.sums).chain(&scatter.poses) {
            assert!((20.0..=380.0).contains(x) && (20.0..=180.0).contains(y), "{x} {y}");
        }
        // Two dimensions lose nothing: the distance of two votes is the one in their own space.
        let (a, b) = (scatter.spots[0], scatter.spots[2]);
        let own = account::norm(&[1.0 + 0.2, 0.5 - 0.1]);
        assert!((((a.0 - b.0).powi(2) + (a.1 - b.1).powi(2)).sqrt() / scatter.unit - own).abs() < 1e-4);
        // v lies on the way from the origin to s.
        for (s, v) in scatter.sums.iter().zip(&scatter.poses) {
            let (s, v) =
                ((s.0 - scatter.origin.0, s.1 - scatter.origin.1), (v.0 - scatter.origin.0, v.1 - scatter.origin.1));
            assert!((s.0 * v.1 - s.1 * v.0).abs() < 0.5 && s.0 * v.0 + s.1 * v.1 > 0.0);
        }
        assert!(scatter.sums[1].0 > scatter.origin.0, "s points to the right");
        assert!((scatter.plane.shares[0] + scatter.plane.shares[1] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_pointer_finds_the_vote_under_it() {
        let (reading, votes) = routed();
        let scatter = Scatter::new(&votes, &reading, FRAME).expect("three votes");
        let (x, y) = scatter.spots[2];
        assert_eq!(scatter.nearest((x + 2.0, y - 2.0), 10.0), Some(2));
        assert_eq!(scatter.nearest((x, y + 500.0), 10.0), None);
    }

    #[test]
    fn every_vote_is_drawn_and_the_course_grows() {
        let (reading, votes) = routed();
        let scatter = Scatter::new(&votes, &reading, FRAME).expect("three votes");
        let tints = Tints::default();
        let drawn = scatter.votes(&[0.5; 3], 2, FRAME, ["axis 1", "axis 2"], &tints);
        assert_eq!(drawn.as_str().matches("<circle").count(), 3);
        let course = |at: f64, ringed| scatter.course(at, &[0.5; 3], ringed, 2, &tints).as_str().to_string();
        assert!(
            course(1.0, None).contains("v₁") && !course(1.9, None).contains("v₂") && course(2.0, None).contains("v₂")
        );
        assert!(course(1.0, Some(2)).contains("ring") && !course(1.0, Some(99)).contains("ring"));
        assert_eq!(subscript(10), "₁₀");
    }

    #[test]
    fn marks_move_between_iterations_and_grow_with_the_coefficient() {
        let places = [(0.0, 0.0), (10.0, 20.0)];
        assert_eq!(between(&places, 1.5), Some((5.0, 10.0)));
        assert_eq!((between(&places, 9.0), between(&[], 1.0)), (Some((10.0, 20.0)), None));
        assert_eq!(radius(0.1, 10, 3.0), 3.0);
        assert!((radius(0.4, 10, 3.0) - 6.0).abs() < 1e-6);
    }
}
