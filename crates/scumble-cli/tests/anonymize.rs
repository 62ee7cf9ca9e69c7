//! `scumble anonymize`: what it prints, what it writes, and that the same input gives the same bytes.

mod common;

use std::collections::BTreeSet;

use common::{Desk, PEOPLE, ROLES, Run, arguments, keys, scumble};
use serde_json::Value;

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn json_is_one_object_with_the_documented_keys() {
    for algorithm in ["mondrian", "iack", "iacc"] {
        let desk = Desk::with_people();
        let limits: &[&str] =
            if algorithm == "iacc" { &["--set", "delta_d=9", "--set", "delta_c=9"] } else { &[] };
        let flags = [
            "--quasi",
            "sex",
            "--class",
            "readmitted",
            "--rest",
            "drop",
            "--k",
            "3",
            "--algorithm",
            algorithm,
            "--json",
        ];
        let run =
            desk.run(&arguments(&[&["anonymize", "people.csv", "-o", "out.csv"], &flags, limits])).succeeds();
        assert_eq!(run.err, "", "with --json a run that has nothing to warn of says nothing else");
        let object = run.object();
        let documented = [
            "algorithm",
            "parameters",
            "rows",
            "released",
            "suppressed",
            "classes",
            "models",
            "metrics",
            "warnings",
            "seconds",
            "peak_memory_bytes",
        ];
        let more = ["smallest_class", "notes", "metric_details", "verdict"];
        let searched = ["levels", "findings"];
        let expected = match algorithm {
            "mondrian" => set(&[&documented[..], &more].concat()),
            _ => set(&[&documented[..], &more, &searched].concat()),
        };
        assert_eq!(keys(&object), expected, "{algorithm}");
        assert_eq!(object["algorithm"], algorithm);
        assert_eq!((&object["rows"], &object["released"]), (&12.into(), &12.into()));
        for model in object["models"].as_array().unwrap() {
            assert!(keys(model).is_superset(&set(&["name", "required", "attained", "holds"])), "{model}");
        }
        assert_eq!(object["models"][0]["name"], "k_anonymity");
        assert_eq!(object["models"][0]["required"], 3.0);
        assert_eq!(object["models"][0]["holds"], true);
        let metrics = keys(&object["metrics"]);
        assert!(metrics.is_superset(&set(&["loss", "loss_geometric", "discernibility"])), "{metrics:?}");
        assert_eq!(
            keys(&object["seconds"]),
            set(&["read", "search", "apply", "verify", "write", "measure", "total"])
        );
        assert!(object["peak_memory_bytes"].as_u64().is_some_and(|bytes| bytes > 1 << 20));
    }
}

/// Seven women and five men, and nothing to generalise: two classes.
#[test]
fn figures_computed_by_hand() {
    let desk = Desk::with_people();
    let flags = ["--quasi", "sex", "--class", "readmitted", "--rest", "drop", "--k", "3", "--json"];
    let object =
        desk.run(&arguments(&[&["anonymize", "people.csv", "-o", "out.csv"], &flags])).succeeds().object();
    assert_eq!(object["classes"], 2);
    assert_eq!(object["smallest_class"], 5);
    assert_eq!(object["suppressed"], 0);
    assert_eq!(object["models"][0]["attained"], 5.0);
    assert_eq!(object["metrics"]["loss"], 0.0);
    assert_eq!(object["metrics"]["discernibility"], 7.0 * 7.0 + 5.0 * 5.0);
    let text = desk.text("out.csv");
    assert_eq!(text.lines().next(), Some("sex,readmitted"));
    assert_eq!(text.lines().filter(|line| line.starts_with("womanq,")).count(), 7);
}

