//! The classifier attack on people in a release and on people who are not in it (models.md 4.8).
//!
//! Anybody who learns from a release which people have which value can guess the value of any person, in the release or
//! not. The release costs the people in it as much as their values are guessed better than those of outsiders.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;
use scumble::base::chance::below;
use scumble::config::Plan;
use scumble::report::data::{AttackGain, Learns};
use scumble::report::drawing::{count, percent};
use scumble::{Error, Result};
use scumble_learn::{Settings, Table, registry};

use super::sides::Sides;
use super::{Attack, Case, Figure, Finding, of_secrets};
use crate::protocol::{Cell, Encoder, learning, table};
use crate::statistics::{Interval, difference_interval, larger_share_test, wilson_interval};

pub(super) const ATTACK: Attack = Attack {
    name: "classifier",
    title: "A classifier, on people inside and outside",
    paper: "Last, Tassa, Zhmudyak and Shmueli (2014)",
    about: "Somebody trains a classifier on the release and guesses the sensitive value of people who are in it, and of people who are not: what it learns about the former beyond the latter is what being in the release costs.",
    without_row: "they are guessed by the same classifier, and count among the people in the release.",
    learns: Learns::Value,
    rests_on_method: false,
    run,
};

/// The number of tables that are drawn from the release and learnt from. Their predictions are averaged.
const TABLES: u64 = 5;
/// If a column has more values than this, a tree would only learn single cases, and naive Bayes is used instead.
const TREE_UP_TO: usize = 32;
/// Columns with more values are not guessed.
const MOST_VALUES: usize = 256;
/// This many rows are enough to learn from.
const ENOUGH: u64 = 100_000;
/// The sum of the normal quantiles of 95 % and 80 %: a one-sided test at 5 % finds a difference of this many standard
/// errors in 80 % of cases.
const FOUND_IN_80_PERCENT: f64 = 1.644_854 + 0.841_621;

fn run(case: &Case<'_>) -> Result<Vec<Finding>> {
    if case.scene.secrets.is_empty() {
        return of_secrets(case, &ATTACK, |_, _| Err(Error::internal("there is no secret")));
    }
    let sides = match Sides::of(case)? {
        Ok(sides) => sides,
        Err(why) => return Ok(vec![Finding::not_run(&ATTACK, why)]),
    };
    of_secrets(case, &ATTACK, |scene, secret| {
        let name = &scene.secrets[secret].column.name;
        match sides.scene.secrets.iter().position(|of| of.column.name == *name) {
            Some(secret) => look(&sides, secret, case.plan, case.options.seed),
            None => Ok(Finding::not_run(
                &ATTACK,
                format!("The table of outsiders has no column '{name}'; add it."),
            )),
        }
    })
}

fn look(sides: &Sides, secret: usize, plan: &Plan, seed: u64) -> Result<Finding> {
    let of = &sides.scene.secrets[secret];
    let (name, values) = (&of.column.name, of.column.values.len());
    if values < 2 {
        return Ok(Finding::not_run(
            &ATTACK,
            format!("Column '{name}' has one value only, so there is nothing to guess."),
        ));
    }
    if values > MOST_VALUES {
        let why = format!(
            "Column '{name}' has {} values, too many to be guessed one by one; give it coarser values in the original and in the release.",
            count(values as u64)
        );
        return Ok(Finding::not_run(&ATTACK, why));
    }
    let learner = if values <= TREE_UP_TO { "c45" } else { "naive_bayes" };
    let guesses = guesses(sides, secret, learner, plan, seed)?;
    Ok(told(sides, secret, &guesses, learner))
}

