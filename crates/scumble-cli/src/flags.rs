//! How this interface says what would help: as flags of the command that failed.

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command};
use scumble::{Error, Remedy};

/// Settings whose flag has another name than the plan's key.
const NAMED_OTHERWISE: [(&str, &str); 2] = [("missing_policy", "missing"), ("missing", "missing-values")];

/// Settings of models that have a flag of their own, and the flag that asks for the model.
const SHORT_FOR_MODELS: [(&str, &str); 6] =
    [("k", "k"), ("l", "l"), ("c", "l"), ("l_variant", "l"), ("t", "t"), ("t_distance", "t")];

/// An error's message, with what would help as flags of the command that was given. What the command has no flag for is said as the plan
/// says it.
///
/// Short flags of models take the place of all that the plan says about the model: its variant, its columns. Beside a plan they are told only if
/// the user has given them.
pub(crate) fn worded(error: &Error, command: &Command, given: Option<&ArgMatches>) -> String {
    let beside_plan = given.is_some_and(has_plan);
    let is_given =
        |flag: &str| given.is_some_and(|given| given.value_source(flag) == Some(ValueSource::CommandLine));
    let replaces_plan = |key: &str| {
        let model = SHORT_FOR_MODELS.iter().find(|(of, _)| *of == key);
        beside_plan && model.is_some_and(|(_, flag)| !is_given(flag))
    };
    error.worded(|remedy| {
        let as_flag = match remedy {
            Remedy::Set { key, .. } if replaces_plan(key) => None,
            Remedy::Set { key, value: Some(value), .. } => {
                flag(command, key).map(|(name, _)| format!("{name} {}", quoted(value)))
            }
            Remedy::Set { key, .. } => flag(command, key).map(|(name, value)| format!("{name}{value}")),
            Remedy::Unset { key, .. } => flag(command, key).map(|(name, _)| name),
            _ => None,
        };
        as_flag.or_else(|| remedy.in_plan())
    })
}

/// A value as a shell takes it for one word.
fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.,:=/+%@".contains(c);
    if value.chars().all(plain) { value.to_owned() } else { format!("'{}'", value.replace('\'', r"'\''")) }
}

/// The command that was given, with the flags it has, and what was given to it: the innermost one.
pub(crate) fn given<'c>(
    mut command: &'c Command,
    mut matches: &'c ArgMatches,
) -> (&'c Command, &'c ArgMatches) {
    while let Some((name, inner)) = matches.subcommand() {
        let Some(found) = command.find_subcommand(name) else { break };
        (command, matches) = (found, inner);
    }
    (command, matches)
}

/// Whether a command works by a plan.
fn has_plan(given: &ArgMatches) -> bool {
    let path = |name: &str| given.try_get_one::<PathBuf>(name).ok().flatten();
    path("plan").is_some()
        || path("input").is_some_and(|input| input.extension().is_some_and(|ending| ending == "toml"))
}

