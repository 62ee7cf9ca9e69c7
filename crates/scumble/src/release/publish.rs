//! Where the files of a run go, and how they get their names: all written out first, then named one after the other.

use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use scumble_files::{Audience, Compression, OutFormat, PrivateFile, PrivateFolder};

use super::tables::manifest::{MANIFEST, Manifest};
use super::{Released, RunOptions, Seconds, Summary, datasheet};
use crate::config::Plan;
use crate::error::{Error, Result};

/// What the folder of the private report holds.
const REPORT_FILES: [&str; 3] = ["report.html", "report.json", "recoding.json"];

/// Where things go.
#[derive(Clone)]
pub(super) struct Targets {
    release: Option<PathBuf>,
    pub(super) report: Option<PathBuf>,
    /// Where the recoding goes besides the report.
    pub(super) recoding: Option<PathBuf>,
    pub(super) format: OutFormat,
    /// Who may read the release.
    audience: Audience,
}

impl Targets {
    /// Where a folder of several tables goes: it has the name of the output without its ending, which tells the format.
    pub(super) fn of_several(plan: &Plan, folder: &Path) -> Result<Self> {
        if plan.output == "-" {
            return Err(Error::config(
                "several tables go into a folder, not to standard output; give a name, e.g. -o release",
            ));
        }
        let report = (!plan.report.is_empty()).then(|| folder.join(&plan.report));
        let output = folder.join(&plan.output);
        if output.file_name().is_none() {
            return Err(Error::config(format!(
                "'{}' is not the name of a new folder, which several tables go into; give one, e.g. -o release",
                plan.output
            )));
        }
        let release = output.with_file_name(stem_of(&output));
        let format = if release.file_name() == output.file_name() {
            OutFormat::Csv { delimiter: b',', compression: Compression::None }
        } else {
            scumble_files::format_for(&output)?
        };
        sweep_beside(&release);
        check_replaceable(&release)?;
        let reports = report.iter().flat_map(|folder| REPORT_FILES.map(|name| folder.join(name)));
        Self::check_apart(plan, folder, &reports.chain([release.clone()]).collect::<Vec<_>>())?;
        // The folder is replaced as a whole, with all that is in it.
        let read = [&plan.input].into_iter().chain(&plan.population).chain(&plan.hierarchies);
        let read = read.chain(plan.table.iter().map(|table| &table.file)).map(|name| beside(folder, name));
        if let Some(inside) = read.chain(report.clone()).find(|path| is_inside(path, &release)) {
            return Err(Error::config(format!(
                "'{}' is in the folder '{}', which is replaced as a whole; choose another name for one of them",
                inside.display(),
                release.display()
            )));
        }
        Ok(Self { release: Some(release), report, recoding: None, format, audience: Audience::Public })
    }

    pub(super) fn of(plan: &Plan, folder: &Path) -> Result<Self> {
        let report = (!plan.report.is_empty()).then(|| folder.join(&plan.report));
        let recoding = plan.recoding.as_ref().map(|name| folder.join(name));
        if plan.output == "-" {
            let format = OutFormat::Csv { delimiter: b',', compression: Compression::None };
            let targets = Self { release: None, report, recoding, format, audience: Audience::Public };
            Self::check_apart(plan, folder, &targets.files())?;
            return Ok(targets);
        }
        let release = folder.join(&plan.output);
        let format = scumble_files::format_for(&release)?;
        sweep_beside(&release);
        let targets = Self { release: Some(release), report, recoding, format, audience: Audience::Public };
        Self::check_apart(plan, folder, &targets.files())?;
        Ok(targets)
    }

    /// Where rows go that only their owner may see: a file without a datasheet, which would promise what was not judged.
    pub(super) fn of_private(plan: &Plan, folder: &Path) -> Result<Self> {
        let targets = Self { audience: Audience::Owner, ..Self::of(plan, folder)? };
        let sheets = ["datasheet.json", "datasheet.md"].into_iter();
        match sheets.filter_map(|ending| targets.beside_release(ending)).find(|sheet| sheet.exists()) {
            None => Ok(targets),
            Some(sheet) => Err(Error::config(format!(
                "there is a datasheet '{}', which would stand beside rows that it says nothing about; choose another name",
                sheet.display()
            ))),
        }
    }

    /// An error if one of the files that a run writes is this one.
    pub(super) fn check_spared(&self, what: &str, file: &Path) -> Result<()> {
        match self.files().iter().find(|target| scumble_files::same_file(file, target)) {
            None => Ok(()),
            Some(target) => Err(Error::config(format!(
                "the output is {what} itself: '{}' would be overwritten; choose another name",
                target.display()
            ))),
        }
    }

