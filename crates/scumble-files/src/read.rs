//! Reading a table from any file that is recognised.

use std::io::Read as _;

use crate::columnar;
use crate::compression::Compression;
use crate::control::{Control, Unit};
use crate::delimited::{self, Failed};
use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::source::{Content, Form, Source};
use crate::table::CodedTable;
use crate::western::Western;
use crate::workbook;

/// How to read a table. The default detects everything and reads all columns.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The delimiter of delimited text; detected among `,`, `;`, tab and `|` if not given.
    pub delimiter: Option<u8>,
    /// The quote of delimited text; `"` if not given.
    pub quote: Option<u8>,
    /// Whether delimited text or the sheet of a workbook has a header; detected if not given.
    pub header: Option<bool>,
    /// The encoding of delimited text. If not given, it is detected: UTF-16, UTF-8, or Windows-1252 where that is clear.
    pub encoding: Option<Encoding>,
    /// The number of lines above the header of delimited text to skip, after a `sep=` line if there is one; of a workbook, the
    /// number of rows of the sheet. If not given, it is detected where it is clear.
    pub skip_rows: Option<u64>,
    /// The sheet of a workbook, by its name or its number from 1. If not given, the only visible one that holds a table.
    pub sheet: Option<String>,
    /// The columns to read; all if not given. Others never enter memory.
    pub columns: Option<Vec<String>>,
    /// The number of threads that encode; 0 for as many as the current thread pool has.
    pub threads: usize,
    /// The longest field in bytes. A longer one is taken for a quote that was never closed.
    pub field_limit: usize,
    /// The most bytes of content that are read, after unpacking. If not given, a file that is not compressed may have any size,
    /// and other content as much as the disk of the temporary folder has left.
    pub max_size: Option<u64>,
    /// Receives how far reading is, and can stop it. Progress counts bytes of delimited text, and rows of everything else.
    pub control: Control,
    /// The number of bytes that are read at a time. The result does not depend on it.
    #[doc(hidden)]
    pub block_size: usize,
    /// The most bytes that the distinct texts of a column may take.
    #[doc(hidden)]
    pub text_limit: usize,
    /// The bytes of memory that may be used; if not given, what the system has left.
    #[doc(hidden)]
    pub memory: Option<u64>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            delimiter: None,
            quote: None,
            header: None,
            encoding: None,
            skip_rows: None,
            sheet: None,
            columns: None,
            threads: 0,
            field_limit: 1 << 20,
            block_size: 1 << 20,
            text_limit: u32::MAX as usize,
            max_size: None,
            control: Control::default(),
            memory: None,
        }
    }
}

/// What kind of file a table was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// Delimited text: CSV, TSV and similar formats.
    Csv(Dialect),
    /// Parquet.
    Parquet,
    /// Arrow IPC, as a file (Feather 2) or a stream.
    ArrowIpc,
    /// A sheet of a workbook: Excel or OpenDocument.
    Workbook,
    /// A table in a database.
    Database,
    /// No file: record batches in memory.
    Batches,
}

/// How a delimited text file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The character between fields.
    pub delimiter: u8,
    /// The character around fields that contain delimiters, quotes or line ends.
    pub quote: u8,
    /// Whether the first record holds the names of the columns.
    pub header: bool,
    /// The encoding of the text.
    pub encoding: Encoding,
    /// How the file is compressed.
    pub compression: Compression,
}

/// A table, and what was found out about its file.
#[derive(Debug, Clone)]
pub struct Table {
    /// The table.
    pub coded: CodedTable,
    /// The kind of file.
    pub format: FileFormat,
    /// What the user should know about how the file was understood.
    pub notes: Vec<String>,
}

/// The columns of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The names, in the order of the file.
    pub names: Vec<String>,
    /// The kind of file.
    pub format: FileFormat,
    /// What the user should know about how the file was understood.
    pub notes: Vec<String>,
}

/// Reads a table into dictionary codes. The result is the same for any number of threads.
///
/// ```
/// use scumble_files::{ReadOptions, Source, read_table};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("people.csv");
/// std::fs::write(&path, "age;sex\n39;m\n50;f\n39;f\n")?;
/// let table = read_table(&Source::open(&path)?, &ReadOptions::default())?;
/// let age = table.coded.column("age").expect("it is in the header");
/// assert_eq!(age.values.iter().collect::<Vec<_>>(), ["39", "50"]);
/// assert_eq!(age.codes.iter().collect::<Vec<_>>(), [0, 1, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_table(source: &Source, options: &ReadOptions) -> Result<Table> {
    check(options)?;
    let content = source.content(options.max_size, &options.control)?;
    // Progress counts the bytes on the disk for text, and the rows for other files.
    match content.form {
        Form::Text { .. } | Form::Export { .. } => options.control.begin_in(content.bytes, Unit::Bytes),
        _ => options.control.begin_in(None, Unit::Rows),
    }
    let table = match content.form {
        Form::Text { first, reader } => {
            let from = (reader, content.compression, &content.taken);
            match delimited::read_table(source.name(), &first, from, options) {
                Ok(table) => table,
                Err(failed) => read_otherwise(source, options, failed)?,
            }
        }
        Form::Export { first, reader } => {
            let from = (reader, content.compression, &content.taken);
            let table = delimited::read_table(source.name(), &first, from, &of_export(options));
            Table { format: FileFormat::Database, ..table.map_err(|failed| failed.error)? }
        }
        Form::Parquet(file) => columnar::read_parquet(source.name(), &file, options)?,
        Form::ArrowFile(file) => columnar::read_arrow_file(source.name(), file, options)?,
        Form::ArrowStream(reader) => columnar::read_arrow_stream(source.name(), reader, options)?,
        Form::Workbook(kind, file) => workbook::read_table(source.name(), kind, &file, options)?,
        Form::Batches(table) => columnar::read_batches(source.name(), table, options)?,
        Form::Stream(stream) => columnar::read_stream(source.name(), stream, options)?,
    };
    if table.coded.rows == 0 {
        return Err(Error::data(format!("'{}' has columns but no rows", source.name())));
    }
    Ok(table)
}

