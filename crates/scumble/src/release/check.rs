//! Verifying any table, also another tool's, against models and an original.

use std::cell::OnceCell;

use std::sync::Arc;

use scumble_files::table::CodedTable;
use scumble_files::{Control, ReadOptions, read_table};
use scumble_verify::{
    Attained, Beside, Claim, Cover, Drops, ModelClaim, ModelOutcome, Nodes, Outcome, Population,
    RecordOutcome, Reference, Relation, SensitiveColumn, StarRows, Truth, TruthOutcome, ValueKind,
    VerifyError, View, attained_with, check_models_with, check_relations, check_truth, check_truth_with_map,
    check_views, distinct_given_others, from_spreadsheet_safe, further_spellings, in_normal_form,
};
use serde_json::Value;

use crate::config::{ModelSpec, Plan, Role, StarPolicy};
use crate::error::{Error, Result};
use crate::models::asked::OverTables;
use crate::models::{ModelContext, k_anonymity, k_uncertainty, l_diversity, multirelational};
use crate::registry::Method;
use crate::release::claim::{
    cover, given_others, joint_references, mean, model_claim, reference, same_value, sensitive_column,
    value_kind,
};
use crate::release::prepare::population::{PopulationTable, quasi_only, read_population};
use crate::release::prepare::{
    counted_by_value, has_repeated_persons, payload_of, prepare, refuse_doubts, spelt_once,
    table_in_one_spelling, value_table,
};
use crate::release::requirements::with_remedies_of_missing;
use crate::release::resources::Resources;
use crate::release::{has_separate_models, unknown_column};
use crate::table::payload::PayloadColumn;

mod folder;
mod records;
mod side_by_side;

pub use folder::{CheckedFolder, CheckedTable, check_folder, published_columns};
pub use side_by_side::{SideBySide, side_by_side};

/// What was found.
#[derive(Debug, serde::Serialize)]
pub struct Checked {
    /// The models that were asked for; none if none was.
    pub outcome: Option<Outcome>,
    /// What the table attains, where no model was asked for.
    pub attained: Option<Attained>,
    /// Whether the table is true of its original, where one was given.
    pub truth: Option<TruthOutcome>,
    /// What was found record by record, where records overlap and there are no classes: a column is published as frequencies, or the
    /// plan names an algorithm that makes such records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<RecordOutcome>,
    /// The columns that models look at besides the quasi-identifiers.
    #[serde(skip)]
    pub judged: Vec<String>,
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

/// The columns of a release that a check reads; an error if it lacks one that outsiders may know or that is to be protected. Without an
/// original only what models may look at is needed.
pub fn needed_columns<'a>(names: &[&'a str], plan: &Plan, has_original: bool) -> Result<Vec<&'a str>> {
    if plan.names_with(Role::Quasi).next().is_none() {
        return Err(crate::config::no_quasi_identifier());
    }
    // A column that is published as frequencies has one column a value, such as `disease=flu`.
    let is_of = |name: &str, of: &str| {
        name.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    for of in plan.names_with(Role::Quasi).chain(plan.names_with(Role::Sensitive)) {
        if !names.iter().any(|name| is_of(name, of)) && !plan.is_in_further_table(of) {
            return Err(unknown_column(of, names));
        }
    }
    let roles = [Role::Quasi, Role::Sensitive, Role::Class, Role::Subject, Role::Guarding];
    let counted = plan.counted_columns();
    let is_needed = |name: &&str| {
        has_original
            || plan.privacy.iter().any(|spec| spec.columns.iter().any(|column| column == name))
            || counted.contains(name)
            || roles.into_iter().any(|role| plan.names_with(role).any(|of| is_of(name, of)))
    };
    Ok(names.iter().copied().filter(is_needed).collect())
}

