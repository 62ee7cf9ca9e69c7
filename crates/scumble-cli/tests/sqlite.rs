//! Tables in and out of SQLite, from end to end.

mod common;

use std::path::Path;

use common::{Desk, PEOPLE, ROLES, arguments};
use rusqlite::Connection;

/// A desk with [`PEOPLE`] in `people.csv` and in the table `people` of `clinic.db`.
fn desk() -> Desk {
    let desk = Desk::with_people();
    let database = Connection::open(desk.path("clinic.db")).expect("a database");
    fill(&database, "people", PEOPLE);
    desk
}

/// Makes a table of a comma-separated text. Whole numbers are written as such, and empty cells as null.
fn fill(database: &Connection, table: &str, text: &str) {
    let mut lines = text.lines();
    let names = lines.next().expect("a header").replace(',', "\", \"");
    database.execute_batch(&format!("CREATE TABLE \"{table}\" (\"{names}\")")).expect("a table");
    for line in lines {
        let cells = line.split(',').map(|cell| match cell.parse::<i64>() {
            Ok(number) => number.to_string(),
            Err(_) if cell.is_empty() => "NULL".to_owned(),
            Err(_) => format!("'{cell}'"),
        });
        let cells = cells.collect::<Vec<_>>().join(", ");
        database.execute_batch(&format!("INSERT INTO \"{table}\" VALUES ({cells})")).expect("a row");
    }
}

fn open(desk: &Desk, name: &str) -> Connection {
    Connection::open(desk.path(name)).expect("a database")
}

/// A table as comma-separated text, in the order of its rows.
fn text_of(database: &Connection, table: &str) -> String {
    let mut statement =
        database.prepare(&format!("SELECT * FROM \"{table}\" ORDER BY rowid")).expect("a table");
    let columns = statement.column_count();
    let mut text = statement.column_names().collect::<Vec<_>>().join(",") + "\n";
    let mut rows = statement.query([]).expect("rows");
    while let Some(row) = rows.next().expect("a row") {
        let cells = (0..columns).map(|at| match row.get_ref(at).expect("a cell") {
            rusqlite::types::ValueRef::Null => String::new(),
            rusqlite::types::ValueRef::Integer(number) => number.to_string(),
            rusqlite::types::ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
            other => format!("{other:?}"),
        });
        text += &(cells
            .map(|cell| if cell.contains(',') { format!("\"{cell}\"") } else { cell })
            .collect::<Vec<_>>()
            .join(",")
            + "\n");
    }
    text
}

fn tables(database: &Connection) -> Vec<String> {
    let mut statement = database.prepare("SELECT name FROM sqlite_schema ORDER BY name").expect("a schema");
    statement.query_map([], |row| row.get(0)).expect("rows").collect::<Result<_, _>>().expect("names")
}

#[test]
fn a_table_of_a_database_gives_the_release_of_the_same_csv() {
    let desk = desk();
    desk.release("plain.csv", &[]);
    let ways = [
        "clinic.db",
        "sqlite:clinic.db",
        "clinic.db?table=people",
        "sqlite:clinic.db?table=PEOPLE",
        "sqlite:clinic.db?query=SELECT * FROM people ORDER BY age DESC",
    ];
    for (number, way) in ways.into_iter().enumerate() {
        let out = format!("out{number}.csv");
        desk.run(&arguments(&[&["anonymize", way, "-o", &out], ROLES])).succeeds();
        assert_eq!(desk.text(&out), desk.text("plain.csv"), "{way}");
    }
}

#[test]
fn every_command_reads_a_table_of_a_database() {
    let desk = desk();
    let table = "sqlite:clinic.db?table=people";
    desk.run(&["init", table]).succeeds();
    let plan = desk.text("release.toml");
    assert!(plan.contains(&format!("input = \"{table}\"")), "{plan}");
    assert!(plan.contains("output = \"people.release.csv\""), "{plan}");
    desk.release("r.csv", &["--recoding", "rule.json"]);
    let quasi = ["--quasi", "age,sex,postcode"];
    desk.run(&arguments(&[&["check", "r.csv", "--original", table], ROLES])).succeeds();
    desk.run(&arguments(&[&["risk", table], &quasi])).succeeds();
    desk.run(&arguments(&[&["attack", "r.csv", "--original", table, "--sensitive", "diagnosis"], &quasi]))
        .succeeds();
    desk.run(&["apply", "rule.json", table, "-o", "applied.csv"]).succeeds();
    desk.run(&["apply", "rule.json", table, "-o", "sqlite:clinic.db?table=applied"]).succeeds();
    let compare = [
        "compare",
        table,
        "--class",
        "readmitted",
        "--k",
        "2",
        "--algorithm",
        "mondrian",
        "-o",
        "compare.html",
    ];
    desk.run(&arguments(&[&compare, &quasi])).succeeds();
}

