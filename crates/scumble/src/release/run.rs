//! A run whose search is over, whatever it found.

use scumble_verify::WrittenForm;

use super::search::OfRow;
use crate::config::{Plan, Role};
use crate::problem::Problem;
use crate::registry::Facts;
use crate::release::prepare::SpeltTable;

/// A run whose search is over. `Found` is what differs between the kinds of release.
pub(crate) struct Run<'a, Found> {
    pub(crate) plan: &'a Plan,
    pub(crate) source: &'a SpeltTable,
    pub(crate) algorithm: Facts,
    pub(crate) problem: Problem,
    /// Which tuple and payload each row of the table has, until the rows are arranged. Private.
    pub(super) of_row: OfRow,
    /// The texts that mean a missing value, by column.
    pub(crate) missing: Vec<(String, Vec<String>)>,
    pub(crate) warnings: Vec<String>,
    pub(crate) notes: Vec<String>,
    /// How its tables were written, once they are.
    pub(super) written: WrittenForm,
    pub(crate) found: Found,
}

impl<Found> Run<'_, Found> {
    /// The columns of the table that may be published unchanged, in its order.
    pub(crate) fn untouched_columns(&self) -> impl Iterator<Item = &str> {
        let roles = [Role::Class, Role::Sensitive, Role::Other];
        let columns = self.plan.columns.iter();
        let kept = columns.filter(move |(_, column)| roles.iter().any(|role| column.role.has(*role)));
        kept.map(|(name, _)| name.as_str())
    }

    /// The texts that mean a missing value of a column.
    pub(crate) fn markers(&self, name: &str) -> Vec<String> {
        let found = self.missing.iter().find(|(of, _)| of == name);
        found.map(|(_, markers)| markers.clone()).unwrap_or_default()
    }

    /// The names of the quasi-identifiers.
    pub(crate) fn quasi_names(&self) -> Vec<String> {
        self.problem.quasi.iter().map(|quasi| quasi.name.clone()).collect()
    }
}
