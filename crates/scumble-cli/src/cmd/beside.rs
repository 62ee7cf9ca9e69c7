//! A release beside its original: what commands that look at both share.

use std::path::{Path, PathBuf};

use scumble::config::{Plan, Read, Role};
use scumble::prepare::drop_incomplete;
use scumble::{Error, Result};
use scumble_files::{CodedTable, Source, read_header, read_table};

use super::reading::Reading;
use crate::ui::Interface;

/// The plan that was given, or an empty one for a release; and where its file names start.
pub(super) fn plan_for(release: &Path, plan: Option<&Path>) -> Result<(Plan, PathBuf)> {
    Ok(match plan {
        Some(path) => (Plan::load(path)?, path.parent().map(Path::to_owned).unwrap_or_default()),
        None => (Plan::new(release.to_string_lossy(), "-"), PathBuf::new()),
    })
}

/// How a release is read. What a plan says about its input does not hold for the release, which has a delimiter and an encoding of its own;
/// what the command line says does.
pub(super) fn how_release_is_read(plan: &Plan, given: &Reading) -> Result<Read> {
    let mut how = plan.read.of_release();
    given.apply(&mut how)?;
    Ok(how)
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
    how: &Read,
    columns: &[&str],
    interface: &Interface,
) -> Result<CodedTable> {
    let mut options = scumble::release::read_options(how, 0)?;
    options.columns = Some(columns.iter().map(|name| (*name).to_owned()).collect());
    let table = read_table(source, &options)?;
    table.notes.iter().for_each(|note| interface.note(note));
    Ok(table.coded)
}

/// Reads an original without identifiers and without the rows that the plan leaves out; and the plan with a role for every column of it.
pub(super) fn read_original(path: &Path, plan: &Plan, interface: &Interface) -> Result<(CodedTable, Plan)> {
    let mut plan = plan.clone();
    let source = Source::open(path)?;
    let header = read_header(&source, &scumble::release::read_options(&plan.read, 0)?)?;
    let names: Vec<&str> = header.names.iter().map(String::as_str).collect();
    let columns = plan.columns_for(&names)?;
    plan.columns = names.iter().map(|name| (*name).to_owned()).zip(columns).collect();
    // Identifiers of the original are not needed for anything.
    let unread = |name: &str| {
        plan.column(name)
            .is_some_and(|column| column.role.has(Role::Identifier) || column.role.has(Role::Drop))
    };
    let needed: Vec<&str> = names.iter().copied().filter(|name| !unread(name)).collect();
    let mut table = read(&source, &plan.read, &needed, interface)?;
    drop_incomplete(&mut table, &plan)?.iter().for_each(|note| interface.note(note));
    Ok((table, plan))
}
