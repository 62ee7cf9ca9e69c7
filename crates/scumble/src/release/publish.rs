//! How the files of a run get their names.
//!
//! Everything that can fail is done first: all content is on the disk, without a name. Then come, one after the other:
//!
//! 1. the datasheets of the release that stands there lose their names;
//! 2. the release gets its name;
//! 3. its datasheets get theirs, and then the private papers.
//!
//! So a datasheet never stands next to a release that it does not describe, even if a run is killed. Two runs that publish in one
//! folder wait for each other. A failure in step 1 or 2 means that nothing was published; a later failure is reported as such.

use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use scumble_files::{Audience, FolderLock, Named, PrivateFile, PrivateFolder, SetAside, folder_of};

use super::datasheet::Datasheet;
use super::described::{ENDINGS, FileSheet, older_datasheets_of};
use super::pipeline::{Destination, Documents, Watched};
use super::staged::Staging;
use super::table_stage::TableStage;
use super::tables::manifest::MANIFEST;
use super::targets::{REPORT_FILES, Sink, Targets, sweep_beside};
use super::{Released, Summary, datasheet};
use crate::error::{Error, ErrorKind, Result, Setting};
use crate::report::data::Report;

/// Files, which get their names once the release is verified.
pub(super) struct Files<'a, 'o> {
    pub(super) targets: &'a Targets,
    /// Where the release goes if it has no name.
    pub(super) standard_output: Option<&'o mut (dyn Write + Send)>,
}

impl Destination for Files<'_, '_> {
    type Made = Released;

    fn sink(&self) -> Sink<'_> {
        Sink::Files(self.targets)
    }

    fn title(&self) -> Option<String> {
        // The verdict rests on the report, so it is made even if nobody wants the page.
        Some(self.targets.name())
    }

    fn take_over(
        &mut self,
        place: Staging,
        mut papers: Documents<'_>,
        summary: Summary,
        watched: &Watched<'_>,
    ) -> Result<Released> {
        let mut released = Released::of(summary);
        if let Some(report) = &mut papers.report {
            report.made.clone_from(&self.targets.made);
        }
        let troubles = match place {
            Staging::File(file) => self.publish_file(file, papers, &mut released, watched),
            Staging::Folder(folder, files) => {
                drop(files);
                publish_folder(folder, self.targets, papers, &mut released, watched)
            }
            Staging::Table(stage) => self.publish_table(stage, papers, &mut released, watched),
            Staging::Memory(_) => Err(Error::internal("a release in memory has no name")),
        }?;
        after(&released, &troubles)?;
        Ok(released)
    }

    fn summary(made: &mut Released) -> &mut Summary {
        &mut made.summary
    }
}

/// Adds to an error that nothing was published.
pub(super) fn unpublished(error: Error) -> Error {
    if error.kind() != ErrorKind::Io || error.what().contains("was published") {
        return error;
    }
    error.reworded(|what| what + "; nothing was published")
}

impl Files<'_, '_> {
    /// Gives one table its name. Returns the failures after that point.
    fn publish_file(
        &mut self,
        mut file: PrivateFile,
        mut papers: Documents<'_>,
        released: &mut Released,
        watched: &Watched<'_>,
    ) -> Result<Vec<Error>> {
        let targets = self.targets;
        // Everything is written out before anything gets its name: a full disk then publishes nothing at all.
        if papers.row_map.is_some() || papers.sheet.is_some() && targets.release.is_some() {
            is_about(targets, &mut papers, &file.sha256().map_err(unpublished)?, released);
        }
        watched.check()?;
        // The slowest step comes before any folder is made.
        file.ready().map_err(unpublished)?;
        let Beside { made, public, private } = beside(targets, &papers, released, watched)?;
        let mut troubles = Vec::new();
        match (&targets.release, self.standard_output.as_deref_mut()) {
            (Some(target), _) => {
                let lock = FolderLock::exclusive(folder_of(target), watched.progress.control())?;
                watched.last_look()?;
                let name = || file.publish(targets.audience).map(|named| named.trouble);
                let named = name_release(name, public, target, targets, &mut released.summary.warnings)?;
                drop(lock);
                troubles.extend(named);
                released.release = Some(target.clone());
            }
            (None, Some(out)) => {
                watched.last_look()?;
                targets.confirm()?;
                copy(&file, out)?;
            }
            (None, None) => {
                return Err(Error::config("the output is '-', but there is no standard output here"));
            }
        }
        made.keep();
        private.into_iter().for_each(|paper| troubles.extend(trouble(paper.publish(Audience::Owner))));
        Ok(troubles)
    }

