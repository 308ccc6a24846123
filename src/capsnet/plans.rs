//! The plans of a network. Forward, loss, backward and update are written once, here; nothing below knows the model,
//! and nothing here knows an executor.

use super::{Config, Layout};
use crate::ops::{
    adam::Adam,
    conv,
    dense::{self, Activation, Dense},
    lengths::Lengths,
    margin_loss::MarginLoss,
    reconstruction_loss::ReconstructionLoss,
    squash,
    tally::Tally,
};
use crate::plan::{BufferId, Builder, LEDGER_COLUMNS, LEDGER_ROWS, Phase, Plan, PlanError, Role, TensorId};
use crate::routing::Procedure;

/// WebGPU's default limit of one storage binding.
const BINDING_BYTES: usize = 128 << 20;

/// What a plan is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Forward, backward and one Adam step. Tensors for host and tests: see [`plan`].
    Train,
    /// [`Purpose::Train`] with every iteration's logits, coefficients and v: golden cases, and looking at a step.
    TrainTraced,
    /// Lengths, loss and entropy, without the decoder.
    Evaluate,
    /// Everything of a picture: activations, every iteration, the reconstruction; up to 10 iterations.
    Trace,
    /// The votes of the class capsules once, and every iteration of each procedure of
    /// [`Routed::comparable`](super::Routed::comparable) on them.
    Compare,
    /// From poses to pictures.
    Decode,
}

impl Purpose {
    pub(super) fn trains(self) -> bool {
        matches!(self, Purpose::Train | Purpose::TrainTraced)
    }

    pub(super) fn traced(self) -> bool {
        matches!(self, Purpose::TrainTraced | Purpose::Trace | Purpose::Compare)
    }
}

/// The most images a plan may take at once: no binding may pass WebGPU's default limit of 128 MiB. Larger batches run
/// in chunks.
pub fn most_images(config: &Config, purpose: Purpose) -> Result<usize, PlanError> {
    let one = plan(config, purpose, 1)?;
    let largest = one.tensors.iter().filter(|tensor| tensor.per_image).map(|tensor| tensor.elements()).max();
    Ok((BINDING_BYTES / 4 / largest.unwrap_or(1)).max(1))
}

/// The plan of a network for up to `capacity` images.
///
/// Tensors that the host writes: `pixels` [B, height·width], `labels` [B]; for two overlapping digits also
/// `second labels` [B] and for training `first target` and `second target` [B, height·width], each digit by itself; for
/// [`Purpose::Decode`] `pose` [B, J, D] and `chosen` [B]. To be read: `conv1`, `primary`, for a layer called digit `digit votes`, `digit v`, `digit s history`
/// and if traced `digit logits`, `digit coupling`, `digit v history`; `lengths`, `chosen`, `reconstruction`, `ledger`. For
/// [`Purpose::Compare`] `coupling` and `v history` stand after the name of each procedure instead of the layer's.
///
/// # Errors
/// [`PlanError`], which a checked configuration never causes.
pub fn plan(config: &Config, purpose: Purpose, capacity: usize) -> Result<Plan, PlanError> {
    plan_routed_by(config, purpose, capacity, None)
}

/// [`plan`] of a network that is routed by another procedure than its own. Tensors that the network does not have are 0.
///
/// # Errors
/// As of [`plan`].
pub fn plan_routed_by(
    config: &Config,
    purpose: Purpose,
    capacity: usize,
    procedure: Option<&'static dyn Procedure>,
) -> Result<Plan, PlanError> {
    let layout = Layout::new(config);
    let name = format!("{purpose:?}").to_lowercase();
    let mut builder = Builder::new(&name, capacity);
    let parameters = builder.shared(Role::Parameters, layout.elements);
    let mut model = Model { config, layout: &layout, purpose, procedure, parameters, gradients: None, builder };
    if purpose == Purpose::Decode {
        model.decode();
    } else {
        model.network();
    }
    model.builder.build()
}

