//! Tests of the room's parts together, and their properties. Small exact ones stand beside the code.

mod batch;
mod idx;
mod pairs;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// An IDX file of images.
fn images_file(count: u32, height: u32, width: u32, pixels: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, 3];
    bytes.extend([count, height, width].into_iter().flat_map(u32::to_be_bytes));
    bytes.extend(pixels);
    bytes
}

/// An IDX file of labels.
fn labels_file(count: u32, labels: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, 1];
    bytes.extend(count.to_be_bytes());
    bytes.extend(labels);
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
