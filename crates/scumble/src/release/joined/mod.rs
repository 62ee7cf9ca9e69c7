//! Several tables that stay joined, such as households and the people in them: one plan for each, all released in one call or none.
//!
//! Codes of a common domain join the tables. So whoever has all of them knows of a row also what its parent shows. Every table is searched, written
//! and verified by itself. Then the verifier joins what was written, and checks the models of all plans on the joined rows (`judge.rs`). If they do
//! not hold, all tables are searched again for groups twice as large. Nothing has a name until everything holds (`held.rs`).

mod agree;
mod held;
mod judge;

use std::collections::BTreeSet;
use std::path::Path;

use scumble_files::Source;
use scumble_files::table::CodedTable;
use scumble_verify::{Claim, JoinKey, Reference};
use serde::Serialize;

use self::held::{Held, Holding};
use super::classes::together::{ATTEMPTS, larger};
use super::outputs::Outputs;
use super::pipeline::Watched;
use super::resources::Resources;
use super::targets::Targets;
use super::{Input, Released, Stage, make};
use crate::config::Plan;
use crate::error::{Error, ErrorKind, Result};
use crate::problem::Progress;

/// The plan of one of several tables that stay joined.
#[derive(Clone, Copy)]
pub struct PlanOfTable<'a> {
    /// The name of the plan in messages.
    pub name: &'a str,
    /// The plan.
    pub plan: &'a Plan,
    /// The folder that its file names are relative to.
    pub folder: &'a Path,
}

/// Releases of several tables that stay joined.
pub struct ReleasedTogether {
    /// The releases, in the order of the plans.
    pub releases: Vec<Released>,
    /// What was checked of the joined tables. Private, as it has attained figures.
    pub joined: Joined,
}

/// What was checked of joined tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Joined {
    /// The release to which the rows of all others belong.
    pub parent: String,
    /// The fewest rows of any table that look alike in what joined rows show.
    pub smallest: Option<u64>,
    /// The models that hold on joined rows.
    pub models: Vec<JoinedModel>,
    /// How often larger groups were asked for: each time twice as large.
    pub doublings: u32,
}

/// A model that was checked on joined rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JoinedModel {
    /// The model in words.
    pub model: String,
    /// The release whose rows were judged.
    pub rows_of: String,
    /// The release whose plan asks for the model.
    pub asked_by: String,
    /// What the plan requires.
    pub required: f64,
    /// What the worst group attains.
    pub attained: Option<f64>,
}

/// What the verifier needs to judge a table together with those that codes join it with.
pub(super) struct Told {
    /// The table as it was written, with the unpublished columns that models read.
    pub(super) table: CodedTable,
    pub(super) claim: Claim,
    pub(super) reference: Reference,
    /// The column that says who a row is about, where people have several.
    pub(super) person: Option<String>,
    /// The codes of all rows of the original, by column.
    pub(super) codes: Vec<(String, BTreeSet<String>)>,
    /// A model that the verifier does not know.
    pub(super) unverified: Option<String>,
    /// A quasi-identifier that no model judges, since it is perturbed.
    pub(super) perturbed: Option<String>,
}

/// One table of the call.
struct Table<'a> {
    name: &'a str,
    /// The plan, with the id that all releases of the call share.
    plan: Plan,
    keys: Vec<JoinKey>,
    /// The columns that the codes were made of, in the order of the keys.
    coded: Vec<String>,
    resources: Resources,
    source: Source,
    targets: Targets,
    /// How often larger groups were asked for.
    doublings: u32,
    /// Whether groups cannot get larger.
    is_largest: bool,
}

