//! The vote playground: votes to drag, and dynamic routing drawn live. It needs neither engine nor network.

mod plane;

use super::parts::{FileKind, Numbers, Save, Table};
use super::session::Session;
use crate::address::MOST_ITERATIONS;
use crate::format;
use crate::playground::{self, CHILDREN, Iteration, PARENTS, Preset, Votes, largest_change, length, picture, route};
use crate::svg::{self, Marks};
use crate::text::{self, live, say};
use leptos::prelude::*;
use plane::Plane;
use std::sync::Arc;

/// Id of the panel, to which the tour leads.
pub const ID: &str = "playground";

/// The playground's state.
#[derive(Clone, Copy)]
struct Play {
    session: Session,
    votes: RwSignal<Votes>,
    iterations: RwSignal<u8>,
    /// What the votes were arranged by, and the largest change of a coefficient in it; `None` once one is dragged.
    arranged: RwSignal<Option<(Preset, f64)>>,
    /// Every iteration up to r.
    course: Memo<Arc<Vec<Iteration>>>,
}

impl Play {
    fn new(session: Session) -> Self {
        let first = Preset::ALL[0];
        let votes = RwSignal::new(first.applied(&[[[0.0; 2]; PARENTS]; CHILDREN]));
        let iterations = RwSignal::new(3);
        let course = Memo::new(move |_| Arc::new(route(&votes.get(), iterations.get().into())));
        Play { session, votes, iterations, arranged: RwSignal::new(Some((first, 0.0))), course }
    }

    /// Puts a child's vote for a parent somewhere, or as near as it may be.
    fn put(self, child: usize, parent: usize, place: playground::Point) {
        let reach = playground::REACH;
        self.votes.update(|votes| votes[child][parent] = place.map(|x| x.clamp(-reach, reach)));
        self.arranged.set(None);
    }

    fn arrange(self, preset: Preset) {
        let before = self.course.get_untracked();
        self.votes.update(|votes| *votes = preset.applied(votes));
        self.arranged.set(Some((preset, largest_change(&before, &self.course.get_untracked()))));
    }

    /// What is to be seen in the present arrangement.
    fn account(self) -> String {
        let Some((preset, change)) = self.arranged.get() else { return say!("playground.own") };
        let account = text::named(&format!("playground.{}", preset.name())).unwrap_or_default();
        if !preset.transforms() {
            return account;
        }
        format!("{account} {}", say!("playground.unchanged", change = format::fixed(change as f32, 3)))
    }

    fn status(self) -> String {
        let course = self.course.get();
        let Some(last) = course.last() else { return String::new() };
        let lengths =
            (0..PARENTS).map(|parent| format!("{} {:.2}", picture::letter(parent), length(last.poses[parent])));
        let (lengths, most) = (lengths.collect::<Vec<_>>().join(", "), (PARENTS as f64).ln());
        let [entropy, most] = [last.entropy(), most].map(|nats| format!("{nats:.2}"));
        say!(
            "playground.status",
            r = course.len(),
            lengths = lengths,
            entropy = entropy,
            parents = PARENTS,
            most = most
        )
    }
}

/// The panel of the playground.
#[component]
pub fn Playground(
    /// The session.
    session: Session,
) -> impl IntoView {
    let play = Play::new(session);
    let tints = session.colours.tints;
    let preset = move |preset: Preset| {
        let name = move || text::named(&format!("playground.{}_name", preset.name()));
        view! { <button type="button" on:click=move |_| play.arrange(preset)>{name}</button> }
    };
    let on_iterations = move |event| {
        if let Ok(iterations) = event_target_value(&event).parse() {
            play.iterations.set(iterations);
        }
    };
    let couplings = move || drawn(picture::COUPLINGS, &picture::couplings(&play.course.get(), &tints.get()));
    let squash = move || drawn(picture::SQUASH, &picture::squash(&play.course.get(), &tints.get()));
    let file = move || {
        let (votes, course) = (play.votes.get_untracked(), play.course.get_untracked());
        let title = untrack(|| format!("{}, {}", say!("playground.title"), play.status()));
        let svg = picture::whole(&votes, &course, &title, &tints.get_untracked());
        Some((format!("capscope-playground-r{}.{}", course.len(), FileKind::Svg.ending()), svg.into_bytes()))
    };
    view! {
        <section class="playground" id=ID tabindex="-1" aria-label=live!("playground.title")>
            <div class="with-file">
                <h2>{live!("playground.title")}</h2>
                <Save what=live!("playground.what") kind=FileKind::Svg file/>
            </div>
            <p class="note">{live!("playground.note")}</p>
            <div class="row tools">
                <div class="row" role="group" aria-label=live!("playground.presets")>
                    {Preset::ALL.map(preset).collect_view()}
                </div>
                <label class="rounds-slider">
                    <span aria-hidden="true">{live!("playground.iterations")}</span>
                    <input type="range" aria-label=live!("playground.iterations") min="1" max=MOST_ITERATIONS step="1" prop:value=move || play.iterations.get().to_string() on:input=on_iterations/>
                    <b class="number">{move || play.iterations.get()}</b>
                </label>
            </div>
            <p class="note account">{move || play.account()}</p>
            <p class="number" role="status" aria-label=live!("playground.title")>{move || play.status()}</p>
            <div class="planes">
                {(0..PARENTS).map(|parent| view! { <Plane play parent/> }).collect_view()}
                <div class="beside">
                    <figure>
                        <figcaption>{live!("playground.couplings")}</figcaption>
                        <div class="drawing" role="img" aria-label=live!("playground.couplings") inner_html=couplings></div>
                    </figure>
                    <figure>
                        <figcaption>{live!("playground.squash")}</figcaption>
                        <div class="drawing" role="img" aria-label=live!("playground.squash") inner_html=squash></div>
                    </figure>
                </div>
            </div>
            <p class="legend-line marks">
                <span class="measured"><i class="disc"></i>{live!("playground.legend_vote")}</span>
                <span><i class="diamond"></i>{live!("playground.legend_sum")}</span>
                <span class="accent"><i class="disc"></i>{live!("playground.legend_pose")}</span>
            </p>
            <p class="keys" id="playground-keys">{live!("playground.keys")}</p>
            <Numbers summary=live!("playground.numbers") table=move || Some(table(play))/>
        </section>
    }
}

/// A drawing as it stands on the page.
fn drawn(size: (f32, f32), marks: &Marks) -> String {
    svg::picture(size, None, &[marks])
}

/// Every iteration's coefficients, and the lengths of s and v.
fn table(play: Play) -> Table {
    let row = |name: String, values: [f64; PARENTS]| (name, values.map(|value| format!("{value:.4}")).to_vec());
    let rows = |(t, iteration): (usize, &Iteration)| {
        let children = iteration.couplings.iter().enumerate();
        let named = |what: String| format!("t = {}, {what}", t + 1);
        let mut rows: Vec<_> =
            children.map(|(child, c)| row(named(say!("playground.child", child = child + 1)), *c)).collect();
        rows.push(row(named("‖s‖".into()), iteration.sums.map(length)));
        rows.push(row(named("‖v‖".into()), iteration.poses.map(length)));
        rows
    };
    let head = (0..PARENTS).map(|parent| picture::letter(parent).to_string());
    Table {
        caption: say!("playground.table"),
        head: std::iter::once(String::new()).chain(head).collect(),
        rows: play.course.get().iter().enumerate().flat_map(rows).collect(),
    }
}
