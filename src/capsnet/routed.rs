//! The routed layers of a network's plans: votes, a procedure's operations wired by the names of their ports, and the
//! way back.

use super::plans::Model;
use super::{Purpose, Routed};
use crate::ops::activity::{self, Activity};
use crate::ops::batch_sum::BatchSum;
use crate::ops::votes;
use crate::plan::{Extent, Operation, Phase, Role, TensorId};
use crate::routing::{Coefficients, PROCEDURES, Problem, Procedure};
use std::collections::HashMap;
use std::sync::Arc;

/// The most routing iterations that a page or a command may ask for.
const MOST_ITERATIONS: usize = 10;

/// A routed layer's tensors that the backward pass needs.
pub(super) struct RoutedTensors {
    input: TensorId,
    pub(super) v: TensorId,
    projection: votes::Projection,
    problem: Problem,
    /// Every tensor that the layer's operations read or write, by the name of the port.
    ports: HashMap<&'static str, TensorId>,
}

impl Routed {
    /// The layer's problem for so many children.
    pub(super) fn problem(&self, children: usize, iterations: usize) -> Problem {
        let (parents, dims, coefficients) = (self.parents, self.dims, Coefficients::Softmax);
        Problem { positions: 1, children, parents, dims, iterations, coefficients }
    }

    /// The trainable tensors of the layer's procedure: name and extents.
    pub(super) fn tensors(&self, children: usize) -> Vec<(&'static str, Vec<usize>)> {
        let mut tensors = self.procedure().tensors(&self.problem(children, 1));
        tensors.retain(|(name, _)| *name != "bias" || self.bias);
        tensors
    }

    /// The procedures that mean something to this layer's votes without training: all that learn nothing but the bias,
    /// and the layer's own.
    pub fn comparable(&self) -> Vec<&'static dyn Procedure> {
        let problem = self.problem(1, 1);
        let learns_nothing = |procedure: &dyn Procedure| {
            procedure.tensors(&problem).iter().all(|(name, _)| *name == "bias") || procedure.name() == self.procedure
        };
        PROCEDURES.iter().copied().filter(|procedure| learns_nothing(*procedure)).collect()
    }
}

