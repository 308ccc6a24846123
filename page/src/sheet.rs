//! Pictures as PNG files: one, or many side by side. They are made of the numbers that are shown, not read back from
//! the screen.

use super::geometry::Grid;
use super::ramp::{Colour, Ramp};
use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder};

/// What lies between pictures and where there is none.
const GROUND: Colour = [128, 128, 128];

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

    /// The squares of a layer, `across` of them in a row.
    pub fn of_tiles(values: &[f32], grid: Grid, across: u32, ramp: &Ramp, range: (f32, f32)) -> Self {
        let (across, types) = (across.clamp(1, grid.types.max(1)) as usize, grid.types.max(1) as usize);
        let picture = [grid.columns, grid.rows].map(|cells| cells.max(1) as usize);
        let mut sheet = Sheet::new([across, types.div_ceil(across)], picture, 1);
        for (place, tile) in values.chunks_exact(picture[0] * picture[1]).enumerate() {
            sheet.put([place % across, place / across], tile, ramp, range);
        }
        sheet
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
    fn a_single_picture_is_a_sheet_of_one() {
        let ramp = Ramp::new(&[[0, 0, 255], [255, 0, 0]]);
        let file = Sheet::of(&[-1.0, 1.0], [1, 2], &ramp, (-1.0, 1.0)).png(1);
        let picture = image::load_from_memory(&file).unwrap().into_rgb8();
        assert_eq!((picture.get_pixel(0, 0).0, picture.get_pixel(0, 1).0), ([0, 0, 255], [255, 0, 0]));
    }
}
