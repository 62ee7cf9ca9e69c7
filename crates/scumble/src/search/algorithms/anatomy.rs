//! Anatomy (Xiao and Tao 2006; algorithms.md B23): one table has the quasi-identifiers unchanged, another counts the sensitive
//! values of each group.
//!
//! Which rows of a value go into which group is drawn at random. The paper leaves this open. In the order of the table, the groups
//! would reveal more than 1/l to somebody who knows this program: rows of one value would ascend from group to group.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::tables::{
    GroupRow, GroupValues, Shown, Tables, TablesAlgorithm, TablesProblem, TablesSolution, Target,
};
use super::{Finding, Labels, TablesCapabilities};
use crate::base::chance;
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::{Error, Result, Setting, Wanted, Wish};
use crate::models::Demand;
use crate::problem::Pace;
use crate::recoding::published::ClassView;
use crate::table::pack::{Packer, group};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::tables::BuildTablesAlgorithm> = Entry {
    name: "anatomy",
    title: "Anatomy, rows and values apart",
    paper: "Xiao, Tao 2006",
    standing: Standing::Experimental,
    about: "Publishes the quasi-identifiers of every row as they are, with the number of a group, and in a second table how often \
            each sensitive value occurs in each group. Statistics of the quasi-identifiers stay exact. Experimental: who is in the \
            table can be read from it; only the link to the sensitive value is uncertain, by l-diversity of the groups.",
    parameters: &[(
        "rows",
        "random (default): which rows with a value come into which group is drawn; first: in their order, as papers write their \
         examples, which gives more away",
    )],
    build,
};

struct Anatomy {
    random: bool,
}

fn build(parameters: &Parameters) -> Result<Box<dyn TablesAlgorithm>> {
    let rows = parameters.choice("rows", &["random", "first"])?;
    Ok(Box::new(Anatomy { random: rows != Some("first") }))
}

/// The diversity asked for: the least whole number that is enough for every model.
fn asked(problem: &TablesProblem) -> Result<u64> {
    let models = &problem.problem.models;
    if let Some(model) = models.iter().find(|model| model.demand() != Demand::Diversity) {
        return Err(Error::refused(format!(
            "'{}' is about rows that look the same, and anatomy publishes quasi-identifiers as they are",
            model.title()
        ))
        .another(Wish::Classes)
        .weaken(Wanted::model("l_diversity").with("l", 2), "ask for l-diversity alone"));
    }
    let most = models.iter().map(|model| model.required().ceil() as u64).max();
    Ok(most.unwrap_or(1).max(2))
}

impl TablesAlgorithm for Anatomy {
    fn capabilities(&self) -> TablesCapabilities {
        TablesCapabilities { target: Target::Sensitive, labels: Labels::AsTheyAre, takes_steps: false }
    }

    fn check(&self, problem: &TablesProblem) -> Result<()> {
        let l = asked(problem)?;
        let rows = rows_of_values(problem);
        let (all, most) = (problem.problem.table.rows(), rows.iter().map(Vec::len).max().unwrap_or(0) as u64);
        if most.saturating_mul(l) > all {
            let name = &problem.problem.table.payloads().columns[problem.target].name;
            let possible = all / most.max(1);
            let error = Error::infeasible(format!(
                "anatomy with l = {l} needs that no value of '{name}' has more than 1/{l} of the rows, and one has {most} of {all}"
            ));
            return Err(if possible >= 2 {
                error.weaken(Setting::model("l").to(possible), "ask for the largest possible l")
            } else {
                error.reworded(|what| what + ", so no l is possible")
            });
        }
        Ok(())
    }

    fn run(&self, problem: &TablesProblem) -> Result<TablesSolution> {
        let l = asked(problem)? as usize;
        let mut rows = rows_of_values(problem);
        let mut chance = chance::secret_unless(problem.seed)?;
        if self.random {
            rows.iter_mut().for_each(|rows| chance::shuffle(rows, &mut chance));
        } else {
            // Rows are taken from the end.
            rows.iter_mut().for_each(|rows| rows.reverse());
        }
        problem.problem.progress.check()?;
        let start = |groups: usize| {
            if self.random { chance::below(groups as u64, &mut chance) as usize } else { 0 }
        };
        let mut pace = problem.problem.progress.pace();
        let members = groups(rows, l, start, &mut pace)?;
        problem.problem.progress.check()?;
        for group in &members {
            pace.tick(group.len())?;
            problem.problem.progress.advance(group.len() as u64);
            // Every value occurs once. That is enough for any l-diversity, except one that asks for rows to spare.
            let cells = crate::table::frequency::merged(
                group.iter().map(|member| cell_of(problem, member)).collect::<Result<Vec<_>>>()?,
            );
            let view = ClassView {
                size: group.len() as u64,
                cells: &cells,
                payloads: problem.problem.table.payloads(),
            };
            for model in &problem.problem.models {
                if !crate::problem::class_test(&**model)?.passes(&view) {
                    return Err(Error::infeasible(format!(
                        "groups of {l} different values do not keep {}",
                        model.title()
                    ))
                    .set(Setting::model("l"), "ask for a larger l")
                    .weaken(
                        Setting::model("variant").of_model("l_diversity"),
                        "ask for distinct, entropy or frequency l-diversity",
                    ));
                }
            }
        }
        let known = || "rows came into groups in their order: whoever knows the program may exclude values of a group";
        let mut warnings = Vec::new();
        if !self.random {
            warnings.push(format!("{} (rows = \"first\" is for comparison with papers)", known()));
        }
        Ok(TablesSolution {
            shown: vec![Shown::AsItIs; problem.problem.quasi.len()],
            findings: vec![
                Finding::new("groups", Some(members.len() as f64), "the groups whose values are counted"),
                smallest_class(problem),
            ],
            tables: Tables::Groups { members, values: GroupValues::Counted },
            warnings,
            limits: (!self.random)
                .then(|| format!("For tests, not for publication: {}.", known()))
                .into_iter()
                .collect(),
        })
    }
}

