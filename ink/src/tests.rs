//! Strokes and pictures through the whole of the room, small exact cases and properties.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, RgbaImage};
use proptest::prelude::*;

use super::*;

fn stroke(points: &[(f32, f32)]) -> Stroke {
    Stroke { points: points.iter().map(|&(x, y)| Point { x, y }).collect() }
}

fn at(picture: &Picture, x: usize, y: usize) -> f32 {
    picture[y * SIDE + x]
}

/// Left, top, right and bottom of the ink, ends included.
fn ink_box(picture: &Picture) -> (usize, usize, usize, usize) {
    let inked = (0..picture.len()).filter(|&i| picture[i] > 0.0);
    inked.fold((SIDE, SIDE, 0, 0), |(l, t, r, b), i| {
        (l.min(i % SIDE), t.min(i / SIDE), r.max(i % SIDE), b.max(i / SIDE))
    })
}

/// Centre of mass, pixel centres at whole numbers.
fn centre(picture: &Picture) -> (f64, f64) {
    let (mut mass, mut x, mut y) = (0.0, 0.0, 0.0);
    for (i, &value) in picture.iter().enumerate() {
        let value = f64::from(value);
        mass += value;
        x += value * (i % SIDE) as f64;
        y += value * (i / SIDE) as f64;
    }
    (x / mass, y / mass)
}

fn largest_difference(a: &Picture, b: &Picture) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn mean_difference(a: &Picture, b: &Picture) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f32>() / a.len() as f32
}

#[test]
fn the_pad_is_white_on_black_with_soft_edges() {
    // A line of four pixels' width along the middle of the pad, from x = 7 to x = 21, and half a pixel lower.
    let pad = rasterise(&[stroke(&[(0.25, 0.5), (0.75, 0.5)])], 4.0 / 28.0);
    assert_eq!([at(&pad, 14, 11), at(&pad, 14, 12), at(&pad, 14, 15), at(&pad, 14, 16)], [0.0, 1.0, 1.0, 0.0]);
    assert_eq!([at(&pad, 4, 14), at(&pad, 14, 14), at(&pad, 23, 14)], [0.0, 1.0, 0.0]);
    let lower = rasterise(&[stroke(&[(0.25, 14.5 / 28.0), (0.75, 14.5 / 28.0)])], 4.0 / 28.0);
    assert!((at(&lower, 14, 12) - 0.5).abs() < 1e-5 && (at(&lower, 14, 16) - 0.5).abs() < 1e-5);
    assert_eq!(rasterise(&[], 0.1), [0.0; SIDE * SIDE]);
}

#[test]
fn a_blank_pad_is_none() {
    assert_eq!(from_strokes(&[]), None);
    assert_eq!(from_strokes(&[stroke(&[]), stroke(&[(f32::NAN, 0.5)])]), None);
}

#[test]
fn a_dot_stays_a_dot_in_the_middle() {
    let dot = from_strokes(&[stroke(&[(0.1, 0.9)])]).unwrap();
    let (left, top, right, bottom) = ink_box(&dot);
    assert!(right - left < 4 && bottom - top < 4, "{:?}", ink_box(&dot));
    assert!((13..=15).contains(&left.midpoint(right)) && (13..=15).contains(&top.midpoint(bottom)));
}

#[test]
fn a_drawing_fills_twenty_pixels_and_keeps_its_proportions() {
    let one = from_strokes(&[stroke(&[(0.4, 0.2), (0.4, 0.6)])]).unwrap();
    let (left, top, right, bottom) = ink_box(&one);
    assert_eq!((bottom - top + 1, right - left + 1), (20, 3));
    let wide = from_strokes(&[stroke(&[(0.1, 0.2), (0.9, 0.2), (0.9, 0.6)])]).unwrap();
    let (left, top, right, bottom) = ink_box(&wide);
    // Lines 17.4 × 8.7 pixels long and a pen of 2.6.
    assert_eq!((right - left + 1, bottom - top + 1), (20, 12));
}

