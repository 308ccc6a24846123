//! The digit, what the decoder makes of its pose, and where the two differ.

use crate::sheet::Sheet;
use crate::text::{live, say};
use crate::view::parts::{Cells, FileKind, Numbers, Save, Table};
use crate::view::session::Session;
use crate::{format, text};
use capscope_ink::SIDE;
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
        squares.map(|squares| say!("pose.squared_error", sum = format::fixed(squares, 1)))
    };
    let colours = session.colours;
    let table = move || {
        let (made, given, difference) = (made.get()?, given.get()?, difference.get()?);
        let row = |(pixel, difference): (usize, &f32)| {
            let numbers = [given[pixel], made[pixel], *difference].map(|value| format!("{value:.4}"));
            (text::pixel((pixel / 28) as u32, (pixel % 28) as u32), numbers.to_vec())
        };
        Some(Table {
            caption: say!("pose.pictures_table"),
            head: [
                say!("pose.pixel"),
                say!("pose.original"),
                say!("pose.reconstruction_caption"),
                say!("pose.difference_caption"),
            ]
            .map(String::from)
            .to_vec(),
            rows: difference.iter().enumerate().map(row).collect(),
        })
    };
    let file = move || {
        let ink = colours.ink.get_untracked();
        let pictures = [(made, &ink, 0.0), (given, &ink, 0.0), (difference, &colours.diverging.get_untracked(), -1.0)];
        let mut sheet = Sheet::new([pictures.len(), 1], [SIDE, SIDE], 2);
        for (column, (values, ramp, low)) in pictures.into_iter().enumerate() {
            sheet.put([column, 0], &values.get_untracked()?, ramp, (low, 1.0));
        }
        Some((session.file_name("pictures", FileKind::Png.ending()), sheet.png(8)))
    };
    view! {
        <div class="trio">
            <figure>
                <Cells columns=28 rows=28 values=made range=(0.0, 1.0) ramp=colours.ink label=live!("pose.reconstruction") told=2/>
                <figcaption>{live!("pose.reconstruction_caption")}</figcaption>
            </figure>
            <figure>
                <Cells columns=28 rows=28 values=given range=(0.0, 1.0) ramp=colours.ink label=live!("pose.input_digit") told=2/>
                <figcaption>{live!("pose.original")}</figcaption>
            </figure>
            <figure>
                <Cells
                    columns=28
                    rows=28
                    values=difference
                    range=(-1.0, 1.0)
                    ramp=colours.diverging
                    label=live!("pose.difference")
                    told=2
                />
                <figcaption>{live!("pose.difference_caption")}</figcaption>
            </figure>
        </div>
        <div class="pose-legend">
            <div class="ramp ink"></div>
            <span class="number">"0"</span><span class="number">"1"</span>
            <div class="ramp div"></div>
            <span class="number">"−1"</span><span class="number">"+1"</span>
        </div>
        <div class="row tools under-pictures">
            <Save what=live!("pose.pictures") kind=FileKind::Png file=file/>
        </div>
        <p class="note number">{move || class.get().and_then(|_| error())}</p>
        <Numbers summary=live!("pose.numbers_of_pictures") table/>
    }
}
