//! The models on tables made by hand.

use serde_json::{Value, json};

use super::table;
use crate::{Claim, ModelClaim, Outcome, SensitiveColumn, StarRows, VerifyError, attained, check_models};
use scumble_files::table::CodedTable;

/// T1: the classes E1 = {flu, flu, cancer, hiv} and E2 = {flu, flu, flu, cancer, asthma}.
fn t1() -> CodedTable {
    table(&[
        ("age", &["E1", "E1", "E1", "E1", "E2", "E2", "E2", "E2", "E2"]),
        ("disease", &["flu", "flu", "cancer", "hiv", "flu", "flu", "flu", "cancer", "asthma"]),
    ])
}

fn check(
    release: &CodedTable,
    quasi: &[&str],
    star: StarRows,
    models: &[Value],
) -> Result<Outcome, VerifyError> {
    let models = models.iter().map(ModelClaim::from_json).collect::<Result<_, _>>()?;
    let quasi = quasi.iter().map(|&name| name.to_owned()).collect();
    check_models(release, &Claim { quasi, models, star, values: Vec::new() }, None)
}

fn check_age(release: &CodedTable, model: Value) -> Outcome {
    check(release, &["age"], StarRows::Judged, &[model]).expect("a check")
}

fn diversity(variant: &str, l: impl Into<Value>) -> Value {
    json!({"model": "l_diversity", "variant": variant, "l": l.into(), "column": "disease"})
}

#[test]
fn t1_is_4_anonymous_and_not_5() {
    let four = check_age(&t1(), json!({"model": "k_anonymity", "k": 4}));
    assert!(four.holds);
    assert_eq!((four.rows, four.classes, four.star_rows, four.smallest_class), (9, 2, 0, Some(4)));
    assert_eq!(four.class_sizes, [(4, 1), (5, 1)]);
    assert_eq!(four.notes, [""; 0]);
    let five = check_age(&t1(), json!({"model": "k_anonymity", "k": 5}));
    let model = &five.models[0];
    assert!(!five.holds && !model.holds);
    assert_eq!((model.attained, model.required), (Some(4.0), 5.0));
    assert_eq!((model.failing_classes, model.failing_rows), (1, 4));
    assert_eq!(model.worst.iter().map(|class| class.size).collect::<Vec<_>>(), [4, 5]);
}

#[test]
fn t1_diversities() {
    // (variant, largest l that holds, an l that does not hold, what the worst class attains)
    for (variant, holds, fails, attains) in [
        ("distinct", "3", "4", 3.0),
        ("entropy", "2.58640", "2.58642", 2.586_409),
        ("frequency", "5/3", "1.66666666667", 5.0 / 3.0),
    ] {
        let good = check_age(&t1(), diversity(variant, holds));
        let bad = check_age(&t1(), diversity(variant, fails));
        assert!(good.holds && !bad.holds, "{variant}");
        assert!((good.models[0].attained.expect("classes") - attains).abs() < 1e-6, "{variant}");
        assert_eq!(good.models[0].label, format!("{variant} l-diversity of disease"));
    }
    // E1 alone is frequency 2-diverse, E2 is not.
    let two = check_age(&t1(), diversity("frequency", 2));
    assert_eq!((two.models[0].failing_classes, two.models[0].failing_rows), (1, 5));
    let recursive = |l: u32, c: &str| {
        check_age(
            &t1(),
            json!({"model": "l_diversity", "variant": "recursive", "l": l, "c": c, "column": "disease"}),
        )
    };
    assert!(!recursive(2, "1.5").holds && recursive(2, "1.5001").holds);
    assert!(!recursive(3, "3").holds && recursive(3, "3.0001").holds);
    let model = &recursive(2, "1.2").models[0];
    assert_eq!((model.attained, model.required, model.failing_classes), (Some(1.5), 1.2, 1));
    assert_eq!(model.label, "recursive (c,2)-diversity of disease");
    assert_eq!(model.worst[0].size, 5);
}

#[test]
fn one_row_short_of_k_fails() {
    let release = table(&[("age", &["a", "a", "a", "b", "b"])]);
    assert!(!check_age(&release, json!({"model": "k_anonymity", "k": 3})).holds);
    assert!(check_age(&release, json!({"model": "k_anonymity", "k": 2})).holds);
}

