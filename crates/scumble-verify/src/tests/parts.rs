//! However a release is divided into parts, checking the parts gives the same result as checking the whole.

use proptest::prelude::*;
use scumble_files::Control;
use scumble_files::table::CodedTable;
use serde_json::{Value, json};

use super::naive::{self, declaration, rows_of};
use super::table;
use crate::{
    Claim, Cover, Drops, ModelClaim, Nodes, Population, Reference, ReferenceColumn, ReleaseInParts,
    SensitiveColumn, StarRows, Truth, TruthInParts, TruthOutcome, ValueKind, VerifyError, check_models_with,
    check_truth_with_map,
};

const NAMES: [&str; 6] = ["p", "q", "s", "n", "who", "guards"];

/// Two quasi-identifiers, a value that may be missing or have several spellings, a number, a person and a guarded node.
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

/// At least one claim of every kind of requirement, with the other parameters that a claim may have.
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
        rows in proptest::collection::vec((row(), 0..4_u64), 0..40),
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

/// Otherwise the comparison above would only compare errors.
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

/// A value that only rows counted zero times have does not make a class diverse.
#[test]
fn rows_that_count_for_nothing_are_not_there() {
    let diverse = json!({"model": "l_diversity", "variant": "distinct", "l": 2, "column": "s"});
    let claim = Claim {
        quasi: vec!["p".to_owned()],
        models: vec![ModelClaim::from_json(&diverse).expect("a model")],
        star: StarRows::Judged,
        values: Vec::new(),
    };
    let holds = |counts: &[u64]| {
        let mut counted = ReleaseInParts::new(claim.clone()).expect("a claim");
        counted.update(&table(&[("p", &["x", "x"]), ("s", &["flu", "gout"])]), Some(counts)).expect("rows");
        counted.check(None, None, &Control::default()).expect("a check").holds
    };
    assert!(holds(&[5, 1]) && !holds(&[5, 0]));
}

/// So many rows that equal rows are merged on the way, and far more rows than texts.
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
    let same = table(&[("p", &["x", "x"])]);
    assert!(matches!(counted.update(&same, Some(&[u64::MAX, 2])), Err(VerifyError::TooLarge { .. })));
    assert!(matches!(counted.update(&same, Some(&[1 << 43, 1])), Err(VerifyError::TooLarge { .. })));
    counted.update(&same, Some(&[1 << 42, 1])).expect("rows");
    let mut more = counted.clone();
    more.merge(counted.clone()).err();
    assert!(matches!(more.merge(counted.clone()), Err(VerifyError::TooLarge { .. })));
    assert_eq!(
        ReleaseInParts::new(Claim { quasi: Vec::new(), ..claim("p") }).err(),
        Some(VerifyError::NoQuasi)
    );
}

/// Returns the rows of a table at these positions.
fn taken(table: &CodedTable, rows: &[u32]) -> CodedTable {
    let columns = table.columns.iter().map(|column| crate::normal::taken(column, rows));
    CodedTable { columns: columns.collect(), rows: rows.len() }
}

/// Checks a release in parts of this many rows.
fn in_parts(
    release: &CodedTable,
    original: &CodedTable,
    map: &[u32],
    columns: &[(String, Truth)],
    ends: &[usize],
) -> Result<TruthOutcome, VerifyError> {
    let control = Control::default();
    let mut parts = TruthInParts::new(columns, original, original.rows as u64, Drops::Forbidden, &control);
    let mut start = 0;
    for &end in ends {
        let rows: Vec<u32> = (start as u32..end as u32).collect();
        let of = &map[start..end];
        let numbers: Vec<u64> = of.iter().map(|&row| row.into()).collect();
        parts.update(&taken(release, &rows), &taken(original, of), &numbers)?;
        start = end;
    }
    parts.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn truth_is_found_in_parts_as_in_the_whole(
        originals in rows_of(naive::ORIGINALS, 25),
        released in rows_of(naive::RELEASED, 20),
        map in proptest::collection::vec(0usize..1000, 20),
        cuts in proptest::collection::vec(0..20_usize, 3),
    ) {
        let map: Vec<u32> = map[..released.len()].iter().map(|&row| (row % originals.len()) as u32).collect();
        let (release, original) = (naive::coded(&naive::NAMES, &released), naive::coded(&naive::NAMES, &originals));
        let mut ends: Vec<usize> = cuts.iter().map(|cut| *cut.min(&released.len())).collect();
        ends.push(released.len());
        ends.sort_unstable();
        let whole = check_truth_with_map(&release, &original, &map, &declaration(), Drops::Forbidden, &Control::default());
        prop_assert_eq!(in_parts(&release, &original, &map, &declaration(), &ends), whole);
    }
}