    /// Commits a table of a database. Returns the failures after that point.
    fn publish_table(
        &mut self,
        mut stage: TableStage,
        mut papers: Documents<'_>,
        released: &mut Released,
        watched: &Watched<'_>,
    ) -> Result<Vec<Error>> {
        let targets = self.targets;
        let (Some(table), Some(documents)) = (&targets.table, &targets.documents) else {
            return Err(Error::internal("a table of a database without an address"));
        };
        is_about(targets, &mut papers, &stage.sha256().map_err(unpublished)?, released);
        let Beside { made, public, private } = beside(targets, &papers, released, watched)?;
        let lock = FolderLock::exclusive(folder_of(documents), watched.progress.control())?;
        watched.last_look()?;
        let name = || stage.commit().map(|()| None);
        let mut troubles = name_release(name, public, documents, targets, &mut released.summary.warnings)?;
        drop(lock);
        released.release = Some(PathBuf::from(table.text()));
        made.keep();
        private.into_iter().for_each(|paper| troubles.extend(trouble(paper.publish(Audience::Owner))));
        Ok(troubles)
    }
}

/// Writes into datasheet and row map which release they are about.
pub(super) fn is_about(targets: &Targets, papers: &mut Documents<'_>, sha256: &str, released: &Released) {
    if let (Some(sheet), Some(_)) = (&mut papers.sheet, &targets.documents) {
        let (file, rows) = (targets.name(), Some(released.summary.released));
        sheet.files =
            vec![FileSheet { file, rows, sha256: sha256.to_owned(), in_database: targets.table.is_some() }];
    }
    if let Some(map) = &mut papers.row_map {
        map.is_about([(targets.name().as_str(), sha256)]);
    }
}

/// What stands beside a release of one table, on the disk and without names.
struct Beside {
    made: MadeFolders,
    public: Vec<PrivateFile>,
    private: Vec<PrivateFile>,
}

/// Writes the documents of a release of one table, so that they need nothing more than their names.
fn beside(
    targets: &Targets,
    papers: &Documents<'_>,
    released: &mut Released,
    watched: &Watched<'_>,
) -> Result<Beside> {
    let mut made = MadeFolders::default();
    let mut private = staged_papers(targets, papers, &mut made, released, watched).map_err(unpublished)?;
    let mut public = staged_sheets(targets, papers.sheet.as_ref(), released)?;
    for file in public.iter_mut().chain(&mut private) {
        watched.check()?;
        file.ready().map_err(unpublished)?;
    }
    Ok(Beside { made, public, private })
}

/// Writes the datasheets of a release of one table to files without names.
pub(super) fn staged_sheets(
    targets: &Targets,
    sheet: Option<&Datasheet>,
    released: &mut Released,
) -> Result<Vec<PrivateFile>> {
    let (Some(sheet), [json, markdown]) = (sheet, &targets.sheets()[..]) else { return Ok(Vec::new()) };
    let for_programs = staged(json, |out| serde_json::to_writer_pretty(out, sheet).map_err(Into::into));
    let for_people =
        staged(markdown, |out| out.write_all(datasheet::markdown(sheet).as_bytes()).map_err(Into::into));
    let sheets = vec![for_programs.map_err(unpublished)?, for_people.map_err(unpublished)?];
    released.datasheet = Some(markdown.clone());
    Ok(sheets)
}

