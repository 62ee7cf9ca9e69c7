//! Models on whole releases, on people with several rows, on a population, and on several columns together.

use scumble_files::table::Codes;

use super::*;
use crate::config::StarPolicy;
use crate::recoding::{Assignment, ClassColumn, Members};
use crate::table::quasi::{Quasi, Shape, Value};

/// A release in which every tuple of the column is a class of its own, and these are suppressed.
fn released(table: &FrequencyTable, suppressed: &[bool]) -> Classes {
    let shape = Shape::Set(["a", "b", "c"].into_iter().collect());
    let measure = Measure { kind: Kind::Text, scale: 0 };
    let quasi = Quasi { name: "q".into(), measure, shape, priority: 1.0, tight: false, sets: false };
    let classes: Vec<u32> = (0..suppressed.len() as u32).collect();
    let values: Vec<Value> = classes.iter().map(|code| Value::Span(*code, *code)).collect();
    let assignment = Assignment {
        members: Members::Tuples(classes.clone()),
        suppressed: suppressed.to_vec(),
        columns: vec![ClassColumn { of_class: Codes::narrow(classes.len(), &classes), values }],
    };
    Classes::new(assignment, table, &[quasi], StarPolicy::Strict)
}

fn verdicts(table: &FrequencyTable, asked: &str, sensitive: &[&str], suppressed: &[bool]) -> Vec<Verdict> {
    let published = released(table, suppressed);
    models(table, asked, sensitive).iter().map(|model| model.judge(&published, table.payloads())).collect()
}

fn verdict(holds: bool, attained: f64, failing_classes: usize, failing_rows: u64) -> Verdict {
    Verdict { holds, attained, failing_classes, failing_rows }
}

/// Classes of four and five rows; the worst class is named, and what fails is counted.
#[test]
fn the_worst_class_is_told() {
    let table = running_example();
    let of = |asked: &str| verdicts(&table, asked, &["disease"], &[false; 2]).remove(0);
    assert_eq!(of("model = 'k_anonymity'\nk = 5"), verdict(false, 4.0, 1, 4));
    assert_eq!(of("model = 'k_anonymity'\nk = 4"), verdict(true, 4.0, 0, 0));
    assert_eq!(of("model = 'k_anonymity'\nk = 6"), verdict(false, 4.0, 2, 9));
    assert_eq!(of("model = 'alpha_k'\nalpha = 0.5"), verdict(false, 0.6, 1, 5));
    assert_eq!(of("model = 'lkc'\nl = 1\nk = 5"), verdict(false, 4.0, 1, 4));
    // Two classes of nine rows, both at a risk above 0.1.
    assert_eq!(of("model = 'average_risk'\naverage = 0.3"), verdict(true, 2.0 / 9.0, 0, 0));
    assert_eq!(of("model = 'average_risk'\naverage = 0.2"), verdict(false, 2.0 / 9.0, 1, 4));
    assert_eq!(of("model = 'average_risk'\nhighest = 0.2\nat_risk = 0.4"), verdict(false, 4.0 / 9.0, 1, 4));
    let model = models(&table, "model = 'average_risk'\naverage = 0.3\nhighest = 0.2\nat_risk = 0.4", &[]);
    assert_eq!((model[0].required(), model[1].required()), (0.3, 0.4));
    assert!(!model[0].larger_is_better() && !model[1].larger_is_better());
    assert_eq!(model[0].title(), "a mean risk of at most 0.3");
    assert_eq!((model[0].sufficient_size(), model[1].sufficient_size()), (Some(4), Some(5)));
}

