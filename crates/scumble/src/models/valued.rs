//! A missing value is no value: a model on a column is checked among the rows that have one.
//!
//! A row without a value protects nobody. Such rows count neither among the values of a class nor in the denominator of a share, here
//! and in the original that shares are compared with. A class in which nobody has a value fails: nothing in it hides anything. The
//! plan can say that a missing value is one like any other (`missing_counts = true`).

use super::{ClassTest, Model};
use crate::error::{Error, Result, Setting};
use crate::recoding::published::ClassView;
use crate::table::frequency::{Cell, total};
use crate::table::payload::Payloads;

/// A model that is checked among the rows that have a value.
struct Valued {
    model: Box<dyn Model>,
    /// The columns it checks that have missing values: place and code of the missing one.
    absent: Vec<(usize, u32)>,
}

/// The model among rows that have a value; the model itself where none is missing.
pub(super) fn among_present(model: Box<dyn Model>, payloads: &Payloads) -> Box<dyn Model> {
    let judged = if model.protects().is_some() { model.protected() } else { model.reads() };
    let absent = |name: &str| {
        let place = payloads.position(name)?;
        Some((place, payloads.columns[place].absent()?))
    };
    let absent: Vec<(usize, u32)> = judged.into_iter().filter_map(absent).collect();
    if absent.is_empty() { model } else { Box::new(Valued { model, absent }) }
}

impl Valued {
    /// The rows of a class that have a value.
    fn present(&self, class: &ClassView<'_>) -> Vec<Cell> {
        let has = |cell: &&Cell| {
            self.absent.iter().all(|(place, code)| class.payloads.value(cell.payload, *place) != *code)
        };
        class.cells.iter().filter(has).copied().collect()
    }

    /// What a test finds among these rows; none where there are no such rows.
    fn judged<T>(
        &self,
        class: &ClassView<'_>,
        figure: impl Fn(&dyn ClassTest, &ClassView<'_>) -> T,
    ) -> Option<T> {
        let cells = self.present(class);
        let test = self.model.class_test().filter(|_| !cells.is_empty())?;
        Some(figure(test, &class.of_cells(total(&cells), &cells)))
    }
}

impl Model for Valued {
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
        claim,
        joint,
        reads,
        population_test,
        sufficient_size,
        projections,
        on,
        largest_share,
        monotonicity
    );
    fn class_test(&self) -> Option<&dyn ClassTest> {
        self.model.class_test().map(|_| self as &dyn ClassTest)
    }
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        let cells = self.present(whole);
        if cells.is_empty() {
            let columns = self.model.protected();
            let what =
                format!("{} cannot be met: no row has a value of {}", self.title(), columns.join(" and "));
            return Err(or_counted(Error::infeasible(what), &columns).concede("leave the model out"));
        }
        self.model.check_feasible(&whole.of_cells(total(&cells), &cells))
    }
}

/// The error with the advice to let what is missing in these columns count as a value.
pub(crate) fn or_counted(error: Error, columns: &[&str]) -> Error {
    let counts = Setting::column("missing_counts").of(columns).to(true);
    error.weaken(counts, "let a missing value count like any other")
}

impl ClassTest for Valued {
    fn passes(&self, class: &ClassView<'_>) -> bool {
        self.judged(class, |test, present| test.passes(present)).unwrap_or(false)
    }
    fn attained(&self, class: &ClassView<'_>) -> f64 {
        let nothing = if self.larger_is_better() { 0.0 } else { f64::INFINITY };
        self.judged(class, |test, present| test.attained(present)).unwrap_or(nothing)
    }
    fn needs_size(&self) -> u64 {
        self.model.class_test().map_or(0, |test| test.needs_size())
    }
    /// However a class is divided, its rows with a value are divided so; parts without any fail.
    fn failing_part(&self, class: &ClassView<'_>) -> u64 {
        self.judged(class, |test, present| test.failing_part(present)).unwrap_or(class.size)
    }
}
