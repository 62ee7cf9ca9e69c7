//! `scumble apply`: releases of other rows, rows for testing, and what is refused.

mod common;

use std::os::unix::fs::PermissionsExt;

use common::{Desk, PEOPLE, arguments};
use serde_json::{Value, json};

/// People of another year: new ages, a postcode of another town, a person without a sex.
const OTHERS: &str = "\
readmitted,postcode,sex,age,diagnosis,name
noq,81008,womanq,7030.5,influenzaq,Rada
yesq,81017,womanq,7033,asthmaq,Rbea
noq,81018,womanq,7034,goutq,Rcora
noq,82009,manq,7036,asthmaq,Rdirk
yesq,82003,manq,7041,influenzaq,Reric
noq,82002,manq,7048,goutq,Rfalk
noq,99999,womanq,7049,goutq,Rgabi
yesq,83001,?,7050,asthmaq,Rhans
";

/// A desk with a release of [`PEOPLE`], its recoding, and [`OTHERS`].
fn desk() -> Desk {
    let mut desk = Desk::with_people();
    desk.table("others.csv", OTHERS);
    desk.release("release.csv", &["--recoding", "recoding.json", "--report", ""]);
    desk
}

fn mode(desk: &Desk, name: &str) -> u32 {
    std::fs::metadata(desk.path(name)).expect("the file is there").permissions().mode() & 0o777
}

/// Changes the saved recoding.
fn edit(desk: &Desk, change: impl FnOnce(&mut Value)) {
    let mut recoding = desk.json("recoding.json");
    change(&mut recoding);
    desk.file("recoding.json", recoding.to_string());
}

#[test]
fn its_own_rows_are_the_release_again() {
    let desk = desk();
    assert_eq!(mode(&desk, "recoding.json"), 0o600);
    desk.run(&["apply", "recoding.json", "people.csv", "-o", "again.csv"]).succeeds();
    assert_eq!(desk.text("again.csv"), desk.text("release.csv"));
    let sheet = |name: &str| desk.json(&format!("{name}.csv.datasheet.json"));
    assert_eq!(sheet("again")["statement"], sheet("release")["statement"]);
    // The same holds with the recoding of a report, from standard input to standard output, and in any order.
    desk.release("with.csv", &["--report", "report"]);
    let mut lines: Vec<&str> = PEOPLE.lines().skip(1).collect();
    lines.reverse();
    let backwards = format!("{}\n{}\n", PEOPLE.lines().next().expect("a header"), lines.join("\n"));
    let piped =
        desk.pipe(backwards.as_bytes(), &["apply", "report/recoding.json", "-", "-o", "-"]).succeeds();
    assert_eq!(piped.out, desk.text("release.csv"));
    desk.run(&["apply", "recoding.json", "people.csv", "-o", "again.parquet"]).succeeds();
    desk.run(&["apply", "recoding.json", "people.csv", "-o", "a.csv.gz", "--star-policy", "drop"]).succeeds();
}

#[test]
fn a_plan_names_the_file() {
    let desk = Desk::with_people();
    let plan = "input = \"people.csv\"\noutput = \"release.csv\"\nrecoding = \"private/rule.json\"\nrest = \"drop\"\n\
                columns.age.role = \"quasi\"\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n";
    desk.file("release.toml", plan).file("private/here", "");
    let said = desk.run(&["anonymize", "release.toml"]).succeeds().err;
    assert!(said.contains("private/rule.json  (private: for scumble apply)"), "{said}");
    desk.run(&["apply", "private/rule.json", "people.csv", "-o", "again.csv", "--rest", "drop"]).succeeds();
    assert_eq!(desk.text("again.csv"), desk.text("release.csv"));
}

#[test]
fn other_rows_become_a_release_of_their_own() {
    let desk = desk();
    let run = desk.run(&["apply", "recoding.json", "others.csv", "-o", "out.csv", "--json"]).succeeds();
    let found: Value = serde_json::from_str(&run.out).expect("one JSON object");
    assert_eq!((&found["rows"], &found["released"]), (&json!(8), &json!(8)));
    assert_eq!(found["private"], json!(false));
    assert_eq!(found["models"].as_array().expect("models").len(), 2);
    assert!(found["models"].as_array().expect("models").iter().all(|model| model["holds"] == json!(true)));
    assert!(found["smallest_class"].as_u64().expect("a class") >= 3, "{found}");
    // The columns are in the order of the release, without the name.
    assert_eq!(desk.text("out.csv").lines().next(), Some("age,sex,postcode,diagnosis,readmitted"));
    assert!(desk.text("out.csv.datasheet.md").contains("3-anonymity"));
    desk.run(&arguments(&[
        &[
            "check",
            "out.csv",
            "--original",
            "others.csv",
            "--quasi",
            "age,sex,postcode",
            "--sensitive",
            "diagnosis",
        ],
        &["--class", "readmitted", "--identifier", "name", "--k", "3", "--l", "2"],
    ]))
    .succeeds();
}

