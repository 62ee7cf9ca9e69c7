//! Compares the audit with a list of all possible worlds. The tests define a world once more, independently of the code.

use rand_chacha::rand_core::{Rng, SeedableRng};

use super::tests::{run, table};
use super::*;
use crate::search::algorithms::nsvdist::{Cost, Demand, Options, masks};

/// A row: the codes of its quasi-identifiers, and its sensitive value.
type Row = (Vec<u32>, u32);

/// A record that one row owns.
struct OfRow {
    /// The row's number.
    owner: usize,
    /// The rows that it covers, one bit each.
    covers: u32,
    /// Its counts per value.
    counts: Vec<u64>,
    /// The rows of the tuples that it counts as a whole.
    whole: u32,
}

/// How the tests recognise a world.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// By listing all sets of rows that a record may count.
    Listing,
    /// By checking that there are enough rows of each value.
    Counting,
}

/// The rows that have each value, one bit each.
fn by_value(values: &[u32], kinds: u32) -> Vec<u32> {
    let with =
        |value: u32| (0..values.len()).filter(|row| values[*row] == value).fold(0, |all, row| all | 1 << row);
    (0..kinds).map(with).collect()
}

/// The rows that may own a record if rows have these values, one bit each.
fn possible_owners(record: &OfRow, by_value: &[u32], way: Way) -> u32 {
    let counts = |set: u32| by_value.iter().map(move |rows| u64::from((rows & set).count_ones()));
    match way {
        Way::Listing => {
            let sets = (0..=record.covers).filter(|set| set & !record.covers == 0);
            sets.filter(|set| counts(*set).eq(record.counts.iter().copied())).fold(0, |all, set| all | set)
        }
        Way::Counting => {
            if counts(record.covers).zip(&record.counts).any(|(there, counted)| there < *counted) {
                return 0;
            }
            let listed = by_value.iter().zip(&record.counts).filter(|(_, counted)| **counted > 0);
            record.covers & listed.fold(0, |all, (rows, _)| all | rows)
        }
    }
}

/// Whether each record can be given to one row of its own.
fn can_be_handed_out(owners: &[u32], taken: u32) -> bool {
    let Some((first, others)) = owners.split_first() else { return true };
    (0..32)
        .filter(|row| first & !taken & 1 << row != 0)
        .any(|row| can_be_handed_out(others, taken | 1 << row))
}

/// Counts the rows whose value is the same in all worlds, by cover and by mask.
fn certain(rows: &[Row], records: &[OfRow], kinds: u32, way: Way) -> (u64, u64) {
    let mut seen = [vec![0_u32; rows.len()], vec![0_u32; rows.len()]];
    // The rows of the same tuple as an owner. For somebody who knows the tuple, only they may own the record.
    let alike = |owner: usize| {
        let same = (0..rows.len()).filter(|row| rows[*row].0 == rows[owner].0);
        same.fold(0_u32, |all, row| all | 1 << row)
    };
    for number in 0..kinds.pow(rows.len() as u32) {
        let values: Vec<u32> = (0..rows.len() as u32).map(|row| number / kinds.pow(row) % kinds).collect();
        let with = by_value(&values, kinds);
        let possible =
            |record: &OfRow| Some(possible_owners(record, &with, way)).filter(|owners| *owners != 0);
        let Some(owners) = records.iter().map(possible).collect::<Option<Vec<u32>>>() else { continue };
        if !can_be_handed_out(&owners, 0) {
            continue;
        }
        let note = |seen: &mut Vec<u32>| {
            seen.iter_mut().zip(&values).for_each(|(seen, value)| *seen |= 1 << value);
        };
        note(&mut seen[0]);
        let known: Vec<u32> =
            owners.iter().zip(records).map(|(owners, record)| owners & alike(record.owner)).collect();
        let fits = |record: &OfRow| {
            let whole = with.iter().map(|rows| u64::from((rows & record.whole).count_ones()));
            whole.zip(&record.counts).all(|(whole, counted)| whole <= *counted)
        };
        if records.iter().all(fits) && can_be_handed_out(&known, 0) {
            note(&mut seen[1]);
        }
    }
    let count = |seen: &[u32]| seen.iter().filter(|values| values.count_ones() == 1).count() as u64;
    (count(&seen[0]), count(&seen[1]))
}

