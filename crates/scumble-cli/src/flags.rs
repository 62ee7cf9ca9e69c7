//! Words the remedies of errors as flags of the command that failed.

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command};
use scumble::Error;
use scumble::error::{Action, Part, Setting, Value, Wanted, one_of};

use crate::cmd::SHORT_FOR_MODELS;

/// Settings whose flag has another name than the plan's key.
const NAMED_OTHERWISE: [(&str, &str); 3] =
    [("missing_policy", "missing"), ("missing", "missing-values"), ("format", "type")];

/// Returns an error's message, with remedies as flags of the command that was given. A remedy without such a flag is worded as the plan
/// would have it.
///
/// Short flags of models replace everything that the plan says about the model, such as its variant and columns. With a plan they are only
/// suggested if the user has given them.
pub(crate) fn worded(error: &Error, command: &Command, given: Option<&ArgMatches>) -> String {
    // Flags about one table are none where several plans are given.
    let of_several = given.filter(|given| has_several(command, given)).map(|_| {
        let usable = command.get_arguments().filter(|flag| WITH_SEVERAL.contains(&flag.get_id().as_str()));
        Command::new("anonymize").args(usable.cloned())
    });
    let command = of_several.as_ref().unwrap_or(command);
    let applies = command.get_name() == "apply";
    let beside_plan = given.is_some_and(has_plan);
    let is_given =
        |flag: &str| given.is_some_and(|given| given.value_source(flag) == Some(ValueSource::CommandLine));
    let short = |model: Option<&str>, key: &str| {
        let (.., flag, asks) = SHORT_FOR_MODELS
            .iter()
            .find(|(of, parameter, ..)| *parameter == key && model.is_none_or(|model| model == *of))?;
        (!beside_plan || is_given(asks)).then_some(*flag)
    };
    let flag_of = |setting: &Setting| match setting.part {
        Part::Model(model) => flag(command, short(model, setting.key)?, false),
        Part::Parameter => flag(command, "set", false),
        part => {
            let names_columns = part == Part::Role || setting.key == "missing_counts";
            flag(command, &flag_name(setting.key), names_columns)
        }
    };
    error.worded(|remedy| {
        let as_flag = match &remedy.action {
            Action::Set { setting, values } => {
                flag_of(setting).map(|flag| flag.with(&setting.columns, &texts(setting, values)))
            }
            // A flag can only be left out if it was given. A setting of the plan is removed in the plan.
            Action::Unset(setting) => flag_of(setting)
                .filter(|flag| given.is_none() || is_given(&flag.id))
                .filter(|flag| {
                    setting.part != Part::Role
                        || given.is_none_or(|given| names(given, &flag.id, &setting.columns))
                })
                .map(|flag| flag.name),
            Action::Ask(wanted) => match &wanted.parameters[..] {
                [(key, value)] if is_short(wanted.model, key) => short(Some(wanted.model), key)
                    .and_then(|name| flag(command, name, false))
                    .map(|flag| flag.with(&[], &[plain(value)])),
                _ => flag(command, "model", false).map(|flag| flag.with(&[], &[asked(wanted)])),
            },
            Action::Another(_) => {
                flag(command, &flag_name(Setting::algorithm().key), false).map(|flag| flag.with(&[], &[]))
            }
            _ => None,
        };
        as_flag.or_else(|| {
            let setting = remedy.in_plan()?;
            let is_given_here = match &remedy.action {
                Action::Set { setting, .. } | Action::Unset(setting) => {
                    command.get_arguments().any(|argument| argument.get_id() == setting.key)
                }
                _ => false,
            };
            // A recoding was made with a plan, and this command has none.
            Some(if applies && !is_given_here {
                format!("in the plan of another recoding: {setting}")
            } else {
                setting
            })
        })
    })
}

/// Whether a flag that was given names one of these columns.
fn names(given: &ArgMatches, flag: &str, columns: &[String]) -> bool {
    let named = given.try_get_many::<String>(flag).ok().flatten();
    named.is_some_and(|mut named| named.any(|name| columns.contains(name)))
}

