//! What the page shows, in its address: opening the address gives the same view. Whatever else an address holds is
//! clamped or ignored.

mod bend;
mod recipe;
mod second;

pub use bend::{Bend, DIMENSIONS};
pub use recipe::{EPOCHS, RATES, RECONSTRUCTIONS, Recipe, TEST_INTERVALS};
pub use second::Second;

use super::drawing::Drawing;
use super::moves::Axis;
use super::slow::phase_count;
use super::text::Language;
use capscope_ink::Transform;
use capscope_protocol::{DeviceChoice, Procedure, Shown};

/// Trained networks that ship with the page, the default first.
pub const SHIPPED: [&str; 2] = ["compact", "tiny"];

/// Networks that can be trained, smallest first.
pub const PRESETS: [&str; 3] = ["tiny", "compact", "paper"];

/// Batch sizes on offer.
pub const BATCHES: [u32; 8] = [1, 8, 16, 32, 64, 128, 192, 256];

/// Routing iterations on offer.
pub const MOST_ITERATIONS: u8 = 10;

/// Phases of a training step of [`MOST_ITERATIONS`].
pub const MOST_PHASES: u8 = phase_count(MOST_ITERATIONS);

/// No network in a page has so many primary capsules.
pub const MOST_CAPSULES: u32 = 100_000;

/// Test digits there are.
pub const TEST_DIGITS: u32 = 10_000;

/// The view that an address describes.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// The language of the page; `None`: the person's.
    pub language: Option<Language>,
    /// Which executor to use.
    pub device: DeviceChoice,
    /// Which trained network reads, one of [`SHIPPED`].
    pub network: String,
    /// The test digit that is read; `None`: the page's choice.
    pub digit: Option<u32>,
    /// How the digit is moved before it is read; each part at a stop of its slider.
    pub transform: Transform,
    /// What was drawn; a drawing counts more than a test digit.
    pub drawing: Option<Drawing>,
    /// A second digit over the first.
    pub second: Option<Second>,
    /// What routes the votes; `None`: the procedure that the network was made for.
    pub procedure: Option<Procedure>,
    /// Routing iterations r.
    pub iterations: u8,
    /// The iteration shown, 1 to r; `None`: the last one.
    pub iteration: Option<u8>,
    /// Whether the coefficients are shown as a flow instead of a map.
    pub flows: bool,
    /// The digit capsule in view.
    pub shown: Shown,
    /// The primary capsule that was picked, below [`MOST_CAPSULES`]. The network in view may have fewer.
    pub pinned: Option<u32>,
    /// How its pose is bent.
    pub bend: Bend,
    /// The network to train, one of [`PRESETS`].
    pub preset: String,
    /// Images a training step, one of [`BATCHES`].
    pub batch: u32,
    /// Seed of training.
    pub seed: u64,
    /// The other settings of training.
    pub recipe: Recipe,
    /// The phase of a training step in slow motion that is in view, from 1 to [`MOST_PHASES`]; `None`: slow motion is off.
    pub phase: Option<u8>,
    /// Whether the page is a figure in another one, without what such a figure does not need.
    pub embed: bool,
}

impl Default for Address {
    fn default() -> Self {
        Address {
            language: None,
            device: DeviceChoice::Auto,
            network: SHIPPED[0].into(),
            digit: None,
            transform: Transform::IDENTITY,
            drawing: None,
            second: None,
            procedure: None,
            iterations: 3,
            iteration: None,
            flows: false,
            shown: Shown::Longest,
            pinned: None,
            bend: Bend::default(),
            preset: "compact".into(),
            batch: 128,
            seed: 1,
            recipe: Recipe::default(),
            phase: None,
            embed: false,
        }
    }
}

