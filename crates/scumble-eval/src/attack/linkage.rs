//! Linkage with partial knowledge: the number of rows that may be a person's, for an attacker who knows some facts
//! about the person (models.md 4.3).

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;
use scumble::Result;
use scumble::base::chance::{below, shuffle};
use scumble::report::data::{AttackGain, Learns};
use scumble::report::drawing::{count, counted, list, percent};

use super::{Attack, Case, Figure, Finding, Options, Scene, View};
use crate::statistics::{mean_interval, wilson_interval};

pub(crate) const ATTACK: Attack = Attack {
    name: "linkage",
    title: "Linkage with partial knowledge",
    paper: "Sweeney (2002); Elliot and Dale (1999)",
    about: "Somebody knows some facts about a person and picks one of the rows that fit. Any combination of a few columns is tried, and all of them.",
    without_row: "they count as not found.",
    learns: Learns::Row,
    rests_on_method: false,
    run,
};

/// What an attacker who knows some columns achieves.
struct Linked {
    columns: usize,
    /// For each person that was examined, over all combinations of this many columns: how often the person was singled
    /// out, and how often a pick among the rows that fit is right.
    people: Vec<(f64, f64)>,
    /// The same for each combination, over the people that were examined.
    combinations: Vec<(f64, f64)>,
    /// The combination that singles out most people, and their share.
    worst: (Vec<usize>, f64),
    /// Whether every combination was examined.
    complete: bool,
    /// Whether some known facts may be wrong at random.
    noisy: bool,
}

impl Linked {
    fn figure(&self, name: String, of: impl Fn(&(f64, f64)) -> f64, everybody: bool) -> Figure {
        // The uncertainty comes from what was sampled: people or, if everybody was examined, combinations.
        let drawn = if everybody { &self.combinations } else { &self.people };
        let values: Vec<f64> = drawn.iter().map(of).collect();
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        if everybody && self.complete && !self.noisy {
            return Figure::counted(name, mean);
        }
        // If all are found, or nobody, the spread among those examined says nothing about the others.
        let hits = values.iter().filter(|value| **value == 1.0).count() as u64;
        let yes_or_no = values.iter().all(|value| *value == 0.0 || *value == 1.0);
        let found =
            if yes_or_no { wilson_interval(hits, values.len() as u64) } else { mean_interval(&values) };
        found.map_or_else(
            || Figure::counted(name.clone(), mean),
            |found| Figure::estimated(name.clone(), found),
        )
    }
}

/// The name of the knowledge of all columns that outsiders may know.
pub(crate) const EVERYTHING: &str = "everything";

/// The name of the share of people whose row is picked right by an attacker who knows `what`.
pub(crate) fn picked_right_by(what: &str) -> String {
    format!("picked right by {what}")
}

