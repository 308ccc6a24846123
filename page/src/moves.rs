//! How a digit is moved before it is read: the sliders' spans, and what becomes of a pose on the way.

use capscope_ink::{SIDE, Transform};

/// Places of a slider at which the digit is read for the plot.
pub const PLACES: usize = 21;

/// One of the four sliders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// To the right, in pixels.
    ShiftX,
    /// Down, in pixels.
    ShiftY,
    /// Clockwise, in degrees.
    Rotate,
    /// Size, as a factor.
    Scale,
}

impl Axis {
    /// All of them, in their order on the page.
    pub const ALL: [Axis; 4] = [Axis::ShiftX, Axis::ShiftY, Axis::Rotate, Axis::Scale];

    /// The ends of its slider.
    pub fn range(self) -> (f32, f32) {
        match self {
            Axis::ShiftX | Axis::ShiftY => (-6.0, 6.0),
            Axis::Rotate => (-60.0, 60.0),
            Axis::Scale => (0.5, 1.5),
        }
    }

    /// Its slider stops so many times in a unit.
    fn stops(self) -> f32 {
        match self {
            Axis::ShiftX | Axis::ShiftY => 4.0,
            Axis::Rotate => 1.0,
            Axis::Scale => 20.0,
        }
    }

    /// From one stop to the next.
    pub fn step(self) -> f32 {
        1.0 / self.stops()
    }

    /// Where nothing is moved.
    pub fn rest(self) -> f32 {
        self.of(&Transform::IDENTITY)
    }

    /// Decimals that tell one stop from the next.
    pub fn decimals(self) -> usize {
        match self {
            Axis::Rotate => 0,
            Axis::ShiftX | Axis::ShiftY | Axis::Scale => 2,
        }
    }

    /// The nearest stop; where there is none (not a number), the place of rest.
    pub fn snap(self, value: f32) -> f32 {
        let (low, high) = self.range();
        if value.is_nan() { self.rest() } else { (value.clamp(low, high) * self.stops()).round() / self.stops() }
    }

    /// Where a transform stands on this slider.
    pub fn of(self, transform: &Transform) -> f32 {
        match self {
            Axis::ShiftX => transform.shift_x,
            Axis::ShiftY => transform.shift_y,
            Axis::Rotate => transform.rotate_degrees,
            Axis::Scale => transform.scale,
        }
    }

    /// A transform with this slider moved.
    pub fn put(self, transform: &Transform, value: f32) -> Transform {
        let mut moved = *transform;
        match self {
            Axis::ShiftX => moved.shift_x = value,
            Axis::ShiftY => moved.shift_y = value,
            Axis::Rotate => moved.rotate_degrees = value,
            Axis::Scale => moved.scale = value,
        }
        moved
    }

    /// The places at which the plot reads the digit: even steps from end to end, the place of rest in the middle.
    pub fn places(self) -> [f32; PLACES] {
        let (low, high) = self.range();
        let last = (PLACES - 1) as f32;
        std::array::from_fn(|k| (low * (last - k as f32) + high * k as f32) / last)
    }

    /// The digit at each of [`Axis::places`], the other sliders as they stand: [`PLACES`]·28×28 values.
    pub fn pictures(self, digit: &[f32], transform: &Transform) -> Vec<f32> {
        self.places().iter().flat_map(|place| self.put(transform, *place).apply(digit, SIDE)).collect()
    }
}

/// The dimensions of a pose that move most over some readings of it, most first, each with how far it goes: the
/// difference of its largest and its smallest value. `poses` is [readings, dims].
pub fn most_moving(poses: &[f32], dims: usize) -> Vec<(usize, f32)> {
    let travel = |dim: usize| {
        let ends = poses.iter().skip(dim).step_by(dims.max(1));
        let (low, high) = ends.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        if high >= low { high - low } else { 0.0 }
    };
    let mut dimensions: Vec<_> = (0..dims).map(|dim| (dim, travel(dim))).collect();
    dimensions.sort_by(|a, b| b.1.total_cmp(&a.1));
    dimensions
}

/// One class's pose of each reading, out of the poses of all classes [readings, classes, dims].
pub fn poses_of(poses: &[f32], classes: usize, dims: usize, class: usize) -> Vec<f32> {
    let each = (classes * dims).max(1);
    poses.chunks_exact(each).filter_map(|all| all.get(class * dims..(class + 1) * dims)).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slider_stops_at_its_steps_and_at_its_ends() {
        assert_eq!(Axis::ShiftX.snap(1.3), 1.25);
        assert_eq!(Axis::Scale.snap(1.04), 1.05);
        assert_eq!(Axis::Rotate.snap(-1e9), -60.0);
        assert_eq!((Axis::Scale.snap(f32::NAN), Axis::Rotate.snap(f32::NAN)), (1.0, 0.0));
        assert!(Axis::ALL.iter().all(|axis| axis.snap(axis.rest()) == axis.rest()));
    }

    #[test]
    fn places_go_from_end_to_end_and_rest_in_the_middle() {
        for axis in Axis::ALL {
            let places = axis.places();
            assert_eq!((places[0], places[PLACES - 1]), axis.range());
            assert_eq!(places[PLACES / 2], axis.rest());
            assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn the_plots_pictures_are_the_digit_moved() {
        let digit: Vec<f32> = (0..784).map(|k| if k % 28 == 14 { 1.0 } else { 0.0 }).collect();
        let turned = Transform { rotate_degrees: 30.0, ..Transform::IDENTITY };
        let pictures = Axis::ShiftY.pictures(&digit, &turned);
        assert_eq!(pictures.len(), PLACES * 784);
        assert_eq!(pictures[PLACES / 2 * 784..][..784], turned.apply(&digit, 28));
        let shifted = Axis::ShiftX.pictures(&digit, &Transform::IDENTITY);
        // Six pixels to the left, to the bit.
        assert_eq!(shifted[8], 1.0);
        assert_eq!(shifted[14], 0.0);
    }

    #[test]
    fn the_most_moving_dimensions_come_first() {
        let poses = [0.0, 0.5, 1.0, 0.1, 0.5, -1.0, 0.3, 0.4, 0.0];
        let most = most_moving(&poses, 3);
        assert_eq!(most.iter().map(|(dim, _)| *dim).collect::<Vec<_>>(), [2, 0, 1]);
        assert!((most[0].1 - 2.0).abs() < 1e-6);
        assert!(most_moving(&[], 2).iter().all(|(_, travel)| *travel == 0.0));
        assert_eq!(poses_of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], 2, 2, 1), [3.0, 4.0, 7.0, 8.0]);
    }
}
