//! k-anonymity (models.md 1.1): every class has at least k rows.

use serde_json::{Map, Value};

use super::{ClassTest, Model, ModelContext, Monotonicity};
use crate::config::Parameters;
use crate::error::{Error, Result};
use crate::published::ClassView;
use crate::registry::{Entry, Standing};

/// The registry entry.
pub const ENTRY: Entry<super::BuildModel> = Entry {
    name: "k_anonymity",
    title: "k-anonymity",
    paper: "Samarati 2001; Sweeney 2002",
    standing: Standing::Recommended,
    about: "Every combination of quasi-identifiers is shared by at least k rows, so someone who knows them all \
            has at best a 1 in k chance of picking the right row. Says nothing about what the k rows have in common.",
    parameters: &[("k", "the least number of rows in a class, at least 1")],
    build,
};

/// Every class has at least `k` rows.
struct KAnonymity {
    k: u64,
}

fn build(parameters: &Parameters, _: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let k =
        parameters.whole("k", 1)?.ok_or_else(|| Error::config("model 'k_anonymity' needs k, e.g. k = 5"))?;
    Ok(vec![Box::new(KAnonymity { k })])
}

/// The model, for others that ask for it too.
pub(crate) fn of(k: u64) -> Box<dyn Model> {
    Box::new(KAnonymity { k })
}

impl Model for KAnonymity {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self) -> String {
        format!("{}-anonymity", self.k)
    }
    fn claim(&self) -> Map<String, Value> {
        Map::from_iter([("model".into(), ENTRY.name.into()), ("k".into(), self.k.into())])
    }
    fn required(&self) -> f64 {
        self.k as f64
    }
    fn larger_is_better(&self) -> bool {
        true
    }
    fn class_test(&self) -> Option<&dyn ClassTest> {
        Some(self)
    }
    fn monotonicity(&self) -> Monotonicity {
        Monotonicity { merging: true, dropping: true, upward: true }
    }
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        if whole.size < self.k {
            return Err(Error::infeasible(format!(
                "k = {} is more than the {} rows of the table; the largest possible k is {}",
                self.k, whole.size, whole.size
            )));
        }
        Ok(())
    }
}

impl ClassTest for KAnonymity {
    fn passes(&self, class: &ClassView<'_>) -> bool {
        class.size >= self.k
    }
    fn attained(&self, class: &ClassView<'_>) -> f64 {
        class.size as f64
    }
    fn least_size(&self) -> Option<u64> {
        Some(self.k)
    }
}