#[test]
fn a_release_goes_into_a_new_table() {
    let desk = desk();
    desk.release("plain.csv", &[]);
    let out = "sqlite:out.db?table=release";
    let run =
        desk.run(&arguments(&[&["anonymize", "sqlite:clinic.db?table=people", "-o", out], ROLES])).succeeds();
    assert!(run.err.contains("Released 12 rows to sqlite:out.db?table=release"), "{}", run.err);
    assert_eq!(text_of(&open(&desk, "out.db"), "release"), desk.text("plain.csv"));
    // The documents stand beside the file.
    for name in
        ["out.db.release.datasheet.json", "out.db.release.datasheet.md", "out.db.release.report/report.html"]
    {
        assert!(desk.exists(name), "{name}: {:?}", desk.listing());
    }
    let run = desk.run(&arguments(&[&["check", out, "--original", "clinic.db"], ROLES])).succeeds();
    assert!(run.out.contains("holds  datasheet"), "{}", run.out);
    // Somebody changes the table, and the datasheet shows it.
    open(&desk, "out.db").execute_batch("UPDATE release SET readmitted = 'noq'").expect("a change");
    let run = desk.run(&arguments(&[&["check", out], ROLES]));
    assert!(run.out.contains("FAILS  datasheet"), "{}", run.out);
}

#[test]
fn columns_of_a_new_table_have_types() {
    let desk = Desk::new();
    let rows: String = (0..12)
        .map(|row| format!("{},{}.5,2024-01-0{},0{}\n", row / 6, row % 2, 1 + row % 2, row % 3))
        .collect();
    desk.file("t.csv", format!("a,b,c,d\n{rows}"));
    let flags =
        ["anonymize", "t.csv", "--quasi", "a", "--other", "b,c,d", "--k", "3", "-o", "sqlite:t.db?table=t"];
    desk.run(&flags).succeeds();
    let database = open(&desk, "t.db");
    let types: String = database
        .query_row(
            "SELECT group_concat(DISTINCT typeof(a) || typeof(b) || typeof(c) || typeof(d)) FROM t",
            [],
            |row| row.get(0),
        )
        .expect("types");
    assert_eq!(types, "integerrealtexttext");
}

#[test]
fn a_table_that_is_there_is_replaced_only_with_force() {
    let desk = desk();
    let out = "clinic.db?table=release";
    let flags = arguments(&[&["anonymize", "people.csv", "-o", out], ROLES]);
    open(&desk, "clinic.db").execute_batch("CREATE TABLE release (mine)").expect("a table");
    desk.refuses(2, &["the table 'sqlite:clinic.db?table=release' is already there", "--force"], &flags);
    assert_eq!(text_of(&open(&desk, "clinic.db"), "release"), "mine\n");
    let run = desk.run(&arguments(&[&flags, &["--force", "-v"]])).succeeds();
    assert!(run.err.contains("publish the table, not the file"), "{}", run.err);
    assert_eq!(text_of(&open(&desk, "clinic.db"), "release").lines().count(), 13);
    // A view is never replaced.
    open(&desk, "clinic.db").execute_batch("CREATE VIEW seen AS SELECT * FROM people").expect("a view");
    let view = arguments(&[&["anonymize", "people.csv", "--force", "-o", "clinic.db?table=seen"], ROLES]);
    desk.refuses(2, &["'seen' is a view"], &view);
}

/// The original is never replaced, under whatever name it is read.
#[test]
fn a_table_that_is_read_is_never_a_target() {
    let desk = desk();
    let own =
        arguments(&[&["anonymize", "clinic.db", "--force", "-o", "sqlite:clinic.db?table=people"], ROLES]);
    desk.refuses(2, &["is one that this command reads"], &own);
    open(&desk, "clinic.db").execute_batch("CREATE VIEW seen AS SELECT * FROM people").expect("a view");
    std::os::unix::fs::symlink(desk.path("clinic.db"), desk.path("link.db")).expect("a link");
    let before = desk.bytes("clinic.db");
    for (from, to) in [
        ("clinic.db?table=people", "sqlite:clinic.db?table=People"),
        ("clinic.db?query=SELECT * FROM people", "clinic.db?table=people"),
        ("clinic.db?table=seen", "clinic.db?table=people"),
        ("clinic.db?query=WITH x AS (SELECT * FROM seen) SELECT * FROM x", "link.db?table=people"),
    ] {
        let flags = arguments(&[&["anonymize", from, "--force", "-o", to], ROLES]);
        desk.refuses(2, &["is one that this command reads"], &flags);
    }
    // Nor is the file of the database, by any other output.
    let flags = arguments(&[
        &["anonymize", "clinic.db?table=people", "--force", "-o", "r.csv", "--recoding", "clinic.db"],
        ROLES,
    ]);
    desk.refuses(2, &["is the database that this command reads"], &flags);
    assert_eq!(desk.bytes("clinic.db"), before);
}

