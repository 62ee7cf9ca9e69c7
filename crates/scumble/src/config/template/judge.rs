//! A template beside a table that is to be released.

use scumble_files::table::CodedTable;

use super::{Departure, Template};
use crate::config::Plan;
use crate::config::profile::{ColumnProfile, column_values, profile};
use crate::config::{Role, Roles};
use crate::error::{Error, Result};

/// Compares a plan that names a template with it, and with a table as it is after all steps. Some departures are refused; the others are the
/// warnings that this returns.
pub(crate) fn judge(plan: &Plan, table: &CodedTable) -> Result<Vec<String>> {
    let Some(template) = of_plan(plan)? else { return Ok(Vec::new()) };
    let published = |roles: &Roles| Role::PUBLISHED.iter().any(|role| roles.has(*role));
    let columns = column_values(table, &plan.read.missing);
    let of_release =
        columns.into_iter().filter(|column| plan.column(column.name).is_some_and(|of| published(&of.role)));
    let profiles: Vec<ColumnProfile> = profile(&of_release.collect::<Vec<_>>());
    let departures = template.departures(plan, &profiles)?;
    refuse(&template, &departures)?;
    let warn = |departure: &Departure| {
        format!("the plan departs from its template {}: {}", template.name, departure.sentence())
    };
    Ok(departures.iter().map(warn).collect())
}

/// Compares a plan that names a template with it, and with a table as it was read. A step can make a column look like something else, and it is
/// still about the same thing.
pub(crate) fn judge_as_read(plan: &Plan, table: &CodedTable) -> Result<()> {
    let Some(template) = of_plan(plan)? else { return Ok(()) };
    let profiles = profile(&column_values(table, &plan.read.missing));
    refuse(&template, &template.departures(plan, &profiles)?)
}

fn of_plan(plan: &Plan) -> Result<Option<Template>> {
    plan.template.as_deref().map(Template::find).transpose()
}

/// Returns an error if a plan departs from what its template marks as a must.
fn refuse(template: &Template, departures: &[Departure]) -> Result<()> {
    let must: Vec<String> =
        departures.iter().filter(|departure| departure.must).map(Departure::sentence).collect();
    if must.is_empty() {
        return Ok(());
    }
    Err(Error::refused(format!(
        "the plan names the template {} and departs from it: {}",
        template.name,
        must.join("; ")
    ))
    .advise("follow the template in these columns")
    .advise("take the lines 'template' and 'template_version' out of the plan: then the release says nothing about the template"))
}

/// What may be said in public about the template of a plan: where the plan comes from, and what the template leaves open.
pub(crate) fn said_of(plan: &Plan) -> Option<(String, Vec<String>)> {
    let template = Template::find(plan.template.as_deref()?).ok()?;
    let version = plan.template_version.unwrap_or(template.version);
    let made = format!("Made from the template {}, version {version}", template.name);
    // Departures in columns are known only beside the table; these are in the report.
    let changed = !template.departures(plan, &[]).is_ok_and(|found| found.is_empty());
    let said = match changed {
        true => format!("{made}, and changed since."),
        false => format!("{made}. {}", template.statement),
    };
    Some((said, template.does_not))
}