fn is_short(model: &str, key: &str) -> bool {
    SHORT_FOR_MODELS.iter().any(|(of, parameter, ..)| *of == model && *parameter == key)
}

/// Returns the values of a setting as its flag takes them: `--set bins=4`.
fn texts(setting: &Setting, values: &[Value]) -> Vec<String> {
    let key = if setting.part == Part::Parameter { format!("{}=", setting.key) } else { String::new() };
    values.iter().map(|value| format!("{key}{}", plain(value))).collect()
}

/// Writes a model as `--model` takes it: `k_e:k=3,e=10`.
fn asked(wanted: &Wanted) -> String {
    let given: Vec<String> =
        wanted.parameters.iter().map(|(key, value)| format!("{key}={}", plain(value))).collect();
    format!("{}:{}", wanted.model, given.join(","))
}

/// Writes a value without quotes: `drop-row`, `[age,sex]`.
fn plain(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::List(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(",")),
        value => value.to_string(),
    }
}

/// A flag of a command.
struct Flag {
    /// The parser's name for it.
    id: String,
    /// The name, such as `--class`.
    name: String,
    /// What it takes, as the help calls it: `COLUMN`; empty for a switch.
    takes: String,
    /// Whether it takes only names of columns.
    names_columns: bool,
}

impl Flag {
    /// Writes the flag with its value: `--class income`, `--type born=date`, `--drop name,card`, `--algorithm optimal or iack`, or `--class
    /// COLUMN` if no value is known.
    fn with(&self, columns: &[String], values: &[String]) -> String {
        let Self { name, takes, names_columns, .. } = self;
        if takes.is_empty() {
            return name.clone();
        }
        let given = match takes.strip_prefix("COLUMN=") {
            Some(wanted) if !columns.is_empty() || !values.is_empty() => {
                let values = if values.is_empty() { &[wanted.to_owned()] } else { values };
                let of = |column: &str| {
                    let each = values.iter().map(|value| quoted(&format!("{column}={value}")));
                    one_of(&each.collect::<Vec<_>>())
                };
                let each: Vec<String> = columns.iter().map(|column| of(column)).collect();
                if each.is_empty() { of("COLUMN") } else { each.join(&format!(" {name} ")) }
            }
            None if *names_columns && !columns.is_empty() => quoted(&columns.join(",")),
            _ if values.is_empty() => takes.clone(),
            _ => one_of(&values.iter().map(|value| quoted(value)).collect::<Vec<_>>()),
        };
        format!("{name} {given}")
    }
}

/// Quotes a value so that a shell reads it as one word.
fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.,:=/+%@".contains(c);
    if value.chars().all(plain) { value.to_owned() } else { format!("'{}'", value.replace('\'', r"'\''")) }
}

/// Returns the subcommand that the user called, and its own arguments: `hierarchy build` for `scumble hierarchy build …`. Flags belong to
/// that command, not to `scumble`.
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

/// The flags that say something about several plans together.
const WITH_SEVERAL: [&str; 4] = ["input", "json", "force", "key_file"];

/// Whether a command that makes releases was given several plans.
fn has_several(command: &Command, given: &ArgMatches) -> bool {
    let several = |inputs: clap::parser::ValuesRef<'_, PathBuf>| inputs.len() > 1;
    let takes_several = command
        .get_arguments()
        .any(|argument| argument.get_id() == "input" && matches!(argument.get_action(), ArgAction::Append));
    takes_several && given.try_get_many::<PathBuf>("input").ok().flatten().is_some_and(several)
}