/// Checks a table. The plan says which columns are what and which models are asked for. `row_map` has for each released row its original row, where the private row map is known.
pub fn check(
    release: &CodedTable,
    original: Option<&CodedTable>,
    row_map: Option<&[u32]>,
    plan: &Plan,
    resources: &Resources,
) -> Result<Checked> {
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
    // Where there is an original, it says how values are written: the release may have lost a spelling.
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
    // Guarding nodes are labels, not values, and what guards nothing is written as the model's claim has it.
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
    let population = read_population(plan, resources, 0)?.map(|PopulationTable { table, .. }| table);
    if plan.privacy.is_empty() {
        let of_column = |name: &String| values.iter().find(|values| values.name == *name).cloned();
        let measured: Vec<SensitiveColumn> = sensitive
            .iter()
            .map(|name| of_column(name).unwrap_or_else(|| SensitiveColumn::texts(name)))
            .collect();
        let people = population.as_ref().map(|table| people(table, plan, resources)).transpose()?;
        let threshold = plan.risk.threshold.to_string();
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
        return Ok(Checked { outcome: None, attained: Some(found), truth, records: None, judged: sensitive });
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
        let mut claims = claims(spec, &sensitive, person, known, population.as_ref(), plan, resources)?;
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
    Ok(Checked { outcome: Some(outcome), attained: None, truth, records: None, judged })
}

/// The columns that models look at besides the quasi-identifiers, as their claims name them.
fn columns_of(models: &[ModelClaim]) -> Vec<String> {
    let one = models.iter().filter_map(|model| model.parameters.get("column"));
    let several = models.iter().filter_map(|model| model.parameters.get("columns")?.as_array()).flatten();
    one.chain(several).filter_map(|name| Some(name.as_str()?.to_owned())).collect()
}

/// Puts persons in the place of rows, in the figures that count either.
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
    // Asking for next to nothing gives the figure.
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

/// The people of a population, and how the labels of a release are to be read: as a release made of them would have labels.
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

/// Multirelational k-anonymity of the table and the plan's further tables, which must all still say who a row is about.
pub(crate) fn relational(
    release: &CodedTable,
    spec: &ModelSpec,
    plan: &Plan,
    resources: &Resources,
    star: StarRows,
) -> Result<ModelOutcome> {
    let entry = multirelational::ENTRY;
    let known: Vec<&str> = entry.parameters.iter().map(|(name, _)| *name).collect();
    spec.parameters.allow_only(&known)?;
    let (k, set) = multirelational::settings(&spec.parameters)?;
    let subject = plan.names_with(Role::Subject).next().ok_or_else(multirelational::no_subject)?;
    let here = |name: &&str| !is_elsewhere(release, name, plan);
    let quasi: Vec<String> = plan.names_with(Role::Quasi).filter(here).map(str::to_owned).collect();
    let release = &*spelt_once(release, plan)?;
    let persons = release.column(subject).ok_or_else(|| {
        Error::config(format!("the table has no column '{subject}', which says who a row is about"))
            .advise(format!("check a private copy that still has '{subject}'"))
    })?;
    let (persons, _) = payload_of(persons, plan)?;
    // The persons of all tables are written as the first table writes them.
    let release = &table_in_one_spelling(release, std::slice::from_ref(&persons));
    let tables = further_tables(plan, resources)?;
    let tables = plan.table.iter().zip(&tables).map(|(spec, table)| with_persons(table, spec, &persons));
    let tables: Vec<CodedTable> = tables.collect::<Result<_>>()?;
    let mut relations = vec![Relation { table: release, quasi: &quasi, person: subject }];
    for (spec, table) in plan.table.iter().zip(&tables) {
        let person = spec.subject.as_deref().ok_or_else(multirelational::no_subject)?;
        relations.push(Relation { table, quasi: &spec.quasi, person });
    }
    check_relations(&relations, k, set, star, resources.control()).map_err(cannot_check)
}

/// Whether a column is in another of several tables, and not in this one.
fn is_elsewhere(release: &CodedTable, name: &str, plan: &Plan) -> bool {
    plan.is_in_further_table(name) && release.column(name).is_none()
}

/// A further table with its persons written as the first table writes them; an error if they cannot be the same persons.
fn with_persons(
    table: &CodedTable,
    spec: &crate::config::TableSpec,
    persons: &PayloadColumn,
) -> Result<CodedTable> {
    let name = spec.subject.as_deref().ok_or_else(multirelational::no_subject)?;
    let column = table.column(name).ok_or_else(|| {
        Error::config(format!(
            "'{}' has no column '{name}', which is to say who its rows are about",
            spec.file
        ))
    })?;
    if column.values.iter().any(|text| persons.missing.iter().any(|marker| marker == text)) {
        return Err(Error::data(format!("'{}' has rows without a person (column '{name}')", spec.file))
            .advise("leave those rows out")
            .advise("say whom those rows are about"));
    }
    let spellings = persons.spellings();
    if column.values.iter().all(|text| spellings.find(text).is_none()) {
        return Err(Error::data(format!(
            "no person of '{}' (column '{name}') is in the first table; are they written in the same way?",
            spec.file
        )));
    }
    let values = PayloadColumn { name: name.to_owned(), ..persons.clone() };
    Ok(table_in_one_spelling(table, &[values]).into_owned())
}

/// The plan's further tables.
fn further_tables(plan: &Plan, resources: &Resources) -> Result<Vec<Arc<CodedTable>>> {
    let read = |file: &str| {
        let source = resources.source(file)?;
        // Whoever published it may write tables otherwise than the input is written.
        let control = resources.control().clone();
        let options = ReadOptions { control, ..crate::release::other_options(plan) };
        let read = read_table(&source, &options)?.coded;
        if resources.is_spreadsheet_safe(file) {
            return from_spreadsheet_safe(&read).map_err(cannot_check);
        }
        Ok(read)
    };
    let table = |table: &crate::config::TableSpec| {
        let read = resources.kept_table(&table.file, || read(&table.file))?;
        match table.quasi.iter().find(|name| read.column(name).is_none()) {
            Some(name) => Err(Error::config(format!("'{}' has no column '{name}'", table.file))),
            None => Ok(read),
        }
    };
    plan.table.iter().map(table).collect()
}

/// k-uncertainty of the table and the plan's further tables, for everybody who is in the original.
pub(crate) fn over_views(
    release: &CodedTable,
    original: Option<&CodedTable>,
    spec: &ModelSpec,
    plan: &Plan,
    resources: &Resources,
) -> Result<Vec<ModelOutcome>> {
    let known: Vec<&str> = k_uncertainty::ENTRY.parameters.iter().map(|(name, _)| *name).collect();
    spec.parameters.allow_only(&known)?;
    let k = k_uncertainty::least(&spec.parameters)?;
    let original =
        original.ok_or_else(|| {
            Error::config("k-uncertainty of several tables is about everybody who can be looked up in them")
                .set("original", None, "give the original rows")
        })?;
    let sensitive: Vec<String> = plan.names_with(Role::Sensitive).map(str::to_owned).collect();
    let columns = if spec.columns.is_empty() { &sensitive } else { &spec.columns };
    let spelt = spelt_once(original, plan)?;
    let mut values = Vec::new();
    for name in columns {
        let Some(column) = spelt.column(name) else { continue };
        let (of_column, _) = payload_of(column, plan)?;
        if of_column.absent().is_some() {
            let what = format!(
                "k-uncertainty of several tables counts every text of '{name}', and some rows have no value there"
            );
            return Err(with_remedies_of_missing(Error::refused(what), name));
        }
        values.push(sensitive_column(&of_column, plan));
    }
    let plain = |table: &CodedTable| {
        in_normal_form(table, &values, Some(original), resources.control())
            .map(std::borrow::Cow::into_owned)
            .map_err(cannot_check)
    };
    let (release, known) = (&plain(release)?, &plain(original)?);
    let people = people(known, plan, resources)?;
    let tables =
        further_tables(plan, resources)?.iter().map(|table| plain(table)).collect::<Result<Vec<_>>>()?;
    let here = |name: &&str| release.column(name).is_some();
    let quasi: Vec<String> = plan.names_with(Role::Quasi).filter(here).map(str::to_owned).collect();
    let mut views = vec![View { table: release, quasi: &quasi }];
    views.extend(plan.table.iter().zip(&tables).map(|(spec, table)| View { table, quasi: &spec.quasi }));
    columns
        .iter()
        .map(|column| check_views(&views, &people, column, k, resources.control()).map_err(cannot_check))
        .collect()
}

/// The column that says who a row is about, where the table still has it and persons have several rows; and what a reader must
/// know if it is not there.
fn persons<'p>(table: &CodedTable, plan: &'p Plan) -> Result<(Option<&'p str>, Option<String>)> {
    let Some(name) = plan.names_with(Role::Subject).next() else { return Ok((None, None)) };
    if table.column(name).is_none() {
        let note = format!(
            "the table has no column '{name}', so rows were counted; persons are counted where the release is made, or where the \
             column is still there"
        );
        return Ok((None, Some(note)));
    }
    let asked = plan.privacy.iter().any(|spec| spec.is_about_persons());
    Ok(((has_repeated_persons(table, name, plan)? || asked).then_some(name), None))
}

