//! The searches of the lattice against an exhaustive evaluation, the specification's facts, and another tool's optima.

#[path = "lattice/arx.rs"]
mod arx;
#[path = "lattice/made.rs"]
mod made;
#[path = "lattice/worsening.rs"]
mod worsening;

use made::{Case, Chance, mini, problem};
use scumble::config::{Parameters, StarPolicy};
use scumble::problem::Budget;
use scumble::problem::Problem;
use scumble::recoding::Step;
use scumble::recoding::published::Classes;
use scumble::registry::{ALGORITHMS, METRICS};
use scumble::search::algorithms::optimal::noting_at_most;
use scumble::search::algorithms::{Algorithm, Solution};
use scumble::search::lattice::{Checker, Cost, Lattice, Pruning};

fn algorithm(name: &str) -> Box<dyn Algorithm> {
    let entry = ALGORITHMS.find(name).expect("registered");
    (entry.build)(&Parameters::default()).expect("no parameters")
}

/// The levels that an algorithm chooses; `None` if it finds nothing to publish.
fn levels(name: &str, problem: &Problem) -> Option<Vec<u32>> {
    levels_by(&*algorithm(name), problem)
}

fn levels_by(algorithm: &dyn Algorithm, problem: &Problem) -> Option<Vec<u32>> {
    algorithm.check(problem).expect("can be served");
    algorithm.run(problem).ok().map(|solution| match solution.recoding.step {
        Step::Levels(levels) => levels,
        _ => panic!("a full-domain algorithm"),
    })
}

fn finding(solution: &Solution, name: &str) -> Option<f64> {
    solution.findings.iter().find(|finding| finding.name == name).expect("a finding").value
}

/// A node as the long way evaluates it, without anything of the lattice's checker.
struct Node {
    levels: Vec<u32>,
    /// Rows in classes that fail some model.
    failing: u64,
    /// Whether the problem's metric is defined for it.
    defined: bool,
    /// Cost by the problem's metric, cost by precision, and suppressed rows, if it can be published.
    published: Option<(Cost, Cost, u64)>,
}

fn evaluate(problem: &Problem, levels: Vec<u32>) -> Node {
    let assignment = Step::Levels(levels.clone()).apply(&problem.table, &problem.quasi);
    let plain = Classes::as_they_are(assignment.clone(), &problem.table, &problem.quasi, StarPolicy::Drop);
    let tests = problem.class_tests().expect("decided by classes");
    let payloads = problem.table.payloads();
    let fails = |class: &usize| !tests.iter().all(|test| test.passes(&plain.view(*class, payloads)));
    let failing = (0..plain.len()).filter(fails).map(|class| plain.size(class)).sum();
    let mut defined = false;
    let published = problem.suppress_failing(assignment).ok().map(|classes| {
        let suppressed = classes.suppressed_rows();
        let published = classes;
        let precision = METRICS.find("precision").expect("registered").build;
        let cost = problem.metric.measure(&published, problem);
        defined = cost.is_some();
        let cost = Cost::new(cost, problem.metric.lower_is_better());
        (cost, Cost::new(precision.measure(&published, problem), false), suppressed)
    });
    Node { levels, failing, defined, published }
}

/// Every node, in the order of the vectors.
fn all_nodes(problem: &Problem) -> Vec<Node> {
    let mut vectors = vec![Vec::new()];
    for quasi in &problem.quasi {
        let height = quasi.tree().expect("a tree").height();
        vectors = vectors
            .into_iter()
            .flat_map(|vector: Vec<u32>| {
                (0..=height).map(move |level| [vector.clone(), vec![level]].concat())
            })
            .collect();
    }
    vectors.into_iter().map(|levels| evaluate(problem, levels)).collect()
}

/// The best of some nodes by a key; the first of several, which is the smallest vector.
fn best<'n, K: Ord>(
    nodes: impl Iterator<Item = &'n Node>,
    key: impl Fn(&Node, (Cost, Cost, u64)) -> K,
) -> Option<Vec<u32>> {
    let keyed = nodes.filter_map(|node| node.published.map(|published| (key(node, published), node)));
    keyed.min_by(|a, b| a.0.cmp(&b.0)).map(|(_, node)| node.levels.clone())
}

