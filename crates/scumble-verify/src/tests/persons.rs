//! Several sensitive columns, people with several rows, guarded nodes, and all rows of a person together.

use scumble_files::Control;
use serde_json::{Value, json};

use super::table;
use crate::{
    Claim, ModelClaim, ModelOutcome, Reference, ReferenceColumn, StarRows, VerifyError, check_models,
    distinct_given_others,
};
use scumble_files::table::CodedTable;

fn check(release: &CodedTable, star: StarRows, model: &Value) -> Result<ModelOutcome, VerifyError> {
    let models = vec![ModelClaim::from_json(model)?];
    Ok(check_models(release, &Claim { quasi: vec!["q".into()], models, star, values: Vec::new() }, None)?
        .models
        .remove(0))
}

fn judged(release: &CodedTable, model: &Value) -> ModelOutcome {
    check(release, StarRows::Judged, model).expect("a check")
}

/// The rows (a,x), (a,x), (b,y), (b,y), and a suppressed row.
fn pairs() -> CodedTable {
    table(&[
        ("q", &["E", "E", "E", "E", "*"]),
        ("s", &["a", "a", "b", "b", "a"]),
        ("r", &["x", "x", "y", "y", "x"]),
    ])
}

#[test]
fn given_the_other_column_there_is_one_value() {
    let distinct = |more: Value| {
        let mut model = json!({"model": "l_diversity", "variant": "distinct", "l": 2});
        model.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        check(&pairs(), StarRows::Unjudged, &model).expect("a check")
    };
    let separate = distinct(json!({"column": "s"}));
    assert!(separate.holds && separate.attained == Some(2.0));
    let given = distinct(json!({"column": "s", "given": ["r"]}));
    assert_eq!((given.holds, given.attained), (false, Some(1.0)));
    // Two parts of one class fail, which counts as one class.
    assert_eq!((given.failing_classes, given.failing_rows), (1, 4));
    assert_eq!(given.label, "distinct l-diversity of s given r");
    let joint = distinct(json!({"columns": ["s", "r"]}));
    assert_eq!((joint.holds, joint.attained), (true, Some(2.0)));
    assert_eq!(joint.label, "distinct l-diversity of s and r");
    let names = ["s".to_owned(), "r".to_owned()];
    let figures = |star| {
        distinct_given_others(&pairs(), &["q".into()], &names, star, &Control::default()).expect("columns")
    };
    assert_eq!(figures(StarRows::Unjudged), Some(vec![(2, 1), (2, 1)]));
    assert_eq!(figures(StarRows::Judged), Some(vec![(1, 1), (1, 1)]));
    assert_eq!(
        distinct_given_others(&pairs(), &["q".into()], &names[..1], StarRows::Judged, &Control::default())
            .expect("columns"),
        None
    );
}

/// Tuples whose texts look the same when joined are different tuples, and the reference counts them as the release does.
#[test]
fn tuples_are_told_apart() {
    let release = table(&[
        ("q", &["E", "E", "E", "E"]),
        ("s", &["a", "a and b", "a\",\"b", "a"]),
        ("r", &["b and c", "c", "c", "b\",\"c"]),
    ]);
    let names = ["s".to_owned(), "r".to_owned()];
    let columns =
        vec![ReferenceColumn::count_joint(&release, &names, &[], &Control::default()).expect("columns")];
    assert_eq!(columns[0].counts.iter().map(|(_, rows)| *rows).collect::<Vec<_>>(), [1, 1, 1, 1]);
    let model = json!({"model": "t_closeness", "distance": "equal", "t": 0, "columns": names});
    let models = vec![ModelClaim::from_json(&model).expect("a model")];
    let claim = Claim { quasi: vec!["q".into()], models, star: StarRows::Judged, values: Vec::new() };
    let found = check_models(&release, &claim, Some(&Reference { columns })).expect("a check");
    assert!(found.holds && found.models[0].attained == Some(0.0));
}

