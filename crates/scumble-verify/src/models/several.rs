//! Several sensitive columns (models.md 1.14): one of them given the others, or the tuples of their values as one value.

use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable, Codes};

use super::judging::present_rows;
use super::{Classes, ReferenceColumn, SensitiveColumn, StarRows};
use crate::columns::{ORIGINAL, RELEASE, column, part};
use crate::error::VerifyError;
use crate::group::{Groups, Histograms, group};
use crate::normal::{Plain, taken};
use crate::watch::{Pace, check};

/// The name of several columns that are taken as one.
pub(super) fn joint_name(names: &[String]) -> String {
    names.join(" and ")
}

/// Returns the tuples of several columns as one column. Its texts are JSON lists, so that no two tuples share a text.
pub(super) fn joint_column(
    table: &CodedTable,
    which: &'static str,
    names: &[String],
) -> Result<CodedColumn, VerifyError> {
    let columns = names.iter().map(|name| column(table, which, name)).collect::<Result<Vec<_>, _>>()?;
    let parts: Vec<_> = columns.iter().map(|column| part(column)).collect();
    let groups = group(&parts, table.rows);
    let text = |row: &u32| {
        let cell = |column: &&CodedColumn| column.values.get(column.codes.get(*row as usize)).to_owned();
        serde_json::Value::from(columns.iter().map(cell).collect::<Vec<_>>()).to_string()
    };
    let mut texts: Vec<(String, usize)> = groups.first_row.iter().map(text).zip(0..).collect();
    texts.sort_unstable();
    let mut code_of_group = vec![0; texts.len()];
    for (code, (_, of)) in (0..).zip(&texts) {
        code_of_group[*of] = code;
    }
    let codes: Vec<u32> = groups.of_row.iter().map(|&of| code_of_group[of as usize]).collect();
    Ok(CodedColumn {
        name: joint_name(names),
        codes: Codes::narrow(texts.len(), &codes),
        values: texts.iter().map(|(text, _)| text.as_str()).collect(),
    })
}

impl ReferenceColumn {
    /// Counts the tuples of several columns of the original table, whose values are read as `values` says.
    pub fn count_joint(
        original: &CodedTable,
        names: &[String],
        values: &[SensitiveColumn],
        control: &Control,
    ) -> Result<Self, VerifyError> {
        let plain = Plain::of(original, &[], values, None, control)?;
        let joint = joint_column(&plain.release, ORIGINAL, names)?;
        let name = joint.name.clone();
        let mut absent = Vec::new();
        for (of, text) in plain.absent.iter().filter(|(of, _)| names.contains(of)) {
            let found = column(&plain.release, ORIGINAL, of)?;
            absent.extend(found.values.find_sorted(text).map(|code| (found, code)));
        }
        // A tuple that lacks a value does not count as a value.
        let rows = present_rows(original.rows, &absent);
        Self::count(&CodedTable { columns: vec![taken(&joint, &rows)], rows: rows.len() }, &name)
    }
}

/// Divides groups further by some columns. Returns the parts, and for each part the group that it comes from.
pub(super) fn divided(groups: &Groups, by: &[&CodedColumn]) -> (Groups, Vec<usize>) {
    let parts: Vec<_> = std::iter::once(groups.part()).chain(by.iter().map(|column| part(column))).collect();
    let finer = group(&parts, groups.of_row.len()).weighted(groups.weights.clone());
    let of = finer.first_row.iter().map(|&row| groups.of_row[row as usize] as usize).collect();
    (finer, of)
}

/// Returns, for each column, the least number of different values in a class, and the least number among the rows of a class that
/// agree on all the other columns. Returns `None` if no class is checked, or if there is only one column.
pub fn distinct_given_others(
    release: &CodedTable,
    quasi: &[String],
    columns: &[String],
    star: StarRows,
    control: &Control,
) -> Result<Option<Vec<(u64, u64)>>, VerifyError> {
    if columns.len() < 2 {
        return Ok(None);
    }
    let classes = Classes::of(release, quasi, star)?;
    if classes.judged().next().is_none() {
        return Ok(None);
    }
    let coded = columns.iter().map(|name| column(release, RELEASE, name)).collect::<Result<Vec<_>, _>>()?;
    let alone = coded.iter().map(|column| {
        let histograms = Histograms::count(&classes.groups, part(column));
        classes.judged().map(|class| histograms.of(class).len() as u64).min().unwrap_or(0)
    });
    check(control)?;
    Ok(Some(alone.zip(least_given_others(&classes, &coded, control)?).collect()))
}

/// Returns, for each column, the least number of different values among the rows of a class that agree on all the other columns.
/// Classes are examined one by one until every figure is 1, which mostly happens after a few of them.
pub(super) fn least_given_others(
    classes: &Classes,
    columns: &[&CodedColumn],
    control: &Control,
) -> Result<Vec<u64>, VerifyError> {
    let mut pace = Pace::new(control);
    let groups = &classes.groups;
    let mut rows_of_class = vec![0_usize; groups.len()];
    groups.of_row.iter().for_each(|class| rows_of_class[*class as usize] += 1);
    let mut ends: Vec<usize> = rows_of_class
        .iter()
        .scan(0, |sum, rows| {
            let start = *sum;
            *sum += *rows;
            Some(start)
        })
        .collect();
    let starts = ends.clone();
    let mut rows = vec![0_u32; groups.of_row.len()];
    for (row, class) in (0..).zip(&groups.of_row) {
        rows[ends[*class as usize]] = row;
        ends[*class as usize] += 1;
    }
    let mut least = vec![u64::MAX; columns.len()];
    // Small classes come first: there people are most often alone with what they have.
    let mut judged: Vec<usize> = classes.judged().collect();
    judged.sort_by_key(|class| groups.size[*class]);
    for class in judged {
        pace.tick(1 + columns.len() * (ends[class] - starts[class]))?;
        for (place, figure) in least.iter_mut().enumerate().filter(|(_, figure)| **figure > 1) {
            let told = |row: &u32| {
                let code = |column: usize| columns[column].codes.get(*row as usize);
                let others: Vec<u32> = (0..columns.len()).filter(|other| *other != place).map(code).collect();
                (others, code(place))
            };
            let mut told: Vec<(Vec<u32>, u32)> = rows[starts[class]..ends[class]].iter().map(told).collect();
            told.sort_unstable();
            told.dedup();
            let fewest = told.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len).min().unwrap_or(0);
            *figure = (*figure).min(fewest as u64);
        }
        if least.iter().all(|figure| *figure <= 1) {
            break;
        }
    }
    Ok(least)
}
