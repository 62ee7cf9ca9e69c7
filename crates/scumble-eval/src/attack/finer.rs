//! Finer labels that could have been published for a class: its rows, divided by one more step in one column, or by
//! everything known.
//!
//! Attackers who know how a release was made ask why it does not show more. The kind of recoding decides how far an
//! answer reaches: [`Reach`].

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use scumble::Result;
use scumble::registry::{Method, method};
use scumble::release::prepare::prepare;
use scumble::search::algorithms::Reach;
use scumble::table::hierarchy::{Hierarchy, NodeId};
use scumble::table::label::STAR;
use scumble::table::quasi::{Quasi, Shape};

use super::truth::true_classes;
use super::{Case, Scene};

/// Returns what the attacker takes for granted.
pub(super) fn premise(reach: Reach) -> &'static str {
    match reach {
        Reach::Class => {
            "The attacker assumes that a group was not divided further because some part of it would have broken the requirement."
        }
        Reach::Label => {
            "A value is refined for all rows at once. So the attacker assumes only this: in some group that shows the value, a part would have broken \
             the requirement."
        }
        Reach::Column => {
            "A column has one level for all rows. So the attacker assumes only this: one level finer, a part of some group would have broken the \
             requirement."
        }
    }
}

/// The people of each class with the codes of what is known of them.
pub(super) struct Finer {
    /// Which other classes would have had to be fit for publication with the finer label.
    pub reach: Reach,
    /// The class of each person.
    pub class_of_person: Vec<Option<u32>>,
    /// The people of each class.
    pub members: Vec<Vec<u32>>,
    /// The quasi-identifiers, in the order of the scene.
    pub quasi: Vec<Quasi>,
    /// For each quasi-identifier, the code of each person.
    codes: Vec<Vec<u32>>,
    /// What each class shows, column by column; `None` for classes with several looks and for rows that show nothing at
    /// all.
    shown: Vec<Option<Vec<u32>>>,
}

impl Finer {
    /// Prepares a case whose release has classes.
    pub(super) fn new(case: &Case<'_>) -> Result<Self> {
        let (trees, reach) = match method(&case.plan.algorithm.name)? {
            Method::Classes(entry) => {
                let algorithm = (entry.build)(&case.plan.algorithm.parameters)?;
                (algorithm.capabilities().needs_trees, algorithm.capabilities().reach)
            }
            Method::Records(_) | Method::Tables(_) => (false, Reach::Class),
        };
        let prepared = prepare(case.original, case.plan, case.resources, trees)?;
        let (mut quasi, mut codes) = (Vec::new(), Vec::new());
        for known in &case.scene.known {
            let place = prepared.quasi.iter().position(|quasi| quasi.name == known.name);
            let place =
                place.ok_or_else(|| scumble::Error::internal("a quasi-identifier was not prepared"))?;
            quasi.push(prepared.quasi[place].clone());
            let column = prepared.table.column(place);
            codes.push(prepared.tuple_of_row.iter().map(|tuple| column.get(*tuple as usize)).collect());
        }
        let class_of_person = match case.scene.secrets.is_empty() {
            true => case.scene.class_of_person.clone(),
            false => true_classes(case.scene, 0),
        };
        let members = members(case.scene, &class_of_person);
        Ok(Self { reach, class_of_person, members, quasi, codes, shown: shown(case.scene) })
    }

    /// Returns what a class shows in a column, as the number of a label.
    pub(super) fn label(&self, class: usize, column: usize) -> Option<u32> {
        self.shown[class].as_ref().map(|labels| labels[column])
    }

