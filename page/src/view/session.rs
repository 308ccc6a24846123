//! The newest snapshots of the engine as signals, and the way to ask it for more.

use super::asked::Asked;
use super::bench::Benches;
use super::browser::{self, Colours};
use super::chosen::{Chosen, DIMENSIONS, SecondDigit, Source};
use super::compare::Comparisons;
use super::download;
use super::latency::Latency;
use super::link::Link;
use super::material::Refused;
use super::pulse::Pulse;
use super::speech;
use super::surveys::Surveys;
use super::training::Desk;
use crate::text::say;
use crate::{readout, text};
use capscope_protocol::{
    Checked, Command, CurvePoint, DeviceChoice, DeviceKind, DeviceStatus, Digits, Evaluation, Exploration, GridRow,
    Inspection, Layer, Network, NetworkStatus, Picture, PlanStep, Reading, Snapshot, Structure, TrainingSettings,
    TrainingState, TrainingStatus, Votes,
};
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How long the engine's program may take to start before the page says that something is wrong.
const PATIENCE: Duration = Duration::from_secs(20);

/// Something that the person should know, dismissible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Tells it from others.
    pub id: u32,
    /// A sentence.
    pub sentence: String,
    /// Whether a reload is the way out.
    pub reload: bool,
}

/// A network's training plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Whose.
    pub network: Network,
    /// Images a step.
    pub batch: u32,
    /// In order.
    pub steps: Vec<PlanStep>,
}

/// Everything that a component needs: what the engine has said, what the person has set, and a way to send commands.
#[derive(Clone, Copy)]
pub struct Session {
    link: StoredValue<Option<Link>, LocalStorage>,
    asked: StoredValue<Asked>,
    /// Benchmarks that are waited for.
    pub benches: Benches,
    /// What the person has set.
    pub chosen: Chosen,
    /// The colours in use.
    pub colours: Colours,
    /// The executor.
    pub device: RwSignal<Option<DeviceStatus>>,
    /// Networks that the engine holds.
    pub networks: RwSignal<Vec<NetworkStatus>>,
    /// The test digits that come with the page.
    pub gallery: RwSignal<Option<Arc<Digits>>>,
    /// The digit as it was read.
    pub reading: RwSignal<Option<Arc<Reading>>>,
    /// The pose in view, decoded.
    pub picture: RwSignal<Option<Arc<Picture>>>,
    /// The rows of the pose's grid, one for each dimension.
    pub grid: [RwSignal<Option<Arc<GridRow>>>; DIMENSIONS],
    /// Many readings at once.
    pub surveys: Surveys,
    /// Procedures compared over the test set.
    pub comparisons: Comparisons,
    /// Why the person's last file was not taken.
    pub refused: RwSignal<Option<Refused>>,
    /// How long the page takes.
    pub latency: Latency,
    /// What is looked at beside the reading.
    pub inspection: RwSignal<Inspection>,
    /// The votes for the digit capsule in view, while they are looked at.
    pub votes: RwSignal<Option<Arc<Votes>>>,
    /// The layers that are looked at, by name.
    pub layers: RwSignal<BTreeMap<String, Arc<Layer>>>,
    /// Training.
    pub training: RwSignal<Option<TrainingStatus>>,
    /// Every training step.
    pub curve: RwSignal<Vec<CurvePoint>>,
    /// Evaluations of the network in training, oldest first.
    pub evaluations: RwSignal<Vec<Evaluation>>,
    /// Test images read and in all while an evaluation runs.
    pub evaluating: RwSignal<Option<(u32, u32)>>,
    /// What else the training panel knows.
    pub desk: Desk,
    /// The plan last asked for.
    pub plan: RwSignal<Option<Arc<Plan>>>,
    /// What a network is made of, last asked for.
    pub structure: RwSignal<Option<Arc<Structure>>>,
    /// The last check of the device.
    pub checked: RwSignal<Option<Arc<Checked>>>,
    /// What went wrong and was not dismissed.
    pub problems: RwSignal<Vec<Problem>>,
    /// Whether the engine's program has started.
    pub started: RwSignal<bool>,
    /// Whether it still answers.
    pub pulse: Pulse,
}

/// The test digit that the page opens with: a five as most people write it, whose strokes bend both ways.
pub const OPENING: u32 = 15;

fn opening(digits: &Digits) -> usize {
    digits.indices.iter().position(|index| *index == OPENING).unwrap_or(0)
}

