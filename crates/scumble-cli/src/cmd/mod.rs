//! The subcommands, one file each.

use std::process::ExitCode;

use scumble::config::Rational;
use scumble::error::did_you_mean;
use scumble::{Error, Result};

use crate::ui::Interface;

mod anonymize;
mod apply;
mod attack;
mod audience;
mod beside;
mod check;
mod compare;
mod completions;
mod demo;
mod evaluate;
mod explain;
mod hierarchy;
mod init;
mod joined;
mod key;
mod key_flag;
mod list;
pub(crate) mod model_flag;
mod parameter_flag;
mod reading;
mod risk;
mod sample;
mod schema;
mod transform_flag;

pub(crate) use anonymize::SHORT_FOR_MODELS;

/// What to do.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// A complete walk-through on a built-in synthetic table: init, anonymize, check, attack, report
    Demo(demo::Arguments),
    /// Profile the columns of a table and write a commented plan, release.toml
    Init(init::Arguments),
    /// Make a verified release from a plan, or from a table and flags
    Anonymize(Box<anonymize::Arguments>),
    /// Recode the rows of another table in the same way as those of a release
    Apply(Box<apply::Arguments>),
    /// Verify any table, even one from another tool, against privacy models
    Check(Box<check::Arguments>),
    /// Say how well outsiders find people in a table
    Risk(Box<risk::Arguments>),
    /// Compare releases of a table: risk and utility of many, and which one to take
    Compare(Box<compare::Arguments>),
    /// Say what attackers still learn from a release
    Attack(Box<attack::Arguments>),
    /// Say what can still be learnt from releases: data × algorithms × k × machine-learning models
    Evaluate(evaluate::Arguments),
    /// Make, look at and validate hierarchies
    Hierarchy(hierarchy::Arguments),
    /// Make secret keys, for pseudonyms and moved dates
    Key(key::Arguments),
    /// List the algorithms, transforms, privacy models, metrics, machine-learning models and attacks
    List(list::Arguments),
    /// What one algorithm, transform, privacy model, metric, machine-learning model or attack does
    Explain(explain::Arguments),
    /// The JSON Schema of release.toml, or of the plans of evaluate
    Schema(schema::Arguments),
    /// Write a synthetic clinic table of any size, for trying things
    Sample(sample::Arguments),
    /// Completions for your shell
    Completions(completions::Arguments),
}

impl Command {
    pub(crate) fn run(self, interface: &Interface) -> Result<ExitCode> {
        match self {
            Self::Demo(arguments) => demo::run(&arguments, interface),
            Self::Init(arguments) => init::run(&arguments, interface),
            Self::Anonymize(arguments) => anonymize::run(&arguments, interface),
            Self::Apply(arguments) => apply::run(&arguments, interface),
            Self::Check(arguments) => check::run(&arguments, interface),
            Self::Risk(arguments) => risk::run(&arguments, interface),
            Self::Compare(arguments) => compare::run(&arguments, interface),
            Self::Attack(arguments) => attack::run(&arguments, interface),
            Self::Evaluate(arguments) => evaluate::run(&arguments, interface),
            Self::Hierarchy(arguments) => hierarchy::run(&arguments, interface),
            Self::Key(arguments) => key::run(&arguments, interface),
            Self::List(arguments) => list::run(&arguments),
            Self::Explain(arguments) => explain::run(&arguments),
            Self::Schema(arguments) => schema::run(&arguments),
            Self::Sample(arguments) => sample::run(&arguments, interface),
            Self::Completions(arguments) => completions::run(&arguments),
        }
    }
}

/// Reads a whole number of a flag.
pub(crate) fn whole(text: &str) -> std::result::Result<u64, String> {
    text.trim().parse().map_err(|_| "it must be a whole number of at least 0".to_owned())
}

/// Reads a whole number of at least 1.
fn from_one(text: &str) -> std::result::Result<u64, String> {
    let number = whole(text).ok().filter(|number| *number > 0);
    number.ok_or_else(|| "it must be a whole number of at least 1".to_owned())
}

/// Reads a count of things in memory.
pub(crate) fn size(text: &str) -> std::result::Result<usize, String> {
    whole(text)?.try_into().map_err(|_| "the number is too large".to_owned())
}

/// Reads a small number.
fn short(text: &str) -> std::result::Result<u32, String> {
    whole(text)?.try_into().map_err(|_| "the number is too large".to_owned())
}

/// Reads a share from 0 to 1.
fn share(flag: &str, text: &str) -> Result<Rational> {
    let percent = text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<Rational>().ok());
    let hint = |number: Rational| if number > Rational::ONE { number.percent_hint() } else { String::new() };
    let wrong = |hint: String| Error::config(format!("{flag} is a share from 0 to 1, not '{text}'{hint}"));
    match (text.trim().parse::<Rational>(), percent) {
        (Ok(number), _) if number <= Rational::ONE => Ok(number),
        (Ok(number), _) | (Err(_), Some(number)) => Err(wrong(hint(number))),
        (Err(_), None) => Err(wrong("; write 0.05 for 5 %".to_owned())),
    }
}

/// Returns the value that a flag names, or an error that lists the known ones.
fn choice<T: Copy>(flag: &str, given: &str, known: &[(&str, T)]) -> Result<T> {
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    known.iter().find(|(name, _)| *name == given).map(|(_, value)| *value).ok_or_else(|| {
        let near = did_you_mean(given, names.iter().copied());
        let (last, first) = names.split_last().unwrap_or((&"", &[]));
        Error::config(format!("{flag} is {} or {last}, not '{given}'{near}", first.join(", ")))
    })
}
