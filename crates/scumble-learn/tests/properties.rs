//! Laws that every machine-learning model of the registry keeps.

use proptest::prelude::*;
use scumble_learn::{Column, Features, MISSING, Settings, Table, registry};

/// Machine-learning models and settings. Every name of the registry is among them.
fn learners() -> Vec<(&'static str, Settings)> {
    let defaults = registry::LEARNERS.iter().map(|entry| (entry.name, Settings::default()));
    let variants =
        ["weka_kernel", "kernel"].map(|variant| ("naive_bayes", Settings::new([("variant", variant)])));
    let unpruned = ("c45", Settings::new([("prune", false), ("collapse", false)]));
    defaults.chain(variants).chain([unpruned]).collect()
}

/// A row: two nominal cells, two numeric ones, a class, a weight.
type Row = ([Option<u32>; 2], [Option<u8>; 2], u32, u32);

const CLASSES: usize = 3;

/// Rows in which the columns have to do with the class, so that there is something to learn.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    let code = |values: u32| proptest::option::weighted(0.9, 0..values);
    let number = |most: u8| proptest::option::weighted(0.9, 0..most);
    let row = (code(3), code(4), number(6), number(40), 0..10u32, 1..4u32).prop_map(
        |(first, second, small, large, noise, weight)| {
            let class = match noise {
                0 => 2,
                1 => 0,
                _ => u32::from(first == Some(1)) + u32::from(large.is_some_and(|large| large > 22)),
            };
            ([first, second], [small, large], class, weight)
        },
    );
    proptest::collection::vec(row, 8..40)
}

fn table(rows: &[Row]) -> Table {
    let nominal = |place: usize| rows.iter().map(|row| row.0[place].unwrap_or(MISSING)).collect();
    let numeric = |place: usize| rows.iter().map(|row| row.1[place].map_or(f64::NAN, f64::from)).collect();
    let columns = vec![
        Column::nominal("a", nominal(0), 3),
        Column::numeric("b", numeric(0)),
        Column::nominal("c", nominal(1), 4),
        Column::numeric("d", numeric(1)),
    ];
    let class = rows.iter().map(|row| row.2).collect();
    let weights = rows.iter().map(|row| row.3).collect();
    let features = Features::new(columns, rows.len()).expect("sound columns");
    Table::weighted(features, class, CLASSES, weights).expect("a sound table")
}

/// The probabilities that a machine-learning model gives to some rows after it learnt from others.
fn answers(name: &str, settings: &Settings, train: &[Row], test: &[Row]) -> Vec<Vec<f64>> {
    let learner = registry::build(name, settings).expect("a learner");
    let classifier = learner.train(&table(train), 7).expect("a classifier");
    let test = table(test);
    let answer = |row: usize| {
        let mut out = vec![f64::NAN; CLASSES];
        classifier.distribution(test.features(), row, &mut out);
        out
    };
    (0..test.rows()).map(answer).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn probabilities_add_up_to_one(rows in rows(), test in rows()) {
        for (name, settings) in learners() {
            for answer in answers(name, &settings, &rows, &test) {
                prop_assert!(answer.iter().all(|share| (0.0..=1.0 + 1e-9).contains(share)), "{name}: {answer:?}");
                prop_assert!((answer.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{name}: {answer:?}");
            }
        }
    }

    #[test]
    fn a_weight_of_three_is_the_row_three_times(rows in rows()) {
        let repeated: Vec<Row> = rows
            .iter()
            .flat_map(|&(codes, numbers, class, weight)| {
                std::iter::repeat_n((codes, numbers, class, 1), weight as usize)
            })
            .collect();
        for (name, settings) in learners() {
            let found = answers(name, &settings, &repeated, &rows);
            prop_assert_eq!(answers(name, &settings, &rows, &rows), found, "{}", name);
        }
    }

    #[test]
    fn the_order_of_rows_is_irrelevant(rows in rows(), start in 0..40usize) {
        let mut turned: Vec<Row> = rows.iter().rev().copied().collect();
        turned.rotate_left(start % rows.len());
        for (name, settings) in learners() {
            let found = answers(name, &settings, &turned, &rows);
            prop_assert_eq!(answers(name, &settings, &rows, &rows), found, "{}", name);
        }
    }

    #[test]
    fn the_number_of_threads_is_irrelevant(rows in rows()) {
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for (name, settings) in learners() {
            let [one, three] = [1, 3].map(|threads| pool(threads).install(|| answers(name, &settings, &rows, &rows)));
            prop_assert_eq!(one, three, "{}", name);
        }
    }

    #[test]
    fn the_names_of_classes_are_irrelevant(rows in rows()) {
        // Where an algorithm goes by frequency, equally frequent classes are told apart only by their names.
        let mut sums = [0; CLASSES];
        rows.iter().for_each(|row| sums[row.2 as usize] += row.3);
        prop_assume!(sums[0] != sums[1] && sums[0] != sums[2] && sums[1] != sums[2]);
        let rename = |class: u32| (class + 1) % 3;
        let renamed: Vec<Row> = rows.iter().map(|&(a, b, class, weight)| (a, b, rename(class), weight)).collect();
        for (name, settings) in learners() {
            let before = answers(name, &settings, &rows, &rows);
            let after = answers(name, &settings, &renamed, &rows);
            for (before, after) in before.iter().zip(&after) {
                for class in 0..CLASSES {
                    let (old, new) = (before[class], after[rename(class as u32) as usize]);
                    prop_assert!((old - new).abs() < 1e-5, "{name}: {before:?} became {after:?}");
                }
            }
        }
    }
}
