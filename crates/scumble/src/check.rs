//! Verifying any table, also another tool's, against models and an original.

use std::path::Path;

use scumble_files::table::CodedTable;
use scumble_verify::{
    Attained, Claim, Cover, Distributed, Drops, ModelClaim, Nodes, Originals, Outcome, RecordOutcome,
    Reference, ReferenceColumn, SensitiveColumn, StarRows, Truth, TruthOutcome, ValueKind, VerifyError,
    attained, check_models, check_records, check_truth,
};
use serde_json::{Map, Value};

use crate::config::{ModelSpec, Plan, Role, StarPolicy};
use crate::error::{Error, Result};
use crate::kind::Kind;
use crate::models::ModelContext;
use crate::payload::PayloadColumn;
use crate::prepare::{payload_of, prepare, sensitive_order, table_in_one_spelling, value_table};
use crate::registry::Method;
use crate::release::check::{cover, mean, model_claim, value_kind};

/// What was found.
#[derive(Debug, serde::Serialize)]
pub struct Checked {
    /// The models that were asked for; none if none was.
    pub outcome: Option<Outcome>,
    /// What the table attains, where no model was asked for.
    pub attained: Option<Attained>,
    /// Whether the table is true of its original, where one was given.
    pub truth: Option<TruthOutcome>,
    /// What was found record by record, where a column is published as frequencies: such records overlap, and there are no
    /// classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<RecordOutcome>,
}

impl Checked {
    /// Whether everything that was asked holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.outcome.as_ref().is_none_or(|outcome| outcome.holds)
            && self.truth.as_ref().is_none_or(|truth| truth.holds)
            && self.records.as_ref().is_none_or(|records| records.holds)
    }
}

/// Checks a table. The plan says which columns are what and which models are asked for; `folder` is where its file names
/// start.
pub fn check(
    release: &CodedTable,
    original: Option<&CodedTable>,
    plan: &Plan,
    folder: &Path,
) -> Result<Checked> {
    let quasi: Vec<String> = plan.names_with(Role::Quasi).map(str::to_owned).collect();
    let sensitive: Vec<String> = plan.names_with(Role::Sensitive).map(str::to_owned).collect();
    let distributions = distributions(release, plan)?;
    if !distributions.is_empty() {
        return check_distributions(release, original, &distributions, plan, folder);
    }
    let star =
        if plan.algorithm.star_policy == StarPolicy::Paper { StarRows::Unjudged } else { StarRows::Judged };
    let truth = original.map(|original| truthful(release, original, &[], plan, folder)).transpose()?;
    // Models count values, whatever their spelling.
    let mut protected: Vec<String> =
        plan.privacy.iter().flat_map(|spec| &spec.columns).chain(&sensitive).cloned().collect();
    protected.sort_unstable();
    protected.dedup();
    // Where there is an original, it says how values are written: the release may have lost a spelling.
    let known = original.unwrap_or(release);
    let columns = protected.iter().filter_map(|name| known.column(name));
    let values: Vec<PayloadColumn> =
        columns.map(|column| payload_of(column, plan).map(|(values, _)| values)).collect::<Result<_>>()?;
    let release = &table_in_one_spelling(release, &values);
    let original = original.map(|original| table_in_one_spelling(original, &values));
    let original = original.as_ref();
    let reference = original
        .map(|original| {
            let columns = protected.iter().filter(|name| original.column(name).is_some());
            let columns = columns.map(|name| ReferenceColumn::count(original, name));
            Ok::<_, VerifyError>(Reference { columns: columns.collect::<Result<_, _>>()? })
        })
        .transpose()
        .map_err(cannot_check)?;
    if plan.privacy.is_empty() {
        let measured: Vec<SensitiveColumn> = sensitive.iter().map(|name| measured(name, &values)).collect();
        let found = attained(release, &quasi, &measured, star, reference.as_ref()).map_err(cannot_check)?;
        return Ok(Checked { outcome: None, attained: Some(found), truth, records: None });
    }
    let mut models = Vec::new();
    for spec in &plan.privacy {
        let mut claims = claims(spec, &sensitive, original.unwrap_or(release), plan, folder)?;
        if let Some(set) = &spec.quasi {
            let columns = plan.columns_of(set)?;
            claims.iter_mut().for_each(|claim| {
                claim.parameters.insert("quasi".into(), columns.into());
            });
        }
        models.append(&mut claims);
    }
    let claim = Claim { quasi, models, star };
    let outcome = check_models(release, &claim, reference.as_ref()).map_err(cannot_check)?;
    Ok(Checked { outcome: Some(outcome), attained: None, truth, records: None })
}

/// The columns of a release that are published as frequencies.
fn distributions(release: &CodedTable, plan: &Plan) -> Result<Vec<(String, Distributed)>> {
    let mut found = Vec::new();
    for name in plan.names_with(Role::Sensitive).chain(plan.names_with(Role::Class)) {
        if found.iter().any(|(of, _)| of == name) {
            continue;
        }
        if let Some(read) = Distributed::read(release, name).map_err(cannot_check)? {
            found.push((name.to_owned(), read));
        }
    }
    Ok(found)
}

