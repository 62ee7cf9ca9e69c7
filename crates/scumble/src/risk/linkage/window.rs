//! Linkage of swapped ranks: whoever knows how far ranks were swapped knows a range of ranks for each value of a person, and all columns
//! must agree.

use rayon::prelude::*;
use scumble_files::Control;

use super::Span;
use super::prepare::{Number, Prepared, members, refined};
use super::tree::{Points, Tree};
use crate::error::Result;

/// The code of a missing value. Its row can only be of a person whose value is missing.
const MISSING: f64 = -1.0;

/// The chance that each person who is looked for is linked right; `None` if no ranks were swapped.
pub(super) fn attempt(prepared: &Prepared, people: &[u32], control: &Control) -> Result<Option<Vec<f64>>> {
    let columns: Vec<&Number> = prepared.numbers.iter().filter(|number| number.swapped.is_some()).collect();
    if columns.is_empty() {
        return Ok(None);
    }
    let mut group_of = prepared.group_of.clone();
    let mut ranked = Vec::new();
    for column in &columns {
        if let Some((strata, spans)) = &column.swapped {
            group_of = refined(&group_of, strata);
            ranked.push(Ranked::of(column, strata, spans));
        }
    }
    let (groups, group_of) = members(&group_of);
    let shown: Vec<f64> =
        (0..prepared.rows).flat_map(|row| ranked.iter().map(move |column| column.shown[row])).collect();
    let points = Points { width: ranked.len(), numbers: &shown, categories: &[] };
    let trees: Vec<Tree> = groups.par_iter().map(|group| Tree::of(&points, group.clone())).collect();
    let of_some = |people: &[u32]| {
        control.check()?;
        let linked_right = |person: &u32| {
            let person = *person as usize;
            let limits: Vec<(f64, f64)> = ranked.iter().map(|column| column.allowed[person]).collect();
            let own = ranked.iter().all(|column| {
                let (low, high) = column.allowed[person];
                (low..=high).contains(&column.shown[person])
            });
            if own { 1.0 / trees[group_of[person] as usize].within(&limits).max(1) as f64 } else { 0.0 }
        };
        Ok(people.iter().map(linked_right).collect())
    };
    let found: Vec<Vec<f64>> = people.par_chunks(64).map(of_some).collect::<Result<_>>()?;
    Ok(Some(found.concat()))
}

/// A column by the ranks of its values: what each row shows, and what may stand in the row of each person.
struct Ranked {
    /// The place of the row's value among the different values that are shown.
    shown: Vec<f64>,
    allowed: Vec<(f64, f64)>,
}

impl Ranked {
    fn of(column: &Number, strata: &[u32], spans: &[Span]) -> Self {
        let rows = strata.len();
        let mut ranked = Self { shown: vec![MISSING; rows], allowed: vec![(MISSING, MISSING); rows] };
        let mut of_strata = vec![Vec::new(); spans.len()];
        strata.iter().enumerate().for_each(|(row, stratum)| of_strata[*stratum as usize].push(row));
        for (inside, span) in of_strata.into_iter().zip(spans) {
            let sorted = |values: &[f64]| {
                let mut sorted: Vec<f64> =
                    inside.iter().map(|row| values[*row]).filter(|value| !value.is_nan()).collect();
                sorted.sort_unstable_by(f64::total_cmp);
                sorted
            };
            let (known, shown) = (sorted(&column.known), sorted(&column.shown));
            let mut different = shown.clone();
            different.dedup();
            let place = |value: f64| different.partition_point(|other| *other < value) as f64;
            for row in inside {
                if !column.shown[row].is_nan() {
                    ranked.shown[row] = place(column.shown[row]);
                }
                let value = column.known[row];
                if value.is_nan() || shown.is_empty() {
                    continue;
                }
                // Tails become their mean and the rest is exchanged, so the shown values have the same ranks as the true ones.
                let (low, high) = allowed(
                    known.partition_point(|other| *other < value),
                    known.partition_point(|other| *other <= value) - 1,
                    known.len(),
                    *span,
                );
                let at = |rank: usize| place(shown[rank.min(shown.len() - 1)]);
                ranked.allowed[row] = (at(low), at(high));
            }
        }
        ranked
    }
}

/// The ranks whose values may stand in the row of a person. The person's own rank is one of a range, since chance has ordered equal values.
fn allowed(first: usize, last: usize, all: usize, span: Span) -> (usize, usize) {
    let bottom = (span.bottom as usize).min(all);
    // The first rank of the top.
    let top = all.saturating_sub(span.top as usize).max(bottom);
    let ranks = span.ranks as usize;
    let in_bottom = (first < bottom).then(|| (0, bottom - 1));
    let in_top = (last >= top).then(|| (top, all - 1));
    let (from, to) = (first.max(bottom), last.min(top.wrapping_sub(1)));
    let between = (top > bottom && from <= to)
        .then(|| (from.saturating_sub(ranks).max(bottom), to.saturating_add(ranks).min(top - 1)));
    let pieces = [in_bottom, between, in_top];
    // Pieces that a range of equal values reaches adjoin each other.
    let joined = pieces.into_iter().flatten().reduce(|(low, high), (from, to)| (low.min(from), high.max(to)));
    joined.unwrap_or((0, all - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_that_swapping_allows() {
        // Ten values, of which the two least and the greatest become means; others move by at most three ranks.
        let span = Span { ranks: 3, bottom: 2, top: 1 };
        assert_eq!(allowed(0, 0, 10, span), (0, 1));
        assert_eq!(allowed(9, 9, 10, span), (9, 9));
        assert_eq!(allowed(2, 2, 10, span), (2, 5));
        assert_eq!(allowed(5, 5, 10, span), (2, 8));
        assert_eq!(allowed(8, 8, 10, span), (5, 8));
        // Equal values on both sides of a tail: chance has decided who is in it.
        assert_eq!(allowed(1, 2, 10, span), (0, 5));
        assert_eq!(allowed(0, 9, 10, span), (0, 9));
        // Everybody is in a tail.
        assert_eq!(allowed(1, 1, 2, Span { ranks: 1, bottom: 1, top: 1 }), (1, 1));
    }
}
