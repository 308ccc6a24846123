//! `cargo xtask test`: a list of stages, run in order, with a summary at the end.

use crate::{
    environment::Environment,
    install::{Need, Setup},
    process::{run, run_tests},
    site,
    workspace::Workspace,
};
use anyhow::{Result, bail};
use std::{
    fmt,
    time::{Duration, Instant},
};

/// When a stage runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    Always,
    /// Only with `--quick`, in place of something larger.
    Quick,
    /// Only without `--quick`.
    Full,
}

/// One check.
struct Stage {
    name: &'static str,
    /// What it cannot do without; installed before the first stage runs.
    needs: &'static [Need],
    /// In which of the two modes it runs.
    runs: Runs,
    /// The stage without whose success this one would say nothing.
    after: Option<&'static str>,
    run: fn(&Workspace, &Setup) -> Result<()>,
}

/// The stages in their order: the cheap ones first, so that a slip shows early.
const STAGES: &[Stage] = &[
    Stage {
        name: "format",
        needs: &[],
        runs: Runs::Always,
        after: None,
        run: |workspace, setup| cargo(workspace, &setup.native, &["fmt", "--all", "--check"]),
    },
    Stage {
        name: "clippy, native",
        needs: &[],
        runs: Runs::Always,
        after: None,
        run: |workspace, setup| {
            cargo(workspace, &setup.native, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
        },
    },
    Stage {
        name: "clippy, wasm32",
        needs: &[Need::Wasm32, Need::Wasm32Clippy],
        runs: Runs::Full,
        after: None,
        run: |workspace, setup| {
            for (package, program) in [("capscope", "engine"), ("capscope-page", "capscope")] {
                let of =
                    ["clippy", "--target", "wasm32-unknown-unknown", "--package", package, "--lib", "--bin", program];
                cargo(workspace, &setup.wasm, &[&of[..], &["--", "-D", "warnings"]].concat())?;
            }
            Ok(())
        },
    },
    Stage {
        name: "unit tests",
        needs: &[Need::Vulkan],
        runs: Runs::Quick,
        after: None,
        run: |workspace, setup| tests(workspace, setup, &["--lib", "--bins"]),
    },
    Stage {
        name: "native tests",
        needs: &[Need::Vulkan],
        runs: Runs::Full,
        after: None,
        run: |workspace, setup| tests(workspace, setup, &[]),
    },
    Stage {
        name: "doc tests",
        needs: &[],
        runs: Runs::Full,
        after: None,
        run: |workspace, setup| cargo(workspace, &setup.native, &["test", "--workspace", "--doc"]),
    },
    Stage {
        name: PAGE_BUILD,
        needs: &Need::PAGE,
        runs: Runs::Full,
        after: None,
        run: |workspace, setup| run(&setup.wasm, &workspace.root, "trunk", &["build"]),
    },
    Stage {
        name: SITE,
        needs: &[],
        runs: Runs::Full,
        after: Some(PAGE_BUILD),
        run: |workspace, _| site::package(workspace),
    },
    Stage {
        name: "browser tests",
        needs: &[Need::NodePackages, Need::Browser],
        runs: Runs::Full,
        after: Some(SITE),
        run: |workspace, setup| end_to_end(workspace, setup, &setup.native, "static", &[]),
    },
    Stage {
        name: "trunk serve",
        needs: &[Need::NodePackages, Need::Browser],
        runs: Runs::Full,
        after: Some(PAGE_BUILD),
        run: |workspace, setup| end_to_end(workspace, setup, &setup.wasm, "trunk", &["--grep", "@trunk-serve"]),
    },
];

const PAGE_BUILD: &str = "page build";

const SITE: &str = "hosted folder";

/// Runs tests with nextest where it is installed, since it shows each test's time, and with cargo's own runner
/// elsewhere.
fn tests(workspace: &Workspace, setup: &Setup, selection: &[&str]) -> Result<()> {
    let runner: &[&str] = match setup.native.find("cargo-nextest") {
        Some(_) => &["nextest", "run", "--workspace", "--no-fail-fast"],
        None => &["test", "--workspace", "--no-fail-fast"],
    };
    run_tests(&setup.native, &workspace.root, "cargo", &[runner, selection].concat())
}

fn cargo(workspace: &Workspace, environment: &Environment, arguments: &[&str]) -> Result<()> {
    run(environment, &workspace.root, "cargo", arguments)
}

/// Runs the browser tests against `server`: `static` serves dist/ under a sub-path, `trunk` is a plain `trunk serve`.
fn end_to_end(
    workspace: &Workspace,
    setup: &Setup,
    environment: &Environment,
    server: &str,
    arguments: &[&str],
) -> Result<()> {
    let mut environment = environment.clone();
    environment.set("CAPSCOPE_SERVER", server);
    if let Some(browser) = &setup.browser {
        environment.set("CAPSCOPE_BROWSER", browser);
    }
    run_tests(&environment, &workspace.end_to_end(), "npm", &[&["test", "--"], arguments].concat())
}

enum Outcome {
    Passed,
    Failed(String),
}

/// A row of the summary.
struct Row {
    name: String,
    outcome: Outcome,
    time: Duration,
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let seconds = self.time.as_secs_f64();
        match &self.outcome {
            Outcome::Passed => write!(formatter, "  ok      {seconds:8.1} s  {}", self.name),
            Outcome::Failed(cause) => write!(formatter, "  FAILED  {seconds:8.1} s  {}: {cause}", self.name),
        }
    }
}

