//! A release with its original in readable form, for simulated attacks.

use scumble_files::Control;
use scumble_files::table::CodedTable;
use scumble_verify::{Cover, Distributed};

use super::{cannot_check, records::covers};
use crate::config::{Plan, Role};
use crate::error::{Error, Result, Setting};
use crate::registry::{Method, method};
use crate::release::prepare::{payload_of, prepare, spelt_once, table_in_one_spelling};
use crate::release::resources::Resources;
use crate::table::hierarchy::Hierarchy;
use crate::table::payload::PayloadColumn;

/// A release and its original, with what is needed to compare them.
pub struct SideBySide {
    /// The release; a sensitive column that is published as frequencies shows the set of values that are possible.
    pub release: CodedTable,
    /// The original; values of sensitive columns are written as in the release.
    pub original: CodedTable,
    /// How each quasi-identifier that the release has is to be read.
    pub quasi: Vec<(String, Cover)>,
    /// The sensitive columns that the release has, with their values.
    pub sensitive: Vec<PayloadColumn>,
    /// The trees of sensitive columns that have one.
    pub trees: Vec<(String, Hierarchy)>,
    /// The sensitive columns that are published as frequencies.
    pub frequencies: Vec<(String, Distributed)>,
    /// The control through which a comparison can be stopped.
    pub control: Control,
}

/// Whether the plan's algorithm builds trees for columns that have none; their labels are then those of the trees.
pub(super) fn needs_trees(plan: &Plan) -> bool {
    let Ok(Method::Classes(entry)) = method(&plan.algorithm.name) else { return false };
    (entry.build)(&plan.algorithm.parameters).is_ok_and(|algorithm| algorithm.capabilities().needs_trees)
}

/// Reads a release with its original, by the plan's roles. Columns that one of them lacks are left out.
pub fn side_by_side(
    release: &CodedTable,
    original: &CodedTable,
    plan: &Plan,
    resources: &Resources,
) -> Result<SideBySide> {
    let original = &*spelt_once(original, plan)?;
    let mut release = release.clone();
    let mut frequencies = Vec::new();
    let mut sensitive = Vec::new();
    for name in plan.names_with(Role::Sensitive) {
        let Some(column) = original.column(name) else { continue };
        if let Some(read) = Distributed::read(&release, name).map_err(cannot_check)? {
            release = read.supports.clone();
            frequencies.push((name.to_owned(), read));
        } else if release.column(name).is_none() {
            continue;
        }
        sensitive.push(payload_of(column, plan)?.0);
    }
    let prepared = prepare(original, plan, resources, needs_trees(plan))?;
    let mut quasi = covers(&prepared, plan)?;
    quasi.retain(|(name, _)| release.column(name).is_some());
    if quasi.is_empty() {
        return Err(Error::config("the release has none of the columns that outsiders may know")
            .set(Setting::role("quasi"), "name columns of the release that outsiders may know"));
    }
    let spelt: Vec<PayloadColumn> = sensitive
        .iter()
        .filter(|column| !frequencies.iter().any(|(name, _)| *name == column.name))
        .cloned()
        .collect();
    Ok(SideBySide {
        control: resources.control().clone(),
        release: table_in_one_spelling(&release, &spelt).into_owned(),
        original: table_in_one_spelling(original, &sensitive).into_owned(),
        quasi,
        sensitive,
        trees: prepared.payload_trees,
        frequencies,
    })
}
