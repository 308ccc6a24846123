//! The flow of votes: a column of positions, a column of digits, and between them ribbons as wide as what is sent.
//!
//! At the left a position's ribbons lie by digit and then by capsule type; at the right a digit's ribbons lie by
//! position and then by type. So all that one position sends to one digit is one ribbon, of which each capsule's part is
//! a slice.

use super::geometry::Grid;
use super::ramp::Colour;
use super::svg::{Marks, Tints};
use std::fmt::Write;

/// A stretch of a column, from top to bottom.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretch {
    /// Its top.
    pub top: f32,
    /// Its height.
    pub height: f32,
}

/// A ribbon: its upper ends at both columns, and its width, which is the same all along.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ribbon {
    /// Its top at the positions.
    pub left: f32,
    /// Its top at the digits.
    pub right: f32,
    /// Its width.
    pub width: f32,
}

/// Gaps between neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaps {
    /// Between two positions.
    pub position: f32,
    /// Between two rows of positions, besides.
    pub row: f32,
    /// Between two digits.
    pub digit: f32,
}

/// Where everything lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    grid: Grid,
    parents: usize,
    /// The positions, row by row.
    pub positions: Vec<Stretch>,
    /// The digits.
    pub digits: Vec<Stretch>,
    /// Of each child and parent.
    ribbons: Vec<Ribbon>,
}

impl Flow {
    /// Lays out what each child sends to each parent [I, J], none of it negative, in columns of a height. `most` is the
    /// sum of all that fills the height; with the largest sum of all iterations, widths can be compared between them.
    pub fn new(sent: &[f32], grid: Grid, parents: usize, height: f32, gaps: Gaps, most: f32) -> Self {
        let places = (grid.rows * grid.columns) as usize;
        let child = |of_type: usize, place: usize| of_type * places + place;
        let types = grid.types as usize;
        let at = |of_type, place, parent| sent.get(child(of_type, place) * parents + parent).copied().unwrap_or(0.0);

        let left_gaps = gaps.position * places.saturating_sub(1) as f32 + gaps.row * grid.rows.saturating_sub(1) as f32;
        let right_gaps = gaps.digit * parents.saturating_sub(1) as f32;
        let free = (height - left_gaps.max(right_gaps)).max(0.0);
        let scale = if most > 0.0 { free / most } else { 0.0 };
        let all: f32 = sent.iter().take(types * places * parents).sum();
        let mut ribbons = vec![Ribbon::default(); types * places * parents];

        let mut positions = vec![];
        let mut y = (height - all * scale - left_gaps).max(0.0) / 2.0;
        for place in 0..places {
            let top = y;
            for parent in 0..parents {
                for of_type in 0..types {
                    let ribbon = &mut ribbons[child(of_type, place) * parents + parent];
                    *ribbon = Ribbon { left: y, right: 0.0, width: at(of_type, place, parent) * scale };
                    y += ribbon.width;
                }
            }
            positions.push(Stretch { top, height: y - top });
            y += gaps.position + if (place + 1).is_multiple_of(grid.columns.max(1) as usize) { gaps.row } else { 0.0 };
        }

        let mut digits = vec![];
        let mut y = (height - all * scale - right_gaps).max(0.0) / 2.0;
        for parent in 0..parents {
            let top = y;
            for place in 0..places {
                for of_type in 0..types {
                    let ribbon = &mut ribbons[child(of_type, place) * parents + parent];
                    ribbon.right = y;
                    y += ribbon.width;
                }
            }
            digits.push(Stretch { top, height: y - top });
            y += gaps.digit;
        }
        Flow { grid, parents, positions, digits, ribbons }
    }

    /// What one child sends to one parent.
    pub fn of_child(&self, child: u32, parent: usize) -> Ribbon {
        self.ribbons.get(child as usize * self.parents + parent).copied().unwrap_or_default()
    }

    /// What all children at a position send to one parent.
    pub fn of_position(&self, position: usize, parent: usize) -> Ribbon {
        let places = self.grid.rows * self.grid.columns;
        let of_type = |of_type: u32| self.of_child(of_type * places + position as u32, parent);
        Ribbon { width: (0..self.grid.types).map(|t| of_type(t).width).sum(), ..of_type(0) }
    }

    /// The position at a height of the left column; between two, the nearer one.
    pub fn position_at(&self, y: f32) -> Option<usize> {
        nearest(&self.positions, y)
    }

    /// The digit at a height of the right column; between two, the nearer one.
    pub fn digit_at(&self, y: f32) -> Option<usize> {
        nearest(&self.digits, y)
    }
}

/// Where the columns stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Columns {
    /// The right edge of the positions' blocks: here ribbons begin.
    pub left: f32,
    /// The left edge of the digits' blocks.
    pub right: f32,
    /// How wide a block is.
    pub block: f32,
}

