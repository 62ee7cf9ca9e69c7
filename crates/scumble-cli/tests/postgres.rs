//! Tables in and out of PostgreSQL, from end to end, with a server that is started for these tests. Where PostgreSQL is not installed, they are
//! skipped by name.

mod common;
mod server;

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::Duration;

use common::{Desk, ROLES, Run, arguments, scumble, skip};
use server::{Server, server};

/// A desk with people in `people.csv`, and in the table `people` of a database.
struct Ward {
    desk: Desk,
    server: &'static Server,
    database: &'static str,
}

fn ward(database: &'static str) -> Option<Ward> {
    let Some(server) = server() else {
        skip(database, "PostgreSQL is not installed");
        return None;
    };
    let desk = Desk::with_people();
    server.database(database);
    server.sql(database, "CREATE TABLE people (name text, age int, sex varchar(9), postcode char(5), diagnosis text, readmitted text)");
    server.fill(database, "people", &desk.path("people.csv"));
    Some(Ward { desk, server, database })
}

impl Ward {
    fn table(&self, name: &str) -> String {
        self.server.address(self.database, &format!("table={name}"))
    }

    fn query(&self, query: &str) -> String {
        self.server.address(self.database, &format!("query={query}"))
    }

    fn sql(&self, sql: &str) -> String {
        self.server.sql(self.database, sql)
    }

    /// A command of the boss.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = scumble(self.desk.root());
        command.args(arguments).env("PGUSER", "boss").env("HOME", self.desk.root());
        for name in
            ["PGHOST", "PGPORT", "PGSERVICE", "PGSERVICEFILE", "PGPASSWORD", "PGPASSFILE", "PGDATABASE"]
        {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        Run::of(&mut self.command(arguments))
    }

    fn release(&self, from: &str, to: &str, more: &[&str]) -> Run {
        self.run(&arguments(&[&["anonymize", from, "-o", to], ROLES, more]))
    }

    /// Whether a table is there.
    fn has(&self, table: &str) -> bool {
        self.sql(&format!("SELECT to_regclass('{table}') IS NOT NULL")) == "t"
    }
}

#[test]
fn a_table_gives_the_release_of_the_same_csv() {
    let Some(ward) = ward("same") else { return };
    ward.desk.release("plain.csv", &[]);
    let ways = [
        ward.table("people"),
        ward.table("public.PEOPLE"),
        ward.table("people").replace("postgres://", "postgresql://"),
        ward.query("SELECT * FROM people ORDER BY age DESC; "),
        ward.query("SELECT * FROM people -- all of them"),
    ];
    for (number, way) in ways.iter().enumerate() {
        let out = format!("out{number}.csv");
        ward.release(way, &out, &[]).succeeds();
        assert_eq!(ward.desk.text(&out), ward.desk.text("plain.csv"), "{way}");
    }
    ward.run(&["init", &ward.table("people")]).succeeds();
    assert!(ward.desk.text("release.toml").contains("output = \"people.release.csv\""));
    let original = ward.table("people");
    ward.run(&arguments(&[&["check", "plain.csv", "--original", &original], ROLES])).succeeds();
    ward.run(&["risk", &original, "--quasi", "age,sex,postcode"]).succeeds();
}

#[test]
fn values_are_read_as_they_are_in_other_tables() {
    let Some(ward) = ward("kinds") else { return };
    ward.sql(
        "CREATE TABLE kinds AS SELECT n % 2 AS q, n = 3 AS truth, 2.50::numeric AS price, 0.1::float8 AS half, DATE '2024-01-31' AS day, \
         TIMESTAMP '2024-01-31 10:30:00.5' AS moment, TIMESTAMPTZ '2024-01-31 10:30:00+02' AS zoned, TIME '08:00' AS clock, \
         CASE WHEN n = 1 THEN NULL WHEN n = 2 THEN '' ELSE 'a,\"b\"' END AS word, 'x'::char(4) AS fixed FROM generate_series(1, 6) AS n",
    );
    let out = ["--quasi", "q", "--other", "word", "--rest", "other", "--k", "3", "--missing-counts", "word"];
    ward.run(&arguments(&[&["anonymize", &ward.table("kinds"), "-o", "kinds.csv"], &out])).succeeds();
    let text = ward.desk.text("kinds.csv");
    let row = "false,2.50,0.1,2024-01-31,2024-01-31T10:30:00.5,2024-01-31T08:30:00Z,08:00:00,";
    assert!(text.contains(&format!("1,{row},x\n")), "{text}");
    assert!(text.contains(&format!("{row}\"a,\"\"b\"\"\",x\n")), "{text}");
    assert!(text.contains("1,true,2.50"), "{text}");
    // And back again, with types.
    ward.run(&arguments(&[&["anonymize", "kinds.csv", "-o", &ward.table("back")], &out])).succeeds();
    let types = ward.sql(
        "SELECT string_agg(data_type, ' ' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_name = 'back'",
    );
    assert_eq!(
        types,
        "bigint boolean numeric numeric date timestamp without time zone timestamp with time zone time without time zone text text"
    );
    assert_eq!(ward.sql("SELECT count(*) || ' ' || count(word) FROM back"), "6 4");
}

