//! What an outcome says besides whether a model holds: figures of several columns and tables, the worst classes, notes.

use scumble_files::Control;
use serde_json::{Value, json};

use super::table;
use crate::{
    Beside, Claim, Cover, ModelClaim, Nodes, Outcome, Population, Relation, SensitiveColumn, StarRows,
    ValueKind, View, attained, attained_with, check_models, check_models_with, check_relations, check_views,
    distinct_given_others,
};
use scumble_files::table::CodedTable;

fn check(release: &CodedTable, models: &[Value]) -> Outcome {
    let models = models.iter().map(|model| ModelClaim::from_json(model).expect("a model")).collect();
    let claim = Claim { quasi: vec!["q".into()], models, star: StarRows::Judged, values: Vec::new() };
    check_models(release, &claim, None).expect("a check")
}

fn column(name: &str) -> SensitiveColumn {
    SensitiveColumn::texts(name)
}

/// A class with three illnesses, two wages and one town: each model reads its own column, in whatever order.
#[test]
fn models_on_different_columns_do_not_mix() {
    let release = table(&[
        ("q", &["a", "a", "a"]),
        ("ill", &["x", "y", "z"]),
        ("wage", &["1", "1", "2"]),
        ("town", &["t", "t", "t"]),
    ]);
    let distinct =
        |column: &str| json!({"model": "l_diversity", "variant": "distinct", "l": 2, "column": column});
    let outcome = check(&release, &["ill", "wage", "town", "ill", "wage"].map(distinct));
    let figures: Vec<_> = outcome.models.iter().map(|model| (model.attained, model.holds)).collect();
    let [three, two, one] = [(Some(3.0), true), (Some(2.0), true), (Some(1.0), false)];
    assert_eq!(figures, [three, two, one, three, two]);
}

/// Classes of 1 to 60 rows, in an order that depends on `step`.
fn sixty_classes(step: usize) -> CodedTable {
    let names: Vec<String> = (1..=60).map(|size| format!("c{:02}", size * step % 61)).collect();
    let cells: Vec<&str> =
        names.iter().zip(1..).flat_map(|(name, size)| std::iter::repeat_n(name.as_str(), size)).collect();
    table(&[("q", &cells)])
}

/// The five smallest of sixty classes are reported, smallest first, by models on classes and on the table, whatever order the
/// classes come in.
#[test]
fn the_five_worst_of_many_classes() {
    let models =
        [json!({"model": "k_anonymity", "k": 3}), json!({"model": "average_risk", "average": "0.01"})];
    for step in 1..=60 {
        let outcome = check(&sixty_classes(step), &models);
        let worst = |model: usize| {
            outcome.models[model].worst.iter().map(|class| (class.size, class.attained)).collect::<Vec<_>>()
        };
        assert_eq!(worst(0), [(1, 1.0), (2, 2.0), (3, 3.0), (4, 4.0), (5, 5.0)], "{step}");
        assert_eq!(worst(1), [(1, 1.0), (2, 0.5), (3, 1.0 / 3.0), (4, 0.25), (5, 0.2)], "{step}");
    }
    let release = sixty_classes(7);
    let outcome = check(&release, &models);
    // 60 classes with 1830 rows in all.
    assert_eq!((outcome.models[1].required, outcome.models[1].attained), (0.01, Some(60.0 / 1830.0)));
    let share = json!({"model": "average_risk", "highest": "0.5", "at_risk": "0.25"});
    let share = &check(&release, &[share]).models[0];
    assert_eq!((share.required, share.attained, share.holds), (0.25, Some(1.0 / 1830.0), true));
}

/// The smaller class leaves two values of each column, the larger class one: both classes are examined.
#[test]
fn given_the_other_column_every_class_counts() {
    let release = table(&[
        ("q", &["a", "a", "a", "a", "b", "b", "b", "b", "b"]),
        ("s", &["x", "x", "y", "y", "x", "x", "y", "y", "z"]),
        ("r", &["1", "2", "1", "2", "1", "2", "1", "2", "3"]),
    ]);
    let names = ["s".to_owned(), "r".to_owned()];
    let found = distinct_given_others(&release, &["q".into()], &names, StarRows::Judged, &Control::default())
        .expect("columns");
    assert_eq!(found, Some(vec![(2, 1), (2, 1)]));
}

#[test]
fn notes_on_what_is_attained() {
    let release = table(&[("q", &["a", "a", "*"]), ("s", &["x", "y", "x"]), ("r", &["1", "2", "1"])]);
    let measured = |columns: &[SensitiveColumn], star| {
        attained(&release, &["q".into()], columns, star, None).expect("a measure")
    };
    let found = measured(&[column("s"), column("r")], StarRows::Judged);
    assert_eq!((found.k, found.given_others), (Some(1), Some(vec![1, 1])));
    assert!(found.notes.iter().any(|note| note.contains("k is that of the 1 rows")), "{:?}", found.notes);
    // Given nothing else, a column has no figure of its own.
    assert_eq!(measured(&[column("s")], StarRows::Judged).given_others, None);
    let unjudged = measured(&[column("s")], StarRows::Unjudged);
    assert!(unjudged.k == Some(2) && !unjudged.notes.iter().any(|note| note.contains("k is that")));
}

