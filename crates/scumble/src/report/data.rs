//! The content of a report, without its look. The JSON twin of the page is this data, serialised.
//!
//! Counts are stored and shares are computed from them when the page is drawn, so that the two can never disagree. Everything optional is an
//! `Option` or a list that may be empty; what is absent here is absent from the page. If a registry has a better sentence than the page, it goes
//! into the fields `meaning`, `limits` and `explanation`.

use serde::{Deserialize, Serialize};

pub use super::combinations::{Combination, Combinations};
pub use super::criteria::{Answer, Criteria, Criterion, Measure};
pub use super::households::Households;
pub use super::personal::{AcceptedPersonalData, NoticedPersonalData, PersonalData, PersonalKindFound};
pub use super::perturbation::Perturbation;
pub use crate::base::amount::Amount;
use crate::config::Audience;
pub use crate::risk::histories::Histories;
pub use crate::risk::uniques::PopulationUniques;
pub use crate::risk::{RiskBand, RiskFigures, Singling, Unit};

/// The private report of one run. Start from `Report::default()` and fill in what is known.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// The name of the release, usually that of its file without the folder.
    pub title: String,
    /// Who will read the release, which decides how much risk is too much.
    pub audience: Audience,
    /// When the run took place, as the reader should see it. Absent where output must be reproducible.
    pub created: Option<String>,
    /// Name of the table that was read, without its folder.
    pub source: Option<String>,
    /// The files that it was made from and written to, where these are files. They say whether another run may replace it.
    pub made: Option<Made>,
    /// The number of rows and classes, and whether the written file was checked.
    pub release: Release,
    /// The requirements, and which of them hold.
    pub models: Vec<ModelResult>,
    /// The cost in detail, in the order in which it should be read.
    pub metrics: Vec<MetricResult>,
    /// The tables, where several are published together.
    pub tables: Vec<TableNote>,
    /// Sizes of the equivalence classes.
    pub class_sizes: Option<ClassSizes>,
    /// The quasi-identifiers, before and after.
    pub columns: Vec<ColumnReport>,
    /// The information of each level of each column about the class column.
    pub information: Option<ClassInformation>,
    /// All combinations of levels, if there are few.
    pub combinations: Option<Combinations>,
    /// The distance of each column from its original.
    pub changes: Vec<ColumnChange>,
    /// The rows that were suppressed: why, and whose.
    pub suppression: Option<Suppression>,
    /// The remaining risk of re-identification.
    pub risk: Option<Risk>,
    /// The results of simulated attacks, if some were run.
    pub attacks: Vec<AttackResult>,
    /// What they say about the criteria of Opinion 05/2014, if the plan asks for that.
    pub criteria: Option<Criteria>,
    /// Columns that are published exactly as they were.
    pub kept: Option<KeptExactly>,
    /// The figures about households, where a column tells them apart.
    pub households: Option<Households>,
    /// What the rows of a person show together.
    pub histories: Option<Histories>,
    /// What perturbation did to columns, where steps perturbed some.
    pub perturbation: Option<Perturbation>,
    /// Personal data in columns that are published: what the plan accepts, and what is too rare to stop the release.
    pub personal: PersonalData,
    /// What the reader should think about before publishing.
    pub warnings: Vec<Warning>,
    /// How the release was made.
    pub run: Option<Run>,
    /// The next thing to do, if the run has better advice than the general one.
    pub next_step: Option<String>,
}

/// Where a release comes from and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Made {
    /// The table that was read, with its folder.
    pub from: String,
    /// The release, with its folder.
    pub to: String,
}

/// One of several tables that are published together.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TableNote {
    /// The name of its file.
    pub file: String,
    /// Its columns.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: u64,
    /// The fewest rows that a person may be among, for somebody who has this table only.
    pub alone: Option<u64>,
}

