//! The information of columns about the class column, level by level (the IACK paper's Fig. 2a), and how far columns have moved (Fig. 3).

use super::figure;
use crate::base::format::{amount, counted};
use crate::report::charts::Ink;
use crate::report::charts::bars::{Bar, BarChart, BarRow};
use crate::report::charts::line::LineChart;
use crate::report::data::{Amount, ColumnChange, LevelCurve, Report};
use minijinja::{Value, context};

pub(super) fn section(report: &Report) -> Option<Value> {
    let curves: Vec<Value> =
        report.information.iter().flat_map(|information| &information.curves).map(curve).collect();
    let changes = changes(&report.changes);
    if curves.is_empty() && changes.is_empty() {
        return None;
    }
    let class = report.information.as_ref().map(|information| information.class.as_str());
    Some(context! { class, curves, changes })
}

fn curve(curve: &LevelCurve) -> Value {
    let points: Vec<(String, Amount)> =
        curve.information.iter().enumerate().map(|(level, value)| (level.to_string(), *value)).collect();
    let title = format!("{}: normalised mutual information with the class column, by level", curve.column);
    let marked = curve.chosen.map(|level| level as usize);
    let svg =
        LineChart { title: &title, x_name: "steps above the original value", points: &points, marked }.svg();
    figure(svg, &curve.column, "", &[])
}

fn changes(changes: &[ColumnChange]) -> Vec<Value> {
    if changes.is_empty() {
        return vec![];
    }
    let divergence: Vec<BarRow> =
        changes.iter().map(|change| row(&change.column, change.divergence)).collect();
    let svg =
        BarChart { title: "Divergence of each column by suppression", rows: &divergence, reference: None }
            .svg();
    let mut figures =
        vec![figure(svg, "How much suppression has bent each column", &lost_values(changes), &[])];

    let information: Vec<BarRow> =
        changes.iter().filter_map(|change| Some(row(&change.column, change.information_change?))).collect();
    if !information.is_empty() {
        let svg = BarChart {
            title: "Change of each column's normalised mutual information with the class column",
            rows: &information,
            reference: None,
        }
        .svg();
        let remark = "How much more or less a column says about the class column after suppression; shorter bars are better.";
        figures.push(figure(svg, "How much each column's link to the class column has changed", remark, &[]));
    }
    figures
}

fn row(column: &str, value: Amount) -> BarRow {
    let label = amount(value);
    let length = match value {
        Amount::Finite(number) => number,
        Amount::Infinite => f64::INFINITY,
        Amount::Undefined => 0.0,
    };
    let ink = if value == Amount::Infinite { Ink::Alert } else { Ink::After };
    BarRow { name: column.to_owned(), bars: vec![Bar { value: length, hint: label.clone(), label, ink }] }
}

/// The meaning of an infinite bar, with the finite figure next to it.
fn lost_values(changes: &[ColumnChange]) -> String {
    let mut text =
        "Normalised Kullback–Leibler divergence; 0 means that the distribution is as before.".to_owned();
    for change in changes.iter().filter(|c| c.divergence == Amount::Infinite) {
        let lost = match change.lost_values {
            0 => "a value has vanished".to_owned(),
            1 => "1 value has vanished".to_owned(),
            n => format!("{} have vanished", counted(n, "value", "values")),
        };
        let finite = change.finite_divergence.map_or_else(String::new, |finite| {
            format!(" (counted as half a row instead: {})", amount(finite))
        });
        text.push_str(&format!(" “{}” is infinite because {lost} from the release{finite}.", change.column));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinity_comes_with_its_reason_and_a_finite_companion() {
        let change = ColumnChange {
            column: "workclass".into(),
            divergence: Amount::Infinite,
            finite_divergence: Some(Amount::Finite(0.0213)),
            lost_values: 2,
            information_change: None,
        };
        let text = lost_values(&[change]).replace('\u{a0}', " ");
        assert!(text.ends_with(
            "“workclass” is infinite because 2 values have vanished from the release (counted as half a row instead: 0.0213)."
        ));
    }
}
