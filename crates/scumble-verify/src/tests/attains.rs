//! What a table is said to attain is what each model finds when it is claimed, and people are put into equivalence classes by
//! labels alone.

use proptest::prelude::*;
use scumble_files::Control;
use serde_json::json;

use super::table;
use crate::{
    Beside, Claim, Cover, ModelClaim, Nodes, Population, SensitiveColumn, StarRows, ValueKind, VerifyError,
    attained, attained_with, check_models_with,
};

const NUMBER: ValueKind = ValueKind::Number { comma: false };

fn same(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one == other || (one - other).abs() < 1e-12,
        (one, other) => one == other,
    }
}

proptest! {
    #[test]
    fn every_figure_is_that_of_its_model(
        rows in proptest::collection::vec((0..5_usize, 0..4_usize), 1..60),
        star in prop_oneof![Just(StarRows::Judged), Just(StarRows::Unjudged)],
    ) {
        let groups: Vec<&str> = rows.iter().map(|row| ["*", "a", "b", "c", "d"][row.0]).collect();
        let costs: Vec<&str> = rows.iter().map(|row| ["1", "2", "4", "10"][row.1]).collect();
        let release = table(&[("q", &groups), ("cost", &costs)]);
        let column = SensitiveColumn { name: "cost".into(), kind: NUMBER, ..SensitiveColumn::texts("cost") };
        let found = attained(&release, &["q".into()], &[column], star, None).expect("a measure");
        let of_column = &found.columns[0];
        let figure = |claim: serde_json::Value| {
            let models = vec![ModelClaim::from_json(&claim).expect("a model")];
            let claim = Claim { quasi: vec!["q".into()], models, star, values: Vec::new() };
            check_models_with(&release, &claim, None, None, &Control::default()).expect("a claim that can be read").models[0].attained
        };
        for (name, told, claim) in [
            ("k", found.k.map(|k| k as f64), json!({"model": "k_anonymity", "k": 1})),
            ("mean", found.average_risk, json!({"model": "average_risk", "average": 1})),
            ("at risk", found.at_risk, json!({"model": "average_risk", "highest": "1/5", "at_risk": 1})),
            ("distinct", of_column.distinct_l.map(|l| l as f64), json!({"model": "l_diversity", "variant": "distinct", "l": 1, "column": "cost"})),
            ("entropy", of_column.entropy_l, json!({"model": "l_diversity", "variant": "entropy", "l": 1, "column": "cost"})),
            ("frequency", of_column.frequency_l, json!({"model": "l_diversity", "variant": "frequency", "l": 1, "column": "cost"})),
            ("recursive", of_column.recursive_c, json!({"model": "l_diversity", "variant": "recursive", "l": 2, "c": 1, "column": "cost"})),
            ("equal", of_column.equal_t, json!({"model": "t_closeness", "distance": "equal", "t": 1, "column": "cost"})),
            ("ordered", of_column.ordered_t, json!({"model": "t_closeness", "distance": "ordered", "t": 1, "column": "cost"})),
            ("alpha", of_column.alpha, json!({"model": "alpha_k", "alpha": 1, "column": "cost"})),
            ("beta", of_column.beta, json!({"model": "beta_likeness", "variant": "basic", "beta": 1, "column": "cost"})),
            ("enhanced", of_column.enhanced_beta, json!({"model": "beta_likeness", "variant": "enhanced", "beta": 1, "column": "cost"})),
            ("delta", of_column.delta, json!({"model": "delta_disclosure", "delta": 1, "column": "cost"})),
            ("e", of_column.e, json!({"model": "k_e", "e": 0, "comma": false, "column": "cost"})),
        ] {
            prop_assert!(same(told, figure(claim)), "{}: {:?}", name, told);
        }
    }
}

/// With classes of one, two and five rows: 1/5 is not above 1/5, and 1/2 is not above 1/2.
#[test]
fn records_are_at_risk_above_the_threshold() {
    let release = table(&[("q", &["a", "b", "b", "c", "c", "c", "c", "c"])]);
    let at_risk = |risk_threshold| {
        let beside = Beside { risk_threshold, ..Beside::default() };
        let found =
            attained_with(&release, &["q".into()], &[], StarRows::Judged, beside, &Control::default())?;
        Ok((found.at_risk, found.risk_threshold))
    };
    assert_eq!(at_risk("0"), Ok((Some(1.0), 0.0)));
    assert_eq!(at_risk("0.1"), Ok((Some(1.0), 0.1)));
    assert_eq!(at_risk("1/5"), Ok((Some(3.0 / 8.0), 0.2)));
    assert_eq!(at_risk("1/2"), Ok((Some(1.0 / 8.0), 0.5)));
    assert_eq!(at_risk("1"), Ok((Some(0.0), 1.0)));
    for wrong in ["1.1", "-1", "high"] {
        assert!(matches!(at_risk(wrong), Err(VerifyError::Parameter { .. })), "{wrong}");
    }
}

