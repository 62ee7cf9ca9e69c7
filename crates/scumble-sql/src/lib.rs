//! Tables in and out of databases: PostgreSQL and SQLite.
//!
//! A program calls [`install`] once; from then on every table may also be named by an [`Address`].
//! A crate of its own, since it opens connections and builds a library in C, and nothing else in the project does either.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod csv_out;
mod postgres;
mod same_rows;
mod sqlite;

use std::io::Write;

use scumble_files::database::{Address, Created, Driver, NewTable, Server, Wanted};
use scumble_files::{Control, Error};

/// The result of everything that can fail here.
type Result<T, E = Error> = std::result::Result<T, E>;

/// Lets the program open databases.
pub fn install() {
    scumble_files::database::install(Box::new(Databases));
}

/// All databases that are known here.
struct Databases;

impl Driver for Databases {
    fn export(&self, address: &Address, out: &mut dyn Write, control: &Control) -> Result<()> {
        match address.server() {
            Server::Sqlite(file) => sqlite::export(file, address, out, control),
            Server::Postgres(_) => postgres::export(address, out, control),
        }
    }

    fn check_target(&self, target: &Address, inputs: &[Address], replace: bool) -> Result<()> {
        let table = wanted_table(target)?;
        match target.server() {
            Server::Sqlite(file) => sqlite::check_target(file, (target, table), inputs, replace),
            Server::Postgres(_) => postgres::check_target(target, table, inputs, replace),
        }
    }

    fn create(&self, target: &Address, table: NewTable<'_>, control: &Control) -> Result<Box<dyn Created>> {
        let name = wanted_table(target)?;
        same_rows::watched(target, table, control, |table| match target.server() {
            Server::Sqlite(file) => sqlite::create(file, (target, name), table, control),
            Server::Postgres(_) => postgres::create((target, name), table, control),
        })
    }
}

/// The table that a release goes into.
fn wanted_table(target: &Address) -> Result<&str> {
    match target.wanted() {
        Some(Wanted::Table(name)) => Ok(name),
        Some(Wanted::Query(_)) => {
            Err(Error::config("a release goes into a table, and the address of the output has a query")
                .advise("write ?table=NAME with the name of a new table"))
        }
        None => Err(Error::config(format!("'{}' names no table that the release goes into", target.name()))
            .advise("write ?table=NAME behind it, with the name of a new table")),
    }
}

/// The error of a table that is there already.
fn is_there(target: &Address) -> Error {
    Error::config(format!("the table '{}' is already there", target.name()))
        .set(scumble_files::error::Setting::root("force"), "replace what is there")
        .advise("choose another name, to keep what is there")
}

/// The error of a release that would take the place of its original.
fn is_read(target: &Address) -> Error {
    Error::config(format!(
        "the table '{}' is one that this command reads, so it cannot also be the output",
        target.name()
    ))
    .advise("choose another name for the output")
}

/// The error of a table that a database does not have.
fn no_table(address: &Address, table: &str, tables: &[String]) -> Error {
    let names: Vec<&str> = tables.iter().map(String::as_str).collect();
    let near = scumble_files::did_you_mean(table, names.iter().copied());
    let error = Error::config(format!("'{}': there is no table or view of that name{near}", address.name()));
    match &names[..] {
        [] => error,
        names => error.advise(format!("the tables and views are {}", scumble_files::shown::listed(names))),
    }
}

/// The error of a query that does more than read.
fn only_reads() -> Error {
    Error::config("the query does more than read; nothing was changed").advise("give one SELECT")
}

/// The error of a query with another statement behind it.
fn one_query() -> Error {
    Error::config("the query is more than one statement, and none of them was run").advise("give one SELECT")
}
