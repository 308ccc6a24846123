//! Runs plans by calling twins. Generic over the precision: f32 runs networks, f64 checks gradients.

use crate::ops::Real;
use crate::plan::{BufferId, Call, Plan, Role, Run, Step, TensorId};
use std::ops::Range;
use std::sync::Arc;

/// A precision together with the twin that runs in it.
pub trait Precision: Real {
    /// Calls the step's twin of this precision.
    fn twin(step: &Step, call: Call<'_, Self>);
}

impl Precision for f32 {
    fn twin(step: &Step, call: Call<'_, Self>) {
        step.operation.twin(call);
    }
}

impl Precision for f64 {
    fn twin(step: &Step, call: Call<'_, Self>) {
        step.operation.twin_double(call);
    }
}

/// A network's flat buffers: parameters, and if it trains gradients and moments.
#[derive(Clone, Debug, Default)]
pub struct Store<T> {
    buffers: [Vec<T>; 4],
}

impl<T: Precision> Store<T> {
    /// Zeros for `elements` parameters, and as many gradients and moments if `trains`.
    pub fn new(elements: usize, trains: bool) -> Self {
        let mut store = Store { buffers: Default::default() };
        for (index, buffer) in store.buffers.iter_mut().enumerate() {
            if index == 0 || trains {
                buffer.resize(elements, T::ZERO);
            }
        }
        store
    }

    /// The buffer of a shared role; empty if the network does not train.
    pub fn buffer(&self, role: Role) -> &[T] {
        role.shared_index().map_or(&[], |index| &self.buffers[index])
    }

    /// The buffer of a shared role, to be written.
    ///
    /// # Panics
    /// If the role is not a shared one.
    pub fn buffer_mut(&mut self, role: Role) -> &mut [T] {
        &mut self.buffers[role.shared_index().expect("a shared role")]
    }
}

/// A plan with its own buffers.
#[derive(Debug)]
pub struct Loaded<T> {
    plan: Arc<Plan>,
    own: Vec<Vec<T>>,
}

impl<T: Precision> Loaded<T> {
    /// Allocates the plan's own buffers, filled with zeros.
    pub fn new(plan: Arc<Plan>) -> Self {
        let size = |role: Role, elements| if role.shared_index().is_some() { 0 } else { elements };
        let own = plan.buffers.iter().map(|buffer| vec![T::ZERO; size(buffer.role, buffer.elements)]).collect();
        Loaded { plan, own }
    }

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The elements of a tensor in a buffer of the plan's own.
    pub fn tensor(&self, id: TensorId) -> &[T] {
        let tensor = self.plan.tensor(id);
        &self.own[tensor.buffer.0][tensor.offset..][..tensor.elements()]
    }

    /// The same, to be written.
    pub fn tensor_mut(&mut self, id: TensorId) -> &mut [T] {
        let tensor = self.plan.tensor(id);
        &mut self.own[tensor.buffer.0][tensor.offset..][..tensor.elements()]
    }

    /// Runs one step.
    pub fn step(&mut self, store: &mut Store<T>, run: &Run, index: usize) {
        let plan = self.plan.clone();
        let step = &plan.steps[index];
        // The written buffers leave their places, so that the others can be borrowed while they change. A built plan
        // reads no buffer that it writes.
        let mut written: Vec<(BufferId, Vec<T>)> = vec![];
        for &id in &step.writes {
            let buffer = plan.tensor(id).buffer;
            if written.iter().all(|(taken, _)| *taken != buffer) {
                written.push((buffer, std::mem::take(self.place(store, buffer))));
            }
        }
        let writes = views(&plan, &step.writes, &mut written);
        let reads = step.reads.iter().map(|&id| self.view(store, id)).collect();
        T::twin(step, Call { run, reads, writes });
        for (buffer, content) in written {
            *self.place(store, buffer) = content;
        }
    }

    /// Runs the steps of a range.
    pub fn run(&mut self, store: &mut Store<T>, run: &Run, steps: Range<usize>) {
        steps.for_each(|index| self.step(store, run, index));
    }

    fn place<'a>(&'a mut self, store: &'a mut Store<T>, buffer: BufferId) -> &'a mut Vec<T> {
        match self.plan.buffer(buffer).role.shared_index() {
            Some(index) => &mut store.buffers[index],
            None => &mut self.own[buffer.0],
        }
    }

    /// The elements of a tensor, wherever its buffer is.
    pub(in crate::exec) fn view<'a>(&'a self, store: &'a Store<T>, id: TensorId) -> &'a [T] {
        let tensor = self.plan.tensor(id);
        let buffer = match self.plan.buffer(tensor.buffer).role.shared_index() {
            Some(index) => &store.buffers[index],
            None => &self.own[tensor.buffer.0],
        };
        &buffer[tensor.offset..][..tensor.elements()]
    }
}

/// The written tensors as disjoint slices, in the order of `ids`.
fn views<'a, T>(plan: &Plan, ids: &[TensorId], written: &'a mut [(BufferId, Vec<T>)]) -> Vec<&'a mut [T]> {
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_by_key(|&k| plan.tensor(ids[k]).offset);
    let mut slices: Vec<Option<&'a mut [T]>> = ids.iter().map(|_| None).collect();
    for (buffer, content) in written {
        let (mut rest, mut start) = (content.as_mut_slice(), 0);
        for &k in order.iter().filter(|&&k| plan.tensor(ids[k]).buffer == *buffer) {
            let tensor = plan.tensor(ids[k]);
            let (_, from) = rest.split_at_mut(tensor.offset - start);
            let (slice, after) = from.split_at_mut(tensor.elements());
            slices[k] = Some(slice);
            (rest, start) = (after, tensor.offset + tensor.elements());
        }
    }
    slices.into_iter().flatten().collect()
}
