//! Buffers on the device: allocation within its limits, release, and the way back to the host.

use super::Context;
use super::status::{Status, lock};
use crate::exec::ExecError;
use crate::plan::Role;
use futures_channel::oneshot;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Read-back buffers up to this size are kept for the next read.
const SMALL_BYTES: u64 = 64 << 10;
/// How many of them.
const SMALL_KEPT: usize = 3;

/// A buffer that is freed when it is dropped. In a browser dropping a `wgpu::Buffer` frees nothing.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) buffer: wgpu::Buffer,
    status: Arc<Status>,
}

impl Memory {
    /// A zeroed buffer of at least 4 bytes.
    pub(super) fn new(
        context: &Context,
        label: &str,
        bytes: usize,
        usage: wgpu::BufferUsages,
    ) -> Result<Self, ExecError> {
        let size = bytes.max(4) as u64;
        let limit = context.device.limits().max_buffer_size;
        if size > limit {
            return Err(ExecError::TooLarge { what: label.into(), bytes: size, limit });
        }
        let descriptor = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        let buffer = context.device.create_buffer(&descriptor);
        Status::count(&context.status.bytes, size);
        Ok(Memory { buffer, status: context.status.clone() })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.status.bytes.fetch_sub(self.buffer.size(), Ordering::Relaxed);
        self.buffer.destroy();
    }
}

/// What a tensor's buffer is used for.
pub(super) const TENSOR: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_DST).union(wgpu::BufferUsages::COPY_SRC);

/// A network's flat buffers: parameters, and if it trains gradients and moments.
#[derive(Debug)]
pub struct Store {
    pub(super) context: Arc<Context>,
    buffers: [Option<Memory>; 4],
    elements: usize,
}

impl Store {
    pub(in crate::exec) fn new(context: &Arc<Context>, elements: usize, trains: bool) -> Result<Self, ExecError> {
        context.status.check()?;
        let mut buffers = [const { None }; 4];
        for (index, role) in Role::SHARED.into_iter().enumerate().filter(|&(index, _)| index == 0 || trains) {
            buffers[index] = Some(Memory::new(context, &format!("{role:?}"), 4 * elements, TENSOR)?);
        }
        Ok(Store { context: context.clone(), buffers, elements })
    }

    /// Whether it lives on this device.
    pub(in crate::exec) fn is_on(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(&self.context, context)
    }

    pub(super) fn buffer(&self, role: Role) -> Option<&wgpu::Buffer> {
        self.buffers[role.shared_index()?].as_ref().map(|memory| &memory.buffer)
    }

    /// # Panics
    /// If the length is not that of the buffer, or the network has none of this role.
    pub(in crate::exec) fn write(&self, role: Role, values: &[f32]) {
        let buffer = self.buffer(role).unwrap_or_else(|| panic!("this network has no {role:?}"));
        assert_eq!(values.len(), self.elements, "the length of {role:?}");
        self.context.queue.write_buffer(buffer, 0, bytemuck::cast_slice(values));
    }

    pub(in crate::exec) async fn read(&self, role: Role) -> Result<Vec<f32>, ExecError> {
        match self.buffer(role) {
            Some(buffer) => Ok(self.context.read(&[(buffer, 0, self.elements)]).await?.swap_remove(0)),
            None => Ok(vec![]),
        }
    }
}

impl Context {
    /// Copies parts of buffers to the host, after all that was submitted before: each a buffer, its first byte, and so
    /// many elements.
    pub(super) async fn read(&self, parts: &[(&wgpu::Buffer, u64, usize)]) -> Result<Vec<Vec<f32>>, ExecError> {
        self.status.check()?;
        let bytes: u64 = parts.iter().map(|&(_, _, elements)| 4 * elements as u64).sum();
        if bytes == 0 {
            return Ok(vec![vec![]; parts.len()]);
        }
        let staging = self.take_staging(bytes);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut end = 0;
        for &(source, first, elements) in parts.iter().filter(|&&(_, _, elements)| elements > 0) {
            encoder.copy_buffer_to_buffer(source, first, &staging, end, 4 * elements as u64);
            end += 4 * elements as u64;
        }
        self.submit(encoder);
        let (sender, mapped) = oneshot::channel();
        staging.map_async(wgpu::MapMode::Read, ..bytes, move |result| drop(sender.send(result)));
        #[cfg(not(target_arch = "wasm32"))]
        self.poll(None)?;
        let outcome = mapped.await;
        let refused = |why: String| ExecError::Refused { what: "a read-back".into(), why };
        match outcome {
            Ok(Ok(())) => {}
            // Nothing here unmaps or destroys a buffer that is being read: a browser may refuse a read-back of a lost
            // device before it tells of the loss.
            Ok(Err(error)) => self.status.lose(format!("a read-back failed: {error}")),
            Err(_) => self.status.lose("it never answered a read-back".into()),
        }
        self.status.check()?;
        let view = staging.get_mapped_range(..bytes).map_err(|error| refused(error.to_string()))?;
        let all: Vec<f32> = bytemuck::pod_collect_to_vec(&view);
        let mut rest = all.as_slice();
        let mut values = vec![];
        for &(_, _, elements) in parts {
            let (part, after) = rest.split_at(elements);
            values.push(part.to_vec());
            rest = after;
        }
        drop(view);
        staging.unmap();
        self.keep_staging(staging);
        Ok(values)
    }

    fn take_staging(&self, bytes: u64) -> wgpu::Buffer {
        let mut kept = lock(&self.staging);
        match (bytes <= SMALL_BYTES).then(|| kept.pop()).flatten() {
            Some(buffer) => buffer,
            None => self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("read-back"),
                size: bytes.max(SMALL_BYTES),
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
        }
    }

    fn keep_staging(&self, buffer: wgpu::Buffer) {
        let mut kept = lock(&self.staging);
        if buffer.size() == SMALL_BYTES && kept.len() < SMALL_KEPT {
            kept.push(buffer);
        } else {
            buffer.destroy();
        }
    }
}
