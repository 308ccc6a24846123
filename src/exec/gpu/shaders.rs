//! The text of the shaders: sizes as constants on top, then what they import, then themselves with their repeated lines.

use crate::exec::ExecError;
use crate::plan::Kernel;
use std::collections::HashSet;
use std::fmt::Write as _;

include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// Every shader's stem and text, as they lie in `shaders/`; helpers that shaders import are called `shared/…`.
pub const SOURCES: &[(&str, &str)] = LISTED;

/// What a device compiles for a kernel: `const` lines, imported helpers, the shader.
///
/// A line `#import NAME` stands for `shaders/shared/NAME.wgsl`, once however often it is imported. The lines between
/// `#for n in NAME` and `#end`, where NAME is one of the kernel's constants, stand there so many times, `$n` being 0, 1, …:
/// neither WGSL compiler keeps an array in registers, so tiles are variables with numbers in their names.
///
/// # Errors
/// [`ExecError::Refused`] if there is no such shader, helper or constant, or a `#for` without its `#end`.
pub fn text(kernel: &Kernel) -> Result<String, ExecError> {
    let mut text = String::new();
    for (name, value) in &kernel.consts {
        writeln!(text, "const {name}: u32 = {value}u;").expect("a string takes it");
    }
    let mut source = String::new();
    append(&mut source, kernel.shader, &mut HashSet::new())?;
    let lines: Vec<String> = source.lines().map(String::from).collect();
    repeat(&mut text, kernel, &lines)?;
    Ok(text)
}

/// Writes lines, with those of every `#for` as often as it says.
fn repeat(text: &mut String, kernel: &Kernel, lines: &[String]) -> Result<(), ExecError> {
    let refused = |why: String| ExecError::Refused { what: format!("the shader {}", kernel.shader), why };
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let Some(head) = line.strip_prefix("#for ") else {
            writeln!(text, "{line}").expect("a string takes it");
            continue;
        };
        let (name, count) = head.split_once(" in ").ok_or_else(|| refused(format!("`{line}` names no constant")))?;
        let count = kernel.consts.iter().find(|(known, _)| *known == count.trim()).map(|&(_, count)| count);
        let count = count.ok_or_else(|| refused(format!("`{line}` names none of the kernel's constants")))?;
        let length = body(&lines[at..]).ok_or_else(|| refused(format!("`{line}` has no #end")))?;
        for turn in 0..count {
            let (name, number) = (format!("${name}"), turn.to_string());
            let body: Vec<String> = lines[at..at + length].iter().map(|line| line.replace(&name, &number)).collect();
            repeat(text, kernel, &body)?;
        }
        at += length + 1;
    }
    Ok(())
}

/// Lines before the `#end` that belongs to the `#for` just above them.
fn body(lines: &[String]) -> Option<usize> {
    let mut depth = 1;
    lines.iter().position(|line| {
        depth += i32::from(line.starts_with("#for ")) - i32::from(line == "#end");
        depth == 0
    })
}

fn append(text: &mut String, stem: &str, seen: &mut HashSet<String>) -> Result<(), ExecError> {
    if !seen.insert(stem.into()) {
        return Ok(());
    }
    let (_, source) = SOURCES.iter().find(|(name, _)| *name == stem).ok_or_else(|| ExecError::Refused {
        what: format!("the shader {stem}"),
        why: format!("there is no file shaders/{stem}.wgsl"),
    })?;
    for line in source.lines() {
        match line.strip_prefix("#import ") {
            Some(helper) => append(text, &format!("shared/{}", helper.trim()), seen)?,
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Extent, Grid};

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(String::from).collect()
    }

    fn expanded(source: &str) -> Result<String, ExecError> {
        let kernel = Kernel::new("a test", 1, Grid::line(Extent::Fixed(1), 1)).consts([("ROWS", 2), ("COLUMNS", 3)]);
        let mut text = String::new();
        repeat(&mut text, &kernel, &lines(source)).map(|()| text)
    }

    #[test]
    fn repeated_lines_are_numbered_one_within_the_other() {
        let source = "a\n#for r in ROWS\nb$r\n#for c in COLUMNS\nc$r_$c\n#end\nd$r\n#end\ne";
        let expected = "a\nb0\nc0_0\nc0_1\nc0_2\nd0\nb1\nc1_0\nc1_1\nc1_2\nd1\ne\n";
        assert_eq!(expanded(source), Ok(expected.into()));
    }

    #[test]
    fn what_cannot_be_repeated_is_refused() {
        for (source, cause) in
            [("#for r in ROWS\nb", "no #end"), ("#for r in DEPTH\n#end", "none"), ("#for r", "names no")]
        {
            let refusal = expanded(source).expect_err("a fault").to_string();
            assert!(refusal.contains(cause), "{refusal}");
        }
    }
}