/// One row and one group: no message says "1 rows" or "1 groups".
#[test]
fn words_are_in_the_right_number() {
    let desk = Desk::with_table("town,label\nA,yes\n");
    let run = |k: &str| {
        let flags = ["--quasi", "town", "--class", "label", "--k", k];
        desk.run(&arguments(&[&["anonymize", "people.csv", "-o", "out.csv"], &flags])).succeeds().err
    };
    let err = run("1");
    assert!(err.contains("Not ready to publish: 1 row was written to out.csv and checked"), "{err}");
    assert!(err.contains("1 group, the smallest with 1 row; 0 rows suppressed"), "{err}");
    // Two towns that must look alike are both suppressed.
    let desk = Desk::with_table("town,label\nA,yes\nB,no\n");
    let flags = ["--quasi", "town", "--class", "label", "--k", "2", "--type", "town=text"];
    let run =
        desk.run(&arguments(&[&["anonymize", "people.csv", "-o", "out.csv", "--algorithm", "iack"], &flags]));
    let err = run.succeeds().err;
    assert!(err.contains("no group is left; 2 rows suppressed (100.0 %)"), "{err}");
}

/// Every metric is reported with its details; an infinite one is no warning.
#[test]
fn metrics_are_told_with_their_details() {
    let (object, ..) = towns("paper", "4");
    let names = keys(&object["metrics"]);
    for entry in &scumble::registry::METRICS {
        assert!(names.contains(entry.name), "{} is not told", entry.name);
    }
    let details = &object["metric_details"]["query_error"];
    let figure = |value: &serde_json::Value| value.as_f64().expect("a figure");
    let error = figure(&object["metrics"]["query_error"]);
    assert!(figure(&details["lower"]) <= error && error <= figure(&details["upper"]), "{details}");
    assert_eq!(details["queries"], 1000.0);
    assert!(!object["warnings"].to_string().contains("infinite"), "{object}");
    let divergence = &object["metric_details"]["kl_divergence"];
    assert_eq!(divergence["infinite"], true, "{divergence}");
    assert!(object["metrics"]["kl_divergence"].is_null() && figure(&divergence["finite"]) > 0.0);
}

#[test]
fn the_story_for_people_goes_to_standard_error() {
    let desk = Desk::with_people();
    let run = desk.release("out.csv", &[]);
    assert_eq!(run.out, "");
    let words = [
        "Released 12 rows to out.csv",
        "3-anonymity",
        "on age, sex, postcode; checked",
        "out.csv.datasheet.md",
        "private",
    ];
    for word in words {
        assert!(run.err.contains(word), "{}", run.err);
    }
    assert_eq!(desk.release("out.csv", &["--quiet"]).err, "");
    assert!(!run.err.contains('\u{1b}'), "no colours in a pipe");
}

#[test]
fn standard_output_holds_the_release_alone() {
    let desk = Desk::with_people();
    desk.release("out.csv", &[]);
    let piped = desk.release("-", &[]);
    assert_eq!(piped.out, desk.text("out.csv"));
    assert!(piped.err.contains("Released 12 rows to standard output"), "{}", piped.err);
    let entries: Vec<_> = desk.listing().into_iter().filter(|path| path.starts_with("-")).collect();
    assert!(entries.is_empty());
}

#[test]
fn standard_input() {
    let desk = Desk::with_people();
    desk.release("out.csv", &[]);
    let piped = desk.pipe(PEOPLE.as_bytes(), &arguments(&[&["anonymize", "-", "-o", "-"], ROLES])).succeeds();
    assert_eq!(piped.out, desk.text("out.csv"));
}

#[test]
fn the_files_of_a_release() {
    let desk = Desk::with_people();
    desk.release("out.csv", &[]);
    let expected = [
        "out.csv",
        "out.csv.datasheet.json",
        "out.csv.datasheet.md",
        "out.report",
        "out.report/recoding.json",
        "out.report/report.html",
        "out.report/report.json",
        "out.report/summary.html",
        "people.csv",
    ];
    assert_eq!(desk.listing(), expected.map(Into::into).into());
    let page = desk.text("out.report/report.html");
    assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"));
    for network in ["http://", "https://", "<link", "<script src"] {
        let found = page.replace("http://www.w3.org/", "");
        assert!(!found.contains(network), "the page needs no network, but has {network}");
    }
    assert!(desk.json("out.report/report.json").is_object());
}

