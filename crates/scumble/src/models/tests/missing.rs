//! Missing values: the library and the verifier, which has its own rule, check them alike.

use proptest::prelude::*;
use scumble_files::table::{CodedColumn, CodedTable};
use scumble_verify::{
    Claim, ModelClaim, Reference, ReferenceColumn, SensitiveColumn, StarRows, check_models,
};

use super::*;
use crate::table::payload::Reading;

const ASKED: [&str; 16] = [
    "model = \"l_diversity\"\nl = 2",
    "model = \"l_diversity\"\nl = 1",
    "model = \"l_diversity\"\nvariant = \"entropy\"\nl = 1.7",
    "model = \"l_diversity\"\nvariant = \"frequency\"\nl = 1.5",
    "model = \"l_diversity\"\nvariant = \"recursive\"\nl = 2\nc = 1.5",
    "model = \"l_diversity\"\nl = 2\nmode = \"joint\"",
    "model = \"l_diversity\"\nl = 2\nmode = \"conditional\"",
    "model = \"t_closeness\"\nt = 0.3\ndistance = \"equal\"",
    "model = \"t_closeness\"\nt = 0.3\ndistance = \"ordered\"",
    "model = \"t_closeness\"\nt = 0.3\ndistance = \"equal\"\nmode = \"joint\"",
    "model = \"alpha_k\"\nalpha = 0.6",
    "model = \"beta_likeness\"\nbeta = 0.7",
    "model = \"delta_disclosure\"\ndelta = 1",
    "model = \"k_uncertainty\"\nk = 2",
    "model = \"p_sensitive\"\np = 2",
    "model = \"lkc\"\nk = 1\nc = 0.6",
];

