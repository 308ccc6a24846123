//! `cargo xtask bench`: this machine's figures, and beside them the rivals' from one run: TensorFlow.js in the same
//! browser, turn by turn with the page, and JAX turn by turn with the native program.

use crate::{
    environment::Environment,
    install::{Need, Setup},
    process::run,
    workspace::Workspace,
};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    thread::sleep,
    time::Duration,
};

/// What is measured.
pub struct Options {
    /// The folder of the rivals' programs; without it only this machine's own figures are printed.
    pub peers: Option<PathBuf>,
    /// The Python that has JAX; by default the one in the rivals' folder.
    pub python: Option<PathBuf>,
    /// Turns of each pair.
    pub rounds: u32,
    /// Networks.
    pub presets: Vec<String>,
}

/// The page's address while it is measured, by the browser tests' own server.
const PAGE: &str = "http://127.0.0.1:4173/lab/";

/// The browser tests' own server. Not through npm: what npm starts would outlive it.
const SERVER: [&str; 7] = ["node_modules/sirv-cli/bin.js", "site", "--host", "127.0.0.1", "--port", "4173", "--quiet"];

/// One comparison in a browser.
struct Rival {
    name: &'static str,
    backend: &'static str,
    variant: &'static str,
    device: &'static str,
    /// Seconds of the slowest step, by preset: few steps where they are slow.
    is_slow: bool,
}

const RIVALS: [Rival; 3] = [
    Rival { name: "TensorFlow.js WASM", backend: "wasm", variant: "natural", device: "cpu", is_slow: false },
    Rival { name: "TensorFlow.js WebGPU", backend: "webgpu", variant: "natural", device: "webgpu", is_slow: true },
    Rival { name: "TensorFlow.js WebGPU, tuned", backend: "webgpu", variant: "tuned", device: "webgpu", is_slow: true },
];

/// A line of the last table.
#[derive(Debug, PartialEq)]
struct Ratio {
    what: String,
    theirs_ms: f64,
    ours_ms: f64,
    /// How many times as fast this project is: median, least, most over the turns.
    times: [f64; 3],
}

