//! The values of the plan's metrics.

use minijinja::{Value, context};

use super::figures::{head_of, heading};
use crate::experiment::{Experiment, Group, Results, Summary};

/// Returns the groups of one machine-learning model, since releases are the same for all of them.
pub(super) fn groups(experiment: &Experiment, results: &Results, parameter: &str) -> Vec<Group> {
    let first = experiment.plan.learner.first().map_or("", |learner| learner.title());
    results.groups(parameter).into_iter().filter(|group| group.learner == first).collect()
}

/// Makes a table for each metric and table, with a row for each algorithm and a column for each value of the parameter.
pub(super) fn tables(experiment: &Experiment, results: &Results, parameter: Option<&str>) -> Vec<Value> {
    let parameter = parameter.unwrap_or_default();
    let groups = groups(experiment, results, parameter);
    let table = |group: &Group, title: &str, metric: &str| {
        let places = group.places();
        let rows = group.curves.iter().map(|curve| {
            let cell = |place: &String| {
                let found = curve.points.iter().find(|(of, _)| of == place);
                let value = found.and_then(|(_, summary)| of_metric(summary, metric));
                context! { value => value.map_or_else(|| "–".to_owned(), figure), note => "" }
            };
            context! { name => &curve.algorithm, cells => places.iter().map(cell).collect::<Vec<_>>() }
        });
        context! {
            heading => heading(title, group),
            first => "Algorithm",
            heads => places.iter().map(|place| head_of(place, parameter, title)).collect::<Vec<_>>(),
            rows => rows.collect::<Vec<_>>(),
            baselines => Vec::<Value>::new(),
        }
    };
    let of_group = |group: &Group| {
        let each = experiment.plan.measure.iter();
        each.map(|choice| table(group, choice.title(), &choice.name())).collect::<Vec<_>>()
    };
    groups.iter().flat_map(of_group).collect()
}

/// Ranks the algorithms by the mean of the first metric over everything, best first. Returns the heading and a sentence, or `None` without
/// metrics or if no algorithm has a figure everywhere.
pub(super) fn told(experiment: &Experiment, results: &Results) -> Option<(String, String)> {
    let choice = experiment.plan.measure.first()?;
    let lower = choice.entry().is_ok_and(|entry| entry.build.lower_is_better());
    let summaries = results.summaries();
    let mean = |name: &str| {
        let own = summaries.iter().filter(|summary| summary.algorithm.as_deref() == Some(name));
        let each: Vec<f64> = own.map(|summary| of_metric(summary, &choice.name())).collect::<Option<_>>()?;
        (!each.is_empty()).then(|| (name.to_owned(), each.iter().sum::<f64>() / each.len() as f64))
    };
    let algorithms = experiment.plan.algorithm.iter();
    let mut means: Vec<(String, f64)> = algorithms.filter_map(|choice| mean(choice.title())).collect();
    means.sort_by(|a, b| if lower { a.1.total_cmp(&b.1) } else { b.1.total_cmp(&a.1) });
    let (best, _) = means.first()?;
    let each: Vec<String> =
        means.iter().map(|(name, mean)| format!("{} for {name}", figure(*mean))).collect();
    let best_is = if lower { "least" } else { "most" };
    Some((
        format!("{best}: {best_is} {}", choice.title()),
        format!("On average over all tables and settings, {} is {}.", choice.title(), each.join(", ")),
    ))
}

fn of_metric(summary: &Summary, metric: &str) -> Option<f64> {
    summary.measures.get(metric).copied().filter(|_| summary.error.is_none())
}

/// Writes a figure with as many decimals as its size requires.
pub(super) fn figure(figure: f64) -> String {
    match figure.abs() {
        size if size >= 1000.0 => format!("{figure:.0}"),
        size if size >= 10.0 => format!("{figure:.1}"),
        _ => format!("{figure:.3}"),
    }
}
