//! The comparison as one private HTML page that loads nothing else.

use minijinja::{Value, context};
use scumble::Result;
use scumble::base::text::grouped;
use scumble::report::drawing::render;

use super::advice::Advice;
use super::chart::{FrontierChart, Mark, Size, sign};
use super::outcome::{Candidate, Comparison, Utility};
use super::words::{attained, cell, certain_for, limit, limit_in_words, name, points, share};
use crate::page::{percent, seconds, stylesheet};

const TEMPLATE: &str = include_str!("template.html");

/// Writes the page of a comparison. `title` is the table's name.
pub fn html(comparison: &Comparison, title: &str) -> Result<String> {
    let advice = Advice::of(comparison);
    let page = context! {
        title,
        style => stylesheet(),
        opening => opening(comparison, advice),
        legend => legend(comparison),
        charts => charts(comparison, advice),
        table => table(comparison, advice),
        unserved => unserved(comparison),
        facts => facts(comparison),
        version => env!("CARGO_PKG_VERSION"),
    };
    render(TEMPLATE, page)
}

/// Returns the algorithms that made a release, in order.
fn algorithms(comparison: &Comparison) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for candidate in &comparison.candidates {
        if names.last() != Some(&candidate.algorithm.as_str()) {
            names.push(&candidate.algorithm);
        }
    }
    names
}

fn opening(comparison: &Comparison, advice: Option<Advice>) -> Value {
    let one = |label: &str, value: String, note: String| context! { label, value, note };
    let tried = one(
        "Releases compared",
        comparison.candidates.len().to_string(),
        format!("by {} algorithms", algorithms(comparison).len()),
    );
    let Some(advice) = advice else {
        return context! {
            class => "warn",
            heading => "No release is recommended",
            sentences => vec![Advice::none(comparison), "The reasons are listed below.".to_owned()],
            figures => vec![tried],
        };
    };
    let chosen = &comparison.candidates[advice.chosen];
    let known = match &chosen.risk.attribute {
        Some(guess) => one(
            "Guesses gained",
            format!("{} points", share(guess.advantage).trim_end_matches("\u{a0}%")),
            format!("by which the share of people whose {} is guessed right grows", guess.column),
        ),
        None => one(
            "Average person",
            share(chosen.risk.identity),
            "is found by an attacker who knows all quasi-identifiers".to_owned(),
        ),
    };
    let lost = format!("of the whole; {} suppressed", scumble::base::text::rows(chosen.suppressed));
    let figures = vec![
        one(
            "Person worst off",
            share(chosen.risk.worst_off),
            format!("the greatest chance of being found; the limit is {}", limit(comparison.limits.risk)),
        ),
        known,
        one("Lost detail", share(chosen.loss), lost),
    ];
    context! {
        class => if advice.within { "good" } else { "warn" },
        heading => if advice.within { name(chosen) } else { format!("No release keeps the {} limit", limit(comparison.limits.risk)) },
        sentences => advice.sentences(comparison),
        figures,
    }
}

fn legend(comparison: &Comparison) -> Vec<Value> {
    let each = algorithms(comparison).into_iter().enumerate();
    each.map(|(number, name)| context! { name, sign => Value::from_safe_string(sign(number)) }).collect()
}

fn charts(comparison: &Comparison, advice: Option<Advice>) -> Vec<Value> {
    let one = |heading: &str, by: Utility, y_name: &str, references: &[(&str, f64)]| {
        let names = algorithms(comparison);
        let (on_frontier, not_beaten) = (comparison.on_frontier(by), comparison.not_beaten());
        let mark = |(place, candidate): (usize, &'_ Candidate)| {
            Some(Mark {
                algorithm: names.iter().find(|name| **name == candidate.algorithm)?,
                k: candidate.k,
                spot: comparison.spot(candidate, by)?,
                on_frontier: on_frontier[place],
                not_beaten: not_beaten[place],
                recommended: advice.and_then(|advice| advice.recommended()) == Some(place),
                below_plan: candidate.below_plan,
            })
        };
        let marks: Vec<Mark<'_>> = comparison.candidates.iter().enumerate().filter_map(mark).collect();
        let svg = |size| {
            let (title, algorithms, marks) = (heading, names.as_slice(), marks.as_slice());
            let max_risk = comparison.limits.risk;
            let chart = FrontierChart { title, y_name, algorithms, marks, references, max_risk, size };
            Value::from_safe_string(chart.svg())
        };
        context! { heading, wide => svg(Size::Wide), narrow => svg(Size::Narrow) }
    };
    let mut charts = Vec::new();
    if let Some(baselines) = &comparison.baselines {
        let references = [("original rows", baselines.original.mean), ("majority class", baselines.majority)];
        charts.push(one("Risk and what models get right", Utility::Accuracy, "accuracy", &references));
    }
    charts.push(one("Risk and detail", Utility::Detail, "detail kept", &[]));
    charts
}

