//! The number of original rows with each value of a sensitive column.

use std::borrow::Cow;

use scumble_files::table::CodedColumn;

use super::{Reference, ReferenceColumn};
use crate::error::VerifyError;
use crate::group::Groups;

/// The largest allowed count; larger ones would not fit the sums of the comparisons. It is 1,000 times the number of people on
/// earth.
pub(super) const MOST_ROWS: u64 = 1 << 43;

/// The original rows of one column, counted by the codes of the release.
pub(super) struct Original {
    /// The number of original rows.
    pub(super) total: u64,
    /// The number of original rows for each code of the release.
    pub(super) count: Vec<u64>,
    /// The number of values that the original has.
    pub(super) values: usize,
}

/// The number of rows of each text, ascending by text.
type Counts<'a> = Vec<(&'a str, u64)>;

impl Original {
    /// Returns the counts by the codes of the release, and by text, ascending.
    pub(super) fn new<'a>(
        column: &CodedColumn,
        original: &'a ReferenceColumn,
    ) -> Result<(Self, Counts<'a>), VerifyError> {
        let mut counts: Vec<(&str, u64)> =
            original.counts.iter().map(|(text, count)| (text.as_str(), *count)).collect();
        counts.sort_unstable();
        if counts.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(fault("reference", column, "it counts a value twice"));
        }
        let total = counts.iter().try_fold(0u64, |sum, &(_, count)| sum.checked_add(count));
        let total = total.filter(|&total| total <= MOST_ROWS);
        let total =
            total.ok_or_else(|| fault("reference", column, "it counts more rows than can be compared"))?;
        if total == 0 && !column.codes.is_empty() {
            return Err(fault("reference", column, "it counts no rows"));
        }
        let find = |text: &str| {
            counts.binary_search_by(|entry| entry.0.cmp(text)).map_or(0, |place| counts[place].1)
        };
        let count = column.values.iter().map(find).collect();
        let values = counts.iter().filter(|&&(_, rows)| rows > 0).count();
        Ok((Self { total, count, values }, counts))
    }
}

/// The distribution to compare with: that of the original or, if none is given, that of the checked rows.
#[derive(Clone, Copy)]
pub(super) struct Baseline<'a> {
    pub(super) reference: Option<&'a Reference>,
    /// How often each checked row counts; `None` if every row counts once.
    pub(super) weights: Option<&'a [u64]>,
}

impl<'a> Baseline<'a> {
    pub(super) fn new(reference: Option<&'a Reference>, judged: &'a Groups) -> Self {
        Self { reference, weights: judged.weights.as_deref() }
    }
}

/// Returns what the reference says about a column. If there is none, returns the release's own distribution, with a remark that
/// says so.
pub(super) fn described<'a>(
    column: &CodedColumn,
    baseline: Baseline<'a>,
) -> Result<(Cow<'a, ReferenceColumn>, Option<String>), VerifyError> {
    let Some(reference) = baseline.reference else {
        let own = ReferenceColumn {
            name: column.name.clone(),
            counts: own_counts(column, baseline.weights),
            order: None,
            tree: None,
        };
        let remark = "compared with the release's own distribution, since that of the original was not given";
        return Ok((Cow::Owned(own), Some(remark.to_owned())));
    };
    match reference.columns.iter().find(|original| original.name == column.name) {
        Some(original) => Ok((Cow::Borrowed(original), None)),
        None => Err(fault("reference", column, "it does not describe this column")),
    }
}

fn own_counts(column: &CodedColumn, weights: Option<&[u64]>) -> Vec<(String, u64)> {
    let mut counts: Vec<(String, u64)> = column.values.iter().map(|text| (text.to_owned(), 0)).collect();
    for (row, code) in column.codes.iter().enumerate() {
        counts[code as usize].1 += weights.map_or(1, |weights| weights[row]);
    }
    counts
}

/// The error of a description that does not fit its column.
pub(super) fn fault(what: &'static str, column: &CodedColumn, why: &str) -> VerifyError {
    VerifyError::Domain { what, column: column.name.clone(), why: why.to_owned() }
}
