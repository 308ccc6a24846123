//! Any picture of a digit: grey levels, which side is ink, MNIST's normalisation.

use super::normalise::normalise_with;
use super::{Picture, SIDE};

/// A picture with less contrast than this, out of 255, is blank.
const MIN_CONTRAST: u8 = 24;

/// How strong, out of 255, the traces are that JPEG's usual quality leaves around a line.
const JPEG_TRACES: f32 = 24.0;

/// Why a picture cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InkError {
    /// Nothing that any decoder knows.
    #[error("This file is not a picture that can be read here; choose a PNG, JPEG or WebP file.")]
    NotAPicture,
    /// A picture, but of a format that is not read.
    #[error("{format} pictures are not read here; save the picture as PNG, JPEG or WebP.")]
    UnsupportedFormat {
        /// Its format.
        format: String,
    },
    /// A picture too large for the tab's memory.
    #[error(
        "The picture has {width}×{height} pixels, and at most {}×{} and {} million in all are read here; shrink it first.",
        Gray::MAX_SIDE, Gray::MAX_SIDE, Gray::MAX_PIXELS / 1_000_000
    )]
    TooLarge {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// A picture that breaks off or contradicts itself.
    #[error("The {format} picture is damaged ({reason}); save it again.")]
    Damaged {
        /// Its format.
        format: String,
        /// What the decoder said.
        reason: String,
    },
    /// Pixels that do not fill their rectangle.
    #[error(
        "{found} bytes do not make a picture of {width}×{height} pixels, which needs {needed}; pass all of its pixels."
    )]
    WrongLength {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
        /// Bytes that the picture needs.
        needed: usize,
        /// Bytes given.
        found: usize,
    },
}

/// A picture in grey levels, 0 black to 255 white; at least one pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gray {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Gray {
    /// The longest side that is read.
    pub const MAX_SIDE: u32 = 10_000;

    /// The most pixels that are read: a telephone's photograph has 12 to 50 million.
    pub const MAX_PIXELS: u64 = 64_000_000;

    /// A picture of grey levels, row by row.
    pub fn from_luma(width: usize, height: usize, pixels: Vec<u8>) -> Result<Self, InkError> {
        check_length(width, height, 1, pixels.len())?;
        Ok(Self { width, height, pixels })
    }

    /// A picture of red, green, blue and opacity, row by row. It is laid on white paper; where that hides it (white ink
    /// on nothing), on black.
    pub fn from_rgba(width: usize, height: usize, pixels: &[u8]) -> Result<Self, InkError> {
        check_length(width, height, 4, pixels.len())?;
        let on_paper = |paper: u32| pixels.chunks_exact(4).map(|rgba| luma(rgba, paper)).collect();
        let on_white = Self { width, height, pixels: on_paper(255) };
        if contrast(&on_white.pixels) >= MIN_CONTRAST {
            return Ok(on_white);
        }
        let on_black = Self { width, height, pixels: on_paper(0) };
        Ok(if contrast(&on_black.pixels) >= MIN_CONTRAST { on_black } else { on_white })
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Grey levels, row by row.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// The grey levels along the picture's edge, sorted.
    fn border(&self) -> Vec<u8> {
        let last_row = (self.height - 1) * self.width;
        let rows = self.pixels[..self.width].iter().chain(&self.pixels[last_row..]);
        let left = self.pixels.iter().step_by(self.width);
        let right = self.pixels[self.width - 1..].iter().step_by(self.width);
        let mut border: Vec<u8> = rows.chain(left).chain(right).copied().collect();
        border.sort_unstable();
        border
    }
}

/// Makes any picture of a digit, dark on light or light on dark, into one like MNIST's. `None` where nothing stands out
/// from the background.
///
/// The background is what most of the edge is; what differs from it by no more than the edge itself does (paper's
/// grain) is background too. A picture of 28×28 on black is taken as it is.
pub fn from_picture(picture: &Gray) -> Option<Picture> {
    let border = picture.border();
    let Ground { background, dark_ink, contrast } = Ground::of(&picture.pixels, &border);
    if contrast < MIN_CONTRAST {
        return None;
    }
    // How much a pixel is ink, from 0 to 255.
    let off = |value: u8| if dark_ink { background.saturating_sub(value) } else { value.saturating_sub(background) };
    if (picture.width, picture.height) == (SIDE, SIDE) {
        let ink = |value: u8| if dark_ink { off(value) } else { value };
        return Some(std::array::from_fn(|i| f32::from(ink(picture.pixels[i])) / 255.0));
    }

    // Grain is judged by the edge's quartile, which ink that runs off the picture does not move.
    let quartile = border[if dark_ink { border.len() / 4 } else { border.len() - 1 - border.len() / 4 }];
    let grain = off(quartile).saturating_mul(4).min(contrast / 2);
    let ink = |x: usize, y: usize| f32::from(off(picture.pixels[y * picture.width + x]).saturating_sub(grain));
    // The traces that JPEG leaves around a line do not span its box. They hardly depend on the contrast.
    let strongest = f32::from(contrast - grain);
    let threshold = JPEG_TRACES.clamp(strongest / 8.0, strongest / 2.0);
    let result = normalise_with(picture.width, picture.height, threshold, ink)?;
    // A thin or pale line comes out grey; MNIST's ink is white somewhere in every digit.
    let peak = result.iter().copied().fold(0.0, f32::max);
    Some(result.map(|value| value / peak))
}

/// Whether the ink of a picture is darker than its ground, so that [`from_picture`] inverts it.
pub fn is_dark_on_light(picture: &Gray) -> bool {
    Ground::of(&picture.pixels, &picture.border()).dark_ink
}

/// What a picture is drawn on, and with what.
struct Ground {
    /// The grey level of most of its edge.
    background: u8,
    /// Whether what stands out most from it is darker.
    dark_ink: bool,
    /// By how much.
    contrast: u8,
}

impl Ground {
    fn of(pixels: &[u8], border: &[u8]) -> Self {
        let background = border[border.len() / 2];
        let (darker, lighter) = pixels.iter().fold((0, 0), |(darker, lighter): (u8, u8), &value| {
            (darker.max(background.saturating_sub(value)), lighter.max(value.saturating_sub(background)))
        });
        let dark_ink = darker > lighter;
        Ground { background, dark_ink, contrast: darker.max(lighter) }
    }
}

fn check_length(width: usize, height: usize, channels: usize, found: usize) -> Result<(), InkError> {
    let needed = width.saturating_mul(height).saturating_mul(channels);
    if needed == 0 || needed != found {
        return Err(InkError::WrongLength { width, height, needed: needed.max(channels), found });
    }
    Ok(())
}

/// Rec. 709 luma of one pixel on paper of the given grey level.
fn luma(rgba: &[u8], paper: u32) -> u8 {
    let [red, green, blue, opacity] = [rgba[0], rgba[1], rgba[2], rgba[3]].map(u32::from);
    let ink = 2126 * red + 7152 * green + 722 * blue;
    ((ink * opacity + 10_000 * paper * (255 - opacity) + 1_275_000) / 2_550_000) as u8
}

/// The distance between the darkest and the lightest pixel.
fn contrast(pixels: &[u8]) -> u8 {
    let (low, high) = pixels.iter().fold((255, 0), |(low, high), &value| (value.min(low), value.max(high)));
    high.saturating_sub(low)
}
