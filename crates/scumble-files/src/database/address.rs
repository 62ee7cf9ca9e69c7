//! The address of a table in a database, as people write it.
//!
//! ```text
//! postgres://user@host:5432/database?table=schema.name      (also postgresql://; host=/folder for a Unix socket)
//! postgres:///database?query=SELECT …                       (query= comes last and takes everything behind it)
//! sqlite:folder/people.db?table=visits                      (also people.db?table=visits)
//! ```
//! An address never holds a password: plans, logs and process lists show it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::similar::did_you_mean;

/// Where a table is, in which database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    server: Server,
    wanted: Option<Wanted>,
}

/// A database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    /// PostgreSQL, with what the address says of the connection, by the names that its own programs use: `host`, `port`, `user`, `dbname`,
    /// `service`, `passfile`, `sslmode`, `connect_timeout`.
    Postgres(BTreeMap<&'static str, String>),
    /// A file of SQLite.
    Sqlite(PathBuf),
}

/// What is wanted of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// A table or view, perhaps with its schema.
    Table(String),
    /// What a query returns.
    Query(String),
}

/// What an address of PostgreSQL may say behind its `?`, besides `table` and `query`.
const SETTINGS: [&str; 8] =
    ["host", "port", "user", "dbname", "service", "passfile", "sslmode", "connect_timeout"];

/// Endings by which a path with `?table=` is known as a database.
pub(crate) const ENDINGS: [&str; 4] = [".db", ".db3", ".sqlite", ".sqlite3"];

impl Address {
    /// Reads an address. Returns `None` if the text is not one, such as the name of a file.
    pub fn recognise(text: &str) -> Option<Result<Self>> {
        if let Some(rest) = after_scheme(text) {
            return Some(postgres(rest));
        }
        if let Some(rest) = text.strip_prefix("sqlite:") {
            let rest = rest.strip_prefix("//").unwrap_or(rest);
            return Some(match split_wanted(rest) {
                ("", _) => Err(Error::config("the address of an SQLite database names no file")
                    .advise("write it as sqlite:people.db?table=visits")),
                (path, asked) => sqlite(path, asked.unwrap_or("")),
            });
        }
        let (path, asked) = split_wanted(text);
        let lower = path.to_ascii_lowercase();
        let asked = asked.filter(|_| ENDINGS.iter().any(|ending| lower.ends_with(ending)));
        asked.map(|asked| sqlite(path, asked))
    }

    /// An SQLite file of which nobody has said what is wanted.
    #[must_use]
    pub fn of_sqlite_file(path: &Path) -> Self {
        Self { server: Server::Sqlite(path.to_owned()), wanted: None }
    }

    /// The database.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// What is wanted of it.
    #[must_use]
    pub fn wanted(&self) -> Option<&Wanted> {
        self.wanted.as_ref()
    }

    /// The table that is wanted, as the address names it.
    #[must_use]
    pub fn table(&self) -> Option<&str> {
        match &self.wanted {
            Some(Wanted::Table(name)) => Some(name),
            _ => None,
        }
    }

