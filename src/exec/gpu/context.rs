//! A GPU device: how it is found, and what all plans on it share.

use super::pipelines::Pipelines;
use super::status::{Counters, Status, lock};
use super::tuning::Tuner;
use crate::exec::ExecError;
use futures_channel::oneshot;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Whether compiled shaders keep the checks that a browser always keeps: indices within buffers, loops that end, divisors
/// that are not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// As in a browser: tests.
    Kept,
    /// Faster. The shaders are this crate's own, and the tests run them with the checks.
    Dropped,
}

/// What answers WebGPU's calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// As the driver or browser names it; may be empty in a browser.
    pub name: String,
    /// True if it computes on the processor: slower than the CPU executor.
    pub is_software: bool,
}

/// A submission that has not been seen to finish.
#[derive(Debug)]
struct Unfinished {
    #[cfg(not(target_arch = "wasm32"))]
    index: wgpu::SubmissionIndex,
    done: oneshot::Receiver<()>,
}

/// A GPU device with the pipelines that plans have needed so far. Plans, stores and handles share it.
#[derive(Debug)]
pub struct Context {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) pipelines: Pipelines,
    pub(super) tuner: Tuner,
    pub(super) status: Arc<Status>,
    /// Read-back buffers for small tensors, kept for the next read.
    pub(super) staging: Mutex<Vec<wgpu::Buffer>>,
    adapter: Adapter,
    unfinished: Mutex<VecDeque<Unfinished>>,
}

/// That there is no adapter, and the way out.
fn no_adapter(error: &wgpu::RequestAdapterError) -> String {
    if cfg!(target_arch = "wasm32") {
        return "this browser has WebGPU but offers no adapter for its graphics hardware; the CPU is used".into();
    }
    format!(
        "no GPU adapter was found ({error}); install a Vulkan driver (on Debian and Ubuntu the package \
         mesa-vulkan-drivers has one that needs no GPU) or choose the CPU"
    )
}

impl Context {
    /// Opens the device that the browser or the system offers, with WebGPU's default limits and no features.
    ///
    /// # Errors
    /// [`ExecError::Unavailable`] if there is no adapter, or it gives no device.
    pub async fn open(checks: Checks) -> Result<Self, ExecError> {
        // Natively, keep to what a browser takes.
        let flags = wgpu::InstanceFlags::from_build_config() | wgpu::InstanceFlags::STRICT_WEBGPU_COMPLIANCE;
        let descriptor = wgpu::InstanceDescriptor {
            backends: wgpu::Backends::PRIMARY,
            flags,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        };
        let instance = wgpu::Instance::new(descriptor);
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = instance.request_adapter(&options).await;
        let adapter = adapter.map_err(|error| ExecError::Unavailable(no_adapter(&error)))?;
        let described = super::adapter::describe(&adapter).await;
        let (device, queue) = adapter.request_device(&wgpu::DeviceDescriptor::default()).await.map_err(|error| {
            ExecError::Unavailable(format!("the adapter {} gives no device ({error}); choose the CPU", described.name))
        })?;
        let status = Arc::new(Status::default());
        let (on_loss, on_error) = (status.clone(), status.clone());
        device.set_device_lost_callback(move |reason, message| on_loss.lose(format!("{reason:?}: {message}")));
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| on_error.refuse(error.to_string())));
        Ok(Context {
            pipelines: Pipelines::new(checks),
            tuner: Tuner::default(),
            status,
            staging: Mutex::default(),
            adapter: described,
            unfinished: Mutex::default(),
            device,
            queue,
        })
    }

    /// What answers the calls.
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// What the device has been asked to do.
    pub fn counters(&self) -> Counters {
        self.status.counters()
    }

    /// Why the device is gone, if it is.
    pub fn loss(&self) -> Option<String> {
        self.status.loss()
    }

    /// Answers once the device is lost; errs if it is given up before. Keeps nothing of the device alive.
    pub fn on_loss(&self) -> oneshot::Receiver<()> {
        self.status.on_loss()
    }

    /// Gives the device up, as if it were lost.
    pub fn destroy(&self) {
        self.status.lose("it was given up".into());
        self.device.destroy();
    }

    pub(super) fn submit(&self, encoder: wgpu::CommandEncoder) {
        let index = self.queue.submit([encoder.finish()]);
        Status::count(&self.status.submits, 1);
        let (sender, done) = oneshot::channel();
        // Nobody listens once a device has been given up.
        self.queue.on_submitted_work_done(move || {
            let _ = sender.send(());
        });
        #[cfg(target_arch = "wasm32")]
        let _ = index;
        let mut unfinished = lock(&self.unfinished);
        while unfinished.front_mut().is_some_and(|oldest| !matches!(oldest.done.try_recv(), Ok(None))) {
            unfinished.pop_front();
        }
        unfinished.push_back(Unfinished {
            #[cfg(not(target_arch = "wasm32"))]
            index,
            done,
        });
    }

    /// Waits until at most `in_flight` submissions are unfinished.
    pub(super) async fn settle(&self, in_flight: usize) -> Result<(), ExecError> {
        loop {
            let oldest = {
                let mut unfinished = lock(&self.unfinished);
                if unfinished.len() > in_flight { unfinished.pop_front() } else { None }
            };
            let Some(oldest) = oldest else { break };
            // A browser calls back by itself.
            #[cfg(not(target_arch = "wasm32"))]
            self.poll(Some(oldest.index))?;
            // A sender dropped unused is a device that is gone: `check` says so.
            let _ = oldest.done.await;
        }
        self.status.check()
    }

    /// Blocks until a submission is done, by default the newest, and makes the callbacks.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn poll(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<(), ExecError> {
        match self.device.poll(wgpu::PollType::Wait { submission_index, timeout: None }) {
            Ok(_) => Ok(()),
            Err(error) => {
                self.status.check()?;
                Err(ExecError::Lost(error.to_string()))
            }
        }
    }
}
