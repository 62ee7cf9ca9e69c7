//! What is done to columns before anything else looks at the table: rounding, ages, top coding, pseudonyms.
//!
//! A step makes columns of columns. Where it can, it works on distinct values, not on rows. What a step takes from the data (a limit, a list of
//! rare values) it also returns as parameters, so that other rows can be treated in the same way ([`Made::settled`]).
//!
//! To add a transform: one file here, one line in [`TRANSFORMS`], one page in `docs/transforms/`, and the same rule a second time in the
//! verifier (`scumble-verify/src/steps/`).

mod age;
mod bottom_top;
mod cut;
mod dates;
mod days_since;
mod geo;
mod keyed;
mod lump;
mod mask;
mod numbers;
pub(crate) mod perturb;
mod pseudonym;
mod round;
mod shift;
#[cfg(test)]
mod testing;
mod truncate;
mod values;
mod zip3;

pub use perturb::floats_of_rows;
use scumble_files::Control;
use scumble_files::table::CodedColumn;

use crate::base::entry::Registry;
use crate::base::key::Key;
use crate::config::{Parameters, TransformSpec, Value, key_does_not_belong_here};
use crate::error::{Error, Result};
use crate::table::decimal::Decimal;

/// How a transform is made of its parameters.
pub type BuildTransform = fn(&Parameters) -> Result<Box<dyn Transform>>;

/// Every transform.
pub static TRANSFORMS: Registry<BuildTransform> = Registry::new(
    "transform",
    &[
        bottom_top::TOP,
        bottom_top::BOTTOM,
        round::ENTRY,
        cut::ENTRY,
        lump::ENTRY,
        age::ENTRY,
        days_since::ENTRY,
        truncate::ENTRY,
        shift::ENTRY,
        zip3::ENTRY,
        mask::ENTRY,
        geo::ENTRY,
        pseudonym::ENTRY,
        perturb::NOISE,
        perturb::MULTIPLY,
        perturb::RANK_SWAP,
        perturb::RECORD_SWAP,
        perturb::PRAM,
        perturb::SHUFFLE,
    ],
);

/// One way to change columns.
pub trait Transform: Send + Sync {
    /// The columns that it reads besides those that it changes.
    fn also_reads(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The columns that it changes besides those that the plan names first.
    fn also_changes(&self) -> Vec<&str> {
        Vec::new()
    }

    /// What it promises, and what it needs.
    fn facts(&self) -> Facts;

    /// What it does, for readers of the release: nothing that helps to undo it, and no name of a column.
    fn words(&self) -> String;

    /// What attackers who know the method, and none of its draws, can use. Only for steps that perturb.
    fn trace(&self) -> Trace<'_> {
        Trace::Numbers
    }

    /// Whether the ratios between values of several of its columns stay exact. Only for steps that perturb.
    fn keeps_ratios(&self) -> bool {
        false
    }

    /// Which codes it makes of a column, if it makes codes.
    fn codes(&self, _column: &str) -> Option<CodeSpace> {
        None
    }

    /// Makes the new columns.
    fn run(&self, given: &Given<'_>) -> Result<Made>;
}

/// What decides which code a value has. Columns with equal spaces, a common key and, where codes last for one release only, a common id of the
/// release have equal codes for equal values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeSpace {
    /// What the values are.
    pub domain: String,
    /// The other settings, by name.
    pub settings: Vec<(&'static str, String)>,
}

/// What a transform promises about its result, and what it needs. Help and checks read this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// In which way a value of the result is true of its original.
    pub truth: StepTruth,
    /// Which columns it treats at a time.
    pub takes: Takes,
    /// Whether a value of the result depends on other rows than its own, so that new rows cannot be treated one by one.
    pub needs_all_rows: bool,
    /// Whether its protection rests on draws, which nobody may repeat.
    pub needs_chance: bool,
    /// Whether it needs the secret key.
    pub needs_key: bool,
    /// Whether it puts values into a column of numbers that stand for many of them: `>=90`, `[18,30)`.
    pub makes_stretches: bool,
    /// Whether its results are numbers of days, so that differences between them are intervals.
    pub makes_days: bool,
}

