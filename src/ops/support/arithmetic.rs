//! Short loops over contiguous numbers, written so that the compiler turns them into vector instructions.

use super::Real;

/// Runs `work(arguments)` compiled for the best instruction set of this processor. `work` has to be the name of a function
/// that is `#[inline(always)]`, as all that is hot in it: a closure would be compiled by itself, for any processor, and
/// called from here. Those that capture something do not compile.
#[inline(always)]
pub(crate) fn vectorised<A, R, F: FnOnce(A) -> R>(work: F, arguments: A) -> R {
    const { assert!(size_of::<F>() == 0, "a closure is not compiled for this processor's instruction set") };
    struct Work<F, A>(F, A);
    impl<A, R, F: FnOnce(A) -> R> pulp::NullaryFnOnce for Work<F, A> {
        type Output = R;
        #[inline(always)]
        fn call(self) -> R {
            (self.0)(self.1)
        }
    }
    pulp::Arch::new().dispatch(Work(work, arguments))
}

/// Partial sums that run side by side: rounding does not depend on the instruction set, since the order is fixed.
const LANES: usize = 8;

/// Σ aₖ bₖ.
#[inline(always)]
pub(crate) fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    let mut lanes = [T::ZERO; LANES];
    for (x, y) in a_lanes.iter().zip(b_lanes) {
        for k in 0..LANES {
            lanes[k] += x[k] * y[k];
        }
    }
    let rest: T = a_rest.iter().zip(b_rest).map(|(&x, &y)| x * y).sum();
    fold(lanes) + rest
}

/// ‖a‖.
#[inline(always)]
pub(crate) fn norm<T: Real>(a: &[T]) -> T {
    dot(a, a).sqrt()
}

/// −Σ cₖ ln cₖ of coefficients, in nats; 0 ln 0 = 0.
#[inline(always)]
pub(crate) fn entropy<T: Real>(c: &[T]) -> T {
    c.iter().map(|&c| if c > T::ZERO { -c * c.ln() } else { T::ZERO }).sum()
}

/// Σ aₖ.
#[inline(always)]
pub(crate) fn sum<T: Real>(a: &[T]) -> T {
    let (chunks, rest) = a.as_chunks::<LANES>();
    let mut lanes = [T::ZERO; LANES];
    for x in chunks {
        for k in 0..LANES {
            lanes[k] += x[k];
        }
    }
    fold(lanes) + rest.iter().copied().sum()
}

#[inline(always)]
fn fold<T: Real>(l: [T; LANES]) -> T {
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

/// y += a x.
#[inline(always)]
pub(crate) fn add_scaled<T: Real>(y: &mut [T], a: T, x: &[T]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// x *= a.
#[inline(always)]
pub(crate) fn scale<T: Real>(x: &mut [T], a: T) {
    for x in x {
        *x *= a;
    }
}

/// Logits to coefficients: eˣ / Σ eˣ, shifted by the largest so that nothing overflows.
#[inline(always)]
pub(crate) fn softmax_in_place<T: Real>(x: &mut [T]) {
    let largest = x.iter().copied().reduce(T::max).unwrap_or(T::ZERO);
    for x in x.iter_mut() {
        *x = (*x - largest).exp();
    }
    scale(x, T::ONE / x.iter().copied().sum());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_take_every_element() {
        for length in 0..40 {
            let a: Vec<f64> = (0..length).map(|k| 1.0 + k as f64).collect();
            let b: Vec<f64> = a.iter().map(|x| 2.0 * x).collect();
            let n = length as f64;
            assert_eq!(sum(&a), n * (n + 1.0) / 2.0);
            assert_eq!(dot(&a, &b), n * (n + 1.0) * (2.0 * n + 1.0) / 3.0);
        }
    }

    #[test]
    fn softmax_survives_huge_logits() {
        let mut x = [1e30_f32, 1e30, -1e30];
        softmax_in_place(&mut x);
        assert_eq!(x, [0.5, 0.5, 0.0_f32.max(x[2])]);
        assert!(x[2] < 1e-37);
    }
}
