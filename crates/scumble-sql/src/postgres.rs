//! Tables in and out of PostgreSQL, by `COPY`. The protocol is spoken here, over the sockets of the standard library: other drivers bring a runtime
//! and encryption along.

mod create;
mod errors;
mod names;
mod passwords;
mod session;
mod settings;
mod wire;

use std::io::Write;

use scumble_files::database::{Address, Server, Wanted, unwritten};
use scumble_files::{Control, Error, ErrorKind};

pub(crate) use create::create;

use crate::csv_out::CsvOut;
use crate::{Result, is_read, is_there, only_reads};
use names::{Found, TableName};
use session::{Column, Session};

/// A transaction that sees one moment and changes nothing.
const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Writes a table or the result of a query as delimited text, as it stands at one moment.
pub(crate) fn export(address: &Address, out: &mut dyn Write, control: &Control) -> Result<()> {
    let mut session = Session::open(address, control)?;
    session.run(SNAPSHOT)?;
    let query = query(&mut session, address)?;
    export_from(&mut session, &query, out)
}

/// The query that returns what an address wants.
fn query(session: &mut Session, address: &Address) -> Result<String> {
    match address.wanted() {
        Some(Wanted::Query(query)) => Ok(query.trim_end().trim_end_matches(';').to_owned()),
        Some(Wanted::Table(name)) => {
            let found = names::existing(session, address, &TableName::read(name)?)?;
            Ok(format!("SELECT * FROM {}", found.sql))
        }
        None => Err(Error::config(format!("'{}' names no table", address.name()))
            .advise("write ?table=NAME or ?query=SELECT … behind it")),
    }
}

/// Writes what a query returns.
fn export_from(session: &mut Session, query: &str, out: &mut dyn Write) -> Result<()> {
    let columns = session.columns_of(query)?;
    if columns.is_empty() {
        return Err(only_reads());
    }
    // What only reads can stand inside another query.
    let inside = session.columns_of(&format!("SELECT * FROM ({query}\n) AS t"));
    inside.map_err(|error| if error.kind() == ErrorKind::Config { only_reads() } else { error })?;
    CsvOut::begin(out, columns.iter().map(|column| column.name.as_str())).map_err(unwritten)?;
    // Columns get names of our own, since a query may give one name twice.
    let names: Vec<String> = (1..=columns.len()).map(|number| format!("c{number}")).collect();
    let cells: Vec<String> = names.iter().zip(&columns).map(|(name, column)| cell(name, column)).collect();
    let (cells, quotes) = match &cells[..] {
        // A row of one null would be an empty line, which is no row.
        [only] => (format!("coalesce({only}::text, '')"), ", FORCE_QUOTE *"),
        cells => (cells.join(", "), ""),
    };
    // The query may end with a comment, so the bracket stands on a line of its own.
    let copy = format!(
        "COPY (SELECT {cells} FROM ({query}\n) AS t({})) TO STDOUT WITH (FORMAT csv, ENCODING 'UTF8'{quotes})",
        names.join(", ")
    );
    session.copy_out(&copy, out)
}

/// The numbers of types whose own text is not the one that tables have here.
mod kind {
    pub(super) const BOOLEAN: u32 = 16;
    pub(super) const TIMESTAMP: u32 = 1114;
    pub(super) const TIMESTAMP_WITH_ZONE: u32 = 1184;
    pub(super) const CHARACTER: u32 = 1042;
}

/// What is read of a column.
fn cell(name: &str, column: &Column) -> String {
    match column.kind {
        // `true`, where COPY writes `t`; and a fixed width without its spaces.
        kind::BOOLEAN | kind::CHARACTER => format!("{name}::text"),
        kind::TIMESTAMP => format!("replace({name}::text, ' ', 'T')"),
        // The session's zone is UTC.
        kind::TIMESTAMP_WITH_ZONE => format!("replace(replace({name}::text, ' ', 'T'), '+00', 'Z')"),
        _ => name.to_owned(),
    }
}

/// Returns an error if a new table cannot stand there.
pub(crate) fn check_target(target: &Address, table: &str, inputs: &[Address], replace: bool) -> Result<()> {
    let control = Control::default();
    let name = TableName::read(table)?;
    let mut session = Session::open(target, &control)?;
    create::check_writable(&mut session, target)?;
    let Some(found) = names::find(&mut session, &name)? else {
        return names::check_schema(&mut session, target, &name);
    };
    let server = identity(&mut session)?;
    for input in inputs.iter().filter(|input| matches!(input.server(), Server::Postgres(_))) {
        if reads(input, &server, &found, &control)? {
            return Err(is_read(target));
        }
    }
    if !replace {
        return Err(is_there(target));
    }
    if found.kind != "r" {
        return Err(Error::config(format!(
            "'{}' is a view or a table of another kind, and no release takes its place",
            target.name()
        ))
        .advise("choose another name for the output"));
    }
    if !found.is_ours {
        return Err(Error::config(format!(
            "'{}' belongs to another user, so it cannot be replaced",
            target.name()
        ))
        .advise("choose another name for the output, or be that user (PGUSER)"));
    }
    Ok(())
}

/// What tells a database from all others: when its server was started, to the microsecond, and its number there.
fn identity(session: &mut Session) -> Result<Option<String>> {
    let found = session.rows(
        "SELECT pg_postmaster_start_time()::text || ' ' || oid FROM pg_database WHERE datname = current_database()",
    )?;
    Ok(found.into_iter().flatten().next().flatten())
}

/// Whether a table is read for an input, perhaps through a view. Planning a query locks every table that it reads.
fn reads(input: &Address, server: &Option<String>, table: &Found, control: &Control) -> Result<bool> {
    let mut session = Session::open(input, control)?;
    if identity(&mut session)? != *server {
        return Ok(false);
    }
    session.run(SNAPSHOT)?;
    let query = query(&mut session, input)?;
    if session.columns_of(&query)?.is_empty() {
        return Err(only_reads());
    }
    session.rows(&format!("EXPLAIN SELECT * FROM ({query}\n) AS t"))?;
    let locked = session.rows(&format!(
        "SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' AND relation = {}",
        table.number
    ))?;
    Ok(!locked.is_empty())
}
