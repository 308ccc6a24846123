//! One operation as a plan of its own, with numbers that suit it.

use super::{Finding, TOLERANCE, distance};
use crate::exec::{Device, ExecError, Loaded, cpu};
use crate::plan::{
    Access, Builder, Call, Chosen, Content, Extent, Kernel, LEDGER_ROWS, Operation, Phase, Port, Role, Run, TensorId,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Checks one operation with one image, and with seven where there is room for nine; with ordinary, large, tiny and no
/// numbers; replacing and accumulating; and with every number of routing iterations that it takes.
///
/// # Errors
/// If the device is lost or refuses something.
pub async fn operation(device: &Device, operation: Arc<dyn Operation>, seed: u64) -> Result<Vec<Finding>, ExecError> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut findings = vec![];
    for kernel in operation.kernels() {
        let pinned: Arc<dyn Operation> = Arc::new(Pinned { operation: operation.clone(), kernel });
        for (capacity, live) in [(1, 1), (9, 7)] {
            let mut bench = Bench::new(device, &pinned, capacity).await?;
            for case in cases(&*operation, live, &mut random) {
                findings.extend(bench.compare(case, &mut random).await?);
            }
        }
    }
    Ok(findings)
}

/// An operation with only one of its kernels.
#[derive(Debug)]
struct Pinned {
    operation: Arc<dyn Operation>,
    kernel: Kernel,
}

impl Operation for Pinned {
    fn name(&self) -> &'static str {
        self.operation.name()
    }

    fn ports(&self) -> Vec<Port> {
        self.operation.ports()
    }

    fn kernel(&self) -> Kernel {
        self.kernel.clone()
    }

    fn most_iterations(&self) -> Option<usize> {
        self.operation.most_iterations()
    }

    fn flops(&self, live: usize) -> u64 {
        self.operation.flops(live)
    }

    fn twin(&self, call: Call<'_, f32>) {
        self.operation.twin(call);
    }

    fn twin_double(&self, call: Call<'_, f64>) {
        self.operation.twin_double(call);
    }
}

/// How large the numbers are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Magnitude {
    /// About 1.
    Ordinary,
    /// 0.
    Zero,
    /// Votes up to 100, others up to 10, times this.
    Large {
        /// 1 unless that is ill-conditioned.
        shrunk: f32,
    },
    /// About 1e-20, whose squares are subnormal.
    Tiny,
}

const LARGE: Magnitude = Magnitude::Large { shrunk: 1.0 };

#[derive(Clone, Copy)]
struct Case {
    magnitude: Magnitude,
    run: Run,
}

fn cases(operation: &dyn Operation, live: usize, random: &mut ChaCha8Rng) -> Vec<Case> {
    let most = operation.most_iterations().unwrap_or(3);
    let mut cases = vec![];
    for magnitude in [Magnitude::Ordinary, Magnitude::Zero, LARGE, Magnitude::Tiny] {
        for (accumulate, chosen) in [(0, Chosen::Label), (1, Chosen::Longest), (0, Chosen::Class(0))] {
            cases.push(Case { magnitude, run: some_run(live, most.min(3), chosen, accumulate, random) });
        }
    }
    for iterations in (1..=most).filter(|_| operation.most_iterations().is_some()) {
        for magnitude in [Magnitude::Ordinary, LARGE] {
            cases.push(Case { magnitude, run: some_run(live, iterations, Chosen::Label, 0, random) });
        }
    }
    cases
}

fn some_run(live: usize, iterations: usize, chosen: Chosen, accumulate: u32, random: &mut ChaCha8Rng) -> Run {
    Run {
        accumulate,
        row: random.random_range(0..LEDGER_ROWS as u32),
        // A chunk of a larger batch.
        total: 2.5 * live as f32,
        rate: 1e-3,
        first_correction: 0.19,
        second_correction: 2e-3,
        ..Run::new(live, iterations, chosen)
    }
}

