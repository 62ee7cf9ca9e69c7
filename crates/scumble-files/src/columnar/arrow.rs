//! Arrow IPC, read piece by piece.
//!
//! The file format is a magic number, the stream format and a footer, so one decoder serves both. It is
//! given bytes as they come: the library's other readers ask for as much memory as a message claims to be
//! long, which a damaged file can make the end of the process.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_schema::{ArrowError, SchemaRef};

/// Bytes that are read at a time.
const BLOCK: u64 = 1 << 20;

/// The magic number at both ends of a file; at its start zero bytes follow, up to a multiple of eight.
const MAGIC: &[u8; 6] = b"ARROW1";

/// The stream inside a file of the file format.
pub(super) fn stream_of_file(mut file: File) -> Result<io::Take<File>, ArrowError> {
    let mut start = 8;
    let mut word = [0; 8];
    file.seek(SeekFrom::Start(start))?;
    while file.read_exact(&mut word).is_ok() && word == [0; 8] {
        start += 8;
    }
    let mut end = [0; 10];
    let end_starts = file.metadata()?.len().saturating_sub(10);
    file.seek(SeekFrom::Start(end_starts))?;
    file.read_exact(&mut end)?;
    let [a, b, c, d, magic @ ..] = end;
    let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
    if &magic != MAGIC || start + footer > end_starts {
        return Err(ArrowError::IpcError("the footer is missing".to_owned()));
    }
    file.seek(SeekFrom::Start(start))?;
    Ok(file.take(end_starts - footer - start))
}

/// The batches of a stream whose schema has been read.
pub(super) struct Batches<R> {
    reader: R,
    decoder: StreamDecoder,
    /// What was read and not yet decoded.
    rest: Buffer,
    schema: SchemaRef,
}

impl<R: Read> Batches<R> {
    /// Reads the schema.
    pub(super) fn new(mut reader: R) -> Result<Self, ArrowError> {
        let mut decoder = StreamDecoder::new();
        let mut rest = Buffer::from_vec(Vec::<u8>::new());
        loop {
            if rest.is_empty() && !refill(&mut reader, &mut rest)? {
                return Err(ArrowError::IpcError("the schema is missing".to_owned()));
            }
            // Byte by byte as long as there is no schema, so that no batch is decoded on the way.
            let mut byte = rest.slice_with_length(0, 1);
            rest.advance(1);
            decoder.decode(&mut byte)?;
            if let Some(schema) = decoder.schema() {
                return Ok(Self { reader, decoder, rest, schema });
            }
        }
    }

    /// The columns.
    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The next batch.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            if self.rest.is_empty() && !refill(&mut self.reader, &mut self.rest)? {
                self.decoder.finish()?;
                return Ok(None);
            }
            if let Some(batch) = self.decoder.decode(&mut self.rest)? {
                return Ok(Some(batch));
            }
        }
    }
}

/// Reads some more; false at the end.
fn refill(reader: &mut impl Read, rest: &mut Buffer) -> io::Result<bool> {
    let mut block = Vec::new();
    reader.by_ref().take(BLOCK).read_to_end(&mut block)?;
    *rest = Buffer::from_vec(block);
    Ok(!rest.is_empty())
}
