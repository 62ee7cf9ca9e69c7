//! µ-Argus (Hundepool & Willenborg 1996; algorithms.md B22): raises levels while many rows show a rare combination of a
//! few values, then blanks single cells until no rare combination is left.
//!
//! The method only considers combinations of at most three columns. So with more quasi-identifiers it promises nothing by
//! itself about whole rows. Rows that it leaves in groups that fail a model are suppressed afterwards, and counted.

use rayon::prelude::*;

use super::{Algorithm, Capabilities, Finding, Reach, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Setting};
use crate::models::ClassTest;
use crate::problem::Problem;
use crate::recoding::published::{ClassView, Classes};
use crate::recoding::{Assignment, Members, Step};
use crate::table::frequency::{Cell, cells_by_group, total};
use crate::table::pack::{Packer, group};
use crate::table::quasi::Value;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "mu_argus",
    title: "µ-Argus: rare combinations of up to three columns recoded, then blanked",
    paper: "Hundepool, Willenborg 1996",
    standing: Standing::Experimental,
    about: "Raises the column with the most rare combinations by one level while many rows are rare, then blanks single cells \
            until no combination of at most three columns is rare. By itself it promises nothing about more than three \
            quasi-identifiers together; rows that it leaves in groups that fail a model are suppressed here. For comparison \
            with what agencies did: 'local_suppression' blanks fewer cells and looks at whole rows.",
    parameters: &[
        ("combination", "how many columns a combination has at most (default 3)"),
        (
            "threshold",
            "the share of rows with a rare combination at which levels stop going up (default 0.05)",
        ),
    ],
    build,
};

struct MuArgus {
    combination: usize,
    threshold: Rational,
}

fn build(parameters: &Parameters) -> Result<Box<dyn Algorithm>> {
    let combination = parameters.whole("combination", 1)?.unwrap_or(3);
    let threshold = parameters.rational("threshold", Rational::ZERO, Some(Rational::ONE))?;
    Ok(Box::new(MuArgus {
        combination: usize::try_from(combination).unwrap_or(usize::MAX),
        threshold: threshold.unwrap_or(Rational::new(1, 20).unwrap_or(Rational::ZERO)),
    }))
}

/// The most combinations of columns. Going through more of them, again and again, would take unreasonably long.
const MOST_COMBINATIONS: usize = 20_000;

/// The finding that says how many rows the method leaves in groups that fail a model.
const LEFT_RARE: &str = "left_rare";

impl Algorithm for MuArgus {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_trees: true,
            reach: Reach::Column,
            default_suppression: Rational::ONE,
            ..Capabilities::USUAL
        }
    }

    fn caveat(&self, findings: &[Finding], quasi: usize) -> Option<String> {
        let left =
            findings.iter().find(|finding| finding.name == LEFT_RARE).and_then(|finding| finding.value);
        let done = match left {
            Some(rows) if rows > 0.0 => format!(
                "it left {rows} rows in groups that fail a model on all {quasi} quasi-identifiers, which were suppressed so that what \
                 was asked for holds"
            ),
            _ => "here it left no row in a group that fails a model on all quasi-identifiers".to_owned(),
        };
        Some(format!(
            "'{}' looks at combinations of a few columns and by itself promises nothing beyond them; {done}",
            ENTRY.name
        ))
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        problem.check_trees(ENTRY.name)?;
        problem.class_tests()?;
        let columns: Vec<usize> = (0..problem.quasi.len()).collect();
        match combinations(&columns, self.combination) {
            Some(_) => Ok(()),
            None => Err(Error::refused(format!(
                "{} quasi-identifiers have more than {MOST_COMBINATIONS} combinations of at most {} columns",
                problem.quasi.len(),
                self.combination
            ))
            .advise("use fewer quasi-identifiers")
            .another_that("use an algorithm that does not look at combinations of columns")
            .weaken(Setting::parameter("combination").to(2), "look at combinations of fewer columns")),
        }
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let mut search = ArgusSearch::new(problem)?;
        search.recode(self.combination, &self.threshold)?;
        let rounds = search.blank(self.combination)?;
        let assignment = search.assignment();
        let (left_rare, blanked) = (left_rare(problem, &assignment)?, search.blanked_rows());
        let findings = vec![
            Finding::new(
                "blanked_cells",
                Some(blanked as f64),
                "the cells that were blanked one by one because of a rare combination",
            ),
            Finding::new(
                "rounds",
                Some(rounds as f64),
                "how often combinations were counted anew after cells had been blanked",
            ),
            Finding::new(
                LEFT_RARE,
                Some(left_rare as f64),
                "the rows that µ-Argus by itself leaves in groups that fail a model, since it looks at a few columns \
                          at a time; they were suppressed",
            ),
        ];
        let step = if blanked == 0 {
            Step::Levels(search.levels.clone())
        } else {
            Step::Regions(Box::new(assignment))
        };
        Solution::of_step(problem, step, findings)
    }
}

