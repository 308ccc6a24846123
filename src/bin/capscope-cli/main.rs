//! `capscope-cli`: trains and inspects capsule networks natively, on the CPU or on a GPU.

#[cfg(not(target_arch = "wasm32"))]
mod bench;
#[cfg(not(target_arch = "wasm32"))]
mod compare;
#[cfg(not(target_arch = "wasm32"))]
mod files;
#[cfg(not(target_arch = "wasm32"))]
mod inspect;
#[cfg(not(target_arch = "wasm32"))]
mod kernels;
#[cfg(not(target_arch = "wasm32"))]
mod train;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    use clap::Parser;
    match cli::run(cli::Cli::parse()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("capscope-cli: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
mod cli {
    use crate::{bench, compare, inspect, kernels, train};
    use capscope::exec::{Device, gpu::Checks};
    use clap::{Parser, Subcommand, ValueEnum};
    use pollster::block_on;

    /// What goes wrong is a sentence for the person at the terminal.
    pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

    /// Test images that run at a time.
    pub const EVALUATED_AT_A_TIME: usize = 100;

    /// Train and inspect capsule networks.
    #[derive(Parser)]
    #[command(version, about)]
    pub struct Cli {
        /// Where to run: auto takes a hardware GPU if there is one
        #[arg(long, value_enum, default_value = "auto", global = true)]
        device: DeviceName,
        /// Kernels where an operation has several: `measured` (the fastest here), `guessed` (by the kind of device), or a
        /// name from the table that `bench` prints, such as 8x16
        #[arg(long, default_value = "measured", global = true)]
        kernels: String,
        #[command(subcommand)]
        command: Command,
    }

    #[derive(Clone, Copy, ValueEnum)]
    enum DeviceName {
        Auto,
        Gpu,
        Cpu,
    }

    #[derive(Subcommand)]
    enum Command {
        /// Train a network on MNIST; Ctrl-C saves
        Train(train::Arguments),
        /// Read all test images and count
        Eval(inspect::EvalArguments),
        /// Route the test images' votes by every procedure and number of iterations
        Compare(compare::Arguments),
        /// Write every iteration of one image's routing
        Trace(inspect::TraceArguments),
        /// Run a reference case: forward, backward and one Adam step
        Replay(inspect::ReplayArguments),
        /// Measure training, reading and each kernel beside the device's own ceilings
        Bench(bench::Arguments),
    }

    /// Runs a command.
    pub fn run(cli: Cli) -> Outcome {
        let device = device(cli.device)?;
        kernels::begin(&device, &cli.kernels);
        let outcome = match cli.command {
            Command::Train(arguments) => train::run(&device, &arguments),
            Command::Eval(arguments) => inspect::eval(&device, &arguments),
            Command::Compare(arguments) => compare::run(&device, &arguments),
            Command::Trace(arguments) => inspect::trace(&device, &arguments),
            Command::Replay(arguments) => inspect::replay(&device, &arguments),
            Command::Bench(arguments) => bench::run(&device, &arguments),
        };
        kernels::end(&device);
        outcome
    }

    fn device(name: DeviceName) -> Outcome<Device> {
        match name {
            DeviceName::Cpu => Ok(Device::Cpu),
            DeviceName::Gpu => Ok(block_on(Device::open_gpu(Checks::Dropped))?),
            DeviceName::Auto => Ok(match block_on(Device::open_gpu(Checks::Dropped)) {
                Ok(Device::Gpu(context)) if !context.adapter().is_software => Device::Gpu(context),
                _ => Device::Cpu,
            }),
        }
    }
}
