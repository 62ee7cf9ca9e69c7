//! What a publisher asks of every class, as far as it depends on one class and one sensitive column.

use scumble::config::{ModelSpec, Plan, Role};
use scumble::models::{ClassTest, Model, ModelContext};
use scumble::recoding::published::ClassView;
use scumble::registry::MODELS;
use scumble::release::prepare::prepare;
use scumble::table::frequency::{Cell, FrequencyTable};
use scumble::table::hierarchy::Hierarchy;
use scumble::table::payload::Payloads;
use scumble::{Error, Result};

use super::{Case, Secret};

/// The models of a plan that check a class by its size or by a sensitive column.
pub(super) struct Promise {
    models: Vec<Box<dyn Model>>,
    table: FrequencyTable,
    payload_of_value: Vec<u32>,
    /// The titles of the models that apply to the column.
    pub titles: Vec<String>,
    /// The largest share of a value that the models allow, if they set one.
    pub bound: Option<f64>,
    /// The models that this simulation cannot check.
    pub skipped: Vec<String>,
}

impl Promise {
    /// Collects what a plan asks for a sensitive column.
    pub(super) fn new(case: &Case<'_>, secret: &Secret) -> Result<Self> {
        let people = secret.of_person.len();
        let columns = vec![secret.column.clone()];
        let (payloads, payload_of_row) = Payloads::of_rows(columns, people, |_, row| secret.of_person[row]);
        let mut payload_of_value = vec![0; secret.column.values.len()];
        secret
            .of_person
            .iter()
            .zip(&payload_of_row)
            .for_each(|(value, of)| payload_of_value[*value as usize] = *of);
        let (table, _) = FrequencyTable::count(&[1], people, |_, _| 0, payloads, &payload_of_row, |_| 1);
        let trees = trees(case)?;
        let tree = |name: &str| trees.iter().find(|(of, _)| of == name).map(|(_, tree)| tree);
        let name = std::slice::from_ref(&secret.column.name);
        let is_about =
            |spec: &&ModelSpec| spec.columns.is_empty() || spec.columns.contains(&secret.column.name);
        let build = |spec: &ModelSpec| {
            let columns = if spec.columns.is_empty() { &[][..] } else { name };
            let context = ModelContext { table: &table, trees: &tree, columns, sensitive: name };
            // A model on other columns, or on several of them together, cannot be built from this column alone.
            built(spec, &context).map_err(|_| spec.model.clone())
        };
        let models: Vec<_> = case.plan.privacy.iter().filter(is_about).map(build).collect();
        let mut promise = Self {
            models: Vec::new(),
            table,
            payload_of_value,
            titles: Vec::new(),
            bound: None,
            skipped: Vec::new(),
        };
        for built in models {
            match built {
                Ok(models) => models.into_iter().for_each(|model| promise.add(model)),
                Err(name) => promise.skipped.push(name),
            }
        }
        Ok(promise)
    }

    fn add(&mut self, model: Box<dyn Model>) {
        if model.class_test().is_none() || model.projections(&[0, 1]) != [vec![0, 1]] {
            self.skipped.push(model.title());
            return;
        }
        if model.protects().is_some() {
            self.titles.push(model.title());
            self.bound = [self.bound, model.largest_share()].into_iter().flatten().reduce(f64::min);
        }
        self.models.push(model);
    }

    fn tests(&self) -> impl Iterator<Item = &dyn ClassTest> {
        self.models.iter().filter_map(|model| model.class_test())
    }

    /// Groups with fewer rows than this never keep the promise.
    pub(super) fn least_size(&self) -> u64 {
        self.tests().map(ClassTest::needs_size).max().unwrap_or(0)
    }

    /// Whether a group with these amounts of these values keeps the promise.
    pub(super) fn keeps(&self, values: &[u32], amounts: &[u64]) -> bool {
        let size = amounts.iter().sum();
        let present = values.iter().zip(amounts).filter(|(_, amount)| **amount > 0);
        let cell = |(value, amount): (&u32, &u64)| Cell {
            payload: self.payload_of_value[*value as usize],
            rows: *amount as u32,
        };
        let cells: Vec<Cell> = present.map(cell).collect();
        let class = ClassView { size, cells: &cells, payloads: self.table.payloads() };
        self.tests().all(|test| test.passes(&class))
    }
}

fn built(spec: &ModelSpec, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let entry = MODELS.find(&spec.model)?;
    let mode = spec.parameters.get("mode").map(|mode| mode.to_text());
    if spec.quasi.is_some() || mode.is_some_and(|mode| mode != "separate") {
        return Err(Error::config(
            "the model looks at several columns together, or at some of those that are known",
        ));
    }
    (entry.build)(&spec.parameters, context)
}

/// Returns the trees of the sensitive columns, if a model measures distances by them.
fn trees(case: &Case<'_>) -> Result<Vec<(String, Hierarchy)>> {
    let asks =
        |spec: &ModelSpec| spec.parameters.get("distance").is_some_and(|of| of.to_text() == "hierarchical");
    if !case.plan.privacy.iter().any(asks) {
        return Ok(Vec::new());
    }
    let sensitive = |(_, column): &&(String, scumble::config::Column)| column.role.has(Role::Sensitive);
    let columns = case.plan.columns.iter().filter(sensitive).cloned().collect();
    let plan = Plan { columns, ..case.plan.clone() };
    Ok(prepare(case.original, &plan, case.resources, false)?.payload_trees)
}
