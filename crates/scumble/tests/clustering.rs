//! The clusterings again, written down as the specification and the papers have them: row by row, comparing everything.

#[allow(dead_code, reason = "shared with the tests of the lattice")]
#[path = "lattice/made.rs"]
mod made;

use made::{Case, Chance, problem};
use scumble::config::{Parameters, Value as Parameter};
use scumble::problem::Problem;
use scumble::recoding::{Assignment, Members, Share};
use scumble::registry::ALGORITHMS;
use scumble::search::algorithms::Solution;
use scumble::table::quasi::{Line, Shape, Value};

const ONE: f64 = 4_294_967_296.0;

fn solve(name: &str, given: &[(&str, &str)], problem: &Problem) -> Solution {
    let mut parameters = Parameters::default();
    given.iter().for_each(|(name, value)| parameters.set(name, Parameter::from_text(value)));
    let entry = ALGORITHMS.find(name).expect("registered");
    let algorithm = (entry.build)(&parameters).expect("fitting parameters");
    algorithm.check(problem).expect("can be served");
    algorithm.run(problem).expect("nothing is in the way")
}

/// One row: its codes, tuple and payload. Rows are in the order of their ids.
#[derive(Clone)]
struct Row {
    codes: Vec<u32>,
    tuple: u32,
    payload: u32,
}

fn rows(problem: &Problem) -> Vec<Row> {
    let mut rows = Vec::new();
    for tuple in 0..problem.table.tuples() as u32 {
        let codes: Vec<u32> =
            (0..problem.quasi.len()).map(|c| problem.table.column(c).get(tuple as usize)).collect();
        // The rows of a tuple stand so that its payloads take turns: the j-th of n rows has the place (2j - 1) / n.
        let mut payloads: Vec<(f64, u32)> = Vec::new();
        for cell in problem.table.cells(tuple) {
            let place = |row: u32| f64::from(2 * row - 1) / f64::from(cell.rows);
            payloads.extend((1..=cell.rows).map(|row| (place(row), cell.payload)));
        }
        payloads.sort_by(|a, b| a.partial_cmp(b).expect("places are numbers"));
        rows.extend(payloads.into_iter().map(|(_, payload)| Row { codes: codes.clone(), tuple, payload }));
    }
    rows
}

/// What covering some rows costs each of them: a figure of every column's level, in fixed point.
struct Costs<'p> {
    problem: &'p Problem,
    /// By column, then level.
    of_level: Vec<Vec<u64>>,
    /// By column, then node, where the loss and not the level counts.
    loss: bool,
    /// Whether a range of numbers costs the more the wider it is, and what the widest costs.
    scaled: bool,
    middle: f64,
}

impl Costs<'_> {
    fn of(&self, rows: &[&Row]) -> u64 {
        (0..self.problem.quasi.len())
            .map(|column| {
                let quasi = &self.problem.quasi[column];
                if let Shape::Line(line) = &quasi.shape {
                    return self.of_numbers(line, column, rows);
                }
                let tree = quasi.tree().expect("a tree");
                let level = (0..=tree.height())
                    .find(|level| {
                        rows.windows(2).all(|pair| {
                            tree.at_level(pair[0].codes[column], *level)
                                == tree.at_level(pair[1].codes[column], *level)
                        })
                    })
                    .expect("the root covers all");
                if self.loss {
                    let node = tree.at_level(rows[0].codes[column], level);
                    (quasi.loss(Value::Node(node)) * ONE).round() as u64
                } else {
                    self.of_level[column][level as usize]
                }
            })
            .sum()
    }

    /// Of the three levels value, range and nothing, the one in the middle; scaled by the share of the domain.
    fn of_numbers(&self, line: &Line, column: usize, rows: &[&Row]) -> u64 {
        let numbers = || rows.iter().map(|row| line.numbers[row.codes[column] as usize]);
        let (low, high) = (numbers().min().expect("a row"), numbers().max().expect("a row"));
        let range = self.of_level[column][1];
        if !self.scaled {
            return if low == high { 0 } else { range };
        }
        let (first, last) = (line.numbers[0], line.numbers[line.numbers.len() - 1]);
        let step = self.problem.quasi[column].priority * self.middle;
        let place =
            |number: i128| (step * ((number - first) as f64 / (last - first) as f64) * ONE).round() as u64;
        place(high) - place(low)
    }

    fn total(&self, rows: &[Row], members: &[usize]) -> u64 {
        members.len() as u64 * self.of(&members.iter().map(|id| &rows[*id]).collect::<Vec<_>>())
    }
}

