//! How the digit capsules compete for the primary capsules, one iteration after another.

mod capsule;
mod lengths;
mod maps;
mod rounds;
mod scrubber;

use super::browser::follow;
use super::explore::class_in_view;
use super::session::Session;
use crate::page::geometry::Grid;
use crate::page::text::live;
use leptos::prelude::*;

/// The panel of routing.
#[component]
pub fn Routing(
    /// The session.
    session: Session,
) -> impl IntoView {
    let class = Memo::new(move |_| class_in_view(session));
    let grid = Memo::new(move |_| grid(session));
    let iteration = session.chosen.iteration;
    let place = follow(Signal::derive(move || f64::from(iteration.get())));
    view! {
        <section class="routing" aria-label=live!("routing.title")>
            <h2>{live!("routing.title")}</h2>
            <scrubber::Scrubber session/>
            <div class="stage">
                <div>
                    <maps::Sentence class grid/>
                    <maps::Maps session class grid place/>
                </div>
                <capsule::Capsule session class grid/>
            </div>
            <lengths::Lengths session class/>
            <rounds::Rounds session/>
        </section>
    }
}

/// The primary capsules of the network that reads; those of compact until it is known.
fn grid(session: Session) -> Grid {
    let status = session.status_of(&session.chosen.network.get());
    let [types, rows, columns] = status.map_or([8, 6, 6], |status| status.grid);
    Grid { types, rows, columns }
}
