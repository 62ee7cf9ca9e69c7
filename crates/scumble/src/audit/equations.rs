//! Whose sensitive value follows from published frequencies (models.md 4.10).
//!
//! Somebody who knows which rows a record counts has an equation for every value: so many of these rows have it. Rows of one
//! tuple cannot be told apart, so the unknowns are how many rows of a tuple have a value. Bounds on them are passed from
//! equation to equation until nothing changes, also between what two equations of nearly the same rows differ in (`differences.rs`); then
//! elimination finds what several equations fix together, and the opposite of what may follow is assumed and refuted (`probing.rs`). What
//! is found follows for certain; a solver of integer programs might find more.

use std::collections::BTreeMap;

use super::{differences, elimination, probing};
use crate::error::Result;
use crate::frequency::FrequencyTable;
use crate::problem::Progress;

/// So many rows of each value are among the rows of some tuples, and `others`, about which nothing else is known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Equation {
    /// Ascending.
    pub(super) tuples: Vec<u32>,
    /// Tuples whose rows are taken off; none in what a record says.
    pub(super) minus: Vec<u32>,
    pub(super) others: u32,
    /// Rows per value, ascending by value. No row has another value.
    pub(super) counts: Vec<(u32, i32)>,
}

impl Equation {
    /// What a record says.
    pub(super) fn of_record(tuples: Vec<u32>, others: u32, counts: Vec<(u32, i32)>) -> Self {
        Self { tuples, minus: Vec::new(), others, counts }
    }
}

/// What follows from equations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Disclosure {
    /// The records that give equations.
    pub records: u64,
    /// The rows whose value follows with certainty.
    pub certain: u64,
    /// The rows that some equation is about, but whose equations were too many to be solved together: only bounds were passed
    /// between them, also under assumptions that were then refuted.
    pub partly_solved: u64,
}

/// Equations that hang together are not eliminated if that needs more multiplications, here and over all.
const MOST_WORK: u64 = 1 << 30;
const ALL_WORK: u64 = 1 << 32;

/// How many rows of a tuple have a value, at least and at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) value: u32,
    pub(super) least: u32,
    pub(super) most: u32,
}

/// Tuples whose bounds were changed, with what they were before.
pub(super) type Undo = Vec<(u32, Vec<Bounds>)>;

pub(super) struct State<'a> {
    pub(super) table: &'a FrequencyTable,
    sensitive: usize,
    equations: Vec<Equation>,
    /// Per tuple the values that its rows may have; none for tuples without an equation.
    pub(super) unknown: Vec<Vec<Bounds>>,
    /// Per tuple its equations.
    pub(super) of_tuple: Vec<Vec<u32>>,
    /// Whether an equation waits to be looked at.
    waiting: Vec<bool>,
    /// How many bounds were looked at so far.
    pub(super) looks: u64,
}

/// Solves equations that hold for the rows of a table.
pub(super) fn solve(
    table: &FrequencyTable,
    sensitive: usize,
    mut equations: Vec<Equation>,
    progress: &Progress,
) -> Result<Disclosure> {
    let records = equations.len() as u64;
    equations.sort_unstable();
    equations.dedup();
    let differences = differences::between(&equations, table.tuples(), progress)?;
    equations.extend(differences);
    let mut state = State::new(table, sensitive, equations);
    state.propagate((0..state.equations.len() as u32).collect(), &mut Undo::new(), progress)?;
    let mut partly = vec![false; table.tuples()];
    let mut work = 0;
    loop {
        let fixed = state.eliminate(&mut partly, &mut work, progress)?;
        if fixed.is_empty() {
            break;
        }
        let mut touched: Vec<u32> =
            fixed.iter().flat_map(|tuple| &state.of_tuple[*tuple as usize]).copied().collect();
        touched.sort_unstable();
        touched.dedup();
        state.propagate(touched, &mut Undo::new(), progress)?;
    }
    probing::probe(&mut state, &mut partly, progress)?;
    let rows = |counted: &dyn Fn(u32) -> bool| -> u64 {
        (0..table.tuples() as u32).filter(|tuple| counted(*tuple)).map(|tuple| table.weight(tuple)).sum()
    };
    Ok(Disclosure {
        records,
        certain: rows(&|tuple| state.is_certain(tuple)),
        partly_solved: rows(&|tuple| partly[tuple as usize] && !state.is_certain(tuple)),
    })
}

