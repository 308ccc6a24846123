//! A person's strokes, or any picture, made into the 28×28 that the network was trained on.
//!
//! MNIST was made by scaling each digit's box into 20×20, its proportions kept, and moving it by whole pixels so that
//! its centre of mass lies in the middle of 28×28 (Y. LeCun, C. Cortes, "The MNIST database of handwritten digits").
//! The files show how: the longer side is 20 pixels in every image, and the centre of mass, with pixel centres at whole
//! numbers, lies within 13.5 and 14.5 both ways. So ink is placed by that rule, and an MNIST digit comes out unchanged.

#[cfg(feature = "decode")]
mod decode;
mod normalise;
mod picture;
mod stroke;
mod transform;

#[cfg(feature = "decode")]
pub use decode::decode_picture;
pub use normalise::normalise;
pub use picture::{Gray, InkError, from_picture, is_dark_on_light};
pub use stroke::{PEN_WIDTH, Point, Stroke, from_strokes, rasterise};
pub use transform::Transform;

/// Rows, and columns, of a normalised picture.
pub const SIDE: usize = 28;

/// The longer side of the ink in a normalised picture, in pixels.
pub const INK_SIDE: usize = 20;

/// A normalised picture: [`SIDE`] rows of [`SIDE`] values in [0, 1], white ink (1) on black.
pub type Picture = [f32; SIDE * SIDE];

#[cfg(test)]
mod tests;
