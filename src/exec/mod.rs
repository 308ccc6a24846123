//! The executors: both run any plan, step by step. What drives a network (trainer, engine, command line) speaks to
//! [`Device`], [`Store`] and [`Loaded`] and does not ask which executor is behind them.

pub mod check;
pub mod cpu;
pub mod gpu;

use crate::plan::{Plan, Role, Run, TensorId};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// What an executor can refuse or lose.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExecError {
    /// No such device.
    #[error("{0}")]
    Unavailable(String),
    /// The device is gone, with all that was on it.
    #[error("the GPU device was lost ({0}); what was saved can be restored on another device")]
    Lost(String),
    /// The plan is larger than the device takes.
    #[error("{what} needs {bytes} bytes in one buffer and this device takes {limit}; choose a smaller batch")]
    TooLarge {
        /// Plan and tensor.
        what: String,
        /// Bytes needed.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The device refused a shader, a pipeline or an allocation.
    #[error("the GPU device refused {what}: {why}")]
    Refused {
        /// What.
        what: String,
        /// Its words.
        why: String,
    },
}

/// Where networks live and plans run.
#[derive(Clone, Debug)]
pub enum Device {
    /// Twins on this processor.
    Cpu,
    /// Shaders on a GPU, or on what the browser or system offers as one.
    Gpu(Arc<gpu::Context>),
}

/// A network's flat buffers on a device. Clones are handles of the same buffers.
#[derive(Clone, Debug)]
pub enum Store {
    /// In memory.
    Cpu(Rc<RefCell<cpu::Store<f32>>>),
    /// On a GPU.
    Gpu(Rc<gpu::Store>),
}

/// A plan with its buffers on a device, bound to a network's [`Store`].
#[derive(Debug)]
pub enum Loaded {
    /// In memory.
    Cpu {
        /// The plan's own buffers.
        loaded: cpu::Loaded<f32>,
        /// The network's.
        store: Rc<RefCell<cpu::Store<f32>>>,
    },
    /// On a GPU.
    Gpu(gpu::Loaded),
}

impl Device {
    /// The GPU that the browser or system offers; see [`gpu::Adapter`] for whether it is one.
    ///
    /// # Errors
    /// [`ExecError::Unavailable`], with what to do about it.
    pub async fn open_gpu(checks: gpu::Checks) -> Result<Self, ExecError> {
        let context = gpu::Context::open(checks).await?;
        // In a browser a device stays on its thread; natively tests share one.
        #[cfg_attr(target_arch = "wasm32", expect(clippy::arc_with_non_send_sync))]
        let context = Arc::new(context);
        Ok(Device::Gpu(context))
    }

    /// For people: CPU, or what answers WebGPU's calls.
    pub fn name(&self) -> &str {
        match self {
            Device::Cpu => "CPU",
            Device::Gpu(context) => &context.adapter().name,
        }
    }

    /// Zeroed flat buffers for a layout of `elements`; gradients and moments only if the network trains.
    ///
    /// # Errors
    /// If the device is lost or the buffers are larger than it takes.
    pub fn allocate(&self, elements: usize, trains: bool) -> Result<Store, ExecError> {
        match self {
            Device::Cpu => Ok(Store::Cpu(Rc::new(RefCell::new(cpu::Store::new(elements, trains))))),
            Device::Gpu(context) => Ok(Store::Gpu(Rc::new(gpu::Store::new(context, elements, trains)?))),
        }
    }

    /// Prepares a plan to run on a network's buffers. Asynchronous, since a browser says only later what it refuses.
    ///
    /// # Errors
    /// If the device is lost, or refuses a buffer or a kernel; if the network lives on another device.
    pub async fn load(&self, plan: Arc<Plan>, store: &Store) -> Result<Loaded, ExecError> {
        match (self, store) {
            (Device::Cpu, Store::Cpu(store)) => {
                Ok(Loaded::Cpu { loaded: cpu::Loaded::new(plan), store: store.clone() })
            }
            (Device::Gpu(context), Store::Gpu(store)) if store.is_on(context) => {
                Ok(Loaded::Gpu(gpu::Loaded::new(plan, store).await?))
            }
            _ => Err(ExecError::Refused {
                what: format!("plan {}", plan.name),
                why: "its network lives on another device; move the network first".into(),
            }),
        }
    }
}

