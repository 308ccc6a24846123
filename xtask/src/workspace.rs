//! Where things are, and which versions the repository asks for.

use anyhow::{Context, Result, bail};
use semver::{Version, VersionReq};
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The checkout that xtask works on.
pub struct Workspace {
    /// The folder that holds Cargo.toml and Trunk.toml.
    pub root: PathBuf,
    /// The git-ignored folder for the tools that had to be built here.
    pub tools: PathBuf,
}

impl Workspace {
    /// Finds the checkout through the variable that cargo sets for `cargo run`, so that a moved or copied target
    /// folder never leads to another checkout.
    pub fn locate() -> Result<Self> {
        let package = env::var_os("CARGO_MANIFEST_DIR")
            .map(PathBuf::from)
            .context("xtask does not know which checkout it belongs to: start it as `cargo xtask`")?;
        let root = package.parent().context("xtask's package has no parent folder")?.to_path_buf();
        let tools = root.join(env::var_os("CAPSCOPE_TOOLS").unwrap_or_else(|| ".tools".into()));
        Ok(Self { root, tools })
    }

    /// Where `cargo install --root` puts the programs.
    pub fn tools_bin(&self) -> PathBuf {
        self.tools.join("bin")
    }

    /// The folder that a static host serves.
    pub fn public(&self) -> PathBuf {
        self.root.join("public")
    }

    /// The folder of the browser tests.
    pub fn end_to_end(&self) -> PathBuf {
        self.root.join("tests/e2e")
    }

    /// The version of `package` that Cargo.lock pins.
    pub fn locked_version(&self, package: &str) -> Result<Version> {
        locked_version(&read(&self.root.join("Cargo.lock"))?, package)
    }

    /// The versions of trunk that Trunk.toml accepts.
    pub fn trunk_requirement(&self) -> Result<VersionReq> {
        trunk_requirement(&read(&self.root.join("Trunk.toml"))?)
    }

    /// The oldest rustc that the workspace accepts.
    pub fn minimum_rust(&self) -> Result<Version> {
        minimum_rust(&read(&self.root.join("Cargo.toml"))?)
    }
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}

fn locked_version(lockfile: &str, package: &str) -> Result<Version> {
    let lockfile: toml::Table = lockfile.parse().context("Cargo.lock is not valid TOML")?;
    let packages = lockfile.get("package").and_then(toml::Value::as_array).context("Cargo.lock lists no package")?;
    let versions: Vec<&str> = packages
        .iter()
        .filter(|entry| entry.get("name").and_then(toml::Value::as_str) == Some(package))
        .filter_map(|entry| entry.get("version").and_then(toml::Value::as_str))
        .collect();
    match versions[..] {
        [version] => {
            Version::parse(version).with_context(|| format!("Cargo.lock gives {package} the version {version}"))
        }
        [] => bail!("Cargo.lock does not list {package}: run `cargo update --workspace` and commit the file"),
        _ => bail!("Cargo.lock lists {package} in several versions ({}): pin one in Cargo.toml", versions.join(", ")),
    }
}

fn trunk_requirement(trunk_toml: &str) -> Result<VersionReq> {
    let table: toml::Table = trunk_toml.parse().context("Trunk.toml is not valid TOML")?;
    let text = table.get("trunk-version").and_then(toml::Value::as_str).context("Trunk.toml has no trunk-version")?;
    VersionReq::parse(text).with_context(|| format!("Trunk.toml's trunk-version is {text:?}"))
}

fn minimum_rust(cargo_toml: &str) -> Result<Version> {
    let table: toml::Table = cargo_toml.parse().context("Cargo.toml is not valid TOML")?;
    let text = table
        .get("workspace")
        .and_then(|workspace| workspace.get("package"))
        .and_then(|package| package.get("rust-version"))
        .and_then(toml::Value::as_str)
        .context("Cargo.toml has no workspace.package.rust-version")?;
    parse_version(text).with_context(|| format!("Cargo.toml's rust-version is {text:?}"))
}

/// The first version number in a program's `--version` line, such as 1.96.0 in `rustc 1.96.0 (ac68faa20 2026-05-25)`.
/// A missing third part counts as zero.
pub fn parse_version(text: &str) -> Option<Version> {
    text.split_whitespace().find_map(|word| {
        let word = word.trim_start_matches('v');
        Version::parse(word).or_else(|_| Version::parse(&format!("{word}.0"))).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCKFILE: &str = r#"
        version = 4
        [[package]]
        name = "wasm-bindgen"
        version = "0.2.130"
        [[package]]
        name = "wasm-bindgen-macro"
        version = "0.2.131"
        [[package]]
        name = "rand"
        version = "0.9.1"
        [[package]]
        name = "rand"
        version = "0.10.2"
    "#;

    #[test]
    fn the_locked_version_is_that_of_the_package_of_exactly_this_name() {
        assert_eq!(locked_version(LOCKFILE, "wasm-bindgen").unwrap(), Version::new(0, 2, 130));
    }

    #[test]
    fn a_package_locked_twice_or_not_at_all_is_an_error_that_names_it() {
        let twice = locked_version(LOCKFILE, "rand").unwrap_err().to_string();
        assert!(twice.contains("rand") && twice.contains("0.9.1, 0.10.2"), "{twice}");
        let missing = locked_version(LOCKFILE, "wgpu").unwrap_err().to_string();
        assert!(missing.contains("wgpu"), "{missing}");
    }

    #[test]
    fn versions_are_found_in_what_programs_print() {
        let found = |text| parse_version(text).map(|version| version.to_string());
        assert_eq!(
            found("rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)").as_deref(),
            Some("1.96.0")
        );
        assert_eq!(found("trunk 0.21.14\n").as_deref(), Some("0.21.14"));
        assert_eq!(found("v20.20.2").as_deref(), Some("20.20.2"));
        assert_eq!(found("1.88").as_deref(), Some("1.88.0"));
        assert_eq!(found("no number here"), None);
    }

    #[test]
    fn the_repository_states_its_own_requirements() {
        let workspace = Workspace::locate().unwrap();
        assert!(workspace.trunk_requirement().is_ok());
        assert!(workspace.minimum_rust().unwrap() >= Version::new(1, 85, 0));
        assert_eq!(workspace.locked_version("wasm-bindgen").unwrap().major, 0);
    }
}
