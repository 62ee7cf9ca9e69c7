//! What SQLite's errors mean. Its messages about a query may be shown, since they quote the query; messages about rows may not.

use rusqlite::ErrorCode;
use scumble_files::Error;
use scumble_files::database::Address;

use crate::{one_query, only_reads};

/// The error of a file.
pub(super) fn of_file(error: &rusqlite::Error, file: &str) -> Error {
    let what = format!("the database '{file}'");
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            Error::data(format!("{what} is not one of SQLite, or it is encrypted"))
        }
        Some(ErrorCode::DatabaseCorrupt) => {
            Error::data(format!("{what} is damaged")).advise("restore it from a copy")
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            unusable(format!("{what} is kept by another program, which is writing in it"))
                .advise("try again when that program is done")
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            unusable(format!("{what} may not be written by you"))
                .advise("check the permissions of the file and of its folder")
        }
        Some(ErrorCode::CannotOpen) => unusable(format!("{what} cannot be opened"))
            .advise("check the permissions of the file and of its folder"),
        Some(ErrorCode::DiskFull) => {
            Error::resources(format!("the disk of {what} is full")).advise("make room on the disk")
        }
        Some(ErrorCode::OutOfMemory) => Error::resources(format!("there is not enough memory for {what}")),
        code => unusable(format!("{what} cannot be used ({code:?})")),
    }
}

/// The error of a query that cannot be prepared.
pub(super) fn of_query(error: &rusqlite::Error, address: &Address) -> Error {
    match error {
        rusqlite::Error::MultipleStatement => one_query(),
        _ if error.sqlite_error_code() == Some(ErrorCode::AuthorizationForStatementDenied) => only_reads(),
        rusqlite::Error::SqlInputError { msg, .. } => sql(msg),
        rusqlite::Error::SqliteFailure(code, Some(msg)) if code.code == ErrorCode::Unknown => sql(msg),
        _ => of_rows(error, address),
    }
}

/// The error of reading rows.
pub(super) fn of_rows(error: &rusqlite::Error, address: &Address) -> Error {
    match address.file() {
        Some(file) => of_file(error, &file.display().to_string()),
        None => Error::internal("a database of SQLite has no file"),
    }
}

fn sql(message: &str) -> Error {
    Error::config(format!("SQLite does not understand the query: {message}"))
        .advise("mend the query, or name a table")
}

fn unusable(what: String) -> Error {
    Error::new(scumble_files::ErrorKind::Io, what)
}
