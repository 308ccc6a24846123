//! What a step can do: the contract between plans, shaders and twins.

use super::Run;
use std::fmt::Debug;
use std::iter::Sum;
use std::ops::Add;

/// How an operation uses a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read only.
    Read,
    /// Written without regard to what was there.
    Write,
    /// May keep or add to what was there.
    Update,
}

/// How many elements a binding has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many for each image.
    PerImage(usize),
    /// So many in all.
    Fixed(usize),
}

impl Extent {
    /// Elements for `images` images.
    pub fn elements(self, images: usize) -> usize {
        match self {
            Extent::PerImage(each) => each * images,
            Extent::Fixed(all) => all,
        }
    }
}

/// What the numbers mean, so that tests can make valid ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Any finite number.
    Any,
    /// A number in [0, 1].
    Unit,
    /// Squares' mean: not negative.
    NotNegative,
    /// A class below the given count.
    Class(usize),
}

/// One binding of an operation. In a shader, bindings 1… of group 0 are the ports in order; binding 0 is [`Run`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// The variable's name in the shader.
    pub name: &'static str,
    /// How it is used.
    pub access: Access,
    /// How long it is.
    pub extent: Extent,
    /// What it holds.
    pub content: Content,
}

impl Port {
    const fn new(name: &'static str, access: Access, extent: Extent) -> Self {
        Port { name, access, extent, content: Content::Any }
    }

    /// A binding that is read.
    pub const fn read(name: &'static str, extent: Extent) -> Self {
        Port::new(name, Access::Read, extent)
    }

    /// A binding that is overwritten.
    pub const fn write(name: &'static str, extent: Extent) -> Self {
        Port::new(name, Access::Write, extent)
    }

    /// A binding that is added to or kept in part.
    pub const fn update(name: &'static str, extent: Extent) -> Self {
        Port::new(name, Access::Update, extent)
    }

    /// The same binding, holding `content`.
    pub const fn holding(self, content: Content) -> Self {
        Port { content, ..self }
    }

    /// True unless it is only read.
    pub fn is_written(&self) -> bool {
        self.access != Access::Read
    }
}

/// Work of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Floating-point operations, a multiply-add counted as two.
    pub flops: u64,
    /// Bytes (f32) read and written at least once.
    pub bytes: u64,
}

impl Add for Cost {
    type Output = Cost;
    fn add(self, other: Cost) -> Cost {
        Cost { flops: self.flops + other.flops, bytes: self.bytes + other.bytes }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::default(), Add::add)
    }
}

/// The bound tensors of one call of a twin: reads and writes in the order of the ports.
pub struct Call<'a, T> {
    /// What changes from run to run.
    pub run: &'a Run,
    /// The reading ports' elements.
    pub reads: Vec<&'a [T]>,
    /// The writing ports' elements.
    pub writes: Vec<&'a mut [T]>,
}

impl<'a, T> Call<'a, T> {
    /// Images present.
    pub fn live(&self) -> usize {
        self.run.live as usize
    }

    /// The bindings as arrays: `let ([x, weight], [y]) = call.split();`
    ///
    /// # Panics
    /// If the counts are not those of the operation's ports, which a built plan guarantees.
    pub fn split<const R: usize, const W: usize>(self) -> ([&'a [T]; R], [&'a mut [T]; W]) {
        let counts = (self.reads.len(), self.writes.len());
        match (self.reads.try_into(), self.writes.try_into()) {
            (Ok(reads), Ok(writes)) => (reads, writes),
            _ => panic!("a twin asked for {R} reads and {W} writes and was given {counts:?}"),
        }
    }
}

