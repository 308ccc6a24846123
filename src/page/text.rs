//! Every text that a person reads or hears, in one place, so that it can be translated. Names that tests and screen
//! readers rely on are marked by use: buttons, sliders, pictures, regions.

use super::format::{fixed, signed};
use super::geometry::Grid;
use crate::protocol::{DeviceChoice, TrainingState};

// Banners.
pub const DISMISS: &str = "Dismiss";
pub const USE_WEBGPU: &str = "Use WebGPU";
pub const ENGINE_SILENT: &str =
    "The engine has not started after 20 seconds; on a slow connection it may still come, otherwise reload the page.";
pub const UNFIT_READING: &str = "The engine's answer does not fit its own sizes; reload the page.";

/// The engine cannot be used, and why.
pub fn engine_failed(cause: &str) -> String {
    let cause = if cause.is_empty() { String::new() } else { format!(" ({cause})") };
    format!("The engine's worker has failed{cause}; nothing can be computed until you reload the page.")
}

/// An error's text as a sentence.
pub fn sentence(error: &str) -> String {
    let mut letters = error.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let end = if error.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

// The bar.
pub const PICTURES_OF: &str = "Pictures of";
pub const DEVICE: &str = "Device";
pub const DEVICE_UNKNOWN: &str = "looking for a device";
pub const THEME_AUTO: &str = "Theme: as the system";
pub const THEME_LIGHT: &str = "Theme: light";
pub const THEME_DARK: &str = "Theme: dark";
pub const YOURS: &str = "yours";

/// A network that ships with the page.
pub fn shipped(name: &str) -> String {
    format!("{name}, pretrained")
}

/// The network in training.
pub fn yours(preset: &str) -> String {
    format!("{preset}, yours")
}

/// How large a network is.
pub fn parameters(count: &str) -> String {
    format!("{count} parameters")
}

/// How many test images it reads right.
pub fn test_accuracy(percent: &str) -> String {
    format!("{percent} of 10\u{202f}000 right")
}

/// How long it was trained.
pub fn steps(count: &str) -> String {
    format!("{count} steps")
}

/// A choice of executor.
pub fn device_choice(device: DeviceChoice) -> &'static str {
    match device {
        DeviceChoice::Auto => "Automatic",
        DeviceChoice::WebGpu => "WebGPU",
        DeviceChoice::Cpu => "CPU",
    }
}

/// The executor while WebGPU is still being asked for.
pub fn device_for_now(name: &str) -> String {
    format!("{name}, asking for WebGPU")
}

/// A software adapter.
pub fn software(name: &str) -> String {
    format!("{name} (software)")
}

// The digit.
pub const INPUT: &str = "Input";
pub const PAD: &str = "Draw pad";
pub const PAD_KEYS: &str =
    "Keys: arrows move the cursor, Space inks while it is held, Enter puts the pen down and lifts it.";
pub const DRAW_A_DIGIT: &str = "Draw a digit";
pub const CLEAR: &str = "Clear";
pub const RANDOM_DIGIT: &str = "Random digit";
pub const SEEN: &str = "What the network sees";
pub const SEEN_NOTE: &str = "The network sees 28×28 pixels: the ink is scaled into 20×20 and centred by its mass.";
pub const DRAWN: &str = "Your drawing.";
pub const GALLERY: &str = "Test digits";
pub const PREDICTION: &str = "Prediction";
pub const LENGTH: &str = "length";
pub const NOTHING_DRAWN: &str = "The pad is blank: draw a digit, or pick one from the test set.";
pub const UNTRAINED: &str = "This network is untrained: it predicts nothing yet.";
pub const NOT_READ: &str = "Nothing was read: the sentence above says why.";
pub const READING: &str = "The network is being loaded.";

/// Names of the digits.
const DIGITS: [&str; 10] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

fn name_of(digit: u8) -> &'static str {
    DIGITS.get(usize::from(digit)).copied().unwrap_or("unknown")
}

/// A digit of the test set.
pub fn test_digit(index: u32, label: u8) -> String {
    format!("Test digit {index}, labelled {label}.")
}

/// What the network reads.
pub fn read_as(class: u8) -> String {
    format!("Read as {}", name_of(class))
}

/// The second longest capsule.
pub fn runner_up(class: u8) -> String {
    format!("runner-up {class},")
}

