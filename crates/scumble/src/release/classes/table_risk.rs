//! Supports models of the whole table on top of any search: finds the least class size under which the release keeps them.

use super::Attempt;
use crate::error::{Error, ErrorKind, Result};
use crate::models::{Model, k_anonymity};
use crate::problem::Problem;
use crate::search::algorithms::Finding;

/// Searches with `attempt`. If some models are about the whole table, tries growing class sizes, starting from the size that the plan asks
/// for, until the release keeps them all. A larger size may fail them again, but that does not matter: the result itself is checked.
pub(super) fn search(
    mut problem: Problem,
    attempt: impl Fn(&Problem) -> Result<Attempt>,
) -> Result<(Problem, Attempt)> {
    let is_of_table = |model: &dyn Model| model.sufficient_size().is_some();
    let Some(enough) = problem.models.iter().filter_map(|model| model.sufficient_size()).max() else {
        let found = attempt(&problem)?;
        return Ok((problem, found));
    };
    let places: Vec<usize> =
        (0..problem.models.len()).filter(|place| is_of_table(&*problem.models[*place])).collect();
    let (of_table, of_classes): (Vec<_>, Vec<_>) =
        std::mem::take(&mut problem.models).into_iter().partition(|model| is_of_table(&**model));
    problem.models = of_classes;
    let least = problem.k().unwrap_or(1);
    let (mut k, last) = (least, enough.max(least));
    loop {
        problem.models.push(k_anonymity::of_rows(k));
        let attempted = attempt(&problem);
        problem.models.pop();
        let mut found = attempted.map_err(|error| with_size(error, k, &of_table))?;
        let holds = of_table.iter().all(|model| model.judge(&found.classes, problem.table.payloads()).holds);
        if holds {
            found.findings.push(Finding::new(
                "k_for_risk",
                Some(k as f64),
                "the group size that had to be asked for so that the risk of the whole table is low enough",
            ));
            // The models return to their places, so that models and figures have the order of the plan.
            places.into_iter().zip(of_table).for_each(|(place, model)| problem.models.insert(place, model));
            return Ok((problem, found));
        }
        if k == last {
            return Err(Error::internal(
                "groups of a size that is enough for a model of the whole table do not keep it",
            ));
        }
        // The result keeps too little. Without budget there is no next try.
        problem.progress.check()?;
        problem.budget.go_on()?;
        // Small sizes are tried one by one, large ones in steps of a sixteenth: thousands of searches would gain little more.
        k = (k + (k / 16).max(1)).min(last);
    }
}

/// Adds to the error of an infeasible size why that size was asked for.
fn with_size(error: Error, k: u64, of_table: &[Box<dyn Model>]) -> Error {
    let titles: Vec<String> = of_table.iter().map(|model| model.title()).collect();
    if error.kind() != ErrorKind::Infeasible {
        return error;
    }
    error.reworded(|what| {
        format!(
            "{} was not kept by any release with groups of fewer than {k} rows, and with k = {k}: {what}",
            titles.join(" and ")
        )
    })
}
