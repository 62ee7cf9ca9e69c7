//! Prepares a table for a search: types, missing values, hierarchies, codes.

use rayon::prelude::*;
use scumble_files::table::{CodedColumn, CodedTable, Codes};

use crate::config::{Column, Equality, MissingPolicy, Plan, Role};
use crate::error::{Error, Result, Setting};
use crate::release::resources::Resources;
use crate::table::frequency::FrequencyTable;
use crate::table::hierarchy::{self, Built, Domain, Hierarchy};
use crate::table::kind::Kind;
use crate::table::payload::{PayloadColumn, Payloads};
use crate::table::quasi::Quasi;

mod new_rows;
mod payloads;
pub mod population;
pub mod select;
mod shapes;
mod spelling;
mod values;

pub(crate) use new_rows::prepare_new;
use payloads::{PayloadRows, payload_rows, persons};
use shapes::{check_hierarchies_used, class_rows, domain, make_quasi};
pub use spelling::{SpeltTable, spelt_once};
pub(crate) use spelling::{counted_by_value, counts_values, refuse_doubts, value_of_text};
pub use values::spelt_like;
use values::{Planned, order, payload_column};
pub(crate) use values::{payload_of, table_in_one_spelling, value_table};

/// A table ready for a search.
pub struct Prepared {
    /// The quasi-identifiers.
    pub quasi: Vec<Quasi>,
    /// The distinct tuples.
    pub table: FrequencyTable,
    /// The tuple of each row.
    pub tuple_of_row: Vec<u32>,
    /// The payload of each row; private.
    pub payload_of_row: Vec<u32>,
    /// The payload column of the class label.
    pub class: Option<usize>,
    /// The trees of sensitive columns that have one.
    pub payload_trees: Vec<(String, Hierarchy)>,
    /// The texts that mean a missing value, by column.
    pub missing: Vec<(String, Vec<String>)>,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Warnings to the user.
    pub warnings: Vec<String>,
}

/// Leaves out rows with missing values where the plan says so. Returns sentences that say how many, and why.
pub fn drop_incomplete(table: &mut CodedTable, plan: &Plan) -> Result<Vec<String>> {
    Ok(keep_complete(table, plan)?.notes)
}

/// Which rows of a table were kept, and why others were not.
pub struct Complete {
    /// For each row that was read, whether it is still there.
    pub kept: Vec<bool>,
    /// Sentences that say how many rows were left out, and why.
    pub notes: Vec<String>,
}

/// Does the same as [`drop_incomplete`], and also returns which rows are left.
pub fn keep_complete(table: &mut CodedTable, plan: &Plan) -> Result<Complete> {
    let mut keep = vec![true; table.rows];
    let mut notes = Vec::new();
    let (columns, counted) = (table.by_name(), counted_by_value(plan));
    for (name, column) in &plan.columns {
        let Some(coded) = columns.get(name.as_str()) else { continue };
        let policy = column.missing_policy.unwrap_or(plan.read.missing_policy);
        let is_class = column.role.has(Role::Class);
        if policy == MissingPolicy::OwnValue && !is_class {
            continue;
        }
        let markers = column.missing.as_ref().unwrap_or(&plan.read.missing);
        let form =
            counted.contains(name.as_str()).then(|| spelling::form_of(column, markers, coded.values.iter()));
        let keys: Vec<String> =
            form.iter().flat_map(|form| markers.iter().map(move |m| form.key(m))).collect();
        let is_missing = |text: &str| {
            markers.iter().any(|m| m == text) || form.is_some_and(|form| keys.contains(&form.key(text)))
        };
        let missing: Vec<bool> = coded.values.iter().map(is_missing).collect();
        if !missing.contains(&true) {
            continue;
        }
        let mut dropped = 0_u64;
        for (row, code) in coded.codes.iter().enumerate() {
            if !missing[code as usize] {
                continue;
            }
            if policy == MissingPolicy::Error {
                return Err(Error::data("the value is missing, and the missing policy is 'error'")
                    .in_row(row as u64 + 1)
                    .in_column(name)
                    .advise("fill the value in")
                    .set(
                        Setting::read("missing_policy").to("own-value"),
                        "let what is missing be a value of its own",
                    )
                    .set(
                        Setting::read("missing_policy").to("drop-row"),
                        "leave out rows that have no value",
                    ));
            }
            dropped += u64::from(keep[row]);
            keep[row] = false;
        }
        if dropped > 0 {
            let what = if is_class { "a class label" } else { "a value" };
            let were = if dropped == 1 { "was" } else { "were" };
            notes.push(format!(
                "{} without {what} in '{name}' {were} left out",
                crate::base::text::rows(dropped)
            ));
        }
    }
    let kept = keep.iter().filter(|keep| **keep).count();
    if kept == 0 {
        return Err(Error::data("every row has a missing value, so no row is left").set(
            Setting::read("missing_policy").to("own-value"),
            "let what is missing be a value of its own",
        ));
    }
    if kept < table.rows {
        for column in &mut table.columns {
            let mut codes = Codes::with_capacity(column.values.len(), kept);
            column.codes.iter().zip(&keep).filter(|(_, keep)| **keep).for_each(|(code, _)| codes.push(code));
            column.codes = codes;
        }
        table.rows = kept;
    }
    Ok(Complete { kept: keep, notes })
}

