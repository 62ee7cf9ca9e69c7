//! Checks whether the equivalence classes of a release keep what is claimed.

mod attained;
mod classes;
mod guarded;
mod joined;
mod judging;
mod l_diversity;
mod original;
mod parts;
mod people;
mod relational;
mod requirement;
mod risk;
mod scope;
mod several;
mod t_closeness;
mod values;
mod views;

pub use attained::{Attained, AttainedColumn, Beside, SensitiveColumn, attained, attained_with};
pub use joined::{JoinKey, JoinedOutcome, JoinedTable, Joins, Orphans};
pub use parts::ReleaseInParts;
pub use relational::{Relation, check_relations};
pub use several::distinct_given_others;
pub use views::{View, check_views};

use scumble_files::Control;
use scumble_files::table::CodedTable;
use serde::Serialize;

use crate::columns::{RELEASE, check_size, column};
use crate::error::VerifyError;
use crate::group::Weights;
use crate::normal::Plain;
use crate::population::Population;
use crate::watch::check;
use classes::{Classes, Counted};
use judging::Judging;
use relational::Relational;
use requirement::{Requirement, Variant};

/// A claim about what a release keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The quasi-identifiers. Rows with the same texts in all of them are an equivalence class ("class" in what follows).
    pub quasi: Vec<String>,
    /// The models that every class must satisfy.
    pub models: Vec<ModelClaim>,
    /// Whether the class of fully suppressed rows must satisfy the models too.
    pub star: StarRows,
    /// How the values of the checked columns are read. A column that is not named has as many values as texts.
    pub values: Vec<SensitiveColumn>,
}

/// One model with its parameters, as they stand in a configuration.
///
/// | name | parameters |
/// |---|---|
/// | `k_anonymity` | `k` ≥ 1, integer |
/// | `l_diversity` | `column`; `variant` = `distinct` (integer `l` ≥ 1), `entropy` or `frequency` (real `l` ≥ 1), `recursive` (integer `l` ≥ 2, real `c` > 0) |
/// | `t_closeness` | `column`; `t` in \[0, 1\]; `distance` = `equal`, `ordered` (`order`: the domain's values ascending) or `hierarchical` (`tree`: a list of paths, each from a value to the root) |
/// | `lkc` | `l` ≥ 1, integer, the number of columns that are known (all if absent); either `k` ≥ 1, integer, for the sizes, or `column` and `c` in (0, 1\] for the shares of its values |
/// | `threshold_rule` | `size` ≥ 1, integer, the number of columns of a combination; `least`: ≥ 1, integer, for rows; > 0 with `column` of weights and `comma`: whether the decimal mark is a comma |
/// | `alpha_k` | `column`; `alpha` in (0, 1\], the share that any value may have, `alphas`: a list of pairs of a value and its own share, or both |
/// | `k_e` | `column`; either `k` ≥ 1, integer, and `count` = `distinct` or `rows`; or `e` ≥ 0, `comma`: whether the decimal mark is a comma, and `missing`: texts that are not numbers |
/// | `p_sensitive` | `column`; either `p` ≥ 1, integer, and optionally `categories`: lists of values, the most sensitive first; or `alpha` ≥ 0, `categories` and `weight_over` = `distinct` or `rows` |
/// | `xy_anonymity` | `column` (Y); `k` ≥ 1, integer |
/// | `k_uncertainty` | `column`; `k` ≥ 1, integer |
/// | `xy_linkability` | `column` (Y); `h` in (0, 1\]; optionally `values`: the protected ones |
/// | `personalised` | `column`; `p_breach` in (0, 1\]; `guarding`: the column of guarded nodes; `none`: texts that stand for guarding nothing; `tree`: a list of paths, each from a value to the root |
/// | `multirelational` | `k` ≥ 1, integer; `count` = `multiset` or `set`; `person`: the column that says who a row is about |
/// | `beta_likeness` | `column`; `beta` > 0; `variant` = `basic` or `enhanced` |
/// | `delta_disclosure` | `column`; `delta` > 0 |
/// | `average_risk` | either `average` in (0, 1\]; or `highest` in (0, 1\] and `at_risk` in \[0, 1\] |
/// | `k_map` | `k` ≥ 1, integer; needs a population |
/// | `delta_presence` | `delta_min` or `delta_max`, in \[0, 1\]; needs a population |
///
/// Each may have `quasi`, the list of the quasi-identifiers that it is about; all of the claim's if absent. If a model is about
/// only some of them, its figures are about the groups that these columns form.
///
/// Models with a `column` may have `given`, a list of other columns: the rows of a class that agree on these must satisfy the
/// model by themselves. Models about sizes of classes or shares of single values (`k_anonymity`, `lkc` with `k`, `threshold_rule` without weights, frequency
/// `l_diversity`, `alpha_k`, `k_e` with rows, `xy_linkability`, `personalised`) may have `person`, the column that says who a row
/// is about: then people are counted, and a share must hold among rows and among people. Instead of `column` there may be `columns`,
/// a list: the tuple of their values then counts as one value.
///
/// Real numbers may be JSON numbers or texts (`"2.5"`, `"5/3"`) and are kept as exact fractions.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelClaim {
    /// The model's name.
    pub name: String,
    /// Its parameters by name.
    pub parameters: serde_json::Map<String, serde_json::Value>,
}

