//! Algorithms that publish several tables, on random tables: what was written keeps what was asked for by a third, naive reading of
//! the definitions, the search and the verifier agree, and the order of rows changes nothing.

mod common;

use std::collections::BTreeMap;

use common::memory::{of_table, texts, texts_of};
use common::naive::Strings;
use common::seeded;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use scumble::config::Plan;
use scumble::problem::Progress;
use scumble::registry::TABLES_ALGORITHMS;
use scumble::release::resources::Resources;
use scumble::release::{Release, RunOptions, Summary, TableFile, anonymize, read_planned, try_release};
use scumble::{Error, ErrorKind};
use scumble_files::{Control, Source};
use tempfile::TempDir;

/// A row: two or three quasi-identifiers, one column that nobody knows, a decision and a number.
type Row = [u8; 6];

const NAMES: [&str; 6] = ["a", "b", "c", "z", "d", "pay"];

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0_u8..3, 0_u8..3, 0_u8..6, 0_u8..2, 0_u8..3, 0_u8..20);
    // Rows come in twos and threes, so that something can be released.
    let some = (row, 1_usize..4).prop_map(|((a, b, c, z, d, pay), times)| vec![[a, b, c, z, d, pay]; times]);
    prop::collection::vec(some, 2..14).prop_map(|rows| rows.concat())
}

/// What is asked of an algorithm, and of which rows.
struct Ask {
    algorithm: &'static str,
    privacy: &'static str,
    parameters: &'static str,
    roles: &'static str,
}

fn asks(algorithm: &'static str) -> Vec<Ask> {
    let ask = |privacy, parameters, roles| Ask { algorithm, privacy, parameters, roles };
    let decision = "z = { role = \"other\" }\nd = { role = \"class\" }\npay = { role = \"drop\" }";
    let sensitive = "z = { role = \"other\" }\nd = { role = \"sensitive\" }\npay = { role = \"drop\" }";
    let numbers = "z = { role = \"class\" }\nd = { role = \"drop\" }\npay = { role = \"sensitive\" }";
    match algorithm {
        "anatomy" => vec![
            ask("model = \"l_diversity\"\nl = 2", "", sensitive),
            ask("model = \"l_diversity\"\nl = 2", "rows = \"first\"", sensitive),
        ],
        "permutation" => vec![
            ask("model = \"k_e\"\nk = 2\ne = 3", "", numbers),
            ask("model = \"k_e\"\nk = 3\ne = 5", "cost = \"rows\"", numbers),
            ask("model = \"k_e\"\nk = 3\ne = 5", "cost = \"largest\"", numbers),
        ],
        "reduct_ensemble" => vec![
            ask("model = \"k_anonymity\"\nk = 2", "m = 6\nl = 2\nbins = 2", decision),
            ask("model = \"k_anonymity\"\nk = 3", "m = 6\nl = 1\ndiscretise = \"none\"", decision),
        ],
        _ => vec![
            ask("model = \"k_anonymity\"\nk = 2", "bins = 2", decision),
            ask("model = \"k_anonymity\"\nk = 3", "bins = 3", decision),
        ],
    }
}

/// Every table as its lines of cells, the names first.
struct Written {
    summary: Summary,
    tables: Vec<Vec<Vec<String>>>,
}

/// The table in a folder, and the plan.
fn given(rows: &[Row], ask: &Ask) -> (TempDir, Plan) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = NAMES.join(",") + "\n";
    for row in rows {
        text += &(row.map(|cell| cell.to_string()).join(",") + "\n");
    }
    std::fs::write(folder.path().join("input.csv"), text).expect("it takes files");
    let plan = format!(
        "input = \"input.csv\"\noutput = \"release\"\n[columns]\na = {{ role = \"quasi\" }}\nb = {{ role = \"quasi\" }}\nc = {{ role \
         = \"quasi\" }}\n{}\n[[privacy]]\n{}\n[algorithm]\nname = \"{}\"\nseed = 5\n{}\n",
        ask.roles, ask.privacy, ask.algorithm, ask.parameters
    );
    (folder, Plan::from_toml(&plan, "the plan").expect("a plan"))
}

