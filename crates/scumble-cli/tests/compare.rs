//! `scumble compare`: the guide's example, its outputs, algorithms that fail, and commands that are refused.

mod common;

use std::os::unix::fs::PermissionsExt;

use common::{Desk, Run, arguments, scumble};
use serde_json::Value;

/// Returns the guide's page.
fn page() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/compare.md");
    std::fs::read_to_string(path).expect("a page")
}

/// Makes a desk with a table of this many rows of the synthetic clinic.
fn desk(rows: &str) -> Desk {
    let desk = Desk::new();
    desk.run(&["sample", "--rows", rows, "-o", "patients.csv", "--hierarchies", "hierarchies"]).succeeds();
    desk
}

const ROLES: &[&str] =
    &["compare", "patients.csv", "--quasi", "birth_date,sex,occupation", "--hierarchies", "hierarchies"];

/// Flags for a few quick releases.
const FEW: &[&str] =
    &["--algorithm", "mondrian,optimal", "--k", "2,5", "--folds", "1", "--learner", "naive_bayes"];

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.out).expect("exactly one JSON object")
}

/// Removes the seconds, so that all runs give the same.
fn timeless(mut value: Value) -> Value {
    if let Some(releases) = value["releases"].as_array_mut() {
        releases.iter_mut().filter_map(Value::as_object_mut).for_each(|release| {
            assert!(release.remove("seconds").is_some_and(|seconds| seconds.is_number()));
        });
    }
    value
}

#[test]
fn the_example_of_the_guide_prints_what_it_shows() {
    let page = page();
    let shown = page.split("```console\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let (commands, printed) = shown.split_once("-o compare.html\n").expect("the command and what it prints");
    let last = commands.lines().last().map(|line| line.trim_start()).unwrap_or_default();
    let command: Vec<&str> = commands
        .split("$ scumble ")
        .nth(2)
        .expect("two commands")
        .split_whitespace()
        .filter(|word| *word != "\\")
        .chain(["-o", "compare.html"])
        .collect();
    assert!(command.len() > 5, "{last}");
    let desk = desk("600");
    let run = desk.run(&command).succeeds();
    assert_eq!(run.out + &run.err, printed);
    let mode = std::fs::metadata(desk.path("compare.html")).expect("a page").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "it is for its owner");
    let html = desk.text("compare.html");
    for part in
        ["Which release of patients.csv?", "Risk and what models get right", "Risk and detail", "recommended"]
    {
        assert!(html.contains(part), "{part} is not on the page");
    }
    for forbidden in ["<script", "http://", "https://", "NaN", "undefined"] {
        assert!(!html.contains(forbidden), "{forbidden} is on the page");
    }
}

#[test]
fn json_and_csv_say_the_same_whatever_the_threads() {
    let desk = desk("150");
    let more = ["--class", "marital_status", "--sensitive", "diagnosis", "--json", "--csv", "figures.csv"];
    let run = desk.run(&arguments(&[ROLES, FEW, &more])).succeeds();
    let found = json(&run);
    assert_eq!(found["rows"], 150);
    assert_eq!(found["quasi"], serde_json::json!(["birth_date", "sex", "occupation"]));
    assert_eq!((&found["class"], &found["k"]), (&"marital_status".into(), &serde_json::json!([2, 5])));
    assert_eq!(found["folds"], serde_json::json!({ "scored": 1, "of": 3 }));
    let releases = found["releases"].as_array().expect("releases");
    assert_eq!(releases.len(), 4);
    for release in releases {
        let (identity, guess) = (&release["attacks"]["identity"], &release["attacks"]["attribute"]);
        let number = |value: &Value| value.as_f64().expect("a number");
        assert!((0.0..=1.0).contains(&number(identity)) && guess["column"] == "diagnosis");
        let worst_off = number(&release["attacks"]["worst_off"]);
        assert_eq!(number(&release["risk"]), worst_off.max(number(&guess["advantage"])));
        assert!(worst_off >= number(identity), "{release}");
        assert_eq!(Some(worst_off), release["attained_k"].as_f64().map(|k| 1.0 / k));
        assert!(release["attained_k"].as_u64() >= release["k"].as_u64());
        assert!(number(&release["accuracy"]["by_learner"]["naive_bayes"]) <= 1.0);
        assert!(number(&release["metrics"]["c_avg"]) >= 1.0);
    }
    let words = found["recommendation"]["words"].as_str().expect("words");
    assert!(words.contains("measured on these 150 rows against attackers who know"), "{words}");
    let csv = desk.text("figures.csv");
    assert!(csv.starts_with("algorithm,standing,k,risk,"), "{csv}");
    assert_eq!(csv.lines().count(), 5);
    let column = |name: &str| {
        let place =
            csv.lines().next().and_then(|head| head.split(',').position(|of| of == name)).expect(name);
        csv.lines().skip(1).map(move |line| line.split(',').nth(place).unwrap_or_default())
    };
    assert_eq!(column("recommended").filter(|cell| *cell == "true").count(), 1);
    let marks = releases.iter().map(|release| release["not_beaten"].to_string());
    assert!(column("not_beaten").eq(marks), "{csv}");
    let mode = std::fs::metadata(desk.path("figures.csv")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "it is for its owner");
    let again = desk.run(&arguments(&[ROLES, FEW, &more, &["--threads", "1"]])).succeeds();
    assert_eq!(timeless(json(&again)), timeless(found));
}

