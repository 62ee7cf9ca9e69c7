//! Applies a saved recoding to other rows: as a release of their own, or privately, with every row in its recoded form.

use std::collections::BTreeMap;
use std::time::Instant;

use hashbrown::HashSet;
use rayon::prelude::*;
use scumble_files::table::CodedTable;
use scumble_files::{Control, ReadOptions};

use super::classes::rows::ReleasedRows;
use super::classes::{ClassesFound, Origin, refuse_nothing, warnings};
use super::gate::{self, Passed, RowNumbers};
use super::pipeline::{Destination, Watched, complete};
use super::publish::Files;
use super::row_map::SourceRows;
use super::search::{Needs, OfRow, make_problem};
use super::targets::Targets;
use super::{
    Input, ReadTable, Released, RunOptions, Seconds, Stage, again, datasheet, read_columns, read_options,
    weights,
};
use crate::config::profile::refuse_unjudged;
use crate::config::{Column, Plan, Rational, Rest, Role, Roles, StarPolicy};
use crate::error::{Error, Result, Setting, among_columns};
use crate::problem::{Budget, Problem};
use crate::recoding::published::Classes;
use crate::recoding::{Assignment, Members, Step};
use crate::registry::ALGORITHMS;
use crate::release::new_rows::{CodeFinder, LookedUp, NewRows};
use crate::release::outputs::Outputs;
use crate::release::prepare::population::quasi_only;
use crate::release::prepare::{Complete, SpeltTable, keep_complete, prepare_new};
use crate::release::resources::Resources;
use crate::release::saved::SavedRecoding;
use crate::release::steps::perturbed::Perturbed;
use crate::release::steps::{self, Purpose, Steps};
use crate::report::data::PersonalData;
use crate::search::relabel::with_values;
use crate::table::frequency::total;
use crate::table::label::STAR;
use crate::table::quasi::{Quasi, Value};

/// The result of applying a recoding.
pub struct Applied {
    /// The files and the figures.
    pub released: Released,
    /// By quasi-identifier, the number of rows that show `*` because nothing that the rule shows is true of them; quasi-identifiers without
    /// such rows are not listed.
    pub unplaced: BTreeMap<String, u64>,
    /// Whether the rows are for their owner only.
    pub private: bool,
}

impl Applied {
    /// The figures as one JSON object: those of a release, with `private` and `unplaced`.
    pub fn figures(&self) -> Result<serde_json::Value> {
        let mut figures = serde_json::to_value(&self.released.summary).map_err(Error::internal)?;
        figures["private"] = self.private.into();
        figures["unplaced"] = serde_json::to_value(&self.unplaced).map_err(Error::internal)?;
        Ok(figures)
    }
}

/// Recodes the rows of a table by a saved recoding. `plan` is the recoding's own ([`SavedRecoding::plan`]), which the caller may have changed:
/// how rows are read, how suppressed rows and columns are treated that the recoding does not know.
///
/// The rows become a release of their own, which keeps the models of the recoding and is verified like any release; rows that
/// would break a model are suppressed. If `private`, every row stays, in its order and in its recoded form, and no model is checked:
/// such rows are for testing what was learnt from a release, and only for their owner.
pub fn apply(
    saved: &SavedRecoding,
    plan: &Plan,
    private: bool,
    options: &mut RunOptions<'_>,
) -> Result<Applied> {
    apply_beside(saved, plan, private, &Outputs::default(), options)
}

/// Does the same as [`apply`], and never overwrites the other files in `outputs` that the run reads and writes.
pub fn apply_beside(
    saved: &SavedRecoding,
    plan: &Plan,
    private: bool,
    outputs: &Outputs,
    options: &mut RunOptions<'_>,
) -> Result<Applied> {
    let resources = Resources::in_folder(options.folder).watched_by(options.progress.control());
    let source = resources.input(plan)?;
    let plan = &applied_plan(saved, plan, private)?;
    let mut outputs = outputs.clone();
    outputs.read("recoding", &saved.file);
    let targets = if private {
        Targets::of_private(plan, options.folder, &outputs)
    } else {
        Targets::of(plan, options.folder, &outputs)
    }?;
    let input = Input { plan, source: &source, resources: &resources };
    let mut files = Files { targets: &targets, standard_output: again(&mut options.standard_output) };
    let watched = Watched { progress: &options.progress, stage: options.stage };
    let control = options.progress.control();
    let (released, unplaced) = control.run(|| recoded(saved, &input, private, &mut files, &watched))?;
    Ok(Applied { released, unplaced, private })
}

