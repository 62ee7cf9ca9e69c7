//! Households in a release: how well one is hidden from somebody who knows all its members.

use serde::{Deserialize, Serialize};

/// The figures of a release about households, where a column with the role household tells them apart.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Households {
    /// The column that tells households apart. It is not published.
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
}