impl Facts {
    /// A rule on one value at a time, which anybody can repeat.
    const DERIVED: Self = Self {
        truth: StepTruth::Derived,
        takes: Takes::One,
        needs_all_rows: false,
        needs_chance: false,
        needs_key: false,
        makes_stretches: false,
        makes_days: false,
    };
}

/// Which of its columns a transform treats at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Each by itself.
    One,
    /// So many, of which it makes one new column.
    Several(usize),
    /// All of them at once, each of which it changes.
    Together,
}

/// In which way the result of a step is true of its original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepTruth {
    /// The rule gives exactly this value.
    Derived,
    /// Exact inside a limit; beyond the limit, the value says only that.
    Censored,
    /// A multiple of the base, less than one base away.
    Within,
    /// A code: one for equal values, and others for others.
    Pseudonym,
    /// A date moved by a number of days that is one for each person.
    Shifted,
    /// No value is promised to be true; only the law of the method holds.
    Perturbed,
}

impl StepTruth {
    /// What is checked, for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Derived => "every value is what the rule makes of its original",
            Self::Censored => {
                "values inside the limit are exact, and values beyond the limit are shown as beyond"
            }
            Self::Within => {
                "every value is a multiple of the base, and less than one base away from its original"
            }
            Self::Pseudonym => {
                "equal values have equal codes, different values have different codes, and no code is a value"
            }
            Self::Shifted => {
                "all dates of a person are moved by one number of days, which is a multiple of the unit, not 0 and not above the maximum"
            }
            Self::Perturbed => {
                "no value is promised to be that of its person; the changed columns keep the law of the method"
            }
        }
    }
}

/// What somebody who knows how a column was perturbed, and none of the draws, can use to find people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trace<'a> {
    /// Numbers that are near the true ones.
    Numbers,
    /// Categories, some of which are true.
    Categories,
    /// Kim's noise: a known map towards the mean, which can be undone.
    Kim {
        /// The share of the variance that was added.
        d: f64,
    },
    /// Ranks that moved by no more than a share of the rows.
    Ranks {
        /// That share, in percent.
        percent: f64,
        /// The share of the least values that show their mean, in percent.
        bottom: f64,
        /// The share of the greatest values that show their mean, in percent.
        top: f64,
        /// The column whose groups kept their values.
        within: Option<&'a str>,
    },
}

/// What a step is given.
pub struct Given<'a> {
    /// The columns that it changes, in the order of the plan.
    pub columns: &'a [&'a CodedColumn],
    /// The columns that it also reads, as [`Transform::also_reads`] names them.
    pub also: &'a [&'a CodedColumn],
    /// The names of the columns that it makes.
    pub into: &'a [&'a str],
    /// Whether one of them is a quasi-identifier.
    pub for_quasi: bool,
    /// The least and the greatest value that the plan declares for a column.
    pub bounds: &'a dyn Fn(&str) -> Bounds,
    /// The texts that mean a missing value in a column.
    pub missing: &'a dyn Fn(&str) -> &'a [String],
    /// The number in the file of a row of the table.
    pub number: &'a dyn Fn(usize) -> u64,
    /// The person of each row, where rows are not people.
    pub persons: Option<&'a [u32]>,
    /// Reads a file that the step names.
    pub file: &'a dyn Fn(&str) -> Result<String>,
    /// Fixes chance, for tests.
    pub seed: Option<u64>,
    /// The secret key of the run.
    pub key: &'a dyn Fn() -> Result<Key>,
    /// The random id of the release, by which its codes differ from those of every other.
    pub release: &'a dyn Fn() -> Result<[u8; 16]>,
    /// Where cancellation is asked for.
    pub control: &'a Control,
}

