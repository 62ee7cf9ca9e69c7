//! Each quasi-identifier before and after: how it was coarsened, and how its values are distributed.

use super::figure;
use crate::base::format::{amount, count, counted, ratio, share};
use crate::report::charts::bars::{Bar, BarChart, BarRow};
use crate::report::charts::histogram::Histogram;
use crate::report::charts::{Ink, Series};
use crate::report::data::{ColumnReport, Distribution, Report, ValueCount};
use crate::report::words;
use minijinja::{Value, context};

/// Values shown by name; a chart with more is hard to read.
const SHOWN: usize = 9;

/// Up to here, ordered values are shown by name; above, as a histogram.
const NAMED: usize = 12;

/// How a suppressed value is written in a release.
const STAR: &str = "*";

pub(super) fn section(report: &Report) -> Option<Value> {
    if report.columns.is_empty() {
        return None;
    }
    let columns: Vec<Value> = report.columns.iter().map(column).collect();
    Some(context! { columns })
}

fn column(column: &ColumnReport) -> Value {
    let hierarchy = column.hierarchy.as_ref().map(|note| {
        let (word, meaning) = words::provenance(note.provenance);
        context! { word, meaning, description => note.description.as_deref() }
    });
    let figures = figures(column);
    context! {
        name => &column.name,
        wide => figures.len() > 1,
        role => words::role(column.role),
        coarsening => words::coarsening(&column.coarsening),
        hierarchy,
        loss => amount(column.loss),
        loss_percent => column.loss.finite().map(|loss| format!("{:.1}", loss.clamp(0.0, 1.0) * 100.0)),
        distinct_before => count(column.distinct_before),
        distinct_after => count(column.distinct_after),
        figures,
    }
}

fn figures(column: &ColumnReport) -> Vec<Value> {
    match (&column.before, &column.after) {
        (Some(before), Some(after)) if comparable(before, after) => {
            vec![side_by_side(&column.name, before, after)]
        }
        (before, after) => [(before, "Before", Ink::Before), (after, "After", Ink::After)]
            .into_iter()
            .filter_map(|(distribution, heading, ink)| {
                Some(panel(&column.name, distribution.as_ref()?, heading, ink))
            })
            .collect(),
    }
}

/// The released values are those of the original, so that one chart can show both.
fn comparable(before: &Distribution, after: &Distribution) -> bool {
    let known =
        |value: &ValueCount| value.value == STAR || before.values.iter().any(|b| b.value == value.value);
    let long = before.ordered && before.values.len() > NAMED;
    !long && after.other_values == 0 && !after.values.is_empty() && after.values.iter().all(known)
}

fn side_by_side(name: &str, before: &Distribution, after: &Distribution) -> Value {
    let (all_before, all_after) = (before.rows(), after.rows());
    let rows_after = |value: &str| after.values.iter().find(|v| v.value == value).map_or(0, |v| v.rows);
    let folded = fold(before);
    let mut listed_after = 0;
    let mut rows: Vec<BarRow> = folded
        .values
        .iter()
        .map(|value| {
            let after = rows_after(&value.value);
            listed_after += after;
            BarRow {
                name: value.value.clone(),
                bars: vec![bar(value.rows, all_before, Ink::Before), bar(after, all_after, Ink::After)],
            }
        })
        .collect();
    let starred = if folded.values.iter().any(|v| v.value == STAR) { 0 } else { rows_after(STAR) };
    if folded.other_values > 0 {
        rows.push(BarRow {
            name: others(folded.other_values),
            bars: vec![
                undrawn(bar(folded.other_rows, all_before, Ink::Before)),
                undrawn(bar(all_after.saturating_sub(listed_after + starred), all_after, Ink::After)),
            ],
        });
    }
    if starred > 0 {
        rows.push(BarRow {
            name: "* (no value shown)".into(),
            bars: vec![bar(starred, all_after, Ink::Alert)],
        });
    }
    let title = format!("{name}: share of rows by value, before and after");
    let svg = BarChart { title: &title, rows: &rows, reference: None }.svg();
    let series = [("before", Ink::Before), ("after", Ink::After)].map(|(name, ink)| Series {
        name: name.into(),
        ink,
        values: vec![],
    });
    figure(svg, "Before and after", "", &series)
}

