//! Which version this is, at the end of the page.

use crate::text::{live, say};
use leptos::prelude::*;

/// The name under which the document holds the commit that it was built from; only a published one does.
const COMMIT: &str = "meta[name=capscope-commit]";

/// Version, commit, licence.
#[component]
pub fn Footer() -> impl IntoView {
    let commit = document().query_selector(COMMIT).ok().flatten();
    let commit = commit.and_then(|meta| meta.get_attribute("content")).filter(|commit| !commit.is_empty());
    let version = format!("Capscope {}", env!("CARGO_PKG_VERSION"));
    let version = move || match &commit {
        Some(commit) => say!("footer.version", version = version, commit = commit),
        None => version.clone(),
    };
    view! {
        <footer class="foot">
            <p class="quiet">{version}" · "{live!("footer.licence")}</p>
        </footer>
    }
}