/// The columns of a plan that were read.
fn planned<'a>(table: &'a CodedTable, plan: &'a Plan) -> Vec<Planned<'a>> {
    let columns = table.by_name();
    let stretched = crate::transforms::stretched(&plan.transform);
    let of_plan = |(name, column): &'a (String, Column)| {
        let coded = *columns.get(name.as_str())?;
        let missing = column.missing.as_ref().unwrap_or(&plan.read.missing);
        Some(Planned { name, plan: column, coded, missing, stretched: stretched.contains(name) })
    };
    plan.columns.iter().filter_map(of_plan).collect()
}

/// Returns an error if the least that a search needs does not fit in the free memory: better now, with a sentence, than later.
fn check_memory(planned: &[Planned<'_>], rows: usize) -> Result<()> {
    let quasi = planned.iter().filter(|column| column.plan.role.has(Role::Quasi));
    let (columns, values) = quasi
        .fold((0, 0), |(columns, values), column| (columns + 1, values + column.coded.values.len() as u64));
    scumble_files::limits::enough_memory(least_bytes(rows as u64, columns, values), "preparing the table")
}

/// The least bytes that a search needs for these rows and quasi-identifiers: a code for each quasi-identifier of a tuple, a few numbers for each
/// row, and a label with its node for each value.
fn least_bytes(rows: u64, columns: u64, values: u64) -> u64 {
    const ROW: u64 = 24;
    const VALUE: u64 = 64;
    rows * (ROW + 4 * columns) + values * VALUE
}

/// Types and codes a table. `trees` says whether every quasi-identifier must have levels.
pub fn prepare(table: &CodedTable, plan: &Plan, resources: &Resources, trees: bool) -> Result<Prepared> {
    prepare_joined(table, 0, plan, resources, trees)
}

/// Prepares a table whose quasi-identifiers have, after its own rows, those of `people` people of a population.
fn prepare_joined(
    table: &CodedTable,
    people: usize,
    plan: &Plan,
    resources: &Resources,
    trees: bool,
) -> Result<Prepared> {
    let planned = planned(table, plan);
    check_memory(&planned, table.rows + people)?;
    let with_role = |role: Role| planned.iter().filter(move |column| column.plan.role.has(role));
    let persons = persons(&planned, plan)?;
    let class_column = with_role(Role::Class).next();
    let classes = class_column.map(|column| column.coded);
    resources.check_hierarchy_folder(plan)?;
    check_hierarchies_used(plan)?;

    let quasi_columns: Vec<&Planned<'_>> = with_role(Role::Quasi).collect();
    let quasi: Vec<(Quasi, Vec<u32>, Vec<String>)> = quasi_columns
        .par_iter()
        .map(|column| {
            // Each column is typed, gets its hierarchy and its codes.
            resources.control().check()?;
            let recipe = resources.recipe(column.name, column.plan, plan)?;
            make_quasi(column, recipe, trees, classes)
        })
        .collect::<Result<_>>()?;
    let mut notes: Vec<String> = quasi.iter().flat_map(|(_, _, notes)| notes.clone()).collect();

    let mut payload_trees = Vec::new();
    let has_tree =
        |column: &&Planned<'_>| column.plan.role.has(Role::Class) || column.plan.role.has(Role::Sensitive);
    for column in planned.iter().filter(has_tree) {
        resources.control().check()?;
        if let Some(recipe) = resources.recipe(column.name, column.plan, plan)? {
            let ordered = order(column, false)?;
            let spelt = (column.plan.equality == Equality::Normal && ordered.measure.kind == Kind::Text)
                .then(|| spelling::form_of(column.plan, column.missing, ordered.values.iter().copied()));
            let built =
                hierarchy::build(&recipe, &Domain { form: spelt, ..domain(column, &ordered, None)? })?;
            if ordered.values.iter().any(|value| built.hierarchy.code_of(value).is_none()) {
                return Err(Error::config(
                    "some values are not in its hierarchy, and unlisted = \"treat_as_missing\" is for quasi-identifiers only",
                )
                .in_column(column.name)
                .advise("add lines for those values")
                .set(Setting::hierarchy("unlisted").of(&[column.name]).to("add_under_root"), "put values that are not listed under the root"));
            }
            notes.extend(built.notes);
            payload_trees.push((column.name.to_owned(), built.hierarchy));
        }
    }
    resources.control().check()?;
    let PayloadRows { payloads, of_row: payload_of_row, class } =
        payload_rows(&planned, persons, plan, table.rows)?;
    resources.control().check()?;
    let sizes: Vec<u32> = quasi.iter().map(|(quasi, ..)| quasi.size()).collect();
    let code =
        |column: usize, row: usize| quasi[column].1[quasi_columns[column].coded.codes.get(row) as usize];
    let (mut frequency, tuple_of_row) =
        FrequencyTable::count(&sizes, table.rows, code, payloads, &payload_of_row, |_| 1);
    if people > 0 {
        let (none, payload_of_row) = Payloads::of_rows(Vec::new(), people, |_, _| 0);
        let code = |column: usize, row: usize| code(column, table.rows + row);
        let population = FrequencyTable::count(&sizes, people, code, none, &payload_of_row, |_| 1).0;
        frequency = frequency.with_population(population);
    }
    let missing = planned.iter().map(|column| (column.name.to_owned(), column.missing.to_vec())).collect();
    let quasi = quasi.into_iter().map(|(quasi, ..)| quasi).collect();
    let warnings = resources.misspelt_hierarchies(plan)?;
    Ok(Prepared {
        quasi,
        table: frequency,
        tuple_of_row,
        payload_of_row,
        class,
        payload_trees,
        missing,
        notes,
        warnings,
    })
}

/// The tree of one column, and the rows of each leaf.
pub struct ColumnTree {
    /// The tree, and the notes from building it.
    pub built: Built,
    /// Rows per leaf.
    pub rows_per_leaf: Vec<u64>,
    /// Notes about how the table was read.
    pub notes: Vec<String>,
}

/// Builds the hierarchy of one column of a table, to be shown.
pub fn column_tree(
    table: &CodedTable,
    name: &str,
    column: &Column,
    class: Option<&str>,
    plan: &Plan,
    resources: &Resources,
) -> Result<ColumnTree> {
    let coded = table.column(name).ok_or_else(|| Error::internal("the column was not read"))?;
    let missing = column.missing.as_ref().unwrap_or(&plan.read.missing);
    let planned = Planned { name, plan: column, coded, missing, stretched: false };
    let ordered = order(&planned, true)?;
    let classes = class.and_then(|class| table.column(class)).map(|class| class_rows(coded, class, &ordered));
    let domain = domain(&planned, &ordered, classes.as_deref())?;
    let recipe = resources.recipe(name, column, plan)?;
    let recipe = recipe.unwrap_or_else(|| hierarchy::automatic(&domain).into());
    let built = hierarchy::build(&recipe, &domain)?;
    let mut rows_per_leaf = vec![0; built.hierarchy.leaf_count() as usize];
    for (code, rows) in built.codes.iter().zip(&ordered.rows) {
        rows_per_leaf[*code as usize] += rows;
    }
    if let Some(code) = built.missing {
        rows_per_leaf[code as usize] += table.rows as u64 - ordered.rows.iter().sum::<u64>();
    }
    Ok(ColumnTree { built, rows_per_leaf, notes: Vec::new() })
}

/// The values of a column that is not a quasi-identifier, as models count them.
pub fn column_values(coded: &CodedColumn, plan: &Plan) -> Result<PayloadColumn> {
    payload_of(coded, plan).map(|(values, _)| values)
}

/// Whether some person of a table has several rows.
pub(crate) fn has_repeated_persons(table: &CodedTable, name: &str, plan: &Plan) -> Result<bool> {
    let planned = table.column(name).zip(plan.column(name)).map(|(coded, column)| {
        let missing = column.missing.as_ref().unwrap_or(&plan.read.missing);
        Planned { name, plan: column, coded, missing, stretched: false }
    });
    planned.map_or(Ok(false), |subject| repeated_persons(&subject))
}

/// The person of each row; `None` unless the table has the subject column of the plan and some person has several rows.
pub fn persons_of_rows(table: &CodedTable, plan: &Plan) -> Result<Option<Vec<u32>>> {
    let subject = plan.counted_by().and_then(|name| table.column(name));
    let Some(coded) = subject else { return Ok(None) };
    if !has_repeated_persons(table, &coded.name, plan)? {
        return Ok(None);
    }
    let (_, person) = payload_of(coded, plan)?;
    Ok(Some(coded.codes.iter().map(|code| person[code as usize]).collect()))
}

/// Whether some person has several rows, so that models count people. A row without a person could be anybody's, so it is an error.
fn repeated_persons(subject: &Planned<'_>) -> Result<bool> {
    let missing: Vec<bool> =
        subject.coded.values.iter().map(|text| subject.missing.iter().any(|marker| marker == text)).collect();
    // Two spellings of a number are one person.
    let (persons, person) = payload_column(subject)?;
    let mut seen = vec![false; persons.values.len()];
    let mut repeated = false;
    for (row, code) in subject.coded.codes.iter().enumerate() {
        if missing[code as usize] {
            let who = if subject.plan.role.has(Role::Household) { "household" } else { "person" };
            return Err(Error::data(format!("no {who} is given, so nobody can tell whose row it is"))
                .in_row(row as u64 + 1)
                .in_column(subject.name)
                .advise(format!("fill the {who} in"))
                .set(
                    Setting::read("missing_policy").to("drop-row"),
                    "leave out rows that do not say whose they are",
                )
                .weaken(
                    Setting::role("drop").of(&[subject.name]),
                    "leave the column out, and accept that k counts rows",
                ));
        }
        repeated |= std::mem::replace(&mut seen[person[code as usize] as usize], true);
    }
    Ok(repeated)
}

#[cfg(test)]
mod tests {
    use super::least_bytes;

    /// Ten codes of four bytes and three numbers of eight are 64 bytes for a row; a value takes 64 bytes once, however many rows have it.
    #[test]
    fn memory_is_asked_for_by_rows_and_by_values() {
        assert_eq!(least_bytes(1_000_000, 10, 0), 64_000_000);
        assert_eq!(least_bytes(1_000_000, 10, 100_000), 64_000_000 + 6_400_000);
        assert_eq!(least_bytes(2_000_000, 10, 100_000), 2 * 64_000_000 + 6_400_000);
    }
}