/// The plan by which rows are recoded; an error if they cannot be.
pub(super) fn applied_plan(saved: &SavedRecoding, plan: &Plan, private: bool) -> Result<Plan> {
    let mut plan = if private { unjudged(plan) } else { plan.clone() };
    // Reports, recodings and row maps describe a search, and here is none.
    plan.report.clear();
    plan.recoding = None;
    plan.row_map = None;
    plan.ready()?;
    if !private && saved.other_tables {
        return Err(by_themselves(Error::refused(
            "the release of this recoding was also checked against other tables (a population, or tables that were published before), \
             which a recoding does not hold, so new rows cannot be",
        )));
    }
    Ok(plan)
}

/// Recodes new rows and hands them to their destination. Also returns, by column, the rows without a place.
pub(super) fn recoded<D: Destination>(
    saved: &SavedRecoding,
    input: &Input<'_>,
    private: bool,
    destination: &mut D,
    watched: &Watched<'_>,
) -> Result<(D::Made, BTreeMap<String, u64>)> {
    let started = Instant::now();
    let mut seconds = Seconds::default();
    watched.enter(Stage::Read);
    let clock = Instant::now();
    let control = watched.progress.control();
    let New { plan, table, kept, notes, first_warnings, personal, perturbed } =
        read_new(saved, input, private, control)?;
    seconds.read = clock.elapsed().as_secs_f64();
    watched.check()?;

    watched.enter(Stage::Apply);
    let clock = Instant::now();
    let mut read = ReadTable {
        plan: &plan,
        table: &table,
        original: SourceRows { source: input.source, kept: &kept },
        population: None,
        resources: input.resources,
        budget: Budget::default(),
        notes,
        first_warnings,
        personal,
        perturbed: &perturbed,
        seconds,
        started,
    };
    let judged = if private { &quasi_only(&plan) } else { &plan };
    let mut prepared = prepare_new(&table, judged, saved.quasi.clone(), saved.payload_trees.clone())?;
    let of_row = OfRow {
        tuple: std::mem::take(&mut prepared.tuple_of_row),
        payload: std::mem::take(&mut prepared.payload_of_row),
    };
    let needs = Needs { model: false, metric: "loss", suppression: Rational::ONE };
    let (problem, rest, metric) =
        make_problem(&plan, prepared, &needs, (Budget::default(), watched.progress.clone()))?;
    let (assignment, unplaced) = recode(saved, &problem, &rest.missing, &table, private)?;
    watched.check()?;
    let classes = judge(&problem, assignment, private)?;
    refuse_nothing(&classes, &problem)?;
    let found = ClassesFound {
        classes,
        origin: Origin::Recoding { private },
        metric,
        levels: match &saved.step {
            Some(Step::Levels(levels)) => Some(levels.clone()),
            _ => None,
        },
        step: None,
        payload_trees: Vec::new(),
        findings: Vec::new(),
        population: None,
        resources: input.resources,
        rows: ReleasedRows::default(),
        together: Vec::new(),
    };
    let algorithm = ALGORITHMS.find(saved.algorithm)?.facts();
    let mut run = read.task(watched.progress).run(algorithm, (problem, rest), of_row, found);
    let found = if private { vec![NOT_FOR_PUBLICATION.to_owned()] } else { warnings::warnings(&run, None) };
    run.warnings.extend(found);
    read.seconds.apply = clock.elapsed().as_secs_f64();
    Ok((complete(run, read, destination, watched)?.alone()?, unplaced))
}

/// The note on rows that were recoded and not checked.
const NOT_FOR_PUBLICATION: &str = "every row was kept, in its order, and no model was checked: these rows are for testing, not for \
                                   publication";

/// The plan for rows that nobody else will see.
fn unjudged(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    plan.privacy.clear();
    plan.accept_attribute_disclosure = true;
    plan.keep_order = true;
    plan.algorithm.star_policy = StarPolicy::Strict;
    // Nothing is left out, so there is nothing to raise weights for; and no model is about households.
    plan.columns.iter_mut().for_each(|(_, column)| (column.stratum, column.renumber) = (None, false));
    plan
}

/// New rows as they were read.
struct New {
    /// The plan with a role for every column.
    plan: Plan,
    table: SpeltTable,
    /// For each row that was read whether the table has it.
    kept: Vec<bool>,
    notes: Vec<String>,
    first_warnings: Vec<String>,
    /// Personal data in columns that are published exactly.
    personal: PersonalData,
    /// The columns whose values are not those of their people.
    perturbed: Perturbed,
}

