//! An ensemble of k-anonymised reducts (Rokach and Schclar, Heuristic 2; algorithms.md A7): publishes several tables of a few
//! columns each, which together hide everyone among k rows.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use super::projections::{STR_ON_ALL, Shared};
use super::tables::{BuildTablesAlgorithm, TablesAlgorithm, TablesProblem, TablesSolution, Target};
use super::{Finding, Labels, TablesCapabilities};
use crate::base::chance::shuffle;
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::Result;
use crate::search::rough::discretise::{BINS, DISCRETISE};
use crate::search::rough::{Wish, greedy, keep_level};

/// The registry entry.
pub(crate) const ENTRY: Entry<BuildTablesAlgorithm> = Entry {
    name: "reduct_ensemble",
    title: "an ensemble of k-anonymised reducts",
    paper: "Rokach, Schclar, k-anonymised reducts",
    standing: Standing::Experimental,
    about: "Publishes several tables, each with a few columns that decide the class column, found among random subsets of the columns; \
            classifiers are trained on each and vote. Tables are left out until everyone shares k rows of each with all tables at \
            hand. Experimental: somebody who matches all people with all rows at once may find out more.",
    parameters: &[
        ("m", "how many random subsets of the columns are tried (default 10)"),
        ("l", "how many columns a subset has (default half of them)"),
        ("disjoint", "whether a column that was chosen is not offered again (default false)"),
        STR_ON_ALL,
        DISCRETISE,
        BINS,
    ],
    build,
};

struct Ensemble {
    shared: Shared,
    m: u64,
    l: Option<u64>,
    disjoint: bool,
}

fn build(parameters: &Parameters) -> Result<Box<dyn TablesAlgorithm>> {
    Ok(Box::new(Ensemble {
        shared: Shared::read(parameters)?,
        m: parameters.whole("m", 1)?.unwrap_or(10),
        l: parameters.whole("l", 1)?,
        disjoint: parameters.boolean("disjoint")?.unwrap_or(false),
    }))
}

impl TablesAlgorithm for Ensemble {
    fn capabilities(&self) -> TablesCapabilities {
        TablesCapabilities { target: Target::Decision, labels: Labels::Coarser, takes_steps: true }
    }

    fn check(&self, problem: &TablesProblem) -> Result<()> {
        self.shared.check(problem, ENTRY.name)
    }

    fn run(&self, problem: &TablesProblem) -> Result<TablesSolution> {
        let prepared = self.shared.prepare(problem);
        let (asked, progress) = (&problem.problem, &problem.problem.progress);
        let wish = Wish { known: &prepared.known, k: prepared.k, progress };
        let half = prepared.all.len().div_ceil(2);
        let size = self.l.map_or(half, |l| usize::try_from(l).unwrap_or(usize::MAX));
        let mut offered = prepared.all.clone();
        let mut found: Vec<Vec<usize>> = Vec::new();
        for round in 1..=self.m {
            // Having something to publish is more important than keeping to the budget.
            if offered.is_empty() || (!found.is_empty() && asked.budget.is_spent(round - 1)) {
                break;
            }
            let mut some = offered.clone();
            shuffle(&mut some, &mut ChaCha20Rng::seed_from_u64(asked.seed.wrapping_add(round)));
            some.truncate(size);
            some.sort_unstable();
            let columns = match greedy(&prepared.table, &some, wish) {
                Ok(reduct) => reduct.columns,
                Err(error) if !found.is_empty() => {
                    asked.budget.end_at(round - 1, error)?;
                    break;
                }
                Err(error) => return Err(error),
            };
            if self.disjoint {
                offered.retain(|column| !columns.contains(column));
            }
            if !columns.is_empty() {
                found.push(columns);
            }
        }
        asked.budget.settle();
        let reducts = found.len();
        let different = without_parts(found);
        let (kept, _) = keep_level(&prepared.table, &prepared.known, &different, prepared.k, progress)?;
        let projections: Vec<Vec<usize>> = kept.iter().map(|place| different[*place].clone()).collect();
        let mut together: Vec<usize> = projections.iter().flatten().copied().collect();
        together.sort_unstable();
        together.dedup();
        let mut findings = vec![
            Finding::new(
                "reducts",
                Some(reducts as f64),
                "the random subsets of the columns in which a reduct was found",
            ),
            Finding::new(
                "different",
                Some(different.len() as f64),
                "the reducts that are not part of another",
            ),
            Finding::new(
                "tables",
                Some(kept.len() as f64),
                "the reducts that are published: others together with them fell below k",
            ),
            Finding::new(
                "columns",
                Some(together.len() as f64),
                "the columns that some published reduct has",
            ),
        ];
        findings.extend(prepared.told(&together));
        prepared.publish(problem, projections, findings)
    }
}

