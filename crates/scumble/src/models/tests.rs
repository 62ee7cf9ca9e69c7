//! Every model on small tables, with figures by hand: what it asks for, what classes attain, and what it says where not even
//! the whole table will do.

mod edges;
mod missing;
mod published;
mod words;

use serde_json::{Value as Json, json};

use super::*;
use crate::config::ModelSpec;
use crate::registry::MODELS;
use crate::search::algorithms::made::tree;
use crate::table::hierarchy::Hierarchy;
use crate::table::kind::{Kind, Measure};
use crate::table::payload::PayloadColumn;

/// Rows of classes and of texts in some columns; `cost` holds whole numbers. People are in the column `who`, where it is said.
fn counted(columns: &[&str], rows: &[(u32, &[&str])], persons: bool) -> FrequencyTable {
    let of_column = |place: usize| {
        let mut values: Vec<&str> = rows.iter().map(|(_, texts)| texts[place]).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let values: Vec<Vec<&str>> = (0..columns.len()).map(of_column).collect();
    let payload = |(name, values): (&&str, &Vec<&str>)| PayloadColumn {
        name: (*name).to_owned(),
        values: values.iter().copied().collect(),
        measure: Measure { kind: if *name == "cost" { Kind::Integer } else { Kind::Text }, scale: 0 },
        missing: Vec::new(),
        reading: Default::default(),
    };
    let payloads = columns.iter().zip(&values).map(payload).collect();
    let code = |column: usize, row: usize| {
        values[column].iter().position(|value| *value == rows[row].1[column]).expect("its value") as u32
    };
    let (payloads, of_row) = Payloads::of_rows(payloads, rows.len(), code);
    let person = columns.iter().position(|name| *name == "who").filter(|_| persons);
    let payloads = payloads.with_person(person);
    FrequencyTable::count(&[4], rows.len(), |_, row| rows[row].0, payloads, &of_row, |_| 1).0
}

/// T1 of models.md: E1 = {flu, flu, cancer, hiv}, E2 = {flu, flu, flu, cancer, asthma}.
fn running_example() -> FrequencyTable {
    let values = ["flu", "flu", "cancer", "hiv", "flu", "flu", "flu", "cancer", "asthma"];
    let rows: Vec<(u32, Vec<&str>)> =
        values.iter().enumerate().map(|(row, value)| (u32::from(row > 3), vec![*value])).collect();
    let rows: Vec<(u32, &[&str])> = rows.iter().map(|(class, texts)| (*class, &texts[..])).collect();
    counted(&["disease"], &rows, false)
}

fn diseases() -> Hierarchy {
    tree("asthma;lung;any\ncancer;lung;any\nflu;virus;any\nhiv;virus;any\n")
}

fn built(table: &FrequencyTable, asked: &str, sensitive: &[&str]) -> Result<Vec<Box<dyn Model>>> {
    let spec: ModelSpec = toml::from_str(asked).expect("a model");
    let sensitive: Vec<String> = sensitive.iter().map(|name| (*name).to_owned()).collect();
    let tree = diseases();
    // Models keep what they need of a tree.
    let trees = |name: &str| (name == "disease").then_some(&tree);
    let context = ModelContext { table, trees: &trees, columns: &spec.columns, sensitive: &sensitive };
    build(MODELS.find(&spec.model).expect("a registered model"), &spec.parameters, &context)
}

fn models(table: &FrequencyTable, asked: &str, sensitive: &[&str]) -> Vec<Box<dyn Model>> {
    built(table, asked, sensitive).unwrap_or_else(|error| panic!("{asked}: {error}"))
}

fn class(table: &FrequencyTable, tuple: u32) -> ClassView<'_> {
    ClassView { size: table.weight(tuple), cells: table.cells(tuple), payloads: table.payloads() }
}

/// What a model says about the whole table as one class.
fn infeasible(table: &FrequencyTable, asked: &str, sensitive: &[&str]) -> String {
    let cells = table.payload_totals();
    let whole = ClassView { size: table.rows(), cells: &cells, payloads: table.payloads() };
    let of_model = |model: &dyn Model| model.check_feasible(&whole).err().map(|error| error.to_string());
    models(table, asked, sensitive).iter().find_map(|model| of_model(&**model)).unwrap_or_default()
}

