//! A trial, which `compare`, `evaluate` and `attack` use, and a release in memory are what a release into a file would be: on random
//! tables and plans they refuse the same with the same words, and show the same rows.

mod common;

use common::asking::{Asked, BESIDES, Dice, Row, asked};
use common::demand::Demand;
use common::memory::{batches, of_table, texts, texts_of};
use common::naive::Strings;
use common::run::{Ask, release, write_inputs};
use common::seeded;
use common::served::{EARLIER, PEOPLE, plan_beside};
use common::table::{Table, all_kinds, kinds_for, tables_of};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use scumble::config::{MissingPolicy, StarPolicy};
use scumble::problem::Progress;
use scumble::registry::{ALGORITHMS, MODELS, RECORD_ALGORITHMS, algorithm_names};
use scumble::release::resources::Resources;
use scumble::release::{Release, RunOptions, Summary, TrialOutcome, anonymize, read_planned, try_release};
use scumble_files::{Control, Source};

/// Tables for each algorithm.
const TABLES: u32 = 25;

/// Plans for each algorithm.
const PLANS: u32 = 100;

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

/// What is published, and what is said of it.
struct Published {
    /// One table after the other.
    tables: Vec<Strings>,
    /// What the owner is warned of.
    warnings: BTreeSet<String>,
    suppressed: u64,
    loss: Option<f64>,
    /// By table, for each of its rows the row of the original, if somebody asked.
    about: Option<Vec<Vec<u32>>>,
}

impl Published {
    fn of(tables: Vec<Strings>, summary: &Summary, about: Option<Vec<Vec<u32>>>) -> Self {
        Self {
            tables,
            warnings: summary.warnings.iter().cloned().collect(),
            suppressed: summary.suppressed,
            loss: summary.metrics.get("loss").and_then(serde_json::Value::as_f64),
            about,
        }
    }
}

/// For each row of a table the row of the original.
fn turned(released_row: &[Option<u32>]) -> Vec<u32> {
    let mut rows: Vec<(u32, u32)> =
        (0..).zip(released_row).filter_map(|(row, released)| Some(((*released)?, row))).collect();
    rows.sort_unstable();
    rows.into_iter().map(|(_, row)| row).collect()
}

fn into_files(asked: &Asked, folder: &Path) -> scumble::Result<Published> {
    let mut options =
        RunOptions { folder, progress: Progress::default(), stage: &|_| {}, standard_output: None };
    let released = anonymize(&asked.plan, &mut options)?;
    let output = released.release.expect("a release has a name");
    let files: Vec<PathBuf> = match &released.summary.tables[..] {
        [] => vec![output],
        tables => tables.iter().map(|table| output.join(&table.file)).collect(),
    };
    let tables = files.iter().map(|file| texts_of(&Source::open(file).expect("a written table"))).collect();
    Ok(Published::of(tables, &released.summary, None))
}

fn into_memory(asked: &Asked, folder: &Path) -> scumble::Result<Published> {
    let rows = batches(&Source::open(folder.join("in.csv"))?);
    let (resources, control) = (Resources::in_folder(folder), Control::default());
    let rows = Source::from_batches(rows, "in.csv");
    let released = Release::with(&rows, &asked.plan, &resources, &control, &|_| {})?;
    let tables = released.tables().map(|(_, table)| texts(table)).collect();
    let about = released.row_map.as_ref().map(|map| map.tables.iter().map(|rows| turned(rows)).collect());
    Ok(Published::of(tables, &released.summary, about))
}

fn into_a_trial(asked: &Asked, folder: &Path) -> scumble::Result<Published> {
    let resources = Resources::in_folder(folder);
    let (plan, table, notes) = read_planned(&asked.plan, &resources)?;
    let trial = try_release(&plan, &table, &resources, Progress::default())?;
    let tables = trial.tables.iter().map(|table| Ok(of_table(&table.read()?)));
    // The table about groups is about nobody.
    let about = trial.tables.iter().map(|table| table.about.clone()).filter(|about| !about.is_empty());
    Ok(Published {
        tables: tables.collect::<scumble::Result<_>>()?,
        warnings: trial.warnings.into_iter().chain(notes).collect(),
        suppressed: trial.suppressed,
        loss: Some(trial.loss),
        about: Some(about.collect()),
    })
}

