//! The sample table as users see it: text in, numbers out.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// The columns by which an outsider could recognise a patient.
const QUASI_IDENTIFIERS: [&str; 9] = [
    "birth_date",
    "sex",
    "postcode",
    "occupation",
    "education",
    "marital_status",
    "country_of_birth",
    "insurance",
    "admission_date",
];

fn sample(rows: u64, seed: u64) -> String {
    let mut text = Vec::new();
    write_sample(&mut text, rows, seed).expect("writing to memory");
    String::from_utf8(text).expect("the table is UTF-8")
}

/// A row as a map from column to cell.
type Row<'a> = BTreeMap<&'static str, &'a str>;

fn rows(text: &str) -> Vec<Row<'_>> {
    text.lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.len(), COLUMNS.len(), "every row has every column and no cell needs quotes");
            COLUMNS.into_iter().zip(cells).collect()
        })
        .collect()
}

/// Completed years at admission.
fn age(row: &Row) -> i32 {
    let year = |column: &str| row[column][..4].parse::<i32>().expect("a year of four digits");
    let years = year("admission_date") - year("birth_date");
    years - i32::from(row["admission_date"][5..] < row["birth_date"][5..])
}

fn share<'a>(rows: &'a [Row<'a>], condition: impl Fn(&Row) -> bool) -> f64 {
    rows.iter().filter(|row| condition(row)).count() as f64 / rows.len() as f64
}

fn readmitted(row: &Row) -> bool {
    row["readmitted"] == "yes"
}

/// Returns the share of rows that are right when the most frequent label of each key is guessed.
fn best_guess<'a, K: Ord>(rows: &'a [Row<'a>], key: impl Fn(&Row<'a>) -> K) -> f64 {
    let mut labels: BTreeMap<K, [u32; 2]> = BTreeMap::new();
    for row in rows {
        labels.entry(key(row)).or_default()[usize::from(readmitted(row))] += 1;
    }
    labels.values().map(|counts| counts[0].max(counts[1])).sum::<u32>() as f64 / rows.len() as f64
}

#[test]
fn equal_bytes_for_any_number_of_threads() {
    let on_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| sample(5 * BLOCK_ROWS + 17, 7))
    };
    let one = on_threads(1);
    assert_eq!(one.lines().count() as u64, 5 * BLOCK_ROWS + 17 + 1);
    assert!(one == on_threads(2) && one == on_threads(3), "the thread count changed the table");
}

#[test]
fn another_seed_gives_another_table() {
    assert_eq!(sample(100, 1), sample(100, 1));
    assert_ne!(sample(100, 1), sample(100, 2));
}

#[test]
fn no_rows_is_a_header_and_too_many_are_refused() {
    assert_eq!(sample(0, 1), COLUMNS.join(",") + "\n");
    let error = write_sample(&mut Vec::new(), MAX_ROWS + 1, 1).expect_err("more rows than patient numbers");
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
}

#[test]
fn a_writer_that_fails_stops_the_work() {
    let mut short = [0; 1000];
    assert!(write_sample(&mut short.as_mut_slice(), u64::from(u32::MAX), 1).is_err());
}

#[test]
fn patient_numbers_are_unique() {
    let text = sample(50_000, 3);
    let ids: BTreeSet<&str> = rows(&text).iter().map(|row| row["patient_id"]).collect();
    assert_eq!(ids.len(), 50_000);
    // No number appears twice: the factor is prime to the ten-digit modulus, which is 2^10 · 5^10.
    let step = patient_number(1).abs_diff(patient_number(0));
    assert!(!step.is_multiple_of(2) && !step.is_multiple_of(5));
    assert!(patient_number(MAX_ROWS - 1) < MAX_ROWS);
}

#[test]
fn dates_are_those_of_the_calendar() {
    assert_eq!(civil_date(0), (1970, 1, 1));
    assert_eq!(civil_date(-1), (1969, 12, 31));
    assert_eq!(civil_date(11_016), (2000, 2, 29));
    assert_eq!(civil_date(19_358), (2023, 1, 1));
    assert_eq!(civil_date(19_358 + 365 + 59), (2024, 2, 29));
}

