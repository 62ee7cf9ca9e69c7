//! Survey weights: the number of people in the population that a class stands for, and the risk of its rows.
//!
//! A class of `f` rows whose weights sum to `F` is taken as drawn with probability `p = f / F` for each of its people. Given
//! the `f` rows, the class's size in the population is then negative binomial, and the risk of a row is the mean of one over
//! that size (Benedetti and Franconi 1998; Polettini 2003):
//!
//! `r = (p / f) · 2F1(1, 1; f + 1; 1 - p)`, in particular `p/q · ln(1/p)` for `f = 1` with `q = 1 - p`.

use scumble_files::table::{CodedColumn, CodedTable};
use serde::{Deserialize, Serialize};

use super::{RiskClasses, RiskFigures};
use crate::config::Rational;
use crate::error::{Error, Result};
use crate::table::pack::{Packer, group};

/// Risk estimated from survey weights.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WeightedRisk {
    /// The column of the weights.
    pub column: String,
    /// The people that all rows together stand for.
    pub people: f64,
    /// The people that the smallest class stands for, estimated.
    pub smallest_class: f64,
    /// The risk of the rows.
    pub risk: RiskFigures,
}

/// The risk of a row in a class of `rows` rows that stands for `people` people.
#[must_use]
pub fn individual_risk(rows: u64, people: f64) -> f64 {
    let f = rows as f64;
    let p = f / people;
    if rows == 0 || !p.is_finite() {
        return 0.0;
    }
    if p >= 1.0 {
        return 1.0 / f;
    }
    let q = 1.0 - p;
    if q <= 0.5 {
        // (p / f) sum_k k! q^k / ((f + 1) … (f + k)): each term is at most q times the one before.
        let (mut sum, mut term, mut k) = (1.0, 1.0, 0.0);
        while term > 1e-17 * sum {
            k += 1.0;
            term *= q * k / (f + k);
            sum += term;
        }
        return p / f * sum;
    }
    // r(1) = p/q ln(1/p) and r(f) = p/q (1/(f - 1) - r(f - 1)); p/q < 1, so errors die out.
    let ratio = p / q;
    (2..=rows).fold(-ratio * p.ln(), |before, of| ratio * (1.0 / (of - 1) as f64 - before))
}

/// The people that each class stands for: the sum of its rows' weights.
pub(super) fn people_of_classes(
    table: &CodedTable,
    name: &str,
    classes: &RiskClasses,
) -> Result<(Vec<f64>, f64)> {
    let column = table.column(name).ok_or_else(|| Error::internal("the weights were not read"))?;
    let weights = weights(column)?;
    // Equal weights of a class are added up together, in the order of their texts, so that the order of rows does not matter.
    let mut packer = Packer::new(table.rows);
    packer.push(classes.sizes.len() as u32, |row| classes.class_of_row[row]);
    packer.push(column.values.len() as u32, |row| column.codes.get(row));
    let groups = group(packer.finish());
    let mut rows = vec![0_u64; groups.representative.len()];
    groups.group_of_row.iter().for_each(|group| rows[*group as usize] += 1);
    let mut people = vec![0.0; classes.sizes.len()];
    for (representative, rows) in groups.representative.iter().zip(rows) {
        let row = *representative as usize;
        people[classes.class_of_row[row] as usize] += rows as f64 * weights[column.codes.get(row) as usize];
    }
    let mut of_weight = vec![0_u64; weights.len()];
    column.codes.iter().for_each(|code| of_weight[code as usize] += 1);
    let total = weights.iter().zip(of_weight).map(|(weight, rows)| weight * rows as f64).sum();
    Ok((people, total))
}

/// The weights as numbers.
fn weights(column: &CodedColumn) -> Result<Vec<f64>> {
    let number =
        |text: &str| text.trim().parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight > 0.0);
    let weights: Vec<Option<f64>> = column.values.iter().map(number).collect();
    if let Some(row) = column.codes.iter().position(|code| weights[code as usize].is_none()) {
        return Err(Error::data(
            "the weight is not a number above 0; a weight says how many people the row stands for, with a decimal point",
        )
        .in_row(row as u64 + 1)
        .in_column(&column.name));
    }
    Ok(weights.into_iter().map(|weight| weight.unwrap_or(1.0)).collect())
}

