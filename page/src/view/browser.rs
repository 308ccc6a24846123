//! What the page asks of the browser: theme, motion, frames, the address, small stored choices.

use crate::ramp::{Colour, Ramp, token_colour};
use crate::svg::Tints;
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{HtmlElement, MediaQueryList};

/// The page's root element, `<html>`.
pub fn root() -> Option<HtmlElement> {
    document().document_element()?.dyn_into().ok()
}

/// Sets an attribute of `<html>`, or takes it away.
pub fn set_root_attribute(name: &str, value: Option<&str>) {
    let Some(root) = root() else { return };
    // Both fail only for names that no attribute can have.
    let _ = match value {
        Some(value) => root.set_attribute(name, value),
        None => root.remove_attribute(name),
    };
}

fn media(query: &str) -> Option<MediaQueryList> {
    window().match_media(query).ok().flatten()
}

/// Whether the person has asked for less motion.
pub fn less_motion() -> bool {
    media("(prefers-reduced-motion: reduce)").is_some_and(|query| query.matches())
}

/// Milliseconds since the page was opened.
pub fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

/// A value that follows `target` within a quarter of a second, or at once where less motion is wanted.
pub fn follow(target: Signal<f64>) -> Signal<f64> {
    const MILLIS: f64 = 250.0;
    let shown = RwSignal::new(target.get_untracked());
    // Each change of the target starts a movement; an older one stops when it sees that its number is no longer the last.
    let newest = StoredValue::new(0u32);
    Effect::new(move |_| {
        let (from, to) = (shown.get_untracked(), target.get());
        let number = newest.get_value().wrapping_add(1);
        newest.set_value(number);
        if less_motion() || from == to {
            shown.set(to);
            return;
        }
        let start = now();
        every_frame(move || {
            if newest.try_get_value() != Some(number) {
                return false;
            }
            let part = ((now() - start) / MILLIS).min(1.0);
            let eased = part * part * (3.0 - 2.0 * part);
            shown.set(if part < 1.0 { from + (to - from) * eased } else { to });
            part < 1.0
        });
    });
    shown.into()
}

/// Calls `step` at each animation frame until it returns false.
fn every_frame(mut step: impl FnMut() -> bool + 'static) {
    request_animation_frame(move || {
        if step() {
            every_frame(step);
        }
    });
}

/// Calls `act` each time that the page is hidden, which may be the last that it hears.
pub fn when_hidden(act: impl Fn() + 'static) {
    let on_change = Closure::<dyn Fn()>::new(move || {
        if document().hidden() {
            act();
        }
    });
    // Fails only for what is no event target, and a document is one.
    let _ = document().add_event_listener_with_callback("visibilitychange", on_change.as_ref().unchecked_ref());
    on_change.forget();
}

/// Fetches the page anew.
pub fn reload() {
    // A browser refuses only for documents that are not shown.
    let _ = window().location().reload();
}

/// The part of the address after `?`.
pub fn query() -> String {
    window().location().search().unwrap_or_default()
}

/// The whole address of the page with another part after `?`.
pub fn address(query: &str) -> String {
    let location = window().location();
    let (origin, path) = (location.origin().unwrap_or_default(), location.pathname().unwrap_or_default());
    if query.is_empty() { format!("{origin}{path}") } else { format!("{origin}{path}?{query}") }
}

/// Copies a text and tells whether the browser let it.
pub fn copy(text: String, done: impl FnOnce(bool) + 'static) {
    // A page that was not fetched safely has no clipboard at all, whatever the bindings promise.
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into()).ok();
    let Some(clipboard) = clipboard.and_then(|clipboard| clipboard.dyn_into::<web_sys::Clipboard>().ok()) else {
        return done(false);
    };
    let written = clipboard.write_text(&text);
    leptos::task::spawn_local(async move {
        done(wasm_bindgen_futures::JsFuture::from(written).await.is_ok());
    });
}

/// Replaces the part of the address after `?` without a new entry in the history.
pub fn set_query(query: &str) {
    let location = window().location();
    let (path, hash) = (location.pathname().unwrap_or_default(), location.hash().unwrap_or_default());
    let address = if query.is_empty() { format!("{path}{hash}") } else { format!("{path}?{query}{hash}") };
    if let Ok(history) = window().history() {
        // A browser may refuse when it is called too often; the next change brings the address up to date.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&address));
    }
}

