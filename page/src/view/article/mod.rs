//! The article under the page: what capsules are, what this network is made of, and what speaks against them.

mod parameters;
mod printed;
mod words;

use super::parts::{Choice, Pick};
use super::session::Session;
use crate::address::{PRESETS, SHIPPED};
use crate::text::{self, live};
use capscope_protocol::{Command, Network};
use leptos::prelude::*;

/// The article.
#[component]
pub fn Article(
    /// The session.
    session: Session,
) -> impl IntoView {
    let picked = RwSignal::new(None::<String>);
    // The preset of the network in view, until another one is picked.
    let preset = Memo::new(move |_| {
        let preset: String = picked.get().unwrap_or_else(|| match session.chosen.network.get() {
            Network::Shipped(name) => name,
            Network::Yours => session.status_of(&Network::Yours).map(|status| status.preset).unwrap_or_default(),
        });
        // A network from elsewhere may be none of them.
        if PRESETS.contains(&preset.as_str()) { preset } else { SHIPPED[0].to_string() }
    });
    Effect::new(move |_| {
        if session.started.get() && session.reading.with(Option::is_some) {
            session.send(&Command::Structure(preset.get()));
        }
    });
    let structure =
        Signal::derive(move || session.structure.get().filter(|structure| structure.preset == preset.get()));
    let options = Signal::derive(|| PRESETS.map(|preset| Choice::new(preset, text::preset(preset))).to_vec());
    view! {
        <section class="article" aria-label=live!("article.title")>
            <header>
                <h2>{live!("article.title")}</h2>
                <p class="lead">{live!("article.lead")}</p>
            </header>
            <words::Compared/>
            <h3>{live!("article.parts_title")}</h3>
            <p>{live!("article.parts_note")}</p>
            <div class="row tools">
                <Pick label=live!("article.parts_of") options value=preset on_pick=move |name| picked.set(Some(name))/>
            </div>
            {move || structure.get().map(|structure| view! { <parameters::Parameters structure/> })}
            <h3>{live!("article.printed_title")}</h3>
            <p>{live!("article.printed_note")}</p>
            {move || structure.get().map(|structure| view! { <printed::Printed structure/> })}
            <words::Limits/>
            <words::Glossary/>
        </section>
    }
}
