//! What the person has set: the digit, the network, the iteration, the pose, and how to train.

use super::session::Session;
pub use crate::address::DIMENSIONS;
use crate::address::{Address, Bend, Recipe, Second};
use crate::drawing::Drawing;
use crate::moves::Axis;
use crate::overlap::overlaid;
use crate::pose::Span;
use crate::text::Language;
use capscope_ink::{SIDE, Stroke, Transform, from_strokes};
use capscope_protocol::pixels::from_bytes;
use capscope_protocol::{DeviceChoice, Digits, Network, OwnPicture, Procedure, Shown, TrainingSettings};
use leptos::prelude::*;
use std::sync::Arc;

/// Where the digit that is read comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nothing is drawn.
    Blank,
    /// A test digit, by its place among the 10 000, and its label.
    Test(u32, u8),
    /// The pad.
    Drawn,
    /// A person's own picture.
    Own {
        /// Whether its dark ink was inverted.
        inverted: bool,
        /// Columns and rows of the file.
        size: [u32; 2],
    },
}

/// A second digit over the first.
#[derive(Clone, Debug, PartialEq)]
pub struct SecondDigit {
    /// Which, and where it lies.
    pub place: Second,
    /// Its label.
    pub label: u8,
    /// Its pixels, 28×28.
    pub pixels: Arc<Vec<f32>>,
}

impl SecondDigit {
    /// One of some test digits.
    pub fn of(digits: &Digits, at: usize, place: Second) -> Option<Self> {
        let bytes = digits.pixels.get(at * DIGIT_BYTES..(at + 1) * DIGIT_BYTES)?;
        Some(SecondDigit { place, label: *digits.labels.get(at)?, pixels: Arc::new(from_bytes(bytes)) })
    }
}

/// What the person has set.
#[derive(Clone, Copy)]
pub struct Chosen {
    /// The language that the person has asked for.
    pub language: RwSignal<Option<Language>>,
    /// Which executor to use.
    pub device: RwSignal<DeviceChoice>,
    /// The network that reads.
    pub network: RwSignal<Network>,
    /// Where the digit comes from.
    pub source: RwSignal<Source>,
    /// The digit, 28×28, before it is moved; `None`: the pad is blank.
    pub digit: RwSignal<Option<Arc<Vec<f32>>>>,
    /// How it is moved.
    pub transform: RwSignal<Transform>,
    /// The slider of the transform that was moved last.
    pub axis: RwSignal<Option<Axis>>,
    /// A second digit over it.
    pub second: RwSignal<Option<SecondDigit>>,
    /// A second digit that the address asks for and that has not come yet.
    pub wanted_second: StoredValue<Option<Second>>,
    /// The digit as the network takes it: moved, and with the second one.
    pub pixels: Memo<Option<Arc<Vec<f32>>>>,
    /// What was drawn on the pad.
    pub strokes: RwSignal<Vec<Stroke>>,
    /// Grows when another digit comes into view.
    pub scene: StoredValue<u32>,
    /// A test digit that was asked for and has not come yet, or the last one that came.
    pub wanted_digit: RwSignal<Option<u32>>,
    /// Whether the page still shows what it opened with.
    pub untouched: RwSignal<bool>,
    /// What routes the votes; `None`: the procedure that the network was made for.
    pub procedure: RwSignal<Option<Procedure>>,
    /// Routing iterations r.
    pub iterations: RwSignal<u8>,
    /// The iteration shown, 1 to r.
    pub iteration: RwSignal<u8>,
    /// Whether the iterations are being played.
    pub playing: RwSignal<bool>,
    /// Counts the plays, so that an older one knows that it is over.
    pub plays: StoredValue<u32>,
    /// Whether the coefficients are shown as a flow instead of a map.
    pub flows: RwSignal<bool>,
    /// The digit capsule in view.
    pub shown: RwSignal<Shown>,
    /// The primary capsule under the pointer or the cursor.
    pub hovered: RwSignal<Option<u32>>,
    /// The primary capsule that was picked.
    pub pinned: RwSignal<Option<u32>>,
    /// What is added to the pose.
    pub offsets: RwSignal<Vec<f32>>,
    /// The pose dimension that is swept; `None`: the page's choice.
    pub dimension: RwSignal<Option<usize>>,
    /// What the pose sliders span.
    pub span: RwSignal<Span>,
    /// The phase of a training step in slow motion that is in view or on its way, from 1; `None`: slow motion is off.
    pub phase: RwSignal<Option<u8>>,
    /// Whether the page is a figure in another one.
    pub embed: bool,
    /// Whether the whole grid of the pose is looked at.
    pub grid: RwSignal<bool>,
    /// How to train.
    pub form: Form,
}

