//! Charts: accuracy by table and machine-learning model; loss, suppression and time by table.

use minijinja::{Value, context};

use super::chart::{CurveChart, Point, colour};
use super::figures::heading;
use super::{measures, percent, seconds, values};
use crate::experiment::{Experiment, Group, Results, Summary};

/// The charts of each table.
pub(super) fn sections(experiment: &Experiment, results: &Results, parameter: Option<&str>) -> Vec<Value> {
    let Some(parameter) = parameter.filter(|_| !experiment.plan.learner.is_empty()) else {
        return Vec::new();
    };
    let groups = results.groups(parameter);
    let of_data = |place: usize| {
        let data = &experiment.data[place];
        let majority = experiment.majority(place);
        let charts: Vec<Value> = groups
            .iter()
            .filter(|group| group.data == data.name)
            .map(|group| accuracy(group, parameter, majority))
            .collect();
        context! { name => &data.name, charts }
    };
    (0..experiment.data.len()).map(of_data).collect()
}

fn accuracy(group: &Group, parameter: &str, majority: f64) -> Value {
    let original = group.original.map(|original| ("original rows".to_owned(), original));
    let references: Vec<(String, f64)> =
        original.into_iter().chain([("majority class".to_owned(), majority)]).collect();
    let heading = match &group.others[..] {
        [] => group.learner.clone(),
        others => format!("{}, {}", group.learner, values(others)),
    };
    let point = |summary: &Summary| summary.accuracy.map(|found| (found.estimate, found.low, found.high));
    let title = format!("Accuracy of {heading} on {}", group.data);
    let svg = chart(group, &title, parameter, &references, percent, false, &point);
    context! { heading, svg => Value::from_safe_string(svg) }
}

/// Metrics, loss, suppression and time of each table; they are the same for every machine-learning model.
pub(super) fn costs(experiment: &Experiment, results: &Results, parameter: Option<&str>) -> Vec<Value> {
    let Some(parameter) = parameter else { return Vec::new() };
    let charts = measures::groups(experiment, results, parameter).into_iter().flat_map(|group| {
        let group = &group;
        let any_way = |what: &str, label: fn(f64) -> String, figure: &dyn Fn(&Summary) -> Option<f64>| {
            let point = |summary: &Summary| {
                let height = figure(summary).filter(|_| summary.error.is_none())?;
                Some((height, height, height))
            };
            let title = heading(what, group);
            let svg = chart(group, &title, parameter, &[], label, true, &point);
            context! { heading => title, svg => Value::from_safe_string(svg) }
        };
        let one = |what: &str, label: fn(f64) -> String, figure: fn(&Summary) -> f64| {
            any_way(what, label, &|summary| Some(figure(summary)))
        };
        let loss = |loss: f64| format!("{loss:.2}");
        let by_metric = experiment.plan.measure.iter().map(|choice| {
            let of_metric = |summary: &Summary| summary.measures.get(&choice.name()).copied();
            any_way(choice.title(), measures::figure, &of_metric)
        });
        let mut made: Vec<Value> = by_metric.collect();
        made.extend([
            one("Mean loss", loss, |summary| summary.loss),
            one("Seconds per release", seconds, |summary| summary.release_seconds),
        ]);
        let any = |figure: fn(&Summary) -> f64| {
            group.curves.iter().flat_map(|curve| &curve.points).any(|(_, summary)| figure(summary) > 0.0)
        };
        if any(|summary| summary.suppressed) {
            made.push(one("Suppressed rows", percent, |summary| summary.suppressed));
        }
        if any(|summary| summary.unmapped) {
            made.push(one("Test cells that no label covers", percent, |summary| summary.unmapped));
        }
        made
    });
    charts.collect()
}

fn chart(
    group: &Group,
    title: &str,
    parameter: &str,
    references: &[(String, f64)],
    label: fn(f64) -> String,
    from_zero: bool,
    point: &dyn Fn(&Summary) -> Point,
) -> String {
    let places = group.places();
    let curves: Vec<(String, Vec<Point>)> = group
        .curves
        .iter()
        .map(|curve| {
            let at = |place: &String| {
                curve.points.iter().find(|(of, _)| of == place).and_then(|(_, summary)| point(summary))
            };
            (curve.algorithm.clone(), places.iter().map(at).collect())
        })
        .collect();
    CurveChart { title, x_name: parameter, places: &places, curves: &curves, references, label, from_zero }
        .svg()
}

/// The colour of each algorithm.
pub(super) fn legend(experiment: &Experiment) -> Vec<Value> {
    let each = experiment.plan.algorithm.iter().enumerate();
    each.map(|(place, choice)| context! { class => colour(place), name => choice.title() }).collect()
}
