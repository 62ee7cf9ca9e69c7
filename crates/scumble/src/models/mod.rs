//! What is forbidden: tests that the published table must pass.
//!
//! What of this is neither in [`crate::prelude`] nor in [`crate::extend`] is not promised: it may change from version to version.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::base::entry::Entry;
use crate::config::Parameters;
use crate::error::{Error, Result, Setting, Value};
use crate::recoding::published::{ClassView, Classes};
use crate::table::frequency::{Cell, FrequencyTable, total};
use crate::table::payload::Payloads;

/// Methods of a model that narrows another one, `self.model`, and says there what that one says.
macro_rules! says_as_its_model {
    ($($method:ident),* $(,)?) => { $(says_as_its_model!(@ $method);)* };
    (@ name) => { fn name(&self) -> &'static str { self.model.name() } };
    (@ demand) => { fn demand(&self) -> $crate::models::Demand { self.model.demand() } };
    (@ title) => { fn title(&self) -> String { self.model.title() } };
    (@ claim) => { fn claim(&self) -> serde_json::Map<String, serde_json::Value> { self.model.claim() } };
    (@ required) => { fn required(&self) -> f64 { self.model.required() } };
    (@ unit) => { fn unit(&self) -> &'static str { self.model.unit() } };
    (@ settings) => { fn settings(&self) -> Vec<(&'static str, f64)> { self.model.settings() } };
    (@ words) => { fn words(&self) -> $crate::models::Words { self.model.words() } };
    (@ largest_share) => { fn largest_share(&self) -> Option<f64> { self.model.largest_share() } };
    (@ larger_is_better) => { fn larger_is_better(&self) -> bool { self.model.larger_is_better() } };
    (@ protects) => { fn protects(&self) -> Option<&str> { self.model.protects() } };
    (@ joint) => { fn joint(&self) -> Option<&[String]> { self.model.joint() } };
    (@ reads) => { fn reads(&self) -> Vec<&str> { self.model.reads() } };
    (@ class_test) => { fn class_test(&self) -> Option<&dyn $crate::models::ClassTest> { self.model.class_test() } };
    (@ population_test) => {
        fn population_test(&self) -> Option<&dyn $crate::models::PopulationTest> { self.model.population_test() }
    };
    (@ sufficient_size) => { fn sufficient_size(&self) -> Option<u64> { self.model.sufficient_size() } };
    (@ projections) => {
        fn projections(&self, columns: &[usize]) -> Vec<Vec<usize>> { self.model.projections(columns) }
    };
    (@ on) => { fn on(&self) -> Option<&[String]> { self.model.on() } };
    (@ monotonicity) => { fn monotonicity(&self) -> $crate::models::Monotonicity { self.model.monotonicity() } };
    (@ check_feasible) => {
        fn check_feasible(&self, whole: &$crate::recoding::published::ClassView<'_>) -> $crate::error::Result<()> {
            self.model.check_feasible(whole)
        }
    };
}

pub(crate) mod alpha_k;
pub(crate) mod asked;
pub(crate) mod average_risk;
pub(crate) mod beta_likeness;
pub(crate) mod delta_disclosure;
pub(crate) mod delta_presence;
pub mod k_anonymity;
pub(crate) mod k_e;
pub(crate) mod k_map;
pub(crate) mod k_uncertainty;
pub(crate) mod l_diversity;
pub(crate) mod lkc;
pub(crate) mod multirelational;
pub(crate) mod on_set;
pub(crate) mod outside;
pub(crate) mod p_sensitive;
pub(crate) mod personalised;
pub(crate) mod several;
pub(crate) mod t_closeness;
#[cfg(test)]
mod tests;
pub(crate) mod threshold_rule;
pub(crate) mod valued;
mod values;
pub(crate) mod xy_anonymity;
pub(crate) mod xy_linkability;

/// What a model is made from besides its parameters.
pub struct ModelContext<'a> {
    /// The original rows; reference distributions come from here, also when rows are suppressed.
    pub table: &'a FrequencyTable,
    /// The trees of payload columns that have one, for distances between sensitive values.
    pub trees: &'a dyn Fn(&str) -> Option<&'a crate::table::hierarchy::Hierarchy>,
    /// The columns that the model is to protect, if it names some.
    pub columns: &'a [String],
    /// The columns that it protects when it names none.
    pub sensitive: &'a [String],
}

impl ModelContext<'_> {
    /// The column that says who a row is about, where people have several rows.
    #[must_use]
    pub fn person(&self) -> Option<&str> {
        self.table.payloads().person().map(|column| column.name.as_str())
    }

    /// An error if people have several rows: a model that compares numbers of rows would promise them too much.
    fn refuse_persons(&self, model: &str) -> Result<()> {
        match self.person() {
            None => Ok(()),
            Some(person) => Err(Error::refused(format!(
                "model '{model}' counts rows, and persons ('{person}') have several"
            ))
            .weaken(
                Setting::model("k").of_model("k_anonymity"),
                "ask for k-anonymity instead, which counts persons",
            )
            .advise("keep one row for each person")),
        }
    }
}

/// A judgement on a release.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Whether the model holds.
    pub holds: bool,
    /// The value that the release attains, in the model's own unit.
    pub attained: f64,
    /// How many classes fail.
    pub failing_classes: usize,
    /// How many rows are in failing classes.
    pub failing_rows: u64,
}

/// What a model says to people who read a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// What a release that keeps it is, in a phrase that follows "is": `5-anonymous`.
    pub claim: String,
    /// Whether the columns on which it holds belong behind the claim: `5-anonymous on age and sex`.
    pub names_columns: bool,
    /// What that means for a person, in a sentence.
    pub meaning: Option<String>,
    /// What it does not protect against.
    pub limits: Option<&'static str>,
}