/// Publishes a table and compares the audit with all worlds. Returns how many rows are certain, by cover and by mask.
fn compare(
    sizes: &[u32],
    rows: &[Row],
    kinds: u32,
    (k, l, min_cover): (u64, &str, u64),
    way: Way,
) -> Option<(u64, u64)> {
    let (quasi, table) = table(sizes, rows, kinds as usize);
    let mut per_value = vec![0; kinds as usize];
    rows.iter().for_each(|row| per_value[row.1 as usize] += 1);
    let demand = Demand::new(k, l.parse().expect("a fraction"), &per_value).ok()?;
    let demand = Demand { cover: (demand.size * min_cover).min(rows.len() as u64), ..demand };
    let options = Options { cost: Cost::Loss, literal: false, prepartition: None };
    let records = masks(&table, &quasi, Some(0), demand, options, &Progress::default()).expect("masks");
    let found = run(&quasi, &table, &records, k);
    let codes = |tuple: u32| -> Vec<u32> {
        (0..sizes.len()).map(|column| table.column(column).get(tuple as usize)).collect()
    };
    let bits = |holds: &dyn Fn(&Row) -> bool| {
        (0..rows.len()).filter(|row| holds(&rows[*row])).fold(0_u32, |all, row| all | 1 << row)
    };
    let mut of_rows = Vec::new();
    for record in &records {
        let ends: Vec<(u32, u32)> =
            quasi.iter().zip(&record.shown).map(|(quasi, value)| quasi.codes(*value)).collect();
        let own: Row = (codes(record.tuple), record.value);
        let whole: Vec<Vec<u32>> = record.members.iter().map(|tuple| codes(*tuple)).collect();
        for owner in (0..rows.len()).filter(|row| rows[*row] == own) {
            of_rows.push(OfRow {
                owner,
                covers: bits(&|row| {
                    row.0.iter().zip(&ends).all(|(code, (low, high))| (low..=high).contains(&code))
                }),
                counts: record.counts.clone(),
                whole: bits(&|row| whole.contains(&row.0)),
            });
        }
    }
    assert_eq!(of_rows.len(), rows.len(), "every row has a record");
    let truth = certain(rows, &of_rows, kinds, way);
    if way == Way::Listing {
        assert_eq!(truth, certain(rows, &of_rows, kinds, Way::Counting), "both ways agree");
    }
    let now = (found.by_cover.certain, found.by_mask.certain);
    let unknown = (found.by_cover.unknown, found.by_mask.unknown);
    let what = (rows, k, l, min_cover);
    assert_eq!((now, unknown), (truth, (0, 0)), "{what:?}");
    // With fewer steps the audit knows less, but nothing wrong.
    let covers = Covers::new(&Coverage::new(&table, &quasi), &records, &Progress::default()).expect("covers");
    for all in [0, 30, 100] {
        let budget = Budget { each: [10, 20, all], all };
        let (cover, mask) = disclosures(&table, 0, &records, &covers, [budget; 2], &Progress::default())
            .expect("not stopped");
        for (found, truth) in [(cover, truth.0), (mask, truth.1)] {
            let bounds = found.certain..=found.certain + found.unknown;
            assert!(bounds.contains(&truth), "{found:?}, and {truth} are certain: {what:?}");
        }
    }
    // A world by mask is a world by cover. So where the search by cover takes no steps, rows that are free by mask are still free by cover.
    let none = Budget { each: [0; 3], all: 0 };
    let (cover, mask) =
        disclosures(&table, 0, &records, &covers, [none, search::BY_MASK], &Progress::default())
            .expect("not stopped");
    assert_eq!((mask.certain, mask.unknown), (truth.1, 0), "{what:?}");
    assert!(cover.certain <= truth.0 && cover.certain + cover.unknown <= mask.certain, "{cover:?}: {what:?}");
    assert!(truth.0 <= truth.1, "what is certain by cover is certain by mask: {what:?}");
    Some(truth)
}

/// All tables of up to five rows with one quasi-identifier of two values and a sensitive column of three.
#[test]
fn every_small_table_is_judged_as_by_listing_worlds() {
    let kinds: Vec<Row> = (0..6).map(|kind| (vec![kind / 3], kind % 3)).collect();
    let (mut tables, mut found) = (0, (0, 0));
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..5 {
        // Rows in ascending order: their order makes no difference.
        let longer = |rows: &Vec<usize>| {
            let first = rows.last().copied().unwrap_or(0);
            (first..6).map(|kind| [&rows[..], &[kind]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
        for rows in &all {
            let rows: Vec<Row> = rows.iter().map(|kind| kinds[*kind].clone()).collect();
            for asked in
                [(1, "1", 1), (2, "1", 1), (2, "1", 2), (2, "2", 1), (2, "2", 2), (3, "1.5", 1), (3, "1", 2)]
            {
                if let Some(truth) = compare(&[2], &rows, 3, asked, Way::Listing) {
                    (tables, found) = (tables + 1, (found.0 + truth.0, found.1 + truth.1));
                }
            }
        }
    }
    assert!(tables > 1_500 && found.0 > 1_000 && found.1 > found.0, "{tables} tables, {found:?}");
}

/// Random tables of up to nine rows.
#[test]
fn random_tables_are_judged_as_by_listing_worlds() {
    let mut chance = rand_chacha::ChaCha8Rng::seed_from_u64(15);
    let mut below = |end: u64| chance.next_u64() % end;
    let (mut tables, mut found, mut at_l) = (0, (0, 0), [0, 0]);
    while tables < 2_000 {
        let length = 2 + below(8);
        let kinds = 2 + below(2) as u32;
        let (sizes, spread) = if below(2) == 0 { (vec![6], vec![6]) } else { (vec![4, 3], vec![4, 3]) };
        let row = |below: &mut dyn FnMut(u64) -> u64| -> Row {
            let codes = spread.iter().map(|size| below(*size) as u32).collect();
            (codes, below(u64::from(kinds)) as u32)
        };
        let rows: Vec<Row> = (0..length).map(|_| row(&mut below)).collect();
        let l = ["1", "1.5", "2"][below(3) as usize];
        let asked = (1 + below(4).min(length - 1), l, 1 + below(2));
        if let Some(truth) = compare(&sizes, &rows, kinds, asked, Way::Counting) {
            (tables, found) = (tables + 1, (found.0 + truth.0, found.1 + truth.1));
            at_l[usize::from(l != "1")] += truth.0;
        }
    }
    assert!(
        found.0 > 1_000 && found.1 > found.0 && at_l.iter().all(|found| *found > 100),
        "{found:?} {at_l:?}"
    );
}

/// Ages 30, 30 and 40 with flu, HIV and cancer, k = 2 and l = 2: the two younger people have flu and HIV, so the older one has cancer. No record
/// covers only the rows that it counts together with the older person's.
#[test]
fn a_record_that_covers_more_than_it_counts_gives_a_value_away() {
    let rows = [(vec![0], 0), (vec![0], 1), (vec![1], 2)];
    assert_eq!(compare(&[2], &rows, 3, (2, "2", 1), Way::Listing), Some((1, 1)));
}