impl Model<'_> {
    /// The procedure of a layer's steps: the one that stands in for all, or its own.
    fn procedure_of(&self, layer: &Routed) -> &'static dyn Procedure {
        self.procedure.unwrap_or_else(|| layer.procedure())
    }

    /// Votes and routing of a layer; its tensors, and the entropy of its last coefficients.
    pub(super) fn route(&mut self, index: usize, input: TensorId) -> (RoutedTensors, TensorId) {
        let layer = &self.config.routed[index];
        let (projection, votes) = self.vote(layer, input);
        let iterations = if self.purpose == Purpose::TrainTraced { layer.iterations } else { MOST_ITERATIONS };
        let problem = layer.problem(projection.children, iterations);
        let ports = self.settle(layer, self.procedure_of(layer), &layer.name, &problem, [input, votes]);
        let entropy = ports["entropy"];
        (RoutedTensors { input, v: ports["v"], projection, problem, ports }, entropy)
    }

    /// The votes of a layer, once, and every procedure that they mean something to, each under its own name.
    pub(super) fn compare(&mut self, index: usize, input: TensorId) {
        let layer = &self.config.routed[index];
        let (projection, votes) = self.vote(layer, input);
        let problem = layer.problem(projection.children, MOST_ITERATIONS);
        for procedure in layer.comparable() {
            self.settle(layer, procedure, procedure.name(), &problem, [input, votes]);
        }
    }

    fn vote(&mut self, layer: &Routed, input: TensorId) -> (votes::Projection, TensorId) {
        let (children, dims_in) = match *self.builder.dims(input) {
            [_, children, dims] => (children, dims),
            ref other => unreachable!("poses have three extents, not {other:?}"),
        };
        let projection = votes::Projection { children, parents: layer.parents, dims_in, dims_out: layer.dims };
        let name = layer.name.as_str();
        let weight = self.parameter(&format!("{name}.weight"));
        let votes = self.activation(&format!("{name} votes"), &[children, layer.parents, layer.dims]);
        self.forward(name, votes::Forward(projection), &[input, weight], &[votes]);
        (projection, votes)
    }

    /// From a layer's votes to its parents by a procedure; its tensors are `called` so. All that was read or written, by
    /// the name of the port.
    fn settle(
        &mut self,
        layer: &Routed,
        procedure: &dyn Procedure,
        called: &str,
        problem: &Problem,
        [input, votes]: [TensorId; 2],
    ) -> HashMap<&'static str, TensorId> {
        let mut ports = HashMap::from([("votes", votes)]);
        for (port, shape) in procedure.tensors(problem) {
            let parameter = format!("{}.{port}", layer.name);
            let tensor = if self.layout.find(&parameter).is_some() {
                self.parameter(&parameter)
            } else {
                // An input that the host never writes stays 0.
                self.builder.fixed(Role::Input, &format!("{called} without {port}"), &shape)
            };
            ports.insert(port, tensor);
        }
        let operations = procedure.forward(*problem);
        if operations.iter().flat_map(|operation| operation.ports()).any(|port| port.name == "activation") {
            let activation = self.activation(&format!("{called} activation"), &[problem.children]);
            let activity = Activity { capsules: problem.children, dims: self.builder.dims(input)[2] };
            self.forward(called, activity::Forward(activity), &[input], &[activation]);
            ports.insert("activation", activation);
        }
        for operation in operations {
            self.wire(Phase::Forward, called, problem, operation, &mut ports);
        }
        if self.purpose.traced() {
            self.wire(Phase::Forward, called, problem, procedure.trace(*problem), &mut ports);
        }
        ports
    }

    /// A step whose ports are bound to the tensors of their names. What nothing has written yet is made.
    fn wire(
        &mut self,
        phase: Phase,
        called: &str,
        problem: &Problem,
        operation: Arc<dyn Operation>,
        ports: &mut HashMap<&'static str, TensorId>,
    ) {
        let (mut reads, mut writes) = (vec![], vec![]);
        for port in operation.ports() {
            let tensor = *ports.entry(port.name).or_insert_with(|| {
                let Extent::PerImage(elements) = port.extent else {
                    unreachable!("{} of {} is a tensor of the procedure", port.name, operation.name())
                };
                let (name, dims) = described(called, port.name, problem, elements);
                self.builder.per_image(Role::Activation, &name, &dims)
            });
            if port.is_written() { &mut writes } else { &mut reads }.push(tensor);
        }
        self.builder.step_of(phase, called, operation, &reads, &writes);
    }

    /// From the gradient of the class capsules to that of the primary ones.
    pub(super) fn routed_backward(&mut self, layers: Vec<RoutedTensors>, gv: TensorId) -> TensorId {
        let mut gv = gv;
        for (index, layer) in layers.into_iter().enumerate().rev() {
            let settings = &self.config.routed[index];
            let name = settings.name.as_str();
            let RoutedTensors { input, projection, problem, mut ports, .. } = layer;
            ports.insert("gv", gv);
            for operation in self.procedure_of(settings).backward(problem, settings.gradient) {
                self.wire(Phase::Backward, name, &problem, operation, &mut ports);
            }
            for (port, shape) in settings.tensors(projection.children) {
                let parts = ports.iter().find(|(name, _)| name.strip_prefix('g') == Some(port));
                let (_, &parts) = parts.expect("a procedure differentiates its tensors");
                let gradient = self.gradient(&format!("{name}.{port}"));
                self.backward(name, BatchSum { width: shape.iter().product() }, &[parts], &[gradient]);
            }
            let gvotes = ports["gvotes"];
            let gweight = self.gradient(&format!("{name}.weight"));
            self.backward(name, votes::BackwardWeight(projection), &[gvotes, input], &[gweight]);
            let below = if index == 0 { "primary" } else { &self.config.routed[index - 1].name };
            let gu = self.activation(&format!("gradient of {below}"), &[projection.children, projection.dims_in]);
            let weight = self.find(&format!("{name}.weight"));
            self.backward(name, votes::BackwardInput(projection), &[gvotes, weight], &[gu]);
            if let Some(&gactivation) = ports.get("gactivation") {
                let activity = Activity { capsules: projection.children, dims: projection.dims_in };
                self.backward(name, activity::Backward(activity), &[input, gactivation], &[gu]);
            }
            gv = gu;
        }
        gv
    }
}

/// What a plan calls the tensor of a layer's port, and its extents.
fn described(layer: &str, port: &str, problem: &Problem, elements: usize) -> (String, Vec<usize>) {
    let Problem { children, parents, dims, iterations, .. } = *problem;
    let (what, dims) = match port {
        "v" => ("v", vec![parents, dims]),
        "history" => ("s history", vec![iterations, parents, dims]),
        "vs" => ("v history", vec![iterations, parents, dims]),
        "logits" | "coupling" => (port, vec![iterations, children, parents]),
        "gvotes" => return (format!("gradient of {layer} votes"), vec![children, parents, dims]),
        _ => match port.strip_prefix('g') {
            Some(of) => return (format!("gradient of {layer} {of}, by image"), vec![elements]),
            None => (port, vec![elements]),
        },
    };
    (format!("{layer} {what}"), dims)
}
