//! Divides a table before the search, so that masks are searched for among fewer rows (algorithms.md A5).

use super::arena::Arena;
use super::feasible::Demand;
use super::masks::Rules;

/// Divides tuples, given by their places, into parts of at most `most` rows where that is possible. Each cut is along the
/// widest column, as near to the middle as possible. Each part has enough rows for a mask.
pub(super) fn divide(rules: &Rules<'_>, arena: &Arena, demand: Demand, most: u64) -> Vec<Vec<usize>> {
    let mut parts = Vec::new();
    let mut open = vec![(0..arena.len()).collect::<Vec<usize>>()];
    while let Some(part) = open.pop() {
        match cut(rules, arena, demand, most, &part) {
            Some((one, other)) => open.extend([other, one]),
            None => parts.push(part),
        }
    }
    parts
}

fn cut(
    rules: &Rules<'_>,
    arena: &Arena,
    demand: Demand,
    most: u64,
    part: &[usize],
) -> Option<(Vec<usize>, Vec<usize>)> {
    let rows = |places: &[usize]| arena.rows_per_value(places.iter().copied()).iter().sum::<u64>();
    let all = rows(part);
    if all <= most {
        return None;
    }
    let rank = |place: usize, column: usize| arena.ranks(place)[column];
    let mut columns: Vec<(u64, usize, u32, u32)> = Vec::new();
    for (column, ruler) in rules.rulers.iter().enumerate() {
        let ranks = || part.iter().map(|place| rank(*place, column));
        if let (Some(low), Some(high)) = (ranks().min(), ranks().max()) {
            columns.push((ruler.width(low, high), column, low, high));
        }
    }
    columns.sort_by_key(|(width, column, ..)| (std::cmp::Reverse(*width), *column));
    for (width, column, low, high) in columns {
        let cuts = rules.rulers[column].parts(low, high);
        if width == 0 || cuts.is_empty() {
            continue;
        }
        let sides = |last: u32| -> (Vec<usize>, Vec<usize>) {
            part.iter().partition(|place| rank(**place, column) <= last)
        };
        // If there are many cuts, only those near the middle row are tried.
        let mut order: Vec<usize> = part.to_vec();
        order.sort_unstable_by_key(|place| (rank(*place, column), *place));
        let middle = rank(order[order.len() / 2], column);
        let nearest = cuts.partition_point(|last| *last < middle);
        let near = &cuts[nearest.saturating_sub(2)..cuts.len().min(nearest + 3)];
        let mut tried: Vec<(u64, u32)> =
            near.iter().map(|last| ((2 * rows(&sides(*last).0)).abs_diff(all), *last)).collect();
        tried.sort_unstable();
        let enough = |side: &[usize]| demand.fits(&arena.rows_per_value(side.iter().copied()));
        let found =
            tried.into_iter().map(|(_, last)| sides(last)).find(|(one, other)| enough(one) && enough(other));
        if found.is_some() {
            return found;
        }
    }
    None
}