/// Lists all releases, the least risky first: those that no other beats, and then the rest.
fn table(comparison: &Comparison, advice: Option<Advice>) -> Value {
    let marks = comparison.not_beaten();
    let recommended = |place: usize| advice.and_then(|advice| advice.recommended()) == Some(place);
    let row = |place: usize| {
        let candidate = &comparison.candidates[place];
        let accuracy = candidate.accuracy.as_ref();
        context! {
            algorithm => &candidate.algorithm,
            standing => candidate.standing.name(),
            k => candidate.k,
            risk => cell(candidate.risk.worst()),
            worst_off => cell(candidate.risk.worst_off),
            identity => cell(candidate.risk.identity),
            attribute => candidate.risk.attribute.as_ref().map(|guess| cell(guess.advantage)),
            certain => candidate.risk.certain_told().map(cell),
            column => candidate.risk.attribute.as_ref().map(|guess| guess.column.clone()),
            accuracy => accuracy.map_or_else(|| "–".to_owned(), |accuracy| percent(accuracy.mean)),
            by_learner => accuracy.map(|accuracy| by_learner(comparison, &accuracy.by_learner)),
            loss => cell(candidate.loss),
            suppressed => grouped(candidate.suppressed),
            attained => attained(candidate, comparison.rows).map_or_else(|| "–".to_owned(), grouped),
            seconds => seconds(candidate.seconds),
            best => marks[place],
            recommended => recommended(place),
            below_plan => candidate.below_plan,
        }
    };
    let by_baseline = comparison.baselines.as_ref().map(|baselines| {
        context! {
            original => percent(baselines.original.mean),
            by_learner => by_learner(comparison, &baselines.original.by_learner),
            majority => percent(baselines.majority),
        }
    });
    let (best, rest): (Vec<usize>, Vec<usize>) =
        comparison.by_risk().into_iter().partition(|place| marks[*place] || recommended(*place));
    context! {
        best => best.into_iter().map(row).collect::<Vec<_>>(),
        rest => rest.into_iter().map(row).collect::<Vec<_>>(),
        guessed => !comparison.sensitive.is_empty(),
        scored => comparison.baselines.is_some(),
        several => comparison.sensitive.len() > 1,
        baselines => by_baseline,
    }
}

/// Writes accuracies as `c45 81.2 %, naive_bayes 80.1 %`.
fn by_learner(comparison: &Comparison, accuracies: &[f64]) -> String {
    let each =
        comparison.learners.iter().zip(accuracies).map(|(name, of)| format!("{name} {}", percent(*of)));
    each.collect::<Vec<_>>().join(", ")
}

fn unserved(comparison: &Comparison) -> Vec<Value> {
    let each = comparison.unserved.iter().map(|unserved| {
        let ks: Vec<String> = unserved.ks.iter().map(u64::to_string).collect();
        context! {
            what => if unserved.released { "no score" } else { "no release" },
            name => format!("{}, k = {}", unserved.algorithm, ks.join(", ")),
            reason => &unserved.reason,
        }
    });
    each.collect()
}

/// Says what a release must keep to be recommended.
fn limits(comparison: &Comparison) -> String {
    let limits = &comparison.limits;
    let found = limit_in_words(limits);
    if comparison.sensitive.is_empty() {
        return found;
    }
    format!(
        "{found}; the share of people whose sensitive value is guessed right may grow by at most {} percentage points; a sensitive value that no model \
         protects may become certain {}",
        points(limits.risk),
        certain_for(limits)
    )
}

/// Says what the accuracy averages, since other commands train other models on other parts.
#[must_use]
pub fn accuracy_is(comparison: &Comparison) -> String {
    let (scored, parts) = comparison.parts;
    let parts = match scored == parts {
        true => format!("the {parts} parts"),
        false => format!("one of {parts} parts"),
    };
    let models = match &comparison.learners[..] {
        [one] => format!("by {one}"),
        several => format!("on average over {}", several.join(" and ")),
    };
    format!(
        "the share of rows that machine-learning models predict correctly, {models} and over {parts} of the table; scumble evaluate may use other models and \
         parts, and then finds other figures"
    )
}

fn facts(comparison: &Comparison) -> Vec<Value> {
    let ks: Vec<String> = comparison.ks.iter().map(u64::to_string).collect();
    let mut facts = vec![
        ("Table", format!("{} rows", grouped(comparison.rows))),
        ("Attackers know", comparison.quasi.join(", ")),
        ("k asked for", ks.join(", ")),
        ("Limit", limits(comparison)),
    ];
    if !comparison.sensitive.is_empty() {
        facts.push(("Attackers guess", comparison.sensitive.join(", ")));
    }
    if !comparison.left_out.is_empty() {
        facts.push(("Left out", comparison.left_out.join(", ")));
    }
    if !comparison.models.is_empty() {
        facts.push(("Every release keeps", comparison.models.join("; ")));
    }
    if let (Some(class), Some(baselines)) = (&comparison.class, &comparison.baselines) {
        let (scored, parts) = comparison.parts;
        facts.push(("Models predict", format!("{class}, by {}", comparison.learners.join(", "))));
        facts.push(("Accuracy", accuracy_is(comparison)));
        let how = match scored == parts {
            true => format!(
                "{parts} stratified folds; each is scored once, the others are released and learnt from"
            ),
            false => {
                format!("one of {parts} stratified parts is scored, the others are released and learnt from")
            }
        };
        facts.push(("Scored", format!("{} rows: {how}", grouped(baselines.scored))));
        let margin = comparison.margin(baselines.original.mean);
        facts.push((
            "Differences too small to count",
            format!("below about {:.1} percentage points", margin * 100.0),
        ));
    }
    facts.into_iter().map(|(name, value)| context! { name, value }).collect()
}
