//! A picture of curves: lines, ticks, and a legend with the last values.

use crate::chart::{Curve, Scale, path, svg};
use crate::view::parts::{FileKind, Save};
use crate::view::session::Session;
use crate::{format, text::live};
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
    let drawn = lines.clone();
    let file = move || {
        let tints = session.colours.tints.get_untracked();
        let curve = |line: &Line| Curve {
            name: line.name.get_untracked(),
            colour: match line.kind {
                Kind::Accent => &tints.accent,
                Kind::Measured => &tints.measured,
                Kind::Dotted => &tints.text,
            },
            is_dotted: line.kind == Kind::Dotted,
            points: line.points.get_untracked(),
        };
        let curves: Vec<_> = drawn.iter().map(curve).collect();
        let scale = (scale.get_untracked(), label);
        let text = svg(&title.get_untracked(), scale, end.get_untracked(), &curves, &tints);
        Some((session.file_name("curve", FileKind::Svg.ending()), text.into_bytes()))
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
            <figcaption>{title} <Save what=title kind=FileKind::Svg file=file/></figcaption>
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
