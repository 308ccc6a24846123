//! Strokes of a pen, drawn by their distance from each pixel.

use serde::{Deserialize, Serialize};

use super::normalise::centre_by_mass;
use super::{INK_SIDE, Picture, SIDE};

/// Width of the pen in a normalised picture, in pixels, chosen so that synthetic digits have the ink of MNIST's.
pub const PEN_WIDTH: f32 = 2.6;

/// A drawing is enlarged as if it were at least this long, in pad units: a dot stays a dot.
const MIN_EXTENT: f32 = 0.1;

/// A place on the pad: (0, 0) is the upper left corner, (1, 1) the lower right one. What lies outside is drawn at the
/// edge; what is not finite is left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// To the right.
    pub x: f32,
    /// Down.
    pub y: f32,
}

/// What the pen drew between touching the pad and leaving it; one point alone is a dot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stroke {
    /// The points, in the order in which they were drawn.
    pub points: Vec<Point>,
}

/// The line between two places.
#[derive(Clone, Copy)]
struct Segment {
    from: Point,
    to: Point,
}

/// The pad as it is: white on black, the lines `thickness` pad units wide, their edges one pixel soft.
pub fn rasterise(strokes: &[Stroke], thickness: f32) -> Picture {
    let side = SIDE as f32;
    let on_pad = |p: Point| Point { x: p.x * side, y: p.y * side };
    draw(segments(strokes).map(|s| Segment { from: on_pad(s.from), to: on_pad(s.to) }), thickness * side)
}

/// The drawing as the network takes it: its lines scaled into 20×20, drawn there with a pen of [`PEN_WIDTH`] however
/// large they were on the pad, and centred by mass. `None` for a blank pad.
pub fn from_strokes(strokes: &[Stroke]) -> Option<Picture> {
    let (mut low, mut high) = (Point { x: 1.0, y: 1.0 }, Point { x: 0.0, y: 0.0 });
    let mut blank = true;
    for end in segments(strokes).flat_map(|s| [s.from, s.to]) {
        low = Point { x: low.x.min(end.x), y: low.y.min(end.y) };
        high = Point { x: high.x.max(end.x), y: high.y.max(end.y) };
        blank = false;
    }
    if blank {
        return None;
    }
    let extent = (high.x - low.x).max(high.y - low.y).max(MIN_EXTENT);
    let scale = (INK_SIDE as f32 - PEN_WIDTH) / extent;
    let margin = PEN_WIDTH / 2.0;
    let in_box = |p: Point| Point { x: (p.x - low.x) * scale + margin, y: (p.y - low.y) * scale + margin };
    let boxed = draw(segments(strokes).map(|s| Segment { from: in_box(s.from), to: in_box(s.to) }), PEN_WIDTH);
    Some(centre_by_mass(&boxed))
}

/// All lines of the strokes, in pad units.
fn segments(strokes: &[Stroke]) -> impl Iterator<Item = Segment> {
    strokes.iter().flat_map(|stroke| {
        let mut last = None;
        let mut points = stroke.points.iter().filter(|p| p.x.is_finite() && p.y.is_finite());
        std::iter::from_fn(move || {
            let to = points.next().map(|p| Point { x: p.x.clamp(0.0, 1.0), y: p.y.clamp(0.0, 1.0) })?;
            // The first point is a line to itself, so that a stroke of one point is a dot.
            let from = last.replace(to).unwrap_or(to);
            Some(Segment { from, to })
        })
    })
}

/// Draws lines, in pixels, `width` pixels wide. Where lines cross, the nearer one counts: ink does not add up.
fn draw(segments: impl Iterator<Item = Segment>, width: f32) -> Picture {
    // A pixel whose centre lies half a pixel inside the edge is full, half a pixel outside it is empty.
    let reach = width.max(0.0) / 2.0 + 0.5;
    let mut picture = [0.0f32; SIDE * SIDE];
    // Pixels, whose centres lie at i + ½, that a line can touch.
    let near = |a: f32, b: f32| {
        let first = (a.min(b) - reach - 0.5).ceil().max(0.0) as usize;
        let end = ((a.max(b) + reach - 0.5).floor() + 1.0).clamp(0.0, SIDE as f32) as usize;
        first..end
    };
    for segment in segments {
        for y in near(segment.from.y, segment.to.y) {
            let row = &mut picture[y * SIDE..][..SIDE];
            for x in near(segment.from.x, segment.to.x) {
                let distance = segment.distance(x as f32 + 0.5, y as f32 + 0.5);
                row[x] = row[x].max((reach - distance).clamp(0.0, 1.0));
            }
        }
    }
    picture
}

impl Segment {
    /// How far a place is from the line's nearest point.
    fn distance(&self, x: f32, y: f32) -> f32 {
        let (along_x, along_y) = (self.to.x - self.from.x, self.to.y - self.from.y);
        let (to_x, to_y) = (x - self.from.x, y - self.from.y);
        let length_squared = along_x * along_x + along_y * along_y;
        let part = if length_squared > 0.0 {
            ((to_x * along_x + to_y * along_y) / length_squared).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let (off_x, off_y) = (to_x - part * along_x, to_y - part * along_y);
        (off_x * off_x + off_y * off_y).sqrt()
    }
}