/// The size of a release, and the result of the check after writing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Release {
    /// Rows of the original table.
    pub rows: u64,
    /// Rows written to the release, including those shown as `*`.
    pub released: u64,
    /// Rows that show `*` in all quasi-identifiers or were left out.
    pub suppressed: u64,
    /// What happened to suppressed rows.
    pub suppressed_as: SuppressedAs,
    /// Equivalence classes in the release, without the class of rows shown as `*`.
    pub classes: u64,
    /// Rows in the smallest class, if there is a class.
    pub smallest_class: Option<u64>,
    /// Rows that every class must have, if a model asks for a minimum.
    pub required_class: Option<u64>,
    /// Mean loss (LM) of the release, from 0 (untouched) to 1 (everything suppressed).
    pub loss: Amount,
    /// The column that says which person a row is about; without one, each row counts as a person.
    pub subject: Option<String>,
    /// Number of people, where a subject column shows it.
    pub persons: Option<u64>,
    /// Whether the written release was read back and passed the independent check.
    pub checked: bool,
    /// Whether the check, which was also given the original, found every released value true of its original; absent if it was not asked to.
    pub truthful: Option<bool>,
}

/// What happened to rows that were suppressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SuppressedAs {
    /// Kept with `*` in every quasi-identifier.
    #[default]
    Starred,
    /// Left out of the release.
    Dropped,
}

/// A privacy model: what was required, and what the release attains.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelResult {
    /// Registry name, such as `k_anonymity`.
    pub name: String,
    /// Name for people, such as "k-anonymity" or "Entropy l-diversity".
    pub title: String,
    /// The sensitive column that is protected, for models that protect one.
    pub column: Option<String>,
    /// The quasi-identifiers on which it holds.
    pub on: Vec<String>,
    /// The parameters that were asked for: `k = 5`, or `c = 2` and `l = 3`.
    pub required: Vec<Setting>,
    /// The best parameter the release attains.
    pub attained: Option<Setting>,
    /// Whether the release meets the requirement.
    pub holds: bool,
    /// A description of a release that keeps the model, in a phrase that follows "is".
    pub claim: Option<String>,
    /// What it means, in a line.
    pub meaning: Option<String>,
    /// What it does not protect against.
    pub limits: Option<String>,
}

/// A named number.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Setting {
    /// Name, such as `k`.
    pub name: String,
    /// Value.
    pub value: Amount,
}

impl Setting {
    /// `name = value`.
    pub fn new(name: impl Into<String>, value: impl Into<Amount>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

/// The result of a simulated attack.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AttackResult {
    /// The name by which a user asks for it.
    pub attack: String,
    /// Its name for people.
    pub title: String,
    /// The sensitive column that it guesses.
    pub column: Option<String>,
    /// What it tries to learn.
    pub learns: Learns,
    /// How much better it guesses with the release than without it, if it guesses.
    pub gain: Option<AttackGain>,
    /// The result in one sentence, or why it was not run.
    pub sentence: String,
    /// The share of people at risk.
    pub at_risk: Option<AttackFigure>,
    /// The chance that it is right about the worst-off person.
    pub worst: Option<f64>,
    /// Further figures.
    pub figures: Vec<AttackFigure>,
    /// What the figures do not say.
    pub limits: Vec<String>,
    /// Whether it was run.
    pub run: bool,
}

/// What an attack tries to learn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Learns {
    /// Which row is a person's.
    Row,
    /// A person's sensitive value.
    #[default]
    Value,
    /// Whether a person is in the table.
    Presence,
    /// A finer value than the release shows.
    Detail,
}

/// How often the guesses of an attack are right.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AttackGain {
    /// With the release.
    pub right: f64,
    /// Without it.
    pub without: f64,
}

/// A figure of a simulated attack.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AttackFigure {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Amount,
    /// Whether it is a share or a chance, from 0 to 1.
    pub share: bool,
    /// The ends of its 95 % interval, where it is an estimate.
    pub interval: Option<(f64, f64)>,
}

