//! Pictures as SVG text: the same on the page and in a file.

use std::fmt::{Arguments, Write};

/// The colours of a drawing, as `#rrggbb`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tints {
    /// The ground.
    pub paper: String,
    /// Words and marks.
    pub text: String,
    /// Less important ones.
    pub quiet: String,
    /// Hairlines.
    pub line: String,
    /// What has won or is in view.
    pub accent: String,
    /// What is measured.
    pub measured: String,
}

/// Marks that are added one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks(String);

impl Marks {
    /// Adds SVG elements.
    pub fn put(&mut self, elements: Arguments<'_>) {
        // Writing to a string never fails.
        let _ = self.0.write_fmt(elements);
    }

    /// Adds words at a place; `anchor` is start, middle or end.
    pub fn words(&mut self, (x, y): (f32, f32), anchor: &str, colour: &str, words: &str) {
        let plain = words.replace('&', "&amp;").replace('<', "&lt;");
        self.put(format_args!(r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="{colour}">{plain}</text>"#));
    }

    /// Adds words that are read over other marks, with a halo in the colour of the ground.
    pub fn words_over(&mut self, at: (f32, f32), colour: &str, ground: &str, words: &str) {
        self.put(format_args!(
            r#"<g paint-order="stroke" stroke="{ground}" stroke-width="4" stroke-linejoin="round">"#
        ));
        self.words(at, "middle", colour, words);
        self.put(format_args!("</g>"));
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: (f32, f32), to: (f32, f32), colour: &str, width: f32) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.put(format_args!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{colour}" stroke-width="{width}"/>"#
        ));
    }

    /// The elements.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A picture of a size in pixels. On a ground it stands by itself, as in a file.
pub fn picture((width, height): (f32, f32), ground: Option<&str>, layers: &[&Marks]) -> String {
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" font-family="system-ui, sans-serif" font-size="12">"#
    );
    if let Some(ground) = ground {
        let _ = write!(svg, r#"<rect width="100%" height="100%" fill="{ground}"/>"#);
    }
    layers.iter().for_each(|marks| svg.push_str(&marks.0));
    svg.push_str("</svg>");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_well_formed_whatever_the_words_are() {
        let mut marks = Marks::default();
        marks.words((1.0, 2.0), "end", "#000000", "a < b & c");
        marks.line((0.0, 0.0), (1.0, 1.0), "#ffffff", 1.5);
        let svg = picture((30.0, 20.0), Some("#faf9f6"), &[&marks, &Marks::default()]);
        assert!(svg.starts_with("<svg xmlns") && svg.ends_with("</svg>"));
        assert!(svg.contains("a &lt; b &amp; c") && svg.contains(r##"fill="#faf9f6"/>"##));
        assert!(!picture((1.0, 1.0), None, &[]).contains("rect"));
    }
}