/// What a model should be: its claim, what it requires and whether larger is better, what pruning may rely on (merging,
/// dropping, upward), and for both classes the figure and whether it passes.
struct Expected {
    claim: Json,
    required: (f64, bool),
    pruning: [bool; 3],
    classes: [(f64, bool); 2],
}

fn check(table: &FrequencyTable, asked: &str, sensitive: &[&str], expected: &[Expected]) {
    let models = models(table, asked, sensitive);
    assert_eq!(models.len(), expected.len(), "{asked}");
    for (model, expected) in models.iter().zip(expected) {
        assert_eq!(Json::from(model.claim()), expected.claim, "{asked}");
        assert!((model.required() - expected.required.0).abs() < 1e-12, "{asked}: {}", model.required());
        assert_eq!(model.larger_is_better(), expected.required.1, "{asked}");
        let Monotonicity { merging, dropping, upward } = model.monotonicity();
        assert_eq!([merging, dropping, upward], expected.pruning, "{asked}");
        let test = model.class_test().expect("one class decides");
        for (tuple, (figure, passes)) in (0..).zip(expected.classes) {
            let class = class(table, tuple);
            let attained = test.attained(&class);
            assert!(
                attained == figure || (attained - figure).abs() < 1e-6,
                "{asked}: {attained} for {figure}"
            );
            assert_eq!(test.passes(&class), passes, "{asked}");
        }
    }
}

const ALL: [bool; 3] = [true, true, true];
const NOT_UPWARD: [bool; 3] = [true, true, false];

#[test]
fn sizes_and_different_values_of_the_running_example() {
    let table = running_example();
    let check = |asked: &str, claim: Json, required: f64, classes: [(f64, bool); 2]| {
        check(
            &table,
            asked,
            &["disease"],
            &[Expected { claim, required: (required, true), pruning: ALL, classes }],
        );
    };
    let values = [(3.0, true), (3.0, true)];
    check(
        "model = 'k_anonymity'\nk = 5",
        json!({"model": "k_anonymity", "k": 5}),
        5.0,
        [(4.0, false), (5.0, true)],
    );
    check(
        "model = 'l_diversity'\nl = 3",
        json!({"model": "l_diversity", "column": "disease", "variant": "distinct", "l": 3}),
        3.0,
        values,
    );
    check(
        "model = 'p_sensitive'\np = 3",
        json!({"model": "p_sensitive", "column": "disease", "p": 3}),
        3.0,
        values,
    );
    check(
        "model = 'xy_anonymity'\ny = ['disease', 'disease']\nk = 3",
        json!({"model": "xy_anonymity", "column": "disease", "k": 3}),
        3.0,
        values,
    );
    check(
        "model = 'k_uncertainty'\nk = 4",
        json!({"model": "k_uncertainty", "column": "disease", "k": 4}),
        4.0,
        [(3.0, false), (3.0, false)],
    );
}

