//! One dimension swept in eleven pictures, the plain one in the middle.

use crate::format;
use crate::pose::{SWEEP, sweep};
use crate::sheet::Sheet;
use crate::text::{live, say};
use crate::view::explore::{spread, swept_dimension};
use crate::view::parts::{Cells, FileKind, Save};
use crate::view::session::Session;
use capscope_ink::SIDE;
use leptos::prelude::*;
use std::sync::Arc;

/// Pixels of a picture.
const PIXELS: usize = 784;

/// The strip. A picture of it can be taken as the pose.
#[component]
pub fn Strip(
    /// The session.
    session: Session,
) -> impl IntoView {
    let dimension = Memo::new(move |_| swept_dimension(session));
    let offsets = Memo::new(move |_| sweep(session.chosen.span.get(), spread(session, dimension.get())));
    let picture = move |place: usize| {
        let values = Signal::derive(move || {
            session.picture.with(|picture| {
                let swept = picture.as_ref()?.sweep.get(place * PIXELS..(place + 1) * PIXELS)?;
                Some(Arc::new(swept.to_vec()))
            })
        });
        let offset = move || offsets.with(|offsets| offsets[place]);
        let name =
            move || say!("pose.swept_picture", number = dimension.get() + 1, offset = format::signed(offset(), 2));
        let take = move |_| session.chosen.bend(dimension.get_untracked(), offset());
        view! {
            <button type="button" class:middle=place == SWEEP / 2 aria-label=name title=name on:click=take>
                <Cells columns=28 rows=28 values range=(0.0, 1.0) ramp=session.colours.ink/>
            </button>
        }
    };
    let file = move || {
        let picture = session.picture.get_untracked()?;
        let mut sheet = Sheet::new([SWEEP, 1], [SIDE, SIDE], 2);
        for (column, swept) in picture.sweep.chunks_exact(PIXELS).enumerate() {
            sheet.put([column, 0], swept, &session.colours.ink.get_untracked(), (0.0, 1.0));
        }
        Some((session.file_name("strip", FileKind::Png.ending()), sheet.png(4)))
    };
    let end = move |place: usize| format::signed(offsets.with(|offsets| offsets[place]), 2);
    view! {
        <div class="head">
            <h3>{move || say!("pose.strip_of", number = dimension.get() + 1)}</h3>
            <Save what=live!("pose.strip") kind=FileKind::Png file=file/>
        </div>
        <div class="strip" role="group" aria-label=live!("pose.strip")>{(0..SWEEP).map(picture).collect_view()}</div>
        <div class="ends number">
            <span>{move || end(0)}</span>
            <span class="quiet">{live!("pose.its_own")}</span>
            <span>{move || end(SWEEP - 1)}</span>
        </div>
    }
}
