//! The page: a Leptos application on the browser's main thread. The engine runs beside it in a worker.

#[cfg(target_arch = "wasm32")]
mod page {
    use leptos::prelude::*;
    use wasm_bindgen::{JsCast, closure::Closure};
    use web_sys::{MessageEvent, Worker};

    /// Starts the engine's worker and calls `on_text` with every text that it posts.
    fn start_engine(on_text: impl Fn(String) + 'static) -> Result<Worker, wasm_bindgen::JsValue> {
        let worker = Worker::new("./engine_loader.js")?;
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(text) = event.data().as_string() {
                on_text(text);
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        on_message.forget();
        Ok(worker)
    }

    #[component]
    fn App() -> impl IntoView {
        let (status, set_status) = signal(String::from("starting"));
        let worker = start_engine(move |text| set_status.set(text));
        if worker.is_err() {
            set_status.set("The engine's worker could not be started.".into());
        }
        view! {
            <main>
                <h1>"Capscope"</h1>
                <p>"Engine: " <output>{status}</output></p>
            </main>
        }
    }

    /// Mounts the page.
    pub fn start() {
        console_error_panic_hook::set_once();
        leptos::mount::mount_to_body(App);
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    page::start();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program is the page and runs in a browser: start it with `cargo xtask serve`.");
    std::process::exit(2);
}
