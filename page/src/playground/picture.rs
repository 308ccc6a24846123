//! The playground as drawings: a plane for each parent, the coefficients, the squash; the same on the page and in a file.

use super::{CHILDREN, Iteration, PARENTS, Point, Votes, length};
use crate::chart::Scale;
use crate::scatter::radius;
use crate::svg::{self, Marks, Tints};
use crate::tour::squashed;

/// Width and height of a parent's plane.
pub const PLANE: (f32, f32) = (400.0, 400.0);

/// Width and height of the picture of the coefficients.
pub const COUPLINGS: (f32, f32) = (400.0, 24.0 + ROW * CHILDREN as f32);

/// Width and height of the plot of the squash.
pub const SQUASH: (f32, f32) = (400.0, 200.0);

/// Pixels of one unit of a plane.
const UNIT: f32 = 125.0;

/// Height of a child's row of bars.
const ROW: f32 = 36.0;

/// The longest sum that the plot of the squash shows; what is longer stands at its right edge.
const LONGEST_SUM: f64 = 5.0;

/// Radius of the mark of a vote with a uniform coefficient.
const PLAIN: f32 = 9.0;

/// The name of a parent.
pub fn letter(parent: usize) -> char {
    char::from(b'A' + parent as u8)
}

/// Where a point of the plane is drawn: the origin in the middle, upwards positive.
pub fn place([x, y]: Point) -> (f32, f32) {
    (PLANE.0 / 2.0 + UNIT * x as f32, PLANE.1 / 2.0 - UNIT * y as f32)
}

/// The point that is drawn at a place given in parts of the plane's width and height.
pub fn point_at((across, down): (f32, f32)) -> Point {
    [(across - 0.5) * PLANE.0 / UNIT, (0.5 - down) * PLANE.1 / UNIT].map(f64::from)
}

/// A sum that is longer than the plane is wide stands at its edge, in the same direction.
fn within(sum: Point) -> Point {
    const EDGE: f64 = 1.4;
    let furthest = sum[0].abs().max(sum[1].abs());
    if furthest > EDGE { sum.map(|x| x * EDGE / furthest) } else { sum }
}

/// The votes for one parent, by area as much as they are coupled in the last iteration, and the way of s and v.
pub fn plane(votes: &Votes, course: &[Iteration], parent: usize, tints: &Tints) -> Marks {
    let mut marks = Marks::default();
    let (middle_x, middle_y) = place([0.0; 2]);
    marks.line((0.0, middle_y), (PLANE.0, middle_y), &tints.line, 1.0);
    marks.line((middle_x, 0.0), (middle_x, PLANE.1), &tints.line, 1.0);
    marks.put(format_args!(
        r#"<circle cx="{middle_x}" cy="{middle_y}" r="{UNIT}" fill="none" stroke="{}" stroke-dasharray="3 4"/>"#,
        tints.quiet
    ));
    marks.words((middle_x + UNIT + 4.0, middle_y + 14.0), "start", &tints.quiet, "1");
    let Some(last) = course.last() else { return marks };
    for (vote, coupling) in votes.iter().zip(&last.couplings) {
        let ((x, y), radius) = (place(vote[parent]), radius(coupling[parent] as f32, PARENTS, PLAIN).max(1.5));
        marks.put(format_args!(
            r#"<circle class="vote" cx="{x:.1}" cy="{y:.1}" r="{radius:.1}" fill="{0}" fill-opacity="0.45" stroke="{0}"/>"#,
            tints.measured
        ));
    }
    let sums = || course.iter().map(|t| place(within(t.sums[parent])));
    way(&mut marks, std::iter::once(place([0.0; 2])).chain(sums()), &tints.text, 1.0);
    for (x, y) in sums() {
        marks.put(format_args!(
            r#"<path class="sum" d="M{x:.1} {:.1}l4.5 4.5l-4.5 4.5l-4.5-4.5z" fill="{}" stroke="{}" stroke-width="1.5"/>"#,
            y - 4.5,
            tints.paper,
            tints.text
        ));
    }
    let poses = || course.iter().map(|t| place(t.poses[parent]));
    way(&mut marks, std::iter::once(place([0.0; 2])).chain(poses()), &tints.accent, 2.5);
    for (x, y) in poses() {
        marks.put(format_args!(
            r#"<circle class="pose" cx="{x:.1}" cy="{y:.1}" r="4" fill="{}" stroke="{}"/>"#,
            tints.accent, tints.paper
        ));
    }
    // Names last, so that they are read over everything.
    let name = |marks: &mut Marks, (x, y): (f32, f32), colour: &str, name: &str| {
        marks.words_over((x, y - 10.0), colour, &tints.paper, name);
    };
    for (child, vote) in votes.iter().enumerate() {
        let (x, y) = place(vote[parent]);
        name(&mut marks, (x + 12.0, y + 2.0), &tints.measured, &(child + 1).to_string());
    }
    let sum = last.sums[parent];
    let leaves = if within(sum) == sum { String::from("s") } else { format!("s → {:.1}", length(sum)) };
    name(&mut marks, place(within(sum)), &tints.text, &leaves);
    name(&mut marks, place(last.poses[parent]), &tints.accent, "v");
    marks
}

