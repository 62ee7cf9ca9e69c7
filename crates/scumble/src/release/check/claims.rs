//! The claims of a plan's models about a table, and the columns that they read.

use std::cell::OnceCell;

use scumble_files::table::CodedTable;
use scumble_verify::ModelClaim;

use crate::config::{ModelSpec, Plan, Role, Value};
use crate::error::{Error, Result};
use crate::models::ModelContext;
use crate::release::claim::model_claim;
use crate::release::prepare::{prepare, value_table};
use crate::release::resources::Resources;

/// The columns that models read besides the quasi-identifiers, as their claims name them.
pub(super) fn columns_of(models: &[ModelClaim]) -> Vec<String> {
    let one = models.iter().filter_map(|model| model.parameters.get("column"));
    let several = models.iter().filter_map(|model| model.parameters.get("columns")?.as_array()).flatten();
    one.chain(several).filter_map(|name| Some(name.as_str()?.to_owned())).collect()
}

/// The claims that a model of the plan makes, one for each column that it protects.
pub(super) fn claims(
    spec: &ModelSpec,
    sensitive: &[String],
    person: Option<&str>,
    reference: &CodedTable,
    population: Option<&CodedTable>,
    plan: &Plan,
    resources: &Resources,
) -> Result<Vec<ModelClaim>> {
    let entry = crate::registry::MODELS.find(&spec.model)?;
    if !crate::registry::MODELS.is_own(entry.name) {
        return Err(Error::refused(format!(
            "model '{}' was added by a program, and tables are checked by independent code, which knows Scumble's own models only",
            entry.name
        ))
        .concede("leave the model out"));
    }
    let known: Vec<&str> = entry.parameters.iter().map(|(name, _)| *name).collect();
    spec.parameters
        .allow_only(&known)
        .map_err(|error| error.reworded(|what| format!("model '{}': {what}", entry.name)))?;
    // If households can no longer be told apart, rows are counted, and the check reports that.
    let mut parameters = spec.parameters.clone();
    if spec.counts_households() && person.is_none() {
        parameters.set("unit", Value::from("person"));
    }
    // The model makes its own claim, from nothing but its parameters, the values of its columns, and their trees.
    let mut columns: Vec<String> = spec.columns.iter().chain(sensitive).cloned().collect();
    columns.extend(person.map(str::to_owned));
    columns.extend(plan.counted_columns().into_iter().map(str::to_owned));
    columns.extend(plan.names_with(Role::Guarding).map(str::to_owned));
    columns.sort_unstable();
    columns.dedup();
    let mut table = value_table(reference, &columns, person, plan)?;
    if let Some(people) = population {
        table = table.with_population(value_table(people, &[], None, plan)?);
    }
    // Trees are built only for models that ask for one.
    let prepared = OnceCell::new();
    let trees = |name: &str| {
        let prepared = prepared.get_or_init(|| prepare(reference, &sensitive_only(plan), resources, false));
        let trees = &prepared.as_ref().ok()?.payload_trees;
        trees.iter().find(|(of, _)| of == name).map(|(_, tree)| tree)
    };
    let context = ModelContext { table: &table, trees: &trees, columns: &spec.columns, sensitive };
    let models = crate::models::build(entry, &parameters, &context);
    if let Some(Err(error)) = prepared.into_inner() {
        return Err(error);
    }
    Ok(models?.iter().map(|model| model_claim(model.claim())).collect())
}

/// A plan without its quasi-identifiers: for building the trees of sensitive columns alone.
fn sensitive_only(plan: &Plan) -> Plan {
    let columns =
        plan.columns.iter().filter(|(_, column)| column.role.has(Role::Sensitive)).cloned().collect();
    Plan { columns, ..plan.clone() }
}

/// Returns an error if a model needs a column that no release has.
pub(super) fn what_is_guarded_is_there(release: &CodedTable, plan: &Plan) -> Result<()> {
    let asked = |name: &&str| {
        let names_it = |spec: &ModelSpec| spec.parameters.text("guarding").is_ok_and(|of| of == Some(*name));
        plan.privacy.iter().any(names_it)
    };
    match plan.names_with(Role::Guarding).filter(asked).find(|name| release.column(name).is_none()) {
        None => Ok(()),
        Some(name) => Err(Error::config(format!(
            "the table has no column '{name}', which says what people guard and is in no release"
        ))
        .advise(format!("check a private copy that still has '{name}'"))
        .concede("leave the model out")),
    }
}

#[cfg(test)]
mod tests {
    use scumble_files::table::CodedColumn;

    use super::*;
    use crate::config::{Column, Roles};

    /// Guarding nodes are in no release. A model that asks for them can only be checked on a private copy, and nothing else is checked
    /// instead.
    #[test]
    fn a_model_of_guarding_nodes_needs_their_column() {
        let table = |names: &[&str]| CodedTable {
            columns: names
                .iter()
                .map(|name| CodedColumn::of_texts(name, ["a".to_owned()].into_iter()))
                .collect(),
            rows: 1,
        };
        let mut plan = Plan::new("in.csv", "out.csv");
        plan.columns.push(("ill".to_owned(), Column::new(Roles::one(Role::Sensitive))));
        plan.columns.push(("guards".to_owned(), Column::new(Roles::one(Role::Guarding))));
        let (public, private) = (table(&["ill"]), table(&["ill", "guards"]));
        assert!(what_is_guarded_is_there(&public, &plan).is_ok(), "no model asks for it");
        plan.privacy.push(ModelSpec::new("personalised").with("guarding", "guards"));
        assert!(what_is_guarded_is_there(&private, &plan).is_ok());
        let error = what_is_guarded_is_there(&public, &plan).expect_err("it is not there").to_string();
        assert!(error.contains("the table has no column 'guards'"), "{error}");
    }
}
