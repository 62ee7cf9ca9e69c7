//! Predicate singling-out: an attacker who sees nothing but the release writes down a description that fits exactly one person (Cohen and
//! Nissim 2020).
//!
//! The description of a group of s rows is "fits all labels of the group, and a number computed from the person's whole
//! record is below 1/s". Such a number behaves like a random one: of s different people exactly one is below 1/s with
//! probability (1 − 1/s)^(s − 1), about 37 %. A description singles out only if it would hardly have fitted anybody
//! without the release: it counts if it fits at most one in ten times as many people as the release has. Guessing
//! descriptions of weight w succeeds in n·w·(1 − w)^(n − 1) of tries.

mod weight;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;
use scumble::base::chance::shuffle;
use scumble::report::data::Learns;
use scumble::report::drawing::{count, percent};
use scumble::{Error, Result};
use scumble_files::table::CodedTable;

use self::weight::Weights;
use super::{Attack, Case, Figure, Finding, Scene, View};
use crate::statistics::{Interval, wilson_interval};

pub(super) const ATTACK: Attack = Attack {
    name: "singling_out",
    title: "Predicate singling-out",
    paper: "Cohen and Nissim (2020); Cohen (2022)",
    about: "Somebody who sees only the release writes down a description that fits exactly one person, without knowing whom.",
    without_row: "descriptions are compared with all of them, and those that fit none of them count as failed.",
    learns: Learns::Row,
    rests_on_method: false,
    run,
};

/// A description counts if it fits at most one in this many times the release's people.
const RARE: f64 = 10.0;

/// This many people are enough to estimate how common a label is.
const ENOUGH: usize = 50_000;

/// The most descriptions of one group.
const MOST_TRIES: u64 = 100;

/// One group: its description, and how often that fitted exactly one person.
struct Group {
    /// The weight of a description.
    weight: f64,
    /// The chance that a description fits exactly one person, if all of them differ.
    expected: f64,
    hits: u64,
    /// Whether one of its people has a value of a sensitive column alone.
    alone: bool,
}

fn run(case: &Case<'_>) -> Result<Vec<Finding>> {
    let scene = case.scene;
    let mut looks: Vec<u32> =
        (0..).zip(&scene.looks).filter(|(_, look)| !look.star).map(|(place, _)| place).collect();
    if looks.is_empty() || scene.people == 0 {
        let why = "The release shows no quasi-identifier of anybody, so there is no group to describe. Give a release that does.";
        return Ok(vec![Finding::not_run(&ATTACK, why)]);
    }
    let all_looks = looks.len();
    let mut chance = ChaCha8Rng::seed_from_u64(case.options.seed);
    let some = |items: &mut Vec<u32>, most: usize, chance: &mut ChaCha8Rng| {
        if items.len() > most {
            shuffle(items, chance);
            items.truncate(most);
            items.sort_unstable();
        }
    };
    some(&mut looks, case.options.people.max(1), &mut chance);
    let mut people: Vec<u32> = (0..scene.people as u32).collect();
    some(&mut people, ENOUGH, &mut chance);
    let tries = (case.options.people as u64 / looks.len() as u64).clamp(1, MOST_TRIES);
    let weights = Weights::new(scene, &people, &looks);
    let records = records(case.original, scene.people)?;
    let members = members(scene, &looks);
    let group = |(place, members): (&u32, &Vec<u32>)| {
        let look = &scene.looks[*place as usize];
        let limit = u64::MAX / look.rows;
        let fits = |attempt: u64| {
            let salt = mixed(mixed(case.options.seed, u64::from(*place)), attempt);
            members.iter().filter(|person| mixed(salt, records[**person as usize]) <= limit).count()
        };
        let class = &scene.classes[look.class as usize];
        Group {
            weight: weights.of(&look.labels) / look.rows as f64,
            expected: exactly_one(members.len() as f64, 1.0 / look.rows as f64),
            hits: (0..tries).filter(|attempt| !scene.is_stopped() && fits(*attempt) == 1).count() as u64,
            alone: class.rows == look.rows
                && class.secrets.iter().zip(&scene.secrets).any(|(tally, secret)| {
                    // A value that the group shows once and that only one of the people who fit the group has.
                    let having = |value: u32| {
                        members.iter().filter(|person| secret.of_person[**person as usize] == value).count()
                    };
                    tally.total == class.rows
                        && tally.of_value.iter().any(|(value, amount)| *amount == 1 && having(*value) == 1)
                }),
        }
    };
    scene.begin(looks.len());
    let groups: Vec<Group> = looks.par_iter().zip(&members).inspect(|_| scene.advance()).map(group).collect();
    let mut finding = told(&groups, tries, scene.people as u64, !scene.secrets.is_empty());
    if looks.len() < all_looks {
        finding.limits.push(format!(
            "{} of {} groups were looked at.",
            count(looks.len() as u64),
            count(all_looks as u64)
        ));
    }
    Ok(vec![finding])
}

