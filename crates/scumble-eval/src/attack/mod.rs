//! What a release still gives away: simulated attacks, measured by somebody who also knows the truth (models.md 4.3 to
//! 4.9).
//!
//! Every attack takes a [`Case`] and returns [`Finding`]s. `scene` is what attackers see and know; each attack has a
//! file of its own.
//!
//! Items here that are not in [`crate::prelude`] may change from version to version.

pub(crate) mod background;
mod classifier;
pub(crate) mod definetti;
mod downcoding;
mod finding;
mod finer;
pub(crate) mod homogeneity;
mod intersection;
mod kept;
mod labels;
pub(crate) mod linkage;
mod membership;
mod minimality;
#[cfg(test)]
mod planned;
#[cfg(test)]
mod premises;
mod promise;
mod record_linkage;
mod request;
mod scene;
mod several;
mod sides;
mod similarity;
mod simulate;
mod singling_out;
mod skewness;
#[cfg(test)]
mod staged;
mod stands;
#[cfg(test)]
mod synthetic;
mod telling;
mod truth;
mod view;
mod whose;
mod wp216;

use scumble::config::Plan;
use scumble::error::did_you_mean;
use scumble::release::prepare::SpeltTable;
use scumble::release::resources::Resources;
use scumble::report::data::Learns;
use scumble::{Error, Result};
use scumble_files::table::CodedTable;

pub use finding::{Figure, Finding};
pub use labels::Labels;
pub use request::{AttackRequest, AttackTables, Attacked, attack};
pub use scene::{Class, Known, Look, Scene, Secret, Tally};
pub use several::add_roles;
pub use simulate::{Release, Target, simulate};
pub use view::View;
pub use whose::{OwnRows, Pairs, Whose};

/// An attack that can be simulated.
pub struct Attack {
    /// The name, as in `--only`.
    pub name: &'static str,
    /// The title.
    pub title: &'static str,
    /// Who described it.
    pub paper: &'static str,
    /// What the attacker knows and does.
    pub about: &'static str,
    /// How people without a row of their own in the release count, as a sentence that goes on after a colon.
    pub without_row: &'static str,
    /// What the attack tries to learn.
    pub learns: Learns,
    /// Whether the attacker must know how the release was made.
    pub rests_on_method: bool,
    /// Simulates the attack: returns one finding, or one for each sensitive column.
    pub run: fn(&Case<'_>) -> Result<Vec<Finding>>,
}

impl Attack {
    /// Simulates the attack; fails if it is stopped. Attacks that take long check [`Scene::control`] themselves.
    pub fn simulate(&self, case: &Case<'_>) -> Result<Vec<Finding>> {
        case.scene.control.check()?;
        let found = (self.run)(case)?;
        // Findings after a stop may be wrong.
        case.scene.control.check()?;
        Ok(found)
    }
}

/// Every attack, in the order of the report.
pub const ATTACKS: &[Attack] = &[
    linkage::ATTACK,
    homogeneity::ATTACK,
    background::ATTACK,
    skewness::ATTACK,
    similarity::ATTACK,
    minimality::ATTACK,
    definetti::ATTACK,
    downcoding::ATTACK,
    intersection::ATTACK,
    classifier::ATTACK,
    membership::ATTACK,
    singling_out::ATTACK,
    record_linkage::ATTACK,
];

/// Returns the attack of that name.
pub fn find(name: &str) -> Result<&'static Attack> {
    let names: Vec<&str> = ATTACKS.iter().map(|attack| attack.name).collect();
    ATTACKS.iter().find(|attack| attack.name == name).ok_or_else(|| {
        let near = did_you_mean(name, names.iter().copied());
        Error::config(format!("there is no attack '{name}'{near}; attacks are {}", names.join(", ")))
    })
}

/// The input of an attack.
pub struct Case<'a> {
    /// The release and the people it is about.
    pub scene: &'a Scene,
    /// Further releases about the same people, in the same order of people.
    pub others: &'a [Scene],
    /// The release as it is written.
    pub release: &'a CodedTable,
    /// The people it is about.
    pub original: &'a SpeltTable,
    /// People like those of the original who are not in it, if some are given.
    pub outsiders: Option<&'a CodedTable>,
    /// The columns whose values were perturbed. They are no quasi-identifiers of the plan here, since no row shows what is true of a person.
    pub perturbed: &'a [String],
    /// People with their own rows, if it is known whose each row is.
    pub own_rows: Option<&'a OwnRows>,
    /// What is known of how the release was made: the roles of columns, their hierarchies, the models and the
    /// algorithm.
    pub plan: &'a Plan,
    /// Whether the plan says how the release was made, and not only what its columns are.
    pub method_known: bool,
    /// What else the plan names.
    pub resources: &'a Resources,
    /// The settings of the simulation.
    pub options: &'a Options,
}

/// How attacks are simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The random seed.
    pub seed: u64,
    /// The number of people that are examined, if examining all of them takes too long.
    pub people: usize,
    /// The number of combinations of columns that are examined for each size, if there are more.
    pub combinations: usize,
    /// The most columns that an attacker with partial knowledge knows. Knowledge of all columns is tried in addition.
    pub known_columns: usize,
    /// The share of the attackers' knowledge that is wrong.
    pub noise: f64,
    /// The chance of being right from which on a person counts as at risk.
    pub threshold: f64,
    /// Numbers within this share of their column's range count as alike.
    pub window: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 1,
            people: 2_000,
            combinations: 64,
            known_columns: 3,
            noise: 0.0,
            threshold: 0.5,
            window: 0.1,
        }
    }
}

/// Runs an attack on each sensitive column of the release.
fn of_secrets(
    case: &Case<'_>,
    attack: &Attack,
    look: impl Fn(&Scene, usize) -> Result<Finding>,
) -> Result<Vec<Finding>> {
    if case.scene.secrets.is_empty() {
        let why = "No sensitive column was named, so what can be inferred about people was not tested. Name the sensitive columns, or give the plan.";
        return Ok(vec![Finding::not_run(attack, why)]);
    }
    let of_secret = |(place, secret): (usize, &Secret)| {
        Ok(Finding { column: Some(secret.column.name.clone()), ..look(case.scene, place)? })
    };
    case.scene.secrets.iter().enumerate().map(of_secret).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passes a scene to an attack that needs nothing else.
    pub(super) fn case<T>(scene: &Scene, attack: impl Fn(&Case<'_>) -> T) -> T {
        case_with(scene, &Options::default(), attack)
    }

    pub(super) fn case_with<T>(scene: &Scene, options: &Options, attack: impl Fn(&Case<'_>) -> T) -> T {
        let (plan, nothing) = (Plan::new("", "-"), CodedTable::default());
        let nobody = SpeltTable::of(nothing.clone(), &plan).expect("no texts");
        attack(&Case {
            scene,
            others: &[],
            release: &nothing,
            original: &nobody,
            outsiders: None,
            perturbed: &[],
            own_rows: None,
            plan: &plan,
            method_known: true,
            resources: &Resources::default(),
            options,
        })
    }
}
