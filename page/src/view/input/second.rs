//! A second digit over the first: two capsules should be long, and each tells its own digit.

use crate::address::Second as Place;
use crate::overlap::{MOST_SHIFT, in_two_colours};
use crate::text::{live, say};
use crate::view::chosen::{SecondDigit, Source};
use crate::view::parts::{Numbers, Table};
use crate::view::session::Session;
use crate::{format, readout};
use leptos::{html, prelude::*};
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// Rows, and columns, of the picture.
const SIDE: u32 = 28;

/// The controls, and what comes of two digits.
#[component]
pub fn Second(
    /// The session.
    session: Session,
) -> impl IntoView {
    let chosen = session.chosen;
    let has_second = Memo::new(move |_| chosen.second.with(Option::is_some));
    let add = move |_| add(session);
    view! {
        <h3>{live!("two.title")}</h3>
        <div class="row tools">
            <button type="button" on:click=add>
                {move || if has_second.get() { say!("two.another") } else { say!("two.add") }}
            </button>
            <Show when=move || has_second.get()>
                <button type="button" on:click=move |_| chosen.second.set(None)>{live!("two.remove")}</button>
            </Show>
        </div>
        <Show when=move || has_second.get() fallback=move || view! { <p class="note small">{live!("two.invitation")}</p> }>
            <div role="group" aria-label=live!("two.place")>
                <Shift session across=true/>
                <Shift session across=false/>
            </div>
            <Outcome session/>
        </Show>
    }
}

/// Lays a digit of the gallery over the first one, of another class than that one.
fn add(session: Session) {
    let chosen = session.chosen;
    chosen.untouched.set(false);
    let first = match chosen.source.get_untracked() {
        Source::Test(_, label) => Some(label),
        _ => session.reading.with_untracked(|reading| reading.as_ref().map(|reading| reading.winner)),
    };
    let Some(gallery) = session.gallery.get_untracked() else { return };
    let now = chosen.second.with_untracked(|second| second.as_ref().map(|second| second.place.digit));
    let others: Vec<usize> = (0..gallery.indices.len())
        .filter(|&at| gallery.labels.get(at).copied() != first && Some(gallery.indices[at]) != now)
        .collect();
    let at = (js_sys::Math::random() * others.len() as f64) as usize;
    let Some(&at) = others.get(at) else { return };
    let shift = || (js_sys::Math::random() * f64::from(2 * MOST_SHIFT + 1)) as i8 - MOST_SHIFT;
    let place = Place { digit: gallery.indices[at], shift: (shift(), shift()) };
    chosen.second.set(SecondDigit::of(&gallery, at, place));
}

/// A slider that moves the second digit.
#[component]
fn Shift(
    /// The session.
    session: Session,
    /// To the right, or else down.
    across: bool,
) -> impl IntoView {
    let second = session.chosen.second;
    let value = Memo::new(move |_| {
        let (right, down) = second.with(|second| second.as_ref().map(|second| second.place.shift).unwrap_or_default());
        if across { right } else { down }
    });
    let put = move |value: i8| {
        second.update(|second| {
            if let Some(second) = second {
                let place = if across { &mut second.place.shift.0 } else { &mut second.place.shift.1 };
                *place = value.clamp(-MOST_SHIFT, MOST_SHIFT);
            }
        });
    };
    let slider = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(slider) = slider.get() {
            slider.set_value(&value.get().to_string());
        }
    });
    let name = move || if across { say!("two.shift_x") } else { say!("two.shift_y") };
    let shown = move || say!("two.pixels", number = format::signed(value.get().into(), 0));
    view! {
        <label class="shift">
            <span>{name}</span>
            <input
                node_ref=slider
                type="range"
                min=-MOST_SHIFT
                max=MOST_SHIFT
                step=1
                aria-label=name
                aria-valuetext=shown
                on:input:target=move |event| {
                    if let Ok(value) = event.target().value().parse() {
                        put(value);
                    }
                }
                on:dblclick=move |_| put(0)
            />
            <span class="number">{shown}</span>
        </label>
    }
}