/// Reads new rows. Their columns may be in any order; the output has the order of the recoding.
fn read_new(saved: &SavedRecoding, input: &Input<'_>, private: bool, control: &Control) -> Result<New> {
    let Input { plan, source, .. } = *input;
    let options = ReadOptions { control: control.clone(), ..read_options(&plan.read)? };
    let header = scumble_files::read_header(source, &options)?;
    let in_file: Vec<&str> = header.names.iter().map(String::as_str).collect();
    let steps = Steps::of(plan, &in_file)?;
    steps.check_row_by_row()?;
    let has = |name: &str| steps.names.iter().any(|of| of == name);
    if let Some(absent) = saved.needed(private).into_iter().find(|name| !has(name)) {
        let quasi = saved.quasi.iter().any(|quasi| quasi.name == absent);
        let why = if quasi { "which is a quasi-identifier of the recoding" } else { "which its models read" };
        let names: Vec<&str> = steps.names.iter().map(String::as_str).collect();
        let near = among_columns(absent, &names);
        return Err(Error::config(format!("the table has no column '{absent}', {why}{near}")));
    }
    let (known, absent): (Vec<_>, Vec<_>) = plan.columns.iter().cloned().partition(|(name, _)| has(name));
    let mut notes = Vec::new();
    let missed = |column: &Column| Role::PUBLISHED.iter().any(|r| *r != Role::Quasi && column.role.has(*r));
    let missed: Vec<&str> =
        absent.iter().filter(|(_, column)| missed(column)).map(|(name, _)| name.as_str()).collect();
    if !missed.is_empty() {
        notes.push(format!("the table has no {}, so it is not in what was written", missed.join(", ")));
    }
    let unknown: Vec<&String> = steps.names.iter().filter(|name| plan.column(name).is_none()).collect();
    let role = match plan.rest {
        Some(Rest::Other) => Role::Other,
        Some(Rest::Drop) => Role::Drop,
        None if unknown.is_empty() => Role::Drop,
        None => {
            let names: Vec<&str> = unknown.iter().map(|name| name.as_str()).collect();
            return Err(Error::config(format!("the recoding does not know {}", names.join(", ")))
                .set(Setting::root("rest").to("drop"), "leave out columns that the recoding does not know")
                .weaken(Setting::root("rest").to("other"), "publish those columns as they are"));
        }
    };
    let without_role: Vec<&str> = unknown.iter().map(|name| name.as_str()).collect();
    let further = unknown.iter().map(|name| ((*name).clone(), Column::new(Roles::one(role))));
    let mut plan = Plan { columns: known.into_iter().chain(further).collect(), ..plan.clone() };
    let read = read_columns(&plan, &steps, &in_file, source, options)?;
    let mut table = read.coded;
    // Private rows may have any other columns.
    if role == Role::Other && !private {
        refuse_unjudged(&table, &without_role, &plan.read.missing, |error, _| {
            error
                .set(
                    Setting::root("rest").to("drop"),
                    "leave out all columns that the recoding does not know",
                )
                .advise("take such columns out of the table and keep the others")
        })?;
    }
    let Complete { kept, notes: mut first_warnings } = if private {
        Complete { kept: vec![true; table.rows], notes: Vec::new() }
    } else {
        keep_complete(&mut table, &plan)?
    };
    notes.extend(read.notes);
    let mut perturbed = Perturbed::default();
    if !steps.is_empty() {
        let purpose = if private { Purpose::Private } else { Purpose::Release };
        first_warnings.extend(steps::same_codes(&plan));
        let made = steps.carry_out(&mut plan, table, &kept, input.resources, purpose)?;
        table = made.table;
        notes.extend(made.notes);
        first_warnings.extend(made.warnings);
        perturbed = made.perturbed;
    }
    let table = SpeltTable::of(table, &plan)?;
    weights::check(&plan, &table, RowNumbers::Kept(&kept))?;
    notes.extend(table.notes());
    let passed = match private {
        true => Passed::default(),
        false => gate::exact(&plan, &table, RowNumbers::Kept(&kept)).map_err(of_new_rows)?,
    };
    notes.extend(passed.notes);
    first_warnings.extend(datasheet::counted_apart(&plan, false));
    Ok(New { plan, table, kept, notes, first_warnings, personal: passed.personal, perturbed })
}

/// The error of the gate for new rows: roles and consent come from the recoding and cannot be changed.
fn of_new_rows(error: Error) -> Error {
    let error = error.remedied(|_| None);
    let error = error.advise("take such columns out of the new rows, and keep the others");
    error.advise("make a release of the new rows by themselves, with a plan that says what becomes of them")
}

