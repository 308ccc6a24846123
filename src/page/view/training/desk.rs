//! What the training panel knows beside the status and the curves.

use crate::protocol::Keeping;
use leptos::prelude::*;

/// Signals of the training panel.
#[derive(Clone, Copy)]
pub struct Desk {
    /// Whether training survives the page.
    pub keeping: RwSignal<Option<Keeping>>,
}

impl Desk {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Desk { keeping: RwSignal::new(None) }
    }
}
