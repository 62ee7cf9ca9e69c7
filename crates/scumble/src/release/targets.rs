//! Where the files of a run go.

use std::path::{Path, PathBuf};

use scumble_files::database::Address;
use scumble_files::{Audience, Compression, OutFormat, PrivateFile, PrivateFolder, folder_of};

use super::described::{datasheets_of, folder_has_datasheet, older_datasheets_of};
use super::tables::manifest::{MANIFEST, Manifest};
use crate::config::Plan;
use crate::error::{Error, Result, Setting};
use crate::release::origin;
use crate::release::outputs::{Outputs, Own, real};
use crate::report::data::Made;

/// The files in the folder of the private report.
pub(super) const REPORT_FILES: [&str; 4] = ["report.html", "summary.html", "report.json", "recoding.json"];

/// Where a release goes.
pub(super) enum Sink<'a> {
    /// Into files, with its documents.
    Files(&'a Targets),
    /// To the calling program, as tables in memory.
    Memory,
}

/// Where files go.
#[derive(Clone)]
pub(super) struct Targets {
    pub(super) release: Option<PathBuf>,
    /// The table of a database that it goes into instead.
    pub(super) table: Option<Address>,
    /// The path beside which its documents stand.
    pub(super) documents: Option<PathBuf>,
    pub(super) report: Option<PathBuf>,
    /// Where the recoding goes besides the report.
    pub(super) recoding: Option<PathBuf>,
    /// Where the private row map goes.
    pub(super) row_map: Option<PathBuf>,
    pub(super) format: OutFormat,
    /// Who may read the release.
    pub(super) audience: Audience,
    /// What the release is made from, for the report.
    pub(super) made: Option<Made>,
    /// The claims of all these files.
    outputs: Outputs,
}

impl Targets {
    /// The targets of several tables. Their folder has the name of the output without its ending, which gives the format.
    pub(super) fn of_several(plan: &Plan, folder: &Path, outputs: &Outputs) -> Result<Self> {
        if table_of(plan, folder)?.is_some() {
            return Err(Error::config("several tables go into a folder, not into one table of a database")
                .set(Setting::root("output").to("release"), "name a folder"));
        }
        if plan.output == "-" {
            return Err(Error::config("several tables go into a folder, not to standard output")
                .set(Setting::root("output").to("release"), "name a folder"));
        }
        let report = (!plan.report.is_empty()).then(|| folder.join(&plan.report));
        let output = folder.join(&plan.output);
        if output.file_name().is_none() {
            return Err(Error::config(format!(
                "'{}' is not the name of a new folder, which several tables go into",
                plan.output
            ))
            .set(Setting::root("output").to("release"), "name a new folder"));
        }
        let release = output.with_file_name(stem_of(&output));
        let format = written_for(plan, format_of_several(&output)?)?;
        sweep_beside(&release);
        let mut targets = Self {
            release: Some(release.clone()),
            table: None,
            documents: Some(release.clone()),
            report: report.clone(),
            recoding: None,
            row_map: row_map_of(plan, folder)?,
            format,
            audience: Audience::Public,
            made: origin::made(plan, folder, Some(&release)),
            outputs: Outputs::default(),
        };
        let mut outputs = outputs.clone();
        outputs.read_plan(plan, folder);
        targets.claim_papers(&mut outputs)?;
        if std::fs::symlink_metadata(&release).is_ok_and(|found| found.is_dir()) {
            check_replaceable(&release, outputs.force())?;
            outputs.write(&release, Own::Known)?;
        } else {
            outputs.write(&release, Own::Nothing)?;
        }
        // The folder is replaced as a whole, with all that is in it.
        let read = [&plan.input].into_iter().chain(&plan.population).chain(&plan.hierarchies);
        let read = read.chain(plan.table.iter().map(|table| &table.file)).map(|name| beside(folder, name));
        let private = report.into_iter().chain(targets.row_map.clone());
        if let Some(inside) = read.chain(private).find(|path| is_inside(path, &release)) {
            return Err(Error::config(format!(
                "'{}' is in the folder '{}', which is replaced as a whole",
                inside.display(),
                release.display()
            ))
            .set(Setting::root("output"), "choose another name for the output")
            .advise("move the file out of the folder"));
        }
        origin::check(targets.made.as_ref(), targets.report.as_deref(), outputs.force())?;
        targets.outputs = outputs;
        Ok(targets)
    }

