//! Properties of the protocols, on a small made-up table.

use std::path::Path;

use scumble::config::{Plan, Value};
use scumble::problem::Progress;
use scumble::recoding::Step;
use scumble::registry::{ALGORITHMS, algorithm_names};
use scumble::release::new_rows::{CodeFinder, NewRows};
use scumble::release::resources::Resources;
use scumble::release::{TrialOutcome, read_planned, try_release};
use scumble_eval::protocol::{
    Dataset, Fold, Material, Numbers, Protocol, TestRows, baseline, released, stratified_folds,
};
use scumble_files::Control;
use scumble_learn::{Cells, Settings};

/// 120 rows whose class depends on age and sex, with a few exceptions.
fn rows() -> Vec<String> {
    let row = |i: u64| {
        let mixed = i.wrapping_mul(2_654_435_761) % 1_000;
        let age = 20 + mixed % 50;
        let sex = if mixed % 7 < 3 { "f" } else { "m" };
        let town = ["A", "B", "C", "D"][(mixed / 13 % 4) as usize];
        let ill = (age > 45) != (sex == "f" && mixed.is_multiple_of(5));
        format!("{age},{sex},{town},{}", if ill { "yes" } else { "no" })
    };
    (0..120).map(row).collect()
}

const TOWNS: &str = "A;north;*\nB;north;*\nC;south;*\nD;south;*\nE;south;*\n";

fn plan(more: &str) -> Plan {
    let text = format!(
        r#"
        input = "people.csv"
        output = "release.csv"
        accept_attribute_disclosure = true
        [columns.age]
        role = "quasi"
        {more}
        [columns.sex]
        role = "quasi"
        [columns.town]
        role = "quasi"
        hierarchy = {{ build = "file", path = "town.csv" }}
        [columns.ill]
        role = "class"
        [[privacy]]
        model = "k_anonymity"
        k = 4
        "#
    );
    Plan::from_toml(&text, "release.toml").expect("a plan")
}

fn write(folder: &Path, rows: &[String]) {
    std::fs::write(folder.join("people.csv"), format!("age,sex,town,ill\n{}\n", rows.join("\n")))
        .expect("written");
    std::fs::write(folder.join("town.csv"), TOWNS).expect("written");
}

fn dataset(folder: &Path, plan: &Plan) -> Dataset {
    Dataset::read("people", plan, &Resources::in_folder(folder), None).expect("a table")
}

fn asked(plan: &Plan, algorithm: &str, k: i64) -> Plan {
    let mut plan = plan.clone();
    plan.algorithm.name = algorithm.to_owned();
    plan.algorithm.seed = Some(1);
    // Exact searches would take minutes.
    plan.algorithm.steps = Some(200);
    plan.privacy[0].parameters.set("k", Value::Integer(k));
    plan
}

const MAPPED: Protocol = Protocol { test: TestRows::Mapped, samples: 1, numbers: Numbers::Nominal, seed: 5 };
const ORIGINAL: Protocol = Protocol { test: TestRows::Original, samples: 3, ..MAPPED };

#[test]
fn a_row_of_the_release_is_recoded_to_what_it_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &rows());
    let (plan, table, _) = read_planned(&plan(""), &Resources::in_folder(folder.path())).expect("read");
    let mut by_rule = 0;
    for entry in &ALGORITHMS {
        let asked = asked(&plan, entry.name, 2);
        let trial =
            match try_release(&asked, &table, &Resources::in_folder(folder.path()), Progress::default()) {
                Ok(trial) => trial,
                // MDAV takes only numbers.
                Err(error) => {
                    assert_eq!(entry.name, "mdav", "{}: {error}", entry.name);
                    continue;
                }
            };
        let TrialOutcome::Classes { classes, step, class_of_row } = &trial.outcome else { panic!("classes") };
        let nearest = matches!(step, None | Some(Step::Regions(_)));
        by_rule += usize::from(!nearest);
        let rule = NewRows::new(&trial.problem, classes, step.as_ref());
        let codes: Vec<Vec<Option<u32>>> = trial
            .problem
            .quasi
            .iter()
            .map(|quasi| {
                let finder = CodeFinder::new(quasi, &[]);
                let column = table.column(&quasi.name).expect("read");
                column.codes.iter().map(|code| finder.find(column.values.get(code))).collect()
            })
            .collect();
        for (row, class) in class_of_row.iter().enumerate() {
            let Some(class) = class else { continue };
            let of_row: Vec<Option<u32>> = codes.iter().map(|codes| codes[row]).collect();
            let shown = rule.shown(&of_row);
            for (place, value) in shown.iter().enumerate() {
                let value = value.expect("every value was seen");
                let quasi = &trial.problem.quasi[place];
                if nearest {
                    // Clusters may overlap; the one that is found still covers the row.
                    let (low, high) = quasi.codes(value);
                    assert!((low..=high).contains(&of_row[place].expect("a code")), "{}", entry.name);
                } else {
                    let wanted = classes.shown(*class as usize, place);
                    assert_eq!(quasi.label(value), quasi.label(wanted), "{}", entry.name);
                }
            }
        }
    }
    assert!(by_rule > 10, "only {by_rule} algorithms have a rule");
}

