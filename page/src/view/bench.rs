//! Benchmarks by address, for programs that time the page: `?bench=PRESET,BATCH,STEPS` puts a report into
//! `#bench-result`; `?bench` alone offers `window.bench` and `window.infer`. Both wait until the device is settled.

use super::browser;
use super::session::Session;
use crate::bench::{Asked, asked};
use crate::text;
use capscope_protocol::{BenchReport, BenchRequest};
use futures_channel::oneshot;
use js_sys::{JSON, Promise, Reflect};
use leptos::prelude::*;
use std::collections::HashMap;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

/// An answer on its way.
type Answer = Result<Box<BenchReport>, String>;

/// Who waits for which benchmark.
#[derive(Clone, Copy)]
pub struct Benches {
    waiting: StoredValue<HashMap<u32, oneshot::Sender<Answer>>, LocalStorage>,
    next: StoredValue<u32>,
}

impl Benches {
    /// Nobody waits.
    pub fn new() -> Self {
        Benches { waiting: StoredValue::new_local(HashMap::new()), next: StoredValue::new(0) }
    }

    /// Whether an answer is waited for.
    pub fn is_measuring(&self) -> bool {
        self.waiting.with_value(|waiting| !waiting.is_empty())
    }

    /// Hands an answer to who waits for it.
    pub fn answered(&self, serial: u32, answer: Answer) {
        self.waiting.update_value(|waiting| {
            if let Some(sender) = waiting.remove(&serial) {
                // Whoever has gone away needs no answer.
                let _ = sender.send(answer);
            }
        });
    }
}

/// Asks the engine to measure. An error is a sentence.
pub async fn measure(session: Session, request: BenchRequest) -> Answer {
    let benches = session.benches;
    let serial = benches.next.get_value();
    benches.next.set_value(serial + 1);
    let (sender, answer) = oneshot::channel();
    benches.waiting.update_value(|waiting| drop(waiting.insert(serial, sender)));
    session.send(&capscope_protocol::Command::Bench(BenchRequest { serial, ..request }));
    answer.await.unwrap_or_else(|_| Err(text::engine_failed("")))
}

/// Does what the address asks for, once the device is settled.
pub fn listen(session: Session) {
    let Some(wanted) = asked(&browser::query()) else { return };
    let begun = StoredValue::new(false);
    Effect::new(move |_| {
        let settled = session.device.with(|device| device.as_ref().is_some_and(|device| device.settled));
        if settled && !begun.get_value() {
            begun.set_value(true);
            match wanted.clone() {
                Asked::Report(request) => leptos::task::spawn_local(async move {
                    let json = match measure(session, request).await {
                        Ok(report) => serde_json::to_string(&report).expect("plain data always serialises"),
                        Err(error) => serde_json::json!({ "error": error }).to_string(),
                    };
                    show(&json);
                }),
                Asked::Functions => offer(session),
            }
        }
    });
}

/// Puts the result at the end of the page.
fn show(json: &str) {
    let document = document();
    if let (Ok(place), Some(body)) = (document.create_element("pre"), document.body()) {
        place.set_id("bench-result");
        place.set_text_content(Some(json));
        // It is a new element: nothing stands against it.
        let _ = body.append_child(&place);
    }
}

/// A promise of an object that holds what `part` makes of the report.
fn promise(session: Session, request: BenchRequest, part: fn(&BenchReport) -> serde_json::Value) -> Promise {
    wasm_bindgen_futures::future_to_promise(async move {
        let report = measure(session, request).await.map_err(|error| JsValue::from(js_sys::Error::new(&error)))?;
        JSON::parse(&part(&report).to_string())
    })
}

fn offer(session: Session) {
    let bench = Closure::<dyn Fn(String, u32, u32, Option<u32>) -> Promise>::new(
        move |preset: String, batch: u32, steps: u32, warmup: Option<u32>| {
            promise(session, crate::bench::steps(preset, batch, steps, warmup), crate::bench::of_steps)
        },
    );
    let infer = Closure::<dyn Fn(String, u32, Option<u32>) -> Promise>::new(
        move |preset: String, readings: u32, warmup: Option<u32>| {
            promise(session, crate::bench::readings(preset, readings, warmup), crate::bench::of_readings)
        },
    );
    for (name, function) in [("infer", infer.into_js_value()), ("bench", bench.into_js_value())] {
        // The window takes any property.
        let _ = Reflect::set(window().unchecked_ref(), &name.into(), &function);
    }
}
