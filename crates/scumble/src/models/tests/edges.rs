//! The ends of what may be asked for, and the places where counting goes wrong first.

use proptest::prelude::*;

use super::*;
use crate::models::on_set::OnSet;
use crate::table::frequency::merged;

#[test]
fn the_least_that_may_be_asked_for_is_accepted() {
    let table = running_example();
    for asked in [
        "model = 'k_anonymity'\nk = 1",
        "model = 'l_diversity'\nl = 1",
        "model = 'l_diversity'\nvariant = 'entropy'\nl = 1",
        "model = 'l_diversity'\nvariant = 'recursive'\nl = 2\nc = 0.001",
        "model = 'lkc'\nl = 1\nk = 1\nc = 0.001",
        "model = 'k_uncertainty'\nk = 1",
        "model = 'p_sensitive'\np = 1\nk = 1",
        "model = 'xy_anonymity'\nk = 1\ny = 'disease'",
        "model = 'xy_linkability'\nh = 1\ny = 'disease'",
        "model = 'alpha_k'\nk = 1\nalpha = 1",
        "model = 't_closeness'\nt = 0",
        "model = 'average_risk'\naverage = 1\nhighest = 1\nat_risk = 0",
    ] {
        models(&table, asked, &["disease"]);
    }
    for (asked, wish) in [
        ("model = 'lkc'\nk = 0", "k must be a whole number of at least 1, not 0"),
        ("model = 'k_uncertainty'\nk = 0", "k must be a whole number of at least 1, not 0"),
        ("model = 'xy_anonymity'\nk = 0\ny = 'disease'", "k must be a whole number of at least 1, not 0"),
        // A value that no row has, in two categories.
        (
            "model = 'p_sensitive'\np = 1\ncategories = ['hiv|cancer|zoster', 'flu|asthma|zoster']",
            "'zoster' is in two",
        ),
    ] {
        let told =
            built(&table, asked, &["disease"]).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(told.contains(wish), "{asked}: {told}");
    }
}

/// A class must lose its rows until what is left is near enough: all x of two equally frequent values, one hiv of E1.
#[test]
fn rows_that_keep_a_class_too_far() {
    let part = |table: &FrequencyTable, asked: &str| {
        models(table, asked, &["disease"])[0].class_test().expect("a test").failing_part(&class(table, 0))
    };
    let rows: [(u32, &[&str]); 6] =
        [(0, &["x"]), (0, &["x"]), (0, &["x"]), (1, &["y"]), (1, &["y"]), (1, &["y"])];
    let apart = counted(&["disease"], &rows, false);
    for distance in ["equal", "ordered"] {
        assert_eq!(part(&apart, &format!("model = 't_closeness'\nt = 0\ndistance = '{distance}'")), 3);
    }
    // Σ |9 c − 4 o| is 12, of which a row takes 12 at most: twice the 6 rows that have neither cancer nor hiv.
    assert_eq!(part(&running_example(), "model = 't_closeness'\nt = 0\ndistance = 'equal'"), 1);
}

#[test]
fn a_column_of_one_value_is_at_no_distance() {
    let rows: [(u32, &[&str]); 2] = [(0, &["flu"]), (1, &["flu"])];
    let table = counted(&["disease"], &rows, false);
    for distance in ["equal", "ordered"] {
        let model =
            &models(&table, &format!("model = 't_closeness'\nt = 0\ndistance = '{distance}'"), &["disease"])
                [0];
        let test = model.class_test().expect("a test");
        assert_eq!(
            (test.attained(&class(&table, 0)), test.passes(&class(&table, 0))),
            (0.0, true),
            "{distance}"
        );
    }
}

/// The tree is deepest below its first child: of a, b (three steps below the root) and c (one step) the class has a and c. One
/// sixth is moved from a to b, a third of the way, and one sixth from c to b all the way.
#[test]
fn distances_in_a_ragged_tree() {
    let rows: [(u32, &[&str]); 3] = [(0, &["a"]), (0, &["c"]), (1, &["b"])];
    let table = counted(&["s"], &rows, false);
    let ragged = tree("a;x;u;any\nb;x;u;any\nc;any\n");
    let spec: ModelSpec =
        toml::from_str("model = 't_closeness'\nt = 0.2\ndistance = 'hierarchical'").expect("a model");
    let trees = |_: &str| Some(&ragged);
    let sensitive = ["s".to_owned()];
    let context = ModelContext { table: &table, trees: &trees, columns: &[], sensitive: &sensitive };
    let entry = MODELS.find("t_closeness").expect("a registered model");
    let model = build(entry, &spec.parameters, &context).expect("a model").remove(0);
    let attained = model.class_test().expect("a test").attained(&class(&table, 0));
    assert!((attained - (1.0 / 18.0 + 1.0 / 6.0)).abs() < 1e-12, "{attained}");
}

