//! Running other programs: shown, captured, or with a time limit.

use crate::environment::Environment;
use anyhow::{Context, Result, bail};
use std::{
    io::{BufRead, BufReader, IsTerminal},
    path::Path,
    time::Duration,
};

/// Runs a program with its output shown; anything but success is an error that repeats the command line.
pub fn run(environment: &Environment, folder: &Path, program: &str, arguments: &[&str]) -> Result<()> {
    let line = format!("{program} {}", arguments.join(" "));
    println!("$ {line}");
    let output = environment
        .command(program, arguments)?
        .dir(folder)
        .unchecked()
        .run()
        .with_context(|| format!("`{line}` could not be started"))?;
    if !output.status.success() {
        bail!("`{line}` failed ({})", output.status);
    }
    Ok(())
}

/// Runs tests with their output shown. The error names those that failed, since the end of a long run seldom shows them.
pub fn run_tests(environment: &Environment, folder: &Path, program: &str, arguments: &[&str]) -> Result<()> {
    let line = format!("{program} {}", arguments.join(" "));
    println!("$ {line}");
    let mut expression = environment.command(program, arguments)?.dir(folder).stderr_to_stdout().unchecked();
    if std::io::stdout().is_terminal() {
        expression = expression.env("CARGO_TERM_COLOR", "always").env("FORCE_COLOR", "1");
    }
    let running = expression.reader().with_context(|| format!("`{line}` could not be started"))?;
    let mut reader = BufReader::new(&running);
    let (mut bytes, mut failures) = (Vec::new(), Vec::new());
    while reader.read_until(b'\n', &mut bytes).with_context(|| format!("`{line}` could not be read"))? > 0 {
        let text = String::from_utf8_lossy(&bytes);
        print!("{text}");
        if failures.len() < MOST_FAILURES && tells_of_a_failure(&text) {
            failures.push(shorten(text.trim()));
        }
        bytes.clear();
    }
    let status = running.try_wait()?.context("its output ended before it did")?.status;
    if !status.success() {
        bail!("`{line}` failed ({status})\n    {}", failures.join("\n    "));
    }
    Ok(())
}

/// Lines of failures that an error repeats.
const MOST_FAILURES: usize = 16;

/// Whether a line of output names a failed test or what it found, as nextest, cargo's own runner and Playwright write it.
fn tells_of_a_failure(line: &str) -> bool {
    let line = line.trim();
    ["✘", "FAIL ", "Error:", "Expected", "Received", "error:", "error["].iter().any(|start| line.starts_with(start))
        || line.starts_with("test ") && line.ends_with("FAILED")
        || line.contains("panicked at")
}

/// Runs a program quietly for at most `limit`. The error ends with the last lines that it wrote, since they hold the
/// cause.
pub fn run_quietly(environment: &Environment, program: &str, arguments: &[&str], limit: Duration) -> Result<String> {
    let line = format!("{program} {}", arguments.join(" "));
    let handle = environment
        .command(program, arguments)?
        .env("RUST_BACKTRACE", "0") // It would push the cause out of the last lines.
        .stdin_null()
        .stderr_to_stdout()
        .stdout_capture()
        .unchecked()
        .start()
        .with_context(|| format!("`{line}` could not be started"))?;
    let Some(output) = handle.wait_timeout(limit).with_context(|| format!("`{line}` could not be awaited"))? else {
        handle.kill().with_context(|| format!("`{line}` could not be stopped"))?;
        bail!("`{line}` did not finish within {} s", limit.as_secs());
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        bail!("`{line}` failed: {}", cause(&text));
    }
    Ok(text)
}

/// What a program prints on its standard output, or `None` if it is absent or fails: for questions such as
/// `--version`, where every failure means "not usable".
pub fn ask(environment: &Environment, program: &str, arguments: &[&str]) -> Option<String> {
    environment.command(program, arguments).ok()?.stdin_null().stderr_null().read().ok()
}

/// What a failed program said of the cause, short enough for one line: its first error, or its last words.
fn cause(output: &str) -> String {
    let mut lines = output.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| line.starts_with("error") || line.starts_with("E: ");
    let line = lines.clone().find(is_error).or(lines.next_back()).unwrap_or("it wrote nothing");
    shorten(line)
}

fn shorten(line: &str) -> String {
    const LONGEST: usize = 200;
    if line.chars().count() <= LONGEST {
        return line.to_string();
    }
    line.chars().take(LONGEST).chain(['…']).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn a_program_that_hangs_is_stopped_at_its_limit() {
        let start = Instant::now();
        let error = run_quietly(&Environment::default(), "sleep", &["30"], Duration::from_millis(100)).unwrap_err();
        assert!(error.to_string().contains("did not finish"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_failure_tells_the_first_error_or_the_last_line() {
        let told = |script| {
            let result = run_quietly(&Environment::default(), "sh", &["-c", script], Duration::from_secs(10));
            result.unwrap_err().to_string()
        };
        assert!(told("echo one; echo two >&2; exit 3").ends_with("failed: two"));
        assert!(told("echo info; echo 'E: no space' >&2; echo more; exit 3").ends_with("failed: E: no space"));
        assert!(told("exit 3").ends_with("failed: it wrote nothing"));
        assert!(told("head -c 9999 /dev/zero | tr '\\0' x; exit 3").chars().count() < 400);
    }

    #[test]
    fn failed_tests_are_named_in_the_error() {
        let told = |script| {
            let result = run_tests(&Environment::default(), Path::new("."), "sh", &["-c", script]);
            result.map_err(|error| error.to_string())
        };
        let error = told("echo '  ✓ 1 one'; echo '  ✘ 2 two (3 s)'; echo 'FAIL [ 1 s] three' >&2; exit 1").unwrap_err();
        assert!(error.ends_with("\n    ✘ 2 two (3 s)\n    FAIL [ 1 s] three"), "{error}");
        assert_eq!(told("echo 'FAIL but mended'"), Ok(()));
    }

    #[test]
    fn a_failed_or_absent_program_answers_nothing() {
        assert_eq!(ask(&Environment::default(), "sh", &["-c", "echo yes"]).as_deref(), Some("yes"));
        assert_eq!(ask(&Environment::default(), "sh", &["-c", "echo yes; exit 1"]), None);
        assert_eq!(ask(&Environment::default(), "no-such-program-here", &[]), None);
    }
}
