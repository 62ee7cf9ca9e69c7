//! Where a table is read from.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{Field, Schema, SchemaRef};

use crate::compression::Compression;
use crate::error::{Error, Result, reading, writing};
use crate::foreign::Foreign;
use crate::limits::Allowance;

/// A table: a path, a file that is open already, record batches or a stream of them. All but a stream can be read more than once.
#[derive(Debug)]
pub struct Source {
    place: Place,
    name: String,
}

/// Whether a batch has the columns of a table.
pub(crate) fn has_columns(batch: &RecordBatch, schema: &Schema) -> bool {
    let same =
        |one: &Field, other: &Field| one.name() == other.name() && one.data_type() == other.data_type();
    let found = batch.schema();
    schema.fields().len() == found.fields().len()
        && schema.fields().iter().zip(found.fields()).all(|(one, other)| same(one, other))
}

/// Record batches that are made while they are read. Its columns are known from the start.
pub(crate) struct Stream {
    pub(crate) schema: SchemaRef,
    reader: Mutex<Option<BatchReader>>,
}

/// Gives record batches, one after the other.
pub(crate) type BatchReader = Box<dyn RecordBatchReader + Send>;

impl std::fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Stream").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl Stream {
    /// The batches, which can be had once.
    pub(crate) fn take(&self, name: &str) -> Result<BatchReader> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        reader.ok_or_else(|| {
            Error::config(format!("'{name}' is a stream of record batches, and was read already"))
                .advise("give the stream again")
        })
    }
}

#[derive(Debug)]
enum Place {
    Path(PathBuf),
    Open(File),
    /// A table in memory.
    Batches(Batches),
    /// A table that comes batch by batch.
    Stream(Stream),
    /// Something that can be read only once. It is copied when it is first read, since only then it is known how much
    /// may be copied.
    Once(Mutex<Option<Pipe>>, OnceLock<File>),
}

/// A table in memory.
#[derive(Debug, Clone)]
pub struct Batches {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl From<RecordBatch> for Batches {
    fn from(batch: RecordBatch) -> Self {
        Self { schema: batch.schema(), batches: vec![batch] }
    }
}

impl Batches {
    /// Batches of the same columns; an error if one has others.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self> {
        for (number, batch) in (1..).zip(&batches) {
            if !has_columns(batch, &schema) {
                return Err(Error::data(format!(
                    "record batch {number} has other columns than the table, or in another order or of other types"
                ))
                .advise("make all batches alike"));
            }
        }
        Ok(Self { schema, batches })
    }

    /// The columns of every batch.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The rows, in their order.
    #[must_use]
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }
}

#[derive(Debug)]
enum Pipe {
    StandardInput,
    File(File),
}

