//! Finds the rows that have the same value in every possible world (models.md 4.10).
//!
//! The original is one world. So a row's value is certain if there is no world in which the row has another value. For each tuple whose rows all
//! have one value, the search assumes that one of them has another. Then either the propagated bounds contradict each other, or the search looks
//! for a world that keeps to them. It begins with the original. As long as a sum violates its bounds, it narrows an unknown so that the sum
//! comes nearer to them: first the way that violates other bounds least, later the opposite way. A world that is found is checked independently
//! (`is_world`). It shows that the row, and every other row that has another value in it, is not certain. If all ways end in contradictions, the
//! value is certain. If neither is established within a number of steps, it is unknown. Steps are counted, not timed, so the result is always
//! the same.
//!
//! The search does not use a linear program: its solution would be fractions in floating point, and would have to be proved again in whole
//! numbers. This search proves its results as it goes, and does not visit the parts of the table that an assumption does not affect.

use super::bounds::Bounds;
use super::known::Known;
use super::owners::{Handed, Transfer};
use crate::error::Result;
use crate::problem::Progress;

/// What is known about the rows of a tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The rows have the same value in every world.
    Certain,
    /// There are two worlds in which they have different values.
    Free,
    /// Neither was found.
    Unknown,
}

/// The most steps of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// The steps for one tuple, in the first round and in the later ones.
    pub(super) each: [u64; 3],
    /// The steps for all tuples together.
    pub(super) all: u64,
}

/// The budgets for a release. The budget by cover is larger, because a release must withstand that reader by default.
pub(super) const BY_COVER: Budget = Budget { each: [1 << 14, 1 << 18, 1 << 22], all: 1 << 31 };
pub(super) const BY_MASK: Budget = Budget { each: [1 << 14, 1 << 18, 1 << 21], all: 1 << 29 };

/// The most unknowns in all cuts together.
const MOST_CUT: usize = 1 << 22;

/// Returns the verdict for every tuple. `given` holds the verdicts known beforehand.
pub(super) fn verdicts(
    known: &Known<'_>,
    given: &[Verdict],
    budget: Budget,
    progress: &Progress,
) -> Result<Vec<Verdict>> {
    let mut search = WorldSearch { bounds: Bounds::new(known), verdicts: given.to_vec(), limit: 0 };
    let tuples = known.rows.len() as u32;
    for tuple in 0..tuples {
        match known.only_value(tuple) {
            Some(unknown) if given[tuple as usize] == Verdict::Certain => search.fix(tuple, unknown),
            Some(_) => {}
            None => search.verdicts[tuple as usize] = Verdict::Free,
        }
    }
    search.bounds.propagate();
    search.bounds.keep();
    for steps in budget.each {
        for tuple in 0..tuples {
            progress.check()?;
            let Some(unknown) = known.only_value(tuple) else { continue };
            if search.verdicts[tuple as usize] != Verdict::Unknown {
                continue;
            }
            if search.bounds.least[unknown as usize] == known.rows[tuple as usize] {
                search.verdicts[tuple as usize] = Verdict::Certain;
                continue;
            }
            if search.bounds.steps >= budget.all {
                continue;
            }
            search.limit = search.bounds.steps + steps;
            search.ask(tuple, unknown, progress)?;
        }
    }
    Ok(search.verdicts)
}

/// A choice that the search made: where to undo to, and the unknown with the bounds of the opposite choice.
struct Choice {
    mark: usize,
    unknown: u32,
    other: (u32, u32),
}

struct WorldSearch<'k> {
    bounds: Bounds<'k>,
    verdicts: Vec<Verdict>,
    /// The number of steps at which the search for the current tuple ends.
    limit: u64,
}

