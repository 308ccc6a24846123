//! Lengths of the class capsules, and the capsule that the decoder sees: the label's in training, the longest when a
//! digit is read, or the one that a person picked.

use super::Pick;
use super::support::{Real, for_each_pair, norm, twins};
use crate::plan::{Call, Chosen, Content, Extent, Grid, Kernel, Operation, Port};
use std::sync::Arc;

/// `lengths`: v [B, J, D], labels [B] → lengths [B, J], chosen [B].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// Classes J.
    pub classes: usize,
    /// Dimensions D.
    pub dims: usize,
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    vec![Arc::new(Lengths { classes: pick(1..=11), dims: pick(1..=17) }), Arc::new(Lengths { classes: 10, dims: 16 })]
}

/// The first of the largest.
pub(crate) fn longest<T: Real>(lengths: &[T]) -> usize {
    (1..lengths.len()).fold(0, |best, class| if lengths[class] > lengths[best] { class } else { best })
}

impl Operation for Lengths {
    fn name(&self) -> &'static str {
        "lengths"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("v", Extent::PerImage(self.classes * self.dims)),
            Port::read("labels", Extent::PerImage(1)).holding(Content::Class(self.classes)),
            Port::write("lengths", Extent::PerImage(self.classes)),
            Port::write("chosen", Extent::PerImage(1)).holding(Content::Class(self.classes)),
        ]
    }

    fn kernel(&self) -> Kernel {
        Kernel::new(self.name(), 64, Grid::line(Extent::PerImage(1), 64))
            .consts([("DIMS", self.dims)])
            .sizes([("classes", self.classes)])
    }

    fn flops(&self, live: usize) -> u64 {
        2 * (live * self.classes * self.dims) as u64
    }

    twins!();
}

impl Lengths {
    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (live, choice) = (call.live(), call.run.choice());
        let ([v, labels], [lengths, chosen]) = call.split();
        let lengths = &mut lengths[..live * self.classes];
        for_each_pair((lengths, self.classes), (&mut chosen[..live], 1), |image, lengths, chosen| {
            for (class, length) in lengths.iter_mut().enumerate() {
                let v = &v[(image * self.classes + class) * self.dims..][..self.dims];
                *length = norm(v);
            }
            chosen[0] = match choice {
                Chosen::Label => labels[image],
                Chosen::Longest => T::of(longest(lengths) as f64),
                Chosen::Class(class) => T::of(class.into()),
            };
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Run;

    /// Fault seen in public code: masking by the prediction while training, by the label at test.
    #[test]
    fn the_label_chooses_in_training_and_the_longest_otherwise() {
        for (chosen, expected) in [(Chosen::Label, 0.0), (Chosen::Longest, 1.0), (Chosen::Class(2), 2.0)] {
            let (mut lengths, mut capsule) = ([0.0_f32; 3], [9.0]);
            Lengths { classes: 3, dims: 2 }.twin(Call {
                run: &Run::new(1, 1, chosen),
                reads: vec![&[0.1, 0.0, 0.3, 0.4, 0.0, 0.2], &[0.0]],
                writes: vec![&mut lengths, &mut capsule],
            });
            assert_eq!(capsule, [expected]);
            assert_eq!(lengths, [0.1, 0.5, 0.2]);
        }
    }
}