impl Words {
    /// A claim without further words.
    #[must_use]
    pub fn new(claim: impl Into<String>) -> Self {
        Self { claim: claim.into(), names_columns: false, meaning: None, limits: None }
    }

    /// With what the claim means for a person.
    #[must_use]
    pub fn meaning(self, meaning: impl Into<String>) -> Self {
        Self { meaning: Some(meaning.into()), ..self }
    }

    /// With what the claim does not protect against.
    #[must_use]
    pub fn limits(self, limits: &'static str) -> Self {
        Self { limits: Some(limits), ..self }
    }
}

/// What pruning a search may rely on (models.md 0.5 and 1.19).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Monotonicity {
    /// Still holds when classes that hold are merged.
    pub merging: bool,
    /// Still holds when whole classes are dropped.
    pub dropping: bool,
    /// A class that passes still passes when merged with any class, also a failing one.
    pub upward: bool,
}

/// A test that one class decides.
pub trait ClassTest: Send + Sync {
    /// Whether the class passes.
    fn passes(&self, class: &ClassView<'_>) -> bool;
    /// The value that the class attains, in the model's own unit.
    fn attained(&self, class: &ClassView<'_>) -> f64;
    /// Whether only the size of the class matters.
    fn only_size(&self) -> bool {
        self.least_size().is_some()
    }
    /// The least size that passes, where only the size matters.
    fn least_size(&self) -> Option<u64> {
        None
    }
    /// No class of fewer rows passes, whatever else it has.
    fn needs_size(&self) -> u64 {
        self.least_size().unwrap_or(0)
    }
    /// How many rows of a class that fails are in failing classes at least, however it is divided. The monotonicity of the
    /// model already says all of them (upward) or one (merging); this is for models that can say more than one.
    fn failing_part(&self, _class: &ClassView<'_>) -> u64 {
        0
    }
}

/// A test that one class decides together with the people of the population who belong to it.
pub trait PopulationTest: Send + Sync {
    /// Whether a class with these numbers of rows and people passes.
    fn passes(&self, rows: u64, people: u64) -> bool;
    /// The value that it attains, in the model's own unit.
    fn attained(&self, rows: u64, people: u64) -> f64;
    /// Whether people are checked of whom no row is in the release: that is revealed about them, too.
    fn judges_absent(&self) -> bool;
    /// Whether it is about a table whose people are all in the population.
    fn needs_members(&self) -> bool;
}

/// What a model asks of every class, as far as searches need to know that support a few models only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// A number of rows or people, and nothing else.
    Size,
    /// Different values of a column.
    Diversity,
    /// Numbers of a column that lie apart.
    Spread,
    /// Something else.
    Other,
}

/// A privacy model with its parameters.
pub trait Model: Send + Sync {
    /// The registry name.
    fn name(&self) -> &'static str;
    /// The model with its parameters, as a person writes it: `entropy 2.5-diversity of diagnosis`.
    fn title(&self) -> String;
    /// What it asks of every class.
    fn demand(&self) -> Demand {
        Demand::Other
    }
    /// The claim in the form the independent verifier parses. It knows Scumble's own models only, so that others claim nothing.
    fn claim(&self) -> serde_json::Map<String, serde_json::Value> {
        serde_json::Map::from_iter([("model".to_owned(), self.name().into())])
    }
    /// What is required, in the model's own unit.
    fn required(&self) -> f64;
    /// The name of the parameter that a release attains a value of.
    fn unit(&self) -> &'static str {
        "required"
    }
    /// The numbers that were asked for, by the names of their parameters.
    fn settings(&self) -> Vec<(&'static str, f64)> {
        vec![(self.unit(), self.required())]
    }
    /// What the model says to people who read a report.
    fn words(&self) -> Words {
        Words::new(format!("such that it keeps {}", self.title()))
    }
    /// The largest share of a class that any value of the protected column may have, where the model bounds it.
    fn largest_share(&self) -> Option<f64> {
        None
    }
    /// Whether a larger attained value is better.
    fn larger_is_better(&self) -> bool;
    /// The payload column that the model reads, if it reads one; `forbids_sameness` says whether it asks anything of it.
    fn protects(&self) -> Option<&str> {
        None
    }
    /// The columns whose tuples it protects as one value, if it does; [`Model::protects`] is then a name for them together.
    fn joint(&self) -> Option<&[String]> {
        None
    }
    /// Every column that it protects, alone or with others.
    fn protected(&self) -> Vec<&str> {
        match self.joint() {
            Some(columns) => columns.iter().map(String::as_str).collect(),
            None => self.protects().into_iter().collect(),
        }
    }
    /// Every published column whose values it reads besides the quasi-identifiers.
    fn reads(&self) -> Vec<&str> {
        self.protected()
    }
    /// The test, where one class decides.
    fn class_test(&self) -> Option<&dyn ClassTest> {
        None
    }
    /// The test, where one class decides together with its people. A model has this test or the other.
    fn population_test(&self) -> Option<&dyn PopulationTest> {
        None
    }
    /// For models that only the whole table decides: the class size that is enough for them. A run looks for the least size under
    /// which the release as a whole keeps such a model.
    fn sufficient_size(&self) -> Option<u64> {
        None
    }
    /// The sets of columns whose classes the test checks, where `columns` are the quasi-identifiers that the model is about:
    /// all of them together, unless the model says otherwise.
    fn projections(&self, columns: &[usize]) -> Vec<Vec<usize>> {
        vec![columns.to_vec()]
    }
    /// The quasi-identifiers that the model is about, where it is not about all of them.
    fn on(&self) -> Option<&[String]> {
        None
    }
    /// What pruning may rely on.
    fn monotonicity(&self) -> Monotonicity;
    /// An error if not even the whole table as one class meets the model; it names the nearest feasible value.
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()>;
    /// The judgement on a release.
    fn judge(&self, classes: &Classes, payloads: &Payloads) -> Verdict {
        if let Some(test) = self.population_test() {
            return judge_people(classes, test, self.larger_is_better());
        }
        let Some(test) = self.class_test() else {
            return Verdict { holds: false, attained: f64::NAN, failing_classes: 0, failing_rows: 0 };
        };
        let best = if self.larger_is_better() { f64::INFINITY } else { f64::NEG_INFINITY };
        let worse = |a: f64, b: f64| if self.larger_is_better() { a.min(b) } else { a.max(b) };
        let judge = |class: &ClassView<'_>| {
            let passes = test.passes(class);
            (test.attained(class), usize::from(!passes), if passes { 0 } else { class.size })
        };
        let add = |a: (f64, usize, u64), b: (f64, usize, u64)| (worse(a.0, b.0), a.1 + b.1, a.2 + b.2);
        let all: Vec<usize> = (0..classes.assignment.columns.len()).collect();
        let sets = self.projections(&all);
        let (attained, failing_classes, failing_rows) = if sets == [&all[..]] {
            classes.judged(payloads).map(|(_, class)| judge(&class)).reduce(|| (best, 0, 0), add)
        } else {
            let of_set = |set: &Vec<usize>| {
                let groups = classes.groups_on(set);
                groups.iter().map(|group| judge(&group.view(payloads))).fold((best, 0, 0), add)
            };
            sets.par_iter().map(of_set).reduce(|| (best, 0, 0), add)
        };
        Verdict { holds: failing_classes == 0, attained, failing_classes, failing_rows }
    }
}

