//! One rule for every command that writes files: a file that the run reads or has already written is never overwritten, and an existing
//! file is replaced only if it is recognisably from Scumble, or with `--force`.

mod common;

use common::{Desk, PEOPLE, ROLES, Run, arguments};

/// Makes a desk with a table, a plan, hierarchies, a population, a recoding and a release.
fn desk() -> Desk {
    let mut desk = Desk::with_people();
    desk.table("population.csv", PEOPLE);
    desk.file("trees/sex.csv", "womanq;*\nmanq;*\n");
    desk.file("age.txt", "mine");
    desk.file(
        "release.toml",
        "input = \"people.csv\"\noutput = \"planned.csv\"\nreport = \"planned\"\nhierarchies = \"trees\"\nrest = \"drop\"\n\
         [columns]\nage = { role = \"quasi\" }\nsex = { role = \"quasi\" }\ndiagnosis = { role = \"sensitive\" }\nreadmitted = { role = \"class\" }\n\
         [[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n[[privacy]]\nmodel = \"l_diversity\"\nl = 2\n",
    );
    desk.file(
        "evaluation.toml",
        "protocol.split = \"whole\"\n[[data]]\nname = \"people\"\nplan = \"release.toml\"\n[[algorithm]]\nname = \"mondrian\"\n\
         [vary]\nk = [2]\n[[measure]]\nmetric = \"loss\"\n",
    );
    desk.run(&arguments(&[&["anonymize", "people.csv", "-o", "made.csv", "--recoding", "rule.json"], ROLES]))
        .succeeds();
    desk
}

/// The commands that write files, each with the files it reads. `OUT` is the file that it writes.
const COMMANDS: &[(&[&str], &[&str])] = &[
    (&["anonymize", "release.toml", "-o", "OUT"], &["people.csv", "trees/sex.csv"]),
    (
        &["anonymize", "release.toml", "--recoding", "OUT"],
        &["people.csv", "release.toml", "trees/sex.csv", "planned.csv", "planned/report.json"],
    ),
    (
        &["anonymize", "release.toml", "--population", "population.csv", "--recoding", "OUT"],
        &["population.csv"],
    ),
    (&["apply", "rule.json", "people.csv", "-o", "OUT", "--rest", "drop"], &["people.csv"]),
    (&["apply", "rule.json", "people.csv", "--private", "-o", "OUT", "--rest", "drop"], &["people.csv"]),
    (&["risk", "people.csv", "--quasi", "age,sex", "-o", "OUT"], &["people.csv"]),
    (
        &["risk", "--plan", "release.toml", "--records", "OUT"],
        &["people.csv", "release.toml", "trees/sex.csv"],
    ),
    (
        &["risk", "people.csv", "--quasi", "age,sex", "--records", "x.csv", "-o", "OUT"],
        &["people.csv", "x.csv"],
    ),
    (&["sample", "--rows", "5", "--hierarchies", "hh", "-o", "OUT"], &["hh/education.csv"]),
    (&["init", "people.csv", "-o", "OUT"], &["people.csv"]),
    (&["compare", "release.toml", "--k", "2", "-o", "OUT"], &["people.csv", "release.toml", "trees/sex.csv"]),
    (&["compare", "release.toml", "--k", "2", "-o", "x.html", "--csv", "OUT"], &["people.csv", "x.html"]),
    (
        &["attack", "made.csv", "--original", "people.csv", "--plan", "release.toml", "-o", "OUT"],
        &["people.csv", "made.csv", "release.toml", "trees/sex.csv"],
    ),
    (
        &[
            "attack",
            "made.csv",
            "--original",
            "people.csv",
            "--plan",
            "release.toml",
            "--report",
            "made.report",
            "-o",
            "OUT",
        ],
        &["made.report/report.html", "made.report/report.json"],
    ),
    (&["hierarchy", "build", "people.csv", "age", "-o", "OUT"], &["people.csv"]),
    (&["hierarchy", "build", "people.csv", "sex", "-H", "trees/sex.csv", "-o", "OUT"], &["trees/sex.csv"]),
];

fn with<'a>(command: &[&'a str], target: &'a str) -> Vec<&'a str> {
    command.iter().map(|word| if *word == "OUT" { target } else { *word }).collect()
}

/// Returns an output name that the command accepts.
fn free_name(command: &[&str]) -> &'static str {
    if command.contains(&"anonymize") || command.contains(&"apply") { "free.csv" } else { "free.txt" }
}

#[test]
fn what_is_read_or_written_in_a_run_is_never_a_target() {
    let desk = desk();
    for (command, read) in COMMANDS {
        for target in *read {
            let before = desk.path(target).exists().then(|| desk.bytes(target));
            for more in [&[][..], &["--force"]] {
                let line = arguments(&[&with(command, target), more]);
                let run = desk.run(&line);
                assert_eq!(run.code, Some(2), "{line:?}: {}", run.err);
                let told = run.err.contains("that this command reads")
                    || run.err.contains("two outputs have the same name");
                assert!(
                    told && run.err.contains(target.rsplit('/').next().unwrap_or(target)),
                    "{line:?}: {}",
                    run.err
                );
                assert_eq!(before, desk.path(target).exists().then(|| desk.bytes(target)), "{line:?}");
            }
        }
    }
}

#[test]
fn a_file_that_is_not_ours_needs_force() {
    for (command, _) in COMMANDS {
        let desk = desk();
        let name = free_name(command);
        desk.file(name, "mine\n");
        let line = with(command, name);
        let run = desk.run(&line);
        run.fails(2, &[name, "already there", "--force", "another name"]);
        assert_eq!(desk.text(name), "mine\n", "{line:?}");
        desk.run(&arguments(&[&line, &["--force"]])).succeeds();
        assert_ne!(desk.text(name), "mine\n", "{line:?}");
    }
}