impl Session {
    /// Starts the engine and shows what the address says.
    pub fn start() -> Self {
        let chosen = Chosen::of_address(&browser::query());
        speech::start(chosen.language.get_untracked());
        let session = Session {
            link: StoredValue::new_local(None),
            asked: StoredValue::new(Asked::default()),
            benches: Benches::new(),
            chosen,
            colours: Colours::new(),
            device: RwSignal::new(None),
            networks: RwSignal::new(Vec::new()),
            gallery: RwSignal::new(None),
            reading: RwSignal::new(None),
            picture: RwSignal::new(None),
            grid: std::array::from_fn(|_| RwSignal::new(None)),
            surveys: Surveys::new(),
            comparisons: Comparisons::new(),
            refused: RwSignal::new(None),
            latency: Latency::new(),
            inspection: RwSignal::new(Inspection::default()),
            votes: RwSignal::new(None),
            layers: RwSignal::new(BTreeMap::new()),
            training: RwSignal::new(None),
            curve: RwSignal::new(Vec::new()),
            evaluations: RwSignal::new(Vec::new()),
            evaluating: RwSignal::new(None),
            desk: Desk::new(),
            plan: RwSignal::new(None),
            structure: RwSignal::new(None),
            checked: RwSignal::new(None),
            problems: RwSignal::new(Vec::new()),
            started: RwSignal::new(false),
            pulse: Pulse::new(),
        };
        let failed = move |sentence: String| session.report(sentence);
        session.link.set_value(Link::start(move |snapshot| session.receive(snapshot), failed));
        set_timeout(
            move || {
                if !session.started.get_untracked() && session.problems.with_untracked(Vec::is_empty) {
                    session.report(say!("banner.engine_silent"));
                }
            },
            PATIENCE,
        );
        super::explore::keep_exploring(session);
        super::explore::keep_spread(session);
        super::explore::keep_address(session);
        browser::when_hidden(move || session.send(&Command::Keep));
        super::surveys::keep_sweeping(session);
        super::pulse::keep_asking(session);
        session
    }

    /// Sends a command to the engine. Before the engine has started there is nobody to take it, and nothing is sent.
    pub fn send(&self, command: &Command) {
        if !self.started.get_untracked() {
            return;
        }
        let sent = self.link.with_value(|link| link.as_ref().map(|link| link.send(command)));
        if let Some(Err(cause)) = sent {
            self.report(text::engine_failed(&cause));
        }
    }

    /// Tells the person. The same sentence is not said twice at once.
    pub fn report(&self, sentence: String) {
        self.tell(sentence, false);
    }

    /// The same, with the offer to fetch the page anew.
    pub fn tell(&self, sentence: String, reload: bool) {
        self.problems.update(|problems| {
            if problems.iter().all(|problem| problem.sentence != sentence) {
                let id = problems.last().map_or(0, |problem| problem.id + 1);
                problems.push(Problem { id, sentence, reload });
            }
        });
    }

    /// Asks for pictures of what is in view.
    pub fn explore(&self, mut exploration: Exploration) {
        let scene = self.chosen.scene.get_value();
        self.asked.update_value(|asked| asked.ask(&mut exploration, scene));
        self.latency.asked(exploration.serial);
        self.send(&Command::Explore(exploration));
    }

    /// The status of a network, if the engine holds it.
    pub fn status_of(&self, network: &Network) -> Option<NetworkStatus> {
        self.networks.with(|networks| networks.iter().find(|status| status.network == *network).cloned())
    }

    /// Starts over with a new network in training.
    pub fn reset_training(&self, settings: TrainingSettings) {
        self.curve.set(Vec::new());
        self.evaluations.set(Vec::new());
        self.evaluating.set(None);
        self.send(&Command::Reset(settings));
    }

    /// Takes a problem back that is over.
    pub fn withdraw(&self, sentence: &str) {
        if self.problems.with_untracked(|problems| problems.iter().any(|problem| problem.sentence == sentence)) {
            self.problems.update(|problems| problems.retain(|problem| problem.sentence != sentence));
        }
    }

