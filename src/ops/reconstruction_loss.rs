//! Reconstruction loss: weight × the *sum* of squared differences over the pixels (Sabour et al. 2017, section 4.1),
//! with its gradient.

use super::Pick;
use super::support::{Real, for_each_pair, twins};
use crate::plan::{Call, Content, Extent, Grid, Kernel, Operation, Port};
use std::sync::Arc;

/// `reconstruction_loss`: output, target [B, pixels] → gradient [B, pixels], loss [B].
///
/// `loss` is each image's, weighted and not yet divided; `gradient` is divided by the run's total. Of two digits each is
/// reconstructed by itself, and the second loss joins the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReconstructionLoss {
    /// Pixels of an image.
    pub pixels: usize,
    /// 0.0005 as printed; 0.01 is what the authors' code amounts to.
    pub weight: f32,
    /// Whether `loss` is added to what is there.
    pub joins: bool,
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    let paper = ReconstructionLoss { pixels: 784, weight: 0.0005, joins: false };
    let other = ReconstructionLoss { pixels: pick(1..=300), weight: 0.01, joins: true };
    vec![Arc::new(other), Arc::new(paper)]
}

impl Operation for ReconstructionLoss {
    fn name(&self) -> &'static str {
        "reconstruction_loss"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("output", Extent::PerImage(self.pixels)).holding(Content::Unit),
            Port::read("pixels", Extent::PerImage(self.pixels)).holding(Content::Unit),
            Port::write("gradient", Extent::PerImage(self.pixels)),
            if self.joins {
                Port::update("loss", Extent::PerImage(1))
            } else {
                Port::write("loss", Extent::PerImage(1))
            },
        ]
    }

    fn kernel(&self) -> Kernel {
        Kernel::new(self.name(), 64, Grid::line(Extent::PerImage(1), 1))
            .sizes([("count", self.pixels)])
            .factors([("weight", self.weight)])
            .switch("joins", self.joins)
            .shares([64])
    }

    fn flops(&self, live: usize) -> u64 {
        4 * (live * self.pixels) as u64
    }

    twins!();
}

impl ReconstructionLoss {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (live, total, weight) = (call.live(), T::of(call.run.total.into()), T::of(self.weight.into()));
        let ([output, target], [gradient, loss]) = call.split();
        let gradient = &mut gradient[..live * self.pixels];
        for_each_pair((gradient, self.pixels), (&mut loss[..live], 1), |image, gradient, loss| {
            let (output, target) = (&output[image * self.pixels..], &target[image * self.pixels..]);
            let mut sum = T::ZERO;
            for ((gradient, &output), &target) in gradient.iter_mut().zip(output).zip(target) {
                let difference = output - target;
                sum += difference * difference;
                *gradient = T::of(2.0) * weight / total * difference;
            }
            loss[0] = if self.joins { loss[0] } else { T::ZERO } + weight * sum;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Chosen, Run};

    /// Fault seen in public code: the mean instead of the sum, 784 × too weak, gives 0.000125.
    #[test]
    fn grey_against_black_costs_0_098() {
        let (mut gradient, mut loss) = ([0.0_f64; 784], [0.0]);
        ReconstructionLoss { pixels: 784, weight: 0.0005, joins: false }.twin_double(Call {
            run: &Run::new(1, 1, Chosen::Label),
            reads: vec![&[0.5; 784], &[0.0; 784]],
            writes: vec![&mut gradient, &mut loss],
        });
        assert!((loss[0] - 0.098).abs() < 1e-8 && (gradient[0] - 0.0005).abs() < 1e-10);
    }
}
