//! Parquet and Arrow IPC out.

use std::fs::File;
use std::io::{self, BufWriter};
use std::sync::Arc;

use arrow_array::temporal_conversions::date32_to_datetime;
use arrow_array::types::Date32Type;
use arrow_array::{
    ArrayRef, Date32Array, Float64Array, Int64Array, ListArray, RecordBatch, StringArray, StructArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_cast::parse::Parser;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use rayon::prelude::*;

use super::{ColumnType, OutColumn, WriteOptions};
use crate::columnar::{frequencies_type, item, pair_fields, shortest};
use crate::control::Control;
use crate::error::{Error, Result, writing};
use crate::source::Batches;
use crate::table::Texts;

/// Rows that are written at a time, at most.
const BATCH_ROWS: usize = 64 << 10;

/// Bytes of text in a batch's column, at most: Arrow counts them in 31 bits.
const BATCH_BYTES: usize = 1 << 30;

/// What a column's codes mean: texts, or numbers of which the empty text is none.
enum Values<'a> {
    Text(&'a Texts),
    Integer(Vec<Option<i64>>),
    Float(Vec<Option<f64>>),
    Date(Vec<Option<i32>>),
    Frequencies(Vec<Option<Frequencies>>),
}

/// Values with their frequencies.
type Frequencies = Vec<(String, f64)>;

impl<'a> Values<'a> {
    /// The values of a column. Only texts of rows that are written decide whether they can be typed.
    fn new(column: &OutColumn<'a>, order: &[u32]) -> Self {
        let typed = match column.kind {
            ColumnType::Text => None,
            ColumnType::Integer => parse_used(column, order, parse_integer).map(Self::Integer),
            ColumnType::Float => parse_used(column, order, parse_float).map(Self::Float),
            ColumnType::Date => parse_used(column, order, parse_date).map(Self::Date),
            ColumnType::Frequencies => parse_used(column, order, parse_frequencies).map(Self::Frequencies),
        };
        typed.unwrap_or(Self::Text(column.texts))
    }

    fn data_type(&self) -> DataType {
        match self {
            Self::Text(_) => DataType::Utf8,
            Self::Integer(_) => DataType::Int64,
            Self::Float(_) => DataType::Float64,
            Self::Date(_) => DataType::Date32,
            Self::Frequencies(_) => frequencies_type(),
        }
    }

    fn array(&self, codes: &[u32]) -> ArrayRef {
        match self {
            Self::Text(texts) => Arc::new(StringArray::from_iter_values(codes.iter().map(|&c| texts.get(c)))),
            Self::Integer(values) => {
                Arc::new(codes.iter().map(|&code| values[code as usize]).collect::<Int64Array>())
            }
            Self::Float(values) => {
                Arc::new(codes.iter().map(|&code| values[code as usize]).collect::<Float64Array>())
            }
            Self::Date(values) => {
                Arc::new(codes.iter().map(|&code| values[code as usize]).collect::<Date32Array>())
            }
            Self::Frequencies(values) => {
                Arc::new(lists(codes.iter().map(|&code| values[code as usize].as_ref())))
            }
        }
    }

    /// The longest text.
    fn longest(&self) -> usize {
        match self {
            Self::Text(texts) => texts.iter().map(str::len).max().unwrap_or(0),
            _ => 0,
        }
    }
}

/// The value of each text that occurs in a written row; none if one of them has no value.
fn parse_used<T: Clone>(
    column: &OutColumn<'_>,
    order: &[u32],
    parse: fn(&str) -> Option<T>,
) -> Option<Vec<Option<T>>> {
    let mut codes = Vec::new();
    let mut known = vec![false; column.texts.len()];
    let mut values = vec![None; column.texts.len()];
    for rows in order.chunks(BATCH_ROWS) {
        column.cells.gather(rows, &mut codes);
        for &code in &codes {
            if std::mem::replace(&mut known[code as usize], true) {
                continue;
            }
            let text = column.texts.get(code);
            if !text.is_empty() {
                values[code as usize] = Some(parse(text)?);
            }
        }
    }
    Some(values)
}

fn parse_integer(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number: &i64| number.to_string() == text)
}

fn parse_float(text: &str) -> Option<f64> {
    text.parse().ok().filter(|&number: &f64| shortest(number) == text)
}

fn parse_frequencies(text: &str) -> Option<Frequencies> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    object.into_iter().map(|(value, frequency)| Some((value, frequency.as_f64()?))).collect()
}

/// The lists of some rows; a row without one has an empty list.
fn lists<'a>(rows: impl Iterator<Item = Option<&'a Frequencies>>) -> ListArray {
    let (mut lengths, mut values, mut frequencies) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let pairs = row.map_or(&[][..], Vec::as_slice);
        lengths.push(pairs.len());
        values.extend(pairs.iter().map(|pair| pair.0.as_str()));
        frequencies.extend(pairs.iter().map(|pair| pair.1));
    }
    let columns: Vec<ArrayRef> =
        vec![Arc::new(StringArray::from_iter_values(values)), Arc::new(Float64Array::from(frequencies))];
    let pairs = StructArray::new(pair_fields(), columns, None);
    ListArray::new(item(), OffsetBuffer::from_lengths(lengths), Arc::new(pairs), None)
}

fn parse_date(text: &str) -> Option<i32> {
    let days = Date32Type::parse(text)?;
    let back = date32_to_datetime(days)?.date().to_string();
    (back == text).then_some(days)
}

