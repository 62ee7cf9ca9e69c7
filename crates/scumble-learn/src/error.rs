//! What can go wrong, by who must act.

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A learner or one of its settings was named wrongly.
    #[error("{0}")]
    Config(String),
    /// The table is not one that can be learnt from. The message names columns and row numbers, never a value.
    #[error("{0}")]
    Data(String),
    /// Nobody wants the result any more.
    #[error("learning was stopped")]
    Stopped,
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