fn lines(strings: Strings) -> Vec<Vec<String>> {
    std::iter::once(strings.header).chain(strings.rows).collect()
}

fn release(rows: &[Row], ask: &Ask) -> Result<Written, Error> {
    let (folder, plan) = given(rows, ask);
    let mut options = RunOptions {
        folder: folder.path(),
        progress: Progress::default(),
        stage: &|_| {},
        standard_output: None,
    };
    let released = anonymize(&plan, &mut options)?;
    let output = released.release.expect("a folder");
    let table = |table: &TableFile| {
        lines(texts_of(&Source::open(output.join(&table.file)).expect("a written table")))
    };
    Ok(Written { tables: released.summary.tables.iter().map(table).collect(), summary: released.summary })
}

/// Whether a released cell is true of an original one: the number itself, or an interval of whole numbers around it.
fn covers(label: &str, value: u8) -> bool {
    let Some(inner) = label.strip_prefix('[') else { return label == value.to_string() };
    let (inner, open) = match inner.strip_suffix(')') {
        Some(inner) => (inner, true),
        None => (inner.strip_suffix(']').expect("an end"), false),
    };
    let (from, to) = inner.split_once(',').expect("two ends");
    let (from, to): (i64, i64) = (from.parse().expect("a number"), to.parse().expect("a number"));
    let value = i64::from(value);
    from <= value && if open { value < to } else { value <= to }
}

/// How many rows of a table may be those of somebody, by trying all rows of all tables with each other.
fn joint_level(rows: &[Row], tables: &[Vec<Vec<String>>]) -> u64 {
    let known = &NAMES[..3];
    let mut least = u64::MAX;
    for person in rows {
        let fitting: Vec<Vec<&Vec<String>>> = tables
            .iter()
            .map(|lines| {
                let names = &lines[0];
                let fits = |line: &&Vec<String>| {
                    names.iter().zip(*line).all(|(name, cell)| {
                        let place = known.iter().position(|of| of == name);
                        place.is_none_or(|place| covers(cell, person[place]))
                    })
                };
                lines[1..].iter().filter(fits).collect()
            })
            .collect();
        for (number, lines) in fitting.iter().enumerate() {
            let possible = |line: &&&Vec<String>| {
                let others: Vec<usize> = (0..tables.len()).filter(|of| *of != number).collect();
                let said = known_cells(&tables[number][0], line);
                goes_with(&others, &fitting, tables, &said)
            };
            least = least.min(lines.iter().filter(possible).count() as u64);
        }
    }
    least
}

fn known_cells<'a>(names: &'a [String], line: &'a [String]) -> BTreeMap<&'a str, &'a str> {
    let cells = names.iter().zip(line).filter(|(name, _)| !NAMES[..3].contains(&name.as_str()));
    cells.map(|(name, cell)| (name.as_str(), cell.as_str())).collect()
}

/// Whether each of the other tables has a row that agrees with what is said so far, and with those chosen before.
fn goes_with(
    others: &[usize],
    fitting: &[Vec<&Vec<String>>],
    tables: &[Vec<Vec<String>>],
    said: &BTreeMap<&str, &str>,
) -> bool {
    let Some((table, rest)) = others.split_first() else { return true };
    fitting[*table].iter().any(|line| {
        let cells = known_cells(&tables[*table][0], line);
        let agrees = cells.iter().all(|(name, cell)| said.get(name).is_none_or(|before| before == cell));
        let mut both = said.clone();
        both.extend(cells);
        agrees && goes_with(rest, fitting, tables, &both)
    })
}

fn finding(summary: &Summary, name: &str) -> Option<f64> {
    summary.findings.iter().find(|finding| finding.name == name)?.value
}