fn run(case: &Case<'_>) -> Result<Vec<Finding>> {
    let (scene, options) = (case.scene, case.options);
    let all = scene.known.len();
    let mut sizes: Vec<usize> = (1..=options.known_columns.min(all)).collect();
    if sizes.last() != Some(&all) {
        sizes.push(all);
    }
    let mut chance = ChaCha8Rng::seed_from_u64(options.seed);
    let people = some_people(scene, options, &mut chance);
    let everybody = people.len() == scene.people;
    let found: Vec<Linked> =
        sizes.iter().map(|size| link(scene, *size, &people, options, &mut chance)).collect();
    let mut figures = Vec::new();
    for linked in &found {
        let what = match linked.columns {
            columns if columns == all => EVERYTHING.to_owned(),
            columns => format!("any {}", counted(columns as u64, "column", "columns")),
        };
        figures.push(linked.figure(format!("singled out by {what}"), |of| of.0, everybody));
        figures.push(linked.figure(picked_right_by(&what), |of| of.1, everybody));
    }
    let last = &found[found.len() - 1];
    let worst = last.people.iter().map(|of| of.1).fold(0.0, f64::max);
    let mut limits =
        vec!["Whoever knows further columns that the release keeps exactly may do better.".to_owned()];
    if !everybody {
        limits.push(format!(
            "{} of {} people were looked at; the worst-off person may be another.",
            count(people.len() as u64),
            count(scene.people as u64)
        ));
    }
    if scene.ambiguous > 0 {
        limits.push(format!(
            "{} people fit several groups. This attacker cannot tell which of them is the person's, so the chance is lower than the average chance in \
             the report, which is one divided by the size of the person's own group.",
            count(scene.ambiguous)
        ));
    }
    if options.noise > 0.0 {
        limits.push(format!("{} of what the attacker thinks they know is wrong.", percent(options.noise)));
    }
    let mut sentence = sentence(scene, &found);
    if scene.rows_of_nobody > 0 {
        sentence += " Rows of this table do not stand for these people one by one, so a right row is one that fits, and whose it is nobody can say.";
        limits.push(
            "Only rows that fit exactly were looked at; whoever takes rows that nearly fit may do better."
                .to_owned(),
        );
    }
    Ok(vec![Finding {
        sentence,
        gain: Some(AttackGain { right: mean(last, |of| of.1), without: 1.0 / scene.people.max(1) as f64 }),
        at_risk: Some(last.figure("people singled out by everything".to_owned(), |of| of.0, everybody)),
        worst: Some(worst),
        figures,
        limits,
        ..Finding::of(&ATTACK)
    }])
}

/// The mean over people of one of the two figures.
fn mean(linked: &Linked, of: fn(&(f64, f64)) -> f64) -> f64 {
    linked.people.iter().map(of).sum::<f64>() / linked.people.len().max(1) as f64
}

fn sentence(scene: &Scene, found: &[Linked]) -> String {
    let last = &found[found.len() - 1];
    let partial = &found[found.len().saturating_sub(2)];
    let picked = mean(last, |of| of.1);
    let singled_out = |linked: &Linked| match mean(linked, |of| of.0) {
        0.0 => "never gets down to one row".to_owned(),
        share => format!("gets down to one row for {} of people", percent(share)),
    };
    let mut told = format!(
        "Knowing {}, an attacker {}, and guesses the right one {} of the time",
        match last.columns {
            1 => "this fact".to_owned(),
            facts => format!("all {facts} facts"),
        },
        singled_out(last),
        percent(picked)
    );
    if partial.columns < last.columns {
        told += &format!(
            ". Knowing any {} of them, the attacker {}, and is right {} of the time",
            partial.columns,
            singled_out(partial),
            percent(mean(partial, |of| of.1))
        );
    }
    if partial.worst.1 > 0.0 {
        let names: Vec<&str> =
            partial.worst.0.iter().map(|column| scene.known[*column].name.as_str()).collect();
        told += &format!(" ({} single out most: {})", list(&names, 4), percent(partial.worst.1));
    }
    told + "."
}

/// Returns everybody or, of too many people, a random sample, in ascending order.
pub(super) fn some_people(scene: &Scene, options: &Options, chance: &mut ChaCha8Rng) -> Vec<u32> {
    let mut people: Vec<u32> = (0..scene.people as u32).collect();
    if people.len() > options.people {
        shuffle(&mut people, chance);
        people.truncate(options.people);
        people.sort_unstable();
    }
    people
}

