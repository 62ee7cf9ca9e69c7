//! Intersection: a person appears in several releases, and each leaves some values possible. Only values that all of
//! them leave can be the person's (models.md 4.9).
//!
//! From one release the attacker takes the rows that fit what is known of the person. The shares of the values in these
//! rows are what that release alone shows. Releases are combined as if they were drawn independently for people of the
//! same value: the share that the first release gives a value is multiplied, for every further release, by the value's
//! share among the rows that fit there, relative to its share among all rows there. So a release that shows nothing
//! beyond the overall shares changes nothing.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;
use scumble::Result;
use scumble::report::data::Learns;
use scumble::report::drawing::{count, number, percent};

use super::linkage::some_people;
use super::{Attack, Case, Figure, Finding, Scene, Secret, View, of_secrets};
use crate::statistics::{Interval, mean_interval, wilson_interval};

pub(super) const ATTACK: Attack = Attack {
    name: "intersection",
    title: "Intersection of releases",
    paper: "Ganta, Kasiviswanathan and Smith (2008)",
    about: "Somebody has several releases about the same people and keeps only what all of them allow.",
    without_row: "a release whose rows do not fit them leaves all values possible, each as likely as in the whole release.",
    learns: Learns::Row,
    rests_on_method: false,
    run,
};

fn run(case: &Case<'_>) -> Result<Vec<Finding>> {
    if case.others.is_empty() {
        let why = "Only one release was given. Give others about the same people (also).";
        return Ok(vec![Finding::not_run(&ATTACK, why)]);
    }
    let people = some_people(case.scene, case.options, &mut ChaCha8Rng::seed_from_u64(case.options.seed));
    of_secrets(case, &ATTACK, |_, secret| Ok(look(case, secret, &people)))
}

/// One release and what it shows of a sensitive column. Values are numbered alike in all releases.
struct Source<'a> {
    scene: &'a Scene,
    view: View<'a>,
    secret: usize,
    /// The common number of each of its values.
    number: Vec<u32>,
    /// The share of each value among all rows, by common number.
    overall: BTreeMap<u32, f64>,
}

/// What one release shows about a person.
struct Told {
    /// The rows that may be the person's.
    rows: u64,
    /// The share of each value in these rows, by common number.
    shares: BTreeMap<u32, f64>,
}

impl<'a> Source<'a> {
    fn new(scene: &'a Scene, secret: usize, number: Vec<u32>) -> Self {
        let all: Vec<usize> = (0..scene.known.len()).collect();
        let mut source =
            Self { scene, view: View::new(scene, &all), secret, number, overall: BTreeMap::new() };
        let looks: Vec<u32> = (0..scene.looks.len() as u32).collect();
        source.overall = source.told(&looks).shares;
        source
    }

    fn told(&self, looks: &[u32]) -> Told {
        let mut told = Told { rows: 0, shares: BTreeMap::new() };
        for look in looks {
            let look = &self.scene.looks[*look as usize];
            told.rows += look.rows;
            let tally = &self.scene.classes[look.class as usize].secrets[self.secret];
            for (value, amount) in &tally.of_value {
                let rows = look.rows as f64 * (*amount as f64 / tally.total as f64);
                *told.shares.entry(self.number[*value as usize]).or_default() += rows;
            }
        }
        let sum: f64 = told.shares.values().sum();
        told.shares.values_mut().for_each(|rows| *rows /= sum);
        told
    }
}

/// A belief about a person's value, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Belief {
    /// The number of values that are left.
    left: usize,
    /// The chance of the likeliest value.
    best: f64,
    /// The chance of the true value.
    truth: f64,
    /// The rows that may be the person's and show a value that is left.
    rows: f64,
}

impl Belief {
    fn of(shares: &BTreeMap<u32, f64>, truth: u32, rows: f64) -> Self {
        Self {
            left: shares.len(),
            best: shares.values().copied().fold(0.0, f64::max),
            truth: shares.get(&truth).copied().unwrap_or(0.0),
            rows,
        }
    }
}

/// What releases show about a person: each alone, and all together.
struct Seen {
    /// `None` where no row of the release fits the person.
    alone: Vec<Option<Belief>>,
    /// The beliefs to use in that case: each value is as likely as in the whole release.
    by_all_rows: Vec<Belief>,
    /// The rows of each release that are left when all are combined.
    rows_left: Vec<Option<f64>>,
    together: Belief,
}

