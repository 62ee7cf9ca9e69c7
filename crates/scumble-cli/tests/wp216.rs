//! The three criteria of Opinion 05/2014: on the page, in the report and in `--json` of `scumble attack`.

mod common;

use common::{Desk, arguments};
use serde_json::Value;

/// A release of the sample, with groups of twenty people and three illnesses in each, at least. The plan names the thresholds.
fn desk(thresholds: &str) -> Desk {
    let desk = Desk::new();
    let rows: String = (0..400)
        .map(|row| {
            let (age, sex, zip) = (20 + row * 7 % 60, ["f", "m"][row % 2], row * 3 % 9);
            format!("{age},{sex},{zip}000,{}\n", ["flu", "gout", "acne", "cough"][row * row % 7 % 4])
        })
        .collect();
    desk.file("people.csv", format!("age,sex,zip,illness\n{rows}"));
    desk.file("release.toml", plan(thresholds));
    desk.run(&["anonymize", "release.toml"]).succeeds();
    desk
}

fn plan(thresholds: &str) -> String {
    format!(
        "input = \"people.csv\"\noutput = \"release.csv\"\nreport = \"report\"\n[columns]\nage = {{ role = \"quasi\" }}\nsex = {{ role = \"quasi\" }}\n\
         zip = {{ role = \"quasi\" }}\nillness = {{ role = \"sensitive\" }}\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 20\n[[privacy]]\n\
         model = \"l_diversity\"\nl = 3\n{thresholds}"
    )
}

const ATTACK: &[&str] = &["attack", "release.csv", "--original", "people.csv", "--plan", "release.toml"];

fn answers(found: &Value) -> Vec<(String, String)> {
    let criteria = found["wp216"]["criteria"].as_array().expect("three criteria");
    let text = |of: &Value| of.as_str().expect("a text").to_owned();
    criteria.iter().map(|of| (text(&of["name"]), text(&of["answer"]))).collect()
}

fn attacked(desk: &Desk, more: &[&str]) -> Value {
    let run = desk.run(&arguments(&[ATTACK, &["--json"], more])).succeeds();
    serde_json::from_str(&run.out).expect("one object")
}

const LOOSE: &str = "[wp216]\nrisk = 1\nlinked = 1\nposterior = 1\nadvantage = 1\n";

#[test]
fn loose_thresholds_are_met_and_strict_ones_are_not() {
    let desk = desk(LOOSE);
    let found = attacked(&desk, &["--output", "attacks.html", "--report", "report"]);
    let all = |answer: &str| {
        ["singling_out", "linkability", "inference"].map(|name| (name.to_owned(), answer.to_owned())).to_vec()
    };
    assert_eq!(answers(&found), all("met"), "{}", found["wp216"]);
    for page in ["attacks.html", "report/report.html"] {
        let page = desk.text(page);
        assert!(
            page.contains("Singling out, linkability, inference") && page.contains("met by the thresholds")
        );
        assert!(!page.contains("compliant"));
    }
    let said = found["wp216"].to_string().to_lowercase();
    assert!(!said.contains("anonymous") && !said.contains("compliant"), "{said}");
    assert_eq!(desk.json("report/report.json")["criteria"], found["wp216"]);
    // Each threshold fails its own criterion.
    for (strict, failing) in [("risk", "singling_out"), ("linked", "linkability"), ("posterior", "inference")]
    {
        desk.file("release.toml", plan(&LOOSE.replace(&format!("{strict} = 1"), &format!("{strict} = 0"))));
        let answers = answers(&attacked(&desk, &[]));
        for (name, answer) in answers {
            assert_eq!(answer, if name == failing { "not_met" } else { "met" }, "{strict}: {name}");
        }
    }
    let run = desk.run(&arguments(&[ATTACK, &["--output", "attacks.html"]])).succeeds();
    assert!(
        run.out.contains("Inference: not met") && run.out.contains("It is the controller's to make."),
        "{}",
        run.out
    );
    assert!(desk.text("attacks.html").contains("cannot be called met: inference"), "a point of the verdict");
}

#[test]
fn attacks_that_were_not_asked_for_leave_a_criterion_open() {
    let desk = desk(LOOSE);
    let found = attacked(&desk, &["--only", "linkage,singling_out"]);
    let answers: Vec<String> = answers(&found).into_iter().map(|(_, answer)| answer).collect();
    assert_eq!(answers, ["met", "met", "not_measured"]);
    let missing = &found["wp216"]["criteria"][2]["measures"][0]["missing"];
    assert_eq!(missing, "The attack homogeneity was not asked for.");
}

#[test]
fn the_criteria_are_there_if_the_plan_or_the_user_asks() {
    let desk = desk("");
    assert!(attacked(&desk, &["--only", "linkage"]).get("wp216").is_none());
    let found = attacked(&desk, &["--only", "linkage", "--wp216"]);
    // Groups of twenty: at most one person in twenty is linked.
    assert_eq!(found["wp216"]["criteria"][1]["measures"][0]["limit"], 0.05);
    assert_eq!(answers(&found)[0].1, "not_measured");
    desk.file("release.toml", plan("[wp216]\nrisk = 2\n"));
    desk.refuses(2, &["release.toml", "numbers from 0 to 1"], ATTACK);
}

#[test]
fn the_template_writes_thresholds_and_nothing_else() {
    let desk = Desk::new();
    desk.run(&["sample", "--rows", "600", "-o", "clinic.csv"]).succeeds();
    desk.run(&["init", "clinic.csv", "--accept", "-o", "plain.toml"]).succeeds();
    desk.run(&["init", "clinic.csv", "--template", "wp216", "--accept", "-o", "release.toml"]).succeeds();
    let read = |name: &str| {
        let mut plan = scumble::config::Plan::from_toml(&desk.text(name), name).expect("a plan");
        (plan.template, plan.template_version) = (None, None);
        plan
    };
    let mut made = read("release.toml");
    assert_eq!(made.wp216.take(), Some(scumble::config::Wp216Spec::default()));
    assert_eq!(made, read("plain.toml"));
    // A more lenient threshold departs from the template, and that is no obstacle.
    desk.file("release.toml", desk.text("release.toml").replace("posterior = 0.5", "posterior = 0.9"));
    let run = desk.run(&["check", "release.toml"]).succeeds();
    assert!(run.out.contains("the threshold posterior of the report is 0.9"), "{}{}", run.out, run.err);
}