/// `--class` and ` COLUMN`, if the command has such a flag.
fn flag(command: &Command, key: &str) -> Option<(String, String)> {
    let named = NAMED_OTHERWISE.iter().find(|(of, _)| *of == key);
    let name = named.map_or_else(|| key.replace('_', "-"), |(_, flag)| (*flag).to_owned());
    let argument = command.get_arguments().find(|argument| argument.get_long() == Some(&name))?;
    let value = match argument.get_action() {
        ArgAction::Set | ArgAction::Append => argument.get_value_names().and_then(|names| names.first()),
        _ => None,
    };
    Some((format!("--{name}"), value.map_or_else(String::new, |value| format!(" {value}"))))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use clap::CommandFactory;

    use super::*;

    fn command(name: &str) -> Command {
        crate::Arguments::command().find_subcommand(name).unwrap().clone()
    }

    #[test]
    fn what_helps_is_told_as_flags_of_the_command() {
        let error = Error::refused("'iack' needs a class column")
            .set("class", None, "name it")
            .set("algorithm", Some("mondrian"), "use one that needs none")
            .set("missing_policy", Some("drop-row"), "leave rows out")
            .set("type", Some("day of birth=dd/mm/yyyy"), "say which comes first")
            .set("force", None, "replace the file")
            .unset("row_map", "leave the row map out");
        assert_eq!(
            worded(&error, &command("anonymize"), None),
            "'iack' needs a class column; name it (--class COLUMN), or use one that needs none (--algorithm mondrian), or leave rows \
             out (--missing drop-row), or say which comes first (--type 'day of birth=dd/mm/yyyy'), or replace the file (--force), or leave the \
             row map out (--row-map)"
        );
        assert!(
            worded(&error, &command("evaluate"), None)
                .contains("use one that needs none (algorithm = mondrian)")
        );
    }

    /// Beside a plan `--l 2` would take the place of the plan's model with its variant and columns.
    #[test]
    fn short_flags_of_models_are_told_where_they_do_what_is_meant() {
        let error = Error::infeasible("it cannot be met").weaken("l", Some("2"), "ask for less");
        let told = |arguments: &[&str]| {
            let all = crate::Arguments::command();
            let matches = all.clone().get_matches_from(arguments);
            let (command, given) = given(&all, &matches);
            worded(&error, command, Some(given))
        };
        assert!(told(&["scumble", "anonymize", "release.toml"]).ends_with("ask for less (l = 2)"));
        assert!(
            told(&["scumble", "anonymize", "release.toml", "--l", "3"]).ends_with("ask for less (--l 2)")
        );
        assert!(told(&["scumble", "anonymize", "people.csv"]).ends_with("ask for less (--l 2)"));
        assert!(
            told(&["scumble", "check", "r.csv", "--plan", "release.toml"]).ends_with("ask for less (l = 2)")
        );
    }

    /// Every setting that an error of the libraries names is a flag of some command or in the plan's schema, so that none is misspelt.
    #[test]
    fn every_setting_that_errors_name_is_one() {
        let mut keys = BTreeSet::new();
        for (_, text) in library_sources() {
            for call in [".set(", ".weaken(", ".unset("] {
                for rest in text.split(call).skip(1) {
                    let Some(quoted) = rest.trim_start().strip_prefix('"') else { continue };
                    let (key, rest) = quoted.split_once('"').unwrap();
                    // What sets parameters of an algorithm is called `set` as well, but takes no option.
                    let value = rest.trim_start_matches(',').trim_start();
                    if call == ".unset(" || value.starts_with("None") || value.starts_with("Some(") {
                        keys.insert(key.to_owned());
                    }
                }
            }
        }
        assert!(keys.len() > 20, "{keys:?}");
        let all = crate::Arguments::command();
        let schema = serde_json::to_string(&scumble::config::json_schema()).unwrap();
        let is_one = |key: &&String| {
            all.get_subcommands().any(|command| flag(command, key).is_some())
                || schema.contains(&format!("\"{key}\":"))
        };
        let unknown: Vec<&String> = keys.iter().filter(|key| !is_one(key)).collect();
        assert_eq!(unknown, Vec::<&String>::new());
    }

    /// In Python and in a browser there are no flags.
    #[test]
    fn no_text_of_the_libraries_names_a_flag() {
        let names_flag = |line: &&str| {
            let is_comment = line.trim_start().starts_with("//");
            let mut found = line.match_indices("--").map(|(at, _)| (&line[..at], &line[at + 2..]));
            !is_comment
                && found.any(|(before, after)| {
                    !before.ends_with(|c: char| c.is_alphanumeric() || c == '-')
                        && after.starts_with(|c: char| c.is_ascii_lowercase())
                })
        };
        assert!(names_flag(&"\"give one (--class COLUMN)\""));
        for (path, text) in library_sources() {
            let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let found: Vec<&str> = product.lines().filter(names_flag).collect();
            assert_eq!(found, Vec::<&str>::new(), "{}", path.display());
        }
    }

    /// The sources of the libraries, without those of tests.
    fn library_sources() -> Vec<(PathBuf, String)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let libraries = ["scumble-files", "scumble-verify", "scumble-learn", "scumble", "scumble-eval"];
        let mut folders: Vec<PathBuf> = libraries.iter().map(|name| root.join(name).join("src")).collect();
        let mut sources = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs")
                {
                    let text = std::fs::read_to_string(&path).unwrap();
                    sources.push((path, text));
                }
            }
        }
        assert!(sources.len() > 300, "{}", sources.len());
        sources
    }
}
