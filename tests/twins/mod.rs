//! What the tests of numbers share: single operations and whole plans on the CPU in either precision, with plain f64
//! outside, and the data that ships.
#![allow(dead_code, reason = "each test program uses its own part")]

use capscope::capsnet::{Config, Layout, Purpose, plan};
use capscope::data::{Dataset, MnistSplit, Random};
use capscope::exec::cpu::{Loaded, Precision, Store};
use capscope::plan::{Access, Call, Chosen, Operation, Phase, Plan, Role, Run, Step};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Calls an operation's twin: `reads` in the order of its reading ports; what it writes, for the images present. What it
/// overwrites is full of NaN before, what it adds to is 0.
pub fn call<T: Precision>(operation: impl Operation + 'static, run: &Run, reads: &[&[f64]]) -> Vec<Vec<f64>> {
    let written = operation.ports().into_iter().filter(|port| port.is_written());
    let before = written.map(|port| {
        let fill = if port.access == Access::Write { f64::NAN } else { 0.0 };
        vec![fill; port.extent.elements(run.live as usize)]
    });
    let before = before.collect();
    call_on::<T>(Arc::new(operation), run, reads, before)
}

/// [`call`] on what is already there.
pub fn call_on<T: Precision>(
    operation: Arc<dyn Operation>,
    run: &Run,
    reads: &[&[f64]],
    writes: Vec<Vec<f64>>,
) -> Vec<Vec<f64>> {
    let typed = |values: &[f64]| values.iter().map(|&x| T::of(x)).collect::<Vec<T>>();
    let reads: Vec<Vec<T>> = reads.iter().map(|values| typed(values)).collect();
    let mut writes: Vec<Vec<T>> = writes.iter().map(|values| typed(values)).collect();
    let step = Step { name: String::new(), phase: Phase::Forward, operation, reads: vec![], writes: vec![] };
    T::twin(
        &step,
        Call {
            run,
            reads: reads.iter().map(Vec::as_slice).collect(),
            writes: writes.iter_mut().map(Vec::as_mut_slice).collect(),
        },
    );
    writes.into_iter().map(doubles).collect()
}

fn doubles<T: Precision>(values: Vec<T>) -> Vec<f64> {
    values.into_iter().map(T::double).collect()
}

/// A network's plan with parameters, on the CPU.
pub struct Subject<T> {
    pub layout: Layout,
    pub plan: Arc<Plan>,
    pub loaded: Loaded<T>,
    pub store: Store<T>,
}

impl<T: Precision> Subject<T> {
    pub fn new(config: &Config, purpose: Purpose, capacity: usize, parameters: &[f32]) -> Self {
        config.check().expect("a network");
        let layout = Layout::new(config);
        let plan = Arc::new(plan(config, purpose, capacity).expect("a plan"));
        let mut store = Store::new(layout.elements, true);
        let flat = store.buffer_mut(Role::Parameters).iter_mut();
        flat.zip(parameters).for_each(|(to, &from)| *to = T::of(from.into()));
        Subject { layout, loaded: Loaded::new(plan.clone()), plan, store }
    }

    /// Writes the first elements of a tensor of the plan's own.
    pub fn write(&mut self, name: &str, values: &[f64]) {
        let id = self.plan.find(name).unwrap_or_else(|| panic!("the plan has no tensor {name}"));
        let tensor = self.loaded.tensor_mut(id).iter_mut();
        tensor.zip(values).for_each(|(to, &from)| *to = T::of(from));
    }

    /// Writes a batch.
    pub fn feed(&mut self, (pixels, labels): (&[f64], &[f64])) {
        self.write("pixels", pixels);
        self.write("labels", labels);
    }

    /// Runs the plan up to the end of a phase.
    pub fn run(&mut self, run: &Run, phase: Phase) {
        self.loaded.run(&mut self.store, run, 0..self.plan.end_of(phase));
    }

    /// Forward over `live` images.
    pub fn forward(&mut self, live: usize, iterations: usize, chosen: Chosen) {
        self.run(&Run::new(live, iterations, chosen), Phase::Forward);
    }

    /// A tensor of the plan's own, of so many images.
    pub fn tensor(&self, name: &str, images: usize) -> Vec<f64> {
        let id = self.plan.find(name).unwrap_or_else(|| panic!("the plan has no tensor {name}"));
        let (tensor, all) = (self.plan.tensor(id), self.loaded.tensor(id));
        let live = if tensor.per_image { all.len() / self.plan.capacity * images } else { all.len() };
        doubles(all[..live].to_vec())
    }

    /// The gradient of a parameter.
    pub fn gradient(&self, name: &str) -> Vec<f64> {
        let entry = self.layout.find(name).unwrap_or_else(|| panic!("the network has no {name}"));
        doubles(self.store.buffer(Role::Gradients)[entry.range()].to_vec())
    }
}

/// One half of MNIST as it ships.
pub fn mnist(split: MnistSplit) -> &'static Dataset {
    static TRAIN: OnceLock<Dataset> = OnceLock::new();
    static TEST: OnceLock<Dataset> = OnceLock::new();
    let once = if split == MnistSplit::TRAIN { &TRAIN } else { &TEST };
    once.get_or_init(|| {
        let file = |name: &str| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/mnist").join(name);
            std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        Dataset::from_idx(&file(split.images_file), &file(split.labels_file)).expect("MNIST")
    })
}

/// The first `count` images of a set, as a set of their own.
pub fn first_of(set: &Dataset, count: usize) -> Dataset {
    let header = |dims: &[usize]| {
        let sizes = dims.iter().flat_map(|&size| (size as u32).to_be_bytes());
        [0, 0, 8, dims.len() as u8].into_iter().chain(sizes).collect::<Vec<u8>>()
    };
    let mut images = header(&[count, set.height(), set.width()]);
    (0..count).for_each(|image| images.extend(set.image(image)));
    let mut labels = header(&[count]);
    labels.extend(&set.labels()[..count]);
    Dataset::from_idx(&images, &labels).expect("a part of a set")
}

/// The first `count` images of the test set: pixels and labels.
pub fn test_images(count: usize) -> (Vec<f64>, Vec<f64>) {
    let set = mnist(MnistSplit::TEST);
    let pixels = (0..count).flat_map(|image| set.image_f32(image)).map(f64::from).collect();
    (pixels, set.labels()[..count].iter().map(|&label| label.into()).collect())
}

/// Standard normal numbers.
pub fn normals(random: &mut Random, count: usize) -> Vec<f64> {
    (0..count).map(|_| random.normal()).collect()
}

/// The largest difference of two equally long lists; infinite if one holds what is not a number.
pub fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "lists of different lengths");
    let each = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    each.fold(0.0, |most, d| if d.is_nan() { f64::INFINITY } else { most.max(d) })
}

/// ‖x‖.
pub fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
