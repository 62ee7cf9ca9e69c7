//! What the targets of typed files share.

use std::io::Write;

use scumble_files::{ReadOptions, Source, read_header, read_table};

/// Reads bytes that are made to begin as a file of the format does.
pub(crate) fn read(start: &[u8], bytes: &[u8]) {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(start).expect("room for it");
    file.write_all(bytes.get(start.len()..).unwrap_or_default()).expect("room for it");
    let source = Source::from_file(file, "fuzz");
    let options = ReadOptions { threads: 1, memory: Some(256 << 20), ..ReadOptions::default() };
    let header = read_header(&source, &options);
    match read_table(&source, &options) {
        Err(error) => {
            // Whatever was wrong, it can be told.
            let _ = error.to_string();
        }
        Ok(table) => {
            let names: Vec<&String> = table.coded.columns.iter().map(|column| &column.name).collect();
            let header = header.expect("a table that is read has a header");
            assert!(names.into_iter().eq(&header.names));
        }
    }
}
