//! What one position of a layer sees of the input.

use crate::ops::conv::Convolution;

/// A square of the input: position (y, x) of the layer sees `size` rows from y·`stride` and as many columns from
/// x·`stride`. Valid convolutions never look beyond the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceptiveField {
    /// Rows and columns.
    pub size: usize,
    /// Pixels from one position to the next.
    pub stride: usize,
}

impl ReceptiveField {
    /// The field of the last of these layers, which stand on one another from bottom to top. Each kernel widens it by
    /// (kernel − 1) steps of the layers below, and each stride lengthens those steps.
    pub fn of(layers: &[Convolution]) -> Self {
        layers.iter().fold(ReceptiveField { size: 1, stride: 1 }, |below, layer| ReceptiveField {
            size: below.size + (layer.kernel - 1) * below.stride,
            stride: below.stride * layer.stride,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capsnet::Preset;

    /// The pixels along one axis that a position of the last layer depends on, by following every kernel down.
    fn seen(layers: &[Convolution], position: usize) -> Vec<usize> {
        let mut seen = vec![position];
        for layer in layers.iter().rev() {
            seen = seen.iter().flat_map(|p| (0..layer.kernel).map(move |k| p * layer.stride + k)).collect();
            seen.sort_unstable();
            seen.dedup();
        }
        seen
    }

    #[test]
    fn a_field_is_what_following_the_kernels_down_gives() {
        for preset in Preset::ALL {
            let config = preset.config();
            let layers = [config.conv1_shape(), config.primary_shape()];
            for depth in 0..=2 {
                let layers = &layers[..depth];
                let field = ReceptiveField::of(layers);
                let positions = layers.last().map_or(config.width, Convolution::width_out);
                for position in 0..positions {
                    let start = position * field.stride;
                    let pixels: Vec<usize> = (start..start + field.size).collect();
                    assert_eq!(seen(layers, position), pixels, "{preset:?}, {depth} layers, position {position}");
                    assert!(start + field.size <= config.width);
                }
            }
        }
    }

    #[test]
    fn a_primary_capsule_of_the_paper_sees_17_pixels_each_way() {
        let config = Preset::Paper.config();
        let field = ReceptiveField::of(&[config.conv1_shape(), config.primary_shape()]);
        assert_eq!(field, ReceptiveField { size: 17, stride: 2 });
    }
}
