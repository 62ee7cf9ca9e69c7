//! The rules for files that are written, the same for every command:
//!
//! - a file that a run reads, or has written already, is never overwritten by it;
//! - a file that is there already is only replaced if it is recognisably what an earlier run has written, or if the user says so
//!   (`--force`).
//!
//! Somebody may put a file there during a run, so the second rule is checked again just before files get their names.
//!
//! A release is recognised by its datasheet, which names the SHA-256 of the file; so a release that somebody has changed counts as theirs.
//! Other files are recognised by their beginning, which only they have.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use scumble_files::database::{self, Address, located};
use scumble_files::same_file;

use crate::config::{KeySource, Plan};
use crate::error::{Error, Result, Setting};
use crate::release::described::{has_datasheet, is_datasheet};

/// The files that a run reads and writes.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    read: Vec<(&'static str, PathBuf)>,
    hierarchies: Vec<(PathBuf, Vec<String>)>,
    written: Vec<Claim>,
    /// The tables of databases that are read.
    tables: Vec<Address>,
    force: bool,
}

/// A file that is going to be written.
#[derive(Debug, Clone)]
struct Claim {
    path: PathBuf,
    own: Own,
    /// The file that stood under the name when it was claimed.
    seen: Option<Seen>,
}

/// What identifies a file and shows that it was changed: device, number, size, and the time of the last change.
type Seen = (u64, u64, u64, i64, i64);

fn seen(path: &Path) -> Option<Seen> {
    let found = std::fs::symlink_metadata(path).ok()?;
    Some((found.dev(), found.ino(), found.size(), found.mtime(), found.mtime_nsec()))
}

/// The kind of file that may be replaced without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Own {
    /// A table whose datasheet names its SHA-256.
    Release,
    /// A datasheet.
    Datasheet,
    /// A page in HTML.
    Page,
    /// A file of the folder of a private report.
    Report,
    /// A saved recoding.
    Recoding,
    /// A private row map.
    RowMap,
    /// A table that begins with this text.
    Table(&'static str),
    /// A file in the folder of an evaluation, which is recognised by the journal.
    Evaluation,
    /// Nothing is recognised: replacing whatever is there needs `--force`.
    Nothing,
    /// The caller has checked that the file may be replaced.
    Known,
}

impl Outputs {
    /// A run that has read and written nothing yet. With `force` it may replace files that it does not recognise.
    #[must_use]
    pub fn new(force: bool) -> Self {
        Self { force, ..Self::default() }
    }

    /// Whether unrecognised files may be replaced.
    #[must_use]
    pub fn force(&self) -> bool {
        self.force
    }

    /// Records a file that is read; `what` names it in a message, e.g. "plan".
    pub fn read(&mut self, what: &'static str, path: impl Into<PathBuf>) {
        let path = path.into();
        match path.to_str().and_then(Address::recognise) {
            // Whoever opens it reports what is wrong with it.
            Some(Err(_)) => {}
            Some(Ok(address)) => {
                self.read.extend(address.file().map(|file| ("database", file.to_owned())));
                self.tables.push(address);
            }
            None if path == Path::new("-") => {}
            None => {
                // A file of SQLite holds the table that is read, so no release may take the place of that table.
                let is_database = database::is_sqlite(&path);
                self.tables.extend(is_database.then(|| Address::of_sqlite_file(&path)));
                self.read.push((what, path));
            }
        }
    }

    /// Records every file that a plan names as read; the file names are relative to `folder`.
    pub fn read_plan(&mut self, plan: &Plan, folder: &Path) {
        let at = |name: &str| if name == "-" { PathBuf::from(name) } else { located(folder, name) };
        self.read("input", at(&plan.input));
        plan.population.iter().for_each(|name| self.read("population", at(name)));
        plan.keys.file.iter().for_each(|name| self.read("key", at(name)));
        for key in plan.keys.offered() {
            if let KeySource::File(path) = &key.source {
                self.read("key", path);
            }
        }
        plan.table.iter().for_each(|table| self.read("earlier table", at(&table.file)));
        for path in plan.hierarchy_files() {
            self.read("hierarchy", folder.join(path));
        }
        if let Some(name) = &plan.hierarchies {
            let columns = plan.columns.iter().map(|(name, _)| name.clone()).collect();
            self.hierarchies.push((real(&folder.join(name)), columns));
        }
    }

    /// Claims a file that is going to be written. Returns an error, before any work is done, if it must not be written; the error
    /// says why. `-` is not a file.
    pub fn write(&mut self, target: &Path, own: Own) -> Result<()> {
        if target == Path::new("-") {
            return Ok(());
        }
        let read = self.read.iter().find(|(_, path)| is_same(path, target)).map(|(what, _)| *what);
        if let Some(what) = read.or_else(|| self.is_hierarchy(target).then_some("hierarchy")) {
            return Err(Error::config(format!(
                "'{}' is the {what} that this command reads, so it cannot also be an output",
                target.display()
            ))
            .advise("choose another name for the output"));
        }
        if self.written.iter().any(|claim| is_same(&claim.path, target)) {
            return Err(Error::config(format!("two outputs have the same name, '{}'", target.display()))
                .advise("choose another name for one of the two outputs"));
        }
        if is_there(target) && !self.force && !own.is(target) {
            let error =
                Error::config(format!("'{}' is already there, and {}", target.display(), own.why_not()));
            return Err(or_replaced(error));
        }
        self.written.push(Claim { path: target.to_owned(), own, seen: seen(target) });
        Ok(())
    }

