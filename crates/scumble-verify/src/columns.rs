//! Looks columns up by name without trusting them: the last gate does not assume that a coded table is well formed.

use std::collections::BTreeMap;

use scumble_files::table::{CodedColumn, CodedTable, Codes};

use crate::error::VerifyError;
use crate::group::{Part, View};

/// The name of the release in messages.
pub(crate) const RELEASE: &str = "release";
/// The name of the original table in messages.
pub(crate) const ORIGINAL: &str = "original table";

/// The name of the population in messages.
pub(crate) const POPULATION: &str = "population";

/// Returns the only column of that name, checked.
pub(crate) fn column<'a>(
    table: &'a CodedTable,
    which: &'static str,
    name: &str,
) -> Result<&'a CodedColumn, VerifyError> {
    let mut named = table.columns.iter().filter(|column| column.name == name);
    let Some(column) = named.next() else {
        return Err(VerifyError::NoSuchColumn { table: which, column: name.to_owned() });
    };
    if named.next().is_some() {
        return Err(VerifyError::Repeated { place: which, column: name.to_owned() });
    }
    if let Some(why) = fault(column, table.rows) {
        return Err(VerifyError::Malformed { table: which, column: name.to_owned(), why });
    }
    Ok(column)
}

/// The columns of a table by their names, for many lookups.
pub(crate) struct Named<'a> {
    table: &'a CodedTable,
    which: &'static str,
    /// Each column, with whether another one has the same name.
    columns: BTreeMap<&'a str, (&'a CodedColumn, bool)>,
}

impl<'a> Named<'a> {
    pub(crate) fn new(table: &'a CodedTable, which: &'static str) -> Self {
        let mut columns: BTreeMap<&str, (&CodedColumn, bool)> = BTreeMap::new();
        for column in &table.columns {
            columns.entry(&column.name).and_modify(|known| known.1 = true).or_insert((column, false));
        }
        Self { table, which, columns }
    }

    /// Whether there is a column of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.columns.contains_key(name)
    }

    /// Returns the only column of that name, checked.
    pub(crate) fn column(&self, name: &str) -> Result<&'a CodedColumn, VerifyError> {
        let (table, column) = (self.which, name.to_owned());
        match self.columns.get(name) {
            None => Err(VerifyError::NoSuchColumn { table, column }),
            Some((_, true)) => Err(VerifyError::Repeated { place: table, column }),
            Some((found, false)) => match fault(found, self.table.rows) {
                Some(why) => Err(VerifyError::Malformed { table, column, why }),
                None => Ok(*found),
            },
        }
    }
}

/// Returns what is wrong with a coded column. A text with two codes would count twice in distinct l-diversity.
fn fault(column: &CodedColumn, rows: usize) -> Option<&'static str> {
    if column.codes.len() != rows {
        return Some("it has another number of rows than the table");
    }
    if !column.values.iter().zip(column.values.iter().skip(1)).all(|(one, next)| one < next) {
        return Some("its dictionary is not ascending and distinct");
    }
    let largest = match &column.codes {
        Codes::U8(codes) => codes.iter().max().map(|&code| u32::from(code)),
        Codes::U16(codes) => codes.iter().max().map(|&code| u32::from(code)),
        Codes::U32(codes) => codes.iter().max().copied(),
    };
    if largest.is_some_and(|code| code as usize >= column.values.len()) {
        return Some("it holds a code that is not in its dictionary");
    }
    None
}

/// Checks that row numbers fit into 32 bits.
pub(crate) fn check_size(table: &CodedTable, which: &'static str) -> Result<(), VerifyError> {
    if table.rows < u32::MAX as usize {
        return Ok(());
    }
    Err(VerifyError::TooLarge {
        what: format!("the {which} has more than four thousand million rows"),
        remedy: "check it in parts that share no group",
    })
}

/// Checks that no two of these names are the same.
pub(crate) fn check_distinct<'a>(
    names: impl Iterator<Item = &'a str>,
    place: &'static str,
) -> Result<(), VerifyError> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(VerifyError::Repeated { place, column: pair[0].to_owned() }),
        None => Ok(()),
    }
}

/// A column as a part of a grouping key.
pub(crate) fn part(column: &CodedColumn) -> Part<'_> {
    let codes = match &column.codes {
        Codes::U8(codes) => View::U8(codes),
        Codes::U16(codes) => View::U16(codes),
        Codes::U32(codes) => View::U32(codes),
    };
    Part { codes, bound: column.values.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::table;
    use scumble_files::table::Texts;

    #[test]
    fn a_column_that_contradicts_itself_is_refused() {
        let good = table(&[("a", &["x", "y"])]);
        assert!(column(&good, RELEASE, "a").is_ok());
        let break_it = |change: &dyn Fn(&mut CodedTable)| {
            let mut bad = good.clone();
            change(&mut bad);
            column(&bad, RELEASE, "a").map(|_| ())
        };
        let malformed = |result| matches!(result, Err(VerifyError::Malformed { .. }));
        assert!(malformed(break_it(&|t| t.rows = 3)));
        assert!(malformed(break_it(&|t| t.columns[0].values = Texts::from_iter(["x"]))));
        assert!(malformed(break_it(&|t| t.columns[0].values = Texts::from_iter(["y", "x"]))));
        assert!(malformed(break_it(&|t| t.columns[0].values = Texts::from_iter(["x", "x"]))));
        assert!(matches!(
            break_it(&|t| t.columns.push(good.columns[0].clone())),
            Err(VerifyError::Repeated { .. })
        ));
        assert!(matches!(column(&good, RELEASE, "b"), Err(VerifyError::NoSuchColumn { .. })));
    }
}
