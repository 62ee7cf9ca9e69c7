//! Puts the joined tables to the verifier, and says what is wrong with them.

use scumble_verify::{JoinedTable, Joins, ModelOutcome, Orphans};

use super::held::Held;
use super::{Joined, JoinedModel, Table};
use crate::base::text::grouped;
use crate::config::ModelSpec;
use crate::error::{Error, Result, Setting, Wanted};
use crate::models::multirelational;
use crate::release::pipeline::Watched;

/// A model that joined tables break.
pub(super) struct Failing {
    model: JoinedModel,
    /// The tables whose rows were joined.
    with: Vec<String>,
}

/// Judges joined tables by the models that the plans ask for. The inner result says whether these hold.
pub(super) fn judge(
    tables: &[Table<'_>],
    held: &[Held],
    asked: &[scumble_verify::Claim],
    watched: &Watched<'_>,
) -> Result<std::result::Result<Joined, Failing>> {
    let control = watched.progress.control();
    let names: Vec<String> = tables.iter().map(|table| table.targets.name()).collect();
    refuse_unjudged(tables, held)?;
    refuse_missing(tables, held)?;
    let joined: Vec<JoinedTable<'_>> = tables
        .iter()
        .zip(held)
        .zip(asked)
        .zip(&names)
        .map(|(((table, held), claim), name)| JoinedTable {
            name,
            table: &held.told.table,
            keys: &table.keys,
            claim,
            reference: &held.told.reference,
            person: held.told.person.as_deref(),
        })
        .collect();
    let joins = Joins::of(&joined, control)?;
    let root = check_shape(&joins, tables, held)?;
    let persons = asked_of_persons(tables)?;
    if persons.is_none() {
        refuse_links(&joins, tables)?;
    }
    let mut found: Vec<(JoinedModel, Vec<String>, bool)> = Vec::new();
    let told = |of: &ModelOutcome, rows: usize, by: usize| JoinedModel {
        model: of.label.clone(),
        rows_of: names[rows].clone(),
        asked_by: names[by].clone(),
        required: of.required,
        attained: of.attained,
    };
    let mut smallest: Option<u64> = None;
    for of in joins.judge(control)? {
        smallest = smallest.into_iter().chain(of.smallest).min();
        let with: Vec<String> = of
            .shows
            .iter()
            .filter(|shown| **shown != of.rows_of)
            .map(|shown| names[*shown].clone())
            .collect();
        for model in &of.models {
            found.push((told(model, of.rows_of, of.models_of), with.clone(), model.holds));
        }
    }
    if let Some((by, k, set)) = persons {
        let outcome = joins.judge_persons(root, k, set, control)?;
        let others = names.iter().enumerate().filter(|(of, _)| *of != root).map(|(_, name)| name.clone());
        found.push((told(&outcome, root, by), others.collect(), outcome.holds));
    }
    // The verifier has looked at what each table shows by itself already.
    found.retain(|(_, with, _)| !with.is_empty());
    if let Some((model, with, _)) = found.iter().find(|(.., holds)| !holds) {
        return Ok(Err(Failing { model: model.clone(), with: with.clone() }));
    }
    let models = found.into_iter().map(|(model, ..)| model).collect();
    Ok(Ok(Joined { parent: names[root].clone(), smallest, models, doublings: 0 }))
}

/// The error when joined tables break a model, whatever the size of the groups.
pub(super) fn cannot(Failing { model, with }: &Failing) -> Error {
    Error::infeasible(format!(
        "{} does not hold of the rows of {} once codes join them with {}: required {}, attained {} with the largest groups tried. Nothing was \
         published",
        model.model,
        model.rows_of,
        with.join(" and "),
        model.required,
        model.attained.unwrap_or_default()
    ))
    .set(Setting::role("drop"), "leave out quasi-identifiers of one of the tables")
    .advise("leave the codes out of one table, and make its release by itself")
    .concede("lower the requirement")
}

/// The plan that asks for a model about all rows of a person, with the greatest k of all plans; and whether numbers of rows do not matter.
fn asked_of_persons(tables: &[Table<'_>]) -> Result<Option<(usize, u64, bool)>> {
    let mut found: Option<(usize, u64, bool)> = None;
    for (place, table) in tables.iter().enumerate() {
        for spec in table.plan.privacy.iter().filter(|spec| ModelSpec::is_about_persons(spec)) {
            let (k, set) = multirelational::settings(&spec.parameters)?;
            found = Some(match found {
                Some((by, known, all)) if known >= k => (by, known, all && set),
                Some((_, _, all)) => (place, k, all && set),
                None => (place, k, set),
            });
        }
    }
    Ok(found)
}

/// Returns an error for what cannot be judged on joined rows.
fn refuse_unjudged(tables: &[Table<'_>], held: &[Held]) -> Result<()> {
    for (table, held) in tables.iter().zip(held) {
        if let Some(model) = &held.told.unverified {
            return Err(Error::refused(format!(
                "{}: '{model}' was added by a program, and the verifier cannot judge it on joined rows",
                table.name
            ))
            .advise("leave that model out, or make the release by itself"));
        }
        if let Some(column) = &held.told.perturbed {
            return Err(Error::refused(format!(
                "{}: the quasi-identifier '{column}' is perturbed, and how well people are found by it is measured in one table only",
                table.name
            ))
            .advise("let the search coarsen it: leave it out of the steps"));
        }
    }
    Ok(())
}

/// Returns an error if some rows have no code, so that nobody can say where they belong.
fn refuse_missing(tables: &[Table<'_>], held: &[Held]) -> Result<()> {
    for (table, held) in tables.iter().zip(held) {
        for (key, of) in table.keys.iter().zip(&table.coded) {
            let Some(codes) = held.told.table.column(&key.column) else { continue };
            let own = [of, &key.column].map(|name| table.plan.column(name)?.missing.as_ref());
            let markers: Vec<&String> =
                own.into_iter().flatten().chain([&table.plan.read.missing]).flatten().collect();
            let is_missing: Vec<bool> =
                codes.values.iter().map(|text| markers.iter().any(|marker| *marker == text)).collect();
            let rows = codes.codes.iter().filter(|code| is_missing[*code as usize]).count();
            if rows > 0 {
                return Err(Error::data(format!(
                    "{} rows of '{}' have no value in '{of}', so they belong to no row of another table",
                    grouped(rows as u64),
                    table.plan.input
                ))
                .set(Setting::read("missing_policy").to("drop-row"), "leave out rows that have no value"));
            }
        }
    }
    Ok(())
}

/// Checks that every row belongs to a row of one table, and returns that table.
fn check_shape(joins: &Joins<'_>, tables: &[Table<'_>], held: &[Held]) -> Result<usize> {
    if let Some(domain) = joins.without_parent().first() {
        return Err(Error::refused(format!(
            "no table has each code of the domain '{domain}' in one row only, so none is the parent of the others"
        ))
        .advise("also name the plan of the table in which each has one row, such as that of households")
        .advise("leave the codes out of all tables but one"));
    }
    if let Some(orphans) = joins.orphans().first() {
        return Err(orphaned(orphans, tables, held));
    }
    if let Some((table, rows)) = joins.contradictions().next() {
        return Err(Error::data(format!(
            "{} rows of {} belong to different rows of one table by different codes",
            grouped(rows),
            tables[table].plan.input
        ))
        .advise("correct these rows, or publish only one of the columns of codes"));
    }
    match joins.roots()[..] {
        [root] if joins.is_reached(root) => Ok(root),
        _ => Err(Error::refused(
            "the tables have no common parent: the rows of all others must belong to the rows of exactly one table",
        )
        .advise("leave out the codes that lead to a second parent")
        .advise("release the tables of each parent by themselves")),
    }
}

/// The error for rows whose parent is missing, in the data or in the release.
fn orphaned(orphans: &Orphans, tables: &[Table<'_>], held: &[Held]) -> Error {
    let (child, parent) = (&tables[orphans.child], &tables[orphans.parent]);
    let column = parent.keys.iter().find(|key| key.domain == orphans.domain).map(|key| &key.column);
    let known = held[orphans.parent].told.codes.iter().find(|(name, _)| Some(name) == column);
    let is_known = |code: &String| known.is_some_and(|(_, codes)| codes.contains(code));
    let rows = match orphans.rows {
        1 => "1 row".to_owned(),
        rows => format!("{} rows", grouped(rows)),
    };
    if orphans.codes.iter().all(is_known) {
        return Error::infeasible(format!(
            "the release of {} leaves rows out to which {rows} of {} belong, so these would be without a parent. Nothing was published",
            parent.plan.input, child.plan.input
        ))
        .set(Setting::search("star_policy").to("strict"), format!("keep suppressed rows in {}", parent.name))
        .set(Setting::search("suppression").to(0), format!("suppress no rows in {}", parent.name));
    }
    Error::data(format!(
        "{rows} of '{}' have no parent: their '{}' is in no row of '{}' that is released",
        child.plan.input, orphans.domain, parent.plan.input
    ))
    .advise(format!("add the missing rows to '{}'", parent.plan.input))
    .advise("leave the rows without a parent out")
}

/// Returns an error if codes link rows, no model is about that, and the owner does not accept it.
fn refuse_links(joins: &Joins<'_>, tables: &[Table<'_>]) -> Result<()> {
    let Some(table) = joins.repeats().map(|of| &tables[of]).find(|table| !table.plan.accept_linkable_rows)
    else {
        return Ok(());
    };
    Err(Error::refused(format!(
        "{}: equal codes show which rows belong to one row of the parent, and no model is about all of them together: whoever knows several of \
         them may find all of them",
        table.name
    ))
    .set(
        Wanted::model("multirelational").with("k", 5),
        "ask for a model of all rows of a person, with an algorithm that serves it, such as mingen",
    )
    .weaken(Setting::root("accept_linkable_rows").to(true), "accept that rows can be linked"))
}
