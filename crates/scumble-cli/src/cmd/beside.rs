//! A release beside its original: what commands that look at both share.

use std::path::{Path, PathBuf};

use scumble::config::{Plan, Read};
use scumble::release::check::cannot_check;
use scumble::release::{Stage, is_spreadsheet_safe};
use scumble::{Error, Result};
use scumble_files::{CodedTable, Source, read_header, read_table};
use scumble_verify::{from_spreadsheet_safe, name_from_spreadsheet_safe};

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
    let path = path.map_err(|source| Error::io(format!("cannot use '{name}'"), source))?;
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
    interface.stage(Stage::Read);
    options.control = interface.control();
    options.columns = Some(columns.iter().map(|name| (*name).to_owned()).collect());
    let table = read_table(source, &options)?;
    table.notes.iter().for_each(|note| interface.note(note));
    Ok(table.coded)
}

/// A table that may be in the spreadsheet-safe form. Its datasheet tells, or the user does. The plan is not asked: a plan may also be used to
/// check tables that were not made from it.
pub(super) struct ReleasedTable {
    pub(super) source: Source,
    /// The names of its columns.
    pub(super) names: Vec<String>,
    /// The same as they are written.
    in_file: Vec<String>,
    spreadsheet_safe: bool,
    how: Read,
}

impl ReleasedTable {
    pub(super) fn open(path: &Path, spreadsheet_safe: bool, how: &Read) -> Result<Self> {
        let source = Source::open(path)?;
        let spreadsheet_safe = spreadsheet_safe || is_spreadsheet_safe(path);
        let in_file = read_header(&source, &scumble::release::read_options(how, 0)?)?.names;
        let meant = |name: &String| match spreadsheet_safe {
            true => name_from_spreadsheet_safe(name).map(str::to_owned).map_err(cannot_check),
            false => Ok(name.clone()),
        };
        let names = in_file.iter().map(meant).collect::<Result<_>>()?;
        Ok(Self { source, names, in_file, spreadsheet_safe, how: how.clone() })
    }

    /// Reads some of the columns.
    pub(super) fn read(&self, columns: &[&str], interface: &Interface) -> Result<CodedTable> {
        let both = self.names.iter().zip(&self.in_file);
        // There may be a hundred thousand columns.
        let asked: std::collections::BTreeSet<&str> = columns.iter().copied().collect();
        let wanted = both.filter(|(name, _)| asked.contains(name.as_str()));
        let wanted: Vec<&str> = wanted.map(|(_, in_file)| in_file.as_str()).collect();
        let table = read(&self.source, &self.how, &wanted, interface)?;
        if self.spreadsheet_safe { from_spreadsheet_safe(&table).map_err(cannot_check) } else { Ok(table) }
    }
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
    let source = Source::open(path)?;
    interface.stage(Stage::Read);
    let read = scumble::release::read_original(plan, &source, 0, &interface.control())?;
    read.notes.iter().chain(&read.left_out).for_each(|note| interface.note(note));
    Ok(Original { table: read.table, plan: read.plan, source, kept: read.kept })
}