fn below(fine: &[u32], coarse: &[u32]) -> bool {
    fine != coarse && fine.iter().zip(coarse).all(|(fine, coarse)| fine <= coarse)
}

#[test]
fn a_metric_that_must_be_measured_at_every_node_is_minimised_as_well() {
    let mut chance = Chance::new(20_260_318);
    for number in 0..12 {
        let case = Case::random(&mut chance).by("query_error");
        let problem = problem(&case);
        let optimum = best(all_nodes(&problem).iter(), |_, (cost, _, suppressed)| (cost, suppressed));
        assert_eq!(levels("optimal", &problem), optimum, "case {number}: {case:?}");
    }
}

#[test]
fn every_search_finds_what_an_exhaustive_one_does() {
    let mut chance = Chance::new(20_260_101);
    let (mut found, mut refused) = (0, 0);
    for number in 0..2_000 {
        let case = Case::random(&mut chance);
        let problem = problem(&case);
        let nodes = all_nodes(&problem);
        let optimum = best(nodes.iter(), |_, (cost, _, suppressed)| (cost, suppressed));
        found += usize::from(optimum.is_some());
        let same = |name: &str, expected: &Option<Vec<u32>>| {
            assert_eq!(&levels(name, &problem), expected, "{name} in case {number}: {case:?}");
        };
        // A metric that is defined nowhere has no best.
        let is_best = |node: &&Node| Some(&node.levels) == optimum.as_ref();
        let defined = optimum.clone().filter(|_| nodes.iter().find(is_best).is_some_and(|node| node.defined));
        same("optimal", &defined);
        let in_boxes = levels_by(&*noting_at_most(0), &problem);
        assert_eq!(in_boxes, defined, "in boxes, case {number}: {case:?}");
        same("mingen", &best(nodes.iter(), |_, (_, precision, suppressed)| (precision, suppressed)));
        if Pruning::of(&problem) == Pruning::Nothing {
            refused += 1;
            for name in ["flash", "ola", "incognito", "samarati"] {
                let error = algorithm(name).check(&problem).expect_err("cannot be served").to_string();
                assert!(
                    error.ends_with(
                        "use an algorithm that checks every recoding by itself ([algorithm] name)"
                    ),
                    "{error}"
                );
            }
            continue;
        }
        same("flash", &optimum);
        same("incognito", &optimum);
        let height = |node: &Node| node.levels.iter().sum::<u32>();
        same("samarati", &best(nodes.iter(), |node, (_, _, suppressed)| (height(node), suppressed)));
        let limit = problem.suppression_limit();
        let satisfying: Vec<&Node> = nodes.iter().filter(|node| node.failing <= limit).collect();
        let minimal = satisfying
            .iter()
            .filter(|node| satisfying.iter().all(|other| !below(&other.levels, &node.levels)));
        let least = |_: &Node, (cost, _, suppressed): (Cost, Cost, u64)| (cost, suppressed);
        same("ola", &best(minimal.copied(), least).or(optimum));
    }
    // The cases are of all kinds.
    assert!(found > 1_000 && found < 2_000 && refused > 200, "{found} found, {refused} refused");
}

#[test]
fn the_checker_sees_what_the_long_way_does() {
    let mut chance = Chance::new(7);
    for number in 0..200 {
        let case = Case::random(&mut chance);
        let problem = problem(&case);
        let lattice = Lattice::new(&problem, "test").expect("small");
        let mut checker = Checker::new(&problem, &lattice).expect("class tests");
        let limit = problem.suppression_limit();
        let nodes = all_nodes(&problem);
        assert_eq!(nodes.len(), lattice.nodes());
        let bounds = checker.bounds();
        // In an order that makes the stored frequency sets matter.
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by_key(|node| (node * 7919) % 101);
        for place in order {
            let node = &nodes[place];
            let visit = checker.visit(place).expect("a visit");
            assert_eq!(visit.failing > limit, node.failing > limit, "case {number} {case:?}");
            if visit.failing <= limit {
                assert_eq!(visit.failing, node.failing);
            }
            assert_eq!(checker.all_failing(place).expect("a count"), node.failing);
            let seen = visit.outcome.map(|outcome| (outcome.cost, outcome.suppressed));
            assert_eq!(seen, node.published.map(|(cost, _, rows)| (cost, rows)), "case {number} {case:?}");
            for other in nodes.iter().filter(|other| below(&other.levels, &node.levels)) {
                assert!(visit.finer <= other.failing, "a bound for finer nodes, case {number} {case:?}");
            }
            for other in nodes.iter().filter(|other| below(&node.levels, &other.levels)) {
                if let Some((cost, _, _)) = other.published {
                    assert!(visit.bound <= cost, "a bound for coarser nodes, case {number} {case:?}");
                }
            }
            if let (Some(bounds), Some((cost, _, suppressed))) = (&bounds, node.published) {
                assert!(bounds.least(&node.levels, 0) <= bounds.least(&node.levels, suppressed));
                assert!(bounds.least(&node.levels, suppressed) <= cost, "case {number} {case:?}");
            }
        }
    }
}

