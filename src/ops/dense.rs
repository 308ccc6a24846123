//! Fully connected layers of the decoder: y = activation(W x + b). The first one is masked: of its input, the capsules'
//! poses side by side, only the chosen capsule's block counts (Sabour et al. 2017, section 4.1).

use super::Pick;
use super::support::{Matrix, PLAIN, Real, Rows, add_scaled, dot, for_each, multiply, piece, twins, vectorised};
use crate::plan::{Call, Content, Extent, Grid, Kernel, Operation, Port};
use std::sync::Arc;

/// What follows the weighted sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// max(0, x); its derivative at 0 is 0.
    Relu,
    /// 1/(1+e⁻ˣ).
    Sigmoid,
}

impl Activation {
    #[inline(always)]
    fn apply<T: Real>(self, x: T) -> T {
        match self {
            Activation::Relu => x.max(T::ZERO),
            Activation::Sigmoid => {
                // e of a negative number only: no overflow on either side.
                let e = (-x.max(-x)).exp();
                (if x < T::ZERO { e } else { T::ONE }) / (T::ONE + e)
            }
        }
    }

    /// The derivative, from the activation's value.
    #[inline(always)]
    fn slope<T: Real>(self, y: T) -> T {
        match self {
            Activation::Relu if y > T::ZERO => T::ONE,
            Activation::Relu => T::ZERO,
            Activation::Sigmoid => y * (T::ONE - y),
        }
    }
}

/// Shape of a fully connected layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dense {
    /// Inputs; classes · block if masked.
    pub inputs: usize,
    /// Outputs.
    pub outputs: usize,
    /// What follows.
    pub activation: Activation,
    /// If masked, the length of a capsule's block: of each image's input only the block of its chosen class counts.
    pub block: Option<usize>,
}

impl Dense {
    fn weights(&self) -> Extent {
        Extent::Fixed(self.inputs * self.outputs)
    }

    fn chosen(&self) -> Port {
        let classes = self.block.map_or(1, |block| self.inputs / block);
        Port::read("chosen", Extent::PerImage(1)).holding(Content::Class(classes))
    }

    /// The inputs that count for an image whose chosen class is `class`.
    fn window<T: Real>(&self, class: T) -> std::ops::Range<usize> {
        match self.block {
            Some(block) => class.index() * block..(class.index() + 1) * block,
            None => 0..self.inputs,
        }
    }

    /// Inputs that count for one image.
    fn counted(&self) -> usize {
        self.block.unwrap_or(self.inputs)
    }

    fn kernel(&self, shader: &'static str, grid: Grid) -> Kernel {
        self.sized(Kernel::new(shader, 64, grid))
    }

    /// The plain kernel, and one by rows unless there is a mask, or hardly anything divides the inputs.
    fn kernels(&self, plain: Kernel, rows: impl Fn(usize) -> Kernel) -> Vec<Kernel> {
        match piece(self.inputs) {
            ins if self.block.is_none() && ins >= 4 => {
                let rows = rows(ins).named("rows").on_processors().consts([("INS", ins), ("DEEP", 4)]);
                vec![plain.named(PLAIN), rows]
            }
            _ => vec![plain],
        }
    }

    fn sized(&self, kernel: Kernel) -> Kernel {
        kernel
            .sizes([("inputs", self.inputs), ("counted", self.counted()), ("outputs", self.outputs)])
            .switch("masked", self.block.is_some())
            .switch("sigmoid", self.activation == Activation::Sigmoid)
    }

    fn flops(&self, live: usize) -> u64 {
        2 * (live * self.counted() * self.outputs) as u64
    }

    /// Gradient before the activation.
    fn gradient<T: Real>(&self, gy: &[T], y: &[T], live: usize) -> Vec<T> {
        gy.iter().zip(y).take(live * self.outputs).map(|(&gy, &y)| gy * self.activation.slope(y)).collect()
    }

    fn random(pick: Pick<'_>) -> Self {
        let activation = if pick(0..=1) == 0 { Activation::Relu } else { Activation::Sigmoid };
        Dense { inputs: pick(1..=70), outputs: pick(1..=70), activation, block: None }
    }

