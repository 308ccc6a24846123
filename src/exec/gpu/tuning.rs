//! Which of an operation's kernels runs on this device: the guess for its kind, one that a person forces, or the one that
//! a measurement found fastest, kept for every shape.

use super::status::lock;
use super::{Context, Loaded};
use crate::exec::ExecError;
use crate::plan::{Chosen, Kernel, Operation, Plan, Run};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// How kernels are chosen where an operation has several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tuning {
    /// The first for hardware, the last for an adapter that computes on a processor. Nothing is measured, so two runs
    /// anywhere have the same kernels.
    #[default]
    Guessed,
    /// The fastest for the shape at hand, measured when it is first needed.
    Measured,
    /// That of this name where there is one.
    Forced(String),
}

/// The kernels chosen by measurement, by the operation with its sizes and the images they were measured with.
pub type Choices = BTreeMap<String, String>;

/// Tuning and choices of a device.
#[derive(Debug, Default)]
pub(super) struct Tuner {
    tuning: Mutex<Tuning>,
    choices: Mutex<Choices>,
}

/// Images that a measurement runs over, at most: enough to tell kernels apart, few enough for a slow device.
const IMAGES: usize = 8;

/// A measurement repeats a kernel until it takes about so long, in milliseconds.
const LONG_ENOUGH_MS: f64 = 2.0;

/// The most repetitions.
const MOST_REPEATS: f64 = 64.0;

impl Context {
    /// Sets how kernels are chosen, for plans that are loaded from now on; returns how they were.
    pub fn set_tuning(&self, tuning: Tuning) -> Tuning {
        std::mem::replace(&mut *lock(&self.tuner.tuning), tuning)
    }

    /// What measurements have found so far.
    pub fn choices(&self) -> Choices {
        lock(&self.tuner.choices).clone()
    }

    /// Takes over what measurements on this device have found before.
    pub fn adopt(&self, choices: Choices) {
        lock(&self.tuner.choices).extend(choices);
    }

    /// The kernel of an operation for up to `capacity` images, if it need not be measured.
    fn known(&self, operation: &dyn Operation, capacity: usize) -> Option<Kernel> {
        let mut kernels = operation.kernels();
        if kernels.len() == 1 {
            return kernels.pop();
        }
        let guess = if self.adapter().is_software { kernels.len() - 1 } else { 0 };
        let key = || key(operation, &self.candidates(operation), capacity);
        let named = |name: &str| kernels.iter().position(|kernel| kernel.variant == name);
        let index = match &*lock(&self.tuner.tuning) {
            Tuning::Guessed => Some(guess),
            Tuning::Forced(name) => Some(named(name).unwrap_or(guess)),
            Tuning::Measured => lock(&self.tuner.choices).get(&key()).and_then(|name| named(name)),
        };
        index.map(|index| kernels.swap_remove(index))
    }

    /// The kernels that a measurement compares.
    fn candidates(&self, operation: &dyn Operation) -> Vec<Kernel> {
        let mut kernels = operation.kernels();
        kernels.retain(|kernel| self.adapter().is_software || !kernel.is_for_processors);
        kernels
    }

    /// The variant that a plan of this capacity runs, if there are several and it is known.
    pub fn variant(&self, operation: &dyn Operation, capacity: usize) -> Option<&'static str> {
        self.known(operation, capacity).map(|kernel| kernel.variant).filter(|variant| !variant.is_empty())
    }

    /// The kernels of a plan's steps. Those that are to be measured are represented by their first.
    pub(super) fn kernels(&self, plan: &Plan) -> Vec<Kernel> {
        let steps = plan.steps.iter().map(|step| &*step.operation);
        steps.map(|operation| self.known(operation, plan.capacity).unwrap_or_else(|| operation.kernel())).collect()
    }
}

/// What a choice is kept under. The kernels' names are part of it: where there is a new one, all are measured again.
fn key(operation: &dyn Operation, candidates: &[Kernel], capacity: usize) -> String {
    let names: Vec<&str> = candidates.iter().map(|kernel| kernel.variant).collect();
    format!("{operation:?} for {} images, {}", capacity.min(IMAGES), names.join(" or "))
}

impl Loaded {
    /// Measures the kernels of every step for which none is known, and takes the fastest. The plan's own buffers are used,
    /// so this is done before the plan holds anything.
    pub(super) async fn tune(&mut self) -> Result<(), ExecError> {
        let plan = self.plan.clone();
        for (index, step) in plan.steps.iter().enumerate() {
            let operation = &*step.operation;
            if self.context().known(operation, plan.capacity).is_some() {
                continue;
            }
            let mut fastest: Option<(f64, Kernel)> = None;
            let candidates = self.context().candidates(operation);
            let key = key(operation, &candidates, plan.capacity);
            for kernel in candidates {
                self.prepare(index, &kernel).await?;
                let ms = self.milliseconds(index).await?;
                if fastest.as_ref().is_none_or(|(least, _)| ms < *least) {
                    fastest = Some((ms, kernel));
                }
            }
            if let Some((_, kernel)) = fastest {
                self.prepare(index, &kernel).await?;
                self.context().adopt(Choices::from([(key, kernel.variant.to_string())]));
            }
        }
        Ok(())
    }

    /// How long a step takes: the better of two tries, after one that warms up.
    async fn milliseconds(&self, step: usize) -> Result<f64, ExecError> {
        let run = Run::new(self.plan.capacity.min(IMAGES), 1, Chosen::Label);
        let once = self.timed(&run, step, 1).await?.min(self.timed(&run, step, 1).await?);
        let repeats = (LONG_ENOUGH_MS / once.max(1e-3)).clamp(1.0, MOST_REPEATS) as usize;
        if repeats == 1 {
            return Ok(once);
        }
        let again = self.timed(&run, step, repeats).await?.min(self.timed(&run, step, repeats).await?);
        Ok(again / repeats as f64)
    }

    async fn timed(&self, run: &Run, step: usize, times: usize) -> Result<f64, ExecError> {
        self.settle(0).await?;
        let start = now_ms();
        self.repeat(run, step, times)?;
        self.settle(0).await?;
        Ok(now_ms() - start)
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn now_ms() -> f64 {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64() * 1e3
}

/// The clock of the page or of the worker, whichever this is.
#[cfg(target_arch = "wasm32")]
fn now_ms() -> f64 {
    use wasm_bindgen::JsCast;
    let clock = js_sys::Reflect::get(&js_sys::global(), &"performance".into());
    clock.ok().and_then(|clock| clock.dyn_into::<web_sys::Performance>().ok()).map_or(0.0, |clock| clock.now())
}
