//! The bar: which network, which device, which theme.

use super::browser::Theme;
use super::parts::{Choice, Icon, Pick, Sign};
use super::session::Session;
use super::share::{Home, Share};
use super::speech;
use super::tour::{StartTour, Tour};
use crate::address::{SHIPPED, device_name, device_named};
use crate::text::{language, live, say};
use crate::{format, text};
use capscope_protocol::{DeviceChoice, DeviceKind, Network};
use leptos::prelude::*;

/// The bar at the top.
#[component]
pub fn Bar(
    /// The session.
    session: Session,
    /// The tour.
    tour: Tour,
) -> impl IntoView {
    view! {
        <header class="bar">
            <h1>"Cap"<b>"scope"</b></h1>
            <NetworkChip session/>
            <DeviceChip session/>
            <span class="grow"></span>
            <StartTour tour/>
            <Share session/>
            <Home session/>
            <LanguageButton session/>
            <ThemeButton session/>
        </header>
    }
}

/// How the page calls the network in training among the values of selects.
const YOURS: &str = "yours";

/// Whose pictures these are, and how good that network is.
#[component]
fn NetworkChip(
    /// The session.
    session: Session,
) -> impl IntoView {
    let options = Signal::derive(move || {
        let mut options: Vec<_> =
            SHIPPED.iter().map(|name| Choice::new(name, say!("bar.shipped", name = name))).collect();
        if let Some(yours) = session.status_of(&Network::Yours) {
            options.push(Choice::new(YOURS, say!("bar.yours_of", preset = yours.preset)));
        }
        options
    });
    let value = Signal::derive(move || match session.chosen.network.get() {
        Network::Shipped(name) => name,
        Network::Yours => YOURS.into(),
    });
    let on_pick = move |value: String| {
        let network = if value == YOURS { Network::Yours } else { Network::Shipped(value) };
        session.chosen.read_with(session, network);
    };
    let facts = move || {
        let status = session.status_of(&session.chosen.network.get())?;
        let parameters = say!("bar.parameters", count = format::grouped(status.parameters.into()));
        let correct =
            status.correct.map(|correct| say!("bar.test_accuracy", percent = format::percent(correct.into(), 10_000)));
        let trained = match (&status.network, correct) {
            (Network::Shipped(_), correct) => correct,
            // The test is of other weights than the present ones once training has gone on.
            (Network::Yours, correct) => {
                let steps = session.steps_of_yours().unwrap_or(status.step);
                correct
                    .filter(|_| steps == status.step)
                    .or_else(|| Some(say!("bar.steps", count = format::grouped(steps))))
            }
        };
        Some(trained.map_or_else(|| parameters.clone(), |trained| format!("{parameters} · {trained}")))
    };
    view! {
        <div class="chip">
            <Pick label=live!("bar.pictures_of") unlabelled=true options value on_pick/>
            <span class="facts">{facts}</span>
        </div>
    }
}

/// The executor's name and the choice of another.
#[component]
fn DeviceChip(
    /// The session.
    session: Session,
) -> impl IntoView {
    let options = Signal::derive(|| {
        let choices = [DeviceChoice::Auto, DeviceChoice::WebGpu, DeviceChoice::Cpu];
        choices.map(|device| Choice::new(device_name(device), text::device_choice(device))).to_vec()
    });
    let value = Signal::derive(move || device_name(session.chosen.device.get()).to_string());
    let on_pick = move |name: String| {
        if let Some(device) = device_named(&name) {
            session.use_device(device);
        }
    };
    let facts = move || match session.device.get() {
        None => say!("bar.device_unknown"),
        Some(device) if !device.settled => say!("bar.device_for_now", name = device.name),
        Some(device) if device.software && device.kind == DeviceKind::WebGpu => {
            say!("bar.software", name = device.name)
        }
        Some(device) => device.name,
    };
    view! {
        <div class="chip">
            <Pick label=live!("bar.device") unlabelled=true options value on_pick/>
            <span class="facts" id="device">{facts}</span>
        </div>
    }
}

/// The other language, called by its own name.
#[component]
fn LanguageButton(
    /// The session.
    session: Session,
) -> impl IntoView {
    let switch = move |_| {
        let other = language().other();
        speech::speak(other);
        session.chosen.language.set(Some(other));
    };
    view! {
        <button
            type="button"
            class="language"
            lang=move || language().other().tag()
            title=live!("bar.switch_language")
            on:click=switch
        >
            {live!("bar.other_language")}
        </button>
    }
}

/// Light, dark, or as the system has it.
#[component]
fn ThemeButton(
    /// The session.
    session: Session,
) -> impl IntoView {
    let theme = session.colours.theme;
    let sign = Signal::derive(move || match theme.get() {
        Theme::Auto => Sign::Auto,
        Theme::Light => Sign::Light,
        Theme::Dark => Sign::Dark,
    });
    let name = move || match theme.get() {
        Theme::Auto => say!("bar.theme_auto"),
        Theme::Light => say!("bar.theme_light"),
        Theme::Dark => say!("bar.theme_dark"),
    };
    view! {
        <button type="button" class="sign" aria-label=name title=name on:click=move |_| theme.update(|t| *t = t.next())>
            <Icon sign/>
        </button>
    }
}
