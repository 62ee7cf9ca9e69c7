//! Columns that would be published only because nobody spoke about them: what names people must not be among them.

use scumble_files::table::{CodedColumn, CodedTable};

use super::{ColumnProfile, ColumnValues, Sign, profile};
use crate::config::Role;
use crate::table::personal::Kind;
use crate::{Error, Result};

/// The distinct values of each column of a table, missing ones apart.
#[must_use]
pub fn column_values<'a>(table: &'a CodedTable, missing: &[String]) -> Vec<ColumnValues<'a>> {
    table.columns.iter().map(|column| values_of(column, table.rows as u64, missing)).collect()
}

fn values_of<'a>(column: &'a CodedColumn, rows: u64, missing: &[String]) -> ColumnValues<'a> {
    let mut counts = vec![0_u64; column.values.len()];
    column.codes.iter().for_each(|code| counts[code as usize] += 1);
    let mut values = ColumnValues {
        name: &column.name,
        values: Vec::new(),
        counts: Vec::new(),
        missing: 0,
        rows,
        cells: Some(&column.codes),
    };
    for (text, count) in column.values.iter().zip(counts) {
        if missing.iter().any(|marker| marker == text) {
            values.missing += count;
        } else {
            values.values.push(text);
            values.counts.push(count);
        }
    }
    values
}

/// Refuses a table with columns that have no role of their own and would be published unchanged, if `init` would call one of them an
/// identifier, a person's or a household's number, free text or the place of a person. Only these columns are examined, by their distinct
/// values, as `init` does. The caller adds what would help for those columns.
pub fn refuse_unjudged(
    table: &CodedTable,
    without_role: &[&str],
    missing: &[String],
    remedied: impl FnOnce(Error, &[String]) -> Error,
) -> Result<()> {
    let by_name = table.by_name();
    let columns = without_role.iter().filter_map(|name| by_name.get(name).copied());
    let columns: Vec<ColumnValues<'_>> =
        columns.map(|column| values_of(column, table.rows as u64, missing)).collect();
    let names_people = |profile: &ColumnProfile| {
        // A column without any value is left out by `init` too, but it says nothing.
        let free_text = profile.roles.has(Role::Drop) && profile.distinct > 0;
        let places = profile.signs.contains(&Sign::Personal(Kind::Coordinates));
        let private = [Role::Identifier, Role::Subject, Role::Household];
        free_text || places || private.iter().any(|role| profile.roles.has(*role))
    };
    let found: Vec<ColumnProfile> = profile(&columns).into_iter().filter(names_people).collect();
    if found.is_empty() {
        return Ok(());
    }
    let each: Vec<String> =
        found.iter().map(|column| format!("'{}': {}", column.name, column.reason)).collect();
    let has = match found.len() {
        1 => "a column has no role, and rest = \"other\" would publish it as it is",
        _ => "columns have no role, and rest = \"other\" would publish them as they are",
    };
    // Remedies go on after it.
    let error = Error::refused(format!("{has}. {}", each.join(" ").trim_end_matches('.')));
    let names: Vec<String> = found.into_iter().map(|column| column.name.to_string()).collect();
    Err(remedied(error, &names))
}