#[test]
fn a_run_without_a_report() {
    let desk = Desk::with_people();
    desk.release("out.csv", &["--report", ""]);
    assert!(!desk.exists("out.report") && desk.exists("out.csv.datasheet.json"));
}

#[test]
fn the_same_bytes_again_and_with_any_number_of_threads() {
    let desk = Desk::new();
    desk.run(&["sample", "--rows", "8000", "-o", "people.csv", "--hierarchies", "trees"]).succeeds();
    let many = "birth_date,sex,postcode,occupation,marital_status";
    let runs: [&[&str]; 3] = [
        &["--algorithm", "mondrian", "--k", "5", "--l", "2", "--sensitive", "diagnosis", "--quasi", many],
        &["--algorithm", "iack", "--k", "5", "--l", "2", "--sensitive", "diagnosis", "--quasi", many],
        // Its own limits decide, so it gets no model.
        &["--algorithm", "iacc", "--quasi", "sex,occupation,marital_status"],
    ];
    for flags in runs {
        let mut releases: Vec<Vec<Vec<u8>>> = Vec::new();
        for (place, threads) in ["1", "2", "1", "3"].into_iter().enumerate() {
            let output = format!("out{place}.csv");
            let first =
                ["anonymize", "people.csv", "-o", &output, "--threads", threads, "--hierarchies", "trees"];
            desk.run(&arguments(&[&first, flags, &["--class", "readmitted", "--rest", "drop"]])).succeeds();
            let ends = ["csv", "csv.datasheet.json", "csv.datasheet.md", "report/recoding.json"];
            // A datasheet names its file. Nothing else may differ.
            let text = |end: &&str| desk.text(&format!("out{place}.{end}")).replace(&output, "out.csv");
            releases.push(ends.iter().map(|end| text(end).into_bytes()).collect());
        }
        assert!(releases.windows(2).all(|pair| pair[0] == pair[1]), "{}", flags[1]);
    }
}

/// Five of town A (yes), four of B (no), one of C (yes) and one of D (no).
const TOWNS: &str = "town,label\nA,yes\nA,yes\nA,yes\nA,yes\nA,yes\nB,no\nB,no\nB,no\nB,no\nC,yes\nD,no\n";
const BY_TOWN: &[&str] = &[
    "--quasi",
    "town",
    "--class",
    "label",
    "--algorithm",
    "iack",
    "--hierarchy",
    "town={ build = \"flat\" }",
];

fn towns(policy: &str, k: &str) -> (Value, String, Run) {
    let desk = Desk::with_table(TOWNS);
    let first = ["anonymize", "people.csv", "-o", "out.csv", "--json", "--star-policy", policy, "--k", k];
    let run = desk.run(&arguments(&[&first, BY_TOWN])).succeeds();
    (run.object(), desk.text("out.csv"), run)
}

#[test]
fn starred_rows_must_meet_the_models_themselves() {
    // At k = 2 the two suppressed rows are a class of two.
    let (object, text, _) = towns("strict", "2");
    assert_eq!(
        (&object["suppressed"], &object["classes"], &object["released"]),
        (&2.into(), &2.into(), &11.into())
    );
    assert_eq!(text, "town,label\n*,no\n*,yes\nA,yes\nA,yes\nA,yes\nA,yes\nA,yes\nB,no\nB,no\nB,no\nB,no\n");
    assert_eq!(object["levels"]["town"], 0);
    // At k = 4 they are not enough, so the smallest class joins them.
    let (object, text, _) = towns("strict", "4");
    assert_eq!(
        (&object["suppressed"], &object["classes"], &object["released"]),
        (&6.into(), &1.into(), &11.into())
    );
    assert_eq!(text.matches("*,").count(), 6);
}

