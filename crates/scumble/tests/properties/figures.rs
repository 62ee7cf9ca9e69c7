//! Metrics: the numbers of models.md 2.1 to 2.5 and 2.8 by hand, and every run recomputed from its strings.

use proptest::prelude::*;
use scumble::config::StarPolicy;
use scumble::problem::{Problem, Progress};
use scumble::recoding::published::Classes;
use scumble::recoding::{Assignment, ClassColumn, Members};
use scumble::registry::METRICS;
use scumble::table::frequency::FrequencyTable;
use scumble::table::hierarchy::{Builder, Domain, Hierarchy, build};
use scumble::table::kind::{Kind, Measure};
use scumble::table::payload::{PayloadColumn, Payloads};
use scumble::table::quasi::{Line, Quasi, Shape, Value};
use scumble_files::table::Codes;

use super::cases_of;
use super::common::cost::{figures, kinds};
use super::common::demand::Demand;
use super::common::grid::{Grid, TEXT};
use super::common::naive::Strings;
use super::common::run::{Ask, release};
use super::common::seeded;

fn measure(name: &str, published: &Classes, problem: &Problem) -> Option<f64> {
    METRICS.find(name).expect("a registered metric").build.measure(published, problem)
}

fn near(found: Option<f64>, expected: f64) {
    assert!(found.is_some_and(|found| (found - expected).abs() < 1e-6), "{found:?} is not {expected}");
}

fn tree(builder: &Builder, values: &[&str]) -> Hierarchy {
    let rows = vec![1; values.len()];
    let domain = Domain {
        name: "c",
        measure: TEXT,
        values,
        rows: &rows,
        first_rows: None,
        missing: None,
        classes: None,
        declared: None,
        form: None,
    };
    build(&builder.clone().into(), &domain).expect("a tree").hierarchy
}

/// Rows of codes in two columns and of a label, and what each of the given classes shows.
fn two_columns(
    quasi: [Quasi; 2],
    rows: &[([u32; 2], &str, usize)],
    shown: &[[Value; 2]],
    suppressed: &[bool],
    models: Vec<Box<dyn scumble::models::Model>>,
) -> (Problem, Classes) {
    let labels: Vec<&str> = rows.iter().map(|(_, label, _)| *label).collect();
    let column = PayloadColumn {
        name: "label".into(),
        values: ["n", "y"].into_iter().collect(),
        measure: TEXT,
        missing: Vec::new(),
        reading: Default::default(),
    };
    let (payloads, of_row) =
        Payloads::of_rows(vec![column], rows.len(), |_, row| u32::from(labels[row] == "y"));
    let sizes = [quasi[0].size(), quasi[1].size()];
    let (table, tuple_of_row) = FrequencyTable::count(
        &sizes,
        rows.len(),
        |column, row| rows[row].0[column],
        payloads,
        &of_row,
        |_| 1,
    );
    let mut class_of_tuple = vec![0; table.tuples()];
    tuple_of_row.iter().zip(rows).for_each(|(tuple, row)| class_of_tuple[*tuple as usize] = row.2 as u32);
    let column = |place: usize| {
        let mut values: Vec<Value> = shown.iter().map(|values| values[place]).collect();
        values.sort_unstable();
        values.dedup();
        let place_of = |shown: &[Value; 2]| values.binary_search(&shown[place]).expect("it is there") as u32;
        let of_class = Codes::narrow(values.len(), &shown.iter().map(place_of).collect::<Vec<_>>());
        ClassColumn { values, of_class }
    };
    let assignment = Assignment {
        members: Members::Tuples(class_of_tuple),
        columns: vec![column(0), column(1)],
        suppressed: suppressed.to_vec(),
    };
    let problem = Problem {
        table,
        quasi: quasi.into(),
        models,
        metric: scumble::metrics::loss::ENTRY.build,
        class: Some(0),
        budget: scumble::problem::Budget::default(),
        seed: 0,
        suppression: scumble::config::Rational::ONE,
        star_policy: StarPolicy::Paper,
        progress: Progress::default(),
    };
    let classes = Classes::new(assignment, &problem.table, &problem.quasi, StarPolicy::Paper);
    (problem, classes)
}

