//! Households in a release: how well one is hidden from somebody who knows all its members.

use serde::{Deserialize, Serialize};

/// What a release shows of households, where a column with the role household tells them apart.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Households {
    /// The column that tells households apart. It is not published.
    pub column: String,
    /// Whether the figures were measured. Some kinds of release have no groups and no records to measure them by.
    pub measured: bool,
    /// How many households a group must have rows of, and how many must show the same: the k of the plan, else of its audience.
    pub required: u64,
    /// The households with rows in the release. A row without a household is one of its own.
    pub households: u64,
    /// Rows of the largest one.
    pub largest: u64,
    /// Groups whose rows come from fewer households than required.
    pub groups_below: u64,
    /// Their rows.
    pub group_rows_below: u64,
    /// The fewest households that a group has rows of.
    pub fewest_in_group: Option<u64>,
    /// For the household worst off the number of households whose members show the same quasi-identifiers as often, itself counted.
    pub household_k: Option<u64>,
    /// Households for which there are fewer of these than required.
    pub households_below: u64,
    /// Their rows.
    pub rows_below: u64,
    /// Published columns of which all members of a household have the same value.
    pub constant_columns: Vec<String>,
}
