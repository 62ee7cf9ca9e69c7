//! The results as one HTML page that loads nothing else: curves with their baselines, figures, ranks, tests, time and loss.
//!
//! It looks like the private report, whose style sheet and drawing board it uses. It holds no row of a table, but figures about
//! the original, so it stays inside the organisation until somebody decides otherwise.
//!
//! What of this is not in [`crate::prelude`] is not promised: it may change from version to version.

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

/// What charts of several algorithms need besides the report's style sheet.
const PALETTE: &str = include_str!("palette.css");

/// The page of an experiment's results. `made` says when it was made, if the page shall tell.
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

/// The style sheet of pages about several algorithms.
pub(crate) fn stylesheet() -> Value {
    Value::from_safe_string(format!("{}\n{PALETTE}", style()))
}

/// The parameter along which curves run: k, or the first that varies.
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

/// A share as a percentage with one decimal.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}\u{a0}%", share * 100.0)
}

/// A p-value as papers print it.
fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

/// A length of time.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        0.0 => "0\u{a0}s".to_owned(),
        s if s < 0.001 => "< 1\u{a0}ms".to_owned(),
        s if s < 1.0 => format!("{:.0}\u{a0}ms", s * 1000.0),
        s if s < 60.0 => format!("{s:.1}\u{a0}s"),
        s => format!("{:.0}\u{a0}min {:.0}\u{a0}s", (s / 60.0).floor(), s % 60.0),
    }
}

/// `k = 5, l = 2`.
fn values(values: &[(String, String)]) -> String {
    let pairs: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    pairs.join(", ")
}
