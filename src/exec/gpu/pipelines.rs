//! Compiled kernels, kept for every plan that needs them again.

use super::status::lock;
use super::{Checks, Context, shaders};
use crate::exec::ExecError;
use crate::plan::{Kernel, Operation, Run};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

/// A compiled kernel and the layout of its bindings.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
}

/// What tells one compiled kernel from another: shader, constants, and overrides by their bits.
type Key = (&'static str, Vec<(&'static str, u32)>, Vec<(&'static str, u64)>);

fn key(kernel: &Kernel) -> Key {
    let overrides = kernel.overrides.iter().map(|&(name, value)| (name, value.to_bits())).collect();
    (kernel.shader, kernel.consts.clone(), overrides)
}

/// The pipelines of a device so far.
#[derive(Debug)]
pub(super) struct Pipelines {
    checks: Checks,
    known: Mutex<HashMap<Key, Arc<Pipeline>>>,
}

/// A pipeline that the device has not accepted yet.
struct Candidate {
    key: Key,
    pipeline: Arc<Pipeline>,
    verdict: Pin<Box<dyn Future<Output = Option<wgpu::Error>>>>,
}

impl Pipelines {
    pub(super) fn new(checks: Checks) -> Self {
        Pipelines { checks, known: Mutex::default() }
    }

    /// The pipelines of some operations' kernels, in their order; all are compiled before any verdict is awaited.
    pub(super) async fn of(
        &self,
        context: &Context,
        operations: &[(&dyn Operation, &Kernel)],
    ) -> Result<Vec<Arc<Pipeline>>, ExecError> {
        let mut candidates: Vec<Candidate> = vec![];
        let mut pipelines = vec![];
        for &(operation, kernel) in operations {
            let key = key(kernel);
            let known = lock(&self.known).get(&key).cloned();
            let asked = candidates.iter().find(|candidate| candidate.key == key);
            let pipeline = match known.or(asked.map(|candidate| candidate.pipeline.clone())) {
                Some(pipeline) => pipeline,
                None => {
                    let candidate = self.compile(context, operation, kernel)?;
                    let pipeline = candidate.pipeline.clone();
                    candidates.push(candidate);
                    pipeline
                }
            };
            pipelines.push(pipeline);
        }
        for candidate in candidates {
            match candidate.verdict.await {
                None => lock(&self.known).insert(candidate.key, candidate.pipeline),
                Some(error) => {
                    let what = format!("the shader {}", candidate.key.0);
                    return Err(ExecError::Refused { what, why: error.to_string() });
                }
            };
        }
        Ok(pipelines)
    }

    fn compile(&self, context: &Context, operation: &dyn Operation, kernel: &Kernel) -> Result<Candidate, ExecError> {
        let text = shaders::text(kernel)?;
        let device = &context.device;
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let label = Some(kernel.shader);
        let source = wgpu::ShaderModuleDescriptor { label, source: wgpu::ShaderSource::Wgsl(text.as_str().into()) };
        let module = match self.checks {
            Checks::Kept => device.create_shader_module(source),
            // SAFETY: the shaders are this crate's own; the tests run each of them, with the checks, on the shapes that
            // are hardest on its bounds, and validate them.
            Checks::Dropped => unsafe {
                device.create_shader_module_trusted(source, wgpu::ShaderRuntimeChecks::unchecked())
            },
        };
        let layout = device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &layout_entries(operation) });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &kernel.overrides,
                // No kernel reads workgroup memory that it has not written.
                zero_initialize_workgroup_memory: self.checks == Checks::Kept,
            },
            cache: None,
        });
        let verdict = Box::pin(scope.pop());
        Ok(Candidate { key: key(kernel), pipeline: Arc::new(Pipeline { pipeline, layout }), verdict })
    }
}

/// Binding 0 is the run's uniform block; the ports follow in order.
fn layout_entries(operation: &dyn Operation) -> Vec<wgpu::BindGroupLayoutEntry> {
    let entry = |binding: usize, ty, size: Option<u64>| wgpu::BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: size.and_then(std::num::NonZeroU64::new),
        },
        count: None,
    };
    let ports = operation.ports();
    let storage = ports.iter().enumerate().map(|(index, port)| {
        let ty = wgpu::BufferBindingType::Storage { read_only: !port.is_written() };
        entry(index + 1, ty, None)
    });
    let uniform = entry(0, wgpu::BufferBindingType::Uniform, Some(size_of::<Run>() as u64));
    std::iter::once(uniform).chain(storage).collect()
}
