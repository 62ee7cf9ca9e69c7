//! Vertical bars in groups: a few named groups, one bar per series.

use super::scale::{Scale, tick_label, whole_ticks};
use super::svg::{Anchor, Svg, text_width};
use super::{Ink, Series};
use crate::base::format;

/// Vertical grouped bars over counts.
#[derive(Debug)]
pub(in crate::report) struct ColumnChart<'a> {
    /// What is shown, for readers who cannot see it.
    pub(in crate::report) title: &'a str,
    /// Name of the horizontal axis.
    pub(in crate::report) x_name: &'a str,
    /// What is counted, in the plural.
    pub(in crate::report) unit: &'a str,
    /// Names of the groups.
    pub(in crate::report) groups: &'a [String],
    /// The values, per series.
    pub(in crate::report) series: &'a [Series],
    /// A line before this group, with its name.
    pub(in crate::report) mark: Option<(usize, String)>,
}

const WIDTH: f64 = 440.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 26.0;
const PLOT: f64 = 196.0;

impl ColumnChart<'_> {
    /// Draws the chart.
    pub(in crate::report) fn svg(&self) -> String {
        let slot = (WIDTH - LEFT - RIGHT) / self.groups.len().max(1) as f64;
        let widest = self.groups.iter().map(|g| text_width(g)).fold(0.0, f64::max);
        let slanted = widest > slot - 4.0;
        // sin 35° of the longest label, or one line of text.
        let label_height = if slanted { widest * 0.58 + 18.0 } else { 22.0 };
        let floor = TOP + PLOT;
        let height = floor + label_height + 24.0;

        let mut svg = Svg::new(WIDTH, height, self.title, &self.in_words());
        let highest =
            self.series.iter().flat_map(|s| &s.values).copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
        let y_ticks = whole_ticks(highest, 4);
        let y = Scale::linear((0.0, y_ticks.last().copied().unwrap_or(1.0)), (floor, TOP));
        for tick in y_ticks {
            svg.line("grid", (LEFT, y.at(tick)), (WIDTH - RIGHT, y.at(tick)));
            svg.text("tick", (LEFT - 6.0, y.at(tick) + 4.0), Anchor::End, &tick_label(tick));
        }
        let bar = (slot * 0.78 / self.series.len().max(1) as f64).min(40.0);
        for (g, name) in self.groups.iter().enumerate() {
            let middle = LEFT + slot * (g as f64 + 0.5);
            let start = middle - bar * self.series.len() as f64 / 2.0;
            for (s, series) in self.series.iter().enumerate() {
                let value = series.values.get(g).copied().filter(|v| v.is_finite()).unwrap_or(0.0);
                if value <= 0.0 {
                    continue;
                }
                // Even one row must be visible next to a million.
                let tall = (floor - y.at(value)).max(1.5);
                let hint = format!("{name}, {}: {} {}", series.name, format::number(value), self.unit);
                let left = start + bar * s as f64;
                svg.rect(series.ink.class(), (left + 0.5, floor - tall), (bar - 1.0, tall), Some(&hint));
            }
            if slanted {
                svg.slanted("tick", (middle + 4.0, floor + 15.0), name);
            } else {
                svg.text("tick", (middle, floor + 16.0), Anchor::Middle, name);
            }
        }
        svg.line("base", (LEFT, floor), (WIDTH - RIGHT, floor));
        svg.text("axis", (f64::midpoint(LEFT, WIDTH - RIGHT), height - 6.0), Anchor::Middle, self.x_name);
        if let Some((group, name)) = &self.mark {
            let at = LEFT + slot * *group as f64;
            svg.line("mark", (at, floor), (at, TOP - 8.0));
            let (anchor, side) = if at > WIDTH * 0.55 { (Anchor::End, -6.0) } else { (Anchor::Start, 6.0) };
            svg.text("callout", (at + side, TOP - 8.0), anchor, name);
        }
        svg.finish()
    }

    fn in_words(&self) -> String {
        let groups: Vec<String> = self
            .groups
            .iter()
            .enumerate()
            .map(|(g, name)| {
                let values: Vec<String> = self
                    .series
                    .iter()
                    .map(|s| {
                        format!("{} {}", s.name, format::number(s.values.get(g).copied().unwrap_or(0.0)))
                    })
                    .collect();
                format!("{name}: {}", values.join(", "))
            })
            .collect();
        format!("Number of {} by {}. {}.", self.unit, self.x_name, groups.join("; "))
    }
}

/// The series of a legend, as its colour class and its name.
pub(in crate::report) fn legend(series: &[Series]) -> Vec<(&'static str, String)> {
    series.iter().map(|s| (Ink::class(s.ink), s.name.clone())).collect()
}
