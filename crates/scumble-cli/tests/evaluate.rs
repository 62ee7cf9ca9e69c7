//! `scumble evaluate`: the guide's example, continuing after an interrupt, edited plans, and commands that are refused.

mod common;

use std::os::unix::fs::PermissionsExt;

use common::Desk;

/// Returns the guide's page.
fn page() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/evaluate.md");
    std::fs::read_to_string(path).expect("a page")
}

/// Returns the code blocks of one kind.
fn blocks<'a>(page: &'a str, kind: &str) -> Vec<&'a str> {
    let fence = format!("```{kind}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

/// Makes a desk with the plans of the guide and a table of this many rows.
fn desk(rows: &str) -> Desk {
    let desk = Desk::new();
    let page = page();
    for (name, text) in ["release.toml", "evaluation.toml", "measures.toml"].iter().zip(blocks(&page, "toml"))
    {
        assert!(text.starts_with(&format!("# {name}\n")), "{text}");
        desk.file(name, text);
    }
    desk.run(&["sample", "--rows", rows, "-o", "patients.csv", "--hierarchies", "hierarchies"]).succeeds();
    desk
}

/// Returns the results without the columns of times, which differ between runs.
fn results(desk: &Desk) -> Vec<String> {
    let text = desk.text("evaluation.evaluation/results.csv");
    let without_times = |line: &str| {
        let cells: Vec<&str> = line.splitn(15, ',').collect();
        format!("{},{}", cells[..12].join(","), cells[14])
    };
    text.lines().map(without_times).collect()
}

#[test]
fn the_example_of_the_guide_prints_what_it_shows() {
    let page = page();
    let shown = blocks(&page, "console")[0];
    let (sample, evaluate) = shown.split_once("$ scumble evaluate evaluation.toml\n").expect("two commands");
    assert!(sample.starts_with("$ scumble sample --rows 600 "), "{sample}");
    let desk = desk("600");
    let run = desk.run(&["evaluate", "evaluation.toml"]).succeeds();
    assert_eq!(run.out.clone() + &run.err, evaluate);
    let measured =
        blocks(&page, "console")[1].strip_prefix("$ scumble evaluate measures.toml\n").expect("a command");
    let run = desk.run(&["evaluate", "measures.toml"]).succeeds();
    assert_eq!(run.out + &run.err, measured);
    assert_eq!(
        results(&desk).len(),
        1 + 5 * 2 * (1 + 3 * 4),
        "folds, learners, original and algorithms by k"
    );
    for file in ["index.html", "results.csv", "results.parquet", "journal.jsonl"] {
        let mode = std::fs::metadata(desk.path(&format!("evaluation.evaluation/{file}")))
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{file} is for its owner");
    }
    let html = desk.text("evaluation.evaluation/index.html");
    for part in [
        "Marital status in the clinic",
        "original rows",
        "majority class",
        "Friedman over 4 blocks",
        "Mean loss on clinic",
    ] {
        assert!(html.contains(part), "{part} is not on the page");
    }
    for forbidden in ["<script", "http://", "https://", "NaN", "undefined"] {
        assert!(!html.contains(forbidden), "{forbidden} is on the page");
    }
}

#[test]
fn a_stopped_run_goes_on_and_ends_as_if_it_had_not_been_stopped() {
    let desk = desk("200");
    desk.run(&["evaluate", "evaluation.toml"]).succeeds();
    let whole = results(&desk);
    let journal = desk.text("evaluation.evaluation/journal.jsonl");
    // The journal as an interrupt leaves it: some results, and the last line cut short.
    let half: String = journal.lines().take(37).map(|line| format!("{line}\n")).collect();
    desk.file("evaluation.evaluation/journal.jsonl", format!("{half}{{\"key\":\"12"));
    let run = desk.run(&["evaluate", "evaluation.toml", "--threads", "1"]).succeeds();
    assert!(run.err.contains("37 results of an earlier run used again"), "{}", run.err);
    assert_eq!(results(&desk), whole);
    assert_eq!(desk.text("evaluation.evaluation/journal.jsonl").lines().count(), journal.lines().count());
}

#[test]
fn an_edited_plan_is_noticed_and_costs_only_what_is_new() {
    let desk = desk("200");
    desk.run(&["evaluate", "evaluation.toml"]).succeeds();
    let plan = desk.text("evaluation.toml");
    // Results do not depend on a title, but on a value of k.
    desk.file("evaluation.toml", plan.replace("Marital status", "What").replace("25]", "30]"));
    let run = desk.run(&["evaluate", "evaluation.toml"]).succeeds();
    assert!(run.err.contains("100 results of an earlier run used again"), "{}", run.err);
    assert!(
        run.err.contains("warning: 30 results in the journal belong not to this plan and its data"),
        "{}",
        run.err
    );
    assert!(run.out.contains("k = 30"), "{}", run.out);
    // All results depend on the table.
    desk.run(&["sample", "--rows", "200", "--seed", "7", "-o", "patients.csv", "--force"]).succeeds();
    let run = desk.run(&["evaluate", "evaluation.toml"]).succeeds();
    assert!(!run.err.contains("used again"), "{}", run.err);
    desk.run(&["evaluate", "evaluation.toml", "--anew"]).succeeds();
    assert_eq!(desk.text("evaluation.evaluation/journal.jsonl").lines().count(), 130);
}

#[test]
fn five_by_two_has_its_test_and_drawn_tables_their_protocol() {
    let desk = desk("150");
    let plan = desk.text("evaluation.toml");
    let protocol = "split = \"five_by_two\"\ntest = \"original\"\nsamples = 2\n";
    let plan = plan.replace("folds = 5\nnumbers = \"midpoint\"\n", protocol).replace("[2, 5, 10, 25]", "[5]");
    desk.file("evaluation.toml", &plan);
    desk.run(&["evaluate", "evaluation.toml"]).succeeds();
    let html = desk.text("evaluation.evaluation/index.html");
    assert!(html.contains("The combined F test on five times two halves"), "no F test");
    assert!(html.contains("concrete tables drawn from the release (2 each)"));
    assert_eq!(results(&desk).len(), 1 + 10 * 2 * (1 + 3));
}

#[test]
fn a_setting_that_cannot_be_served_does_not_stop_the_others() {
    let desk = desk("100");
    let plan = desk.text("evaluation.toml").replace("[2, 5, 10, 25]", "[5, 90]");
    desk.file("evaluation.toml", &plan);
    let run = desk.run(&["evaluate", "evaluation.toml"]).succeeds();
    assert!(run.out.contains("failed"), "{}", run.out);
    assert!(run.err.contains("warning: a cell failed: "), "{}", run.err);
    let html = desk.text("evaluation.evaluation/index.html");
    assert!(html.contains("What could not be done"));
}

#[test]
fn a_test_table_can_be_given() {
    let desk = desk("200");
    desk.run(&["sample", "--rows", "80", "--seed", "9", "-o", "later.csv"]).succeeds();
    let plan = desk.text("evaluation.toml");
    let plan = plan
        .replace("folds = 5\n", "split = \"given\"\n")
        .replace("plan = \"release.toml\"\n", "plan = \"release.toml\"\ntest = \"later.csv\"\n");
    desk.file("evaluation.toml", &plan);
    desk.run(&["evaluate", "evaluation.toml", "-o", "out"]).succeeds();
    let text = desk.text("out/results.csv");
    assert_eq!(text.lines().count(), 1 + 2 * (1 + 3 * 4));
    assert!(text.lines().nth(1).is_some_and(|line| line.contains(",200,80,")), "{text}");
}

#[test]
fn some_tables_may_be_scored_on_test_rows_and_others_on_folds() {
    let desk = desk("120");
    desk.run(&["sample", "--rows", "40", "--seed", "9", "-o", "later.csv"]).succeeds();
    let more = "[[data]]\nname = \"later\"\nplan = \"release.toml\"\ntest = \"later.csv\"\nvary = { k = [3] }\n\n[[algorithm]]";
    let plan =
        desk.text("evaluation.toml").replacen("[[algorithm]]", more, 1).replace("[2, 5, 10, 25]", "[5]");
    desk.file("evaluation.toml", plan);
    desk.run(&["evaluate", "evaluation.toml", "-o", "out"]).succeeds();
    let text = desk.text("out/results.csv");
    let of = |name: &str, words: &str| {
        text.lines().filter(|line| line.starts_with(name) && line.contains(words)).count()
    };
    assert_eq!((of("clinic", ",96,24,"), of("clinic", "")), (5 * 2 * 4, 5 * 2 * 4), "five folds of 120 rows");
    assert_eq!((of("later", ",120,40,"), of("later", "")), (2 * 4, 2 * 4), "the test table, once");
    assert_eq!((of("clinic,mondrian,5", ""), of("later,mondrian,3", "")), (10, 2), "each with its own k");
}

#[test]
fn releases_can_be_measured_without_learning() {
    let desk = desk("200");
    let plan = desk.text("evaluation.toml");
    let measures = "[[measure]]\nmetric = \"classification\"\ntitle = \"CM\"\n\n[[measure]]\nmetric = \"distortion-height\"\n";
    let protocol = plan.replace("folds = 5\nnumbers = \"midpoint\"\n", "split = \"whole\"\n");
    let whole = protocol[..protocol.find("[[learner]]").expect("learners")].to_owned() + measures;
    desk.file("evaluation.toml", &whole);
    let run = desk.run(&["evaluate", "evaluation.toml"]).succeeds();
    assert!(
        run.out.starts_with("CM on clinic\n") && run.out.contains("distortion-height on clinic\n"),
        "{}",
        run.out
    );
    assert!(!run.out.contains("majority class"), "{}", run.out);
    let text = desk.text("evaluation.evaluation/results.csv");
    assert_eq!(
        text.lines().count(),
        1 + 3 * 4,
        "one row for each algorithm and k, and none for original rows"
    );
    let head: Vec<&str> = text.lines().next().expect("a head").split(',').collect();
    let figure = |line: &str, name: &str| -> f64 {
        let place = head.iter().position(|column| *column == name).expect("a column");
        line.split(',').nth(place).and_then(|cell| cell.parse().ok()).expect("a figure")
    };
    for line in text.lines().skip(1) {
        assert_eq!(figure(line, "train_rows"), 200.0, "{line}");
        assert!(figure(line, "classification") > 0.0 && figure(line, "distortion_height") > 0.0, "{line}");
    }
    let html = desk.text("evaluation.evaluation/index.html");
    for part in
        ["least CM", "CM on clinic", "distortion-height on clinic", "Mean loss on clinic", "not divided"]
    {
        assert!(html.contains(part), "{part} is not on the page");
    }
    for forbidden in ["Accuracy", "Friedman", "Learnt from", "NaN"] {
        assert!(!html.contains(forbidden), "{forbidden} is on the page");
    }
    // `anonymize` reports the same figure for one of the releases.
    let asked = desk.text("release.toml") + "\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 5\n";
    desk.file("one.toml", asked);
    let json = desk.run(&["anonymize", "one.toml", "--json"]).succeeds().out;
    let line = text.lines().find(|line| line.starts_with("clinic,mondrian,5,")).expect("a line");
    let told = format!("\"classification\":{}", figure(line, "classification"));
    assert!(json.contains(&told), "{told} is not in {json}");
    // With machine-learning models, metrics are further columns.
    desk.file("evaluation.toml", format!("{}{measures}", plan.replace("[2, 5, 10, 25]", "[5]")));
    let run = desk.run(&["evaluate", "evaluation.toml", "--anew"]).succeeds();
    assert!(run.out.contains("Accuracy of c45 on clinic") && run.out.contains("CM on clinic"), "{}", run.out);
}

#[test]
fn faults_are_told_before_any_work() {
    let desk = desk("100");
    let plan = desk.text("evaluation.toml");
    let fault = |from: &str, to: &str, words: &str| {
        desk.file("evaluation.toml", plan.replace(from, to));
        desk.refuses(2, &[words], &["evaluate", "evaluation.toml"]);
    };
    fault("name = \"optimal\"", "name = \"optimel\"", "did you mean 'optimal'?");
    fault("name = \"c45\"", "name = \"c46\"", "[[learner]] 'c46': unknown machine-learning model 'c46'");
    fault("seed = 1", "sead = 1", "evaluation.toml:3:1: unknown key 'sead'; did you mean 'seed'?");
    fault("k = [", "t = [", "[vary] t: no model");
    desk.file("evaluation.toml", &plan);
    desk.file("release.toml", desk.text("release.toml").replace("role = \"class\"", "role = \"other\""));
    let words = "the plan of 'clinic' has no column with the role class";
    desk.refuses(2, &[words], &["evaluate", "evaluation.toml"]);
    assert!(!desk.path("evaluation.evaluation").exists(), "nothing was begun");
}

/// On parts of the rows delta-presence means nothing, but k-map means as much as on all rows.
#[test]
fn a_population_is_looked_at_where_that_means_something() {
    let desk = Desk::new();
    let people = |rows: usize| {
        let line = |row: usize| format!("{},{}\n", 20 + row * 7 % 20, ["yes", "no"][row * 3 / 5 % 2]);
        "age,smokes\n".to_owned() + &(0..rows).map(line).collect::<String>()
    };
    desk.file("people.csv", people(120)).file("in.csv", people(60));
    let plan = |model: &str| {
        format!(
            "input = \"in.csv\"\noutput = \"r.csv\"\npopulation = \"people.csv\"\n[columns]\nage = {{ role = \"quasi\" }}\n\
             smokes = {{ role = \"class\" }}\n[[privacy]]\n{model}\n"
        )
    };
    desk.file(
        "evaluation.toml",
        "[[data]]\nname = \"people\"\nplan = \"release.toml\"\n[[algorithm]]\nname = \"optimal\"\n[[learner]]\nname = \"majority\"\n",
    );
    desk.file("release.toml", plan("model = \"k_map\"\nk = 6"));
    let run = desk.run(&["evaluate", "evaluation.toml"]).succeeds();
    assert!(!run.out.contains("could not"), "{}", run.out);
    desk.file("release.toml", plan("model = \"delta_presence\"\ndelta_max = 0.8"));
    desk.refuses(2, &["'delta_presence'", "fewer of them"], &["evaluate", "evaluation.toml"]);
}

#[test]
fn learners_are_listed_and_explained() {
    let desk = Desk::new();
    let listed = desk.run(&["list"]).succeeds().out;
    assert!(listed.contains("Machine-learning models, for scumble evaluate\n  c45 "), "{listed}");
    let told = desk.run(&["explain", "c45"]).succeeds().out;
    assert!(
        told.contains("machine-learning model, for scumble evaluate") && told.contains("Parameters"),
        "{told}"
    );
    desk.refuses(2, &["there is nothing called 'c46'; did you mean 'c45'?"], &["explain", "c46"]);
}
