//! Training a network here: start, stop, settings, and how it goes.

mod batch;
mod confusion;
mod controls;
mod curves;
mod desk;
mod figure;
mod files;
mod settings;
mod slow;

pub use desk::Desk;

use super::session::Session;
use crate::text::{self, live};
use leptos::prelude::*;

/// The panel of training.
#[component]
pub fn Training(
    /// The session.
    session: Session,
) -> impl IntoView {
    let state = move || session.training.with(|training| training.as_ref().map(|t| text::state_name(&t.state)));
    let step = move || session.training.with(|training| training.as_ref().map(|t| t.step.to_string()));
    view! {
        <section
            class="training"
            aria-label=live!("training.title")
            data-state=state
            data-step=step
            on:dragover=|event| event.prevent_default()
            on:drop=move |event| files::take_dropped(session, &event)
        >
            <h2>{live!("training.title")}</h2>
            <div class="training-grid">
                <div class="training-left">
                    <controls::Controls session/>
                    <settings::Settings session/>
                    <files::Files session/>
                </div>
                <div class="training-right">
                    <curves::Curves session/>
                    <batch::Batch session/>
                </div>
            </div>
            <div class="training-more">
                <confusion::Matrix session/>
                <slow::Slow session/>
            </div>
        </section>
    }
}
