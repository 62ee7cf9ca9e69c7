//! Histories that were counted by hand.

use super::*;

/// A column of days: `None` is a row without a date.
fn line(name: &str, clock: u32, moved: bool, days: &[Option<i64>]) -> Line {
    Line {
        name: name.to_owned(),
        clock,
        moved,
        moments: days.iter().map(|day| day.map(|day| (day, 1))).collect(),
        of_row: (0..days.len() as u32).collect(),
    }
}

fn days(days: &[i64]) -> Vec<Option<i64>> {
    days.iter().copied().map(Some).collect()
}

fn all(rows: usize) -> Vec<u32> {
    (0..rows as u32).collect()
}

const fn found(unique: u64, k: u64) -> Alike {
    Alike { unique, k }
}

/// Two people with the intervals 3, 40, 7; one with 3, 10; two with one visit.
const PEOPLE: [u32; 13] = [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 5];
const DAYS: [i64; 13] = [0, 3, 43, 50, 100, 103, 143, 150, 0, 3, 13, 5, 9];

#[test]
fn moved_dates_keep_their_intervals() {
    let dates = [line("visit", 0, true, &days(&DAYS))];
    let found_of = history(&all(13), &PEOPLE, &dates, None);
    assert_eq!((found_of.people, found_of.rows, found_of.most_rows), (5, 13, 4));
    assert_eq!(found_of.by_rows, found(1, 1), "one person has three rows");
    assert_eq!(found_of.by_intervals, Some(found(1, 1)), "3, 10");
    assert_eq!(found_of.by_two_intervals, Some(found(1, 1)), "3, 40 and 40, 7 are those of two people");
    assert_eq!(found_of.by_three_intervals, Some(found(0, 2)), "3, 40, 7");
    assert_eq!((found_of.by_two_dates, found_of.by_values), (None, None));
    assert_eq!((&found_of.dates[..], found_of.true_dates.len()), (&["visit".to_owned()][..], 0));
}

#[test]
fn true_dates_are_known_as_such() {
    let dates = [line("visit", 0, false, &days(&DAYS))];
    let found_of = history(&all(13), &PEOPLE, &dates, None);
    assert_eq!(found_of.by_intervals, Some(found(1, 1)));
    // Days 0 and 3 are those of two people, but each of the three has two days that nobody else has.
    assert_eq!(found_of.by_two_dates, Some(found(3, 1)));
    assert_eq!(found_of.by_three_dates, Some(found(3, 1)));
    assert_eq!(found_of.true_dates, ["visit"]);
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let values: Vec<u64> = (0..13).map(|row| row % 3).collect();
    let dates = |order: &[usize]| {
        let of = |row: &usize| Some(DAYS[*row]);
        [line("visit", 0, true, &order.iter().map(of).collect::<Vec<_>>())]
    };
    let measured = |order: &[usize]| {
        let person: Vec<u32> = order.iter().map(|row| PEOPLE[*row]).collect();
        let values: Vec<u64> = order.iter().map(|row| values[*row]).collect();
        history(&all(13), &person, &dates(order), Some(&values))
    };
    let order: Vec<usize> = (0..13).collect();
    let mixed: Vec<usize> = (0..13).map(|place| place * 5 % 13).collect();
    assert_eq!(measured(&order), measured(&mixed));
    let backward: Vec<u32> = all(13).into_iter().rev().collect();
    assert_eq!(
        history(&backward, &PEOPLE, &dates(&order), Some(&values)),
        history(&all(13), &PEOPLE, &dates(&order), Some(&values))
    );
}

#[test]
fn one_row_leaves_no_interval() {
    let dates = [line("visit", 0, true, &days(&[1, 20, 300]))];
    let found_of = history(&all(3), &[1, 2, 3], &dates, None);
    assert_eq!((found_of.by_rows, found_of.by_intervals), (found(0, 3), Some(found(0, 3))));
    assert_eq!(
        (found_of.by_two_intervals, found_of.by_three_intervals),
        (Some(found(0, 0)), Some(found(0, 0)))
    );
}

