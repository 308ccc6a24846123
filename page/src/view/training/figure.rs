//! A picture of curves: lines, ticks, and a legend with the last values.

use crate::chart::{Scale, path};
use crate::format;
use crate::plot::{self, Axes, Curve};
use crate::svg::Tints;
use crate::text::{live, say};
use crate::view::parts::{FileKind, Save};
use crate::view::session::Session;
use leptos::prelude::*;

/// How a line looks. Colour is never the only sign: measured curves are drawn thin, what is in focus thick, and what was
/// held out as dots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In the accent's colour.
    Accent,
    /// In the colour of what is measured.
    Measured,
    /// Dots joined by dashes.
    Dotted,
}

impl Kind {
    fn class(self) -> &'static str {
        match self {
            Kind::Accent => "accent",
            Kind::Measured => "measured",
            Kind::Dotted => "dotted",
        }
    }

    fn colour(self, tints: &Tints) -> String {
        match self {
            Kind::Accent => tints.accent.clone(),
            Kind::Measured => tints.measured.clone(),
            Kind::Dotted => tints.text.clone(),
        }
    }
}

/// A curve.
#[derive(Clone, Copy)]
pub struct Line {
    /// What it is.
    pub name: Signal<String>,
    /// How it looks.
    pub kind: Kind,
    /// Steps and values.
    pub points: Memo<Vec<(f64, f64)>>,
    /// Its last value.
    pub last: Signal<Option<String>>,
}

/// Curves over the steps.
#[component]
pub fn Figure(
    /// The session.
    session: Session,
    /// Its name in the name of a file.
    file: &'static str,
    /// What it shows.
    #[prop(into)]
    title: Signal<String>,
    /// Heights.
    scale: Memo<Scale>,
    /// The step at the right end.
    end: Memo<f64>,
    /// The text of a tick.
    label: fn(f64) -> String,
    /// The curves.
    lines: Vec<Line>,
) -> impl IntoView {
    let drawn = StoredValue::new(lines.clone());
    let svg = move || {
        let tints = session.colours.tints.get_untracked();
        let curve = |line: &Line| Curve {
            name: line.name.get_untracked(),
            last: line.last.get_untracked().unwrap_or_default(),
            colour: line.kind.colour(&tints),
            dotted: line.kind == Kind::Dotted,
            points: line.points.get_untracked(),
        };
        let curves: Vec<Curve> = drawn.with_value(|lines| lines.iter().map(curve).collect());
        let (title, below, steps) = (title.get_untracked(), say!("training.steps"), end.get_untracked());
        let said = format::grouped(steps as u64);
        let axes =
            Axes { title: &title, scale: scale.get_untracked(), label, below: &below, end: (steps, said.as_str()) };
        let name = format!("capscope-{file}-{}-steps.{}", steps as u64, FileKind::Svg.ending());
        Some((name, plot::curves(&axes, &curves, &tints).into_bytes()))
    };
    let legend = lines.iter().map(|line| {
        let last = line.last;
        view! {
            <span class=line.kind.class()>
                <i></i>{line.name}" "<b class="number">{move || last.get().unwrap_or_else(|| "–".into())}</b>
            </span>
        }
    });
    let legend = legend.collect_view();
    let curves = lines.iter().map(|line| {
        let (points, kind) = (line.points, line.kind);
        let d = move || points.with(|points| path(points, end.get(), scale.get()));
        let dots = move || {
            let dot = |point: (f64, f64)| view! { <path class="dot" d=path(&[point], end.get(), scale.get())/> };
            (kind == Kind::Dotted).then(|| points.get().into_iter().map(dot).collect_view())
        };
        view! { <g class=kind.class()><path d=d/>{dots}</g> }
    });
    let curves = curves.collect_view();
    let ticks = move || {
        let scale = scale.get();
        let tick = move |value: f64| {
            view! { <span style:bottom=format!("{}%", 100.0 * scale.height(value))>{label(value)}</span> }
        };
        scale.ticks().into_iter().map(tick).collect_view()
    };
    let lines = move || {
        let scale = scale.get();
        let line = move |value: f64| {
            let y = format!("{:.1}", 1000.0 * (1.0 - scale.height(value)));
            view! { <path class="grid" d=format!("M0 {y}H1000")/> }
        };
        scale.ticks().into_iter().map(line).collect_view()
    };
    let empty = move || end.get() <= 1.0;
    view! {
        <figure class="curve" aria-label=title>
            <figcaption class="with-file">{title} <Save what=title kind=FileKind::Svg file=svg/></figcaption>
            <div class="plot">
                <div class="ticks number" aria-hidden="true">{ticks}</div>
                <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">{lines}{curves}</svg>
                <Show when=empty><p class="quiet empty">{live!("training.no_curve")}</p></Show>
            </div>
            <div class="axis number" aria-hidden="true">
                <span>"0"</span><span>{live!("training.steps")}</span><span>{move || format::grouped(end.get() as u64)}</span>
            </div>
            <div class="legend-line">{legend}</div>
        </figure>
    }
}
