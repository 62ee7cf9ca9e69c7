//! A model that a program has added: nothing that it says may pass for one of Scumble's own.

use super::{Model, Monotonicity};

/// An added model under the name by which it was added. It claims nothing towards the verifier, and a release keeps it if every class passes
/// its test: how it would check a release as a whole is not asked.
pub(crate) struct FromOutside {
    model: Box<dyn Model>,
    name: &'static str,
}

impl FromOutside {
    pub(crate) fn new(model: Box<dyn Model>, name: &'static str) -> Self {
        Self { model, name }
    }
}

impl Model for FromOutside {
    says_as_its_model!(
        title,
        required,
        unit,
        settings,
        words,
        larger_is_better,
        protects,
        joint,
        reads,
        class_test,
        projections,
        on,
        largest_share,
        check_feasible
    );
    fn name(&self) -> &'static str {
        self.name
    }
    fn monotonicity(&self) -> Monotonicity {
        self.model.monotonicity()
    }
}
