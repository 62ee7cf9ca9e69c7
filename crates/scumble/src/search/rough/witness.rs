//! Finds the rows of several projections that take part in a join of all of them, by looking for a partner in each.
//!
//! This is needed only where the shared columns form a cycle, because rows may then agree pair by pair and yet not all
//! together.

/// The most rows that are tried. A join that needs more is left undecided.
pub(super) const MOST_TRIED: u64 = 1_000_000;

/// The rows of a projection that may belong to someone.
pub(super) struct Candidates<'a> {
    /// The columns that it shares with others.
    pub(super) columns: &'a [usize],
    /// The decision and the values of those columns, row by row.
    pub(super) rows: Vec<(u32, &'a [u32])>,
}

/// For each projection, which of its rows take part in the join; `None` if that would take too long to find out.
pub(super) fn joined(projections: &[Candidates<'_>]) -> Option<Vec<Vec<bool>>> {
    let width = projections.iter().flat_map(|one| one.columns).max().map_or(0, |column| column + 1);
    let mut search = WitnessSearch {
        projections,
        found: projections.iter().map(|one| vec![false; one.rows.len()]).collect(),
        fixed: vec![None; width],
        chosen: vec![0; projections.len()],
        tried: 0,
    };
    for (place, one) in projections.iter().enumerate() {
        for (row, (decision, values)) in one.rows.iter().enumerate() {
            if search.found[place][row] {
                continue;
            }
            search.fixed.fill(None);
            one.columns.iter().zip(*values).for_each(|(column, value)| search.fixed[*column] = Some(*value));
            search.chosen[place] = row;
            if search.extend(0, place, *decision)? {
                for (found, row) in search.found.iter_mut().zip(&search.chosen) {
                    found[*row] = true;
                }
            }
        }
    }
    Some(search.found)
}

struct WitnessSearch<'a> {
    projections: &'a [Candidates<'a>],
    found: Vec<Vec<bool>>,
    /// The values of the columns of all rows chosen so far.
    fixed: Vec<Option<u32>>,
    chosen: Vec<usize>,
    tried: u64,
}

impl WitnessSearch<'_> {
    /// Chooses rows that agree with those chosen so far, from the projections from `next` on (except `given`, whose row is
    /// chosen already). Returns whether there are such rows; `None` if too many were tried.
    fn extend(&mut self, next: usize, given: usize, decision: u32) -> Option<bool> {
        if next == given {
            return self.extend(next + 1, given, decision);
        }
        let Some(one) = self.projections.get(next) else { return Some(true) };
        for (row, (other, values)) in one.rows.iter().enumerate() {
            self.tried += 1;
            if self.tried > MOST_TRIED {
                return None;
            }
            let pairs = || one.columns.iter().zip(*values);
            let agrees =
                |(column, value): (&usize, &u32)| self.fixed[*column].is_none_or(|fixed| fixed == *value);
            if *other != decision || !pairs().all(agrees) {
                continue;
            }
            let fresh: Vec<usize> =
                one.columns.iter().copied().filter(|column| self.fixed[*column].is_none()).collect();
            pairs().for_each(|(column, value)| self.fixed[*column] = Some(*value));
            self.chosen[next] = row;
            if self.extend(next + 1, given, decision)? {
                return Some(true);
            }
            fresh.iter().for_each(|column| self.fixed[*column] = None);
        }
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreeing_pairs_need_not_agree_together() {
        // (0,1) has 00 and 11, (1,2) has 00 and 11, (0,2) has 01, 10 and 00: only 000 agrees all round the triangle.
        let one = Candidates { columns: &[0, 1], rows: vec![(0, &[0, 0]), (0, &[1, 1])] };
        let two = Candidates { columns: &[1, 2], rows: vec![(0, &[0, 0]), (0, &[1, 1])] };
        let three = Candidates { columns: &[0, 2], rows: vec![(0, &[0, 1]), (0, &[1, 0]), (0, &[0, 0])] };
        let found = joined(&[one, two, three]).expect("few rows");
        assert_eq!(found, [vec![true, false], vec![true, false], vec![false, false, true]]);
    }

    #[test]
    fn the_decision_is_shared_by_all() {
        let one = Candidates { columns: &[], rows: vec![(0, &[]), (1, &[])] };
        let two = Candidates { columns: &[], rows: vec![(1, &[]), (2, &[])] };
        assert_eq!(joined(&[one, two]).expect("few rows"), [[false, true], [true, false]]);
    }

    #[test]
    fn what_would_take_too_long_is_left_undecided() {
        // Each projection matches the next, and the last never matches the first.
        let values: Vec<[u32; 2]> = (0..40).flat_map(|one| (0..40).map(move |other| [one, other])).collect();
        let rows = || values.iter().map(|pair| (0, &pair[..])).collect::<Vec<_>>();
        let mut projections: Vec<Candidates<'_>> =
            [[0, 1], [1, 2], [2, 3]].iter().map(|columns| Candidates { columns, rows: rows() }).collect();
        projections.push(Candidates { columns: &[3, 0], rows: vec![(0, &[99, 99])] });
        assert_eq!(joined(&projections), None);
    }
}
