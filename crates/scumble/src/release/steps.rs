//! The steps of a plan, carried out on a table that was read and checked by the verifier, before anything else looks at the table.

mod people;
pub(crate) mod perturbed;
mod secrets;

use std::collections::BTreeSet;

use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable};
use scumble_verify::{KnownOffsets, StepClaim, check_step};

use super::linkable;
use crate::config::{Column, Plan, Role, TransformSpec, Value, template};
use crate::error::{Error, Result, Setting, among_columns};
use crate::release::prepare::persons_of_rows;
use crate::release::resources::Resources;
use crate::transforms::{Bounds, Given, Made, Step, StepTruth, steps};
use people::{check_one_offset, check_one_spelling, with_persons};
use perturbed::Perturbed;
use secrets::Secrets;
pub use secrets::give_release_id;
pub(super) use secrets::{limits, same_codes};

/// What the changed table is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It is the original of a release.
    Release,
    /// It is for its owner only.
    Private,
    /// It is compared with a release that was made before.
    Comparison,
}

/// A table after all steps.
pub(super) struct Changed {
    pub(super) table: CodedTable,
    pub(super) notes: Vec<String>,
    /// What the owner should decide.
    pub(super) warnings: Vec<String>,
    /// The columns whose values are not those of their people.
    pub(super) perturbed: Perturbed,
}

/// The steps of a plan beside the columns of a table.
pub(super) struct Steps {
    steps: Vec<Step>,
    /// The names of the columns after all steps.
    pub(super) names: Vec<String>,
    /// The columns that some step reads.
    pub(super) read: BTreeSet<String>,
}

impl Steps {
    /// The steps of a plan; an error if one does not fit the columns of the table.
    pub(super) fn of(plan: &Plan, header: &[&str]) -> Result<Self> {
        let steps = steps(&with_persons(plan)?)?;
        check_one_offset(&steps)?;
        perturbed::check(plan, &steps)?;
        let mut names: Vec<String> = header.iter().map(|name| (*name).to_owned()).collect();
        let mut read = BTreeSet::new();
        for step in &steps {
            let key = if step.spec.columns.is_empty() { "column" } else { "columns" };
            let placed = |key: &str, what: String| step.spec.parameters.placed(key, Error::config(what));
            for name in step.reads() {
                if !names.iter().any(|known| known == name) {
                    let known: Vec<&str> = names.iter().map(String::as_str).collect();
                    let near = among_columns(name, &known);
                    return Err(placed(
                        key,
                        format!(
                            "the step '{}' names the column '{name}', which is not there{near}",
                            step.spec.transform
                        ),
                    ));
                }
                if header.contains(&name) {
                    read.insert(name.to_owned());
                }
            }
            if let Some(into) = &step.spec.into {
                if names.contains(into) {
                    let what = format!(
                        "there is a column '{into}' already, so the step '{}' cannot make it",
                        step.spec.transform
                    );
                    return Err(placed("into", what).advise("choose another name for the new column"));
                }
                // The new column stands behind the one that it is made of.
                let behind =
                    step.columns().last().and_then(|last| names.iter().position(|name| name == last));
                names.insert(behind.map_or(names.len(), |place| place + 1), into.clone());
            }
        }
        Ok(Self { steps, names, read })
    }

    /// Whether there is nothing to do.
    pub(super) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns an error if a step needs all rows of a table at once, so that it cannot be repeated for new rows.
    pub(super) fn check_row_by_row(&self) -> Result<()> {
        match self.steps.iter().find(|step| step.transform.facts().needs_all_rows) {
            None => Ok(()),
            Some(step) => Err(needs_all_rows(&step.spec)),
        }
    }

