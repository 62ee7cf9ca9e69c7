//! Models of several sensitive columns: what they declare, and that the independent verifier checks alike.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use scumble::config::StarPolicy;
use scumble::models::Model;

use super::common::seeded;
use super::common::wide::{Row, Wide};

/// Requirements on both columns, in every mode of every model that has modes.
const ASKED: [&str; 16] = [
    "model = \"l_diversity\"\nl = 2\nmode = \"conditional\"",
    "model = \"l_diversity\"\nl = 3\nmode = \"joint\"",
    "model = \"l_diversity\"\nl = \"3/2\"\nvariant = \"entropy\"\nmode = \"conditional\"",
    "model = \"l_diversity\"\nl = \"5/3\"\nvariant = \"frequency\"\nmode = \"conditional\"",
    "model = \"l_diversity\"\nl = 2\nc = \"5/2\"\nvariant = \"recursive\"\nmode = \"joint\"",
    "model = \"alpha_k\"\nk = 2\nalpha = \"2/3\"\nmode = \"conditional\"",
    "model = \"alpha_k\"\nalpha = \"1/2\"\nmode = \"joint\"",
    "model = \"t_closeness\"\nt = \"1/2\"\ndistance = \"equal\"\nmode = \"conditional\"",
    "model = \"t_closeness\"\nt = \"1/2\"\nmode = \"joint\"",
    "model = \"p_sensitive\"\np = 2\nmode = \"conditional\"",
    "model = \"beta_likeness\"\nbeta = 2\nmode = \"joint\"",
    "model = \"delta_disclosure\"\ndelta = 2\nmode = \"conditional\"",
    "model = \"xy_anonymity\"\nk = 2\ny = \"who\"",
    "model = \"xy_anonymity\"\nk = 3\ny = [\"who\", \"ill\"]",
    "model = \"xy_linkability\"\nh = \"1/2\"\ny = [\"pay\", \"ill\"]",
    "model = \"personalised\"\np_breach = \"1/2\"\nguarding = \"guard\"\ncolumns = [\"ill\"]",
];

/// Requirements that count people, alone and with the modes.
const PERSONS: [&str; 11] = [
    "model = \"k_anonymity\"\nk = 2",
    "model = \"k_anonymity\"\nk = 4",
    "model = \"lkc\"\nk = 3",
    "model = \"l_diversity\"\nl = \"3/2\"\nvariant = \"frequency\"",
    "model = \"l_diversity\"\nl = 2\nvariant = \"frequency\"\nmode = \"conditional\"",
    "model = \"alpha_k\"\nk = 2\nalpha = \"2/3\"",
    "model = \"alpha_k\"\nalphas = [\"flu=1/2\"]\ncolumns = [\"ill\"]",
    "model = \"alpha_k\"\nalpha = \"1/2\"\nmode = \"joint\"",
    "model = \"xy_linkability\"\nh = \"2/3\"\ny = \"ill\"\nvalues = [\"flu\"]",
    "model = \"multirelational\"\nk = 2",
    "model = \"multirelational\"\nk = 2\ncount = \"set\"",
];

/// All of them on one set of rows: those of people, and the others, where people do not count.
fn models(wide: &Wide, persons: bool) -> Vec<Box<dyn Model>> {
    let counted = PERSONS.iter().filter(|model| persons && (!model.contains("flu") || wide.has("flu")));
    ASKED.iter().chain(counted).flat_map(|model| wide.models(&asked(model))).collect()
}

fn asked(model: &str) -> String {
    format!("[[privacy]]\n{model}\n")
}

/// Up to 24 rows in four classes; illnesses and pay go together more or less.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0..4_usize, 0..4_usize, 0..3_usize, any::<bool>(), 0..7_usize, 0..5_usize);
    let row = row.prop_map(|(class, ill, pay, same, who, guard)| {
        let pay = if same { ill % 3 } else { pay };
        let who = ["ann", "bea", "cid", "dan", "eva", "fay", "gil"][who];
        (
            class,
            [
                ["flu", "flu", "hiv", "ulcer"][ill],
                ["low", "mid", "high"][pay],
                who,
                ["none", "lung", "gut", "hiv", "flu"][guard],
            ],
        )
    });
    // Every class has a row.
    prop::collection::vec(row, 4..24).prop_map(|mut rows| {
        (0..4).for_each(|class| rows[class].0 = class);
        rows
    })
}

