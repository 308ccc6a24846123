//! What the training panel knows beside the status and the curves.

use capscope_protocol::{BatchPictures, DataStatus, Evaluation, Keeping, SlowMotion};
use leptos::prelude::*;

/// Signals of the training panel.
#[derive(Clone, Copy)]
pub struct Desk {
    /// Whether training survives the page.
    pub keeping: RwSignal<Option<Keeping>>,
    /// The phases of the step in slow motion so far.
    pub phases: RwSignal<Vec<SlowMotion>>,
    /// Pictures of the batch of the last step.
    pub batch: RwSignal<Option<BatchPictures>>,
    /// The last test of all images, of whichever network.
    pub tested: RwSignal<Option<Evaluation>>,
    /// A cell of its confusion matrix that was picked: label and reading.
    pub picked: RwSignal<Option<(u8, u8)>>,
    /// What is trained on; `None`: MNIST.
    pub data: RwSignal<Option<DataStatus>>,
}

impl Desk {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Desk {
            keeping: RwSignal::new(None),
            phases: RwSignal::new(Vec::new()),
            batch: RwSignal::new(None),
            tested: RwSignal::new(None),
            picked: RwSignal::new(None),
            data: RwSignal::new(None),
        }
    }

    /// Takes a phase in slow motion, or its end.
    pub fn take_phase(&self, motion: Option<SlowMotion>) {
        self.phases.update(|phases| match motion {
            Some(motion) => {
                phases.truncate(motion.index as usize);
                phases.push(motion);
            }
            None => phases.clear(),
        });
    }
}
