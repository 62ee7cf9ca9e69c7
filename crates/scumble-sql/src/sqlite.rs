//! Tables in and out of SQLite.

mod create;
mod errors;

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::hooks::{AuthAction, Authorization};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use scumble_files::database::{Address, Wanted, unwritten};
use scumble_files::{Control, Error, Pace, same_file};

pub(crate) use create::create;

use crate::csv_out::CsvOut;
use crate::{Result, is_read, is_there, no_table, only_reads};

/// How long another program may keep the file to itself.
const PATIENCE: Duration = Duration::from_secs(10);

/// Writes a table or the result of a query as delimited text. One statement reads one moment.
pub(crate) fn export(file: &Path, address: &Address, out: &mut dyn Write, control: &Control) -> Result<()> {
    let opened = Opened::open(file)?;
    export_from(&opened.connection, &opened.query(address)?, address, out, control)
}

/// Returns an error if a new table cannot stand there.
pub(crate) fn check_target(
    file: &Path,
    (target, table): (&Address, &str),
    inputs: &[Address],
    replace: bool,
) -> Result<()> {
    if table.to_ascii_lowercase().starts_with("sqlite_") {
        return Err(Error::config("names of tables that begin with sqlite_ belong to SQLite")
            .advise("choose another name"));
    }
    if !std::fs::exists(file).unwrap_or(true) {
        // The folder is all that the first table of a new database needs.
        return match scumble_files::folder_of(file) {
            folder if folder.is_dir() => Ok(()),
            folder => Err(Error::config(format!("the folder '{}' does not exist", folder.display()))),
        };
    }
    if is_empty(file) {
        return Ok(());
    }
    for input in inputs.iter().filter(|input| input.file().is_some_and(|of| same_file(of, file))) {
        let opened = Opened::open(file)?;
        let query = opened.query(input)?;
        // The tables that a query reads are known once it is prepared, also those that it reads through views.
        opened.connection.prepare(&query).map_err(|error| errors::of_query(&error, input))?;
        if opened.reads(table) {
            return Err(is_read(target));
        }
    }
    let opened = Opened::open(file)?;
    match opened.objects()?.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(table)) {
        Some((name, kind)) if kind != "table" => {
            Err(Error::config(format!("'{name}' is a {kind} in this database, and no table takes its place"))
                .advise("choose another name for the output"))
        }
        Some(_) if !replace => Err(is_there(target)),
        _ => Ok(()),
    }
}

/// Whether a file is there and has nothing in it.
fn is_empty(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() == 0)
}

/// A database that is only read.
struct Opened {
    connection: Connection,
    file: String,
    /// The tables that prepared statements read.
    read: Arc<Mutex<Vec<String>>>,
}

impl Opened {
    fn open(file: &Path) -> Result<Self> {
        let shown = file.display().to_string();
        // SQLite's own message does not tell a file that is not there from one that may not be read.
        std::fs::File::open(file).map_err(|error| scumble_files::cannot_read("the database", file, error))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection =
            Connection::open_with_flags(file, flags).map_err(|error| errors::of_file(&error, &shown))?;
        connection.busy_timeout(PATIENCE).map_err(|error| errors::of_file(&error, &shown))?;
        let read = Arc::new(Mutex::new(Vec::new()));
        let seen = read.clone();
        let guard = move |context: rusqlite::hooks::AuthContext<'_>| match context.action {
            AuthAction::Read { table_name, .. } => {
                seen.lock().unwrap_or_else(PoisonError::into_inner).push(table_name.to_owned());
                Authorization::Allow
            }
            AuthAction::Select | AuthAction::Function { .. } | AuthAction::Recursive => Authorization::Allow,
            _ => Authorization::Deny,
        };
        connection.authorizer(Some(guard)).map_err(|error| errors::of_file(&error, &shown))?;
        Ok(Self { connection, file: shown, read })
    }

    /// Whether a prepared statement reads a table.
    fn reads(&self, table: &str) -> bool {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.iter().any(|read| read.eq_ignore_ascii_case(table))
    }

    /// The tables and views, and which they are.
    fn objects(&self) -> Result<Vec<(String, String)>> {
        objects(&self.connection).map_err(|error| errors::of_file(&error, &self.file))
    }

    /// The query that returns what an address wants. Where it wants nothing in particular, the only table is taken.
    fn query(&self, address: &Address) -> Result<String> {
        let objects = self.objects()?;
        let tables = || objects.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let found = match address.wanted() {
            Some(Wanted::Query(query)) => return Ok(query.clone()),
            Some(Wanted::Table(name)) => {
                let exact = objects.iter().find(|(table, _)| table == name);
                exact.or_else(|| objects.iter().find(|(table, _)| table.eq_ignore_ascii_case(name)))
            }
            None => match &objects[..] {
                [only] => Some(only),
                _ => None,
            },
        };
        match (found, address.wanted()) {
            (Some((name, _)), _) => Ok(format!("SELECT * FROM main.{}", quoted(name))),
            (None, Some(Wanted::Table(name))) => Err(no_table(address, name, &tables())),
            (None, _) if objects.is_empty() => {
                Err(Error::data(format!("the database '{}' holds no table", self.file)))
            }
            (None, _) => {
                let names = tables();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                Err(Error::config(format!(
                    "the database '{}' holds several tables: {}",
                    self.file,
                    scumble_files::shown::listed(&names)
                ))
                .advise(format!("say which one: sqlite:{}?table=NAME", self.file)))
            }
        }
    }
}

/// The tables and views of a database, and which they are.
fn objects(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    let mut statement = connection.prepare(
        "SELECT name, type FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// A name as SQL writes it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Writes what a query returns.
fn export_from(
    connection: &Connection,
    query: &str,
    address: &Address,
    out: &mut dyn Write,
    control: &Control,
) -> Result<()> {
    let mut statement = connection.prepare(query).map_err(|error| errors::of_query(&error, address))?;
    if !statement.readonly() || statement.column_count() == 0 {
        return Err(only_reads());
    }
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut csv = CsvOut::begin(out, names.iter().map(String::as_str)).map_err(unwritten)?;
    let mut rows = statement.query([]).map_err(|error| errors::of_rows(&error, address))?;
    let mut pace: Pace<'_> = control.pace();
    let mut number = 0;
    while let Some(row) = rows.next().map_err(|error| errors::of_rows(&error, address))? {
        number += 1;
        pace.tick(names.len())?;
        for (column, name) in names.iter().enumerate() {
            let value = row.get_ref(column).map_err(|error| errors::of_rows(&error, address))?;
            match value {
                ValueRef::Null => csv.cell(b""),
                ValueRef::Integer(number) => csv.cell(number.to_string().as_bytes()),
                ValueRef::Real(number) => csv.cell(number.to_string().as_bytes()),
                ValueRef::Text(text) if std::str::from_utf8(text).is_ok() => csv.cell(text),
                ValueRef::Text(_) => {
                    return Err(unreadable("a text that is not UTF-8", address, number, name));
                }
                ValueRef::Blob(_) => {
                    return Err(unreadable(
                        "bytes (a BLOB), which are no value of a table",
                        address,
                        number,
                        name,
                    ));
                }
            }
            .map_err(unwritten)?;
        }
    }
    Ok(())
}

fn unreadable(what: &str, address: &Address, row: u64, column: &str) -> Error {
    Error::data(format!("the cell holds {what}"))
        .in_file(address.name())
        .in_row(row)
        .in_column(column)
        .advise("leave the column out: ?query=SELECT … with the other columns")
}
