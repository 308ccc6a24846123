//! What changes from run to run of one plan, and nothing else: one uniform block for every kernel.

use bytemuck::{Pod, Zeroable};

/// Rows of the ledger: as many training steps can be in flight before their losses are read.
pub const LEDGER_ROWS: usize = 256;

/// Columns of the ledger; see [`LedgerColumn`].
pub const LEDGER_COLUMNS: usize = 8;

/// What the columns of a ledger row sum over the images of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerColumn {
    /// Margin loss.
    Margin = 0,
    /// Reconstruction loss, already weighted.
    Reconstruction = 1,
    /// 1 where the longest capsule is the label's.
    Correct = 2,
    /// Mean entropy of the last iteration's coupling coefficients, in nats.
    Entropy = 3,
    /// 1: the number of images.
    Images = 4,
}

/// Which capsule the decoder sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// The label's: training.
    Label,
    /// The longest: reading a digit.
    Longest,
    /// This one: a person picked it.
    Class(u32),
}

/// The uniform block of every kernel. The layout is that of `shaders/shared/run.wgsl`; a test compares the two.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Run {
    /// Images present, 1 to the plan's capacity.
    pub live: u32,
    /// 1: weight gradients and the ledger's row add to what is there; 0: they replace it.
    pub accumulate: u32,
    /// Routing iterations r, at least 1.
    pub iterations: u32,
    /// [`Chosen`] as a number.
    pub chosen: u32,
    /// The ledger's row for this step.
    pub row: u32,
    /// Losses and gradients are divided by this: the images of the whole batch, over all of its chunks.
    pub total: f32,
    /// Learning rate of this step.
    pub rate: f32,
    /// 1 − β₁ᵗ.
    pub first_correction: f32,
    /// 1 − β₂ᵗ.
    pub second_correction: f32,
    /// To a multiple of 16 bytes.
    pub padding: [u32; 3],
}

impl Run {
    /// A run over `live` images with `iterations` routing iterations; no update, no accumulation.
    pub fn new(live: usize, iterations: usize, chosen: Chosen) -> Self {
        Run {
            live: live as u32,
            accumulate: 0,
            iterations: iterations as u32,
            chosen: match chosen {
                Chosen::Label => u32::MAX,
                Chosen::Longest => u32::MAX - 1,
                Chosen::Class(class) => class,
            },
            row: 0,
            total: live as f32,
            rate: 0.0,
            first_correction: 1.0,
            second_correction: 1.0,
            padding: [0; 3],
        }
    }

    /// What `chosen` says.
    pub fn choice(&self) -> Chosen {
        match self.chosen {
            u32::MAX => Chosen::Label,
            n if n == u32::MAX - 1 => Chosen::Longest,
            class => Chosen::Class(class),
        }
    }
}
