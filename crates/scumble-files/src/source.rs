//! Where tables are read from.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{Field, Schema, SchemaRef};

use crate::compression::Compression;
use crate::control::Control;
use crate::database::{self, Address, Spool};
use crate::error::{Error, Result, reading, writing};
use crate::foreign::Foreign;
use crate::limits::Allowance;
use crate::workbook::{Container, Kind};

/// The source of a table: a path, an open file, a table in a database, record batches or a stream of them. All but a stream can be read
/// more than once.
#[derive(Debug)]
pub struct Source {
    place: Place,
    name: String,
}

/// Whether a batch has the columns of a table, with the same names and types.
pub(crate) fn has_columns(batch: &RecordBatch, schema: &Schema) -> bool {
    let same =
        |one: &Field, other: &Field| one.name() == other.name() && one.data_type() == other.data_type();
    let found = batch.schema();
    schema.fields().len() == found.fields().len()
        && schema.fields().iter().zip(found.fields()).all(|(one, other)| same(one, other))
}

/// Record batches that are made while they are read. Their columns are known from the start.
pub(crate) struct Stream {
    pub(crate) schema: SchemaRef,
    reader: Mutex<Option<BatchReader>>,
}

/// Returns record batches, one after the other.
pub(crate) type BatchReader = Box<dyn RecordBatchReader + Send>;

impl std::fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Stream").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl Stream {
    /// Takes the batches, which can be taken once.
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
    /// A table that arrives batch by batch.
    Stream(Stream),
    /// A table in a database. It is copied when it is first read, so all that is read of it is of one moment.
    Database(Address, Mutex<Option<File>>),
    /// Something that can be read only once. It is copied when it is first read, since only then the allowed size is known.
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
    /// Puts batches of the same columns together. Fails if one of them has other columns.
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
    /// Opens the file at a path, the table at an [`Address`], or standard input for `-`. What can be read only once (standard input, a pipe,
    /// a device) and tables in databases are copied to an unnamed, owner-only temporary file when they are first read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if path == Path::new("-") {
            return Ok(Self::standard_input());
        }
        if let Some(address) = path.to_str().and_then(Address::recognise) {
            return Self::in_database(address?);
        }
        let name = path.display().to_string();
        let metadata = std::fs::metadata(path).map_err(|error| reading(&name, error))?;
        if metadata.is_dir() {
            return Err(reading(&name, io::ErrorKind::IsADirectory.into()));
        }
        if metadata.is_file() && database::is_sqlite(path) {
            return Self::in_database(Address::of_sqlite_file(path));
        }
        if metadata.is_file() {
            return Ok(Self { place: Place::Path(path.to_owned()), name });
        }
        let pipe = File::open(path).map_err(|error| reading(&name, error))?;
        Ok(Self { place: Place::Once(Mutex::new(Some(Pipe::File(pipe))), OnceLock::new()), name })
    }

    /// Returns the source for a table in a database. Nothing is opened before it is read.
    pub fn in_database(address: Address) -> Result<Self> {
        database::driver()?;
        let name = address.name();
        Ok(Self { place: Place::Database(address, Mutex::new(None)), name })
    }

    /// Returns standard input. It is copied to an unnamed, owner-only temporary file when it is first read.
    #[must_use]
    pub fn standard_input() -> Self {
        let place = Place::Once(Mutex::new(Some(Pipe::StandardInput)), OnceLock::new());
        Self { place, name: "standard input".to_owned() }
    }

    /// Returns a source for an open file, with a name for messages. The file is read from its start. Its position moves, so it
    /// must not be read elsewhere at the same time.
    #[must_use]
    pub fn from_file(file: File, name: impl Into<String>) -> Self {
        Self { place: Place::Open(file), name: name.into() }
    }

    /// Returns a source for a table in memory, with a name for messages.
    #[must_use]
    pub fn from_batches(table: impl Into<Batches>, name: impl Into<String>) -> Self {
        Self { place: Place::Batches(table.into()), name: name.into() }
    }

    /// Returns a source for a table that arrives batch by batch, with a name for messages. It can be read once, and is never in
    /// memory as a whole.
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

    /// The path, if the source is named by one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Path(path) => Some(path),
            _ => None,
        }
    }

    /// The address, if the source is a table in a database.
    #[must_use]
    pub fn address(&self) -> Option<&Address> {
        match &self.place {
            Place::Database(address, _) => Some(address),
            _ => None,
        }
    }

    /// Whether the source is a file, or copied to one, with bytes that can be compared with those of another.
    #[must_use]
    pub fn is_file(&self) -> bool {
        !matches!(self.place, Place::Batches(_) | Place::Stream(_))
    }

    /// The SHA-256 of the file as it is stored, compressed or not; of a table in a database, that of its rows as delimited text.
    pub fn sha256(&self) -> Result<String> {
        let mut file = self.handle(Allowance::new(None), &Control::default())?;
        crate::digest::sha256(&mut file).map_err(|error| reading(&self.name, error))
    }

    /// Returns a handle at the start of the file.
    fn handle(&self, allowance: Allowance, control: &Control) -> Result<File> {
        let rewound = |file: &File| file.try_clone().and_then(|mut file| file.rewind().map(|()| file));
        let handle = match &self.place {
            Place::Path(path) => File::open(path),
            Place::Open(file) => rewound(file),
            Place::Database(address, copy) => {
                let mut copy = copy.lock().unwrap_or_else(PoisonError::into_inner);
                if copy.is_none() {
                    *copy = Some(Spool::of(address, allowance, control)?);
                }
                copy.as_ref().map_or(Err(io::ErrorKind::UnexpectedEof.into()), rewound)
            }
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
                    // If copying a pipe failed, nothing is left to read.
                    None => copy.get().map_or(Err(io::ErrorKind::UnexpectedEof.into()), rewound),
                }
            }
        };
        handle.map_err(|error| reading(&self.name, error))
    }

    /// Recognises the content by its first bytes, and returns it. At most `max_size` bytes of it are read.
    pub(crate) fn content(&self, max_size: Option<u64>, control: &Control) -> Result<Content<'_>> {
        if let Place::Batches(table) = &self.place {
            return Ok(Content::in_memory(Form::Batches(table)));
        }
        if let Place::Stream(stream) = &self.place {
            return Ok(Content::in_memory(Form::Stream(stream)));
        }
        let allowance = Allowance::new(max_size);
        let file = self.handle(allowance, control)?;
        if max_size.is_some_and(|most| file.metadata().is_ok_and(|found| found.len() > most)) {
            return Err(allowance.passed(&self.name));
        }
        let bytes = file.metadata().ok().map(|found| found.len());
        let taken = Taken::default();
        let mut compression = Compression::None;
        let is_export = matches!(self.place, Place::Database(..));
        let (mut first, mut reader) = peek(Box::new(Counted { reader: file, taken: taken.clone() }))
            .map_err(|error| reading(&self.name, error))?;
        if first.is_empty() {
            return Err(Error::data(format!(
                "'{}' is empty: a table needs a header and at least one row",
                self.name
            )));
        }
        if is_export {
            return Ok(Content { compression, bytes, taken, form: Form::Export { first, reader } });
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
        let form = if let Some(container) = Container::recognise(&first) {
            let file = self.seekable(compression, reader, allowance, control)?;
            Form::Workbook(container.kind(&self.name, &file, &first)?, file)
        } else if is_parquet(&first) {
            Form::Parquet(self.seekable(compression, reader, allowance, control)?)
        } else if first.starts_with(b"ARROW1\0\0") {
            Form::ArrowFile(self.seekable(compression, reader, allowance, control)?)
        } else if is_arrow_stream(&first) {
            Form::ArrowStream(reader)
        } else {
            Form::Text { first, reader }
        };
        Ok(Content { compression, bytes, taken, form })
    }

    /// Returns a file of the uncompressed content that can be read at any position.
    fn seekable(
        &self,
        compression: Compression,
        reader: Box<dyn Read + Send>,
        allowance: Allowance,
        control: &Control,
    ) -> Result<File> {
        if compression == Compression::None {
            return self.handle(allowance, control);
        }
        let explained = Explained { reader, name: &self.name, compression };
        spool(explained, &self.name, allowance)
    }
}

