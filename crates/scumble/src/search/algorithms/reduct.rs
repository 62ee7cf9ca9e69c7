//! A k-anonymised reduct (Rokach and Schclar, Heuristic 1; algorithms.md A6): publishes the columns that decide the class
//! label, as they are, and no others.

use super::projections::{Prepared, STR_ON_ALL, Shared};
use super::tables::{BuildTablesAlgorithm, TablesAlgorithm, TablesProblem, TablesSolution, Target};
use super::{Finding, Labels, TablesCapabilities};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::{Error, Result, Setting};
use crate::search::rough::discretise::{BINS, DISCRETISE};
use crate::search::rough::{Reduct, Wish, all_reducts, core, greedy};

/// The registry entry.
pub(crate) const ENTRY: Entry<BuildTablesAlgorithm> = Entry {
    name: "reduct",
    title: "k-anonymised reduct: the columns that decide, as they are",
    paper: "Rokach, Schclar, k-anonymised reducts",
    standing: Standing::Classic,
    about: "For tables that will train classifiers, where no hierarchy is at hand: publishes the few columns that decide the class column, unchanged but for numbers, which become intervals, and drops all others. Everyone shares the published \
            quasi-identifiers with k rows. The class column is published as it is, so nothing is promised about it.",
    parameters: &[
        (
            "search",
            "heuristic (default), or exhaustive: the best of all reducts, where there are few columns",
        ),
        ("keep_other", "whether columns that are no quasi-identifiers are published too (default false)"),
        STR_ON_ALL,
        DISCRETISE,
        BINS,
    ],
    build,
};

/// The most sets of columns that an exhaustive search tries.
const MOST_SETS: u64 = 1 << 20;

struct Reducts {
    shared: Shared,
    exhaustive: bool,
    keep_other: bool,
}

fn build(parameters: &Parameters) -> Result<Box<dyn TablesAlgorithm>> {
    let keep_other = parameters.boolean("keep_other")?.unwrap_or(false);
    if keep_other && parameters.boolean(STR_ON_ALL.0)? == Some(true) {
        return Err(Error::config(
            "keep_other publishes columns because outsiders do not know them, and str_on_all takes them as known",
        )
        .unset(Setting::parameter("keep_other"), "leave keep_other out")
        .weaken_without(Setting::parameter("str_on_all"), "leave str_on_all out"));
    }
    Ok(Box::new(Reducts {
        shared: Shared::read(parameters)?,
        exhaustive: parameters.choice("search", &["heuristic", "exhaustive"])? == Some("exhaustive"),
        keep_other,
    }))
}

impl TablesAlgorithm for Reducts {
    fn capabilities(&self) -> TablesCapabilities {
        TablesCapabilities { target: Target::Decision, labels: Labels::Coarser, takes_steps: false }
    }

    fn check(&self, problem: &TablesProblem) -> Result<()> {
        self.shared.check(problem, ENTRY.name)
    }

    fn run(&self, problem: &TablesProblem) -> Result<TablesSolution> {
        let prepared = self.shared.prepare(problem);
        let found = self.search(&prepared, problem)?;
        let mut findings = prepared.told(&found.columns);
        findings.push(Finding::new(
            "is_reduct",
            Some(f64::from(u8::from(found.is_reduct()))),
            "1 if the published columns decide as much as all columns; 0 if k did not allow that",
        ));
        findings.push(Finding::new(
            "core",
            Some(core(&prepared.table, &prepared.all).len() as f64),
            "the columns that no reduct can do without",
        ));
        let mut columns = found.columns;
        if self.keep_other && !columns.is_empty() {
            columns.extend((0..problem.known.len()).filter(|column| !problem.known[*column]));
            columns.sort_unstable();
            columns.dedup();
        }
        let projections = if columns.is_empty() { Vec::new() } else { vec![columns] };
        prepared.publish(problem, projections, findings)
    }
}

