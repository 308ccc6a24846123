//! A button that saves a picture as a file.

use super::icon::{Icon, Sign};
use crate::text::say;
use crate::view::download;
use leptos::prelude::*;

/// A kind of file that a picture is saved as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Cells as pixels.
    Png,
    /// Lines.
    Svg,
}

impl FileKind {
    /// What its name ends with.
    pub fn ending(self) -> &'static str {
        match self {
            FileKind::Png => "png",
            FileKind::Svg => "svg",
        }
    }

    fn mime(self) -> &'static str {
        match self {
            FileKind::Png => "image/png",
            FileKind::Svg => "image/svg+xml",
        }
    }
}

/// Saves what `file` makes, a name and the bytes, when it is pressed; nothing while there is nothing to save.
#[component]
pub fn Save(
    /// What is saved, as its name says it.
    #[prop(into)]
    what: Signal<String>,
    /// The kind of file.
    kind: FileKind,
    /// Name and bytes.
    file: impl Fn() -> Option<(String, Vec<u8>)> + 'static,
) -> impl IntoView {
    let ending = kind.ending().to_uppercase();
    let label = {
        let ending = ending.clone();
        Signal::derive(move || say!("pose.save_as", what = what.get(), kind = ending))
    };
    let save = move |_| {
        if let Some((name, bytes)) = file() {
            download::save(&name, kind.mime(), &bytes);
        }
    };
    view! {
        <button type="button" class="keep-file" aria-label=label title=label on:click=save><Icon sign=Sign::Save/>{ending}</button>
    }
}
