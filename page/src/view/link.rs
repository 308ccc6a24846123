//! The way to the engine: a worker that takes commands and posts snapshots, both as bytes.

use crate::text::{self, say};
use capscope_protocol::{Command, Snapshot, decode, encode};
use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{Event, MessageEvent, Worker};

/// Where the engine's loader lies, beside the page.
const LOADER: &str = "./engine_loader.js";

/// The engine's worker.
pub struct Link {
    worker: Worker,
}

impl Link {
    /// Starts the worker. What it posts goes to `on_snapshot`; `on_failure` gets a sentence if it cannot be started,
    /// breaks down, or speaks another version's language.
    pub fn start(
        on_snapshot: impl Fn(Snapshot) + 'static,
        on_failure: impl Fn(String) + Clone + 'static,
    ) -> Option<Self> {
        let worker = match Worker::new(LOADER) {
            Ok(worker) => worker,
            Err(error) => {
                on_failure(text::engine_failed(&error_text(&error)));
                return None;
            }
        };
        let failed = on_failure.clone();
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| match bytes(&event.data()) {
            Some(bytes) => match decode(&bytes) {
                Ok(snapshot) => on_snapshot(snapshot),
                Err(error) => failed(text::sentence(&error.to_string())),
            },
            None => failed(text::engine_failed(&say!("banner.no_bytes"))),
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        on_message.forget();
        let on_error = Closure::<dyn Fn(Event)>::new(move |event: Event| {
            let cause = js_sys::Reflect::get(&event, &"message".into()).ok().and_then(|message| message.as_string());
            on_failure(text::engine_failed(&cause.unwrap_or_default()));
        });
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        on_error.forget();
        Some(Link { worker })
    }

    /// Sends a command; its bytes move to the worker.
    ///
    /// # Errors
    /// The browser's, as text.
    pub fn send(&self, command: &Command) -> Result<(), String> {
        let bytes = Uint8Array::from(encode(command).as_slice());
        let moved = Array::of1(&bytes.buffer());
        self.worker.post_message_with_transfer(&bytes, &moved).map_err(|error| error_text(&error))
    }
}

/// The bytes of a message, sent as an array or as its buffer.
fn bytes(data: &JsValue) -> Option<Vec<u8>> {
    if let Some(array) = data.dyn_ref::<Uint8Array>() {
        return Some(array.to_vec());
    }
    data.dyn_ref::<ArrayBuffer>().map(|buffer| Uint8Array::new(buffer).to_vec())
}

/// What a thrown value says.
fn error_text(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(|| format!("{error:?}"), |error| String::from(error.message()))
}
