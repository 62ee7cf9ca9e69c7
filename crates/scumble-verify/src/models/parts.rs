//! Checks a release that comes in parts, so that the caller never needs to hold all of its rows.

use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable, Codes};

use super::original::MOST_ROWS;
use super::requirement::Requirement;
use super::scope::Scope;
use super::{Claim, ModelClaim, Outcome, Reference, check_counted};
use crate::columns::{RELEASE, check_distinct, column, part};
use crate::error::VerifyError;
use crate::group::{Part, View, group};
use crate::population::Population;

/// With fewer rows than this, equal rows are not merged.
const FEW: usize = 1 << 12;

/// The rows of a release, counted part by part by what a claim reads of them. It holds at most about twice as many rows as are
/// distinct.
///
/// However the rows are ordered and divided into parts, [`ReleaseInParts::check`] finds what [`crate::check_models_with`] finds
/// in the whole table.
#[derive(Debug, Clone)]
pub struct ReleaseInParts {
    claim: Claim,
    columns: Vec<Column>,
    /// How often each of the stored rows was counted.
    weights: Vec<u64>,
    /// The number of all rows together.
    rows: u64,
    /// The number of stored rows that are known to be distinct, from the first one on.
    distinct: usize,
}

/// A column that the claim reads.
#[derive(Debug, Clone)]
struct Column {
    name: String,
    number_of_text: HashMap<Box<str>, u32, FixedState>,
    /// The number of each row's text.
    cells: Vec<u32>,
}

impl ReleaseInParts {
    /// Begins with no rows, for a release with this claim.
    pub fn new(claim: Claim) -> Result<Self, VerifyError> {
        if claim.quasi.is_empty() {
            return Err(VerifyError::NoQuasi);
        }
        check_distinct(claim.quasi.iter().map(String::as_str), "list of quasi-identifiers")?;
        let mut names = claim.quasi.clone();
        for model in &claim.models {
            names.extend(read_by(model)?);
        }
        let mut columns: Vec<Column> = Vec::new();
        for name in names {
            if columns.iter().all(|column| column.name != name) {
                columns.push(Column { name, number_of_text: HashMap::default(), cells: Vec::new() });
            }
        }
        Ok(Self { claim, columns, weights: Vec::new(), rows: 0, distinct: 0 })
    }

    /// Counts the rows of a part. `counts`, if given, says how often each row counts, for example where a database engine has
    /// grouped the rows already.
    pub fn update(&mut self, rows: &CodedTable, counts: Option<&[u64]>) -> Result<(), VerifyError> {
        if counts.is_some_and(|counts| counts.len() != rows.rows) {
            return Err(VerifyError::Malformed {
                table: RELEASE,
                column: String::new(),
                why: "it has another number of counts than of rows",
            });
        }
        let all = counts.map_or(Some(rows.rows as u64), |counts| {
            counts.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count))
        });
        self.has_room_for(all)?;
        let columns: Vec<&CodedColumn> = self
            .columns
            .iter()
            .map(|wanted| column(rows, RELEASE, &wanted.name))
            .collect::<Result<_, _>>()?;
        let parts: Vec<Part<'_>> = columns.iter().map(|column| part(column)).collect();
        let groups = group(&parts, rows.rows).weighted(counts.map(Arc::from));
        // Rows that count zero times are not there: a value that only they have is not a value of their class.
        let there = || groups.first_row.iter().zip(&groups.size).filter(|(_, size)| **size > 0);
        for (own, of_part) in self.columns.iter_mut().zip(columns) {
            own.append(of_part, there().map(|(&row, _)| of_part.codes.get(row as usize)));
        }
        self.add(there().map(|(_, &size)| size).collect())
    }

    /// Counts the rows of another part of the same release.
    pub fn merge(&mut self, other: Self) -> Result<(), VerifyError> {
        if self.claim != other.claim {
            return Err(VerifyError::Malformed {
                table: RELEASE,
                column: String::new(),
                why: "its parts were counted for different claims",
            });
        }
        self.has_room_for(Some(other.rows))?;
        for (own, others) in self.columns.iter_mut().zip(other.columns) {
            own.merge(others);
        }
        self.add(other.weights)
    }

    /// Checks all rows that were counted, as [`crate::check_models_with`] does.
    pub fn check(
        mut self,
        reference: Option<&Reference>,
        population: Option<&Population<'_>>,
        control: &Control,
    ) -> Result<Outcome, VerifyError> {
        self.compact();
        let table = CodedTable {
            rows: self.weights.len(),
            columns: self.columns.into_iter().map(Column::finish).collect(),
        };
        check_counted(&table, Some(self.weights.into()), &self.claim, reference, population, control)
    }

    /// Returns an error if this many more rows could not be added up.
    fn has_room_for(&self, more: Option<u64>) -> Result<(), VerifyError> {
        match more.and_then(|more| self.rows.checked_add(more)) {
            Some(all) if all <= MOST_ROWS => Ok(()),
            _ => Err(too_large()),
        }
    }

    fn add(&mut self, weights: Vec<u64>) -> Result<(), VerifyError> {
        self.rows += weights.iter().sum::<u64>();
        self.weights.extend(weights);
        if self.weights.len() > 2 * self.distinct.max(FEW) {
            self.compact();
        }
        if self.weights.len() >= u32::MAX as usize { Err(too_large()) } else { Ok(()) }
    }

    /// Merges rows that agree.
    fn compact(&mut self) {
        let part = |column: &Column| (column.cells.clone(), column.number_of_text.len());
        let cells: Vec<(Vec<u32>, usize)> = self.columns.iter().map(part).collect();
        let parts: Vec<Part<'_>> =
            cells.iter().map(|(cells, bound)| Part { codes: View::U32(cells), bound: *bound }).collect();
        let groups = group(&parts, self.weights.len()).weighted(Some(self.weights.as_slice().into()));
        for (column, (cells, _)) in self.columns.iter_mut().zip(&cells) {
            column.cells = groups.first_row.iter().map(|&row| cells[row as usize]).collect();
        }
        self.distinct = groups.len();
        self.weights = groups.size;
    }
}

