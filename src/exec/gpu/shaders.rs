//! The text of the shaders: sizes as constants on top, then what they import, then themselves.

use crate::exec::ExecError;
use crate::plan::Kernel;
use std::collections::HashSet;
use std::fmt::Write as _;

include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// Every shader's stem and text, as they lie in `shaders/`; helpers that shaders import are called `shared/…`.
pub const SOURCES: &[(&str, &str)] = LISTED;

/// What a device compiles for a kernel: `const` lines, imported helpers, the shader.
///
/// A line `#import NAME` stands for `shaders/shared/NAME.wgsl`, once however often it is imported.
///
/// # Errors
/// [`ExecError::Refused`] if there is no such shader or helper.
pub fn text(kernel: &Kernel) -> Result<String, ExecError> {
    let mut text = String::new();
    for (name, value) in &kernel.consts {
        writeln!(text, "const {name}: u32 = {value}u;").expect("a string takes it");
    }
    append(&mut text, kernel.shader, &mut HashSet::new())?;
    Ok(text)
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
