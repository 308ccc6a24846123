//! The votes for the digit in view as a cloud, and how v moves towards the crowd.

use super::focus::Focus;
use crate::account::Account;
use crate::scatter::{Frame, Scatter};
use crate::svg::picture;
use crate::text::{live, say};
use crate::view::download;
use crate::view::parts::{Drawn, Numbers, Table, pointer_in, width_of};
use crate::{format, readout, text};
use leptos::{ev, html, prelude::*};
use std::sync::Arc;
use web_sys::{MouseEvent, PointerEvent};

/// How near to a vote the pointer must be, in pixels.
const REACH: f32 = 16.0;

/// The cloud, its legend and its numbers. The engine sends the votes only while this is open.
#[component]
pub fn Votes(
    /// What is in view.
    focus: Focus,
) -> impl IntoView {
    let session = focus.session;
    let chosen = session.chosen;
    let place = NodeRef::<html::Div>::new();
    let width = width_of(place, 640.0);
    let frame = move || {
        let width = width.get();
        Frame { width, height: (width * 0.38).clamp(180.0, 270.0), margin: 26.0 }
    };
    let scatter = Memo::new(move |_| {
        let (votes, reading) = (focus.votes.get()?, session.reading.get()?);
        Scatter::new(&votes, &reading, frame()).map(Arc::new)
    });
    let couplings = move || {
        let (reading, class) = (session.reading.get()?, focus.class.get()?);
        Some((readout::to_parent(&reading, focus.place.get(), class), readout::parents(&reading)))
    };
    let size = move || {
        let frame = frame();
        (frame.width, frame.height)
    };
    let cloud = Memo::new(move |_| {
        let (scatter, (couplings, parents)) = (scatter.get()?, couplings()?);
        let share = |k: usize| format::percent_of_one(scatter.plane.shares[k]);
        let names = [say!("votes.axis", n = 1, share = share(0)), say!("votes.axis", n = 2, share = share(1))];
        let tints = session.colours.tints.get();
        Some(scatter.votes(&couplings, parents, frame(), names.each_ref().map(String::as_str), &tints))
    });
    let course = Memo::new(move |_| {
        let (scatter, (couplings, parents)) = (scatter.get()?, couplings()?);
        let ringed = focus.capsule.get().map(|(capsule, _)| capsule);
        Some(scatter.course(focus.place.get(), &couplings, ringed, parents, &session.colours.tints.get()))
    });
    let below = Signal::derive(move || cloud.with(|marks| picture(size(), None, &Vec::from_iter(marks))));
    let above = Signal::derive(move || course.with(|marks| picture(size(), None, &Vec::from_iter(marks))));
    let under = move |event: &MouseEvent| {
        let at = pointer_in(event)?;
        scatter.with_untracked(|scatter| scatter.as_ref()?.nearest(at, REACH))
    };
    let on_move = move |event: PointerEvent| chosen.hovered.set(under(&event));
    let on_click = move |event: MouseEvent| {
        if let Some(capsule) = under(&event) {
            focus.pin(Some(capsule));
        }
    };
    let open = RwSignal::new(true);
    Effect::new(move |_| {
        let wanted = open.get() && session.reading.with(Option::is_some);
        session.inspection.update(|inspection| inspection.votes = wanted);
    });
    let on_toggle = move |event: ev::Event| open.set(event_target::<web_sys::Element>(&event).has_attribute("open"));
    let sentence = move || {
        let ((reading, iteration), votes) = (focus.reading()?, focus.votes.get()?);
        let account = Account::of(&votes, &reading, iteration);
        let few = account.half().map(|few| say!("votes.half", few = few, all = account.children.len()));
        Some(format!("{} {}", say!("votes.sentence", class = votes.class), few.unwrap_or_default()))
    };
    let contribution = move || contribution(focus);
    let save = move |_| {
        let layers = (cloud.get_untracked(), course.get_untracked());
        if let (Some(cloud), Some(course)) = layers {
            let ground = session.colours.tints.get_untracked().paper.clone();
            let svg = picture(untrack(size), Some(&ground), &[&cloud, &course]);
            download::save(&session.file_name("votes", "svg"), download::SVG, svg.as_bytes());
        }
    };
    view! {
        <details class="votes" open=true on:toggle=on_toggle>
            <summary><h3>{live!("votes.title")}</h3></summary>
            <p class="note four-lines">{sentence}</p>
            <div
                class="scatter"
                node_ref=place
                role="img"
                aria-label=live!("votes.name")
                aria-description=move || course_text(focus)
                style:height=move || format!("{}px", size().1)
                on:pointermove=on_move
                on:pointerleave=move |_| chosen.hovered.set(None)
                on:click=on_click
            >
                <Drawn below above/>
            </div>
            <p class="legend-line marks">
                <span class="measured"><i class="disc"></i>{live!("votes.legend_vote")}</span>
                <span><i class="diamond"></i>{live!("votes.legend_sum")}</span>
                <span class="accent"><i class="disc"></i>{live!("votes.legend_pose")}</span>
                <span class="accent"><i class="ring"></i>{live!("votes.legend_capsule")}</span>
            </p>
            <p class="contribution">{contribution}</p>
            <div class="row tools">
                <button type="button" class="small" on:click=save>{live!("votes.save")}</button>
                <Numbers summary=live!("votes.numbers") table=move || table(focus)/>
            </div>
        </details>
    }
}

