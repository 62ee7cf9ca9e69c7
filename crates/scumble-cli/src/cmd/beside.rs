//! A release beside its original: what commands that look at both share.

use std::path::{Path, PathBuf};

use scumble::config::{Plan, Role};
use scumble::prepare::{Complete, keep_complete};
use scumble::{Error, Result};
use scumble_files::{CodedTable, Source, read_header, read_table};

use crate::ui::Interface;

/// The plan that was given, or an empty one for a release; and where its file names start.
pub(super) fn plan_for(release: &Path, plan: Option<&Path>) -> Result<(Plan, PathBuf)> {
    Ok(match plan {
        Some(path) => (Plan::load(path)?, path.parent().map(Path::to_owned).unwrap_or_default()),
        None => (Plan::new(release.to_string_lossy(), "-"), PathBuf::new()),
    })
}

/// A file name on the command line is relative to where the command runs, not to the plan.
pub(super) fn from_here(name: &String) -> Result<String> {
    let path = std::path::absolute(name);
    let path = path.map_err(|source| Error::Io { what: format!("cannot use '{name}'"), source })?;
    Ok(path.to_string_lossy().into_owned())
}

/// Reads some columns of a table.
pub(super) fn read(
    source: &Source,
    plan: &Plan,
    columns: &[&str],
    interface: &Interface,
) -> Result<CodedTable> {
    let mut options = scumble::release::read_options(plan, 0)?;
    options.columns = Some(columns.iter().map(|name| (*name).to_owned()).collect());
    let table = read_table(source, &options)?;
    table.notes.iter().for_each(|note| interface.note(note));
    Ok(table.coded)
}

/// An original as a release is made from it: without identifiers and without the rows that the plan leaves out.
pub(super) struct Original {
    pub(super) table: CodedTable,
    /// The plan with a role for every column of it.
    pub(super) plan: Plan,
    /// The file.
    pub(super) source: Source,
    /// For each row of the file whether the table has it.
    pub(super) kept: Vec<bool>,
}

/// Reads an original.
pub(super) fn read_original(path: &Path, plan: &Plan, interface: &Interface) -> Result<Original> {
    let mut plan = plan.clone();
    let source = Source::open(path)?;
    let header = read_header(&source, &scumble::release::read_options(&plan, 0)?)?;
    let names: Vec<&str> = header.names.iter().map(String::as_str).collect();
    let columns = plan.columns_for(&names)?;
    plan.columns = names.iter().map(|name| (*name).to_owned()).zip(columns).collect();
    // Identifiers of the original are not needed for anything.
    let unread = |name: &str| {
        plan.column(name)
            .is_some_and(|column| column.role.has(Role::Identifier) || column.role.has(Role::Drop))
    };
    let needed: Vec<&str> = names.iter().copied().filter(|name| !unread(name)).collect();
    let mut table = read(&source, &plan, &needed, interface)?;
    let Complete { kept, notes } = keep_complete(&mut table, &plan)?;
    notes.iter().for_each(|note| interface.note(note));
    Ok(Original { table, plan, source, kept })
}
