//! The suppressed rows: which, why, and whether some people lost more than others.

use super::figure;
use crate::base::format::{count, counted, percent, ratio, share};
use crate::report::charts::Ink;
use crate::report::charts::bars::{Bar, BarChart, BarRow};
use crate::report::data::{Report, Subgroup, SubgroupColumn};
use crate::report::words;
use minijinja::{Value, context};

/// The least ratio of a subgroup's share to the average for it to stand out.
const STANDS_OUT: f64 = 2.0;

/// The fewest suppressed rows of a subgroup that stands out; fewer may be chance.
const AT_LEAST: u64 = 5;

/// The most subgroups drawn per column.
const SHOWN: usize = 10;

/// The most subgroups named in the list of those that stand out.
const NAMED: usize = 8;

pub(super) fn section(report: &Report) -> Option<Value> {
    let suppression = report.suppression.as_ref()?;
    if suppression.reasons.is_empty() && suppression.subgroups.is_empty() {
        return None;
    }
    let release = &report.release;
    let average = ratio(release.suppressed, release.rows).unwrap_or(0.0);
    let summary = if release.suppressed == 0 {
        "No row was suppressed.".to_owned()
    } else {
        format!(
            "{} of {} ({}) were suppressed: {}.",
            count(release.suppressed),
            counted(release.rows, "row", "rows"),
            share(release.suppressed, release.rows),
            words::suppressed_as(release.suppressed_as)
        )
    };
    let reasons: Vec<Value> = suppression
        .reasons
        .iter()
        .map(
            |r| context! { reason => &r.reason, rows => count(r.rows), share => share(r.rows, release.rows) },
        )
        .collect();
    let figures: Vec<Value> = suppression.subgroups.iter().filter_map(|c| chart(c, average)).collect();
    Some(context! { summary, reasons, figures, outstanding => outstanding(&suppression.subgroups, average) })
}

fn named(value: &str) -> &str {
    if value.is_empty() { "(empty)" } else { value }
}

fn stands_out(group: &Subgroup, average: f64) -> bool {
    group.suppressed >= AT_LEAST
        && average > 0.0
        && ratio(group.suppressed, group.rows).is_some_and(|share| share >= STANDS_OUT * average)
}

/// Largest share first; ties by name, so that the order is always the same.
fn by_share(a: &Subgroup, b: &Subgroup) -> std::cmp::Ordering {
    let share = |group: &Subgroup| ratio(group.suppressed, group.rows).unwrap_or(0.0);
    share(b).total_cmp(&share(a)).then_with(|| a.value.cmp(&b.value))
}

fn outstanding(columns: &[SubgroupColumn], average: f64) -> Vec<String> {
    let mut groups: Vec<(&str, &Subgroup)> = columns
        .iter()
        .flat_map(|c| c.groups.iter().map(|group| (c.column.as_str(), group)))
        .filter(|(_, group)| stands_out(group, average))
        .collect();
    groups.sort_by(|a, b| by_share(a.1, b.1).then_with(|| a.0.cmp(b.0)));
    let more = groups.len().saturating_sub(NAMED);
    let mut lines: Vec<String> = groups
        .iter()
        .take(NAMED)
        .map(|(column, group)| {
            let times = ratio(group.suppressed, group.rows).unwrap_or(0.0) / average;
            format!(
                "{column} “{}”: {} of {} lost ({}), {times:.1} times the average",
                named(&group.value),
                count(group.suppressed),
                counted(group.rows, "row", "rows"),
                share(group.suppressed, group.rows)
            )
        })
        .collect();
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

fn chart(column: &SubgroupColumn, average: f64) -> Option<Value> {
    let mut groups: Vec<&Subgroup> = column.groups.iter().filter(|g| g.rows > 0).collect();
    groups.sort_by(|a, b| by_share(a, b));
    if groups.is_empty() {
        return None;
    }
    let hidden = groups.len().saturating_sub(SHOWN);
    let rows: Vec<BarRow> = groups
        .iter()
        .take(SHOWN)
        .map(|group| BarRow {
            name: named(&group.value).to_owned(),
            bars: vec![Bar {
                value: ratio(group.suppressed, group.rows).unwrap_or(0.0),
                label: share(group.suppressed, group.rows),
                hint: format!(
                    "{} of {} suppressed",
                    count(group.suppressed),
                    counted(group.rows, "row", "rows")
                ),
                ink: if stands_out(group, average) { Ink::Alert } else { Ink::After },
            }],
        })
        .collect();
    let title = format!("Share of rows suppressed, by {}", column.column);
    let svg = BarChart {
        title: &title,
        rows: &rows,
        reference: Some((average, format!("average {}", percent(average)))),
    }
    .svg();
    let remark = if hidden == 0 {
        String::new()
    } else {
        format!("{} with a smaller share not drawn.", counted(hidden as u64, "value", "values"))
    };
    Some(figure(svg, &format!("By {}", column.column), &remark, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(value: &str, rows: u64, suppressed: u64) -> Subgroup {
        Subgroup { value: value.into(), rows, suppressed }
    }

    #[test]
    fn only_large_differences_of_enough_rows_stand_out() {
        let average = 0.1;
        assert!(stands_out(&group("a", 50, 10), average));
        assert!(!stands_out(&group("b", 50, 9), average));
        // All of its rows are suppressed, but those are only four.
        assert!(!stands_out(&group("c", 4, 4), average));
        assert!(!stands_out(&group("d", 0, 0), average));
        assert!(!stands_out(&group("e", 10, 10), 0.0));
    }

    #[test]
    fn those_who_lose_most_come_first() {
        let column =
            SubgroupColumn { column: "job".into(), groups: vec![group("a", 50, 10), group("b", 20, 10)] };
        let lines = outstanding(&[column], 0.1);
        assert_eq!(
            lines[0].replace('\u{a0}', " "),
            "job “b”: 10 of 20 rows lost (50 %), 5.0 times the average"
        );
        assert_eq!(lines.len(), 2);
    }
}
