//! Permutation for (k,e)-anonymity (Zhang, Koudas, Srivastava, Yu 2007; algorithms.md B23): publishes quasi-identifiers as they
//! are, and permutes the numbers of a sensitive column within groups of neighbouring numbers.

use super::anatomy::{rows_of_values, smallest_class};
use super::tables::{
    GroupRow, GroupValues, Shown, Tables, TablesAlgorithm, TablesProblem, TablesSolution, Target,
};
use super::{Finding, Labels, TablesCapabilities};
use crate::base::chance;
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Setting, Wanted, Wish};
use crate::models::Demand;
use crate::problem::Progress;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::tables::BuildTablesAlgorithm> = Entry {
    name: "permutation",
    title: "Permutation for (k,e)-anonymity",
    paper: "Zhang, Koudas, Srivastava, Yu 2007",
    standing: Standing::Experimental,
    about: "Publishes the quasi-identifiers of every row as they are, and permutes a sensitive column of numbers at random within \
            groups of at least k different numbers that span at least e. Sums and means over groups stay exact, and those over \
            other sets of rows nearly so. Experimental: who is in the table can be read from it, and numbers of a group may lie \
            close together although its range is e.",
    parameters: &[(
        "cost",
        "what is least: sum (default), of the ranges of the groups; rows, of the ranges times the rows; largest, the widest range",
    )],
    build,
};

/// What the search minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cost {
    Sum,
    Rows,
    Largest,
}

struct Permutation {
    cost: Cost,
}

fn build(parameters: &Parameters) -> Result<Box<dyn TablesAlgorithm>> {
    let cost = match parameters.choice("cost", &["sum", "rows", "largest"])? {
        None | Some("sum") => Cost::Sum,
        Some("rows") => Cost::Rows,
        Some(_) => Cost::Largest,
    };
    Ok(Box::new(Permutation { cost }))
}

impl TablesAlgorithm for Permutation {
    fn capabilities(&self) -> TablesCapabilities {
        TablesCapabilities { target: Target::Sensitive, labels: Labels::AsTheyAre, takes_steps: false }
    }

    fn check(&self, problem: &TablesProblem) -> Result<()> {
        if let Some(model) = problem.problem.models.iter().find(|model| model.demand() != Demand::Spread) {
            return Err(Error::refused(format!(
                "'{}' is not about numbers in groups, and permutation publishes quasi-identifiers as they are",
                model.title()
            ))
            .another(Wish::Classes)
            .weaken(Wanted::model("k_e").with("k", 3).with("e", 10), "ask for (k,e)-anonymity alone"));
        }
        if problem
            .problem
            .models
            .iter()
            .any(|model| model.claim().get("count").is_some_and(|of| of == "rows"))
        {
            return Err(Error::refused(
                "permutation counts different numbers in a group, and k_e was asked to count rows",
            )
            .advise("leave count = \"rows\" out of the model"));
        }
        let column = &problem.problem.table.payloads().columns[problem.target];
        let is_numbers = column.measure.kind.has_unit();
        let missing = (0..column.values.len() as u32).any(|value| column.is_missing(value));
        if !is_numbers || missing {
            let error = Error::refused(format!(
                "permutation is for a sensitive column of numbers, and '{}' {}",
                column.name,
                match (is_numbers, column.measure.kind.is_number()) {
                    (true, _) => "has missing values",
                    (false, true) => "has numbers whose sizes differ too much for exact differences",
                    (false, false) => "is not one",
                }
            ));
            return Err(if is_numbers {
                error.set(Setting::read("missing_policy").to("drop-row"), "leave out rows that have no value")
            } else {
                error.another_that("use an algorithm for values of any kind")
            });
        }
        Ok(())
    }