fn quasi(shape: Shape) -> Quasi {
    Quasi { name: "c".into(), measure: TEXT, shape, priority: 1.0, tight: true, sets: false }
}

fn texts(values: &[&str]) -> Shape {
    Shape::Set(values.iter().copied().collect())
}

/// 2.1: a node of two among four leaves loses 1/3, 45 of 99 years 5/11; the record 13/33 on average.
#[test]
fn loss_of_the_survey() {
    let jobs = quasi(texts(&["graduate", "undergraduate", "x", "y"]));
    let numbers = vec![0, 45, 99];
    let years = Measure { kind: Kind::Integer, scale: 0 };
    let line = Line::new(&years, numbers, ["0", "45", "99"].into_iter().collect(), (0, 99), true);
    let age = quasi(Shape::Line(line));
    let student = [Value::Span(0, 1), Value::Span(0, 1)];
    assert_eq!(jobs.loss(student[0]), 1.0 / 3.0);
    assert_eq!(age.loss(student[1]), 45.0 / 99.0);
    let (problem, published) =
        two_columns([jobs, age], &[([0, 1], "y", 0)], &[student], &[false], Vec::new());
    near(measure("loss", &published, &problem), 13.0 / 33.0);
    // Both aggregations: 1/3 and 5/11 under (v + 1)^(1/2).
    near(measure("loss_geometric", &published, &problem), (4.0_f64 / 3.0 * 16.0 / 11.0).sqrt() - 1.0);
}

/// 2.2 to 2.4: classes of 4 and 5 rows, one row suppressed: y3 n1, y2 n3.
#[test]
fn discernibility_classification_and_average_class() {
    let rows: Vec<([u32; 2], &str, usize)> = [(0, "yyyn"), (1, "yynnn"), (2, "y")]
        .into_iter()
        .flat_map(|(class, labels)| {
            (0..labels.len()).map(move |place| ([class, 0], &labels[place..=place], class as usize))
        })
        .collect();
    let shown = [0, 1, 2].map(|code| [Value::Span(code, code), Value::Span(0, 0)]);
    let k_3 = vec![Grid::new(&[vec!["flu"]]).model(Demand::K(3))];
    let columns = [quasi(texts(&["a", "b", "c"])), quasi(texts(&["only"]))];
    let (problem, published) = two_columns(columns, &rows, &shown, &[false, false, true], k_3);
    assert_eq!(measure("discernibility", &published, &problem), Some(51.0));
    near(measure("discernibility_normalised", &published, &problem), 0.51);
    near(measure("classification", &published, &problem), 0.4);
    near(measure("c_avg", &published, &problem), 1.5);
    // One of ten rows is lost in the first column; the second has one value and nothing to lose.
    near(measure("loss", &published, &problem), 0.05);
    assert_eq!(measure("precision", &published, &problem), None, "no column has levels");
}

/// 2.5: (*, 435*) and (male, 4350) with heights 1 and 4: 11/16.
#[test]
fn precision_of_two_rows() {
    let sex = tree(&Builder::Flat {}, &["female", "male"]);
    let code = tree(&Builder::Prefix { lengths: None, pad: None }, &["4350", "4351", "4400", "5000"]);
    let masked = code.lca_of_range(0, 1);
    assert_eq!((sex.height(), code.height(), &*code.label(masked)), (1, 4, "435*"));
    let shown = [
        [Value::Node(sex.root()), Value::Node(masked)],
        [Value::Node(sex.leaf(1)), Value::Node(code.leaf(0))],
    ];
    let columns = [quasi(Shape::Tree(sex)), quasi(Shape::Tree(code))];
    let rows = [([0, 1], "y", 0), ([1, 0], "n", 1)];
    let (problem, published) = two_columns(columns.clone(), &rows, &shown, &[false, false], Vec::new());
    near(measure("precision", &published, &problem), 11.0 / 16.0);
    // A suppressed row took every step: 1 − (1/4 + 1 + 1 + 1) / 4, and 1 − (1 + 1 + 0 + 0) / 4.
    let (problem, published) = two_columns(columns.clone(), &rows, &shown, &[false, true], Vec::new());
    near(measure("precision", &published, &problem), 1.0 - 3.25 / 4.0);
    let (problem, published) = two_columns(columns, &rows, &shown, &[true, false], Vec::new());
    near(measure("precision", &published, &problem), 0.5);
}

