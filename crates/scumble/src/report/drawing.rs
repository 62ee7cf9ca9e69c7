//! Tools for pages that look like the report but are made elsewhere: the drawing board, the head and the style sheet, and the format of
//! numbers.

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

pub use super::charts::scale::{Scale, log_ticks, tick_label, ticks};
pub use super::charts::svg::{Anchor, Svg, escape, text_width};
pub use crate::base::format::{count, counted, list, number, percent, share};
use crate::error::{Error, Result};

/// The beginning of every page. A template includes it as `head.html`.
const HEAD: &str = include_str!("head.html");

/// Fills the template of a page.
///
/// # Errors
/// Only if the template is broken, which is a bug.
pub fn render(template: &str, page: Value) -> Result<String> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    // A misspelt name in the template must fail a test, not leave a blank on the page.
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
        .and_then(|syntax| {
            environment.set_syntax(syntax);
            environment.add_template("head.html", HEAD)?;
            environment.render_str(template, page)
        })
        .map_err(|error| Error::internal(format!("the page could not be drawn: {error:#}")))
}

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
