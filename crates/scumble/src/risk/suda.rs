//! Evaluates minimal uniques: the combinations that single people out, the columns that contribute most, and a score for each row.
//!
//! The score of a row is the sum over its minimal uniques of `∏_{i=s}^{M} (A - i)`, where `s` is the number of columns of the
//! minimal unique, `A` that of all columns and `M` the largest that is searched, at most `A - 1` (Elliot and others 2005).
//! The score is high if few columns single somebody out, or many combinations do.

use std::collections::BTreeMap;

use scumble_files::Control;
use serde::{Deserialize, Serialize};

use super::RiskClasses;
use super::singling::{ColumnSet, search};
use crate::error::Result;

/// The most combinations of each size that are listed by name.
const LISTED: usize = 10;

/// The columns and combinations of columns that single people out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Singling {
    /// The most columns that were searched together.
    pub combination_size: u64,
    /// Rows that are unique on a combination of at most that many columns.
    pub rows: u64,
    /// The rows by the fewest columns that single them out.
    pub sizes: Vec<SinglingSize>,
    /// The combinations that single out most rows, at most ten of each size; smaller ones first.
    pub combinations: Vec<Combination>,
    /// The columns, those that contribute most first.
    pub columns: Vec<ColumnContribution>,
    /// The highest score of a row.
    pub highest_score: f64,
    /// The chance that a row that is unique in the table and matches a person is that person (data intrusion simulation);
    /// none if the size of the population is not known.
    pub dis: Option<f64>,
    /// The highest such chance of a single row, from its score.
    pub highest_dis: Option<f64>,
}

/// Rows that a given number of columns singles out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SinglingSize {
    /// The number of columns.
    pub columns: u64,
    /// Rows that need at least this many columns.
    pub rows: u64,
    /// Minimal uniques with this many columns.
    pub minimal: u64,
}

/// Some columns that together single people out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Combination {
    /// The columns.
    pub columns: Vec<String>,
    /// Rows that are unique on them.
    pub rows: u64,
    /// Rows among them that are unique on no part of them.
    pub minimal: u64,
}

/// The contribution of one column.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ColumnContribution {
    /// The column.
    pub column: String,
    /// The share of all scores that comes from minimal uniques with this column. The shares of all columns add up to more
    /// than 1, because a minimal unique of two columns counts for both.
    pub share: f64,
    /// Rows that have such a minimal unique.
    pub rows: u64,
}

/// The scores of classes of one row; 0 for all others.
#[derive(Debug, Clone, Default)]
pub struct Scores {
    /// The number of minimal uniques of each class.
    pub minimal: Vec<u32>,
    /// The score of each class.
    pub score: Vec<f64>,
    /// The chance that a match is right, from the score; empty if the size of the population is not known.
    pub dis: Vec<f64>,
}

