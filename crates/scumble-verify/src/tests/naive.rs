//! A naive implementation: everything once more on strings, row against row and in floats, compared on random tables.

use proptest::prelude::*;
use scumble_files::Control;
use serde_json::{Value, json};

use super::table;
use crate::{
    Claim, Cover, Drops, ModelClaim, Nodes, Reference, ReferenceColumn, StarRows, Truth, ValueKind,
    check_models, check_truth, check_truth_with_map,
};
use scumble_files::table::CodedTable;

pub(super) type Row = Vec<String>;

pub(super) fn coded(names: &[&str], rows: &[Row]) -> CodedTable {
    let columns: Vec<Vec<&str>> =
        (0..names.len()).map(|column| rows.iter().map(|row| row[column].as_str()).collect()).collect();
    let named: Vec<(&str, &[&str])> = names.iter().copied().zip(columns.iter().map(Vec::as_slice)).collect();
    table(&named)
}

/// Returns the sensitive values (third column) of each class of the first two columns.
fn classes(rows: &[Row], star: StarRows) -> Vec<Vec<String>> {
    let mut found: Vec<(Row, Vec<String>)> = Vec::new();
    for row in rows {
        if star == StarRows::Unjudged && row[0] == "*" && row[1] == "*" {
            continue;
        }
        match found.iter_mut().find(|(quasi, _)| quasi[..] == row[..2]) {
            Some((_, values)) => values.push(row[2].clone()),
            None => found.push((row[..2].to_vec(), vec![row[2].clone()])),
        }
    }
    found.into_iter().map(|(_, values)| values).collect()
}

fn share(values: &[String], value: &str) -> f64 {
    values.iter().filter(|&other| other == value).count() as f64 / values.len() as f64
}

const DOMAIN: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
/// The tree ((a b) (c d)) (e) f under the root: ragged, of height 3.
const TREE: [(&str, &[&str]); 6] = [
    ("a", &["ab", "abcd", "r"]),
    ("b", &["ab", "abcd", "r"]),
    ("c", &["cd", "abcd", "r"]),
    ("d", &["cd", "abcd", "r"]),
    ("e", &["e", "r"]),
    ("f", &["r"]),
];

/// Returns what a class attains, and whether larger is better.
fn measure(model: &Value, class: &[String], original: &[String]) -> (f64, bool) {
    let shares: Vec<f64> = DOMAIN.iter().map(|value| share(class, value)).collect();
    let difference: Vec<f64> =
        DOMAIN.iter().map(|value| share(class, value) - share(original, value)).collect();
    let mut sorted = shares.clone();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let kind = model["variant"].as_str().or(model["distance"].as_str()).unwrap_or("k");
    match kind {
        "k" => (class.len() as f64, true),
        "distinct" => (shares.iter().filter(|&&share| share > 0.0).count() as f64, true),
        "entropy" => {
            let entropy: f64 =
                shares.iter().filter(|&&share| share > 0.0).map(|share| -share * share.log2()).sum();
            (entropy.exp2(), true)
        }
        "frequency" => (1.0 / sorted[0], true),
        "recursive" => {
            let tail: f64 = sorted[model["l"].as_u64().expect("l") as usize - 1..].iter().sum();
            (sorted[0] / tail, false)
        }
        "equal" => (difference.iter().map(|d| d.abs()).sum::<f64>() / 2.0, false),
        "ordered" => {
            let cumulative = (1..DOMAIN.len()).map(|i| difference[..i].iter().sum::<f64>().abs());
            (cumulative.sum::<f64>() / (DOMAIN.len() - 1) as f64, false)
        }
        _ => {
            let cost = |children: &[f64]| -> (f64, f64) {
                let positive: f64 = children.iter().filter(|&&d| d > 0.0).sum();
                let negative: f64 = -children.iter().filter(|&&d| d < 0.0).sum::<f64>();
                (positive.min(negative), positive - negative)
            };
            let (ab, ab_extra) = cost(&difference[0..2]);
            let (cd, cd_extra) = cost(&difference[2..4]);
            let (abcd, abcd_extra) = cost(&[ab_extra, cd_extra]);
            let (root, _) = cost(&[abcd_extra, difference[4], difference[5]]);
            ((ab + cd) / 3.0 + abcd * 2.0 / 3.0 + root, false)
        }
    }
}

