//! Templates: what a rule or an office asks of a release, as a starting point for a plan.
//!
//! A template is a file in `templates/` that is part of the program. Its rules say by what a column is about which role it gets, which steps it goes
//! through, and why; `init` writes them into the plan on top of its guesses. A template confirms no guess and never gives a column a role that
//! protects it less. What it would need and the table lacks is written as a comment.
//!
//! A plan keeps the template's name, so that a release can be compared with it: [`Template::departures`].

mod advice;
mod departures;
mod file;
mod judge;
#[cfg(test)]
mod tests;

use advice::reason;
pub(crate) use advice::{Advice, ColumnAdvice, Lines, LinesText, Offer};
pub use departures::Departure;
pub use file::Template;
pub(crate) use judge::{judge, judge_as_read, said_of};

use crate::base::entry::{plain, unknown};
use crate::error::{Error, Result};

/// Every template: its name and its file.
const TEMPLATES: [(&str, &str); 9] = [
    ("hipaa_safe_harbor", include_str!("../../../templates/hipaa_safe_harbor.toml")),
    ("ema_0070", include_str!("../../../templates/ema_0070.toml")),
    ("health_canada_prci", include_str!("../../../templates/health_canada_prci.toml")),
    ("cms_cell_11", include_str!("../../../templates/cms_cell_11.toml")),
    ("public_use", include_str!("../../../templates/public_use.toml")),
    ("scientific_use", include_str!("../../../templates/scientific_use.toml")),
    ("cbs_puf", include_str!("../../../templates/cbs_puf.toml")),
    ("cbs_muc", include_str!("../../../templates/cbs_muc.toml")),
    ("wp216", include_str!("../../../templates/wp216.toml")),
];

impl Template {
    /// The names of all templates.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        TEMPLATES.iter().map(|(name, _)| *name).collect()
    }

    /// The template of that name; hyphens are as good as underscores.
    pub fn find(name: &str) -> Result<Self> {
        let wanted = plain(name);
        let (_, text) = TEMPLATES
            .iter()
            .find(|(name, _)| *name == wanted)
            .ok_or_else(|| unknown("template", name, &Self::names()))?;
        Self::from_toml(text)
    }

    /// What it sets and why, a sentence for each of its rules.
    #[must_use]
    pub fn rules_in_words(&self) -> Vec<String> {
        let columns = self.rules.iter().map(|rule| (&rule.why, &rule.paragraph));
        let blocks = self.blocks();
        columns
            .chain(blocks.map(|block| (&block.why, &block.paragraph)))
            .map(|(why, at)| reason(why, at))
            .collect()
    }

    fn from_toml(text: &str) -> Result<Self> {
        toml::from_str(text)
            .map_err(|error| Error::internal(format_args!("a template cannot be read: {error}")))
    }
}
