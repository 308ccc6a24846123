//! Installers, one file each. Each tries the ordinary way first, says in one line what it does instead and why, never
//! asks, and is quick when everything is there.

mod apt;
mod browser;
mod cargo_tool;
mod node;
#[cfg(target_os = "linux")]
mod vulkan;
mod wasm32;

use crate::{environment::Environment, workspace::Workspace};
use anyhow::Result;
use std::{env, path::PathBuf};

/// Something that a subcommand or a stage cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// std for wasm32, and a compiler that goes with it.
    Wasm32,
    /// clippy for the compiler of `Wasm32`.
    Wasm32Clippy,
    /// trunk, in a version that Trunk.toml accepts.
    Trunk,
    /// wasm-bindgen, in exactly the version of Cargo.lock.
    WasmBindgen,
    /// A Vulkan adapter for the native GPU tests (on Linux; elsewhere the system brings Metal or Direct3D).
    Vulkan,
    /// Node, npm and the packages of tests/e2e.
    NodePackages,
    /// A browser with WebGPU.
    Browser,
}

impl Need {
    /// What building the page takes.
    pub const PAGE: [Need; 3] = [Need::Wasm32, Need::Trunk, Need::WasmBindgen];

    /// A name for messages and for the summary.
    pub fn name(self) -> &'static str {
        match self {
            Need::Wasm32 => "std for wasm32",
            Need::Wasm32Clippy => "clippy for wasm32",
            Need::Trunk => "trunk",
            Need::WasmBindgen => "wasm-bindgen",
            Need::Vulkan => "a Vulkan adapter",
            Need::NodePackages => "the browser tests' packages",
            Need::Browser => "a browser",
        }
    }
}

/// What has been found or installed so far, and the environments that make it usable.
pub struct Setup<'a> {
    workspace: &'a Workspace,
    apt: apt::Apt,
    /// For native builds and tests: the user's own environment.
    pub native: Environment,
    /// For everything that compiles to wasm32, trunk included.
    pub wasm: Environment,
    /// The browser that the tests drive, once `Need::Browser` is met.
    pub browser: Option<PathBuf>,
}

impl<'a> Setup<'a> {
    /// Nothing looked for yet.
    pub fn new(workspace: &'a Workspace) -> Self {
        let mut wasm = Environment::default();
        wasm.add_path(workspace.tools_bin());
        if env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
            // trunk takes only true or false here and stops at the usual NO_COLOR=1.
            wasm.set("NO_COLOR", "true");
        }
        Self { workspace, apt: apt::Apt::default(), native: Environment::default(), wasm, browser: None }
    }

    /// Makes sure that `need` is met, installing it if it is not.
    pub fn ensure(&mut self, need: Need) -> Result<()> {
        match need {
            Need::Wasm32 => wasm32::ensure(self),
            Need::Wasm32Clippy => wasm32::ensure_clippy(self),
            Need::Trunk => cargo_tool::ensure_trunk(self),
            Need::WasmBindgen => cargo_tool::ensure_wasm_bindgen(self),
            #[cfg(target_os = "linux")]
            Need::Vulkan => vulkan::ensure(self),
            #[cfg(not(target_os = "linux"))]
            Need::Vulkan => Ok(()),
            Need::NodePackages => node::ensure(self),
            Need::Browser => browser::ensure(self),
        }
    }
}

/// Tells the user what is being done, on a line of its own.
fn say(text: &str) {
    println!("setup: {text}");
}
