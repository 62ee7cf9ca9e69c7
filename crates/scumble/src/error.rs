//! Errors are those of [`scumble_files`], so that a remedy of a reader and one of a search are worded by the same code.

pub use scumble_files::remedy::{Action, Part, Setting, Value, Wanted, Wish, one_of};
pub use scumble_files::{Error, ErrorKind, Place, Remedy, did_you_mean};

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What helps where no column has a name: the nearest one, and the columns that there are: `; did you mean 'age'? (the columns are age, sex)`.
#[must_use]
pub fn among_columns(given: &str, columns: &[&str]) -> String {
    let listed = scumble_files::shown::listed(columns);
    match did_you_mean(given, columns.iter().copied()) {
        near if near.is_empty() => format!("; the columns are {listed}"),
        near => format!("{near} (the columns are {listed})"),
    }
}
