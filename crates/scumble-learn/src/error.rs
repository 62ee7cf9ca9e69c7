//! What can go wrong, sorted by who must act.

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A machine-learning model or a setting has a wrong name, or a setting a wrong value.
    #[error("{0}")]
    Config(String),
    /// The table cannot be learnt from. The message names columns and row numbers, never a value.
    #[error("{0}")]
    Data(String),
    /// The caller stopped the work.
    #[error("learning was stopped")]
    Stopped,
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
