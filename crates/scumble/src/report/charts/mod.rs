//! Small charts as inline SVG, written by hand.
//!
//! Each chart is a struct with what it shows, and a method `svg` that draws it. They have three things in common:
//! * every coordinate is finite, whatever the data (no rows, one value, all equal, infinite);
//! * colours are CSS classes, so the page's style sheet decides them, for light, dark and paper;
//! * a chart is an image with a title and a description in words, for readers who cannot see it.
//!
//! [`svg`] is the drawing board (escaping, coordinates), [`scale`] turns numbers into positions and ticks, and each chart has a file of its own:
//! [`line`], [`step`], [`columns`] (vertical, grouped), [`outline`] (bars with an outline over them), [`bars`] (horizontal, grouped, with
//! marks), [`lattice`] (dots by height).

pub(super) mod bars;
pub(super) mod columns;
pub(super) mod lattice;
pub(super) mod line;
pub(super) mod outline;
pub(super) mod scale;
pub(super) mod step;
pub(super) mod svg;

#[cfg(test)]
mod tests;

/// The colour of a series: a CSS class of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    /// The original.
    Before,
    /// The release.
    After,
    /// What needs attention.
    Alert,
}

impl Ink {
    fn class(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
            Self::Alert => "alert",
        }
    }
}

/// One set of values in a chart of bars.
#[derive(Debug, Clone)]
pub(super) struct Series {
    /// Name for the legend.
    pub(super) name: String,
    /// Colour.
    pub(super) ink: Ink,
    /// One value per group.
    pub(super) values: Vec<f64>,
}
