//! A new table in PostgreSQL, in one transaction. Others see nothing of it before the commit.

use std::io::{BufRead, BufReader, Write};

use postgres_protocol::escape::escape_identifier;
use scumble_files::database::{Address, Cell, Created, NewTable, TypedColumn};
use scumble_files::{Control, Error, ErrorKind};

use super::names::{self, LONGEST, TableName};
use super::{Session, export_from};
use crate::{Result, is_there};

/// Makes a table and fills it.
pub(crate) fn create(
    (target, name): (&Address, &str),
    table: NewTable<'_>,
    control: &Control,
) -> Result<Box<dyn Created>> {
    let name = TableName::read(name)?;
    if let Some(column) = table.columns.iter().find(|column| column.name.len() > LONGEST) {
        return Err(Error::config(format!(
            "PostgreSQL keeps {LONGEST} bytes of a name, and that of a column is longer"
        ))
        .in_column(&column.name)
        .advise("give the column a shorter name"));
    }
    let mut session = Session::open(target, control)?;
    session.run("BEGIN")?;
    check_writable(&mut session, target)?;
    // The new table gets the place that was checked, whatever the search path finds first.
    let sql = match names::find(&mut session, &name)? {
        Some(found) if table.replace => {
            session.run(&format!("DROP TABLE {}", found.sql))?;
            found.sql
        }
        Some(_) => return Err(is_there(target)),
        None => name.sql(),
    };
    let declared: Vec<String> = table.columns.iter().map(declared).collect();
    session.run(&format!("CREATE TABLE {sql} ({})", declared.join(", ")))?;
    let mut rows = BufReader::new(table.rows);
    skip_header(&mut rows)?;
    let columns: Vec<String> = table.columns.iter().map(|column| escape_identifier(&column.name)).collect();
    let columns = columns.join(", ");
    session.copy_in(
        &format!(
            "COPY {sql} ({columns}) FROM STDIN WITH (FORMAT csv, ENCODING 'UTF8', FORCE_NULL ({columns}))"
        ),
        &mut rows,
        control,
    )?;
    Ok(Box::new(Made { session, sql, name: target.name() }))
}

/// Returns an error if the database lets nobody write.
pub(super) fn check_writable(session: &mut Session, target: &Address) -> Result<()> {
    let found = session.rows("SELECT pg_is_in_recovery(), current_setting('transaction_read_only')")?;
    let found: Vec<Option<String>> = found.into_iter().flatten().collect();
    let is = |place: usize, text: &str| found.get(place).is_some_and(|found| found.as_deref() == Some(text));
    let refused =
        |why: &str, what: &str| Err(Error::config(format!("'{}': {why}", target.name())).advise(what));
    if is(0, "t") {
        return refused(
            "the server is a copy of another one (in recovery), and nobody writes there",
            "give the address of the server that it is a copy of",
        );
    }
    if is(1, "on") {
        return refused(
            "the database is set to be read only (default_transaction_read_only), so no table can be made",
            "write to another database, or have its owner change that for you",
        );
    }
    Ok(())
}

/// Reads to the end of the first record. A name may hold a line end between its quotes.
fn skip_header(rows: &mut impl BufRead) -> Result<()> {
    let mut quotes = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = rows
            .read_until(b'\n', &mut line)
            .map_err(|error| Error::io("cannot read a temporary file", error))?;
        quotes += line.iter().filter(|byte| **byte == b'"').count();
        if read == 0 || quotes % 2 == 0 {
            return Ok(());
        }
    }
}

/// A column as it is declared.
fn declared(column: &TypedColumn) -> String {
    let kind = match column.cell {
        Cell::Text => "text",
        Cell::Integer => "bigint",
        Cell::Decimal { .. } => "numeric",
        Cell::Date => "date",
        Cell::Timestamp { zone: true } => "timestamp with time zone",
        Cell::Timestamp { zone: false } => "timestamp without time zone",
        Cell::Time => "time without time zone",
        Cell::Boolean => "boolean",
    };
    format!("{} {kind}", escape_identifier(&column.name))
}

/// A table that has not been committed. When its session ends, the server forgets it.
struct Made {
    session: Session,
    sql: String,
    name: String,
}

impl Created for Made {
    fn export(&mut self, out: &mut dyn Write, _: &Control) -> Result<()> {
        // What is put off until the commit happens now, while it can still be seen.
        self.session.run("SET CONSTRAINTS ALL IMMEDIATE")?;
        export_from(&mut self.session, &format!("SELECT * FROM {}", self.sql), out)
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        match self.session.run("COMMIT") {
            Ok(tag) if tag == "COMMIT" => Ok(()),
            Ok(_) => Err(Error::new(ErrorKind::Io, format!("'{}': the database did not keep the table; nothing was published", self.name))),
            Err(error) if error.kind() == ErrorKind::Io => Err(error.reworded(|what| {
                what + ", while it was publishing the table; whether the table was published is not known, so look whether it is there"
            })),
            Err(error) => Err(error),
        }
    }
}