proptest! {
    #![proptest_config(seeded(31, 200))]

    #[test]
    fn declared_monotonicity_holds_in_every_mode(rows in rows(), persons in any::<bool>()) {
        let wide = Wide::counting(&rows, persons);
        for model in models(&wide, persons) {
            let declared = model.monotonicity();
            if model.class_test().is_some() {
                let (first, second) = (wide.passes(&*model, &[0]), wide.passes(&*model, &[1]));
                let merged = wide.passes(&*model, &[0, 1]);
                prop_assert!(!(declared.merging && first && second) || merged, "{} is lost by merging", model.title());
                prop_assert!(!(declared.upward && first) || merged, "{} is lost upward", model.title());
            } else {
                // The same rows, where two classes are one.
                let merged: Vec<Row> = rows.iter().map(|row| (row.0.saturating_sub(1), row.1)).collect();
                let coarser = Wide::counting(&merged, persons);
                let holds = |wide: &Wide, classes: usize| {
                    let published = wide.published(&vec![false; classes], StarPolicy::Strict);
                    model.judge(&published, wide.table.payloads()).holds
                };
                prop_assert!(!(declared.merging && holds(&wide, 4)) || holds(&coarser, 3), "{} is lost by merging", model.title());
            }
            let holds = |suppressed: &[bool]| {
                model.judge(&wide.published(suppressed, StarPolicy::Drop), wide.table.payloads()).holds
            };
            let lost = holds(&[false; 4]) && !holds(&[false, false, true, false]);
            prop_assert!(!(declared.dropping && lost), "{} is lost by dropping a class", model.title());
        }
    }

    #[test]
    fn judging_agrees_with_the_verifier_in_every_mode(
        rows in rows(),
        persons in any::<bool>(),
        suppressed in any::<[bool; 4]>(),
        policy in prop::sample::select(vec![StarPolicy::Strict, StarPolicy::Paper, StarPolicy::Drop]),
    ) {
        let wide = Wide::counting(&rows, persons);
        for model in models(&wide, persons) {
            let Some(found) = wide.verified(&*model, &suppressed, policy) else { continue };
            let verdict = model.judge(&wide.published(&suppressed, policy), wide.table.payloads());
            prop_assert_eq!(verdict.holds, found.holds, "{}", model.title());
            prop_assert_eq!(verdict.failing_classes as u64, found.failing_classes, "{}", model.title());
            prop_assert_eq!(verdict.failing_rows, found.failing_rows, "{}", model.title());
            prop_assert_eq!(model.required(), found.required);
            if let Some(attained) = found.attained {
                let same = verdict.attained == attained || (verdict.attained - attained).abs() < 1e-9;
                prop_assert!(same, "{}: {} or {}?", model.title(), verdict.attained, attained);
            }
        }
    }

    #[test]
    fn conditional_and_joint_diversity_are_what_they_are_defined_as(rows in rows()) {
        let wide = Wide::new(&rows);
        let whole = wide.published(&[false; 4], StarPolicy::Strict);
        let least = |key: &dyn Fn(&Row) -> String, value: &dyn Fn(&Row) -> String| {
            let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for row in &rows {
                groups.entry(key(row)).or_default().insert(value(row));
            }
            groups.values().map(BTreeSet::len).min().expect("rows") as f64
        };
        let attained: Vec<f64> = ["conditional", "joint"]
            .iter()
            .flat_map(|mode| wide.models(&asked(&format!("model = \"l_diversity\"\nl = 2\nmode = \"{mode}\""))))
            .map(|model| model.judge(&whole, wide.table.payloads()).attained)
            .collect();
        let class_and = |place: usize| move |row: &Row| format!("{} {}", row.0, row.1[place]);
        let expected = [
            least(&class_and(1), &|row| row.1[0].to_owned()),
            least(&class_and(0), &|row| row.1[1].to_owned()),
            least(&|row| row.0.to_string(), &|row| row.1[..2].join(" ")),
        ];
        prop_assert_eq!(attained, expected);
    }
}

/// models.md 1.14: what is not upward has a counterexample. Given the pay, the first class is diverse; the second brings a pay
/// with one illness.
#[test]
fn conditional_diversity_is_not_upward() {
    let wide = Wide::new(&[
        (0, ["flu", "low", "ann", "none"]),
        (0, ["hiv", "low", "ann", "none"]),
        (1, ["flu", "high", "ann", "none"]),
        (2, ["flu", "low", "ann", "none"]),
        (3, ["flu", "low", "ann", "none"]),
    ]);
    let model = wide.models(&asked(ASKED[0])).remove(0);
    assert!(!model.monotonicity().upward && model.monotonicity().merging);
    assert!(wide.passes(&*model, &[0]) && !wide.passes(&*model, &[0, 1]));
}

