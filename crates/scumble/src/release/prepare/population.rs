//! The population that the rows of a table are taken from, by its quasi-identifiers.

use std::sync::Arc;

use scumble_files::table::{CodedColumn, CodedTable, Codes, Texts};

use super::{Prepared, drop_incomplete, prepare, prepare_joined};
use crate::config::{Plan, Read, Role};
use crate::error::{Error, ErrorKind, Result, Setting};
use crate::release::WrittenTable;
use crate::release::resources::Resources;

/// A population as it was read: the quasi-identifiers only.
#[derive(Debug)]
pub struct PopulationTable {
    /// Its columns, under the names of the table's columns.
    pub table: CodedTable,
    /// Notes about how it was read.
    pub notes: Vec<String>,
}

/// Reads the population that a plan names, if it names one, and keeps it for the run. Its columns are found by the names of the
/// quasi-identifiers; others are never read.
pub fn read_population(plan: &Plan, resources: &Resources) -> Result<Option<Arc<PopulationTable>>> {
    let Some(name) = &plan.population else { return Ok(None) };
    let columns: Vec<String> = plan.names_with(Role::Quasi).map(str::to_owned).collect();
    // Everything that reading it depends on, besides its name.
    let quasi = plan.columns.iter().filter(|(name, _)| columns.contains(name)).collect::<Vec<_>>();
    let key = (name.clone(), format!("{:?} {quasi:?}", plan.read));
    resources.kept_population(key, || read(plan, name, &columns, resources)).map(Some)
}

fn read(plan: &Plan, name: &str, columns: &[String], resources: &Resources) -> Result<PopulationTable> {
    let source = resources.source(name)?;
    // Others may have written this file, so its format is detected.
    let how = Read { header: Some(true), encoding: plan.read.encoding.clone(), ..plan.read.of_release() };
    let written = WrittenTable::from(&source);
    let open = written.open(plan, &how, resources.control())?;
    if let Some(missing) = columns.iter().find(|column| !open.names.contains(column)) {
        let names: Vec<&str> = open.names.iter().map(String::as_str).collect();
        let near = crate::error::among_columns(missing, &names);
        return Err(Error::config(format!(
            "the population '{name}' has no column '{missing}'{near}; it must have every quasi-identifier, under the same name"
        )));
    }
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let read = open.read(Some(&columns))?;
    let mut table = read.coded;
    if table.rows == 0 {
        return Err(Error::data(format!("the population '{name}' has no rows"))
            .set(Setting::root("population"), "give the people whom the data are taken from"));
    }
    let left_out =
        drop_incomplete(&mut table, &quasi_only(plan)).map_err(|error| of_population(name, error))?;
    let notes = read.notes.into_iter().chain(left_out).map(|note| format!("the population '{name}': {note}"));
    Ok(PopulationTable { notes: notes.collect(), table })
}

/// Types and codes a table together with its population, so that one domain of each quasi-identifier has the values of both.
pub fn prepare_with_population(
    table: &CodedTable,
    population: &CodedTable,
    plan: &Plan,
    resources: &Resources,
    trees: bool,
) -> Result<Prepared> {
    let joined = joined(table, population);
    prepare_joined(&joined, population.rows, plan, resources, trees).map_err(|error| {
        // Rows are numbered through both tables, so each is tried alone to find the one with the error.
        let name = plan.population.as_deref().unwrap_or_default();
        if let Err(of_data) = prepare(table, plan, resources, trees) {
            return of_data;
        }
        let alone = prepare(population, &quasi_only(plan), resources, trees);
        of_population(name, alone.err().unwrap_or(error))
    })
}

/// A plan with the quasi-identifiers alone.
pub(crate) fn quasi_only(plan: &Plan) -> Plan {
    let columns = plan.columns.iter().filter(|(_, column)| column.role.has(Role::Quasi)).cloned().collect();
    Plan { columns, ..plan.clone() }
}

/// Turns an error into one about the population.
fn of_population(name: &str, error: Error) -> Error {
    if !error.is(&[ErrorKind::Data, ErrorKind::Config]) {
        return error;
    }
    error.in_file(name).reworded(|what| format!("in the population, {what}"))
}

/// Appends the population's rows to the table, in the columns that both have.
fn joined(table: &CodedTable, population: &CodedTable) -> CodedTable {
    let column = |column: &CodedColumn| match population.column(&column.name) {
        Some(people) => joined_column(column, people),
        None => column.clone(),
    };
    CodedTable { columns: table.columns.iter().map(column).collect(), rows: table.rows }
}

fn joined_column(data: &CodedColumn, people: &CodedColumn) -> CodedColumn {
    let mut texts: Vec<&str> = data.values.iter().chain(people.values.iter()).collect();
    texts.sort_unstable();
    texts.dedup();
    let mut codes = Codes::with_capacity(texts.len(), data.codes.len() + people.codes.len());
    for column in [data, people] {
        let place: Vec<u32> =
            column.values.iter().map(|text| texts.partition_point(|other| *other < text) as u32).collect();
        column.codes.iter().for_each(|code| codes.push(place[code as usize]));
    }
    CodedColumn { name: data.name.clone(), values: texts.into_iter().collect::<Texts>(), codes }
}
