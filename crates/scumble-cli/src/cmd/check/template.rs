//! A plan beside the template that it was made from.

use std::path::Path;
use std::process::ExitCode;

use scumble::config::Plan;
use scumble::config::template::{Departure, Template};
use scumble::{Error, Result};

use super::super::init::look_at;
use crate::ui::{Interface, as_line, print};

/// A template and where a plan departs from it.
#[derive(serde::Serialize)]
pub(super) struct Compared {
    name: String,
    version: u32,
    departures: Vec<Departure>,
}

impl Compared {
    /// Compares a plan with its template; `None` for a plan without one.
    fn of(plan: &Plan, departures: impl FnOnce(&Template) -> Result<Vec<Departure>>) -> Result<Option<Self>> {
        let Some(name) = &plan.template else { return Ok(None) };
        let template = Template::find(name)?;
        let departures = departures(&template)?;
        Ok(Some(Self {
            name: template.name,
            version: plan.template_version.unwrap_or(template.version),
            departures,
        }))
    }

    /// Whether nothing departs that must not.
    pub(super) fn holds(&self) -> bool {
        !self.departures.iter().any(|departure| departure.must)
    }

    /// The result in words. Following a template is no proof of anything, so nothing here "holds".
    pub(super) fn tell(&self) -> String {
        let mut text = as_line!("template: the plan was made from {}, version {}", self.name, self.version);
        for departure in &self.departures {
            let mark = if departure.must { "FAILS" } else { "      " };
            text += &as_line!("{mark}  it departs from the template: {}", departure.sentence());
        }
        if self.departures.is_empty() {
            text += "       no departure from the template was found; whether its rule is kept is for people to say\n";
        }
        text
    }
}

/// Compares the plan of a release with its template. Columns that the release does not have are not judged; the others by their names.
pub(super) fn of_release(plan: &Plan, names: &[&str]) -> Result<Option<Compared>> {
    Compared::of(plan, |template| {
        let mut found = template.departures(plan, &[])?;
        found.retain(|departure| departure.column.as_ref().is_none_or(|name| names.contains(&name.as_str())));
        Ok(found)
    })
}

/// Compares a plan with its template, and its columns with the table, if that is there.
pub(super) fn run(path: &Path, json: bool, interface: &Interface) -> Result<ExitCode> {
    let plan = Plan::load(path)?;
    let input = Plan::beside(path, &plan.input);
    let profiles = match plan.input != "-" && plan.template.is_some() && input.exists() {
        true => look_at(&input, &plan.read, interface)?.columns,
        false => Vec::new(),
    };
    if profiles.is_empty() && plan.template.is_some() {
        interface.note("the table of the plan was not read, so its columns are judged by their names");
    }
    let compared = Compared::of(&plan, |template| template.departures(&plan, &profiles))?;
    let compared = compared.ok_or_else(|| {
        Error::config(format_args!("'{}' is a plan, and it was not made from a template", path.display()))
            .advise("give the table to check, and the plan as --plan")
            .advise("make a plan from a template: scumble init DATA --template NAME")
    })?;
    let code = if compared.holds() { ExitCode::SUCCESS } else { ExitCode::from(1) };
    print(match json {
        true => serde_json::to_string(&compared).map_err(Error::internal)? + "\n",
        false => compared.tell(),
    })?;
    Ok(code)
}
