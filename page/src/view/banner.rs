//! What went wrong, and why the engine runs where it runs: sentences above the page that can be dismissed.

use super::browser;
use super::parts::{Icon, Sign};
use super::session::{Problem, Session};
use crate::text::live;
use capscope_protocol::{DeviceChoice, DeviceKind};
use leptos::prelude::*;

/// All banners.
#[component]
pub fn Banners(
    /// The session.
    session: Session,
) -> impl IntoView {
    let problems = session.problems;
    let problem = move |problem: Problem| {
        let id = problem.id;
        let dismiss = move |_| problems.update(|problems| problems.retain(|other| other.id != id));
        view! {
            <div class="banner problem" role="alert">
                <p>{problem.sentence}</p>
                <Show when=move || problem.reload>
                    <button type="button" on:click=|_| browser::reload()>{live!("banner.reload")}</button>
                </Show>
                <button type="button" class="sign" aria-label=live!("banner.dismiss") on:click=dismiss><Icon sign=Sign::Close/></button>
            </div>
        }
    };
    view! {
        <For each=move || problems.get() key=|problem| problem.id children=problem/>
        <DeviceNotice session/>
    }
}

/// Why the CPU and not WebGPU, with the way to change it.
#[component]
fn DeviceNotice(
    /// The session.
    session: Session,
) -> impl IntoView {
    let dismissed = RwSignal::new(false);
    // What is told anew is shown anew, even in the same words: a device may be lost twice.
    Effect::new(move |_| {
        session.device.track();
        dismissed.set(false);
    });
    let reason = move || {
        let device = session.device.get().filter(|device| device.settled && !device.reason.is_empty())?;
        (!dismissed.get()).then_some(device)
    };
    view! {
        {move || {
            let device = reason()?;
            let offers_webgpu = device.kind == DeviceKind::Cpu && device.software;
            Some(view! {
                <div class="banner" role="note">
                    <p>{device.reason}</p>
                    <Show when=move || offers_webgpu>
                        <button type="button" on:click=move |_| session.use_device(DeviceChoice::WebGpu)>
                            {live!("banner.use_webgpu")}
                        </button>
                    </Show>
                    <button
                        type="button"
                        class="sign"
                        aria-label=live!("banner.dismiss")
                        on:click=move |_| dismissed.set(true)
                    >
                        <Icon sign=Sign::Close/>
                    </button>
                </div>
            })
        }}
    }
}
