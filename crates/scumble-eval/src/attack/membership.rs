//! Membership inference: is a person, about whom the attacker knows facts, in the release? (Shokri et al. 2017, Yeom et
//! al. 2018, Stadler et al. 2022)
//!
//! A score says how much a person looks like one of the release. If the attacker knows only quasi-identifiers, the
//! score is whether some row fits that shows something. If the attacker also knows the sensitive value, the score is
//! the number of rows that fit and show this value, relative to the number expected from people outside: among n
//! independent people, of whom a share p is of that kind, c such rows are c/(n·p) times as likely with the person as
//! without.
//!
//! Everything that an attacker must find out first (how common kinds of people are, from which score on to say yes) is
//! learnt from one half of the people on both sides and measured on the other half. People inside are all people of the
//! original, including those whom no row fits: the release hides their presence.

use rayon::prelude::*;
use scumble::Result;
use scumble::report::data::{AttackGain, Learns};
use scumble::report::drawing::{count, percent};

use super::sides::Sides;
use super::{Attack, Case, Figure, Finding, Scene, View};
use crate::protocol::stratified_folds;
use crate::statistics::{Interval, area_under_curve, difference_interval, wilson_interval};

pub(super) const ATTACK: Attack = Attack {
    name: "membership",
    title: "Membership inference",
    paper: "Shokri et al. (2017); Yeom et al. (2018); Stadler, Oprisanu and Troncoso (2022)",
    about: "Somebody knows a person and asks whether that person is in the release at all.",
    without_row: "they count among the people in the release, and are hard to find.",
    learns: Learns::Presence,
    rests_on_method: false,
    run,
};

/// The people of each side that are examined, as a multiple of the number in the options: shares of 1 % need more
/// people than means do.
const MORE: usize = 10;

fn run(case: &Case<'_>) -> Result<Vec<Finding>> {
    let sides = match Sides::of(case)? {
        Ok(sides) => sides,
        Err(why) => return Ok(vec![Finding::not_run(&ATTACK, why)]),
    };
    let people = People::new(&sides, case.options.people.saturating_mul(MORE), case.options.seed);
    let scene = &sides.scene;
    let all: Vec<usize> = (0..scene.known.len()).collect();
    let view = View::new(scene, &all);
    let everybody: Vec<u32> = people.parts().flatten().copied().collect();
    let mut fitting: Vec<Vec<u32>> = vec![Vec::new(); scene.people];
    let found: Vec<Vec<u32>> =
        everybody.par_iter().map(|person| view.looks_fitting(*person as usize)).collect();
    everybody.iter().zip(found).for_each(|(person, looks)| fitting[*person as usize] = looks);

    let covered = |person: u32| {
        let shows = |look: &u32| !scene.looks[*look as usize].star;
        f64::from(u8::from(fitting[person as usize].iter().any(shows)))
    };
    let mut scores = vec![Scored::new("quasi-identifiers".to_owned(), &people, false, covered)];
    for (secret, of) in scene.secrets.iter().enumerate() {
        let score = Surplus::new(scene, secret, &fitting, &people.outside.0);
        let knows = format!("quasi-identifiers and {}", of.column.name);
        scores.push(Scored::new(knows, &people, true, |person| score.of(person)));
    }
    Ok(vec![told(&sides, &scores, everybody.len())])
}

/// People in the release and outside, on each side a half to learn from and a half to measure on.
struct People {
    inside: (Vec<u32>, Vec<u32>),
    outside: (Vec<u32>, Vec<u32>),
}

impl People {
    fn new(sides: &Sides, most: usize, seed: u64) -> Self {
        let side = |from: usize, to: usize, seed: u64| {
            let halves = stratified_folds(&vec![0; to - from], 2, seed).swap_remove(0);
            let some = |rows: &[u32]| {
                rows.iter().take(most.div_ceil(2)).map(|row| row + from as u32).collect::<Vec<u32>>()
            };
            // Rows are sorted by their content, so the first rows would be no random sample.
            if to - from <= most {
                return (some(&halves.train), some(&halves.test));
            }
            let parts = (to - from).div_ceil(most / 2 + 1).max(2);
            let mut folds = stratified_folds(&vec![0; to - from], parts, seed);
            let (second, first) = (folds.swap_remove(1).test, folds.swap_remove(0).test);
            (some(&first), some(&second))
        };
        Self {
            inside: side(0, sides.inside, seed),
            outside: side(sides.inside, sides.scene.people, seed.wrapping_add(1)),
        }
    }

