//! Models on some of the quasi-identifiers, and on every set of a given size.

use serde_json::{Value, json};

use super::table;
use crate::{Claim, ModelClaim, ModelOutcome, StarRows, VerifyError, check_models};
use scumble_files::table::CodedTable;

/// By one column, the groups have three rows each; by two columns, single rows. The last two rows are suppressed.
fn people() -> CodedTable {
    table(&[
        ("sex", &["m", "m", "m", "f", "f", "f", "*", "*"]),
        ("job", &["a", "b", "a", "b", "a", "b", "*", "*"]),
        ("ill", &["hiv", "flu", "flu", "hiv", "flu", "flu", "flu", "flu"]),
    ])
}

fn check(claim: &Value, star: StarRows) -> Result<ModelOutcome, VerifyError> {
    let models = vec![ModelClaim::from_json(claim)?];
    let claim = Claim { quasi: vec!["sex".into(), "job".into()], models, star, values: Vec::new() };
    Ok(check_models(&people(), &claim, None)?.models.remove(0))
}

#[test]
fn sizes_and_shares_of_any_one_column() {
    let sizes =
        |l: u64, k: u64, star| check(&json!({"model": "lkc", "l": l, "k": k}), star).expect("a check");
    // Suppressed rows that are not checked are in the group `*` of either column.
    let three = sizes(1, 3, StarRows::Unjudged);
    assert!(three.holds && three.attained == Some(3.0) && three.label == "k-anonymity, any 1 columns known");
    let judged = sizes(1, 3, StarRows::Judged);
    assert_eq!((judged.holds, judged.failing_classes, judged.failing_rows), (false, 2, 4));
    assert!(sizes(1, 2, StarRows::Judged).holds && !sizes(2, 2, StarRows::Unjudged).holds);
    // With more columns than there are, all are used.
    assert_eq!(sizes(7, 1, StarRows::Judged).attained, Some(1.0));

    let shares = |c: &str, star| {
        check(&json!({"model": "lkc", "l": 1, "column": "ill", "c": c}), star).expect("a check")
    };
    assert!(shares("2/3", StarRows::Unjudged).holds && !shares("0.6666", StarRows::Unjudged).holds);
    // Both suppressed rows have flu.
    assert_eq!(shares("0.9", StarRows::Judged).attained, Some(1.0));
    assert!(shares("1", StarRows::Judged).holds);
}

/// Every set of columns must hold, whichever column it is that fails.
#[test]
fn every_set_must_hold() {
    for failing in ["sex", "job"] {
        let column = |name: &str| if name == failing { ["a", "a", "b"] } else { ["c", "c", "c"] };
        let release = table(&[("sex", &column("sex")), ("job", &column("job"))]);
        let models = vec![ModelClaim::from_json(&json!({"model": "lkc", "l": 1, "k": 2})).expect("a model")];
        let quasi = vec!["sex".into(), "job".into()];
        let claim = Claim { quasi, models, star: StarRows::Judged, values: Vec::new() };
        let outcome = check_models(&release, &claim, None).expect("a check");
        assert!(!outcome.holds && !outcome.models[0].holds, "{failing}");
        assert_eq!((outcome.models[0].failing_classes, outcome.models[0].attained), (1, Some(1.0)));
    }
}

#[test]
fn a_model_on_a_set_judges_the_groups_of_that_set() {
    let k = |k: u64, set: &[&str]| {
        check(&json!({"model": "k_anonymity", "k": k, "quasi": set}), StarRows::Unjudged)
    };
    let sex = k(3, &["sex"]).expect("a check");
    assert!(sex.holds && sex.label == "k-anonymity on sex");
    assert!(!k(4, &["job"]).expect("a check").holds);
    assert!(!k(2, &["job", "sex"]).expect("a check").holds);
    let diverse =
        json!({"model": "l_diversity", "variant": "distinct", "l": 2, "column": "ill", "quasi": ["sex"]});
    assert!(check(&diverse, StarRows::Unjudged).expect("a check").holds);
    for wrong in [&["ill"][..], &["sex", "sex"], &[]] {
        assert!(matches!(k(1, wrong), Err(VerifyError::Parameter { .. })), "{wrong:?}");
    }
}

#[test]
fn what_is_not_understood_is_an_error() {
    for wrong in [
        json!({"model": "lkc", "l": 0, "k": 2}),
        json!({"model": "lkc", "l": 1}),
        json!({"model": "lkc", "l": 1, "k": 2, "c": "0.5"}),
        json!({"model": "lkc", "l": 1, "column": "ill", "c": "0"}),
        json!({"model": "lkc", "l": 1, "column": "ill", "c": "1.1"}),
        json!({"model": "lkc", "l": 1, "column": "ill", "k": 2, "c": "0.5"}),
        json!({"model": "k_anonymity", "k": 2, "l": 1}),
        json!({"model": "k_anonymity", "k": 2, "quasi": "sex"}),
    ] {
        assert!(check(&wrong, StarRows::Judged).is_err(), "{wrong}");
    }
}