impl Reducts {
    fn search(&self, prepared: &Prepared, problem: &TablesProblem) -> Result<Reduct> {
        let progress = &problem.problem.progress;
        let Prepared { table, known, k, all, full, .. } = prepared;
        if self.exhaustive {
            let reducts = all_reducts(table, all, MOST_SETS, progress)?.ok_or_else(|| {
                Error::refused(format!(
                    "{} columns have too many subsets for an exhaustive search",
                    all.len()
                ))
                .set(Setting::parameter("search").to("heuristic"), "search by a heuristic")
                .set(Setting::role("drop"), "leave some columns out")
            })?;
            let kept = reducts.into_iter().map(|columns| Reduct::of(table, known, *full, columns));
            // Reducts come in order of size, the smallest first. Take the first of those with the largest classes.
            let kept = kept.filter(|reduct| reduct.smallest >= *k && !reduct.columns.is_empty());
            if let Some(best) =
                kept.reduce(|best, other| if other.smallest > best.smallest { other } else { best })
            {
                return Ok(best);
            }
        }
        // If no reduct keeps k, take as much of one as does.
        greedy(table, all, Wish { known, k: *k, progress })
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{problem, set_column};
    use super::super::tables::Tables;
    use super::*;
    use crate::config::Value;
    use crate::search::rough::testing::PAPER;

    fn solved(problem: &TablesProblem, parameters: &[(&str, &str)]) -> Result<TablesSolution> {
        let pairs = parameters.iter().map(|(name, value)| ((*name).to_owned(), Value::from_text(value)));
        let algorithm = build(&pairs.collect())?;
        algorithm.check(problem).and_then(|()| algorithm.run(problem))
    }

    /// Table 3 of the paper; capital gain, capital loss and hours are no quasi-identifiers.
    fn paper(k: &str) -> TablesProblem {
        let lines: Vec<Vec<&str>> = PAPER.lines().map(|line| line.split_whitespace().collect()).collect();
        let code = |row: usize, column: usize| {
            lines.iter().position(|line| line[column] == lines[row][column]).expect("at least itself") as u32
        };
        let rows: Vec<_> = (0..lines.len())
            .map(|row| {
                ((0..14).map(|column| code(row, column)).collect(), u32::from(lines[row][14] == "y"), 0)
            })
            .collect();
        let quasi = (0..14).map(|column| set_column(&format!("c{column}"), 15)).collect();
        TablesProblem {
            problem: problem(quasi, &rows, &[("k_anonymity", &[("k", k)], None)]),
            known: (0..14).map(|column| !(10..13).contains(&column)).collect(),
            target: 0,
            seed: None,
        }
    }

    fn figure(solution: &TablesSolution, name: &str) -> f64 {
        let found = solution.findings.iter().find(|finding| finding.name == name);
        found.and_then(|finding| finding.value).expect("a figure")
    }

    #[test]
    fn the_paper_s_table() {
        let solution = solved(&paper("5"), &[]).expect("a reduct");
        assert_eq!(solution.tables, Tables::Projections(vec![vec![9, 10, 11, 12]]));
        let figures = ["positive_ratio", "is_reduct", "core", "joint_level", "approximation_accuracy"];
        assert_eq!(figures.map(|name| figure(&solution, name)), [1.0, 1.0, 0.0, 5.0, 1.0]);
        assert!(solution.warnings.is_empty());
        let kept = solved(&paper("5"), &[("keep_other", "true")]).expect("a reduct");
        assert_eq!(kept.tables, solution.tables, "the other columns are in it already");
    }

    #[test]
    fn all_reducts_are_looked_at() {
        // Of the 45 reducts, the one of the heuristic hides everyone among 5 rows; the next best among 4.
        for k in ["2", "5"] {
            let solution = solved(&paper(k), &[("search", "exhaustive")]).expect("a reduct");
            assert_eq!(solution.tables, Tables::Projections(vec![vec![9, 10, 11, 12]]), "k = {k}");
        }
        // No reduct hides everyone among 6 rows, so the result is as much of a reduct as does.
        let solution = solved(&paper("6"), &[("search", "exhaustive")]).expect("a part of a reduct");
        assert_eq!(figure(&solution, "is_reduct"), 0.0);
        assert!(figure(&solution, "joint_level") >= 6.0);
    }

    #[test]
    fn nothing_to_publish_is_said_with_a_remedy() {
        let message = solved(&paper("16"), &[]).err().expect("too large a k").to_string();
        assert!(message.contains("k = 16 is more than the 15 rows"), "{message}");
        let parity = [[0, 0], [0, 1], [1, 0], [1, 1]];
        let rows: Vec<_> =
            parity.iter().zip([1, 0, 0, 1]).map(|(codes, class)| (codes.to_vec(), class, 0)).collect();
        let of = |k: &'static str, known: [bool; 2]| TablesProblem {
            problem: problem(
                vec![set_column("a", 2), set_column("b", 2)],
                &rows,
                &[("k_anonymity", &[("k", if k == "2" { "2" } else { "1" })], None)],
            ),
            known: known.to_vec(),
            target: 0,
            seed: None,
        };
        let error =
            solved(&of("2", [true, true]), &[]).err().expect("the two columns together single people out");
        assert_eq!(error.kind(), crate::ErrorKind::Infeasible);
        assert!(error.to_string().contains("no columns can be published for k = 2"), "{error}");
        let free = solved(&of("2", [true, false]), &[]).expect("only one is known");
        assert_eq!(free.tables, Tables::Projections(vec![vec![0, 1]]));
        let strict = solved(&of("2", [true, false]), &[("str_on_all", "true")]);
        assert!(strict.is_err(), "as if the other were known");
        assert!(solved(&of("1", [true, true]), &[]).is_ok());
    }

    #[test]
    fn what_is_not_served_is_refused() {
        let mut diverse = paper("2");
        let rows = [(vec![0], 0, 0), (vec![1], 1, 1)];
        diverse.problem = problem(vec![set_column("a", 2)], &rows, &[("l_diversity", &[("l", "2")], None)]);
        let message = solved(&diverse, &[]).err().expect("no diversity").to_string();
        assert!(message.contains("use an algorithm that can serve this model"), "{message}");
        diverse.problem = problem(vec![set_column("a", 2)], &rows, &[]);
        assert!(solved(&diverse, &[]).err().expect("no k").to_string().contains("needs k"));
        let both = solved(&paper("2"), &[("keep_other", "true"), ("str_on_all", "true")]);
        assert!(both.err().expect("a contradiction").to_string().contains("leave keep_other out"));
    }
}
