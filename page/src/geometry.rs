//! Where things lie: places on the pad, capsules in their grid, and the way from one to the next by arrow keys.

use capscope_protocol::Field;

/// The primary capsules' types, rows and columns: capsule = (type · rows + row) · columns + column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Capsule types.
    pub types: u32,
    /// Rows of positions.
    pub rows: u32,
    /// Columns of positions.
    pub columns: u32,
}

/// A direction of the arrow keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrow {
    /// ←
    Left,
    /// →
    Right,
    /// ↑
    Up,
    /// ↓
    Down,
}

impl Arrow {
    /// The arrow of a key's name.
    pub fn of_key(key: &str) -> Option<Self> {
        match key {
            "ArrowLeft" => Some(Arrow::Left),
            "ArrowRight" => Some(Arrow::Right),
            "ArrowUp" => Some(Arrow::Up),
            "ArrowDown" => Some(Arrow::Down),
            _ => None,
        }
    }

    /// One step right and down.
    pub fn step(self) -> (i32, i32) {
        match self {
            Arrow::Left => (-1, 0),
            Arrow::Right => (1, 0),
            Arrow::Up => (0, -1),
            Arrow::Down => (0, 1),
        }
    }
}

impl Grid {
    /// Capsules.
    pub fn capsules(self) -> u32 {
        self.types * self.rows * self.columns
    }

    /// Type, row and column of a capsule, from 0.
    pub fn place(self, capsule: u32) -> (u32, u32, u32) {
        let positions = (self.rows * self.columns).max(1);
        let within = capsule % positions;
        (capsule / positions, within / self.columns.max(1), within % self.columns.max(1))
    }

    /// The capsule of a type at a row and column.
    pub fn capsule(self, (of_type, row, column): (u32, u32, u32)) -> u32 {
        (of_type * self.rows + row) * self.columns + column
    }

    /// How many types stand side by side in the picture.
    pub fn types_across(self) -> u32 {
        if self.types > 12 { 8 } else { 4.min(self.types.max(1)) }
    }

    /// The capsule beside another one as they are seen; at the edge of its type the next type's, at the edge of the
    /// picture itself.
    pub fn beside(self, capsule: u32, arrow: Arrow) -> u32 {
        let across = self.types_across();
        let (of_type, row, column) = self.place(capsule);
        let (right, down) = arrow.step();
        let x = (of_type % across * self.columns + column).checked_add_signed(right);
        let y = (of_type / across * self.rows + row).checked_add_signed(down);
        let (Some(x), Some(y)) = (x, y) else { return capsule };
        let (across_x, down_y) = (x / self.columns.max(1), y / self.rows.max(1));
        let next = down_y * across + across_x;
        if across_x >= across || next >= self.types {
            return capsule;
        }
        self.capsule((next, y % self.rows.max(1), x % self.columns.max(1)))
    }
}

/// A part of the picture on the page that something sees: its first row and column, and how many of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// First row.
    pub row: u32,
    /// First column.
    pub column: u32,
    /// Rows and columns.
    pub size: [u32; 2],
}

impl Sight {
    /// What a layer's position at a row and column sees of a picture of `side` × `side` pixels. A network that reads
    /// larger pictures, of `input` rows and columns, has it in their middle; what lies around it is not shown.
    pub fn of(field: Field, (row, column): (u32, u32), input: [u32; 2], side: u32) -> Self {
        let along = |place: u32, length: u32| {
            let margin = length.saturating_sub(side) / 2;
            let start = (place * field.stride).saturating_sub(margin).min(side);
            let end = (place * field.stride + field.size).saturating_sub(margin).min(side);
            (start, end - start)
        };
        let ((row, rows), (column, columns)) = (along(row, input[0]), along(column, input[1]));
        Sight { row, column, size: [rows, columns] }
    }

    /// All of a picture of `side` × `side` pixels.
    pub fn whole(side: u32) -> Self {
        Sight { row: 0, column: 0, size: [side; 2] }
    }
}

/// A pointer's place within a box on the screen: (0, 0) is its upper left corner, (1, 1) its lower right one. Both in
/// the same units, so that zoom, scale and pixel ratio fall out.
pub fn place_in_box((x, y): (f64, f64), left: f64, top: f64, width: f64, height: f64) -> (f32, f32) {
    let part = |at: f64, start: f64, length: f64| if length > 0.0 { ((at - start) / length) as f32 } else { 0.0 };
    (part(x, left, width), part(y, top, height))
}

