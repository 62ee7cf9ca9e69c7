//! Phrases for the report about what models promise. The models themselves say what a promise means and what it leaves open.

use super::data::{ModelResult, Setting};
use crate::base::format::{amount, list};

/// What a model promises, in a phrase that follows "is".
pub(super) fn claim(model: &ModelResult) -> String {
    model.claim.clone().unwrap_or_else(|| format!("such that it keeps {}", model.title))
}

/// The columns on which something holds, to be put after a phrase.
pub(crate) fn on_columns(on: &[String]) -> String {
    if on.is_empty() { String::new() } else { format!(" on {}", list(on, 4)) }
}

/// `k = 5`, or `c = 2, l = 3`.
pub(super) fn settings(settings: &[Setting]) -> String {
    let each: Vec<String> = settings.iter().map(|s| format!("{} = {}", s.name, amount(s.value))).collect();
    if each.is_empty() { "no parameter".to_owned() } else { each.join(", ") }
}
