//! Households in a release: how well one is hidden from somebody who knows all its members.

use serde::{Deserialize, Serialize};

use crate::base::format::count;

/// The figures of a release about households, where a column with the role household tells them apart.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Households {
    /// The column that tells households apart. It is not published as it is.
    pub column: String,
    /// Whether the figures were measured. Some kinds of release have no groups and no records to measure them by.
    pub measured: bool,
    /// The number of households that a group must have rows of, and that must show the same: the k of the plan, else of its audience.
    pub required: u64,
    /// The households with rows in the release. A row without a household counts as a household of its own.
    pub households: u64,
    /// The rows of the largest household.
    pub largest: u64,
    /// Groups whose rows come from fewer households than required.
    pub groups_below: u64,
    /// Their rows.
    pub group_rows_below: u64,
    /// The fewest households that a group has rows of.
    pub fewest_in_group: Option<u64>,
    /// For the worst-off household, the number of households whose members show the same quasi-identifiers equally often, including itself.
    pub household_k: Option<u64>,
    /// Households for which this number is less than required.
    pub households_below: u64,
    /// Their rows.
    pub rows_below: u64,
    /// Published columns in which all members of each household have the same value.
    pub constant_columns: Vec<String>,
    /// The k of the plan, if it counts households.
    pub k_of_households: Option<u64>,
}

impl Households {
    /// The words by which a warning about groups of few households is known.
    pub(crate) const FEW_IN_GROUP: &'static str = "from fewer than";

    /// The words by which a warning about households that few others look like is known.
    pub(crate) const FEW_ALIKE: &'static str = "an attacker who knows every member of a household";

    /// What to do about groups of few households: what is missing of the request.
    pub(crate) fn advice(&self) -> String {
        let required = count(self.required);
        match self.k_of_households {
            None => {
                format!("Make k count households: k-anonymity with unit = \"household\" and k = {required}.")
            }
            Some(k) => format!("Raise k to {required}: k counts households, and is {}.", count(k)),
        }
    }
}
