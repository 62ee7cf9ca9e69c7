//! Values exchanged between rows whose ranks are near.

use rand_chacha::ChaCha20Rng;
use scumble_files::table::CodedColumn;

use super::super::{BuildTransform, Facts, Given, Made, Takes, Trace, Transform};
use super::cells::Cells;
use super::draws::Draws;
use super::number_within;
use super::weights::Weights;
use crate::base::chance::shuffle;
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::{Error, Result};
use crate::table::decimal::Decimal;

/// The transform.
pub(in crate::transforms) const ENTRY: Entry<BuildTransform> = Entry {
    name: "rank_swap",
    title: "Rank swapping",
    paper: "Moore 1996; sdcMicro, rankSwap",
    standing: Standing::Classic,
    about: "Exchanges numbers between rows whose ranks are at most a share of all rows apart. Every number of the table stays in the table, \
            apart from the greatest and the least, which show their mean. The farther apart, the safer, and the weaker the correlations.",
    parameters: &[
        ("p", "how far apart in rank two rows that exchange may be, in percent of the rows (15)"),
        ("top_percent", "the share of the greatest values, in percent, that show their mean (5)"),
        ("bottom_percent", "the share of the least values, in percent, that show their mean (5)"),
        (
            "r0",
            "in place of p: the correlation with the true values that should at least be left, from 0 to 1",
        ),
        ("k0", "in place of p: how far the means of subsets may move, from 0 to 1"),
        ("within", "a column: only rows of one group exchange"),
        ("p_found", "what p was found to be with r0 or k0, for the verifier"),
    ],
    build: |parameters| Ok(Box::new(RankSwap::new(parameters)?)),
};

/// The fewest values whose mean may be shown, so that it is nobody's own value.
const LEAST_IN_MEAN: usize = 3;

/// What says how far apart in rank rows may be.
#[derive(Debug, Clone, Copy)]
enum Span {
    Percent(f64),
    Correlation(f64),
    Means(f64),
}

struct RankSwap {
    span: Span,
    top: f64,
    bottom: f64,
    within: Option<String>,
    /// The greatest share that was found with another rule.
    found: Option<f64>,
}

impl RankSwap {
    fn new(parameters: &Parameters) -> Result<Self> {
        let percent = number_within(parameters, "p", 0.0, 100.0)?;
        let correlation = number_within(parameters, "r0", 0.0, 1.0)?;
        let means = number_within(parameters, "k0", 0.0, 1.0)?;
        let span = match (percent, correlation, means) {
            (None, None, None) => Span::Percent(15.0),
            (Some(percent), None, None) => Span::Percent(percent),
            (None, Some(share), None) => Span::Correlation(share),
            (None, None, Some(share)) => Span::Means(share),
            _ => {
                return Err(parameters.placed(
                    "p",
                    Error::config("p, r0 and k0 say the same in different ways, so give one of them"),
                ));
            }
        };
        let tail = |name: &str| {
            let Some(percent) = super::super::decimal(parameters, name)? else { return Ok(5.0) };
            let percent = percent.float();
            let wrong =
                || parameters.placed(name, Error::config(format_args!("{name} must be from 0 to 50")));
            if (0.0..=50.0).contains(&percent) { Ok(percent) } else { Err(wrong()) }
        };
        let (top, bottom) = (tail("top_percent")?, tail("bottom_percent")?);
        let within = parameters.text("within")?.map(str::to_owned);
        let found = number_within(parameters, "p_found", 0.0, 100.0)?;
        Ok(Self { span, top, bottom, within, found })
    }

    /// How far apart in percent rows may be, for the sorted values of a group that are exchanged.
    fn percent(&self, values: &[f64]) -> f64 {
        let percent = match self.span {
            Span::Percent(percent) => return percent,
            Span::Correlation(_) | Span::Means(_) if values.len() < 2 => return 100.0,
            Span::Correlation(least) => {
                let count = values.len() as f64;
                let mean = values.iter().sum::<f64>() / count;
                let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
                100.0 * (2.0 * variance * (1.0 - least)).sqrt() / range(values)
            }
            Span::Means(most) => {
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                100.0 * (8.0_f64 / 3.0).sqrt() * most * mean.abs() / range(values)
            }
        };
        if percent.is_nan() { 100.0 } else { percent.min(100.0) }
    }

