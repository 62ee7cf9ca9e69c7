//! Helpers of the tests.
#![allow(dead_code, clippy::unwrap_used)]

use std::io::Write;

use scumble_files::{CodedTable, Error, ReadOptions, Source, Table, Texts, read_table};

/// A source that holds these bytes.
pub(crate) fn source_of(bytes: &[u8]) -> Source {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    Source::from_file(file, "t.csv")
}

/// Reads bytes as a table.
pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Table, Error> {
    read_table(&source_of(bytes), options)
}

/// Reads bytes with default options.
pub(crate) fn read_default(bytes: &[u8]) -> Table {
    read(bytes, &ReadOptions::default()).unwrap()
}

/// The error of reading bytes with default options.
pub(crate) fn error_of(bytes: &[u8]) -> Error {
    read(bytes, &ReadOptions::default()).unwrap_err()
}

/// The names of the columns.
pub(crate) fn names(table: &CodedTable) -> Vec<&str> {
    table.columns.iter().map(|column| column.name.as_str()).collect()
}

/// Returns the cells, row by row. Checks on the way that dictionaries are sorted, have no repeats, and have no entry that does
/// not occur.
pub(crate) fn cells(table: &CodedTable) -> Vec<Vec<String>> {
    for column in &table.columns {
        assert_eq!(column.codes.len(), table.rows);
        let texts: Vec<&str> = column.values.iter().collect();
        assert!(texts.windows(2).all(|pair| pair[0] < pair[1]), "not sorted: {}", column.name);
        let mut occurs = vec![false; texts.len()];
        column.codes.iter().for_each(|code| occurs[code as usize] = true);
        assert!(occurs.iter().all(|&occurs| occurs), "unused text: {}", column.name);
    }
    let cell = |row: usize| move |c: &scumble_files::CodedColumn| c.values.get(c.codes.get(row)).to_owned();
    (0..table.rows).map(|row| table.columns.iter().map(cell(row)).collect()).collect()
}

/// A table of these cells, as a reader would give it.
pub(crate) fn table_of(names: &[String], rows: &[Vec<String>]) -> CodedTable {
    let columns = names.iter().enumerate().map(|(index, name)| {
        let mut texts: Vec<&str> = rows.iter().map(|row| row[index].as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        let values: Texts = texts.into_iter().collect();
        let codes: Vec<u32> = rows.iter().map(|row| values.find_sorted(&row[index]).unwrap()).collect();
        let codes = scumble_files::Codes::narrow(values.len(), &codes);
        scumble_files::CodedColumn { name: name.clone(), values, codes }
    });
    CodedTable { columns: columns.collect(), rows: rows.len() }
}
