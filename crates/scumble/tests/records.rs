//! Algorithms whose records overlap, on random tables: what is released passes the check of the written strings against the
//! original, and neither the order of rows nor the number of threads changes it.

mod common;

use common::demand::Demand;
use common::run::{Ask, release, write_inputs};
use common::seeded;
use common::table::{Table, all_kinds, tables_of};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use scumble::ErrorKind;
use scumble::config::MissingPolicy;
use scumble::registry::RECORD_ALGORITHMS;
use scumble::release::resources::Resources;
use scumble_files::{ReadOptions, Source, read_table};

/// What is asked for: sizes, shares of the column that becomes frequencies, and both.
fn demands(algorithm: &str) -> Vec<Vec<Demand>> {
    if algorithm == "nhaa" {
        return vec![
            vec![Demand::Frequency("ill", (2, 1))],
            vec![Demand::Frequency("ill", (3, 1))],
            vec![Demand::Frequency("label", (2, 1))],
            vec![Demand::K(2), Demand::Frequency("ill", (2, 1))],
        ];
    }
    vec![
        vec![Demand::K(1)],
        vec![Demand::K(2)],
        vec![Demand::K(5)],
        vec![Demand::Frequency("ill", (3, 2))],
        vec![Demand::K(3), Demand::Frequency("ill", (131, 100))],
        vec![Demand::K(4), Demand::Frequency("label", (111, 100))],
    ]
}

fn parameters(algorithm: &str) -> Vec<Vec<(&'static str, &'static str)>> {
    match algorithm {
        "nsvdist" => vec![
            vec![("audit", "report")],
            vec![("audit", "report"), ("format", "json")],
            vec![("audit", "report"), ("cost", "entropy")],
            vec![("audit", "report"), ("cost", "monotone_entropy"), ("prepartition", "12")],
            vec![("audit", "report"), ("min_cover", "2")],
            vec![("audit", "report"), ("search", "literal")],
            vec![],
            vec![("adversary", "mask")],
        ],
        "k_concealment" => {
            ["matches", "both", "covered", "covers"].map(|of| vec![("guarantee", of)]).to_vec()
        }
        "nhaa" => ["decompose", "shift"].map(|of| vec![("assignment", of)]).to_vec(),
        _ => vec![vec![]],
    }
}

fn cases(algorithm: &'static str) -> impl Strategy<Value = (Table, Ask)> {
    let ask = (
        prop::sample::select(demands(algorithm)),
        prop::sample::select(parameters(algorithm)),
        any::<[bool; 2]>(),
    );
    (tables_of(all_kinds(false), true), ask).prop_map(
        move |(table, (demands, parameters, [serial, keep_order]))| {
            let ask = Ask { serial, keep_order, parameters, ..Ask::new(algorithm, &demands) };
            (table, ask)
        },
    )
}

/// The verdict of `scumble check` on a release, with its original.
fn verdict(table: &Table, ask: &Ask, text: &str) -> scumble::release::check::Checked {
    let folder = tempfile::tempdir().expect("a folder");
    write_inputs(table, folder.path());
    std::fs::write(folder.path().join("release.csv"), text).expect("the folder takes files");
    let plan = ask.plan(table);
    let read = |name: &str, all: bool| {
        let unread = ["name", "gone", "serial"];
        let names = table.columns.iter().map(|(name, _)| name.clone());
        let wanted = names.filter(|name| !unread.contains(&name.as_str()) || name == "serial" && ask.serial);
        let columns = (!all).then(|| wanted.collect());
        let options =
            ReadOptions { header: Some(true), delimiter: Some(b','), columns, ..ReadOptions::default() };
        read_table(&Source::open(folder.path().join(name)).expect("a file"), &options).expect("a table").coded
    };
    let mut original = read("input.csv", false);
    scumble::release::prepare::drop_incomplete(&mut original, &plan).expect("rows are left");
    scumble::release::check::check(
        &read("release.csv", true),
        Some(&original),
        None,
        &plan,
        &Resources::in_folder(folder.path()),
    )
    .expect("a verdict")
}

/// Whether something was released; it must then keep what was asked for.
fn conforms(table: &Table, ask: &Ask) -> bool {
    let written = match release(table, ask) {
        Ok(written) => written,
        Err(error)
            if error.is(&[ErrorKind::Infeasible, ErrorKind::Refused, ErrorKind::Audit, ErrorKind::Data]) =>
        {
            return false;
        }
        Err(other) => panic!("{other}"),
    };
    let audit = written.summary.audit.expect("it is always audited");
    if ask.algorithm == "k_concealment" {
        let k = written.summary.models[0].required as u64;
        let attained = match ask.parameters[0].1 {
            "matches" => audit.degrees.least_matching,
            "both" => audit.degrees.least_covering.min(audit.least_covered),
            "covered" => audit.degrees.least_covering,
            _ => audit.least_covered,
        };
        assert!(attained >= k);
        // What the independent check found in the written file is what the audit found in the search's own records.
        assert_eq!(written.summary.models[0].attained, Some(attained as f64));
    }
    let checked = verdict(table, ask, &written.text);
    assert!(checked.holds(), "{checked:?}");
    let records = checked.records.expect("there are no classes");
    assert_eq!(records.models.len(), ask.demands.len());
    assert_eq!(records.least_covered, Some(audit.least_covered));
    if ask.algorithm == "k_concealment" {
        // Who is whose is not known then, and makes no difference.
        assert_eq!(records.models[0].attained, written.summary.models[0].attained);
        return true;
    }
    if ask.algorithm == "nhaa" {
        let l = written.summary.models.iter().map(|model| model.required).fold(0.0, f64::max);
        assert!(audit.degrees.least_matching as f64 >= l && audit.least_covered as f64 >= l);
        assert!(written.summary.models.iter().all(|model| model.attained >= Some(model.required)));
        return true;
    }
    if !ask.parameters.iter().any(|(name, value)| *name == "audit" && *value == "report") {
        assert!(audit.by_cover.is_none());
    }
    assert!(audit.by_cover.certain <= audit.by_mask.certain);
    true
}

