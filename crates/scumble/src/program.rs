//! What programs ask about tables that are anywhere: each question is one call, as [`Release::of`](crate::release::Release::of) is.

use scumble_files::{ReadOptions, Source, read_header, read_table};

use crate::config::{Plan, Role};
use crate::error::Result;
use crate::release::check::{Checked, CheckedTables, check, check_tables, needed_columns};
use crate::release::prepare::population::read_population;
use crate::release::prepare::{drop_incomplete, persons_of_rows};
use crate::release::resources::Resources;
use crate::release::{PublishedTables, read_options, read_original, unknown_column};
use crate::risk::{Assessment, RiskTable, assess};

impl Checked {
    /// Checks a table wherever it is, beside its original where that is at hand.
    pub fn of(
        release: &Source,
        original: Option<&Source>,
        plan: &Plan,
        resources: &Resources,
    ) -> Result<Self> {
        let how = read_options(&plan.read.of_release(), 0)?;
        let names = read_header(release, &how)?.names;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let needed = needed_columns(&names, plan, original.is_some())?;
        let columns = Some(needed.into_iter().map(str::to_owned).collect());
        let resources = &resources.for_a_run();
        let control = resources.control();
        let release = read_table(release, &ReadOptions { columns, control: control.clone(), ..how })?.coded;
        let original = original.map(|source| read_original(plan, source, 0, control)).transpose()?;
        let plan = original.as_ref().map_or(plan, |original| &original.plan);
        check(&release, original.as_ref().map(|original| &original.table), None, plan, resources)
    }
}

impl CheckedTables {
    /// Checks several tables that were published together, wherever they are, beside their original where that is at hand.
    pub fn of(
        published: &PublishedTables,
        original: Option<&Source>,
        plan: &Plan,
        resources: &Resources,
    ) -> Result<Self> {
        let resources = &resources.for_a_run();
        let original =
            original.map(|source| read_original(plan, source, 0, resources.control())).transpose()?;
        let plan = original.as_ref().map_or(plan, |original| &original.plan);
        check_tables(published, original.as_ref().map(|original| &original.table), None, plan, resources)
    }
}

impl Assessment {
    /// The risk of a table wherever it is. Outsiders know its quasi-identifiers; the plan says which columns they are.
    pub fn of(table: &Source, plan: &Plan, resources: &Resources) -> Result<Self> {
        plan.risk.check()?;
        let resources = &resources.for_a_run();
        let quasi: Vec<String> = plan.names_with(Role::Quasi).map(str::to_owned).collect();
        if quasi.is_empty() {
            return Err(crate::config::no_quasi_identifier());
        }
        let control = resources.control().clone();
        let options = ReadOptions { control, ..read_options(&plan.read, 0)? };
        let names = read_header(table, &options)?.names;
        let asked = quasi.iter().chain(&plan.risk.weight).chain(&plan.risk.household);
        let mut columns: Vec<String> = asked.cloned().collect();
        if let Some(unknown) = columns.iter().find(|name| !names.contains(name)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            return Err(unknown_column(unknown, &names));
        }
        let subject = plan.names_with(Role::Subject).map(str::to_owned);
        columns.extend(subject.filter(|name| names.contains(name)));
        let mut read = read_table(table, &ReadOptions { columns: Some(columns), ..options })?.coded;
        drop_incomplete(&mut read, plan)?;
        let population = read_population(plan, resources, 0)?;
        let persons = persons_of_rows(&read, plan)?;
        let input = RiskTable {
            table: &read,
            quasi: &quasi,
            missing: &plan.read.missing,
            population: population.as_ref().map(|population| &population.table),
            persons: persons.as_deref(),
        };
        Ok(assess(&input, &plan.risk, resources.control())?.0)
    }
}
