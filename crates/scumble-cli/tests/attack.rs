//! `scumble attack`: findings, pages, releases of several tables, and what is refused.

mod common;

use std::os::unix::fs::PermissionsExt;

use common::{Desk, ROLES, arguments};
use serde_json::Value;

/// A release of twelve people, and its report.
fn desk() -> Desk {
    let desk = Desk::with_people();
    desk.run(&arguments(&[&["anonymize", "people.csv", "-o", "release.csv"], ROLES])).succeeds();
    desk
}

fn attack(desk: &Desk, more: &[&str]) -> Value {
    let fixed = ["attack", "release.csv", "--original", "people.csv", "--json"];
    let run = desk.run(&arguments(&[&fixed, ROLES, more])).succeeds();
    assert_eq!(run.out.lines().count(), 1, "one object and nothing else: {}", run.out);
    serde_json::from_str(&run.out).expect("JSON")
}

fn found<'a>(all: &'a Value, name: &str) -> &'a Value {
    let attacks = all["attacks"].as_array().expect("a list");
    attacks.iter().find(|found| found["attack"] == name).unwrap_or_else(|| panic!("{name} in {all}"))
}

#[test]
fn every_attack_says_what_it_found_or_why_it_was_not_run() {
    let desk = desk();
    let all = attack(&desk, &[]);
    assert_eq!(all["people"], 12);
    for found in all["attacks"].as_array().expect("a list") {
        let sentence = found["sentence"].as_str().expect("a sentence");
        assert!(sentence.ends_with('.') && sentence.len() > 20, "{sentence}");
        if found.get("not_run").is_none() {
            let share = found["at_risk"]["value"].as_f64().expect("a share of people at risk");
            assert!((0.0..=1.0).contains(&share), "{found}");
        }
    }
    // k = 3: nobody is singled out, and a pick among three is right in a third of tries at most.
    let linkage = found(&all, "linkage");
    assert_eq!(linkage["at_risk"]["value"], 0.0);
    assert!(linkage["worst"].as_f64().expect("a chance") <= 1.0 / 3.0 + 1e-12);
    // 2-diversity: no group has one value only.
    assert_eq!(found(&all, "homogeneity")["at_risk"]["value"], 0.0);
    assert_eq!(found(&all, "homogeneity")["column"], "diagnosis");
}

#[test]
fn what_the_release_keeps_counts_and_not_what_another_plan_asks_for() {
    let desk = Desk::with_people();
    desk.file(
        "release.toml",
        "input = \"people.csv\"\noutput = \"out.csv\"\nrest = \"drop\"\n[columns]\nage = { role = \"quasi\" }\nsex = { role = \"quasi\" }\n\
         diagnosis = { role = \"sensitive\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 6\n[[privacy]]\nmodel = \"l_diversity\"\nl = 2\n",
    );
    let attack =
        ["attack", "other.csv", "--original", "people.csv", "--plan", "release.toml", "--only", "minimality"];
    desk.run(&["anonymize", "release.toml", "--k", "2", "-o", "other.csv"]).succeeds();
    let run = desk.run(&attack).succeeds();
    assert!(
        run.err.contains("the plan asks for k = 6, but the release keeps k = 2 by its datasheet"),
        "{}",
        run.err
    );
    std::fs::remove_file(desk.path("other.csv.datasheet.json")).expect("the datasheet is there");
    let run = desk.run(&attack).succeeds();
    assert!(
        run.err.contains("the plan asks for k = 6") && run.err.contains("by its smallest group"),
        "{}",
        run.err
    );
    desk.run(&["anonymize", "release.toml", "-o", "other.csv", "--force"]).succeeds();
    let run = desk.run(&attack).succeeds();
    assert!(!run.err.contains("the plan asks for"), "{}", run.err);
}

