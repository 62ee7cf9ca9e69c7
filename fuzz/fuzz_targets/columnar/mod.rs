//! Code shared by the targets of typed files.

use std::io::Write;

use scumble_files::{ReadOptions, Source, read_header, read_table};

/// Reads bytes behind a beginning that makes them look like a file of the format.
pub(crate) fn read(start: &[u8], bytes: &[u8]) {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(start).expect("room for it");
    file.write_all(bytes.get(start.len()..).unwrap_or_default()).expect("room for it");
    let source = Source::from_file(file, "fuzz");
    let options = ReadOptions { threads: 1, memory: Some(256 << 20), ..ReadOptions::default() };
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
        }
    }
}

/// Lets decoders panic. The decoders of damaged files may do so, and the reader catches the panic and reports it as an error. Without this
/// the fuzzer would end at the panic itself; with this it ends only at panics that nobody catches.
pub(crate) fn spare_decoders() {
    let end = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !scumble_files::is_decoding() {
            end(panic);
        }
    }));
}