/// Light, dark, or as the system has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    Auto,
    /// Dark ink on light paper.
    Light,
    /// The other way round.
    Dark,
}

/// Where the choice is stored.
const THEME_KEY: &str = "capscope-theme";

impl Theme {
    fn name(self) -> Option<&'static str> {
        match self {
            Theme::Auto => None,
            Theme::Light => Some("light"),
            Theme::Dark => Some("dark"),
        }
    }

    /// The next one when the button is pressed.
    pub fn next(self) -> Self {
        match self {
            Theme::Auto => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::Auto,
        }
    }
}

/// The colours in use.
#[derive(Clone, Copy)]
pub struct Colours {
    /// The person's choice.
    pub theme: RwSignal<Theme>,
    /// From no ink to full ink.
    pub ink: Memo<Arc<Ramp>>,
    /// For coefficients.
    pub sequential: Memo<Arc<Ramp>>,
    /// For signed values.
    pub diverging: Memo<Arc<Ramp>>,
    /// From the colour of one of two digits to that of the other.
    pub two: Memo<Arc<Ramp>>,
    /// For drawings.
    pub tints: Memo<Arc<Tints>>,
}

impl Colours {
    /// Takes the stored theme and keeps the page's in step with it.
    pub fn new() -> Self {
        // Storage may be refused, as in private windows: then the choice lasts as long as the page.
        let storage = || window().local_storage().ok().flatten();
        let stored = storage().and_then(|storage| storage.get_item(THEME_KEY).ok().flatten());
        let theme = RwSignal::new(match stored.as_deref() {
            Some("light") => Theme::Light,
            Some("dark") => Theme::Dark,
            _ => Theme::Auto,
        });
        let system = media("(prefers-color-scheme: dark)");
        let system_dark = RwSignal::new(system.as_ref().is_some_and(|query| query.matches()));
        if let Some(system) = system {
            let on_change =
                Closure::<dyn Fn(web_sys::MediaQueryListEvent)>::new(move |event: web_sys::MediaQueryListEvent| {
                    system_dark.set(event.matches())
                });
            system.set_onchange(Some(on_change.as_ref().unchecked_ref()));
            on_change.forget();
        }
        Effect::new(move |_| {
            let name = theme.get().name();
            set_root_attribute("data-theme", name);
            if let Some(storage) = storage() {
                let _ = match name {
                    Some(name) => storage.set_item(THEME_KEY, name),
                    None => storage.remove_item(THEME_KEY),
                };
            }
        });
        let dark = Memo::new(move |_| theme.get() == Theme::Dark || theme.get() == Theme::Auto && system_dark.get());
        let ramp = |prefix: &'static str| Memo::new(move |_| Arc::new(ramp_of(prefix, dark.get())));
        let tints = Memo::new(move |_| Arc::new(tints_of(dark.get())));
        Colours {
            theme,
            ink: ramp("--ink-"),
            sequential: ramp("--seq-"),
            diverging: ramp("--div-"),
            two: ramp("--two-"),
            tints,
        }
    }
}

impl Colours {
    /// The colour of what stands out.
    pub fn accent(&self) -> Colour {
        token_colour(&self.tints.with_untracked(|tints| tints.accent.clone()), false).unwrap_or_default()
    }
}

/// The tokens that drawings use.
fn tints_of(dark: bool) -> Tints {
    let token = tokens();
    let tint = |name: &str| {
        let [red, green, blue] = token(name).and_then(|value| token_colour(&value, dark)).unwrap_or_default();
        format!("#{red:02x}{green:02x}{blue:02x}")
    };
    Tints {
        paper: tint("--paper"),
        text: tint("--text"),
        quiet: tint("--quiet"),
        line: tint("--line"),
        accent: tint("--accent"),
        measured: tint("--measured"),
    }
}

/// The style sheet's tokens by name.
fn tokens() -> impl Fn(&str) -> Option<String> {
    let style = root().and_then(|root| window().get_computed_style(&root).ok().flatten());
    move |name| style.as_ref()?.get_property_value(name).ok()
}

/// The ramp of the tokens `prefix0`, `prefix1`, …
fn ramp_of(prefix: &str, dark: bool) -> Ramp {
    let token = tokens();
    let stops: Vec<_> = (0..).map_while(|k| token_colour(&token(&format!("{prefix}{k}"))?, dark)).collect();
    Ramp::new(&stops)
}