impl Source {
    /// The file at a path, or standard input for `-`. What can be read only once (standard input, a
    /// pipe, a device) is copied to an unnamed, owner-only temporary file when it is first read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if path == Path::new("-") {
            return Ok(Self::standard_input());
        }
        let name = path.display().to_string();
        let metadata = std::fs::metadata(path).map_err(|error| reading(&name, error))?;
        if metadata.is_dir() {
            return Err(reading(&name, io::ErrorKind::IsADirectory.into()));
        }
        if metadata.is_file() {
            return Ok(Self { place: Place::Path(path.to_owned()), name });
        }
        let pipe = File::open(path).map_err(|error| reading(&name, error))?;
        Ok(Self { place: Place::Once(Mutex::new(Some(Pipe::File(pipe))), OnceLock::new()), name })
    }

    /// Standard input, copied to an unnamed, owner-only temporary file when it is first read.
    #[must_use]
    pub fn standard_input() -> Self {
        let place = Place::Once(Mutex::new(Some(Pipe::StandardInput)), OnceLock::new());
        Self { place, name: "standard input".to_owned() }
    }

    /// A file that is open for reading, with a name for messages. It is read from its start; its
    /// position is moved, so it must not be read elsewhere at the same time.
    #[must_use]
    pub fn from_file(file: File, name: impl Into<String>) -> Self {
        Self { place: Place::Open(file), name: name.into() }
    }

    /// A table in memory, with a name for messages.
    #[must_use]
    pub fn from_batches(table: impl Into<Batches>, name: impl Into<String>) -> Self {
        Self { place: Place::Batches(table.into()), name: name.into() }
    }

    /// A table that comes batch by batch, with a name for messages. It can be read once, and is never in memory as a whole.
    #[must_use]
    pub fn from_stream(reader: Box<dyn RecordBatchReader + Send>, name: impl Into<String>) -> Self {
        let schema = reader.schema();
        Self { place: Place::Stream(Stream { schema, reader: Mutex::new(Some(reader)) }), name: name.into() }
    }

    /// The name in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is, if it is named by a path.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Path(path) => Some(path),
            _ => None,
        }
    }

    /// Whether it is a file, which has bytes and can be told from another.
    #[must_use]
    pub fn is_file(&self) -> bool {
        !matches!(self.place, Place::Batches(_) | Place::Stream(_))
    }

    /// The SHA-256 of the file as it stands there, compressed or not.
    pub fn sha256(&self) -> Result<String> {
        let mut file = self.handle(Allowance::new(None))?;
        crate::digest::sha256(&mut file).map_err(|error| reading(&self.name, error))
    }

    /// A handle at the start of the file.
    fn handle(&self, allowance: Allowance) -> Result<File> {
        let rewound = |file: &File| file.try_clone().and_then(|mut file| file.rewind().map(|()| file));
        let handle = match &self.place {
            Place::Path(path) => File::open(path),
            Place::Open(file) => rewound(file),
            Place::Batches(_) | Place::Stream(_) => {
                return Err(Error::config(format!("'{}' is in memory, and this needs a file", self.name)));
            }
            Place::Once(pipe, copy) => {
                let mut pipe = pipe.lock().unwrap_or_else(PoisonError::into_inner);
                match pipe.take() {
                    Some(Pipe::StandardInput) => {
                        let file = spool(io::stdin().lock(), &self.name, allowance)?;
                        rewound(copy.get_or_init(|| file))
                    }
                    Some(Pipe::File(file)) => {
                        let file = spool(file, &self.name, allowance)?;
                        rewound(copy.get_or_init(|| file))
                    }
                    // Nothing is left of a pipe whose copying failed.
                    None => copy.get().map_or(Err(io::ErrorKind::UnexpectedEof.into()), rewound),
                }
            }
        };
        handle.map_err(|error| reading(&self.name, error))
    }

    /// The content, recognised by its first bytes; at most `max_size` bytes of it.
    pub(crate) fn content(&self, max_size: Option<u64>) -> Result<Content<'_>> {
        if let Place::Batches(table) = &self.place {
            return Ok(Content::in_memory(Form::Batches(table)));
        }
        if let Place::Stream(stream) = &self.place {
            return Ok(Content::in_memory(Form::Stream(stream)));
        }
        let allowance = Allowance::new(max_size);
        let file = self.handle(allowance)?;
        if max_size.is_some_and(|most| file.metadata().is_ok_and(|found| found.len() > most)) {
            return Err(allowance.passed(&self.name));
        }
        let bytes = file.metadata().ok().map(|found| found.len());
        let taken = Taken::default();
        let mut compression = Compression::None;
        let (mut first, mut reader) = peek(Box::new(Counted { reader: file, taken: taken.clone() }))
            .map_err(|error| reading(&self.name, error))?;
        if first.is_empty() {
            return Err(Error::data(format!(
                "'{}' is empty: a table needs a header and at least one row",
                self.name
            )));
        }
        let found = Compression::recognise(&first);
        if found != Compression::None {
            compression = found;
            let explain = |error| explain_reading(&self.name, compression, error);
            let unpacked = found.decompress(reader).map_err(explain)?;
            let limited =
                Limited { reader: unpacked, left: allowance.bytes, allowance, name: self.name.clone() };
            (first, reader) = peek(Box::new(limited)).map_err(explain)?;
        }
        if let Some(foreign) = Foreign::recognise(&first) {
            return Err(foreign.error(&self.name));
        }
        let form = if is_parquet(&first) {
            Form::Parquet(self.seekable(compression, reader, allowance)?)
        } else if first.starts_with(b"ARROW1\0\0") {
            Form::ArrowFile(self.seekable(compression, reader, allowance)?)
        } else if is_arrow_stream(&first) {
            Form::ArrowStream(reader)
        } else {
            Form::Text { first, reader }
        };
        Ok(Content { compression, bytes, taken, form })
    }

    /// A file that holds the content uncompressed and can be read at any place.
    fn seekable(
        &self,
        compression: Compression,
        reader: Box<dyn Read + Send>,
        allowance: Allowance,
    ) -> Result<File> {
        if compression == Compression::None {
            return self.handle(allowance);
        }
        let explained = Explained { reader, name: &self.name, compression };
        spool(explained, &self.name, allowance)
    }
}

/// What a file holds.
pub(crate) struct Content<'a> {
    pub(crate) compression: Compression,
    /// The size of the file on the disk; none for a table in memory.
    pub(crate) bytes: Option<u64>,
    /// How many of them were taken so far, as they are on the disk: packed, and in any encoding.
    pub(crate) taken: Taken,
    pub(crate) form: Form<'a>,
}

