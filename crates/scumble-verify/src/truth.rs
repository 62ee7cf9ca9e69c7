//! Checks whether each released value is true of the original row that it stands for.

mod in_parts;

use std::borrow::Cow;
use std::collections::BTreeMap;

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable};
use serde::Serialize;

use crate::columns::{Named, ORIGINAL, RELEASE, check_distinct, check_size, part};
use crate::cover::{Cover, Reading};
use crate::error::VerifyError;
use crate::models::SensitiveColumn;
use crate::normal::in_normal_form;
use crate::renumbered::NumberPairing;
use crate::watch::{Pace, check};
use crate::weights::{WeightPairing, WeightRule};
use crate::{exchange, matching};

pub use in_parts::{TruthInParts, check_truth_with_map};

/// What must be true of a column of the release.
#[derive(Debug, Clone)]
pub enum Truth {
    /// Every row has the text of its original, without quoting.
    Exact,
    /// Every row has the value of its original, in any spelling, without quoting.
    Same(SensitiveColumn),
    /// Every row has a value that covers the original one.
    Covers(Cover),
    /// Every row has the mean of the original numbers of all rows that show the same in every column declared [`Truth::Covers`]
    /// or `Aggregate`, up to half a unit of the last written digit. Only a row map says whose mean it is: without one such a
    /// column is not compared, and the outcome reports that.
    Aggregate {
        /// Whether the decimal mark is a comma.
        comma: bool,
    },
    /// Every row has a survey weight that was made of the original ones by this rule. Only a row map shows that: without one such a
    /// column is not compared, and the outcome reports that.
    Weight(WeightRule),
    /// Every row has a fresh number that stands for its original value: 1, 2, 3 …, by what the rows of each number show. Only a row map shows
    /// that, as for weights.
    Renumbered {
        /// How the original texts are read.
        values: SensitiveColumn,
        /// Whether rows are sorted by what they show, so that the order of the numbers can be checked.
        sorted: bool,
    },
    /// The column has the original values, each as often as in the original, but not necessarily in their rows.
    Permuted,
    /// Nothing is promised of the column's values: chance decided them.
    Unpromised,
    /// The column must not be in the release; for identifiers and dropped columns.
    Absent,
}

/// Whether original rows may be missing from the release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drops {
    /// Rows may be missing.
    Allowed,
    /// Every original row must be there.
    Forbidden,
}

/// What a comparison found. It has no values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TruthOutcome {
    /// Whether the release passes the comparison.
    pub holds: bool,
    /// Whether a row map said which original row each released row stands for; otherwise any assignment will do.
    pub with_row_map: bool,
    /// The number of rows in the release.
    pub released_rows: u64,
    /// The number of rows in the original table.
    pub original_rows: u64,
    /// The number of original rows that no released row stands for. A fault only if rows must not be dropped.
    pub unreleased_rows: u64,
    /// The number of released rows whose original row was already used by an earlier one. Only with a row map.
    pub repeated_rows: u64,
    /// The number of released rows for which no original row is left. Only without a row map.
    pub unassigned_rows: u64,
    /// Columns that must not be there, are not declared, or are missing.
    pub column_faults: Vec<ColumnFault>,
    /// The columns that were compared. Without a row map, only those whose values were exchanged.
    pub columns: Vec<ColumnTruth>,
    /// Columns of means or weights that were not compared, since only a row map shows which original rows they belong to. Only without
    /// one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unchecked: Vec<String>,
    /// The first false cell, by row, then by the order of the columns. Only with a row map.
    pub first_false: Option<FalseCell>,
}

/// A column that should or should not be in the release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnFault {
    /// The column.
    pub column: String,
    /// What is wrong.
    pub fault: ColumnFaultKind,
}

/// What is wrong with a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnFaultKind {
    /// It is in the release although it must not be.
    MustBeAbsent,
    /// It is in the release but was not declared.
    Undeclared,
    /// It was declared but is not in the release.
    Missing,
}

/// What a comparison found about one column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnTruth {
    /// The column.
    pub column: String,
    /// The number of distinct pairs of an original and a released value in which the released one is false.
    pub false_pairs: u64,
    /// The number of cells with such a pair.
    pub false_cells: u64,
    /// The first row with such a cell, counted from 1 in the release.
    pub first_row: Option<u64>,
}

/// The position of a false cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FalseCell {
    /// The row of the release, counted from 1.
    pub row: u64,
    /// The column.
    pub column: String,
}

