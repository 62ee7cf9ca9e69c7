//! Grows a rule condition by condition, and prunes it.

use super::data::{Data, Prepared, RuleSearch};
use super::rule::{Condition, Rule};
use crate::learner::GoesOn;
use crate::ranks::Ranks;
use crate::table::{MISSING, Table};

/// Gains that differ by less are equal, and the first column wins.
const SMALL: f64 = 1e-6;

/// A possible condition, and what it covers.
struct Candidate {
    condition: Condition,
    gain: f64,
    /// The covered weight of the rule's class.
    positive: f64,
    /// (positive + 1) / (covered + 1).
    rate: f64,
}

/// Adds conditions to a rule until it is perfect on `data` or nothing is gained. `data` is what the rule covers.
pub(super) fn grow(
    rule: &mut Rule,
    table: &Table,
    search: &RuleSearch<'_>,
    mut data: Data,
    min_weight: f64,
    goes_on: &GoesOn<'_>,
) {
    let mut rate = (data.of_class(table, rule.class) + 1.0) / (data.weight() + 1.0);
    while !data.rows.is_empty() && rate < 1.0 - SMALL {
        let mut best: Option<Candidate> = None;
        for (column, prepared) in search.columns.iter().enumerate() {
            if !goes_on() {
                return;
            }
            let found = match prepared {
                Prepared::Nominal { .. } if rule.conditions.iter().any(|used| used.column() == column) => {
                    None
                }
                Prepared::Nominal { codes, values } => {
                    nominal(column, codes, *values, table, rule.class, &data, rate)
                }
                Prepared::Numeric(ranks) => numeric(column, ranks, table, rule.class, &data, rate),
            };
            if let Some(found) = found
                && found.gain > best.as_ref().map_or(0.0, |best| best.gain) + SMALL
            {
                best = Some(found);
            }
        }
        let Some(best) = best.filter(|best| best.positive >= min_weight - SMALL) else { return };
        data.rows.retain(|(row, _)| best.condition.holds(table.features(), *row as usize));
        rule.conditions.push(best.condition);
        rate = best.rate;
    }
}

/// FOIL's gain: the bits saved in stating that the covered rows of the class belong to it.
fn gain(positive: f64, covered: f64, rate: f64) -> f64 {
    positive * (((positive + 1.0) / (covered + 1.0)).log2() - rate.log2())
}

fn nominal(
    column: usize,
    codes: &[u32],
    values: usize,
    table: &Table,
    class: u32,
    data: &Data,
    rate: f64,
) -> Option<Candidate> {
    let mut counts = vec![[0.0; 2]; values];
    for &(row, weight) in &data.rows {
        let code = codes[row as usize];
        if code != MISSING {
            add(&mut counts[code as usize], table.class()[row as usize] == class, weight);
        }
    }
    let mut best: Option<Candidate> = None;
    for (code, &counts) in (0..).zip(&counts) {
        consider(&mut best, Condition::Is { column, code }, counts, rate);
    }
    best
}

fn numeric(
    column: usize,
    ranks: &Ranks,
    table: &Table,
    class: u32,
    data: &Data,
    rate: f64,
) -> Option<Candidate> {
    // The rank is in the high bits and the position in the low ones, so one integer sort puts the rows in the order of their
    // numbers.
    let mut order: Vec<u64> = Vec::with_capacity(data.rows.len());
    let mut above = [0.0; 2];
    for (place, &(row, weight)) in data.rows.iter().enumerate() {
        let rank = ranks.ranks[row as usize];
        if rank != MISSING {
            order.push(u64::from(rank) << 32 | place as u64);
            add(&mut above, table.class()[row as usize] == class, weight);
        }
    }
    order.sort_unstable();
    let mut below = [0.0; 2];
    let mut best: Option<Candidate> = None;
    for equal in order.chunk_by(|a, b| a >> 32 == b >> 32) {
        let mut here = [0.0; 2];
        for &key in equal {
            let (row, weight) = data.rows[key as u32 as usize];
            add(&mut here, table.class()[row as usize] == class, weight);
        }
        below = [below[0] + here[0], below[1] + here[1]];
        let at = ranks.values[(equal[0] >> 32) as usize];
        // At equal gain the upper side wins, as in JRip.
        consider(&mut best, Condition::AtLeast { column, at }, above, rate);
        consider(&mut best, Condition::AtMost { column, at }, below, rate);
        above = [above[0] - here[0], above[1] - here[1]];
    }
    best
}

