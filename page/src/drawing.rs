//! A drawing short enough for an address: its points on a grid of 256 × 256, those that a straight line says as well left
//! out, each told by its distance from the one before.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use capscope_ink::{Point, Stroke};

/// The most letters that a drawing may take: addresses of some 2 000 pass every mail program and chat.
pub const MOST_LETTERS: usize = 1_200;

/// The most strokes that are read from an address.
const MOST_STROKES: usize = 128;

/// How far a left-out point may lie off the line, in steps of the grid: the first that makes the drawing short enough.
const TOLERANCES: [f32; 4] = [0.5, 1.0, 2.0, 3.0];

/// Strokes on the grid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing(Vec<Vec<(u8, u8)>>);

impl Drawing {
    /// A drawing with as many points as fit an address. `None` if nothing is drawn, or even the coarsest is too long.
    pub fn of(strokes: &[Stroke]) -> Option<Self> {
        let drawn: Vec<Vec<(u8, u8)>> = strokes.iter().map(on_grid).filter(|stroke| !stroke.is_empty()).collect();
        if drawn.is_empty() || drawn.len() > MOST_STROKES {
            return None;
        }
        let coarser = TOLERANCES.iter().map(|tolerance| {
            let stroke = |stroke: &Vec<(u8, u8)>| simplified(stroke, *tolerance);
            Drawing(drawn.iter().map(stroke).collect())
        });
        let mut short = coarser.filter(|drawing| drawing.text().len() <= MOST_LETTERS);
        short.next()
    }

    /// The strokes on the pad.
    pub fn strokes(&self) -> Vec<Stroke> {
        let place = |at: u8| f32::from(at) / 255.0;
        let point = |&(x, y): &(u8, u8)| Point { x: place(x), y: place(y) };
        self.0.iter().map(|stroke| Stroke { points: stroke.iter().map(point).collect() }).collect()
    }

