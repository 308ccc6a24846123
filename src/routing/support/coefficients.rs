//! The coupling coefficients of the procedures that iterate as dynamic routing does.

use super::Problem;
use crate::ops::support::{Real, dot, scale, softmax_in_place};

/// How a child's coefficients come from the agreement of its votes with the parents, b_ij = û_ij · Σ v_j.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coefficients {
    /// Softmax over the parents.
    #[default]
    Softmax,
    /// Softmax over the parents and one more, of logit 0, that nobody sees.
    Leaky,
    /// 1/J whatever agrees.
    Uniform,
    /// Random shares that never change: of parent j in child i the hash of i·J + j, scaled so that a child's sum is 1.
    Random,
}

impl Coefficients {
    /// The number that the shader knows it by.
    pub(in crate::routing) fn code(self) -> usize {
        match self {
            Coefficients::Softmax => 0,
            Coefficients::Leaky => 1,
            Coefficients::Uniform => 2,
            Coefficients::Random => 3,
        }
    }

    /// Whether agreement changes them.
    pub fn agree(self) -> bool {
        matches!(self, Coefficients::Softmax | Coefficients::Leaky)
    }
}

/// A number above 0 and below 1 for a place, the same on every machine: 24 bits of the hash PCG-RXS-M-XS (O'Neill 2014).
fn share<T: Real>(place: u32) -> T {
    let state = place.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    let hash = (word >> 22) ^ word;
    T::of((f64::from(hash >> 8) + 0.5) / f64::from(1 << 24))
}

/// Logits to coefficients, eˣ / (1 + Σ eˣ), shifted so that nothing overflows.
#[inline(always)]
fn leaky_softmax_in_place<T: Real>(logits: &mut [T]) {
    let largest = logits.iter().copied().fold(T::ZERO, T::max);
    logits.iter_mut().for_each(|x| *x = (*x - largest).exp());
    let leak = (-largest).exp();
    scale(logits, T::ONE / (leak + logits.iter().copied().sum()));
}

impl Problem {
    /// One child's coupling coefficients, from Σ v over the earlier iterations.
    #[inline(always)]
    pub(in crate::routing) fn couple<T: Real>(&self, child: usize, vote: &[T], agreed: &[T], c: &mut [T]) {
        if self.coefficients.agree() {
            let votes = vote.chunks_exact(self.dims).zip(agreed.chunks_exact(self.dims));
            for (c, (vote, agreed)) in c.iter_mut().zip(votes) {
                *c = dot(vote, agreed);
            }
        }
        match self.coefficients {
            Coefficients::Softmax => softmax_in_place(c),
            Coefficients::Leaky => leaky_softmax_in_place(c),
            Coefficients::Uniform => c.fill(T::ONE / T::of(self.parents as f64)),
            Coefficients::Random => {
                for (parent, c) in c.iter_mut().enumerate() {
                    *c = share((child * self.parents + parent) as u32);
                }
                scale(c, T::ONE / c.iter().copied().sum());
            }
        }
    }

    /// Coefficients before anything agrees, where they are the same for every child.
    #[inline(always)]
    pub(in crate::routing) fn couple_at_first<T: Real>(&self) -> Vec<T> {
        let parents = self.parents + usize::from(self.coefficients == Coefficients::Leaky);
        vec![T::ONE / T::of(parents as f64); self.parents]
    }

    /// Whether a child's coefficients in this iteration (from 0) are its own.
    #[inline(always)]
    pub(in crate::routing) fn couples_at(&self, iteration: usize) -> bool {
        match self.coefficients {
            Coefficients::Softmax | Coefficients::Leaky => iteration > 0,
            Coefficients::Uniform => false,
            Coefficients::Random => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leak_takes_the_rest_and_survives_huge_logits() {
        let mut c = [0.0_f64, 2.0_f64.ln(), 4.0_f64.ln()];
        leaky_softmax_in_place(&mut c);
        assert!(c.iter().zip([0.125, 0.25, 0.5]).all(|(c, want)| (c - want).abs() < 1e-15), "{c:?}");
        let mut c = [1e30_f32, -1e30];
        leaky_softmax_in_place(&mut c);
        assert!(c[0] == 1.0 && c[1] < 1e-37, "{c:?}");
        let mut c = [-1e30_f32; 3];
        leaky_softmax_in_place(&mut c);
        assert!(c.iter().all(|&c| c < 1e-37), "{c:?}");
    }

    #[test]
    fn random_shares_fill_the_interval_and_never_change() {
        let shares: Vec<f64> = (0..10_000).map(share).collect();
        let mean = shares.iter().sum::<f64>() / 1e4;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
        assert!(shares.iter().all(|&x| 0.0 < x && x < 1.0));
        for tenth in 0..10 {
            let count = shares.iter().filter(|&&x| (x * 10.0) as usize == tenth).count();
            assert!((900..1100).contains(&count), "{count} of 10 000 in a tenth");
        }
    }
}
