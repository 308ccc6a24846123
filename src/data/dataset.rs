//! Labelled images, kept as bytes: 60 000 of MNIST are 47 MB, as floats they would be 188.

use super::idx::{IdxError, read_images, read_labels};

/// How many classes a label can name: 0 to 9.
pub const CLASSES: usize = 10;

/// Rows, and columns, of an MNIST image.
pub const MNIST_SIDE: usize = 28;

/// One half of MNIST: the names under which its files are published, and how many images they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MnistSplit {
    /// Name of the file of images.
    pub images_file: &'static str,
    /// Name of the file of labels.
    pub labels_file: &'static str,
    /// How many images, and labels, they hold.
    pub count: usize,
    /// Bytes of the packed file of images, which is nearly all that is fetched.
    pub packed_bytes: u32,
}

impl MnistSplit {
    /// The training images.
    pub const TRAIN: Self = Self {
        images_file: "train-images-idx3-ubyte.gz",
        labels_file: "train-labels-idx1-ubyte.gz",
        count: 60_000,
        packed_bytes: 9_719_438,
    };

    /// The test images.
    pub const TEST: Self = Self {
        images_file: "t10k-images-idx3-ubyte.gz",
        labels_file: "t10k-labels-idx1-ubyte.gz",
        count: 10_000,
        packed_bytes: 1_616_508,
    };
}

/// Why two files do not make a data set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatasetError {
    /// One of the files is not what it should be.
    #[error(transparent)]
    Idx(#[from] IdxError),
    /// A file for one half and a file for the other, say.
    #[error("There are {images} images and {labels} labels; choose the two files of one set.")]
    CountsDiffer {
        /// How many images.
        images: usize,
        /// How many labels.
        labels: usize,
    },
    /// A label that names no class.
    #[error(
        "Label {index} is {label}, but the classes are 0 to 9; choose a set of at most ten classes numbered from 0."
    )]
    LabelOutOfRange {
        /// Which label, from 0.
        index: usize,
        /// Its value.
        label: u8,
    },
    /// Images of another size than the network's.
    #[error(
        "The images are {height}×{width} pixels, but this network takes {needed_height}×{needed_width}; scale them first."
    )]
    WrongShape {
        /// Rows of an image.
        height: usize,
        /// Columns of an image.
        width: usize,
        /// Rows that are needed.
        needed_height: usize,
        /// Columns that are needed.
        needed_width: usize,
    },
    /// A part of MNIST instead of all of it.
    #[error("The set holds {count} images instead of {needed}; fetch MNIST's own files again.")]
    WrongCount {
        /// How many images.
        count: usize,
        /// How many there should be.
        needed: usize,
    },
}

/// Labelled images of one size; never empty, every label below [`CLASSES`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dataset {
    images: Vec<u8>,
    labels: Vec<u8>,
    height: usize,
    width: usize,
}

impl Dataset {
    /// Reads a file of images and a file of labels, each raw or gzipped.
    pub fn from_idx(images: &[u8], labels: &[u8]) -> Result<Self, DatasetError> {
        // Labels first: they are small, so a wrong file is refused before a large one is unpacked.
        let labels = read_labels(labels)?;
        if let Some(index) = labels.iter().position(|&label| usize::from(label) >= CLASSES) {
            return Err(DatasetError::LabelOutOfRange { index, label: labels[index] });
        }
        let images = read_images(images)?;
        if images.count != labels.len() {
            return Err(DatasetError::CountsDiffer { images: images.count, labels: labels.len() });
        }
        Ok(Self { images: images.pixels, labels, height: images.height, width: images.width })
    }

    /// The set itself if its images have `height` rows and `width` columns.
    pub fn require_shape(self, height: usize, width: usize) -> Result<Self, DatasetError> {
        if (self.height, self.width) == (height, width) {
            return Ok(self);
        }
        Err(DatasetError::WrongShape {
            height: self.height,
            width: self.width,
            needed_height: height,
            needed_width: width,
        })
    }

    /// The set itself if it holds `count` images.
    pub fn require_count(self, count: usize) -> Result<Self, DatasetError> {
        if self.len() == count {
            return Ok(self);
        }
        Err(DatasetError::WrongCount { count: self.len(), needed: count })
    }

    /// The images whose place `keeps` accepts, in their order.
    ///
    /// # Panics
    /// If it accepts none: a set is never empty.
    pub fn picked(&self, keeps: impl Fn(usize) -> bool) -> Self {
        let places: Vec<usize> = (0..self.len()).filter(|&place| keeps(place)).collect();
        assert!(!places.is_empty(), "a set is never empty");
        Self {
            images: places.iter().flat_map(|&place| self.image(place)).copied().collect(),
            labels: places.iter().map(|&place| self.label(place)).collect(),
            height: self.height,
            width: self.width,
        }
    }

    /// How many images, at least one.
    #[allow(clippy::len_without_is_empty, reason = "a set is never empty")]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Rows of an image.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Columns of an image.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Pixels of an image: height × width.
    pub fn image_len(&self) -> usize {
        self.height * self.width
    }

    /// Image `index`, row by row, 0 for background.
    ///
    /// # Panics
    /// If there is no such image.
    pub fn image(&self, index: usize) -> &[u8] {
        &self.images[index * self.image_len()..][..self.image_len()]
    }

    /// Image `index` as the network takes it: each byte divided by 255.
    ///
    /// # Panics
    /// If there is no such image.
    pub fn image_f32(&self, index: usize) -> Vec<f32> {
        self.image(index).iter().map(|&byte| unit(byte)).collect()
    }

    /// The label of image `index`.
    ///
    /// # Panics
    /// If there is no such image.
    pub fn label(&self, index: usize) -> u8 {
        self.labels[index]
    }

    /// All labels.
    pub fn labels(&self) -> &[u8] {
        &self.labels
    }

    /// How many images each class has.
    pub fn class_counts(&self) -> [usize; CLASSES] {
        let mut counts = [0; CLASSES];
        for &label in &self.labels {
            counts[usize::from(label)] += 1;
        }
        counts
    }
}

/// A byte as a number in [0, 1]: divided by 255, rounded once.
pub(crate) fn unit(byte: u8) -> f32 {
    f32::from(byte) / 255.0
}
