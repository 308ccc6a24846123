//! Curves and the confusion matrix as drawings for a file: as they stand on the page, with their words and numbers.

use super::chart::{Scale, path};
use super::confusion::Confusion;
use super::svg::{Marks, Tints, picture};

/// A curve of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is.
    pub name: String,
    /// Its last value, or nothing.
    pub last: String,
    /// Its colour, as `#rrggbb`.
    pub colour: String,
    /// Whether its points are drawn as dots, joined by dashes.
    pub dotted: bool,
    /// Steps and values.
    pub points: Vec<(f64, f64)>,
}

/// What stands around the curves.
#[derive(Clone, Copy, Debug)]
pub struct Axes<'a> {
    /// What the picture shows.
    pub title: &'a str,
    /// Heights.
    pub scale: Scale,
    /// The text of a height.
    pub label: fn(f64) -> String,
    /// The name of the axis below.
    pub below: &'a str,
    /// The step at the right end, as a number and as it is said.
    pub end: (f64, &'a str),
}

/// Width and height of a drawing of curves.
const SIZE: (f32, f32) = (720.0, 400.0);

/// Left, top, right and bottom edge of its curves.
const BOX: [f32; 4] = [70.0, 40.0, 700.0, 320.0];

/// Curves over the steps.
pub fn curves(axes: &Axes<'_>, curves: &[Curve], tints: &Tints) -> String {
    let [left, top, right, bottom] = BOX;
    let mut marks = Marks::default();
    marks.words((left, 24.0), "start", &tints.text, axes.title);
    for value in axes.scale.ticks() {
        let y = bottom - (bottom - top) * axes.scale.height(value) as f32;
        marks.line((left, y), (right, y), &tints.line, 1.0);
        marks.words((left - 8.0, y + 4.0), "end", &tints.quiet, &(axes.label)(value));
    }
    marks.words((left, bottom + 18.0), "start", &tints.quiet, "0");
    marks.words(((left + right) / 2.0, bottom + 18.0), "middle", &tints.quiet, axes.below);
    marks.words((right, bottom + 18.0), "end", &tints.quiet, axes.end.1);
    let (across, down) = ((right - left) / 1000.0, (bottom - top) / 1000.0);
    for (place, curve) in curves.iter().enumerate() {
        let dashes = if curve.dotted { " stroke-dasharray=\"4 3\"" } else { "" };
        marks.put(format_args!(
            r#"<g transform="translate({left} {top}) scale({across:.4} {down:.4})" fill="none" stroke="{}" stroke-linejoin="round" stroke-linecap="round">"#,
            curve.colour
        ));
        marks.put(format_args!(
            r#"<path vector-effect="non-scaling-stroke" stroke-width="2"{dashes} d="{}"/>"#,
            path(&curve.points, axes.end.0, axes.scale)
        ));
        for point in curve.points.iter().filter(|_| curve.dotted) {
            let dot = path(&[*point], axes.end.0, axes.scale);
            marks.put(format_args!(r#"<path vector-effect="non-scaling-stroke" stroke-width="7" d="{dot}"/>"#));
        }
        marks.put(format_args!("</g>"));
        let (x, y) = (left + 315.0 * place as f32, bottom + 52.0);
        marks.line((x, y - 4.0), (x + 20.0, y - 4.0), &curve.colour, if curve.dotted { 5.0 } else { 2.0 });
        marks.words((x + 28.0, y), "start", &tints.text, &format!("{} {}", curve.name, curve.last));
    }
    picture(SIZE, Some(&tints.paper), &[&marks])
}

/// Height of the bars of lengths, and of the room above and below them.
const BARS: [f32; 3] = [240.0, 60.0, 60.0];

/// Width of one bar.
const BAR: f32 = 14.0;

/// The lengths of the digit capsules in every iteration, as groups of bars: one row of `lengths` an iteration, one
/// column a digit. The bars of iteration `shown` (from 0) are in the accent.
pub fn bars(lengths: &[&[f32]], shown: usize, [title, below]: [&str; 2], tints: &Tints) -> String {
    let [height, top, foot] = BARS;
    let (classes, rounds) = (lengths.first().map_or(0, |row| row.len()), lengths.len());
    let (left, group) = (60.0, BAR * (rounds as f32 + 1.5));
    let right = left + group * classes as f32;
    let mut marks = Marks::default();
    marks.words((left, 28.0), "start", &tints.text, title);
    for value in [0.0, 0.5, 1.0] {
        let y = top + height * (1.0 - value);
        marks.line((left, y), (right, y), &tints.line, 1.0);
        marks.words((left - 8.0, y + 4.0), "end", &tints.quiet, &value.to_string());
    }
    for class in 0..classes {
        let start = left + group * class as f32;
        for (round, row) in lengths.iter().enumerate() {
            let length = row.get(class).copied().unwrap_or(0.0).clamp(0.0, 1.0);
            let colour = if round == shown { &tints.accent } else { &tints.quiet };
            marks.put(format_args!(
                r#"<rect x="{:.1}" y="{:.1}" width="{}" height="{:.1}" fill="{colour}"><title>{length:.4}</title></rect>"#,
                start + BAR * (0.75 + round as f32),
                top + height * (1.0 - length),
                BAR - 2.0,
                height * length,
            ));
        }
        marks.words((start + group / 2.0, top + height + 20.0), "middle", &tints.text, &class.to_string());
    }
    marks.words(((left + right) / 2.0, top + height + 44.0), "middle", &tints.quiet, below);
    picture((right + 20.0, top + height + foot), Some(&tints.paper), &[&marks])
}

/// Width and height of a cell of the confusion matrix.
const CELL: f32 = 44.0;

/// The matrix with its counts: labels in rows, readings in columns.
pub fn matrix(matrix: &Confusion, [title, label, read]: [&str; 3], tints: &Tints) -> String {
    let (left, top) = (60.0, 74.0);
    let classes = matrix.classes();
    let end = |start: f32| start + CELL * classes as f32;
    let mut marks = Marks::default();
    marks.words((left, 24.0), "start", &tints.text, title);
    marks.words((left, 46.0), "start", &tints.quiet, &format!("{label} ↓  {read} →"));
    for class in 0..classes {
        let middle = CELL * (class as f32 + 0.5);
        marks.words((left + middle, top - 8.0), "middle", &tints.quiet, &class.to_string());
        marks.words((left - 10.0, top + middle + 4.0), "end", &tints.quiet, &class.to_string());
    }
    for (row, column) in (0..classes).flat_map(|row| (0..classes).map(move |column| (row, column))) {
        let (x, y) = (left + CELL * column as f32, top + CELL * row as f32);
        let is_right = row == column;
        // As strong as on the page, where what was read right is paler.
        let strength = matrix.tint(row, column) * if is_right { 0.225 } else { 0.5 };
        let colour = if is_right { &tints.measured } else { &tints.accent };
        marks.put(format_args!(
            r#"<rect x="{:.0}" y="{:.0}" width="{}" height="{}" fill="{colour}" fill-opacity="{strength:.3}" stroke="{}"/>"#,
            x + 1.0,
            y + 1.0,
            CELL - 2.0,
            CELL - 2.0,
            tints.line
        ));
        let count = matrix.count(row, column);
        let shown = if count == 0 { "·".to_string() } else { count.to_string() };
        marks.words((x + CELL / 2.0, y + CELL / 2.0 + 4.0), "middle", &tints.text, &shown);
    }
    picture((end(left) + 20.0, end(top) + 20.0), Some(&tints.paper), &[&marks])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tints() -> Tints {
        Tints { measured: "#0000ff".into(), accent: "#ff8800".into(), paper: "#ffffff".into(), ..Tints::default() }
    }

    #[test]
    fn a_drawing_of_curves_holds_lines_ticks_and_last_values() {
        let curve = |name: &str, dotted| Curve {
            name: name.into(),
            last: "0.25".into(),
            colour: "#123456".into(),
            dotted,
            points: vec![(0.0, 0.0), (10.0, 1.0)],
        };
        let scale = Scale::Linear { low: 0.0, high: 1.0 };
        let axes = Axes { title: "a < b", scale, label: |v| format!("{v:.2}"), below: "steps", end: (10.0, "ten") };
        let svg = curves(&axes, &[curve("loss", false), curve("test", true)], &tints());
        assert_eq!(svg.matches("M0.0 1000.0L1000.0 0.0").count(), 2);
        // Of two points two dots, and one dashed line.
        assert_eq!((svg.matches("stroke-width=\"7\"").count(), svg.matches("dasharray").count()), (2, 1));
        for words in ["a &lt; b", "loss 0.25", "test 0.25", "0.75", ">steps<", ">ten<"] {
            assert!(svg.contains(words), "{words}");
        }
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    }

    #[test]
    fn drawn_lengths_are_as_high_as_they_are_long() {
        let svg = bars(&[&[0.1, 0.5], &[0.0, 1.0]], 1, ["Lengths", "digit"], &tints());
        let heights: Vec<&str> = svg.split(" height=\"").skip(2).filter_map(|rest| rest.split('"').next()).collect();
        println!("{heights:?}");
        assert_eq!(heights[heights.len() - 4..], ["24.0", "0.0", "120.0", "240.0"]);
        assert_eq!(svg.matches("fill=\"#ff8800\"").count(), 2, "those of the iteration shown");
        assert!(svg.contains("<title>0.5000</title>") && svg.contains(">Lengths<"));
    }

    #[test]
    fn a_drawn_matrix_holds_every_count_in_its_tint() {
        let confusion = Confusion::new(&[8, 2, 0, 5]).expect("two classes");
        let svg = matrix(&confusion, ["Confusion", "label", "read"], &tints());
        assert_eq!(svg.matches("<rect x").count(), 4);
        for words in [">8<", ">2<", ">·<", ">5<", "label ↓  read →"] {
            assert!(svg.contains(words), "{words}");
        }
        assert!(svg.contains(r##"fill="#ff8800" fill-opacity="0.500""##), "the only mistake is as strong as can be");
        assert!(svg.contains(r##"fill="#0000ff" fill-opacity="0.180""##), "eight of ten were read right");
    }
}
