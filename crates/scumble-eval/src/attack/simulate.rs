//! Runs all attacks on one release, one after the other.

use scumble::config::{Column, Plan, Role, Roles};
use scumble::error::did_you_mean;
use scumble::release::PublishedTables;
use scumble::release::check::side_by_side;
use scumble::release::prepare::SpeltTable;
use scumble::release::resources::Resources;
use scumble::{Error, Result};
use scumble_files::table::CodedTable;

use super::whose::{OwnRows, Pairs};
use super::{Attack, Case, Finding, Options, Scene, record_linkage, several};
use crate::protocol::{by_content, sorted};

/// What is attacked.
pub struct Target<'a> {
    /// The release.
    pub release: Release<'a>,
    /// Further releases about the same people.
    pub others: &'a [CodedTable],
    /// The people it is about.
    pub original: &'a CodedTable,
    /// People like them who are not in it.
    pub outsiders: Option<&'a CodedTable>,
    /// The columns whose values were perturbed.
    pub perturbed: &'a [String],
    /// People with their own rows, if it is known whose each row is.
    pub pairs: Option<&'a Pairs>,
    /// The roles of the columns, their hierarchies, and how the release was made.
    pub plan: &'a Plan,
    /// Whether the plan says how the release was made, and not only what its columns are.
    pub method_known: bool,
    /// What else the plan names.
    pub resources: &'a Resources,
}

/// A release in one table, or in several.
#[derive(Clone, Copy)]
pub enum Release<'a> {
    /// One table.
    Table(&'a CodedTable),
    /// Several tables with their manifest.
    Several(&'a PublishedTables),
}

/// Simulates attacks. `begins` is called before each one. The order of rows, in the release or in the original, does
/// not matter.
pub fn simulate(
    target: &Target<'_>,
    attacks: &[&Attack],
    options: &Options,
    begins: impl Fn(&Attack),
) -> Result<Vec<Finding>> {
    if target.original.rows == 0 {
        return Err(Error::data("the original has no rows, so there is nobody to attack"));
    }
    // As when a release is made, different spellings of one value count as one value.
    let spelt = |table: &CodedTable| SpeltTable::of(table.clone(), target.plan);
    let ordered = |spelt: SpeltTable| spelt.select(&by_content(&spelt));
    let original = spelt(target.original)?;
    let (plan, known) = without_perturbed(target)?;
    let own_rows = match (target.release, target.pairs) {
        (Release::Table(table), Some(pairs)) if !target.perturbed.is_empty() => {
            Some(OwnRows::of(pairs, &original, table, known))
        }
        _ => None,
    };
    if !target.perturbed.is_empty() && plan.names_with(Role::Quasi).next().is_none() {
        return by_perturbed_alone(own_rows.as_ref(), &plan, target, attacks, options, begins);
    }
    let original = ordered(original);
    let outsiders = target.outsiders.map(spelt).transpose()?.map(ordered);
    let scene_of =
        |table: &CodedTable| Scene::new(&side_by_side(&sorted(table), &original, &plan, target.resources)?);
    let (release, mut scenes, plan) = match target.release {
        Release::Table(table) => (sorted(table), vec![scene_of(table)?], plan.clone()),
        Release::Several(published) => {
            let opened = several::open(published, &original, target.plan, target.resources)?;
            (opened.release, opened.scenes, opened.plan)
        }
    };
    for other in target.others {
        scenes.push(scene_of(other)?);
    }
    let (scene, others) =
        scenes.split_first().ok_or_else(|| Error::internal("there is nothing to attack"))?;
    if scene.look_of_person.iter().all(Option::is_none) {
        return Err(Error::data(
            "no row of the original fits any row of the release: either another table was given as the original, or the release was made with other hierarchies than those given here",
        ));
    }
    let case = Case {
        scene,
        others,
        release: &release,
        original: &original,
        outsiders: outsiders.as_deref(),
        perturbed: target.perturbed,
        own_rows: own_rows.as_ref(),
        plan: &plan,
        method_known: target.method_known,
        resources: target.resources,
        options,
    };
    let mut found = Vec::new();
    for attack in attacks {
        if attack.rests_on_method && !target.method_known {
            let why = "This attack uses how the release was made, which was not given. Name the algorithm, or give the plan.";
            found.push(Finding::not_run(attack, why));
            continue;
        }
        begins(attack);
        let mut told = attack.simulate(&case)?;
        for finding in told.iter_mut().filter(|finding| finding.not_run.is_none()) {
            finding.limits.extend(scene.coverage(attack));
        }
        found.append(&mut told);
    }
    found.iter_mut().flat_map(|found| &mut found.limits).for_each(as_sentence);
    Ok(found)
}

/// The plan without the perturbed columns that outsiders know, since no row shows what is true of a person there; and the names of these
/// columns.
fn without_perturbed(target: &Target<'_>) -> Result<(Plan, Vec<String>)> {
    let mut plan = target.plan.clone();
    let Release::Table(release) = target.release else { return Ok((plan, Vec::new())) };
    let mut known = Vec::new();
    for name in target.perturbed {
        if release.column(name).is_none() || target.original.column(name).is_none() {
            let both = release.columns.iter().map(|column| column.name.as_str());
            let near = did_you_mean(name, both.filter(|name| target.original.column(name).is_some()));
            return Err(Error::config(format!(
                "the perturbed column '{name}' is not in both the release and the original, or has no role there{near}"
            )));
        }
        let column = plan.columns.iter_mut().find(|(of, _)| of == name).map(|(_, column)| column);
        let is_known = |column: &&mut Column| {
            column.role.has(Role::Quasi) || target.plan.drawn.beyond_models.contains(name)
        };
        if let Some(column) = column.filter(is_known) {
            *column = Column { role: Roles::one(Role::Drop), ..column.clone() };
            known.push(name.clone());
        }
    }
    Ok((plan, known))
}

/// What can be found if all that outsiders know was perturbed: then no row fits anybody, and only links are left.
fn by_perturbed_alone(
    own_rows: Option<&OwnRows>,
    plan: &Plan,
    target: &Target<'_>,
    attacks: &[&Attack],
    options: &Options,
    begins: impl Fn(&Attack),
) -> Result<Vec<Finding>> {
    let find = |attack: &&Attack| match own_rows {
        Some(own) if attack.name == record_linkage::ATTACK.name => {
            begins(attack);
            record_linkage::link(own, plan, options, target.resources.control())
        }
        None if attack.name == record_linkage::ATTACK.name => Ok(record_linkage::nobody_known()),
        _ => Ok(Finding::not_run(
            attack,
            "All columns that outsiders may know were perturbed, so no row fits anybody for certain. Record linkage says how well people are found.",
        )),
    };
    attacks.iter().map(find).collect()
}

/// Turns a limit into a sentence with a capital letter and a full stop.
fn as_sentence(text: &mut String) {
    let mut letters = text.chars();
    if let Some(first) = letters.next().filter(|first| first.is_lowercase()) {
        *text = first.to_uppercase().chain(letters).collect();
    }
    if !text.ends_with('.') {
        text.push('.');
    }
}
