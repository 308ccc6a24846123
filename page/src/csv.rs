//! Numbers as comma-separated values, for spreadsheets and scripts: a point before the decimals whatever the language
//! of the page, a header line, iterations, types, rows and columns counted from 1 as on the page.

use super::geometry::Grid;
use super::readout;
use capscope_protocol::Reading;
use std::fmt::Write;

/// A line for each iteration and child: its place, its length, its logits and its coefficients.
pub fn coefficients(reading: &Reading, grid: Grid) -> String {
    let parents = readout::parents(reading);
    let mut csv = String::from("iteration,capsule,type,row,column,length");
    for name in ["b", "c"] {
        (0..parents).for_each(|parent| put(&mut csv, format_args!(",{name}{parent}")));
    }
    csv.push('\n');
    for iteration in 1..=reading.iterations {
        for child in 0..readout::children(reading) as u32 {
            let (of_type, row, column) = grid.place(child);
            let length = reading.activity[child as usize];
            let place = (child + 1, of_type + 1, row + 1, column + 1);
            put(&mut csv, format_args!("{iteration},{},{},{},{},{length}", place.0, place.1, place.2, place.3));
            let logits = readout::logits_of_child(reading, iteration, child);
            let couplings = readout::of_child(reading, iteration, child);
            logits.iter().chain(couplings).for_each(|value| put(&mut csv, format_args!(",{value}")));
            csv.push('\n');
        }
    }
    csv
}

/// A line for each iteration: entropies, the longest parent, and all lengths.
pub fn lengths(reading: &Reading) -> String {
    let mut csv = String::from("iteration,entropy,entropy_weighted_by_length,longest");
    (0..readout::parents(reading)).for_each(|parent| put(&mut csv, format_args!(",length{parent}")));
    csv.push('\n');
    for iteration in 1..=reading.iterations {
        let entropy = reading.entropy[usize::from(iteration) - 1];
        let weighted = readout::weighted_entropy(reading, iteration);
        put(&mut csv, format_args!("{iteration},{entropy},{weighted},{}", readout::winner(reading, iteration)));
        readout::lengths(reading, iteration).iter().for_each(|length| put(&mut csv, format_args!(",{length}")));
        csv.push('\n');
    }
    csv
}

fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a string never fails.
    let _ = text.write_fmt(what);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::tests::routed;

    #[test]
    fn every_number_can_be_read_back() {
        let (reading, _) = routed();
        let csv = coefficients(&reading, Grid { types: 1, rows: 1, columns: 3 });
        let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(lines[0], ["iteration", "capsule", "type", "row", "column", "length", "b0", "b1", "c0", "c1"]);
        assert_eq!(lines.len(), 1 + 2 * 3);
        assert_eq!(lines[5][..6], ["2", "2", "1", "1", "2", "0.9"]);
        for (line, couplings) in lines[1..].iter().zip(reading.coupling.chunks_exact(2)) {
            assert_eq!(line.len(), lines[0].len());
            let read: Vec<f32> = line[8..].iter().map(|number| number.parse().expect("a number")).collect();
            assert_eq!(read, couplings, "to the bit");
        }
    }

    #[test]
    fn a_line_for_each_iteration() {
        let (reading, _) = routed();
        let csv = lengths(&reading);
        let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!((lines.len(), lines[0].len(), lines[2].len()), (3, 6, 6));
        assert_eq!(lines[2][5].parse::<f32>().ok(), reading.lengths.get(3).copied());
    }
}
