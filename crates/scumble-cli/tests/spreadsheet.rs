//! Texts that spreadsheet programs run as formulas: the warning, the form that no program runs, and that every command reads it.

mod common;

use common::{Desk, Run, arguments};

/// Formulas in every kind of column, and texts that only look like formulas.
const TABLE: &str = "\
=zip,mark,@ill,note
11,*,=flu,'=x
11,*,+cold,=x
11,*,-5,-2+3
22,=a,=flu,'plain
22,=a,+cold,-1.5e3
22,=a,-5,@me
";

const ROLES: &[&str] = &["--quasi", "=zip,mark", "--sensitive", "@ill", "--other", "note"];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.file("data.csv", TABLE);
    desk
}

fn anonymize(desk: &Desk, output: &str, more: &[&str]) -> Run {
    desk.run(&arguments(&[&["anonymize", "data.csv", "-o", output], ROLES, more]))
}

const SAFE: &[&str] = &["--k", "3", "--l", "2", "--spreadsheet-safe"];

/// Whether no cell of a table of simple fields begins a formula.
fn is_safe(text: &str) -> bool {
    let number = |cell: &str| cell.parse::<f64>().is_ok();
    let cells = text.lines().flat_map(|line| line.split(',')).map(|cell| cell.trim_matches('"'));
    cells.into_iter().all(|cell| !cell.starts_with(['=', '+', '-', '@']) || number(cell))
}

#[test]
fn the_safe_form() {
    let desk = desk();
    let warned = anonymize(&desk, "plain.csv", &["--k", "3", "--l", "2"]).succeeds();
    assert!(warned.err.contains("4 columns have texts that begin with =, +, - or @"), "{}", warned.err);
    assert!(warned.err.contains("(spreadsheet_safe)"), "{}", warned.err);
    assert!(!is_safe(&desk.text("plain.csv")));
    let quiet = anonymize(&desk, "safe.csv", SAFE).succeeds();
    assert!(!quiet.err.contains("formulas"), "{}", quiet.err);
    assert_eq!(
        desk.text("safe.csv"),
        "\
'=zip,mark,'@ill,note
\"[10,20]\",'=*,'+cold,'=x
\"[10,20]\",'=*,-5,'-2+3
\"[10,20]\",'=*,'=flu,''=x
\"[21,30]\",'==a,'+cold,-1.5e3
\"[21,30]\",'==a,-5,'@me
\"[21,30]\",'==a,'=flu,'plain
"
    );
    assert_eq!(desk.json("safe.csv.datasheet.json")["spreadsheet_safe"], true);
    assert!(desk.text("safe.csv.datasheet.md").contains("keeps spreadsheet programs from running the text"));
    assert!(desk.json("plain.csv.datasheet.json").get("spreadsheet_safe").is_none());
}

#[test]
fn the_plan_can_ask_for_it() {
    let desk = desk();
    let plan = "input = \"data.csv\"\noutput = \"safe.csv\"\nspreadsheet_safe = true\nrest = \"drop\"\n[columns]\nmark = { role = \"quasi\" }\n\
                [[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n";
    desk.file("release.toml", plan);
    desk.run(&["anonymize", "release.toml"]).succeeds();
    assert_eq!(desk.text("safe.csv"), "mark\n'=*\n'=*\n'=*\n'==a\n'==a\n'==a\n");
    desk.run(&["check", "safe.csv", "--plan", "release.toml", "--original", "data.csv"]).succeeds();
    // A plan can also be used for tables that are not its release: the original is read as it is.
    desk.run(&["risk", "--plan", "release.toml"]).succeeds();
}

#[test]
fn every_command_reads_it() {
    let desk = desk();
    anonymize(&desk, "safe.csv", &arguments(&[SAFE, &["--row-map", "map.json"]])).succeeds();
    let check = |table: &str, more: &[&str]| {
        let flags = ["check", table, "--original", "data.csv", "--k", "3", "--l", "2"];
        desk.run(&arguments(&[&flags, ROLES, more]))
    };
    let told = check("safe.csv", &["--row-map", "map.json"]).succeeds();
    assert!(told.out.contains("Groups are rows with the same =zip, mark"), "{}", told.out);
    for flags in
        [&["risk", "safe.csv", "--quasi", "=zip,mark"][..], &["attack", "safe.csv", "--original", "data.csv"]]
    {
        let roles = if flags[0] == "attack" { ROLES } else { &[] };
        desk.run(&arguments(&[flags, roles])).succeeds();
    }
    // Without the datasheet, the user must give the form.
    desk.file("moved.csv", desk.text("safe.csv"));
    check("moved.csv", &[]).fails(2, &["no column '=zip'"]);
    check("moved.csv", &["--spreadsheet-safe"]).succeeds();
    desk.run(&["risk", "moved.csv", "--quasi", "=zip,mark", "--spreadsheet-safe"]).succeeds();
    // A table in another form is not accepted as spreadsheet-safe.
    check("data.csv", &["--spreadsheet-safe"]).fails(2, &["a spreadsheet program would run"]);
    // A changed text is found even behind its mark.
    desk.file("moved.csv", desk.text("safe.csv").replace("'-2+3", "'-2+4"));
    assert_eq!(check("moved.csv", &["--spreadsheet-safe"]).code, Some(1));
}

