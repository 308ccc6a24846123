//! The digit, what the decoder makes of its pose, and where the two differ.

use crate::page::view::parts::{Cells, Numbers, Table};
use crate::page::view::session::Session;
use crate::page::{format, text};
use leptos::prelude::*;
use std::sync::Arc;

/// Three pictures side by side, one legend, their numbers.
#[component]
pub fn Pictures(
    /// The session.
    session: Session,
    /// The digit capsule in view.
    class: Memo<Option<u8>>,
) -> impl IntoView {
    let made = Memo::new(move |_| session.picture.get().map(|picture| Arc::new(picture.pixels.clone())));
    let given = session.chosen.pixels;
    let difference = Memo::new(move |_| {
        let (made, given) = (made.get()?, given.get()?);
        Some(Arc::new(made.iter().zip(given.iter()).map(|(made, given)| made - given).collect::<Vec<_>>()))
    });
    let error = move || {
        let squares = difference.with(|d| d.as_ref().map(|d| d.iter().map(|x| x * x).sum::<f32>()));
        squares.map(|squares| text::squared_error(&format::fixed(squares, 1)))
    };
    let colours = session.colours;
    let name = |name: &'static str| Signal::derive(move || name.to_string());
    let table = move || {
        let (made, given, difference) = (made.get()?, given.get()?, difference.get()?);
        let row = |(pixel, difference): (usize, &f32)| {
            let numbers = [given[pixel], made[pixel], *difference].map(|value| format!("{value:.4}"));
            (text::pixel((pixel / 28) as u32, (pixel % 28) as u32), numbers.to_vec())
        };
        Some(Table {
            caption: text::PICTURES_TABLE.into(),
            head: [text::PIXEL, text::ORIGINAL, text::RECONSTRUCTION_CAPTION, text::DIFFERENCE_CAPTION]
                .map(String::from)
                .to_vec(),
            rows: difference.iter().enumerate().map(row).collect(),
        })
    };
    view! {
        <div class="trio">
            <figure>
                <Cells columns=28 rows=28 values=made range=(0.0, 1.0) ramp=colours.ink label=name(text::RECONSTRUCTION) told=2/>
                <figcaption>{text::RECONSTRUCTION_CAPTION}</figcaption>
            </figure>
            <figure>
                <Cells columns=28 rows=28 values=given range=(0.0, 1.0) ramp=colours.ink label=name(text::INPUT_DIGIT) told=2/>
                <figcaption>{text::ORIGINAL}</figcaption>
            </figure>
            <figure>
                <Cells
                    columns=28
                    rows=28
                    values=difference
                    range=(-1.0, 1.0)
                    ramp=colours.diverging
                    label=name(text::DIFFERENCE)
                    told=2
                />
                <figcaption>{text::DIFFERENCE_CAPTION}</figcaption>
            </figure>
        </div>
        <div class="pose-legend">
            <div class="ramp ink"></div>
            <span class="number">"0"</span><span class="number">"1"</span>
            <div class="ramp div"></div>
            <span class="number">"−1"</span><span class="number">"+1"</span>
        </div>
        <p class="note number">{move || class.get().and_then(|_| error())}</p>
        <Numbers summary=text::NUMBERS_OF_PICTURES table/>
    }
}
