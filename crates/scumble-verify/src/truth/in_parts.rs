//! Compares released rows with the originals that they stand for, where the private row map shows which: all at once, or part by
//! part.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable};

use super::{
    ColumnFault, ColumnTruth, Drops, FalseCell, FalseCells, Paired, Pairing, Truth, TruthOutcome, in_form,
    pair_columns,
};
use crate::columns::{ORIGINAL, RELEASE, column};
use crate::error::VerifyError;
use crate::normal::of_rows;
use crate::watch::check;
use crate::{aggregate, exchange, renumbered, weights};

/// Checks every cell of the release against the original row that the private row map says it came from.
///
/// `row_map[i]` is the original row (from 0) of released row `i`. `control` can stop the check.
pub fn check_truth_with_map(
    release: &CodedTable,
    original: &CodedTable,
    row_map: &[u32],
    columns: &[(String, Truth)],
    drops: Drops,
    control: &Control,
) -> Result<TruthOutcome, VerifyError> {
    let mut all = TruthInParts::new(columns, original, original.rows as u64, drops, control);
    all.add(release, original, row_map, row_map.iter().map(|&row| u64::from(row)), true)?;
    all.finish()
}

/// A release whose rows are compared with their originals part by part, so that the caller never needs to hold all of both.
///
/// However the rows are divided into parts, [`TruthInParts::finish`] returns what [`check_truth_with_map`] returns for the whole
/// table.
pub struct TruthInParts<'a> {
    columns: &'a [(String, Truth)],
    known: &'a CodedTable,
    drops: Drops,
    control: &'a Control,
    original_rows: u64,
    /// For each original row, whether a released row stands for it. Each number has the bits of 64 rows.
    used: Vec<u64>,
    released_rows: u64,
    repeated_rows: u64,
    /// The columns of the first part, and what is wrong with them. Every part must have the same.
    shape: Option<(Vec<String>, Vec<ColumnFault>)>,
    /// Whether a part could not be compared completely, so that nothing can be said of the release.
    is_broken: bool,
    found: BTreeMap<String, InColumn>,
    /// What the last class of a part with means shows.
    last_class: Option<Vec<String>>,
}

/// What was found in a column so far.
#[derive(Default)]
struct InColumn {
    /// The original and released texts of false cells.
    pairs: BTreeSet<(String, String)>,
    /// The number of further pairs, which no other part can have.
    own_pairs: u64,
    cells: u64,
    first_row: Option<u64>,
}

impl<'a> TruthInParts<'a> {
    /// Begins with no rows, for a release of a table with this many original rows. `known` shows how texts are read in the
    /// columns whose values may have several spellings: it must have every text that some original row has in these columns.
    #[must_use]
    pub fn new(
        columns: &'a [(String, Truth)],
        known: &'a CodedTable,
        original_rows: u64,
        drops: Drops,
        control: &'a Control,
    ) -> Self {
        Self {
            columns,
            known,
            drops,
            control,
            original_rows,
            used: vec![0; original_rows.div_ceil(64) as usize],
            released_rows: 0,
            repeated_rows: 0,
            shape: None,
            is_broken: false,
            found: BTreeMap::new(),
            last_class: None,
        }
    }

    /// Compares some released rows with their originals, row by row. `rows` are the numbers of the original rows, counted from 0.
    ///
    /// Where columns show means, a class must not be divided between parts, and parts must come in the order of what they show.
    /// Columns whose values were exchanged cannot be compared in parts.
    pub fn update(
        &mut self,
        part: &CodedTable,
        originals: &CodedTable,
        rows: &[u64],
    ) -> Result<(), VerifyError> {
        // `add` clears this after the whole part was compared.
        self.is_broken = true;
        self.is_known(originals)?;
        let places: Vec<u32> = (0..originals.rows.min(u32::MAX as usize) as u32).collect();
        if rows.len() != originals.rows {
            let why = format!("it has {} entries and there are {} original rows", rows.len(), originals.rows);
            return Err(VerifyError::RowMap { why });
        }
        self.add(part, originals, &places, rows.iter().copied(), false)
    }

