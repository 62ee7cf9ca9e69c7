//! The plan as a structure: what `release.toml` holds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use scumble_files::database::{Address, has_password, located, password_refused};
use serde::{Deserialize, Serialize};

use super::column::Column;
use super::duration::Budget;
use super::keys::{Keys, key_does_not_belong_here, refuse_key_in, shows_key};
use super::ordered;
use super::output::OutputDialect;
use super::parameters::Parameters;
use super::rational::Rational;
use super::risk::RiskSpec;
use super::roles::Role;
use super::sheet::Sheet;
use super::size::Size;
use super::source::{Source, Step};
use super::transform::TransformSpec;
use super::value::Value;
use super::wp216::Wp216Spec;
use crate::base::entry::plain;
use crate::error::{Error, Result, did_you_mean};
use crate::table::hierarchy::Builder;

/// A plan: one table, what its columns are, what must hold, and how to search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The table to release: a file name relative to this file, the address of a table in a database (`postgres://…?table=`,
    /// `sqlite:…?table=`), or `-` for standard input.
    pub input: String,
    /// The file to write, whose ending decides the format; or the address of a new table in a database.
    pub output: String,
    /// The folder of the private report, which must not be published.
    #[serde(default = "report_folder")]
    pub report: String,
    /// The template that the plan was made from, such as `hipaa_safe_harbor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The version of that template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_version: Option<u32>,
    /// A file that the recoding goes to, for applying it to other rows; private, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recoding: Option<String>,
    /// A file that says which row of the input stands in which row and group of the release, for checking it; private, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_map: Option<String>,
    /// A folder of hierarchy files, `<column>.csv`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchies: Option<String>,
    /// The people whom the table's rows are taken from: a table with the quasi-identifiers as columns of the same names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population: Option<String>,
    /// What happens to columns that are not listed; without it such a column is an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Rest>,
    /// Accepts that sensitive columns without a protecting model are published unchanged.
    #[serde(default, skip_serializing_if = "is_false")]
    pub accept_attribute_disclosure: bool,
    /// Accepts that codes of people link their rows within the release.
    #[serde(default, skip_serializing_if = "is_false")]
    pub accept_linkable_rows: bool,
    /// Keeps the order of the original rows, which is a trace of it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub keep_order: bool,
    /// Writes texts that spreadsheet programs would run in a form that none runs. For delimited text only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub spreadsheet_safe: bool,
    /// The program that delimited text is written for: `excel` or `excel-de`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_dialect: Option<OutputDialect>,
    /// How the input is read.
    #[serde(default)]
    pub read: Read,
    /// Where the secret key is that some steps need.
    #[serde(default, skip_serializing_if = "Keys::is_unsaid")]
    pub keys: Keys,
    /// What is done to columns before anything else looks at the table, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transform: Vec<TransformSpec>,
    /// The columns, by name, as they are after all steps.
    #[serde(default, with = "ordered")]
    #[schemars(with = "BTreeMap<String, Column>")]
    pub columns: Vec<(String, Column)>,
    /// Named sets of quasi-identifiers, for models that are about some of them only.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "ordered")]
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    pub quasi_sets: Vec<(String, Vec<String>)>,
    /// What the release must keep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub privacy: Vec<ModelSpec>,
    /// Tables about the same people that were published before, for models over several tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<TableSpec>,
    /// How the release is found.
    #[serde(default)]
    pub algorithm: AlgorithmSpec,
    /// How the risk that is left is assessed.
    #[serde(default, skip_serializing_if = "RiskSpec::is_default")]
    pub risk: RiskSpec,
    /// Where attacks are to say what they find by the three criteria of Opinion 05/2014 (WP216): the thresholds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wp216: Option<Wp216Spec>,
    /// What chance did to columns. Known once the steps were carried out.
    #[serde(skip)]
    pub drawn: Drawn,
}

/// Columns whose values chance decided.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drawn {
    /// Perturbed columns that outsiders may know. No model judges them; how many people are found by them is measured.
    pub beyond_models: Vec<String>,
    /// Columns that a release shows otherwise than this table, since no draw can be repeated.
    pub unrepeated: Vec<String>,
}

