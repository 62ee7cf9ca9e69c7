//! Draws every combination of levels as a dot: one row per height, the finest at the bottom.

use super::Ink;
use super::svg::{Anchor, Svg};
use crate::base::format::counted;
use crate::report::data::{Combination, Combinations};

/// A drawing of a lattice.
#[derive(Debug)]
pub(in crate::report) struct LatticeChart<'a> {
    /// What is shown, for readers who cannot see it.
    pub(in crate::report) title: &'a str,
    /// The description in words.
    pub(in crate::report) description: &'a str,
    /// The combinations.
    pub(in crate::report) combinations: &'a Combinations,
}

const WIDTH: f64 = 640.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 20.0;
/// The most dots with lines between neighbours; with more, the lines hide more than they show.
const MOST_WITH_LINES: usize = 80;

/// The colour of a dot.
pub(in crate::report) fn ink(node: &Combination) -> Ink {
    match (node.chosen, node.suppressed) {
        (true, _) => Ink::Alert,
        (false, Some(_)) => Ink::After,
        (false, None) => Ink::Before,
    }
}

impl LatticeChart<'_> {
    /// Draws the chart.
    pub(in crate::report) fn svg(&self) -> String {
        let nodes = &self.combinations.nodes;
        let height = |node: &Combination| node.levels.iter().sum::<u32>() as usize;
        let rows = nodes.iter().map(height).max().map_or(0, |highest| highest + 1);
        let mut of_row = vec![0_usize; rows];
        let places: Vec<(usize, usize)> = nodes
            .iter()
            .map(|node| {
                let row = height(node);
                of_row[row] += 1;
                (row, of_row[row] - 1)
            })
            .collect();
        let widest = of_row.iter().copied().max().unwrap_or(1);
        let between = ((WIDTH - LEFT - 20.0) / widest as f64).min(40.0);
        let radius = (between / 2.0 - 1.5).clamp(2.0, 7.0);
        let row_height = if nodes.len() <= MOST_WITH_LINES { 40.0 } else { 26.0 };
        let full = TOP + BOTTOM + row_height * rows.saturating_sub(1) as f64 + 2.0 * radius;
        let mut svg = Svg::new(WIDTH, full, self.title, self.description);
        let at = |(row, place): (usize, usize)| {
            let middle = f64::midpoint(LEFT, WIDTH - 20.0);
            let x = middle + (place as f64 - (of_row[row] as f64 - 1.0) / 2.0) * between;
            (x, full - BOTTOM - radius - row as f64 * row_height)
        };
        if nodes.len() <= MOST_WITH_LINES {
            for (place, node) in places.iter().zip(nodes) {
                for (other_place, other) in places.iter().zip(nodes) {
                    if other_place.0 == place.0 + 1 && is_finer(node, other) {
                        svg.line("grid", at(*place), at(*other_place));
                    }
                }
            }
        }
        for row in [0, rows.saturating_sub(1)] {
            let name = if row == 0 { "finest" } else { "coarsest" };
            svg.text("tick", (LEFT - 8.0, at((row, 0)).1 + 4.0), Anchor::End, name);
        }
        for (place, node) in places.iter().zip(nodes) {
            let size = if node.chosen { radius + 2.5 } else { radius };
            svg.dot(ink(node).class(), at(*place), size, Some(&self.hint(node)));
        }
        svg.finish()
    }

    fn hint(&self, node: &Combination) -> String {
        let levels: Vec<String> = self
            .combinations
            .columns
            .iter()
            .zip(&node.levels)
            .map(|(name, level)| format!("{name} {level}"))
            .collect();
        let outcome = match node.suppressed {
            None => "suppresses too many rows".to_owned(),
            Some(0) => "suppresses nothing".to_owned(),
            Some(rows) => format!("suppresses {}", counted(rows, "row", "rows")),
        };
        format!("{}{}: {outcome}", if node.chosen { "chosen: " } else { "" }, levels.join(", "))
    }
}

fn is_finer(fine: &Combination, coarse: &Combination) -> bool {
    fine.levels.iter().zip(&coarse.levels).all(|(fine, coarse)| fine <= coarse)
}