    /// Returns what was found in all parts. Fails if there were none, since then not even the columns are known, or if one could
    /// not be compared.
    pub fn finish(self) -> Result<TruthOutcome, VerifyError> {
        let (Some((_, column_faults)), false) = (self.shape, self.is_broken) else {
            return Err(malformed("", "no part of it was compared, or one could not be"));
        };
        let mut found = self.found;
        let columns: Vec<ColumnTruth> = self
            .columns
            .iter()
            .filter_map(|(name, _)| {
                let of = found.remove(name)?;
                Some(ColumnTruth {
                    column: name.clone(),
                    false_pairs: of.pairs.len() as u64 + of.own_pairs,
                    false_cells: of.cells,
                    first_row: of.first_row,
                })
            })
            .collect();
        let first_false = columns
            .iter()
            .filter_map(|column| Some(FalseCell { row: column.first_row?, column: column.column.clone() }))
            .min_by_key(|cell| cell.row);
        let used: u64 = self.used.iter().map(|rows| u64::from(rows.count_ones())).sum();
        let unreleased_rows = self.original_rows - used;
        Ok(TruthOutcome {
            holds: column_faults.is_empty()
                && first_false.is_none()
                && self.repeated_rows == 0
                && (self.drops == Drops::Allowed || unreleased_rows == 0),
            with_row_map: true,
            released_rows: self.released_rows,
            original_rows: self.original_rows,
            unreleased_rows,
            repeated_rows: self.repeated_rows,
            unassigned_rows: 0,
            column_faults,
            columns,
            unchecked: Vec::new(),
            first_false,
        })
    }

    /// Compares released rows with the rows of `originals` at these positions. `rows` are the numbers of these originals in the
    /// whole table.
    fn add(
        &mut self,
        part: &CodedTable,
        originals: &CodedTable,
        places: &[u32],
        rows: impl Iterator<Item = u64>,
        is_whole: bool,
    ) -> Result<(), VerifyError> {
        let (columns, control) = (self.columns, self.control);
        self.is_broken = true;
        let (part, originals) = (
            &*in_form(part, self.known, columns, control)?,
            &*in_form(originals, self.known, columns, control)?,
        );
        let Paired { faults, pairings, means, permuted, weights, numbers } =
            pair_columns(part, originals, columns)?;
        if places.len() != part.rows {
            let why = format!("it has {} entries and the release {} rows", places.len(), part.rows);
            return Err(VerifyError::RowMap { why });
        }
        if !permuted.is_empty() && !is_whole {
            let why = "its values were exchanged, so they can only be compared all together";
            return Err(malformed(&permuted[0].0.name, why));
        }
        if let Some(of) = weights.iter().find(|of| of.needs_all_rows() && !is_whole) {
            let why = "its weights are those of groups or strata, so they can only be compared all together";
            return Err(malformed(&of.released.name, why));
        }
        if let Some(of) = numbers.first().filter(|_| !is_whole) {
            let why =
                "its values are numbered by what all rows show, so they can only be compared all together";
            return Err(malformed(&of.released.name, why));
        }
        let names = part.columns.iter().map(|column| column.name.clone()).collect();
        let shape = (names, faults);
        if *self.shape.get_or_insert_with(|| shape.clone()) != shape {
            return Err(malformed("", "its parts have different columns"));
        }
        check(control)?;
        self.mark(rows)?;
        let before = self.released_rows;
        self.released_rows += part.rows as u64;
        let compared: Vec<FalseCells> =
            pairings.par_iter().map(|pairing| pairing.check(places, control)).collect::<Result<_, _>>()?;
        for (pairing, cells) in pairings.iter().zip(compared) {
            self.found_in(&pairing.released.name).add(pairing, &cells, before);
        }
        check(control)?;
        if !means.is_empty() {
            self.follow(part, aggregate::shown(&means, &pairings))?;
        }
        let together = aggregate::check(&means, &pairings, places);
        check(control)?;
        let exchanged = permuted.iter().map(|(released, original)| exchange::compare(released, original));
        let weighed = weights::check(&weights, &means, &pairings, places);
        let numbered = renumbered::check(&numbers, part, places, control)?;
        for truth in together.into_iter().chain(exchanged).chain(weighed).chain(numbered) {
            let found = self.found_in(&truth.column);
            found.own_pairs += truth.false_pairs;
            found.cells += truth.false_cells;
            found.first_row = found.first_row.or(truth.first_row.map(|row| before + row));
        }
        self.is_broken = false;
        Ok(())
    }

