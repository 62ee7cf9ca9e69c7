//! Where a server is and who we are there: from the address, a service file, the environment, and what PostgreSQL's own programs assume, in
//! this order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use scumble_files::Error;

use super::passwords;
use crate::Result;

/// How to connect.
pub(crate) struct Settings {
    pub(super) place: Place,
    pub(super) port: u16,
    pub(super) user: String,
    pub(super) database: String,
    pub(super) patience: Duration,
    /// Never shown.
    pub(super) password: Option<String>,
}

/// Where the server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// A folder with its socket.
    Socket(PathBuf),
    /// A host of the network.
    Host(String),
}

/// The folders that hold the socket of a server on this machine.
const SOCKETS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// What the environment says.
pub(super) type Environment<'e> = &'e dyn Fn(&str) -> Option<String>;

impl Settings {
    /// The settings for an address.
    pub(super) fn of(address: &BTreeMap<&'static str, String>, environment: Environment<'_>) -> Result<Self> {
        let service = match address.get("service").cloned().or_else(|| environment("PGSERVICE")) {
            Some(name) => service(&name, environment)?,
            None => BTreeMap::new(),
        };
        let get = |key: &str, variable: &str| {
            address.get(key).or_else(|| service.get(key)).cloned().or_else(|| environment(variable))
        };
        let port = get("port", "PGPORT").unwrap_or_else(|| "5432".to_owned());
        let port: u16 = port
            .trim()
            .parse()
            .map_err(|_| Error::config("the port of the database is no number from 1 to 65535"))?;
        let place = match get("host", "PGHOST").filter(|host| !host.is_empty()) {
            Some(folder) if folder.starts_with('/') => Place::Socket(folder.into()),
            Some(host) => Place::Host(host),
            None => {
                let has_socket = |folder: &&str| Path::new(folder).join(format!(".s.PGSQL.{port}")).exists();
                Place::Socket(SOCKETS.iter().find(|folder| has_socket(folder)).unwrap_or(&SOCKETS[0]).into())
            }
        };
        let user = get("user", "PGUSER").or_else(|| environment("USER")).or_else(|| environment("LOGNAME"));
        let user = user.ok_or_else(|| {
            Error::config("nothing says which user of the database to be")
                .advise("set PGUSER, or write postgres://USER@HOST/…")
        })?;
        let database = get("dbname", "PGDATABASE").unwrap_or_else(|| user.clone());
        let patience = get("connect_timeout", "PGCONNECT_TIMEOUT")
            .and_then(|text| text.trim().parse().ok())
            .unwrap_or(10);
        check_encryption(&place, get("sslmode", "PGSSLMODE").as_deref())?;
        let given = service.get("password").cloned().or_else(|| environment("PGPASSWORD"));
        let file = get("passfile", "PGPASSFILE").map(PathBuf::from);
        let file = file.or_else(|| Some(Path::new(&environment("HOME")?).join(".pgpass")));
        let patience = Duration::from_secs(if patience == 0 { 3_600 } else { patience });
        let mut settings = Self { place, port, user, database, patience, password: given };
        if let (None, Some(file)) = (&settings.password, file) {
            settings.password = passwords::find(&file, &settings)?;
        }
        Ok(settings)
    }
}

/// A connection that leaves the machine would carry people's data in the clear.
fn check_encryption(place: &Place, mode: Option<&str>) -> Result<()> {
    let near = match place {
        Place::Socket(_) => true,
        Place::Host(host) => {
            host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
    };
    match mode {
        Some("require" | "verify-ca" | "verify-full") => Err(Error::config(
            "the connection is to be encrypted (sslmode), and Scumble encrypts no connections",
        )
        .advise("connect through a tunnel (ssh -L), and leave sslmode out")),
        Some("disable") => Ok(()),
        _ if near => Ok(()),
        _ => Err(Error::config(
            "the database is on another machine, Scumble encrypts no connections, and the table would cross the network readable for others",
        )
        .advise("connect through a tunnel (ssh -L 5433:localhost:5432 HOST, then postgres://localhost:5433/…)")
        .advise("add sslmode=disable to the address, if nobody can listen")),
    }
}

/// What a service file says of a service.
fn service(name: &str, environment: Environment<'_>) -> Result<BTreeMap<String, String>> {
    let own = environment("PGSERVICEFILE").map(PathBuf::from);
    let own = own.or_else(|| Some(Path::new(&environment("HOME")?).join(".pg_service.conf")));
    let shared = environment("PGSYSCONFDIR").map(|folder| Path::new(&folder).join("pg_service.conf"));
    let files = own.into_iter().chain(shared);
    let mut texts = files.filter_map(|file| std::fs::read_to_string(file).ok());
    let found = texts.find_map(|text| section(&text, name));
    found.ok_or_else(|| {
        Error::config(format!("no service file has a service '{}'", name.escape_debug()))
            .advise("write it into ~/.pg_service.conf, or name the file with PGSERVICEFILE")
    })
}

/// A section of a service file: `[name]`, then `key=value` lines.
fn section(text: &str, name: &str) -> Option<BTreeMap<String, String>> {
    let head = format!("[{name}]");
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| *line == head)?;
    let lines = lines.take_while(|line| !line.starts_with('['));
    let pairs = lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('='));
    Some(pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(address: &[(&'static str, &str)], environment: &[(&str, &str)]) -> Result<Settings> {
        let address = address.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
        let environment = |name: &str| {
            environment.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        Settings::of(&address, &environment)
    }

    #[test]
    fn the_address_comes_before_the_service_and_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("services");
        std::fs::write(&file, "# mine\n[other]\nhost=h\n[clinic]\nhost=/sockets\nport = 5433\nuser=ann\npassword=pw\n[next]\nuser=x\n").unwrap();
        let environment = [
            ("PGSERVICEFILE", file.to_str().unwrap()),
            ("PGSERVICE", "clinic"),
            ("PGUSER", "bob"),
            ("PGDATABASE", "records"),
            ("PGPASSWORD", "other"),
        ];
        let found = of(&[("port", "6000")], &environment).unwrap();
        assert_eq!((found.place, found.port), (Place::Socket("/sockets".into()), 6000));
        assert_eq!((found.user.as_str(), found.database.as_str()), ("ann", "records"));
        assert_eq!(found.password.as_deref(), Some("pw"));
        let error = of(&[("service", "clinc")], &environment).err().unwrap().to_string();
        assert!(error.contains("no service 'clinc'") || error.contains("has a service 'clinc'"), "{error}");
    }

    #[test]
    fn what_nobody_says_is_assumed() {
        let found = of(&[], &[("USER", "ann")]).unwrap();
        assert_eq!((found.port, found.user.as_str(), found.database.as_str()), (5432, "ann", "ann"));
        assert!(of(&[], &[]).is_err());
        assert!(of(&[("port", "x")], &[("USER", "a")]).is_err());
    }

    #[test]
    fn a_connection_in_the_clear_stays_on_the_machine() {
        let ann = [("PGUSER", "ann")];
        for host in ["localhost", "127.0.0.1", "::1", "/tmp"] {
            assert!(of(&[("host", host)], &ann).is_ok(), "{host}");
        }
        let error = of(&[("host", "db.example")], &ann).err().unwrap().to_string();
        assert!(error.contains("on another machine") && error.contains("ssh -L"), "{error}");
        assert!(of(&[("host", "db.example"), ("sslmode", "disable")], &ann).is_ok());
        let error = of(&[("host", "localhost"), ("sslmode", "verify-full")], &ann).err().unwrap().to_string();
        assert!(error.contains("encrypts no connections"), "{error}");
    }
}
