//! The language in use: whoever shows a text is told when it changes, and the choice is kept.

use super::browser::set_root_attribute;
use crate::text::{Language, on_question, set_language};
use leptos::prelude::*;
use std::cell::Cell;

/// Where the choice is stored.
const KEY: &str = "capscope-language";

thread_local! {
    static CHANGED: Cell<Option<Trigger>> = const { Cell::new(None) };
}

/// Takes the language that the address names, the one that was chosen before, or the first of the browser's that the
/// page speaks.
pub fn start(asked: Option<Language>) {
    let changed = Trigger::new();
    CHANGED.set(Some(changed));
    on_question(|| {
        if let Some(changed) = CHANGED.get() {
            changed.track();
        }
    });
    let stored = || Language::named(&storage()?.get_item(KEY).ok().flatten()?);
    let of_browser = || {
        let tags = window().navigator().languages();
        Language::preferred(tags.iter().filter_map(|tag| tag.as_string()))
    };
    put(asked.or_else(stored).or_else(of_browser).unwrap_or(Language::English));
}

/// Speaks this language from now on, and when the page is opened again.
pub fn speak(language: Language) {
    if let Some(storage) = storage() {
        // Storage may be full or refused: then the choice lasts as long as the page.
        let _ = storage.set_item(KEY, language.name());
    }
    put(language);
    if let Some(changed) = CHANGED.get() {
        changed.notify();
    }
}

fn put(language: Language) {
    set_language(language);
    set_root_attribute("lang", Some(language.tag()));
}

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}