/// Whether the reading is the label's.
pub fn verdict(right: bool, label: u8) -> String {
    if right { "✓ as labelled".into() } else { format!("✗ labelled {label}") }
}

/// A cell of a picture with its value; rows and columns are counted from 1.
pub fn cell(row: u32, column: u32, value: f32, decimals: usize) -> String {
    format!("{}: {}", pixel(row, column), fixed(value, decimals))
}

// Routing.
pub const ROUTING: &str = "Routing";
pub const PLAY_ROUTING: &str = "Play routing";
pub const ITERATION: &str = "Iteration";
pub const ROUTING_ITERATIONS: &str = "Routing iterations";
pub const DYNAMIC: &str = "dynamic routing";
pub const COUPLING: &str = "Coupling coefficients";
pub const CAPSULE_PICKER: &str = "Primary capsules: arrows move, Enter pins, Escape unpins";
pub const MAPS_STRONG: &str = "Strong colour, on a logarithmic scale: the capsule there sends its vote to";
pub const NUMBERS_OF_COUPLING: &str = "All coefficients as numbers";
pub const UNIFORM: &str = "uniform";
pub const THIS_ITERATION: &str = "this iteration";
pub const CAPSULE: &str = "capsule";
pub const ONE_CAPSULE: &str = "One primary capsule";
pub const UNDER_POINTER: &str = "under the pointer; a click pins it";
pub const PINNED: &str = "pinned; Escape or another click lets it go";
pub const CLOSEST: &str = "couples most with the digit in view";
pub const DIGIT: &str = "to";
pub const LOGIT: &str = "Logit: the votes' agreement so far";
pub const SUM_IS_ONE: &str = "one vote in all";
pub const ITS_LENGTH: &str = "Length of this capsule, and so the weight of what it says:";
pub const LENGTHS: &str = "Lengths of the digit capsules";
pub const LENGTHS_NOTE: &str =
    "A bar for each iteration. The longest capsule is the answer. Pick a digit to see its couplings and its pose.";
pub const FOLLOW_WINNER: &str = "Back to the longest";
pub const ENTROPY: &str = "Entropy";
pub const LONGEST: &str = "Longest";
pub const ITS_LENGTH_SHORT: &str = "Length";

/// What the squares are.
pub fn maps(grid: Grid) -> String {
    format!(
        "Each square is one kind of primary capsule, looking at {}×{} places of the digit.",
        grid.rows, grid.columns
    )
}

/// A kind of primary capsule, counted from 1.
pub fn capsule_type(of_type: u32) -> String {
    format!("type {}", of_type + 1)
}

/// A primary capsule by type, row and column, counted from 1.
pub fn capsule_place(of_type: u32, row: u32, column: u32) -> String {
    format!("type {}, row {}, column {}", of_type + 1, row + 1, column + 1)
}

/// What the maps show, for those who do not see them.
pub fn coupling_text(class: Option<u8>, iteration: u8, (low, high): (f32, f32)) -> String {
    match class {
        Some(class) => format!(
            "Coefficients of all primary capsules to digit {class} in iteration {iteration}; over all iterations from {} to {}.",
            fixed(low, 3),
            fixed(high, 3)
        ),
        None => "No digit was read.".into(),
    }
}

/// Title of the table of coefficients.
pub fn coupling_table(iteration: u8) -> String {
    format!("Coupling coefficients to each digit, iteration {iteration}")
}

/// One digit capsule's length.
pub fn bar(class: u8, length: &str, longest: bool) -> String {
    format!("Digit {class}, length {length}{}", if longest { ", the longest" } else { "" })
}

/// How undecided the capsules are.
pub fn entropy(now: &str, parents: usize, most: &str) -> String {
    format!("Entropy of the coefficients {now} of at most ln {parents} = {most}: the lower, the more decided.")
}

/// Whether routing has changed the answer.
pub fn winner_changed(settled_at: u8, first: u8, last: u8) -> String {
    if settled_at == 1 {
        "The winner did not change.".into()
    } else {
        format!("The winner changed from {first} to {last}, for good in iteration {settled_at}.")
    }
}

