//! Which executor runs, and why.

use super::{Engine, Event};
use crate::capsnet::{Config, Purpose, plan};
use crate::exec::Device;
use crate::exec::gpu::Tuning;
use crate::protocol::{DeviceChoice, DeviceKind, DeviceStatus, Snapshot};

/// Floating-point operations that a slice may hold on the CPU in a page: 20 ms at about 8 GFLOP/s.
const CPU_SLICE_FLOPS: u64 = 160_000_000;

/// The same for a software adapter, which is many times slower.
const SOFTWARE_SLICE_FLOPS: u64 = 40_000_000;

/// The same for a GPU.
const GPU_SLICE_FLOPS: u64 = 20_000_000_000;

/// The executor in use and what was asked for.
pub(super) struct Choice {
    device: Device,
    wanted: DeviceChoice,
    asked: bool,
}

impl Default for Choice {
    fn default() -> Self {
        Choice { device: Device::Cpu, wanted: DeviceChoice::Cpu, asked: false }
    }
}

impl Choice {
    /// The device that networks live on.
    pub(super) fn current(&self) -> &Device {
        &self.device
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
        if choice == DeviceChoice::Cpu {
            self.use_device(Device::Cpu).await;
            return self.tell_device(true, false, String::new());
        }
        self.tell_device(false, false, String::new());
        if let Some(sender) = self.sender.upgrade()
            && !std::mem::replace(&mut self.device.asked, true)
        {
            let request = self.host.request_gpu();
            self.host.spawn(Box::pin(async move {
                let _ = sender.try_send(Event::Gpu(request.await));
            }));
        }
    }

    pub(super) async fn gpu_answered(&mut self, outcome: Result<Device, String>) {
        self.device.asked = false;
        if self.device.wanted == DeviceChoice::Cpu {
            return;
        }
        match outcome {
            Ok(device) if self.device.wanted == DeviceChoice::Auto && is_software(&device) => {
                let reason = format!("WebGPU is {} here, a software adapter: the CPU is faster", device.name());
                self.tell_device(true, true, reason);
            }
            Ok(device) => {
                let software = is_software(&device);
                if let Device::Gpu(context) = &device {
                    context.set_tuning(Tuning::Measured);
                }
                self.use_device(device).await;
                self.tell_device(true, software, String::new());
            }
            Err(reason) => self.tell_device(true, false, reason),
        }
    }

    /// Moves every network to another device, and reads the digit in view there.
    async fn use_device(&mut self, device: Device) {
        self.readers.clear();
        self.give_up_evaluation();
        self.check = None;
        self.device.device = device.clone();
        for shipped in self.shipped.values_mut() {
            if let Err(error) = shipped.move_to(&device).await {
                return self.problem(error);
            }
        }
        if let Err(error) = self.move_training(&device).await {
            self.problem(error);
        }
        // The device is told only after this: what the page then shows has come from it.
        if let Some(exploration) = self.exploration.take().or_else(|| self.latest.clone()) {
            self.explore(exploration).await;
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
