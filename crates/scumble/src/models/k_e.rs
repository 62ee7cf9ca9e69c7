//! (k,e)-anonymity (models.md 1.5): every group has at least k sensitive numbers that span at least e.

use serde_json::Value;

use super::values::{Counts, OfColumn, ValueTest, largest};
use super::{Demand, Model, ModelContext, Words, needs, protected_columns, several};
use crate::base::entry::{Entry, Standing};
use crate::base::text::number;
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result};
use crate::table::kind::Measure;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "k_e",
    title: "(k,e)-anonymity",
    paper: "Zhang, Koudas, Srivastava, Yu 2007",
    standing: Standing::Classic,
    about: "For a sensitive number: every group has at least k different values, and the largest and the smallest are at least e \
            apart, so that an amount is not known to within e. It does not look between the extremes: of 30, 30.1 and 80 two \
            are as good as equal.",
    parameters: &[
        ("k", "the least number of different values (or rows, see count) in a group"),
        ("e", "the least difference between the largest and the smallest value, in the column's own unit"),
        ("count", "distinct (default): k counts different values; rows: k counts rows"),
        ("columns", "the columns protected; all sensitive ones if absent"),
        several::MODE,
    ],
    build,
};

/// At least k values, or rows.
struct Count {
    k: u64,
    rows: bool,
}

/// What neither part protects against.
const LIMITS: &str = "Amounts that are close to each other: only the smallest and the largest count, and all others may be nearly the \
                      same.";

/// The values span at least e.
struct Range {
    e: Rational,
    /// The number of each value; missing values have none.
    numbers: Vec<Option<i128>>,
    measure: Measure,
    /// How the missing value is written, where there is one.
    missing: Option<String>,
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    several::in_mode(ENTRY.name, parameters, context, separate, &["e"])
}

fn separate(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let k = parameters.whole("k", 1)?.ok_or_else(|| needs(ENTRY.name, "k", 3))?;
    let e = parameters.rational("e", Rational::ZERO, None)?.ok_or_else(|| needs(ENTRY.name, "e", 1000))?;
    let rows = parameters.choice("count", &["distinct", "rows"])? == Some("rows");
    let mut models: Vec<Box<dyn Model>> = Vec::new();
    for (column, place) in protected_columns(ENTRY.name, context)? {
        let payload = &context.table.payloads().columns[place];
        let measure = payload.measure;
        if !measure.kind.has_unit() {
            let other = if measure.kind.is_number() {
                "numbers whose sizes differ too much for exact differences"
            } else {
                "other values"
            };
            return Err(Error::config(format!("model 'k_e' protects numbers, and '{column}' holds {other}"))
                .advise("use l_diversity or t_closeness for that column")
                .advise("name the columns that hold numbers in the model (columns = [..])"));
        }
        let numbers = payload.values.iter().map(|text| payload.number(text)).collect();
        let missing = (0..payload.values.len() as u32).find(|value| payload.is_missing(*value));
        let missing = missing.map(|value| payload.values.get(value).to_owned());
        models.push(Box::new(OfColumn::new(Count { k, rows }, column.clone(), place, context)));
        models.push(Box::new(OfColumn::new(Range { e, numbers, measure, missing }, column, place, context)));
    }
    Ok(models)
}

impl ValueTest for Count {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn demand(&self) -> Demand {
        Demand::Spread
    }
    fn title(&self, column: &str) -> String {
        if self.rows {
            format!("at least {} rows with a value of {column}", self.k)
        } else {
            format!("at least {} different values of {column}", self.k)
        }
    }
    fn unit(&self) -> &'static str {
        "k"
    }
    fn words(&self, column: &str) -> Words {
        let title = self.title(column);
        Words::new(format!("such that every group has {title}"))
            .meaning(format!("Among the rows that fit a person there are {title}."))
            .limits(LIMITS)
    }
    fn claim(&self) -> Vec<(&'static str, Value)> {
        vec![("k", self.k.into()), ("count", if self.rows { "rows" } else { "distinct" }.into())]
    }
    fn required(&self) -> f64 {
        self.k as f64
    }
    fn larger_is_better(&self) -> bool {
        true
    }
    fn upward(&self) -> bool {
        true
    }
    fn counts(&self) -> Counts {
        if self.rows { Counts::Persons } else { Counts::Rows }
    }
    fn passes(&self, size: u64, tally: &[(u32, u64)]) -> bool {
        self.attained(size, tally) >= self.k as f64
    }
    fn attained(&self, size: u64, tally: &[(u32, u64)]) -> f64 {
        if self.rows { size as f64 } else { tally.len() as f64 }
    }
    fn nearest(&self, attained: f64) -> String {
        largest("k", attained)
    }
}

