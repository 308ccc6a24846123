//! Pictures as PNG files: one, or many side by side. They are made of the numbers that are shown, not read back from
//! the screen.

use super::geometry::Grid;
use super::ramp::{Colour, Ramp};
use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder};

/// What lies between pictures and where there is none.
const GROUND: Colour = [128, 128, 128];

/// Width of a file in pixels, unless its cells would be larger than 16 of them or smaller than one.
const FILE_WIDTH: usize = 800;

/// Columns and rows of equal pictures, a line apart.
pub struct Sheet {
    /// Columns and rows of cells of one picture.
    picture: [usize; 2],
    /// Cells between two pictures.
    gap: usize,
    /// Cells of the whole.
    width: usize,
    height: usize,
    cells: Vec<Colour>,
}

impl Sheet {
    /// An empty sheet for `columns` × `rows` pictures of `picture` cells, `gap` cells between them.
    ///
    /// # Panics
    /// If there is no column, no row, or no cell.
    pub fn new([columns, rows]: [usize; 2], picture: [usize; 2], gap: usize) -> Self {
        let length = |count: usize, each: usize| count * each + (count - 1) * gap;
        assert!(columns * rows * picture[0] * picture[1] > 0, "an empty sheet is no picture");
        let (width, height) = (length(columns, picture[0]), length(rows, picture[1]));
        Sheet { picture, gap, width, height, cells: vec![GROUND; width * height] }
    }

    /// One picture alone.
    pub fn of(values: &[f32], picture: [usize; 2], ramp: &Ramp, range: (f32, f32)) -> Self {
        let mut sheet = Sheet::new([1, 1], picture, 0);
        sheet.put([0, 0], values, ramp, range);
        sheet
    }

    /// The types of a layer as they stand on the page: so many side by side, a line apart.
    ///
    /// # Panics
    /// If there is no type, or no cell in it.
    pub fn tiles(grid: Grid, values: &[f32], ramp: &Ramp, range: (f32, f32)) -> Self {
        let [types, rows, columns] = [grid.types, grid.rows, grid.columns].map(|count| count as usize);
        let across = grid.types_across() as usize;
        let mut sheet = Sheet::new([across, types.div_ceil(across)], [columns, rows], 1);
        for (tile, values) in values.chunks_exact(rows * columns).enumerate() {
            sheet.put([tile % across, tile / across], values, ramp, range);
        }
        sheet
    }

    /// As a PNG file about [`FILE_WIDTH`] pixels wide.
    pub fn file(&self) -> Vec<u8> {
        self.png((FILE_WIDTH / self.width).min(16))
    }

    /// Puts a picture at a column and row. Values of another number than a picture's, or a place outside, change nothing.
    pub fn put(&mut self, [column, row]: [usize; 2], values: &[f32], ramp: &Ramp, range: (f32, f32)) {
        let [across, down] = self.picture;
        let (left, top) = (column * (across + self.gap), row * (down + self.gap));
        if values.len() != across * down || left + across > self.width || top + down > self.height {
            return;
        }
        for (y, line) in values.chunks_exact(across).enumerate() {
            let target = &mut self.cells[(top + y) * self.width + left..][..across];
            for (cell, value) in target.iter_mut().zip(line) {
                *cell = ramp.colour(*value, range);
            }
        }
    }

    /// Draws a frame into the outermost cells of a picture: it stands out. A place outside changes nothing.
    pub fn frame(&mut self, [column, row]: [usize; 2], colour: Colour) {
        let [across, down] = self.picture;
        let (left, top) = (column * (across + self.gap), row * (down + self.gap));
        if left + across > self.width || top + down > self.height {
            return;
        }
        for y in 0..down {
            let line = &mut self.cells[(top + y) * self.width + left..][..across];
            if y == 0 || y + 1 == down {
                line.fill(colour);
            } else {
                [line[0], line[across - 1]] = [colour; 2];
            }
        }
    }

