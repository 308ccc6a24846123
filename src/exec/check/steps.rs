//! A whole plan, step by step.

use super::{Finding, distance};
use crate::exec::{Device, ExecError, Loaded, Store};
use crate::plan::{Plan, Role, Run, TensorId};
use std::sync::Arc;

/// Checks a plan step by step: every tensor that a step writes, after which the device goes on with the twin's numbers, so
/// that each step is judged by itself and no rounding before a ReLU is taken for a fault.
///
/// # Errors
/// If the device is lost or refuses something.
pub async fn plan(
    device: &Device,
    plan: Arc<Plan>,
    parameters: &[f32],
    inputs: &[(TensorId, Vec<f32>)],
    run: &Run,
) -> Result<Vec<Finding>, ExecError> {
    let trains = plan.buffers.iter().any(|buffer| buffer.role == Role::Gradients);
    let (mut twin, mut on_device) = (
        Side::new(&Device::Cpu, &plan, parameters, trains).await?,
        Side::new(device, &plan, parameters, trains).await?,
    );
    for (tensor, values) in inputs {
        twin.loaded.write(*tensor, values);
        on_device.loaded.write(*tensor, values);
    }
    let mut findings = vec![];
    for (index, step) in plan.steps.iter().enumerate() {
        twin.loaded.run(run, index..index + 1)?;
        on_device.loaded.run(run, index..index + 1)?;
        for &tensor in &step.writes {
            let expected = twin.read(tensor).await?;
            let error = distance(&expected, &on_device.read(tensor).await?);
            let (subject, tensor_name) = (step.name.clone(), plan.tensor(tensor).name.clone());
            let case = format!("step {index} of plan {}, {:?}", plan.name, step.operation);
            findings.push(Finding { subject, tensor: tensor_name, case, error });
            on_device.follow(&twin, tensor, &expected).await?;
        }
    }
    Ok(findings)
}

/// A plan and its network on one of the two devices.
struct Side {
    store: Store,
    loaded: Loaded,
}

impl Side {
    async fn new(device: &Device, plan: &Arc<Plan>, parameters: &[f32], trains: bool) -> Result<Self, ExecError> {
        let store = device.allocate(parameters.len(), trains)?;
        store.write(Role::Parameters, parameters);
        let loaded = device.load(plan.clone(), &store).await?;
        Ok(Side { store, loaded })
    }

    async fn read(&self, id: TensorId) -> Result<Vec<f32>, ExecError> {
        let plan = self.loaded.plan();
        let tensor = plan.tensor(id);
        let role = plan.buffer(tensor.buffer).role;
        if role.shared_index().is_none() {
            return self.loaded.read(id, tensor.elements()).await;
        }
        Ok(self.store.read(role).await?[tensor.offset..][..tensor.elements()].to_vec())
    }

    /// Takes a tensor over from the other side.
    async fn follow(&mut self, other: &Side, id: TensorId, values: &[f32]) -> Result<(), ExecError> {
        let plan = self.loaded.plan();
        let role = plan.buffer(plan.tensor(id).buffer).role;
        if role.shared_index().is_some() {
            self.store.write(role, &other.store.read(role).await?);
        } else {
            self.loaded.write(id, values);
        }
        Ok(())
    }
}
