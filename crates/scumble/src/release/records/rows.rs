//! The rows of a release of records: what each shows, and their order.

use rayon::prelude::*;
use scumble_files::table::Texts;
use scumble_files::{Cells, ColumnType, OutColumn};

use super::super::ranges::RangeColumn;
use super::super::staged::{Staged, column_type, label_type};
use super::RecordRun;
use crate::error::{Error, Result, Setting};
use crate::release::pipeline::ShownColumn;
use crate::search::algorithms::Format;
use crate::table::pack::Packer;

/// A column of the release whose texts depend on the record.
struct Shown {
    name: String,
    /// The texts, ascending, and the text of each record.
    texts: Texts,
    of_record: Vec<u32>,
    kind: ColumnType,
}

/// The rows of a release before they are written.
#[derive(Default)]
pub(in crate::release) struct Arranged {
    /// For each released row the original row it came from. Private.
    pub(super) order: Vec<u32>,
    pub(in crate::release) record_of_row: Vec<u32>,
    /// The columns of the quasi-identifiers; `instead` has those that replace the column which is not published row by row.
    quasi: Vec<Shown>,
    instead: Vec<Shown>,
    /// The number of records that readers can tell apart.
    looks: u64,
}

impl Arranged {
    /// The number of records that readers can tell apart.
    pub(super) fn looks(&self) -> u64 {
        self.looks
    }

    /// What each row of the original shows in a column of the release; `None` for the column that is not published row by row.
    pub(super) fn shows(&self, run: &RecordRun<'_>, name: &str) -> Option<ShownColumn> {
        if let Some(column) = self.quasi.iter().find(|column| column.name == name) {
            let of_row = self.record_of_row.iter().map(|record| column.of_record[*record as usize]).collect();
            return Some(ShownColumn { texts: column.texts.clone(), of_row });
        }
        let kept = run.kept_columns().find(|kept| *kept == name)?;
        let column = run.source.column(kept)?;
        Some(ShownColumn { texts: column.values.clone(), of_row: column.codes.iter().collect() })
    }

    /// Forgets the texts of the columns.
    pub(super) fn forget_texts(&mut self) {
        self.quasi = Vec::new();
        self.instead = Vec::new();
    }

    /// The place of an original row's record.
    pub(super) fn record_of_row(&self, row: u32) -> usize {
        self.record_of_row[row as usize] as usize
    }
}

/// Sorts the rows by what they show, so that no trace of the original order is left.
pub(super) fn arrange(run: &RecordRun<'_>, tuple_of_row: &[u32], payload_of_row: &[u32]) -> Result<Arranged> {
    let kept = kept_keys(run);
    let record_of_row = record_of_row(run, tuple_of_row, payload_of_row, &kept)?;
    let records = &run.found.solution.records;
    let quasi: Vec<Shown> = run
        .problem
        .quasi
        .par_iter()
        .enumerate()
        .map(|(place, quasi)| {
            let values = || records.iter().map(|record| record.shown[place]);
            let range = RangeColumn::of(run, quasi);
            let label =
                |value| range.as_ref().map_or_else(|| Ok(quasi.label(value)), |of| of.label(quasi, value));
            let labels: Vec<String> = values().map(label).collect::<Result<_>>()?;
            let mut column = shown(quasi.name.clone(), &labels, ColumnType::Text);
            column.kind = label_type(quasi, values(), &column.texts);
            Ok(column)
        })
        .collect::<Result<_>>()?;
    let instead = match &run.found.taken {
        Some(taken) => exchanged(run, taken),
        None => frequencies(run)?,
    };
    let columns = || quasi.iter().chain(&instead);
    let mut order: Vec<u32> = (0..records.len() as u32).collect();
    let look = |record: u32| columns().map(move |column| column.of_record[record as usize]);
    order.par_sort_unstable_by(|a, b| look(*a).cmp(look(*b)));
    let mut rank = vec![0_u32; records.len()];
    for pair in order.windows(2) {
        rank[pair[1] as usize] = rank[pair[0] as usize] + u32::from(look(pair[0]).ne(look(pair[1])));
    }
    let looks = order.last().map_or(0, |last| u64::from(rank[*last as usize]) + 1);
    let mut order: Vec<u32> = (0..record_of_row.len() as u32).collect();
    if !run.plan.keep_order {
        // The original row number only decides between rows that look the same, where nobody can see it.
        order.par_sort_unstable_by_key(|row| {
            (rank[record_of_row[*row as usize] as usize], kept[*row as usize], *row)
        });
    }
    Ok(Arranged { order, record_of_row, quasi, instead, looks })
}

