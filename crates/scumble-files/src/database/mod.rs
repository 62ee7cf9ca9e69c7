//! The door to databases: what reading and writing tables needs of one.
//!
//! This crate knows addresses, and asks a [`Driver`] for everything else. A program that is to open databases installs one; without it, an
//! address is an error. So no library of the project opens a connection by itself.

mod address;
mod cells;
mod spool;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

pub(crate) use address::ENDINGS;
pub use address::{Address, Server, Wanted, from_here, has_password, located, password_refused};
pub use cells::{Cell, TypedColumn, typed_columns};
pub(crate) use spool::Spool;
pub use spool::read_back;

use crate::control::Control;
use crate::error::{Error, Result};

/// Reads tables out of databases and writes new ones. Delimited text goes both ways: commas, `"` where needed, UTF-8, a header with the names,
/// and an empty field for null.
pub trait Driver: Send + Sync {
    /// Writes the table or the result of the query into `out`, as it stands at one moment. Nothing is written in the database.
    fn export(&self, address: &Address, out: &mut dyn Write, control: &Control) -> Result<()>;

    /// Returns an error if a new table cannot stand at `target`: it is there and `replace` is false, nobody may make it, or it is what one of
    /// the `inputs` reads.
    fn check_target(&self, target: &Address, inputs: &[Address], replace: bool) -> Result<()>;

    /// Makes a table that nobody else can see, and fills it.
    fn create(&self, target: &Address, table: NewTable<'_>, control: &Control) -> Result<Box<dyn Created>>;
}

/// A table to make.
pub struct NewTable<'a> {
    /// Its columns.
    pub columns: &'a [TypedColumn],
    /// Its rows as delimited text with a header, at the start.
    pub rows: &'a mut File,
    /// Whether it takes the place of one that is there.
    pub replace: bool,
}

/// A table that nobody else can see yet. If it is dropped, it never was.
pub trait Created: Send {
    /// Writes what the database holds of the table, like [`Driver::export`].
    fn export(&mut self, out: &mut dyn Write, control: &Control) -> Result<()>;

    /// Lets everybody see the table who may.
    fn commit(self: Box<Self>) -> Result<()>;

    /// What the user should know.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

static DRIVER: OnceLock<Box<dyn Driver>> = OnceLock::new();

/// Installs what opens databases, for the whole program. The first one stays.
pub fn install(driver: Box<dyn Driver>) {
    let _ = DRIVER.set(driver);
}

/// What opens databases.
pub fn driver() -> Result<&'static dyn Driver> {
    DRIVER.get().map(AsRef::as_ref).ok_or_else(|| {
        Error::config("this program opens no databases")
            .advise("export the table as CSV or Parquet, and give that file")
    })
}

/// Whether a file is a database of SQLite, by its first bytes. A program without a driver treats it like any other file.
#[must_use]
pub fn is_sqlite(path: &Path) -> bool {
    use std::io::Read;
    const START: &[u8; 16] = b"SQLite format 3\0";
    let mut first = [0; 16];
    // A pipe would lose its first bytes, or wait for its writer.
    DRIVER.get().is_some()
        && path.is_file()
        && File::open(path).is_ok_and(|mut file| file.read_exact(&mut first).is_ok())
        && first == *START
}

/// The error in an [`std::io::Error`] of the `out` that a driver was given, or one that says what could not be written.
#[must_use]
pub fn unwritten(error: std::io::Error) -> Error {
    error.downcast().unwrap_or_else(|error| {
        Error::io("cannot write a temporary copy of the table; TMPDIR moves it", error)
    })
}
