//! The engine's loop: takes commands, runs slices of long jobs between them, and answers with snapshots.
//!
//! The newest exploration (drawing, slider, digit) goes first and supersedes older ones; then the other commands in
//! their order; then one slice of a pose's grid, a survey, a check, an evaluation, a comparison or training, about 20 ms on the CPU. So a stroke is answered while a large
//! network trains. The same loop runs in a page's worker and natively, behind [`Host`].

mod assets;
mod bench;
mod check;
mod compare;
mod device;
mod evaluation;
mod explore;
mod frame;
mod grid;
mod host;
mod inspect;
mod keep;
mod kernels;
mod material;
mod networks;
mod own;
mod slow;
mod structure;
mod survey;
mod training;

pub use host::{Host, Soon};

use crate::exec::Device;
use crate::protocol::{BenchRequest, Command, Exploration, Inspection, Network, Snapshot, SurveyRequest};
use assets::Assets;
use async_channel::{Receiver, Sender, TryRecvError, WeakSender};
use check::Check;
use compare::Comparison;
use evaluation::Evaluation;
use explore::Reader;
use grid::Grid;
use networks::Shipped;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use training::Training;

/// How long a slice may take on the CPU, in milliseconds.
const SLICE_MILLIS: f64 = 20.0;

/// What reaches the loop.
enum Event {
    /// From the page.
    Command(Command),
    /// A part of an asset has arrived: bytes so far and in all.
    Loading(assets::Asset, u32, u32),
    /// An asset has arrived, or cannot be had.
    Loaded(assets::Asset, Result<Vec<Vec<u8>>, String>),
    /// What was kept before a reload, or why nothing can be.
    Recalled(Result<keep::Found, String>),
    /// A state was written, or could not be.
    Kept(keep::Written),
    /// Another tab keeps its training now.
    KeptElsewhere,
    /// WebGPU has answered; with what is stored of the kernels found fastest before.
    Gpu(Result<Device, String>, Option<Vec<u8>>),
    /// The device is gone. Only wakes the loop, which looks for itself.
    Lost,
}

/// The page's end of the channel.
#[derive(Clone)]
pub struct Inbox(Sender<Event>);

impl Inbox {
    /// Hands a command to the engine.
    pub fn send(&self, command: Command) {
        // The channel is unbounded and closes only when the engine is gone; then nobody is left to tell.
        let _ = self.0.try_send(Event::Command(command));
    }
}

/// Networks, data and jobs.
pub struct Engine {
    host: Rc<dyn Host>,
    /// For work beside the loop. Weak, so that the engine ends when the page has let go of it.
    sender: WeakSender<Event>,
    events: Receiver<Event>,
    device: device::Choice,
    assets: Assets,
    shipped: HashMap<String, Shipped>,
    readers: HashMap<Network, Reader>,
    exploration: Option<Exploration>,
    latest: Option<Exploration>,
    /// The network whose reading the page was last sent, if it still shows it.
    shown: Option<Network>,
    /// What the page looks at beside the reading.
    inspection: Inspection,
    /// The digit capsule whose votes the page was last sent.
    votes_of: Option<usize>,
    commands: VecDeque<Command>,
    grid: Option<Grid>,
    surveys: Vec<SurveyRequest>,
    training: Option<Training>,
    keeper: keep::Keeper,
    slow: Option<slow::Slow>,
    /// Slow motion waits for the training set.
    slow_wanted: bool,
    /// An own set; `None`: MNIST.
    material: Option<own::Material>,
    evaluation: Option<Evaluation>,
    comparison: Option<Comparison>,
    check: Option<Check>,
    /// Benchmarks that are asked for.
    benches: VecDeque<BenchRequest>,
}

impl Engine {
    /// An engine on the CPU with nothing loaded.
    pub fn new(host: Rc<dyn Host>) -> (Self, Inbox) {
        let (sender, events) = async_channel::unbounded();
        let engine = Engine {
            host,
            sender: sender.downgrade(),
            events,
            device: device::Choice::default(),
            assets: Assets::default(),
            shipped: HashMap::new(),
            readers: HashMap::new(),
            exploration: None,
            latest: None,
            shown: None,
            inspection: Inspection::default(),
            votes_of: None,
            commands: VecDeque::new(),
            grid: None,
            surveys: vec![],
            training: None,
            keeper: keep::Keeper::default(),
            slow: None,
            slow_wanted: false,
            material: None,
            evaluation: None,
            comparison: None,
            check: None,
            benches: VecDeque::new(),
        };
        (engine, Inbox(sender))
    }