    fn found_in(&mut self, column: &str) -> &mut InColumn {
        self.found.entry(column.to_owned()).or_default()
    }

    /// Returns an error if a column whose values may have several spellings has a text here that is not known: such a text might
    /// change how others are read.
    fn is_known(&self, originals: &CodedTable) -> Result<(), VerifyError> {
        for (name, _) in self.columns.iter().filter(|(_, truth)| matches!(truth, Truth::Same(_))) {
            let known = column(self.known, ORIGINAL, name)?;
            let texts = column(originals, ORIGINAL, name)?;
            if of_rows(texts).any(|text| known.values.find_sorted(text).is_none()) {
                let why = "a part has a text of it that was not known at the beginning";
                return Err(VerifyError::Malformed { table: ORIGINAL, column: name.clone(), why });
            }
        }
        Ok(())
    }

    /// Marks original rows as released.
    fn mark(&mut self, rows: impl Iterator<Item = u64>) -> Result<(), VerifyError> {
        for (row, source) in (self.released_rows..).zip(rows) {
            if source >= self.original_rows {
                let why = format!(
                    "released row {} is said to come from a row the original table does not have",
                    row + 1
                );
                return Err(VerifyError::RowMap { why });
            }
            let (word, bit) = ((source / 64) as usize, 1_u64 << (source % 64));
            self.repeated_rows += u64::from(self.used[word] & bit != 0);
            self.used[word] |= bit;
        }
        Ok(())
    }

    /// Returns an error if a class of this part may also have been in an earlier one.
    fn follow<'c>(
        &mut self,
        part: &CodedTable,
        shown: impl Iterator<Item = &'c CodedColumn>,
    ) -> Result<(), VerifyError> {
        let mut shown: Vec<&CodedColumn> = shown.collect();
        // Released rows are sorted by the texts of their columns, in column order.
        let place = |column: &CodedColumn| part.columns.iter().position(|other| other.name == column.name);
        shown.sort_by_key(|column| place(column));
        let codes = |row: usize| shown.iter().map(|column| column.codes.get(row)).collect::<Vec<u32>>();
        let texts = |codes: Vec<u32>| -> Vec<String> {
            shown.iter().zip(codes).map(|(column, code)| column.values.get(code).to_owned()).collect()
        };
        let (first, last) = ((0..part.rows).map(codes).min(), (0..part.rows).map(codes).max());
        let (Some(first), Some(last)) = (first.map(texts), last.map(texts)) else { return Ok(()) };
        if self.last_class.as_ref().is_some_and(|before| *before >= first) {
            let why = "its parts divide a group, or are not in the order of what they show, so means cannot be compared";
            return Err(malformed("", why));
        }
        self.last_class = Some(last);
        Ok(())
    }
}

fn malformed(column: &str, why: &'static str) -> VerifyError {
    VerifyError::Malformed { table: RELEASE, column: column.to_owned(), why }
}

impl InColumn {
    fn add(&mut self, pairing: &Pairing<'_>, found: &FalseCells, before: u64) {
        let texts = |&(original, released): &(u32, u32)| {
            let text = |column: &CodedColumn, code| column.values.get(code).to_owned();
            (text(pairing.original, original), text(pairing.released, released))
        };
        self.pairs.extend(found.pairs.iter().map(texts));
        self.cells += found.cells;
        self.first_row = self.first_row.or(found.first.map(|row| before + u64::from(row) + 1));
    }
}
