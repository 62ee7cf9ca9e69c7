//! Arrow IPC, read message by message.
//!
//! The file format is a magic number, the stream format and a footer, so one reader reads both. Messages are taken apart here
//! and not by the library's own readers. Those allocate as much memory as a message claims to need, and the claim of a damaged
//! file can get the process killed. Here every length that a message declares is compared with what is there before any memory is
//! allocated.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_record_batch};
use arrow_ipc::{CompressionType, Message, MessageHeader};
use arrow_schema::{ArrowError, SchemaRef};

use crate::error::Error;
use crate::limits;

/// The magic number at both ends of a file. At the start, zero bytes follow it up to a multiple of eight.
const MAGIC: &[u8; 6] = b"ARROW1";

/// What comes before the length of a message.
const MARKER: [u8; 4] = [0xff; 4];

/// The longest description of a message. A hundred thousand columns take about 20 MB.
const LONGEST_DESCRIPTION: u64 = 256 << 20;

/// The most times that a compressed buffer can grow when it is unpacked. LZ4 writes at most 255 bytes for one, Zstandard a block
/// of 128 KB for four.
const LZ4_GROWTH: u64 = 256;
const ZSTD_GROWTH: u64 = 32 << 10;

/// Up to this many columns are selected while a batch is decoded; a larger selection is made after the whole batch is decoded.
const FEW_COLUMNS: usize = 64;

/// Returns the stream inside a file of the file format.
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
        return Err(wrong("the footer is missing"));
    }
    file.seek(SeekFrom::Start(start))?;
    Ok(file.take(end_starts - footer - start))
}

/// The batches of a stream whose schema has been read.
pub(super) struct Batches<R> {
    reader: R,
    schema: SchemaRef,
    dictionaries: HashMap<i64, ArrayRef>,
    memory: MessageMemory,
}

/// The bytes of memory that a message may need: what was given, or what the system has left at that moment.
#[derive(Clone, Copy)]
pub(super) struct MessageMemory(pub(super) Option<u64>);

impl MessageMemory {
    /// Fails if that many bytes are too many.
    fn check(self, bytes: u64) -> Result<(), ArrowError> {
        // Every machine has this much, so the system is not asked.
        const LITTLE: u64 = 16 << 20;
        let most = match self.0 {
            Some(given) => given,
            None if bytes <= LITTLE => return Ok(()),
            None => limits::memory_left().unwrap_or(u64::MAX),
        };
        if bytes <= most {
            return Ok(());
        }
        Err(ArrowError::ExternalError(Box::new(
            Error::resources(format!(
                "a batch of rows needs {} of memory, and {} are left",
                limits::size(bytes),
                limits::size(most)
            ))
            .advise("write the table with fewer rows in a batch"),
        )))
    }
}

impl<R: Read> Batches<R> {
    /// Reads the schema.
    pub(super) fn new(mut reader: R, memory: MessageMemory) -> Result<Self, ArrowError> {
        while let Some((description, body)) = next_message(&mut reader, memory)? {
            let message = parse(&description)?;
            match message.header_type() {
                MessageHeader::Schema => {
                    let schema = message.header_as_schema().ok_or_else(|| wrong("the schema is missing"))?;
                    let schema = Arc::new(fb_to_schema(schema));
                    return Ok(Self { reader, schema, dictionaries: HashMap::new(), memory });
                }
                MessageHeader::NONE if body.is_empty() => {}
                _ => break,
            }
        }
        Err(wrong("the schema is missing"))
    }

    /// The columns.
    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the selected columns of the next batch.
    pub(super) fn next(&mut self, columns: &[usize]) -> Result<Option<RecordBatch>, ArrowError> {
        while let Some((description, body)) = next_message(&mut self.reader, self.memory)? {
            let message = parse(&description)?;
            let version = message.version();
            match message.header_type() {
                MessageHeader::RecordBatch => {
                    let batch =
                        message.header_as_record_batch().ok_or_else(|| wrong("a batch is missing"))?;
                    check_batch(batch, &body, self.memory)?;
                    // Columns without values of their own, such as all-null ones, take no room in the file.
                    let rows = u64::try_from(batch.length()).unwrap_or(u64::MAX);
                    self.memory.check(rows.saturating_mul(4 * columns.len() as u64))?;
                    let (schema, known) = (Arc::clone(&self.schema), &self.dictionaries);
                    // Selecting while decoding takes (all columns × selected columns) steps.
                    if columns.len() <= FEW_COLUMNS {
                        return read_record_batch(&body, batch, schema, known, Some(columns), &version)
                            .map(Some);
                    }
                    let all = read_record_batch(&body, batch, schema, known, None, &version)?;
                    return all.project(columns).map(Some);
                }
                MessageHeader::DictionaryBatch => {
                    let found = message.header_as_dictionary_batch();
                    let dictionary = found.ok_or_else(|| wrong("a dictionary is missing"))?;
                    let values = dictionary.data().ok_or_else(|| wrong("a dictionary has no values"))?;
                    check_batch(values, &body, self.memory)?;
                    read_dictionary(&body, dictionary, &self.schema, &mut self.dictionaries, &version)?;
                }
                MessageHeader::NONE => {}
                _ => return Err(wrong("a message is of a kind that no table has")),
            }
        }
        Ok(None)
    }
}

