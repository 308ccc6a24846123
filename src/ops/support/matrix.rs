//! Matrix products through the `gemm` crate.

use super::Real;

/// A read-only matrix in somebody's slice.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a, T> {
    data: &'a [T],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a, T> Matrix<'a, T> {
    /// Rows one after another.
    pub(crate) fn rows(data: &'a [T], rows: usize, columns: usize) -> Self {
        Matrix::strided(data, [rows, columns], [columns, 1])
    }

    /// Element (r, c) at r·strides[0] + c·strides[1].
    pub(crate) fn strided(data: &'a [T], [rows, columns]: [usize; 2], [row_stride, column_stride]: [usize; 2]) -> Self {
        assert_inside(data.len(), [rows, columns], [row_stride, column_stride]);
        Matrix { data, rows, columns, row_stride, column_stride }
    }

    /// Rows and columns exchanged.
    pub(crate) fn transposed(self) -> Self {
        Matrix {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }
}

fn assert_inside(length: usize, extents: [usize; 2], strides: [usize; 2]) {
    let last: usize = extents.iter().zip(strides).map(|(&n, stride)| n.saturating_sub(1) * stride).sum();
    assert!(
        extents.contains(&0) || last < length,
        "a {extents:?} matrix with strides {strides:?} in {length} elements"
    );
}

/// `out = keep · out + scale · left · right`, where `out` has the given strides and `keep` is 0 or 1.
///
/// `cores`: whether to use all of them; from within a parallel loop, don't. The product splits rows and columns over
/// threads, never the sum, so the result does not depend on their number.
pub(crate) fn multiply<T: Real>(
    out: &mut [T],
    strides: [usize; 2],
    keep: bool,
    scale: T,
    left: Matrix<'_, T>,
    right: Matrix<'_, T>,
    cores: bool,
) {
    assert_eq!(left.columns, right.rows);
    assert_inside(out.len(), [left.rows, right.columns], strides);
    if left.columns == 0 {
        return;
    }
    // SAFETY: all three matrices lie within their slices (asserted above and on construction), and `out` is borrowed
    // mutably, so it cannot overlap the others.
    unsafe {
        gemm::gemm(
            left.rows,
            right.columns,
            left.columns,
            out.as_mut_ptr(),
            strides[1] as isize,
            strides[0] as isize,
            keep,
            left.data.as_ptr(),
            left.column_stride as isize,
            left.row_stride as isize,
            right.data.as_ptr(),
            right.column_stride as isize,
            right.row_stride as isize,
            T::ONE,
            scale,
            false,
            false,
            false,
            parallelism(cores),
        );
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn parallelism(cores: bool) -> gemm::Parallelism {
    if cores { gemm::Parallelism::Rayon(0) } else { gemm::Parallelism::None }
}

#[cfg(target_arch = "wasm32")]
fn parallelism(_cores: bool) -> gemm::Parallelism {
    gemm::Parallelism::None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_agrees_with_the_definition_for_odd_sizes_and_strides() {
        let (m, n, k) = (7, 5, 11);
        let a: Vec<f64> = (0..m * k).map(|i| (i % 13) as f64 - 6.0).collect();
        let b: Vec<f64> = (0..n * k).map(|i| (i % 7) as f64 - 3.0).collect();
        let mut out = vec![1.0; m * n];
        // `b` holds the right factor transposed, `out` is filled column by column.
        multiply(&mut out, [1, m], true, 2.0, Matrix::rows(&a, m, k), Matrix::rows(&b, n, k).transposed(), true);
        for i in 0..m {
            for j in 0..n {
                let sum: f64 = (0..k).map(|l| a[i * k + l] * b[j * k + l]).sum();
                assert_eq!(out[j * m + i], 1.0 + 2.0 * sum);
            }
        }
    }
}
