//! A PostgreSQL server for tests and a bench: the machine's own programs, a cluster in a temporary folder, and a Unix socket in it. It ends with the process
//! that runs the tests.

#![allow(dead_code, reason = "the tests and the bench each use their own part of this")]

use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A server that is running.
pub(crate) struct Server {
    /// The folder of the socket.
    pub(crate) socket: PathBuf,
    /// The server ends when the shell's standard input is closed, which the system does at the latest.
    _shell: Child,
}

/// Nobody's number, for a test that is run by root: PostgreSQL does not run as root.
const NOBODY: u32 = 65_534;

/// The server of this process; `None` where PostgreSQL is not installed.
pub(crate) fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(start).as_ref()
}

fn is_installed(program: &str) -> bool {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// A command that does not run as root.
fn unprivileged(program: &str, is_root: bool) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/").stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    if is_root {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn start() -> Option<Server> {
    if !["initdb", "postgres", "psql"].into_iter().all(is_installed) {
        return None;
    }
    let folder = tempfile::Builder::new().prefix("pg").tempdir().expect("a folder").keep();
    let is_root = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(&folder).expect("a folder")) == 0;
    if is_root {
        chown(&folder, Some(NOBODY), Some(NOBODY)).expect("root may give a folder away");
    }
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).expect("rights");
    let data = folder.join("data");
    let mut init = unprivileged("initdb", is_root);
    init.args(["-U", "boss", "-E", "UTF8", "--locale=C", "--no-sync", "-A", "trust", "-D"]).arg(&data);
    assert!(init.status().expect("initdb runs").success(), "initdb failed");
    // The boss may do everything; others prove who they are.
    let ways = "local all boss trust\nlocal all old md5\nlocal all all scram-sha-256\n";
    std::fs::write(data.join("pg_hba.conf"), ways).expect("a file");
    let run = "postgres -D \"$0/data\" -k \"$0\" -c listen_addresses= -c fsync=off -c max_wal_size=4GB & pid=$!; cat; kill -QUIT $pid; wait $pid; rm -rf \"$0\"";
    let mut shell = unprivileged("sh", is_root);
    let child = shell.args(["-c", run]).arg(&folder).stdin(Stdio::piped()).spawn().expect("a shell");
    let server = Server { socket: folder, _shell: child };
    let deadline = Instant::now() + Duration::from_secs(60);
    while !server.psql("postgres").args(["-c", "SELECT 1"]).status().expect("psql runs").success() {
        assert!(Instant::now() < deadline, "the server does not answer");
        std::thread::sleep(Duration::from_millis(50));
    }
    Some(server)
}

impl Server {
    fn psql(&self, database: &str) -> Command {
        let mut command = Command::new("psql");
        command
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "boss", "-d", database, "-h"])
            .arg(&self.socket);
        command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(Stdio::null());
        for name in ["PGHOST", "PGPORT", "PGUSER", "PGSERVICE", "PGPASSWORD", "PGDATABASE", "PGOPTIONS"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs SQL as the boss, and returns what it prints.
    pub(crate) fn sql(&self, database: &str, sql: &str) -> String {
        let output = self
            .psql(database)
            .args(["-c", sql])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .output()
            .expect("psql runs");
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8").trim_end().to_owned()
    }

    /// Makes a database of its own.
    pub(crate) fn database(&self, name: &str) {
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
    }

    /// Fills a table from a file of comma-separated text.
    pub(crate) fn fill(&self, database: &str, table: &str, file: &Path) {
        let copy = format!("\\copy {table} FROM '{}' WITH (FORMAT csv, HEADER true)", file.display());
        assert!(self.psql(database).args(["-c", &copy]).status().expect("psql runs").success(), "{copy}");
    }

    /// Writes what a query returns into a file.
    pub(crate) fn unload(&self, database: &str, query: &str, file: &Path) {
        let copy = format!("\\copy ({query}) TO '{}' WITH (FORMAT csv, HEADER true)", file.display());
        assert!(self.psql(database).args(["-c", &copy]).status().expect("psql runs").success(), "{copy}");
    }

    /// The address of a table.
    pub(crate) fn address(&self, database: &str, asked: &str) -> String {
        format!("postgres:///{database}?host={}&{asked}", self.socket.display())
    }
}
