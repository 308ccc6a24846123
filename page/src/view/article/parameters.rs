//! The layers of a network with their parameters as products.

use crate::format::{grouped, product};
use crate::text::{live, say};
use capscope_protocol::{Part, Structure};
use leptos::prelude::*;
use std::sync::Arc;

/// The table of the parameters.
#[component]
pub fn Parameters(
    /// The network.
    structure: Arc<Structure>,
) -> impl IntoView {
    let row = |part: &Part| {
        let named = part.clone();
        let sum = part.summands.iter().map(|summand| product(&summand.factors)).collect::<Vec<_>>().join(" + ");
        view! {
            <tr>
                <th scope="row">{move || name(&named)}</th>
                <td class="number">{product(&part.output)}</td>
                <td class="number">{sum}</td>
                <td class="number">{grouped(part.parameters())}</td>
            </tr>
        }
    };
    let rows = structure.parts.iter().map(row).collect_view();
    let (preset, all, couplings) = (structure.preset.clone(), structure.parameters, structure.couplings);
    // Coefficients and logits counted as parameters, the digit bias left out.
    let miscounted = all - structure.digit_bias + 2 * couplings;
    let is_paper = preset == "paper";
    view! {
        <div class="scroll" tabindex="0">
            <table class="prose parameters">
                <caption>{live!("article.parts_table", preset = preset)}</caption>
                <thead>
                    <tr>
                        <th scope="col">{live!("article.column_part")}</th>
                        <th scope="col">{live!("article.column_output")}</th>
                        <th scope="col">{live!("article.column_sum")}</th>
                        <th scope="col">{live!("article.column_count")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
                <tfoot>
                    <tr>
                        <th scope="row">{live!("article.total")}</th>
                        <td></td>
                        <td></td>
                        <td class="number">{grouped(all)}</td>
                    </tr>
                </tfoot>
            </table>
        </div>
        <p>
            {live!("article.not_trained", couplings = grouped(couplings))}
            {move || is_paper.then(|| format!(" {}", say!("article.miscounted", count = grouped(miscounted))))}
        </p>
    }
}

/// What a layer is called.
fn name(part: &Part) -> String {
    let plain = match part.name.as_str() {
        "conv1" => say!("article.part_conv1"),
        "primary" => say!("article.part_primary"),
        "digit" => say!("article.part_digit"),
        other => match other.strip_prefix("decoder.").and_then(|place| place.parse::<u32>().ok()) {
            Some(place) => say!("article.part_decoder", number = place + 1),
            None => other.to_string(),
        },
    };
    match part.kernel {
        Some([kernel, stride]) => say!("article.kernel", name = plain, kernel = kernel, stride = stride),
        None => plain,
    }
}
