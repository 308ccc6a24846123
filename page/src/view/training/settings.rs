//! How the network is trained.

use crate::address::{BATCHES, EPOCHS, MOST_ITERATIONS, PRESETS, RATES, TEST_INTERVALS};
use crate::text::{self, live, say};
use crate::view::parts::{Choice, Pick};
use crate::view::session::Session;
use capscope_protocol::{Command, Procedure};
use leptos::prelude::*;
use std::str::FromStr;

/// All settings. Each but the rate takes a new network.
#[component]
pub fn Settings(
    /// The session.
    session: Session,
) -> impl IntoView {
    let form = session.chosen.form;
    let preset = move |value: String| form.preset.set(value);
    let rate = move |value: String| {
        if let Ok(rate) = value.parse() {
            form.rate.set(rate);
            let in_training = session.training.with_untracked(|training| training.is_some());
            if in_training {
                session.send(&Command::SetRate(rate));
            }
        }
    };
    let seed = move |value: String| {
        let digits: String = value.chars().filter(char::is_ascii_digit).take(19).collect();
        form.seed.set(digits.parse().unwrap_or(0));
    };
    let weights = Signal::derive(|| {
        vec![Choice::new(0.0005f32, say!("training.as_printed")), Choice::new(0.01f32, say!("training.as_run"))]
    });
    let intervals =
        Signal::derive(|| TEST_INTERVALS.map(|steps| Choice::new(steps, text::test_interval(steps))).to_vec());
    let presets = Signal::derive(|| PRESETS.map(|preset| Choice::new(preset, text::preset(preset))).to_vec());
    let pictures = Signal::derive(|| {
        vec![Choice::new(false, say!("training.single_digits")), Choice::new(true, say!("training.pairs"))]
    });
    let plain = |values: &[u32]| values.iter().map(Choice::plain).collect::<Vec<_>>();
    let rates = RATES.map(Choice::plain).to_vec();
    let procedures = Signal::derive(|| Procedure::ALL.map(|each| Choice::new(each, text::procedure(each))).to_vec());
    let iterations = (1..=MOST_ITERATIONS).map(Choice::plain).collect::<Vec<_>>();
    view! {
        <div class="settings">
            <Pick label=live!("training.network") options=presets value=shown(form.preset) on_pick=preset/>
            <Pick
                label=live!("training.pictures")
                options=pictures
                value=Signal::derive(move || form.pairs.get().to_string())
                on_pick=move |value: String| form.pairs.set(value == "true")
            />
            <Pick label=live!("training.batch_size") options=plain(&BATCHES) value=shown(form.batch) on_pick=taker(form.batch)/>
            <Pick label=live!("training.rate") options=rates value=shown(form.rate) on_pick=rate/>
            <Pick label=live!("procedure.title") options=procedures value=shown(form.procedure) on_pick=taker(form.procedure)/>
            <Pick label=live!("training.r_in_training") options=iterations value=shown(form.iterations) on_pick=taker(form.iterations)/>
            <Pick
                label=live!("training.reconstruction_weight")
                options=weights
                value=shown(form.reconstruction)
                on_pick=taker(form.reconstruction)
            />
            <Pick label=live!("training.epoch_count") options=plain(&EPOCHS) value=shown(form.epochs) on_pick=taker(form.epochs)/>
            <Pick
                label=live!("training.test_every")
                options=intervals
                value=shown(form.evaluate_every)
                on_pick=taker(form.evaluate_every)
            />
            <label class="pick">
                <span>{live!("training.seed")}</span>
                <input
                    type="text"
                    inputmode="numeric"
                    autocomplete="off"
                    class="number"
                    prop:value=move || form.seed.get().to_string()
                    on:change:target=move |event| seed(event.target().value())
                />
            </label>
        </div>
        <Show when=move || form.pairs.get()>
            <p class="note small">{live!("training.pairs_note")}</p>
        </Show>
    }
}

/// A setting as the text that its select knows.
fn shown<T: ToString + Clone + Send + Sync + 'static>(setting: RwSignal<T>) -> Signal<String> {
    Signal::derive(move || setting.with(T::to_string))
}

/// Takes what a select says into a setting.
fn taker<T: FromStr + Clone + Send + Sync + 'static>(setting: RwSignal<T>) -> impl Fn(String) + Copy + 'static {
    move |value| {
        if let Ok(value) = value.parse() {
            setting.set(value);
        }
    }
}
