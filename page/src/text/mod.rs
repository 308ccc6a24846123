//! Every text that a person reads or hears stands in the tables `locales/en.toml` and `locales/zh.toml`, in a section
//! for each panel. [`say!`] is a text as it is now, [`live!`] one that follows the language. Functions here are for
//! what must be computed before it can be said.

mod language;
pub(crate) mod table;
#[cfg(test)]
mod view_holds_no_text;

use super::format::{fixed, grouped, signed};
use super::geometry::Grid;
use capscope_protocol::{DeviceChoice, Procedure, TrainingState};
pub use language::{Language, language, on_question, set_language};
use std::fmt::Display;

/// The text of a key in the language in use, placeholders filled in: `say!("bar.steps", count = 12)`. A key that is not
/// in both tables and a placeholder that is not given are refused by the compiler. In a closure of a view it is said anew
/// when the language changes.
macro_rules! say {
    ($key:literal $(, $name:ident = $value:expr)* $(,)?) => {{
        const PLACE: usize = $crate::text::table::place_of($key, &[$(stringify!($name)),*]);
        $crate::text::table::filled(PLACE, &[$((stringify!($name), &$value as &dyn std::fmt::Display)),*])
    }};
}

/// [`say!`] as a closure, for attributes, children and props of a view.
#[cfg_attr(not(target_arch = "wasm32"), allow(unused_macros))]
macro_rules! live {
    ($($text:tt)*) => { move || $crate::text::say!($($text)*) };
}

#[cfg_attr(not(target_arch = "wasm32"), allow(unused_imports))]
pub(crate) use live;
pub(crate) use say;

/// The text of a key that is computed, if there is one. It has no placeholders.
pub fn named(key: &str) -> Option<String> {
    table::find(key).map(|place| table::filled(place, &[]))
}

/// The engine cannot be used, and why.
pub fn engine_failed(cause: &str) -> String {
    if cause.is_empty() { say!("banner.engine_failed") } else { say!("banner.engine_failed_because", cause = cause) }
}

/// An error's text as a sentence.
pub fn sentence(error: &str) -> String {
    let mut letters = error.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let end = if error.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// A choice of executor.
pub fn device_choice(device: DeviceChoice) -> String {
    match device {
        DeviceChoice::Auto => say!("bar.device_auto"),
        DeviceChoice::WebGpu => say!("bar.device_webgpu"),
        DeviceChoice::Cpu => say!("bar.device_cpu"),
    }
}

/// What a procedure is called.
pub fn procedure(procedure: Procedure) -> String {
    match procedure {
        Procedure::Dynamic => say!("procedure.dynamic"),
        Procedure::Leaky => say!("procedure.leaky"),
        Procedure::Uniform => say!("procedure.uniform"),
        Procedure::Random => say!("procedure.random"),
        Procedure::SelfAttention => say!("procedure.self_attention"),
        Procedure::Em => say!("procedure.em"),
    }
}

/// The procedure that a network was made for.
pub fn own_procedure(own: Procedure) -> String {
    say!("procedure.own", name = procedure(own))
}

/// What a procedure does, where it comes from, and what to make of it on a network made for another one.
pub fn procedure_account(instead: Option<Procedure>, own: Procedure) -> String {
    let used = instead.unwrap_or(own);
    let mut account = match used {
        Procedure::Dynamic => say!("procedure.dynamic_account"),
        Procedure::Leaky => say!("procedure.leaky_account"),
        Procedure::Uniform => say!("procedure.uniform_account"),
        Procedure::Random => say!("procedure.random_account"),
        Procedure::SelfAttention => say!("procedure.self_attention_account"),
        Procedure::Em => say!("procedure.em_account"),
    };
    let mut add = |sentence: String| {
        account.push(' ');
        account.push_str(&sentence);
    };
    if !used.iterates() {
        add(say!("procedure.iterations_change_nothing"));
    }
    if used != own {
        add(say!("procedure.same_votes", own = procedure(own)));
        if used.learns() {
            add(say!("procedure.has_learnt_nothing"));
        }
    }
    account
}

/// The name of a digit.
pub fn name_of_digit(digit: u8) -> String {
    let names = say!("input.digit_names");
    names.split(' ').nth(digit.into()).map_or_else(|| say!("input.unknown_digit"), String::from)
}

/// Whether the reading is the label's.
pub fn verdict(right: bool, label: u8) -> String {
    if right { say!("input.as_labelled") } else { say!("input.not_as_labelled", label = label) }
}

/// A label and what it was read as, in short: `✓ 4`, or `✗ 4→9`.
pub fn mark<T: PartialEq + Display>(label: &T, read: &T) -> String {
    if label == read { format!("✓\u{2009}{label}") } else { format!("✗\u{2009}{label}→{read}") }
}

/// A cell of a picture with its value; rows and columns are counted from 1.
pub fn cell(row: u32, column: u32, value: f32, decimals: usize) -> String {
    say!("input.cell", pixel = pixel(row, column), value = fixed(value, decimals))
}

/// What the squares are.
pub fn maps(grid: Grid) -> String {
    say!("routing.maps", rows = grid.rows, columns = grid.columns)
}

/// A kind of primary capsule, counted from 1.
pub fn capsule_type(of_type: u32) -> String {
    say!("routing.capsule_type", kind = of_type + 1)
}

/// A primary capsule by type, row and column, counted from 1.
pub fn capsule_place(of_type: u32, row: u32, column: u32) -> String {
    say!("routing.capsule_place", kind = of_type + 1, row = row + 1, column = column + 1)
}

/// What the maps show, for those who do not see them.
pub fn coupling_text(class: Option<u8>, iteration: u8, (low, high): (f32, f32)) -> String {
    let Some(class) = class else { return say!("routing.no_digit_read") };
    let (low, high) = (fixed(low, 3), fixed(high, 3));
    say!("routing.coupling_text", class = class, iteration = iteration, low = low, high = high)
}

/// One digit capsule's length.
pub fn bar(class: u8, length: &str, longest: bool) -> String {
    if longest {
        say!("routing.longest_bar", class = class, length = length)
    } else {
        say!("routing.bar", class = class, length = length)
    }
}

/// Whether routing has changed the answer.
pub fn winner_changed(settled_at: u8, first: u8, last: u8) -> String {
    if settled_at == 1 {
        say!("routing.winner_stays")
    } else {
        say!("routing.winner_changed", first = first, last = last, iteration = settled_at)
    }
}

/// The choice of the longest capsule.
pub fn longest_capsule(winner: Option<u8>) -> String {
    winner.map_or_else(|| say!("pose.longest"), |winner| say!("pose.longest_is", class = winner))
}

/// A pixel, counted from 1.
pub fn pixel(row: u32, column: u32) -> String {
    say!("pose.pixel_place", row = row + 1, column = column + 1)
}

/// What a slider stands at.
pub fn pose_value(value: f32, offset: f32) -> String {
    let value = fixed(value, 3);
    if offset == 0.0 {
        say!("pose.value_own", value = value)
    } else {
        say!("pose.value_moved", value = value, offset = signed(offset, 3))
    }
}

/// A short name of what training does, for style and tests.
pub fn state_name(state: &TrainingState) -> &'static str {
    match state {
        TrainingState::Loading(..) => "loading",
        TrainingState::Waiting => "waiting",
        TrainingState::Running => "running",
        TrainingState::Paused => "paused",
        TrainingState::Finished => "finished",
        TrainingState::Stopped(_) => "stopped",
    }
}

