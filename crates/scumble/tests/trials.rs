//! A trial, which `compare`, `evaluate` and `attack` look at, and a release in memory are what a release into a file would be: on random
//! tables and plans they refuse the same with the same words, and show the same rows.

mod common;

use common::demand::Demand;
use common::naive::Strings;
use common::run::{Ask, release, write_inputs};
use common::seeded;
use common::table::{Table, all_kinds, kinds_for, tables_of};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use scumble::config::{Plan, StarPolicy};
use scumble::problem::Progress;
use scumble::registry::{ALGORITHMS, RECORD_ALGORITHMS};
use scumble::release::{Outcome, Release, RunOptions, Trial, anonymize, read_planned, try_release};
use scumble::resources::Resources;
use scumble_files::table::CodedTable;
use scumble_files::{
    Batches, Cells, ColumnType, Control, OutColumn, ReadOptions, Source, read_table, write_batches,
};

/// Tables for each algorithm.
const TABLES: u32 = 25;

fn has_records(algorithm: &str) -> bool {
    RECORD_ALGORITHMS.iter().any(|entry| entry.name == algorithm)
}

fn cases(algorithm: &'static str) -> impl Strategy<Value = (Table, Ask)> {
    let trees = ALGORITHMS.iter().find(|entry| entry.name == algorithm).is_some_and(|entry| {
        (entry.build)(&Default::default()).is_ok_and(|algorithm| algorithm.needs_trees())
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

fn trial(table: &Table, ask: &Ask) -> scumble::Result<(Trial, CodedTable)> {
    let folder = tempfile::tempdir().expect("a folder");
    write_inputs(table, folder.path());
    let (plan, table, _) = read_planned(&ask.plan(table), &Resources::in_folder(folder.path()), 0)?;
    Ok((try_release(&plan, &table, &Resources::in_folder(folder.path()), Progress::default())?, table))
}

/// A table in memory, as a program would have it.
fn batches(table: &CodedTable) -> Batches {
    let columns: Vec<OutColumn<'_>> = table
        .columns
        .iter()
        .map(|column| OutColumn {
            name: &column.name,
            texts: &column.values,
            cells: Cells::Direct(&column.codes),
            kind: ColumnType::Text,
        })
        .collect();
    let order: Vec<u32> = (0..table.rows as u32).collect();
    write_batches(&columns, &order, 1, &Control::default()).expect("a table in memory")
}

/// The texts of a table in memory.
fn texts(table: &Batches) -> Strings {
    let read =
        read_table(&Source::from_batches(table.clone(), "it"), &ReadOptions::default()).expect("read").coded;
    let cells =
        |row: usize| read.columns.iter().map(|of| of.values.get(of.codes.get(row)).to_owned()).collect();
    Strings {
        header: read.columns.iter().map(|column| column.name.clone()).collect(),
        rows: (0..read.rows).map(cells).collect(),
    }
}

/// The release in memory, of a table in memory.
fn in_memory(table: &Table, ask: &Ask) -> scumble::Result<Strings> {
    let folder = tempfile::tempdir().expect("a folder");
    write_inputs(table, folder.path());
    let plan = ask.plan(table);
    let file = Source::open(folder.path().join(&plan.input))?;
    let rows = batches(&read_table(&file, &ReadOptions::default())?.coded);
    let (resources, control) = (Resources::in_folder(folder.path()), Control::default());
    let released = Release::with(&Source::from_batches(rows, "it"), &plan, &resources, &control, &|_| {})?;
    Ok(texts(released.table()?))
}

/// The rows that a trial shows of these columns, in any order.
fn shown(
    trial: &Trial,
    table: &CodedTable,
    names: &[String],
    policy: StarPolicy,
) -> Option<Vec<Vec<String>>> {
    let released = trial.released(table)?;
    let dropped = |row: usize| match &trial.outcome {
        Outcome::Classes { class_of_row, .. } => policy == StarPolicy::Drop && class_of_row[row].is_none(),
        _ => false,
    };
    let columns: Vec<_> = names.iter().map(|name| released.column(name).expect("it is published")).collect();
    let cells = |row: usize| columns.iter().map(|of| of.values.get(of.codes.get(row)).to_owned()).collect();
    let mut rows: Vec<Vec<String>> = (0..table.rows).filter(|row| !dropped(*row)).map(cells).collect();
    rows.sort_unstable();
    Some(rows)
}

/// What a release shows of the table's columns, in any order: their names and the rows. Frequencies are told in columns of their own.
fn rows_of(strings: &Strings, table: &CodedTable) -> (Vec<String>, Vec<Vec<String>>) {
    let is_of_table = |place: &usize| table.column(&strings.header[*place]).is_some();
    let places: Vec<usize> = (0..strings.header.len()).filter(is_of_table).collect();
    let cells = |row: &Vec<String>| places.iter().map(|place| row[*place].clone()).collect();
    let mut rows: Vec<Vec<String>> = strings.rows.iter().map(cells).collect();
    rows.sort_unstable();
    (places.iter().map(|place| strings.header[*place].clone()).collect(), rows)
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
                    let written = release(&table, &ask);
                    let in_memory = in_memory(&table, &ask);
                    prop_assert_eq!(
                        written
                            .as_ref()
                            .map(|written| Strings::parse(&written.text))
                            .map_err(ToString::to_string),
                        in_memory.map_err(|error| error.to_string())
                    );
                    match (written, trial(&table, &ask)) {
                        (Ok(written), Ok((trial, rows))) => {
                            let strings = Strings::parse(&written.text);
                            let wanted = rows_of(&strings, &rows);
                            let names: Vec<String> = wanted.0;
                            prop_assert_eq!(shown(&trial, &rows, &names, ask.policy), Some(wanted.1));
                            released.set(released.get() + 1);
                        }
                        (Err(release), Err(trial)) => prop_assert_eq!(release.to_string(), trial.to_string()),
                        (release, trial) => {
                            let (release, trial) = (release.map(|_| ()), trial.map(|_| ()));
                            prop_assert!(false, "released: {:?}, tried: {:?}", release, trial);
                        }
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
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write("people.csv", "age,zip,disease\n30,z1,hiv\n30,z2,flu\n40,z1,cancer\n40,z2,flu\n");
    write("by_zip.csv", "zip,disease\nz1,cancer\nz1,hiv\nz2,cold\nz2,flu\n");
    let asked = |k: u32| {
        let text = format!(
            "input = \"people.csv\"\noutput = \"out.csv\"\nreport = \"\"\n[columns]\nage = {{ role = \"quasi\" }}\n\
             zip = {{ role = \"drop\" }}\ndisease = {{ role = \"sensitive\" }}\n[[table]]\nfile = \"by_zip.csv\"\nquasi = [\"zip\"]\n\
             [[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n[[privacy]]\nmodel = \"k_uncertainty\"\nk = {k}\n\
             [algorithm]\nname = \"mondrian\"\n"
        );
        Plan::from_toml(&text, "plan").expect("a plan")
    };
    for k in 1..=4 {
        let plan = asked(k);
        let mut options = RunOptions {
            folder: folder.path(),
            threads: 1,
            progress: Progress::default(),
            stage: &|_| {},
            standard_output: None,
        };
        let released = anonymize(&plan, &mut options).map(|released| released.summary.smallest_class);
        let tried =
            read_planned(&plan, &Resources::in_folder(folder.path()), 0).and_then(|(plan, table, _)| {
                try_release(&plan, &table, &Resources::in_folder(folder.path()), Progress::default())
            });
        let tried = tried.map(|trial| match &trial.outcome {
            Outcome::Classes { classes, .. } => (0..classes.len()).map(|class| classes.size(class)).min(),
            _ => None,
        });
        let text = |error: scumble::Error| error.to_string();
        assert_eq!(released.map_err(text), tried.map_err(text), "k = {k}");
    }
}