/// Returns the next message as its description and its body, or `None` at the end.
fn next_message(
    reader: &mut impl Read,
    memory: MessageMemory,
) -> Result<Option<(Vec<u8>, Buffer)>, ArrowError> {
    let Some(mut word) = next_word(reader)? else { return Ok(None) };
    if word == MARKER {
        word = next_word(reader)?.ok_or_else(cut_off)?;
    }
    let length = u64::from(u32::from_le_bytes(word));
    if length == 0 {
        return match next_word(reader)? {
            Some(_) => Err(wrong("something follows the end of the stream")),
            None => Ok(None),
        };
    }
    if length > LONGEST_DESCRIPTION {
        return Err(wrong("a message claims a description that no table needs"));
    }
    let description = read_exactly(reader, length)?;
    let body =
        u64::try_from(parse(&description)?.bodyLength()).map_err(|_| wrong("a message has no length"))?;
    memory.check(body)?;
    let body = Buffer::from_vec(read_exactly(reader, body)?);
    Ok(Some((description, body)))
}

/// Returns the next four bytes, or `None` at the end.
fn next_word(reader: &mut impl Read) -> Result<Option<[u8; 4]>, ArrowError> {
    let mut word = Vec::with_capacity(4);
    reader.by_ref().take(4).read_to_end(&mut word)?;
    match <[u8; 4]>::try_from(word.as_slice()) {
        Ok(word) => Ok(Some(word)),
        Err(_) if word.is_empty() => Ok(None),
        Err(_) => Err(cut_off()),
    }
}

/// Reads that many bytes. Memory is allocated as they arrive, so a wrong length costs no more than what is there.
fn read_exactly(reader: &mut impl Read, length: u64) -> Result<Vec<u8>, ArrowError> {
    let mut bytes = Vec::new();
    reader.by_ref().take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length { Err(cut_off()) } else { Ok(bytes) }
}

fn parse(description: &[u8]) -> Result<Message<'_>, ArrowError> {
    arrow_ipc::root_as_message(description).map_err(|_| wrong("a message cannot be parsed"))
}

/// Compares what a batch declares with its body and with the memory that is left.
fn check_batch(
    batch: arrow_ipc::RecordBatch<'_>,
    body: &[u8],
    memory: MessageMemory,
) -> Result<(), ArrowError> {
    if batch.length() < 0 {
        return Err(wrong("a batch has a negative number of rows"));
    }
    for node in batch.nodes().into_iter().flatten() {
        if node.length() < 0 || node.null_count() < 0 || node.null_count() > node.length() {
            return Err(wrong("a column has an impossible number of rows"));
        }
    }
    let growth = match batch.compression().map(|compression| compression.codec()) {
        None => None,
        Some(CompressionType::LZ4_FRAME) => Some(LZ4_GROWTH),
        Some(CompressionType::ZSTD) => Some(ZSTD_GROWTH),
        Some(_) => return Err(wrong("a batch is compressed in a way that is not known")),
    };
    let mut unpacked: u64 = 0;
    for buffer in batch.buffers().into_iter().flatten() {
        let range = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = range
            .and_then(|(start, length)| body.get(start..start.checked_add(length)?))
            .ok_or_else(|| wrong("a column lies outside its message"))?;
        let Some(growth) = growth.filter(|_| !bytes.is_empty()) else { continue };
        let (length, packed) =
            bytes.split_first_chunk().ok_or_else(|| wrong("a compressed column is cut off"))?;
        let length = i64::from_le_bytes(*length);
        // -1 stands before a buffer that is stored uncompressed because compression would not have made it smaller.
        if length == -1 {
            continue;
        }
        let length = u64::try_from(length).map_err(|_| wrong("a compressed column has a negative length"))?;
        if length > (packed.len() as u64).saturating_mul(growth) {
            return Err(wrong("a compressed column claims more than it can hold"));
        }
        unpacked = unpacked.saturating_add(length);
    }
    memory.check(unpacked)
}

fn cut_off() -> ArrowError {
    wrong("it ends in the middle of a message")
}

fn wrong(what: &str) -> ArrowError {
    ArrowError::IpcError(what.to_owned())
}