/// Returns combinations of `size` columns, all of them or a random sample, and whether these are all.
fn combinations(
    columns: usize,
    size: usize,
    most: usize,
    chance: &mut ChaCha8Rng,
) -> (Vec<Vec<usize>>, bool) {
    let all = (0..size).try_fold(1_usize, |all, place| Some(all.checked_mul(columns - place)? / (place + 1)));
    if all.is_some_and(|all| all <= most) {
        let mut found = vec![Vec::new()];
        for column in 0..columns {
            let longer: Vec<Vec<usize>> = found
                .iter()
                .filter(|chosen: &&Vec<usize>| chosen.len() < size)
                .map(|chosen| [&chosen[..], &[column]].concat())
                .collect();
            found.extend(longer);
        }
        found.retain(|chosen| chosen.len() == size);
        found.sort_unstable();
        return (found, true);
    }
    let mut found: Vec<Vec<usize>> = Vec::new();
    while found.len() < most {
        let mut order: Vec<usize> = (0..columns).collect();
        shuffle(&mut order, chance);
        order.truncate(size);
        order.sort_unstable();
        if !found.contains(&order) {
            found.push(order);
        }
    }
    found.sort_unstable();
    (found, false)
}

/// Links people by combinations of `size` columns.
fn link(scene: &Scene, size: usize, people: &[u32], options: &Options, chance: &mut ChaCha8Rng) -> Linked {
    let (sets, complete) = combinations(scene.known.len(), size, options.combinations, chance);
    let seeds: Vec<u64> = sets.iter().map(|_| below(u64::MAX, chance)).collect();
    scene.begin(sets.len() * people.len());
    let by_set: Vec<Vec<(bool, f64)>> = sets
        .par_iter()
        .zip(seeds)
        .map(|(columns, seed)| {
            let view = View::new(scene, columns);
            let mut chance = ChaCha8Rng::seed_from_u64(seed);
            people
                .iter()
                .inspect(|_| scene.advance())
                .map(|person| pick(scene, &view, columns, *person as usize, options.noise, &mut chance))
                .collect()
        })
        .collect();
    let alone = |found: &Vec<(bool, f64)>| found.iter().filter(|of| of.0).count();
    let worst = sets.iter().zip(&by_set).map(|(set, found)| (set.clone(), alone(found)));
    let worst = worst.fold((Vec::new(), 0), |best, next| if next.1 > best.1 { next } else { best });
    let times = sets.len().max(1) as f64;
    let of_person = |place: usize| {
        let sum = by_set.iter().fold((0.0, 0.0), |sum, found| {
            let (alone, right) = found[place];
            (sum.0 + f64::from(u8::from(alone)), sum.1 + right)
        });
        (sum.0 / times, sum.1 / times)
    };
    let of_set = |found: &[(bool, f64)]| {
        let people = found.len().max(1) as f64;
        let alone = found.iter().filter(|of| of.0).count() as f64;
        (alone / people, found.iter().map(|of| of.1).sum::<f64>() / people)
    };
    Linked {
        columns: size,
        people: (0..people.len()).map(of_person).collect(),
        worst: (worst.0, worst.1 as f64 / people.len().max(1) as f64),
        combinations: by_set.iter().map(|found| of_set(found)).collect(),
        complete,
        noisy: options.noise > 0.0,
    }
}

/// Returns whether a person is singled out, and the chance that a pick among the rows that fit is the person's row.
fn pick(
    scene: &Scene,
    view: &View<'_>,
    columns: &[usize],
    person: usize,
    noise: f64,
    chance: &mut ChaCha8Rng,
) -> (bool, f64) {
    let Some(look) = scene.look_of_person[person] else { return (false, 0.0) };
    let mut values = view.key(person);
    if noise > 0.0 {
        for (value, column) in values.iter_mut().zip(columns) {
            // A wrong fact is the value of a random person.
            if below(1_000_000, chance) < (noise * 1e6) as u64 {
                let known = &scene.known[*column];
                *value = known.of_person[below(scene.people as u64, chance) as usize];
            }
        }
    }
    let groups = view.groups_with(&values);
    if groups.binary_search(&view.group_of_look[look as usize]).is_err() {
        return (false, 0.0);
    }
    // Rows that show nothing may be anybody's, so an attacker takes one only if no other row fits.
    let telling: u64 = groups.iter().map(|group| view.telling_rows(*group)).sum();
    let candidates = match (telling, scene.looks[look as usize].star) {
        (0, _) => groups.iter().map(|group| view.rows(*group)).sum(),
        (_, true) => return (false, 0.0),
        (telling, false) => telling,
    };
    (candidates == 1, 1.0 / candidates as f64)
}

