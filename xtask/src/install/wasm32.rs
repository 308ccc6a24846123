//! std for wasm32, from rustup or, where rustup cannot download, built from Debian's sources of std.

use super::{Setup, say};
use crate::{
    environment::Environment,
    process::{ask, run_quietly},
    workspace::parse_version,
};
use anyhow::{Result, bail};
use std::{path::Path, time::Duration};

const TARGET: &str = "wasm32-unknown-unknown";

/// rustup without a network may wait long; with one, std is here in a few seconds.
const RUSTUP_LIMIT: Duration = Duration::from_secs(90);

/// Debian's compiler for the web browsers that Debian builds: newer than its ordinary rustc, with the sources of std.
const DEBIAN_PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-22"];
const DEBIAN_BIN: &str = "/usr/bin";
const DEBIAN_STD_SOURCE: &str = "/usr/lib/rustlib/src/rust/library/std/Cargo.toml";
const DEBIAN_LINKER: &str = "wasm-ld-22";

/// Makes sure that the compiler in `setup.wasm` can build for wasm32.
pub fn ensure(setup: &mut Setup) -> Result<()> {
    if has_std(&setup.wasm) {
        return Ok(());
    }
    if debian_compiler_is_complete() {
        say("std for wasm32 is built with Debian's rustc, as its own rustc has none");
    } else {
        let Err(cause) = add_with_rustup(&setup.wasm) else { return Ok(()) };
        say(&format!("std for wasm32 will be built with Debian's rustc instead, since {cause:#}"));
        setup.apt.ensure(&DEBIAN_PACKAGES, "std for wasm32 is needed to build the page")?;
    }
    check_debian_version(setup)?;
    use_debian_compiler(&mut setup.wasm);
    Ok(())
}

/// Makes sure of the clippy that belongs to the compiler in `setup.wasm`; rustup brings its own with the toolchain.
pub fn ensure_clippy(setup: &mut Setup) -> Result<()> {
    ensure(setup)?;
    if has_std(&setup.wasm) {
        return Ok(());
    }
    setup.apt.ensure(&["rust-web-clippy"], "clippy of the same version as Debian's rustc is needed for wasm32")
}

/// Whether rustc, as found in this environment, comes with a compiled std for wasm32.
fn has_std(environment: &Environment) -> bool {
    ask(environment, "rustc", &["--print", "target-libdir", "--target", TARGET])
        .is_some_and(|folder| Path::new(&folder).is_dir())
}

fn add_with_rustup(environment: &Environment) -> Result<()> {
    if environment.find("rustup").is_none() {
        bail!("this rustc has no std for wasm32 and rustup is not on PATH");
    }
    say(&format!("rustup target add {TARGET}"));
    run_quietly(environment, "rustup", &["target", "add", TARGET], RUSTUP_LIMIT)?;
    if !has_std(environment) {
        bail!("rustup added std for wasm32 to a toolchain other than that of the rustc on PATH");
    }
    Ok(())
}

fn debian_compiler_is_complete() -> bool {
    let mut debian = Environment::default();
    use_debian_compiler(&mut debian);
    Path::new(DEBIAN_STD_SOURCE).is_file()
        && Path::new(DEBIAN_BIN).join("cargo").is_file()
        && debian.find(DEBIAN_LINKER).is_some()
}

fn check_debian_version(setup: &Setup) -> Result<()> {
    let minimum = setup.workspace.minimum_rust()?;
    let rustc = format!("{DEBIAN_BIN}/rustc");
    match ask(&setup.native, &rustc, &["--version"]).as_deref().and_then(parse_version) {
        Some(version) if version >= minimum => Ok(()),
        Some(version) => bail!(
            "Debian's rustc is {version}, but Capscope needs {minimum}: enable the security updates in apt's sources, \
             or run `rustup target add {TARGET}` where rustup can download"
        ),
        None => bail!("{rustc} does not run: reinstall Debian's rustc-web"),
    }
}

fn use_debian_compiler(environment: &mut Environment) {
    environment.add_path(DEBIAN_BIN);
    environment.set("RUSTC_BOOTSTRAP", "1");
    environment.set("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort");
    environment.set("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DEBIAN_LINKER);
    // Set by rustup and by `cargo run`; they would lead back to the other compiler.
    for variable in ["RUSTC", "RUSTDOC", "CARGO", "LD_LIBRARY_PATH"] {
        environment.remove(variable);
    }
}
