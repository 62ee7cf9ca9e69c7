//! Models on the number of rows of each value, on the worked examples of their definitions.

use serde_json::{Value, json};

use super::table;
use crate::{
    Claim, ModelClaim, ModelOutcome, Reference, ReferenceColumn, SensitiveColumn, StarRows, ValueKind,
    VerifyError, attained, check_models,
};

const E1: &[&str] = &["flu", "flu", "cancer", "hiv"];
const E2: &[&str] = &["flu", "flu", "flu", "cancer", "asthma"];

/// Checks classes with these values of a column `s` against all of them together, or against `original`.
fn judge(
    classes: &[&[&str]],
    original: Option<&[(&str, u64)]>,
    claim: Value,
) -> Result<ModelOutcome, VerifyError> {
    let names: Vec<String> = (0..classes.len()).map(|class| format!("c{class}")).collect();
    let quasi: Vec<&str> =
        classes.iter().zip(&names).flat_map(|(class, name)| vec![name.as_str(); class.len()]).collect();
    let release = table(&[("q", &quasi), ("s", &classes.concat())]);
    let reference = original.map(|counts| Reference {
        columns: vec![ReferenceColumn {
            name: "s".to_owned(),
            counts: counts.iter().map(|(value, rows)| ((*value).to_owned(), *rows)).collect(),
            order: None,
            tree: None,
        }],
    });
    let mut claim = claim;
    claim["column"] = "s".into();
    let models = vec![ModelClaim::from_json(&claim)?];
    let claim = Claim { quasi: vec!["q".to_owned()], models, star: StarRows::Judged, values: Vec::new() };
    Ok(check_models(&release, &claim, reference.as_ref())?.models.remove(0))
}

fn found(classes: &[&[&str]], claim: Value) -> (bool, f64) {
    let outcome = judge(classes, None, claim).expect("a check");
    (outcome.holds, outcome.attained.expect("classes"))
}

#[test]
fn shares() {
    assert_eq!(found(&[E1, E2], json!({"model": "alpha_k", "alpha": "3/5"})), (true, 0.6));
    assert_eq!(
        found(&[E1, E2], json!({"model": "alpha_k", "alpha": "0.59999999999999999999"})),
        (false, 0.6)
    );
    // hiv may have a share of 1/5 and has 1/4 in E1; all others are free.
    let outcome =
        judge(&[E1, E2], None, json!({"model": "alpha_k", "alphas": [["hiv", "1/5"]]})).expect("a check");
    assert_eq!((outcome.holds, outcome.attained, outcome.required), (false, Some(1.25), 1.0));
    assert_eq!((outcome.failing_classes, outcome.failing_rows, outcome.note), (1, 4, None));
    assert_eq!(found(&[E1, E2], json!({"model": "alpha_k", "alphas": [["hiv", "1/4"]]})), (true, 1.0));
    // Values that are not named may have alpha, if that is given: flu has 3/5 in E2, which is 6/5 of a half.
    let both = json!({"model": "alpha_k", "alpha": "1/2", "alphas": [["hiv", "1/4"]]});
    assert_eq!(found(&[E1, E2], both), (false, 1.2));
    let both = json!({"model": "alpha_k", "alpha": "1/2", "alphas": [["hiv", "1/4"], ["flu", "1"]]});
    assert_eq!(found(&[E1, E2], both), (true, 1.0));
    // Protecting a value that no row has is without effect.
    assert_eq!(found(&[E1, E2], json!({"model": "alpha_k", "alphas": [["ebola", "1/9"]]})), (true, 0.0));
}