/// Checks records that overlap: what each covers in the original, its frequencies, and whether it may be true.
fn check_distributions(
    release: &CodedTable,
    original: Option<&CodedTable>,
    distributions: &[(String, Distributed)],
    plan: &Plan,
    folder: &Path,
) -> Result<Checked> {
    let mut supports = release.clone();
    for (name, _) in distributions {
        if let Some(read) = Distributed::read(&supports, name).map_err(cannot_check)? {
            supports = read.supports;
        }
    }
    let sensitive: Vec<String> = plan.names_with(Role::Sensitive).map(str::to_owned).collect();
    let mut models = Vec::new();
    for spec in &plan.privacy {
        if let Some(set) = &spec.quasi {
            return Err(Error::config(format!(
                "model '{}' is about the set {set:?} of quasi-identifiers; records that overlap are judged on all of them",
                spec.model
            )));
        }
        models.append(&mut claims(spec, &sensitive, original.unwrap_or(&supports), plan, folder)?);
    }
    let published: Vec<&str> = distributions.iter().map(|(name, _)| name.as_str()).collect();
    let truth =
        original.map(|original| truthful(&supports, original, &published, plan, folder)).transpose()?;
    let covers = original.map(|original| quasi_covers(original, plan, folder)).transpose()?;
    let originals =
        original.zip(covers.as_ref()).map(|(table, quasi)| Originals { table, quasi, row_map: None });
    let records = check_records(&supports, distributions, &models, originals).map_err(cannot_check)?;
    Ok(Checked { outcome: None, attained: None, truth, records: Some(records) })
}

/// How the quasi-identifiers of a release are to be read.
fn quasi_covers(original: &CodedTable, plan: &Plan, folder: &Path) -> Result<Vec<(String, Cover)>> {
    let prepared = prepare(original, plan, folder, false)?;
    let cover_of = |quasi: &crate::quasi::Quasi| {
        let column = plan.column(&quasi.name).and_then(|column| column.missing.clone());
        Ok((quasi.name.clone(), cover(quasi, column.unwrap_or_else(|| plan.read.missing.clone()))?))
    };
    prepared.quasi.iter().map(cover_of).collect()
}

/// Here nobody wants to publish yet: what cannot be checked is a matter of what was asked.
fn cannot_check(error: VerifyError) -> Error {
    Error::config(error)
}

/// A sensitive column in the verifier's words.
fn measured(name: &str, values: &[PayloadColumn]) -> SensitiveColumn {
    let found = values.iter().find(|values| values.name == name);
    SensitiveColumn {
        name: name.to_owned(),
        kind: found.map_or(ValueKind::Text, |values| value_kind(&values.measure)),
        missing: found.map(|values| values.missing.clone()).unwrap_or_default(),
    }
}

/// The claims that a model of the plan makes, one for each column that it protects.
fn claims(
    spec: &ModelSpec,
    sensitive: &[String],
    reference: &CodedTable,
    plan: &Plan,
    folder: &Path,
) -> Result<Vec<ModelClaim>> {
    let entry = crate::registry::find("model", &spec.model, crate::registry::MODELS)?;
    let known: Vec<&str> = entry.parameters.iter().map(|(name, _)| *name).collect();
    spec.parameters
        .allow_only(&known)
        .map_err(|error| Error::config(format!("model '{}': {error}", entry.name)))?;
    if !["k_anonymity", "l_diversity", "t_closeness", "lkc"].contains(&entry.name) {
        // The model itself says what it claims, from nothing but its parameters and the values of its columns.
        let columns = if spec.columns.is_empty() { sensitive } else { &spec.columns };
        let table = value_table(reference, columns, plan)?;
        let context = ModelContext { table: &table, trees: &|_| None, columns: &spec.columns, sensitive };
        let models = (entry.build)(&spec.parameters, &context)?;
        return Ok(models.iter().map(|model| model_claim(model.claim())).collect());
    }
    let parameters: Map<String, Value> = spec
        .parameters
        .iter()
        .map(|(name, value)| (name.to_owned(), Value::from(value.to_text().into_owned())))
        .collect();
    let whole = |mut parameters: Map<String, Value>| {
        // Whole numbers are numbers for the verifier; decimals stay texts, which are exact.
        for value in parameters.values_mut() {
            if let Some(number) = value.as_str().and_then(|text| text.parse::<u64>().ok()) {
                *value = number.into();
            }
        }
        parameters
    };
    let parameters = whole(parameters);
    if entry.name == "k_anonymity" {
        return Ok(vec![ModelClaim { name: entry.name.into(), parameters }]);
    }
    let columns = if spec.columns.is_empty() { sensitive } else { &spec.columns };
    if entry.name == "lkc" && (!columns.is_empty() || !parameters.contains_key("c")) {
        return Ok(lkc_claims(entry.name, &parameters, columns));
    }
    if columns.is_empty() {
        return Err(Error::config(format!(
            "model '{}' protects sensitive values; name the column (--sensitive COLUMN)",
            entry.name
        )));
    }
    columns
        .iter()
        .map(|column| {
            let mut parameters = parameters.clone();
            parameters.insert("column".into(), column.clone().into());
            match entry.name {
                "l_diversity" => {
                    parameters.entry("variant").or_insert("distinct".into());
                }
                _ => add_distance(&mut parameters, column, reference, plan, folder)?,
            }
            Ok(ModelClaim { name: entry.name.into(), parameters })
        })
        .collect()
}

