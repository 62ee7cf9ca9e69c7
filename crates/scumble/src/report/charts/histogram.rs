//! Many thin vertical bars in their natural order: the shape of a numeric column.

use super::Ink;
use super::scale::{Scale, tick_label, whole_ticks};
use super::svg::{Anchor, Svg};
use crate::base::format;
use crate::report::data::ValueCount;

/// A histogram of an ordered column.
#[derive(Debug)]
pub(in crate::report) struct Histogram<'a> {
    /// What is shown, for readers who cannot see it.
    pub(in crate::report) title: &'a str,
    /// The bars, in order.
    pub(in crate::report) values: &'a [ValueCount],
    /// Colour.
    pub(in crate::report) ink: Ink,
}

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 30.0;

impl Histogram<'_> {
    /// Draws the chart.
    pub(in crate::report) fn svg(&self) -> String {
        let mut svg = Svg::new(WIDTH, HEIGHT, self.title, &self.in_words());
        let floor = HEIGHT - BOTTOM;
        let highest = self.values.iter().map(|v| v.rows).max().unwrap_or(0) as f64;
        let y_ticks = whole_ticks(highest, 4);
        let y = Scale::linear((0.0, y_ticks.last().copied().unwrap_or(1.0)), (floor, TOP));
        for tick in y_ticks {
            svg.line("grid", (LEFT, y.at(tick)), (WIDTH - RIGHT, y.at(tick)));
            svg.text("tick", (LEFT - 6.0, y.at(tick) + 4.0), Anchor::End, &tick_label(tick));
        }
        let slot = (WIDTH - LEFT - RIGHT) / self.values.len().max(1) as f64;
        let gap = if slot > 5.0 { 1.0 } else { 0.3 };
        for (i, bar) in self.values.iter().enumerate().filter(|(_, bar)| bar.rows > 0) {
            let tall = (floor - y.at(bar.rows as f64)).max(1.0);
            let hint = format!("{}: {} rows", bar.value, format::count(bar.rows));
            let left = LEFT + slot * i as f64;
            svg.rect(self.ink.class(), (left + gap / 2.0, floor - tall), (slot - gap, tall), Some(&hint));
        }
        svg.line("base", (LEFT, floor), (WIDTH - RIGHT, floor));
        for (i, anchor) in self.named_bars() {
            let middle = LEFT + slot * (i as f64 + 0.5);
            svg.text("tick", (middle, floor + 17.0), anchor, &format::shortened(&self.values[i].value, 16));
        }
        svg.finish()
    }

    /// First, middle and last are named; there is no room for all.
    fn named_bars(&self) -> Vec<(usize, Anchor)> {
        match self.values.len() {
            0 => vec![],
            1 => vec![(0, Anchor::Middle)],
            2 => vec![(0, Anchor::Start), (1, Anchor::End)],
            n => vec![(0, Anchor::Start), (n / 2, Anchor::Middle), (n - 1, Anchor::End)],
        }
    }

    fn in_words(&self) -> String {
        let Some(most) = self.values.iter().rev().max_by_key(|v| v.rows) else {
            return "No rows.".to_owned();
        };
        let ends = [self.values.first(), self.values.last()].map(|end| end.map_or("", |v| v.value.as_str()));
        format!(
            "{} bars from {} to {}; the tallest is {} with {} rows.",
            self.values.len(),
            ends[0],
            ends[1],
            most.value,
            format::count(most.rows)
        )
    }
}
