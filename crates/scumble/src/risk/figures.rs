//! The risk of rows in figures: the highest, the mean, the rows above a threshold, and the spread.

use serde::{Deserialize, Serialize};

use crate::base::amount::Amount;
use crate::config::Rational;

/// The bounds of the bands by which rows are counted. They are reciprocals of whole class sizes (1, 2, 3, 5, 10, 20, 50, 100), written so that
/// `1 / size` compares exactly.
const BOUNDS: [f64; 9] = [1.0, 1.0 / 2.0, 1.0 / 3.0, 0.2, 0.1, 0.05, 0.02, 0.01, 0.0];

/// The shares of rows, in percent, for which a quantile is given.
const QUANTILES: [u64; 7] = [10, 25, 50, 75, 90, 95, 99];

/// The risk of rows: for each row, the chance that an attacker picks the right row, or the right person.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RiskFigures {
    /// The rows that are counted.
    pub rows: u64,
    /// The risk of the row that is easiest to find.
    pub highest: Amount,
    /// The number of rows with that risk.
    pub rows_at_highest: u64,
    /// The mean risk over rows.
    pub average: Amount,
    /// The number of rows that an attacker who tries all of them finds on average: the sum of the risks.
    pub expected: Amount,
    /// The risk above which a row counts as exposed: 0.09 for a public release, unless the plan says otherwise.
    pub threshold: f64,
    /// Rows with a risk above the threshold, strictly.
    pub rows_above: u64,
    /// Rows by risk, from the highest risk to the lowest.
    pub bands: Vec<RiskBand>,
    /// The risk that given shares of the rows do not exceed, from the lowest risk to the highest.
    pub quantiles: Vec<RiskQuantile>,
}

/// Rows whose risk lies in a range.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RiskBand {
    /// The lower end of the range, exclusive.
    pub above: f64,
    /// The upper end of the range, inclusive.
    pub up_to: f64,
    /// Rows in the range.
    pub rows: u64,
}

/// A share of the rows and the risk that they do not exceed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RiskQuantile {
    /// The share of the rows.
    pub share: f64,
    /// The smallest risk of a row that at least this share of the rows does not exceed.
    pub risk: f64,
}

/// Rows with the same risk.
#[derive(Debug, Clone, Copy)]
struct Part {
    risk: f64,
    rows: u64,
    above: bool,
}

impl RiskFigures {
    /// Figures for risks of `1 / size`. `parts` has the size of each class (in the table, or in the population) and the number of rows in it.
    /// Whole numbers decide whether a row is above the threshold.
    ///
    /// ```
    /// use scumble::config::Rational;
    /// use scumble::report::data::Amount;
    /// use scumble::risk::RiskFigures;
    ///
    /// // Two classes of five rows: the risk of every row is 1/5, and none is above 0.2.
    /// let fifth = Rational::new(1, 5).expect("a fraction");
    /// let risk = RiskFigures::of_sizes(&[(5, 10)], fifth);
    /// assert_eq!(risk.highest, Amount::Finite(0.2));
    /// assert_eq!(risk.rows_above, 0);
    /// ```
    #[must_use]
    pub fn of_sizes(parts: &[(u64, u64)], threshold: Rational) -> Self {
        let occupied = parts.iter().filter(|(size, rows)| *size > 0 && *rows > 0);
        let parts = occupied.map(|(size, rows)| Part {
            risk: 1.0 / *size as f64,
            rows: *rows,
            // threshold < 1 / size
            above: threshold.cmp_ratio(1, *size).is_lt(),
        });
        Self::of_parts(parts.collect(), threshold)
    }

    /// Figures for estimated risks. `parts` has each risk and the number of rows that have it.
    #[must_use]
    pub fn of_risks(parts: &[(f64, u64)], threshold: Rational) -> Self {
        let limit = threshold.to_f64();
        let occupied = parts.iter().filter(|(_, rows)| *rows > 0);
        let parts = occupied.map(|(risk, rows)| Part { risk: *risk, rows: *rows, above: *risk > limit });
        Self::of_parts(parts.collect(), threshold)
    }