/// Numbers that suit a port. Those of one magnitude are within a factor of four, so that none is lost beside another.
fn numbers(port: &Port, count: usize, magnitude: Magnitude, random: &mut ChaCha8Rng) -> Vec<f32> {
    let draw = |random: &mut ChaCha8Rng| {
        let size: f32 = random.random_range(0.25..=1.0);
        match magnitude {
            Magnitude::Zero => 0.0,
            Magnitude::Ordinary => size,
            // Few digits and a power of two: the squares are exact even where they are subnormal.
            Magnitude::Tiny => (size * 128.0).round() / 128.0 * 2.0_f32.powi(-66),
            Magnitude::Large { shrunk } if port.name == "votes" => 100.0 * shrunk * size,
            Magnitude::Large { shrunk } => 10.0 * shrunk * size,
        }
    };
    let mut number = || match port.content {
        Content::Any if random.random() => draw(random),
        Content::Any => -draw(random),
        Content::NotNegative => draw(random),
        Content::Unit if matches!(magnitude, Magnitude::Large { .. }) => draw(random) / 10.0,
        Content::Unit => draw(random),
        Content::Class(classes) => random.random_range(0..classes) as f32,
    };
    (0..count).map(|_| number()).collect()
}

/// Numbers whose roundings move the outcome by more than this say little about a device: votes of 100 and ten iterations
/// make logits of thousands, and their last digits decide near ties.
const WELL_CONDITIONED: f64 = TOLERANCE / 10.0;

/// How often numbers are drawn anew in search of such as are well-conditioned.
const DRAWS: i32 = 20;

/// By how much large numbers shrink each time.
const SHRINK: f32 = 0.8;

/// A few roundings of single precision, relative.
const ROUNDING: f64 = 5e-7;

/// One operation as a plan of its own, on the device and on the CPU in both precisions.
struct Bench {
    operation: Arc<dyn Operation>,
    ports: Vec<(Port, TensorId)>,
    device: Loaded,
    twin: cpu::Loaded<f32>,
    exact: cpu::Loaded<f64>,
}

impl Bench {
    async fn new(device: &Device, operation: &Arc<dyn Operation>, capacity: usize) -> Result<Self, ExecError> {
        let mut builder = Builder::new("check", capacity);
        let ports: Vec<(Port, TensorId)> = operation
            .ports()
            .into_iter()
            .map(|port| {
                let role = if port.is_written() { Role::Output } else { Role::Input };
                let tensor = match port.extent {
                    Extent::PerImage(each) => builder.per_image(role, port.name, &[each]),
                    Extent::Fixed(all) => builder.fixed(role, port.name, &[all]),
                };
                (port, tensor)
            })
            .collect();
        let of = |written: bool| {
            let chosen = ports.iter().filter(move |(port, _)| port.is_written() == written);
            chosen.map(|&(_, tensor)| tensor).collect::<Vec<TensorId>>()
        };
        builder.step_of(Phase::Forward, "check", operation.clone(), &of(false), &of(true));
        let plan = Arc::new(
            builder
                .build()
                .map_err(|error| ExecError::Refused { what: operation.name().into(), why: error.to_string() })?,
        );
        let (twin, exact) = (cpu::Loaded::new(plan.clone()), cpu::Loaded::new(plan.clone()));
        let device = device.load(plan, &device.allocate(0, false)?).await?;
        Ok(Bench { operation: operation.clone(), ports, device, twin, exact })
    }