/// The error of a check that could not be made. Here nobody wants to publish yet: what cannot be checked is a matter of what was asked.
#[must_use]
pub fn cannot_check(error: VerifyError) -> Error {
    match error {
        VerifyError::Stopped => Error::interrupted(),
        VerifyError::NotSpreadsheetSafe { .. } => Error::config(error).unset(
            "spreadsheet_safe",
            "leave the spreadsheet-safe form out, if the table was not written in it",
        ),
        VerifyError::OtherRows { .. } => {
            Error::config(error).set("plan", None, "give the plan that the release was made by")
        }
        error => Error::config(error),
    }
}

/// Which columns of a table write a value in several ways: each is one value, and its spelling may tell whose it is.
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

/// The claims that a model of the plan makes, one for each column that it protects.
fn claims(
    spec: &ModelSpec,
    sensitive: &[String],
    person: Option<&str>,
    reference: &CodedTable,
    population: Option<&CodedTable>,
    plan: &Plan,
    resources: &Resources,
) -> Result<Vec<ModelClaim>> {
    let entry = crate::registry::MODELS.find(&spec.model)?;
    if !crate::registry::MODELS.is_own(entry.name) {
        return Err(Error::refused(format!(
            "model '{}' was added by a program, and tables are checked by independent code, which knows Scumble's own models only",
            entry.name
        ))
        .concede("leave the model out"));
    }
    let known: Vec<&str> = entry.parameters.iter().map(|(name, _)| *name).collect();
    spec.parameters
        .allow_only(&known)
        .map_err(|error| error.reworded(|what| format!("model '{}': {what}", entry.name)))?;
    // The model itself says what it claims, from nothing but its parameters, the values of its columns, and their trees.
    let mut columns: Vec<String> = spec.columns.iter().chain(sensitive).cloned().collect();
    columns.extend(person.map(str::to_owned));
    columns.extend(plan.counted_columns().into_iter().map(str::to_owned));
    columns.extend(plan.names_with(Role::Guarding).map(str::to_owned));
    columns.sort_unstable();
    columns.dedup();
    let mut table = value_table(reference, &columns, person, plan)?;
    if let Some(people) = population {
        table = table.with_population(value_table(people, &[], None, plan)?);
    }
    // Trees are built only for models that ask for one.
    let prepared = OnceCell::new();
    let trees = |name: &str| {
        let prepared = prepared.get_or_init(|| prepare(reference, &sensitive_only(plan), resources, false));
        let trees = &prepared.as_ref().ok()?.payload_trees;
        trees.iter().find(|(of, _)| of == name).map(|(_, tree)| tree)
    };
    let context = ModelContext { table: &table, trees: &trees, columns: &spec.columns, sensitive };
    let models = crate::models::build(entry, &spec.parameters, &context);
    if let Some(Err(error)) = prepared.into_inner() {
        return Err(error);
    }
    Ok(models?.iter().map(|model| model_claim(model.claim())).collect())
}