    fn run(&self, problem: &TablesProblem) -> Result<TablesSolution> {
        let column = &problem.problem.table.payloads().columns[problem.target];
        let rows = rows_of_values(problem);
        // Values are ordered by number, and equal numbers are one value.
        let mut numbers = Vec::new();
        for (value, text) in (0_u32..).zip(column.values.iter()) {
            let number =
                column.number(text).ok_or_else(|| Error::internal("a value that is not a number"))?;
            numbers.push(Number { value, number, rows: rows[value as usize].len() as u64 });
        }
        numbers.retain(|number| number.rows > 0);
        let mut chance = chance::secret_unless(problem.seed)?;
        // If rows of one number are split between two groups, nobody may know which rows went where.
        let mut rows = rows;
        rows.iter_mut().for_each(|rows| chance::shuffle(rows, &mut chance));
        let asked = Asked::of(problem, column.measure.scale)?;
        let reach = reach(numbers.len(), |from, to| asked.is_met(&numbers[from..=to]));
        let cuts = cuts(&numbers, &reach, self.cost, &problem.problem.progress)?;
        let members = dealt(&numbers, rows, &cuts);
        let range = |group: &Vec<GroupRow>| {
            let of = |member: &GroupRow| column.number(column.values.get(member.value)).unwrap_or_default();
            group.iter().map(of).max().unwrap_or_default() - group.iter().map(of).min().unwrap_or_default()
        };
        let widest = members.iter().map(range).max().unwrap_or_default();
        Ok(TablesSolution {
            shown: vec![Shown::AsItIs; problem.problem.quasi.len()],
            findings: vec![
                Finding::new(
                    "groups",
                    Some(members.len() as f64),
                    "the groups within which numbers are permuted",
                ),
                Finding::new(
                    "widest_range",
                    Some(column.measure.float(widest)),
                    "the widest range of a group",
                ),
                smallest_class(problem),
            ],
            tables: Tables::Groups { members, values: GroupValues::Permuted },
            warnings: Vec::new(),
            limits: Vec::new(),
        })
    }
}

/// What (k,e)-anonymity demands of a group.
struct Asked {
    /// The least number of different numbers.
    k: usize,
    /// The least difference between the greatest and the least number.
    e: Rational,
    /// The number of decimal places: numbers are in units of 10^-scale.
    scale: u32,
}

impl Asked {
    fn of(problem: &TablesProblem, scale: u32) -> Result<Self> {
        let mut asked = Self { k: 1, e: Rational::ZERO, scale };
        for model in &problem.problem.models {
            let claim = model.claim();
            if let Some(k) = claim.get("k").and_then(serde_json::Value::as_u64) {
                asked.k = asked.k.max(usize::try_from(k).unwrap_or(usize::MAX));
            }
            if let Some(e) = claim.get("e").and_then(serde_json::Value::as_str) {
                let e: Rational = e.parse().map_err(|_| Error::internal("a range that is not a number"))?;
                asked.e = asked.e.max(e);
            }
        }
        Ok(asked)
    }

    /// Whether these numbers, with one row each, are enough. Then they are also enough with more rows.
    fn is_met(&self, numbers: &[Number]) -> bool {
        let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { return false };
        // Tests range / 10^scale >= e. A product beyond 128 bits is certainly more than any e that can be written.
        let range = (last.number - first.number).unsigned_abs();
        let least = u128::from(self.e.numerator()).checked_mul(10_u128.pow(self.scale));
        // If the least range is beyond 128 bits, no range is large enough.
        let wide = least.is_some_and(|least| range.saturating_mul(self.e.denominator().into()) >= least);
        numbers.len() >= self.k && wide
    }
}

/// A number of the column, with its rows.
#[derive(Debug, Clone, Copy)]
struct Number {
    value: u32,
    number: i128,
    rows: u64,
}

/// A place between rows sorted by number: before the rows of a number, or after some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cut {
    /// The first number that has rows after the cut.
    number: usize,
    /// The rows of that number before the cut.
    rows: u64,
}

impl Cut {
    /// The last number that has rows before the cut; `None` at the very start.
    fn last(self) -> Option<usize> {
        if self.rows > 0 { Some(self.number) } else { self.number.checked_sub(1) }
    }
}

/// For each number, the least number that completes a group beginning with it.
fn reach(numbers: usize, enough: impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let (mut reach, mut to) = (Vec::with_capacity(numbers), 0);
    for from in 0..numbers {
        to = to.max(from);
        while to < numbers && !enough(from, to) {
            to += 1;
        }
        reach.push((to < numbers).then_some(to));
    }
    reach
}

