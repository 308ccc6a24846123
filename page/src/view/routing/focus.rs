//! What the routing panel's pictures have in common: the digit capsule and the primary capsule that they show.

use crate::geometry::Grid;
use crate::view::browser::follow;
use crate::view::explore::class_in_view;
use crate::view::session::Session;
use crate::{account, readout};
use capscope_protocol::{Reading, Votes};
use leptos::prelude::*;
use std::sync::Arc;

/// Why a primary capsule is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// The pointer or the cursor is on it.
    Hovered,
    /// It was picked.
    Pinned,
    /// It couples most with the digit in view.
    Closest,
}

/// What is in view.
#[derive(Clone, Copy)]
pub struct Focus {
    /// The session.
    pub session: Session,
    /// The digit capsule.
    pub class: Memo<Option<u8>>,
    /// The primary capsules.
    pub grid: Memo<Grid>,
    /// The primary capsule, and why it is that one.
    pub capsule: Memo<Option<(u32, Because)>>,
    /// The place between iterations: it follows the scrubber.
    pub place: Signal<f64>,
    /// The votes for the digit capsule in view, if they have come.
    pub votes: Memo<Option<Arc<Votes>>>,
}

impl Focus {
    /// What is in view of a session.
    pub fn of(session: Session) -> Self {
        let chosen = session.chosen;
        let class = Memo::new(move |_| class_in_view(session));
        let capsule = Memo::new(move |_| {
            if let Some(hovered) = chosen.hovered.get() {
                return Some((hovered, Because::Hovered));
            }
            if let Some(pinned) = chosen.pinned.get() {
                return Some((pinned, Because::Pinned));
            }
            let (reading, class) = (session.reading.get()?, class.get()?);
            // The last iteration's, so that it stays the same capsule while the iterations pass.
            Some((readout::closest_child(&reading, reading.iterations, class), Because::Closest))
        });
        let votes = Memo::new(move |_| {
            let (votes, reading, class) = (session.votes.get()?, session.reading.get()?, class.get()?);
            (votes.class == class && account::fits(&votes, &reading)).then_some(votes)
        });
        Focus {
            session,
            class,
            grid: Memo::new(move |_| grid(session)),
            capsule,
            place: follow(Signal::derive(move || f64::from(chosen.iteration.get()))),
            votes,
        }
    }

    /// The reading and the iteration shown, 1 to r.
    pub fn reading(&self) -> Option<(Arc<Reading>, u8)> {
        let reading = self.session.reading.get()?;
        let iteration = self.session.chosen.iteration.get().clamp(1, reading.iterations);
        Some((reading, iteration))
    }

    /// Pins a primary capsule, or lets it go if it is the pinned one.
    pub fn pin(&self, capsule: Option<u32>) {
        self.session.chosen.pinned.update(|pinned| *pinned = if *pinned == capsule { None } else { capsule });
    }
}

/// The primary capsules of the network that reads; those of compact until it is known.
fn grid(session: Session) -> Grid {
    let status = session.status_of(&session.chosen.network.get());
    let [types, rows, columns] = status.map_or([8, 6, 6], |status| status.grid);
    Grid { types, rows, columns }
}
