//! Errors, sorted by who must act on them.
//!
//! No message carries a cell value: a message names a file, a row number and a column, and what to
//! do next. Labels that the user wrote (hierarchy files, configuration) may be quoted.

use std::fmt::Display;

/// What went wrong, and whose turn it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The configuration or the command line must be changed.
    #[error("{0}")]
    Config(String),
    /// The data (table or hierarchy file) must be changed.
    #[error("{0}")]
    Data(String),
    /// This algorithm cannot serve that model or data; the message names what would fit.
    #[error("{0}")]
    Refused(String),
    /// No release meets the requirement; the message says which model binds and what would help.
    #[error("{0}")]
    Infeasible(String),
    /// The budget of the search was spent before there was anything that could be published.
    #[error("{0}")]
    OutOfBudget(String),
    /// Memory or disk ran out.
    #[error("{0}")]
    Resources(String),
    /// Reading or writing failed.
    #[error("{what}: {source}")]
    Io {
        /// What was being done, with the file's name.
        what: String,
        /// The system's own error.
        source: std::io::Error,
    },
    /// The written release did not pass the independent check, so it was not published.
    #[error("{0}")]
    Verification(String),
    /// What the records of a release give away together is more than the plan allows, so it was not published.
    #[error("{0}")]
    Audit(String),
    /// The release has its name, and something that was to follow failed: its datasheet, its report, or what the system confirms.
    #[error("{0}")]
    AfterPublishing(String),
    /// Somebody stopped the run, or its deadline passed.
    #[error("interrupted: nothing was released")]
    Interrupted,
    /// A bug in Scumble.
    #[error("internal error (a bug in Scumble, please report it): {0}")]
    Internal(String),
}

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error that the configuration must mend.
    pub fn config(message: impl Display) -> Self {
        Self::Config(message.to_string())
    }

    /// An error that the data must mend.
    pub fn data(message: impl Display) -> Self {
        Self::Data(message.to_string())
    }

    /// A combination that this algorithm cannot serve.
    pub fn refused(message: impl Display) -> Self {
        Self::Refused(message.to_string())
    }

    /// A requirement that no release meets.
    pub fn infeasible(message: impl Display) -> Self {
        Self::Infeasible(message.to_string())
    }

    /// A search that had nothing to publish when its budget was spent.
    #[must_use]
    pub fn out_of_budget() -> Self {
        Self::OutOfBudget(format!(
            "the budget was spent before the search had found anything that could be published, so nothing was released; give it \
             more time (--budget) or more steps (--steps), or use a faster algorithm: {}",
            crate::registry::quick().join(", ")
        ))
    }

    /// A bug.
    pub fn internal(message: impl Display) -> Self {
        Self::Internal(message.to_string())
    }

    /// The process exit code that the command line gives for this error.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Infeasible(_) | Self::OutOfBudget(_) => 1,
            Self::Config(_) | Self::Refused(_) => 2,
            Self::Data(_) | Self::Resources(_) | Self::Io { .. } | Self::AfterPublishing(_) => 3,
            Self::Verification(_) | Self::Audit(_) => 4,
            Self::Interrupted => 130,
            Self::Internal(_) => 101,
        }
    }
}

impl From<scumble_files::FileError> for Error {
    fn from(error: scumble_files::FileError) -> Self {
        use scumble_files::FileError;
        match error {
            FileError::Config(message) => Self::Config(message),
            FileError::Data(message) => Self::Data(message),
            FileError::Resources(message) => Self::Resources(message),
            FileError::Io { what, source } => Self::Io { what, source },
            FileError::Interrupted => Self::Interrupted,
            other => Self::Internal(other.to_string()),
        }
    }
}

/// Inside a run, what the verifier cannot judge must not be published.
impl From<scumble_verify::VerifyError> for Error {
    fn from(error: scumble_verify::VerifyError) -> Self {
        Self::Verification(format!("the release could not be verified, so it was not published: {error}"))
    }
}

/// `; did you mean 'x'?` for the nearest of `known` names, or nothing if none is near.
#[must_use]
pub fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let given = given.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&given, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1 + name.chars().count() / 3)
        .min()
        .map(|(_, name)| format!("; did you mean '{}'?", scumble_files::shown::on_one_line(name)))
        .unwrap_or_default()
}