/// Returns for each person the chance of each value.
fn guesses(sides: &Sides, secret: usize, learner: &str, plan: &Plan, seed: u64) -> Result<Vec<Vec<f64>>> {
    let scene = &sides.scene;
    let names: Vec<String> = scene.known.iter().map(|known| known.name.clone()).collect();
    let encoder = Encoder::fit(&sides.people, &names, plan)?;
    let values = scene.secrets[secret].column.values.len();
    let everybody = table(encoder.columns(&sides.people)?, scene.secrets[secret].of_person.clone(), values)?;
    let learner = registry::build(learner, &Settings::default()).map_err(learning)?;
    let wells = wells(sides, &encoder);
    let mut sums = vec![vec![0.0; values]; scene.people];
    for number in 0..TABLES {
        let drawn = draw(sides, secret, &wells, &encoder, (seed, number))?;
        if drawn.rows() == 0 {
            return Err(Error::data("no row of the release shows a value of a sensitive column"));
        }
        let goes_on = || !scene.is_stopped();
        let classifier = learner.train_while(&drawn, seed, &goes_on).map_err(learning)?;
        sums.par_iter_mut().enumerate().try_for_each(|(person, sums)| {
            if person.is_multiple_of(64) {
                scene.control.check()?;
            }
            let mut chances = vec![0.0; values];
            classifier.distribution(everybody.features(), person, &mut chances);
            sums.iter_mut().zip(chances).for_each(|(sum, chance)| *sum += chance / TABLES as f64);
            Ok::<(), Error>(())
        })?;
    }
    Ok(sums)
}

/// What a label may stand for: cells, each with the number of people who have this value or one before it.
type Well = Vec<(u64, Cell)>;

/// Lists for each column and label the values it may stand for. The attacker knows how frequent values are in the
/// population, so the people of both sides count.
fn wells(sides: &Sides, encoder: &Encoder) -> Vec<Vec<Well>> {
    let column = |(place, known): (usize, &super::Known)| {
        let mut people = vec![0; known.values.len()];
        known.of_person.iter().for_each(|value| people[*value as usize] += 1_u64);
        let mut wells: Vec<Well> = vec![Vec::new(); known.labels.len()];
        for (value, labels) in known.covering.iter().enumerate().filter(|(value, _)| people[*value] > 0) {
            for label in labels.iter() {
                let well = &mut wells[label as usize];
                let before = well.last().map_or(0, |(up_to, _)| *up_to);
                well.push((before + people[value], encoder.cell(place, &known.values[value])));
            }
        }
        // A mean stands for nobody's value. The attacker takes the mean itself.
        for (well, label) in wells.iter_mut().zip(&known.labels).filter(|(well, _)| well.is_empty()) {
            well.push((1, encoder.cell(place, label)));
        }
        wells
    };
    sides.scene.known.iter().enumerate().map(column).collect()
}

/// Draws a concrete table that the release may stand for: known values from those that the labels cover, and sensitive
/// values as the release reports them. The draw depends on the look and the place in it, not on the order of rows.
fn draw(
    sides: &Sides,
    secret: usize,
    wells: &[Vec<Well>],
    encoder: &Encoder,
    by: (u64, u64),
) -> Result<Table> {
    let scene = &sides.scene;
    let rows = scene.rows();
    let mut cells: Vec<Vec<Cell>> = vec![Vec::new(); wells.len()];
    let mut class = Vec::new();
    let mut pace = scene.control.pace();
    for (place, look) in (0_u64..).zip(&scene.looks) {
        pace.tick(look.rows as usize)?;
        let of_class = &scene.classes[look.class as usize];
        let tally = &of_class.secrets[secret];
        if tally.total == 0 {
            continue;
        }
        let mut chance = chance(by, place);
        // If the rows of the look are the whole class, each value appears exactly as often as the release reports.
        let exactly = of_class.rows == look.rows && tally.total == look.rows;
        let value_at = |place: u64| {
            let mut left = place;
            let found = tally.of_value.iter().find(|(_, amount)| {
                let here = left < *amount;
                left = left.saturating_sub(*amount);
                here
            });
            found.map_or(0, |(value, _)| *value)
        };
        for row in 0..look.rows {
            if rows > ENOUGH && below(rows, &mut chance) >= ENOUGH {
                continue;
            }
            class.push(value_at(if exactly { row } else { below(tally.total, &mut chance) }));
            for ((cells, wells), label) in cells.iter_mut().zip(wells).zip(&look.labels) {
                let well = &wells[*label as usize];
                let drawn = below(well.last().map_or(1, |(up_to, _)| *up_to), &mut chance);
                let at = well.partition_point(|(up_to, _)| *up_to <= drawn);
                cells.push(well[at].1);
            }
        }
    }
    let columns =
        cells.into_iter().enumerate().map(|(place, cells)| encoder.column(place, cells.into_iter()));
    table(columns.collect(), class, scene.secrets[secret].column.values.len())
}

