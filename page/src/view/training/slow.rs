//! One training step in slow motion, phase by phase.

use super::controls::begin;
use crate::format;
use crate::slow::{PhaseName, phases, widths};
use crate::text::{live, say};
use crate::view::chosen::DIGIT_BYTES;
use crate::view::parts::Cells;
use crate::view::session::Session;
use capscope_protocol::pixels::from_bytes;
use capscope_protocol::{Command, SlowMotion, SlowPhase};
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;
use web_sys::KeyboardEvent;

/// Time between two phases when they are played.
const BEAT: Duration = Duration::from_millis(1400);

/// What the keys and buttons do.
#[derive(Clone, Copy)]
struct Player {
    session: Session,
    /// The phase in view.
    seen: RwSignal<usize>,
    playing: RwSignal<bool>,
    /// The phase that the address asks for, until it is there.
    wanted: StoredValue<Option<usize>>,
}

impl Player {
    fn known(&self) -> usize {
        self.session.desk.phases.with_untracked(Vec::len)
    }

    /// The next phase: one that is known, or a new one.
    fn next(&self) {
        if self.seen.get_untracked() + 1 < self.known() {
            self.seen.update(|seen| *seen += 1);
        } else {
            self.ask();
        }
    }

    /// Asks the engine for a phase that is not known yet.
    fn ask(&self) {
        begin(self.session);
        self.session.send(&Command::SlowNext);
    }

    fn back(&self) {
        self.playing.set(false);
        self.seen.update(|seen| *seen = seen.saturating_sub(1));
    }

    fn play(&self) {
        let plays = !self.playing.get_untracked();
        self.playing.set(plays);
        if plays {
            self.next();
        }
    }

    /// Shows a phase that has arrived, and goes on after a beat while it plays.
    fn arrived(&self) {
        self.seen.set(self.known().saturating_sub(1));
        let player = *self;
        let is_last = self.session.desk.phases.with_untracked(|all| all.last().is_some_and(|m| m.index + 1 == m.count));
        if is_last {
            self.playing.set(false);
        }
        if let Some(wanted) = self.wanted.get_value() {
            if self.known() <= wanted && !is_last {
                return self.ask();
            }
            self.wanted.set_value(None);
        }
        if self.playing.get_untracked() {
            set_timeout(
                move || {
                    if player.playing.try_get_untracked() == Some(true) {
                        player.next();
                    }
                },
                BEAT,
            );
        }
    }

    fn on_key(&self, event: &KeyboardEvent) {
        match event.key().as_str() {
            "ArrowRight" => self.next(),
            "ArrowLeft" => self.back(),
            " " => self.play(),
            _ => return,
        }
        event.prevent_default();
    }
}

/// Whether a phase is known.
fn is_on(session: Session) -> bool {
    session.desk.phases.with(|all| !all.is_empty())
}

