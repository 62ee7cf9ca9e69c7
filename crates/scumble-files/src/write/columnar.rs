//! Writes Parquet and Arrow IPC.

use std::fs::File;
use std::io::{self, BufWriter};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use rayon::prelude::*;

use super::typed::{self, Values};
use super::{ColumnType, OutColumn};
use crate::control::Control;
use crate::error::{Error, Result, writing};
use crate::source::Batches;

/// The most rows that are written at a time.
pub(super) const BATCH_ROWS: usize = 64 << 10;

/// The most bytes of text in one column of a batch: Arrow counts them in 31 bits.
const BATCH_BYTES: usize = 1 << 30;

/// Returns the types that the columns of a table are written as. A text column is marked as never null.
fn schema<'n>(columns: impl Iterator<Item = (&'n str, ColumnType)>) -> SchemaRef {
    let field = |(name, kind)| Field::new(name, typed::data_type(kind), kind != ColumnType::Text);
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
        self.columns.iter().zip(&self.values).map(|(column, values)| (column.name, values.kind)).collect()
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
