//! delta-disclosure privacy (Brickell & Shmatikov 2008): in every class every value is about as frequent as in the whole table.

use serde_json::Value;

use super::values::{OfColumn, ValueTest, original_rows, rounded};
use super::{Model, ModelContext, Words, needs, protected_columns, several};
use crate::base::entry::{Entry, Standing};
use crate::base::text::number;
use crate::config::{Parameters, Rational};
use crate::error::Result;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "delta_disclosure",
    title: "delta-disclosure privacy",
    paper: "Brickell, Shmatikov 2008",
    standing: Standing::Recommended,
    about: "For every group and every sensitive value, the share of the value in the group and in the whole original table \
            differ by less than a factor of e to the delta, in both directions. So every value of the table must occur in \
            every group: a demanding model, which mostly costs much detail.",
    parameters: &[
        (
            "delta",
            "the largest difference of the natural logarithms of the shares (strictly below it), above 0",
        ),
        ("columns", "the columns protected; all sensitive ones if absent"),
        several::MODE,
    ],
    build,
};

/// Shares are compared by logarithms, which are rounded; the verifier is less strict by this much.
const TOLERANCE: f64 = 1e-9;

struct Disclosure {
    delta: Rational,
    /// Rows per value in the original table.
    original: Vec<u64>,
    rows: u64,
    /// How many values occur in the original table.
    present: usize,
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    several::in_mode(ENTRY.name, parameters, context, separate, &[])
}

fn separate(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let delta = parameters.positive("delta", None)?.ok_or_else(|| needs(ENTRY.name, "delta", 1))?;
    let columns = protected_columns(ENTRY.name, context)?.into_iter().map(|(column, place)| {
        let original = original_rows(context, place);
        let rows = original.iter().sum();
        let present = original.iter().filter(|rows| **rows > 0).count();
        Box::new(OfColumn::new(Disclosure { delta, original, rows, present }, column, place, context))
            as Box<dyn Model>
    });
    Ok(columns.collect())
}

impl ValueTest for Disclosure {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self, column: &str) -> String {
        format!("{}-disclosure privacy of {column}", self.delta)
    }
    fn unit(&self) -> &'static str {
        "delta"
    }
    fn words(&self, column: &str) -> Words {
        let meaning = format!(
            "Whoever finds the rows that fit a person believes in each value of {column} about as much as before: more or less by a factor \
             below e to the power of {}.",
            number(self.required())
        );
        Words::new(format!("bounded by {}", self.title(column))).meaning(meaning).limits(
            "Finding the row itself (that is what k-anonymity is for), and what can be concluded from the whole table.",
        )
    }
    fn claim(&self) -> Vec<(&'static str, Value)> {
        vec![("delta", self.delta.to_string().into())]
    }
    fn required(&self) -> f64 {
        self.delta.to_f64()
    }
    fn larger_is_better(&self) -> bool {
        false
    }
    fn upward(&self) -> bool {
        false
    }
    fn passes(&self, size: u64, tally: &[(u32, u64)]) -> bool {
        // Exactly equal shares differ by nothing, whatever the rounding says.
        self.attained(size, tally) < self.delta.to_f64() - TOLERANCE
    }
    fn attained(&self, size: u64, tally: &[(u32, u64)]) -> f64 {
        if tally.len() < self.present {
            return f64::INFINITY;
        }
        let difference = |(value, count): &(u32, u64)| {
            let in_class = u128::from(*count) * u128::from(self.rows);
            let in_table = u128::from(self.original[*value as usize]) * u128::from(size);
            if in_class == in_table { 0.0 } else { (in_class as f64 / in_table as f64).ln().abs() }
        };
        tally.iter().map(difference).fold(0.0, f64::max)
    }
    fn nearest(&self, attained: f64) -> String {
        format!("ask for a delta above {}", rounded(attained, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_must_be_there_and_about_as_frequent() {
        let test = |delta: &str| Disclosure {
            delta: delta.parse().expect("a number"),
            original: vec![6, 3],
            rows: 9,
            present: 2,
        };
        assert!(!test("100").passes(4, &[(0, 4)]));
        // Shares 1/2 and 1/2 against 2/3 and 1/3: ln(3/4) and ln(3/2) = 0.405465.
        assert!((test("1").attained(4, &[(0, 2), (1, 2)]) - 1.5_f64.ln()).abs() < 1e-12);
        assert!(test("0.41").passes(4, &[(0, 2), (1, 2)]) && !test("0.4").passes(4, &[(0, 2), (1, 2)]));
        assert!(test("0.001").passes(3, &[(0, 2), (1, 1)]));
    }
}