/// A plan without its quasi-identifiers: for building the trees of sensitive columns alone.
fn sensitive_only(plan: &Plan) -> Plan {
    let columns =
        plan.columns.iter().filter(|(_, column)| column.role.has(Role::Sensitive)).cloned().collect();
    Plan { columns, ..plan.clone() }
}

/// An error if a model needs a column that no release has.
fn what_is_guarded_is_there(release: &CodedTable, plan: &Plan) -> Result<()> {
    let asked = |name: &&str| {
        let names_it = |spec: &ModelSpec| spec.parameters.text("guarding").is_ok_and(|of| of == Some(*name));
        plan.privacy.iter().any(names_it)
    };
    match plan.names_with(Role::Guarding).filter(asked).find(|name| release.column(name).is_none()) {
        None => Ok(()),
        Some(name) => Err(Error::config(format!(
            "the table has no column '{name}', which says what people guard and is in no release"
        ))
        .advise(format!("check a private copy that still has '{name}'"))
        .concede("leave the model out")),
    }
}

/// Columns that say who a row is about, or what they guard, and that are here and in the original. No release shows them, but
/// a private copy of it may, for models that look there.
fn private_columns<'a>(release: &CodedTable, original: &CodedTable, plan: &'a Plan) -> Vec<&'a str> {
    let named = plan.names_with(Role::Subject).chain(plan.names_with(Role::Guarding));
    named.filter(|name| release.column(name).is_some() && original.column(name).is_some()).collect()
}