    /// An error if one of the files that a run writes is one that it reads.
    fn check_apart(plan: &Plan, folder: &Path, files: &[PathBuf]) -> Result<()> {
        let input = beside(folder, &plan.input);
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let twice = |(place, target): &(usize, &PathBuf)| {
            files[..*place].iter().any(|other| absolute(other) == absolute(target))
        };
        if let Some((_, target)) = files.iter().enumerate().find(twice) {
            return Err(Error::config(format!(
                "two of the files that are written are called '{}'; choose another name for one of them",
                target.display()
            )));
        }
        for target in files {
            if input != Path::new("-") && scumble_files::same_file(&input, target) {
                return Err(Error::config(format!(
                    "the output is the input itself: '{}' would be overwritten; choose another name, since the original must \
                     stay as it is",
                    target.display()
                )));
            }
            let before = |table: &crate::config::TableSpec| {
                scumble_files::same_file(&folder.join(&table.file), target)
            };
            if plan.table.iter().any(before) {
                return Err(Error::config(format!(
                    "the output is a table that was published before: '{}' would be overwritten; choose another name",
                    target.display()
                )));
            }
            if plan
                .population
                .as_ref()
                .is_some_and(|name| scumble_files::same_file(&folder.join(name), target))
            {
                return Err(Error::config(format!(
                    "the output is the population itself: '{}' would be overwritten; choose another name",
                    target.display()
                )));
            }
        }
        Ok(())
    }

    /// Every file that a run writes.
    fn files(&self) -> Vec<PathBuf> {
        let sheets =
            ["datasheet.json", "datasheet.md"].into_iter().filter_map(|ending| self.beside_release(ending));
        let reports = self.report.iter().flat_map(|folder| REPORT_FILES.map(|name| folder.join(name)));
        self.release.iter().cloned().chain(sheets).chain(reports).chain(self.recoding.clone()).collect()
    }

    pub(super) fn private_file(&self) -> Result<PrivateFile> {
        let beside_nothing = std::env::temp_dir().join("scumble-release.csv");
        Ok(PrivateFile::create(self.release.as_ref().unwrap_or(&beside_nothing))?)
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
        }
    }

    pub(super) fn name(&self) -> String {
        let name = self.release.as_ref().and_then(|path| path.file_name());
        name.map_or("standard output".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// `release.csv` and `datasheet.md` give `release.datasheet.md`.
    fn beside_release(&self, ending: &str) -> Option<PathBuf> {
        let release = self.release.as_ref()?;
        Some(release.with_file_name(format!("{}.{ending}", stem_of(release))))
    }
}

/// The name of a file without the endings that tell its format: `visits.2024.csv.gz` is `visits.2024`.
#[must_use]
pub fn stem_of(file: &Path) -> String {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut stem = name.as_str();
    for ending in [".gz", ".zst", ".csv", ".tsv", ".txt", ".parquet", ".arrow", ".feather", ".ipc"] {
        stem = stem.strip_suffix(ending).unwrap_or(stem);
    }
    if stem.is_empty() { "release".to_owned() } else { stem.to_owned() }
}

/// Removes what a run that was killed may have left in the folder of a file.
fn sweep_beside(file: &Path) {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Leftovers that cannot be removed are unreadable for others and harm nothing.
    let _ = scumble_files::sweep(folder);
}

/// Whether a path is a folder or leads into it, also by another name.
fn is_inside(path: &Path, folder: &Path) -> bool {
    // What does not exist yet is looked for from its parent on.
    let real = |path: &Path| {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let there = absolute.ancestors().find_map(|part| Some((part.canonicalize().ok()?, part.to_owned())));
        match there {
            Some((real, part)) => absolute.strip_prefix(&part).map(|rest| real.join(rest)).unwrap_or(real),
            None => absolute,
        }
    };
    real(path).starts_with(real(folder))
}

/// An error if a folder is there that is not an earlier release of several tables, with nothing else in it: a release takes the
/// place of the whole folder.
fn check_replaceable(release: &Path) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(release) else { return Ok(()) };
    let names: Vec<String> =
        entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect();
    let earlier = names.is_empty()
        || names.iter().any(|name| name == MANIFEST)
            && Manifest::load(release)
                .is_ok_and(|manifest| names.iter().all(|name| manifest.files().contains(&name.as_str())));
    if earlier {
        return Ok(());
    }
    Err(Error::config(format!(
        "the folder '{}' holds other things than an earlier release, and would be replaced as a whole; choose another name, or \
         move them away",
        release.display()
    )))
}

pub(super) fn beside(folder: &Path, name: &str) -> PathBuf {
    if name == "-" { PathBuf::from(name) } else { folder.join(name) }
}

/// What is written besides the release.
pub(super) struct Papers {
    /// The private report, complete.
    pub(super) report: Option<crate::report::data::Report>,
    /// The rule that was applied, as JSON. Private.
    pub(super) recoding: Vec<u8>,
    /// What may be said in public, if anything.
    pub(super) sheet: Option<datasheet::Datasheet>,
}