    /// Carries the steps out. `kept` says which rows of the file the table has.
    pub(super) fn carry_out(
        self,
        plan: &mut Plan,
        mut table: CodedTable,
        kept: &[bool],
        resources: &Resources,
        purpose: Purpose,
    ) -> Result<Changed> {
        let (mut notes, mut warnings) = (Vec::new(), Vec::new());
        let mut settled = Vec::new();
        if purpose == Purpose::Release {
            linkable::check_originals(plan, &self.steps)?;
            template::judge_as_read(plan, &table)?;
        }
        let secrets = Secrets::of(purpose);
        let mut offsets = KnownOffsets::default();
        let numbers: Vec<u64> =
            (1..).zip(kept).filter(|(_, kept)| **kept).map(|(number, _)| number).collect();
        let mut perturbed = Perturbed::of(plan, &self.steps);
        for step in &self.steps {
            resources.control().check()?;
            if purpose == Purpose::Comparison && perturbed.is_drawn_anew(step) {
                // A release shows other draws, so there is nothing to compare it with.
                perturbed.leave_out(step, &mut table)?;
                settled.push(step.spec.clone());
                continue;
            }
            perturbed.remember(step, &table)?;
            let (made, spec) = one(step, plan, &table, &numbers, (resources, &secrets, &mut offsets))?;
            perturbed.settle(step, &spec);
            put(&mut table, step, made.columns);
            settled.push(spec);
            notes.extend(made.notes);
            warnings.extend(made.warnings);
        }
        plan.transform = settled;
        if purpose == Purpose::Release {
            linkable::check(plan, &self.steps, &table)?;
        }
        let stays = |name: &str| {
            plan.column(name)
                .is_some_and(|column| !column.role.has(Role::Identifier) && !column.role.has(Role::Drop))
                || plan.is_stratum(name)
        };
        table.columns.retain(|column| stays(&column.name));
        warnings.extend(secrets::warnings(plan));
        perturbed.settle_roles(plan);
        Ok(Changed { table, notes, warnings, perturbed })
    }
}

/// Returns an error if a plan asks for a recoding, and a step cannot be repeated for new rows.
pub(super) fn check_rule(plan: &Plan) -> Result<()> {
    let all = steps(&plan.transform)?;
    match all.iter().find(|step| step.transform.facts().needs_all_rows) {
        None => Ok(()),
        Some(step) => {
            let error = needs_all_rows(&step.spec);
            Err(error.unset(Setting::root("recoding"), "leave the recoding out"))
        }
    }?;
    perturbed::check_rule(plan, &all)
}

fn needs_all_rows(spec: &TransformSpec) -> Error {
    Error::refused(format_args!(
        "the step '{}' with these parameters needs all rows of a table at once, so it cannot be repeated for new rows",
        spec.transform
    ))
}

/// Puts new columns into a table: in place of those that they are made of, or behind them.
fn put(table: &mut CodedTable, step: &Step, columns: Vec<CodedColumn>) {
    for column in columns {
        let place = |name: &str| table.columns.iter().position(|column| column.name == name);
        if let (None, Some(place)) = (&step.spec.into, place(&column.name)) {
            table.columns[place] = column;
            continue;
        }
        let behind =
            step.columns().last().and_then(|last| place(last)).map_or(table.columns.len(), |place| place + 1);
        table.columns.insert(behind, column);
    }
}

/// Carries out one step and has it checked. Also returns the step with what it took from the data.
fn one(
    step: &Step,
    plan: &Plan,
    table: &CodedTable,
    numbers: &[u64],
    (resources, secrets, offsets): (&Resources, &Secrets, &mut KnownOffsets),
) -> Result<(Made, TransformSpec)> {
    let find = |name: &str| {
        table
            .column(name)
            .ok_or_else(|| Error::internal(format_args!("the column '{name}' of a step was not read")))
    };
    let columns: Vec<&CodedColumn> = step.columns().into_iter().map(find).collect::<Result<_>>()?;
    let also: Vec<&CodedColumn> = step.transform.also_reads().into_iter().map(find).collect::<Result<_>>()?;
    let missing = |name: &str| markers(plan, name);
    let persons = persons_of_rows(table, plan)?;
    let makes = step.makes();
    let is_quasi = |name: &&str| plan.column(name).is_some_and(|column| column.role.has(Role::Quasi));
    let given = Given {
        columns: &columns,
        also: &also,
        into: &makes,
        for_quasi: makes.iter().any(is_quasi),
        bounds: &|name| bounds(plan, name),
        missing: &missing,
        number: &|row| numbers.get(row).copied().unwrap_or(row as u64 + 1),
        persons: persons.as_deref(),
        file: &|name| resources.text(name),
        seed: plan.algorithm.seed,
        key: &|| secrets.key(plan, resources),
        release: &|| secrets.release(plan.algorithm.seed),
        control: resources.control(),
    };
    if step.transform.facts().truth == StepTruth::Shifted {
        also.iter()
            .try_for_each(|subject| check_one_spelling(subject, plan).map_err(|error| named(error, step)))?;
    }
    let mut made = step.transform.run(&given).map_err(|error| named(error, step))?;
    let mut spec = step.spec.clone();
    spec.from_data |= made.from_data;
    std::mem::take(&mut made.settled).into_iter().for_each(|(name, value)| spec.parameters.set(name, value));
    let read: Vec<&CodedColumn> = columns.iter().chain(&also).copied().collect();
    let shown: Vec<&CodedColumn> = made.columns.iter().collect();
    verify(plan, (&spec, &read, &shown), &missing, (offsets, resources.control()))?;
    Ok((made, spec))
}