/// The class (eng,Z1) has p1 flu, p1 hiv and p2 flu. There are two people; flu is in 2/3 of the rows, and both people have it.
fn visits() -> CodedTable {
    table(&[
        ("q", &["E", "E", "E"]),
        ("who", &["p1", "p1", "p2"]),
        ("s", &["flu", "hiv", "flu"]),
        ("guard", &["virus", "", "none"]),
    ])
}

#[test]
fn persons_count_once() {
    let k = judged(&visits(), &json!({"model": "k_anonymity", "k": 3, "person": "who"}));
    assert_eq!((k.holds, k.attained, k.failing_rows), (false, Some(2.0), 3));
    assert!(judged(&visits(), &json!({"model": "k_anonymity", "k": 3})).holds);
    let share = |more: Value| {
        let mut model = json!({"column": "s"});
        model.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        judged(&visits(), &model).attained.expect("a class")
    };
    let third = 2.0 / 3.0;
    assert!((share(json!({"model": "alpha_k", "alpha": "1"})) - third).abs() < 1e-12);
    assert_eq!(share(json!({"model": "alpha_k", "alpha": "1", "person": "who"})), 1.0);
    assert_eq!(share(json!({"model": "l_diversity", "variant": "frequency", "l": 1, "person": "who"})), 1.0);
    assert_eq!(share(json!({"model": "xy_linkability", "h": "1", "person": "who"})), 1.0);
    assert_eq!(share(json!({"model": "xy_linkability", "h": "1", "person": "who", "values": ["hiv"]})), 0.5);
    assert_eq!(share(json!({"model": "k_e", "k": 2, "count": "rows", "person": "who"})), 2.0);
    assert_eq!(share(json!({"model": "xy_anonymity", "k": 2})), 2.0);
    let pairs = judged(&visits(), &json!({"model": "xy_anonymity", "k": 3, "columns": ["who", "s"]}));
    assert_eq!((pairs.holds, pairs.attained), (true, Some(3.0)));
}

#[test]
fn what_somebody_guards() {
    let tree = json!([["flu", "virus", "any"], ["hiv", "virus", "any"], ["ulcer", "gut", "any"]]);
    let model = json!({
        "model": "personalised", "column": "s", "p_breach": "1/2", "guarding": "guard", "none": ["none", ""], "tree": tree,
    });
    // p1 guards viruses, and all three rows are viruses.
    let found = judged(&visits(), &model);
    assert_eq!((found.holds, found.attained, found.failing_rows), (false, Some(1.0), 3));

    // models.md 1.12: the shares are 1/2 and 0; merged, 3/4.
    let classes = |q: &[&str]| {
        table(&[
            ("q", q),
            ("s", &["flu", "gastritis", "ulcer", "ulcer"]),
            ("guard", &["none", "stomach", "none", "none"]),
        ])
    };
    let tree = json!([["flu", "lung", "any"], ["gastritis", "stomach", "any"], ["ulcer", "stomach", "any"]]);
    let model = json!({
        "model": "personalised", "column": "s", "p_breach": "1/2", "guarding": "guard", "none": ["none"], "tree": tree,
    });
    assert_eq!(judged(&classes(&["1", "1", "2", "2"]), &model).attained, Some(0.5));
    assert_eq!(judged(&classes(&["1", "1", "1", "1"]), &model).attained, Some(0.75));

    // A row that shows stomach = {gastritis, ulcer, cancer} counts 2/3 towards {gastritis, ulcer}.
    let tree = json!([
        ["gastritis", "mild", "stomach", "any"],
        ["ulcer", "mild", "stomach", "any"],
        ["cancer", "stomach", "any"],
        ["flu", "any"],
    ]);
    let shown = table(&[("q", &["1", "1"]), ("s", &["flu", "stomach"]), ("guard", &["mild", "none"])]);
    let model = json!({
        "model": "personalised", "column": "s", "p_breach": "1/3", "guarding": "guard", "none": ["none"], "tree": tree,
    });
    let found = judged(&shown, &model);
    assert!(found.holds && (found.attained.expect("a class") - 1.0 / 3.0).abs() < 1e-12);

    for (guard, column) in [("any", "s"), ("elsewhere", "s")] {
        let wrong = table(&[("q", &["1"]), (column, &["flu"]), ("guard", &[guard])]);
        assert!(check(&wrong, StarRows::Judged, &model).is_err(), "{guard}");
    }
    let unknown = table(&[("q", &["1"]), ("s", &["measles"]), ("guard", &["mild"])]);
    assert!(check(&unknown, StarRows::Judged, &model).is_err());
}