/// The two longest capsules, and what each makes of the picture.
#[component]
fn Outcome(
    /// The session.
    session: Session,
) -> impl IntoView {
    // The classes of the picture: what is named is what is drawn.
    let two = Memo::new(move |_| {
        session.picture.with(|picture| {
            let two = &picture.as_ref()?.two;
            Some([two.first()?.0, two.get(1)?.0])
        })
    });
    let length = move |class: u8| {
        session.reading.with(|reading| {
            let reading = reading.as_ref()?;
            Some(format::fixed(*readout::lengths(reading, reading.iterations).get(usize::from(class))?, 2))
        })
    };
    let named = move || {
        let [first, second] = two.get()?;
        let (a, b) = (length(first)?, length(second)?);
        Some(say!("two.longest", first = first, first_length = a, second = second, second_length = b))
    };
    let verdict = move || {
        let ([first, second], Source::Test(_, label)) = (two.get()?, session.chosen.source.get()) else { return None };
        let other = session.chosen.second.with(|second| second.as_ref().map(|second| second.label))?;
        let is_exact = [first, second].contains(&label) && [first, second].contains(&other);
        Some(if is_exact {
            say!("two.exact", first = label, second = other)
        } else {
            say!("two.missed", first = label, second = other)
        })
    };
    let of_pairs = move || {
        let network = session.chosen.network.get();
        session.status_of(&network).is_some_and(|status| status.digits == 2)
    };
    let entry = move |which: usize| move || two.get().map(|two| say!("two.decoded_from", class = two[which]));
    view! {
        <p class="two-named" role="status" aria-label=live!("two.status")>{named} " " {verdict}</p>
        <div class="row two">
            <TwoColours session/>
            <ul class="legend">
                <li><i class="swatch first"></i>{entry(0)}</li>
                <li><i class="swatch second"></i>{entry(1)}</li>
                <li><i class="swatch below"></i>{live!("two.input")}</li>
            </ul>
        </div>
        <p class="note small">{move || if of_pairs() { say!("two.trained_on_pairs") } else { say!("two.trained_on_single") }}</p>
        <Numbers summary=live!("two.numbers") table=move || table(session)/>
    }
}

/// Both reconstructions, each in its colour, over the input in grey.
#[component]
fn TwoColours(
    /// The session.
    session: Session,
) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    Effect::new(move |_| {
        let (Some(canvas), colours) = (canvas.get(), session.colours.two.get()) else { return };
        let ends = [0.0, 1.0].map(|end| colours.colour(end, (0.0, 1.0)));
        let bytes = session.picture.with(|picture| {
            let [(_, first), (_, second)] = picture.as_ref()?.two.as_slice() else { return None };
            let input = session.chosen.pixels.get()?;
            Some(in_two_colours(&input, [first, second], ends))
        });
        // Until the picture of two has come the old one stays: nothing flickers.
        if let Some(bytes) = bytes {
            paint(&canvas, &bytes);
        }
    });
    view! {
        <div class="cells" role="img" aria-label=live!("two.picture")>
            <canvas node_ref=canvas width=SIDE height=SIDE></canvas>
        </div>
    }
}

fn paint(canvas: &HtmlCanvasElement, bytes: &[u8]) {
    let context = canvas.get_context("2d").ok().flatten();
    let Some(context) = context.and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok()) else { return };
    // Both fail only for sizes that do not fit, and then there is nothing to show.
    if let Ok(data) = ImageData::new_with_u8_clamped_array_and_sh(Clamped(bytes), SIDE, SIDE) {
        let _ = context.put_image_data(&data, 0.0, 0.0);
    }
}

/// Every pixel of the three pictures.
fn table(session: Session) -> Option<Table> {
    let picture = session.picture.get()?;
    let [(first, a), (second, b)] = picture.two.as_slice() else { return None };
    let input = session.chosen.pixels.get()?;
    let side = SIDE as usize;
    let row = |at: usize| {
        let name = crate::text::pixel((at / side) as u32, (at % side) as u32);
        let value = |values: &[f32]| format::fixed(values.get(at).copied().unwrap_or(0.0), 2);
        (name, vec![value(&input), value(a), value(b)])
    };
    Some(Table {
        caption: say!("two.numbers"),
        head: vec![say!("two.pixel"), say!("two.input"), first.to_string(), second.to_string()],
        rows: (0..input.len()).map(row).collect(),
    })
}
