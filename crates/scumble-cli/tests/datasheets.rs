//! A datasheet belongs to one file: it states the file's name, SHA-256 and number of rows, and `check` compares them.

mod common;

use common::{Desk, Run, arguments};

const CHECK: &[&str] = &["--quasi", "age,sex,postcode", "--k", "2"];

fn check(desk: &Desk, release: &str, more: &[&str]) -> Run {
    desk.run(&arguments(&[&["check", release], CHECK, more]))
}

#[test]
fn a_datasheet_names_its_file() {
    let desk = Desk::with_people();
    for name in ["a.csv", "a.parquet", "a.csv.gz"] {
        desk.release(name, &[]);
    }
    for name in ["a.csv", "a.parquet", "a.csv.gz"] {
        let sheet = desk.json(&format!("{name}.datasheet.json"));
        let mut file = std::fs::File::open(desk.path(name)).expect("the release");
        let digest = scumble_files::sha256(&mut file).expect("its digest");
        assert_eq!(sheet["files"], serde_json::json!([{ "file": name, "rows": 12, "sha256": digest }]));
        let text = desk.text(&format!("{name}.datasheet.md"));
        assert!(text.contains(&digest) && text.contains(&format!("| {name} | 12 |")), "{text}");
        let run = check(&desk, name, &[]).succeeds();
        assert!(run.out.contains("holds  datasheet"), "{}", run.out);
    }
}

#[test]
fn check_tells_a_datasheet_of_another_release() {
    let desk = Desk::with_people();
    desk.release("out.csv", &[]);
    let told = |what: &str, words: &[&str]| {
        let run = check(&desk, "out.csv", &[]);
        assert_eq!(run.code, Some(1), "{what}: {}", run.out);
        for word in [&["FAILS  datasheet: 'out.csv.datasheet.json' does not describe"], words].concat() {
            assert!(run.out.contains(word), "{what}: {word} in {}", run.out);
        }
        let run = check(&desk, "out.csv", &["--json"]);
        assert_eq!(run.code, Some(1), "{what}");
        let json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        assert_eq!(json["holds"], false);
        assert_eq!(json["datasheet"]["describes"], false);
        assert_eq!(json["outcome"]["holds"], true, "the models hold all the same");
    };
    let (sheet, text, rows) =
        (desk.text("out.csv.datasheet.json"), desk.text("out.csv.datasheet.md"), desk.text("out.csv"));
    // The release was replaced by another file.
    let line = rows.lines().nth(1).expect("a row");
    desk.file("out.csv", format!("{rows}{line}\n"));
    told("a row more", &["SHA-256", "12 rows, and there are 13"]);
    desk.file("out.csv", &rows);
    check(&desk, "out.csv", &[]).succeeds();
    // The datasheet belongs to a file with another name, to other rows, or to no file.
    let other = sheet.replace("\"out.csv\"", "\"other.csv\"");
    desk.file("out.csv.datasheet.json", &other);
    // The file was renamed together with its datasheet.
    check(&desk, "out.csv", &[]).succeeds();
    let digest =
        desk.json("out.csv.datasheet.json")["files"][0]["sha256"].as_str().expect("a digest").to_owned();
    desk.file("out.csv.datasheet.json", other.replace(&digest, &"0".repeat(64)));
    told("another name", &["about another file (other.csv)"]);
    desk.file("out.csv.datasheet.json", sheet.replace("\"rows\": 12", "\"rows\": 13"));
    told("other rows", &["13 rows, and there are 12"]);
    desk.file("out.csv.datasheet.json", "{}");
    told("no datasheet", &["not a datasheet"]);
    desk.file("out.csv.datasheet.json", &sheet);
    // The same holds for the Markdown version.
    let digest =
        desk.json("out.csv.datasheet.json")["files"][0]["sha256"].as_str().expect("a digest").to_owned();
    desk.file("out.csv.datasheet.md", text.replace(&digest, &"0".repeat(64)));
    told("another page", &["'out.csv.datasheet.md' names another SHA-256"]);
    desk.file("out.csv.datasheet.md", &text);
    check(&desk, "out.csv", &[]).succeeds();
    // The Markdown version is enough, if it belongs to the release.
    std::fs::remove_file(desk.path("out.csv.datasheet.json")).expect("it was there");
    check(&desk, "out.csv", &[]).succeeds();
    desk.file("out.csv.datasheet.md", text.replace(&digest, &"0".repeat(64)));
    let run = check(&desk, "out.csv", &[]);
    assert!(run.code == Some(1) && run.out.contains("only the Markdown version is there"), "{}", run.out);
    // A missing datasheet is no fault.
    std::fs::remove_file(desk.path("out.csv.datasheet.md")).expect("it was there");
    let run = check(&desk, "out.csv", &["-v"]).succeeds();
    assert!(run.err.contains("note:") && run.err.contains("no datasheet"), "{}", run.err);
    let run = check(&desk, "out.csv", &["--json"]).succeeds();
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert!(json["datasheet"].is_null() && json["holds"] == true);
}

