//! The data set that ships, through the reader, and through the normalisation that claims to be its own.

use std::io::Read;
use std::path::Path;

use capscope::data::{Dataset, MNIST_SIDE, MnistSplit};
use capscope::ink::{Gray, from_picture, normalise};
use flate2::read::GzDecoder;

fn asset(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn file(name: &str) -> Vec<u8> {
    asset(&format!("mnist/{name}"))
}

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
    bytes
}

fn read(split: MnistSplit) -> Dataset {
    let set = Dataset::from_idx(&file(split.images_file), &file(split.labels_file)).unwrap();
    set.require_shape(MNIST_SIDE, MNIST_SIDE).and_then(|set| set.require_count(split.count)).unwrap()
}

/// CRC-32 of all pixels, and of all labels.
fn sums(set: &Dataset) -> (u32, u32) {
    let (mut pixels, mut labels) = (flate2::Crc::new(), flate2::Crc::new());
    (0..set.len()).for_each(|i| pixels.update(set.image(i)));
    labels.update(set.labels());
    (pixels.sum(), labels.sum())
}

// The sums and counts below were taken with Python from files whose SHA-256 are those published.

#[test]
fn all_seventy_thousand_images_are_read() {
    let train = read(MnistSplit::TRAIN);
    assert_eq!(train.class_counts(), [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]);
    assert_eq!(sums(&train), (0xf363_9b56, 0xba07_e8ef));

    let test = read(MnistSplit::TEST);
    assert_eq!(test.class_counts(), [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]);
    assert_eq!(sums(&test), (0xe4ca_5f57, 0xee86_04d9));
    assert_eq!(test.labels()[..10], [7, 2, 1, 0, 4, 1, 4, 9, 5, 9]);
}

#[test]
fn raw_and_gzip_give_the_same() {
    for split in [MnistSplit::TRAIN, MnistSplit::TEST] {
        assert_eq!(file(split.images_file).len(), split.packed_bytes as usize);
        let raw = Dataset::from_idx(&unpacked(&file(split.images_file)), &unpacked(&file(split.labels_file)));
        // No assert_eq: a difference would print 47 MB.
        assert!(raw.unwrap() == read(split));
    }
}

#[test]
fn halves_that_do_not_belong_together_are_refused() {
    let error = Dataset::from_idx(&file(MnistSplit::TEST.images_file), &file(MnistSplit::TRAIN.labels_file));
    assert_eq!(
        error.unwrap_err().to_string(),
        "There are 10000 images and 60000 labels; choose the two files of one set."
    );
}

fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// An MNIST image has already been scaled and centred; doing so again must change nothing.
#[test]
fn ink_normalises_as_mnist_was_normalised() {
    let test = read(MnistSplit::TEST);
    let images = (0..test.len()).map(|i| test.image_f32(i));
    let changed: Vec<usize> = images
        .enumerate()
        .filter(|(_, image)| largest_difference(image, &normalise(image, MNIST_SIDE).unwrap()) > 1e-6)
        .map(|(i, _)| i)
        .collect();
    // In these three MNIST itself lost ink at the lower edge: 19 rows are left of the 20.
    assert_eq!(changed, [4530, 9300, 9302], "images of 10 000 that are changed");
}

/// The same digits ten times as large, black on white, on a sheet of another shape, as a scan would be.
#[test]
fn a_scan_of_a_digit_becomes_the_digit() {
    let test = read(MnistSplit::TEST);
    let mut moved = 0;
    for i in 0..1000 {
        let (width, height) = (300, 400);
        let mut sheet = vec![255u8; width * height];
        for (j, &byte) in test.image(i).iter().enumerate() {
            for y in 0..10 {
                let start = (100 + j / 28 * 10 + y) * width + 7 + j % 28 * 10;
                sheet[start..start + 10].fill(255 - byte);
            }
        }
        let again = from_picture(&Gray::from_luma(width, height, sheet).unwrap()).unwrap();
        moved += usize::from(largest_difference(&test.image_f32(i), &again) > 0.125);
    }
    // An edge fainter than a little of the ink is taken for a scan's traces. Without it a digit is hardly another, but
    // a few are placed one pixel further.
    assert!(moved <= 20, "{moved} of 1 000 digits are not where they were");
}

/// The digits that come with the page are the first ten of each class, as they are.
#[test]
fn the_gallery_is_part_of_the_test_set() {
    let test = read(MnistSplit::TEST);
    let gallery = Dataset::from_idx(&asset("gallery/images-idx3-ubyte.gz"), &asset("gallery/labels-idx1-ubyte.gz"))
        .expect("the gallery's files");
    let places: Vec<usize> = serde_json::from_slice(&asset("gallery/places.json")).expect("a list of places");
    assert_eq!((gallery.len(), places.len()), (100, 100));
    for (index, &place) in places.iter().enumerate() {
        assert_eq!(gallery.image(index), test.image(place), "digit {index}");
        assert_eq!(gallery.label(index), test.label(place));
        assert_eq!(usize::from(gallery.label(index)), index / 10);
    }
}
