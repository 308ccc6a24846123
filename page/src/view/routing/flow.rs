//! The flow of votes from the positions to the digits, animated from iteration to iteration.

use super::focus::Focus;
use super::maps::{level, on_key};
use crate::flow::{Columns, Flow, Gaps};
use crate::svg::picture;
use crate::text::{live, say};
use crate::view::download;
use crate::view::parts::{Choice, Drawn, Numbers, Table, Toggle, pointer_in, width_of};
use crate::{format, readout};
use capscope_protocol::{Reading, Shown, Votes};
use leptos::{html, prelude::*};
use std::sync::Arc;
use web_sys::{MouseEvent, PointerEvent};

/// The picture's height in pixels.
const HEIGHT: f32 = 420.0;

/// Width of a ribbon of the capsule in view for a coefficient of 1, in pixels.
const TRACED: f32 = 12.0;

/// Free above and below.
const MARGIN: f32 = 4.0;

/// How wide a ribbon is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// The coefficient.
    Coefficient,
    /// The coefficient times the length of the vote: what is really sent.
    Sent,
}

/// What flows at a place between iterations [I, J], and the most that flows in all in any iteration.
fn sent(reading: &Reading, place: f64, strengths: Option<&[f32]>) -> (Vec<f32>, f32) {
    let scaled = |place: f64| -> Vec<f32> {
        let couplings = readout::between(reading, place);
        match strengths {
            Some(strengths) => couplings.iter().zip(strengths).map(|(c, strength)| c * strength).collect(),
            None => couplings,
        }
    };
    let most = (1..=reading.iterations).map(|t| scaled(f64::from(t)).iter().sum::<f32>()).fold(0.0, f32::max);
    (scaled(place), most)
}

