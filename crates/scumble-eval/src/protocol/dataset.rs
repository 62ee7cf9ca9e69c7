//! A table with its release plan, sorted by content.

use scumble::config::{Plan, Role};
use scumble::error::Setting;
use scumble::release::prepare::{SpeltTable, select, spelt_like};
use scumble::release::resources::Resources;
use scumble::{Error, Result};
use scumble_files::table::CodedTable;

/// A table to evaluate on.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// The name shown to people.
    pub name: String,
    /// The release plan, with a role for every column.
    pub plan: Plan,
    /// Other inputs that the plan names.
    pub resources: Resources,
    /// The rows, sorted by content: equal rows are interchangeable, so the order of the file does not matter.
    pub table: SpeltTable,
    /// The rows to score, if they are a table of their own.
    pub test: Option<CodedTable>,
    /// The column to predict.
    pub class: String,
    /// The class labels, ascending. Their existence counts as known; everything else is learnt from training rows.
    pub labels: Vec<String>,
    /// Notes about the table.
    pub notes: Vec<String>,
}

impl Dataset {
    /// Reads the table of a plan and, if given, a table of test rows with the same columns: its name, and the resources that hold it.
    pub fn read(
        name: &str,
        plan: &Plan,
        resources: &Resources,
        test: Option<(&str, &Resources)>,
    ) -> Result<Self> {
        let (full, table, mut notes) = scumble::release::read_planned(plan, resources)?;
        let Some(class) = full.names_with(Role::Class).next().map(str::to_owned) else {
            return Err(Error::config(format!(
                "the plan of '{name}' has no column with the role class, so there is nothing to predict"
            ))
            .set(Setting::role("class"), "name the class column"));
        };
        let test = match test {
            None => None,
            Some((input, there)) => {
                // The population belongs to the table that is released.
                let plan = Plan { input: input.to_owned(), population: None, ..plan.clone() };
                let there = there.clone().watched_by(resources.control());
                let (_, test, more) = scumble::release::read_planned(&plan, &there)?;
                notes.extend(more);
                Some(sorted(&*spelt_like(&test, &table, &full)?))
            }
        };
        let labels = |table: &CodedTable| present_texts(table, &class);
        let mut all = labels(&table);
        all.extend(test.as_ref().map(labels).unwrap_or_default());
        all.sort_unstable();
        all.dedup();
        if all.len() < 2 {
            return Err(Error::data(format!(
                "column '{class}' of '{name}' has fewer than two classes, so there is nothing to predict"
            )));
        }
        let table = table.select(&by_content(&table));
        Ok(Self {
            name: name.to_owned(),
            plan: full,
            resources: resources.clone(),
            table,
            test,
            class,
            labels: all,
            notes,
        })
    }

    /// Returns the class of each row of a table with these columns, as places among the labels.
    pub fn classes_of(&self, table: &CodedTable) -> Result<Vec<u32>> {
        let column = table.column(&self.class).ok_or_else(|| Error::internal("the class was not read"))?;
        let place =
            |text: &str| self.labels.binary_search_by(|label| label.as_str().cmp(text)).unwrap_or(0) as u32;
        let places: Vec<u32> = column.values.iter().map(place).collect();
        Ok(column.codes.iter().map(|code| places[code as usize]).collect())
    }
}

/// Fails if releases of some rows say nothing about the release of all rows.
pub fn refuse_parts(plan: &Plan) -> Result<()> {
    match plan.privacy.iter().find(|spec| spec.is_about_members()) {
        None => Ok(()),
        Some(spec) => Err(Error::refused(format!(
            "model '{}' is about which people of the population are in the table, and a part of the rows has fewer of them: what is released of \
             it says nothing about the release of all rows",
            spec.model
        ))
        .advise("measure releases of the whole table")),
    }
}

/// Returns the texts of a column that appear in some row.
fn present_texts(table: &CodedTable, name: &str) -> Vec<String> {
    let Some(column) = table.column(name) else { return Vec::new() };
    let mut present = vec![false; column.values.len()];
    column.codes.iter().for_each(|code| present[code as usize] = true);
    column
        .values
        .iter()
        .zip(present)
        .filter(|(_, present)| *present)
        .map(|(text, _)| text.to_owned())
        .collect()
}

/// Returns the rows in the order of their content. Dictionaries are sorted, so codes are in the order of their texts.
pub(crate) fn by_content(table: &CodedTable) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..table.rows as u32).collect();
    let cells = |row: u32| table.columns.iter().map(move |column| column.codes.get(row as usize));
    rows.sort_by(|a, b| cells(*a).cmp(cells(*b)));
    rows
}

/// Returns the rows sorted by content.
pub(crate) fn sorted(table: &CodedTable) -> CodedTable {
    select::rows(table, &by_content(table))
}