#[test]
fn counts_and_ranges_of_numbers() {
    let (near, far): (&[&str], &[&str]) = (&["30", "31", "32"], &["30", "50", "80"]);
    let count = |k: u32, count: &str| json!({"model": "k_e", "k": k, "count": count});
    let range = |e: &str| json!({"model": "k_e", "e": e, "comma": false});
    assert_eq!(found(&[near, far], count(3, "distinct")), (true, 3.0));
    assert_eq!(found(&[near, far, &["30", "30", "32"]], count(3, "distinct")), (false, 2.0));
    assert_eq!(found(&[near, far, &["30", "30", "32"]], count(3, "rows")), (true, 3.0));
    assert_eq!(found(&[near, far], range("2")), (true, 2.0));
    assert_eq!(found(&[near, far], range("2.000000000000000001")), (false, 2.0));
    assert_eq!(found(&[far], range("50")), (true, 50.0));
    // Binary fractions would make 0.3 - 0.1 less than 0.2.
    assert_eq!(found(&[&["0.1", "0.3"]], range("0.2")), (true, 0.2));
    assert_eq!(found(&[&["-0.05", "1e2"]], range("100.05")), (true, 100.05));
    assert_eq!(found(&[&["7", "7"]], range("0")), (true, 0.0));
    // A class without numbers spans nothing, and missing values do not take part, whatever they look like.
    assert_eq!(found(&[&["?", "?"]], range("0")), (true, 0.0));
    assert_eq!(found(&[&["1", "?", "3"]], range("2")), (true, 2.0));
    let missing = json!({"model": "k_e", "e": "2", "comma": false, "missing": ["999"]});
    assert_eq!(found(&[&["1", "3", "999"]], missing), (true, 2.0));
    assert_eq!(found(&[&["1", "3", "999"]], range("3")), (true, 998.0));
    let comma = |e: &str| json!({"model": "k_e", "e": e, "comma": true});
    assert_eq!(found(&[&["1,25", "3"]], comma("1.75")), (true, 1.75));
    // A number too long to be compared exactly is an error, not a guess.
    assert!(matches!(judge(&[&["1e30", "1e-30"]], None, range("1")), Err(VerifyError::Domain { .. })));
}

#[test]
fn values_and_categories() {
    let classes: &[&[&str]] = &[&["hiv", "cancer", "hiv"], &["hiv", "cancer", "flu"]];
    let categories = json!([["hiv", "cancer"], ["ulcer"], ["flu"], ["cold"]]);
    assert_eq!(found(classes, json!({"model": "p_sensitive", "p": 2})), (true, 2.0));
    assert_eq!(
        found(classes, json!({"model": "p_sensitive", "p": 2, "categories": categories})),
        (false, 1.0)
    );
    let weight = |alpha: &str, over: &str, categories: &Value| json!({"model": "p_sensitive", "alpha": alpha, "categories": categories, "weight_over": over});
    assert_eq!(found(&classes[1..], weight("2/3", "distinct", &categories)), (true, 2.0 / 3.0));
    assert_eq!(found(&classes[1..], weight("0.6667", "distinct", &categories)), (false, 2.0 / 3.0));
    assert_eq!(found(&[&["flu", "flu", "cold"]], weight("7/3", "rows", &categories)), (true, 7.0 / 3.0));
    assert_eq!(found(&[&["flu", "flu", "cold"]], weight("7/3", "distinct", &categories)), (false, 5.0 / 3.0));
    // One category: every value weighs 1.
    let one = json!([["hiv", "cancer", "flu"]]);
    assert_eq!(found(classes, weight("2", "distinct", &one)), (true, 2.0));
    assert_eq!(found(classes, weight("3", "rows", &one)), (true, 3.0));
    // A value without a category cannot be checked.
    let few = json!({"model": "p_sensitive", "p": 1, "categories": [["hiv"]]});
    assert!(matches!(judge(classes, None, few), Err(VerifyError::Domain { what: "categories", .. })));
}

