//! Compares the ascent with a recomputation from scratch, and checks the worked example of the specification
//! step by step.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::search::algorithms::made::{ASKED, columns, problem, rows};
use crate::search::algorithms::top_down::tests::mini;
use crate::table::quasi::Quasi;

/// The size of the smallest group of any set of columns, and the rows in failing groups.
fn from_scratch(problem: &Problem, step: &Step) -> (u64, u64) {
    let Step::Maps(maps) = step else { panic!("maps were asked for") };
    let (mut smallest, mut failing) = (u64::MAX, 0);
    for set in problem.projections().expect("class by class") {
        let mut groups: BTreeMap<Vec<Value>, Vec<crate::table::frequency::Cell>> = BTreeMap::new();
        for tuple in 0..problem.table.tuples() {
            let shown = set
                .columns
                .iter()
                .map(|column| maps[*column][problem.table.column(*column).get(tuple) as usize]);
            groups.entry(shown.collect()).or_default().extend_from_slice(problem.table.cells(tuple as u32));
        }
        for cells in groups.into_values().map(crate::table::frequency::merged) {
            let size = crate::table::frequency::total(&cells);
            let class = crate::recoding::published::ClassView {
                size,
                cells: &cells,
                payloads: problem.table.payloads(),
            };
            smallest = smallest.min(size);
            failing += if set.tests.iter().all(|test| test.passes(&class)) { 0 } else { size };
        }
    }
    (smallest, failing)
}

/// The best merge, found by trying every merge.
fn best_of_all(ascent: &Ascent<'_>, problem: &Problem) -> Option<Merge> {
    let smallest = from_scratch(problem, &ascent.step()).0;
    let mut all: Vec<Merge> = ascent.merges().collect();
    all.sort_by_key(|(column, node)| (*column, ascent.columns[*column].tree.range(*node).0));
    let scored: Vec<(Option<f64>, f64, Merge)> = all
        .into_iter()
        .map(|(column, node)| {
            let Step::Maps(mut maps) = ascent.step() else { panic!("maps were asked for") };
            let (low, high) = ascent.columns[column].tree.range(node);
            (low..=high).for_each(|code| maps[column][code as usize] = Value::Node(node));
            let growth = from_scratch(problem, &Step::Maps(maps)).0 - smallest;
            let loss = ascent.columns[column].loss[node as usize];
            ((growth > 0).then(|| loss / growth as f64), loss, (column, node))
        })
        .collect();
    let least = |scores: Vec<(f64, Merge)>| {
        scores.into_iter().fold(None, |best: Option<(f64, Merge)>, next| match best {
            Some(best) if next.0 >= best.0 - TIE => Some(best),
            _ => Some(next),
        })
    };
    let critical = least(scored.iter().filter_map(|(per, _, merge)| Some(((*per)?, *merge))).collect());
    critical
        .or_else(|| least(scored.iter().map(|(_, loss, merge)| (*loss, *merge)).collect()))
        .map(|(_, merge)| merge)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_step_is_that_of_a_recomputation_from_scratch(
        rows in rows(&columns(true)),
        asked in prop::sample::select(ASKED),
    ) {
        let problem = problem(columns(true), &rows, asked);
        if problem.check_feasible().is_ok() {
            let mut ascent = Ascent::new(&problem, 0).expect("class by class");
            loop {
                let (smallest, failing) = from_scratch(&problem, &ascent.step());
                prop_assert_eq!((ascent.smallest(), ascent.failing()), (smallest, failing));
                if failing == 0 {
                    break;
                }
                let best = ascent.best();
                prop_assert_eq!(best, best_of_all(&ascent, &problem));
                ascent.merge(best.expect("the roots meet every model"));
            }
        }
    }
}

#[test]
fn worked_sequence_of_the_specification() {
    let problem = mini(&[("k_anonymity", &[("k", "3")], None)]);
    let mut ascent = Ascent::new(&problem, 0).expect("class by class");
    let mut steps = Vec::new();
    while ascent.failing() > 0 {
        let (column, node) = ascent.best().expect("the roots meet every model");
        let label = |quasi: &Quasi| format!("{} {}", quasi.name, quasi.label(Value::Node(node)));
        steps.push(format!(
            "{} {:.4}",
            label(&problem.quasi[column]),
            ascent.columns[column].loss[node as usize]
        ));
        ascent.merge((column, node));
    }
    assert_eq!(
        steps,
        [
            "sex * 0.0000",
            "age 30-34 0.0000",
            "age 40-44 0.0000",
            "edu Sec 0.1909",
            "edu Univ 0.1909",
            "edu * 0.3500",
            "age 45-50 0.9183",
            "age 35-39 1.0000",
            "age 30-39 0.3167"
        ]
    );
}
