//! Valid convolution (cross-correlation) of NCHW activations with OIHW weights, without padding.
//!
//! `y = activation(scale · Σ w x + bias)`. The scale multiplies weight and input gradients, never the bias's: primary
//! capsules divide the sum by the number of types and add the bias undivided, as the authors' code does. The twins
//! gather patches (im2col) for a group of images and multiply matrices; a group is fixed, so results do not depend on
//! the number of threads.

use super::Pick;
use super::support::{Matrix, Real, Rows, Tile, add_scaled, for_each, multiply, twins};
use crate::plan::{Call, Extent, Grid, Kernel, Operation, Port};
use std::sync::Arc;

/// Makes `kernel` the small tile's kernel, and `kernels` those of both tiles and those by rows.
macro_rules! tiled {
    () => {
        fn kernel(&self) -> Kernel {
            self.tiled(Tile::SMALL)
        }
        fn kernels(&self) -> Vec<Kernel> {
            let tiles = [Tile::SMALL, Tile::LARGE].map(|tile| self.tiled(tile));
            tiles.into_iter().chain(self.in_rows()).collect()
        }
    };
}

/// Shape and epilogue of a convolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convolution {
    /// Input channels.
    pub channels_in: usize,
    /// Input rows.
    pub height: usize,
    /// Input columns.
    pub width: usize,
    /// Output channels.
    pub channels_out: usize,
    /// Rows and columns of the kernel.
    pub kernel: usize,
    /// Step between outputs, in input pixels.
    pub stride: usize,
    /// Factor on the weighted sum, before the bias is added.
    pub scale: f32,
    /// Whether max(0, ·) follows.
    pub relu: bool,
}

impl Convolution {
    /// Output rows: ⌊(height − kernel) / stride⌋ + 1.
    pub fn height_out(&self) -> usize {
        (self.height - self.kernel) / self.stride + 1
    }

    /// Output columns.
    pub fn width_out(&self) -> usize {
        (self.width - self.kernel) / self.stride + 1
    }

    /// Output positions of one channel.
    pub fn positions(&self) -> usize {
        self.height_out() * self.width_out()
    }

    /// Inputs under one kernel: channels_in · kernel².
    pub fn patch(&self) -> usize {
        self.channels_in * self.kernel * self.kernel
    }

    fn input(&self) -> usize {
        self.channels_in * self.height * self.width
    }

    fn output(&self) -> usize {
        self.channels_out * self.positions()
    }

    fn weights(&self) -> usize {
        self.channels_out * self.patch()
    }

    fn kernel(&self, shader: &'static str, tile: Tile, grid: Grid) -> Kernel {
        let kernel = Kernel::new(shader, tile.lanes, grid).named(tile.variant);
        self.sized(kernel.consts([("CHANNELS", tile.channels), ("QUADS", tile.quads)]))
    }

    /// Products of one channel in a row of outputs with a row of the kernel, if there are not too many for kernels that
    /// write each of them out.
    fn products(&self) -> Option<usize> {
        (self.width_out() <= 20 && self.kernel <= 9).then_some(self.width_out() * self.kernel)
    }

    /// A kernel that works by rows; `grid` is what it would be with one row an invocation.
    fn by_rows(&self, shader: &'static str, rows: Rows, grid: Grid) -> Kernel {
        let (items, each) = grid.line;
        let grid = Grid { line: (items, each * rows.rows), ..grid };
        let kernel = Kernel::new(shader, Rows::LANES, grid).named(rows.variant).on_processors().consts([
            ("CHANNELS", rows.channels),
            ("ROWS", rows.rows),
            ("WIDTH", self.width),
            ("WIDE", self.width_out()),
            ("KERNEL", self.kernel),
            ("STRIDE", self.stride),
        ]);
        self.sized(kernel)
    }

    fn sized(&self, kernel: Kernel) -> Kernel {
        kernel
            .sizes([
                ("channels_in", self.channels_in),
                ("height", self.height),
                ("width", self.width),
                ("channels_out", self.channels_out),
                ("kernel", self.kernel),
                ("stride", self.stride),
                ("height_out", self.height_out()),
                ("width_out", self.width_out()),
                ("positions", self.positions()),
            ])
            .factors([("scale", self.scale)])
            .switch("relu", self.relu)
    }

    fn flops(&self, live: usize) -> u64 {
        2 * (live * self.weights() * self.positions()) as u64
    }

