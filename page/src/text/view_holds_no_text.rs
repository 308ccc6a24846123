//! The page's components say nothing that is not in the tables.

use std::path::{Path, PathBuf};

/// Rust files below a folder.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn components() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/view"), &mut files);
    let read = |path: PathBuf| {
        // Comments quote texts and macros.
        let code = std::fs::read_to_string(&path).unwrap();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        (path, code)
    };
    files.into_iter().map(read).collect()
}

/// Texts between double quotes with what stands before them.
fn literals(code: &str) -> Vec<(&str, String)> {
    let mut literals = Vec::new();
    let mut rest = code;
    let mut at = 0;
    while let Some(open) = rest.find('"') {
        let is_letter = rest[..open].ends_with('\'') && rest[open + 1..].starts_with('\'');
        let mut text = String::new();
        let mut escaped = false;
        let mut length = open + 1;
        for letter in rest[open + 1..].chars().take_while(|_| !is_letter) {
            length += letter.len_utf8();
            if letter == '"' && !escaped {
                break;
            }
            escaped = letter == '\\' && !escaped;
            text.push(letter);
        }
        literals.push((&code[..at + open], text));
        at += length;
        rest = &rest[length..];
    }
    literals
}

/// Whether a text is one for people: a word after a word, or Chinese.
fn is_for_people(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    let is_word = |word: &str| {
        let word = word.trim_matches(|letter: char| ".,;:!?()".contains(letter));
        word.len() > 1 && word.chars().all(|letter| letter.is_alphabetic() || letter == '\'')
    };
    text.chars().any(|letter| ('\u{4e00}'..'\u{9fff}').contains(&letter))
        || words.windows(2).any(|pair| is_word(pair[0]) && is_word(pair[1]))
}

#[test]
fn no_component_holds_a_sentence_of_its_own() {
    let told = ["aria-label=", "title=", "placeholder=", "aria-description=", "aria-valuetext=", "alt="];
    let machine = ["class=", "style=", "expect(", "class:", "d="];
    for (path, code) in components() {
        for (before, text) in literals(&code) {
            let before = before.trim_end();
            let is_told = told.iter().any(|name| before.ends_with(name)) && text.chars().any(char::is_alphabetic);
            let is_machine = machine.iter().any(|name| before.ends_with(name));
            assert!(
                !is_told && (is_machine || !is_for_people(&text)),
                "{}: {text:?} belongs into locales/",
                path.display()
            );
        }
    }
    assert!(is_for_people("No sentence here.") && is_for_people("胶囊") && !is_for_people("M0 0H1000"));
}
