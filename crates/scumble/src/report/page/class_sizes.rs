//! The sizes of classes, and the rows in small ones (the IACK paper's Fig. 2b).

use super::figure;
use crate::base::format::{count, counted, ratio, share};
use crate::report::charts::columns::ColumnChart;
use crate::report::charts::step::StepChart;
use crate::report::charts::{Ink, Series};
use crate::report::data::{ClassSizes, Report, SizeCount};
use minijinja::{Value, context};

pub(super) fn section(report: &Report) -> Option<Value> {
    let sizes = report.class_sizes.as_ref()?;
    let figures: Vec<Value> = [histogram(sizes), cumulative(sizes)].into_iter().flatten().collect();
    if figures.is_empty() {
        return None;
    }
    Some(context! { figures, summary => summary(sizes) })
}

/// A short note on the required group size.
pub(super) fn note(report: &Report) -> String {
    let release = &report.release;
    // Where people have several rows, k counts people.
    let of_persons = release.persons.is_some_and(|persons| persons < release.rows);
    let of = if of_persons { " persons" } else { "" };
    release.required_class.map_or_else(String::new, |least| format!("at least {}{of} required", count(least)))
}

fn summary(sizes: &ClassSizes) -> Option<String> {
    let k = sizes.k?;
    let (below, all) = (rows(sizes.before.iter().filter(|s| s.size < k)), rows(&sizes.before));
    if all == 0 {
        return None;
    }
    Some(if below == 0 {
        format!("Coarsening alone was enough: no group had fewer than {}.", counted(k, "row", "rows"))
    } else {
        format!(
            "After coarsening, {} of {} rows ({}) were still in groups of fewer than {k}.",
            count(below),
            count(all),
            share(below, all)
        )
    })
}

fn rows<'a>(sizes: impl IntoIterator<Item = &'a SizeCount>) -> u64 {
    sizes.into_iter().map(|s| s.size * s.classes).sum()
}

fn histogram(sizes: &ClassSizes) -> Option<Value> {
    let largest = sizes.before.iter().chain(&sizes.after).map(|s| s.size).max()?;
    let starts = bucket_starts(largest, sizes.k);
    let in_bucket = |counts: &[SizeCount]| -> Vec<f64> {
        starts
            .windows(2)
            .map(|pair| {
                let inside = counts.iter().filter(|s| (pair[0]..pair[1]).contains(&s.size));
                inside.map(|s| s.classes).sum::<u64>() as f64
            })
            .collect()
    };
    let names: Vec<String> = starts
        .windows(2)
        .map(|pair| match pair[1] - 1 {
            end if end == pair[0] => count(end),
            end => format!("{}–{}", count(pair[0]), count(end)),
        })
        .collect();
    let mut series = Vec::new();
    if !sizes.before.is_empty() && sizes.before != sizes.after {
        series.push(Series {
            name: "before suppression".into(),
            ink: Ink::Before,
            values: in_bucket(&sizes.before),
        });
    }
    if !sizes.after.is_empty() {
        series.push(Series { name: "released".into(), ink: Ink::After, values: in_bucket(&sizes.after) });
    }
    let mark = sizes
        .k
        .and_then(|k| starts.iter().position(|start| *start == k))
        .map(|bucket| (bucket, format!("k = {}", sizes.k.unwrap_or_default())));
    let svg = ColumnChart {
        title: "Number of groups by their size",
        x_name: "rows in the group",
        unit: "groups",
        groups: &names,
        series: &series,
        mark,
    }
    .svg();
    Some(figure(svg, "How many groups have how many rows", "", &series))
}

/// The starts of the buckets: 1, 2, 3, 5, 10, 20, 50 … and, from a thousand on, powers of ten; `k` starts a bucket of its own. The last
/// number ends the last bucket.
fn bucket_starts(largest: u64, k: Option<u64>) -> Vec<u64> {
    let mut starts = vec![1, 2, 3, 5, 10, 20, 50, 100, 200, 500];
    starts.extend((3..19).map(|power| 10u64.pow(power)));
    starts.push(u64::MAX);
    if let Some(k) = k.filter(|k| (1..=largest).contains(k)) {
        starts.push(k);
    }
    starts.sort_unstable();
    starts.dedup();
    let buckets = starts.partition_point(|start| *start <= largest);
    starts.truncate((buckets + 1).max(2));
    starts
}

fn cumulative(sizes: &ClassSizes) -> Option<Value> {
    let all = rows(&sizes.before);
    if all == 0 {
        return None;
    }
    let mut seen = 0;
    let steps: Vec<(u64, f64)> = sizes
        .before
        .iter()
        .map(|s| {
            seen += s.size * s.classes;
            (s.size, seen as f64 / all as f64)
        })
        .collect();
    let mark = sizes.k.map(|k| {
        let below = rows(sizes.before.iter().filter(|s| s.size < k));
        (k, format!("k = {}", count(k)), ratio(below, all).unwrap_or(0.0))
    });
    let svg = StepChart {
        title: "Share of rows in groups up to a size, before suppression",
        x_name: "size of the group",
        steps: &steps,
        mark,
    }
    .svg();
    let remark = "Read it as: so many rows are in groups of at most this size. A curve that stays low left of the mark \
                  means that little had to be suppressed.";
    Some(figure(svg, "Share of rows by group size, before suppression", remark, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k_starts_a_bucket() {
        assert_eq!(bucket_starts(12, Some(7)), [1, 2, 3, 5, 7, 10, 20]);
        assert_eq!(bucket_starts(4, Some(50)), [1, 2, 3, 5]);
        assert_eq!(bucket_starts(1, None), [1, 2]);
        assert_eq!(bucket_starts(0, Some(5)), [1, 2]);
    }

    #[test]
    fn the_summary_counts_rows_not_classes() {
        let before = [(1, 3), (2, 1), (5, 1)].map(|(size, classes)| SizeCount { size, classes }).to_vec();
        let sizes = ClassSizes { before, after: vec![], k: Some(3) };
        let text = summary(&sizes).expect("a summary").replace('\u{a0}', " ");
        assert_eq!(text, "After coarsening, 5 of 10 rows (50 %) were still in groups of fewer than 3.");
    }
}
