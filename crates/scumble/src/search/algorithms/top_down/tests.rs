//! Compares the descent with a recomputation from scratch, and checks the worked examples of the specification
//! step by step.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::metrics::contingency::entropy;
use crate::recoding::published::ClassView;
use crate::search::algorithms::made::{ASKED, Row, columns, problem, rows, tree_column};
use crate::table::frequency::{Cell, merged, total};
use crate::table::quasi::Value;

/// The groups of some columns under maps, as rows per payload.
fn groups(problem: &Problem, maps: &[Vec<Value>], set: &[usize]) -> Vec<Vec<Cell>> {
    let mut groups: BTreeMap<Vec<Value>, Vec<Cell>> = BTreeMap::new();
    for tuple in 0..problem.table.tuples() {
        let shown = set.iter().map(|column| maps[*column][problem.table.column(*column).get(tuple) as usize]);
        groups.entry(shown.collect()).or_default().extend_from_slice(problem.table.cells(tuple as u32));
    }
    groups.into_values().map(merged).collect()
}

/// Rows per class of the tuples whose code in a column is one of `codes`.
fn classes_of(problem: &Problem, column: usize, codes: &dyn Fn(u32) -> bool) -> [u64; 2] {
    let mut classes = [0; 2];
    for tuple in 0..problem.table.tuples() {
        if codes(problem.table.column(column).get(tuple)) {
            for cell in problem.table.cells(tuple as u32) {
                classes[problem.table.payloads().value(cell.payload, 0) as usize] += u64::from(cell.rows);
            }
        }
    }
    classes
}

/// Every refinement that is valid and beneficial, with its score, computed from the rows alone.
fn from_scratch(descent: &Descent<'_>, problem: &Problem) -> Vec<(usize, u32, usize, f64)> {
    let maps: Vec<Vec<Value>> = descent.cuts.iter().map(Cut::shown).collect();
    let sets = problem.projections().expect("class by class");
    let smallest = |maps: &[Vec<Value>], set: &[usize]| {
        groups(problem, maps, set).iter().map(|g| total(g)).min().unwrap_or(0)
    };
    let mut found = Vec::new();
    for column in 0..maps.len() {
        let open: Vec<(u32, usize)> =
            descent.cuts[column].open().map(|(value, of)| (value, of.refinements())).collect();
        for (value, refinements) in open {
            for refinement in 0..refinements {
                let mut cut = descent.cuts[column].clone();
                cut.refine(value, refinement);
                let mut finer = maps.clone();
                finer[column] = cut.shown();
                let holds = sets.iter().all(|set| {
                    groups(problem, &finer, &set.columns).iter().all(|cells| {
                        let class =
                            ClassView { size: total(cells), cells, payloads: problem.table.payloads() };
                        set.tests.iter().all(|test| test.passes(&class))
                    })
                });
                let below = |code: u32| descent.cuts[column].of_code()[code as usize] == value;
                let rows = classes_of(problem, column, &below);
                if !holds || (descent.score.needs_class() && rows.contains(&0)) {
                    continue;
                }
                let mut parts: Vec<u32> = (0..maps[column].len() as u32)
                    .filter(|code| below(*code))
                    .map(|code| cut.of_code()[code as usize])
                    .collect();
                parts.sort_unstable();
                parts.dedup();
                let total_rows: u64 = rows.iter().sum();
                let left: f64 = parts
                    .iter()
                    .map(|part| {
                        let rows = classes_of(problem, column, &|code| cut.of_code()[code as usize] == *part);
                        rows.iter().sum::<u64>() as f64 / total_rows as f64 * entropy(rows.into_iter())
                    })
                    .sum();
                let gain = entropy(rows.into_iter()) - left;
                let with: Vec<_> = sets.iter().filter(|set| set.columns.contains(&column)).collect();
                let lost: u64 = with
                    .iter()
                    .map(|set| smallest(&maps, &set.columns) - smallest(&finer, &set.columns))
                    .sum();
                let loss = lost as f64 / with.len() as f64;
                let all: Vec<usize> = (0..maps.len()).collect();
                let score = match descent.score {
                    Score::GainPerLoss => {
                        if lost == 0 {
                            gain
                        } else {
                            gain / loss
                        }
                    }
                    Score::GainPerLossAndOne => gain / (loss + 1.0),
                    Score::Gain => gain,
                    Score::Discernibility => {
                        let mut sizes: BTreeMap<Vec<Value>, (bool, u64)> = BTreeMap::new();
                        for tuple in 0..problem.table.tuples() {
                            let code = |column: usize| problem.table.column(column).get(tuple);
                            let shown =
                                all.iter().map(|column| maps[*column][code(*column) as usize]).collect();
                            let class = sizes.entry(shown).or_default();
                            *class = (
                                class.0 || below(code(column)),
                                class.1 + problem.table.weight(tuple as u32),
                            );
                        }
                        sizes.values().filter(|(shows, _)| *shows).map(|(_, size)| (size * size) as f64).sum()
                    }
                };
                found.push((column, value, refinement, score));
            }
        }
    }
    found
}

