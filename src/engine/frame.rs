//! Pictures of one size in the middle of another: the page's digits have 28×28 pixels, and a network for overlapping
//! digits reads 36×36.

use crate::capsnet::Config;
use crate::data::MNIST_SIDE;

/// Pixels of the page's pictures.
pub(super) const SHOWN: usize = MNIST_SIDE * MNIST_SIDE;

/// The page's pictures, one after another, as a network reads them.
///
/// # Errors
/// If they are no pictures of 28×28 pixels, or the network reads smaller ones.
pub(super) fn as_read(pictures: &[f32], config: &Config) -> Result<Vec<f32>, String> {
    let (height, width) = (config.height, config.width);
    if !pictures.len().is_multiple_of(SHOWN) {
        return Err(format!("{} values are no pictures of {MNIST_SIDE}×{MNIST_SIDE} pixels", pictures.len()));
    }
    if height < MNIST_SIDE || width < MNIST_SIDE {
        return Err(format!("the network reads {height}×{width} pixels, and a digit has {MNIST_SIDE}×{MNIST_SIDE}"));
    }
    let one = |picture| in_the_middle(picture, [MNIST_SIDE; 2], [height, width]);
    Ok(pictures.chunks_exact(SHOWN).flat_map(one).collect())
}

/// A network's pictures, one after another, as the page shows them.
pub(super) fn as_shown(pictures: &[f32], config: &Config) -> Vec<f32> {
    let one = |picture| in_the_middle(picture, [config.height, config.width], [MNIST_SIDE; 2]);
    pictures.chunks_exact(config.pixels()).flat_map(one).collect()
}

/// A picture of `from` rows and columns in the middle of one of `to` rows and columns: with zeros around it, or cut.
fn in_the_middle(picture: &[f32], from: [usize; 2], to: [usize; 2]) -> Vec<f32> {
    if from == to {
        return picture.to_vec();
    }
    let place = |axis: usize, at: usize| (at + from[axis] / 2).checked_sub(to[axis] / 2).filter(|&at| at < from[axis]);
    let pixel = |y: usize, x: usize| Some(picture[place(0, y)? * from[1] + place(1, x)?]);
    (0..to[0]).flat_map(|y| (0..to[1]).map(move |x| pixel(y, x).unwrap_or(0.0))).collect()
}

#[cfg(test)]
mod tests {
    use super::in_the_middle;

    #[test]
    fn a_picture_lies_in_the_middle_of_a_larger_one_and_comes_back() {
        let small = [1.0, 2.0, 3.0, 4.0];
        let large = in_the_middle(&small, [2, 2], [4, 6]);
        let row = |a: f32, b: f32| [0.0, 0.0, a, b, 0.0, 0.0];
        assert_eq!(large, [row(0.0, 0.0), row(1.0, 2.0), row(3.0, 4.0), row(0.0, 0.0)].concat());
        assert_eq!(in_the_middle(&large, [4, 6], [2, 2]), small);
        assert_eq!(in_the_middle(&small, [2, 2], [2, 2]), small);
        assert_eq!(in_the_middle(&[1.0; 784], [28, 28], [36, 36]).iter().sum::<f32>(), 784.0);
    }
}
