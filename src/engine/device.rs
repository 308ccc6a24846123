//! Which executor runs, and why.

use super::{Engine, Event, kernels};
use crate::capsnet::{Config, Purpose, plan};
use crate::exec::Device;
use crate::exec::gpu::{Context, Tuning};
use crate::protocol::{DeviceChoice, DeviceKind, DeviceStatus, Snapshot};

/// Floating-point operations that a slice may hold on the CPU in a page: 20 ms at about 8 GFLOP/s.
const CPU_SLICE_FLOPS: u64 = 160_000_000;

/// The same for a software adapter, which is many times slower.
const SOFTWARE_SLICE_FLOPS: u64 = 40_000_000;

/// The same for a GPU.
const GPU_SLICE_FLOPS: u64 = 20_000_000_000;

/// After so many losses the CPU goes on: a device that was lost so often will be lost again.
const MOST_LOSSES: u32 = 3;

/// The executor in use and what was asked for.
pub(super) struct Choice {
    device: Device,
    wanted: DeviceChoice,
    asked: bool,
    /// Devices lost since a person last chose one.
    losses: u32,
    /// The kernels that measurements have found fastest.
    pub(super) kernels: Option<kernels::Found>,
    /// What the last loss has done, until the page has been told which device goes on.
    aftermath: String,
}

impl Default for Choice {
    fn default() -> Self {
        Choice {
            device: Device::Cpu,
            wanted: DeviceChoice::Cpu,
            asked: false,
            losses: 0,
            kernels: None,
            aftermath: String::new(),
        }
    }
}

impl Choice {
    /// The device that networks live on.
    pub(super) fn current(&self) -> &Device {
        &self.device
    }

    /// Whether WebGPU and nothing else is to train, and has not answered for the first time.
    pub(super) fn is_awaited(&self) -> bool {
        self.asked && self.wanted == DeviceChoice::WebGpu && self.losses == 0
    }

    /// Why the device is gone, if it is.
    pub(super) fn loss(&self) -> Option<String> {
        match &self.device {
            Device::Cpu => None,
            Device::Gpu(context) => context.loss(),
        }
    }

    /// Images that a slice of a plan takes, by the work of its heaviest step. A network that cannot be planned is
    /// refused where its plan is made.
    pub(super) fn images_a_slice(&self, config: &Config, purpose: Purpose) -> usize {
        let flops = plan(config, purpose, 1).map_or(1, |plan| plan.heaviest_step_flops());
        let most = match &self.device {
            Device::Cpu => CPU_SLICE_FLOPS,
            Device::Gpu(context) if context.adapter().is_software => SOFTWARE_SLICE_FLOPS,
            Device::Gpu(_) => GPU_SLICE_FLOPS,
        };
        (most / flops.max(1)).clamp(1, 1024) as usize
    }
}

fn is_software(device: &Device) -> bool {
    matches!(device, Device::Gpu(context) if context.adapter().is_software)
}

impl Engine {
    /// Starts on the CPU, at once; WebGPU takes over when it has answered.
    pub(super) async fn choose_device(&mut self, choice: DeviceChoice) {
        self.device.wanted = choice;
        self.device.losses = 0;
        self.device.aftermath.clear();
        if choice == DeviceChoice::Cpu {
            if let Err(error) = self.use_device(Device::Cpu).await {
                self.problem(error);
            }
            self.tell_device(true, false, String::new());
            return self.train_at_last();
        }
        self.tell_device(false, false, String::new());
        self.request_gpu();
    }

    /// Asks for WebGPU beside the loop, unless it has been asked already.
    fn request_gpu(&mut self) {
        if let Some(sender) = self.sender.upgrade()
            && !std::mem::replace(&mut self.device.asked, true)
        {
            let (request, host) = (self.host.request_gpu(), self.host.clone());
            self.host.spawn(Box::pin(async move {
                let device = request.await;
                let kernels = host.stored(kernels::KEY).await.ok().flatten();
                let _ = sender.try_send(Event::Gpu(device, kernels));
            }));
        }
    }

    /// WebGPU has answered; training that waited for it begins.
    pub(super) async fn gpu_answered(&mut self, outcome: Result<Device, String>, stored: Option<Vec<u8>>) {
        self.take_device(outcome, stored).await;
        self.train_at_last();
    }

