//! Node, npm and the packages of the browser tests.

use super::{Setup, say};
use crate::{
    process::{ask, run},
    workspace::parse_version,
};
use anyhow::{Context, Result, bail};
use std::fs;

/// The oldest Node that the browser tests' packages run on.
const MINIMUM_NODE_MAJOR: u64 = 18;

/// Makes sure that tests/e2e/node_modules holds what its package-lock.json says.
pub fn ensure(setup: &mut Setup) -> Result<()> {
    if setup.native.find("node").is_none() || setup.native.find("npm").is_none() {
        setup.apt.ensure(&["nodejs", "npm"], "Node and npm are needed for the browser tests")?;
    }
    match ask(&setup.native, "node", &["--version"]).as_deref().and_then(parse_version) {
        Some(version) if version.major >= MINIMUM_NODE_MAJOR => {}
        Some(version) => {
            bail!("Node {version} is too old for the browser tests: install {MINIMUM_NODE_MAJOR} or newer")
        }
        None => bail!("`node --version` gives no version: install Node {MINIMUM_NODE_MAJOR} or newer"),
    }
    let folder = setup.workspace.end_to_end();
    let lock = folder.join("package-lock.json");
    let wanted = fs::read(&lock).with_context(|| format!("{} cannot be read", lock.display()))?;
    // npm ci deletes node_modules first, so that this copy is there only if npm ci came to its end.
    let installed = folder.join("node_modules/.capscope-lock.json");
    if fs::read(&installed).is_ok_and(|content| content == wanted) {
        return Ok(());
    }
    say("npm ci in tests/e2e (the installed packages are not those of package-lock.json)");
    run(&setup.native, &folder, "npm", &["ci", "--no-audit", "--no-fund"])?;
    fs::write(&installed, wanted).with_context(|| format!("{} cannot be written", installed.display()))
}