/// The rows of classes that show something and fail a model.
fn left_rare(problem: &Problem, assignment: &Assignment) -> Result<u64> {
    let tests = problem.class_tests()?;
    let classes = Classes::new(assignment.clone(), &problem.table, &problem.quasi, problem.star_policy);
    let payloads = problem.table.payloads();
    let fails = |class: &usize| {
        let view = classes.view(*class, payloads);
        !classes.is_suppressed(*class) && !tests.iter().all(|test| test.passes(&view))
    };
    Ok((0..classes.len()).filter(fails).map(|class| classes.size(class)).sum())
}

/// Returns all sets of 1 to `most` of the columns; `None` if they are too many.
fn combinations(columns: &[usize], most: usize) -> Option<Vec<Vec<usize>>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    let mut last: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..most.min(columns.len()) {
        let longer = |set: &Vec<usize>| {
            let after = columns.iter().filter(|column| set.last().is_none_or(|last| *column > last));
            after.map(|column| set.iter().copied().chain([*column]).collect()).collect::<Vec<Vec<usize>>>()
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
        if all.len() > MOST_COMBINATIONS {
            return None;
        }
    }
    Some(all)
}

struct ArgusSearch<'a> {
    problem: &'a Problem,
    tests: Vec<&'a dyn ClassTest>,
    only_size: bool,
    levels: Vec<u32>,
    /// For each column, what each tuple shows: a node, or the number of nodes for a blank.
    shown: Vec<Vec<u32>>,
}

impl<'a> ArgusSearch<'a> {
    fn new(problem: &'a Problem) -> Result<Self> {
        let tests = problem.class_tests()?;
        let width = problem.quasi.len();
        let mut search = Self {
            problem,
            only_size: tests.iter().all(|test| test.only_size()),
            tests,
            levels: vec![0; width],
            shown: vec![Vec::new(); width],
        };
        (0..width).for_each(|column| search.show(column));
        Ok(search)
    }

    /// The number that stands for a blank in a column.
    fn blank_of(&self, column: usize) -> u32 {
        self.problem.quasi[column].tree().map_or(0, |tree| tree.node_count())
    }

    /// Whether all rows show the same value in a column.
    fn is_top(&self, column: usize) -> bool {
        self.problem.quasi[column].tree().is_none_or(|tree| self.levels[column] == tree.height())
    }

    /// Shows a column at its level.
    fn show(&mut self, column: usize) {
        if let Some(tree) = self.problem.quasi[column].tree() {
            let map = tree.level_map(self.levels[column]);
            let codes = self.problem.table.column(column);
            self.shown[column] = codes.iter().map(|code| map[code as usize]).collect();
        }
    }

