//! What a release shows about the sensitive value of each person.
//!
//! If rows stand for people, the people of a class are its rows, and the class's amounts of values are true of them. Otherwise the attacker
//! takes all rows that fit a person, and their values are compared with the person's true value. A person who fits no row is guessed by the
//! most frequent value of the whole release.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

use super::{Scene, Tally, View};

/// Stands for every value that nobody of the original has.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Shares of rows are scaled to this if the amounts of classes differ from their rows.
const SCALE: u128 = 1_000_000;

/// What the release shows about some people.
pub(super) struct Telling {
    /// The values shown by rows that may be theirs.
    pub tally: Tally,
    /// The number of people.
    pub people: u64,
    /// Whether a row fits them. If not, the tally covers all rows.
    pub fits: bool,
    /// Their true values; `None` if they have the values of the tally, in these shares.
    truths: Option<Tally>,
}

impl Telling {
    /// Returns the number of people with a value like this.
    pub(super) fn having(&self, like: impl Fn(u32) -> bool) -> f64 {
        let amount = |tally: &Tally| -> u64 {
            tally.of_value.iter().filter(|(value, _)| like(*value)).map(|(_, amount)| amount).sum()
        };
        match &self.truths {
            Some(truths) => amount(truths) as f64,
            None => self.people as f64 * (amount(&self.tally) as f64 / self.tally.total.max(1) as f64),
        }
    }

    /// Returns the number of people with the most frequent value, which is the best guess.
    pub(super) fn right(&self) -> f64 {
        self.tally.most().map_or(0.0, |(most, _)| self.having(|value| value == most))
    }

    /// Returns the chance of the best guess, as far as the rows show.
    pub(super) fn chance(&self) -> f64 {
        self.tally.most().map_or(0.0, |(_, most)| most as f64 / self.tally.total as f64)
    }
}

/// Returns what the release shows about everybody; each person is in exactly one result.
pub(super) fn tellings(scene: &Scene, secret: usize) -> Vec<Telling> {
    let mut found = Vec::new();
    if scene.stands() {
        let told = scene.classes.iter().filter(|class| class.secrets[secret].total > 0);
        found.extend(told.map(|class| Telling {
            tally: class.secrets[secret].clone(),
            people: class.rows,
            fits: true,
            truths: None,
        }));
    }
    let shows = |class: u32| scene.classes[class as usize].secrets[secret].total > 0;
    let counted = |person: &usize| scene.stands() && scene.class_of_person[*person].is_some_and(shows);
    let others: Vec<usize> = (0..scene.people).filter(|person| !counted(person)).collect();
    found.extend(one_by_one(scene, secret, &others));
    found
}

/// Does the same for people whose own rows are unknown, by all rows that fit them.
fn one_by_one(scene: &Scene, secret: usize, people: &[usize]) -> Vec<Telling> {
    if people.is_empty() {
        return Vec::new();
    }
    let all: Vec<usize> = (0..scene.known.len()).collect();
    let view = View::new(scene, &all);
    let mut looks_of_key: HashMap<Vec<u32>, Vec<u32>, FixedState> = HashMap::default();
    let mut values: BTreeMap<Vec<u32>, Vec<(u32, u64)>> = BTreeMap::new();
    for person in people {
        let looks = looks_of_key.entry(view.key(*person)).or_insert_with(|| view.looks_fitting(*person));
        let truth = scene.secrets[secret].of_person[*person];
        match values.get_mut(looks) {
            Some(values) => values.push((truth, 1)),
            None => drop(values.insert(looks.clone(), vec![(truth, 1)])),
        }
    }
    let everything: Vec<u32> = (0..scene.looks.len() as u32).collect();
    let telling = |(looks, values): (Vec<u32>, Vec<(u32, u64)>)| {
        let people = values.len() as u64;
        let own = pooled(scene, secret, &looks);
        // Rows that show no value are no better than no rows.
        let fits = own.total > 0;
        let tally = if fits { own } else { pooled(scene, secret, &everything) };
        Telling { tally, people, fits, truths: Some(Tally::new(values)) }
    };
    values.into_iter().map(telling).collect()
}

/// Adds up what the rows of several looks show.
fn pooled(scene: &Scene, secret: usize, looks: &[u32]) -> Tally {
    let class_of = |look: &u32| {
        let look = &scene.looks[*look as usize];
        (look.rows, &scene.classes[look.class as usize])
    };
    let by_rows = looks.iter().map(class_of).all(|(rows, class)| {
        let total = class.secrets[secret].total;
        class.rows == rows && total <= rows
    });
    let amounts = looks.iter().map(class_of).flat_map(|(rows, class)| {
        let tally = &class.secrets[secret];
        let amount = move |amount: u64| match by_rows {
            true => amount,
            false => (u128::from(amount) * u128::from(rows) * SCALE / u128::from(tally.total)) as u64,
        };
        // A value that nobody has is still a value, and wrong for every person.
        let unknown = if by_rows && tally.total > 0 { rows - tally.total } else { 0 };
        let known = tally.of_value.iter().map(move |(value, of)| (*value, amount(*of)));
        known.chain([(UNKNOWN, unknown)])
    });
    Tally::new(amounts)
}
