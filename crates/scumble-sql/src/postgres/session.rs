//! A session with a server: getting in, and asking.

use std::io::{Read, Write};

use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::{md5_hash, sasl};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;
use scumble_files::database::{Address, Server, unwritten};
use scumble_files::{Control, Error};

use super::settings::Settings;
use super::wire::Wire;
use crate::Result;

/// A server that has let us in.
pub(super) struct Session {
    pub(super) wire: Wire,
}

/// A column of a result, with the number of its type.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: u32,
}

/// How values are written, whatever the server is set to: dates and times as ISO 8601 has them, times in UTC, numbers in full. Rows come in the
/// order in which they are stored, so that a table that nobody has changed is read in the same way twice. Where row-level security
/// would hide rows, the server refuses, since part of a table would be released as if it were all of it.
const SETTINGS: &str = "SET client_encoding = 'UTF8'; SET DateStyle = 'ISO, YMD'; SET TimeZone = 'UTC'; \
    SET IntervalStyle = 'iso_8601'; SET bytea_output = 'hex'; SET extra_float_digits = 3; \
    SET row_security = off; SET synchronize_seqscans = off; SET max_parallel_workers_per_gather = 0; \
    SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0";

/// The bytes of a table that are sent at a time.
const PART: usize = 256 << 10;

impl Session {
    /// Connects to the server of an address.
    pub(super) fn open(address: &Address, control: &Control) -> Result<Self> {
        let Server::Postgres(given) = address.server() else {
            return Err(Error::internal("this is no address of PostgreSQL"));
        };
        let settings = Settings::of(given, &|name| std::env::var(name).ok())?;
        let mut session = Self { wire: Wire::open(&settings, &address.name(), control)? };
        session.enter(&settings)?;
        session.run(SETTINGS)?;
        Ok(session)
    }

    fn enter(&mut self, settings: &Settings) -> Result<()> {
        let parameters = [
            ("user", &*settings.user),
            ("database", &*settings.database),
            ("application_name", "scumble"),
            ("client_encoding", "UTF8"),
        ];
        frontend::startup_message(parameters, &mut self.wire.outgoing).map_err(Error::internal)?;
        self.wire.send()?;
        let no_password = || {
            Error::config("the database asks for a password, and there is none")
                .advise("put it into ~/.pgpass, a service file (PGSERVICE) or the environment (PGPASSWORD)")
        };
        let password = || settings.password.as_deref().ok_or_else(no_password);
        loop {
            let answer = match self.wire.receive()? {
                Message::AuthenticationOk | Message::BackendKeyData(_) => continue,
                Message::ReadyForQuery(_) => return Ok(()),
                Message::AuthenticationCleartextPassword if self.wire.is_on_network() => {
                    return Err(Error::config(
                        "the database asks for a password in the clear, and others could listen",
                    )
                    .advise(
                        "connect through a tunnel (ssh -L), or have the password stored as scram-sha-256",
                    ));
                }
                Message::AuthenticationCleartextPassword => password()?.as_bytes().to_vec(),
                Message::AuthenticationMd5Password(body) => {
                    md5_hash(settings.user.as_bytes(), password()?.as_bytes(), body.salt()).into_bytes()
                }
                Message::AuthenticationSasl(body) => {
                    let mut offered = body.mechanisms();
                    let mut known = false;
                    while let Some(mechanism) = offered.next().map_err(|_| self.wire.unexpected())? {
                        known |= mechanism == sasl::SCRAM_SHA_256;
                    }
                    if !known {
                        return Err(other_authentication());
                    }
                    self.scram(password()?)?;
                    continue;
                }
                Message::AuthenticationGss
                | Message::AuthenticationSspi
                | Message::AuthenticationKerberosV5
                | Message::AuthenticationScmCredential => return Err(other_authentication()),
                _ => return Err(self.wire.unexpected()),
            };
            frontend::password_message(&answer, &mut self.wire.outgoing).map_err(Error::internal)?;
            self.wire.send()?;
        }
    }

    /// Proves to the server that we know a password, and has it prove the same.
    fn scram(&mut self, password: &str) -> Result<()> {
        let mut scram = sasl::ScramSha256::new(password.as_bytes(), sasl::ChannelBinding::unsupported());
        frontend::sasl_initial_response(sasl::SCRAM_SHA_256, scram.message(), &mut self.wire.outgoing)
            .map_err(Error::internal)?;
        self.wire.send()?;
        let Message::AuthenticationSaslContinue(body) = self.wire.receive()? else {
            return Err(self.wire.unexpected());
        };
        scram.update(body.data()).map_err(|_| self.wire.unexpected())?;
        frontend::sasl_response(scram.message(), &mut self.wire.outgoing).map_err(Error::internal)?;
        self.wire.send()?;
        let Message::AuthenticationSaslFinal(body) = self.wire.receive()? else {
            return Err(self.wire.unexpected());
        };
        scram.finish(body.data()).map_err(|_| self.wire.unexpected())
    }