    /// The codes of the members of a class.
    pub(super) fn codes_of(&self, class: usize, column: usize) -> impl Iterator<Item = u32> + Clone + '_ {
        self.members[class].iter().map(move |person| self.codes[column][*person as usize])
    }

    /// Returns for each code of a column the number of people with a smaller one, and at the end the number of all
    /// people.
    pub(super) fn people_before(&self, column: usize) -> Vec<u64> {
        let mut before = vec![0; self.quasi[column].size() as usize + 1];
        self.codes[column].iter().for_each(|code| before[*code as usize + 1] += 1);
        (1..before.len()).for_each(|code| before[code] += before[code - 1]);
        before
    }

    /// The node that a class shows in a column, where the column has a tree.
    pub(super) fn node(&self, scene: &Scene, class: usize, column: usize) -> Option<(&Hierarchy, NodeId)> {
        let tree = self.quasi[column].tree().filter(|_| !self.quasi[column].sets)?;
        let label = &scene.known[column].labels[self.label(class, column)? as usize];
        let (low, high) = (self.codes_of(class, column).min()?, self.codes_of(class, column).max()?);
        let lowest = tree.lca_of_range(low, high);
        let mut above = std::iter::successors(Some(lowest), |node| tree.parent(*node));
        let shown = above.find(|node| tree.label(*node) == *label);
        let node = if label == STAR { shown.unwrap_or_else(|| tree.root()) } else { shown.unwrap_or(lowest) };
        Some((tree, node))
    }

    /// Divides the members of a class by one more step in a column: by the children of the node that the class shows
    /// or, without a tree, into halves. Returns the part of each member, or `None` if nothing finer is possible.
    pub(super) fn parts(&self, scene: &Scene, class: usize, column: usize) -> Option<Vec<u32>> {
        let parts: Vec<u32> = match self.node(scene, class, column) {
            Some((tree, node)) => {
                let starts: Vec<u32> = tree.children(node).map(|child| tree.range(child).0).collect();
                let child = |code| starts.partition_point(|start| *start <= code) as u32;
                self.codes_of(class, column).map(child).collect()
            }
            None if matches!(self.quasi[column].shape, Shape::Tree(_)) && !self.quasi[column].sets => {
                return None;
            }
            None => {
                self.label(class, column)?;
                let last = middle(self.codes_of(class, column).collect())?;
                self.codes_of(class, column).map(|code| u32::from(code > last)).collect()
            }
        };
        parts.iter().any(|part| *part != parts[0]).then_some(parts)
    }

    /// Divides the members of a class by everything that is known: people who are known alike stay together.
    pub(super) fn exact_parts(&self, class: usize) -> Option<Vec<u32>> {
        self.shown[class].as_ref()?;
        let key = |person: &u32| self.codes.iter().map(|codes| codes[*person as usize]).collect::<Vec<u32>>();
        let keys: Vec<Vec<u32>> = self.members[class].iter().map(key).collect();
        let mut numbers: BTreeMap<&[u32], u32> = keys.iter().map(|key| (&key[..], 0)).collect();
        numbers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
        (numbers.len() > 1).then(|| keys.iter().map(|key| numbers[&key[..]]).collect())
    }
}

/// The people of each class.
pub(super) fn members(scene: &Scene, class_of_person: &[Option<u32>]) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); scene.classes.len()];
    for (person, class) in (0..).zip(class_of_person) {
        if let Some(class) = class {
            members[*class as usize].push(person);
        }
    }
    members
}

fn shown(scene: &Scene) -> Vec<Option<Vec<u32>>> {
    let mut shown: Vec<Option<Vec<u32>>> = vec![None; scene.classes.len()];
    let mut looks = vec![0; scene.classes.len()];
    for look in &scene.looks {
        looks[look.class as usize] += 1;
        shown[look.class as usize] =
            (!look.star && looks[look.class as usize] == 1).then(|| look.labels.clone());
    }
    shown
}

/// Picks `wanted` of this many people at random, in ascending order.
pub(super) fn sample(people: usize, wanted: usize, seed: u64) -> Vec<u32> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut chosen: Vec<u32> = (0..people as u32).collect();
    let wanted = wanted.min(people);
    for place in 0..wanted {
        let other = place + (random.next_u64() % (people - place) as u64) as usize;
        chosen.swap(place, other);
    }
    chosen.truncate(wanted);
    chosen.sort_unstable();
    chosen
}

/// Returns the last code of the lower half: of the cuts between two codes the one nearest to the middle, the lower of
/// two.
fn middle(mut codes: Vec<u32>) -> Option<u32> {
    codes.sort_unstable();
    let cuts = (1..codes.len()).filter(|place| codes[place - 1] != codes[*place]);
    cuts.min_by_key(|place| (place * 2).abs_diff(codes.len())).map(|place| codes[place - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_as_equal_as_ties_allow() {
        assert_eq!(middle(vec![5, 1, 1, 1, 9, 5]), Some(1));
        assert_eq!(middle(vec![2, 2, 2, 3]), Some(2));
        assert_eq!(middle(vec![4, 4]), None);
        assert_eq!(middle(Vec::new()), None);
    }

    #[test]
    fn a_sample_has_different_people_in_their_order() {
        let some = sample(1_000, 10, 3);
        assert!(some.len() == 10 && some.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(sample(3, 10, 3), [0, 1, 2]);
    }
}
