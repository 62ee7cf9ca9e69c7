//! A release of several tables, from a prepared table to the name of its folder.
//!
//! No value is coarser than it must be: what protects is that the tables cannot be put together again, or that what is sensitive
//! is told of groups only. So the tables are judged together, as somebody would look at them who has them all.

use std::io::Write;
use std::time::Instant;

use scumble_files::table::CodedTable;
use scumble_files::{OutFormat, PrivateFolder, WriteOptions};

use super::described::{ENDINGS, FileSheet};
use super::publish::{Papers, publish_folder, unpublished};
use super::requirements::{refuse_missing, refuse_persons};
use super::search::{Needs, OfRow, Rest, Task, allow_parameters, make_problem};
use super::spreadsheet::{self, Shows};
use super::{Begun, Released, RunOptions, Stage, datasheet};
use crate::algorithms::tables::{BuildTablesAlgorithm, TablesProblem, TablesSolution};
use crate::config::{Plan, Rational, Role};
use crate::error::{Error, Result};
use crate::payload::PayloadColumn;
use crate::registry::Entry;

mod check;
mod files;
pub(crate) mod manifest;
mod report;
mod roles;
mod sheet;

use manifest::{MANIFEST, Manifest, TableFile};
pub(super) use report::loss;

/// Everything that is known about a run once the search is over.
struct TablesRun<'a> {
    /// The plan as it was given.
    plan: &'a Plan,
    source: &'a CodedTable,
    /// Columns of which some value had several spellings, as they were read.
    respelt: &'a [crate::prepare::Respelt],
    entry: &'static Entry<BuildTablesAlgorithm>,
    problem: TablesProblem,
    solution: TablesSolution,
    missing: Vec<(String, Vec<String>)>,
    warnings: Vec<String>,
    notes: Vec<String>,
}

impl TablesRun<'_> {
    /// The column that the tables are about.
    fn target(&self) -> &PayloadColumn {
        &self.problem.problem.table.payloads().columns[self.problem.target]
    }

    /// The columns that outsiders may know.
    fn known_columns(&self) -> impl Iterator<Item = &str> {
        let columns = self.problem.problem.quasi.iter().zip(&self.problem.known);
        columns.filter(|(_, known)| **known).map(|(quasi, _)| quasi.name.as_str())
    }

    fn markers(&self, name: &str) -> Vec<String> {
        let found = self.missing.iter().find(|(of, _)| of == name);
        found.map(|(_, markers)| markers.clone()).unwrap_or_default()
    }

    /// A name that no column of the table has.
    fn free_name(&self, wish: &str) -> String {
        let taken = |name: &str| self.plan.columns.iter().any(|(of, _)| of == name);
        let further = (2..).map(|number| format!("{wish}_{number}"));
        std::iter::once(wish.to_owned()).chain(further).find(|name| !taken(name)).unwrap_or_default()
    }
}

/// Searches, writes, verifies and publishes.
pub(super) fn release(
    begun: Begun<'_>,
    entry: &'static Entry<BuildTablesAlgorithm>,
    options: &mut RunOptions<'_>,
) -> Result<Released> {
    (options.stage)(Stage::Search);
    let clock = Instant::now();
    let found = search(begun.task(&options.progress), entry)?;
    let Searched { problem, solution, rest, of_row, runs_to_its_end, notes: found_notes } = found;
    let Begun {
        plan,
        table,
        original,
        respelt,
        targets,
        mut notes,
        first_warnings,
        mut seconds,
        started,
        ..
    } = begun;
    notes.splice(0..0, rest.notes);
    notes.extend(found_notes);
    let mut run = TablesRun {
        plan,
        source: table,
        respelt,
        entry,
        problem,
        solution,
        missing: rest.missing,
        warnings: rest.warnings,
        notes,
    };
    let found = sheet::warnings(&run);
    run.warnings.extend(found);
    run.warnings.extend(spreadsheet_warning(&run, targets.format));
    if runs_to_its_end && plan.algorithm.steps.is_some() {
        run.warnings.push(format!("'{}' takes no number of steps; it changes nothing", entry.name));
    }
    run.warnings.extend(first_warnings);
    seconds.search = clock.elapsed().as_secs_f64();
    options.progress.check()?;

    (options.stage)(Stage::Write);
    let clock = Instant::now();
    let files::Made { tables, together, group_of_row } = files::tables(&run, &of_row)?;
    drop(of_row);
    seconds.apply = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let mut folder = targets.private_folder()?;
    let described: Vec<TableFile> = tables.iter().map(|table| table.described(targets.ending())).collect();
    let mut written = Vec::new();
    for (table, TableFile { file: name, .. }) in tables.into_iter().zip(&described) {
        let mut file = folder.file(name).map_err(unpublished)?;
        let written_as = WriteOptions {
            format: targets.format,
            name,
            threads: 0,
            spreadsheet_safe: plan.spreadsheet_safe,
        };
        table.write(&mut file, &written_as).map_err(unpublished)?;
        written.push((file, table));
        options.progress.check()?;
    }
    seconds.write = clock.elapsed().as_secs_f64();

    (options.stage)(Stage::Verify);
    let clock = Instant::now();
    let verified = check::verify(&run, &written, &together, targets.format).map_err(unpublished)?;
    let orders: Vec<&[u32]> = written.iter().map(|(_, table)| &table.order[..]).collect();
    // The table about groups has no rows of people.
    let orders = if group_of_row.is_some() { &orders[..1] } else { &orders };
    let row_map = targets.row_map.as_ref().map(|_| original.row_map(orders, group_of_row.as_deref()));
    let mut row_map = row_map.transpose()?;
    drop(written);
    seconds.verify = clock.elapsed().as_secs_f64();
    options.progress.check()?;

    (options.stage)(Stage::Publish);
    let summary = report::summary(&run, &verified, described.clone());
    seconds.total = started.elapsed().as_secs_f64();
    let report = targets
        .report
        .is_some()
        .then(|| report::report(&run, &summary, &verified, &targets.name(), &seconds));
    let mut sheet = sheet::datasheet(&run, &described, summary.released);
    let manifest = Manifest {
        made_with: sheet.made_with.clone(),
        target: run.target().name.clone(),
        quasi: sheet.guarantees.first().map(|promise| promise.on.clone()).unwrap_or_default(),
        models: run.problem.problem.models.iter().map(|model| model.claim()).collect(),
        together,
        tables: described.clone(),
        spreadsheet_safe: plan.spreadsheet_safe,
    };
    let as_file = |error: serde_json::Error| Error::internal(error);
    let add = |folder: &mut PrivateFolder, name: &str, mut text: Vec<u8>| -> Result<()> {
        let mut file = folder.file(name).map_err(unpublished)?;
        text.push(b'\n');
        file.write_all(&text)
            .map_err(|error| unpublished(scumble_files::cannot_write(std::path::Path::new(name), error)))
    };
    add(&mut folder, MANIFEST, serde_json::to_vec_pretty(&manifest).map_err(as_file)?)?;
    let rows = |name: &str| described.iter().find(|table| table.file == name).map(|table| table.rows);
    let digests = folder.digests().map_err(unpublished)?.into_iter();
    sheet.files = digests.map(|(file, sha256)| FileSheet { rows: rows(&file), file, sha256 }).collect();
    // Tables come first, in their order.
    if let Some(map) = &mut row_map {
        map.is_about(sheet.files.iter().map(|of| (of.file.as_str(), of.sha256.as_str())));
    }
    add(&mut folder, ENDINGS[0], serde_json::to_vec_pretty(&sheet).map_err(as_file)?)?;
    add(&mut folder, ENDINGS[1], datasheet::markdown(&sheet).trim_end().into())?;
    let rule = report::rule(&run, described);
    publish_folder(
        folder,
        &targets,
        &Papers { report, recoding: &|out| serde_json::to_writer(out, &rule), row_map, sheet: Some(sheet) },
        summary,
        seconds,
        started,
    )
}