    /// Runs until every [`Inbox`] is gone.
    pub async fn run(mut self) {
        self.host.send(Snapshot::Ready(crate::protocol::BUILD.into()));
        loop {
            loop {
                match self.events.try_recv() {
                    Ok(event) => self.take(event).await,
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Closed) => return,
                }
            }
            if let Some(why) = self.device.loss() {
                self.recover(why).await;
            } else if let Some(exploration) = self.exploration.take() {
                self.explore(exploration).await;
            } else if let Some(command) = self.commands.pop_front() {
                self.obey(command).await;
            } else if self.can_bench() {
                self.bench().await;
            } else if self.grid.as_ref().is_some_and(Grid::goes_on) {
                self.grid_slice().await;
            } else if let Some(place) = self.next_survey() {
                self.survey_slice(place).await;
            } else if self.is_in_slow_motion() {
                self.slow_slice().await;
            } else if self.check.is_some() {
                self.check_slice().await;
            } else if self.evaluation.as_ref().is_some_and(Evaluation::goes_first) {
                self.evaluate_slice().await;
            } else if self.comparison.is_some() {
                self.compare_slice().await;
            } else if self.is_training() {
                self.train_slice().await;
            } else if self.evaluation.is_some() {
                self.evaluate_slice().await;
            } else {
                match self.events.recv().await {
                    Ok(event) => self.take(event).await,
                    Err(_) => return,
                }
                continue;
            }
            self.host.breathe().await;
        }
    }

    /// Sorts what has arrived. Commands wait for their turn; everything else is short.
    async fn take(&mut self, event: Event) {
        match event {
            Event::Command(Command::Explore(exploration)) => self.exploration = Some(exploration),
            Event::Command(Command::Ping) => self.host.send(Snapshot::Alive),
            Event::Command(command) => self.commands.push_back(command),
            Event::Loading(asset, done, all) => self.loading(asset, done, all),
            Event::Loaded(asset, outcome) => self.loaded(asset, outcome).await,
            Event::Recalled(outcome) => self.recalled(outcome).await,
            Event::Kept(written) => self.written(written),
            Event::KeptElsewhere => self.kept_elsewhere(),
            Event::Gpu(outcome, kernels) => self.gpu_answered(outcome, kernels).await,
            Event::Lost => {}
        }
    }

    async fn obey(&mut self, command: Command) {
        let Some(command) = self.unless_recalling(command) else { return };
        match command {
            // Both are taken out before.
            Command::Explore(exploration) => self.exploration = Some(exploration),
            Command::Ping => {}
            Command::Start(choice) | Command::UseDevice(choice) => self.choose_device(choice).await,
            Command::Inspect(inspection) => self.look_into(inspection).await,
            Command::SaveTrace => self.save_trace().await,
            Command::Survey(request) => self.ask_survey(request),
            Command::ReadPicture(bytes) => self.read_picture(&bytes),
            Command::TestDigits(places) => self.send_test_digits(places),
            Command::Gallery => self.send_gallery(),
            Command::Reset(settings) => self.reset_training(settings).await,
            Command::Train => self.train(false),
            Command::Step => self.train(true),
            Command::Pause => self.pause().await,
            Command::Restore => self.restore(false),
            Command::KeepHere => self.restore(true),
            Command::Keep => self.keep().await,
            Command::GoBack => self.go_back().await,
            Command::SlowNext => self.slow_next().await,
            Command::SlowEnd => self.slow_end(),
            Command::OwnSet(files) => self.use_own_set(files).await,
            Command::UseMnist => self.use_set(None).await,
            Command::SetRate(rate) => self.set_rate(rate),
            Command::Evaluate(network) => self.begin_evaluation(network).await,
            Command::Spread(network) => self.begin_spread(network).await,
            Command::CancelEvaluation => self.give_up_evaluation(),
            Command::Compare(network) => self.begin_comparison(network).await,
            Command::CancelComparison => self.give_up_comparison(),
            Command::Structure(preset) => self.send_structure(&preset),
            Command::Plan(network) => self.send_plan(network),
            Command::CheckDevice => self.begin_check(),
            Command::Bench(request) => self.begin_bench(request),
            Command::SaveWeights(network) => self.save_weights(network).await,
            Command::LoadWeights(bytes) => self.load_weights(bytes).await,
        }
    }

    /// Tells the page what has failed. What fails on a device that is gone is told once, when the device is replaced.
    fn problem(&self, problem: impl std::fmt::Display) {
        if self.device.loss().is_some() {
            return;
        }
        self.host.send(Snapshot::Problem(problem.to_string()));
    }

    /// A pause for slices: true once their time is up.
    fn deadline(&self) -> impl FnMut() -> bool + use<> {
        let (host, end) = (self.host.clone(), self.host.now() + SLICE_MILLIS);
        move || host.now() >= end
    }
}
