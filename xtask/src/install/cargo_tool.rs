//! trunk and wasm-bindgen: those on PATH if their version is right, otherwise built from the crate registry.

use super::{Setup, say};
use crate::{
    environment::Environment,
    process::{ask, run},
    workspace::parse_version,
};
use anyhow::{Context, Result, bail};
use semver::{Comparator, Op, Version, VersionReq};
use std::fs;

/// The trunk that is built where none is found.
const TRUNK_VERSION: Version = Version::new(0, 21, 14);

/// Without the default features: no look for newer versions, and TLS without the system's OpenSSL headers.
const TRUNK_OPTIONS: [&str; 4] = ["--locked", "--no-default-features", "--features", "rustls"];

/// Makes sure of a trunk that Trunk.toml accepts.
pub fn ensure_trunk(setup: &mut Setup) -> Result<()> {
    let accepted = setup.workspace.trunk_requirement()?;
    Tool { program: "trunk", package: "trunk", version: TRUNK_VERSION, options: &TRUNK_OPTIONS }
        .ensure(setup, &accepted)
}

/// Makes sure of the wasm-bindgen of Cargo.lock: the program and the crate must be of one version. trunk would fetch
/// it by itself, but only from a host that not every machine reaches.
pub fn ensure_wasm_bindgen(setup: &mut Setup) -> Result<()> {
    let version = setup.workspace.locked_version("wasm-bindgen")?;
    let accepted = exactly(&version);
    // Not --locked: the lock file that the package carries does not resolve.
    Tool { program: "wasm-bindgen", package: "wasm-bindgen-cli", version, options: &[] }.ensure(setup, &accepted)
}

fn exactly(version: &Version) -> VersionReq {
    let Version { major, minor, patch, pre, .. } = version.clone();
    VersionReq { comparators: vec![Comparator { op: Op::Exact, major, minor: Some(minor), patch: Some(patch), pre }] }
}

struct Tool {
    program: &'static str,
    package: &'static str,
    version: Version,
    options: &'static [&'static str],
}

impl Tool {
    fn ensure(&self, setup: &Setup, accepted: &VersionReq) -> Result<()> {
        let found = self.found_version(&setup.wasm);
        if found.as_ref().is_some_and(|version| accepted.matches(version)) {
            return Ok(());
        }
        let cause = match found {
            Some(version) => format!("{} {version} is on PATH, but {accepted} is needed", self.program),
            None => format!("{} is not on PATH", self.program),
        };
        say(&format!("building {} {} into {} ({cause})", self.program, self.version, setup.workspace.tools.display()));
        self.build(setup)?;
        match self.found_version(&setup.wasm) {
            Some(version) if accepted.matches(&version) => Ok(()),
            _ => bail!(
                "{} was built but does not answer with version {accepted}: delete {} and start again",
                self.program,
                setup.workspace.tools.display()
            ),
        }
    }

    fn found_version(&self, environment: &Environment) -> Option<Version> {
        parse_version(&ask(environment, self.program, &["--version"])?)
    }

    /// Builds in the debug profile: a quarter of the time of a release build, and fast enough for the work.
    fn build(&self, setup: &Setup) -> Result<()> {
        let tools = &setup.workspace.tools;
        let build_folder = tools.join("build").join(self.package);
        let (root, target) = (tools.to_string_lossy(), build_folder.to_string_lossy());
        let version = self.version.to_string();
        let fixed = ["install", self.package, "--version", &version, "--debug", "--quiet", "--force"];
        let places = ["--root", &root, "--target-dir", &target];
        let mut environment = setup.native.clone();
        environment.set("CARGO_PROFILE_DEV_DEBUG", "0");
        // cargo install would otherwise end with the advice to put the project's folder on PATH.
        environment.add_path(setup.workspace.tools_bin());
        let arguments = [&fixed[..], &places[..], self.options].concat();
        run(&environment, &setup.workspace.root, "cargo", &arguments).with_context(|| {
            format!("{} could not be built: put {} {} on PATH", self.program, self.package, version)
        })?;
        // Kept until here so that an interrupted build goes on where it was; afterwards only a waste of disk.
        fs::remove_dir_all(&build_folder).with_context(|| format!("{} cannot be removed", build_folder.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    #[test]
    fn the_trunk_that_is_built_is_one_that_trunk_toml_accepts() {
        assert!(Workspace::locate().unwrap().trunk_requirement().unwrap().matches(&TRUNK_VERSION));
    }

    #[test]
    fn exactly_accepts_one_version_only() {
        let accepted = exactly(&Version::new(0, 2, 130));
        assert!(accepted.matches(&Version::new(0, 2, 130)));
        assert!(!accepted.matches(&Version::new(0, 2, 131)));
        assert!(!accepted.matches(&Version::new(0, 2, 129)));
        assert_eq!(accepted.to_string(), "=0.2.130");
    }
}