/// A warning where a spreadsheet program would run what the tables show.
fn spreadsheet_warning(run: &TablesRun<'_>, format: OutFormat) -> Option<String> {
    let columns = run.source.by_name();
    let quasi = run.problem.problem.quasi.iter();
    let quasi = quasi.filter_map(|quasi| {
        Some((quasi.name.as_str(), Shows::Labels(&columns.get(quasi.name.as_str())?.values)))
    });
    let target = run.target();
    spreadsheet::warning(
        run.plan,
        format,
        quasi.chain([(target.name.as_str(), Shows::Texts(&target.values))]),
    )
}

/// What a search for several tables found.
pub(super) struct Searched {
    pub(super) problem: TablesProblem,
    pub(super) solution: TablesSolution,
    pub(super) rest: Rest,
    pub(super) of_row: OfRow,
    /// Whether the search cannot stop before its end.
    runs_to_its_end: bool,
    notes: Vec<String>,
}

/// What an algorithm that makes several tables finds in one.
pub(super) fn search(task: Task<'_>, entry: &'static Entry<BuildTablesAlgorithm>) -> Result<Searched> {
    let plan = task.plan;
    allow_parameters(plan, entry)?;
    refuse(plan, task.population.is_some(), entry.name)?;
    let algorithm = (entry.build)(&plan.algorithm.parameters)?;
    let arranged = roles::arrange(plan, algorithm.target(), entry.name)?;
    let (prepared, of_row) = task.prepared(&arranged.plan, false)?;
    let limits = (task.budget, task.progress);
    let (problem, rest, _) = make_problem(&arranged.plan, prepared, &Needs::WITHOUT_CLASSES, limits)?;
    refuse_missing(&problem, entry.name)?;
    refuse_persons(&problem, entry.name)?;
    let is_known = |name: &str| plan.column(name).is_some_and(|column| column.role.has(Role::Quasi));
    let known: Vec<bool> = problem.quasi.iter().map(|quasi| is_known(&quasi.name)).collect();
    if !known.contains(&true) {
        return Err(Error::config(
            "no column is a quasi-identifier, so there is nothing to protect against; say which columns outsiders may know \
             (--quasi a,b, or role = \"quasi\")",
        ));
    }
    let target = problem.table.payloads().position(&arranged.target);
    let target = target.ok_or_else(|| Error::internal("the target was not read"))?;
    let problem = TablesProblem { problem, known, target, seed: plan.algorithm.seed };
    problem.problem.check_feasible()?;
    algorithm.check(&problem)?;
    let solution = algorithm.run(&problem)?;
    problem.problem.budget.pause();
    let runs_to_its_end = !algorithm.takes_steps();
    Ok(Searched { problem, solution, rest, of_row, runs_to_its_end, notes: arranged.notes })
}

/// An error for what several tables cannot be asked for.
fn refuse(plan: &Plan, population: bool, algorithm: &str) -> Result<()> {
    let asked = [
        ("polish and flatten change classes", plan.algorithm.polish || plan.algorithm.flatten),
        ("a population is compared with classes", population),
        ("keeping the order of rows would put the tables together again", plan.keep_order),
        (
            "suppressed rows would be missing from every table",
            plan.algorithm.suppression.is_some_and(|share| share > Rational::ZERO),
        ),
    ];
    match asked.iter().find(|(_, asked)| *asked) {
        Some((why, _)) => Err(Error::refused(format!(
            "{why}, and '{algorithm}' publishes several tables beside each other; leave it out"
        ))),
        None => Ok(()),
    }
}