#[cfg(test)]
mod tests {
    use super::super::scene::tests::scene;
    use super::super::tests::case;
    use super::*;

    /// Six people and three facts of two values each, published unchanged: one fact singles out nobody, two a third
    /// of people, three two thirds. A pick is right in 1/3, 2/3 and 5/6 of tries (models.md 4.3).
    #[test]
    fn the_table_of_the_specification() {
        let rows = [
            ["0", "0", "0"],
            ["0", "0", "0"],
            ["0", "1", "1"],
            ["1", "0", "1"],
            ["1", "1", "0"],
            ["1", "1", "1"],
        ];
        let found = case(&scene(&["a", "b", "c"], &rows, &rows, &[]), |case| run(case).expect("a finding"));
        let values: Vec<f64> = found[0].figures.iter().map(|figure| figure.value).collect();
        let wanted = [0.0, 1.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 5.0 / 6.0];
        assert!(
            values.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-12),
            "{values:?}"
        );
        assert!(found[0].figures.iter().all(|figure| figure.interval.is_none()), "everybody was looked at");
        assert!((found[0].at_risk.as_ref().expect("a share").value - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(found[0].worst, Some(1.0));
    }

    #[test]
    fn coarser_values_hide() {
        let original = [["20", "f"], ["25", "m"], ["30", "f"], ["35", "m"]];
        let released = [["[20,30)", "*"], ["[20,30)", "*"], ["[30,40)", "*"], ["[30,40)", "*"]];
        let found =
            case(&scene(&["age", "sex"], &released, &original, &[]), |case| run(case).expect("a finding"));
        let right = found[0].figures.iter().find(|figure| figure.name == picked_right_by(EVERYTHING));
        assert_eq!(right.map(|figure| figure.value), Some(0.5));
        assert_eq!(found[0].at_risk.as_ref().map(|figure| figure.value), Some(0.0));
    }

    #[test]
    fn rows_that_show_nothing_hide_nobody_else() {
        let original = [["20"], ["20"], ["30"], ["40"], ["50"]];
        let released = [["20"], ["20"], ["*"], ["*"], ["*"]];
        let found = case(&scene(&["age"], &released, &original, &[]), |case| run(case).expect("a finding"));
        let right = found[0].figures.iter().find(|figure| figure.name == picked_right_by(EVERYTHING));
        // Two of them are picked right in one of two tries, three in one of three.
        assert!(right.is_some_and(|figure| (figure.value - 0.4).abs() < 1e-12), "{right:?}");
    }

    #[test]
    fn combinations_are_all_or_some() {
        let mut chance = ChaCha8Rng::seed_from_u64(1);
        let (all, complete) = combinations(4, 2, 64, &mut chance);
        assert_eq!((all.len(), complete), (6, true));
        let (some, complete) = combinations(20, 5, 10, &mut chance);
        assert!(!complete && some.len() == 10 && some.iter().all(|set| set.len() == 5));
    }

    #[test]
    fn wrong_facts_find_nobody_more() {
        let rows: Vec<[String; 1]> = (0..200).map(|person| [person.to_string()]).collect();
        let rows: Vec<[&str; 1]> = rows.iter().map(|row| [row[0].as_str()]).collect();
        let scene = scene(&["id"], &rows, &rows, &[]);
        let share = |noise: f64| {
            super::super::tests::case_with(&scene, &Options { noise, ..Options::default() }, |case| {
                run(case).expect("a finding")[0].at_risk.clone().expect("a share").value
            })
        };
        assert_eq!(share(0.0), 1.0);
        // A wrong fact may still be right by accident, in one of 200 cases.
        let noisy = share(0.5);
        assert!((0.4..0.61).contains(&noisy), "{noisy}");
    }
}
