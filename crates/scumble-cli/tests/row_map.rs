//! The private row map, which says whose each row is. It is for its owner only, and with it a check finds people in wrong groups.

mod common;

use std::os::unix::fs::PermissionsExt;

use common::{Desk, Run, arguments};
use serde_json::{Value, json};

const TABLE: &str = "\
age,sex,ill,pay
20,m,flu,10
21,m,hiv,20
30,f,cold,30
31,f,gout,40
40,m,flu,50
41,f,hiv,60
50,m,cold,70
51,f,gout,80
";

const ANATOMY: &[&str] =
    &["anonymize", "data.csv", "-o", "out", "--quasi", "age,sex", "--rest", "drop", "--row-map", "map.json"];

const ILL: &[&str] = &["--sensitive", "ill", "--algorithm", "anatomy", "--l", "2"];

const PAY: &[&str] = &["--sensitive", "pay", "--algorithm", "permutation", "--model", "k_e:k=2,e=10"];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.file("data.csv", TABLE);
    desk
}

fn anatomy() -> Desk {
    let desk = desk();
    desk.run(&arguments(&[ANATOMY, ILL])).succeeds();
    desk
}

fn check(desk: &Desk, more: &[&str]) -> Run {
    desk.run(&arguments(&[&["check", "out", "--original", "data.csv"], more]))
}

const WITH: &[&str] = &["--row-map", "map.json"];

/// Gives every row the last field of the next row, and sorts the rows again.
fn rotate_groups(desk: &Desk) {
    let rows = desk.text("out/rows.csv");
    let lines: Vec<&str> = rows.lines().collect();
    let (kept, mut groups): (Vec<&str>, Vec<&str>) =
        lines[1..].iter().map(|line| line.rsplit_once(',').expect("a group")).unzip();
    groups.rotate_left(1);
    let mut others: Vec<String> =
        kept.iter().zip(groups).map(|(kept, group)| format!("{kept},{group}")).collect();
    others.sort();
    desk.file("out/rows.csv", format!("{}\n{}\n", lines[0], others.join("\n")));
    forget_datasheet(desk);
}

/// Removes the datasheet, which would show that a file was changed.
fn forget_datasheet(desk: &Desk) {
    for name in ["out/datasheet.json", "out/datasheet.md"] {
        std::fs::remove_file(desk.path(name)).expect("it is there");
    }
}

#[test]
fn a_right_release_passes_with_its_row_map() {
    for flags in [ILL, PAY] {
        let desk = desk();
        desk.run(&arguments(&[ANATOMY, flags])).succeeds();
        let without = check(&desk, &[]).succeeds();
        assert!(without.out.contains("Not compared: whether each row is in the group"), "{}", without.out);
        let with = check(&desk, WITH).succeeds();
        assert!(with.out.contains("the original row that the row map gives it"), "{}", with.out);
        assert!(!with.out.contains("Not compared"), "{}", with.out);
        let json: Value =
            serde_json::from_str(&check(&desk, &["--row-map", "map.json", "--json"]).out).unwrap();
        assert_eq!(json["tables"][0]["truth"]["with_row_map"], true);
        assert_eq!(json["not_compared"], json!([]));
    }
}

#[test]
fn it_is_private() {
    let desk = anatomy();
    let mode = std::fs::metadata(desk.path("map.json")).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // No published file mentions the row map, and the report says that it is private.
    for name in ["manifest.json", "datasheet.json", "datasheet.md", "rows.csv", "groups.csv"] {
        assert!(!desk.text(&format!("out/{name}")).contains("map"), "{name}");
    }
    assert!(desk.text("out.report/report.html").contains("says whose each released row is: it is private"));
    let map = desk.json("map.json");
    assert_eq!(map["original"]["rows"], 8);
    assert_eq!(map["groups"].as_array().map(Vec::len), Some(8));
}

#[test]
fn everybody_in_a_wrong_group_is_found() {
    let desk = anatomy();
    rotate_groups(&desk);
    let without = check(&desk, &[]);
    assert_eq!(without.code, Some(0), "{}", without.out);
    assert!(without.out.contains("Not compared: whether each row is in the group"), "{}", without.out);
    let with = check(&desk, WITH);
    assert_eq!(with.code, Some(1), "{} {}", with.out, with.err);
    assert!(with.out.contains("in another group than the row map says"), "{}", with.out);
    assert!(with.err.contains("written together with other files"), "{}", with.err);
}

