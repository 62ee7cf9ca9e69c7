//! What would help where something failed, as data: the command line words it as flags, Python as arguments, a browser as buttons.

/// Something that would help.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Something to set in the plan, or to give to the call.
    Set {
        /// What it does, as a request that can stand alone: `name the class column`.
        words: String,
        /// The plan's key, or the name of the argument. A role is its own key.
        key: &'static str,
        /// The columns whose setting it is, where it is one of columns and they are known.
        columns: Vec<String>,
        /// What to set it to, the best first; nothing where that is for the user to say.
        values: Vec<String>,
        /// Whether people are protected less afterwards.
        weakens_protection: bool,
    },
    /// Something to leave out of the plan or the call.
    Unset {
        /// What that does, as a request: `leave the row map out`.
        words: String,
        /// The plan's key, or the name of the argument.
        key: &'static str,
        /// The columns whose setting it is, where it is one of columns and they are known.
        columns: Vec<String>,
        /// Whether people are protected less afterwards.
        weakens_protection: bool,
    },
    /// Something that nobody can set, such as correcting a value.
    Do {
        /// What to do, as a request.
        words: String,
        /// Whether people are protected less afterwards.
        weakens_protection: bool,
    },
}

/// The roles of columns. Each is a key of its own: `quasi` names the columns with that role.
const ROLES: [&str; 8] =
    ["identifier", "subject", "guarding", "quasi", "sensitive", "class", "other", "drop"];

/// Settings that only columns have.
const OF_COLUMNS: [&str; 9] =
    ["type", "format", "min", "max", "label", "priority", "equality", "missing_counts", "hierarchy"];

/// Settings of how a hierarchy is built or read.
const OF_HIERARCHIES: [&str; 3] = ["unlisted", "lengths", "pad"];

/// Settings of how a table is read. Columns have some of them, too.
const OF_READING: [&str; 7] =
    ["delimiter", "quote", "header", "encoding", "max_size", "missing", "missing_policy"];

/// Settings of the search.
const OF_SEARCH: [&str; 8] =
    ["metric", "suppression", "star_policy", "flatten", "polish", "seed", "steps", "budget"];

/// Settings of models that have a short name, and what their model calls them.
const OF_MODELS: [(&str, &str); 6] =
    [("k", "k"), ("l", "l"), ("c", "c"), ("l_variant", "variant"), ("t", "t"), ("t_distance", "distance")];

impl Remedy {
    /// What to do, as a request.
    #[must_use]
    pub fn words(&self) -> &str {
        match self {
            Self::Set { words, .. } | Self::Unset { words, .. } | Self::Do { words, .. } => words,
        }
    }

    /// Whether people are protected less afterwards.
    #[must_use]
    pub fn weakens_protection(&self) -> bool {
        match self {
            Self::Set { weakens_protection, .. }
            | Self::Unset { weakens_protection, .. }
            | Self::Do { weakens_protection, .. } => *weakens_protection,
        }
    }

    /// What to set or to leave out, as the plan writes it, with the part of the plan in brackets: `[columns.born] format = "dd/mm/yyyy"`.
    #[must_use]
    pub fn in_plan(&self) -> Option<String> {
        match self {
            Self::Set { key, columns, values, .. } => Some(in_plan(key, columns, values)),
            Self::Unset { key, columns, .. } => {
                let (part, key) = place(key, columns);
                Some(part + key)
            }
            Self::Do { .. } => None,
        }
    }
}

fn in_plan(key: &str, columns: &[String], values: &[String]) -> String {
    let assigned = |key: &str, values: &[String]| match values {
        [] => key.to_owned(),
        _ => {
            let values: Vec<String> = values.iter().map(|value| as_toml(key, value)).collect();
            format!("{key} = {}", one_of(&values))
        }
    };
    if ROLES.contains(&key) {
        return format!("{}role = \"{key}\"", of_columns(columns));
    }
    match (key, values) {
        // A parameter of the algorithm is its own key.
        ("set", [value]) => {
            let (key, value) = value.split_once('=').unwrap_or((value, ""));
            format!("[algorithm] {}", assigned(key, &[value.to_owned()]))
        }
        ("model", [value]) => {
            let (name, parameters) = value.split_once(':').unwrap_or((value, ""));
            let parameters = parameters.split(',').filter_map(|pair| pair.split_once('='));
            let parameters = parameters.map(|(key, value)| format!(", {key} = {}", as_toml(key, value)));
            format!("[[privacy]] model = \"{name}\"{}", parameters.collect::<String>())
        }
        _ => {
            let (part, key) = place(key, columns);
            part + &assigned(key, values)
        }
    }
}