    /// Claims a table of a database that is going to be made. Returns an error, before any work is done, if it must not be made. A file that
    /// it is in is not written by anything else.
    pub(crate) fn write_table(&mut self, target: &Address) -> Result<()> {
        database::driver()?.check_target(target, &self.tables, self.force)?;
        self.read.extend(target.file().map(|file| ("database", file.to_owned())));
        Ok(())
    }

    /// Returns an error if somebody else made or changed a claimed file since it was claimed. Called just before files get their names.
    pub fn confirm(&self) -> Result<()> {
        let changed = |claim: &&Claim| {
            seen(&claim.path) != claim.seen && is_there(&claim.path) && !claim.own.is(&claim.path)
        };
        match self.written.iter().find(changed).filter(|_| !self.force) {
            None => Ok(()),
            Some(Claim { path, own, .. }) => Err(or_replaced(Error::config(format!(
                "somebody has made or changed '{}' since this run began, and {}; nothing was published",
                path.display(),
                own.why_not()
            )))),
        }
    }

    /// Whether the file under a name differs from the one that stood there when it was claimed. A folder changes when files come and go.
    pub(crate) fn has_changed(&self, path: &Path) -> bool {
        !self.written.iter().any(|claim| claim.path == path && claim.seen == seen(path))
    }

    /// Whether a file, existing or not, has a name by which it would be a hierarchy of the plan.
    fn is_hierarchy(&self, target: &Path) -> bool {
        let (Some(name), Some(folder)) = (target.file_name(), real(target).parent().map(Path::to_owned))
        else {
            return false;
        };
        let name = name.to_string_lossy();
        let is = |column: &String| {
            name == format!("{column}.csv") || name.ends_with(&format!("_hierarchy_{column}.csv"))
        };
        self.hierarchies.iter().any(|(of, columns)| *of == folder && columns.iter().any(is))
    }
}

impl Own {
    /// Whether a file is recognised.
    fn is(self, path: &Path) -> bool {
        match self {
            Self::Release => has_datasheet(path),
            Self::Datasheet => is_datasheet(path),
            Self::Page => is_page(path),
            // A page says itself what it is; the other files of the folder are recognised by `report.json`.
            Self::Report => is_page(path) || is_report(&path.with_file_name("report.json")),
            Self::Recoding => starts_with(path, "{\"scumble_recoding\":"),
            Self::RowMap => starts_with(path, "{\"scumble_row_map\":"),
            Self::Table(head) => starts_with(path, head),
            Self::Evaluation => {
                let journal = path.with_file_name("journal.jsonl");
                // An empty journal can be begun; it says nothing about the files next to it.
                let not_begun =
                    path == journal && std::fs::metadata(path).is_ok_and(|found| found.len() == 0);
                not_begun || is_journal(&journal)
            }
            Self::Nothing => false,
            Self::Known => true,
        }
    }

    /// Why a file is not recognised, for a message.
    fn why_not(self) -> &'static str {
        match self {
            Self::Release => {
                "no datasheet beside it describes it by name and SHA-256, so it may not be a release of Scumble"
            }
            Self::Datasheet => "it is not a datasheet of Scumble",
            Self::Page => "it is not a page of Scumble",
            Self::Report => "it is not a report of Scumble",
            Self::Recoding => "it is not a recoding of Scumble",
            Self::RowMap => "it is not a row map of Scumble",
            Self::Table(_) => "it is not a table that this command has written",
            Self::Evaluation => "its folder is not that of an evaluation",
            Self::Nothing | Self::Known => "it may not be Scumble's",
        }
    }
}

/// Adds what helps where a file is already there.
fn or_replaced(error: Error) -> Error {
    error
        .set(Setting::root("force"), "replace what is there")
        .advise("choose another name, to keep what is there")
}

/// Whether a file is there. Folders and devices are refused later, when the file is made.
fn is_there(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok() && std::fs::metadata(path).map_or(true, |found| found.is_file())
}

/// Whether two paths lead to the same file, or would if it were there.
fn is_same(one: &Path, other: &Path) -> bool {
    same_file(one, other) || real(one) == real(other)
}

/// A path without links and detours. If it does not exist yet, its nearest existing parent is resolved.
pub(crate) fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = absolute.ancestors().find_map(|part| Some((part.canonicalize().ok()?, part.to_owned())));
    match there {
        Some((real, part)) if part == absolute => real,
        Some((real, part)) => absolute.strip_prefix(&part).map(|rest| real.join(rest)).unwrap_or(real),
        None => absolute,
    }
}

