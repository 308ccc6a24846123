//! Principal axes: the plane in which points of many dimensions spread most.

/// A plane through the points' centre, spanned by the two axes along which they vary most.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    /// Mean of the points.
    pub centre: Vec<f32>,
    /// Two unit vectors at right angles.
    pub axes: [Vec<f32>; 2],
    /// The share of all variance along each; 0 where the points do not vary at all.
    pub shares: [f32; 2],
}

impl Plane {
    /// The plane of points of `dims` numbers each, one after another. An axis has no direction of its own: the first
    /// points to where `towards` lies, the second so that its largest number is positive. `None` without points, or
    /// with fewer than two dimensions.
    pub fn of(points: &[f32], dims: usize, towards: &[f32]) -> Option<Self> {
        if dims < 2 || points.len() < dims || towards.len() != dims {
            return None;
        }
        let count = (points.len() / dims) as f64;
        let mut centre = vec![0.0; dims];
        for point in points.chunks_exact(dims) {
            centre.iter_mut().zip(point).for_each(|(sum, x)| *sum += f64::from(*x) / count);
        }
        let mut covariance = vec![0.0; dims * dims];
        let mut from_centre = vec![0.0; dims];
        for point in points.chunks_exact(dims) {
            from_centre.iter_mut().zip(point).zip(&centre).for_each(|((d, x), c)| *d = f64::from(*x) - c);
            for row in 0..dims {
                for column in 0..=row {
                    covariance[row * dims + column] += from_centre[row] * from_centre[column] / count;
                }
            }
        }
        for row in 0..dims {
            for column in row + 1..dims {
                covariance[row * dims + column] = covariance[column * dims + row];
            }
        }
        let all: f64 = (0..dims).map(|k| covariance[k * dims + k]).sum();
        let pairs = eigenpairs(covariance, dims);
        let share = |k: usize| if all > 0.0 { (pairs[k].0.max(0.0) / all) as f32 } else { 0.0 };
        let ahead: f64 = (0..dims).map(|k| pairs[0].1[k] * (f64::from(towards[k]) - centre[k])).sum();
        let largest = pairs[1].1.iter().copied().reduce(|a, b| if b.abs() > a.abs() { b } else { a }).unwrap_or(0.0);
        let axis = |k: usize, turned: bool| -> Vec<f32> {
            pairs[k].1.iter().map(|x| if turned { -x as f32 } else { *x as f32 }).collect()
        };
        Some(Plane {
            axes: [axis(0, ahead < 0.0), axis(1, largest < 0.0)],
            shares: [share(0), share(1)],
            centre: centre.iter().map(|c| *c as f32).collect(),
        })
    }

    /// Where a point lies in the plane, measured from the centre.
    pub fn place(&self, point: &[f32]) -> (f32, f32) {
        let along = |axis: &[f32]| axis.iter().zip(point).zip(&self.centre).map(|((a, x), c)| a * (x - c)).sum();
        (along(&self.axes[0]), along(&self.axes[1]))
    }
}

/// Eigenvalues with their unit eigenvectors of a symmetric matrix, largest first, by Jacobi's rotations: each turns one
/// pair of axes so that the number between them becomes zero.
fn eigenpairs(mut matrix: Vec<f64>, n: usize) -> Vec<(f64, Vec<f64>)> {
    /// Sweeps over all pairs; convergence is quadratic, and six are enough for 16 dimensions in double precision.
    const SWEEPS: usize = 30;
    let mut vectors = vec![0.0; n * n];
    (0..n).for_each(|k| vectors[k * n + k] = 1.0);
    let scale: f64 = matrix.iter().map(|x| x * x).sum();
    for _ in 0..SWEEPS {
        let pairs = || (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q)));
        let off: f64 = pairs().map(|(p, q)| matrix[p * n + q].powi(2)).sum();
        if off <= 1e-26 * scale {
            break;
        }
        for (p, q) in pairs() {
            rotate(&mut matrix, &mut vectors, n, p, q);
        }
    }
    let column = |k: usize| (0..n).map(|row| vectors[row * n + k]).collect();
    let mut all: Vec<(f64, Vec<f64>)> = (0..n).map(|k| (matrix[k * n + k], column(k))).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all
}

