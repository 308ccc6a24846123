//! How long the page takes from what a person does to the frame that shows it: entries of the browser's performance
//! timeline, for people with its tools and for tests.

use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::{JsCast, JsValue};

/// The timeline holds at most so many entries of a name; then they start anew.
const MOST: u32 = 2_000;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// From a stroke to the lengths of the digit capsules.
    Draw,
    /// From a slider that moves the digit to the lengths.
    Move,
    /// From a slider of the pose to the reconstruction.
    Bend,
}

impl Mark {
    /// Its name on the timeline.
    fn name(self) -> &'static str {
        match self {
            Mark::Draw => "draw-to-lengths",
            Mark::Move => "move-to-lengths",
            Mark::Bend => "slider-to-picture",
        }
    }
}

/// An event that has not been answered yet.
#[derive(Clone, Copy)]
struct Waiting {
    mark: Mark,
    /// When it happened, on the clock of `performance.now()`.
    start: f64,
    /// The question that it has led to; `None` until it is asked.
    serial: Option<u64>,
}

/// Events on their way.
#[derive(Clone, Copy)]
pub struct Latency {
    waiting: StoredValue<Vec<Waiting>>,
    measured: StoredValue<[u32; 3]>,
}

impl Latency {
    /// Nothing is on its way.
    pub fn new() -> Self {
        Latency { waiting: StoredValue::new(Vec::new()), measured: StoredValue::new([0; 3]) }
    }

    /// A person has done something.
    pub fn begin(self, mark: Mark, event: &web_sys::Event) {
        self.waiting.update_value(|waiting| waiting.push(Waiting { mark, start: event.time_stamp(), serial: None }));
    }

    /// The engine is asked; what was done before leads to this question.
    pub fn asked(self, serial: u64) {
        self.waiting.update_value(|waiting| {
            for event in waiting.iter_mut().filter(|event| event.serial.is_none()) {
                event.serial = Some(serial);
            }
        });
    }

    /// A reading is about to be shown.
    pub fn reading(self, serial: u64) {
        self.answered(serial, &[Mark::Draw, Mark::Move]);
    }

    /// A picture is about to be shown. A reading that was not sent anew has not changed: nobody waits for it.
    pub fn picture(self, serial: u64) {
        self.answered(serial, &[Mark::Bend]);
        self.waiting.update_value(|waiting| waiting.retain(|event| event.serial.is_none_or(|asked| asked > serial)));
    }

    /// The oldest event of each kind that this answers is measured, the ones that it has overtaken with it.
    fn answered(self, serial: u64, marks: &[Mark]) {
        for mark in marks {
            let is_answered =
                |event: &&Waiting| event.mark == *mark && event.serial.is_some_and(|asked| asked <= serial);
            let start = self.waiting.with_value(|waiting| waiting.iter().find(is_answered).map(|event| event.start));
            if let Some(start) = start {
                self.waiting.update_value(|waiting| waiting.retain(|event| !is_answered(&event)));
                // The frame that is about to be drawn shows it; what runs after that frame knows when it was done.
                let (latency, mark) = (self, *mark);
                request_animation_frame(move || set_timeout(move || latency.measure(mark, start), Duration::ZERO));
            }
        }
    }

    fn measure(self, mark: Mark, start: f64) {
        let Some(clock) = window().performance() else { return };
        let count = self.measured.try_update_value(|measured| {
            measured[mark as usize] += 1;
            measured[mark as usize]
        });
        if count.is_some_and(|count| count % MOST == 0) {
            clock.clear_measures_with_measure_name(mark.name());
        }
        let options = js_sys::Object::new();
        let put = |name: &str, value: f64| js_sys::Reflect::set(&options, &name.into(), &value.into());
        if put("start", start).is_err() || put("end", clock.now()).is_err() {
            return;
        }
        // `performance.measure(name, {start, end})`; a browser without it has nothing to be read from either.
        let measure = js_sys::Reflect::get(&clock, &"measure".into());
        if let Some(measure) = measure.ok().and_then(|measure| measure.dyn_into::<js_sys::Function>().ok()) {
            let _ = measure.call2(&clock, &JsValue::from(mark.name()), &options);
        }
    }
}
