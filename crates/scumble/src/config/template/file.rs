//! What the file of a template holds.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::config::profile::Mark;
use crate::config::{AlgorithmSpec, ModelSpec, RiskSpec, Roles, Wp216Spec};
use crate::error::{Error, Result};

/// A starting point for the plans of releases that follow a rule or the custom of an office.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// The name in snake case.
    pub name: String,
    /// The name as people say it.
    pub title: String,
    /// Counts up whenever the template changes.
    pub version: u32,
    /// The text that it follows.
    pub source: String,
    /// What it is for, in a few sentences.
    pub about: String,
    /// What the datasheet says of a release that was made from it. Never that the release complies with anything.
    pub statement: String,
    /// What it does not do, a sentence each.
    pub does_not: Vec<String>,
    /// Words for names of columns that rules refer to, such as the date of the first dose.
    #[serde(default)]
    pub(super) find: BTreeMap<String, String>,
    /// The most quasi-identifiers.
    #[serde(default)]
    pub(super) most_quasi: Option<MostQuasi>,
    /// Rules about columns, of which the first that fits counts.
    #[serde(default, rename = "rule")]
    pub(super) rules: Vec<Rule>,
    /// What the release must keep; without any, what `init` asks of every table.
    #[serde(default, rename = "model")]
    pub(super) models: Vec<Block>,
    /// Who reads the release, and how much risk may be left.
    #[serde(default)]
    pub(super) risk: Option<Block>,
    /// How the release is found.
    #[serde(default)]
    pub(super) search: Option<Block>,
    /// What is to be reported of the release.
    #[serde(default)]
    pub(super) report: Option<Block>,
}

impl Template {
    /// All lines that are about the whole table.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.models.iter().chain(&self.risk).chain(&self.search).chain(&self.report)
    }
}

/// How many columns outsiders may know at most.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MostQuasi {
    pub(super) most: usize,
    pub(super) paragraph: String,
}

/// What is done to columns of a kind.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// The columns: those with any of these marks.
    #[serde(default)]
    pub(super) columns: Vec<Mark>,
    /// And those whose names have one of these words.
    #[serde(default)]
    pub(super) words: String,
    /// But not those with one of these words.
    #[serde(default)]
    pub(super) except: String,
    /// All columns that would be published, whatever they are about.
    #[serde(default)]
    pub(super) published: bool,
    /// What else the table must have, for the rule to fit.
    #[serde(default)]
    pub(super) needs: Vec<String>,
    /// The role, if it protects more than the guess.
    #[serde(default)]
    pub(super) role: Option<Roles>,
    /// Whether a plan that departs from the rule makes no release.
    #[serde(default)]
    pub(super) must: bool,
    /// The steps, as the plan has them.
    #[serde(default)]
    pub(super) steps: String,
    /// What the plan says about the column after the steps, in place of type and hierarchy.
    #[serde(default)]
    pub(super) after: Option<String>,
    /// What somebody can do who knows more than the table says.
    #[serde(default, rename = "offer")]
    pub(super) offers: Vec<Offering>,
    /// The reason.
    pub(super) why: String,
    /// Where the rule stands.
    pub(super) paragraph: String,
}

/// Lines of a plan that are written as comments.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Offering {
    /// What is missing; nothing where the lines are another way.
    #[serde(default)]
    pub(super) lacks: Option<String>,
    /// What to do with the lines.
    #[serde(default)]
    pub(super) how: Option<String>,
    pub(super) text: String,
}

/// Lines of a plan that are about the whole table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Block {
    pub(super) why: String,
    pub(super) paragraph: String,
    /// Whether a plan that departs from them makes no release.
    #[serde(default)]
    pub(super) must: bool,
    /// What the table must have; otherwise the lines are comments.
    #[serde(default)]
    pub(super) needs: Vec<String>,
    /// What is missing, where they are comments.
    #[serde(default)]
    pub(super) lacks: Option<String>,
    /// What to do with the lines. With this and without `needs`, they are always comments.
    #[serde(default)]
    pub(super) how: Option<String>,
    pub(super) text: String,
}

impl Block {
    /// Whether the lines count in a table that has these things.
    pub(super) fn is_active(&self, has: impl Fn(&str) -> bool) -> bool {
        match self.needs.is_empty() {
            true => self.how.is_none(),
            false => self.needs.iter().all(|need| has(need)),
        }
    }
}

/// What a template demands of a whole plan.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Demands {
    pub(super) privacy: Vec<ModelSpec>,
    pub(super) risk: Option<RiskSpec>,
    pub(super) algorithm: Option<AlgorithmSpec>,
    pub(super) wp216: Option<Wp216Spec>,
}

impl Demands {
    /// Reads lines of a plan.
    pub(super) fn of(text: &str) -> Result<Self> {
        toml::from_str(text)
            .map_err(|error| Error::internal(format_args!("a template has lines that no plan has: {error}")))
    }
}