impl WorldSearch<'_> {
    /// Records permanently that all rows of a tuple have a value.
    fn fix(&mut self, tuple: u32, unknown: u32) {
        let rows = self.bounds.known.rows[tuple as usize];
        self.verdicts[tuple as usize] = Verdict::Certain;
        self.bounds.narrow(unknown, rows, rows);
    }

    /// Finds out whether some row of a tuple may have another value.
    fn ask(&mut self, tuple: u32, unknown: u32, progress: &Progress) -> Result<()> {
        let cuts = self.bounds.cut_size();
        let mark = self.bounds.mark();
        let rows = self.bounds.known.rows[tuple as usize];
        let possible = self.bounds.narrow(unknown, 0, rows - 1) && self.bounds.propagate();
        let verdict = if possible { self.find_world(tuple, progress)? } else { Verdict::Certain };
        if verdict == Verdict::Free {
            for (changed, _) in self.bounds.differences() {
                let known = self.bounds.known;
                let of = known.tuple[changed as usize];
                if known.only_value(of) == Some(changed) && self.verdicts[of as usize] == Verdict::Unknown {
                    self.verdicts[of as usize] = Verdict::Free;
                }
            }
        }
        self.bounds.forget();
        self.bounds.undo(mark);
        self.verdicts[tuple as usize] = verdict;
        if verdict == Verdict::Certain {
            self.fix(tuple, unknown);
        }
        if self.bounds.cut_size() != cuts {
            self.bounds.look_at_cuts();
        }
        self.bounds.propagate();
        self.bounds.keep();
        Ok(())
    }

    /// Looks for a world within the bounds.
    fn find_world(&mut self, near: u32, progress: &Progress) -> Result<Verdict> {
        let mut choices: Vec<Choice> = Vec::new();
        loop {
            progress.check()?;
            if self.bounds.steps >= self.limit {
                return Ok(Verdict::Unknown);
            }
            let possible = match self.bounds.violated() {
                Some((bound, falls)) => {
                    let Some((unknown, rises)) = self.bounds.repair(bound, falls, near) else {
                        return Ok(Verdict::Unknown);
                    };
                    let guess = self.bounds.guess[unknown as usize];
                    let (way, other) = if rises {
                        ((guess + 1, u32::MAX), (0, guess))
                    } else {
                        ((0, guess - 1), (guess, u32::MAX))
                    };
                    choices.push(Choice { mark: self.bounds.mark(), unknown, other });
                    self.bounds.narrow(unknown, way.0, way.1) && self.bounds.propagate()
                }
                None => {
                    let differences = self.bounds.differences();
                    let known = self.bounds.known;
                    let mut limit = self.limit.saturating_sub(self.bounds.steps);
                    let before = limit;
                    let handed = known.owners.hand_out(known, &differences, &mut limit);
                    self.bounds.steps += before - limit;
                    match handed {
                        Handed::Out(transfers) if is_world(known, &differences, &transfers) => {
                            return Ok(Verdict::Free);
                        }
                        Handed::Short(unknowns, most)
                            if self.bounds.cut_size() + unknowns.len() <= MOST_CUT =>
                        {
                            self.bounds.add_cut(unknowns, most);
                            self.bounds.propagate()
                        }
                        _ => return Ok(Verdict::Unknown),
                    }
                }
            };
            if !possible && !self.other_way(&mut choices) {
                return Ok(Verdict::Certain);
            }
        }
    }

    /// Goes back to the last choice whose opposite is possible. Returns false if there is none.
    fn other_way(&mut self, choices: &mut Vec<Choice>) -> bool {
        while let Some(Choice { mark, unknown, other }) = choices.pop() {
            self.bounds.forget();
            self.bounds.undo(mark);
            if self.bounds.narrow(unknown, other.0, other.1) && self.bounds.propagate() {
                return true;
            }
        }
        false
    }
}

/// Whether the original with some unknowns changed is a world. Uses nothing that the search keeps, only the sums of the original, what the
/// changes add to them, and who gives a record to whom.
fn is_world(known: &Known<'_>, changes: &[(u32, i64)], transfers: &[Transfer]) -> bool {
    let mut rows: std::collections::BTreeMap<u32, i64> = std::collections::BTreeMap::new();
    let mut sums: std::collections::BTreeMap<(u32, u32), i64> = std::collections::BTreeMap::new();
    for (unknown, by) in changes {
        let at = *unknown as usize;
        if i64::from(known.truth[at]) + by < 0 {
            return false;
        }
        *rows.entry(known.tuple[at]).or_default() += by;
        for of in known.of_tuple.of(known.tuple[at]) {
            let by = if of % 2 == 0 { *by } else { -by };
            *sums.entry((of / 2, known.value[at])).or_default() += by;
        }
    }
    let within = |((sum, value), by): (&(u32, u32), &i64)| {
        let of = &known.sums[*sum as usize];
        let Some(place) = of.place(*value) else { return !of.only || *by == 0 };
        let now = known.true_sums[known.first_bound[*sum as usize] as usize + place] + by;
        let (_, least, most) = of.bounds[place];
        (least..=most).contains(&now)
    };
    rows.values().all(|by| *by == 0)
        && sums.iter().all(within)
        && known.owners.holds(known, changes, transfers)
}
