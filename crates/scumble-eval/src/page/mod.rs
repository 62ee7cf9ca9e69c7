//! The results as one HTML page that loads nothing else: curves with their baselines, figures, ranks, tests, time and loss.
//!
//! The page looks like the private report and shares its style sheet and drawing code. It contains no row of a table, but it has figures
//! about the original, so it stays inside your organisation until somebody decides otherwise.
//!
//! Items here that are not in [`crate::prelude`] may change from version to version.

pub(crate) mod chart;
mod comparison;
mod curves;
mod figures;
mod measures;
mod opening;

use minijinja::{Value, context};
use scumble::Result;
use scumble::report::drawing::{render, style};

use crate::experiment::{Experiment, Results};

const TEMPLATE: &str = include_str!("template.html");

/// The styles that charts of several algorithms need besides the report's style sheet.
const PALETTE: &str = include_str!("palette.css");

/// Writes the page of an experiment's results. `made` is the time to show, if any.
pub fn html(experiment: &Experiment, results: &Results, made: Option<&str>) -> Result<String> {
    let parameter = axis(experiment);
    let mut tables = figures::tables(experiment, results, parameter);
    tables.extend(measures::tables(experiment, results, parameter));
    let page = context! {
        title => experiment.plan.title.as_deref().unwrap_or("Evaluation"),
        byline => byline(experiment, made),
        style => stylesheet(),
        opening => opening::opening(experiment, results),
        curves => curves::sections(experiment, results, parameter),
        tables,
        legend => curves::legend(experiment),
        comparisons => comparison::comparisons(experiment, results),
        f_tests => comparison::f_tests(experiment, results),
        costs => curves::costs(experiment, results, parameter),
        failures => figures::failures(results),
        run => figures::run(experiment, results),
        version => env!("CARGO_PKG_VERSION"),
    };
    render(TEMPLATE, page)
}

/// Returns the style sheet of pages about several algorithms.
pub(crate) fn stylesheet() -> Value {
    Value::from_safe_string(format!("{}\n{PALETTE}", style()))
}

/// Returns the parameter along which curves run: k, or the first that varies.
#[must_use]
pub fn axis(experiment: &Experiment) -> Option<&str> {
    let varying = experiment.plan.varying();
    varying.iter().find(|name| **name == "k").or_else(|| varying.first()).copied()
}

fn byline(experiment: &Experiment, made: Option<&str>) -> String {
    let names: Vec<&str> = experiment.data.iter().map(|data| data.name.as_str()).collect();
    let made = made.map_or_else(String::new, |made| format!(", {made}"));
    let what = if experiment.plan.learner.is_empty() {
        "What is measured on"
    } else {
        "What can still be learnt from"
    };
    format!("{what} releases of {}{made}", names.join(", "))
}

/// Writes a share as a percentage with one decimal.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}\u{a0}%", share * 100.0)
}

/// Writes a p-value as papers print it.
fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

/// Writes a length of time.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        0.0 => "0\u{a0}s".to_owned(),
        s if s < 0.001 => "< 1\u{a0}ms".to_owned(),
        s if s < 1.0 => format!("{:.0}\u{a0}ms", s * 1000.0),
        s if s < 60.0 => format!("{s:.1}\u{a0}s"),
        s => format!("{:.0}\u{a0}min {:.0}\u{a0}s", (s / 60.0).floor(), s % 60.0),
    }
}

/// Writes values as `k = 5, l = 2`.
fn values(values: &[(String, String)]) -> String {
    let pairs: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    pairs.join(", ")
}
