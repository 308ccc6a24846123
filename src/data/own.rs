//! A person's own set in IDX files: which file is what, and what is held out for testing.

use super::dataset::{Dataset, DatasetError, MNIST_SIDE};
use super::idx::{IdxKind, kind_of};

/// Of a set without a test half, one image in so many is held out.
const HELD_OUT: usize = 6;

/// The fewest images of a set without a test half.
const FEWEST: usize = 60;

/// Why files make no set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OwnError {
    /// A file of another kind.
    #[error("{file} is no IDX file of images or labels; choose idx3-ubyte and idx1-ubyte files, gzipped or not")]
    NotIdx {
        /// Its name.
        file: String,
    },
    /// A file is missing, or one too many.
    #[error(
        "an IDX set is one file of images with one of labels, or two of each for training and test; here are {images} of images and {labels} of labels: choose them together"
    )]
    Files {
        /// Files of images.
        images: usize,
        /// Files of labels.
        labels: usize,
    },
    /// Four files, and nothing says which are for testing.
    #[error("the names do not say which two files are for testing; let theirs begin with t10k or hold the word test")]
    WhichIsTest,
    /// A half of the set is refused.
    #[error("{file}: {error}")]
    Half {
        /// Its file of images.
        file: String,
        /// Why.
        error: DatasetError,
    },
    /// Too small to hold anything out.
    #[error("{file} holds {count} images; at least {FEWEST} are needed where some are to be held out for testing")]
    TooFew {
        /// The file.
        file: String,
        /// Its images.
        count: usize,
    },
}

/// A set to train and to test on: images of 28×28, labels 0 to 9.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// The name of the file of training images.
    pub name: String,
    /// Images to train on.
    pub train: Dataset,
    /// Images to test on, none of which is trained on.
    pub test: Dataset,
    /// Whether the test images were held out of the only half that was given.
    pub is_held_out: bool,
}

impl Own {
    /// A set from two or four IDX files with their names, in any order, raw or gzipped.
    ///
    /// # Errors
    /// [`OwnError`] naming the file and the way out.
    pub fn from_files(files: &[(String, Vec<u8>)]) -> Result<Self, OwnError> {
        let (mut images, mut labels) = (vec![], vec![]);
        for (name, bytes) in files {
            match kind_of(bytes) {
                Some(IdxKind::Images) => images.push((name, bytes)),
                Some(IdxKind::Labels) => labels.push((name, bytes)),
                None => return Err(OwnError::NotIdx { file: name.clone() }),
            }
        }
        match (&images[..], &labels[..]) {
            ([images], [labels]) => {
                let (train, test) = hold_out(images.0, half(*images, *labels)?)?;
                Ok(Own { name: images.0.clone(), train, test, is_held_out: true })
            }
            ([_, _], [_, _]) => {
                let [train_images, test_images] = in_order(&images)?;
                let [train_labels, test_labels] = in_order(&labels)?;
                let (train, test) = (half(train_images, train_labels)?, half(test_images, test_labels)?);
                Ok(Own { name: train_images.0.clone(), train, test, is_held_out: false })
            }
            _ => Err(OwnError::Files { images: images.len(), labels: labels.len() }),
        }
    }
}

type File<'a> = (&'a String, &'a Vec<u8>);

fn half(images: File<'_>, labels: File<'_>) -> Result<Dataset, OwnError> {
    Dataset::from_idx(images.1, labels.1)
        .and_then(|data| data.require_shape(MNIST_SIDE, MNIST_SIDE))
        .map_err(|error| OwnError::Half { file: images.0.clone(), error })
}

/// The file for training, then the one for testing.
fn in_order<'a>(files: &[File<'a>]) -> Result<[File<'a>; 2], OwnError> {
    let is_test = |name: &str| {
        let name = name.to_lowercase();
        name.contains("t10k") || name.contains("test")
    };
    match (is_test(files[0].0), is_test(files[1].0)) {
        (false, true) => Ok([files[0], files[1]]),
        (true, false) => Ok([files[1], files[0]]),
        _ => Err(OwnError::WhichIsTest),
    }
}

/// Every sixth image for testing, the others for training.
fn hold_out(file: &str, data: Dataset) -> Result<(Dataset, Dataset), OwnError> {
    if data.len() < FEWEST {
        return Err(OwnError::TooFew { file: file.into(), count: data.len() });
    }
    let is_test = |index: usize| index % HELD_OUT == HELD_OUT - 1;
    Ok((data.picked(|index| !is_test(index)), data.picked(is_test)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn images(name: &str, count: u32, side: u32) -> (String, Vec<u8>) {
        let mut bytes = vec![0, 0, 8, 3];
        [count, side, side].iter().for_each(|n| bytes.extend(n.to_be_bytes()));
        bytes.extend((0..count * side * side).map(|k| (k / (side * side)) as u8));
        (name.into(), bytes)
    }

    fn labels(name: &str, count: u32, classes: u32) -> (String, Vec<u8>) {
        let mut bytes = vec![0, 0, 8, 1];
        bytes.extend(count.to_be_bytes());
        bytes.extend((0..count).map(|k| (k % classes) as u8));
        (name.into(), bytes)
    }

    fn refusal(files: &[(String, Vec<u8>)]) -> String {
        Own::from_files(files).expect_err("refused").to_string()
    }

    #[test]
    fn two_files_are_trained_and_tested_on_without_overlap() {
        let own = Own::from_files(&[labels("l", 120, 10), images("clothes", 120, 28)]).expect("a set");
        assert_eq!((own.name.as_str(), own.train.len(), own.test.len(), own.is_held_out), ("clothes", 100, 20, true));
        let tested: Vec<u8> = (0..20).map(|k| own.test.image(k)[0]).collect();
        assert_eq!(tested[..3], [5, 11, 17]);
        assert!((0..100).all(|k| !tested.contains(&own.train.image(k)[0])));
        assert_eq!(own.test.label(1), 1, "labels go with their images");
    }

    #[test]
    fn four_files_are_told_apart_by_kind_and_name_and_may_be_gzipped() {
        let mut packed = GzEncoder::new(vec![], Compression::fast());
        packed.write_all(&images("", 70, 28).1).expect("memory");
        let packed = ("t10k-images.gz".to_string(), packed.finish().expect("memory"));
        let files =
            [packed, labels("train-labels", 80, 4), images("train-images", 80, 28), labels("t10k-labels", 70, 4)];
        let own = Own::from_files(&files).expect("a set");
        assert_eq!((own.name.as_str(), own.train.len(), own.test.len()), ("train-images", 80, 70));
        assert!(!own.is_held_out);
    }

    #[test]
    fn each_refusal_names_the_cause_and_the_way_out() {
        assert!(refusal(&[images("a", 60, 28)]).contains("1 of images and 0 of labels"));
        assert!(refusal(&[]).contains("0 of images"));
        assert!(refusal(&[("cat.png".into(), b"\x89PNG".to_vec())]).contains("cat.png is no IDX file"));
        assert!(refusal(&[images("a", 60, 28), labels("b", 61, 10)]).contains("60 images and 61 labels"));
        assert!(refusal(&[images("a", 60, 28), labels("b", 60, 11)]).contains("at most ten classes"));
        assert!(refusal(&[images("a", 60, 32), labels("b", 60, 10)]).contains("32×32"));
        assert!(refusal(&[images("a", 59, 28), labels("b", 59, 10)]).contains("59 images"));
        let twice = [images("a", 60, 28), labels("b", 60, 10), images("c", 60, 28), labels("d", 60, 10)];
        assert!(refusal(&twice).contains("which two files are for testing"));
    }
}
