//! Makes the page's texts out of the tables in `locales/`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Languages of the page, by the names of their tables.
const LANGUAGES: [&str; 2] = ["en", "zh"];

fn main() {
    println!("cargo::rerun-if-changed=locales");
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it")).join("texts.rs");
    std::fs::write(&out, texts(&root)).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}

/// The page's texts in all languages, sorted by key (`section.name`); what a table lacks is empty, which a test refuses.
fn texts(root: &Path) -> String {
    let mut texts = BTreeMap::<String, [String; LANGUAGES.len()]>::new();
    for (language, name) in LANGUAGES.iter().enumerate() {
        let path = root.join("locales").join(name).with_extension("toml");
        let table = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let sections: Table = table.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for (section, entries) in sections {
            let Value::Table(entries) = entries else { panic!("{}: {section} is no section", path.display()) };
            for (name, text) in entries {
                let Value::String(text) = text else { panic!("{}: {section}.{name} is no text", path.display()) };
                texts.entry(format!("{section}.{name}")).or_default()[language] = text;
            }
        }
    }
    let rows: String = texts.iter().map(|(key, texts)| format!("    ({key:?}, {texts:?}),\n")).collect();
    format!("static TEXTS: [(&str, [&str; {}]); {}] = [\n{rows}];\n", LANGUAGES.len(), texts.len())
}
