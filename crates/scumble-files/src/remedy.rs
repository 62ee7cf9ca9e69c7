//! Remedies for errors, as data: the command line words them as flags, Python as arguments, a browser as buttons.

use std::fmt::{self, Display};

/// Something that would help.
#[derive(Debug, Clone, PartialEq)]
pub struct Remedy {
    /// What to do, as a request that can stand alone: `name the class column`.
    pub words: String,
    /// Whether people are protected less if it is done.
    pub weakens_protection: bool,
    /// The action.
    pub action: Action,
}

/// What to do.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Set something in the plan, or in the call.
    Set {
        /// The setting.
        setting: Setting,
        /// The values to choose from, the best first; empty if the user must choose.
        values: Vec<Value>,
    },
    /// Leave a setting out of the plan or the call.
    Unset(Setting),
    /// Ask for a privacy model.
    Ask(Wanted),
    /// Use another algorithm, which has not been chosen yet.
    Another(Wish),
    /// Do something that no setting does, such as correct a value.
    Do,
}

/// A setting: its place and name in a plan, or an argument of the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The part of the plan it is in.
    pub part: Part,
    /// Its name there. For a role this is the role, and for the algorithm `algorithm`.
    pub key: &'static str,
    /// The columns that it is about, if it is a setting of columns and they are known.
    pub columns: Vec<String>,
}

/// The part of a plan that a setting is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The plan itself, or the call alone: `rest`, `force`.
    Root,
    /// How a table is read.
    Read,
    /// A column.
    Column,
    /// The role of a column.
    Role,
    /// How a column's hierarchy is built or read.
    Hierarchy,
    /// Which algorithm is used.
    Algorithm,
    /// The search, whatever the algorithm: `metric`, `suppression`.
    Search,
    /// A parameter of the algorithm.
    Parameter,
    /// A parameter of a model, with the model's name where it is known.
    Model(Option<&'static str>),
    /// The settings of risk assessment.
    Risk,
}

/// A privacy model to ask for, with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The model's name.
    pub model: &'static str,
    /// Its parameters and their values.
    pub parameters: Vec<(&'static str, Value)>,
}

/// What the other algorithm must be like, besides serving the request. The type is here because errors carry it; only the library
/// knows which algorithms fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Any algorithm that supports the plan.
    Serving,
    /// One that makes equivalence classes, where overlapping records or several tables will not do.
    Classes,
    /// A quicker one.
    Quick,
    /// One whose equivalence classes do not depend on the columns' levels.
    WithoutLevels,
    /// One that searches with one domain for each column, without flattening.
    OneDomain,
    /// One whose labels cover the rows of their equivalence class, so one without means.
    WithoutMeans,
}

