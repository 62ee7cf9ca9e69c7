//! How to read a table and a hierarchy: flags that several commands share.

use scumble::config::{MissingPolicy, Read, Size, toml_words};
use scumble::table::hierarchy::Builder;
use scumble::{Error, Result};

/// How to read delimited text and workbooks; what is not given is detected.
#[derive(clap::Args, Default)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// The character between fields, e.g. ';' or tab
    #[arg(long, value_name = "CHAR")]
    delimiter: Option<String>,
    /// The character around fields, '"' if not given
    #[arg(long, value_name = "CHAR")]
    quote: Option<char>,
    /// The first line names the columns
    #[arg(long, conflicts_with = "no_header")]
    header: bool,
    /// The first line is data; columns are called column_1, column_2, …
    #[arg(long)]
    no_header: bool,
    /// utf-8, utf-16le, utf-16be or windows-1252
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
    /// The number of lines or rows above the header to skip, such as a title; detected if they are clear
    #[arg(long, value_name = "N", value_parser = super::whole)]
    skip_rows: Option<u64>,
    /// The sheet of a workbook, by its name or its number from 1; the only visible one with a table if not given
    #[arg(long, value_name = "SHEET")]
    sheet: Option<String>,
    /// The largest table to read, measured after unpacking, e.g. 2GB
    #[arg(long, value_name = "SIZE")]
    max_size: Option<Size>,
    /// What to do with missing values: own-value (default), drop-row or error
    #[arg(long, value_name = "POLICY")]
    missing: Option<String>,
    /// The texts that mean a missing value, instead of '?', empty, 'NA', 'NaN' and 'nan'; comma-separated
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    missing_values: Option<Vec<String>>,
}

impl Reading {
    /// Sets in a plan what the flags give.
    pub(crate) fn apply(&self, read: &mut Read) -> Result<()> {
        if let Some(delimiter) = &self.delimiter {
            read.delimiter = Some(match delimiter.as_str() {
                "tab" | "\\t" | "\t" => '\t',
                text => {
                    let mut characters = text.chars();
                    match (characters.next(), characters.next()) {
                        (Some(character), None) => character,
                        _ => return Err(Error::config("--delimiter must be one character, or 'tab'")),
                    }
                }
            });
        }
        read.quote = self.quote.or(read.quote);
        if self.header || self.no_header {
            read.header = Some(self.header);
        }
        if self.encoding.is_some() {
            read.encoding.clone_from(&self.encoding);
        }
        read.skip_rows = self.skip_rows.or(read.skip_rows);
        if let Some(sheet) = &self.sheet {
            read.sheet = Some(sheet.as_str().into());
        }
        read.max_size = self.max_size.or(read.max_size);
        if let Some(policy) = &self.missing {
            read.missing_policy = match policy.as_str() {
                "own-value" => MissingPolicy::OwnValue,
                "drop-row" => MissingPolicy::DropRow,
                "error" => MissingPolicy::Error,
                other => {
                    let known = ["own-value", "drop-row", "error"];
                    let near = scumble::error::did_you_mean(other, known);
                    return Err(Error::config(format!(
                        "--missing is own-value, drop-row or error, not '{other}'{near}"
                    )));
                }
            };
        }
        if let Some(texts) = &self.missing_values {
            read.missing.clone_from(texts);
        }
        Ok(())
    }
}

/// Reads a file name, or a builder in TOML.
pub(crate) fn parse_builder(text: &str) -> Result<Builder> {
    let wrapped = if text.trim_start().starts_with('{') {
        format!("hierarchy = {text}")
    } else {
        format!("hierarchy = {{ build = \"file\", path = {} }}", serde_json::Value::from(text))
    };
    let wrong =
        |error: toml::de::Error| Error::config(format!("--hierarchy: {}", toml_words(error.message())));
    let mut table: toml::Table = toml::from_str(&wrapped).map_err(wrong)?;
    table.remove("hierarchy").unwrap_or(toml::Value::Boolean(false)).try_into().map_err(wrong)
}
