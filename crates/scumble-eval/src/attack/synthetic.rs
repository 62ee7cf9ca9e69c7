//! Attacks on tables whose rows stand for nobody: drawn column by column, or with changed values. Every figure must be about all people.
//! The tests compute each figure again by comparing every person with every row.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use scumble::base::chance::below;

use super::homogeneity::RIGHT_BY_GROUP;
use super::staged::{Stage, table};
use super::{
    ATTACKS, Finding, background, definetti, downcoding, find, homogeneity, intersection, membership,
    minimality, similarity, skewness,
};

const COLUMNS: &[(&str, &str)] = &[("age", "quasi"), ("town", "quasi"), ("income", "sensitive")];

type Row = [String; 3];

fn names() -> Vec<String> {
    COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect()
}

/// People whose income depends on age and town.
fn people(number: u64, seed: u64) -> Vec<Row> {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let mut person = || {
        let (age, town) = (below(30, &mut chance), below(12, &mut chance));
        let income =
            if below(5, &mut chance) < 3 { (age / 10 + town / 6) % 4 } else { below(4, &mut chance) };
        [age.to_string(), format!("t{town}"), format!("{}", income * 10)]
    };
    (0..number).map(|_| person()).collect()
}

/// Rows whose columns were each drawn from the people's values, independently of the other columns.
fn drawn(people: &[Row], rows: usize, seed: u64) -> Vec<Row> {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let mut cell = |column: usize| people[below(people.len() as u64, &mut chance) as usize][column].clone();
    (0..rows).map(|_| std::array::from_fn(&mut cell)).collect()
}

/// Copies people, but every third has another's income, and every fourth is a year older.
fn perturbed(people: &[Row]) -> Vec<Row> {
    let mut rows: Vec<Row> = people.to_vec();
    for place in 0..rows.len() {
        if place % 3 == 0 {
            rows[place][2].clone_from(&people[(place * 7 + 5) % people.len()][2]);
        }
        if place % 4 == 0 {
            rows[place][0] = (people[place][0].parse::<u64>().expect("an age") + 1).to_string();
        }
    }
    rows
}

fn tables(people: &[Row]) -> Vec<(&'static str, Vec<Row>)> {
    vec![
        ("drawn", drawn(people, people.len(), 5)),
        ("fewer rows", drawn(people, people.len() / 4, 6)),
        ("more rows", drawn(people, people.len() * 2, 7)),
        ("perturbed", perturbed(people)),
    ]
}

/// Counts the rows with each value.
fn counts<'a>(rows: impl Iterator<Item = &'a Row>) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    rows.for_each(|row| *counts.entry(row[2].parse().expect("a number")).or_default() += 1);
    counts
}

fn fitting<'a>(rows: &'a [Row], person: &Row) -> Vec<&'a Row> {
    rows.iter().filter(|row| row[..2] == person[..2]).collect()
}

/// Returns the most frequent value, the smallest among ties.
fn most(counts: &BTreeMap<u64, u64>) -> (u64, u64) {
    let first = |best: (u64, u64), next: (u64, u64)| if next.1 > best.1 { next } else { best };
    counts.iter().map(|(value, rows)| (*value, *rows)).reduce(first).expect("a value")
}

fn figure(found: &Finding, name: &str) -> f64 {
    let figure = found.figures.iter().find(|figure| figure.name == name);
    figure.unwrap_or_else(|| panic!("{name}: {found:?}")).value
}

fn near(found: f64, wanted: f64, what: &str) {
    assert!((found - wanted).abs() < 1e-12, "{what}: {found} for {wanted}");
}

/// Computes what an attacker achieves with the rows that fit each person: right guesses, people whose value is certain and true, people
/// whose value is certain once one value is ruled out, and people with a chance of one half or more.
fn by_hand(people: &[Row], rows: &[Row]) -> [f64; 4] {
    let overall = most(&counts(rows.iter())).0;
    let mut found = [0.0; 4];
    for person in people {
        let truth: u64 = person[2].parse().expect("a number");
        let fit = counts(fitting(rows, person).into_iter());
        if fit.is_empty() {
            found[0] += f64::from(u8::from(overall == truth));
            continue;
        }
        let (value, amount) = most(&fit);
        let hit = |yes: bool| f64::from(u8::from(yes));
        found[0] += hit(value == truth);
        found[1] += hit(fit.len() == 1 && value == truth);
        found[2] += hit(fit.len() <= 2 && fit.contains_key(&truth));
        found[3] += hit(2 * amount >= fit.values().sum::<u64>());
    }
    found.map(|sum| sum / people.len() as f64)
}