proptest! {
    #![proptest_config(seeded(32, 200))]

    #[test]
    fn persons_are_counted_as_defined(rows in rows()) {
        let wide = Wide::counting(&rows, true);
        let whole = wide.published(&[false; 4], StarPolicy::Strict);
        let attained = |model: &str| {
            wide.models(&asked(model)).remove(0).judge(&whole, wide.table.payloads()).attained
        };
        let classes = (0..4).map(|class| rows.iter().filter(|row| row.0 == class).collect::<Vec<_>>());
        let persons = |rows: &[&&Row]| rows.iter().map(|row| row.1[2]).collect::<BTreeSet<_>>().len() as f64;
        let mut fewest = f64::INFINITY;
        let mut largest = 0.0_f64;
        for class in classes {
            let all: Vec<&&Row> = class.iter().collect();
            fewest = fewest.min(persons(&all));
            for ill in ["flu", "hiv", "ulcer"] {
                let having: Vec<&&Row> = class.iter().filter(|row| row.1[0] == ill).collect();
                largest = largest.max(persons(&having) / persons(&all));
                largest = largest.max(having.len() as f64 / class.len() as f64);
            }
        }
        prop_assert_eq!(attained("model = \"k_anonymity\"\nk = 2"), fewest);
        let share = attained("model = \"alpha_k\"\nalpha = \"1/2\"\ncolumns = [\"ill\"]");
        prop_assert!((share - largest).abs() < 1e-9);
    }
}

/// Half of the people of both classes have flu, and all of them together: shares of people can break by merging.
#[test]
fn shares_of_persons_are_not_kept_by_merging() {
    let wide = Wide::counting(
        &[
            (0, ["flu", "low", "ann", "none"]),
            (0, ["hiv", "low", "bea", "none"]),
            (1, ["flu", "low", "bea", "none"]),
            (1, ["hiv", "low", "ann", "none"]),
        ],
        true,
    );
    for model in
        ["model = \"alpha_k\"\nalpha = \"1/2\"", "model = \"l_diversity\"\nvariant = \"frequency\"\nl = 2"]
    {
        let model = wide.models(&asked(&format!("{model}\ncolumns = [\"ill\"]"))).remove(0);
        assert!(!model.monotonicity().merging);
        assert!(wide.passes(&*model, &[0]) && wide.passes(&*model, &[1]) && !wide.passes(&*model, &[0, 1]));
    }
    let k = wide.models(&asked(PERSONS[0])).remove(0);
    assert!(k.monotonicity().merging && k.monotonicity().upward);
}

/// models.md 1.12: o2 guards their stomach at 1/2; merged with two ulcers, at 3/4.
#[test]
fn guarded_nodes_are_not_kept_by_merging() {
    let wide = Wide::new(&[
        (0, ["flu", "low", "ann", "none"]),
        (0, ["ulcer", "low", "bea", "gut"]),
        (1, ["ulcer", "low", "cid", "none"]),
        (1, ["ulcer", "low", "dan", "none"]),
    ]);
    let model = wide.models(&asked(ASKED[15])).remove(0);
    assert!(!model.monotonicity().merging && !model.monotonicity().upward);
    assert!(wide.passes(&*model, &[0]) && wide.passes(&*model, &[1]) && !wide.passes(&*model, &[0, 1]));
}

/// models.md 1.7: wards AB, AB, A, AA. As multisets two people are alone, as sets none is.
#[test]
fn persons_with_more_rows_are_others() {
    let row = |class, who| (class, ["flu", "low", who, "none"]);
    let wide = Wide::counting(
        &[
            row(0, "ann"),
            row(1, "ann"),
            row(0, "bea"),
            row(1, "bea"),
            row(0, "cid"),
            row(0, "dan"),
            row(0, "dan"),
        ],
        true,
    );
    let verdict = |count: &str| {
        let model = wide
            .models(&asked(&format!("model = \"multirelational\"\nk = 2\ncount = \"{count}\"")))
            .remove(0);
        let verdict = model.judge(&wide.published(&[false; 2], StarPolicy::Strict), wide.table.payloads());
        (verdict.holds, verdict.attained, verdict.failing_classes, verdict.failing_rows)
    };
    assert_eq!(verdict("multiset"), (false, 1.0, 2, 3));
    assert_eq!(verdict("set"), (true, 2.0, 0, 0));
}