#[test]
fn more_columns_than_fit_into_a_key() {
    let mut chance = Chance::new(11);
    let mut published = 0;
    for number in 0..20 {
        let problem = problem(&Case::wide(&mut chance));
        let lattice = Lattice::of_any_size(&problem, "test").expect("can be numbered");
        let mut checker = Checker::new(&problem, &lattice).expect("class tests");
        for _ in 0..20 {
            let coarse = chance.below(4);
            let levels = (0..24).map(|_| (3 - chance.below(4).min(coarse)) as u32).collect();
            let node = evaluate(&problem, levels);
            let visit = checker.visit(lattice.node(&node.levels)).expect("a visit");
            let seen = visit.outcome.map(|outcome| (outcome.cost, outcome.suppressed));
            assert_eq!(seen, node.published.map(|(cost, _, rows)| (cost, rows)), "case {number}");
            published += usize::from(seen.is_some());
        }
        let error = algorithm("optimal").check(&problem).expect_err("too large without a budget").to_string();
        assert!(error.contains("say how long to search ([algorithm] budget = \"30s\")"), "{error}");
    }
    assert!(published > 40, "{published}");
}

#[test]
fn threads_change_nothing() {
    let mut chance = Chance::new(99);
    for _ in 0..40 {
        let case = Case::random(&mut chance);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| {
                let problem = problem(&case);
                let solution = algorithm("optimal").run(&problem).ok()?;
                Some((finding(&solution, "checked"), solution.assignment.members, solution.findings))
            })
        };
        assert_eq!(run(1), run(2), "{case:?}");
    }
}

#[test]
fn steps_bound_the_search_and_the_gap_is_honest() {
    let mut chance = Chance::new(5);
    let mut open = 0;
    for number in 0..400 {
        let case = Case::random(&mut chance);
        let mut problem = problem(&case);
        let nodes = all_nodes(&problem);
        let optimum = nodes.iter().filter_map(|node| node.published).map(|(cost, _, _)| cost).min();
        let steps = chance.below(6);
        for algorithm in [algorithm("optimal"), noting_at_most(0)] {
            problem.budget = Budget::new(Some(steps), None);
            let Ok(solution) = algorithm.run(&problem) else {
                assert!(nodes.iter().all(|node| !node.defined), "nothing in case {number}: {case:?}");
                continue;
            };
            let gap = finding(&solution, "gap").unwrap_or(f64::INFINITY);
            open += usize::from(gap > 0.0);
            let Step::Levels(levels) = &solution.recoding.step else { panic!("levels") };
            let reached = nodes.iter().find(|node| node.levels == *levels).and_then(|node| node.published);
            let reached = reached.expect("can be published").0;
            let optimum = optimum.expect("something was found");
            // Two figures that are not defined are equally bad.
            let missing = if reached == optimum { 0.0 } else { reached.value() - optimum.value() };
            assert!(missing <= gap + 1e-9, "{missing} > {gap} in case {number}: {case:?}");
        }
    }
    assert!(open > 40, "{open}");
}

