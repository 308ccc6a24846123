//! The second of two overlapping digits, in an address.

use super::{TEST_DIGITS, whole};
use crate::overlap::MOST_SHIFT;

/// A test digit laid over the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Second {
    /// Its place among the test digits.
    pub digit: u32,
    /// How far it is moved right and down.
    pub shift: (i8, i8),
}

impl Second {
    /// Of `42`, or with a shift `42,3,-1`.
    pub(super) fn read(value: &str) -> Option<Self> {
        let mut parts = value.split(',');
        let digit = whole(parts.next()?, u64::from(TEST_DIGITS) - 1)? as u32;
        let mut shift = || {
            let given = parts.next().and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
            given.clamp((-MOST_SHIFT).into(), MOST_SHIFT.into()) as i8
        };
        Some(Second { digit, shift: (shift(), shift()) })
    }

    /// As it is read.
    pub(super) fn text(self) -> String {
        match self.shift {
            (0, 0) => self.digit.to_string(),
            (right, down) => format!("{},{right},{down}", self.digit),
        }
    }
}
