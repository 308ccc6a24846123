//! The parts of the article that no network changes.

use crate::sources::SOURCES;
use crate::text::{live, say};
use leptos::prelude::*;

/// A text of the tables, said when it is shown.
type Text = fn() -> String;

/// What is compared, for a capsule and for a neuron.
const COMPARED: [[Text; 3]; 6] = [
    [|| say!("article.takes"), || say!("article.takes_capsule"), || say!("article.takes_neuron")],
    [|| say!("article.turns"), || say!("article.turns_capsule"), || say!("article.turns_neuron")],
    [|| say!("article.adds"), || say!("article.adds_capsule"), || say!("article.adds_neuron")],
    [|| say!("article.weighs"), || say!("article.weighs_capsule"), || say!("article.weighs_neuron")],
    [|| say!("article.bends"), || say!("article.bends_capsule"), || say!("article.bends_neuron")],
    [|| say!("article.gives"), || say!("article.gives_capsule"), || say!("article.gives_neuron")],
];

/// A capsule beside a neuron.
#[component]
pub fn Compared() -> impl IntoView {
    let row = |[what, capsule, neuron]: [Text; 3]| {
        view! { <tr><th scope="row">{what}</th><td>{capsule}</td><td>{neuron}</td></tr> }
    };
    view! {
        <h3>{live!("article.compare_title")}</h3>
        <p>{live!("article.compare_note")}</p>
        <div class="scroll" tabindex="0">
            <table class="prose">
                <caption>{live!("article.compare_table")}</caption>
                <thead>
                    <tr>
                        <th scope="col">{live!("article.column_what")}</th>
                        <th scope="col">{live!("article.column_capsule")}</th>
                        <th scope="col">{live!("article.column_neuron")}</th>
                    </tr>
                </thead>
                <tbody>{COMPARED.map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}

/// A limit, and the numbers of the sources that it rests on.
const LIMITS: [(Text, &[usize]); 7] = [
    (|| say!("article.limit_gain"), &[1]),
    (|| say!("article.limit_routing"), &[4]),
    (|| say!("article.limit_robust"), &[1, 5, 6]),
    (|| say!("article.limit_scale"), &[7, 8]),
    (|| say!("article.limit_sign"), &[9]),
    (|| say!("article.limit_speed"), &[10]),
    (|| say!("article.limit_here"), &[]),
];

/// What speaks against capsules, with sources.
#[component]
pub fn Limits() -> impl IntoView {
    let cited = |number: usize| {
        let at = format!("#source-{number}");
        view! { " " <a href=at class="number">"[" {number} "]"</a> }
    };
    let limit = move |(text, sources): (Text, &'static [usize])| {
        view! { <li>{text}{sources.iter().map(|number| cited(*number)).collect_view()}</li> }
    };
    let source = |(place, (authors, title, address)): (usize, &(&'static str, &'static str, &'static str))| {
        view! {
            <li id=format!("source-{}", place + 1)>
                {*authors} ": " <a href=*address rel="noopener" lang="en">{*title}</a>
            </li>
        }
    };
    view! {
        <h3>{live!("article.limits_title")}</h3>
        <p>{live!("article.limits_note")}</p>
        <ul>{LIMITS.map(limit).collect_view()}</ul>
        <h4>{live!("article.sources_title")}</h4>
        <ol class="sources">{SOURCES.iter().enumerate().map(source).collect_view()}</ol>
    }
}

/// Words and what they mean.
const TERMS: [[Text; 2]; 15] = [
    [|| say!("article.term_capsule"), || say!("article.means_capsule")],
    [|| say!("article.term_pose"), || say!("article.means_pose")],
    [|| say!("article.term_length"), || say!("article.means_length")],
    [|| say!("article.term_primary"), || say!("article.means_primary")],
    [|| say!("article.term_digit"), || say!("article.means_digit")],
    [|| say!("article.term_vote"), || say!("article.means_vote")],
    [|| say!("article.term_coupling"), || say!("article.means_coupling")],
    [|| say!("article.term_logit"), || say!("article.means_logit")],
    [|| say!("article.term_agreement"), || say!("article.means_agreement")],
    [|| say!("article.term_routing"), || say!("article.means_routing")],
    [|| say!("article.term_squash"), || say!("article.means_squash")],
    [|| say!("article.term_margin"), || say!("article.means_margin")],
    [|| say!("article.term_reconstruction"), || say!("article.means_reconstruction")],
    [|| say!("article.term_entropy"), || say!("article.means_entropy")],
    [|| say!("article.term_equivariance"), || say!("article.means_equivariance")],
];

/// The words.
#[component]
pub fn Glossary() -> impl IntoView {
    let term = |[term, meaning]: [Text; 2]| view! { <div><dt>{term}</dt><dd>{meaning}</dd></div> };
    view! {
        <h3>{live!("article.terms_title")}</h3>
        <dl class="terms">{TERMS.map(term).collect_view()}</dl>
    }
}