#[test]
fn a_release_goes_into_a_new_table_that_check_knows() {
    let Some(ward) = ward("out") else { return };
    ward.desk.release("plain.csv", &[]);
    let target = ward.table("release");
    let run = ward.release(&ward.table("people"), &target, &[]).succeeds();
    assert!(
        run.err.contains("Released 12 rows to postgres://") && run.err.contains("table=release"),
        "{}",
        run.err
    );
    for name in ["release.datasheet.json", "release.datasheet.md", "release.report/report.html"] {
        assert!(ward.desk.exists(name), "{name}: {:?}", ward.desk.listing());
    }
    let check = arguments(&[&["check", &target, "--original", "people.csv"], ROLES]);
    let run = ward.run(&check).succeeds();
    assert!(run.out.contains("holds  datasheet"), "{}", run.out);
    ward.sql("UPDATE release SET readmitted = 'noq'");
    let run = ward.run(&check);
    assert!(run.out.contains("FAILS  datasheet"), "{}", run.out);
    // A table that is there is replaced with --force, and only then.
    let run = ward.release("people.csv", &target, &[]);
    run.fails(2, &["table=release' is already there", "--force"]);
    assert_eq!(ward.sql("SELECT count(DISTINCT readmitted) FROM release"), "1");
    ward.release("people.csv", &target, &["--force"]).succeeds();
    assert_eq!(ward.sql("SELECT count(DISTINCT readmitted) FROM release"), "2");
    ward.run(&check).succeeds();
}

/// The original is never replaced, under whatever name it is read.
#[test]
fn a_table_that_is_read_is_never_a_target() {
    let Some(ward) = ward("own") else { return };
    ward.sql("CREATE VIEW seen AS SELECT * FROM people");
    let target = ward.table("public.people");
    let ways = [
        ward.table("people"),
        ward.table("seen"),
        ward.query("SELECT * FROM people WHERE age > 0"),
        ward.query("WITH x AS (SELECT * FROM seen) SELECT * FROM x"),
    ];
    for from in ways {
        ward.release(&from, &target, &["--force"]).fails(2, &["is one that this command reads"]);
    }
    ward.release("people.csv", &ward.table("seen"), &["--force"]).fails(2, &["is a view"]);
    assert_eq!(ward.sql("SELECT count(*) FROM people"), "12");
}

