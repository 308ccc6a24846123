//! The routing of the digit in view as files.

use super::focus::Focus;
use crate::csv;
use crate::text::live;
use crate::view::download;
use capscope_protocol::{Command, Reading};
use leptos::prelude::*;

/// Three buttons.
#[component]
pub fn Save(
    /// What is in view.
    focus: Focus,
) -> impl IntoView {
    let session = focus.session;
    let nothing = Memo::new(move |_| session.reading.with(Option::is_none));
    let save = move |what: &'static str, text: fn(&Reading, Focus) -> String| {
        move |_| {
            if let Some(reading) = session.reading.get_untracked() {
                let text = text(&reading, focus);
                download::save(&session.file_name(what, "csv"), download::CSV, text.as_bytes());
            }
        }
    };
    let coefficients = save("coefficients", |reading, focus| csv::coefficients(reading, focus.grid.get_untracked()));
    let lengths = save("lengths", |reading, _| csv::lengths(reading));
    view! {
        <div class="save">
            <h3>{live!("save.title")}</h3>
            <p class="note">{live!("save.note")}</p>
            <div class="row tools">
                <button type="button" disabled=nothing on:click=move |_| session.send(&Command::SaveTrace)>
                    {live!("save.trace")}
                </button>
                <button type="button" disabled=nothing on:click=coefficients>{live!("save.coefficients")}</button>
                <button type="button" disabled=nothing on:click=lengths>{live!("save.lengths")}</button>
            </div>
        </div>
    }
}