#[test]
fn columns_on_one_clock_are_one_history() {
    // Both stay three days, then one day. One comes back after 10 days, the other after 11.
    let admitted = line("admitted", 0, true, &days(&[0, 13, 100, 114]));
    let discharged = line("discharged", 0, true, &days(&[3, 14, 103, 115]));
    let apart = Line { clock: 1, ..discharged.clone() };
    let of = |lines: &[Line]| history(&all(4), &[1, 1, 2, 2], lines, None).by_intervals;
    assert_eq!(of(&[admitted.clone(), discharged]), Some(found(2, 1)));
    assert_eq!(of(&[admitted, apart.clone()]), Some(found(2, 1)), "13 and 14 days, each on its own clock");
    assert_eq!(of(&[apart]), Some(found(2, 1)), "11 and 12 days");
}

#[test]
fn a_column_is_part_of_what_is_known() {
    // The same two days, once as admission and discharge, once the other way round.
    let a = line("a", 0, true, &[Some(0), None, Some(5), None]);
    let b = line("b", 0, true, &[None, Some(2), None, Some(3)]);
    let found_of = history(&all(4), &[1, 1, 2, 2], &[a, b], None);
    assert_eq!(found_of.by_intervals, Some(found(2, 1)));
}

#[test]
fn missing_dates_and_rows_that_are_left_out() {
    let dates = [line("visit", 0, true, &[Some(0), None, Some(4), Some(50), Some(54), Some(99)])];
    let people = [1, 1, 1, 2, 2, 2];
    assert_eq!(history(&all(6), &people, &dates, None).by_intervals, Some(found(2, 1)));
    let found_of = history(&[0, 1, 2, 3, 4], &people, &dates, None);
    assert_eq!((found_of.by_intervals, found_of.by_rows), (Some(found(0, 2)), found(2, 1)));
}

#[test]
fn values_of_all_rows_together() {
    // 7 and 8, whatever the order, is shown by two; 7 and 7 by one.
    let found_of = history(&all(6), &[1, 1, 2, 2, 3, 3], &[], Some(&[7, 8, 8, 7, 7, 7]));
    assert_eq!((found_of.by_values, found_of.by_intervals), (Some(found(1, 1)), None));
}

#[test]
fn stays_in_one_row() {
    // Stays of 3, 3, 3, 4 and 5 days; the last row has no discharge.
    let admitted = line("admitted", 0, true, &days(&[0, 10, 20, 30, 40, 50]));
    let discharged = line("discharged", 0, true, &[Some(3), Some(13), Some(23), Some(34), Some(45), None]);
    let lines = [admitted, discharged];
    let people = all(6);
    let found_of = within_rows(&all(6), &people, &[0; 6], &lines).expect("two dates a row");
    assert_eq!((found_of.rows, found_of.alone, found_of.with_quasi), (6, found(2, 1), found(2, 1)));
    // Together with the group, the first row is alone, too.
    let found_of = within_rows(&all(6), &people, &[1, 0, 0, 0, 0, 0], &lines).expect("two dates a row");
    assert_eq!((found_of.alone, found_of.with_quasi), (found(2, 1), found(3, 1)));
    // The rows of one person hide nobody.
    let found_of = within_rows(&all(6), &[7, 7, 7, 1, 2, 3], &[0; 6], &lines).expect("two dates a row");
    assert_eq!(found_of.alone, found(5, 1));
    // Rows without an interval are not found by one.
    assert_eq!(within_rows(&[5], &people, &[0; 6], &lines).map(|found| found.alone), Some(found(0, 0)));
}

#[test]
fn dates_that_were_not_moved_or_are_on_other_clocks_have_no_intervals_here() {
    let one = line("a", 0, true, &days(&[0, 10]));
    let other = line("b", 0, true, &days(&[1, 12]));
    assert!(within_rows(&all(2), &[0, 1], &[0, 0], std::slice::from_ref(&one)).is_none());
    let elsewhere = Line { clock: 1, ..other.clone() };
    assert!(within_rows(&all(2), &[0, 1], &[0, 0], &[one.clone(), elsewhere]).is_none());
    let true_one = Line { moved: false, ..other };
    assert!(within_rows(&all(2), &[0, 1], &[0, 0], &[one, true_one]).is_none());
}
