//! A line through a few points, one of them marked.

use super::scale::{Scale, tick_label, ticks};
use super::svg::{Anchor, Svg};
use crate::base::format;
use crate::report::data::Amount;

/// A small line chart over levels 0, 1, 2 …
#[derive(Debug)]
pub(in crate::report) struct LineChart<'a> {
    /// What is shown, for readers who cannot see it.
    pub(in crate::report) title: &'a str,
    /// Name of the horizontal axis.
    pub(in crate::report) x_name: &'a str,
    /// One label and value per point; values that are not a number leave a gap.
    pub(in crate::report) points: &'a [(String, Amount)],
    /// Which point is marked.
    pub(in crate::report) marked: Option<usize>,
}

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 192.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 44.0;

impl LineChart<'_> {
    /// Draws the chart.
    pub(in crate::report) fn svg(&self) -> String {
        let mut svg = Svg::new(WIDTH, HEIGHT, self.title, &self.in_words());
        let highest = self.points.iter().filter_map(|(_, y)| y.finite()).fold(0.0, f64::max);
        let y_ticks = ticks(highest, 3);
        let y = Scale::linear((0.0, y_ticks.last().copied().unwrap_or(1.0)), (HEIGHT - BOTTOM, TOP));
        // A single point stands in the middle, so the scale gets a step on either side.
        let x_range = if self.points.len() < 2 { (-1.0, 1.0) } else { (0.0, (self.points.len() - 1) as f64) };
        let x = Scale::linear(x_range, (LEFT + 12.0, WIDTH - RIGHT - 6.0));

        for tick in y_ticks {
            svg.line("grid", (LEFT, y.at(tick)), (WIDTH - RIGHT, y.at(tick)));
            svg.text("tick", (LEFT - 6.0, y.at(tick) + 4.0), Anchor::End, &tick_label(tick));
        }
        // With many levels only every second or third is named.
        let every = self.points.len().div_ceil(9).max(1);
        for (i, (label, _)) in self.points.iter().enumerate().filter(|(i, _)| i % every == 0) {
            svg.text("tick", (x.at(i as f64), HEIGHT - BOTTOM + 16.0), Anchor::Middle, label);
        }
        svg.text("axis", (f64::midpoint(LEFT, WIDTH - RIGHT), HEIGHT - 8.0), Anchor::Middle, self.x_name);

        let place = |i: usize, value: f64| (x.at(i as f64), y.at(value));
        for run in self
            .points
            .iter()
            .enumerate()
            .collect::<Vec<_>>()
            .chunk_by(|a, b| a.1.1.finite().is_some() && b.1.1.finite().is_some())
        {
            let points: Vec<_> =
                run.iter().filter_map(|(i, (_, value))| Some(place(*i, value.finite()?))).collect();
            svg.polyline("curve", &points);
        }
        for (i, (label, value)) in self.points.iter().enumerate() {
            let Some(number) = value.finite() else { continue };
            let hint = format!("{label}: {}", format::number(number));
            let (px, py) = place(i, number);
            if self.marked == Some(i) {
                svg.line("mark", (px, HEIGHT - BOTTOM), (px, TOP - 8.0));
                svg.dot("halo", (px, py), 7.5, None);
                svg.dot("chosen", (px, py), 4.5, Some(&hint));
                let anchor = if px > WIDTH - 70.0 {
                    Anchor::End
                } else if px < LEFT + 40.0 {
                    Anchor::Start
                } else {
                    Anchor::Middle
                };
                svg.text("callout", (px, TOP - 13.0), anchor, &format!("chosen: {}", format::number(number)));
            } else {
                svg.dot("point", (px, py), 3.0, Some(&hint));
            }
        }
        svg.finish()
    }

    fn in_words(&self) -> String {
        let points: Vec<String> = self
            .points
            .iter()
            .enumerate()
            .map(|(i, (label, value))| {
                let chosen = if self.marked == Some(i) { " (chosen)" } else { "" };
                format!("{label}: {}{chosen}", format::amount(*value))
            })
            .collect();
        format!("By {}: {}.", self.x_name, points.join("; "))
    }
}