/// A preset with its size.
pub fn preset(name: &str) -> String {
    match name {
        "tiny" => say!("training.preset_tiny"),
        "compact" => say!("training.preset_compact"),
        "paper" => say!("training.preset_paper"),
        other => other.into(),
    }
}

/// How often the test set is read.
pub fn test_interval(steps: u32) -> String {
    if steps == 0 { say!("training.each_epoch") } else { say!("training.every_steps", steps = steps) }
}

/// Title of the table of the curves.
pub fn training_table(every: usize) -> String {
    if every == 1 { say!("training.table") } else { say!("training.thinned_table", every = every) }
}

/// What the network in training is tested on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tested {
    /// Whether two digits overlap in its pictures.
    pub pairs: bool,
    /// The name of an own set and its number of test images.
    pub own: Option<(String, u32)>,
}

impl Tested {
    /// What the button that tests on all of them says.
    pub fn button(&self) -> String {
        match &self.own {
            Some((name, count)) => say!("training.test_own", count = grouped((*count).into()), name = name),
            None if self.pairs => say!("training.test_pairs"),
            None => say!("training.test_all"),
        }
    }

    /// All of them, in a legend.
    pub fn all(&self) -> String {
        match &self.own {
            Some((name, count)) => say!("training.held_out_own", count = grouped((*count).into()), name = name),
            None if self.pairs => say!("training.held_out_pairs"),
            None => say!("training.held_out"),
        }
    }

    /// How many were read right after how many steps.
    pub fn right(&self, percent: &str, total: u64, step: u64) -> String {
        let (total, step) = (grouped(total), grouped(step));
        match self.pairs {
            true => say!("training.held_out_after_pairs", percent = percent, total = total, step = step),
            false => say!("training.held_out_after", percent = percent, total = total, step = step),
        }
    }
}

/// What the check has shown.
pub fn checked(tensors: usize, failed: usize) -> String {
    if failed == 0 {
        say!("hood.all_agree", tensors = tensors)
    } else {
        say!("hood.some_differ", tensors = tensors, failed = failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_become_sentences() {
        assert_eq!(sentence("page and engine differ"), "Page and engine differ.");
        assert_eq!(sentence("Done."), "Done.");
        assert_eq!(sentence(""), ".");
        assert!(engine_failed("").ends_with("has failed; nothing can be computed until you reload the page."));
    }

    #[test]
    fn a_test_is_called_by_what_is_tested_on() {
        let own = Tested { pairs: false, own: Some(("my set".into(), 1234)) };
        let pairs = Tested { pairs: true, own: None };
        let plain = |said: String| said.replace('\u{202f}', " ");
        assert_eq!(plain(Tested::default().button()), "Test on all 10 000");
        assert_eq!(plain(own.button()), "Test on all 1 234 of my set");
        assert_eq!(plain(own.all()), "all 1 234 test images of my set");
        assert_eq!(
            (plain(pairs.button()), plain(pairs.all())),
            ("Test on all 10 000 pairs".into(), "all 10 000 test pairs".into())
        );
        assert!(pairs.right("40 %", 10_000, 5).contains("both digits named"));
        assert!(Tested::default().right("98 %", 10_000, 5).contains("test images right"));
    }

    #[test]
    fn what_is_said_follows_the_language() {
        assert_eq!(verdict(false, 5), "✗ labelled 5");
        assert_eq!((mark(&4, &4), mark(&"1+2", &"1+3")), ("✓\u{2009}4".into(), "✗\u{2009}1+2→1+3".into()));
        assert_eq!((name_of_digit(5), name_of_digit(12)), ("five".into(), "unknown".into()));
        set_language(Language::Chinese);
        assert_eq!(verdict(false, 5), "✗ 标签为 5");
        assert_eq!((name_of_digit(5), name_of_digit(12)), ("五".into(), "未知".into()));
        set_language(Language::English);
    }
}
