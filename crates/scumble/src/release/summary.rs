//! The figures of a run, as `--json` prints them. Private: they are about the original.

use scumble_verify::{ModelOutcome, Outcome};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Run;
use crate::algorithms::Finding;
use crate::config::StarPolicy;
use crate::metrics::Figure;
use crate::models::{k_uncertainty, multirelational};

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
    /// Rows that were starred or dropped.
    pub suppressed: u64,
    /// Classes without that of the starred rows.
    pub classes: u64,
    /// The size of the smallest class that was judged.
    pub smallest_class: Option<u64>,
    /// The models, as the verifier found them in the written file.
    pub models: Vec<ModelSummary>,
    /// The metrics by name; `null` for infinite or undefined ones.
    pub metrics: Map<String, Value>,
    /// By metric what else belongs to its figure: the same in another unit, how sure it is, whether it is infinite.
    pub metric_details: Map<String, Value>,
    /// Steps above the lowest level by column, where every column has one level.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub levels: Map<String, Value>,
    /// How much of the lattice was looked at, where a lattice was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchSummary>,
    /// What the algorithm found out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What may be inferred from records that overlap, where the release has such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<crate::audit::Audit>,
    /// The tables, where several are published beside each other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<super::TableFile>,
    /// What somebody should decide about before publishing.
    pub warnings: Vec<String>,
    /// What is worth knowing.
    pub notes: Vec<String>,
    /// Where the time went.
    pub seconds: Seconds,
    /// The most memory that the process held.
    pub peak_memory_bytes: Option<u64>,
}

/// How much of a lattice was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SearchSummary {
    /// The combinations of levels that there are.
    pub nodes: u64,
    /// How often the classes of one were looked at.
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
    /// What the written release attains; `null` if infinite or if no class was judged.
    pub attained: Option<f64>,
    /// Whether it holds.
    pub holds: bool,
}

impl Seconds {
    /// The same to a tenth of a millisecond; more digits are noise.
    #[must_use]
    pub fn rounded(self) -> Self {
        let round = |seconds: f64| (seconds * 1e4).round() / 1e4;
        Self {
            read: round(self.read),
            search: round(self.search),
            apply: round(self.apply),
            verify: round(self.verify),
            write: round(self.write),
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
    /// Everything.
    pub total: f64,
}

pub(super) fn summarise(run: &Run<'_>, outcome: &Outcome, figures: &[Figure]) -> Summary {
    let classes = &run.classes;
    let finite = |value: &Option<f64>| Value::from(value.filter(|value| value.is_finite()));
    let metrics =
        figures.iter().map(|(entry, figure)| (entry.name.to_owned(), finite(&figure.value))).collect();
    let metric_details = figures.iter().filter_map(details).collect();
    let models = run
        .problem
        .models
        .iter()
        .zip(&outcome.models)
        .map(|(model, found)| ModelSummary {
            name: model.name(),
            title: model.title(),
            on: model.on().map(<[String]>::to_vec),
            required: found.required,
            attained: found.attained.filter(|value| value.is_finite()),
            holds: found.holds,
        })
        .chain(run.together.iter().map(together))
        .collect();
    Summary {
        algorithm: run.algorithm.name,
        parameters: parameters(run),
        rows: run.problem.table.rows(),
        released: outcome.rows,
        suppressed: classes.suppressed_rows(),
        classes: outcome.classes,
        smallest_class: outcome.smallest_class,
        models,
        metrics,
        metric_details,
        levels: levels(run),
        search: search(&run.findings),
        findings: run.findings.clone(),
        audit: None,
        tables: Vec::new(),
        warnings: run.warnings.clone(),
        notes: run.notes.iter().chain(&outcome.notes).cloned().collect(),
        seconds: Seconds::default(),
        peak_memory_bytes: None,
    }
}

/// What holds together with tables that were published before.
fn together(found: &ModelOutcome) -> ModelSummary {
    let names = [k_uncertainty::ENTRY.name, multirelational::ENTRY.name];
    ModelSummary {
        name: names.into_iter().find(|name| *name == found.name).unwrap_or_default(),
        title: format!("{}: at least {}", found.label, found.required),
        on: None,
        required: found.required,
        attained: found.attained.filter(|value| value.is_finite()),
        holds: found.holds,
    }
}

/// The details of a figure by name, if it has some. JSON has no infinity, so an infinite figure says so here.
fn details((entry, figure): &Figure) -> Option<(String, Value)> {
    let mut details = Map::new();
    if figure.value.is_some_and(f64::is_infinite) {
        details.insert("infinite".into(), true.into());
    }
    details.extend(figure.details.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))));
    (!details.is_empty()).then(|| (entry.name.to_owned(), details.into()))
}

fn search(findings: &[Finding]) -> Option<SearchSummary> {
    let finding = |name: &str| findings.iter().find(|finding| finding.name == name)?.value;
    Some(SearchSummary { nodes: finding("nodes")? as u64, checked: finding("checked")? as u64 })
}

/// The parameters of the run by name.
pub(super) fn parameters(run: &Run<'_>) -> Map<String, Value> {
    let policy = match run.problem.star_policy {
        StarPolicy::Strict => "strict",
        StarPolicy::Paper => "paper",
        StarPolicy::Drop => "drop",
    };
    let mut parameters = Map::from_iter([
        ("suppression".into(), run.problem.suppression.to_f64().into()),
        ("star_policy".into(), policy.into()),
        ("metric".into(), run.metric.into()),
    ]);
    // A budget of time is told as the steps that it allowed, which repeat the run.
    if let Some(steps) = run.problem.budget.spent_after() {
        parameters.insert("steps".into(), steps.into());
    }
    if let Some(seed) = run.plan.algorithm.seed {
        parameters.insert("seed".into(), seed.into());
    }
    for (name, value) in run.plan.algorithm.parameters.iter() {
        parameters.insert(name.into(), value.to_text().into());
    }
    parameters
}

fn levels(run: &Run<'_>) -> Map<String, Value> {
    let names = run.problem.quasi.iter().map(|quasi| quasi.name.clone());
    names.zip(run.levels.iter().flatten().map(|level| Value::from(*level))).collect()
}
