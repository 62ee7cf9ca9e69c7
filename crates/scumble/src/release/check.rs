//! Verifies any table, also one that another tool made, against models and an original.

use scumble_files::Control;
use scumble_files::table::CodedTable;
use scumble_verify::{
    Attained, Beside, Claim, ModelClaim, Outcome, Population, RecordOutcome, Reference, SensitiveColumn,
    StarRows, TruthOutcome, VerifyError, attained_with, check_models_with, distinct_given_others,
    further_spellings, in_normal_form,
};
use serde_json::Value;

use crate::config::{Plan, Role, StarPolicy};
use crate::error::{Error, Result};
use crate::models::asked::OverTables;
use crate::models::{k_anonymity, l_diversity};
use crate::release::claim::{cover, given_others, joint_references, reference, sensitive_column};
use crate::release::prepare::population::{quasi_only, read_population};
use crate::release::prepare::{
    has_repeated_persons, payload_of, prepare, refuse_doubts, spelt_once, table_in_one_spelling,
};
use crate::release::resources::Resources;
use crate::release::{has_separate_models, unknown_column};

mod claims;
mod records;
pub(crate) mod several;
mod side_by_side;
mod tables;
mod truth;

use claims::{columns_of, what_is_guarded_is_there};
use several::{over_views, relational};
use truth::{private_note, truthful};

pub use side_by_side::{SideBySide, side_by_side};
pub use tables::{CheckedTable, CheckedTables, check_tables, published_columns};

/// The result of a check.
#[derive(Debug, serde::Serialize)]
pub struct Checked {
    /// The models that were asked for; none if none was.
    pub outcome: Option<Outcome>,
    /// What the table attains on its own, where no model was asked for.
    pub attained: Option<Attained>,
    /// Whether the table is true of its original, where one was given.
    pub truth: Option<TruthOutcome>,
    /// The result for single records, where records overlap and there are no classes: a column is published as frequencies, or the
    /// plan names an algorithm that makes such records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<RecordOutcome>,
    /// The columns that models read besides the quasi-identifiers.
    #[serde(skip)]
    pub judged: Vec<String>,
    /// What was read.
    #[serde(skip)]
    pub read: WhatWasRead,
}

/// What was read to answer a question about a table.
#[derive(Debug, Default)]
pub struct WhatWasRead {
    /// The columns of the table, those that no answer needs included.
    pub columns: Vec<String>,
    /// The rows of the table.
    pub rows: u64,
    /// The columns that outsiders may know.
    pub quasi: Vec<String>,
    /// The columns whose values were not compared with the original, because chance decided them.
    pub not_compared: Vec<String>,
    /// Notes: how tables were read, and which rows of the original were left out.
    pub notes: Vec<String>,
    /// Warnings to be read before anybody is accused.
    pub warnings: Vec<String>,
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

/// The columns of a release that a check reads; an error if one is absent that outsiders may know or that is to be protected. Without an
/// original only the columns that models may read are needed.
pub fn needed_columns<'a>(names: &[&'a str], plan: &Plan, has_original: bool) -> Result<Vec<&'a str>> {
    if plan.names_with(Role::Quasi).next().is_none() {
        return Err(crate::config::no_quasi_identifier());
    }
    // A column that is published as frequencies becomes one column for each value, such as `disease=flu`.
    let is_of = |name: &str, of: &str| {
        name.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    for of in plan.names_with(Role::Quasi).chain(plan.names_with(Role::Sensitive)) {
        if !names.iter().any(|name| is_of(name, of)) && !plan.is_in_further_table(of) {
            return Err(unknown_column(of, names));
        }
    }
    let roles = [Role::Quasi, Role::Sensitive, Role::Class, Role::Subject, Role::Household, Role::Guarding];
    let counted = plan.counted_columns();
    let is_needed = |name: &&str| {
        has_original
            || plan.privacy.iter().any(|spec| spec.columns.iter().any(|column| column == name))
            || counted.contains(name)
            || roles.into_iter().any(|role| plan.names_with(role).any(|of| is_of(name, of)))
    };
    Ok(names.iter().copied().filter(is_needed).collect())
}

