//! The votes for one digit capsule in the plane in which they spread most, with s and v of each iteration.

use super::axes::Plane;
use super::{account, readout};
use crate::protocol::{Reading, Votes};

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
    use crate::page::account::tests::routed;

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
    fn marks_move_between_iterations_and_grow_with_the_coefficient() {
        let places = [(0.0, 0.0), (10.0, 20.0)];
        assert_eq!(between(&places, 1.5), Some((5.0, 10.0)));
        assert_eq!((between(&places, 9.0), between(&[], 1.0)), (Some((10.0, 20.0)), None));
        assert_eq!(radius(0.1, 10, 3.0), 3.0);
        assert!((radius(0.4, 10, 3.0) - 6.0).abs() < 1e-6);
    }
}