/// The places where groups may begin and end. Within the rows of one number only the first and the last place can be best: between
/// them the requirements see no difference, and costs change only proportionally.
fn places(numbers: &[Number]) -> Vec<Cut> {
    let mut places = Vec::new();
    for (number, of) in numbers.iter().enumerate() {
        let mut rows = vec![0];
        rows.extend([1, of.rows - 1].into_iter().filter(|rows| (1..of.rows).contains(rows)));
        rows.dedup();
        places.extend(rows.into_iter().map(|rows| Cut { number, rows }));
    }
    places.push(Cut { number: numbers.len(), rows: 0 });
    places
}

/// Returns the cuts of the cheapest groups. Of equally cheap ones it takes those with more rows in the last group, since larger
/// groups hide more. (algorithms.md B23 says fewer, but its worked example of 34 has more: 12 + 12 + 10 costs the same as 14 + 20.)
fn cuts(numbers: &[Number], reach: &[Option<usize>], cost: Cost, progress: &Progress) -> Result<Vec<Cut>> {
    let places = places(numbers);
    let before: Vec<u64> = numbers
        .iter()
        .scan(0, |all, number| {
            let before = *all;
            *all += number.rows;
            Some(before)
        })
        .collect();
    let all = numbers.iter().map(|number| number.rows).sum();
    let rows_before = |cut: Cut| before.get(cut.number).map_or(all, |before| before + cut.rows);
    let is_group = |from: Cut, to: Cut| {
        let needed = reach.get(from.number).copied().flatten();
        needed.zip(to.last()).is_some_and(|(needed, last)| needed <= last)
    };
    let range =
        |from: Cut, to: Cut| to.last().map_or(0, |last| numbers[last].number) - numbers[from.number].number;
    // The least cost up to each place, and where the last group begins.
    let mut best: Vec<Option<(i128, usize)>> = vec![None; places.len()];
    best[0] = Some((0, 0));
    // For the sum of ranges: the best start among the places that are far enough away.
    let (mut far, mut open): (usize, Option<(i128, usize)>) = (0, None);
    progress.control().begin(Some(places.len() as u64 - 1));
    for (at, &to) in places.iter().enumerate().skip(1) {
        progress.check()?;
        progress.advance(1);
        while far < at && is_group(places[far], to) {
            if let Some((cost, _)) = best[far] {
                let begun = cost - numbers[places[far].number].number;
                if open.is_none_or(|(least, _)| begun < least) {
                    open = Some((begun, far));
                }
            }
            far += 1;
        }
        if cost == Cost::Sum {
            let last = to.last().map_or(0, |last| numbers[last].number);
            best[at] = open.map(|(begun, from)| (begun + last, from));
            continue;
        }
        let mut found: Option<(i128, usize)> = None;
        let Some(nearest) = far.checked_sub(1) else { continue };
        for from in (0..=nearest).rev() {
            // A group that could be two groups is never better.
            if from < nearest && best[nearest].is_some() && is_group(places[from], places[nearest]) {
                break;
            }
            let Some((so_far, _)) = best[from] else { continue };
            let range = range(places[from], to);
            let total = match cost {
                Cost::Rows => so_far + range * i128::from(rows_before(to) - rows_before(places[from])),
                _ => so_far.max(range),
            };
            if found.is_none_or(|(least, _)| total <= least) {
                found = Some((total, from));
            }
        }
        best[at] = found;
    }
    let mut cuts = vec![places[places.len() - 1]];
    let mut at = places.len() - 1;
    while at > 0 {
        let Some((_, from)) = best[at] else {
            return Err(Error::infeasible("not even all rows as one group are enough")
                .concede("ask for a smaller k or e"));
        };
        at = from;
        cuts.push(places[at]);
    }
    cuts.reverse();
    Ok(cuts)
}