    fn random_masked(pick: Pick<'_>) -> Self {
        let block = pick(1..=17);
        Dense { inputs: block * pick(1..=11), block: Some(block), ..Dense::random(pick) }
    }
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    let last = Dense { inputs: 256, outputs: 784, activation: Activation::Sigmoid, block: None };
    let mut all: Vec<Arc<dyn Operation>> = vec![];
    for dense in [Dense::random(pick), Dense::random(pick), Dense::random_masked(pick), last] {
        all.push(Arc::new(Forward(dense)));
        all.push(Arc::new(BackwardInput(dense)));
        all.push(Arc::new(BackwardWeight { dense, joins: false }));
        all.push(Arc::new(BackwardWeight { dense, joins: true }));
    }
    all
}

/// `dense_forward`: x [B, inputs], weight [outputs, inputs] → y [B, outputs].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forward(pub Dense);

impl Operation for Forward {
    fn name(&self) -> &'static str {
        "dense_forward"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("x", Extent::PerImage(self.0.inputs)),
            Port::read("weight", self.0.weights()),
            Port::read("bias", Extent::Fixed(self.0.outputs)),
            self.0.chosen(),
            Port::write("y", Extent::PerImage(self.0.outputs)),
        ]
    }

    fn kernel(&self) -> Kernel {
        let grid = Grid::line(Extent::Fixed(self.0.outputs), 64).layers(Extent::PerImage(1), 4);
        self.0.kernel(self.name(), grid)
    }

    fn flops(&self, live: usize) -> u64 {
        self.0.flops(live)
    }

    twins!();
}

impl Forward {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (dense, live) = (self.0, call.live());
        let ([x, weight, bias, chosen], [y]) = call.split();
        let y = &mut y[..live * dense.outputs];
        if dense.block.is_none() {
            let x = Matrix::rows(x, live, dense.inputs);
            let weight = Matrix::rows(weight, dense.outputs, dense.inputs).transposed();
            multiply(y, [dense.outputs, 1], false, T::ONE, x, weight, true);
        }
        for_each(y, dense.outputs, |image, y| {
            if dense.block.is_some() {
                let window = dense.window(chosen[image]);
                let x = &x[image * dense.inputs..][window.clone()];
                for (y, weight) in y.iter_mut().zip(weight.chunks_exact(dense.inputs)) {
                    *y = dot(&weight[window.clone()], x);
                }
            }
            vectorised(activate, (dense.activation, y, bias));
        });
    }
}

#[inline(always)]
fn activate<T: Real>((activation, y, bias): (Activation, &mut [T], &[T])) {
    for (y, &bias) in y.iter_mut().zip(bias) {
        *y = activation.apply(*y + bias);
    }
}

/// `dense_backward_input`: gy, y [B, outputs], weight → gx [B, inputs]. Of a masked layer, only the chosen block gets
/// the gradient, and it is *added* to what the margin loss has left there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackwardInput(pub Dense);

impl Operation for BackwardInput {
    fn name(&self) -> &'static str {
        "dense_backward_input"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("gy", Extent::PerImage(self.0.outputs)),
            Port::read("y", Extent::PerImage(self.0.outputs)).holding(Content::Unit),
            Port::read("weight", self.0.weights()),
            self.0.chosen(),
            Port::update("gx", Extent::PerImage(self.0.inputs)),
        ]
    }

    fn kernel(&self) -> Kernel {
        let grid = Grid::line(Extent::Fixed(self.0.counted()), 64).layers(Extent::PerImage(1), 4);
        self.0.kernel(self.name(), grid)
    }

    fn kernels(&self) -> Vec<Kernel> {
        if !self.0.outputs.is_multiple_of(4) {
            return vec![self.kernel()];
        }
        self.0.kernels(self.kernel(), |ins| {
            let grid = Grid::line(Extent::Fixed(self.0.inputs), ins * Rows::LANES).layers(Extent::PerImage(1), 8);
            self.0.sized(Kernel::new("dense_backward_input_rows", Rows::LANES, grid).consts([("IMAGES", 8)]))
        })
    }

    fn flops(&self, live: usize) -> u64 {
        self.0.flops(live)
    }

    twins!();
}

impl BackwardInput {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (dense, live) = (self.0, call.live());
        let ([gy, y, weight, chosen], [gx]) = call.split();
        let gradient = dense.gradient(gy, y, live);
        let gx = &mut gx[..live * dense.inputs];
        if dense.block.is_none() {
            let gradient = Matrix::rows(&gradient, live, dense.outputs);
            let weight = Matrix::rows(weight, dense.outputs, dense.inputs);
            return multiply(gx, [dense.inputs, 1], false, T::ONE, gradient, weight, true);
        }
        for_each(gx, dense.inputs, |image, gx| {
            let window = dense.window(chosen[image]);
            for (output, &g) in gradient[image * dense.outputs..][..dense.outputs].iter().enumerate() {
                add_scaled(&mut gx[window.clone()], g, &weight[output * dense.inputs..][window.clone()]);
            }
        });
    }
}