/// Missing values last, as in a prepared table.
fn column(name: &str, texts: &[&str], counts: bool) -> (PayloadColumn, Vec<u32>) {
    let mut values: Vec<&str> = texts.to_vec();
    values.sort_unstable_by_key(|text| (*text == "?", *text));
    values.dedup();
    let code = |text: &&str| values.iter().position(|value| value == text).expect("its value") as u32;
    let codes = texts.iter().map(code).collect();
    let column = PayloadColumn {
        name: name.to_owned(),
        values: values.iter().copied().collect(),
        measure: Measure { kind: Kind::Text, scale: 0 },
        missing: vec!["?".to_owned()],
        reading: Reading { form: None, missing_counts: counts },
    };
    (column, codes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn library_and_verifier_agree(
        rows in proptest::collection::vec((0_u32..3, 0_usize..4, 0_usize..3), 1..14),
        counts in any::<bool>(),
    ) {
        let first: Vec<&str> = rows.iter().map(|row| ["?", "a", "b", "c"][row.1]).collect();
        let second: Vec<&str> = rows.iter().map(|row| ["?", "x", "y"][row.2]).collect();
        let classes: Vec<String> = rows.iter().map(|row| row.0.to_string()).collect();
        let made = [column("s", &first, counts), column("u", &second, counts)];
        let [(s, of_s), (u, of_u)] = made;
        let code = |place: usize, row: usize| if place == 0 { of_s[row] } else { of_u[row] };
        let (payloads, of_row) = Payloads::of_rows(vec![s, u], rows.len(), code);
        let table = FrequencyTable::count(&[3], rows.len(), |_, row| rows[row].0, payloads, &of_row, |_| 1).0;
        let coded = CodedTable {
            columns: vec![
                CodedColumn::of_texts("q", classes.iter()),
                CodedColumn::of_texts("s", first.iter()),
                CodedColumn::of_texts("u", second.iter()),
            ],
            rows: rows.len(),
        };
        let values: Vec<SensitiveColumn> = ["s", "u"]
            .map(|name| SensitiveColumn {
                missing: vec!["?".into()],
                missing_counts: counts,
                ..SensitiveColumn::texts(name)
            })
            .to_vec();
        for asked in ASKED {
            let Ok(models) = built(&table, asked, &["s", "u"]) else { continue };
            for model in &models {
                let test = model.class_test().expect("a class decides");
                let views = (0..table.tuples() as u32).map(|tuple| class(&table, tuple));
                let found: Vec<(bool, f64)> =
                    views.map(|class| (test.passes(&class), test.attained(&class))).collect();
                // However the table as one class that fails is divided, no fewer rows fail than it says.
                let cells = table.payload_totals();
                let whole = ClassView { size: total(&cells), cells: &cells, payloads: table.payloads() };
                let failing: u64 =
                    (0..).zip(&found).filter(|(_, (passes, _))| !passes).map(|(tuple, _)| table.weight(tuple)).sum();
                if model.monotonicity().merging && !test.passes(&whole) {
                    prop_assert!(test.failing_part(&whole) <= failing, "{} {}", asked, failing);
                }
                let mut parameters = model.claim();
                let name = parameters.shift_remove("model").expect("its name");
                let name = name.as_str().expect("a text").to_owned();
                let mut columns = vec![];
                for name in ["s", "u"] {
                    columns.push(ReferenceColumn::count(&coded, name).expect("a column"));
                }
                if let Some(names) = model.joint() {
                    columns.push(ReferenceColumn::count_joint(&coded, names, &values, &scumble_files::Control::default()).expect("columns"));
                }
                let reference = Reference { columns };
                let claim = Claim {
                    quasi: vec!["q".into()],
                    models: vec![ModelClaim { name, parameters }],
                    star: StarRows::Judged,
                    values: values.clone(),
                };
                let outcome = match check_models(&coded, &claim, Some(&reference)) {
                    Ok(outcome) => outcome,
                    // Nobody has a value: nothing to compare with, and the library refuses before it searches.
                    Err(_) => {
                        let whole = table.payload_totals();
                        let whole = ClassView { size: total(&whole), cells: &whole, payloads: table.payloads() };
                        prop_assert!(model.check_feasible(&whole).is_err(), "{}", asked);
                        continue;
                    }
                };
                let judged = &outcome.models[0];
                prop_assert_eq!(judged.holds, found.iter().all(|(passes, _)| *passes), "{} {:?}", asked, judged);
                let worst = found.iter().map(|(_, attained)| *attained);
                let worst = if model.larger_is_better() {
                    worst.fold(f64::INFINITY, f64::min)
                } else {
                    worst.fold(f64::NEG_INFINITY, f64::max)
                };
                let attained = judged.attained.expect("a class");
                prop_assert!(
                    attained == worst || (attained - worst).abs() < 1e-9,
                    "{} {} {}", asked, attained, worst
                );
            }
        }
    }
}

/// Two spellings of one value may stand in one category. In two categories they are a mistake.
#[test]
fn categories_know_spellings() {
    let (mut ill, codes) = column("ill", &["hiv", "flu"], false);
    ill.reading.form = Some(crate::table::normal::Form::of(Kind::Text, ["hiv", "flu"].into_iter()));
    let (payloads, of_row) = Payloads::of_rows(vec![ill], 2, |_, row| codes[row]);
    let table = FrequencyTable::count(&[1], 2, |_, _| 0, payloads, &of_row, |_| 1).0;
    let asked = |categories: &str| format!("model = 'p_sensitive'\np = 1\ncategories = [{categories}]");
    assert!(built(&table, &asked("'hiv|HIV', 'flu'"), &["ill"]).is_ok());
    let told = built(&table, &asked("'hiv', 'HIV|flu'"), &["ill"]).err().map(|error| error.to_string());
    assert!(told.as_ref().is_some_and(|told| told.contains("'HIV' is in two")), "{told:?}");
}

#[test]
fn a_missing_value_is_none() {
    let (ill, codes) = column("ill", &["hiv", "?", "hiv", "flu"], false);
    let (payloads, of_row) = Payloads::of_rows(vec![ill], 4, |_, row| codes[row]);
    let table = FrequencyTable::count(&[2], 4, |_, row| u32::from(row > 1), payloads, &of_row, |_| 1).0;
    let model = models(&table, "model = \"l_diversity\"\nl = 2", &["ill"]).remove(0);
    let test = model.class_test().expect("a class decides");
    assert_eq!([0, 1].map(|of| test.attained(&class(&table, of))), [1.0, 2.0]);
    assert_eq!((model.required(), model.larger_is_better()), (2.0, true));
    let shares = models(&table, "model = \"alpha_k\"\nalpha = 0.5", &["ill"]).remove(0);
    let test = shares.class_test().expect("a class decides");
    assert_eq!([0, 1].map(|of| test.attained(&class(&table, of))), [1.0, 0.5]);
}