#[test]
fn a_second_run_is_as_easy_as_the_first() {
    let known = |command: &[&str]| {
        // Outputs that look like any file of the user.
        let unknown = ["--private", "init", "hierarchy"];
        !unknown.iter().any(|word| command.contains(word))
    };
    for (command, _) in COMMANDS.iter().filter(|(command, _)| known(command)) {
        let desk = desk();
        let line = with(command, free_name(command));
        for _ in 0..2 {
            desk.run(&line).succeeds();
        }
    }
    let desk = desk();
    for _ in 0..2 {
        desk.run(&["anonymize", "release.toml"]).succeeds();
        desk.run(&["evaluate", "evaluation.toml", "-o", "results"]).succeeds();
        desk.run(&["evaluate", "evaluation.toml", "-o", "results", "--anew"]).succeeds();
        desk.run(&["demo", "--folder", "demo", "--rows", "500", "-q"]).succeeds();
    }
    // A release that the user has changed belongs to the user.
    let text = desk.text("planned.csv");
    desk.file("planned.csv", format!("{text}\n"));
    desk.refuses(2, &["planned.csv", "SHA-256", "--force"], &["anonymize", "release.toml"]);
    desk.run(&["anonymize", "release.toml", "--force"]).succeeds();
    assert_eq!(desk.text("planned.csv"), text);
    // So does a report, a datasheet or a table of the demo.
    for name in ["planned/report.json", "planned.csv.datasheet.md"] {
        desk.file(name, "mine");
        let run = desk.run(&["anonymize", "release.toml"]);
        let told = run.err.contains("--force");
        assert!(run.code == Some(2) && told || name.ends_with("report.json"), "{name}: {}", run.err);
        desk.run(&["anonymize", "release.toml", "--force"]).succeeds();
    }
    desk.file("demo/patients.csv", "mine\n");
    desk.run(&["demo", "--folder", "demo", "--rows", "500", "-q"]).fails(2, &["patients.csv", "--force"]);
    assert_eq!(desk.text("demo/patients.csv"), "mine\n");
}

#[test]
fn evaluate_spares_what_it_reads_and_what_is_not_its_own() {
    let desk = desk();
    desk.file("data/results.csv", PEOPLE);
    desk.file(
        "data/release.toml",
        desk.text("release.toml").replace("people.csv", "results.csv").replace("\"trees\"", "\"../trees\""),
    );
    desk.file("data/evaluation.toml", desk.text("evaluation.toml"));
    for force in [&[][..], &["--force"]] {
        let line = arguments(&[&["evaluate", "data/evaluation.toml", "-o", "data"], force]);
        desk.refuses(2, &["is the input that this command reads", "results.csv"], &line);
    }
    desk.file("other/index.html", "mine");
    desk.file("other/journal.jsonl", "mine\n");
    desk.refuses(2, &["journal.jsonl", "--force"], &["evaluate", "evaluation.toml", "-o", "other", "--anew"]);
    assert_eq!(desk.text("other/journal.jsonl"), "mine\n");
}

#[test]
fn a_folder_release_that_was_changed_needs_force() {
    let desk = Desk::with_people();
    let line = [
        "anonymize",
        "people.csv",
        "-o",
        "out",
        "--algorithm",
        "anatomy",
        "--quasi",
        "age,sex,postcode",
        "--sensitive",
        "diagnosis",
        "--rest",
        "drop",
        "--l",
        "2",
    ];
    desk.run(&line).succeeds();
    desk.run(&line).succeeds();
    let rows = desk.text("out/rows.csv");
    desk.file("out/rows.csv", rows + "\n");
    let run: Run = desk.run(&line);
    run.fails(2, &["'out'", "not as its datasheet says", "--force"]);
    desk.run(&arguments(&[&line, &["--force"]])).succeeds();
    // A folder with other files is never replaced.
    desk.file("out/notes.txt", "mine");
    desk.run(&arguments(&[&line, &["--force"]])).fails(2, &["'out'", "other things"]);
    assert_eq!(desk.text("out/notes.txt"), "mine");
}

/// Files that a user creates during a run, under the name of an output or in its folder, belong to the user.
#[test]
fn what_appears_during_a_run_is_not_replaced() {
    use std::io::Write as _;
    use std::process::Stdio;
    let anatomy = [
        "--quasi",
        "age,sex,postcode",
        "--sensitive",
        "diagnosis",
        "--drop",
        "readmitted",
        "--identifier",
        "name",
        "--l",
        "2",
        "--algorithm",
        "anatomy",
    ];
    let cases: [(&str, &str, &[&str]); 3] = [
        ("out.csv", "out.csv", ROLES),
        ("out.csv", "out.report/recoding.json", ROLES),
        ("tables", "tables/notes.txt", &anatomy),
    ];
    for (output, theirs, roles) in cases {
        let desk = Desk::with_people();
        let flags = arguments(&[&["anonymize", "-", "-o", output], roles]);
        if output == "tables" {
            desk.pipe(PEOPLE.as_bytes(), &flags).succeeds();
        }
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("scumble"));
        command.args(&flags).current_dir(desk.root());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command");
        // The run has checked its outputs, and waits for its table. If it were slower than this, it would refuse them at once.
        std::thread::sleep(std::time::Duration::from_millis(400));
        desk.file(theirs, "my thesis");
        child.stdin.take().expect("a pipe").write_all(PEOPLE.as_bytes()).expect("the table is read");
        let ended = child.wait_with_output().expect("an end");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{output}: {said}");
        assert_eq!(desk.text(theirs), "my thesis", "{output}: {said}");
        assert!(output == "tables" || !desk.exists("out.csv.datasheet.json"), "{said}");
    }
}
