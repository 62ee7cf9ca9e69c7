//! For pages that look like the report but are made elsewhere: its drawing board, its style sheet, and how it writes numbers.

pub use super::charts::scale::{Scale, log_ticks, tick_label, ticks};
pub use super::charts::svg::{Anchor, Svg, escape, text_width};
pub use crate::base::format::{count, counted, list, number, percent, share};

/// The report's style sheet: light, dark and paper. Charts take their colours from it.
#[must_use]
pub fn style() -> &'static str {
    let after = super::TEMPLATE.split_once("<style>").map_or("", |(_, after)| after);
    after.split_once("</style>").map_or("", |(style, _)| style)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_style_sheet_is_found() {
        assert!(super::style().contains(".chart .curve"));
        assert!(!super::style().contains("{{"), "nothing is left for the template to fill in");
    }
}