    /// The number that each row of a group shows; rows without a number keep what they have.
    fn swapped(
        &self,
        cells: &Cells<'_>,
        rows: &mut Vec<usize>,
        chance: &mut ChaCha20Rng,
        made: &mut [Option<Decimal>],
    ) -> Result<f64> {
        rows.retain(|row| cells.exact(*row).is_some());
        // Among equal values, chance decides.
        shuffle(rows, chance);
        rows.sort_by_key(|row| cells.exact(*row));
        let (low, high) = tails(rows.len(), self.bottom, self.top);
        for tail in [&rows[..low], &rows[rows.len() - high..]] {
            let mean = mean_of(cells, tail)?;
            tail.iter().for_each(|row| made[*row] = mean);
        }
        let middle = &rows[low..rows.len() - high];
        let values: Vec<f64> = middle.iter().filter_map(|row| cells.get(*row)).collect();
        let percent = self.percent(&values);
        let span = span(percent, middle.len());
        let mut unused = Weights::new(vec![1; middle.len()]);
        for rank in 0..middle.len() {
            if unused.of(rank) == 0 {
                continue;
            }
            unused.take(rank);
            let partner = unused.draw_within(rank + 1..(rank + span + 1).min(middle.len()), chance);
            let other = partner.unwrap_or(rank);
            if let Some(partner) = partner {
                unused.take(partner);
            }
            made[middle[rank]] = cells.exact(middle[other]);
            made[middle[other]] = cells.exact(middle[rank]);
        }
        Ok(percent)
    }
}

fn range(sorted: &[f64]) -> f64 {
    sorted.last().zip(sorted.first()).map_or(0.0, |(last, first)| last - first)
}

/// How far apart in rank two of so many rows may be.
fn span(percent: f64, rows: usize) -> usize {
    (percent * rows as f64 / 100.0).floor() as usize
}

/// How far apart in rank two of so many rows of a group may be, and how many of the least and of the greatest values show their mean.
pub(crate) fn span_and_tails(rows: usize, percent: f64, bottom: f64, top: f64) -> (u64, u64, u64) {
    let (low, high) = tails(rows, bottom, top);
    (span(percent, rows - low - high) as u64, low as u64, high as u64)
}

/// How many of the least and of the greatest values show their mean.
fn tails(rows: usize, bottom: f64, top: f64) -> (usize, usize) {
    let share = |percent: f64| match (percent * rows as f64 / 100.0).floor() as usize {
        _ if percent == 0.0 => 0,
        few => few.max(LEAST_IN_MEAN),
    };
    let low = share(bottom).min(rows);
    (low, share(top).min(rows - low))
}

/// The mean of some rows, in units of the column; halves go to the even unit.
fn mean_of(cells: &Cells<'_>, rows: &[usize]) -> Result<Option<Decimal>> {
    if rows.is_empty() {
        return Ok(None);
    }
    let too_long =
        || Error::data("the numbers have too many digits for a mean").in_column(&cells.column.name);
    let mut sum = 0_i128;
    for row in rows {
        let number = cells.exact(*row).and_then(|number| number.scaled(cells.places)).ok_or_else(too_long)?;
        sum = sum.checked_add(number).ok_or_else(too_long)?;
    }
    let count = rows.len() as i128;
    let (down, rest) = (sum.div_euclid(count), sum.rem_euclid(count));
    let up = 2 * rest > count || (2 * rest == count && down.rem_euclid(2) == 1);
    Ok(Some(Decimal::of(down + i128::from(up), -(cells.places as i32))))
}

impl Transform for RankSwap {
    fn also_reads(&self) -> Vec<&str> {
        self.within.as_deref().into_iter().collect()
    }

    fn facts(&self) -> Facts {
        Facts { needs_all_rows: true, takes: Takes::One, ..Facts::PERTURBED }
    }

    fn words(&self) -> String {
        let tails = match (self.bottom > 0.0, self.top > 0.0) {
            (true, true) => "; the least and the greatest values show their means",
            (true, false) => "; the least values show their mean",
            (false, true) => "; the greatest values show their mean",
            (false, false) => "",
        };
        format!(
            "perturbed: values were exchanged between rows with similar values, so they may not be those of the persons; the values as a whole are \
             true, and correlations with other columns are weaker{tails}"
        )
    }

    fn trace(&self) -> Trace<'_> {
        let percent = match (self.found, self.span) {
            (Some(percent), _) | (None, Span::Percent(percent)) => percent,
            (None, Span::Correlation(_) | Span::Means(_)) => 100.0,
        };
        Trace::Ranks { percent, bottom: self.bottom, top: self.top, within: self.within.as_deref() }
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let cells = Cells::of(given, given.column()?, None)?;
        let mut chance = Draws::of(None, given)?.generator()?;
        let mut groups = groups_of(given.also.first().copied(), cells.rows());
        let mut made: Vec<Option<Decimal>> = vec![None; cells.rows()];
        let mut percents = Vec::new();
        for rows in &mut groups {
            given.control.check()?;
            percents.push(self.swapped(&cells, rows, &mut chance, &mut made)?);
        }
        let mut result = Made::of(cells.with_exact(given.makes(), made.into_iter()));
        if !matches!(self.span, Span::Percent(_)) {
            // The verifier and the attacks count ranks, however the span was given.
            let most = percents.into_iter().fold(0.0, f64::max);
            result.settled = vec![("p_found", crate::config::Value::from(most.to_string().as_str()))];
            result.from_data = true;
        }
        Ok(result)
    }
}