    /// For each tuple, whether what it shows in these columns is rare: the rows that show it fail a model. A combination
    /// of blanks only shows nothing, so it is not rare.
    fn rare(&self, columns: &[usize]) -> Result<Vec<bool>> {
        self.problem.progress.check()?;
        let table = &self.problem.table;
        let mut packer = Packer::new(table.tuples());
        for column in columns {
            packer.push(self.blank_of(*column) + 1, |tuple| self.shown[*column][tuple]);
        }
        let groups = group(packer.finish());
        let of_tuple = &groups.group_of_row;
        let count = groups.representative.len();
        let mut rare: Vec<bool> = if self.only_size {
            let mut sizes = vec![0; count];
            (0..).zip(of_tuple).for_each(|(tuple, group)| sizes[*group as usize] += table.weight(tuple));
            sizes.into_iter().map(|size| !self.passes(size, &[])).collect()
        } else {
            let (starts, cells) = cells_by_group(count, || {
                let of_tuple = (0..).zip(of_tuple);
                of_tuple.flat_map(|(tuple, group)| table.cells(tuple).iter().map(|cell| (*group, *cell)))
            });
            let cells_of = |group: usize| &cells[starts[group] as usize..starts[group + 1] as usize];
            (0..count).map(|group| !self.passes(total(cells_of(group)), cells_of(group))).collect()
        };
        for (rare, tuple) in rare.iter_mut().zip(&groups.representative) {
            *rare &= columns.iter().any(|column| !self.is_blank(*column, *tuple as usize));
        }
        Ok(of_tuple.iter().map(|group| rare[*group as usize]).collect())
    }

    fn passes(&self, size: u64, cells: &[Cell]) -> bool {
        let class = ClassView { size, cells, payloads: self.problem.table.payloads() };
        self.tests.iter().all(|test| test.passes(&class))
    }

    fn is_blank(&self, column: usize, tuple: usize) -> bool {
        self.shown[column][tuple] == self.blank_of(column)
    }

    /// Raises the column with the most rare cells by one level, as long as more rows are rare than the threshold allows.
    fn recode(&mut self, most: usize, threshold: &Rational) -> Result<()> {
        let table = &self.problem.table;
        let columns: Vec<usize> = (0..self.levels.len()).collect();
        let sets = combinations(&columns, most).unwrap_or_default();
        let mut rare: Vec<Vec<bool>> = sets.par_iter().map(|set| self.rare(set)).collect::<Result<_>>()?;
        loop {
            self.problem.progress.check()?;
            self.problem.progress.advance(1);
            let is_rare = |tuple: &u32| rare.iter().any(|rare| rare[*tuple as usize]);
            let rows: u64 = (0..table.tuples() as u32).filter(is_rare).map(|tuple| table.weight(tuple)).sum();
            if rows <= threshold.floor_of(table.rows()) {
                return Ok(());
            }
            let mut cells = vec![0_u64; columns.len()];
            for (set, rare) in sets.iter().zip(&rare) {
                let tuples = (0..).zip(rare).filter(|(_, rare)| **rare);
                let rows: u64 = tuples.map(|(tuple, _)| table.weight(tuple)).sum();
                set.iter().for_each(|column| cells[*column] += rows);
            }
            let growing = columns.iter().copied().filter(|column| !self.is_top(*column));
            let Some(column) = growing.max_by_key(|column| (cells[*column], usize::MAX - *column)) else {
                return Ok(());
            };
            self.levels[column] += 1;
            self.show(column);
            let search = &*self;
            rare.par_iter_mut().zip(&sets).filter(|(_, set)| set.contains(&column)).try_for_each(
                |(rare, set)| -> Result<()> {
                    *rare = search.rare(set)?;
                    Ok(())
                },
            )?;
        }
    }