fn chance((seed, table): (u64, u64), look: u64) -> ChaCha8Rng {
    let mut start = [0; 32];
    start
        .chunks_exact_mut(8)
        .zip([seed, table, look])
        .for_each(|(bytes, number)| bytes.copy_from_slice(&number.to_le_bytes()));
    ChaCha8Rng::from_seed(start)
}

fn told(sides: &Sides, secret: usize, guesses: &[Vec<f64>], learner: &str) -> Finding {
    let of = &sides.scene.secrets[secret];
    let (truth, name) = (&of.of_person, &of.column.name);
    let right = |people: std::ops::Range<usize>| {
        let all = people.len() as u64;
        (people.filter(|person| likeliest(&guesses[*person]) == truth[*person]).count() as u64, all)
    };
    let (inside, outside) = (right(0..sides.inside), right(sides.inside..sides.scene.people));
    let mut often: BTreeMap<u32, u64> = BTreeMap::new();
    truth[..sides.inside].iter().for_each(|value| *often.entry(*value).or_default() += 1);
    let usual = often.values().max().map_or(0.0, |most| *most as f64 / inside.1 as f64);
    let share = |(hits, of): (u64, u64)| hits as f64 / of as f64;
    let pooled = share((inside.0 + outside.0, inside.1 + outside.1));
    let error = (pooled * (1.0 - pooled) * (1.0 / inside.1 as f64 + 1.0 / outside.1 as f64)).sqrt();
    let advantage = difference_interval(inside, outside)
        .map(|found| Figure::difference("advantage from being in the release", found));
    let mut figures: Vec<Figure> = advantage.iter().cloned().collect();
    for (what, side) in [("in the release", inside), ("outside", outside)] {
        let found = wilson_interval(side.0, side.1);
        figures
            .extend(found.map(|found| Figure::estimated(format!("right guesses of people {what}"), found)));
    }
    figures.push(Figure::counted("right guesses by the most frequent value", usual));
    let test = larger_share_test(inside, outside);
    if let Some(test) = test {
        figures.push(Figure::number(
            "z of the one-sided test that people in the release are guessed better",
            test.z,
        ));
        figures.push(Figure::number("p of that test", test.p_value));
    }
    figures.push(Figure::counted(
        "smallest advantage that a test with this many people finds in 4 of 5 cases",
        FOUND_IN_80_PERCENT * error,
    ));
    let at_risk = difference_interval(inside, outside).map(|found| {
        let found = Interval { estimate: found.estimate.max(0.0), high: found.high.max(0.0), ..found };
        Figure::estimated("people whose value is guessed only because they are in the release", found)
    });
    let worst = (0..sides.inside).map(|person| guesses[person][truth[person] as usize]).fold(0.0, f64::max);
    let mut limits = vec![
        "It compares averages of a learned classifier only.".to_owned(),
        "A reader who knows a person's group may learn more: see homogeneity and background knowledge."
            .to_owned(),
        "Small numbers of people on a side have no power: a difference may be there and not be found."
            .to_owned(),
        format!(
            "The classifier is {}, learnt from {TABLES} tables drawn from the release, and is asked by quasi-identifiers only.",
            registry::LEARNERS
                .iter()
                .find(|entry| entry.name == learner)
                .map_or(learner, |entry| entry.title)
        ),
    ];
    limits.extend(sides.limits());
    Finding {
        sentence: sentence(
            sides,
            name,
            (share(inside), share(outside), usual),
            test.map_or(1.0, |test| test.p_value),
        ),
        gain: Some(AttackGain { right: share(inside), without: share(outside) }),
        advantage,
        at_risk,
        worst: Some(worst),
        figures,
        limits,
        ..Finding::of(&ATTACK)
    }
}

