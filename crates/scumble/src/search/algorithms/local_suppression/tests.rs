//! Compares the search with all partitions of tiny tables, which give the fewest blanks possible.

use super::*;
use crate::config::{StarPolicy, Value as Setting};
use crate::models::ModelContext;
use crate::problem::{Budget, Progress};
use crate::registry::{METRICS, MODELS};
use crate::table::frequency::FrequencyTable;
use crate::table::kind::{Kind, Measure};
use crate::table::payload::Payloads;
use crate::table::quasi::{Quasi, Shape};

const TEXT: Measure = Measure { kind: Kind::Text, scale: 0 };

/// A problem of rows with codes below 4 that must be k-anonymous.
fn problem(rows: &[Vec<u32>], k: u64) -> Problem {
    let width = rows[0].len();
    let (payloads, payload_of_row) = Payloads::of_rows(Vec::new(), rows.len(), |_, _| 0);
    let code = |column: usize, row: usize| rows[row][column];
    let (table, _) =
        FrequencyTable::count(&vec![4; width], rows.len(), code, payloads, &payload_of_row, |_| 1);
    let parameters: Parameters = [("k".to_owned(), Setting::Integer(k as i64))].into_iter().collect();
    let context = ModelContext { table: &table, trees: &|_| None, columns: &[], sensitive: &[] };
    let model = MODELS.find("k_anonymity").expect("registered");
    let models = (model.build)(&parameters, &context).expect("fitting parameters");
    let quasi = |column: usize| Quasi {
        name: format!("q{column}"),
        measure: TEXT,
        shape: Shape::Set(["a", "b", "c", "d"].into_iter().collect()),
        priority: 1.0,
        tight: false,
        sets: false,
    };
    Problem {
        quasi: (0..width).map(quasi).collect(),
        models,
        metric: METRICS.find("loss").expect("registered").build,
        class: None,
        suppression: Rational::ONE,
        star_policy: StarPolicy::Strict,
        budget: Budget::default(),
        seed: 0,
        progress: Progress::default(),
        table,
    }
}

/// Runs the search, checks that every class is large enough, and returns the blanks of each column.
fn blanked(problem: &Problem, importance: &[&str], k: u64) -> Vec<u64> {
    let importance = importance.iter().map(|name| (*name).to_owned()).collect();
    let solution = LocalSuppression { importance }.run(problem).expect("k rows are there");
    let classes = Classes::new(solution.assignment, &problem.table, &problem.quasi, problem.star_policy);
    assert!((0..classes.len()).all(|class| classes.is_suppressed(class) || classes.size(class) >= k));
    assert!(classes.suppressed_rows() == 0 || classes.suppressed_rows() >= k);
    let cells = solution.findings.iter().find(|finding| finding.name == "blanked_cells");
    let blanks = blanks(&classes, problem);
    assert_eq!(cells.and_then(|finding| finding.value), Some(blanks.iter().sum::<u64>() as f64));
    blanks
}

/// The least weight of blanks over all partitions into parts of at least k rows. A part blanks the columns in which its
/// rows differ.
fn least(rows: &[Vec<u32>], k: u64, costs: &[u64]) -> u64 {
    let all = (1_usize << rows.len()) - 1;
    let members = |set: usize| (0..rows.len()).filter(move |row| set >> row & 1 == 1);
    let cost = |set: usize| {
        let first = set.trailing_zeros() as usize;
        let differs = |column: usize| members(set).any(|row| rows[row][column] != rows[first][column]);
        let each: u64 = (0..costs.len()).filter(|column| differs(*column)).map(|column| costs[column]).sum();
        each * u64::from(set.count_ones())
    };
    let mut best = vec![u64::MAX; all + 1];
    best[0] = 0;
    for set in 1..=all {
        let first = 1 << set.trailing_zeros();
        let mut part = set;
        while part > 0 {
            if part & first > 0 && u64::from(part.count_ones()) >= k && best[set & !part] < u64::MAX {
                best[set] = best[set].min(cost(part) + best[set & !part]);
            }
            part = (part - 1) & set;
        }
    }
    best[all]
}

/// Tables of 4 to 9 rows and two to four columns, the same in every run.
fn tiny_tables() -> impl Iterator<Item = (Vec<Vec<u32>>, u64)> {
    let mut state = 7_u64;
    let mut dice = move |sides: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    (0..400).map(move |_| {
        let (height, width, values) = (4 + dice(6), 2 + dice(3), 2 + dice(3));
        let row = |dice: &mut dyn FnMut(u64) -> u64| (0..width).map(|_| dice(values) as u32).collect();
        let rows: Vec<Vec<u32>> = (0..height).map(|_| row(&mut dice)).collect();
        (rows, 2 + dice(2))
    })
}

#[test]
fn tiny_tables_are_within_a_tenth_of_the_fewest_blanks_in_all_and_never_twice_as_many() {
    let (mut found, mut possible) = (0, 0);
    for (rows, k) in tiny_tables() {
        let blanks: u64 = blanked(&problem(&rows, k), &[], k).iter().sum();
        let fewest = least(&rows, k, &vec![1; rows[0].len()]);
        assert!(blanks >= fewest, "fewer blanks than can be: {rows:?}");
        assert!(blanks <= 2 * fewest, "{blanks} blanks, {fewest} are enough: k = {k}, {rows:?}");
        found += blanks;
        possible += fewest;
    }
    assert!(10 * found <= 11 * possible, "{found} blanks, {possible} would do");
}

#[test]
fn whole_rows_are_never_better() {
    for (rows, k) in tiny_tables() {
        let problem = problem(&rows, k);
        let plain = problem.suppress_failing(unchanged(&problem)).expect("all rows may go");
        let cells: u64 = blanked(&problem, &[], k).iter().sum();
        assert!(cells <= plain.suppressed_rows() * rows[0].len() as u64);
    }
}

#[test]
fn an_important_column_is_spared() {
    // Each row shares one column with its neighbour: either column can be blanked.
    let rows = vec![vec![0, 0], vec![0, 1], vec![1, 0], vec![1, 1]];
    assert_eq!(blanked(&problem(&rows, 2), &["q0"], 2), [0, 4]);
    assert_eq!(blanked(&problem(&rows, 2), &["q1"], 2), [4, 0]);
    assert_eq!(least(&rows, 2, &[2, 1]), 4);
}

#[test]
fn rows_are_lent_where_that_takes_fewer_blanks() {
    // Six equal rows and a different one: one of the six joins it and loses one cell. The different row alone would have
    // to show nothing and take others with it.
    let mut rows = vec![vec![0, 0, 0]; 6];
    rows.push(vec![0, 0, 1]);
    assert_eq!(blanked(&problem(&rows, 2), &[], 2), [0, 0, 2]);
}

#[test]
fn an_unknown_or_repeated_column_is_named() {
    let given = |names: &str| -> Parameters {
        [("importance".to_owned(), Setting::from_text(names))].into_iter().collect()
    };
    let error = build(&given("[q0, q0]")).err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("importance lists 'q0' twice"));
    let algorithm = build(&given("[q7]")).expect("a list of names");
    let error = algorithm.check(&problem(&[vec![0], vec![1]], 2)).err().map(|error| error.to_string());
    assert!(error.is_some_and(|message| message.contains("'q7', which is not a quasi-identifier")));
}
