//! A report for people.

use crate::protocol::BenchReport;
use std::fmt::Write as _;

/// The report as lines of text.
pub fn table(report: &BenchReport) -> String {
    let mut text = format!("{} at batch {} on {} ({})\n", report.preset, report.batch, report.executor, report.device);
    // A string takes whatever is written.
    let _ = whole(&mut text, report);
    if report.kernels.is_some() {
        let _ = kernels(&mut text, report);
    }
    text
}

fn whole(text: &mut String, report: &BenchReport) -> std::fmt::Result {
    if let Some(training) = &report.training {
        let spread = training.spread;
        writeln!(
            text,
            "training: {:.2} ms a step ({:.2} to {:.2}, {} steps), {:.1} images/s; {:.0} dispatches and {:.0} submits a step \
             (with the read-back); {:.1} MiB; ready after {:.0} ms, first step {:.0} ms",
            spread.median,
            spread.min,
            spread.max,
            training.ms.len(),
            training.images_per_second,
            training.dispatches,
            training.submits,
            training.peak_bytes as f64 / f64::from(1 << 20),
            training.load_ms,
            training.first_ms
        )?;
        for (name, times) in [("loop that does not wait", training.unwaited), ("the same in chunks", training.split)] {
            if let Some(times) = times {
                writeln!(
                    text,
                    "  {name}: {:.2} ms a step, {:.1} images/s; chunks of {}, {:.1} submits a chunk",
                    times.ms, times.images_per_second, times.chunk, times.submits_a_chunk
                )?;
            }
        }
    }
    if let Some(reading) = &report.reading {
        writeln!(
            text,
            "single image: {:.2} ms ({:.2} to {:.2}, {} images); {:.0} dispatches, {:.0} submits",
            reading.spread.median,
            reading.spread.min,
            reading.spread.max,
            reading.ms.len(),
            reading.dispatches,
            reading.submits
        )?;
    }
    Ok(())
}

fn kernels(text: &mut String, report: &BenchReport) -> std::fmt::Result {
    let Some(kernels) = &report.kernels else { return Ok(()) };
    writeln!(
        text,
        "ceilings: {:.2} GFLOP/s of multiply-adds, {:.2} GB/s of a copy; an empty submission takes {:.2} ms",
        kernels.ceiling_gflops, kernels.ceiling_gbytes, kernels.empty_ms
    )?;
    writeln!(
        text,
        "{:<40} {:<5} {:>10} {:>6} {:>10} {:>9} {:>9} {:>8}",
        "step", "tile", "ms", "time", "MFLOP", "GFLOP/s", "GB/s", "ceiling"
    )?;
    let total: f64 = kernels.steps.iter().map(|step| step.ms).sum();
    for step in &kernels.steps {
        writeln!(
            text,
            "{:<40} {:<5} {:>10.3} {:>5.1}% {:>10.2} {:>9.2} {:>9.2} {:>7.0}%",
            step.name,
            step.variant,
            step.ms,
            100.0 * step.ms / total,
            step.flops as f64 / 1e6,
            step.gflops,
            step.gbytes,
            100.0 * step.share_of_ceiling
        )?;
    }
    writeln!(text, "{:<46} {total:>10.3}", "all steps")
}