/// models.md 1.2, 1.3, 1.6: largest shares of 1/2 and 3/5.
#[test]
fn shares_of_the_running_example() {
    let table = running_example();
    let check = |asked: &str, claim: Json, required: (f64, bool), classes: [(f64, bool); 2]| {
        check(&table, asked, &["disease"], &[Expected { claim, required, pruning: NOT_UPWARD, classes }]);
    };
    let l = |variant: &str, more: Json| {
        let mut claim = json!({"model": "l_diversity", "column": "disease", "variant": variant});
        let more = more.as_object().cloned().unwrap_or_default();
        claim.as_object_mut().expect("an object").extend(more);
        claim
    };
    check(
        "model = 'l_diversity'\nvariant = 'entropy'\nl = 2.6",
        l("entropy", json!({"l": "2.6"})),
        (2.6, true),
        [(2.828427, true), (2.586409, false)],
    );
    check(
        "model = 'l_diversity'\nvariant = 'frequency'\nl = 2",
        l("frequency", json!({"l": "2"})),
        (2.0, true),
        [(2.0, true), (5.0 / 3.0, false)],
    );
    // Strictly: 3 is not below 3/2 of 2, nor below 3 of 1.
    check(
        "model = 'l_diversity'\nvariant = 'recursive'\nl = 2\nc = 1.5",
        l("recursive", json!({"l": 2, "c": "1.5"})),
        (1.5, false),
        [(1.0, true), (1.5, false)],
    );
    check(
        "model = 'l_diversity'\nvariant = 'recursive'\nl = 3\nc = 3",
        l("recursive", json!({"l": 3, "c": "3"})),
        (3.0, false),
        [(2.0, true), (3.0, false)],
    );
    check(
        "model = 'alpha_k'\nalpha = 0.5",
        json!({"model": "alpha_k", "column": "disease", "alpha": "0.5"}),
        (0.5, false),
        [(0.5, true), (0.6, false)],
    );
    // 1/4 is 5/4 of a fifth; E2 has no hiv.
    check(
        "model = 'alpha_k'\nalphas = ['hiv=0.2']",
        json!({"model": "alpha_k", "column": "disease", "alphas": [["hiv", "0.2"]]}),
        (1.0, false),
        [(1.25, false), (0.0, true)],
    );
    check(
        "model = 'xy_linkability'\ny = ['disease']\nh = 0.5",
        json!({"model": "xy_linkability", "column": "disease", "h": "0.5"}),
        (0.5, false),
        [(0.5, true), (0.6, false)],
    );
    check(
        "model = 'xy_linkability'\ny = ['disease']\nh = 0.2\nvalues = ['hiv']",
        json!({"model": "xy_linkability", "column": "disease", "h": "0.2", "values": ["hiv"]}),
        (0.2, false),
        [(0.25, false), (0.0, true)],
    );
}

/// The whole has asthma 1/9, cancer 2/9, flu 5/9, hiv 1/9. E1 is off by −4, 1, −2, 5 of 36, E2 by 4, −1, 2, −5 of 45.
#[test]
fn distances_and_growth_in_the_running_example() {
    let table = running_example();
    let check = |asked: &str, claim: Json, required: f64, classes: [(f64, bool); 2]| {
        let expected = Expected { claim, required: (required, false), pruning: NOT_UPWARD, classes };
        check(&table, asked, &["disease"], &[expected]);
    };
    check(
        "model = 't_closeness'\nt = 0.15",
        json!({"model": "t_closeness", "column": "disease", "t": "0.15", "distance": "equal"}),
        0.15,
        [(6.0 / 36.0, false), (6.0 / 45.0, true)],
    );
    // Counted up: 4, 3 and 5 of 36, and of 45, in three steps.
    let order = ["asthma", "cancer", "flu", "hiv"];
    check(
        "model = 't_closeness'\nt = 0.1\ndistance = 'ordered'",
        json!({"model": "t_closeness", "column": "disease", "t": "0.1", "distance": "ordered", "order": order}),
        0.1,
        [(12.0 / 108.0, false), (12.0 / 135.0, true)],
    );
    // Within lungs 1 is moved half the way, within viruses 2, and 3 all the way.
    let paths = [
        ["asthma", "lung", "any"],
        ["cancer", "lung", "any"],
        ["flu", "virus", "any"],
        ["hiv", "virus", "any"],
    ];
    check(
        "model = 't_closeness'\nt = 0.11\ndistance = 'hierarchical'",
        json!({"model": "t_closeness", "column": "disease", "t": "0.11", "distance": "hierarchical", "tree": paths}),
        0.11,
        [(4.5 / 36.0, false), (4.5 / 45.0, true)],
    );
    for variant in ["basic", "enhanced"] {
        check(
            &format!("model = 'beta_likeness'\nbeta = 1\nvariant = '{variant}'"),
            json!({"model": "beta_likeness", "column": "disease", "beta": "1", "variant": variant}),
            1.0,
            [(1.25, false), (0.8, true)],
        );
    }
    check(
        "model = 'delta_disclosure'\ndelta = 9",
        json!({"model": "delta_disclosure", "column": "disease", "delta": "9"}),
        9.0,
        [(f64::INFINITY, false), (f64::INFINITY, false)],
    );
}

