//! Numbers as text: tabular, with thin spaces between thousands and a true minus sign.

use super::text::say;

/// Between groups of three digits, and between a number and its unit: a narrow space that does not break.
const NARROW_SPACE: char = '\u{202f}';

/// A number with so many decimals; what is not finite is named.
pub fn fixed(value: f32, decimals: usize) -> String {
    if !value.is_finite() {
        return if value.is_nan() { say!("number.not_a_number") } else { say!("number.infinite") };
    }
    let text = format!("{:.decimals$}", value.abs());
    let is_zero = text.chars().all(|c| matches!(c, '0' | '.'));
    if value < 0.0 && !is_zero { format!("−{text}") } else { text }
}

/// [`fixed`] with a plus sign where it is positive, for changes.
pub fn signed(value: f32, decimals: usize) -> String {
    let text = fixed(value, decimals);
    let is_zero = text.chars().all(|c| matches!(c, '0' | '.'));
    if value > 0.0 && !is_zero { format!("+{text}") } else { text }
}

/// A whole number with its thousands apart: 792 496.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(NARROW_SPACE);
        }
        text.push(digit);
    }
    text
}

/// Extents as a product: 256 · 20 · 20.
pub fn product(extents: &[u32]) -> String {
    extents.iter().map(ToString::to_string).collect::<Vec<_>>().join(" · ")
}

/// A number with as many decimals as it has: 0.0005.
pub fn exact(value: f32) -> String {
    value.to_string()
}

/// A share as a percentage with two decimals; rounded down, so that 9 999 of 10 000 is never called all of them.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return String::from("–");
    }
    let hundredths = part.saturating_mul(10_000) / whole;
    format!("{}.{:02}{NARROW_SPACE}%", hundredths / 100, hundredths % 100)
}

/// A share in [0, 1] as a percentage with one decimal.
pub fn percent_of_one(share: f32) -> String {
    format!("{}{NARROW_SPACE}%", fixed(100.0 * share, 1))
}

/// A large count in three figures with its decimal prefix: 203 M. `unit` follows it, such as `FLOP` or `B`.
pub fn scaled(value: u64, unit: &str) -> String {
    let mut value = value as f64;
    let mut prefixes = ["", "k", "M", "G", "T", "P"].iter();
    let mut prefix = *prefixes.next().unwrap_or(&"");
    // 999.5 would be written as 1000.
    while value >= 999.5 {
        let Some(next) = prefixes.next() else { break };
        prefix = next;
        value /= 1000.0;
    }
    let decimals = if prefix.is_empty() || value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}{NARROW_SPACE}{prefix}{unit}")
}

/// A number that a person typed: a comma or a point before the decimals, a true minus sign too.
pub fn typed(text: &str) -> Option<f32> {
    let plain = text.trim().replace('−', "-").replace(',', ".");
    plain.parse().ok().filter(|value: &f32| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_width_and_their_sign() {
        assert_eq!(fixed(0.9437, 2), "0.94");
        assert_eq!(fixed(-0.25, 3), "−0.250");
        assert_eq!(fixed(-0.0001, 2), "0.00");
        assert_eq!(fixed(f32::NAN, 2), "not a number");
        assert_eq!(fixed(f32::NEG_INFINITY, 2), "infinite");
        assert_eq!(
            (signed(0.25, 2), signed(-0.25, 2), signed(0.0, 2)),
            ("+0.25".into(), "−0.25".into(), "0.00".into())
        );
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(8_215_728), "8\u{202f}215\u{202f}728");
    }

    #[test]
    fn extents_are_a_product_and_settings_keep_their_digits() {
        assert_eq!(product(&[256, 20, 20]), "256 · 20 · 20");
        assert_eq!((exact(0.0005), exact(1.0 / 32.0), exact(0.9)), ("0.0005".into(), "0.03125".into(), "0.9".into()));
    }

    #[test]
    fn a_percentage_never_promises_more_than_there_is() {
        assert_eq!(percent(9_914, 10_000), "99.14\u{202f}%");
        assert_eq!(percent(59_999, 60_000), "99.99\u{202f}%");
        assert_eq!(percent(3, 0), "–");
        assert_eq!(percent_of_one(0.9914), "99.1\u{202f}%");
    }

    #[test]
    fn large_counts_take_three_figures() {
        assert_eq!(scaled(7, "B"), "7\u{202f}B");
        assert_eq!(scaled(999, "B"), "999\u{202f}B");
        assert_eq!(scaled(1_234, "B"), "1.23\u{202f}kB");
        assert_eq!(scaled(203_000_000, "FLOP"), "203\u{202f}MFLOP");
        assert_eq!(scaled(9_999_999, "B"), "10.0\u{202f}MB");
        assert_eq!(scaled(999_999, "B"), "1.00\u{202f}MB");
    }

    #[test]
    fn what_is_typed_is_read_as_it_is_meant() {
        assert_eq!(typed(" 0,25 "), Some(0.25));
        assert_eq!(typed("−0.5"), Some(-0.5));
        assert_eq!((typed(""), typed("abc"), typed("inf"), typed("NaN")), (None, None, None, None));
    }
}
