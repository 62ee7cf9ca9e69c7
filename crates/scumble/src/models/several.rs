//! Several sensitive columns (models.md 1.14): a model on each of them, on one given the others, or on their tuples.

use serde_json::{Map, Value};

use super::{BuildModel, ClassTest, Model, ModelContext, Monotonicity, Words, places_of, protected_columns};
use crate::config::Parameters;
use crate::error::{Error, Result, Setting};
use crate::recoding::published::ClassView;
use crate::table::frequency::{Cell, FrequencyTable, total};
use crate::table::payload::Payloads;

/// The parameter, for the entries of models that have it.
pub(super) const MODE: (&str, &str) = (
    "mode",
    "with several sensitive columns: separate (default, each alone), conditional (each also among rows that agree on the \
     others), joint (the tuple of their values is one value)",
);

/// Builds a model in the mode that its parameters ask for. `separate` builds it for columns that are checked one by one;
/// parameters that name values of one column mean nothing for tuples, and are refused there.
pub(super) fn in_mode(
    model: &'static str,
    parameters: &Parameters,
    context: &ModelContext<'_>,
    separate: BuildModel,
    names_values: &[&str],
) -> Result<Vec<Box<dyn Model>>> {
    match parameters.choice("mode", &["separate", "conditional", "joint"])? {
        None | Some("separate") => separate(parameters, context),
        Some("conditional") => {
            let all = columns_of(model, "conditional", context)?;
            let models = separate(parameters, context)?;
            Ok(models.into_iter().map(|model| given_others(model, &all)).collect())
        }
        Some(_) => {
            if let Some(name) = names_values.iter().find(|name| parameters.get(name).is_some()) {
                return Err(Error::config(format!(
                    "model '{model}': '{name}' is about the values of one column, and mode = \"joint\" is about tuples of \
                     values"
                ))
                .advise(format!("leave mode or {name} out of the model")));
            }
            let columns = columns_of(model, "joint", context)?;
            joint(&columns, parameters, context, separate)
        }
    }
}

/// The columns that are checked together: those that the model names or, if it names none or what a column is given matters, all
/// sensitive ones; two at least.
fn columns_of(model: &str, mode: &str, context: &ModelContext<'_>) -> Result<Vec<(String, usize)>> {
    let mut all = protected_columns(model, context)?;
    if mode == "conditional" {
        let others: Vec<String> =
            context.sensitive.iter().filter(|name| all.iter().all(|(of, _)| of != *name)).cloned().collect();
        all.extend(places_of(model, &others, context.table.payloads())?);
    }
    if let Some(twice) = (1..all.len()).find(|place| all[..*place].contains(&all[*place])) {
        return Err(Error::config(format!("model '{model}': columns names '{}' twice", all[twice].0)));
    }
    match &all[..] {
        [(only, _)] => Err(Error::config(format!(
            "model '{model}': mode = \"{mode}\" is about several sensitive columns, and '{only}' is the only one"
        ))
        .advise("leave mode out of the model")
        .set(Setting::role("sensitive"), "name another sensitive column")),
        _ => Ok(all),
    }
}

/// A model on one column that must hold among the rows of a class that agree on all the other columns.
struct Given {
    model: Box<dyn Model>,
    others: Vec<(String, usize)>,
}

/// The model given all columns but its own; models that protect no column stay unchanged.
fn given_others(model: Box<dyn Model>, all: &[(String, usize)]) -> Box<dyn Model> {
    let Some(own) = model.protects().map(str::to_owned) else { return model };
    let others = all.iter().filter(|(name, _)| *name != own).cloned().collect();
    Box::new(Given { model, others })
}

impl Given {
    fn test(&self) -> Option<&dyn ClassTest> {
        self.model.class_test()
    }