/// Builds what is measured, measures, and prints.
pub fn bench(workspace: &Workspace, options: &Options) -> Result<()> {
    let mut setup = Setup::new(workspace);
    let cargo = ["build", "--release", "--package", "capscope", "--bin", "capscope-cli"];
    run(&setup.native, &workspace.root, "cargo", &cargo)?;
    let program = workspace.root.join("target/release").join(format!("capscope-cli{}", std::env::consts::EXE_SUFFIX));
    for preset in &options.presets {
        let batch = batch(preset).to_string();
        native(&setup.native, workspace, &program, &["--preset", preset, "--batch", &batch])?;
    }
    let Some(peers) = &options.peers else {
        println!("\nNo rivals were measured: name the folder of their programs with --peers.");
        return Ok(());
    };
    let peers = workspace.root.join(peers);
    let (mut ratios, mut missing) = (vec![], vec![]);
    match browser_is_ready(&peers) {
        Err(error) => missing.push(format!("TensorFlow.js was not measured: {error:#}")),
        Ok(()) => {
            for need in Need::PAGE.into_iter().chain([Need::NodePackages, Need::Browser]) {
                setup.ensure(need)?;
            }
            run(&setup.wasm, &workspace.root, "trunk", &["build"])?;
            in_browser(workspace, &setup, &peers, options, &mut ratios)?;
        }
    }
    let python = options.python.clone().unwrap_or_else(|| peers.join("venv/bin/python"));
    match python_is_ready(&setup.native, &peers, &python) {
        Err(error) => missing.push(format!("JAX was not measured: {error:#}")),
        Ok(()) => {
            for preset in &options.presets {
                ratios.extend(against_jax(
                    &setup.native,
                    workspace,
                    &peers,
                    &python,
                    &program,
                    preset,
                    options.rounds,
                )?);
            }
        }
    }
    println!("\n{}", table(&ratios));
    missing.iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// Images a step: what the rivals' own table has for each network.
fn batch(preset: &str) -> u32 {
    if preset == "paper" { 2 } else { 32 }
}

/// The native program's own table.
fn native(environment: &Environment, workspace: &Workspace, program: &Path, arguments: &[&str]) -> Result<()> {
    let program = program.to_string_lossy().into_owned();
    run(environment, &workspace.root, &program, &[&["--device", "cpu", "bench"], arguments].concat())
}

fn browser_is_ready(peers: &Path) -> Result<()> {
    if !peers.join("bench.mjs").is_file() {
        bail!("{} has no bench.mjs", peers.display());
    }
    if !peers.join("node_modules/@tensorflow/tfjs").is_dir() {
        bail!("its packages are not installed; run `npm ci` in {}", peers.display());
    }
    Ok(())
}

fn python_is_ready(environment: &Environment, peers: &Path, python: &Path) -> Result<()> {
    if !peers.join("bench_jax.py").is_file() {
        bail!("{} has no bench_jax.py", peers.display());
    }
    let ask = environment.command(&python.to_string_lossy(), &["-c", "import jax, numpy"]);
    let answer = ask.and_then(|ask| Ok(ask.stderr_null().unchecked().run()?));
    match answer {
        Ok(output) if output.status.success() => Ok(()),
        Ok(_) => {
            bail!("{} lacks the packages jax and numpy; install them, or name another with --python", python.display())
        }
        Err(_) => bail!("there is no Python at {}; name one that has jax with --python", python.display()),
    }
}

/// Every rival in a browser, turn by turn with the page.
fn in_browser(
    workspace: &Workspace,
    setup: &Setup,
    peers: &Path,
    options: &Options,
    ratios: &mut Vec<Ratio>,
) -> Result<()> {
    let site = workspace.end_to_end().join("site");
    std::fs::create_dir_all(&site).with_context(|| format!("{} cannot be made", site.display()))?;
    link(&workspace.root.join("dist"), &site.join("lab"))?;
    let server = setup.native.command("node", &SERVER)?.dir(workspace.end_to_end()).start()?;
    // It is ready long before the first browser is.
    sleep(Duration::from_secs(2));
    let outcome = RIVALS.iter().try_for_each(|rival| {
        for preset in &options.presets {
            ratios.extend(in_turn(workspace, setup, peers, rival, preset, options.rounds)?);
        }
        Ok(())
    });
    server.kill().context("the page's server could not be stopped")?;
    outcome
}

#[cfg(unix)]
fn link(target: &Path, place: &Path) -> Result<()> {
    if place.exists() {
        return Ok(());
    }
    std::os::unix::fs::symlink(target, place).with_context(|| format!("{} cannot be made", place.display()))
}

#[cfg(not(unix))]
fn link(_target: &Path, place: &Path) -> Result<()> {
    if place.exists() { Ok(()) } else { bail!("{} is missing; run the browser tests once", place.display()) }
}

/// One rival and one network in one browser: training steps, then single images.
fn in_turn(
    workspace: &Workspace,
    setup: &Setup,
    peers: &Path,
    rival: &Rival,
    preset: &str,
    rounds: u32,
) -> Result<Vec<Ratio>> {
    let batch = if preset == "paper" && rival.is_slow { 1 } else { batch(preset) };
    let (steps, warmup, images) = if rival.is_slow { ("2", "1", "5") } else { ("8", "3", "20") };
    let (batch, rounds) = (batch.to_string(), rounds.to_string());
    let page = format!("{PAGE}?bench&device={}", rival.device);
    let mnist = workspace.root.join("assets/mnist").to_string_lossy().into_owned();
    let mut arguments = vec!["bench.mjs", "--backend", rival.backend, "--variant", rival.variant, "--preset", preset];
    arguments.extend(["--batch", &batch, "--steps", steps, "--warmup", warmup, "--infer", images]);
    arguments.extend(["--rounds", &rounds, "--page", &page, "--mnist", &mnist]);
    let browser = setup.browser.as_ref().map(|browser| browser.to_string_lossy().into_owned());
    if let Some(browser) = &browser {
        arguments.extend(["--chromium", browser]);
    }
    println!("$ node {}", arguments.join(" "));
    let lines = setup.native.command("node", &arguments)?.dir(peers).read().context("the rivals' program failed")?;
    Ok(ratios_of(rival.name, preset, &batch, &lines))
}

/// The lines that compare, from what the rivals' program prints.
fn ratios_of(rival: &str, preset: &str, batch: &str, lines: &str) -> Vec<Ratio> {
    let values = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    values
        .filter_map(|value| {
            let number = |name: &str| value.get(name).and_then(Value::as_f64);
            let what = match value.get("measure")?.as_str()? {
                "train-ratio" => format!("{rival}: {preset}, a step of {batch}"),
                "infer-ratio" => format!("{rival}: {preset}, a single image"),
                _ => return None,
            };
            Some(Ratio {
                what,
                theirs_ms: number("a_ms_median")?,
                ours_ms: number("b_ms_median")?,
                times: [number("a_over_b_median")?, number("a_over_b_min")?, number("a_over_b_max")?],
            })
        })
        .collect()
}

/// JAX and the native program in turn, training steps and single images.
fn against_jax(
    environment: &Environment,
    workspace: &Workspace,
    peers: &Path,
    python: &Path,
    program: &Path,
    preset: &str,
    rounds: u32,
) -> Result<Vec<Ratio>> {
    let batch = batch(preset).to_string();
    let steps = if preset == "paper" { "4" } else { "20" };
    let mnist = workspace.root.join("assets/mnist").to_string_lossy().into_owned();
    let theirs =
        ["bench_jax.py", "--preset", preset, "--batch", &batch, "--steps", steps, "--infer", "20", "--mnist", &mnist];
    let ours = ["--device", "cpu", "bench", "--preset", preset, "--batch", &batch, "--steps", steps, "--no-kernels"];
    let ours = [&ours[..], &["--no-loops", "--json"]].concat();
    println!("$ {} {} | {} {}", python.display(), theirs.join(" "), program.display(), ours.join(" "));
    let (mut steps, mut images) = (vec![], vec![]);
    for _ in 0..rounds {
        let a = environment.command(&python.to_string_lossy(), &theirs)?.dir(peers).read().context("JAX failed")?;
        let b = environment.command(&program.to_string_lossy(), &ours)?.dir(&workspace.root).read()?;
        let report: Value = serde_json::from_str(&b).context("the native program printed no report")?;
        let median = |part: &str| report.pointer(&format!("/{part}/spread/median")).and_then(Value::as_f64);
        let jax = |measure: &str| {
            let values = a.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let found = values.into_iter().find(|value| value["measure"] == measure)?;
            found["ms_median"].as_f64()
        };
        steps.extend(jax("train").zip(median("training")));
        images.extend(jax("infer").zip(median("reading")));
    }
    let lines =
        [(format!("JAX: {preset}, a step of {batch}"), steps), (format!("JAX: {preset}, a single image"), images)];
    Ok(lines.into_iter().filter_map(|(what, pairs)| ratio(what, &pairs)).collect())
}

/// The ratio of pairs of times, theirs and ours.
fn ratio(what: String, pairs: &[(f64, f64)]) -> Option<Ratio> {
    let times: Vec<f64> = pairs.iter().map(|(theirs, ours)| theirs / ours).collect();
    let [theirs, ours] = [pairs.iter().map(|pair| pair.0).collect(), pairs.iter().map(|pair| pair.1).collect()];
    let (least, most) = (times.iter().copied().reduce(f64::min)?, times.iter().copied().reduce(f64::max)?);
    Some(Ratio { what, theirs_ms: median(theirs)?, ours_ms: median(ours)?, times: [median(times)?, least, most] })
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    let upper = *values.get(half)?;
    Some(if values.len() % 2 == 1 { upper } else { (values[half - 1] + upper) / 2.0 })
}

fn table(ratios: &[Ratio]) -> String {
    let mut text = format!("{:<52} {:>11} {:>11} {:>8}  least to most\n", "against", "theirs, ms", "ours, ms", "times");
    for Ratio { what, theirs_ms, ours_ms, times: [median, least, most] } in ratios {
        // A string takes whatever is written.
        let _ = writeln!(text, "{what:<52} {theirs_ms:>11.2} {ours_ms:>11.2} {median:>8.2}  {least:.2} to {most:.2}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparing_lines_are_found_among_others() {
        let lines = "not json\n{\"measure\":\"train-ab\",\"ms_median\":3}\n\
            {\"measure\":\"train-ratio\",\"a_ms_median\":10,\"b_ms_median\":2,\"a_over_b_median\":5,\"a_over_b_min\":4,\"a_over_b_max\":6}";
        let expected =
            Ratio { what: "X: tiny, a step of 32".into(), theirs_ms: 10.0, ours_ms: 2.0, times: [5.0, 4.0, 6.0] };
        assert_eq!(ratios_of("X", "tiny", "32", lines), [expected]);
    }

    #[test]
    fn the_middle_of_the_ratios_counts_not_the_ratio_of_the_middles() {
        let ratio = ratio("X".into(), &[(10.0, 1.0), (4.0, 2.0), (9.0, 3.0)]).unwrap();
        assert_eq!((ratio.theirs_ms, ratio.ours_ms, ratio.times), (9.0, 2.0, [3.0, 2.0, 10.0]));
        assert_eq!(super::ratio("nothing".into(), &[]), None);
        assert!(table(&[ratio]).contains("3.00  2.00 to 10.00"));
    }

    #[test]
    fn what_is_missing_is_named_with_the_way_out() {
        let folder = std::env::temp_dir();
        let error = browser_is_ready(&folder.join("no-such-folder")).unwrap_err().to_string();
        assert!(error.contains("bench.mjs"), "{error}");
    }
}
