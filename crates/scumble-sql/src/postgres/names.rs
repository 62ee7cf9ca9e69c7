//! Names of tables: `name` or `schema.name`, as they are in the database.

use postgres_protocol::escape::{escape_identifier, escape_literal};
use scumble_files::Error;
use scumble_files::database::Address;

use super::session::Session;
use crate::{Result, no_table};

/// A name of a table.
pub(super) struct TableName {
    schema: Option<String>,
    table: String,
}

/// A table that is there.
pub(super) struct Found {
    /// Its name as SQL writes it.
    pub(super) sql: String,
    /// Its number in the database.
    pub(super) number: String,
    /// `r` for an ordinary table, `v` for a view, and others.
    pub(super) kind: String,
    /// Whether the user may replace it.
    pub(super) is_ours: bool,
}

/// The bytes of the longest name that PostgreSQL keeps. It cuts longer ones.
pub(super) const LONGEST: usize = 63;

impl TableName {
    /// Reads a name. A point in a name is written between double quotes: `"a.b"`.
    pub(super) fn read(text: &str) -> Result<Self> {
        let wrong = || {
            Error::config("the name of the table is not NAME or SCHEMA.NAME")
                .advise("put double quotes around a name with a point in it")
        };
        let mut parts = vec![String::new()];
        let mut quoted = false;
        for character in text.trim().chars() {
            match (character, parts.last_mut()) {
                ('"', _) => quoted = !quoted,
                ('.', _) if !quoted => parts.push(String::new()),
                (character, Some(part)) => part.push(character),
                (_, None) => {}
            }
        }
        if quoted || parts.iter().any(|part| part.is_empty() || part.len() > LONGEST) {
            return Err(wrong());
        }
        let table = parts.pop().ok_or_else(wrong)?;
        match (parts.pop(), parts.is_empty()) {
            (schema, true) => Ok(Self { schema, table }),
            _ => Err(wrong()),
        }
    }

    /// The name as SQL writes it.
    pub(super) fn sql(&self) -> String {
        let table = escape_identifier(&self.table);
        match &self.schema {
            Some(schema) => format!("{}.{table}", escape_identifier(schema)),
            None => table,
        }
    }

    /// The name with small letters, as PostgreSQL reads a name without quotes.
    fn folded(&self) -> Self {
        Self {
            schema: self.schema.as_ref().map(|schema| schema.to_lowercase()),
            table: self.table.to_lowercase(),
        }
    }
}

/// The table of that name; `None` if there is none.
pub(super) fn find(session: &mut Session, name: &TableName) -> Result<Option<Found>> {
    for name in [name.sql(), name.folded().sql()] {
        let found = session.rows(&format!(
            "SELECT c.oid, c.relkind, pg_has_role(c.relowner, 'USAGE'), n.nspname, c.relname FROM pg_class c \
             JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass({}) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')",
            escape_literal(&name)
        ))?;
        if let Some(row) = found.into_iter().next() {
            let mut row = row.into_iter().map(Option::unwrap_or_default);
            let mut next = || row.next().unwrap_or_default();
            let (number, kind, is_ours) = (next(), next(), next() == "t");
            let sql = format!("{}.{}", escape_identifier(&next()), escape_identifier(&next()));
            return Ok(Some(Found { sql, number, kind, is_ours }));
        }
    }
    Ok(None)
}

/// The table of that name, or an error that names similar ones.
pub(super) fn existing(session: &mut Session, address: &Address, name: &TableName) -> Result<Found> {
    if let Some(found) = find(session, name)? {
        return Ok(found);
    }
    let tables = session.rows(
        "SELECT CASE WHEN pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END \
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') \
         AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%' ORDER BY 1 LIMIT 1000",
    )?;
    let tables: Vec<String> = tables.into_iter().flatten().flatten().collect();
    Err(no_table(address, address.table().unwrap_or(&name.table), &tables))
}

/// Returns an error if nobody can make a table of that name.
pub(super) fn check_schema(session: &mut Session, target: &Address, name: &TableName) -> Result<()> {
    let schema = name.schema.as_ref().map_or("current_schema()".to_owned(), |schema| escape_literal(schema));
    let found = session.rows(&format!(
        "SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = {schema}"
    ))?;
    let named =
        name.schema.as_ref().map_or_else(String::new, |schema| format!(" '{}'", schema.escape_debug()));
    match found.into_iter().flatten().flatten().next().as_deref() {
        Some("t") => Ok(()),
        Some(_) => Err(Error::config(format!(
            "'{}': we have no right to make tables in the schema{named}",
            target.name()
        ))
        .advise("ask its owner for it (GRANT CREATE ON SCHEMA), or name another schema: ?table=SCHEMA.NAME")),
        None => Err(Error::config(format!("'{}': there is no schema{named}", target.name()))
            .advise("make it first (CREATE SCHEMA), or name another one")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_and_quoted() {
        let sql =
            |text: &str| TableName::read(text).map(|name| name.sql()).map_err(|error| error.to_string());
        assert_eq!(sql("visits").unwrap(), "\"visits\"");
        assert_eq!(sql("care.Visits").unwrap(), "\"care\".\"Visits\"");
        assert_eq!(sql("\"a.b\".c").unwrap(), "\"a.b\".\"c\"");
        for wrong in ["", "a.b.c", "a.", "\"a", &"x".repeat(64)] {
            assert!(sql(wrong).is_err(), "{wrong}");
        }
    }
}