fn told(groups: &[Group], tries: u64, people: u64, secrets: bool) -> Finding {
    let rare: Vec<&Group> =
        groups.iter().filter(|group| group.weight * RARE * people as f64 <= 1.0).collect();
    let all = groups.len() as u64 * tries;
    let hits: u64 = rare.iter().map(|group| group.hits).sum();
    let counted = rare.len() as u64 * tries;
    let mean = |of: &dyn Fn(&Group) -> f64| {
        rare.iter().map(|group| of(group)).sum::<f64>() / rare.len().max(1) as f64
    };
    let blind = mean(&|group| exactly_one(people as f64, group.weight));
    let share = |name: &str, hits: u64, of: u64| {
        wilson_interval(hits, of)
            .map_or_else(|| Figure::counted(name, 0.0), |found| Figure::estimated(name, found))
    };
    let mut figures = vec![Figure::counted(
        "groups whose description is rare enough to count",
        rare.len() as f64 / groups.len() as f64,
    )];
    if !rare.is_empty() {
        figures.push(share("rare descriptions that fit exactly one person", hits, counted));
        figures.push(Figure::counted("the same as theory expects it", mean(&|group| group.expected)));
        figures.push(Figure::counted("the same without the release", blind));
    }
    figures.push(share(
        "all descriptions that fit exactly one person",
        groups.iter().map(|group| group.hits).sum(),
        all,
    ));
    let mut weights: Vec<f64> = groups.iter().map(|group| group.weight).collect();
    weights.sort_unstable_by(f64::total_cmp);
    figures.push(Figure::counted(
        "median share of the population that a description fits",
        weights[weights.len() / 2],
    ));
    figures.push(Figure::counted(
        "share up to which a description counts as rare",
        1.0 / (RARE * people as f64),
    ));
    if secrets {
        let alone = groups.iter().filter(|group| group.alone).count() as f64 / groups.len() as f64;
        figures.push(Figure::counted(
            "groups in which somebody is described by a sensitive value of their own",
            alone,
        ));
    }
    // What rare descriptions hit without the release is taken off.
    let usual = if all == 0 { 0.0 } else { blind * counted as f64 / all as f64 };
    let advantage = wilson_interval(hits, all).map(|found| {
        let less = |share: f64| share - usual;
        let found = Interval { estimate: less(found.estimate), low: less(found.low), high: less(found.high) };
        Figure::difference("advantage of rare descriptions that the release suggests", found)
    });
    let by_luck = groups.iter().map(|group| group.hits).sum::<u64>();
    let sentence = if hits > 0 {
        format!(
            "For about {} of 100 groups a reader of this release can write down a description that fits exactly one person; without the release \
             a description so rare fits exactly one person in {} of 100 tries. k-anonymity does not prevent this; differential privacy would.",
            hundredths(hits as f64 / all as f64),
            hundredths(blind)
        )
    } else if rare.is_empty() && by_luck > 0 {
        format!(
            "No risk was found by this attack. For about {} of 100 groups the release suggests a description that fits exactly one person, but these \
             descriptions are so common in the population that this is luck. k-anonymity alone does not guarantee this result.",
            hundredths(by_luck as f64 / all as f64)
        )
    } else {
        "No rare description that the release suggests fits exactly one person.".to_owned()
    };
    Finding {
        sentence,
        at_risk: Some(share("groups with a rare description that fits exactly one person", hits, all)),
        advantage,
        worst: Some(rare.iter().map(|group| group.expected).fold(0.0, f64::max)),
        figures,
        limits: vec![
            "The attacker knows that exactly one person fits the description, but not who that is.".to_owned(),
            "How rare a description is was estimated from the people of the original, by pairs of columns; where three columns go together in a way \
             that no two of them show, descriptions are less rare than said here."
                .to_owned(),
            format!(
                "Descriptions count where they fit at most 1 in {} people; the theory asks for smaller and smaller shares as tables grow.",
                count(people * RARE as u64)
            ),
        ],
        ..Finding::of(&ATTACK)
    }
}

