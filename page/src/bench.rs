//! What an address asks of the benchmark, and what programs that time the page are told.

use capscope_protocol::{BenchReport, BenchRequest};
use serde_json::{Value, json};

/// Readings in a report.
const READINGS: u32 = 20;

/// Steps and readings before the timed ones, unless they are given.
const WARMUP: u32 = 2;

/// The largest batch.
const MOST_IMAGES: u32 = 1024;

/// The most steps or readings.
const MOST_STEPS: u32 = 10_000;

/// The longest name of a tile that is looked at.
const MOST_TILE_NAME: usize = 16;

/// What an address asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// `?bench=PRESET,BATCH,STEPS`: all that can be measured, as JSON in the page; `&tile=8x4` forces kernels.
    Report(BenchRequest),
    /// `?bench`: functions to be called.
    Functions,
}

/// What the part of an address after `?` asks for; nothing if it does not name the benchmark or cannot be read.
pub fn asked(query: &str) -> Option<Asked> {
    let mut parts = query.trim_start_matches('?').split('&');
    let part = parts.find(|part| *part == "bench" || part.starts_with("bench="))?;
    let value = part.trim_start_matches("bench").trim_start_matches('=');
    if value.is_empty() {
        return Some(Asked::Functions);
    }
    let mut words = value.split(',');
    let (preset, batch, steps) = (words.next()?, words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let request = steps_alone(preset.into(), batch, steps, None);
    let tile = query.trim_start_matches('?').split('&').find_map(|part| part.strip_prefix("tile=")).unwrap_or_default();
    let tile = tile.chars().take(MOST_TILE_NAME).collect();
    Some(Asked::Report(BenchRequest { readings: READINGS, kernels: true, loops: true, tile, ..request }))
}

fn steps_alone(preset: String, batch: u32, steps: u32, warmup: Option<u32>) -> BenchRequest {
    BenchRequest {
        serial: 0,
        preset,
        batch: batch.clamp(1, MOST_IMAGES),
        steps: steps.min(MOST_STEPS),
        readings: 0,
        warmup: warmup.unwrap_or(WARMUP).min(MOST_STEPS),
        kernels: false,
        loops: false,
        tile: String::new(),
    }
}

/// All that can be measured of a network for a person who waits: few steps where the device may be slow.
pub fn everything(preset: &str, is_cpu: bool) -> BenchRequest {
    let (steps, readings) = if is_cpu { (8, READINGS) } else { (3, 5) };
    let batch = if preset == "paper" { 2 } else { 32 };
    let request = steps_alone(preset.into(), batch, steps, Some(1));
    BenchRequest { readings, kernels: true, loops: true, ..request }
}

/// Training steps, waited for one by one, and the loop that does not wait.
pub fn steps(preset: String, batch: u32, steps: u32, warmup: Option<u32>) -> BenchRequest {
    BenchRequest { loops: true, ..steps_alone(preset, batch, steps.max(1), warmup) }
}

/// Readings of single images.
pub fn readings(preset: String, readings: u32, warmup: Option<u32>) -> BenchRequest {
    BenchRequest { readings: readings.clamp(1, MOST_STEPS), ..steps_alone(preset, 1, 0, warmup) }
}

/// Milliseconds and loss of each step, and what was counted a step.
pub fn of_steps(report: &BenchReport) -> Value {
    let training = report.training.clone().unwrap_or_default();
    json!({
        "ms": training.ms,
        "loss": training.loss,
        "dispatches": training.dispatches,
        "submits": training.submits,
        "peak_bytes": training.peak_bytes,
        "device": report.device,
        "executor": report.executor,
        "unwaited_ms": training.unwaited.map(|times| times.ms),
        "split": training.split,
    })
}

/// Milliseconds of each image, and what was counted an image.
pub fn of_readings(report: &BenchReport) -> Value {
    let reading = report.reading.clone().unwrap_or_default();
    json!({
        "ms": reading.ms,
        "dispatches": reading.dispatches,
        "submits": reading.submits,
        "device": report.device,
        "executor": report.executor,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_asks_for_a_report_or_for_functions_or_for_nothing() {
        assert_eq!(asked("?bench"), Some(Asked::Functions));
        assert_eq!(asked("?device=cpu&bench="), Some(Asked::Functions));
        let Some(Asked::Report(request)) = asked("?bench=tiny,32,5&device=webgpu") else { panic!("a report") };
        assert_eq!((request.preset.as_str(), request.batch, request.steps), ("tiny", 32, 5));
        assert!(request.kernels && request.loops && request.tile.is_empty());
        let Some(Asked::Report(request)) = asked("?bench=tiny,32,5&tile=8x4") else { panic!("a report") };
        assert_eq!(request.tile, "8x4");
        for nothing in ["", "?", "?device=cpu", "?bench=tiny", "?bench=tiny,x,5", "?bench=tiny,32,-1", "?benches=1"] {
            assert_eq!(asked(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn what_cannot_be_is_clamped() {
        let Some(Asked::Report(request)) = asked("bench=paper,0,4000000000") else { panic!("a report") };
        assert_eq!((request.batch, request.steps), (1, MOST_STEPS));
        assert_eq!(steps("tiny".into(), 9_999, 0, None).batch, MOST_IMAGES);
        assert_eq!(steps("tiny".into(), 1, 0, None).steps, 1);
        assert_eq!(readings("tiny".into(), 0, Some(3)).warmup, 3);
    }
}