impl<'a> State<'a> {
    fn new(table: &'a FrequencyTable, sensitive: usize, equations: Vec<Equation>) -> Self {
        let mut unknown: Vec<Vec<Bounds>> = vec![Vec::new(); table.tuples()];
        let mut of_tuple: Vec<Vec<u32>> = vec![Vec::new(); table.tuples()];
        for (number, equation) in (0..).zip(&equations) {
            for tuple in equation.tuples.iter().chain(&equation.minus) {
                let (bounds, of_tuple) = (&mut unknown[*tuple as usize], &mut of_tuple[*tuple as usize]);
                let most = table.weight(*tuple) as u32;
                if of_tuple.is_empty() {
                    let open = |(value, _): &(u32, i32)| Bounds { value: *value, least: 0, most };
                    bounds.extend(equation.counts.iter().map(open));
                } else {
                    bounds.retain(|of| {
                        equation.counts.binary_search_by_key(&of.value, |count| count.0).is_ok()
                    });
                }
                of_tuple.push(number);
            }
        }
        for (bounds, tuple) in unknown.iter_mut().zip(0..) {
            settle(bounds, table.weight(tuple) as u32);
        }
        let waiting = vec![false; equations.len()];
        Self { table, sensitive, equations, unknown, of_tuple, waiting, looks: 0 }
    }

    pub(super) fn is_certain(&self, tuple: u32) -> bool {
        let all = self.table.weight(tuple) as u32;
        self.unknown[tuple as usize].iter().any(|bounds| bounds.least == all)
    }

