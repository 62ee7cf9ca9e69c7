//! A cumulative share that rises in steps, over a logarithmic axis, with a marked position.

use super::scale::{Scale, log_ticks, tick_label};
use super::svg::{Anchor, Svg};
use crate::base::format;

/// A cumulative chart.
#[derive(Debug)]
pub(in crate::report) struct StepChart<'a> {
    /// What is shown, for readers who cannot see it.
    pub(in crate::report) title: &'a str,
    /// Name of the horizontal axis.
    pub(in crate::report) x_name: &'a str,
    /// Position and cumulative share up to and including it, ascending.
    pub(in crate::report) steps: &'a [(u64, f64)],
    /// A marked position, its name, and the share that lies strictly below it.
    pub(in crate::report) mark: Option<(u64, String, f64)>,
}

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 48.0;

impl StepChart<'_> {
    /// Draws the chart.
    pub(in crate::report) fn svg(&self) -> String {
        let mut svg = Svg::new(WIDTH, HEIGHT, self.title, &self.in_words());
        let last = self.steps.last().map_or(1, |s| s.0).max(self.mark.as_ref().map_or(1, |m| m.0));
        let highest = (last as f64 * 1.15).max(10.0);
        let (floor, ceiling) = (HEIGHT - BOTTOM, TOP);
        let x = Scale::logarithmic((1.0, highest), (LEFT, WIDTH - RIGHT));
        let y = Scale::linear((0.0, 1.0), (floor, ceiling));

        for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
            svg.line("grid", (LEFT, y.at(tick)), (WIDTH - RIGHT, y.at(tick)));
            svg.text("tick", (LEFT - 6.0, y.at(tick) + 4.0), Anchor::End, &format::percent(tick));
        }
        for tick in log_ticks(highest) {
            svg.line("grid", (x.at(tick), floor), (x.at(tick), floor + 4.0));
            svg.text("tick", (x.at(tick), floor + 18.0), Anchor::Middle, &tick_label(tick));
        }
        svg.text("axis", (f64::midpoint(LEFT, WIDTH - RIGHT), HEIGHT - 8.0), Anchor::Middle, self.x_name);

        let mut corners = vec![(x.at(1.0), y.at(0.0))];
        let mut share = 0.0;
        for (position, cumulative) in self.steps {
            corners.push((x.at(*position as f64), y.at(share)));
            share = *cumulative;
            corners.push((x.at(*position as f64), y.at(share)));
        }
        corners.push((WIDTH - RIGHT, y.at(share)));
        let mut area = corners.clone();
        area.push((WIDTH - RIGHT, floor));
        svg.polygon("area", &area);
        svg.polyline("curve", &corners);

        if let Some((position, name, below)) = &self.mark {
            let at = x.at(*position as f64);
            let (share, anchor, side) = if at > WIDTH * 0.55 {
                (y.at(*below), Anchor::End, -8.0)
            } else {
                (y.at(*below), Anchor::Start, 8.0)
            };
            svg.line("mark", (at, floor), (at, ceiling - 8.0));
            svg.dot("halo", (at, share), 7.5, None);
            svg.dot("chosen", (at, share), 4.5, None);
            svg.text(
                "callout",
                (at + side, ceiling - 8.0),
                anchor,
                &format!("{name}: {} of rows below", format::percent(*below)),
            );
        }
        svg.finish()
    }

    fn in_words(&self) -> String {
        let mark = self.mark.as_ref().map_or_else(String::new, |(_, name, below)| {
            format!("Below {name} lie {} of the rows. ", format::percent(*below))
        });
        // A few steps describe the shape; all of them would be read aloud for minutes.
        let every = self.steps.len().div_ceil(10).max(1);
        let steps: Vec<String> = self
            .steps
            .iter()
            .step_by(every)
            .map(|(position, share)| {
                format!("up to {}: {}", format::count(*position), format::percent(*share))
            })
            .collect();
        format!("{mark}Cumulative share of rows by {}: {}.", self.x_name, steps.join("; "))
    }
}
