//! Columns whose values are not those of their people: what they were before, and which of them outsiders may know.

use std::borrow::Cow;

use scumble_files::table::{CodedColumn, CodedTable};

use crate::config::{Drawn, Plan, Role, Roles, TransformSpec};
use crate::error::{Error, Result, Setting};
use crate::transforms::{Step, StepTruth, steps};

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

/// Returns an error if a quasi-identifier is perturbed and nobody says how many people may be found by it, or if it is to be generalised, too.
pub(super) fn check(plan: &Plan, steps: &[Step]) -> Result<()> {
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
    }
    Ok(())
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
pub(crate) fn judged(plan: &Plan) -> Result<Cow<'_, Plan>> {
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