/// `dense_backward_weight`: gy, y [B, outputs], x [B, inputs] → gweight [outputs, inputs], gbias [outputs], summed over
/// images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackwardWeight {
    /// The layer.
    pub dense: Dense,
    /// Whether the sums are added to what an earlier step of the same run has left, in a batch's first chunk too: a
    /// layer that is used twice.
    pub joins: bool,
}

impl Operation for BackwardWeight {
    fn name(&self) -> &'static str {
        "dense_backward_weight"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("gy", Extent::PerImage(self.dense.outputs)),
            Port::read("y", Extent::PerImage(self.dense.outputs)).holding(Content::Unit),
            Port::read("x", Extent::PerImage(self.dense.inputs)),
            self.dense.chosen(),
            Port::update("gweight", self.dense.weights()),
            Port::update("gbias", Extent::Fixed(self.dense.outputs)),
        ]
    }

    fn kernel(&self) -> Kernel {
        let grid = Grid::line(Extent::Fixed(self.dense.inputs + 1), 64).layers(Extent::Fixed(self.dense.outputs), 4);
        self.dense.kernel(self.name(), grid).switch("joins", self.joins)
    }

    fn kernels(&self) -> Vec<Kernel> {
        let (dense, outs) = (&self.dense, piece(self.dense.outputs));
        dense.kernels(self.kernel(), |ins| {
            let line = Grid::line(Extent::Fixed(dense.inputs), ins * Rows::LANES);
            let grid = line.layers(Extent::Fixed(dense.outputs), outs);
            let kernel = Kernel::new("dense_backward_weight_rows", Rows::LANES, grid).consts([("OUTS", outs)]);
            dense.sized(kernel).switch("joins", self.joins)
        })
    }

    fn flops(&self, live: usize) -> u64 {
        self.dense.flops(live)
    }

    twins!();
}

impl BackwardWeight {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (dense, live, keep) = (self.dense, call.live(), self.joins || call.run.accumulate == 1);
        let ([gy, y, x, chosen], [gweight, gbias]) = call.split();
        let gradient = dense.gradient(gy, y, live);
        if !keep {
            gbias.fill(T::ZERO);
        }
        for row in gradient.chunks_exact(dense.outputs) {
            add_scaled(gbias, T::ONE, row);
        }
        if dense.block.is_none() {
            let gradient = Matrix::rows(&gradient, live, dense.outputs).transposed();
            let x = Matrix::rows(x, live, dense.inputs);
            return multiply(gweight, [dense.inputs, 1], keep, T::ONE, gradient, x, true);
        }
        for_each(gweight, dense.inputs, |output, gweight| {
            if !keep {
                gweight.fill(T::ZERO);
            }
            for image in 0..live {
                let window = dense.window(chosen[image]);
                let x = &x[image * dense.inputs..][window.clone()];
                add_scaled(&mut gweight[window], gradient[image * dense.outputs + output], x);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Chosen, Run};

    /// Fault seen in public code: a decoder fed the 16 values of one capsule, wherever it sits, instead of the masked
    /// 160. Then the two classes below would decode alike.
    #[test]
    fn only_the_chosen_block_reaches_a_masked_layer() {
        let dense = Dense { inputs: 4, outputs: 1, activation: Activation::Relu, block: Some(2) };
        let mut y = [0.0_f64; 2];
        Forward(dense).twin_double(Call {
            run: &Run::new(2, 1, Chosen::Label),
            reads: vec![&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], &[1.0, 2.0, 4.0, 8.0], &[0.5], &[0.0, 1.0]],
            writes: vec![&mut y],
        });
        assert_eq!(y, [3.5, 12.5]);
    }

    #[test]
    fn sigmoid_does_not_overflow() {
        assert_eq!(Activation::Sigmoid.apply(-1e4_f32), 0.0_f32.max(Activation::Sigmoid.apply(-1e4_f32)));
        assert!(Activation::Sigmoid.apply(-1e4_f32) < 1e-37 && Activation::Sigmoid.apply(1e4_f32) == 1.0);
        assert_eq!(Activation::Sigmoid.apply(0.0_f64), 0.5);
    }
}