fn a_model() -> impl Strategy<Value = (Value, f64)> {
    let diversity = |variant: &'static str| {
        (10u32..45).prop_map(move |l| {
            let l = if variant == "distinct" { l / 10 * 10 } else { l };
            (
                json!({"model": "l_diversity", "variant": variant, "l": f64::from(l) / 10.0, "column": "s"}),
                f64::from(l) / 10.0,
            )
        })
    };
    let closeness = |distance: &'static str| {
        (0u32..=20).prop_map(move |t| {
            let t = f64::from(t) / 20.0;
            (json!({"model": "t_closeness", "distance": distance, "t": t, "column": "s"}), t)
        })
    };
    prop_oneof![
        (1u32..5).prop_map(|k| (json!({"model": "k_anonymity", "k": k}), f64::from(k))),
        diversity("distinct"),
        diversity("entropy"),
        diversity("frequency"),
        (2u32..5, 1u32..12).prop_map(|(l, c)| {
            let c = f64::from(c) / 4.0;
            (json!({"model": "l_diversity", "variant": "recursive", "l": l, "c": c, "column": "s"}), c)
        }),
        closeness("equal"),
        closeness("ordered"),
        closeness("hierarchical"),
    ]
}

pub(super) fn rows_of(columns: &'static [&'static str], most: usize) -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec(
        columns.iter().map(|&pattern| pattern.prop_map(|s: String| s)).collect::<Vec<_>>(),
        1..most,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn models_agree_with_the_definitions(
        rows in rows_of(&["[xy*]", "[u*]", "[a-d]"], 40),
        suppressed in proptest::collection::vec("[a-f]", 0..10),
        (model, required) in a_model(),
        judged: bool,
    ) {
        let star = if judged { StarRows::Judged } else { StarRows::Unjudged };
        let original: Vec<String> = rows.iter().map(|row| row[2].clone()).chain(suppressed).collect();
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let reference = Reference { columns: vec![ReferenceColumn {
            name: "s".to_owned(),
            counts: DOMAIN.iter().map(|&v| (v.to_owned(), original.iter().filter(|&o| o == v).count() as u64)).collect(),
            order: Some(owned(&DOMAIN)),
            tree: Some(TREE.iter().map(|&(leaf, above)| (leaf.to_owned(), owned(above))).collect()),
        }]};
        let claim = Claim {
            quasi: owned(&["p", "q"]),
            models: vec![ModelClaim::from_json(&model).expect("a model")],
            star, values: Vec::new(),
        };
        let outcome = check_models(&coded(&["p", "q", "s"], &rows), &claim, Some(&reference)).expect("a check");

        let classes = classes(&rows, star);
        let measured: Vec<(f64, bool)> = classes.iter().map(|class| measure(&model, class, &original)).collect();
        let larger = measured.first().is_none_or(|&(_, larger)| larger);
        let strict = model["variant"] == "recursive";
        let fails = |&&(attained, larger): &&(f64, bool)| {
            if larger { attained < required - 1e-9 } else if strict { attained >= required - 1e-9 } else { attained > required + 1e-9 }
        };
        let worst = measured.iter().map(|&(attained, _)| attained).reduce(|a, b| if (a < b) == larger { a } else { b });
        prop_assert_eq!(outcome.models[0].failing_classes, measured.iter().filter(fails).count() as u64);
        let failing_rows: usize = classes.iter().zip(&measured).filter(|(_, m)| fails(m)).map(|(class, _)| class.len()).sum();
        prop_assert_eq!(outcome.models[0].failing_rows, failing_rows as u64);
        prop_assert_eq!(outcome.holds, !measured.iter().any(|m| fails(&m)));
        prop_assert_eq!(outcome.smallest_class, classes.iter().map(|class| class.len() as u64).min());
        match (outcome.models[0].attained, worst) {
            (Some(found), Some(worst)) => prop_assert!(found == worst || (found - worst).abs() < 1e-9, "{} {}", found, worst),
            (found, worst) => prop_assert_eq!(found, worst),
        }
    }
}

