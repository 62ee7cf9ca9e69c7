//! The risk of households: an attacker who finds one member has found all.
//!
//! The risk of a household is the chance that at least one of its members is found, `1 - ∏ (1 - r)`. Every member has this risk
//! (hierarchical risk, as in sdcMicro).

use scumble_files::table::CodedTable;
use serde::{Deserialize, Serialize};

use super::RiskFigures;
use crate::config::Rational;
use crate::error::{Error, Result};

/// The risk of people who may be found through a member of their household.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HouseholdRisk {
    /// The column that tells households apart.
    pub column: String,
    /// The risk of a single row that it rests on: `prosecutor`, `journalist` or `weights`.
    pub based_on: String,
    /// The number of households.
    pub households: u64,
    /// Rows in the largest one.
    pub largest: u64,
    /// Rows without a household; each counts as a household of its own.
    pub without: u64,
    /// The risk of the households.
    pub of_households: RiskFigures,
    /// The risk of the rows: that of their household.
    pub of_rows: RiskFigures,
}

/// The chance that at least one of these members is found.
#[must_use]
pub fn household_risk(members: &mut [f64]) -> f64 {
    if let [alone] = members {
        return *alone;
    }
    // Sorted, so that the order of rows does not matter; in logarithms, so that small risks are not lost.
    members.sort_by(f64::total_cmp);
    -members.iter().map(|risk| (-risk).ln_1p()).sum::<f64>().exp_m1()
}

/// The figures, and the risk of each row. `missing` has the texts that mean no household; `risk` returns the risk of a row by itself.
pub(super) fn households(
    table: &CodedTable,
    name: &str,
    missing: &[String],
    risk: impl Fn(usize) -> f64,
    based_on: &str,
    threshold: Rational,
) -> Result<(HouseholdRisk, Vec<f64>)> {
    let column = table.column(name).ok_or_else(|| Error::internal("the households were not read"))?;
    let is_missing: Vec<bool> = column.values.iter().map(|text| missing.iter().any(|m| m == text)).collect();
    let mut rows: Vec<(u32, u32)> = column.codes.iter().zip(0..).collect();
    rows.sort_unstable();
    let mut risk_of_row = vec![0.0; table.rows];
    let (mut of_households, mut of_rows) = (Vec::new(), Vec::new());
    let (mut largest, mut without) = (0, 0);
    let mut add = |members: &[(u32, u32)]| {
        let mut risks: Vec<f64> = members.iter().map(|(_, row)| risk(*row as usize)).collect();
        let found = household_risk(&mut risks);
        of_households.push((found, 1));
        of_rows.push((found, members.len() as u64));
        largest = largest.max(members.len() as u64);
        members.iter().for_each(|(_, row)| risk_of_row[*row as usize] = found);
    };
    for members in rows.chunk_by(|a, b| a.0 == b.0) {
        if is_missing[members[0].0 as usize] {
            without += members.len() as u64;
            members.chunks(1).for_each(&mut add);
        } else {
            add(members);
        }
    }
    let summary = HouseholdRisk {
        column: name.to_owned(),
        based_on: based_on.to_owned(),
        households: of_households.len() as u64,
        largest,
        without,
        of_households: RiskFigures::of_risks(&of_households, threshold),
        of_rows: RiskFigures::of_risks(&of_rows, threshold),
    };
    Ok((summary, risk_of_row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::amount::Amount;
    use crate::risk::classes::tests::table;

    #[test]
    fn household_risk_by_hand() {
        assert!((household_risk(&mut [0.5, 0.2, 0.1]) - 0.64).abs() < 1e-15);
        assert_eq!(household_risk(&mut [1.0, 0.2]), 1.0);
        assert!((household_risk(&mut [1e-12, 1e-12]) - 2e-12).abs() < 1e-20);
    }

    #[test]
    fn members_share_the_risk_of_their_household() {
        let table = table(&["home"], &[&["a"], &["?"], &["a"], &["b"], &["?"]]);
        let risks = [0.5, 0.25, 0.5, 0.1, 0.25];
        let fifth = Rational::new(1, 5).expect("a fraction");
        let (found, of_row) =
            households(&table, "home", &["?".to_owned()], |row| risks[row], "prosecutor", fifth)
                .expect("figures");
        assert_eq!((found.households, found.largest, found.without), (4, 2, 2));
        assert_eq!(of_row, [0.75, 0.25, 0.75, 0.1, 0.25]);
        assert_eq!((found.of_rows.rows, found.of_rows.rows_above), (5, 4));
        assert_eq!((found.of_rows.highest, found.of_rows.rows_at_highest), (Amount::Finite(0.75), 2));
        assert_eq!(found.of_households.rows, 4);
    }
}