/// The rows of each group of a column; all rows if there is none.
pub(super) fn groups_of(within: Option<&CodedColumn>, rows: usize) -> Vec<Vec<usize>> {
    let Some(within) = within else { return vec![(0..rows).collect()] };
    let mut groups = vec![Vec::new(); within.values.len()];
    within.codes.iter().enumerate().for_each(|(row, code)| groups[code as usize].push(row));
    groups.retain(|rows| !rows.is_empty());
    groups
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{made, parameters, rows, run};
    use super::*;

    fn no_tails(p: &str) -> Vec<(&str, &str)> {
        vec![("p", p), ("top_percent", "0"), ("bottom_percent", "0")]
    }

    /// The law of the method, for several spans: the same values, and no rank that moved too far.
    #[test]
    fn ranks_stay_near() {
        let values: Vec<String> = (0..1_000).map(|row| ((row * 379) % 1_000).to_string()).collect();
        let texts: Vec<&str> = values.iter().map(String::as_str).collect();
        for (p, span) in [("0.1", 1), ("1", 10), ("5", 50), ("50", 500), ("100", 1_000)] {
            let after = made(&ENTRY, &no_tails(p), &texts).expect("swaps");
            let number = |text: &str| text.parse::<i64>().expect("a number");
            let far =
                texts.iter().zip(&after).map(|(before, after)| (number(before) - number(after)).abs()).max();
            assert!(far <= Some(span), "{p}: {far:?}");
            let stays = texts.iter().zip(&after).filter(|(before, after)| before == after).count();
            assert!(stays <= 5, "{p}: {stays} stay");
            let mut sorted: Vec<i64> = after.iter().map(|text| number(text)).collect();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..1_000).collect::<Vec<i64>>(), "{p}");
        }
    }

    #[test]
    fn tails_show_their_mean() {
        let values: Vec<String> = (1..=100).map(|number| number.to_string()).collect();
        let texts: Vec<&str> = values.iter().map(String::as_str).collect();
        let after = made(&ENTRY, &[("p", "5"), ("top_percent", "5"), ("bottom_percent", "2")], &texts)
            .expect("swaps");
        assert_eq!(after[..3], ["2", "2", "2"], "never fewer than three");
        assert_eq!(after[95..], ["98"; 5]);
        assert_eq!(tails(4, 5.0, 5.0), (3, 1));
        assert_eq!(tails(0, 5.0, 5.0), (0, 0));
    }

    #[test]
    fn groups_and_missing_values() {
        let values = ["1", "NA", "3", "100", "NA", "300", "2", "200"];
        let groups = ["a", "a", "a", "b", "b", "b", "a", "b"];
        let given = no_tails("100");
        let given = given.into_iter().chain([("within", "c")]).collect::<Vec<_>>();
        let after = rows(&run(&ENTRY, &given, &[&values], &[&groups], false).expect("swaps"));
        for ((before, group), after) in values.iter().zip(groups).zip(&after) {
            assert_eq!(*before == "NA", after == "NA");
            assert!(after == "NA" || (after.len() == 1) == (group == "a"), "{after}");
        }
    }

    /// Rank swapping that keeps a correlation finds a span of its own (sdcMicro's r0 and k0).
    #[test]
    fn spans_from_correlations() {
        let values: Vec<f64> = (0..1_000).map(f64::from).collect();
        let percent = |name: &'static str, value: &'static str| {
            RankSwap::new(&parameters(&[(name, value)])).expect("a step").percent(&values)
        };
        // The variance of 0 to 999 is 83416.67.
        assert!((percent("r0", "0.95") - 100.0 * (0.1 * 83_416.67_f64).sqrt() / 999.0).abs() < 1e-6);
        assert!((percent("k0", "0.1") - 100.0 * 1.632_993 * 0.1 * 499.5 / 999.0).abs() < 1e-4);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message =
            |given: &[(&str, &str)]| RankSwap::new(&parameters(given)).err().expect("wrong").to_string();
        assert!(message(&[("p", "0")]).contains("above 0 and at most 100"));
        assert!(message(&[("p", "5"), ("r0", "0.9")]).contains("one of them"));
        assert!(message(&[("top_percent", "70")]).contains("from 0 to 50"));
    }
}
