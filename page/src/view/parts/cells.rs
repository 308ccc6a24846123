//! A picture of square cells: a digit, a difference, a map of coefficients.

use crate::geometry::{cell_at, place_in_box};
use crate::ramp::Ramp;
use leptos::{html, prelude::*};
use std::sync::Arc;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData, MouseEvent, PointerEvent};

/// A picture of cells, one canvas pixel each, enlarged by the style sheet without smoothing, so that it is sharp at any
/// pixel ratio. The cell under the pointer is framed and its value told.
#[component]
pub fn Cells(
    /// Columns.
    columns: u32,
    /// Rows.
    rows: u32,
    /// Values row by row; `None` while there are none.
    #[prop(into)]
    values: Signal<Option<Arc<Vec<f32>>>>,
    /// The values of the ramp's ends.
    #[prop(into)]
    range: Signal<(f32, f32)>,
    /// Colours.
    ramp: Memo<Arc<Ramp>>,
    /// Name for screen readers; without one the picture says nothing that is not said beside it.
    #[prop(optional, into)]
    label: Option<Signal<String>>,
    /// Decimals of the value that is told; without it none is.
    #[prop(optional)]
    told: Option<usize>,
) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    let hovered = RwSignal::new(None::<(u32, u32)>);
    Effect::new(move |_| {
        if let Some(canvas) = canvas.get() {
            let (range, ramp) = (range.get(), ramp.get());
            values.with(|values| paint(&canvas, (columns, rows), values.as_ref().map(|v| v.as_slice()), range, &ramp));
        }
    });
    let value = Signal::derive(move || {
        let (column, row) = hovered.get()?;
        let value = values.with(|values| values.as_ref()?.get((row * columns + column) as usize).copied())?;
        Some(crate::text::cell(row, column, value, told?))
    });
    let on_move = move |event: PointerEvent| {
        if told.is_some() {
            hovered.set(cell_under(&event, columns, rows));
        }
    };
    view! {
        <div
            class="cells"
            role=label.map(|_| "img")
            aria-label=move || label.map(|label| label.get())
            aria-hidden=label.is_none().then_some("true")
            on:pointermove=on_move
            on:pointerdown=on_move
            on:pointerleave=move |_| hovered.set(None)
        >
            <canvas node_ref=canvas width=columns height=rows></canvas>
            <Mark columns rows cell=hovered tip=value/>
        </div>
    }
}

/// A frame around one cell of a picture.
#[component]
pub fn Mark(
    /// Columns of the picture.
    columns: u32,
    /// Rows of the picture.
    rows: u32,
    /// Column and row of the framed cell.
    #[prop(into)]
    cell: Signal<Option<(u32, u32)>>,
    /// What is told beside it.
    #[prop(optional, into)]
    tip: Option<Signal<Option<String>>>,
    /// Whether the frame stays.
    #[prop(optional)]
    pinned: bool,
) -> impl IntoView {
    let style = move || {
        cell.get().map(|(column, row)| {
            let part = |n: u32, of: u32| 100.0 * n as f32 / of.max(1) as f32;
            let (left, top) = (part(column, columns), part(row, rows));
            let (width, height) = (part(1, columns), part(1, rows));
            format!("left:{left}%;top:{top}%;width:{width}%;height:{height}%")
        })
    };
    // Where the tip would leave the picture's right half it opens to the left, so that it stays on the page.
    let opens_left = move || cell.get().is_some_and(|(column, _)| 2 * column >= columns);
    view! {
        <Show when=move || cell.get().is_some()>
            <i class="mark" class:pinned=pinned style=style>
                {move || {
                    let text = tip.and_then(|tip| tip.get())?;
                    Some(view! { <span class="tip" class:left=opens_left>{text}</span> })
                }}
            </i>
        </Show>
    }
}

/// The cell under the pointer, by the box as it is on the screen.
pub fn cell_under(event: &MouseEvent, columns: u32, rows: u32) -> Option<(u32, u32)> {
    let element: web_sys::Element = event.current_target()?.dyn_into().ok()?;
    let on_screen = element.get_bounding_client_rect();
    let pointer = (f64::from(event.client_x()), f64::from(event.client_y()));
    let place = place_in_box(pointer, on_screen.left(), on_screen.top(), on_screen.width(), on_screen.height());
    Some(cell_at(place, columns, rows))
}

/// Draws the values; without any the picture is empty.
fn paint(
    canvas: &HtmlCanvasElement,
    (columns, rows): (u32, u32),
    values: Option<&[f32]>,
    range: (f32, f32),
    ramp: &Ramp,
) {
    let context = canvas.get_context("2d").ok().flatten();
    let Some(context) = context.and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok()) else { return };
    match values.filter(|values| values.len() == (columns * rows) as usize) {
        Some(values) => {
            let bytes = ramp.paint(values, range);
            let data = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&bytes), columns, rows);
            if let Ok(data) = data {
                // Fails only for a detached array, and this one was just made.
                let _ = context.put_image_data(&data, 0.0, 0.0);
            }
        }
        None => context.clear_rect(0.0, 0.0, f64::from(columns), f64::from(rows)),
    }
}
