//! The results of simulated attacks: a section of the private report, and a page of its own.

use super::opening::banner;
use super::{closing, unfolding};
use crate::base::format::{NOTHING, amount, count, counted, number, percent};
use crate::config::Audience;
use crate::report::data::{AttackFigure, AttackResult, Criteria};
use crate::report::verdict::{Verdict, by_severity};
use minijinja::{Value, context};

/// The section, if some attack was run.
pub(super) fn section(found: &[AttackResult]) -> Option<Value> {
    if found.is_empty() {
        return None;
    }
    let unrun = found.iter().filter(|found| !found.run);
    Some(context! {
        rows => by_severity(found).into_iter().map(row).collect::<Vec<_>>(),
        unrun => unrun.map(|of| context! { title => &of.title, sentence => &of.sentence }).collect::<Vec<_>>(),
    })
}

/// A short note on the content of the section.
pub(super) fn note(found: &[AttackResult]) -> String {
    let run = by_severity(found);
    let certain = run.iter().filter(|found| found.is_certain()).count() as u64;
    let all = counted(run.len() as u64, "attack", "attacks");
    if certain == 0 { all } else { format!("{all}, {} certain about somebody", count(certain)) }
}

fn row(found: &AttackResult) -> Value {
    let figure = |figure: &AttackFigure| {
        context! { name => &figure.name, value => shown(figure), interval => interval(figure) }
    };
    let at_risk = found.at_risk.as_ref();
    let others =
        found.figures.iter().filter(|figure| at_risk.is_none_or(|at_risk| at_risk.name != figure.name));
    let gain = found.gain.map(|gain| AttackFigure {
        name: "gain in right guesses".into(),
        value: gain.gained().into(),
        share: true,
        interval: None,
    });
    context! {
        title => &found.title,
        column => &found.column,
        certain => found.is_certain(),
        bar => format!("{:.1}", found.severity() * 100.0),
        // The share of people at risk has a column of its own.
        gained => (found.gained() > found.share_at_risk()).then(|| percent(found.gained())),
        sentence => &found.sentence,
        at_risk => at_risk.map_or_else(|| NOTHING.to_owned(), shown),
        at_risk_interval => at_risk.and_then(interval),
        at_risk_name => at_risk.map(|figure| &figure.name),
        worst => found.worst.map_or_else(|| NOTHING.to_owned(), percent),
        figures => gain.iter().chain(others).map(figure).collect::<Vec<_>>(),
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

/// The data of the template for a page of its own.
pub(in crate::report) fn page(
    found: &[AttackResult],
    criteria: Option<&Criteria>,
    audience: Audience,
    title: &str,
) -> Value {
    let sections = unfolding(vec![
        ("attacks", "What attackers still learn", note(found), section(found)),
        (
            "criteria",
            "Singling out, linkability, inference",
            String::new(),
            super::criteria::section(criteria),
        ),
        ("glossary", "Words used here", String::new(), Some(closing::glossary())),
    ]);
    context! {
        title,
        heading => "attacks",
        strip => "This page says what can be learnt about people. Do not share it outside your organisation.",
        byline => "What attackers learn from this release, simulated beside its original",
        version => env!("CARGO_PKG_VERSION"),
        opening => opening(found, criteria, audience),
        sections,
    }
}

fn opening(found: &[AttackResult], criteria: Option<&Criteria>, audience: Audience) -> Value {
    let run = by_severity(found);
    let certain = run.iter().filter(|found| found.is_certain()).count();
    let one = |label: &str, value: String, note: &str| context! { label, value, note };
    let figures = vec![
        one("Attacks", count(run.len() as u64), "some on every sensitive column"),
        one(
            "Certain",
            count(certain as u64),
            match certain {
                1 => "attack is certain about somebody",
                _ => "attacks are certain about somebody",
            },
        ),
        one(
            "Most severe",
            run.first().map_or_else(|| NOTHING.to_owned(), |found| percent(found.severity())),
            &run.first().map_or_else(String::new, |found| match found.gained() > found.share_at_risk() {
                true => format!("{}: the gain in right guesses, in percentage points", found.title),
                false => format!("{}: people at risk", found.title),
            }),
        ),
    ];
    banner(Verdict::of_attacks(found, criteria, audience), figures)
}