#[test]
fn private_rows_stay_where_they_are() {
    let desk = desk();
    let run = desk.run(&["apply", "recoding.json", "others.csv", "-o", "test.csv", "--private"]).succeeds();
    assert!(run.err.contains("not for publication"), "{}", run.err);
    assert_eq!(mode(&desk, "test.csv"), 0o600);
    assert!(!desk.exists("test.csv.datasheet.md"));
    let text = desk.text("test.csv");
    let labels: Vec<&str> = text.lines().skip(1).filter_map(|line| line.rsplit(',').next()).collect();
    assert_eq!(labels, ["noq", "yesq", "noq", "noq", "yesq", "noq", "noq", "yesq"]);
    // Scoring needs neither a label nor a sensitive value.
    desk.file("unlabelled.csv", "sex,age,postcode\nwomanq,7031,81007\n");
    desk.run(&["apply", "recoding.json", "unlabelled.csv", "-o", "one.csv", "--private"]).succeeds();
    let text = desk.text("one.csv");
    assert_eq!(text.lines().next(), Some("age,sex,postcode"));
    let own = desk.text("release.csv");
    let shown = text.lines().nth(1).expect("a row");
    assert!(own.lines().any(|line| line.starts_with(shown)), "{shown} is how the release shows this person");
}

#[test]
fn values_without_a_place_are_told_and_show_nothing() {
    let desk = desk();
    desk.file(
        "odd.csv",
        "age,sex,postcode\n7031,womanq,81007\nold,womanq,81007\n99,otherq,81007\n,womanq,81007\n",
    );
    let run = desk
        .run(&["apply", "recoding.json", "odd.csv", "-o", "odd.out.csv", "--private", "--json"])
        .succeeds();
    let found: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!((&found["unplaced"]["age"], &found["unplaced"]["postcode"]), (&json!(3), &Value::Null));
    let text = desk.text("odd.out.csv");
    let ages: Vec<bool> = text.lines().skip(1).map(|line| line.starts_with("*,")).collect();
    assert_eq!(ages, [false, true, true, true]);
    // Private rows have no datasheet, so nothing shows that the file comes from Scumble.
    let again = ["apply", "recoding.json", "odd.csv", "-o", "odd.out.csv", "--private"];
    desk.refuses(2, &["'odd.out.csv' is already there", "--force"], &again);
    let said = desk.run(&arguments(&[&again, &["--force"]])).succeeds().err;
    assert!(
        said.contains("age: 3 rows have a value that the recoding does not cover; they show *"),
        "{said}"
    );
}

