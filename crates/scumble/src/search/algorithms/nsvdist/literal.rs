//! The search as the paper prints it, which examines every row for every place of a mask. The fast search must give the
//! same result.

use super::arena::Arena;
use super::feasible::Demand;
use super::masks::Rules;
use super::ruler::{Reach, Sight};
use crate::recoding::published::Record;

/// The masks around a tuple: one for each of its sensitive values.
pub(super) fn search(rules: &Rules<'_>, arena: &Arena, demand: Demand, place: usize) -> Vec<Record> {
    let mut sights: Vec<Sight> = (0..rules.rulers.len()).map(|_| Sight::default()).collect();
    for ((ruler, sight), rank) in rules.rulers.iter().zip(&mut sights).zip(arena.ranks(place)) {
        ruler.look(*rank, sight);
    }
    let mask = |(value, rows): &(u32, u32)| {
        let mut mask = Mask::new(rules, arena);
        mask.take(place, *value);
        mask.fill(rules, arena, &sights, demand.size, demand.most);
        let mut wider = Mask::new(rules, arena);
        wider.reach.clone_from(&mask.reach);
        if demand.cover > demand.size {
            wider.fill(rules, arena, &sights, demand.cover, u64::MAX);
        }
        let cover = rules.rulers.iter().zip(&sights).zip(&wider.reach);
        let (members, others) = arena.whole_tuples(mask.taken);
        Record {
            tuple: arena.tuples[place],
            value: *value,
            rows: *rows,
            shown: cover.map(|((ruler, sight), reach)| ruler.value(sight, *reach)).collect(),
            counts: mask.counts,
            members,
            others,
        }
    };
    arena.cells(place).iter().map(mask).collect()
}

/// A mask under construction, and the rows that are not in it.
struct Mask {
    left: Vec<Vec<(u32, u32)>>,
    reach: Vec<Reach>,
    counts: Vec<u64>,
    taken: Vec<(u32, u32)>,
}

impl Mask {
    fn new(rules: &Rules<'_>, arena: &Arena) -> Self {
        Self {
            left: (0..arena.len()).map(|place| arena.cells(place).to_vec()).collect(),
            reach: vec![(0, 0); rules.rulers.len()],
            counts: vec![0; arena.values],
            taken: Vec::new(),
        }
    }

    fn take(&mut self, place: usize, value: u32) {
        self.left[place].iter_mut().filter(|cell| cell.0 == value).for_each(|cell| cell.1 -= 1);
        self.counts[value as usize] += 1;
        self.taken.push((place as u32, 1));
    }

    fn fill(&mut self, rules: &Rules<'_>, arena: &Arena, sights: &[Sight], size: u64, most: u64) {
        while self.counts.iter().sum::<u64>() < size {
            // Every row that may still be taken, by the cost and the reach of the cover with it.
            let mut best: Option<(u64, Vec<Reach>)> = None;
            let mut members: Vec<(usize, u32, u32)> = Vec::new();
            for (at, cells) in self.left.iter().enumerate() {
                let joint = rules.join(sights, &self.reach, arena.ranks(at));
                let columns = rules.rulers.iter().zip(sights).zip(&joint);
                let key = (columns.map(|((ruler, sight), of)| ruler.cost(sight, *of)).sum(), joint);
                for (value, rows) in cells {
                    if *rows == 0 || self.counts[*value as usize] >= most {
                        continue;
                    }
                    if best.as_ref().is_none_or(|best| key < *best) {
                        members.clear();
                        best = Some(key.clone());
                    }
                    if best.as_ref() == Some(&key) {
                        members.push((at, *value, *rows));
                    }
                }
            }
            let Some((_, reach)) = best else { break };
            self.reach = reach;
            // Of the rows that lead to this cover, take one with the value that most of them have.
            let total = |value: u32| -> u32 {
                members.iter().filter(|member| member.1 == value).map(|member| member.2).sum()
            };
            let chosen = members.iter().max_by_key(|member| {
                (total(member.1), std::cmp::Reverse(member.1), std::cmp::Reverse(member.0))
            });
            if let Some((at, value, _)) = chosen.copied() {
                self.take(at, value);
            }
        }
    }
}