#[test]
fn frequency_two_violated_by_one_row_fails() {
    let release = table(&[("age", &["a"; 5]), ("disease", &["x", "x", "x", "y", "z"])]);
    assert!(!check_age(&release, diversity("frequency", 2)).holds);
    let release = table(&[("age", &["a"; 6]), ("disease", &["x", "x", "x", "y", "z", "z"])]);
    assert!(check_age(&release, diversity("frequency", 2)).holds);
}

#[test]
fn several_models_hold_only_together() {
    let claims = [json!({"model": "k_anonymity", "k": 4}), diversity("distinct", 4)];
    let outcome = check(&t1(), &["age"], StarRows::Judged, &claims).expect("a check");
    assert_eq!(outcome.models.iter().map(|model| model.holds).collect::<Vec<_>>(), [true, false]);
    assert!(!outcome.holds);
}

/// IACK's own table 4(b) has one fully suppressed row and is called 3-anonymous. That row's risk is 1.
#[test]
fn a_lone_star_row_fails_unless_it_is_not_judged() {
    let release = table(&[("age", &["a", "a", "a", "*"]), ("sex", &["*", "*", "*", "*"])]);
    let k = |k: u32| [json!({"model": "k_anonymity", "k": k})];
    let strict = check(&release, &["age", "sex"], StarRows::Judged, &k(3)).expect("a check");
    assert!(!strict.holds);
    assert_eq!((strict.smallest_class, strict.star_rows, strict.classes), (Some(1), 1, 1));
    assert_eq!((strict.models[0].failing_classes, strict.models[0].failing_rows), (1, 1));
    assert_eq!(strict.class_sizes, [(3, 1)]);
    assert!(strict.notes.is_empty());
    let paper = check(&release, &["age", "sex"], StarRows::Unjudged, &k(3)).expect("a check");
    assert!(paper.holds);
    assert_eq!((paper.smallest_class, paper.star_rows, paper.classes), (Some(3), 1, 1));
    assert!(paper.notes[0].contains("1 fully suppressed rows were not checked"));
    // A row with only some stars is not a suppressed row: it is checked either way.
    assert!(!check(&release, &["age", "sex"], StarRows::Unjudged, &k(4)).expect("a check").holds);
}

#[test]
fn enough_star_rows_hold_and_must_be_diverse() {
    let release =
        table(&[("age", &["*", "*", "*", "a", "a", "a"]), ("disease", &["x", "x", "x", "x", "y", "z"])]);
    assert!(check_age(&release, json!({"model": "k_anonymity", "k": 3})).holds);
    assert!(!check_age(&release, diversity("distinct", 2)).holds);
    assert!(
        check(&release, &["age"], StarRows::Unjudged, &[diversity("distinct", 2)]).expect("a check").holds
    );
}

/// A raw value `*` is written `=*` and is not suppression. A missing value is not suppression either.
#[test]
fn quoted_stars_and_missing_values_are_not_stars() {
    let release = table(&[("age", &["=*", "?", ""])]);
    let outcome = check(&release, &["age"], StarRows::Unjudged, &[]).expect("a check");
    assert_eq!((outcome.star_rows, outcome.classes, outcome.smallest_class), (0, 3, Some(1)));
}

#[test]
fn an_empty_release_holds_and_says_so() {
    let release = table(&[("age", &[]), ("disease", &[])]);
    let models = [
        json!({"model": "k_anonymity", "k": 5}),
        diversity("entropy", 2),
        json!({"model": "t_closeness", "distance": "equal", "t": 0, "column": "disease"}),
    ];
    let outcome = check(&release, &["age"], StarRows::Judged, &models).expect("a check");
    assert!(outcome.holds);
    assert_eq!((outcome.rows, outcome.classes, outcome.smallest_class), (0, 0, None));
    assert_eq!(outcome.notes, ["empty release"]);
    assert!(outcome.models.iter().all(|model| model.attained.is_none() && model.worst.is_empty()));
}

