//! What tests of transforms share.

use scumble_files::Control;
use scumble_files::table::CodedColumn;

use super::{BuildTransform, Given, Made};
use crate::base::chance::secret;
use crate::base::entry::Entry;
use crate::base::key::example;
use crate::config::{Parameters, Value};
use crate::error::{Error, Result};

pub(super) fn parameters(given: &[(&str, &str)]) -> Parameters {
    let mut parameters = Parameters::default();
    given.iter().for_each(|(name, value)| parameters.set(name, Value::from_text(value)));
    parameters
}

/// Runs a step on columns of texts; `NA` is missing.
pub(super) fn run(
    entry: &Entry<BuildTransform>,
    given: &[(&str, &str)],
    columns: &[&[&str]],
    also: &[&[&str]],
    for_quasi: bool,
) -> Result<Made> {
    let coded = |texts: &[&[&str]]| -> Vec<CodedColumn> {
        texts.iter().map(|texts| CodedColumn::of_texts("c", texts.iter())).collect()
    };
    let into = vec!["c"; columns.len()];
    let (columns, also) = (coded(columns), coded(also));
    let missing = ["NA".to_owned()];
    let transform = (entry.build)(&parameters(given))?;
    transform.run(&Given {
        columns: &columns.iter().collect::<Vec<_>>(),
        also: &also.iter().collect::<Vec<_>>(),
        into: &into,
        for_quasi,
        bounds: &|_| (None, None),
        missing: &|_| &missing,
        number: &|row| row as u64 + 1,
        persons: None,
        file: &|_| Err(Error::config("no file")),
        seed: Some(7),
        key: &|| Ok(example()),
        release: &|| Ok(secret()?[..16].try_into().expect("16 bytes")),
        control: &Control::default(),
    })
}

/// The texts that a step makes of a column, row by row, or its error.
pub(super) fn made(
    entry: &Entry<BuildTransform>,
    given: &[(&str, &str)],
    texts: &[&str],
) -> std::result::Result<Vec<String>, String> {
    run(entry, given, &[texts], &[], false).map(|made| rows(&made)).map_err(|error| error.to_string())
}

/// The texts of the first column of a result, row by row.
pub(super) fn rows(made: &Made) -> Vec<String> {
    texts(&made.columns[0])
}

/// The texts of a column, row by row.
pub(super) fn texts(column: &CodedColumn) -> Vec<String> {
    column.codes.iter().map(|code| column.values.get(code).to_owned()).collect()
}
