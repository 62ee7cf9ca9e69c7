//! Accuracies on Adult's own split, compared with published ones. Debug builds use some of the rows, with wider bounds.

mod public;

use scumble_learn::{Settings, registry};

/// A machine-learning model, settings, the share of training rows in debug builds (one row in this many), and the bounds of the accuracy
/// in debug and in release builds.
type Case = (&'static str, &'static [(&'static str, &'static str)], usize, [f64; 2], [f64; 2]);

const CASES: &[Case] = &[
    ("c45", &[], 4, [0.835, 0.862], [0.852, 0.860]),
    ("naive_bayes", &[], 4, [0.82, 0.84], [0.824, 0.827]),
    ("naive_bayes", &[("variant", "weka_kernel")], 8, [0.83, 0.85], [0.84, 0.85]),
    ("naive_bayes", &[("variant", "kernel")], 8, [0.82, 0.85], [0.84, 0.85]),
    ("ripper", &[], 4, [0.82, 0.86], [0.83, 0.85]),
    ("logistic", &[], 8, [0.83, 0.855], [0.8465, 0.8485]),
    ("boosted_trees", &[], 4, [0.85, 0.875], [0.864, 0.875]),
    ("svm", &[("scale", "true"), ("sample", "4000")], 8, [0.82, 0.86], [0.835, 0.86]),
    ("majority", &[], 1, [0.7543, 0.7544], [0.7543, 0.7544]),
];

#[test]
fn accuracy_on_the_original_split() {
    let Some([train, test]) = public::adult(false) else {
        eprintln!("accuracy_on_the_original_split: skipped, no ../shared/data and no SCUMBLE_SHARED_DATA");
        return;
    };
    assert_eq!((train.rows(), test.rows()), (30_162, 15_060));
    for &(name, settings, one_in, debug, release) in CASES {
        let (every, [least, most]) = if cfg!(debug_assertions) { (one_in, debug) } else { (1, release) };
        let rows: Vec<u32> = (0..train.rows() as u32).step_by(every).collect();
        let learner = registry::build(name, &Settings::new(settings.iter().copied())).unwrap();
        let accuracy = learner.train(&train.select(&rows), 1).unwrap().accuracy(&test);
        println!("{name} {settings:?}: {accuracy:.4} on {} rows", rows.len());
        assert!((least..=most).contains(&accuracy), "{name} {settings:?}: {accuracy}");
    }
}