/// Gives a release and its datasheets their names, in a locked folder. `name` gives the release its name, and returns what failed after that
/// point; all such failures are returned.
fn name_release(
    name: impl FnOnce() -> Result<Option<Error>>,
    sheets: Vec<PrivateFile>,
    target: &Path,
    targets: &Targets,
    warnings: &mut Vec<String>,
) -> Result<Vec<Error>> {
    targets.confirm()?;
    let older = older_datasheets_of(target);
    let mut aside = Vec::new();
    // The form for people loses its name first: the form that is left is still a whole datasheet of the old release.
    let [json, markdown] = super::described::datasheets_of(target);
    let taken = [markdown, json].iter().chain(&older).try_for_each(|sheet| -> Result<()> {
        aside.extend(SetAside::take(sheet)?);
        Ok(())
    });
    let synced = taken.and_then(|()| if aside.is_empty() { Ok(()) } else { sync(folder_of(target)) });
    let named = synced.and_then(|()| name());
    let named = match named {
        Ok(named) => named,
        Err(error) => {
            let restored: Vec<_> = aside.into_iter().rev().map(SetAside::put_back).collect();
            let error = unpublished(error);
            return Err(match (restored.into_iter().find_map(Result::err), error) {
                (Some(_), error) if error.kind() == ErrorKind::Io => error
                    .reworded(|what| what + ", but the datasheet of the release that is there was removed"),
                (_, error) => error,
            });
        }
    };
    drop(aside);
    if !older.is_empty() {
        let names: Vec<String> = older.iter().map(|path| format!("'{}'", path.display())).collect();
        warnings.push(format!(
            "{} removed: an older version of Scumble wrote it, it names no file, and it does not describe this release",
            names.join(" and ")
        ));
    }
    let mut troubles: Vec<Error> = named.into_iter().collect();
    sheets.into_iter().for_each(|sheet| troubles.extend(trouble(sheet.publish(Audience::Public))));
    Ok(troubles)
}

/// Asks the system to write the changes in a folder to the disk.
pub(super) fn sync(folder: &Path) -> Result<()> {
    let synced = std::fs::File::open(folder).and_then(|opened| opened.sync_all());
    synced.map_err(|error| scumble_files::cannot_write(folder, error))
}

/// The error of a file that was to follow a release, if there was one.
pub(super) fn trouble(published: Result<Named>) -> Option<Error> {
    published.and_then(Named::sound).err()
}

/// Returns an error if anything failed after the release was published; the error says both.
pub(super) fn after(released: &Released, troubles: &[Error]) -> Result<()> {
    if troubles.is_empty() {
        return Ok(());
    }
    let what = match &released.release {
        Some(target) => format!("the release was published as '{}'", target.display()),
        None => "the release was written to standard output".to_owned(),
    };
    let troubles: Vec<String> = troubles.iter().map(ToString::to_string).collect();
    // A file is recognised as a release by its datasheet.
    let is_known = released.release.as_deref().is_none_or(super::described::has_datasheet);
    let error = Error::new(
        ErrorKind::AfterPublishing,
        format!("{what}, but not everything that belongs to it: {}", troubles.join("; ")),
    );
    let again = "mend what failed and run it again";
    Err(if is_known {
        error.advise(again)
    } else {
        error.set(Setting::root("force"), format!("{again}, replacing what is there"))
    })
}

/// Folders that were made for a report, innermost first. They are removed again if nothing is published.
#[derive(Default)]
pub(super) struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    fn make(&mut self, folder: &Path) -> Result<()> {
        let absent: Vec<PathBuf> = folder
            .ancestors()
            .filter(|part| !part.as_os_str().is_empty())
            .take_while(|part| std::fs::symlink_metadata(part).is_err())
            .map(Path::to_owned)
            .collect();
        self.0.extend(absent);
        scumble_files::create_private_dir(folder)
    }

    pub(super) fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        // This removes only empty folders, so files of others stay.
        self.0.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
    }
}

/// Writes the private report, the recoding and the row map to files without names.
fn staged_papers(
    targets: &Targets,
    papers: &Documents<'_>,
    made: &mut MadeFolders,
    released: &mut Released,
    watched: &Watched<'_>,
) -> Result<Vec<PrivateFile>> {
    let mut files = staged_report(targets, papers.report.as_ref(), made, released, watched)?;
    files.extend(staged_rules(targets, papers, made, released, watched)?);
    Ok(files)
}

