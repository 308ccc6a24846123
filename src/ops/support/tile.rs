//! How much one invocation of a kernel does.

/// A block of channels × positions, pixels or columns, in registers.
#[derive(Clone, Copy, Debug)]
pub(in crate::ops) struct Tile {
    pub(in crate::ops) variant: &'static str,
    /// Channels.
    pub(in crate::ops) channels: usize,
    /// Quadruples of positions, pixels or columns.
    pub(in crate::ops) quads: usize,
    /// Invocations in a workgroup.
    pub(in crate::ops) lanes: usize,
}

impl Tile {
    /// For hardware: many invocations with few registers each.
    pub(in crate::ops) const SMALL: Tile = Tile { variant: "8x4", channels: 8, quads: 1, lanes: 64 };
    /// For adapters that compute on a processor, where a load costs more than many multiplications, and a workgroup is no
    /// more than one vector of the processor's.
    pub(in crate::ops) const LARGE: Tile = Tile { variant: "8x16", channels: 8, quads: 4, lanes: 4 };

    /// Positions, pixels or columns of one invocation.
    pub(in crate::ops) fn width(&self) -> usize {
        4 * self.quads
    }
}

/// A block of channels × whole rows, for adapters that compute on a processor: a row is loaded once for all the products
/// along it, each of which is written out, so that a sum is loaded and stored once for many of them.
#[derive(Clone, Copy, Debug)]
pub(in crate::ops) struct Rows {
    pub(in crate::ops) variant: &'static str,
    /// Channels.
    pub(in crate::ops) channels: usize,
    /// Rows.
    pub(in crate::ops) rows: usize,
}

impl Rows {
    /// Invocations in a workgroup: one vector of the processor's.
    pub(in crate::ops) const LANES: usize = 4;
    /// The most products written out in a shader: with more, compiling takes longer than they save.
    const PRODUCTS: usize = 2400;

    /// At most so many rows, as few as keep the shader short; `products` are those of one channel and one row.
    pub(in crate::ops) fn new(variant: &'static str, channels: usize, most: usize, products: usize) -> Self {
        Rows { variant, channels, rows: (Self::PRODUCTS / (channels * products)).clamp(1, most) }
    }
}

/// What the first of several kernels is called where only adapters that compute on a processor have another.
pub(in crate::ops) const PLAIN: &str = "plain";

/// The largest power of two up to eight that divides a length: as much of it is loaded at once.
pub(in crate::ops) fn piece(length: usize) -> usize {
    1 << length.trailing_zeros().min(3)
}
