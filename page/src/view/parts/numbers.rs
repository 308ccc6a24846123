//! The numbers of a picture as text.

use leptos::{ev, prelude::*};
use std::fmt::Write;

/// A table of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Names of the columns; the first one's is that of the rows' names.
    pub head: Vec<String>,
    /// Rows: a name and its numbers.
    pub rows: Vec<(String, Vec<String>)>,
}

impl Table {
    /// Values row by row as they stand in a picture: columns are counted from 1, rows are called by `name`.
    pub fn of_cells(
        caption: String,
        columns: u32,
        values: &[f32],
        decimals: usize,
        name: impl Fn(u32) -> String,
    ) -> Self {
        let row = |(row, values): (u32, &[f32])| {
            (name(row), values.iter().map(|value| format!("{value:.decimals$}")).collect())
        };
        Table {
            caption,
            head: std::iter::once(String::new()).chain((1..=columns).map(|column| column.to_string())).collect(),
            rows: (0..).zip(values.chunks_exact(columns as usize)).map(row).collect(),
        }
    }

    /// As HTML in one piece: thousands of cells as components would be slow. All text is the page's own, and still
    /// nothing in it can be taken for a tag.
    fn html(&self) -> String {
        let plain = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
        let mut html = format!("<table><caption>{}</caption><thead><tr>", plain(&self.caption));
        for name in &self.head {
            let _ = write!(html, "<th scope=col>{}</th>", plain(name));
        }
        html.push_str("</tr></thead><tbody>");
        for (name, numbers) in &self.rows {
            let _ = write!(html, "<tr><th scope=row>{}</th>", plain(name));
            for number in numbers {
                let _ = write!(html, "<td>{}</td>", plain(number));
            }
            html.push_str("</tr>");
        }
        html.push_str("</tbody></table>");
        html
    }
}

/// A table that can be opened. It is made only while it is open.
#[component]
pub fn Numbers(
    /// What one opens.
    #[prop(into)]
    summary: Signal<String>,
    /// The numbers as they are now.
    table: impl Fn() -> Option<Table> + Send + Sync + 'static,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let on_toggle = move |event: ev::Event| {
        let is_open = event_target::<web_sys::Element>(&event).has_attribute("open");
        open.set(is_open);
    };
    let html = move || if open.get() { table().map(|table| table.html()).unwrap_or_default() } else { String::new() };
    view! {
        <details class="numbers" on:toggle=on_toggle>
            <summary>{summary}</summary>
            <div class="scroll" tabindex="0" inner_html=html></div>
        </details>
    }
}