#[test]
fn people_are_plausible() {
    let text = sample(20_000, 1);
    let rows = rows(&text);
    let mean_age = rows.iter().map(|row| f64::from(age(row))).sum::<f64>() / rows.len() as f64;
    assert!((45.0..60.0).contains(&mean_age), "mean age {mean_age}");
    for row in &rows {
        let age = age(row);
        assert!((0..100).contains(&age));
        assert!(("2023-01-01".."2025-01-01").contains(&row["admission_date"]));
        assert!(row["birth_date"] < row["admission_date"]);
        assert_eq!(row["postcode"].len(), 5);
        assert!(row["length_of_stay_days"].parse::<u32>().is_ok_and(|days| (1..200).contains(&days)));
        match row["occupation"] {
            "retired" => assert!(age > 55),
            "university student" => assert!((16..30).contains(&age)),
            "pupil" => assert!((6..25).contains(&age)),
            _ => {}
        }
        match row["education"] {
            "bachelor" => assert!(age >= 22),
            "master" | "doctorate" => assert!(age >= 25),
            _ => {}
        }
        assert!(age >= 18 || row["marital_status"] == "single");
        match row["diagnosis"] {
            "O80" | "O82" => assert!(row["sex"] == "female" && (18..45).contains(&age)),
            "C61" | "N40" => assert_eq!(row["sex"], "male"),
            _ => {}
        }
    }
    let home = share(&rows, |row| row["country_of_birth"] == "Germany");
    assert!((0.8..0.95).contains(&home), "born at home {home}");
    let largest_region = share(&rows, |row| row["postcode"].starts_with("01"));
    assert!((0.55..0.75).contains(&largest_region), "largest region {largest_region}");
    for column in ["occupation", "education"] {
        let empty = share(&rows, |row| row[column].is_empty());
        assert!((0.02..0.05).contains(&empty), "{column} missing {empty}");
    }
}

#[test]
fn readmission_can_be_learnt() {
    let text = sample(20_000, 1);
    let rows = rows(&text);
    let all = share(&rows, readmitted);
    assert!((0.15..0.45).contains(&all), "readmitted {all}");

    let chapter = |letter| {
        let chapter: Vec<Row> =
            rows.iter().filter(|row| row["diagnosis"].starts_with(letter)).cloned().collect();
        share(&chapter, readmitted)
    };
    let (birth, circulation, respiration) = (chapter('O'), chapter('I'), chapter('J'));
    assert!(birth < 0.1 && circulation > 0.35, "births {birth}, circulatory system {circulation}");
    assert!(circulation > respiration + 0.05, "respiratory system {respiration}");

    let majority = 1.0 - all;
    let learnt = best_guess(&rows, |row| (row["diagnosis"], age(row) >= 65));
    assert!(learnt > majority + 0.06, "best guess {learnt}, majority {majority}");
    let smokers: Vec<Row> = rows.iter().filter(|row| row["smoker"] == "yes").cloned().collect();
    assert!(share(&smokers, readmitted) > all + 0.05);
    let graduates: Vec<Row> = rows.iter().filter(|row| row["education"] == "master").cloned().collect();
    assert!(share(&graduates, readmitted) < all - 0.05);
}

#[test]
fn tuples_of_the_quasi_identifiers_are_mostly_distinct() {
    let text = sample(50_000, 1);
    let tuples: BTreeSet<[&str; 9]> =
        rows(&text).iter().map(|row| QUASI_IDENTIFIERS.map(|column| row[column])).collect();
    assert!(tuples.len() > 45_000, "{} distinct tuples of 50,000", tuples.len());
}

#[test]
fn hierarchies_are_trees_with_one_root() {
    for (column, text) in hierarchies() {
        assert!(COLUMNS.contains(&column));
        let mut parent_of: BTreeMap<(usize, &str), &str> = BTreeMap::new();
        let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
        let mut values = BTreeSet::new();
        for line in text.lines() {
            let path: Vec<&str> = line.split(';').collect();
            assert_eq!(path.len(), 4, "{column}: {line}");
            assert_eq!(path[3], "*", "{column}: {line}");
            assert!(values.insert(path[0]), "{column}: {} is listed twice", path[0]);
            for (level, pair) in path.windows(2).enumerate() {
                assert!(!pair[0].is_empty() && !pair[0].contains([',', '"', '*']), "{column}: {line}");
                let parent = parent_of.entry((level, pair[0])).or_insert(pair[1]);
                assert_eq!(*parent, pair[1], "{column}: {} has two parents", pair[0]);
                // A label that names nodes of two levels could not be read back from a release.
                let seen = labels.entry(pair[0]).or_insert(level);
                assert_eq!(*seen, level, "{column}: {} is the label of two levels", pair[0]);
            }
        }
    }
}

#[test]
fn hierarchies_cover_every_value_and_every_value_occurs() {
    let text = sample(200_000, 1);
    let rows = rows(&text);
    for (column, text) in hierarchies() {
        let listed: BTreeSet<&str> = text.lines().filter_map(|line| line.split(';').next()).collect();
        let written: BTreeSet<&str> =
            rows.iter().map(|row| row[column]).filter(|cell| !cell.is_empty()).collect();
        assert_eq!(listed, written, "{column}");
    }
}
