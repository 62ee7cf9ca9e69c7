//! Results as a tidy table: one row for each table, algorithm, combination of values, machine-learning model and split.

use std::fs::File;
use std::path::Path;

use scumble::Result;
use scumble_files::table::{Codes, Texts};
use scumble_files::{Cells, ColumnType, Control, OutColumn, WriteOptions, format_for, write_table};

use super::journal::Entry;
use super::results::Results;

/// A column: its name, its type, and its text for each row.
type Shown = (String, ColumnType, Vec<String>);

/// Writes all results, with a column for each varying parameter and each metric of the plan. The ending of `name` selects CSV, Parquet or
/// Arrow.
pub fn write_results(
    results: &Results,
    varying: &[&str],
    metrics: &[&str],
    name: &Path,
    file: &mut File,
) -> Result<()> {
    let columns = columns(results, varying, metrics);
    let coded: Vec<(Texts, Codes)> = columns.iter().map(|(_, _, texts)| code(texts)).collect();
    let out: Vec<OutColumn<'_>> = columns
        .iter()
        .zip(&coded)
        .map(|((name, kind, _), (texts, codes))| OutColumn {
            name,
            texts,
            cells: Cells::Direct(codes),
            kind: *kind,
        })
        .collect();
    let order: Vec<u32> = (0..results.entries.len() as u32).collect();
    let label = name.display().to_string();
    let options = WriteOptions {
        format: format_for(name)?,
        name: &label,
        threads: 0,
        spreadsheet_safe: false,
        byte_order_mark: false,
        control: &Control::default(),
    };
    write_table(file, &out, &order, &options)
}

fn columns(results: &Results, varying: &[&str], metrics: &[&str]) -> Vec<Shown> {
    let all = |name: &str, kind: ColumnType, text: &dyn Fn(&Entry) -> String| {
        (name.to_owned(), kind, results.entries.iter().map(text).collect())
    };
    let number = |number: f64| format!("{number}");
    let (text, float, whole) = (ColumnType::Text, ColumnType::Float, ColumnType::Integer);
    let mut columns: Vec<Shown> = vec![
        all("data", text, &|entry| entry.data.clone()),
        all("algorithm", text, &|entry| entry.algorithm.clone().unwrap_or_else(|| "original".to_owned())),
    ];
    for name in varying {
        let texts = results.entries.iter().map(|entry| entry.values.get(*name).cloned().unwrap_or_default());
        let texts: Vec<String> = texts.collect();
        let integers = texts.iter().all(|text| text.is_empty() || text.parse::<i64>().is_ok());
        columns.push(((*name).to_owned(), if integers { whole } else { float }, texts));
    }
    columns.extend([
        all("learner", text, &|entry| entry.learner.clone()),
        all("repetition", whole, &|entry| entry.part.repetition.to_string()),
        all("fold", whole, &|entry| entry.part.fold.to_string()),
        all("train_rows", whole, &|entry| entry.rows.0.to_string()),
        all("test_rows", whole, &|entry| entry.rows.1.to_string()),
        all("accuracy", float, &|entry| entry.accuracy.map(number).unwrap_or_default()),
        all("loss", float, &|entry| number(entry.loss)),
        all("suppressed", float, &|entry| number(entry.suppressed)),
        all("unmapped", float, &|entry| number(entry.unmapped)),
    ]);
    let of_metric = |name: &&str| {
        all(name, float, &|entry| entry.measures.get(*name).copied().map(number).unwrap_or_default())
    };
    columns.extend(metrics.iter().map(of_metric));
    columns.extend([
        all("release_seconds", float, &|entry| format!("{:.6}", entry.release_seconds)),
        all("learn_seconds", float, &|entry| format!("{:.6}", entry.learn_seconds)),
        all("error", text, &|entry| entry.error.clone().unwrap_or_default()),
    ]);
    columns
}

/// Returns texts as a sorted dictionary and codes.
fn code(texts: &[String]) -> (Texts, Codes) {
    let mut sorted: Vec<&str> = texts.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let codes: Vec<u32> =
        texts.iter().map(|text| sorted.partition_point(|other| *other < text.as_str()) as u32).collect();
    let codes = Codes::narrow(sorted.len(), &codes);
    (sorted.into_iter().collect(), codes)
}