#[test]
fn guesses_are_about_everybody_and_compared_with_the_truth() {
    let people = people(400, 1);
    for (what, rows) in tables(&people) {
        let stage = Stage::new(COLUMNS, &rows, &people);
        let scene = stage.case().scene;
        assert!(!scene.stands(), "{what}");
        let nowhere = people.iter().filter(|person| fitting(&rows, person).is_empty()).count() as u64;
        assert!(nowhere > 0 && scene.without_row == nowhere, "{what}: {nowhere}");
        let [right, certain, with_one, likely] = by_hand(&people, &rows);
        let groups = &stage.run(&homogeneity::ATTACK)[0];
        near(figure(groups, RIGHT_BY_GROUP), right, what);
        near(groups.at_risk.as_ref().expect("a share").value, certain, what);
        near(groups.figures[0].value, likely, what);
        let background = &stage.run(&background::ATTACK)[0];
        near(background.at_risk.as_ref().expect("a share").value, with_one, what);
    }
}

/// The mean over all people of the greatest lift, which is 1 for those who fit no row; and the number of people whose true value became
/// likely.
#[test]
fn lifts_and_likeness_are_about_everybody() {
    let people = people(400, 2);
    let among_people = counts(people.iter());
    for (what, rows) in tables(&people) {
        let stage = Stage::new(COLUMNS, &rows, &people);
        let (mut lifts, mut exposed, mut alike) = (0.0, 0, 0);
        for person in &people {
            let truth: u64 = person[2].parse().expect("a number");
            let fit = counts(fitting(&rows, person).into_iter());
            let of = fit.values().sum::<u64>() as f64;
            let share = |value: u64| *fit.get(&value).unwrap_or(&0) as f64 / of.max(1.0);
            let lift = |value: u64| share(value) / (among_people[&value] as f64 / people.len() as f64);
            lifts += fit.keys().map(|value| lift(*value)).reduce(f64::max).unwrap_or(1.0);
            exposed += u64::from(share(truth) >= 0.5 && lift(truth) > 2.0);
            // Incomes are 0 to 30 in tens, and values within 3 count as alike: only equal ones.
            alike += u64::from(fit.len() == 1 && fit.contains_key(&truth));
        }
        let found = &stage.run(&skewness::ATTACK)[0];
        let mean = figure(found, "mean over people of the greatest lift");
        assert!((mean - lifts / 400.0).abs() < 1e-9, "{what}: {mean} {}", lifts / 400.0);
        near(found.at_risk.as_ref().expect("a share").value, exposed as f64 / 400.0, what);
        let found = &stage.run(&similarity::ATTACK)[0];
        near(found.at_risk.as_ref().expect("a share").value, alike as f64 / 400.0, what);
    }
}

/// The area over all people of the original and all outsiders: a pair is right if only the member fits a row, and half right if both do or
/// neither does.
#[test]
fn membership_is_about_all_members_and_all_outsiders() {
    let (inside, outside) = (people(300, 3), people(200, 4));
    for (what, rows) in tables(&inside) {
        let mut stage = Stage::new(COLUMNS, &rows, &inside);
        stage.outsiders = Some(table(&names(), &outside));
        let covered = |person: &&Row| !fitting(&rows, person).is_empty();
        let share = |people: &[Row]| people.iter().filter(covered).count() as f64 / people.len() as f64;
        let (members, others) = (share(&inside), share(&outside));
        assert!(members < 1.0, "{what}: somebody fits no row");
        let area = members * (1.0 - others) + 0.5 * (members * others + (1.0 - members) * (1.0 - others));
        let found = &stage.run(&membership::ATTACK)[0];
        let told = figure(found, "area under the curve, by quasi-identifiers");
        assert!((told - area).abs() < 1e-9, "{what}: {told} for {area}");
    }
}