/// Counts a row as covered, and as positive if it is of the class.
fn add(counts: &mut [f64; 2], of_class: bool, weight: u32) {
    counts[0] += f64::from(weight);
    if of_class {
        counts[1] += f64::from(weight);
    }
}

fn consider(best: &mut Option<Candidate>, condition: Condition, [covered, positive]: [f64; 2], rate: f64) {
    let gain = gain(positive, covered, rate);
    if gain > best.as_ref().map_or(0.0, |best| best.gain) + 1e-9 {
        let rate = (positive + 1.0) / (covered + 1.0);
        *best = Some(Candidate { condition, gain, positive, rate });
    }
}

/// How prefixes of a rule are compared on held-out rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Worth {
    /// The share of the class among what is covered.
    Precision,
    /// The share of rows that are rightly covered or rightly not covered.
    Accuracy,
}

/// Cuts a rule back to its best prefix, the first of several. If no prefix is better than no condition at all, no condition is
/// left.
pub(super) fn prune(rule: &mut Rule, table: &Table, data: &Data, worth: Worth) {
    let total = data.weight();
    if total == 0.0 || rule.conditions.is_empty() {
        return;
    }
    let mut best = (data.of_class(table, rule.class) + 1.0) / (total + 2.0);
    let mut keep = 0;
    let mut rows = data.rows.clone();
    let mut rightly_left = 0.0;
    for (place, condition) in rule.conditions.iter().enumerate() {
        let mut counts = [0.0; 2];
        rows.retain(|&(row, weight)| {
            let of_class = table.class()[row as usize] == rule.class;
            let holds = condition.holds(table.features(), row as usize);
            match holds {
                true => add(&mut counts, of_class, weight),
                false if !of_class => rightly_left += f64::from(weight),
                false => {}
            }
            holds
        });
        let [covered, positive] = counts;
        let value = match worth {
            Worth::Precision => (positive + 1.0) / (covered + 2.0),
            Worth::Accuracy => (positive + rightly_left) / total,
        };
        if value > best {
            best = value;
            keep = place + 1;
        }
    }
    rule.conditions.truncate(keep);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, Features};

    /// models.md 3.5: from 30 of 100 to 20 of 25.
    #[test]
    fn growth_gain() {
        assert!((gain(20.0, 25.0, 31.0 / 101.0) - 27.917_858).abs() < 5e-7);
    }

    /// On the held-out rows, a is right in 8 of 10, with b in 4 of 4, and with c nothing is left. (4+1)/(4+2) is the best
    /// precision.
    #[test]
    fn pruning_keeps_the_best_prefix() {
        let a = vec![1, 1, 1, 0];
        let b = vec![1, 0, 0, 0];
        let c = vec![0, 0, 0, 0];
        let columns =
            [("a", a), ("b", b), ("c", c)].map(|(name, codes)| Column::nominal(name, codes, 2)).to_vec();
        let features = Features::new(columns, 4).unwrap();
        let table = Table::weighted(features, vec![1, 1, 0, 0], 2, vec![4, 4, 2, 20]).unwrap();
        let conditions = (0..3).map(|column| Condition::Is { column, code: 1 }).collect();
        let mut rule = Rule { class: 1, conditions };
        let mut accurate = rule.clone();
        prune(&mut rule, &table, &Data::all(&table), Worth::Precision);
        assert_eq!(rule.conditions.len(), 2);
        // Accuracy: a alone is right for 8 + 20 of 30 rows, with b for 4 + 22.
        prune(&mut accurate, &table, &Data::all(&table), Worth::Accuracy);
        assert_eq!(accurate.conditions.len(), 1);
    }
}
