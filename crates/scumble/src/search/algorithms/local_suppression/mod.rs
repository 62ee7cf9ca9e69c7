//! Local suppression: blanks single cells, as few as a search finds, until every group meets every model.
//!
//! A blank is a value of its own here, as it is for a reader who sees that a cell is blank. Rows that show the same cells
//! and blank the same cells form a class. Some tools count a blank as "could be anything". That takes fewer blanks and
//! protects less.

use super::{Algorithm, Capabilities, Finding, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::recoding::{Assignment, Members, Step};
use crate::table::quasi::Value;

mod patterns;
mod search;
mod state;
#[cfg(test)]
mod tests;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "local_suppression",
    title: "Local suppression: as few blank cells as possible",
    paper: "after Meyerson, Williams 2004 (the problem) and sdcMicro's localSuppression",
    standing: Standing::Recommended,
    about: "Leaves values as they are and blanks single cells, as few as it finds, until every group meets every model; a blank \
            counts as a value of its own. Good where most combinations are common already, mostly after recoding coarse. \
            Needs no hierarchy. 'importance' says which columns to spare.",
    parameters: &[(
        "importance",
        "columns to spare, the most important first: each weighs twice as much as the next, the last twice as much as a \
         column that is not listed",
    )],
    build,
};

/// The most columns that can be listed, because weights double from one to the next.
const MOST_IMPORTANT: usize = 30;

struct LocalSuppression {
    importance: Vec<String>,
}

fn build(parameters: &Parameters) -> Result<Box<dyn Algorithm>> {
    let importance = parameters.texts("importance")?.unwrap_or_default();
    if importance.len() > MOST_IMPORTANT {
        return Err(Error::config(format!(
            "importance lists {} columns; at most {MOST_IMPORTANT} can be told apart",
            importance.len()
        )));
    }
    if let Some(twice) =
        (1..importance.len()).find(|place| importance[..*place].contains(&importance[*place]))
    {
        return Err(Error::config(format!("importance lists '{}' twice", importance[twice])));
    }
    Ok(Box::new(LocalSuppression { importance: importance.into_iter().map(str::to_owned).collect() }))
}

impl LocalSuppression {
    /// The weight of a blank in each column: as the importance says, or else the columns' priorities, or else 1.
    fn costs(&self, problem: &Problem) -> Result<Vec<u64>> {
        let names: Vec<&str> = problem.quasi.iter().map(|quasi| quasi.name.as_str()).collect();
        for name in &self.importance {
            if !names.contains(&name.as_str()) {
                return Err(Error::config(format!(
                    "importance names '{name}', which is not a quasi-identifier{}",
                    crate::error::did_you_mean(name, names.iter().copied())
                )));
            }
        }
        let listed = |quasi: &str| self.importance.iter().position(|name| name == quasi);
        if !self.importance.is_empty() {
            let weight = |place: usize| 1_u64 << (self.importance.len() - place);
            return Ok(names.iter().map(|name| listed(name).map_or(1, weight)).collect());
        }
        let first = problem.quasi.first().map_or(1.0, |quasi| quasi.priority);
        if problem.quasi.iter().all(|quasi| quasi.priority == first) {
            return Ok(vec![1; names.len()]);
        }
        // Nobody states a priority more finely than in thousandths.
        Ok(problem.quasi.iter().map(|quasi| ((quasi.priority * 1000.0).round() as u64).max(1)).collect())
    }
}

impl Algorithm for LocalSuppression {
    fn capabilities(&self) -> Capabilities {
        Capabilities { default_suppression: Rational::ONE, takes_steps: true, ..Capabilities::USUAL }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        problem.class_tests()?;
        patterns::Patterns::new(problem, self.costs(problem)?, ENTRY.name).map(|_| ())
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let costs = self.costs(problem)?;
        let patterns = patterns::Patterns::new(problem, costs.clone(), ENTRY.name)?;
        let mut state = state::State::new(problem, patterns)?;
        search::build(&mut state, problem)?;
        search::improve(&mut state, problem)?;
        let found = state.assignment();
        drop(state);
        // The search is a heuristic. It must never be worse than the simple way, which blanks whole rows.
        let plain = unchanged(problem);
        let weigh = |classes: &Classes| -> u64 {
            blanks(classes, problem).iter().zip(&costs).map(|(rows, cost)| rows * cost).sum()
        };
        let (step, classes) =
            match (problem.suppress_failing(found.clone()), problem.suppress_failing(plain.clone())) {
                (Ok(cells), Ok(rows)) if weigh(&rows) < weigh(&cells) => (plain, rows),
                (Err(_), Ok(rows)) => (plain, rows),
                (cells, _) => (found, cells?),
            };
        let by_column = blanks(&classes, problem);
        let blanked: u64 = by_column.iter().sum();
        let mut findings = vec![
            Finding::new(
                "blanked_cells",
                Some(blanked as f64),
                "the cells of quasi-identifiers that show nothing, those of suppressed rows too",
            ),
            Finding::new(
                "rows_with_blanks",
                Some(rows_with_blanks(&classes) as f64),
                "the rows with a cell that shows nothing, suppressed rows too",
            ),
        ];
        findings.extend(problem.quasi.iter().zip(by_column).map(|(quasi, blanks)| Finding {
            name: "blanked_cells",
            value: Some(blanks as f64),
            meaning: "the cells of this column that show nothing, those of suppressed rows too",
            column: Some(quasi.name.clone()),
        }));
        Ok(Solution::of_classes(Step::Regions(Box::new(step)), classes, findings))
    }
}

/// Every tuple unchanged, with a class of its own.
fn unchanged(problem: &Problem) -> Assignment {
    let table = &problem.table;
    let value = |column: usize, tuple: usize| {
        let code = table.column(column).get(tuple);
        problem.quasi[column].cover(code, code)
    };
    let region = |tuple: usize| (0..table.width()).map(|column| value(column, tuple)).collect();
    let regions: Vec<Vec<Value>> = (0..table.tuples()).map(region).collect();
    Assignment::of_regions(Members::Tuples((0..table.tuples() as u32).collect()), &regions)
}

/// The number of blank cells in each column, including those of suppressed rows.
fn blanks(classes: &Classes, problem: &Problem) -> Vec<u64> {
    let is_blank = |class: &usize, column: usize| classes.shown(*class, column) == Value::Star;
    (0..problem.quasi.len())
        .map(|column| {
            let blank = (0..classes.len()).filter(|class| is_blank(class, column));
            blank.map(|class| classes.size(class)).sum()
        })
        .collect()
}

fn rows_with_blanks(classes: &Classes) -> u64 {
    let columns = classes.assignment.columns.len();
    let has_blank = |class: &usize| (0..columns).any(|column| classes.shown(*class, column) == Value::Star);
    (0..classes.len()).filter(has_blank).map(|class| classes.size(class)).sum()
}