#[test]
fn folders_and_records() {
    let desk = desk();
    let anatomy = ["--algorithm", "anatomy", "--l", "2", "--row-map", "map.json"];
    let warned = anonymize(&desk, "out", &anatomy).succeeds();
    assert!(warned.err.contains("4 columns have texts that begin with"), "{}", warned.err);
    let quiet = anonymize(&desk, "out", &arguments(&[&anatomy, &["--spreadsheet-safe"]])).succeeds();
    assert!(!quiet.err.contains("formulas"), "{}", quiet.err);
    assert!(is_safe(&desk.text("out/rows.csv")) && is_safe(&desk.text("out/groups.csv")));
    desk.run(&["check", "out", "--original", "data.csv", "--row-map", "map.json"]).succeeds();
    desk.run(&["attack", "out", "--original", "data.csv"]).succeeds();
    let records = ["--algorithm", "nsvdist", "--l", "2", "--l-variant", "frequency"];
    let warned = anonymize(&desk, "records.csv", &records).succeeds();
    assert!(warned.err.contains("texts that begin with"), "{}", warned.err);
    anonymize(&desk, "records.csv", &arguments(&[&records, &["--spreadsheet-safe"]])).succeeds();
    assert!(is_safe(&desk.text("records.csv")), "{}", desk.text("records.csv"));
    let flags = ["check", "records.csv", "--original", "data.csv", "--l", "2", "--l-variant", "frequency"];
    desk.run(&arguments(&[&flags, ROLES])).succeeds();
}

#[test]
fn only_delimited_text_has_it() {
    let desk = desk();
    for output in ["out.parquet", "out.arrow"] {
        anonymize(&desk, output, SAFE).fails(2, &["is for delimited text", "--spreadsheet-safe"]);
        assert!(!desk.exists(output));
    }
    let anatomy = ["--algorithm", "anatomy", "--l", "2", "--spreadsheet-safe"];
    anonymize(&desk, "out.parquet", &anatomy).fails(2, &["is for delimited text"]);
    for output in ["out.tsv", "out.csv.gz", "out.csv.zst"] {
        anonymize(&desk, output, SAFE).succeeds();
        let flags = ["check", output, "--original", "data.csv", "--k", "3"];
        desk.run(&arguments(&[&flags, ROLES])).succeeds();
    }
    let piped = anonymize(&desk, "-", SAFE).succeeds();
    assert!(is_safe(&piped.out) && piped.out.starts_with("'=zip"), "{}", piped.out);
}

#[test]
fn recoded_rows_can_have_it() {
    let desk = desk();
    anonymize(&desk, "out.csv", &["--k", "3", "--l", "2", "--recoding", "rule.json"]).succeeds();
    desk.run(&["apply", "rule.json", "data.csv", "-o", "more.csv", "--spreadsheet-safe"]).succeeds();
    assert!(is_safe(&desk.text("more.csv")), "{}", desk.text("more.csv"));
}

#[test]
fn names_with_line_ends_begin_no_line() {
    let desk = Desk::new();
    desk.file("data.csv", "\"a\nholds  all\",\"b\nwarning: x\"\n1,x\n1,y\n2,x\n2,y\n");
    let names = ["--quasi", "a\nholds  all", "--sensitive", "b\nwarning: x"];
    let run = |flags: &[&str], more: &[&str]| desk.run(&arguments(&[flags, &names, more])).succeeds();
    let told = [
        run(&["anonymize", "data.csv", "-o", "out.csv", "-v"], &["--k", "2", "--l", "2"]),
        run(&["check", "out.csv", "--original", "data.csv", "-v"], &["--k", "2", "--l", "2"]),
        run(&["check", "out.csv"], &[]),
        run(&["anonymize", "data.csv", "-o", "folder", "-v"], &["--algorithm", "anatomy", "--l", "2"]),
        run(&["check", "folder", "--original", "data.csv"], &[]),
        run(&["attack", "out.csv", "--original", "data.csv"], &[]),
        desk.run(&["risk", "out.csv", "--quasi", "a\nholds  all"]).succeeds(),
        desk.run(&["init", "data.csv", "-o", "plan.toml", "-v"]).succeeds(),
    ];
    let sheets = ["out.csv.datasheet.md", "folder/datasheet.md"].map(|name| desk.text(name));
    let outputs = told.iter().flat_map(|run| [&run.out, &run.err]).chain(&sheets);
    for line in outputs.flat_map(|text| text.lines()) {
        assert!(!line.starts_with("holds  all") && !line.starts_with("warning: x"), "{line}");
    }
    desk.run(&["check", "out.csv", "--quasi", "c\nholds  all"]).fails(2, &["c\\u{a}holds  all"]);
}
