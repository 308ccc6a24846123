//! The GPU executor itself: what it refuses, what it frees, what it survives, and that its runs keep their order.

mod common;

use capscope::capsnet::{Config, Layout, Preset, Purpose, plan};
use capscope::exec::gpu::{Checks, Context, Tuning};
use capscope::exec::{Device, ExecError, Loaded, Store};
use capscope::ops::adam::Adam;
use capscope::plan::{
    Builder, Call, Chosen, Kernel, LEDGER_COLUMNS, LedgerColumn, Operation, Phase, Plan, Port, Role, Run, TensorId,
};
use capscope::train::initial_parameters;
use common::gpu;
use pollster::block_on;
use std::sync::Arc;

fn open(checks: Checks) -> Device {
    block_on(Device::open_gpu(checks)).unwrap_or_else(|error| panic!("{error}"))
}

fn context(device: &Device) -> &Context {
    match device {
        Device::Gpu(context) => context,
        Device::Cpu => panic!("a GPU was opened"),
    }
}

/// A network of random weights with a training plan, and pictures in it.
fn loaded(device: &Device, config: &Config, capacity: usize) -> (Store, Loaded, Arc<Plan>) {
    let parameters = initial_parameters(config, 3);
    let store = device.allocate(parameters.len(), true).unwrap_or_else(|error| panic!("{error}"));
    store.write(Role::Parameters, &parameters);
    let plan = Arc::new(plan(config, Purpose::Train, capacity).unwrap_or_else(|error| panic!("{error}")));
    let mut loaded = block_on(device.load(plan.clone(), &store)).unwrap_or_else(|error| panic!("{error}"));
    let find = |name| plan.find(name).expect("an input of every training plan");
    let pixels: Vec<f32> = (0..capacity * config.pixels()).map(|k| (k * 31 % 97) as f32 / 97.0).collect();
    let labels: Vec<f32> = (0..capacity).map(|k| (k % 10) as f32).collect();
    loaded.write(find("pixels"), &pixels);
    loaded.write(find("labels"), &labels);
    (store, loaded, plan)
}

fn run(live: usize) -> Run {
    Run { rate: 1e-3, first_correction: 0.1, second_correction: 1e-3, ..Run::new(live, 3, Chosen::Label) }
}

/// The parameters after one step of a batch, run in chunks.
fn trained(device: &Device, chunks: &[usize]) -> Vec<f32> {
    let (store, mut loaded, plan) = loaded(device, &Preset::Tiny.config(), 8);
    let total: usize = chunks.iter().sum();
    let backward_done = plan.end_of(Phase::Backward);
    for (index, &live) in chunks.iter().enumerate() {
        let chunk = Run { total: total as f32, accumulate: (index > 0).into(), ..run(live) };
        loaded.run(&chunk, 0..backward_done).unwrap_or_else(|error| panic!("{error}"));
    }
    loaded.run(&run(8), backward_done..plan.steps.len()).unwrap_or_else(|error| panic!("{error}"));
    block_on(store.read(Role::Parameters)).unwrap_or_else(|error| panic!("{error}"))
}

/// What the device says to a plan of a network that does not train.
fn refusal(plan: Plan) -> ExecError {
    let elements =
        plan.buffers.iter().find(|buffer| buffer.role == Role::Parameters).map_or(64, |buffer| buffer.elements);
    let store = gpu().allocate(elements, false).unwrap_or_else(|error| panic!("{error}"));
    let outcome = block_on(gpu().load(Arc::new(plan), &store));
    outcome.map(|_| ()).expect_err("a plan that cannot be loaded")
}

#[test]
fn a_step_gives_the_same_parameters_to_the_bit_each_time() {
    let first = trained(gpu(), &[8]);
    assert!(first.iter().all(|x| x.is_finite()));
    assert_eq!(first, trained(gpu(), &[8]));
    assert_eq!(trained(gpu(), &[5, 3]), trained(gpu(), &[5, 3]));
}

#[test]
fn dropped_checks_change_no_number() {
    assert_eq!(trained(gpu(), &[8]), trained(&open(Checks::Dropped), &[8]));
}