impl ModelClaim {
    /// Reads a claim from one object that names its model: `{"model": "k_anonymity", "k": 5}`.
    pub fn from_json(object: &serde_json::Value) -> Result<Self, VerifyError> {
        let mut parameters = object.as_object().cloned().unwrap_or_default();
        match parameters.shift_remove("model") {
            Some(serde_json::Value::String(name)) => Ok(Self { name, parameters }),
            _ => Err(VerifyError::UnknownModel { name: String::new() }),
        }
    }
}

/// How rows with `*` in every quasi-identifier (suppressed rows) are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StarRows {
    /// They are a class like any other: people who are in no other class are in this one.
    Judged,
    /// They are not checked (star policy `paper`), and the outcome reports that.
    Unjudged,
}

/// The original table's distributions, for models that compare with them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reference {
    /// The sensitive columns.
    pub columns: Vec<ReferenceColumn>,
}

/// The distribution of a sensitive column of the original table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReferenceColumn {
    /// The column's name.
    pub name: String,
    /// The number of original rows with each value.
    pub counts: Vec<(String, u64)>,
    /// The values of the domain, ascending, including those that no row has. For the ordered distance.
    pub order: Option<Vec<String>>,
    /// The ancestors of each value, up to the root. For the hierarchical distance.
    pub tree: Option<Vec<(String, Vec<String>)>>,
}

impl ReferenceColumn {
    /// Counts a column of the original table.
    pub fn count(original: &CodedTable, name: &str) -> Result<Self, VerifyError> {
        let column = column(original, crate::columns::ORIGINAL, name)?;
        let mut counts: Vec<(String, u64)> = column.values.iter().map(|text| (text.to_owned(), 0)).collect();
        for code in column.codes.iter() {
            counts[code as usize].1 += 1;
        }
        Ok(Self { name: name.to_owned(), counts, order: None, tree: None })
    }
}

/// What a check found. It has sizes and figures only, no values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// The number of rows in the release.
    pub rows: u64,
    /// The number of rows with `*` in every quasi-identifier.
    pub star_rows: u64,
    /// The number of classes, without that of the suppressed rows.
    pub classes: u64,
    /// The size of the smallest class that was checked. The suppressed rows count only if they are checked.
    pub smallest_class: Option<u64>,
    /// Whether every model holds.
    pub holds: bool,
    /// The outcome of each model of the claim, in its order.
    pub models: Vec<ModelOutcome>,
    /// Class sizes, ascending, with the number of classes of each size, without the suppressed rows.
    pub class_sizes: Vec<(u64, u64)>,
    /// Remarks that a reader must know.
    pub notes: Vec<String>,
}

/// What a check found about one model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelOutcome {
    /// The model's name, as in the claim.
    pub name: String,
    /// The model in words, such as `entropy l-diversity of disease`.
    pub label: String,
    /// The parameter that was claimed: k, l, t, or c of recursive diversity; 1 where values have shares of their own.
    pub required: f64,
    /// The same figure for the worst class; `None` if no class was checked. For recursive diversity: the value that c must exceed
    /// (infinite if a class has too few values). For shares that differ by value: the largest multiple of what is allowed. For
    /// beta and delta: infinite if no parameter would do. For t, c, shares, beta and delta smaller is better, otherwise larger.
    #[serde(serialize_with = "crate::figure::optional")]
    pub attained: Option<f64>,
    /// Whether every checked class satisfies the model. This is decided on exact numbers, except for logarithms: entropy may fall
    /// short by a relative 1e-9, so that rounding does not fail a class that is exactly diverse enough. Delta, and the −ln p of
    /// enhanced beta-likeness, are compared as computed, correct to 1e-12.
    pub holds: bool,
    /// The number of classes that do not satisfy it.
    pub failing_classes: u64,
    /// The number of rows in these classes.
    pub failing_rows: u64,
    /// The worst classes, worst first, whether they fail or not.
    pub worst: Vec<WorstClass>,
    /// A remark that a reader of this figure must know.
    pub note: Option<String>,
}

/// One of the worst classes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WorstClass {
    /// Its number of rows.
    pub size: u64,
    /// The figure that it attains.
    #[serde(serialize_with = "crate::figure::number")]
    pub attained: f64,
}

