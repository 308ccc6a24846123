//! The page's program: a Leptos application on the browser's main thread. The engine runs beside it in a worker.

#[cfg(target_arch = "wasm32")]
fn main() {
    capscope_page::start();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program is the page and runs in a browser: start it with `cargo xtask serve`.");
    std::process::exit(2);
}
