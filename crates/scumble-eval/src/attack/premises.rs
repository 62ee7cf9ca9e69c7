//! Runs the attacks that rest on how a release was made on releases of every algorithm. The attackers' premises must be
//! true of what this project publishes, or their figures would be about nobody.

use std::collections::BTreeSet;

use scumble::registry::ALGORITHMS;
use scumble::search::algorithms::Fineness;

use super::planned::Staged;
use super::{Attack, Figure, Finding, definetti, downcoding, minimality};

/// Sixty people of no particular kind.
fn people() -> String {
    let mut text = "town,age,sex,illness,outcome".to_owned();
    for person in 0..60_u32 {
        let mixed = person * 37 % 101;
        let (town, age) = (["a1", "a2", "a3", "b1", "b2", "c1"][(mixed % 6) as usize], 20 + mixed * 13 % 47);
        let (sex, illness) =
            (["f", "m"][(person % 2) as usize], ["flu", "cold", "cancer", "none"][(mixed / 7 % 4) as usize]);
        text += &format!(
            "\n{town},{age},{sex},{illness},{}",
            ["yes", "no"][usize::from(mixed % 5 < 2 || age > 50)]
        );
    }
    text
}

fn plan(algorithm: &str, models: &str) -> String {
    format!(
        r#"
        input = "a.csv"
        output = "b.csv"
        accept_attribute_disclosure = true
        [columns]
        town = {{ role = "quasi", type = "text", hierarchy = {{ build = "prefix" }} }}
        age = {{ role = "quasi", hierarchy = {{ build = "widths", widths = [5, 10, 20] }} }}
        sex = {{ role = "quasi" }}
        illness = {{ role = "sensitive" }}
        outcome = {{ role = "class" }}
        {models}
        [algorithm]
        name = "{algorithm}"
        "#
    )
}

const K: &str = "[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n";
const L: &str = "[[privacy]]\nmodel = \"l_diversity\"\nvariant = \"frequency\"\nl = 2\n";

fn check(finding: &Finding, what: &str) {
    let shares = finding.at_risk.iter().map(|share| share.value).chain(finding.worst);
    shares.for_each(|share| assert!((0.0..=1.0 + 1e-9).contains(&share), "{what}: {share}"));
    assert!(finding.figures.iter().all(|figure| figure.value.is_finite()), "{what}: {:?}", finding.figures);
    assert!(finding.not_run.is_some() || finding.at_risk.is_some(), "{what}");
}

#[test]
fn what_is_taken_for_granted_is_true_of_every_algorithm() {
    let attacks: [&Attack; 3] = [&minimality::ATTACK, &definetti::ATTACK, &downcoding::ATTACK];
    let mut premises = BTreeSet::new();
    for entry in &ALGORITHMS {
        for models in [K, L] {
            let Some(staged) = Staged::tried(&plan(entry.name, models), &people()) else { continue };
            let staged = staged.at_their_places();
            for attack in attacks {
                for finding in (attack.run)(&staged.case()).expect("findings") {
                    let what = format!("{} on {} with {models}", attack.name, entry.name);
                    check(&finding, &what);
                    let said = |figure: &&Figure| {
                        figure.name.contains("premise is true") || figure.name.contains("that are true")
                    };
                    for figure in finding.figures.iter().filter(said) {
                        premises.insert((attack.name, entry.name));
                        // Cluster algorithms do not try parts of a cluster, and top-down searches refine only what
                        // helps to predict the class column. There the premise is a guess, and a figure shows how often
                        // it is true.
                        let algorithm = (entry.build)(&Default::default()).expect("it can be built");
                        let guesses = attack.name == minimality::ATTACK.name
                            || algorithm.capabilities().fineness == Fineness::OneTellingStep;
                        let promised = !guesses || entry.name.contains("mondrian");
                        assert!(figure.value == 1.0 || !promised, "{what}: {} {}", figure.name, figure.value);
                    }
                }
            }
        }
    }
    let found = |attack: &str| premises.iter().filter(|(name, _)| *name == attack).count();
    // Two Mondrians and five clusterings, local suppression, and those of the eighteen algorithms with a known premise
    // that suit this table.
    assert!(found("minimality") >= 7, "{premises:?}");
    assert!(found("downcoding") >= 14, "{premises:?}");
}
