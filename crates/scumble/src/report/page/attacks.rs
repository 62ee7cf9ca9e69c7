//! What simulated attacks found: a section of the private report, and a page of its own.

use super::closing;
use crate::base::format::{NOTHING, amount, counted, number, percent};
use crate::report::data::{AttackFigure, AttackResult};
use minijinja::{Value, context};

/// The section, if some attack was run.
pub(super) fn section(found: &[AttackResult]) -> Option<Value> {
    if found.is_empty() {
        return None;
    }
    let (run, unrun): (Vec<&AttackResult>, Vec<&AttackResult>) = found.iter().partition(|found| found.run);
    Some(context! {
        rows => run.into_iter().map(row).collect::<Vec<_>>(),
        unrun => unrun.iter().map(|of| context! { title => &of.title, sentence => &of.sentence }).collect::<Vec<_>>(),
    })
}

fn row(found: &AttackResult) -> Value {
    let figure = |figure: &AttackFigure| {
        context! { name => &figure.name, value => shown(figure), interval => interval(figure) }
    };
    let at_risk = found.at_risk.as_ref();
    let others =
        found.figures.iter().filter(|figure| at_risk.is_none_or(|at_risk| at_risk.name != figure.name));
    context! {
        title => &found.title,
        column => &found.column,
        sentence => &found.sentence,
        at_risk => at_risk.map_or_else(|| NOTHING.to_owned(), shown),
        at_risk_interval => at_risk.and_then(interval),
        at_risk_name => at_risk.map(|figure| &figure.name),
        worst => found.worst.map_or_else(|| NOTHING.to_owned(), percent),
        figures => others.map(figure).collect::<Vec<_>>(),
        limits => &found.limits,
    }
}

fn shown(figure: &AttackFigure) -> String {
    match figure.value.finite() {
        Some(value) if figure.share => percent(value),
        _ => amount(figure.value),
    }
}

fn interval(figure: &AttackFigure) -> Option<String> {
    let write = if figure.share { percent } else { number };
    figure.interval.map(|(low, high)| format!("{} to {}", write(low), write(high)))
}

/// Everything the template needs for a page of its own.
pub(in crate::report) fn page(found: &[AttackResult], title: &str) -> Value {
    let sections = [
        ("attacks", "What attackers still learn", section(found)),
        ("glossary", "Words used here", Some(closing::glossary())),
    ];
    let sections =
        sections.into_iter().filter_map(|(id, title, body)| Some(context! { id, title, body => body? }));
    context! {
        title,
        heading => "attacks",
        strip => "This page says what can be learnt about people. Keep it in the house.",
        byline => "What attackers learn from this release, simulated beside its original",
        version => env!("CARGO_PKG_VERSION"),
        opening => opening(found),
        sections => sections.collect::<Vec<_>>(),
    }
}

fn opening(found: &[AttackResult]) -> Value {
    let run: Vec<&AttackResult> = found.iter().filter(|found| found.run).collect();
    let certain = run.iter().filter(|found| found.worst.is_some_and(|worst| worst >= 1.0)).count();
    let shares = run.iter().filter_map(|found| Some((found.at_risk.as_ref()?.value.finite()?, *found)));
    let most = shares.reduce(|a, b| if b.0 > a.0 { b } else { a });
    let one = |label: &str, value: String, note: &str| context! { label, value, note };
    let heading = match certain {
        0 => "No simulated attack is certain about anybody".to_owned(),
        certain => format!("{} certain about somebody", counted(certain as u64, "attack is", "attacks are")),
    };
    context! {
        class => if certain > 0 { "warn" } else { "good" },
        heading,
        sentence => most.map_or_else(
            || "No attack could be run.".to_owned(),
            |(_, found)| found.sentence.clone(),
        ),
        next => "Look first at the attacks that are certain about somebody. A larger k makes people harder to find, and a model for the sensitive \
                 columns (l-diversity, t-closeness) makes their values harder to guess. Neither hides whether somebody is in the release.",
        figures => vec![
            one("Attacks", counted(run.len() as u64, "run", "run"), "some on every sensitive column"),
            one("Certain", counted(certain as u64, "attack", "attacks"), "about somebody"),
            one(
                "Most at risk",
                most.map_or_else(|| NOTHING.to_owned(), |(share, _)| percent(share)),
                most.map_or("", |(_, found)| found.title.as_str()),
            ),
        ],
    }
}
