//! A table as somebody has written it, perhaps with a delimiter of its own or in a form for a spreadsheet program.

use std::collections::BTreeSet;
use std::path::PathBuf;

use scumble_files::{Control, ReadOptions, Source, Table, read_header, read_table};
use scumble_verify::WrittenForm;

use super::check::cannot_check;
use super::{read_options, written_form};
use crate::config::{Column, Plan, Range, Read};
use crate::error::Result;

/// A table, and the form in which it is written.
#[derive(Debug, Clone)]
pub struct WrittenTable<'a> {
    /// Where it is.
    pub source: &'a Source,
    /// How its texts are written, where that differs from what they mean. For a file, the datasheet beside it says so.
    pub form: WrittenForm,
    /// How the table is to be read, if not as the plan says.
    pub read: Option<Read>,
}

impl<'a> From<&'a Source> for WrittenTable<'a> {
    fn from(source: &'a Source) -> Self {
        let table = source.address().map(|address| PathBuf::from(address.text()));
        let form = source.path().or(table.as_deref()).map(written_form).unwrap_or_default();
        Self { source, form, read: None }
    }
}

/// The options for reading a table that is written in this form, if nobody says otherwise.
pub(crate) fn in_form(form: &WrittenForm, options: ReadOptions) -> ReadOptions {
    let of_form = form.delimiter.filter(char::is_ascii).and_then(|delimiter| u8::try_from(delimiter).ok());
    ReadOptions { delimiter: options.delimiter.or(of_form), ..options }
}

impl WrittenTable<'_> {
    /// Reads the names of its columns. Where the plan writes a column as two and the table has these two in its place, it is read as one.
    pub(crate) fn open(&self, plan: &Plan, read: &Read, control: &Control) -> Result<OpenTable<'_>> {
        let read = self.read.as_ref().unwrap_or(read);
        let options = ReadOptions { control: control.clone(), ..in_form(&self.form, read_options(read)?) };
        let in_file = read_header(self.source, &options)?.names;
        let mut form = self.form.clone();
        let has: BTreeSet<String> =
            form.columns(&in_file).map_err(cannot_check)?.into_iter().map(|(name, _)| name).collect();
        let in_two = |(name, column): &&(String, Column)| {
            let written = Range::columns_of(name);
            column.range == Range::TwoColumns
                && !has.contains(name)
                && written.iter().all(|name| has.contains(name))
        };
        form.ranges.extend(plan.columns.iter().filter(in_two).map(|(name, _)| name.clone()));
        let (names, in_file) = form.columns(&in_file).map_err(cannot_check)?.into_iter().unzip();
        Ok(OpenTable { source: self.source, form, options, names, in_file })
    }

    /// Reads the whole table as it is meant.
    pub fn read_whole(&self, plan: &Plan, read: &Read, control: &Control) -> Result<Table> {
        self.open(plan, read, control)?.read(None)
    }
}

/// A table whose column names are known.
pub(crate) struct OpenTable<'a> {
    source: &'a Source,
    form: WrittenForm,
    options: ReadOptions,
    /// The names of its columns as they are meant.
    pub(crate) names: Vec<String>,
    /// For each of them the names of its columns as they are written.
    in_file: Vec<Vec<String>>,
}

impl OpenTable<'_> {
    /// Reads some of the columns, or all, as they are meant.
    pub(crate) fn read(self, columns: Option<&[&str]>) -> Result<Table> {
        // A set, as there may be a hundred thousand columns.
        let asked: Option<BTreeSet<&str>> = columns.map(|columns| columns.iter().copied().collect());
        let is_asked = |name: &str| asked.as_ref().is_none_or(|asked| asked.contains(name));
        let both = self.names.iter().zip(&self.in_file);
        let wanted =
            both.filter(|(name, _)| is_asked(name)).flat_map(|(_, in_file)| in_file.clone()).collect();
        let mut read = read_table(self.source, &ReadOptions { columns: Some(wanted), ..self.options })?;
        read.coded = self.form.meaning(read.coded).map_err(cannot_check)?;
        Ok(read)
    }
}