/// The picture, how wide its ribbons are, and its numbers.
#[component]
pub fn FlowView(
    /// What is in view.
    focus: Focus,
    /// The least and the largest coefficient for the digit in view.
    range: Memo<(f32, f32)>,
) -> impl IntoView {
    let session = focus.session;
    let chosen = session.chosen;
    let element = NodeRef::<html::Div>::new();
    let width = width_of(element, 420.0);
    let size = move || (width.get(), HEIGHT);
    let columns = Memo::new(move |_| Columns { left: 58.0, right: width.get() - 32.0, block: 8.0 });
    let widths = RwSignal::new(Width::Coefficient);
    let flowing = Memo::new(move |_| {
        let reading = session.reading.get()?;
        let votes = focus.votes.get().filter(|_| widths.get() == Width::Sent);
        let strengths = votes.as_ref().map(|votes: &Arc<Votes>| votes.strengths.as_slice());
        let (sent, most) = sent(&reading, focus.place.get(), strengths);
        let gaps = Gaps { position: 1.5, row: 7.0, digit: 9.0 };
        let parents = readout::parents(&reading);
        Some(Arc::new(Flow::new(&sent, focus.grid.get(), parents, HEIGHT - 2.0 * MARGIN, gaps, most)))
    });
    let base = Memo::new(move |_| {
        let (flow, reading) = (flowing.get()?, session.reading.get()?);
        let (class, tints) = (focus.class.get(), session.colours.tints.get());
        let (low, high) = range.get();
        let ramp = session.colours.sequential.get();
        let couplings = class.map(|class| readout::to_parent(&reading, focus.place.get(), class)).unwrap_or_default();
        // The colour of a position is that of its strongest coefficient, as the map would show it.
        let places = (focus.grid.get().rows * focus.grid.get().columns) as usize;
        let strongest = |place: usize| couplings.iter().skip(place).step_by(places).copied().fold(0.0, f32::max);
        let colours: Vec<_> =
            (0..places).map(|place| ramp.colour(level(strongest(place)), (level(low), level(high)))).collect();
        let rows: Vec<String> = (1..=focus.grid.get().rows).map(|row| say!("flow.row", row = row)).collect();
        let ribbons = flow.ribbons(columns.get(), class, &colours, &tints);
        Some((ribbons, flow.blocks(columns.get(), class, &rows, &tints)))
    });
    let traced = Memo::new(move |_| {
        let (flow, reading, (capsule, _)) = (flowing.get()?, session.reading.get()?, focus.capsule.get()?);
        let parents = readout::parents(&reading);
        let couplings = readout::between(&reading, focus.place.get());
        let own = couplings.get(capsule as usize * parents..)?.get(..parents)?;
        Some(flow.capsule(columns.get(), capsule, own, TRACED, &session.colours.tints.get()))
    });
    // All marks are laid out from 0; the picture stands a margin lower.
    let shifted = move |svg: String| svg.replacen("viewBox=\"0 0", &format!("viewBox=\"0 -{MARGIN}"), 1);
    let below = Signal::derive(move || {
        base.with(|base| shifted(picture(size(), None, &base.iter().flat_map(|(a, b)| [a, b]).collect::<Vec<_>>())))
    });
    let above = Signal::derive(move || traced.with(|marks| shifted(picture(size(), None, &Vec::from_iter(marks)))));

    let is_digits = move |x: f32| x > width.get_untracked() / 2.0;
    let capsule_under = move |event: &MouseEvent| {
        let (x, y) = pointer_in(event)?;
        if is_digits(x) {
            return None;
        }
        let position = flowing.with_untracked(|flow| flow.as_ref()?.position_at(y - MARGIN))? as u32;
        let (grid, class) = (focus.grid.get_untracked(), focus.class.get_untracked()?);
        let reading = session.reading.get_untracked()?;
        let couplings = readout::to_parent(&reading, f64::from(chosen.iteration.get_untracked()), class);
        // Of the kinds at this position the one that couples most with the digit in view.
        let places = grid.rows * grid.columns;
        let coupling = |of_type: u32| couplings.get((of_type * places + position) as usize).copied().unwrap_or(0.0);
        let of_type = (0..grid.types).reduce(|most, next| if coupling(next) > coupling(most) { next } else { most })?;
        Some(of_type * places + position)
    };
    let on_move = move |event: PointerEvent| chosen.hovered.set(capsule_under(&event));
    let on_click = move |event: MouseEvent| {
        let Some((x, y)) = pointer_in(&event) else { return };
        if is_digits(x) {
            let digit = flowing.with_untracked(|flow| flow.as_ref()?.digit_at(y - MARGIN));
            if let Some(digit) = digit {
                chosen.show(Shown::Class(digit as u8));
            }
        } else {
            focus.pin(capsule_under(&event));
        }
    };
    let options =
        Signal::derive(|| vec![Choice::new("c", say!("flow.coefficient")), Choice::new("sent", say!("flow.sent"))]);
    let value = Signal::derive(move || if widths.get() == Width::Sent { "sent".into() } else { "c".to_string() });
    let on_pick = move |picked: &str| widths.set(if picked == "sent" { Width::Sent } else { Width::Coefficient });
    let save = move |_| {
        if let (Some((ribbons, blocks)), Some(traced)) = (base.get_untracked(), traced.get_untracked()) {
            let ground = session.colours.tints.get_untracked().paper.clone();
            let svg = shifted(picture(untrack(size), Some(&ground), &[&ribbons, &blocks, &traced]));
            download::save(&session.file_name("flow", "svg"), download::SVG, svg.as_bytes());
        }
    };
    view! {
        <div
            class="picker"
            role="application"
            tabindex="0"
            aria-label=live!("routing.capsule_picker")
            on:keydown=move |event| on_key(focus, &event)
            on:blur=move |_| chosen.hovered.set(None)
        >
            <div
                class="flow"
                node_ref=element
                role="img"
                aria-label=live!("flow.name")
                aria-description=move || said(focus)
                style:height=format!("{HEIGHT}px")
                on:pointermove=on_move
                on:pointerleave=move |_| chosen.hovered.set(None)
                on:click=on_click
            >
                <Drawn below above/>
            </div>
        </div>
        <div class="row tools flow-tools">
            <Toggle label=live!("flow.width") options value on_pick/>
            <button type="button" class="small" on:click=save>{live!("flow.save")}</button>
        </div>
        <Numbers summary=live!("flow.numbers") table=move || table(focus)/>
    }
}

/// What arrives at each digit, for those who do not see it.
fn said(focus: Focus) -> String {
    let Some((reading, iteration)) = focus.reading() else { return say!("routing.no_digit_read") };
    let sums = (0..readout::parents(&reading) as u8).map(|parent| {
        let sum: f32 = readout::to_parent(&reading, f64::from(iteration), parent).iter().sum();
        format!("{parent}: {}", format::fixed(sum, 1))
    });
    say!("flow.said", iteration = iteration, sums = sums.collect::<Vec<_>>().join(", "))
}

/// The sums of the coefficients from each position to each digit.
fn table(focus: Focus) -> Option<Table> {
    let (reading, iteration) = focus.reading()?;
    let grid = focus.grid.get();
    let couplings = readout::between(&reading, f64::from(iteration));
    let (parents, places) = (readout::parents(&reading), (grid.rows * grid.columns) as usize);
    let row = |place: usize| {
        let sum = |parent: usize| -> f32 {
            (0..grid.types as usize).filter_map(|t| couplings.get((t * places + place) * parents + parent)).sum()
        };
        let (_, row, column) = grid.place(place as u32);
        let numbers = (0..parents).map(|parent| format!("{:.4}", sum(parent))).collect();
        (say!("flow.position", row = row + 1, column = column + 1), numbers)
    };
    Some(Table {
        caption: say!("flow.table", iteration = iteration, kinds = grid.types),
        head: std::iter::once(say!("flow.place")).chain((0..parents).map(|class| class.to_string())).collect(),
        rows: (0..places).map(row).collect(),
    })
}