/// Checks a table. The plan gives the roles of the columns and the models. `row_map` has for each released row its original row, where the
/// private row map is known.
pub fn check(
    release: &CodedTable,
    original: Option<&CodedTable>,
    row_map: Option<&[u32]>,
    plan: &Plan,
    resources: &Resources,
) -> Result<Checked> {
    let read = WhatWasRead::default();
    let here = |name: &&str| !is_elsewhere(release, name, plan);
    let quasi: Vec<String> = plan.names_with(Role::Quasi).filter(here).map(str::to_owned).collect();
    let sensitive: Vec<String> = plan.names_with(Role::Sensitive).map(str::to_owned).collect();
    if let Some(checked) = records::check(release, original, row_map, plan, resources)? {
        return Ok(checked);
    }
    let star =
        if plan.algorithm.star_policy == StarPolicy::Paper { StarRows::Unjudged } else { StarRows::Judged };
    what_is_guarded_is_there(release, plan)?;
    let truth =
        original.map(|original| truthful(release, original, row_map, &[], plan, resources)).transpose()?;
    let private_note = private_note(release, original, plan);
    // Models count values, whatever their spelling.
    let mut protected: Vec<String> =
        plan.privacy.iter().flat_map(|spec| &spec.columns).chain(&sensitive).cloned().collect();
    protected.sort_unstable();
    protected.dedup();
    let (person, persons_note) = persons(release, plan)?;
    protected.extend(person.map(str::to_owned));
    protected.extend(plan.counted_columns().into_iter().map(str::to_owned));
    protected.extend(plan.names_with(Role::Guarding).map(str::to_owned));
    protected.sort_unstable();
    protected.dedup();
    // An original decides how values are written: the release may have lost a spelling.
    let known = original.unwrap_or(release);
    let known = &*spelt_once(known, plan)?;
    if let Some(original) = original {
        refuse_doubts(release, original, plan)?;
    }
    let columns = protected.iter().filter_map(|name| known.column(name));
    let (mut values, mut guarding) = (Vec::new(), Vec::new());
    for column in columns {
        let (of_column, _) = payload_of(column, plan)?;
        if plan.column(&column.name).is_some_and(|column| column.role.has(Role::Guarding)) {
            guarding.push(of_column);
        } else {
            values.push(sensitive_column(&of_column, plan));
        }
    }
    // Guarding nodes are labels, not values. A text that guards nothing is written as in the model's claim.
    let release = &*table_in_one_spelling(release, &guarding);
    let spellings_note = spellings_note(release, &values, resources.control())?;
    let plain = in_normal_form(release, &values, original, resources.control()).map_err(cannot_check)?;
    let mut reference = original
        .map(|original| {
            let columns = protected.iter().filter(|name| original.column(name).is_some());
            let columns = columns.map(|name| reference(original, name));
            Ok::<_, Error>(Reference { columns: columns.collect::<Result<_>>()? })
        })
        .transpose()?;
    let population = read_population(plan, resources)?;
    let population = population.as_ref().map(|population| &population.table);
    if plan.privacy.is_empty() {
        let of_column = |name: &String| values.iter().find(|values| values.name == *name).cloned();
        let measured: Vec<SensitiveColumn> = sensitive
            .iter()
            .map(|name| of_column(name).unwrap_or_else(|| SensitiveColumn::texts(name)))
            .collect();
        let people = population.as_ref().map(|table| people(table, plan, resources)).transpose()?;
        let threshold = plan.risk.exposed_above().to_string();
        let beside =
            Beside { reference: reference.as_ref(), population: people.as_ref(), risk_threshold: &threshold };
        let mut found = attained_with(release, &quasi, &measured, star, beside, resources.control())
            .map_err(cannot_check)?;
        let alone = found.columns.iter().map(|column| column.distinct_l.unwrap_or_default());
        let figures =
            found.given_others.as_ref().map(|given| alone.zip(given.iter().copied()).collect::<Vec<_>>());
        let together = figures.and_then(|figures| given_others(&sensitive, &figures));
        found.notes.extend(together);
        found.notes.extend(persons_note.into_iter().chain(private_note).chain(spellings_note));
        if let Some(person) = person {
            let claimed = Claim { quasi, models: Vec::new(), star, values };
            count_persons(&mut found, release, &claimed, person, resources.control())?;
        }
        return Ok(Checked {
            outcome: None,
            attained: Some(found),
            truth,
            records: None,
            judged: sensitive,
            read,
        });
    }
    let mut models = Vec::new();
    let (mut over_tables, mut judged) = (Vec::new(), Vec::new());
    for spec in &plan.privacy {
        let over = spec.over_tables().filter(|_| !plan.table.is_empty());
        if over == Some(OverTables::Persons) {
            over_tables
                .push((models.len() + over_tables.len(), relational(release, spec, plan, resources, star)?));
            continue;
        }
        if over == Some(OverTables::Values) {
            for outcome in over_views(release, original, spec, plan, resources)? {
                over_tables.push((models.len() + over_tables.len(), outcome));
            }
            judged.extend(if spec.columns.is_empty() { &sensitive } else { &spec.columns }.iter().cloned());
            continue;
        }
        let mut claims = claims::claims(spec, &sensitive, person, known, population, plan, resources)?;
        if let Some(set) = &spec.quasi {
            let columns = plan.columns_of(set)?;
            claims.iter_mut().for_each(|claim| {
                claim.parameters.insert("quasi".into(), columns.into());
            });
        }
        models.append(&mut claims);
    }
    if let (Some(reference), Some(original)) = (&mut reference, original) {
        reference.columns.extend(joint_references(&models, original, &values, resources.control())?);
    }
    judged.extend(columns_of(&models));
    let claim = Claim { quasi, models, star, values };
    let population = population.as_ref().map(|table| people(table, plan, resources)).transpose()?;
    let mut outcome =
        check_models_with(release, &claim, reference.as_ref(), population.as_ref(), resources.control())
            .map_err(cannot_check)?;
    for (place, judged) in over_tables {
        outcome.holds &= judged.holds;
        outcome.models.insert(place, judged);
    }
    outcome.notes.extend(persons_note.into_iter().chain(private_note).chain(spellings_note));
    if has_separate_models(plan) {
        let figures = distinct_given_others(&plain, &claim.quasi, &sensitive, star, resources.control())
            .map_err(cannot_check)?;
        outcome.notes.extend(figures.and_then(|figures| given_others(&sensitive, &figures)));
    }
    Ok(Checked { outcome: Some(outcome), attained: None, truth, records: None, judged, read })
}

