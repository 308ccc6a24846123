//! Lists the operations, the routing procedures and the shaders, so that adding one is adding its files: validation,
//! parity and gradient tests find it by themselves.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it"));
    for folder in ["src/ops", "src/routing", "shaders"] {
        println!("cargo::rerun-if-changed={folder}");
    }
    write(&out.join("specimens.rs"), &specimens(&root));
    write(&out.join("procedures.rs"), &procedures(&root));
    write(&out.join("shaders.rs"), &shaders(&root));
}

/// A function that joins the `specimens` of every file directly in the folders of operations and procedures.
fn specimens(root: &Path) -> String {
    let mut text = String::from("fn listed(pick: Pick<'_>) -> Vec<Arc<dyn Operation>> {\n    let mut all = vec![];\n");
    for folder in ["ops", "routing"] {
        for stem in stems(&root.join("src").join(folder), "rs").iter().filter(|stem| *stem != "mod") {
            writeln!(text, "    all.extend(crate::{folder}::{stem}::specimens(pick));").expect("a string takes it");
        }
    }
    text + "    all\n}\n"
}

/// A table of the procedures, dynamic routing first.
fn procedures(root: &Path) -> String {
    let mut stems = stems(&root.join("src/routing"), "rs");
    stems.retain(|stem| stem != "mod");
    stems.sort_by_key(|stem| stem != "dynamic");
    let lines: Vec<String> = stems.iter().map(|stem| format!("    &{stem}::PROCEDURE,\n")).collect();
    format!("const LISTED: &[&dyn Procedure] = &[\n{}];\n", lines.concat())
}

/// A table of every shader's stem and text; helpers are called `shared/…`.
fn shaders(root: &Path) -> String {
    let mut text = String::from("static LISTED: &[(&str, &str)] = &[\n");
    for (folder, prefix) in [("shaders", ""), ("shaders/shared", "shared/")] {
        for stem in stems(&root.join(folder), "wgsl") {
            let path = format!("/{folder}/{stem}.wgsl");
            writeln!(
                text,
                "    ({:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))),",
                format!("{prefix}{stem}")
            )
            .expect("a string takes it");
        }
    }
    text + "];\n"
}

/// The stems of a folder's files with an extension, sorted.
fn stems(folder: &Path, extension: &str) -> Vec<String> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{} cannot be read: {error}", folder.display()));
    let mut stems: Vec<String> = entries
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .filter_map(|path| path.file_stem().and_then(|stem| stem.to_str()).map(String::from))
        .collect();
    stems.sort();
    stems
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap_or_else(|error| panic!("{} cannot be written: {error}", path.display()));
}
