//! Figures that follow from plain counts: distributions of bounded size, and risk from class sizes.

use super::data::{Amount, Distribution, RiskBand, RiskFigures, SizeCount, ValueCount};

/// Values of an unordered column that are listed by name; the rest are counted together.
const LISTED: usize = 40;

/// Bars of an ordered column; with more values, neighbours share a bar.
const BARS: usize = 100;

/// Bounds of the bands in which rows are counted by risk. They are reciprocals of whole class sizes
/// (1, 2, 3, 5, 10, 20, 50, 100), written so that `1 / size` compares exactly.
const RISK_BOUNDS: [f64; 9] = [1.0, 1.0 / 2.0, 1.0 / 3.0, 0.2, 0.1, 0.05, 0.02, 0.01, 0.0];

impl Distribution {
    /// A distribution of bounded size. Ordered values keep the given order and, if there are very many,
    /// neighbours are merged; of unordered values the most frequent are listed (ties by name).
    #[must_use]
    pub fn of(mut values: Vec<ValueCount>, ordered: bool) -> Self {
        if ordered {
            return Self { ordered, values: merge_neighbours(values, BARS), ..Self::default() };
        }
        values.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.value.cmp(&b.value)));
        let rest = values.split_off(values.len().min(LISTED));
        let other_rows = rest.iter().map(|v| v.rows).sum();
        Self { ordered, values, other_values: rest.len() as u64, other_rows }
    }

    /// All rows of the distribution.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.values.iter().map(|v| v.rows).sum::<u64>() + self.other_rows
    }
}

/// At most `limit` bars, each made of the same number of neighbouring values (the last may have fewer).
pub(super) fn merge_neighbours(values: Vec<ValueCount>, limit: usize) -> Vec<ValueCount> {
    if values.len() <= limit {
        return values;
    }
    values
        .chunks(values.len().div_ceil(limit))
        .map(|run| match run {
            [first, .., last] => ValueCount {
                value: format!("{} to {}", first.value, last.value),
                rows: run.iter().map(|v| v.rows).sum(),
            },
            _ => run[0].clone(),
        })
        .collect()
}

impl RiskFigures {
    /// Prosecutor risk of classes: a row in a class of `s` rows has risk `1 / s`.
    ///
    /// ```
    /// use scumble::report::data::{Amount, RiskFigures, SizeCount};
    ///
    /// // Two classes of five rows: the risk of every row is 1/5, and none is above 0.2.
    /// let risk = RiskFigures::of(&[SizeCount { size: 5, classes: 2 }], 0.2);
    /// assert_eq!(risk.highest, Amount::Finite(0.2));
    /// assert_eq!(risk.rows_above, 0);
    /// ```
    #[must_use]
    pub fn of(sizes: &[SizeCount], threshold: f64) -> Self {
        let occupied = || sizes.iter().filter(|s| s.size > 0 && s.classes > 0);
        let rows: u64 = occupied().map(|s| s.size * s.classes).sum();
        let classes: u64 = occupied().map(|s| s.classes).sum();
        let rows_where = |wanted: &dyn Fn(f64) -> bool| {
            occupied().filter(|s| wanted(1.0 / s.size as f64)).map(|s| s.size * s.classes).sum()
        };
        Self {
            rows,
            highest: occupied().map(|s| s.size).min().map(|size| 1.0 / size as f64).into(),
            // The mean of 1/s over rows: each class contributes s * (1/s) = 1.
            average: if rows == 0 { Amount::Undefined } else { (classes as f64 / rows as f64).into() },
            threshold,
            rows_above: rows_where(&|risk| risk > threshold),
            bands: RISK_BOUNDS
                .windows(2)
                .map(|pair| RiskBand {
                    above: pair[1],
                    up_to: pair[0],
                    rows: rows_where(&|risk| risk > pair[1] && risk <= pair[0]),
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: &str, rows: u64) -> ValueCount {
        ValueCount { value: value.to_owned(), rows }
    }

    #[test]
    fn risk_of_classes_by_hand() {
        // Sizes 1, 2, 2, 5: ten rows in four classes.
        let sizes = [(1, 1), (2, 2), (5, 1)].map(|(size, classes)| SizeCount { size, classes });
        let risk = RiskFigures::of(&sizes, 0.2);
        assert_eq!(risk.rows, 10);
        assert_eq!(risk.highest, Amount::Finite(1.0));
        assert_eq!(risk.average, Amount::Finite(0.4));
        // 1/5 is not above 0.2; the five rows in classes of one and two are.
        assert_eq!(risk.rows_above, 5);
        let rows: Vec<u64> = risk.bands.iter().map(|band| band.rows).collect();
        assert_eq!(rows, [1, 4, 0, 5, 0, 0, 0, 0]);
    }

    #[test]
    fn every_row_falls_into_one_band() {
        let sizes: Vec<SizeCount> = (1..300).map(|size| SizeCount { size, classes: 1 }).collect();
        let risk = RiskFigures::of(&sizes, 0.2);
        assert_eq!(risk.bands.iter().map(|band| band.rows).sum::<u64>(), risk.rows);
        assert_eq!(risk.rows, 299 * 300 / 2);
    }

    #[test]
    fn no_classes_have_no_risk() {
        let risk = RiskFigures::of(&[], 0.2);
        assert_eq!((risk.highest, risk.average, risk.rows), (Amount::Undefined, Amount::Undefined, 0));
    }

    #[test]
    fn rare_values_are_counted_together() {
        let values: Vec<ValueCount> = (0..50).map(|i| value(&format!("v{i:02}"), i + 1)).collect();
        let distribution = Distribution::of(values, false);
        assert_eq!(distribution.values[0], value("v49", 50));
        assert_eq!(distribution.values.len(), 40);
        // The ten rarest have 1 + 2 + … + 10 rows.
        assert_eq!((distribution.other_values, distribution.other_rows), (10, 55));
        assert_eq!(distribution.rows(), 50 * 51 / 2);
    }

    #[test]
    fn neighbours_share_a_bar_when_there_are_many() {
        let values: Vec<ValueCount> = (0..201).map(|i| value(&i.to_string(), 1)).collect();
        let distribution = Distribution::of(values, true);
        // 201 values in at most 100 bars: three a bar.
        assert_eq!(distribution.values.len(), 67);
        assert_eq!(distribution.values[0], value("0 to 2", 3));
        assert_eq!(distribution.rows(), 201);
    }
}