    /// Passes bounds on, beginning with some equations, until nothing changes; false if they contradict each other, which they do only under
    /// an assumption.
    pub(super) fn propagate(
        &mut self,
        begin: Vec<u32>,
        undo: &mut Undo,
        progress: &Progress,
    ) -> Result<bool> {
        begin.iter().for_each(|number| self.waiting[*number as usize] = true);
        let mut queue: std::collections::VecDeque<u32> = begin.into();
        while let Some(number) = queue.pop_front() {
            progress.check()?;
            self.waiting[number as usize] = false;
            let known = undo.len();
            if !self.tighten(number as usize, undo) {
                queue.into_iter().for_each(|number| self.waiting[number as usize] = false);
                return Ok(false);
            }
            for (tuple, _) in &undo[known..] {
                for other in &self.of_tuple[*tuple as usize] {
                    if !std::mem::replace(&mut self.waiting[*other as usize], true) {
                        queue.push_back(*other);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Tightens bounds by one equation; false if it cannot hold.
    fn tighten(&mut self, number: usize, undo: &mut Undo) -> bool {
        let equation = &self.equations[number];
        let place = |value: u32| equation.counts.binary_search_by_key(&value, |count| count.0).ok();
        // Per value the least and most of all that is added, and of all that is taken off.
        let mut sums = vec![[(0_i64, 0_i64); 2]; equation.counts.len()];
        let sides = [&equation.tuples, &equation.minus];
        for (side, tuples) in sides.iter().enumerate() {
            for bounds in tuples.iter().flat_map(|tuple| &self.unknown[*tuple as usize]) {
                if let Some(place) = place(bounds.value) {
                    let sum = &mut sums[place][side];
                    *sum = (sum.0 + i64::from(bounds.least), sum.1 + i64::from(bounds.most));
                }
            }
        }
        self.looks += (equation.tuples.len() + equation.minus.len()) as u64;
        let others = i64::from(equation.others);
        let possible = |((_, count), [plus, minus]): (&(u32, i32), &[(i64, i64); 2])| {
            plus.0 - minus.1 <= i64::from(*count) && plus.1 - minus.0 + others >= i64::from(*count)
        };
        if !equation.counts.iter().zip(&sums).all(possible) {
            return false;
        }
        for (side, tuple) in (0..2).flat_map(|side| sides[side].iter().map(move |tuple| (side, tuple))) {
            let of_tuple = &mut self.unknown[*tuple as usize];
            let before = of_tuple.clone();
            for bounds in &mut *of_tuple {
                let Some(place) = place(bounds.value) else { continue };
                let (count, [plus, minus]) = (i64::from(equation.counts[place].1), sums[place]);
                let (least, most) = (i64::from(bounds.least), i64::from(bounds.most));
                // What all others leave, at least and at most.
                let (from, to) = if side == 0 {
                    (count - others + minus.0 - (plus.1 - most), count + minus.1 - (plus.0 - least))
                } else {
                    (plus.0 - count - (minus.1 - most), plus.1 + others - count - (minus.0 - least))
                };
                bounds.most = most.min(to).max(0) as u32;
                bounds.least = least.max(from.min(i64::from(bounds.most))) as u32;
            }
            if before == *of_tuple {
                continue;
            }
            if !settle(of_tuple, self.table.weight(*tuple) as u32) {
                undo.push((*tuple, before));
                return false;
            }
            for (old, new) in before.iter().zip(&*of_tuple) {
                if let Some(sum) = place(new.value).map(|place| &mut sums[place][side]) {
                    sum.0 += i64::from(new.least) - i64::from(old.least);
                    sum.1 += i64::from(new.most) - i64::from(old.most);
                }
            }
            undo.push((*tuple, before));
        }
        true
    }

    /// The values of tuples that equations fix together: they are set, and the tuples returned.
    fn eliminate(&mut self, partly: &mut [bool], work: &mut u64, progress: &Progress) -> Result<Vec<u32>> {
        let mut fixed = Vec::new();
        let values: BTreeMap<u32, Vec<usize>> = {
            let mut of_value: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
            // Differences follow from others and add nothing here.
            let exact = |(_, of): &(usize, &Equation)| of.others == 0 && of.minus.is_empty();
            for (number, equation) in self.equations.iter().enumerate().filter(exact) {
                equation.counts.iter().for_each(|count| of_value.entry(count.0).or_default().push(number));
            }
            of_value
        };
        for (value, numbers) in values {
            progress.check()?;
            let is_open = |tuple: &&u32| {
                self.unknown[**tuple as usize].iter().any(|of| of.value == value && of.least < of.most)
            };
            let mut rows: Vec<Vec<u32>> = numbers
                .iter()
                .map(|number| self.equations[*number].tuples.iter().filter(is_open).copied().collect())
                .filter(|row: &Vec<u32>| row.len() > 1)
                .collect();
            rows.sort_unstable();
            rows.dedup();
            for component in elimination::components(&rows) {
                let mut columns: Vec<u32> =
                    component.iter().flat_map(|row| rows[*row].iter().copied()).collect();
                columns.sort_unstable();
                columns.dedup();
                let steps = elimination::work(component.len(), columns.len());
                *work = work.saturating_add(if steps > MOST_WORK { 0 } else { steps });
                if steps > MOST_WORK || *work > ALL_WORK {
                    columns.iter().for_each(|tuple| partly[*tuple as usize] = true);
                    continue;
                }
                let system: Vec<&[u32]> = component.iter().map(|row| &rows[*row][..]).collect();
                for tuple in elimination::determined(&system, &columns, progress)? {
                    // The true rows solve all equations, so a value that is fixed is the true one.
                    let true_rows = self.true_rows(tuple, value);
                    for bounds in self.unknown[tuple as usize].iter_mut().filter(|of| of.value == value) {
                        (bounds.least, bounds.most) = (true_rows, true_rows);
                    }
                    settle(&mut self.unknown[tuple as usize], self.table.weight(tuple) as u32);
                    fixed.push(tuple);
                }
            }
        }
        fixed.sort_unstable();
        fixed.dedup();
        Ok(fixed)
    }

    pub(super) fn true_rows(&self, tuple: u32, value: u32) -> u32 {
        let payloads = self.table.payloads();
        let cells = self.table.cells(tuple).iter();
        cells.filter(|cell| payloads.value(cell.payload, self.sensitive) == value).map(|cell| cell.rows).sum()
    }
}

/// The rows of a tuple add up: what its other values leave bounds each of them. False if no rows do.
pub(super) fn settle(bounds: &mut [Bounds], rows: u32) -> bool {
    loop {
        let before = bounds.to_vec();
        let (least, most) =
            bounds.iter().fold((0_u32, 0_u32), |sum, of| (sum.0 + of.least, sum.1.saturating_add(of.most)));
        if least > rows || (!bounds.is_empty() && most < rows) || bounds.iter().any(|of| of.least > of.most) {
            return false;
        }
        for of in &mut *bounds {
            of.most = of.most.min((rows + of.least).saturating_sub(least));
            of.least = of.least.max((rows + of.most).saturating_sub(most).min(of.most));
        }
        if before == bounds {
            return true;
        }
    }
}
