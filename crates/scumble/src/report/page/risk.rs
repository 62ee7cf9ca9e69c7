//! The chance of being picked out, for somebody who is known to be in the table.

use super::figure;
use crate::report::charts::columns::ColumnChart;
use crate::report::charts::{Ink, Series};
use crate::report::data::{Amount, Report, RiskBand, RiskFigures};
use crate::report::format::{counted, percent, share};
use crate::report::words;
use minijinja::{Value, context};

pub(super) fn section(report: &Report) -> Option<Value> {
    let risk = report.risk.as_ref()?;
    if risk.after.rows == 0 {
        return None;
    }
    Some(context! { figures => cards(&risk.after, risk.before.as_ref()), chart => chart(report) })
}

fn cards(after: &RiskFigures, before: Option<&RiskFigures>) -> Vec<Value> {
    let shown = |amount: Amount| amount.finite().map_or_else(|| "–".to_owned(), percent);
    let chance = |amount: Amount| words::chance(amount.finite().unwrap_or(f64::NAN));
    let threshold = percent(after.threshold);
    let above = if after.rows_above == 0 {
        format!("No released row has a risk above {threshold}.")
    } else {
        format!(
            "For {}, picking the right row succeeds more often than {threshold}.",
            counted(after.rows_above, "row", "rows")
        )
    };
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
            sentence => format!("Over all rows, it is {} on average.", chance(after.average)),
        },
        context! {
            label => format!("Rows above {threshold}"),
            value => share(after.rows_above, after.rows),
            was => was(before.map(|b| share(b.rows_above, b.rows))),
            sentence => above,
        },
    ]
}

fn chart(report: &Report) -> Option<Value> {
    let risk = report.risk.as_ref()?;
    if risk.after.bands.is_empty() {
        return None;
    }
    let groups: Vec<String> = risk.after.bands.iter().map(band_name).collect();
    let values = |figures: &RiskFigures| figures.bands.iter().map(|band| band.rows as f64).collect();
    let mut series = Vec::new();
    // Bars can stand side by side only if both count in the same bands.
    let same_bands = |before: &&RiskFigures| before.bands.iter().map(band_name).eq(groups.iter().cloned());
    if let Some(before) = risk.before.as_ref().filter(same_bands) {
        series.push(Series { name: "original".into(), ink: Ink::Before, values: values(before) });
    }
    series.push(Series { name: "release".into(), ink: Ink::After, values: values(&risk.after) });
    let exposed = risk.after.bands.iter().filter(|band| band.above >= risk.after.threshold).count();
    let mark = (exposed > 0 && exposed < groups.len())
        .then(|| (exposed, format!("at most {} from here", percent(risk.after.threshold))));
    let svg = ColumnChart {
        title: "Rows by the chance of picking the right one",
        x_name: "chance of picking the right row, from high to low",
        unit: "rows",
        groups: &groups,
        series: &series,
        mark,
    }
    .svg();
    Some(figure(svg, "Rows by risk", "Bars at the left are the rows that are easiest to find.", &series))
}

/// A band of risks as chances: `1 in 5–9` has risks above 1/10 and up to 1/5.
fn band_name(band: &RiskBand) -> String {
    // 1 / (1 / 3) need not be a whole number in floating point.
    let whole =
        |number: f64| if (number - number.round()).abs() < 1e-6 { number.round() } else { number.ceil() };
    let smallest = whole(1.0 / band.up_to);
    if band.above <= 0.0 {
        return format!("1 in {smallest:.0}+");
    }
    let largest = whole(1.0 / band.above) - 1.0;
    if largest <= smallest {
        format!("1 in {smallest:.0}")
    } else {
        format!("1 in {smallest:.0}–{largest:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_named_by_class_size() {
        let names: Vec<String> = RiskFigures::of(&[], 0.2).bands.iter().map(band_name).collect();
        assert_eq!(
            names,
            [
                "1 in 1",
                "1 in 2",
                "1 in 3–4",
                "1 in 5–9",
                "1 in 10–19",
                "1 in 20–49",
                "1 in 50–99",
                "1 in 100+"
            ]
        );
    }
}
