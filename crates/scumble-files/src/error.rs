//! Errors, sorted by who must act on them. All crates share this one type; it is here because the other crates depend on this
//! one.
//!
//! No message carries a cell value: a message names a file, a row number and a column, and what to do next. Labels that the user
//! wrote (hierarchy files, configuration) may be quoted. No message names a flag of the command line either: what to do next is
//! data ([`Remedy`]), and every interface words it in its own terms.

use std::fmt::{self, Display, Write};
use std::io;

pub use crate::remedy::{Action, Remedy, Setting, Wish};

/// What went wrong, where, why, and what would help.
pub struct Error(Box<Parts>);

#[derive(Debug)]
struct Parts {
    kind: ErrorKind,
    what: String,
    place: Place,
    remedies: Vec<Remedy>,
    source: Option<io::Error>,
}

/// The kind of an error, which shows who must act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The plan, or the request to the program, must be changed.
    Config,
    /// The data (a table or a hierarchy) must be changed.
    Data,
    /// This algorithm does not support that model or data; the remedies name what would fit.
    Refused,
    /// No release meets the requirement; the error says which model binds and what would help.
    Infeasible,
    /// The budget of the search was spent before there was anything that could be published.
    OutOfBudget,
    /// Memory or disk ran out, or the table is larger than this program can handle.
    Resources,
    /// The system refused to read or write.
    Io,
    /// The written release did not pass the independent check, so it was not published.
    Verification,
    /// The rows of a release together reveal more than the plan allows, so it was not published.
    Audit,
    /// The release was published, and a later step failed: writing its datasheet or its report, or having the system confirm it.
    AfterPublishing,
    /// Somebody stopped the run, or its deadline passed.
    Interrupted,
    /// A bug in Scumble.
    Internal,
}

