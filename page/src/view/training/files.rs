//! What is trained on, weight files, and whether training survives the page.

use crate::format;
use crate::text::{language, live, say, sentence};
use crate::view::session::Session;
use capscope_protocol::{Command, Keeping, Network};
use js_sys::{Array, Reflect, Uint8Array};
use leptos::{ev, html, prelude::*};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::Blob;

/// Epochs without a better test after which the engine stops.
const PATIENCE: u32 = 5;

/// Buttons for files, and what they have led to.
#[component]
pub fn Files(
    /// The session.
    session: Session,
) -> impl IntoView {
    let (weights, images) = (NodeRef::<html::Input>::new(), NodeRef::<html::Input>::new());
    let open = |input: NodeRef<html::Input>| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    let on_choice = move |event: ev::Event| {
        let input = event_target::<web_sys::HtmlInputElement>(&event);
        take(session, &input);
        // So that the same file can be chosen again.
        input.set_value("");
    };
    let saved = move || match session.steps_of_yours() {
        Some(_) => Network::Yours,
        None => session.chosen.network.get_untracked(),
    };
    let has_own = move || session.desk.data.with(|data| data.as_ref().is_some_and(|data| data.own.is_some()));
    view! {
        <div class="files">
            <p class="note">{move || trains_on(session)}</p>
            <p class="note">{live!("training.stops_by_itself", epochs = PATIENCE)}</p>
            <div class="row">
                <button type="button" class="small" on:click=move |_| session.send(&Command::SaveWeights(untrack(saved)))>
                    {live!("training.save_weights")}
                </button>
                <button type="button" class="small" on:click=move |_| open(weights)>{live!("training.load_weights")}</button>
                <button type="button" class="small" on:click=move |_| open(images)>{live!("training.own_set")}</button>
                <Show when=has_own>
                    <button type="button" class="small" on:click=move |_| session.send(&Command::UseMnist)>
                        {live!("training.use_mnist")}
                    </button>
                </Show>
            </div>
            <input node_ref=weights hidden type="file" accept=".safetensors" data-files="weights" on:change=on_choice/>
            <input node_ref=images hidden multiple type="file" data-files="idx" on:change=on_choice/>
            <Kept session/>
        </div>
    }
}

/// What training uses, named.
fn trains_on(session: Session) -> String {
    session.desk.data.with(|data| match data {
        Some(data) => {
            let (train, test) = (format::grouped(data.train.into()), format::grouped(data.test.into()));
            match &data.own {
                None => say!("training.on_mnist"),
                Some(name) if data.is_held_out => say!("training.on_half", name = name, train = train, test = test),
                Some(name) => say!("training.on_own", name = name, train = train, test = test),
            }
        }
        None => say!("training.on_mnist"),
    })
}

/// Whether training survives the page, with what can be done about it.
#[component]
fn Kept(
    /// The session.
    session: Session,
) -> impl IntoView {
    let keeping = session.desk.keeping;
    let said = move || {
        Some(match keeping.get()? {
            Keeping::Kept(step, date) => say!("training.kept", step = format::grouped(step), time = time(date)),
            Keeping::Restored(step, date) => say!("training.restored", step = format::grouped(step), time = time(date)),
            Keeping::Elsewhere => say!("training.kept_elsewhere"),
            Keeping::Impossible(why) => say!("training.not_kept", why = why),
            Keeping::Refused(why) => sentence(&why),
        })
    };
    let is_restored = move || matches!(keeping.get(), Some(Keeping::Restored(..)));
    let is_elsewhere = move || matches!(keeping.get(), Some(Keeping::Elsewhere));
    let start_over = move |_| {
        keeping.set(None);
        session.reset_training(untrack(|| session.chosen.form.settings()));
    };
    view! {
        <div class="kept" role="status" aria-label=live!("training.keeping")>
            <p class="note">{said}</p>
            <Show when=is_restored>
                <button type="button" class="small" on:click=start_over>{live!("training.start_over")}</button>
            </Show>
            <Show when=is_elsewhere>
                <button type="button" class="small" on:click=move |_| session.send(&Command::KeepHere)>
                    {live!("training.keep_here")}
                </button>
            </Show>
        </div>
    }
}

/// A moment as this language writes it, in this place's time.
fn time(date: f64) -> String {
    let date = js_sys::Date::new(&date.into());
    String::from(date.to_locale_string(language().tag(), &JsValue::UNDEFINED))
}

/// Files that are dropped on the panel: those that were chosen by button do the same.
pub fn take_dropped(session: Session, event: &ev::DragEvent) {
    event.prevent_default();
    if let Ok(dropped) = Reflect::get(event, &"dataTransfer".into()) {
        take(session, &dropped);
    }
}

/// Reads what stands under `files`, and hands it to the engine: weights by their ending, else a set of images.
fn take(session: Session, holder: &JsValue) {
    let files = Reflect::get(holder, &"files".into()).map(|files| Array::from(&files)).unwrap_or_default();
    if files.length() == 0 {
        return;
    }
    spawn_local(async move {
        let mut read = vec![];
        for file in files {
            let name = Reflect::get(&file, &"name".into()).ok().and_then(|name| name.as_string()).unwrap_or_default();
            match JsFuture::from(file.unchecked_into::<Blob>().array_buffer()).await {
                Ok(buffer) => read.push((name, Uint8Array::new(&buffer).to_vec())),
                Err(_) => return session.report(say!("training.unreadable", name = name)),
            }
        }
        let is_weights = |(name, _): &(String, Vec<u8>)| name.ends_with(".safetensors");
        match read.iter().position(is_weights) {
            Some(place) => session.send(&Command::LoadWeights(read.swap_remove(place).1)),
            None => session.send(&Command::OwnSet(read)),
        }
    });
}
