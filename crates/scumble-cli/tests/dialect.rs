//! Delimited text for spreadsheet programs: semicolons and decimal commas, and that every command reads them.

mod common;

use common::{Desk, Run, arguments};

/// Numbers with a decimal point in every kind of column, and texts that look like numbers with a comma.
const TABLE: &str = "\
age,weight,dose,note,code
31,60.5,0.25,\"1,5\",x1
33,62.5,1.5,\"2,5 mg\",x2
35,?,12,1.5.2,x1
52,81.25,-0.5,\"[1;2]\",x2
54,83.5,3,\"a;b\",x1
58,90,NA,\"[1,2]\",x2
";

const ROLES: &[&str] = &["--quasi", "age,weight", "--sensitive", "dose", "--other", "note,code", "--k", "3"];
const ACCEPT: &[&str] = &["--accept-attribute-disclosure"];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.file("data.csv", TABLE);
    desk
}

fn anonymize(desk: &Desk, output: &str, more: &[&str]) -> Run {
    desk.run(&arguments(&[&["anonymize", "data.csv", "-o", output], ROLES, ACCEPT, more]))
}

const GERMAN: &[&str] = &["--output-dialect", "excel-de"];

fn check(desk: &Desk, table: &str, more: &[&str]) -> Run {
    desk.run(&arguments(&[&["check", table, "--original", "data.csv"], ROLES, more]))
}

#[test]
fn numbers_get_a_comma_and_texts_stay() {
    let desk = desk();
    anonymize(&desk, "german.csv", &arguments(&[GERMAN, &["--row-map", "map.json"]])).succeeds();
    let text = desk.text("german.csv");
    let lines: Vec<&str> = text.strip_prefix('\u{feff}').expect("a byte order mark").lines().collect();
    assert_eq!(lines[0], "age;weight;dose;note;code");
    assert_eq!(lines.len(), 7);
    for cell in ["0,25", "1,5", "-0,5", ";12;", ";NA;", "2,5 mg", "1.5.2", "\"[1;2]\"", ";[1,2];", "\"a;b\""]
    {
        assert!(text.contains(cell), "{cell}: {text}");
    }
    assert!(text.contains("\"[30;") || text.contains("\"[31;"), "{text}");
    assert!(!text.contains("0.25") && !text.contains("81.25"), "{text}");
    let sheet = desk.json("german.csv.datasheet.json");
    assert_eq!(sheet["decimal_comma"], serde_json::json!(["age", "weight", "dose"]));
    assert_eq!(sheet["delimiter"], ";");
    let told = desk.text("german.csv.datasheet.md");
    assert!(told.contains("The decimal mark is a comma in age, weight, dose"), "{told}");
    // A changed number is found, with the row map and without it.
    check(&desk, "german.csv", &["--row-map", "map.json"]).succeeds();
    desk.file("german.csv", text.replace("0,25", "0,26"));
    assert_eq!(check(&desk, "german.csv", &[]).code, Some(1));
    desk.file("german.csv", text.replace("0,25", "0.25"));
    check(&desk, "german.csv", &[]).fails(2, &["'dose'", "decimal comma", "decimal point"]);
}

#[test]
fn every_command_reads_it() {
    let desk = desk();
    anonymize(&desk, "german.csv", GERMAN).succeeds();
    check(&desk, "german.csv", &[]).succeeds();
    desk.run(&["risk", "german.csv", "--quasi", "age,weight"]).succeeds();
    desk.run(&arguments(&[&["attack", "german.csv", "--original", "data.csv"], &ROLES[..6]])).succeeds();
    // By hand, somebody must say which columns are meant otherwise than they are written.
    desk.file("moved.csv", desk.text("german.csv"));
    assert_eq!(check(&desk, "moved.csv", &[]).code, Some(1));
    let by_hand = ["--decimal-comma", "age,weight,dose"];
    check(&desk, "moved.csv", &by_hand).succeeds();
    desk.run(&arguments(&[&["risk", "moved.csv", "--quasi", "age,weight"], &by_hand])).succeeds();
    let attack = ["attack", "moved.csv", "--original", "data.csv"];
    desk.run(&arguments(&[&attack, &ROLES[..6], &by_hand])).succeeds();
    // Texts that were never rewritten do not become numbers.
    check(&desk, "moved.csv", &["--decimal-comma", "age,weight,dose,note"]).fails(2, &["'note'"]);
}