/// The content of a file.
pub(crate) struct Content<'a> {
    pub(crate) compression: Compression,
    /// The size of the file on the disk; `None` for a table in memory.
    pub(crate) bytes: Option<u64>,
    /// How many bytes of the file have been read so far, as they are stored: compressed, and in any encoding.
    pub(crate) taken: Taken,
    pub(crate) form: Form<'a>,
}

impl<'a> Content<'a> {
    fn in_memory(form: Form<'a>) -> Self {
        Self { compression: Compression::None, bytes: None, taken: Taken::default(), form }
    }
}

/// A counter of the bytes read from a file.
#[derive(Clone, Default)]
pub(crate) struct Taken(Arc<AtomicU64>);

impl Taken {
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts the bytes that are read.
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
    /// Delimited text; `first` is a copy of the first bytes of `reader`.
    Text { first: Vec<u8>, reader: Box<dyn Read + Send> },
    /// What a database has written: delimited text in a known form.
    Export { first: Vec<u8>, reader: Box<dyn Read + Send> },
    /// Parquet.
    Parquet(File),
    /// The Arrow IPC file format, also called Feather 2.
    ArrowFile(File),
    /// The Arrow IPC stream format.
    ArrowStream(Box<dyn Read + Send>),
    /// A workbook.
    Workbook(Kind, File),
    /// Record batches in memory.
    Batches(&'a Batches),
    /// Record batches that are made while they are read.
    Stream(&'a Stream),
}

/// Whether this is Parquet. A text column may also be called PAR1. In Parquet a Thrift structure follows the magic number, and
/// its first byte is not a printable character.
fn is_parquet(first: &[u8]) -> bool {
    first.starts_with(b"PAR1")
        && first.get(4).is_some_and(|&byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
}

/// Whether this is an Arrow IPC stream: a marker, then the length of the schema. An impossible length is refused, since the
/// reader would allocate that much memory.
fn is_arrow_stream(first: &[u8]) -> bool {
    let Some((&[0xff, 0xff, 0xff, 0xff, a, b, c, d], _)) = first.split_first_chunk() else { return false };
    let length = u32::from_le_bytes([a, b, c, d]);
    length > 0 && length % 8 == 0 && length < 64 << 20
}

/// The number of bytes at the start of a file by which its kind is recognised.
pub(crate) const FIRST: u64 = 64 << 10;

/// Returns the first bytes of a reader, and a reader that still starts with them.
fn peek(mut reader: Box<dyn Read + Send>) -> io::Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut first = Vec::new();
    reader.by_ref().take(FIRST).read_to_end(&mut first)?;
    let whole = io::Cursor::new(first.clone()).chain(reader);
    Ok((first, Box::new(whole)))
}

/// Copies a reader to an unnamed, owner-only temporary file, up to the allowed size.
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

/// A reader of unpacked content that fails once the content is larger than allowed.
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

/// A reader whose errors name the file and what is wrong with it.
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

/// Explains the error of a failed read. In a compressed file, an error that does not come from the system means that the
/// compressed data are damaged.
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
