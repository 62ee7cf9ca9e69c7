//! Record linkage: how well people are found again in columns whose values were perturbed (transforms.md 2.8).
//!
//! The attacker knows the true values of everybody and looks for their rows. `distance` looks for what is nearest, `window` for what swapped
//! ranks allow, `probabilistic` weighs agreements by their odds. `prepare` puts rows into an order that depends on nothing but their
//! contents, `space` makes points of numbers, `tree` finds points among many, `change` says what is left of the data.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use scumble_files::Control;
use serde::{Deserialize, Serialize};

mod change;
mod distance;
mod prepare;
mod probabilistic;
mod space;
#[cfg(test)]
mod tests;
mod tree;
mod window;

pub use crate::transforms::floats_of_rows;
pub use change::{ChangedCategory, ChangedNumber, Changes, CorrelationChange};

use crate::base::chance::shuffle;
use crate::error::Result;
use prepare::Prepared;

/// A release and the people it is about: row `i` is about person `i`.
#[derive(Debug, Clone, Default)]
pub struct Sides<'a> {
    /// Perturbed columns of numbers.
    pub numbers: Vec<NumberSide<'a>>,
    /// Perturbed columns of categories.
    pub categories: Vec<CategorySide<'a>>,
    /// For each row, what it shows in the columns that are not perturbed: equal numbers are equal looks. The attacker knows that these are
    /// true, so only rows of a person's own look can be the person's. The own row is always one of them, so this makes the attacker only
    /// stronger. Looks must be numbered by their contents, or a sample depends on the order of rows.
    pub groups: &'a [u32],
}

/// A perturbed column of numbers.
#[derive(Debug, Clone)]
pub struct NumberSide<'a> {
    /// Its name.
    pub name: &'a str,
    /// The true value of each person.
    pub known: &'a [Option<f64>],
    /// What each row shows.
    pub shown: &'a [Option<f64>],
    /// What is public of the method.
    pub public: Public,
    /// How far ranks were swapped, if they were.
    pub swapped: Option<Swapped<'a>>,
}

/// What attackers know of how a column was perturbed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Public {
    /// Nothing that helps.
    Nothing,
    /// Kim's noise: the sum of value and noise was moved towards the mean, which anybody can undo.
    Kim {
        /// The mean of the column. The release keeps it.
        mean: f64,
        /// The variance of the noise, as a share of that of the values.
        d: f64,
    },
}

/// How far ranks were swapped. No datasheet tells; the attack is run as if it did.
#[derive(Debug, Clone, Copy)]
pub struct Swapped<'a> {
    /// The stratum of each row, if values were swapped within strata. The attacker knows it.
    pub strata: Option<&'a [u32]>,
    /// How far, for each stratum; one entry if there are no strata.
    pub spans: &'a [Span],
}

/// How far ranks were swapped in one stratum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The largest difference of ranks.
    pub ranks: u64,
    /// The number of smallest values that were replaced by their mean.
    pub bottom: u64,
    /// The number of largest values that were replaced by their mean.
    pub top: u64,
}

/// A perturbed column of categories.
#[derive(Debug, Clone)]
pub struct CategorySide<'a> {
    /// Its name.
    pub name: &'a str,
    /// The true value of each person. Equal codes are equal values, on both sides; a missing value has a code of its own.
    pub known: &'a [u32],
    /// What each row shows.
    pub shown: &'a [u32],
}

/// How linkage is measured.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The number of people that are looked for, if there are more.
    pub people: usize,
    /// The seed that picks them.
    pub seed: u64,
}

/// An attempt to link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attempt {
    /// For each row the nearest people; columns in units of their standard deviation.
    RowsToPeople,
    /// For each person the nearest rows; columns in units of their standard deviation.
    PeopleToRows,
    /// For each row the nearest people, by a distance that knows how the columns hang together.
    MatchedRowsToPeople,
    /// For each person the nearest rows, by a distance that knows how the columns hang together.
    MatchedPeopleToRows,
    /// The rows that swapping within a known span allows.
    Window,
    /// Agreements weighed by their odds (Fellegi and Sunter).
    Probabilistic,
}

/// A share of people, with a 95 % interval if not everybody was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The share.
    pub value: f64,
    /// The number of people that were looked for.
    pub people: u64,
    /// Its interval.
    pub interval: Option<(f64, f64)>,
}

/// What an attempt finds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The attempt.
    pub attempt: Attempt,
    /// The share of people who are linked with their own row. Where several rows are as likely, a pick among them counts by its chance.
    pub right: Share,
    /// The share who are linked with their own row and with no other.
    pub alone: Share,
}