/// Straight lines from each place to the next.
fn way(marks: &mut Marks, places: impl Iterator<Item = (f32, f32)> + Clone, colour: &str, width: f32) {
    for (from, to) in places.clone().zip(places.skip(1)) {
        marks.line(from, to, colour, width);
    }
}

/// A row for each child, a column for each parent, and in it a bar for each iteration; the last one is strong and told.
pub fn couplings(course: &[Iteration], tints: &Tints) -> Marks {
    /// Width of a bar with what is free beside it.
    const SLOT: f32 = 12.0;
    let mut marks = Marks::default();
    let column = |parent: usize| 30.0 + (COUPLINGS.0 - 30.0) / PARENTS as f32 * parent as f32;
    let most = ROW - 8.0;
    for parent in 0..PARENTS {
        marks.words((column(parent), 14.0), "start", &tints.quiet, &letter(parent).to_string());
    }
    for child in 0..CHILDREN {
        let foot = 24.0 + ROW * (child + 1) as f32 - 4.0;
        marks.words((0.0, foot - 4.0), "start", &tints.measured, &(child + 1).to_string());
        for parent in 0..PARENTS {
            let left = column(parent);
            let end = left + SLOT * crate::address::MOST_ITERATIONS as f32;
            marks.line((left, foot), (end, foot), &tints.line, 1.0);
            let uniform = foot - most / PARENTS as f32;
            marks.line((left, uniform), (end, uniform), &tints.line, 1.0);
            for (t, iteration) in course.iter().enumerate() {
                let height = most * iteration.couplings[child][parent] as f32;
                let strength = if t + 1 == course.len() { 1.0 } else { 0.4 };
                marks.put(format_args!(
                    r#"<rect class="bar" x="{:.1}" y="{:.1}" width="{}" height="{height:.1}" fill="{}" fill-opacity="{strength}"/>"#,
                    left + SLOT * t as f32,
                    foot - height,
                    SLOT - 2.0,
                    tints.measured
                ));
            }
            let told = course.last().map_or(0.0, |last| last.couplings[child][parent]);
            marks.words((end + 6.0, foot - 4.0), "start", &tints.text, &format!("{told:.2}"));
        }
    }
    marks
}

/// ‖v‖ against ‖s‖, with a dot on the curve for each parent and iteration.
pub fn squash(course: &[Iteration], tints: &Tints) -> Marks {
    let (left, top, right, bottom) = (34.0, 12.0, SQUASH.0 - 14.0, SQUASH.1 - 28.0);
    let height = Scale::Linear { low: 0.0, high: 1.0 };
    let at = |sum: f64| {
        let across = (sum / LONGEST_SUM).clamp(0.0, 1.0) as f32;
        (left + (right - left) * across, bottom - (bottom - top) * height.height(squashed(sum)) as f32)
    };
    let mut marks = Marks::default();
    for value in [0.0, 0.5, 1.0] {
        let y = bottom - (bottom - top) * value;
        marks.line((left, y), (right, y), &tints.line, 1.0);
        marks.words((left - 6.0, y + 4.0), "end", &tints.quiet, &format!("{value}"));
    }
    for sum in 0..=LONGEST_SUM as i32 {
        marks.words((at(f64::from(sum)).0, bottom + 18.0), "middle", &tints.quiet, &sum.to_string());
    }
    marks.words((left + 6.0, top + 12.0), "start", &tints.quiet, "‖v‖");
    marks.words((right, bottom - 6.0), "end", &tints.quiet, "‖s‖");
    const STEPS: i32 = 80;
    way(&mut marks, (0..=STEPS).map(|k| at(LONGEST_SUM * f64::from(k) / f64::from(STEPS))), &tints.measured, 2.0);
    for (t, iteration) in course.iter().enumerate() {
        let is_last = t + 1 == course.len();
        for (parent, sum) in iteration.sums.iter().enumerate() {
            let (x, y) = at(length(*sum));
            let radius = if is_last { 5.0 } else { 2.5 };
            marks.put(format_args!(
                r#"<circle class="on-curve" cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{}" stroke="{}"/>"#,
                tints.accent, tints.paper
            ));
            if is_last {
                // A above the curve and B below it, so that they can lie on one place.
                let beside = if parent % 2 == 0 { (x - 10.0, y - 8.0) } else { (x + 11.0, y + 15.0) };
                marks.words_over(beside, &tints.text, &tints.paper, &letter(parent).to_string());
            }
        }
    }
    marks
}