fn see(sources: &[Source<'_>], person: usize) -> Seen {
    let truth = sources[0].number[sources[0].scene.secrets[sources[0].secret].of_person[person] as usize];
    let told: Vec<Option<Told>> = sources
        .iter()
        .map(|source| {
            let looks = source.view.looks_fitting(person);
            (!looks.is_empty()).then(|| source.told(&looks))
        })
        .collect();
    let mut shares = together(sources, &told);
    // If no release fits the person, only the overall shares are known.
    if told.iter().all(Option::is_none) {
        shares.clone_from(&sources[0].overall);
    }
    let left = |told: &Told| {
        let part: f64 =
            told.shares.iter().filter(|(value, _)| shares.contains_key(value)).map(|(_, share)| share).sum();
        told.rows as f64 * part
    };
    let rows_left: Vec<Option<f64>> = told.iter().map(|told| told.as_ref().map(left)).collect();
    let fewest = rows_left.iter().flatten().copied().reduce(f64::min).unwrap_or(0.0);
    let by_all_rows = sources.iter().map(|source| Belief::of(&source.overall, truth, 0.0)).collect();
    let alone = |told: &Told| Belief::of(&told.shares, truth, told.rows as f64);
    Seen {
        alone: told.iter().map(|told| told.as_ref().map(alone)).collect(),
        by_all_rows,
        rows_left,
        together: Belief::of(&shares, truth, fewest),
    }
}

/// The chance of each value that no release excludes.
fn together(sources: &[Source<'_>], told: &[Option<Told>]) -> BTreeMap<u32, f64> {
    let mut found: Option<BTreeMap<u32, f64>> = None;
    for (source, told) in sources.iter().zip(told) {
        let Some(told) = told else { continue };
        found = Some(match found {
            None => told.shares.clone(),
            Some(before) => {
                let more = |(value, chance): (u32, f64)| {
                    let (here, overall) = (told.shares.get(&value)?, source.overall.get(&value)?);
                    Some((value, chance * here / overall))
                };
                before.into_iter().filter_map(more).collect()
            }
        });
    }
    let mut found = found.unwrap_or_default();
    let sum: f64 = found.values().sum();
    found.values_mut().for_each(|chance| *chance /= sum);
    found
}

/// Returns the releases that have a sensitive column, with values numbered alike, and their numbers from 1.
fn sources<'a>(case: &Case<'a>, secret: usize) -> (Vec<Source<'a>>, Vec<usize>) {
    let first = &case.scene.secrets[secret].column;
    let (spellings, mut unseen) = (first.spellings(), BTreeMap::<String, u32>::new());
    let mut number = |of: &Secret| -> Vec<u32> {
        let text = |text: &str| match spellings.find(text) {
            Some(value) => value,
            None => {
                let next = (first.values.len() + unseen.len()) as u32;
                *unseen.entry(text.to_owned()).or_insert(next)
            }
        };
        of.column.values.iter().map(text).collect()
    };
    let scenes = [case.scene].into_iter().chain(case.others);
    let with_column = scenes.enumerate().filter_map(|(place, scene)| {
        let secret = scene.secrets.iter().position(|of| of.column.name == first.name)?;
        Some((Source::new(scene, secret, number(&scene.secrets[secret])), place + 1))
    });
    with_column.unzip()
}

fn look(case: &Case<'_>, secret: usize, people: &[u32]) -> Finding {
    let name = &case.scene.secrets[secret].column.name;
    let (sources, numbers) = sources(case, secret);
    if sources.len() < 2 {
        let why = format!("No other release has the column '{name}'; give one that has it (also).");
        return Finding::not_run(&ATTACK, why);
    }
    let seen: Vec<Seen> = people.par_iter().map(|person| see(&sources, *person as usize)).collect();
    let everybody = people.len() == case.scene.people;
    let figures = Figures { seen: &seen, everybody };
    let one_left = |belief: &Belief| belief.left == 1;
    let mut found = Vec::new();
    for (place, release) in numbers.iter().enumerate() {
        let alone = |seen: &Seen| seen.alone[place].unwrap_or(seen.by_all_rows[place]);
        found.push(figures.share(format!("people with one value left by release {release} alone"), |seen| {
            one_left(&alone(seen))
        }));
        found.push(
            figures.mean(format!("right guesses by release {release} alone"), |seen| Some(alone(seen).truth)),
        );
    }
    found.push(figures.mean("right guesses by all together".to_owned(), |seen| Some(seen.together.truth)));
    let likely = format!(
        "people whose true value has a chance of {} or more by all together",
        percent(case.options.threshold)
    );
    found.push(figures.share(likely, |seen| seen.together.truth >= case.options.threshold));
    let best = seen.iter().map(|seen| seen.together.best).fold(0.0, f64::max);
    found.push(Figure::counted("highest chance of any value by all together", best));
    for (place, release) in numbers.iter().enumerate() {
        // If the person fits no row, no rows are left.
        let alone = |seen: &Seen| Some(seen.alone[place].map_or(0.0, |belief| belief.rows));
        found.push(
            figures
                .mean_number(format!("rows of release {release} that may be a person's, by it alone"), alone),
        );
        let left = |seen: &Seen| Some(seen.rows_left[place].unwrap_or(0.0));
        found.push(
            figures.mean_number(
                format!("rows of release {release} that may be a person's, by all together"),
                left,
            ),
        );
    }
    let contradicted = |seen: &Seen| seen.together.left == 0 && seen.alone.iter().any(Option::is_some);
    if seen.iter().any(contradicted) {
        found.push(
            figures.share("people about whom the releases contradict each other".to_owned(), contradicted),
        );
    }
    let nowhere = |seen: &Seen| seen.alone.iter().all(Option::is_none);
    if seen.iter().any(nowhere) {
        found.push(figures.share("people whom no row of any release fits".to_owned(), nowhere));
    }
    let misled = |seen: &Seen| one_left(&seen.together) && seen.together.truth == 0.0;
    if seen.iter().any(misled) {
        found.push(figures.share("people with one value left, and not the true one".to_owned(), misled));
    }
    let at_risk = figures
        .share("people with one value left by all together, the true one".to_owned(), |seen| {
            !nowhere(seen) && one_left(&seen.together) && seen.together.truth > 0.0
        });
    Finding {
        sentence: sentence(name, &seen, at_risk.value),
        worst: Some(seen.iter().map(|seen| seen.together.truth).fold(0.0, f64::max)),
        at_risk: Some(at_risk),
        figures: found,
        limits: limits(people.len(), case.scene.people),
        ..Finding::of(&ATTACK)
    }
}

fn limits(looked_at: usize, people: usize) -> Vec<String> {
    let mut limits = vec![
        "The attacker knows every quasi-identifier of the person in every release, and knows which of the releases the person is in.".to_owned(),
        "Releases are put together as if they were independent for people of the same value; releases that share groups or decisions tell \
         less, or more, than that."
            .to_owned(),
    ];
    if looked_at < people {
        limits.push(format!(
            "{} of {} people were looked at; the worst-off person may be another.",
            count(looked_at as u64),
            count(people as u64)
        ));
    }
    limits
}

fn sentence(name: &str, seen: &[Seen], one_left: f64) -> String {
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let releases = seen.first().map_or(0, |seen| seen.alone.len());
    let alone = |place: usize| {
        let left = |seen: &Seen| seen.alone[place].unwrap_or(seen.by_all_rows[place]).left as f64;
        mean(seen.iter().map(left).collect())
    };
    let fewest = (0..releases).map(alone).fold(f64::INFINITY, f64::min);
    let together = mean(seen.iter().map(|seen| seen.together.left as f64).collect());
    let tenths = |values: f64| number((values * 10.0).round() / 10.0);
    let all = if releases == 2 { "both".to_owned() } else { format!("all {releases}") };
    let for_whom = match one_left {
        0.0 => "nobody".to_owned(),
        share => format!("{} of the people", percent(share)),
    };
    format!(
        "From the most telling release alone an attacker is left with {} possible values of {name} per person, on average; from {all} together, with {}. \
         For {for_whom} only the true value is left.",
        tenths(fewest),
        tenths(together),
    )
}

/// Figures over the people who were examined: counted if they are everybody.
struct Figures<'a> {
    seen: &'a [Seen],
    everybody: bool,
}