/// The least and the greatest value that a column may show.
pub type Bounds = (Option<f64>, Option<f64>);

impl<'a> Given<'a> {
    /// The name of the first, and mostly only, column that it makes.
    fn makes(&self) -> &'a str {
        self.into.first().copied().unwrap_or_default()
    }

    /// The first, and mostly only, column.
    fn column(&self) -> Result<&'a CodedColumn> {
        self.columns.first().copied().ok_or_else(|| Error::internal("a step has no column"))
    }

    /// Whether a text of a column means a missing value.
    fn is_missing(&self, column: &CodedColumn, text: &str) -> bool {
        (self.missing)(&column.name).iter().any(|marker| marker == text)
    }
}

/// The result of a step.
pub struct Made {
    /// The new columns, in the order of their names in [`Given`].
    pub columns: Vec<CodedColumn>,
    /// Parameters with which the step does the same to other rows.
    pub settled: Vec<(&'static str, Value)>,
    /// Whether some of these were taken from the data.
    pub from_data: bool,
    /// What the owner should know.
    pub notes: Vec<String>,
    /// What the owner should decide.
    pub warnings: Vec<String>,
}

/// An exact number among the parameters, with a sign.
fn decimal(parameters: &Parameters, name: &str) -> Result<Option<Decimal>> {
    let Some(value) = parameters.get(name) else { return Ok(None) };
    exact(value).map(Some).ok_or_else(|| {
        parameters
            .placed(name, Error::config(format_args!("{name} must be a number, not {}", value.describe())))
    })
}

/// Exact numbers among the parameters, as a list or one alone.
fn decimals(parameters: &Parameters, name: &str) -> Result<Option<Vec<Decimal>>> {
    let items = match parameters.get(name) {
        None => return Ok(None),
        Some(Value::List(items)) => items.clone(),
        Some(one) => vec![one.clone()],
    };
    let numbers: Option<Vec<Decimal>> = items.iter().map(exact).collect();
    let wrong = || parameters.placed(name, Error::config(format_args!("{name} must be numbers")));
    numbers.map(Some).ok_or_else(wrong)
}

fn exact(value: &Value) -> Option<Decimal> {
    match value {
        Value::Boolean(_) | Value::List(_) => None,
        value => Decimal::read(&value.to_text(), b'.').map(|(number, _)| number),
    }
}

/// A number as a parameter.
fn settled(number: Decimal) -> Value {
    Value::from_text(&number.text('.'))
}

impl Made {
    fn of(column: CodedColumn) -> Self {
        Self::of_several(vec![column])
    }

    fn of_several(columns: Vec<CodedColumn>) -> Self {
        Self { columns, settled: Vec::new(), from_data: false, notes: Vec::new(), warnings: Vec::new() }
    }
}

/// A step of a plan, ready to run: a transform and the columns it works on.
pub struct Step {
    /// What the plan says. Names one column, or as many as the transform makes its result of.
    pub spec: TransformSpec,
    /// The transform.
    pub transform: Box<dyn Transform>,
}

impl Step {
    /// The columns that it changes, or makes its new column of.
    #[must_use]
    pub fn columns(&self) -> Vec<&str> {
        self.spec.changed().chain(self.transform.also_changes()).collect()
    }

    /// The names of the columns that it makes.
    #[must_use]
    pub fn makes(&self) -> Vec<&str> {
        self.spec.into.as_deref().map_or_else(|| self.columns(), |into| vec![into])
    }

    /// Every column that it reads.
    #[must_use]
    pub fn reads(&self) -> Vec<&str> {
        self.columns().into_iter().chain(self.transform.also_reads()).collect()
    }