/// Two of three people, one of two, and nobody of one: 2/3, 1/2 and 0.
#[test]
fn rows_beside_the_people_they_are_taken_from() {
    let rows: [(u32, &[&str]); 3] = [(0, &[]), (0, &[]), (1, &[])];
    let people: [(u32, &[&str]); 6] = [(0, &[]), (0, &[]), (0, &[]), (1, &[]), (1, &[]), (2, &[])];
    let table = counted(&[], &rows, false).with_population(counted(&[], &people, false));
    let of = |asked: &str| verdicts(&table, asked, &[], &[false; 2]);
    assert_eq!(of("model = 'k_map'\nk = 3"), [verdict(false, 2.0, 1, 1)]);
    assert_eq!(of("model = 'k_map'\nk = 2"), [verdict(true, 2.0, 0, 0)]);
    // Who is in no class is known to be absent; that concerns a least share alone.
    let both = of("model = 'delta_presence'\ndelta_min = 0.5\ndelta_max = 0.6");
    assert_eq!(both, [verdict(false, 0.0, 1, 0), verdict(false, 2.0 / 3.0, 1, 2)]);
    assert_eq!(of("model = 'delta_presence'\ndelta_max = 0.7"), [verdict(true, 2.0 / 3.0, 0, 0)]);
    assert!(built(&table, "model = 'delta_presence'\ndelta_min = 0.5\ndelta_max = 0.5", &[]).is_ok());
    // Suppressed rows stand for everybody outside: one of the two and the one.
    let rest = verdicts(&table, "model = 'k_map'\nk = 3", &[], &[false, true]);
    assert_eq!(rest, [verdict(true, 3.0, 0, 0)]);

    let models = models(&table, "model = 'delta_presence'\ndelta_min = 0.5\ndelta_max = 0.6", &[]);
    assert_eq!((models[0].larger_is_better(), models[1].larger_is_better()), (true, false));
    let Monotonicity { merging, dropping, upward } = models[0].monotonicity();
    assert_eq!([merging, dropping, upward], [true, false, false]);
    let claims: Vec<Json> = models.iter().map(|model| model.claim().into()).collect();
    assert_eq!(claims[0], json!({"model": "delta_presence", "delta_min": "0.5"}));
    assert_eq!(claims[1], json!({"model": "delta_presence", "delta_max": "0.6"}));
    // 3 of 6.
    let told = |asked: &str| infeasible(&table, asked, &[]);
    assert!(
        told("model = 'delta_presence'\ndelta_min = 0.6")
            .ends_with("; ask for delta_min = 0.5, the largest possible")
    );
    assert!(
        told("model = 'delta_presence'\ndelta_max = 0.4")
            .ends_with("; ask for delta_max = 0.5, the smallest possible")
    );
    assert!(told("model = 'k_map'\nk = 7").ends_with("; ask for k = 6, the largest possible"));
    let k_map = super::models(&table, "model = 'k_map'\nk = 3", &[]).remove(0);
    let Monotonicity { merging, dropping, upward } = k_map.monotonicity();
    assert_eq!((k_map.larger_is_better(), [merging, dropping, upward]), (true, [true; 3]));
}

/// models.md 1.6: p1 with flu and hiv, p2 with flu. Two of three rows have flu, and both people.
#[test]
fn persons_count_where_they_have_several_rows() {
    let rows: [(u32, &[&str]); 4] =
        [(0, &["flu", "p1"]), (0, &["hiv", "p1"]), (0, &["flu", "p2"]), (1, &["hiv", "p3"])];
    let table = counted(&["disease", "who"], &rows, true);
    let test = |asked: &str| {
        let model = models(&table, asked, &["disease"]).remove(0);
        let test = model.class_test().expect("a test");
        let class = class(&table, 0);
        (model.claim().get("person").cloned(), test.attained(&class), test.passes(&class))
    };
    let who = Some(Json::from("who"));
    assert_eq!(test("model = 'k_anonymity'\nk = 3"), (who.clone(), 2.0, false));
    assert_eq!(test("model = 'k_anonymity'\nk = 2"), (who.clone(), 2.0, true));
    assert_eq!(test("model = 'lkc'\nk = 3"), (who.clone(), 2.0, false));
    assert_eq!(test("model = 'alpha_k'\nalpha = 0.7"), (who.clone(), 1.0, false));
    assert_eq!(test("model = 'l_diversity'\nvariant = 'frequency'\nl = 1.5"), (who.clone(), 1.0, false));
    assert_eq!(test("model = 'xy_linkability'\ny = 'disease'\nh = 0.7"), (who.clone(), 1.0, false));
    // Values, entropies and distances count rows.
    assert_eq!(test("model = 'l_diversity'\nl = 2"), (None, 2.0, true));
    let entropy =
        models(&table, "model = 'l_diversity'\nvariant = 'entropy'\nl = 1.5", &["disease"]).remove(0);
    assert!(entropy.claim().get("person").is_none() && entropy.monotonicity().merging);
    for asked in ["model = 'alpha_k'\nalpha = 0.7", "model = 'l_diversity'\nvariant = 'frequency'\nl = 1.5"] {
        let model = models(&table, asked, &["disease"]).remove(0);
        assert!(model.title().ends_with(", counting persons") && !model.monotonicity().merging, "{asked}");
    }
    for asked in ["model = 'k_map'\nk = 2", "model = 'average_risk'\naverage = 0.5"] {
        let told = built(&table, asked, &[]).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(told.contains("persons ('who') have several"), "{told}");
    }
    assert!(
        infeasible(&table, "model = 'k_anonymity'\nk = 4", &[])
            .ends_with("; ask for the largest possible k ([[privacy]] k = 3)")
    );
}