/// Compares the shares of right guesses about people inside the release, about people outside, and from always guessing
/// the most frequent value.
fn sentence(sides: &Sides, name: &str, (inside, outside, usual): (f64, f64, f64), p_value: f64) -> String {
    let conclusion = if p_value < 0.05 {
        format!(
            "people in the release are guessed right more often than people outside, by {:.1} percentage points",
            100.0 * (inside - outside)
        )
    } else {
        "no difference that could be measured".to_owned()
    };
    let blind = if inside.max(outside) < usual {
        format!(" Both are below the {} that always guessing the most frequent value gets.", percent(usual))
    } else {
        String::new()
    };
    format!(
        "A model that learns {name} from {} is right about {} of the people in it and about {} of people outside: {conclusion}.{blind}",
        if sides.halves { "such a release" } else { "this release" },
        percent(inside),
        percent(outside)
    )
}

/// Chances this close count as equal: smaller differences are rounding and must not decide.
const SAME: f64 = 1e-9;

/// The likeliest value, the first among ties.
fn likeliest(chances: &[f64]) -> u32 {
    let best = chances.iter().copied().fold(0.0, f64::max);
    chances.iter().position(|chance| *chance >= best - SAME).unwrap_or(0) as u32
}

#[cfg(test)]
mod tests {
    use super::super::staged::{Stage, table};
    use super::*;

    const COLUMNS: &[(&str, &str)] = &[("age", "quasi"), ("sex", "quasi"), ("disease", "sensitive")];

    fn figure(found: &Finding, name: &str) -> f64 {
        found
            .figures
            .iter()
            .find(|figure| figure.name == name)
            .unwrap_or_else(|| panic!("{name}: {found:?}"))
            .value
    }

