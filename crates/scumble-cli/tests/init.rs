//! `scumble init`, `demo` and the commands that only print information.

mod common;

use common::{Desk, arguments};
use scumble::config::{Plan, Role};
use scumble::registry::{ALGORITHMS, METRICS, MODELS, RECORD_ALGORITHMS, TABLES_ALGORITHMS, algorithm_names};

fn clinic() -> Desk {
    let desk = Desk::new();
    desk.run(&["sample", "--rows", "1500", "-o", "patients.csv", "--hierarchies", "trees"]).succeeds();
    desk
}

#[test]
fn a_plan_is_refused_until_every_guess_is_confirmed() {
    let desk = clinic();
    let run = desk.run(&["init", "patients.csv"]).succeeds();
    assert!(run.err.contains("15 columns of 1,500 rows") && run.err.contains("Next:"), "{}", run.err);
    desk.refuses(2, &["only guessed", "birth_date", "diagnosis"], &["anonymize", "release.toml"]);
    let plan = desk.text("release.toml");
    assert!(plan.contains("role = \"?quasi\"") && plan.contains("role = \"?identifier\""));
    // Removing the question marks confirms the guesses. Removing all but one is not enough.
    desk.file("release.toml", plan.replace("\"?", "\"").replacen("role = \"quasi\"", "role = \"?quasi\"", 1));
    desk.refuses(2, &["1 role is only guessed: birth_date"], &["anonymize", "release.toml"]);
    desk.file("release.toml", plan.replace("\"?", "\""));
    desk.run(&["anonymize", "release.toml"]).succeeds();
}

#[test]
fn accepted_guesses_run_and_hold() {
    let desk = clinic();
    let run = desk.run(&["init", "patients.csv", "--accept"]).succeeds();
    assert!(run.err.contains("Next: scumble anonymize release.toml"), "{}", run.err);
    let plan = Plan::load(&desk.path("release.toml")).unwrap();
    let names = |role| plan.names_with(role).collect::<Vec<_>>();
    assert_eq!(names(Role::Identifier), ["patient_id", "name"]);
    assert_eq!(names(Role::Sensitive), ["diagnosis"]);
    assert_eq!(names(Role::Class), ["readmitted"]);
    assert!(names(Role::Quasi).contains(&"birth_date") && names(Role::Quasi).contains(&"postcode"));
    desk.run(&["anonymize", "release.toml"]).succeeds();
    desk.run(&["check", "patients.release.csv", "--plan", "release.toml", "--original", "patients.csv"])
        .succeeds();
}

#[test]
fn a_plan_to_standard_output() {
    let desk = clinic();
    let printed = desk.run(&["init", "patients.csv", "-o", "-"]).succeeds();
    assert!(!desk.exists("release.toml"));
    desk.run(&["init", "patients.csv"]).succeeds();
    assert_eq!(printed.out, desk.text("release.toml"));
}

#[test]
fn a_plan_in_another_folder_finds_its_table() {
    let desk = clinic();
    std::fs::create_dir(desk.path("plans")).unwrap();
    desk.run(&["init", "patients.csv", "-o", "plans/release.toml", "--accept"]).succeeds();
    desk.run(&["anonymize", "plans/release.toml"]).succeeds();
    assert!(desk.exists("plans/patients.release.csv"));
}

#[test]
fn a_plan_keeps_how_the_table_was_read() {
    let desk = clinic();
    desk.file("other.txt", desk.text("patients.csv").replace(',', "|").replace("male", "m\u{e4}nnlich"));
    let flags = ["--delimiter", "|", "--missing-values", "unknown", "--missing", "drop-row"];
    desk.run(&arguments(&[&["init", "other.txt", "--accept"], &flags])).succeeds();
    let plan = Plan::load(&desk.path("release.toml")).unwrap();
    assert_eq!(plan.read.delimiter, Some('|'));
    assert_eq!(plan.read.missing, ["unknown"]);
    desk.run(&["anonymize", "release.toml"]).succeeds();
}