/// A metric and its value for this release.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MetricResult {
    /// Registry name, such as `discernibility`.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// The value.
    pub value: Amount,
    /// The value scaled to the range from 0 to 1, if the metric has such a form.
    pub normalised: Option<Amount>,
    /// Which direction is better.
    pub better: Better,
    /// The smallest and largest value the metric can take here, where both are known.
    pub range: Option<(f64, f64)>,
    /// Further figures that belong to it.
    pub details: Vec<Setting>,
    /// What it says, in a line. For known metrics the page shows its own sentence instead.
    pub explanation: Option<String>,
}

/// The direction in which a metric improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Small values are good.
    #[default]
    Lower,
    /// Large values are good.
    Higher,
}

/// The number of classes of each size.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ClassSizes {
    /// After coarsening, before suppression, in ascending order of size.
    pub before: Vec<SizeCount>,
    /// In the release (without rows shown as `*`), in ascending order of size.
    pub after: Vec<SizeCount>,
    /// The size that was required.
    pub k: Option<u64>,
}

/// A class size and the number of classes that have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SizeCount {
    /// Rows in each of these classes.
    pub size: u64,
    /// Number of classes of this size.
    pub classes: u64,
}

/// What a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnRole {
    /// Known to outsiders, and so coarsened.
    #[default]
    Quasi,
    /// What must not be learnt about a person.
    Sensitive,
    /// The label that machine-learning models will predict.
    Class,
    /// The label that machine-learning models will predict, and sensitive as well.
    ClassAndSensitive,
    /// None of these.
    Other,
    /// A code that was made with a secret key, which nobody outside can know of a person.
    Code,
    /// Known to outsiders, and perturbed instead of coarsened.
    Perturbed,
    /// How many people of a population a row stands for.
    Weight,
}

/// One quasi-identifier before and after.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ColumnReport {
    /// Name of the column.
    pub name: String,
    /// What the column is for.
    pub role: ColumnRole,
    /// How it was coarsened.
    pub coarsening: Coarsening,
    /// Where its hierarchy comes from, if it has one.
    pub hierarchy: Option<HierarchyNote>,
    /// Mean loss of this column over all original rows, from 0 to 1.
    pub loss: Amount,
    /// Number of different values before.
    pub distinct_before: u64,
    /// Number of different values in the release, `*` not counted.
    pub distinct_after: u64,
    /// The column before and after, on one axis.
    pub axis: Option<Axis>,
}

/// How the values of a column were coarsened.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Coarsening {
    /// Values are as in the original.
    #[default]
    None,
    /// Every value was replaced by its ancestor on one level of the hierarchy.
    Level {
        /// Steps above the lowest level.
        level: u32,
        /// Steps from the lowest level to the top.
        of: u32,
    },
    /// Values were replaced by ranges that differ from class to class.
    Ranges,
    /// Values were replaced by hierarchy nodes that differ from class to class.
    Nodes,
    /// Values were replaced by sets of values that differ from class to class.
    Sets,
    /// Every value was replaced by `*`.
    Suppressed,
    /// Something else, which the text describes.
    Other {
        /// A phrase such as "rounded to whole hours".
        text: String,
    },
}

/// Where a hierarchy comes from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HierarchyNote {
    /// Declared by somebody, or computed from the data.
    pub provenance: Provenance,
    /// How it was made, in a phrase such as "file age.csv" or "equal-width ranges".
    pub description: Option<String>,
}

/// Whether a hierarchy was declared or computed from the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// Given by the user, independent of the rows.
    #[default]
    Declared,
    /// Computed from the rows, so that its cut points say something about them.
    FromData,
}

/// A column before and after, part by part of one axis. Missing and hidden values are outside it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Axis {
    /// Whether the parts follow each other in the order of their values and are drawn as one outline; otherwise they are single values.
    pub ordered: bool,
    /// The parts. If some values are not listed, the last part stands for all of them.
    pub parts: Vec<AxisPart>,
    /// The number of unlisted values in the last part; 0 if all are listed.
    pub others: u64,
    /// Rows without a value, before and after.
    pub without_value: [u64; 2],
    /// Rows of the release that show `*` in this column.
    pub hidden: u64,
}

