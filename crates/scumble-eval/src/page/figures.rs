//! Tables of accuracies, failures, and how the experiment was run.

use minijinja::{Value, context};

use super::{percent, values};
use scumble::base::text::grouped;

use crate::experiment::{Experiment, Group, Results, SplitKind, Summary};
use crate::protocol::{Numbers, TestRows};

/// Makes a table of accuracies for each table and machine-learning model, with a row for each algorithm and a column for each value of
/// the parameter.
pub(super) fn tables(experiment: &Experiment, results: &Results, parameter: Option<&str>) -> Vec<Value> {
    let mut tables = Vec::new();
    let parameter = parameter.unwrap_or_default();
    for group in results.groups(parameter).into_iter().filter(|group| !group.learner.is_empty()) {
        let heads = group.places();
        let rows: Vec<Value> = group
            .curves
            .iter()
            .map(|curve| {
                let cell = |head: &String| {
                    let found = curve.points.iter().find(|(place, _)| place == head);
                    found.map_or_else(
                        || context! { value => "–", note => "" },
                        |(_, summary)| accuracy(summary),
                    )
                };
                context! { name => &curve.algorithm, cells => heads.iter().map(cell).collect::<Vec<_>>() }
            })
            .collect();
        let majority = experiment.data.iter().position(|data| data.name == group.data);
        let original = group.original.map(percent).unwrap_or_default();
        let majority = majority.map(|place| percent(experiment.majority(place))).unwrap_or_default();
        tables.push(context! {
            heading => heading(&group.learner, &group),
            first => "Learnt from",
            heads => heads.iter().map(|head| head_of(head, parameter, "accuracy")).collect::<Vec<_>>(),
            rows,
            baselines => vec![
                context! { name => "original rows", value => original },
                context! { name => "majority class", value => majority },
            ],
        });
    }
    tables
}

/// Writes a heading such as `J48 on Adult, l = 2`.
pub(super) fn heading(what: &str, group: &Group) -> String {
    let others = values(&group.others);
    let others = if others.is_empty() { others } else { format!(", {others}") };
    format!("{what} on {}{others}", group.data)
}

/// Returns the head of a column: the value of the parameter or, if nothing varies, what the column shows.
pub(super) fn head_of(place: &str, parameter: &str, alone: &str) -> String {
    if place.is_empty() { alone.to_owned() } else { format!("{parameter} = {place}") }
}

fn accuracy(summary: &Summary) -> Value {
    match summary.accuracy {
        Some(found) if found.high > found.low => context! {
            value => percent(found.estimate),
            note => format!("± {:.1}", (found.high - found.estimate) * 100.0),
        },
        Some(found) => context! { value => percent(found.estimate), note => "" },
        None => context! { value => "failed", note => "see below" },
    }
}

/// Lists what failed, and why.
pub(super) fn failures(results: &Results) -> Vec<Value> {
    let mut seen: Vec<(String, String)> = Vec::new();
    for summary in results.summaries() {
        let Some(error) = &summary.error else { continue };
        let what = [Some(summary.data.clone()), summary.algorithm.clone(), Some(values(&summary.values))];
        let what = what.into_iter().flatten().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ");
        let pair = (what, error.clone());
        if !seen.contains(&pair) {
            seen.push(pair);
        }
    }
    seen.into_iter().map(|(what, error)| context! { what, error }).collect()
}

/// Describes how the experiment was run.
pub(super) fn run(experiment: &Experiment, results: &Results) -> Value {
    let plan = &experiment.plan;
    let split = match plan.protocol.split {
        SplitKind::Folds => format!(
            "{} stratified folds; each is scored once, the others are released and learnt from",
            plan.folds()
        ),
        SplitKind::FiveByTwo => {
            "five times two stratified halves; each is released and learnt from once, and scored once"
                .to_owned()
        }
        SplitKind::Given => "the test tables given".to_owned(),
        SplitKind::Whole => "not divided: whole tables are released and measured".to_owned(),
    };
    let learns = !plan.learner.is_empty();
    let scored = match plan.protocol.test {
        TestRows::Mapped => {
            let numbers = match plan.protocol.numbers {
                Numbers::Nominal => "a range of numbers is a nominal value",
                Numbers::Midpoint => "a range of numbers is the number in its middle",
            };
            format!("test rows recoded as the training part was; {numbers}")
        }
        TestRows::Original => {
            format!(
                "original test rows; models are trained on concrete tables drawn from the release ({} each)",
                plan.protocol().samples
            )
        }
    };
    let tables = experiment.data.iter().map(|data| {
        let rows = format!(
            "{}, {} values of {}",
            scumble::base::text::rows(data.table.rows as u64),
            grouped(data.labels.len() as u64),
            data.class
        );
        let test = data
            .test
            .as_ref()
            .map_or_else(String::new, |test| format!("; {} test rows", grouped(test.rows as u64)));
        context! { name => &data.name, value => rows + &test }
    });
    let metrics = plan.measure.iter().map(|measure| measure.metric.as_str()).collect::<Vec<_>>().join(", ");
    let facts = [
        ("Rows divided by", split),
        ("Scored", if learns { scored } else { String::new() }),
        ("Random seed", plan.seed.to_string()),
        ("Results", grouped(results.entries.len() as u64) + if learns { " (releases × models)" } else { "" }),
        (
            "Machine-learning models",
            plan.learner.iter().map(|learner| learner.title()).collect::<Vec<_>>().join(", "),
        ),
        ("Metrics", metrics),
    ];
    let facts = facts
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| context! { name, value });
    context! { facts => tables.chain(facts).collect::<Vec<_>>() }
}
