//! A model that is about some of the quasi-identifiers only (models.md 1.14).

use serde_json::{Map, Value};

use super::{Model, Monotonicity};

/// A model on a set of quasi-identifiers of its own.
pub(crate) struct OnSet {
    model: Box<dyn Model>,
    columns: Vec<usize>,
    names: Vec<String>,
    /// Whether classes of the set are classes of all quasi-identifiers.
    whole: bool,
}

impl OnSet {
    /// The model on the columns at these places of `quasi`, which are the names of all quasi-identifiers.
    pub(crate) fn new(model: Box<dyn Model>, mut columns: Vec<usize>, quasi: &[&str]) -> Self {
        columns.sort_unstable();
        let names = columns.iter().map(|column| quasi[*column].to_owned()).collect();
        Self { model, whole: columns.len() == quasi.len(), columns, names }
    }
}

impl Model for OnSet {
    says_as_its_model!(
        name,
        demand,
        required,
        unit,
        settings,
        words,
        larger_is_better,
        protects,
        title,
        joint,
        reads,
        class_test,
        largest_share,
        check_feasible
    );
    fn claim(&self) -> Map<String, Value> {
        let mut claim = self.model.claim();
        claim.insert("quasi".into(), self.names.clone().into());
        claim
    }
    fn projections(&self, _: &[usize]) -> Vec<Vec<usize>> {
        self.model.projections(&self.columns)
    }
    fn on(&self) -> Option<&[String]> {
        Some(&self.names)
    }
    fn monotonicity(&self) -> Monotonicity {
        // Dropping a class of all columns shrinks groups of fewer columns.
        let inner = self.model.monotonicity();
        Monotonicity { dropping: inner.dropping && self.whole, ..inner }
    }
}