#[test]
fn a_release_that_cannot_be_made_leaves_no_table_and_no_file() {
    let desk = desk();
    let infeasible = [
        "anonymize",
        "people.csv",
        "--quasi",
        "age,sex",
        "--drop",
        "name,postcode,diagnosis,readmitted",
        "--k",
        "13",
    ];
    desk.run(&arguments(&[&infeasible, &["-o", "sqlite:new.db?table=r"]])).fails(1, &[]);
    assert!(!desk.exists("new.db"));
    desk.run(&arguments(&[&infeasible, &["-o", "clinic.db?table=r"]])).fails(1, &[]);
    assert_eq!(tables(&open(&desk, "clinic.db")), ["people"]);
    desk.refuses(
        2,
        &["folder 'nowhere' does not exist"],
        &arguments(&[&["anonymize", "people.csv", "-o", "sqlite:nowhere/x.db?table=r"], ROLES]),
    );
}

/// What is learnt of a table does not depend on where it stands.
#[test]
fn releases_of_a_table_of_a_database_are_evaluated() {
    let desk = Desk::new();
    let row =
        |at: usize| format!("{},{},{}\n", 20 + at % 40, ["m", "f"][at % 2], ["yes", "no"][at % 40 / 20]);
    let rows = format!("age,sex,answer\n{}", (0..120).map(row).collect::<String>());
    desk.file("people.csv", &rows);
    fill(&open(&desk, "clinic.db"), "people", &rows);
    let plan = |input: &str| {
        format!(
            "input = \"{input}\"\noutput = \"r.csv\"\n\n[columns]\nage = {{ role = \"quasi\" }}\nsex = {{ role = \"quasi\" }}\nanswer = {{ role = \"class\" }}\n"
        )
    };
    desk.file("file.toml", plan("people.csv"));
    desk.file("database.toml", plan("sqlite:clinic.db?table=people"));
    let figures = |of: &str| {
        let evaluation = format!(
            "seed = 1\n[protocol]\nfolds = 3\n[[data]]\nname = \"clinic\"\nplan = \"{of}.toml\"\n[[algorithm]]\nname = \"mondrian\"\n[vary]\nk = [5]\n[[learner]]\nname = \"c45\"\n"
        );
        desk.file(&format!("{of}.evaluation.toml"), evaluation);
        desk.run(&["evaluate", &format!("{of}.evaluation.toml")]).succeeds().out
    };
    let of_file = figures("file");
    assert!(of_file.contains("Accuracy of c45 on clinic"), "{of_file}");
    assert_eq!(figures("database"), of_file);
}

#[test]
fn what_is_wrong_is_said() {
    let desk = desk();
    let database = open(&desk, "clinic.db");
    database
        .execute_batch(
            "CREATE TABLE other (a); CREATE TABLE photos (id, photo); INSERT INTO photos VALUES (1, x'00ff')",
        )
        .expect("tables");
    drop(database);
    desk.file("broken.db", [b"SQLite format 3\0".as_slice(), &[7; 300]].concat());
    desk.file("text.db", "a,b\n1,2\n");
    let init = |input: &str, code: i32, words: &[&str]| {
        desk.refuses(code, words, &["init", input, "-o", "p.toml"]);
    };
    init("clinic.db", 2, &["holds several tables: other, people, photos", "sqlite:clinic.db?table=NAME"]);
    let near = "there is no table or view of that name; did you mean 'people'? The tables and views are other, people, photos";
    init("clinic.db?table=peopel", 2, &[near]);
    init("clinic.db?tabel=people", 2, &["no setting 'tabel'; did you mean 'table'?"]);
    init("sqlite:clinic.db?tabel=people", 2, &["no setting 'tabel'; did you mean 'table'?"]);
    init(
        "clinic.db?query=SELECT 1; SELECT 2",
        2,
        &["more than one statement, and none of them was run", "give one SELECT"],
    );
    init("sqlite:nowhere.db?table=a", 3, &["no such file"]);
    init("broken.db", 3, &["is not one of SQLite"]);
    init("sqlite:text.db?table=a", 3, &["is not one of SQLite"]);
    init("clinic.db?table=photos", 3, &["row 1, column 'photo'", "BLOB"]);
    init("clinic.db?query=SELECT agee FROM people", 2, &["no such column: agee"]);
    init("clinic.db?table=other", 3, &["no rows"]);
    for query in [
        "DELETE FROM people",
        "DROP TABLE people",
        "PRAGMA journal_mode = wal",
        "SELECT 1; DELETE FROM people",
        "ATTACH 'x.db' AS x",
        "INSERT INTO people SELECT * FROM people RETURNING *",
    ] {
        init(&format!("clinic.db?query={query}"), 2, &["does more than read", "give one SELECT"]);
    }
    assert!(!desk.exists("x.db"));
    let out = arguments(&[&["anonymize", "people.csv", "-o", "sqlite:clinic.db?query=SELECT 1"], ROLES]);
    desk.refuses(2, &["goes into a table"], &out);
    desk.refuses(
        2,
        &["names no table"],
        &arguments(&[&["anonymize", "people.csv", "-o", "sqlite:clinic.db"], ROLES]),
    );
    for new in ["new.db", "clinic.db"] {
        let out = arguments(&[&["anonymize", "people.csv", "-o", new], ROLES]);
        desk.refuses(2, &["names no table", "?table=NAME"], &out);
    }
    let safe =
        arguments(&[&["anonymize", "people.csv", "--spreadsheet-safe", "-o", "clinic.db?table=r"], ROLES]);
    desk.refuses(2, &["the spreadsheet-safe form is for delimited text"], &safe);
}