/// Enhanced likeness bounds the growth of a share p by −ln p: all flu grows by 4/5, above −ln(5/9) = 0.588, whatever beta is.
#[test]
fn enhanced_likeness_is_unbounded_where_no_beta_would_do() {
    let rows: [(u32, &[&str]); 4] = [(0, &["flu"]), (0, &["flu"]), (1, &["hiv"]), (1, &["flu"])];
    let table = counted(&["disease"], &rows, false);
    let model = &models(&table, "model = 'beta_likeness'\nbeta = 9\nvariant = 'enhanced'", &["disease"])[0];
    let test = model.class_test().expect("a test");
    // Flu from 3/4 to 1 grows by 1/3, above −ln 3/4 = 0.288; hiv from 1/4 to 1/2 by 1, below −ln 1/4 = 1.386.
    assert_eq!(test.attained(&class(&table, 0)), f64::INFINITY);
    assert!((test.attained(&class(&table, 1)) - 1.0).abs() < 1e-12);
    assert!(!test.passes(&class(&table, 0)) && test.passes(&class(&table, 1)));
    // Where every class has every value as often, no delta is too small; e.g. ln 2 for hiv, and for flu ln 3/2.
    let model = &models(&table, "model = 'delta_disclosure'\ndelta = 0.7", &["disease"])[0];
    let test = model.class_test().expect("a test");
    assert!((test.attained(&class(&table, 1)) - std::f64::consts::LN_2).abs() < 1e-12);
    assert!(test.passes(&class(&table, 1)) && !test.passes(&class(&table, 0)));
}

/// models.md 1.5: {30, 31, 32} has three values in a range of 2, {30, 50, 80} in one of 50.
#[test]
fn numbers_and_categories() {
    let costs = ["30", "31", "32", "30", "50", "80"];
    let rows: Vec<(u32, [&str; 1])> = (0..6).map(|row| (u32::from(row > 2), [costs[row as usize]])).collect();
    let rows: Vec<(u32, &[&str])> = rows.iter().map(|(class, texts)| (*class, &texts[..])).collect();
    let table = counted(&["cost"], &rows, false);
    let asked = |count: &str| format!("model = 'k_e'\nk = 3\ne = 10\ncount = '{count}'");
    for count in ["distinct", "rows"] {
        let k = Expected {
            claim: json!({"model": "k_e", "column": "cost", "k": 3, "count": count}),
            required: (3.0, true),
            pruning: ALL,
            classes: [(3.0, true), (3.0, true)],
        };
        let e = Expected {
            claim: json!({"model": "k_e", "column": "cost", "e": "10", "comma": false}),
            required: (10.0, true),
            pruning: ALL,
            classes: [(2.0, false), (50.0, true)],
        };
        check(&table, &asked(count), &["cost"], &[k, e]);
    }
    assert_eq!(
        infeasible(&table, "model = 'k_e'\nk = 6\ne = 10", &["cost"]),
        "at least 6 different values of cost cannot be met: not even the whole table as one group has it; ask for k = 5, \
         the largest possible"
    );
    assert!(
        infeasible(&table, "model = 'k_e'\nk = 2\ne = 51", &["cost"])
            .ends_with("ask for e = 50, the largest possible")
    );

    // hiv and cancer weigh nothing, flu and asthma 1 each.
    let table = running_example();
    let categories = [["hiv", "cancer"], ["flu", "asthma"]];
    for (over, weights) in [("distinct", [(1.0, false), (2.0, true)]), ("rows", [(2.0, true), (4.0, true)])] {
        let asked = format!(
            "model = 'p_sensitive'\np = 2\nalpha = 2\nweight_over = '{over}'\ncategories = ['hiv|cancer', 'flu|asthma']"
        );
        let p = Expected {
            claim: json!({"model": "p_sensitive", "column": "disease", "p": 2, "categories": categories}),
            required: (2.0, true),
            pruning: ALL,
            classes: [(2.0, true), (2.0, true)],
        };
        let claim = json!({
            "model": "p_sensitive", "column": "disease", "alpha": "2", "categories": categories, "weight_over": over
        });
        let weight = Expected { claim, required: (2.0, true), pruning: ALL, classes: weights };
        check(&table, &asked, &["disease"], &[p, weight]);
    }
    // Three categories are not there, and all values together weigh 2.
    let asked = |p: u32, alpha: u32| {
        format!("model = 'p_sensitive'\np = {p}\nalpha = {alpha}\ncategories = ['hiv|cancer', 'flu|asthma']")
    };
    assert!(infeasible(&table, &asked(3, 1), &["disease"]).ends_with("ask for p = 2, the largest possible"));
    assert!(
        infeasible(&table, &asked(2, 3), &["disease"]).ends_with("ask for alpha = 2, the largest possible")
    );
    assert_eq!(infeasible(&table, &asked(2, 2), &["disease"]), "");
    let wrong = built(&table, "model = 'p_sensitive'\np = 2\nalpha = 1", &["disease"]);
    assert!(wrong.err().expect("no categories").to_string().contains("need categories"));
}

