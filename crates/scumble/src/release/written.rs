//! A table as somebody has written it, perhaps with a delimiter of its own or in the form that no spreadsheet program runs.

use std::collections::BTreeSet;

use scumble_files::{Control, ReadOptions, Source, Table, read_header, read_table};
use scumble_verify::{from_spreadsheet_safe, name_from_spreadsheet_safe};

use super::check::cannot_check;
use super::{is_spreadsheet_safe, read_options};
use crate::config::Read;
use crate::error::Result;

/// A table, and the form in which it is written.
#[derive(Debug, Clone)]
pub struct WrittenTable<'a> {
    /// Where it is.
    pub source: &'a Source,
    /// Whether its texts are written so that no spreadsheet program runs them. For a file, the datasheet beside it says so.
    pub spreadsheet_safe: bool,
    /// How the table is to be read, if not as the plan says.
    pub read: Option<Read>,
}

impl<'a> From<&'a Source> for WrittenTable<'a> {
    fn from(source: &'a Source) -> Self {
        let spreadsheet_safe = source.path().is_some_and(is_spreadsheet_safe);
        Self { source, spreadsheet_safe, read: None }
    }
}

impl WrittenTable<'_> {
    /// Reads the names of its columns.
    pub(crate) fn open(&self, read: &Read, control: &Control) -> Result<OpenTable<'_>> {
        let read = self.read.as_ref().unwrap_or(read);
        let options = ReadOptions { control: control.clone(), ..read_options(read)? };
        let in_file = read_header(self.source, &options)?.names;
        let meant = |name: &String| match self.spreadsheet_safe {
            true => name_from_spreadsheet_safe(name).map(str::to_owned).map_err(cannot_check),
            false => Ok(name.clone()),
        };
        let names = in_file.iter().map(meant).collect::<Result<_>>()?;
        Ok(OpenTable { table: self, options, names, in_file })
    }

    /// Reads the whole table, and undoes the spreadsheet-safe form.
    pub fn read_whole(&self, read: &Read, control: &Control) -> Result<Table> {
        self.open(read, control)?.read(None)
    }
}

/// A table whose column names are known.
pub(crate) struct OpenTable<'a> {
    table: &'a WrittenTable<'a>,
    options: ReadOptions,
    /// The names of its columns, without the marks of the spreadsheet-safe form.
    pub(crate) names: Vec<String>,
    /// The names of its columns as they are written.
    in_file: Vec<String>,
}

impl OpenTable<'_> {
    /// Reads some of the columns, or all.
    pub(crate) fn read(self, columns: Option<&[&str]>) -> Result<Table> {
        // A set, as there may be a hundred thousand columns.
        let asked: Option<BTreeSet<&str>> = columns.map(|columns| columns.iter().copied().collect());
        let is_asked = |name: &str| asked.as_ref().is_none_or(|asked| asked.contains(name));
        let both = self.names.iter().zip(&self.in_file);
        let wanted = both.filter(|(name, _)| is_asked(name)).map(|(_, in_file)| in_file.clone()).collect();
        let mut read = read_table(self.table.source, &ReadOptions { columns: Some(wanted), ..self.options })?;
        if self.table.spreadsheet_safe {
            read.coded = from_spreadsheet_safe(&read.coded).map_err(cannot_check)?;
        }
        Ok(read)
    }
}