    fn parts(&self) -> impl Iterator<Item = &Vec<u32>> {
        [&self.inside.0, &self.inside.1, &self.outside.0, &self.outside.1].into_iter()
    }
}

/// Compares the rows that show a person's value with the number expected from people outside.
struct Surplus<'a> {
    scene: &'a Scene,
    secret: usize,
    fitting: &'a [Vec<u32>],
    /// The people outside from whom expectations come, in ascending order.
    reference: &'a [u32],
    /// By look and value: the people of the reference, each divided among the rows that fit.
    expected: Vec<Vec<f64>>,
}

impl<'a> Surplus<'a> {
    fn new(scene: &'a Scene, secret: usize, fitting: &'a [Vec<u32>], reference: &'a [u32]) -> Self {
        let values = scene.secrets[secret].column.values.len();
        let mut surplus =
            Self { scene, secret, fitting, reference, expected: vec![vec![0.0; values]; scene.looks.len()] };
        for person in reference {
            let value = surplus.value(*person);
            for (look, part) in surplus.parts(*person) {
                surplus.expected[look as usize][value] += part;
            }
        }
        surplus
    }

    fn value(&self, person: u32) -> usize {
        self.scene.secrets[self.secret].of_person[person as usize] as usize
    }

    /// Divides a person among the looks that fit, in proportion to their rows.
    fn parts(&self, person: u32) -> Vec<(u32, f64)> {
        let looks = &self.fitting[person as usize];
        let rows = |look: u32| self.scene.looks[look as usize].rows as f64;
        let sum: f64 = looks.iter().map(|look| rows(*look)).sum();
        looks.iter().map(|look| (*look, rows(*look) / sum)).collect()
    }

    fn of(&self, person: u32) -> f64 {
        let value = self.value(person);
        let (mut shown, mut expected) = (0.0, 0.0);
        for look in &self.fitting[person as usize] {
            let at = &self.scene.looks[*look as usize];
            let tally = &self.scene.classes[at.class as usize].secrets[self.secret];
            shown += at.rows as f64 * tally.share(value as u32);
            expected += self.expected[*look as usize][value];
        }
        let itself =
            self.reference.binary_search(&person).is_ok() && !self.fitting[person as usize].is_empty();
        let others = if itself { (expected - 1.0).max(0.0) } else { expected };
        // Adding one person makes kinds that the reference lacks rare and not impossible.
        let share = (others + 1.0) / (self.reference.len() + 1) as f64;
        // Smaller differences are rounding and must not separate people who are alike.
        let score = shown / (self.scene.rows() as f64 * share);
        (score * 1e9).round() / 1e9
    }
}

/// How well a score separates people inside from people outside.
struct Scored {
    knows: String,
    area: Option<Interval>,
    /// With the best threshold of the first half: its advantage there, and who is taken for a member in the second
    /// half.
    chosen: (f64, Taken),
    /// With thresholds that take at most 1 % and 5 % of the first half's outsiders for members.
    strict: [Taken; 2],
}

/// The people taken for members: hits among people inside and among people outside.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Taken {
    inside: (u64, u64),
    outside: (u64, u64),
}

impl Taken {
    fn from(threshold: f64, inside: &[f64], outside: &[f64]) -> Self {
        let taken = |scores: &[f64]| {
            (scores.iter().filter(|score| **score >= threshold).count() as u64, scores.len() as u64)
        };
        Self { inside: taken(inside), outside: taken(outside) }
    }

    fn shares(self) -> (f64, f64) {
        let share = |(hits, of): (u64, u64)| hits as f64 / of.max(1) as f64;
        (share(self.inside), share(self.outside))
    }

    /// The chance that somebody taken for a member is one, if there are as many members as others.
    fn precision(self) -> Option<f64> {
        let (inside, outside) = self.shares();
        (inside + outside > 0.0).then(|| inside / (inside + outside))
    }
}

const STRICT: [f64; 2] = [0.01, 0.05];

impl Scored {
    /// Evaluates a score. `learnt` is whether the score was made from the first half, which then does not show how good
    /// it is.
    fn new(knows: String, people: &People, learnt: bool, score: impl Fn(u32) -> f64 + Sync) -> Self {
        let of = |part: &Vec<u32>| part.par_iter().map(|person| score(*person)).collect::<Vec<f64>>();
        let (first, second) =
            ((of(&people.inside.0), of(&people.outside.0)), (of(&people.inside.1), of(&people.outside.1)));
        let (best, strict) = thresholds(&first.0, &first.1);
        let advantage = {
            let (inside, outside) = Taken::from(best, &first.0, &first.1).shares();
            inside - outside
        };
        let measured = |threshold: f64| Taken::from(threshold, &second.0, &second.1);
        Self {
            knows,
            area: match learnt {
                true => area_under_curve(&second.0, &second.1),
                false => {
                    area_under_curve(&[&first.0[..], &second.0].concat(), &[&first.1[..], &second.1].concat())
                }
            },
            chosen: (advantage, measured(best)),
            strict: strict.map(measured),
        }
    }
}