    /// Runs statements that return nothing. Returns what the server says about the last one.
    pub(super) fn run(&mut self, sql: &str) -> Result<String> {
        self.ask(sql).map(|(_, tag)| tag)
    }

    /// Runs a query, and returns the texts of its rows.
    pub(super) fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>> {
        self.ask(sql).map(|(rows, _)| rows)
    }

    fn ask(&mut self, sql: &str) -> Result<(Vec<Vec<Option<String>>>, String)> {
        frontend::query(sql, &mut self.wire.outgoing).map_err(Error::config)?;
        self.wire.send()?;
        let (mut rows, mut tag) = (Vec::new(), String::new());
        loop {
            match self.wire.receive()? {
                Message::DataRow(body) => {
                    let text = |range: Option<std::ops::Range<usize>>| {
                        Ok(range.map(|range| String::from_utf8_lossy(&body.buffer()[range]).into_owned()))
                    };
                    rows.push(body.ranges().map(text).collect().map_err(|_| self.wire.unexpected())?);
                }
                Message::CommandComplete(body) => body.tag().unwrap_or_default().clone_into(&mut tag),
                Message::ReadyForQuery(_) => return Ok((rows, tag)),
                Message::RowDescription(_) | Message::EmptyQueryResponse => {}
                _ => return Err(self.wire.unexpected()),
            }
        }
    }

    /// The columns that one statement returns; none if it returns no rows. It is not run.
    pub(super) fn columns_of(&mut self, sql: &str) -> Result<Vec<Column>> {
        let out = &mut self.wire.outgoing;
        frontend::parse("", sql, [], out).map_err(Error::config)?;
        frontend::describe(b'S', "", out).map_err(Error::internal)?;
        frontend::sync(out);
        self.wire.send()?;
        let mut columns = Vec::new();
        loop {
            match self.wire.receive()? {
                Message::RowDescription(body) => {
                    let of = |field: postgres_protocol::message::backend::Field<'_>| {
                        Ok(Column { name: field.name().to_owned(), kind: field.type_oid() })
                    };
                    columns = body.fields().map(of).collect().map_err(|_| self.wire.unexpected())?;
                }
                Message::ReadyForQuery(_) => return Ok(columns),
                Message::ParseComplete | Message::ParameterDescription(_) | Message::NoData => {}
                _ => return Err(self.wire.unexpected()),
            }
        }
    }

    /// Runs one `COPY … TO STDOUT`, and hands on what comes.
    pub(super) fn copy_out(&mut self, sql: &str, out: &mut dyn Write) -> Result<()> {
        let to = &mut self.wire.outgoing;
        // Parsed by itself, a text is one statement or an error.
        frontend::parse("", sql, [], to).map_err(Error::config)?;
        let none = std::iter::empty::<i16>;
        let bound = frontend::bind(
            "",
            "",
            none(),
            std::iter::empty::<()>(),
            |(), _| Ok(postgres_protocol::IsNull::Yes),
            none(),
            to,
        );
        bound.map_err(|_| Error::internal("a statement without parameters cannot be bound"))?;
        frontend::execute("", 0, to).map_err(Error::internal)?;
        frontend::sync(to);
        self.wire.send()?;
        loop {
            match self.wire.receive()? {
                Message::CopyData(body) => out.write_all(body.data()).map_err(unwritten)?,
                Message::ReadyForQuery(_) => return Ok(()),
                Message::ParseComplete
                | Message::BindComplete
                | Message::CopyOutResponse(_)
                | Message::CopyDone
                | Message::CommandComplete(_) => {}
                _ => return Err(self.wire.unexpected()),
            }
        }
    }

    /// Runs one `COPY … FROM STDIN` with what a reader holds.
    pub(super) fn copy_in(&mut self, sql: &str, from: &mut dyn Read, control: &Control) -> Result<()> {
        frontend::query(sql, &mut self.wire.outgoing).map_err(Error::config)?;
        self.wire.send()?;
        let Message::CopyInResponse(_) = self.wire.receive()? else { return Err(self.wire.unexpected()) };
        let mut part = vec![0; PART];
        loop {
            control.check()?;
            let count = match from.read(&mut part) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Error::io("cannot read a temporary file", error)),
            };
            let data = frontend::CopyData::new(&part[..count]).map_err(Error::internal)?;
            data.write(&mut self.wire.outgoing);
            self.wire.send()?;
        }
        frontend::copy_done(&mut self.wire.outgoing);
        self.wire.send()?;
        loop {
            match self.wire.receive()? {
                Message::ReadyForQuery(_) => return Ok(()),
                Message::CommandComplete(_) => {}
                _ => return Err(self.wire.unexpected()),
            }
        }
    }
}

fn other_authentication() -> Error {
    Error::config("the database asks for a way to log in that Scumble does not have (Kerberos, GSSAPI, SSPI)")
        .advise("have the user log in with a password (scram-sha-256), or through a Unix socket as its owner (peer)")
}
