//! Puts the claim of a run about its classes to the independent verifier.

use std::borrow::Cow;
use std::collections::BTreeSet;

use scumble_files::table::{CodedColumn, CodedTable, Codes};
use scumble_verify::{
    Claim, Cover, Drops, ModelOutcome, Outcome, Population, Reference, StarRows, Truth, check_models_with,
    check_truth_with_map, distinct_given_others, further_spellings, in_normal_form,
};

use super::rows::ReleasedRows;
use super::{ClassRun, together};
use crate::base::text::grouped;
use crate::config::{Plan, Role, StarPolicy};
use crate::error::{Error, Result};
use crate::models::Model;
use crate::registry::{ALGORITHMS, MODELS};
use crate::release::claim::{
    check_spelling, cover, cover_shown, given_others, is_verified, joint_references, mean, model_claim,
    named, reference, renumbered, same_value, sensitive_column, several_spellings, weight_rule,
};
use crate::release::joined::Told;
use crate::release::prepare::{counted_by_value, table_in_one_spelling};
use crate::release::requirements::has_separate_models;
use crate::release::staged::Staged;
use crate::table::payload::PayloadColumn;
use crate::table::quasi::Quasi;

/// The findings of the verifier in a written release.
pub(super) struct Verified {
    /// What the release keeps.
    pub(super) outcome: Outcome,
    /// What it keeps, or breaks, together with tables that were published before.
    pub(super) together: Vec<ModelOutcome>,
    /// Warnings about the release.
    pub(super) warnings: Vec<String>,
}

/// Reads back what was written and checks every model and every value. Returns an error if anything does not hold of the release by
/// itself.
pub(super) fn verify(run: &ClassRun<'_>, staged: &mut Staged<'_>, rows: &ReleasedRows) -> Result<Verified> {
    let release = staged.read_back_one()?;
    staged.check()?;
    check_spelling(run.source, run.plan, staged.control())?;
    let original = run.source.as_read();
    let known = run.problem.models.iter().filter(|model| is_verified(&***model));
    let mut claim = Claim {
        quasi: run.problem.quasi.iter().map(|quasi| quasi.name.clone()).collect(),
        models: known.map(|model| model_claim(model.claim())).collect(),
        star: if run.problem.star_policy == StarPolicy::Paper {
            StarRows::Unjudged
        } else {
            StarRows::Judged
        },
        values: Vec::new(),
    };
    // Two spellings of one value do not protect anybody, so models count values, not texts. The verifier reads the values by itself, and gets
    // the original as it was read, because the release may have lost a spelling.
    let mut protected: Vec<&str> = run.problem.models.iter().flat_map(|model| model.reads()).collect();
    let sensitive: Vec<String> = run.plan.names_with(Role::Sensitive).map(str::to_owned).collect();
    protected.extend(sensitive.iter().map(String::as_str));
    protected.sort_unstable();
    protected.dedup();
    let columns = &run.problem.table.payloads().columns;
    // Guarding nodes are labels, not values.
    let values = columns.iter().filter(|values| !is_guarding(run.plan, &values.name));
    claim.values.extend(values.map(|values| sensitive_column(values, run.plan)));
    // Models add original weights up, and count original households. What is shown of these is no part of a model.
    let written = &release;
    let release = without_changed(run.plan, written);
    // The written texts themselves must have one spelling for each value.
    let counted = counted_by_value(run.plan);
    for values in claim.values.iter().filter(|values| counted.contains(values.name.as_str())) {
        if release.column(&values.name).is_some()
            && further_spellings(&release, values, Some(&original), staged.control())? > 0
        {
            return Err(several_spellings(&values.name));
        }
    }
    // Columns that are not published are added to the release below.
    protected.retain(|name| release.column(name).is_some());
    let mut reference = Reference {
        columns: protected.into_iter().map(|name| reference(&original, name)).collect::<Result<_>>()?,
    };
    if claim.models.iter().any(|model| model.parameters.contains_key("columns")) {
        reference.columns.extend(joint_references(
            &claim.models,
            &original,
            &claim.values,
            staged.control(),
        )?);
    }
    let mut counted = Cow::Borrowed(&*release);
    let unpublished = unpublished(run, &original, rows)?;
    if !unpublished.is_empty() {
        counted.to_mut().columns.extend(unpublished);
    }
    let population = run.found.population.map(|table| population(run, table)).transpose()?;
    staged.check()?;
    let mut outcome =
        check_models_with(&counted, &claim, Some(&reference), population.as_ref(), staged.control())?;
    with_models_from_outside(run, &mut outcome);
    let mut warnings = Vec::new();
    if has_separate_models(run.plan) {
        let plain = in_normal_form(&counted, &claim.values, Some(&original), staged.control())?;
        let figures = distinct_given_others(&plain, &claim.quasi, &sensitive, claim.star, staged.control())?;
        warnings.extend(figures.and_then(|figures| given_others(&sensitive, &figures)));
    }
    staged.check()?;
    let together = together::judge(&counted, &original, run.plan, run.found.resources, claim.star)?;
    if let Some(keys) = &staged.keys {
        staged.told = Some(told(run, counted.into_owned(), (claim, reference), keys));
    } else {
        drop(counted);
    }
    drop(release);
    let release = written;
    if let Some(model) = outcome.models.iter().find(|model| !model.holds) {
        let whose = whose_fault(run, &model.name);
        return Err(Error::verification(format!(
            "the written release does not keep {}: {} groups with {} rows fail. It was not published. {whose}",
            model.label,
            grouped(model.failing_classes),
            grouped(model.failing_rows)
        )));
    }
    let drops = if run.problem.star_policy == StarPolicy::Drop { Drops::Allowed } else { Drops::Forbidden };
    staged.check()?;
    let truth = check_truth_with_map(
        release,
        &original,
        &rows.order,
        &truths(run, release)?,
        drops,
        staged.control(),
    )?;
    if !truth.holds {
        let place = truth.first_false.map_or("rows or columns are missing or too many".into(), |cell| {
            format!("first in row {} of the release, column '{}'", cell.row, cell.column)
        });
        return Err(Error::verification(format!(
            "the written release is not true of the original rows ({place}). It was not published. {}",
            whose_fault(run, "")
        )));
    }
    Ok(Verified { outcome, together, warnings })
}