/// models.md 1.7: wards AB, AB, A, AA. By numbers of rows two people are alone, by sets nobody is.
#[test]
fn all_rows_of_a_person_together() {
    let rows: [(u32, &[&str]); 7] =
        [(0, &["p1"]), (1, &["p1"]), (0, &["p2"]), (1, &["p2"]), (0, &["p3"]), (0, &["p4"]), (0, &["p4"])];
    let table = counted(&["who"], &rows, true);
    let of = |asked: &str| verdicts(&table, asked, &[], &[false; 2]);
    assert_eq!(of("model = 'multirelational'\nk = 2"), [verdict(false, 1.0, 2, 3)]);
    assert_eq!(of("model = 'multirelational'\nk = 2\ncount = 'set'"), [verdict(true, 2.0, 0, 0)]);
    assert_eq!(of("model = 'multirelational'\nk = 3\ncount = 'set'"), [verdict(false, 2.0, 2, 7)]);
    let model = models(&table, "model = 'multirelational'\nk = 2", &[]).remove(0);
    assert_eq!(model.required(), 2.0);
    let claim = json!({"model": "multirelational", "k": 2, "count": "multiset", "person": "who"});
    assert_eq!(Json::from(model.claim()), claim);
    let Monotonicity { merging, dropping, upward } = model.monotonicity();
    assert_eq!([merging, dropping, upward], NOT_UPWARD);
    // One person has one row, and all four are one group where only sets count.
    let told = infeasible(&table, "model = 'multirelational'\nk = 2", &[]);
    assert!(told.contains("; ask for k = 1, the largest possible, since so few have 1 row, or"), "{told}");
    assert_eq!(infeasible(&table, "model = 'multirelational'\nk = 1", &[]), "");
    assert_eq!(infeasible(&table, "model = 'multirelational'\nk = 4\ncount = 'set'", &[]), "");
    let told = infeasible(&table, "model = 'multirelational'\nk = 5\ncount = 'set'", &[]);
    assert!(told.ends_with("; ask for k = 4, the largest possible"), "{told}");
}

/// Of three with lungs affected somebody guards lungs, and a fourth has flu; in the other class nobody has what they guard.
#[test]
fn what_people_guard() {
    let rows: [(u32, &[&str]); 6] = [
        (0, &["asthma", "lung"]),
        (0, &["cancer", "none"]),
        (0, &["cancer", "none"]),
        (0, &["flu", "virus"]),
        (1, &["hiv", "lung"]),
        (1, &["hiv", "none"]),
    ];
    let table = counted(&["disease", "guard"], &rows, false);
    let asked = |p: &str| {
        format!("model = 'personalised'\np_breach = {p}\nguarding = 'guard'\ncolumns = ['disease']")
    };
    let model = models(&table, &asked("0.5"), &["disease"]).remove(0);
    let claim = Json::from(model.claim());
    assert_eq!(
        (&claim["p_breach"], &claim["guarding"], &claim["none"]),
        (&json!("0.5"), &json!("guard"), &json!(["none"]))
    );
    assert_eq!(claim["tree"][0], json!(["asthma", "lung", "any"]));
    assert!(claim.get("person").is_none() && !model.larger_is_better());
    let test = model.class_test().expect("a test");
    let found =
        [0, 1].map(|tuple| (test.attained(&class(&table, tuple)), test.passes(&class(&table, tuple))));
    assert_eq!(found, [(0.75, false), (0.0, true)]);
    // A class of the one with asthma and the three without lungs affected would have a breach of 1/4, and so would that of flu
    // with the three of lungs.
    assert_eq!(infeasible(&table, &asked("0.25"), &["disease"]), "");
    let told = infeasible(&table, &asked("0.24"), &["disease"]);
    assert!(told.ends_with("; ask for p_breach = 0.25, the smallest possible"), "{told}");
    // Two rows of one person with asthma, and one of another with flu: 2 of 3 rows, 1 of 2 people.
    let rows: [(u32, &[&str]); 3] =
        [(0, &["asthma", "lung", "p1"]), (0, &["asthma", "lung", "p1"]), (0, &["flu", "none", "p2"])];
    let table = counted(&["disease", "guard", "who"], &rows, true);
    let model = models(&table, &asked("0.66"), &["disease"]).remove(0);
    assert_eq!(model.claim().get("person"), Some(&json!("who")));
    let figure = |model: &dyn Model| {
        let test = model.class_test().expect("a test");
        (test.attained(&class(&table, 0)), test.passes(&class(&table, 0)))
    };
    assert_eq!(figure(&*model), (2.0 / 3.0, false));
    assert!(figure(&*models(&table, &asked("0.67"), &["disease"]).remove(0)).1);
}

