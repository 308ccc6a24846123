//! When training has stopped to help.

/// Epochs without a better test after which training stops by itself.
pub const PATIENCE_EPOCHS: u64 = 5;

/// Whether tests on held-out images show a plateau: over the last `window` steps, all of them trained since step `since`,
/// no test was better than the best one before. `tests` are steps and images read right, oldest first.
pub fn is_plateau(tests: &[(u64, u32)], window: u64, since: u64) -> bool {
    let Some(&(last, _)) = tests.last() else { return false };
    let Some(start) = last.checked_sub(window).filter(|&start| start >= since) else { return false };
    let (before, after) = tests.split_at(tests.partition_point(|&(step, _)| step <= start));
    let best = |tests: &[(u64, u32)]| tests.iter().map(|&(_, correct)| correct).max();
    best(before).is_some_and(|before| best(after).is_some_and(|after| after <= before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_epochs_without_a_better_test_are_a_plateau() {
        let rising: Vec<(u64, u32)> = (1..9).map(|k| (k * 10, 9000 + k as u32)).collect();
        assert!(!is_plateau(&rising, 50, 0));
        let flat = [(10, 9000), (20, 9100), (30, 9100), (40, 9050), (50, 9099), (60, 9100), (70, 9001)];
        assert!(!is_plateau(&flat[..6], 50, 0), "the test at 20 is within the last 50 steps");
        assert!(is_plateau(&flat, 50, 0));
        assert!(is_plateau(&flat, 50, 20));
        assert!(!is_plateau(&flat, 50, 21), "who goes on after a plateau has as long again");
        assert!(!is_plateau(&[], 50, 0) && !is_plateau(&[(10, 1)], 50, 0));
    }
}
