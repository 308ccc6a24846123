//! The digit that is read, with a frame around what something sees of it.

use super::Cells;
use crate::geometry::Sight;
use crate::view::session::Session;
use leptos::prelude::*;

/// Rows and columns of the input.
const SIDE: u32 = 28;

/// A small picture of the input; it says nothing that is not said beside it.
#[component]
pub fn Seen(
    /// The session.
    session: Session,
    /// What is framed.
    #[prop(into)]
    sight: Signal<Option<Sight>>,
) -> impl IntoView {
    let style = move || {
        sight.get().map(|sight| {
            let part = |pixels: u32| 100.0 * pixels as f32 / SIDE as f32;
            let (left, top) = (part(sight.column), part(sight.row));
            let [height, width] = sight.size.map(part);
            format!("left:{left}%;top:{top}%;width:{width}%;height:{height}%")
        })
    };
    view! {
        <div class="seen-field" aria-hidden="true">
            <Cells columns=SIDE rows=SIDE values=session.chosen.pixels range=(0.0, 1.0) ramp=session.colours.ink/>
            <Show when=move || sight.get().is_some()>
                <i class="sight" style=style></i>
            </Show>
        </div>
    }
}