/// Makes the releases that several plans ask for, so that codes join them. Either all of them are published, each with its datasheet and private
/// report, or none.
///
/// The plans have a common key, and steps that make codes with a common domain. The table in which each code stands once is the parent of the others.
///
/// An error means that nothing was published, with one exception: [`ErrorKind::AfterPublishing`](crate::ErrorKind::AfterPublishing).
pub fn anonymize_joined(
    plans: &[PlanOfTable<'_>],
    outputs: &Outputs,
    progress: &Progress,
    stage: &(dyn Fn(Stage) + Sync),
) -> Result<ReleasedTogether> {
    let keys = agree::keys(plans)?;
    let mut own: Vec<Plan> = plans.iter().map(|of| of.plan.clone()).collect();
    let names: Vec<&str> = plans.iter().map(|of| of.name).collect();
    agree::give_one_release_id(&mut own, &names)?;
    let mut outputs = outputs.clone();
    plans.iter().for_each(|of| outputs.read_plan(of.plan, of.folder));
    let mut tables = Vec::new();
    for ((of, plan), coded) in plans.iter().zip(own).zip(keys) {
        let resources = Resources::in_folder(of.folder).watched_by(progress.control());
        let named = |error| agree::in_plan(of.name, error);
        let source = resources.input(&plan).map_err(named)?;
        let targets = Targets::of(&plan, of.folder, &outputs).map_err(named)?;
        // What one table claims, no other may.
        outputs = targets.claimed();
        tables.push(Table {
            name: of.name,
            plan,
            keys: coded.iter().map(|coded| coded.key.clone()).collect(),
            coded: coded.into_iter().map(|coded| coded.of).collect(),
            resources,
            source,
            targets,
            doublings: 0,
            is_largest: false,
        });
    }
    let of_keys: Vec<_> = tables.iter().map(|of| (of.name, &of.plan, &of.resources)).collect();
    agree::one_key(&of_keys)?;
    let watched = Watched { progress, stage };
    progress.control().run(|| release(&mut tables, &watched))
}

/// Searches until everything holds, and publishes it.
fn release(tables: &mut [Table<'_>], watched: &Watched<'_>) -> Result<ReleasedTogether> {
    let mut held = attempt_all(tables, watched)?;
    // What the plans ask for; larger groups are asked for besides.
    let asked: Vec<Claim> = held.0.iter().map(|held| held.told.claim.clone()).collect();
    let mut doublings = 0;
    let joined = loop {
        watched.enter(Stage::Verify);
        match judge::judge(tables, &held.0, &asked, watched)? {
            Ok(joined) => break Joined { doublings, ..joined },
            Err(failing) => {
                drop(held);
                if doublings == ATTEMPTS || !grow(tables, watched)? {
                    return Err(judge::cannot(&failing));
                }
                doublings += 1;
                held = attempt_all(tables, watched)?;
            }
        }
    };
    if doublings > 0 {
        let note = "larger groups than asked for were needed, since codes join the table with others";
        held.0.iter_mut().for_each(|held| held.say(note));
    }
    held::publish(tables, held, &joined, watched).map(|releases| ReleasedTogether { releases, joined })
}

/// Asks every table for larger groups. Returns whether some can get larger.
fn grow(tables: &mut [Table<'_>], watched: &Watched<'_>) -> Result<bool> {
    watched.check()?;
    for table in tables.iter_mut().filter(|table| !table.is_largest) {
        match larger(&table.plan, table.doublings + 1, usize::MAX) {
            Some(_) => table.doublings += 1,
            None => table.is_largest = true,
        }
    }
    Ok(tables.iter().any(|table| !table.is_largest))
}

fn attempt_all(tables: &mut [Table<'_>], watched: &Watched<'_>) -> Result<LastFirst<Held>> {
    let mut all = LastFirst(Vec::new());
    for table in tables {
        all.0.push(attempt(table, watched)?);
    }
    Ok(all)
}

/// Drops its last item first: a folder that was made for an earlier release is empty only when those inside it are gone.
struct LastFirst<T>(Vec<T>);

impl<T> Drop for LastFirst<T> {
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

/// Makes one release, and holds it before it gets its name. Groups that are too large to be made become smaller again.
fn attempt(table: &mut Table<'_>, watched: &Watched<'_>) -> Result<Held> {
    loop {
        let asked = match table.doublings {
            0 => Some(table.plan.clone()),
            doublings => larger(&table.plan, doublings, usize::MAX),
        };
        let plan = asked.ok_or_else(|| Error::internal("groups that are too large were asked for"))?;
        let keys = table.keys.iter().map(|key| key.column.clone()).collect();
        let mut holding = Holding::new(&table.targets, keys);
        let input = Input { plan: &plan, source: &table.source, resources: &table.resources };
        match make(&input, &mut holding, watched) {
            Ok(made) => return holding.hold(made),
            Err(error) if error.kind() == ErrorKind::Infeasible && table.doublings > 0 => {
                table.doublings -= 1;
                table.is_largest = true;
            }
            Err(error) => return Err(agree::in_plan(table.name, error)),
        }
    }
}