/// Looks for minimal uniques of at most `size` columns. `fraction` is the share of the population that is in the table.
pub fn singling(
    classes: &RiskClasses,
    size: usize,
    fraction: Option<f64>,
    control: &Control,
) -> Result<(Singling, Scores)> {
    let all = classes.codes.len();
    let size = size.min(all);
    let found = search(classes, size, control)?;
    let weights: Vec<f64> = (0..=size).map(|of| weight(of, size, all)).collect();
    let mut scores = Scores {
        minimal: vec![0; classes.sizes.len()],
        score: vec![0.0; classes.sizes.len()],
        dis: Vec::new(),
    };
    let mut sizes: Vec<SinglingSize> =
        (0..=size).map(|columns| SinglingSize { columns: columns as u64, rows: 0, minimal: 0 }).collect();
    let mut columns: Vec<ColumnContribution> = classes
        .names
        .iter()
        .map(|name| ColumnContribution { column: name.clone(), share: 0.0, rows: 0 })
        .collect();
    let mut minimal_of: BTreeMap<ColumnSet, u64> = BTreeMap::new();
    // Where people are counted: the fewest columns that single each out, and all columns in one of their minimal uniques.
    let mut of_persons: BTreeMap<u32, (usize, ColumnSet)> = BTreeMap::new();
    for of_class in found.minimal.chunk_by(|a, b| a.0 == b.0) {
        let class = of_class[0].0 as usize;
        let mut touched: ColumnSet = 0;
        let mut fewest = usize::MAX;
        for (_, set) in of_class {
            let of = set.count_ones() as usize;
            sizes[of].minimal += 1;
            fewest = fewest.min(of);
            touched |= set;
            scores.score[class] += weights[of];
            scores.minimal[class] += 1;
            members(*set, all).for_each(|column| columns[column].share += weights[of]);
            *minimal_of.entry(*set).or_default() += 1;
        }
        match classes.person.get(class) {
            Some(person) => {
                let known = of_persons.entry(*person).or_insert((fewest, 0));
                *known = (known.0.min(fewest), known.1 | touched);
            }
            None => {
                sizes[fewest].rows += 1;
                members(touched, all).for_each(|column| columns[column].rows += 1);
            }
        }
    }
    for (fewest, touched) in of_persons.into_values() {
        sizes[fewest].rows += 1;
        members(touched, all).for_each(|column| columns[column].rows += 1);
    }
    // Scores are whole numbers, so these sums are the same in any order.
    let total: f64 = scores.score.iter().sum();
    columns.iter_mut().for_each(|column| column.share /= total.max(f64::MIN_POSITIVE));
    columns.sort_by(|a, b| b.share.total_cmp(&a.share));
    let dis = fraction.map(|fraction| intrusion(classes, fraction));
    if let Some(dis) = dis {
        scores.dis = dis_scores(&scores.score, dis, all);
    }
    let summary = Singling {
        combination_size: size as u64,
        rows: sizes.iter().map(|size| size.rows).sum(),
        sizes: sizes.split_off(1),
        combinations: combinations(classes, &found.unique_rows, &minimal_of),
        columns,
        highest_score: scores.score.iter().copied().fold(0.0, f64::max),
        dis,
        highest_dis: dis.map(|_| scores.dis.iter().copied().fold(0.0, f64::max)),
    };
    Ok((summary, scores))
}

/// `∏_{i=of}^{size} (all - i)`, where the last factor is never zero.
fn weight(of: usize, size: usize, all: usize) -> f64 {
    (of..=size.min(all.saturating_sub(1))).map(|i| (all - i) as f64).product()
}

fn members(set: ColumnSet, all: usize) -> impl Iterator<Item = usize> {
    (0..all).filter(move |column| set >> column & 1 == 1)
}

/// The combinations on which most rows are unique, by size and then by rows.
fn combinations(
    classes: &RiskClasses,
    unique_rows: &[(ColumnSet, u64)],
    minimal: &BTreeMap<ColumnSet, u64>,
) -> Vec<Combination> {
    let all = classes.names.len();
    let mut sets: Vec<(u32, std::cmp::Reverse<u64>, Vec<usize>, ColumnSet)> = unique_rows
        .iter()
        .map(|(set, rows)| (set.count_ones(), std::cmp::Reverse(*rows), members(*set, all).collect(), *set))
        .collect();
    sets.sort_unstable();
    sets.chunk_by(|a, b| a.0 == b.0)
        .flat_map(|of_size| of_size.iter().take(LISTED))
        .map(|(_, rows, columns, set)| Combination {
            columns: columns.iter().map(|column| classes.names[*column].clone()).collect(),
            rows: rows.0,
            minimal: minimal.get(set).copied().unwrap_or(0),
        })
        .collect()
}

/// Data intrusion simulation: `U π / (U π + P (1 - π))`, where `U` rows are unique and `P` rows have one twin (Skinner and
/// Elliot 2002).
fn intrusion(classes: &RiskClasses, fraction: f64) -> f64 {
    let rows_of = |size: u64| classes.sizes.iter().filter(|of| **of == size).count() as f64 * size as f64;
    let (unique, twins) = (rows_of(1), rows_of(2));
    if unique == 0.0 { 0.0 } else { unique * fraction / (unique * fraction + twins * (1.0 - fraction)) }
}