#[test]
fn a_single_column_is_not_cut_at_its_commas() {
    let desk = Desk::new();
    desk.file("data.csv", "dose\n1.5\n1.5\n2.25\n2.25\n");
    let run =
        ["anonymize", "data.csv", "-o", "out.csv", "--quasi", "dose", "--k", "2", "--algorithm", "optimal"];
    desk.run(&arguments(&[&run, GERMAN])).succeeds();
    assert_eq!(desk.text("out.csv"), "\u{feff}dose\n1,5\n1,5\n2,25\n2,25\n");
    desk.run(&["check", "out.csv", "--original", "data.csv", "--quasi", "dose", "--k", "2"]).succeeds();
}

#[test]
fn the_plan_can_ask_for_it_together_with_the_safe_form() {
    let desk = desk();
    let plan = "input = \"data.csv\"\noutput = \"out.csv.gz\"\noutput_dialect = \"excel-de\"\nspreadsheet_safe = true\nrest = \"other\"\n\
                [columns]\nage = { role = \"quasi\" }\nweight = { role = \"quasi\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n";
    desk.file("release.toml", plan);
    desk.run(&["anonymize", "release.toml", "--attack"]).succeeds();
    desk.run(&["check", "out.csv.gz", "--plan", "release.toml", "--original", "data.csv"]).succeeds();
    desk.run(&["risk", "--plan", "release.toml"]).succeeds();
}

#[test]
fn the_english_dialect_has_a_mark_and_nothing_else() {
    let desk = desk();
    anonymize(&desk, "plain.csv", &[]).succeeds();
    anonymize(&desk, "english.csv", &["--output-dialect", "excel"]).succeeds();
    assert_eq!(desk.text("english.csv"), format!("\u{feff}{}", desk.text("plain.csv")));
    assert!(desk.json("english.csv.datasheet.json").get("decimal_comma").is_none());
    check(&desk, "english.csv", &[]).succeeds();
}

#[test]
fn folders_and_recoded_rows_have_it() {
    let desk = desk();
    desk.file("more.csv", TABLE.replace("NA", "7").replace('?', "61.25"));
    let flags = ["--quasi", "age,weight", "--sensitive", "dose", "--algorithm", "anatomy", "--l", "2"];
    desk.run(&arguments(&[&["anonymize", "more.csv", "-o", "out", "--rest", "drop"], &flags, GERMAN]))
        .succeeds();
    assert!(desk.text("out/rows.csv").contains("60,5"), "{}", desk.text("out/rows.csv"));
    assert!(desk.text("out/groups.csv").contains("0,25"), "{}", desk.text("out/groups.csv"));
    desk.run(&["check", "out", "--original", "more.csv"]).succeeds();
    desk.run(&["attack", "out", "--original", "more.csv"]).succeeds();
    anonymize(&desk, "one.csv", &["--recoding", "rule.json"]).succeeds();
    desk.run(&arguments(&[&["apply", "rule.json", "more.csv", "-o", "recoded.csv"], GERMAN])).succeeds();
    assert!(desk.text("recoded.csv").contains("0,25"), "{}", desk.text("recoded.csv"));
}

#[test]
fn other_formats_refuse_it() {
    let desk = desk();
    for output in ["out.parquet", "out.arrow"] {
        anonymize(&desk, output, GERMAN).fails(2, &["a dialect is for delimited text", "--output-dialect"]);
        assert!(!desk.exists(output));
    }
    anonymize(&desk, "out.tsv", GERMAN).fails(2, &["separated by tabs", "--output-dialect"]);
    anonymize(&desk, "out.csv", &["--output-dialect", "exel"]).fails(2, &["excel-de"]);
    // A label that cannot be told from a rewritten number stops the release.
    desk.file("trees/dose.csv", "0.25;1,5;*\n1.5;1,5;*\n12;high;*\n-0.5;high;*\n3;high;*\nNA;high;*\n");
    let flags =
        ["--quasi", "dose", "--rest", "drop", "--k", "2", "--hierarchies", "trees", "--algorithm", "optimal"];
    desk.run(&arguments(&[&["anonymize", "data.csv", "-o", "out.csv"], &flags, GERMAN]))
        .fails(2, &["'dose'", "with a decimal comma already"]);
    assert!(!desk.exists("out.csv"));
}
