//! Columns whose values are not those of their people: what they were before, and which of them outsiders may know.

use std::borrow::Cow;

use scumble_files::table::{CodedColumn, CodedTable};

use crate::config::{Drawn, ModelSpec, Plan, Role, Roles, TransformSpec};
use crate::error::{Error, Result, Setting};
use crate::transforms::{Step, StepTruth, Trace, steps};

/// The columns that steps perturb.
#[derive(Debug, Clone, Default)]
pub(crate) struct Perturbed {
    /// Those that outsiders may know. Models do not judge them.
    known: Vec<String>,
    /// Every such column, as it was before.
    pub(in crate::release) columns: Vec<PerturbedColumn>,
    /// The columns that chance decided and that no draw can repeat, where a release is only compared.
    pub(in crate::release) unrepeated: Vec<String>,
}

/// A column that steps perturb.
#[derive(Debug, Clone)]
pub(in crate::release) struct PerturbedColumn {
    /// The column before it was perturbed for the first time, under the name that it has in the release.
    pub(in crate::release) before: CodedColumn,
    /// The step that perturbed it, with all of its parameters; `None` if several did.
    pub(in crate::release) by: Option<TransformSpec>,
}

/// Returns an error if a plan perturbs what nobody could promise anything about afterwards: people who are counted; quasi-identifiers without a limit
/// for how many people may be found by them, or in a way that the attacks cannot measure.
pub(super) fn check(plan: &Plan, steps: &[Step]) -> Result<()> {
    check_counted(plan, steps)?;
    for (step, name) in known(plan, steps) {
        let placed = |error: Error| step.spec.parameters.placed("do", error);
        if plan.risk.linkage_limit.is_none() {
            return Err(placed(Error::config(format_args!(
                "'{name}' is a quasi-identifier that the step '{}' perturbs: no model covers it, and it is not said how many people may still \
                 be found by it",
                step.spec.transform
            )))
            .advise("set the share of people whom attacks may link to their row: linkage_limit = 0.05 in [risk]")
            .set(Setting::role("other").of(&[name]), "give the column the role other, if outsiders do not know it"));
        }
        if plan.column(name).is_some_and(|column| column.hierarchy.is_some()) {
            return Err(placed(Error::refused(format!(
                "'{name}' is to be perturbed and generalised, and nothing could be said about both together"
            )))
            .advise("leave out its hierarchy, or the step"));
        }
        check_measurable(plan, steps, step, name).map_err(placed)?;
    }
    check_derived(plan, steps)
}

/// Attacks compare what a step shows with what stood there before that step. They would miss what several steps leave together.
fn check_measurable(plan: &Plan, steps: &[Step], step: &Step, name: &str) -> Result<()> {
    let places = |made: &&Step| made.makes().contains(&name);
    let last = steps.iter().rfind(places);
    if !last.is_some_and(|last| std::ptr::eq(last, step)) {
        return Err(Error::refused(format!(
            "'{name}' is a quasi-identifier that is changed again after it was perturbed, and how many people are found by it then is not measured"
        ))
        .advise("perturb the column in one step, after all other steps on it"));
    }
    let quasi = |name: &&str| plan.column(name).is_some_and(|column| column.role.has(Role::Quasi));
    if step.transform.keeps_ratios() && step.makes().iter().filter(|name| quasi(name)).count() > 1 {
        return Err(Error::refused(format!(
            "the quasi-identifiers '{}' are multiplied by the same factors, so their ratios stay exact and people are found by these",
            step.makes().into_iter().filter(quasi).collect::<Vec<_>>().join("', '")
        ))
        .advise("leave same out of the step, so that every amount has a factor of its own"));
    }
    if let Trace::Ranks { within: Some(within), .. } = step.transform.trace()
        && plan.column(within).is_none_or(|column| !Role::PUBLISHED.iter().any(|role| column.role.has(*role)))
    {
        return Err(Error::refused(format!(
            "'{name}' is a quasi-identifier whose values are exchanged within the groups of '{within}', which is not published, and how many people \
             are found by that is not measured"
        ))
        .advise("leave within out of the step, or publish the column"));
    }
    Ok(())
}

/// The roles by which people are counted or protected. What chance made of such a column counts nobody.
const COUNTED: [Role; 4] = [Role::Subject, Role::Household, Role::Guarding, Role::Weight];

fn check_counted(plan: &Plan, steps: &[Step]) -> Result<()> {
    let weighs = |name: &str| {
        let of_model =
            |spec: &ModelSpec| spec.parameters.get("weight").is_some_and(|weight| weight.to_text() == name);
        plan.risk.weight.as_deref() == Some(name) || plan.privacy.iter().any(of_model)
    };
    let is_counted = |name: &&str| {
        weighs(name)
            || plan.column(name).is_some_and(|column| COUNTED.iter().any(|role| column.role.has(*role)))
    };
    for (step, names) in made_by_chance(steps) {
        let Some(name) = names.into_iter().find(is_counted) else { continue };
        let error = Error::refused(format!(
            "people are counted by '{name}', and after the step '{}' it would count people who do not exist",
            step.spec.transform
        ));
        return Err(step.spec.parameters.placed("do", error).advise("leave the step out for this column"));
    }
    Ok(())
}

/// A quasi-identifier that is made of a perturbed column is neither judged by its true values nor measured.
fn check_derived(plan: &Plan, steps: &[Step]) -> Result<()> {
    let is_quasi = |name: &&str| plan.column(name).is_some_and(|column| column.role.has(Role::Quasi));
    for (step, names) in made_by_chance(steps).filter(|(step, _)| !step.perturbs()) {
        let Some(name) = names.into_iter().find(is_quasi) else { continue };
        let error = Error::refused(format!(
            "the quasi-identifier '{name}' is made of a perturbed column, so it does not show what people are, and no model can promise anything \
             about it"
        ));
        return Err(step
            .spec
            .parameters
            .placed("do", error)
            .advise("make the column first, and perturb it last")
            .set(
                Setting::role("other").of(&[name]),
                "give the column the role other, if outsiders do not know it",
            ));
    }
    Ok(())
}

