//! The GPU against the twins: every operation in every shape, and whole training plans step by step.

mod common;

use capscope::capsnet::{Config, Layout, Preset, Purpose, plan};
use capscope::exec::check::{self, Finding};
use capscope::plan::{Chosen, Run};
use common::gpu;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

const SEED: u64 = 20_260_102;

/// Prints the worst finding of every tensor and fails if one is not good.
fn judge(what: &str, findings: &[Finding]) {
    println!("{what}: {} comparisons, worst of each tensor:", findings.len());
    for finding in check::worst(findings) {
        println!("  {:<44} {:<28} {:.1e}", finding.subject, finding.tensor, finding.error);
        if finding.error > check::TOLERANCE / 10.0 {
            println!("    with {}", finding.case);
        }
    }
    let bad: Vec<&Finding> = findings.iter().filter(|finding| !finding.is_good()).collect();
    for finding in &bad {
        println!("BAD {} of {}: {:e} with {}", finding.tensor, finding.subject, finding.error, finding.case);
    }
    assert!(bad.is_empty(), "{what}: {} of {} comparisons failed", bad.len(), findings.len());
}

#[test]
fn every_operation_agrees_with_its_twin() {
    let findings = pollster::block_on(check::operations(gpu(), SEED)).unwrap_or_else(|error| panic!("{error}"));
    judge("operations", &findings);
}

/// One training step of a preset, each step judged by itself.
fn train_step(preset: Preset, purpose: Purpose, capacity: usize, live: usize) {
    train_step_of(preset.name(), preset.config(), purpose, capacity, live);
}

fn train_step_of(name: &str, config: Config, purpose: Purpose, capacity: usize, live: usize) {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let layout = Layout::new(&config);
    let mut parameters = vec![0.0; layout.elements];
    for entry in &layout.entries {
        // Outputs of about 1: the sum runs over all extents but the first, in votes over the last.
        let fan_in = if entry.name.starts_with("digit") { 8 } else { entry.shape[1..].iter().product() };
        let spread = (3.0 / fan_in.max(1) as f32).sqrt();
        parameters[entry.range()].fill_with(|| random.random_range(-spread..=spread));
    }
    let plan = Arc::new(plan(&config, purpose, capacity).unwrap_or_else(|error| panic!("{error}")));
    let input = |name| plan.find(name).expect("an input of every training plan");
    let mut picture = || (0..live * config.pixels()).map(|_| random.random_range(0.0..=1.0)).collect::<Vec<f32>>();
    let pictures = [picture(), picture(), picture()];
    let labels: Vec<f32> = (0..live).map(|_| random.random_range(0..10) as f32).collect();
    let run = Run {
        rate: 1e-3,
        first_correction: 0.1,
        second_correction: 1e-3,
        ..Run::new(live, config.iterations(), Chosen::Label)
    };
    let [pixels, first, second] = pictures;
    let mut inputs = vec![(input("pixels"), pixels), (input("labels"), labels.clone())];
    if config.is_of_pairs() {
        let other = labels.iter().map(|label| (label + 3.0) % 10.0).collect();
        inputs.extend([(input("second labels"), other), (input("first target"), first)]);
        inputs.push((input("second target"), second));
    }
    let findings = pollster::block_on(check::plan(gpu(), plan, &parameters, &inputs, &run));
    judge(&format!("{name} {purpose:?}"), &findings.unwrap_or_else(|error| panic!("{error}")));
}

#[test]
fn a_training_step_of_tiny_agrees_after_every_step() {
    train_step(Preset::Tiny, Purpose::TrainTraced, 7, 7);
    train_step(Preset::Tiny, Purpose::Train, 32, 20);
}

#[test]
fn a_training_step_on_overlapping_digits_agrees_after_every_step() {
    train_step_of("tiny on pairs", Preset::Tiny.config().for_pairs(4), Purpose::Train, 3, 2);
}

#[test]
fn a_training_step_of_compact_agrees_after_every_step() {
    train_step(Preset::Compact, Purpose::Train, 9, 9);
}
