//! What routes the votes, and what that means for the network that reads.

use crate::text::{self, live};
use crate::view::parts::{Choice, Pick};
use crate::view::session::Session;
use capscope_protocol::Procedure;
use leptos::prelude::*;

/// The procedure that the network in view was made for.
fn own(session: Session) -> Procedure {
    let status = session.status_of(&session.chosen.network.get());
    status.map_or(Procedure::default(), |status| status.procedure)
}

/// The choice of the procedure; the votes stay the same.
#[component]
pub fn Procedures(
    /// The session.
    session: Session,
) -> impl IntoView {
    let chosen = session.chosen;
    let options = Signal::derive(move || {
        let name = |procedure| match procedure == own(session) {
            true => text::own_procedure(procedure),
            false => text::procedure(procedure),
        };
        Procedure::ALL.map(|procedure| Choice::new(procedure, name(procedure))).to_vec()
    });
    let value = Signal::derive(move || chosen.procedure.get().unwrap_or_else(|| own(session)).to_string());
    let on_pick = move |name: String| {
        if let Ok(procedure) = name.parse() {
            chosen.untouched.set(false);
            chosen.procedure.set(Some(procedure).filter(|procedure| *procedure != untrack(|| own(session))));
        }
    };
    view! { <Pick label=live!("procedure.title") options value on_pick/> }
}

/// What the procedure does, in a sentence, and what to make of it on this network.
#[component]
pub fn Account(
    /// The session.
    session: Session,
) -> impl IntoView {
    let sentence = move || text::procedure_account(session.chosen.procedure.get(), own(session));
    view! { <p class="note">{sentence}</p> }
}
