//! Shift, rotation and scale of a picture, for the sliders under the input digit.

use serde::{Deserialize, Serialize};

/// What is done to a picture, about its centre: scaled, then rotated, then shifted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    /// Pixels to the right.
    pub shift_x: f32,
    /// Pixels down.
    pub shift_y: f32,
    /// Degrees, clockwise as it is seen.
    pub rotate_degrees: f32,
    /// Factor: 2 doubles the size.
    pub scale: f32,
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// Leaves every bit as it is.
    pub const IDENTITY: Self = Self { shift_x: 0.0, shift_y: 0.0, rotate_degrees: 0.0, scale: 1.0 };

    /// The transformed picture, of the same size, rows of `width`: for each of its pixels the place it comes from,
    /// interpolated between four neighbours, 0 outside. A transform that has no inverse (a scale of 0, something not
    /// finite) gives an empty picture.
    ///
    /// # Panics
    /// If `image` is no whole number of rows of `width`.
    pub fn apply(&self, image: &[f32], width: usize) -> Vec<f32> {
        assert!(width > 0 && image.len().is_multiple_of(width), "{} pixels are no rows of {width}", image.len());
        if *self == Self::IDENTITY {
            return image.to_vec();
        }
        let height = image.len() / width;
        let (middle_x, middle_y) = ((width as f64 - 1.0) / 2.0, (height as f64 - 1.0) / 2.0);
        let (sin, cos) = libm::sincos(f64::from(self.rotate_degrees).to_radians());
        let scale = f64::from(self.scale);
        let mut result = Vec::with_capacity(image.len());
        for y in 0..height {
            for x in 0..width {
                let right = x as f64 - middle_x - f64::from(self.shift_x);
                let down = y as f64 - middle_y - f64::from(self.shift_y);
                let from_x = (cos * right + sin * down) / scale + middle_x;
                let from_y = (cos * down - sin * right) / scale + middle_y;
                result.push(interpolate(image, width, from_x, from_y));
            }
        }
        result
    }
}

/// The value at a place between four pixels, whose centres are at whole numbers.
fn interpolate(image: &[f32], width: usize, x: f64, y: f64) -> f32 {
    let height = image.len() / width;
    let inside = x > -1.0 && y > -1.0 && x < width as f64 && y < height as f64;
    if !inside {
        return 0.0;
    }
    let (left, top) = (x.floor(), y.floor());
    let (part_x, part_y) = (x - left, y - top);
    let pixel = |x: f64, y: f64| {
        let known = x >= 0.0 && y >= 0.0 && x < width as f64 && y < height as f64;
        if known { f64::from(image[y as usize * width + x as usize]) } else { 0.0 }
    };
    let upper = pixel(left, top) * (1.0 - part_x) + pixel(left + 1.0, top) * part_x;
    let lower = pixel(left, top + 1.0) * (1.0 - part_x) + pixel(left + 1.0, top + 1.0) * part_x;
    (upper * (1.0 - part_y) + lower * part_y) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An arrow of 5×5 that no rotation or reflection leaves as it is.
    const ARROW: [f32; 25] = [
        0.0, 0.0, 0.9, 0.0, 0.0, //
        0.0, 0.7, 0.9, 0.1, 0.0, //
        0.0, 0.0, 0.5, 0.0, 0.0, //
        0.0, 0.0, 0.3, 0.0, 0.0, //
        0.0, 0.0, 0.0, 0.0, 0.0,
    ];

    fn assert_close(actual: &[f32], expected: &[f32]) {
        for (i, (a, e)) in actual.iter().zip(expected).enumerate() {
            assert!((a - e).abs() < 1e-6, "pixel {i}: {a} instead of {e} in {actual:?}");
        }
    }

    #[test]
    fn identity_keeps_every_bit() {
        let result = Transform::IDENTITY.apply(&ARROW, 5);
        assert!(result.iter().zip(&ARROW).all(|(a, e)| a.to_bits() == e.to_bits()));
        // A full turn goes the long way and lands on the same picture.
        assert_close(&Transform { rotate_degrees: 360.0, ..Transform::IDENTITY }.apply(&ARROW, 5), &ARROW);
    }

    #[test]
    fn a_quarter_turn_is_clockwise() {
        #[rustfmt::skip]
        let turned = [
            0.0, 0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 0.7, 0.0,
            0.0, 0.3, 0.5, 0.9, 0.9,
            0.0, 0.0, 0.0, 0.1, 0.0,
            0.0, 0.0, 0.0, 0.0, 0.0,
        ];
        assert_close(&Transform { rotate_degrees: 90.0, ..Transform::IDENTITY }.apply(&ARROW, 5), &turned);
    }

    #[test]
    fn a_shift_moves_right_and_down() {
        #[rustfmt::skip]
        let shifted = [
            0.0, 0.0, 0.0, 0.0,  0.0,
            0.0, 0.0, 0.0, 0.45, 0.45,
            0.0, 0.0, 0.35, 0.8, 0.5,
            0.0, 0.0, 0.0, 0.25, 0.25,
            0.0, 0.0, 0.0, 0.15, 0.15,
        ];
        assert_close(&Transform { shift_x: 1.5, shift_y: 1.0, ..Transform::IDENTITY }.apply(&ARROW, 5), &shifted);
    }

    #[test]
    fn doubling_spreads_from_the_centre() {
        let doubled = Transform { scale: 2.0, ..Transform::IDENTITY }.apply(&ARROW, 5);
        assert_close(&doubled[..5], &[0.7, 0.8, 0.9, 0.5, 0.1]);
        assert_close(&doubled[10..15], &[0.0, 0.25, 0.5, 0.25, 0.0]);
    }

    #[test]
    fn what_cannot_be_undone_is_empty() {
        for broken in [0.0, f32::NAN, 1e-30] {
            let result = Transform { scale: broken, shift_x: 0.1, ..Transform::IDENTITY }.apply(&ARROW, 5);
            assert!(result.iter().all(|v| *v == 0.0), "scale {broken}");
        }
        let result = Transform { shift_y: f32::INFINITY, ..Transform::IDENTITY }.apply(&ARROW, 5);
        assert!(result.iter().all(|v| *v == 0.0));
    }
}