/// Spreads the file's chance over rows by their scores, as sdcMicro does: the odds of a row are proportional to a power of its
/// score, and if all scores are equal, every row gets the file's chance.
fn dis_scores(scores: &[f64], dis: f64, columns: usize) -> Vec<f64> {
    let power = (1.0 + (8.0 - columns as f64) / 20.0).max(0.0);
    let mut inverse: Vec<f64> = scores.iter().filter(|s| **s > 0.0).map(|s| s.powf(-power)).collect();
    // Summed in a fixed order.
    inverse.sort_by(f64::total_cmp);
    let (rows, sum) = (inverse.len() as f64, inverse.iter().sum::<f64>());
    let of = |score: &f64| {
        if *score > 0.0 && dis > 0.0 {
            1.0 / (1.0 + (rows / dis - rows) / (score.powf(power) * sum))
        } else {
            0.0
        }
    };
    scores.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::risk::classes::tests::table;

    fn people() -> RiskClasses {
        let rows: [&[&str]; 5] = [
            &["30", "f", "100"],
            &["40", "f", "101"],
            &["40", "m", "100"],
            &["50", "m", "102"],
            &["50", "m", "102"],
        ];
        let names = ["age", "sex", "postcode"].map(str::to_owned);
        RiskClasses::of_table(&table(&["age", "sex", "postcode"], &rows), &names).expect("classes")
    }

    #[test]
    fn scores_by_hand() {
        // Row 1: {age}; {sex, postcode} = (f, 100). Row 2: {postcode}; {age, sex} = (40, f).
        // Row 3: {age, sex} = (40, m), {age, postcode} = (40, 100), {sex, postcode} = (m, 100).
        // With three columns and M = 2, one column weighs (3-1)(3-2) = 2 and two weigh 3-2 = 1.
        let (found, scores) = singling(&people(), 3, None, &Control::default()).expect("nobody stops it");
        assert_eq!(scores.score, [3.0, 3.0, 3.0, 0.0]);
        assert_eq!(scores.minimal, [2, 2, 3, 0]);
        let sizes: Vec<_> = found.sizes.iter().map(|size| (size.columns, size.rows, size.minimal)).collect();
        assert_eq!(sizes, [(1, 2, 2), (2, 1, 5), (3, 0, 0)]);
        assert_eq!((found.rows, found.highest_score, found.dis), (3, 3.0, None));
        // Of 9 points: age 2 + 1 + 1 + 1, sex 1 + 1 + 1 + 1, postcode 1 + 2 + 1 + 1.
        let shares: Vec<_> =
            found.columns.iter().map(|c| (c.column.as_str(), c.share * 9.0, c.rows)).collect();
        assert_eq!(shares, [("age", 5.0, 3), ("postcode", 5.0, 3), ("sex", 4.0, 3)]);
    }

    #[test]
    fn combinations_are_ordered_by_how_many_they_single_out() {
        let (found, _) = singling(&people(), 2, None, &Control::default()).expect("nobody stops it");
        let listed: Vec<(String, u64, u64)> =
            found.combinations.iter().map(|c| (c.columns.join("+"), c.rows, c.minimal)).collect();
        let expected = [
            ("age", 1, 1),
            ("postcode", 1, 1),
            ("age+sex", 3, 2),
            ("age+postcode", 3, 1),
            ("sex+postcode", 3, 2),
        ]
        .map(|(name, rows, minimal)| (name.to_owned(), rows, minimal));
        assert_eq!(listed, expected);
    }

    #[test]
    fn intrusion_by_hand() {
        // Three uniques, two twins, a tenth of the population: 0.3 / (0.3 + 2 * 0.9) = 1/7.
        let (found, scores) =
            singling(&people(), 3, Some(0.1), &Control::default()).expect("nobody stops it");
        assert!((found.dis.expect("a chance") - 1.0 / 7.0).abs() < 1e-15);
        // All scores are equal, so every unique row has the file's chance.
        assert!(scores.dis[..3].iter().all(|dis| (dis - 1.0 / 7.0).abs() < 1e-12));
        assert_eq!(scores.dis[3], 0.0);
    }

    #[test]
    fn weights_of_minimal_uniques() {
        // Eight columns up to three: 7·6·5, 6·5, 5; all sizes of three columns: 2, 1, 1.
        assert_eq!([1, 2, 3].map(|of| weight(of, 3, 8)), [210.0, 30.0, 5.0]);
        assert_eq!([1, 2, 3].map(|of| weight(of, 3, 3)), [2.0, 1.0, 1.0]);
    }
}
