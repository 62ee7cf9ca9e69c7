//! A release that has no name yet: tables that are written where nobody else can read them, and read back from there.

use std::fs::File;

use scumble_files::table::{CodedTable, Texts};
use scumble_files::{
    Batches, ColumnType, Control, OutColumn, OutFormat, PrivateFile, PrivateFolder, ReadOptions, Source,
    Tick, Unit, WriteOptions, read_table, write_batches, write_table,
};

use super::datasheet::value_kind;
use super::form::Form;
use super::gate::{self, Passed, RowNumbers};
use super::joined::Told;
use super::table_stage::TableStage;
use super::targets::{Sink, Targets};
use crate::config::Plan;
use crate::error::{Error, Result};
use crate::table::kind::{Inference, Kind};
use crate::table::label::STAR;
use crate::table::quasi::{Quasi, Value};

/// The name of the written release in messages.
const WRITTEN: &str = "the written release";

/// A release without a name.
pub(super) struct Staged<'a> {
    pub(super) place: Staging,
    plan: &'a Plan,
    sink: &'a Sink<'a>,
    control: &'a Control,
    format: OutFormat,
    /// How its tables are written.
    pub(super) form: Form,
    gated: Option<Gated<'a>>,
    /// What the gate reported about the tables that were read back.
    pub(super) passed: Passed,
    /// The columns of codes by which the table is joined with others, if it is.
    pub(super) keys: Option<Vec<String>>,
    /// What the verifier needs to judge the joined tables, once the table by itself was verified.
    pub(super) told: Option<Told>,
}

/// What the gate needs to check the written tables.
#[derive(Clone, Copy)]
pub(super) struct Gated<'a> {
    /// The table that the release was made from.
    pub(super) source: &'a CodedTable,
    /// Which row of the file each of its rows is.
    pub(super) rows: RowNumbers<'a>,
}

/// Where the tables of a release are.
pub(super) enum Staging {
    /// The one table.
    File(PrivateFile),
    /// The one table, in a database.
    Table(TableStage),
    /// Several tables, in the order in which they were written.
    Folder(PrivateFolder, Vec<File>),
    /// The tables of a release in memory, with their names if there are several.
    Memory(Vec<(String, Batches)>),
}