/// 2.8, Example 2 of IACK: of eight rows the one with ([1,4], F) is suppressed.
#[test]
fn divergence_and_information_of_the_paper() {
    let columns = [quasi(texts(&["[1,4]", "[5,8]"])), quasi(texts(&["F", "M"]))];
    let rows: Vec<([u32; 2], &str, usize)> = vec![
        ([0, 1], "y", 0),
        ([0, 1], "y", 0),
        ([0, 1], "y", 0),
        ([0, 0], "y", 1),
        ([1, 0], "n", 2),
        ([1, 0], "n", 2),
        ([1, 0], "y", 2),
        ([1, 0], "n", 2),
    ];
    let shown = [[0, 1], [0, 0], [1, 0]].map(|codes| codes.map(|code| Value::Span(code, code)));
    let (problem, published) = two_columns(columns.clone(), &rows, &shown, &[false, true, false], Vec::new());
    near(measure("kl_divergence", &published, &problem), 0.210811);
    near(measure("mutual_information_change", &published, &problem), 0.165277);
    let (problem, published) = two_columns(columns, &rows, &shown, &[false, true, true], Vec::new());
    assert_eq!(measure("kl_divergence", &published, &problem), Some(f64::INFINITY), "[5,8] is gone");
}

fn detail(metric: &str, name: &str, published: &Classes, problem: &Problem) -> f64 {
    let metric = METRICS.find(metric).expect("a registered metric").build;
    let details = metric.details(published, problem);
    details.iter().find(|(of, _)| *of == name).expect("a detail of that name").1
}

/// 2.6: of 100 rows 5, 5 and 90 have a value; then 99 and 1.
#[test]
fn entropies_of_the_specification() {
    const NAMES: [&str; 3] = ["entropy", "monotone_entropy", "non_uniform_entropy"];
    let columns = [quasi(texts(&["1", "2", "3"])), quasi(texts(&["only"]))];
    let rows_of = |counts: &[usize], class: fn(u32) -> usize| -> Vec<([u32; 2], &'static str, usize)> {
        let codes = (0..).zip(counts).flat_map(|(code, count)| vec![code; *count]);
        codes.map(|code| ([code, 0], "y", class(code))).collect()
    };
    let bits =
        |published: &Classes, problem: &Problem| NAMES.map(|name| detail(name, "bits", published, problem));
    let same = |found: [f64; 3], expected: [f64; 3]| {
        found.into_iter().zip(expected).for_each(|(found, expected)| near(Some(found), expected));
    };
    let only = Value::Span(0, 0);
    // The ten rows with 1 or 2 show {1|2}, the others their value.
    let shown = [[Value::Span(0, 1), only], [Value::Span(2, 2), only]];
    let rows = rows_of(&[5, 5, 90], |code| usize::from(code == 2));
    let (problem, published) = two_columns(columns.clone(), &rows, &shown, &[false, false], Vec::new());
    same(bits(&published, &problem), [10.0, 1.0, 10.0]);
    // H is 0.568996 bits a row.
    near(measure("entropy", &published, &problem), 0.1 / 0.568996);
    near(measure("monotone_entropy", &published, &problem), 0.01 / 0.568996);
    near(measure("non_uniform_entropy", &published, &problem), 0.1 / 0.568996);
    // Suppressed instead, each costs 0.568996 by entropy, and 4.321928 by surprise.
    let (problem, published) = two_columns(columns.clone(), &rows, &shown, &[true, false], Vec::new());
    same(bits(&published, &problem), [5.689_956, 5.689_956, 43.219_281]);
    // All suppressed: the same for all three; 10 · 4.321928 + 90 · 0.152003.
    let (problem, published) = two_columns(columns.clone(), &rows, &shown, &[true, true], Vec::new());
    same(bits(&published, &problem).map(|bits| bits / 100.0), [0.568996; 3]);
    NAMES.into_iter().for_each(|name| near(measure(name, &published, &problem), 1.0));
    // 99 and 1 in one group: 0.080793 a row by entropy; 0.014500 for the common value and 6.643856 for the rare one.
    let shown = [[Value::Span(0, 1), only]];
    let (problem, published) =
        two_columns(columns.clone(), &rows_of(&[99, 1], |_| 0), &shown, &[false], Vec::new());
    same(bits(&published, &problem), [8.079_313_6, 8.079_313_6, 99.0 * 0.014_499_57 + 6.643_856_2]);
    // A column of one value has nothing to lose.
    let (problem, published) = two_columns(columns, &rows_of(&[9], |_| 0), &shown, &[true], Vec::new());
    NAMES.into_iter().for_each(|name| assert_eq!(measure(name, &published, &problem), Some(0.0)));
}

