//! Tables in memory.

use scumble_files::{
    Batches, Cells, CodedColumn, CodedTable, ColumnType, Control, OutColumn, ReadOptions, Source, read_table,
    write_batches,
};

use super::naive::Strings;

/// A table as record batches of texts.
pub(crate) fn batches(source: &Source) -> Batches {
    let table = read_table(source, &ReadOptions::default()).expect("a table").coded;
    let columns: Vec<OutColumn<'_>> = table
        .columns
        .iter()
        .map(|CodedColumn { name, values, codes }| OutColumn {
            name,
            texts: values,
            cells: Cells::Direct(codes),
            kind: ColumnType::Text,
        })
        .collect();
    let order: Vec<u32> = (0..table.rows as u32).collect();
    write_batches(&columns, &order, 1, &Control::default()).expect("a table in memory")
}

/// The texts of a table, wherever it is.
pub(crate) fn texts_of(source: &Source) -> Strings {
    of_table(&read_table(source, &ReadOptions::default()).expect("a table").coded)
}

/// The texts of a table that was read.
pub(crate) fn of_table(read: &CodedTable) -> Strings {
    let cells =
        |row: usize| read.columns.iter().map(|of| of.values.get(of.codes.get(row)).to_owned()).collect();
    Strings {
        header: read.columns.iter().map(|column| column.name.clone()).collect(),
        rows: (0..read.rows).map(cells).collect(),
    }
}

/// The texts of a table in memory.
pub(crate) fn texts(table: &Batches) -> Strings {
    texts_of(&Source::from_batches(table.clone(), "a table in memory"))
}