/// What the verifier needs to judge this table together with those that codes join it with.
fn told(
    run: &ClassRun<'_>,
    table: CodedTable,
    (claim, reference): (Claim, Reference),
    keys: &[String],
) -> Told {
    let codes = |name: &String| {
        let column = run.source.column(name)?;
        let used: BTreeSet<u32> = column.codes.iter().collect();
        Some((name.clone(), used.into_iter().map(|code| column.values.get(code).to_owned()).collect()))
    };
    Told {
        table,
        claim,
        reference,
        person: run.problem.table.payloads().person().map(|person| person.name.clone()),
        codes: keys.iter().filter_map(codes).collect(),
        unverified: run
            .problem
            .models
            .iter()
            .find(|model| !is_verified(&***model))
            .map(|model| model.title()),
        perturbed: run.plan.drawn.beyond_models.first().cloned(),
    }
}

/// A release without its columns of survey weights and of fresh numbers.
fn without_changed<'a>(plan: &Plan, release: &'a CodedTable) -> Cow<'a, CodedTable> {
    let is_changed = |name: &str| {
        plan.column(name).is_some_and(|column| column.role.has(Role::Weight))
            || plan.renumbered() == Some(name)
    };
    if !release.columns.iter().any(|column| is_changed(&column.name)) {
        return Cow::Borrowed(release);
    }
    let columns = release.columns.iter().filter(|column| !is_changed(&column.name)).cloned().collect();
    Cow::Owned(CodedTable { columns, rows: release.rows })
}

