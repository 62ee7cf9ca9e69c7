//! Probabilistic linkage (Fellegi and Sunter 1969): in which columns a person and a row agree, weighed by how much more likely that is if
//! the row is the person's. The odds are estimated from the pairs themselves, by expectation and maximisation.

use std::collections::BTreeMap;
use std::ops::Range;

use hashbrown::HashMap;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;
use scumble_files::Control;

use super::prepare::Prepared;
use super::space::moments;
use crate::base::chance::shuffle;
use crate::error::Result;

/// The pairs that are compared at most. If there are more, some of the people are compared with all their rows.
const PAIRS: u64 = 1 << 25;
/// The people that are compared at least, however many pairs that makes.
const PEOPLE: usize = 200;
/// The pairs that are kept at a time, to be put in the order of their weights.
const KEPT: u64 = 1 << 22;
/// The part of a standard deviation within which numbers agree.
const NEAR: f64 = 0.1;
/// No probability is nearer to 0 or 1 than this.
const EDGE: f64 = 1e-6;
/// A round that changes no probability by more is the last.
const STILL: f64 = 1e-10;
/// The most rounds.
const ROUNDS: usize = 2_000;
/// Weights that differ by less are equal.
const EQUAL: f64 = 1e-9;

/// The columns in which a pair agrees, one bit each.
type Pattern = u64;
type Counts = HashMap<Pattern, u64, foldhash::fast::FixedState>;

/// The probabilities of agreements.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Odds {
    /// That a row is the person's.
    pub(super) own: f64,
    /// For each column, that a person and their own row agree.
    pub(super) of_own: Vec<f64>,
    /// For each column, that a person and a row of somebody else agree.
    pub(super) of_others: Vec<f64>,
}

impl Odds {
    /// Estimates the odds from the number of pairs of each pattern, if this share of the pairs belongs together.
    pub(super) fn estimate(
        counts: &[(Pattern, u64)],
        columns: usize,
        own: f64,
        control: &Control,
    ) -> Result<Self> {
        let mut odds = Self {
            own: own.clamp(EDGE, 1.0 - EDGE),
            of_own: vec![0.9; columns],
            of_others: vec![0.1; columns],
        };
        let pairs: f64 = counts.iter().map(|(_, count)| *count as f64).sum();
        for _ in 0..ROUNDS {
            control.check()?;
            let mut belong = 0.0;
            let (mut of_own, mut of_others) = (vec![0.0; columns], vec![0.0; columns]);
            for (pattern, count) in counts {
                let likely = |own: f64, agree: &[f64]| {
                    agree.iter().enumerate().fold(own, |likely, (column, agree)| {
                        likely * if pattern >> column & 1 == 1 { *agree } else { 1.0 - agree }
                    })
                };
                let (together, apart) =
                    (likely(odds.own, &odds.of_own), likely(1.0 - odds.own, &odds.of_others));
                let share = together / (together + apart);
                let (together, apart) = (share * *count as f64, (1.0 - share) * *count as f64);
                belong += together;
                for column in (0..columns).filter(|column| pattern >> column & 1 == 1) {
                    of_own[column] += together;
                    of_others[column] += apart;
                }
            }
            let part = |part: f64, of: f64| (part / of.max(f64::MIN_POSITIVE)).clamp(EDGE, 1.0 - EDGE);
            let next = Self {
                own: part(belong, pairs),
                of_own: of_own.into_iter().map(|agree| part(agree, belong)).collect(),
                of_others: of_others.into_iter().map(|agree| part(agree, pairs - belong)).collect(),
            };
            let moved = next.farthest(&odds);
            odds = next;
            if moved < STILL {
                break;
            }
        }
        Ok(odds)
    }

    fn farthest(&self, other: &Self) -> f64 {
        let all = |odds: &Self| -> Vec<f64> {
            [odds.own].into_iter().chain(odds.of_own.clone()).chain(odds.of_others.clone()).collect()
        };
        all(self).iter().zip(all(other)).map(|(left, right)| (left - right).abs()).fold(0.0, f64::max)
    }