impl Figures<'_> {
    fn share(&self, name: String, of: impl Fn(&Seen) -> bool) -> Figure {
        let hits = self.seen.iter().filter(|seen| of(seen)).count() as u64;
        self.figure(name, wilson_interval(hits, self.seen.len() as u64))
    }

    /// The mean over the people who have such a number.
    fn mean(&self, name: String, of: impl Fn(&Seen) -> Option<f64>) -> Figure {
        self.figure(name, mean_interval(&self.seen.iter().filter_map(of).collect::<Vec<_>>()))
    }

    /// The mean of a number that is no share.
    fn mean_number(&self, name: String, of: impl Fn(&Seen) -> Option<f64>) -> Figure {
        match mean_interval(&self.seen.iter().filter_map(of).collect::<Vec<_>>()) {
            Some(found) if !self.everybody => Figure::estimated_number(name, found),
            found => Figure::number(name, found.map_or(0.0, |found| found.estimate)),
        }
    }

    fn figure(&self, name: String, found: Option<Interval>) -> Figure {
        match found {
            Some(found) if !self.everybody => Figure::estimated(name, found),
            found => Figure::counted(name, found.map_or(0.0, |found| found.estimate)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::staged::Stage;
    use super::*;

    const COLUMNS: &[(&str, &str)] = &[("age", "quasi"), ("disease", "sensitive")];

    fn figure(found: &Finding, name: &str) -> f64 {
        found
            .figures
            .iter()
            .find(|figure| figure.name == name)
            .unwrap_or_else(|| panic!("{name}: {found:?}"))
            .value
    }

    /// One file leaves flu, hiv and cancer for the person of 31, the other hiv, asthma and measles. So it is hiv
    /// (models.md 4.9).
    #[test]
    fn each_file_alone_hides_three_diagnoses() {
        let people = [["30", "flu"], ["31", "hiv"], ["32", "cancer"], ["40", "asthma"], ["41", "measles"]];
        let first = [
            ["[30,33)", "flu"],
            ["[30,33)", "hiv"],
            ["[30,33)", "cancer"],
            ["[40,42)", "asthma"],
            ["[40,42)", "measles"],
        ];
        let second = [
            ["30", "flu"],
            ["[31,42)", "hiv"],
            ["32", "cancer"],
            ["[31,42)", "asthma"],
            ["[31,42)", "measles"],
        ];
        let stage = Stage::new(COLUMNS, &first, &people).beside(&second);
        let (sources, _) = sources(&stage.case(), 0);
        let seen = see(&sources, 1);
        assert_eq!(seen.alone.iter().flatten().map(|belief| belief.left).collect::<Vec<_>>(), [3, 3]);
        assert_eq!((seen.together.left, seen.together.truth, seen.together.rows), (1, 1.0, 1.0));
        // The person of 32 fits two groups of the second file, with four rows in all. Of the first file's values, hiv
        // and cancer are left.
        let other = see(&sources, 2);
        assert_eq!((other.alone[1].map(|belief| belief.left), other.together.left), (Some(4), 2));
        let found = &stage.run(&ATTACK)[0];
        assert_eq!(found.column.as_deref(), Some("disease"));
        // 30 and 31 are certain; 32 is hiv or cancer; for 40 and 41 both values of their group are left.
        assert_eq!(
            found.at_risk.as_ref().map(|figure| (figure.value, figure.interval)),
            Some((2.0 / 5.0, None))
        );
        assert_eq!(figure(found, "people with one value left by release 1 alone"), 0.0);
        assert_eq!(figure(found, "people with one value left by release 2 alone"), 1.0 / 5.0);
        assert_eq!(found.worst, Some(1.0));
    }

    /// Flu and hiv are equally frequent. Two releases show classes with 3/4 flu: 3/4 · (3/4)/(1/2) to 1/4 ·
    /// (1/4)/(1/2), so 9/10.
    #[test]
    fn likelihoods_are_multiplied() {
        let values = ["flu", "flu", "flu", "hiv", "flu", "hiv", "hiv", "hiv"];
        let rows: Vec<[&str; 2]> =
            values.iter().enumerate().map(|(row, value)| [if row < 4 { "1" } else { "2" }, *value]).collect();
        let stage = Stage::new(COLUMNS, &rows, &rows).beside(&rows);
        let seen = see(&sources(&stage.case(), 0).0, 0);
        assert!((seen.together.truth - 0.9).abs() < 1e-12, "{:?}", seen.together);
        // A release that shows nothing changes nothing.
        let blank: Vec<[&str; 2]> = values.iter().map(|value| ["[0,9)", *value]).collect();
        let seen = see(&sources(&Stage::new(COLUMNS, &rows, &rows).beside(&blank).case(), 0).0, 0);
        assert!((seen.together.truth - 0.75).abs() < 1e-12, "{:?}", seen.together);
    }

    #[test]
    fn people_who_are_in_one_release_only_and_rows_that_show_nothing() {
        let people = [["1", "a"], ["2", "b"], ["3", "c"]];
        let first = [["1", "a"], ["2", "b"], ["3", "c"]];
        let second = [["1", "a"], ["*", "b"]];
        let stage = Stage::new(COLUMNS, &first, &people).beside(&second);
        let (sources, _) = sources(&stage.case(), 0);
        // The first person is shown. The suppressed row fits the second and the third person, but it is not the
        // third's: a contradiction.
        assert_eq!(see(&sources, 0).alone[1].map(|belief| belief.rows), Some(1.0));
        assert_eq!((see(&sources, 1).together.left, see(&sources, 2).together.left), (1, 0));
        let found = &stage.run(&ATTACK)[0];
        assert_eq!(figure(found, "people about whom the releases contradict each other"), 1.0 / 3.0);
        let alone = Stage::new(COLUMNS, &first, &people).beside(&[["1", "a"]]);
        let (sources, _) = super::sources(&alone.case(), 0);
        let seen = see(&sources, 2);
        assert_eq!((seen.alone[1], seen.together.left), (None, 1));
    }

    #[test]
    fn what_is_missing_is_said() {
        let rows = [["1", "a"], ["2", "b"]];
        let one = Stage::new(COLUMNS, &rows, &rows).run(&ATTACK);
        assert!(one[0].not_run.as_ref().is_some_and(|why| why.contains("Only one release was given")));
        let bare = [["1"], ["2"]];
        let plain = Stage::new(&COLUMNS[..1], &bare, &bare).beside(&bare).run(&ATTACK);
        assert!(plain[0].not_run.as_ref().is_some_and(|why| why.contains("No sensitive column")));
    }

    #[test]
    fn some_of_many_people_are_looked_at() {
        let rows: Vec<[String; 2]> =
            (0..60).map(|row| [(row % 6).to_string(), (row % 5).to_string()]).collect();
        let rows: Vec<[&str; 2]> = rows.iter().map(|row| [row[0].as_str(), row[1].as_str()]).collect();
        let mut stage = Stage::new(COLUMNS, &rows, &rows).beside(&rows);
        stage.options.people = 20;
        let found = stage.run(&ATTACK);
        assert!(found[0].at_risk.as_ref().is_some_and(|figure| figure.interval.is_some()));
        assert!(found[0].limits.iter().any(|limit| limit.starts_with("20 of 60")));
        let mut turned = rows.clone();
        turned.reverse();
        let mut other = Stage::new(COLUMNS, &turned, &rows).beside(&turned);
        other.options.people = 20;
        assert_eq!(other.run(&ATTACK), found, "the order of the release's rows decides nothing");
    }

    proptest! {
        /// A further release never leaves more values, and truthful releases never lose the true one.
        #[test]
        fn more_releases_leave_fewer_values(
            people in prop::collection::vec((0..4_u8, 0..3_u8), 1..12),
            coarse in prop::collection::vec(0..4_u8, 3),
        ) {
            let texts = |age: u8, coarse: u8| match coarse {
                0 => age.to_string(),
                1 => format!("[{},{})", age / 2 * 2, age / 2 * 2 + 2),
                2 => "[0,4)".to_owned(),
                _ => "*".to_owned(),
            };
            let release = |coarse: u8| -> Vec<[String; 2]> {
                people.iter().map(|(age, value)| [texts(*age, coarse), format!("v{value}")]).collect()
            };
            let rows: Vec<Vec<[String; 2]>> = std::iter::once(0).chain(coarse).map(release).collect();
            let mut stage = Stage::new(COLUMNS, &rows[1], &rows[0]);
            let mut before: Option<Vec<usize>> = None;
            for more in &rows[2..] {
                stage = stage.beside(more);
                let (sources, _) = sources(&stage.case(), 0);
                let seen: Vec<Seen> = (0..people.len()).map(|person| see(&sources, person)).collect();
                prop_assert!(seen.iter().all(|seen| seen.together.truth > 0.0 && seen.together.best <= 1.0 + 1e-12));
                prop_assert!(seen.iter().all(|seen| seen.alone.iter().flatten().all(|alone| seen.together.left <= alone.left)));
                let left: Vec<usize> = seen.iter().map(|seen| seen.together.left).collect();
                prop_assert!(before.is_none_or(|before| before.iter().zip(&left).all(|(before, now)| now <= before)));
                before = Some(left);
            }
        }
    }
}