/// The record of each original row: one of those with its tuple and its value of the column that records are about. If there are several,
/// rows get them in the order of their other published columns, so that row numbers decide nothing that can be seen.
fn record_of_row(
    run: &RecordRun<'_>,
    tuple_of_row: &[u32],
    payload_of_row: &[u32],
    kept: &[u64],
) -> Result<Vec<u32>> {
    let payloads = run.problem.table.payloads();
    let value = |payload: u32| run.found.solution.column.map_or(0, |column| payloads.value(payload, column));
    let kind = |row: u32| (tuple_of_row[row as usize], value(payload_of_row[row as usize]));
    let mut rows: Vec<u32> = (0..tuple_of_row.len() as u32).collect();
    rows.par_sort_unstable_by_key(|row| (kind(*row), kept[*row as usize], *row));
    let records = (0..).zip(&run.found.solution.records);
    let places = records.flat_map(|(place, record)| {
        std::iter::repeat_n((place, (record.tuple, record.value)), record.rows as usize)
    });
    let mut found = vec![u32::MAX; rows.len()];
    let mut dealt = 0;
    for (row, (place, of)) in rows.iter().zip(places) {
        if kind(*row) != of {
            break;
        }
        found[*row as usize] = place;
        dealt += 1;
    }
    if dealt < rows.len() {
        return Err(Error::internal("a row has no record"));
    }
    Ok(found)
}

/// A key for each row that stands for its columns that are published unchanged, and sorts like them.
fn kept_keys(run: &RecordRun<'_>) -> Vec<u64> {
    let mut packer = Packer::new(run.source.rows);
    let columns = run.source.by_name();
    for column in run.kept_columns().filter_map(|name| columns.get(name)) {
        packer.push(column.values.len() as u32, |row| column.codes.get(row));
    }
    packer.finish()
}

/// Makes a column from the text of each record.
fn shown(name: String, labels: &[String], kind: ColumnType) -> Shown {
    let mut sorted: Vec<&str> = labels.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let of_record =
        labels.iter().map(|label| sorted.partition_point(|of| *of < label.as_str()) as u32).collect();
    Shown { name, texts: sorted.iter().copied().collect(), of_record, kind }
}

/// The column of exchanged values.
fn exchanged(run: &RecordRun<'_>, taken: &[u32]) -> Vec<Shown> {
    let Some(place) = run.found.solution.column else { return Vec::new() };
    let column = &run.problem.table.payloads().columns[place];
    let value = |other: &u32| column.values.get(run.found.solution.records[*other as usize].value).to_owned();
    let labels: Vec<String> = taken.iter().map(value).collect();
    vec![shown(column.name.clone(), &labels, column_type(&column.values))]
}

/// The columns that show frequencies.
fn frequencies(run: &RecordRun<'_>) -> Result<Vec<Shown>> {
    let Some(place) = run.found.solution.column else { return Ok(Vec::new()) };
    let column = &run.problem.table.payloads().columns[place];
    let share = |count: u64| count as f64 / run.found.solution.size as f64;
    let records = &run.found.solution.records;
    if run.found.solution.format == Format::Json {
        let object = |counts: &[u64]| {
            let positive = (0..).zip(counts).filter(|(_, count)| **count > 0);
            let pairs =
                positive.map(|(value, count)| (column.values.get(value).to_owned(), share(*count).into()));
            serde_json::Value::Object(pairs.collect()).to_string()
        };
        let labels: Vec<String> = records.iter().map(|record| object(&record.counts)).collect();
        return Ok(vec![shown(column.name.clone(), &labels, ColumnType::Frequencies)]);
    }
    let of_value = |value: u32| {
        let name = format!("{}={}", column.name, column.values.get(value));
        let labels: Vec<String> =
            records.iter().map(|record| share(record.counts[value as usize]).to_string()).collect();
        shown(name, &labels, ColumnType::Float)
    };
    let columns: Vec<Shown> = (0..column.values.len() as u32).into_par_iter().map(of_value).collect();
    let taken = |name: &str| run.plan.columns.iter().any(|(of, _)| of == name);
    if columns.iter().any(|column| taken(&column.name)) {
        return Err(Error::config(format!(
            "the frequencies of '{}' would be named like another column of the table",
            column.name
        ))
        .advise("rename the other column")
        .set(Setting::parameter("format").to("json"), "write all frequencies into one column"));
    }
    Ok(columns)
}

/// Writes the columns in the order of the original table; frequencies take the place of their column.
pub(super) fn write(run: &RecordRun<'_>, rows: &Arranged, staged: &mut Staged<'_>) -> Result<()> {
    let mut columns = Vec::new();
    let source = run.source.by_name();
    let kept: std::collections::BTreeSet<&str> = run.kept_columns().collect();
    for (name, _) in &run.plan.columns {
        let of_records: Vec<&Shown> = if Some(name.as_str()) == run.column() {
            rows.instead.iter().collect()
        } else {
            rows.quasi.iter().filter(|shown| shown.name == *name).collect()
        };
        for shown in of_records {
            let cells = Cells::Via { class_of_row: &rows.record_of_row, code_of_class: &shown.of_record };
            columns.push(OutColumn { name: &shown.name, texts: &shown.texts, cells, kind: shown.kind });
        }
        if let Some(column) = source.get(name.as_str()).filter(|_| kept.contains(name.as_str())) {
            let cells = Cells::Direct(&column.codes);
            columns.push(OutColumn { name, texts: &column.values, cells, kind: column_type(&column.values) });
        }
    }
    staged.write("", &columns, &rows.order)
}