    /// How much a pattern speaks for a pair, in bits.
    pub(super) fn weight(&self, pattern: Pattern) -> f64 {
        let of_column = |(column, (own, other)): (usize, (&f64, &f64))| {
            if pattern >> column & 1 == 1 { own / other } else { (1.0 - own) / (1.0 - other) }.log2()
        };
        self.of_own.iter().zip(&self.of_others).enumerate().map(of_column).sum()
    }
}

/// The columns of the two sides, and when their values agree.
struct Agreement<'a> {
    numbers: Vec<(&'a [f64], &'a [f64], f64)>,
    categories: Vec<(&'a [u32], &'a [u32])>,
}

impl<'a> Agreement<'a> {
    fn of(prepared: &'a Prepared) -> Self {
        let numbers = prepared.numbers.iter().map(|number| {
            (number.known.as_slice(), number.undone.as_slice(), NEAR * moments(&number.known).1)
        });
        let categories =
            prepared.categories.iter().map(|category| (category.known.as_slice(), category.shown.as_slice()));
        // A pattern has this many bits.
        let most = Pattern::BITS as usize;
        let numbers: Vec<_> = numbers.take(most).collect();
        let left = most - numbers.len();
        Self { categories: categories.take(left).collect(), numbers }
    }

    fn columns(&self) -> usize {
        self.numbers.len() + self.categories.len()
    }

    fn pattern(&self, person: u32, row: u32) -> Pattern {
        let (person, row) = (person as usize, row as usize);
        let of_numbers = self.numbers.iter().map(|(known, shown, near)| {
            let (known, shown) = (known[person], shown[row]);
            (known - shown).abs() <= *near || (known.is_nan() && shown.is_nan())
        });
        let of_categories = self.categories.iter().map(|(known, shown)| known[person] == shown[row]);
        of_numbers
            .chain(of_categories)
            .enumerate()
            .fold(0, |pattern, (column, agrees)| pattern | Pattern::from(agrees) << column)
    }
}

/// The chance that each person who is looked for is linked right; `None` for those who were not compared, since there were too many pairs.
pub(super) fn attempt(prepared: &Prepared, people: &[u32], control: &Control) -> Result<Vec<Option<f64>>> {
    let rows_of = |person: u32| &prepared.groups[prepared.group_of[person as usize] as usize];
    let pairs: u64 = prepared.groups.iter().map(|group| (group.len() as u64).pow(2)).sum();
    let agreement = Agreement::of(prepared);
    if pairs <= PAIRS {
        let everybody: Vec<u32> = (0..prepared.rows as u32).collect();
        let counts = counts(&agreement, &everybody, rows_of, control)?;
        let own = prepared.rows as f64 / pairs as f64;
        let odds = Odds::estimate(&counts, agreement.columns(), own, control)?;
        let levels = Levels::of(&odds, &counts);
        let one_to_one = |group: &Vec<u32>| levels.link(&agreement, group, control);
        let linked: Vec<Vec<f64>> = prepared.groups.par_iter().map(one_to_one).collect::<Result<_>>()?;
        let mut of_person = vec![0.0; prepared.rows];
        for (group, linked) in prepared.groups.iter().zip(linked) {
            group.iter().zip(linked).for_each(|(person, right)| of_person[*person as usize] = right);
        }
        return Ok(people.iter().map(|person| Some(of_person[*person as usize])).collect());
    }
    let compared = some(people, |person| rows_of(person).len() as u64);
    let chosen: Vec<u32> = compared.iter().map(|place| people[*place]).collect();
    let counts = counts(&agreement, &chosen, rows_of, control)?;
    let pairs: u64 = counts.iter().map(|(_, count)| count).sum();
    let own = chosen.len() as f64 / pairs.max(1) as f64;
    let odds = Odds::estimate(&counts, agreement.columns(), own, control)?;
    let levels = Levels::of(&odds, &counts);
    let linked = |person: &u32| {
        control.check()?;
        Ok(levels.pick(&agreement, *person, rows_of(*person)))
    };
    let linked: Vec<f64> = chosen.par_iter().map(linked).collect::<Result<_>>()?;
    let mut found = vec![None; people.len()];
    compared.iter().zip(linked).for_each(|(place, right)| found[*place] = Some(right));
    Ok(found)
}