#[test]
fn several_releases_leave_everything_open_where_no_row_fits() {
    let people = people(200, 8);
    let rows = drawn(&people, 100, 9);
    let stage = Stage::new(COLUMNS, &rows, &people).beside(&rows);
    let overall = counts(rows.iter());
    let chance = |person: &Row| {
        let truth: u64 = person[2].parse().expect("a number");
        let fit = counts(fitting(&rows, person).into_iter());
        let of = if fit.is_empty() { &overall } else { &fit };
        *of.get(&truth).unwrap_or(&0) as f64 / of.values().sum::<u64>() as f64
    };
    let found = &stage.run(&intersection::ATTACK)[0];
    let mean = people.iter().map(chance).sum::<f64>() / 200.0;
    assert!((figure(found, "right guesses by release 1 alone") - mean).abs() < 1e-9, "{found:?}");
    let nowhere = people.iter().filter(|person| fitting(&rows, person).is_empty()).count() as f64 / 200.0;
    near(figure(found, "people whom no row of any release fits"), nowhere, "nowhere");
}

#[test]
fn attacks_that_deal_rows_to_people_say_that_they_do_not_apply() {
    let people = people(200, 10);
    for (what, rows) in tables(&people) {
        let mut stage = Stage::new(COLUMNS, &rows, &people);
        stage.require("k_anonymity", 2);
        for attack in [&minimality::ATTACK, &definetti::ATTACK, &downcoding::ATTACK] {
            let found = &stage.run(attack)[0];
            let why = found.not_run.as_ref().unwrap_or_else(|| panic!("{what}: {found:?}"));
            assert!(why.contains("does not apply"), "{what}, {}: {why}", attack.name);
        }
    }
}

/// With exchanged incomes every row fits somebody, but what rows show is not true of these people.
#[test]
fn exchanged_values_are_noticed() {
    let people = people(200, 11);
    let mut rows = people.clone();
    (0..rows.len()).for_each(|place| rows[place][2].clone_from(&people[(place + 1) % people.len()][2]));
    let stage = Stage::new(COLUMNS, &rows, &people);
    let scene = stage.case().scene;
    assert_eq!((scene.rows_of_nobody, scene.values_kept, scene.unplaced()), (0, false, 0));
    let found = &stage.run(&homogeneity::ATTACK)[0];
    near(figure(found, RIGHT_BY_GROUP), by_hand(&people, &rows)[0], "exchanged");
    // The same people in another order still stand.
    let mut turned = people.clone();
    turned.reverse();
    assert!(Stage::new(COLUMNS, &turned, &people).case().scene.stands());
    // So does a part of them, in ranges that overlap.
    let mut part: Vec<Row> = people[..150].to_vec();
    for (place, row) in part.iter_mut().enumerate() {
        let age = row[0].parse::<u64>().expect("an age");
        let reach = 1 + place as u64 % 4;
        row[0] = format!("[{},{}]", age.saturating_sub(reach), age + reach);
    }
    let stage = Stage::new(COLUMNS, &part, &people);
    let scene = stage.case().scene;
    assert!(scene.stands() && scene.unplaced() == 50 && scene.ambiguous > 0);
}

/// People who were left out of a release that is true count too.
#[test]
fn people_who_were_left_out_are_counted() {
    // Four of six people are shown. The two of b are not, and the most frequent value of the release is x.
    let people = [
        ["1", "a", "x"],
        ["1", "a", "x"],
        ["2", "a", "x"],
        ["2", "a", "y"],
        ["3", "b", "x"],
        ["3", "b", "y"],
    ];
    let rows = &people[..4];
    let stage = Stage::new(COLUMNS, rows, &people);
    let found = &stage.run(&homogeneity::ATTACK)[0];
    near(found.at_risk.as_ref().expect("a share").value, 2.0 / 6.0, "certain");
    // Both of one group, one of two in the other, and one of the two who were left out.
    near(figure(found, RIGHT_BY_GROUP), 4.0 / 6.0, "right");
    near(
        stage.run(&background::ATTACK)[0].at_risk.as_ref().expect("a share").value,
        4.0 / 6.0,
        "one ruled out",
    );
    let told = &stage.run(&definetti::ATTACK)[0];
    near(figure(told, "guesses that are right, by the group alone"), (2.0 + 1.0 + 1.0) / 6.0, "deFinetti");
}

#[test]
fn every_attack_says_how_people_without_a_row_count() {
    let people = people(60, 12);
    let rows = drawn(&people, 20, 13);
    let stage = Stage::new(COLUMNS, &rows, &people);
    for attack in ATTACKS {
        assert!(attack.without_row.ends_with('.'), "{}", attack.name);
        let told = stage.case().scene.coverage(find(attack.name).expect("an attack"));
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("of 60 people") && told[0].contains(attack.without_row), "{told:?}");
        assert!(told[1].contains("of 20 rows"), "{told:?}");
    }
}