/// Distortion of Definition 6, uniform or by height.
fn distortion(problem: &Problem, height: bool) -> Costs<'_> {
    let of_level = problem
        .quasi
        .iter()
        .map(|quasi| {
            let levels = quasi.tree().map_or(3, |tree| tree.height() + 1);
            // The paper's levels: 1 is the root, `levels` the leaves; w(j) weighs the step from j to j − 1.
            let weight = |j: u32| if height { 1.0 / f64::from(j - 1) } else { 1.0 };
            let all: f64 = (2..=levels).map(weight).sum();
            let whd = |level: u32| (levels - level + 1..=levels).map(weight).sum::<f64>() / all;
            let fixed =
                |level: u32| if level == 0 { 0 } else { (quasi.priority * whd(level) * ONE).round() as u64 };
            (0..levels).map(fixed).collect()
        })
        .collect();
    Costs { problem, of_level, loss: false, scaled: false, middle: if height { 1.0 / 3.0 } else { 0.5 } }
}

fn label(problem: &Problem, row: &Row) -> u32 {
    problem.table.payloads().value(row.payload, 0)
}

fn majority(problem: &Problem, rows: &[Row], members: &[usize]) -> u32 {
    let count = |value: u32| members.iter().filter(|id| label(problem, &rows[**id]) == value).count();
    (0..4).max_by_key(|value| (count(*value), std::cmp::Reverse(*value))).expect("a label")
}

/// The leftovers of every method, each to the cluster that it makes dearer by least.
fn leftovers(costs: &Costs<'_>, rows: &[Row], left: &[usize], lambda: u64, clusters: &mut [Vec<usize>]) {
    for id in left {
        let dearer = |members: &Vec<usize>| {
            let mut with = members.clone();
            with.push(*id);
            let other = majority(costs.problem, rows, members) != label(costs.problem, &rows[*id]);
            costs.total(rows, &with) - costs.total(rows, members) + if other { lambda } else { 0 }
        };
        let best = clusters.iter().enumerate().min_by_key(|(place, members)| (dearer(members), *place));
        let best = best.expect("at least one cluster").0;
        clusters[best].push(*id);
    }
}

/// The readings of A8 that can be chosen.
#[derive(Clone, Copy)]
struct Options {
    all_centres: bool,
    exclude_self: bool,
    dynamic: bool,
}

/// algorithms.md A8 and, with a lambda above 0, A9.
fn dbca(costs: &Costs<'_>, rows: &[Row], k: usize, lambda: u64, options: Options) -> Vec<Vec<usize>> {
    let Options { all_centres, exclude_self, dynamic } = options;
    let dist = |a: usize, b: usize| 2 * costs.of(&[&rows[a], &rows[b]]);
    // k times DistKNN of each row among some.
    let knn_among = |among: &[usize]| -> Vec<u64> {
        let of_row = |id: usize| {
            let others = among.iter().filter(|other| !exclude_self || **other != id);
            let mut distances: Vec<u64> = others.map(|other| dist(id, *other)).collect();
            distances.sort_unstable();
            distances.iter().take(k).sum()
        };
        (0..rows.len()).map(of_row).collect()
    };
    let mut knn = knn_among(&(0..rows.len()).collect::<Vec<_>>());
    let mut left: Vec<usize> = (0..rows.len()).collect();
    let mut clusters = Vec::new();
    let mut centres: Vec<usize> = Vec::new();
    while left.len() >= k {
        if dynamic {
            // Centres keep what they had.
            let now = knn_among(&left);
            left.iter().for_each(|id| knn[*id] = now[*id]);
        }
        let judged = if all_centres { &centres[..] } else { &centres[centres.len().saturating_sub(1)..] };
        let far =
            |id: &usize| judged.iter().all(|centre| k as u64 * dist(*centre, *id) > knn[*centre] + knn[*id]);
        let mut candidates: Vec<usize> = left.iter().copied().filter(far).collect();
        if candidates.is_empty() {
            candidates.clone_from(&left);
        }
        let centre = candidates.into_iter().min_by_key(|id| (knn[*id], *id)).expect("one is left");
        left.retain(|id| *id != centre);
        let key = |id: &usize| {
            let other = label(costs.problem, &rows[*id]) != label(costs.problem, &rows[centre]);
            (dist(centre, *id) + if other { lambda } else { 0 }, *id)
        };
        left.sort_by_key(key);
        let cluster: Vec<usize> = [centre].into_iter().chain(left.drain(..k - 1)).collect();
        left.sort_unstable();
        centres.push(centre);
        clusters.push(cluster);
    }
    leftovers(costs, rows, &left, lambda, &mut clusters);
    clusters
}