#[test]
fn combinations_have_enough_rows_or_weights() {
    let rows = Expected {
        claim: json!({"model": "threshold_rule", "size": 1, "least": "5"}),
        required: (5.0, true),
        pruning: [true, false, true],
        classes: [(4.0, false), (5.0, true)],
    };
    check(&running_example(), "model = 'threshold_rule'\nsize = 1\nleast = 5", &["disease"], &[rows]);
    // 5 + 60 + 7
    let weighted = counted(&["cost"], &[(0, &["5"]), (0, &["60"]), (1, &["7"])], false);
    let asked = |least: &str| {
        infeasible(
            &weighted,
            &format!("model = 'threshold_rule'\nsize = 1\nleast = {least}\nweight = 'cost'"),
            &[],
        )
    };
    assert_eq!(asked("71.5"), "");
    assert!(asked("72.1").ends_with("ask for least = 72, the largest possible"), "{}", asked("72.1"));
    let wrong = |table: &FrequencyTable, more: &str| {
        let built = built(table, &format!("model = 'threshold_rule'\n{more}"), &[]);
        built.err().expect("it is refused").to_string()
    };
    assert!(wrong(&weighted, "least = 2").contains("needs size"));
    assert!(wrong(&weighted, "size = 1").contains("needs least"));
    assert!(wrong(&weighted, "size = 1\nleast = 0.5").contains("no whole number"));
    assert!(wrong(&weighted, "size = 1\nleast = 2\nweight = 'w'").contains("published as it is"));
    let negative = counted(&["cost"], &[(0, &["5"]), (0, &["-1"])], false);
    assert!(wrong(&negative, "size = 1\nleast = 2\nweight = 'cost'").contains("some are negative"));
    let texts = counted(&["letter"], &[(0, &["a"]), (0, &["b"])], false);
    assert!(wrong(&texts, "size = 1\nleast = 2\nweight = 'letter'").contains("does not hold numbers"));
}

#[test]
fn groups_of_columns_that_somebody_knows() {
    let table = running_example();
    let size = Expected {
        claim: json!({"model": "lkc", "l": 1, "k": 5}),
        required: (5.0, true),
        pruning: [true, false, true],
        classes: [(4.0, false), (5.0, true)],
    };
    let share = Expected {
        claim: json!({"model": "lkc", "l": 1, "column": "disease", "c": "0.5"}),
        required: (0.5, false),
        pruning: [true, false, false],
        classes: [(0.5, true), (0.6, false)],
    };
    check(&table, "model = 'lkc'\nl = 1\nk = 5\nc = 0.5", &["disease"], &[size, share]);
    let asked =
        |k: u32, c: &str| infeasible(&table, &format!("model = 'lkc'\nk = {k}\nc = {c}"), &["disease"]);
    assert!(asked(10, "0.9").ends_with("ask for k = 9, the largest possible"), "{}", asked(10, "0.9"));
    // 5/9 = 0.5555…, rounded up.
    assert!(asked(9, "0.5").ends_with("ask for c = 0.5556, the smallest possible"), "{}", asked(9, "0.5"));
    assert_eq!(asked(9, "0.5556"), "");
}

