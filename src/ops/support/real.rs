//! The two precisions of the twins: f32 runs networks, f64 checks gradients beyond float noise.

use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// f32 or f64.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Sum
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// The nearest value of this precision.
    fn of(value: f64) -> Self;
    /// The exact value in double precision.
    fn double(self) -> f64;
    /// √x.
    fn sqrt(self) -> Self;
    /// eˣ. In single precision a polynomial that vectorises, within 2 units in the last place.
    fn exp(self) -> Self;
    /// ln x.
    fn ln(self) -> Self;

    /// x·y + z, in one instruction where code is [vectorised](super::vectorised) for a processor that has it.
    fn multiply_add(self, factor: Self, summand: Self) -> Self;

    /// The larger of two; no number if `self` is none, so that a network that broke does not look like one without loss.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
    /// A class or count stored as a number.
    #[inline(always)]
    fn index(self) -> usize {
        self.double() as usize
    }
}

impl Real for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    #[inline(always)]
    fn multiply_add(self, factor: Self, summand: Self) -> Self {
        // WebAssembly has no such instruction, and would call a slow function for it.
        if cfg!(target_arch = "wasm32") { self * factor + summand } else { f32::mul_add(self, factor, summand) }
    }

    #[inline(always)]
    fn of(value: f64) -> Self {
        value as f32
    }
    #[inline(always)]
    fn double(self) -> f64 {
        self.into()
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }
    /// Cephes' expf (S. Moshier): x = k ln 2 + y, then a polynomial of degree 5 in y ∈ [−½ ln 2, ½ ln 2].
    #[inline(always)]
    fn exp(self) -> Self {
        // Beyond these the result is not a normal number; the clamps keep 2ᵏ one.
        let x = self.clamp(-87.3, 88.0);
        let k = (x * std::f32::consts::LOG2_E + 0.5).floor();
        // ln 2 in two parts, so that the subtraction is exact.
        let y = x - k * 0.693_359_4 + k * 2.121_944_4e-4;
        let polynomial =
            ((((1.987_569_1e-4 * y + 1.398_2e-3) * y + 8.333_452e-3) * y + 4.166_579_6e-2) * y + 1.666_666_5e-1) * y
                + 0.5;
        let mantissa = polynomial * y * y + y + 1.0;
        mantissa * f32::from_bits(((k as i32 + 127) << 23) as u32)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        libm::logf(self)
    }
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    #[inline(always)]
    fn multiply_add(self, factor: Self, summand: Self) -> Self {
        // WebAssembly has no such instruction, and would call a slow function for it.
        if cfg!(target_arch = "wasm32") { self * factor + summand } else { f64::mul_add(self, factor, summand) }
    }

    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn double(self) -> f64 {
        self
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        libm::exp(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        libm::log(self)
    }
}

#[cfg(test)]
mod tests {
    use super::Real;

    #[test]
    fn single_precision_exponential_is_within_two_units_in_the_last_place() {
        let mut worst = 0.0_f64;
        for i in -870_000..880_000 {
            let x = i as f32 * 1e-4;
            let exact = f64::exp(x.into());
            worst = worst.max((f64::from(Real::exp(x)) - exact).abs() / exact);
        }
        println!("exp: worst relative error {worst:.2e} over [-87, 88]");
        assert!(worst < 2.0 * f64::from(f32::EPSILON), "{worst:e}");
        assert_eq!(Real::exp(0.0_f32), 1.0);
    }
}