/// Removes sets that are part of another, and duplicates; the order is kept. A smaller table adds nothing to a larger one.
fn without_parts(found: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let within = |one: &[usize], other: &[usize]| one.iter().all(|column| other.contains(column));
    let superfluous = |place: usize| {
        found.iter().enumerate().any(|(other, columns)| {
            let larger = columns.len() > found[place].len() || (other < place && *columns == found[place]);
            larger && within(&found[place], columns)
        })
    };
    let keep: Vec<bool> = (0..found.len()).map(|place| !superfluous(place)).collect();
    found.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(columns, _)| columns).collect()
}

#[cfg(test)]
mod tests {
    use super::super::made::{problem, set_column};
    use super::super::tables::Tables;
    use super::*;
    use crate::config::Value;

    #[test]
    fn parts_of_others_are_left_out() {
        let found = vec![vec![1, 2], vec![0], vec![1, 2], vec![2], vec![0, 2]];
        assert_eq!(without_parts(found), [vec![1, 2], vec![0, 2]]);
    }

    /// algorithms.md A7: rows 11, 12, 21, 22, four times each, with a third column that repeats the first.
    fn four(decisions: [u32; 4], k: &'static [(&'static str, &'static str)]) -> TablesProblem {
        let codes = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]];
        let row = |row: usize| (codes[row % 4].to_vec(), decisions[row % 4], 0);
        let rows: Vec<_> = (0..16).map(row).collect();
        let quasi = ["a", "b", "c"].map(|name| set_column(name, 2)).to_vec();
        TablesProblem {
            problem: problem(quasi, &rows, &[("k_anonymity", k, None)]),
            known: vec![true; 3],
            target: 0,
            seed: None,
        }
    }

    fn tables(problem: &TablesProblem, parameters: &[(&str, &str)]) -> Result<Vec<Vec<usize>>> {
        let pairs = parameters.iter().map(|(name, value)| ((*name).to_owned(), Value::from_text(value)));
        let algorithm = build(&pairs.collect())?;
        algorithm.check(problem)?;
        match algorithm.run(problem)?.tables {
            Tables::Projections(projections) => Ok(projections),
            Tables::Groups { .. } => Err(crate::Error::internal("groups")),
        }
    }

    #[test]
    fn subsets_of_one_column_give_each_that_decides() {
        // The first and the third column decide; the second does not, and is never published.
        let problem = four([1, 1, 0, 0], &[("k", "8")]);
        let mut found = tables(&problem, &[("m", "30"), ("l", "1")]).expect("two tables");
        found.sort();
        assert_eq!(found, [[0], [2]]);
        let found = tables(&problem, &[("m", "30"), ("l", "3")]).expect("one table");
        assert_eq!(found, [[0]], "of all columns the first is enough");
        let mut found =
            tables(&problem, &[("m", "30"), ("l", "9"), ("disjoint", "true")]).expect("two tables");
        found.sort();
        assert_eq!(found, [[0], [2]], "the first is not offered again");
    }

    #[test]
    fn the_seed_decides() {
        let mut problem = four([1, 1, 0, 0], &[("k", "2")]);
        let of = |problem: &TablesProblem| tables(problem, &[("m", "1"), ("l", "1")]).ok();
        let mut seen = Vec::new();
        for seed in 0..20 {
            problem.problem.seed = seed;
            assert_eq!(of(&problem), of(&problem));
            seen.push(of(&problem));
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen, [None, Some(vec![vec![0]]), Some(vec![vec![2]])]);
    }
}
