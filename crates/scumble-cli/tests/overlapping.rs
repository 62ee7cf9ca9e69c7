//! Records that overlap, from the command line: refused by the audit, published in every format, and checked.

mod common;

use common::{Desk, arguments};

const TABLE: &str = "name,age,zip,disease\nAlice,30,10055,Measles\nBob,21,10055,Influenza\nCarol,21,10023,Angina\n\
                     David,55,10165,Influenza\nEve,47,10224,Diabetes\n";
const ZIP: &str = "10023;100**;10***\n10055;100**;10***\n10165;101**;10***\n10224;102**;10***\n";

fn desk() -> Desk {
    let desk = Desk::with_table(TABLE);
    desk.file("trees/zip.csv", ZIP);
    desk
}

const ROLES: &[&str] = &["--quasi", "age,zip", "--sensitive", "disease", "--hierarchies", "trees"];
const ASKED: &[&str] = &["--k", "2", "--l", "2", "--l-variant", "frequency"];

fn anonymize<'a>(output: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let first = ["anonymize", "people.csv", "-o", output, "--identifier", "name", "--algorithm", "nsvdist"];
    arguments(&[&first, ROLES, ASKED, more])
}

#[test]
fn what_the_audit_finds_is_not_published() {
    let words = ["follows with certainty", "min_cover = 2", "audit = \"report\"", "mondrian"];
    desk().refuses(4, &words, &anonymize("out.csv", &[]));
}

#[test]
fn every_format_is_published_and_checked() {
    for (output, more) in [
        ("out.csv", &["--set", "audit=report"][..]),
        ("out.csv", &["--set", "audit=report", "--set", "format=json"]),
        ("out.parquet", &["--set", "audit=report"]),
        ("out.parquet", &["--set", "audit=report", "--set", "format=json"]),
        ("out.arrow", &["--set", "audit=report", "--set", "format=json"]),
    ] {
        let desk = desk();
        desk.run(&anonymize(output, more)).succeeds();
        let sheet = desk.text("out.datasheet.md");
        assert!(sheet.contains("each record covers at least 2 of the original rows"), "{sheet}");
        assert!(sheet.contains("must not be called so") && !sheet.contains("2-anonymity"), "{sheet}");
        let check = arguments(&[
            &["check", output, "--original", "people.csv", "--identifier", "name"],
            ROLES,
            ASKED,
        ]);
        let told = desk.run(&check).succeeds().out;
        assert!(
            told.contains("holds  original rows that each record covers: required 2, attained 2"),
            "{told}"
        );
        let mut stricter = check.clone();
        let place = stricter.iter().position(|argument| *argument == "--l").expect("l is asked for");
        stricter[place + 1] = "2.5";
        assert_eq!(desk.run(&stricter).code, Some(1));
        // Without the original nothing can be said about k.
        let alone = arguments(&[&["check", output], ROLES, ASKED]);
        desk.run(&alone).fails(2, &["original"]);
    }
}
