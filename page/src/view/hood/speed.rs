//! How fast the device in use is: whole steps, single images and every kernel, beside the device's own ceilings.

use crate::address::PRESETS;
use crate::text::{self, live, say};
use crate::view::bench::measure;
use crate::view::download;
use crate::view::parts::{Choice, Pick};
use crate::view::session::Session;
use crate::{bench, format};
use capscope_protocol::{BenchReport, DeviceKind, KernelTime, KernelTimes};
use leptos::prelude::*;
use std::sync::Arc;

/// What a measurement has come to.
#[derive(Clone)]
enum Outcome {
    Nothing,
    Waiting,
    Report(Arc<BenchReport>),
    Refused(String),
}

/// The button and what came of it.
#[component]
pub fn Speed(
    /// The session.
    session: Session,
) -> impl IntoView {
    let preset = RwSignal::new("tiny".to_string());
    let outcome = RwSignal::new(Outcome::Nothing);
    let waits = Memo::new(move |_| outcome.with(|outcome| matches!(outcome, Outcome::Waiting)));
    let is_cpu =
        Memo::new(move |_| session.device.with(|device| device.as_ref().is_none_or(|d| d.kind == DeviceKind::Cpu)));
    let begin = move |_| {
        outcome.set(Outcome::Waiting);
        let request = bench::everything(&preset.get_untracked(), is_cpu.get_untracked());
        leptos::task::spawn_local(async move {
            outcome.set(match measure(session, request).await {
                Ok(report) => Outcome::Report(report.into()),
                Err(why) => Outcome::Refused(text::sentence(&why)),
            });
        });
    };
    let presets = Signal::derive(|| PRESETS.map(|preset| Choice::new(preset, text::preset(preset))).to_vec());
    let said = move || match outcome.get() {
        Outcome::Nothing | Outcome::Report(_) => None,
        Outcome::Waiting if is_cpu.get() => Some(say!("speed.measuring")),
        Outcome::Waiting => Some(say!("speed.measuring_webgpu")),
        Outcome::Refused(why) => Some(why),
    };
    view! {
        <div>
            <h3>{live!("speed.title")}</h3>
            <p class="note">{live!("speed.note")}</p>
            <div class="row tools">
                <Pick label=live!("speed.network") options=presets value=preset on_pick=move |value| preset.set(value)/>
                <button type="button" disabled=move || waits.get() || !session.started.get() on:click=begin>{live!("speed.measure")}</button>
            </div>
            <p class="quiet" role="status">{said}</p>
            {move || match outcome.get() {
                Outcome::Report(report) => Some(view! { <Report report/> }),
                _ => None,
            }}
        </div>
    }
}

/// What was measured.
#[component]
fn Report(
    /// It.
    report: Arc<BenchReport>,
) -> impl IntoView {
    let about =
        say!("speed.about", network = text::preset(&report.preset), batch = report.batch, device = report.device);
    let training = report.training.clone().map(|training| {
        say!(
            "speed.training",
            ms = format::fixed(training.spread.median as f32, 1),
            least = format::fixed(training.spread.min as f32, 1),
            most = format::fixed(training.spread.max as f32, 1),
            rate = format::grouped(training.images_per_second.round() as u64)
        )
    });
    let dispatched = report
        .training
        .as_ref()
        .filter(|training| training.dispatches > 0.0)
        .map(|training| say!("speed.dispatched", dispatches = training.dispatches, submits = training.submits));
    let reading = report.reading.as_ref().map(|reading| {
        say!("speed.reading", ms = format::fixed(reading.spread.median as f32, 1), images = reading.ms.len())
    });
    let memory =
        report.training.as_ref().map(|training| say!("speed.memory", bytes = format::scaled(training.peak_bytes, "B")));
    let kernels = report.kernels.clone().map(|kernels| view! { <Kernels kernels/> });
    let save = move |_| {
        let json = serde_json::to_string_pretty(&*report).expect("plain data always serialises");
        let name = format!("capscope-speed-{}-{}.json", report.preset, report.executor);
        download::save(&name, "application/json", json.as_bytes());
    };
    view! {
        <p class="note">{[Some(about), training, reading, dispatched, memory].into_iter().flatten().collect::<Vec<_>>().join(" ")}</p>
        {kernels}
        <button type="button" class="small" on:click=save>{live!("speed.save")}</button>
    }
}

/// Each kernel beside the ceilings.
#[component]
fn Kernels(
    /// Their times.
    kernels: KernelTimes,
) -> impl IntoView {
    let all: f64 = kernels.steps.iter().map(|step| step.ms).sum();
    let caption = say!(
        "speed.ceilings",
        gflops = format::fixed(kernels.ceiling_gflops as f32, 1),
        gbytes = format::fixed(kernels.ceiling_gbytes as f32, 1),
        ms = format::fixed(all as f32, 1)
    );
    let row = move |step: KernelTime| {
        let share = format!("{:.2}%", 100.0 * step.ms / all.max(f64::MIN_POSITIVE));
        let name = if step.variant.is_empty() { step.name } else { format!("{} ({})", step.name, step.variant) };
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td class="number">{format::fixed(step.ms as f32, 2)}</td>
                <td class="track"><i style:width=share></i></td>
                <td class="number">{format::fixed(step.gflops as f32, 2)}</td>
                <td class="number">{format::fixed(step.gbytes as f32, 2)}</td>
                <td class="number">{format::percent_of_one(step.share_of_ceiling as f32)}</td>
            </tr>
        }
    };
    view! {
        <div class="scroll tall" tabindex="0">
            <table class="steps">
                <caption>{caption}</caption>
                <thead>
                    <tr>
                        <th scope="col">{live!("hood.operation")}</th>
                        <th scope="col" colspan="2">{live!("speed.ms")}</th>
                        <th scope="col">"GFLOP/s"</th>
                        <th scope="col">"GB/s"</th>
                        <th scope="col">{live!("speed.share")}</th>
                    </tr>
                </thead>
                <tbody>{kernels.steps.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}