/// The part of a message that says who must act when a release fails.
fn whose_fault(run: &ClassRun<'_>, model: &str) -> &'static str {
    let is_own = ALGORITHMS.is_own(run.algorithm.name) && (model.is_empty() || MODELS.is_own(model));
    if is_own {
        "This is a bug in Scumble, please report it"
    } else {
        "The algorithm or the model was added by a program, and one of them is wrong"
    }
}

/// Fills in the results of models that the verifier does not know: these models check the classes themselves.
fn with_models_from_outside(run: &ClassRun<'_>, outcome: &mut Outcome) {
    let mut found = std::mem::take(&mut outcome.models).into_iter();
    let by_itself = |model: &dyn Model| {
        let verdict = model.judge(&run.found.classes, run.problem.table.payloads());
        ModelOutcome {
            name: model.name().to_owned(),
            label: model.title(),
            required: model.required(),
            attained: Some(verdict.attained).filter(|attained| !attained.is_nan()),
            holds: verdict.holds,
            failing_classes: verdict.failing_classes as u64,
            failing_rows: verdict.failing_rows,
            worst: Vec::new(),
            note: None,
        }
    };
    let judged = run
        .problem
        .models
        .iter()
        .map(|model| if is_verified(&**model) { found.next() } else { Some(by_itself(&**model)) });
    outcome.models = judged.flatten().collect();
    outcome.holds = outcome.models.iter().all(|model| model.holds);
}

/// The unpublished columns that models read, for each released row: the verifier sees what a reader must not have.
fn unpublished(run: &ClassRun<'_>, original: &CodedTable, rows: &ReleasedRows) -> Result<Vec<CodedColumn>> {
    let published: Vec<&str> = run.untouched_columns().collect();
    let columns = run.problem.table.payloads().columns.iter();
    let private = columns.filter(|column| !published.contains(&column.name.as_str()));
    private
        .map(|values| {
            let coded = original.column(&values.name);
            let coded = coded.ok_or_else(|| Error::internal("a column that models read was not read"))?;
            let one = CodedTable { columns: vec![coded.clone()], rows: original.rows };
            // A text that guards nothing is written as in the model's claim.
            let guarding: &[PayloadColumn] =
                if is_guarding(run.plan, &values.name) { std::slice::from_ref(values) } else { &[] };
            let spelt = table_in_one_spelling(&one, guarding);
            let coded = &spelt.columns[0];
            let mut codes = Codes::with_capacity(coded.values.len(), rows.order.len());
            rows.order.iter().for_each(|row| codes.push(coded.codes.get(*row as usize)));
            Ok(CodedColumn { codes, name: coded.name.clone(), values: coded.values.clone() })
        })
        .collect()
}

fn is_guarding(plan: &Plan, name: &str) -> bool {
    plan.column(name).is_some_and(|column| column.role.has(Role::Guarding))
}

/// The population as it was read; the verifier assigns its people to classes by the labels alone.
fn population<'a>(run: &ClassRun<'_>, table: &'a CodedTable) -> Result<Population<'a>> {
    let cover = |quasi: &Quasi| Ok((quasi.name.clone(), cover(quasi, run.markers(&quasi.name))?));
    Ok(Population { table, covers: run.problem.quasi.iter().map(cover).collect::<Result<_>>()? })
}

/// How each column of the release must be true of the original.
fn truths(run: &ClassRun<'_>, release: &CodedTable) -> Result<Vec<(String, Truth)>> {
    let counted = counted_by_value(run.plan);
    run.plan
        .columns
        .iter()
        .map(|(name, column)| {
            let place = run.problem.quasi.iter().position(|quasi| quasi.name == *name);
            let truth = match place.map(|place| (place, &run.problem.quasi[place])) {
                Some((place, quasi)) if run.shows_means(place) => mean(quasi),
                Some((_, quasi)) => {
                    let missing = run.markers(name);
                    Truth::Covers(if run.found.is_of_new_rows() {
                        let all = cover(quasi, missing)?;
                        Cover { nodes: all.nodes.with_named(named(quasi)), ..all }
                    } else {
                        cover_shown(quasi, missing, release.column(name).map(|column| &column.values))?
                    })
                }
                None if column.role.has(Role::Weight)
                    || Role::EXACT.iter().any(|role| column.role.has(*role)) =>
                {
                    let weight = weight_rule(run.plan, name, run.source);
                    weight.map_or_else(|| same_value(run.source, name, &counted, run.plan), Ok)?
                }
                None if run.plan.renumbered() == Some(name) => renumbered(run.source, name, run.plan)?,
                None => Truth::Absent,
            };
            Ok((name.clone(), truth))
        })
        .collect()
}
