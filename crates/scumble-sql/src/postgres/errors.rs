//! What a server's errors mean. Its messages may quote cells, so they are shown only where they cannot.

use std::io;

use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::ErrorResponseBody;
use scumble_files::{Error, ErrorKind};

use crate::{one_query, only_reads};

/// An error that a server has answered.
pub(super) struct Answer {
    /// Its code of five letters and digits.
    pub(super) code: String,
    message: String,
    /// The function of the server that it comes from. Unlike the message, it is in no language of people.
    routine: String,
}

impl Answer {
    pub(super) fn of(body: &ErrorResponseBody) -> Self {
        let mut answer = Self { code: String::new(), message: String::new(), routine: String::new() };
        let mut fields = body.fields();
        while let Ok(Some(field)) = fields.next() {
            let text = || String::from_utf8_lossy(field.value_bytes()).into_owned();
            match field.type_() {
                b'C' => answer.code = text(),
                b'M' => answer.message = text(),
                b'R' => answer.routine = text(),
                _ => {}
            }
        }
        answer
    }

    /// The error, for a table or database of this name.
    pub(super) fn error(&self, name: &str) -> Error {
        let Self { code, message, routine } = self;
        let refused = |why: &str| Error::config(format!("'{name}': {why} ({message})"));
        let trouble = |kind, why: &str| Error::new(kind, format!("'{name}': {why} ({message})"));
        match (code.as_str(), code.get(..2).unwrap_or("")) {
            ("28P01" | "28000", _) => refused("the database does not let us in").advise(
                "set PGUSER, and put the password into ~/.pgpass, a service file (PGSERVICE) or PGPASSWORD",
            ),
            ("3D000", _) => {
                refused("the database is not there").advise("check the name behind the host, or PGDATABASE")
            }
            ("42501", _) if routine == "check_enable_rls" => {
                refused("row-level security hides rows from us, and part of a table is not released as if it were all of it")
                    .advise("be a user who sees every row: the owner of the table, or one with BYPASSRLS (PGUSER)")
                    .advise("if only these rows are meant, have them copied to a table of their own, and name that one")
            }
            ("42501", _) => refused("we have no right to do that")
                .advise("ask the owner of the table or schema for it (GRANT), or be another user (PGUSER)"),
            ("25006", _) => only_reads(),
            ("42601", _) if routine == "exec_parse_message" => one_query(),
            ("42P07", _) => refused("a table of that name was made meanwhile")
                .advise("choose another name for the output"),
            ("2BP01", _) => {
                refused("other things in the database depend on the table, so it cannot be replaced")
                    .advise("choose another name for the output, or drop what depends on the table")
            }
            ("54011" | "54001" | "54000", _) => refused("the database cannot hold this table"),
            (_, "42" | "0A") => refused("the database does not understand the query")
                .advise("mend the query, or name a table"),
            (_, "53") => trouble(
                ErrorKind::Resources,
                "the database has no room or memory left, or too many connections",
            ),
            (_, "57" | "08") => trouble(ErrorKind::Io, "the database ended the connection"),
            ("55P03", _) | (_, "40") => {
                trouble(ErrorKind::Io, "others are working on the table").advise("try again")
            }
            _ => Error::new(ErrorKind::Io, format!("'{name}': the database refused, with SQLSTATE {code}"))
                .advise("look into the log of the database; its message may hold values, so it is not shown"),
        }
    }
}

/// The error of a connection that broke.
pub(super) fn closed(name: &str, source: io::Error) -> Error {
    Error::io(format!("'{name}': the connection to the database closed in the middle"), source)
        .advise("see whether the database is running, and try again")
}