/// Each column has missing values of its own: a missing value of one column may be a value of another.
#[test]
fn every_column_has_its_own_missing_values() {
    let release = table(&[("q", &["a", "a", "a"]), ("s", &["x", "?", "?"]), ("u", &["x", "-", "?"])]);
    let column = |name: &str, missing: &str| SensitiveColumn {
        missing: vec![missing.into()],
        ..SensitiveColumn::texts(name)
    };
    let columns = [column("s", "?"), column("u", "-")];
    let found = attained(&release, &["q".into()], &columns, StarRows::Judged, None).expect("a measure");
    let distinct: Vec<_> = found.columns.iter().map(|of| of.distinct_l).collect();
    assert_eq!(distinct, [Some(1), Some(2)]);
}

fn ages() -> Vec<(String, Cover)> {
    vec![("age".into(), Cover { kind: NUMBER, nodes: Nodes::default(), missing: vec!["?".into()] })]
}

/// Three people fit [20,30), two fit [30,40), one fits neither, and the age of one is not known.
#[test]
fn people_are_in_the_class_whose_label_covers_them() {
    let people = table(&[("age", &["20", "25", "29.9", "30", "39", "40", "?"])]);
    let population = Population { table: &people, covers: ages() };
    let beside = Beside { population: Some(&population), ..Beside::default() };
    let shown = |cells: &[&str]| {
        let release = table(&[("age", cells)]);
        let found =
            attained_with(&release, &["age".into()], &[], StarRows::Judged, beside, &Control::default());
        found.map(|found| (found.k_map, found.delta_min, found.delta_max))
    };
    let classes = ["[20,30)", "[20,30)", "[30,40)"];
    assert_eq!(shown(&classes), Ok((Some(2.0), Some(0.0), Some(2.0 / 3.0))));
    // A suppressed row stands for the two people whom no class covers.
    assert_eq!(shown(&["[20,30)", "[20,30)", "[30,40)", "*"]), Ok((Some(2.0), Some(0.5), Some(2.0 / 3.0))));
    // A label that fits nobody: its rows cannot come from these people.
    assert_eq!(shown(&["[20,30)", "[50,60)"]).map(|(k, ..)| k), Ok(Some(0.0)));
    assert!(matches!(shown(&["[20,30)", "[25,40)"]), Err(VerifyError::Population { .. })));
    let unread = Population { table: &people, covers: Vec::new() };
    let beside = Beside { population: Some(&unread), ..Beside::default() };
    let release = table(&[("age", &["20"])]);
    let found = attained_with(&release, &["age".into()], &[], StarRows::Judged, beside, &Control::default());
    assert!(matches!(found, Err(VerifyError::Population { .. })));
}

/// With more labels than are tried one by one, the classes themselves are gone through.
#[test]
fn many_labels_that_overlap_are_noticed() {
    let (ages, towns): (Vec<String>, Vec<String>) =
        (0..12).map(|place| (format!("[0,{}]", 50 + place), format!("{{a|t{place}}}"))).unzip();
    fn texts(texts: &[String]) -> Vec<&str> {
        texts.iter().map(String::as_str).collect()
    }
    let release = table(&[("age", &texts(&ages)), ("town", &texts(&towns))]);
    let people = table(&[("age", &["30"]), ("town", &["a"])]);
    let text = Cover { kind: ValueKind::Text, nodes: Nodes::default(), missing: Vec::new() };
    let covers = vec![("age".to_owned(), super::attains::ages().remove(0).1), ("town".to_owned(), text)];
    let population = Population { table: &people, covers };
    let names = ["age".to_owned(), "town".to_owned()];
    let beside = Beside { population: Some(&population), ..Beside::default() };
    let measured =
        |release| attained_with(release, &names, &[], StarRows::Judged, beside, &Control::default());
    assert!(matches!(measured(&release), Err(VerifyError::Population { .. })));
    // With only one of the classes, the person is in it.
    let lone = table(&[("age", &["[0,50]"]), ("town", &["{a|t0}"])]);
    assert_eq!(measured(&lone).map(|found| found.k_map), Ok(Some(1.0)));
}
