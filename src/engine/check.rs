//! The check of the device that a page offers: every kernel against its twin, then a whole training step of the tiny
//! network, tensor by tensor. One operation a slice, so that strokes are answered in between.

use super::Engine;
use crate::capsnet::{Preset, Purpose, plan};
use crate::exec::check::{self, Finding};
use crate::exec::{Device, ExecError};
use crate::plan::{Chosen, Operation, Run};
use crate::protocol::{Checked, Snapshot};
use crate::train::initial_parameters;
use std::collections::VecDeque;
use std::sync::Arc;

/// The seed of shapes and numbers.
const SEED: u64 = 1;

/// Images of the training step.
const BATCH: usize = 3;

/// A check that goes on.
pub(super) struct Check {
    left: VecDeque<Arc<dyn Operation>>,
    findings: Vec<Finding>,
}

impl Engine {
    pub(super) fn begin_check(&mut self) {
        if matches!(self.device.current(), Device::Cpu) {
            return self.problem(
                "the device in use is the CPU, whose results are what others are checked against; choose WebGPU first",
            );
        }
        self.check = Some(Check { left: check::specimens(SEED).into(), findings: vec![] });
    }

    /// One operation, or the training step after the last.
    pub(super) async fn check_slice(&mut self) {
        let device = self.device.current().clone();
        let Some(check) = &mut self.check else { return };
        let outcome = match check.left.pop_front() {
            Some(operation) => check::operation(&device, operation, SEED).await.map(|findings| (findings, false)),
            None => training_step(&device).await.map(|findings| (findings, true)),
        };
        match outcome {
            Ok((findings, is_last)) => {
                check.findings.extend(findings);
                if is_last && let Some(check) = self.check.take() {
                    self.tell_check(&check.findings);
                }
            }
            Err(error) => {
                self.check = None;
                self.problem(error);
            }
        }
    }

    fn tell_check(&self, findings: &[Finding]) {
        let tensors = check::worst(findings).into_iter().map(|finding| {
            let name = format!("{}: {}", finding.subject, finding.tensor);
            (name, finding.error as f32)
        });
        self.host.send(Snapshot::Checked(Checked { tensors: tensors.collect(), limit: check::TOLERANCE as f32 }));
    }
}

async fn training_step(device: &Device) -> Result<Vec<Finding>, ExecError> {
    let config = Preset::Tiny.config();
    let refused = |error: crate::plan::PlanError| ExecError::Unavailable(error.to_string());
    let plan = Arc::new(plan(&config, Purpose::Train, BATCH).map_err(refused)?);
    let find = |name| plan.find(name).expect("an input of every training plan");
    // A soft blob in each image: what matters is that it is no symmetric or constant picture.
    let pixels = (0..BATCH * config.pixels()).map(|k| {
        let (x, y) = ((k % 28) as f32 - 12.0, (k / 28 % 28) as f32 - 14.0 + (k / 784) as f32);
        (-(x * x / 18.0 + y * y / 60.0 + x * y / 40.0)).exp()
    });
    let labels = (0..BATCH).map(|image| image as f32);
    let inputs = [(find("pixels"), pixels.collect()), (find("labels"), labels.collect())];
    let parameters = initial_parameters(&config, SEED);
    let mut run = Run::new(BATCH, config.iterations(), Chosen::Label);
    config.adam.prepare(&mut run, 0);
    check::plan(device, plan, &parameters, &inputs, &run).await
}