#[test]
fn what_is_released_keeps_what_was_asked_for() {
    for (place, algorithm) in (0..).zip(&RECORD_ALGORITHMS) {
        let released = std::cell::Cell::new(0);
        // Few random tables have no frequent value.
        let tries = if algorithm.name == "nhaa" { 320 } else { 160 };
        let outcome = TestRunner::new(seeded(place, tries)).run(&cases(algorithm.name), |(table, ask)| {
            released.set(released.get() + usize::from(conforms(&table, &ask)));
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{}: {error}", algorithm.name));
        assert!(released.get() >= 40, "{}: only {} of {tries} were released", algorithm.name, released.get());
    }
}

#[test]
fn the_order_of_rows_and_threads_change_nothing() {
    for (place, algorithm) in (0..).zip(&RECORD_ALGORITHMS) {
        let outcome = TestRunner::new(seeded(100 + place, 24)).run(&cases(algorithm.name), |(table, ask)| {
            let ask = Ask { serial: false, keep_order: false, ..ask };
            let mut turned = table.clone();
            for (_, cells) in &mut turned.columns {
                cells.reverse();
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
            let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
            let text = |table: &Table| {
                release(table, &ask).map(|written| written.text).map_err(|error| error.to_string())
            };
            prop_assert_eq!(one.install(|| text(&table)), pool.install(|| text(&turned)));
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{}: {error}", algorithm.name));
    }
}

/// Drawn tables have one row a record each, only values of the original, and say which table they are in.
#[test]
fn drawn_tables_are_tables_of_the_original_values() {
    let strategy = tables_of(all_kinds(false), true);
    let released = std::cell::Cell::new(0);
    let outcome = TestRunner::new(seeded(31, 60)).run(&strategy, |table| {
        let parameters = vec![("audit", "report"), ("format", "sampled"), ("tables", "3")];
        let ask = Ask { parameters, ..Ask::new("nsvdist", &[Demand::K(2)]) };
        let kept = release(&table, &ask).err().map(|error| error.to_string());
        prop_assert!(kept.is_none_or(
            |message| message.contains("would link the drawn tables") || !message.contains("bug")
        ));
        let mut table = table;
        table.columns.retain(|(name, _)| name.starts_with('q') || name == "label");
        let Ok(written) = release(&table, &ask) else { return Ok(()) };
        released.set(released.get() + 1);
        prop_assert_eq!(written.summary.released, 3 * written.summary.rows);
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("release.csv");
        std::fs::write(&file, &written.text).expect("the folder takes files");
        let options = ReadOptions { header: Some(true), delimiter: Some(b','), ..ReadOptions::default() };
        let drawn = read_table(&Source::open(&file).expect("a file"), &options).expect("a table").coded;
        prop_assert_eq!(drawn.columns[0].name.as_str(), "sample");
        let mut of_table = [0; 3];
        drawn.columns[0].codes.iter().for_each(|code| of_table[code as usize] += 1);
        prop_assert_eq!(of_table, [written.summary.rows; 3]);
        for column in &drawn.columns[1..] {
            let (_, original) =
                table.columns.iter().find(|(of, _)| *of == column.name).expect("of the original");
            prop_assert!(column.values.iter().all(|text| original.iter().any(|cell| cell == text)));
        }
        Ok(())
    });
    outcome.expect("drawn tables");
    assert!(released.get() >= 20, "only {} of 60 were released", released.get());
}

#[test]
fn models_of_classes_are_refused_by_name() {
    let table = TestRunner::new(seeded(7, 1));
    let mut runner = table;
    let tree = proptest::strategy::Strategy::new_tree(&tables_of(all_kinds(false), false), &mut runner)
        .expect("a table");
    let table = Table { policy: MissingPolicy::OwnValue, ..proptest::strategy::ValueTree::current(&tree) };
    for algorithm in &RECORD_ALGORITHMS {
        for (demand, name) in [
            (Demand::Distinct("ill", 1), "distinct 1-diversity of ill"),
            (Demand::Entropy("ill", (1, 1)), "entropy 1-diversity of ill"),
        ] {
            let error = release(&table, &Ask::new(algorithm.name, &[Demand::K(1), demand]))
                .err()
                .map(|e| e.to_string());
            assert!(error.as_ref().is_some_and(|message| message.contains(name)), "{error:?}");
        }
        let flat = Ask { flatten: true, ..Ask::new(algorithm.name, &[Demand::K(1)]) };
        assert!(matches!(release(&table, &flat), Err(error) if error.kind() == ErrorKind::Refused));
    }
}
