//! The machine room: the steps of a training step with their costs, and the device compared with its twin.

mod check;
mod layers;
mod plan;
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
            </div>
        </section>
    }
}
