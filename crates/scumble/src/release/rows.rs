//! The rows of a release: which go out, in which order, and what they show.

use std::fs::File;

use rayon::prelude::*;
use scumble_files::table::Texts;
use scumble_files::{Cells, ColumnType, OutColumn, OutFormat, WriteOptions, write_table};

use super::Run;
use crate::config::StarPolicy;
use crate::error::Result;
use crate::kind::{Inference, Kind};
use crate::label;
use crate::pack::Packer;

/// The rows of a release before they are written.
pub(crate) struct ReleasedRows {
    /// For each original row its class.
    pub(crate) class_of_row: Vec<u32>,
    /// For each released row the original row it came from. Private.
    pub(crate) order: Vec<u32>,
    /// For each quasi-identifier the labels in ascending order, and the label of each class.
    pub(crate) labels: Vec<(Texts, Vec<u32>)>,
}

/// Chooses and sorts the released rows. They are sorted by what they show, so no trace of the original order is left.
pub(crate) fn arrange(run: &Run<'_>, tuple_of_row: &[u32]) -> ReleasedRows {
    let classes = run.classes();
    let labels: Vec<(Texts, Vec<u32>)> =
        (0..run.problem.quasi.len()).into_par_iter().map(|column| column_labels(run, column)).collect();
    let class_of_row: Vec<u32> =
        tuple_of_row.par_iter().map(|tuple| classes.assignment.class_of_tuple[*tuple as usize]).collect();
    let dropped =
        |class: u32| run.problem.star_policy == StarPolicy::Drop && classes.is_suppressed(class as usize);
    let mut order: Vec<u32> =
        (0..class_of_row.len() as u32).filter(|row| !dropped(class_of_row[*row as usize])).collect();
    if !run.plan.keep_order {
        sort_by_content(run, &labels, &class_of_row, &mut order);
    }
    ReleasedRows { class_of_row, order, labels }
}

/// The labels of a column in ascending order, and the label of each class; equal labels are one.
fn column_labels(run: &Run<'_>, column: usize) -> (Texts, Vec<u32>) {
    let classes = run.classes();
    let shown = &classes.assignment.columns[column];
    let quasi = &run.problem.quasi[column];
    let of_value: Vec<String> = shown.values.iter().map(|value| quasi.label(*value)).collect();
    let mut sorted: Vec<&str> = of_value.iter().map(String::as_str).chain([label::STAR]).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let place = |text: &str| sorted.binary_search(&text).unwrap_or(0) as u32;
    let star = place(label::STAR);
    let place_of_value: Vec<u32> = of_value.iter().map(|text| place(text)).collect();
    let of_class =
        (0..classes.len())
            .map(|class| {
                if classes.is_suppressed(class) {
                    star
                } else {
                    place_of_value[shown.of_class[class] as usize]
                }
            })
            .collect();
    (sorted.into_iter().collect(), of_class)
}

fn sort_by_content(run: &Run<'_>, labels: &[(Texts, Vec<u32>)], class_of_row: &[u32], order: &mut [u32]) {
    // Classes by their labels first: far fewer than rows. Classes that look the same get the same rank.
    let mut classes: Vec<u32> = (0..run.classes().len() as u32).collect();
    let shown = |class: u32| labels.iter().map(move |(_, of_class)| of_class[class as usize]);
    classes.par_sort_unstable_by(|a, b| shown(*a).cmp(shown(*b)));
    let mut rank = vec![0_u32; classes.len()];
    for pair in classes.windows(2) {
        let step = u32::from(shown(pair[0]).ne(shown(pair[1])));
        rank[pair[1] as usize] = rank[pair[0] as usize] + step;
    }
    let mut packer = Packer::new(class_of_row.len());
    packer.push(rank.len() as u32, |row| rank[class_of_row[row] as usize]);
    for column in run.kept_columns().filter_map(|name| run.source.column(name)) {
        packer.push(column.values.len() as u32, |row| column.codes.get(row));
    }
    let keys = packer.finish();
    // The original row number only decides between rows that look the same, where it cannot be seen.
    let mut keyed: Vec<(u64, u32)> = order.par_iter().map(|row| (keys[*row as usize], *row)).collect();
    drop(keys);
    keyed.par_sort_unstable();
    order.par_iter_mut().zip(keyed).for_each(|(place, (_, row))| *place = row);
}

/// The columns of the release in the order of the original table.
pub(crate) fn write(run: &Run<'_>, rows: &ReleasedRows, file: &mut File, format: OutFormat) -> Result<()> {
    let mut columns = Vec::new();
    for (name, _) in &run.plan.columns {
        if let Some(place) = run.problem.quasi.iter().position(|quasi| quasi.name == *name) {
            let (texts, of_class) = &rows.labels[place];
            let cells = Cells::Via { class_of_row: &rows.class_of_row, code_of_class: of_class };
            columns.push(OutColumn { name, texts, cells, kind: ColumnType::Text });
        } else if run.kept_columns().any(|kept| kept == name) {
            if let Some(column) = run.source.column(name) {
                let cells = Cells::Direct(&column.codes);
                // Where the format has types, a column that is published as it is keeps its own.
                let kind = column_type(&column.values);
                columns.push(OutColumn { name, texts: &column.values, cells, kind });
            }
        }
    }
    let options = WriteOptions { format, name: &run.plan.output, threads: 0 };
    Ok(write_table(file, &columns, &rows.order, &options)?)
}

/// The type of texts that are published as they are.
fn column_type(texts: &Texts) -> ColumnType {
    match Kind::infer(texts.iter().filter(|text| !text.is_empty())) {
        Inference::Clear(Kind::Integer) => ColumnType::Integer,
        Inference::Clear(Kind::Decimal) => ColumnType::Float,
        Inference::Clear(Kind::Date(_)) => ColumnType::Date,
        _ => ColumnType::Text,
    }
}