#[test]
fn the_original_published_as_it_is_gives_everything_away() {
    let desk = Desk::with_people();
    let run = desk
        .run(&[
            "attack",
            "people.csv",
            "--original",
            "people.csv",
            "--quasi",
            "age",
            "--sensitive",
            "diagnosis",
            "--rest",
            "drop",
            "--json",
        ])
        .succeeds();
    let all: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(
        (&found(&all, "linkage")["at_risk"]["value"], &found(&all, "linkage")["worst"]),
        (&1.0.into(), &1.0.into())
    );
    assert_eq!(found(&all, "homogeneity")["at_risk"]["value"], 1.0);
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let desk = desk();
    let turned = |name: &str, to: &str| {
        let text = desk.text(name);
        let (head, rows) = text.split_once('\n').expect("a header");
        let rows: Vec<&str> = rows.lines().rev().collect();
        desk.file(to, format!("{head}\n{}\n", rows.join("\n")));
    };
    turned("people.csv", "people-turned.csv");
    turned("release.csv", "release-turned.csv");
    let first = attack(&desk, &["--people", "5", "--seed", "3"]);
    let fixed = [
        "attack",
        "release-turned.csv",
        "--original",
        "people-turned.csv",
        "--json",
        "--people",
        "5",
        "--seed",
        "3",
    ];
    let run = desk.run(&arguments(&[&fixed, ROLES])).succeeds();
    assert_eq!(serde_json::from_str::<Value>(&run.out).expect("JSON"), first);
}

#[test]
fn people_read_sentences_a_page_and_the_report() {
    let desk = desk();
    let fixed = [
        "attack",
        "release.csv",
        "--original",
        "people.csv",
        "-o",
        "attacks.html",
        "--report",
        "release.report",
    ];
    let run = desk.run(&arguments(&[&fixed, ROLES])).succeeds();
    assert!(
        run.out.contains("We assume that the attacker knows a person's age, sex and postcode."),
        "{}",
        run.out
    );
    assert!(run.out.contains("Homogeneity: diagnosis") && run.out.contains("Not run"), "{}", run.out);
    for page in ["attacks.html", "release.report/report.html"] {
        assert!(desk.text(page).contains("What attackers still learn"), "{page}");
        let mode = std::fs::metadata(desk.path(page)).expect("a file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{page} is for its owner only");
    }
    let report = desk.json("release.report/report.json");
    assert!(report["attacks"].as_array().is_some_and(|attacks| attacks.len() > 4));
    assert_eq!(report["release"]["rows"], 12, "the rest of the report stays");
}

#[test]
fn a_release_can_be_attacked_as_soon_as_it_is_made() {
    let desk = Desk::with_people();
    let run = desk
        .run(&arguments(&[&["anonymize", "people.csv", "-o", "release.csv", "--attack"], ROLES]))
        .succeeds();
    assert!(run.err.contains("Linkage with partial knowledge: Knowing all 3 facts"), "{}", run.err);
    // The verdict is printed once, and after the attacks, which are evidence.
    let verdict = run.err.find("  verdict ").expect("a verdict");
    assert!(
        run.err.rfind("  verdict ") == Some(verdict) && run.err.find("Linkage") < Some(verdict),
        "{}",
        run.err
    );
    let place = |words: &str| run.err.find(words).unwrap_or_else(|| panic!("{words} is not in {}", run.err));
    assert!(place("Released 12 rows") < place("Linkage with"), "the release is told before it is attacked");
    assert!(desk.text("release.report/report.html").contains("What attackers still learn"));
    let piped = arguments(&[&["anonymize", "people.csv", "-o", "-", "--attack"], ROLES]);
    desk.refuses(2, &["give both a file name"], &piped);
}

#[test]
fn rows_in_groups_are_attacked_by_their_groups() {
    let desk = Desk::with_people();
    let roles =
        ["--quasi", "age,sex,postcode", "--sensitive", "diagnosis", "--identifier", "name", "--rest", "drop"];
    let fixed = ["anonymize", "people.csv", "-o", "release", "--algorithm", "anatomy", "--l", "3"];
    desk.run(&arguments(&[&fixed, &roles])).succeeds();
    let fixed = ["attack", "release", "--original", "people.csv", "--json"];
    let run = desk.run(&arguments(&[&fixed, &roles])).succeeds();
    let all: Value = serde_json::from_str(&run.out).expect("JSON");
    // Rows show everything except the diagnosis: everybody is found, and nobody's diagnosis is certain.
    assert_eq!(found(&all, "linkage")["at_risk"]["value"], 1.0);
    assert_eq!(found(&all, "homogeneity")["at_risk"]["value"], 0.0);
    let worst = found(&all, "homogeneity")["worst"].as_f64().expect("a chance");
    assert!(worst <= 1.0 / 3.0 + 1e-12, "{worst}");
}