/// The judgement on classes and the people in them; it does not hold where these cannot be counted.
fn judge_people(classes: &Classes, test: &dyn PopulationTest, larger_is_better: bool) -> Verdict {
    let best = if larger_is_better { f64::INFINITY } else { f64::NEG_INFINITY };
    let mut verdict = Verdict { holds: false, attained: best, failing_classes: 0, failing_rows: 0 };
    let Some(people) = classes.people() else { return Verdict { attained: f64::NAN, ..verdict } };
    let kept = (0..classes.len()).filter(|class| !classes.is_suppressed(*class));
    let kept = kept.map(|class| (classes.size(class), people.of_class[class]));
    let rest = classes.rest().filter(|(rows, _)| *rows > 0 || test.judges_absent());
    for (rows, people) in kept.chain(rest) {
        let attained = test.attained(rows, people);
        verdict.attained =
            if larger_is_better { verdict.attained.min(attained) } else { verdict.attained.max(attained) };
        if !test.passes(rows, people) {
            verdict.failing_classes += 1;
            verdict.failing_rows += rows;
        }
    }
    Verdict { holds: verdict.failing_classes == 0, ..verdict }
}

/// The error of a model that was asked for without one of its parameters; `example` is a value that makes sense.
pub(crate) fn needs(model: &'static str, parameter: &'static str, example: impl Into<Value>) -> Error {
    Error::config(format!("model '{model}' needs {parameter}"))
        .set(Setting::model(parameter).of_model(model).to(example), format!("give a value for {parameter}"))
}

