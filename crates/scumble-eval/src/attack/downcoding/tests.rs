//! The attack on whole releases.

use super::super::planned::Staged;
use super::super::{Case, Finding};
use super::ATTACK;

fn plan(rest: &str) -> String {
    format!(
        "input = \"a.csv\"\noutput = \"b.csv\"\n[columns.town]\nrole = \"quasi\"\ntype = \"text\"\n{rest}\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n"
    )
}

const PREFIX: &str = "hierarchy = { build = \"prefix\" }";

fn found(case: &Case<'_>) -> Finding {
    let mut found = (ATTACK.run)(case).expect("findings");
    assert_eq!(found.len(), 1);
    found.remove(0)
}

fn figure(finding: &Finding, name: &str) -> f64 {
    finding.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value).expect(name)
}

const BITS: &str = "bits that a group gives away beyond its values";
const RIGHT: &str = "coarser values for which the attacker guesses exactly how many rows have which finer value, knowing the algorithm";

#[test]
fn two_rows_under_a_node_of_two_are_one_each() {
    let staged = Staged::released(&plan(PREFIX), "town\na1\na2\nb1\nb2");
    assert_eq!(staged.scene.classes.len(), 2, "a* and b*");
    let finding = found(&staged.case());
    assert_eq!(finding.at_risk.as_ref().map(|share| (share.value, share.interval)), Some((1.0, None)));
    assert!(finding.worst.is_some_and(|worst| (worst - 1.0).abs() < 1e-9));
    assert!((figure(&finding, BITS) - 1.0).abs() < 1e-9);
    assert_eq!(
        (
            figure(&finding, RIGHT),
            figure(&finding, "coarser values for which the attacker's premise is true")
        ),
        (1.0, 1.0)
    );
    assert!(finding.sentence.contains("for the rows of 100\u{a0}% of the people"), "{}", finding.sentence);
}

#[test]
fn what_is_shown_by_itself_has_nothing_finer() {
    let finding = found(&Staged::released(&plan(PREFIX), "town\na1\na1\nb1\nb1").case());
    assert_eq!(finding.at_risk.map(|share| share.value), Some(0.0));
    assert!(finding.sentence.starts_with("Outsiders cannot tell"), "{}", finding.sentence);
}

#[test]
fn sets_name_what_is_there() {
    // Without a tree the label {a|b} means that both appear.
    let finding = found(&Staged::released(&plan(""), "town\na\nb\nc\nd").case());
    assert_eq!(finding.at_risk.as_ref().map(|share| share.value), Some(1.0));
    assert!((figure(&finding, BITS) - 1.0).abs() < 1e-9);
}

#[test]
fn a_level_tells_something_about_all_classes_together() {
    // a* has 1 + 1 rows and b* has 2 + 2; a level finer a1 and a2 would be alone.
    let optimal = format!("{PREFIX}\n[algorithm]\nname = \"optimal\"\nsuppression = 0");
    let finding = found(&Staged::released(&plan(&optimal), "town\na1\na2\nb1\nb1\nb2\nb2").case());
    // No finer label is shown anywhere. Of two rows under a*, 2 of 4 worlds have no small part; of four rows under b*,
    // 8 of 16. Some class has one in 3 of 4 worlds: log2(4/3) bits for two classes.
    assert!((figure(&finding, BITS) - (4.0_f64 / 3.0).log2() / 2.0).abs() < 1e-9, "{:?}", finding.figures);
    assert_eq!(figure(&finding, "facts about many groups together that are true"), 1.0);
    assert_eq!((finding.at_risk.map(|share| share.value), finding.worst), (Some(0.0), None));
}

#[test]
fn what_promises_nothing_is_not_asked() {
    let flat = format!("{PREFIX}\n[algorithm]\nname = \"datafly\"");
    let finding = found(&Staged::released(&plan(&flat), "town\na1\na2\nb1\nb2").case());
    assert!(finding.not_run.is_some_and(|why| why.contains("does not promise")));
}

#[test]
fn missing_values_and_rows_that_show_nothing() {
    let finding = found(&Staged::written(&plan(PREFIX), "town\na1\na2\n?\nb2", "town\na*\na*\n*\n*").case());
    // a* says something about its two rows. The others show nothing at all, and no algorithm chose their labels as a
    // class.
    assert_eq!(finding.at_risk.map(|share| share.value), Some(0.5));
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let forwards = found(&Staged::released(&plan(PREFIX), "town\na1\na2\nb1\nb2\nb2\nc1\nc2\nc3").case());
    let backwards = found(&Staged::released(&plan(PREFIX), "town\nc3\nc2\nc1\nb2\nb2\nb1\na2\na1").case());
    assert_eq!(forwards, backwards);
}