impl Store {
    /// Replaces a flat buffer.
    ///
    /// # Panics
    /// If the length is not that of the buffer.
    pub fn write(&self, role: Role, values: &[f32]) {
        match self {
            Store::Cpu(store) => store.borrow_mut().buffer_mut(role).copy_from_slice(values),
            Store::Gpu(store) => store.write(role, values),
        }
    }

    /// A copy of a flat buffer.
    ///
    /// # Errors
    /// If the device is lost.
    pub async fn read(&self, role: Role) -> Result<Vec<f32>, ExecError> {
        match self {
            Store::Cpu(store) => Ok(store.borrow().buffer(role).to_vec()),
            Store::Gpu(store) => store.read(role).await,
        }
    }
}

impl Loaded {
    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        match self {
            Loaded::Cpu { loaded, .. } => loaded.plan(),
            Loaded::Gpu(loaded) => loaded.plan(),
        }
    }

    /// Writes the first elements of a tensor.
    pub fn write(&mut self, tensor: TensorId, values: &[f32]) {
        match self {
            Loaded::Cpu { loaded, .. } => loaded.tensor_mut(tensor)[..values.len()].copy_from_slice(values),
            Loaded::Gpu(loaded) => loaded.write(tensor, values),
        }
    }

    /// Runs the steps of `remaining`, taking each from its front. On the CPU it returns after the first step at whose
    /// end `pause` says so, with the others left in `remaining`; on a GPU all are submitted at once.
    ///
    /// # Errors
    /// If the device is lost.
    pub fn advance(
        &mut self,
        run: &Run,
        remaining: &mut Range<usize>,
        pause: &mut dyn FnMut() -> bool,
    ) -> Result<(), ExecError> {
        match self {
            Loaded::Cpu { loaded, store } => {
                let store = &mut store.borrow_mut();
                for step in remaining.by_ref() {
                    loaded.step(store, run, step);
                    if pause() {
                        break;
                    }
                }
                Ok(())
            }
            Loaded::Gpu(loaded) => loaded.run(run, std::mem::replace(remaining, remaining.end..remaining.end)),
        }
    }

    /// Runs a range of steps to its end.
    ///
    /// # Errors
    /// If the device is lost.
    pub fn run(&mut self, run: &Run, mut steps: Range<usize>) -> Result<(), ExecError> {
        self.advance(run, &mut steps, &mut || false)
    }

    /// Runs one step so many times, on a GPU in one submission: for timing it.
    ///
    /// # Errors
    /// If the device is lost.
    pub fn repeat(&mut self, run: &Run, step: usize, times: usize) -> Result<(), ExecError> {
        match self {
            Loaded::Cpu { loaded, store } => {
                let store = &mut store.borrow_mut();
                (0..times).for_each(|_| loaded.step(store, run, step));
                Ok(())
            }
            Loaded::Gpu(loaded) => loaded.repeat(run, step, times),
        }
    }

    /// Waits until at most `in_flight` submissions are unfinished. On the CPU nothing ever is.
    ///
    /// # Errors
    /// If the device is lost.
    pub async fn settle(&mut self, in_flight: usize) -> Result<(), ExecError> {
        match self {
            Loaded::Cpu { .. } => Ok(()),
            Loaded::Gpu(loaded) => loaded.settle(in_flight).await,
        }
    }

    /// A copy of a tensor, of its first `elements`.
    ///
    /// # Errors
    /// If the device is lost.
    pub async fn read(&self, tensor: TensorId, elements: usize) -> Result<Vec<f32>, ExecError> {
        match self {
            Loaded::Cpu { loaded, store } => Ok(loaded.view(&store.borrow(), tensor)[..elements].to_vec()),
            Loaded::Gpu(loaded) => loaded.read(tensor, elements).await,
        }
    }

    /// Copies of several tensors, of the first elements of each; on a GPU in one submission.
    ///
    /// # Errors
    /// If the device is lost.
    pub async fn read_all(&self, tensors: &[(TensorId, usize)]) -> Result<Vec<Vec<f32>>, ExecError> {
        match self {
            Loaded::Cpu { loaded, .. } => {
                Ok(tensors.iter().map(|&(tensor, elements)| loaded.tensor(tensor)[..elements].to_vec()).collect())
            }
            Loaded::Gpu(loaded) => loaded.read_all(tensors).await,
        }
    }
}