#[test]
fn values_of_other_groups_are_found() {
    let desk = anatomy();
    // The groups exchange their values, and the rows stay where the row map says.
    let text = desk.text("out/groups.csv");
    let lines: Vec<&str> = text.lines().collect();
    let (numbers, mut values): (Vec<&str>, Vec<&str>) =
        lines[1..].iter().map(|line| line.split_once(',').expect("a group")).unzip();
    values.rotate_left(2);
    let others: Vec<String> =
        numbers.iter().zip(values).map(|(number, value)| format!("{number},{value}")).collect();
    desk.file("out/groups.csv", format!("{}\n{}\n", lines[0], others.join("\n")));
    forget_datasheet(&desk);
    assert_eq!(check(&desk, &[]).code, Some(0));
    let with = check(&desk, WITH);
    assert_eq!(with.code, Some(1), "{} {}", with.out, with.err);
    assert!(with.out.contains("are not those of their original rows"), "{}", with.out);
}

#[test]
fn numbers_of_other_groups_are_found() {
    let desk = desk();
    desk.run(&arguments(&[ANATOMY, PAY])).succeeds();
    let rows = desk.text("out/rows.csv");
    // Everybody's columns move to the next row, but the numbers and groups stay. Both versions agree with the published groups.
    let lines: Vec<&str> = rows.lines().collect();
    let (mut people, shown): (Vec<String>, Vec<String>) = lines[1..]
        .iter()
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            (fields[..2].join(","), fields[2..].join(","))
        })
        .unzip();
    people.rotate_left(2);
    let mut others: Vec<String> =
        people.iter().zip(shown).map(|(person, shown)| format!("{person},{shown}")).collect();
    others.sort();
    desk.file("out/rows.csv", format!("{}\n{}\n", lines[0], others.join("\n")));
    forget_datasheet(&desk);
    assert_eq!(check(&desk, &[]).code, Some(0));
    let with = check(&desk, WITH);
    assert_eq!(with.code, Some(1), "{} {}", with.out, with.err);
}

#[test]
fn a_row_map_that_cannot_be_used_is_an_error() {
    let desk = anatomy();
    let good = desk.json("map.json");
    let spoilt = |change: &dyn Fn(&mut Value), words: &str| {
        let mut map = good.clone();
        change(&mut map);
        desk.file("map.json", map.to_string());
        check(&desk, WITH).fails(2, &["the row map cannot be used", words]);
    };
    spoilt(&|map| map["tables"][0]["released_row"][3] = Value::Null, "where row 4 of the original is");
    spoilt(
        &|map| map["tables"][0]["released_row"][3] = map["tables"][0]["released_row"][4].clone(),
        "two rows of the original",
    );
    spoilt(&|map| map["tables"][0]["released_row"][3] = json!(9), "and the release has 8 rows");
    spoilt(
        &|map| {
            map["groups"].as_array_mut().map(Vec::pop);
        },
        "it lists 7 rows",
    );
    spoilt(&|map| map["groups"][0] = json!("99"), "a group that the release does not have");
    spoilt(&|map| map["groups"][0] = Value::Null, "row 1 of the original is in no group");
    spoilt(&|map| map["groups"] = Value::Null, "it has no groups");
    spoilt(&|map| map["tables"][0]["file"] = json!("other.csv"), "nothing about 'rows.csv'");
    spoilt(&|map| map["scumble_row_map"] = json!(2), "another version");
    spoilt(&|map| *map = json!({"age": "secret"}), "not a row map");
    desk.file("map.json", good.to_string());
    desk.file("data.csv", TABLE.replace("20,m,flu", "20,m,gout"));
    check(&desk, WITH).fails(2, &["it is about another original"]);
    desk.run(&["check", "out", "--row-map", "map.json"]).fails(2, &["--original"]);
    check(&desk, &["--row-map", "absent.json"]).fails(3, &["absent.json"]);
}