/// A part of an axis.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AxisPart {
    /// The value, or the first one of the part.
    pub name: String,
    /// Original rows.
    pub before: u64,
    /// Released rows that show exactly this value.
    pub exact: f64,
    /// Released rows that show a coarser value, spread evenly over what it covers.
    pub wider: f64,
}

/// The information of each level of each column about the class column.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ClassInformation {
    /// Name of the class column.
    pub class: String,
    /// One curve per column.
    pub curves: Vec<LevelCurve>,
}

/// Normalised mutual information with the class, level by level.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LevelCurve {
    /// Name of the column.
    pub column: String,
    /// The value at 0, 1, 2 … steps above the lowest level.
    pub information: Vec<Amount>,
    /// Steps above the lowest level at which the column was released, if one level was chosen.
    pub chosen: Option<u32>,
}

/// The distance of a released column from its original.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ColumnChange {
    /// Name of the column.
    pub column: String,
    /// Normalised divergence (Kullback–Leibler) from before suppression to after; infinite if a value vanished.
    pub divergence: Amount,
    /// The divergence with vanished values counted as half a row, where `divergence` is infinite.
    pub finite_divergence: Option<Amount>,
    /// Number of values that vanished.
    pub lost_values: u64,
    /// Absolute change of the normalised mutual information with the class; absent without a class.
    pub information_change: Option<Amount>,
}

/// The suppressed rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Suppression {
    /// Rows by reason.
    pub reasons: Vec<ReasonCount>,
    /// Share suppressed in subgroups, for some chosen columns.
    pub subgroups: Vec<SubgroupColumn>,
}

/// A reason for suppression and the rows it took.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReasonCount {
    /// The reason, in a phrase such as "group smaller than 5".
    pub reason: String,
    /// Rows suppressed for it.
    pub rows: u64,
}

/// The subgroups that one column makes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SubgroupColumn {
    /// Name of the column.
    pub column: String,
    /// Its values.
    pub groups: Vec<Subgroup>,
}

/// The rows that share one value of a column.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Subgroup {
    /// The value.
    pub value: String,
    /// Original rows with it.
    pub rows: u64,
    /// The number of these rows that were suppressed.
    pub suppressed: u64,
}

/// Re-identification risk of the release and, for comparison, of the original.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Risk {
    /// What is counted: rows, or people where some have several rows. A person counts once, where they are found most easily.
    pub unit: Unit,
    /// The risk if the original had been published, on the same columns.
    pub before: Option<RiskFigures>,
    /// The risk in the release.
    pub after: RiskFigures,
    /// The risk for an attacker who knows that a person is in the population, if the original had been published; where a population is
    /// given.
    pub journalist_before: Option<RiskFigures>,
    /// The same risk in the release; also `None` where people of the population could be in several classes.
    pub journalist_after: Option<RiskFigures>,
    /// The columns of the original that single people out; `None` if the table is too large for a quick search.
    pub singling_before: Option<Singling>,
    /// The columns of the release that single people out.
    pub singling_after: Option<Singling>,
    /// The people who would be unique in the population if the original were published, where its size is known.
    pub population_before: Option<PopulationUniques>,
    /// The people who are unique in the population as the release shows it.
    pub population_after: Option<PopulationUniques>,
}

/// Columns that are published exactly, and what they give away.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptExactly {
    /// The columns, one by one.
    pub columns: Vec<KeptColumn>,
    /// All of them together.
    pub together: Option<Uniqueness>,
    /// All columns that are not sensitive, together: outsiders may know them.
    pub open: Option<Uniqueness>,
    /// The same columns together with the released quasi-identifiers.
    pub open_with_quasi: Option<Uniqueness>,
    /// For each sensitive column, the rows whose class shows the same value throughout.
    pub homogeneous: Vec<Homogeneity>,
    /// For each sensitive column, how often its most frequent value in a class is right.
    pub guesses: Vec<GuessByClass>,
}