/// The step in slow motion.
#[component]
pub fn Slow(
    /// The session.
    session: Session,
) -> impl IntoView {
    let phase = session.chosen.phase;
    let wanted = phase.get_untracked().filter(|_| !session.chosen.embed).map(|phase| usize::from(phase) - 1);
    let player =
        Player { session, seen: RwSignal::new(0), playing: RwSignal::new(false), wanted: StoredValue::new(wanted) };
    // Where an address asks for a phase, those before it are run as soon as there is an engine. If a training was kept
    // from an earlier visit, it is that one's next step, and nothing of it is lost.
    Effect::new(move |asked: Option<bool>| {
        let asks = asked != Some(true) && session.started.get() && player.wanted.get_value().is_some();
        if asks {
            player.ask();
        }
        asks || asked == Some(true)
    });
    Effect::new(move |_| {
        let seen = is_on(session).then(|| player.seen.get() as u8 + 1);
        if player.wanted.get_value().is_none() {
            phase.set(seen);
        }
    });
    Effect::new(move |before: Option<usize>| {
        let known = session.desk.phases.with(|all| (all.len(), all.first().map(|motion| motion.step)));
        if known.0 > 0 {
            player.arrived();
        } else if before.is_some() {
            player.playing.set(false);
            player.seen.set(0);
        }
        known.0
    });
    let motion = Memo::new(move |_| session.desk.phases.with(|all| all.get(player.seen.get()).cloned()));
    let is_on = move || is_on(session);
    let chips = move || {
        let count = session.desk.phases.with(|all| all.first().map_or(12, |motion| motion.count as usize));
        let known = session.desk.phases.with(Vec::len);
        let chip = |(index, name): (usize, PhaseName)| {
            let is_seen = known > 0 && player.seen.get() == index;
            view! {
                <li class:lit=index < known class:now=is_seen aria-current=is_seen.then_some("step")>{named(name)}</li>
            }
        };
        phases(count).into_iter().enumerate().map(chip).collect_view()
    };
    let leave = move |_| {
        player.playing.set(false);
        player.wanted.set_value(None);
        session.send(&Command::SlowEnd);
        session.desk.phases.set(Vec::new());
    };
    view! {
        <section class="slow" aria-label=live!("training.slow") data-phase=move || is_on().then(|| player.seen.get().to_string())>
            <h3>{live!("training.slow")}</h3>
            <p class="note">{live!("training.slow_note")}</p>
            <div class="row" on:keydown=move |event| player.on_key_of_button(&event)>
                <button type="button" on:click=move |_| player.next()>{live!("training.slow_next")}</button>
                <button type="button" disabled=move || !is_on() on:click=move |_| player.back()>{live!("training.slow_back")}</button>
                <button type="button" aria-pressed=move || if player.playing.get() { "true" } else { "false" } on:click=move |_| player.play()>
                    {move || if player.playing.get() { say!("training.slow_pause") } else { say!("training.slow_play") }}
                </button>
                <button type="button" disabled=move || !is_on() on:click=leave>{live!("training.slow_leave")}</button>
            </div>
            <div class="stage-of-phases" tabindex="0" role="group" aria-label=live!("training.slow_keys") on:keydown=move |event| player.on_key(&event)>
                <ol class="phases">{chips}</ol>
                <div class="phase" aria-live="polite">
                    {move || motion.get().map(|motion| view! { <p>{told(&motion)}</p>{picture(session, &motion)} })}
                </div>
            </div>
        </section>
    }
}

impl Player {
    /// Arrows work on the buttons, too; Space presses the button.
    fn on_key_of_button(&self, event: &KeyboardEvent) {
        if event.key() != " " {
            self.on_key(event);
        }
    }
}

fn named(name: PhaseName) -> String {
    match name {
        PhaseName::Pixels => say!("training.phase_pixels"),
        PhaseName::Convolution => say!("training.phase_convolution"),
        PhaseName::Primary => say!("training.phase_primary"),
        PhaseName::Votes => say!("training.phase_votes"),
        PhaseName::Iteration(iteration) => say!("training.phase_iteration", iteration = iteration),
        PhaseName::Lengths => say!("training.phase_lengths"),
        PhaseName::Margin => say!("training.phase_margin"),
        PhaseName::Reconstruction => say!("training.phase_reconstruction"),
        PhaseName::Gradients => say!("training.phase_gradients"),
        PhaseName::Update => say!("training.phase_update"),
    }
}

/// What a phase has done, with its numbers.
fn told(motion: &SlowMotion) -> String {
    let number = |value: f32| format::fixed(value, 3);
    let share = format::percent_of_one;
    match &motion.phase {
        SlowPhase::Pixels(_, _, ink) => say!(
            "training.told_pixels",
            step = format::grouped(motion.step + 1),
            images = motion.images,
            ink = number(*ink)
        ),
        SlowPhase::Convolution(mean, most, active) => {
            say!("training.told_convolution", active = share(*active), mean = number(*mean), most = number(*most))
        }
        SlowPhase::Primary(mean, most, _) => say!("training.told_primary", mean = number(*mean), most = number(*most)),
        SlowPhase::Votes(count, mean) => {
            say!("training.told_votes", count = format::grouped(*count), mean = number(*mean))
        }
        SlowPhase::Iteration(iteration, entropy, _, right) => {
            say!("training.told_iteration", iteration = iteration, entropy = number(*entropy), right = share(*right))
        }
        SlowPhase::Lengths(_, present, absent, right) => {
            say!("training.told_lengths", present = number(*present), absent = number(*absent), right = share(*right))
        }
        SlowPhase::Margin(loss) => say!("training.told_margin", loss = format::fixed(*loss, 4)),
        SlowPhase::Reconstruction(loss, _) => say!("training.told_reconstruction", loss = format::fixed(*loss, 4)),
        SlowPhase::Gradients(_) => say!("training.told_gradients"),
        SlowPhase::Update(rate, _) => say!("training.told_update", rate = format!("{rate:.2e}")),
    }
}