/// The whole original shows how dates and decimal marks are read, so a part alone must not decide it.
#[test]
fn spellings_are_read_as_in_the_whole() {
    let truths = [("s".to_owned(), Truth::Same(SensitiveColumn::texts("s")))];
    let holds = |original: [&str; 2], release: [&str; 2]| {
        let (original, release) = (table(&[("s", &original)]), table(&[("s", &release)]));
        in_parts(&release, &original, &[0, 1], &truths, &[1, 2]).expect("compared").holds
    };
    assert!(holds(["13/04/2020", "03/04/2020"], ["13/04/2020", "2020-04-03"]));
    assert!(!holds(["1,5", "2.5"], ["1,50", "2.5"]));
}

#[test]
fn what_was_not_known_at_the_beginning_is_an_error() {
    let truths = [("s".to_owned(), Truth::Same(SensitiveColumn::texts("s")))];
    let (known, all) = (table(&[("s", &["1,5"])]), table(&[("s", &["1,5", "2.5"])]));
    let control = Control::default();
    let mut parts = TruthInParts::new(&truths, &known, 2, Drops::Forbidden, &control);
    assert!(matches!(parts.update(&all, &all, &[0, 1]), Err(VerifyError::Malformed { .. })));
    // Nothing was compared, or not everything.
    assert!(matches!(parts.finish(), Err(VerifyError::Malformed { .. })));
    let mut parts = TruthInParts::new(&truths, &known, 2, Drops::Allowed, &control);
    parts.update(&known, &known, &[0]).expect("rows");
    assert!(parts.update(&all, &all, &[0, 1]).is_err() && parts.finish().is_err());
    let stopped = Control::of_looks(0);
    let mut parts = TruthInParts::new(&truths, &all, 2, Drops::Allowed, &stopped);
    assert_eq!(parts.update(&all, &all, &[0, 1]), Err(VerifyError::Stopped));
    assert!(matches!(parts.finish(), Err(VerifyError::Malformed { .. })));
}

#[test]
fn means_are_compared_in_parts_of_whole_classes() {
    let cover = Cover { kind: ValueKind::Text, nodes: Nodes::default(), missing: Vec::new() };
    let truths =
        [("town".to_owned(), Truth::Covers(cover)), ("age".to_owned(), Truth::Aggregate { comma: false })];
    let original = table(&[("town", &["a", "a", "b", "b", "b"]), ("age", &["1", "3", "5", "6", "7"])]);
    let release = table(&[("town", &["a", "a", "b", "b", "b"]), ("age", &["2", "2", "6", "6", "6"])]);
    let map = [0, 1, 2, 3, 4];
    let whole =
        check_truth_with_map(&release, &original, &map, &truths, Drops::Forbidden, &Control::default());
    assert!(whole.as_ref().is_ok_and(|found| found.holds));
    assert_eq!(in_parts(&release, &original, &map, &truths, &[2, 5]), whole);
    let divided = in_parts(&release, &original, &map, &truths, &[3, 5]);
    assert!(matches!(divided, Err(VerifyError::Malformed { .. })));
    let wrong = table(&[("town", &["a", "a", "b", "b", "b"]), ("age", &["2", "2", "7", "7", "7"])]);
    let whole = check_truth_with_map(&wrong, &original, &map, &truths, Drops::Forbidden, &Control::default());
    assert_eq!(whole.as_ref().map(|found| found.columns[1].first_row), Ok(Some(3)));
    assert_eq!(in_parts(&wrong, &original, &map, &truths, &[2, 5]), whole);
}

#[test]
fn what_cannot_be_compared_in_parts_is_an_error() {
    let (one, other) = (table(&[("s", &["a", "b"])]), table(&[("t", &["a", "b"])]));
    let exchanged = [("s".to_owned(), Truth::Permuted)];
    assert!(matches!(in_parts(&one, &one, &[1, 0], &exchanged, &[2]), Err(VerifyError::Malformed { .. })));
    let exact = [("s".to_owned(), Truth::Exact)];
    let control = Control::default();
    let mut parts = TruthInParts::new(&exact, &one, 2, Drops::Forbidden, &control);
    assert!(matches!(parts.update(&one, &one, &[0]), Err(VerifyError::RowMap { .. })));
    assert!(matches!(parts.update(&one, &one, &[0, 2]), Err(VerifyError::RowMap { .. })));
    let mut parts = TruthInParts::new(&exact, &one, 4, Drops::Forbidden, &control);
    parts.update(&one, &one, &[0, 1]).expect("rows");
    let two = CodedTable { columns: vec![one.columns[0].clone(), other.columns[0].clone()], rows: 2 };
    assert!(matches!(parts.update(&two, &one, &[2, 3]), Err(VerifyError::Malformed { .. })));
}
