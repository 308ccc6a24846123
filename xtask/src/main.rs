//! `cargo xtask`: everything that a fresh machine needs to serve, build and test Capscope.
//!
//! Each subcommand installs what it misses, says what it does and never asks. What has to be built goes into `.tools/`
//! beside Cargo.toml (or where `CAPSCOPE_TOOLS` points), never into the user's own cargo folder.

mod bench;
mod environment;
mod install;
mod page;
mod process;
mod site;
mod stages;
mod workspace;

use clap::{Parser, Subcommand};
use std::{path::PathBuf, process::ExitCode};
use workspace::Workspace;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Serve, build and test Capscope on a machine that may have nothing but Rust")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the release page and serve it, rebuilding when a source changes
    Serve {
        /// The port on this machine's loopback address
        #[arg(long, default_value_t = 8080)]
        port: u16,
        /// Open the page in the default browser once it is built
        #[arg(long)]
        open: bool,
    },
    /// Build the release page into dist/
    Build,
    /// Build the release page and make public/ of it: what a static host serves, from any sub-path
    Dist {
        /// Take the page in dist/ as it is
        #[arg(long)]
        built: bool,
    },
    /// Run every check: format, lints, native tests, page build, browser tests
    Test {
        /// Only format, native lints and unit tests
        #[arg(long)]
        quick: bool,
    },
    /// Measure this machine, and with --peers TensorFlow.js and JAX in turn with it
    Bench {
        /// The folder of the rivals' programs (bench.mjs with its packages, bench_jax.py)
        #[arg(long)]
        peers: Option<PathBuf>,
        /// A Python that has jax and numpy, if not venv/bin/python in that folder
        #[arg(long)]
        python: Option<PathBuf>,
        /// Turns of each pair
        #[arg(long, default_value_t = 3)]
        rounds: u32,
        /// Networks
        #[arg(long, value_delimiter = ',', default_value = "tiny,compact,paper")]
        presets: Vec<String>,
    },
    /// Install what the other subcommands need, and do nothing else
    Setup,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = Workspace::locate().and_then(|workspace| match arguments.command {
        Command::Serve { port, open } => page::serve(&workspace, port, open),
        Command::Build => page::build(&workspace),
        Command::Dist { built: true } => site::package(&workspace),
        Command::Dist { built: false } => site::dist(&workspace),
        Command::Test { quick } => stages::test(&workspace, quick),
        Command::Bench { peers, python, rounds, presets } => {
            bench::bench(&workspace, &bench::Options { peers, python, rounds, presets })
        }
        Command::Setup => stages::setup(&workspace),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
