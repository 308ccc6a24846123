//! The grid of a pose: each dimension moved in steps, a row at a time, behind what a person does.

use super::Engine;
use super::explore::moved;
use crate::protocol::{Exploration, GridRow, Network, Snapshot};

/// The most pictures of a row.
const MOST_STEPS: usize = 32;

/// A grid that is being decoded, or was.
#[derive(PartialEq)]
pub(super) struct Grid {
    of: Subject,
    serial: u64,
    /// The next row.
    next: usize,
}

/// What a grid depends on.
#[derive(PartialEq)]
struct Subject {
    network: Network,
    step: u64,
    class: usize,
    pose: Vec<f32>,
    offsets: Vec<Vec<f32>>,
}

impl Grid {
    /// Whether there are rows left to decode.
    pub(super) fn goes_on(&self) -> bool {
        self.next < self.of.offsets.len()
    }
}

impl Engine {
    /// Begins the grid that an exploration asks for, unless it is there or on its way. `pose` is the capsule's own.
    pub(super) fn ask_for_grid(&mut self, exploration: &Exploration, step: u64, class: u8, pose: &[f32]) {
        let Some(offsets) = &exploration.grid else {
            self.grid = None;
            return;
        };
        let row = |row: &Vec<f32>| row.iter().take(MOST_STEPS).copied().collect();
        let of = Subject {
            network: exploration.network.clone(),
            step,
            class: class.into(),
            pose: pose.to_vec(),
            offsets: offsets.iter().take(pose.len()).map(row).collect(),
        };
        if self.grid.as_ref().is_none_or(|grid| grid.of != of) {
            self.grid = Some(Grid { of, serial: exploration.serial, next: 0 });
        }
    }

    /// One row.
    pub(super) async fn grid_slice(&mut self) {
        let Some(mut grid) = self.grid.take() else { return };
        match self.grid_row(&grid).await {
            Ok(Some(row)) => {
                grid.next += 1;
                self.grid = Some(grid);
                self.host.send(Snapshot::GridRow(row));
            }
            // The network is gone; whoever looks at the next one asks anew.
            Ok(None) => {}
            Err(error) => self.problem(error),
        }
    }

    async fn grid_row(&mut self, grid: &Grid) -> Result<Option<GridRow>, String> {
        let Some(reader) = self.reader(&grid.of.network).await? else { return Ok(None) };
        let Subject { class, pose, offsets, .. } = &grid.of;
        let (dimension, offsets) = (grid.next, &offsets[grid.next]);
        let capsules: Vec<_> = moved(pose, dimension, pose[dimension], offsets).map(|pose| (*class, pose)).collect();
        Ok(Some(GridRow {
            serial: grid.serial,
            class: *class as u8,
            dimension: dimension as u8,
            offsets: offsets.clone(),
            pixels: reader.decode(&capsules).await?,
        }))
    }
}
