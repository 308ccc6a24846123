//! The device compared with its twin, tensor by tensor.

use crate::text::{self, live, say};
use crate::view::session::Session;
use capscope_protocol::{Checked, Command, DeviceKind};
use leptos::prelude::*;
use std::sync::Arc;

/// The button and what came of it.
#[component]
pub fn Check(
    /// The session.
    session: Session,
) -> impl IntoView {
    let waiting = RwSignal::new(false);
    let check = move |_| {
        waiting.set(true);
        session.checked.set(None);
        session.send(&Command::CheckDevice);
    };
    // A refusal comes as a problem; then nothing more is to be waited for.
    Effect::new(move |_| {
        session.problems.track();
        if session.checked.with(Option::is_some) || session.problems.with(|problems| !problems.is_empty()) {
            waiting.set(false);
        }
    });
    let is_cpu =
        Memo::new(move |_| session.device.with(|device| device.as_ref().is_none_or(|d| d.kind == DeviceKind::Cpu)));
    view! {
        <div>
            <h3>{live!("hood.check")}</h3>
            <p class="note two-lines">{move || if is_cpu.get() { say!("hood.check_on_cpu") } else { say!("hood.check_note") }}</p>
            <div class="row tools">
                <button type="button" disabled=move || waiting.get() || is_cpu.get() on:click=check>{live!("hood.check_this_device")}</button>
                <span class="quiet" role="status">{move || waiting.get().then_some(say!("hood.checking"))}</span>
            </div>
            {move || session.checked.get().map(|checked| view! { <Outcome checked/> })}
        </div>
    }
}

/// The worst errors, largest first.
#[component]
fn Outcome(
    /// What came of it.
    checked: Arc<Checked>,
) -> impl IntoView {
    let limit = checked.limit;
    // A number that is not one is an error beyond all limits.
    let passes = move |error: f32| error <= limit;
    let failed = checked.tensors.iter().filter(|(_, error)| !passes(*error)).count();
    let mut tensors = checked.tensors.clone();
    tensors.sort_by(|a, b| b.1.total_cmp(&a.1));
    let row = move |(name, error): (String, f32)| {
        view! {
            <tr class:failed=!passes(error)>
                <th scope="row">{name}</th>
                <td class="number">{format!("{error:.1e}")}</td>
                <td>{if passes(error) { say!("hood.passes") } else { say!("hood.fails") }}</td>
            </tr>
        }
    };
    view! {
        <p class="verdict" class:wrong=failed != 0>{text::checked(checked.tensors.len(), failed)}</p>
        <div class="scroll tall" tabindex="0">
            <table class="steps">
                <caption>{say!("hood.check_caption", limit = format!("{limit:.0e}"))}</caption>
                <thead>
                    <tr>
                        <th scope="col">{live!("hood.tensor")}</th>
                        <th scope="col">{live!("hood.error")}</th>
                        <th scope="col">{live!("hood.verdict")}</th>
                    </tr>
                </thead>
                <tbody>{tensors.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}