    /// Images whose patches are gathered at a time: about 4 MB, a few matrix columns for each core at least.
    fn group(&self) -> usize {
        (1_000_000 / (self.patch() * self.positions())).clamp(8, 64)
    }

    /// The first image and the number of images of each group.
    fn groups(&self, live: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let group = self.group();
        (0..live).step_by(group).map(move |first| (first, group.min(live - first)))
    }

    /// Where each row under the kernel at an output position begins in an image, in the order of a patch.
    #[inline(always)]
    fn lines(&self, position: usize) -> impl Iterator<Item = usize> + use<> {
        let (kernel, width, area) = (self.kernel, self.width, self.height * self.width);
        let corner = (position / self.width_out() * width + position % self.width_out()) * self.stride;
        (0..self.channels_in).flat_map(move |channel| (0..kernel).map(move |row| channel * area + row * width + corner))
    }

    /// Writes one image's patches, a row of [`Convolution::patch`] for each position. The usual kernels' widths are
    /// known to the compiler: their copies are a few instructions, any others are calls.
    fn gather<T: Real>(&self, x: &[T], patches: &mut [T]) {
        match self.kernel {
            5 => self.gather_wide::<T, 5>(x, patches),
            9 => self.gather_wide::<T, 9>(x, patches),
            k => {
                for (position, row) in patches.chunks_exact_mut(self.patch()).enumerate() {
                    for (from, part) in self.lines(position).zip(row.chunks_exact_mut(k)) {
                        part.copy_from_slice(&x[from..from + k]);
                    }
                }
            }
        }
    }

    fn gather_wide<T: Real, const K: usize>(&self, x: &[T], patches: &mut [T]) {
        for (position, row) in patches.chunks_exact_mut(self.patch()).enumerate() {
            for (from, part) in self.lines(position).zip(row.as_chunks_mut::<K>().0) {
                part.copy_from_slice(&x[from..from + K]);
            }
        }
    }

    /// The transpose of [`Convolution::gather`]: adds every patch back to the pixels that it came from.
    fn scatter<T: Real>(&self, patches: &[T], x: &mut [T]) {
        x.fill(T::ZERO);
        match self.kernel {
            5 => self.scatter_wide::<T, 5>(patches, x),
            9 => self.scatter_wide::<T, 9>(patches, x),
            k => {
                for (position, row) in patches.chunks_exact(self.patch()).enumerate() {
                    for (to, part) in self.lines(position).zip(row.chunks_exact(k)) {
                        add_scaled(&mut x[to..to + k], T::ONE, part);
                    }
                }
            }
        }
    }

    fn scatter_wide<T: Real, const K: usize>(&self, patches: &[T], x: &mut [T]) {
        for (position, row) in patches.chunks_exact(self.patch()).enumerate() {
            for (to, part) in self.lines(position).zip(row.as_chunks::<K>().0) {
                for (x, &part) in x[to..to + K].iter_mut().zip(part) {
                    *x += part;
                }
            }
        }
    }

    /// The patches of a group of images, a row for each image and position.
    fn gather_group<T: Real>(&self, x: &[T], patches: &mut [T]) {
        for_each(patches, self.positions() * self.patch(), |image, rows| {
            self.gather(&x[image * self.input()..][..self.input()], rows);
        });
    }

    /// Gradient before the activation, a row of channels for each image and position.
    fn gradient_rows<T: Real>(&self, gy: &[T], y: &[T], rows: &mut [T]) {
        let (positions, channels) = (self.positions(), self.channels_out);
        for_each(rows, positions * channels, |image, rows| {
            let from = image * self.output();
            for channel in 0..channels {
                for position in 0..positions {
                    let at = from + channel * positions + position;
                    let passes = !self.relu || y[at] > T::ZERO;
                    rows[position * channels + channel] = if passes { gy[at] } else { T::ZERO };
                }
            }
        });
    }

    fn random(pick: Pick<'_>) -> Self {
        let (kernel, stride) = (pick(1..=9), pick(1..=3));
        Convolution {
            channels_in: pick(1..=9),
            height: kernel + pick(0..=13),
            width: kernel + pick(0..=13),
            channels_out: pick(1..=19),
            kernel,
            stride,
            scale: 1.0 / pick(1..=8) as f32,
            relu: pick(0..=1) == 1,
        }
    }
}

