//! The conditions for a run that compares with a population, and the warnings to its owner.

use super::ClassRun;
use crate::base::text::grouped;
use crate::config::Plan;
use crate::error::{Error, Result, Setting, Wish};
use crate::problem::Problem;
use crate::recoding::people::strangers;
use crate::release::requirements::without;
use crate::search::algorithms::Algorithm;

/// Returns an error if a model compares with the population and one of these is the case: the algorithm does not keep track of it, the plan lets
/// people belong to several classes, or the rows are not a part of it.
pub(super) fn check(problem: &Problem, plan: &Plan, algorithm: &dyn Algorithm) -> Result<()> {
    let of_people = problem.models.iter().find(|model| model.population_test().is_some());
    let (Some(population), Some(model)) = (problem.population(), of_people) else { return Ok(()) };
    let title = model.title();
    if !algorithm.capabilities().serves_population {
        return Err(Error::refused(format!(
            "{title} compares with a population, and '{}' does not keep track of one",
            plan.algorithm.name
        ))
        .another(Wish::Serving));
    }
    if plan.algorithm.polish {
        let what = format!(
            "polish makes classes that overlap, so it cannot be told to which of them people belong, and {title} compares with \
             them"
        );
        return Err(without(Error::refused(what), "polish"));
    }
    if let Some(quasi) = problem.quasi.iter().find(|quasi| quasi.sets) {
        return Err(Error::refused(format!(
            "column '{}' is labelled set, so its classes show only the values of their rows, and {title} compares with people who \
             have others",
            quasi.name
        ))
        .unset(Setting::column("label").of(&[&quasi.name]), "leave the label out"));
    }
    let strangers = strangers(&problem.table, population);
    if strangers > 0
        && problem.models.iter().any(|model| model.population_test().is_some_and(|test| test.needs_members()))
    {
        return Err(Error::data(format!(
            "{strangers} of the {} rows are not in the population: more rows than people have their quasi-identifiers. {title} \
             is about a table whose people are all in the population",
            problem.table.rows()
        ))
        .advise("complete the population")
        .advise("leave those rows out of the table"));
    }
    Ok(())
}

/// Warnings that call for a decision before publishing.
pub(super) fn warnings(run: &ClassRun<'_>) -> Option<String> {
    let table = &run.problem.table;
    let Some(population) = run.problem.population() else {
        let idle = run
            .found
            .population
            .map(|_| "a population is given, but no model compares with it; ask for k_map or delta_presence");
        return idle.map(str::to_owned);
    };
    let strangers = strangers(table, population);
    (strangers > 0).then(|| {
        format!(
            "{} of the {} rows are not in the population: more rows than people have their quasi-identifiers. k-map assumes \
             that all are; it counts only the {} people who are known",
            grouped(strangers),
            grouped(table.rows()),
            grouped(population.rows())
        )
    })
}
