//! Each quasi-identifier before and after: how it was coarsened, and how its values are distributed.

use super::figure;
use crate::base::format::{amount, count, counted, percent, share};
use crate::report::charts::bars::{Bar, BarChart, BarRow};
use crate::report::charts::outline::{Outline, Part};
use crate::report::charts::{Ink, Series};
use crate::report::data::{Axis, AxisPart, ColumnReport, Report};
use crate::report::words;
use minijinja::{Value, context};

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
    context! {
        name => &column.name,
        coarsening => words::coarsening(&column.coarsening),
        hierarchy,
        loss => column.loss.finite().map_or_else(|| amount(column.loss), percent),
        loss_percent => column.loss.finite().map(|loss| format!("{:.1}", loss.clamp(0.0, 1.0) * 100.0)),
        distinct_before => count(column.distinct_before),
        distinct_after => count(column.distinct_after),
        figure => column.axis.as_ref().filter(|axis| !axis.parts.is_empty()).map(|axis| chart(&column.name, axis)),
    }
}

/// The original and the release on one axis.
fn chart(name: &str, axis: &Axis) -> Value {
    let series = [("before", Ink::Before), ("after", Ink::After)].map(|(name, ink)| Series {
        name: name.into(),
        ink,
        values: vec![],
    });
    let title = format!("{name}: before and after");
    let svg = if axis.ordered {
        let part = |part: &AxisPart| Part {
            name: part.name.clone(),
            before: part.before as f64,
            after: part.exact + part.wider,
        };
        let parts: Vec<Part> = axis.parts.iter().map(part).collect();
        Outline { title: &title, parts: &parts }.svg()
    } else {
        BarChart { title: &title, rows: &bars(axis), reference: None }.svg()
    };
    figure(svg, "", &remark(axis), &series)
}

fn bars(axis: &Axis) -> Vec<BarRow> {
    let all_before: u64 = axis.parts.iter().map(|part| part.before).sum();
    let all_after: f64 = axis.parts.iter().map(AxisPart::after).sum::<f64>() + axis.hidden as f64;
    let last = axis.parts.len().saturating_sub(1);
    let row = |(place, part): (usize, &AxisPart)| {
        let of_others = axis.others > 0 && place == last;
        let before = Bar {
            value: part.before as f64 / all_before.max(1) as f64,
            label: share(part.before, all_before),
            hint: counted(part.before, "row", "rows"),
            ink: Ink::Before,
        };
        let share_after = part.after() / all_after.max(1.0);
        let after = Bar {
            value: share_after,
            label: percent(share_after),
            hint: format!("about {} rows", count(part.after().round() as u64)),
            ink: Ink::After,
        };
        // Many rare values together can outweigh the frequent ones, whose bars would then be too short to compare.
        let undrawn = |bar: Bar| if of_others { Bar { value: f64::NAN, ..bar } } else { bar };
        BarRow {
            name: match &part.name {
                _ if of_others => counted(axis.others, "other", "others"),
                name if name.is_empty() => "(empty)".to_owned(),
                name => name.clone(),
            },
            bars: vec![undrawn(before), undrawn(after)],
        }
    };
    axis.parts.iter().enumerate().map(row).collect()
}

/// A sentence about what the chart does not show.
fn remark(axis: &Axis) -> String {
    let mut told = Vec::new();
    if axis.hidden > 0 {
        told.push(format!("{} show no value (*).", counted(axis.hidden, "row", "rows")));
    }
    if axis.without_value != [0, 0] {
        let [before, after] = axis.without_value;
        told.push(format!(
            "Without a value: {} before, {} after.",
            counted(before, "row", "rows"),
            count(after)
        ));
    }
    told.join(" ")
}

impl AxisPart {
    /// The released rows in this part; coarser values are spread evenly.
    fn after(&self) -> f64 {
        self.exact + self.wider
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_shares_of_all_rows_and_others_are_not_drawn() {
        let part = |name: &str, before, exact, wider| AxisPart { name: name.into(), before, exact, wider };
        let axis = Axis {
            parts: vec![part("f", 5, 4.0, 0.0), part("m", 3, 0.0, 2.0), part("", 2, 0.0, 2.0)],
            others: 2,
            hidden: 2,
            ..Axis::default()
        };
        let rows = bars(&axis);
        assert_eq!((rows[0].bars[0].value, rows[0].bars[1].value), (0.5, 0.4));
        assert_eq!(rows[2].name.replace('\u{a0}', " "), "2 others");
        assert!(rows[2].bars.iter().all(|bar| bar.value.is_nan()));
        let told = remark(&axis).replace('\u{a0}', " ");
        assert_eq!(told, "2 rows show no value (*).");
    }
}
