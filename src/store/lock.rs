//! One tab of all keeps its training: a Web Lock decides which. Declared here, since web-sys has it among what is not
//! yet stable.

use js_sys::{Function, Promise, Reflect};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// The lock's name.
const NAME: &str = "capscope: training";

/// A page that is being left holds its lock for a moment longer; so long is waited for it, in milliseconds.
const PATIENCE_MILLIS: u32 = 1500;

#[wasm_bindgen]
extern "C" {
    type Locks;

    /// <https://w3c.github.io/web-locks/#dom-lockmanager-request>
    #[wasm_bindgen(method, catch)]
    fn request(this: &Locks, name: &str, options: &JsValue, held: &Function) -> Result<Promise, JsValue>;
}

/// Takes the lock for as long as this program runs, `by_force` from whoever has it. `lost` is called if it is taken away
/// later. False: another tab has it.
///
/// # Errors
/// A sentence, if this browser has no such locks here.
pub async fn claim(by_force: bool, lost: impl FnOnce() + 'static) -> Result<bool, String> {
    let (sender, answer) = futures_channel::oneshot::channel();
    let none = || "this browser cannot tell whether another tab keeps a training (it has no locks here)".to_string();
    let locks = Reflect::get(&js_sys::global(), &"navigator".into())
        .and_then(|navigator| Reflect::get(&navigator, &"locks".into()))
        .ok()
        .filter(JsValue::is_object)
        .ok_or_else(none)?
        .unchecked_into::<Locks>();
    let options = js_sys::Object::new();
    let option = |name: &str, value: JsValue| Reflect::set(&options, &name.into(), &value).map_err(|_| none());
    if by_force {
        option("steal", true.into())?;
    } else {
        option("signal", web_sys::AbortSignal::timeout_with_u32(PATIENCE_MILLIS).into())?;
    }
    let granted = Rc::new(std::cell::Cell::new(Some(sender)));
    let grant = granted.clone();
    // A promise that never ends: the lock is held until the program ends or the lock is stolen.
    let held = Closure::once_into_js(move |_lock: JsValue| {
        if let Some(sender) = grant.take() {
            let _ = sender.send(true);
        }
        Promise::new(&mut |_, _| {})
    });
    let request = locks.request(NAME, &options, held.unchecked_ref()).map_err(|_| none())?;
    spawn_local(async move {
        // Ends only by rejection: refused in time, or stolen later.
        let _ = JsFuture::from(request).await;
        match granted.take() {
            Some(sender) => {
                let _ = sender.send(false);
            }
            None => lost(),
        }
    });
    Ok(answer.await.unwrap_or(false))
}