    /// The rows of a class by the values of the other columns.
    fn parts(&self, class: &ClassView<'_>) -> Vec<Vec<Cell>> {
        let key = |cell: &Cell| -> Vec<u32> {
            self.others.iter().map(|(_, place)| class.payloads.value(cell.payload, *place)).collect()
        };
        let mut cells: Vec<(Vec<u32>, Cell)> = class.cells.iter().map(|cell| (key(cell), *cell)).collect();
        // Stable, so that the cells of a part still ascend by payload.
        cells.sort_by(|a, b| a.0.cmp(&b.0));
        cells.chunk_by(|a, b| a.0 == b.0).map(|part| part.iter().map(|(_, cell)| *cell).collect()).collect()
    }

    /// What `figure` gives for each part of a class.
    fn of_parts<T>(
        &self,
        class: &ClassView<'_>,
        figure: impl Fn(&dyn ClassTest, &ClassView<'_>) -> T,
    ) -> Vec<T> {
        let Some(test) = self.test() else { return Vec::new() };
        let view = |cells: Vec<Cell>| figure(test, &class.of_cells(total(&cells), &cells));
        self.parts(class).into_iter().map(view).collect()
    }
}

impl Model for Given {
    says_as_its_model!(
        name,
        demand,
        required,
        unit,
        settings,
        larger_is_better,
        protects,
        projections,
        largest_share
    );
    fn words(&self) -> Words {
        let names: Vec<&str> = self.others.iter().map(|(name, _)| name.as_str()).collect();
        let words = self.model.words();
        Words { claim: format!("{} given {}", words.claim, names.join(", ")), ..words }
    }
    fn title(&self) -> String {
        let names: Vec<&str> = self.others.iter().map(|(name, _)| name.as_str()).collect();
        format!("{} given {}", self.model.title(), names.join(", "))
    }
    fn claim(&self) -> Map<String, Value> {
        let mut claim = self.model.claim();
        claim.insert("given".into(), self.others.iter().map(|(name, _)| name.clone()).collect());
        claim
    }
    fn reads(&self) -> Vec<&str> {
        let others = self.others.iter().map(|(name, _)| name.as_str());
        self.model.reads().into_iter().chain(others).collect()
    }
    fn class_test(&self) -> Option<&dyn ClassTest> {
        self.test().map(|_| self as &dyn ClassTest)
    }
    fn monotonicity(&self) -> Monotonicity {
        // A part of a merged class is a part of one of both, or two of them merged. A class that fails may bring a part that
        // the other does not have.
        Monotonicity { upward: false, ..self.model.monotonicity() }
    }
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        let feasible = if self.monotonicity().merging {
            self.passes(whole)
        } else {
            // The whole may fail what its classes keep; the model itself knows what it can conclude.
            let parts = self.parts(whole).into_iter();
            let of_part =
                |cells: Vec<Cell>| self.model.check_feasible(&whole.of_cells(total(&cells), &cells));
            parts.map(of_part).all(|outcome| outcome.is_ok())
        };
        if feasible {
            return Ok(());
        }
        Err(cannot_be_met(self, self.attained(whole)))
    }
}

impl ClassTest for Given {
    fn passes(&self, class: &ClassView<'_>) -> bool {
        self.of_parts(class, |test, part| test.passes(part)).into_iter().all(|passes| passes)
    }
    fn attained(&self, class: &ClassView<'_>) -> f64 {
        let figures = self.of_parts(class, |test, part| test.attained(part)).into_iter();
        if self.larger_is_better() {
            figures.fold(f64::INFINITY, f64::min)
        } else {
            figures.fold(f64::NEG_INFINITY, f64::max)
        }
    }
    /// However a class is divided, each of its parts is divided by itself, and rows of different parts are different rows.
    fn failing_part(&self, class: &ClassView<'_>) -> u64 {
        let upward = self.model.monotonicity().upward;
        let failing = self.of_parts(class, |test, part| match (test.passes(part), upward) {
            (true, _) => 0,
            (false, true) => part.size,
            (false, false) => test.failing_part(part),
        });
        failing.into_iter().sum()
    }
}