#[test]
fn columns_must_fit() {
    let mut desk = desk();
    let apply = |more: &[&'static str]| arguments(&[&["apply", "recoding.json"], more]);
    desk.table("few.csv", "age,sex,diagnosis\n7031,womanq,influenzaq\n");
    desk.refuses(2, &["no column 'postcode'", "quasi-identifier"], &apply(&["few.csv", "-o", "x.csv"]));
    desk.table("unsensitive.csv", "age,sex,postcode\n7031,womanq,81007\n");
    desk.refuses(2, &["no column 'diagnosis'", "models read"], &apply(&["unsensitive.csv", "-o", "x.csv"]));
    desk.table("more.csv", &OTHERS.replace("name", "nickname"));
    desk.refuses(2, &["does not know nickname", "--rest drop"], &apply(&["more.csv", "-o", "x.csv"]));
    desk.run(&apply(&["more.csv", "-o", "dropped.csv", "--rest", "drop"])).succeeds();
    let words = ["'nickname': The column name suggests that it holds people's names", "--rest drop"];
    desk.refuses(2, &words, &apply(&["more.csv", "-o", "named.csv", "--rest", "other"]));
    assert!(!desk.exists("named.csv"), "names are not published without a word");
    desk.table("shades.csv", &OTHERS.replace("name", "shade"));
    desk.run(&apply(&["shades.csv", "-o", "kept.csv", "--rest", "other"])).succeeds();
    assert!(desk.text("kept.csv").starts_with("age,sex,postcode,diagnosis,readmitted,shade\n"));
    assert!(!desk.text("dropped.csv").contains("Rada"));
    // A release may lack columns that no model is about.
    desk.table("unlabelled.csv", &OTHERS.replace("readmitted", "nickname"));
    let run = desk.run(&apply(&["unlabelled.csv", "-o", "u.csv", "--rest", "drop", "-v"])).succeeds();
    assert!(run.err.contains("no readmitted"), "{}", run.err);
}

#[test]
fn too_few_rows_are_refused_or_for_oneself() {
    let mut desk = desk();
    desk.table(
        "two.csv",
        "age,sex,postcode,diagnosis,readmitted\n7031,womanq,81007,goutq,noq\n7050,manq,83001,asthmaq,noq\n",
    );
    desk.refuses(
        1,
        &["k = 3 is more than the 2 rows"],
        &["apply", "recoding.json", "two.csv", "-o", "x.csv"],
    );
    desk.run(&["apply", "recoding.json", "two.csv", "-o", "x.csv", "--private"]).succeeds();
    desk.table("none.csv", "age,sex,postcode,diagnosis,readmitted\n");
    desk.refuses(3, &["no rows"], &["apply", "recoding.json", "none.csv", "-o", "y.csv"]);
    desk.refuses(3, &["no rows"], &["apply", "recoding.json", "none.csv", "-o", "y.csv", "--private"]);
}

#[test]
fn what_is_read_is_not_overwritten() {
    let desk = desk();
    desk.file("recoding.csv", desk.text("recoding.json"));
    desk.refuses(
        2,
        &["is the recoding that this command reads"],
        &["apply", "recoding.csv", "others.csv", "-o", "recoding.csv"],
    );
    desk.refuses(2, &["input"], &["apply", "recoding.json", "others.csv", "-o", "others.csv"]);
    desk.refuses(
        2,
        &["datasheet"],
        &["apply", "recoding.json", "others.csv", "-o", "release.csv", "--private"],
    );
    desk.refuses(
        2,
        &["both want standard output"],
        &["apply", "recoding.json", "others.csv", "-o", "-", "--json"],
    );
    desk.refuses(
        2,
        &["--rest is other or drop"],
        &["apply", "recoding.json", "others.csv", "-o", "x.csv", "--rest", "keep"],
    );
    // An existing file is replaced if it is a release, or with --force, as by anonymize.
    desk.file("old.csv", "old");
    let apply = ["apply", "recoding.json", "others.csv", "-o", "old.csv"];
    desk.refuses(2, &["'old.csv' is already there", "--force"], &apply);
    assert_eq!(desk.text("old.csv"), "old");
    desk.run(&arguments(&[&apply, &["--force"]])).succeeds();
    assert!(desk.text("old.csv").starts_with("age,"));
    desk.run(&apply).succeeds();
}

#[test]
fn damaged_files_are_refused() {
    let desk = desk();
    let apply = ["apply", "recoding.json", "others.csv", "-o", "x.csv"];
    let whole = desk.bytes("recoding.json");
    desk.file("recoding.json", &whole[..whole.len() / 2]);
    desk.refuses(3, &["ends too early", "not complete"], &apply);
    desk.file("recoding.json", "");
    desk.refuses(3, &["ends too early"], &apply);
    desk.file("recoding.json", PEOPLE);
    desk.refuses(3, &["not JSON"], &apply);
    desk.file("recoding.json", "{\"algorithm\": \"nsvdist\"}");
    desk.refuses(
        3,
        &["no recoding that can be applied", "by an algorithm that publishes groups (recoding)"],
        &apply,
    );
    for (words, pointer, value) in [
        (&["version 2", "reads version 1"][..], "/scumble_recoding", json!(2)),
        (&["damaged or was changed", "'mondriaan'"], "/algorithm", json!("mondriaan")),
        (&["damaged or was changed", "'age'"], "/quasi/0/typical", json!(4_000_000)),
        (&["damaged or was changed", "'age'"], "/quasi/0/of_class/0", json!(999)),
        (&["damaged or was changed", "'age'"], "/quasi/0/values/0", json!({"span": [3, 2]})),
        (&["damaged or was changed", "line 1"], "/quasi/0/values/0", json!({"spin": [2, 3]})),
        (
            &["damaged or was changed", "'age'"],
            "/quasi/0/values/0",
            json!({"mean": {"low": 0, "high": 1, "mean": 5}}),
        ),
        (&["damaged or was changed", "'age'"], "/quasi/0/measure/scale", json!(99)),
        (&["damaged or was changed", "quasi-identifiers"], "/quasi/0/name", json!("height")),
        (&["damaged or was changed", "suppressed"], "/suppressed", json!([9999])),
        (&["damaged or was changed", "rule"], "/rule", json!({"levels": [1, 1, 1]})),
        (
            &["damaged or was changed", "rule"],
            "/rule",
            json!({"cuts": [{"cut": {"column": 0, "uppers": [[1, 0]]}}]}),
        ),
        (&["damaged or was changed"], "/columns/age/role", json!("other")),
        (&["damaged or was changed"], "/classes", json!(4_000_000_000_u32)),
    ] {
        desk.file("recoding.json", &whole);
        edit(&desk, |recoding| *recoding.pointer_mut(pointer).expect(pointer) = value);
        desk.refuses(3, words, &apply);
    }
    desk.refuses(3, &["cannot read the recoding"], &["apply", "nowhere.json", "others.csv", "-o", "x.csv"]);
}

#[test]
fn what_is_no_rule_for_other_rows_is_refused_before_any_work() {
    let desk = Desk::with_people();
    let anonymize = |algorithm: &'static str, quasi: &'static str| {
        arguments(&[
            &[
                "anonymize",
                "people.csv",
                "-o",
                "x.csv",
                "--recoding",
                "r.json",
                "--rest",
                "drop",
                "--quasi",
                quasi,
            ],
            &["--k", "3", "--algorithm", algorithm, "--sensitive", "diagnosis", "--l", "2"],
        ])
    };
    desk.refuses(2, &["'mdav' shows the means", "no recoding to save"], &anonymize("mdav", "age"));
    desk.refuses(2, &["'nsvdist' makes each record"], &anonymize("nsvdist", "age,sex"));
    desk.refuses(2, &["'anatomy' publishes several tables"], &anonymize("anatomy", "age,sex"));
    // The recoding may not have the name of another file.
    let same =
        arguments(&[&["anonymize", "people.csv", "-o", "x.csv", "--recoding", "x.csv"], common::ROLES]);
    desk.refuses(2, &["two outputs have the same name"], &same);
    let input =
        arguments(&[&["anonymize", "people.csv", "-o", "x.csv", "--recoding", "people.csv"], common::ROLES]);
    desk.refuses(2, &["input"], &input);
    // A run that fails leaves no recoding.
    let infeasible = arguments(&[
        &[
            "anonymize",
            "people.csv",
            "-o",
            "x.csv",
            "--recoding",
            "r.json",
            "--quasi",
            "age",
            "--rest",
            "drop",
        ],
        &["--k", "5000"],
    ]);
    desk.refuses(1, &["k = 5,000"], &infeasible);
}

#[test]
fn models_that_need_other_tables_are_refused() {
    let mut desk = Desk::with_people();
    desk.table("population.csv", PEOPLE);
    desk.run(&arguments(&[
        &[
            "anonymize",
            "people.csv",
            "-o",
            "x.csv",
            "--recoding",
            "r.json",
            "--quasi",
            "age,sex",
            "--rest",
            "drop",
        ],
        &[
            "--model",
            "k_map:k=3",
            "--population",
            "population.csv",
            "--algorithm",
            "optimal",
            "--suppression",
            "1",
        ],
    ]))
    .succeeds();
    let apply = ["apply", "r.json", "people.csv", "-o", "y.csv", "--rest", "drop"];
    desk.refuses(2, &["population", "--private"], &apply);
    desk.run(&arguments(&[&apply, &["--private"]])).succeeds();
}

/// A column that shows `*` for everybody says nothing, so it also fits values that have no place in the hierarchy, and does not separate
/// people.
#[test]
fn what_says_nothing_is_true_of_everything() {
    let mut desk = Desk::new();
    let row = |sex: &str, town: String| format!("{sex},{town}\n");
    let rows: String =
        (0..8).map(|place| row(if place < 4 { "f" } else { "m" }, format!("town{place}"))).collect();
    desk.table("people.csv", &format!("sex,town\n{rows}"));
    let others: String =
        (0..8).map(|place| row(if place < 4 { "f" } else { "m" }, format!("other{place}"))).collect();
    desk.table("others.csv", &format!("sex,town\n{others}"));
    let release = ["anonymize", "people.csv", "--quasi", "sex,town", "--k", "4", "--algorithm", "optimal"];
    let files = [
        "--hierarchy",
        "town={ build = \"flat\" }",
        "-o",
        "release.csv",
        "--recoding",
        "rule.json",
        "--suppression",
        "0",
    ];
    desk.run(&arguments(&[&release, &files])).succeeds();
    let run = desk.run(&["apply", "rule.json", "others.csv", "-o", "applied.csv", "--json"]).succeeds();
    let figures: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!((&figures["suppressed"], &figures["unplaced"]), (&0.into(), &json!({})), "{figures}");
    assert_eq!(desk.text("applied.csv"), desk.text("release.csv"));
    let warned = figures["warnings"].to_string();
    assert!(warned.contains("the checks cover this table alone"), "{warned}");
}