/// Greedy k-member clustering.
fn k_member(costs: &Costs<'_>, rows: &[Row], k: usize, weight: u64) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = (0..rows.len()).collect();
    let mut last = 0;
    let mut clusters = Vec::new();
    while left.len() >= k {
        let distance = |id: &usize| costs.of(&[&rows[last], &rows[*id]]);
        last = left.iter().copied().max_by_key(|id| (distance(id), std::cmp::Reverse(*id))).expect("a row");
        left.retain(|id| *id != last);
        let mut cluster = vec![last];
        while cluster.len() < k {
            let key = |id: &usize| {
                let with: Vec<usize> = cluster.iter().copied().chain([*id]).collect();
                let other = majority(costs.problem, rows, &cluster) != label(costs.problem, &rows[*id]);
                (costs.total(rows, &with) + if other { weight } else { 0 }, *id)
            };
            last = left.iter().copied().min_by_key(key).expect("k rows are there");
            left.retain(|id| *id != last);
            cluster.push(last);
        }
        clusters.push(cluster);
    }
    leftovers(costs, rows, &left, weight, &mut clusters);
    clusters
}

/// What the rows of clusters show, for comparison.
fn shown(problem: &Problem, rows: &[Row], clusters: &[Vec<usize>]) -> Vec<(u32, u32, Vec<Value>, u32)> {
    let share = |class: usize, id: usize| Share {
        tuple: rows[id].tuple,
        payload: rows[id].payload,
        class: class as u32,
        rows: 1,
    };
    let shares = clusters
        .iter()
        .enumerate()
        .flat_map(|(class, members)| members.iter().map(move |id| share(class, *id)));
    let regions: Vec<Vec<Value>> = clusters
        .iter()
        .map(|members| {
            let codes = |column: usize| members.iter().map(move |id| rows[*id].codes[column]);
            let cover = |column: usize| {
                let (low, high) = (codes(column).min(), codes(column).max());
                problem.quasi[column].cover(low.expect("a row"), high.expect("a row"))
            };
            (0..problem.quasi.len()).map(cover).collect()
        })
        .collect();
    of_assignment(problem, &Assignment::of_regions(Members::of_shares(shares.collect()), &regions))
}

fn of_assignment(problem: &Problem, assignment: &Assignment) -> Vec<(u32, u32, Vec<Value>, u32)> {
    let shares = assignment.members.shares(&problem.table);
    let mut shown: Vec<_> = shares
        .map(|share| (share.tuple, share.payload, assignment.values(share.class as usize), share.rows))
        .collect();
    shown.sort();
    shown
}

/// Problems with k-anonymity alone, and columns of several priorities.
fn problems(count: u64) -> impl Iterator<Item = Problem> {
    (0..count).map(|seed| {
        let mut chance = Chance::new(seed);
        let mut problem = problem(&Case::random(&mut chance));
        problem.models.retain(|model| model.name() == "k_anonymity");
        for quasi in &mut problem.quasi {
            quasi.priority = [0.0, 0.25, 0.7, 1.0, 1.0][chance.below(5) as usize];
        }
        problem
    })
}

fn check(problem: &Problem, solution: &Solution, rows: &[Row], literal: &[Vec<usize>], what: &str) {
    let found = of_assignment(problem, &solution.assignment);
    assert_eq!(found, shown(problem, rows, literal), "{what}");
    let finding = |name: &str| {
        solution.findings.iter().find(|finding| finding.name == name).and_then(|finding| finding.value)
    };
    assert_eq!(finding("merged"), Some(0.0));
    if problem.k().is_some_and(|k| k > 1) {
        assert_eq!(finding("clusters"), Some(literal.len() as f64));
        let largest = literal.iter().map(Vec::len).max().unwrap_or(0);
        assert_eq!(finding("largest_cluster"), Some(largest as f64));
    }
}

#[test]
fn dbca_is_what_the_specification_says() {
    for (seed, problem) in problems(400).enumerate() {
        let k = problem.k().unwrap_or(1) as usize;
        let rows = rows(&problem);
        if rows.len() < k {
            continue;
        }
        let height = seed % 3 == 0;
        let options =
            Options { all_centres: seed % 5 == 0, exclude_self: seed % 7 < 3, dynamic: seed % 2 == 0 };
        let costs = distortion(&problem, height);
        let weights = if height { "height" } else { "uniform" };
        let text = |set: bool| if set { "true" } else { "false" };
        let given = vec![
            ("weights", weights),
            ("all_centres", text(options.all_centres)),
            ("exclude_self", text(options.exclude_self)),
            ("dynamic", text(options.dynamic)),
        ];
        let literal = dbca(&costs, &rows, k, 0, options);
        assert!(literal.iter().all(|cluster| (k..2 * k).contains(&cluster.len())));
        check(&problem, &solve("dbca", &given, &problem), &rows, &literal, &format!("problem {seed}"));
        for (text, lambda) in [("0", 0.0), ("0.3", 0.3), ("1", 1.0), ("infinity", 1e6)] {
            let given: Vec<_> = given.iter().copied().chain([("lambda", text)]).collect();
            let literal = dbca(&costs, &rows, k, (lambda * ONE).round() as u64, options);
            let what = format!("problem {seed}, lambda {text}");
            check(&problem, &solve("dbca_cm", &given, &problem), &rows, &literal, &what);
        }
    }
}

