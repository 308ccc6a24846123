//! A comparison of procedures over the test set: its curves, its findings, its numbers as text.

use super::chart::Scale;
use super::format;
use super::svg::{Marks, Tints};
use super::text::{self, say};
use capscope_protocol::{Comparison, Procedure, Round};

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Share of the images read right.
    Right,
    /// Mean entropy of the coefficients, in nats.
    Entropy,
    /// Share of the images whose longest capsule is another than after the first iteration.
    Changed,
    /// Capsules that are starved, children and parents together.
    Starved,
}

impl Measure {
    /// In their order on the page.
    pub const ALL: [Measure; 4] = [Measure::Right, Measure::Entropy, Measure::Changed, Measure::Starved];

    /// Its name among the texts.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Right => "right",
            Measure::Entropy => "entropy",
            Measure::Changed => "changed",
            Measure::Starved => "starved",
        }
    }

    /// The measure of a name.
    pub fn named(name: &str) -> Option<Self> {
        Measure::ALL.into_iter().find(|measure| measure.name() == name)
    }

    /// Its value for a round of a comparison over `total` images.
    pub fn of(self, round: &Round, total: u32) -> f64 {
        let share = |count: u32| f64::from(count) / f64::from(total.max(1));
        match self {
            Measure::Right => share(round.correct),
            Measure::Entropy => round.entropy.into(),
            Measure::Changed => share(round.changed),
            Measure::Starved => f64::from(round.starved_children) + round.starved_parents.len() as f64,
        }
    }

    /// A value as text.
    pub fn told(self, value: f64) -> String {
        match self {
            Measure::Right | Measure::Changed => format!("{:.2}\u{202f}%", 100.0 * value),
            Measure::Entropy => format!("{value:.3}"),
            Measure::Starved => format!("{value:.0}"),
        }
    }
}

/// A procedure's values, one for each number of iterations from 1; a single one where iterations change nothing.
pub fn curves(comparison: &Comparison, measure: Measure) -> Vec<(Procedure, Vec<f64>)> {
    let mut curves: Vec<(Procedure, Vec<f64>)> = vec![];
    for round in &comparison.rounds {
        let value = measure.of(round, comparison.total);
        match curves.last_mut() {
            Some((procedure, values)) if *procedure == round.procedure => values.push(value),
            _ => curves.push((round.procedure, vec![value])),
        }
    }
    curves
}

/// A procedure's value at a number of iterations.
pub fn at(values: &[f64], iterations: usize) -> Option<f64> {
    values.get(iterations - 1).or(values.first().filter(|_| values.len() == 1)).copied()
}

/// Width and height of the plot in a file.
pub const SIZE: (f32, f32) = (640.0, 300.0);

/// The most iterations.
const MOST: usize = super::address::MOST_ITERATIONS as usize;

/// Heights: the chance shares of [`Procedure::Random`] are far from all others, and do not decide them.
fn scale(curves: &[(Procedure, Vec<f64>)]) -> Scale {
    let values = || curves.iter().filter(|(p, _)| *p != Procedure::Random).flat_map(|(_, values)| values).copied();
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let room = 0.08 * (high - low).max(1e-3);
    Scale::Linear { low: if low > room { low - room } else { 0.0 }, high: high + room }
}