/// Writes a share as a number out of 100, with the digits that matter.
fn hundredths(share: f64) -> String {
    percent(share).trim_end_matches(['%', '\u{a0}', ' ']).to_owned()
}

/// The chance that exactly one of this many people fits, if each fits with this chance.
fn exactly_one(people: f64, chance: f64) -> f64 {
    if people == 0.0 { 0.0 } else { people * chance * (1.0 - chance).powf(people - 1.0) }
}

/// Returns the people whom the labels of each of these looks fit. The looks are ascending.
fn members(scene: &Scene, looks: &[u32]) -> Vec<Vec<u32>> {
    let all: Vec<usize> = (0..scene.known.len()).collect();
    let view = View::new(scene, &all);
    let mut place = vec![None; scene.looks.len()];
    looks.iter().enumerate().for_each(|(at, look)| place[*look as usize] = Some(at));
    let of_person: Vec<Vec<usize>> = (0..scene.people)
        .into_par_iter()
        .map(|person| {
            let groups = view.groups_of(person);
            groups
                .iter()
                .flat_map(|group| view.looks_of(*group))
                .filter_map(|look| place[*look as usize])
                .collect()
        })
        .collect();
    let mut found = vec![Vec::new(); looks.len()];
    for (person, at) in (0..).zip(of_person) {
        at.into_iter().for_each(|at| found[at].push(person));
    }
    found
}

/// Computes a number from each person's whole record.
fn records(original: &CodedTable, people: usize) -> Result<Vec<u64>> {
    if original.rows != people {
        return Err(Error::internal("the people of a scene are not those of its original"));
    }
    let mut found = vec![0; people];
    for column in &original.columns {
        let texts: Vec<u64> = column
            .values
            .iter()
            .map(|text| text.bytes().fold(text.len() as u64, |sum, byte| mixed(sum, byte.into())))
            .collect();
        found
            .iter_mut()
            .zip(column.codes.iter())
            .for_each(|(sum, code)| *sum = mixed(*sum, texts[code as usize]));
    }
    Ok(found)
}