/// The number of people in the population; an error says how to give one.
pub(crate) fn people_of(model: &str, context: &ModelContext<'_>) -> Result<u64> {
    context.table.population().map(FrequencyTable::rows).ok_or_else(|| {
        Error::config(format!(
            "model '{model}' compares the release with the people whom its rows are taken from"
        ))
        .set(
            Setting::root("population"),
            "give the table of these people, with the quasi-identifiers as columns of the same names",
        )
    })
}

/// How a model is made from its parameters: one model for each column that it protects.
pub type BuildModel = fn(&Parameters, &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>>;

/// Makes a model of the registry, checked among the rows that have a value; an error about its parameters says which model they
/// are of.
pub fn build(
    entry: &Entry<BuildModel>,
    parameters: &Parameters,
    context: &ModelContext<'_>,
) -> Result<Vec<Box<dyn Model>>> {
    let models = (entry.build)(parameters, context).map_err(|error| {
        if error.kind() != crate::ErrorKind::Config || error.what().contains(entry.name) {
            return error;
        }
        error.reworded(|what| format!("model '{}': {what}", entry.name))
    })?;
    let payloads = context.table.payloads();
    Ok(models.into_iter().map(|model| valued::among_present(model, payloads)).collect())
}

/// Whether a model forbids, for some value at least, that everyone in a class has that value of the column it is about. One
/// that asks for a single value (l = 1) or allows every distance (t = 1) forbids nothing, so nobody is protected by it; nor does
/// one that is about several columns together, each of which may be the same for all.
pub(crate) fn forbids_sameness(model: &dyn Model, table: &FrequencyTable) -> bool {
    let payloads = table.payloads();
    let Some(column) = model.protects().filter(|_| model.joint().is_none()) else { return false };
    let Some(column) = payloads.position(column) else { return false };
    let Some(test) = model.class_test() else { return true };
    let mut of_value: BTreeMap<u32, Vec<Cell>> = BTreeMap::new();
    for cell in table.payload_totals() {
        of_value.entry(payloads.value(cell.payload, column)).or_default().push(cell);
    }
    // A missing value that is none says nothing about anybody.
    if let Some(absent) = payloads.columns[column].absent() {
        of_value.remove(&absent);
    }
    let mut of_value: Vec<(u64, Vec<Cell>)> =
        of_value.into_values().map(|cells| (total(&cells), cells)).collect();
    // Rare values are the first to be forbidden, so the search mostly ends at once.
    of_value.sort_by_key(|(rows, _)| *rows);
    of_value.iter().any(|(size, cells)| !test.passes(&ClassView { size: *size, cells, payloads }))
}

/// The payload columns that a model's `columns` parameter names, or all sensitive ones.
pub fn protected_columns(model: &str, context: &ModelContext<'_>) -> Result<Vec<(String, usize)>> {
    let names = if context.columns.is_empty() { context.sensitive } else { context.columns };
    if names.is_empty() {
        return Err(Error::config(format!(
            "model '{model}' protects sensitive values, but no column has the role 'sensitive'"
        ))
        .set(Setting::role("sensitive"), "name a sensitive column"));
    }
    places_of(model, names, context.table.payloads())
}

/// The places of payload columns that a model names.
pub(crate) fn places_of(model: &str, names: &[String], payloads: &Payloads) -> Result<Vec<(String, usize)>> {
    names
        .iter()
        .cloned()
        .map(|name| match payloads.position(&name) {
            Some(place) => Ok((name, place)),
            None => Err(Error::config(format!(
                "model '{model}' names the column '{name}', which is not a sensitive or class column{}",
                crate::error::did_you_mean(&name, payloads.columns.iter().map(|column| column.name.as_str()))
            ))),
        })
        .collect()
}