/// A measure against r: solid where the procedure iterates, dashed where it does not. What lies below the plot is named at
/// its foot with its value.
pub fn plot(comparison: &Comparison, measure: Measure, (width, height): (f32, f32), tints: &Tints) -> Marks {
    // Names stand at the right of the curves.
    let [left, top, right, bottom] = [58.0, 14.0, (width - 130.0).max(110.0), height - 38.0];
    let curves = curves(comparison, measure);
    let scale = scale(&curves);
    let x = |iterations: usize| left + (right - left) * (iterations - 1) as f32 / (MOST - 1) as f32;
    let y = |value: f64| bottom - (bottom - top) * scale.height(value) as f32;
    let mut marks = Marks::default();
    for value in scale.ticks() {
        marks.line((left, y(value)), (right, y(value)), &tints.line, 1.0);
        marks.words((left - 8.0, y(value) + 4.0), "end", &tints.quiet, &measure.told(value));
    }
    for iterations in 1..=MOST {
        marks.words((x(iterations), bottom + 18.0), "middle", &tints.quiet, &iterations.to_string());
    }
    marks.words((right, bottom + 34.0), "end", &tints.quiet, "r");
    let ends = apart(&curves.iter().map(|(_, values)| y(values[values.len() - 1])).collect::<Vec<_>>());
    for ((procedure, values), end) in curves.iter().zip(ends) {
        let is_own = *procedure == comparison.own;
        let is_below = values.len() == 1 && values[0] < scale.ticks()[0];
        let colour = if is_own {
            &tints.accent
        } else if procedure.iterates() {
            &tints.measured
        } else {
            &tints.quiet
        };
        let points: Vec<String> = (1..=MOST)
            .filter(|_| !is_below)
            .filter_map(|r| Some(format!("{:.1} {:.1}", x(r), y(at(values, r)?))))
            .collect();
        let dashes = if procedure.iterates() { "" } else { r#" stroke-dasharray="5 4""# };
        let start = if is_below { "" } else { "M" };
        marks.put(format_args!(
            r#"<path class="curve-of" d="{start}{}" fill="none" stroke="{colour}" stroke-width="{}"{dashes}/>"#,
            points.join("L"),
            if is_own { 2.5 } else { 1.5 }
        ));
        for (place, value) in values.iter().enumerate().filter(|_| procedure.iterates()) {
            marks.put(format_args!(
                r#"<circle cx="{:.1}" cy="{:.1}" r="{}" fill="{colour}"/>"#,
                x(place + 1),
                y(*value),
                if is_own { 4 } else { 3 }
            ));
        }
        let last = values[values.len() - 1];
        let name =
            format!("{} {}{}", text::procedure(*procedure), measure.told(last), if is_below { " ↓" } else { "" });
        marks.line((right + 2.0, y(last)), (right + 12.0, end), &tints.line, 1.0);
        marks.words((right + 16.0, end + 4.0), "start", colour, &name);
    }
    marks
}

/// Heights of labels in the order of their marks, moved so far apart that they can be read.
fn apart(heights: &[f32]) -> Vec<f32> {
    const LINE: f32 = 16.0;
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|a, b| heights[*a].total_cmp(&heights[*b]));
    let mut placed = heights.to_vec();
    let mut least = f32::NEG_INFINITY;
    for place in order {
        placed[place] = placed[place].max(least);
        least = placed[place] + LINE;
    }
    placed
}

/// What has been found, in sentences.
pub fn findings(comparison: &Comparison) -> Vec<String> {
    let of = |procedure: Procedure| comparison.rounds.iter().filter(move |round| round.procedure == procedure);
    let own = text::procedure(comparison.own);
    let (Some(first), Some(last)) = (of(comparison.own).next(), of(comparison.own).next_back()) else { return vec![] };
    // The first of equals: fewer iterations.
    let best = of(comparison.own).fold(first, |best, round| if round.correct > best.correct { round } else { best });
    let percent = |round: &Round| format::percent(round.correct.into(), comparison.total.into());
    let mut found = vec![];
    if let Some(equal) = of(Procedure::Uniform).next() {
        let gain = i64::from(best.correct) - i64::from(equal.correct);
        let counts = [percent(best), percent(equal)];
        found.push(if is_chance(best, equal, comparison.total) {
            say!("compare.as_well", own = own, r = best.iterations, best = counts[0], equal = counts[1], gain = gain)
        } else {
            say!("compare.better", own = own, r = best.iterations, best = counts[0], equal = counts[1], gain = gain)
        });
    }
    if last.iterations > 1 {
        let (from, to) = (format::fixed(first.entropy, 2), format::fixed(last.entropy, 2));
        let changed = format::grouped(last.changed.into());
        let (most, percent) = (last.iterations, percent(last));
        found.push(say!("compare.sharper", r = most, from = from, to = to, changed = changed, percent = percent));
    }
    found.push(starved(comparison));
    found.iter().map(|sentence| text::sentence(sentence)).collect()
}

/// Whether two counts of images read right differ by no more than two standard errors, as if the images that only one of
/// both gets wrong were all that either gets wrong: a cautious bound.
fn is_chance(a: &Round, b: &Round, total: u32) -> bool {
    let wrong = |round: &Round| f64::from(total - round.correct.min(total));
    (f64::from(a.correct) - f64::from(b.correct)).abs() <= 2.0 * libm::sqrt(wrong(a) + wrong(b))
}

/// Who is starved, at the largest number of iterations.
fn starved(comparison: &Comparison) -> String {
    let threshold = format::fixed(comparison.threshold, 3);
    let starving = |round: &&Round| round.starved_children > 0 || !round.starved_parents.is_empty();
    let who = |round: &Round| {
        let parents: Vec<String> = round.starved_parents.iter().map(ToString::to_string).collect();
        let parents = if parents.is_empty() { "–".into() } else { parents.join(", ") };
        let name = text::procedure(round.procedure);
        say!(
            "compare.who_starves",
            name = name,
            r = round.iterations,
            children = round.starved_children,
            parents = parents
        )
    };
    let all: Vec<String> = comparison.rounds.iter().filter(starving).map(who).collect();
    match all.is_empty() {
        true => say!("compare.nobody_starves", threshold = threshold),
        false => say!("compare.some_starve", threshold = threshold, all = all.join("; ")),
    }
}

