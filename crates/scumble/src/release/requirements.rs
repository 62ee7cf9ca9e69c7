//! The requirements of a plan: its models on a table, whether they protect what they must, and whether the search supports them.

use super::unknown_column;
use crate::config::{ModelSpec, Plan, Role, Value};
use crate::error::{Error, Result, Setting, Wanted, Wish};
use crate::models::on_set::OnSet;
use crate::models::outside::FromOutside;
use crate::models::valued::or_counted;
use crate::models::{Model, ModelContext, forbids_sameness};
use crate::problem::Problem;
use crate::registry::MODELS;
use crate::release::prepare::Prepared;
use crate::search::algorithms::Algorithm;
use crate::table::frequency::FrequencyTable;

/// Returns an error where people have several rows and an algorithm counts rows.
pub(super) fn refuse_persons(problem: &Problem, algorithm: &str) -> Result<()> {
    match problem.table.payloads().person() {
        None => Ok(()),
        Some(person) => Err(Error::refused(format!(
            "'{algorithm}' counts rows, and persons ('{}') have several",
            person.name
        ))
        .advise("keep one row for each person")
        .another(Wish::Classes)),
    }
}

/// Returns an error if classes are to be changed and the algorithm makes none; `publishes` says what it makes instead.
pub(super) fn refuse_switches(plan: &Plan, algorithm: &str, publishes: &str) -> Result<()> {
    match switch(plan) {
        None => Ok(()),
        Some(switch) => {
            let what = format!("polish and flatten change groups, and '{algorithm}' {publishes}");
            Err(without(Error::refused(what), switch))
        }
    }
}

/// Returns an error if survey weights are to be released and an algorithm makes no classes; `publishes` says what it makes instead.
pub(super) fn refuse_weights(plan: &Plan, algorithm: &str, publishes: &str) -> Result<()> {
    match plan.names_with(Role::Weight).next() {
        None => Ok(()),
        Some(name) => Err(Error::refused(format!(
            "'{name}' is a survey weight, which is released with groups of rows only, and '{algorithm}' {publishes}"
        ))
        .set(Setting::role("drop").of(&[name]), format!("leave '{name}' out"))
        .another(Wish::Classes)),
    }
}

/// Returns an error if households are to be renumbered and an algorithm makes no classes; `publishes` says what it makes instead.
pub(super) fn refuse_numbers(plan: &Plan, algorithm: &str, publishes: &str) -> Result<()> {
    match plan.renumbered() {
        None => Ok(()),
        Some(name) => Err(Error::refused(format!(
            "the households of '{name}' are to be renumbered, which is done for groups of rows only, and '{algorithm}' {publishes}"
        ))
        .unset(Setting::column("renumber").of(&[name]), "leave renumber out")
        .another(Wish::Classes)),
    }
}

/// The switch of the plan that changes classes after the search, if one is on.
fn switch(plan: &Plan) -> Option<&'static str> {
    let switches = [("polish", plan.algorithm.polish), ("flatten", plan.algorithm.flatten)];
    switches.into_iter().find(|(_, on)| *on).map(|(name, _)| name)
}

/// Adds the remedy of leaving out this switch.
pub(super) fn without(error: Error, switch: &'static str) -> Error {
    error.unset(Setting::search(switch), format!("leave {switch} out"))
}

/// Adds the remedies against rows without a value in a column that models are about.
pub(super) fn with_remedies_of_missing(error: Error, column: &str) -> Error {
    let policy = Setting::read("missing_policy").to("drop-row");
    or_counted(error.set(policy, "leave out rows that have no value"), &[column])
}

/// Returns an error if a model is about a column with missing values: an algorithm whose records or groups are not classes counts every
/// row of that column.
pub(super) fn refuse_missing(problem: &Problem, algorithm: &str) -> Result<()> {
    let payloads = problem.table.payloads();
    for name in problem.models.iter().flat_map(|model| model.protected()) {
        let column = payloads.position(name).map(|place| &payloads.columns[place]);
        if column.is_some_and(|column| column.absent().is_some()) {
            let what = format!(
                "'{algorithm}' counts every row for the diversity of '{name}', and some rows have no value there"
            );
            return Err(with_remedies_of_missing(Error::refused(what), name).another(Wish::Classes));
        }
    }
    Ok(())
}

