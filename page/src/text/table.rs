//! The two tables as one, sorted by key: a key becomes a place in it while the program is compiled.

use super::language;
use std::fmt::{Display, Write};

// `static TEXTS`: keys, each with its text in every language, in the order of `Language::ALL`.
include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// The place of a key, for [`say!`](super::say).
///
/// # Panics
/// While compiling: if no table has the key, a table lacks it, or its placeholders are not these names.
pub const fn place_of(key: &str, names: &[&str]) -> usize {
    let (mut low, mut high) = (0, TEXTS.len());
    while low < high {
        let middle = (low + high) / 2;
        match order(TEXTS[middle].0.as_bytes(), key.as_bytes()) {
            0 => {
                let mut language = 0;
                while language < TEXTS[middle].1.len() {
                    check(TEXTS[middle].1[language].as_bytes(), names);
                    language += 1;
                }
                return middle;
            }
            1 => high = middle,
            _ => low = middle + 1,
        }
    }
    panic!("no table in locales/ has this key")
}

/// 0 if both are the same, 1 if the first comes later, 2 if it comes earlier.
const fn order(first: &[u8], second: &[u8]) -> u8 {
    let mut at = 0;
    while at < first.len() && at < second.len() {
        if first[at] != second[at] {
            return if first[at] > second[at] { 1 } else { 2 };
        }
        at += 1;
    }
    if first.len() == second.len() { 0 } else { 1 + (first.len() < second.len()) as u8 }
}

/// Refuses a text whose placeholders are not these names.
const fn check(text: &[u8], names: &[&str]) {
    assert!(!text.is_empty(), "a table in locales/ lacks this key");
    let (mut at, mut found) = (0, 0);
    while at + 1 < text.len() {
        if text[at] == b'%' && text[at + 1] == b'{' {
            found += 1;
            let mut name = 0;
            while name < names.len() && !begins(text, at + 2, names[name].as_bytes()) {
                name += 1;
            }
            assert!(name < names.len(), "this text has a placeholder that is not given");
        }
        at += 1;
    }
    assert!(found >= names.len(), "this text has no place for one of the names");
}

/// Whether a placeholder's name and its closing brace stand there.
const fn begins(text: &[u8], start: usize, name: &[u8]) -> bool {
    let mut at = 0;
    while at < name.len() {
        if start + at >= text.len() || text[start + at] != name[at] {
            return false;
        }
        at += 1;
    }
    start + at < text.len() && text[start + at] == b'}'
}

/// The place of a key that is computed.
pub fn find(key: &str) -> Option<usize> {
    TEXTS.binary_search_by_key(&key, |(key, _)| key).ok()
}

/// The text at a place in the language in use, with what its placeholders stand for.
pub fn filled(place: usize, values: &[(&str, &dyn Display)]) -> String {
    let mut rest = TEXTS[place].1[language() as usize];
    let mut text = String::with_capacity(rest.len());
    while let Some((before, after)) = rest.split_once("%{") {
        text.push_str(before);
        let (name, behind) = after.split_once('}').unwrap_or((after, ""));
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            // Writing into a string does not fail.
            let _ = write!(text, "{value}");
        }
        rest = behind;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Language, say};
    use std::collections::BTreeSet;

    /// Names of the `%{placeholders}` of a text.
    fn placeholders(text: &str) -> BTreeSet<&str> {
        text.split("%{").skip(1).map(|rest| rest.split('}').next().unwrap_or_default()).collect()
    }

    #[test]
    fn both_tables_have_the_same_keys_and_placeholders_and_nothing_is_empty() {
        assert!(TEXTS.len() > 150 && TEXTS.is_sorted_by_key(|(key, _)| key));
        for (key, texts) in &TEXTS {
            assert_eq!(texts.len(), Language::ALL.len());
            for text in texts {
                assert!(!text.trim().is_empty(), "{key} is empty or missing in a table");
                assert_eq!(placeholders(texts[0]), placeholders(text), "{key}");
                assert_eq!(text.matches("%{").count(), text.matches('}').count(), "{key}");
            }
        }
    }

    #[test]
    fn placeholders_are_filled_in() {
        assert_eq!(say!("routing.bar", class = 5, length = "0.94"), "Digit 5, length 0.94");
        assert_eq!(find("routing.bar").map(|place| TEXTS[place].0), Some("routing.bar"));
        assert_eq!(find("routing.no such text"), None);
    }

    #[test]
    #[should_panic(expected = "no table")]
    fn an_unknown_key_is_refused() {
        place_of("routing.no such text", &[]);
    }

    #[test]
    #[should_panic(expected = "not given")]
    fn a_missing_value_is_refused() {
        place_of("routing.bar", &["class"]);
    }
}