pub(super) struct Model<'a> {
    pub(super) config: &'a Config,
    pub(super) layout: &'a Layout,
    pub(super) purpose: Purpose,
    /// Routes in place of each layer's own procedure.
    pub(super) procedure: Option<&'static dyn Procedure>,
    parameters: BufferId,
    gradients: Option<BufferId>,
    pub(super) builder: Builder,
}

/// A run of the decoder in training.
struct Decoding {
    /// Put before the names of its tensors and steps: empty, or which of two digits it is.
    which: &'static str,
    layers: Vec<DenseTensors>,
    /// Of its output.
    gradient: TensorId,
    chosen: TensorId,
}

/// A dense layer with its input and output.
struct DenseTensors {
    dense: Dense,
    x: TensorId,
    y: TensorId,
}

impl Model<'_> {
    pub(super) fn activation(&mut self, name: &str, dims: &[usize]) -> TensorId {
        self.builder.per_image(Role::Activation, name, dims)
    }

    /// A parameter by the name it has in files.
    pub(super) fn parameter(&mut self, name: &str) -> TensorId {
        self.part(self.parameters, name, name)
    }

    /// The gradient of a parameter.
    pub(super) fn gradient(&mut self, name: &str) -> TensorId {
        let buffer = self.gradients.expect("a training plan");
        self.part(buffer, name, &format!("grad.{name}"))
    }

    /// A view of a parameter or its gradient; the decoder's are used twice where there are two digits.
    fn part(&mut self, buffer: BufferId, parameter: &str, name: &str) -> TensorId {
        if let Some(known) = self.builder.find(name) {
            return known;
        }
        let entry = self.layout.find(parameter).expect("a parameter of this configuration");
        self.builder.part(buffer, name, &entry.shape, entry.offset)
    }

    pub(super) fn forward(
        &mut self,
        subject: &str,
        operation: impl crate::plan::Operation + 'static,
        reads: &[TensorId],
        writes: &[TensorId],
    ) {
        self.builder.step(Phase::Forward, subject, operation, reads, writes);
    }

    pub(super) fn backward(
        &mut self,
        subject: &str,
        operation: impl crate::plan::Operation + 'static,
        reads: &[TensorId],
        writes: &[TensorId],
    ) {
        self.builder.step(Phase::Backward, subject, operation, reads, writes);
    }

    fn network(&mut self) {
        let config = self.config;
        if self.purpose.trains() {
            self.gradients = Some(self.builder.shared(Role::Gradients, self.layout.elements));
        }
        let pixels = self.builder.per_image(Role::Input, "pixels", &[config.height, config.width]);
        let labels = self.builder.per_image(Role::Input, "labels", &[1]);
        let second_labels = if config.is_of_pairs() && self.purpose != Purpose::Trace {
            self.builder.per_image(Role::Input, "second labels", &[1])
        } else {
            labels
        };

        let (first, primary) = (config.conv1_shape(), config.primary_shape());
        let conv1 = self.convolve("conv1", first, pixels);
        let z = self.convolve("primary before squash", primary, conv1);
        let capsules =
            squash::Capsules { types: config.primary.types, dims: config.primary.dims, positions: primary.positions() };
        let u = self.activation("primary", &[config.primary_capsules(), config.primary.dims]);
        self.forward("primary", squash::Forward(capsules), &[z], &[u]);

        let mut input = u;
        let mut layers = vec![];
        let mut entropy = None;
        for index in 0..config.routed.len() {
            if self.purpose == Purpose::Compare && index + 1 == config.routed.len() {
                return self.compare(index, input);
            }
            let (layer, layer_entropy) = self.route(index, input);
            input = layer.v;
            entropy = Some(layer_entropy);
            layers.push(layer);
        }

        let classes = config.classes();
        let v = input;
        let lengths = self.activation("lengths", &[classes.parents]);
        let chosen = self.activation("chosen", &[1]);
        let sizes = Lengths { classes: classes.parents, dims: classes.dims };
        self.forward("classes", sizes, &[v, labels], &[lengths, chosen]);

        if self.purpose == Purpose::Trace {
            self.decoder("", v, chosen);
            return;
        }
        let gv = self.activation("gradient of v", &[classes.parents, classes.dims]);
        let (margin, correct) = (self.activation("margin", &[1]), self.activation("correct", &[1]));
        let loss = MarginLoss {
            classes: classes.parents,
            dims: classes.dims,
            present: config.loss.present,
            absent: config.loss.absent,
            down_weight: config.loss.down_weight,
        };
        self.forward("classes", loss, &[v, lengths, labels, second_labels], &[gv, margin, correct]);

        let mut decodings = vec![];
        let reconstruction_loss = if self.purpose == Purpose::Evaluate {
            // Without a decoder there is no reconstruction loss: an input that the host never writes stays 0.
            self.builder.per_image(Role::Input, "no reconstruction loss", &[1])
        } else {
            let loss = self.activation("reconstruction loss", &[1]);
            if config.is_of_pairs() {
                // Each digit by itself, from its own capsule alone, against its own picture.
                for (which, chosen) in [("first ", chosen), ("second ", second_labels)] {
                    let target =
                        self.builder.per_image(Role::Input, &format!("{which}target"), &[config.height, config.width]);
                    decodings.push(self.decoding(which, [v, chosen, target], loss, which == "second "));
                }
            } else {
                decodings.push(self.decoding("", [v, chosen, pixels], loss, false));
            }
            loss
        };
        let ledger = self.builder.fixed(Role::Output, "ledger", &[LEDGER_ROWS, LEDGER_COLUMNS]);
        let entropy = entropy.expect("a routed layer");
        self.forward("losses", Tally, &[margin, reconstruction_loss, correct, entropy], &[ledger]);

        if self.purpose.trains() {
            for (index, decoding) in decodings.into_iter().enumerate() {
                self.decoder_backward(decoding, gv, index > 0);
            }
            let gu = self.routed_backward(layers, gv);
            self.convolutions_backward(capsules, [first, primary], [pixels, conv1, z], gu);
            self.update();
        }
    }

    /// The decoder on the chosen capsule, and its loss against the target; the loss joins what is there if it is the
    /// second one.
    fn decoding(
        &mut self,
        which: &'static str,
        [v, chosen, target]: [TensorId; 3],
        loss: TensorId,
        joins: bool,
    ) -> Decoding {
        let layers = self.decoder(which, v, chosen);
        let output = layers.last().expect("a decoder has a last layer").y;
        let pixels = self.config.pixels();
        let gradient = self.activation(&format!("gradient of {which}reconstruction"), &[pixels]);
        let operation = ReconstructionLoss { pixels, weight: self.config.loss.reconstruction, joins };
        self.forward(&format!("{which}decoder"), operation, &[output, target], &[gradient, loss]);
        Decoding { which, layers, gradient, chosen }
    }

    fn convolve(&mut self, name: &str, shape: conv::Convolution, x: TensorId) -> TensorId {
        let prefix = name.split(' ').next().unwrap_or(name);
        let weight = self.parameter(&format!("{prefix}.weight"));
        let bias = self.parameter(&format!("{prefix}.bias"));
        let y = self.activation(name, &[shape.channels_out, shape.height_out(), shape.width_out()]);
        self.forward(prefix, conv::Forward(shape), &[x, weight, bias], &[y]);
        y
    }

    /// The decoder on the chosen capsule of `pose`; `which` goes before the names of its tensors.
    fn decoder(&mut self, which: &str, pose: TensorId, chosen: TensorId) -> Vec<DenseTensors> {
        let classes = self.config.classes();
        let widths: Vec<usize> = self.config.decoder.hidden.iter().copied().chain([self.config.pixels()]).collect();
        let (mut x, mut inputs, mut block) = (pose, classes.parents * classes.dims, Some(classes.dims));
        let mut layers = vec![];
        for (index, &outputs) in widths.iter().enumerate() {
            let last = index + 1 == widths.len();
            let activation = if last { Activation::Sigmoid } else { Activation::Relu };
            let dense = Dense { inputs, outputs, activation, block };
            let name = format!("decoder.{index}");
            let weight = self.parameter(&format!("{name}.weight"));
            let bias = self.parameter(&format!("{name}.bias"));
            let y =
                self.activation(&format!("{which}{}", if last { "reconstruction" } else { name.as_str() }), &[outputs]);
            self.forward(&format!("{which}{name}"), dense::Forward(dense), &[x, weight, bias, chosen], &[y]);
            layers.push(DenseTensors { dense, x, y });
            (x, inputs, block) = (y, outputs, None);
        }
        layers
    }

    fn decode(&mut self) {
        let classes = self.config.classes();
        let pose = self.builder.per_image(Role::Input, "pose", &[classes.parents, classes.dims]);
        let chosen = self.builder.per_image(Role::Input, "chosen", &[1]);
        self.decoder("", pose, chosen);
    }

    /// From the reconstruction's gradient to the decoder's parameters and, added to the margin's, to `gv`. What a second
    /// decoding gives joins what the first has left.
    fn decoder_backward(&mut self, decoding: Decoding, gv: TensorId, joins: bool) {
        let Decoding { which, layers, gradient, chosen } = decoding;
        let mut gy = gradient;
        for (index, layer) in layers.into_iter().enumerate().rev() {
            let DenseTensors { dense, x, y } = layer;
            let name = format!("decoder.{index}");
            let (gweight, gbias) = (self.gradient(&format!("{name}.weight")), self.gradient(&format!("{name}.bias")));
            let step = format!("{which}{name}");
            self.backward(&step, dense::BackwardWeight { dense, joins }, &[gy, y, x, chosen], &[gweight, gbias]);
            let weight = self.find(&format!("{name}.weight"));
            let gx = if index == 0 {
                gv
            } else {
                self.activation(&format!("gradient of {which}decoder.{}", index - 1), &[dense.inputs])
            };
            self.backward(&step, dense::BackwardInput(dense), &[gy, y, weight, chosen], &[gx]);
            gy = gx;
        }
    }

    fn convolutions_backward(
        &mut self,
        capsules: squash::Capsules,
        [first, primary]: [conv::Convolution; 2],
        [pixels, conv1, z]: [TensorId; 3],
        gu: TensorId,
    ) {
        let gz = self.activation(
            "gradient of primary before squash",
            &[primary.channels_out, primary.height_out(), primary.width_out()],
        );
        self.backward("primary", squash::Backward(capsules), &[gu, z], &[gz]);
        let (gweight, gbias) = (self.gradient("primary.weight"), self.gradient("primary.bias"));
        self.backward("primary", conv::BackwardWeight(primary), &[gz, z, conv1], &[gweight, gbias]);
        let weight = self.find("primary.weight");
        let gconv1 = self.activation("gradient of conv1", &[first.channels_out, first.height_out(), first.width_out()]);
        self.backward("primary", conv::BackwardInput(primary), &[gz, z, weight], &[gconv1]);
        let (gweight, gbias) = (self.gradient("conv1.weight"), self.gradient("conv1.bias"));
        self.backward("conv1", conv::BackwardWeight(first), &[gconv1, conv1, pixels], &[gweight, gbias]);
    }

    fn update(&mut self) {
        let (settings, elements) = (self.config.adam, self.layout.elements);
        let whole = |builder: &mut Builder, role: Role, name: &str| {
            let buffer = builder.shared(role, elements);
            builder.part(buffer, name, &[elements], 0)
        };
        let gradients = whole(&mut self.builder, Role::Gradients, "all gradients");
        let parameters = whole(&mut self.builder, Role::Parameters, "all parameters");
        let first = whole(&mut self.builder, Role::FirstMoments, "first moments");
        let second = whole(&mut self.builder, Role::SecondMoments, "second moments");
        let adam = Adam {
            elements,
            beta1: settings.beta1 as f32,
            beta2: settings.beta2 as f32,
            epsilon: settings.epsilon as f32,
        };
        self.builder.step(Phase::Update, "all parameters", adam, &[gradients], &[parameters, first, second]);
    }

    /// A parameter that a forward step has already named.
    pub(super) fn find(&self, name: &str) -> TensorId {
        self.builder.find(name).expect("a parameter that the forward pass reads")
    }
}