    /// For an address: letters, digits, `-` and `_`.
    pub fn text(&self) -> String {
        let mut bytes = vec![];
        for stroke in &self.0 {
            put(&mut bytes, stroke.len() as u32);
            let mut last = (0, 0);
            for &(x, y) in stroke {
                put(&mut bytes, zigzag(i32::from(x) - last.0));
                put(&mut bytes, zigzag(i32::from(y) - last.1));
                last = (x.into(), y.into());
            }
        }
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The drawing of such a text. `None` for any other.
    pub fn read(text: &str) -> Option<Self> {
        if text.len() > MOST_LETTERS {
            return None;
        }
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        let mut rest = bytes.as_slice();
        let mut strokes = vec![];
        while !rest.is_empty() {
            let count = take(&mut rest)? as usize;
            // Each point takes two bytes at least.
            if count == 0 || count > rest.len() / 2 || strokes.len() == MOST_STROKES {
                return None;
            }
            let mut last = (0, 0);
            let mut stroke = Vec::with_capacity(count);
            for _ in 0..count {
                last = (last.0 + unzigzag(take(&mut rest)?), last.1 + unzigzag(take(&mut rest)?));
                stroke.push((u8::try_from(last.0).ok()?, u8::try_from(last.1).ok()?));
            }
            strokes.push(stroke);
        }
        (!strokes.is_empty()).then_some(Drawing(strokes))
    }
}

/// A stroke's points on the grid, each but once in a row.
fn on_grid(stroke: &Stroke) -> Vec<(u8, u8)> {
    let place = |at: f32| (at.clamp(0.0, 1.0) * 255.0).round() as u8;
    let finite = stroke.points.iter().filter(|point| point.x.is_finite() && point.y.is_finite());
    let mut points: Vec<(u8, u8)> = finite.map(|point| (place(point.x), place(point.y))).collect();
    points.dedup();
    points
}

/// The points that a line through them needs to pass all others within `tolerance` (D. Douglas and T. Peucker, 1973).
fn simplified(points: &[(u8, u8)], tolerance: f32) -> Vec<(u8, u8)> {
    let mut keeps = vec![false; points.len()];
    let mut parts = vec![(0, points.len() - 1)];
    while let Some((first, last)) = parts.pop() {
        (keeps[first], keeps[last]) = (true, true);
        let far = |at: usize| distance(points[at], points[first], points[last]);
        let farthest = (first + 1..last).max_by(|&a, &b| far(a).total_cmp(&far(b)));
        if let Some(at) = farthest.filter(|&at| far(at) > tolerance) {
            parts.extend([(first, at), (at, last)]);
        }
    }
    points.iter().zip(keeps).filter_map(|(&point, keep)| keep.then_some(point)).collect()
}

/// How far a point lies from the line between two others.
fn distance(point: (u8, u8), from: (u8, u8), to: (u8, u8)) -> f32 {
    let minus = |a: (u8, u8), b: (u8, u8)| (f32::from(a.0) - f32::from(b.0), f32::from(a.1) - f32::from(b.1));
    let (line, own) = (minus(to, from), minus(point, from));
    let square = line.0 * line.0 + line.1 * line.1;
    let along = if square > 0.0 { ((own.0 * line.0 + own.1 * line.1) / square).clamp(0.0, 1.0) } else { 0.0 };
    (own.0 - along * line.0).hypot(own.1 - along * line.1)
}

/// A difference without its sign: 0, −1, 1, −2, 2 … become 0, 1, 2, 3, 4 …
fn zigzag(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

fn unzigzag(value: u32) -> i32 {
    (value >> 1) as i32 ^ -((value & 1) as i32)
}

/// Appends a number, seven bits a byte, the lowest first.
fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number of at most 14 bits: none in a drawing is larger.
fn take(bytes: &mut &[u8]) -> Option<u32> {
    let (&low, rest) = bytes.split_first()?;
    *bytes = rest;
    if low < 128 {
        return Some(low.into());
    }
    let (&high, rest) = bytes.split_first()?;
    *bytes = rest;
    // A high part of 0 would be a second way to write the same number.
    (1..128).contains(&high).then(|| u32::from(low & 127) | u32::from(high) << 7)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn stroke(points: &[(f32, f32)]) -> Stroke {
        Stroke { points: points.iter().map(|&(x, y)| Point { x, y }).collect() }
    }

    /// Any drawing that an address can hold.
    pub(crate) fn drawings() -> impl Strategy<Value = Drawing> {
        vec(vec(any::<(u8, u8)>(), 1..12), 1..9).prop_map(Drawing)
    }

    #[test]
    fn points_on_a_line_are_left_out() {
        let line: Vec<(f32, f32)> = (0..=100).map(|k| (0.2 + 0.006 * k as f32, 0.5)).collect();
        let drawing = Drawing::of(&[stroke(&line), stroke(&[(0.5, 0.1)])]).unwrap();
        assert_eq!(drawing, Drawing(vec![vec![(51, 128), (204, 128)], vec![(128, 26)]]));
        assert_eq!(Drawing::read(&drawing.text()), Some(drawing.clone()));
        assert_eq!(drawing.text().len(), 15);
        assert_eq!(drawing.strokes()[1].points[0], Point { x: 128.0 / 255.0, y: 26.0 / 255.0 });
    }

    #[test]
    fn nothing_is_no_drawing_and_what_is_not_finite_is_left_out() {
        assert_eq!(Drawing::of(&[]), None);
        assert_eq!(Drawing::of(&[Stroke::default(), stroke(&[(f32::NAN, 0.5)])]), None);
        assert_eq!(Drawing::of(&[stroke(&[(-3.0, f32::INFINITY), (7.0, -1.0)])]), Some(Drawing(vec![vec![(255, 0)]])));
    }

    #[test]
    fn a_scribble_is_told_coarsely_and_too_much_of_one_not_at_all() {
        // Circles of slowly changing size: hundreds of points that no line says.
        let circle = |radius: f32| {
            let place = |k: usize, f: fn(f32) -> f32| 0.5 + radius * f(k as f32 / 90.0 * std::f32::consts::TAU);
            stroke(&(0..=90).map(|k| (place(k, f32::cos), place(k, f32::sin))).collect::<Vec<_>>())
        };
        let some: Vec<Stroke> = (1..12).map(|k| circle(0.04 * k as f32)).collect();
        let drawing = Drawing::of(&some).expect("short enough when coarse");
        assert!((MOST_LETTERS / 3..=MOST_LETTERS).contains(&drawing.text().len()), "{}", drawing.text().len());
        let wild = |k: usize| ((k * 7919 % 1000) as f32 / 1000.0, (k * 104_729 % 1000) as f32 / 1000.0);
        let too_much: Vec<Stroke> =
            (0..20).map(|s| stroke(&(100 * s..100 * s + 100).map(wild).collect::<Vec<_>>())).collect();
        assert_eq!(Drawing::of(&too_much), None);
    }

    #[test]
    fn what_is_no_drawing_is_refused() {
        // A count of nothing, fewer points than told, a place off the grid, a number in two ways, padding, other letters.
        let texts =
            [&[0][..], &[2, 0, 0], &[1, 1, 0], &[129, 0, 2, 2], &[1, 0]].map(|b| BASE64_URL_SAFE_NO_PAD.encode(b));
        for text in texts.iter().map(String::as_str).chain(["", "AQAA=", "AQ A", "ÄÖ", "%41", &"A".repeat(2_000)]) {
            assert_eq!(Drawing::read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_drawing_is_read_as_it_was_written(drawing in drawings()) {
            let text = drawing.text();
            prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
            prop_assert_eq!(Drawing::read(&text), Some(drawing));
        }

        #[test]
        fn any_text_is_a_drawing_that_is_written_the_same_or_none(text in "[A-Za-z0-9_-]{0,60}|\\PC{0,40}") {
            if let Some(drawing) = Drawing::read(&text) {
                prop_assert_eq!(drawing.text(), text);
            }
        }

        #[test]
        fn a_short_drawing_keeps_its_shape(points in vec((0.0f32..=1.0, 0.0f32..=1.0), 1..60)) {
            let drawing = Drawing::of(&[stroke(&points)]).expect("short");
            let kept = &drawing.0[0];
            // Each drawn point lies within half a step (and the grid's own rounding) of the kept line.
            for point in on_grid(&stroke(&points)) {
                let nearest = kept.windows(2).map(|ends| distance(point, ends[0], ends[1]));
                let alone = if kept.len() == 1 { distance(point, kept[0], kept[0]) } else { f32::INFINITY };
                prop_assert!(nearest.fold(alone, f32::min) <= TOLERANCES[0] + 1e-4);
            }
        }
    }
}
