//! The layers of a network as pictures of tiles, and what a cell of them stands for.

use super::geometry::{Grid, Sight};
use capscope_protocol::{Field, Layer, NetworkStatus, Reading};

/// A layer, from bottom to top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The maps of the first convolution.
    Convolution,
    /// The lengths of the primary capsules, a tile for each type.
    Primary,
    /// The poses of the digit capsules: a row for each digit.
    Digits,
    /// A hidden layer of the decoder.
    Hidden(usize),
    /// The decoder's output.
    Output,
}

impl Kind {
    /// Its name among the engine's layers, if the page asks for it.
    pub fn name(self) -> Option<String> {
        match self {
            Kind::Convolution => Some("conv1".into()),
            Kind::Hidden(index) => Some(format!("decoder.{index}")),
            Kind::Primary | Kind::Digits | Kind::Output => None,
        }
    }

    /// Its name in the name of a file.
    pub fn file(self) -> String {
        match self {
            Kind::Convolution => "conv1".into(),
            Kind::Primary => "primary-lengths".into(),
            Kind::Digits => "digit-capsules".into(),
            Kind::Hidden(index) => format!("decoder-{}", index + 1),
            Kind::Output => "decoder-output".into(),
        }
    }

    /// What a cell of it sees of the page's picture of `side` × `side` pixels, which lies in the middle of an `input` of
    /// so many rows and columns: a square for the convolutions, all of it above them. A pixel of the output belongs to
    /// the same one of the picture.
    pub fn sight(self, fields: [Field; 2], place: (u32, u32, u32), input: [u32; 2], side: u32) -> Sight {
        let (_, row, column) = place;
        match self {
            Kind::Convolution => Sight::of(fields[0], (row, column), input, side),
            Kind::Primary => Sight::of(fields[1], (row, column), input, side),
            Kind::Digits | Kind::Hidden(_) => Sight::whole(side),
            Kind::Output => Sight { row, column, size: [1, 1] },
        }
    }
}

/// A layer's tiles and their values, tile by tile and row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiles {
    /// How many tiles, and their rows and columns.
    pub grid: Grid,
    /// The values.
    pub values: Vec<f32>,
}

impl Tiles {
    /// The maps of a convolution [C, H, W].
    pub fn of_maps(layer: &Layer) -> Option<Self> {
        let [types, rows, columns] = <[u32; 3]>::try_from(layer.shape.as_slice()).ok()?;
        Tiles { grid: Grid { types, rows, columns }, values: layer.values.clone() }.whole()
    }

    /// A row of values, folded into a rectangle that is wider than high.
    pub fn of_row(layer: &Layer) -> Option<Self> {
        let columns = if layer.values.len() > 256 { 32 } else { 16 };
        let rows = (layer.values.len() as u32).div_ceil(columns);
        let mut values = layer.values.clone();
        values.resize((rows * columns) as usize, 0.0);
        Tiles { grid: Grid { types: 1, rows, columns }, values }.whole()
    }

    /// The lengths of the primary capsules.
    pub fn of_lengths(reading: &Reading, status: &NetworkStatus) -> Option<Self> {
        let [types, rows, columns] = status.grid;
        Tiles { grid: Grid { types, rows, columns }, values: reading.activity.clone() }.whole()
    }

    /// The poses of the digit capsules in an iteration, counted from 1.
    pub fn of_poses(reading: &Reading, iteration: u8) -> Option<Self> {
        let [_, rows, columns] = reading.sizes;
        let size = (rows * columns) as usize;
        let round = usize::from(iteration.clamp(1, reading.iterations)) - 1;
        let values = reading.poses.get(round * size..(round + 1) * size)?.to_vec();
        Tiles { grid: Grid { types: 1, rows, columns }, values }.whole()
    }

    /// The decoder's output.
    pub fn of_picture(pixels: &[f32], side: u32) -> Option<Self> {
        Tiles { grid: Grid { types: 1, rows: side, columns: side }, values: pixels.to_vec() }.whole()
    }

    fn whole(self) -> Option<Self> {
        (self.grid.capsules() as usize == self.values.len() && !self.values.is_empty()).then_some(self)
    }

    /// The values of one tile.
    pub fn tile(&self, tile: u32) -> &[f32] {
        let size = (self.grid.rows * self.grid.columns) as usize;
        self.values.get(tile as usize * size..(tile as usize + 1) * size).unwrap_or(&[])
    }

    /// The ends of a scale for values of both signs: as far below zero as above.
    pub fn both_signs(&self) -> (f32, f32) {
        let most = self.values.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        (-most, most)
    }

    /// The ends of a scale for values that are never negative.
    pub fn from_zero(&self) -> (f32, f32) {
        (0.0, self.values.iter().copied().fold(0.0, f32::max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(shape: &[u32], count: usize) -> Layer {
        Layer { name: "a".into(), shape: shape.to_vec(), values: (0..count).map(|k| k as f32).collect() }
    }

    #[test]
    fn tiles_are_the_layers_values() {
        let maps = Tiles::of_maps(&layer(&[3, 2, 4], 24)).expect("24 values");
        assert_eq!(maps.tile(1), [8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]);
        assert_eq!((maps.tile(3), maps.from_zero()), (&[][..], (0.0, 23.0)));
        assert_eq!(Tiles::of_maps(&layer(&[3, 2, 4], 23)), None);
        assert_eq!(Tiles::of_maps(&layer(&[24], 24)), None);
        for (count, rows, columns) in [(64, 4, 16), (256, 16, 16), (1024, 32, 32), (100, 7, 16)] {
            let row = Tiles::of_row(&layer(&[count as u32], count)).expect("values");
            assert_eq!((row.grid.rows, row.grid.columns), (rows, columns));
            assert_eq!(row.values[..count], layer(&[], count).values);
        }
        assert_eq!(Tiles { values: vec![-3.0, 2.0], ..maps }.both_signs(), (-3.0, 3.0));
    }

    #[test]
    fn poses_are_the_iterations_own() {
        let (reading, _) = crate::account::tests::routed();
        assert_eq!(Tiles::of_poses(&reading, 2).expect("poses").values, reading.poses[4..]);
        assert_eq!(Tiles::of_poses(&reading, 9), Tiles::of_poses(&reading, 2));
    }

    #[test]
    fn a_cell_sees_what_lies_under_it() {
        let fields = [Field { size: 9, stride: 1 }, Field { size: 17, stride: 2 }];
        let at = |kind: Kind| kind.sight(fields, (3, 4, 5), [28, 28], 28);
        assert_eq!(at(Kind::Convolution), Sight { row: 4, column: 5, size: [9, 9] });
        assert_eq!(at(Kind::Primary), Sight { row: 8, column: 10, size: [17, 17] });
        assert_eq!(at(Kind::Digits), Sight { row: 0, column: 0, size: [28, 28] });
        assert_eq!(at(Kind::Output), Sight { row: 4, column: 5, size: [1, 1] });
        let of_pairs = Kind::Primary.sight(fields, (0, 1, 5), [36, 36], 28);
        assert_eq!(of_pairs, Sight { row: 0, column: 6, size: [15, 17] });
        assert_eq!((Kind::Hidden(1).name(), Kind::Output.name()), (Some("decoder.1".into()), None));
        assert_eq!((Kind::Hidden(1).file(), Kind::Output.file()), ("decoder-2".into(), "decoder-output".into()));
    }
}
