//! `scumble schema`: the JSON Schema of the plan, for editors.

use std::process::ExitCode;

use scumble::{Error, Result};

use crate::ui::print;

pub(crate) fn run() -> Result<ExitCode> {
    let schema = serde_json::to_string_pretty(&scumble::config::json_schema()).map_err(Error::internal)?;
    print(schema + "\n")?;
    Ok(ExitCode::SUCCESS)
}