/// What a reader must know of a table that still has such columns.
fn private_note(release: &CodedTable, original: Option<&CodedTable>, plan: &Plan) -> Option<String> {
    let columns = private_columns(release, original?, plan);
    let one = columns.first()?;
    Some(format!(
        "the table still has the column '{one}', which was compared with the original; this is a private copy, and not to be published"
    ))
}

/// Is every released row true of the original row that the row map gives it? Without one: is there an assignment of the released rows
/// to original rows of which they are true? Some columns may show something else in place of their values.
fn truthful(
    release: &CodedTable,
    original: &CodedTable,
    row_map: Option<&[u32]>,
    instead: &[(&str, records::Instead)],
    plan: &Plan,
    resources: &Resources,
) -> Result<TruthOutcome> {
    // Hierarchies are built as they were for the release: from the plan and from the rows that it was made of.
    let spelt = spelt_once(original, plan)?;
    let prepared = prepare(&spelt, plan, resources, side_by_side::needs_trees(plan))?;
    let means = match crate::registry::method(&plan.algorithm.name)? {
        Method::Classes(entry) => (entry.build)(&plan.algorithm.parameters)?.capabilities().shows_means,
        Method::Records(_) | Method::Tables(_) => false,
    };
    let private = private_columns(release, original, plan);
    let counted = counted_by_value(plan);
    let mut columns = Vec::new();
    let mut unexplained = Vec::new();
    for (name, column) in &plan.columns {
        let instead = instead.iter().find(|(of, _)| of == name).map(|(_, instead)| *instead);
        let truth = if is_elsewhere(release, name, plan) {
            Truth::Absent
        } else if let Some(quasi) = prepared.quasi.iter().find(|quasi| quasi.name == *name) {
            if means {
                columns.push((name.clone(), mean(quasi)));
                continue;
            }
            let cover = cover(quasi, column.missing.clone().unwrap_or_else(|| plan.read.missing.clone()))?;
            unexplained.extend(needs_hierarchy(release, original, quasi, &cover, resources.control())?);
            Truth::Covers(cover)
        } else if instead == Some(records::Instead::Exchanged) {
            Truth::Permuted
        } else if instead == Some(records::Instead::Sets) {
            let values = original.column(name).map(|column| payload_of(column, plan)).transpose()?;
            Truth::Covers(Cover {
                kind: values.as_ref().map_or(ValueKind::Text, |(values, _)| value_kind(&values.measure)),
                nodes: Nodes::default(),
                missing: values.map(|(values, _)| values.missing).unwrap_or_default(),
            })
        } else if private.contains(&name.as_str())
            || [Role::Class, Role::Sensitive, Role::Other].iter().any(|role| column.role.has(*role))
        {
            same_value(&spelt, name, &counted, plan)?
        } else {
            Truth::Absent
        };
        columns.push((name.clone(), truth));
    }
    if !unexplained.is_empty() {
        let (verb, whose) =
            if unexplained.len() == 1 { ("needs", "its hierarchy") } else { ("need", "their hierarchies") };
        return Err(Error::config(format!(
            "the release cannot be compared with its original: {} {verb} {whose}, since some labels are neither values nor intervals",
            unexplained.join(" and ")
        ))
        .set("plan", None, "give the plan that the release was made by")
        .set("hierarchies", None, "give the hierarchies that the release was made with"));
    }
    let drops = if release.rows < original.rows { Drops::Allowed } else { Drops::Forbidden };
    match row_map {
        Some(map) => check_truth_with_map(release, original, map, &columns, drops, resources.control()),
        None => check_truth(release, original, &columns, drops, resources.control()),
    }
    .map_err(cannot_check)
}