/// The place in the data where something is wrong, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The place in a plan, as editors write it: `release.toml:12:5`.
    pub line: Option<String>,
    /// The file or table.
    pub file: Option<String>,
    /// The row, counted from 1 behind the header.
    pub row: Option<u64>,
    /// The column.
    pub column: Option<String>,
}

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Creates an error of a kind. `what` says what happened and why, as a sentence without its full stop.
    pub fn new(kind: ErrorKind, what: impl Display) -> Self {
        Self(Box::new(Parts {
            kind,
            what: what.to_string(),
            place: Place::default(),
            remedies: Vec::new(),
            source: None,
        }))
    }

    /// Creates an error that a change of the plan can fix.
    pub fn config(what: impl Display) -> Self {
        Self::new(ErrorKind::Config, what)
    }

    /// Creates an error that a change of the data can fix.
    pub fn data(what: impl Display) -> Self {
        Self::new(ErrorKind::Data, what)
    }

    /// Creates an error for a combination that this algorithm does not support.
    pub fn refused(what: impl Display) -> Self {
        Self::new(ErrorKind::Refused, what)
    }

    /// Creates an error for a requirement that no release meets.
    pub fn infeasible(what: impl Display) -> Self {
        Self::new(ErrorKind::Infeasible, what)
    }

    /// Creates an error for too little memory or disk, or for more data than this program can handle.
    pub fn resources(what: impl Display) -> Self {
        Self::new(ErrorKind::Resources, what)
    }

    /// Creates an error for a written release that did not pass the independent check.
    pub fn verification(what: impl Display) -> Self {
        Self::new(ErrorKind::Verification, what)
    }

    /// Creates an error for what the system refused to do. `what` says what was being done, with the file's name.
    pub fn io(what: impl Display, source: io::Error) -> Self {
        let mut error = Self::new(ErrorKind::Io, what);
        error.0.source = Some(source);
        error
    }

    /// Creates the error of a run that somebody stopped.
    #[must_use]
    pub fn interrupted() -> Self {
        Self::new(ErrorKind::Interrupted, "interrupted: nothing was released")
    }

    /// Creates an error for a bug.
    pub fn internal(what: impl Display) -> Self {
        Self::new(
            ErrorKind::Internal,
            format_args!("internal error (a bug in Scumble, please report it): {what}"),
        )
    }

    /// Names the file or table of the error.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.0.place.file = Some(file.into());
        self
    }

    /// Names the place in a plan, as editors write it: `release.toml:12:5`.
    #[must_use]
    pub fn at_line(mut self, line: impl Into<String>) -> Self {
        self.0.place.line = Some(line.into());
        self
    }

    /// Names the row of the error.
    #[must_use]
    pub fn in_row(mut self, row: u64) -> Self {
        self.0.place.row = Some(row);
        self
    }

    /// Names the column of the error.
    #[must_use]
    pub fn in_column(mut self, column: impl Into<String>) -> Self {
        self.0.place.column = Some(column.into());
        self
    }

    /// Adds a remedy behind those that the error has.
    #[must_use]
    pub fn with(mut self, remedy: Remedy) -> Self {
        self.0.remedies.push(remedy);
        self
    }

    /// Adds a setting, or a model to ask for, that would help and protects people as much as before.
    #[must_use]
    pub fn set(self, what: impl Into<Action>, words: impl Into<String>) -> Self {
        self.with(Remedy::new(what, words))
    }

    /// Adds a setting, or a model to ask for, that would help and protects people less.
    #[must_use]
    pub fn weaken(self, what: impl Into<Action>, words: impl Into<String>) -> Self {
        self.with(Remedy::weakening(what, words))
    }

    /// Adds a setting to leave out that would help and protects people as much as before.
    #[must_use]
    pub fn unset(self, setting: Setting, words: impl Into<String>) -> Self {
        self.with(Remedy::new(Action::Unset(setting), words))
    }

    /// Adds a setting to leave out that would help and protects people less.
    #[must_use]
    pub fn weaken_without(self, setting: Setting, words: impl Into<String>) -> Self {
        self.with(Remedy::weakening(Action::Unset(setting), words))
    }

    /// Adds the advice to use another algorithm, one that fits `wish`. The library, which knows the algorithms and the request,
    /// fills in which one.
    #[must_use]
    pub fn another(self, wish: Wish) -> Self {
        self.with(Remedy::new(Action::Another(wish), wish.words()))
    }

    /// Adds the advice to use any other algorithm that can do what is asked, in words that say what about.
    #[must_use]
    pub fn another_that(self, words: impl Into<String>) -> Self {
        self.with(Remedy::new(Action::Another(Wish::Serving), words))
    }

    /// Adds something to do that would help and protects people as much as before.
    #[must_use]
    pub fn advise(self, words: impl Into<String>) -> Self {
        self.with(Remedy::new(Action::Do, words))
    }

    /// Adds something to do that would help and protects people less.
    #[must_use]
    pub fn concede(self, words: impl Into<String>) -> Self {
        self.with(Remedy::weakening(Action::Do, words))
    }

    /// Changes the remedies one by one. Those for which `change` returns `None` are dropped.
    #[must_use]
    pub fn remedied(mut self, change: impl FnMut(Remedy) -> Option<Remedy>) -> Self {
        self.0.remedies = self.0.remedies.into_iter().filter_map(change).collect();
        self
    }

    /// Returns the same error with another kind.
    #[must_use]
    pub fn of_kind(mut self, kind: ErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Returns the same error in other words. Its place and its remedies stay.
    #[must_use]
    pub fn reworded(mut self, words: impl FnOnce(String) -> String) -> Self {
        self.0.what = words(std::mem::take(&mut self.0.what));
        self
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What happened, without the place and without the remedies.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.0.what
    }

    /// Where it happened, as far as it is known.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// What would help, the best first.
    #[must_use]
    pub fn remedies(&self) -> &[Remedy] {
        &self.0.remedies
    }

    /// Whether the error is of one of these kinds.
    #[must_use]
    pub fn is(&self, kinds: &[ErrorKind]) -> bool {
        kinds.contains(&self.0.kind)
    }

    /// Returns the whole message. `setting` words what is to be set or left out in the interface's own terms: `--class COLUMN`,
    /// `class="…"`, a button.
    #[must_use]
    pub fn worded(&self, setting: impl Fn(&Remedy) -> Option<String>) -> String {
        let Parts { what, place, remedies, source, .. } = &*self.0;
        let mut message = format!("{place}{what}");
        // An error that is nothing but its kind, such as "entity not found", says no more than the words before it.
        let says_more = |source: &&io::Error| source.raw_os_error().is_some() || source.get_ref().is_some();
        if let Some(source) = source.as_ref().filter(says_more) {
            let _ = write!(message, ": {source}");
        }
        for (nth, remedy) in remedies.iter().enumerate() {
            let mut words = remedy.words.chars();
            match words.next() {
                // Behind a question stands a sentence of its own.
                Some(first) if nth == 0 && message.ends_with('?') => {
                    message.push(' ');
                    message.extend(first.to_uppercase());
                    message += words.as_str();
                }
                _ => {
                    message += if nth == 0 { "; " } else { ", or " };
                    message += &remedy.words;
                }
            }
            if let Some(setting) = setting(remedy) {
                let _ = write!(message, " ({setting})");
            }
        }
        message
    }
}

/// The message in the plan's terms.
impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(Remedy::in_plan))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|source| source as _)
    }
}

/// Writes `'people.csv', row 12, column 'age': `, or nothing if no place is known.
impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one_line = crate::shown::on_one_line;
        let parts = [
            self.file.as_ref().map(|file| format!("'{}'", one_line(file))),
            self.row.map(|row| format!("row {row}")),
            self.column.as_ref().map(|column| format!("column '{}'", one_line(column))),
        ];
        if let Some(line) = &self.line {
            write!(f, "{}: ", one_line(line))?;
        }
        let known: Vec<String> = parts.into_iter().flatten().collect();
        if known.is_empty() { Ok(()) } else { write!(f, "{}: ", known.join(", ")) }
    }
}

