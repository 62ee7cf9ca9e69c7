//! Delimited text: CSV, TSV and similar formats.

mod chunks;
mod preamble;
mod scan;
mod split;

use std::io::{self, Read};

use crate::compression::Compression;
use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::flaw::{Flaw, Teller};
use crate::heading;
use crate::names::{self, Selection};
use crate::pipeline::{self, Done, Encoder, Memory};
use crate::read::{Dialect, FileFormat, Header, ReadOptions, Table};
use crate::sniff;
use crate::source::{FIRST, Taken, explain_reading};
use crate::threads;
use chunks::{Buffers, Chunk, Chunks};
use preamble::{Preamble, Sample};
use scan::Scanner;
use split::Splitter;

/// The bytes of a block for each column, up to the widest block.
const BLOCK_PER_COLUMN: usize = 512;
const WIDEST_BLOCK: usize = 64 << 20;

/// A file whose header has been read.
struct Opened<'a> {
    names: Vec<String>,
    /// The number of columns behind the named ones that have no name, and so must be empty.
    unnamed: usize,
    dialect: Dialect,
    notes: Vec<String>,
    /// The first chunk, from the first row on.
    first: Chunk,
    /// The chunks behind it.
    chunks: Chunks<'a>,
}

/// Why a text could not be read.
pub(crate) struct Failed {
    pub(crate) error: Error,
    /// Whether the bytes are not valid in their encoding, so that another encoding may fit.
    pub(crate) is_encoding: bool,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self { error, is_encoding: false }
    }
}

impl Failed {
    fn of(teller: Teller<'_>, row: Option<u64>, flaw: Flaw) -> Self {
        let is_encoding = matches!(flaw, Flaw::NotUtf8(_));
        Self { error: teller.flaw(row, flaw), is_encoding }
    }
}

/// Reads a table.
pub(crate) fn read_table(
    name: &str,
    first: &[u8],
    (reader, compression, taken): (Box<dyn Read + Send>, Compression, &Taken),
    options: &ReadOptions,
) -> Result<Table, Failed> {
    let buffers = Buffers::default();
    let opened = open(name, first, reader, compression, options, &buffers)?;
    let Opened { names, unnamed, dialect, notes, first, mut chunks } = opened;
    let selection = Selection::new(name, names.clone(), options.columns.as_deref())?;
    let reference = if dialect.header { "the header" } else { "the first row" };
    let (encoding, field_limit) = (dialect.encoding, options.field_limit);
    let width = names.len() + unnamed;
    let teller = Teller { file: name, names: &names, width, reference, encoding, field_limit };
    let encode = |encoder: &mut Encoder, chunk: Chunk| {
        let done = encode_chunk(encoder, &chunk, (&selection.places, width), dialect, field_limit);
        buffers.give(chunk.bytes);
        done
    };
    let (mut first, mut told) = (Some(Ok(first)), 0);
    let produce = || {
        if let Err(interrupted) = options.control.check() {
            return Some(Err(Flaw::Other(interrupted)));
        }
        let chunk = first.take().or_else(|| chunks.next());
        let now = taken.bytes();
        options.control.advance(now - told);
        told = now;
        chunk
    };
    let (workers, width) = (threads::count(options.threads), selection.names.len());
    let memory = Memory::new(name, options.memory);
    let pieces = pipeline::run(workers, width, options.text_limit, &memory, produce, encode)
        .map_err(|first| Failed::of(teller, Some(first.rows_before as u64 + 1), first.flaw))?;
    let merge = || pieces.merge(&selection, options.text_limit);
    let coded = threads::run(options.threads, merge)?.map_err(|column| teller.too_much_text(column))?;
    Ok(Table { coded, format: FileFormat::Csv(dialect), notes })
}

/// Reads only the header.
pub(crate) fn read_header(
    name: &str,
    first: &[u8],
    reader: Box<dyn Read + Send>,
    compression: Compression,
    options: &ReadOptions,
) -> Result<Header, Failed> {
    let options = ReadOptions { block_size: options.block_size.min(FIRST as usize), ..options.clone() };
    let buffers = Buffers::default();
    let opened = open(name, first, reader, compression, &options, &buffers)?;
    Ok(Header { names: opened.names, format: FileFormat::Csv(opened.dialect), notes: opened.notes })
}