    fn names() -> Vec<String> {
        COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    /// People whose disease depends on age, except for about every seventh.
    fn people(from: u64, to: u64) -> Vec<[String; 3]> {
        let person = |number: u64| {
            let mixed = number.wrapping_mul(2_654_435_761) % 1_009;
            let age = 20 + mixed % 50;
            let ill = (age >= 45) != mixed.is_multiple_of(7);
            [
                age.to_string(),
                if mixed.is_multiple_of(2) { "f" } else { "m" }.to_owned(),
                if ill { "yes" } else { "no" }.to_owned(),
            ]
        };
        (from..to).map(person).collect()
    }

    fn coarse(people: &[[String; 3]]) -> Vec<[String; 3]> {
        let shown = |[age, _, disease]: &[String; 3]| {
            let range = if age.parse::<u64>().expect("an age") < 45 { "[20,45)" } else { "[45,70)" };
            [range.to_owned(), "*".to_owned(), disease.clone()]
        };
        people.iter().map(shown).collect()
    }

    /// The release reports only whether somebody is younger or older than 45: everybody is guessed by this rule, in the
    /// release or not.
    #[test]
    fn people_outside_are_guessed_as_well_as_people_inside() {
        let (inside, outside) = (people(0, 240), people(240, 440));
        let mut stage = Stage::new(COLUMNS, &coarse(&inside), &inside);
        stage.outsiders = Some(table(&names(), &outside));
        let found = &stage.run(&ATTACK)[0];
        let by_rule = |people: &[[String; 3]]| {
            let right = |[age, _, disease]: &&[String; 3]| {
                (age.parse::<u64>().expect("an age") >= 45) == (disease == "yes")
            };
            people.iter().filter(right).count() as f64 / people.len() as f64
        };
        assert_eq!(figure(found, "right guesses of people in the release"), by_rule(&inside), "{found:?}");
        assert_eq!(figure(found, "right guesses of people outside"), by_rule(&outside));
        let advantage = &found.figures[0];
        assert!(advantage.interval.is_some_and(|(low, high)| low < 0.0 && 0.0 < high), "{advantage:?}");
        assert!(found.sentence.contains("no difference"), "{}", found.sentence);
        assert!(found.limits.iter().any(|limit| limit.contains("averages of a learned classifier")));
        let mut turned = coarse(&inside);
        turned.reverse();
        let mut other = Stage::new(COLUMNS, &turned, &inside);
        other.outsiders = Some(table(&names(), &outside));
        assert_eq!(other.run(&ATTACK)[0], *found, "the order of rows decides nothing");
    }

    /// Values that depend on the town, where outsiders live in other towns: what is learnt is only about the people
    /// inside.
    #[test]
    fn a_table_published_as_it_is_tells_more_about_those_in_it() {
        let person = |number: u64| {
            let value = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63;
            [format!("town {number}"), "f".to_owned(), value.to_string()]
        };
        let inside: Vec<[String; 3]> = (0..400).map(|number| person(number / 10 * 20)).collect();
        let outside: Vec<[String; 3]> = (0..400).map(|number| person(number / 10 * 20 + 10)).collect();
        let mut stage = Stage::new(COLUMNS, &inside, &inside);
        stage.outsiders = Some(table(&names(), &outside));
        let found = &stage.run(&ATTACK)[0];
        assert!(figure(found, "right guesses of people in the release") > 0.95, "{found:?}");
        assert!(figure(found, "p of that test") < 0.01);
        assert!(found.sentence.contains("more often than people outside, by"), "{}", found.sentence);
        assert!(found.at_risk.as_ref().is_some_and(|risk| risk.value > 0.1));
    }

    #[test]
    fn half_of_the_people_stands_for_the_release() {
        let people = people(0, 200);
        let mut stage = Stage::new(COLUMNS, &coarse(&people), &people);
        stage.require("k_anonymity", 5);
        let found = &stage.run(&ATTACK)[0];
        assert_eq!(found.not_run, None);
        assert!(found.sentence.contains("such a release"));
        assert!(found.limits.iter().any(|limit| limit.contains("not about this very file")));
        let advantage = &found.figures[0];
        assert!(advantage.interval.is_some_and(|(low, high)| low < 0.0 && 0.0 < high), "{advantage:?}");
    }

    #[test]
    fn frequencies_are_drawn_from() {
        let people: Vec<[String; 3]> = people(0, 40);
        let told =
            |_: &[String; 3]| ["[20,70)".to_owned(), "*".to_owned(), r#"{"no":0.75,"yes":0.25}"#.to_owned()];
        let released: Vec<[String; 3]> = people.iter().map(told).collect();
        let mut stage = Stage::new(COLUMNS, &released, &people);
        stage.outsiders = Some(table(&names(), &people[..20]));
        let found = &stage.run(&ATTACK)[0];
        let no = people.iter().filter(|person| person[2] == "no").count() as f64 / 40.0;
        assert_eq!(
            figure(found, "right guesses of people in the release"),
            no,
            "everybody is guessed to have the likelier value: {found:?}"
        );
    }

    #[test]
    fn what_cannot_be_guessed_is_not_run() {
        let rows: Vec<[String; 3]> =
            people(0, 20).into_iter().map(|[age, sex, _]| [age, sex, "x".to_owned()]).collect();
        let mut stage = Stage::new(COLUMNS, &rows, &rows);
        assert!(stage.run(&ATTACK)[0].not_run.as_ref().is_some_and(|why| why.contains("(outsiders)")));
        stage.outsiders = Some(table(&names(), &rows));
        assert!(stage.run(&ATTACK)[0].not_run.as_ref().is_some_and(|why| why.contains("one value only")));
        stage.outsiders =
            Some(table(&names()[..2], &rows.iter().map(|[age, sex, _]| [age, sex]).collect::<Vec<_>>()));
        assert!(
            stage.run(&ATTACK)[0].not_run.as_ref().is_some_and(|why| why.contains("no column 'disease'"))
        );
        let bare: Vec<[String; 2]> = rows.iter().map(|[age, sex, _]| [age.clone(), sex.clone()]).collect();
        let found = Stage::new(&COLUMNS[..2], &bare, &bare).run(&ATTACK);
        assert!(found[0].not_run.as_ref().is_some_and(|why| why.contains("No sensitive column")));
    }

    #[test]
    fn the_first_of_equals_is_likeliest() {
        assert_eq!((likeliest(&[0.2, 0.4, 0.4]), likeliest(&[0.5, 0.5]), likeliest(&[])), (1, 0, 0));
    }
}
