//! Why a check could not be made at all. A check that was made and failed is an outcome, not an error.

use scumble_files::Error;
use scumble_files::remedy::Setting;

/// A check that could not be made. Nothing was checked, so nothing may be released because of it.
///
/// Messages name columns, row numbers and parameters, never a cell's value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A claim without quasi-identifiers would make the whole table one equivalence class, and say nothing.
    #[error("no quasi-identifier is named, so there are no groups to check")]
    NoQuasi,
    /// A column of the claim is not in the table.
    #[error("the {table} has no column `{column}`")]
    NoSuchColumn {
        /// "release", "original table" or "population".
        table: &'static str,
        /// The column that was asked for.
        column: String,
    },
    /// Two columns have the same name: what holds for one says nothing about the other.
    #[error("column `{column}` is named twice in the {place}; each column may be there once")]
    Repeated {
        /// The table or list that has the name twice.
        place: &'static str,
        /// The repeated name.
        column: String,
    },
    /// The coded table contradicts itself.
    #[error(
        "column `{column}` of the {table} is not a well-formed coded column: {why}; this is a fault of the reader"
    )]
    Malformed {
        /// "release", "original table" or "population".
        table: &'static str,
        /// The faulty column.
        column: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A model that this checker does not know. Such a model must not be skipped.
    #[error(
        "unknown model `{name}`; this checker knows k_anonymity, l_diversity, t_closeness, lkc, alpha_k, k_e, p_sensitive, \
         xy_anonymity, xy_linkability, k_uncertainty, personalised, multirelational, beta_likeness, delta_disclosure, k_map, \
         delta_presence and average_risk"
    )]
    UnknownModel {
        /// The name in the claim.
        name: String,
    },
    /// A parameter that is missing, unknown or out of range.
    #[error("model `{model}`, parameter `{parameter}`: {why}")]
    Parameter {
        /// The model's name.
        model: String,
        /// The parameter's name.
        parameter: String,
        /// What is wrong and what is expected.
        why: String,
    },
    /// The order or tree of a sensitive column does not fit the data.
    #[error("the {what} of column `{column}` cannot be used: {why}")]
    Domain {
        /// "order", "tree", "hierarchy", "reference", "categories" or "numbers".
        what: &'static str,
        /// The column; empty if the caller knows it.
        column: String,
        /// What is wrong and what is expected.
        why: String,
    },
    /// The row map does not point from released rows to original rows.
    #[error("the row map cannot be used: {why}")]
    RowMap {
        /// What is wrong.
        why: String,
    },
    /// The row map is about other rows of the original than those left here. The release's plan decides which rows are left.
    #[error("the row map cannot be used: {why}")]
    OtherRows {
        /// What is wrong.
        why: String,
    },
    /// The row map is of another kind than the check needs.
    #[error("the row map cannot be used: {why}")]
    OtherMap {
        /// What is wrong.
        why: &'static str,
        /// What to do instead.
        remedy: &'static str,
    },
    /// A table was said to be in the spreadsheet-safe form, but is not.
    #[error(
        "the table is said to be in the spreadsheet-safe form, and column `{column}` has a text that a spreadsheet program would run"
    )]
    NotSpreadsheetSafe {
        /// The column.
        column: String,
    },
    /// The numbers of a column were said to have a decimal comma, but one has a point.
    #[error(
        "column `{column}` is said to be written with a decimal comma, and it has a number or a range with a decimal point"
    )]
    NotDecimalComma {
        /// The column.
        column: String,
    },
    /// Two columns that should be the ends of ranges are none.
    #[error("row {row}: the columns `{column}_low` and `{column}_high` cannot be read as a range: {why}")]
    Range {
        /// The quasi-identifier.
        column: String,
        /// The first such row, from 1.
        row: u64,
        /// What is wrong.
        why: &'static str,
    },
    /// The release cannot be compared with the population.
    #[error("the release cannot be compared with the population: {why}")]
    Population {
        /// What is wrong and what is expected.
        why: String,
    },
    /// Tables that codes should join cannot be joined.
    #[error("the tables cannot be joined: {why}")]
    Joined {
        /// What is wrong.
        why: String,
    },
    /// A date format that cannot be read.
    #[error(
        "unknown date format `{format}`; known are yyyy-mm-dd, yyyy/mm/dd, dd.mm.yyyy, dd/mm/yyyy and mm/dd/yyyy"
    )]
    DateFormat {
        /// The format as it was given.
        format: String,
    },
    /// A step that cannot be checked.
    #[error("the step `{rule}` cannot be checked: {why}")]
    Step {
        /// The name of the transform.
        rule: String,
        /// What is wrong.
        why: String,
    },
    /// Somebody stopped the check.
    #[error("the check was stopped before its end")]
    Stopped,
    /// More than this checker can hold.
    #[error("too large to check: {what}")]
    TooLarge {
        /// What is too large.
        what: String,
        /// What to do instead.
        remedy: &'static str,
    },
}

impl VerifyError {
    /// Adds to an error that says this what would help.
    #[must_use]
    pub fn remedies_in(&self, error: Error) -> Error {
        match self {
            Self::NoQuasi => error.set(Setting::role("quasi"), "name at least one quasi-identifier"),
            Self::NoSuchColumn { .. } => error.advise("check the column's name"),
            Self::NotSpreadsheetSafe { .. } => error.unset(
                Setting::root("spreadsheet_safe"),
                "leave the spreadsheet-safe form out, if the table was not written in it",
            ),
            Self::NotDecimalComma { column } => error.unset(
                Setting::root("decimal_comma"),
                format!("do not name '{column}', if its numbers have a decimal point"),
            ),
            Self::Range { column, .. } => error.unset(
                Setting::column("range").of(&[column]),
                "leave the range out, if these columns are something else",
            ),
            Self::OtherRows { .. } => {
                error.set(Setting::root("plan"), "give the plan that the release was made by")
            }
            Self::OtherMap { remedy, .. } | Self::TooLarge { remedy, .. } => error.advise(*remedy),
            _ => error,
        }
    }
}

/// In a run, what cannot be checked must not be published.
impl From<VerifyError> for Error {
    fn from(error: VerifyError) -> Self {
        if error == VerifyError::Stopped {
            return Self::interrupted();
        }
        let what = format!("the release could not be verified, so it was not published: {error}");
        error.remedies_in(Self::verification(what))
    }
}