/// A line for each procedure and number of iterations.
pub fn csv(comparison: &Comparison) -> String {
    let mut csv = String::from(
        "procedure,iterations,correct,total,entropy,winner_changed,starved_children,starved_parents,threshold\n",
    );
    for round in &comparison.rounds {
        let parents: Vec<String> = round.starved_parents.iter().map(ToString::to_string).collect();
        let Round { procedure, iterations, correct, changed, entropy, starved_children, .. } = round;
        let (total, parents, threshold) = (comparison.total, parents.join(" "), comparison.threshold);
        csv.push_str(&format!(
            "{procedure},{iterations},{correct},{total},{entropy},{changed},{starved_children},{parents},{threshold}\n"
        ));
    }
    csv
}

#[cfg(test)]
mod tests {
    use super::*;
    use capscope_protocol::Network;

    fn compared() -> Comparison {
        let round = |procedure, iterations: u8, correct, entropy| Round {
            procedure,
            iterations,
            correct,
            changed: 10 * u32::from(iterations - 1),
            entropy,
            starved_children: u32::from(procedure == Procedure::Leaky) * 3,
            starved_parents: if procedure == Procedure::Leaky { vec![1, 8] } else { vec![] },
        };
        Comparison {
            network: Network::Shipped("tiny".into()),
            step: 400,
            own: Procedure::Dynamic,
            total: 10_000,
            sizes: [36, 10],
            threshold: 0.05,
            rounds: vec![
                round(Procedure::Dynamic, 1, 9_831, 2.302),
                round(Procedure::Dynamic, 2, 9_869, 2.25),
                round(Procedure::Dynamic, 3, 9_731, 1.25),
                round(Procedure::Leaky, 1, 9_813, 2.18),
                round(Procedure::Leaky, 2, 9_862, 2.1),
                round(Procedure::Random, 1, 6_116, 2.1),
                round(Procedure::Uniform, 1, 9_831, 2.302),
            ],
        }
    }

    #[test]
    fn each_procedure_is_a_curve_and_one_that_does_not_iterate_is_the_same_at_every_r() {
        let curves = curves(&compared(), Measure::Right);
        let names: Vec<Procedure> = curves.iter().map(|(procedure, _)| *procedure).collect();
        assert_eq!(names, [Procedure::Dynamic, Procedure::Leaky, Procedure::Random, Procedure::Uniform]);
        assert_eq!(curves[0].1, [0.9831, 0.9869, 0.9731]);
        assert_eq!((at(&curves[3].1, 7), at(&curves[0].1, 7), at(&curves[0].1, 2)), (Some(0.9831), None, Some(0.9869)));
    }

    #[test]
    fn the_plot_holds_every_procedure_and_chance_does_not_flatten_the_others() {
        let drawn = plot(&compared(), Measure::Right, SIZE, &Tints::default());
        assert_eq!(drawn.as_str().matches(r#"class="curve-of""#).count(), 4);
        assert_eq!(drawn.as_str().matches("<circle").count(), 5);
        // Far below the others it has no line, but its name and value.
        assert!(drawn.as_str().contains("61.16\u{202f}% ↓") && drawn.as_str().matches(" ↓").count() == 1);
        let Scale::Linear { low, high } = scale(&curves(&compared(), Measure::Right)) else { panic!("a linear scale") };
        assert!(low > 0.97 && high < 0.99, "{low} {high}");
        for measure in Measure::ALL {
            assert!(
                !plot(&compared(), measure, (300.0, 300.0), &Tints::default()).as_str().contains("NaN"),
                "{measure:?}"
            );
            assert_eq!(Measure::named(measure.name()), Some(measure));
        }
    }

    #[test]
    fn labels_do_not_lie_on_each_other() {
        let placed = apart(&[50.0, 52.0, 10.0, 51.0]);
        assert_eq!(placed, [50.0, 82.0, 10.0, 66.0]);
    }

    #[test]
    fn the_findings_name_the_best_r_and_what_chance_would_give() {
        let found = findings(&compared());
        assert!(found[0].contains("98.69") && found[0].contains("98.31") && found[0].contains("38"), "{}", found[0]);
        let mut close = compared();
        close.rounds[1].correct = 9_840;
        assert_ne!(findings(&close)[0].split(':').next(), None);
        assert!(is_chance(&close.rounds[1], &close.rounds[6], 10_000));
        assert!(!is_chance(&compared().rounds[1], &compared().rounds[6], 10_000));
        assert!(found[2].contains("1, 8") && found[2].contains("0.050"), "{}", found[2]);
        close.rounds.retain(|round| round.procedure != Procedure::Leaky);
        assert!(!findings(&close)[2].contains("1, 8"));
    }

    #[test]
    fn every_number_can_be_read_back() {
        let csv = csv(&compared());
        let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(lines.len(), 1 + 7);
        assert!(lines.iter().all(|line| line.len() == lines[0].len()));
        assert_eq!(lines[4][..8], ["leaky", "1", "9813", "10000", "2.18", "0", "3", "1 8"]);
    }
}