#[test]
fn the_nearest_value_that_is_possible() {
    let table = running_example();
    for (asked, nearest) in [
        (
            "model = 'k_anonymity'\nk = 10",
            "k = 10 is more than the 9 rows of the table; ask for the largest possible k ([[privacy]] k = 9)",
        ),
        ("model = 'l_diversity'\nl = 5", "; ask for the largest possible l ([[privacy]] l = 4)"),
        // exp of the entropy: (1/9)^(−2/9) · (2/9)^(−2/9) · (5/9)^(−5/9) = 3.1552.
        (
            "model = 'l_diversity'\nvariant = 'entropy'\nl = 4",
            "; ask for the largest possible l ([[privacy]] l = 3.1552)",
        ),
        (
            "model = 'l_diversity'\nvariant = 'frequency'\nl = 2",
            "; ask for the largest possible l ([[privacy]] l = 1.8)",
        ),
        (
            "model = 'l_diversity'\nvariant = 'recursive'\nl = 3\nc = 2",
            "; ask for a c above 2.5 ([[privacy]] c)",
        ),
        (
            "model = 'l_diversity'\nvariant = 'recursive'\nl = 5\nc = 3",
            "; ask for the largest possible l ([[privacy]] l = 3)",
        ),
        (
            "model = 'l_diversity'\nvariant = 'recursive'\nl = 5\nc = 1",
            "no l is possible with this c; ask for l = 2 with a c above 1.25 ([[privacy]] c)",
        ),
        ("model = 'alpha_k'\nalpha = 0.5", "; ask for alpha = 0.5556, the smallest possible"),
        (
            "model = 'alpha_k'\nalpha = 0.5\nalphas = ['hiv=0.1', 'cancer=0.3']",
            "; allow a share of 0.1112 for 'hiv' and an alpha of 0.5556 for the other values, the smallest possible",
        ),
        (
            "model = 'alpha_k'\nalphas = ['hiv=0.1']",
            "; allow a share of 0.1112 for 'hiv', the smallest possible",
        ),
        ("model = 'p_sensitive'\np = 5", "; ask for p = 4, the largest possible"),
        ("model = 'xy_anonymity'\ny = 'disease'\nk = 5", "; ask for k = 4, the largest possible"),
        ("model = 'xy_linkability'\ny = 'disease'\nh = 0.1", "; ask for h = 0.5556, the smallest possible"),
        ("model = 'k_uncertainty'\nk = 5", "; ask for k = 4, the largest possible"),
        ("model = 'average_risk'\naverage = 0.1", "; ask for average = 0.111112, the smallest possible"),
        ("model = 'average_risk'\nhighest = 0.1", "; ask for highest = 0.111112, the smallest possible"),
        // The whole is at distance 0 from itself, and nothing grows.
        ("model = 't_closeness'\nt = 0", ""),
        ("model = 'beta_likeness'\nbeta = 0.001", ""),
        ("model = 'delta_disclosure'\ndelta = 0.001", ""),
    ] {
        let told = infeasible(&table, asked, &["disease"]);
        assert!(told.ends_with(nearest) && told.is_empty() == nearest.is_empty(), "{asked}: {told}");
    }
    let same: [(u32, &[&str]); 2] = [(0, &["flu"]), (1, &["flu"])];
    let asked = "model = 'l_diversity'\nvariant = 'recursive'\nl = 2\nc = 9";
    let told = infeasible(&counted(&["disease"], &same, false), asked, &["disease"]);
    assert!(told.ends_with("no l and c are possible, since all rows have one value"), "{told}");
}

#[test]
fn illegal_values_are_told_with_the_legal_ones() {
    let table = running_example();
    for (asked, wish) in [
        (
            "model = 'k_anonymity'\nk = 0",
            "model 'k_anonymity': k must be a whole number of at least 1, not 0",
        ),
        ("model = 'k_anonymity'", "needs k; give a value for k ([[privacy]] k = 5)"),
        (
            "model = 'l_diversity'\nvariant = 'recursive'\nl = 1\nc = 1",
            "l must be a whole number of at least 2, not 1",
        ),
        ("model = 'l_diversity'\nvariant = 'recursive'\nl = 2\nc = 0", "c must be a number above 0, not 0"),
        ("model = 'l_diversity'\nvariant = 'entropy'\nl = 0.9", "l must be a number of at least 1, not 0.9"),
        (
            "model = 'alpha_k'\nalpha = 0",
            "model 'alpha_k': alpha must be a number above 0 and at most 1, not 0",
        ),
        ("model = 'alpha_k'\nalphas = ['hiv=0']", "a share above 0 and at most 1"),
        ("model = 'alpha_k'\nalphas = ['hiv=1.1']", "a share above 0 and at most 1"),
        ("model = 't_closeness'\nt = 1.1", "model 't_closeness': t must be a number from 0 to 1, not 1.1"),
        ("model = 'beta_likeness'\nbeta = 0", "model 'beta_likeness': beta must be a number above 0, not 0"),
        ("model = 'delta_disclosure'\ndelta = 0", "delta must be a number above 0, not 0"),
        ("model = 'xy_linkability'\ny = 'disease'\nh = 0", "h must be a number above 0 and at most 1, not 0"),
        ("model = 'lkc'\nk = 2\nc = 0", "c must be a number above 0 and at most 1, not 0"),
        ("model = 'lkc'\nl = 0\nk = 2", "l must be a whole number of at least 1, not 0"),
        ("model = 'personalised'\np_breach = 0", "p_breach must be a number above 0 and at most 1, not 0"),
        ("model = 'average_risk'\naverage = 0", "average must be a number above 0 and at most 1, not 0"),
        ("model = 'average_risk'\nhighest = 2", "highest must be a number above 0 and at most 1, not 2"),
        ("model = 'p_sensitive'\np = 3\nk = 2", "p is at most k"),
        ("model = 'k_map'\nk = 3", "give the table of these people"),
        (
            "model = 'delta_presence'\ndelta_min = 0.5\ndelta_max = 0.4",
            "; ask for delta_min = 0.4, the largest possible",
        ),
        (
            "model = 'multirelational'\nk = 2",
            "; say which column tells persons apart ([columns.NAME] role = \"subject\")",
        ),
    ] {
        let told =
            built(&table, asked, &["disease"]).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(told.contains(wish), "{asked}: {told}");
    }
}