/// What a phase looks like: pictures of the batch, or bars.
fn picture(session: Session, motion: &SlowMotion) -> AnyView {
    let batch = || {
        session.desk.phases.with_untracked(|all| match all.first().map(|motion| &motion.phase) {
            Some(SlowPhase::Pixels(pixels, labels, _)) => (pixels.clone(), labels.clone()),
            _ => (vec![], vec![]),
        })
    };
    match &motion.phase {
        SlowPhase::Pixels(pixels, labels, _) => pictures(session, pixels, labels, &[]).into_any(),
        SlowPhase::Lengths(predictions, ..) => {
            let (pixels, labels) = batch();
            pictures(session, &pixels, &labels, predictions).into_any()
        }
        SlowPhase::Reconstruction(_, pixels) => {
            let (originals, labels) = batch();
            view! {
                {pictures(session, &originals, &labels, &[])}
                {pictures(session, pixels, &[], &[])}
            }
            .into_any()
        }
        SlowPhase::Primary(_, _, bins) => {
            let values: Vec<f32> = bins.iter().map(|&count| count as f32).collect();
            let names = (0..bins.len()).map(|k| format::fixed(k as f32 / bins.len() as f32, 2));
            bars(names.collect(), &values, bins.iter().map(u32::to_string).collect()).into_any()
        }
        SlowPhase::Iteration(_, _, lengths, _) => {
            let names = (0..lengths.len()).map(|class| class.to_string()).collect();
            bars(names, lengths, lengths.iter().map(|&length| format::fixed(length, 3)).collect()).into_any()
        }
        SlowPhase::Gradients(layers) => {
            let values: Vec<f32> = layers.iter().map(|(_, size)| *size).collect();
            let names = layers.iter().map(|(name, _)| name.clone()).collect();
            bars(names, &values, values.iter().map(|size| format!("{size:.2e}")).collect()).into_any()
        }
        SlowPhase::Update(_, layers) => {
            let values: Vec<f32> =
                layers.iter().map(|(_, change, size)| change / size.max(f32::MIN_POSITIVE)).collect();
            let shown = layers.iter().map(|(_, change, size)| match size {
                // A tensor that was all zero has no share that has changed.
                0.0 => format!("{change:.2e}"),
                size => format!("{change:.2e}, {:.2} %", 100.0 * change / size),
            });
            let values: Vec<f32> = values.iter().map(|value| value.min(1.0)).collect();
            bars(layers.iter().map(|(name, ..)| name.clone()).collect(), &values, shown.collect()).into_any()
        }
        SlowPhase::Convolution(..) | SlowPhase::Votes(..) | SlowPhase::Margin(_) => ().into_any(),
    }
}

/// The first pictures of a batch with their labels, and once they are read with what they were read as.
fn pictures(session: Session, pixels: &[u8], labels: &[u8], predictions: &[u8]) -> impl IntoView + use<> {
    let picture = |(place, bytes): (usize, &[u8])| {
        let values = Arc::new(from_bytes(bytes));
        let label = labels.get(place).copied();
        let read = predictions.get(place).copied();
        let is_wrong = label.zip(read).is_some_and(|(label, read)| label != read);
        let caption = match (label, read) {
            (Some(label), Some(read)) if label == read => format!("✓ {read}"),
            (Some(label), Some(read)) => format!("✗ {label}→{read}"),
            (Some(label), None) => label.to_string(),
            _ => String::new(),
        };
        view! {
            <figure>
                <Cells columns=28 rows=28 values=Signal::stored(Some(values)) range=(0.0, 1.0) ramp=session.colours.ink/>
                <figcaption class="number" class:wrong=is_wrong>{caption}</figcaption>
            </figure>
        }
    };
    let all = pixels.chunks_exact(DIGIT_BYTES).enumerate().map(picture).collect_view();
    view! { <div class="batch">{all}</div> }
}

/// Bars with names and numbers.
fn bars(names: Vec<String>, values: &[f32], shown: Vec<String>) -> impl IntoView + use<> {
    let bar = |((name, width), shown): ((String, f64), String)| {
        view! {
            <div>
                <span>{name}</span>
                <i style:width=format!("{:.1}%", 100.0 * width) aria-hidden="true"></i>
                <b class="number">{shown}</b>
            </div>
        }
    };
    let rows = names.into_iter().zip(widths(values)).zip(shown).map(bar).collect_view();
    view! { <div class="bars">{rows}</div> }
}