#[test]
fn unseen_towns_are_recoded_by_the_hierarchy_and_unknown_ones_are_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &rows());
    let (plan, table, _) = read_planned(&plan(""), &Resources::in_folder(folder.path())).expect("read");
    let trial = try_release(
        &asked(&plan, "mondrian", 60),
        &table,
        &Resources::in_folder(folder.path()),
        Progress::default(),
    )
    .expect("a release");
    let town = &trial.problem.quasi[2];
    let finder = CodeFinder::new(town, &[]);
    let code = finder.find("E").expect("the hierarchy lists E, though nobody lives there");
    let tree = town.tree().expect("a tree");
    assert_eq!(tree.label(tree.at_level(code, 1)), "south");
    assert_eq!(finder.find("F"), None);
}

/// Returns training tables as text, since a missing number is not equal to itself.
fn told(material: &Material) -> String {
    format!("{:?}", material.train)
}

#[test]
fn nothing_is_learnt_from_test_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &rows());
    let data = dataset(folder.path(), &plan(""));
    let split = &stratified_folds(&data.classes_of(&data.table).expect("classes"), 3, 1)[0];
    let fold = Fold::of_split(&data, split, 0);
    // The same training part with test rows of quite different values.
    let mut other = rows();
    other.iter_mut().for_each(|row| *row = row.replace("2", "9").replace(",m,", ",x,"));
    let elsewhere = tempfile::tempdir().expect("a folder");
    write(elsewhere.path(), &other);
    let strange = dataset(elsewhere.path(), &plan(""));
    let test = (*strange.table).clone();
    let changed = Fold { data: &data, train: fold.train.clone(), test, number: 0 };
    for name in algorithm_names() {
        for protocol in [MAPPED, ORIGINAL] {
            let plan = asked(&data.plan, name, 4);
            let progress = Progress::default();
            let (one, two) = (
                released(&fold, &plan, protocol, &[], &progress),
                released(&changed, &plan, protocol, &[], &progress),
            );
            match (one, two) {
                (Ok(one), Ok(two)) => assert_eq!(told(&one), told(&two), "{name}"),
                (Err(one), Err(two)) => assert_eq!(one.to_string(), two.to_string(), "{name}"),
                _ => panic!("{name} refuses one of two equal training parts"),
            }
        }
    }
    assert_eq!(told(&baseline(&fold).expect("rows")), told(&baseline(&changed).expect("rows")));
}

#[test]
fn the_order_of_rows_in_the_file_does_not_matter() {
    let folder = tempfile::tempdir().expect("a folder");
    let accuracies = |rows: &[String]| {
        write(folder.path(), rows);
        let data = dataset(folder.path(), &plan(""));
        let splits = stratified_folds(&data.classes_of(&data.table).expect("classes"), 4, 9);
        let learner = scumble_learn::registry::build("c45", &Settings::default()).expect("a learner");
        let mut found = Vec::new();
        for (number, split) in (0..).zip(&splits) {
            let fold = Fold::of_split(&data, split, number);
            for protocol in [MAPPED, ORIGINAL] {
                let plan = asked(&data.plan, "mondrian", 4);
                let material =
                    released(&fold, &plan, protocol, &[], &Progress::default()).expect("a release");
                found.push(material.learn(&*learner, 1, &Control::default()).expect("learns").accuracy);
            }
        }
        found
    };
    let mut turned = rows();
    let straight = accuracies(&turned);
    turned.reverse();
    turned.rotate_left(17);
    assert_eq!(straight, accuracies(&turned));
    assert!(straight.iter().any(|accuracy| *accuracy > 0.5));
}

