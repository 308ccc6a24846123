//! `capscope-cli bench`: how fast this device is.

use crate::cli::Outcome;
use crate::files;
use capscope::bench::{Bench, table};
use capscope::data::MnistSplit;
use capscope::exec::Device;
use capscope::protocol::BenchRequest;
use clap::Args;
use pollster::block_on;
use std::path::PathBuf;
use std::time::Instant;

/// Arguments of `bench`.
#[derive(Args)]
pub struct Arguments {
    /// tiny, compact or paper
    #[arg(long, default_value = "compact", value_parser = ["tiny", "compact", "paper"])]
    preset: String,
    /// Images a training step
    #[arg(long, default_value_t = 32)]
    batch: u32,
    /// Timed training steps; 0: none
    #[arg(long, default_value_t = 10)]
    steps: u32,
    /// Timed readings of single images; 0: none
    #[arg(long, default_value_t = 20)]
    readings: u32,
    /// Steps, and readings, before the timed ones
    #[arg(long, default_value_t = 3)]
    warmup: u32,
    /// Leave out the table of kernels
    #[arg(long)]
    no_kernels: bool,
    /// Leave out the loop that does not wait and the one in chunks
    #[arg(long)]
    no_loops: bool,
    /// Images a chunk in the run that is split
    #[arg(long, default_value_t = 8)]
    chunk: usize,
    /// Folder with MNIST's four IDX files
    #[arg(long, default_value = "assets/mnist")]
    data: PathBuf,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// Measures and prints.
pub fn run(device: &Device, arguments: &Arguments) -> Outcome {
    let data = files::mnist(&arguments.data, &MnistSplit::TRAIN)?;
    let start = Instant::now();
    let now = || start.elapsed().as_secs_f64() * 1e3;
    let request = BenchRequest {
        serial: 0,
        preset: arguments.preset.clone(),
        batch: arguments.batch,
        steps: arguments.steps,
        readings: arguments.readings,
        warmup: arguments.warmup,
        kernels: !arguments.no_kernels,
        loops: !arguments.no_loops,
        // --kernels has seen to it.
        tile: String::new(),
    };
    let bench = Bench { device, data: &data, now: &now, chunk: &|_| arguments.chunk };
    let report = block_on(bench.run(&request))?;
    if arguments.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        print!("{}", table(&report));
    }
    Ok(())
}