/// The result of a measurement. Private.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Linked {
    /// The number of people.
    pub people: u64,
    /// What each attempt finds, in the order of [`Attempt`].
    pub found: Vec<Found>,
    /// The share that a guess among the rows of a person's look is right.
    pub by_guessing: f64,
    /// The share of people whom every attempt links with their own row and with no other.
    pub by_all: Share,
    /// How the release differs from the original.
    pub changes: Changes,
}

impl Linked {
    /// The attempt that links most people; the first of several.
    #[must_use]
    pub fn best(&self) -> Option<&Found> {
        let better = |best: &'_ Found, found: &'_ Found| found.right.value > best.right.value;
        self.found.iter().reduce(|best, found| if better(best, found) { found } else { best })
    }

    /// The greatest share that any attempt may find: where only some people were looked for, the upper end of its interval.
    #[must_use]
    pub fn highest(&self) -> f64 {
        let upper = |found: &Found| found.right.interval.map_or(found.right.value, |(_, high)| high);
        self.found.iter().map(upper).reduce(f64::max).unwrap_or(1.0)
    }

    /// What an attempt finds, if it was made.
    #[must_use]
    pub fn of(&self, attempt: Attempt) -> Option<&Share> {
        self.found.iter().find(|found| found.attempt == attempt).map(|found| &found.right)
    }
}

/// How a release differs from its original.
pub fn changes(sides: &Sides<'_>) -> Result<Changes> {
    Ok(change::changes(&Prepared::new(sides)?))
}

/// Measures how many people are linked with their own rows, and how the release differs from the original.
pub fn measure(sides: &Sides<'_>, options: &Options, control: &Control) -> Result<Linked> {
    let prepared = Prepared::new(sides)?;
    control.check()?;
    let rows = prepared.rows;
    let looked_for = some_people(rows, options);
    let mut credits: Vec<(Attempt, Vec<Option<f64>>)> = Vec::new();
    for (attempt, found) in distance::attempts(&prepared, &looked_for, control)? {
        credits.push((attempt, found.into_iter().map(Some).collect()));
    }
    if let Some(found) = window::attempt(&prepared, &looked_for, control)? {
        credits.push((Attempt::Window, found.into_iter().map(Some).collect()));
    }
    credits.push((Attempt::Probabilistic, probabilistic::attempt(&prepared, &looked_for, control)?));
    let found = credits.iter().map(|(attempt, credits)| Found {
        attempt: *attempt,
        right: share(credits.iter().copied().flatten(), rows),
        alone: share(credits.iter().copied().flatten().map(|credit| yes_or_no(credit == 1.0)), rows),
    });
    // Nobody counts as found by all whom some attempt did not look for.
    let by_all = (0..looked_for.len()).filter_map(|person| {
        let of_person: Option<Vec<f64>> = credits.iter().map(|(_, credits)| credits[person]).collect();
        of_person.map(|credits| yes_or_no(credits.iter().all(|credit| *credit == 1.0)))
    });
    Ok(Linked {
        people: rows as u64,
        found: found.collect(),
        by_guessing: prepared.groups.len() as f64 / rows as f64,
        by_all: share(by_all, rows),
        changes: change::changes(&prepared),
    })
}

fn yes_or_no(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}

/// Everybody or, of too many people, a random sample, in ascending order.
fn some_people(rows: usize, options: &Options) -> Vec<u32> {
    let mut people: Vec<u32> = (0..rows as u32).collect();
    if rows > options.people {
        shuffle(&mut people, &mut ChaCha20Rng::seed_from_u64(options.seed));
        people.truncate(options.people.max(1));
        people.sort_unstable();
    }
    people
}

/// The mean chance of being linked, with Wilson's interval if these are not all people.
fn share(credits: impl Iterator<Item = f64>, all: usize) -> Share {
    /// The 97.5 % quantile of the normal distribution.
    const Z: f64 = 1.959_963_984_540_054;
    let (sum, people) = credits.fold((0.0, 0_u64), |(sum, people), credit| (sum + credit, people + 1));
    let n = people.max(1) as f64;
    let value = sum / n;
    let interval = (people < all as u64).then(|| {
        let middle = (value + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z / (1.0 + Z * Z / n) * (value * (1.0 - value) / n + Z * Z / (4.0 * n * n)).sqrt();
        ((middle - half).max(0.0).min(value), (middle + half).min(1.0).max(value))
    });
    Share { value, people, interval }
}
