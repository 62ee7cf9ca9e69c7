//! Errors of reading and writing, by who must act on them.
//!
//! No message carries a cell value: a message names the file, the row and the column.

use std::io;

/// What went wrong with a file, and whose turn it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The options or the command line must be changed.
    #[error("{0}")]
    Config(String),
    /// The data must be changed.
    #[error("{0}")]
    Data(String),
    /// The table is larger than this machine or this program can take.
    #[error("{0}")]
    Resources(String),
    /// Somebody stopped it.
    #[error("interrupted")]
    Interrupted,
    /// The system refused to read or write.
    #[error("{what}: {source}")]
    Io {
        /// What was being done, with the file's name and what to do next.
        what: String,
        /// The system's own error.
        source: io::Error,
    },
}

/// The result of everything here that can fail.
pub type Result<T, E = FileError> = std::result::Result<T, E>;

/// An error of reading the file called `name`, with advice where the kind of error allows some.
pub(crate) fn reading(name: &str, source: io::Error) -> FileError {
    let advice = match source.kind() {
        io::ErrorKind::NotFound => " (no such file; is the path spelled right?)",
        io::ErrorKind::PermissionDenied => " (you may not read it; check its permissions)",
        io::ErrorKind::IsADirectory => " (it is a folder; give one file in it)",
        _ => "",
    };
    FileError::Io { what: format!("cannot read '{name}'{advice}"), source }
}

/// The error of a file that cannot be written, with advice where the kind of error allows some.
#[must_use]
pub fn cannot_write(target: &std::path::Path, source: io::Error) -> FileError {
    writing(&target.display().to_string(), source)
}

/// An error of writing the file called `name`, with advice where the kind of error allows some.
pub(crate) fn writing(name: &str, source: io::Error) -> FileError {
    let advice = match source.kind() {
        io::ErrorKind::NotFound => " (its folder does not exist; create it or choose another)",
        io::ErrorKind::NotADirectory => " (a part of its path is a file, not a folder)",
        io::ErrorKind::PermissionDenied => " (you may not write there; choose another folder)",
        io::ErrorKind::ReadOnlyFilesystem => " (the file system is read-only; choose another folder)",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            " (the disk is full; free some space or choose another disk)"
        }
        io::ErrorKind::FileTooLarge => " (the file system takes no file that large; choose another)",
        io::ErrorKind::IsADirectory => " (it is a folder; give a file name)",
        _ => "",
    };
    FileError::Io { what: format!("cannot write '{name}'{advice}"), source }
}