/// Writes the private report to files without names.
pub(super) fn staged_report(
    targets: &Targets,
    report: Option<&Report>,
    made: &mut MadeFolders,
    released: &mut Released,
    watched: &Watched<'_>,
) -> Result<Vec<PrivateFile>> {
    let mut files = Vec::new();
    if let (Some(folder), Some(report)) = (&targets.report, report) {
        made.make(folder)?;
        let [page, short, data, _] = REPORT_FILES.map(|name| folder.join(name));
        sweep_beside(&page);
        files.push(staged(&page, |out| {
            out.write_all(crate::report::html(report)?.as_bytes()).map_err(Into::into)
        })?);
        files.push(staged(&short, |out| {
            out.write_all(crate::report::summary_html(report)?.as_bytes()).map_err(Into::into)
        })?);
        watched.check()?;
        files.push(staged(&data, |out| serde_json::to_writer_pretty(out, report).map_err(Into::into))?);
        released.report = Some(page);
    }
    watched.check()?;
    Ok(files)
}

/// Writes the recoding and the row map to files without names.
pub(super) fn staged_rules(
    targets: &Targets,
    papers: &Documents<'_>,
    made: &mut MadeFolders,
    released: &mut Released,
    watched: &Watched<'_>,
) -> Result<Vec<PrivateFile>> {
    let mut files = Vec::new();
    if let (Some(folder), Some(_)) = (&targets.report, &papers.report) {
        made.make(folder)?;
        let [.., rule] = REPORT_FILES.map(|name| folder.join(name));
        files.push(staged(&rule, |out| (papers.rule)(out).map_err(Into::into))?);
    }
    watched.check()?;
    if let Some(target) = &targets.recoding {
        sweep_beside(target);
        files.push(staged(target, |out| (papers.rule)(out).map_err(Into::into))?);
        released.recoding = Some(target.clone());
    }
    if let (Some(target), Some(map)) = (&targets.row_map, &papers.row_map) {
        sweep_beside(target);
        files.push(staged(target, |out| serde_json::to_writer(out, map).map_err(Into::into))?);
        released.row_map = Some(target.clone());
    }
    Ok(files)
}

/// Gives a folder of several tables its name, with manifest and datasheets in it. Returns the failures after that point.
fn publish_folder(
    mut folder: PrivateFolder,
    targets: &Targets,
    mut papers: Documents<'_>,
    released: &mut Released,
    watched: &Watched<'_>,
) -> Result<Vec<Error>> {
    add_papers(&mut folder, &mut papers).map_err(unpublished)?;
    let mut made = MadeFolders::default();
    let mut private = staged_papers(targets, &papers, &mut made, released, watched).map_err(unpublished)?;
    for paper in &mut private {
        watched.check()?;
        paper.ready().map_err(unpublished)?;
    }
    let around = targets.release.as_deref().map_or(Path::new("."), folder_of);
    let lock = FolderLock::exclusive(around, watched.progress.control())?;
    watched.last_look()?;
    targets.confirm()?;
    let named = folder.publish().map_err(unpublished)?;
    drop(lock);
    made.keep();
    released.datasheet = targets.release.as_ref().map(|release| release.join(ENDINGS[1]));
    released.release.clone_from(&targets.release);
    let mut troubles: Vec<Error> = named.trouble.into_iter().collect();
    private.into_iter().for_each(|paper| troubles.extend(trouble(paper.publish(Audience::Owner))));
    Ok(troubles)
}

/// Writes the manifest and the datasheets into a folder of tables.
fn add_papers(folder: &mut PrivateFolder, papers: &mut Documents<'_>) -> Result<()> {
    let (Some(sheet), Some(manifest)) = (&mut papers.sheet, &papers.manifest) else {
        return Err(Error::internal("several tables without a manifest"));
    };
    add(folder, MANIFEST, serde_json::to_vec_pretty(manifest).map_err(Error::internal)?)?;
    let rows = |name: &str| manifest.tables.iter().find(|table| table.file == name).map(|table| table.rows);
    let digests = folder.digests()?.into_iter();
    sheet.files = digests
        .map(|(file, sha256)| FileSheet { rows: rows(&file), file, sha256, in_database: false })
        .collect();
    // The tables come first in the list, in their order.
    if let Some(map) = &mut papers.row_map {
        map.is_about(sheet.files.iter().map(|of| (of.file.as_str(), of.sha256.as_str())));
    }
    add(folder, ENDINGS[0], serde_json::to_vec_pretty(sheet).map_err(Error::internal)?)?;
    add(folder, ENDINGS[1], datasheet::markdown(sheet).trim_end().into())
}

