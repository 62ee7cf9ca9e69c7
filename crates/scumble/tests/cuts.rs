//! The searches that divide every column into nodes or intervals, against all ways to divide small ones.

#[allow(dead_code)]
#[path = "lattice/made.rs"]
mod made;

use made::{Case, Chance, mini, problem};
use scumble::config::{Parameters, Rational, Value as Given};
use scumble::problem::{Budget, Problem};
use scumble::recoding::Step;
use scumble::recoding::published::Classes;
use scumble::registry::{ALGORITHMS, METRICS};
use scumble::search::algorithms::{Algorithm, Solution};
use scumble::table::hierarchy::Hierarchy;
use scumble::table::kind::{Kind, Measure};
use scumble::table::quasi::{Line, Quasi, Shape, Value};

fn algorithm(name: &str, given: &[(&str, &str)]) -> Box<dyn Algorithm> {
    let mut parameters = Parameters::default();
    given.iter().for_each(|(name, value)| parameters.set(name, Given::from_text(value)));
    (ALGORITHMS.find(name).expect("registered").build)(&parameters).expect("fitting parameters")
}

fn finding(solution: &Solution, name: &str) -> f64 {
    let found = solution.findings.iter().find(|finding| finding.name == name);
    found.expect("a finding").value.expect("finite")
}

/// A problem with columns of all shapes, and a metric.
fn mixed(chance: &mut Chance, metric: &str) -> Problem {
    let mut problem = problem(&Case::random(chance));
    problem.metric = METRICS.find(metric).expect("registered").build;
    for quasi in &mut problem.quasi {
        let size = quasi.size();
        // Columns of eight codes have many divisions; one such column is enough.
        let labels: Vec<String> = (0..size).map(|code| code.to_string()).collect();
        let texts = || labels.iter().map(String::as_str).collect();
        match chance.below(3) {
            0 if size < 6 => quasi.shape = Shape::Set(texts()),
            1 if size < 6 => {
                quasi.measure = Measure { kind: Kind::Integer, scale: 0 };
                let numbers = (0..i128::from(size)).collect();
                let line = Line::new(&quasi.measure, numbers, texts(), (0, i128::from(size)), true);
                quasi.shape = Shape::Line(line);
            }
            _ => {}
        }
    }
    problem
}

/// All ways to divide the leaves below a node.
fn cuts(tree: &Hierarchy, node: u32) -> Vec<Vec<(u32, u32)>> {
    let mut all = vec![vec![tree.range(node)]];
    if !tree.is_leaf(node) {
        let mut divided = vec![Vec::new()];
        for child in tree.children(node) {
            let below = cuts(tree, child);
            divided = divided
                .iter()
                .flat_map(|front: &Vec<(u32, u32)>| {
                    below.iter().map(move |back| [front.as_slice(), back].concat())
                })
                .collect();
        }
        all.extend(divided);
    }
    all
}

/// All ways to divide a column, as what its codes show.
fn maps(quasi: &Quasi) -> Vec<Vec<Value>> {
    let all = match quasi.tree() {
        Some(tree) => cuts(tree, tree.root()),
        None => (0..1_u32 << (quasi.size() - 1))
            .map(|bits| {
                let ends = (0..quasi.size()).filter(|code| code + 1 == quasi.size() || bits >> code & 1 == 1);
                let mut low = 0;
                ends.map(|end| (std::mem::replace(&mut low, end + 1), end)).collect()
            })
            .collect(),
    };
    all.into_iter()
        .map(|parts: Vec<(u32, u32)>| {
            parts.iter().flat_map(|(low, high)| (*low..=*high).map(|_| quasi.cover(*low, *high))).collect()
        })
        .collect()
}

/// The figure of what publishing gives; `None` if it cannot be.
fn published(problem: &Problem, step: &Step) -> Option<f64> {
    let classes = problem.suppress_failing(step.apply(&problem.table, &problem.quasi)).ok()?;
    problem.metric.measure(&classes, problem)
}

/// The least figure of all ways to divide all columns, and how many ways there are.
fn exhaustive(problem: &Problem) -> (Option<f64>, usize) {
    let mut steps: Vec<Vec<Vec<Value>>> = vec![Vec::new()];
    for quasi in &problem.quasi {
        let maps = maps(quasi);
        steps = steps
            .iter()
            .flat_map(|front| {
                maps.iter().map(move |map| [front.as_slice(), std::slice::from_ref(map)].concat())
            })
            .collect();
    }
    let count = steps.len();
    let figures = steps.into_iter().filter_map(|maps| published(problem, &Step::Maps(maps)));
    (figures.min_by(f64::total_cmp), count)
}

