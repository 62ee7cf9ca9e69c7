//! What the rows of one person show together, in a release that shows which rows these are: in `--json`, in the verdict, in the report.

mod common;

use common::{Desk, arguments};
use serde_json::{Value, json};

/// The day of 2019 with this number, from 0 on.
fn date(day: usize) -> String {
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let (mut month, mut left) = (0, day);
    while left >= lengths[month] {
        left -= lengths[month];
        month += 1;
    }
    format!("2019-{:02}-{:02}", month + 1, left + 1)
}

/// Thirty people with so many visits each; `day` says on which day.
fn desk(visits: usize, day: impl Fn(usize, usize) -> usize) -> Desk {
    let rows = (0..30 * visits).map(|row| (row / visits, row % visits));
    let rows: Vec<String> = rows
        .map(|(person, visit)| {
            let day = day(person, visit);
            let out = date(day + if person < 20 { 4 } else { person - 14 });
            format!("P{person:03},{},{},{out}\n", ["f", "m"][person % 2], date(day))
        })
        .collect();
    let mut desk = Desk::new();
    desk.table("people.csv", &format!("patient,sex,seen,left\n{}", rows.concat()));
    desk.table(
        "reversed.csv",
        &format!("patient,sex,seen,left\n{}", rows.into_iter().rev().collect::<String>()),
    );
    ["keys", "out"].iter().for_each(|folder| std::fs::create_dir(desk.path(folder)).expect("a folder"));
    desk.run(&["key", "new", "keys/clinic.key"]).succeeds();
    desk
}

const FLAGS: &[&str] =
    &["-o", "out/release.csv", "--k", "5", "--subject", "patient", "--quasi", "sex", "--rest", "drop"];
const SECRETS: &[&str] =
    &["--key-file", "keys/clinic.key", "--for", "researchers", "--json", "--report", "report", "--force"];
const CODES: &[&str] =
    &["--transform", "pseudonym:column=patient,into=code,project=x", "--accept-linkable-rows"];
const SEEN: &[&str] = &["--transform", "shift:columns=[seen],project=x,max=90"];
const BOTH: &[&str] = &["--transform", "shift:columns=[seen,left],project=x,max=90"];

fn of(desk: &Desk, table: &str, more: &[&[&str]]) -> Value {
    let run = desk.run(&arguments(&[&["anonymize", table], FLAGS, SECRETS, &more.concat()])).succeeds();
    serde_json::from_str(&run.out).expect("one object")
}

/// The steps and warnings that are about intervals.
fn told(found: &Value) -> (usize, usize) {
    let about = |key: &Value, words: &str| {
        let texts = key.as_array().into_iter().flatten();
        texts.filter(|text| text.as_str().is_some_and(|text| text.contains(words))).count()
    };
    (about(&found["verdict"]["steps"], "readers cannot know"), about(&found["warnings"], "nobody else has"))
}

#[test]
fn whoever_has_intervals_of_their_own_is_counted() {
    // Person p comes back after p + 3 days, and then after 10.
    let own = desk(3, |person, visit| person + [0, person + 3, person + 13][visit]);
    let found = of(&own, "people.csv", &[CODES, SEEN, &["--other", "code,seen"]]);
    let history = &found["histories"]["linked"][0];
    assert_eq!(history["column"], "code");
    assert_eq!(
        (&history["people"], &history["rows"], &history["most_rows"]),
        (&json!(30), &json!(90), &json!(3))
    );
    assert_eq!(history["by_rows"], json!({ "unique": 0, "k": 30 }));
    for known in ["by_intervals", "by_two_intervals"] {
        assert_eq!(history[known], json!({ "unique": 30, "k": 1 }), "{known}");
    }
    // Nobody has four visits, and moved dates are not known.
    assert_eq!(history["by_three_intervals"], json!({ "unique": 0, "k": 0 }));
    assert_eq!((&history["by_two_dates"], &history["values"]), (&Value::Null, &json!(["sex"])));
    assert_eq!(found["verdict"]["colour"], "amber");
    assert_eq!(told(&found), (1, 1), "{found}");
    let page = own.text("report/report.html");
    assert!(
        page.contains("Rows of one person, taken together")
            && page.contains("all intervals between the dates")
    );
    // The order of rows does not matter, and neither does the number of threads.
    let again = of(&own, "reversed.csv", &[CODES, SEEN, &["--other", "code,seen", "--threads", "1"]]);
    assert_eq!(found["histories"], again["histories"]);
    // Of whole months less is left.
    let months = [CODES, SEEN, &["--transform", "truncate:column=seen,unit=month", "--other", "code,seen"]];
    let coarser = &of(&own, "people.csv", &months)["histories"]["linked"][0]["by_intervals"];
    assert!(coarser["unique"].as_u64() < Some(30), "{coarser}");
}