// The pose.
pub const POSE: &str = "Pose";
pub const DIMENSIONS: &str = "Dimensions of the pose";
pub const RECONSTRUCTION: &str = "Reconstruction";
pub const INPUT_DIGIT: &str = "Input digit";
pub const DIFFERENCE: &str = "Difference";
pub const RECONSTRUCTION_CAPTION: &str = "reconstruction";
pub const ORIGINAL: &str = "original";
pub const DIFFERENCE_CAPTION: &str = "difference";
pub const PIXEL: &str = "pixel";
pub const PICTURES_TABLE: &str = "Every pixel of the three pictures";
pub const NUMBERS_OF_PICTURES: &str = "These pictures as numbers";
pub const CAPSULE_IN_VIEW: &str = "Capsule";
pub const SPAN: &str = "Span of the sliders";
pub const SPAN_DEVIATIONS: &str = "±2 sd";
pub const SPAN_PAPER: &str = "±0.25";
pub const SPREAD_UNKNOWN: &str =
    "The spread of this network's poses is not known yet: the sliders span the paper's ±0.25.";
pub const POSE_NOTE: &str =
    "Sixteen numbers say how this digit is written. Bend one and see what it stands for; the mark is its own value.";
pub const RESET_POSE: &str = "Reset pose";
pub const STRIP: &str = "Swept pictures";
pub const ITS_OWN: &str = "its own value";

/// The panel's title.
pub fn pose_of(class: u8) -> String {
    format!("Pose of capsule {class}")
}

/// The choice of the longest capsule.
pub fn longest_capsule(winner: Option<u8>) -> String {
    winner.map_or("longest".into(), |winner| format!("longest ({winner})"))
}

/// The choice of one capsule.
pub fn capsule_of(class: u8) -> String {
    format!("digit {class}")
}

/// A pixel, counted from 1.
pub fn pixel(row: u32, column: u32) -> String {
    format!("row {}, column {}", row + 1, column + 1)
}

/// How far the picture is from the digit.
pub fn squared_error(sum: &str) -> String {
    format!("Sum of squared differences: {sum}")
}

/// Name of a slider, counted from 1.
pub fn pose_dimension(of: usize) -> String {
    format!("Pose dimension {}", of + 1)
}

/// What a slider stands at.
pub fn pose_value(value: f32, offset: f32) -> String {
    if offset == 0.0 {
        format!("{}, its own value", fixed(value, 3))
    } else {
        format!("{}, moved by {}", fixed(value, 3), signed(offset, 3))
    }
}

/// Name of the field where a value is typed.
pub fn typed_value(of: usize) -> String {
    format!("Dimension {}, typed value", of + 1)
}

/// Name of the button that takes one dimension back.
pub fn reset_dimension(of: usize) -> String {
    format!("Take dimension {} back", of + 1)
}

/// A picture of the strip.
pub fn swept_picture(of: usize, offset: &str) -> String {
    format!("Dimension {} moved by {offset}", of + 1)
}

/// Title of the strip.
pub fn strip(of: usize) -> String {
    format!("Dimension {} in eleven steps", of + 1)
}

// Training.
pub const TRAINING: &str = "Training";
pub const RESET_TRAINING: &str = "Reset training";
pub const TRAIN: &str = "Train";
pub const PAUSE: &str = "Pause";
pub const STEP: &str = "Step";
pub const TRAINING_STATUS: &str = "Training status";
pub const NO_TRAINING: &str = "Nothing is trained yet. Train starts a new network with the settings below.";
pub const RUNNING: &str = "Training.";
pub const PAUSED: &str = "Paused.";
pub const FINISHED: &str = "Finished: all epochs are done.";
pub const DOWNLOAD: &str = "Download of the training set";
pub const STEPS: &str = "steps";
pub const EPOCHS: &str = "epochs";
pub const IMAGES: &str = "images";
pub const SPEED: &str = "images/s";
pub const SHOWS_YOURS: &str = "The pictures above are of the network in training.";
pub const SHOWS_SHIPPED: &str = "The pictures above are of a pretrained network.";
pub const SHOW_YOURS: &str = "Show yours";
pub const SHOW_SHIPPED: &str = "Show the pretrained";
pub const RESTARTS: &str = "Each setting but the rate takes a new network.";
pub const DIFFERS: &str = "These settings are not those of the network in training. Reset starts a new one with them.";
pub const NETWORK: &str = "Network";
pub const BATCH_SIZE: &str = "Batch size";
pub const RATE: &str = "Learning rate";
pub const R_IN_TRAINING: &str = "Iterations r";
pub const RECONSTRUCTION_WEIGHT: &str = "Reconstruction";
pub const AS_PRINTED: &str = "0.0005, as printed";
pub const AS_RUN: &str = "0.01, as run";
pub const EPOCH_COUNT: &str = "Epochs";
pub const TEST_EVERY: &str = "Test";
pub const SEED: &str = "Seed";
pub const LOSSES: &str = "Loss, logarithmic";
pub const MARGIN: &str = "margin";
pub const RECONSTRUCTION_LOSS: &str = "reconstruction";
pub const ACCURACIES: &str = "Accuracy";
pub const BATCH_ACCURACY: &str = "training batch";
pub const HELD_OUT: &str = "all 10\u{202f}000 test images";
pub const ROUTING_ENTROPY: &str = "Routing entropy, at most ln 10";
pub const NATS: &str = "nats";
pub const NO_CURVE: &str = "Train, and the curve grows here.";
pub const TEST_ALL: &str = "Test on all 10\u{202f}000";
pub const CANCEL_TEST: &str = "Cancel the test";
pub const TEST_PROGRESS: &str = "Test images read";
pub const NUMBERS_OF_TRAINING: &str = "Curves as numbers";

