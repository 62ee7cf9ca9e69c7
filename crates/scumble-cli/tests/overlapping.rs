//! Overlapping records on the command line: refused by the audit, published in every format, and checked.

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
    let words =
        ["follows with certainty", "(--set min_cover=2)", "(--set audit=report)", "(--algorithm mondrian, "];
    desk().refuses(4, &words, &anonymize("out.csv", &[]));
}

/// The older person's value follows from a record that covers more rows than it counts.
#[test]
fn what_follows_from_a_wider_record_is_not_published() {
    let table = "age,disease\n30,flu\n30,hiv\n40,cancer\n";
    let run = [
        "anonymize",
        "people.csv",
        "-o",
        "out.csv",
        "--algorithm",
        "nsvdist",
        "--quasi",
        "age",
        "--sensitive",
        "disease",
    ];
    let words = ["for 1 of 3 rows 'disease' follows with certainty", "Nothing was published"];
    Desk::with_table(table).refuses(4, &words, &arguments(&[&run, ASKED]));
    let desk = Desk::with_table(table);
    let told = desk.run(&arguments(&[&run, ASKED, &["--set", "audit=report", "--json"]])).succeeds();
    let found: serde_json::Value = serde_json::from_str(&told.out).expect("JSON");
    assert_eq!(found["audit"]["by_cover"]["certain"], 1);
    assert_eq!(found["audit"]["by_cover"]["unknown"], 0);
    assert_eq!(found["audit"]["by_mask"]["certain"], 1);
}

/// The number of people whose values are certain is only for the owner of the data, not for the public.
#[test]
fn no_public_file_says_how_many_values_are_certain() {
    for (algorithm, models, more) in [
        ("nsvdist", &[K, L][..], "audit = \"report\""),
        ("nsvdist", &[K, L], "audit = \"report\"\nformat = \"json\""),
        ("nsvdist", &[K, L], "audit = \"report\"\nformat = \"sampled\""),
        ("nhaa", &[K, L], ""),
        ("k_concealment", &[K], ""),
    ] {
        let desk = desk();
        plan(&desk, algorithm, models, more);
        let before = desk.listing();
        let run = desk.run(&["anonymize", "release.toml"]).succeeds();
        if algorithm == "nsvdist" {
            assert!(run.err.contains("of 3 rows follows with certainty"), "{}", run.err);
        }
        let mut seen = 0;
        for file in desk.listing().difference(&before) {
            // The report is private.
            if file.components().any(|part| part.as_os_str().to_string_lossy().contains("report")) {
                continue;
            }
            seen += 1;
            let text = desk.text(&file.display().to_string());
            for key in ["by_cover", "by_mask", "\"certain\"", "\"unknown\"", "\"audit\""] {
                assert!(!text.contains(key), "{}: {key}", file.display());
            }
            let tells = |line: &&str| {
                (line.contains("certain") || line.contains("follow"))
                    && line.contains(|c: char| c.is_ascii_digit())
            };
            let sentences = text.lines().flat_map(|line| line.split(". "));
            assert_eq!(sentences.into_iter().find(tells), None, "{}", file.display());
        }
        assert_eq!(seen, 3, "the release and its datasheet, twice");
    }
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
        let sheet = desk.text(&format!("{output}.datasheet.md"));
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
        // Without the original, nothing can be said about k.
        let alone = arguments(&[&["check", output], ROLES, ASKED]);
        desk.run(&alone).fails(2, &["original"]);
    }
}

/// Writes a plan for an algorithm on the same table, with models.
fn plan(desk: &Desk, algorithm: &str, models: &[&str], more: &str) {
    let columns = "name = { role = \"identifier\" }\nage = { role = \"quasi\" }\nzip = { role = \"quasi\" }\n\
                   disease = { role = \"sensitive\" }\n";
    let mut text = format!(
        "input = \"people.csv\"\noutput = \"out.csv\"\nhierarchies = \"trees\"\naccept_attribute_disclosure = true\n[columns]\n{columns}"
    );
    models.iter().for_each(|model| text += &format!("[[privacy]]\n{model}\n"));
    text += &format!("[algorithm]\nname = \"{algorithm}\"\n{more}\n");
    desk.file("release.toml", &text);
}

const K: &str = "model = \"k_anonymity\"\nk = 2";
const L: &str = "model = \"l_diversity\"\nvariant = \"frequency\"\nl = 2";
const CHECK: &[&str] = &["check", "out.csv", "--plan", "release.toml", "--original", "people.csv"];

