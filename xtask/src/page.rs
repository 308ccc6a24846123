//! The release page: built into dist/, or built and served.

use crate::{
    install::{Need, Setup},
    process::run,
    workspace::Workspace,
};
use anyhow::Result;

/// Installs what the page takes and builds it into dist/.
pub fn build(workspace: &Workspace) -> Result<()> {
    run(&ready(workspace)?.wasm, &workspace.root, "trunk", &["build"])
}

/// Installs what the page takes, builds it and serves it until it is interrupted. Trunk.toml asks for the release
/// profile, so that this is the fast page.
pub fn serve(workspace: &Workspace, port: u16, open: bool) -> Result<()> {
    let port = port.to_string();
    let mut arguments = vec!["serve", "--port", &port];
    if open {
        arguments.push("--open");
    }
    run(&ready(workspace)?.wasm, &workspace.root, "trunk", &arguments)
}

fn ready(workspace: &Workspace) -> Result<Setup<'_>> {
    let mut setup = Setup::new(workspace);
    for need in Need::PAGE {
        setup.ensure(need)?;
    }
    Ok(setup)
}