/// The private report says from which towns rows were taken. The risk after suppression is the risk of classes of 5, 4 and the two
/// suppressed rows.
#[test]
fn the_report_tells_whom_suppression_took() {
    let desk = Desk::with_table(TOWNS);
    let first = ["anonymize", "people.csv", "-o", "out.csv", "--json", "--star-policy", "strict", "--k", "2"];
    desk.run(&arguments(&[&first, BY_TOWN])).succeeds();
    let report = desk.json("out.report/report.json");
    let group = |value: &str, rows: u64, suppressed: u64| {
        let found = report["suppression"]["subgroups"][0]["groups"].as_array().expect("a list").iter();
        let mut found = found.filter(|group| group["value"] == value);
        let one = found.next().expect("the group");
        assert_eq!((&one["rows"], &one["suppressed"]), (&rows.into(), &suppressed.into()), "{one}");
        assert!(found.next().is_none());
    };
    assert_eq!(report["suppression"]["subgroups"][0]["column"], "town");
    group("A", 5, 0);
    group("B", 4, 0);
    group("C", 1, 1);
    group("D", 1, 1);
    let after = &report["risk"]["after"];
    assert_eq!((&after["rows"], &after["highest"]), (&11.into(), &0.5.into()), "{after}");
    assert_eq!(after["rows_at_highest"], 2, "{after}");
}

#[test]
fn suppressed_rows_can_be_left_out() {
    let (object, text, _) = towns("drop", "4");
    assert_eq!(
        (&object["suppressed"], &object["classes"], &object["released"]),
        (&2.into(), &2.into(), &9.into())
    );
    assert!(!text.contains('*'));
}

#[test]
fn the_papers_leave_starred_rows_unjudged() {
    let (object, text, _) = towns("paper", "4");
    assert_eq!(
        (&object["suppressed"], &object["classes"], &object["released"]),
        (&2.into(), &2.into(), &11.into())
    );
    assert_eq!(text.matches("*,").count(), 2);
    let warnings = object["warnings"].to_string();
    assert!(warnings.contains("2 suppressed rows are not checked"), "{warnings}");
}

#[test]
fn missing_values_are_a_value_or_dropped_or_refused() {
    let text = "town,label\nA,yes\nA,no\nA,yes\n?,no\n,yes\nNA,no\n";
    let desk = Desk::with_table(text);
    let flags = [
        "--quasi",
        "town",
        "--other",
        "label",
        "--k",
        "3",
        "--hierarchy",
        "town={ build = \"flat\" }",
        "--json",
    ];
    let run =
        |more: &[&str]| desk.run(&arguments(&[&["anonymize", "people.csv", "-o", "out.csv"], &flags, more]));
    let object = run(&[]).succeeds().object();
    assert_eq!(
        (&object["released"], &object["classes"]),
        (&6.into(), &2.into()),
        "one class of missing values"
    );
    let object = run(&["--missing", "drop-row"]).succeeds().object();
    assert_eq!((&object["rows"], &object["released"]), (&3.into(), &3.into()));
    run(&["--missing", "error"]).fails(3, &["column 'town'", "row 4"]);
    // Only declared texts are missing values: the others are towns.
    let object = run(&["--missing", "drop-row", "--missing-values", "?"]).succeeds().object();
    assert_eq!(object["rows"], 5);
}

#[test]
fn a_missing_class_label_always_drops_the_row() {
    let desk = Desk::with_table("town,label\nA,yes\nA,no\nA,?\n");
    let flags = ["--quasi", "town", "--class", "label", "--k", "2", "--json"];
    let object =
        desk.run(&arguments(&[&["anonymize", "people.csv", "-o", "out.csv"], &flags])).succeeds().object();
    assert_eq!(object["rows"], 2);
    assert!(object["warnings"].to_string().contains("1 row without a class label"), "{}", object["warnings"]);
}