/// Finds out how the file is written and reads its header.
fn open<'a>(
    name: &'a str,
    first: &[u8],
    reader: Box<dyn Read + Send + 'a>,
    compression: Compression,
    options: &ReadOptions,
    buffers: &'a Buffers,
) -> Result<Opened<'a>, Failed> {
    let encoding = options.encoding.unwrap_or_else(|| Encoding::recognise(first));
    let quote = options.quote.unwrap_or(b'"');
    let decoded = decoded_sample(encoding, first);
    let sample = Sample { text: &decoded, is_whole: (first.len() as u64) < FIRST };
    let Preamble { bytes: above, delimiter, mut notes } = preamble::find(name, sample, quote, options)?;
    let sniffed = || sniff::delimiter(&sample.text[above..], sample.is_whole, quote);
    let delimiter = match delimiter {
        Some(given) => given,
        None => sniffed().unwrap_or_else(|| {
            notes.push(format!(
                "'{name}': no comma, semicolon, tab or bar divides the first line, so it was read as one \
                     column"
            ));
            if quote == b',' { b';' } else { b',' }
        }),
    };
    let explain_io = move |error: io::Error| explain_reading(name, compression, error);
    let mut reader = encoding.to_utf8(reader).map_err(explain_io)?;
    io::copy(&mut reader.by_ref().take(above as u64), &mut io::sink()).map_err(explain_io)?;
    let sizes = (options.block_size, options.field_limit);
    let scanner = Scanner::new(delimiter, quote);
    let mut chunks = Chunks::new(reader, scanner, buffers, sizes, Box::new(explain_io));
    // Until the number of columns is known, a record may be as long as many fields.
    chunks.record_limit = options.field_limit.saturating_mul(64);

    let (reference, field_limit) = ("the header", options.field_limit);
    let teller = Teller { file: name, names: &[], width: 0, reference, encoding, field_limit };
    let (mut first_chunk, mut cells, behind) = first_record(teller, &mut chunks, delimiter, quote)?;
    chunks.record_limit = options.field_limit.saturating_add(1).saturating_mul(cells.len());
    // Every block has a cost for each column, whatever the block holds. So a table of many columns needs blocks of many rows.
    chunks.grow_blocks(cells.len().saturating_mul(BLOCK_PER_COLUMN).min(WIDEST_BLOCK));
    let header = options.header.unwrap_or_else(|| sniff::is_header(&cells));
    let width = cells.len();
    if header {
        // Spreadsheet programs also write columns that are empty now but once were not.
        let last = cells.iter().rposition(|name| !name.trim().is_empty());
        cells.truncate(last.map_or(width, |last| last + 1));
    }
    let unnamed = width - cells.len();
    if unnamed > 0 {
        let (columns, have) =
            if unnamed == 1 { ("column".to_owned(), "has") } else { (format!("{unnamed} columns"), "have") };
        notes.push(format!(
            "'{name}': the last {columns} {have} no name and no values, and {have} been left out"
        ));
    }
    if let (Some(given), 1) = (options.delimiter, width)
        && let Some(likely) = sniffed().filter(|likely| *likely != given)
    {
        notes.push(format!(
            "'{name}': {} does not divide its first line, so it was read as one column; {} seems to stand between fields",
            sniff::shown(given),
            sniff::shown(likely)
        ));
    }
    let names = if header {
        first_chunk.start = behind;
        cells
    } else {
        if options.header.is_none() {
            notes.push(heading::no_header_note(name, cells.len()));
        }
        heading::numbered(cells.len())
    };
    names::check(name, &names)?;
    let dialect = Dialect { delimiter, quote, header, encoding, compression };
    Ok(Opened { names, unnamed, dialect, notes, first: first_chunk, chunks })
}

/// Returns the first bytes in UTF-8. The last character may be cut, which does not matter in a sample.
fn decoded_sample(encoding: Encoding, first: &[u8]) -> Vec<u8> {
    let mut sample = Vec::new();
    if let Ok(mut reader) = encoding.to_utf8(Box::new(first)) {
        // What could be decoded comes before an error, and the error will come again when the file is read.
        let _ = reader.read_to_end(&mut sample);
    }
    sample
}

/// Returns the first chunk that holds a record, the record's cells, and the position behind it.
fn first_record(
    teller: Teller<'_>,
    chunks: &mut Chunks<'_>,
    delimiter: u8,
    quote: u8,
) -> Result<(Chunk, Vec<String>, usize), Failed> {
    while let Some(next) = chunks.next() {
        let chunk = next.map_err(|flaw| Failed::of(teller, None, flaw))?;
        let mut splitter = Splitter::new(&chunk, delimiter, quote);
        let mut cells = Vec::new();
        while let Some(field) = splitter.next() {
            let bytes = &splitter.buffer(field)[field.start..field.start + field.length];
            let cell = std::str::from_utf8(bytes)
                .map_err(|_| Failed::of(teller, None, Flaw::NotUtf8(cells.len())))?;
            cells.push(cell.to_owned());
            if field.ends_record {
                let behind = splitter.at;
                return Ok((chunk, cells, behind));
            }
        }
    }
    let what = format!("'{}' is empty: a table needs a header and at least one row", teller.file);
    Err(Error::data(what).into())
}

/// Encodes the records of a chunk.
fn encode_chunk(
    encoder: &mut Encoder,
    chunk: &Chunk,
    (places, width): (&[Option<usize>], usize),
    dialect: Dialect,
    field_limit: usize,
) -> Done {
    let mut splitter = Splitter::new(chunk, dialect.delimiter, dialect.quote);
    let (mut rows, mut column) = (0, 0);
    while let Some(field) = splitter.next() {
        if let Some(&Some(place)) = places.get(column) {
            if field.length > field_limit {
                return (rows, Some(Flaw::FieldTooLong(column)));
            }
            let buffer = splitter.buffer(field);
            match encoder.dictionaries[place].code_at(buffer, field.start, field.length) {
                Ok(code) => encoder.codes[place].push(code),
                Err(refusal) => return (rows, Some(Flaw::refused(refusal, column))),
            }
        }
        if column >= places.len() && column < width && field.length > 0 {
            return (rows, Some(Flaw::Unnamed(column)));
        }
        column += 1;
        if field.ends_record {
            if column != width {
                return (rows, Some(Flaw::Ragged(column)));
            }
            rows += 1;
            column = 0;
        }
    }
    (rows, None)
}