fn panel(name: &str, distribution: &Distribution, heading: &str, ink: Ink) -> Value {
    let title = format!("{name}: distribution, {}", heading.to_lowercase());
    let starred: u64 = distribution.values.iter().filter(|v| v.value == STAR).map(|v| v.rows).sum();
    if distribution.ordered && distribution.values.len() > NAMED {
        let values: Vec<ValueCount> =
            distribution.values.iter().filter(|v| v.value != STAR).cloned().collect();
        let remark = if starred == 0 {
            "Rows by value.".to_owned()
        } else {
            format!(
                "Rows by value; {}, which show no value, are not drawn.",
                counted(starred, "row with *", "rows with *")
            )
        };
        return figure(Histogram { title: &title, values: &values, ink }.svg(), heading, &remark, &[]);
    }
    let all = distribution.rows();
    let folded = fold(distribution);
    let mut rows: Vec<BarRow> = folded
        .values
        .iter()
        .filter(|v| v.value != STAR)
        .map(|v| BarRow { name: v.value.clone(), bars: vec![bar(v.rows, all, ink)] })
        .collect();
    if folded.other_values > 0 {
        rows.push(BarRow {
            name: others(folded.other_values),
            bars: vec![undrawn(bar(folded.other_rows, all, ink))],
        });
    }
    if starred > 0 {
        rows.push(BarRow { name: "* (no value shown)".into(), bars: vec![bar(starred, all, Ink::Alert)] });
    }
    figure(BarChart { title: &title, rows: &rows, reference: None }.svg(), heading, "", &[])
}

fn bar(rows: u64, all: u64, ink: Ink) -> Bar {
    let label = if rows == 0 { "0".to_owned() } else { share(rows, all) };
    Bar { value: ratio(rows, all).unwrap_or(0.0), label, hint: counted(rows, "row", "rows"), ink }
}

/// Many rare values together can outweigh the frequent ones, whose bars would then be too short to compare.
fn undrawn(bar: Bar) -> Bar {
    Bar { value: f64::NAN, ..bar }
}

fn others(values: u64) -> String {
    format!("{} other{}", count(values), if values == 1 { "" } else { "s" })
}

/// The values to show by name, the most frequent first unless they have an order of their own; `*` always stays.
fn fold(distribution: &Distribution) -> Distribution {
    let limit = if distribution.ordered { NAMED } else { SHOWN };
    let (stars, mut values): (Vec<_>, Vec<_>) =
        distribution.values.iter().cloned().partition(|v| v.value == STAR);
    if !distribution.ordered {
        values.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.value.cmp(&b.value)));
    }
    let rest = values.split_off(values.len().min(limit));
    values.extend(stars);
    Distribution {
        ordered: distribution.ordered,
        values,
        other_values: distribution.other_values + rest.len() as u64,
        other_rows: distribution.other_rows + rest.iter().map(|v| v.rows).sum::<u64>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(values: &[(&str, u64)], ordered: bool) -> Distribution {
        let values =
            values.iter().map(|(value, rows)| ValueCount { value: (*value).into(), rows: *rows }).collect();
        Distribution { ordered, values, ..Distribution::default() }
    }

    #[test]
    fn one_chart_where_the_values_are_the_same_and_two_where_they_are_not() {
        let before = distribution(&[("f", 5), ("m", 5)], false);
        assert!(comparable(&before, &distribution(&[("m", 4), ("f", 4), ("*", 2)], false)));
        assert!(!comparable(&before, &distribution(&[("person", 10)], false)));
        assert!(!comparable(&before, &distribution(&[], false)));
    }

    #[test]
    fn folding_keeps_every_row_and_the_stars() {
        let mut values: Vec<(String, u64)> = (1..=20).map(|i| (format!("v{i:02}"), i)).collect();
        values.insert(0, ("*".into(), 1));
        let values: Vec<(&str, u64)> = values.iter().map(|(v, r)| (v.as_str(), *r)).collect();
        let all = distribution(&values, false);
        let folded = fold(&all);
        assert_eq!(folded.rows(), all.rows());
        assert_eq!(folded.values.len(), SHOWN + 1);
        assert_eq!(folded.values[0].value, "v20");
        assert_eq!(folded.values[SHOWN].value, "*");
        // v01 to v11 are folded: 11 values, 66 rows.
        assert_eq!((folded.other_values, folded.other_rows), (11, 66));
    }
}