#[test]
fn even_ink_does_not_jump() {
    let circle = |x: f32, y: f32, radius: f32| {
        let points = (0..=64).map(|i| (i as f32 * std::f32::consts::TAU / 64.0).sin_cos());
        stroke(&points.map(|(sin, cos)| (x + radius * cos, y + radius * sin)).collect::<Vec<_>>())
    };
    let line = |x: f32, y: f32, length: f32| stroke(&[(x, y - length), (x, y + length)]);
    let (one, zero) = (from_strokes(&[line(0.5, 0.5, 0.3)]), from_strokes(&[circle(0.5, 0.5, 0.3)]));
    for i in 0..100 {
        let (x, y, size) = (0.3 + 0.004 * i as f32, 0.7 - 0.004 * i as f32, 0.1 + 0.0015 * i as f32);
        let difference = |a: &Option<Picture>, b: Stroke| largest_difference(&a.unwrap(), &from_strokes(&[b]).unwrap());
        assert!(difference(&one, line(x, y, size)) < 1e-3, "line {i}");
        assert!(difference(&zero, circle(x, y, size)) < 1e-3, "circle {i}");
    }
}

#[test]
fn what_is_not_finite_or_off_the_pad_does_no_harm() {
    let wild = stroke(&[(0.2, 0.2), (f32::INFINITY, 0.0), (0.2, f32::NAN), (1e30, 0.2), (-5.0, 7.0)]);
    let tame = stroke(&[(0.2, 0.2), (1.0, 0.2), (0.0, 1.0)]);
    assert_eq!(from_strokes(std::slice::from_ref(&wild)), from_strokes(std::slice::from_ref(&tame)));
    assert_eq!(rasterise(&[wild], 0.1), rasterise(&[tame], 0.1));
    assert!(rasterise(&[stroke(&[(0.5, 0.5)])], -1.0).iter().all(|v| (0.0..=1.0).contains(v)));
}

/// A figure one tenth as large as the pad or larger, near its upper left corner, of one to three strokes.
fn any_drawing() -> impl Strategy<Value = Vec<Stroke>> {
    let point = (0.0f32..0.5, 0.0f32..0.5).prop_map(|(x, y)| Point { x, y });
    let line = prop::collection::vec(point, 1..8).prop_map(|points| Stroke { points });
    prop::collection::vec(line, 1..4).prop_filter("too small to be enlarged", |strokes| {
        let (mut low, mut high) = ((1.0f32, 1.0f32), (0.0f32, 0.0f32));
        for p in strokes.iter().flat_map(|s| &s.points) {
            low = (low.0.min(p.x), low.1.min(p.y));
            high = (high.0.max(p.x), high.1.max(p.y));
        }
        (high.0 - low.0).max(high.1 - low.1) > 0.2
    })
}

fn moved(strokes: &[Stroke], scale: f32, right: f32, down: f32) -> Vec<Stroke> {
    let point = |p: &Point| Point { x: p.x * scale + right, y: p.y * scale + down };
    strokes.iter().map(|s| Stroke { points: s.points.iter().map(point).collect() }).collect()
}

/// Whether the centre of mass lies so near to the place between two pixels where the rounding turns that the last bits
/// of the coordinates decide.
fn undecided(picture: &Picture) -> bool {
    let (x, y) = centre(picture);
    [x, y].iter().any(|c| (c.fract() - 0.49999).abs() < 5e-6)
}