/// Checks, without a row map, whether the released rows can be assigned to distinct original rows of which they are true.
pub fn check_truth(
    release: &CodedTable,
    original: &CodedTable,
    columns: &[(String, Truth)],
    drops: Drops,
    control: &Control,
) -> Result<TruthOutcome, VerifyError> {
    let (release, original) =
        (&*in_form(release, original, columns, control)?, &*in_form(original, original, columns, control)?);
    let Paired { faults: column_faults, pairings, means, permuted, weights, numbers } =
        pair_columns(release, original, columns)?;
    let compared: Vec<ColumnTruth> =
        permuted.iter().map(|(released, original)| exchange::compare(released, original)).collect();
    let unassigned_rows = matching::unassigned(release.rows, original.rows, &pairings, control)?;
    let unreleased_rows = (original.rows as u64 + unassigned_rows).saturating_sub(release.rows as u64);
    Ok(TruthOutcome {
        holds: column_faults.is_empty()
            && unassigned_rows == 0
            && compared.iter().all(|column| column.false_cells == 0)
            && (drops == Drops::Allowed || unreleased_rows == 0),
        with_row_map: false,
        released_rows: release.rows as u64,
        original_rows: original.rows as u64,
        unreleased_rows,
        repeated_rows: 0,
        unassigned_rows,
        column_faults,
        columns: compared,
        unchecked: (means.iter().map(|mean| mean.released.name.clone()))
            .chain(weights.iter().map(|of| of.released.name.clone()))
            .chain(numbers.iter().map(|of| of.released.name.clone()))
            .collect(),
        first_false: None,
    })
}

/// Returns a table with one spelling for each value in the columns declared [`Truth::Same`].
fn in_form<'a>(
    table: &'a CodedTable,
    original: &CodedTable,
    columns: &[(String, Truth)],
    control: &Control,
) -> Result<Cow<'a, CodedTable>, VerifyError> {
    let same = |(_, truth): &(String, Truth)| match truth {
        Truth::Same(values) => Some(values.clone()),
        _ => None,
    };
    let same: Vec<SensitiveColumn> = columns.iter().filter_map(same).collect();
    in_normal_form(table, &same, Some(original), control)
}

/// A released column with its original.
pub(crate) struct Pairing<'a> {
    pub(crate) released: &'a CodedColumn,
    pub(crate) original: &'a CodedColumn,
    /// How the texts cover; `None` if they must be exactly the same.
    pub(crate) cover: Option<&'a Cover>,
}

/// A released column of means with its original.
pub(crate) struct MeanPairing<'a> {
    pub(crate) released: &'a CodedColumn,
    pub(crate) original: &'a CodedColumn,
    pub(crate) comma: bool,
}

/// The declared columns, paired with their originals, and what is wrong with the columns.
struct Paired<'a> {
    faults: Vec<ColumnFault>,
    pairings: Vec<Pairing<'a>>,
    means: Vec<MeanPairing<'a>>,
    /// Released columns whose values were exchanged, with their originals.
    permuted: Vec<(&'a CodedColumn, &'a CodedColumn)>,
    weights: Vec<WeightPairing<'a>>,
    numbers: Vec<NumberPairing<'a>>,
}

/// Pairs the declared columns, and finds those that are missing or must not be there.
fn pair_columns<'a>(
    release: &'a CodedTable,
    original: &'a CodedTable,
    columns: &'a [(String, Truth)],
) -> Result<Paired<'a>, VerifyError> {
    check_size(release, RELEASE)?;
    check_size(original, ORIGINAL)?;
    check_distinct(columns.iter().map(|(name, _)| name.as_str()), "list of declared columns")?;
    check_distinct(release.columns.iter().map(|column| column.name.as_str()), RELEASE)?;
    let truths: BTreeMap<&str, &Truth> = columns.iter().map(|(name, truth)| (name.as_str(), truth)).collect();
    let (in_release, in_original) = (Named::new(release, RELEASE), Named::new(original, ORIGINAL));
    let mut faults = Vec::new();
    for released in &release.columns {
        let fault = match truths.get(released.name.as_str()) {
            Some(Truth::Absent) => ColumnFaultKind::MustBeAbsent,
            Some(_) => continue,
            None => ColumnFaultKind::Undeclared,
        };
        faults.push(ColumnFault { column: released.name.clone(), fault });
    }
    let (mut pairings, mut means, mut permuted) = (Vec::new(), Vec::new(), Vec::new());
    let (mut weights, mut numbers) = (Vec::new(), Vec::new());
    for (name, truth) in columns {
        let cover = match truth {
            Truth::Absent => continue,
            Truth::Exact
            | Truth::Same(_)
            | Truth::Aggregate { .. }
            | Truth::Weight(_)
            | Truth::Renumbered { .. }
            | Truth::Permuted
            | Truth::Unpromised => None,
            Truth::Covers(cover) => Some(cover),
        };
        if !in_release.has(name) {
            faults.push(ColumnFault { column: name.clone(), fault: ColumnFaultKind::Missing });
            continue;
        }
        if matches!(truth, Truth::Unpromised) {
            continue;
        }
        let (released, original) = (in_release.column(name)?, in_original.column(name)?);
        match truth {
            Truth::Aggregate { comma } => means.push(MeanPairing { released, original, comma: *comma }),
            Truth::Permuted => permuted.push((released, original)),
            Truth::Renumbered { values, sorted } => {
                numbers.push(NumberPairing { released, original, values, sorted: *sorted });
            }
            Truth::Weight(rule) => {
                let stratum = rule.stratum.as_deref().map(|name| in_original.column(name)).transpose()?;
                weights.push(WeightPairing { released, original, stratum, rule });
            }
            _ => pairings.push(Pairing { released, original, cover }),
        }
    }
    Ok(Paired { faults, pairings, means, permuted, weights, numbers })
}