impl Range {
    /// The difference of the extremes as an integer of the column's measure; 0 where there is no number.
    fn range(&self, tally: &[(u32, u64)]) -> u128 {
        let numbers = tally.iter().filter_map(|(value, _)| self.numbers[*value as usize]);
        match (numbers.clone().min(), numbers.max()) {
            (Some(least), Some(most)) => most.abs_diff(least),
            _ => 0,
        }
    }
}

impl ValueTest for Range {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn demand(&self) -> Demand {
        Demand::Spread
    }
    fn title(&self, column: &str) -> String {
        format!("values of {column} at least {} apart", self.e)
    }
    fn unit(&self) -> &'static str {
        "e"
    }
    fn words(&self, column: &str) -> Words {
        let meaning = format!(
            "Among the rows that fit a person, the largest and the smallest {column} are at least {} apart: the amount is not known to \
             within that.",
            number(self.e.to_f64())
        );
        Words::new(format!("such that every group has {}", self.title(column)))
            .meaning(meaning)
            .limits(LIMITS)
    }
    fn claim(&self) -> Vec<(&'static str, Value)> {
        let comma = self.measure.kind.has_comma();
        let mut claim = vec![("e", self.e.to_string().into()), ("comma", comma.into())];
        claim.extend(self.missing.iter().map(|marker| ("missing", vec![marker.clone()].into())));
        claim
    }
    fn required(&self) -> f64 {
        self.e.to_f64()
    }
    fn larger_is_better(&self) -> bool {
        true
    }
    fn upward(&self) -> bool {
        true
    }
    fn passes(&self, _: u64, tally: &[(u32, u64)]) -> bool {
        // range / 10^scale >= e; a product beyond 128 bits is certainly more than any e that can be written.
        let asked = u128::from(self.e.numerator()).checked_mul(10_u128.pow(self.measure.scale));
        let has = self.range(tally).checked_mul(u128::from(self.e.denominator()));
        match (has, asked) {
            (Some(has), Some(asked)) => has >= asked,
            (None, Some(_)) => true,
            // What is beyond 128 bits on both sides is not compared: a class passes only where it surely does.
            (_, None) => false,
        }
    }
    fn attained(&self, _: u64, tally: &[(u32, u64)]) -> f64 {
        self.range(tally) as f64 / 10_f64.powi(self.measure.scale as i32)
    }
    fn nearest(&self, attained: f64) -> String {
        largest("e", attained)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::kind::Kind;

    fn range(e: &str, numbers: &[i128], scale: u32) -> Range {
        let measure = Measure { kind: Kind::Decimal, scale };
        Range {
            e: e.parse().expect("a number"),
            numbers: numbers.iter().copied().map(Some).collect(),
            measure,
            missing: None,
        }
    }

    #[test]
    fn the_spread_is_in_the_columns_own_unit() {
        let tally = [(0, 1), (1, 1), (2, 1)];
        // 30, 30.1, 80 in tenths.
        let wide = range("50", &[300, 301, 800], 1);
        assert!(wide.passes(3, &tally));
        assert!((wide.attained(3, &tally) - 50.0).abs() < 1e-12);
        assert!(!range("50.01", &[300, 301, 800], 1).passes(3, &tally));
        // {30,31,32}: k = 3, e = 2 (models.md 1.5).
        let narrow = range("2", &[30, 31, 32], 0);
        assert!(narrow.passes(3, &tally) && !range("2.5", &[30, 31, 32], 0).passes(3, &tally));
    }

    #[test]
    fn a_missing_value_has_no_number_and_counts_as_a_value() {
        let lacking = Range { numbers: vec![Some(5), None], ..range("0", &[], 0) };
        assert_eq!(lacking.range(&[(0, 2), (1, 2)]), 0);
        assert!(Count { k: 2, rows: false }.passes(4, &[(0, 2), (1, 2)]));
        assert!(!Count { k: 5, rows: true }.passes(4, &[(0, 2), (1, 2)]));
    }
}