proptest! {
    #[test]
    fn place_and_size_on_the_pad_do_not_matter(
        drawing in any_drawing(), right in 0.0f32..0.5, down in 0.0f32..0.5, scale in 0.55f32..1.0,
    ) {
        let plain = from_strokes(&drawing).unwrap();
        prop_assume!(!undecided(&plain));
        let shifted = from_strokes(&moved(&drawing, 1.0, right, down)).unwrap();
        prop_assert!(largest_difference(&plain, &shifted) < 1e-3);
        let scaled = from_strokes(&moved(&drawing, scale, right, down)).unwrap();
        prop_assert!(largest_difference(&plain, &scaled) < 1e-3);
    }

    #[test]
    fn a_drawing_looks_like_mnist(drawing in any_drawing()) {
        let picture = from_strokes(&drawing).unwrap();
        prop_assert!(picture.iter().all(|v| (0.0..=1.0).contains(v)));
        let (left, top, right, bottom) = ink_box(&picture);
        prop_assert_eq!((right - left + 1).max(bottom - top + 1), INK_SIDE);
        let (x, y) = centre(&picture);
        let middle = 13.499..14.501;
        // Ink too lopsided to be centred stops at the edge.
        prop_assert!(middle.contains(&x) || left == 0 || right == SIDE - 1, "{}", x);
        prop_assert!(middle.contains(&y) || top == 0 || bottom == SIDE - 1, "{}", y);
        // Normalising again changes nothing.
        prop_assert!(largest_difference(&normalise(&picture, SIDE).unwrap(), &picture) < 1e-5);
    }

    #[test]
    fn a_picture_of_any_size_gives_a_normalised_one(
        width in 1usize..60, height in 1usize..60, seed in prop::collection::vec(any::<u8>(), 1..50),
    ) {
        let pixels = (0..width * height).map(|i| seed[i * 7919 % seed.len()]).collect();
        if let Some(picture) = from_picture(&Gray::from_luma(width, height, pixels).unwrap()) {
            prop_assert!(picture.iter().all(|v| (0.0..=1.0).contains(v)));
            prop_assert!(picture.iter().any(|v| *v > 0.0));
        }
    }

    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), cut in 0usize..4000, flip in 0usize..4000) {
        prop_assert!(decode_picture(&bytes).is_err());
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            let mut file = encoded(&sheet(40, 30, 255, 0), format);
            let flip = flip % file.len();
            file[flip] ^= 0x55;
            let _ = decode_picture(&file);
            let _ = decode_picture(&file[..cut % file.len()]);
        }
    }
}

/// A sheet with an L of ink, a third of its height, left of the middle. (An even figure's place would hang on noise.)
fn sheet(width: u32, height: u32, paper: u8, ink: u8) -> DynamicImage {
    let inked = |x: u32, y: u32| {
        let right = if y < height / 2 { 5 * width / 12 } else { width / 2 };
        (width / 3..right).contains(&x) && (height / 3..2 * height / 3).contains(&y)
    };
    let grey = |x, y| if inked(x, y) { ink } else { paper };
    let pixel = |x, y| image::Rgba([grey(x, y), grey(x, y), grey(x, y), 255]);
    DynamicImage::ImageRgba8(RgbaImage::from_fn(width, height, pixel))
}

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    match format {
        ImageFormat::Jpeg => picture.to_rgb8().write_to(&mut file, format).unwrap(),
        _ => picture.write_to(&mut file, format).unwrap(),
    }
    file.into_inner()
}

#[test]
fn every_format_and_either_polarity_gives_the_same() {
    let expected = from_picture(&decode_picture(&encoded(&sheet(120, 90, 0, 255), ImageFormat::Png)).unwrap()).unwrap();
    // 20 × 30 pixels of ink are scaled by 2/3.
    let (left, top, right, bottom) = ink_box(&expected);
    assert_eq!((bottom - top + 1, right - left + 1), (20, 14));
    for (paper, ink) in [(0, 255), (255, 0), (230, 20), (10, 120), (200, 120)] {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            let gray = decode_picture(&encoded(&sheet(120, 90, paper, ink), format)).unwrap();
            let picture = from_picture(&gray).unwrap();
            // JPEG blurs a faint edge: single pixels may be far off, the picture is not.
            let (tolerance, difference) = match format {
                ImageFormat::Jpeg => (0.03, mean_difference(&picture, &expected)),
                _ => (1e-6, largest_difference(&picture, &expected)),
            };
            assert!(difference <= tolerance, "{format:?}, {ink} on {paper}: {difference}");
        }
    }
}

#[test]
fn shrinking_averages_by_area() {
    // A chessboard of single pixels, 9 × 9 of which lie under each pixel of the result, is almost even grey.
    let board: Vec<f32> = (0..180 * 180).map(|i| ((i % 180 + i / 180) % 2) as f32).collect();
    let grey = normalise(&board, 180).unwrap();
    assert_eq!(ink_box(&grey), (4, 4, 23, 23));
    assert!((4..24).all(|y| (4..24).all(|x| (at(&grey, x, y) - 0.5).abs() < 0.01)));
}