impl<'p> Pairing<'p> {
    /// Compares released rows with the originals that they stand for.
    fn check(&self, row_map: &[u32], control: &Control) -> Result<FalseCells, VerifyError> {
        check(control)?;
        control.advance(row_map.len() as u64);
        match self.cover {
            None => {
                let same = self.same_text();
                Ok(self.check_cells(row_map, |original, released| same[released as usize] == Some(original)))
            }
            Some(cover) => self.check_labels(row_map, &Reading::new(cover), control),
        }
    }

    /// Compares label by label, so that only one parsed label and one parsed original are in memory at a time: there may be
    /// millions of each. Each pair of values is checked once.
    fn check_labels(
        &self,
        row_map: &[u32],
        reading: &Reading<'p>,
        control: &Control,
    ) -> Result<FalseCells, VerifyError> {
        let mut pace = Pace::new(control);
        let (originals, released) = (part(self.original).codes, part(self.released).codes);
        let labels = self.released.values.len();
        // The released rows, sorted by their labels.
        let mut starts = vec![0_u32; labels + 1];
        (0..row_map.len()).for_each(|row| starts[released.get(row) as usize + 1] += 1);
        for label in 0..labels {
            starts[label + 1] += starts[label];
        }
        let mut rows = vec![0_u32; row_map.len()];
        let mut next = starts.clone();
        for row in 0..row_map.len() {
            let place = &mut next[released.get(row) as usize];
            rows[*place as usize] = row as u32;
            *place += 1;
        }
        drop(next);
        // The last label that each original was compared with, counted from 1. There may be millions of originals, so the result
        // is kept only if the label is false.
        let mut compared = vec![0_u32; self.original.values.len()];
        let mut untrue: HashSet<u32, FixedState> = HashSet::default();
        let mut found = FalseCells::default();
        for (label, text) in (0_u32..).zip(self.released.values.iter()) {
            let rows = &rows[starts[label as usize] as usize..starts[label as usize + 1] as usize];
            if rows.is_empty() {
                continue;
            }
            let understood = reading.released(text);
            untrue.clear();
            for &row in rows {
                pace.tick(1)?;
                let original = originals.get(row_map[row as usize] as usize);
                if std::mem::replace(&mut compared[original as usize], label + 1) != label + 1
                    && !understood.covers(&reading.original(self.original.values.get(original)))
                {
                    untrue.insert(original);
                }
                if untrue.contains(&original) {
                    found.add((original, label), row);
                }
            }
        }
        Ok(found)
    }

    /// Returns, for each released code, the original code of the same text.
    pub(crate) fn same_text(&self) -> Vec<Option<u32>> {
        self.released.values.iter().map(|text| self.original.values.find_sorted(text)).collect()
    }

    fn check_cells(&self, row_map: &[u32], mut is_true: impl FnMut(u32, u32) -> bool) -> FalseCells {
        let (originals, released) = (part(self.original).codes, part(self.released).codes);
        let mut found = FalseCells::default();
        for (row, &source) in (0_u32..).zip(row_map) {
            let pair = (originals.get(source as usize), released.get(row as usize));
            if !is_true(pair.0, pair.1) {
                found.add(pair, row);
            }
        }
        found
    }
}

/// The false cells of a column.
#[derive(Default)]
struct FalseCells {
    /// The pairs of original and released code.
    pairs: HashSet<(u32, u32), FixedState>,
    cells: u64,
    /// The first row with a false cell, counted from 0.
    first: Option<u32>,
}

impl FalseCells {
    fn add(&mut self, pair: (u32, u32), row: u32) {
        self.pairs.insert(pair);
        self.cells += 1;
        self.first = Some(self.first.map_or(row, |first| first.min(row)));
    }
}
