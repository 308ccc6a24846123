//! Reset, train, step; what training is doing; whose pictures are shown.

use crate::format;
use crate::text::{live, say, sentence};
use crate::view::parts::{Icon, Sign};
use crate::view::session::Session;
use capscope_protocol::{Command, Network, TrainingSettings, TrainingState};
use leptos::prelude::*;

/// The buttons, the counters and the state.
#[component]
pub fn Controls(
    /// The session.
    session: Session,
) -> impl IntoView {
    let is_training = Memo::new(move |_| session.is_training());
    let reset = move |_| session.reset_training(untrack(|| session.chosen.form.settings()));
    let train = move |_| {
        if is_training.get_untracked() {
            session.send(&Command::Pause);
        } else {
            begin(session);
            session.send(&Command::Train);
        }
    };
    let step = move |_| {
        begin(session);
        session.send(&Command::Step);
    };
    let sign = Signal::derive(move || if is_training.get() { Sign::Pause } else { Sign::Play });
    view! {
        <div class="row tools">
            <button type="button" class="sign" aria-label=live!("training.reset_training") title=live!("training.reset_training") on:click=reset>
                <Icon sign=Sign::Reset/>
            </button>
            <button type="button" class="main" on:click=train>
                <Icon sign/>
                {move || if is_training.get() { say!("training.pause") } else { say!("training.train") }}
            </button>
            <button type="button" disabled=is_training on:click=step><Icon sign=Sign::Step/>{live!("training.step")}</button>
        </div>
        <Status session/>
        <Counters session/>
        <Back session/>
        <Whose session/>
        <Restarts session/>
    }
}

/// Makes the network that is to be trained, if there is none yet or nothing is lost by a new one.
pub(super) fn begin(session: Session) {
    let wanted = untrack(|| session.chosen.form.settings());
    let stands = session.training.with_untracked(|training| {
        training.as_ref().is_some_and(|training| training.step > 0 || same_network(&training.settings, &wanted))
    });
    if !stands {
        session.reset_training(wanted);
    }
}

/// Whether nothing but the rate differs, which does not restart training.
fn same_network(a: &TrainingSettings, b: &TrainingSettings) -> bool {
    *a == TrainingSettings { rate: a.rate, ..b.clone() }
}

/// What training is doing, told aloud when it changes.
#[component]
fn Status(
    /// The session.
    session: Session,
) -> impl IntoView {
    let state = Memo::new(move |_| session.training.with(|training| training.as_ref().map(|t| t.state.clone())));
    let held_out = move || {
        let last = session.evaluations.with(|evaluations| evaluations.last().cloned())?;
        let share = format::percent(last.correct.into(), last.total.into());
        Some(session.tested_on().right(&share, last.total.into(), last.step))
    };
    // Counted in tenths, so that it is not told anew with every step.
    let sentence = move || match state.get() {
        None => say!("training.no_training"),
        Some(TrainingState::Loading(_, all)) => say!("training.loading", size = format::scaled(all.into(), "B")),
        Some(TrainingState::Waiting) => say!("training.waiting"),
        Some(TrainingState::Running) => say!("training.running"),
        Some(TrainingState::Paused) => say!("training.paused"),
        Some(TrainingState::Finished) => say!("training.finished"),
        Some(TrainingState::Stopped(reason)) => sentence(&reason),
    };
    let loaded = move || match state.get() {
        Some(TrainingState::Loading(done, all)) => Some((done, all)),
        _ => None,
    };
    view! {
        <div class="status" role="status" aria-label=live!("training.training_status")>
            <span>{sentence}</span>" "<span>{held_out}</span>
        </div>
        {move || loaded().map(|(done, all)| view! { <progress aria-label=live!("training.download") max=all value=done></progress> })}
    }
}

/// After a stop, the way back to the state that it offers.
#[component]
fn Back(
    /// The session.
    session: Session,
) -> impl IntoView {
    let offered = Memo::new(move |_| session.training.with(|training| training.as_ref()?.back_to));
    view! {
        {move || {
            let step = format::grouped(offered.get()?);
            Some(view! {
                <button type="button" class="small" on:click=move |_| session.send(&Command::GoBack)>
                    {say!("training.go_back", step = step)}
                </button>
            })
        }}
    }
}

/// Steps, epochs, images a second.
#[component]
fn Counters(
    /// The session.
    session: Session,
) -> impl IntoView {
    let counter = move |name: Signal<String>, read: fn(&capscope_protocol::TrainingStatus) -> String| {
        let value = move || session.training.with(|training| training.as_ref().map_or("–".to_string(), read));
        view! { <div><dt>{name}</dt><dd class="number">{value}</dd></div> }
    };
    view! {
        <dl class="counters">
            {counter(Signal::derive(live!("training.steps")), |training| format::grouped(training.step))}
            {counter(Signal::derive(live!("training.epochs")), |training| format!("{:.2}", training.epoch))}
            {counter(Signal::derive(live!("training.images")), |training| format::grouped(training.step * u64::from(training.settings.batch)))}
            {counter(Signal::derive(live!("training.speed")), |training| match training.images_per_second {
                speed if speed > 0.0 => format::grouped(speed.round() as u64),
                _ => "–".into(),
            })}
        </dl>
    }
}

/// Whose pictures the panels above show, with a switch.
#[component]
fn Whose(
    /// The session.
    session: Session,
) -> impl IntoView {
    let chosen = session.chosen;
    let before = StoredValue::new(chosen.network.get_untracked());
    let shows_yours = move || chosen.network.get() == Network::Yours;
    let there_is_one = move || session.status_of(&Network::Yours).is_some();
    let switch = move |_| {
        if shows_yours() {
            let shipped = before.get_value();
            let shipped = if shipped == Network::Yours { Network::Shipped(default_network()) } else { shipped };
            chosen.read_with(session, shipped);
        } else {
            before.set_value(chosen.network.get_untracked());
            chosen.read_with(session, Network::Yours);
        }
    };
    view! {
        <div class="row whose">
            <p class="note">{move || if shows_yours() { say!("training.shows_yours") } else { say!("training.shows_shipped") }}</p>
            <button type="button" class="small" disabled=move || !there_is_one() on:click=switch>
                {move || if shows_yours() { say!("training.show_shipped") } else { say!("training.show_yours") }}
            </button>
        </div>
    }
}

fn default_network() -> String {
    crate::address::SHIPPED[0].into()
}

/// Says when the settings on the page are not those of the network in training.
#[component]
fn Restarts(
    /// The session.
    session: Session,
) -> impl IntoView {
    let differs = Memo::new(move |_| {
        let wanted = session.chosen.form.settings();
        session.training.with(|training| {
            training.as_ref().is_some_and(|training| training.step > 0 && !same_network(&training.settings, &wanted))
        })
    });
    view! { <p class="note restarts" class:differs=differs>{move || if differs.get() { say!("training.differs") } else { say!("training.restarts") }}</p> }
}