/// How a kernel is compiled and dispatched for an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// File stem in `shaders/`.
    pub shader: &'static str,
    /// `const NAME: u32` lines that the import step writes: sizes of local arrays and of the workgroup (`LANES`), since
    /// neither WGSL compiler takes an override there.
    pub consts: Vec<(&'static str, u32)>,
    /// `override` constants by name: shape numbers and factors.
    pub overrides: Vec<(&'static str, f64)>,
    /// Bytes of its `var<workgroup>`s.
    pub workgroup_bytes: usize,
    /// Workgroups to dispatch.
    pub grid: Grid,
    /// Which of the operation's kernels it is; empty if there is only one.
    pub variant: &'static str,
    /// True if it is of no use to hardware, but to adapters that compute on the processor.
    pub is_for_processors: bool,
}

impl Kernel {
    /// The most workgroup memory that WebGPU promises.
    pub const MOST_WORKGROUP_BYTES: usize = 16 << 10;

    /// A kernel with `lanes` invocations in a workgroup, which its shader calls `LANES`.
    pub fn new(shader: &'static str, lanes: usize, grid: Grid) -> Self {
        Kernel {
            shader,
            consts: vec![],
            overrides: vec![],
            workgroup_bytes: 0,
            grid,
            variant: "",
            is_for_processors: false,
        }
        .consts([("LANES", lanes)])
    }

    /// Adds sizes that must be known before the shader is compiled.
    pub fn consts<const N: usize>(mut self, consts: [(&'static str, usize); N]) -> Self {
        self.consts.extend(consts.map(|(name, value)| (name, value as u32)));
        self
    }

    /// Adds shape numbers.
    pub fn sizes<const N: usize>(mut self, sizes: [(&'static str, usize); N]) -> Self {
        self.overrides.extend(sizes.map(|(name, value)| (name, value as f64)));
        self
    }

    /// Adds factors.
    pub fn factors<const N: usize>(mut self, factors: [(&'static str, f32); N]) -> Self {
        self.overrides.extend(factors.map(|(name, value)| (name, value.into())));
        self
    }

    /// Adds a switch.
    pub fn switch(mut self, name: &'static str, is_on: bool) -> Self {
        self.overrides.push((name, is_on.into()));
        self
    }

    /// Adds `var<workgroup>` arrays of so many f32 each; WebGPU counts 16 bytes at a time.
    pub fn shares<const N: usize>(mut self, numbers: [usize; N]) -> Self {
        self.workgroup_bytes += numbers.map(|count| (4 * count).next_multiple_of(16)).iter().sum::<usize>();
        self
    }

    /// Gives it a name among the operation's kernels.
    pub fn named(self, variant: &'static str) -> Self {
        Kernel { variant, ..self }
    }

    /// Keeps it from hardware: no such device measures it.
    pub fn on_processors(self) -> Self {
        Kernel { is_for_processors: true, ..self }
    }

    /// Invocations in a workgroup.
    pub fn lanes(&self) -> u32 {
        self.consts.iter().find(|(name, _)| *name == "LANES").map_or(1, |&(_, lanes)| lanes)
    }
}

/// Workgroups of a dispatch: a line of them, wrapped over x and y since WebGPU takes 65 535 a dimension, in layers along z.
/// `place` in `shaders/shared/run.wgsl` is a workgroup's place on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// What the line covers, and how much of it one workgroup does.
    pub line: (Extent, usize),
    /// The same for the layers.
    pub layers: (Extent, usize),
}

impl Grid {
    /// The most workgroups in one dimension.
    pub const MOST: usize = 65_535;

    /// One layer, each workgroup doing `each` of the items.
    pub fn line(items: Extent, each: usize) -> Self {
        Grid { line: (items, each), layers: (Extent::Fixed(1), 1) }
    }

    /// The same line once for every `each` of `layers`.
    pub fn layers(self, layers: Extent, each: usize) -> Self {
        Grid { layers: (layers, each), ..self }
    }

    /// Workgroups along x, y, z for `live` images.
    pub fn workgroups(&self, live: usize) -> [usize; 3] {
        let groups = |(items, each): (Extent, usize)| items.elements(live).div_ceil(each);
        let line = groups(self.line);
        let rows = line.div_ceil(Self::MOST).max(1);
        [line.div_ceil(rows), rows, groups(self.layers)]
    }
}

/// Something a step does: its parameters, its ports, its cost, its kernel and its twin.
pub trait Operation: Debug + Send + Sync {
    /// The name of the operation, which is the stem of its shader.
    fn name(&self) -> &'static str;

    /// The bindings: first all that are read, then all that are written.
    fn ports(&self) -> Vec<Port>;

    /// How its shader is compiled and dispatched.
    fn kernel(&self) -> Kernel;

    /// All kernels that do it, [`Operation::kernel`] first: devices differ in which is fastest, never in what it does.
    fn kernels(&self) -> Vec<Kernel> {
        vec![self.kernel()]
    }

    /// The most routing iterations that a run may ask for; `None` if they are nothing to it.
    fn most_iterations(&self) -> Option<usize> {
        None
    }

    /// Floating-point operations for `live` images.
    fn flops(&self, live: usize) -> u64;

    /// The twin in single precision.
    fn twin(&self, call: Call<'_, f32>);

    /// The twin in double precision, for checking gradients.
    fn twin_double(&self, call: Call<'_, f64>);

    /// Work for `live` images: [`Operation::flops`], and the bytes of every binding once.
    fn cost(&self, live: usize) -> Cost {
        let bytes = self.ports().iter().map(|port| 4 * port.extent.elements(live) as u64).sum();
        Cost { flops: self.flops(live), bytes }
    }
}