impl Flow {
    /// Everything that flows, a ribbon from each position to each digit: quietly what goes to the other digits, and what
    /// goes to the digit in view in the colours of its positions.
    pub fn ribbons(&self, columns: Columns, in_view: Option<u8>, colours: &[Colour], tints: &Tints) -> Marks {
        let mut marks = Marks::default();
        let ends = (columns.left, columns.right);
        let places = || 0..self.positions.len();
        for parent in (0..self.parents).filter(|parent| in_view.map(usize::from) != Some(*parent)) {
            let mut path = String::new();
            places().for_each(|place| outline(&mut path, self.of_position(place, parent), ends));
            marks.put(format_args!(r#"<path d="{path}" fill="{}" fill-opacity="0.4"/>"#, tints.quiet));
        }
        for (place, parent) in in_view.into_iter().flat_map(|parent| places().map(move |place| (place, parent.into())))
        {
            let mut path = String::new();
            outline(&mut path, self.of_position(place, parent), ends);
            let [red, green, blue] = colours.get(place).copied().unwrap_or_default();
            // A hairline around it, so that it is seen where it is thinner than a pixel.
            marks.put(format_args!(
                r##"<path d="{path}" fill="#{red:02x}{green:02x}{blue:02x}" stroke="#{red:02x}{green:02x}{blue:02x}" stroke-width="0.7"/>"##
            ));
        }
        marks
    }

    /// The blocks of both columns with their names, at the left one for each row.
    pub fn blocks(&self, columns: Columns, in_view: Option<u8>, rows: &[String], tints: &Tints) -> Marks {
        let mut marks = Marks::default();
        let block = |marks: &mut Marks, x: f32, stretch: Stretch, colour: &str| {
            marks.put(format_args!(
                r#"<rect x="{x:.1}" y="{:.2}" width="{:.1}" height="{:.2}" fill="{colour}"/>"#,
                stretch.top,
                columns.block,
                stretch.height.max(0.5)
            ));
        };
        for position in &self.positions {
            block(&mut marks, columns.left - columns.block, *position, &tints.measured);
        }
        for (parent, digit) in self.digits.iter().enumerate() {
            let colour = if in_view.map(usize::from) == Some(parent) { &tints.accent } else { &tints.measured };
            block(&mut marks, columns.right, *digit, colour);
            let at = (columns.right + columns.block + 6.0, digit.top + digit.height / 2.0 + 4.5);
            let words = if in_view.map(usize::from) == Some(parent) { &tints.accent } else { &tints.text };
            marks.words(at, "start", words, &parent.to_string());
        }
        for (row, name) in rows.iter().enumerate() {
            let across = self.grid.columns as usize;
            let (Some(first), Some(last)) =
                (self.positions.get(row * across), self.positions.get(row * across + across - 1))
            else {
                break;
            };
            let middle = (first.top + last.top + last.height) / 2.0;
            marks.words((columns.left - columns.block - 6.0, middle + 4.0), "end", &tints.quiet, name);
        }
        marks
    }

    /// One capsule's ribbons to all digits, so wide that their widths can be compared: `scale` pixels for a coefficient
    /// of 1; and its place in the left column.
    pub fn capsule(&self, columns: Columns, child: u32, couplings: &[f32], scale: f32, tints: &Tints) -> Marks {
        let mut marks = Marks::default();
        let (from, to) = (columns.left, columns.right);
        let middle = (from + to) / 2.0;
        for (parent, coupling) in couplings.iter().enumerate() {
            let Ribbon { left, right, width } = self.of_child(child, parent);
            let (start, end) = (left + width / 2.0, right + width / 2.0);
            marks.put(format_args!(
                r#"<path class="traced" d="M{from:.1} {start:.2}C{middle:.1} {start:.2} {middle:.1} {end:.2} {to:.1} {end:.2}" fill="none" stroke="{}" stroke-opacity="0.9" stroke-width="{:.2}"/>"#,
                tints.accent,
                coupling * scale
            ));
        }
        let places = (self.grid.rows * self.grid.columns).max(1);
        if let Some(place) = self.positions.get((child % places) as usize) {
            marks.put(format_args!(
                r#"<rect x="{:.1}" y="{:.2}" width="{:.1}" height="{:.2}" fill="none" stroke="{}" stroke-width="2"/>"#,
                columns.left - columns.block - 1.0,
                place.top - 1.0,
                columns.block + 2.0,
                place.height + 2.0,
                tints.accent
            ));
        }
        marks
    }
}

fn nearest(column: &[Stretch], y: f32) -> Option<usize> {
    let away = |stretch: &Stretch| (stretch.top - y).max(y - stretch.top - stretch.height).max(0.0);
    let places = column.iter().enumerate();
    places.min_by(|a, b| away(a.1).total_cmp(&away(b.1))).map(|(place, _)| place)
}

/// Adds a ribbon's outline to an SVG path: level at both ends, so that it leaves and arrives at right angles.
pub fn outline(path: &mut String, ribbon: Ribbon, (from, to): (f32, f32)) {
    let Ribbon { left, right, width } = ribbon;
    let middle = (from + to) / 2.0;
    let (low_left, low_right) = (left + width, right + width);
    // Writing to a string never fails.
    let _ = write!(
        path,
        "M{from:.1} {left:.2}C{middle:.1} {left:.2} {middle:.1} {right:.2} {to:.1} {right:.2}V{low_right:.2}C{middle:.1} {low_right:.2} {middle:.1} {low_left:.2} {from:.1} {low_left:.2}Z"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAPS: Gaps = Gaps { position: 1.0, row: 2.0, digit: 5.0 };
    /// Two types at 2 × 3 positions.
    const GRID: Grid = Grid { types: 2, rows: 2, columns: 3 };

    fn sent() -> Vec<f32> {
        (0..12 * 4).map(|k| ((k * 7) % 11) as f32 / 10.0).collect()
    }

    #[test]
    fn nothing_is_lost_and_nothing_overlaps() {
        let sent = sent();
        let all: f32 = sent.iter().sum();
        let flow = Flow::new(&sent, GRID, 4, 300.0, GAPS, all);
        let scale = (300.0 - 15.0) / all;
        for (position, stretch) in flow.positions.iter().enumerate() {
            let here: f32 = [position, position + 6].iter().flat_map(|c| &sent[c * 4..c * 4 + 4]).sum();
            assert!((stretch.height - here * scale).abs() < 1e-3);
            let mut y = stretch.top;
            for parent in 0..4 {
                let ribbon = flow.of_position(position, parent);
                assert!((ribbon.left - y).abs() < 1e-3);
                y += ribbon.width;
                let second = flow.of_child(position as u32 + 6, parent);
                assert!((second.left + second.width - y).abs() < 1e-3, "a capsule's part is a slice of its position's");
                assert!((second.right + second.width - ribbon.right - ribbon.width).abs() < 1e-3);
            }
            assert!((y - stretch.top - stretch.height).abs() < 1e-3);
        }
        for (parent, stretch) in flow.digits.iter().enumerate() {
            let here: f32 = sent.iter().skip(parent).step_by(4).sum();
            assert!((stretch.height - here * scale).abs() < 1e-3);
        }
        let last = flow.digits[3];
        assert!((flow.digits[0].top).abs() < 1e-3 && (last.top + last.height - 300.0).abs() < 1e-2);
        for pair in flow.positions.windows(2) {
            assert!(pair[1].top - pair[0].top - pair[0].height >= 1.0 - 1e-3);
        }
    }

    #[test]
    fn less_than_the_most_is_narrower_and_stands_in_the_middle() {
        let sent = sent();
        let all: f32 = sent.iter().sum();
        let (full, half) =
            (Flow::new(&sent, GRID, 4, 300.0, GAPS, all), Flow::new(&sent, GRID, 4, 300.0, GAPS, 2.0 * all));
        assert!((full.of_child(5, 2).width - 2.0 * half.of_child(5, 2).width).abs() < 1e-4);
        let (first, last) = (half.digits[0], half.digits[3]);
        assert!((first.top - (300.0 - last.top - last.height)).abs() < 1e-2);
        assert_eq!(Flow::new(&[0.0; 48], GRID, 4, 300.0, GAPS, 0.0).of_position(3, 1).width, 0.0);
    }

    #[test]
    fn a_pointer_finds_the_nearest() {
        let flow = Flow::new(&sent(), GRID, 4, 300.0, GAPS, sent().iter().sum());
        assert_eq!((flow.position_at(-5.0), flow.digit_at(1000.0)), (Some(0), Some(3)));
        let third = flow.positions[2];
        assert_eq!(flow.position_at(third.top + third.height / 2.0), Some(2));
    }

    #[test]
    fn every_position_is_drawn_to_the_digit_in_view() {
        let flow = Flow::new(&sent(), GRID, 4, 300.0, GAPS, sent().iter().sum());
        let columns = Columns { left: 40.0, right: 280.0, block: 8.0 };
        let tints = Tints { accent: "#c2410c".into(), ..Tints::default() };
        let drawn = flow.ribbons(columns, Some(2), &[[1, 2, 3]; 6], &tints);
        assert_eq!(drawn.as_str().matches("fill=\"#010203").count(), 6, "one ribbon each to the digit in view");
        assert_eq!(drawn.as_str().matches("<path").count(), 6 + 3, "and one path to each of the others");
        let blocks = flow.blocks(columns, Some(2), &["row 1".into(), "row 2".into()], &tints);
        assert_eq!(blocks.as_str().matches("<rect").count(), 6 + 4);
        assert!(blocks.as_str().contains("row 2") && blocks.as_str().contains(">3</text>"));
        let traced = flow.capsule(columns, 7, &[0.1, 0.2, 0.3, 0.4], 10.0, &tints);
        assert!(traced.as_str().matches("traced").count() == 4 && traced.as_str().contains("stroke-width=\"4.00\""));
    }

    #[test]
    fn an_outline_closes() {
        let mut path = String::new();
        outline(&mut path, Ribbon { left: 10.0, right: 50.0, width: 4.0 }, (0.0, 100.0));
        assert_eq!(path, "M0.0 10.00C50.0 10.00 50.0 50.00 100.0 50.00V54.00C50.0 54.00 50.0 14.00 0.0 14.00Z");
    }
}
