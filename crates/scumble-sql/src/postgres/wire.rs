//! Messages to and from a server, one after the other.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use bytes::BytesMut;
use postgres_protocol::message::backend::Message;
use scumble_files::{Control, Error};

use super::errors::{Answer, closed};
use super::settings::{Place, Settings};
use crate::Result;

/// A connection to a server.
pub(super) struct Wire {
    stream: Stream,
    incoming: BytesMut,
    block: Vec<u8>,
    /// What is to be sent next.
    pub(super) outgoing: BytesMut,
    /// The name of the table or database in messages.
    pub(super) name: String,
    control: Control,
}

enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

/// The time after which a wait asks whether it is to go on.
const LOOK: Duration = Duration::from_millis(100);

/// The bytes that are read at a time.
const BLOCK: usize = 256 << 10;

/// The longest message. A row of a table about people is never that long, and a server that is none may say anything.
const LONGEST: u32 = 256 << 20;

impl Wire {
    pub(super) fn open(settings: &Settings, name: &str, control: &Control) -> Result<Self> {
        let refused = |where_: String, source: io::Error| {
            Error::io(format!("'{name}': no database answers at {where_}"), source)
                .advise("see whether the database is running, and check host and port")
        };
        let stream = match &settings.place {
            Place::Socket(folder) => {
                let socket = folder.join(format!(".s.PGSQL.{}", settings.port));
                let stream = UnixStream::connect(&socket)
                    .map_err(|error| refused(format!("the socket {}", socket.display()), error))?;
                stream.set_read_timeout(Some(LOOK)).map(|()| Stream::Unix(stream))
            }
            Place::Host(host) => {
                let stream = connect(host, settings.port, settings.patience)
                    .map_err(|error| refused(format!("{host}, port {}", settings.port), error))?;
                // Small messages are answered before the next one is sent.
                stream
                    .set_nodelay(true)
                    .and_then(|()| stream.set_read_timeout(Some(LOOK)))
                    .map(|()| Stream::Tcp(stream))
            }
        };
        Ok(Self {
            stream: stream.map_err(|error| closed(name, error))?,
            incoming: BytesMut::new(),
            block: vec![0; BLOCK],
            outgoing: BytesMut::new(),
            name: name.to_owned(),
            control: control.clone(),
        })
    }

    /// Whether others could listen.
    pub(super) fn is_on_network(&self) -> bool {
        match &self.stream {
            Stream::Unix(_) => false,
            Stream::Tcp(stream) => !stream.peer_addr().is_ok_and(|peer| peer.ip().is_loopback()),
        }
    }

    /// Sends what was put into `outgoing`.
    pub(super) fn send(&mut self) -> Result<()> {
        let sent = match &mut self.stream {
            Stream::Unix(stream) => stream.write_all(&self.outgoing),
            Stream::Tcp(stream) => stream.write_all(&self.outgoing),
        };
        self.outgoing.clear();
        // Where the server has closed the connection, it may have said why.
        sent.map_err(|error| match self.receive() {
            Err(answer) => answer,
            Ok(_) => closed(&self.name, error),
        })
    }

    /// Waits for the next message. What a server says by the way is passed over, and its errors are errors.
    pub(super) fn receive(&mut self) -> Result<Message> {
        loop {
            if self.incoming.get(1..5).is_some_and(|length| length > &LONGEST.to_be_bytes()[..]) {
                return Err(closed(&self.name, io::Error::other("a message is longer than any row")));
            }
            match Message::parse(&mut self.incoming).map_err(|error| closed(&self.name, error))? {
                Some(
                    Message::NoticeResponse(_)
                    | Message::ParameterStatus(_)
                    | Message::NotificationResponse(_),
                ) => {}
                Some(Message::ErrorResponse(body)) => return Err(Answer::of(&body).error(&self.name)),
                Some(message) => return Ok(message),
                None => self.read()?,
            }
        }
    }

    fn read(&mut self) -> Result<()> {
        loop {
            let read = match &mut self.stream {
                Stream::Unix(stream) => stream.read(&mut self.block),
                Stream::Tcp(stream) => stream.read(&mut self.block),
            };
            match read {
                Ok(0) => return Err(closed(&self.name, io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => {
                    self.incoming.extend_from_slice(&self.block[..count]);
                    return Ok(());
                }
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    self.control.check()?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(closed(&self.name, error)),
            }
        }
    }

    /// The error of a server that answers something else than it must.
    pub(super) fn unexpected(&self) -> Error {
        closed(&self.name, io::Error::other("the answer is not one of PostgreSQL"))
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        // A server ends what is not committed when the connection ends; saying so spares its log a line.
        self.outgoing.clear();
        postgres_protocol::message::frontend::terminate(&mut self.outgoing);
        let _ = match &mut self.stream {
            Stream::Unix(stream) => {
                stream.set_write_timeout(Some(LOOK)).and_then(|()| stream.write_all(&self.outgoing))
            }
            Stream::Tcp(stream) => {
                stream.set_write_timeout(Some(LOOK)).and_then(|()| stream.write_all(&self.outgoing))
            }
        };
    }
}

/// Connects to the first address of a host that answers.
fn connect(host: &str, port: u16, patience: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, patience) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}
