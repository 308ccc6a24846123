//! Margin loss (Sabour et al. 2017, equation 4): Σ_k T_k max(0, m⁺ − ‖v_k‖)² + λ (1 − T_k) max(0, ‖v_k‖ − m⁻)², summed
//! over the classes, with its gradient. T_k is 1 for each class that is present: one, or two of overlapping digits.

use super::Pick;
use super::support::{Real, for_each, twins};
use crate::plan::{Call, Content, Extent, Grid, Kernel, Operation, Port};
use std::sync::Arc;

/// `margin_loss`: v [B, J, D], lengths [B, J], labels [B], second labels [B] → gv [B, J, D], margin [B], correct [B].
///
/// The classes present are the one or two that the labels name; of a single digit both tensors are the same one.
/// `margin` is each image's loss, not yet divided; `gv` is divided by the run's total. d‖v‖/dv at v = 0 is 0. `correct`
/// is 1 where no other class is longer than one that is present, the first of equals counting as longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarginLoss {
    /// Classes J.
    pub classes: usize,
    /// Dimensions D.
    pub dims: usize,
    /// m⁺ = 0.9.
    pub present: f32,
    /// m⁻ = 0.1.
    pub absent: f32,
    /// λ = 0.5.
    pub down_weight: f32,
}

/// Specimens for the tests.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    let loss = MarginLoss { classes: 10, dims: 16, present: 0.9, absent: 0.1, down_weight: 0.5 };
    vec![Arc::new(MarginLoss { classes: pick(1..=11), dims: pick(1..=17), ..loss }), Arc::new(loss)]
}

impl Operation for MarginLoss {
    fn name(&self) -> &'static str {
        "margin_loss"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("v", Extent::PerImage(self.classes * self.dims)),
            Port::read("lengths", Extent::PerImage(self.classes)).holding(Content::Unit),
            Port::read("labels", Extent::PerImage(1)).holding(Content::Class(self.classes)),
            Port::read("second_labels", Extent::PerImage(1)).holding(Content::Class(self.classes)),
            Port::write("gv", Extent::PerImage(self.classes * self.dims)),
            Port::write("margin", Extent::PerImage(1)),
            Port::write("correct", Extent::PerImage(1)),
        ]
    }

    fn kernel(&self) -> Kernel {
        Kernel::new(self.name(), 64, Grid::line(Extent::PerImage(self.classes), 64))
            .sizes([("classes", self.classes), ("dims", self.dims)])
            .factors([("m_plus", self.present), ("m_minus", self.absent), ("down_weight", self.down_weight)])
    }

    fn flops(&self, live: usize) -> u64 {
        (live * self.classes * (6 + self.dims)) as u64
    }

    twins!();
}

impl MarginLoss {
    /// The loss of one class and its derivative by the length.
    pub(crate) fn of_class<T: Real>(&self, length: T, present: bool) -> (T, T) {
        let two = T::of(2.0);
        if present {
            let up = (T::of(self.present.into()) - length).max(T::ZERO);
            (up * up, -two * up)
        } else {
            let down = (length - T::of(self.absent.into())).max(T::ZERO);
            let weight = T::of(self.down_weight.into());
            (weight * down * down, two * weight * down)
        }
    }

    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (live, total) = (call.live(), T::of(call.run.total.into()));
        let ([v, lengths, labels, second], [gv, margin, correct]) = call.split();
        let present = |image: usize| [labels[image].index(), second[image].index()];
        let size = self.classes * self.dims;
        for image in 0..live {
            let (present, lengths) = (present(image), &lengths[image * self.classes..][..self.classes]);
            let loss = |class: usize| self.of_class(lengths[class], present.contains(&class)).0;
            margin[image] = (0..self.classes).map(loss).sum();
            correct[image] = if are_longest(lengths, present) { T::ONE } else { T::ZERO };
        }
        for_each(&mut gv[..live * size], self.dims, |capsule, gv| {
            let (image, class, length) = (capsule / self.classes, capsule % self.classes, lengths[capsule]);
            let slope = self.of_class(length, present(image).contains(&class)).1;
            let factor = if length > T::ZERO { slope / (length * total) } else { T::ZERO };
            for (gv, &v) in gv.iter_mut().zip(&v[capsule * self.dims..]) {
                *gv = factor * v;
            }
        });
    }
}