#[test]
fn growth_of_belief() {
    let beta =
        |beta: &str, variant: &str| json!({"model": "beta_likeness", "beta": beta, "variant": variant});
    assert_eq!(found(&[E1, E2], beta("5/4", "basic")), (true, 1.25));
    assert_eq!(found(&[E1, E2], beta("1.24999999999999999999", "basic")), (false, 1.25));
    assert_eq!(found(&[E1, E2], beta("5/4", "enhanced")), (true, 1.25));
    // a is 3/4 of the original. −ln p is 0.287682, and a class of only a has a gain of 1/3. b gains 1, where it may gain 1.386.
    let skewed: &[&[&str]] = &[&["a", "a"], &["a", "b"]];
    assert_eq!(found(skewed, beta("1", "basic")), (true, 1.0));
    assert_eq!(found(skewed, beta("1", "enhanced")), (false, f64::INFINITY));
    // With a single value nothing can be gained.
    assert_eq!(found(&[&["a"], &["a", "a"]], beta("1/1000000", "enhanced")), (true, 0.0));
    // The shares of the original count, not those of the release.
    let outcome = judge(&[&["a", "b"]], Some(&[("a", 9), ("b", 1)]), beta("4", "basic")).expect("a check");
    assert_eq!((outcome.holds, outcome.attained, outcome.note), (true, Some(4.0), None));
    let stranger =
        judge(&[&["a", "c"]], Some(&[("a", 9), ("b", 1)]), beta("1000", "basic")).expect("a check");
    assert_eq!((stranger.holds, stranger.attained), (false, Some(f64::INFINITY)));
    let own = judge(&[E1, E2], None, beta("2", "basic")).expect("a check");
    assert!(own.note.is_some_and(|note| note.contains("own distribution")));
    let elsewhere = Reference { columns: Vec::new() };
    let model = ModelClaim::from_json(
        &json!({"model": "beta_likeness", "beta": 1, "variant": "basic", "column": "s"}),
    );
    let claim = Claim {
        quasi: vec!["q".into()],
        models: vec![model.expect("a claim")],
        star: StarRows::Judged,
        values: Vec::new(),
    };
    assert!(check_models(&table(&[("q", &["x"]), ("s", &["a"])]), &claim, Some(&elsewhere)).is_err());
}

#[test]
fn change_of_belief() {
    let delta = |delta: &str| json!({"model": "delta_disclosure", "delta": delta});
    // Six flu and three hiv in all. Flu is 2 of 4 and 4 of 5: ln(3/5) = −0.510826 (of hiv) is the largest change.
    let classes: &[&[&str]] = &[&["flu", "flu", "hiv", "hiv"], &["flu", "flu", "flu", "flu", "hiv"]];
    let (holds, attained) = found(classes, delta("0.510826"));
    assert!(holds && (attained - 0.510_825_623_766).abs() < 1e-12);
    assert!(!found(classes, delta("0.510825")).0);
    // A value that a class lacks, and a value that the original lacks.
    assert_eq!(found(&[E1, E2], delta("100")), (false, f64::INFINITY));
    let lost = judge(&[&["a"]], Some(&[("a", 9), ("b", 1)]), delta("100")).expect("a check");
    assert_eq!((lost.holds, lost.attained), (false, Some(f64::INFINITY)));
    let stranger = judge(&[&["a", "c"]], Some(&[("a", 9), ("b", 1)]), delta("100")).expect("a check");
    assert_eq!((stranger.holds, stranger.attained), (false, Some(f64::INFINITY)));
    // Declared values that no row has are not values of the table.
    let none = judge(&[&["a"]], Some(&[("a", 9), ("b", 0)]), delta("1/1000")).expect("a check");
    assert_eq!((none.holds, none.attained), (true, Some(0.0)));
}

#[test]
fn the_range_that_numbers_attain() {
    let release = table(&[("q", &["a", "a", "b", "b", "b"]), ("s", &["1,5", "4", "2", "-9", "10"])]);
    let kind = ValueKind::Number { comma: true };
    let column =
        SensitiveColumn { name: "s".into(), kind, missing: vec!["-9".into()], ..SensitiveColumn::texts("s") };
    let found = attained(&release, &["q".into()], &[column], StarRows::Judged, None).expect("a measure");
    assert_eq!(found.columns[0].e, Some(2.5));
}