/// models.md 1.14: (a,x)(a,x)(b,y)(b,y) has two values of each column, one given the other, and two tuples.
#[test]
fn several_columns_together() {
    let rows: [(u32, &[&str]); 4] = [(0, &["a", "x"]), (0, &["a", "x"]), (0, &["b", "y"]), (0, &["b", "y"])];
    let table = counted(&["s", "r"], &rows, false);
    let both = ["s", "r"];
    let of = |mode: &str| {
        let models = models(&table, &format!("model = 'l_diversity'\nl = 2\nmode = '{mode}'"), &both);
        let of_model = |model: &dyn Model| {
            let test = model.class_test().expect("a test");
            let class = class(&table, 0);
            (Json::from(model.claim()), test.attained(&class), test.passes(&class), test.failing_part(&class))
        };
        models.iter().map(|model| of_model(&**model)).collect::<Vec<_>>()
    };
    let claim = |more: Json| {
        let mut claim = json!({"model": "l_diversity", "variant": "distinct", "l": 2});
        claim.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        claim
    };
    let alone = of("separate");
    assert_eq!(alone.iter().map(|of| (of.1, of.2)).collect::<Vec<_>>(), [(2.0, true), (2.0, true)]);
    let given = of("conditional");
    assert_eq!(given[0], (claim(json!({"column": "s", "given": ["r"]})), 1.0, false, 4));
    assert_eq!(given[1], (claim(json!({"column": "r", "given": ["s"]})), 1.0, false, 4));
    let joint = of("joint");
    assert_eq!(
        (joint.len(), &joint[0].0, joint[0].1, joint[0].2),
        (1, &claim(json!({"columns": ["s", "r"]})), 2.0, true)
    );
    let told = infeasible(&table, "model = 'l_diversity'\nl = 2\nmode = 'conditional'", &both);
    assert!(told.ends_with("; ask for 1, the largest possible, instead of 2"), "{told}");
    // Y is a set of columns, in whatever order and however often they are named.
    let y = models(&table, "model = 'xy_anonymity'\nk = 2\ny = ['s', 'r', 's']", &both).remove(0);
    assert_eq!(Json::from(y.claim()), json!({"model": "xy_anonymity", "k": 2, "columns": ["r", "s"]}));
    let names_values = "model = 'alpha_k'\nalpha = 0.5\nvalues = ['a']\nmode = 'joint'";
    let told = built(&table, names_values, &both).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(told.contains("'values' is about the values of one column"), "{told}");
}

/// models.md 1.2: of Adult's 45,222 complete rows 34,014 have one class, so no l above 1.329511 is possible.
#[test]
fn the_diversity_of_adult() {
    let values = PayloadColumn {
        name: "income".to_owned(),
        values: ["<=50K", ">50K"].into_iter().collect(),
        measure: Measure { kind: Kind::Text, scale: 0 },
        missing: Vec::new(),
        reading: Default::default(),
    };
    let (payloads, of_row) = Payloads::of_rows(vec![values], 2, |_, row| row as u32);
    let rows = [34_014, 45_222 - 34_014];
    let (table, _) = FrequencyTable::count(&[3], 2, |_, _| 0, payloads, &of_row, |row| rows[row]);
    let model =
        models(&table, "model = 'l_diversity'\nvariant = 'frequency'\nl = 1.33", &["income"]).remove(0);
    let attained = model.class_test().expect("a test").attained(&class(&table, 0));
    assert!((attained - 1.329_511).abs() < 5e-7, "{attained}");
    let told = infeasible(&table, "model = 'l_diversity'\nvariant = 'frequency'\nl = 1.33", &["income"]);
    assert!(told.ends_with("; ask for the largest possible l ([[privacy]] l = 1.3295)"), "{told}");
}
