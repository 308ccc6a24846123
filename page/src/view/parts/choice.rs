//! Selects and switches.

use leptos::prelude::*;

/// One thing to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What the program calls it.
    pub value: String,
    /// What the person reads.
    pub label: String,
}

impl Choice {
    /// A choice.
    pub fn new(value: impl ToString, label: impl ToString) -> Self {
        Choice { value: value.to_string(), label: label.to_string() }
    }

    /// A choice that is called what it is.
    pub fn plain(value: impl ToString) -> Self {
        Choice::new(value.to_string(), value)
    }
}

/// A select with its label before it.
#[component]
pub fn Pick(
    /// Its name, seen and told.
    #[prop(into)]
    label: Signal<String>,
    /// Whether the name is seen, or only told.
    #[prop(optional)]
    unlabelled: bool,
    /// What there is to choose.
    #[prop(into)]
    options: Signal<Vec<Choice>>,
    /// The value of what is chosen.
    #[prop(into)]
    value: Signal<String>,
    /// Called with the value of what the person chooses.
    on_pick: impl Fn(String) + Copy + 'static,
) -> impl IntoView {
    view! {
        <label class="pick">
            <span class:hidden=unlabelled>{label}</span>
            <select on:change:target=move |event| on_pick(event.target().value())>
                {move || {
                    let chosen = value.get();
                    let choice = |option: Choice| {
                        let is_chosen = option.value == chosen;
                        view! { <option value=option.value prop:selected=is_chosen>{option.label}</option> }
                    };
                    options.get().into_iter().map(choice).collect_view()
                }}
            </select>
        </label>
    }
}

/// Two or three choices side by side, one of them chosen.
#[component]
pub fn Toggle(
    /// Name of the group.
    #[prop(into)]
    label: Signal<String>,
    /// What there is to choose.
    #[prop(into)]
    options: Signal<Vec<Choice>>,
    /// The value of what is chosen.
    #[prop(into)]
    value: Signal<String>,
    /// Called with the value of what the person chooses.
    on_pick: impl Fn(&str) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let choice = move |option: Choice| {
        let Choice { value: own, label } = option;
        let (compared, picked) = (own.clone(), own);
        view! {
            <button
                type="button"
                aria-pressed=move || if value.with(|value| *value == compared) { "true" } else { "false" }
                on:click=move |_| on_pick(&picked)
            >
                {label}
            </button>
        }
    };
    view! { <div class="toggle" role="group" aria-label=label>{move || options.get().into_iter().map(choice).collect_view()}</div> }
}