/// The settings of training as the person has them; they apply when training is reset.
#[derive(Clone, Copy)]
pub struct Form {
    /// Preset.
    pub preset: RwSignal<String>,
    /// Whether it trains on two overlapping digits.
    pub pairs: RwSignal<bool>,
    /// Images a step.
    pub batch: RwSignal<u32>,
    /// Learning rate at step 0.
    pub rate: RwSignal<f64>,
    /// What routes the votes.
    pub procedure: RwSignal<Procedure>,
    /// Routing iterations.
    pub iterations: RwSignal<u8>,
    /// Weight of the reconstruction loss.
    pub reconstruction: RwSignal<f32>,
    /// Seed.
    pub seed: RwSignal<u64>,
    /// Epochs.
    pub epochs: RwSignal<u32>,
    /// Steps between two measurements on the test set; 0: each epoch.
    pub evaluate_every: RwSignal<u32>,
}

impl Form {
    /// As an address has it.
    fn recipe(&self) -> Recipe {
        Recipe {
            pairs: self.pairs.get(),
            procedure: self.procedure.get(),
            rate: self.rate.get(),
            iterations: self.iterations.get(),
            reconstruction: self.reconstruction.get(),
            epochs: self.epochs.get(),
            evaluate_every: self.evaluate_every.get(),
        }
    }

    /// As the engine takes it.
    pub fn settings(&self) -> TrainingSettings {
        TrainingSettings {
            preset: self.preset.get(),
            pairs: self.pairs.get(),
            procedure: self.procedure.get(),
            batch: self.batch.get(),
            iterations: self.iterations.get(),
            seed: self.seed.get(),
            rate: self.rate.get(),
            reconstruction: self.reconstruction.get(),
            epochs: self.epochs.get(),
            evaluate_every: self.evaluate_every.get(),
        }
    }
}

impl Chosen {
    /// What an address says, the rest as it is by default.
    pub fn of_address(query: &str) -> Self {
        let address = Address::parse(query);
        let strokes = address.drawing.as_ref().map(Drawing::strokes).unwrap_or_default();
        let drawn = from_strokes(&strokes).map(|picture| Arc::new(picture.to_vec()));
        let is_drawn = drawn.is_some();
        let digit = RwSignal::new(drawn);
        let transform = RwSignal::new(address.transform);
        let second = RwSignal::new(None::<SecondDigit>);
        Chosen {
            language: RwSignal::new(address.language),
            device: RwSignal::new(address.device),
            network: RwSignal::new(Network::Shipped(address.network)),
            source: RwSignal::new(if is_drawn { Source::Drawn } else { Source::Blank }),
            untouched: RwSignal::new(!is_drawn),
            digit,
            transform,
            axis: RwSignal::new(None),
            second,
            wanted_second: StoredValue::new(address.second),
            pixels: Memo::new(move |_| {
                let first = moved(&digit.get()?, transform.get());
                Some(second.with(|second| match second {
                    Some(second) => Arc::new(overlaid(&first, &second.pixels, SIDE, second.place.shift)),
                    None => first,
                }))
            }),
            strokes: RwSignal::new(strokes),
            scene: StoredValue::new(0),
            wanted_digit: RwSignal::new(address.digit),
            procedure: RwSignal::new(address.procedure),
            iterations: RwSignal::new(address.iterations),
            iteration: RwSignal::new(address.iteration.unwrap_or(address.iterations)),
            playing: RwSignal::new(false),
            plays: StoredValue::new(0),
            flows: RwSignal::new(address.flows),
            shown: RwSignal::new(address.shown),
            hovered: RwSignal::new(None),
            pinned: RwSignal::new(address.pinned),
            offsets: RwSignal::new(address.bend.offsets.to_vec()),
            dimension: RwSignal::new(address.bend.dimension.map(usize::from)),
            span: RwSignal::new(address.bend.span),
            phase: RwSignal::new(address.phase),
            embed: address.embed,
            grid: RwSignal::new(false),
            form: Form {
                preset: RwSignal::new(address.preset),
                pairs: RwSignal::new(address.recipe.pairs),
                procedure: RwSignal::new(address.recipe.procedure),
                batch: RwSignal::new(address.batch),
                rate: RwSignal::new(address.recipe.rate),
                iterations: RwSignal::new(address.recipe.iterations),
                reconstruction: RwSignal::new(address.recipe.reconstruction),
                seed: RwSignal::new(address.seed),
                epochs: RwSignal::new(address.recipe.epochs),
                evaluate_every: RwSignal::new(address.recipe.evaluate_every),
            },
        }
    }

    /// The address that gives this view again. A drawing too long for it is left out.
    pub fn address(&self) -> Address {
        let iterations = self.iterations.get();
        Address {
            language: self.language.get(),
            device: self.device.get(),
            network: match self.network.get() {
                Network::Shipped(name) => name,
                Network::Yours => Address::default().network,
            },
            digit: match self.source.get() {
                Source::Test(index, _) => Some(index),
                Source::Blank | Source::Drawn | Source::Own { .. } => None,
            },
            transform: self.transform.get(),
            drawing: match self.source.get() {
                Source::Drawn => self.strokes.with(|strokes| Drawing::of(strokes)),
                Source::Blank | Source::Test(..) | Source::Own { .. } => None,
            },
            second: self.second.with(|second| second.as_ref().map(|second| second.place)),
            procedure: self.procedure.get(),
            iterations,
            iteration: Some(self.iteration.get()).filter(|iteration| *iteration < iterations),
            flows: self.flows.get(),
            shown: self.shown.get(),
            pinned: self.pinned.get(),
            bend: Bend {
                offsets: self.offsets.with(|offsets| Bend::offsets_of(offsets)),
                span: self.span.get(),
                dimension: self.dimension.get().map(|dimension| dimension as u8),
            },
            preset: self.form.preset.get(),
            batch: self.form.batch.get(),
            seed: self.form.seed.get(),
            recipe: self.form.recipe(),
            phase: self.phase.get(),
            embed: self.embed,
        }
    }