/// Returns the threshold with the largest advantage, the highest among ties, and the lowest thresholds that take at
/// most the strict shares of outsiders for members.
fn thresholds(inside: &[f64], outside: &[f64]) -> (f64, [f64; 2]) {
    let mut candidates: Vec<f64> = inside.iter().chain(outside).copied().chain([f64::INFINITY]).collect();
    candidates.sort_unstable_by(|a, b| b.total_cmp(a));
    candidates.dedup();
    let (mut best, mut strict) = ((f64::INFINITY, 0.0), [f64::INFINITY; 2]);
    let sorted = |scores: &[f64]| {
        let mut scores = scores.to_vec();
        scores.sort_unstable_by(f64::total_cmp);
        scores
    };
    let (inside, outside) = (sorted(inside), sorted(outside));
    let share = |scores: &[f64], threshold: f64| {
        (scores.len() - scores.partition_point(|score| *score < threshold)) as f64
            / scores.len().max(1) as f64
    };
    for threshold in candidates {
        let (yes, wrong) = (share(&inside, threshold), share(&outside, threshold));
        if yes - wrong > best.1 + 1e-12 {
            best = (threshold, yes - wrong);
        }
        for (strict, most) in strict.iter_mut().zip(STRICT) {
            if wrong <= most {
                *strict = threshold;
            }
        }
    }
    (best.0, strict)
}

fn told(sides: &Sides, scores: &[Scored], looked_at: usize) -> Finding {
    // The attacker picks the score that did best on the first half. The second half does not count here.
    let best =
        scores.iter().reduce(|best, next| if next.chosen.0 > best.chosen.0 + 1e-12 { next } else { best });
    let Some(best) = best else {
        return Finding::not_run(&ATTACK, "There is nothing that an attacker could go by.");
    };
    let mut figures = Vec::new();
    for score in scores {
        let named = |name: &str| format!("{name}, by {}", score.knows);
        let mut add = |name: String, found: Option<Interval>| {
            figures.extend(found.map(|found| Figure::estimated(named(&name), found)));
        };
        add("area under the curve".to_owned(), score.area);
        for (taken, most) in score.strict.iter().zip(STRICT) {
            let most = percent(most);
            add(
                format!("members recognised, at a {most} false-alarm rate"),
                wilson_interval(taken.inside.0, taken.inside.1),
            );
            add(
                format!("false alarms at that threshold of {most}"),
                wilson_interval(taken.outside.0, taken.outside.1),
            );
        }
        let taken = score.chosen.1;
        let advantage = difference_interval(taken.inside, taken.outside);
        figures.extend(advantage.map(|found| {
            Figure::difference(named("advantage: members found less outsiders mistaken"), found)
        }));
    }
    let strict = best.strict[0];
    let at_risk = wilson_interval(strict.inside.0, strict.inside.1)
        .map(|found| Figure::estimated("members recognised, at a 1 % false-alarm rate", found));
    let mut limits = vec![
        "The attacker knows every quasi-identifier exactly, and has people from outside to compare with."
            .to_owned(),
        "Two scores were tried; an attacker who knows the method better, or further columns, may do better."
            .to_owned(),
    ];
    if looked_at < sides.scene.people {
        limits.push(format!(
            "{} of {} people were looked at.",
            count(looked_at as u64),
            count(sides.scene.people as u64)
        ));
    }
    limits.extend(sides.limits());
    Finding {
        sentence: sentence(sides, best),
        gain: Some(AttackGain { right: right(best), without: 0.5 }),
        at_risk,
        worst: Some(strict.precision().or(best.chosen.1.precision()).unwrap_or(0.5)),
        figures,
        limits,
        ..Finding::of(&ATTACK)
    }
}

/// The share of right answers to whether a person is inside, if as many people are inside as outside.
fn right(best: &Scored) -> f64 {
    let taken = best.chosen.1;
    difference_interval(taken.inside, taken.outside).map_or(0.5, |found| f64::midpoint(1.0, found.estimate))
}

