//! Code shared by commands that compare a release with its original.

use std::path::{Path, PathBuf};

use scumble::config::{Plan, Read};
use scumble::release::WrittenTable;
use scumble::release::check::WhatWasRead;
use scumble::{Error, Result};
use scumble_files::Source;
use scumble_files::database::Address;

use super::reading::Reading;
use crate::ui::Interface;

/// Returns the given plan, or an empty one for a release, and the folder that its file names are relative to.
pub(super) fn plan_for(release: &Path, plan: Option<&Path>) -> Result<(Plan, PathBuf)> {
    Ok(match plan {
        Some(path) => (Plan::load(path)?, path.parent().map(Path::to_owned).unwrap_or_default()),
        None => (Plan::new(release.to_string_lossy(), "-"), PathBuf::new()),
    })
}

/// Returns how to read the release. The plan's settings for its input do not hold for the release, which has a delimiter and an encoding of
/// its own, but those of the command line do. A sheet that is named there is one of the original, if there is an original: a release
/// has one sheet.
pub(super) fn how_release_is_read(plan: &Plan, given: &Reading, original: Option<&Path>) -> Result<Read> {
    let mut how = plan.read.of_release();
    given.apply(&mut how)?;
    if original.is_some() {
        how.sheet = None;
    }
    Ok(how)
}

/// The name of a table for the head of a page: that of its file, or the address of a table in a database.
pub(super) fn title_of(table: &Path, otherwise: &str) -> String {
    let address =
        table.to_str().and_then(Address::recognise).and_then(Result::ok).map(|address| address.name());
    let file = || table.file_name().map(|name| name.to_string_lossy().into_owned());
    address.or_else(file).unwrap_or_else(|| otherwise.to_owned())
}

/// A file name on the command line is relative to where the command runs, not to the plan.
pub(super) fn from_here(name: &String) -> Result<String> {
    let path = scumble_files::database::from_here(Path::new(name));
    let path = path.map_err(|source| Error::io(format!("cannot use '{name}'"), source))?;
    Ok(path.to_string_lossy().into_owned())
}

/// How a table is written that is read by hand, without a datasheet that says so.
#[derive(clap::Args)]
pub(super) struct WrittenFlags {
    /// The table is written in the spreadsheet-safe form (anonymize --spreadsheet-safe); not needed if its datasheet says so
    #[arg(long)]
    spreadsheet_safe: bool,
    /// Columns whose numbers are written with a decimal comma and mean a decimal point (anonymize --output-dialect excel-de); not needed if its
    /// datasheet says so
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    decimal_comma: Vec<String>,
}

impl WrittenFlags {
    /// Opens a table in the form that its datasheet or the user says. The plan does not count: it may also be used to check tables that were
    /// not made by it.
    pub(super) fn table<'a>(&self, source: &'a Source, how: Read) -> WrittenTable<'a> {
        let mut table = written(source, how);
        table.form.spreadsheet_safe |= self.spreadsheet_safe;
        let further = self.decimal_comma.iter().filter(|name| !table.form.decimal_comma.contains(name));
        let further: Vec<String> = further.cloned().collect();
        table.form.decimal_comma.extend(further);
        table
    }
}

/// Opens a table in the form that its datasheet says.
pub(super) fn written(source: &Source, how: Read) -> WrittenTable<'_> {
    WrittenTable { read: Some(how), ..WrittenTable::from(source) }
}

/// Prints notes and warnings about what was read.
pub(super) fn tell_read(read: &WhatWasRead, interface: &Interface) {
    read.notes.iter().for_each(|note| interface.note(note));
    read.warnings.iter().for_each(|warning| interface.warn(warning));
}
