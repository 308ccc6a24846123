//! The engine's worker: executors, trainer, data and storage, in a thread of their own beside the page.

#[cfg(target_arch = "wasm32")]
fn main() {
    use wasm_bindgen::JsCast;
    console_error_panic_hook::set_once();
    let scope: web_sys::DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    if let Err(error) = scope.post_message(&"ready".into()) {
        web_sys::console::error_2(&"The engine cannot reach the page:".into(), &error);
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program is the engine's worker and runs in a browser: start it with `cargo xtask serve`.");
    std::process::exit(2);
}