/// A hierarchy that a comment proposes must work when it is copied.
#[test]
fn the_hierarchies_that_comments_propose_can_be_written_so() {
    let desk = clinic();
    desk.run(&["init", "patients.csv", "--accept"]).succeeds();
    let plan = desk.text("release.toml");
    let line = plan.lines().find(|line| line.contains("tree of your own")).expect("such a proposal");
    let proposed = &line[line.rfind('{').unwrap()..=line.rfind('}').unwrap()];
    desk.file("release.toml", plan.replacen(line, &format!("hierarchy = {proposed}"), 1));
    // The proposed file is missing: that is an error about files, and not about how the plan is written.
    desk.refuses(3, &["tree.csv"], &["anonymize", "release.toml"]);
}

/// Two tables in one folder have plans, releases and reports of their own, and a plan names itself.
#[test]
fn plans_of_two_tables_do_not_meet() {
    let desk = clinic();
    desk.file("others.csv", desk.text("patients.csv"));
    desk.run(&["init", "patients.csv", "--accept"]).succeeds();
    let run = desk.run(&["init", "others.csv", "--accept"]).succeeds();
    assert!(run.err.contains("Next: scumble anonymize others.toml"), "{}", run.err);
    assert!(desk.text("others.toml").contains("# Then run: scumble anonymize others.toml\n"));
    desk.run(&["anonymize", "release.toml"]).succeeds();
    let first = desk.bytes("patients.release.csv");
    desk.run(&["anonymize", "others.toml"]).succeeds();
    assert_eq!(desk.bytes("patients.release.csv"), first);
    assert!(desk.exists("patients.report/report.html") && desk.exists("others.report/report.html"));
    // The same table again is refused as before.
    desk.refuses(2, &["'release.toml' is already there"], &["init", "patients.csv"]);
}

