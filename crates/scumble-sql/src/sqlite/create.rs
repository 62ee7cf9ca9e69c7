//! A new table in SQLite, in one transaction.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use scumble_files::database::{Address, Cell, Created, NewTable, TypedColumn};
use scumble_files::{Control, Error};

use super::{PATIENCE, errors, export_from, objects, quoted};
use crate::{Result, is_there};

/// Makes a table and fills it. Nothing of it is in the file before it is committed.
pub(crate) fn create(
    file: &Path,
    (target, name): (&Address, &str),
    table: NewTable<'_>,
    control: &Control,
) -> Result<Box<dyn Created>> {
    let NewTable { columns, rows, replace } = table;
    let made = Made {
        was_there: std::fs::exists(file).unwrap_or(true),
        connection: open(file)?,
        target: target.clone(),
        file: file.to_owned(),
        name: name.to_owned(),
        notes: Vec::new(),
    };
    made.begin(replace)?;
    made.fill(columns, rows, control)?;
    Ok(Box::new(made.with_notes()?))
}

fn open(file: &Path) -> Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(file, flags).and_then(|connection| {
        connection.busy_timeout(PATIENCE)?;
        // SQLite would write into the file before the end where a transaction is large, and anybody could read these bytes.
        connection.pragma_update(None, "cache_spill", false)?;
        Ok(connection)
    });
    opened.map_err(|error| errors::of_file(&error, &file.display().to_string()))
}

/// A table that has not been committed.
struct Made {
    connection: Connection,
    target: Address,
    file: PathBuf,
    name: String,
    /// Whether the file was there before.
    was_there: bool,
    notes: Vec<String>,
}

impl Made {
    fn explain(&self, error: &rusqlite::Error) -> Error {
        errors::of_file(error, &self.file.display().to_string())
    }

    fn run(&self, sql: &str) -> Result<()> {
        self.connection.execute_batch(sql).map_err(|error| self.explain(&error))
    }

    /// Begins the transaction. Other programs may still read the file, and cannot write.
    fn begin(&self, replace: bool) -> Result<()> {
        self.run("BEGIN IMMEDIATE")?;
        let objects = objects(&self.connection).map_err(|error| self.explain(&error))?;
        match objects.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(&self.name)) {
            Some((name, kind)) if replace && kind == "table" => {
                self.run(&format!("DROP TABLE main.{}", quoted(&name)))
            }
            Some(_) => Err(is_there(&self.target)),
            None => Ok(()),
        }
    }

    fn fill(&self, columns: &[TypedColumn], rows: &mut File, control: &Control) -> Result<()> {
        let declared: Vec<String> = columns
            .iter()
            .map(|column| format!("{} {}", quoted(&column.name), declared(column.cell)))
            .collect();
        let table = quoted(&self.name);
        let made =
            self.connection.execute_batch(&format!("CREATE TABLE main.{table} ({})", declared.join(", ")));
        made.map_err(|error| match &error {
            rusqlite::Error::SqlInputError { msg, .. } => {
                Error::config(format!("SQLite cannot hold this table: {msg}"))
            }
            rusqlite::Error::SqliteFailure(_, Some(msg)) => {
                Error::config(format!("SQLite cannot hold this table: {msg}"))
            }
            _ => self.explain(&error),
        })?;
        let places = vec!["?"; columns.len()].join(", ");
        let insert = self.connection.prepare(&format!("INSERT INTO main.{table} VALUES ({places})"));
        let mut insert = insert.map_err(|error| self.explain(&error))?;
        let mut csv = csv::Reader::from_reader(std::io::BufReader::with_capacity(1 << 20, rows));
        let mut record = csv::StringRecord::new();
        let mut pace = control.pace();
        while csv.read_record(&mut record).map_err(Error::internal)? {
            pace.tick(columns.len())?;
            let values = record.iter().zip(columns).map(|(text, column)| value(text, column.cell));
            insert.execute(params_from_iter(values)).map_err(|error| self.explain(&error))?;
        }
        Ok(())
    }

    fn with_notes(mut self) -> Result<Self> {
        let objects = objects(&self.connection).map_err(|error| self.explain(&error))?;
        let others = objects.iter().filter(|(name, _)| *name != self.name).count();
        if others > 0 {
            self.notes.push(format!(
                "'{}' also holds {others} other {}, perhaps the original: publish the table, not the file",
                self.file.display(),
                if others == 1 { "table or view" } else { "tables and views" }
            ));
        } else if self.was_there {
            self.notes.push(format!(
                "'{}' was there before, and a database keeps what was deleted until it is vacuumed: publish the table, not the file",
                self.file.display()
            ));
        }
        Ok(self)
    }
}

impl Created for Made {
    fn export(&mut self, out: &mut dyn Write, control: &Control) -> Result<()> {
        let query = format!("SELECT * FROM main.{} ORDER BY rowid", quoted(&self.name));
        export_from(&self.connection, &query, &self.target, out, control)
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        self.run("COMMIT")?;
        self.was_there = true;
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // Without a commit this ends the transaction, and after one there is none.
        let _ = self.connection.execute_batch("ROLLBACK");
        if !self.was_there && super::is_empty(&self.file) {
            let _ = std::fs::remove_file(&self.file);
        }
    }
}

/// The type of a column. SQLite has none for dates, times and truth values; they are texts.
fn declared(cell: Cell) -> &'static str {
    match cell {
        Cell::Integer => "INTEGER",
        Cell::Decimal { is_float: true } => "REAL",
        _ => "TEXT",
    }
}

/// The value of a text.
fn value(text: &str, cell: Cell) -> Value {
    match cell {
        _ if text.is_empty() => Value::Null,
        Cell::Integer => text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Integer),
        Cell::Decimal { is_float: true } => {
            text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Real)
        }
        _ => Value::Text(text.to_owned()),
    }
}