/// The value of a setting.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number.
    Whole(u64),
    /// Another number.
    Decimal(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A list of values.
    List(Vec<Value>),
    /// Values with names, such as a builder of hierarchies.
    Table(Vec<(&'static str, Value)>),
}

impl Remedy {
    /// A remedy that protects people as much as before.
    pub fn new(action: impl Into<Action>, words: impl Into<String>) -> Self {
        Self { words: words.into(), weakens_protection: false, action: action.into() }
    }

    /// A remedy that protects people less.
    pub fn weakening(action: impl Into<Action>, words: impl Into<String>) -> Self {
        Self { weakens_protection: true, ..Self::new(action, words) }
    }

    /// Returns what to set or to leave out, as the plan writes it, with the part of the plan in brackets: `[columns.born] format
    /// = "dd/mm/yyyy"`.
    #[must_use]
    pub fn in_plan(&self) -> Option<String> {
        Some(match &self.action {
            Action::Set { setting, values } => setting.in_plan(values),
            Action::Unset(setting) => setting.in_plan(&[]),
            Action::Ask(wanted) => format!("[[privacy]] {wanted}"),
            Action::Another(_) => Setting::algorithm().in_plan(&[]),
            Action::Do => return None,
        })
    }
}

impl Setting {
    /// A setting of the plan itself, or an argument of the call.
    #[must_use]
    pub fn root(key: &'static str) -> Self {
        Self::new(Part::Root, key)
    }

    /// A setting of how tables are read.
    #[must_use]
    pub fn read(key: &'static str) -> Self {
        Self::new(Part::Read, key)
    }

    /// A setting of columns.
    #[must_use]
    pub fn column(key: &'static str) -> Self {
        Self::new(Part::Column, key)
    }

    /// The role of columns.
    #[must_use]
    pub fn role(role: &'static str) -> Self {
        Self::new(Part::Role, role)
    }

    /// A setting of columns' hierarchies.
    #[must_use]
    pub fn hierarchy(key: &'static str) -> Self {
        Self::new(Part::Hierarchy, key)
    }

    /// The setting that chooses the algorithm.
    #[must_use]
    pub fn algorithm() -> Self {
        Self::new(Part::Algorithm, "algorithm")
    }

    /// A setting of every search.
    #[must_use]
    pub fn search(key: &'static str) -> Self {
        Self::new(Part::Search, key)
    }

    /// A parameter of the algorithm.
    #[must_use]
    pub fn parameter(key: &'static str) -> Self {
        Self::new(Part::Parameter, key)
    }

    /// A parameter of the model that the error is about.
    #[must_use]
    pub fn model(key: &'static str) -> Self {
        Self::new(Part::Model(None), key)
    }

    /// A setting of risk assessment.
    #[must_use]
    pub fn risk(key: &'static str) -> Self {
        Self::new(Part::Risk, key)
    }

    fn new(part: Part, key: &'static str) -> Self {
        Self { part, key, columns: Vec::new() }
    }

    /// Names the columns of the setting.
    #[must_use]
    pub fn of<C: AsRef<str>>(mut self, columns: &[C]) -> Self {
        self.columns = columns.iter().map(|column| column.as_ref().to_owned()).collect();
        self
    }

    /// Names the model of the parameter.
    #[must_use]
    pub fn of_model(self, name: &'static str) -> Self {
        Self { part: Part::Model(Some(name)), ..self }
    }

    /// Returns the action that sets it to this value.
    pub fn to(self, value: impl Into<Value>) -> Action {
        self.to_one_of([value])
    }

    /// Returns the action that sets it to one of these values, the best first.
    pub fn to_one_of(self, values: impl IntoIterator<Item = impl Into<Value>>) -> Action {
        Action::Set { setting: self, values: values.into_iter().map(Into::into).collect() }
    }

    fn in_plan(&self, values: &[Value]) -> String {
        let Self { part, key, columns } = self;
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        let assigned = match &values[..] {
            [] => (*key).to_owned(),
            values => format!("{key} = {}", one_of(values)),
        };
        match part {
            Part::Root if *key == "table" => "[[table]]".to_owned(),
            Part::Root if *key == "key_file" => "[keys] file".to_owned(),
            Part::Root => assigned,
            Part::Read => format!("[read] {assigned}"),
            Part::Column => of_columns(columns) + &assigned,
            Part::Role => format!("{}role = \"{key}\"", of_columns(columns)),
            Part::Hierarchy if columns.is_empty() => format!("hierarchy: {assigned}"),
            Part::Hierarchy => format!("{}hierarchy: {assigned}", of_columns(columns)),
            Part::Algorithm if values.is_empty() => "[algorithm] name".to_owned(),
            Part::Algorithm => format!("[algorithm] name = {}", one_of(&values)),
            Part::Search | Part::Parameter => format!("[algorithm] {assigned}"),
            Part::Model(_) => format!("[[privacy]] {assigned}"),
            Part::Risk => format!("[risk] {assigned}"),
        }
    }
}

impl Wanted {
    /// Asks for the model with this name.
    #[must_use]
    pub fn model(model: &'static str) -> Self {
        Self { model, parameters: Vec::new() }
    }

    /// Adds a parameter of the model.
    #[must_use]
    pub fn with(mut self, parameter: &'static str, value: impl Into<Value>) -> Self {
        self.parameters.push((parameter, value.into()));
        self
    }
}

/// Writes the model as a plan does: `model = "l_diversity", l = 2`.
impl Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "model = \"{}\"", self.model)?;
        self.parameters.iter().try_for_each(|(key, value)| write!(f, ", {key} = {value}"))
    }
}

impl Wish {
    /// The wish as a request.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Serving => "use an algorithm that can serve this model",
            Self::Classes => "use an algorithm that makes groups",
            Self::Quick => "use a quicker algorithm",
            Self::WithoutLevels => "use an algorithm that does not go by levels",
            Self::OneDomain => "use an algorithm that searches with one domain for each column",
            Self::WithoutMeans => "use an algorithm that shows no means",
        }
    }
}

/// Writes the value as TOML does.
impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Whole(number) => number.fmt(f),
            Self::Decimal(number) => number.fmt(f),
            Self::Boolean(is) => is.fmt(f),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Self::Table(entries) => {
                let entries: Vec<String> =
                    entries.iter().map(|(key, value)| format!("{key} = {value}")).collect();
                write!(f, "{{ {} }}", entries.join(", "))
            }
        }
    }
}

/// A setting whose value the user must choose.
impl From<Setting> for Action {
    fn from(setting: Setting) -> Self {
        Self::Set { setting, values: Vec::new() }
    }
}