    /// Blanks cells until no combination is rare. Returns the number of rounds that blanked something.
    fn blank(&mut self, most: usize) -> Result<usize> {
        // A column in which all rows show the same value makes no combination rare, and a blank in it does not help.
        let columns: Vec<usize> = (0..self.levels.len()).filter(|column| !self.is_top(*column)).collect();
        let sets = combinations(&columns, most).unwrap_or_default();
        for round in 0.. {
            self.problem.progress.check()?;
            self.problem.progress.advance(1);
            let rare: Vec<Vec<bool>> = sets.par_iter().map(|set| self.rare(set)).collect::<Result<_>>()?;
            let mut found = false;
            let mut pace = self.problem.progress.pace();
            for tuple in 0..self.problem.table.tuples() {
                pace.tick(sets.len())?;
                let of_tuple = sets.iter().zip(&rare).filter(|(_, rare)| rare[tuple]).map(|(set, _)| set);
                let mut uncovered: Vec<&Vec<usize>> = of_tuple.collect();
                found |= !uncovered.is_empty();
                while !uncovered.is_empty() {
                    let covered =
                        |column: usize| uncovered.iter().filter(|set| set.contains(&column)).count();
                    let shown = columns.iter().copied().filter(|column| !self.is_blank(*column, tuple));
                    let Some(column) = shown.max_by_key(|column| (covered(*column), usize::MAX - *column))
                    else {
                        break;
                    };
                    self.shown[column][tuple] = self.blank_of(column);
                    uncovered.retain(|set| !set.contains(&column));
                }
            }
            if !found {
                return Ok(round);
            }
        }
        Ok(0)
    }

    /// The number of blanked cells, over all rows.
    fn blanked_rows(&self) -> u64 {
        let table = &self.problem.table;
        (0..self.shown.len())
            .map(|column| {
                let blank = |tuple: &u32| self.is_blank(column, *tuple as usize);
                (0..table.tuples() as u32).filter(blank).map(|tuple| table.weight(tuple)).sum::<u64>()
            })
            .sum()
    }

    /// The classes: tuples that show the same.
    fn assignment(&self) -> Assignment {
        let mut packer = Packer::new(self.problem.table.tuples());
        for (column, shown) in self.shown.iter().enumerate() {
            packer.push(self.blank_of(column) + 1, |tuple| shown[tuple]);
        }
        let groups = group(packer.finish());
        // A row whose other columns are all blank is blanked here as well, in columns that show the same value in all
        // rows, so that it shows nothing.
        let columns: Vec<usize> = (0..self.shown.len()).filter(|column| !self.is_top(*column)).collect();
        let shows_nothing =
            |tuple: usize| !columns.is_empty() && columns.iter().all(|column| self.is_blank(*column, tuple));
        let value = |column: usize, tuple: usize| match self.is_blank(column, tuple) || shows_nothing(tuple) {
            true => Value::Star,
            false => Value::Node(self.shown[column][tuple]),
        };
        let region =
            |tuple: &u32| (0..self.shown.len()).map(|column| value(column, *tuple as usize)).collect();
        let regions: Vec<Vec<Value>> = groups.representative.iter().map(region).collect();
        Assignment::of_regions(Members::Tuples(groups.group_of_row), &regions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The warning reports the finding of that name, and no other.
    #[test]
    fn rows_that_are_left_rare_are_told() {
        let told = |left: f64| {
            let other = |name| Finding::new(name, Some(7.0 - left), "");
            let findings = [other("blanked_cells"), Finding::new(LEFT_RARE, Some(left), ""), other("rounds")];
            let algorithm = build(&Parameters::default()).expect("it can be built");
            algorithm.caveat(&findings, 4).expect("it is told")
        };
        assert!(
            told(3.0).contains("it left 3 rows in groups that fail a model on all 4 quasi-identifiers"),
            "{}",
            told(3.0)
        );
        assert!(told(0.0).contains("here it left no row"), "{}", told(0.0));
    }

    #[test]
    fn combinations_come_by_size_and_stop_where_they_are_too_many() {
        let sets = combinations(&[0, 2, 5], 2).expect("few");
        assert_eq!(sets, [vec![0], vec![2], vec![5], vec![0, 2], vec![0, 5], vec![2, 5]]);
        assert_eq!(combinations(&[0, 1], 3).map(|sets| sets.len()), Some(3));
        let many: Vec<usize> = (0..60).collect();
        assert!(combinations(&many, 3).is_none());
        assert_eq!(combinations(&many, 2).map(|sets| sets.len()), Some(60 + 60 * 59 / 2));
    }
}
