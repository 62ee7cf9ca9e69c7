//! Parquet and Arrow IPC: typed columns, read as texts.

mod text;

pub(crate) use text::shortest;

use std::fs::File;
use std::io::{BufReader, Read};

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::encoding::Encoding;
use crate::error::{FileError, Result};
use crate::flaw::{Flaw, Teller};
use crate::names::{self, Selection};
use crate::pipeline::{self, Done, Encoder};
use crate::read::{FileFormat, Header, ReadOptions, Table};
use crate::threads;

/// Rows that are decoded at a time.
const BATCH_ROWS: usize = 32 << 10;

/// Reads a Parquet file.
pub(crate) fn read_parquet(name: &str, file: File, options: &ReadOptions) -> Result<Table> {
    let damaged = |error| damaged(name, "Parquet", error);
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| damaged(error.into()))?;
    let selection = select(name, builder.schema(), options)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), selection.columns());
    let batches = builder
        .with_projection(mask)
        .with_batch_size(BATCH_ROWS)
        .build()
        .map_err(|error| damaged(error.into()))?;
    encode(name, "Parquet", batches, &selection, FileFormat::Parquet, options)
}

/// Reads an Arrow IPC file.
pub(crate) fn read_arrow_file(name: &str, file: File, options: &ReadOptions) -> Result<Table> {
    let damaged = |error| damaged(name, "Arrow", error);
    let whole = FileReader::try_new(BufReader::new(&file), None).map_err(damaged)?;
    let selection = select(name, &whole.schema(), options)?;
    let selected = FileReader::try_new(BufReader::new(&file), Some(selection.columns())).map_err(damaged)?;
    encode(name, "Arrow", selected, &selection, FileFormat::ArrowIpc, options)
}

/// Reads an Arrow IPC stream.
pub(crate) fn read_arrow_stream(
    name: &str,
    reader: Box<dyn Read + Send>,
    options: &ReadOptions,
) -> Result<Table> {
    let stream =
        StreamReader::try_new(BufReader::new(reader), None).map_err(|error| damaged(name, "Arrow", error))?;
    let selection = select(name, &stream.schema(), options)?;
    // A stream tells its columns only once, so what is not wanted is dropped from each batch.
    let columns = selection.columns();
    let batches = stream.map(|batch| batch.and_then(|batch| batch.project(&columns)));
    encode(name, "Arrow", batches, &selection, FileFormat::ArrowIpc, options)
}

/// The columns of a Parquet file.
pub(crate) fn parquet_header(name: &str, file: File) -> Result<Header> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file)
        .map_err(|error| damaged(name, "Parquet", error.into()))?;
    header(name, builder.schema(), FileFormat::Parquet)
}

/// The columns of an Arrow IPC file.
pub(crate) fn arrow_file_header(name: &str, file: File) -> Result<Header> {
    let reader =
        FileReader::try_new(BufReader::new(file), None).map_err(|error| damaged(name, "Arrow", error))?;
    header(name, &reader.schema(), FileFormat::ArrowIpc)
}

/// The columns of an Arrow IPC stream.
pub(crate) fn arrow_stream_header(name: &str, reader: Box<dyn Read + Send>) -> Result<Header> {
    let stream =
        StreamReader::try_new(BufReader::new(reader), None).map_err(|error| damaged(name, "Arrow", error))?;
    header(name, &stream.schema(), FileFormat::ArrowIpc)
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
    name: &str,
    what: &'static str,
    mut batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    selection: &Selection,
    format: FileFormat,
    options: &ReadOptions,
) -> Result<Table> {
    let mut all_names = vec![String::new(); selection.places.len()];
    for (place, selected) in selection.names.iter().enumerate() {
        all_names[selection.column_of(place)].clone_from(selected);
    }
    let teller = Teller {
        file: name,
        names: &all_names,
        reference: "the header",
        encoding: Encoding::Utf8,
        field_limit: options.field_limit,
    };
    let produce = || Some(batches.next()?.map_err(|error| Flaw::Other(damaged(name, what, error))));
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

/// The error of a file that cannot be decoded.
fn damaged(name: &str, what: &str, error: ArrowError) -> FileError {
    if let ArrowError::IoError(_, source) = error {
        return crate::error::reading(name, source);
    }
    FileError::Data(format!(
        "'{name}' is a damaged {what} file, or of a kind that is not known here: {error}"
    ))
}