/// Two spellings of one value hide nothing.
#[test]
fn diversity_counts_values_and_not_spellings() {
    for (one, other) in [("1", "1.0"), ("NA", "?"), ("NA", "")] {
        let desk = Desk::with_table(&format!("town,pay\nA,{one}\nA,{other}\nB,2\nB,3\n"));
        let flags = ["--quasi", "town", "--sensitive", "pay", "--k", "2", "--l", "2"];
        let released = arguments(&[&["anonymize", "people.csv", "-o", "out.csv"], &flags]);
        desk.run(&released).succeeds();
        assert!(!desk.text("out.csv").contains("A,"), "{}", desk.text("out.csv"));
        let checked = desk.run(&arguments(&[&["check", "people.csv"], &flags]));
        assert_eq!(checked.code, Some(1), "{checked:#?}");
    }
}

/// A single missing number must not cost all other people their numbers.
#[test]
fn a_few_missing_numbers_do_not_hide_the_others() {
    let ages: String = (0..200).map(|row| format!("{}\n", 20 + row % 50)).collect();
    let desk = Desk::with_table(&format!("age\n{ages}\"\"\n"));
    desk.run(&["anonymize", "people.csv", "--quasi", "age", "--k", "4", "-o", "out.csv"]).succeeds();
    let starred = desk.text("out.csv").lines().filter(|line| *line == "*").count();
    assert!((1..8).contains(&starred), "{starred} rows show nothing");
}

/// Releases whose names differ only in the middle have datasheets and reports of their own.
#[test]
fn names_with_dots_do_not_collide() {
    let desk = Desk::with_people();
    for name in ["visits.2023.csv", "visits.2024.csv.gz"] {
        desk.release(name, &[]);
    }
    for name in
        ["visits.2023.csv.datasheet.md", "visits.2024.csv.gz.datasheet.md", "visits.2024.report/report.html"]
    {
        assert!(desk.exists(name), "{name}");
    }
}

/// A release in which nothing is left must not look like a good one.
#[test]
fn a_release_of_nothing_but_stars_is_no_quiet_success() {
    let desk = Desk::with_table("town\nAq\nBq\nCq\nDq\n");
    let flags = ["--quasi", "town", "--k", "2", "--hierarchy", "town={ build = \"flat\" }"];
    let run = desk.run(&arguments(&[&["anonymize", "people.csv", "-o", "out.csv"], &flags]));
    // The default limit lets at most 5 % of the rows be suppressed.
    assert!(run.code == Some(1) || run.err.contains("warning:"), "{run:#?}");
}

#[test]
fn warnings_about_what_should_not_be_published() {
    let desk = Desk::with_people();
    let run = desk.release("out.csv", &["--keep-order"]);
    assert!(run.err.contains("warning: the rows keep the order of the original"), "{}", run.err);
    desk.file(
        "tight.toml",
        "input = \"people.csv\"\noutput = \"out.csv\"\nrest = \"drop\"\n[columns]\nage = { role = \"quasi\", label = \"tight\" }\n\
         [[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n",
    );
    let run = desk.run(&["anonymize", "tight.toml"]).succeeds();
    assert!(run.err.contains("warning: column 'age': released ranges end at real values"), "{}", run.err);
    assert!(desk.text("out.csv").contains("[7031,"), "{}", desk.text("out.csv"));
}

