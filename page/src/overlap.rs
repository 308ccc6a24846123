//! Two digits over each other: the picture that is read, and two reconstructions laid over it in two colours.

use super::ramp::Colour;

/// How far the second digit can be moved each way, in pixels; the paper's pairs are.
pub const MOST_SHIFT: i8 = 4;

/// How bright the input shows below the reconstructions.
const BELOW: f32 = 0.3;

/// Both digits, rows of `side` pixels, the second one moved right by `shift.0` and down by `shift.1`: pixels added and cut
/// at 1.
pub fn overlaid(first: &[f32], second: &[f32], side: usize, shift: (i8, i8)) -> Vec<f32> {
    let source = |at: usize, shift: i8| at.checked_add_signed(-isize::from(shift)).filter(|&at| at < side);
    let moved = |at: usize| {
        let (x, y) = (source(at % side, shift.0)?, source(at / side, shift.1)?);
        second.get(y * side + x).copied()
    };
    first.iter().enumerate().map(|(at, first)| (first + moved(at).unwrap_or(0.0)).min(1.0)).collect()
}

/// Two pictures in two colours over a third in grey, on black; the light of all three adds up. Four bytes a pixel, as a
/// canvas takes them.
pub fn in_two_colours(input: &[f32], pictures: [&[f32]; 2], colours: [Colour; 2]) -> Vec<u8> {
    let channel = |at: usize, k: usize| {
        let light = pictures
            .iter()
            .zip(colours)
            .map(|(picture, colour)| picture.get(at).copied().unwrap_or(0.0) * f32::from(colour[k]));
        (light.sum::<f32>() + BELOW * 255.0 * input[at]).round() as u8
    };
    (0..input.len()).flat_map(|at| [channel(at, 0), channel(at, 1), channel(at, 2), 255]).collect()
}

/// The two longest of ten, the longest first; of equals the first comes first. `None` of fewer than two.
pub fn two_longest(lengths: &[f32]) -> Option<[u8; 2]> {
    let mut classes: Vec<usize> = (0..lengths.len()).collect();
    classes.sort_by(|&a, &b| lengths[b].total_cmp(&lengths[a]));
    Some([*classes.first()? as u8, *classes.get(1)? as u8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_added_and_cut_and_what_leaves_the_picture_is_gone() {
        let (first, second) = ([0.0, 0.5, 0.0, 1.0], [0.25, 0.75, 0.0, 0.5]);
        assert_eq!(overlaid(&first, &second, 2, (0, 0)), [0.25, 1.0, 0.0, 1.0]);
        assert_eq!(overlaid(&first, &second, 2, (1, 0)), [0.0, 0.75, 0.0, 1.0]);
        assert_eq!(overlaid(&first, &second, 2, (0, -1)), [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(overlaid(&first, &second, 2, (2, 0)), first);
        assert_eq!(overlaid(&first, &[], 2, (0, 0)), first);
    }

    #[test]
    fn light_adds_up_on_black() {
        let colours = [[230, 159, 0], [86, 180, 233]];
        let bytes = in_two_colours(&[0.0, 0.0, 1.0, 1.0], [&[0.0, 1.0, 0.0, 1.0], &[0.0, 0.0, 0.0, 1.0]], colours);
        assert_eq!(bytes[..4], [0, 0, 0, 255]);
        assert_eq!(bytes[4..8], [230, 159, 0, 255]);
        assert_eq!(bytes[8..12], [77, 77, 77, 255], "the input by itself is dim");
        assert_eq!(bytes[12..], [255, 255, 255, 255]);
    }

    #[test]
    fn the_two_longest_are_named_in_order() {
        assert_eq!(two_longest(&[0.1, 0.9, 0.3, 0.9]), Some([1, 3]));
        assert_eq!(two_longest(&[0.1, 0.2]), Some([1, 0]));
        assert_eq!(two_longest(&[0.5]), None);
    }
}
