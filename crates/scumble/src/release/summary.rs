//! The figures of a run, as `--json` prints them. They are private, because they describe the original.

use scumble_verify::ModelOutcome;
use serde::Serialize;
use serde_json::{Map, Value};

use super::claim::is_verified;
use super::run::Run;
use crate::config::Plan;
use crate::report::data::{Histories, Households, PersonalData, Perturbation};
use crate::search::algorithms::Finding;

/// The figures of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// What was asked for besides the models.
    pub parameters: Map<String, Value>,
    /// Rows of the original table (after rows with missing values were left out, where that was asked for).
    pub rows: u64,
    /// Rows of the release.
    pub released: u64,
    /// Rows that are shown as `*` or left out.
    pub suppressed: u64,
    /// Classes, without the class of rows shown as `*`.
    pub classes: u64,
    /// The size of the smallest class that was checked.
    pub smallest_class: Option<u64>,
    /// The models, as the verifier found them in the written file.
    pub models: Vec<ModelSummary>,
    /// The metrics by name; `null` for infinite or undefined ones.
    pub metrics: Map<String, Value>,
    /// By metric, what else belongs to its figure: the same in another unit, its uncertainty, whether it is infinite.
    pub metric_details: Map<String, Value>,
    /// By column, the steps above the lowest level, where every column has one level.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub levels: Map<String, Value>,
    /// The size of the search, where a lattice was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchSummary>,
    /// The findings of the algorithm.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What an attacker may infer from records that overlap, where the release has such records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<crate::search::audit::Audit>,
    /// The tables, where several are published together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<super::TableFile>,
    /// The verdict on all evidence, where a report was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<crate::report::Conclusion>,
    /// The figures about households, where a column tells them apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub households: Option<Households>,
    /// What the rows of a person show together, where the release shows which these are, or has several moved dates in a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub histories: Option<Histories>,
    /// What perturbation did to columns, where steps perturbed some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perturbation: Option<Perturbation>,
    /// Personal data in columns that are published: what the plan accepts, and what is too rare to stop the release.
    #[serde(skip_serializing_if = "PersonalData::is_empty")]
    pub personal: PersonalData,
    /// Warnings that call for a decision before publishing.
    pub warnings: Vec<String>,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// The time that each stage took.
    pub seconds: Seconds,
    /// The most memory that the process held.
    pub peak_memory_bytes: Option<u64>,
}

/// The size of a search in a lattice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SearchSummary {
    /// The number of combinations of levels in the lattice.
    pub nodes: u64,
    /// The number of times that the classes of a combination were checked.
    pub checked: u64,
}

/// One model and what the release attains.
#[derive(Debug, Clone, Serialize)]
pub struct ModelSummary {
    /// The registry name.
    pub name: &'static str,
    /// The model in words.
    pub title: String,
    /// The quasi-identifiers that it is about, where these are not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<Vec<String>>,
    /// What was asked for.
    pub required: f64,
    /// What the written release attains; `null` if infinite or if no class was checked.
    pub attained: Option<f64>,
    /// Whether it holds.
    pub holds: bool,
    /// Whether independent code came to the same result. It knows Scumble's own models, and none that a program has added.
    #[serde(skip_serializing_if = "is_true")]
    pub independently_verified: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_true(flag: &bool) -> bool {
    *flag
}

impl Summary {
    /// The figures that all kinds of release report in the same way. `models` and `promises`, their wording, are in the order of the
    /// problem's models.
    pub(super) fn of<Found>(run: &Run<'_, Found>, models: &[ModelOutcome], promises: &[String]) -> Self {
        let models = run.problem.models.iter().zip(models).zip(promises);
        Self {
            algorithm: run.algorithm.name,
            parameters: own_parameters(run.plan),
            rows: run.problem.table.rows(),
            released: 0,
            suppressed: 0,
            classes: 0,
            smallest_class: None,
            models: models
                .map(|((model, found), promise)| ModelSummary {
                    name: model.name(),
                    title: promise.clone(),
                    on: model.on().map(<[String]>::to_vec),
                    required: found.required,
                    attained: found.attained.filter(|value| value.is_finite()),
                    holds: found.holds,
                    independently_verified: is_verified(&**model),
                })
                .collect(),
            metrics: Map::new(),
            metric_details: Map::new(),
            levels: Map::new(),
            search: None,
            findings: Vec::new(),
            audit: None,
            tables: Vec::new(),
            verdict: None,
            households: None,
            histories: None,
            perturbation: None,
            personal: PersonalData::default(),
            warnings: run.warnings.clone(),
            notes: run.notes.clone(),
            seconds: Seconds::default(),
            peak_memory_bytes: None,
        }
    }
}

/// The algorithm's own parameters as they were given.
pub(super) fn own_parameters(plan: &Plan) -> Map<String, Value> {
    let own = plan.algorithm.parameters.iter();
    own.map(|(name, value)| (name.into(), value.to_text().into())).collect()
}

impl Seconds {
    /// Rounds to a tenth of a millisecond; more digits are noise.
    #[must_use]
    pub fn rounded(self) -> Self {
        let round = |seconds: f64| (seconds * 1e4).round() / 1e4;
        Self {
            read: round(self.read),
            search: round(self.search),
            apply: round(self.apply),
            verify: round(self.verify),
            write: round(self.write),
            measure: round(self.measure),
            total: round(self.total),
        }
    }
}

/// Seconds of wall time by stage.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Seconds {
    /// Reading and coding.
    pub read: f64,
    /// Typing, counting and searching.
    pub search: f64,
    /// Applying the recoding to the rows and sorting them.
    pub apply: f64,
    /// Reading back and verifying.
    pub verify: f64,
    /// Writing the release, the datasheet and the report.
    pub write: f64,
    /// Measuring what was lost and what risk is left.
    pub measure: f64,
    /// Everything.
    pub total: f64,
}
