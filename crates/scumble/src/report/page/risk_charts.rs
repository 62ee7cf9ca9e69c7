//! Charts of risk: rows by risk, quantiles, what singles people out, estimates of population uniques.

use super::figure;
use super::risk::plain;
use crate::base::format::{count, counted, number, percent};
use crate::report::charts::bars::{Bar, BarChart, BarRow, JOIN};
use crate::report::charts::columns::ColumnChart;
use crate::report::charts::{Ink, Series};
use crate::report::data::{RiskBand, RiskFigures, Singling};
use crate::risk::uniques::PopulationUniques;
use crate::risk::{Unit, words};
use minijinja::Value;

/// The most columns or combinations that a chart has room for.
const ROOM: usize = 12;

/// The risks of one kind of attacker, or of one table.
pub(super) struct RiskSeries<'a> {
    pub(super) name: &'a str,
    pub(super) ink: Ink,
    pub(super) risk: &'a RiskFigures,
}

/// A chart of rows, or people, by risk.
pub(super) fn bands(all: &[RiskSeries<'_>], unit: Unit) -> Option<Value> {
    let last = all.last()?.risk;
    if last.bands.is_empty() {
        return None;
    }
    let groups: Vec<String> = last.bands.iter().map(band_name).collect();
    // Only series with the same bands can be drawn side by side.
    let same_bands = |one: &&RiskSeries<'_>| one.risk.bands.iter().map(band_name).eq(groups.iter().cloned());
    let series: Vec<Series> = all
        .iter()
        .filter(same_bands)
        .map(|one| Series {
            name: one.name.to_owned(),
            ink: one.ink,
            values: one.risk.bands.iter().map(|band| band.rows as f64).collect(),
        })
        .collect();
    let mark = mark(last);
    let name = match unit {
        Unit::Rows => "Rows",
        Unit::Persons => "Persons",
    };
    let svg = ColumnChart {
        title: &format!("{name} by the chance of picking the right one"),
        x_name: &format!("chance of picking the right {}, from high to low", unit.one()),
        unit: unit.many(),
        groups: &groups,
        series: &series,
        mark,
    }
    .svg();
    let remark = format!("Bars at the left are the {} that are easiest to find.", unit.many());
    Some(figure(svg, &format!("{name} by risk"), &remark, &series))
}

/// The place where the bands at or below the threshold begin; `None` if the threshold lies inside a band.
fn mark(risk: &RiskFigures) -> Option<(usize, String)> {
    let first = risk.bands.iter().position(|band| band.up_to == risk.threshold).filter(|first| *first > 0)?;
    Some((first, format!("at most {} from here", percent(risk.threshold))))
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

/// A chart with one bar per row.
fn bars(
    title: &str,
    ink: Ink,
    rows: impl Iterator<Item = (String, f64, String)>,
    reference: Option<(f64, String)>,
) -> String {
    let rows: Vec<BarRow> = rows
        .map(|(name, value, label)| BarRow {
            name,
            bars: vec![Bar { value, hint: label.clone(), label, ink }],
        })
        .collect();
    BarChart { title, rows: &rows, reference }.svg()
}

/// A chart of the risk that given shares of the rows do not exceed.
pub(super) fn quantiles(risk: &RiskFigures, unit: Unit) -> Option<Value> {
    if risk.quantiles.is_empty() {
        return None;
    }
    let rows = risk.quantiles.iter().map(|quantile| {
        (format!("{} of {}", percent(quantile.share), unit.many()), quantile.risk, percent(quantile.risk))
    });
    let heading = format!("The risk that a share of the {} does not exceed", unit.many());
    let svg = bars(&heading, Ink::After, rows, Some((risk.threshold, percent(risk.threshold))));
    Some(plain(svg, &heading, &words::quantiles(risk, unit)))
}

/// A chart of how much each column contributes to singling people out.
pub(super) fn contributions(found: &Singling, heading: &str, ink: Ink) -> Option<Value> {
    let most = found.columns.iter().filter(|column| column.share > 0.0).take(ROOM);
    let rows: Vec<_> = most.map(|c| (c.column.clone(), c.share, percent(c.share))).collect();
    if rows.is_empty() {
        return None;
    }
    let svg = bars("Share of the scores in which a column takes part", ink, rows.into_iter(), None);
    let remark = "The share of all scores that comes from combinations with the column. Coarsening the first ones helps most.";
    Some(plain(svg, heading, remark))
}

/// A chart of the combinations that single out most people.
pub(super) fn combinations(found: &Singling, heading: &str, ink: Ink, unit: Unit) -> Option<Value> {
    let of_size = found.combinations.chunk_by(|a, b| a.columns.len() == b.columns.len());
    let sizes = of_size.clone().count().max(1);
    let listed = of_size.flat_map(|of_size| of_size.iter().take(ROOM / sizes));
    let rows: Vec<_> = listed.map(|c| (c.columns.join(JOIN), c.rows as f64, count(c.rows))).collect();
    if rows.is_empty() {
        return None;
    }
    let title = format!("How many {} are alone on a combination of columns", unit.many());
    let svg = bars(&title, ink, rows.into_iter(), None);
    let remark = format!(
        "How many {} are alone on the columns named, of each number of columns the worst.",
        unit.many()
    );
    Some(plain(svg, heading, &remark))
}

/// A chart of rows by the fewest columns that single them out.
pub(super) fn fewest_columns(found: &Singling, unit: Unit) -> Option<Value> {
    if found.rows == 0 {
        return None;
    }
    let groups: Vec<String> =
        found.sizes.iter().map(|size| counted(size.columns, "column", "columns")).collect();
    let values = found.sizes.iter().map(|size| size.rows as f64).collect();
    let series = [Series { name: unit.many().into(), ink: Ink::After, values }];
    let svg = ColumnChart {
        title: "By the fewest columns that single them out",
        x_name: "fewest columns that are needed",
        unit: unit.many(),
        groups: &groups,
        series: &series,
        mark: None,
    }
    .svg();
    let remark = format!("The {} by the fewest columns that are enough to find them.", unit.many());
    Some(plain(svg, "How many columns it takes", &remark))
}

/// A chart of the estimate of each model.
pub(super) fn estimates(found: &PopulationUniques) -> Option<Value> {
    let rows: Vec<_> = found
        .estimates
        .iter()
        .map(|estimate| {
            let value = estimate.uniques.unwrap_or(f64::NAN);
            let label = estimate.uniques.map_or("does not fit".to_owned(), |uniques| number(uniques.round()));
            (estimate.method.title().to_owned(), value, label)
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let svg = bars("People who are alone in the population, by model", Ink::After, rows.into_iter(), None);
    Some(plain(svg, "Alone in the population, by model", &format!("Chosen: {}.", found.reason)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Rational;

    #[test]
    fn the_threshold_is_marked_only_between_bands() {
        let marked = |part, whole| {
            let threshold = Rational::new(part, whole).expect("a fraction");
            mark(&RiskFigures::of_sizes(&[(1, 1)], threshold)).map(|(first, _)| first)
        };
        // Bands begin at 1, 1/2, 1/3, 1/5, 1/10 ...
        assert_eq!([marked(1, 2), marked(1, 3), marked(1, 5), marked(1, 100)], [1, 2, 3, 7].map(Some));
        // 0.15 and 0.3 lie inside a band, nobody is above 1, and everybody is above 0.
        assert_eq!([marked(3, 20), marked(3, 10), marked(1, 1), marked(0, 1)], [None; 4]);
    }

    #[test]
    fn bands_are_named_by_class_size() {
        let names: Vec<String> =
            RiskFigures::of_sizes(&[], Rational::ONE).bands.iter().map(band_name).collect();
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