/// Specimens for the tests: odd sizes, and the shapes of the compact preset at their true kernel sizes.
pub fn specimens(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {
    let first = Convolution {
        channels_in: 1,
        height: 28,
        width: 28,
        channels_out: 32,
        kernel: 9,
        stride: 1,
        scale: 1.0,
        relu: true,
    };
    let primary = Convolution {
        channels_in: 32,
        height: 20,
        width: 20,
        channels_out: 64,
        stride: 2,
        scale: 0.125,
        relu: false,
        ..first
    };
    let mut all: Vec<Arc<dyn Operation>> = vec![];
    for conv in [Convolution::random(pick), Convolution::random(pick), Convolution::random(pick), first, primary] {
        all.push(Arc::new(Forward(conv)));
        all.push(Arc::new(BackwardInput(conv)));
        all.push(Arc::new(BackwardWeight(conv)));
    }
    all
}

/// `conv_forward`: x [B, C, H, W] → y [B, O, h, w].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forward(pub Convolution);

impl Operation for Forward {
    fn name(&self) -> &'static str {
        "conv_forward"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("x", Extent::PerImage(self.0.input())),
            Port::read("weight", Extent::Fixed(self.0.weights())),
            Port::read("bias", Extent::Fixed(self.0.channels_out)),
            Port::write("y", Extent::PerImage(self.0.output())),
        ]
    }

    tiled!();

    fn flops(&self, live: usize) -> u64 {
        self.0.flops(live)
    }

    twins!();
}

impl Forward {
    /// Few images have few rows: a second kernel takes fewer of them, and more channels.
    fn in_rows(&self) -> Vec<Kernel> {
        let conv = &self.0;
        let Some(products) = conv.products() else { return vec![] };
        let of = |rows: Rows| {
            let line = Grid::line(Extent::PerImage(conv.height_out()), Rows::LANES);
            conv.by_rows("conv_forward_rows", rows, line.layers(Extent::Fixed(conv.channels_out), rows.channels))
        };
        let (few, many) = (Rows::new("rows2", 16, 2, products), Rows::new("rows", 8, 4, products));
        [few, many].into_iter().filter(|rows| rows.variant == "rows" || rows.rows == 2).map(of).collect()
    }

    fn tiled(&self, tile: Tile) -> Kernel {
        let line = Grid::line(Extent::PerImage(self.0.positions()), tile.width() * tile.lanes);
        self.0.kernel(self.name(), tile, line.layers(Extent::Fixed(self.0.channels_out), tile.channels))
    }

    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (conv, live) = (&self.0, call.live());
        let ([x, weight, bias], [y]) = call.split();
        let (positions, patch, channels) = (conv.positions(), conv.patch(), conv.channels_out);
        let weight = Matrix::rows(weight, channels, patch);
        let mut patches = vec![T::ZERO; conv.group().min(live) * positions * patch];
        let mut sums = vec![T::ZERO; conv.group().min(live) * positions * channels];
        for (first, images) in conv.groups(live) {
            let rows = images * positions;
            conv.gather_group(&x[first * conv.input()..], &mut patches[..rows * patch]);
            let patches = Matrix::rows(&patches[..rows * patch], rows, patch);
            // A row of channels for each position: the layout in which the product packs the small matrix (the
            // weights) and reads the large one (the patches) as it lies.
            let scale = T::of(conv.scale.into());
            multiply(&mut sums, [1, channels], false, scale, weight, patches.transposed(), true);
            for_each(&mut y[first * conv.output()..][..images * conv.output()], conv.output(), |image, y| {
                let sums = &sums[image * positions * channels..][..positions * channels];
                for (channel, y) in y.chunks_exact_mut(positions).enumerate() {
                    for (y, sums) in y.iter_mut().zip(sums.chunks_exact(channels)) {
                        let before = sums[channel] + bias[channel];
                        *y = if conv.relu { before.max(T::ZERO) } else { before };
                    }
                }
            });
        }
    }
}

/// `conv_backward_input`: gy [B, O, h, w] → gx [B, C, H, W], both after their activations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackwardInput(pub Convolution);

impl Operation for BackwardInput {
    fn name(&self) -> &'static str {
        "conv_backward_input"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("gy", Extent::PerImage(self.0.output())),
            Port::read("y", Extent::PerImage(self.0.output())),
            Port::read("weight", Extent::Fixed(self.0.weights())),
            Port::write("gx", Extent::PerImage(self.0.input())),
        ]
    }

    tiled!();

    fn flops(&self, live: usize) -> u64 {
        self.0.flops(live)
    }

    twins!();
}

