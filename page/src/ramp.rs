//! Colours for values. The stops are tokens of the style sheet; here they become tables of 256 colours.

/// Red, green and blue.
pub type Colour = [u8; 3];

/// A scale of colours from low values to high ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ramp(Box<[Colour; 256]>);

impl Ramp {
    /// Straight lines in sRGB between stops at equal distances, as a CSS gradient of the same stops draws them, so that
    /// the legend is true. Without stops: black to white.
    pub fn new(stops: &[Colour]) -> Self {
        let stops = if stops.is_empty() { &[[0; 3], [255; 3]][..] } else { stops };
        let last = stops.len() - 1;
        Ramp(Box::new(std::array::from_fn(|i| {
            let place = i as f32 / 255.0 * last as f32;
            let below = (place as usize).min(last.saturating_sub(1));
            let above = (below + 1).min(last);
            let part = place - below as f32;
            let mix = |k: usize| f32::from(stops[below][k]) * (1.0 - part) + f32::from(stops[above][k]) * part;
            std::array::from_fn(|k| mix(k).round() as u8)
        })))
    }

    /// The colour of a value between the ends of a range; what lies outside takes the end's. If all values are one, it
    /// is the low end's.
    pub fn colour(&self, value: f32, (low, high): (f32, f32)) -> Colour {
        let part = if high > low { (value - low) / (high - low) } else { 0.0 };
        // A number that is not one becomes 0 here: the low end.
        self.0[(part.clamp(0.0, 1.0) * 255.0).round() as usize]
    }

    /// Values as the four bytes a pixel that a canvas takes.
    pub fn paint(&self, values: &[f32], range: (f32, f32)) -> Vec<u8> {
        let pixel = |value: &f32| {
            let [red, green, blue] = self.colour(*value, range);
            [red, green, blue, 255]
        };
        values.iter().flat_map(pixel).collect()
    }
}

/// The colour of a style token: `#rrggbb`, or `light-dark(#rrggbb, #rrggbb)`, of which the first or the second counts.
pub fn token_colour(token: &str, dark: bool) -> Option<Colour> {
    let mut colours = token.split('#').skip(1).filter_map(|rest| {
        let digits = rest.get(..6)?;
        let channel = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        Some([channel(0)?, channel(2)?, channel(4)?])
    });
    let light = colours.next()?;
    if dark { Some(colours.next().unwrap_or(light)) } else { Some(light) }
}

/// The least and the largest value; (0, 0) if there is none.
pub fn ends(values: &[f32]) -> (f32, f32) {
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let low = finite().fold(f32::INFINITY, f32::min);
    let high = finite().fold(f32::NEG_INFINITY, f32::max);
    if low <= high { (low, high) } else { (0.0, 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_passes_through_its_stops() {
        let ramp = Ramp::new(&[[0, 0, 0], [255, 0, 0], [255, 255, 255]]);
        assert_eq!(ramp.colour(0.0, (0.0, 1.0)), [0, 0, 0]);
        assert_eq!(ramp.colour(1.0, (0.0, 1.0)), [255, 255, 255]);
        let [red, green, blue] = ramp.colour(0.5, (0.0, 1.0));
        assert!(red > 250 && green < 5 && blue < 5);
        assert_eq!(ramp.colour(0.25, (0.0, 1.0))[0], 128);
    }

    #[test]
    fn no_value_falls_off_the_ramp() {
        let ramp = Ramp::new(&[[10, 20, 30], [200, 210, 220]]);
        assert_eq!(ramp.colour(-5.0, (0.0, 1.0)), [10, 20, 30]);
        assert_eq!(ramp.colour(f32::INFINITY, (0.0, 1.0)), [200, 210, 220]);
        assert_eq!(ramp.colour(f32::NAN, (0.0, 1.0)), [10, 20, 30]);
        assert_eq!(ramp.colour(0.1, (0.1, 0.1)), [10, 20, 30]);
        assert_eq!(Ramp::new(&[[7; 3]]).colour(0.9, (0.0, 1.0)), [7; 3]);
        assert_eq!(Ramp::new(&[]).paint(&[0.0, 1.0], (0.0, 1.0)), [0, 0, 0, 255, 255, 255, 255, 255]);
    }

    #[test]
    fn tokens_hold_one_colour_or_two() {
        assert_eq!(token_colour(" #102030", true), Some([16, 32, 48]));
        assert_eq!(token_colour("light-dark(#ffffff, #000000)", false), Some([255; 3]));
        assert_eq!(token_colour("light-dark(#ffffff, #000000)", true), Some([0; 3]));
        assert_eq!(
            (token_colour("red", false), token_colour("#12", false), token_colour("#äöüx", true)),
            (None, None, None)
        );
    }

    #[test]
    fn ends_are_the_datas() {
        assert_eq!(ends(&[0.3, 0.1, f32::NAN, 0.7]), (0.1, 0.7));
        assert_eq!(ends(&[]), (0.0, 0.0));
    }
}