/// Every algorithm, every model, and whatever else a plan can ask for: people with several rows, a population, several sensitive columns,
/// tables that were published before, changed classes.
#[test]
fn whatever_a_plan_asks_for_a_trial_is_what_a_file_would_be() {
    let mut released: BTreeMap<String, u32> = BTreeMap::new();
    for (place, algorithm) in algorithm_names().into_iter().enumerate() {
        let rows = prop::collection::vec(any::<Row>(), 6..40);
        let models = prop::collection::vec(any::<(usize, usize)>(), 1..3);
        let cases = (rows, models, any::<Dice>());
        let counts = RefCell::new(&mut released);
        // Only this one serves every model, so it needs more plans for all of them to be among them.
        let plans = if algorithm == "mingen" { 4 * PLANS } else { PLANS };
        let outcome =
            TestRunner::new(seeded(1_000 + place as u64, plans)).run(&cases, |(rows, models, dice)| {
                let asked = asked(algorithm, &rows, &models, &dice);
                let folder = tempfile::tempdir().expect("a folder");
                for (name, text) in &asked.files {
                    std::fs::write(folder.path().join(name), text).expect("the folder takes files");
                }
                let text = |error: scumble::Error| error.to_string();
                let written = into_files(&asked, folder.path()).map_err(text);
                let in_memory = into_memory(&asked, folder.path()).map_err(text);
                let tried = into_a_trial(&asked, folder.path()).map_err(text);
                let tables = |of: &Result<Published, String>| {
                    of.as_ref().map(|of| of.tables.len()).map_err(String::clone)
                };
                prop_assert_eq!(tables(&written), tables(&in_memory));
                prop_assert_eq!(tables(&written), tables(&tried));
                let (Ok(written), Ok(in_memory), Ok(tried)) = (written, in_memory, tried) else {
                    return Ok(());
                };
                prop_assert_eq!(&written.tables, &in_memory.tables);
                prop_assert_eq!(&written.tables, &tried.tables);
                let missing: Vec<&String> = written.warnings.difference(&tried.warnings).collect();
                prop_assert!(missing.is_empty(), "a trial does not warn of {missing:?}");
                prop_assert_eq!(written.suppressed, tried.suppressed);
                if let Some((loss, tried)) = written.loss.zip(tried.loss) {
                    prop_assert!((loss - tried).abs() < 1e-9, "the loss is {loss}, and {tried} in a trial");
                }
                // A trial counts the rows that were not left out on reading.
                if in_memory.about.is_some() && asked.plan.read.missing_policy == MissingPolicy::OwnValue {
                    prop_assert_eq!(in_memory.about, tried.about);
                }
                for name in asked.asks_for().into_iter().chain([algorithm.to_owned()]) {
                    *counts.borrow_mut().entry(name).or_default() += 1;
                }
                Ok(())
            });
        outcome.unwrap_or_else(|error| panic!("{algorithm}: {error}"));
    }
    for name in algorithm_names().into_iter().chain(MODELS.names()).chain(BESIDES) {
        assert!(released.contains_key(name), "{name}: nothing was ever released, {released:?}");
    }
}

/// Together with a table that was published before larger classes are needed, and a trial makes them too (models.md 1.13).
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
            TrialOutcome::Classes { classes, .. } => {
                (0..classes.len()).map(|class| classes.size(class)).min()
            }
            _ => None,
        });
        let text = |error: scumble::Error| error.to_string();
        let released = released.map_err(text);
        assert_eq!(released, tried.map_err(text), "k = {k}");
        smallest.push(released.ok().flatten());
    }
    assert!(smallest[0] < smallest[1] && smallest[2].is_none(), "{smallest:?}");
}
