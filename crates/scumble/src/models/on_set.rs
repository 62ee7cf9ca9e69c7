//! A model that is about some of the quasi-identifiers only (models.md 1.14).

use serde_json::{Map, Value};

use super::{ClassTest, Model, Monotonicity};
use crate::error::Result;
use crate::published::ClassView;

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
    fn name(&self) -> &'static str {
        self.model.name()
    }
    fn title(&self) -> String {
        self.model.title()
    }
    fn claim(&self) -> Map<String, Value> {
        let mut claim = self.model.claim();
        claim.insert("quasi".into(), self.names.clone().into());
        claim
    }
    fn required(&self) -> f64 {
        self.model.required()
    }
    fn larger_is_better(&self) -> bool {
        self.model.larger_is_better()
    }
    fn protects(&self) -> Option<&str> {
        self.model.protects()
    }
    fn joint(&self) -> Option<&[String]> {
        self.model.joint()
    }
    fn reads(&self) -> Vec<&str> {
        self.model.reads()
    }
    fn class_test(&self) -> Option<&dyn ClassTest> {
        self.model.class_test()
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
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        self.model.check_feasible(whole)
    }
}
