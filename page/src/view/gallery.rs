//! The paper's picture: test digits above what the network makes of them, right and wrong marked.

use super::chosen::{DIGIT_BYTES, Source};
use super::parts::{Cells, Choice, FileKind, Pick, Save};
use super::session::Session;
use super::surveys::keep_paging;
use crate::gallery::{Filter, PAGE, page, pages, places};
use crate::sheet::Sheet;
use crate::text::{self, live, say};
use crate::{format, readout};
use capscope_ink::SIDE;
use capscope_protocol::pixels::from_bytes;
use capscope_protocol::{Command, Network, Surveyed};
use js_sys::{Array, Function, Reflect};
use leptos::{html, prelude::*};
use std::sync::Arc;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

/// The value of the choice of all digits.
const ANY: &str = "any";

/// What the gallery shows.
#[derive(Clone, Copy)]
struct View {
    session: Session,
    filter: RwSignal<Filter>,
    number: RwSignal<usize>,
    /// The digits that the filter lets through.
    places: Memo<Vec<u32>>,
}

impl View {
    fn new(session: Session) -> Self {
        let (filter, number) = (RwSignal::new(Filter::default()), RwSignal::new(0));
        let cell = session.desk.picked;
        Effect::new(move |_| {
            cell.track();
            number.set(0);
        });
        let places = Memo::new(move |_| {
            let filter = Filter { cell: cell.get(), ..filter.get() };
            let all = session.surveys.predictions_of(&session.chosen.network.get());
            session.gallery.with(|digits| {
                let with_the_page = digits.as_ref().map(|digits| (digits.indices.as_slice(), digits.labels.as_slice()));
                places(filter, all.as_deref(), with_the_page.unwrap_or_default())
            })
        });
        View { session, filter, number, places }
    }

    fn choose(self, filter: Filter) {
        self.number.set(0);
        self.filter.set(filter);
        self.session.desk.picked.set(None);
        // Who wants to see mistakes wants them looked for.
        if filter.mistakes && !self.knows_all() {
            self.test_all();
        }
    }

    /// Whether the network in view has read all test images.
    fn knows_all(self) -> bool {
        self.session.surveys.predictions_of(&self.session.chosen.network.get()).is_some()
    }

    fn test_all(self) {
        if self.session.evaluating.get_untracked().is_none() {
            self.session.send(&Command::Evaluate(self.session.chosen.network.get_untracked()));
        }
    }

    fn pages(self) -> usize {
        self.places.with(|places| pages(places.len()))
    }
}

/// The panel of the gallery.
#[component]
pub fn Gallery(
    /// The session.
    session: Session,
) -> impl IntoView {
    let view = View::new(session);
    let panel = NodeRef::<html::Section>::new();
    let in_sight = RwSignal::new(false);
    watch_sight(panel, in_sight);
    let wanted = Memo::new(move |_| {
        // An untrained network predicts nothing.
        let reads =
            session.reading.with(|reading| reading.as_ref().is_some_and(|reading| readout::is_trained(reading)));
        let shown = view.places.with(|places| page(places, view.number.get()).to_vec());
        (in_sight.get() && reads && !shown.is_empty()).then_some(shown)
    });
    keep_paging(session, wanted);
    let surveyed = session.surveys.page;
    let file = move || {
        let shown = surveyed.get_untracked()?;
        let bytes = png(session, &shown);
        Some((session.file_name("test-digits", FileKind::Png.ending()), bytes))
    };
    view! {
        <section node_ref=panel class="wall" aria-label=live!("gallery.title")>
            <div class="row wall-tools">
                <h2>{live!("gallery.title")}</h2>
                <Filters view/>
                <span class="grow"></span>
                <Pager view/>
                <Save what=live!("gallery.page") kind=FileKind::Png file=file/>
            </div>
            <p class="note">{live!("gallery.note")} " " <b>{move || standing(view)}</b></p>
            <div class="pairs" role="list" aria-label=live!("gallery.title")>
                {(0..PAGE).map(|place| view! { <Pair session place wanted/> }).collect_view()}
            </div>
            <p class="note nothing">{move || nothing(view)}</p>
        </section>
    }
}

/// How many digits these are and how many of them were read right.
fn standing(view: View) -> String {
    let session = view.session;
    match session.surveys.predictions_of(&session.chosen.network.get()) {
        Some(all) => {
            let right = all.labels.iter().zip(&all.predictions).filter(|(label, read)| label == read).count();
            let [wrong, total] =
                [all.labels.len() - right, all.labels.len()].map(|count| format::grouped(count as u64));
            say!("gallery.all_read", wrong = wrong, total = total, steps = format::grouped(all.step))
        }
        None => say!("gallery.some", count = view.places.with(Vec::len)),
    }
}

