//! The plan of a training step.

use crate::format;
use crate::text::{live, say};
use crate::view::session::{Plan, Session};
use capscope_protocol::{Command, Network, PlanStep};
use leptos::{ev, prelude::*};

/// The steps, asked for when the list is opened.
#[component]
pub fn PlanList(
    /// The session.
    session: Session,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let on_toggle = move |event: ev::Event| open.set(event_target::<web_sys::Element>(&event).has_attribute("open"));
    let network = Memo::new(move |_| session.chosen.network.get());
    // A new network in training has another plan.
    let settings = Memo::new(move |_| session.training.with(|training| training.as_ref().map(|t| t.settings.clone())));
    Effect::new(move |_| {
        if open.get() && session.started.get() {
            settings.track();
            session.send(&Command::Plan(network.get()));
        }
    });
    view! {
        <div>
            <h3>{live!("hood.plan")}</h3>
            <p class="note">{live!("hood.plan_note")}</p>
            <details on:toggle=on_toggle>
                <summary>{live!("hood.plan_summary")}</summary>
                {move || {
                    let plan = session.plan.get().filter(|_| open.get())?;
                    Some(view! { <Steps plan=(*plan).clone()/> })
                }}
            </details>
        </div>
    }
}

/// The table of the steps.
#[component]
fn Steps(
    /// The plan.
    plan: Plan,
) -> impl IntoView {
    let sum = |of: fn(&PlanStep) -> u64| plan.steps.iter().map(of).fold(0u64, u64::saturating_add);
    let (flops, bytes) = (sum(|step| step.flops), sum(|step| step.bytes));
    let most = plan.steps.iter().map(|step| step.flops).max().unwrap_or(0).max(1);
    let row = move |step: PlanStep| {
        let share = format!("{:.2}%", 100.0 * step.flops as f64 / most as f64);
        view! {
            <tr>
                <th scope="row">{step.name}</th>
                <td class="quiet">{step.phase}</td>
                <td class="number">{format::scaled(step.flops, "FLOP")}</td>
                <td class="track"><i style:width=share></i></td>
                <td class="number">{format::scaled(step.bytes, "B")}</td>
            </tr>
        }
    };
    let name = match &plan.network {
        Network::Shipped(name) => name.clone(),
        Network::Yours => say!("bar.yours"),
    };
    let caption = say!(
        "hood.plan_caption",
        network = name,
        batch = plan.batch,
        flops = format::scaled(flops, "FLOP"),
        bytes = format::scaled(bytes, "B")
    );
    view! {
        <div class="scroll tall" tabindex="0">
            <table class="steps">
                <caption>{caption}</caption>
                <thead>
                    <tr>
                        <th scope="col">{live!("hood.operation")}</th>
                        <th scope="col">{live!("hood.phase")}</th>
                        <th scope="col" colspan="2">{live!("hood.work")}</th>
                        <th scope="col">{live!("hood.traffic")}</th>
                    </tr>
                </thead>
                <tbody>{plan.steps.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}