/// What a column is given are all the other sensitive ones, also where the model names only one; a tuple fails as one value does.
#[test]
fn named_columns_among_several() {
    let rows: [(u32, &[&str]); 4] = [(0, &["a", "x"]), (0, &["a", "x"]), (0, &["b", "y"]), (0, &["b", "y"])];
    let table = counted(&["s", "r"], &rows, false);
    let given =
        models(&table, "model = 'l_diversity'\nl = 2\nmode = 'conditional'\ncolumns = ['s']", &["s", "r"]);
    assert_eq!(
        given.iter().map(|model| model.title()).collect::<Vec<_>>(),
        ["distinct 2-diversity of s given r"]
    );
    let joint = models(&table, "model = 'l_diversity'\nl = 3\nmode = 'joint'", &["s", "r"]).remove(0);
    let test = joint.class_test().expect("a test");
    assert!(!test.passes(&class(&table, 0)) && test.failing_part(&class(&table, 0)) == 4);
    let table = running_example();
    let weight = "model = 'p_sensitive'\np = 1\nalpha = 2\ncategories = ['hiv|cancer', 'flu|asthma']";
    assert_eq!(models(&table, weight, &["disease"])[1].title(), "values of disease that weigh at least 2");
}

/// On a set of its own a model may break when classes of all columns are dropped; on all columns it is what it was.
#[test]
fn models_on_a_set_of_columns() {
    let table = running_example();
    let on = |columns: Vec<usize>| {
        OnSet::new(models(&table, "model = 'k_anonymity'\nk = 5", &[]).remove(0), columns, &["q", "z"])
    };
    let (one, both) = (on(vec![1]), on(vec![1, 0]));
    assert_eq!(
        (one.on(), both.on()),
        (Some(&["z".to_owned()][..]), Some(&["q".to_owned(), "z".to_owned()][..]))
    );
    assert_eq!((one.monotonicity().dropping, both.monotonicity().dropping), (false, true));
    assert!(one.larger_is_better() && one.monotonicity().merging && one.required() == 5.0);
    assert_eq!(one.projections(&[0, 1]), [[1]]);
    assert_eq!(Json::from(one.claim()), json!({"model": "k_anonymity", "k": 5, "quasi": ["z"]}));
}

proptest! {
    /// However a class is divided that is too far from the table, no fewer rows are in parts that are too far than it says.
    #[test]
    fn parts_of_a_class_that_is_too_far(
        rows in proptest::collection::vec((0_u32..3, 0_usize..4), 2..12),
        others in proptest::collection::vec(0_usize..4, 0..12),
    ) {
        let value = |of: usize| [["asthma"], ["cancer"], ["flu"], ["hiv"]][of];
        let texts: Vec<(u32, [&str; 1])> = rows.iter().map(|row| (row.0, value(row.1))).collect();
        let rest = others.iter().map(|of| (3, value(*of)));
        let texts: Vec<(u32, [&str; 1])> = texts.into_iter().chain(rest).collect();
        let lines: Vec<(u32, &[&str])> = texts.iter().map(|(class, texts)| (*class, &texts[..])).collect();
        let table = counted(&["disease"], &lines, false);
        let parts: Vec<u32> = (0..table.tuples() as u32).filter(|of| table.column(0).get(*of as usize) < 3).collect();
        let cells = merged(parts.iter().flat_map(|tuple| table.cells(*tuple)).copied().collect());
        let whole = ClassView { size: total(&cells), cells: &cells, payloads: table.payloads() };
        for (distance, t) in [("equal", "0.2"), ("ordered", "0.1"), ("ordered", "0.3"), ("hierarchical", "0.1"), ("hierarchical", "0.3")] {
            let asked = format!("model = 't_closeness'\ndistance = '{distance}'\nt = {t}");
            let model = models(&table, &asked, &["disease"]).remove(0);
            let test = model.class_test().expect("a test");
            let failing = parts.iter().filter(|of| !test.passes(&class(&table, **of)));
            let failing: u64 = failing.map(|of| table.weight(*of)).sum();
            prop_assert!(test.passes(&whole) || test.failing_part(&whole) <= failing, "{} {}", asked, failing);
        }
    }
}
