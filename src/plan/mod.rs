//! A network of a given shape, as data: tensors, and the steps that read and write them.
//!
//! A plan is made once and run many times, by either executor. It knows no
//! executor and no network: an operation is anything that implements [`Operation`].

mod builder;
mod operation;
mod run;

pub use builder::{Builder, PlanError};
pub use operation::{Access, Call, Content, Cost, Extent, Grid, Kernel, Operation, Port};
pub use run::{Chosen, LEDGER_COLUMNS, LEDGER_ROWS, LedgerColumn, Run};

use std::sync::Arc;

/// Names a tensor of one plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorId(pub usize);

/// Names a buffer of one plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub usize);

/// Whose a buffer is, and how long its content lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Written by the host before a run.
    Input,
    /// Lives within a run.
    Activation,
    /// Kept after a run, for the host to read.
    Output,
    /// The network's flat parameters; like the three below shared by all of its plans.
    Parameters,
    /// The flat gradients.
    Gradients,
    /// Adam's first moments.
    FirstMoments,
    /// Adam's second moments.
    SecondMoments,
}

impl Role {
    /// The flat buffers that belong to the network, in the order in which a [`Store`](crate::exec::Store) holds them.
    pub const SHARED: [Role; 4] = [Role::Parameters, Role::Gradients, Role::FirstMoments, Role::SecondMoments];

    /// Its place in [`Role::SHARED`]; `None` for a buffer of the plan's own.
    pub fn shared_index(self) -> Option<usize> {
        Role::SHARED.iter().position(|&role| role == self)
    }
}

/// One allocation of f32 (f64 when gradients are checked). Labels and chosen classes are stored as numbers too, so
/// that a plan has one element type.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// For messages.
    pub name: String,
    /// Its length in elements.
    pub elements: usize,
    /// Whose it is.
    pub role: Role,
}

/// A named view of a buffer.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// Unique in its plan, such as `primary.weight` or `gradient of votes`.
    pub name: String,
    /// Row-major; the first extent of a tensor with one entry per image is the plan's capacity.
    pub dims: Vec<usize>,
    /// True if the first extent counts images.
    pub per_image: bool,
    /// Where it lives.
    pub buffer: BufferId,
    /// First element within the buffer.
    pub offset: usize,
}

impl Tensor {
    /// Its length in elements.
    pub fn elements(&self) -> usize {
        self.dims.iter().product()
    }
}

/// The part of a training step that a step belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// From pictures to lengths and reconstruction.
    Forward,
    /// From losses to gradients.
    Backward,
    /// From gradients to parameters.
    Update,
}

/// One operation on named tensors.
#[derive(Clone, Debug)]
pub struct Step {
    /// Unique in its plan, such as `primary: conv_forward`.
    pub name: String,
    /// Its part of the training step.
    pub phase: Phase,
    /// What is done.
    pub operation: Arc<dyn Operation>,
    /// The tensors read, in the order of the operation's reading ports.
    pub reads: Vec<TensorId>,
    /// The tensors written, in the order of its writing ports.
    pub writes: Vec<TensorId>,
}

/// Tensors and steps of one network at one capacity.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Such as `train` or `trace`.
    pub name: String,
    /// The most images that one run takes.
    pub capacity: usize,
    /// The allocations.
    pub buffers: Vec<Buffer>,
    /// The views.
    pub tensors: Vec<Tensor>,
    /// In order of execution.
    pub steps: Vec<Step>,
}

impl Plan {
    /// The tensor of that name.
    pub fn find(&self, name: &str) -> Option<TensorId> {
        self.tensors.iter().position(|tensor| tensor.name == name).map(TensorId)
    }

    /// The tensor behind an id of this plan.
    pub fn tensor(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.0]
    }

    /// The buffer behind an id of this plan.
    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.0]
    }

    /// Bytes (f32) of the buffers that the plan itself owns: what loading it allocates.
    pub fn own_bytes(&self) -> usize {
        4 * self.buffers.iter().filter(|b| b.role.shared_index().is_none()).map(|b| b.elements).sum::<usize>()
    }

    /// The largest single binding in bytes; WebGPU's default limit is 128 MiB.
    pub fn largest_binding_bytes(&self) -> usize {
        4 * self.tensors.iter().map(Tensor::elements).max().unwrap_or(0)
    }

    /// Work of one run over `live` images.
    pub fn cost(&self, live: usize) -> Cost {
        self.steps.iter().map(|step| step.operation.cost(live)).sum()
    }

    /// The most floating-point operations that any one step does for one image: what bounds the length of a slice.
    pub fn heaviest_step_flops(&self) -> u64 {
        self.steps.iter().map(|step| step.operation.cost(1).flops).max().unwrap_or(0)
    }

    /// The index after the last step of `phase`; the length of the plan if it has none.
    pub fn end_of(&self, phase: Phase) -> usize {
        self.steps.iter().rposition(|step| step.phase == phase).map_or(self.steps.len(), |last| last + 1)
    }
}
