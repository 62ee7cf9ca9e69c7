//! Reading and writing table files.
//!
//! [`read_table`] turns any table file (delimited text, Parquet, Arrow, workbooks; compressed or not) into dictionary codes, streaming and
//! in parallel: the file is never held as strings. [`write_table`] writes codes back as text. [`PrivateFile`] keeps a file
//! unreadable for others until it is published under its name in one step.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod codes;
mod columnar;
mod compression;
mod control;
pub mod database;
mod decoding;
mod delimited;
mod dictionary;
mod digest;
mod encoding;
pub mod error;
mod flaw;
mod folder;
mod folder_lock;
mod foreign;
mod heading;
pub mod limits;
mod names;
mod pipeline;
pub mod private;
mod private_folder;
mod private_together;
pub mod read;
pub mod remedy;
pub mod shown;
mod similar;
mod sniff;
pub mod source;
pub mod spreadsheet;
mod sweep;
pub mod table;
mod threads;
mod western;
mod workbook;
pub mod write;

pub use arrow_array::{self, RecordBatch};
pub use arrow_schema;
pub use compression::Compression;
pub use control::{Control, Pace, Unit};
pub use decoding::is_decoding;
pub use digest::sha256;
pub use encoding::Encoding;
pub use error::{Error, ErrorKind, Place, Remedy, cannot_read, cannot_write};
pub use folder_lock::FolderLock;
pub use private::{Audience, Named, PrivateFile, SetAside, create_private_dir, folder_of, same_file};
pub use private_folder::PrivateFolder;
pub use private_together::publish_together;
pub use read::{Dialect, FileFormat, Header, ReadOptions, Table, read_header, read_table};
pub use similar::did_you_mean;
pub use source::{Batches, Source};
pub use sweep::sweep;
pub use table::{CodedColumn, CodedTable, Codes, Texts};
pub use write::{
    Cells, ColumnType, OutColumn, OutFormat, TableWriter, Tick, WriteOptions, format_for, write_batches,
    write_table,
};
