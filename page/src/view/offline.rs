//! Opening without a network after the first visit: a service worker keeps what the page is made of.

use super::browser;
use js_sys::Reflect;
use std::cell::Cell;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::ServiceWorkerContainer;

/// The service worker's program, beside the page.
const PROGRAM: &str = "./offline.js";

thread_local! {
    static PREPARED: Cell<bool> = const { Cell::new(false) };
}

/// Starts keeping, once; the document's `data-offline` says when all is there. Called after the first picture, so that
/// nothing that a person waits for waits for this.
pub fn prepare() {
    if PREPARED.replace(true) {
        return;
    }
    // A page that was not fetched safely has no service workers, nor has a private window of some browsers.
    let workers = Reflect::get(&leptos::prelude::window().navigator(), &"serviceWorker".into()).ok();
    let Some(workers) = workers.and_then(|workers| workers.dyn_into::<ServiceWorkerContainer>().ok()) else { return };
    leptos::task::spawn_local(async move {
        let registered = JsFuture::from(workers.register(PROGRAM)).await;
        let Ok(ready) = registered.and_then(|_| workers.ready()) else { return };
        if JsFuture::from(ready).await.is_ok() {
            browser::set_root_attribute("data-offline", Some("ready"));
        }
    });
}