impl Address {
    /// Reads the part of an address after `?`, with or without it.
    pub fn parse(query: &str) -> Self {
        let mut address = Address::default();
        for part in query.trim_start_matches('?').split('&') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            address.read(name, value);
        }
        if address.drawing.is_some() {
            address.digit = None;
        }
        address.iteration = address.iteration.map(|iteration| iteration.clamp(1, address.iterations));
        address
    }

    fn read(&mut self, name: &str, value: &str) {
        match name {
            "lang" => self.language = Language::named(value).or(self.language),
            "device" => self.device = device_named(value).unwrap_or(self.device),
            "network" => known(value, &SHIPPED, &mut self.network),
            "digit" => self.digit = whole(value, u64::from(TEST_DIGITS) - 1).map(|n| n as u32).or(self.digit),
            "right" | "down" | "turn" | "scale" => self.read_transform(name, value),
            "drawing" => self.drawing = Drawing::read(value).or(self.drawing.take()),
            "second" => self.second = Second::read(value).or(self.second),
            "routing" => self.procedure = value.parse().ok().or(self.procedure),
            "r" => self.iterations = iterations(value).unwrap_or(self.iterations),
            "iteration" => self.iteration = iterations(value).or(self.iteration),
            "view" => self.flows = value == "flow",
            "capsule" => self.shown = whole(value, 9).map_or(self.shown, |class| Shown::Class(class as u8)),
            "pin" => self.pinned = whole(value, u64::from(MOST_CAPSULES) - 1).map(|n| n as u32).or(self.pinned),
            "preset" => known(value, &PRESETS, &mut self.preset),
            "batch" => self.batch = whole(value, 256).map_or(self.batch, |n| nearest_batch(n as u32)),
            "seed" => self.seed = whole(value, u64::MAX).unwrap_or(self.seed),
            "phase" => self.phase = whole(value, MOST_PHASES.into()).map(|n| (n as u8).max(1)).or(self.phase),
            // `embed` alone, or with a value other than 0.
            "embed" => self.embed = value != "0",
            _ => {
                self.bend.read(name, value);
                self.recipe.read(name, value);
            }
        }
    }

    fn read_transform(&mut self, name: &str, value: &str) {
        let axis = Axis::ALL.into_iter().find(|axis| axis_name(*axis) == name);
        if let (Some(axis), Ok(value)) = (axis, value.parse::<f32>()) {
            self.transform = axis.put(&self.transform, axis.snap(value));
        }
    }

    /// The part of an address after `?`, without what is as it is by default.
    pub fn query(&self) -> String {
        let plain = Address::default();
        let mut pairs = Vec::new();
        let mut put = |differs: bool, name: &str, value: String| {
            if differs {
                pairs.push(format!("{name}={value}"));
            }
        };
        put(self.language.is_some(), "lang", self.language.map_or("", Language::name).into());
        put(self.device != plain.device, "device", device_name(self.device).into());
        put(self.network != plain.network, "network", self.network.clone());
        put(self.digit.is_some(), "digit", self.digit.unwrap_or(0).to_string());
        for axis in Axis::ALL {
            let value = axis.of(&self.transform);
            put(value != axis.rest(), axis_name(axis), value.to_string());
        }
        put(self.drawing.is_some(), "drawing", self.drawing.as_ref().map(Drawing::text).unwrap_or_default());
        put(self.second.is_some(), "second", self.second.map(Second::text).unwrap_or_default());
        put(self.procedure.is_some(), "routing", self.procedure.unwrap_or_default().to_string());
        put(self.iterations != plain.iterations, "r", self.iterations.to_string());
        put(self.iteration.is_some(), "iteration", self.iteration.unwrap_or(1).to_string());
        put(self.flows, "view", "flow".into());
        if let Shown::Class(class) = self.shown {
            put(true, "capsule", class.to_string());
        }
        put(self.pinned.is_some(), "pin", self.pinned.unwrap_or(0).to_string());
        self.bend.parts().for_each(|(name, value)| put(true, name, value));
        put(self.preset != plain.preset, "preset", self.preset.clone());
        put(self.batch != plain.batch, "batch", self.batch.to_string());
        put(self.seed != plain.seed, "seed", self.seed.to_string());
        self.recipe.parts().for_each(|(name, value)| put(true, name, value));
        put(self.phase.is_some(), "phase", self.phase.unwrap_or(1).to_string());
        put(self.embed, "embed", "1".into());
        pairs.join("&")
    }
}

/// What a slider of the transform is called in addresses.
fn axis_name(axis: Axis) -> &'static str {
    match axis {
        Axis::ShiftX => "right",
        Axis::ShiftY => "down",
        Axis::Rotate => "turn",
        Axis::Scale => "scale",
    }
}

/// A device's name in addresses and selects.
pub fn device_name(device: DeviceChoice) -> &'static str {
    match device {
        DeviceChoice::Auto => "auto",
        DeviceChoice::WebGpu => "webgpu",
        DeviceChoice::Cpu => "cpu",
    }
}

/// The device of a name.
pub fn device_named(name: &str) -> Option<DeviceChoice> {
    [DeviceChoice::Auto, DeviceChoice::WebGpu, DeviceChoice::Cpu].into_iter().find(|d| device_name(*d) == name)
}

/// A whole number, at most `most`; one with more digits than fit is `most` too.
fn whole(text: &str, most: u64) -> Option<u64> {
    let is_whole = !text.is_empty() && text.len() <= 40 && text.bytes().all(|b| b.is_ascii_digit());
    is_whole.then(|| text.parse().unwrap_or(u64::MAX).min(most))
}

fn iterations(text: &str) -> Option<u8> {
    whole(text, u64::from(MOST_ITERATIONS)).map(|n| (n as u8).max(1))
}