/// What the capsule in view gives to the digit's length, in a sentence.
fn contribution(focus: Focus) -> Option<String> {
    let ((reading, iteration), votes, (capsule, _)) = (focus.reading()?, focus.votes.get()?, focus.capsule.get()?);
    let account = Account::of(&votes, &reading, iteration);
    let given = *account.children.get(capsule as usize)?;
    let rest: f32 = account.children.iter().sum::<f32>() - given;
    let (of_type, row, column) = focus.grid.get().place(capsule);
    Some(text::sentence(&say!(
        "votes.contribution",
        capsule = text::capsule_place(of_type, row, column),
        given = format::signed(given, 3),
        rest = format::signed(rest, 3),
        bias = format::signed(account.bias, 3),
        length = format::fixed(account.length, 3),
        share = format::percent_of_one(given / account.length.max(f32::MIN_POSITIVE))
    )))
}

/// How far v has moved, for those who do not see it.
fn course_text(focus: Focus) -> String {
    let Some((reading, iteration)) = focus.reading() else { return say!("routing.no_digit_read") };
    let Some(class) = focus.class.get() else { return say!("routing.no_digit_read") };
    let length = |iteration: u8| readout::lengths(&reading, iteration).get(usize::from(class)).copied().unwrap_or(0.0);
    let lengths: Vec<String> = (1..=iteration).map(|t| format::fixed(length(t), 2)).collect();
    say!("votes.course", class = class, lengths = lengths.join(", "))
}

/// Every vote's coefficient, direction and contribution.
fn table(focus: Focus) -> Option<Table> {
    let ((reading, iteration), votes) = (focus.reading()?, focus.votes.get()?);
    let account = Account::of(&votes, &reading, iteration);
    let plane = crate::axes::Plane::of(
        &votes.votes,
        votes.bias.len(),
        crate::account::sum(&votes, &reading, reading.iterations),
    )?;
    let grid = focus.grid.get();
    let couplings = readout::to_parent(&reading, f64::from(iteration), votes.class);
    let row = |(capsule, vote): (usize, &[f32])| {
        let (of_type, row, column) = grid.place(capsule as u32);
        let (x, y) = plane.place(vote);
        let numbers = [couplings[capsule], x, y, account.children[capsule]].map(|value| format!("{value:.4}"));
        (text::capsule_place(of_type, row, column), numbers.to_vec())
    };
    let sum = (say!("votes.bias"), vec![String::new(), String::new(), String::new(), format!("{:.4}", account.bias)]);
    let all = (say!("votes.all"), vec![String::new(), String::new(), String::new(), format!("{:.4}", account.length)]);
    let axis = |k: usize| say!("votes.axis", n = k + 1, share = format::percent_of_one(plane.shares[k]));
    Some(Table {
        caption: say!("votes.table", class = votes.class, iteration = iteration),
        head: vec![say!("routing.capsule"), "c".into(), axis(0), axis(1), "c û·ŝ".into()],
        rows: votes.votes.chunks_exact(votes.bias.len()).enumerate().map(row).chain([sum, all]).collect(),
    })
}