#[test]
fn noise_of_the_paper_is_not_ink() {
    let mut pixels = vec![0; 100 * 100];
    let mut noise = 1u32;
    for (i, pixel) in pixels.iter_mut().enumerate() {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let inked = (40..60).contains(&(i % 100)) && (20..80).contains(&(i / 100));
        *pixel = if inked { 30 } else { 200 + (noise >> 24) as u8 % 16 };
    }
    let picture = from_picture(&Gray::from_luma(100, 100, pixels).unwrap()).unwrap();
    let (left, _, right, _) = ink_box(&picture);
    let strong = picture.iter().filter(|v| **v > 0.5).count();
    assert!((130..=150).contains(&strong), "{strong} pixels of ink instead of 140");
    assert!(right - left < 9, "{:?}", ink_box(&picture));
}

#[test]
fn transparent_pictures_are_laid_on_paper_that_shows_them() {
    let bar = |ink: u8| -> Vec<u8> {
        (0..60 * 60)
            .flat_map(|i| if (20..40).contains(&(i % 60)) { [ink, ink, ink, 255] } else { [0, 0, 0, 0] })
            .collect()
    };
    let black = from_picture(&Gray::from_rgba(60, 60, &bar(0)).unwrap()).unwrap();
    let white = from_picture(&Gray::from_rgba(60, 60, &bar(255)).unwrap()).unwrap();
    assert_eq!(black, white);
    assert!(matches!(Gray::from_rgba(60, 60, &[0; 8]), Err(InkError::WrongLength { needed: 14400, found: 8, .. })));
    assert!(matches!(Gray::from_luma(0, 5, vec![]), Err(InkError::WrongLength { .. })));
}

#[test]
fn twenty_eight_square_is_taken_as_it_is() {
    let mut pixels = vec![0u8; 784];
    (pixels[100], pixels[300], pixels[301]) = (7, 120, 254);
    let as_it_is = from_picture(&Gray::from_luma(28, 28, pixels.clone()).unwrap()).unwrap();
    assert!(as_it_is.iter().zip(&pixels).all(|(v, byte)| *v == f32::from(*byte) / 255.0));
    let inverted = pixels.iter().map(|byte| 255 - byte).collect();
    assert!(!is_dark_on_light(&Gray::from_luma(28, 28, pixels).unwrap()));
    let inverted = Gray::from_luma(28, 28, inverted).unwrap();
    assert_eq!(from_picture(&inverted).unwrap(), as_it_is);
    assert!(is_dark_on_light(&inverted));
}

#[test]
fn an_even_picture_is_blank() {
    for pixels in [vec![255; 2500], vec![0; 2500], (0..2500).map(|i| 128 + (i % 7) as u8).collect()] {
        assert_eq!(from_picture(&Gray::from_luma(50, 50, pixels).unwrap()), None);
    }
}

#[test]
fn files_that_are_no_picture_are_refused_by_name() {
    assert_eq!(decode_picture(b"not a picture at all"), Err(InkError::NotAPicture));
    assert_eq!(decode_picture(b"GIF89a\x01\x00"), Err(InkError::UnsupportedFormat { format: "GIF".into() }));
    let png = encoded(&sheet(40, 30, 255, 0), ImageFormat::Png);
    assert!(matches!(decode_picture(&png[..png.len() / 2]), Err(InkError::Damaged { format, .. }) if format == "PNG"));
    // A header that claims 60 000 × 60 000 pixels, its checksum renewed.
    let mut huge = png.clone();
    huge[16..20].copy_from_slice(&60_000u32.to_be_bytes());
    huge[20..24].copy_from_slice(&60_000u32.to_be_bytes());
    let mut sum = flate2::Crc::new();
    sum.update(&huge[12..29]);
    huge[29..33].copy_from_slice(&sum.sum().to_be_bytes());
    let error = decode_picture(&huge).unwrap_err();
    assert_eq!(error, InkError::TooLarge { width: 60_000, height: 60_000 });
    assert_eq!(
        error.to_string(),
        "The picture has 60000×60000 pixels, and at most 10000×10000 and 64 million in all are read here; shrink it first."
    );
}