/// Replaces rows by people in the figures that can count either.
fn count_persons(
    found: &mut Attained,
    release: &CodedTable,
    claimed: &Claim,
    person: &str,
    control: &Control,
) -> Result<()> {
    let asked = |name: &str, parameters: Value| ModelClaim {
        name: name.to_owned(),
        parameters: parameters.as_object().cloned().unwrap_or_default(),
    };
    // A model with the weakest parameter reports the figure.
    let mut models = vec![asked(k_anonymity::ENTRY.name, serde_json::json!({ "k": 1, "person": person }))];
    models.extend(found.columns.iter().map(|column| {
        let parameters =
            serde_json::json!({ "column": column.column, "variant": "frequency", "l": 1, "person": person });
        asked(l_diversity::ENTRY.name, parameters)
    }));
    let claim = Claim { models, ..claimed.clone() };
    let outcome = check_models_with(release, &claim, None, None, control).map_err(cannot_check)?;
    let mut figures = outcome.models.iter().map(|model| model.attained);
    found.k = figures.next().flatten().map(|k| k as u64);
    for (column, l) in found.columns.iter_mut().zip(figures) {
        column.frequency_l = l;
        column.alpha = l.map(|l| 1.0 / l);
    }
    (found.average_risk, found.at_risk) = (None, None);
    found.notes.push(format!(
        "rows with the same {person} are one person: k, frequency l and alpha count persons, the other figures rows"
    ));
    Ok(())
}