/// One person of the population is in no class. The person is known to be absent, which violates a least share.
#[test]
fn one_absent_person_is_enough() {
    let (release, people) = (table(&[("q", &["20", "30"])]), table(&[("q", &["20", "30", "40"])]));
    let cover =
        Cover { kind: ValueKind::Number { comma: false }, nodes: Nodes::default(), missing: Vec::new() };
    let population = Population { table: &people, covers: vec![("q".to_owned(), cover)] };
    let beside = Beside { population: Some(&population), ..Beside::default() };
    let found = attained_with(&release, &["q".into()], &[], StarRows::Judged, beside, &Control::default())
        .expect("a measure");
    assert_eq!((found.k_map, found.delta_min, found.delta_max), (Some(1.0), Some(0.0), Some(1.0)));
    // The class that fails there has no rows.
    let least =
        ModelClaim::from_json(&json!({"model": "delta_presence", "delta_min": "0.5"})).expect("a model");
    let claim =
        Claim { quasi: vec!["q".into()], models: vec![least], star: StarRows::Judged, values: Vec::new() };
    let outcome =
        check_models_with(&release, &claim, None, Some(&population), &Control::default()).expect("a check");
    assert_eq!((outcome.models[0].failing_classes, outcome.models[0].failing_rows), (1, 0));
}

/// Values of one category still count as one category if others stand between them.
#[test]
fn categories_are_counted_once() {
    let release = table(&[("q", &["a", "a", "a"]), ("s", &["cold", "flu", "tbc"])]);
    let model =
        json!({"model": "p_sensitive", "column": "s", "p": 2, "categories": [["cold", "tbc"], ["flu"]]});
    assert_eq!(check(&release, &[model]).models[0].attained, Some(2.0));
}

#[test]
fn the_number_of_tables_is_told() {
    let visits = table(&[("who", &["p", "r"]), ("ward", &["A", "A"])]);
    let ward = ["ward".to_owned()];
    let relation = || Relation { table: &visits, quasi: &ward, person: "who" };
    let label = |relations: &[Relation<'_>]| {
        let found =
            check_relations(relations, 2, false, StarRows::Judged, &Control::default()).expect("a check");
        (found.label, found.attained)
    };
    assert_eq!(label(&[relation()]), ("multirelational k-anonymity".to_owned(), Some(2.0)));
    assert_eq!(
        label(&[relation(), relation()]),
        ("multirelational k-anonymity over 2 tables".to_owned(), Some(2.0))
    );
}

/// A value that may have every row is not protected. The figure comes from the others: a quarter, of which a half is allowed.
#[test]
fn values_that_may_have_everything_say_nothing() {
    let release = table(&[("q", &["a", "a", "a", "a"]), ("s", &["x", "x", "y", "z"])]);
    let model = json!({"model": "alpha_k", "column": "s", "alphas": [["x", "1"], ["y", "0.5"]]});
    let found = &check(&release, &[model]).models[0];
    assert_eq!((found.holds, found.attained), (true, Some(0.5)));
}

/// models.md 1.13: a person of 30 has flu or hiv; a person who lives in z1 has hiv or cancer. Tables that share more columns are
/// joined on those too: the flu of ward A is not that of ward B. They are not joined on a column of only one table, nor on what
/// outsiders know.
#[test]
fn several_tables_are_joined_on_all_they_share() {
    let people = table(&[("age", &["30"]), ("zip", &["z1"])]);
    let text = Cover { kind: ValueKind::Text, nodes: Nodes::default(), missing: Vec::new() };
    let covers = ["age", "zip"].map(|name| (name.to_owned(), text.clone())).to_vec();
    let population = Population { table: &people, covers };
    let (age, zip) = (["age".to_owned()], ["zip".to_owned()]);
    let values_left = |first: &CodedTable, second: &CodedTable| {
        let views = [View { table: first, quasi: &age }, View { table: second, quasi: &zip }];
        check_views(&views, &population, "ill", 2, &Control::default())
            .map(|found| (found.attained, found.holds))
    };
    let by_zip = table(&[("zip", &["z1", "z1"]), ("ill", &["hiv", "cancer"])]);
    let by_age = table(&[("age", &["30", "30"]), ("ill", &["flu", "hiv"])]);
    assert_eq!(values_left(&by_age, &by_zip), Ok((Some(1.0), false)));
    let more = table(&[("zip", &["z1", "z1"]), ("ill", &["hiv", "flu"]), ("room", &["1", "2"])]);
    assert_eq!(values_left(&by_age, &more), Ok((Some(2.0), true)));

    let ward =
        |wards: [&str; 2]| table(&[("age", &["30", "30"]), ("ill", &["flu", "hiv"]), ("ward", &wards)]);
    let with_ward = table(&[("zip", &["z1", "z1"]), ("ill", &["flu", "hiv"]), ("ward", &["A", "A"])]);
    assert_eq!(values_left(&ward(["A", "A"]), &with_ward), Ok((Some(2.0), true)));
    assert_eq!(values_left(&ward(["A", "B"]), &with_ward), Ok((Some(1.0), false)));
    // A person of 30 in one table is 30 in the other, as anybody knows who looks them up, so the age is not joined on.
    let both = table(&[("zip", &["z1", "z1"]), ("age", &["30", "31"]), ("ill", &["flu", "hiv"])]);
    assert_eq!(values_left(&by_age, &both), Ok((Some(2.0), true)));
}