#[test]
fn files_of_a_plan_are_seen_from_the_plan_and_flags_from_here() {
    let desk = Desk::new();
    desk.file("sub/people.csv", PEOPLE);
    desk.file(
        "sub/release.toml",
        "input = \"people.csv\"\noutput = \"out.csv\"\nreport = \"private\"\nrest = \"drop\"\n[columns]\n\
         sex = { role = \"quasi\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 5\n",
    );
    desk.run(&["anonymize", "sub/release.toml"]).succeeds();
    assert!(desk.exists("sub/out.csv") && desk.exists("sub/private/report.html"));
    desk.run(&["anonymize", "sub/release.toml", "-o", "here.csv", "--report", "mine"]).succeeds();
    assert_eq!(desk.bytes("here.csv"), desk.bytes("sub/out.csv"));
    assert!(desk.exists("mine/report.html"));
    // Another release has a report of its own. The plan's own output, however its name is written, keeps the plan's report.
    let first = desk.bytes("sub/private/report.html");
    desk.run(&["anonymize", "sub/release.toml", "--k", "6", "-o", "sub/other.csv"]).succeeds();
    assert!(desk.exists("sub/other.report/report.html"));
    assert_eq!(desk.bytes("sub/private/report.html"), first);
    desk.run(&["anonymize", "sub/release.toml", "--k", "6", "-o", "sub/out.csv"]).succeeds();
    assert_ne!(desk.bytes("sub/private/report.html"), first);
    assert!(!desk.exists("sub/out.report"));
    desk.run(&["anonymize", "sub/release.toml", "--k", "8"]).succeeds();
    assert_eq!(
        desk.text("sub/out.csv").matches("{manq|womanq}").count(),
        12,
        "a flag replaces what the plan asks for"
    );
}