/// A short name of what training does, for style and tests.
pub fn state_name(state: &TrainingState) -> &'static str {
    match state {
        TrainingState::Loading(..) => "loading",
        TrainingState::Running => "running",
        TrainingState::Paused => "paused",
        TrainingState::Finished => "finished",
        TrainingState::Stopped(_) => "stopped",
    }
}

/// The training set is on its way.
pub fn loading(size: &str) -> String {
    format!("Fetching the training set, {size}.")
}

/// The last test.
pub fn held_out(percent: &str, total: &str, step: &str) -> String {
    format!("{percent} of all {total} test images right after {step} steps.")
}

/// A preset with its size.
pub fn preset(name: &str) -> String {
    match name {
        "tiny" => "tiny, 180\u{202f}k".into(),
        "compact" => "compact, 792\u{202f}k".into(),
        "paper" => "paper, 8.2\u{202f}M".into(),
        other => other.into(),
    }
}

/// How often the test set is read.
pub fn test_interval(steps: u32) -> String {
    if steps == 0 { "each epoch".into() } else { format!("every {steps} steps") }
}

/// How much of how much.
pub fn of(part: &str, whole: &str) -> String {
    format!("{part} of {whole}")
}

/// Title of the table of the curves.
pub fn training_table(every: usize) -> String {
    if every == 1 { "Every training step".into() } else { format!("Every {every}th training step") }
}

// The machine room.
pub const HOOD: &str = "Under the hood";
pub const PLAN: &str = "Plan of a training step";
pub const PLAN_NOTE: &str =
    "The network is turned into this list once; the GPU's shaders and their twins on the CPU both run it.";
pub const PLAN_SUMMARY: &str = "The steps and what they cost";
pub const OPERATION: &str = "operation";
pub const PHASE: &str = "phase";
pub const WORK: &str = "work";
pub const TRAFFIC: &str = "traffic";
pub const CHECK: &str = "This device against its twin";
pub const CHECK_NOTE: &str =
    "Runs every kernel and a whole training step on this device and on the CPU, and compares every tensor.";
pub const CHECK_ON_CPU: &str =
    "The page runs on the CPU, against which other devices are checked: choose WebGPU in the bar to compare it.";
pub const CHECK_THIS_DEVICE: &str = "Check this device";
pub const CHECKING: &str = "Comparing.";
pub const TENSOR: &str = "tensor";
pub const ERROR: &str = "worst error";
pub const VERDICT: &str = "verdict";
pub const PASSES: &str = "✓ within";
pub const FAILS: &str = "✗ beyond";

/// Title of the plan.
pub fn plan_caption(network: &str, batch: u32, flops: &str, bytes: &str) -> String {
    format!("{network}, {batch} images: {flops} and {bytes} read and written a step")
}

/// What the check has shown.
pub fn checked(tensors: usize, failed: usize) -> String {
    match failed {
        0 => format!("✓ All {tensors} tensors agree."),
        failed => format!("✗ {failed} of {tensors} tensors differ by more than the limit; train on the CPU instead."),
    }
}

/// Title of the check's table.
pub fn check_caption(limit: &str) -> String {
    format!("Worst error of each tensor, relative to its largest magnitude; the limit is {limit}")
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
}