/// Hands the table to `write`, batch by batch.
fn for_each_batch<E>(
    columns: &[OutColumn<'_>],
    values: &[Values<'_>],
    schema: &SchemaRef,
    order: &[u32],
    control: &Control,
    mut write: impl FnMut(&RecordBatch) -> Result<(), E>,
) -> Result<(), E>
where
    E: From<ArrowError>,
{
    let longest = values.iter().map(Values::longest).max().unwrap_or(0);
    let batch_rows = (BATCH_BYTES / longest.max(1)).clamp(1, BATCH_ROWS);
    for rows in order.chunks(batch_rows) {
        control.check().map_err(|interrupted| ArrowError::ExternalError(Box::new(interrupted)))?;
        let arrays: Vec<ArrayRef> = columns
            .par_iter()
            .zip(values)
            .map(|(column, values)| {
                let mut codes = Vec::new();
                column.cells.gather(rows, &mut codes);
                values.array(&codes)
            })
            .collect();
        write(&RecordBatch::try_new(Arc::clone(schema), arrays)?)?;
        control.advance(rows.len() as u64);
    }
    Ok(())
}

/// The values of all columns and the schema they make. A column that can hold no null says so.
fn plan<'a>(columns: &[OutColumn<'a>], order: &[u32]) -> (Vec<Values<'a>>, SchemaRef) {
    let values: Vec<Values<'a>> = columns.par_iter().map(|column| Values::new(column, order)).collect();
    let field = |(column, values): (&OutColumn<'_>, &Values<'_>)| {
        let is_nullable = !matches!(values, Values::Text(_));
        Field::new(column.name, values.data_type(), is_nullable)
    };
    let fields: Vec<Field> = columns.iter().zip(&values).map(field).collect();
    (values, Arc::new(Schema::new(fields)))
}

/// What Arrow and Parquet carry through where somebody stopped the writing; anything else as it was.
fn interrupted(
    inner: Box<dyn std::error::Error + Send + Sync>,
) -> Result<Error, Box<dyn std::error::Error + Send + Sync>> {
    // Parquet wraps Arrow's errors.
    match inner.downcast::<ArrowError>() {
        Ok(error) => match *error {
            ArrowError::ExternalError(inner) => inner.downcast().map(|error| *error),
            other => Err(Box::new(other)),
        },
        Err(inner) => inner.downcast().map(|error| *error),
    }
}

/// Writes Parquet.
pub(super) fn write_parquet(
    out: &mut File,
    columns: &[OutColumn<'_>],
    order: &[u32],
    options: &WriteOptions<'_>,
) -> Result<()> {
    let name = options.name;
    let (values, schema) = plan(columns, order);
    // Statistics would repeat extremes, and metadata would tell about the machine: neither is needed.
    let properties = WriterProperties::builder()
        .set_created_by("scumble".to_owned())
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::None)
        .build();
    let written_as = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let write = || -> Result<(), ParquetError> {
        let mut writer = ArrowWriter::try_new_with_options(out, Arc::clone(&schema), written_as)?;
        for_each_batch(columns, &values, &schema, order, options.control, |batch| writer.write(batch))?;
        writer.close().map(drop)
    };
    write().map_err(|error| match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(source) => writing(name, *source),
            Err(inner) => interrupted(inner).unwrap_or_else(|inner| writing(name, io::Error::other(inner))),
        },
        other => writing(name, io::Error::other(other)),
    })
}

/// Writes record batches into memory.
pub(super) fn write_batches(columns: &[OutColumn<'_>], order: &[u32], control: &Control) -> Result<Batches> {
    let (values, schema) = plan(columns, order);
    let mut batches = Vec::new();
    let keep = |batch: &RecordBatch| -> Result<(), ArrowError> {
        batches.push(batch.clone());
        Ok(())
    };
    for_each_batch(columns, &values, &schema, order, control, keep).map_err(|error| {
        let failed = |source| Error::io("cannot write record batches", source);
        match error {
            ArrowError::ExternalError(inner) => {
                interrupted(inner).unwrap_or_else(|inner| failed(io::Error::other(inner)))
            }
            other => failed(io::Error::other(other)),
        }
    })?;
    Batches::new(schema, batches)
}

/// Writes the Arrow IPC file format.
pub(super) fn write_arrow(
    out: &mut File,
    columns: &[OutColumn<'_>],
    order: &[u32],
    options: &WriteOptions<'_>,
) -> Result<()> {
    let name = options.name;
    let (values, schema) = plan(columns, order);
    let write = || -> Result<(), ArrowError> {
        let mut writer = FileWriter::try_new(BufWriter::with_capacity(1 << 20, out), &schema)?;
        for_each_batch(columns, &values, &schema, order, options.control, |batch| writer.write(batch))?;
        writer.finish()?;
        // Dropping a buffered writer would lose its last error.
        let buffered = writer.into_inner()?;
        buffered.into_inner().map(drop).map_err(|error| error.into_error().into())
    };
    write().map_err(|error| match error {
        ArrowError::IoError(_, source) => writing(name, source),
        ArrowError::ExternalError(inner) => {
            interrupted(inner).unwrap_or_else(|inner| writing(name, io::Error::other(inner)))
        }
        other => Error::io(format!("cannot write '{name}'"), io::Error::other(other)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_that_read_back_identically_are_typed() {
        assert_eq!(parse_integer("-12"), Some(-12));
        for other in ["007", "+1", "1.0", " 1", "9223372036854775808"] {
            assert_eq!(parse_integer(other), None, "{other}");
        }
        assert_eq!(parse_float("1.5"), Some(1.5));
        assert_eq!(parse_float("2"), Some(2.0));
        for other in ["2.50", "1e3", ".5", "0.10000000000000000001"] {
            assert_eq!(parse_float(other), None, "{other}");
        }
        assert_eq!(parse_date("1970-01-31"), Some(30));
        for other in ["1970-1-31", "31.01.1970", "1970-02-30", "19700131", "1970-01-31T00:00:00"] {
            assert_eq!(parse_date(other), None, "{other}");
        }
    }
}
