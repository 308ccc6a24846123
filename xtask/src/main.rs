//! `cargo xtask`: everything that a fresh machine needs to serve, build and test Capscope.
//!
//! Each subcommand installs what it misses, says what it does and never asks. What has to be built goes into `.tools/`
//! beside Cargo.toml (or where `CAPSCOPE_TOOLS` points), never into the user's own cargo folder.

mod environment;
mod install;
mod page;
mod process;
mod stages;
mod workspace;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
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
    /// Run every check: format, lints, native tests, page build, browser tests
    Test {
        /// Only format, native lints and unit tests
        #[arg(long)]
        quick: bool,
    },
    /// Install what the other subcommands need, and do nothing else
    Setup,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = Workspace::locate().and_then(|workspace| match arguments.command {
        Command::Serve { port, open } => page::serve(&workspace, port, open),
        Command::Build => page::build(&workspace),
        Command::Test { quick } => stages::test(&workspace, quick),
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