#[test]
fn without_a_class_the_loss_decides_and_nobody_learns() {
    let desk = desk("150");
    let run = desk.run(&arguments(&[ROLES, &["--k", "5", "--for", "researchers"]])).succeeds();
    let words = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("this one keeps the most detail of them."), "{words}");
    assert!(
        words.contains("In a release for researchers nobody may be found with a chance above 20 %."),
        "{words}"
    );
    assert!(!run.out.contains("accuracy") && !run.out.contains("could not be done"), "{}", run.out);
    assert!(run.err.contains("Left out: patient_id, name, "), "{}", run.err);
}

#[test]
fn who_cannot_serve_is_told_with_the_reason() {
    let desk = desk("150");
    let named = ["--algorithm", "mondrian,tds,mdav,dmpd", "--k", "5,100"];
    let run = desk.run(&arguments(&[ROLES, &named])).succeeds();
    let (_, told) = run.out.split_once("What could not be done\n").expect("some cannot");
    assert!(told.contains("tds, k = 5, 100: ") && told.contains("needs a class column"), "{told}");
    assert!(told.contains("mdav, k = 5, 100: 'mdav' shows means"), "{told}");
    let run = desk.run(&arguments(&[ROLES, &named, &["--json"]])).succeeds();
    let refused = json(&run)["not_served"].as_array().expect("a list").clone();
    assert!(refused.iter().any(|of| of["algorithm"] == "tds" && of["what"] == "release"), "{refused:?}");
    // Overlapping records can be attacked, but new rows cannot be recoded like them.
    let records =
        ["--algorithm", "mondrian,k_concealment", "--k", "5", "--class", "marital_status", "--folds", "1"];
    let run = desk.run(&arguments(&[ROLES, &records])).succeeds();
    assert!(run.out.contains("k_concealment, k = 5: has no accuracy: records that overlap"), "{}", run.out);
    let run = desk.run(&arguments(&[ROLES, &records, &["--test", "original"]])).succeeds();
    assert!(!run.out.contains("could not be done"), "{}", run.out);
}

#[test]
fn rows_that_are_left_out_leave_no_value_behind() {
    let desk = Desk::new();
    desk.file("q.csv", "age,ill\n20,flu\n21,gout\n22,flu\n23,?\n24,gout\n25,flu\n26,gout\n27,flu\n");
    let asked = ["compare", "q.csv", "--quasi", "age", "--sensitive", "ill", "--missing", "drop-row"];
    let run = desk.run(&arguments(&[&asked, &["--algorithm", "mondrian", "--k", "2", "--json"]])).succeeds();
    assert_eq!(json(&run)["rows"], 7);
}