/// The message for a parameter that must be a list.
const LIST: &str = "it must be a list of texts";

/// The number of worst classes that are reported.
pub(crate) const WORST: usize = 5;

/// The result of one class under one model.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Judgement {
    holds: bool,
    attained: f64,
}

/// Checks a release against a claim. Every model is checked on every class; nothing is taken from the program that made the release.
pub fn check_models(
    release: &CodedTable,
    claim: &Claim,
    reference: Option<&Reference>,
) -> Result<Outcome, VerifyError> {
    check_models_with(release, claim, reference, None, &Control::default())
}

/// Checks the same, with the population that some models compare with. `control` can stop the check.
pub fn check_models_with(
    release: &CodedTable,
    claim: &Claim,
    reference: Option<&Reference>,
    population: Option<&Population<'_>>,
    control: &Control,
) -> Result<Outcome, VerifyError> {
    check_counted(release, None, claim, reference, population, control)
}

/// Checks a release whose rows may count several times.
fn check_counted(
    release: &CodedTable,
    weights: Option<Weights>,
    claim: &Claim,
    reference: Option<&Reference>,
    population: Option<&Population<'_>>,
    control: &Control,
) -> Result<Outcome, VerifyError> {
    // Parameters come first: whether a claim can be read must not depend on the data.
    claim.models.iter().try_for_each(|model| Requirement::read(model).map(drop))?;
    check_size(release, RELEASE)?;
    let Plain { release, models, reference, absent } =
        Plain::of(release, &claim.models, &claim.values, reference, control)?;
    let (release, reference) = (&*release, reference.as_ref());
    let requirements = models.iter().map(Requirement::read).collect::<Result<Vec<_>, _>>()?;
    check(control)?;
    let classes = Classes::of(release, &claim.quasi, claim.star)?.weighted(weights);
    let mut counted = Counted::default();
    let models = requirements
        .iter()
        .zip(&claim.models)
        .map(|((requirement, scope), model)| {
            control.advance(release.rows as u64);
            let judging = Judging::new(requirement, scope, release, reference, &absent, control)?;
            let judge = |classes: &Classes, counted: &mut Counted, quasi: &[String]| match requirement {
                Requirement::People(test) => {
                    people::judge(*test, &model.name, release, classes, &Known { population, quasi, control })
                }
                Requirement::Risk(test) => Ok(test.judge(&model.name, classes)),
                _ => judging.judge(&model.name, classes, counted),
            };
            let Some(sets) = scope.sets(&model.name, &claim.quasi)? else {
                return judge(&classes, &mut counted, &claim.quasi);
            };
            let mut sum: Option<ModelOutcome> = None;
            for set in &sets {
                check(control)?;
                control.advance(release.rows as u64);
                // One set of columns at a time: there may be many, and each needs a number for every row.
                let groups = classes.on(release, set)?;
                let outcome = judge(&groups, &mut Counted::default(), set)?;
                sum = Some(match sum {
                    None => outcome,
                    Some(sum) => sum.and(outcome, requirement.larger_is_better()),
                });
            }
            let mut outcome = sum.ok_or(VerifyError::NoQuasi)?;
            match scope.known {
                Some(known) => outcome.label += &format!(", any {known} columns known"),
                None => outcome.label += &format!(" on {}", sets[0].join(", ")),
            }
            Ok(outcome)
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Outcome {
        rows: classes.groups.size.iter().sum(),
        star_rows: classes.star_rows(),
        classes: classes.count(),
        smallest_class: classes.smallest(),
        holds: models.iter().all(|model| model.holds),
        models,
        class_sizes: classes.sizes(),
        notes: classes.notes(),
    })
}

/// What the check uses besides the release.
struct Known<'a> {
    population: Option<&'a Population<'a>>,
    /// The columns that form the classes.
    quasi: &'a [String],
    control: &'a Control,
}

/// Returns the outcome of a model from its results on classes of these sizes.
fn outcome(
    requirement: &Requirement,
    name: &str,
    found: &[(u64, Judgement)],
    note: Option<String>,
) -> ModelOutcome {
    let failing = || found.iter().filter(|(_, judgement)| !judgement.holds);
    let (failing_classes, failing_rows) = (failing().count() as u64, failing().map(|(size, _)| size).sum());
    let mut worst: Vec<WorstClass> =
        found.iter().map(|&(size, judgement)| WorstClass { size, attained: judgement.attained }).collect();
    let larger_is_better = requirement.larger_is_better();
    let worse_first = |a: &WorstClass, b: &WorstClass| a.worse_first(b, larger_is_better);
    if worst.len() > WORST {
        worst.select_nth_unstable_by(WORST - 1, worse_first);
        worst.truncate(WORST);
    }
    worst.sort_unstable_by(worse_first);
    ModelOutcome {
        name: name.to_owned(),
        label: requirement.label(),
        required: requirement.required(),
        attained: worst.first().map(|class| class.attained),
        holds: failing_classes == 0,
        failing_classes,
        failing_rows,
        worst,
        note,
    }
}

