//! Scenes of a release of several tables: either sensitive values are reported by group, or each table is a projection
//! and a release by itself.

use scumble::config::{Column, Plan, Role, Roles};
use scumble::error::Setting;
use scumble::release::check::{SideBySide, side_by_side};
use scumble::release::resources::Resources;
use scumble::release::{Manifest, PublishedTables, Together};
use scumble::{Error, Result};
use scumble_files::table::{CodedColumn, CodedTable};

use super::scene::{Groups, Scene, Tally, column_of, tally_rows};

/// A release of several tables: its first table, the scenes, and a plan that knows all columns.
pub(super) struct Opened {
    pub(super) release: CodedTable,
    pub(super) scenes: Vec<Scene>,
    pub(super) plan: Plan,
}

/// Gives a plan the roles that the manifest of a release of several tables knows, for columns without one. The tables
/// show values unchanged.
pub fn add_roles(plan: &mut Plan, manifest: &Manifest) {
    let named = manifest.quasi.iter().map(|name| (name, Role::Quasi));
    for (name, role) in named.chain([(&manifest.target, Role::Sensitive)]) {
        if plan.column(name).is_none() {
            plan.columns.push((name.clone(), Column::new(Roles::one(role))));
        }
    }
}

/// Compares several tables with the original. The plan may say more about columns than the manifest does.
pub(super) fn open(
    published: &PublishedTables,
    original: &CodedTable,
    plan: &Plan,
    resources: &Resources,
) -> Result<Opened> {
    let PublishedTables { manifest, tables, .. } = published;
    let mut plan = plan.clone();
    add_roles(&mut plan, manifest);
    let scenes = match &manifest.together {
        Together::Projections => {
            let scene = |table: &CodedTable| Scene::new(&side_by_side(table, original, &plan, resources)?);
            // A table without a quasi-identifier cannot be linked to people.
            let known =
                |table: &&CodedTable| plan.names_with(Role::Quasi).any(|name| table.column(name).is_some());
            tables.iter().filter(known).map(scene).collect::<Result<Vec<_>>>()?
        }
        Together::Groups { group, count, sums } => {
            let [rows, told] = &tables[..] else {
                return Err(Error::data("the manifest says that rows are in groups, which takes two tables"));
            };
            let both = side_by_side(rows, original, &plan, resources)?;
            let told = if sums.is_some() { None } else { Some((told, count.as_str())) };
            vec![grouped(&both, group, told, &manifest.target, &plan)?]
        }
    };
    if scenes.is_empty() {
        let error = Error::config("no table of the release has a column that outsiders may know");
        return Err(error.set(Setting::role("quasi"), "name columns of the release that outsiders may know"));
    }
    Ok(Opened { release: tables[0].clone(), scenes, plan })
}

/// Returns rows with the number of their group, and the sensitive values of groups: counted in a table of their own, or
/// shuffled among the group's rows.
fn grouped(
    both: &SideBySide,
    group: &str,
    told: Option<(&CodedTable, &str)>,
    target: &str,
    plan: &Plan,
) -> Result<Scene> {
    let of_rows = column_of(&both.release, group)?;
    let of_row: Vec<u32> = of_rows.codes.iter().collect();
    let groups = of_rows.values.len();
    let original = column_of(&both.original, target)?;
    let values = scumble::release::prepare::column_values(original, plan)?;
    let tallies = match told {
        None => tally_rows(&both.release, &values, &of_row, groups)?,
        Some((told, count)) => {
            let (number, value, count) =
                (column_of(told, group)?, column_of(told, target)?, column_of(told, count)?);
            let text = |column: &CodedColumn, row: usize| column.values.get(column.codes.get(row)).to_owned();
            let spellings = values.spellings();
            let mut amounts: Vec<Vec<(u32, u64)>> = vec![Vec::new(); groups];
            for row in 0..told.rows {
                let of_group = of_rows.values.find_sorted(&text(number, row));
                let rows: Option<u64> = text(count, row).parse().ok();
                if let (Some(of_group), Some(value), Some(rows)) =
                    (of_group, spellings.find(&text(value, row)), rows)
                {
                    amounts[of_group as usize].push((value, rows));
                }
            }
            amounts.into_iter().map(Tally::new).collect()
        }
    };
    Scene::of_groups(both, Groups { of_row, secrets: vec![(values, tallies)] })
}
