//! A native host for the engine, for tests: assets from the repository, storage in memory, and a script that answers
//! what the engine says.

use capscope::engine::{Engine, Host, Inbox, Soon};
use capscope::exec::Device;
use capscope::exec::gpu::{Checks, Context};
use capscope::protocol::{Command, Exploration, Network, Procedure, Shown, Snapshot, TrainingSettings};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{self, Waker};
use std::time::Instant;

/// What a test does with each snapshot: it may send commands, and ends the engine by dropping its inbox.
type Script = Box<dyn FnMut(&Snapshot, &mut Option<Inbox>)>;

/// Answers fetches from the repository's assets.
struct Native {
    start: Instant,
    snapshots: RefCell<Vec<Snapshot>>,
    script: RefCell<Script>,
    inbox: RefCell<Option<Inbox>>,
    shelf: Rc<Shelf>,
    gpus: Option<Gpus>,
    /// What waits beside the loop.
    waiting: RefCell<Vec<Soon<'static, ()>>>,
}

/// The devices that a host has opened, so that a test can take them away.
pub type Gpus = Rc<RefCell<Vec<Arc<Context>>>>;

impl Native {
    /// Goes on with what waits; it is looked at each time that the loop breathes.
    fn poll_waiting(&self) {
        let mut waiting = self.waiting.take();
        waiting.retain_mut(|work| work.as_mut().poll(&mut task::Context::from_waker(Waker::noop())).is_pending());
        self.waiting.borrow_mut().append(&mut waiting);
    }
}

/// Storage that outlives an engine, shared by all engines that are given it.
#[derive(Default)]
pub struct Shelf {
    /// What is stored.
    pub values: RefCell<HashMap<&'static str, Vec<u8>>>,
    /// Told when another engine takes the storage over.
    holder: RefCell<Option<Box<dyn FnOnce()>>>,
    /// Why nothing can be stored, if that is so.
    pub refusal: RefCell<Option<String>>,
}

impl Shelf {
    /// As if another tab had it.
    pub fn held_elsewhere(self: &Rc<Self>) {
        self.holder.replace(Some(Box::new(|| ())));
    }

    /// As if another tab took it over.
    pub fn take_over(&self) {
        if let Some(tell) = self.holder.replace(Some(Box::new(|| ()))) {
            tell();
        }
    }

    /// As if the tab that has it were closed.
    pub fn let_go(&self) {
        self.holder.replace(None);
    }
}

impl Host for Native {
    fn send(&self, snapshot: Snapshot) {
        (self.script.borrow_mut())(&snapshot, &mut self.inbox.borrow_mut());
        self.snapshots.borrow_mut().push(snapshot);
    }

    fn fetch<'a>(&'a self, path: &'a str, progress: &'a dyn Fn(u32, u32)) -> Soon<'a, Result<Vec<u8>, String>> {
        Box::pin(async move {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(path);
            let bytes = std::fs::read(&file).map_err(|error| format!("{path}: {error}"))?;
            progress(bytes.len() as u32, bytes.len() as u32);
            Ok(bytes)
        })
    }

    fn spawn(&self, work: Soon<'static, ()>) {
        // Files are read at once; only the loss of a device is waited for.
        self.waiting.borrow_mut().push(work);
        self.poll_waiting();
    }

    fn breathe(&self) -> Soon<'_, ()> {
        self.poll_waiting();
        Box::pin(async {})
    }

    fn now(&self) -> f64 {
        self.start.elapsed().as_secs_f64() * 1000.0
    }

    fn request_gpu(&self) -> Soon<'static, Result<Device, String>> {
        let Some(gpus) = self.gpus.clone() else {
            return Box::pin(async { Err("this host has no GPU".to_string()) });
        };
        Box::pin(async move {
            let device = Device::open_gpu(Checks::Kept).await.map_err(|error| error.to_string())?;
            if let Device::Gpu(context) = &device {
                gpus.borrow_mut().push(context.clone());
            }
            Ok(device)
        })
    }

    fn cpu_name(&self) -> String {
        "CPU".into()
    }

    fn date(&self) -> f64 {
        1.8e12
    }

    fn stored<'a>(&'a self, key: &'a str) -> Soon<'a, Result<Option<Vec<u8>>, String>> {
        Box::pin(async move { Ok(self.shelf.values.borrow().get(key).cloned()) })
    }

    fn store(&self, entries: Vec<(&'static str, Vec<u8>)>) -> Soon<'static, Result<(), String>> {
        let shelf = self.shelf.clone();
        Box::pin(async move {
            if let Some(refusal) = shelf.refusal.borrow().clone() {
                return Err(refusal);
            }
            shelf.values.borrow_mut().extend(entries);
            Ok(())
        })
    }

    fn claim(&self, by_force: bool, lost: Box<dyn FnOnce()>) -> Soon<'static, Result<bool, String>> {
        let shelf = self.shelf.clone();
        Box::pin(async move {
            if let Some(refusal) = shelf.refusal.borrow().clone() {
                return Err(refusal);
            }
            if shelf.holder.borrow().is_some() && !by_force {
                return Ok(false);
            }
            if let Some(tell) = shelf.holder.replace(Some(lost)) {
                tell();
            }
            Ok(true)
        })
    }
}

/// Runs the engine until the script drops the inbox; all that it said.
pub fn run(first: Vec<Command>, script: impl FnMut(&Snapshot, &mut Option<Inbox>) + 'static) -> Vec<Snapshot> {
    run_with(Rc::default(), first, script)
}

/// The same with storage that may outlive it.
pub fn run_with(
    shelf: Rc<Shelf>,
    first: Vec<Command>,
    script: impl FnMut(&Snapshot, &mut Option<Inbox>) + 'static,
) -> Vec<Snapshot> {
    run_on(None, shelf, first, script)
}

/// The same on a host with a GPU, if `gpus` is given.
pub fn run_on(
    gpus: Option<Gpus>,
    shelf: Rc<Shelf>,
    first: Vec<Command>,
    script: impl FnMut(&Snapshot, &mut Option<Inbox>) + 'static,
) -> Vec<Snapshot> {
    let host = Rc::new(Native {
        start: Instant::now(),
        snapshots: RefCell::default(),
        script: RefCell::new(Box::new(script)),
        inbox: RefCell::default(),
        shelf,
        gpus,
        waiting: RefCell::default(),
    });
    let (engine, inbox) = Engine::new(host.clone());
    first.into_iter().for_each(|command| inbox.send(command));
    host.inbox.replace(Some(inbox));
    pollster::block_on(engine.run());
    host.snapshots.take()
}

/// Settings of a short training.
pub fn settings(preset: &str, batch: u32) -> TrainingSettings {
    TrainingSettings {
        preset: preset.into(),
        pairs: false,
        procedure: Procedure::Dynamic,
        batch,
        iterations: 3,
        seed: 1,
        rate: 1e-3,
        reconstruction: 0.0005,
        epochs: 1,
        evaluate_every: 0,
    }
}

/// A stroke to be read.
pub fn exploration(serial: u64, network: Network) -> Exploration {
    let pixels = (0..784).map(|k| if (300..500).contains(&k) && k % 28 > 10 && k % 28 < 16 { 1.0 } else { 0.0 });
    Exploration {
        serial,
        network,
        pixels: pixels.collect(),
        procedure: None,
        iterations: 3,
        shown: Shown::Longest,
        offsets: vec![0.0; 16],
        two: false,
        sweep: None,
        grid: None,
    }
}