/// Whether a cell is picked of a test on pictures that are not those of the gallery.
fn is_elsewhere(session: Session) -> bool {
    let is_of_yours = session.desk.tested.with(|test| test.as_ref().is_some_and(|test| test.network == Network::Yours));
    let tested = session.tested_on();
    session.desk.picked.get().is_some() && is_of_yours && (tested.pairs || tested.own.is_some())
}

/// Why there are none.
fn nothing(view: View) -> Option<String> {
    let session = view.session;
    if session.reading.with(|reading| reading.as_ref().is_some_and(|reading| !readout::is_trained(reading))) {
        return Some(say!("gallery.untrained"));
    }
    view.places.with(Vec::is_empty).then(|| {
        if session.evaluating.get().is_some() {
            say!("gallery.looking")
        } else if is_elsewhere(session) {
            say!("gallery.elsewhere")
        } else if view.knows_all() {
            say!("gallery.none")
        } else {
            say!("gallery.unknown")
        }
    })
}

/// Which digits.
#[component]
fn Filters(
    /// What is shown.
    view: View,
) -> impl IntoView {
    let options = Signal::derive(|| {
        let any = Choice::new(ANY, say!("gallery.any_digit"));
        std::iter::once(any)
            .chain((0..10).map(|class| Choice::new(class, say!("gallery.only", class = class))))
            .collect()
    });
    let value =
        Signal::derive(move || view.filter.get().class.map_or_else(|| ANY.to_string(), |class| class.to_string()));
    let on_pick = move |value: String| {
        view.choose(Filter { class: value.parse().ok(), ..view.filter.get_untracked() });
    };
    let mistakes = move || view.filter.get().mistakes;
    let session = view.session;
    let progress = move || {
        let (done, all) = session.evaluating.get()?;
        Some(view! {
            <progress aria-label=live!("training.test_progress") max=all value=done></progress>
            <span class="number quiet">
                {format!("{}\u{202f}/\u{202f}{}", format::grouped(done.into()), format::grouped(all.into()))}
            </span>
        })
    };
    let cell = move || {
        let (label, read) = session.desk.picked.get()?;
        let off = move |_| session.desk.picked.set(None);
        Some(view! {
            <button type="button" class="chip" title=live!("gallery.all_again") on:click=off>
                {say!("gallery.cell", label = label, read = read)} " ✕"
            </button>
        })
    };
    let offers = move || session.evaluating.get().is_none() && !view.knows_all();
    view! {
        <Pick label=live!("gallery.class") unlabelled=true options value on_pick/>
        <label class="check">
            <input
                type="checkbox"
                prop:checked=mistakes
                on:change:target=move |event| {
                    view.choose(Filter { mistakes: event.target().checked(), ..view.filter.get_untracked() });
                }
            />
            {live!("gallery.mistakes")}
        </label>
        {cell}
        <Show when=offers>
            <button type="button" on:click=move |_| view.test_all()>{live!("gallery.read_all")}</button>
        </Show>
        {progress}
    }
}

/// One page after another.
#[component]
fn Pager(
    /// What is shown.
    view: View,
) -> impl IntoView {
    let number = move || view.number.get().min(view.pages() - 1);
    let turn = move |by: isize| view.number.set(number().saturating_add_signed(by).min(view.pages() - 1));
    let is_last = move || number() + 1 >= view.pages();
    view! {
        <div class="pager" role="group" aria-label=live!("gallery.pages")>
            <button type="button" class="sign" aria-label=live!("gallery.back") disabled=move || number() == 0 on:click=move |_| turn(-1)>
                "‹"
            </button>
            <span class="number">{move || say!("gallery.page_of", number = number() + 1, count = view.pages())}</span>
            <button
                type="button"
                class="sign"
                aria-label=live!("gallery.forth")
                disabled=is_last
                on:click=move |_| turn(1)
            >
                "›"
            </button>
        </div>
    }
}

/// What is known of one digit of a page.
#[derive(Clone, PartialEq)]
struct Read {
    index: u32,
    label: u8,
    read: u8,
    given: Arc<Vec<f32>>,
    made: Arc<Vec<f32>>,
}