    fn receive(&self, snapshot: Snapshot) {
        self.pulse.heard(*self);
        match snapshot {
            Snapshot::Ready(build) if build == capscope_protocol::BUILD => self.greet(),
            Snapshot::Alive => {}
            // Whatever it would say further could be misread: it is not asked anything.
            Snapshot::Ready(_) => self.tell(say!("banner.versions_differ"), true),
            Snapshot::Device(status) => self.take_device(status),
            Snapshot::Network(status) => self.networks.update(|networks| {
                match networks.iter_mut().find(|known| known.network == status.network) {
                    Some(known) => *known = status,
                    None => networks.push(status),
                }
            }),
            Snapshot::Reading(reading) => self.take_reading(*reading),
            Snapshot::Picture(picture) => self.take_picture(*picture),
            Snapshot::Votes(votes) => {
                if self.asked.with_value(|asked| asked.picture_is_in_view(votes.serial, &self.chosen)) {
                    self.votes.set(Some(Arc::new(*votes)));
                }
            }
            Snapshot::Layers(layers) => {
                if self.asked.with_value(|asked| asked.reading_is_in_view(layers.serial, &self.chosen)) {
                    let named = layers.layers.into_iter().map(|layer| (layer.name.clone(), Arc::new(layer)));
                    self.layers.update(|known| known.extend(named));
                }
            }
            Snapshot::Trace(bytes) => {
                download::save(&self.file_name("trace", "safetensors"), download::SAFETENSORS, &bytes)
            }
            Snapshot::GridRow(row) => {
                let is_in_view = self.asked.with_value(|asked| asked.picture_is_in_view(row.serial, &self.chosen));
                if let Some(place) = self.grid.get(usize::from(row.dimension)).filter(|_| is_in_view) {
                    place.set(Some(Arc::new(row)));
                }
            }
            Snapshot::Surveyed(surveyed) => self.surveys.take(*surveyed),
            Snapshot::OwnPicture(Ok(own)) => {
                self.refused.set(None);
                self.chosen.take_own(own);
            }
            Snapshot::OwnPicture(Err(refusal)) => self.refused.set(Some(Refused::ByEngine(refusal))),
            Snapshot::Predictions(predictions) => self.surveys.take_predictions(predictions),
            Snapshot::Digits(digits) => self.take_digits(digits),
            Snapshot::Training(status) => self.training.set(Some(status)),
            Snapshot::History(points, evaluations) => {
                self.curve.set(points);
                self.desk.tested.set(evaluations.last().cloned());
                self.desk.batch.set(None);
                self.evaluations.set(evaluations);
            }
            Snapshot::Batch(batch) => self.desk.batch.set(Some(batch)),
            Snapshot::Slow(motion) => self.desk.take_phase(motion),
            Snapshot::Data(data) => self.desk.data.set(Some(data)),
            Snapshot::Keeping(keeping) => self.desk.keeping.set(Some(keeping)),
            Snapshot::Curve(points) => self.curve.update(|curve| {
                // A new network begins at step 0 again.
                let first = points.first().map_or(u64::MAX, |point| point.step);
                curve.truncate(curve.partition_point(|point| point.step < first));
                curve.extend(points);
            }),
            Snapshot::Evaluating(done, all) => self.evaluating.set((all > 0).then_some((done, all))),
            Snapshot::Evaluated(evaluation) => {
                self.evaluating.set(None);
                self.take_evaluation(evaluation);
            }
            Snapshot::Comparing(done, all) => self.comparisons.running.set((all > 0).then_some((done, all))),
            Snapshot::Compared(comparison) => self.comparisons.take(*comparison),
            Snapshot::Plan(network, batch, steps) => self.plan.set(Some(Arc::new(Plan { network, batch, steps }))),
            Snapshot::Structure(structure) => self.structure.set(Some(Arc::new(*structure))),
            Snapshot::Checked(checked) => self.checked.set(Some(Arc::new(checked))),
            Snapshot::Benched(serial, outcome) => self.benches.answered(serial, outcome),
            Snapshot::Weights(network, bytes) => {
                let name = match &network {
                    Network::Shipped(preset) => preset.as_str(),
                    Network::Yours => "trained",
                };
                download::save(&format!("capscope-{name}.safetensors"), download::SAFETENSORS, &bytes);
            }
            Snapshot::Problem(problem) => self.report(text::sentence(&problem)),
        }
    }

    /// A name for a file about the digit in view: what is in it, the digit, and the kind of file.
    pub fn file_name(&self, what: &str, ending: &str) -> String {
        let digit = match self.chosen.source.get_untracked() {
            Source::Test(index, _) => format!("test-digit-{index}"),
            Source::Drawn | Source::Blank => "drawing".into(),
            Source::Own { .. } => "own-picture".into(),
        };
        format!("capscope-{what}-{digit}-r{}.{ending}", self.chosen.iterations.get_untracked())
    }

    /// Forgets what was read; the pictures are empty until the engine has answered.
    pub fn forget_reading(&self) {
        self.reading.set(None);
        self.picture.set(None);
        self.votes.set(None);
        self.layers.update(BTreeMap::clear);
    }

