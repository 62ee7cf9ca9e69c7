//! A trial, which `compare`, `evaluate` and `attack` look at, and a release in memory are what a release into a file would be: on random
//! tables and plans they refuse the same with the same words, and show the same rows.

mod common;

use common::demand::Demand;
use common::memory::{batches, of_table, texts};
use common::naive::Strings;
use common::run::{Ask, release, write_inputs};
use common::seeded;
use common::served::{EARLIER, PEOPLE, plan_beside};
use common::table::{Table, all_kinds, kinds_for, tables_of};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;

use scumble::config::StarPolicy;
use scumble::problem::Progress;
use scumble::registry::{ALGORITHMS, RECORD_ALGORITHMS};
use scumble::release::resources::Resources;
use scumble::release::{Outcome, Release, RunOptions, anonymize, read_planned, try_release};
use scumble_files::{Control, Source};

/// Tables for each algorithm.
const TABLES: u32 = 25;

fn has_records(algorithm: &str) -> bool {
    RECORD_ALGORITHMS.iter().any(|entry| entry.name == algorithm)
}

fn cases(algorithm: &'static str) -> impl Strategy<Value = (Table, Ask)> {
    let trees = ALGORITHMS.iter().find(|entry| entry.name == algorithm).is_some_and(|entry| {
        (entry.build)(&Default::default()).is_ok_and(|algorithm| algorithm.capabilities().needs_trees)
    });
    let demands = prop::sample::select(vec![
        vec![Demand::K(2)],
        vec![Demand::K(3), Demand::Distinct("ill", 2)],
        vec![Demand::Frequency("ill", (2, 1))],
    ]);
    let policies = prop::sample::select(vec![StarPolicy::Strict, StarPolicy::Paper, StarPolicy::Drop]);
    let limits = prop::sample::select(vec![None, None, Some("0.3"), Some("1")]);
    // What not every algorithm takes.
    let usual = if algorithm == "nsvdist" { vec![("audit", "report")] } else { vec![] };
    let parameters = prop::sample::select(vec![
        usual.clone(),
        usual,
        vec![],
        vec![("polish", "true")],
        vec![("flat", "1")],
    ]);
    // Missing values have no mean, and records take none that a model reads.
    let missing = algorithm != "mdav" && !has_records(algorithm);
    let tables = tables_of(kinds_for(algorithm, all_kinds(trees)), missing);
    (tables, demands, policies, limits, parameters, any::<[bool; 3]>()).prop_map(
        move |(table, demands, policy, suppression, parameters, [one, other, keep_order])| {
            let ask = Ask {
                policy,
                suppression,
                flatten: one && other,
                keep_order,
                parameters,
                class: Some("label"),
                ..Ask::new(algorithm, &demands)
            };
            (table, ask)
        },
    )
}

/// What is published, and what the owner is warned of.
type Released = (Strings, BTreeSet<String>);

fn rows_of(released: &Result<Released, String>) -> Result<&Strings, &String> {
    released.as_ref().map(|(rows, _)| rows)
}

/// What a trial would publish.
fn tried(table: &Table, ask: &Ask) -> scumble::Result<Released> {
    let folder = tempfile::tempdir().expect("a folder");
    write_inputs(table, folder.path());
    let (plan, table, notes) = read_planned(&ask.plan(table), &Resources::in_folder(folder.path()))?;
    let trial = try_release(&plan, &table, &Resources::in_folder(folder.path()), Progress::default())?;
    let warnings = trial.warnings.iter().chain(&notes).cloned().collect();
    Ok((of_table(&trial.table().expect("one table").read()?), warnings))
}

/// The release in memory, of a table in memory.
fn in_memory(table: &Table, ask: &Ask) -> scumble::Result<Released> {
    let folder = tempfile::tempdir().expect("a folder");
    write_inputs(table, folder.path());
    let plan = ask.plan(table);
    let rows = batches(&Source::open(folder.path().join(&plan.input))?);
    let (resources, control) = (Resources::in_folder(folder.path()), Control::default());
    let released = Release::with(&Source::from_batches(rows, "it"), &plan, &resources, &control, &|_| {})?;
    Ok((texts(released.table()?), released.summary.warnings.iter().cloned().collect()))
}

#[test]
fn trials_and_releases_in_memory_are_what_a_file_would_be() {
    let names =
        ALGORITHMS.iter().map(|entry| entry.name).chain(RECORD_ALGORITHMS.iter().map(|entry| entry.name));
    for (place, algorithm) in names.enumerate() {
        let released = std::cell::Cell::new(0);
        let outcome =
            TestRunner::new(seeded(place as u64, if has_records(algorithm) { 4 * TABLES } else { TABLES }))
                .run(&cases(algorithm), |(table, ask)| {
                    let text = |error: scumble::Error| error.to_string();
                    let written = release(&table, &ask).map(|written| Strings::parse(&written.text));
                    released.set(released.get() + u32::from(written.is_ok()));
                    let written = written.map_err(text);
                    let in_memory = in_memory(&table, &ask).map_err(text);
                    let tried = tried(&table, &ask).map_err(text);
                    prop_assert_eq!(written.as_ref(), rows_of(&in_memory));
                    prop_assert_eq!(written.as_ref(), rows_of(&tried));
                    if let (Ok((_, warned)), Ok((_, tried))) = (in_memory, tried) {
                        let missing: Vec<&String> = warned.difference(&tried).collect();
                        prop_assert!(missing.is_empty(), "a trial does not warn of {missing:?}");
                    }
                    Ok(())
                });
        outcome.unwrap_or_else(|error| panic!("{algorithm}: {error}"));
        assert!(released.get() > 0, "{algorithm}: nothing was ever released");
    }
}

/// Beside a table that was published before larger classes are needed, and a trial makes them too (models.md 1.13).
#[test]
fn a_trial_is_put_beside_tables_that_were_published_before() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), PEOPLE).expect("a file");
    std::fs::write(folder.path().join("earlier.csv"), EARLIER).expect("a file");
    let mut smallest = Vec::new();
    for k in 1..=3 {
        let plan = plan_beside(k);
        let mut options = RunOptions {
            folder: folder.path(),
            progress: Progress::default(),
            stage: &|_| {},
            standard_output: None,
        };
        let released = anonymize(&plan, &mut options).map(|released| released.summary.smallest_class);
        let tried = read_planned(&plan, &Resources::in_folder(folder.path())).and_then(|(plan, table, _)| {
            try_release(&plan, &table, &Resources::in_folder(folder.path()), Progress::default())
        });
        let tried = tried.map(|trial| match &trial.outcome {
            Outcome::Classes { classes, .. } => (0..classes.len()).map(|class| classes.size(class)).min(),
            _ => None,
        });
        let text = |error: scumble::Error| error.to_string();
        let released = released.map_err(text);
        assert_eq!(released, tried.map_err(text), "k = {k}");
        smallest.push(released.ok().flatten());
    }
    assert!(smallest[0] < smallest[1] && smallest[2].is_none(), "{smallest:?}");
}
