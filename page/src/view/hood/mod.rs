//! The machine room: the steps of a training step with their costs, the device compared with its twin, and how
//! fast it is.

mod check;
mod layers;
mod plan;
mod speed;
mod tiles;

use super::session::Session;
use crate::text::live;
use leptos::prelude::*;

/// The panel of what runs underneath.
#[component]
pub fn Hood(
    /// The session.
    session: Session,
) -> impl IntoView {
    view! {
        <section class="hood" aria-label=live!("hood.title")>
            <h2>{live!("hood.title")}</h2>
            <div class="hood-grid">
                <layers::Layers session/>
                <plan::PlanList session/>
                <check::Check session/>
                <speed::Speed session/>
            </div>
        </section>
    }
}