#[test]
fn a_plan_names_tables_of_databases() {
    let desk = desk();
    std::fs::create_dir(desk.path("plans")).expect("a folder");
    let plan = "input = \"sqlite:../clinic.db?table=people\"\noutput = \"sqlite:../out.db?table=r\"\nrest = \"drop\"\n\n[columns]\nage = { role = \"quasi\" }\nsex = { role = \"quasi\" }\n\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n";
    desk.file("plans/plan.toml", plan);
    desk.run(&["anonymize", "plans/plan.toml"]).succeeds();
    assert_eq!(text_of(&open(&desk, "out.db"), "r").lines().count(), 13);
    // Another output is seen from where the command runs.
    desk.run(&["anonymize", "plans/plan.toml", "-o", "sqlite:here.db?table=r"]).succeeds();
    assert!(desk.exists("here.db"));
}

/// A password never gets further than the first look at it.
#[test]
fn a_password_in_an_address_is_refused_and_not_repeated() {
    let desk = desk();
    let address = "postgres://ann:hunter2@db.example/clinic?table=people";
    let plan = |rest: &str| format!("input = \"{address}\"\noutput = \"r.csv\"\n{rest}");
    desk.file("plan.toml", plan("[columns]\nage = { role = \"quasi\" }\n"));
    desk.file("broken.toml", plan("[columns\n"));
    desk.file("typo.toml", format!("inptu = \"{address}\"\n"));
    let cases: [&[&str]; 7] = [
        &["init", address],
        &["anonymize", "people.csv", "-o", address],
        &["anonymize", "plan.toml"],
        &["anonymize", "broken.toml"],
        &["anonymize", "typo.toml"],
        &["risk", "--no-such-flag", address],
        &["risk", "people.csv", "--quasi", "age", "--population", "postgres://h/db?password=hunter2&table=x"],
    ];
    for flags in cases {
        let run = desk.run(flags);
        run.fails(2, &["holds a password", "PGPASSWORD"]);
        assert!(!run.err.contains("hunter2") && !run.out.contains("hunter2"), "{run:?}");
    }
}

/// Nothing unverified is in the file while a run is verifying, and nothing is left of a run that was killed.
#[test]
fn what_is_not_committed_is_not_in_the_file() {
    let desk = desk();
    let wide: String = (0..20_000).map(|row| format!("{},q{row}canary\n", row % 50)).collect();
    desk.file("wide.csv", format!("a,b\n{wide}"));
    let database = open(&desk, "clinic.db");
    // The last step needs a file that nobody else reads; until then everything is in memory.
    database.execute_batch("BEGIN; SELECT * FROM people").expect("a reader");
    let mut held = database.prepare("SELECT * FROM people").expect("a query");
    let mut rows = held.query([]).expect("rows");
    rows.next().expect("a row");
    let run = desk.run(&[
        "anonymize",
        "wide.csv",
        "--quasi",
        "a",
        "--other",
        "b",
        "--k",
        "3",
        "-o",
        "clinic.db?table=r",
    ]);
    run.fails(3, &["is kept by another program"]);
    let is_in = |path: &Path| {
        let bytes = std::fs::read(path).expect("a file");
        bytes.windows(6).any(|part| part == b"canary")
    };
    for path in desk.listing().iter().filter(|path| path.to_string_lossy().contains("clinic.db")) {
        assert!(!is_in(&desk.root().join(path)), "{path:?}");
    }
    assert!(!desk.exists("clinic.db.r.datasheet.json"));
}