/// Reads only the names of the columns.
pub fn read_header(source: &Source, options: &ReadOptions) -> Result<Header> {
    check(options)?;
    let content = source.content(options.max_size, &options.control)?;
    match content.form {
        Form::Text { first, reader } => {
            match delimited::read_header(source.name(), &first, reader, content.compression, options) {
                Ok(header) => Ok(header),
                Err(failed) => header_otherwise(source, options, failed),
            }
        }
        Form::Export { first, reader } => {
            let options = of_export(options);
            let header = delimited::read_header(source.name(), &first, reader, content.compression, &options);
            Ok(Header { format: FileFormat::Database, ..header.map_err(|failed| failed.error)? })
        }
        Form::Parquet(file) => columnar::parquet_header(source.name(), &file),
        Form::ArrowFile(file) => columnar::arrow_file_header(source.name(), file),
        Form::ArrowStream(reader) => columnar::arrow_stream_header(source.name(), reader),
        Form::Workbook(kind, file) => workbook::read_header(source.name(), kind, &file, options),
        Form::Batches(table) => columnar::batches_header(source.name(), table.schema()),
        Form::Stream(stream) => columnar::batches_header(source.name(), &stream.schema),
    }
}

/// The options for what a database has written: the form is known, and nothing is left to detection or to the user.
fn of_export(options: &ReadOptions) -> ReadOptions {
    ReadOptions {
        delimiter: Some(b','),
        quote: Some(b'"'),
        header: Some(true),
        encoding: Some(Encoding::Utf8),
        skip_rows: Some(0),
        ..options.clone()
    }
}

/// Reads a table again as Windows-1252, if it is not UTF-8 and is clearly Windows-1252. Otherwise fails with the error of the
/// first reading.
fn read_otherwise(source: &Source, options: &ReadOptions, failed: Failed) -> Result<Table> {
    let Some((content, options)) = otherwise(source, options, &failed)? else { return Err(failed.error) };
    let Form::Text { first, reader } = content.form else { return Err(failed.error) };
    options.control.begin_in(content.bytes, Unit::Bytes);
    let from = (reader, content.compression, &content.taken);
    let table = delimited::read_table(source.name(), &first, from, &options);
    let mut table = table.map_err(|failed| failed.error)?;
    table.notes.push(as_western(source.name()));
    Ok(table)
}

/// Reads a header again in the same way.
fn header_otherwise(source: &Source, options: &ReadOptions, failed: Failed) -> Result<Header> {
    let Some((content, options)) = otherwise(source, options, &failed)? else { return Err(failed.error) };
    let Form::Text { first, reader } = content.form else { return Err(failed.error) };
    let header = delimited::read_header(source.name(), &first, reader, content.compression, &options);
    let mut header = header.map_err(|failed| failed.error)?;
    header.notes.push(as_western(source.name()));
    Ok(header)
}

fn as_western(name: &str) -> String {
    format!(
        "'{name}': its bytes are not UTF-8, and were read as Windows-1252 (Western European); if letters are wrong, give the encoding"
    )
}

/// Returns the content again with options to read it as Windows-1252, if reading failed because the text is not UTF-8, no
/// encoding was given, and the text is clearly Windows-1252.
fn otherwise<'s>(
    source: &'s Source,
    options: &ReadOptions,
    failed: &Failed,
) -> Result<Option<(Content<'s>, ReadOptions)>> {
    if !failed.is_encoding || options.encoding.is_some() {
        return Ok(None);
    }
    let mut western = Western::default();
    let Form::Text { mut reader, .. } = source.content(options.max_size, &options.control)?.form else {
        return Ok(None);
    };
    let mut block = vec![0; 64 << 10];
    loop {
        options.control.check()?;
        match reader.read(&mut block) {
            Ok(0) => break,
            Ok(count) => western.look(&block[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // Reading failed before this; the first error stands.
            Err(_) => return Ok(None),
        }
    }
    if !western.is_clear() {
        return Ok(None);
    }
    let options = ReadOptions { encoding: Some(Encoding::Windows1252), ..options.clone() };
    Ok(Some((source.content(options.max_size, &options.control)?, options)))
}

/// Checks that the delimiter and the quote, if given, can be told apart from each other and from the text.
fn check(options: &ReadOptions) -> Result<()> {
    for (what, given) in [("delimiter", options.delimiter), ("quote", options.quote)] {
        if given.is_some_and(|byte| !byte.is_ascii() || byte == b'\n' || byte == b'\r' || byte == 0) {
            return Err(Error::config(format!("the {what} must be one ASCII character and no line end")));
        }
    }
    if options.delimiter.is_some_and(|delimiter| delimiter == options.quote.unwrap_or(b'"')) {
        return Err(Error::config("the delimiter and the quote must differ".to_owned()));
    }
    Ok(())
}