/// Whether a released text is true of an original one. Ages are 0 to 9 and `?`; jobs are n1 and n2 under n, m1 under m, all under
/// r.
fn true_of(column: usize, original: &str, released: &str) -> bool {
    if released == "*" || released == original {
        return true;
    }
    let chars: Vec<char> = released.chars().collect();
    match (column, chars.first()) {
        (0, Some('[')) if original != "?" => {
            let age = original.chars().next().expect("an age");
            chars[1] <= age && (age < chars[3] || (age == chars[3] && chars[4] == ']'))
        }
        (_, Some('{')) => {
            released[1..released.len() - 1].split('|').any(|member| true_of(column, original, member))
        }
        (1, _) => released == "r" || (released.len() == 1 && original.starts_with(released)),
        _ => false,
    }
}

fn covers(column: usize) -> Truth {
    let paths = [("n1", "n"), ("n2", "n"), ("m1", "m")];
    let nodes =
        Nodes::from_paths(paths.map(|(leaf, node)| (leaf.to_owned(), vec![node.to_owned(), "r".to_owned()])));
    Truth::Covers(Cover {
        kind: if column == 0 { ValueKind::Number { comma: false } } else { ValueKind::Text },
        nodes: if column == 0 { Nodes::default() } else { nodes.expect("a tree") },
        missing: vec!["?".to_owned()],
    })
}

pub(super) fn declaration() -> Vec<(String, Truth)> {
    vec![
        ("age".to_owned(), covers(0)),
        ("job".to_owned(), covers(1)),
        ("kept".to_owned(), Truth::Exact),
        ("also".to_owned(), Truth::Exact),
    ]
}

pub(super) const NAMES: [&str; 4] = ["age", "job", "kept", "also"];
pub(super) const ORIGINALS: &[&str] = &["[0-9?]", "n1|n2|m1", "[yz]", "[uv]"];
pub(super) const RELEASED: &[&str] = &[
    r"[0-9?*]|\[[0-4],[4-9][\])]|\[[0-2],[7-9]\]|\{[0-9]\|[0-9?]\}|\*",
    r"n1|n2|m1|n|m|r|\*|\{n1\|m1\}|\{n\|m1\}",
    "[yyyyz]",
    "[uuuv]",
];

fn row_is_true(original: &Row, released: &Row) -> bool {
    original[2..] == released[2..]
        && (0..2).all(|column| true_of(column, &original[column], &released[column]))
}

/// Returns the largest number of released rows that can be assigned, one row at a time.
fn most_assigned(originals: &[Row], released: &[Row]) -> usize {
    fn place(row: usize, fits: &[Vec<usize>], taken: &mut [Option<usize>], seen: &mut [bool]) -> bool {
        fits[row].iter().any(|&original| {
            if std::mem::replace(&mut seen[original], true) {
                return false;
            }
            let free = taken[original].is_none_or(|other| place(other, fits, taken, seen));
            if free {
                taken[original] = Some(row);
            }
            free
        })
    }
    let fits: Vec<Vec<usize>> = released
        .iter()
        .map(|row| (0..originals.len()).filter(|&original| row_is_true(&originals[original], row)).collect())
        .collect();
    let mut taken = vec![None; originals.len()];
    (0..released.len())
        .filter(|&row| place(row, &fits, &mut taken, &mut vec![false; originals.len()]))
        .count()
}

