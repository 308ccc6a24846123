//! Every reference case (see golden/README.md: an independent float64 implementation) replayed on an executor: all
//! forward tensors, every iteration's coefficients, every gradient, and the parameters after one Adam step.

mod common;

use capscope::exec::Device;
use capscope::train::replay::{Named, replay};
use safetensors::SafeTensors;
use serde::Deserialize;
use std::collections::HashMap;
use std::path::PathBuf;

const CASES: [&str; 7] = ["tiny-official", "tiny-paper-loss", "odd", "r1", "r5", "input36", "detached"];

#[derive(Deserialize)]
struct Description {
    tolerances: HashMap<String, Tolerance>,
}

#[derive(Clone, Copy, Deserialize)]
struct Tolerance {
    max_rel: f64,
    scale: f64,
    min_grad: Option<f64>,
}

fn file(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn floats(file: &SafeTensors<'_>, name: &str) -> Vec<f64> {
    let tensor = file.tensor(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    tensor.data().as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes).into()).collect()
}

/// The worst difference of a tensor in units of its scale, and whether it is allowed.
fn compare(named: &Named, golden: &SafeTensors<'_>, tolerance: Tolerance, times: f64) -> (f64, bool) {
    let key = named.name.replace("out.", "expect.");
    let want = floats(golden, &key);
    let tensor = golden.tensor(&key).expect("just read");
    assert!(tensor.shape() == named.shape || want.len() == 1, "{key}: {:?} for {:?}", named.shape, tensor.shape());
    let got: Vec<f64> = named.values.iter().map(|&x| x.into()).collect();
    assert!(got.iter().all(|x| x.is_finite()), "{key} has values that are not finite");
    // Adam's first step is practically a sign: a tiny gradient's cannot be compared, only bounded.
    let sure: Vec<bool> = match (tolerance.min_grad, key.strip_prefix("adam1.")) {
        (Some(least), Some(parameter)) => {
            let old = floats(golden, parameter);
            let gradient = floats(golden, &format!("grad.{parameter}"));
            let moves = got.iter().zip(&old).map(|(new, old)| (new - old).abs());
            assert!(
                moves.fold(0.0, f64::max) <= 1.01 * tolerance.scale,
                "{key}: a parameter moved by more than the rate"
            );
            gradient.iter().map(|g| g.abs() >= least || *g == 0.0).collect()
        }
        _ => vec![true; got.len()],
    };
    let differences = got.iter().zip(&want).zip(sure).map(|((a, b), sure)| if sure { (a - b).abs() } else { 0.0 });
    let worst = differences.fold(0.0, f64::max) / tolerance.scale;
    (worst, worst <= times * tolerance.max_rel)
}

fn check(device: &Device, device_name: &str, times: f64) {
    let mut failures = vec![];
    for case in CASES {
        let (tensors, json) = (file(&format!("{case}.safetensors")), file(&format!("{case}.json")));
        let json = String::from_utf8(json).expect("JSON is UTF-8");
        let description: Description = serde_json::from_str(&json).expect("a case's JSON");
        let golden = SafeTensors::deserialize(&tensors).expect("a case's tensors");
        let outcome = pollster::block_on(replay(device, &tensors, &json)).unwrap_or_else(|e| panic!("{case}: {e}"));
        let mut closest = (0.0, String::new());
        for named in &outcome {
            let key = named.name.replace("out.", "expect.");
            let tolerance = description.tolerances[&key];
            let (worst, fine) = compare(named, &golden, tolerance, times);
            let share = worst / (times * tolerance.max_rel);
            if share > closest.0 {
                closest = (share, format!("{key} {worst:.1e}"));
            }
            if !fine {
                failures.push(format!("{case} {key}: {worst:.2e} > {:.2e}", times * tolerance.max_rel));
            }
        }
        let expected = golden.names().iter().filter(|n| is_expected(n)).count();
        assert_eq!(outcome.len(), expected, "{case}: tensors replayed and expected");
        println!(
            "{device_name} {case}: {expected} tensors, nearest to its limit {} ({:.0} %)",
            closest.1,
            100.0 * closest.0
        );
    }
    assert!(failures.is_empty(), "{device_name}:\n{}", failures.join("\n"));
}

fn is_expected(name: &str) -> bool {
    ["expect.", "grad.", "adam1.", "debug."].iter().any(|prefix| name.starts_with(prefix))
}

#[test]
fn cpu_replays_every_case_within_its_tolerances() {
    check(&Device::Cpu, "cpu", 1.0);
}

#[test]
fn gpu_replays_every_case_within_five_times_its_tolerances() {
    check(common::gpu(), "gpu", 5.0);
}