    /// Whether no value of its columns is promised to be true.
    #[must_use]
    pub fn perturbs(&self) -> bool {
        self.transform.facts().truth == StepTruth::Perturbed
    }
}

/// The share of its variance that Kim's noise added to a column, if a step did that: anybody can undo the known part of it.
#[must_use]
pub fn kim_noise(specs: &[TransformSpec], column: &str) -> Option<f64> {
    let all = steps(specs).unwrap_or_default();
    let last = all.iter().rfind(|step| step.perturbs() && step.makes().contains(&column))?;
    match last.transform.trace() {
        Trace::Kim { d } => Some(d),
        _ => None,
    }
}

/// Whether some of these steps needs the secret key, as far as they are right.
#[must_use]
pub fn need_key(specs: &[TransformSpec]) -> bool {
    let needs =
        |spec| of_spec(spec).map_or(true, |steps| steps.iter().any(|step| step.transform.facts().needs_key));
    specs.iter().any(needs)
}

/// The columns of numbers into which steps put values that stand for many numbers.
pub(crate) fn stretched(specs: &[TransformSpec]) -> Vec<String> {
    let all = steps(specs).unwrap_or_default();
    let making = all.iter().filter(|step| step.transform.facts().makes_stretches);
    making.flat_map(Step::makes).map(str::to_owned).collect()
}

/// The steps of a plan, one for each column that is made. Returns an error for what is wrong with one, whatever the table.
pub fn steps(specs: &[TransformSpec]) -> Result<Vec<Step>> {
    let mut all = Vec::new();
    for spec in specs {
        all.extend(of_spec(spec)?);
    }
    Ok(all)
}

fn of_spec(spec: &TransformSpec) -> Result<Vec<Step>> {
    let placed = |name: &str, error: Error| spec.parameters.placed(name, error);
    let entry = TRANSFORMS.find(&spec.transform).map_err(|error| placed("do", error))?;
    let known: Vec<&str> = entry.parameters.iter().map(|(name, _)| *name).collect();
    if spec.parameters.get("key").is_some() {
        return Err(placed("key", key_does_not_belong_here()));
    }
    spec.parameters.allow_only(&known)?;
    let named: Vec<&str> = spec.changed().collect();
    let wrong = |what: String| Error::config(format_args!("the step '{}' {what}", entry.name));
    if named.is_empty() {
        return Err(placed(
            "do",
            wrong("names no column".to_owned()).advise("say which column: column = \"…\""),
        ));
    }
    if spec.column.is_some() && !spec.columns.is_empty() {
        return Err(placed(
            "column",
            wrong("has both column and columns".to_owned()).advise("leave one of them out"),
        ));
    }
    if let Some(twice) = (1..named.len()).find(|place| named[..*place].contains(&named[*place])) {
        return Err(placed("columns", wrong(format!("names the column '{}' twice", named[twice]))));
    }
    let build = || (entry.build)(&spec.parameters);
    let takes = build()?.facts().takes;
    if takes == Takes::One {
        if named.len() > 1 && spec.into.is_some() {
            let error =
                wrong("makes one column of each of its columns, so into cannot name all of them".to_owned());
            return Err(placed("into", error.advise("write one step for each column")));
        }
        let alone = |name: &&str| {
            let spec =
                TransformSpec { column: Some((*name).to_owned()), columns: Vec::new(), ..spec.clone() };
            Ok(Step { spec, transform: build()? })
        };
        return named.iter().map(alone).collect();
    }
    let Takes::Several(at_a_time) = takes else {
        if spec.into.is_some() {
            let error = wrong("changes its columns in place, so it has no into".to_owned());
            return Err(placed("into", error.advise("leave into out")));
        }
        return Ok(vec![Step { spec: spec.clone(), transform: build()? }]);
    };
    if named.len() != at_a_time {
        let error = wrong(format!(
            "needs {at_a_time} columns, and {} given",
            if named.len() == 1 { "one is" } else { "others are" }
        ));
        return Err(placed("columns", error));
    }
    if spec.into.is_none() {
        let error = wrong("makes one column of several, so it must be said what that is called".to_owned());
        return Err(placed("do", error.advise("name the new column: into = \"…\"")));
    }
    Ok(vec![Step { spec: spec.clone(), transform: build()? }])
}