/// The part of the plan that a setting stands in, with what goes before it there, and what it is called there.
fn place<'a>(key: &'a str, columns: &[String]) -> (String, &'a str) {
    if let Some((_, own)) = OF_MODELS.iter().find(|(short, _)| *short == key) {
        return ("[[privacy]] ".to_owned(), own);
    }
    let part = match key {
        "algorithm" => return ("[algorithm] ".to_owned(), "name"),
        "table" => return (String::new(), "[[table]]"),
        "set" | "model" => String::new(),
        "combination_size" => "[risk] ".to_owned(),
        _ if OF_COLUMNS.contains(&key) || !columns.is_empty() => of_columns(columns),
        _ if OF_HIERARCHIES.contains(&key) => "hierarchy: ".to_owned(),
        _ if OF_READING.contains(&key) => "[read] ".to_owned(),
        _ if OF_SEARCH.contains(&key) => "[algorithm] ".to_owned(),
        _ => String::new(),
    };
    let part = if OF_HIERARCHIES.contains(&key) && !columns.is_empty() { part + "hierarchy: " } else { part };
    (part, key)
}

/// `[columns.born] `; `[columns.NAME] ` where it is for the user to say which.
fn of_columns(columns: &[String]) -> String {
    let is_bare = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    let table = |name: &String| {
        if is_bare(name) { format!("[columns.{name}]") } else { format!("[columns.{}]", quoted(name)) }
    };
    match columns {
        [] => "[columns.NAME] ".to_owned(),
        columns => columns.iter().map(table).collect::<Vec<_>>().join(", ") + " ",
    }
}

/// `a`, `a or b`, `a, b or c`.
#[must_use]
pub fn one_of(choices: &[String]) -> String {
    match choices {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// A value as TOML writes it: numbers, `true`, `false` and tables as they are, lists of such, everything else as a text.
fn as_toml(key: &str, value: &str) -> String {
    // A padding character is a text even where it is a digit.
    let is_plain = key != "pad"
        && (value.parse::<f64>().is_ok_and(f64::is_finite) || ["true", "false"].contains(&value));
    if let Some(items) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let items: Vec<String> = items.split(',').map(|item| as_toml(key, item.trim())).collect();
        return format!("[{}]", items.join(", "));
    }
    if is_plain || value.starts_with('{') || value.starts_with('"') {
        value.to_owned()
    } else {
        quoted(value)
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted += "\\n",
            '\t' => quoted += "\\t",
            letter if letter.is_control() => quoted += &format!("\\u{:04X}", u32::from(letter)),
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use crate::Error;

    fn told(error: &Error) -> Vec<String> {
        error.remedies().iter().filter_map(super::Remedy::in_plan).collect()
    }

    #[test]
    fn a_setting_is_told_as_the_plan_writes_it_and_where() {
        let error = Error::config("it does not fit")
            .set_columns(&["born"], "format", Some("dd/mm/yyyy"), "say that the day comes first")
            .set_columns(&["day of birth"], "type", Some("text"), "take them for texts")
            .weaken_columns(&["ill"], "missing_counts", Some("true"), "let a missing value count")
            .set_columns(&["name", "card"], "drop", None, "leave them out")
            .set("quasi", None, "say which columns outsiders may know")
            .set("missing_policy", Some("drop-row"), "leave rows out")
            .set_columns(&["age"], "missing_policy", Some("drop-row"), "leave rows out")
            .set("rest", Some("drop"), "leave the others out")
            .set("lengths", Some("[3, 1]"), "give prefix lengths")
            .set("pad", Some("0"), "give a pad character");
        assert_eq!(
            told(&error),
            [
                "[columns.born] format = \"dd/mm/yyyy\"",
                "[columns.\"day of birth\"] type = \"text\"",
                "[columns.ill] missing_counts = true",
                "[columns.name], [columns.card] role = \"drop\"",
                "[columns.NAME] role = \"quasi\"",
                "[read] missing_policy = \"drop-row\"",
                "[columns.age] missing_policy = \"drop-row\"",
                "rest = \"drop\"",
                "hierarchy: lengths = [3, 1]",
                "hierarchy: pad = \"0\"",
            ]
        );
    }

    #[test]
    fn settings_of_the_search_and_of_models_have_their_parts() {
        let error = Error::config("it does not fit")
            .set("algorithm", Some("optimal"), "use an algorithm that serves it")
            .set("set", Some("bins=4"), "use fewer intervals")
            .set("set", Some("priority_order=[age,sex]"), "give a list of them")
            .set("suppression", None, "raise the limit")
            .unset("polish", "leave polish out")
            .weaken("k", Some("3"), "lower k")
            .weaken("l_variant", Some("frequency"), "ask for that variant")
            .set("model", Some("l_diversity:l=2,variant=entropy"), "ask for it")
            .set("force", None, "replace the file")
            .advise("lower k");
        assert_eq!(
            told(&error),
            [
                "[algorithm] name = \"optimal\"",
                "[algorithm] bins = 4",
                "[algorithm] priority_order = [\"age\", \"sex\"]",
                "[algorithm] suppression",
                "[algorithm] polish",
                "[[privacy]] k = 3",
                "[[privacy]] variant = \"frequency\"",
                "[[privacy]] model = \"l_diversity\", l = 2, variant = \"entropy\"",
                "force",
            ]
        );
    }
}
