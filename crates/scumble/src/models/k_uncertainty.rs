//! k-uncertainty (models.md 1.13): everybody who is looked up in all published tables goes with at least k sensitive values.
//!
//! A run publishes one table, where that is k different values in every class. With tables that were published before, the
//! verifier checks all of them together (`release/together.rs`), with the original's rows as the people who are looked up.

use super::values::{Different, OfColumn};
use super::{Model, ModelContext, needs, protected_columns};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::Result;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "k_uncertainty",
    title: "k-uncertainty",
    paper: "Yao, Wang, Jajodia 2005",
    standing: Standing::Classic,
    about: "Everybody who is looked up in all published tables (views) together goes with at least k different sensitive values. In \
            one table that is distinct l-diversity; beside tables that were published before ([[table]]) all of them together must keep \
            it, where each may be harmless alone. It counts values and ignores how likely each is.",
    parameters: &[
        ("k", "the least number of sensitive values that anybody goes with"),
        ("columns", "the columns protected; all sensitive ones if absent"),
    ],
    build,
};

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let k = least(parameters)?;
    let columns = protected_columns(ENTRY.name, context)?.into_iter();
    let model = |(column, place)| {
        Box::new(OfColumn::new(
            Different { k, model: &ENTRY, meaning: "Whoever is looked up goes with" },
            column,
            place,
            context,
        )) as Box<dyn Model>
    };
    Ok(columns.map(model).collect())
}

/// The k that is asked for.
pub(crate) fn least(parameters: &Parameters) -> Result<u64> {
    parameters.whole("k", 1)?.ok_or_else(|| needs(ENTRY.name, "k", 3))
}