impl WorstClass {
    pub(crate) fn worse_first(&self, other: &Self, larger_is_better: bool) -> std::cmp::Ordering {
        let by_attained = self.attained.total_cmp(&other.attained);
        let by_attained = if larger_is_better { by_attained } else { by_attained.reverse() };
        by_attained.then(self.size.cmp(&other.size))
    }
}

impl ModelOutcome {
    /// Combines the outcomes of one model on two sets of classes.
    fn and(mut self, other: Self, larger_is_better: bool) -> Self {
        self.worst.extend(other.worst);
        self.worst.sort_by(|a, b| a.worse_first(b, larger_is_better));
        self.worst.truncate(WORST);
        Self {
            attained: self.worst.first().map(|class| class.attained),
            holds: self.holds && other.holds,
            failing_classes: self.failing_classes + other.failing_classes,
            failing_rows: self.failing_rows + other.failing_rows,
            note: self.note.or(other.note),
            ..self
        }
    }
}

impl Requirement {
    /// The column whose values the model checks, if there is one.
    fn column(&self) -> Option<&String> {
        match self {
            Self::KAnonymity { .. } | Self::Relational(_) | Self::People(_) | Self::Risk(_) => None,
            Self::LDiversity { column, .. }
            | Self::TCloseness { column, .. }
            | Self::Confidence { column, .. }
            | Self::Guarded { column, .. }
            | Self::Values { column, .. } => Some(column),
        }
    }

    /// Whether people are counted, instead of rows or besides them, when a person may have several rows: for sizes of classes
    /// and shares of values.
    fn counts_persons(&self) -> bool {
        match self {
            Self::KAnonymity { .. } | Self::Guarded { .. } | Self::Relational(_) => true,
            Self::LDiversity { variant, .. } => matches!(variant, Variant::Frequency { .. }),
            Self::Values { test, .. } => test.counts_persons(),
            // For these, sets of fewer columns would have to be checked too: one person's rows may be in several groups.
            Self::Confidence { .. } | Self::TCloseness { .. } => false,
            // Claiming one of these for people with several rows is refused.
            Self::People(_) | Self::Risk(_) => false,
        }
    }

    fn larger_is_better(&self) -> bool {
        match self {
            Self::KAnonymity { .. } | Self::Relational(_) => true,
            Self::LDiversity { variant, .. } => !matches!(variant, Variant::Recursive { .. }),
            Self::TCloseness { .. } | Self::Confidence { .. } | Self::Guarded { .. } | Self::Risk(_) => false,
            Self::Values { test, .. } => test.larger_is_better(),
            Self::People(test) => test.larger_is_better(),
        }
    }

    fn required(&self) -> f64 {
        match self {
            Self::KAnonymity { k } | Self::Relational(Relational { k, .. }) => *k as f64,
            Self::TCloseness { t, .. } => t.to_f64(),
            Self::Confidence { c, .. } => c.to_f64(),
            Self::Guarded { guarded, .. } => guarded.p.to_f64(),
            Self::Values { test, .. } => test.required(),
            Self::People(test) => test.required(),
            Self::Risk(test) => test.required(),
            Self::LDiversity { variant, .. } => match variant {
                Variant::Distinct { l } => *l as f64,
                Variant::Entropy { l } | Variant::Frequency { l } => l.to_f64(),
                Variant::Recursive { c, .. } => c.to_f64(),
            },
        }
    }

    fn label(&self) -> String {
        match self {
            Self::KAnonymity { .. } => "k-anonymity".to_owned(),
            Self::Relational(relational) => relational.label(1),
            Self::LDiversity { column, variant } => match variant {
                Variant::Distinct { .. } => format!("distinct l-diversity of {column}"),
                Variant::Entropy { .. } => format!("entropy l-diversity of {column}"),
                Variant::Frequency { .. } => format!("frequency l-diversity of {column}"),
                Variant::Recursive { l, .. } => format!("recursive (c,{l})-diversity of {column}"),
            },
            Self::Confidence { column, .. } => format!("largest share of one value of {column}"),
            Self::Values { column, test } => test.label(column),
            Self::People(test) => test.label().to_owned(),
            Self::Risk(test) => test.label(),
            Self::Guarded { column, .. } => format!("personalised privacy of {column}, breach probability"),
            Self::TCloseness { column, ground, .. } => {
                format!("t-closeness of {column}, {} distance", ground.name())
            }
        }
    }
}
