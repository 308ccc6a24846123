//! What every layer says of the digit in view, from the first convolution to the decoder's output.

use super::tiles::{LayerTiles, Scale, Spot};
use crate::layers::{Kind, Tiles};
use crate::text::{live, say};
use crate::view::parts::Seen;
use crate::view::session::Session;
use crate::{format, readout};
use leptos::{ev, prelude::*};
use std::sync::Arc;

/// Rows and columns of the input.
const SIDE: u32 = 28;

/// The layers, asked for while they are open.
#[component]
pub fn Layers(
    /// The session.
    session: Session,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let on_toggle = move |event: ev::Event| open.set(event_target::<web_sys::Element>(&event).has_attribute("open"));
    Effect::new(move |_| {
        let is_open = open.get();
        session.inspection.update(|inspection| {
            inspection.convolution = is_open;
            inspection.decoder = is_open;
        });
    });
    view! {
        <div class="layers-panel">
            <h3>{live!("layers.title")}</h3>
            <p class="note">{live!("layers.note")}</p>
            <details on:toggle=on_toggle>
                <summary>{live!("layers.open")}</summary>
                <Show when=move || open.get()>
                    <Stack session/>
                </Show>
            </details>
        </div>
    }
}

/// The values of a layer as they are now.
fn tiles(session: Session, kind: Kind) -> Option<Tiles> {
    let status = || session.status_of(&session.chosen.network.get());
    match kind {
        Kind::Convolution => session.layers.with(|layers| Tiles::of_maps(layers.get(&kind.name()?)?)),
        Kind::Hidden(_) => session.layers.with(|layers| Tiles::of_row(layers.get(&kind.name()?)?)),
        Kind::Primary => Tiles::of_lengths(session.reading.get()?.as_ref(), &status()?),
        Kind::Digits => Tiles::of_poses(session.reading.get()?.as_ref(), session.chosen.iteration.get()),
        Kind::Output => session.picture.with(|picture| Tiles::of_picture(&picture.as_ref()?.pixels, SIDE)),
    }
}

/// All layers, with what the cell that is looked at sees.
#[component]
fn Stack(
    /// The session.
    session: Session,
) -> impl IntoView {
    let spot: Spot = RwSignal::new(None);
    let sight = Signal::derive(move || {
        let (kind, cell) = spot.get()?;
        let status = session.status_of(&session.chosen.network.get())?;
        let place = tiles(session, kind)?.grid.place(cell);
        Some(kind.sight(status.fields, place, status.input, SIDE))
    });
    let colours = session.colours;
    let layer = move |kind: Kind, title: Signal<String>| {
        let tiles = Memo::new(move |_| tiles(session, kind).map(Arc::new));
        let ends = move |of: fn(&Tiles) -> (f32, f32)| {
            Signal::derive(move || tiles.with(|tiles| tiles.as_ref().map_or((0.0, 1.0), |tiles| of(tiles))))
        };
        let scale = match kind {
            Kind::Convolution | Kind::Hidden(_) => {
                Scale { range: ends(Tiles::from_zero), ramp: colours.sequential, class: "seq" }
            }
            Kind::Primary => {
                Scale { range: ends(|tiles| crate::ramp::ends(&tiles.values)), ramp: colours.sequential, class: "seq" }
            }
            Kind::Digits => Scale { range: ends(Tiles::both_signs), ramp: colours.diverging, class: "div" },
            Kind::Output => Scale { range: ends(|_| (0.0, 1.0)), ramp: colours.ink, class: "ink" },
        };
        view! { <LayerTiles session kind title tiles scale spot/> }
    };
    let digits_title = move || {
        let iteration = session.chosen.iteration.get();
        session.reading.with(|reading| {
            let reading = reading.as_ref()?;
            Some(say!("layers.digits", t = iteration.clamp(1, reading.iterations)))
        })
    };
    let digits_title = Signal::derive(move || digits_title().unwrap_or_default());
    let class = move || session.picture.with(|picture| picture.as_ref().map_or(String::new(), |p| p.class.to_string()));
    let hidden = move |index: usize| {
        let title = Signal::derive(move || say!("layers.hidden", n = index + 1, class = class()));
        layer(Kind::Hidden(index), title)
    };
    let output = Signal::derive(move || say!("layers.output", class = class()));
    let conv1 = Signal::derive(live!("layers.conv1"));
    let primary = Signal::derive(live!("layers.primary"));
    view! {
        <div class="layers">
            <div class="layers-input">
                <Seen session sight/>
                <p class="note" role="status" aria-label=live!("layers.cell_name")>
                    {move || said(session, spot).unwrap_or_else(|| say!("layers.hint"))}
                </p>
            </div>
            <div class="layers-stack">
                {layer(Kind::Convolution, conv1)} {layer(Kind::Primary, primary)} {layer(Kind::Digits, digits_title)}
                <div class="layers-decoder">{hidden(0)} {hidden(1)} {layer(Kind::Output, output)}</div>
            </div>
        </div>
    }
}

/// The cell that is looked at: where it is, its value, and what it sees.
fn said(session: Session, spot: Spot) -> Option<String> {
    let (kind, cell) = spot.get()?;
    let tiles = tiles(session, kind)?;
    let value = format::fixed(*tiles.values.get(cell as usize)?, 4);
    let place = tiles.grid.place(cell);
    let (tile, row, column) = (place.0 + 1, place.1 + 1, place.2 + 1);
    let name = match kind {
        Kind::Convolution => say!("layers.cell_map", map = tile, row = row, column = column),
        Kind::Primary => say!("layers.cell_type", kind = tile, row = row, column = column),
        Kind::Digits => say!("layers.cell_digit", digit = place.1, dimension = column),
        Kind::Hidden(_) => say!("layers.cell_unit", unit = cell + 1),
        Kind::Output => say!("layers.cell_pixel", row = row, column = column),
    };
    let status = session.status_of(&session.chosen.network.get())?;
    let sight = kind.sight(status.fields, place, status.input, SIDE);
    let seen = match kind {
        Kind::Convolution | Kind::Primary => say!(
            "layers.sees",
            top = sight.row + 1,
            bottom = sight.row + sight.size[0],
            left = sight.column + 1,
            right = sight.column + sight.size[1]
        ),
        Kind::Digits => {
            let length = session.reading.with(|reading| {
                let reading = reading.as_ref()?;
                readout::lengths(reading, session.chosen.iteration.get()).get(place.1 as usize).copied()
            });
            say!("layers.sees_all_length", length = format::fixed(length?, 3))
        }
        Kind::Hidden(_) => say!("layers.sees_all"),
        Kind::Output => say!("layers.same_pixel"),
    };
    Some(format!("{name}: {value}. {seen}"))
}