/// The places of some people, whose pairs are not too many.
fn some(people: &[u32], pairs: impl Fn(u32) -> u64) -> Vec<usize> {
    let mut places: Vec<usize> = (0..people.len()).collect();
    // The people who are looked for were drawn by a seed of the caller; among them, any fixed seed is fair.
    shuffle(&mut places, &mut ChaCha20Rng::seed_from_u64(0));
    let mut all = 0;
    let too_many = places.iter().position(|place| {
        all += pairs(people[*place]);
        all > PAIRS
    });
    places.truncate(too_many.unwrap_or(places.len()).max(PEOPLE));
    places.sort_unstable();
    places
}

/// The number of pairs of each pattern, in the order of patterns.
fn counts<'a>(
    agreement: &Agreement<'_>,
    people: &[u32],
    rows_of: impl Fn(u32) -> &'a Vec<u32> + Sync,
    control: &Control,
) -> Result<Vec<(Pattern, u64)>> {
    let of_some = |people: &[u32]| {
        let (mut counts, mut pace) = (Counts::default(), control.pace());
        for person in people {
            let rows = rows_of(*person);
            pace.tick(rows.len())?;
            rows.iter().for_each(|row| *counts.entry(agreement.pattern(*person, *row)).or_default() += 1);
        }
        Ok(counts)
    };
    let parts: Vec<Counts> = people.par_chunks(64).map(of_some).collect::<Result<_>>()?;
    let mut all = BTreeMap::new();
    parts.into_iter().flatten().for_each(|(pattern, count)| *all.entry(pattern).or_insert(0) += count);
    Ok(all.into_iter().collect())
}

/// Patterns in the order of their weights.
struct Levels {
    /// The level of each pattern; 0 has the greatest weight.
    of: HashMap<Pattern, u32, foldhash::fast::FixedState>,
    /// The levels in parts with few pairs each, or one level with many.
    parts: Vec<Range<u32>>,
}

impl Levels {
    fn of(odds: &Odds, counts: &[(Pattern, u64)]) -> Self {
        let mut weighed: Vec<(f64, Pattern, u64)> =
            counts.iter().map(|(pattern, count)| (odds.weight(*pattern), *pattern, *count)).collect();
        weighed.sort_unstable_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        let mut of = HashMap::default();
        let mut pairs: Vec<u64> = Vec::new();
        let mut last = f64::INFINITY;
        for (weight, pattern, count) in weighed {
            if last - weight > EQUAL {
                pairs.push(0);
            }
            last = weight;
            of.insert(pattern, pairs.len() as u32 - 1);
            if let Some(pairs) = pairs.last_mut() {
                *pairs += count;
            }
        }
        let (mut parts, mut start, mut kept): (Vec<Range<u32>>, u32, u64) = (Vec::new(), 0, 0);
        for (level, pairs) in pairs.iter().enumerate() {
            let level = level as u32;
            if kept + pairs > KEPT && level > start {
                parts.push(start..level);
                (start, kept) = (level, 0);
            }
            kept += pairs;
        }
        parts.push(start..pairs.len() as u32);
        Self { of, parts }
    }

    fn level(&self, agreement: &Agreement<'_>, person: u32, row: u32) -> u32 {
        self.of.get(&agreement.pattern(person, row)).copied().unwrap_or(u32::MAX)
    }