/// All of it in one drawing for a file, under a title.
pub fn whole(votes: &Votes, course: &[Iteration], title: &str, tints: &Tints) -> String {
    const GAP: f32 = 24.0;
    let width = (PLANE.0 + GAP) * PARENTS as f32 + GAP;
    let (first, second) = (48.0, 48.0 + PLANE.1 + GAP);
    let mut all = Marks::default();
    all.words((GAP, 28.0), "start", &tints.text, title);
    // A picture of its own, so that what leaves the plane is cut at its edge.
    let mut put = |x: f32, y: f32, (width, height): (f32, f32), marks: &Marks| {
        all.put(format_args!(r#"<svg x="{x}" y="{y}" width="{width}" height="{height}">{}</svg>"#, marks.as_str()));
    };
    for parent in 0..PARENTS {
        let mut drawn = plane(votes, course, parent, tints);
        drawn.words((8.0, 18.0), "start", &tints.text, &letter(parent).to_string());
        put(GAP + (PLANE.0 + GAP) * parent as f32, first, PLANE, &drawn);
    }
    put(GAP, second, COUPLINGS, &couplings(course, tints));
    put(2.0 * GAP + PLANE.0, second, SQUASH, &squash(course, tints));
    svg::picture((width, second + COUPLINGS.1 + GAP), Some(&tints.paper), &[&all])
}

#[cfg(test)]
mod tests {
    use super::super::{Preset, route};
    use super::*;

    fn arranged() -> Votes {
        Preset::Agreement.applied(&[[[0.0; 2]; PARENTS]; CHILDREN])
    }

    #[test]
    fn a_point_is_drawn_where_the_pointer_finds_it() {
        for point in [[0.0, 0.0], [1.0, 0.5], [-1.5, 1.5]] {
            let (x, y) = place(point);
            let found = point_at((x / PLANE.0, y / PLANE.1));
            assert!(found.iter().zip(point).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?} {point:?}");
        }
        assert!(place([0.0, 1.0]).1 < place([0.0, 0.0]).1, "upwards is positive");
    }

    #[test]
    fn every_vote_iteration_and_coefficient_is_drawn() {
        let (votes, tints) = (arranged(), Tints::default());
        let course = route(&votes, 4);
        let drawn = plane(&votes, &course, 0, &tints);
        let count = |what: &str| drawn.as_str().matches(what).count();
        assert_eq!((count(r#"class="vote""#), count(r#"class="sum""#), count(r#"class="pose""#)), (CHILDREN, 4, 4));
        let bars = couplings(&course, &tints);
        assert_eq!(bars.as_str().matches(r#"class="bar""#).count(), 4 * CHILDREN * PARENTS);
        let told = format!("{:.2}", course[3].couplings[2][0]);
        assert!(bars.as_str().contains(&told), "{told}");
        assert_eq!(squash(&course, &tints).as_str().matches(r#"class="on-curve""#).count(), 4 * PARENTS);
    }

    #[test]
    fn a_long_sum_stands_at_the_edge_and_is_told() {
        assert_eq!(within([0.5, -1.0]), [0.5, -1.0]);
        assert_eq!(within([2.8, -1.4]), [1.4, -0.7]);
        let votes = arranged();
        let drawn = |parent| plane(&votes, &route(&votes, 10), parent, &Tints::default());
        assert!(drawn(0).as_str().contains("s → 4.") && drawn(1).as_str().contains(">s<"));
    }

    #[test]
    fn coupled_votes_are_larger() {
        let votes = arranged();
        let first = |parent: usize| {
            let drawn = plane(&votes, &route(&votes, 10), parent, &Tints::default());
            let text = drawn.as_str().split(r#"class="vote""#).nth(1).unwrap_or_default().to_string();
            text.split(r#" r=""#).nth(1).and_then(|r| r.split('"').next()?.parse::<f32>().ok()).expect("a radius")
        };
        assert!(first(0) > 2.0 * first(1), "A is coupled, B is not");
    }

    #[test]
    fn the_file_holds_all_pictures() {
        let votes = arranged();
        let file = whole(&votes, &route(&votes, 3), "r = 3 & more", &Tints::default());
        assert!(file.starts_with("<svg xmlns") && file.contains("r = 3 &amp; more"));
        assert_eq!(file.matches("<svg").count(), 1 + PARENTS + 2);
        assert_eq!(file.matches("<svg").count(), file.matches("</svg>").count());
    }
}