/// Builds the models of a plan on a table.
pub(super) fn build_models(plan: &Plan, prepared: &Prepared) -> Result<Vec<Box<dyn Model>>> {
    let sensitive: Vec<String> = plan.names_with(Role::Sensitive).map(str::to_owned).collect();
    let trees = |name: &str| prepared.payload_trees.iter().find(|(of, _)| of == name).map(|(_, tree)| tree);
    let quasi: Vec<&str> = prepared.quasi.iter().map(|quasi| quasi.name.as_str()).collect();
    let mut models: Vec<Box<dyn Model>> = Vec::new();
    for spec in &plan.privacy {
        let entry = MODELS.find(&spec.model).map_err(|error| spec.parameters.placed("model", error))?;
        let known: Vec<&str> = entry.parameters.iter().map(|(name, _)| *name).collect();
        spec.parameters
            .allow_only(&known)
            .map_err(|error| error.reworded(|what| format!("model '{}': {what}", entry.name)))?;
        let context = ModelContext {
            table: &prepared.table,
            trees: &trees,
            columns: &spec.columns,
            sensitive: &sensitive,
        };
        let mut built = crate::models::build(entry, &spec.parameters, &context)?;
        if !MODELS.is_own(entry.name) {
            if built.iter().any(|model| model.class_test().is_none()) {
                return Err(Error::refused(format!(
                    "model '{}' was added by a program, and has no test of a group: only such models can be added",
                    entry.name
                )));
            }
            let outside = |model| Box::new(FromOutside::new(model, entry.name)) as Box<dyn Model>;
            built = built.into_iter().map(outside).collect();
        }
        match &spec.quasi {
            None => models.extend(built),
            Some(_) if built.iter().any(|model| model.class_test().is_none()) => {
                return Err(Error::refused(format!(
                    "model '{}' is about all quasi-identifiers together",
                    entry.name
                ))
                .advise("leave 'quasi' out of the model, so that it is about all quasi-identifiers"));
            }
            Some(set) => {
                let columns = places_of(plan.columns_of(set)?, &quasi)?;
                let on_set = |model| Box::new(OnSet::new(model, columns.clone(), &quasi)) as Box<dyn Model>;
                models.extend(built.into_iter().map(on_set));
            }
        }
    }
    check_all_judged(&models, &quasi)?;
    if !plan.accept_attribute_disclosure {
        check_protected(&models, &sensitive, &prepared.table)?;
    }
    Ok(models)
}

/// The warning that a release may give sensitive values away, which its owner has accepted.
pub const DISCLOSURE_ACCEPTED: &str =
    "attribute disclosure was accepted: sensitive columns may be given away by rows that look the same";

/// That warning, if a sensitive column is in fact not protected.
pub(super) fn disclosure_accepted(plan: &Plan, problem: &Problem) -> Option<String> {
    let sensitive: Vec<String> = plan.names_with(Role::Sensitive).map(str::to_owned).collect();
    let is_open = || check_protected(&problem.models, &sensitive, &problem.table).is_err();
    (plan.accept_attribute_disclosure && is_open()).then(|| DISCLOSURE_ACCEPTED.to_owned())
}

/// Returns an error if somebody who knows the quasi-identifiers of a model could infer a sensitive value from a class.
fn check_protected(models: &[Box<dyn Model>], sensitive: &[String], table: &FrequencyTable) -> Result<()> {
    let protecting: Vec<&dyn Model> =
        models.iter().map(|model| &**model).filter(|model| forbids_sameness(*model, table)).collect();
    let covers = |model: &dyn Model, known: Option<&[String]>| match (model.on(), known) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(set), Some(known)) => known.iter().all(|name| set.contains(name)),
    };
    for name in sensitive {
        let mut of_column =
            protecting.iter().filter(|model| model.protected().contains(&name.as_str())).peekable();
        if of_column.peek().is_none() {
            let asked = models.iter().find(|model| model.protected().contains(&name.as_str()));
            let why = match asked {
                None => "is protected by no model".to_owned(),
                Some(model) if model.joint().is_some() => {
                    format!("is not protected by itself: {} is about several columns together", model.title())
                }
                Some(model) => format!("is not protected: {} asks for nothing", model.title()),
            };
            return Err(Error::refused(format!(
                "the sensitive column '{name}' {why}: in a group where everyone has the same value it would be given away"
            ))
            .set(Wanted::model("l_diversity").with("l", 2), "add a model for the column, such as l-diversity")
            .weaken(Setting::root("accept_attribute_disclosure").to(true), "accept the disclosure"));
        }
        let of_column: Vec<_> = of_column.collect();
        let open = models
            .iter()
            .map(|model| model.on())
            .find(|known| !of_column.iter().any(|model| covers(**model, *known)));
        if let Some(known) = open {
            let known = known.map_or("all quasi-identifiers".to_owned(), |set| set.join(", "));
            return Err(Error::refused(format!(
                "the sensitive column '{name}' is not protected from someone who knows {known}: the models for it are about other \
                 columns"
            ))
            .advise("add a model for the column on that set too")
            .weaken(Setting::root("accept_attribute_disclosure").to(true), "accept the disclosure"));
        }
    }
    Ok(())
}

