//! `scumble schema`: the JSON Schemas of plans, for editors.

use std::process::ExitCode;

use clap::ValueEnum;
use scumble::{Error, Result};

use crate::ui::print;

/// Print the JSON Schema of a plan, for editors and other tools
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The command whose plan the schema describes
    #[arg(value_enum, default_value_t = Plans::Anonymize)]
    of: Plans,
}

/// The command whose plans have the schema.
#[derive(Clone, Copy, ValueEnum)]
enum Plans {
    /// release.toml, the plan of anonymize
    Anonymize,
    /// The plan of evaluate
    Evaluate,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let schema = match arguments.of {
        Plans::Anonymize => scumble::config::json_schema(),
        Plans::Evaluate => scumble_eval::experiment::json_schema(),
    };
    print(serde_json::to_string_pretty(&schema).map_err(Error::internal)? + "\n")?;
    Ok(ExitCode::SUCCESS)
}