    async fn take_device(&mut self, outcome: Result<Device, String>, stored: Option<Vec<u8>>) {
        self.device.asked = false;
        if self.device.kernels.is_none() {
            self.device.kernels = stored.and_then(|bytes| kernels::Found::from_stored(&bytes));
        }
        if self.device.wanted == DeviceChoice::Cpu {
            return;
        }
        let aftermath = std::mem::take(&mut self.device.aftermath);
        match outcome {
            Ok(device) if self.device.wanted == DeviceChoice::Auto && is_software(&device) => {
                let reason = format!("WebGPU is {} here, a software adapter: the CPU is faster", device.name());
                self.tell_device(true, true, reason);
            }
            Ok(device) => {
                let software = is_software(&device);
                if let Device::Gpu(context) = &device {
                    context.set_tuning(Tuning::Measured);
                    self.wake_on_loss(context);
                }
                self.adopt_kernels(&device);
                if let Err(why) = self.use_device(device).await {
                    return self.leave_device(why).await;
                }
                self.remember_kernels();
                // A device that was lost on the way here is told of when it is replaced.
                if self.device.loss().is_none() {
                    self.tell_device(true, software, aftermath);
                }
            }
            Err(reason) if aftermath.is_empty() => self.tell_device(true, false, reason),
            Err(reason) => self.tell_device(true, false, format!("{aftermath}; {reason}")),
        }
    }

    /// A device that does not take what runs here, such as one that refuses a shader or has too little memory, is left
    /// again. One that was lost meanwhile is replaced where losses are.
    pub(super) async fn leave_device(&mut self, why: String) {
        if self.device.loss().is_some() {
            return;
        }
        if let Err(error) = self.use_device(Device::Cpu).await {
            self.problem(error);
        }
        self.tell_device(true, false, format!("{why}; the CPU is used"));
    }

    /// A loss wakes the loop, which looks at the device before anything else.
    fn wake_on_loss(&self, context: &Context) {
        let (lost, sender) = (context.on_loss(), self.sender.clone());
        self.host.spawn(Box::pin(async move {
            if let (Ok(()), Some(sender)) = (lost.await, sender.upgrade()) {
                let _ = sender.try_send(Event::Lost);
            }
        }));
    }

    /// The device is gone with all that was on it. The CPU goes on at once from what is in memory, training from its
    /// last state, and WebGPU is asked for again until it has been lost too often.
    pub(super) async fn recover(&mut self, why: String) {
        self.device.device = Device::Cpu;
        self.device.losses += 1;
        self.readers.clear();
        self.check = None;
        let evaluated = self.take_awaited_evaluation();
        let from = match self.rebuild_training().await {
            Ok(from) => from.map_or_else(String::new, |step| format!("; training goes on from step {step}")),
            Err(error) => format!("; the network in training could not be rebuilt: {error}"),
        };
        for shipped in self.shipped.values_mut() {
            if let Err(error) = shipped.move_to(&Device::Cpu) {
                self.host.send(Snapshot::Problem(error.to_string()));
            }
        }
        if let Some(network) = evaluated {
            self.begin_evaluation(network).await;
        }
        self.exploration = self.exploration.take().or_else(|| self.latest.clone());
        let why = why.trim_end_matches(['.', ' ', ':']);
        let told = format!("the WebGPU device was lost ({why}){from}");
        if self.device.losses < MOST_LOSSES {
            self.device.aftermath = told;
            self.tell_device(false, false, String::new());
            self.request_gpu();
        } else {
            self.device.wanted = DeviceChoice::Cpu;
            self.tell_device(true, false, format!("{told}; that was the third loss, and the CPU is used from now on"));
        }
    }

    /// Moves every network to another device, and reads the digit in view there: a device that fails does so here.
    async fn use_device(&mut self, device: Device) -> Result<(), String> {
        self.readers.clear();
        self.give_up_evaluation();
        self.give_up_comparison();
        self.check = None;
        self.device.device = device.clone();
        for shipped in self.shipped.values_mut() {
            shipped.move_to(&device).map_err(|error| error.to_string())?;
        }
        self.move_training(&device).await?;
        // The device is told only after this: what the page then shows has come from it.
        match self.exploration.take().or_else(|| self.latest.clone()) {
            Some(exploration) => self.try_to_explore(exploration).await,
            None => Ok(()),
        }
    }

    fn tell_device(&self, settled: bool, software: bool, reason: String) {
        let (kind, name) = match self.device.current() {
            Device::Cpu => (DeviceKind::Cpu, self.host.cpu_name()),
            Device::Gpu(context) => (DeviceKind::WebGpu, context.adapter().name.clone()),
        };
        self.host.send(Snapshot::Device(DeviceStatus { kind, name, settled, software, reason }));
    }
}