impl BackwardInput {
    fn in_rows(&self) -> Vec<Kernel> {
        let conv = &self.0;
        let Some(products) = conv.products() else { return vec![] };
        // Two channels of the gradient at a time, where they come out even.
        let deep = if conv.channels_out.is_multiple_of(2) { 2 } else { 1 };
        let rows = Rows::new("rows", 4, 4, deep * products);
        let tiles = conv.channels_in.div_ceil(rows.channels);
        let line = Grid::line(Extent::PerImage(conv.height.div_ceil(conv.stride)), Rows::LANES);
        let grid = line.layers(Extent::Fixed(conv.stride * tiles), 1);
        let span = (conv.width_out() - 1) * conv.stride + conv.kernel;
        let kernel = conv.by_rows("conv_backward_input_rows", rows, grid).sizes([("tiles", tiles)]);
        vec![kernel.consts([("DEEP", deep), ("SPAN", span), ("RELU", usize::from(conv.relu))])]
    }

    fn tiled(&self, tile: Tile) -> Kernel {
        let conv = &self.0;
        let (rows, columns) = (conv.height.div_ceil(conv.stride), conv.width.div_ceil(conv.stride));
        let (phases, tiles) = (conv.stride * conv.stride, conv.channels_in.div_ceil(tile.channels));
        let line = Grid::line(Extent::PerImage(rows * columns), tile.width() * tile.lanes);
        // A large tile has pixels of one place in several images: those meet the same outputs. Neighbouring invocations
        // of a GPU should read neighbouring numbers instead.
        let by_place = usize::from(tile.quads > 1);
        conv.kernel(self.name(), tile, line.layers(Extent::Fixed(phases * tiles), 1))
            .consts([("BY_PLACE", by_place)])
            .sizes([("phase_columns", columns), ("tiles", tiles)])
    }

    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (conv, live) = (&self.0, call.live());
        let ([gy, y, weight], [gx]) = call.split();
        let (positions, patch, channels) = (conv.positions(), conv.patch(), conv.channels_out);
        let weight = Matrix::rows(weight, channels, patch);
        let mut gradient = vec![T::ZERO; conv.group().min(live) * positions * channels];
        let mut patches = vec![T::ZERO; conv.group().min(live) * positions * patch];
        for (first, images) in conv.groups(live) {
            let rows = images * positions;
            let gradient = &mut gradient[..rows * channels];
            conv.gradient_rows(&gy[first * conv.output()..], &y[first * conv.output()..], gradient);
            let scale = T::of(conv.scale.into());
            let gradient = Matrix::rows(gradient, rows, channels);
            multiply(&mut patches, [patch, 1], false, scale, gradient, weight, true);
            for_each(&mut gx[first * conv.input()..][..images * conv.input()], conv.input(), |image, gx| {
                conv.scatter(&patches[image * positions * patch..][..positions * patch], gx);
            });
        }
    }
}

/// `conv_backward_weight`: gy [B, O, h, w] and x [B, C, H, W] → gweight [O, C, k, k], gbias [O], summed over images.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackwardWeight(pub Convolution);

impl Operation for BackwardWeight {
    fn name(&self) -> &'static str {
        "conv_backward_weight"
    }

    fn ports(&self) -> Vec<Port> {
        vec![
            Port::read("gy", Extent::PerImage(self.0.output())),
            Port::read("y", Extent::PerImage(self.0.output())),
            Port::read("x", Extent::PerImage(self.0.input())),
            Port::update("gweight", Extent::Fixed(self.0.weights())),
            Port::update("gbias", Extent::Fixed(self.0.channels_out)),
        ]
    }

    tiled!();

    fn flops(&self, live: usize) -> u64 {
        self.0.flops(live)
    }

    twins!();
}

impl BackwardWeight {
    fn in_rows(&self) -> Vec<Kernel> {
        let conv = &self.0;
        let Some(products) = conv.products() else { return vec![] };
        let lines = conv.channels_in * conv.kernel;
        let channels = if products > 100 { 4 } else { 8 };
        let rows = Rows::new("rows", channels, 4.min(lines), products);
        // Where there are fewer rows of the kernel than a workgroup takes, its lanes share the images instead.
        let slices = if lines < 2 * rows.rows * Rows::LANES { Rows::LANES } else { 1 };
        let columns = Rows::LANES / slices;
        let grid = Grid::line(Extent::Fixed(lines), columns).layers(Extent::Fixed(conv.channels_out), channels);
        let (split, sums) = (usize::from(slices > 1), channels * (rows.rows * conv.kernel + 1));
        let kernel = conv.by_rows("conv_backward_weight_rows", rows, grid).shares([split * Rows::LANES * sums]);
        let relu = usize::from(conv.relu);
        vec![kernel.consts([("COLUMNS", columns), ("SLICES", slices), ("SPLIT", split), ("RELU", relu)])]
    }