    /// The file of the database, if it is one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match &self.server {
            Server::Sqlite(path) => Some(path),
            Server::Postgres(_) => None,
        }
    }

    /// The same address, with the file of a database seen from a folder.
    #[must_use]
    pub fn seen_from(mut self, folder: &Path) -> Self {
        if let Server::Sqlite(path) = &mut self.server {
            *path = folder.join(&path);
        }
        self
    }

    /// The address in full.
    #[must_use]
    pub fn text(&self) -> String {
        self.written(true)
    }

    /// The name in messages. It leaves a query out, since a query may hold values.
    #[must_use]
    pub fn name(&self) -> String {
        self.written(false)
    }

    /// A short name of the table for files and headings: `visits` for `clinic.visits`, `query` for a query.
    #[must_use]
    pub fn stem(&self) -> String {
        let table = self.table().map(|table| {
            let last = table.rsplit('.').next().unwrap_or(table);
            last.chars().map(|c| if c.is_alphanumeric() || "-_ ".contains(c) { c } else { '_' }).collect()
        });
        let of_file = || self.file()?.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let named = match self.wanted {
            Some(Wanted::Query(_)) => Some("query".to_owned()),
            Some(Wanted::Table(_)) => table,
            None => of_file(),
        };
        named.filter(|name: &String| !name.is_empty()).unwrap_or_else(|| "table".to_owned())
    }

    /// A path beside which the documents of a release in this table stand: that of the database's file with the name of the table behind it;
    /// without a file, the name of the table in a folder.
    #[must_use]
    pub fn documents(&self, folder: &Path) -> PathBuf {
        match self.file() {
            Some(file) => {
                let name =
                    file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                file.with_file_name(format!("{name}.{}", self.stem()))
            }
            None => folder.join(self.stem()),
        }
    }

    fn written(&self, in_full: bool) -> String {
        let mut text = match &self.server {
            Server::Sqlite(path) => format!("sqlite:{}", path.display()),
            Server::Postgres(settings) => {
                let get = |key: &str| settings.get(key).map(|value| encoded(value));
                let mut text = "postgres://".to_owned();
                if let Some(user) = get("user") {
                    let _ = write!(text, "{user}@");
                }
                text += &get("host").unwrap_or_default();
                if let Some(port) = get("port") {
                    let _ = write!(text, ":{port}");
                }
                let _ = write!(text, "/{}", get("dbname").unwrap_or_default());
                text
            }
        };
        let mut before = '?';
        let mut add = |part: String| {
            text.push(std::mem::replace(&mut before, '&'));
            text += &part;
        };
        if let Server::Postgres(settings) = &self.server {
            let others = ["service", "passfile", "sslmode", "connect_timeout"];
            for key in others.into_iter().filter(|_| in_full) {
                if let Some(value) = settings.get(key) {
                    add(format!("{key}={}", encoded(value)));
                }
            }
        }
        match &self.wanted {
            Some(Wanted::Table(table)) => add(format!("table={}", encoded(table))),
            Some(Wanted::Query(query)) if in_full => add(format!("query={}", query.replace('%', "%25"))),
            Some(Wanted::Query(_)) => add("query=…".to_owned()),
            None => {}
        }
        text
    }
}

/// Where a table is that a plan names: an address, or a file beside the plan.
#[must_use]
pub fn located(folder: &Path, name: &str) -> PathBuf {
    match Address::recognise(name) {
        Some(Ok(address)) => PathBuf::from(address.seen_from(folder).text()),
        // Whoever opens it reports what is wrong with it.
        Some(Err(_)) => PathBuf::from(name),
        None => folder.join(name),
    }
}

/// An absolute path, seen from where the program runs. The address of a database stays one.
pub fn from_here(path: &Path) -> std::io::Result<PathBuf> {
    match path.to_str().and_then(Address::recognise) {
        Some(Ok(address)) => {
            let folder = if address.file().is_some() { std::env::current_dir()? } else { PathBuf::new() };
            Ok(PathBuf::from(address.seen_from(&folder).text()))
        }
        Some(Err(_)) => Ok(path.to_owned()),
        None => std::path::absolute(path),
    }
}

/// Whether a text holds an address of a database with a password.
#[must_use]
pub fn has_password(text: &str) -> bool {
    let lines = || text.split(['"', '\'', '\n']);
    // Other programs and libraries write addresses in other ways, and those may come here by mistake.
    let in_address =
        |line: &str| line.match_indices("://").any(|(at, _)| shows_password(&line[at + "://".len()..]));
    let in_settings = |line: &str| {
        let named = |name: &str| line.split_whitespace().any(|part| part.starts_with(name));
        named("password=") && (named("host=") || named("dbname=") || named("user="))
    };
    lines().any(in_address) || text.lines().any(in_settings)
}

/// The error of an address with a password. It does not show the address.
#[must_use]
pub fn password_refused() -> Error {
    Error::config(
        "the address of a database holds a password, and plans, logs and the list of processes show addresses",
    )
    .advise("leave the password out of the address, and put it into ~/.pgpass, a service file (PGSERVICE) or the environment (PGPASSWORD)")
}

/// What follows `postgres://`.
fn after_scheme(text: &str) -> Option<&str> {
    let at = text.find("://")?;
    let is_one = ["postgres", "postgresql"].iter().any(|scheme| text[..at].eq_ignore_ascii_case(scheme));
    is_one.then(|| &text[at + 3..])
}

/// Whether what follows `postgres://` has a password in it.
fn shows_password(rest: &str) -> bool {
    // A password may hold a question mark, so what is asked for begins with the first setting that names a table or a query.
    let begins = ["?table=", "&table=", "?query=", "&query="].iter().filter_map(|part| rest.find(part)).min();
    let in_place = rest[..begins.unwrap_or(rest.len())]
        .rsplit_once('@')
        .is_some_and(|(user, _)| user.split(['/', '?', '&']).next().is_some_and(|user| user.contains(':')));
    let (_, asked) = rest.split_once('?').unwrap_or((rest, ""));
    // A query may compare anything with anything; it takes all that stands behind it.
    let settings = asked.split('&').take_while(|part| !part.starts_with("query="));
    let named = |part: &str| {
        matches!(decoded(part.split('=').next().unwrap_or("")).as_str(), "password" | "sslpassword")
    };
    in_place || settings.into_iter().any(named)
}