/// Returns an error if several plans are given, and a flag that is about one table.
pub(crate) fn check_several(command: &Command, given: &ArgMatches) -> scumble::Result<()> {
    if !has_several(command, given) {
        return Ok(());
    }
    let is_given = |argument: &&clap::Arg| {
        let id = argument.get_id().as_str();
        !argument.is_global_set()
            && !WITH_SEVERAL.contains(&id)
            && given.value_source(id) == Some(ValueSource::CommandLine)
    };
    let Some(flag) = command.get_arguments().find(is_given).and_then(clap::Arg::get_long) else {
        return Ok(());
    };
    Err(Error::config(format!("--{flag} is about one table, and several plans are given"))
        .advise("leave the flag out, and write what it says into the plans"))
}

/// Whether a command has a plan.
fn has_plan(given: &ArgMatches) -> bool {
    let path = |name: &str| given.try_get_one::<PathBuf>(name).ok().flatten();
    path("plan").is_some()
        || path("input").is_some_and(|input| input.extension().is_some_and(|ending| ending == "toml"))
}

/// Returns the name of a setting's flag.
fn flag_name(key: &str) -> String {
    let named = NAMED_OTHERWISE.iter().find(|(of, _)| *of == key);
    named.map_or_else(|| key.replace('_', "-"), |(_, flag)| (*flag).to_owned())
}