    pub(super) fn of(plan: &Plan, folder: &Path, outputs: &Outputs) -> Result<Self> {
        Self::of_table(plan, folder, outputs, Audience::Public)
    }

    /// The targets of rows that only their owner may see: a file without a datasheet, because a datasheet would promise what was not
    /// checked.
    pub(super) fn of_private(plan: &Plan, folder: &Path, outputs: &Outputs) -> Result<Self> {
        if table_of(plan, folder)?.is_some() {
            return Err(Error::config(
                "rows that are for their owner only go into a file, since a database has its own readers",
            )
            .set(Setting::root("output"), "name a file"));
        }
        let targets = Self::of_table(plan, folder, outputs, Audience::Owner)?;
        let sheets = targets.release.iter().flat_map(|release| {
            datasheets_of(release)
                .into_iter()
                .filter(|path| path.exists())
                .chain(older_datasheets_of(release))
        });
        match sheets.into_iter().next() {
            None => Ok(targets),
            Some(sheet) => Err(Error::config(format!(
                "there is a datasheet '{}', which would stand beside rows that it says nothing about",
                sheet.display()
            ))
            .set(Setting::root("output"), "choose another name for the output")),
        }
    }

    fn of_table(plan: &Plan, folder: &Path, outputs: &Outputs, audience: Audience) -> Result<Self> {
        let report = (!plan.report.is_empty()).then(|| folder.join(&plan.report));
        let recoding = plan.recoding.as_ref().map(|name| folder.join(name));
        let row_map = row_map_of(plan, folder)?;
        let table = table_of(plan, folder)?;
        let release = (plan.output != "-" && table.is_none()).then(|| folder.join(&plan.output));
        let documents = release.clone().or_else(|| Some(table.as_ref()?.documents(folder)));
        let format = release.as_deref().map_or(Ok(PLAIN), scumble_files::format_for)?;
        let format = written_for(plan, format)?;
        if table.is_some() {
            refuse_dialects(plan)?;
        }
        documents.iter().for_each(|beside| sweep_beside(beside));
        let made = origin::made(plan, folder, documents.as_deref());
        let mut targets = Self {
            release,
            table,
            documents,
            report,
            recoding,
            row_map,
            format,
            audience,
            made,
            outputs: Outputs::default(),
        };
        let mut outputs = outputs.clone();
        outputs.read_plan(plan, folder);
        if let Some(release) = &targets.release {
            outputs.write(release, Own::Release)?;
        }
        if let Some(table) = &targets.table {
            outputs.write_table(table)?;
        }
        targets.sheets().iter().try_for_each(|sheet| outputs.write(sheet, Own::Datasheet))?;
        targets.claim_papers(&mut outputs)?;
        origin::check(targets.made.as_ref(), targets.report.as_deref(), outputs.force())?;
        targets.outputs = outputs;
        Ok(targets)
    }

    /// Returns an error if somebody has put something in the way since the run began. Called just before files get their names.
    pub(super) fn confirm(&self) -> Result<()> {
        let folder =
            self.release.iter().filter(|release| self.outputs.has_changed(release) && release.is_dir());
        folder.into_iter().try_for_each(|release| check_replaceable(release, self.outputs.force()))?;
        self.outputs.confirm()
    }

    /// All files that the run reads and writes, as far as they are claimed.
    pub(super) fn claimed(&self) -> Outputs {
        self.outputs.clone()
    }

    /// Whether the user lets a release take the place of anything that stands there.
    pub(super) fn replaces(&self) -> bool {
        self.outputs.force()
    }

