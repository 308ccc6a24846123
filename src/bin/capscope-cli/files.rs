//! Files in and out: MNIST from a folder, weights, and writes that never leave half a file.

use crate::cli::Outcome;
use capscope::data::{Dataset, MNIST_SIDE, MnistSplit};
use capscope::train::weights::{self, Weights};
use std::fs;
use std::path::Path;

/// Bytes of a file; an error names it.
pub fn read(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()).into())
}

/// Writes beside the target and renames, so that a crash leaves the old file or the new one.
pub fn write(path: &Path, bytes: &[u8]) -> Outcome {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let failed = |error| format!("{} cannot be written: {error}", path.display());
    fs::write(&beside, bytes).map_err(failed)?;
    Ok(fs::rename(&beside, path).map_err(failed)?)
}

/// One split of MNIST from its two IDX files.
pub fn mnist(folder: &Path, split: &MnistSplit) -> Outcome<Dataset> {
    let (images, labels) = (read(&folder.join(split.images_file))?, read(&folder.join(split.labels_file))?);
    let named = |error| format!("{}: {error}", folder.display());
    Ok(Dataset::from_idx(&images, &labels)
        .and_then(|data| data.require_shape(MNIST_SIDE, MNIST_SIDE))
        .map_err(named)?)
}

/// A weight file.
pub fn network(path: &Path) -> Outcome<Weights> {
    weights::from_bytes(&read(path)?).map_err(|error| format!("{}: {error}", path.display()).into())
}