/// A further table about the same people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// The file, relative to the plan.
    pub file: String,
    /// The column that says who a row is about, where people are compared over tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The columns that outsiders may know.
    pub quasi: Vec<String>,
}

/// How the input is read; what is not given is detected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Read {
    /// What stands between two fields: `,`, `;`, `\t`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// What encloses a field: `"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<char>,
    /// Whether the first line, or the first row of a sheet, names the columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// The character encoding: `utf-8`, `utf-16` or `windows-1252`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// How many lines above the header are not read, such as a title; they are detected where that is clear. Of a workbook these
    /// are rows of the sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_rows: Option<u64>,
    /// The sheet of a workbook, by its name or its number from 1. If not given, the only visible one that holds a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<Sheet>,
    /// The most that is taken of a table, once it is unpacked: `500MB`, `2GB`. If not given, files that are not compressed may
    /// have any size, and of others as much is taken as the disk has left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_size: Option<Size>,
    /// The texts that mean a missing value.
    pub missing: Vec<String>,
    /// What to do with missing values.
    pub missing_policy: MissingPolicy,
}

/// What to do with missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissingPolicy {
    /// A missing value is a value of its own.
    #[default]
    OwnValue,
    /// A row with a missing value is left out.
    DropRow,
    /// A missing value is an error.
    Error,
}

/// What happens to columns that the plan does not list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rest {
    /// They are kept unchanged.
    Other,
    /// They are left out.
    Drop,
}

/// One privacy model and its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelSpec {
    /// The model's name, such as `k_anonymity`.
    #[serde(deserialize_with = "plain_name")]
    pub model: String,
    /// The columns it protects; all sensitive ones where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The quasi-identifiers it is about, or the name of one of the `[quasi_sets]`; all of them where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quasi: Option<QuasiSet>,
    /// The model's own parameters.
    #[serde(flatten)]
    pub parameters: Parameters,
}

/// A name as the registry writes it, so that two spellings of a model are one.
pub(super) fn plain_name<'de, D: serde::Deserializer<'de>>(
    given: D,
) -> std::result::Result<String, D::Error> {
    Ok(plain(&String::deserialize(given)?))
}

/// Some of the quasi-identifiers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum QuasiSet {
    /// A set of the plan's `[quasi_sets]`, by name.
    Named(String),
    /// The columns themselves.
    Columns(Vec<String>),
}

/// The algorithm and its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AlgorithmSpec {
    /// The algorithm's name.
    #[serde(default = "default_algorithm")]
    pub name: String,
    /// The metric to optimise, where the algorithm lets one choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// The share of rows that may be suppressed, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppression: Option<Rational>,
    /// What happens to suppressed rows.
    #[serde(default)]
    pub star_policy: StarPolicy,
    /// Makes the values of each column that overlap between classes one, so that every column has one domain.
    #[serde(default, skip_serializing_if = "is_false")]
    pub flatten: bool,
    /// Whether the classes that the algorithm finds are improved by a local search. Its result is always a local recoding.
    #[serde(default, skip_serializing_if = "is_false")]
    pub polish: bool,
    /// Fixes randomness, for tests only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The number of steps a search may take; replays a time budget exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// The time a search may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// The algorithm's own parameters.
    #[serde(flatten)]
    pub parameters: Parameters,
}

/// What happens to suppressed rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StarPolicy {
    /// They stay, with `*` in every quasi-identifier, and must meet every model as a class.
    #[default]
    Strict,
    /// They stay and nobody checks them: for comparisons with papers.
    Paper,
    /// They are left out.
    Drop,
}

/// The file that a plan names; `None` for a table of a database that is no file.
fn file_of(folder: &Path, name: &Path) -> Option<PathBuf> {
    match name.to_str().and_then(Address::recognise) {
        Some(address) => address.ok()?.seen_from(folder).file().map(Path::to_owned),
        None => Some(folder.join(name)),
    }
}