    /// Claims the private files of the run.
    fn claim_papers(&self, outputs: &mut Outputs) -> Result<()> {
        if let Some(folder) = &self.report {
            REPORT_FILES.iter().try_for_each(|name| outputs.write(&folder.join(name), Own::Report))?;
        }
        self.recoding.iter().try_for_each(|target| outputs.write(target, Own::Recoding))?;
        self.row_map.iter().try_for_each(|target| outputs.write(target, Own::RowMap))
    }

    /// The datasheets next to the release, if there may be any.
    pub(super) fn sheets(&self) -> Vec<PathBuf> {
        let beside = self.documents.iter().filter(|_| self.audience == Audience::Public);
        beside.flat_map(|beside| datasheets_of(beside)).collect()
    }

    pub(super) fn private_file(&self) -> Result<PrivateFile> {
        match &self.release {
            Some(release) => Ok(PrivateFile::create(release)?),
            None => Ok(PrivateFile::spool()?),
        }
    }

    /// A folder that can become the release.
    pub(super) fn private_folder(&self) -> Result<PrivateFolder> {
        match &self.release {
            Some(release) => Ok(PrivateFolder::create(release)?),
            None => Err(Error::internal("several tables without a folder")),
        }
    }

    /// The ending of a table's file.
    pub(super) fn ending(&self) -> &'static str {
        match self.format {
            OutFormat::Csv { delimiter: b'\t', compression } => match compression {
                Compression::None => "tsv",
                Compression::Gzip => "tsv.gz",
                Compression::Zstd => "tsv.zst",
            },
            OutFormat::Csv { compression, .. } => match compression {
                Compression::None => "csv",
                Compression::Gzip => "csv.gz",
                Compression::Zstd => "csv.zst",
            },
            OutFormat::Parquet => "parquet",
            OutFormat::ArrowIpc => "arrow",
            OutFormat::Workbook => "xlsx",
        }
    }

    pub(super) fn name(&self) -> String {
        let name = self.documents.as_ref().and_then(|path| path.file_name());
        name.map_or("standard output".to_owned(), |name| name.to_string_lossy().into_owned())
    }
}

/// The format unless a name says otherwise.
const PLAIN: OutFormat = OutFormat::Csv { delimiter: b',', compression: Compression::None };

/// The format of a release of one table, if its name gives one.
pub(super) fn format_of(plan: &Plan) -> Option<OutFormat> {
    if plan.output == "-" { Some(PLAIN) } else { scumble_files::format_for(Path::new(&plan.output)).ok() }
}

/// The format of several tables; the name of their folder need not give one.
pub(super) fn format_of_several(output: &Path) -> Result<OutFormat> {
    let names_none = output.file_name().is_some_and(|name| *name == *stem_of(output));
    if names_none { Ok(PLAIN) } else { Ok(scumble_files::format_for(output)?) }
}

/// The table of a database that a plan's output names, if it names one.
fn table_of(plan: &Plan, folder: &Path) -> Result<Option<Address>> {
    let address = Address::recognise(&plan.output).transpose()?;
    Ok(address.map(|address| address.seen_from(folder)))
}

/// Returns an error if a plan asks for a way of writing that only text has.
fn refuse_dialects(plan: &Plan) -> Result<()> {
    let (key, form) = match plan.output_dialect {
        Some(_) => ("output_dialect", "the dialect"),
        None if plan.spreadsheet_safe => ("spreadsheet_safe", "the spreadsheet-safe form"),
        None => return Ok(()),
    };
    Err(Error::config(format!("{form} is for delimited text, and a database holds values, not text"))
        .unset(Setting::root(key), format!("leave {form} out"))
        .set(Setting::root("output"), "give the output the name of a file that ends with .csv"))
}

