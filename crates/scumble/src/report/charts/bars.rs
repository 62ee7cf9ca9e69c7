//! Horizontal bars with names at the left and values in a column at the right: one or two per row, some marked.

use super::Ink;
use super::scale::Scale;
use super::svg::{Anchor, Svg, text_width};
use crate::base::format;

/// One bar.
#[derive(Debug, Clone)]
pub(in crate::report) struct Bar {
    /// Its length. Infinity is drawn as a paler bar over the whole width, and NaN is not drawn.
    pub(in crate::report) value: f64,
    /// What is written next to it.
    pub(in crate::report) label: String,
    /// What is shown when the pointer rests on it.
    pub(in crate::report) hint: String,
    /// Colour.
    pub(in crate::report) ink: Ink,
}

/// A named row of bars.
#[derive(Debug, Clone)]
pub(in crate::report) struct BarRow {
    /// Name at the left.
    pub(in crate::report) name: String,
    /// One or more bars.
    pub(in crate::report) bars: Vec<Bar>,
}

/// Horizontal bars.
#[derive(Debug)]
pub(in crate::report) struct BarChart<'a> {
    /// What is shown, for readers who cannot see it.
    pub(in crate::report) title: &'a str,
    /// The rows, from top to bottom.
    pub(in crate::report) rows: &'a [BarRow],
    /// A reference value with its name, drawn as a line across all rows.
    pub(in crate::report) reference: Option<(f64, String)>,
}

const WIDTH: f64 = 440.0;
const NAME_LIMIT: usize = 22;
/// What joins the names of several columns. Each of them is shortened by itself, so that all can be told apart.
pub(in crate::report) const JOIN: &str = " + ";
const JOINED_LIMIT: usize = 30;
const BAR: f64 = 13.0;
const GAP: f64 = 9.0;

impl BarChart<'_> {
    /// Draws the chart.
    pub(in crate::report) fn svg(&self) -> String {
        let names: Vec<String> = self.rows.iter().map(|row| short(&row.name)).collect();
        let name_width = names.iter().map(|n| text_width(n)).fold(20.0, f64::max) + 10.0;
        let bars = || self.rows.iter().flat_map(|r| &r.bars);
        let label_width = bars().map(|b| text_width(&b.label)).fold(24.0, f64::max) + 10.0;
        let top = if self.reference.is_some() { 22.0 } else { 4.0 };
        let height = top + self.rows.iter().map(row_height).sum::<f64>() + 4.0;

        let mut svg = Svg::new(WIDTH, height.max(20.0), self.title, &self.in_words());
        let reference = self.reference.as_ref().map_or(0.0, |r| r.0);
        let highest = bars().map(|b| b.value).filter(|v| v.is_finite()).fold(reference, f64::max);
        let right = (WIDTH - label_width).max(name_width + 40.0);
        let x = Scale::linear((0.0, highest), (name_width, right));

        let mut y = top;
        for (row, name) in self.rows.iter().zip(&names) {
            let tall = row_height(row) - GAP;
            svg.text("name", (name_width - 8.0, y + tall / 2.0 + 4.0), Anchor::End, name);
            for (i, bar) in row.bars.iter().enumerate() {
                let at = y + BAR * i as f64;
                let end = if bar.value.is_infinite() { right } else { x.at(bar.value) };
                let wide = if bar.value > 0.0 { (end - name_width).max(1.5) } else { 0.0 };
                let class = if bar.value.is_infinite() { "endless" } else { bar.ink.class() };
                let hint = format!("{}: {}", row.name, bar.hint);
                if !bar.value.is_nan() {
                    svg.rect("track", (name_width, at + 0.5), (right - name_width, BAR - 1.0), None);
                }
                svg.rect(class, (name_width, at + 0.5), (wide, BAR - 1.0), Some(&hint));
                let class = if bar.ink == Ink::Alert { "value alerted" } else { "value" };
                svg.text(class, (right + 7.0, at + BAR - 2.5), Anchor::Start, &bar.label);
            }
            y += row_height(row);
        }
        if let Some((value, name)) = &self.reference {
            let at = x.at(*value);
            svg.line("mark", (at, top - 6.0), (at, height - 4.0));
            let anchor = if at > WIDTH * 0.6 { Anchor::End } else { Anchor::Start };
            svg.text("callout", (at, top - 10.0), anchor, name);
        }
        svg.finish()
    }

    fn in_words(&self) -> String {
        let rows: Vec<String> = self
            .rows
            .iter()
            .map(|row| {
                let labels: Vec<&str> = row.bars.iter().map(|b| b.label.as_str()).collect();
                format!("{}: {}", row.name, labels.join(" and then "))
            })
            .collect();
        let reference =
            self.reference.as_ref().map_or_else(String::new, |(_, name)| format!(" Marked: {name}."));
        format!("{}.{reference}", rows.join("; "))
    }
}

/// Shortens a name to what fits beside the bars. Names of columns that were joined keep their beginnings and ends, which tell them apart.
fn short(name: &str) -> String {
    let parts: Vec<&str> = name.split(JOIN).collect();
    if parts.len() == 1 {
        return format::shortened(name, NAME_LIMIT);
    }
    if name.chars().count() <= JOINED_LIMIT {
        return name.to_owned();
    }
    let room = (JOINED_LIMIT - JOIN.len() * (parts.len() - 1)) / parts.len();
    let shortened: Vec<String> = parts.iter().map(|part| format::without_middle(part, room.max(5))).collect();
    shortened.join(JOIN)
}

fn row_height(row: &BarRow) -> f64 {
    BAR * row.bars.len().max(1) as f64 + GAP
}
