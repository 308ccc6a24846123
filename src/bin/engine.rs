//! The engine's worker: executors, trainer, data and storage, in a thread of their own beside the page.

#[cfg(target_arch = "wasm32")]
mod worker {
    use async_channel::{Receiver, Sender};
    use capscope::engine::{Engine, Host, Inbox, Soon};
    use capscope::exec::{Device, gpu::Checks};
    use capscope::protocol::{self, Snapshot};
    use capscope::store::{indexed, lock};
    use gloo_timers::future::TimeoutFuture;
    use js_sys::{Array, Uint8Array};
    use std::future::poll_fn;
    use std::pin::{Pin, pin};
    use std::rc::Rc;
    use std::task::Poll;
    use wasm_bindgen::{JsCast, JsValue, closure::Closure};
    use wasm_bindgen_futures::{JsFuture, spawn_local};
    use web_sys::{
        DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, MessagePort, Performance,
        ReadableStreamDefaultReader, Response,
    };

    /// So long is waited for WebGPU, and for what is stored.
    const PATIENCE_MILLIS: u32 = 5000;

    /// So long a state may take to be written.
    const WRITING_MILLIS: u32 = 60_000;

    /// What some work comes to, or an error that says that it took too long. A browser may never answer at all.
    async fn within<T>(
        millis: u32,
        work: impl Future<Output = Result<T, String>>,
        too_late: &'static str,
    ) -> Result<T, String> {
        let (mut work, mut end) = (pin!(work), TimeoutFuture::new(millis));
        poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Ready(outcome) => Poll::Ready(outcome),
            Poll::Pending => Pin::new(&mut end).poll(context).map(|()| Err(too_late.to_string())),
        })
        .await
    }

    /// The engine's surroundings in a worker.
    struct Worker {
        scope: DedicatedWorkerGlobalScope,
        clock: Performance,
        /// A message to ourselves is the shortest way through the event loop; timers would cost 4 ms each.
        loopback: MessagePort,
        returned: Receiver<()>,
    }

    impl Worker {
        fn new(scope: DedicatedWorkerGlobalScope) -> Result<Self, JsValue> {
            let (sender, returned): (Sender<()>, _) = async_channel::unbounded();
            let channel = MessageChannel::new()?;
            let arrived = Closure::<dyn FnMut()>::new(move || {
                let _ = sender.try_send(());
            });
            channel.port2().set_onmessage(Some(arrived.as_ref().unchecked_ref()));
            // Listens as long as the worker lives.
            arrived.forget();
            let clock = scope.performance().ok_or("this browser's workers have no clock")?;
            Ok(Worker { scope, clock, loopback: channel.port1(), returned })
        }

        async fn get(&self, path: &str, progress: &dyn Fn(u32, u32)) -> Result<Vec<u8>, JsValue> {
            let address = format!("assets/{path}");
            let response: Response = JsFuture::from(self.scope.fetch_with_str(&address)).await?.dyn_into()?;
            if !response.ok() {
                return Err(format!("the server answers {} {}", response.status(), response.status_text()).into());
            }
            let length = response.headers().get("content-length")?.and_then(|text| text.parse().ok()).unwrap_or(0);
            let Some(body) = response.body() else { return Ok(vec![]) };
            let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
            let mut bytes = vec![];
            loop {
                let piece = JsFuture::from(reader.read()).await?;
                if js_sys::Reflect::get(&piece, &"done".into())?.is_truthy() {
                    return Ok(bytes);
                }
                let chunk: Uint8Array = js_sys::Reflect::get(&piece, &"value".into())?.dyn_into()?;
                bytes.extend(chunk.to_vec());
                progress(bytes.len() as u32, length.max(bytes.len() as u32));
            }
        }
    }

    /// What JavaScript throws, in words.
    fn words(error: &JsValue) -> String {
        match error.dyn_ref::<js_sys::Error>() {
            Some(error) => String::from(error.message()),
            None => error.as_string().unwrap_or_else(|| format!("{error:?}")),
        }
    }

    impl Host for Worker {
        fn send(&self, snapshot: Snapshot) {
            let bytes = Uint8Array::from(protocol::encode(&snapshot).as_slice());
            let transfer = Array::of1(&bytes.buffer());
            if let Err(error) = self.scope.post_message_with_transfer(&bytes, &transfer) {
                web_sys::console::error_2(&"The engine cannot reach the page:".into(), &error);
            }
        }

        fn fetch<'a>(&'a self, path: &'a str, progress: &'a dyn Fn(u32, u32)) -> Soon<'a, Result<Vec<u8>, String>> {
            Box::pin(async move {
                let outcome = self.get(path, progress).await;
                outcome.map_err(|error| {
                    format!(
                        "assets/{path} could not be fetched ({}); check the connection and try again",
                        words(&error)
                    )
                })
            })
        }

        fn spawn(&self, work: Soon<'static, ()>) {
            spawn_local(work);
        }

        fn breathe(&self) -> Soon<'_, ()> {
            Box::pin(async {
                if self.loopback.post_message(&JsValue::NULL).is_ok() {
                    let _ = self.returned.recv().await;
                }
            })
        }

        fn now(&self) -> f64 {
            self.clock.now()
        }

        fn request_gpu(&self) -> Soon<'static, Result<Device, String>> {
            let navigator = js_sys::Reflect::get(&self.scope, &"navigator".into());
            let has_webgpu = navigator.and_then(|navigator| js_sys::Reflect::get(&navigator, &"gpu".into()));
            if !has_webgpu.is_ok_and(|gpu| gpu.is_truthy()) {
                return Box::pin(async { Err("this browser has no WebGPU; the CPU is used".into()) });
            }
            let device = async { Device::open_gpu(Checks::Kept).await.map_err(|error| error.to_string()) };
            Box::pin(within(PATIENCE_MILLIS, device, "WebGPU did not answer in 5 s; the CPU is used"))
        }

        fn cpu_name(&self) -> String {
            "CPU, 1 thread".into()
        }

        fn date(&self) -> f64 {
            js_sys::Date::now()
        }

        fn stored<'a>(&'a self, key: &'a str) -> Soon<'a, Result<Option<Vec<u8>>, String>> {
            Box::pin(within(
                PATIENCE_MILLIS,
                indexed::read(key),
                "this browser's storage does not answer; nothing is kept here",
            ))
        }

        fn store(&self, entries: Vec<(&'static str, Vec<u8>)>) -> Soon<'static, Result<(), String>> {
            Box::pin(within(
                WRITING_MILLIS,
                indexed::write(entries),
                "this browser's storage does not answer; the training is not kept",
            ))
        }

        fn claim(&self, by_force: bool, lost: Box<dyn FnOnce()>) -> Soon<'static, Result<bool, String>> {
            Box::pin(lock::claim(by_force, lost))
        }
    }

    /// Listens to the page and runs the engine.
    pub fn start() -> Result<(), JsValue> {
        let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
        let host = Rc::new(Worker::new(scope.clone())?);
        let (engine, inbox) = Engine::new(host.clone());
        listen(&scope, host, inbox);
        spawn_local(engine.run());
        Ok(())
    }

    fn listen(scope: &DedicatedWorkerGlobalScope, host: Rc<Worker>, inbox: Inbox) {
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let bytes = event.data().dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default();
            match protocol::decode(&bytes) {
                Ok(command) => inbox.send(command),
                Err(error) => host.send(Snapshot::Problem(error.to_string())),
            }
        });
        scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        on_message.forget();
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    console_error_panic_hook::set_once();
    if let Err(error) = worker::start() {
        web_sys::console::error_2(&"The engine cannot start:".into(), &error);
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program is the engine's worker and runs in a browser: start it with `cargo xtask serve`.");
    std::process::exit(2);
}
