//! The paper, its authors' code and this page beside one another.

use crate::format::exact;
use crate::text::{live, say};
use capscope_protocol::Structure;
use leptos::prelude::*;
use std::sync::Arc;

/// The table. What stands under "here" is read from the network's configuration.
#[component]
pub fn Printed(
    /// The network.
    structure: Arc<Structure>,
) -> impl IntoView {
    let preset = structure.preset.clone();
    let rows = move || {
        rows(&structure).map(|[what, printed, authors, here]| {
            view! { <tr><th scope="row">{what}</th><td>{printed}</td><td>{authors}</td><td>{here}</td></tr> }
        })
    };
    view! {
        <div class="scroll" tabindex="0">
            <table class="prose">
                <caption>{live!("article.printed_table")}</caption>
                <thead>
                    <tr>
                        <th scope="col">{live!("article.column_what")}</th>
                        <th scope="col">{live!("article.column_printed")}</th>
                        <th scope="col">{live!("article.column_authors")}</th>
                        <th scope="col">{live!("article.column_here", preset = preset)}</th>
                    </tr>
                </thead>
                <tbody>{move || rows().collect_view()}</tbody>
            </table>
        </div>
    }
}

/// What is compared: as printed, as the authors ran it, and as it is run here.
fn rows(here: &Structure) -> [[String; 4]; 7] {
    let margins = |present: f32, absent: f32, weight: f32| {
        say!("article.margin_value", present = exact(present), absent = exact(absent), weight = exact(weight))
    };
    let start = |first: f32, other: f32, bias: f32| {
        say!("article.start_value", first = exact(first), other = exact(other), bias = exact(bias))
    };
    let rate =
        |rate: f64, decay: f64, steps: f64| say!("article.rate_value", rate = rate, decay = decay, steps = steps);
    let bias = if here.digit_bias > 0 { say!("article.yes") } else { say!("article.no") };
    [
        [
            say!("article.row_margin"),
            margins(0.9, 0.1, 0.5),
            say!("article.margin_authors"),
            margins(here.present, here.absent, here.down_weight),
        ],
        [
            say!("article.row_reconstruction"),
            say!("article.reconstruction_value", weight = 0.0005),
            say!("article.reconstruction_authors"),
            say!("article.reconstruction_value", weight = exact(here.reconstruction)),
        ],
        [
            say!("article.row_scale"),
            say!("article.scale_printed"),
            say!("article.scale_authors"),
            say!("article.scale_here", scale = exact(here.primary_scale)),
        ],
        [say!("article.row_bias"), say!("article.not_said"), say!("article.bias_authors"), bias],
        [
            say!("article.row_start"),
            say!("article.not_said"),
            start(0.05, 0.1, 0.1),
            start(here.deviations[0], here.deviations[1], here.bias_at_start),
        ],
        [
            say!("article.row_rate"),
            say!("article.rate_printed"),
            rate(0.001, 0.96, 2000.0),
            rate(here.rate, here.decay, here.decay_steps),
        ],
        [say!("article.row_iterations"), "3".into(), "3".into(), here.iterations.to_string()],
    ]
}
