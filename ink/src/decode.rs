//! PNG, JPEG and WebP files into grey levels, within limits: the bytes come from anywhere.

use std::io::Cursor;

use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};

use super::picture::{Gray, InkError};

/// The most that a decoder may allocate beside its result.
const MAX_DECODER_BYTES: u64 = 512 << 20;

/// Reads a picture file (told by its first bytes, not its name), turned as its EXIF orientation says.
pub fn decode_picture(bytes: &[u8]) -> Result<Gray, InkError> {
    let mut reader = ImageReader::new(Cursor::new(bytes));
    let format = image::guess_format(bytes).map_err(|_| InkError::NotAPicture)?;
    let name = format!("{format:?}").to_uppercase();
    if !matches!(format, ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP) {
        return Err(InkError::UnsupportedFormat { format: name });
    }
    reader.set_format(format);
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_DECODER_BYTES);
    reader.limits(limits);

    let damaged = |error: ImageError| InkError::Damaged { format: name.clone(), reason: error.to_string() };
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    if width > Gray::MAX_SIDE || height > Gray::MAX_SIDE || pixels > Gray::MAX_PIXELS {
        return Err(InkError::TooLarge { width, height });
    }
    let orientation = decoder.orientation().map_err(damaged)?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|error| match error {
        ImageError::Limits(_) => InkError::TooLarge { width, height },
        error => damaged(error),
    })?;
    picture.apply_orientation(orientation);

    let (width, height) = (picture.width() as usize, picture.height() as usize);
    if picture.color().has_alpha() {
        return Gray::from_rgba(width, height, &picture.into_rgba8());
    }
    Gray::from_luma(width, height, picture.into_luma8().into_raw())
}
