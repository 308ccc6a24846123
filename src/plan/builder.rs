//! Builds plans, and refuses those that no executor could run.

use super::*;
use std::collections::HashSet;

/// Why a plan cannot be built. Each names the step, for whoever writes a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Two tensors of one name.
    #[error("plan {plan}: two tensors are called {tensor}; give each its own name")]
    SameName {
        /// The plan.
        plan: String,
        /// The name.
        tensor: String,
    },
    /// The step binds more or fewer tensors than the operation has ports.
    #[error("plan {plan}, step {step}: {given} tensors for {wanted} ports")]
    PortCount {
        /// The plan.
        plan: String,
        /// The step.
        step: String,
        /// Tensors bound.
        given: usize,
        /// Ports of the operation.
        wanted: usize,
    },
    /// A tensor does not have the size that its port asks for.
    #[error("plan {plan}, step {step}: {tensor} has {given} elements where port {port} takes {wanted}")]
    Misshapen {
        /// The plan.
        plan: String,
        /// The step.
        step: String,
        /// The tensor.
        tensor: String,
        /// The port.
        port: &'static str,
        /// Elements of the tensor.
        given: usize,
        /// Elements that the port takes.
        wanted: usize,
    },
    /// A tensor is read before anything has written it.
    #[error("plan {plan}, step {step}: {tensor} is read before any step has written it")]
    Unwritten {
        /// The plan.
        plan: String,
        /// The step.
        step: String,
        /// The tensor.
        tensor: String,
    },
    /// WebGPU forbids binding one buffer both read-only and writable in one dispatch, even at disjoint ranges.
    #[error("plan {plan}, step {step}: reads and writes the buffer {buffer}")]
    Aliased {
        /// The plan.
        plan: String,
        /// The step.
        step: String,
        /// The buffer.
        buffer: String,
    },
}

/// Collects tensors and steps.
pub struct Builder {
    plan: Plan,
}

impl Builder {
    /// A plan for up to `capacity` images.
    pub fn new(name: &str, capacity: usize) -> Self {
        Builder { plan: Plan { name: name.into(), capacity, buffers: vec![], tensors: vec![], steps: vec![] } }
    }

    fn buffer(&mut self, name: &str, elements: usize, role: Role) -> BufferId {
        self.plan.buffers.push(Buffer { name: name.into(), elements, role });
        BufferId(self.plan.buffers.len() - 1)
    }

    fn view(&mut self, name: &str, dims: Vec<usize>, per_image: bool, buffer: BufferId, offset: usize) -> TensorId {
        self.plan.tensors.push(Tensor { name: name.into(), dims, per_image, buffer, offset });
        TensorId(self.plan.tensors.len() - 1)
    }

    /// A tensor in a buffer of its own, with `dims` for each image.
    pub fn per_image(&mut self, role: Role, name: &str, dims: &[usize]) -> TensorId {
        let dims = [&[self.plan.capacity], dims].concat();
        let buffer = self.buffer(name, dims.iter().product(), role);
        self.view(name, dims, true, buffer, 0)
    }

    /// A tensor in a buffer of its own, of a size that does not depend on the images.
    pub fn fixed(&mut self, role: Role, name: &str, dims: &[usize]) -> TensorId {
        let buffer = self.buffer(name, dims.iter().product(), role);
        self.view(name, dims.to_vec(), false, buffer, 0)
    }

    /// The network's flat buffer of a shared role.
    pub fn shared(&mut self, role: Role, elements: usize) -> BufferId {
        match self.plan.buffers.iter().position(|buffer| buffer.role == role) {
            Some(found) => BufferId(found),
            None => self.buffer(&format!("{role:?}"), elements, role),
        }
    }

    /// A view of part of a shared buffer.
    pub fn part(&mut self, buffer: BufferId, name: &str, dims: &[usize], offset: usize) -> TensorId {
        self.view(name, dims.to_vec(), false, buffer, offset)
    }

    /// The extents of a tensor, the images' included.
    pub fn dims(&self, tensor: TensorId) -> &[usize] {
        &self.plan.tensors[tensor.0].dims
    }

    /// The tensor of that name, if there is one already.
    pub fn find(&self, name: &str) -> Option<TensorId> {
        self.plan.find(name)
    }

    /// Appends a step. `subject` says what it works on, and is put before the operation's name.
    pub fn step(
        &mut self,
        phase: Phase,
        subject: &str,
        operation: impl Operation + 'static,
        reads: &[TensorId],
        writes: &[TensorId],
    ) {
        self.step_of(phase, subject, Arc::new(operation), reads, writes);
    }

    /// [`Builder::step`] with an operation that is already shared.
    pub fn step_of(
        &mut self,
        phase: Phase,
        subject: &str,
        operation: Arc<dyn Operation>,
        reads: &[TensorId],
        writes: &[TensorId],
    ) {
        let name = format!("{subject}: {}", operation.name());
        self.plan.steps.push(Step { name, phase, operation, reads: reads.to_vec(), writes: writes.to_vec() });
    }

    /// The finished plan.
    ///
    /// # Errors
    /// [`PlanError`], naming the step that no executor could run.
    pub fn build(self) -> Result<Plan, PlanError> {
        let plan = self.plan;
        let mut names = HashSet::new();
        for tensor in &plan.tensors {
            if !names.insert(&tensor.name) {
                return Err(PlanError::SameName { plan: plan.name.clone(), tensor: tensor.name.clone() });
            }
        }
        let mut written: HashSet<TensorId> = HashSet::new();
        for step in &plan.steps {
            check_ports(&plan, step)?;
            check_order(&plan, step, &written)?;
            written.extend(&step.writes);
        }
        Ok(plan)
    }
}

fn check_ports(plan: &Plan, step: &Step) -> Result<(), PlanError> {
    let ports = step.operation.ports();
    let (reads, writes): (Vec<&Port>, Vec<&Port>) = ports.iter().partition(|port| !port.is_written());
    if reads.len() != step.reads.len() || writes.len() != step.writes.len() {
        return Err(PlanError::PortCount {
            plan: plan.name.clone(),
            step: step.name.clone(),
            given: step.reads.len() + step.writes.len(),
            wanted: ports.len(),
        });
    }
    for (port, &id) in reads.iter().chain(&writes).zip(step.reads.iter().chain(&step.writes)) {
        let tensor = plan.tensor(id);
        let wanted = port.extent.elements(plan.capacity);
        if tensor.elements() != wanted || tensor.per_image != matches!(port.extent, Extent::PerImage(_)) {
            return Err(PlanError::Misshapen {
                plan: plan.name.clone(),
                step: step.name.clone(),
                tensor: tensor.name.clone(),
                port: port.name,
                given: tensor.elements(),
                wanted,
            });
        }
    }
    Ok(())
}

fn check_order(plan: &Plan, step: &Step, written: &HashSet<TensorId>) -> Result<(), PlanError> {
    for &id in &step.reads {
        let tensor = plan.tensor(id);
        // Inputs come from the host; shared buffers outlive the plan.
        let made_here = matches!(plan.buffer(tensor.buffer).role, Role::Activation | Role::Output);
        if made_here && !written.contains(&id) {
            return Err(PlanError::Unwritten {
                plan: plan.name.clone(),
                step: step.name.clone(),
                tensor: tensor.name.clone(),
            });
        }
        if step.writes.iter().any(|&other| plan.tensor(other).buffer == tensor.buffer) {
            return Err(PlanError::Aliased {
                plan: plan.name.clone(),
                step: step.name.clone(),
                buffer: plan.buffer(tensor.buffer).name.clone(),
            });
        }
    }
    Ok(())
}