#[test]
fn who_may_not_is_not_let_in() {
    let Some(ward) = ward("rights") else { return };
    ward.sql("CREATE ROLE ann LOGIN PASSWORD 'hunter2 is long'; CREATE TABLE secret (a int); REVOKE ALL ON secret FROM PUBLIC");
    ward.sql("SET password_encryption = md5; CREATE ROLE old LOGIN PASSWORD 'hunter2 is long'");
    ward.sql("GRANT SELECT ON people TO ann, old; INSERT INTO secret VALUES (1); CREATE SCHEMA closed; CREATE TABLE closed.t (a int)");
    let table = ward.table("people");
    let run = |user: &str, environment: &[(&str, &str)], flags: &[&str]| {
        let mut command = ward.command(flags);
        command.env("PGUSER", user).envs(environment.iter().copied());
        let run = Run::of(&mut command);
        assert!(!run.err.contains("hunter2") && !run.out.contains("hunter2"), "{run:?}");
        run
    };
    let init: &[&str] = &["init", &table, "-o", "-"];
    let with_password = &[("PGPASSWORD", "hunter2 is long")][..];
    run("ann", &[], init).fails(2, &["asks for a password, and there is none", "~/.pgpass"]);
    run("ann", &[("PGPASSWORD", "hunter2")], init).fails(2, &["does not let us in"]);
    run("old", &[("PGPASSWORD", "hunter2")], init).fails(2, &["does not let us in"]);
    run("nobody", with_password, init).fails(2, &["does not let us in"]);
    run("ann", with_password, init).succeeds();
    run("old", with_password, init).succeeds();
    // From a password file, and from a service file.
    ward.desk.file(".pgpass", "localhost:5432:rights:ann:hunter2 is long\n");
    let chmod = |mode| {
        let rights = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(ward.desk.path(".pgpass"), rights).expect("rights");
    };
    chmod(0o644);
    run("ann", &[], init).fails(2, &["others may read the password file", "chmod 600"]);
    chmod(0o600);
    run("ann", &[], init).succeeds();
    std::fs::remove_file(ward.desk.path(".pgpass")).expect("it is there");
    let socket = ward.server.socket.display();
    ward.desk.file(
        ".pg_service.conf",
        format!("[ward]\nhost={socket}\ndbname=rights\nuser=ann\npassword=hunter2 is long\n"),
    );
    run("boss", &[], &["init", "postgres:///?service=ward&table=people", "-o", "-"]).succeeds();
    run("boss", &[("PGSERVICE", "ward")], &["init", "postgres:///?table=people", "-o", "-"]).succeeds();
    run("boss", &[], &["init", "postgres:///?service=wrad&table=people", "-o", "-"])
        .fails(2, &["no service file has a service 'wrad'"]);
    // Rights on tables and schemas.
    run("ann", with_password, &["init", &ward.table("secret"), "-o", "-"]).fails(2, &["no right", "GRANT"]);
    run("ann", with_password, &["init", &ward.table("closed.t"), "-o", "-"]).fails(2, &["no right"]);
    let into =
        |target: &str| arguments(&[&["anonymize", "people.csv", "-o", target, "--force"], ROLES]).join("\n");
    for (target, words) in [
        ("closed.new", "no right"),
        ("public.new", "no right to make tables in the schema 'public'"),
        ("nowhere.new", "there is no schema 'nowhere'"),
        ("secret", "belongs to another user"),
    ] {
        let flags = into(&ward.table(target));
        run("ann", with_password, &flags.split('\n').collect::<Vec<_>>()).fails(2, &[words]);
    }
}

#[test]
fn what_is_wrong_is_said() {
    let Some(ward) = ward("wrong") else { return };
    let init = |input: &str, code: i32, words: &[&str]| {
        let run = ward.run(&["init", input, "-o", "-"]);
        run.fails(code, words);
        assert!(!run.err.contains("Qanna"), "{}", run.err);
    };
    init(
        &ward.table("peopel"),
        2,
        &["there is no table or view of that name; did you mean 'people'? The tables and views are people"],
    );
    init(&ward.server.address("wrnog", "table=people"), 2, &["the database is not there"]);
    init(
        "postgres:///wrong?host=/nowhere&table=people",
        3,
        &["no database answers at the socket /nowhere/.s.PGSQL.5432"],
    );
    init("postgres://localhost:1/wrong?table=people", 3, &["no database answers at localhost, port 1"]);
    init("postgres://db.example/wrong?table=people", 2, &["on another machine", "ssh -L", "sslmode=disable"]);
    init("postgres://localhost/wrong?table=people&sslmode=require", 2, &["encrypts no connections"]);
    init(&ward.server.address("wrong", "tabel=people"), 2, &["did you mean 'table'"]);
    init(&ward.query("SELECT agee FROM people"), 2, &["does not understand the query", "agee"]);
    init(&ward.query("SELECT * FROM people WHERE name = 'x'"), 3, &["no rows"]);
    // A message of the server that quotes a cell is not repeated.
    init(&ward.query("SELECT name::int AS a FROM people"), 3, &["SQLSTATE 22P02", "not shown"]);
    init(&ward.query("SELECT pg_terminate_backend(pg_backend_pid())"), 3, &["ended the connection"]);
    for query in [
        "DELETE FROM people RETURNING *",
        "DELETE FROM people",
        "DROP TABLE people",
        "WITH x AS (DELETE FROM people RETURNING *) SELECT * FROM x",
        "SELECT nextval('numbers')",
    ] {
        ward.sql("CREATE SEQUENCE IF NOT EXISTS numbers");
        init(&ward.query(query), 2, &["does more than read", "give one SELECT"]);
    }
    init(&ward.query("SELECT 1 AS a; DROP TABLE people"), 2, &["more than one statement", "give one SELECT"]);
    init(
        &ward.query("SELECT 1 AS a) TO STDOUT; DROP TABLE people; --"),
        2,
        &["does not understand the query"],
    );
    assert_eq!(ward.sql("SELECT count(*) FROM people"), "12");
    let several = arguments(&[
        &["anonymize", "people.csv", "--algorithm", "reduct_ensemble", "-o", &ward.table("many")],
        &["--quasi", "age,sex,postcode", "--class", "readmitted", "--drop", "name,diagnosis", "--k", "2"],
    ])
    .join("\n");
    ward.run(&several.split('\n').collect::<Vec<_>>()).fails(2, &["several tables go into a folder"]);
}

