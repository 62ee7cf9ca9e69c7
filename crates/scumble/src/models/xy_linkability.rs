//! (X,Y)-linkability (models.md 1.6): no value of Y has more than a share of h in a group of X.

use serde_json::Value;

use super::values::{Counts, OfColumn, ValueTest, code_of, rounded, smallest};
use super::xy_anonymity::on_y;
use super::{Model, ModelContext, Words, needs, protected_columns};
use crate::base::entry::{Entry, Standing};
use crate::base::text::number;
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "xy_linkability",
    title: "(X,Y)-linkability",
    paper: "Wang, Fung 2006",
    standing: Standing::Recommended,
    about: "In every group of the quasi-identifiers X each protected value of Y has at most a share of h: nobody is linked to it \
            with more confidence. The share is one of rows and, where persons have several rows, also one of persons. Together with \
            (X,Y)-anonymity it is (X,Y)-privacy.",
    parameters: &[
        ("h", "the largest share, above 0 and at most 1"),
        ("y", "the columns Y; several of them are one value together"),
        ("values", "the values of Y that are protected, where Y is one column; all if absent"),
    ],
    build,
};

/// No protected value has more than its share.
struct Linked {
    h: Rational,
    /// Whether each value is protected.
    protected: Vec<bool>,
    /// The protected values as the verifier takes them; all if none is named.
    named: Vec<String>,
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let several = parameters.texts("y")?.is_some_and(|names| names.len() > 1);
    if several && parameters.get("values").is_some() {
        return Err(Error::config(
            "model 'xy_linkability': values are those of one column, and y names several",
        )
        .advise("leave values out of the model"));
    }
    on_y(ENTRY.name, parameters, context, separate)
}

fn separate(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let h = parameters.positive("h", Some(Rational::ONE))?.ok_or_else(|| needs(ENTRY.name, "h", 0.5))?;
    let values = parameters.texts("values")?.unwrap_or_default();
    let of_column = |(column, place): (String, usize)| {
        let texts = &context.table.payloads().columns[place].values;
        let mut protected = vec![values.is_empty(); texts.len()];
        for value in &values {
            protected[code_of(context, place, value, ENTRY.name)? as usize] = true;
        }
        // As the table writes them, whatever spelling was given.
        let codes = (0..).zip(&protected).filter(|(_, protected)| **protected && !values.is_empty());
        let named = codes.map(|(code, _)| texts.get(code).to_owned()).collect();
        let test = Linked { h, protected, named };
        Ok(Box::new(OfColumn::new(test, column, place, context)) as Box<dyn Model>)
    };
    protected_columns(ENTRY.name, context)?.into_iter().map(of_column).collect()
}

impl ValueTest for Linked {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self, column: &str) -> String {
        let which = if self.named.is_empty() { "no value" } else { "no protected value" };
        format!("(X,Y)-linkability: {which} of {column} above a share of {}", self.h)
    }
    fn unit(&self) -> &'static str {
        "h"
    }
    fn words(&self, column: &str) -> Words {
        let meaning = format!(
            "Whoever knows these columns about a person links them to no protected value of {column} with more confidence than {}.",
            number(self.required())
        );
        Words::new(self.title(column)).meaning(meaning).limits(
            "Values that are rare in the whole table: a share that is allowed may be many times what it was there.",
        )
    }
    fn claim(&self) -> Vec<(&'static str, Value)> {
        let values = (!self.named.is_empty()).then(|| ("values", self.named.clone().into()));
        [("h", self.h.to_string().into())].into_iter().chain(values).collect()
    }
    fn required(&self) -> f64 {
        self.h.to_f64()
    }
    fn larger_is_better(&self) -> bool {
        false
    }
    fn upward(&self) -> bool {
        false
    }
    fn counts(&self) -> Counts {
        Counts::Shares
    }
    fn passes(&self, size: u64, tally: &[(u32, u64)]) -> bool {
        let mut protected = tally.iter().filter(|(value, _)| self.protected[*value as usize]);
        protected.all(|(_, rows)| self.h.cmp_ratio(*rows, size).is_ge())
    }
    fn attained(&self, size: u64, tally: &[(u32, u64)]) -> f64 {
        let protected = tally.iter().filter(|(value, _)| self.protected[*value as usize]);
        protected.map(|(_, rows)| *rows as f64 / size as f64).fold(0.0, f64::max)
    }
    fn nearest(&self, attained: f64) -> String {
        smallest("h", rounded(attained, true))
    }
}
