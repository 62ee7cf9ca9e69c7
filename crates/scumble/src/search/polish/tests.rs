//! Properties of the local search, with blocks of a few clusters.

use proptest::prelude::*;

use super::*;
use crate::problem::Budget;
use crate::recoding::{Assignment, Members, Recoding};
use crate::search::partition::testing::{numbers, problem, words};
use crate::table::quasi::Quasi;

type Rows = Vec<(Vec<u32>, u32)>;

fn columns(sets: bool) -> Vec<Quasi> {
    vec![numbers(&[1, 2, 3, 5, 8, 13, 21, 34, 55]), Quasi { sets, ..words(5) }]
}

/// All rows in one class that is labelled as tightly as possible.
fn whole(problem: &Problem) -> Solution {
    let regions =
        [problem.quasi.iter().map(|quasi| quasi.cover(0, quasi.size() - 1)).collect::<Vec<Value>>()];
    let members = Members::Tuples(vec![0; problem.table.tuples()]);
    let assignment = Assignment::of_regions(members, &regions);
    let recoding = Recoding { step: Step::Regions(Box::new(assignment.clone())), shown: None };
    Solution { recoding, assignment, findings: Vec::new() }
}

fn loss_of(problem: &Problem, assignment: Assignment) -> f64 {
    let classes = Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy);
    for model in &problem.models {
        assert!(model.judge(&classes, problem.table.payloads()).holds, "{} does not hold", model.title());
    }
    problem.metric.measure(&classes, problem).expect("a loss")
}

fn finding(solution: &Solution, name: &str) -> f64 {
    solution.findings.iter().find(|finding| finding.name == name).and_then(|f| f.value).expect("a finding")
}