    fn tiled(&self, tile: Tile) -> Kernel {
        let conv = &self.0;
        // The bias is one more column. A small gradient has too few tiles to fill a device: then several lanes share one.
        let tiles = (conv.patch() + 1).div_ceil(tile.width()) * conv.channels_out.div_ceil(tile.channels);
        let (wanted, most) = if tile.quads > 1 { (64, tile.lanes) } else { (16_384, 16) };
        let slices = (wanted / tiles).clamp(1, most).next_power_of_two();
        let columns = tile.lanes / slices;
        let line = Grid::line(Extent::Fixed(conv.patch() + 1), tile.width() * columns);
        conv.kernel(self.name(), tile, line.layers(Extent::Fixed(conv.channels_out), tile.channels))
            .consts([("COLUMNS", columns), ("SLICES", slices)])
            .shares([4 * tile.lanes])
    }

    fn run<T: Real>(&self, call: Call<'_, T>) {
        let (conv, live, mut keep) = (&self.0, call.live(), call.run.accumulate == 1);
        let ([gy, y, x], [gweight, gbias]) = call.split();
        let (positions, patch, channels) = (conv.positions(), conv.patch(), conv.channels_out);
        if !keep {
            gbias.fill(T::ZERO);
        }
        let mut gradient = vec![T::ZERO; conv.group().min(live) * positions * channels];
        let mut patches = vec![T::ZERO; conv.group().min(live) * positions * patch];
        for (first, images) in conv.groups(live) {
            let rows = images * positions;
            let gradient = &mut gradient[..rows * channels];
            conv.gradient_rows(&gy[first * conv.output()..], &y[first * conv.output()..], gradient);
            conv.gather_group(&x[first * conv.input()..], &mut patches[..rows * patch]);
            for row in gradient.chunks_exact(channels) {
                add_scaled(gbias, T::ONE, row);
            }
            let gradient = Matrix::rows(gradient, rows, channels).transposed();
            let patches = Matrix::rows(&patches[..rows * patch], rows, patch);
            multiply(gweight, [patch, 1], keep, T::of(conv.scale.into()), gradient, patches, true);
            keep = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Chosen, Run};

    #[test]
    fn a_small_convolution_by_hand() {
        // One 3×3 image, two 2×2 kernels, stride 1; the second kernel is negative and the ReLU cuts it.
        let conv = Convolution {
            channels_in: 1,
            height: 3,
            width: 3,
            channels_out: 2,
            kernel: 2,
            stride: 1,
            scale: 0.5,
            relu: true,
        };
        let x: Vec<f64> = (1..=9).map(f64::from).collect();
        let weight = [1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0];
        let mut y = [f64::NAN; 8];
        let run = Run::new(1, 1, Chosen::Label);
        Forward(conv).twin_double(Call { run: &run, reads: vec![&x, &weight, &[10.0, 1.0]], writes: vec![&mut y] });
        // Correlation, not convolution: (1 + 5) / 2 + 10; the bias is not scaled.
        assert_eq!(y, [13.0, 14.0, 16.0, 17.0, 0.5, 0.0, 0.0, 0.0]);

        let (mut gweight, mut gbias) = ([f64::NAN; 8], [f64::NAN; 2]);
        BackwardWeight(conv).twin_double(Call {
            run: &run,
            reads: vec![&[1.0; 8], &y, &x],
            writes: vec![&mut gweight, &mut gbias],
        });
        assert_eq!(gbias, [4.0, 1.0], "the ReLU stops three of the second kernel's gradients");
        assert_eq!(gweight, [6.0, 8.0, 12.0, 14.0, 0.5, 1.0, 2.0, 2.5]);
    }

    #[test]
    fn floor_of_a_stride_that_does_not_divide() {
        let conv = Convolution {
            channels_in: 1,
            height: 22,
            width: 21,
            channels_out: 1,
            kernel: 7,
            stride: 3,
            scale: 1.0,
            relu: false,
        };
        assert_eq!((conv.height_out(), conv.width_out()), (6, 5));
    }
}