/// The column in words, if it shows labels that nobody can read without its hierarchy, which is not known: they are neither values of
/// the original nor intervals, and say nothing by themselves.
fn needs_hierarchy(
    release: &CodedTable,
    original: &CodedTable,
    quasi: &crate::table::quasi::Quasi,
    cover: &Cover,
    control: &Control,
) -> Result<Option<String>> {
    let name = &quasi.name;
    let both = release.column(name).zip(original.column(name)).filter(|_| quasi.tree().is_none());
    let Some((released, originals)) = both else { return Ok(None) };
    let says_nothing = |text: &str| {
        matches!(scumble_verify::parse(text), scumble_verify::Label::Plain(_))
            && quasi.measure.number(text).is_none()
    };
    let true_of: Vec<Vec<u32>> =
        scumble_verify::covering(cover, &released.values, &originals.values, control)
            .map_err(cannot_check)?;
    let mut understood = vec![false; released.values.len()];
    true_of.iter().flatten().for_each(|label| understood[*label as usize] = true);
    let labels = released.values.iter().zip(&understood);
    let unread = labels.into_iter().any(|(text, understood)| !understood && says_nothing(text));
    Ok(unread.then(|| format!("column '{name}'")))
}

#[cfg(test)]
mod tests {
    use scumble_files::table::CodedColumn;

    use super::*;
    use crate::config::{Column, Roles};

    /// The verifier knows no plan and no flag, so what helps is added here.
    #[test]
    fn errors_of_the_verifier_say_what_would_help() {
        let told = |error| cannot_check(error).to_string();
        let safe = told(VerifyError::NotSpreadsheetSafe { column: "name".into() });
        assert!(safe.ends_with("if the table was not written in it (spreadsheet_safe)"), "{safe}");
        let rows = told(VerifyError::OtherRows { why: "it is about other rows".into() });
        assert!(rows.ends_with("; give the plan that the release was made by (plan)"), "{rows}");
    }

    /// What people guard is in no release. A model that asks for it can be checked of a private copy only, and nothing is checked in its place.
    #[test]
    fn a_model_of_guarding_nodes_needs_their_column() {
        let table = |names: &[&str]| CodedTable {
            columns: names
                .iter()
                .map(|name| CodedColumn::of_texts(name, ["a".to_owned()].into_iter()))
                .collect(),
            rows: 1,
        };
        let mut plan = Plan::new("in.csv", "out.csv");
        plan.columns.push(("ill".to_owned(), Column::new(Roles::one(Role::Sensitive))));
        plan.columns.push(("guards".to_owned(), Column::new(Roles::one(Role::Guarding))));
        let (public, private) = (table(&["ill"]), table(&["ill", "guards"]));
        assert!(what_is_guarded_is_there(&public, &plan).is_ok(), "no model asks for it");
        plan.privacy.push(ModelSpec::new("personalised").with("guarding", "guards"));
        assert!(what_is_guarded_is_there(&private, &plan).is_ok());
        let error = what_is_guarded_is_there(&public, &plan).expect_err("it is not there").to_string();
        assert!(error.contains("the table has no column 'guards'"), "{error}");
    }
}