/// The k that remains when quasi-identifiers are published unchanged.
pub(super) fn smallest_class(problem: &TablesProblem) -> Finding {
    let table = &problem.problem.table;
    let mut packer = Packer::new(table.tuples());
    for (place, quasi) in problem.problem.quasi.iter().enumerate().filter(|(place, _)| problem.known[*place])
    {
        packer.push(quasi.size(), |tuple| table.column(place).get(tuple));
    }
    let groups = group(packer.finish());
    let mut sizes = vec![0_u64; groups.representative.len()];
    for (tuple, class) in (0..).zip(&groups.group_of_row) {
        sizes[*class as usize] += table.weight(tuple);
    }
    Finding::new(
        "k_of_rows",
        sizes.into_iter().min().map(|rows| rows as f64),
        "the fewest rows that show the same quasi-identifiers: they are published as they are",
    )
}

/// A payload that has the value of a member.
fn cell_of(problem: &TablesProblem, member: &GroupRow) -> Result<crate::table::frequency::Cell> {
    let table = &problem.problem.table;
    let cells = table.cells(member.tuple).iter();
    let payload = cells
        .map(|cell| cell.payload)
        .find(|payload| table.payloads().value(*payload, problem.target) == member.value);
    let payload = payload.ok_or_else(|| Error::internal("a value that the tuple does not have"))?;
    Ok(crate::table::frequency::Cell { payload, rows: 1 })
}

/// For each value of the target, the tuples of its rows, ascending, one entry per row.
pub(super) fn rows_of_values(problem: &TablesProblem) -> Vec<Vec<u32>> {
    let table = &problem.problem.table;
    let payloads = table.payloads();
    let mut rows = vec![Vec::new(); payloads.columns[problem.target].values.len()];
    for tuple in 0..table.tuples() as u32 {
        for cell in table.cells(tuple) {
            let of_value = &mut rows[payloads.value(cell.payload, problem.target) as usize];
            of_value.extend(std::iter::repeat_n(tuple, cell.rows as usize));
        }
    }
    rows
}

/// Forms groups: takes a row from each of the `l` largest values, as long as that many are left. Each remaining row joins the first
/// group that lacks its value, searched from a place that `start` returns. Rows are taken from the end.
fn groups(
    mut rows: Vec<Vec<u32>>,
    l: usize,
    mut start: impl FnMut(usize) -> usize,
    pace: &mut Pace<'_>,
) -> Result<Vec<Vec<GroupRow>>> {
    let mut largest: BinaryHeap<(usize, Reverse<usize>)> = rows
        .iter()
        .enumerate()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(value, rows)| (rows.len(), Reverse(value)))
        .collect();
    let mut groups: Vec<Vec<GroupRow>> = Vec::new();
    while largest.len() >= l {
        pace.tick(l)?;
        let values: Vec<usize> =
            (0..l).filter_map(|_| largest.pop()).map(|(_, Reverse(value))| value).collect();
        let mut group = Vec::with_capacity(l);
        for value in values {
            group.extend(rows[value].pop().map(|tuple| GroupRow { tuple, value: value as u32 }));
            if !rows[value].is_empty() {
                largest.push((rows[value].len(), Reverse(value)));
            }
        }
        groups.push(group);
    }
    for (value, left) in rows.iter().enumerate() {
        for tuple in left {
            let from = start(groups.len().max(1));
            let lacking = (0..groups.len())
                .map(|step| (from + step) % groups.len())
                .find(|group| groups[*group].iter().all(|member| member.value != value as u32));
            let group = lacking.ok_or_else(|| Error::internal("no group lacks a value that is left"))?;
            groups[group].push(GroupRow { tuple: *tuple, value: value as u32 });
        }
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The worked example of algorithms.md B23: rows 1 to 12, values flu, ang, dia, mea.
    #[test]
    fn the_groups_of_mini() {
        let rows = vec![vec![8, 6, 4, 2, 1], vec![10, 7, 3], vec![11, 5], vec![12, 9]];
        let found = groups(rows, 2, |_| 0, &mut crate::problem::Progress::default().pace()).unwrap();
        let tuples: Vec<Vec<u32>> =
            found.iter().map(|group| group.iter().map(|member| member.tuple).collect()).collect();
        assert_eq!(tuples, [[1, 3], [2, 7], [4, 5], [6, 9], [8, 10], [11, 12]]);
    }

    proptest! {
        /// Where no value has more than 1/l of the rows, every row finds a group, and no group has a value twice.
        #[test]
        fn no_value_is_twice_in_a_group(counts in prop::collection::vec(1_usize..9, 2..7), l in 2_usize..5, from in 0_usize..50) {
            let all: usize = counts.iter().sum();
            prop_assume!(counts.iter().all(|count| count * l <= all));
            let mut next = 0..;
            let rows: Vec<Vec<u32>> = counts.iter().map(|count| next.by_ref().take(*count).collect()).collect();
            let found = groups(rows, l, |groups| from % groups, &mut crate::problem::Progress::default().pace()).unwrap();
            let mut seen: Vec<u32> = found.iter().flatten().map(|member| member.tuple).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..all as u32).collect::<Vec<_>>());
            for group in &found {
                let mut values: Vec<u32> = group.iter().map(|member| member.value).collect();
                values.sort_unstable();
                values.dedup();
                prop_assert!(values.len() == group.len() && group.len() >= l);
            }
        }
    }
}