    /// The engine listens now: which device, which digits.
    fn greet(&self) {
        self.started.set(true);
        self.send(&Command::Start(self.chosen.device.get_untracked()));
        self.send(&Command::Gallery);
        self.send(&Command::Restore);
        if let Some(digit) = self.chosen.wanted_digit.get_untracked() {
            self.send(&Command::TestDigits(vec![digit]));
        }
        if let Some(second) = self.chosen.wanted_second.get_value() {
            self.send(&Command::TestDigits(vec![second.digit]));
        }
    }

    fn take_device(&self, mut status: DeviceStatus) {
        if !status.reason.is_empty() {
            status.reason = text::sentence(&status.reason);
        }
        if status.settled {
            let kind = match status.kind {
                DeviceKind::Cpu => "cpu",
                DeviceKind::WebGpu => "webgpu",
            };
            browser::set_root_attribute("data-device", Some(kind));
        }
        self.device.set(Some(status));
    }

    fn take_reading(&self, reading: Reading) {
        if !readout::fits(&reading) {
            self.report(say!("banner.unfit_reading"));
        } else if self.asked.with_value(|asked| asked.reading_is_in_view(reading.serial, &self.chosen)) {
            self.latency.reading(reading.serial);
            // An address may name a capsule that this network does not have.
            let children = reading.sizes[0];
            if self.chosen.pinned.get_untracked().is_some_and(|pinned| pinned >= children) {
                self.chosen.pinned.set(None);
            }
            self.reading.set(Some(Arc::new(reading)));
        }
    }

    fn take_picture(&self, picture: Picture) {
        if self.asked.with_value(|asked| asked.picture_is_in_view(picture.serial, &self.chosen)) {
            self.latency.picture(picture.serial);
            self.picture.set(Some(Arc::new(picture)));
            // The picture is on the screen after the frame that is about to be drawn.
            request_animation_frame(|| {
                browser::set_root_attribute("data-ready", Some("inference"));
                super::offline::prepare();
            });
        }
    }

    fn take_digits(&self, digits: Digits) {
        let asked = self.chosen.wanted_digit.get_untracked();
        let place = asked.and_then(|asked| digits.indices.iter().position(|index| *index == asked));
        let nothing_yet = asked.is_none() && self.chosen.untouched.get_untracked();
        if let Some(place) = place.or_else(|| nothing_yet.then(|| opening(&digits))) {
            self.chosen.pick(&digits, place);
        }
        if let Some(second) = self.chosen.wanted_second.get_value()
            && let Some(at) = digits.indices.iter().position(|index| *index == second.digit)
        {
            self.chosen.wanted_second.set_value(None);
            self.chosen.second.set(SecondDigit::of(&digits, at, second));
        }
        if digits.indices.len() > 1 {
            self.gallery.set(Some(Arc::new(digits)));
        }
    }

    fn take_evaluation(&self, evaluation: Evaluation) {
        self.desk.tested.set(Some(evaluation.clone()));
        if evaluation.network == Network::Yours {
            self.evaluations.update(|evaluations| {
                evaluations.retain(|known| known.step < evaluation.step);
                evaluations.push(evaluation);
            });
        } else {
            self.networks.update(|networks| {
                if let Some(status) = networks.iter_mut().find(|status| status.network == evaluation.network) {
                    status.correct = Some(evaluation.correct);
                }
            });
        }
    }

    /// Steps that the network in training has done.
    pub fn steps_of_yours(&self) -> Option<u64> {
        self.training.with(|training| training.as_ref().map(|training| training.step))
    }

    /// What the network in training is tested on; before there is one, what is trained on and MNIST's single digits.
    pub fn tested_on(&self) -> text::Tested {
        let data = self.desk.data.get();
        text::Tested {
            pairs: self.training.with(|training| training.as_ref().is_some_and(|training| training.settings.pairs)),
            own: data.and_then(|data| Some((data.own?, data.test))),
        }
    }

    /// Whether steps are running or the training set is on its way.
    pub fn is_training(&self) -> bool {
        self.training.with(|training| {
            training.as_ref().is_some_and(|training| {
                matches!(training.state, TrainingState::Running | TrainingState::Waiting | TrainingState::Loading(..))
            })
        })
    }

    /// Asks for another executor.
    pub fn use_device(&self, device: DeviceChoice) {
        self.chosen.device.set(device);
        browser::set_root_attribute("data-device", None);
        self.send(&Command::UseDevice(device));
    }
}
