//! However a release is divided into parts, checking the parts finds what checking the whole finds.

use proptest::prelude::*;
use scumble_files::Control;
use scumble_files::table::CodedTable;
use serde_json::{Value, json};

use super::table;
use crate::{
    Claim, Cover, ModelClaim, Nodes, Population, Reference, ReferenceColumn, ReleaseInParts, SensitiveColumn,
    StarRows, ValueKind, VerifyError, check_models_with,
};

const NAMES: [&str; 6] = ["p", "q", "s", "n", "who", "guards"];

/// Two quasi-identifiers, a value in several spellings or missing, a number, a person and a guarding node.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

fn row() -> impl Strategy<Value = Row> {
    let one_of = |texts: &'static [&'static str]| proptest::sample::select(texts);
    // No two classes may cover the same people of a population.
    let classes = proptest::sample::select(&[("x", "u"), ("x", "v"), ("y", "u"), ("*", "*")][..]);
    (
        classes,
        one_of(&["a", "A", "b", "c", "?"]),
        one_of(&["1", "2.5", "4"]),
        one_of(&["p1", "p2", "p3"]),
        one_of(&["a", "ab", ""]),
    )
        .prop_map(|((p, q), s, n, who, guards)| (p, q, s, n, who, guards))
}

fn coded(rows: &[Row]) -> CodedTable {
    let columns: [Vec<&str>; 6] = [
        rows.iter().map(|row| row.0).collect(),
        rows.iter().map(|row| row.1).collect(),
        rows.iter().map(|row| row.2).collect(),
        rows.iter().map(|row| row.3).collect(),
        rows.iter().map(|row| row.4).collect(),
        rows.iter().map(|row| row.5).collect(),
    ];
    let named: Vec<(&str, &[&str])> = NAMES.into_iter().zip(columns.iter().map(Vec::as_slice)).collect();
    table(&named)
}

/// One claim at least of every kind of requirement, with what else a claim may say.
fn claims() -> Vec<Value> {
    let tree = json!([["a", "ab", "r"], ["b", "ab", "r"], ["c", "r"]]);
    vec![
        json!({"model": "k_anonymity", "k": 3}),
        json!({"model": "k_anonymity", "k": 2, "person": "who"}),
        json!({"model": "k_anonymity", "k": 2, "quasi": ["q"]}),
        json!({"model": "l_diversity", "variant": "distinct", "l": 2, "column": "s"}),
        json!({"model": "l_diversity", "variant": "entropy", "l": 2, "column": "s", "given": ["n"]}),
        json!({"model": "l_diversity", "variant": "frequency", "l": 2, "column": "s", "person": "who"}),
        json!({"model": "l_diversity", "variant": "recursive", "l": 2, "c": 2, "columns": ["s", "n"]}),
        json!({"model": "t_closeness", "distance": "equal", "t": "0.3", "column": "s"}),
        json!({"model": "t_closeness", "distance": "hierarchical", "t": "0.3", "column": "s", "tree": tree}),
        json!({"model": "lkc", "l": 1, "k": 4}),
        json!({"model": "lkc", "l": 1, "column": "s", "c": "0.6"}),
        json!({"model": "alpha_k", "alpha": "0.5", "column": "s"}),
        json!({"model": "k_e", "k": 2, "count": "rows", "column": "n"}),
        json!({"model": "k_e", "e": "1", "comma": false, "column": "n"}),
        json!({"model": "p_sensitive", "p": 2, "column": "s"}),
        json!({"model": "p_sensitive", "alpha": "0.5", "categories": [["a"], ["b", "c"]], "weight_over": "rows", "column": "s"}),
        json!({"model": "xy_anonymity", "k": 2, "column": "s"}),
        json!({"model": "xy_linkability", "h": "0.5", "column": "s"}),
        json!({"model": "k_uncertainty", "k": 2, "column": "s"}),
        json!({"model": "beta_likeness", "beta": 1, "variant": "enhanced", "column": "s"}),
        json!({"model": "delta_disclosure", "delta": 1, "column": "n"}),
        json!({"model": "personalised", "p_breach": "0.7", "guarding": "guards", "none": [""], "tree": tree, "column": "s"}),
        json!({"model": "personalised", "p_breach": "0.7", "guarding": "guards", "none": [""], "tree": tree, "column": "s", "person": "who"}),
        json!({"model": "multirelational", "k": 2, "count": "multiset", "person": "who"}),
        json!({"model": "average_risk", "average": "0.4"}),
        json!({"model": "average_risk", "highest": "0.4", "at_risk": "0.3"}),
        json!({"model": "k_map", "k": 3}),
        json!({"model": "delta_presence", "delta_max": "0.6"}),
    ]
}

fn people() -> (CodedTable, Vec<(String, Cover)>) {
    let people =
        table(&[("p", &["x", "x", "y", "x", "y", "y", "x"]), ("q", &["u", "v", "u", "u", "u", "v", "u"])]);
    let paths = |leaves: &[&str]| {
        let paths = leaves.iter().map(|leaf| ((*leaf).to_owned(), vec!["*".to_owned()]));
        Nodes::from_paths(paths.collect::<Vec<_>>()).expect("a tree")
    };
    let cover = |leaves: &[&str]| Cover { kind: ValueKind::Text, nodes: paths(leaves), missing: Vec::new() };
    (people, vec![("p".to_owned(), cover(&["x", "y"])), ("q".to_owned(), cover(&["u", "v"]))])
}