fn sentence(sides: &Sides, best: &Scored) -> String {
    let taken = best.chosen.1;
    let right = |advantage: f64| percent(f64::midpoint(1.0, advantage));
    let found = difference_interval(taken.inside, taken.outside);
    let (estimate, low, high) =
        found.map_or((0.0, -1.0, 1.0), |found| (found.estimate, found.low, found.high));
    format!(
        "An attacker who asks whether a person is in the table behind {}, and knows their {}, guesses right in {} of the cases (95 % interval {} to {}); \
         tossing a coin is right in 50 %.",
        if sides.halves { "such a release" } else { "this release" },
        best.knows,
        right(estimate),
        right(low),
        right(high)
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::staged::{Stage, table};
    use super::*;

    const COLUMNS: &[(&str, &str)] = &[("age", "quasi"), ("disease", "sensitive")];

    fn names() -> Vec<String> {
        COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    fn figure(found: &Finding, name: &str) -> Figure {
        found
            .figures
            .iter()
            .find(|figure| figure.name == name)
            .unwrap_or_else(|| panic!("{name}: {found:?}"))
            .clone()
    }

    fn rows(people: impl Iterator<Item = u64>) -> Vec<[String; 2]> {
        people.map(|age| [age.to_string(), format!("v{}", age % 3)]).collect()
    }

    /// Exact ages, and outsiders of other ages: every person is recognised as inside or outside.
    #[test]
    fn a_table_published_as_it_is_shows_who_is_in_it() {
        let inside = rows((0..100).map(|person| person * 2));
        let mut stage = Stage::new(COLUMNS, &inside, &inside);
        stage.outsiders = Some(table(&names(), &rows((0..100).map(|person| person * 2 + 1))));
        let found = &stage.run(&ATTACK)[0];
        assert_eq!(figure(found, "area under the curve, by quasi-identifiers").value, 1.0);
        assert_eq!(
            figure(found, "advantage: members found less outsiders mistaken, by quasi-identifiers").value,
            1.0
        );
        assert_eq!((found.at_risk.as_ref().map(|risk| risk.value), found.worst), (Some(1.0), Some(1.0)));
        assert!(found.sentence.contains("guesses right in 100"), "{}", found.sentence);
    }

    /// People of one population on both sides, and groups so large that one more person changes nothing: nobody can be
    /// recognised.
    #[test]
    fn people_of_one_population_cannot_be_told_apart() {
        let drawn = |person: u64| (person.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % 100;
        let (people, outside) = (rows((0..300).map(drawn)), rows((300..600).map(drawn)));
        let shown: Vec<[String; 2]> = people
            .iter()
            .map(|[age, disease]| {
                let low = age.parse::<u64>().expect("an age") / 50 * 50;
                [format!("[{low},{})", low + 50), disease.clone()]
            })
            .collect();
        let mut stage = Stage::new(COLUMNS, &shown, &people);
        stage.outsiders = Some(table(&names(), &outside));
        let found = &stage.run(&ATTACK)[0];
        assert_eq!(figure(found, "area under the curve, by quasi-identifiers").value, 0.5);
        for knows in ["quasi-identifiers", "quasi-identifiers and disease"] {
            for name in ["area under the curve", "advantage: members found less outsiders mistaken"] {
                let middle = if name.starts_with("area") { 0.5 } else { 0.0 };
                let figure = figure(found, &format!("{name}, by {knows}"));
                let (low, high) = figure.interval.expect("an interval");
                assert!(low <= middle && middle <= high, "{figure:?}");
            }
        }
        let mut turned = shown.clone();
        turned.reverse();
        let mut other = Stage::new(COLUMNS, &turned, &people);
        other.outsiders = Some(table(&names(), &outside));
        assert_eq!(other.run(&ATTACK)[0], *found, "the order of rows decides nothing");
    }

    /// Four rows of one group, three of them a. Outside, four people fit the group: one is a and three are b. For an a:
    /// 3 rows, and (1 + 1)/(4 + 1) of 4 rows expected: 3/1.6. For a b of the reference, who does not count itself: 1
    /// row to (2 + 1)/5 of 4.
    #[test]
    fn rows_relative_to_what_is_expected() {
        let inside = [["1", "a"], ["2", "a"], ["3", "a"], ["4", "b"]];
        let shown = [["[0,9)", "a"], ["[0,9)", "a"], ["[0,9)", "a"], ["[0,9)", "b"]];
        let mut stage = Stage::new(COLUMNS, &shown, &inside);
        stage.outsiders = Some(table(&names(), &[["5", "a"], ["6", "b"], ["7", "b"], ["8", "b"]]));
        let sides = Sides::of(&stage.case()).expect("no error").expect("two sides");
        let fitting = vec![vec![0]; 8];
        let reference = [4, 5, 6, 7];
        let surplus = Surplus::new(&sides.scene, 0, &fitting, &reference);
        assert!((surplus.of(0) - 3.0 / 1.6).abs() < 1e-8, "{}", surplus.of(0));
        assert!((surplus.of(7) - 1.0 / 2.4).abs() < 1e-8, "{}", surplus.of(7));
        assert!((surplus.of(3) - 1.0 / 3.2).abs() < 1e-8, "{}", surplus.of(3));
        let nowhere = vec![Vec::new(); 8];
        assert_eq!(Surplus::new(&sides.scene, 0, &nowhere, &reference).of(0), 0.0, "nobody fits nothing");
    }

    #[test]
    fn thresholds_are_chosen_by_advantage_and_by_mistakes() {
        // The threshold 3 takes three of four inside and none of four outside for members; the threshold 2 takes 4 and
        // 2.
        let (best, strict) = thresholds(&[2.0, 3.0, 4.0, 5.0], &[0.0, 1.0, 2.0, 2.0]);
        assert_eq!((best, strict), (3.0, [3.0, 3.0]));
        // Scores are equal, so nobody is taken for a member.
        let (best, strict) = thresholds(&[1.0; 5], &[1.0; 5]);
        assert_eq!((best, strict), (f64::INFINITY, [f64::INFINITY; 2]));
        // One of twenty outsiders is 5 %.
        let outside: Vec<f64> = (0..20).map(f64::from).collect();
        assert_eq!(thresholds(&[18.5, 19.5], &outside).1, [19.5, 18.5]);
    }

    #[test]
    fn without_a_secret_and_without_outsiders() {
        let bare: Vec<[String; 1]> = (0..20).map(|age| [age.to_string()]).collect();
        let mut stage = Stage::new(&COLUMNS[..1], &bare, &bare);
        assert!(stage.run(&ATTACK)[0].not_run.as_ref().is_some_and(|why| why.contains("(outsiders)")));
        stage.outsiders = Some(table(&names()[..1], &bare));
        let found = &stage.run(&ATTACK)[0];
        assert_eq!((found.not_run.as_ref(), found.figures.len()), (None, 6));
        // Rows that show nothing cover nobody in particular.
        let stars = vec![["*"]; 20];
        let mut hidden = Stage::new(&COLUMNS[..1], &stars, &bare);
        hidden.outsiders = Some(table(&names()[..1], &bare));
        assert_eq!(figure(&hidden.run(&ATTACK)[0], "area under the curve, by quasi-identifiers").value, 0.5);
        stage.outsiders = None;
        stage.require("k_anonymity", 3);
        assert!(stage.run(&ATTACK)[0].sentence.contains("such a release"));
    }

    #[test]
    fn some_of_many_people() {
        let people = rows((0..200).map(|person| person % 50));
        let mut stage = Stage::new(COLUMNS, &people, &people);
        stage.outsiders = Some(table(&names(), &people));
        stage.options.people = 4;
        let sides = Sides::of(&stage.case()).expect("no error").expect("two sides");
        let some = People::new(&sides, 40, 1);
        for part in some.parts() {
            assert!((10..=20).contains(&part.len()), "{}", part.len());
        }
        let mut all: Vec<u32> = some.parts().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), some.parts().map(Vec::len).sum::<usize>(), "nobody is in two parts");
        let found = &stage.run(&ATTACK)[0];
        assert!(found.limits.iter().any(|limit| limit.contains("of 400 people")), "{:?}", found.limits);
    }

    proptest! {
        /// On the half that thresholds are chosen on, the best has no negative advantage, and the strict ones take no
        /// more outsiders than promised.
        #[test]
        fn thresholds_keep_their_promise(
            inside in prop::collection::vec(0..9_i32, 1..60),
            outside in prop::collection::vec(0..9_i32, 1..60),
        ) {
            let (inside, outside): (Vec<f64>, Vec<f64>) =
                (inside.into_iter().map(f64::from).collect(), outside.into_iter().map(f64::from).collect());
            let (best, strict) = thresholds(&inside, &outside);
            let (yes, wrong) = Taken::from(best, &inside, &outside).shares();
            prop_assert!(yes >= wrong);
            for (threshold, most) in strict.into_iter().zip(STRICT) {
                prop_assert!(Taken::from(threshold, &inside, &outside).shares().1 <= most);
            }
        }
    }
}
