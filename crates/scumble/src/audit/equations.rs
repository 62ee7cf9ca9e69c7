//! Whose sensitive value follows from published frequencies (models.md 4.10).
//!
//! Somebody who knows which rows a record counts has an equation for every value: so many of these rows have it. Rows of one
//! tuple cannot be told apart, so the unknowns are how many rows of a tuple have a value. Bounds on them are passed from
//! equation to equation until nothing changes; then elimination finds what several equations fix together. What is found
//! follows for certain; a solver of integer programs might find more.

use std::collections::BTreeMap;

use super::elimination;
use crate::error::Result;
use crate::frequency::FrequencyTable;
use crate::problem::Progress;

/// So many rows of each value are among the rows of some tuples, and `others`, about which nothing else is known.
pub(super) struct Equation {
    /// Ascending.
    pub(super) tuples: Vec<u32>,
    /// Rows per value, ascending by value, without those of no row.
    pub(super) counts: Vec<(u32, u32)>,
    pub(super) others: u32,
}

/// What follows from equations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Disclosure {
    /// The records that give equations.
    pub records: u64,
    /// The rows whose value follows with certainty.
    pub certain: u64,
    /// The rows that some equation is about, but whose equations were too many to be solved together: only bounds were passed
    /// between them.
    pub partly_solved: u64,
}

/// Equations that hang together are not eliminated if that needs more multiplications, here and over all.
const MOST_WORK: u64 = 1 << 30;
const ALL_WORK: u64 = 1 << 32;

/// How many rows of a tuple have a value, at least and at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bounds {
    value: u32,
    least: u32,
    most: u32,
}

struct State<'a> {
    table: &'a FrequencyTable,
    sensitive: usize,
    equations: Vec<Equation>,
    /// Per tuple the values that its rows may have; none for tuples without an equation.
    unknown: Vec<Vec<Bounds>>,
    /// Per tuple its equations.
    of_tuple: Vec<Vec<u32>>,
}

/// Solves equations that hold for the rows of a table.
pub(super) fn solve(
    table: &FrequencyTable,
    sensitive: usize,
    mut equations: Vec<Equation>,
    progress: &Progress,
) -> Result<Disclosure> {
    let records = equations.len() as u64;
    let key = |equation: &Equation| (equation.tuples.clone(), equation.others, equation.counts.clone());
    equations.sort_by_cached_key(key);
    equations.dedup_by(|a, b| (&a.tuples, a.others, &a.counts) == (&b.tuples, b.others, &b.counts));
    let mut state = State::new(table, sensitive, equations);
    state.propagate((0..state.equations.len()).collect(), progress)?;
    let mut partly = vec![false; table.tuples()];
    let mut work = 0;
    loop {
        let fixed = state.eliminate(&mut partly, &mut work, progress)?;
        if fixed.is_empty() {
            break;
        }
        let mut touched: Vec<usize> = fixed
            .iter()
            .flat_map(|tuple| state.of_tuple[*tuple as usize].iter().map(|of| *of as usize))
            .collect();
        touched.sort_unstable();
        touched.dedup();
        state.propagate(touched, progress)?;
    }
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
            for tuple in &equation.tuples {
                let (bounds, of_tuple) = (&mut unknown[*tuple as usize], &mut of_tuple[*tuple as usize]);
                let most = table.weight(*tuple) as u32;
                if of_tuple.is_empty() {
                    let open = |(value, _): &(u32, u32)| Bounds { value: *value, least: 0, most };
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
        Self { table, sensitive, equations, unknown, of_tuple }
    }

    fn is_certain(&self, tuple: u32) -> bool {
        let all = self.table.weight(tuple) as u32;
        self.unknown[tuple as usize].iter().any(|bounds| bounds.least == all)
    }

    /// Passes bounds on, beginning with some equations, until nothing changes.
    fn propagate(&mut self, begin: Vec<usize>, progress: &Progress) -> Result<()> {
        let mut waiting = vec![false; self.equations.len()];
        begin.iter().for_each(|number| waiting[*number] = true);
        let mut queue: std::collections::VecDeque<usize> = begin.into();
        let mut changed = Vec::new();
        while let Some(number) = queue.pop_front() {
            progress.check()?;
            waiting[number] = false;
            changed.clear();
            self.tighten(number, &mut changed);
            for tuple in &changed {
                for other in &self.of_tuple[*tuple as usize] {
                    if !std::mem::replace(&mut waiting[*other as usize], true) {
                        queue.push_back(*other as usize);
                    }
                }
            }
        }
        Ok(())
    }

    /// Tightens bounds by one equation, and says of which tuples.
    fn tighten(&mut self, number: usize, changed: &mut Vec<u32>) {
        let equation = &self.equations[number];
        let place = |value: u32| equation.counts.binary_search_by_key(&value, |count| count.0).ok();
        let mut sums = vec![(0_u32, 0_u32); equation.counts.len()];
        for tuple in &equation.tuples {
            for bounds in &self.unknown[*tuple as usize] {
                if let Some(place) = place(bounds.value) {
                    sums[place] = (sums[place].0 + bounds.least, sums[place].1 + bounds.most);
                }
            }
        }
        for tuple in &equation.tuples {
            let of_tuple = &mut self.unknown[*tuple as usize];
            let before = of_tuple.clone();
            for bounds in &mut *of_tuple {
                let Some(place) = place(bounds.value) else { continue };
                let (count, (least, most)) = (equation.counts[place].1, sums[place]);
                // The others of the equation have at least and at most so many.
                let (others_least, others_most) = (least - bounds.least, most - bounds.most);
                bounds.most = bounds.most.min(count.saturating_sub(others_least));
                let rest = count.saturating_sub(equation.others).saturating_sub(others_most);
                bounds.least = bounds.least.max(rest.min(bounds.most));
            }
            if before == *of_tuple {
                continue;
            }
            settle(of_tuple, self.table.weight(*tuple) as u32);
            for (old, new) in before.iter().zip(&*of_tuple) {
                if let Some(sum) = place(new.value).map(|place| &mut sums[place]) {
                    *sum = (sum.0 + new.least - old.least, sum.1 + new.most - old.most);
                }
            }
            changed.push(*tuple);
        }
    }

    /// The values of tuples that equations fix together: they are set, and the tuples returned.
    fn eliminate(&mut self, partly: &mut [bool], work: &mut u64, progress: &Progress) -> Result<Vec<u32>> {
        let mut fixed = Vec::new();
        let values: BTreeMap<u32, Vec<usize>> = {
            let mut of_value: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
            for (number, equation) in self.equations.iter().enumerate().filter(|(_, of)| of.others == 0) {
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

    fn true_rows(&self, tuple: u32, value: u32) -> u32 {
        let payloads = self.table.payloads();
        let cells = self.table.cells(tuple).iter();
        cells.filter(|cell| payloads.value(cell.payload, self.sensitive) == value).map(|cell| cell.rows).sum()
    }
}

/// The rows of a tuple add up: what its other values leave bounds each of them.
fn settle(bounds: &mut [Bounds], rows: u32) {
    loop {
        let before = bounds.to_vec();
        let (least, most) =
            bounds.iter().fold((0_u32, 0_u32), |sum, of| (sum.0 + of.least, sum.1.saturating_add(of.most)));
        for of in &mut *bounds {
            of.most = of.most.min((rows + of.least).saturating_sub(least));
            of.least = of.least.max((rows + of.most).saturating_sub(most).min(of.most));
        }
        if before == bounds {
            return;
        }
    }
}