    /// Takes one of some test digits as the one that is read.
    pub fn pick(&self, digits: &Digits, place: usize) {
        let start = place * DIGIT_BYTES;
        let (Some(index), Some(label), Some(bytes)) =
            (digits.indices.get(place), digits.labels.get(place), digits.pixels.get(start..start + DIGIT_BYTES))
        else {
            return;
        };
        self.afresh();
        self.strokes.set(Vec::new());
        self.wanted_digit.set(Some(*index));
        self.source.set(Source::Test(*index, *label));
        self.digit.set(Some(Arc::new(from_bytes(bytes))));
    }

    /// Takes a person's own picture as the digit that is read.
    pub fn take_own(&self, own: OwnPicture) {
        self.afresh();
        self.untouched.set(false);
        self.strokes.set(Vec::new());
        self.source.set(Source::Own { inverted: own.inverted, size: own.size });
        self.digit.set(Some(Arc::new(own.pixels)));
    }

    /// Moves the digit by one slider, to the nearest of its stops.
    pub fn move_digit(&self, axis: Axis, value: f32) {
        let moved = axis.put(&self.transform.get_untracked(), axis.snap(value));
        self.axis.set(Some(axis));
        if moved != self.transform.get_untracked() {
            self.straighten();
            self.transform.set(moved);
        }
    }

    /// Puts the digit back where it was.
    pub fn put_back(&self) {
        self.straighten();
        self.transform.set(Transform::IDENTITY);
    }

    /// Empties the pad.
    pub fn clear(&self, session: Session) {
        self.afresh();
        self.untouched.set(false);
        self.strokes.set(Vec::new());
        self.source.set(Source::Blank);
        self.second.set(None);
        self.digit.set(None);
        session.forget_reading();
    }

    /// Changes the drawing; a test digit makes way for it. What the network sees follows.
    pub fn draw(&self, session: Session, change: impl FnOnce(&mut Vec<Stroke>)) {
        if self.source.get_untracked() != Source::Drawn {
            self.clear(session);
            self.source.set(Source::Drawn);
        }
        self.strokes.update(change);
        let seen = self.strokes.with_untracked(|strokes| from_strokes(strokes));
        self.straighten();
        self.digit.set(seen.map(|picture| Arc::new(picture.to_vec())));
    }

    /// Shows another digit capsule.
    pub fn show(&self, shown: Shown) {
        if self.shown.get_untracked() != shown {
            self.straighten();
            self.shown.set(shown);
        }
    }

    /// Lets another network read.
    pub fn read_with(&self, session: Session, network: Network) {
        if self.network.get_untracked() != network {
            self.straighten();
            session.forget_reading();
            self.pinned.set(None);
            self.hovered.set(None);
            self.network.set(network);
        }
    }

    /// Routes with another number of iterations; who looked at the last one still does.
    pub fn route(&self, iterations: u8) {
        let was_last = self.iteration.get_untracked() >= self.iterations.get_untracked();
        self.playing.set(false);
        self.iterations.set(iterations);
        self.iteration.update(|shown| *shown = if was_last { iterations } else { (*shown).min(iterations) });
    }

    /// Moves one dimension of the pose to an offset, and sweeps that one.
    pub fn bend(&self, dimension: usize, offset: f32) {
        self.dimension.set(Some(dimension));
        self.offsets.update(|offsets| offsets[dimension] = offset);
    }

    /// Takes all offsets back.
    pub fn straighten(&self) {
        if self.offsets.with_untracked(|offsets| offsets.iter().any(|offset| *offset != 0.0)) {
            self.offsets.set(vec![0.0; DIMENSIONS]);
        }
    }

    /// Another digit comes into view: it starts with its own pose.
    fn afresh(&self) {
        self.scene.update_value(|scene| *scene = scene.wrapping_add(1));
        // The digit that the page opens with comes with the pose of its address.
        if !self.untouched.get_untracked() {
            self.straighten();
        }
    }
}

/// A digit as the network takes it.
fn moved(digit: &Arc<Vec<f32>>, transform: Transform) -> Arc<Vec<f32>> {
    if transform == Transform::IDENTITY { digit.clone() } else { Arc::new(transform.apply(digit, SIDE)) }
}

/// Bytes of a digit.
pub const DIGIT_BYTES: usize = 784;