/// What each tuple of new rows shows: the values of the rule where they are true of the row, and `*` elsewhere. Also returns, by column, the
/// rows without a place. Classes that the release suppressed are suppressed here too, unless every row is to stay.
fn recode(
    saved: &SavedRecoding,
    problem: &Problem,
    missing: &[(String, Vec<String>)],
    table: &CodedTable,
    private: bool,
) -> Result<(Assignment, BTreeMap<String, u64>)> {
    let quasi = &saved.quasi;
    let finders: Vec<CodeFinder<'_>> = quasi
        .iter()
        .map(|quasi| {
            let markers = missing.iter().find(|(name, _)| *name == quasi.name);
            CodeFinder::new(quasi, markers.map_or(&[], |(_, markers)| &markers[..]))
        })
        .collect();
    let found: Vec<Vec<LookedUp>> = quasi
        .iter()
        .zip(&finders)
        .map(|(quasi, finder)| {
            let texts = table.column(&quasi.name).map(|column| &column.values);
            let texts = texts.ok_or_else(|| Error::internal("a quasi-identifier was not read"))?;
            Ok(texts.iter().map(|text| finder.look(text)).collect())
        })
        .collect::<Result<_>>()?;
    let rule = NewRows::of_rule(
        quasi,
        saved.step.as_ref(),
        &saved.columns,
        &saved.suppressed,
        saved.typical.clone(),
    );
    let hidden = hidden(saved);
    let tuple = |tuple: usize| {
        let text = |column: usize| &found[column][problem.table.column(column).get(tuple) as usize];
        let codes: Vec<Option<u32>> = (0..quasi.len()).map(|column| text(column).code).collect();
        let placed = rule.placed(&codes);
        let suppressed = match placed.class {
            Some(class) => saved.suppressed[class as usize],
            None => hidden.contains(&placed.values),
        };
        let covered = |(column, value): (usize, Option<Value>)| {
            value.filter(|value| finders[column].covers(*value, text(column)))
        };
        let values: Vec<Option<Value>> = placed.values.into_iter().enumerate().map(covered).collect();
        (values, suppressed && !private)
    };
    let shown: Vec<(Vec<Option<Value>>, bool)> =
        (0..problem.table.tuples()).into_par_iter().with_min_len(1 << 10).map(tuple).collect();

    let mut unplaced = vec![0_u64; quasi.len()];
    for (tuple, (values, _)) in (0..).zip(&shown) {
        let rows = total(problem.table.cells(tuple));
        unplaced.iter_mut().zip(values).filter(|(_, value)| value.is_none()).for_each(|(of, _)| *of += rows);
    }
    let names = quasi.iter().map(|quasi| quasi.name.clone());
    let unplaced = names.zip(unplaced).filter(|(_, rows)| *rows > 0).collect();
    let suppressed = shown.iter().map(|(_, suppressed)| *suppressed).collect();
    // A value without a place looks like the top of the tree, so both form one class.
    let top = |quasi: &Quasi| match quasi.tree() {
        Some(tree) if tree.label(tree.root()) == STAR => Value::Node(tree.root()),
        _ => Value::Star,
    };
    let or_star = |values: Vec<Option<Value>>| {
        let pairs = values.into_iter().zip(quasi);
        pairs
            .map(|(value, quasi)| {
                value.filter(|value| quasi.label(*value) != STAR).unwrap_or_else(|| top(quasi))
            })
            .collect()
    };
    let regions: Vec<Vec<Value>> = shown.into_iter().map(|(values, _)| or_star(values)).collect();
    let members = Members::Tuples((0..regions.len() as u32).collect());
    Ok((with_values(Assignment { members, columns: Vec::new(), suppressed }, regions), unplaced))
}

/// The combinations of values that the release suppressed and nowhere shows.
fn hidden(saved: &SavedRecoding) -> HashSet<Vec<Option<Value>>, foldhash::fast::FixedState> {
    let values = |class: usize| -> Vec<Option<Value>> {
        saved.columns.iter().map(|column| Some(column.value(class))).collect()
    };
    let with = |suppressed: bool| {
        let classes = saved.suppressed.iter().enumerate().filter(move |(_, is)| **is == suppressed);
        classes.map(|(class, _)| values(class))
    };
    let mut hidden: HashSet<_, _> = with(true).collect();
    with(false).for_each(|shown| {
        hidden.remove(&shown);
    });
    hidden
}

/// The classes of new rows. Classes that break a model are suppressed; an error if that is not enough.
fn judge(problem: &Problem, assignment: Assignment, private: bool) -> Result<Classes> {
    if private {
        let classes = Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy);
        return Ok(classes);
    }
    problem.check_feasible()?;
    let classes = problem.suppress_failing(assignment)?;
    for model in &problem.models {
        let verdict = model.judge(&classes, problem.table.payloads());
        if !verdict.holds {
            return Err(by_themselves(Error::infeasible(format!(
                "the new rows, recoded, do not keep {}, and suppressing the groups that break a requirement does not mend that",
                model.title()
            ))));
        }
    }
    Ok(classes)
}

/// Adds what helps where new rows cannot be published as the recoding would have them.
fn by_themselves(error: Error) -> Error {
    error.advise("make a release of the new rows by themselves").weaken(
        Setting::root("private"),
        "recode the new rows without judging them, if that is not for publication",
    )
}