impl<'a> Staged<'a> {
    /// A place for one table, or for several.
    pub(super) fn new(
        (plan, form): (&'a Plan, Form),
        sink: &'a Sink<'a>,
        control: &'a Control,
        gated: Option<Gated<'a>>,
        is_several: bool,
    ) -> Result<Self> {
        let place = match sink {
            Sink::Memory => Staging::Memory(Vec::new()),
            Sink::Files(targets) if is_several => Staging::Folder(targets.private_folder()?, Vec::new()),
            Sink::Files(Targets { table: Some(table), .. }) => Staging::Table(TableStage::of(table)),
            Sink::Files(targets) => Staging::File(targets.private_file()?),
        };
        let format = match sink {
            Sink::Memory => OutFormat::ArrowIpc,
            Sink::Files(targets) => targets.format,
        };
        Ok(Self {
            place,
            plan,
            sink,
            control,
            format,
            form,
            gated,
            passed: Passed::default(),
            keys: None,
            told: None,
        })
    }

    /// Forgets what was written.
    pub(super) fn clear(&mut self) -> Result<()> {
        let is_several = matches!(self.place, Staging::Folder(..));
        let form = std::mem::take(&mut self.form).unwritten();
        let keys = self.keys.take();
        let fresh = Self::new((self.plan, form), self.sink, self.control, self.gated, is_several)?;
        *self = Self { keys, ..fresh };
        Ok(())
    }

    /// The file name of one of several tables.
    pub(super) fn file_name(&self, table: &str) -> String {
        match self.sink {
            Sink::Files(targets) => format!("{table}.{}", targets.ending()),
            Sink::Memory => table.to_owned(),
        }
    }

    /// Writes a table; `name` is its name among several.
    pub(super) fn write(&mut self, name: &str, columns: &[OutColumn<'_>], order: &[u32]) -> Result<()> {
        let name = match &self.place {
            Staging::File(_) => self.plan.output.clone(),
            Staging::Table(stage) => stage.name(),
            Staging::Folder(..) | Staging::Memory(_) => self.file_name(name),
        };
        self.control.begin_in(Some(order.len() as u64), Unit::Rows);
        let options = WriteOptions {
            format: self.format,
            name: &name,
            threads: 0,
            control: self.control,
            spreadsheet_safe: self.plan.spreadsheet_safe,
            byte_order_mark: self.plan.output_dialect.is_some(),
        };
        let written = self.form.write(columns)?;
        let columns: Vec<OutColumn<'_>> = columns
            .iter()
            .zip(&written)
            .flat_map(|(meant, written)| match &written[..] {
                [] => vec![*meant],
                written => written.iter().map(|written| written.column(meant)).collect(),
            })
            .collect();
        let columns = &columns[..];
        match &mut self.place {
            Staging::File(file) => write_table(file.file(), columns, order, &options)?,
            Staging::Table(stage) => stage.write(columns, order, &options, replaces(self.sink))?,
            Staging::Folder(folder, files) => {
                let mut file = folder.file(&name)?;
                write_table(&mut file, columns, order, &options)?;
                files.push(file);
            }
            Staging::Memory(tables) => {
                let table = write_batches(columns, order, 0, self.control)?;
                tables.push((name, table));
            }
        }
        Ok(())
    }

    /// Reads the written tables back. Returns an error if a quasi-identifier still shows personal data. Only tables that were read back are
    /// verified, so nothing gets a name that has not passed here.
    pub(super) fn read_back(&mut self) -> Result<Vec<CodedTable>> {
        let tables = self.read_all()?;
        if let Some(Gated { source, rows }) = self.gated {
            self.passed = gate::labels(self.plan, &tables, source, rows)?;
        }
        // Progress from here on counts rows checked, for each model and each column.
        self.control.begin_in(None, Unit::Rows);
        Ok(tables)
    }

    fn read_all(&mut self) -> Result<Vec<CodedTable>> {
        let of_file = |file| Source::from_file(file, WRITTEN);
        if let Staging::Table(stage) = &mut self.place {
            let rows = of_file(stage.read_back(self.control)?);
            return Ok(vec![self.read_from(&rows)?]);
        }
        match &self.place {
            Staging::Table(_) => Err(Error::internal("a table of a database was read like a file")),
            Staging::File(file) => Ok(vec![self.read_from(&of_file(file.reopen()?))?]),
            Staging::Folder(_, files) => {
                let again = |file: &File| {
                    let unread = |source| Error::io("cannot read back", source);
                    self.read_from(&of_file(file.try_clone().map_err(unread)?))
                };
                files.iter().map(again).collect()
            }
            Staging::Memory(tables) => {
                let again = |(_, table): &(String, Batches)| {
                    let source = Source::from_batches(table.clone(), WRITTEN);
                    self.meaning(read_table(&source, &self.read_options())?.coded)
                };
                tables.iter().map(again).collect()
            }
        }
    }

    /// Reads back the one table that was written.
    pub(super) fn read_back_one(&mut self) -> Result<CodedTable> {
        self.read_back()?.pop().ok_or_else(|| Error::internal("nothing was written"))
    }

    fn read_options(&self) -> ReadOptions {
        ReadOptions { control: self.control.clone(), ..ReadOptions::default() }
    }

    /// The control through which the run can be stopped.
    pub(super) fn control(&self) -> &'a Control {
        self.control
    }

    /// Returns an error if the run is to stop. Called between the steps of verifying.
    pub(super) fn check(&self) -> Result<()> {
        self.control.check()
    }

    fn read_from(&self, source: &Source) -> Result<CodedTable> {
        // The format of the file is known, so nothing is left to detection.
        let delimiter = match self.format {
            OutFormat::Csv { delimiter, .. } => Some(delimiter),
            _ => None,
        };
        let encoding = Some(scumble_files::Encoding::Utf8);
        let options = ReadOptions { header: Some(true), delimiter, encoding, ..self.read_options() };
        self.meaning(read_table(source, &options)?.coded)
    }

    /// A table that was read back, as it is meant.
    fn meaning(&self, table: CodedTable) -> Result<CodedTable> {
        Ok(self.form.written.meaning(table)?)
    }
}

/// Whether a release may take the place of what stands there.
fn replaces(sink: &Sink<'_>) -> bool {
    matches!(sink, Sink::Files(targets) if targets.replaces())
}

/// The type of texts that are published unchanged.
pub(super) fn column_type(texts: &Texts) -> ColumnType {
    type_of(texts.iter())
}

/// The type of a quasi-identifier that shows these values, and of their labels: that of its texts if nothing was coarsened.
pub(super) fn label_type(
    quasi: &Quasi,
    mut values: impl Iterator<Item = Value>,
    labels: &Texts,
) -> ColumnType {
    let is_exact = |value| value == Value::Star || value_kind(quasi, value) == "value";
    match values.all(is_exact) {
        // A suppressed row that is written keeps its *, and the column is text then.
        true => type_of(labels.iter().filter(|label| *label != STAR)),
        false => ColumnType::Text,
    }
}

fn type_of<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> ColumnType {
    let texts = texts.filter(|text| !text.is_empty());
    // Yes and no are written in many ways, and only these two words are what a reader of the type gets.
    if texts.clone().next().is_some() && texts.clone().all(|text| matches!(text, "true" | "false")) {
        return ColumnType::Boolean;
    }
    match Kind::infer(texts) {
        Inference::Clear(Kind::Integer) => ColumnType::Integer,
        Inference::Clear(Kind::Decimal) => ColumnType::Float,
        Inference::Clear(Kind::Date(_)) => ColumnType::Date,
        Inference::Clear(Kind::Timestamp { zone }) => ColumnType::Timestamp { zone, unit: Tick::Micro },
        Inference::Clear(Kind::Time) => ColumnType::Time { unit: Tick::Micro },
        _ => ColumnType::Text,
    }
}
