//! Columns of a release that were not checked: they have no role, or no model covers them.

use std::collections::BTreeMap;

use scumble::config::{Column, Plan, Rest, Role};
use scumble::release::check::{Checked, published_columns};
use scumble::release::{Manifest, Together};

use crate::ui::as_line;

/// A column that was not checked.
#[derive(Debug, PartialEq, Eq, serde::Serialize)]
pub(super) struct Unjudged {
    column: String,
    reason: Reason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Reason {
    /// No role says what it is.
    NoRole,
    /// It is published as it is, and outsiders are assumed not to know it.
    KeptAsItIs,
    /// It is sensitive, and no requested model protects it.
    NoModel,
    /// The release itself states that outsiders do not know it.
    NotKnown,
    /// Its role says that it is not in a release at all.
    NamesPeople,
    /// No role says what it is, and columns without a role are left out.
    LeftOut,
}

impl Reason {
    fn words(self) -> &'static str {
        match self {
            Self::NoRole => "no role is given",
            Self::KeptAsItIs => {
                "kept as is; no model looks at these values, and whoever knows them may find people"
            }
            Self::NoModel => "sensitive, and no model that was asked for protects these values",
            Self::NotKnown => {
                "not among the columns that outsiders are taken to know; no model looks at these values, and whoever knows them may find people"
            }
            Self::NamesPeople => "by its role, identifier or drop, no release shows it",
            Self::LeftOut => "no role is given, and rest = drop (--rest drop) leaves such columns out",
        }
    }

    /// Whether a table with such a column is no release by the plan.
    fn fails(self) -> bool {
        matches!(self, Self::NamesPeople | Self::LeftOut)
    }
}

/// Whether none of these columns should be left out of a release.
pub(super) fn holds(found: &[Unjudged]) -> bool {
    !found.iter().any(|of| of.reason.fails())
}

/// Returns the columns that were not checked, in the order of the table. `plan` is the plan as given, not a completed one.
pub(super) fn unjudged(names: &[&str], plan: &Plan, checked: &Checked) -> Vec<Unjudged> {
    // There may be a hundred thousand columns.
    let planned: BTreeMap<&str, &Column> =
        plan.columns.iter().rev().map(|(name, column)| (name.as_str(), column)).collect();
    let (counted, sensitive) = (plan.counted_columns(), plan.names_with(Role::Sensitive).collect::<Vec<_>>());
    let reason = |name: &str| {
        // Frequencies of a value are in columns such as `disease=flu`.
        let is_of = |of: &str| name.strip_prefix(of).is_some_and(|rest| rest.starts_with('='));
        let frequencies = sensitive.iter().copied().find(|of| is_of(of));
        let named = |spec: &scumble::config::ModelSpec| spec.columns.iter().any(|column| column == name);
        if plan.privacy.iter().any(named) || counted.contains(&name) {
            return None;
        }
        let Some(column) = planned.get(frequencies.unwrap_or(name)) else {
            let left_out = plan.rest == Some(Rest::Drop);
            return Some(if left_out { Reason::LeftOut } else { Reason::NoRole });
        };
        let is = |role: Role| column.role.has(role);
        if is(Role::Quasi) || is(Role::Subject) || is(Role::Guarding) || column.renumber {
            None
        } else if is(Role::Sensitive) {
            (!checked.judged.iter().any(|of| of == frequencies.unwrap_or(name))).then_some(Reason::NoModel)
        } else if is(Role::Identifier) || is(Role::Drop) {
            Some(Reason::NamesPeople)
        } else {
            Some(Reason::KeptAsItIs)
        }
    };
    let found = names.iter().filter_map(|name| Some((name, reason(name)?)));
    found.map(|(name, reason)| Unjudged { column: (*name).to_owned(), reason }).collect()
}

/// Returns the columns of several tables that were not checked. The manifest and the plan say what outsiders are assumed to know. If rows
/// are in groups, the models protect the target.
pub(super) fn in_folder(manifest: &Manifest, plan: &Plan, any_model: bool) -> Vec<Unjudged> {
    let reason = |name: &str| {
        let is = |role: Role| plan.column(name).is_some_and(|column| column.role.has(role));
        let known = manifest.quasi.iter().any(|of| of == name) || is(Role::Quasi);
        let judged =
            matches!(manifest.together, Together::Groups { .. }) && name == manifest.target && any_model;
        if is(Role::Identifier) || is(Role::Drop) {
            Some(Reason::NamesPeople)
        } else if known || judged {
            None
        } else if is(Role::Sensitive) {
            Some(Reason::NoModel)
        } else {
            Some(Reason::NotKnown)
        }
    };
    let found = published_columns(manifest).into_iter().filter_map(|name| Some((name, reason(name)?)));
    found.map(|(name, reason)| Unjudged { column: name.to_owned(), reason }).collect()
}

/// Says which columns must not be in the table, a line for each reason.
pub(super) fn tell_faults(found: &[Unjudged]) -> String {
    let line = |reason: Reason| {
        let names: Vec<&str> =
            found.iter().filter(|of| of.reason == reason).map(|of| of.column.as_str()).collect();
        let are = if names.len() == 1 { "is" } else { "are" };
        (!names.is_empty())
            .then(|| as_line!("FAILS  columns: {} {are} in the table ({})", names.join(", "), reason.words()))
    };
    [Reason::NamesPeople, Reason::LeftOut].into_iter().filter_map(line).collect()
}

/// Lists the others in words, a line for each reason.
pub(super) fn tell(found: &[Unjudged]) -> String {
    let reasons = [Reason::NoRole, Reason::NoModel, Reason::NotKnown, Reason::KeptAsItIs];
    let line = |reason: Reason| {
        let names: Vec<&str> =
            found.iter().filter(|of| of.reason == reason).map(|of| of.column.as_str()).collect();
        (!names.is_empty()).then(|| as_line!("Not checked: {} ({}).", names.join(", "), reason.words()))
    };
    reasons.into_iter().filter_map(line).collect()
}