/// Writes a text into a folder.
fn add(folder: &mut PrivateFolder, name: &str, mut text: Vec<u8>) -> Result<()> {
    text.push(b'\n');
    let written = folder.file(name)?.write_all(&text);
    written.map_err(|error| scumble_files::cannot_write(Path::new(name), error))
}

/// Writes a file that has no name yet.
fn staged(
    target: &Path,
    write: impl FnOnce(&mut std::io::BufWriter<&mut std::fs::File>) -> Result<(), Box<dyn std::error::Error>>,
) -> Result<PrivateFile> {
    let mut file = PrivateFile::create(target).map_err(unpublished)?;
    let mut out = std::io::BufWriter::new(file.file());
    let written = write(&mut out).and_then(|()| out.flush().map_err(Into::into));
    drop(out);
    match written.map_err(|error| error.downcast::<std::io::Error>()) {
        Ok(()) => Ok(file),
        Err(Ok(error)) => Err(unpublished(scumble_files::cannot_write(target, *error))),
        Err(Err(error)) => match error.downcast::<serde_json::Error>() {
            Ok(error) => Err(unpublished(scumble_files::cannot_write(target, (*error).into()))),
            Err(error) => Err(Error::internal(error)),
        },
    }
}

/// Copies a release to standard output. Output cannot be taken back, so an error says whether anything was written.
fn copy(file: &PrivateFile, out: &mut (dyn Write + Send)) -> Result<()> {
    let mut handle = file.reopen().map_err(unpublished)?;
    let failed = |what: &str, source| Error::io(what, source);
    let again =
        |source| failed("cannot read the temporary copy of the release again; nothing was published", source);
    handle.rewind().map_err(again)?;
    // The length is read first, so that a release that was written as a whole is never reported as cut off.
    let mut left = handle.metadata().map_err(again)?.len();
    let mut buffer = vec![0; 64 << 10];
    let mut begun = false;
    while left > 0 {
        let unread = |source| match begun {
            true => failed(
                "cannot read the temporary copy of the release again; only a part of the release was published",
                source,
            ),
            false => again(source),
        };
        let read = match handle.read(&mut buffer) {
            Ok(0) => return Err(unread(std::io::ErrorKind::UnexpectedEof.into())),
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(unread(error)),
        };
        left = left.saturating_sub(read as u64);
        let mut rest = &buffer[..read];
        while !rest.is_empty() {
            match out.write(rest) {
                Ok(0) => return Err(cut(begun, std::io::ErrorKind::WriteZero.into())),
                Ok(written) => {
                    begun = true;
                    rest = &rest[written..];
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(cut(begun, error)),
            }
        }
    }
    out.flush().map_err(|error| cut(begun, error))
}

/// The error of a release that could not be written to standard output.
fn cut(begun: bool, source: std::io::Error) -> Error {
    let what = if begun {
        "cannot write to standard output; only a part of the release was published"
    } else {
        "cannot write to standard output; nothing was published"
    };
    Error::io(what, source)
}

#[cfg(test)]
mod tests {
    use super::MadeFolders;

    /// A run that publishes nothing leaves no empty folders behind, and removes none that were there before or that somebody uses.
    #[test]
    fn folders_that_were_made_in_vain_go_again() {
        let root = tempfile::tempdir().expect("a folder");
        let (there, report) = (root.path().join("there"), root.path().join("there/all/report"));
        std::fs::create_dir(&there).expect("a folder");
        let make = || {
            let mut made = MadeFolders::default();
            made.make(&report).expect("a folder");
            assert!(report.is_dir());
            made
        };
        drop(make());
        assert!(there.is_dir() && !there.join("all").exists());
        let made = make();
        std::fs::write(there.join("all/note"), "").expect("a file");
        drop(made);
        assert!(there.join("all/note").exists() && !report.exists());
        make().keep();
        assert!(report.is_dir());
    }
}