#[test]
fn facts_about_the_twelve_people() {
    let minimal = |k: u64, suppression: &str| {
        let problem = mini(k, suppression);
        let lattice = Lattice::new(&problem, "test").expect("small");
        let mut checker = Checker::new(&problem, &lattice).expect("class tests");
        let satisfying: Vec<usize> = (0..lattice.nodes())
            .filter(|node| checker.failing(*node).expect("a look") <= checker.limit())
            .collect();
        let minimal: Vec<Vec<u32>> = satisfying
            .iter()
            .filter(|node| lattice.predecessors(**node).all(|finer| !satisfying.contains(&finer)))
            .map(|node| lattice.levels(*node))
            .collect();
        (lattice.nodes(), satisfying.len(), minimal)
    };
    let three = vec![vec![0, 1, 2], vec![1, 0, 2], vec![1, 1, 1]];
    assert_eq!(minimal(2, "0.0"), (24, 12, three.clone()));
    assert_eq!(minimal(3, "0.0"), (24, 10, three[..2].to_vec()));
    // Two of twelve rows may go.
    assert_eq!(minimal(2, "0.17"), (24, 12, three.clone()));
    assert_eq!(minimal(3, "0.17"), (24, 12, three));
}

#[test]
fn worked_examples_of_the_specification() {
    for k in [2, 3] {
        for name in ["optimal", "flash", "ola", "incognito", "samarati", "mingen", "datafly"] {
            assert_eq!(levels(name, &mini(k, "0.0")), Some(vec![0, 1, 2]), "{name}, k = {k}");
        }
    }
    let run = |name: &str| algorithm(name).run(&mini(2, "0.0")).expect("a solution");
    assert_eq!(finding(&run("samarati"), "height"), Some(3.0));
    assert_eq!(finding(&run("incognito"), "satisfying"), Some(12.0));
    assert_eq!(finding(&run("flash"), "satisfying"), Some(12.0));
    assert_eq!(finding(&run("ola"), "minimal"), Some(3.0));
    assert_eq!(finding(&run("mingen"), "checked"), Some(24.0));
    // Age 12 values and 12 rows left, Age 4 and 8 left, Edu 4 and 4 left, Age 2 and none left: four looks.
    assert_eq!(finding(&run("datafly"), "checked"), Some(4.0));
    for (metric, figure) in [("loss", 0.269_444), ("discernibility", 36.0), ("classification", 2.0 / 12.0)] {
        let mut problem = mini(2, "0.0");
        problem.metric = METRICS.find(metric).expect("registered").build;
        let node = evaluate(&problem, levels("ola", &problem).expect("a solution"));
        assert_eq!(node.levels, [0, 1, 2]);
        let cost = node.published.expect("can be published").0.value();
        assert!((cost - figure).abs() < 1e-6, "{metric}: {cost}");
    }
}

/// models.md 2.1: a priority weighs its column's loss, and so steers every search by loss.
#[test]
fn a_priority_says_which_column_to_spare() {
    let solved = |name: &str, priorities: [f64; 3]| {
        let mut problem = mini(3, "0.0");
        problem.quasi.iter_mut().zip(priorities).for_each(|(quasi, priority)| quasi.priority = priority);
        levels(name, &problem).expect("a solution")
    };
    for name in ["optimal", "flash", "ola", "incognito"] {
        assert_eq!(solved(name, [1.0, 1.0, 1.0]), [0, 1, 2], "{name}");
        // (Sex, Edu, Age) at (1, 0, 2) loses 1, 0 and the same of age; at (0, 1, 2) it is 0, 1/3 and the same.
        assert_eq!(solved(name, [0.25, 1.0, 1.0]), [1, 0, 2], "{name}");
    }
    // 0.475 is the mean loss of age: six rows at 9/20, six at 10/20.
    let mut problem = mini(3, "0.0");
    problem.quasi[0].priority = 0.25;
    problem.quasi[2].priority = 0.5;
    let cost = |problem: &Problem, levels: &[u32]| {
        evaluate(problem, levels.to_vec()).published.expect("can be published").0.value()
    };
    let expected = (1.0 / 3.0 + 0.5 * 0.475) / 1.75;
    assert!((cost(&problem, &[0, 1, 2]) - expected).abs() < 1e-12);
    assert!((cost(&problem, &[1, 0, 2]) - (0.25 + 0.5 * 0.475) / 1.75).abs() < 1e-12);
    problem.metric = METRICS.find("loss_geometric").expect("registered").build;
    let expected = (4.0_f64 / 3.0).powf(1.0 / 1.75) * 1.475_f64.powf(0.5 / 1.75) - 1.0;
    assert!((cost(&problem, &[0, 1, 2]) - expected).abs() < 1e-12);
}