/// The columns of codes, which nobody outside can know of a person.
pub(super) fn codes(plan: &Plan) -> Vec<String> {
    let all = steps(&plan.transform).unwrap_or_default();
    let codes = all.iter().filter(|step| step.transform.facts().truth == StepTruth::Pseudonym);
    codes.flat_map(Step::makes).map(str::to_owned).collect()
}

/// What was done to each column first, in sentences for readers of the release. Names only columns that are published.
pub(super) fn sentences(plan: &Plan) -> Vec<String> {
    let is_published = |name: &str| {
        plan.column(name).is_some_and(|column| Role::PUBLISHED.iter().any(|role| column.role.has(*role)))
    };
    let all = steps(&plan.transform).unwrap_or_default();
    let of_step = |step: &Step| {
        let published: Vec<&str> = step.makes().into_iter().filter(|name| is_published(name)).collect();
        let from = if step.spec.from_data && !step.perturbs() { ", as found in the data" } else { "" };
        (!published.is_empty())
            .then(|| format!("{}: {}{from}.", published.join(", "), step.transform.words()))
    };
    all.iter().filter_map(of_step).collect()
}

/// What steps did to a column, one after the other, for readers of the release.
pub(super) fn words(plan: &Plan, column: &str) -> Vec<String> {
    let all = steps(&plan.transform).unwrap_or_default();
    all.iter().filter(|step| step.makes().contains(&column)).map(|step| step.transform.words()).collect()
}

/// Every step with its columns and parameters, for the owner.
pub(super) fn private_sentences(plan: &Plan) -> Vec<(String, String)> {
    let of_spec = |(number, spec): (usize, &TransformSpec)| {
        let columns: Vec<&str> = spec.changed().collect();
        let into = spec.into.as_ref().map_or_else(String::new, |into| format!(" into {into}"));
        let parameters: Vec<String> =
            spec.parameters.iter().map(|(name, value)| format!("{name} = {}", value.to_text())).collect();
        let from = if spec.from_data { "; found in the data" } else { "" };
        let with =
            if parameters.is_empty() { String::new() } else { format!(" ({}{from})", parameters.join(", ")) };
        (
            format!("step {}", number + 1),
            format!("{} of {}{into}{with}", spec.transform, columns.join(" and ")),
        )
    };
    plan.transform.iter().enumerate().map(of_spec).collect()
}

/// The texts that mean a missing value in a column.
fn markers<'a>(plan: &'a Plan, name: &str) -> &'a [String] {
    plan.column(name).and_then(|column: &Column| column.missing.as_deref()).unwrap_or(&plan.read.missing)
}

/// The error of a step, with the step's name.
fn named(error: Error, step: &Step) -> Error {
    error.reworded(|what| format!("step '{}': {what}", step.spec.transform))
}

/// The least and the greatest value that the plan declares for a column.
fn bounds(plan: &Plan, name: &str) -> Bounds {
    let end = |value: Option<&Value>| value.and_then(|value| value.to_text().parse().ok());
    plan.column(name).map_or((None, None), |column| (end(column.min.as_ref()), end(column.max.as_ref())))
}

/// Has a step checked by the independent verifier.
fn verify<'a>(
    plan: &Plan,
    (spec, read, made): (&TransformSpec, &[&CodedColumn], &[&CodedColumn]),
    missing: &dyn Fn(&str) -> &'a [String],
    (offsets, control): (&mut KnownOffsets, &Control),
) -> Result<()> {
    let parameters = serde_json::to_value(&spec.parameters).map_err(Error::internal)?;
    let serde_json::Value::Object(parameters) = parameters else {
        return Err(Error::internal("the parameters of a step are no table"));
    };
    let missing: Vec<&[String]> = read.iter().map(|column| missing(&column.name)).collect();
    let bounds: Vec<Bounds> = read.iter().map(|column| bounds(plan, &column.name)).collect();
    let claim = StepClaim {
        rule: &spec.transform,
        parameters: &parameters,
        read,
        missing: &missing,
        bounds: &bounds,
        made,
    };
    let outcome = check_step(&claim, offsets, control)?;
    if outcome.holds {
        return Ok(());
    }
    let row = outcome
        .first_false
        .map_or(String::new(), |row| format!(" (first in row {} of those that were read)", row + 1));
    let names: Vec<&str> = made.iter().map(|column| column.name.as_str()).collect();
    Err(Error::verification(format!(
        "the step '{}' did not make what it should of the column '{}'{row}; nothing was published. This is a bug in Scumble, please report it",
        spec.transform,
        names.join("', '")
    )))
}