/// models.md 1.7: wards AB, AB, A, AA.
#[test]
fn all_rows_of_a_person() {
    let wards = table(&[
        ("q", &["A", "B", "A", "B", "A", "A", "A", "*", "*"]),
        ("who", &["p1", "p1", "p2", "p2", "p3", "p4", "p4", "p5", "p5"]),
    ]);
    let with = |count: &str, star| {
        let model = json!({"model": "multirelational", "k": 2, "count": count, "person": "who"});
        let found = check(&wards, star, &model).expect("a check");
        (found.holds, found.attained, found.failing_classes, found.failing_rows)
    };
    assert_eq!(with("multiset", StarRows::Unjudged), (false, Some(1.0), 2, 3));
    assert_eq!(with("set", StarRows::Unjudged), (true, Some(2.0), 0, 0));
    // The two rows of p5 are suppressed.
    assert_eq!(with("set", StarRows::Judged), (false, Some(1.0), 1, 2));
}

#[test]
fn what_is_not_understood_is_an_error() {
    let tree = json!([["flu", "any"], ["hiv", "any"]]);
    for model in [
        json!({"model": "l_diversity", "variant": "distinct", "l": 2, "column": "s", "given": ["s"]}),
        json!({"model": "l_diversity", "variant": "distinct", "l": 2, "column": "s", "given": "who"}),
        json!({"model": "l_diversity", "variant": "distinct", "l": 2, "column": "s", "person": "who"}),
        json!({"model": "l_diversity", "variant": "distinct", "l": 2, "columns": ["s"]}),
        json!({"model": "l_diversity", "variant": "distinct", "l": 2, "columns": ["s", "s"]}),
        json!({"model": "l_diversity", "variant": "distinct", "l": 2, "column": "s", "columns": ["s", "who"]}),
        json!({"model": "t_closeness", "distance": "equal", "t": 1, "column": "s", "person": "who"}),
        json!({"model": "k_anonymity", "k": 2, "given": ["s"]}),
        json!({"model": "xy_anonymity", "k": 0, "column": "s"}),
        json!({"model": "xy_linkability", "h": "0", "column": "s"}),
        json!({"model": "xy_linkability", "h": "1.01", "column": "s"}),
        json!({"model": "xy_linkability", "h": "1", "column": "s", "values": []}),
        json!({"model": "multirelational", "k": 2, "count": "multiset"}),
        json!({"model": "multirelational", "k": 2, "count": "bag", "person": "who"}),
        json!({"model": "multirelational", "k": 0, "count": "set", "person": "who"}),
        json!({"model": "personalised", "column": "s", "p_breach": "0", "guarding": "guard", "tree": tree}),
        json!({"model": "personalised", "column": "s", "p_breach": "1.5", "guarding": "guard", "tree": tree}),
        json!({"model": "personalised", "column": "s", "p_breach": "1", "tree": tree}),
        json!({"model": "personalised", "column": "s", "p_breach": "1", "guarding": "guard"}),
    ] {
        let found = check(&visits(), StarRows::Judged, &model);
        assert!(matches!(found, Err(VerifyError::Parameter { .. })), "{model}: {found:?}");
    }
    for model in [
        json!({"model": "k_anonymity", "k": 2, "person": "nobody"}),
        json!({"model": "xy_anonymity", "k": 2, "columns": ["s", "nothing"]}),
    ] {
        assert!(matches!(check(&visits(), StarRows::Judged, &model), Err(VerifyError::NoSuchColumn { .. })));
    }
}