#[test]
fn a_release_that_hides_nothing_is_as_good_as_the_original() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &rows());
    let data = dataset(folder.path(), &plan("label = \"tight\""));
    let split = &stratified_folds(&data.classes_of(&data.table).expect("classes"), 3, 1)[0];
    let fold = Fold::of_split(&data, split, 0);
    let plain = baseline(&fold).expect("rows");
    let plan = asked(&data.plan, "mondrian", 1);
    for protocol in [MAPPED, ORIGINAL] {
        let hidden = released(&fold, &plan, protocol, &[], &Progress::default()).expect("a release");
        assert_eq!(hidden.train[0].columns()[0], plain.train[0].columns()[0], "ages stay numbers");
        assert_eq!(hidden.loss, 0.0);
        for name in ["c45", "naive_bayes", "majority"] {
            let learner = scumble_learn::registry::build(name, &Settings::default()).expect("a learner");
            let score = |material: &Material| {
                material.learn(&*learner, 1, &Control::default()).expect("learns").accuracy
            };
            assert_eq!(score(&hidden), score(&plain), "{name} {:?}", protocol.test);
        }
    }
}

#[test]
fn ranges_are_nominal_or_their_middle_and_drawn_values_are_covered() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &rows());
    let data = dataset(folder.path(), &plan("min = 20\nmax = 69"));
    let split = &stratified_folds(&data.classes_of(&data.table).expect("classes"), 3, 1)[0];
    let fold = Fold::of_split(&data, split, 0);
    let plan = asked(&data.plan, "mondrian", 30);
    let material = |protocol| released(&fold, &plan, protocol, &[], &Progress::default()).expect("a release");
    let cells = |material: &Material| material.train[0].columns()[0].cells().clone();
    assert!(matches!(cells(&material(MAPPED)), Cells::Nominal { .. }));
    let Cells::Numeric(middles) = cells(&material(Protocol { numbers: Numbers::Midpoint, ..MAPPED })) else {
        panic!("numbers")
    };
    let mut distinct = middles.clone();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    assert!(distinct.len() < 6, "80 rows in classes of 30 have few ranges");
    assert!(distinct.iter().all(|middle| (20.0..=69.0).contains(middle)));
    let drawn = material(ORIGINAL);
    assert_eq!(drawn.train.len(), 3);
    assert_ne!(drawn.train[0], drawn.train[1], "every table is drawn anew");
    let Cells::Numeric(ages) = drawn.train[0].columns()[0].cells().clone() else { panic!("numbers") };
    // Rows keep their places, so each drawn age is on the same side of every cut as the middle of its range.
    let cut = f64::midpoint(distinct[0], distinct[distinct.len() - 1]);
    let same_side =
        ages.iter().zip(&middles).filter(|(age, middle)| (**age < cut) == (**middle < cut)).count();
    assert!(same_side * 10 >= ages.len() * 7, "{same_side} of {}", ages.len());
}

#[test]
fn every_learner_copes_with_a_release_that_says_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &rows());
    let data = dataset(folder.path(), &plan(""));
    let split = &stratified_folds(&data.classes_of(&data.table).expect("classes"), 3, 1)[0];
    let fold = Fold::of_split(&data, split, 0);
    let plan = asked(&data.plan, "iack", 80);
    for protocol in [MAPPED, ORIGINAL, Protocol { numbers: Numbers::Midpoint, ..MAPPED }] {
        let material = released(&fold, &plan, protocol, &[], &Progress::default()).expect("a release");
        assert_eq!(material.loss, 1.0);
        let majority = {
            let test = material.test[0].class_weights();
            let train = material.train[0].class_weights();
            if train[0] >= train[1] {
                test[0] / material.test[0].weight()
            } else {
                test[1] / material.test[0].weight()
            }
        };
        for entry in scumble_learn::registry::LEARNERS {
            let learner =
                scumble_learn::registry::build(entry.name, &Settings::default()).expect("a learner");
            let found = material.learn(&*learner, 1, &Control::default()).expect("learns").accuracy;
            if protocol.test == TestRows::Mapped {
                assert_eq!(found, majority, "{}: nothing is left but the majority", entry.name);
            }
        }
    }
}

#[test]
fn a_table_without_a_class_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &rows());
    let mut plan = plan("");
    plan.columns.pop();
    plan.rest = Some(scumble::config::Rest::Drop);
    let error =
        Dataset::read("people", &plan, &Resources::in_folder(folder.path()), None).expect_err("no class");
    assert!(error.to_string().contains("the plan of 'people' has no column with the role class"), "{error}");
}