/// How many rows must fail at least, however a class that fails is divided.
#[test]
fn the_least_part_that_fails() {
    let table = running_example();
    let part = |asked: &str| {
        let models = models(&table, asked, &["disease"]);
        let test = models[0].class_test().expect("a test");
        [0, 1].map(|tuple| test.failing_part(&class(&table, tuple)))
    };
    assert_eq!(part("model = 'l_diversity'\nl = 4"), [4, 5]);
    // Of E2 one flu must go for 2 of 4; for l = 2.5 two, which leaves 1 of 3 (one leaves 2 of 4).
    assert_eq!(part("model = 'l_diversity'\nvariant = 'frequency'\nl = 2")[1], 1);
    assert_eq!(part("model = 'l_diversity'\nvariant = 'frequency'\nl = 2.5"), [1, 2]);
    // With three values no entropy is above ln 3.
    assert_eq!(part("model = 'l_diversity'\nvariant = 'entropy'\nl = 3.5"), [4, 5]);
    assert_eq!(part("model = 'l_diversity'\nvariant = 'entropy'\nl = 3"), [1, 1]);
    // 2 − f < 1 · 1 and 3 − f < 1 · 1; with c = 1/2 of a tail of 1, 2 − f < 1/2 and 3 − f < 1/2.
    assert_eq!(part("model = 'l_diversity'\nvariant = 'recursive'\nl = 3\nc = 1"), [2, 3]);
    assert_eq!(part("model = 'l_diversity'\nvariant = 'recursive'\nl = 3\nc = 0.5"), [2, 3]);
    assert_eq!(part("model = 'l_diversity'\nvariant = 'recursive'\nl = 4\nc = 9"), [4, 5]);
}

/// However a plan writes the name of a model, it is one model: nothing that is decided by it depends on the spelling.
#[test]
fn names_of_models_have_one_spelling() {
    use crate::models::asked::OverTables;
    for (written, read, over) in [
        ("K-Uncertainty", "k_uncertainty", Some(OverTables::Values)),
        ("MULTIRELATIONAL", "multirelational", Some(OverTables::Persons)),
        ("k-anonymity", "k_anonymity", None),
    ] {
        let lines = format!("[columns.a]\nrole = \"quasi\"\n[[privacy]]\nmodel = \"{written}\"\nk = 2\n");
        let spec = crate::config::Plan::from_toml(
            &format!("input = \"a.csv\"\noutput = \"b.csv\"\n{lines}"),
            "plan",
        )
        .expect("a plan")
        .privacy
        .remove(0);
        assert_eq!((spec.model.as_str(), spec.over_tables()), (read, over));
        assert_eq!(crate::config::ModelSpec::new(written).model, read);
        let by_hand = crate::config::ModelSpec { model: written.to_owned(), ..spec };
        assert_eq!((by_hand.over_tables(), by_hand.is_size_alone()), (over, read == "k_anonymity"));
    }
}