/// What is read is of one moment, even where others write in the middle.
#[test]
fn one_snapshot_is_read() {
    let Some(ward) = ward("moment") else { return };
    ward.desk.release("plain.csv", &[]);
    // Every row takes its time.
    let slow = ward.query("SELECT people.* FROM people, LATERAL (SELECT pg_sleep(0.1), people.age) AS s");
    std::thread::scope(|scope| {
        let run = scope.spawn(|| ward.release(&slow, "slow.csv", &[]));
        let is_reading =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'scumble' AND query LIKE 'COPY%'";
        while ward.sql(is_reading) == "0" && !run.is_finished() {
            std::thread::sleep(Duration::from_millis(20));
        }
        ward.sql("UPDATE people SET sex = 'x'; DELETE FROM people WHERE age > 7040; INSERT INTO people SELECT * FROM people");
        run.join().expect("it runs").succeeds();
    });
    assert_eq!(ward.desk.text("slow.csv"), ward.desk.text("plain.csv"));
}

/// What the database holds is verified, not what was sent to it.
#[test]
fn a_table_that_the_database_changes_is_not_published() {
    let Some(ward) = ward("changed") else { return };
    ward.sql(
        "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.diagnosis := 'asthmaq'; RETURN NEW; END $$; \
         CREATE FUNCTION hook() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF to_regclass('public.release') IS NOT NULL THEN \
         CREATE TRIGGER spoil BEFORE INSERT ON public.release FOR EACH ROW EXECUTE FUNCTION spoil(); END IF; END $$; \
         CREATE EVENT TRIGGER hook ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION hook()",
    );
    let run = ward.release("people.csv", &ward.table("release"), &[]);
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(!ward.has("release"));
    assert!(!ward.desk.exists("release.datasheet.json"));
    // And the connection breaks in the middle.
    ward.sql(
        "CREATE OR REPLACE FUNCTION hook() RETURNS event_trigger LANGUAGE plpgsql AS \
         $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); END $$",
    );
    let run = ward.release("people.csv", &ward.table("release"), &[]);
    run.fails(3, &["ended the connection", "nothing was published"]);
    assert!(!ward.has("release"));
}

/// Rows that are still true may be other ones than those of the report.
#[test]
fn a_table_that_the_database_makes_coarser_is_not_published() {
    let Some(ward) = ward("coarser") else { return };
    ward.sql(
        "CREATE FUNCTION coarsen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.age := '*'; RETURN NEW; END $$; \
         CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE public.late SET age = '*' WHERE age <> '*'; RETURN NULL; END $$; \
         CREATE FUNCTION hook() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF to_regclass('public.early') IS NOT NULL THEN \
         CREATE TRIGGER coarsen BEFORE INSERT ON public.early FOR EACH ROW EXECUTE FUNCTION coarsen(); END IF; \
         IF to_regclass('public.late') IS NOT NULL THEN \
         CREATE CONSTRAINT TRIGGER later AFTER INSERT ON public.late DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION later(); \
         END IF; END $$; \
         CREATE EVENT TRIGGER hook ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION hook()",
    );
    // Ages are texts here, so that a star fits.
    for table in ["early", "late"] {
        let run = ward.release("people.csv", &ward.table(table), &[]);
        run.fails(4, &["holds other rows than those that it was sent", "nothing was published", "triggers"]);
        assert!(!ward.has(table), "{table}");
    }
    assert!(!ward.desk.exists("early.datasheet.json"));
    ward.release("people.csv", &ward.table("plain"), &[]).succeeds();
}