    /// As a PNG file, each cell `scale` × `scale` pixels.
    pub fn png(&self, scale: usize) -> Vec<u8> {
        let scale = scale.max(1);
        let mut pixels = Vec::with_capacity(self.cells.len() * scale * scale * 3);
        for line in self.cells.chunks_exact(self.width) {
            let enlarged: Vec<u8> = line.iter().flat_map(|cell| cell.repeat(scale)).collect();
            (0..scale).for_each(|_| pixels.extend_from_slice(&enlarged));
        }
        let mut file = Vec::new();
        let (width, height) = ((self.width * scale) as u32, (self.height * scale) as u32);
        PngEncoder::new(&mut file)
            .write_image(&pixels, width, height, ExtendedColorType::Rgb8)
            .expect("as many pixels as were announced, written to memory");
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheets_file_shows_each_picture_in_its_place() {
        let ramp = Ramp::new(&[[0, 0, 0], [255, 255, 255]]);
        let mut sheet = Sheet::new([2, 2], [2, 1], 1);
        sheet.put([0, 0], &[0.0, 1.0], &ramp, (0.0, 1.0));
        sheet.put([1, 1], &[1.0, 0.0], &ramp, (0.0, 1.0));
        // Neither fits.
        sheet.put([2, 0], &[1.0, 1.0], &ramp, (0.0, 1.0));
        sheet.put([1, 0], &[1.0], &ramp, (0.0, 1.0));
        let picture = image::load_from_memory(&sheet.png(3)).unwrap().into_rgb8();
        assert_eq!(picture.dimensions(), (15, 9));
        let at = |column: u32, row: u32| picture.get_pixel(column * 3 + 1, row * 3 + 2).0[0];
        let rows: Vec<Vec<u8>> = (0..3).map(|row| (0..5).map(|column| at(column, row)).collect()).collect();
        assert_eq!(rows, [[0, 255, 128, 128, 128], [128; 5], [128, 128, 128, 255, 0]]);
    }

    #[test]
    fn a_frame_goes_around_its_picture_alone() {
        let ramp = Ramp::new(&[[0, 0, 0], [255, 255, 255]]);
        let mut sheet = Sheet::new([2, 1], [3, 3], 1);
        sheet.put([1, 0], &[1.0; 9], &ramp, (0.0, 1.0));
        sheet.frame([1, 0], [9, 0, 0]);
        sheet.frame([2, 0], [9, 0, 0]);
        let picture = image::load_from_memory(&sheet.png(1)).unwrap().into_rgb8();
        let row = |y: u32| (0..7).map(|x| picture.get_pixel(x, y).0[0]).collect::<Vec<u8>>();
        assert_eq!(row(0), [128, 128, 128, 128, 9, 9, 9]);
        assert_eq!(row(1), [128, 128, 128, 128, 9, 255, 9]);
    }

    #[test]
    fn a_layers_types_stand_as_on_the_page() {
        let ramp = Ramp::new(&[[0, 0, 0], [255, 255, 255]]);
        // Five types of one row and two columns: four side by side, the fifth below the first.
        let grid = Grid { types: 5, rows: 1, columns: 2 };
        let values: Vec<f32> = (0..10).map(|k| k as f32 / 9.0).collect();
        let picture =
            image::load_from_memory(&Sheet::tiles(grid, &values, &ramp, (0.0, 1.0)).file()).unwrap().into_rgb8();
        assert_eq!(picture.dimensions(), (11 * 16, 3 * 16));
        let at = |column: u32, row: u32| picture.get_pixel(column * 16 + 7, row * 16 + 7).0[0];
        assert_eq!((at(0, 0), at(1, 0), at(3, 0), at(10, 0)), (0, 28, 57, 198));
        assert_eq!((at(0, 2), at(1, 2), at(2, 0), at(3, 2)), (227, 255, 128, 128));
    }

    #[test]
    fn a_single_picture_is_a_sheet_of_one() {
        let ramp = Ramp::new(&[[0, 0, 255], [255, 0, 0]]);
        let file = Sheet::of(&[-1.0, 1.0], [1, 2], &ramp, (-1.0, 1.0)).png(1);
        let picture = image::load_from_memory(&file).unwrap().into_rgb8();
        assert_eq!((picture.get_pixel(0, 0).0, picture.get_pixel(0, 1).0), ([0, 0, 255], [255, 0, 0]));
    }
}
