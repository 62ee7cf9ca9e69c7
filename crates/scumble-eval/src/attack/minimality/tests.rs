//! The attack on whole releases.

use super::super::planned::Staged;
use super::super::{Case, Finding};
use super::ATTACK;

const PLAN: &str = r#"
    input = "a.csv"
    output = "b.csv"
    [columns.place]
    role = "quasi"
    type = "text"
    hierarchy = { build = "prefix" }
    [columns.illness]
    role = "sensitive"
"#;

fn plan(rest: &str) -> String {
    format!("{PLAN}{rest}")
}

const FREQUENCY: &str = "[[privacy]]\nmodel = \"l_diversity\"\nvariant = \"frequency\"\nl = 2\n";

/// q1 has two rows, both hiv; q2 has five others.
const ORIGINAL: &str = "place,illness\nq1,hiv\nq1,hiv\nq2,a\nq2,b\nq2,c\nq2,d\nq2,e";

fn found(case: &Case<'_>) -> Finding {
    let mut found = (ATTACK.run)(case).expect("findings");
    assert_eq!(found.len(), 1);
    found.remove(0)
}

fn figure(finding: &Finding, name: &str) -> f64 {
    finding.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value).expect(name)
}

#[test]
fn the_example_of_the_specification_end_to_end() {
    let staged = Staged::released(&plan(FREQUENCY), ORIGINAL);
    // There is one class: q1 alone would be {hiv, hiv}.
    assert_eq!(staged.scene.classes.len(), 1);
    let finding = found(&staged.case());
    assert_eq!(finding.worst, Some(1.0));
    assert!(finding.sentence.contains("from 28.6\u{a0}% to 100\u{a0}%"), "{}", finding.sentence);
    // The two people of q1; those of q2 have each of their values with a chance of 1/5.
    assert_eq!(finding.at_risk.as_ref().map(|share| (share.value, share.interval)), Some((2.0 / 7.0, None)));
    assert_eq!(figure(&finding, "promised at most"), 0.5);
    let mean = figure(&finding, "average chance of the best guess, knowing the algorithm");
    assert!((mean - (2.0 + 5.0 * 0.2) / 7.0).abs() < 1e-9, "{mean}");
    assert!((figure(&finding, "guesses that are right, knowing the algorithm") - 3.0 / 7.0).abs() < 1e-9);
    assert!((figure(&finding, "guesses that are right, by the group alone") - 2.0 / 7.0).abs() < 1e-9);
    assert_eq!(figure(&finding, "of these, groups in which the attacker's premise is true"), 1.0);
}

#[test]
fn what_had_to_be_coarsened_anyway_tells_nothing() {
    // q1 has two rows and k is 3, whatever their values.
    let size = "[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n";
    let staged = Staged::released(&plan(&format!("{FREQUENCY}{size}")), ORIGINAL);
    let finding = found(&staged.case());
    assert!(finding.sentence.contains("says nothing more"), "{}", finding.sentence);
    assert_eq!(finding.at_risk.map(|share| share.value), Some(0.0));
    // The true values by the class alone: 2/7 at most.
    assert_eq!(finding.worst, Some(2.0 / 7.0));
}

#[test]
fn k_anonymity_alone_is_not_exposed() {
    let accept = format!(
        "accept_attribute_disclosure = true\n{}",
        plan("[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n")
    );
    let finding = found(&Staged::released(&accept, ORIGINAL).case());
    assert!(finding.not_run.is_some_and(|why| why.contains("not exposed")));
    assert_eq!(finding.worst, None);
}

#[test]
fn a_level_of_a_whole_column_is_refused_by_somebody() {
    // Two towns alike except for their values: at least one of them refuses the finer level.
    let plan = plan(&format!("{FREQUENCY}[algorithm]\nname = \"optimal\"\nsuppression = 0\n"));
    let original = format!("{ORIGINAL}\ns1,hiv\ns1,a\ns2,hiv\ns2,b\ns2,c\ns2,d\ns2,e");
    let staged = Staged::released(&plan, &original);
    assert_eq!(staged.scene.classes.len(), 2, "a class for each part of the country");
    let finding = found(&staged.case());
    // 26/41 is computed by hand in worlds.rs.
    assert!(finding.sentence.contains("from 28.6\u{a0}% to 63.4\u{a0}%"), "{}", finding.sentence);
    assert!(
        (figure(&finding, "highest chance of the best guess, knowing the algorithm") - 26.0 / 41.0).abs()
            < 1e-9
    );
}

#[test]
fn without_a_secret_there_is_nothing_to_ask() {
    let plan = plan("[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n").replace("sensitive", "other");
    let finding = found(&Staged::released(&plan, ORIGINAL).case());
    assert!(finding.not_run.is_some_and(|why| why.contains("no sensitive column")));
}

#[test]
fn suppressed_rows_and_missing_values_are_people_too() {
    let release = "place,illness\n*,hiv\n*,hiv\nq*,a\nq*,b\nq*,?\nq*,d\nq*,e";
    let original = ORIGINAL.replace("q2,c", "q2,?");
    let finding = found(&Staged::written(&plan(FREQUENCY), &original, release).case());
    assert_eq!(finding.not_run, None);
    assert!(finding.worst.is_some_and(|worst| worst > 0.0));
}