/// Returns a random truthful label for a value.
fn blur(column: usize, value: &str, choice: u8) -> String {
    match (column, choice % 4) {
        (_, 0) => value.to_owned(),
        (_, 1) => "*".to_owned(),
        (0, _) if value == "?" => "?".to_owned(),
        (0, 2) => format!("[{},{}]", value.parse::<u8>().expect("an age") / 3 * 3, 9),
        (0, _) => format!("{{{value}|0}}"),
        (_, 2) => "r".to_owned(),
        _ => value[..1].to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn assignments_agree_with_matching_row_by_row(originals in rows_of(ORIGINALS, 25), released in rows_of(RELEASED, 20)) {
        let (original, release) = (coded(&NAMES, &originals), coded(&NAMES, &released));
        let outcome = check_truth(&release, &original, &declaration(), Drops::Allowed, &Control::default()).expect("a check");
        let unassigned = (released.len() - most_assigned(&originals, &released)) as u64;
        prop_assert_eq!(outcome.unassigned_rows, unassigned);
        prop_assert_eq!(outcome.holds, unassigned == 0);
    }

    #[test]
    fn a_blurred_table_is_assigned_in_any_order_and_one_false_row_is_found(
        originals in rows_of(ORIGINALS, 40),
        choices in proptest::collection::vec((0u8..4, 0u8..4), 40),
        turn in 0usize..40,
    ) {
        let mut released: Vec<Row> = originals.iter().zip(&choices).map(|(row, &(age, job))| {
            vec![blur(0, &row[0], age), blur(1, &row[1], job), row[2].clone(), row[3].clone()]
        }).collect();
        let turn = turn % released.len();
        released.rotate_left(turn);
        let map: Vec<u32> = (0..originals.len()).map(|row| ((row + turn) % originals.len()) as u32).collect();
        let (original, release) = (coded(&NAMES, &originals), coded(&NAMES, &released));
        prop_assert!(check_truth(&release, &original, &declaration(), Drops::Forbidden, &Control::default()).expect("a check").holds);
        prop_assert!(check_truth_with_map(&release, &original, &map, &declaration(), Drops::Forbidden, &Control::default()).expect("a check").holds);
        // A value that nobody has is true of nobody.
        released[0][0] = "10".to_owned();
        let release = coded(&NAMES, &released);
        prop_assert_eq!(check_truth(&release, &original, &declaration(), Drops::Allowed, &Control::default()).expect("a check").unassigned_rows, 1);
        let outcome = check_truth_with_map(&release, &original, &map, &declaration(), Drops::Forbidden, &Control::default()).expect("a check");
        prop_assert_eq!((outcome.holds, outcome.first_false.map(|cell| cell.row)), (false, Some(1)));
    }

    #[test]
    fn row_maps_agree_with_looking_at_each_cell(
        originals in rows_of(ORIGINALS, 25),
        released in rows_of(RELEASED, 20),
        map in proptest::collection::vec(0usize..1000, 20),
    ) {
        let map: Vec<u32> = map[..released.len()].iter().map(|&row| (row % originals.len()) as u32).collect();
        let outcome = check_truth_with_map(
            &coded(&NAMES, &released), &coded(&NAMES, &originals), &map, &declaration(), Drops::Allowed, &Control::default()).expect("a check");
        for column in 0..4 {
            let is_false = |&row: &usize| {
                let (original, released) = (&originals[map[row] as usize][column], &released[row][column]);
                if column >= 2 { original != released } else { !true_of(column, original, released) }
            };
            let rows: Vec<usize> = (0..released.len()).filter(is_false).collect();
            prop_assert_eq!(outcome.columns[column].false_cells, rows.len() as u64);
            prop_assert_eq!(outcome.columns[column].first_row, rows.first().map(|&row| row as u64 + 1));
        }
        let repeated = (0..map.len()).filter(|&row| map[..row].contains(&map[row])).count();
        prop_assert_eq!(outcome.repeated_rows, repeated as u64);
        let unused = (0..originals.len() as u32).filter(|row| !map.contains(row)).count();
        prop_assert_eq!(outcome.unreleased_rows, unused as u64);
    }
}