/// Whoever does not see every row would release part of a table.
#[test]
fn rows_that_the_database_hides_are_an_error() {
    let Some(ward) = ward("hidden") else { return };
    ward.sql(
        "CREATE ROLE half LOGIN PASSWORD 'half of it'; GRANT SELECT ON people TO half; ALTER TABLE people ENABLE ROW LEVEL SECURITY; \
         CREATE POLICY old_people ON people TO half USING (age > 7040); CREATE VIEW seen AS SELECT * FROM people; GRANT SELECT ON seen TO half",
    );
    let run = |from: &str| {
        let mut command = ward.command(&["init", from, "-o", "-"]);
        Run::of(command.env("PGUSER", "half").env("PGPASSWORD", "half of it"))
    };
    for from in [ward.table("people"), ward.query("SELECT age FROM people WHERE age > 0")] {
        run(&from).fails(2, &["row-level security hides rows", "BYPASSRLS"]);
    }
    // The owner of the view sees all rows, and so does who reads the view.
    run(&ward.table("seen")).succeeds();
}

#[test]
fn a_database_that_is_only_read_is_no_target() {
    let Some(ward) = ward("frozen") else { return };
    ward.sql("ALTER DATABASE frozen SET default_transaction_read_only = on");
    ward.release(&ward.table("people"), "read.csv", &[]).succeeds();
    let run = ward.release("people.csv", &ward.table("release"), &[]);
    run.fails(2, &["set to be read only"]);
    assert!(!run.err.contains("query"), "{}", run.err);
}

#[test]
fn a_release_that_cannot_be_made_leaves_no_table() {
    let Some(ward) = ward("none") else { return };
    let target = ward.table("release");
    let infeasible = [
        "anonymize",
        "people.csv",
        "--quasi",
        "age,sex",
        "--drop",
        "name,postcode,diagnosis,readmitted",
        "--k",
        "13",
        "-o",
        &target,
    ];
    ward.run(&infeasible).fails(1, &[]);
    assert!(!ward.has("release"));
    // A long name would be cut.
    let long = "n".repeat(64);
    ward.desk.file("long.csv", format!("age,{long}\n1,a\n1,b\n1,c\n"));
    let flags = ["anonymize", "long.csv", "--quasi", "age", "--other", &long, "--k", "3", "-o", &target];
    ward.run(&flags).fails(2, &["63 bytes of a name"]);
    assert!(!ward.has("release"));
}

/// Answers like a server up to some message, and then hangs up.
fn hang_up_after(listener: &UnixListener, messages: usize) {
    let Ok((mut stream, _)) = listener.accept() else { return };
    let mut buffer = [0; 4096];
    let ready = b"Z\0\0\0\x05I";
    let enter = [b"R\0\0\0\x08\0\0\0\0".as_slice(), ready].concat();
    let done = [b"C\0\0\0\x08SET\0".as_slice(), ready].concat();
    for message in 0..messages {
        if stream.read(&mut buffer).is_err()
            || stream.write_all(if message == 0 { &enter } else { &done }).is_err()
        {
            return;
        }
    }
    let _ = stream.read(&mut buffer);
}

#[test]
fn a_connection_that_breaks_is_an_error() {
    let desk = Desk::with_people();
    let listener = UnixListener::bind(desk.path(".s.PGSQL.5432")).expect("a socket");
    let address = format!("postgres:///x?host={}&table=people", desk.root().display());
    let listener = &listener;
    std::thread::scope(|scope| {
        for messages in 0..5 {
            let answering = scope.spawn(move || hang_up_after(listener, messages));
            let mut command = scumble(desk.root());
            let run = Run::of(command.args(["init", &address, "-o", "-"]).env("PGUSER", "boss"));
            run.fails(3, &["closed in the middle"]);
            answering.join().expect("it ends");
        }
    });
}