/// Deals the rows between the cuts into groups. Rows of a number are taken from the end.
fn dealt(numbers: &[Number], mut rows: Vec<Vec<u32>>, cuts: &[Cut]) -> Vec<Vec<GroupRow>> {
    let group = |pair: &[Cut]| {
        let mut members = Vec::new();
        let last = pair[1].number.min(numbers.len() - 1);
        for (number, of) in numbers.iter().enumerate().take(last + 1).skip(pair[0].number) {
            let Number { value, rows: all, .. } = *of;
            let from = if number == pair[0].number { pair[0].rows } else { 0 };
            let to = if number == pair[1].number { pair[1].rows } else { all };
            let left = &mut rows[value as usize];
            let taken = left.split_off(left.len() - (to - from) as usize);
            members.extend(taken.into_iter().map(|tuple| GroupRow { tuple, value }));
        }
        members
    };
    cuts.windows(2).map(group).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(values: &[(i128, u64)]) -> Vec<Number> {
        (0..)
            .zip(values)
            .map(|(value, (number, rows))| Number { value, number: *number, rows: *rows })
            .collect()
    }

    /// The sizes of the groups, and their cost.
    fn solved(values: &[(i128, u64)], k: usize, e: i128, cost: Cost) -> Option<(Vec<u64>, i128)> {
        let numbers = numbers(values);
        let asked = Asked { k, e: Rational::new(e as u64, 1).unwrap(), scale: 0 };
        let reach = reach(numbers.len(), |from, to| asked.is_met(&numbers[from..=to]));
        let cuts = cuts(&numbers, &reach, cost, &Progress::default()).ok()?;
        let rows: Vec<Vec<u32>> = numbers.iter().map(|number| vec![0; number.rows as usize]).collect();
        let members = dealt(&numbers, rows, &cuts);
        let of = |member: &GroupRow| numbers[member.value as usize].number;
        let (mut sizes, mut total) = (Vec::new(), 0);
        for group in &members {
            let (low, high) = (group.iter().map(of).min()?, group.iter().map(of).max()?);
            let mut distinct: Vec<i128> = group.iter().map(of).collect();
            distinct.sort_unstable();
            distinct.dedup();
            assert!(distinct.len() >= k && high - low >= e);
            sizes.push(group.len() as u64);
            total = match cost {
                Cost::Sum => total + high - low,
                Cost::Rows => total + (high - low) * group.len() as i128,
                Cost::Largest => total.max(high - low),
            };
        }
        Some((sizes, total))
    }

    const SALARY: [(i128, u64); 12] = [
        (10, 1),
        (12, 1),
        (14, 1),
        (20, 1),
        (22, 1),
        (24, 1),
        (30, 1),
        (34, 1),
        (36, 1),
        (40, 1),
        (44, 1),
        (50, 1),
    ];

    /// The worked examples of algorithms.md B23.
    #[test]
    fn the_salaries_of_mini() {
        assert_eq!(solved(&SALARY, 3, 10, Cost::Sum), Some((vec![6, 6], 34)));
        assert_eq!(solved(&SALARY, 3, 10, Cost::Rows), Some((vec![5, 4, 3], 138)));
        assert_eq!(solved(&SALARY, 4, 15, Cost::Sum), Some((vec![7, 5], 36)));
        assert_eq!(solved(&SALARY, 13, 0, Cost::Sum), None);
    }

    /// The least cost over all ways to cut sorted rows.
    fn brute_force(rows: &[i128], k: usize, e: i128, cost: Cost) -> Option<i128> {
        let mut best: Vec<Option<i128>> = vec![None; rows.len() + 1];
        best[0] = Some(0);
        for to in 1..=rows.len() {
            for from in 0..to {
                let group = &rows[from..to];
                let mut distinct = group.to_vec();
                distinct.dedup();
                let range = group[group.len() - 1] - group[0];
                let Some(so_far) = best[from].filter(|_| distinct.len() >= k && range >= e) else { continue };
                let total = match cost {
                    Cost::Sum => so_far + range,
                    Cost::Rows => so_far + range * group.len() as i128,
                    Cost::Largest => so_far.max(range),
                };
                best[to] = Some(best[to].map_or(total, |least| least.min(total)));
            }
        }
        best[rows.len()]
    }

    proptest! {
        #[test]
        fn no_cut_is_cheaper(steps in prop::collection::vec((1_i128..6, 1_u64..5), 1..9), k in 1_usize..4, e in 0_i128..8) {
            let mut number = 0;
            let values: Vec<(i128, u64)> = steps
                .iter()
                .map(|(step, rows)| {
                    number += step;
                    (number, *rows)
                })
                .collect();
            let rows: Vec<i128> =
                values.iter().flat_map(|(number, rows)| std::iter::repeat_n(*number, *rows as usize)).collect();
            for cost in [Cost::Sum, Cost::Rows, Cost::Largest] {
                let found = solved(&values, k, e, cost).map(|(_, cost)| cost);
                prop_assert_eq!(found, brute_force(&rows, k, e, cost), "{:?}", cost);
            }
        }
    }
}