fn agrees(problem: &Problem, score: Score) -> Result<(), TestCaseError> {
    if problem.check_feasible().is_err() {
        return Ok(());
    }
    let mut descent = Descent::new(problem, score).expect("class by class");
    loop {
        let expected = from_scratch(&descent, problem);
        let found = descent.candidates(&Progress::default()).expect("not interrupted");
        let places = |candidate: &Candidate| (candidate.column, candidate.value, candidate.refinement);
        prop_assert_eq!(
            found.iter().map(places).collect::<Vec<_>>(),
            expected
                .iter()
                .map(|(column, value, refinement, _)| (*column, *value, *refinement))
                .collect::<Vec<_>>()
        );
        for (candidate, (.., score)) in found.iter().zip(&expected) {
            prop_assert!((candidate.score - score).abs() < 1e-9, "{:?}: {}", candidate, score);
        }
        // When the descent has nothing left, neither has the recomputation: the last state is maximal.
        let Some(best) = descent.best(&Progress::default()).expect("not interrupted") else { return Ok(()) };
        prop_assert!(found.iter().all(|other| other.score <= best.score + 2.0 * TIE));
        descent.refine(best);
    }
}

const SCORES: [Score; 4] = [Score::GainPerLoss, Score::GainPerLossAndOne, Score::Gain, Score::Discernibility];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_step_is_that_of_a_recomputation_from_scratch(
        (trees, rows) in any::<bool>().prop_flat_map(|trees| (Just(trees), rows(&columns(trees)))),
        asked in prop::sample::select(ASKED),
        score in prop::sample::select(&SCORES[..]),
    ) {
        agrees(&problem(columns(trees), &rows, asked), score)?;
    }
}

/// The twelve people of the specification (algorithms.md 0.9), ages as a tree.
pub(in crate::search::algorithms) fn mini(asked: &[crate::search::algorithms::made::Asked<'_>]) -> Problem {
    let ages: String = (30..=50)
        .map(|age| {
            let (low, high) = match age {
                30..=34 => ("30-34", "30-39"),
                35..=39 => ("35-39", "30-39"),
                40..=44 => ("40-44", "40-50"),
                _ => ("45-50", "40-50"),
            };
            format!("{age};{low};{high};*\n")
        })
        .collect();
    let quasi = vec![
        tree_column("sex", "M;*\nF;*\n"),
        tree_column("edu", "9th;Sec;*\n10th;Sec;*\nBach;Univ;*\nMast;Univ;*\n"),
        tree_column("age", &ages),
    ];
    let people = "M 9th 30 n|M 9th 32 n|M 10th 36 n|F 10th 34 n|F 9th 31 n|F Bach 40 y|M Bach 44 y|M Mast 46 y|F Mast 42 y|\
                  F Bach 48 n|M Mast 50 y|F 10th 38 y";
    let row = |person: &str| -> Row {
        let cells: Vec<&str> = person.split(' ').collect();
        let code = |(quasi, cell): (&crate::table::quasi::Quasi, &&str)| {
            quasi.tree().and_then(|tree| tree.code_of(cell)).expect("a leaf")
        };
        let class = u32::from(cells[3] == "y");
        (quasi.iter().zip(&cells).map(code).collect(), class, class)
    };
    let rows: Vec<Row> = people.split('|').map(row).collect();
    problem(quasi, &rows, asked)
}

/// The labels and scores of the refinements, in order.
fn sequence(asked: &[crate::search::algorithms::made::Asked<'_>], score: Score) -> Vec<String> {
    let problem = mini(asked);
    let mut descent = Descent::new(&problem, score).expect("class by class");
    let mut steps = Vec::new();
    while let Some(best) = descent.best(&Progress::default()).expect("not interrupted") {
        let quasi = &problem.quasi[best.column];
        let code = descent.cuts[best.column].of_code().iter().position(|value| *value == best.value);
        let shown = descent.cuts[best.column].shown()[code.expect("a value that is shown")];
        steps.push(format!("{} {} {:.4}", quasi.name, quasi.label(shown), best.score));
        descent.refine(best);
    }
    steps
}

#[test]
fn worked_sequences_of_the_specification() {
    let k = |k: &'static str| -> Vec<String> {
        sequence(&[("k_anonymity", &[("k", k)], None)], Score::GainPerLoss)
    };
    assert_eq!(k("3"), ["edu * 0.0583", "age * 0.3500", "edu Sec 0.0636", "edu Univ 0.1909"]);
    assert_eq!(k("2")[..3], ["edu * 0.0583", "age * 0.3500", "age 30-39 0.0792"]);
    assert_eq!(k("2").len(), 4);
    let three = [("k_anonymity", &[("k", "3")][..], None)];
    assert_eq!(
        sequence(&three, Score::GainPerLossAndOne),
        ["edu * 0.0500", "age * 0.3500", "edu Sec 0.0477", "edu Univ 0.1909"]
    );
    let lkc = [("lkc", &[("l", "2"), ("k", "3")][..], None)];
    assert_eq!(
        sequence(&lkc, Score::Gain),
        ["edu * 0.3500", "age * 0.3500", "edu Sec 0.1909", "edu Univ 0.1909"]
    );
}
