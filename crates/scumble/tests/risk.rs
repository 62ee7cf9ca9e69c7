//! Thresholds on the risk of the whole table, on top of every algorithm: what is released keeps them by a count of the released
//! strings, and the class size that was asked for on the way is the least one.

mod common;

use common::demand::Demand;
use common::naive::{Strings, is_star};
use common::run::{Ask, write_inputs};
use common::seeded;
use common::table::{Table, all_kinds, kinds_for, tables_of};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use scumble::config::{ModelSpec, Parameters, StarPolicy, Value};
use scumble::problem::Progress;
use scumble::registry::ALGORITHMS;
use scumble::release::{RunOptions, anonymize};
use scumble::{Error, ErrorKind};

/// At most this many hundredths: the mean risk, and the share of records at a risk above 0.3.
#[derive(Debug, Clone, Copy)]
struct Thresholds {
    average: Option<u64>,
    at_risk: Option<u64>,
}

impl Thresholds {
    fn spec(self) -> ModelSpec {
        let hundredths = |number: u64| Value::Text(format!("{number}/100"));
        let mut parameters = Parameters::default();
        if let Some(average) = self.average {
            parameters.set("average", hundredths(average));
        }
        if let Some(share) = self.at_risk {
            parameters.set("highest", hundredths(30));
            parameters.set("at_risk", hundredths(share));
        }
        ModelSpec { model: "average_risk".into(), columns: Vec::new(), quasi: None, parameters }
    }

    /// Whether classes of these sizes keep them.
    fn hold(self, sizes: &[u64]) -> bool {
        let rows: u64 = sizes.iter().sum();
        // 1/3 is above 0.3, 1/4 is not.
        let risky: u64 = sizes.iter().filter(|size| **size < 4).sum();
        self.average.is_none_or(|average| 100 * sizes.len() as u64 <= average * rows)
            && self.at_risk.is_none_or(|share| 100 * risky <= share * rows)
    }
}

/// The sizes of the classes that a run releases, and the class size that was found to be enough.
fn released(table: &Table, ask: &Ask, models: Vec<ModelSpec>) -> Result<(Vec<u64>, Option<u64>), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    write_inputs(table, folder.path());
    let options = &mut RunOptions {
        folder: folder.path(),
        progress: Progress::default(),
        stage: &|_| {},
        standard_output: None,
    };
    let mut plan = ask.plan(table);
    plan.privacy = models;
    let summary = anonymize(&plan, options)?.summary;
    let text = std::fs::read_to_string(folder.path().join("release.csv")).expect("a release");
    let strings = Strings::parse(&text);
    let judged = strings.classes(&table.quasi()).into_iter();
    let judged = judged.filter(|(shown, _)| ask.policy != StarPolicy::Paper || !is_star(shown));
    let found = summary.findings.iter().find(|finding| finding.name == "k_for_risk");
    Ok((
        judged.map(|(_, rows)| rows.len() as u64).collect(),
        found.and_then(|found| found.value).map(|k| k as u64),
    ))
}

#[test]
fn every_algorithm_keeps_the_risk_of_the_whole_table() {
    for (place, entry) in ALGORITHMS.iter().enumerate() {
        let trees =
            (entry.build)(&Parameters::default()).expect("defaults are fine").capabilities().needs_trees;
        let strategy = (
            tables_of(kinds_for(entry.name, all_kinds(trees)), entry.name != "mdav"),
            prop::sample::select(vec![
                Thresholds { average: Some(50), at_risk: None },
                Thresholds { average: Some(30), at_risk: None },
                Thresholds { average: None, at_risk: Some(20) },
                Thresholds { average: Some(40), at_risk: Some(0) },
            ]),
            prop::sample::select(vec![StarPolicy::Strict, StarPolicy::Paper, StarPolicy::Drop]),
        );
        let releases = std::cell::Cell::new(0);
        let outcome =
            TestRunner::new(seeded(900 + place as u64, 4)).run(&strategy, |(table, thresholds, policy)| {
                let ask = Ask { policy, suppression: Some("1"), ..Ask::new(entry.name, &[Demand::K(1)]) };
                match released(&table, &ask, vec![thresholds.spec()]) {
                    Ok((sizes, Some(k))) => {
                        prop_assert!(thresholds.hold(&sizes), "{:?}", sizes);
                        releases.set(releases.get() + 1);
                        if k > 1 {
                            let fewer = released(&table, &ask, vec![Demand::K(k as i128 - 1).spec()]);
                            let fewer = fewer.map(|(sizes, _)| thresholds.hold(&sizes));
                            prop_assert!(!fewer.unwrap_or(false), "k = {} would have been enough", k - 1);
                        }
                    }
                    Ok((_, None)) => prop_assert!(false, "it does not say which size was enough"),
                    Err(error) if error.kind() == ErrorKind::Infeasible => {}
                    Err(other) => prop_assert!(false, "{:?}", other),
                }
                Ok(())
            });
        outcome.unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        assert!(releases.get() > 0, "{}: nothing was ever released", entry.name);
    }
}

/// What the search for a size stands on: classes that are large enough are always enough.
#[test]
fn classes_of_a_sufficient_size_are_enough() {
    for (average, sizes) in [(50, [2, 2, 2]), (30, [4, 5, 4]), (34, [3, 3, 3])] {
        assert!(
            Thresholds { average: Some(average), at_risk: Some(if sizes[0] < 4 { 100 } else { 0 }) }
                .hold(&sizes)
        );
    }
}
