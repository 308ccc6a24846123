//! Losses, accuracies and routing entropy over the steps.

use super::figure::{Figure, Kind, Line};
use crate::chart::{Scale, thinned};
use crate::text::{live, say};
use crate::view::parts::{Numbers, Table};
use crate::view::session::Session;
use crate::{format, text};
use capscope_protocol::{Command, CurvePoint, Network};
use leptos::prelude::*;

/// A curve is drawn with at most so many points.
const MOST_POINTS: usize = 240;

/// Three pictures of curves.
#[component]
pub fn Curves(
    /// The session.
    session: Session,
) -> impl IntoView {
    let end = Memo::new(move |_| {
        let trained = session.curve.with(|curve| curve.last().map_or(0, |point| point.step + 1));
        let tested = session.evaluations.with(|evaluations| evaluations.last().map_or(0, |e| e.step));
        trained.max(tested).max(1) as f64
    });
    let curve = move |read: fn(&CurvePoint) -> f32| {
        Memo::new(move |_| {
            session.curve.with(|curve| {
                let points = curve.iter().map(|point| (point.step as f64 + 1.0, f64::from(read(point))));
                thinned(points, end.get(), MOST_POINTS)
            })
        })
    };
    let (margin, reconstruction) = (curve(|point| point.margin), curve(|point| point.reconstruction));
    let (accuracy, entropy) = (curve(|point| point.accuracy), curve(|point| point.entropy));
    let held_out = Memo::new(move |_| {
        session.evaluations.with(|evaluations| {
            let share = |e: &capscope_protocol::Evaluation| f64::from(e.correct) / f64::from(e.total.max(1));
            evaluations.iter().map(|e| (e.step as f64, share(e))).collect::<Vec<_>>()
        })
    });
    let losses = Memo::new(move |_| {
        let values = |curve: Memo<Vec<(f64, f64)>>| curve.get().into_iter().map(|(_, value)| value);
        Scale::decades(values(margin).chain(values(reconstruction)))
    });
    let share = Memo::new(|_| Scale::Linear { low: 0.0, high: 1.0 });
    let nats = Memo::new(move |_| Scale::below(10f64.ln(), entropy.get().into_iter().map(|(_, value)| value)));
    let last = move |read: fn(&CurvePoint) -> String| {
        Signal::derive(move || session.curve.with(|curve| curve.last().map(read)))
    };
    let last_tested = Signal::derive(move || {
        session.evaluations.with(|e| e.last().map(|e| format::percent(e.correct.into(), e.total.into())))
    });
    let percent = |value: f64| format!("{:.0} %", 100.0 * value);
    view! {
        <div class="curves">
            <Figure session file="losses" title=live!("training.losses") scale=losses end label=|value| value.to_string() lines=vec![
                Line { name: Signal::derive(live!("training.margin")), kind: Kind::Accent, points: margin, last: last(|p| format::fixed(p.margin, 4)) },
                Line {
                    name: Signal::derive(live!("training.reconstruction_loss")),
                    kind: Kind::Measured,
                    points: reconstruction,
                    last: last(|p| format::fixed(p.reconstruction, 4)),
                },
            ]/>
            <Figure session file="accuracies" title=live!("training.accuracies") scale=share end label=percent lines=vec![
                Line {
                    name: Signal::derive(live!("training.batch_accuracy")),
                    kind: Kind::Accent,
                    points: accuracy,
                    last: last(|p| format::percent_of_one(p.accuracy)),
                },
                Line { name: Signal::derive(move || session.tested_on().all()), kind: Kind::Dotted, points: held_out, last: last_tested },
            ]/>
            <Figure session file="routing-entropy" title=live!("training.routing_entropy") scale=nats end label=|value| format!("{value:.3}") lines=vec![
                Line { name: Signal::derive(live!("training.nats")), kind: Kind::Measured, points: entropy, last: last(|p| format::fixed(p.entropy, 3)) },
            ]/>
        </div>
        <div class="row under-curves">
            <Test session/>
            <Numbers summary=live!("training.numbers_of_training") table=move || Some(table(session))/>
        </div>
    }
}

/// Reads all test images with the network in view.
#[component]
fn Test(
    /// The session.
    session: Session,
) -> impl IntoView {
    let test = move |_| {
        if session.evaluating.get_untracked().is_some() {
            session.send(&Command::CancelEvaluation);
        } else {
            let trains = session.training.with_untracked(|training| training.is_some());
            let network = if trains { Network::Yours } else { session.chosen.network.get_untracked() };
            session.send(&Command::Evaluate(network));
        }
    };
    let running = move || session.evaluating.get().is_some();
    // A pretrained network reads MNIST's test images, whatever is trained on here.
    let name = move || match session.training.with(Option::is_some) {
        true => session.tested_on().button(),
        false => say!("training.test_all"),
    };
    view! {
        <button type="button" on:click=test>{move || if running() { say!("training.cancel_test") } else { name() }}</button>
        {move || {
            let (done, all) = session.evaluating.get()?;
            Some(view! {
                <progress aria-label=live!("training.test_progress") max=all value=done></progress>
                <span class="number quiet">{say!("training.part_of", part = format::grouped(done.into()), whole = format::grouped(all.into()))}</span>
            })
        }}
    }
}

/// The curves as numbers: at most as many rows as points are drawn.
fn table(session: Session) -> Table {
    let row = |point: &CurvePoint| {
        let numbers = [point.margin, point.reconstruction, point.accuracy, point.entropy].map(|v| format!("{v:.5}"));
        ((point.step + 1).to_string(), numbers.to_vec())
    };
    let head = [
        say!("training.steps"),
        say!("training.margin"),
        say!("training.reconstruction_loss"),
        say!("training.batch_accuracy"),
        say!("training.nats"),
    ];
    session.curve.with(|curve| {
        let every = curve.len().div_ceil(MOST_POINTS).max(1);
        Table {
            caption: text::training_table(every),
            head: head.iter().map(ToString::to_string).collect(),
            rows: curve.iter().step_by(every).map(row).collect(),
        }
    })
}
