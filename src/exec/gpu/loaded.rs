//! A plan on the device: buffers, bind groups and pipelines are made once; a run writes one uniform block, encodes and
//! submits.

use super::Context;
use super::memory::{Memory, Store, TENSOR};
use super::pipelines::Pipeline;
use super::status::Status;
use crate::exec::ExecError;
use crate::plan::{Grid, Kernel, Operation, Plan, Run, Step, TensorId};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// A step, ready to be dispatched.
#[derive(Debug)]
struct Prepared {
    pipeline: Arc<Pipeline>,
    bindings: wgpu::BindGroup,
    grid: Grid,
}

/// A plan with its buffers on a device, bound to a network's [`Store`].
#[derive(Debug)]
pub struct Loaded {
    pub(super) plan: Arc<Plan>,
    store: Rc<Store>,
    uniform: Memory,
    own: Vec<Option<Memory>>,
    steps: Vec<Prepared>,
}

impl Loaded {
    pub(in crate::exec) async fn new(plan: Arc<Plan>, store: &Rc<Store>) -> Result<Self, ExecError> {
        let context = store.context.clone();
        context.status.check()?;
        let kernels = context.kernels(&plan);
        check_sizes(&context, &plan, &kernels)?;
        let memory = context.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let own = plan.buffers.iter().map(|buffer| {
            let label = format!("{} of plan {}", buffer.name, plan.name);
            match buffer.role.shared_index() {
                Some(_) => Ok(None),
                None => Memory::new(&context, &label, 4 * buffer.elements, TENSOR).map(Some),
            }
        });
        let own = own.collect::<Result<Vec<_>, ExecError>>();
        let verdict = memory.pop();
        let uniform_usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let uniform = Memory::new(&context, "run", size_of::<Run>(), uniform_usage)?;
        let own = own?;
        if let Some(error) = verdict.await {
            let what = format!("{} bytes for plan {}", plan.own_bytes(), plan.name);
            return Err(ExecError::Refused { what, why: error.to_string() });
        }
        let operations: Vec<(&dyn Operation, &Kernel)> =
            plan.steps.iter().map(|step| &*step.operation).zip(&kernels).collect();
        let pipelines = context.pipelines.of(&context, &operations).await?;
        let mut loaded = Loaded { plan: plan.clone(), store: store.clone(), uniform, own, steps: vec![] };
        for ((step, pipeline), kernel) in plan.steps.iter().zip(pipelines).zip(&kernels) {
            let bindings = loaded.bind(step, &pipeline.layout)?;
            loaded.steps.push(Prepared { pipeline, bindings, grid: kernel.grid });
        }
        loaded.tune().await?;
        Ok(loaded)
    }

    /// Gives a step another kernel of its operation.
    pub(super) async fn prepare(&mut self, index: usize, kernel: &Kernel) -> Result<(), ExecError> {
        let step = &self.plan.steps[index];
        let context = self.context();
        let pipeline = context.pipelines.of(context, &[(&*step.operation, kernel)]).await?.swap_remove(0);
        let bindings = self.bind(step, &pipeline.layout)?;
        self.steps[index] = Prepared { pipeline, bindings, grid: kernel.grid };
        Ok(())
    }

    pub(super) fn context(&self) -> &Context {
        &self.store.context
    }

    /// The buffer of a tensor, with the first byte and the length of its part.
    fn part(&self, id: TensorId) -> Result<(&wgpu::Buffer, u64, u64), ExecError> {
        let tensor = self.plan.tensor(id);
        let role = self.plan.buffer(tensor.buffer).role;
        let own = self.own[tensor.buffer.0].as_ref().map(|memory| &memory.buffer);
        let buffer = own.or_else(|| self.store.buffer(role)).ok_or_else(|| ExecError::Refused {
            what: format!("plan {}", self.plan.name),
            why: format!("it needs {role:?}, and this network was not allocated to train"),
        })?;
        Ok((buffer, 4 * tensor.offset as u64, 4 * tensor.elements() as u64))
    }