/// The file of the private row map, if it is wanted. It needs a name: anybody may read what is piped.
fn row_map_of(plan: &Plan, folder: &Path) -> Result<Option<PathBuf>> {
    match plan.row_map.as_deref() {
        Some("-" | "") => Err(Error::config("the row map is a private file and needs a name of its own")
            .set(Setting::root("row_map").to("map.json"), "name a file for the row map")),
        name => Ok(name.map(|name| folder.join(name))),
    }
}

/// The format as the plan's dialect has it. Returns an error if the plan asks for a way of writing that the format does not have.
pub(super) fn written_for(plan: &Plan, format: OutFormat) -> Result<OutFormat> {
    let refused = |what: &str, key: &'static str, form: &str| {
        Err(Error::config(what.to_owned())
            .unset(Setting::root(key), format!("leave {form} out"))
            .set(Setting::root("output"), "give the output another ending, such as .csv"))
    };
    let OutFormat::Csv { delimiter, compression } = format else {
        return match plan.output_dialect {
            _ if plan.spreadsheet_safe => refused(
                "the spreadsheet-safe form is for delimited text, and a program that opens Parquet, Arrow or a workbook runs none of its texts",
                "spreadsheet_safe",
                "the spreadsheet-safe form",
            ),
            Some(_) => refused(
                "a dialect is for delimited text, and Parquet, Arrow and workbooks hold numbers without any decimal mark",
                "output_dialect",
                "the dialect",
            ),
            None => Ok(format),
        };
    };
    match plan.output_dialect {
        Some(dialect) if delimiter == b'\t' => refused(
            &format!(
                "the fields of a .tsv file are separated by tabs, and those of the dialect {} are not",
                dialect.name()
            ),
            "output_dialect",
            "the dialect",
        ),
        Some(dialect) => Ok(OutFormat::Csv { delimiter: dialect.delimiter(), compression }),
        None => Ok(format),
    }
}

/// The name of a file without the endings of its format: `visits.2024.csv.gz` becomes `visits.2024`.
#[must_use]
pub fn stem_of(file: &Path) -> String {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut stem = name.as_str();
    for ending in [".gz", ".zst", ".csv", ".tsv", ".txt", ".parquet", ".arrow", ".feather", ".ipc", ".xlsx"] {
        stem = stem.strip_suffix(ending).unwrap_or(stem);
    }
    if stem.is_empty() { "release".to_owned() } else { stem.to_owned() }
}

/// Removes leftovers of a killed run from the folder of a file.
pub(super) fn sweep_beside(file: &Path) {
    // Others cannot read the leftovers, so those that cannot be removed do no harm.
    let _ = scumble_files::sweep(folder_of(file));
}

/// Whether a path is a folder or leads into it, even by another name.
fn is_inside(path: &Path, folder: &Path) -> bool {
    real(path).starts_with(real(folder))
}

/// Returns an error if the folder exists and holds anything but an earlier release of several tables: a release replaces the
/// whole folder. With `force`, tables that differ from their datasheet may be replaced; other files never are.
fn check_replaceable(release: &Path, force: bool) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(release) else { return Ok(()) };
    let names: Vec<String> =
        entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect();
    let earlier = names.is_empty()
        || names.iter().any(|name| name == MANIFEST)
            && Manifest::load(release)
                .is_ok_and(|manifest| names.iter().all(|name| manifest.files().contains(&name.as_str())));
    if !earlier {
        return Err(Error::config(format!(
            "the folder '{}' holds other things than an earlier release, and would be replaced as a whole",
            release.display()
        ))
        .set(Setting::root("output"), "choose another name for the output")
        .advise("move the other things out of the folder"));
    }
    if names.is_empty() || force || folder_has_datasheet(release) {
        return Ok(());
    }
    Err(Error::config(format!(
        "the folder '{}' is already there, and its files are not as its datasheet says",
        release.display()
    ))
    .set(Setting::root("force"), "replace what is there")
    .set(Setting::root("output"), "choose another name, to keep what is there"))
}

fn beside(folder: &Path, name: &str) -> PathBuf {
    if name == "-" { PathBuf::from(name) } else { folder.join(name) }
}
