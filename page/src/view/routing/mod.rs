//! How the digit capsules compete for the primary capsules, one iteration after another.

mod capsule;
mod flow;
mod focus;
mod lengths;
mod maps;
mod pictures;
mod procedure;
mod rounds;
mod save;
mod scatter;
mod scrubber;
mod working;

use super::session::Session;
use crate::text::live;
use focus::Focus;
use leptos::prelude::*;

/// The panel of routing.
#[component]
pub fn Routing(
    /// The session.
    session: Session,
) -> impl IntoView {
    let focus = Focus::of(session);
    view! {
        <section class="routing" aria-label=live!("routing.title")>
            <div class="row title">
                <h2>{live!("routing.title")}</h2>
                <pictures::Switch session/>
            </div>
            <scrubber::Scrubber session/>
            <procedure::Account session/>
            <div class="stage">
                <pictures::Pictures focus/>
                <capsule::Capsule focus/>
            </div>
            <lengths::Lengths session class=focus.class/>
            <rounds::Rounds session/>
            <scatter::Votes focus/>
            <working::Working focus/>
            <save::Save focus/>
        </section>
    }
}