impl<'a> Content<'a> {
    fn in_memory(form: Form<'a>) -> Self {
        Self { compression: Compression::None, bytes: None, taken: Taken::default(), form }
    }
}

/// Bytes that were taken from a file.
#[derive(Clone, Default)]
pub(crate) struct Taken(Arc<AtomicU64>);

impl Taken {
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts what is taken.
struct Counted {
    reader: File,
    taken: Taken,
}

impl Read for Counted {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(target)?;
        self.taken.0.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// The kind of file, with a reader at its start.
pub(crate) enum Form<'a> {
    /// Delimited text; `first` is a copy of what `reader` gives first.
    Text { first: Vec<u8>, reader: Box<dyn Read + Send> },
    /// Parquet.
    Parquet(File),
    /// The Arrow IPC file format, also called Feather 2.
    ArrowFile(File),
    /// The Arrow IPC stream format.
    ArrowStream(Box<dyn Read + Send>),
    /// Record batches in memory.
    Batches(&'a Batches),
    /// Record batches that are made while they are read.
    Stream(&'a Stream),
}

/// Whether this is Parquet. A text column may be called PAR1; in Parquet a thrift structure follows the
/// magic number, and its first byte is no printable character.
fn is_parquet(first: &[u8]) -> bool {
    first.starts_with(b"PAR1")
        && first.get(4).is_some_and(|&byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
}

/// Whether this is an Arrow IPC stream: a marker, then the length of the schema. A length that no schema
/// has would only make the reader ask for that much memory.
fn is_arrow_stream(first: &[u8]) -> bool {
    let Some((&[0xff, 0xff, 0xff, 0xff, a, b, c, d], _)) = first.split_first_chunk() else { return false };
    let length = u32::from_le_bytes([a, b, c, d]);
    length > 0 && length % 8 == 0 && length < 64 << 20
}

/// How much of a file is looked at to recognise what it is.
pub(crate) const FIRST: u64 = 64 << 10;

/// The first bytes of a reader, and a reader that still gives them.
fn peek(mut reader: Box<dyn Read + Send>) -> io::Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut first = Vec::new();
    reader.by_ref().take(FIRST).read_to_end(&mut first)?;
    let whole = io::Cursor::new(first.clone()).chain(reader);
    Ok((first, Box::new(whole)))
}

/// Copies a reader to an unnamed, owner-only temporary file, as far as is allowed.
fn spool(mut reader: impl Read, name: &str, allowance: Allowance) -> Result<File> {
    let folder = std::env::temp_dir().display().to_string();
    let keeping = |error| writing(&format!("a temporary copy of {name} in {folder}; TMPDIR moves it"), error);
    let mut file = tempfile::tempfile().map_err(keeping)?;
    let mut buffer = vec![0; 1 << 20];
    let mut left = allowance.bytes;
    loop {
        let count = match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => match error.downcast::<Error>() {
                Ok(explained) => return Err(explained),
                Err(error) => return Err(reading(name, error)),
            },
        };
        left = left.checked_sub(count as u64).ok_or_else(|| allowance.passed(name))?;
        io::Write::write_all(&mut file, &buffer[..count]).map_err(keeping)?;
    }
    file.rewind().map_err(keeping)?;
    Ok(file)
}

/// A reader of unpacked content that ends with an error once it is larger than is allowed.
struct Limited<R> {
    reader: R,
    left: u64,
    allowance: Allowance,
    name: String,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        match self.left.checked_sub(count as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(self.allowance.passed(&self.name))),
        }
        Ok(count)
    }
}

/// A reader whose errors tell the file and what is wrong with it.
struct Explained<'a> {
    reader: Box<dyn Read + Send>,
    name: &'a str,
    compression: Compression,
}

impl Read for Explained<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer).map_err(|error| {
            let kind = error.kind();
            io::Error::new(kind, explain_reading(self.name, self.compression, error))
        })
    }
}

/// The error of a failed read. In a compressed file, an error that does not come from the system means
/// that the compressed data are damaged.
pub(crate) fn explain_reading(name: &str, compression: Compression, error: io::Error) -> Error {
    let error = match error.downcast::<Error>() {
        Ok(explained) => return explained,
        Err(error) => error,
    };
    if compression == Compression::None || error.raw_os_error().is_some() {
        return reading(name, error);
    }
    let format = compression.name();
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return Error::data(format!("'{name}' is cut off: its {format} data end too early"))
            .advise("copy or download the file again");
    }
    Error::data(format!("'{name}' is damaged: its {format} data cannot be unpacked ({error})"))
}
