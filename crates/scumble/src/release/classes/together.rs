//! Checks a release together with tables that were published before (`[[table]]`): what all of them reveal together.
//!
//! The search sees only one table. The verifier checks the result together with the others. If it does not hold, the search is asked for
//! larger classes, until the tables together keep the models.

use scumble_files::table::CodedTable;
use scumble_verify::{ModelOutcome, StarRows};

use super::super::pipeline::Ended;
use crate::config::{ModelSpec, Plan};
use crate::error::{Error, ErrorKind, Result, Setting, Wanted, Wish};
use crate::models::asked::OverTables;
use crate::models::k_anonymity;
use crate::release::check::several::{over_views, relational};
use crate::release::offers;
use crate::release::resources::Resources;

/// The most times that larger classes are asked for, twice as large each time.
pub(in crate::release) const ATTEMPTS: u32 = 12;

/// Returns an error if the plan names tables and no model is about them.
pub(in crate::release) fn check_asked(plan: &Plan, makes_classes: bool) -> Result<()> {
    if plan.table.is_empty() {
        return Ok(());
    }
    if !makes_classes {
        return Err(Error::refused(format!(
            "tables that were published before ([[table]]) are put beside a table in groups, and '{}' makes none",
            plan.algorithm.name
        ))
        .with(offers::of_classes(plan, Wish::Classes.words())));
    }
    if plan.privacy.iter().any(|spec| spec.over_tables().is_some()) {
        return Ok(());
    }
    Err(Error::config(
        "the plan names tables that were published before ([[table]]), and no model is about several tables",
    )
    .set(Wanted::model("k_uncertainty").with("k", 3), "ask for k-uncertainty")
    .set(
        Wanted::model("multirelational").with("k", 5),
        "ask for multirelational k-anonymity, which mingen serves",
    )
    .weaken_without(Setting::root("table"), "leave those tables out"))
}

/// Checks what a written release and the tables before it keep together. `release` also has the columns that are not published.
pub(super) fn judge(
    release: &CodedTable,
    original: &CodedTable,
    plan: &Plan,
    resources: &Resources,
    star: StarRows,
) -> Result<Vec<ModelOutcome>> {
    let mut found = Vec::new();
    if plan.table.is_empty() {
        return Ok(found);
    }
    for spec in &plan.privacy {
        let judged = match spec.over_tables() {
            None => continue,
            Some(OverTables::Persons) => {
                relational(release, spec, plan, resources, star).map(|outcome| vec![outcome])
            }
            Some(OverTables::Values) => over_views(release, Some(original), spec, plan, resources),
        };
        found.extend(judged?);
    }
    Ok(found)
}

/// Attempts a plan. If the result does not hold together with tables that were published before, attempts it again with classes twice as
/// large, until it does. Returns what was made, and whether its classes are larger than the plan asks for.
pub(in crate::release) fn large_enough<Made>(
    plan: &Plan,
    rows: usize,
    mut attempt: impl FnMut(&Plan) -> Result<Ended<Made>>,
) -> Result<(Box<Made>, bool)> {
    let mut failing = match attempt(plan)? {
        Ended::Made(made) => return Ok((made, false)),
        Ended::NotBesideOthers(failing) => failing,
    };
    for doublings in 1..=ATTEMPTS {
        let Some(plan) = larger(plan, doublings, rows) else { break };
        failing = match attempt(&plan) {
            // Classes of this size cannot be made.
            Err(error) if error.kind() == ErrorKind::Infeasible => break,
            Err(error) => return Err(error),
            Ok(Ended::Made(made)) => return Ok((made, true)),
            Ok(Ended::NotBesideOthers(failing)) => failing,
        };
    }
    Err(cannot(&failing))
}

/// The plan with a larger minimum of class sizes: twice as large each time.
pub(in crate::release) fn larger(plan: &Plan, doublings: u32, rows: usize) -> Option<Plan> {
    let asked = plan.privacy.iter().filter(|spec| spec.is_size_alone());
    let asked = asked.filter_map(|spec| spec.parameters.whole("k", 1).ok().flatten()).max().unwrap_or(1);
    let k = asked.checked_shl(doublings).filter(|k| *k <= rows as u64)?;
    Some(plan.clone().require(ModelSpec::new(k_anonymity::ENTRY.name).with("k", k as i64)))
}

/// The error when no class size is enough.
fn cannot(failing: &ModelOutcome) -> Error {
    Error::infeasible(format!(
        "{} cannot be met beside the tables that were published before: required {}, attained {} with the largest classes tried. \
         Nothing was published",
        failing.label,
        failing.required,
        failing.attained.unwrap_or_default()
    ))
    .set(Setting::role("drop"), "leave out columns that the tables share")
    .concede("lower the requirement")
}
