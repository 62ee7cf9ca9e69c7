//! p-sensitivity with categories of values: how many categories a class has, and what its values weigh.

use hashbrown::HashMap;
use scumble_files::table::CodedColumn;
use serde_json::Value;

use super::super::Judgement;
use super::super::original::fault;
use super::super::requirement::{Parameters, texts};
use super::Judge;
use crate::error::VerifyError;
use crate::exact::Rational;

/// The values of a column by category, the most sensitive category first.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Categories(Vec<Vec<String>>);

impl Categories {
    pub(super) fn read(parameters: &mut Parameters<'_>) -> Result<Self, VerifyError> {
        let wish = "it must be a list of lists of values, each value in one list";
        let lists = parameters
            .optional("categories", wish, lists)?
            .ok_or_else(|| parameters.error("categories", "it is missing"))?;
        // Several spellings of one value may be in one list.
        let mut values: Vec<(&String, usize)> = (0..)
            .zip(&lists)
            .flat_map(|(place, list)| list.iter().map(move |value| (value, place)))
            .collect();
        values.sort_unstable();
        let in_two = |pair: &[(&String, usize)]| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1;
        if lists.is_empty() || values.windows(2).any(in_two) {
            return Err(parameters.error("categories", wish));
        }
        Ok(Self(lists))
    }

    /// Returns the category of each code of the release, counted from 0. Fails if a value has no category.
    pub(super) fn of_codes(&self, column: &CodedColumn) -> Result<Vec<u64>, VerifyError> {
        let mut category: HashMap<&str, u64, foldhash::fast::FixedState> = HashMap::default();
        for (number, values) in (0..).zip(&self.0) {
            category.extend(values.iter().map(|value| (value.as_str(), number)));
        }
        let found: Option<Vec<u64>> = column.values.iter().map(|text| category.get(text).copied()).collect();
        found.ok_or_else(|| {
            fault("categories", column, "they do not list every value of the column; add the missing ones")
        })
    }
}

/// Together the values of a class must weigh at least `alpha`. A value in category i of m weighs (i − 1)/(m − 1), or 1 if there
/// is only one category.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Weight {
    pub(in super::super) alpha: Rational,
    categories: Categories,
    /// Whether each row weighs; otherwise each different value weighs once.
    over_rows: bool,
}

impl Weight {
    pub(super) fn read(parameters: &mut Parameters<'_>) -> Result<Self, VerifyError> {
        Ok(Self {
            alpha: parameters.number("alpha")?,
            categories: Categories::read(parameters)?,
            over_rows: parameters.choice("weight_over", &["distinct", "rows"])? == "rows",
        })
    }

    pub(super) fn prepare(&self, column: &CodedColumn) -> Result<Judge<'_>, VerifyError> {
        let category = self.categories.of_codes(column)?;
        // Weights are in fractions of a whole, so that they are integers.
        let steps = self.categories.0.len() as u64 - 1;
        let (whole, lone) = if steps == 0 { (1, 1) } else { (steps, 0) };
        Ok(Box::new(move |_, histogram| {
            let weigh = |&(code, rows): &(u32, u64)| {
                u128::from(category[code as usize] + lone) * if self.over_rows { u128::from(rows) } else { 1 }
            };
            let weight: u128 = histogram.iter().map(weigh).sum();
            Judgement {
                holds: self.alpha.compare(weight, whole.into()).is_le(),
                attained: weight as f64 / whole as f64,
            }
        }))
    }
}

fn lists(value: &Value) -> Option<Vec<Vec<String>>> {
    value.as_array()?.iter().map(texts).collect()
}