/// The figures, and the risk of each class.
pub(super) fn weighted(
    table: &CodedTable,
    name: &str,
    classes: &RiskClasses,
    threshold: Rational,
) -> Result<(WeightedRisk, Vec<f64>)> {
    let (people, total) = people_of_classes(table, name, classes)?;
    let risks: Vec<f64> =
        classes.sizes.iter().zip(&people).map(|(rows, people)| individual_risk(*rows, *people)).collect();
    let parts: Vec<(f64, u64)> = risks.iter().copied().zip(classes.sizes.iter().copied()).collect();
    let summary = WeightedRisk {
        column: name.to_owned(),
        people: total,
        smallest_class: people.iter().copied().fold(f64::INFINITY, f64::min),
        risk: RiskFigures::of_risks(&parts, threshold),
    };
    Ok((summary, risks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::risk::classes::tests::table;

    #[test]
    fn individual_risk_by_hand() {
        let near = |rows, people, expected: f64| {
            let found = individual_risk(rows, people);
            assert!((found - expected).abs() < 1e-12, "{rows} of {people}: {found}, not {expected}");
        };
        // p = 1/10: (1/9) ln 10.
        near(1, 10.0, 10_f64.ln() / 9.0);
        // p = 1/10, f = 2: p/q - (p/q)² ln 10.
        near(2, 20.0, 1.0 / 9.0 - 10_f64.ln() / 81.0);
        // p = 1/10, f = 3: p/(2q) - p²/q² + (p/q)³ ln 10.
        near(3, 30.0, 1.0 / 18.0 - 1.0 / 81.0 + 10_f64.ln() / 729.0);
        // p = 3/4: (3) ln(4/3), on the other branch.
        near(1, 4.0 / 3.0, 3.0 * (4_f64 / 3.0).ln());
        near(2, 8.0 / 3.0, 3.0 - 9.0 * (4_f64 / 3.0).ln());
        // Everybody is in the table, or the weights sum to less than the rows.
        near(4, 4.0, 0.25);
        near(4, 2.0, 0.25);
    }

    #[test]
    fn individual_risk_is_the_mean_of_one_over_the_negative_binomial() {
        for (rows, people) in [(1, 3.0), (2, 9.0), (5, 8.0), (7, 100.0), (40, 55.0)] {
            let p = rows as f64 / people;
            // P(F = f) = p^f, P(F = h + 1) / P(F = h) = h / (h + 1 - f) (1 - p)
            let (mut mean, mut mass, mut h) = (0.0, p.powf(rows as f64), rows as f64);
            for _ in 0..20_000 {
                mean += mass / h;
                mass *= h / (h + 1.0 - rows as f64) * (1.0 - p);
                h += 1.0;
            }
            assert!((individual_risk(rows, people) - mean).abs() < 1e-10, "{rows} of {people}");
        }
    }

    #[test]
    fn the_two_branches_meet() {
        for rows in [1, 2, 3, 10, 1000] {
            let at = |q: f64| individual_risk(rows, rows as f64 / (1.0 - q));
            assert!((at(0.5) - at(0.500_000_001)).abs() < 1e-8, "{rows}");
        }
    }

    #[test]
    fn weights_are_summed_by_class() {
        let table = table(&["sex", "w"], &[&["f", "2.5"], &["m", "4"], &["f", "10"], &["f", "2.5"]]);
        let classes = RiskClasses::of_table(&table, &["sex".to_owned()]).expect("classes");
        assert_eq!(people_of_classes(&table, "w", &classes).expect("sums"), (vec![15.0, 4.0], 19.0));
    }

    #[test]
    fn what_is_no_weight_is_told_without_its_text() {
        for wrong in ["heavy", "-1", "0", "inf", ""] {
            let table = table(&["sex", "w"], &[&["f", "2.5"], &["m", wrong]]);
            let classes = RiskClasses::of_table(&table, &["sex".to_owned()]).expect("classes");
            let message = people_of_classes(&table, "w", &classes).expect_err(wrong).to_string();
            assert!(
                message.starts_with("row 2, column 'w': the weight is not a number above 0"),
                "{message}"
            );
            assert!(!message.contains("heavy") && !message.contains("-1"));
        }
    }
}