/// Installs everything that any subcommand takes.
pub fn setup(workspace: &Workspace) -> Result<()> {
    let mut setup = Setup::new(workspace);
    let rows = install(&mut setup, STAGES.iter());
    conclude(&rows)
}

/// Runs the stages, all of them even if one fails, and prints the summary.
pub fn test(workspace: &Workspace, quick: bool) -> Result<()> {
    let mut setup = Setup::new(workspace);
    let chosen = || STAGES.iter().filter(|stage| stage.runs != if quick { Runs::Full } else { Runs::Quick });
    let mut rows = install(&mut setup, chosen());
    for stage in chosen() {
        println!("\n== {} ==", stage.name);
        let row = timed(stage.name.to_string(), || match missing(stage, &rows) {
            Some(cause) => bail!("not run, since {cause} failed"),
            None => (stage.run)(workspace, &setup),
        });
        rows.push(row);
    }
    conclude(&rows)
}

fn install(setup: &mut Setup, stages: impl Iterator<Item = &'static Stage>) -> Vec<Row> {
    let mut needs: Vec<Need> = Vec::new();
    for &need in stages.flat_map(|stage| stage.needs) {
        if !needs.contains(&need) {
            needs.push(need);
        }
    }
    needs.into_iter().map(|need| timed(setup_name(need), || setup.ensure(need))).collect()
}

fn setup_name(need: Need) -> String {
    format!("setup: {}", need.name())
}

/// The name of the first failed row that `stage` depends on.
fn missing<'a>(stage: &Stage, rows: &'a [Row]) -> Option<&'a str> {
    rows.iter()
        .filter(|row| matches!(row.outcome, Outcome::Failed(_)))
        .find(|row| stage.after == Some(&row.name) || stage.needs.iter().any(|&need| setup_name(need) == row.name))
        .map(|row| row.name.as_str())
}

fn timed(name: String, work: impl FnOnce() -> Result<()>) -> Row {
    let start = Instant::now();
    let outcome = match work() {
        Ok(()) => Outcome::Passed,
        Err(error) => {
            eprintln!("{name}: {error:#}");
            Outcome::Failed(format!("{error:#}"))
        }
    };
    Row { name, outcome, time: start.elapsed() }
}

fn conclude(rows: &[Row]) -> Result<()> {
    println!();
    for row in rows {
        println!("{row}");
    }
    let failed = rows.iter().filter(|row| matches!(row.outcome, Outcome::Failed(_))).count();
    println!("stages: {} passed, {failed} failed", rows.len() - failed);
    if failed > 0 {
        bail!("{failed} of {} stages failed", rows.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(name: String) -> Row {
        timed(name, || bail!("a cause"))
    }

    #[test]
    fn a_stage_is_not_run_after_a_failed_setup_or_build_that_it_depends_on() {
        let browser_tests = STAGES.iter().find(|stage| stage.name == "browser tests").unwrap();
        let site = [failed(SITE.into())];
        assert_eq!(missing(browser_tests, &site), Some(SITE));
        let browser = [failed(setup_name(Need::Browser))];
        assert_eq!(missing(browser_tests, &browser), Some("setup: a browser"));
        let unrelated = [failed("format".into()), failed(setup_name(Need::Vulkan))];
        assert_eq!(missing(browser_tests, &unrelated), None);
    }

    #[test]
    fn every_dependency_between_stages_names_an_earlier_stage() {
        for (index, stage) in STAGES.iter().enumerate() {
            if let Some(name) = stage.after {
                assert!(STAGES[..index].iter().any(|earlier| earlier.name == name), "{} waits for {name}", stage.name);
            }
        }
    }

    #[test]
    fn each_mode_runs_some_form_of_the_native_tests() {
        for left_out in [Runs::Quick, Runs::Full] {
            assert!(STAGES.iter().any(|stage| stage.runs != left_out && stage.needs.contains(&Need::Vulkan)));
        }
    }

    #[test]
    fn one_failed_stage_fails_the_run() {
        let passed = || timed("a stage".into(), || Ok(()));
        assert!(conclude(&[passed(), passed()]).is_ok());
        assert!(conclude(&[passed(), failed("another stage".into())]).is_err());
    }
}
