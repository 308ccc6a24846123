//! The IDX reader against damaged, wrong and hostile files.

use proptest::prelude::*;

use super::{gzip, images_file, labels_file};
use crate::data::{Dataset, DatasetError, IdxError, IdxImages, IdxKind, read_images, read_labels};

const IMAGES: IdxKind = IdxKind::Images;

/// Two images of 2×3.
fn small() -> Vec<u8> {
    images_file(2, 2, 3, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
}

/// The error that both the raw and the packed file give.
fn error_of(bytes: &[u8]) -> IdxError {
    let error = read_images(bytes).unwrap_err();
    assert_eq!(read_images(&gzip(bytes)).unwrap_err(), error, "the packed file is judged otherwise");
    error
}

#[test]
fn a_small_file_is_read() {
    let expected = IdxImages { count: 2, height: 2, width: 3, pixels: (1..=12).collect() };
    assert_eq!(read_images(&small()), Ok(expected.clone()));
    assert_eq!(read_images(&gzip(&small())), Ok(expected.clone()));
    // A gzip file may be several members after one another.
    let two_members = [gzip(&small()[..20]), gzip(&small()[20..])].concat();
    assert_eq!(read_images(&two_members), Ok(expected));
    assert_eq!(read_labels(&labels_file(3, &[7, 2, 1])), Ok(vec![7, 2, 1]));
}

#[test]
fn each_fault_is_named() {
    let kind = IMAGES;
    assert_eq!(error_of(&small()[..7]), IdxError::HeaderTruncated { kind, needed: 16, found: 7 });
    assert_eq!(error_of(&[]), IdxError::HeaderTruncated { kind, needed: 16, found: 0 });
    assert_eq!(error_of(&labels_file(9, &[0; 9])), IdxError::WrongKind { kind });
    assert_eq!(error_of(b"<!DOCTYPE html><title>404"), IdxError::NotIdx { kind, magic: 0x3c21_444f });
    assert_eq!(error_of(&images_file(0, 28, 28, &[])), IdxError::Empty { kind, sizes: [0, 28, 28] });
    assert_eq!(error_of(&images_file(3, 28, 0, &[])), IdxError::Empty { kind, sizes: [3, 28, 0] });
    assert_eq!(error_of(&small()[..20]), IdxError::Truncated { kind, expected: 12, found: 4 });
    assert_eq!(error_of(&[small(), vec![0]].concat()), IdxError::TrailingBytes { kind, expected: 12 });
    assert_eq!(read_labels(&small()), Err(IdxError::WrongKind { kind: IdxKind::Labels }));

    let mut damaged = gzip(&small());
    let sum = damaged.len() - 8;
    damaged[sum] ^= 1;
    assert!(matches!(read_images(&damaged), Err(IdxError::GzipDamaged { kind: IMAGES, .. })));
    let trailed = [gzip(&small()), b"more".to_vec()].concat();
    assert!(matches!(read_images(&trailed), Err(IdxError::GzipDamaged { kind: IMAGES, .. })));
}

#[test]
fn promises_are_refused_before_room_is_made_for_them() {
    let kind = IMAGES;
    let four_billion = images_file(u32::MAX, 28, 28, &[]);
    assert_eq!(error_of(&four_billion), IdxError::TooLarge { kind, claimed: u128::from(u32::MAX) * 784 });
    let overflowing = images_file(u32::MAX, u32::MAX, u32::MAX, &[]);
    assert_eq!(error_of(&overflowing), IdxError::TooLarge { kind, claimed: u128::from(u32::MAX).pow(3) });

    // Within the limit, but more than the packed file can hold: the figure shows that it was not unpacked to know.
    let packed = gzip(&images_file(1_000_000, 28, 28, &[]));
    let found = packed.len() as u64 * 1032;
    assert_eq!(read_images(&packed), Err(IdxError::Truncated { kind, expected: 784_000_000, found }));
}

#[test]
fn a_gzip_bomb_is_left_after_one_byte_too_many() {
    let mut bomb = gzip(&images_file(1, 2, 2, &vec![0; 8 << 20]));
    // With a wrong sum at its end, reading it to the end would be another error.
    let sum = bomb.len() - 8;
    bomb[sum] ^= 1;
    assert_eq!(read_images(&bomb), Err(IdxError::TrailingBytes { kind: IMAGES, expected: 4 }));
}

#[test]
fn two_files_must_belong_together() {
    let labels = labels_file(2, &[3, 9]);
    let set = Dataset::from_idx(&small(), &gzip(&labels)).unwrap();
    assert_eq!((set.len(), set.height(), set.width()), (2, 2, 3));
    assert_eq!(set.image(1), [7, 8, 9, 10, 11, 12]);
    assert_eq!(set.image_f32(0)[..2], [1.0 / 255.0, 2.0 / 255.0]);
    assert_eq!((set.label(1), set.class_counts()[3]), (9, 1));

    let wrong = |height, width| DatasetError::WrongShape { height, width, needed_height: 28, needed_width: 28 };
    assert_eq!(set.clone().require_shape(28, 28), Err(wrong(2, 3)));
    assert_eq!(set.clone().require_count(60_000), Err(DatasetError::WrongCount { count: 2, needed: 60_000 }));
    assert!(set.require_shape(2, 3).and_then(|set| set.require_count(2)).is_ok());

    let differ = Dataset::from_idx(&small(), &labels_file(3, &[0, 1, 2]));
    assert_eq!(differ, Err(DatasetError::CountsDiffer { images: 2, labels: 3 }));
    let label_10 = Dataset::from_idx(&small(), &labels_file(2, &[9, 10]));
    assert_eq!(label_10, Err(DatasetError::LabelOutOfRange { index: 1, label: 10 }));
    let swapped = Dataset::from_idx(&labels, &small());
    assert_eq!(swapped, Err(DatasetError::Idx(IdxError::WrongKind { kind: IdxKind::Labels })));
}

#[test]
fn errors_are_sentences() {
    let error = read_images(&labels_file(9, &[0; 9])).unwrap_err();
    assert_eq!(error.to_string(), "The file given as images holds labels; swap the two files.");
    let error = read_images(&small()[..20]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "The file of images is cut off: its header promises 12 bytes of data and there are 4; fetch it again."
    );
}

/// A file of images with arbitrary content.
fn any_images() -> impl Strategy<Value = IdxImages> {
    (1usize..5, 1usize..9, 1usize..9).prop_flat_map(|(count, height, width)| {
        prop::collection::vec(any::<u8>(), count * height * width).prop_map(move |pixels| IdxImages {
            count,
            height,
            width,
            pixels,
        })
    })
}

fn file_of(images: &IdxImages) -> Vec<u8> {
    images_file(images.count as u32, images.height as u32, images.width as u32, &images.pixels)
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), kind in 0usize..4) {
        // As they are, behind a magic number, behind gzip's, and packed.
        let bytes = match kind {
            0 => bytes,
            1 => [vec![0, 0, 8, 3], bytes].concat(),
            2 => [vec![0x1f, 0x8b, 8, 0], bytes].concat(),
            _ => gzip(&[vec![0, 0, 8, 3, 0, 0], bytes].concat()),
        };
        let _ = read_images(&bytes);
        let _ = read_labels(&bytes);
    }

    #[test]
    fn what_is_written_is_read(images in any_images()) {
        let file = file_of(&images);
        prop_assert_eq!(&read_images(&file), &Ok(images.clone()));
        prop_assert_eq!(&read_images(&gzip(&file)), &Ok(images));
    }

    #[test]
    fn cut_off_anywhere_is_an_error(images in any_images()) {
        let file = file_of(&images);
        let packed = gzip(&file);
        for end in 0..file.len() {
            prop_assert!(read_images(&file[..end]).is_err(), "raw, cut off at {}", end);
        }
        for end in 0..packed.len() {
            prop_assert!(read_images(&packed[..end]).is_err(), "packed, cut off at {}", end);
        }
    }

    #[test]
    fn longer_is_an_error(images in any_images(), more in prop::collection::vec(any::<u8>(), 1..20)) {
        let file = [file_of(&images), more].concat();
        prop_assert!(read_images(&file).is_err());
        prop_assert!(read_images(&gzip(&file)).is_err());
    }
}