impl From<Wanted> for Action {
    fn from(wanted: Wanted) -> Self {
        Self::Ask(wanted)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Whole(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Decimal(number)
    }
}

impl From<bool> for Value {
    fn from(is: bool) -> Self {
        Self::Boolean(is)
    }
}

impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(items: Vec<V>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

/// Returns `[columns.born] `, or `[columns.NAME] ` if the user must say which column.
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

/// Joins the choices: `a`, `a or b`, `a, b or c`.
#[must_use]
pub fn one_of(choices: &[String]) -> String {
    match choices {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
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
    use super::*;
    use crate::Error;

    fn told(error: &Error) -> Vec<String> {
        error.remedies().iter().filter_map(Remedy::in_plan).collect()
    }

    #[test]
    fn a_setting_is_told_as_the_plan_writes_it_and_where() {
        let error = Error::config("it does not fit")
            .set(Setting::column("format").of(&["born"]).to("dd/mm/yyyy"), "say that the day comes first")
            .set(Setting::column("type").of(&["day of birth"]).to("text"), "take them for texts")
            .weaken(Setting::column("missing_counts").of(&["ill"]).to(true), "let a missing value count")
            .set(Setting::role("drop").of(&["name", "card"]), "leave them out")
            .set(Setting::role("quasi"), "say which columns outsiders may know")
            .set(Setting::read("missing_policy").to("drop-row"), "leave rows out")
            .set(Setting::column("missing_policy").of(&["age"]).to("drop-row"), "leave rows out")
            .set(Setting::root("rest").to("drop"), "leave the others out")
            .set(Setting::hierarchy("lengths").to(vec![3, 1]), "give prefix lengths")
            .set(Setting::hierarchy("pad").of(&["zip"]).to("0"), "give a pad character")
            .set(
                Setting::column("hierarchy").to(Value::Table(vec![("build", "flat".into())])),
                "give a flat one",
            );
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
                "[columns.zip] hierarchy: pad = \"0\"",
                "[columns.NAME] hierarchy = { build = \"flat\" }",
            ]
        );
    }

    #[test]
    fn settings_of_the_search_and_of_models_have_their_parts() {
        let error = Error::config("it does not fit")
            .set(Setting::algorithm().to_one_of(["optimal", "iack"]), "use an algorithm that serves it")
            .another(Wish::Quick)
            .set(Setting::parameter("bins").to(4), "use fewer intervals")
            .set(Setting::parameter("priority_order").to(vec!["age", "sex"]), "give a list of them")
            .set(Setting::search("suppression"), "raise the limit")
            .unset(Setting::search("polish"), "leave polish out")
            .weaken(Setting::model("k").to(3), "lower k")
            .weaken(Setting::model("l").to(2.5), "lower l")
            .weaken(Setting::model("variant").of_model("l_diversity").to("frequency"), "ask for that variant")
            .set(Wanted::model("l_diversity").with("l", 2).with("variant", "entropy"), "ask for it")
            .set(Setting::risk("combination_size").to(0), "look at no combinations")
            .set(Setting::root("force"), "replace the file")
            .weaken_without(Setting::root("table"), "leave the tables out")
            .advise("lower k");
        assert_eq!(
            told(&error),
            [
                "[algorithm] name = \"optimal\" or \"iack\"",
                "[algorithm] name",
                "[algorithm] bins = 4",
                "[algorithm] priority_order = [\"age\", \"sex\"]",
                "[algorithm] suppression",
                "[algorithm] polish",
                "[[privacy]] k = 3",
                "[[privacy]] l = 2.5",
                "[[privacy]] variant = \"frequency\"",
                "[[privacy]] model = \"l_diversity\", l = 2, variant = \"entropy\"",
                "[risk] combination_size = 0",
                "force",
                "[[table]]",
            ]
        );
    }

    /// A program can word a remedy as keyword arguments, and a page as buttons, without parsing a text.
    #[test]
    fn a_remedy_is_data() {
        let error = Error::refused("it does not fit")
            .set(Setting::parameter("bins").to(4), "use fewer intervals")
            .weaken(Setting::column("missing_counts").of(&["ill"]).to(true), "let a missing value count")
            .weaken(Wanted::model("k_e").with("k", 3), "ask for (k,e)-anonymity alone")
            .another(Wish::Classes);
        let [bins, counts, model, other] = error.remedies() else { panic!("{error}") };
        let Action::Set { setting, values } = &bins.action else { panic!("{bins:?}") };
        assert_eq!(
            (setting.part, setting.key, &values[..]),
            (Part::Parameter, "bins", &[Value::Whole(4)][..])
        );
        assert!(!bins.weakens_protection && counts.weakens_protection);
        let Action::Set { setting, values } = &counts.action else { panic!("{counts:?}") };
        assert_eq!((setting.part, &setting.columns[..]), (Part::Column, &["ill".to_owned()][..]));
        assert_eq!(values, &[Value::Boolean(true)]);
        let wanted = Wanted { model: "k_e", parameters: vec![("k", Value::Whole(3))] };
        assert_eq!(model.action, Action::Ask(wanted));
        assert_eq!(other.action, Action::Another(Wish::Classes));
        assert_eq!(other.words, "use an algorithm that makes groups");
    }
}