    /// Runs a case on the device and by the twin; what is written starts from the same numbers, so that what must be left
    /// alone shows.
    async fn compare(&mut self, mut case: Case, random: &mut ChaCha8Rng) -> Result<Vec<Finding>, ExecError> {
        let values = self.draw_well(&mut case, random);
        self.run_twin(&values, &case.run);
        for ((_, tensor), values) in self.ports.iter().zip(&values) {
            self.device.write(*tensor, values);
        }
        self.device.run(&case.run, 0..1)?;
        let subject = format!("{} {}", self.operation.name(), self.operation.kernel().variant);
        let subject = subject.trim_end().to_string();
        let mut findings = vec![];
        for (port, tensor) in self.ports.iter().filter(|(port, _)| port.is_written()) {
            let twin = self.twin.tensor(*tensor);
            let device = self.device.read(*tensor, twin.len()).await?;
            let live = port.extent.elements(case.run.live as usize);
            let is_left_alone = twin[live..] == device[live..];
            findings.push(Finding {
                subject: subject.clone(),
                tensor: port.name.into(),
                case: format!("{:?}, {:?} numbers, {:?}", self.operation, case.magnitude, case.run),
                error: if is_left_alone { distance(&twin[..live], &device[..live]) } else { f64::INFINITY },
            });
        }
        Ok(findings)
    }

    /// Numbers for every port; of large ones the first that are well-conditioned, or the best of [`DRAWS`].
    fn draw_well(&mut self, case: &mut Case, random: &mut ChaCha8Rng) -> Vec<Vec<f32>> {
        let (mut best, mut least) = (self.draw(case, random), f64::INFINITY);
        if case.magnitude != LARGE {
            return best;
        }
        for attempt in 0..DRAWS {
            let now = Case { magnitude: Magnitude::Large { shrunk: SHRINK.powi(attempt) }, ..*case };
            let values = self.draw(&now, random);
            let strays = self.strays(&values, &now.run, random);
            if strays < least {
                (best, least, *case) = (values, strays, now);
            }
            if least <= WELL_CONDITIONED {
                break;
            }
        }
        best
    }

    fn draw(&self, case: &Case, random: &mut ChaCha8Rng) -> Vec<Vec<f32>> {
        let of_port = |(port, tensor): &(Port, TensorId)| {
            let magnitude = if port.access == Access::Write { Magnitude::Ordinary } else { case.magnitude };
            numbers(port, self.twin.tensor(*tensor).len(), magnitude, random)
        };
        self.ports.iter().map(of_port).collect()
    }

    fn run_twin(&mut self, values: &[Vec<f32>], run: &Run) {
        for ((_, tensor), values) in self.ports.iter().zip(values) {
            self.twin.tensor_mut(*tensor).copy_from_slice(values);
        }
        self.twin.step(&mut cpu::Store::default(), run, 0);
    }

    /// How far roundings move the outcome: those of the twin in single precision, and a few more in what it reads.
    fn strays(&mut self, values: &[Vec<f32>], run: &Run, random: &mut ChaCha8Rng) -> f64 {
        self.run_twin(values, run);
        let spreads = [0.0, ROUNDING, ROUNDING];
        spreads.into_iter().fold(0.0, |worst: f64, spread| {
            worst.max(self.strays_if(values, run, || random.random_range(-spread..=spread)))
        })
    }

    fn strays_if(&mut self, values: &[Vec<f32>], run: &Run, mut rounding: impl FnMut() -> f64) -> f64 {
        for ((port, tensor), values) in self.ports.iter().zip(values) {
            let is_read = matches!(port.content, Content::Any | Content::NotNegative) && port.access == Access::Read;
            for (to, &value) in self.exact.tensor_mut(*tensor).iter_mut().zip(values) {
                *to = f64::from(value) * if is_read { 1.0 + rounding() } else { 1.0 };
            }
        }
        self.exact.step(&mut cpu::Store::default(), run, 0);
        let written = self.ports.iter().filter(|(port, _)| port.is_written());
        let strays = written.map(|(port, tensor)| {
            let live = port.extent.elements(run.live as usize);
            distance(&self.exact.tensor(*tensor)[..live], &self.twin.tensor(*tensor)[..live])
        });
        strays.fold(0.0, f64::max)
    }
}