#[test]
fn intervals_that_everybody_has_are_no_point() {
    let same = desk(3, |person, visit| person + [0, 7, 21][visit]);
    let found = of(&same, "people.csv", &[CODES, SEEN, &["--other", "code,seen"]]);
    assert_eq!(found["histories"]["linked"][0]["by_intervals"], json!({ "unique": 0, "k": 30 }));
    assert_eq!(found["histories"]["linked"][0]["by_two_intervals"], json!({ "unique": 0, "k": 30 }));
    assert_eq!(told(&found), (0, 0), "{found}");
    // Days since a day keep intervals as well, and true dates are known as such.
    let days =
        [CODES, &["--transform", "days_since:column=seen,into=day,since=2019-01-01", "--other", "code,day"]];
    let history = &of(&same, "people.csv", &days)["histories"]["linked"][0];
    assert_eq!((&history["dates"], &history["true_dates"]), (&json!(["day"]), &json!(["day"])));
    assert_eq!(history["by_intervals"], json!({ "unique": 0, "k": 30 }));
}

#[test]
fn without_codes_there_is_no_history() {
    let own = desk(3, |person, visit| person + [0, person + 3, person + 13][visit]);
    assert_eq!(of(&own, "people.csv", &[SEEN, &["--other", "seen"]])["histories"], Value::Null);
    // Codes of people with one row each link nothing.
    let once = desk(1, |person, _| person);
    assert_eq!(of(&once, "people.csv", &[CODES, SEEN, &["--other", "code,seen"]])["histories"], Value::Null);
}

#[test]
fn moved_dates_of_one_row_show_their_interval() {
    // Twenty people stay for 4 days; ten for 6 to 15, each for another number of days.
    let once = desk(1, |person, _| person);
    let found = of(&once, "people.csv", &[BOTH, &["--other", "seen,left"]]);
    let within = &found["histories"]["within_rows"];
    assert_eq!((&within["dates"], &within["rows"]), (&json!(["seen", "left"]), &json!(30)));
    assert_eq!(within["alone"], json!({ "unique": 10, "k": 1 }));
    assert_eq!(within["with_quasi"], json!({ "unique": 10, "k": 1 }));
    assert_eq!(found["histories"]["linked"], json!([]));
    assert!(
        found["warnings"]
            .to_string()
            .contains("10 of 30\u{a0}rows (33.3\u{a0}%) are alone in the time between seen and left"),
        "{found}"
    );
    // A quasi-identifier counts as it is released: in groups of five nobody is alone.
    let quasi = [
        "anonymize",
        "people.csv",
        "-o",
        "out/release.csv",
        "--k",
        "5",
        "--subject",
        "patient",
        "--quasi",
        "seen,left",
    ];
    let run = once.run(&arguments(&[&quasi, SECRETS, BOTH, &["--rest", "drop"]])).succeeds();
    let found: Value = serde_json::from_str(&run.out).expect("one object");
    let within = &found["histories"]["within_rows"];
    assert_eq!(within["with_quasi"]["unique"], 0, "{found}");
    assert_eq!(told(&found), (0, 0), "{found}");
}