#[test]
fn it_follows_the_rule_about_files() {
    let desk = anatomy();
    let run = |name: &str| {
        let flags = &ANATOMY[..ANATOMY.len() - 1];
        desk.run(&arguments(&[flags, &[name], ILL]))
    };
    // An existing row map is replaced, any other file is not.
    run("map.json").succeeds();
    desk.file("mine.txt", "mine");
    run("mine.txt").fails(2, &["not a row map of Scumble", "--force"]);
    run("data.csv").fails(2, &["is the input that this command reads"]);
    run("-").fails(2, &["needs a name of its own"]);
    run("out/map.json").fails(2, &["is replaced as a whole"]);
    run("out.report/report.json").fails(2, &["two outputs have the same name"]);
    assert_eq!(desk.text("mine.txt"), "mine");
}

const CLASSES: &[&str] = &[
    "anonymize",
    "data.csv",
    "-o",
    "out.csv",
    "--quasi",
    "age,sex",
    "--sensitive",
    "ill",
    "--rest",
    "drop",
    "--row-map",
    "map.json",
];

fn check_table(desk: &Desk, more: &[&str]) -> Run {
    let flags = [
        "check",
        "out.csv",
        "--original",
        "data.csv",
        "--quasi",
        "age,sex",
        "--sensitive",
        "ill",
        "--rest",
        "drop",
    ];
    desk.run(&arguments(&[&flags, WITH, more]))
}

#[test]
fn rows_of_one_table_are_compared_one_by_one() {
    let desk = desk();
    desk.run(&arguments(&[CLASSES, &["--k", "2", "--l", "2"]])).succeeds();
    check_table(&desk, &["--k", "2"]).succeeds();
    // Two people of one class exchange their sensitive values: only the row map shows it.
    let text = desk.text("out.csv");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let swapped: Vec<String> = [1, 2]
        .map(|row: usize| {
            let (kept, _) = lines[row].rsplit_once(',').expect("three columns");
            let (_, other) = lines[3 - row].rsplit_once(',').expect("three columns");
            format!("{kept},{other}")
        })
        .to_vec();
    lines.splice(1..3, swapped);
    desk.file("out.csv", lines.join("\n") + "\n");
    for name in ["out.csv.datasheet.json", "out.csv.datasheet.md"] {
        std::fs::remove_file(desk.path(name)).expect("it is there");
    }
    let found = check_table(&desk, &["--k", "2"]);
    assert_eq!(found.code, Some(1), "{} {}", found.out, found.err);
    assert!(found.out.contains("column 'ill' has 2 false values, the first in row 1"), "{}", found.out);
}

#[test]
fn rows_that_were_left_out_are_in_it_as_such() {
    let desk = desk();
    desk.file("data.csv", TABLE.replace("30,f,cold", "30,?,cold"));
    desk.run(&arguments(&[CLASSES, &["--k", "2", "--l", "2", "--missing", "drop-row"]])).succeeds();
    let map = desk.json("map.json");
    assert_eq!(map["tables"][0]["released_row"][2], Value::Null);
    check_table(&desk, &["--k", "2", "--missing", "drop-row"]).succeeds();
    // Releases of records and of projections have row maps, too.
    desk.file("data.csv", TABLE);
    let records = ["--algorithm", "nsvdist", "--l", "2", "--l-variant", "frequency"];
    desk.run(&arguments(&[CLASSES, &records])).succeeds();
    check_table(&desk, &["--l", "2", "--l-variant", "frequency"]).succeeds();
    let sampled = arguments(&[CLASSES, &records, &["--set", "format=sampled"]]);
    desk.run(&sampled).fails(2, &["there is no row map"]);
    let projections =
        ["--class", "sex", "--algorithm", "reduct_ensemble", "--k", "2", "--set", "discretise=none"];
    desk.file("data.csv", "a,b,sex\n1,1,y\n1,1,y\n1,2,y\n1,2,y\n2,1,n\n2,1,n\n2,3,n\n2,3,n\n");
    let flags =
        ["anonymize", "data.csv", "-o", "out", "--quasi", "a,b", "--row-map", "map.json", "--set", "l=1"];
    desk.run(&arguments(&[&flags, &projections])).succeeds();
    let told = check(&desk, WITH).succeeds();
    assert!(told.out.contains("Compared: every row of every table"), "{}", told.out);
    assert!(told.out.contains("Not checked: sex (not among the columns that outsiders"), "{}", told.out);
}
