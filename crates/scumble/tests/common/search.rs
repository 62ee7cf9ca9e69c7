//! A search without files: from strings to the classes that it finds.

use std::collections::BTreeMap;

use scumble::config::{Plan, Role};
use scumble::models::{Model, ModelContext};
use scumble::problem::{Problem, Progress};
use scumble::recoding::Assignment;
use scumble::recoding::published::Classes;
use scumble::registry::{ALGORITHMS, METRICS, MODELS};
use scumble::release::prepare::{Prepared, prepare};
use scumble::release::resources::Resources;
use scumble::table::frequency::FrequencyTable;
use scumble_files::table::CodedTable;

use super::grid::coded_column;
use super::run::Ask;
use super::table::Table;

/// A table whose rows all remain, prepared as a run prepares it.
pub(crate) fn prepared(table: &Table, ask: &Ask) -> Prepared {
    let folder = tempfile::tempdir().expect("a folder");
    super::run::write_inputs(table, folder.path());
    let plan = ask.plan(table);
    let read = |name: &str| !plan.column(name).expect("a column").role.has(Role::Identifier);
    let columns = table.columns.iter().filter(|(name, _)| read(name));
    let columns = columns
        .map(|(name, cells)| coded_column(name, &cells.iter().map(String::as_str).collect::<Vec<_>>()));
    let coded = CodedTable { columns: columns.collect(), rows: table.rows };
    let algorithm = ALGORITHMS.find(ask.algorithm).expect("a registered algorithm");
    let algorithm = (algorithm.build)(&plan.algorithm.parameters).expect("fitting parameters");
    prepare(&coded, &plan, &Resources::in_folder(folder.path()), algorithm.capabilities().needs_trees)
        .expect("a table that can be prepared")
}

/// The problem of a prepared table.
pub(crate) fn problem(prepared: Prepared, ask: &Ask, plan: &Plan) -> Problem {
    let trees = |name: &str| prepared.payload_trees.iter().find(|(of, _)| of == name).map(|(_, tree)| tree);
    let specs: Vec<_> = ask.demands.iter().map(|demand| demand.spec()).collect();
    let models: Vec<Box<dyn Model>> = specs
        .iter()
        .flat_map(|spec| {
            let context = ModelContext {
                table: &prepared.table,
                trees: &trees,
                columns: &spec.columns,
                sensitive: &[],
            };
            let entry = MODELS.find(&spec.model).expect("a registered model");
            scumble::models::build(entry, &spec.parameters, &context).expect("fitting parameters")
        })
        .collect();
    let algorithm = ALGORITHMS.find(ask.algorithm).expect("a registered algorithm");
    let algorithm = (algorithm.build)(&plan.algorithm.parameters).expect("fitting parameters");
    Problem {
        table: prepared.table,
        quasi: prepared.quasi,
        models,
        metric: METRICS.find(algorithm.capabilities().default_metric).expect("a registered metric").build,
        class: prepared.class,
        budget: scumble::problem::Budget::new(plan.algorithm.steps, None),
        seed: 0,
        suppression: plan.algorithm.suppression.unwrap_or(scumble::config::Rational::ONE),
        star_policy: ask.policy,
        progress: Progress::default(),
    }
}

/// The classes that the algorithm finds; `None` where there are none to be found.
pub(crate) fn solve(problem: &Problem, ask: &Ask, plan: &Plan) -> Option<(Assignment, Classes)> {
    problem.check_feasible().ok()?;
    let entry = ALGORITHMS.find(ask.algorithm).expect("a registered algorithm");
    let algorithm = (entry.build)(&plan.algorithm.parameters).expect("fitting parameters");
    algorithm.check(problem).ok()?;
    let solution = algorithm.run(problem).ok()?;
    let assignment = solution.recoding.apply(&problem.table, &problem.quasi);
    // The rule, which can be stored and repeated, says what the search found.
    let looks = |assignment: &Assignment| {
        let mut looks: Vec<_> = assignment
            .members
            .shares(&problem.table)
            .map(|share| {
                let class = share.class as usize;
                let shown = (assignment.values(class), assignment.suppressed[class]);
                (share.tuple, share.payload, shown, share.rows)
            })
            .collect();
        looks.sort();
        looks
    };
    assert_eq!(
        looks(&assignment),
        looks(&solution.assignment),
        "the rule shows or suppresses something else"
    );
    let classes = Classes::new(assignment.clone(), &problem.table, &problem.quasi, problem.star_policy);
    Some((assignment, classes))
}

/// What the rows of each tuple and payload show, and in classes of which size, as texts.
pub(crate) fn shown_rows(problem: &Problem, classes: &Classes) -> BTreeMap<Vec<String>, u64> {
    let (table, payloads) = (&problem.table, problem.table.payloads());
    let mut shown = BTreeMap::new();
    for share in classes.assignment.members.shares(table) {
        let class = share.class as usize;
        let mut texts = vec![classes.size(class).to_string(), classes.is_suppressed(class).to_string()];
        for (column, quasi) in problem.quasi.iter().enumerate() {
            texts.push(quasi.text(table.column(column).get(share.tuple as usize)).to_owned());
            texts.push(quasi.label(classes.shown(class, column)));
        }
        for (place, column) in payloads.columns.iter().enumerate() {
            texts.push(column.values.get(payloads.value(share.payload, place)).to_owned());
        }
        *shown.entry(texts).or_default() += u64::from(share.rows);
    }
    shown
}

/// The same table where each row counts as often as its weight says.
pub(crate) fn weighted(prepared: Prepared, table: &Table, weights: &[u32]) -> Prepared {
    let payloads = prepared.table.payloads().clone();
    let text =
        |payload: u32, place: usize| payloads.columns[place].values.get(payloads.value(payload, place));
    let payload_of_row: Vec<u32> = (0..table.rows)
        .map(|row| {
            let same = |payload: &u32| {
                let columns = payloads.columns.iter().enumerate();
                columns
                    .into_iter()
                    .all(|(place, column)| text(*payload, place) == table.column(&column.name)[row])
            };
            (0..payloads.len() as u32).find(same).expect("the payload of its own row")
        })
        .collect();
    let sizes: Vec<u32> = prepared.quasi.iter().map(|quasi| quasi.size()).collect();
    let (count, tuple_of_row) = FrequencyTable::count(
        &sizes,
        table.rows,
        |column, row| prepared.table.column(column).get(prepared.tuple_of_row[row] as usize),
        payloads.clone(),
        &payload_of_row,
        |row| weights[row],
    );
    Prepared { table: count, tuple_of_row, payload_of_row, ..prepared }
}