#[test]
fn several_models_hold_at_once() {
    let desk = Desk::with_people();
    let run = desk.release("out.csv", &["--l-variant", "entropy", "--t", "0.4", "--json"]).object();
    let names: Vec<&str> =
        run["models"].as_array().unwrap().iter().map(|model| model["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["k_anonymity", "l_diversity", "t_closeness"]);
    assert!(run["models"].as_array().unwrap().iter().all(|model| model["holds"] == true));
}

#[test]
fn values_that_look_like_labels_are_marked() {
    // A star, an interval and a set that the table itself contains must not be taken for suppressed or generalised values.
    let desk = Desk::with_table(
        "town,label\n*,yes\n*,no\n\"[1,2]\",yes\n\"[1,2]\",no\n{a|b},yes\n{a|b},no\n=x,yes\n=x,no\n",
    );
    let flags = ["--quasi", "town", "--other", "label", "--k", "2"];
    desk.run(&arguments(&[&["anonymize", "people.csv", "-o", "out.csv"], &flags])).succeeds();
    let text = desk.text("out.csv");
    for marked in ["=*,", "\"=[1,2]\",", "={a|b},", "==x,"] {
        assert_eq!(text.matches(marked).count(), 2, "{marked} in {text}");
    }
}

#[test]
fn help_and_version() {
    let desk = Desk::new();
    assert!(desk.run(&["--version"]).succeeds().out.starts_with("scumble "));
    for command in [
        "demo",
        "init",
        "anonymize",
        "check",
        "hierarchy",
        "list",
        "explain",
        "schema",
        "sample",
        "completions",
    ] {
        assert!(desk.run(&["--help"]).succeeds().out.contains(command));
        assert!(desk.run(&[command, "--help"]).succeeds().out.contains("Usage: scumble"));
    }
    let bare = Run::of(&mut scumble(desk.root()));
    assert_eq!(bare.code, Some(2));
    assert!(bare.err.contains("Usage: scumble"), "{}", bare.err);
}

/// A search that was stopped says so, and how to repeat it. One that has no result by then gives up and leaves no file.
#[test]
fn searches_that_are_stopped_say_so() {
    let desk = Desk::new();
    desk.run(&["sample", "--rows", "3000", "-o", "people.csv", "--hierarchies", "trees"]).succeeds();
    let people = "anonymize people.csv --quasi birth_date,sex,postcode,occupation,education,marital_status,country_of_birth \
                  --rest drop --k 5 --hierarchies trees --report= -o out.csv";
    let arguments =
        |more: &'static str| people.split_whitespace().chain(more.split_whitespace()).collect::<Vec<_>>();
    // There are tens of thousands of combinations, all of which it would try.
    desk.refuses(
        1,
        &[
            "the budget was spent",
            "give the search more time (--budget TIME), or give the search more steps (--steps N)",
            "mondrian",
        ],
        &arguments("--algorithm mingen --budget 1ms"),
    );
    let stopped = desk.run(&arguments("--algorithm optimal --steps 1")).succeeds();
    let steps = stopped.err.split("(steps = ").nth(1).and_then(|rest| rest.split(' ').next());
    assert!(stopped.err.contains("the search was stopped after"), "{}", stopped.err);
    assert!(steps.is_some_and(|steps| steps.parse::<u64>().is_ok()), "{}", stopped.err);
    let ended = desk.run(&arguments("--algorithm datafly")).succeeds();
    assert!(!ended.err.contains("stopped"), "{}", ended.err);
}

/// A column that `init` would call an identifier or free text is not published only because no flag mentions it.
#[test]
fn names_and_notes_are_not_published_without_a_word() {
    let mut rows = "name,age,town,note,card,shade\n".to_owned();
    for person in 0..24 {
        let note =
            format!("came in with a cough and was sent home after {person} hours; her brother called twice");
        rows += &format!(
            "Anna Qsmith{person},{},t{},{note},{},s{}\n",
            20 + person,
            person % 3,
            9000 + person,
            person % 2
        );
    }
    let desk = Desk::with_table(&rows.replace(",card", ",patient_id"));
    let asked =
        ["anonymize", "people.csv", "-o", "out.csv", "--quasi", "age,town", "--k", "3", "--rest", "other"];
    let words = ["'name': ", "'note': ", "'patient_id': ", "--identifier", "--drop", "--other"];
    let run = desk.refuses(2, &words, &asked);
    assert!(!run.err.contains("'shade'") && !run.err.contains("Qsmith"), "{}", run.err);
    assert!(!desk.exists("out.csv"));
    // The same holds in a plan.
    let plan = "input = \"people.csv\"\noutput = \"out.csv\"\nrest = \"other\"\n[columns]\nage = { role = \"quasi\" }\n\
                town = { role = \"quasi\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n";
    desk.file("release.toml", plan);
    desk.refuses(2, &words, &["anonymize", "release.toml"]);
    // Given roles are accepted, but in a plan free text and names need consent.
    let more = ["--identifier", "patient_id", "--other", "note,name"];
    desk.refuses(
        2,
        &["column 'note': ", "look like free text", "column 'name': ", "look like names of people"],
        &arguments(&[&asked, &more]),
    );
    let more = ["--drop", "name,note", "--other", "patient_id"];
    desk.run(&arguments(&[&asked, &more])).succeeds();
    assert!(desk.text("out.csv").starts_with("age,town,patient_id,shade\n"), "{}", desk.text("out.csv"));
}

/// A release that must not be published does not look like a success, though what was asked for holds and the exit code is 0.
#[test]
fn a_red_verdict_comes_first() {
    let desk = Desk::new();
    let rows: String = (0..40).map(|row| format!("{},{}\n", row % 2, row)).collect();
    desk.file("people.csv", format!("sex,code\n{rows}"));
    let run = desk
        .run(&["anonymize", "people.csv", "-o", "out.csv", "--quasi", "sex", "--other", "code", "--k", "12"])
        .succeeds();
    assert!(
        run.err.contains("Not ready to publish: 40 rows were written to out.csv and checked, but"),
        "{}",
        run.err
    );
    assert!(!run.err.contains("Released") && !run.err.contains("may be published"), "{}", run.err);
}

/// A release of one group says nothing about its rows, so its verdict is not green.
#[test]
fn one_group_of_all_rows_is_not_green() {
    let desk = Desk::new();
    let rows: String = (0..40).map(|row| format!("{}\n", row % 2)).collect();
    desk.file("people.csv", format!("sex\n{rows}"));
    let run =
        desk.run(&["anonymize", "people.csv", "-o", "out.csv", "--quasi", "sex", "--k", "40"]).succeeds();
    assert!(run.err.contains("Checked, with 1 point to decide"), "{}", run.err);
}
