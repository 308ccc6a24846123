//! One layer as tiles of cells, with a cursor, a legend and its numbers.

use crate::format;
use crate::geometry::{Arrow, Grid};
use crate::layers::{Kind, Tiles};
use crate::ramp::Ramp;
use crate::sheet::Sheet;
use crate::text::{live, say};
use crate::view::parts::{Cells, FileKind, Mark, Numbers, Save, Table, cell_under};
use crate::view::session::Session;
use leptos::prelude::*;
use std::sync::Arc;
use web_sys::{KeyboardEvent, MouseEvent, PointerEvent};

/// The cell under the pointer or the cursor: its layer and its place among the layer's cells.
pub type Spot = RwSignal<Option<(Kind, u32)>>;

/// How values become colours.
#[derive(Clone, Copy)]
pub struct Scale {
    /// The values of the ramp's ends.
    pub range: Signal<(f32, f32)>,
    /// The colours.
    pub ramp: Memo<Arc<Ramp>>,
    /// The ramp's class in the style sheet.
    pub class: &'static str,
}

/// The picture of a layer.
#[component]
pub fn LayerTiles(
    /// The session.
    session: Session,
    /// Which layer.
    kind: Kind,
    /// What it is, in a few words.
    #[prop(into)]
    title: Signal<String>,
    /// Its values.
    tiles: Memo<Option<Arc<Tiles>>>,
    /// Their colours.
    scale: Scale,
    /// The cell that is looked at, in whichever layer.
    spot: Spot,
) -> impl IntoView {
    // The tiles are made anew only when there are others, not when their values change.
    let grid = Memo::new(move |_| tiles.with(|tiles| tiles.as_ref().map(|tiles| tiles.grid)));
    let here = move || spot.get().filter(|(of, _)| *of == kind).map(|(_, cell)| cell);
    let on_key = move |event: KeyboardEvent| {
        let Some(grid) = grid.get_untracked() else { return };
        match (Arrow::of_key(&event.key()), event.key().as_str()) {
            (Some(arrow), _) => {
                let at = spot.get_untracked().filter(|(of, _)| *of == kind);
                spot.set(Some((kind, at.map_or(0, |(_, cell)| grid.beside(cell, arrow)))));
            }
            (None, "Escape") => spot.set(None),
            _ => return,
        }
        event.prevent_default();
    };
    let all = move || {
        let grid = grid.get()?;
        let tile = move |tile: u32| {
            let own = Signal::derive(move || tiles.with(|tiles| Some(Arc::new(tiles.as_ref()?.tile(tile).to_vec()))));
            let cell = Signal::derive(move || {
                let (of_tile, row, column) = grid.place(here()?);
                (of_tile == tile).then_some((column, row))
            });
            let under = move |event: &MouseEvent| {
                cell_under(event, grid.columns, grid.rows)
                    .map(|(column, row)| (kind, grid.capsule((tile, row, column))))
            };
            let on_move = move |event: PointerEvent| spot.set(under(&event));
            view! {
                <div class="square" on:pointermove=on_move on:pointerdown=on_move>
                    <Cells
                        columns=grid.columns
                        rows=grid.rows
                        values=own
                        range=scale.range
                        ramp=scale.ramp
                    />
                    <Mark columns=grid.columns rows=grid.rows cell/>
                </div>
            }
        };
        Some((0..grid.types).map(tile).collect_view())
    };
    let style = move || {
        let grid = grid.get().unwrap_or(Grid { types: 1, rows: 1, columns: 1 });
        format!("--across:{};--aspect:{}/{}", grid.types_across(), grid.columns, grid.rows)
    };
    let end = move |low: bool| move || format::fixed(if low { scale.range.get().0 } else { scale.range.get().1 }, 2);
    let file = move || {
        let tiles = tiles.get_untracked()?;
        let (ramp, range) = (scale.ramp.get_untracked(), scale.range.get_untracked());
        let bytes = Sheet::tiles(tiles.grid, &tiles.values, &ramp, range).file();
        Some((session.file_name(&kind.file(), FileKind::Png.ending()), bytes))
    };
    view! {
        <div class="layer">
            <div class="with-file"><h4>{title}</h4><Save what=title kind=FileKind::Png file/></div>
            <div
                class="layer-picker"
                role="application"
                tabindex="0"
                aria-label=move || say!("layers.picker", layer = title.get())
                on:keydown=on_key
                on:blur=move |_| spot.set(None)
                on:pointerleave=move |_| spot.set(None)
            >
                <div class="tiles" role="img" aria-label=title style=style>{all}</div>
            </div>
            <div class="scale-line number">
                <span>{end(true)}</span><div class=format!("ramp {}", scale.class)></div><span>{end(false)}</span>
            </div>
            <Numbers summary=live!("layers.numbers") table=move || table(kind, &title.get(), tiles.get()?.as_ref())/>
        </div>
    }
}

/// A line for each row of each tile.
fn table(kind: Kind, title: &str, tiles: &Tiles) -> Option<Table> {
    let Grid { rows, columns, .. } = tiles.grid;
    let name = |line| row_name(kind, line / rows, line % rows);
    Some(Table::of_cells(title.into(), columns, &tiles.values, 4, name))
}

/// The name of a row of a tile.
fn row_name(kind: Kind, tile: u32, row: u32) -> String {
    match kind {
        Kind::Convolution => say!("layers.map_row", map = tile + 1, row = row + 1),
        Kind::Primary => say!("layers.type_row", kind = tile + 1, row = row + 1),
        Kind::Digits => say!("layers.digit_row", digit = row),
        Kind::Hidden(_) | Kind::Output => say!("layers.row", row = row + 1),
    }
}
