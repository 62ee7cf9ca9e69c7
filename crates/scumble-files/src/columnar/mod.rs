//! Parquet and Arrow IPC: typed columns, read as text.

mod arrow;
mod delta;
mod pages;
mod text;
mod thrift;

pub(crate) use text::{frequencies_type, item, pair_fields, shortest};

use std::fs::File;
use std::io::Read;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::control::Unit;
use crate::decoding;
use crate::encoding::Encoding;
use crate::error::{Error, Result, reading};
use crate::flaw::{Flaw, Teller};
use crate::names::{self, Selection};
use crate::pipeline::{self, Done, Encoder, Memory};
use crate::read::{FileFormat, Header, ReadOptions, Table};
use crate::source::{Batches as InMemory, Stream, has_columns};
use crate::threads;
use arrow::{Batches, MessageMemory};

/// The most rows that are decoded at a time.
const BATCH_ROWS: usize = 32 << 10;

/// The most cells that are decoded at a time: a table with many columns is decoded in fewer rows.
const BATCH_CELLS: usize = 32 << 20;

/// The number of rows that are decoded at a time.
fn rows_at_a_time(selection: &Selection) -> usize {
    BATCH_ROWS.min(BATCH_CELLS / selection.names.len().max(1)).max(1)
}

/// Reads a Parquet file.
pub(crate) fn read_parquet(name: &str, file: &File, options: &ReadOptions) -> Result<Table> {
    let kind = Kind { name, what: "Parquet" };
    let builder = open_parquet(kind, file)?;
    let selection = select(name, builder.schema(), options)?;
    let wanted: Vec<bool> = selection.places.iter().map(Option::is_some).collect();
    let rows = rows_at_a_time(&selection);
    let rows = kind.decode(|| pages::check(file, builder.metadata(), &wanted, options.memory, rows))?;
    let all = u64::try_from(builder.metadata().file_metadata().num_rows()).ok();
    options.control.begin_in(all, Unit::Rows);
    let mask = ProjectionMask::roots(builder.parquet_schema(), selection.columns());
    let mut batches = kind.decode(|| builder.with_projection(mask).with_batch_size(rows).build())?;
    let next = || batches.next().transpose();
    encode(kind, next, &selection, FileFormat::Parquet, options)
}

/// A Parquet file whose footer has been checked and read.
fn open_parquet(kind: Kind<'_>, file: &File) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    kind.decode(|| pages::check_footer(file))?;
    let handle = file.try_clone().map_err(|error| reading(kind.name, error))?;
    kind.decode(|| ParquetRecordBatchReaderBuilder::try_new(handle))
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
    let mut batches = kind.decode(|| Batches::new(reader, MessageMemory(options.memory)))?;
    let selection = select(name, batches.schema(), options)?;
    let columns = selection.columns();
    let selected = || batches.next(&columns);
    encode(kind, selected, &selection, FileFormat::ArrowIpc, options)
}

/// Reads record batches.
pub(crate) fn read_batches(name: &str, table: &InMemory, options: &ReadOptions) -> Result<Table> {
    let kind = Kind { name, what: "Arrow" };
    let selection = select(name, table.schema(), options)?;
    let columns = selection.columns();
    let parts: Vec<RecordBatch> =
        table.batches().iter().flat_map(|batch| in_parts(batch, &selection)).collect();
    let rows = parts.iter().map(|part| part.num_rows() as u64).sum();
    options.control.begin_in(Some(rows), Unit::Rows);
    // Most tables in memory are small. Threads beyond the number of parts would have nothing to do.
    let threads = threads::count(options.threads).min(parts.len()).max(1);
    let mut parts = parts.into_iter();
    let selected = || parts.next().map(|batch| batch.project(&columns)).transpose();
    encode(kind, selected, &selection, FileFormat::Batches, &ReadOptions { threads, ..options.clone() })
}

/// Reads record batches that are made while they are read.
pub(crate) fn read_stream(name: &str, stream: &Stream, options: &ReadOptions) -> Result<Table> {
    let kind = Kind { name, what: "Arrow" };
    let selection = select(name, &stream.schema, options)?;
    let columns = selection.columns();
    let mut reader = stream.take(name)?;
    let broken = |why: &str| {
        let told = Error::data(format!("'{name}', a stream of record batches: {why}; nothing was read"));
        ArrowError::IoError(String::new(), std::io::Error::other(told))
    };
    let mut parts = Vec::new().into_iter();
    let selected = || {
        loop {
            if let Some(part) = parts.next() {
                return RecordBatch::project(&part, &columns).map(Some);
            }
            let Some(batch) = reader.next() else { return Ok(None) };
            // The stream's own error may contain values, so it is not repeated.
            let batch = batch.map_err(|_| broken("its reader failed"))?;
            if !has_columns(&batch, &stream.schema) {
                return Err(broken("a batch has other columns than the stream"));
            }
            parts = in_parts(&batch, &selection).collect::<Vec<_>>().into_iter();
        }
    };
    encode(kind, selected, &selection, FileFormat::Batches, options)
}