/// Turns axes p and q so that matrix[p, q] becomes zero.
fn rotate(matrix: &mut [f64], vectors: &mut [f64], n: usize, p: usize, q: usize) {
    let between = matrix[p * n + q];
    if between == 0.0 {
        return;
    }
    let ratio = (matrix[q * n + q] - matrix[p * n + p]) / (2.0 * between);
    let tangent = 1.0_f64.copysign(ratio) / (ratio.abs() + libm::sqrt(ratio * ratio + 1.0));
    let cosine = 1.0 / libm::sqrt(tangent * tangent + 1.0);
    let sine = tangent * cosine;
    let turn = |values: &mut [f64], a: usize, b: usize| {
        let (x, y) = (values[a], values[b]);
        (values[a], values[b]) = (cosine * x - sine * y, sine * x + cosine * y);
    };
    for k in 0..n {
        turn(matrix, k * n + p, k * n + q);
        turn(vectors, k * n + p, k * n + q);
    }
    for k in 0..n {
        turn(matrix, p * n + k, q * n + k);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_of_known_eigenvalues() {
        // [[2, 1], [1, 2]] has 3 along (1, 1) and 1 along (1, −1).
        let pairs = eigenpairs(vec![2.0, 1.0, 1.0, 2.0], 2);
        assert!((pairs[0].0 - 3.0).abs() < 1e-12 && (pairs[1].0 - 1.0).abs() < 1e-12);
        assert!((pairs[0].1[0] - pairs[0].1[1]).abs() < 1e-12 && (pairs[1].1[0] + pairs[1].1[1]).abs() < 1e-12);
        // The second difference: 2 − 2 cos(kπ/(n+1)).
        let n = 7;
        let at = |r: usize, c: usize| {
            if r == c {
                2.0
            } else if r.abs_diff(c) == 1 {
                -1.0
            } else {
                0.0
            }
        };
        let pairs = eigenpairs((0..n * n).map(|k| at(k / n, k % n)).collect(), n);
        for (k, (value, vector)) in pairs.iter().enumerate() {
            let known = 2.0 - 2.0 * (std::f64::consts::PI * (n - k) as f64 / (n + 1) as f64).cos();
            assert!((value - known).abs() < 1e-12, "{value} {known}");
            for r in 0..n {
                let image: f64 = (0..n).map(|c| at(r, c) * vector[c]).sum();
                assert!((image - value * vector[r]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_axes_of_a_known_cloud() {
        // Along (3, 4, 0)/5 with variance 4·2/3, along (0, 0, 1) with 2/3·(1/4), around (1, 2, 3).
        let mut points = vec![];
        for a in [-2.0_f32, 0.0, 2.0] {
            for b in [-0.5_f32, 0.0, 0.5] {
                points.extend([1.0 + 0.6 * a, 2.0 + 0.8 * a, 3.0 + b]);
            }
        }
        let plane = Plane::of(&points, 3, &[0.0, 0.0, 0.0]).expect("nine points");
        let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(near(&plane.centre, &[1.0, 2.0, 3.0]));
        // The origin lies at the far side of (3, 4, 0): the first axis points there.
        assert!(near(&plane.axes[0], &[-0.6, -0.8, 0.0]) && near(&plane.axes[1], &[0.0, 0.0, 1.0]));
        assert!(near(&plane.shares, &[16.0 / 17.0, 1.0 / 17.0]));
        let (x, y) = plane.place(&[1.6, 2.8, 3.5]);
        assert!((x + 1.0).abs() < 1e-6 && (y - 0.5).abs() < 1e-6);
    }

    #[test]
    fn points_that_do_not_vary_have_no_share_and_too_few_have_no_plane() {
        let plane = Plane::of(&[1.0, 1.0, 1.0, 1.0], 2, &[0.0, 0.0]).expect("two points");
        assert_eq!((plane.shares, plane.place(&[1.0, 1.0])), ([0.0; 2], (0.0, 0.0)));
        assert_eq!(Plane::of(&[], 16, &[0.0; 16]), None);
        assert_eq!(Plane::of(&[1.0, 2.0], 1, &[0.0]), None);
    }
}