/// 2.1 in Xu's form and 2.7: what a cell shows counts, whatever it is.
#[test]
fn shares_and_distances_without_a_tree() {
    let words = quasi(texts(&["a", "b", "c", "d"]));
    let years = Measure { kind: Kind::Integer, scale: 0 };
    let line = Line::new(&years, vec![0, 45, 99], ["0", "45", "99"].into_iter().collect(), (0, 99), true);
    let columns = [words, quasi(Shape::Line(line))];
    let with = |word: Value, number: Value, suppressed: bool| {
        let rows = [([0, 0], "y", 0)];
        two_columns(columns.clone(), &rows, &[[word, number]], &[suppressed], Vec::new())
    };
    let both = [Value::Span(0, 1), Value::Span(0, 1)];
    for (word, number, suppressed, ncp, uniform, height) in [
        (both[0], both[1], false, (0.5 + 5.0 / 11.0) / 2.0, 0.5, 1.0 / 3.0),
        (Value::Subset(0b101), Value::Span(0, 0), false, 0.25, 0.25, 1.0 / 6.0),
        (Value::Span(0, 0), Value::Span(0, 2), false, 0.5, 0.25, 1.0 / 6.0),
        (Value::Span(0, 0), Value::Span(0, 0), false, 0.0, 0.0, 0.0),
        (Value::Star, Value::Span(0, 0), false, 0.5, 0.5, 0.5),
        (both[0], both[1], true, 1.0, 1.0, 1.0),
    ] {
        let (problem, published) = with(word, number, suppressed);
        near(measure("ncp_xu", &published, &problem), ncp);
        near(measure("distortion", &published, &problem), uniform);
        near(measure("distortion_height", &published, &problem), height);
    }
}

/// DESIGN.md: the loss is over the declared domain; values present where none is declared.
#[test]
fn the_loss_of_a_declared_range_is_over_the_declared_domain() {
    let years = Measure { kind: Kind::Integer, scale: 0 };
    let line = |declared: bool, bounds| {
        Line::new(&years, vec![20, 40, 60], ["20", "40", "60"].into_iter().collect(), bounds, declared)
    };
    let age = |line| Quasi { tight: false, ..quasi(Shape::Line(line)) };
    let declared = age(line(true, (0, 100)));
    // [0,50] of [0,100], and [51,100].
    assert_eq!(declared.loss(Value::Span(0, 1)), 0.5);
    assert_eq!(declared.loss(Value::Span(2, 2)), 0.49);
    assert_eq!(declared.loss(Value::Span(0, 2)), 1.0);
    // Bounds that were only rounded outward are no domain: [10,50] is 30 of the 40 years that occur.
    assert_eq!(age(line(false, (10, 70))).loss(Value::Span(0, 1)), 0.75);
}

proptest! {
    #![proptest_config(seeded(4, 200))]

    #[test]
    fn figures_equal_a_recomputation_from_the_release((table, ask) in cases_of(kinds, true)) {
        // Some figures compare each row with its original.
        let ask = Ask { serial: true, ..ask };
        if let Ok(written) = release(&table, &ask) {
            let strings = Strings::parse(&written.text);
            for (name, naive) in figures(&table, &ask, &strings) {
                let reported = written.summary.metrics[name].as_f64();
                let naive = naive.filter(|value| value.is_finite());
                match (naive, reported) {
                    (Some(naive), Some(reported)) => {
                        prop_assert!((naive - reported).abs() < 1e-9, "{}: {} by rows, {} reported", name, naive, reported);
                    }
                    (naive, reported) => prop_assert_eq!(naive, reported, "{}", name),
                }
            }
        }
    }
}
