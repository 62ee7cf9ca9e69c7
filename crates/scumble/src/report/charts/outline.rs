//! Draws a column of numbers before and after on one axis: the original as bars, the release as an outline over them.

use super::Ink;
use super::scale::{Scale, tick_label, ticks};
use super::svg::{Anchor, Svg};
use crate::base::format;

/// A part of the axis.
#[derive(Debug, Clone)]
pub(in crate::report) struct Part {
    /// Its first value.
    pub(in crate::report) name: String,
    /// The rows of the original in this part.
    pub(in crate::report) before: f64,
    /// The rows of the release in this part.
    pub(in crate::report) after: f64,
}

/// Bars and an outline over the same parts.
#[derive(Debug)]
pub(in crate::report) struct Outline<'a> {
    /// What is shown, for readers who cannot see it.
    pub(in crate::report) title: &'a str,
    /// The parts, in order.
    pub(in crate::report) parts: &'a [Part],
}

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 150.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 26.0;

impl Outline<'_> {
    /// Draws the chart.
    pub(in crate::report) fn svg(&self) -> String {
        let mut svg = Svg::new(WIDTH, HEIGHT, self.title, &self.in_words());
        let floor = HEIGHT - BOTTOM;
        let finite = |rows: f64| if rows.is_finite() { rows.max(0.0) } else { 0.0 };
        let highest =
            self.parts.iter().map(|part| finite(part.before).max(finite(part.after))).fold(0.0, f64::max);
        let y_ticks = ticks(highest, 3);
        let y = Scale::linear((0.0, y_ticks.last().copied().unwrap_or(1.0)), (floor, TOP));
        for tick in y_ticks {
            svg.line("grid", (LEFT, y.at(tick)), (WIDTH - RIGHT, y.at(tick)));
            svg.text("tick", (LEFT - 6.0, y.at(tick) + 4.0), Anchor::End, &tick_label(tick));
        }
        let slot = (WIDTH - LEFT - RIGHT) / self.parts.len().max(1) as f64;
        let gap = if slot > 5.0 { 1.0 } else { 0.3 };
        let mut outline = vec![(LEFT, floor)];
        for (part, place) in self.parts.iter().zip(0..) {
            let left = LEFT + slot * f64::from(place);
            let tall = floor - y.at(finite(part.before));
            if part.before > 0.0 {
                let hint = format!(
                    "from {}: {} rows before, about {} after",
                    part.name,
                    format::number(part.before),
                    format::number(part.after.round())
                );
                svg.rect(
                    Ink::Before.class(),
                    (left + gap / 2.0, floor - tall.max(1.0)),
                    (slot - gap, tall.max(1.0)),
                    Some(&hint),
                );
            }
            let at = y.at(finite(part.after));
            outline.extend([(left, at), (left + slot, at)]);
        }
        outline.push((WIDTH - RIGHT, floor));
        svg.polygon("area", &outline);
        svg.polyline("curve", &outline);
        svg.line("base", (LEFT, floor), (WIDTH - RIGHT, floor));
        for (place, anchor) in self.named() {
            let middle = match anchor {
                Anchor::Start => LEFT,
                Anchor::Middle => LEFT + slot * (place as f64 + 0.5),
                Anchor::End => WIDTH - RIGHT,
            };
            svg.text("tick", (middle, floor + 17.0), anchor, &format::shortened(&self.parts[place].name, 16));
        }
        svg.finish()
    }

    /// First, middle and last are named; there is no room for all.
    fn named(&self) -> Vec<(usize, Anchor)> {
        match self.parts.len() {
            0 => vec![],
            1 => vec![(0, Anchor::Middle)],
            2 => vec![(0, Anchor::Start), (1, Anchor::End)],
            n => vec![(0, Anchor::Start), (n / 2, Anchor::Middle), (n - 1, Anchor::End)],
        }
    }

    fn in_words(&self) -> String {
        let most = |of: fn(&Part) -> f64| self.parts.iter().rev().max_by(|a, b| of(a).total_cmp(&of(b)));
        let (Some(before), Some(after)) = (most(|part| part.before), most(|part| part.after)) else {
            return "No rows.".to_owned();
        };
        format!(
            "{} parts from {} to {}. The fullest part of the original begins at {}, and that of the release at {}.",
            self.parts.len(),
            self.parts[0].name,
            self.parts[self.parts.len() - 1].name,
            before.name,
            after.name
        )
    }
}
