//! Reads any bytes as a table: the result is an error or a table, never a panic, and the same whatever the size of the blocks.
#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use scumble_files::{ReadOptions, Source, Table, read_header, read_table};

fn cells(table: &Table) -> Vec<Vec<&str>> {
    let column = |column: &'_ scumble_files::CodedColumn| {
        column.codes.iter().map(|code| code as usize).collect::<Vec<_>>()
    };
    table
        .coded
        .columns
        .iter()
        .map(|of| column(of).into_iter().map(|code| of.values.get(code as u32)).collect())
        .collect()
}

fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(bytes).expect("room for it");
    let source = Source::from_file(file, "fuzz");
    let options = ReadOptions { threads: 1, ..ReadOptions::default() };
    let header = read_header(&source, &options);
    match read_table(&source, &options) {
        Err(error) => {
            // Whatever was wrong, the error has a message.
            let _ = error.to_string();
        }
        Ok(table) => {
            let names: Vec<&String> = table.coded.columns.iter().map(|column| &column.name).collect();
            let header = header.expect("a table that is read has a header");
            assert!(names.into_iter().eq(&header.names));
            let options = ReadOptions { threads: 2, block_size: 64, ..ReadOptions::default() };
            let again = read_table(&source, &options).expect("what was read once is read again");
            assert_eq!(cells(&table), cells(&again));
        }
    }
});