    fn of_parts(mut parts: Vec<Part>, threshold: Rational) -> Self {
        // Sorting makes sums and quantiles independent of the order of rows.
        parts.sort_by(|a, b| a.risk.total_cmp(&b.risk));
        let rows: u64 = parts.iter().map(|part| part.rows).sum();
        let highest = parts.last().map(|part| part.risk);
        let rows_where =
            |wanted: &dyn Fn(&Part) -> bool| parts.iter().filter(|part| wanted(part)).map(|p| p.rows).sum();
        let expected: f64 = parts.iter().map(|part| part.risk * part.rows as f64).sum();
        Self {
            rows,
            highest: highest.into(),
            rows_at_highest: rows_where(&|part| Some(part.risk) == highest),
            average: if rows == 0 { Amount::Undefined } else { (expected / rows as f64).into() },
            expected: expected.into(),
            threshold: threshold.to_f64(),
            rows_above: rows_where(&|part| part.above),
            bands: BOUNDS
                .windows(2)
                .map(|pair| RiskBand {
                    above: pair[1],
                    up_to: pair[0],
                    rows: rows_where(&|part| part.risk > pair[1] && part.risk <= pair[0]),
                })
                .collect(),
            quantiles: quantiles(&parts, rows),
        }
    }
}

/// The risk that each percentage of the rows does not exceed. `parts` ascend by risk.
fn quantiles(parts: &[Part], rows: u64) -> Vec<RiskQuantile> {
    let risk_of = |percent: u64| {
        let mut seen = 0;
        let enough = |part: &&Part| {
            seen += part.rows;
            u128::from(seen) * 100 >= u128::from(percent) * u128::from(rows)
        };
        parts.iter().find(enough).map(|part| RiskQuantile { share: percent as f64 / 100.0, risk: part.risk })
    };
    QUANTILES.into_iter().filter_map(risk_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fifth() -> Rational {
        Rational::new(1, 5).expect("a fraction")
    }

    /// `f = (1, 2, 2, 5)` of models.md 4.1, as sizes and rows.
    const SAMPLE: [(u64, u64); 4] = [(1, 1), (2, 2), (2, 2), (5, 5)];

    #[test]
    fn prosecutor_risk_by_hand() {
        let risk = RiskFigures::of_sizes(&SAMPLE, fifth());
        assert_eq!((risk.rows, risk.highest, risk.rows_at_highest), (10, Amount::Finite(1.0), 1));
        assert_eq!((risk.average, risk.expected), (Amount::Finite(0.4), Amount::Finite(4.0)));
        // 1/5 is not above 0.2; the five rows in classes of one and two are.
        assert_eq!(risk.rows_above, 5);
        let rows: Vec<u64> = risk.bands.iter().map(|band| band.rows).collect();
        assert_eq!(rows, [1, 4, 0, 5, 0, 0, 0, 0]);
        // Half of the rows have 0.2, nine of ten at most 0.5.
        let quantile = |share: f64| risk.quantiles.iter().find(|q| q.share == share).map(|q| q.risk);
        assert_eq!([0.1, 0.5, 0.75, 0.9, 0.95].map(quantile), [0.2, 0.2, 0.5, 0.5, 1.0].map(Some));
    }

    #[test]
    fn journalist_risk_by_hand() {
        // F = (4, 2, 10, 20): 1/4 + 2/2 + 2/10 + 5/20 = 1.7 of ten rows.
        let risk = RiskFigures::of_sizes(&[(4, 1), (2, 2), (10, 2), (20, 5)], fifth());
        assert_eq!((risk.highest, risk.rows_at_highest), (Amount::Finite(0.5), 2));
        assert!((risk.average.finite().expect("a mean") - 0.17).abs() < 1e-15);
        assert_eq!(risk.rows_above, 3);
    }

    #[test]
    fn every_row_falls_into_one_band() {
        let sizes: Vec<(u64, u64)> = (1..300).map(|size| (size, size)).collect();
        let risk = RiskFigures::of_sizes(&sizes, fifth());
        assert_eq!(risk.bands.iter().map(|band| band.rows).sum::<u64>(), risk.rows);
        assert_eq!(risk.rows, 299 * 300 / 2);
    }

    #[test]
    fn no_rows_have_no_risk() {
        let risk = RiskFigures::of_sizes(&[], fifth());
        assert_eq!((risk.highest, risk.average, risk.rows), (Amount::Undefined, Amount::Undefined, 0));
        assert!(risk.quantiles.is_empty());
    }

    #[test]
    fn the_order_of_classes_is_irrelevant() {
        let mut parts: Vec<(f64, u64)> = (1..50_u32).map(|n| (1.0 / f64::from(n) / 3.0, n.into())).collect();
        let there = RiskFigures::of_risks(&parts, fifth());
        parts.reverse();
        assert_eq!(there, RiskFigures::of_risks(&parts, fifth()));
    }
}
