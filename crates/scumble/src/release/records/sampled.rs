//! Draws concrete tables from records, for machine-learning models that read ordinary tables (models.md 3.2).
//!
//! Each table has one row for each record: a value of each quasi-identifier, drawn from those that the record covers as often
//! as they occur in the original column, and a value of the sensitive column, drawn from the record's frequencies. The tables
//! follow each other, each sorted by content, so that no order links their rows. The records themselves are first written to a
//! private file and verified; then every drawn row is checked against its record.

use rand_chacha::ChaCha20Rng;
use scumble_files::table::{CodedTable, Codes, Texts};
use scumble_files::{Cells, ColumnType, OutColumn};
use scumble_verify::{Drops, check_truth_with_map};

use super::super::staged::{Staged, column_type};
use super::RecordRun;
use super::check::truths;
use super::rows::Arranged;
use crate::base::chance::{self, below};
use crate::error::{Error, Result, Setting};
use crate::table::quasi::{Quasi, Value};

/// The column that says which table a row is in.
const TABLE: &str = "sample";

/// Rows that were drawn.
pub(super) struct Drawn {
    /// The columns: name, texts in ascending order, and the text of each row. The number of the table comes first.
    columns: Vec<(String, Texts, Codes)>,
    /// The place of each row's record among the released records.
    record: Vec<u32>,
}

/// Draws tables; `records` has the records in the order in which they would be released.
pub(super) fn draw(run: &RecordRun<'_>, records: &Arranged, tables: u64) -> Result<Drawn> {
    let Some(place) = run.found.solution.column else {
        return Err(Error::refused("there are no frequencies from which tables could be drawn"));
    };
    if let Some(name) = run.kept_columns().next() {
        return Err(Error::refused(format!(
            "column '{name}' is published as it is, and would link the drawn tables row by row"
        ))
        .set(Setting::role("drop").of(&[name]), "leave the column out")
        .set(Setting::root("rest").to("drop"), "leave out all columns that are not named")
        .set(Setting::parameter("format").to("columns"), "publish the records themselves"));
    }
    if run.plan.columns.iter().any(|(name, _)| name == TABLE) {
        return Err(Error::config(format!(
            "a column of the table is called '{TABLE}', as the number of a drawn table is"
        ))
        .advise("rename the column"));
    }
    let mut chance = chance::secret_unless(run.plan.algorithm.seed)?;
    let payload = &run.problem.table.payloads().columns[place];
    let wells: Vec<Well> =
        run.problem.quasi.iter().enumerate().map(|(column, quasi)| Well::new(run, column, quasi)).collect();
    let width = wells.len() + 2;
    let mut rows: Vec<(Vec<u32>, u32)> = Vec::new();
    for table in 0..tables {
        let first = rows.len();
        for (at, row) in (0..).zip(&records.order) {
            if at % 4096 == 0 {
                run.problem.progress.control().check()?;
            }
            let record = &run.found.solution.records[records.record_of_row(*row)];
            let mut cells = Vec::with_capacity(width);
            cells.push(table as u32);
            cells.extend(wells.iter().zip(&record.shown).map(|(well, shown)| well.draw(*shown, &mut chance)));
            let total: u64 = record.counts.iter().sum();
            let mut left = below(total, &mut chance);
            let value = record.counts.iter().position(|count| {
                let here = left < *count;
                left = left.saturating_sub(*count);
                here
            });
            cells.push(value.unwrap_or(0) as u32);
            rows.push((cells, at));
        }
        rows[first..].sort_unstable();
    }
    let texts: Vec<(String, Texts)> = std::iter::once((TABLE.to_owned(), numbers(tables)))
        .chain(run.problem.quasi.iter().map(|quasi| {
            let texts: Vec<&str> = (0..quasi.size()).map(|code| quasi.text(code)).collect();
            (quasi.name.clone(), texts.into_iter().collect())
        }))
        .chain([(payload.name.clone(), payload.values.clone())])
        .collect();
    let columns = texts.into_iter().enumerate().map(|(column, (name, texts))| {
        let mut codes = Codes::with_capacity(texts.len(), rows.len());
        rows.iter().for_each(|(cells, _)| codes.push(cells[column]));
        (name, texts, codes)
    });
    Ok(Drawn { columns: columns.collect(), record: rows.iter().map(|row| row.1).collect() })
}

fn numbers(tables: u64) -> Texts {
    let texts: Vec<String> = (1..=tables).map(|table| table.to_string()).collect();
    texts.iter().map(String::as_str).collect()
}

/// The values of a column, to be drawn as often as they occur.
struct Well<'a> {
    quasi: &'a Quasi,
    /// For each code, the number of rows with a smaller code.
    before: Vec<u64>,
}

impl<'a> Well<'a> {
    fn new(run: &RecordRun<'_>, column: usize, quasi: &'a Quasi) -> Self {
        let rows = run.problem.table.marginal(column, quasi.size() as usize);
        let mut before = vec![0];
        for rows in rows {
            before.push(before[before.len() - 1] + rows);
        }
        Self { quasi, before }
    }

    /// Draws a code that a shown value covers.
    fn draw(&self, shown: Value, chance: &mut ChaCha20Rng) -> u32 {
        let (low, high) = self.quasi.codes(shown);
        let (from, to) = (self.before[low as usize], self.before[high as usize + 1]);
        let drawn = from + below(to - from, chance);
        self.before.partition_point(|rows| *rows <= drawn) as u32 - 1
    }
}

/// Writes the drawn rows, with the number of the table first.
pub(super) fn write(drawn: &Drawn, staged: &mut Staged<'_>) -> Result<()> {
    let columns: Vec<OutColumn<'_>> = drawn
        .columns
        .iter()
        .map(|(name, texts, codes)| {
            let kind = if name == TABLE { ColumnType::Integer } else { column_type(texts) };
            OutColumn { name, texts, cells: Cells::Direct(codes), kind }
        })
        .collect();
    let order: Vec<u32> = (0..drawn.record.len() as u32).collect();
    staged.write("", &columns, &order)
}

/// Reads the drawn rows back and checks them against the records, which were verified before: each record must be true of the rows drawn
/// from it.
pub(super) fn verify(
    run: &RecordRun<'_>,
    staged: &mut Staged<'_>,
    drawn: &Drawn,
    records: &CodedTable,
) -> Result<u64> {
    let mut release = staged.read_back_one()?;
    let rows = release.rows as u64;
    release.columns.retain(|column| column.name != TABLE);
    let truths = truths(run)?;
    // One record for each drawn row: the records take the place of a release, and the drawn rows that of its original.
    let repeat = |codes: &Codes, values: usize| {
        let all: Vec<u32> = drawn.record.iter().map(|record| codes.get(*record as usize)).collect();
        Codes::narrow(values, &all)
    };
    let columns = records.columns.iter().map(|column| scumble_files::table::CodedColumn {
        name: column.name.clone(),
        values: column.values.clone(),
        codes: repeat(&column.codes, column.values.len()),
    });
    let repeated = CodedTable { columns: columns.collect(), rows: release.rows };
    let map: Vec<u32> = (0..release.rows as u32).collect();
    let truth = check_truth_with_map(&repeated, &release, &map, &truths, Drops::Forbidden, staged.control())?;
    if !truth.holds || drawn.record.len() as u64 != rows {
        return Err(Error::verification(
            "a drawn row is not covered by its record. It was not published. This is a bug in Scumble, please report it",
        ));
    }
    Ok(rows)
}