#[test]
fn values_are_exchanged_published_and_checked() {
    let desk = desk();
    plan(&desk, "nhaa", &[K, L], "");
    let run = desk.run(&["anonymize", "release.toml"]).succeeds();
    assert!(!run.err.contains("a seed was given"), "{}", run.err);
    let sheet = desk.text("out.csv.datasheet.md");
    assert!(sheet.contains("exchanged at random among 2 rows"), "{sheet}");
    assert!(sheet.contains("must not be called so") && !sheet.contains("2-diversity"), "{sheet}");
    let mut values: Vec<String> = desk.text("out.csv").lines().skip(1).map(last_cell).collect();
    values.sort_unstable();
    assert_eq!(values, ["Angina", "Diabetes", "Influenza", "Influenza", "Measles"]);
    let told = desk.run(CHECK).succeeds().out;
    assert!(told.contains("holds  records that may be each original row's own: required 2"), "{told}");
    assert!(
        told.contains("holds  different values of disease among the rows that each record covers"),
        "{told}"
    );
    assert!(told.contains("rests on a draw"), "{told}");
    // A value that the original lacks, and no original at all.
    let changed = desk.text("out.csv").replace("Angina", "Measles");
    desk.file("out.csv", &changed);
    let told = desk.run(CHECK);
    assert_eq!(told.code, Some(1));
    assert!(
        told.out.contains("column 'disease' was exchanged, and 1 value is not in the original so often"),
        "{}",
        told.out
    );
    desk.run(&CHECK[..4]).fails(2, &["--original"]);
}

fn last_cell(line: &str) -> String {
    line.rsplit(',').next().unwrap_or_default().to_owned()
}

#[test]
fn a_seed_is_for_tests() {
    let desk = desk();
    plan(&desk, "nhaa", &[L], "seed = 3");
    let first = desk.run(&["anonymize", "release.toml"]).succeeds();
    assert!(first.err.contains("a seed was given"), "{}", first.err);
    let text = desk.text("out.csv");
    desk.run(&["anonymize", "release.toml"]).succeeds();
    assert_eq!(desk.text("out.csv"), text);
}

#[test]
fn what_rings_cannot_do_is_said() {
    let l = |l: &str| format!("model = \"l_diversity\"\nvariant = \"frequency\"\nl = {l}");
    let k = |k: u64| format!("model = \"k_anonymity\"\nk = {k}");
    for (models, code, words) in [
        (vec![l("3")], 1, &["ask for the largest possible l ([[privacy]] l = 2.5)"][..]),
        (
            vec![l("2.5")],
            2,
            &["whole number of at least 2", "ask for the largest possible l ([[privacy]] l = 2)"],
        ),
        (vec![l("2"), k(3)], 2, &["k = 3 needs an l of at least 3"]),
        (vec![k(2)], 2, &["(--model l_diversity:l=2,variant=frequency)", "leaves values where they are"]),
    ] {
        let desk = desk();
        plan(&desk, "nhaa", &models.iter().map(String::as_str).collect::<Vec<_>>(), "");
        desk.refuses(code, words, &["anonymize", "release.toml"]);
    }
}

#[test]
fn concealment_is_checked_later() {
    for guarantee in ["matches", "both", "covered", "covers"] {
        let desk = desk();
        plan(&desk, "k_concealment", &[K], &format!("guarantee = \"{guarantee}\""));
        desk.run(&["anonymize", "release.toml"]).succeeds();
        let told = desk.run(CHECK).succeeds().out;
        assert!(told.contains("required 2") && told.contains("form no groups"), "{told}");
        // A stronger model than the search was given does not hold.
        plan(&desk, "k_concealment", &[&K.replace('2', "5")], &format!("guarantee = \"{guarantee}\""));
        assert_eq!(desk.run(CHECK).code, Some(1));
        desk.run(&CHECK[..4]).fails(2, &["--original"]);
    }
}

#[test]
fn drawn_tables_cannot_be_checked() {
    let desk = desk();
    plan(&desk, "nsvdist", &[K, L], "audit = \"report\"\nformat = \"sampled\"");
    desk.run(&["anonymize", "release.toml"]).succeeds();
    desk.run(CHECK).fails(2, &["no frequencies", "sampled"]);
}