fn rows() -> impl Strategy<Value = Rows> {
    prop::collection::vec(((0..9_u32, 0..5_u32).prop_map(|(a, b)| vec![a, b]), 0..4_u32), 8..70)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn models_hold_and_nothing_gets_worse(rows in rows(), k in 2..5_i128, l in 1..3_i128, sets in any::<bool>()) {
        let problem = problem(columns(sets), &rows, k, l);
        prop_assume!(problem.check_feasible().is_ok());
        let start = whole(&problem);
        let before = loss_of(&problem, start.assignment.clone());
        let polished = polish(&problem, start).expect("not interrupted");
        let after = loss_of(&problem, polished.assignment.clone());
        prop_assert!(after <= before, "{} became {}", before, after);
        prop_assert!((after - finding(&polished, "polish_after")).abs() < 1e-6);
        // A second run finds next to nothing.
        let again = polish(&problem, polished).expect("not interrupted");
        prop_assert!(loss_of(&problem, again.assignment) <= after);
    }

    #[test]
    fn threads_are_irrelevant_and_steps_repeat_a_run(rows in rows(), k in 2..4_i128, l in 1..3_i128, steps in 0..400_u64) {
        let with = |threads: usize, steps: Option<u64>| {
            let mut problem = problem(columns(true), &rows, k, l);
            problem.budget = Budget::new(steps, None);
            if problem.check_feasible().is_err() {
                return None;
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let polished = pool.install(|| polish(&problem, whole(&problem))).expect("not interrupted");
            let values: Vec<Vec<Value>> =
                (0..polished.assignment.classes()).map(|class| polished.assignment.values(class)).collect();
            Some((polished.assignment.members, values, problem.budget.spent_after()))
        };
        prop_assert_eq!(with(1, None), with(3, None));
        let stopped = with(2, Some(steps));
        let spent = stopped.as_ref().and_then(|(_, _, spent)| *spent);
        prop_assert_eq!(with(1, spent.or(Some(steps))), stopped);
    }
}

#[test]
fn a_budget_that_is_spent_leaves_the_classes_as_they_were() {
    let rows: Rows = (0..12).map(|row| (vec![row % 9, row % 5], 0)).collect();
    let mut problem = problem(columns(false), &rows, 2, 1);
    problem.budget = Budget::new(Some(0), None);
    let before = loss_of(&problem, whole(&problem).assignment);
    let polished = polish(&problem, whole(&problem)).expect("not interrupted");
    assert_eq!(loss_of(&problem, polished.assignment.clone()), before);
    assert_eq!(finding(&polished, "polish_steps"), 0.0);
    assert_eq!(problem.budget.spent_after(), Some(0));
}

/// Classes of this many tuples each, in the order of the tuples.
fn strips(problem: &Problem, tuples: usize) -> Solution {
    let classes: Vec<u32> = (0..problem.table.tuples()).map(|tuple| (tuple / tuples) as u32).collect();
    let all: Vec<Value> = problem.quasi.iter().map(|quasi| quasi.cover(0, quasi.size() - 1)).collect();
    let regions = vec![all; problem.table.tuples().div_ceil(tuples)];
    let assignment = Assignment::of_regions(Members::Tuples(classes), &regions);
    let recoding = Recoding { step: Step::Regions(Box::new(assignment.clone())), shown: None };
    Solution { recoding, assignment, findings: Vec::new() }
}

/// Wherever the time ends, the reported number of steps repeats what was found, and the models hold.
#[test]
fn steps_repeat_what_a_time_ended() {
    repeats(&|problem| polish(problem, whole(problem)));
}

#[test]
fn steps_repeat_what_a_time_ended_while_clusters_were_split() {
    repeats(&|problem| polish(problem, strips(problem, 5)));
}

/// The first step already improves a large table, long before all of it has been searched.
#[test]
fn the_first_step_improves_on_the_start() {
    let rows: Rows = (0..600).map(|row| (vec![row * 7 % 9, row * 3 % 5], 0)).collect();
    let cost = |steps: u64| {
        let mut problem = problem(columns(true), &rows, 3, 1);
        problem.budget = Budget::new(Some(steps), None);
        let found = polish(&problem, strips(&problem, 5)).expect("something to show from the beginning");
        let spent = problem.budget.spent_after();
        assert!(spent >= Some(steps), "a slice is not left in its midst: {spent:?}");
        finding(&found, "polish_after")
    };
    let costs: Vec<f64> = (0..4).map(cost).collect();
    assert!(costs[1] < costs[0] && costs[2] <= costs[1] && costs[3] <= costs[2], "{costs:?}");
}

fn repeats(polished: &dyn Fn(&Problem) -> Result<Solution>) {
    let rows: Rows = (0..60).map(|row| (vec![row * 7 % 9, row * 3 % 5], 0)).collect();
    let shown = |budget: Budget| {
        let mut problem = problem(columns(true), &rows, 3, 1);
        problem.limit(budget);
        let polished = polished(&problem).expect("something to show from the beginning");
        loss_of(&problem, polished.assignment.clone());
        let steps = problem.budget.spent_after();
        ((polished.assignment.members, polished.findings), steps, problem.budget.looks())
    };
    let (whole_run, _, looks) = shown(Budget::of_looks(u64::MAX));
    assert!(looks > 100, "{looks}");
    let mut ends = Vec::new();
    for look in (0..looks).step_by(3) {
        let (found, steps, _) = shown(Budget::of_looks(look));
        let Some(steps) = steps else {
            assert_eq!(found, whole_run);
            continue;
        };
        assert_eq!(shown(Budget::new(Some(steps), None)).0, found, "{look} looks, {steps} steps");
        ends.push(steps);
    }
    ends.dedup();
    assert!(ends.len() > 5, "it ended in few places: {ends:?}");
}

#[test]
fn blocks_cover_every_place_once() {
    let codes: Vec<[u32; 2]> = (0..50).map(|place| [place * 7 % 10, place % 3]).collect();
    let problem = problem(columns(false), &[(vec![0, 0], 0), (vec![1, 1], 0)], 2, 1);
    let space = Space::new(&problem, &|_, _| 0.0).expect("class tests");
    let blocks = blocks(codes.len(), &space, 8, 1, |place, column| codes[place][column]);
    let blocks = blocks.expect("not interrupted");
    assert!(blocks.iter().all(|block| block.len() <= 8));
    let mut all: Vec<usize> = blocks.concat();
    all.sort_unstable();
    assert_eq!(all, (0..50).collect::<Vec<usize>>());
}