#[test]
fn what_cannot_be_attacked_is_refused() {
    let desk = desk();
    let refused = |code: i32, words: &str, more: &[&str]| {
        desk.refuses(code, &[words], &arguments(&[&["attack", "release.csv"], more]));
    };
    refused(2, "say which columns outsiders may know", &["--original", "people.csv"]);
    refused(3, "no such file", &["--original", "nobody.csv", "--quasi", "age"]);
    let known = ["--original", "people.csv", "--quasi", "age"];
    for (words, more) in [
        ("did you mean 'linkage'", ["--only", "linkag"]),
        ("from 0 to 1", ["--noise", "2"]),
        ("--people must be at least 1", ["--people", "0"]),
        ("--combinations must be at least 1", ["--combinations", "0"]),
        ("--window is a share", ["--window", "3"]),
        ("'people.csv' is the original that this command reads", ["-o", "people.csv"]),
    ] {
        refused(2, words, &arguments(&[&known, &more]));
    }
    refused(3, "no private report", &arguments(&[&known, &["--report", "nowhere"]]));
    desk.file("few.csv", "age\n1\n2\n");
    refused(
        2,
        "is about another release",
        &["--original", "few.csv", "--quasi", "age", "--report", "release.report"],
    );
    desk.file("others.csv", "name,age,sex,postcode,diagnosis,readmitted\nx,1,o,1,flu,no\n");
    refused(3, "no row of the original fits", &arguments(&[&["--original", "others.csv"], ROLES]));
}

/// Attacks that make releases of their own do so as `anonymize` does: different spellings of one value count as one value.
#[test]
fn spellings_do_not_hide_a_risk() {
    let value = |row: usize| ["hiv", "flu", "flu", "cold"][row * 7 % 4];
    // Most have the plain spelling, which is the one that counts.
    let spelt = |text: &str, row: usize| match row % 5 {
        0 => text.to_uppercase(),
        1 => format!("{text} "),
        _ => text.to_owned(),
    };
    let found = |spelling: &dyn Fn(&str, usize) -> String| {
        let mut table = String::from("zip,ill\n");
        for row in 0..96 {
            table += &format!("{},{}\n", 10 + row % 16, spelling(value(row), row));
        }
        let desk = Desk::with_table(&table);
        let roles = ["--quasi", "zip", "--sensitive", "ill", "--k", "2", "--l", "2"];
        desk.run(&arguments(&[&["anonymize", "people.csv", "-o", "out.csv", "--report", ""], &roles]))
            .succeeds();
        let both =
            ["attack", "out.csv", "--original", "people.csv", "--only", "membership", "--only", "classifier"];
        desk.run(&arguments(&[&both, &roles, &["--algorithm", "mondrian", "--json"]])).succeeds().object()
    };
    let plain = found(&|text, _| text.to_owned());
    assert!(plain.to_string().contains("membership"), "{plain}");
    assert_eq!(found(&spelt), plain);
}

/// Forty people with two numbers, a town, and a secret; and the same table with a little noise on the numbers, made here.
fn perturbed(desk: &Desk) {
    let (mut people, mut noisy) = (vec!["age,income,town,illness".to_owned()], vec![]);
    noisy.push(people[0].clone());
    for person in 0..40_i32 {
        let (age, income, town) =
            (20 + person * 17 % 61, 1000 + person * 389 % 3001, ["Ayl", "Bex"][person as usize % 2]);
        let illness = ["flu", "gout", "cold"][person as usize % 3];
        people.push(format!("{age},{income},{town},{illness}"));
        let (more, less) = (f64::from(person * 7 % 5) * 0.25 - 0.5, f64::from(person * 11 % 7) * 8.5 - 25.5);
        noisy.push(format!("{},{},{town},{illness}", f64::from(age) + more, f64::from(income) + less));
    }
    desk.file("people.csv", people.join("\n") + "\n");
    desk.file("noisy.csv", noisy.join("\n") + "\n");
}

const PERTURBED: &[&str] =
    &["--quasi", "age,income,town", "--sensitive", "illness", "--perturbed", "age,income"];