#[test]
fn runs_in_flight_each_see_their_own_block() {
    let (_store, mut loaded, plan) = loaded(gpu(), &Preset::Tiny.config(), 4);
    for row in 0..4 {
        let run = Run { row, ..run(row as usize + 1) };
        loaded.run(&run, 0..plan.end_of(Phase::Forward)).unwrap_or_else(|error| panic!("{error}"));
    }
    block_on(loaded.settle(1)).unwrap_or_else(|error| panic!("{error}"));
    let ledger = plan.find("ledger").expect("a training plan has one");
    let rows = block_on(loaded.read(ledger, 4 * LEDGER_COLUMNS)).unwrap_or_else(|error| panic!("{error}"));
    let images: Vec<f32> = rows.chunks(LEDGER_COLUMNS).map(|row| row[LedgerColumn::Images as usize]).collect();
    assert_eq!(images, [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_network_that_broke_has_no_finite_loss_and_reads_nothing_right() {
    let (_store, mut loaded, plan) = loaded(gpu(), &Preset::Tiny.config(), 8);
    for _ in 0..3 {
        let huge = Run { rate: 1e38, ..run(8) };
        loaded.run(&huge, 0..plan.steps.len()).unwrap_or_else(|error| panic!("{error}"));
    }
    let ledger = block_on(loaded.read(plan.find("ledger").expect("a training plan's"), LEDGER_COLUMNS));
    let row = ledger.unwrap_or_else(|error| panic!("{error}"));
    let [margin, correct] = [LedgerColumn::Margin, LedgerColumn::Correct].map(|column| row[column as usize]);
    println!("margin loss {margin}, {correct} of 8 right");
    assert!(!margin.is_finite() && correct == 0.0);
}

#[test]
fn a_kernel_is_measured_once_and_a_forced_one_is_taken() {
    let device = open(Checks::Kept);
    let context = context(&device);
    let config = Preset::Tiny.config();
    let step = plan(&config, Purpose::Train, 2).unwrap_or_else(|error| panic!("{error}"));
    let convolution = step.steps.iter().find(|step| step.name == "primary: conv_forward").expect("it is in every plan");
    let variant = || context.variant(&*convolution.operation, 2);
    assert_eq!(variant(), Some(if context.adapter().is_software { "rows" } else { "8x4" }), "guessed");
    context.set_tuning(Tuning::Measured);
    assert_eq!(variant(), None, "not measured yet");
    drop(loaded(&device, &config, 2));
    let found = context.choices();
    let several = step.steps.iter().filter(|step| step.operation.kernels().len() > 1).count();
    assert_eq!(found.len(), several, "every step that has several kernels: {found:?}");
    assert!(several >= 5, "convolutions, forward and backward, but no gradient of the pixels");
    assert!(found.values().any(|name| Some(name.as_str()) == variant()), "{found:?}");
    drop(loaded(&device, &config, 2));
    assert_eq!(context.choices(), found);
    for name in ["8x4", "8x16", "rows2", "rows"] {
        context.set_tuning(Tuning::Forced(name.into()));
        assert_eq!(variant(), Some(name));
        drop(loaded(&device, &config, 2));
    }
}

#[test]
fn buffers_are_counted_and_freed() {
    let device = open(Checks::Kept);
    let config = Preset::Tiny.config();
    let before = context(&device).counters();
    let (store, mut loaded, plan) = loaded(&device, &config, 4);
    let held = context(&device).counters();
    let flat = 4 * 4 * Layout::new(&config).elements;
    assert_eq!(held.bytes - before.bytes, (flat + plan.own_bytes() + size_of::<Run>()) as u64);
    loaded.run(&run(4), 0..plan.steps.len()).unwrap_or_else(|error| panic!("{error}"));
    let after = context(&device).counters();
    assert_eq!((after.dispatches - held.dispatches, after.submits - held.submits), (plan.steps.len() as u64, 1));
    drop((store, loaded));
    assert_eq!(context(&device).counters().bytes, 0);
}

#[test]
fn a_plan_too_large_for_a_binding_is_refused_with_the_figure() {
    let mut builder = Builder::new("wide", 1);
    builder.per_image(Role::Input, "pictures", &[40_000_000]);
    let refusal = refusal(builder.build().unwrap_or_else(|error| panic!("{error}")));
    let expected = ExecError::TooLarge { what: "pictures of plan wide".into(), bytes: 160_000_000, limit: 128 << 20 };
    assert_eq!(refusal, expected);
}

/// A kernel that lacks a constant.
#[derive(Debug)]
struct Broken(Adam);

impl Operation for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }
    fn ports(&self) -> Vec<Port> {
        self.0.ports()
    }
    fn kernel(&self) -> Kernel {
        Kernel { consts: vec![], ..self.0.kernel() }
    }
    fn flops(&self, live: usize) -> u64 {
        self.0.flops(live)
    }
    fn twin(&self, call: Call<'_, f32>) {
        self.0.twin(call);
    }
    fn twin_double(&self, call: Call<'_, f64>) {
        self.0.twin_double(call);
    }
}

#[test]
fn a_shader_that_does_not_compile_is_named_with_the_compilers_words_and_the_device_goes_on() {
    let mut builder = Builder::new("broken", 1);
    let tensors: Vec<TensorId> =
        ["g", "p", "m", "v"].into_iter().map(|name| builder.fixed(Role::Input, name, &[64])).collect();
    let adam = Adam { elements: 64, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };
    builder.step(Phase::Update, "test", Broken(adam), &tensors[..1], &tensors[1..]);
    match refusal(builder.build().unwrap_or_else(|error| panic!("{error}"))) {
        ExecError::Refused { what, why } => {
            assert_eq!(what, "the shader adam");
            assert!(why.contains("LANES"), "{why}");
        }
        other => panic!("{other}"),
    }
    assert!(trained(gpu(), &[8]).iter().all(|x| x.is_finite()));
}

#[test]
fn a_layer_too_large_for_workgroup_memory_is_refused_with_the_figure() {
    let mut config = Preset::Tiny.config();
    (config.routed[0].parents, config.routed[0].dims) = (200, 60);
    let plan = plan(&config, Purpose::Evaluate, 1).unwrap_or_else(|error| panic!("{error}"));
    let said = refusal(plan).to_string();
    assert!(said.contains("digit: routing_forward_dynamic") && said.contains("bytes of workgroup memory"), "{said}");
}

#[test]
fn a_network_that_does_not_train_has_no_training_plan() {
    let config = Preset::Tiny.config();
    let refusal = refusal(plan(&config, Purpose::Train, 1).unwrap_or_else(|error| panic!("{error}"))).to_string();
    assert!(refusal.contains("was not allocated to train"), "{refusal}");
}

#[test]
fn a_lost_device_says_so_from_then_on() {
    let device = open(Checks::Kept);
    let (store, mut loaded, plan) = loaded(&device, &Preset::Tiny.config(), 1);
    context(&device).destroy();
    let outcomes = [
        loaded.run(&run(1), 0..plan.steps.len()).err(),
        block_on(loaded.settle(0)).err(),
        block_on(store.read(Role::Parameters)).err(),
        device.allocate(64, false).err(),
        block_on(device.load(plan, &store)).err(),
    ];
    for outcome in outcomes {
        assert!(matches!(outcome, Some(ExecError::Lost(_))), "{outcome:?}");
    }
}
