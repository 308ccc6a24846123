//! Pixels in a message: a byte each, 255 for 1.

/// Values in [0, 1] as bytes, to the nearest one.
pub fn to_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().map(|value| (value * 255.0).round() as u8).collect()
}

/// Bytes as values in [0, 1].
pub fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    bytes.iter().map(|byte| f32::from(*byte) / 255.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back_and_the_ends_are_0_and_1() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(to_bytes(&from_bytes(&all)), all);
        assert_eq!((from_bytes(&[0, 255]), to_bytes(&[0.001, 0.999])), (vec![0.0, 1.0], vec![0, 255]));
    }
}