fn figure(problem: &Problem, solution: &Solution) -> f64 {
    let classes =
        Classes::new(solution.assignment.clone(), &problem.table, &problem.quasi, problem.star_policy);
    problem.metric.measure(&classes, problem).expect("defined")
}

#[test]
fn k_optimize_finds_what_an_exhaustive_search_does() {
    let mut chance = Chance::new(21);
    let (mut found, mut largest) = (0, 0);
    for number in 0..250 {
        let metric = ["discernibility", "classification", "discernibility_normalised"][number % 3];
        let problem = mixed(&mut chance, metric);
        let (optimum, count) = exhaustive(&problem);
        largest = largest.max(count);
        let search = algorithm("k_optimize", &[]);
        search.check(&problem).expect("can be served");
        match (search.run(&problem), optimum) {
            (Ok(solution), Some(optimum)) => {
                found += 1;
                let reached = figure(&problem, &solution);
                assert!(
                    (reached - optimum).abs() < 1e-9,
                    "case {number}, {metric}: {reached}, not {optimum}"
                );
                assert_eq!(finding(&solution, "gap"), 0.0);
            }
            (found, optimum) => assert_eq!(found.is_ok(), optimum.is_some(), "case {number}, {metric}"),
        }
    }
    assert!(found > 150 && largest > 500, "{found} found, {largest} ways");
}

#[test]
fn the_gap_of_k_optimize_is_honest() {
    let mut chance = Chance::new(22);
    let (mut open, mut nothing) = (0, 0);
    for number in 0..200 {
        let metric = ["discernibility", "classification"][number % 2];
        let mut problem = mixed(&mut chance, metric);
        let (optimum, _) = exhaustive(&problem);
        problem.budget = Budget::new(Some(chance.below(8)), None);
        match (algorithm("k_optimize", &[]).run(&problem), optimum) {
            (Ok(solution), Some(optimum)) => {
                let gap = finding(&solution, "gap");
                open += usize::from(gap > 0.0);
                let missing = figure(&problem, &solution) - optimum;
                assert!(missing <= gap + 1e-9, "case {number}: {missing} > {gap}");
            }
            (Err(error), Some(_)) => {
                nothing += 1;
                assert!(error.to_string().contains("give more steps ([algorithm] steps)"), "{error}");
            }
            (found, None) => assert!(found.is_err()),
        }
    }
    assert!(open > 40 && nothing > 0, "{open} open, {nothing} times nothing");
}

/// algorithms.md B21: one column 1..4 with weights 2, 1, 1, 2 and k = 2.
#[test]
fn the_worked_example_of_k_optimize() {
    let problem = one_column(&[2, 1, 1, 2]);
    let dm = |ends: &[u32]| {
        let mut low = 0;
        let spans: Vec<Value> = ends
            .iter()
            .flat_map(|end| {
                let first = std::mem::replace(&mut low, end + 1);
                (first..=*end).map(move |_| Value::Span(first, *end))
            })
            .collect();
        published(&problem, &Step::Maps(vec![spans])).expect("can be published")
    };
    // By the values that start an interval: none, {2}, {3}, {4}, {2,3}, {3,4}, {2,3,4}, {2,4}.
    let all: [&[u32]; 8] =
        [&[3], &[0, 3], &[1, 3], &[2, 3], &[0, 1, 3], &[1, 2, 3], &[0, 1, 2, 3], &[0, 2, 3]];
    assert_eq!(all.map(dm), [36.0, 20.0, 18.0, 20.0, 19.0, 19.0, 20.0, 12.0]);
    let solution = algorithm("k_optimize", &[]).run(&problem).expect("a solution");
    let Step::Maps(maps) = &solution.recoding.step else { panic!("maps") };
    assert_eq!(maps[0], [Value::Span(0, 0), Value::Span(1, 2), Value::Span(1, 2), Value::Span(3, 3)]);
    assert_eq!(figure(&problem, &solution), 12.0);
}