/// Whether something was released; it must then keep what was asked for.
fn conforms(rows: &[Row], ask: &Ask) -> Result<bool, TestCaseError> {
    let written = match release(rows, ask) {
        Ok(written) => written,
        Err(error) if error.is(&[ErrorKind::Infeasible, ErrorKind::Refused]) => return Ok(false),
        Err(other) => return Err(TestCaseError::fail(format!("{other}"))),
    };
    let required = written.summary.models[0].required;
    if ask.roles.contains("d = { role = \"class\" }") {
        let level = joint_level(rows, &written.tables) as f64;
        prop_assert!(level >= required, "{} < {}", level, required);
        prop_assert_eq!(written.summary.models[0].attained, Some(level));
        prop_assert_eq!(finding(&written.summary, "joint_level"), Some(level));
        return Ok(true);
    }
    // Rows in groups: every group's values, and the columns next to them as they were.
    let [first, second] = &written.tables[..] else { return Err(TestCaseError::fail("two tables")) };
    prop_assert_eq!(first.len() - 1, rows.len());
    let place = |table: &[Vec<String>], name: &str| table[0].iter().position(|of| of == name);
    let group = place(first, "group").expect("a group");
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    if let Some(pay) = place(first, "pay") {
        first[1..].iter().for_each(|line| values.entry(&line[group]).or_default().push(&line[pay]));
    } else {
        for line in &second[1..] {
            let times = line[2].parse::<usize>().expect("a count");
            values.entry(&line[0]).or_default().extend(std::iter::repeat_n(line[1].as_str(), times));
        }
    }
    for (of, values) in &mut values {
        prop_assert_eq!(values.len(), first[1..].iter().filter(|line| line[group] == **of).count());
        values.sort_unstable();
        values.dedup();
        prop_assert!(values.len() as f64 >= required, "{:?}", values);
    }
    Ok(true)
}

#[test]
fn what_is_released_keeps_what_was_asked_for() {
    for (place, algorithm) in (0..).zip(&TABLES_ALGORITHMS) {
        for (case, ask) in asks(algorithm.name).iter().enumerate() {
            let released = std::cell::Cell::new(0);
            let outcome = TestRunner::new(seeded(10 * place + case as u64, 30)).run(&rows(), |rows| {
                released.set(released.get() + usize::from(conforms(&rows, ask)?));
                Ok(())
            });
            outcome.unwrap_or_else(|error| panic!("{}: {error}", algorithm.name));
            assert!(released.get() >= 4, "{} {case}: {} of 30 were released", algorithm.name, released.get());
        }
    }
}

#[test]
fn the_order_of_rows_changes_nothing() {
    for (place, algorithm) in (0..).zip(&TABLES_ALGORITHMS) {
        let asks = asks(algorithm.name);
        let outcome = TestRunner::new(seeded(100 + place, 10)).run(&rows(), |rows| {
            let mut turned = rows.clone();
            turned.reverse();
            let written = |rows: &[Row]| release(rows, &asks[0]).map(|written| written.tables).ok();
            prop_assert_eq!(written(&rows), written(&turned));
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{}: {error}", algorithm.name));
    }
}

/// What `compare` and programs see are the tables that would be published, to the last row.
#[test]
fn trials_and_releases_in_memory_are_what_the_folder_would_hold() {
    for (place, algorithm) in (0..).zip(&TABLES_ALGORITHMS) {
        for (case, ask) in asks(algorithm.name).iter().enumerate() {
            let outcome = TestRunner::new(seeded(200 + 10 * place + case as u64, 10)).run(&rows(), |rows| {
                let text = |error: Error| error.to_string();
                let (folder, plan) = given(&rows, ask);
                let resources = Resources::in_folder(folder.path());
                let written = release(&rows, ask).map(|written| written.tables).map_err(text);
                let input = Source::open(folder.path().join("input.csv")).expect("the input");
                let released = Release::with(&input, &plan, &resources, &Control::default(), &|_| {});
                let in_memory =
                    released.map(|of| of.tables().map(|(_, table)| lines(texts(table))).collect::<Vec<_>>());
                prop_assert_eq!(&written, &in_memory.map_err(text));
                let tried = read_planned(&plan, &resources)
                    .and_then(|(plan, table, _)| try_release(&plan, &table, &resources, Progress::default()))
                    .and_then(|trial| {
                        trial.tables.iter().map(|table| Ok(lines(of_table(&table.read()?)))).collect()
                    });
                prop_assert_eq!(&written, &tried.map_err(text));
                Ok(())
            });
            outcome.unwrap_or_else(|error| panic!("{}: {error}", algorithm.name));
        }
    }
}
