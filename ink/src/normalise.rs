//! MNIST's own normalisation: the ink's box into 20×20, its centre of mass into the middle of 28×28.

use std::ops::Range;

use super::{INK_SIDE, Picture, SIDE};

/// Where MNIST puts the centre of mass, pixel centres at whole numbers: pixel 14, measured over its files. A little
/// less, so that even ink (a straight line, a circle), whose centre lies exactly between two pixels, is always moved to
/// the same one and does not jump with the last bit of a coordinate.
const CENTRE: f64 = 14.0 - 1e-5;

/// Makes a picture of any size, white ink (above 0) on black (0), rows of `width`, into one like MNIST's. `None` where
/// there is no ink.
///
/// # Panics
/// If `pixels` is no whole number of rows of `width`.
pub fn normalise(pixels: &[f32], width: usize) -> Option<Picture> {
    assert!(width > 0 && pixels.len().is_multiple_of(width), "{} pixels are no rows of {width}", pixels.len());
    let picture = normalise_with(width, pixels.len() / width, 0.0, |x, y| pixels[y * width + x])?;
    Some(picture.map(|value| value.clamp(0.0, 1.0)))
}

/// [`normalise`] for a picture given by its value at (x, y), so that a large one need not be copied as floats. Values
/// above `threshold` span the box, so that faint traces around the ink do not.
pub(super) fn normalise_with(
    width: usize,
    height: usize,
    threshold: f32,
    ink: impl Fn(usize, usize) -> f32,
) -> Option<Picture> {
    let (columns, rows) = ink_box(width, height, |x, y| ink(x, y) > threshold)?;
    let ratio = columns.len().max(rows.len()) as f64 / INK_SIDE as f64;
    let across = footprints(columns, ratio);
    let mut boxed = [0.0f64; SIDE * SIDE];
    for (target_y, footprint) in footprints(rows, ratio).iter().enumerate() {
        for &(y, share_y) in footprint {
            for (target_x, footprint) in across.iter().enumerate() {
                let sum: f64 = footprint.iter().map(|&(x, share_x)| share_x * f64::from(ink(x, y))).sum();
                boxed[target_y * SIDE + target_x] += share_y * sum;
            }
        }
    }
    Some(centre_by_mass(&boxed.map(|value| value as f32)))
}

/// The columns and rows of the smallest box that holds all ink.
fn ink_box(width: usize, height: usize, inked: impl Fn(usize, usize) -> bool) -> Option<(Range<usize>, Range<usize>)> {
    let (mut left, mut right, mut top, mut bottom) = (width, 0, height, 0);
    for y in 0..height {
        for x in 0..width {
            if inked(x, y) {
                (left, right) = (left.min(x), right.max(x + 1));
                (top, bottom) = (top.min(y), y + 1);
            }
        }
    }
    (left < right).then_some((left..right, top..bottom))
}

/// For each target pixel along one side: the source pixels under it and the share that each has in its value.
///
/// A target pixel covers `ratio` source pixels and averages them by area. Where a source pixel is the larger one, it
/// covers one of them, which is linear interpolation. Outside the box there is no ink.
fn footprints(source: Range<usize>, ratio: f64) -> Vec<Vec<(usize, f64)>> {
    let breadth = ratio.max(1.0);
    let targets = ((source.len() as f64 / ratio).ceil() as usize).clamp(1, INK_SIDE);
    let footprint = |target: usize| {
        let centre = (target as f64 + 0.5) * ratio;
        let (from, to) = (centre - breadth / 2.0, centre + breadth / 2.0);
        let first = from.floor().max(0.0) as usize;
        let end = (to.ceil() as usize).min(source.len());
        (first..end)
            .map(|i| (source.start + i, (to.min(i as f64 + 1.0) - from.max(i as f64)).max(0.0) / breadth))
            .filter(|&(_, share)| share > 0.0)
            .collect()
    };
    (0..targets).map(footprint).collect()
}

/// Moves ink that lies in the upper left 20×20 by whole pixels, as MNIST was, so that its centre of mass comes nearest
/// to the middle. Very lopsided ink stops at the edge: none of it is lost.
pub(super) fn centre_by_mass(boxed: &Picture) -> Picture {
    let (mut mass, mut moment_x, mut moment_y) = (0.0, 0.0, 0.0);
    let (mut width, mut height) = (0, 0);
    for y in 0..INK_SIDE {
        for x in 0..INK_SIDE {
            let value = f64::from(boxed[y * SIDE + x]);
            if value > 0.0 {
                (width, height) = (width.max(x + 1), y + 1);
            }
            mass += value;
            moment_x += value * x as f64;
            moment_y += value * y as f64;
        }
    }
    let mut centred = [0.0; SIDE * SIDE];
    if mass == 0.0 {
        return centred;
    }
    let offset = |moment: f64, extent: usize| (CENTRE - moment / mass).round().clamp(0.0, (SIDE - extent) as f64);
    let (right, down) = (offset(moment_x, width) as usize, offset(moment_y, height) as usize);
    for y in 0..height {
        let target = (y + down) * SIDE + right;
        centred[target..target + width].copy_from_slice(&boxed[y * SIDE..][..width]);
    }
    centred
}