    fn bind(&self, step: &Step, layout: &wgpu::BindGroupLayout) -> Result<wgpu::BindGroup, ExecError> {
        let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: self.uniform.buffer.as_entire_binding() }];
        for &id in step.reads.iter().chain(&step.writes) {
            let (buffer, offset, bytes) = self.part(id)?;
            let size = std::num::NonZeroU64::new(bytes);
            let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size });
            entries.push(wgpu::BindGroupEntry { binding: entries.len() as u32, resource });
        }
        let descriptor = wgpu::BindGroupDescriptor { label: Some(&step.name), layout, entries: &entries };
        Ok(self.context().device.create_bind_group(&descriptor))
    }

    pub(in crate::exec) fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// # Panics
    /// If the tensor is shorter than the values.
    pub(in crate::exec) fn write(&self, id: TensorId, values: &[f32]) {
        let (buffer, offset, bytes) = self.part(id).expect("a loaded plan has all of its buffers");
        assert!(4 * values.len() as u64 <= bytes, "{} takes fewer values", self.plan.tensor(id).name);
        self.context().queue.write_buffer(buffer, offset, bytemuck::cast_slice(values));
    }

    /// Submits the steps of a range at once.
    pub(in crate::exec) fn run(&self, run: &Run, steps: Range<usize>) -> Result<(), ExecError> {
        self.submit(run, &self.steps[steps])
    }

    /// Submits one step so many times over, at once.
    pub(in crate::exec) fn repeat(&self, run: &Run, step: usize, times: usize) -> Result<(), ExecError> {
        self.submit(run, std::iter::repeat_n(&self.steps[step], times))
    }

    fn submit<'a>(&self, run: &Run, steps: impl IntoIterator<Item = &'a Prepared>) -> Result<(), ExecError> {
        let context = self.context();
        context.status.check()?;
        // Ordered with the submissions: earlier ones still see their own block.
        context.queue.write_buffer(&self.uniform.buffer, 0, bytemuck::bytes_of(run));
        let mut encoder = context.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        let mut dispatches = 0;
        for step in steps {
            dispatches += 1;
            pass.set_pipeline(&step.pipeline.pipeline);
            pass.set_bind_group(0, &step.bindings, &[]);
            let [x, y, z] = step.grid.workgroups(run.live as usize).map(|groups| groups as u32);
            pass.dispatch_workgroups(x, y, z);
        }
        drop(pass);
        Status::count(&context.status.dispatches, dispatches);
        context.submit(encoder);
        Ok(())
    }

    pub(in crate::exec) async fn settle(&self, in_flight: usize) -> Result<(), ExecError> {
        self.context().settle(in_flight).await
    }

    pub(in crate::exec) async fn read(&self, id: TensorId, elements: usize) -> Result<Vec<f32>, ExecError> {
        Ok(self.read_all(&[(id, elements)]).await?.swap_remove(0))
    }

    /// # Panics
    /// If a tensor is shorter than is asked for.
    pub(in crate::exec) async fn read_all(&self, tensors: &[(TensorId, usize)]) -> Result<Vec<Vec<f32>>, ExecError> {
        let parts = tensors.iter().map(|&(id, elements)| {
            assert!(elements <= self.plan.tensor(id).elements(), "{} is shorter", self.plan.tensor(id).name);
            let (buffer, offset, _) = self.part(id)?;
            Ok((buffer, offset, elements))
        });
        self.context().read(&parts.collect::<Result<Vec<_>, ExecError>>()?).await
    }
}

/// Refuses what passes the device's limits, before anything is allocated.
fn check_sizes(context: &Context, plan: &Plan, kernels: &[Kernel]) -> Result<(), ExecError> {
    let limit = context.device.limits().max_storage_buffer_binding_size;
    for tensor in &plan.tensors {
        let bytes = 4 * tensor.elements() as u64;
        if bytes > limit {
            return Err(ExecError::TooLarge { what: format!("{} of plan {}", tensor.name, plan.name), bytes, limit });
        }
    }
    for (step, kernel) in plan.steps.iter().zip(kernels) {
        let groups = kernel.grid.workgroups(plan.capacity);
        let why = if groups.iter().any(|&along| along > Grid::MOST) {
            format!("it needs {groups:?} workgroups, and WebGPU promises {} a dimension", Grid::MOST)
        } else if kernel.workgroup_bytes > Kernel::MOST_WORKGROUP_BYTES {
            let most = Kernel::MOST_WORKGROUP_BYTES;
            format!("it needs {} bytes of workgroup memory, and WebGPU promises {most}", kernel.workgroup_bytes)
        } else {
            continue;
        };
        return Err(ExecError::Refused { what: format!("{} of plan {}", step.name, plan.name), why });
    }
    Ok(())
}