/// Returns the flag of a command with this name, if there is one.
fn flag(command: &Command, name: &str, names_columns: bool) -> Option<Flag> {
    let argument = command.get_arguments().find(|argument| argument.get_long() == Some(name))?;
    let takes = match argument.get_action() {
        ArgAction::Set | ArgAction::Append => argument.get_value_names().and_then(|names| names.first()),
        _ => None,
    };
    let takes = takes.map_or_else(String::new, ToString::to_string);
    Some(Flag { id: argument.get_id().to_string(), name: format!("--{name}"), takes, names_columns })
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use clap::CommandFactory;
    use scumble::Remedy;
    use scumble::config::Role;
    use scumble::error::Wish;

    use super::*;

    fn command(name: &str) -> Command {
        crate::Arguments::command().find_subcommand(name).unwrap().clone()
    }

    #[test]
    fn what_helps_is_told_as_flags_of_the_command() {
        let error = Error::refused("'iack' needs a class column")
            .set(Setting::role("class"), "name the class column")
            .set(Setting::algorithm().to("mondrian"), "use an algorithm that needs none")
            .set(Setting::read("missing_policy").to("drop-row"), "leave rows out")
            .set(Setting::column("format").of(&["day of birth"]).to("dd/mm/yyyy"), "say which comes first")
            .weaken(
                Setting::column("missing_counts").of(&["ill", "job"]).to(true),
                "let a missing value count",
            )
            .set(Setting::role("drop").of(&["name", "card"]), "leave the columns out")
            .set(Setting::parameter("priority_order").to(vec!["age", "sex"]), "list them")
            .set(Wanted::model("k_anonymity").with("k", 5), "ask for a model")
            .set(Wanted::model("l_diversity").with("l", 2).with("variant", "entropy"), "ask for another")
            .weaken(Setting::model("variant").of_model("l_diversity"), "ask for another variant")
            .weaken(Setting::model("k").of_model("k_uncertainty").to(2), "lower the model's k")
            .set(Setting::root("force"), "replace the file")
            .unset(Setting::root("row_map"), "leave the row map out")
            .another(Wish::Quick);
        let told = worded(&error, &command("anonymize"), None);
        let expected = [
            "'iack' needs a class column; name the class column (--class COLUMN)",
            "use an algorithm that needs none (--algorithm mondrian)",
            "leave rows out (--missing drop-row)",
            "say which comes first (--type 'day of birth=dd/mm/yyyy')",
            "let a missing value count (--missing-counts ill,job)",
            "leave the columns out (--drop name,card)",
            "list them (--set 'priority_order=[age,sex]')",
            "ask for a model (--k 5)",
            "ask for another (--model l_diversity:l=2,variant=entropy)",
            "ask for another variant (--l-variant FORM)",
            "lower the model's k ([[privacy]] k = 2)",
            "replace the file (--force)",
            "leave the row map out (--row-map)",
            "use a quicker algorithm (--algorithm NAME)",
        ];
        assert_eq!(told, expected.join(", or "));
        assert!(
            worded(&error, &command("evaluate"), None)
                .contains("use an algorithm that needs none ([algorithm] name = \"mondrian\")")
        );
    }

    #[test]
    fn several_algorithms_that_would_serve_are_told_in_one_flag() {
        let error = Error::refused("it is not served").set(
            Setting::algorithm().to_one_of(["iack", "optimal", "mingen"]),
            "use an algorithm that can serve it",
        );
        assert!(
            worded(&error, &command("anonymize"), None).ends_with("(--algorithm iack, optimal or mingen)")
        );
        assert!(error.to_string().ends_with("([algorithm] name = \"iack\", \"optimal\" or \"mingen\")"));
    }

    /// With a plan, `--l 2` would replace the plan's model with its variant and columns.
    #[test]
    fn short_flags_of_models_are_told_where_they_do_what_is_meant() {
        let error = Error::infeasible("it cannot be met").weaken(Setting::model("l").to(2), "ask for less");
        let told = |arguments: &[&str]| {
            let all = crate::Arguments::command();
            let matches = all.clone().get_matches_from(arguments);
            let (command, given) = given(&all, &matches);
            worded(&error, command, Some(given))
        };
        assert!(
            told(&["scumble", "anonymize", "release.toml"]).ends_with("ask for less ([[privacy]] l = 2)")
        );
        assert!(
            told(&["scumble", "anonymize", "release.toml", "--l", "3"]).ends_with("ask for less (--l 2)")
        );
        assert!(told(&["scumble", "anonymize", "people.csv"]).ends_with("ask for less (--l 2)"));
        assert!(
            told(&["scumble", "check", "r.csv", "--plan", "release.toml"])
                .ends_with("ask for less ([[privacy]] l = 2)")
        );
    }

    #[test]
    fn a_command_without_a_plan_names_that_of_another_recoding() {
        let error = Error::config("the day or the month may come first")
            .set(Setting::column("format").of(&["born"]).to("dd/mm/yyyy"), "say which comes first")
            .set(Setting::root("key_file"), "name the key file");
        let told = worded(&error, &command("apply"), None);
        assert!(
            told.ends_with(
                "say which comes first (in the plan of another recoding: [columns.born] format = \"dd/mm/yyyy\"), or name the key file \
                 (--key-file FILE)"
            ),
            "{told}"
        );
    }

    #[test]
    fn what_stands_in_the_plan_is_left_out_there() {
        let error = Error::refused("it does not fit").unset(Setting::search("flatten"), "leave flatten out");
        let told = |arguments: &[&str]| {
            let all = crate::Arguments::command();
            let matches = all.clone().get_matches_from(arguments);
            let (command, given) = given(&all, &matches);
            worded(&error, command, Some(given))
        };
        let by_plan = told(&["scumble", "anonymize", "release.toml"]);
        assert!(by_plan.ends_with("leave flatten out ([algorithm] flatten)"), "{by_plan}");
        let by_flag = told(&["scumble", "anonymize", "release.toml", "--flatten"]);
        assert!(by_flag.ends_with("leave flatten out (--flatten)"), "{by_flag}");
    }

    /// Every setting that an error of the libraries names is a flag of some command or in the plan's schema, so none is misspelt.
    #[test]
    fn every_setting_that_errors_name_is_one() {
        use scumble::registry::{ALGORITHMS, MODELS, RECORD_ALGORITHMS, TABLES_ALGORITHMS};
        let all = crate::Arguments::command();
        let schema = serde_json::to_string(&scumble::config::json_schema()).unwrap();
        let of_models = || MODELS.iter().map(|entry| (Some(entry.name), entry.parameters));
        let of_algorithms: Vec<_> = (ALGORITHMS.iter().map(|entry| entry.parameters))
            .chain(RECORD_ALGORITHMS.iter().map(|entry| entry.parameters))
            .chain(TABLES_ALGORITHMS.iter().map(|entry| entry.parameters))
            .collect();
        let has = |parameters: &[(&str, &str)], key: &str| parameters.iter().any(|(name, _)| *name == key);
        let is_one = |setting: &Setting| match setting.part {
            Part::Parameter => of_algorithms.iter().any(|known| has(known, setting.key)),
            Part::Model(None) => of_models().any(|(_, known)| has(known, setting.key)),
            Part::Model(model) => of_models().any(|(of, known)| of == model && has(known, setting.key)),
            Part::Role => setting.key.parse::<Role>().is_ok(),
            _ => {
                all.get_subcommands().any(|command| flag(command, &flag_name(setting.key), false).is_some())
                    || schema.contains(&format!("\"{}\":", setting.key))
            }
        };
        let settings: Vec<Setting> = remedies()
            .into_iter()
            .filter_map(|remedy| match remedy.action? {
                Action::Set { setting, .. } | Action::Unset(setting) => Some(setting),
                _ => None,
            })
            .collect();
        assert!(settings.len() > 120, "{}", settings.len());
        let unknown: Vec<&Setting> = settings.iter().filter(|setting| !is_one(setting)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    /// A plan accepts every value that an error of the libraries suggests, written as in the remedy.
    #[test]
    fn every_value_that_errors_tell_is_taken() {
        let mut tried = 0;
        for Told { action, .. } in remedies() {
            let part = match &action {
                Some(Action::Set { setting, values }) if !values.is_empty() => setting.part,
                Some(Action::Ask(_)) => Part::Model(None),
                _ => continue,
            };
            let action = action.unwrap();
            // Which algorithm suits is known only when a release is asked for.
            assert_ne!(part, Part::Algorithm, "{action:?}");
            let told = Remedy::new(action.clone(), "do so").in_plan().unwrap();
            let plan = plan_with(&told);
            let read = scumble::config::Plan::from_toml(&plan, "release.toml");
            let read = read.unwrap_or_else(|error| panic!("{action:?}: {error}\n{plan}"));
            for spec in &read.privacy {
                let known: Vec<&str> = scumble::registry::MODELS
                    .find(&spec.model)
                    .unwrap()
                    .parameters
                    .iter()
                    .map(|(name, _)| *name)
                    .collect();
                spec.parameters.allow_only(&known).unwrap_or_else(|error| panic!("{action:?}: {error}"));
            }
            assert!(part != Part::Parameter || some_algorithm_takes(&read), "{action:?}");
            if let Action::Ask(wanted) = &action {
                crate::cmd::model_flag::parse(&asked(wanted)).unwrap();
            }
            tried += 1;
        }
        assert!(tried > 45, "{tried}");
    }

    /// Whether an algorithm can be built with the parameters of a plan.
    fn some_algorithm_takes(plan: &scumble::config::Plan) -> bool {
        use scumble::registry::{ALGORITHMS, RECORD_ALGORITHMS, TABLES_ALGORITHMS};
        let given = &plan.algorithm.parameters;
        let knows = |parameters: &[(&str, &str)]| {
            given.allow_only(&parameters.iter().map(|(name, _)| *name).collect::<Vec<_>>()).is_ok()
        };
        ALGORITHMS.iter().any(|entry| knows(entry.parameters) && (entry.build)(given).is_ok())
            || RECORD_ALGORITHMS.iter().any(|entry| knows(entry.parameters) && (entry.build)(given).is_ok())
            || TABLES_ALGORITHMS.iter().any(|entry| knows(entry.parameters) && (entry.build)(given).is_ok())
    }

    /// Returns a plan that contains what a remedy suggests: `[algorithm] bins = 4`.
    fn plan_with(told: &str) -> String {
        let (part, setting) = match told.split_once("] ") {
            Some((part, setting)) => (format!("{part}]"), setting),
            None => (String::new(), told),
        };
        let mut column = "role = \"quasi\"".to_owned();
        let (mut top, mut rest) = (String::new(), String::new());
        if let Some(of_hierarchy) = setting.strip_prefix("hierarchy: ") {
            let build = if of_hierarchy.starts_with("unlisted") {
                "build = \"file\", path = \"age.csv\""
            } else {
                "build = \"prefix\""
            };
            column += &format!("\nhierarchy = {{ {build}, {of_hierarchy} }}");
        } else if part.starts_with("[columns") && setting.starts_with("role") {
            setting.clone_into(&mut column);
        } else if part.starts_with("[columns") {
            column += &format!("\n{setting}");
        } else if part.is_empty() {
            setting.clone_into(&mut top);
        } else {
            let lines =
                if setting.starts_with("model") { setting.replace(", ", "\n") } else { setting.to_owned() };
            // A parameter alone belongs to the model that the error is about.
            let model = match setting.split(' ').next() {
                Some("k") => "model = \"k_anonymity\"\n",
                Some("l" | "c" | "variant") => "model = \"l_diversity\"\n",
                Some("t" | "distance") => "model = \"t_closeness\"\n",
                Some("alphas") => "model = \"alpha_k\"\n",
                Some("categories") => "model = \"p_sensitive\"\n",
                Some("guarding") => "model = \"personalised\"\n",
                Some("y") => "model = \"xy_anonymity\"\n",
                _ => "",
            };
            let model = if part == "[[privacy]]" { model } else { "" };
            rest = format!("{part}\n{model}{lines}");
        }
        // A setting that replaces one of these lines comes first and alone.
        let files = ["input = \"a.csv\"", "output = \"b.csv\""];
        let files: Vec<&str> =
            files.into_iter().filter(|line| line.split(' ').next() != top.split(' ').next()).collect();
        format!("{top}\n{}\n[columns.age]\n{column}\n{rest}\n", files.join("\n"))
    }

    /// Remedies may be shown alone, for example on a button, where nothing before them explains an `it`.
    #[test]
    fn every_remedy_can_stand_alone() {
        let unclear = [
            "use one ",
            "name it",
            "give one",
            "leave it out",
            "leave them",
            "drop it",
            "drop some",
            "correct it",
            "correct them",
            "give it ",
            "set that",
            "fill it",
            "replace it",
            "keep them",
            "use fewer of them",
            "one of these",
            "treat them",
            "put them",
        ];
        let found: Vec<String> = remedies()
            .into_iter()
            .filter_map(|remedy| remedy.words)
            .filter(|words| unclear.iter().any(|part| words.starts_with(part) || words == part.trim_end()))
            .collect();
        assert_eq!(found, Vec::<String>::new());
    }

    /// Remedies that protect people less must say so.
    #[test]
    fn remedies_that_protect_people_less_say_so() {
        let less = [
            "lower ",
            "ask for a smaller",
            "ask for less",
            "leave the model out",
            "use a smaller l",
            "accept ",
        ];
        let found: Vec<Told> = remedies()
            .into_iter()
            .filter(|remedy| !["weaken", "weaken_without", "concede"].contains(&remedy.call))
            .filter(|remedy| {
                remedy.words.as_ref().is_some_and(|words| less.iter().any(|part| words.starts_with(part)))
            })
            .collect();
        assert!(found.is_empty(), "{found:?}");
    }

    /// A remedy in the sources of the libraries, as far as it is a literal there.
    #[derive(Debug)]
    struct Told {
        call: &'static str,
        action: Option<Action>,
        words: Option<String>,
    }

    fn remedies() -> Vec<Told> {
        let calls: [(&str, usize); 7] = [
            ("set", 2),
            ("weaken", 2),
            ("unset", 2),
            ("weaken_without", 2),
            ("another_that", 1),
            ("advise", 1),
            ("concede", 1),
        ];
        let mut found = Vec::new();
        for (_, text) in library_sources() {
            let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            for (call, count) in calls {
                for (place, begin) in product.match_indices(&format!(".{call}(")) {
                    let arguments = arguments(&product[place + begin.len()..]);
                    // The function that sets a parameter is also called `set`.
                    if arguments.len() != count || count == 2 && literal(&arguments[0]).is_some() {
                        continue;
                    }
                    let action = if count == 2 { action(&arguments[0]) } else { None };
                    found.push(Told { call, action, words: literal(&arguments[count - 1]) });
                }
            }
        }
        assert!(found.len() > 250, "{}", found.len());
        found
    }

    /// Reads the action that a source writes: `Setting::column("format").of(&[name]).to("iso")`.
    fn action(text: &str) -> Option<Action> {
        let text: String = text.lines().map(str::trim).collect();
        let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        let given = |of: &str| Some(arguments(text.split_once(of)?.1));
        if let Some(named) = given("Wanted::model(") {
            let mut wanted = Wanted::model(leaked(literal(&named[0])?));
            for (at, begin) in text.match_indices(".with(") {
                let pair = arguments(&text[at + begin.len()..]);
                wanted = wanted.with(leaked(literal(&pair[0])?), value(&pair[1])?);
            }
            return Some(wanted.into());
        }
        let (part, rest) = text.strip_prefix("Setting::")?.split_once('(')?;
        let key = arguments(rest).first().and_then(|key| literal(key)).map(leaked);
        let mut setting = match part {
            "algorithm" => Setting::algorithm(),
            "root" => Setting::root(key?),
            "read" => Setting::read(key?),
            "column" => Setting::column(key?),
            "role" => Setting::role(key?),
            "hierarchy" => Setting::hierarchy(key?),
            "search" => Setting::search(key?),
            "parameter" => Setting::parameter(key?),
            "model" => Setting::model(key?),
            "risk" => Setting::risk(key?),
            other => panic!("no part '{other}'"),
        };
        if given(".of(").is_some() {
            setting = setting.of(&["age"]);
        }
        if let Some(model) = given(".of_model(").and_then(|given| literal(&given[0])) {
            setting = setting.of_model(leaked(model));
        }
        Some(match given(".to(").and_then(|given| value(&given[0])) {
            Some(value) => setting.to(value),
            None => setting.into(),
        })
    }

    /// Reads a value that a source writes as a literal.
    fn value(text: &str) -> Option<Value> {
        if let Some(items) = text.strip_prefix("vec![") {
            return Some(arguments(items).iter().filter_map(|item| value(item)).collect::<Vec<_>>().into());
        }
        let text_value = literal(text).map(|text| Value::from(text.as_str()));
        let number = || text.parse::<u64>().ok().map(Value::from);
        text_value.or_else(number).or_else(|| text.parse::<bool>().ok().map(Value::from))
    }

    /// Returns the arguments of a call whose opening bracket has been read.
    fn arguments(text: &str) -> Vec<String> {
        let (mut depth, mut quoted, mut escaped) = (0, false, false);
        let mut all = vec![String::new()];
        for letter in text.chars() {
            let last = all.len() - 1;
            match letter {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                _ if quoted => {}
                ')' | ']' | '}' if depth == 0 => break,
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                ',' if depth == 0 => {
                    all.push(String::new());
                    continue;
                }
                _ => {}
            }
            all[last].push(letter);
        }
        all.retain(|argument| !argument.trim().is_empty());
        all.iter().map(|argument| argument.trim().to_owned()).collect()
    }

    /// Returns the text of a string literal.
    fn literal(text: &str) -> Option<String> {
        let inside = text.strip_prefix('"')?.strip_suffix('"')?;
        // A line that ends in a backslash continues after the next line's spaces.
        let lines: Vec<&str> = inside.split("\\\n").collect();
        let joined =
            lines.iter().enumerate().map(|(nth, line)| if nth == 0 { line } else { line.trim_start() });
        Some(joined.collect::<String>().replace("\\\"", "\""))
    }

    /// There are no flags in Python or in a browser.
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
