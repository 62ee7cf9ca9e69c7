//! The search as the paper prints it: for every place of a mask every row is looked at. What the fast search must equal.

use super::arena::Arena;
use super::feasible::Demand;
use super::ruler::{Reach, Sight};
use super::{Found, Rules};

/// The masks around a tuple: one for each of its sensitive values.
pub(super) fn search(rules: &Rules<'_>, arena: &Arena, demand: Demand, place: usize) -> Vec<Found> {
    let mut sights: Vec<Sight> = (0..rules.rulers.len()).map(|_| Sight::default()).collect();
    for ((ruler, sight), rank) in rules.rulers.iter().zip(&mut sights).zip(arena.ranks(place)) {
        ruler.look(*rank, sight);
    }
    arena
        .cells(place)
        .iter()
        .map(|(value, rows)| mask(rules, arena, demand, &sights, (place, *value, *rows)))
        .collect()
}

fn mask(
    rules: &Rules<'_>,
    arena: &Arena,
    demand: Demand,
    sights: &[Sight],
    (place, value, rows): (usize, u32, u32),
) -> Found {
    let mut left: Vec<Vec<(u32, u32)>> = (0..arena.len()).map(|of| arena.cells(of).to_vec()).collect();
    let mut counts = vec![0_u64; arena.values];
    let mut take = |counts: &mut Vec<u64>, at: usize, value: u32| {
        left[at].iter_mut().filter(|cell| cell.0 == value).for_each(|cell| cell.1 -= 1);
        counts[value as usize] += 1;
        left.clone()
    };
    let mut rest = take(&mut counts, place, value);
    let mut reach: Vec<Reach> = vec![(0, 0); rules.rulers.len()];
    while counts.iter().sum::<u64>() < demand.size {
        // Every row that may still come in, by what the cover then costs and how far it then reaches.
        let mut best: Option<(u64, Vec<Reach>)> = None;
        let mut members: Vec<(usize, u32, u32)> = Vec::new();
        for (at, cells) in rest.iter().enumerate() {
            for (value, rows) in
                cells.iter().filter(|cell| cell.1 > 0 && counts[cell.0 as usize] < demand.most)
            {
                let joint = rules.join(sights, &reach, arena.ranks(at));
                let cost = rules
                    .rulers
                    .iter()
                    .zip(sights)
                    .zip(&joint)
                    .map(|((ruler, sight), of)| ruler.cost(sight, *of))
                    .sum();
                let key = Some((cost, joint));
                if best.is_none() || key <= best {
                    if key < best || best.is_none() {
                        members.clear();
                    }
                    best = key;
                    members.push((at, *value, *rows));
                }
            }
        }
        let Some((_, next)) = best else { break };
        reach = next;
        // Of the rows that lead there one of the value that most of them have.
        let total = |value: u32| {
            members.iter().filter(|member| member.1 == value).map(|member| member.2).sum::<u32>()
        };
        let chosen = members
            .iter()
            .max_by_key(|member| (total(member.1), std::cmp::Reverse(member.1), std::cmp::Reverse(member.0)));
        let Some((at, value, _)) = chosen.copied() else { break };
        rest = take(&mut counts, at, value);
    }
    let cover = rules.rulers.iter().zip(sights).zip(&reach);
    Found {
        tuple: arena.tuples[place],
        value,
        rows,
        shown: cover.map(|((ruler, sight), reach)| ruler.value(sight, *reach)).collect(),
        counts,
    }
}
