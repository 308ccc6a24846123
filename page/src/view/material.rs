//! A person's own pictures: chosen, dropped or pasted. The file's bytes go to the engine, which decodes them.

use super::session::Session;
use crate::format;
use crate::text::say;
use capscope_protocol::{Command, Refusal};
use js_sys::{Reflect, Uint8Array};
use leptos::{ev, prelude::*};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::Blob;

/// A file larger than this is not read, whatever it holds.
const MOST_BYTES: f64 = 64e6;

/// Why a file was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The engine cannot make a digit of it.
    ByEngine(Refusal),
    /// It has so many megabytes.
    TooManyBytes(u32),
    /// The browser does not hand it out.
    Unreadable,
}

impl Refused {
    /// What went wrong and the way out.
    pub fn sentence(&self) -> String {
        match self {
            Refused::ByEngine(Refusal::NotAPicture) => say!("input.not_a_picture"),
            Refused::ByEngine(Refusal::Format(format)) => say!("input.other_format", format = format),
            Refused::ByEngine(Refusal::TooLarge(width, height)) => {
                let [width, height] = [width, height].map(|side| format::grouped(u64::from(*side)));
                say!("input.too_many_pixels", width = width, height = height)
            }
            Refused::ByEngine(Refusal::Damaged(format, reason)) => {
                say!("input.damaged", format = format, reason = reason)
            }
            Refused::ByEngine(Refusal::Blank) => say!("input.blank_picture"),
            Refused::TooManyBytes(megabytes) => say!("input.too_many_bytes", megabytes = megabytes),
            Refused::Unreadable => say!("input.unreadable"),
        }
    }
}

/// Reads a file as the digit.
pub fn read(session: Session, file: Blob) {
    if file.size() > MOST_BYTES {
        return session.refused.set(Some(Refused::TooManyBytes((file.size() / 1e6) as u32)));
    }
    spawn_local(async move {
        match JsFuture::from(file.array_buffer()).await {
            Ok(buffer) => session.send(&Command::ReadPicture(Uint8Array::new(&buffer).to_vec())),
            Err(_) => session.refused.set(Some(Refused::Unreadable)),
        }
    });
}

/// The first of the `files` of an input, or of what is dropped or pasted.
pub fn first_file(holder: &JsValue) -> Option<Blob> {
    let files = Reflect::get(holder, &"files".into()).ok()?;
    Reflect::get_u32(&files, 0).ok()?.dyn_into().ok()
}

/// The first file that an event brings in its `dataTransfer` or `clipboardData`.
pub fn first_brought(event: &JsValue, data: &str) -> Option<Blob> {
    first_file(&Reflect::get(event, &data.into()).ok()?)
}

/// Reads a picture that is pasted anywhere on the page.
pub fn take_pasted(session: Session) {
    let handle = window_event_listener(ev::paste, move |event| {
        if let Some(file) = first_brought(&event, "clipboardData") {
            event.prevent_default();
            read(session, file);
        }
    });
    on_cleanup(move || handle.remove());
}
