//! Signs on buttons, drawn so that they look the same everywhere. They never stand for a name: the button has one.

use leptos::prelude::*;

/// A sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A triangle.
    Play,
    /// Two bars.
    Pause,
    /// A bar and a triangle.
    Step,
    /// An arrow in a circle.
    Reset,
    /// A cross.
    Close,
    /// An arrow onto a line.
    Save,
    /// Half a disc.
    Auto,
    /// A sun.
    Light,
    /// A moon.
    Dark,
}

/// A sign in the text's colour, as large as its letters.
#[component]
pub fn Icon(
    /// Which.
    #[prop(into)]
    sign: Signal<Sign>,
) -> impl IntoView {
    view! {
        <svg class="icon" class:line=move || is_line(sign.get()) viewBox="0 0 16 16" aria-hidden="true">
            <path d=move || outline(sign.get())/>
        </svg>
    }
}

fn outline(sign: Sign) -> &'static str {
    match sign {
        Sign::Play => "M4 2.5v11l9.5-5.5z",
        Sign::Pause => "M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z",
        Sign::Step => "M3 2.5v11l7.5-5.5zM11 2.5h2.5v11H11z",
        Sign::Reset => "M13 8a5 5 0 1 1-1.6-3.7M13.2 1.5v3.3H9.9",
        Sign::Close => "M4 4l8 8M12 4l-8 8",
        Sign::Save => "M8 2v8M4.5 6.5L8 10l3.5-3.5M3 13.5h10",
        Sign::Auto => "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12v-1.2a4.8 4.8 0 0 0 0-9.6z",
        Sign::Light => {
            "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9L13 13M13 3l-1.1 1.1M4.1 11.9L3 13"
        }
        Sign::Dark => "M13.5 9.8A6 6 0 0 1 6.2 2.5a6 6 0 1 0 7.3 7.3z",
    }
}

fn is_line(sign: Sign) -> bool {
    matches!(sign, Sign::Reset | Sign::Close | Sign::Light | Sign::Save)
}
