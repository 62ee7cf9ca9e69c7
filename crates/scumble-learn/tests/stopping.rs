//! Every machine-learning model of the registry stops when it is asked to, at whatever moment, and asks often whether to go on.

use std::sync::atomic::{AtomicU64, Ordering};

use scumble_learn::{Column, Error, Features, Settings, Table, registry};

/// Rows with some noise, so that no machine-learning model is done at once.
fn table() -> Table {
    let rows = 600_u32;
    let noise = |row: u32| row.wrapping_mul(2_654_435_761) >> 7;
    let columns = vec![
        Column::nominal("a", (0..rows).map(|row| noise(row) % 5).collect(), 5),
        Column::numeric("b", (0..rows).map(|row| f64::from(noise(row + 1) % 90)).collect()),
        Column::numeric("c", (0..rows).map(|row| f64::from(noise(row + 2) % 7)).collect()),
    ];
    let class = |row: u32| match noise(row + 3) % 6 {
        0 => 2,
        1 => 1,
        _ => u32::from(noise(row) % 5 < 2 && noise(row + 1) % 90 > 40),
    };
    let features = Features::new(columns, rows as usize).expect("sound columns");
    Table::new(features, (0..rows).map(class).collect(), 3).expect("a sound table")
}

#[test]
fn every_learner_stops_at_any_question() {
    let table = table();
    let learners = registry::LEARNERS.iter().map(|entry| (entry.name, Settings::default()));
    let variants = ["weka_kernel", "kernel"].map(|of| ("naive_bayes", Settings::new([("variant", of)])));
    for (name, settings) in learners.chain(variants) {
        let learner = registry::build(name, &settings).expect("a learner");
        // Runs a machine-learning model that may go on at its first `most` questions. Returns the share of right answers, or why there is
        // none, and the number of questions.
        let run = |most: u64| {
            let asked = AtomicU64::new(0);
            let goes_on = || asked.fetch_add(1, Ordering::Relaxed) < most;
            let found = learner
                .train_while(&table, 1, &goes_on)
                .and_then(|classifier| classifier.accuracy_while(&table, &goes_on));
            (found, asked.into_inner())
        };
        let (found, all) = run(u64::MAX);
        let plain = learner.train(&table, 1).expect("a classifier").accuracy(&table);
        assert_eq!(found, Ok(plain), "{name}");
        // The majority rule asks no question while it learns.
        assert!(all > 9 || name == "majority", "{name} asked {all} times");
        let mut at: Vec<u64> = (0..4).chain((1..8).map(|part| all * part / 8)).chain([all - 1]).collect();
        at.retain(|most| *most < all);
        for most in at {
            let (found, asked) = run(most);
            assert_eq!(found, Err(Error::Stopped), "{name} at question {most} of {all}");
            // Each parallel task may ask once more; nothing goes on for long.
            assert!(asked <= most + 64, "{name} went on at question {most} of {all}: {asked}");
        }
    }
}