    /// Links everybody of a group with one row each, greatest weights first, and returns the chance that each is linked right. Pairs of equal
    /// weight that compete share: if a person could have three rows, the own one is right with a chance of a third. All of them are linked then.
    fn link(&self, agreement: &Agreement<'_>, group: &[u32], control: &Control) -> Result<Vec<f64>> {
        let mut linking = Linking::of(group.len());
        let mut pace = control.pace();
        for part in &self.parts {
            let free = |is_free: &[bool]| -> Vec<u32> {
                (0..group.len() as u32).filter(|place| is_free[*place as usize]).collect()
            };
            let (people, rows) = (free(&linking.free_people), free(&linking.free_rows));
            let mut pairs: Vec<(u32, u32, u32)> = Vec::new();
            for person in people {
                pace.tick(rows.len())?;
                for row in &rows {
                    let level = self.level(agreement, group[person as usize], group[*row as usize]);
                    if !part.contains(&level) {
                        continue;
                    }
                    // A part of one level may have very many pairs; they need not be put in order.
                    if part.len() == 1 {
                        linking.add(person, *row);
                    } else {
                        pairs.push((level, person, *row));
                    }
                }
            }
            pairs.sort_unstable();
            for of_level in pairs.chunk_by(|left, right| left.0 == right.0) {
                pace.tick(of_level.len())?;
                of_level.iter().for_each(|(_, person, row)| linking.add(*person, *row));
                linking.settle();
            }
            linking.settle();
        }
        Ok(linking.right)
    }

    /// The chance that a pick among the rows of greatest weight is the own one.
    fn pick(&self, agreement: &Agreement<'_>, person: u32, rows: &[u32]) -> f64 {
        let own = self.level(agreement, person, person);
        let mut equal = 0_u64;
        for row in rows {
            match self.level(agreement, person, *row).cmp(&own) {
                std::cmp::Ordering::Less => return 0.0,
                std::cmp::Ordering::Equal => equal += 1,
                std::cmp::Ordering::Greater => {}
            }
        }
        1.0 / equal.max(1) as f64
    }
}

/// Who is linked already, and the pairs of one level.
struct Linking {
    /// The chance that each person is linked right.
    right: Vec<f64>,
    free_people: Vec<bool>,
    free_rows: Vec<bool>,
    /// The number of pairs of this level with each person and each row, and whether the own pair is one of them.
    of_person: Vec<u32>,
    of_row: Vec<u32>,
    own: Vec<bool>,
    /// Who has such a pair.
    people: Vec<u32>,
    rows: Vec<u32>,
}

impl Linking {
    fn of(size: usize) -> Self {
        Self {
            right: vec![0.0; size],
            free_people: vec![true; size],
            free_rows: vec![true; size],
            of_person: vec![0; size],
            of_row: vec![0; size],
            own: vec![false; size],
            people: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Adds a pair, unless one of the two is linked already.
    fn add(&mut self, person: u32, row: u32) {
        let (at, at_row) = (person as usize, row as usize);
        if !self.free_people[at] || !self.free_rows[at_row] {
            return;
        }
        if self.of_person[at] == 0 {
            self.people.push(person);
        }
        if self.of_row[at_row] == 0 {
            self.rows.push(row);
        }
        self.of_person[at] += 1;
        self.of_row[at_row] += 1;
        self.own[at] |= person == row;
    }

    /// Links everybody who has a pair.
    fn settle(&mut self) {
        for person in &self.people {
            let at = *person as usize;
            if self.own[at] {
                self.right[at] = 1.0 / f64::from(self.of_person[at].max(self.of_row[at]));
            }
        }
        for person in self.people.drain(..) {
            let at = person as usize;
            (self.free_people[at], self.of_person[at], self.own[at]) = (false, 0, false);
        }
        for row in self.rows.drain(..) {
            (self.free_rows[row as usize], self.of_row[row as usize]) = (false, 0);
        }
    }
}