/// The cell of a picture of so many columns and rows at a place in its box.
pub fn cell_at((x, y): (f32, f32), columns: u32, rows: u32) -> (u32, u32) {
    let cell = |part: f32, count: u32| ((part * count as f32) as u32).min(count.saturating_sub(1));
    (cell(x, columns), cell(y, rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPACT: Grid = Grid { types: 8, rows: 6, columns: 6 };

    #[test]
    fn places_and_capsules_are_one_to_one() {
        for grid in [COMPACT, Grid { types: 4, rows: 3, columns: 3 }, Grid { types: 3, rows: 2, columns: 5 }] {
            assert!((0..grid.capsules()).all(|capsule| grid.capsule(grid.place(capsule)) == capsule));
        }
        assert_eq!(COMPACT.place(36 + 6 + 2), (1, 1, 2));
    }

    #[test]
    fn arrows_cross_from_type_to_type_and_stop_at_the_edge() {
        let at = |of_type, row, column| COMPACT.capsule((of_type, row, column));
        assert_eq!(COMPACT.beside(at(0, 2, 2), Arrow::Down), at(0, 3, 2));
        assert_eq!(COMPACT.beside(at(0, 2, 5), Arrow::Right), at(1, 2, 0));
        assert_eq!(COMPACT.beside(at(1, 5, 3), Arrow::Down), at(5, 0, 3));
        assert_eq!(COMPACT.beside(at(0, 0, 0), Arrow::Up), at(0, 0, 0));
        assert_eq!(COMPACT.beside(at(0, 0, 0), Arrow::Left), at(0, 0, 0));
        assert_eq!(COMPACT.beside(at(3, 1, 5), Arrow::Right), at(3, 1, 5));
        assert_eq!(COMPACT.beside(at(7, 5, 5), Arrow::Down), at(7, 5, 5));
        // The second row of five types holds one only.
        let five = Grid { types: 5, rows: 2, columns: 2 };
        assert_eq!(five.beside(five.capsule((1, 1, 0)), Arrow::Down), five.capsule((1, 1, 0)));
        assert_eq!(five.beside(five.capsule((0, 1, 0)), Arrow::Down), five.capsule((4, 0, 0)));
    }

    #[test]
    fn a_primary_capsule_sees_its_square() {
        let field = Field { size: 17, stride: 2 };
        let of = |place| Sight::of(field, place, [28, 28], 28);
        assert_eq!(of((0, 5)), Sight { row: 0, column: 10, size: [17, 17] });
        assert_eq!(of((5, 5)), Sight { row: 10, column: 10, size: [17, 17] });
    }

    #[test]
    fn of_a_larger_input_only_its_middle_is_on_the_page() {
        // Two digits in 36×36 pixels, of which four are cut off on each side.
        let of = |field, place| Sight::of(field, place, [36, 36], 28);
        let [first, primary] = [Field { size: 9, stride: 1 }, Field { size: 17, stride: 2 }];
        assert_eq!(of(first, (4, 10)), Sight { row: 0, column: 6, size: [9, 9] });
        assert_eq!(of(first, (0, 27)), Sight { row: 0, column: 23, size: [5, 5] });
        assert_eq!(of(primary, (0, 2)), Sight { row: 0, column: 0, size: [13, 17] });
        assert_eq!(of(primary, (9, 4)), Sight { row: 14, column: 4, size: [14, 17] });
    }

    #[test]
    fn a_scaled_box_gives_the_same_place() {
        assert_eq!(place_in_box((150.0, 75.0), 100.0, 50.0, 100.0, 100.0), (0.5, 0.25));
        assert_eq!(place_in_box((300.0, 150.0), 200.0, 100.0, 200.0, 200.0), (0.5, 0.25));
        assert_eq!(place_in_box((1.0, 1.0), 0.0, 0.0, 0.0, 0.0), (0.0, 0.0));
        assert_eq!((cell_at((0.0, 0.99), 28, 28), cell_at((1.0, -0.1), 6, 6)), ((0, 27), (5, 0)));
    }
}