fn known(value: &str, names: &[&str], place: &mut String) {
    if let Some(name) = names.iter().find(|name| **name == value) {
        *place = (*name).into();
    }
}

/// The batch size on offer that is nearest.
fn nearest_batch(batch: u32) -> u32 {
    nearest(&BATCHES, |offered| offered.abs_diff(batch))
}

/// The one of `offered` that is least far; of equals the first.
fn nearest<T: Copy, D: PartialOrd>(offered: &[T], far: impl Fn(T) -> D) -> T {
    offered.iter().copied().fold(offered[0], |best, next| if far(next) < far(best) { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_address_is_the_plain_view() {
        assert_eq!(Address::parse(""), Address::default());
        assert_eq!(Address::parse("?"), Address::default());
        assert_eq!(Address::default().query(), "");
    }

    #[test]
    fn a_full_address_is_read() {
        let query = "lang=zh&device=cpu&network=tiny&digit=42&right=-2.25&turn=30&scale=1.05&r=5&iteration=2&capsule=3&preset=paper&batch=32&seed=7";
        let address = Address::parse(&format!("?{query}"));
        assert_eq!((address.device, address.network.as_str(), address.digit), (DeviceChoice::Cpu, "tiny", Some(42)));
        assert_eq!((address.iterations, address.iteration, address.shown), (5, Some(2), Shown::Class(3)));
        assert_eq!((address.preset.as_str(), address.batch, address.seed), ("paper", 32, 7));
        let moved = Transform { shift_x: -2.25, shift_y: 0.0, rotate_degrees: 30.0, scale: 1.05 };
        assert_eq!(address.transform, moved);
        assert_eq!(address.language, Some(Language::Chinese));
        assert_eq!(address.query(), query);
    }

    #[test]
    fn hostile_values_are_clamped_or_ignored() {
        let address = Address::parse("r=99&iteration=0&digit=123456789012345678901234567890&capsule=12&batch=40");
        assert_eq!((address.iterations, address.iteration, address.digit), (10, Some(1), Some(9_999)));
        assert_eq!((address.shown, address.batch), (Shown::Class(9), 32));
        let hostile =
            "device=%00&network=<script>&digit=-1&r=NaN&iteration=1e9&capsule=&preset=../../etc&seed=0x10&=&&x";
        assert_eq!(Address::parse(hostile), Address::default());
        let moved = Address::parse("right=1e30&down=NaN&turn=-inf&scale=0").transform;
        assert_eq!(moved, Transform { shift_x: 6.0, shift_y: 0.0, rotate_degrees: -60.0, scale: 0.5 });
        assert_eq!(Address::parse("r=2&iteration=9").iteration, Some(2));
    }

    /// Any view that the page can be in.
    fn views() -> impl Strategy<Value = Address> {
        use proptest::option::of;
        use proptest::sample::select;
        let device = select(vec![DeviceChoice::Auto, DeviceChoice::WebGpu, DeviceChoice::Cpu]);
        let digit = prop_oneof![
            of(0..TEST_DIGITS).prop_map(|digit| (digit, None)),
            crate::drawing::tests::drawings().prop_map(|drawing| (None, Some(drawing)))
        ];
        let second = (0..TEST_DIGITS, (-4i8..=4, -4i8..=4)).prop_map(|(digit, shift)| Second { digit, shift });
        let along = |axis: Axis| {
            let (low, high) = axis.range();
            (low..=high).prop_map(move |value| axis.snap(value))
        };
        let transform = Axis::ALL.map(along).prop_map(|values| {
            let each = Axis::ALL.into_iter().zip(values);
            each.fold(Transform::IDENTITY, |transform, (axis, value)| axis.put(&transform, value))
        });
        let shown = of(0u8..10).prop_map(|class| class.map_or(Shown::Longest, Shown::Class));
        let rounds =
            (of(select(Procedure::ALL.to_vec())), (1..=MOST_ITERATIONS).prop_flat_map(|r| (Just(r), of(1..=r))));
        let offset = prop_oneof![Just(0.0f32), -2.0f32..=2.0];
        let span = select(vec![crate::pose::Span::Deviations, crate::pose::Span::Paper]);
        let bend = (proptest::array::uniform16(offset), span, of(0u8..16))
            .prop_map(|(offsets, span, dimension)| Bend { offsets: offsets.map(|o| o + 0.0), span, dimension });
        let recipe = (
            any::<bool>(),
            select(Procedure::ALL.to_vec()),
            select(RATES.to_vec()),
            1..=MOST_ITERATIONS,
            select(RECONSTRUCTIONS.to_vec()),
            select(EPOCHS.to_vec()),
            select(TEST_INTERVALS.to_vec()),
        )
            .prop_map(|(pairs, procedure, rate, iterations, reconstruction, epochs, evaluate_every)| Recipe {
                pairs,
                procedure,
                rate,
                iterations,
                reconstruction,
                epochs,
                evaluate_every,
            });
        let training = (select(PRESETS.to_vec()), select(BATCHES.to_vec()), any::<u64>(), recipe, of(1..=MOST_PHASES));
        let digit = (digit, transform);
        let view = (device, select(SHIPPED.to_vec()), digit, of(second), rounds, shown, of(0..MOST_CAPSULES), bend);
        (view, training, any::<(bool, bool)>()).prop_map(
            |(view, (preset, batch, seed, recipe, phase), (embed, flows))| {
                let (device, network, ((digit, drawing), transform), second, rounds, shown, pinned, bend) = view;
                let (procedure, (iterations, iteration)) = rounds;
                let (network, preset) = (network.to_string(), preset.to_string());
                let what = Address {
                    device,
                    network,
                    digit,
                    drawing,
                    transform,
                    second,
                    procedure,
                    iterations,
                    iteration,
                    ..Address::default()
                };
                Address { flows, shown, pinned, bend, preset, batch, seed, recipe, phase, embed, ..what }
            },
        )
    }

    #[test]
    fn a_bent_pose_and_a_second_digit_are_read() {
        let query = "second=42,3,-1&pin=7&bend=3:0.25,16:-0.1&span=paper&dimension=3&pairs=1&rate=0.003&train-r=2&\
                     reconstruction=0.01&epochs=3&test=50&phase=5&embed=1";
        let address = Address::parse(query);
        assert_eq!(address.second, Some(Second { digit: 42, shift: (3, -1) }));
        assert_eq!((address.pinned, address.bend.dimension), (Some(7), Some(2)));
        assert_eq!((address.bend.offsets[2], address.bend.offsets[15], address.bend.offsets[0]), (0.25, -0.1, 0.0));
        assert_eq!((address.phase, Address::parse("phase=0").phase), (Some(5), Some(1)));
        assert!(address.embed && address.recipe.pairs && Address::parse("embed").embed);
        assert_eq!(address.query(), query);
    }

    #[test]
    fn hostile_poses_and_settings_are_clamped_or_ignored() {
        let address = Address::parse(
            "bend=0:1,17:1,1:NaN,2:inf,3:9e9,4:-7,x:1,5,6:&second=99999,-9,banana&dimension=99&rate=0.5",
        );
        let mut offsets = [0.0; DIMENSIONS];
        (offsets[2], offsets[3]) = (2.0, -2.0);
        assert_eq!(address.bend, Bend { offsets, dimension: Some(15), ..Bend::default() });
        assert_eq!(address.second, Some(Second { digit: 9_999, shift: (-4, 0) }));
        assert_eq!(address.recipe.rate, 1e-2);
        assert_eq!((Address::parse("phase=99").phase, Address::parse("phase=-1").phase), (Some(19), None));
        let hostile = "bend=&second=,1&pin=-3&rate=-inf&epochs=many&test=&reconstruction=NaN&drawing=%3Cscript%3E&embed=0&span=wide";
        assert_eq!(Address::parse(hostile), Address::default());
        assert_eq!(Bend::offsets_of(&[0.123_456, f32::NAN, -0.0, 5.0])[..5], [0.1235, 0.0, 0.0, 2.0, 0.0]);
        // A drawing counts more than a test digit.
        assert_eq!(Address::parse("digit=3&drawing=AQIC").digit, None);
    }

    proptest! {
        #[test]
        fn a_view_is_opened_as_it_was_shared(address in views()) {
            let query = address.query();
            prop_assert!(query.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_=&.,:".contains(&b)), "{}", query);
            prop_assert_eq!(Address::parse(&query), address);
        }

        #[test]
        fn any_text_gives_a_view_that_its_own_address_gives_again(query in "\\PC{0,80}") {
            let address = Address::parse(&query);
            prop_assert!((1..=MOST_ITERATIONS).contains(&address.iterations));
            prop_assert_eq!(Address::parse(&address.query()), address);
        }

        #[test]
        fn every_known_name_with_any_value(name in "lang|device|network|digit|drawing|second|right|down|turn|scale|r|iteration|view|capsule|pin|bend|span|dimension|preset|batch|seed|pairs|rate|train-r|reconstruction|epochs|test|phase|embed", value in "\\PC{0,30}") {
            let address = Address::parse(&format!("{name}={value}"));
            prop_assert!(SHIPPED.contains(&address.network.as_str()) && PRESETS.contains(&address.preset.as_str()));
            prop_assert!(BATCHES.contains(&address.batch) && address.digit.unwrap_or(0) < TEST_DIGITS);
            prop_assert_eq!(Address::parse(&address.query()), address);
        }
    }
}
