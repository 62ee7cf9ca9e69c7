//! What a plan asks for by the models that it names, where there is no table yet on which they could be built.

use super::{delta_presence, k_anonymity, k_uncertainty, multirelational};
use crate::base::entry::plain;
use crate::config::ModelSpec;

/// What a model says about several tables together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverTables {
    /// All rows of a person, in all tables.
    Persons,
    /// All that the tables reveal about somebody who can be looked up in them.
    Values,
}

/// Whether this is the name of the model that asks for a number of rows or people in each class, and for nothing else.
#[must_use]
pub(crate) fn is_size_alone(model: &str) -> bool {
    plain(model) == k_anonymity::ENTRY.name
}

impl ModelSpec {
    /// Whether it asks for a number of rows or people in each class, and for nothing else.
    #[must_use]
    pub fn is_size_alone(&self) -> bool {
        is_size_alone(&self.model)
    }

    /// What it says about tables that were published before, where the plan names some; nothing of most models.
    #[must_use]
    pub fn over_tables(&self) -> Option<OverTables> {
        match plain(&self.model) {
            name if name == multirelational::ENTRY.name => Some(OverTables::Persons),
            name if name == k_uncertainty::ENTRY.name => Some(OverTables::Values),
            _ => None,
        }
    }

    /// Whether it is about which people of a population are in the table: of a part of the rows it says something else.
    #[must_use]
    pub fn is_about_members(&self) -> bool {
        plain(&self.model) == delta_presence::ENTRY.name
    }

    /// Whether it counts households instead of rows or people.
    #[must_use]
    pub fn counts_households(&self) -> bool {
        is_size_alone(&self.model)
            && self.parameters.get("unit").is_some_and(|unit| unit.to_text() == k_anonymity::HOUSEHOLD)
    }

    /// Whether it is about the rows of people even where everybody has one.
    #[must_use]
    pub fn is_about_persons(&self) -> bool {
        self.over_tables() == Some(OverTables::Persons)
    }
}