fn too_large() -> VerifyError {
    VerifyError::TooLarge {
        what: "the release has too many rows, or too many that differ".to_owned(),
        remedy: "check it in parts that share no group",
    }
}

/// Returns the columns that a model reads besides the quasi-identifiers.
fn read_by(model: &ModelClaim) -> Result<Vec<String>, VerifyError> {
    let (requirement, scope) = Requirement::read(model)?;
    let Scope { quasi: _, known: _, given, joint, person } = scope;
    let guarding = match &requirement {
        Requirement::Guarded { guarded, .. } => Some(guarded.guarding.clone()),
        _ => None,
    };
    let values = joint.unwrap_or_else(|| requirement.column().cloned().into_iter().collect());
    Ok(values.into_iter().chain(given).chain(person).chain(guarding).collect())
}

impl Column {
    fn number(&mut self, text: &str) -> u32 {
        let next = self.number_of_text.len() as u32;
        if let Some(number) = self.number_of_text.get(text) {
            return *number;
        }
        self.number_of_text.insert(text.into(), next);
        next
    }

    /// Appends some cells of a column. Only texts that some row has are taken.
    fn append(&mut self, from: &CodedColumn, codes: impl Iterator<Item = u32>) {
        let mut numbers: Vec<Option<u32>> = vec![None; from.values.len()];
        for code in codes {
            let known = numbers[code as usize];
            let number = known.unwrap_or_else(|| self.number(from.values.get(code)));
            numbers[code as usize] = Some(number);
            self.cells.push(number);
        }
    }

    fn merge(&mut self, other: Self) {
        let mut numbers = vec![0; other.number_of_text.len()];
        let mut texts: Vec<(u32, Box<str>)> =
            other.number_of_text.into_iter().map(|(text, number)| (number, text)).collect();
        texts.sort_unstable();
        for (number, text) in texts {
            numbers[number as usize] = self.number(&text);
        }
        self.cells.extend(other.cells.iter().map(|cell| numbers[*cell as usize]));
    }

    /// Returns the column as a reader of the whole release would have coded it.
    fn finish(self) -> CodedColumn {
        let mut texts: Vec<(Box<str>, u32)> = self.number_of_text.into_iter().collect();
        texts.sort_unstable();
        let mut code = vec![0; texts.len()];
        (0..).zip(&texts).for_each(|(place, (_, number))| code[*number as usize] = place);
        let codes: Vec<u32> = self.cells.iter().map(|cell| code[*cell as usize]).collect();
        CodedColumn {
            name: self.name,
            codes: Codes::narrow(texts.len(), &codes),
            values: texts.iter().map(|(text, _)| &**text).collect(),
        }
    }
}
