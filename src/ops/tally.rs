//! Adds up what a batch has cost, on the device: one row of the ledger for each training step, read back later, so that
//! nothing in the training loop waits.

use super::Pick;
use super::support::{Real, sum, twins};
use crate::plan::{Call, Extent, Grid, Kernel, LEDGER_COLUMNS, LEDGER_ROWS, LedgerColumn, Operation, Port};
use std::sync::Arc;

/// `tally`: margin, reconstruction, correct, entropy [B] → ledger [rows, columns], in the run's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally;

/// Specimens for the tests.
pub fn specimens(_: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    vec![Arc::new(Tally)]
}

impl Operation for Tally {
    fn name(&self) -> &'static str {
        "tally"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("margin", Extent::PerImage(1)),
            Port::read("reconstruction", Extent::PerImage(1)),
            Port::read("correct", Extent::PerImage(1)),
            Port::read("entropy", Extent::PerImage(1)),
            Port::update("ledger", Extent::Fixed(LEDGER_ROWS * LEDGER_COLUMNS)),
        ]
    }

    fn kernel(&self) -> Kernel {
        Kernel::new(self.name(), 64, Grid::line(Extent::Fixed(1), 1))
            .consts([
                ("COLUMNS", LEDGER_COLUMNS),
                ("MARGIN", LedgerColumn::Margin as usize),
                ("RECONSTRUCTION", LedgerColumn::Reconstruction as usize),
                ("CORRECT", LedgerColumn::Correct as usize),
                ("ENTROPY", LedgerColumn::Entropy as usize),
                ("IMAGES", LedgerColumn::Images as usize),
            ])
            .shares([4 * 64])
    }

    fn flops(&self, live: usize) -> u64 {
        4 * live as u64
    }

    twins!();
}

impl Tally {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (live, keep, row) = (call.live(), call.run.accumulate == 1, call.run.row as usize);
        let ([margin, reconstruction, correct, entropy], [ledger]) = call.split();
        let row = &mut ledger[row * LEDGER_COLUMNS..][..LEDGER_COLUMNS];
        if !keep {
            row.fill(T::ZERO);
        }
        row[LedgerColumn::Margin as usize] += sum(&margin[..live]);
        row[LedgerColumn::Reconstruction as usize] += sum(&reconstruction[..live]);
        row[LedgerColumn::Correct as usize] += sum(&correct[..live]);
        row[LedgerColumn::Entropy as usize] += sum(&entropy[..live]);
        row[LedgerColumn::Images as usize] += T::of(live as f64);
    }
}
