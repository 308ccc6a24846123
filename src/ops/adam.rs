//! Adam (Kingma & Ba 2015, algorithm 1: m̂/(√v̂+ε), not TensorFlow's ε̂) over the network's flat buffers at once; the
//! padding between tensors has gradient 0 and stays 0.

use super::Pick;
use super::support::{Real, for_each, twins};
use crate::plan::{Call, Content, Extent, Grid, Kernel, Operation, Port};
use std::sync::Arc;

/// `adam`: gradients [N] → parameters, first and second moments [N]. Rate and bias corrections come from the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adam {
    /// N: length of the flat buffers, a multiple of four.
    pub elements: usize,
    /// β₁ = 0.9.
    pub beta1: f32,
    /// β₂ = 0.999.
    pub beta2: f32,
    /// ε = 1e-8.
    pub epsilon: f32,
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    vec![Arc::new(Adam { elements: 64 * pick(1..=40), beta1: 0.9, beta2: 0.999, epsilon: 1e-8 })]
}

/// Elements that one core updates at a time.
const PIECE: usize = 16_384;

impl Operation for Adam {
    fn name(&self) -> &'static str {
        "adam"
    }

    fn ports(&self) -> Vec<Port> {
        let all = Extent::Fixed(self.elements);
        vec![
            Port::read("gradients", all),
            Port::update("parameters", all),
            Port::update("first_moments", all),
            Port::update("second_moments", all).holding(Content::NotNegative),
        ]
    }

    fn kernel(&self) -> Kernel {
        let quads = self.elements / 4;
        Kernel::new(self.name(), 64, Grid::line(Extent::Fixed(quads), 64)).sizes([("quads", quads)]).factors([
            ("beta1", self.beta1),
            ("beta2", self.beta2),
            ("epsilon", self.epsilon),
        ])
    }

    fn flops(&self, _live: usize) -> u64 {
        13 * self.elements as u64
    }

    twins!();
}

impl Adam {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let run = *call.run;
        let ([gradients], [parameters, first, second]) = call.split();
        let of = |value: f32| T::of(value.into());
        let (beta1, beta2, epsilon, rate) = (of(self.beta1), of(self.beta2), of(self.epsilon), of(run.rate));
        let (correction1, correction2) = (of(run.first_correction), of(run.second_correction));
        let mut pieces: Vec<_> = parameters
            .chunks_mut(PIECE)
            .zip(first.chunks_mut(PIECE))
            .zip(second.chunks_mut(PIECE))
            .zip(gradients.chunks(PIECE))
            .collect();
        for_each(&mut pieces, 1, |_, piece| {
            let (((parameters, first), second), gradients) = &mut piece[0];
            for (((p, m), v), &g) in parameters.iter_mut().zip(first.iter_mut()).zip(second.iter_mut()).zip(*gradients)
            {
                *m = beta1 * *m + (T::ONE - beta1) * g;
                *v = beta2 * *v + (T::ONE - beta2) * g * g;
                *p -= rate * (*m / correction1) / ((*v / correction2).sqrt() + epsilon);
            }
        });
    }
}
