//! The section of the private report about the chance of being singled out, before and after.

use super::figure;
use super::risk_charts::{RiskSeries, bands, combinations, contributions};
use crate::base::format::{count, percent, share};
use crate::report::charts::Ink;
use crate::report::data::{Amount, Report, Risk, RiskFigures};
use crate::report::words;
use crate::risk::{Unit, words as told};
use minijinja::{Value, context};

pub(super) fn section(report: &Report) -> Option<Value> {
    let risk = report.risk.as_ref()?;
    if risk.after.rows == 0 {
        return None;
    }
    let mut series = Vec::new();
    if let Some(before) = &risk.before {
        series.push(RiskSeries { name: "original", ink: Ink::Before, risk: before });
    }
    series.push(RiskSeries { name: "release", ink: Ink::After, risk: &risk.after });
    let mut figures: Vec<Value> = bands(&series, risk.unit).into_iter().collect();
    if let Some(singling) = &risk.singling_before {
        figures.extend(contributions(
            singling,
            "Which columns of the original single people out",
            Ink::Before,
        ));
        figures.extend(combinations(
            singling,
            "Combinations that single people out in the original",
            Ink::Before,
            risk.unit,
        ));
    }
    Some(context! {
        intro => "Prosecutor risk: suppose somebody knows that a person is in the table, and knows all of that person’s \
                  quasi-identifiers. How likely do they pick the right row?",
        cards => cards(&risk.after, risk.before.as_ref(), risk.unit),
        figures,
        sentences => sentences(risk),
        remark => "This counts only the quasi-identifiers. Whoever knows further columns of a person, or can rule rows out, may \
                   do better.",
    })
}

fn cards(after: &RiskFigures, before: Option<&RiskFigures>, unit: Unit) -> Vec<Value> {
    let shown = |amount: Amount| amount.finite().map_or_else(|| "–".to_owned(), percent);
    let chance = |amount: Amount| words::chance(amount.finite().unwrap_or(f64::NAN));
    let threshold = percent(after.threshold);
    let was = |text: Option<String>| text.map(|text| format!("in the original: {text}"));
    vec![
        context! {
            label => "Highest risk",
            value => shown(after.highest),
            was => was(before.map(|b| shown(b.highest))),
            sentence => format!(
                "Someone who knows all these columns about a person has at best {} of picking that person’s row.",
                chance(after.highest)
            ),
        },
        context! {
            label => "Average risk",
            value => shown(after.average),
            was => was(before.map(|b| shown(b.average))),
            sentence => format!(
                "The average chance is {}. An attacker who links every {} with a person gets about {} of {} right.",
                shown(after.average),
                unit.one(),
                count(after.expected.finite().unwrap_or(0.0).round() as u64),
                unit.counted(after.rows)
            ),
        },
        context! {
            label => match unit {
                Unit::Rows => format!("Rows above {threshold}"),
                Unit::Persons => format!("Persons above {threshold}"),
            },
            value => share(after.rows_above, after.rows),
            was => was(before.map(|b| share(b.rows_above, b.rows))),
            sentence => told::above(after, unit),
        },
    ]
}

/// Sentences about what singles people out and how many are unique in the population, before and after.
fn sentences(risk: &Risk) -> Vec<String> {
    let mut told = vec![format!("In the release: {}", told::quantiles(&risk.after, risk.unit))];
    if risk.unit == Unit::Persons {
        told.push(told::one_person(risk.unit).to_owned());
        told.push(told::no_population(risk.unit).to_owned());
    }
    for (table, figures) in [("original", &risk.journalist_before), ("release", &risk.journalist_after)] {
        told.extend(
            figures
                .iter()
                .map(|risk_there| format!("In the {table}: {}", told::in_population(risk_there, risk.unit))),
        );
    }
    if let (Some(before), Some(rows)) = (&risk.singling_before, risk.before.as_ref().map(|risk| risk.rows)) {
        told.push(format!("In the original: {}", told::singling(before, rows, risk.unit)));
        told.extend(told::worst_combinations(before).into_iter().map(told::combination));
    }
    if let Some(after) = &risk.singling_after {
        told.push(format!("In the release: {}", told::singling(after, risk.after.rows, risk.unit)));
    }
    if let (Some(before), Some(after)) = (&risk.population_before, &risk.population_after) {
        let people = |uniques: f64| match uniques.round() as u64 {
            0 => "nobody".to_owned(),
            people => format!("about {}", count(people)),
        };
        told.push(format!(
            "Of {} people in the population, {} would be alone on these columns if the original were published, and {} by the \
             release; these are estimates.",
            count(before.population),
            people(before.uniques),
            people(after.uniques)
        ));
    }
    told
}

/// A section about the risk in one table.
pub(super) fn body(
    intro: &str,
    cards: Vec<Value>,
    figures: Vec<Value>,
    sentences: Vec<String>,
    remark: &str,
) -> Value {
    context! { intro, cards, figures, sentences, remark }
}

/// A card with a number and what it means.
pub(super) fn card(label: &str, value: String, sentence: String) -> Value {
    context! { label, value, was => Value::from(()), sentence }
}

/// A chart with its heading and a remark, without a legend.
pub(super) fn plain(svg: String, heading: &str, remark: &str) -> Value {
    figure(svg, heading, remark, &[])
}
