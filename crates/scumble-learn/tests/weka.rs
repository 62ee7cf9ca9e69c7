//! Trees and accuracies that Weka 3.6.14 gave on Adult's own split in one run, for comparison. Debug builds train only on every
//! fourth row.

mod public;

use scumble_learn::c45::C45;
use scumble_learn::{Classifier, Settings, Table, registry};

/// Adult's own split, with or without the rows that miss a value. Without Adult, prints a line and returns `None`.
fn adult(test: &str, keep_missing: bool) -> Option<[Table; 2]> {
    let found = public::adult(keep_missing);
    if found.is_none() {
        eprintln!("{test}: skipped, no ../shared/data and no SCUMBLE_SHARED_DATA");
    }
    found
}

fn one_in(table: &Table, every: usize) -> Table {
    let rows: Vec<u32> = (0..table.rows() as u32).step_by(every).collect();
    table.select(&rows)
}

/// The number of rightly classified rows.
fn right(classifier: &dyn Classifier, test: &Table) -> usize {
    (classifier.accuracy(test) * test.weight()).round() as usize
}

fn learnt(name: &str, settings: &[(&str, &str)], [train, test]: &[Table; 2], every: usize) -> usize {
    let learner = registry::build(name, &Settings::new(settings.iter().copied())).expect("a learner");
    right(&*learner.train(&one_in(train, every), 1).expect("a classifier"), test)
}

#[test]
fn c45_grows_the_trees_of_j48() {
    let name = "c45_grows_the_trees_of_j48";
    let (Some(complete), Some(all)) = (adult(name, false), adult(name, true)) else { return };
    // The number of training rows, leaves, nodes and rightly classified test rows.
    let grown = |[train, test]: &[Table; 2], every: usize, learner: &C45| {
        let train = one_in(train, every);
        let tree = learner.grow(&train).expect("a tree");
        [train.rows(), tree.leaves(), tree.nodes().len(), right(&tree, test)]
    };
    let default = C45::default();
    assert_eq!(grown(&complete, 4, &default), [7_541, 212, 292, 12_859]);
    let not_raised = C45 { raise: false, ..default.clone() };
    assert_eq!(grown(&complete, 4, &not_raised), [7_541, 160, 205, 12_797]);
    let unpruned = C45 { prune: false, ..default.clone() };
    assert_eq!(grown(&complete, 4, &unpruned), [7_541, 1_849, 2_192, 12_479]);
    let strict = C45 { confidence: 0.05, min_objects: 10.0, ..default.clone() };
    assert_eq!(grown(&complete, 4, &strict), [7_541, 21, 32, 12_765]);
    assert_eq!(grown(&all, 4, &default), [8_141, 109, 148, 13_903]);
    if cfg!(debug_assertions) {
        return;
    }
    assert_eq!(grown(&complete, 1, &default), [30_162, 560, 724, 12_848]);
    assert_eq!(grown(&all, 1, &default), [32_561, 564, 710, 13_977]);
}

#[test]
fn naive_bayes_classifies_as_weka_does() {
    let name = "naive_bayes_classifies_as_weka_does";
    let (Some(complete), Some(all)) = (adult(name, false), adult(name, true)) else { return };
    let gaussian = |tables, every| learnt("naive_bayes", &[], tables, every);
    assert_eq!([gaussian(&complete, 4), gaussian(&all, 4)], [12_421, 13_547]);
    let kernel = |tables, every, weka: usize| {
        let found = learnt("naive_bayes", &[("variant", "weka_kernel")], tables, every);
        // Weka's sums of kernels stop at an error of one in a hundred, so a few rows differ.
        assert!(found.abs_diff(weka) <= 10, "{found} instead of {weka}");
    };
    kernel(&complete, 4, 12_708);
    if cfg!(debug_assertions) {
        return;
    }
    assert_eq!([gaussian(&complete, 1), gaussian(&all, 1)], [12_430, 13_534]);
    kernel(&all, 4, 13_851);
    kernel(&complete, 1, 12_747);
    kernel(&all, 1, 13_862);
}

#[test]
fn logistic_regression_classifies_as_weka_does() {
    let name = "logistic_regression_classifies_as_weka_does";
    let (Some(complete), Some(all)) = (adult(name, false), adult(name, true)) else { return };
    let near = |tables, every, weka: usize| {
        let found = learnt("logistic", &[], tables, every);
        assert!(found.abs_diff(weka) <= 10, "{found} instead of {weka}");
    };
    near(&complete, 4, 12_707);
    if cfg!(debug_assertions) {
        return;
    }
    near(&all, 4, 13_809);
    near(&complete, 1, 12_765);
    near(&all, 1, 13_848);
}

/// The random partition is not Java's. Weka's seeds 1 to 8 give 12,596 to 12,699 (mean 12,636).
#[test]
fn ripper_is_as_good_as_jrip() {
    let Some([train, test]) = adult("ripper_is_as_good_as_jrip", false) else { return };
    if cfg!(debug_assertions) {
        eprintln!("ripper_is_as_good_as_jrip: skipped in debug builds, it takes too long");
        return;
    }
    let found: Vec<usize> = (1..=4)
        .map(|seed| {
            let rules = scumble_learn::ripper::Ripper::default().learn(&train, seed).expect("rules");
            right(&rules, &test)
        })
        .collect();
    let mean = found.iter().sum::<usize>() / found.len();
    assert!((12_560..=12_720).contains(&mean), "{found:?}");
}