/// The same where the first column is of numbers without a hierarchy: squares, so that their distances differ.
#[test]
fn dbca_takes_numbers_as_the_specification_says() {
    for (seed, mut problem) in problems(300).enumerate() {
        let numbers: Vec<i128> = (0..i128::from(problem.quasi[0].size())).map(|code| code * code).collect();
        let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let texts = texts.iter().map(String::as_str).collect();
        let measure = scumble::table::kind::Measure { kind: scumble::table::kind::Kind::Integer, scale: 0 };
        let bounds = (0, numbers[numbers.len() - 1]);
        problem.quasi[0].shape = Shape::Line(Line::new(&measure, numbers, texts, bounds, true));
        problem.quasi[0].tight = true;
        let k = problem.k().unwrap_or(1) as usize;
        let rows = rows(&problem);
        if rows.len() < k {
            continue;
        }
        for (name, scaled) in [("interval", false), ("scaled", true)] {
            let height = seed % 3 == 0;
            let costs = Costs { scaled, ..distortion(&problem, height) };
            let options = Options { all_centres: false, exclude_self: false, dynamic: seed % 2 == 0 };
            let literal = dbca(&costs, &rows, k, 0, options);
            let given = [
                ("weights", if height { "height" } else { "uniform" }),
                ("dynamic", if options.dynamic { "true" } else { "false" }),
                ("numeric", name),
            ];
            let solution = solve("dbca", &given, &problem);
            check(&problem, &solution, &rows, &literal, &format!("problem {seed}, {name}"));
            // The distortion that is reported is the cost of the clusters.
            let cost: u64 = literal.iter().map(|members| costs.total(&rows, members)).sum();
            let found = solution.findings.iter().find(|finding| finding.name == "distortion");
            let found = found.and_then(|finding| finding.value).expect("a distortion");
            assert!((found - cost as f64 / ONE).abs() < 1e-6, "problem {seed}, {name}: {found}");
        }
    }
}

#[test]
fn k_member_is_what_the_paper_says() {
    for (seed, problem) in problems(300).enumerate() {
        let k = problem.k().unwrap_or(1) as usize;
        let rows = rows(&problem);
        if rows.len() < k {
            continue;
        }
        let costs = Costs { problem: &problem, of_level: Vec::new(), loss: true, scaled: false, middle: 0.0 };
        for (text, weight) in [("0", 0.0), ("0.5", 0.5), ("infinity", 1e6)] {
            let literal = k_member(&costs, &rows, k, (weight * ONE).round() as u64);
            let what = format!("problem {seed}, class weight {text}");
            check(&problem, &solve("k_member", &[("class_weight", text)], &problem), &rows, &literal, &what);
        }
    }
}

#[test]
fn clusters_are_merged_until_every_model_holds() {
    let mut merged = 0;
    for seed in 0..300 {
        let problem = problem(&Case::random(&mut Chance::new(seed)));
        if problem.check_feasible().is_err() {
            continue;
        }
        for (name, given) in [
            ("dbca", &[][..]),
            ("dbca_cm", &[("allow_homogeneous", "true")]),
            ("k_member", &[]),
            ("oka", &[]),
        ] {
            let solution = solve(name, given, &problem);
            let policy = problem.star_policy;
            let classes = scumble::recoding::published::Classes::new(
                solution.assignment,
                &problem.table,
                &problem.quasi,
                policy,
            );
            let tests = problem.class_tests().expect("decided by classes");
            let payloads = problem.table.payloads();
            for class in 0..classes.len() {
                let view = classes.view(class, payloads);
                assert!(tests.iter().all(|test| test.passes(&view)), "{name}, problem {seed}");
            }
            merged +=
                usize::from(solution.findings.iter().any(|f| f.name == "merged" && f.value > Some(0.0)));
        }
    }
    assert!(merged > 20, "hardly any problem needed merging: {merged}");
}
