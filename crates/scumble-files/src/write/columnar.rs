//! Writes Parquet and Arrow IPC.

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

use super::{ColumnType, OutColumn};
use crate::columnar::{frequencies_type, item, pair_fields, shortest};
use crate::control::Control;
use crate::error::{Error, Result, writing};
use crate::source::Batches;
use crate::table::Texts;

/// The most rows that are written at a time.
pub(super) const BATCH_ROWS: usize = 64 << 10;

/// The most bytes of text in one column of a batch: Arrow counts them in 31 bits.
const BATCH_BYTES: usize = 1 << 30;

/// What a column's codes mean: texts, or typed values, where the empty text is null.
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
    /// Returns the values of a column. Only texts that occur in written rows decide whether the column can be typed.
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

    fn kind(&self) -> ColumnType {
        match self {
            Self::Text(_) => ColumnType::Text,
            Self::Integer(_) => ColumnType::Integer,
            Self::Float(_) => ColumnType::Float,
            Self::Date(_) => ColumnType::Date,
            Self::Frequencies(_) => ColumnType::Frequencies,
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

    /// The length of the longest text.
    fn longest(&self) -> usize {
        match self {
            Self::Text(texts) => texts.iter().map(str::len).max().unwrap_or(0),
            _ => 0,
        }
    }
}

/// Returns the value of each text that occurs in a written row, or `None` if one of them cannot be parsed.
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

pub(super) fn parse_integer(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number: &i64| number.to_string() == text)
}

pub(super) fn parse_float(text: &str) -> Option<f64> {
    text.parse().ok().filter(|&number: &f64| shortest(number) == text)
}

fn parse_frequencies(text: &str) -> Option<Frequencies> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    object.into_iter().map(|(value, frequency)| Some((value, frequency.as_f64()?))).collect()
}

/// Returns the lists of some rows. A row without a list gets an empty one.
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

pub(super) fn parse_date(text: &str) -> Option<i32> {
    let days = Date32Type::parse(text)?;
    let back = date32_to_datetime(days)?.date().to_string();
    (back == text).then_some(days)
}

/// Returns the types that the columns of a table are written as. A text column is marked as never null.
fn schema<'n>(columns: impl Iterator<Item = (&'n str, ColumnType)>) -> SchemaRef {
    let field = |(name, kind): (&str, ColumnType)| {
        let data_type = match kind {
            ColumnType::Text => DataType::Utf8,
            ColumnType::Integer => DataType::Int64,
            ColumnType::Float => DataType::Float64,
            ColumnType::Date => DataType::Date32,
            ColumnType::Frequencies => frequencies_type(),
        };
        Field::new(name, data_type, kind != ColumnType::Text)
    };
    Arc::new(Schema::new(columns.map(field).collect::<Vec<_>>()))
}

/// The values of the columns in some rows.
pub(super) struct Rows<'a, 'c> {
    columns: &'c [OutColumn<'a>],
    values: Vec<Values<'a>>,
    order: &'c [u32],
}

impl<'a, 'c> Rows<'a, 'c> {
    pub(super) fn new(columns: &'c [OutColumn<'a>], order: &'c [u32]) -> Self {
        let values = columns.par_iter().map(|column| Values::new(column, order)).collect();
        Self { columns, values, order }
    }

    /// The types that the columns are written as, if these are all rows of the table.
    pub(super) fn kinds(&self) -> Vec<(&'a str, ColumnType)> {
        self.columns.iter().zip(&self.values).map(|(column, values)| (column.name, values.kind())).collect()
    }
}

/// The destination of batches.
enum Sink<'f> {
    Parquet(Box<ArrowWriter<&'f mut File>>),
    Arrow(Box<FileWriter<BufWriter<&'f mut File>>>),
    Memory(Vec<RecordBatch>),
}

/// Writes record batches into a file or into memory.
pub(super) struct Writer<'f> {
    schema: SchemaRef,
    sink: Sink<'f>,
    name: &'f str,
}

impl<'f> Writer<'f> {
    pub(super) fn parquet(out: &'f mut File, columns: &[(&str, ColumnType)], name: &'f str) -> Result<Self> {
        let schema = schema(columns.iter().copied());
        // Statistics would repeat extreme values, and metadata would describe the machine: neither is needed.
        let properties = WriterProperties::builder()
            .set_created_by("scumble".to_owned())
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::None)
            .build();
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let writer = ArrowWriter::try_new_with_options(out, Arc::clone(&schema), options);
        let writer = writer.map_err(|error| parquet_error(error, name))?;
        Ok(Self { schema, sink: Sink::Parquet(Box::new(writer)), name })
    }

    pub(super) fn arrow(out: &'f mut File, columns: &[(&str, ColumnType)], name: &'f str) -> Result<Self> {
        let schema = schema(columns.iter().copied());
        let writer = FileWriter::try_new(BufWriter::with_capacity(1 << 20, out), &schema);
        let writer = writer.map_err(|error| arrow_error(error, name))?;
        Ok(Self { schema, sink: Sink::Arrow(Box::new(writer)), name })
    }

    pub(super) fn memory(columns: &[(&str, ColumnType)]) -> Self {
        let schema = schema(columns.iter().copied());
        Self { schema, sink: Sink::Memory(Vec::new()), name: "record batches" }
    }

    /// Writes rows, batch by batch.
    pub(super) fn write(&mut self, rows: &Rows<'_, '_>, control: &Control) -> Result<()> {
        let Rows { columns, values, order } = rows;
        let longest = values.iter().map(Values::longest).max().unwrap_or(0);
        let batch_rows = (BATCH_BYTES / longest.max(1)).clamp(1, BATCH_ROWS);
        for rows in order.chunks(batch_rows) {
            control.check()?;
            let arrays: Vec<ArrayRef> = columns
                .par_iter()
                .zip(values)
                .map(|(column, values)| {
                    let mut codes = Vec::new();
                    column.cells.gather(rows, &mut codes);
                    values.array(&codes)
                })
                .collect();
            let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays)
                .map_err(|error| arrow_error(error, self.name))?;
            match &mut self.sink {
                Sink::Parquet(writer) => {
                    writer.write(&batch).map_err(|error| parquet_error(error, self.name))?;
                }
                Sink::Arrow(writer) => {
                    writer.write(&batch).map_err(|error| arrow_error(error, self.name))?;
                }
                Sink::Memory(batches) => batches.push(batch),
            }
            control.advance(rows.len() as u64);
        }
        Ok(())
    }

    /// Writes what is left. Returns what was written into memory.
    pub(super) fn finish(self) -> Result<Batches> {
        let Self { schema, sink, name } = self;
        let mut all = Vec::new();
        match sink {
            Sink::Parquet(writer) => {
                writer.close().map_err(|error| parquet_error(error, name))?;
            }
            Sink::Arrow(mut writer) => {
                // Dropping a buffered writer would lose its last error.
                let finished = writer.finish().and_then(|()| writer.into_inner());
                let buffered = finished.map_err(|error| arrow_error(error, name))?;
                buffered.into_inner().map_err(|error| writing(name, error.into_error()))?;
            }
            Sink::Memory(batches) => all = batches,
        }
        Batches::new(schema, all)
    }
}

fn parquet_error(error: ParquetError, name: &str) -> Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(source) => writing(name, *source),
            Err(inner) => writing(name, io::Error::other(inner)),
        },
        other => writing(name, io::Error::other(other)),
    }
}

fn arrow_error(error: ArrowError, name: &str) -> Error {
    match error {
        ArrowError::IoError(_, source) => writing(name, source),
        other => writing(name, io::Error::other(other)),
    }
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
