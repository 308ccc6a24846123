//! The languages of the page, and which one is in use.

use std::cell::Cell;

/// A language that the page speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    English,
    /// 简体中文.
    Chinese,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 2] = [Language::English, Language::Chinese];

    /// Its name in the address and among the tables in `locales/`.
    pub fn name(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh",
        }
    }

    /// Its tag in HTML (BCP 47).
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh-Hans",
        }
    }

    /// The language of a name in the address.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.name() == name)
    }

    /// The first of a person's languages, as browsers list them (`zh-CN`, `en-GB`), that the page speaks.
    pub fn preferred(tags: impl IntoIterator<Item = String>) -> Option<Self> {
        let primary = |tag: String| tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        tags.into_iter().find_map(|tag| Self::named(&primary(tag)))
    }

    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Language::English => Language::Chinese,
            Language::Chinese => Language::English,
        }
    }
}

thread_local! {
    static IN_USE: Cell<Language> = const { Cell::new(Language::English) };
    static NOTED: Cell<fn()> = const { Cell::new(|| {}) };
}

/// The language in use. Whoever shows a text asks here, and is told of a change by way of [`on_question`].
pub fn language() -> Language {
    NOTED.get()();
    IN_USE.get()
}

/// Changes the language in use.
pub fn set_language(language: Language) {
    IN_USE.set(language);
}

/// Calls `note` at each question for the language: the page notes who asked, and asks them to speak anew when it
/// changes.
pub fn on_question(note: fn()) {
    NOTED.set(note);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_language_that_the_page_speaks_is_taken() {
        let preferred = |tags: &[&str]| Language::preferred(tags.iter().map(ToString::to_string));
        assert_eq!(preferred(&["de-DE", "zh-Hant-TW", "en"]), Some(Language::Chinese));
        assert_eq!(preferred(&["EN-gb", "zh"]), Some(Language::English));
        assert_eq!(preferred(&["fr", ""]), None);
        assert!(Language::ALL.iter().all(|language| Language::named(language.name()) == Some(*language)));
    }
}