/// How the spellings and the missing value of the sensitive column are read.
fn values() -> SensitiveColumn {
    SensitiveColumn { missing: vec!["?".to_owned()], ..SensitiveColumn::texts("s") }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn parts_are_judged_as_the_whole(
        rows in proptest::collection::vec((row(), 1..4_u64), 0..40),
        cuts in proptest::collection::vec(0..40_usize, 3),
        in_order: bool,
        judged: bool,
        known: bool,
        merged: bool,
    ) {
        let whole: Vec<Row> =
            rows.iter().flat_map(|(row, times)| std::iter::repeat_n(*row, *times as usize)).collect();
        let original = coded(&whole);
        let (people, covers) = people();
        let population = Population { table: &people, covers };
        let mut parts = rows.clone();
        if !in_order {
            parts.reverse();
        }
        for model in claims() {
            let claim = Claim {
                quasi: vec!["p".to_owned(), "q".to_owned()],
                models: vec![ModelClaim::from_json(&model).expect("a model")],
                star: if judged { StarRows::Judged } else { StarRows::Unjudged },
                values: vec![values()],
            };
            let mut reference = Reference::default();
            for name in ["s", "n"] {
                reference.columns.push(ReferenceColumn::count(&original, name).expect("a column"));
            }
            reference.columns.push(
                ReferenceColumn::count_joint(&original, &["s".into(), "n".into()], &claim.values, &Control::default())
                    .expect("columns"),
            );
            let reference = known.then_some(&reference);
            let expected =
                check_models_with(&original, &claim, reference, Some(&population), &Control::default());
            let mut counted = ReleaseInParts::new(claim.clone()).expect("a claim");
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| *cut.min(&parts.len())).collect();
            cuts.extend([0, parts.len()]);
            cuts.sort_unstable();
            for (nth, cut) in cuts.windows(2).enumerate() {
                let part = &parts[cut[0]..cut[1]];
                let (rows, times): (Vec<Row>, Vec<u64>) = part.iter().copied().unzip();
                let mut other = ReleaseInParts::new(claim.clone()).expect("a claim");
                let into = if merged { &mut other } else { &mut counted };
                if nth % 2 == 0 {
                    into.update(&coded(&rows), Some(&times)).expect("rows");
                } else {
                    let rows: Vec<Row> =
                        part.iter().flat_map(|(row, times)| std::iter::repeat_n(*row, *times as usize)).collect();
                    into.update(&coded(&rows), None).expect("rows");
                }
                counted.merge(other).expect("parts of one release");
            }
            let found = counted.check(reference, Some(&population), &Control::default());
            prop_assert_eq!(found, expected, "{}", model);
        }
    }
}

/// Or the comparison above would compare errors.
#[test]
fn every_claim_is_understood() {
    let rows = coded(&[
        ("x", "u", "a", "1", "p1", "ab"),
        ("x", "v", "?", "4", "p2", ""),
        ("*", "*", "A", "2.5", "p1", "a"),
    ]);
    let (people, covers) = people();
    for model in claims() {
        let claim = Claim {
            quasi: vec!["p".to_owned(), "q".to_owned()],
            models: vec![ModelClaim::from_json(&model).expect("a model")],
            star: StarRows::Judged,
            values: vec![values()],
        };
        let population = Population { table: &people, covers: covers.clone() };
        let found = check_models_with(&rows, &claim, None, Some(&population), &Control::default());
        assert!(found.is_ok(), "{model}: {found:?}");
    }
}

/// So many rows that they are made distinct on the way, and many more of them than texts.
#[test]
fn many_parts_take_little_room() {
    let model = ModelClaim::from_json(&json!({"model": "k_anonymity", "k": 9000})).expect("a model");
    let claim = Claim {
        quasi: vec!["p".to_owned()],
        models: vec![model],
        star: StarRows::Judged,
        values: Vec::new(),
    };
    let mut counted = ReleaseInParts::new(claim).expect("a claim");
    for nth in 0..3000 {
        let text = (nth % 3).to_string();
        counted.update(&table(&[("p", &[text.as_str(); 10]), ("unread", &["?"; 10])]), None).expect("rows");
    }
    let outcome = counted.check(None, None, &Control::default()).expect("a check");
    assert_eq!((outcome.rows, outcome.classes, outcome.smallest_class), (30_000, 3, Some(10_000)));
    assert!(outcome.holds);
}

#[test]
fn parts_that_do_not_fit_are_errors() {
    let claim = |name: &str| Claim {
        quasi: vec![name.to_owned()],
        models: Vec::new(),
        star: StarRows::Judged,
        values: Vec::new(),
    };
    let mut counted = ReleaseInParts::new(claim("p")).expect("a claim");
    let rows = table(&[("p", &["x", "y"])]);
    assert!(matches!(counted.update(&rows, Some(&[1])), Err(VerifyError::Malformed { .. })));
    assert!(matches!(counted.update(&table(&[("q", &["x"])]), None), Err(VerifyError::NoSuchColumn { .. })));
    let other = ReleaseInParts::new(claim("q")).expect("a claim");
    assert!(matches!(counted.merge(other), Err(VerifyError::Malformed { .. })));
    assert!(matches!(counted.update(&rows, Some(&[u64::MAX, 1])), Err(VerifyError::TooLarge { .. })));
    assert_eq!(
        ReleaseInParts::new(Claim { quasi: Vec::new(), ..claim("p") }).err(),
        Some(VerifyError::NoQuasi)
    );
}