#[test]
fn a_plan_serves_as_well_as_flags() {
    let desk = desk("150");
    desk.file(
        "plans/release.toml",
        "input = \"../patients.csv\"\noutput = \"r.csv\"\nhierarchies = \"../hierarchies\"\nrest = \"drop\"\n\
         [columns.birth_date]\nrole = \"quasi\"\n[columns.sex]\nrole = \"quasi\"\n[columns.occupation]\nrole = \"quasi\"\n\
         [[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n",
    );
    let few = ["--algorithm", "mondrian", "--json"];
    let by_plan =
        timeless(json(&desk.run(&arguments(&[&["compare", "plans/release.toml"], &few])).succeeds()));
    assert_eq!(
        by_plan["k"],
        serde_json::json!([3, 6, 12, 24, 48]),
        "nothing below the plan's k, and the least within the limit"
    );
    let both = ["compare", "patients.csv", "--plan", "plans/release.toml"];
    let by_both = timeless(json(&desk.run(&arguments(&[&both, &few])).succeeds()));
    assert_eq!(by_both, by_plan);
    let same_model = ["--k", "3,6,12,24,48", "--model", "k_anonymity:k=3"];
    let by_flags = desk.run(&arguments(&[ROLES, &few, &same_model])).succeeds();
    assert_eq!(timeless(json(&by_flags)), by_plan);
}

/// With every risk allowed, k = 2 keeps most detail and is recommended, unless a plan asks for k = 5.
#[test]
fn nothing_below_the_plan_is_recommended() {
    let desk = desk("300");
    let plan = "input = \"patients.csv\"\noutput = \"r.csv\"\nhierarchies = \"hierarchies\"\nrest = \"drop\"\n\
                [columns.birth_date]\nrole = \"quasi\"\n[columns.sex]\nrole = \"quasi\"\n[columns.occupation]\nrole = \"quasi\"\n\
                [columns.diagnosis]\nrole = \"sensitive\"\n";
    desk.file("free.toml", plan);
    desk.file(
        "release.toml",
        format!(
            "{plan}[[privacy]]\nmodel = \"k_anonymity\"\nk = 5\n[[privacy]]\nmodel = \"l_diversity\"\nl = 3\n"
        ),
    );
    let all = ["--max-risk", "1", "--max-certain", "1"];
    let few = [&["--algorithm", "mondrian,cluster", "--budget", "2s", "--json"][..], &all].concat();
    let free = json(&desk.run(&arguments(&[&["compare", "free.toml", "--k", "2,5,10"], &few])).succeeds());
    assert_eq!(free["recommendation"]["k"], 2, "it would win");
    // A weaker l on the command line does not lower the plan's requirement.
    for more in [&[][..], &["--l", "2"], &["--model", "l_diversity:l=1"]] {
        let asked = arguments(&[&["compare", "release.toml", "--k", "2,5,10"], &few, more]);
        let found = json(&desk.run(&asked).succeeds());
        let advice = &found["recommendation"];
        assert_eq!((&advice["k"], &found["least_k"]), (&5.into(), &5.into()), "{advice}");
        assert!(advice["more_useful"].is_null(), "{advice}");
        assert!(found["models"].to_string().contains("l_diversity l = 3"), "{}", found["models"]);
        for release in found["releases"].as_array().expect("releases") {
            assert_eq!(release["below_plan"], release["k"].as_u64() < Some(5), "{release}");
        }
    }
    let words = ["compare", "release.toml", "--k", "2,3", "--algorithm", "mondrian", "--max-risk", "1"];
    let run = desk.run(&words).succeeds();
    assert!(run.out.contains("Nothing is recommended") && run.out.contains("k = 5 or more"), "{}", run.out);
    assert!(run.out.contains("below the plan") && !run.err.contains("Next:"), "{} {}", run.out, run.err);
    let none = json(&desk.run(&arguments(&[&words, &["--json"]])).succeeds());
    assert!(none["recommendation"].is_null());
}