/// Gives a verified release its name, and writes its papers.
pub(super) fn publish(
    file: PrivateFile,
    targets: &Targets,
    papers: Papers,
    summary: Summary,
    options: &mut RunOptions<'_>,
    mut seconds: Seconds,
    started: Instant,
) -> Result<Released> {
    let clock = Instant::now();
    let mut released = Released { summary, release: None, datasheet: None, report: None, recoding: None };
    // Everything is written out before anything gets its name: a full disk then publishes nothing at all.
    let mut private = staged_report(targets, papers.report, &papers.recoding, &mut released)?;
    if let Some(target) = &targets.recoding {
        sweep_beside(target);
        private.push(staged(target, |out| out.write_all(&papers.recoding).map_err(Into::into))?);
        released.recoding = Some(target.clone());
    }
    let mut public = Vec::new();
    if let (Some(sheet), Some(json), Some(markdown)) =
        (&papers.sheet, targets.beside_release("datasheet.json"), targets.beside_release("datasheet.md"))
    {
        public.push(staged(&json, |out| serde_json::to_writer_pretty(out, sheet).map_err(Into::into))?);
        public.push(staged(&markdown, |out| {
            out.write_all(datasheet::markdown(sheet).as_bytes()).map_err(Into::into)
        })?);
        released.datasheet = Some(markdown);
    }
    private.into_iter().try_for_each(|file| file.publish(Audience::Owner))?;
    // The release before its datasheet: a datasheet beside an older release would claim what was never checked.
    match (&targets.release, options.standard_output.as_deref_mut()) {
        (Some(target), _) => {
            file.publish(targets.audience)?;
            released.release = Some(target.clone());
        }
        (None, Some(out)) => {
            copy(&file, out)
                .map_err(|source| Error::Io { what: "cannot write to standard output".into(), source })?;
        }
        (None, None) => return Err(Error::config("the output is '-', but there is no standard output here")),
    }
    public.into_iter().try_for_each(|file| file.publish(Audience::Public))?;
    finish(&mut released, &mut seconds, clock, started);
    Ok(released)
}

/// The private report, written out and without names yet.
fn staged_report(
    targets: &Targets,
    report: Option<crate::report::data::Report>,
    recoding: &[u8],
    released: &mut Released,
) -> Result<Vec<PrivateFile>> {
    let (Some(folder), Some(report)) = (&targets.report, report) else { return Ok(Vec::new()) };
    scumble_files::create_private_dir(folder)?;
    let [page, data, rule] = REPORT_FILES.map(|name| folder.join(name));
    sweep_beside(&page);
    let files = vec![
        staged(&page, |out| out.write_all(crate::report::html(&report)?.as_bytes()).map_err(Into::into))?,
        staged(&data, |out| serde_json::to_writer_pretty(out, &report).map_err(Into::into))?,
        staged(&rule, |out| out.write_all(recoding).map_err(Into::into))?,
    ];
    released.report = Some(page);
    Ok(files)
}

/// Gives a verified folder of several tables its name, with the datasheet in it, and writes the private report.
pub(super) fn publish_folder(
    folder: PrivateFolder,
    targets: &Targets,
    papers: Papers,
    summary: Summary,
    mut seconds: Seconds,
    started: Instant,
) -> Result<Released> {
    let clock = Instant::now();
    let mut released = Released { summary, release: None, datasheet: None, report: None, recoding: None };
    let private = staged_report(targets, papers.report, &papers.recoding, &mut released)?;
    private.into_iter().try_for_each(|file| file.publish(Audience::Owner))?;
    folder.publish()?;
    released.datasheet = targets.release.as_ref().map(|release| release.join("datasheet.md"));
    released.release.clone_from(&targets.release);
    finish(&mut released, &mut seconds, clock, started);
    Ok(released)
}

/// The figures that are known only at the end.
fn finish(released: &mut Released, seconds: &mut Seconds, clock: Instant, started: Instant) {
    seconds.write += clock.elapsed().as_secs_f64();
    seconds.total = started.elapsed().as_secs_f64();
    released.summary.seconds = seconds.rounded();
    released.summary.peak_memory_bytes = crate::memory::peak();
}

/// A file with its content, which has no name yet.
fn staged(
    target: &Path,
    write: impl FnOnce(&mut std::io::BufWriter<&mut std::fs::File>) -> Result<(), Box<dyn std::error::Error>>,
) -> Result<PrivateFile> {
    let mut file = PrivateFile::create(target)?;
    let mut out = std::io::BufWriter::new(file.file());
    let written = write(&mut out).and_then(|()| out.flush().map_err(Into::into));
    drop(out);
    match written.map_err(|error| error.downcast::<std::io::Error>()) {
        Ok(()) => Ok(file),
        Err(Ok(error)) => Err(scumble_files::cannot_write(target, *error).into()),
        Err(Err(error)) => match error.downcast::<serde_json::Error>() {
            Ok(error) => Err(scumble_files::cannot_write(target, (*error).into()).into()),
            Err(error) => Err(Error::internal(error)),
        },
    }
}

fn copy(file: &PrivateFile, out: &mut (dyn std::io::Write + Send)) -> std::io::Result<()> {
    let mut handle = file.reopen().map_err(std::io::Error::other)?;
    handle.rewind()?;
    std::io::copy(&mut handle, out)?;
    out.flush()
}