/// Mixes two numbers into one that looks random: the finaliser of SplitMix64 (Steele, Lea and Flood 2014), the same on
/// every machine.
fn mixed(one: u64, other: u64) -> u64 {
    let mut sum =
        one.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(other).wrapping_add(0x9E37_79B9_7F4A_7C15);
    sum = (sum ^ (sum >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    sum = (sum ^ (sum >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    sum ^ (sum >> 31)
}

#[cfg(test)]
mod tests {
    use super::super::staged::Stage;
    use super::*;

    const COLUMNS: &[(&str, &str)] = &[
        ("a", "quasi"),
        ("b", "quasi"),
        ("c", "quasi"),
        ("d", "quasi"),
        ("e", "quasi"),
        ("f", "quasi"),
        ("g", "quasi"),
        ("h", "quasi"),
        ("disease", "sensitive"),
    ];

    /// 200 people in 20 groups of ten: eight columns of 12 values, where each group covers ranges of three.
    fn people() -> Vec<[String; 9]> {
        let value = |person: u64, column: u64| mixed(person / 10, column) % 4 * 3 + mixed(person, column) % 3;
        let cell = |person: u64, column: u64| if column < 8 { value(person, column) } else { person % 7 };
        (0..200).map(|person| std::array::from_fn(|column| cell(person, column as u64).to_string())).collect()
    }

    fn released(people: &[[String; 9]]) -> Vec<[String; 9]> {
        let range = |text: &String| {
            let low = text.parse::<u64>().expect("a number") / 3 * 3;
            format!("[{low},{})", low + 3)
        };
        let shown = |person: &[String; 9]| {
            std::array::from_fn(
                |column| if column < 8 { range(&person[column]) } else { person[column].clone() },
            )
        };
        people.iter().map(shown).collect()
    }

    fn figure(found: &Finding, name: &str) -> Figure {
        found
            .figures
            .iter()
            .find(|figure| figure.name == name)
            .unwrap_or_else(|| panic!("{name}: {found:?}"))
            .clone()
    }

    /// Groups of ten: 0.9^9 = 0.387420.
    #[test]
    fn about_37_of_100_groups() {
        let people = people();
        let stage = Stage::new(COLUMNS, &released(&people), &people);
        let found = &stage.run(&ATTACK)[0];
        assert!((figure(found, "the same as theory expects it").value - 0.387_420).abs() < 5e-7, "{found:?}");
        let rare = figure(found, "groups whose description is rare enough to count").value;
        assert!(rare > 0.5, "{found:?}");
        let hit = figure(found, "rare descriptions that fit exactly one person");
        assert!(hit.interval.is_some_and(|(low, high)| low < 0.387_420 && 0.387_420 < high), "{hit:?}");
        // Weights are at most 1/2000, so a blind guess succeeds in at most 200/2000 of tries.
        assert!(figure(found, "the same without the release").value < 0.1);
        assert!(found.at_risk.as_ref().is_some_and(|risk| (risk.value - rare * hit.value).abs() < 1e-12));
        assert!(
            found.sentence.contains("of 100 groups") && found.sentence.contains("differential privacy"),
            "{}",
            found.sentence
        );
        let mut turned = released(&people);
        turned.reverse();
        assert_eq!(
            Stage::new(COLUMNS, &turned, &people).run(&ATTACK)[0],
            *found,
            "the order of rows decides nothing"
        );
    }

    #[test]
    fn exactly_one_of_several() {
        assert!((exactly_one(2.0, 0.5) - 0.5).abs() < 1e-12);
        assert_eq!(exactly_one(1.0, 1.0), 1.0);
        assert_eq!((exactly_one(0.0, 0.5), exactly_one(3.0, 1.0)), (0.0, 0.0));
        // In large groups the chance is 1/e.
        assert!((exactly_one(1e6, 1e-6) - (-1.0_f64).exp()).abs() < 1e-6);
    }

    /// One column and two groups, each half of everybody: belonging to one is no surprise.
    #[test]
    fn common_descriptions_do_not_count() {
        let rows: Vec<[String; 1]> = (0..40).map(|row| [(row % 2).to_string()]).collect();
        let found = &Stage::new(&COLUMNS[..1], &rows, &rows).run(&ATTACK)[0];
        assert_eq!(figure(found, "groups whose description is rare enough to count").value, 0.0);
        assert_eq!((found.at_risk.as_ref().map(|risk| risk.value), found.worst), (Some(0.0), Some(0.0)));
        assert!(found.sentence.contains("No rare description"), "{}", found.sentence);
        // Equal records have equal numbers, so no description tells them apart.
        assert_eq!(figure(found, "all descriptions that fit exactly one person").value, 0.0);
    }

    #[test]
    fn a_value_of_ones_own_and_a_release_that_shows_nothing() {
        let people = [["1", "flu"], ["1", "flu"], ["1", "hiv"], ["2", "flu"], ["2", "flu"]];
        let columns = [COLUMNS[0], COLUMNS[8]];
        let found = &Stage::new(&columns, &people, &people).run(&ATTACK)[0];
        let name = "groups in which somebody is described by a sensitive value of their own";
        assert_eq!(figure(found, name).value, 0.5);
        let stars = [["*", "flu"]; 5];
        let found = Stage::new(&columns, &stars, &people).run(&ATTACK);
        assert!(found[0].not_run.is_some());
    }

    /// A thousand descriptions of two people with different records: half of them fit exactly one of the two.
    #[test]
    fn numbers_of_records_look_drawn() {
        let one = (0..1000_u64)
            .filter(|salt| (mixed(*salt, 1) <= u64::MAX / 2) != (mixed(*salt, 2) <= u64::MAX / 2))
            .count();
        // The tolerance is five standard deviations of 15.8.
        assert!((421..=579).contains(&one), "{one}");
    }
}