/// The person worst off is found with a chance of one in k, so the audience sets the least k. No coarser release is recommended.
#[test]
fn the_audience_decides_how_large_groups_must_be() {
    let desk = desk("400");
    let text = |audience: &str| {
        format!(
            "input = \"patients.csv\"\noutput = \"r.csv\"\nhierarchies = \"hierarchies\"\nrest = \"drop\"\n\
             [columns.birth_date]\nrole = \"quasi\"\n[columns.sex]\nrole = \"quasi\"\n[columns.occupation]\nrole = \"quasi\"\n{audience}"
        )
    };
    desk.file("silent.toml", text(""));
    desk.file("plan.toml", text("[risk]\naudience = \"researchers\"\n"));
    let few = ["--algorithm", "mondrian,cluster", "--budget", "60s", "--json"];
    let found =
        |plan: &str, more: &[&str]| json(&desk.run(&arguments(&[&["compare", plan], &few, more])).succeeds());
    let cases: [(&str, &[&str], u64, f64); 6] = [
        ("silent.toml", &[], 12, 0.09),
        ("silent.toml", &["--for", "researchers"], 5, 0.2),
        ("silent.toml", &["--for", "inside"], 3, 1.0 / 3.0),
        ("plan.toml", &[], 5, 0.2),
        ("plan.toml", &["--for", "public"], 12, 0.09),
        ("plan.toml", &["--max-risk", "0.14"], 8, 0.14),
    ];
    for (plan, more, k, limit) in cases {
        let found = found(plan, more);
        let advice = &found["recommendation"];
        assert_eq!((&advice["k"], &found["max_risk"]), (&k.into(), &limit.into()), "{more:?} {advice}");
        assert_eq!(advice["within_max_risk"], true, "{advice}");
        let words = advice["words"].as_str().expect("words");
        assert!(
            words.contains("the person worst off is found with a chance of")
                && words.contains("the average person"),
            "{words}"
        );
    }
    // A list as coarse as 10 and 25 misses that k, and what it offers instead loses more.
    let loss = |found: &Value| {
        let advice = &found["recommendation"];
        let releases = found["releases"].as_array().expect("releases");
        let chosen =
            releases.iter().find(|of| of["k"] == advice["k"] && of["algorithm"] == advice["algorithm"]);
        chosen.and_then(|of| of["loss"].as_f64()).expect("a loss")
    };
    let coarse = found("silent.toml", &["--k", "2,5,10,25,50"]);
    assert_eq!(coarse["recommendation"]["k"], 25, "{}", coarse["recommendation"]);
    assert!(loss(&found("silent.toml", &[])) < loss(&coarse));
    desk.refuses(
        2,
        &["there are public, researchers, inside"],
        &["compare", "plan.toml", "--for", "everybody"],
    );
    desk.refuses(
        2,
        &["there are public, researchers, inside"],
        &["anonymize", "plan.toml", "--for", "everybody"],
    );
    desk.run(&["anonymize", "silent.toml", "--k", "5", "--for", "inside", "--report", ""]).succeeds();
}

/// If a sensitive value would become certain for some people and no model forbids it, the search finds a larger k that hides it.
#[test]
fn k_is_as_large_as_what_can_be_inferred_needs() {
    let desk = Desk::new();
    // Runs of 16 people of one age share an illness that nobody else has, and each run is followed by four other people.
    let line = |row: usize| {
        let ill = if row % 20 < 16 { format!("ill{}", row / 20) } else { format!("other{}", row % 4) };
        format!("{},{ill}\n", 1000 + row)
    };
    desk.file("q.csv", "number,ill\n".to_owned() + &(0..400).map(line).collect::<String>());
    let asked =
        ["compare", "q.csv", "--quasi", "number", "--sensitive", "ill", "--algorithm", "mondrian", "--json"];
    let wide = ["--max-risk", "1", "--max-certain", "1", "--k", "12"];
    let certain = json(&desk.run(&arguments(&[&asked, &wide])).succeeds());
    assert!(certain["releases"][0]["attacks"]["unprotected"]["share"].as_f64() > Some(0.0), "{certain}");
    let found = json(&desk.run(&arguments(&[&asked, &["--max-risk", "0.95"]])).succeeds());
    let advice = &found["recommendation"];
    assert_eq!(advice["within_max_risk"], true, "{advice}");
    let k = advice["k"].as_u64().expect("a k");
    let of = |k: u64| {
        let k = k.to_string();
        let asked = arguments(&[&asked, &["--max-risk", "0.95", "--k", &k]]);
        json(&desk.run(&asked).succeeds())["recommendation"]["within_max_risk"].clone()
    };
    assert_eq!(
        (of(k), of(k - 1)),
        (true.into(), false.into()),
        "k = {k} is the least beside one that does not do"
    );
    assert!(!found["k"].as_array().expect("values of k").contains(&Value::from(k - 1)), "{}", found["k"]);
}