#[test]
fn people_are_linked_although_no_value_is_true() {
    let desk = Desk::with_people();
    perturbed(&desk);
    let fixed = ["attack", "noisy.csv", "--original", "people.csv", "--same-order", "-o", "attacks.html"];
    let run = desk.run(&arguments(&[&fixed, PERTURBED])).succeeds();
    // Two towns of twenty people: a guess is right in one of twenty tries. Noise is small, so nearly everybody is found.
    let text = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("Knowing people's true values of age and income, an attacker links 100 % of them"),
        "{}",
        run.out
    );
    assert!(text.contains("A guess is right 5 % of the time."), "{}", run.out);
    assert!(text.contains("by weighing the columns in which they agree"), "{}", run.out);
    // The town was not perturbed, and all other attacks go by it alone.
    assert!(
        text.contains(
            "Linkage with partial knowledge Knowing this fact, an attacker never gets down to one row"
        ),
        "{}",
        run.out
    );
    assert!(desk.text("attacks.html").contains("Record linkage"));
    // The release in another order is the same, if the row map says whose each row is; nothing else depends on the order.
    let fixed = ["attack", "noisy.csv", "--original", "people.csv", "--json"];
    let run = desk.run(&arguments(&[&fixed, PERTURBED, &["--same-order"]])).succeeds();
    let all: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(found(&all, "record_linkage")["at_risk"]["value"], 1.0);
    let turned = |name: &str| {
        let text = desk.text(name);
        let (head, rows) = text.split_once('\n').expect("a header");
        let rows: Vec<&str> = rows.lines().rev().collect();
        desk.file(name, format!("{head}\n{}\n", rows.join("\n")));
    };
    turned("noisy.csv");
    turned("people.csv");
    let again = desk.run(&arguments(&[&fixed, PERTURBED, &["--same-order"]])).succeeds();
    assert_eq!(serde_json::from_str::<Value>(&again.out).expect("JSON"), all);
}

#[test]
fn links_need_to_know_whose_each_row_is_and_what_was_perturbed() {
    let desk = Desk::with_people();
    perturbed(&desk);
    let fixed = ["attack", "noisy.csv", "--original", "people.csv", "--only", "record_linkage"];
    let told = |more: &[&str]| {
        let run = desk.run(&arguments(&[&fixed, more])).succeeds();
        run.out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(told(PERTURBED).contains("Give the row map of the release (--row-map), or say that its rows stand in the order of the original (--same-order)."));
    let roles = ["--quasi", "town", "--sensitive", "illness", "--same-order"];
    assert!(told(&roles).contains("If another program has perturbed some, name them (--perturbed)."));
    // Outsiders do not know what was perturbed here.
    assert!(
        told(&arguments(&[&roles, &["--perturbed", "illness"]]))
            .contains("Outsiders know none of the columns")
    );
    // All that outsiders know was perturbed: only links are left.
    let alone = ["--quasi", "age,income", "--perturbed", "age,income", "--same-order"];
    assert!(told(&alone).contains("an attacker links 100 % of them"));
    let run = desk.run(&arguments(&[&fixed[..4], &alone])).succeeds();
    assert!(run.out.contains("All columns that outsiders may know were"), "{}", run.out);
    let fails =
        |words: &[&str], more: &[&str]| drop(desk.refuses(2, words, &arguments(&[&fixed, PERTURBED, more])));
    fails(
        &["perturbed column 'incone'", "did you mean 'income'"],
        &["--perturbed", "incone", "--same-order"],
    );
    desk.file("noisy.csv", "age,income,town,illness\n20,1000,Ayl,flu\n");
    fails(&["it has 1 rows, and the original has 40"], &["--same-order"]);
    fails(&["cannot be used with"], &["--same-order", "--row-map", "map.json"]);
}

/// The row map of a release says whose each row is; it is that of this very original.
#[test]
fn a_row_map_says_whose_each_row_is() {
    let desk = Desk::with_people();
    perturbed(&desk);
    let roles = ["--quasi", "town", "--sensitive", "illness", "--other", "age,income"];
    let fixed = ["anonymize", "people.csv", "-o", "release.csv", "--k", "2", "--accept-attribute-disclosure"];
    desk.run(&arguments(&[&fixed, &roles, &["--row-map", "map.json"]])).succeeds();
    let fixed = ["attack", "release.csv", "--original", "people.csv", "--row-map", "map.json", "--json"];
    let run = desk.run(&arguments(&[&fixed, PERTURBED])).succeeds();
    let all: Value = serde_json::from_str(&run.out).expect("JSON");
    // Nothing was perturbed in truth, so everybody is found, and their numbers are shown as they are.
    assert_eq!(found(&all, "record_linkage")["at_risk"]["value"], 1.0);
    let figures = found(&all, "record_linkage")["figures"].as_array().expect("figures");
    let change = figures
        .iter()
        .find(|of| of["name"].as_str().is_some_and(|name| name.starts_with("mean change")))
        .expect("a change");
    assert_eq!(change["value"], 0.0);
    desk.file("people.csv", desk.text("people.csv").replace("flu", "cold"));
    desk.refuses(2, &["another original"], &arguments(&[&fixed, PERTURBED]));
}
