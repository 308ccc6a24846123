//! How a pose is bent and looked at, in an address.

use super::whole;
use crate::pose::Span;

/// Dimensions of a pose.
pub const DIMENSIONS: usize = 16;

/// No dimension is bent further than this; lengths are below 1.
const MOST: f32 = 2.0;

/// How the pose in view is bent.
#[derive(Clone, Debug, PartialEq)]
pub struct Bend {
    /// What is added to each dimension, −2 to 2.
    pub offsets: [f32; DIMENSIONS],
    /// What the sliders span.
    pub span: Span,
    /// The dimension that is swept; `None`: the page's choice.
    pub dimension: Option<u8>,
}

impl Default for Bend {
    fn default() -> Self {
        Bend { offsets: [0.0; DIMENSIONS], span: Span::Deviations, dimension: None }
    }
}

impl Bend {
    /// The offsets of a page, to four decimals: more are not to be seen, and an address is to be short.
    pub fn offsets_of(offsets: &[f32]) -> [f32; DIMENSIONS] {
        std::array::from_fn(|d| kept((offsets.get(d).copied().unwrap_or(0.0) * 1e4).round() / 1e4))
    }

    /// Takes one part of an address; what is none of its own is left alone.
    pub(super) fn read(&mut self, name: &str, value: &str) {
        match name {
            // Dimensions are counted from 1, as on the page: 3:0.25,16:-0.1.
            "bend" => {
                for (dimension, offset) in value.split(',').filter_map(|one| one.split_once(':')) {
                    let place = whole(dimension, u64::MAX).and_then(|d| usize::try_from(d.checked_sub(1)?).ok());
                    let offset = offset.parse::<f32>().ok().filter(|offset| offset.is_finite());
                    if let (Some(place), Some(offset)) = (place.and_then(|d| self.offsets.get_mut(d)), offset) {
                        *place = kept(offset);
                    }
                }
            }
            "span" if value == "paper" => self.span = Span::Paper,
            "dimension" => {
                let most = DIMENSIONS as u64;
                self.dimension = whole(value, most).map(|d| d.max(1) as u8 - 1).or(self.dimension);
            }
            _ => {}
        }
    }

    /// What differs from the default.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&'static str, String)> {
        let bent = self.offsets.iter().enumerate().filter(|(_, offset)| **offset != 0.0);
        let bent: Vec<String> = bent.map(|(d, offset)| format!("{}:{offset}", d + 1)).collect();
        let bend = (!bent.is_empty()).then(|| ("bend", bent.join(",")));
        let span = (self.span == Span::Paper).then(|| ("span", "paper".to_string()));
        let dimension = self.dimension.map(|dimension| ("dimension", (dimension + 1).to_string()));
        [bend, span, dimension].into_iter().flatten()
    }
}

/// An offset within the bounds, and no negative zero: 0 is 0 to the bit.
fn kept(offset: f32) -> f32 {
    if offset == 0.0 || !offset.is_finite() { 0.0 } else { offset.clamp(-MOST, MOST) }
}