/// Releases are compared with the population of the whole table.
#[test]
fn a_population_is_looked_at_as_a_release_does() {
    let mut desk = Desk::new();
    let people = |rows: &[usize]| {
        let line =
            |row: &usize| format!("{},t{},{}\n", 20 + row * 7 % 20, row % 3, ["yes", "no"][row * 3 / 5 % 2]);
        "age,town,ill\n".to_owned() + &rows.iter().map(line).collect::<String>()
    };
    desk.table("people.csv", &people(&(0..90).collect::<Vec<_>>()));
    desk.table("in.csv", &people(&(0..90).step_by(2).collect::<Vec<_>>()));
    let plan = |model: &str, class: &str| {
        format!(
            "input = \"in.csv\"\noutput = \"r.csv\"\npopulation = \"people.csv\"\n[columns]\nage = {{ role = \"quasi\" }}\n\
             town = {{ role = \"quasi\" }}\nill = {{ role = \"{class}\" }}\n[[privacy]]\n{model}\n[algorithm]\nname = \"optimal\"\n\
             suppression = 1\n"
        )
    };
    let few = ["compare", "release.toml", "--algorithm", "optimal,mondrian", "--json"];
    let (map, presence) =
        ("model = \"k_map\"\nk = 4", "model = \"delta_presence\"\ndelta_min = 0.3\ndelta_max = 0.7");
    for (model, class) in [(map, "drop"), (map, "class"), (presence, "drop"), (presence, "class")] {
        desk.file("release.toml", plan(model, class));
        let run = desk.run(&arguments(&[&few, &["--k", "2,4"]])).succeeds();
        let found = json(&run);
        let releases = found["releases"].as_array().expect("releases");
        assert_eq!(releases.len(), 2, "{found}");
        let refused = found["not_served"].to_string();
        assert!(refused.contains("'mondrian' does not keep track of one"), "{refused}");
        assert_eq!(found["class"].is_string(), model == map && class == "class", "{found}");
        assert!(
            releases.iter().all(|of| of["accuracy"].is_object() == found["class"].is_string()),
            "{found}"
        );
        let has_no_accuracy = refused.contains("\"accuracy\"") && refused.contains("fewer of them");
        assert_eq!(has_no_accuracy, model == presence && class == "class", "{refused}");
    }
    // The release in the comparison is the same as the published one.
    desk.file("release.toml", plan(map, "drop"));
    let compared = json(&desk.run(&arguments(&[&few, &["--k", "4"]])).succeeds());
    let released = json(&desk.run(&["anonymize", "release.toml", "--json"]).succeeds());
    assert_eq!(compared["releases"][0]["loss"], released["metrics"]["loss"]);
    desk.file("release.toml", plan(map, "drop").replace("people.csv", "elsewhere.csv"));
    desk.refuses(3, &["elsewhere.csv"], &few);
}

#[test]
fn faults_are_told_before_any_work() {
    let desk = desk("100");
    desk.refuses(
        2,
        &["--quasi a,b", "'scumble init patients.csv'", "scumble compare release.toml"],
        &["compare", "patients.csv"],
    );
    desk.refuses(2, &["say which table"], &["compare", "--json"]);
    let refuses = |words: &[&str], more: &[&str]| desk.refuses(2, words, &arguments(&[ROLES, more]));
    refuses(&["did you mean 'mondrian'?"], &["--algorithm", "mondrain"]);
    refuses(&["unknown machine-learning model 'c46'"], &["--class", "smoker", "--learner", "c46"]);
    refuses(&["folds must be at least 1"], &["--folds", "0"]);
    refuses(&["max_risk is a chance between 0 and 1; 2 % is written 0.02"], &["--max-risk", "2"]);
    refuses(&["max_certain is a share of the people between 0 and 1"], &["--max-certain", "1.5"]);
    refuses(&["public, researchers, inside", "did you mean 'public'?"], &["--for", "publik"]);
    refuses(&["--test is mapped or original"], &["--test", "mapt"]);
    refuses(&["'patients.csv' is the input that this command reads"], &["-o", "patients.csv"]);
    refuses(&["private files; give them names"], &["--csv", "-"]);
    desk.refuses(2, &["no algorithm can serve this"], &arguments(&[ROLES, &["--k", "101"]]));
    assert!(scumble(desk.root()).args(["compare", "--help"]).output().expect("help").status.success());
}