#[test]
fn without_models_classes_are_still_reported() {
    let outcome = check(&t1(), &["age"], StarRows::Judged, &[]).expect("a check");
    assert_eq!((outcome.holds, outcome.classes, outcome.smallest_class), (true, 2, Some(4)));
}

#[test]
fn the_five_worst_classes_worst_first() {
    let sizes = [4, 1, 3, 2, 6, 5, 1];
    let cells: Vec<String> =
        sizes.iter().enumerate().flat_map(|(class, &size)| vec![class.to_string(); size]).collect();
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    let outcome = check_age(&table(&[("age", &cells)]), json!({"model": "k_anonymity", "k": 2}));
    let worst: Vec<u64> = outcome.models[0].worst.iter().map(|class| class.size).collect();
    assert_eq!(worst, [1, 1, 2, 3, 4]);
    // Among classes that attain the same, the smallest come first.
    let sizes = [6, 1, 3, 2, 5, 4, 7];
    let cells: Vec<String> =
        sizes.iter().enumerate().flat_map(|(class, &size)| vec![class.to_string(); size]).collect();
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    let release = table(&[("age", &cells), ("disease", &vec!["flu"; cells.len()])]);
    let worst = check_age(&release, diversity("distinct", 2)).models.remove(0).worst;
    assert_eq!(worst.iter().map(|class| class.size).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(outcome.class_sizes, [(1, 2), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1)]);
}

#[test]
fn claims_that_cannot_be_judged_are_errors() {
    let release = t1();
    let claim = |quasi: &[&str], model: Value| check(&release, quasi, StarRows::Judged, &[model]).map(|_| ());
    let k = || json!({"model": "k_anonymity", "k": 2});
    assert_eq!(claim(&[], k()), Err(VerifyError::NoQuasi));
    assert!(matches!(claim(&["age", "age"], k()), Err(VerifyError::Repeated { .. })));
    assert!(matches!(claim(&["aeg"], k()), Err(VerifyError::NoSuchColumn { .. })));
    let elsewhere = json!({"model": "l_diversity", "variant": "distinct", "l": 1, "column": "x"});
    assert!(matches!(claim(&["age"], elsewhere), Err(VerifyError::NoSuchColumn { .. })));
    assert!(matches!(claim(&["age"], json!({"model": "m"})), Err(VerifyError::UnknownModel { .. })));
}

#[test]
fn what_t1_attains() {
    let strings = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let disease_column = [SensitiveColumn::texts("disease")];
    let found =
        attained(&t1(), &strings(&["age"]), &disease_column, StarRows::Judged, None).expect("a measure");
    assert_eq!((found.rows, found.classes, found.k), (9, 2, Some(4)));
    let disease = &found.columns[0];
    assert_eq!((disease.distinct_l, disease.frequency_l), (Some(3), Some(5.0 / 3.0)));
    assert!((disease.entropy_l.expect("classes") - 2.586_409).abs() < 1e-6);
    // E1 against 5/9 flu, 2/9 cancer, 1/9 hiv, 1/9 asthma: (2 + 1 + 5 + 4)/36 is 12/36, half of it 1/6.
    // E2: |3/5-5/9| + |1/5-2/9| + |0-1/9| + |1/5-1/9| = (2 + 1 + 5 + 4)/45 = 12/45, half of it 2/15. The larger is 1/6.
    assert!((disease.equal_t.expect("classes") - 1.0 / 6.0).abs() < 1e-12);
    assert!(disease.note.as_ref().is_some_and(|note| note.contains("own distribution")));
    assert_eq!(disease.homogeneous_classes, 0);
    // flu is 3/5 of E2; hiv is 1/4 of E1 instead of 1/9; E1 has no asthma; diseases have no range.
    assert_eq!((disease.alpha, disease.beta), (Some(0.6), Some(1.25)));
    assert_eq!((disease.delta, disease.e), (Some(f64::INFINITY), None));
    let same = table(&[("age", &["a", "a", "b", "b"]), ("disease", &["x", "x", "x", "y"])]);
    let found =
        attained(&same, &strings(&["age"]), &disease_column, StarRows::Judged, None).expect("a measure");
    assert_eq!((found.columns[0].homogeneous_classes, found.columns[0].distinct_l), (1, Some(1)));
}
