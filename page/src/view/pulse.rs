//! Whether the engine still lives. A worker that the browser has ended says nothing, not even that.

use super::browser;
use super::session::Session;
use crate::text::say;
use capscope_protocol::Command;
use leptos::prelude::*;
use std::time::Duration;

/// The engine is asked so often.
const BEAT: Duration = Duration::from_secs(5);

/// It may be silent for so long, in milliseconds: a slow device compiles its kernels for many seconds in one piece.
const PATIENCE_MILLIS: f64 = 45_000.0;

/// Since when an answer is waited for.
#[derive(Clone, Copy)]
pub struct Pulse {
    asked: StoredValue<Option<f64>>,
}

impl Pulse {
    /// Nothing is waited for.
    pub fn new() -> Self {
        Pulse { asked: StoredValue::new(None) }
    }

    /// Whatever the engine says is an answer.
    pub fn heard(self, session: Session) {
        if self.asked.get_value().is_some() {
            self.asked.set_value(None);
            session.withdraw(&say!("banner.engine_silent_for_long"));
        }
    }
}

/// Asks from time to time, and tells the person when nothing comes.
pub fn keep_asking(session: Session) {
    let ask = move || {
        // Nothing is answered while a measurement runs, on purpose; a hidden page's timers prove nothing.
        if !session.started.get_untracked() || session.benches.is_measuring() || document().hidden() {
            session.pulse.asked.set_value(None);
            return;
        }
        match session.pulse.asked.get_value() {
            Some(since) if browser::now() > since + PATIENCE_MILLIS => {
                session.tell(say!("banner.engine_silent_for_long"), true);
            }
            Some(_) => {}
            None => {
                session.pulse.asked.set_value(Some(browser::now()));
                session.send(&Command::Ping);
            }
        }
    };
    // Fails only where there is no window.
    let _ = set_interval_with_handle(ask, BEAT);
}