fn read_of(surveyed: &Surveyed, place: usize) -> Option<Read> {
    let classes = surveyed.sizes[0] as usize;
    let lengths = surveyed.lengths.get(place * classes..(place + 1) * classes)?;
    let bytes = surveyed.digits.pixels.get(place * DIGIT_BYTES..(place + 1) * DIGIT_BYTES)?;
    Some(Read {
        index: *surveyed.digits.indices.get(place)?,
        label: *surveyed.digits.labels.get(place)?,
        read: readout::longest(lengths) as u8,
        given: Arc::new(from_bytes(bytes)),
        made: Arc::new(surveyed.reconstructions.get(place * DIGIT_BYTES..(place + 1) * DIGIT_BYTES)?.to_vec()),
    })
}

/// A digit above its reconstruction, with what it is and what it is taken for. A click takes it as the input.
#[component]
fn Pair(
    /// The session.
    session: Session,
    /// Its place on the page.
    place: usize,
    /// The digits that the page is to show.
    wanted: Memo<Option<Vec<u32>>>,
) -> impl IntoView {
    let surveyed = session.surveys.page;
    let read = Memo::new(move |_| surveyed.with(|surveyed| read_of(surveyed.as_ref()?, place)));
    // While the next page is on its way the last one is shown, but not more of it than there will be.
    let is_there =
        move || wanted.with(|wanted| wanted.as_ref().is_none_or(|wanted| place < wanted.len())) && read.get().is_some();
    let pick = move |_| {
        if let Some(surveyed) = surveyed.get_untracked() {
            session.chosen.untouched.set(false);
            session.chosen.pick(&surveyed.digits, place);
        }
    };
    let is_chosen = move || {
        let index = read.get().map(|read| read.index);
        matches!(session.chosen.source.get(), Source::Test(shown, _) if Some(shown) == index)
    };
    let label = move || {
        let Read { index, label, read, .. } = read.get()?;
        Some(if label == read {
            say!("gallery.right", index = index, label = label)
        } else {
            say!("gallery.wrong", index = index, label = label, read = read)
        })
    };
    let is_wrong = move || read.get().is_some_and(|read| read.label != read.read);
    let verdict = move || {
        let Read { label, read, .. } = read.get()?;
        Some(text::mark(&label, &read))
    };
    let given = Signal::derive(move || read.get().map(|read| read.given));
    let made = Signal::derive(move || read.get().map(|read| read.made));
    let ink = session.colours.ink;
    view! {
        <Show when=is_there>
            <div role="listitem">
                <button
                    type="button"
                    class="pair"
                    class:wrong=is_wrong
                    aria-label=label
                    title=label
                    aria-pressed=move || if is_chosen() { "true" } else { "false" }
                    on:click=pick
                >
                    <Cells columns=28 rows=28 values=given range=(0.0, 1.0) ramp=ink/>
                    <Cells columns=28 rows=28 values=made range=(0.0, 1.0) ramp=ink/>
                    <span class="number">{verdict}</span>
                </button>
            </div>
        </Show>
    }
}

/// The page as a PNG file: digits in the upper row, reconstructions in the lower one.
fn png(session: Session, surveyed: &Surveyed) -> Vec<u8> {
    let count = surveyed.digits.indices.len().max(1);
    let mut sheet = Sheet::new([count, 2], [SIDE, SIDE], 2);
    let (ink, wrong) = (session.colours.ink.get_untracked(), session.colours.accent());
    for (column, read) in (0..count).filter_map(|place| Some((place, read_of(surveyed, place)?))) {
        sheet.put([column, 0], &read.given, &ink, (0.0, 1.0));
        sheet.put([column, 1], &read.made, &ink, (0.0, 1.0));
        if read.label != read.read {
            sheet.frame([column, 1], wrong);
        }
    }
    sheet.png(3)
}

/// Follows whether a panel is on the screen: what nobody sees is not computed.
fn watch_sight(panel: NodeRef<html::Section>, in_sight: RwSignal<bool>) {
    let seen = Closure::<dyn Fn(Array)>::new(move |entries: Array| {
        let is_seen = Reflect::get(&entries.pop(), &"isIntersecting".into());
        in_sight.set(is_seen.is_ok_and(|is_seen| is_seen.is_truthy()));
    });
    // An `IntersectionObserver`; in a browser without one the panel counts as seen.
    let observer = Reflect::get(&window(), &"IntersectionObserver".into())
        .and_then(|kind| Reflect::construct(&kind.dyn_into::<Function>()?, &Array::of1(seen.as_ref())));
    seen.forget();
    Effect::new(move |_| {
        let Some(panel) = panel.get() else { return };
        let observe = |observer: &JsValue| {
            let observe: Function = Reflect::get(observer, &"observe".into())?.dyn_into()?;
            observe.call1(observer, &panel)
        };
        if observer.as_ref().map_err(Clone::clone).and_then(observe).is_err() {
            in_sight.set(true);
        }
    });
}