#[test]
fn check_compares_a_folder_with_its_datasheet() {
    let desk = Desk::with_people();
    let line = arguments(&[
        &["anonymize", "people.csv", "-o", "out", "--algorithm", "anatomy", "--quasi", "age,sex,postcode"],
        &["--sensitive", "diagnosis", "--rest", "drop", "--l", "2"],
    ]);
    desk.run(&line).succeeds();
    let sheet = desk.json("out/datasheet.json");
    let named: Vec<&str> =
        sheet["files"].as_array().expect("files").iter().filter_map(|of| of["file"].as_str()).collect();
    assert_eq!(named, ["rows.csv", "groups.csv", "manifest.json"]);
    let run = desk.run(&["check", "out"]).succeeds();
    assert!(run.out.contains("holds  datasheet"), "{}", run.out);
    let text = desk.text("out/rows.csv");
    let lines: Vec<&str> = text.lines().collect();
    desk.file("out/rows.csv", format!("{}\n{}\n", lines.join("\n"), lines[1]));
    let run = desk.run(&["check", "out", "--json"]);
    assert_eq!(run.code, Some(1));
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert!(json["holds"] == false && json["datasheet"]["describes"] == false);
    let faults = json["datasheet"]["faults"].to_string();
    assert!(
        faults.contains("rows.csv: its SHA-256") && faults.contains("12 rows, and there are 13"),
        "{faults}"
    );
}

/// Datasheets of earlier versions name no file: next to a new release, one would describe another file.
#[test]
fn an_older_datasheet_goes_with_a_new_release() {
    let desk = Desk::with_people();
    desk.file(
        "out.datasheet.json",
        "{\"statement\":\"50-anonymity\",\"made_with\":\"Scumble 0.1.0\",\"rows\":3}",
    );
    desk.file(
        "out.datasheet.md",
        "# Datasheet\n\n**50-anonymity**\n\n3 rows. Made with Scumble 0.1.0 by x.\n",
    );
    desk.file("out.csv", "age,sex,postcode\n1,2,3\n1,2,3\n");
    let run = check(&desk, "out.csv", &[]).succeeds();
    assert!(run.err.contains("'out.datasheet.json' names no file"), "{}", run.err);
    let run = desk.release("out.csv", &["--force"]);
    assert!(run.err.contains("warning:") && run.err.contains("out.datasheet.json"), "{}", run.err);
    assert!(!desk.exists("out.datasheet.json") && !desk.exists("out.datasheet.md"));
    // A user's file of such a name stays.
    desk.file("out.datasheet.json", "{\"mine\":1}");
    desk.release("out.csv", &[]);
    assert_eq!(desk.text("out.datasheet.json"), "{\"mine\":1}");
}

#[test]
fn rows_for_the_owner_do_not_stand_beside_a_datasheet() {
    let desk = Desk::with_people();
    desk.release("out.csv", &["--recoding", "rule.json"]);
    let line = ["apply", "rule.json", "people.csv", "--private", "-o", "out.csv"];
    desk.refuses(2, &["datasheet"], &arguments(&[&line, &["--force"]]));
}

/// A pipe in place of a datasheet is not read as one, and the command does not wait for it.
#[test]
fn a_pipe_is_no_datasheet() {
    let desk = Desk::with_people();
    let made = std::process::Command::new("mkfifo").arg(desk.path("out.datasheet.json")).status();
    if !made.is_ok_and(|status| status.success()) {
        return common::skip("a_pipe_is_no_datasheet", "there is no mkfifo");
    }
    desk.release("out.csv", &[]);
    check(&desk, "out.csv", &[]).succeeds();
}