fn report_folder() -> String {
    "report".to_owned()
}

fn default_algorithm() -> String {
    "mondrian".to_owned()
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Read {
    /// How a release of this plan is read: the same texts mean a missing value, but it has a delimiter, quotes, an encoding and a sheet of
    /// its own.
    #[must_use]
    pub fn of_release(&self) -> Self {
        Self {
            delimiter: None,
            quote: None,
            header: None,
            encoding: None,
            skip_rows: None,
            sheet: None,
            ..self.clone()
        }
    }
}

impl Default for Read {
    fn default() -> Self {
        Self {
            delimiter: None,
            quote: None,
            header: None,
            encoding: None,
            skip_rows: None,
            sheet: None,
            max_size: None,
            missing: ["?", "", "NA", "NaN", "nan"].map(str::to_owned).to_vec(),
            missing_policy: MissingPolicy::default(),
        }
    }
}

impl Default for AlgorithmSpec {
    fn default() -> Self {
        Self {
            name: default_algorithm(),
            metric: None,
            suppression: None,
            star_policy: StarPolicy::default(),
            flatten: false,
            polish: false,
            seed: None,
            steps: None,
            budget: None,
            parameters: Parameters::default(),
        }
    }
}

impl AlgorithmSpec {
    /// The keys of `[algorithm]` that are no parameters of an algorithm.
    pub const KEYS: [&'static str; 9] =
        ["name", "metric", "suppression", "star_policy", "flatten", "polish", "seed", "steps", "budget"];

    /// Sets a key of `[algorithm]` by its name: one of [`AlgorithmSpec::KEYS`], or a parameter of the algorithm.
    pub fn set(&mut self, name: &str, value: Value) -> Result<()> {
        if !Self::KEYS.contains(&name) {
            self.parameters.set(name, value);
            return Ok(());
        }
        let wrong =
            |error: toml::de::Error| Error::config(format_args!("[algorithm] {name}: {}", error.message()));
        let value = toml::Value::try_from(&value).map_err(Error::internal)?;
        let read: Self = toml::Table::from_iter([(name.to_owned(), value)]).try_into().map_err(wrong)?;
        match name {
            "name" => self.name = read.name,
            "metric" => self.metric = read.metric,
            "suppression" => self.suppression = read.suppression,
            "star_policy" => self.star_policy = read.star_policy,
            "flatten" => self.flatten = read.flatten,
            "polish" => self.polish = read.polish,
            "seed" => self.seed = read.seed,
            "steps" => self.steps = read.steps,
            "budget" => self.budget = read.budget,
            _ => return Err(Error::internal(format_args!("[algorithm] {name} cannot be set"))),
        }
        Ok(())
    }

    /// An error for the first parameter that is neither one of the `known` nor a key of `[algorithm]`.
    pub fn allow_only(&self, known: &[&str]) -> Result<()> {
        let all: Vec<&str> = known.iter().copied().chain(Self::KEYS).collect();
        self.parameters.allow_only(&all)
    }
}

impl ModelSpec {
    /// A model about all sensitive columns and quasi-identifiers, with nothing else said.
    #[must_use]
    pub fn new(model: &str) -> Self {
        Self { model: plain(model), columns: Vec::new(), quasi: None, parameters: Parameters::default() }
    }

    /// With a parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.parameters.set(name, value.into());
        self
    }
}

impl Plan {
    /// A plan for a table in memory: its columns, each with its role or with all that is said about it, and no files.
    #[must_use]
    pub fn of_columns<'a, C: Into<Column>>(columns: impl IntoIterator<Item = (&'a str, C)>) -> Self {
        let column = |(name, column): (&str, C)| (name.to_owned(), column.into());
        Self { columns: columns.into_iter().map(column).collect(), ..Self::new("", "-") }
    }

    /// With a further column: its role, or all that is said about it.
    #[must_use]
    pub fn with_column(mut self, name: &str, column: impl Into<Column>) -> Self {
        self.columns.push((name.to_owned(), column.into()));
        self
    }

    /// With a model that the release must keep.
    #[must_use]
    pub fn require(mut self, model: ModelSpec) -> Self {
        self.privacy.push(model);
        self
    }

    /// With an algorithm, by its name.
    #[must_use]
    pub fn with_algorithm(mut self, name: &str) -> Self {
        name.clone_into(&mut self.algorithm.name);
        self
    }

    /// A plan with these files and nothing else.
    #[must_use]
    pub fn new(input: impl Into<String>, output: impl Into<String>) -> Self {
        Self {
            input: input.into(),
            output: output.into(),
            report: report_folder(),
            template: None,
            template_version: None,
            recoding: None,
            row_map: None,
            hierarchies: None,
            population: None,
            rest: None,
            accept_attribute_disclosure: false,
            accept_linkable_rows: false,
            keep_order: false,
            spreadsheet_safe: false,
            output_dialect: None,
            read: Read::default(),
            keys: Keys::default(),
            transform: Vec::new(),
            columns: Vec::new(),
            quasi_sets: Vec::new(),
            privacy: Vec::new(),
            table: Vec::new(),
            algorithm: AlgorithmSpec::default(),
            risk: RiskSpec::default(),
            wp216: None,
            drawn: Drawn::default(),
        }
    }

    /// Reads a plan. Errors name the file, line and column. Guessed roles are allowed here; see
    /// [`Plan::ready`].
    pub fn from_toml(text: &str, file_name: &str) -> Result<Self> {
        // Before anything else, since an error of TOML shows the line that it is about.
        if has_password(text) {
            return Err(password_refused().in_file(file_name));
        }
        if shows_key(text) {
            return Err(key_does_not_belong_here().in_file(file_name));
        }
        let source = Source::new(text, file_name)?;
        // Nothing of an evaluation is a key of a release.
        if !source.has_key("input")
            && ["data", "learner", "vary", "protocol"].iter().any(|key| source.has_key(key))
        {
            return Err(Error::config(format_args!(
                "{file_name} is a plan of an evaluation, which compares releases of several tables, and no plan of a release"
            ))
            .advise("use 'scumble evaluate' with this plan")
            .advise("give a plan of a release, such as 'scumble init' writes"));
        }
        refuse_key_in(&source)?;
        let mut plan: Self = source.read()?;
        plan.check().map_err(|problem| source.error_at(&problem.path, problem.error))?;
        plan.note_places(&source);
        Ok(plan)
    }

    /// Keeps where models and the algorithm are asked for, for what is found to be wrong with them later.
    fn note_places(&mut self, source: &Source<'_>) {
        let key = |name: &str| Step::Key(name.to_owned());
        let given = |parameters: &Parameters, more: &[&str]| -> Vec<String> {
            parameters.iter().map(|(name, _)| name).chain(more.iter().copied()).map(str::to_owned).collect()
        };
        for (place, spec) in self.privacy.iter_mut().enumerate() {
            for name in given(&spec.parameters, &["model"]) {
                let line = source.line_of(&[key("privacy"), Step::Item(place), key(&name)]);
                line.into_iter().for_each(|line| spec.parameters.stands_at(&name, line));
            }
        }
        for (place, spec) in self.transform.iter_mut().enumerate() {
            for name in given(&spec.parameters, &["do", "column", "columns", "into"]) {
                let line = source.line_of(&[key("transform"), Step::Item(place), key(&name)]);
                line.into_iter().for_each(|line| spec.parameters.stands_at(&name, line));
            }
        }
        for name in given(&self.algorithm.parameters, &["name", "metric"]) {
            let line = source.line_of(&[key("algorithm"), key(&name)]);
            line.into_iter().for_each(|line| self.algorithm.parameters.stands_at(&name, line));
        }
    }

    /// Reads a plan file.
    pub fn load(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let bytes = scumble_files::limits::read_whole(path)
            .map_err(|source| scumble_files::cannot_read("the plan", path, source))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let line =
                error.as_bytes()[..error.utf8_error().valid_up_to()].split(|byte| *byte == b'\n').count();
            Error::config(format_args!("{name}:{line}: the plan is not UTF-8 text"))
                .advise("save the plan as UTF-8")
                .advise("give the name of a plan, such as release.toml")
        })?;
        Self::from_toml(&text, &name)
    }

    /// The plan as TOML, which reads back to the same plan.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string(self)
            .map_err(|error| Error::internal(format_args!("a plan cannot be written: {error}")))
    }

    /// The column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(given, _)| given == name).map(|(_, column)| column)
    }

    /// The columns of a set of quasi-identifiers; an error names a set that there is not.
    pub fn columns_of<'a>(&'a self, set: &'a QuasiSet) -> Result<&'a [String]> {
        let name = match set {
            QuasiSet::Columns(columns) => return Ok(columns),
            QuasiSet::Named(name) => name,
        };
        let found = self.quasi_sets.iter().find(|(given, _)| given == name);
        found.map(|(_, columns)| &columns[..]).ok_or_else(|| {
            let names = self.quasi_sets.iter().map(|(name, _)| name.as_str());
            let near = did_you_mean(name, names);
            let error = Error::config(format_args!("there is no '{name}' in [quasi_sets]{near}"));
            if self.column(name).is_some() {
                error.advise(format!("for one column alone write quasi = [\"{name}\"]"))
            } else {
                error.advise("name the set in [quasi_sets]").advise("list the columns in its place")
            }
        })
    }

    /// Whether a quasi-identifier is one of a further table.
    #[must_use]
    pub fn is_in_further_table(&self, name: &str) -> bool {
        self.table.iter().any(|table| table.quasi.iter().any(|quasi| quasi == name))
    }

    /// The columns that models name in `y`, whose values are counted, or in `weight`, whose numbers are added up.
    #[must_use]
    pub fn counted_columns(&self) -> Vec<&str> {
        // No quasi-identifier: it is published coarser than it is.
        let apart = |name: &&str| self.column(name).is_some_and(|column| !column.role.has(Role::Quasi));
        let named = ["y", "weight"].into_iter().flat_map(|parameter| {
            self.privacy.iter().filter_map(move |spec| spec.parameters.texts(parameter).ok().flatten())
        });
        named.flatten().filter(apart).collect()
    }

    /// Every file that the plan reads, so that nothing is written over one of them. `folder` is where its file names start.
    #[must_use]
    pub fn files(&self, folder: &Path) -> Vec<PathBuf> {
        let mut names: Vec<PathBuf> = Vec::new();
        names.extend([Some(&self.input), self.population.as_ref()].into_iter().flatten().map(PathBuf::from));
        names.extend(self.table.iter().map(|table| PathBuf::from(&table.file)));
        names.extend(self.hierarchy_files());
        names.extend(self.keys.file.iter().map(PathBuf::from));
        let of_steps =
            self.transform.iter().filter_map(|step| step.parameters.text("population").ok().flatten());
        names.extend(of_steps.map(PathBuf::from));
        let mut files: Vec<PathBuf> = names.iter().filter_map(|name| file_of(folder, name)).collect();
        // A folder that cannot be listed is reported where it is read.
        let listed = self.hierarchies.as_ref().and_then(|name| std::fs::read_dir(folder.join(name)).ok());
        files.extend(listed.into_iter().flatten().flatten().map(|entry| entry.path()));
        files.retain(|file| file != Path::new("-"));
        files
    }

    /// The hierarchy files that columns name.
    pub fn hierarchy_files(&self) -> Vec<PathBuf> {
        let files = self.columns.iter().filter_map(|(_, column)| match column.hierarchy.as_ref()? {
            Builder::File { path, .. } | Builder::ParentChild { path, .. } => Some(path.clone()),
            _ => None,
        });
        files.collect()
    }

    /// A file or a table of a database that a plan names, seen from the plan's own place; `-` stays unchanged.
    #[must_use]
    pub fn beside(plan_file: &Path, name: &str) -> PathBuf {
        match plan_file.parent() {
            Some(folder) if name != "-" => located(folder, name),
            _ => PathBuf::from(name),
        }
    }
}