/// A column that is published exactly.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptColumn {
    /// Name of the column.
    pub name: String,
    /// What the column is for.
    pub role: ColumnRole,
    /// Uniqueness of its values.
    pub uniqueness: Uniqueness,
}

/// The number of unique rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Uniqueness {
    /// Rows in all.
    pub rows: u64,
    /// Different values (or combinations of values).
    pub distinct: u64,
    /// Rows whose value (or combination) no other row has.
    pub unique_rows: u64,
    /// Rows whose value (or combination) fewer rows have than the audience's least k, the unique ones included.
    pub few_rows: u64,
}

/// Classes in which everybody has the same sensitive value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Homogeneity {
    /// The sensitive column.
    pub column: String,
    /// Classes in which it has one value only.
    pub classes: u64,
    /// Classes in all.
    pub classes_in_all: u64,
    /// Rows in those classes.
    pub rows: u64,
    /// Rows in all classes.
    pub rows_in_all: u64,
}

/// How often a sensitive value is guessed right by taking the most frequent value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GuessByClass {
    /// The sensitive column.
    pub column: String,
    /// Released rows.
    pub rows: u64,
    /// Rows that have the most frequent value of their class.
    pub right: u64,
    /// Rows that have the most frequent value of all released rows, which is known without any class.
    pub right_without: u64,
    /// Rows of classes that make a value nearly certain, though not quite.
    pub nearly_certain: u64,
    /// The worst of these classes.
    pub worst: Option<Telling>,
}

/// A class that tells much about a sensitive value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Telling {
    /// Rows of the class.
    pub rows: u64,
    /// Rows of the class that have the value.
    pub right: u64,
    /// Rows of all classes that have it.
    pub right_in_all: u64,
}

impl Telling {
    /// Whether the class makes the value nearly certain: at least 9 in 10 of its rows have it, and at most half as large a share of all rows.
    #[must_use]
    pub fn is_nearly_certain(&self, rows_in_all: u64) -> bool {
        let (rows, right) = (u128::from(self.rows), u128::from(self.right));
        self.right < self.rows
            && 10 * right >= 9 * rows
            && 2 * u128::from(self.right_in_all) * rows <= right * u128::from(rows_in_all)
    }
}

impl GuessByClass {
    /// The share of rows that are guessed right with the classes.
    #[must_use]
    pub fn with(&self) -> f64 {
        self.right as f64 / self.rows.max(1) as f64
    }

    /// The share of rows that are guessed right without them.
    #[must_use]
    pub fn without(&self) -> f64 {
        self.right_without as f64 / self.rows.max(1) as f64
    }
}

/// Something to think about before publishing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Warning {
    /// How serious it is.
    pub severity: Severity,
    /// What was noticed.
    pub text: String,
    /// What to do about it.
    pub advice: Option<String>,
}

/// How serious a warning is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Somebody has to decide about it, so the verdict is not green.
    #[default]
    Warning,
    /// Does not change the verdict.
    Note,
}

impl From<String> for Warning {
    fn from(text: String) -> Self {
        Self { severity: Severity::Warning, text, advice: None }
    }
}

/// How the run was made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    /// The algorithm.
    pub algorithm: AlgorithmNote,
    /// Its parameters and those of the run, as name and value.
    pub parameters: Vec<(String, String)>,
    /// Facts about the search, such as nodes seen, as name and value.
    pub search: Vec<(String, String)>,
    /// Seconds spent in each step, in the order of the steps.
    pub seconds: Vec<(String, f64)>,
    /// Largest memory use.
    pub peak_memory_bytes: Option<u64>,
    /// Version of Scumble.
    pub version: String,
}

/// An algorithm as the registry describes it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AlgorithmNote {
    /// Registry name.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// The paper it comes from.
    pub paper: Option<String>,
    /// `recommended`, `classic` or `experimental`.
    pub standing: String,
    /// Why it has that standing, if that is not obvious.
    pub standing_reason: Option<String>,
}
