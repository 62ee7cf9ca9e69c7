//! A recoding that was saved with a release: the rule, the meaning of its values, and the models to keep, read from one file.
//!
//! Loading any file gives a rule that is consistent in itself, or an error. The rule may still be wrong: rows that it recodes are checked
//! against the original rows and the models like any release.

use std::path::{Path, PathBuf};

use crate::config::{Plan, Role};
use crate::error::Result;
use crate::recoding::{ClassColumn, Step};
use crate::table::hierarchy::Hierarchy;
use crate::table::quasi::Quasi;

pub(crate) mod format;
mod load;

/// A recoding that can be applied to other rows. Private: it belongs to the report.
pub struct SavedRecoding {
    pub(crate) file: PathBuf,
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// Columns, models and policies; input and output have no names yet.
    pub(crate) plan: Plan,
    /// Whether the release was also checked against other tables.
    pub(crate) other_tables: bool,
    /// The quasi-identifiers, in the order of the rule.
    pub quasi: Vec<Quasi>,
    /// The hierarchies of sensitive columns.
    pub(crate) payload_trees: Vec<(String, Hierarchy)>,
    /// The rule; where it is `None`, a row belongs to the class that covers most of it.
    pub step: Option<Step>,
    /// What the classes of the release show.
    pub columns: Vec<ClassColumn>,
    /// Which of them the release suppressed.
    pub suppressed: Vec<bool>,
    /// The code of each column that most rows had.
    pub typical: Vec<u32>,
}

impl SavedRecoding {
    /// Reads a recoding. Errors never quote its content, which is values of people.
    pub fn load(path: &Path) -> Result<Self> {
        let bytes = scumble_files::limits::read_whole(path)
            .map_err(|source| scumble_files::cannot_read("the recoding", path, source))?;
        load::parse(&bytes, path)
    }

    /// Reads a recoding from a text, such as the `recoding` of a [`Release`](crate::release::Release).
    pub fn from_json(text: &str) -> Result<Self> {
        load::parse(text.as_bytes(), Path::new("in memory"))
    }

    /// The plan that recodes a table by this rule.
    #[must_use]
    pub fn plan(&self, input: impl Into<String>, output: impl Into<String>) -> Plan {
        Plan { input: input.into(), output: output.into(), ..self.plan.clone() }
    }

    /// The columns that new rows must have. For a release that includes the columns that its models read.
    pub(crate) fn needed(&self, private: bool) -> Vec<&str> {
        let plan = &self.plan;
        let roles = [Role::Quasi, Role::Sensitive, Role::Subject, Role::Guarding];
        let roles = if private { &roles[..1] } else { &roles };
        let by_role =
            |name: &str| plan.column(name).is_some_and(|of| roles.iter().any(|role| of.role.has(*role)));
        let by_model = |name: &str| {
            plan.privacy.iter().any(|spec| spec.columns.iter().any(|of| of == name))
                || plan.counted_columns().contains(&name)
                || plan.is_stratum(name)
                || plan.counted_by() == Some(name)
        };
        let names = plan.columns.iter().map(|(name, _)| name.as_str());
        names.filter(|name| by_role(name) || (!private && by_model(name))).collect()
    }
}
