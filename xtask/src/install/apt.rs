//! The distribution's packages, where the distribution is Debian or one of its children.

use super::say;
use crate::{
    environment::Environment,
    process::{ask, run_quietly},
};
use anyhow::{Context, Result, bail};
use std::time::Duration;

/// Large packages over a slow line take their time; a dead mirror must still end.
const UPDATE_LIMIT: Duration = Duration::from_secs(300);
const INSTALL_LIMIT: Duration = Duration::from_secs(1800);

/// apt-get, with the package lists refreshed at most once.
#[derive(Default)]
pub struct Apt {
    lists_are_fresh: bool,
}

impl Apt {
    /// Installs those of `packages` that are missing. `purpose` completes the sentence "… is needed".
    pub fn ensure(&mut self, packages: &[&str], purpose: &str) -> Result<()> {
        let system = Environment::default();
        let missing: Vec<&str> = packages.iter().copied().filter(|package| !is_installed(&system, package)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let missing_text = missing.join(" ");
        if system.find("apt-get").is_none() {
            bail!("{purpose}; this system has no apt-get: install its counterpart of `{missing_text}` and start again");
        }
        let rights = rights(&system).with_context(|| {
            format!("{purpose}; run `apt-get update && apt-get install -y {missing_text}` as root and start again")
        })?;
        say(&format!("apt-get install {missing_text} ({purpose})"));
        if !self.lists_are_fresh {
            apt_get(&system, rights, &["update"], UPDATE_LIMIT)?;
            self.lists_are_fresh = true;
        }
        // --no-remove: a package that would push out one of the user's own is refused, with apt's words.
        let install = ["install", "--yes", "--no-install-recommends", "--no-remove"];
        apt_get(&system, rights, &[&install[..], &missing[..]].concat(), INSTALL_LIMIT)
    }
}

fn is_installed(system: &Environment, package: &str) -> bool {
    ask(system, "dpkg-query", &["--show", "--showformat=${db:Status-Status}", package]).as_deref() == Some("installed")
}

/// How apt-get may be run.
#[derive(Clone, Copy)]
enum Rights {
    Root,
    Sudo,
}

fn rights(system: &Environment) -> Result<Rights> {
    if ask(system, "id", &["-u"]).as_deref() == Some("0") {
        return Ok(Rights::Root);
    }
    if ask(system, "sudo", &["-n", "true"]).is_some() {
        return Ok(Rights::Sudo);
    }
    bail!("that takes root, and sudo is absent or asks for a password")
}

fn apt_get(system: &Environment, rights: Rights, arguments: &[&str], limit: Duration) -> Result<()> {
    let fixed = ["DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300"];
    let line = match rights {
        Rights::Root => [&["env"], &fixed[..], arguments].concat(),
        Rights::Sudo => [&["sudo", "-n", "env"], &fixed[..], arguments].concat(),
    };
    run_quietly(system, line[0], &line[1..], limit).map(|_| ())
}