/// The first bytes of a file.
fn first(path: &Path, bytes: u64) -> Vec<u8> {
    let mut first = Vec::new();
    // A file that cannot be read is not recognised.
    let _ = File::open(path).and_then(|file| file.take(bytes).read_to_end(&mut first));
    first
}

fn starts_with(path: &Path, text: &str) -> bool {
    first(path, text.len() as u64) == text.as_bytes()
}

/// A tag that every page of Scumble has near its beginning.
const GENERATOR: &str = "<meta name=\"generator\" content=\"Scumble\">";

fn is_page(path: &Path) -> bool {
    String::from_utf8_lossy(&first(path, 2 << 10)).contains(GENERATOR)
}

/// Whether a file is the data of a private report.
fn is_report(path: &Path) -> bool {
    let Ok(Ok(serde_json::Value::Object(report))) =
        std::fs::read(path).map(|text| serde_json::from_slice(&text))
    else {
        return false;
    };
    let has = |name: &str| report.contains_key(name);
    report.get("release").is_some_and(|release| release.get("released").is_some())
        && ["title", "models", "metrics", "class_sizes", "warnings", "run"].into_iter().all(has)
}

/// Whether a file is the journal of an evaluation, going by its first line, which may be cut short. An empty file may be anybody's.
fn is_journal(path: &Path) -> bool {
    const START: &[u8] = b"{\"key\":";
    if !path.is_file() {
        return false;
    }
    let there = first(path, START.len() as u64);
    !there.is_empty() && START.starts_with(&there)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(outputs: &mut Outputs, target: &Path, own: Own, words: &str) {
        let error = outputs.write(target, own).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }

    #[test]
    fn what_is_read_or_written_is_never_a_target() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("plan.toml"), "").unwrap();
        std::fs::create_dir(path("sub")).unwrap();
        std::os::unix::fs::symlink(path("sub"), path("link")).unwrap();
        let mut outputs = Outputs::new(true);
        outputs.read("plan", path("plan.toml"));
        for way in ["plan.toml", "sub/../plan.toml", "link/../plan.toml"] {
            refused(&mut outputs, &path(way), Own::Nothing, "is the plan that this command reads");
        }
        outputs.write(&path("sub/new.csv"), Own::Nothing).unwrap();
        for way in ["sub/new.csv", "link/new.csv", "sub/./new.csv"] {
            refused(&mut outputs, &path(way), Own::Nothing, "two outputs have the same name");
        }
        outputs.write(Path::new("-"), Own::Nothing).unwrap();
        outputs.write(Path::new("-"), Own::Nothing).unwrap();
    }

    #[test]
    fn names_of_hierarchies_are_never_targets() {
        let folder = tempfile::tempdir().unwrap();
        let mut plan = Plan::new("people.csv", "out.csv");
        plan.hierarchies = Some("hh".into());
        let role = crate::config::Roles::one(crate::config::Role::Quasi);
        plan.columns.push(("occ".into(), crate::config::Column::new(role)));
        std::fs::create_dir(folder.path().join("hh")).unwrap();
        let mut outputs = Outputs::new(true);
        outputs.read_plan(&plan, folder.path());
        for name in ["hh/occ.csv", "hh/adult_hierarchy_occ.csv", "hh/../hh/occ.csv"] {
            refused(
                &mut outputs,
                &folder.path().join(name),
                Own::Nothing,
                "is the hierarchy that this command reads",
            );
        }
        for name in ["hh/other.csv", "occ.csv"] {
            outputs.write(&folder.path().join(name), Own::Nothing).unwrap();
        }
    }

    #[test]
    fn only_what_is_recognised_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let kinds = [
            (Own::Page, format!("<!doctype html>\n{GENERATOR}\n")),
            (Own::Recoding, "{\"scumble_recoding\":1}".into()),
            (Own::RowMap, "{\"scumble_row_map\":1}".into()),
            (Own::Table("row,class_size"), "row,class_size,prosecutor\n".into()),
        ];
        for (own, text) in kinds {
            std::fs::write(&path, text).unwrap();
            Outputs::new(false).write(&path, own).unwrap();
            refused(&mut Outputs::new(false), &path, Own::Nothing, "replace what is there (force)");
            std::fs::write(&path, "mine").unwrap();
            refused(&mut Outputs::new(false), &path, own, "replace what is there (force)");
            Outputs::new(true).write(&path, own).unwrap();
        }
        // A link that leads nowhere also belongs to somebody.
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("nowhere", &path).unwrap();
        refused(&mut Outputs::new(false), &path, Own::Page, "replace what is there (force)");
    }

    /// The journal of an evaluation is recognised by how its first line begins, even where that line was cut short. An empty file is not
    /// recognised.
    #[test]
    fn a_journal_is_known_by_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        assert!(!is_journal(&path) && !is_journal(folder.path()));
        for (text, is_one) in [
            ("{\"key\":\"a\"}\n{\"key\":\"b\"}\n", true),
            ("{\"key\":", true),
            ("{\"k", true),
            ("", false),
            ("{\"name\":1}", false),
            ("mine", false),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(is_journal(&path), is_one, "{text}");
        }
    }
}
