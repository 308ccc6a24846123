//! The Leptos components and what they share. A component knows the [`Session`](session::Session) only.

mod article;
mod asked;
mod banner;
mod bar;
mod bench;
mod browser;
mod chosen;
mod compare;
mod download;
mod explore;
mod footer;
mod gallery;
mod hood;
mod input;
mod latency;
mod link;
mod material;
mod offline;
mod parts;
mod playground;
mod pose;
mod pulse;
mod routing;
mod session;
mod share;
mod speech;
mod surveys;
mod tour;
mod training;

use leptos::prelude::*;
use session::Session;

/// The page.
#[component]
fn App() -> impl IntoView {
    let session = Session::start();
    browser::set_root_attribute("data-embed", session.chosen.embed.then_some(""));
    let tour = tour::Tour::new(session);
    bench::listen(session);
    view! {
        <bar::Bar session tour/>
        <banner::Banners session/>
        <main>
            <input::Input session/>
            <routing::Routing session/>
            <pose::Pose session/>
            <gallery::Gallery session/>
            <playground::Playground session/>
            <training::Training session/>
            <compare::Compare session/>
            <hood::Hood session/>
            <article::Article session/>
        </main>
        <footer::Footer/>
        <tour::Cards tour/>
    }
}

/// Puts the page in place of the sentence that the document shows until then.
pub fn start() {
    console_error_panic_hook::set_once();
    if let Some(waiting) = document().get_element_by_id("starting") {
        waiting.remove();
    }
    leptos::mount::mount_to_body(App);
}