/// The places of columns among the quasi-identifiers.
fn places_of(columns: &[String], quasi: &[&str]) -> Result<Vec<usize>> {
    let place = |name: &String| quasi.iter().position(|of| of == name);
    columns.iter().map(|name| place(name).ok_or_else(|| unknown_column(name, quasi))).collect()
}

/// Returns an error if models are about sets of quasi-identifiers and one quasi-identifier is in none of them: it would be published
/// as it is.
fn check_all_judged(models: &[Box<dyn Model>], quasi: &[&str]) -> Result<()> {
    let judged = |name: &&&str| {
        models.iter().any(|model| model.on().is_none_or(|set| set.iter().any(|of| of == **name)))
    };
    match quasi.iter().find(|name| !judged(name)) {
        Some(name) if !models.is_empty() => Err(Error::config(format!(
            "the quasi-identifier '{name}' is in no set that a model is about, so nothing would be promised about it"
        ))
        .advise("add the column to a set")
        .weaken(Setting::role("other").of(&[name]), "give the column the role other, if outsiders do not have it")),
        _ => Ok(()),
    }
}

/// Returns an error if a metric is asked for that neither the algorithm nor polishing uses.
pub(super) fn check_metric(
    plan: &Plan,
    name: &str,
    algorithm: &dyn Algorithm,
    metric: &str,
    problem: &Problem,
) -> Result<()> {
    let asked = plan.algorithm.metric.is_some() && metric != algorithm.capabilities().default_metric;
    if !asked || plan.algorithm.polish || algorithm.minimises(problem) {
        return Ok(());
    }
    Err(Error::refused(format!("'{name}' does not look at {metric}, so it cannot be asked for it"))
        .unset(Setting::search("metric"), "leave the metric out, since every run reports all of them")
        .another_that(format!("use an algorithm that minimises {metric}")))
}

/// Returns an error if the search does not support a model: one that checks the whole table, that may break when classes are merged, or
/// that checks only some of the columns. The error names the algorithms that support it.
pub(super) fn check_served(
    problem: &Problem,
    plan: &Plan,
    name: &str,
    algorithm: &dyn Algorithm,
) -> Result<()> {
    for model in problem.models.iter().map(AsRef::as_ref) {
        // Models of a population, and models that a class size is enough for, are handled elsewhere.
        let elsewhere = model.population_test().is_some() || model.sufficient_size().is_some();
        let whole = model.class_test().is_none() && !elsewhere;
        let breaks = !model.monotonicity().merging;
        if let (true, Some(switch)) = (breaks, switch(plan)) {
            let what = format!(
                "'{}' may break when groups that keep it are merged, as {switch} does",
                model.title()
            );
            return Err(without(Error::refused(what), switch));
        }
        let serves = |algorithm: &dyn Algorithm| {
            (!whole || algorithm.capabilities().serves_whole_tables)
                && (!breaks || algorithm.capabilities().serves_unmergeable)
                && (problem.is_about_all(model) || algorithm.capabilities().serves_projections)
        };
        if serves(algorithm) {
            continue;
        }
        let why = if whole && !algorithm.capabilities().serves_whole_tables {
            format!("is checked on the whole table, and '{name}' checks group by group")
        } else if breaks && !algorithm.capabilities().serves_unmergeable {
            format!("may break when groups that keep it are merged, and '{name}' relies on merging")
        } else {
            format!(
                "is checked on some of the quasi-identifiers without the others, and '{name}' can only check all of them together"
            )
        };
        return Err(Error::refused(format!("'{}' {why}", model.title())).another(Wish::Serving));
    }
    Ok(())
}

/// Refuses models that a program has added where there are no classes for them to check.
pub(super) fn refuse_added(problem: &Problem, algorithm: &str) -> Result<()> {
    match problem.models.iter().find(|model| !MODELS.is_own(model.name())) {
        None => Ok(()),
        Some(model) => Err(Error::refused(format!(
            "model '{}' was added by a program and is checked in each group, and '{algorithm}' publishes no groups",
            model.name()
        ))
        .another(Wish::Classes)),
    }
}

/// Whether some model of sensitive values checks a column without regard to the others.
pub(crate) fn has_separate_models(plan: &Plan) -> bool {
    // A model of tuples does not protect each column in them, just like separate models.
    let open = |spec: &ModelSpec| {
        let entry = MODELS.get(&spec.model);
        let of_values = entry.is_some_and(|entry| entry.parameters.iter().any(|(name, _)| *name == "mode"));
        let mode = spec.parameters.get("mode").map(Value::to_text);
        of_values && mode.is_none_or(|mode| mode != "conditional")
    };
    plan.privacy.iter().any(open)
}