/// LKC-privacy is a claim about sizes, and one about shares for each column that it protects.
fn lkc_claims(name: &str, parameters: &Map<String, Value>, columns: &[String]) -> Vec<ModelClaim> {
    let without = |left_out: &[&str]| -> Map<String, Value> {
        let kept = parameters.iter().filter(|(name, _)| !left_out.contains(&name.as_str()));
        kept.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let shares = columns.iter().filter(|_| parameters.contains_key("c")).map(|column| {
        let mut of_column = without(&["k"]);
        of_column.insert("column".into(), column.clone().into());
        of_column
    });
    let all = std::iter::once(without(&["c"])).chain(shares);
    all.map(|parameters| ModelClaim { name: name.into(), parameters }).collect()
}

/// What t-closeness needs to know about a column: its order or its tree.
fn add_distance(
    parameters: &mut Map<String, Value>,
    column: &str,
    reference: &CodedTable,
    plan: &Plan,
    folder: &Path,
) -> Result<()> {
    let (kind, order) = sensitive_order(reference, column, plan)?;
    let default = if kind == Kind::Text { "equal" } else { "ordered" };
    let distance =
        parameters.entry("distance").or_insert(default.into()).as_str().unwrap_or_default().to_owned();
    match distance.as_str() {
        "ordered" => {
            parameters.insert("order".into(), order.into());
        }
        "hierarchical" => {
            let prepared = prepare(reference, &sensitive_only(plan), folder, false)?;
            let tree = prepared.payload_trees.iter().find(|(name, _)| name == column).ok_or_else(|| {
                Error::config(format!(
                    "hierarchical t-closeness needs a hierarchy for '{column}' (--hierarchies DIR)"
                ))
            })?;
            let paths = crate::models::t_closeness::owned_paths(&tree.1);
            let path =
                |(leaf, above): (String, Vec<String>)| Value::from_iter(std::iter::once(leaf).chain(above));
            parameters.insert("tree".into(), paths.into_iter().map(path).collect());
        }
        _ => {}
    }
    Ok(())
}

/// A plan without its quasi-identifiers: for building the trees of sensitive columns alone.
fn sensitive_only(plan: &Plan) -> Plan {
    let columns =
        plan.columns.iter().filter(|(_, column)| column.role.has(Role::Sensitive)).cloned().collect();
    Plan { columns, ..plan.clone() }
}

/// Is there an assignment of the released rows to original rows of which they are true?
/// Columns that are published as frequencies show the set of values that a row may have.
fn truthful(
    release: &CodedTable,
    original: &CodedTable,
    distributed: &[&str],
    plan: &Plan,
    folder: &Path,
) -> Result<TruthOutcome> {
    let prepared = prepare(original, plan, folder, false)?;
    let means = match crate::registry::method(&plan.algorithm.name)? {
        Method::Classes(entry) => (entry.build)(&plan.algorithm.parameters)?.shows_means(),
        Method::Records(_) => false,
    };
    let mut columns = Vec::new();
    for (name, column) in &plan.columns {
        let truth = if let Some(quasi) = prepared.quasi.iter().find(|quasi| quasi.name == *name) {
            if means {
                columns.push((name.clone(), mean(quasi)));
                continue;
            }
            Truth::Covers(cover(quasi, column.missing.clone().unwrap_or_else(|| plan.read.missing.clone()))?)
        } else if distributed.contains(&name.as_str()) {
            let values = original.column(name).map(|column| payload_of(column, plan)).transpose()?;
            Truth::Covers(Cover {
                kind: values.as_ref().map_or(ValueKind::Text, |(values, _)| value_kind(&values.measure)),
                nodes: Nodes::default(),
                missing: values.map(|(values, _)| values.missing).unwrap_or_default(),
            })
        } else if [Role::Class, Role::Sensitive, Role::Other].iter().any(|role| column.role.has(*role)) {
            Truth::Exact
        } else {
            Truth::Absent
        };
        columns.push((name.clone(), truth));
    }
    let drops = if release.rows < original.rows { Drops::Allowed } else { Drops::Forbidden };
    check_truth(release, original, &columns, drops).map_err(cannot_check)
}