/// Whether those of `present` are longer than every other class, the first of equals counting as longer and what is no
/// number as beaten.
pub(crate) fn are_longest<T: Real>(lengths: &[T], present: [usize; 2]) -> bool {
    present.iter().all(|&label| {
        let beats =
            |class: usize| lengths[label] > lengths[class] || (lengths[label] >= lengths[class] && label < class);
        (0..lengths.len()).all(|class| present.contains(&class) || beats(class))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Chosen, Run};

    const LOSS: MarginLoss = MarginLoss { classes: 3, dims: 1, present: 0.9, absent: 0.1, down_weight: 0.5 };

    fn loss(lengths: &[f64], label: usize) -> f64 {
        lengths.iter().enumerate().map(|(class, &length)| LOSS.of_class(length, class == label).0).sum()
    }

    /// A network that broke has neither a loss nor a right answer.
    #[test]
    fn what_is_no_number_is_no_success() {
        assert!(loss(&[f64::NAN, 0.3, 0.7], 0).is_nan() && loss(&[0.9, f64::NAN, 0.1], 0).is_nan());
        assert!(!are_longest(&[f64::NAN, 0.3, 0.7], [0, 0]) && !are_longest(&[0.9, f64::NAN, 0.1], [0, 0]));
        assert!(are_longest(&[0.9, 0.3, 0.9], [0, 0]) && !are_longest(&[0.9, 0.3, 0.9], [2, 2]));
    }

    /// The loss of two digits that overlap: both hinges pull up, and the order of the labels is nothing.
    #[test]
    fn two_labels_are_both_present() {
        let v = [0.5_f64, 0.3, 0.7];
        let run = |labels: [f64; 2]| {
            let (mut gv, mut margin, mut correct) = ([0.0; 3], [0.0], [0.0]);
            LOSS.twin_double(Call {
                run: &Run::new(1, 1, Chosen::Label),
                reads: vec![&v, &v, &[labels[0]], &[labels[1]]],
                writes: vec![&mut gv, &mut margin, &mut correct],
            });
            (gv, margin[0], correct[0])
        };
        let (gv, margin, correct) = run([0.0, 2.0]);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-7;
        assert!(close(margin, 0.16 + 0.5 * 0.04 + 0.04) && correct == 1.0, "{margin}");
        assert!(close(gv[0], -0.8) && close(gv[1], 0.2) && close(gv[2], -0.4), "{gv:?}");
        assert_eq!(run([2.0, 0.0]), run([0.0, 2.0]));
        assert_eq!(run([0.0, 1.0]).2, 0.0, "2 is longer than both");
        assert_eq!((run([2.0, 2.0]).2, run([0.0, 0.0]).2), (1.0, 0.0), "a single digit has one label twice");
    }

    #[test]
    fn the_first_of_equals_counts_as_longer() {
        assert!(are_longest(&[0.5, 0.5, 0.2], [0, 0]) && !are_longest(&[0.5, 0.5, 0.2], [1, 1]));
        assert!(are_longest(&[0.5, 0.5, 0.5], [1, 0]) && !are_longest(&[0.5, 0.5, 0.5], [0, 2]));
    }

    /// Faults seen in public code: hinge not squared gives 0.1, averaged over the classes 0.0067.
    #[test]
    fn squared_and_summed_over_the_classes() {
        assert!((loss(&[0.95, 0.05, 0.3], 0) - 0.02).abs() < 1e-8);
    }

    /// Fault seen in public code: lengths softmaxed before the margin; then even perfect lengths cost.
    #[test]
    fn perfect_lengths_cost_nothing() {
        assert_eq!(loss(&[0.9_f32.into(), 0.1_f32.into(), 0.0], 0), 0.0);
    }
}