fn postgres(rest: &str) -> Result<Address> {
    if shows_password(rest) {
        return Err(password_refused());
    }
    let (place, asked) = rest.split_once('?').unwrap_or((rest, ""));
    let mut settings = BTreeMap::new();
    let (place, database) = place.split_once('/').unwrap_or((place, ""));
    let (user, place) = place.rsplit_once('@').map_or(("", place), |(user, place)| (user, place));
    let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, behind)) => (host, behind.strip_prefix(':').unwrap_or("")),
        None => place.split_once(':').unwrap_or((place, "")),
    };
    for (key, value) in [("user", user), ("host", host), ("port", port), ("dbname", database)] {
        if !value.is_empty() {
            settings.insert(key, decoded(value));
        }
    }
    let wanted = read_asked(asked, |key, value| {
        let Some(known) = SETTINGS.into_iter().find(|known| *known == key) else {
            return Err(unknown(key, &[&SETTINGS[..], &["table", "query"]].concat()));
        };
        settings.insert(known, value);
        Ok(())
    })?;
    if settings.get("host").is_some_and(|host| host.contains(',')) {
        return Err(Error::config("the address of a database names several hosts").advise("name one of them"));
    }
    Ok(Address { server: Server::Postgres(settings), wanted })
}

fn sqlite(path: &str, asked: &str) -> Result<Address> {
    let wanted = read_asked(asked, |key, _| Err(unknown(key, &["table", "query"])))?;
    Ok(Address { server: Server::Sqlite(PathBuf::from(path)), wanted })
}

/// Divides an address of SQLite at its `?`. A file may have a question mark in its name.
fn split_wanted(text: &str) -> (&str, Option<&str>) {
    let at = ["?table=", "?query="].iter().filter_map(|start| text.find(start)).min();
    match at.or_else(|| misspelt(text)) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// Where something else is asked of a file that looks like a database: `people.db?tabel=visits`.
fn misspelt(text: &str) -> Option<usize> {
    let (path, asked) = text.split_once('?')?;
    let (key, _) = asked.split_once('=')?;
    let lower = path.to_ascii_lowercase();
    let is_one = ENDINGS.iter().any(|ending| lower.ends_with(ending));
    (is_one && !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some(path.len())
}

/// Reads what stands behind the `?`: settings, and the table or the query.
fn read_asked(asked: &str, mut setting: impl FnMut(&str, String) -> Result<()>) -> Result<Option<Wanted>> {
    let mut wanted = None;
    let mut rest = asked;
    while !rest.is_empty() {
        let found = match rest.strip_prefix("query=") {
            Some(query) => {
                rest = "";
                Wanted::Query(decoded(query))
            }
            None => {
                let (part, behind) = rest.split_once('&').unwrap_or((rest, ""));
                rest = behind;
                let (key, value) = part.split_once('=').unwrap_or((part, ""));
                match decoded(key).as_str() {
                    "table" => Wanted::Table(decoded(value)),
                    key => {
                        setting(key, decoded(value))?;
                        continue;
                    }
                }
            }
        };
        let is_empty = match &found {
            Wanted::Table(text) | Wanted::Query(text) => text.trim().is_empty(),
        };
        if is_empty {
            return Err(Error::config(
                "the address of a database ends where the table or the query should stand",
            )
            .advise("write ?table=NAME or ?query=SELECT …"));
        }
        if wanted.replace(found).is_some() {
            return Err(Error::config("the address of a database names more than one table or query")
                .advise("name one"));
        }
    }
    Ok(wanted)
}

fn unknown(key: &str, known: &[&'static str]) -> Error {
    let near = did_you_mean(key, known.iter().copied());
    Error::config(format!("the address of a database has no setting '{}'{near}", key.escape_debug()))
        .advise(format!("known are {}", known.join(", ")))
}

/// Undoes percent-encoding. A percent sign that begins no code stays.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let code = behind.get(..2).filter(|_| first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit())) {
            Some(code) => {
                bytes.push(u8::from_str_radix(code, 16).unwrap_or(first));
                rest = &behind[2..];
            }
            None => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Encodes what would end or divide an address.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for c in text.chars() {
        match c {
            '%' | '?' | '&' | '#' | '/' | '@' | ':' | '[' | ']' => {
                let _ = write!(encoded, "%{:02X}", u32::from(c));
            }
            c => encoded.push(c),
        }
    }
    encoded
}

#[cfg(test)]
mod tests;
