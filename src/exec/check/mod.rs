//! Compares a device with the twins, operation by operation and plan by plan: a wrong kernel names itself. The tests run
//! it natively and in browsers, and a page offers it to its user.

mod bench;
mod steps;

pub use bench::operation;
pub use steps::plan;

use super::{Device, ExecError};
use crate::ops::Real;
use crate::plan::Operation;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// The error that a kernel may have, as a part of the tensor's largest magnitude.
pub const TOLERANCE: f64 = 1e-4;

/// Devices may flush subnormal numbers to zero, and so every term of a sum. Errors of tensors below this magnitude are
/// measured against it, so that the loss of numbers below 1e-36 is within the tolerance.
const SMALLEST: f64 = 1e-32;

/// How far a tensor on the device is from the twin's.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The operation, or the step of a plan.
    pub subject: String,
    /// The tensor.
    pub tensor: String,
    /// Sizes and numbers that it was checked with.
    pub case: String,
    /// The largest difference, as a part of the twin's largest magnitude; infinite if the device made no number of it.
    pub error: f64,
}

impl Finding {
    /// Whether the device may be trusted with it.
    pub fn is_good(&self) -> bool {
        self.error <= TOLERANCE
    }
}

/// The worst finding of each subject's each tensor, in the order of their appearance.
pub fn worst(findings: &[Finding]) -> Vec<&Finding> {
    let mut worst: Vec<&Finding> = vec![];
    for finding in findings {
        match worst.iter_mut().find(|known| known.subject == finding.subject && known.tensor == finding.tensor) {
            Some(known) if known.error >= finding.error => {}
            Some(known) => *known = finding,
            None => worst.push(finding),
        }
    }
    worst
}

/// Every operation and routing procedure, in fixed shapes and in ones drawn from the seed.
pub fn specimens(seed: u64) -> Vec<Arc<dyn Operation>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    crate::specimens::all(&mut |range| random.random_range(range))
}

/// Checks all [`specimens`]: [`operation`] for each.
///
/// # Errors
/// If the device is lost or refuses something.
pub async fn operations(device: &Device, seed: u64) -> Result<Vec<Finding>, ExecError> {
    let mut findings = vec![];
    for specimen in specimens(seed) {
        findings.extend(operation(device, specimen, seed).await?);
    }
    Ok(findings)
}

/// The largest difference, as a part of the twin's largest magnitude.
fn distance<T: Real>(twin: &[T], device: &[f32]) -> f64 {
    let (mut largest, mut difference) = (SMALLEST, 0.0_f64);
    for (&a, &b) in twin.iter().zip(device) {
        let (a, b) = (a.double(), f64::from(b));
        if !b.is_finite() && a.to_bits() != b.to_bits() {
            return f64::INFINITY;
        }
        largest = largest.max(a.abs());
        difference = difference.max((a - b).abs());
    }
    difference / largest
}