/// The people of a population. Its labels are read as those of a release that would be made of them.
fn people<'a>(table: &'a CodedTable, plan: &Plan, resources: &Resources) -> Result<Population<'a>> {
    let entry = crate::registry::ALGORITHMS.find(&plan.algorithm.name)?;
    let trees = (entry.build)(&plan.algorithm.parameters)?.capabilities().needs_trees;
    let prepared = prepare(table, &quasi_only(plan), resources, trees)?;
    let covers = prepared.quasi.iter().map(|quasi| {
        let missing = prepared.missing.iter().find(|(of, _)| *of == quasi.name);
        let missing = missing.map(|(_, markers)| markers.clone()).unwrap_or_default();
        Ok((quasi.name.clone(), cover(quasi, missing)?))
    });
    Ok(Population { table, covers: covers.collect::<Result<_>>()? })
}

/// Whether a column is in another of several tables and not in this one.
fn is_elsewhere(release: &CodedTable, name: &str, plan: &Plan) -> bool {
    plan.is_in_further_table(name) && release.column(name).is_none()
}

/// The column that says whom a row is about, if people have several rows and the table still has the column; else what the reader must
/// know.
fn persons<'p>(table: &CodedTable, plan: &'p Plan) -> Result<(Option<&'p str>, Option<String>)> {
    let Some(name) = plan.counted_by() else { return Ok((None, None)) };
    if table.column(name).is_none() {
        let who =
            if plan.names_with(Role::Household).any(|of| of == name) { "households" } else { "persons" };
        let note = format!(
            "the table has no column '{name}', so rows were counted; {who} are counted where the release is made, or where the \
             column is still there"
        );
        return Ok((None, Some(note)));
    }
    let asked = plan.counts_households() || plan.privacy.iter().any(|spec| spec.is_about_persons());
    Ok(((has_repeated_persons(table, name, plan)? || asked).then_some(name), None))
}

/// The error of a check that could not be made. Nobody is about to publish here, so a table that cannot be checked is an error of the
/// request.
#[must_use]
pub fn cannot_check(error: VerifyError) -> Error {
    match error {
        VerifyError::Stopped => Error::interrupted(),
        error => error.remedies_in(Error::config(&error)),
    }
}

/// The note about columns that write a value in several ways: they count as one value, and the spelling may show whose it is.
fn spellings_note(
    release: &CodedTable,
    values: &[SensitiveColumn],
    control: &Control,
) -> Result<Option<String>> {
    let mut several = Vec::new();
    for values in values.iter().filter(|values| release.column(&values.name).is_some()) {
        if further_spellings(release, values, None, control).map_err(cannot_check)? > 0 {
            several.push(format!("'{}'", values.name));
        }
    }
    Ok((!several.is_empty()).then(|| {
        format!(
            "some values are written in several ways in {}; each was counted as one value, but a spelling may tell whose it is",
            several.join(" and ")
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verifier does not know plans and flags, so its remedies are added here.
    #[test]
    fn errors_of_the_verifier_say_what_would_help() {
        let told = |error| cannot_check(error).to_string();
        let safe = told(VerifyError::NotSpreadsheetSafe { column: "name".into() });
        assert!(safe.ends_with("if the table was not written in it (spreadsheet_safe)"), "{safe}");
        let rows = told(VerifyError::OtherRows { why: "it is about other rows".into() });
        assert!(rows.ends_with("; give the plan that the release was made by (plan)"), "{rows}");
    }
}