/// Splits a batch into parts, so that all threads have something to do when it is large.
fn in_parts(batch: &RecordBatch, selection: &Selection) -> impl Iterator<Item = RecordBatch> {
    let (rows, most) = (batch.num_rows(), rows_at_a_time(selection));
    (0..rows).step_by(most).map(move |from| batch.slice(from, most.min(rows - from)))
}

/// The columns of record batches.
pub(crate) fn batches_header(name: &str, schema: &Schema) -> Result<Header> {
    header(name, schema, FileFormat::Batches)
}

/// The columns of a Parquet file.
pub(crate) fn parquet_header(name: &str, file: &File) -> Result<Header> {
    let kind = Kind { name, what: "Parquet" };
    let builder = open_parquet(kind, file)?;
    header(name, builder.schema(), FileFormat::Parquet)
}

/// The columns of an Arrow IPC file.
pub(crate) fn arrow_file_header(name: &str, file: File) -> Result<Header> {
    let stream = Kind { name, what: "Arrow" }.decode(|| arrow::stream_of_file(file))?;
    arrow_stream_header(name, Box::new(stream))
}

/// The columns of an Arrow IPC stream.
pub(crate) fn arrow_stream_header(name: &str, reader: Box<dyn Read + Send>) -> Result<Header> {
    let batches = Kind { name, what: "Arrow" }.decode(|| Batches::new(reader, MessageMemory(None)))?;
    header(name, batches.schema(), FileFormat::ArrowIpc)
}

/// A file and its format, for messages.
#[derive(Clone, Copy)]
struct Kind<'a> {
    name: &'a str,
    what: &'a str,
}

impl Kind<'_> {
    /// Runs a step of decoding. On damaged files some decoders return errors and others panic; here both mean the same.
    fn decode<T, E: Into<ArrowError>>(self, step: impl FnOnce() -> Result<T, E>) -> Result<T> {
        let Self { name, what } = self;
        let why = match decoding::caught(step) {
            Some(Ok(done)) => return Ok(done),
            Some(Err(error)) => match error.into() {
                ArrowError::IoError(_, source) if source.raw_os_error().is_some() => {
                    return Err(reading(name, source));
                }
                // An error that is complete already, such as content that is larger than allowed.
                ArrowError::IoError(_, source)
                    if source.get_ref().is_some_and(|inner| inner.is::<Error>()) =>
                {
                    return Err(source.downcast().unwrap_or_else(|source| reading(name, source)));
                }
                ArrowError::ExternalError(inner) if inner.is::<Error>() => {
                    let of_file = |inner: Error| inner.reworded(|what| format!("'{name}': {what}"));
                    return Err(match inner.downcast() {
                        Ok(inner) => of_file(*inner),
                        Err(inner) => of_file(Error::resources(inner)),
                    });
                }
                error => format!(" ({error})"),
            },
            None => String::new(),
        };
        Err(Error::data(format!(
            "'{name}' is a damaged {what} file, or of a kind that is not known here{why}"
        ))
        .advise("write the file again")
        .advise("give the table as CSV"))
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

/// Selects the wanted columns; each must be of a type that can be read as text.
fn select(name: &str, schema: &Schema, options: &ReadOptions) -> Result<Selection> {
    let selection = Selection::new(name, names_of(name, schema)?, options.columns.as_deref())?;
    for column in selection.columns() {
        let field = schema.field(column);
        if !text::is_readable(field.data_type()) {
            return Err(Error::data(format!(
                "'{name}', column '{}' is of type {}, which is not one text a row; flatten it or leave it out",
                crate::shown::on_one_line(field.name()),
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
    for (column, selected) in selection.columns().into_iter().zip(&selection.names) {
        all_names[column].clone_from(selected);
    }
    let teller = Teller {
        file: kind.name,
        names: &all_names,
        width: all_names.len(),
        reference: "the header",
        encoding: Encoding::Utf8,
        field_limit: options.field_limit,
    };
    let produce = || {
        if let Err(interrupted) = options.control.check() {
            return Some(Err(Flaw::Other(interrupted)));
        }
        let batch = kind.decode(&mut next).map_err(Flaw::Other).transpose();
        if let Some(Ok(batch)) = &batch {
            options.control.advance(batch.num_rows() as u64);
        }
        batch
    };
    let encode = |encoder: &mut Encoder, batch: RecordBatch| encode_batch(encoder, &batch, selection);
    let (workers, width) = (threads::count(options.threads), selection.names.len());
    let memory = Memory::new(kind.name, options.memory);
    let pieces = pipeline::run(workers, width, options.text_limit, &memory, produce, encode)
        .map_err(|first| teller.first_flaw(first))?;
    let merge = || pieces.merge(selection, options.text_limit);
    let coded = threads::run(options.threads, merge)?.map_err(|column| teller.too_much_text(column))?;
    Ok(Table { coded, format, notes: Vec::new() })
}

/// Encodes a batch, column by column. Of several flaws, the one in the topmost row is returned.
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