/// A release of one table is replaced by that of another only if the user says so; by one of the same table it is.
#[test]
fn a_release_of_another_table_is_not_replaced() {
    let desk = clinic();
    desk.file("others.csv", desk.text("patients.csv"));
    let flags = ["--quasi", "sex", "--rest", "drop", "--k", "5"];
    let release = |table: &str, more: &[&str]| {
        arguments(&[&["anonymize", table, "-o", "out.csv"], &flags, more])
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let run = |table: &str, more: &[&str]| {
        let words = release(table, more);
        desk.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    run("patients.csv", &[]).succeeds();
    run("patients.csv", &[]).succeeds();
    let refused = run("others.csv", &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    for words in ["out.csv' is already there, and was made from another table", "patients.csv'", "--force"] {
        assert!(refused.err.contains(words), "{}", refused.err);
    }
    // A report elsewhere does not hide where the release comes from.
    assert_eq!(run("others.csv", &["--report", "elsewhere"]).code, Some(2));
    run("others.csv", &["--force"]).succeeds();
    assert!(!desk.text("out.csv.datasheet.json").contains("others.csv"), "a datasheet names no input");
}

/// The k of a plan fits the public, who read a release if nobody says otherwise.
#[test]
fn a_plan_asks_for_what_its_readers_need() {
    let desk = clinic();
    desk.run(&["init", "patients.csv", "--accept"]).succeeds();
    let plan = desk.text("release.toml");
    assert!(plan.contains("\nk = 12\n") && plan.contains("audience = \"public\""), "{plan}");
    let run = desk.run(&["anonymize", "release.toml"]).succeeds();
    assert!(!run.err.contains("Ask for groups of at least"), "{}", run.err);
    desk.run(&["sample", "--rows", "40", "-o", "few.csv"]).succeeds();
    desk.run(&["init", "few.csv", "-o", "few.toml", "--accept"]).succeeds();
    assert!(desk.text("few.toml").contains("\nk = 5\n"));
}

#[test]
fn bad_tables() {
    let desk = Desk::new();
    desk.refuses(3, &["none.csv", "no such file"], &["init", "none.csv"]);
    desk.file("empty.csv", "");
    desk.refuses(3, &["is empty"], &["init", "empty.csv"]);
}

#[test]
fn the_demo_runs_in_a_fresh_folder_and_says_where_to_look() {
    let desk = Desk::new();
    let run = desk.run(&["demo"]).succeeds();
    for word in [
        "no person in it exists",
        "holds",
        "Where to look",
        "scumble-demo/report/report.html",
        "scumble-demo/release.csv",
    ] {
        assert!(run.err.contains(word), "{}", run.err);
    }
    for file in
        ["patients.csv", "release.toml", "release.csv", "release.csv.datasheet.md", "report/report.html"]
    {
        assert!(desk.exists(&format!("scumble-demo/{file}")), "{file}");
    }
    // The command that the demo suggests works, and so does the demo a second time.
    let line = run
        .err
        .lines()
        .find(|line| line.contains("scumble anonymize scumble-demo"))
        .expect("something to try");
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    desk.run(&words).succeeds();
    desk.run(&["demo", "--folder", "scumble-demo"]).succeeds();
    desk.run(&["demo", "--folder", "other", "--rows", "500", "--quiet"]).succeeds();
    assert!(desk.exists("other/release.csv"));
}

#[test]
fn the_demo_tells_its_story_again_word_for_word() {
    let (one, two) = (Desk::new(), Desk::new());
    assert_eq!(one.run(&["demo"]).succeeds().err, two.run(&["demo"]).succeeds().err);
    for file in ["patients.csv", "release.toml", "release.csv", "release.csv.datasheet.json"] {
        assert_eq!(
            one.bytes(&format!("scumble-demo/{file}")),
            two.bytes(&format!("scumble-demo/{file}")),
            "{file}"
        );
    }
}

#[test]
fn a_sample_has_its_rows_and_its_seed() {
    let desk = Desk::new();
    desk.run(&["sample", "--rows", "100", "-o", "a.csv"]).succeeds();
    assert_eq!(desk.text("a.csv").lines().count(), 101);
    let printed = desk.run(&["sample", "--rows", "100", "-o", "-"]).succeeds();
    assert_eq!(printed.out, desk.text("a.csv"));
    let other = desk.run(&["sample", "--rows", "100", "--seed", "7", "-o", "-"]).succeeds();
    assert_ne!(other.out, printed.out);
}

#[test]
fn the_list_and_what_it_lists() {
    let desk = Desk::new();
    let (short, all) = (desk.run(&["list"]).succeeds().out, desk.run(&["list", "--all"]).succeeds().out);
    let names = ALGORITHMS.iter().map(|entry| (entry.name, entry.title));
    let names = names.chain(RECORD_ALGORITHMS.iter().map(|entry| (entry.name, entry.title)));
    let names = names.chain(TABLES_ALGORITHMS.iter().map(|entry| (entry.name, entry.title)));
    let names = names.chain(MODELS.iter().map(|entry| (entry.name, entry.title)));
    let names = names.chain(METRICS.iter().map(|entry| (entry.name, entry.title)));
    for (name, title) in names {
        assert!(all.contains(name), "{name}");
        let told = desk.run(&["explain", name]).succeeds().out;
        assert!(told.starts_with(title), "{told}");
        let is_algorithm = algorithm_names().contains(&name);
        assert_eq!(told.contains("\nWhat it needs and serves"), is_algorithm, "{told}");
        assert_eq!(
            desk.run(&["explain", &name.replace('_', "-")]).succeeds().out,
            told,
            "hyphens are as good"
        );
    }
    assert!(short.contains("mondrian") && short.contains("--all"));
    assert!(!short.contains("iacc"), "what is superseded is shown with --all only");
}

#[test]
fn the_schema_is_json_and_knows_the_keys_of_a_plan() {
    let schema = Desk::new().run(&["schema"]).succeeds().object();
    for key in ["input", "output", "report", "columns", "privacy", "algorithm", "rest", "read"] {
        assert!(schema["properties"].get(key).is_some(), "{key}");
    }
    assert!(schema["$schema"].as_str().is_some_and(|address| address.contains("json-schema.org")));
    assert_eq!(schema["additionalProperties"], false);
    let schema = Desk::new().run(&["schema", "evaluate"]).succeeds().object();
    for key in ["seed", "protocol", "data", "algorithm", "vary", "learner", "measure", "statistics"] {
        assert!(schema["properties"].get(key).is_some(), "{key}");
    }
    assert_eq!(schema["additionalProperties"], false);
}

#[test]
fn completions_for_shells() {
    let desk = Desk::new();
    for (shell, sign) in [
        ("bash", "complete"),
        ("zsh", "#compdef scumble"),
        ("fish", "complete -c scumble"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let script = desk.run(&["completions", shell]).succeeds().out;
        assert!(script.contains(sign) && script.contains("anonymize"), "{shell}");
    }
    desk.refuses(2, &["tcsh"], &["completions", "tcsh"]);
}