/// The error of reading the file called `name`, with advice where the kind of error allows some.
pub(crate) fn reading(name: &str, source: io::Error) -> Error {
    let kind = source.kind();
    let error = |why: &str| Error::io(format_args!("cannot read '{name}'{why}"), source);
    match kind {
        io::ErrorKind::NotFound => error(" (no such file)").advise("check how the path is spelled"),
        io::ErrorKind::PermissionDenied => {
            error(" (you may not read it)").advise("check the file's permissions")
        }
        io::ErrorKind::IsADirectory => error(" (it is a folder)").advise("give a file in the folder"),
        _ => error(""),
    }
}

/// The error of a file that cannot be read, with advice where the kind of error allows some. `what` names the file's purpose:
/// `the plan`.
#[must_use]
pub fn cannot_read(what: &str, path: &std::path::Path, source: io::Error) -> Error {
    let name = path.display().to_string();
    let kind = source.kind();
    let error = reading(&name, source)
        .reworded(|words| words.replacen(&format!("'{name}'"), &format!("{what} '{name}'"), 1));
    if kind == io::ErrorKind::InvalidData { error.advise("give a text file in UTF-8") } else { error }
}

/// The error of a file that cannot be written, with advice where the kind of error allows some.
#[must_use]
pub fn cannot_write(target: &std::path::Path, source: io::Error) -> Error {
    writing(&target.display().to_string(), source)
}

/// The error of writing the file called `name`, with advice where the kind of error allows some.
pub(crate) fn writing(name: &str, source: io::Error) -> Error {
    let kind = source.kind();
    let error = |why: &str| Error::io(format_args!("cannot write '{name}'{why}"), source);
    match kind {
        // Folders such as /proc exist but take no new files.
        io::ErrorKind::NotFound if crate::private::folder_of(std::path::Path::new(name)).is_dir() => {
            error(" (its folder takes no new files)").advise("choose another folder")
        }
        io::ErrorKind::NotFound => {
            error(" (its folder does not exist)").advise("create the folder").advise("choose another folder")
        }
        io::ErrorKind::InvalidFilename => {
            error(" (the file system takes no such name)").advise("choose a shorter name")
        }
        io::ErrorKind::NotADirectory => error(" (a part of its path is a file, not a folder)"),
        io::ErrorKind::PermissionDenied => {
            error(" (you may not write there)").advise("choose another folder")
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            error(" (the file system is read-only)").advise("choose another folder")
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            error(" (the disk is full)").advise("free some space").advise("choose another disk")
        }
        io::ErrorKind::FileTooLarge => {
            error(" (the file system takes no file that large)").advise("choose another disk")
        }
        io::ErrorKind::IsADirectory => error(" (it is a folder)").advise("give a file name"),
        _ => error(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_says_in_its_own_terms_what_to_set() {
        let error = Error::refused("'iack' needs a class column, the label that classifiers will predict")
            .set(Setting::role("class"), "name the class column")
            .set(Setting::algorithm().to("mondrian"), "use an algorithm that needs none");
        assert_eq!(
            error.to_string(),
            "'iack' needs a class column, the label that classifiers will predict; name the class column \
             ([columns.NAME] role = \"class\"), or use an algorithm that needs none ([algorithm] name = \"mondrian\")"
        );
        let as_arguments = error.worded(|remedy| match &remedy.action {
            Action::Set { setting, values } => {
                let value = values.first().map_or("…".to_owned(), ToString::to_string);
                Some(format!("{}={value}", setting.key))
            }
            _ => None,
        });
        assert!(as_arguments.ends_with(
            "name the class column (class=…), or use an algorithm that needs none (algorithm=\"mondrian\")"
        ));
        assert_eq!(error.remedies().len(), 2);
        assert_eq!(error.kind(), ErrorKind::Refused);
    }

    #[test]
    fn a_place_is_told_as_far_as_it_is_known() {
        let error = Error::data("the value is no number").in_row(12).in_column("age");
        assert_eq!(error.to_string(), "row 12, column 'age': the value is no number");
        assert_eq!(
            error.in_file("people.csv").to_string(),
            "'people.csv', row 12, column 'age': the value is no number"
        );
        assert_eq!(Error::config("no model").to_string(), "no model");
    }

    #[test]
    fn the_systems_own_words_come_before_what_helps() {
        let error = reading("people.csv", io::Error::from_raw_os_error(2));
        let told = error.to_string();
        assert!(told.starts_with("cannot read 'people.csv' (no such file): "), "{told}");
        assert!(told.ends_with("; check how the path is spelled"), "{told}");
        assert!(std::error::Error::source(&error).is_some());
        // Without a word of the system's own, the kind of the error is not said twice.
        let bare = reading("people.csv", io::ErrorKind::NotFound.into()).to_string();
        assert_eq!(bare, "cannot read 'people.csv' (no such file); check how the path is spelled");
    }
}
