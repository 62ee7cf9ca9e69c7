//! Metrics that are said only to worsen: random recodings are searched for counterexamples, and those of the others are found.

use std::collections::BTreeSet;

use scumble::recoding::published::Classes;
use scumble::recoding::{Assignment, Members, Step};
use scumble::registry::METRICS;
use scumble::search::lattice::Cost;
use scumble::table::quasi::Value;

use crate::made::{Case, Chance, problem};

fn classes_of(assignment: &Assignment) -> &[u32] {
    match &assignment.members {
        Members::Tuples(classes) => classes,
        Members::Shares(_) => panic!("levels do not divide tuples"),
    }
}

#[test]
fn a_metric_that_worsens_never_gets_better_and_every_other_one_does() {
    let mut chance = Chance::new(20_260_315);
    let mut bettered: BTreeSet<&str> = BTreeSet::new();
    for number in 0..500 {
        let case = Case::random(&mut chance);
        let problem = problem(&case);
        let heights = problem.quasi.iter().map(|quasi| quasi.tree().expect("a tree").height());
        let (mut fine, mut coarse) = (Vec::new(), Vec::new());
        for height in heights {
            fine.push(chance.below(u64::from(height) + 1) as u32);
            let low = fine[fine.len() - 1];
            coarse.push(low + chance.below(u64::from(height - low) + 1) as u32);
        }
        let [mut fine, mut coarse] =
            [fine, coarse].map(|levels| Step::Levels(levels).apply(&problem.table, &problem.quasi));
        // What is suppressed in the finer release is suppressed in the coarser one.
        let often = 2 + chance.below(6);
        coarse.suppressed.iter_mut().for_each(|suppressed| *suppressed = chance.below(often) == 0);
        let mut all_hidden = vec![true; fine.classes()];
        for (of_fine, of_coarse) in classes_of(&fine).iter().zip(classes_of(&coarse)) {
            all_hidden[*of_fine as usize] &= coarse.suppressed[*of_coarse as usize];
        }
        let hidden = all_hidden.iter().map(|hidden| *hidden && chance.below(2) == 0).collect();
        fine.suppressed = hidden;
        let [fine, coarse] = [fine, coarse]
            .map(|assignment| Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy));
        for entry in &METRICS {
            let cost = |published| {
                let figure = entry.build.measure(published, &problem);
                (figure.is_some(), Cost::new(figure, entry.build.lower_is_better()))
            };
            let ((defined, fine), (still_defined, coarse)) = (cost(&fine), cost(&coarse));
            let better = defined && still_defined && coarse.value() < fine.value() - 1e-9;
            assert!(
                !entry.build.worsens() || (!better && defined == still_defined),
                "{} gets better, from {} to {}, in case {number}: {case:?}",
                entry.name,
                fine.value(),
                coarse.value()
            );
            if better {
                bettered.insert(entry.name);
            }
        }
    }
    // The entropy measure gets better only where rare values are shown as a group; properties/figures.rs has such a table.
    let others = METRICS.iter().filter(|entry| !entry.build.worsens() && entry.name != "entropy");
    let others: BTreeSet<&str> = others.map(|entry| entry.name).collect();
    assert_eq!(bettered, others, "metrics that need not have been called unreliable");
}

#[test]
fn penalties_grow_towards_the_root_and_none_is_above_that_of_a_suppressed_cell() {
    let mut chance = Chance::new(20_260_316);
    for number in 0..200 {
        let case = Case::random(&mut chance);
        let problem = problem(&case);
        for entry in METRICS.iter().filter(|entry| entry.build.worsens()) {
            let Some(by_column) = entry.build.by_column(&problem) else { continue };
            for (column, quasi) in problem.quasi.iter().enumerate() {
                let tree = quasi.tree().expect("a tree");
                let rows = problem.table.marginal(column, quasi.size() as usize);
                let present = (0..quasi.size()).filter(|code| rows[*code as usize] > 0);
                for code in present {
                    let way = std::iter::successors(Some(tree.leaf(code)), |node| tree.parent(*node));
                    let penalties: Vec<f64> = way
                        .map(Value::Node)
                        .chain([Value::Star])
                        .map(|value| by_column.penalty(column, value))
                        .collect();
                    assert!(
                        penalties.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12),
                        "{} in case {number}: {penalties:?}",
                        entry.name
                    );
                }
            }
        }
    }
}

/// The figure of whatever is a mean over cells lies between those of its columns alone, and follows their priorities.
#[test]
fn every_mean_over_columns_honours_their_priorities() {
    let mut chance = Chance::new(20_260_317);
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let means = [
        "loss",
        "loss_geometric",
        "precision",
        "ncp_xu",
        "entropy",
        "monotone_entropy",
        "non_uniform_entropy",
    ];
    let means: BTreeSet<&str> = means.into_iter().chain(["distortion", "distortion_height"]).collect();
    let any = problem(&Case::random(&mut Chance::new(1)));
    let found = METRICS.iter().filter(|entry| entry.build.by_column(&any).is_some());
    assert_eq!(found.map(|entry| entry.name).collect::<BTreeSet<_>>(), means);
    for number in 0..80 {
        let case = Case::random(&mut chance);
        let mut problem = problem(&case);
        let levels = problem.quasi.iter().map(|quasi| quasi.tree().expect("a tree").height());
        let levels: Vec<u32> = levels.map(|height| chance.below(u64::from(height) + 1) as u32).collect();
        let published = |problem: &scumble::problem::Problem| {
            let assignment = Step::Levels(levels.clone()).apply(&problem.table, &problem.quasi);
            Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy)
        };
        let mut with = |priorities: &dyn Fn(usize) -> f64, metric: &dyn scumble::metrics::Metric| {
            problem
                .quasi
                .iter_mut()
                .enumerate()
                .for_each(|(place, quasi)| quasi.priority = priorities(place));
            metric.measure(&published(&problem), &problem).expect("a figure")
        };
        for entry in &METRICS {
            let metric = entry.build;
            if !means.contains(entry.name) {
                continue;
            }
            let width = levels.len();
            let alone: Vec<f64> = (0..width)
                .map(|column| with(&|place| if place == column { 1.0 } else { 1e-9 }, metric))
                .collect();
            let (least, most) = alone.iter().fold((f64::MAX, f64::MIN), |(a, b), f| (a.min(*f), b.max(*f)));
            let even = with(&|_| 1.0, metric);
            assert!(least - 1e-6 <= even && even <= most + 1e-6, "{} in case {number}", entry.name);
            // Only their ratios count.
            assert!((with(&|_| 0.25, metric) - even).abs() < 1e-9, "{} in case {number}", entry.name);
            // More weight on the first column brings the figure nearer to its own.
            let more = with(&|place| if place == 0 { 1.0 } else { 0.25 }, metric);
            assert!(
                (more - alone[0]).abs() <= (even - alone[0]).abs() + 1e-6,
                "{} in case {number}",
                entry.name
            );
            if width > 1 && (even - more).abs() > 1e-6 {
                seen.insert(entry.name);
            }
        }
    }
    assert_eq!(seen, means, "priorities change every mean over columns");
}