/// A model on the tuples of several columns.
struct Joint {
    model: Box<dyn Model>,
    /// The payloads with the tuples as a further column.
    payloads: Payloads,
    columns: Vec<String>,
}

/// Builds a model on the tuples of these columns.
pub(super) fn joint(
    columns: &[(String, usize)],
    parameters: &Parameters,
    context: &ModelContext<'_>,
    separate: BuildModel,
) -> Result<Vec<Box<dyn Model>>> {
    let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    let places: Vec<usize> = columns.iter().map(|(_, place)| *place).collect();
    let payloads = context.table.payloads().with_joint(&names.join(" and "), &places);
    // Models are made from the rows of each payload, so a table without quasi-identifiers will do.
    let mut totals = context.table.payload_totals();
    // A tuple that lacks a value is no value.
    let place = payloads.columns.len() - 1;
    let absent = payloads.columns[place].absent();
    totals.retain(|cell| Some(payloads.value(cell.payload, place)) != absent);
    let of_row: Vec<u32> = totals.iter().map(|cell| cell.payload).collect();
    let rows = |row: usize| totals[row].rows;
    let (table, _) = FrequencyTable::count(&[], totals.len(), |_, _| 0, payloads.clone(), &of_row, rows);
    let own = [names.join(" and ")];
    let trees = |name: &str| (context.trees)(name);
    let of_tuples =
        ModelContext { table: &table, trees: &trees, columns: &own, sensitive: context.sensitive };
    let models = separate(parameters, &of_tuples)?;
    let wrap = |model: Box<dyn Model>| match model.protects() {
        None => model,
        Some(_) => {
            Box::new(Joint { model, payloads: payloads.clone(), columns: names.clone() }) as Box<dyn Model>
        }
    };
    Ok(models.into_iter().map(wrap).collect())
}

impl Joint {
    fn view<'a>(&'a self, class: &ClassView<'a>) -> ClassView<'a> {
        ClassView { payloads: &self.payloads, ..*class }
    }
}

impl Model for Joint {
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
        projections,
        largest_share,
        monotonicity
    );
    fn claim(&self) -> Map<String, Value> {
        let mut claim = self.model.claim();
        claim.shift_remove("column");
        claim.insert("columns".into(), self.columns.clone().into());
        claim
    }
    fn joint(&self) -> Option<&[String]> {
        Some(&self.columns)
    }
    fn class_test(&self) -> Option<&dyn ClassTest> {
        self.model.class_test().map(|_| self as &dyn ClassTest)
    }
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        self.model.check_feasible(&self.view(whole))
    }
}

impl ClassTest for Joint {
    fn passes(&self, class: &ClassView<'_>) -> bool {
        self.model.class_test().is_some_and(|test| test.passes(&self.view(class)))
    }
    fn attained(&self, class: &ClassView<'_>) -> f64 {
        self.model.class_test().map_or(f64::NAN, |test| test.attained(&self.view(class)))
    }
    fn failing_part(&self, class: &ClassView<'_>) -> u64 {
        self.model.class_test().map_or(0, |test| test.failing_part(&self.view(class)))
    }
}

/// The error of a model that not even the whole table as one class meets.
pub(super) fn not_even_the_whole(model: &dyn Model) -> Error {
    Error::infeasible(format!(
        "{} cannot be met: not even the whole table as one group has it",
        model.title()
    ))
}

/// That error of a model that is about several columns, with the nearest figure that it does meet.
fn cannot_be_met(model: &dyn Model, attained: f64) -> Error {
    let end = if model.larger_is_better() { "largest" } else { "smallest" };
    let nearest = super::values::rounded(attained, !model.larger_is_better());
    let remedy = if nearest.is_finite() {
        format!("ask for {nearest}, the {end} possible, instead of {}", model.required())
    } else {
        "leave mode = \"conditional\" out, since no figure is possible".to_owned()
    };
    not_even_the_whole(model).advise(remedy)
}