/// Each step that perturbs, or makes something of what was perturbed, with the columns that it makes.
fn made_by_chance(steps: &[Step]) -> impl Iterator<Item = (&Step, Vec<&str>)> {
    let mut drawn: Vec<&str> = Vec::new();
    steps.iter().filter_map(move |step| {
        let is_made = step.perturbs() || step.reads().iter().any(|name| drawn.contains(name));
        if is_made {
            drawn.extend(step.makes());
        }
        is_made.then(|| (step, step.makes()))
    })
}

/// Returns an error if the rule of a release would be applied to new rows without measuring how many people are found by perturbed columns.
pub(super) fn check_rule(plan: &Plan, steps: &[Step]) -> Result<()> {
    let Some((step, name)) = known(plan, steps).next() else { return Ok(()) };
    Err(Error::refused(format_args!(
        "'{name}' is a quasi-identifier that the step '{}' perturbs: how many people can be found by it is measured for a table as a whole, \
         so there is no rule for new rows",
        step.spec.transform
    ))
    .unset(Setting::root("recoding"), "leave the recoding out"))
}

/// The steps that perturb a quasi-identifier, with its name.
fn known<'a>(plan: &'a Plan, steps: &'a [Step]) -> impl Iterator<Item = (&'a Step, &'a str)> {
    let perturbing = steps.iter().filter(|step| step.perturbs());
    perturbing
        .flat_map(|step| step.makes().into_iter().map(move |name| (step, name)))
        .filter(|(_, name)| plan.column(name).is_some_and(|column| column.role.has(Role::Quasi)))
}

/// The plan without perturbed columns among its quasi-identifiers.
pub fn judged(plan: &Plan) -> Result<Cow<'_, Plan>> {
    let all = steps(&plan.transform)?;
    let perturbed = Perturbed::of(plan, &all);
    if perturbed.known.is_empty() {
        return Ok(Cow::Borrowed(plan));
    }
    let mut plan = plan.clone();
    perturbed.settle_roles(&mut plan);
    Ok(Cow::Owned(plan))
}

impl Perturbed {
    pub(super) fn of(plan: &Plan, steps: &[Step]) -> Self {
        let mut names: Vec<String> = known(plan, steps).map(|(_, name)| name.to_owned()).collect();
        names.dedup();
        Self { known: names, ..Self::default() }
    }

    /// Whether another run of a step makes other values, or reads some that another run made.
    pub(super) fn is_drawn_anew(&self, step: &Step) -> bool {
        let facts = step.transform.facts();
        let draws = match facts.truth {
            StepTruth::Perturbed => true,
            StepTruth::Within => facts.needs_chance,
            _ => false,
        };
        draws || step.reads().into_iter().any(|name| self.unrepeated.iter().any(|of| of == name))
    }

    /// Leaves a step out: its columns stay as they were.
    pub(super) fn leave_out(&mut self, step: &Step, table: &mut CodedTable) -> Result<()> {
        if let Some(into) = &step.spec.into {
            let column = original(step, into, table)?;
            super::put(table, step, vec![column]);
        }
        self.unrepeated.extend(step.makes().into_iter().map(str::to_owned));
        Ok(())
    }

    /// Keeps what columns are before a step perturbs them.
    pub(super) fn remember(&mut self, step: &Step, table: &CodedTable) -> Result<()> {
        if !step.perturbs() {
            return Ok(());
        }
        for name in step.makes() {
            match self.columns.iter_mut().find(|column| column.before.name == name) {
                Some(again) => again.by = None,
                None => {
                    let before = original(step, name, table)?;
                    self.columns.push(PerturbedColumn { before, by: Some(step.spec.clone()) });
                }
            }
        }
        Ok(())
    }

    /// Keeps what a step took from the data.
    pub(super) fn settle(&mut self, step: &Step, spec: &TransformSpec) {
        let names = step.makes();
        let made = self.columns.iter_mut().filter(|column| names.contains(&column.before.name.as_str()));
        made.filter(|column| column.by.is_some()).for_each(|column| column.by = Some(spec.clone()));
    }

    /// Takes perturbed columns out of the quasi-identifiers: people who show the same wrong value do not hide each other.
    pub(super) fn settle_roles(&self, plan: &mut Plan) {
        plan.drawn = Drawn { beyond_models: self.known.clone(), unrepeated: self.unrepeated.clone() };
        for (name, column) in &mut plan.columns {
            if self.known.contains(name) {
                column.role = Roles::one(Role::Other);
            }
        }
    }

    /// Keeps some of the rows only.
    pub(in crate::release) fn keep(&mut self, kept: &[bool]) {
        for PerturbedColumn { before: column, .. } in &mut self.columns {
            let codes: Vec<u32> =
                column.codes.iter().zip(kept).filter(|(_, kept)| **kept).map(|(code, _)| code).collect();
            column.codes = scumble_files::table::Codes::narrow(column.values.len(), &codes);
        }
    }
}

/// The column that a step makes one of, under the name of that one.
fn original(step: &Step, name: &str, table: &CodedTable) -> Result<CodedColumn> {
    let from = if step.spec.into.is_some() { step.columns().first().copied().unwrap_or(name) } else { name };
    let column = table.column(from).ok_or_else(|| Error::internal("a column of a step is gone"))?;
    Ok(CodedColumn { name: name.to_owned(), ..column.clone() })
}