/// A column of numbers from 1 on, each with this many rows; k = 2, discernibility, any suppression.
fn one_column(weights: &[u32]) -> Problem {
    let mut problem = mini(2, "1");
    let rows: Vec<u32> = (0..).zip(weights).flat_map(|(code, rows)| (0..*rows).map(move |_| code)).collect();
    let payloads = problem.table.payloads().clone();
    let count = weights.len() as u32;
    let of_row = vec![0; rows.len()];
    problem.table = scumble::table::frequency::FrequencyTable::count(
        &[count],
        rows.len(),
        |_, row| rows[row],
        payloads,
        &of_row,
        |_| 1,
    )
    .0;
    let measure = Measure { kind: Kind::Integer, scale: 0 };
    let labels: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
    let texts = labels.iter().map(String::as_str).collect();
    let line = Line::new(&measure, (1..=i128::from(count)).collect(), texts, (1, i128::from(count)), true);
    problem.quasi = vec![Quasi {
        name: "a".into(),
        measure,
        shape: Shape::Line(line),
        priority: 1.0,
        tight: false,
        sets: false,
    }];
    problem.metric = METRICS.find("discernibility").expect("registered").build;
    // The suppressed rows are unchecked, as in the paper.
    problem.star_policy = scumble::config::StarPolicy::Paper;
    problem
}

/// algorithms.md B13: (Sex {M, F}, Edu {Sec, Univ}, Age {30-39, 40-50}).
#[test]
fn the_worked_example_of_the_genetic_search() {
    let levels = Step::Levels(vec![0, 1, 2]);
    for (metric, expected) in [("loss", 0.269_444), ("classification", 2.0 / 12.0), ("discernibility", 36.0)]
    {
        let mut problem = mini(3, "0");
        problem.metric = METRICS.find(metric).expect("registered").build;
        let found = published(&problem, &levels).expect("can be published");
        assert!((found - expected).abs() < 1e-6, "{metric}: {found}");
        if metric != "discernibility" {
            let solution = algorithm("genetic", &[]).run(&problem).expect("a solution");
            assert!(
                (figure(&problem, &solution) - exhaustive(&problem).0.expect("one")).abs() < 1e-9,
                "{metric}"
            );
        }
    }
}

#[test]
fn the_genetic_search_mostly_finds_the_optimum_of_small_problems() {
    let mut chance = Chance::new(13);
    let (mut cases, mut optimal) = (0, 0);
    for number in 0..80 {
        let metric = ["loss", "classification", "loss_geometric"][number % 3];
        let mut problem = mixed(&mut chance, metric);
        problem.seed = number as u64;
        let search =
            algorithm("genetic", &[("population", "40"), ("iterations", "1200"), ("mutation", "0.05")]);
        search.check(&problem).expect("can be served");
        let (Ok(solution), Some(optimum)) = (search.run(&problem), exhaustive(&problem).0) else { continue };
        let reached = figure(&problem, &solution);
        assert!(
            reached > optimum - 1e-9,
            "case {number}, {metric}: {reached} is better than the best, {optimum}"
        );
        cases += 1;
        optimal += usize::from(reached < optimum + 1e-9);
    }
    assert!(cases > 50 && 10 * optimal > 9 * cases, "{optimal} of {cases}");
}

#[test]
fn threads_change_nothing_and_a_seed_repeats_a_search() {
    for name in ["genetic", "k_optimize"] {
        let mut chance = Chance::new(99);
        for number in 0..12 {
            let metric =
                ["classification", if name == "genetic" { "loss" } else { "discernibility" }][number % 2];
            let mut problem = mixed(&mut chance, metric);
            problem.seed = number as u64;
            let given: &[(&str, &str)] = if name == "genetic" { &[("population", "20")] } else { &[] };
            let mut run = |threads: usize| {
                problem.budget = Budget::new(Some(200), None);
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                pool.install(|| {
                    let solution = algorithm(name, given).run(&problem).ok()?;
                    Some((solution.assignment.members, solution.findings))
                })
            };
            let once = run(1);
            assert_eq!(once, run(3), "{name}, {number}");
            assert_eq!(once, run(1), "{name}, {number}");
        }
    }
}

#[test]
fn other_metrics_are_refused_with_names() {
    let mut problem = mini(2, "1");
    problem.suppression = Rational::ONE;
    for (name, metric, serves) in [
        ("k_optimize", "loss", "discernibility"),
        ("genetic", "precision", "loss"),
        ("genetic", "discernibility", "use an algorithm that minimises the metric"),
    ] {
        problem.metric = METRICS.find(metric).expect("registered").build;
        let error = algorithm(name, &[]).check(&problem).expect_err("refused");
        assert!(error.kind() == scumble::ErrorKind::Refused && error.to_string().contains(serves), "{error}");
    }
    problem.metric = METRICS.find("classification").expect("registered").build;
    problem.class = None;
    for name in ["k_optimize", "genetic"] {
        assert!(
            algorithm(name, &[]).check(&problem).expect_err("no class").to_string().contains("class column")
        );
    }
}
