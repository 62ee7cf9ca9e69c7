//! Parquet and Arrow IPC: typed columns, read as texts.

mod arrow;
mod text;

pub(crate) use text::{frequencies_type, item, pair_fields, shortest};

use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::encoding::Encoding;
use crate::error::{FileError, Result, reading};
use crate::flaw::{Flaw, Teller};
use crate::names::{self, Selection};
use crate::pipeline::{self, Done, Encoder};
use crate::read::{FileFormat, Header, ReadOptions, Table};
use crate::threads;
use arrow::Batches;

/// Rows that are decoded at a time.
const BATCH_ROWS: usize = 32 << 10;

/// Reads a Parquet file.
pub(crate) fn read_parquet(name: &str, file: File, options: &ReadOptions) -> Result<Table> {
    let kind = Kind { name, what: "Parquet" };
    let builder = kind.decode(|| ParquetRecordBatchReaderBuilder::try_new(file))?;
    let selection = select(name, builder.schema(), options)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), selection.columns());
    let mut batches = kind.decode(|| builder.with_projection(mask).with_batch_size(BATCH_ROWS).build())?;
    let next = || batches.next().transpose();
    encode(kind, next, &selection, FileFormat::Parquet, options)
}

/// Reads an Arrow IPC file.
pub(crate) fn read_arrow_file(name: &str, file: File, options: &ReadOptions) -> Result<Table> {
    let kind = Kind { name, what: "Arrow" };
    let stream = kind.decode(|| arrow::stream_of_file(file))?;
    read_arrow_stream(name, Box::new(stream), options)
}

/// Reads an Arrow IPC stream.
pub(crate) fn read_arrow_stream(
    name: &str,
    reader: Box<dyn Read + Send>,
    options: &ReadOptions,
) -> Result<Table> {
    let kind = Kind { name, what: "Arrow" };
    let mut batches = kind.decode(|| Batches::new(reader))?;
    let selection = select(name, batches.schema(), options)?;
    // Decoding copies nothing, so what is not wanted is dropped from each batch.
    let columns = selection.columns();
    let selected = || batches.next()?.map(|batch| batch.project(&columns)).transpose();
    encode(kind, selected, &selection, FileFormat::ArrowIpc, options)
}

/// The columns of a Parquet file.
pub(crate) fn parquet_header(name: &str, file: File) -> Result<Header> {
    let kind = Kind { name, what: "Parquet" };
    let builder = kind.decode(|| ParquetRecordBatchReaderBuilder::try_new(file))?;
    header(name, builder.schema(), FileFormat::Parquet)
}

/// The columns of an Arrow IPC file.
pub(crate) fn arrow_file_header(name: &str, file: File) -> Result<Header> {
    let stream = Kind { name, what: "Arrow" }.decode(|| arrow::stream_of_file(file))?;
    arrow_stream_header(name, Box::new(stream))
}

/// The columns of an Arrow IPC stream.
pub(crate) fn arrow_stream_header(name: &str, reader: Box<dyn Read + Send>) -> Result<Header> {
    let batches = Kind { name, what: "Arrow" }.decode(|| Batches::new(reader))?;
    header(name, batches.schema(), FileFormat::ArrowIpc)
}

/// A file and its format, for messages.
#[derive(Clone, Copy)]
struct Kind<'a> {
    name: &'a str,
    what: &'a str,
}

thread_local! {
    static DECODING: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Whether this thread decodes a file whose decoder may panic, and the panic will be an error: a panic hook need not speak.
#[must_use]
pub fn is_decoding() -> bool {
    DECODING.get()
}

impl Kind<'_> {
    /// Runs a step of decoding. The decoders of damaged files not only return errors, some panic; here
    /// both mean the same.
    fn decode<T, E: Into<ArrowError>>(self, step: impl FnOnce() -> Result<T, E>) -> Result<T> {
        let Self { name, what } = self;
        DECODING.set(true);
        let decoded = catch_unwind(AssertUnwindSafe(step));
        DECODING.set(false);
        let why = match decoded {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) => match error.into() {
                ArrowError::IoError(_, source) if source.raw_os_error().is_some() => {
                    return Err(reading(name, source));
                }
                error => format!(" ({error})"),
            },
            Err(_) => String::new(),
        };
        Err(FileError::Data(format!(
            "'{name}' is a damaged {what} file, or of a kind that is not known here{why}; write it again, or \
             give the table as CSV"
        )))
    }
}

fn header(name: &str, schema: &Schema, format: FileFormat) -> Result<Header> {
    let names = names_of(name, schema)?;
    Ok(Header { names, format, notes: Vec::new() })
}

fn names_of(name: &str, schema: &Schema) -> Result<Vec<String>> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    names::check(name, &names)?;
    Ok(names)
}

/// The columns that are wanted; each must be of a type that can be read as text.
fn select(name: &str, schema: &Schema, options: &ReadOptions) -> Result<Selection> {
    let selection = Selection::new(name, names_of(name, schema)?, options.columns.as_deref())?;
    for column in selection.columns() {
        let field = schema.field(column);
        if !text::is_readable(field.data_type()) {
            return Err(FileError::Data(format!(
                "'{name}', column '{}' is of type {}, which is not one text a row; flatten it or leave it out",
                field.name(),
                field.data_type()
            )));
        }
    }
    Ok(selection)
}

/// Encodes the batches of selected columns.
fn encode(
    kind: Kind<'_>,
    mut next: impl FnMut() -> Result<Option<RecordBatch>, ArrowError>,
    selection: &Selection,
    format: FileFormat,
    options: &ReadOptions,
) -> Result<Table> {
    let mut all_names = vec![String::new(); selection.places.len()];
    for (place, selected) in selection.names.iter().enumerate() {
        all_names[selection.column_of(place)].clone_from(selected);
    }
    let teller = Teller {
        file: kind.name,
        names: &all_names,
        reference: "the header",
        encoding: Encoding::Utf8,
        field_limit: options.field_limit,
    };
    let produce = || kind.decode(&mut next).map_err(Flaw::Other).transpose();
    let encode = |encoder: &mut Encoder, batch: RecordBatch| encode_batch(encoder, &batch, selection);
    let (workers, width) = (threads::count(options.threads), selection.names.len());
    let pieces = pipeline::run(workers, width, options.text_limit, produce, encode)
        .map_err(|first| teller.first_flaw(first))?;
    let merge = || pieces.merge(selection, options.text_limit);
    let coded = threads::run(options.threads, merge)?.map_err(|column| teller.too_much_text(column))?;
    Ok(Table { coded, format, notes: Vec::new() })
}

/// Encodes a batch, column by column. The first flaw is the one in the topmost row.
fn encode_batch(encoder: &mut Encoder, batch: &RecordBatch, selection: &Selection) -> Done {
    let mut first: Option<(usize, Flaw)> = None;
    for (place, array) in batch.columns().iter().enumerate() {
        let (dictionary, codes) = (&mut encoder.dictionaries[place], &mut encoder.codes[place]);
        if let Err((row, refusal)) = text::encode(array.as_ref(), dictionary, codes)
            && first.as_ref().is_none_or(|(earlier, _)| row < *earlier)
        {
            first = Some((row, refusal.flaw(selection.column_of(place))));
        }
    }
    match first {
        Some((row, flaw)) => (row, Some(flaw)),
        None => (batch.num_rows(), None),
    }
}
